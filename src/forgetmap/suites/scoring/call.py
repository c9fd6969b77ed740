"""Function calls: the right functions with the right arguments (captrack.md 3.9).

Facts: `calls` (objects with name and arguments, or texts such as f(x=1); an empty list where no call is due), `tools` (their
JSON descriptions: names of positional arguments and defaults), `any_order` (false where the order of calls matters),
`loose_fields` (arguments of free text, which need seven tenths of their words in common). A gold value "<node-k>" accepts
any reference to a node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from forgetmap.answers import literal_list
from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.calls import Call, NotLiteral, call_of, read_calls
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, fact, last, needed, none_found, silence, spoken

SCORER = "call"
METRICS = ("exact", "selection", "arguments")
#: Where no call is due there is nothing to select: these items have a rate of their own.
NO_CALL_METRICS = ("exact", "no_call")
_TOLERANCE = 1e-6
_ALIKE = 0.7
_NODE = re.compile(r"<node-?\w{0,10}>")
_NO_CALL = frozenset(("none", "no function call", "no call", ""))
_CHOICE_KEPT = 1000
_WORD = re.compile(r"\w+")


class _Tools:
    """What the functions offered say of their parameters."""

    def __init__(self, tools: Any, loose: Sequence[str]) -> None:
        if tools is not None and not isinstance(tools, (list, tuple, Mapping, str)):
            raise ValueError("tools are no list")
        self.loose = frozenset(loose)
        self._parameters: dict[str, list[str]] = {}
        self._defaults: dict[str, dict[str, Any]] = {}
        for tool in tools or ():
            inner = tool.get("function", tool) if isinstance(tool, Mapping) else {}
            if not isinstance(inner, Mapping):
                raise ValueError("a tool's 'function' is no object")
            schema = inner.get("parameters") or {}
            properties = schema.get("properties", schema) if isinstance(schema, Mapping) else {}
            if not isinstance(properties, Mapping):
                raise ValueError("the 'properties' of a tool's parameters are no object")
            described = {key: value for key, value in properties.items() if isinstance(value, Mapping)}
            self._parameters[str(inner.get("name"))] = list(described)
            self._defaults[str(inner.get("name"))] = {
                key: value["default"] for key, value in described.items() if "default" in value
            }

    def arguments(self, call: Call) -> dict[str, Any]:
        """All arguments of a call by name, defaults filled in: a default may be written or left out."""
        return {**self._defaults.get(call.name, {}), **call.named(self._parameters.get(call.name, []))}


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return exact (the item as a whole), selection and arguments; exact and no_call where no call is due."""
    reply = last(answer, task, item)
    golds = _golds(task, item)
    metrics = METRICS if golds else NO_CALL_METRICS
    if state := silence(reply):
        return alike(SCORER, metrics, 0.0, state)
    made = read_calls(spoken(reply))
    choice = "; ".join(_shown(call) for call in made)[:_CHOICE_KEPT] or None
    if not golds:
        return alike(SCORER, metrics, float(not made), "answered", choice=choice)
    if not made:
        return alike(SCORER, metrics, 0.0, none_found(reply))
    try:
        tools = _Tools(fact(task, item, "tools"), fact(task, item, "loose_fields", ()))
    except ValueError as fault:
        raise MissingDataError(f"task '{task.name}', item {item.native_id}: {fault}; correct the item") from None
    names, whole = matches(golds, made, tools, any_order=bool(fact(task, item, "any_order", True)))
    exact = float(whole == len(golds) == len(made))
    scores = (exact, names / max(len(golds), len(made)), whole / len(golds))
    return [Scored(SCORER, metric, value, choice) for metric, value in zip(METRICS, scores, strict=True)]


def matches(golds: Sequence[Call], made: Sequence[Call], tools: _Tools, *, any_order: bool) -> tuple[int, int]:
    """How many gold calls have a partner by name, and how many by name and arguments, each under its best assignment."""
    same = [[gold.name == call.name for call in made] for gold in golds]
    whole = [
        [named and _equal_arguments(tools.arguments(gold), tools.arguments(call), tools.loose) for call, named in row]
        for gold, row in zip(golds, (list(zip(made, row, strict=True)) for row in same), strict=True)
    ]
    count = _most_pairs if any_order else _longest_sequence
    return count(same), count(whole)


def _most_pairs(fits: Sequence[Sequence[bool]]) -> int:
    """The size of a largest matching, by augmenting paths."""
    partner: dict[int, int] = {}

    def settle(row: int, seen: set[int]) -> bool:
        for column, fit in enumerate(fits[row]):
            if fit and column not in seen:
                seen.add(column)
                if column not in partner or settle(partner[column], seen):
                    partner[column] = row
                    return True
        return False

    return sum(settle(row, set()) for row in range(len(fits)))


def _longest_sequence(fits: Sequence[Sequence[bool]]) -> int:
    """The length of a longest common subsequence."""
    before = [0] * (len(fits[0]) + 1)
    for row in fits:
        now = [0]
        for column, fit in enumerate(row):
            now.append(before[column] + 1 if fit else max(before[column + 1], now[column]))
        before = now
    return before[-1]


def _equal_arguments(gold: Mapping[str, Any], made: Mapping[str, Any], loose: frozenset[str]) -> bool:
    return gold.keys() == made.keys() and all(_equal(gold[key], made[key], key in loose) for key in gold)


def _equal(gold: Any, made: Any, loose: bool = False) -> bool:
    if isinstance(gold, NotLiteral) or isinstance(made, NotLiteral):
        return False
    if isinstance(gold, bool) or isinstance(made, bool):
        return gold is made
    if isinstance(gold, (int, float)) and isinstance(made, (int, float)):
        try:
            return abs(gold - made) <= _TOLERANCE * max(1, abs(gold))
        except OverflowError:  # an integer beyond floating point
            return gold == made
    if isinstance(gold, str) and isinstance(made, str):
        if _NODE.search(gold):
            return bool(_NODE.search(made))
        return gold.strip() == made.strip() or (loose and _overlap(gold, made) >= _ALIKE)
    if isinstance(gold, Mapping) and isinstance(made, Mapping):
        return gold.keys() == made.keys() and all(_equal(gold[key], made[key]) for key in gold)
    if isinstance(gold, (list, tuple)) and isinstance(made, (list, tuple)):
        return len(gold) == len(made) and all(map(_equal, gold, made))
    return gold is None and made is None


def _overlap(gold: str, made: str) -> float:
    left, right = set(_WORD.findall(gold.casefold())), set(_WORD.findall(made.casefold()))
    return len(left & right) / len(left | right) if left | right else 0.0


def _golds(task: ScoredTask, item: ScoredItem) -> list[Call]:
    listed = needed(task, item, "calls", "a list of calls, empty where none is due")
    if isinstance(listed, str):
        listed = [] if listed.strip().casefold() in _NO_CALL else (literal_list(listed) or [listed])
    found = []
    for one in literal_list(listed) or []:
        if isinstance(one, str) and one.strip().casefold() in _NO_CALL:
            continue
        call = call_of(one)
        if call is None:
            raise MissingDataError(
                f"task '{task.name}', item {item.native_id}: gold call {str(one)[:80]!r} cannot be read, expected name and "
                "arguments or the text f(x=1); correct the item"
            )
        found.append(call)
    return found


def _shown(call: Call) -> str:
    given = [*map(repr, call.positional), *(f"{key}={value!r}" for key, value in call.arguments.items())]
    return f"{call.name}({', '.join(given)[:_CHOICE_KEPT]})"
