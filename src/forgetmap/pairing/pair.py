"""Pair: two runs aligned item by item, by content (statistics.md 5).

What does not pair is counted and named, never turned into a flip and never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from forgetmap.errors import PairingError
from forgetmap.pairing.duplicates import match_duplicates
from forgetmap.pairing.leftovers import list_unpaired
from forgetmap.pairing.outcomes import ITEM, KEY, Outcomes, read_outcomes
from forgetmap.pairing.relations import (
    count_patterns,
    count_positions,
    count_seeds,
    cross_grades,
    relate,
    relate_repeats,
)
from forgetmap.pairing.scores import Scale, ScoreChoice, choose_scores, matching_tasks
from forgetmap.pairing.settings import differing_settings
from forgetmap.run import Run

WARN_COVERAGE = 0.95
LEAST_COVERAGE = 0.50


@dataclass(frozen=True)
class Pairing:
    """What paired and what did not."""

    paired: int  # items with a score on both sides
    only_before: int
    only_after: int
    duplicates: int  # paired items whose content was paired before: surplus copies
    duplicate_rules: Mapping[str, int]
    null_before: int  # matched items without a score on that side
    null_after: int
    gold_changed: int
    gold_missing: int  # items with a gold on one side only
    content_changed: int
    coverage_before: float | None
    coverage_after: float | None
    grade: str | None  # A same prompt bytes, B same document under another prompt, None unknown
    prompts_changed: int | None  # paired items whose prompt differs
    settings_that_differ: list[dict[str, Any]]
    tasks_only_before: list[str]
    tasks_only_after: list[str]
    keyed_by: str  # id where a log knows its items by id only, else content

    def to_dict(self) -> dict[str, Any]:
        """Return the pairing as the JSON contract shows it."""
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(self).items()}


@dataclass(frozen=True)
class Pair:
    """Two runs side by side.

    `patterns` holds what every estimate needs: how many items of a task show the same outcome on both sides. With one
    answer per side there are a few dozen patterns per task, however many items. Shares run over an item's repeats, and
    `lost`, `gained`, `differ` and `unseen` are means over all cross pairs of repeats, never index to index.
    """

    before: Run
    after: Run
    patterns: pl.DataFrame = field(repr=False)
    seeds: pl.DataFrame = field(repr=False)  # per task and repeat index: counts, for the published estimator
    positions: pl.DataFrame = field(repr=False)  # where golds and choices stood among the options
    choices: list[ScoreChoice] = field(repr=False)
    pairing: Pairing
    warnings: list[str]
    notes: list[str]
    _items: pl.LazyFrame = field(repr=False)
    _unpaired: pl.DataFrame = field(repr=False)
    _sides: tuple[Outcomes, Outcomes] = field(repr=False)

    @cached_property
    def items(self) -> pl.DataFrame:
        """One row per paired item with a score on both sides, ordered by key."""
        scored = self._items.filter(pl.col("scored") & pl.col("scored_after"))
        return scored.collect(engine="streaming").sort("task", "item_high", "item_low", "slot")

    @cached_property
    def soft(self) -> pl.DataFrame | None:
        """Items with a probability of the gold on both sides, one row each; None where option scores are not on record.

        Columns: task, cluster (where there are any), p_gold, p_gold_after, lost, gained, floor, floor_after, n.
        """
        ours, theirs = self._sides
        if "p_gold" not in ours.extras or "p_gold" not in theirs.extras:
            return None
        told = self.items.filter(pl.col("p_gold").is_not_null() & pl.col("p_gold_after").is_not_null())
        if not told.height:
            return None
        told = cross_grades(told, ours, theirs, "p_gold", tied="tied_right" in told.columns)
        kept = [name for name in ("task", "cluster", "p_gold", "p_gold_after") if name in told.columns]
        if "tied_right" in told.columns:  # its floor is of different wordings, and so it is
            told = told.with_columns(pl.col("lost", "gained") + pl.col("tied_right"))
        values = ["lost", "gained", "floor", "floor_after"]
        return told.select(*kept, *values, n=pl.lit(1)).with_columns(pl.col("task").cast(pl.String))

    @property
    def sides(self) -> tuple[Outcomes, Outcomes]:
        """The scored answers of both runs, sample by sample."""
        return self._sides

    @property
    def unpaired(self) -> pl.DataFrame:
        """Items without a partner: task, side, native_id and reason (gold_changed, gold_missing, content_changed or absent)."""
        return self._unpaired

    def __repr__(self) -> str:
        p = self.pairing
        return f"Pair({self.before.name} → {self.after.name}: {p.paired} items, grade {p.grade or 'unknown'})"


def pair_runs(
    before: Run,
    after: Run,
    *,
    scorer: str | None = None,
    metric: str | None = None,
    tasks: str | None = None,
    scale: Scale | None = None,
    force: bool = False,
    prefer: str | None = None,
) -> Pair:
    """Return the pair of two runs.

    Parameters
    ----------
    scorer, metric : names as logged; by default the log's own (see `choose_scores`).
    tasks : a glob; only matching tasks are compared.
    scale : how graded scores are read.
    force : pair even where less than half of a side's items has a partner.
    prefer : a scorer to take where both runs have it; unlike `scorer`, other tasks stay.
    """
    scale = scale or Scale()
    choices, warnings = choose_scores(
        before, after, scorer=scorer, metric=metric, tasks=tasks, scale=scale, prefer=prefer
    )
    if not choices:
        raise PairingError(
            f"no task in common: before has {_some(before.tasks)}, after has {_some(after.tasks)}; check the paths, or "
            "rename the tasks"
        )
    ours = read_outcomes(before, choices, "before", scale)
    theirs = read_outcomes(after, choices, "after", scale)
    left, right, rules, surplus = _with_slots(before, after, ours, theirs, choices)
    matched = left.join(right, on=KEY, suffix="_after")
    items = relate(matched) if ours.repeats == theirs.repeats == 1 else relate_repeats(matched, ours, theirs)
    patterns = count_patterns(items, choices)
    n_matched, n_left, n_right = int(patterns["n"].sum()), _height(ours), _height(theirs)
    if not n_matched:
        raise PairingError(_nothing_in_common(before, after, [c.task for c in choices]))
    nulls = [int(patterns.filter(~pl.col(name))["n"].sum()) for name in ("scored", "scored_after")]
    patterns = patterns.filter(pl.col("scored") & pl.col("scored_after")).drop("scored", "scored_after")
    unpaired = list_unpaired(before, after, left, right, n_left > n_matched, n_right > n_matched)
    reasons = dict(unpaired.filter(pl.col("side") == "before").group_by("reason").len().iter_rows())
    tasks_left = sorted(matching_tasks(before, tasks) - matching_tasks(after, tasks))
    tasks_right = sorted(matching_tasks(after, tasks) - matching_tasks(before, tasks))
    stray_left, stray_right = _stray(before, tasks_left), _stray(after, tasks_right)
    paired = int(patterns["n"].sum())
    if not paired:
        raise PairingError(
            f"{n_matched} items pair, but none has a score on both sides ({nulls[0]} have none before, {nulls[1]} none after); "
            "check that the answers were judged"
        )
    known, changed = int(patterns["prompts_known"].sum()), int(patterns["prompts_changed"].sum())
    comparable = before.info.tool == after.info.tool  # tools hash prompts each in their own way
    pairing = Pairing(
        paired=paired,
        only_before=n_left - n_matched + stray_left,
        only_after=n_right - n_matched + stray_right,
        duplicates=surplus,
        duplicate_rules=rules,
        null_before=nulls[0],
        null_after=nulls[1],
        gold_changed=reasons.get("gold_changed", 0),
        gold_missing=reasons.get("gold_missing", 0),
        content_changed=reasons.get("content_changed", 0),
        coverage_before=_coverage(paired, n_left + stray_left, n_left - n_matched, after),
        coverage_after=_coverage(paired, n_right + stray_right, n_right - n_matched, before),
        grade=("B" if changed or not comparable else "A") if known == paired and paired else None,
        prompts_changed=changed if known and comparable else None,
        settings_that_differ=differing_settings(before, after, choices),
        tasks_only_before=tasks_left,
        tasks_only_after=tasks_right,
        keyed_by="id" if before.info.counts.get("keyed_by_id") else "content",
    )
    warnings = _run_warnings(before, after) + warnings + _pairing_warnings(pairing, patterns)
    notes = []
    if rules:
        notes.append(f"duplicated items were paired {', '.join(f'{n} by {rule}' for rule, n in rules.items())}")
    of_common = (n_left, n_right)  # tasks that one side lacks altogether are told, not held against the pair
    _check_coverage(pairing, of_common, force, warnings)
    seeds = count_seeds(patterns, ours, theirs, left, right)
    positions = count_positions(ours, theirs)
    return Pair(
        before, after, patterns, seeds, positions, choices, pairing, warnings, notes, items, unpaired, (ours, theirs)
    )


def _height(side: Outcomes) -> int:
    return int(side.items.select(pl.len()).collect().item())


def _stray(run: Run, tasks: list[str]) -> int:
    """Items of tasks that the other run does not have at all."""
    if not tasks:
        return 0
    rows = run.scan().filter(pl.col("task").cast(pl.String).is_in(tasks))
    return int(rows.select(pl.struct(ITEM).n_unique()).collect().item())


def _coverage(paired: int, items: int, missing: int, other: Run) -> float | None:
    """Share of a side's items that paired with scores; what the other side left out on purpose does not count."""
    denominator = items - missing if other.info.subset else items
    return paired / denominator if denominator else None


