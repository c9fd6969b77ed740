"""What the headers of logs say: which logs belong together, and under which settings they ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.readers.inspect.archive import Log

_GENERATION = ("temperature", "top_p", "top_k", "max_tokens", "seed", "num_choices", "reasoning_effort")


def latest(logs: list[Log], warnings: list[str]) -> list[Log]:
    """Keep one attempt of each evaluation, by age: a retry writes a new log that carries the finished samples over."""
    kept: dict[str, Log] = {}
    by_age = sorted(logs, key=lambda log: (str(log.spec.get("created")), log.path.name))
    for log in sorted(by_age, key=lambda log: log.finished):
        kept[str(log.spec.get("task_id") or log.path)] = log
    superseded = [log.path.name for log in by_age if log not in kept.values()]
    if superseded:
        warnings.append(
            f"{', '.join(superseded)}: another log repeats this evaluation and finished it, or is later; left out"
        )
    return [log for log in by_age if log in kept.values()]


def with_repeats(logs: Sequence[Log]) -> list[tuple[Log, int]]:
    """Give each log the number of its first repeat: logs of one task with different seeds are repeats."""
    by_task: dict[str, list[Log]] = {}
    for log in logs:
        by_task.setdefault(log.task, []).append(log)
    numbered = []
    for task, of_task in by_task.items():
        seeds = [str(_generation(log).get("seed")) for log in of_task]
        of_task.sort(key=lambda log: str(_generation(log).get("seed")))
        if len(set(seeds)) < len(seeds):
            names = " and ".join(log.path.name for log in of_task[:2])
            raise FormatError(
                f"task '{task}' was logged {len(of_task)} times with the same seed: {names}; keep one, or name the file"
            )
        start = 0
        for log in of_task:
            numbered.append((log, start))
            start += log.get("eval", "config", "epochs") or 1
    return numbered


def _generation(log: Log) -> dict[str, Any]:
    """Generation settings: those of the model, overruled by those of the plan."""
    return {**(log.spec.get("model_generate_config") or {}), **(log.get("plan", "config") or {})}


def settings(log: Log) -> dict[str, Any]:
    """Return the settings that pairing compares."""
    generation = _generation(log)
    found = {name: generation[name] for name in _GENERATION if generation.get(name) is not None}
    if generation.get("system_message"):
        found["system_prompt"] = f"{items.text_hash(str(generation['system_message'])):016x}"
    steps = log.get("plan", "steps")
    if steps:
        written = msgspec.json.encode([[step.get("solver"), step.get("params")] for step in steps], order="sorted")
        names = ", ".join(str(step.get("solver")) for step in steps)
        found["prompt_template"] = f"{names} {items.text_hash(written.decode()):016x}"
    if log.spec.get("task_args"):
        found["task_args"] = log.spec["task_args"]
    found["task_version"] = log.spec.get("task_version")
    config = log.spec.get("config") or {}
    for name in ("message_limit", "token_limit", "time_limit", "working_limit"):
        if config.get(name) is not None:
            found[name] = config[name]
    return {name: value for name, value in found.items() if value is not None}


def subset(logs: Sequence[Log]) -> dict[str, Any]:
    """Return what part of the data sets was chosen on purpose."""
    chosen: dict[str, Any] = {}
    for log in logs:
        config = log.spec.get("config") or {}
        for name in ("limit", "sample_id"):
            if config.get(name) is not None:
                chosen[name] = config[name]
    return chosen
