"""Pair: two runs aligned item by item, by content (statistics.md 5).

What does not pair is counted and named, never turned into a flip and never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from forgetmap.errors import PairingError
from forgetmap.matching import match_duplicates
from forgetmap.outcomes import ITEM, Outcomes, read_outcomes
from forgetmap.run import Run
from forgetmap.scoring import Scale, ScoreChoice, choose_scores
from forgetmap.settings import differing_settings

KEY = ["task", "item_high", "item_low", "slot"]
WARN_COVERAGE = 0.95
LEAST_COVERAGE = 0.50


@dataclass(frozen=True)
class Pairing:
    """What paired and what did not."""

    paired: int  # items with a score on both sides
    only_before: int
    only_after: int
    duplicates: int  # paired items that share their content with another
    duplicate_rules: Mapping[str, int]
    null_before: int  # matched items without a score on that side
    null_after: int
    gold_changed: int
    content_changed: int
    coverage_before: float | None
    coverage_after: float | None
    grade: str | None  # A same prompt bytes, B same document under another prompt, None unknown
    prompts_changed: int | None  # paired items whose prompt differs
    settings_that_differ: list[dict[str, Any]]
    tasks_only_before: list[str]
    tasks_only_after: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the pairing as the JSON contract shows it."""
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(self).items()}


@dataclass(frozen=True)
class Pair:
    """Two runs side by side.

    `items` has one row per paired item with a score on both sides. Shares run over the item's repeats, and `lost`,
    `gained`, `differ` and `unseen` are means over all cross pairs of repeats, never index to index.
    """

    before: Run
    after: Run
    items: pl.DataFrame = field(repr=False)
    seeds: pl.DataFrame = field(repr=False)  # per task and repeat index: counts, for the published estimator
    unpaired: pl.DataFrame = field(repr=False)  # task, side, reason, key, native_id, text_row
    choices: list[ScoreChoice] = field(repr=False)
    pairing: Pairing
    warnings: list[str]

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
) -> Pair:
    """Return the pair of two runs.

    Parameters
    ----------
    scorer, metric : names as logged; by default the log's own (see `choose_scores`).
    tasks : a glob; only matching tasks are compared.
    scale : how graded scores are read.
    force : pair even where less than half of a side's items has a partner.
    """
    scale = scale or Scale()
    choices, warnings = choose_scores(before, after, scorer=scorer, metric=metric, tasks=tasks, scale=scale)
    if not choices:
        raise PairingError(
            f"no task in common: before has {_some(before.tasks)}, after has {_some(after.tasks)}; check the paths, or "
            "rename the tasks"
        )
    ours = read_outcomes(before, choices, "before", scale)
    theirs = read_outcomes(after, choices, "after", scale)
    left, right, rules = _with_slots(before, after, ours, theirs, choices)
    matched = left.join(right, on=KEY, suffix="_after").collect(engine="streaming")
    n_left, n_right = _height(ours), _height(theirs)
    if not matched.height:
        raise PairingError(_nothing_in_common(before, after, [c.task for c in choices]))
    usable = {choice.task for choice in choices if choice.kind != "unusable"}
    nulls = matched.select(
        before=(pl.col("repeats") == 0).sum(), after=(pl.col("repeats_after") == 0).sum()
    ).row(0)
    items = _compared(matched, ours, theirs)
    unpaired = _unpaired(before, after, left, right, matched, n_left, n_right)
    only = [c for c in sorted(set(before.tasks) - set(after.tasks)) if tasks is None]
    only_after = [c for c in sorted(set(after.tasks) - set(before.tasks)) if tasks is None]
    stray_left, stray_right = _stray(before, only), _stray(after, only_after)
    missing_left, missing_right = n_left - matched.height, n_right - matched.height
    prompts = items.select(
        known=(pl.col("prompt_key").is_not_null() & pl.col("prompt_key_after").is_not_null()).sum(),
        changed=(pl.col("prompt_key") != pl.col("prompt_key_after")).sum(),
    ).row(0)
    reasons = dict(unpaired.filter(pl.col("side") == "before").group_by("reason").len().iter_rows())
    pairing = Pairing(
        paired=items.height,
        only_before=missing_left + stray_left,
        only_after=missing_right + stray_right,
        duplicates=sum(rules.values()),
        duplicate_rules=rules,
        null_before=nulls[0],
        null_after=nulls[1],
        gold_changed=reasons.get("gold_changed", 0),
        content_changed=reasons.get("content_changed", 0),
        coverage_before=_coverage(items.height, n_left + stray_left, missing_left, after),
        coverage_after=_coverage(items.height, n_right + stray_right, missing_right, before),
        grade=("A" if prompts[1] == 0 else "B") if prompts[0] == items.height and items.height else None,
        prompts_changed=prompts[1] if prompts[0] else None,
        settings_that_differ=differing_settings(before, after, choices),
        tasks_only_before=only,
        tasks_only_after=only_after,
    )
    warnings = _run_warnings(before, after) + warnings + _pairing_warnings(pairing, items, usable)
    _check_coverage(pairing, items, force, warnings)
    seeds = _seeds(items, ours, theirs, left, right)
    return Pair(before, after, items, seeds, unpaired, choices, pairing, warnings)


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
) -> tuple[pl.LazyFrame, pl.LazyFrame, dict[str, int]]:
    if not before.info.counts.get("duplicates") and not after.info.counts.get("duplicates"):
        same = pl.lit(0, dtype=pl.UInt32)
        return ours.items.with_columns(slot=same), theirs.items.with_columns(slot=same), {}
    tasks = [choice.task for choice in choices]
    slots_left, slots_right, rules = match_duplicates(_instances(before, tasks), _instances(after, tasks))
    slot = pl.col("slot").fill_null(0)
    left = ours.items.join(slots_left.lazy(), on=ITEM, how="left").with_columns(slot)
    right = theirs.items.join(slots_right.lazy(), on=ITEM, how="left").with_columns(slot)
    return left, right, rules


