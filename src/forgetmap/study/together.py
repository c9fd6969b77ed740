"""One family of tests for a whole study: verdicts of maps that were computed apart, decided together.

A map from the cache was decided among its own cells. A study looks at the cells of all its pairs, and where so many are
looked at, more of them move by chance. So q-values are taken anew over all pairs, level by level; of a study also those of
the totals, for there are as many of them as pairs. Nothing but the map's own JSON is needed: what was steady or unclear
stays so unless its q-value now says more, and what was certain and is no longer is unclear, never steady, because a
probability that small puts the upper end of the interval beyond the margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from forgetmap.cells import Cell
from forgetmap.estimate.decide import FALSE_DISCOVERIES, adjust
from forgetmap.levels import LEVELS


def decide_together(maps: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Return the cells of every map with q-values and verdicts over all maps."""
    made = [list(cells) for cells in maps]
    for level in LEVELS:
        places = [(at, n) for at, cells in enumerate(maps) for n, cell in enumerate(cells) if cell.level == level]
        cells = [maps[at][n] for at, n in places]
        p = {name: np.array([_number(cell, name) for cell in cells]) for name in ("p_lost", "p_gained", "p_net")}
        moved = adjust(np.concatenate([p["p_lost"], p["p_gained"]]))
        # Many sure cells elsewhere would lower the bar for a doubtful one: what a pair by itself leaves open stays open.
        own = {name: np.array([_number(cell, name) for cell in cells]) for name in ("q_lost", "q_gained", "q_net")}
        q_lost, q_gained = (
            np.maximum(q, own[name]) for q, name in zip(np.split(moved, 2), ("q_lost", "q_gained"), strict=True)
        )
        q_net = np.maximum(adjust(p["p_net"]), own["q_net"])
        for (at, n), cell, *adjusted in zip(places, cells, q_lost, q_gained, q_net, strict=True):
            made[at][n] = _decided(cell, *adjusted)
    return made


def _number(cell: Cell, name: str) -> float:
    value = cell.decision[name]
    return float("nan") if value is None else float(value)


def _decided(cell: Cell, q_lost: float, q_gained: float, q_net: float) -> Cell:
    q = {
        name: None if np.isnan(value) else float(value)
        for name, value in (("q_lost", q_lost), ("q_gained", q_gained), ("q_net", q_net))
    }
    verdict = cell.verdict
    if verdict is not None:
        lost, gained = q_lost <= FALSE_DISCOVERIES, q_gained <= FALSE_DISCOVERIES
        other = verdict if verdict in ("steady", "unclear") else "unclear"
        verdict = "both" if lost and gained else "lost" if lost else "gained" if gained else other
    return replace(cell, decision={**cell.decision, **q, "verdict": verdict})
