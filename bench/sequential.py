"""Stopping early against a test of fixed size: how many items it takes, and how often it errs with a look after each.

Fixed size: the one-sided test of "mean ≤ margin" against twice the margin with 5 % errors, by the normal formula
n = (1.645 (√v0 + √v1) / margin)² with v0 and v1 the variances of an item at margin and at twice the margin; drawn from a
suite of N, n / (1 + n/N). Wald's test, which is told the distribution at the margin, is simulated for endless suites.
Worlds: flips (an item is lost or not), and the chance reading of four-option questions (statistics.md 2.2) of which 60 %
are known before and guesses persist with .3. A harmless re-run flips a few items: a flip rate of .002 is the honest
"nothing lost" of flips. Takes about a minute.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from forgetmap.estimate.sequential import SequentialTest, confidence_sequence
from measure import line

MARGIN = 0.02
REPLICATIONS = 2_000
SUITE = 14_042  # items of MMLU
OPTIONS, KNOWN, PERSISTENCE = 4, 0.6, 0.3

#: Name, true mean, and how many times fewer items than the test of fixed size are asked for.
TRUTHS = (
    ("nothing lost", 0.0, 3.0),
    ("at the margin", MARGIN, None),
    ("half-way to twice the margin: either answer is right", 1.5 * MARGIN, None),
    ("twice the margin", 2 * MARGIN, 1.3),
    ("four times the margin", 4 * MARGIN, 5.0),
)


@dataclass(frozen=True)
class World:
    """Values an item can have, and their probabilities as a function of the mean."""

    name: str
    values: tuple[float, ...]
    shares: Callable[[float], tuple[float, ...]]
    truths: tuple[tuple[str, float, float | None], ...]

    @property
    def bounds(self) -> tuple[float, float]:
        return min(self.values), max(self.values)

    def variance(self, mean: float) -> float:
        return sum(p * v * v for p, v in zip(self.shares(mean), self.values)) - mean**2

    def fixed(self, items: int | None) -> float:
        """Number of items that the test of fixed size needs."""
        spread = math.sqrt(self.variance(MARGIN)) + math.sqrt(self.variance(2 * MARGIN))
        n = (1.6448536 * spread / MARGIN) ** 2
        return n if items is None else n / (1 + n / items)

    def kinds(self, mean: float, rng: np.random.Generator, n: int) -> np.ndarray:
        return np.searchsorted(np.cumsum(self.shares(mean))[:-1], rng.random(n), "right")

    def endless(self, mean: float, rng: np.random.Generator, n: int) -> np.ndarray:
        return np.asarray(self.values)[self.kinds(mean, rng, n)]

    def suite(self, mean: float, items: int) -> np.ndarray:
        """A suite of this mean to within an item: at the margin not above it, elsewhere not below."""
        counts = [round(p * items) for p in self.shares(mean)]
        others = sum(c * v for c, v in zip(counts[1:], self.values[1:]))
        wanted = round((mean * items - others) / self.values[0], 9)
        counts[0] = math.floor(wanted) if mean == MARGIN else math.ceil(wanted)
        counts[-1] = items - sum(counts[:-1])  # of value 0
        return np.repeat(self.values, counts)


def chance_shares(lost: float) -> tuple[float, ...]:
    """Right→wrong, two different wrong choices, anything else."""
    q, fresh, unknown = 1 / OPTIONS, 1 - PERSISTENCE, 1 - KNOWN
    flips = unknown * q * fresh * (1 - q) + lost * (1 - q)
    differ = unknown * (1 - q) * fresh * (OPTIONS - 2) / OPTIONS
    return flips, differ, 1 - flips - differ


def chance_values() -> tuple[float, ...]:
    q = 1 / OPTIONS
    return 1 / (1 - q), -1 / ((OPTIONS - 2) * (1 - q)), 0.0


FLIPS = World("flips", (1.0, 0.0), lambda lost: (lost, 1 - lost), (("a re-run flips .002", 0.002, 3.0), *TRUTHS))
CHANCE = World("chance", chance_values(), chance_shares, TRUTHS)


@dataclass(frozen=True)
class Outcome:
    """Mean number of items until the decision, and the share of each decision."""

    n: float
    lost: float
    within: float


def simulate(world: World, mean: float, items: int | None, seed: int) -> Outcome:
    rng = np.random.default_rng(seed)
    suite = None if items is None else world.suite(mean, items)
    step = int(world.fixed(None) / 4)
    taken, decisions = 0, {"lost": 0, "within": 0}
    for _ in range(REPLICATIONS):
        test = SequentialTest(MARGIN, bounds=world.bounds, items=items)
        order = None if suite is None else rng.permutation(suite)
        while test.decision is None:
            test.update(world.endless(mean, rng, step) if order is None else order[test.n : test.n + step])
        taken += test.decided_at or 0
        decisions[test.decision] += 1
    return Outcome(taken / REPLICATIONS, decisions["lost"] / REPLICATIONS, decisions["within"] / REPLICATIONS)


def wald(world: World, mean: float, seed: int) -> float:
    """Mean number of items of the sequential likelihood ratio test of margin against twice the margin, 5 % errors.

    The alternative is the distribution at the margin, tilted to twice the mean: for flips the true one. That of the
    chance world would also use how often guesses differ by luck, to the last digit, which nobody knows.
    """
    rng = np.random.default_rng(seed)
    gains = np.log1p(MARGIN / world.variance(MARGIN) * (np.asarray(world.values) - MARGIN))
    edge, step, taken = math.log(0.95 / 0.05), int(world.fixed(None) / 4), 0
    for _ in range(REPLICATIONS):
        held, n = 0.0, 0
        while True:
            path = held + np.cumsum(gains[world.kinds(mean, rng, step)])
            out = np.abs(path) >= edge
            if out.any():
                taken += n + int(out.argmax()) + 1
                break
            held, n = float(path[-1]), n + step
    return taken / REPLICATIONS


def show(world: World, items: int | None) -> None:
    size = "endless suite" if items is None else f"suite of {items:,}"
    fixed = world.fixed(items)
    line(f"{world.name}, margin {MARGIN:g}, {size}: test of fixed size", f"{fixed:.0f} items", "-", True)
    for name, mean, least in world.truths:
        found = simulate(world, mean, items, seed=1)
        times = fixed / found.n
        best = f"; Wald {wald(world, mean, seed=2):.0f}" if items is None else ""
        target, met = ("-", True) if least is None else (f">= {least:g}x", times >= least)
        line(f"  {name}", f"{found.n:.0f} items, {times:.2f}x fewer{best}", target, met)
        if mean == MARGIN:
            line("    false alarm, a look after every item", f"{found.lost:.2%}", "<= 5 %", found.lost <= 0.05)
        if mean == 2 * MARGIN:
            line("    wrong `within`, a look after every item", f"{found.within:.2%}", "<= 5 %", found.within <= 0.05)


def main() -> None:
    for world in (FLIPS, CHANCE):
        for items in (None, SUITE):
            show(world, items)
    rng = np.random.default_rng(3)
    values = CHANCE.endless(MARGIN, rng, 100_000)
    start = time.process_time()
    SequentialTest(MARGIN, bounds=CHANCE.bounds, items=values.size).update(values)
    seconds = time.process_time() - start
    line("100,000 values in one update, processor time", f"{seconds:.3f} s", "< 0.5 s", seconds < 0.5)
    start = time.process_time()
    confidence_sequence(values, bounds=CHANCE.bounds)
    seconds = time.process_time() - start
    line("confidence sequence at 100,000 looks, processor time", f"{seconds:.1f} s", "< 5 s", seconds < 5)
    some = [confidence_sequence(CHANCE.endless(MARGIN, rng, 5_000), bounds=CHANCE.bounds) for _ in range(20)]
    for n in (200, 1_000, 5_000):
        width = float(np.mean([found.high[n - 1] - found.low[n - 1] for found in some]))
        wider = width / (2 * 1.96 * math.sqrt(CHANCE.variance(MARGIN) / n))
        line(f"  its width after {n:,}, in intervals for one look", f"{wider:.2f}x", "< 2x", wider < 2)


if __name__ == "__main__":
    main()
