"""Words in millions of replies: looked for piece by piece, so that nobody waits and nothing else stands still."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.explorer.texts import Texts
from forgetmap.run import Run

#: Texts looked at between two looks at the clock.
PIECE = 100_000


@dataclass(frozen=True)
class _Part:
    """The texts of one side that are still to be looked at."""

    texts: pl.LazyFrame
    rows: int
    fields: tuple[str, ...]
    row: NDArray[np.uint32]  # of each item's text
    told: NDArray[np.bool_]  # whether the item has one


class Search:
    """The items whose question or replies hold the words, upper and lower case alike (ASCII), as far as it has come.

    With repeats the first reply is searched.
    """

    def __init__(self, words: str, items: pl.DataFrame, before: Texts, after: Texts) -> None:
        self.words = words
        self.hits = _named(items, words, before.run)
        self._parts = [
            _part(before, items["text_row"], ("question", "response", "choice")),
            _part(after, items["text_row_after"], ("response", "choice")),
        ]
        self.rows = sum(part.rows for part in self._parts)  # texts there are
        self.done = 0  # texts looked at
        self._lock = threading.Lock()

    @property
    def is_done(self) -> bool:
        """Whether every text was looked at."""
        return self.done >= self.rows

    def advance(self, seconds: float) -> None:
        """Look on for so long, or until all is seen; at least one piece, so that every call gets on."""
        end = time.monotonic() + seconds
        with self._lock:
            while not self.is_done:
                self._look()
                if time.monotonic() > end:
                    return

    def _look(self) -> None:
        start = self.done
        for part in self._parts:
            if start < part.rows:
                break
            start -= part.rows
        said = pl.any_horizontal(
            pl.col(name).str.contains_any([self.words], ascii_case_insensitive=True).fill_null(False)
            for name in part.fields
        )
        piece = part.texts.slice(start, PIECE).select("text_row", *part.fields).filter(said).select("text_row")
        found = piece.collect()["text_row"].to_numpy()
        if len(found):
            # replaced, not changed: whoever reads the hits meanwhile sees a whole state
            self.hits = self.hits | (np.isin(part.row, found) & part.told)
        self.done += min(PIECE, part.rows - start)


def _part(texts: Texts, row: pl.Series, fields: tuple[str, ...]) -> _Part:
    rows = int(texts.scan().select(pl.len()).collect().item())
    return _Part(texts.scan(), rows, fields, row.fill_null(0).to_numpy(), row.is_not_null().to_numpy())


def _named(items: pl.DataFrame, words: str, run: Run) -> NDArray[np.bool_]:
    """Items whose id is, or whose task holds, the words: no text is needed for that."""
    tasks = items["task"].cast(pl.String)
    named = [name for name in tasks.unique().to_list() if words.lower() in name.lower()]
    hits = tasks.is_in(named).to_numpy().copy() if named else np.zeros(items.height, dtype=bool)
    ids = run.scan().filter(pl.col("native_id") == words).select("item_low").unique().collect().to_series()
    if len(ids):
        hits |= items["item_low"].is_in(ids.implode()).to_numpy()
    return hits