def _instances(run: Run, tasks: list[str]) -> pl.LazyFrame:
    rows = run.scan().filter(pl.col("task").cast(pl.String).is_in(tasks))
    return rows.select(*ITEM, "text_key", "native_id").unique(ITEM, keep="first", maintain_order=True)


def _compared(matched: pl.DataFrame, ours: Outcomes, theirs: Outcomes) -> pl.DataFrame:
    """Matched items with scores on both sides, and how the answers of the two sides relate."""
    items = matched.filter((pl.col("repeats") > 0) & (pl.col("repeats_after") > 0))
    right, right_after = pl.col("right"), pl.col("right_after")
    wrong, wrong_after = pl.col("wrong"), pl.col("wrong_after")
    k, k_after = pl.col("n_options"), pl.col("n_options_after")
    # One side may not know the options; two sides that contradict each other leave the item without a chance rate.
    contradicts = (k != k_after).fill_null(False) | (pl.col("n_gold") != pl.col("n_gold_after")).fill_null(False)
    either = {name: pl.coalesce(name, f"{name}_after") for name in ("n_options", "n_gold", "chance")}
    items = items.with_columns(
        contradicts=contradicts,
        **{name: pl.when(~contradicts).then(value) for name, value in either.items()},
    )
    if ours.repeats == 1 and theirs.repeats == 1:
        # Choices compare only where both logs name the gold alike: a position is not a text.
        comparable = pl.col("gold_key").eq_missing(pl.col("gold_key_after")) & (
            pl.col("choice_key").is_not_null() & pl.col("choice_key_after").is_not_null()
        )
        both_wrong = (wrong == 1) & (wrong_after == 1)
        difference = pl.col("score") - pl.col("score_after")
        return items.with_columns(
            differ=(both_wrong & comparable & (pl.col("choice_key") != pl.col("choice_key_after"))).cast(pl.UInt8),
            unseen=(both_wrong & ~comparable).cast(pl.UInt8),
            lost=difference.clip(lower_bound=0),
            gained=(-difference).clip(lower_bound=0),
        )
    items = _with_agreement(items, ours, theirs)
    items = items.with_columns(
        lost=right.cast(pl.Float64) * (1 - right_after), gained=right_after.cast(pl.Float64) * (1 - right)
    )
    return _graded_cross_pairs(items, ours, theirs)


