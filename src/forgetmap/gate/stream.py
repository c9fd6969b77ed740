"""Two logs as a stream: how soon a sequential gate would have stopped, or how it stands while an evaluation goes on."""

from __future__ import annotations

from typing import Any

import polars as pl

from forgetmap.errors import PairingError
from forgetmap.estimate.positions import biased_tasks
from forgetmap.gate.checks import Counts, check_runs, count, may_be_missing
from forgetmap.gate.files import PolicyLike, load_policy
from forgetmap.gate.policy import Policy
from forgetmap.gate.result import GateResult
from forgetmap.gate.samples import SuiteItem, shuffled, suite_frame, suite_items
from forgetmap.gate.sequential import SequentialGate
from forgetmap.items import item_id
from forgetmap.map import ForgettingMap, RunLike, compare
from forgetmap.pairing import Pair
from forgetmap.pairing.scores import matching_tasks
from forgetmap.readers import read_run
from forgetmap.run import Run

_OPTIONS = ("n_options", "n_gold", "chance")
_SUITE = ("task", "id", "native_id", *_OPTIONS)


def check_sequential(
    before: RunLike, after: RunLike, policy: PolicyLike, *, seed: int | None = None, **options: Any
) -> GateResult:
    """Return what a gate says that looks at paired samples one by one and stops as soon as the outcome is sure.

    Complete logs are looked at in the random order of the seed, whatever their own. An after-run that holds a part of the
    items only must hold the first ones of that order (see `suite_of` and `SequentialGate.order`): anything else is refused.
    Parameters are those of `check_gate`.
    """
    rules = load_policy(policy)
    seed = rules.sequential.seed if seed is None else seed
    found = compare(
        before, after, taxonomy=rules.taxonomy, weight=rules.weight, tasks=rules.task_glob, check_scorers=False,
        **{**options, "force": True},
    )  # fmt: skip
    pair = found.pair
    counts = count(pair, rules)
    usable = {choice.task for choice in pair.choices if choice.kind != "unusable"}
    answers = _answers(pair).filter(pl.col("task").is_in(list(usable)))
    partial = _is_partial(counts, rules, usable)
    suite = (
        _so_far(pair, rules, counts, answers, seed)
        if partial
        else answers.with_columns(native_id=pl.lit(None, dtype=pl.String)).select(_SUITE)
    )

    def gate() -> SequentialGate:
        return SequentialGate(
            rules, suite, seed=seed, taxonomy=found.taxonomy, spellings=counts.spellings, noisy=_noisy(found)
        )

    probe = gate()
    ordered = _in_order(probe, answers)
    probe.feed(ordered)
    seen = ordered.height if probe.decided_at is None else probe.decided_at
    stopped = gate()
    stopped.feed(ordered[:seen])  # once more, for the bounds as of the stop
    return stopped.result(
        before=pair.before.summary(),
        after=pair.after.summary(),
        checks=check_runs(pair, rules, counts, partial=partial),
        pairing=pair.pairing.to_dict(),
        warnings=found.warnings,
    )


def _noisy(found: ForgettingMap) -> set[str]:
    """Tasks whose answers were drawn at random, or repeated in a way that can change them."""
    readings = found.readings
    drawn = readings.sampled | readings.floor_measured
    return {task.name for task, is_drawn in zip(readings.tasks, drawn, strict=True) if is_drawn}


def suite_of(run: RunLike, *, tasks: str | None = None) -> list[SuiteItem]:
    """Return the items of a run as a suite: what to evaluate the next model on.

    `SequentialGate(policy, suite_of(before)).order` is then the order in which a log may be looked at while it grows.
    """
    opened = run if isinstance(run, Run) else read_run(run)
    return suite_items(suite_frame(_scored_items(opened, sorted(matching_tasks(opened, tasks)))))


