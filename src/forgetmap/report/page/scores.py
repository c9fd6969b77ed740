"""Whether the life lines of a page are read on the same scores as its maps: only then do their numbers add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from forgetmap.report.plain import number
from forgetmap.report.sheet import Sheet

_NAMED = 3  # score names of a sentence


class Scored(Protocol):
    """What is asked of a chain, fresh or from a cache."""

    def to_dict(self) -> dict[str, Any]:
        """Return the chain as JSON shows it."""


def other_scores(chain: Scored, sheets: Sequence[Sheet]) -> list[str]:
    """Return in words on which tasks a chain is read by other scores than the maps are."""
    if not sheets:
        return []
    stages: dict[str, list[str]] = {}
    for row in chain.to_dict()["scores"]:
        stages[row["task"]] = list(dict.fromkeys(_name(one) for one in row["stages"] if one is not None))
    maps: dict[str, list[str]] = {}
    for sheet in sheets:
        for choice in sheet.scores:
            named = [_name(choice[side]) for side in ("before", "after")]
            maps[choice["task"]] = list(dict.fromkeys([*maps.get(choice["task"], []), *named]))
    differ: dict[tuple[str, str], list[str]] = {}
    for task, names in stages.items():
        if task in maps and set(maps[task]) != set(names):
            differ.setdefault((_joined(names), _joined(maps[task])), []).append(task)
    return [
        f"{_tasks(tasks)}: the life lines are read on {here}, the maps on {there}, so that their shares are not the same."
        for (here, there), tasks in differ.items()
    ]


def _name(score: dict[str, str]) -> str:
    return score["metric"] if score["scorer"] == "none" else f"{score['scorer']}/{score['metric']}"


def _joined(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(names)


def _tasks(tasks: Sequence[str]) -> str:
    return tasks[0] if len(tasks) == 1 else f"{number(len(tasks), 'task')} ({_joined(tasks)})"