def _with_slots(
    before: Run, after: Run, ours: Outcomes, theirs: Outcomes, choices: list[ScoreChoice]
) -> tuple[pl.LazyFrame, pl.LazyFrame, dict[str, int], int]:
    if not before.info.counts.get("duplicates") and not after.info.counts.get("duplicates"):
        same = pl.lit(0, dtype=pl.UInt32)
        return ours.items.with_columns(slot=same), theirs.items.with_columns(slot=same), {}, 0
    tasks = [choice.task for choice in choices]
    slots_left, slots_right, rules, surplus = match_duplicates(_instances(before, tasks), _instances(after, tasks))
    slot = pl.col("slot").fill_null(0)
    left = ours.items.join(slots_left.lazy(), on=ITEM, how="left").with_columns(slot)
    right = theirs.items.join(slots_right.lazy(), on=ITEM, how="left").with_columns(slot)
    return left, right, rules, surplus


def _instances(run: Run, tasks: list[str]) -> pl.LazyFrame:
    rows = run.scan().filter(pl.col("task").cast(pl.String).is_in(tasks))
    return rows.select(*ITEM, "text_key", "native_id").unique(ITEM, keep="first", maintain_order=True)


def _nothing_in_common(before: Run, after: Run, tasks: list[str]) -> str:
    bases, questions = [], []
    for run in (before, after):
        rows = run.scan()
        bases.append(set(rows.select(pl.col("key_basis").cast(pl.String).unique()).collect().to_series().to_list()))
        questions.append(rows.select("task", "question_key").unique())
    where = f"{before.source or before.name} and {after.source or after.name}"
    same = questions[0].join(questions[1], on=["task", "question_key"]).select(pl.len()).collect().item()
    if same:
        return f"{where} ask {same} questions in common, but none with the same gold; check the gold columns of both"
    if bases[0] != bases[1]:
        return (
            f"{where} share no item: items are known by {_some(sorted(bases[0]))} before and by {_some(sorted(bases[1]))} "
            "after; add the question text to the poorer table, or import both from the same tool"
        )
    return f"{where} have tasks in common ({_some(tasks)}) but no item; check that they evaluate the same data set"


