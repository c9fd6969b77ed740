"""The items behind a map: which ones were lost or gained, with both answers side by side."""

from __future__ import annotations

import polars as pl

from forgetmap.errors import UsageError
from forgetmap.items import item_id
from forgetmap.pairing import Pair
from forgetmap.run import TEXT_SCHEMA, Run

TRANSITIONS = ("lost", "gained", "kept", "never")


def list_flips(pair: Pair, transition: str = "lost", *, tasks: str | None = None) -> pl.DataFrame:
    """Return the items of a transition, the largest change first.

    An item is lost if its score fell: 1→0 for one answer per side, a lower mean over repeats or a lower grade else.
    Kept and never hold the items whose score did not move, above or at 0.
    """
    change = pl.col("lost") - pl.col("gained")
    conditions = {
        "lost": change > 0,
        "gained": change < 0,
        "kept": (change == 0) & (pl.col("score") > 0),
        "never": (change == 0) & (pl.col("score") == 0),
    }
    if transition not in conditions:
        raise UsageError(f"transition is '{transition}'; it must be one of {', '.join(TRANSITIONS)}")
    items = pair.items.filter(conditions[transition])
    if tasks is not None:
        import fnmatch

        name = pl.col("task").cast(pl.String)
        names = items["task"].cast(pl.String).unique().to_list()
        items = items.filter(name.is_in([task for task in names if fnmatch.fnmatchcase(task, tasks)]))
    table = items.select(
        pl.col("task").cast(pl.String),
        "item_high",
        "item_low",
        score_before="score",
        score_after="score_after",
        _row="text_row",
        _row_after="text_row_after",
    )
    table = _with_samples(table, pair.before, "_row", "before")
    table = _with_samples(table, pair.after, "_row_after", "after")
    first = ["task", "item", "native_id", "question", "options", "gold"]
    fall = pl.col("score_before") - pl.col("score_after")
    return (
        table.with_columns(item=_item_id(), _size=fall.abs())
        .sort("_size", "task", "item", descending=[True, False, False])
        .drop("_size", "_row", "_row_after", "item_high", "item_low", "native_id_after")
        .rename({"native_id_before": "native_id"})
        .select(*first, pl.exclude(first))
    )


def _item_id() -> pl.Expr:
    return pl.struct("item_high", "item_low").map_elements(
        lambda key: item_id(key["item_high"], key["item_low"]), return_dtype=pl.String
    )


def _with_samples(table: pl.DataFrame, run: Run, row: str, side: str) -> pl.DataFrame:
    wanted = table[row].unique()
    narrow = (
        run.scan()
        .filter(pl.col("text_row").is_in(wanted.implode()))
        .select("text_row", "native_id", "answer_state")
        .unique("text_row", keep="first")
        .collect()
        .rename({"text_row": row, "native_id": f"native_id_{side}", "answer_state": f"state_{side}"})
    )
    table = table.join(narrow, on=row, how="left", maintain_order="left")
    texts = run.texts() if run.has_texts else pl.DataFrame(schema=TEXT_SCHEMA)
    texts = texts.filter(pl.col("text_row").is_in(wanted.implode())).rename({"text_row": row})
    renamed = {name: f"{name}_{side}" for name in ("choice", "prompt", "response")}
    content = ["question", "options", "gold"] if side == "before" else []
    return table.join(
        texts.rename(renamed).select(row, *content, *renamed.values()), on=row, how="left", maintain_order="left"
    )
