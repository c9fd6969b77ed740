"""The ledger of a pair: one short line per paired item, in memory, to filter, sort and page through.

Texts stay on disk: a page reads those of its own rows. What takes long (ranks, slices, causes) is made when it is first
asked for, once, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.causes import Causes, find_causes
from forgetmap.errors import UsageError
from forgetmap.explorer.counts import PatternCounts
from forgetmap.explorer.search import Search
from forgetmap.explorer.shelf import Shelf
from forgetmap.explorer.texts import Texts, read_questions, read_texts
from forgetmap.flips import TRANSITIONS
from forgetmap.flips.listing import _described, _finished, _sorted
from forgetmap.pairing import Pair
from forgetmap.slices import Dimension, dimensions, slice_column

Rows = NDArray[np.uint32]  # numbers of rows of `pair.items`
Mask = NDArray[np.bool_]

_KEY = ["task", "item_high", "item_low", "slot"]
_EXCERPT = 500  # characters of what was asked in a list
_LAST = len(TRANSITIONS)  # items whose score has no place in [0, 1] are of no transition


#: What a page shows of an item beside its texts.
_SHOWN = (
    "task", "item_high", "item_low", "slot", "score_before", "score_after", "repeats_before", "repeats_after",
    "native_id_before", "state_before", "state_after", "text_row_before", "text_row_after", "confidence", "repeats_wrong",
    "shared_by", "marks", "_chose_before", "_chose_after", "_picked_before", "_picked_after",
)  # fmt: skip


@dataclass(frozen=True)
class Ranks:
    """The items of a transition, what to look at first on top."""

    rows: Rows
    table: pl.DataFrame  # what is known of each, in that order
    confidence: NDArray[np.float64]  # NaN where unknown


class Ledger:
    """A pair's items, ready to be looked up."""

    def __init__(self, pair: Pair, before: Texts, after: Texts) -> None:
        self.pair = pair
        self.texts = {"before": before, "after": after}
        self._columns: Shelf[str, pl.Series] = Shelf(64)
        self._ranks: Shelf[Any, Ranks] = Shelf(16)
        self._values: Shelf[str, NDArray[Any]] = Shelf(16)
        self._searches: Shelf[str, Search] = Shelf(8)
        self._causes: Shelf[str, Causes] = Shelf(1)
        self._counts: Shelf[str, PatternCounts] = Shelf(1)
        self._whole: Shelf[str, Mapping[str, int]] = Shelf(8)

    @property
    def items(self) -> pl.DataFrame:
        """One row per paired item."""
        return self.pair.items

    def __len__(self) -> int:
        return self.pair.pairing.paired

    @cached_property
    def tasks(self) -> list[str]:
        """Tasks in the order of their codes."""
        return sorted(self.pair.patterns["task"].unique())

    @cached_property
    def task(self) -> NDArray[np.uint32]:
        """The code of each item's task."""
        order = {name: code for code, name in enumerate(self.tasks)}
        names = self.items["task"].cast(pl.String)
        return names.replace_strict(order, return_dtype=pl.UInt32).to_numpy()

    @cached_property
    def transition(self) -> NDArray[np.uint8]:
        """The place of each item's transition in `TRANSITIONS`; one more where it has none."""
        change = pl.col("lost") - pl.col("gained")
        lost, gained, kept, never = (pl.lit(code, dtype=pl.UInt8) for code in range(_LAST))
        code = (
            pl.when(change > 0).then(lost).when(change < 0).then(gained)
            .when((change == 0) & (pl.col("score") > 0)).then(kept)
            .when((change == 0) & (pl.col("score") == 0)).then(never)
            .otherwise(pl.lit(_LAST, dtype=pl.UInt8))
        )  # fmt: skip
        return self.items.select(code).to_series().to_numpy()

    def tasks_mask(self, names: Collection[str]) -> Mask:
        """Return which items belong to the tasks."""
        wanted = np.array([task in names for task in self.tasks], dtype=bool)
        mask: Mask = wanted[self.task]
        return mask

    @cached_property
    def dimensions(self) -> list[Dimension]:
        """By what the items can be cut."""
        return dimensions(self.pair)

    def slice_of(self, dimension: str) -> pl.Series:
        """Return the slice of each item."""
        if dimension not in {one.name for one in self.dimensions}:
            known = ", ".join(one.name for one in self.dimensions)
            raise UsageError(f"slice is '{dimension[:60]}'; these logs can be sliced by {known or 'nothing'}")
        return self._columns.get(dimension, lambda: slice_column(self.pair, dimension))

    def slice_mask(self, dimension: str, value: str) -> Mask:
        """Return which items are of a slice."""
        column = self.slice_of(dimension)
        words = column.dtype.categories.to_list()  # type: ignore[attr-defined]
        if value not in words:
            raise UsageError(f"'{value[:60]}' is no slice of {dimension}; there are {', '.join(words)}")
        mask: Mask = column.to_physical().to_numpy() == words.index(value)
        return mask

    def ranks(self, transition: str, others: Mapping[str, Pair] | None = None) -> Ranks:
        """Return the items of a transition, what to look at first on top.

        `others` are pairs of the same before-run by the id of their after: they tell which flips are shared.
        """
        known = others or {}
        return self._ranks.get((transition, tuple(known)), lambda: self._ranked(transition, list(known.values())))

    def _ranked(self, transition: str, others: Sequence[Pair]) -> Ranks:
        rows = np.flatnonzero(self.transition == TRANSITIONS.index(transition)).astype(np.uint32)
        table = _sorted(_described(self.pair, self.items[rows], transition, others))
        confidence = table["confidence"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return Ranks(rows[table["_item"].to_numpy()], table.select(_SHOWN), confidence)

    def causes(self) -> Causes:
        """Return why items were lost, and what gained ones did before; reads replies, and takes a while where many moved."""
        return self._causes.get("causes", lambda: find_causes(self.pair))

    def known_causes(self) -> Causes | None:
        """Return the causes if they are found; never waits."""
        return self._causes.peek("causes")

    def causes_of(self, mask: Mask) -> Causes:
        """Return the causes of some of the items; how common a cause is among all answers is not told of a part."""
        causes = self.causes()

        def rows() -> NDArray[np.uint32]:
            keys = self.items.lazy().select(pl.col("task").cast(pl.String), *_KEY[1:]).with_row_index("_row")
            found = causes.items.lazy().select(_KEY).join(keys, on=_KEY, how="left", maintain_order="left")
            return found.select("_row").collect().to_series().to_numpy()

        own = mask[self._values.get("cause rows", rows)]
        sizes = {name: n for name, n in count_codes(self.task, self.tasks, mask).items() if n}
        return Causes(causes.items.filter(pl.Series(own)), causes.states.clear(), sizes, 0, causes.notes)

    def cause_of(self) -> tuple[NDArray[np.int8], list[str]]:
        """Return the code of each item's main cause, −1 where there is none, and the names of the codes."""
        names = sorted(self.causes().items["cause"].unique())

        def codes() -> NDArray[np.int8]:
            order = {name: code for code, name in enumerate(names)}
            main = self.causes().items.sort("weight", "cause", descending=[True, False])
            main = main.unique(_KEY, keep="first", maintain_order=True).select(
                *_KEY, cause=pl.col("cause").replace_strict(order, return_dtype=pl.Int8)
            )
            keys = self.items.select(pl.col("task").cast(pl.String), *_KEY[1:])
            return keys.join(main, on=_KEY, how="left", maintain_order="left")["cause"].fill_null(-1).to_numpy()

        return self._values.get("cause", codes), names

    def count(self, what: str, mask: Mask | None) -> Mapping[str, int]:
        """Return how many items, or how many of some items, there are of each transition, task or cause."""
        kinds: dict[str, Callable[[], tuple[NDArray[Any], Sequence[str]]]] = {
            "transition": lambda: (self.transition, TRANSITIONS),
            "task": lambda: (self.task, self.tasks),
            "cause": self.cause_of,
        }
        codes, names = kinds[what]()
        if mask is not None:
            return count_codes(codes, names, mask)
        return self._whole.get(what, lambda: count_codes(codes, names))

    def value(self, name: str) -> NDArray[np.float64]:
        """Return what items are sorted by: change, length_before or length_after; NaN where unknown."""

        def made() -> NDArray[np.float64]:
            if name == "change":
                change = (self.items["score_after"] - self.items["score"]).abs()
            else:
                change = self._length(name.removeprefix("length_"))
            return change.cast(pl.Float64).fill_null(float("nan")).to_numpy()

        return self._values.get(name, made)

    def _length(self, side: str) -> pl.Series:
        row = "text_row" if side == "before" else "text_row_after"
        said = pl.coalesce("response", "choice").str.len_chars()
        texts = self.texts[side].scan().select(pl.col("text_row").alias(row), length=said).unique(row, keep="first")
        return self.items.lazy().select(row).join(texts, on=row, how="left", maintain_order="left").collect()["length"]

    @property
    def counts(self) -> PatternCounts:
        """The pattern of each item, by which any part of the pair is counted."""
        return self._counts.get("counts", lambda: PatternCounts.of(self.pair))

    #: What a first look at the items needs, in steps of a second or two for millions of items.
    STEPS: tuple[Callable[[Ledger], object], ...] = (
        lambda ledger: ledger.items,
        lambda ledger: (ledger.task, ledger.transition),
        lambda ledger: ledger.ranks("lost"),
        lambda ledger: ledger.ranks("gained"),
        lambda ledger: ledger.dimensions,
        lambda ledger: ledger.counts,
    )

    def search(self, words: str) -> Search:
        """Return the search for words, as far as it has come."""
        return self._searches.get(words, lambda: Search(words, self.items, self.texts["before"], self.texts["after"]))

    def show(
        self, ranks: Ranks, places: NDArray[np.int64], transition: str, *, brief: bool = False
    ) -> list[dict[str, Any]]:
        """Return items of a transition as the list of items shows them; other items' texts are not read.

        `brief` items have the beginning of what was asked and no other text.
        """
        table = ranks.table[places]
        rows = {side: table[f"text_row_{side}"].drop_nulls().unique().to_list() for side in self.texts}
        if brief:
            before = read_questions(self.texts["before"], rows["before"], _EXCERPT)
            after = before.clear()
        else:
            before, after = read_texts([(self.texts[side], rows[side]) for side in self.texts])
        small = replace(
            self.pair,
            before=replace(self.pair.before, _texts=before),
            after=replace(self.pair.after, _texts=after),
        )
        shown = _finished(table, small, None).to_dicts()
        causes = self._cause_names(ranks.rows[places])
        return [{**row, "transition": transition, "cause": cause} for row, cause in zip(shown, causes, strict=True)]

    def _cause_names(self, rows: Rows) -> list[str | None]:
        if self.known_causes() is None:
            return [None] * len(rows)
        codes, names = self.cause_of()
        return [names[code] if code >= 0 else None for code in codes[rows].tolist()]


def count_codes(codes: NDArray[Any], names: Sequence[str], mask: Mask | None = None) -> Mapping[str, int]:
    """Return how often each code occurs, by name; codes below 0 or past the names count for nothing."""
    chosen = codes if mask is None else codes[mask]
    counted = pl.Series(chosen).value_counts()
    found = dict(zip(counted.to_series(0).to_list(), counted["count"].to_list(), strict=True))
    return {name: found.get(code, 0) for code, name in enumerate(names)}
