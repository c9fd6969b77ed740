"""Verifiable instructions, strict and loose (captrack.md 3.7).

Facts: `checks`, a list of {id: "keywords:existence", kwargs: {keywords: [...]}}; the arguments may also stand beside the id.
IFEval's own two lists, `instruction_id_list` and `kwargs`, are read too. A check without its arguments or with an unknown
id is a fault of the item and stops the evaluation: a score of 0 would pass for a model that does not follow.

Loose: the best of eight readings of the reply, with and without its first line, its last line, its asterisks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.checks import CHECKS
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, fact, last, needed, silence, spoken

SCORER = "instructions"
METRICS = ("prompt_strict", "instruction_strict", "prompt_loose", "instruction_loose")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: the id of its check and the check's arguments."""

    id: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Followed:
    """Whether one instruction was followed, strictly and loosely; null where that cannot be told."""

    id: str
    strict: bool | None
    loose: bool | None


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return prompt_strict (all instructions followed), instruction_strict (share followed), and both loosely."""
    return score_reply(last(answer, task, item), read_instructions(task, item), SCORER, METRICS)


def score_reply(reply: Reply, instructions: Sequence[Instruction], scorer: str, metrics: Sequence[str]) -> list[Scored]:
    """Return the four scores of one reply under the names given."""
    if state := silence(reply):
        return alike(scorer, metrics, 0.0, state)
    results = follow(spoken(reply), instructions)
    found = []
    for metric, (value, unknown) in zip(metrics, _levels(results), strict=True):
        error = f"cannot be told: {', '.join(unknown)}" if unknown else None
        found.append(Scored(scorer, metric, value, state="unscored" if value is None else "answered", error=error))
    return found


def follow(text: str, instructions: Sequence[Instruction]) -> list[Followed]:
    """Return what became of each instruction, in order; an empty text follows none."""
    readings = [reading for reading in loose_readings(text) if reading.strip()]
    results = []
    for one in instructions:
        check = CHECKS[one.id][0]
        strict = check(text, one.arguments) if text.strip() else False
        loose = strict
        for reading in readings if not strict else ():
            told = check(reading, one.arguments)
            if told is not False:
                loose = told
            if told:
                break
        results.append(Followed(one.id, strict, loose))
    return results


def loose_readings(text: str) -> list[str]:
    """The eight readings of a reply; repeated ones are left out.

    >>> loose_readings("Sure!\\n*Yes*")
    ['Sure!\\n*Yes*', '*Yes*', 'Sure!', '', 'Sure!\\nYes', 'Yes']
    """
    lines = text.split("\n")
    parts = [text, *("\n".join(some).strip() for some in (lines[1:], lines[:-1], lines[1:-1]))]
    return list(dict.fromkeys([*parts, *(part.replace("*", "") for part in parts)]))


def _levels(results: Sequence[Followed]) -> list[tuple[float | None, list[str]]]:
    """Strict and loose, for the prompt as a whole and as a share, each with the ids that cannot be told."""
    found: list[tuple[float | None, list[str]]] = []
    for told in ([one.strict for one in results], [one.loose for one in results]):
        unknown = [one.id for one, value in zip(results, told, strict=True) if value is None]
        known = [value for value in told if value is not None]
        whole = 0.0 if not all(known) else None if unknown else 1.0
        share = sum(known) / len(known) if known else None
        found += [(whole, unknown), (share, unknown)]
    return found


def read_instructions(task: ScoredTask, item: ScoredItem, name: str = "checks") -> list[Instruction]:
    """Return the instructions of an item, each known and with its arguments."""
    ids = fact(task, item, "instruction_id_list") if name == "checks" else None
    if ids is not None and fact(task, item, "checks") is None:
        listed = [
            {"id": one, "kwargs": given or {}}
            for one, given in zip(ids, needed(task, item, "kwargs", "a list beside instruction_id_list"), strict=True)
        ]
    else:
        listed = list(needed(task, item, name, "a list of checks with id and kwargs"))
    if not listed:
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: fact '{name}' is empty, expected at least one; correct the item"
        )
    return [_instruction(task, item, one) for one in listed]


def _instruction(task: ScoredTask, item: ScoredItem, one: Any) -> Instruction:
    given = dict(one) if isinstance(one, Mapping) else {"id": one}
    id_, inner = given.pop("id", None), given.pop("kwargs", None)
    arguments = {**given, **(inner or {})}
    where = f"task '{task.name}', item {item.native_id}"
    if id_ not in CHECKS:
        raise MissingDataError(
            f"{where}: check {id_!r} is not known, expected one of {', '.join(CHECKS)}; correct the item"
        )
    lacking = [name for name in CHECKS[id_][1] if arguments.get(name) is None]
    for name in ("relation", "let_relation", "capital_relation"):
        if name in CHECKS[id_][1] and arguments.get(name) not in ("less than", "at least"):
            lacking.append(name)
    if lacking:
        raise MissingDataError(
            f"{where}: check {id_} has no usable argument {lacking[0]!r} (found {arguments.get(lacking[0])!r}); correct it"
        )
    return Instruction(id_, arguments)
