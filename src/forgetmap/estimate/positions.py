"""Where the chance reading lies: golds not spread over the positions while choices are biased to one (statistics.md 2.2).

Unknown items are then not exchangeable: with the same weights and the gold moved to one letter, the reading runs from
−8 % to +19 %. Both distributions are tested; a task that fails both tests has no chance reading.
"""

from __future__ import annotations

from dataclasses import dataclass

from forgetmap.pairing import Pair

#: Far from uniform: this share or more stands elsewhere than it should, and chance alone would do so once in a hundred.
FAR = 0.10
LEAST_ITEMS = 30  # fewer prove nothing, whatever they show
_Z = 2.326


@dataclass(frozen=True)
class Spread:
    """How evenly something is spread over option positions."""

    n: int
    distance: float  # total variation: the share that would have to move for an even spread
    z: float  # of the chi-square statistic

    @property
    def is_far(self) -> bool:
        """Whether it is far from even, and surely so."""
        return self.n >= LEAST_ITEMS and self.distance >= FAR and self.z > _Z


def measure_spread(counts: dict[tuple[int, int], int]) -> Spread:
    """Return the spread of {(number of options, position): count} against an even one.

    >>> measure_spread({(2, 0): 50, (2, 1): 50}).is_far, measure_spread({(2, 0): 100}).is_far
    (False, True)
    """
    seen: dict[int, float] = {}
    even: dict[int, float] = {}
    for (options, position), count in counts.items():
        seen[position] = seen.get(position, 0.0) + count
        for place in range(options):
            even[place] = even.get(place, 0.0) + count / options
    n = sum(counts.values())
    freedom = len(even) - 1
    if n == 0 or freedom < 1:
        return Spread(n, 0.0, 0.0)
    distance = sum(abs(seen.get(place, 0.0) - expected) for place, expected in even.items()) / (2 * n)
    chi2 = sum((seen.get(place, 0.0) - expected) ** 2 / expected for place, expected in even.items())
    # Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is close to normal.
    scale = 2 / (9 * freedom)
    return Spread(n, distance, ((chi2 / freedom) ** (1 / 3) - (1 - scale)) / scale**0.5)


def biased_tasks(pair: Pair) -> dict[str, str]:
    """Return the tasks whose golds and choices are both far from even, each with a sentence."""
    found: dict[str, str] = {}
    golds: dict[str, dict[tuple[int, int], int]] = {}
    picked: dict[str, dict[str, dict[tuple[int, int], int]]] = {"before": {}, "after": {}}
    for task, k, gold, choice, n, side in pair.positions.select(
        "task", "n_options", "gold_index", "choice_index", "n", "side"
    ).iter_rows():
        if gold is not None and gold < k and side == "before":
            of_task = golds.setdefault(task, {})
            of_task[k, gold] = of_task.get((k, gold), 0) + n
        if choice is not None and choice < k:
            of_side = picked[side].setdefault(task, {})
            of_side[k, choice] = of_side.get((k, choice), 0) + n
    for task, counts in golds.items():
        gold = measure_spread(counts)
        for side, by_task in picked.items():
            choice = measure_spread(by_task.get(task, {}))
            if gold.is_far and choice.is_far:
                found[task] = (
                    f"task '{task}': golds and the {side}-model's choices both crowd on some positions ({gold.distance:.0%} "
                    f"and {choice.distance:.0%} off an even spread), so guessing cannot be told from knowing: no chance reading"
                )
                break
    return found
