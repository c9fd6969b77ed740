"""Several turns: whether the last reply does what the conversation has asked for so far.

Facts: `turns` (what the user says next, read by the prompt), and `checks` of the last reply (see `instructions`), or golds
that it must name. Where the item has both, the item is right when both hold; each has a metric of its own. Earlier replies
are the model's own, so a bad first one can spoil the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.answers import match_open
from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring import instructions
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, fact, said, silence

SCORER = "turns"
METRICS = ("last_turn", "followed", "named")
_CHECKED = ("prompt_strict", "instruction_strict", "prompt_loose", "instruction_loose")


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return last_turn, and what it is made of: followed (the checks, strictly) and named (a gold stands in the reply)."""
    replies = list(answer)
    due = 1 + len(fact(task, item, "turns", ()))
    if len(replies) != due:
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: {len(replies)} replies to {due} turns; evaluate it again"
        )
    has_checks = fact(task, item, "checks") is not None
    if not has_checks and not item.gold:
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: neither checks nor gold, expected one; add it to the item"
        )
    metrics = ["last_turn", *(["followed"] if has_checks else []), *(["named"] if item.gold else [])]
    reply = replies[-1]
    if state := silence(reply):
        return alike(SCORER, metrics, 0.0, state)
    parts: list[Scored] = []
    if has_checks:
        strict, *_ = instructions.score_reply(reply, instructions.read_instructions(task, item), SCORER, _CHECKED)
        parts.append(Scored(SCORER, "followed", strict.score, state=strict.state, error=strict.error))
    if item.gold:
        found = match_open(said(reply), item.gold)
        parts.append(Scored(SCORER, "named", float(bool(found.matched)), found.alias))
    unknown = next((part for part in parts if part.score is None), None)
    if any(part.score == 0 for part in parts):
        whole = Scored(SCORER, "last_turn", 0.0, parts[-1].choice)
    elif unknown is not None:
        whole = Scored(SCORER, "last_turn", None, state="unscored", error=unknown.error)
    else:
        whole = Scored(SCORER, "last_turn", 1.0, parts[-1].choice)
    return [whole, *parts]
