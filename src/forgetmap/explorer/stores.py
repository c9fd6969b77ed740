"""The samples of a run in memory, so that the answers to a few items are found among millions at once."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.run import TEXT_SCHEMA, Run

#: What the list of items needs of a sample.
COLUMNS = (
    "task", "item_high", "item_low", "occurrence", "repeat", "scorer", "metric", "score", "correct", "native_id",
    "text_row", "gold_key", "gold_index", "choice_key", "n_options", "n_gold", "option_logprobs", "answer_state",
)  # fmt: skip
#: Equality prunes row groups by their statistics, a long list of values does not: more rows than these are read by scan.
_FEW = 256


@dataclass(frozen=True)
class Store:
    """A run's samples, and where those of an item stand."""

    run: Run = field(repr=False)
    samples: pl.DataFrame = field(repr=False)
    _keys: NDArray[np.uint64] = field(repr=False)  # lower half of the item key, sorted
    _places: NDArray[np.uint32] = field(repr=False)  # of the samples, in that order
    texts: Texts = field(repr=False)

    @classmethod
    def of(cls, run: Run, *, saved: bool) -> Store:
        """Read the narrow samples of a run."""
        samples = run.scan().select(COLUMNS).collect()
        keys = samples["item_low"].to_numpy()
        places = np.argsort(keys, kind="stable").astype(np.uint32)
        return cls(run, samples, keys[places], places, Texts(run, saved))

    def only(self, keys: NDArray[np.uint64]) -> Run:
        """Return the run with the samples and texts of a few items only: all of theirs, perhaps some more.

        Items are looked up by half of their key. Whoever asks joins by the whole key, so that a stranger does no harm.
        """
        keys = np.unique(keys)
        starts, ends = (np.searchsorted(self._keys, keys, side=side) for side in ("left", "right"))
        spans = [self._places[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        rows = np.concatenate([*spans, np.empty(0, dtype=np.uint32)])
        samples = self.samples[rows]
        if not self.run.has_texts:
            return replace(self.run, _samples=samples.lazy())
        texts = self.texts.read(samples["text_row"].drop_nulls().unique().sort().to_list())
        return replace(self.run, _samples=samples.lazy(), _texts=texts)


class Texts:
    """The texts of a run by row: from its file where it has one, else read once from the log and kept."""

    def __init__(self, run: Run, saved: bool) -> None:
        self._run, self._saved = run, saved
        self._kept: pl.DataFrame | None = None
        self._lock = threading.Lock()

    def scan(self) -> pl.LazyFrame:
        """Return the texts table; a log that was not imported is read again, once."""
        if self._saved:
            return self._run.scan_texts()
        with self._lock:
            if self._kept is None:
                self._kept = self._run.texts()
            return self._kept.lazy()

    def read(self, rows: list[int]) -> pl.DataFrame:
        """Return the texts of a few rows."""
        if not rows:
            return pl.DataFrame(schema=TEXT_SCHEMA)
        row = pl.col("text_row")
        if len(rows) <= _FEW:
            wanted = reduce(or_, [row == one for one in rows])
        else:
            wanted = row.is_in(pl.Series(rows, dtype=pl.UInt32).implode())
        return self.scan().filter(wanted).collect().unique("text_row", keep="first")
