"""The scorer check: whether a finding holds under every scorer of the log (statistics.md 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from forgetmap.cells import Cell
from forgetmap.pairing import Pair

#: A log with more scorers than these (HELM has dozens of metrics) is checked against the first ones.
MOST = 6
_CERTAIN = 0.05
DEPENDS = "depends on the scorer"


def other_scorers(pair: Pair) -> list[str]:
    """Return the scorers that both logs hold beside the one compared, in the order of the log.

    A plain table knows judges by its metric column only: there every other metric of the same kind is another scorer.
    """
    chosen = {choice.task: choice.before for choice in pair.choices}
    found: dict[str, None] = {}
    theirs = {(m.task, m.scorer, m.metric) for m in pair.after.info.metrics if m.low is not None}  # any score at all
    for metric in pair.before.info.metrics:
        mine = chosen.get(metric.task)
        if mine is None or metric.low is None or (metric.task, metric.scorer, metric.metric) not in theirs:
            continue
        if metric.scorer != mine.scorer:
            found[metric.scorer] = None
        elif pair.before.info.tool == "table" and metric.metric != mine.metric and metric.binary == mine.binary:
            found[metric.metric] = None
    return list(found)[:MOST]


def mark_scorers(cells: Sequence[Cell], others: Mapping[str, Sequence[Cell]]) -> list[Cell]:
    """Return the cells with what each other scorer says, flagged where verdict or certain direction depend on it."""
    marked = []
    places = {name: {cell.place: cell for cell in of} for name, of in others.items()}
    for cell in cells:
        said, depends = [], False
        for name, by_place in places.items():
            other = by_place.get(cell.place)
            if other is None or other.observed == cell.observed:  # the tasks of this cell know no such scorer
                continue
            said.append(
                {
                    "scorer": name,
                    **{key: other.observed[key] for key in ("lost", "gained", "acc_before", "acc_after")},
                    "verdict": other.verdict,
                    "p_net": other.decision["p_net"],
                }
            )
            depends = depends or other.verdict != cell.verdict or _opposed(cell, other)
        flags = (*cell.flags, DEPENDS) if depends else cell.flags
        marked.append(replace(cell, scorers=tuple(said), flags=flags))
    return marked


def _opposed(cell: Cell, other: Cell) -> bool:
    """Whether the net change has opposite signs, and one of the two is more than noise."""
    nets, sure = [], False
    for one in (cell, other):
        lost, gained, p = one.observed["lost"], one.observed["gained"], one.decision["p_net"]
        if lost is None or gained is None:
            return False
        nets.append(lost - gained)
        sure = sure or (p is not None and p <= _CERTAIN)
    return sure and nets[0] * nets[1] < 0
