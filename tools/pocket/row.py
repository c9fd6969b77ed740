"""A row of the pocket suite, and what every generator needs to make one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """One item: what is asked, between what one chooses, what is right."""

    question: str
    gold: str | tuple[str, ...]  # with options: the text of the right one
    options: tuple[str, ...] | None = None
    facts: dict[str, Any] = field(default_factory=dict)  # what scoring needs beside the gold
    cluster: str | None = None  # rows that share an entity, or are of one kind; make.py tells the two apart


Generator = Callable[[random.Random], list[Row]]


def choose(rng: random.Random, question: str, gold: str, others: Sequence[str], *, k: int = 4, **more: Any) -> Row:
    """Return a row with k options in a random order: the gold and k − 1 of the others, drawn without replacement.

    An option that stands among the others several times is drawn so much likelier. Whoever passes one entry per row of
    the task keeps options that are often right from being rare as wrong ones, so that no option is right by its name.

    Raises ValueError where fewer than k − 1 distinct others are left: a row with a repeated option is no row.
    """
    seen = {gold.casefold()}
    drawn = []
    for other in rng.sample(others, len(others)):
        if other.casefold() not in seen:
            seen.add(other.casefold())
            drawn.append(other)
    if len(drawn) < k - 1:
        raise ValueError(f"{question!r}: {len(drawn)} distinct distractors, {k - 1} wanted")
    options = [gold, *drawn[: k - 1]]
    rng.shuffle(options)
    return Row(question, gold, tuple(options), **more)


def fixed(rng: random.Random, question: str, gold: str, wrong: Iterable[str], **more: Any) -> Row:
    """Return a row whose wrong options are given; only their order is drawn."""
    wrong = list(wrong)
    return choose(rng, question, gold, wrong, k=len(wrong) + 1, **more)


def spread(rng: random.Random, rows: list[Row], n: int) -> list[Row]:
    """Return n of the rows in a random order; fewer is an error, because a task must not shrink in silence."""
    if len(rows) < n:
        raise ValueError(f"{len(rows)} rows, {n} wanted")
    return rng.sample(rows, n)