def _check_coverage(pairing: Pairing, of_common: tuple[int, int], force: bool, warnings: list[str]) -> None:
    for side, share, only, items in (
        ("before", pairing.coverage_before, pairing.only_before, of_common[0]),
        ("after", pairing.coverage_after, pairing.only_after, of_common[1]),
    ):
        if share is None or share >= WARN_COVERAGE:
            continue
        nulls = pairing.null_before + pairing.null_after
        reasons = [f"{n:,} {why}" for n, why in ((only, "have no partner"), (nulls, "have no score")) if n]
        said = f"{share:.1%} of the {side}-run's items are compared ({', '.join(reasons)})"
        if pairing.paired < LEAST_COVERAGE * items and not force:
            raise PairingError(f"only {said}; compare the same data set, or insist with --force")
        warnings.append(said)


def _run_warnings(before: Run, after: Run) -> list[str]:
    ours, theirs = before.info.warnings, after.info.warnings
    both = [warning for warning in ours if warning in theirs]
    return (
        [f"both runs: {warning}" for warning in both]
        + [f"before: {warning}" for warning in ours if warning not in both]
        + [f"after: {warning}" for warning in theirs if warning not in both]
    )


def _pairing_warnings(pairing: Pairing, patterns: pl.DataFrame) -> list[str]:
    said = []
    for side, tasks in (("before", pairing.tasks_only_before), ("after", pairing.tasks_only_after)):
        if tasks:
            number = "1 task is" if len(tasks) == 1 else f"{len(tasks)} tasks are"
            said.append(f"{number} in the {side}-run only: {_some(tasks)}")
    if pairing.gold_changed:
        said.append(f"{pairing.gold_changed} items have another gold answer after: left out, not counted as flips")
    if pairing.gold_missing:
        said.append(
            f"{pairing.gold_missing} items have a gold on one side only, so that nobody knows whether they are the same: left out"
        )
    if pairing.content_changed:
        said.append(f"{pairing.content_changed} items have another text under the same id after: left out")
    if pairing.prompts_changed:
        said.append(
            f"prompt changed: {pairing.prompts_changed} of {pairing.paired} items were asked with another prompt after; a "
            "prompt change is not forgetting"
        )
    contradicting = int(patterns["contradicts"].sum())
    unknown = int(patterns.filter(pl.col("right").is_not_null())["state_unknown"].sum())
    if contradicting:
        said.append(
            f"{contradicting} items show a different number of options before and after: no chance reading for them"
        )
    if unknown:
        said.append(
            f"the logs do not say whether an answer was given for {unknown} items: wrong ones count as answered"
        )
    return said


def _some(names: list[str], shown: int = 5) -> str:
    listed = ", ".join(names[:shown])
    return f"{listed} and {len(names) - shown} more" if len(names) > shown else listed
