"""What both generations of lighteval logs share: which files are one evaluation, its settings, its repeats.

An evaluation is one start of lighteval: a time stamp with one details file per task and one results file. People run
one task per start, or several seeds one after the other, so a run is put together from many evaluations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgetmap import items
from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.source import ReadOptions, load_json, sniff, split_files
from forgetmap.run import RunInfo
from forgetmap.tasks import canonical_task

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?")
_NAME = re.compile(rf"details_(.+)_({_TIME.pattern})")
_SHOTS = re.compile(r"\|(\d+)(?:\|\d+)?$")

#: Their generation parameter -> our setting; the others keep their name.
_GENERATION = {"max_new_tokens": "max_tokens", "stop_tokens": "stop"}
#: Fields of a v2 model configuration that change results.
_MODEL_FIELDS = {
    "dtype": "dtype",
    "batch_size": "batch_size",
    "override_chat_template": "chat_template",
    "quantization": "quantization",
    "max_length": "max_length",
}


@dataclass(frozen=True)
class Results:
    """The results file of one evaluation; empty where it is missing."""

    path: Path | None = None
    content: dict[str, Any] = field(default_factory=dict)

    @property
    def general(self) -> dict[str, Any]:
        return self.content.get("config_general") or {}

    @property
    def model_config(self) -> dict[str, Any]:
        return self.general.get("model_config") or {}

    @property
    def generation(self) -> dict[str, Any]:
        """Generation parameters: from 0.8 on in the general part, from 0.11 on in the model's."""
        return self.general.get("generation_parameters") or self.model_config.get("generation_parameters") or {}

    @property
    def tasks(self) -> list[str]:
        return [name for name in self.content.get("results") or {} if name != "all"]

    def config(self, raw: str) -> dict[str, Any]:
        """The configuration of a task; 0.10 lists it without the number of shots, 0.13 with it."""
        known = self.content.get("config_tasks") or {}
        return known.get(raw) or known.get(_SHOTS.sub("", raw)) or {}

    def settings(self) -> dict[str, Any]:
        found = {_GENERATION.get(name, name): value for name, value in self.generation.items() if name != "seed"}
        found["dtype"] = self.general.get("model_dtype")
        found |= {ours: self.model_config.get(theirs) for theirs, ours in _MODEL_FIELDS.items() if theirs in self.model_config}
        prompt = self.model_config.get("system_prompt")
        found["system_prompt"] = f"{items.text_hash(prompt):016x}" if isinstance(prompt, str) and prompt else None
        found["limit"] = self.general.get("max_samples")
        return {name: value for name, value in found.items() if value is not None}

    def task_settings(self, raw: str, shots: int | None) -> dict[str, Any]:
        config = self.config(raw)
        versions = self.content.get("versions") or {}
        named = _SHOTS.search(raw)
        found = {
            "num_fewshot": shots if shots is not None else int(named[1]) if named else None,
            "task_version": versions.get(raw, config.get("version")),
            "dataset_revision": config.get("hf_revision"),
            "prompt_template": config.get("prompt_function"),
            "max_tokens": config.get("generation_size"),
            "stop": list(config.get("stop_sequence") or ()) or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def higher_is_better(self, raw: str, metric: str) -> bool | None:
        config = self.config(raw)
        for entry in config.get("metrics") or config.get("metric") or []:
            names, better = entry.get("metric_name"), entry.get("higher_is_better")
            if metric == names or (isinstance(names, list) and metric in names):
                better = better.get(metric) if isinstance(better, dict) else better
                return better if isinstance(better, bool) else None
        return None

    def task_of(self, rows: int, metrics: set[str]) -> str | None:
        """The task of a file whose name does not say it: the one with these metrics and this many documents."""
        fitting = []
        for raw, scores in (self.content.get("results") or {}).items():
            named = {name for name in scores if not (name.endswith("_stderr") and name[:-7] in scores)}
            if raw != "all" and named == metrics and self.config(raw).get("effective_num_docs") in (rows, None):
                fitting.append(raw)
        return fitting[0] if len(fitting) == 1 else None


@dataclass
class Log:
    """One details file."""

    path: Path
    raw_task: str | None  # as in the file's name; None if it was renamed
    time: str | None
    results: Results
    repeat: int = 0
    shots: int | None = None

    @property
    def task(self) -> str:
        return canonical_task(self.raw_task or self.path.stem)

    @property
    def model(self) -> str | None:
        named = self.results.general.get("model_name") or self.results.model_config.get("model_name")
        if named:
            return str(named)
        parts = self.path.parts[:-1]
        if "details" in parts:
            after = parts[len(parts) - parts[::-1].index("details") :]
            return "/".join(part for part in after if not _TIME.fullmatch(part)) or None
        return None


def find_logs(path: Path, detects: Callable[[Path], bool], options: ReadOptions) -> tuple[list[Log], list[str]]:
    """Return the details files of one model, and the names of files that were not understood."""
    files, others = split_files(path, detects)
    results = {_time_of(file): file for file in others if _is_results(file)}
    unread = [file.name for file in others if not _is_results(file)]
    loaded: dict[Path, Results] = {}
    logs = []
    for file in files:
        named = _NAME.fullmatch(file.stem)
        time = named[2] if named else _time_of(file) or _time_of(file.parent)
        place = results.get(time) or (_results_near(file, time) if time else None)
        if place is not None and place not in loaded:
            loaded[place] = _load_results(place)
        logs.append(Log(file, named[1] if named else None, time, loaded[place] if place else Results()))
    models = sorted({log.model for log in logs if log.model})
    if options.model is not None:
        logs = [log for log in logs if log.model == options.model]
        if not logs:
            raise FormatError(f"{path}: no details of model '{options.model}'; there are: {', '.join(models) or 'none named'}")
    elif len(models) > 1:
        raise FormatError(f"{path}: holds {len(models)} models ({', '.join(models[:4])}); name the folder of one of them")
    return logs, unread


def _time_of(path: Path) -> str | None:
    found = _TIME.search(path.name)
    return found[0] if found else None


def _is_results(path: Path) -> bool:
    if path.suffix != ".json" or not path.is_file():
        return False
    return {"config_general", "results"} <= sniff(path).keys


def _results_near(file: Path, time: str) -> Path | None:
    """Look where lighteval puts the results of a details file: beside `details`, or above it as on the hub."""
    wanted = f"results_{time}.json"
    for folder in list(file.parents)[:3]:
        if (folder / wanted).is_file():
            return folder / wanted
    for folder in file.parents:
        if folder.name == "details":
            return next((folder.parent / "results").rglob(wanted), None) if (folder.parent / "results").is_dir() else None
    return None


def _load_results(path: Path) -> Results:
    content = load_json(path)
    if not isinstance(content, dict):
        raise FormatError(f"{path}: a list or a value instead of an object; this is no lighteval results file")
    return Results(path, content)


def number_repeats(logs: Sequence[Log], builder: RunBuilder) -> list[Any]:
    """Set each log's repeat from its seed, and return the seeds in that order.

    The seed stands in the results file only. Two logs of one task that share a seed, or that were decoded greedily,
    are the same measurement twice: to take the latest would hide it, to take both would count it twice.
    """
    by_task: dict[str, list[Log]] = {}
    for log in logs:
        by_task.setdefault(log.task, []).append(log)
    several = {task: of_task for task, of_task in by_task.items() if len(of_task) > 1}
    seeds = sorted({seed for log in logs if (seed := log.results.generation.get("seed")) is not None})
    for log in logs:
        seed = log.results.generation.get("seed")
        log.repeat = seeds.index(seed) if several and seed is not None else 0
    for task, of_task in several.items():
        ordered = sorted(of_task, key=lambda log: (log.time or "", str(log.path)))
        known = [log.results.generation.get("seed") for log in ordered]
        if all(seed is None for seed in known) and not any(log.results.generation.get("temperature") == 0 for log in ordered):
            builder.warn(f"the results files give no seed for '{task}': its {len(ordered)} evaluations count as repeats, in order of time")
            for number, log in enumerate(ordered):
                log.repeat = number
            continue
        for position, log in enumerate(ordered):
            if known[position] is None or known[position] in known[:position]:
                twin = ordered[known.index(known[position])] if known[position] in known[:position] else ordered[not position]
                seed = f"seed {known[position]}" if known[position] is not None else "no seed of its own"
                raise FormatError(
                    f"task '{task}' was logged {len(ordered)} times, and more than once with {seed}: {twin.path} and {log.path}; "
                    "remove one, or name the folder of one time stamp"
                )
    return seeds


def run_info(logs: Sequence[Log], seeds: list[Any], unread: list[str]) -> RunInfo:
    """Return everything about the run that is not a sample."""
    evaluations = list({id(log.results): log.results for log in logs}.values())
    settings = evaluations[0].settings()
    for other in evaluations[1:]:
        # A setting that differs between the evaluations of one run is shown as the list of its values.
        for name, value in other.settings().items():
            if settings.setdefault(name, value) != value:
                settings[name] = sorted({str(one.settings().get(name)) for one in evaluations})
    if seeds:
        settings["seed"] = seeds[0] if len(seeds) == 1 else seeds
    first = logs[0].results
    limit = settings.get("limit")
    sha = first.general.get("lighteval_sha")
    return RunInfo(
        model=logs[0].model,
        model_revision=first.general.get("model_sha") or first.model_config.get("revision"),
        tool="lighteval",
        tool_version=sha if sha and sha != "?" else None,
        date=min((log.time for log in logs if log.time), default=None),
        settings=settings,
        task_settings={log.task: log.results.task_settings(log.raw_task or log.task, log.shots) for log in logs},
        task_names={log.task: log.raw_task or log.path.stem for log in logs},
        subset={"limit": limit} if limit is not None else {},
        files=[log.path.name for log in logs] + [one.path.name for one in evaluations if one.path],
        other_files=unread,
    )


def describe_metric(logs: Sequence[Log]) -> Callable[[str, str, str], dict[str, Any]]:
    """Return what the logs say of a metric, as `RunBuilder.finish` wants it."""
    by_task = {log.task: log for log in logs}

    def describe(task: str, scorer: str, metric: str) -> dict[str, Any]:
        log = by_task[task]
        facts: dict[str, Any] = {}
        better = log.results.higher_is_better(log.raw_task or task, metric)
        if better is not None:
            facts["higher_is_better"] = better
        if _draws(metric) > 1:  # pass@k over several draws is a rate, even where a small log holds 0 and 1 only
            facts["binary"] = False
        return facts

    return describe


def _draws(metric: str) -> int:
    """Number of draws whose rate a metric is, from its name; a majority vote over draws is right or wrong.

    >>> _draws("gpqa_pass@k:k=1&n=4"), _draws("gpqa_pass@1:8_samples"), _draws("maj@8"), _draws("acc")
    (4, 8, 1, 1)
    """
    name, at, parameters = metric.partition("@")
    if name.endswith("maj"):
        return 1
    numbers = [int(number) for number in re.findall(r"\d+", parameters)] if at else []
    return max(numbers, default=1)
