"""Life lines: what an item's answers say from the first stage to the last, and what became of the item.

A life line such as 1101 has one sign per stage: 1 right, 0 wrong, · missing or without a score. The lines of T stages are
numbered 0 … 2^T − 1 by reading them as binary numbers, so that anything counted over lines is a vector over that range.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RIGHT, WRONG, MISSING, TIED = "1", "0", "·", "½"

#: What becomes of an item seen at every stage: name -> in words. Every line without a gap is exactly one of them.
OUTCOMES = {
    "always_right": "always right",
    "gained_for_good": "gained for good",  # wrong at first, right from some stage to the end
    "recovered": "lost, then recovered",  # right, later wrong, right at the end
    "lost_for_good": "lost for good",  # right at some stage, wrong from some later stage to the end
    "never_right": "never right",
}
#: So few lines are multiplied out one by one; numbers held at once otherwise.
FEW_LINES, BLOCK = 4, 2**20
TRANSITIONS = ("kept", "lost", "gained", "never")


def signs(stages: int) -> NDArray[np.bool_]:
    """Return the lines of so many stages, one row each, True where right.

    >>> signs(2).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    codes = np.arange(2**stages)
    return (codes[:, None] >> np.arange(stages)[::-1] & 1).astype(bool)


def line_text(line: NDArray[np.bool_]) -> str:
    """Return a line as people read it.

    >>> line_text(np.array([True, True, False]))
    '110'
    """
    return "".join(RIGHT if right else WRONG for right in line)


def first_losses(stages: int) -> NDArray[np.int64]:
    """Return per line the first stage that is wrong after a right one, counted from 0; 0 where there is none.

    >>> first_losses(3).tolist()  # 000 001 010 011 100 101 110 111
    [0, 0, 2, 0, 1, 1, 2, 0]
    """
    lines = signs(stages)
    falls = lines[:, :-1] & ~lines[:, 1:]
    return np.where(falls.any(axis=1), falls.argmax(axis=1) + 1, 0).astype(np.int64)


def outcome_of(line: str) -> str | None:
    """Return what became of an item; None where its line has a gap or a tie.

    >>> [outcome_of(line) for line in ("11", "01", "101", "0100", "00", "1·1")]
    ['always_right', 'gained_for_good', 'recovered', 'lost_for_good', 'never_right', None]
    """
    if set(line) - {RIGHT, WRONG}:
        return None
    if line[-1] == WRONG:
        return "lost_for_good" if RIGHT in line else "never_right"
    if WRONG not in line:
        return "always_right"
    return "recovered" if RIGHT + WRONG in line else "gained_for_good"


def outcome_weights(stages: int) -> dict[str, Array]:
    """Return for each outcome which lines belong to it, as a vector of 0 and 1."""
    found = [outcome_of(line_text(line)) for line in signs(stages)]
    return {name: np.array([one == name for one in found], dtype=np.float64) for name in OUTCOMES}


def transition_weights(stages: int, first: int, second: int) -> dict[str, Array]:
    """Return for each transition between two stages which lines show it."""
    lines = signs(stages)
    before, after = lines[:, first], lines[:, second]
    shown = (before & after, before & ~after, ~before & after, ~before & ~after)
    return {name: which.astype(np.float64) for name, which in zip(TRANSITIONS, shown, strict=True)}


def line_values(rights: Array, weights: Array) -> Array:
    """Return per item the mean of a vector over lines, taken over all combinations of one repeat per stage.

    `rights` holds the share of right repeats per item and stage. With one answer per stage this looks up the item's line;
    with repeats every combination of repeats, one of each stage, is a line of the same weight.
    """
    if np.isin(rights, (0.0, 1.0)).all():
        codes = rights.astype(np.int64) @ (1 << np.arange(rights.shape[1])[::-1])
        looked_up: Array = weights[codes]
        return looked_up
    named = np.flatnonzero(weights)
    if len(named) <= FEW_LINES:
        lines = signs(rights.shape[1])[named]
        found: Array = np.zeros(len(rights))
        for line, weight in zip(lines, weights[named], strict=True):
            found += weight * np.where(line, rights, 1 - rights).prod(axis=1)
        return found
    # One stage after the other is averaged out, a block of items at a time: there may be thousands of lines.
    block = max(1, BLOCK // len(weights))
    return np.concatenate([_averaged(rights[at : at + block], weights) for at in range(0, len(rights), block)])


def _averaged(rights: Array, weights: Array) -> Array:
    values = np.broadcast_to(weights, (len(rights), len(weights)))
    for stage in reversed(range(rights.shape[1])):
        right = rights[:, stage, None]
        values = values[:, 0::2] * (1 - right) + values[:, 1::2] * right
    return values[:, 0]
