"""A page of items: filtered, sorted and cut in memory; texts are read for the rows of the page only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgetmap.errors import UsageError
from forgetmap.explorer.desk import Desk, both, only_mask
from forgetmap.explorer.ledger import Ledger, Ranks, count_codes
from forgetmap.explorer.state import View
from forgetmap.flips import TRANSITIONS

#: Seconds that one request spends on a search.
PATIENCE = 0.4


@dataclass(frozen=True)
class Listing:
    """The items that a view asks for, in their order: which after and transition they are of, and their place there."""

    afters: NDArray[np.uint8]
    ways: NDArray[np.uint8]  # places in TRANSITIONS
    places: NDArray[np.int64]  # in the ranks of after and transition
    ledgers: list[Ledger] = field(repr=False)
    ranks: dict[tuple[int, int], Ranks] = field(repr=False)
    searched: int = 0  # texts looked at, of how many
    to_search: int = 0

    def __len__(self) -> int:
        return len(self.places)

    def show(self, start: int, stop: int, *, brief: bool = False) -> list[dict[str, Any]]:
        """Return some of the items as the list shows them."""
        afters, ways, places = (column[start:stop] for column in (self.afters, self.ways, self.places))
        shown: dict[int, dict[str, Any]] = {}
        for after, way in sorted(set(zip(afters.tolist(), ways.tolist(), strict=True))):
            mine = np.flatnonzero((afters == after) & (ways == way))
            rows = self.ledgers[after].show(self.ranks[after, way], places[mine], TRANSITIONS[way], brief=brief)
            shown |= {at: {**row, "after": after} for at, row in zip(mine.tolist(), rows, strict=True)}
        return [shown[at] for at in range(len(places))]

    def pieces(self, size: int) -> Iterator[list[dict[str, Any]]]:
        """Return all items, some at a time."""
        for start in range(0, len(self), size):
            yield self.show(start, start + size)

    def count_ways(self) -> dict[str, int]:
        """Return how many items of each transition there are."""
        return dict(count_codes(self.ways, TRANSITIONS))


def list_items(desk: Desk, view: View, *, patience: float | None = PATIENCE) -> Listing:
    """Return the items of a view; a search gives what it has found after `patience` seconds, None waits to its end."""
    ledgers = desk.ledgers(view)
    wanted = range(len(TRANSITIONS)) if view.transition is None else (TRANSITIONS.index(view.transition),)
    parts: list[tuple[int, int, NDArray[np.int64], int]] = []
    ranks: dict[tuple[int, int], Ranks] = {}
    searched = to_search = 0
    for after, ledger in enumerate(ledgers):
        if view.of is not None and view.of != after:
            continue
        others = {ident: one.pair for ident, one in zip(view.afters, ledgers, strict=True) if one is not ledger}
        mask = _mask(desk, view, ledger)
        if view.search is not None:
            search = ledger.search(view.search)
            search.advance(patience if patience is not None else float("inf"))
            searched, to_search = searched + search.done, to_search + search.rows
            mask = both(mask, search.hits)
        first = 0
        for way in wanted:
            found = ledger.ranks(TRANSITIONS[way], others if TRANSITIONS[way] in ("lost", "gained") else None)
            ranks[after, way] = found
            kept = np.arange(len(found.rows)) if mask is None else np.flatnonzero(mask[found.rows])
            parts.append((after, way, kept, first))
            first += len(found.rows)
    afters, ways = (
        np.concatenate([np.full(len(part[2]), part[at], dtype=np.uint8) for part in parts]) for at in (0, 1)
    )
    places = np.concatenate([part[2] for part in parts])
    order = _order(view, ledgers, ranks, parts)
    if order is not None:
        afters, ways, places = afters[order], ways[order], places[order]
    return Listing(afters, ways, places, ledgers, ranks, searched, to_search)


def _mask(desk: Desk, view: View, ledger: Ledger) -> NDArray[np.bool_] | None:
    mask = both(only_mask(ledger, view.only), desk.cell_mask(view, ledger))
    if view.task is not None:
        mask = both(mask, ledger.tasks_mask([view.task]))
    if view.cause is not None:
        codes, names = ledger.cause_of()
        if view.cause not in names:
            mask = np.zeros(len(codes), dtype=bool)
        else:
            mask = both(mask, codes == names.index(view.cause))
    return mask


def _order(
    view: View,
    ledgers: Sequence[Ledger],
    ranks: dict[tuple[int, int], Ranks],
    parts: Sequence[tuple[int, int, NDArray[np.int64], int]],
) -> NDArray[np.int64] | None:
    """The order asked for; None where the items stand in it. Ties keep their rank; unknown is last, both ways."""
    if view.sort == "rank":
        if len({after for after, *_ in parts}) < 2 and not view.descending:
            return None
        rank = np.concatenate([kept + first for _, _, kept, first in parts])
        return np.argsort(
            -rank if view.descending else rank, kind="stable"
        )  # the first of every after, then the second
    codes = {name: code for code, name in enumerate(sorted({task for ledger in ledgers for task in ledger.tasks}))}
    columns = []
    for after, way, kept, _ in parts:
        found, ledger = ranks[after, way], ledgers[after]
        if view.sort == "confidence":
            columns.append(found.confidence[kept])
        elif view.sort == "task":  # codes that mean the same in every pair
            columns.append(
                np.array([codes[task] for task in ledger.tasks])[ledger.task[found.rows[kept]]].astype(float)
            )
        else:
            columns.append(ledger.value(view.sort)[found.rows[kept]])
    values = np.concatenate(columns)
    values = np.where(np.isnan(values), np.inf, -values if view.descending else values)
    return np.argsort(values, kind="stable")


def count_facets(desk: Desk, view: View) -> dict[str, Any]:
    """Return what items can be filtered by, with how many there are, within the cell and conditions of the view."""
    ledgers = desk.ledgers(view)
    transitions = dict.fromkeys(TRANSITIONS, 0)
    tasks: dict[str, int] = {}
    causes: dict[str, int] | None = {}
    afters = []
    for place, ledger in enumerate(ledgers):
        mask = both(only_mask(ledger, view.only), desk.cell_mask(view, ledger))
        for name, n in ledger.count("transition", mask).items():
            transitions[name] += n
        for name, n in ledger.count("task", mask).items():
            tasks[name] = tasks.get(name, 0) + n
        if causes is not None and ledger.known_causes() is not None:
            for name, n in ledger.count("cause", mask).items():
                causes[name] = causes.get(name, 0) + n
        else:
            causes = None  # still being read, for one of them at least
        total = len(ledger) if mask is None else int(mask.sum())
        afters.append({"name": str(place), "label": desk.library.entries[view.afters[place]].name, "count": total})
    return {
        "transitions": _counted(transitions),
        "tasks": _counted(dict(sorted(tasks.items()))),
        "causes": _counted(dict(sorted((causes or {}).items(), key=lambda one: (-one[1], one[0])))),
        "afters": afters,
        "causes_known": causes is not None,
    }


def _counted(found: dict[str, int]) -> list[dict[str, Any]]:
    return [{"name": name, "count": n} for name, n in found.items() if n]


def check_task(desk: Desk, view: View) -> None:
    """Refuse a task that no pair of the view holds."""
    if view.task is not None and not any(view.task in ledger.tasks for ledger in desk.ledgers(view)):
        raise UsageError(f"no item is of task '{view.task[:60]}'; choose one of the list")
