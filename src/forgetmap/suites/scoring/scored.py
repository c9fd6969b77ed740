"""The score of one answer, and what every kind does before it reads a reply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from forgetmap.answers import AnswerState
from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.protocols import Reply, ScoredItem, ScoredTask

_END_OF_THOUGHT = "</think>"
_THOUGHT = "<think>"
_END_READ = 100_000  # characters


@dataclass(frozen=True, slots=True)
class Scored:
    """One metric of one answer.

    `score` is null where nothing was observed: state `error` or `unscored`, or a metric that does not apply (whether the
    answer inside a JSON object is right, where there is no valid object). `choice` is the answer that was read, as option
    text where options exist; `choice_index` its place among the item's options, whatever the order shown. `error` is a
    few words on what went wrong, with a score too: "timeout", "extra_text".
    """

    scorer: str
    metric: str
    score: float | None
    choice: str | None = None
    choice_index: int | None = None
    state: AnswerState = "answered"
    error: str | None = None


def spoken(reply: Reply) -> str:
    """What a model says once it has thought: the text after its reasoning, nothing if it never got that far."""
    text = reply.text
    if _END_OF_THOUGHT in text:
        return text.rpartition(_END_OF_THOUGHT)[2]
    return "" if text.lstrip().startswith(_THOUGHT) else text


def said(reply: Reply) -> str:
    """What a model says, its middle left out where it goes on for ever: answers stand at the ends."""
    text = spoken(reply)
    return text if len(text) <= 2 * _END_READ else f"{text[:_END_READ]}\n{text[-_END_READ:]}"


def is_cut_off(reply: Reply) -> bool:
    """Whether the limit of tokens ended the reply."""
    return reply.stop_reason == "length"


def silence(reply: Reply) -> AnswerState | None:
    """The state of a reply without a word in it (`empty`, or `truncated` in mid-thought), null where there are words."""
    if spoken(reply).strip():
        return None
    return "truncated" if is_cut_off(reply) and reply.text.strip() else "empty"


def none_found(reply: Reply) -> AnswerState:
    """The state of a reply with words but without an answer in them."""
    return "truncated" if is_cut_off(reply) else "no_answer"


def failure(answer: Iterable[Reply]) -> str | None:
    """What the engine reports instead of a reply, or null."""
    reasons = [reply.stop_reason for reply in answer]
    return next((reason for reason in reasons if reason.startswith("error")), None)


def alike(
    scorer: str,
    metrics: Iterable[str],
    score: float | None,
    state: AnswerState,
    error: str | None = None,
    choice: str | None = None,
) -> list[Scored]:
    """The same score and state for each metric."""
    return [Scored(scorer, metric, score, choice, None, state, error) for metric in metrics]


def fact(task: ScoredTask, item: ScoredItem, name: str, default: Any = None) -> Any:
    """A fact of the item, else of all items of its task (the settings of its scoring), else the default."""
    for source in (item.facts, getattr(task.spec.scoring, "settings", None) or {}):
        if source.get(name) is not None:
            return source[name]
    return default


def needed(task: ScoredTask, item: ScoredItem, name: str, meaning: str) -> Any:
    """A fact that the kind cannot do without."""
    found = fact(task, item, name)
    if found is None:
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: no fact '{name}', expected {meaning}; add it to the item's facts"
        )
    return found


def last(answer: Iterable[Reply], task: ScoredTask, item: ScoredItem) -> Reply:
    """The last reply of a conversation; the only one, mostly."""
    replies = list(answer)
    if not replies:
        raise MissingDataError(f"task '{task.name}', item {item.native_id}: no reply to score; evaluate it again")
    return replies[-1]