def _scored_items(run: Run, tasks: list[str], metrics: dict[str, Any] | None = None) -> pl.DataFrame:
    """The scored items of a run, under the metrics named, else under its defaults."""
    wanted, graded = [], []
    for task in tasks:
        named = [metric for metric in run.info.metrics if metric.task == task]
        chosen = (metrics or {}).get(task) or next((metric for metric in named if metric.default), named[0])
        wanted.append((task, chosen.scorer, chosen.metric))
        if not chosen.binary:  # grades are not guessed: their flips are counted as they are
            graded.append(task)
    keys = dict.fromkeys(("task", "scorer", "metric"), pl.String)
    rows = run.scan().filter(pl.col("score").is_not_null()).with_columns(pl.col(name).cast(pl.String) for name in keys)
    rows = rows.join(pl.LazyFrame(wanted, schema=keys, orient="row"), on=list(keys), how="semi")
    by = ["task", "item_high", "item_low", "occurrence"]
    items = _with_ids(rows.select(*by, "native_id", *_OPTIONS).unique(by, keep="first", maintain_order=True).collect())
    return items.with_columns(chance=pl.when(~pl.col("task").is_in(graded)).then("chance"))


def _with_ids(items: pl.DataFrame) -> pl.DataFrame:
    """Name every item by its content, and by its number where the same content comes more than once."""
    ids = [
        item_id(high, low) + (f"-{occurrence}" if occurrence else "")
        for high, low, occurrence in items.select("item_high", "item_low", "occurrence").iter_rows()
    ]
    return items.with_columns(pl.col("task").cast(pl.String), id=pl.Series(ids, dtype=pl.String))


def _answers(pair: Pair) -> pl.DataFrame:
    """The paired answers; where guessing cannot be told from knowing, the options count as unknown."""
    items = _with_ids(pair.items)
    lies = pl.col("task").is_in(list(biased_tasks(pair))) | pl.col("right").is_null()
    shares = [pl.col(f"{name}{side}").cast(pl.Float64) for name in ("right", "none") for side in ("", "_after")]
    return (
        items.with_columns(*shares, chance=pl.when(~lies).then("chance"), native_id=pl.lit(None, dtype=pl.String))
        .with_columns(wrong=1 - pl.col("right") - pl.col("none"), wrong_after=1 - pl.col("right_after") - pl.col("none_after"))
        .select(
            *_SUITE, "right", "wrong", "none", "right_after", "wrong_after", "none_after", "differ",
            "lost", "gained",
        )
    )  # fmt: skip


def _is_partial(counts: Counts, policy: Policy, tasks: set[str]) -> bool:
    """Whether the after-run answers a part of the items only, left out on purpose or not."""
    items = sum(counts.before.items.get(task, 0) for task in tasks)
    return sum(counts.paired.get(task, 0) for task in tasks) < policy.coverage * items


def _so_far(pair: Pair, policy: Policy, counts: Counts, answers: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The whole suite of an evaluation in progress; refuses samples that are not the first of the random order."""
    chosen = {choice.task: choice for choice in pair.choices}
    left_out = {task for task in counts.missing if may_be_missing(policy, counts, task)}
    tasks = sorted(matching_tasks(pair.before, policy.task_glob) - left_out)
    suite = _scored_items(pair.before, tasks, {task: choice.before for task, choice in chosen.items()})
    # What only the answers show of one item (that it has no chance reading) counts for its task: which items are left
    # out must not depend on how far the evaluation is.
    known = suite.filter(pl.col("chance").is_not_null()).select("task", "id")
    untold = set(answers.filter(pl.col("chance").is_null()).join(known, on=["task", "id"], how="semi")["task"])
    suite = suite.with_columns(chance=pl.when(~pl.col("task").is_in(list(untold))).then("chance"))
    order = list(shuffled(suite, seed).select("task", "id").iter_rows())
    there = set(answers.select("task", "id").iter_rows())
    last = max((place for place, key in enumerate(order) if key in there), default=-1) + 1
    without = [key for key in order[:last] if key not in there]
    if len(without) > pair.pairing.null_before + pair.pairing.null_after:  # these were asked, but have no score
        raise PairingError(
            f"{pair.after.source or pair.after.name} answers {len(there):,} of {len(order):,} items, and not the first ones in "
            f"the random order of seed {seed}: a part in file order says nothing of the whole; give the complete log, or "
            "evaluate in the order of SequentialGate"
        )
    gone = pl.DataFrame(without, schema={"task": pl.String, "id": pl.String}, orient="row")
    return suite.join(gone, on=["task", "id"], how="anti", maintain_order="left").select(_SUITE)


def _in_order(gate: SequentialGate, answers: pl.DataFrame) -> pl.DataFrame:
    keys = [(item.task, item.id) for item in gate.order]
    order = pl.DataFrame(keys, schema={"task": pl.String, "id": pl.String}, orient="row")
    return order.join(answers, on=["task", "id"], how="inner", maintain_order="left")
