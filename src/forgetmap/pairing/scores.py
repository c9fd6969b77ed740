"""Which score of each task two runs are compared on, and how it becomes a value in [0, 1].

A log may hold several scorers and metrics per task; both sides must be read under one. Scores keep the scale they
were logged on until here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import isfinite

from forgetmap.errors import MissingDataError, UsageError
from forgetmap.run import Metric, Run


@dataclass(frozen=True)
class Scale:
    """How scores become right/wrong or a grade: a threshold, a range, or neither."""

    threshold: float | None = None
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for number in (self.threshold, self.low, self.high):
            if number is not None and not isfinite(number):
                raise UsageError(f"--threshold and --scale take plain numbers, not {number}")
        if self.threshold is not None and self.low is not None:
            raise UsageError("--threshold and --scale exclude each other; give one of them")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise UsageError(f"--scale is {self.low:g},{self.high:g}; the first number must be the smaller one")


@dataclass(frozen=True)
class ScoreChoice:
    """The metric of one task on both sides, and how to read it."""

    task: str
    before: Metric
    after: Metric
    kind: str  # binary, graded, or unusable: outside [0, 1] without a scale

    @property
    def same_name(self) -> bool:
        """Whether both sides log the score under one name."""
        return (self.before.scorer, self.before.metric) == (self.after.scorer, self.after.metric)


def choose_scores(
    before: Run,
    after: Run,
    *,
    scorer: str | None = None,
    metric: str | None = None,
    tasks: str | None = None,
    scale: Scale | None = None,
) -> tuple[list[ScoreChoice], list[str]]:
    """Return one ScoreChoice per task that both runs hold, and warnings.

    The rule: what the user names; else the before-log's default, if the after-log has it under the same regime; else
    the after-log's default; else the first score both share; else each side's own default, which is said.
    """
    scale = scale or Scale()
    warnings: list[str] = []
    ours, theirs = _by_task(before, tasks), _by_task(after, tasks)
    if tasks and not ours and not theirs:
        there = sorted({*before.tasks, *after.tasks})
        more = f" and {len(there) - 8} more" if len(there) > 8 else ""
        raise UsageError(f"no task matches '{tasks}'; there are: {', '.join(there[:8])}{more}")
    choices = []
    for task in sorted(ours.keys() & theirs.keys()):
        left = _named(ours[task], scorer, metric, before)
        right = _named(theirs[task], scorer, metric, after)
        chosen, remark = _choose(left, right)
        if remark:
            warnings.append(f"task '{task}': {remark}")
        choices.append(ScoreChoice(task, *chosen, kind=_kind(*chosen, scale)))
    return choices, _merged(warnings) + _scale_warnings(choices)


def matching_tasks(run: Run, pattern: str | None) -> set[str]:
    """Return the tasks of a run that a glob names, by canonical name or as in the log; all without one."""
    return set(_by_task(run, pattern))


def _by_task(run: Run, pattern: str | None) -> dict[str, list[Metric]]:
    found: dict[str, list[Metric]] = {}
    for metric in run.info.metrics:
        raw = run.info.task_names.get(metric.task, metric.task)
        if pattern is None or any(fnmatchcase(name, pattern) for name in (metric.task, raw)):
            found.setdefault(metric.task, []).append(metric)
    return found


def _named(metrics: list[Metric], scorer: str | None, metric: str | None, run: Run) -> list[Metric]:
    kept = [m for m in metrics if scorer in (None, m.scorer) and metric in (None, m.metric)]
    if kept:
        return kept
    wanted = " and ".join(
        f"{word} '{name}'" for word, name in (("scorer", scorer), ("metric", metric)) if name is not None
    )
    there = ", ".join(sorted({f"{m.scorer}/{m.metric}" for m in metrics}))
    raise MissingDataError(
        f"{run.source or run.name}: task '{metrics[0].task}' has no {wanted}; it has {there} (scorer/metric)"
    )


def _choose(left: list[Metric], right: list[Metric]) -> tuple[tuple[Metric, Metric], str | None]:
    theirs = {(m.scorer, m.metric): m for m in right}
    ours = {(m.scorer, m.metric): m for m in left}
    by_default = [m for m in left if m.default] + [ours[n] for n, m in theirs.items() if m.default and n in ours]
    passed_over = None
    for mine in [*by_default, *left]:
        other = theirs.get((mine.scorer, mine.metric))
        if other is None:
            continue
        if mine.regime != other.regime:
            passed_over = passed_over or (mine, other)
            continue
        if passed_over:
            was, theirs_was = passed_over
            return (mine, other), (
                f"'{was.scorer}' was made by different rules on the two sides ({was.regime}, {theirs_was.regime}); "
                f"'{mine.scorer}' is compared instead"
            )
        return (mine, other), None
    mine = next((m for m in left if m.default), left[0])
    other = next((m for m in right if m.default), right[0])
    if passed_over:
        return passed_over, f"'{passed_over[0].scorer}' was made by different rules on the two sides"
    return (mine, other), (
        f"no score in common; {mine.scorer}/{mine.metric} before is set against {other.scorer}/{other.metric} after"
    )


def _kind(before: Metric, after: Metric, scale: Scale) -> str:
    if scale.threshold is not None or (scale.low is None and before.binary and after.binary):
        return "binary"
    low = min((m.low for m in (before, after) if m.low is not None), default=None)
    high = max((m.high for m in (before, after) if m.high is not None), default=None)
    if low is None or high is None:
        return "unusable"
    bottom, top = score_range(before, scale)
    return "graded" if bottom <= low and high <= top else "unusable"


def score_range(metric: Metric, scale: Scale) -> tuple[float, float]:
    """Return the range on which a graded metric is brought to [0, 1]: the user's, the declared, or [0, 1]."""
    if scale.low is not None and scale.high is not None:
        return scale.low, scale.high
    return metric.scale or (0.0, 1.0)


def _scale_warnings(choices: Iterable[ScoreChoice]) -> list[str]:
    outside = [c for c in choices if c.kind == "unusable" and c.before.low is not None]
    empty = [c for c in choices if c.kind == "unusable" and c.before.low is None]
    said = []
    if outside:
        named = ", ".join(f"{c.task} ({c.before.metric} {c.before.low:g} to {c.before.high:g})" for c in outside[:5])
        said.append(
            f"scores of {named}{_more(outside, 5)} lie outside their scale: kept as logged, no transitions; give --scale "
            "LOW,HIGH or --threshold X"
        )
    if empty:
        named = ", ".join(c.task for c in empty[:5])
        said.append(f"no score at all in {named}{_more(empty, 5)}: no transitions there")
    return said


def _more(found: list[ScoreChoice], shown: int) -> str:
    return f" and {len(found) - shown} more" if len(found) > shown else ""


def _merged(warnings: list[str]) -> list[str]:
    """Say once what holds for many tasks."""
    said: dict[str, list[str]] = {}
    for warning in warnings:
        task, _, remark = warning.removeprefix("task ").partition(": ")
        said.setdefault(remark, []).append(task)
    summarise: Callable[[list[str]], str] = lambda t: t[0] if len(t) == 1 else f"{t[0]} and {len(t) - 1} more tasks"  # noqa: E731
    return [f"{'task ' if len(tasks) == 1 else ''}{summarise(tasks)}: {remark}" for remark, tasks in said.items()]
