"""Conditions that two runs must meet before their figures mean anything: the same tasks, items, prompts and settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from forgetmap.gate.policy import Policy, fits
from forgetmap.gate.result import CheckResult, limit_text, share
from forgetmap.pairing import Pair
from forgetmap.pairing.scores import matching_tasks
from forgetmap.run import Run

_SIDES = ("before", "after")


@dataclass(frozen=True)
class Side:
    """Item counts of one run by task, under the scores that are compared."""

    name: str  # before or after
    items: dict[str, int]
    unpaired: dict[str, int]
    chosen: bool  # whether the other run left items out on purpose: they are then not missing

    def expected(self, task: str) -> int:
        """Items of a task that should have a partner."""
        return self.items.get(task, 0) - (self.unpaired.get(task, 0) if self.chosen else 0)


@dataclass(frozen=True)
class Counts:
    """What the conditions count."""

    before: Side
    after: Side
    paired: dict[str, int]  # items with a score on both sides, by task
    missing: dict[str, str]  # tasks that are not compared, and why
    spellings: dict[str, list[str]]  # of every task: its names, canonical and as logged


def count(pair: Pair, policy: Policy) -> Counts:
    """Count items by task and side."""
    paired = dict(pair.patterns.group_by("task").agg(pl.col("n").sum()).iter_rows())
    runs = {"before": pair.before, "after": pair.after}
    wanted = {side: matching_tasks(run, policy.task_glob) for side, run in runs.items()}
    alone = pair.unpaired.group_by("side", pl.col("task").cast(pl.String)).len()
    sides = []
    for side, other in (("before", "after"), ("after", "before")):
        of_side = dict(alone.filter(pl.col("side") == side).select("task", "len").iter_rows())
        items = _items(runs[side], {c.task: getattr(c, side) for c in pair.choices}, wanted[side])
        sides.append(Side(side, items, of_side, bool(runs[other].info.subset)))
    missing = {}
    compared = {choice.task: choice for choice in pair.choices}
    for task in sorted(wanted["before"] | wanted["after"]):
        absent = [side for side in _SIDES if task not in wanted[side]]
        if absent:
            missing[task] = f"not in the {absent[0]}-run"
        elif task not in compared:
            missing[task] = "without the score that is compared"
        elif not paired.get(task):
            missing[task] = "without an item in common"
        elif compared[task].kind == "unusable":
            missing[task] = "scores outside their scale"
    names = {
        task: [task, *dict.fromkeys(run.info.task_names.get(task, task) for run in runs.values())]
        for task in wanted["before"] | wanted["after"]
    }
    return Counts(sides[0], sides[1], paired, missing, names)


def _items(run: Run, metrics: dict[str, Any], tasks: set[str]) -> dict[str, int]:
    counted = (
        run.scan()
        .group_by("task", "scorer", "metric")
        .agg(n=pl.struct("item_high", "item_low", "occurrence").n_unique())
        .with_columns(pl.col("task", "scorer", "metric").cast(pl.String))
        .collect(engine="streaming")
    )
    found: dict[str, int] = {}
    for task, scorer, metric, n in counted.iter_rows():
        chosen = metrics.get(task)
        if task in tasks and (chosen is None or (scorer, metric) == (chosen.scorer, chosen.metric)):
            found[task] = max(n, found.get(task, 0))
    return found


def check_runs(pair: Pair, policy: Policy, counts: Counts, *, partial: bool = False) -> list[CheckResult]:
    """Return every condition. A partial after-run, drawn at random, may lack items: they are not evaluated yet."""
    checks = [_tasks(policy, counts, partial), _required(policy, counts, partial)]
    checks += [_coverage(policy, counts, partial), _nulls(pair, policy, counts)]
    return [*checks, _settings(pair, policy, partial), _prompts(pair, policy)]


def _tasks(policy: Policy, counts: Counts, partial: bool) -> CheckResult:
    compared = f"{len(counts.paired) - sum(task in counts.missing for task in counts.paired):,} compared"
    bad = {
        t: why
        for t, why in counts.missing.items()
        if not may_be_missing(policy, counts, t) and not _later(counts, t, partial)
    }
    left_out = len(counts.missing) - len(bad)
    found = f"{compared}, {len(bad)} missing" + (
        f", {left_out} left out as allowed" if left_out and not partial else ""
    )
    if not bad:
        return CheckResult("tasks", True, found)
    named = _some(f"{task} ({why})" for task, why in bad.items())
    return CheckResult(
        "tasks", False, found, f"not compared: {named}; evaluate them on both sides, or allow missing_tasks"
    )


def _later(counts: Counts, task: str, partial: bool) -> bool:
    """Whether a task is only not yet there."""
    return partial and task in counts.before.items and not counts.after.items.get(task)


def may_be_missing(policy: Policy, counts: Counts, task: str) -> bool:
    """Whether the policy allows a task to be missing."""
    return any(fits(glob, counts.spellings[task]) for glob in policy.allow.missing_tasks)


def _required(policy: Policy, counts: Counts, partial: bool) -> CheckResult:
    there = [task for task in counts.spellings if task not in counts.missing or _later(counts, task, partial)]
    without = [glob for glob in policy.required_tasks if not any(fits(glob, counts.spellings[task]) for task in there)]
    found = f"{len(policy.required_tasks) - len(without)} of {len(policy.required_tasks)} there"
    if not without:
        return CheckResult("required tasks", True, found)
    return CheckResult(
        "required tasks",
        False,
        found,
        f"no task compared fits {_some(without)}; there are {_some(sorted(there)) or 'none'}",
    )


def _coverage(policy: Policy, counts: Counts, partial: bool) -> CheckResult:
    """Share of each side's items that is compared, in all and in every task: a whole suite can hide a torn task."""
    shown, low = [], []
    # What one side lacks as a whole is the business of the tasks, once the policy allows it.
    tasks = [t for t in counts.spellings if not (t in counts.missing and may_be_missing(policy, counts, t))]
    for side in (counts.after,) if partial else (counts.before, counts.after):
        expected = sum(side.expected(task) for task in tasks)
        whole = sum(counts.paired.get(task, 0) for task in tasks) / expected if expected else None
        shown.append(f"{share(whole)} {side.name}")
        if whole is None or whole < policy.coverage:
            low.append(f"{share(whole)} of the {side.name}-run")
        for task in sorted(tasks):
            if task not in counts.missing and side.expected(task):
                part = counts.paired.get(task, 0) / side.expected(task)
                if part < policy.coverage:
                    low.append(f"{share(part)} of {task} {side.name}")
    if partial:
        shown.append("before-run not yet answered in full")
    if not low:
        return CheckResult("coverage", True, ", ".join(shown))
    asked = limit_text(policy.coverage)
    return CheckResult(
        "coverage",
        False,
        ", ".join(shown),
        f"{asked} of the items must be compared, but it is {_some(low)}; see the pairing",
    )


