"""Which files are one evaluation, and which evaluations are one run.

An evaluation is one start of lighteval: a time stamp with one details file per task and one results file. People run
one task per start, or several seeds one after the other, so a run is put together from many evaluations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.lighteval.results import Results, is_results, load_results
from forgetmap.readers.source import ReadOptions, split_files
from forgetmap.run import RunInfo
from forgetmap.tasks import canonical_task

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?")
_NAME = re.compile(rf"details_(.+)_({_TIME.pattern})")


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
    def name(self) -> str:
        """What the log calls the task; the file's name where nothing else says it."""
        return self.raw_task or self.path.stem

    @property
    def task(self) -> str:
        """The canonical task."""
        return canonical_task(self.name)

    @property
    def seed(self) -> Any:
        """The seed of sampling; None where there is none or no results file."""
        return self.results.generation.get("seed")

    @property
    def model(self) -> str | None:
        """The model's name, from the results file or from the folders below `details`."""
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
    results = {_time_of(file): file for file in others if is_results(file)}
    unread = [file.name for file in others if not is_results(file)]
    loaded: dict[Path, Results] = {}
    logs = []
    for file in files:
        named = _NAME.fullmatch(file.stem)
        time = named[2] if named else _time_of(file) or _time_of(file.parent)
        place = results.get(time) or (_results_near(file, time) if time else None)
        if place is not None and place not in loaded:
            loaded[place] = load_results(place)
        logs.append(Log(file, named[1] if named else None, time, loaded[place] if place else Results()))
    models = sorted({log.model for log in logs if log.model})
    if options.model is not None:
        logs = [log for log in logs if log.model == options.model]
        if not logs:
            raise FormatError(
                f"{path}: no details of model '{options.model}'; there are: {', '.join(models) or 'none named'}"
            )
    elif len(models) > 1:
        raise FormatError(
            f"{path}: holds {len(models)} models ({', '.join(models[:4])}); name the folder of one of them"
        )
    return logs, unread


def _time_of(path: Path) -> str | None:
    found = _TIME.search(path.name)
    return found[0] if found else None


def _results_near(file: Path, time: str) -> Path | None:
    """Look where lighteval puts the results of a details file: beside `details`, or above it as on the hub."""
    wanted = f"results_{time}.json"
    for folder in list(file.parents)[:3]:
        if (folder / wanted).is_file():
            return folder / wanted
    for folder in file.parents:
        if folder.name == "details":
            return (
                next((folder.parent / "results").rglob(wanted), None) if (folder.parent / "results").is_dir() else None
            )
    return None


def number_repeats(logs: Sequence[Log], builder: RunBuilder) -> list[Any]:
    """Set each log's repeat from its seed, and return the seeds in that order.

    Two logs of one task that share a seed, or that were decoded greedily, are the same measurement twice: to take the
    latest would hide it, to take both would count it twice.
    """
    by_task: dict[str, list[Log]] = {}
    for log in sorted(logs, key=lambda log: (log.time or "", str(log.path))):
        by_task.setdefault(log.task, []).append(log)
    several = {task: of_task for task, of_task in by_task.items() if len(of_task) > 1}
    seeds = sorted({log.seed for log in logs if log.seed is not None})
    for log in logs:
        log.repeat = seeds.index(log.seed) if several and log.seed is not None else 0
    for task, of_task in several.items():
        unseeded = [log for log in of_task if log.seed is None]
        greedy = any(log.results.generation.get("temperature") == 0 for log in unseeded)
        if len(unseeded) == len(of_task) and not greedy:
            builder.warn(f"'{task}' has {len(of_task)} evaluations without a seed: they are repeats in order of time")
            for number, log in enumerate(of_task):
                log.repeat = number
            continue
        first: dict[Any, Log] = {}
        for log in of_task:
            twin = first.setdefault(log.seed, log)
            if unseeded and twin is log:
                twin = next(other for other in of_task if other is not log)
            if twin is not log:
                seed = "a seed of its own" if unseeded else f"another seed than {log.seed}"
                raise FormatError(
                    f"task '{task}' was logged twice, in {twin.path} and in {log.path}, and one lacks {seed}; "
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
        task_settings={log.task: log.results.task_settings(log.name, log.shots) for log in logs},
        task_names={log.task: log.name for log in logs},
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
        better = log.results.higher_is_better(log.name, metric)
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
