"""A page of items: filtered, sorted and cut in memory; texts are read for the rows of the page only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgetmap.errors import UsageError
from forgetmap.explorer.desk import Desk, both, only_mask
from forgetmap.explorer.ledger import Ledger, Rows, count_codes
from forgetmap.explorer.state import View
from forgetmap.flips import TRANSITIONS

#: Seconds that one request spends on a search.
PATIENCE = 0.4


@dataclass(frozen=True)
class Listing:
    """The items that a view asks for, in their order: which after they are of, and their row there."""

    afters: NDArray[np.uint8]
    rows: Rows
    shared_by: NDArray[np.uint32]
    ledgers: list[Ledger] = field(repr=False)
    searched: int = 0  # texts looked at, of how many
    to_search: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def show(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Return some of the items as the list shows them."""
        places = np.arange(len(self))[start:stop]
        shown: list[dict[str, Any] | None] = [None] * len(places)
        for after, ledger in enumerate(self.ledgers):
            mine = np.flatnonzero(self.afters[places] == after)
            for at, row in zip(mine.tolist(), ledger.show(self.rows[places[mine]]) if len(mine) else [], strict=True):
                row["after"] = after
                row["shared_by"] = int(self.shared_by[places[at]])
                shown[at] = row
        return [row for row in shown if row is not None]

    def pieces(self, size: int) -> Iterator[list[dict[str, Any]]]:
        """Return all items, some at a time."""
        for start in range(0, len(self), size):
            yield self.show(start, start + size)


def list_items(desk: Desk, view: View, *, patience: float | None = PATIENCE) -> Listing:
    """Return the items of a view; a search gives what it has found after `patience` seconds, None waits to its end."""
    ledgers = desk.ledgers(view)
    wanted = TRANSITIONS if view.transition is None else (view.transition,)
    parts = []
    searched = to_search = 0
    for place, ledger in enumerate(ledgers):
        if view.of is not None and view.of != place:
            continue
        others = {after: one.pair for after, one in zip(view.afters, ledgers, strict=True) if one is not ledger}
        mask = _mask(desk, view, ledger)
        if view.search is not None:
            search = ledger.search(view.search)
            search.advance(patience if patience is not None else float("inf"))
            searched, to_search = searched + search.done, to_search + search.rows
            mask = both(mask, search.hits)
        offset = 0
        for transition in wanted:
            ranks = ledger.ranks(transition, others if transition in ("lost", "gained") else None)
            kept = np.arange(len(ranks.rows)) if mask is None else np.flatnonzero(mask[ranks.rows])
            parts.append((place, kept + offset, ranks.rows[kept], ranks.confidence[kept], ranks.shared_by[kept]))
            offset += len(ranks.rows)
    afters = np.concatenate([np.full(len(rows), place, dtype=np.uint8) for place, _, rows, _, _ in parts])
    rank, rows, confidence, shared = (np.concatenate([part[at] for part in parts]) for at in range(1, 5))
    order = _order(view, ledgers, afters, rank, rows, confidence)
    if order is not None:
        afters, rows, shared = afters[order], rows[order], shared[order]
    return Listing(afters, rows, shared, ledgers, searched, to_search)


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
    afters: NDArray[np.uint8],
    rank: NDArray[np.int64],
    rows: Rows,
    confidence: NDArray[np.float64],
) -> NDArray[np.int64] | None:
    """The order asked for; None where the items stand in it. Ties keep their rank; unknown is last, both ways."""
    if view.sort == "rank":
        if len(ledgers) == 1 or len(np.unique(afters)) < 2:
            order = None
        else:
            order = np.argsort(rank, kind="stable")  # the first of every after, then the second
        if not view.descending:
            return order
        return (np.arange(len(rows)) if order is None else order)[::-1]
    if view.sort == "confidence":
        values = confidence
    else:
        values = np.empty(len(rows))
        for place, ledger in enumerate(ledgers):
            mine = afters == place
            if mine.any():
                own = ledger.task if view.sort == "task" else ledger.value(view.sort)
                values[mine] = own[rows[mine]]
        if view.sort == "task" and len(ledgers) > 1:
            values = _common_tasks(ledgers, afters, values)
    values = np.where(np.isnan(values), np.inf, -values if view.descending else values)
    return np.argsort(values, kind="stable")


def _common_tasks(
    ledgers: Sequence[Ledger], afters: NDArray[np.uint8], codes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Codes of tasks that mean the same in every pair."""
    names = {name: float(code) for code, name in enumerate(sorted({task for one in ledgers for task in one.tasks}))}
    made = np.empty_like(codes)
    for place, ledger in enumerate(ledgers):
        mine = afters == place
        made[mine] = np.array([names[task] for task in ledger.tasks])[codes[mine].astype(np.int64)]
    return made


def count_facets(desk: Desk, view: View) -> dict[str, Any]:
    """Return what items can be filtered by, with how many there are, within the cell and conditions of the view."""
    ledgers = desk.ledgers(view)
    transitions = dict.fromkeys(TRANSITIONS, 0)
    tasks: dict[str, int] = {}
    causes: dict[str, int] | None = {}
    afters = []
    for place, ledger in enumerate(ledgers):
        mask = both(only_mask(ledger, view.only), desk.cell_mask(view, ledger))
        for name, n in count_codes(ledger.transition, TRANSITIONS, mask).items():
            transitions[name] += n
        for name, n in count_codes(ledger.task, ledger.tasks, mask).items():
            tasks[name] = tasks.get(name, 0) + n
        if causes is not None and ledger.known_causes() is not None:
            codes, names = ledger.cause_of()
            for name, n in count_codes(codes, names, mask).items():
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
