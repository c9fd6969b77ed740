"""The desk: pairs, maps and ledgers that are being looked at, each made once and kept while there is room."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.chain import Chain, chain_runs
from forgetmap.errors import UsageError
from forgetmap.estimate.positions import biased_tasks
from forgetmap.explorer.ahead import Ahead, Need
from forgetmap.explorer.ledger import Ledger
from forgetmap.explorer.library import Library
from forgetmap.explorer.sheets import without_causes
from forgetmap.explorer.shelf import Shelf
from forgetmap.explorer.state import View
from forgetmap.explorer.texts import Texts
from forgetmap.levels import LEVELS
from forgetmap.map import ForgettingMap, _check_scorers, map_pairs
from forgetmap.pairing import Pair, Scale, pair_runs
from forgetmap.report.plain import visible
from forgetmap.report.sheet import Sheet
from forgetmap.slices import Sliced, slice_pair
from forgetmap.taxonomies import Taxonomy

_BYTES_PER_ITEM = 400  # of a pair in memory


@dataclass(frozen=True)
class Choice:
    """Which scores are compared: the same for every view."""

    scorer: str | None = None
    metric: str | None = None
    tasks: str | None = None
    scale: Scale = field(default_factory=Scale)
    force: bool = False


class Desk:
    """Everything that a view is made of."""

    def __init__(
        self, library: Library, *, choice: Choice | None = None, taxonomies: Mapping[str, Taxonomy | str] | None = None
    ) -> None:
        self.library = library
        self.choice = choice or Choice()
        self.taxonomies = dict(taxonomies or {"post_forget": "post_forget"})
        room = _room()
        self._texts: Shelf[str, Texts] = Shelf(len(library) + 1)
        self._pairs: Shelf[Any, Pair] = Shelf(64)  # without its items a pair is small
        self._ledgers: Shelf[Any, Ledger] = Shelf(room, len)
        self._maps: Shelf[Any, list[ForgettingMap]] = Shelf(64)
        self._sheets: Shelf[Any, list[Sheet]] = Shelf(64)
        self._cause_tables: Shelf[Any, list[tuple[list[dict[str, Any]], list[str]]]] = Shelf(32)
        self._slices: Shelf[Any, Sliced] = Shelf(64)
        self._chains: Shelf[Any, Chain] = Shelf(4)
        self._parts: Shelf[Any, Pair] = Shelf(16)
        self._warming: set[Any] = set()
        self._lock = threading.Lock()
        self.ahead = Ahead()

    def first_view(self) -> View | None:
        """Return what is shown where nobody chose: the first run before, the second after; None with one run."""
        ids = list(self.library.entries)
        taxonomy = next(iter(self.taxonomies))
        return View(ids[0], (ids[1],), taxonomy=taxonomy) if len(ids) > 1 else None

    # ---- pairs --------------------------------------------------------------------------------------------------------

    def pair(self, before: str, after: str, prefer: str | None = None) -> Pair:
        """Return two runs side by side."""
        left, right = (self.library.entries[ident].run for ident in (before, after))
        choice = self.choice

        def make() -> Pair:
            # what only checks a finding must not refuse it
            force = choice.force or prefer is not None
            made = pair_runs(
                left, right, scorer=choice.scorer, metric=choice.metric, tasks=choice.tasks, scale=choice.scale,
                force=force, prefer=prefer,
            )  # fmt: skip
            return _faulty(made)

        return self._pairs.get((before, after, prefer), make)

    def ledger(self, before: str, after: str) -> Ledger:
        """Return the items of a pair."""
        pair = self.pair(before, after)
        return self._ledgers.get((before, after), lambda: Ledger(pair, self._text(before), self._text(after)))

    def ledgers(self, view: View) -> list[Ledger]:
        """Return the items of every pair of a view."""
        return [self.ledger(view.before, after) for after in view.afters]

    def _text(self, ident: str) -> Texts:
        entry = self.library.entries[ident]
        return self._texts.get(ident, lambda: Texts(entry.run, saved=entry.saved))

    def restricted(self, before: str, after: str, only: Sequence[tuple[str, str]]) -> Pair:
        """Return a pair over the items that meet the conditions."""
        if not only:
            return self.pair(before, after)

        def make() -> Pair:
            ledger = self.ledger(before, after)
            mask = only_mask(ledger, only)
            assert mask is not None
            return ledger.counts.restrict(mask)

        return self._parts.get((before, after, tuple(only)), make)

    # ---- maps ---------------------------------------------------------------------------------------------------------

    def maps(self, view: View) -> list[ForgettingMap]:
        """Return the maps of a view, decided together; the numbers are those of `compare`."""

        def make() -> list[ForgettingMap]:
            asked: dict[str, Any] = {
                "taxonomy": self.taxonomies[view.taxonomy],
                "weight": view.weight,
                "reading": view.reading,
            }
            maps = map_pairs([self.restricted(view.before, after, view.only) for after in view.afters], **asked)
            if not view.only and self.choice.scorer is None and self.choice.metric is None:
                maps = self._checked(view, maps, asked)
            return maps

        return self._maps.get(view.map_key(), make)

    def _checked(self, view: View, maps: list[ForgettingMap], asked: dict[str, Any]) -> list[ForgettingMap]:
        """The same maps, with a mark where the finding depends on the scorer."""
        entries = self.library.entries
        runs = [(entries[view.before].run, entries[after].run) for after in view.afters]
        ids = {id(right): after for (_, right), after in zip(runs, view.afters, strict=True)}
        return _check_scorers(
            maps, runs, lambda left, right, prefer: self.pair(view.before, ids[id(right)], prefer), asked
        )

    def has_map(self, view: View) -> bool:
        """Whether the map of a view is at hand."""
        return view.map_key() in self._maps

    def sheets(self, view: View) -> list[Sheet]:
        """Return the maps as they are shown, without causes: those read replies, and come later."""

        def make() -> list[Sheet]:
            return [without_causes(found) for found in self.maps(view)]

        return self._sheets.get(view.map_key(), make)

    def sheets_with_causes(self, view: View, *levels: str) -> list[Sheet]:
        """Return the maps as they are shown, with the causes of the cells of some levels, or of all of them.

        Waits until the causes are found.
        """
        return [
            replace(sheet, causes=rows, notes=[*sheet.notes, *notes])
            for sheet, (rows, notes) in zip(self.sheets(view), self._cause_rows(view, levels or LEVELS), strict=True)
        ]

    def _cause_rows(self, view: View, levels: Sequence[str]) -> list[tuple[list[dict[str, Any]], list[str]]]:
        """The causes of cells of every map, and what must be said of them; readings and weights change neither."""

        def make() -> list[tuple[list[dict[str, Any]], list[str]]]:
            made = []
            for ledger, found in zip(self.ledgers(view), self.maps(view), strict=True):
                mask = only_mask(ledger, view.only)
                causes = ledger.causes() if mask is None else ledger.causes_of(mask)
                places = [at for at, cell in enumerate(found.cells) if cell.level in levels]
                asked = [found.cells[at] for at in places]
                rows = causes.table([(cell.level, cell.name, cell.task_names) for cell in asked])
                rows = [{**row, "cell": places[row["cell"]]} for row in rows]
                if view.only:  # how common a cause is among all answers is counted for the whole pair only
                    rows = [{**row, "share_of_all": None} for row in rows]
                made.append((rows, causes.notes))
            return made

        key = (view.before, view.afters, view.taxonomy, view.only, tuple(levels))
        return self._cause_tables.get(key, make)

    # ---- more ---------------------------------------------------------------------------------------------------------

    def slices(self, view: View) -> list[Sliced]:
        """Return the slices of the dimension that a view names, of the items of its cell and conditions."""
        if view.by is None:
            raise UsageError("no dimension is chosen; choose by what to slice")
        key = (view.before, view.afters, view.by, view.only, view.reading, self._cell_tasks(view))
        return [
            self._slices.get((place, key), lambda ledger=ledger: self._sliced(view, ledger))  # type: ignore[misc]
            for place, ledger in enumerate(self.ledgers(view))
        ]

    def _sliced(self, view: View, ledger: Ledger) -> Sliced:
        assert view.by is not None
        column, pair = ledger.slice_of(view.by), ledger.pair
        mask = both(only_mask(ledger, view.only), self.cell_mask(view, ledger))
        if mask is not None:
            pair, column = ledger.counts.restrict(mask), column.filter(pl.Series(mask))
        return slice_pair(pair, view.by, column=column, reading=view.reading)

    def chain(self, view: View) -> Chain:
        """Return before and afters as the stages of one model."""
        ids = (view.before, *view.afters)
        choice = self.choice

        def make() -> Chain:
            return chain_runs(
                [self.library.entries[ident].run for ident in ids], scorer=choice.scorer, metric=choice.metric,
                tasks=choice.tasks, threshold=choice.scale.threshold, force=choice.force,
            )  # fmt: skip

        return self._chains.get(ids, make)

    def cell_mask(self, view: View, ledger: Ledger) -> NDArray[np.bool_] | None:
        """Return which items belong to the chosen cell; None where none is chosen."""
        tasks = self._cell_tasks(view)
        return None if tasks is None else ledger.tasks_mask(tasks)

    def _cell_tasks(self, view: View) -> tuple[str, ...] | None:
        if view.cell is None or view.cell[0] == "total":
            return None
        level, name = view.cell
        tasks: dict[str, None] = {}
        there = False
        for found in self.maps(view):
            for cell in found.cells:
                if cell.level == level and name in (cell.name, visible(cell.name)):  # pages show the second
                    there = True
                    tasks |= dict.fromkeys(cell.task_names)
        if not there:
            raise UsageError(f"this map has no {level} '{name[:60]}'; choose one of its cells")
        return tuple(tasks)

    # ---- before anyone asks -----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin to make what is shown first, while the server is still being loaded; a fault is told to whoever asks."""
        first = self.first_view()
        if first is not None:
            self.ahead.add([lambda: self.sheets(first)], Need.NEXT)

    def warm(self, view: View) -> bool:
        """Begin to make what a view is likely to need next; False where that was begun before."""
        with self._lock:
            fresh = [after for after in view.afters if (view.before, after) not in self._warming]
            self._warming.update((view.before, after) for after in fresh)
        for after in fresh:
            self._warm_pair(view.before, after)
        return bool(fresh)

    def _warm_pair(self, before: str, after: str) -> None:
        def later(step: Callable[[Ledger], object]) -> Callable[[], object]:
            return lambda: step(self.ledger(before, after))

        self.ahead.add([later(step) for step in Ledger.STEPS], Need.NEXT)
        self.ahead.add([later(Ledger.causes), later(Ledger.cause_of)], Need.LATER)


def _faulty(pair: Pair) -> Pair:
    """The same pair with the positions of faulty tasks only: those of sound ones change no map, and take long to go through."""
    positions = pair.positions
    golds = positions.filter((pl.col("side") == "before") & pl.col("gold_index").is_not_null())
    constant = golds.group_by("task").agg(pl.col("gold_index").n_unique()).filter(pl.col("gold_index") == 1)["task"]
    return replace(pair, positions=positions.filter(pl.col("task").is_in([*biased_tasks(pair), *constant])))


def only_mask(ledger: Ledger, only: Sequence[tuple[str, str]]) -> NDArray[np.bool_] | None:
    """Return which items meet all conditions; None where there are none."""
    mask = None
    for dimension, value in only:
        mask = both(mask, ledger.slice_mask(dimension, value))
    return mask


def both(one: NDArray[np.bool_] | None, other: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """Return the items that two masks share; None is every item."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _room() -> int:
    """How many items may stay in memory: half of the machine's."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not every system tells
        memory = 8 << 30
    return max(1, memory // 2 // _BYTES_PER_ITEM)
