"""Planted forgetting: pairs of runs whose loss and gain are known, to test estimators on.

An item is known before, after, both or never. A known item is answered right. An unknown one is left unanswered, or
guessed: with probability `persistence` two guesses of one item are the same, else they are independent and uniform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from forgetmap.assembly import assemble
from forgetmap.errors import UsageError
from forgetmap.run import SAMPLE_SCHEMA, TEXT_SCHEMA, Run, RunInfo

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Planted:
    """Two runs and the truth about them, as shares of all items."""

    before: Run
    after: Run
    lost: float  # known before, unknown after: the realised share, not the asked one
    gained: float
    known_before: float
    known_after: float


def plant(
    items: int = 1000,
    *,
    known: float = 0.6,
    lost: float = 0.05,
    gained: float = 0.03,
    options: int | Sequence[int] = 4,
    golds: int = 1,
    persistence: float = 0.0,
    abstain: tuple[float, float] = (0.0, 0.0),
    repeats: int | tuple[int, int] = 1,
    tasks: int | Sequence[str] = 1,
    choices: bool = True,
    texts: bool = False,
    shuffle: bool = True,
    seed: int = 0,
    first_item: int = 0,
) -> Planted:
    """Return a pair of runs with planted loss and gain.

    Parameters
    ----------
    items : number of items over all tasks.
    known : share of items known before; `lost` of all items are known before only, `gained` after only.
    options : number of options, or a list to draw from item by item; 0 is open-ended.
    golds : right options per item.
    persistence : probability that two guesses of one unknown item are one and the same.
    abstain : share of unknown items left unanswered, before and after.
    repeats : answers per item, or (before, after).
    tasks : number of tasks, or their names.
    choices : whether the logs record what was chosen.
    texts : whether the runs carry texts to look at.
    shuffle : whether rows come in another order after.
    first_item : number of the first item: pairs to be joined need different ones.

    Examples
    --------
    >>> pair = plant(10_000, known=0.7, lost=0.05, gained=0.0, seed=1)
    >>> round(pair.lost, 3), pair.gained
    (0.05, 0.0)
    """
    if lost > known or gained > 1 - known or min(lost, gained) < 0:
        raise UsageError(
            f"cannot lose {lost:g} and gain {gained:g} when {known:g} is known; lost ≤ known, gained ≤ 1 − known"
        )
    rng = np.random.default_rng(seed)
    names = [f"planted:{position}" for position in range(tasks)] if isinstance(tasks, int) else list(tasks)
    task = np.arange(items) % len(names)
    k = rng.choice(np.atleast_1d(np.asarray(options, dtype=np.int64)), size=items)
    if np.any((k > 0) & (k <= golds)):
        raise UsageError(f"options {options} with {golds} golds leave no wrong option; give more options")
    # Exact shares, randomly placed: the truth is then known without sampling error.
    n_lost, n_gained = round(lost * items), round(gained * items)
    n_kept = round(known * items) - n_lost
    state = np.repeat([0, 1, 2, 3], [n_kept, n_lost, n_gained, items - n_kept - n_lost - n_gained])
    rng.shuffle(state)
    knows = [(state == 0) | (state == 1), (state == 0) | (state == 2)]
    times = (repeats, repeats) if isinstance(repeats, int) else repeats
    shared = rng.random(items)  # the guess an item keeps coming back to
    # Two answers both take the shared guess with probability `persistence`.
    sticky = np.sqrt(persistence)
    first_gold = rng.integers(0, np.maximum(k, 1))
    runs = []
    for side in (0, 1):
        parts = []
        for repeat in range(times[side]):
            own = np.where(rng.random(items) < sticky, shared, rng.random(items))
            guess = (own * np.maximum(k, 1)).astype(np.int64)
            silent = ~knows[side] & (rng.random(items) < abstain[side])
            # Golds are `golds` neighbouring positions from first_gold on, modulo k.
            is_gold = ((guess - first_gold) % np.maximum(k, 1)) < golds
            right = np.where(knows[side], True, np.where(k > 0, is_gold, False) & ~silent)
            choice = np.where(knows[side], first_gold, guess)
            parts.append(_rows(names, task, k, golds, first_gold, repeat, right, silent, choice, choices, first_item))
        order = rng.permutation(items * times[side]) if shuffle and side else np.arange(items * times[side])
        table = pl.concat(parts)[order]
        runs.append(_run(table, side, names, texts, sampled=times[side] > 1))
    before, after = runs
    shares = (float(known_side.mean()) for known_side in knows)
    return Planted(before, after, n_lost / items, n_gained / items, *shares)


def join_planted(parts: Sequence[Planted]) -> Planted:
    """Return one pair made of several with different tasks and items; the truth is the mean over items."""
    runs = []
    for side in ("before", "after"):
        of_side: list[Run] = [getattr(part, side) for part in parts]
        tables, texts, offset = [], [], 0
        for run in of_side:
            shift = pl.col("text_row") + offset
            tables.append(run.samples.drop("occurrence").with_columns(shift.cast(pl.UInt32)))
            if run.has_texts:
                texts.append(run.texts().with_columns(shift.cast(pl.UInt32)))
            offset += tables[-1].height
        info = RunInfo(model=of_side[0].info.model, tool=of_side[0].info.tool, settings=of_side[0].info.settings)
        info.task_names = {name: name for run in of_side for name in run.tasks}
        wide = pl.concat(texts) if len(texts) == len(parts) else None
        runs.append(assemble(pl.concat(tables), info, source=f"planted {side}", texts=wide))
    sizes = [part.before.info.counts["items"] for part in parts]

    def mean(name: str) -> float:
        return float(np.average([getattr(part, name) for part in parts], weights=sizes))

    before, after = runs
    return Planted(before, after, mean("lost"), mean("gained"), mean("known_before"), mean("known_after"))


def _mix(values: np.ndarray, salt: int) -> np.ndarray:
    """A 64-bit hash of integers, one to one (splitmix64's finaliser)."""
    mixed = (values.astype(np.uint64) + np.uint64(salt)) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _rows(
    names: list[str],
    task: np.ndarray,
    k: np.ndarray,
    golds: int,
    first_gold: np.ndarray,
    repeat: int,
    right: np.ndarray,
    silent: np.ndarray,
    choice: np.ndarray,
    choices: bool,
    first_item: int,
) -> pl.DataFrame:
    items = len(task)
    number = np.arange(first_item, first_item + items, dtype=np.uint64)
    closed = k > 0
    recorded = closed & ~silent & choices
    frame = pl.DataFrame(
        {
            "task": pl.Series(np.asarray(names, dtype=object)[task], dtype=pl.String),
            "item_high": _mix(number, 1),
            "item_low": _mix(number, 2),
            "question_key": _mix(number, 3),
            "text_key": _mix(number, 4),
            "native_id": number,
            "score": right.astype(np.float64),
            "n_options": k,
            "gold_index": first_gold,
            "choice_index": choice,
            "closed": closed,
            "recorded": recorded,
            "silent": silent,
            "text_row": np.arange(items * repeat, items * (repeat + 1), dtype=np.uint64),
        }
    )
    only_closed = {name: pl.when("closed").then(name) for name in ("n_options", "gold_index")}
    frame = frame.with_columns(
        key_basis=pl.lit("content"),
        repeat=pl.lit(repeat),
        scorer=pl.lit("none"),
        metric=pl.lit("acc"),
        chance=pl.when("closed").then(golds / pl.col("n_options")).otherwise(0.0),
        n_gold=pl.when("closed").then(golds),
        gold_key=pl.when("closed").then("gold_index"),
        choice_key=pl.when("recorded").then("choice_index"),
        choice_index=pl.when("recorded").then("choice_index"),
        answer_state=pl.when("silent").then(pl.lit("no_answer")).otherwise(pl.lit("answered")),
        **only_closed,
    )
    absent = {name: pl.lit(None) for name in SAMPLE_SCHEMA if name not in frame.columns}
    return frame.with_columns(**absent).select(
        pl.col(name).cast(dtype) for name, dtype in SAMPLE_SCHEMA.items() if name != "occurrence"
    )


def _run(table: pl.DataFrame, side: int, names: list[str], texts: bool, *, sampled: bool) -> Run:
    info = RunInfo(
        model=("planted-before", "planted-after")[side],
        tool="forgetmap.testing",
        settings={"simulated": True, "temperature": 1.0 if sampled else 0.0},  # guesses of repeats are drawn anew
        task_names={name: name for name in names},
    )
    return assemble(
        table, info, source=f"planted {'after' if side else 'before'}", texts=_texts(table) if texts else None
    )


def _texts(table: pl.DataFrame) -> pl.DataFrame:
    """Texts that say what was planted, so that a page of them can be read."""
    is_open = pl.col("n_options").is_null()
    options = pl.int_ranges(pl.col("n_options").fill_null(0)).list.eval(
        pl.lit("option ") + pl.element().cast(pl.String)
    )
    value = pl.lit("value ") + pl.col("native_id")  # what an open question asks for
    letter = pl.lit("option ") + pl.col("choice_index").cast(pl.String)
    given = pl.when(pl.col("score") > 0).then(value).otherwise(pl.lit("another ") + value)
    choice = pl.when(is_open).then(pl.when(pl.col("answer_state") == "answered").then(given)).otherwise(letter)
    said = pl.format("I thought about question {}, and so the answer is {}.", "native_id", choice)
    silent = pl.format("I thought about question {} and came to no end", "native_id")
    question = pl.lit("Planted question ") + pl.col("native_id")
    return table.select(
        "text_row",
        question=question,
        options=pl.when(~is_open).then(options),
        gold=pl.concat_list(
            pl.when(is_open).then(value).otherwise(pl.lit("option ") + pl.col("gold_index").cast(pl.String))
        ),
        choice=choice,
        prompt=pl.format("Answer the question.\n\n{}", question),
        response=pl.coalesce(said, silent),
    ).cast(dict(TEXT_SCHEMA))  # type: ignore[arg-type]
