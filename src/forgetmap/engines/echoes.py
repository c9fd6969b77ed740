"""Echoes: log-likelihoods out of a prompt that a server sends back token by token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forgetmap.errors import EngineError


@dataclass(frozen=True, slots=True)
class Echo:
    """A prompt as the server's model saw it."""

    tokens: Sequence[str]
    logprobs: Sequence[float | None]  # the first token has none
    best: Sequence[Mapping[str, float] | None]  # the likeliest tokens at each place


@dataclass(frozen=True, slots=True)
class Tail:
    """The tokens of a continuation."""

    logprob: float
    tokens: int
    greedy: bool


def read_tail(echo: Echo, tail: str) -> Tail:
    """Return the likelihood of a prompt's last characters, if they are whole tokens.

    Places are told by the tokens' own texts from the end backwards, not by the offsets that servers give beside them: those
    count a start token that the prompt does not have, or are not given at all.

    >>> echo = Echo(["The", " sky", " is", " blue"], [None, -3.0, -1.0, -0.5], [None, {}, {}, {" blue": -0.5}])
    >>> read_tail(echo, " blue")
    Tail(logprob=-0.5, tokens=1, greedy=True)
    """
    at, text = len(echo.tokens), ""
    while at > 0 and len(text) < len(tail):
        at -= 1
        text = echo.tokens[at] + text
    if text != tail or not tail:
        raise EngineError(
            f"the continuation {tail!r} cannot be rated: the server's tokens end with {text!r} and do not part where the context "
            "ends; rate options with the vllm or transformers engine, or ask for letters in both runs"
        )
    if at > 0 and not echo.tokens[at - 1]:
        raise EngineError(
            f"the continuation {tail!r} cannot be rated: the server shows a part of a character before it as nothing, so that "
            "nobody can tell whose it is; rate options with the vllm or transformers engine"
        )
    logprobs: list[float] = []
    greedy = True
    for logprob, best in zip(echo.logprobs[at:], echo.best[at:], strict=True):
        if logprob is None:
            raise EngineError(
                f"the continuation {tail!r} cannot be rated: nothing stands before it, and a first token has no likelihood; give "
                "a context that is not empty"
            )
        logprobs.append(logprob)
        greedy = greedy and logprob >= max((best or {}).values(), default=logprob)
    return Tail(sum(logprobs), len(logprobs), greedy)
