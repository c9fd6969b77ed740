"""From samples files to a run.

One line per (filter, document). The filter is the scorer; every name in `metrics` is a metric. By default the first
filter and the first 0/1 metric of a task are compared. Documents are keyed by content: `doc_id` is an index after
filtering, valid for one revision of a data set, and wrong for shuffled choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.lm_eval.documents import read_document
from forgetmap.readers.lm_eval.lines import (
    Argument,
    Continuation,
    Nothing,
    first_line,
    metric_names,
    read_lines,
)
from forgetmap.readers.lm_eval.results import Results, is_results, load_results, name_parts, task_hash
from forgetmap.readers.lm_eval.scores import LENGTHS, add_samples, log_likelihoods, score_of
from forgetmap.readers.source import ReadOptions, sniff, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task, known_task

_KEYS = frozenset({"doc_id", "doc", "arguments", "resps", "filtered_resps"})


def detects(path: Path) -> bool:
    """Accept a file of JSON lines whose records carry documents, requests and replies."""
    return path.is_file() and sniff(path).keys >= _KEYS


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of a samples file, or of all samples files below a folder."""
    files, others = split_files(path, detects)
    beside = sorted(path.parent.glob("*.json")) if path.is_file() else others
    results = [load_results(file) for file in beside if is_results(file)]
    if path.is_file():
        results = [one for one in results if one.time == name_parts(path)[1] or len(results) == 1]
    builder = RunBuilder(source=str(path), texts=options.texts)
    logs = [_Log(file, results) for file in files]
    models = sorted({log.results.model for log in logs if log.results.model})
    if len(models) > 1:
        raise FormatError(
            f"{path}: holds logs of {len(models)} models ({', '.join(models[:4])}); name the folder of one"
        )
    repeats = _repeats(logs)
    repeated: dict[str, str] = {}
    for log, repeat in zip(logs, repeats, strict=True):
        _read_file(log, repeat, builder, options, repeated)
    first = logs[0].results
    tasks = sorted({log.task for log in logs})
    facts = {(canonical_task(log.task)): log for log in logs}
    defaults = dict(repeated)  # the filter that scores every repeat, else the first one of each task

    def describe(task: str, scorer: str, metric: str) -> dict[str, Any]:
        log = facts[task]
        direction = log.results.get("higher_is_better", log.task, metric)
        known = {} if direction is None else {"higher_is_better": bool(direction)}
        return {**known, "default": defaults.setdefault(task, scorer) == scorer}

    groups: dict[str, list[str]] = {}
    subset: dict[str, Any] = {}
    for one in {id(log.results): log.results for log in logs}.values():
        groups |= one.groups()
        subset |= one.subset(tasks)
    info = RunInfo(
        model=first.model or (None if path.is_file() else path.name),
        model_revision=first.get("config", "model_sha") or first.get("config", "model_revision"),
        tool="lm-evaluation-harness",
        tool_version=first.get("lm_eval_version"),
        date=first.time,
        settings=first.settings(),
        task_settings={canonical_task(log.task): log.results.task_settings(log.task) for log in logs},
        task_names={canonical_task(task): task for task in tasks},
        groups=groups,
        subset=subset,
        files=[str(file.name) for file in files],
        other_files=[file.name for file in others if not is_results(file)],
    )
    return builder.finish(info, metrics=describe, reread=lambda: read(path, options.with_texts()).texts())


class _Log:
    """A samples file and the results that belong to it."""

    def __init__(self, path: Path, results: Sequence[Results]) -> None:
        self.path = path
        named, self.time = name_parts(path)
        near = [one for one in results if one.time == self.time and one.path and one.path.parent == path.parent]
        matching = near or [one for one in results if one.time == self.time] or list(results)
        self.results = matching[0] if len(matching) == 1 else Results()
        stem = path.name.split(".json")[0]
        known = sorted((name for one in matching for name in one.get("configs") or {}), key=len, reverse=True)
        ending = next((name for name in known if stem == name or stem.endswith(f"_{name}")), None)  # before 0.4.3
        self.task = named or ending or self._task_by_hash(matching) or stem

    def _task_by_hash(self, results: Sequence[Results]) -> str | None:
        """The name of a renamed file's task: results files hold a hash of each task's samples."""
        known = {value: name for one in results for name, value in (one.get("task_hashes") or {}).items()}
        if not known:
            return None
        hashes: dict[str, list[str]] = {}
        for _, _, line in read_lines(self.path, (), Nothing | None, skip_broken=True, count=None):
            hashes.setdefault(line.filter, []).append(f"{line.doc_hash}{line.prompt_hash}{line.target_hash}")
        every = [one for of_filter in hashes.values() for one in of_filter]
        return known.get(task_hash(every))

    @property
    def seeds(self) -> tuple[Any, ...]:
        """All that seeds the answers; nothing where no results file says it."""
        config = self.results.get("config") or {}
        generation = config.get("gen_kwargs") or {}
        sampling = generation.get("seed") if isinstance(generation, dict) else None
        return (*(config.get(name) for name in ("random_seed", "numpy_seed", "torch_seed")), sampling)