def _with_agreement(items: pl.DataFrame, ours: Outcomes, theirs: Outcomes) -> pl.DataFrame:
    """Share of cross pairs of repeats that are both wrong with different choices, or wrong without a choice on record."""
    keys = ["task", "item_high", "item_low"]
    counts = []
    for side, occurrence in ((ours, "occurrence"), (theirs, "occurrence_after")):
        wrong = side.samples.filter(~pl.col("right") & ~pl.col("no_choice") & pl.col("choice_key").is_not_null())
        per_choice = wrong.group_by(*ITEM, "choice_key").agg(n=pl.len()).collect()
        counts.append(per_choice.rename({"occurrence": occurrence}))
    left, right = counts
    by_item = items.select(*keys, "occurrence", "occurrence_after").with_row_index("_item")
    chosen = by_item.join(left, on=[*keys, "occurrence"])
    chosen_after = by_item.join(right, on=[*keys, "occurrence_after"])
    same = (
        chosen.join(chosen_after, on=["_item", "choice_key"])
        .group_by("_item")
        .agg(same=(pl.col("n").cast(pl.Float64) * pl.col("n_right")).sum())
    )
    totals = chosen.group_by("_item").agg(ours=pl.col("n").sum())
    totals_after = chosen_after.group_by("_item").agg(theirs=pl.col("n").sum())
    table = items.with_row_index("_item")
    for frame in (same, totals, totals_after):
        table = table.join(frame, on="_item", how="left", maintain_order="left")
    pairs = pl.col("repeats").cast(pl.Float64) * pl.col("repeats_after")
    comparable = pl.col("gold_key").eq_missing(pl.col("gold_key_after"))
    seen = pl.when(comparable).then(pl.col("ours").fill_null(0) * pl.col("theirs").fill_null(0) / pairs).otherwise(0.0)
    both_wrong = pl.col("wrong").cast(pl.Float64) * pl.col("wrong_after")
    return table.with_columns(
        differ=pl.when(comparable).then(seen - pl.col("same").fill_null(0) / pairs).otherwise(0.0),
        unseen=(both_wrong - seen).clip(lower_bound=0),  # rounding may leave −1e−17
    ).drop("_item", "same", "ours", "theirs")


def _graded_cross_pairs(items: pl.DataFrame, ours: Outcomes, theirs: Outcomes) -> pl.DataFrame:
    """For graded scores, the mean of max(y_b − y_a, 0) needs every cross pair: p_b(1 − p_a) holds for 0/1 only."""
    graded = items.filter(pl.col("right").is_null())
    if not graded.height:
        return items
    keys = ["task", "item_high", "item_low"]
    index = graded.select(*keys, "occurrence", "occurrence_after").with_row_index("_item").lazy()
    left = index.join(ours.samples.select(*ITEM, "score"), on=[*keys, "occurrence"])
    right = index.join(
        theirs.samples.select(*keys, occurrence_after="occurrence", score_after="score"), on=[*keys, "occurrence_after"]
    )
    difference = pl.col("score") - pl.col("score_after")
    crossed = (
        left.select("_item", "score")
        .join(right.select("_item", "score_after"), on="_item")
        .filter(difference.is_not_null())
        .group_by("_item")
        .agg(lost=difference.clip(lower_bound=0).mean(), gained=(-difference).clip(lower_bound=0).mean())
        .collect()
    )
    fixed = graded.with_row_index("_item").drop("lost", "gained").join(crossed, on="_item", how="left")
    return pl.concat([items.filter(pl.col("right").is_not_null()), fixed.select(items.columns)])


def _seeds(
    items: pl.DataFrame, ours: Outcomes, theirs: Outcomes, left: pl.LazyFrame, right: pl.LazyFrame
) -> pl.DataFrame:
    """Counts per task and seed, repeats paired by index as the published estimator does."""
    binary = items.filter(pl.col("right").is_not_null())
    if ours.repeats == 1 and theirs.repeats == 1:
        joined = binary.select("task", repeat=pl.lit(0, dtype=pl.UInt32), right="right", right_after="right_after")
    else:
        sides = []
        for side, slotted in ((ours, left), (theirs, right)):
            slots = slotted.select(*ITEM, "slot")
            scored = side.samples.filter(pl.col("right").is_not_null())
            sides.append(scored.join(slots, on=ITEM).select(*KEY, "repeat", pl.col("right").cast(pl.UInt8)))
        joined = sides[0].join(sides[1], on=[*KEY, "repeat"], suffix="_after").collect()
    b, a = pl.col("right") == 1, pl.col("right_after") == 1
    return (
        joined.group_by("task", "repeat")
        .agg(n=pl.len(), kept=(b & a).sum(), lost=(b & ~a).sum(), gained=(~b & a).sum(), never=(~b & ~a).sum())
        .sort("task", "repeat")
    )


