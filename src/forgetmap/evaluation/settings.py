"""Settings: what an evaluation was asked to do, with the hash that keeps two evaluations apart."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import msgspec

from forgetmap.errors import UsageError
from forgetmap.suites.variants import VARIED

#: Kinds of variation, those first that move answers most.
_KINDS = ("format", "order", "prompt")


class Asked(msgspec.Struct, frozen=True):
    """How one task is asked."""

    style: str
    variants: dict[str, int] = {}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that changes what is asked. What changes the answers besides is the engine's own description."""

    suite: str
    suite_hash: str
    tasks: tuple[str, ...]
    style: str = "base"  # own or own_chat where tasks have different ones
    by_letter: bool = False  # options are not rated but asked for by letter
    limit: int | None = None  # items of each task
    repeats: int = 1  # answers drawn with so many seeds
    variants: dict[str, int] = {}  # kind of variation → how many
    by_task: dict[str, Asked] = {}  # every task, where not all are asked alike: in place of style and variants
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    max_tokens: int | None = None  # in place of the tasks' own
    until: str | None = None  # hash of the gate that may end it early

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise UsageError(problem)

    def _problems(self) -> Iterator[str]:
        for kind, count in self.variants.items():
            if kind not in VARIED:
                yield f"--variants names the kind '{kind}'; choose {', '.join(VARIED)}"
            if count < 1:
                yield f"--variants says {kind}={count}; a number of 1 or more is wanted"
        if self.repeats < 1:
            yield f"--repeats is {self.repeats}; a number of 1 or more is wanted"
        if not 0 <= self.temperature < math.inf:  # NaN is neither
            yield f"--temperature is {self.temperature:g}; 0 (the likeliest answer) or a number above it is wanted"
        if not 0 < self.top_p <= 1:
            yield f"--top-p is {self.top_p:g}; a share above 0 and up to 1 is wanted"
        if self.max_tokens is not None and self.max_tokens < 1:
            yield f"--max-tokens is {self.max_tokens}; a number of 1 or more is wanted"
        if self.limit is not None and self.limit < 1:
            yield f"--limit is {self.limit}; a number of 1 or more is wanted"
        if self.repeats > 1 and self.temperature == 0:
            yield (
                "--repeats draws answers anew, which changes nothing at temperature 0; add --temperature 0.7, or repeat with "
                "other wordings instead: --variants prompt=3"
            )
        if self.repeats > 1 and any(count > 1 for count in self.variants.values()):
            yield "--repeats and --variants repeat in two ways at once, and a noise floor is of one; choose one"

    def of(self, task: str) -> Asked:
        """Return how a task is asked."""
        return self.by_task.get(task) or Asked(self.style, self.variants)

    @property
    def repeat_kind(self) -> str | None:
        """How repeats differ: the kind that moves answers most names a mix; None without repeats."""
        asked = [one.variants for one in self.by_task.values()] or [self.variants]
        varied = [kind for kind in _KINDS if any(one.get(kind, 1) > 1 for one in asked)]
        return varied[0] if varied else "seed" if self.repeats > 1 else None


def settings_hash(settings: Settings, engine: dict[str, Any]) -> str:
    """Return the hash of what is asked of whom. Weights that are known are the model, wherever its folder lies."""
    named = ("model", "adapter") if engine.get("weights") else ()
    whom = {name: value for name, value in engine.items() if name not in named}
    told = msgspec.json.encode([msgspec.to_builtins(settings), whom], order="sorted")
    return hashlib.blake2b(told, digest_size=12).hexdigest()


def parse_variants(text: str) -> dict[str, int]:
    """Return variants as a command line writes them.

    >>> parse_variants("prompt=3,order=2")
    {'prompt': 3, 'order': 2}
    """
    found: dict[str, int] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        kind, _, count = part.partition("=")
        if not (count.strip().isascii() and count.strip().isdecimal()) or kind.strip() in found:
            raise UsageError(f"--variants is '{text}'; write it as prompt=3,order=3, each kind once")
        found[kind.strip()] = int(count)
    return found
