"""From a pair to the causes of its lost and gained items."""

from __future__ import annotations

from typing import Any

import polars as pl

from forgetmap.causes.replies import OPEN, UNKNOWN, read_answer
from forgetmap.causes.table import DIRECTIONS, Causes
from forgetmap.pairing import Pair
from forgetmap.run import NO_CHOICE_STATES, Run

_KEY = ["task", "item_high", "item_low", "slot"]
_READ_SCHEMA: dict[str, Any] = {
    "_item": pl.UInt32,
    "text_row": pl.UInt32,
    "cause": pl.String,
    "flags": pl.List(pl.String),
}
#: Replies to items that did not move which are read, per side, before they are thinned out.
MOST_UNMOVED = 4_000
_LIMITS = ("length", "max_tokens", "model_length", "max_length", "token_limit")  # stop reasons, by tool
_FILTERED = ("content_filter", "refusal", "safety")


def find_causes(pair: Pair, *, texts: bool = True, flags: bool = False) -> Causes:
    """Return the causes of a pair's lost and gained items.

    Parameters
    ----------
    texts : whether replies may be read where the log leaves a cause open; for a run that was not imported this reads its
        log once more. Without texts the recorded state alone decides.
    flags : whether to look for loops, foreign language and broken ends also beside a wrong answer, which is a cause
        already: this reads the reply of every moved item.

    Notes
    -----
    An item is lost if its score fell (its mean over repeats, its grade). Its cause is spread evenly over its wrong
    after-answers; for grades, over those not above the item's own mean. A log that names no stop reason says nothing of
    truncation: there, replies that break off in mid-sentence count as truncated where nothing else explains them.
    """
    items = pair.items.filter(pl.col("lost").is_not_null() & pl.col("gained").is_not_null())
    change = pl.col("lost") - pl.col("gained")
    items = items.with_columns(lost=change > 0, gained=change < 0).with_row_index("_item")
    moved, states, notes, unknown = [], [], [], 0
    for direction, side in DIRECTIONS.items():
        run: Run = getattr(pair, side)
        answers, thinned = _thin(_answers(pair, items, direction, side), side)
        answers, told = _settle(answers, run, side, texts, flags)
        notes += thinned + told
        worse = answers.filter("worse")
        unknown += worse.filter("assumed")["_item"].n_unique()
        moved.append(_by_item(worse, items).with_columns(direction=pl.lit(direction)))
        states.append(_by_state(answers).with_columns(direction=pl.lit(direction)))
    if unknown:
        notes.append(
            f"{unknown} lost or gained items have neither a state nor a text on record: they count as wrong_answer"
        )
    columns = ["task", "item_high", "item_low", "slot", "direction", "cause", "weight", "flags"]
    found = pl.concat(moved).select(columns).sort("direction", *_KEY, "cause", descending=[True] + [False] * 5)
    sizes = dict(items.group_by(pl.col("task").cast(pl.String)).len().sort("task").iter_rows())
    told_states = pl.concat(states).select("task", "direction", "cause", "answers").sort("task", "direction", "cause")
    graded = frozenset(choice.task for choice in pair.choices if choice.kind == "graded")
    return Causes(found, told_states, sizes, unknown, notes, graded)


def _answers(pair: Pair, items: pl.DataFrame, direction: str, side: str) -> pl.DataFrame:
    """One row per answer of a side that is not right, with what its log records."""
    suffix = "_after" if side == "after" else ""
    run: Run = getattr(pair, side)
    metrics = [getattr(choice, side) for choice in pair.choices]
    chosen = pl.LazyFrame(
        [(m.task, m.scorer, m.metric, m.higher_is_better is not False) for m in metrics],
        schema={"task": pl.Categorical(), "scorer": pl.Categorical(), "metric": pl.Categorical(), "up": pl.Boolean},
        orient="row",
    )
    key = ["task", "item_high", "item_low", "occurrence"]
    wanted = items.lazy().select(
        "_item",
        *key[:3],
        pl.col(f"occurrence{suffix}").alias("occurrence"),
        rights=(pl.col(f"right{suffix}") * pl.col(f"repeats{suffix}")).round(),
        moved=direction,
    )
    rows = (
        run.scan()
        .filter(pl.col("score").is_not_null())
        .select(*key, "scorer", "metric", "score", "answer_state", "choice_key", "stop_reason", "text_row")
        .join(chosen, on=["task", "scorer", "metric"])
        .join(wanted, on=key)
    )
    rows = _single(rows) if run.info.counts.get("repeats", 1) == 1 else _repeated(rows)
    state = pl.col("answer_state").cast(pl.String)
    stopped = pl.col("stop_reason").cast(pl.String).str.to_lowercase()
    none = state.is_in(NO_CHOICE_STATES).fill_null(False)
    recorded = (
        pl.when(none & (state == "empty"))
        .then(pl.lit("empty"))
        .when(none & ((state == "refused") | stopped.is_in(_FILTERED).fill_null(False)))
        .then(pl.lit("refused"))
        .when(none)
        .then(pl.lit(OPEN))
        .when(state.is_null() & pl.col("choice_key").is_null())
        .then(pl.lit(UNKNOWN))
        .otherwise(pl.lit("wrong_answer"))
    )
    found = rows.select(
        "_item", pl.col("task").cast(pl.String), "text_row", "worse", "size",
        recorded=recorded,
        cut=pl.when((state == "truncated") | stopped.is_in(_LIMITS)).then(True).when(stopped.is_not_null()).then(False),
    )  # fmt: skip
    return found.sort("_item", "text_row").collect()


