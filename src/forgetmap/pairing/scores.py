"""Which score of each task two runs are compared on, and how it becomes a value in [0, 1].

A log may hold several scorers and metrics per task; both sides must be read under one. Scores keep the scale they
were logged on until here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from forgetmap.errors import MissingDataError, UsageError
from forgetmap.run import Metric, Run
from forgetmap.tasks import fits


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
    def name(self) -> str:
        """Scorer and metric as people read them; both sides where they differ."""
        sides = [m.metric if m.scorer == "none" else f"{m.scorer}/{m.metric}" for m in (self.before, self.after)]
        return sides[0] if sides[0] == sides[1] else " → ".join(sides)

    def to_dict(self) -> dict[str, Any]:
        """Return what was compared, as the JSON contract shows it."""
        sides = (("before", self.before), ("after", self.after))
        named = {side: {"scorer": metric.scorer, "metric": metric.metric} for side, metric in sides}
        return {"task": self.task, "name": self.name, "kind": self.kind, **named}


def choose_scores(
    before: Run,
    after: Run,
    *,
    scorer: str | None = None,
    metric: str | None = None,
    tasks: str | None = None,
    scale: Scale | None = None,
    prefer: str | None = None,
) -> tuple[list[ScoreChoice], list[str]]:
    """Return one ScoreChoice per task that both runs hold, and warnings.

    The rule: what the user names; else the before-log's default, if the after-log has it under the same regime; else
    the after-log's default; else the first score both share; else each side's own default, which is said. `prefer` names
    a scorer to take where both logs hold it under one regime.
    """
    scale = scale or Scale()
    warnings: list[str] = []
    remarks: dict[str, list[str]] = {}
    ours, theirs = _by_task(before, tasks), _by_task(after, tasks)
    if tasks and not ours and not theirs:
        there = sorted({*before.tasks, *after.tasks})
        more = f" and {len(there) - 8} more" if len(there) > 8 else ""
        raise UsageError(f"no task matches '{tasks}'; there are: {', '.join(there[:8])}{more}")
    choices = []
    common = sorted(ours.keys() & theirs.keys())
    without = [t for t in common if not (_named(ours[t], scorer, metric) and _named(theirs[t], scorer, metric))]
    if without and len(without) == len(common):
        raise MissingDataError(_none_named(without[0], ours[without[0]] + theirs[without[0]], scorer, metric))
    if without:
        wanted = "/".join(name for name in (scorer, metric) if name is not None)
        more = f" and {len(without) - 5} more" if len(without) > 5 else ""
        warnings.append(f"no {wanted} in {', '.join(without[:5])}{more}: left out")
    for task in [t for t in common if t not in without]:
        left, right = _named(ours[task], scorer, metric), _named(theirs[task], scorer, metric)
        chosen, remark = _choose(left, right)
        if prefer is not None:
            chosen = _preferred(left, right, prefer) or chosen
        if remark:
            remarks.setdefault(remark, []).append(task)
        choices.append(ScoreChoice(task, *chosen, kind=_kind(*chosen, scale)))
    for remark, of_tasks in remarks.items():  # said once, however many tasks it holds for
        where = f"task '{of_tasks[0]}'" if len(of_tasks) == 1 else f"{of_tasks[0]} and {len(of_tasks) - 1} more tasks"
        warnings.append(f"{where}: {remark}")
    return choices, warnings + _scale_warnings(choices)


def matching_tasks(run: Run, pattern: str | None) -> set[str]:
    """Return the tasks of a run that a glob names, by canonical name or as in the log; all without one."""
    return set(_by_task(run, pattern))


def _by_task(run: Run, pattern: str | None) -> dict[str, list[Metric]]:
    found: dict[str, list[Metric]] = {}
    for metric in run.info.metrics:
        raw = run.info.task_names.get(metric.task, metric.task)
        if pattern is None or any(fits(name, pattern) for name in (metric.task, raw)):
            found.setdefault(metric.task, []).append(metric)
    return found


def _named(metrics: list[Metric], scorer: str | None, metric: str | None) -> list[Metric]:
    return [m for m in metrics if scorer in (None, m.scorer) and metric in (None, m.metric)]


def _none_named(task: str, metrics: list[Metric], scorer: str | None, metric: str | None) -> str:
    wanted = " and ".join(
        f"{word} '{name}'" for word, name in (("scorer", scorer), ("metric", metric)) if name is not None
    )
    there = ", ".join(sorted({f"{m.scorer}/{m.metric}" for m in metrics}))
    return f"no task has {wanted} on both sides; '{task}' has {there} (scorer/metric)"


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


def _preferred(left: list[Metric], right: list[Metric], scorer: str) -> tuple[Metric, Metric] | None:
    """The default score of a scorer, else its first, where both sides made it by the same rules."""
    theirs = {m.metric: m for m in right if scorer in (m.scorer, m.metric)}
    mine = [m for m in left if scorer in (m.scorer, m.metric) and m.metric in theirs]
    mine.sort(key=lambda m: (m.scorer != scorer, not m.default))
    return next(((m, theirs[m.metric]) for m in mine if m.regime == theirs[m.metric].regime), None)


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
