"""Settings: what an evaluation was asked to do, with the hash that keeps two evaluations apart."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from forgetmap.errors import UsageError
from forgetmap.suites.variants import VARIED


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that changes what is asked. What changes the answers besides is the engine's own description."""

    suite: str
    suite_hash: str
    tasks: tuple[str, ...]
    style: str = "base"
    by_letter: bool = False  # options are not rated but asked for by letter
    limit: int | None = None  # items of each task
    repeats: int = 1  # answers drawn with so many seeds
    variants: dict[str, int] = {}  # kind of variation → how many
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    max_tokens: int | None = None  # in place of the tasks' own

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.variants if kind not in VARIED]
        if unknown:
            raise UsageError(f"variants are of kind '{unknown[0]}'; choose {', '.join(VARIED)}")
        for kind, count in self.variants.items():
            if count < 1:
                raise UsageError(f"variants {kind}={count}; a number of 1 or more is wanted")
        if self.repeats < 1:
            raise UsageError(f"--repeats is {self.repeats}; a number of 1 or more is wanted")
        if self.repeats > 1 and self.temperature <= 0:
            raise UsageError(
                "--repeats draws answers anew, which changes nothing at temperature 0; add --temperature 0.7, or repeat with "
                "other wordings instead: --variants prompt=3"
            )
        if self.repeats > 1 and any(count > 1 for count in self.variants.values()):
            raise UsageError(
                "--repeats and --variants repeat in two ways at once, and a noise floor is of one; choose one"
            )
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit is {self.limit}; a number of 1 or more is wanted")

    @property
    def repeat_kind(self) -> str | None:
        """How repeats differ: the kind that moves answers most names a mix; None without repeats."""
        varied = [kind for kind in ("format", "order", "prompt") if self.variants.get(kind, 1) > 1]
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
        if not count.strip().isdecimal() or kind.strip() in found:
            raise UsageError(f"variants are '{text}'; write them as prompt=3,order=3")
        found[kind.strip()] = int(count)
    return found
