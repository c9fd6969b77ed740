"""Branches: one pass over what several continuations share.

The options of an item follow the same question. Laid one behind the other after it, each seeing the question and itself but
not the others, they cost one pass over the question instead of one each. Few-shot examples that all items of a task begin
with are passed over once and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_PADDING, _STEM = -1, 0  # tokens of no use, tokens of the context; branches count from 1


@dataclass(frozen=True, slots=True)
class Branched:
    """A context and its continuations, in tokens."""

    context: tuple[int, ...]
    continuations: tuple[tuple[int, ...], ...]

    @property
    def length(self) -> int:
        """Tokens that are passed over: the last of each continuation is only looked up."""
        return len(self.context) + sum(len(one) - 1 for one in self.continuations)


@dataclass(frozen=True)
class Layout:
    """Rows of a batch as tensors, and where to look for each continuation's tokens."""

    tokens: Any  # rows × width
    positions: Any  # rows × width
    mask: Any  # rows × 1 × width × (shared + width); True where a token may look
    rows: list[int]  # for each token looked up: its row, the place whose output foretells it, the token
    places: list[int]
    wanted: list[int]


def lay_out(batch: Sequence[Branched], shared: int, *, pad: int, device: Any) -> Layout:
    """Return a batch laid out behind `shared` tokens, which every row's context has lost already."""
    import numpy as np
    import torch

    width = max(one.length for one in batch)
    tokens = np.full((len(batch), width), pad, dtype=np.int64)
    positions = np.zeros((len(batch), width), dtype=np.int64)
    branch = np.full((len(batch), width), _PADDING, dtype=np.int64)
    rows: list[int] = []
    places: list[int] = []
    wanted: list[int] = []
    for row, one in enumerate(batch):
        own = len(one.context)
        laid, at, of = [*one.context], [*range(shared, shared + own)], [_STEM] * own
        for number, continuation in enumerate(one.continuations, _STEM + 1):
            size = len(continuation) - 1
            rows += [row] * (size + 1)
            places += [own - 1, *range(len(laid), len(laid) + size)]
            wanted += continuation
            laid += continuation[:-1]
            at += range(shared + own, shared + own + size)
            of += [number] * size
        tokens[row, : len(laid)], positions[row, : len(laid)], branch[row, : len(laid)] = laid, at, of
    filled, placed, owner = (torch.from_numpy(one).to(device) for one in (tokens, positions, branch))
    return Layout(filled, placed, _visible(owner, shared), rows, places, wanted)


def _visible(owner: Any, shared: int) -> Any:
    """Which tokens each token may look at: what is shared, the stem before it, its own branch before it, itself."""
    import torch

    width = owner.shape[1]
    looking, seen = owner[:, :, None], owner[:, None, :]
    earlier = torch.ones(width, width, dtype=torch.bool, device=owner.device).tril()
    # padding looks at itself: a row that looks at nothing is not a number
    own = earlier & ((seen == _STEM) | (seen == looking)) & (seen != _PADDING)
    own |= torch.eye(width, dtype=torch.bool, device=owner.device)
    before = torch.ones(1, 1, 1, dtype=torch.bool, device=owner.device).expand(len(owner), width, shared)
    return torch.cat([before, own], dim=2)[:, None]
