"""What engines are asked, and what they answer. Plain data: it travels between processes and machines as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: str  # system, user or assistant
    content: str


@dataclass(frozen=True, slots=True)
class Rate:
    """How likely is each continuation? Options are rated, not written."""

    context: str  # everything before the continuation
    continuations: tuple[str, ...]  # each with the blank that parts it from the context
    prefix: int = 0  # so many characters of the context are shared with other requests: few-shot examples
    messages: tuple[Message, ...] | None = None  # a chat; the engine renders its template and puts the context after it


@dataclass(frozen=True, slots=True)
class Write:
    """What does the model say?"""

    context: str
    messages: tuple[Message, ...] | None = None
    prefix: int = 0
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    temperature: float = 0.0  # 0 is greedy
    top_p: float = 1.0
    seed: int | None = None  # of this request alone, so that an answer does not depend on its batch
    tools: tuple[dict[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True)
class Rated:
    """The answer to `Rate`."""

    logprobs: tuple[float, ...]  # natural logarithm, summed over the tokens of each continuation
    tokens: tuple[int, ...]  # tokens of each continuation
    greedy: tuple[bool, ...]  # whether every token of it was the likeliest one
    prompt_tokens: int
    context: str  # the exact text the model saw


@dataclass(frozen=True, slots=True)
class Written:
    """The answer to `Write`."""

    text: str
    tokens: int
    prompt_tokens: int
    stop_reason: str  # stop: it ended by itself or at a stop string; length: it was cut
    context: str  # the exact text the model saw, or the messages where only the server renders them
    logprob: float | None = None  # of the tokens written, where the engine tells


Request = Rate | Write
Answer = Rated | Written
