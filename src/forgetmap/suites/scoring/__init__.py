"""Scoring: what an answer is worth. One small module per kind; each says which facts of an item it reads.

Replies are hostile until proven otherwise: they are read, never evaluated, in time linear in their length. Code is the one
exception; it runs in a sandbox, and only where somebody has allowed it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from forgetmap.errors import UsageError
from forgetmap.suites.scoring import (
    call,
    citation,
    code,
    exact,
    instructions,
    json_schema,
    letter,
    likelihood,
    math,
    number,
    open,
    recall,
    refusal,
    turns,
)
from forgetmap.suites.scoring.protocols import Answer, Prompt, Ratings, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, failure

__all__ = ["KINDS", "Kind", "Scored", "score"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to score: what it is called in results, its metrics (the default one first) and its function."""

    name: str
    scorer: Callable[[], str]
    metrics: tuple[str, ...]
    score: Callable[..., list[Scored]]
    rates: bool = False  # reads log-likelihoods, not text


def _kind(name: str, module: Any) -> Kind:
    scorer = getattr(module, "scorer", None) or partial(str, module.SCORER)
    return Kind(name, scorer, module.METRICS, module.score, module is likelihood)


#: The scoring kinds by their name in a task file.
KINDS: Mapping[str, Kind] = {
    name: _kind(name, module)
    for name, module in {
        "likelihood": likelihood,
        "letter": letter,
        "exact": exact,
        "number": number,
        "math": math,
        "open": open,
        "code": code,
        "instructions": instructions,
        "json_schema": json_schema,
        "call": call,
        "recall": recall,
        "citation": citation,
        "refusal": refusal,
        "turns": turns,
    }.items()
}


def score(
    task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Answer, *, allow_code: bool = False
) -> list[Scored]:
    """Return the scores of one answer, the default metric first.

    Parameters
    ----------
    answer : the log-likelihoods of a prompt that is rated; else the replies, one per turn.
    allow_code : whether code that the model wrote may be run (`--allow-code`).

    Notes
    -----
    What was asked decides, not the name in the task file alone: a likelihood task that an engine could only write answers
    to is scored by letter, a letter task whose options were rated by likelihood. The scorer's name tells them apart, so
    that the two are never compared unawares. An answer that the engine failed to give has state `error` and no score.
    """
    name = task.spec.scoring.kind
    if name not in KINDS:
        raise UsageError(
            f"task '{task.name}': scoring kind is {name!r}, expected one of {', '.join(KINDS)}; correct it"
        )
    if rendered.kind == "rate":
        kind = KINDS["likelihood"]
        if name not in ("likelihood", "letter"):
            raise UsageError(f"task '{task.name}': kind {name!r} reads text, but its options were rated; ask for text")
        return kind.score(task, item, rendered, cast(Ratings, answer))
    kind = KINDS["letter" if name == "likelihood" else name]
    more = {"allow_code": allow_code} if name == "code" else {}
    if name == "code" and not allow_code:
        return kind.score(task, item, rendered, answer)  # says so, whatever the engine answered
    replies = cast(Sequence[Reply], answer)
    failed = failure(replies)
    if failed:
        return alike(kind.scorer(), kind.metrics, None, "error", failed)
    return kind.score(task, item, rendered, replies, **more)
