"""Items of a suite and paired samples: what a sequential gate is fed with, and the value each has for a limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.errors import UsageError
from forgetmap.estimate.chance import chance_values
from forgetmap.estimate.sequential import random_order
from forgetmap.items import text_hash

Floats = NDArray[np.float64]
_SUITE = {
    "task": pl.String, "id": pl.String, "native_id": pl.String, "n_options": pl.Int64, "n_gold": pl.Int64,
    "chance": pl.Float64,
}  # fmt: skip


class SuiteItem(NamedTuple):
    """An item of a suite: its task, a name that is its own within the task, and how many options it shows."""

    task: str
    id: str
    options: int | None = None  # None: not known, so that flips are counted as they are; 0: open-ended
    golds: int = 1
    native_id: str | None = None  # what the evaluation tool calls it, where a log told


class PairedSample(NamedTuple):
    """The two answers to one item."""

    task: str
    id: str
    before: float  # score in [0, 1], 1 is right
    after: float
    answered: tuple[bool, bool] = (True, True)  # whether a valid choice was made, before and after
    same_choice: bool | None = None  # both wrong: whether the same wrong option was chosen; None: not on record


def suite_frame(suite: Iterable[SuiteItem] | pl.DataFrame) -> pl.DataFrame:
    """Return a suite as a frame: task, id, native_id, n_options, n_gold, chance (null where the options are not known)."""
    if isinstance(suite, pl.DataFrame):
        return suite.select(pl.col(name).cast(dtype) for name, dtype in _SUITE.items())
    rows = [
        (one.task, one.id, one.native_id, one.options or None, one.golds if one.options else None, _chance_of(one))
        for one in suite
    ]
    return pl.DataFrame(rows, schema=_SUITE, orient="row")


def suite_items(suite: pl.DataFrame) -> list[SuiteItem]:
    """Return the items of such a frame."""
    return [
        SuiteItem(task, name, None if chance is None else options or 0, golds or 1, native)
        for task, name, native, options, golds, chance in suite.select(*_SUITE).iter_rows()
    ]


def _chance_of(item: SuiteItem) -> float | None:
    if item.options is None:
        return None
    if item.options and not 0 < item.golds <= item.options:
        raise UsageError(
            f"{item.task} {item.id}: {item.golds} golds of {item.options} options; golds are counted among options"
        )
    return item.golds / item.options if item.options else 0.0


def shuffled(suite: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return the items in the random order of a seed; it depends on their tasks and ids only."""
    tasks = {task: text_hash(task) for task in suite["task"].unique()}
    keys = [
        np.array([tasks[task] for task in suite["task"]], dtype=np.uint64),
        np.array([text_hash(item) for item in suite["id"]], dtype=np.uint64),
    ]
    return suite[random_order(keys, seed)]


def answers_frame(rows: Sequence[PairedSample]) -> pl.DataFrame:
    """The samples as pairing would show them."""
    made = []
    for row in rows:
        for score in (row.before, row.after):
            if not 0 <= score <= 1:
                raise UsageError(
                    f"{row.task} {row.id}: score {score} is not in [0, 1]; leave out samples without a score"
                )
        graded = row.before not in (0, 1) or row.after not in (0, 1)
        shares: list[float | None] = []
        for score, answered in zip((row.before, row.after), row.answered, strict=True):
            shares += (
                [None, None, None]
                if graded
                else [score, float(not score and answered), float(not score and not answered)]
            )
        both_wrong = not graded and shares[1] == shares[4] == 1.0
        differ = float(both_wrong and row.same_choice is False)
        made.append((*shares, differ, max(row.before - row.after, 0.0), max(row.after - row.before, 0.0)))
    columns = ("right", "wrong", "none", "right_after", "wrong_after", "none_after", "differ", "lost", "gained")
    return pl.DataFrame(made, schema=dict.fromkeys(columns, pl.Float64), orient="row")


def values_of(answers: pl.DataFrame) -> dict[str, Floats]:
    """Return every value that a limit may be set on; NaN where an item has none."""
    b = {name: pl.col(name).cast(pl.Float64) for name in ("right", "wrong", "none")}
    a = {name: pl.col(f"{name}_after").cast(pl.Float64) for name in ("right", "wrong", "none")}
    differ = pl.col("differ").cast(pl.Float64)
    values = {
        "lost_observed": pl.col("lost"),
        "gained_observed": pl.col("gained"),
        "net": pl.col("lost") - pl.col("gained"),
        "lost_chance": chance_values(b["right"] * a["wrong"], b["right"] * a["none"], b["wrong"] * a["none"], differ),
        "gained_chance": chance_values(b["wrong"] * a["right"], b["none"] * a["right"], b["none"] * a["wrong"], differ),
    }
    found = answers.select(value.cast(pl.Float64).fill_null(float("nan")).alias(name) for name, value in values.items())
    return {name: found[name].to_numpy() for name in values}


def value_range(suite: pl.DataFrame, measure: str, reading: str) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value that each item can have (statistics.md 2.2)."""
    if measure == "net" or reading == "observed":
        return np.full(suite.height, -1.0 if measure == "net" else 0.0), np.ones(suite.height)
    q = pl.col("chance")
    wrong = pl.col("n_options") - pl.col("n_gold")
    luck = pl.when((wrong >= 2) & (q > 0)).then(pl.col("n_gold") / ((wrong - 1) * (1 - q))).otherwise(0.0)
    ends = suite.select(low=-pl.max_horizontal(luck.fill_null(0.0), q / (1 - q)), high=1 / (1 - q))
    return ends["low"].to_numpy(), ends["high"].to_numpy()
