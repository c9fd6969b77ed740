"""The state every reply has before it has a score (captrack.md R1, formats.md 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

AnswerState = Literal[
    "answered",  # an answer could be read; right or wrong is another question
    "partial",  # part of an answer: gold among other claims, or a task done halfway with a refusal
    "no_answer",  # text, but no valid answer in it; scored 0 as logged
    "refused",
    "truncated",  # stopped by a limit before an answer
    "empty",  # nothing but white space: an observation, unlike a missing reply
    "error",  # engine, sandbox or judge failure: score is null
    "unscored",  # the engine says so: score is null
]
ANSWER_STATES: tuple[AnswerState, ...] = get_args(AnswerState)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was read out of one reply.

    `answer` is the option's text for choices, canonical numeric text for numbers, null where nothing was
    read. `index` is the option's position in document order. `tier` names the rule that decided, also when it
    decided that there is no answer ("Answer: B or C" is `no_answer` by tier `marked`); null when none applied.
    """

    state: AnswerState
    answer: str | None = None
    index: int | None = None
    tier: str | None = None