def _repeats(logs: Sequence[_Log]) -> list[int]:
    """Several files of one task are repeats if their seeds differ; else the folder holds one run twice."""
    by_task: dict[str, list[_Log]] = {}
    for log in logs:
        by_task.setdefault(canonical_task(log.task), []).append(log)
    numbers: dict[Path, int] = {}
    for task, of_task in by_task.items():
        ordered = sorted(of_task, key=lambda log: (str(log.seeds), log.time or "", log.path))
        unknown = any(log.results.path is None for log in ordered)
        if len(ordered) > 1 and (unknown or len({log.seeds for log in ordered}) < len(ordered)):
            names = " and ".join(str(log.path) for log in ordered[:2])
            why = "without the results that tell their seeds" if unknown else "with the same seeds"
            raise FormatError(
                f"task '{task}' was logged {len(ordered)} times {why}: {names}; keep one, or name the file"
            )
        numbers |= {log.path: position for position, log in enumerate(ordered)}
    return [numbers[log.path] for log in logs]


def _read_file(log: _Log, repeat: int, builder: RunBuilder, options: ReadOptions, repeated: dict[str, str]) -> None:
    task = canonical_task(log.task)
    profile = known_task(log.task)
    head = first_line(log.path)
    metrics = metric_names(head)
    filters = log.results.filter_names(log.task)
    fallbacks: dict[str, str] = {}
    arguments = _arguments_type(head, metrics, profile, options)
    rounds: dict[Any, int] = {}  # old logs: how often a document has come by
    # Pairs such as (gold, prediction) of an F1 score over the corpus: no value per sample.
    listed = {name for name in metrics if head.get(name) is not None and score_of(head[name]) is None}
    lines = read_lines(log.path, metrics, arguments, skip_broken=options.skip_broken, count=builder.count)
    several = len(filters) > 1
    for number, names, line in lines:
        try:
            scorer = line.filter
            if "metrics" not in head and several:
                turn = rounds.get(line.doc_id, 0)
                rounds[line.doc_id] = turn + 1
                scorer = filters[turn % len(filters)]
            if line.scores_per_repeat:
                repeated.setdefault(task, scorer)
            requests = _requests(line.arguments)
            ranked = log_likelihoods(line.resps)
            if ranked and "acc_mutual_info" in names:  # its second half are requests without context
                ranked = ranked[: len(ranked) // 2]
            texts = tuple([text for _, text in requests[: len(ranked)]]) if ranked and requests else None
            counted = len(ranked) if ranked else None
            item = read_document(task, profile, line.doc_id, bytes(line.doc), bytes(line.target), counted, texts)
            fallback = fallbacks.get(scorer)
            if fallback is None:
                fallback = fallbacks[scorer] = log.results.fallback(log.task, scorer)
            add_samples(builder, item, line, names, scorer, repeat, ranked, requests, fallback, listed)
        except (AttributeError, TypeError, KeyError, IndexError, ValueError, OverflowError) as fault:
            raise FormatError(
                f"{log.path}: line {number} is not a sample of lm-evaluation-harness ({type(fault).__name__}: {fault}); check "
                "the file, or name another format with --format"
            ) from fault
    if listed:
        builder.warn(f"task '{task}': {', '.join(sorted(listed))} has no value per sample and is left out")


def _arguments_type(head: dict[str, Any], metrics: tuple[str, ...], profile: Any, options: ReadOptions) -> Any:
    """How much of the requests must be read: all for texts, continuations for lengths, nothing if we can."""
    if options.texts or not head.get("prompt_hash"):
        return dict[str, Argument] | list[Any] | None
    content = (
        profile.document.content(head["doc"])
        if profile and profile.document and isinstance(head["doc"], dict)
        else None
    )
    if content is None or not content.options or any(name in LENGTHS for name in metrics):
        return dict[str, Continuation] | list[Any] | None
    return Nothing | list[Any] | None


def _requests(arguments: Any) -> list[tuple[Any, Any]]:
    """Return (context, continuation) of each request; a list of lists before 0.4.4."""
    if isinstance(arguments, dict):
        return [(getattr(one, "arg_0", None), one.arg_1) for one in arguments.values()]
    if isinstance(arguments, list):
        return [(one[0], one[1] if len(one) > 1 else None) for one in arguments]
    return []
