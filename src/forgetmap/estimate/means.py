"""Means over items, from counts of patterns: the same digits every time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl


def task_means(patterns: pl.DataFrame, values: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """Return per task the number of items and the mean of each per-item value.

    `patterns` is sorted by task and holds `n` items per row. A mean is null if any item of the task has no value: a mean
    over some of them would not be the task's. Sums run in the order of rows, so that no thread can change a digit.
    """
    if not patterns.height:
        schema = {"task": pl.String, "items": pl.Int64, **dict.fromkeys(values, pl.Float64)}
        return pl.DataFrame(schema=schema)
    tasks = patterns["task"].to_numpy()
    starts = np.flatnonzero(np.concatenate([[True], tasks[1:] != tasks[:-1]]))
    counts = patterns["n"].to_numpy().astype(np.float64)
    items = np.add.reduceat(counts, starts)
    columns: dict[str, pl.Series] = {
        "task": pl.Series("task", tasks[starts], dtype=pl.String),
        "items": pl.Series("items", items.astype(np.int64)),
    }
    evaluated = patterns.select(**{name: expression.cast(pl.Float64) for name, expression in values.items()})
    for name in values:
        column = evaluated[name]
        means = pl.Series(name, np.add.reduceat(column.fill_null(0.0).to_numpy() * counts, starts) / items)
        missing = np.add.reduceat(column.is_null().to_numpy().astype(np.int64), starts) > 0
        columns[name] = means.zip_with(
            ~pl.Series(missing), pl.Series([None], dtype=pl.Float64).new_from_index(0, len(means))
        )
    return pl.DataFrame(columns)
