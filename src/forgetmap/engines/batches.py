"""Batches: which requests run together.

Requests that share a beginning stay together, and so do those of like length, because a batch costs as much as its longest
row times its rows. The longest come first: what does not fit in memory shows at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """What a request costs."""

    kind: str  # requests of two kinds never share a batch
    shared: Hashable  # the beginning that is computed once; None shares nothing
    length: int  # tokens of its own
    held: int = 0  # tokens that it keeps in memory besides: the shared beginning, and what it may write


def cut_batches(sizes: Sequence[Size], *, tokens: int, memory: int, rows: int) -> list[list[int]]:
    """Return batches of places: at most `tokens` padded tokens, `memory` tokens held and `rows` rows each.

    A request that is too large alone is a batch of its own.

    >>> one, two = Size("rate", None, 5), Size("rate", None, 3)
    >>> cut_batches([two, one, two], tokens=10, memory=100, rows=8)
    [[1, 0], [2]]
    """
    first: dict[tuple[str, Hashable], int] = {}  # groups in the order in which they come
    for size in sizes:
        first.setdefault((size.kind, size.shared), len(first))
    order = sorted(range(len(sizes)), key=lambda at: (first[sizes[at].kind, sizes[at].shared], -sizes[at].length, at))
    batches: list[list[int]] = []
    longest = held = 0
    for at in order:
        size = sizes[at]
        last = sizes[batches[-1][-1]] if batches else None
        fits = last is not None and (last.kind, last.shared) == (size.kind, size.shared)
        if fits:
            wide, deep, many = max(longest, size.length), max(held, size.held), len(batches[-1]) + 1
            fits = wide * many <= tokens and (wide + deep) * many <= memory and many <= rows
        if fits:
            batches[-1].append(at)
            longest, held = wide, deep
        else:
            batches.append([at])
            longest, held = size.length, size.held
    return batches
