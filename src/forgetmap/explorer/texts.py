"""The texts of a run, a few rows at a time: only the parts of the file that hold them are read."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import reduce
from operator import or_

import polars as pl

from forgetmap.run import TEXT_SCHEMA, Run

#: Equality passes over row groups by their statistics, a list of values does not; more rows than these are read by scan.
_FEW = 256


class Texts:
    """The texts of a run by row: from its file where it has one, else read once from the log and kept."""

    def __init__(self, run: Run, *, saved: bool) -> None:
        self.run, self._saved = run, saved
        self._kept: pl.LazyFrame | None = None
        self._lock = threading.Lock()

    def scan(self) -> pl.LazyFrame:
        """Return the texts table, empty for a run without texts; a log that was not imported is read again, once."""
        with self._lock:
            if self._kept is None:
                if not self.run.has_texts:
                    self._kept = pl.LazyFrame(schema=TEXT_SCHEMA)
                else:
                    self._kept = self.run.scan_texts() if self._saved else self.run.texts().lazy()
            return self._kept

    def some(self, rows: Sequence[int]) -> pl.LazyFrame:
        """Return the texts of some rows."""
        row = pl.col("text_row")
        if not rows:
            return pl.LazyFrame(schema=TEXT_SCHEMA)
        if len(rows) > _FEW:
            return self.scan().filter(row.is_in(pl.Series(rows, dtype=pl.UInt32).implode()))
        return self.scan().filter(reduce(or_, [row == one for one in rows]))


def read_questions(texts: Texts, rows: Sequence[int], most: int) -> pl.DataFrame:
    """Return the beginning of what was asked in some rows, and nothing else of them; the prompt where there is no question."""
    found = texts.some(rows).select("text_row", "question").collect()
    missing = found.filter(pl.col("question").is_null())["text_row"].to_list()
    if missing:
        prompts = texts.some(missing).select("text_row", question="prompt").collect()
        found = pl.concat([found.filter(pl.col("question").is_not_null()), prompts])
    begun = found.unique("text_row", keep="first").with_columns(pl.col("question").str.slice(0, most))
    absent = {name: pl.lit(None, dtype=dtype) for name, dtype in TEXT_SCHEMA.items() if name not in begun.columns}
    return begun.with_columns(**absent).select(list(TEXT_SCHEMA))


def read_texts(wanted: Sequence[tuple[Texts, Sequence[int]]]) -> list[pl.DataFrame]:
    """Return some rows of several runs, read side by side; a row that stands twice in its table is there once."""
    found = pl.collect_all([texts.some(rows) for texts, rows in wanted])
    return [one.unique("text_row", keep="first") for one in found]