def _unpaired(
    before: Run,
    after: Run,
    left: pl.LazyFrame,
    right: pl.LazyFrame,
    matched: pl.DataFrame,
    n_left: int,
    n_right: int,
) -> pl.DataFrame:
    """Items without a partner, each with the reason: gold_changed, content_changed or absent."""
    paired = matched.lazy().select(KEY)
    sides = []
    for run, slotted, n, side in ((before, left, n_left, "before"), (after, right, n_right, "after")):
        alone = slotted.join(paired, on=KEY, how="anti") if n > matched.height else slotted.head(0)
        details = run.scan().select(*ITEM, "question_key", "native_id").unique(ITEM, keep="first")
        found = alone.select(*ITEM, "text_row").join(details, on=ITEM, how="left")
        sides.append(found.with_columns(side=pl.lit(side)).collect())
    ours, theirs = sides
    labelled = []
    for mine, other in ((ours, theirs), (theirs, ours)):
        relabelled = other.select("task", "question_key").unique().with_columns(_gold=pl.lit(True))
        renamed = other.filter(pl.col("native_id").is_not_null()).select("task", "native_id").unique()
        labelled.append(
            mine.join(relabelled, on=["task", "question_key"], how="left")
            .join(renamed.with_columns(_content=pl.lit(True)), on=["task", "native_id"], how="left")
            .with_columns(
                reason=pl.when("_gold")
                .then(pl.lit("gold_changed"))
                .when("_content")
                .then(pl.lit("content_changed"))
                .otherwise(pl.lit("absent"))
            )
            .drop("_gold", "_content")
        )
    return pl.concat(labelled)


def _nothing_in_common(before: Run, after: Run, tasks: list[str]) -> str:
    bases = [
        set(run.scan().select(pl.col("key_basis").cast(pl.String).unique()).collect().to_series().to_list())
        for run in (before, after)
    ]
    where = f"{before.source or before.name} and {after.source or after.name}"
    if bases[0] != bases[1]:
        return (
            f"{where} share no item: items are known by {_some(sorted(bases[0]))} before and by {_some(sorted(bases[1]))} "
            "after; add the question text to the poorer table, or import both from the same tool"
        )
    return f"{where} have tasks in common ({_some(tasks)}) but no item; check that they evaluate the same data set"


def _check_coverage(pairing: Pairing, items: pl.DataFrame, force: bool, warnings: list[str]) -> None:
    for side, share, only in (
        ("before", pairing.coverage_before, pairing.only_before),
        ("after", pairing.coverage_after, pairing.only_after),
    ):
        if share is None or share >= WARN_COVERAGE:
            continue
        nulls = pairing.null_before + pairing.null_after
        said = f"{share:.1%} of the {side}-run's items are compared ({only} have no partner, {nulls} no score)"
        if share < LEAST_COVERAGE and not force:
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


def _pairing_warnings(pairing: Pairing, items: pl.DataFrame, usable: set[str]) -> list[str]:
    said = []
    for side, tasks in (("before", pairing.tasks_only_before), ("after", pairing.tasks_only_after)):
        if tasks:
            said.append(f"{len(tasks)} tasks are in the {side}-run only: {_some(tasks)}")
    if pairing.gold_changed:
        said.append(f"{pairing.gold_changed} items have another gold answer after: left out, not counted as flips")
    if pairing.content_changed:
        said.append(f"{pairing.content_changed} items have another text under the same id after: left out")
    if pairing.duplicate_rules:
        rules = ", ".join(f"{n} by {rule}" for rule, n in pairing.duplicate_rules.items())
        said.append(f"duplicated items were paired {rules}")
    if pairing.prompts_changed:
        said.append(
            f"prompt changed: {pairing.prompts_changed} of {pairing.paired} items were asked with another prompt after; a "
            "prompt change is not forgetting"
        )
    contradicting, unknown = items.select(
        pl.col("contradicts").sum(),
        ((pl.col("state_unknown") | pl.col("state_unknown_after")) & pl.col("right").is_not_null()).sum(),
    ).row(0)
    if contradicting:
        said.append(f"{contradicting} items show a different number of options before and after: no chance reading for them")
    if unknown:
        said.append(f"the logs do not say whether an answer was given for {unknown} items: wrong ones count as answered")
    return said


def _some(names: list[str], shown: int = 5) -> str:
    listed = ", ".join(names[:shown])
    return f"{listed} and {len(names) - shown} more" if len(names) > shown else listed