def _thin(answers: pl.DataFrame, side: str) -> tuple[pl.DataFrame, list[str]]:
    """Of very many unread replies to items that did not move, every n-th of each task stands for its neighbours.

    They only tell how common a cause is among all answers; replies that made an item move are all read.
    """
    still = ~pl.col("worse") & pl.col("recorded").is_in([OPEN, UNKNOWN])
    step = -(-answers.filter(still).height // MOST_UNMOVED)
    if step <= 1:
        return answers.with_columns(stands_for=pl.lit(1.0)), []
    of = ["task", "recorded"]
    kept = pl.int_range(pl.len()).over(of) % step == 0
    open_ones = answers.filter(still)
    chosen = open_ones.filter(kept).join(open_ones.group_by(of).agg(_all=pl.len()), on=of, maintain_order="left")
    chosen = chosen.with_columns(stands_for=pl.col("_all") / pl.len().over(of)).drop("_all")
    rest = answers.filter(~still).with_columns(stands_for=pl.lit(1.0))
    note = (
        f"{side}: {open_ones.height:,} items that did not move have no choice on record; the causes of one in {step} of them "
        "stand for all (share of all answers only)"
    )
    return pl.concat([rest, chosen]).sort("_item", "text_row"), [note]


def _single(rows: pl.LazyFrame) -> pl.LazyFrame:
    """One answer per item: it is right, or it is what made the item worse. Of grades, all are kept: none is right."""
    return rows.filter((pl.col("rights") == 0).fill_null(True)).with_columns(worse="moved", size=pl.lit(1))


def _repeated(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Right answers are those with the best scores: so many of them as the pair counts, whatever made them right."""
    value = pl.when("up").then("score").otherwise(-pl.col("score"))
    rows = rows.with_columns(value=value).sort("_item", "value", "text_row")
    right = (pl.int_range(pl.len(), 0, -1).over("_item") <= pl.col("rights")).fill_null(False)
    # Grades: the answers that are not above the item's own mean pull it down.
    lower = pl.col("rights").is_not_null() | (pl.col("value") <= pl.col("value").mean().over("_item"))
    rows = rows.with_columns(right=right, worse=pl.col("moved") & lower, size=pl.len().over("_item"))
    return rows.filter(~pl.col("right"))


def _settle(answers: pl.DataFrame, run: Run, side: str, texts: bool, flags: bool) -> tuple[pl.DataFrame, list[str]]:
    """Give every answer its cause and flags, reading texts where the record leaves them open."""
    is_open = pl.col("recorded").is_in([OPEN, UNKNOWN])
    flagged = pl.col("worse") & (pl.col("recorded") == "wrong_answer") & flags
    needed = answers.filter(is_open | flagged)
    notes = []
    read = pl.DataFrame(schema=_READ_SCHEMA)
    if texts and run.has_texts and needed.height:
        read, guessed = _read(needed, run)
        if guessed:
            notes.append(
                f"{side}: the log names no stop reason; {guessed} answers that break off in mid-sentence count as truncated"
            )
    elif without := needed.filter(pl.col("recorded") == OPEN).height:
        why = "this run holds no texts" if texts else "texts were not read"
        notes.append(f"{side}: {why}, so the recorded state of {without} answers without a choice is their cause")
    # One reply is an answer to one item, so that the two name it.
    settled = answers.join(read, on=["_item", "text_row"], how="left", maintain_order="left", nulls_equal=True)
    cut = pl.col("cut").fill_null(False)
    unread = (
        pl.when(pl.col("recorded") == OPEN)
        .then(pl.when(cut).then(pl.lit("truncated")).otherwise(pl.lit("no_answer")))
        .when(pl.col("recorded") == UNKNOWN)
        .then(pl.lit("wrong_answer"))
        .otherwise("recorded")
    )
    recorded_flags = pl.when(cut & (pl.col("recorded") != OPEN)).then(pl.lit(["truncated"])).otherwise(pl.lit([]))
    return (
        settled.with_columns(
            cause=pl.coalesce("cause", unread),
            flags=pl.coalesce("flags", recorded_flags.cast(pl.List(pl.String))),
            assumed=(pl.col("recorded") == UNKNOWN) & pl.col("cause").is_null(),
        ),
        notes,
    )


def _read(needed: pl.DataFrame, run: Run) -> tuple[pl.DataFrame, int]:
    """Cause and flags of the answers that have a text; and how many were found truncated by their look alone."""
    names = ["text_row", "question", "options", "gold", "response"]
    wanted = pl.col("text_row").is_in(needed["text_row"].unique().implode()) & pl.col("response").is_not_null()
    content = run.scan_texts().select(names).filter(wanted).unique("text_row", keep="first").collect()
    rows, guessed = [], 0
    for row in needed.join(content, on="text_row", maintain_order="left").iter_rows(named=True):
        cause, flags = read_answer(row)
        guessed += cause == "truncated" and row["cut"] is None
        rows.append((row["_item"], row["text_row"], cause, flags))
    read = pl.DataFrame(rows, schema=_READ_SCHEMA, orient="row")
    return read.unique(["_item", "text_row"], keep="first", maintain_order=True), guessed


def _by_item(worse: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Each moved item once, spread over the causes of its lower answers."""
    shared = worse.with_columns(weight=1 / pl.len().over("_item"))
    causes = shared.group_by("_item", "cause").agg(
        pl.col("weight").sum(), flags=pl.col("flags").explode().drop_nulls().unique().sort()
    )
    keys = items.select("_item", pl.col("task").cast(pl.String), *_KEY[1:])
    return causes.join(keys, on="_item").drop("_item")


def _by_state(answers: pl.DataFrame) -> pl.DataFrame:
    """How many answers of each task show each cause, every item counted once."""
    return answers.group_by("task", "cause").agg(answers=(pl.col("stands_for") / pl.col("size")).sort().sum())
