"""What life lines would look like if nothing had changed after the first stage: re-run noise and guessing alone.

With at least as many repeats of the first stage as there are stages, the repeats play the stages: the mean over ordered
tuples of different repeats is unbiased whatever the model does. Otherwise items are known or guessed. A known item is
right at every stage, an unanswered one wrong at every stage, and a guess is right with the item's chance q and is repeated
at the next stage with probability r, else made afresh. A wrong choice at the first stage stands for 1 / (1 − q) guesses
(formula score, statistics.md 2.2), so that the accuracy of the first stage is met exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import perm

import numpy as np
import polars as pl

from forgetmap.chain.lines import Array, signs
from forgetmap.estimate import estimate_guessing
from forgetmap.estimate.chance import read_chance
from forgetmap.pairing import Pair
from forgetmap.pairing.pair import WARN_COVERAGE

#: Ranges this narrow are a rounding error wide.
_SAME = 1e-12


@dataclass(frozen=True)
class Share:
    """An expected share: a point, or a range where persistence of guesses is not identified, or nothing."""

    low: float | None = None
    high: float | None = None

    @property
    def value(self) -> float | None:
        """The point, where there is one."""
        if self.low is None or self.high is None or self.high - self.low > _SAME:
            return None
        return self.low

    def to_dict(self) -> dict[str, float | None]:
        """Return the three columns that every table of a chain carries."""
        return {"expected": self.value, "expected_low": self.low, "expected_high": self.high}


@dataclass(frozen=True)
class Persistence:
    """Probability that a guess is repeated from one stage to the next, per kind of scoring; None: not identified."""

    kinds: Mapping[str, str | None]  # task -> kind of scoring
    steps: Mapping[str | None, tuple[float | None, ...]]  # kind -> one value per step
    overall: tuple[float | None, ...]
    excluded: tuple[str, ...]  # tasks where guessing cannot be told from knowing


def measure_persistence(pairs: Sequence[Pair]) -> Persistence:
    """Return how guesses persist from stage to stage, read off the items that both stages got wrong."""
    readings = (read_chance(pair, sorted(pair.patterns["task"].unique())) for pair in pairs)
    excluded = sorted({task for reading in readings for task in reading.excluded})
    kinds = {choice.task: choice.before.kind for pair in reversed(pairs) for choice in pair.choices}
    steps = {}
    for kind in set(kinds.values()):
        tasks = [task for task, other in kinds.items() if other == kind and task not in excluded]
        found = (estimate_guessing(pair.patterns.filter(pl.col("task").is_in(tasks))) for pair in pairs)
        steps[kind] = tuple(guessing.persistence for guessing in found)
    overall = tuple(estimate_guessing(pair.patterns).persistence for pair in pairs)
    return Persistence(kinds, steps, overall, tuple(excluded))


@dataclass(frozen=True)
class Expectation:
    """Expected numbers of items per life line, for some items."""

    items: int
    told: int  # items that the expectation is made of
    scenarios: tuple[Array, ...]  # one array per kind of scoring: (values of r, lines)

    def share(self, weights: Array) -> Share:
        """Return the expected share of the lines that a vector of 0 and 1 names; nothing if too few items tell."""
        if not self.items or self.told < WARN_COVERAGE * self.items:
            return Share()  # a share over other items would not compare
        named = np.flatnonzero(weights)
        counts = [lines[:, named] @ weights[named] for lines in self.scenarios]
        return Share(*(sum(float(end(of_kind)) for of_kind in counts) / self.told for end in (np.min, np.max)))


@dataclass(frozen=True)
class Null:
    """The chain in which nothing changed, ready to be asked about any set of tasks."""

    basis: str  # repeats or guessing
    stages: int
    persistence: Persistence
    patterns: pl.DataFrame  # complete items: task, right, none, repeats, chance of the first stage, and n

    def of(self, tasks: Sequence[str] | None = None) -> Expectation:
        """Return what is expected of the complete items of some tasks, or of all."""
        rows = self.patterns if tasks is None else self.patterns.filter(pl.col("task").is_in(list(tasks)))
        told = rows.filter(self.tells())
        made = self._by_repeats(told) if self.basis == "repeats" else self._by_guessing(told)
        return Expectation(int(rows["n"].sum()), int(told["n"].sum()), made)

    def tells(self) -> pl.Expr:
        """Which patterns have an expectation."""
        if self.basis == "repeats":
            return pl.col("repeats") >= self.stages
        usable = (pl.col("chance") < 1).fill_null(False)
        return usable & ~pl.col("task").is_in(self.persistence.excluded)

    def _by_repeats(self, rows: pl.DataFrame) -> tuple[Array, ...]:
        ones = signs(self.stages).sum(axis=1)
        by_ones = np.zeros(self.stages + 1)
        for right, repeats, n in rows.select("right", "repeats", "n").iter_rows():
            drawn, hits = round(repeats), round(right * repeats)
            tuples = [perm(hits, k) * perm(drawn - hits, self.stages - k) for k in range(self.stages + 1)]
            by_ones += n * np.array(tuples, dtype=np.float64) / perm(drawn, self.stages)
        return (by_ones[ones][None, :],)

    def _by_guessing(self, rows: pl.DataFrame) -> tuple[Array, ...]:
        q, n = pl.col("chance"), pl.col("n")
        wrong = 1 - pl.col("right") - pl.col("none")
        masses = (
            rows.with_columns(
                kind=pl.col("task").replace_strict(dict(self.persistence.kinds), return_dtype=pl.String),
                known=n * (pl.col("right") - wrong * q / (1 - q)),
                guessed=n * wrong / (1 - q),
                silent=n * pl.col("none"),
            )
            .sort("kind", "chance", "task", "right", "none")  # sums in one order give one last digit
            .group_by("kind", "chance", maintain_order=True)
            .agg(pl.col("known", "guessed", "silent").sum())
        )
        by_kind: dict[str | None, Array] = {}
        for kind, chance, known, guessed, silent in masses.iter_rows():
            # Where no guess is ever right, it does not matter whether guesses persist.
            steps = self.persistence.steps[kind] if chance > 0 else (1.0,) * (self.stages - 1)
            lines = guessed * guess_lines(chance, steps)
            lines[:, -1] += known
            lines[:, 0] += silent
            by_kind[kind] = by_kind[kind] + lines if kind in by_kind else lines
        return tuple(by_kind.values())


def guess_lines(chance: float, steps: Sequence[float | None]) -> Array:
    """Return the probability of each life line of an item that is guessed at every stage.

    One row per corner of what is not identified: a probability of lines is linear in each step's persistence, so that its
    extremes lie where unidentified ones are 0 or 1.

    >>> guess_lines(0.25, [0.5]).round(4).tolist()  # 00, 01, 10, 11
    [[0.6562, 0.0938, 0.0938, 0.1562]]
    >>> guess_lines(0.5, [None]).tolist()
    [[0.25, 0.25, 0.25, 0.25], [0.5, 0.0, 0.0, 0.5]]
    """
    corners = []
    for persistences in product(*((r,) if r is not None else (0.0, 1.0) for r in steps)):
        lines = np.array([1 - chance, chance])
        for r in persistences:
            again = np.array([[1 - (1 - r) * chance, (1 - r) * chance], [(1 - r) * (1 - chance), r + (1 - r) * chance]])
            last = np.arange(len(lines)) % 2
            lines = (lines[:, None] * again[last]).reshape(-1)
        corners.append(lines)
    return np.array(corners)


def nothing_changed(patterns: pl.DataFrame, stages: int, first: str, pairs: Sequence[Pair]) -> tuple[Null, list[str]]:
    """Return the chain in which nothing changed after the first stage, and what must be said about it."""
    persistence = measure_persistence(pairs)
    most = int(patterns["repeats"].max() or 0)  # type: ignore[arg-type]
    steady = patterns.select(pl.col("right").is_in([0.0, 1.0]).all()).item()
    basis = "repeats" if most >= stages and not steady else "guessing"
    null = Null(basis, stages, persistence, patterns)
    said = []
    if most > 1 and steady:
        said.append(f"the repeats of {first} agree on every item, so that they tell nothing of re-run noise")
    elif 1 < most < stages:
        said.append(
            f"{first} has {most} repeats and the chain {stages} stages: with fewer repeats than stages, expected shares rest "
            "on guessing and leave re-run noise out"
        )
    return null, said + _silent(null, first)


def _silent(null: Null, first: str) -> list[str]:
    """Say which items have no expectation, and why."""
    excluded = null.persistence.excluded if null.basis == "guessing" else ()
    said = [
        f"task '{task}': golds and choices crowd on some positions, or fewer guesses flip than in other tasks, so that guessing "
        "cannot be told from knowing: no share is expected"
        for task in excluded
        if task in null.patterns["task"]
    ]
    others = null.patterns.filter(~null.tells() & ~pl.col("task").is_in(excluded))
    if others.height:
        by_task = others.group_by("task").agg(pl.col("n").sum()).sort("task")
        named = ", ".join(f"{task} ({n:,})" for task, n in by_task.head(5).iter_rows())
        more = f" and {by_task.height - 5} more tasks" if by_task.height > 5 else ""
        why = (
            f"{first} has fewer scored repeats than there are stages"
            if null.basis == "repeats"
            else "the chance of a right guess is unknown or 1"
        )
        said.append(f"{why}, and no share is expected, for {others['n'].sum():,} items of {named}{more}")
    return said
