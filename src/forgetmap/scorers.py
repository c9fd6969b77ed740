"""Which scorer a finding rests on: whether it holds under every scorer of the log (statistics.md 4), and whether maps
that stand side by side rest on the same one."""

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


def unequal_scores(pairs: Sequence[Pair]) -> list[str]:
    """Return a warning per set of tasks that pairs shown side by side compare on different scores.

    Each pair takes the score that its own two logs share: with another after-log that may be another one.
    """
    by_task: dict[str, dict[tuple[str, str], list[int]]] = {}
    for place, pair in enumerate(pairs):
        for choice in pair.choices:
            by_task.setdefault(choice.task, {}).setdefault((choice.name, choice.kind), []).append(place)
    alike: dict[tuple[tuple[tuple[str, str], tuple[int, ...]], ...], list[str]] = {}
    for task, scores in by_task.items():
        if len(scores) > 1:
            alike.setdefault(tuple((score, tuple(of)) for score, of in scores.items()), []).append(task)
    return [_unequal(scores, tasks, pairs) for scores, tasks in alike.items()]


def _unequal(
    scores: Sequence[tuple[tuple[str, str], Sequence[int]]], tasks: Sequence[str], pairs: Sequence[Pair]
) -> str:
    more = f" and {len(tasks) - 5} more" if len(tasks) > 5 else ""
    one_name = len({name for (name, _), _ in scores}) == 1
    parts = []
    for (name, kind), places in scores:
        models = ", ".join(f"{pairs[place].after.name} (AFTER {place + 1})" for place in places[:3])
        models += f" and {len(places) - 3} more" if len(places) > 3 else ""
        parts.append(f"{name} ({kind}) for {models}" if one_name else f"{name} for {models}")
    remedy = "--threshold reads all as right or wrong" if one_name else "--scorer and --metric name one for all"
    return (
        f"{', '.join(tasks[:5])}{more}: compared on different scores, {' but '.join(parts)}, so that these maps do not compare "
        f"there; {remedy}"
    )


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
