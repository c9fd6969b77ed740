"""Joining: several runs of one model become the repeats of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.assembly import assemble
from forgetmap.errors import RunError, UsageError
from forgetmap.repeats.kinds import check_kind, doubts
from forgetmap.run import Metric, Run, RunInfo

_KEY = ["task", "item_high", "item_low"]

#: Settings that are expected to differ between repeats of a kind; those of `numeric` may always.
_SEEDS = {"seed", "random_seed", "numpy_seed", "torch_seed", "fewshot_seed"}
_MACHINE = {"batch_size", "dtype", "backend", "device", "tensor_parallel_size", "max_batch_size"}
_WORDING = {"prompt_template", "system_prompt", "chat_template", "task_args", "num_fewshot", "fewshot_as_multiturn"}
_MEANT = {
    "seed": _MACHINE | _SEEDS,
    "numeric": _MACHINE,
    "prompt": _MACHINE | _SEEDS | _WORDING,
    "order": _MACHINE | _SEEDS | _WORDING,
    "format": _MACHINE | _SEEDS | _WORDING | {"output_type", "stop", "max_tokens", "adapter", "scorer", "arguments"},
}


def join_repeats(runs: Sequence[Run], kind: str, *, force: bool = False) -> Run:
    """Return one run whose repeats are the given runs of one model, in their order.

    Parameters
    ----------
    runs : runs of the same model on the same questions; a run that has repeats already keeps them apart.
    kind : what is different between them, one of REPEAT_KINDS.
    force : join runs although their logs name different models.

    Notes
    -----
    Items meet by content, copies of an item by exact text and native id. A setting that differs is kept as the list
    of its values, run by run; one that should not differ within this kind of repeat is also a warning.
    """
    check_kind(kind)
    _check_runs(runs, force)
    tables, sources, repeat, text_row = [], [], 0, 0
    for number, run in enumerate(runs):
        samples = run.samples
        shifted = samples.with_columns(pl.col("repeat") + repeat, pl.col("text_row") + text_row).drop("occurrence")
        tables.append(shifted.with_columns(_run=pl.lit(number, dtype=pl.UInt32)))
        sources.append((run, text_row))
        repeat += _after_last(samples["repeat"])
        text_row += _after_last(samples["text_row"])
    table = pl.concat(tables)
    info = _joined_info(runs, kind)
    info.warnings += _gaps(table, runs) + _same_answers(runs)
    facts = _joined_metrics(runs, info.warnings)
    joined = assemble(
        table.drop("_run"),
        info,
        source=", ".join(run.source or run.name for run in runs),
        texts=_joined_texts(sources, info.warnings),
        metrics=lambda task, scorer, metric: facts[task, scorer, metric],
    )
    computed = joined.info.counts
    for name in (name for run in runs for name in run.info.counts if name not in computed):
        computed[name] = sum(run.info.counts.get(name, 0) for run in runs)  # what readers counted: broken lines, …
    # The runs' own sentences may come up again for the whole, word by word.
    joined.info.warnings = list(dict.fromkeys([*joined.info.warnings, *doubts(joined, kind)]))
    return joined


def _check_runs(runs: Sequence[Run], force: bool) -> None:
    if len(runs) < 2:
        raise UsageError(f"{len(runs)} runs to join as repeats; it takes two or more of one model")
    for position, run in enumerate(runs):
        for other in runs[:position]:
            same = (run.source, run.info.content_hash) == (other.source, other.info.content_hash)
            if run is other or (
                same and run.source and Path(run.source).exists()
            ):  # tables in memory have no path to tell them by
                raise UsageError(f"'{run.source}' is given twice; a log is no repeat of itself, name each one once")
    models = _distinct(run.info.model for run in runs)
    revisions = _distinct(run.info.model_revision for run in runs)
    for what, names in (("models", models), ("revisions of the model", revisions)):
        if len(names) > 1 and not force:
            raise UsageError(
                f"the logs name {len(names)} {what} ({', '.join(names)}); repeats are answers of one model, so join its logs "
                "only, or insist with --same-model where the names mean the same weights"
            )


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(value for value in values if value is not None))


def _after_last(numbers: pl.Series) -> int:
    last = numbers.max()
    return int(last) + 1 if last is not None else 0  # type: ignore[arg-type]


def _joined_texts(sources: list[tuple[Run, int]], warnings: list[str]) -> Callable[[], pl.DataFrame] | None:
    held = [(run, shift) for run, shift in sources if run.has_texts]
    if held and len(held) < len(sources):
        lacking = [run.source or run.name for run, _ in sources if not run.has_texts]
        warnings.append(f"no texts in {', '.join(lacking)}: those repeats have none to look at")
    if not held:
        return None
    return lambda: pl.concat([run.texts().with_columns(pl.col("text_row") + shift) for run, shift in held])


def _joined_info(runs: Sequence[Run], kind: str) -> RunInfo:
    infos = [run.info for run in runs]
    warnings = list(dict.fromkeys(warning for info in infos for warning in info.warnings))
    unmeant: dict[str, list[Any]] = {}
    settings = _merged([info.settings for info in infos], kind, unmeant)
    names = sorted({task for info in infos for task in info.task_settings})
    by_task = {
        # a run without the task says nothing about it
        task: _merged([info.task_settings[task] for info in infos if task in info.task_settings], kind, unmeant)
        for task in names
    }
    for name, values in unmeant.items():
        warnings.append(
            f"repeats of kind {kind} differ in {name} too ({', '.join(map(str, values))}): their differences are not those of "
            f"the {_WORD[kind]} alone"
        )
    groups: dict[str, list[str]] = {}
    for info in infos:
        for group, tasks in info.groups.items():
            groups[group] = sorted({*groups.get(group, []), *tasks})
    return RunInfo(
        model=next(iter(_distinct(info.model for info in infos)), None),
        model_revision=next(iter(_distinct(info.model_revision for info in infos)), None),
        suite=", ".join(_distinct(info.suite for info in infos)) or None,
        tool=", ".join(_distinct(info.tool for info in infos)) or None,
        tool_version=", ".join(_distinct(info.tool_version for info in infos)) or None,
        date=next(iter(_distinct(info.date for info in infos)), None),
        settings=settings,
        task_settings=by_task,
        task_names={task: name for info in reversed(infos) for task, name in info.task_names.items()},
        groups=groups,
        subset=_merged([info.subset for info in infos], kind, {}),
        files=[file for info in infos for file in info.files],
        other_files=_distinct(file for info in infos for file in info.other_files),
        repeat_kind=kind,
        warnings=warnings,
        complete=all(info.complete for info in infos),
    )


_WORD = {"seed": "seed", "numeric": "machine", "prompt": "wording", "order": "order", "format": "answer format"}


def _merged(levels: Sequence[dict[str, Any]], kind: str, unmeant: dict[str, list[Any]]) -> dict[str, Any]:
    """Settings of several runs: what they share as it is, what differs as a list with one value per run."""
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(name for level in levels for name in level):
        values = [level.get(name) for level in levels]
        same = all(value == values[0] for value in values)
        merged[name] = values[0] if same else values
        if not same and name not in _MEANT[kind]:
            unmeant.setdefault(name, values)
    return merged


def _joined_metrics(runs: Sequence[Run], warnings: list[str]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """What is known of each score; the default is one that every run with the task holds, where there is one."""
    found: dict[tuple[str, str, str], list[Metric]] = {}
    for run in runs:
        for metric in run.info.metrics:
            found.setdefault((metric.task, metric.scorer, metric.metric), []).append(metric)
    having = {task: sum(task in run.tasks for run in runs) for task in {name for name, _, _ in found}}
    defaults: dict[str, tuple[str, str, str]] = {}
    for name, metrics in sorted(found.items(), key=lambda one: not any(m.default for m in one[1])):
        if len(metrics) == having[name[0]]:
            defaults.setdefault(name[0], name)
    facts = {}
    for name, metrics in found.items():
        if name[0] not in defaults:
            defaults[name[0]] = name
            warnings.append(f"task '{name[0]}': no score in common between the runs, so that nothing there is a repeat")
        rules = _distinct(m.regime for m in metrics)
        if len(rules) > 1:
            warnings.append(
                f"task '{name[0]}': '{name[2]}' was made by different rules in the runs ({', '.join(rules)}); its repeats "
                "differ by more than the answers"
            )
        scored = [m for m in metrics if m.low is not None]
        kinds = _distinct(m.kind for m in metrics)
        facts[name] = {
            "higher_is_better": next(iter(_distinct(m.higher_is_better for m in metrics)), None),
            "binary": bool(scored) and all(m.binary for m in scored),
            "scale": next(iter(_distinct(m.scale for m in metrics)), None),
            "kind": kinds[0] if len(kinds) == 1 else None,
            "regime": " or ".join(rules) or None,
            "default": defaults[name[0]] == name,
        }
    return facts


def _gaps(table: pl.DataFrame, runs: Sequence[Run]) -> list[str]:
    """Refuse runs without a common item; tell which tasks and how many items are not in all of them."""
    everywhere = set.intersection(*(set(run.tasks) for run in runs))
    partly = sorted({task for run in runs for task in run.tasks} - everywhere)
    shared = table.group_by(_KEY).agg(runs=pl.col("_run").n_unique()).with_columns(pl.col("task").cast(pl.String))
    if not shared.filter(pl.col("runs") > 1).height:
        raise RunError(
            f"{' and '.join(run.source or run.name for run in runs)} share no item, so that no answer is a repeat of another; "
            "repeats must ask the same questions"
        )
    said = []
    if partly:
        some = ", ".join(partly[:5]) + (f" and {len(partly) - 5} more" if len(partly) > 5 else "")
        said.append(f"not in all of the {len(runs)} runs: {some}; their items have fewer repeats")
    common = shared.filter(pl.col("task").is_in(sorted(everywhere)))
    missing = common.filter(pl.col("runs") < len(runs)).height
    if missing:
        said.append(
            f"{missing:,} of {common.height:,} items are not in all of the {len(runs)} runs: fewer repeats there"
        )
    return said


def _same_answers(runs: Sequence[Run]) -> list[str]:
    hashes = [run.info.content_hash for run in runs]
    if None in hashes or len(set(hashes)) == len(hashes):
        return []
    same = [run.source or run.name for run, one in zip(runs, hashes, strict=True) if hashes.count(one) > 1]
    return [f"{' and '.join(same)} hold the same answers to the last one: such repeats show no noise at all"]