def _nulls(pair: Pair, policy: Policy, counts: Counts) -> CheckResult:
    shares = []
    for side, nulls in ((counts.before, pair.pairing.null_before), (counts.after, pair.pairing.null_after)):
        both = counts.before.items.keys() & counts.after.items.keys()
        matched = sum(side.items[task] - side.unpaired.get(task, 0) for task in both)
        shares.append((side.name, nulls, nulls / matched if matched else 0.0))
    found = ", ".join(f"{share(part)} {side}" for side, _, part in shares)
    bad = [f"{share(part)} ({nulls:,} items) {side}" for side, nulls, part in shares if part > policy.null_scores]
    if not bad:
        return CheckResult("null scores", True, found)
    asked = limit_text(policy.null_scores)
    return CheckResult(
        "null scores", False, found, f"at most {asked} of the items may lack a score, but it is {' and '.join(bad)}"
    )


def _settings(pair: Pair, policy: Policy, partial: bool) -> CheckResult:
    # A part drawn at random is a subset on purpose: that is what is checked already.
    differ = [one for one in pair.pairing.settings_that_differ if not (partial and one["setting"] == "subset")]
    bad = [one for one in differ if not any(fits(glob, setting_names(one)) for glob in policy.allow.settings)]
    found = "all alike" if not differ else f"{len(differ)} differ"
    if differ and not bad:
        found += ", as allowed"
    if not bad:
        return CheckResult("settings", True, found)
    named = _some(f"{one['setting']} ({_short(one['before'])} → {_short(one['after'])})" for one in bad)
    return CheckResult(
        "settings",
        False,
        found,
        f"these differ: {named}; evaluate both sides alike, or name them under allow: settings",
    )


def setting_names(differing: dict[str, Any]) -> list[str]:
    """Return the names under which a policy may allow a setting: with and without the tasks it differs in."""
    named, tasks = str(differing["setting"]), differing.get("tasks")
    if not tasks:
        return [named]
    where = tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks"
    return [named, named.removesuffix(f" ({where})")]


def _prompts(pair: Pair, policy: Policy) -> CheckResult:
    changed, paired = pair.pairing.prompts_changed, pair.pairing.paired
    if changed is None:
        return CheckResult("prompts", True, "not on record on both sides")
    found = "the same" if not changed else f"{changed:,} of {paired:,} changed"
    if not changed or policy.allow.prompt_changed:
        return CheckResult("prompts", True, found + (", as allowed" if changed else ""))
    return CheckResult(
        "prompts",
        False,
        found,
        f"{changed:,} of {paired:,} items were asked with another prompt, and a prompt change is not forgetting; evaluate both "
        "with one prompt, or allow prompt_changed",
    )


def _some(names: Iterable[str], shown: int = 5) -> str:
    listed: Sequence[str] = list(names)
    return ", ".join(listed[:shown]) + (f" and {len(listed) - shown} more" if len(listed) > shown else "")


def _short(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
