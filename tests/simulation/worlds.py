"""Worlds: pairs of runs drawn from known populations, thousands at once, in the form in which pairing hands them on.

One task of a world is one replication, or part of one: readings, intervals and verdicts of thousands of replications
then come from the product's own vectorised code. Items are drawn independently from a super-population, so that the
truth is a constant and not what happened to be drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from types import SimpleNamespace

import numpy as np
import polars as pl

from forgetmap.cells import draft_cells
from forgetmap.estimate.chance import read_chance
from forgetmap.estimate.noise import read_noise
from forgetmap.estimate.paper import estimate_paper
from forgetmap.estimate.transitions import read_transitions
from forgetmap.evidence import Bounds, Judged, Readings, bounds_of, judge
from forgetmap.levels import Level, PlacedTask, make_levels
from forgetmap.taxonomies import Taxonomy

#: What an answer can be, as a place: the gold options first, then the wrong ones; no answer is NONE.
NONE = -1
_FLIPS = ("right", "none", "right_after", "none_after", "differ", "unseen", "n_options", "n_gold", "chance")


@dataclass(frozen=True)
class Population:
    """Items known before and after, before only, after only or never; unknown ones are guessed or left unanswered."""

    known: float = 0.6
    lost: float = 0.05
    gained: float = 0.03
    options: Sequence[tuple[int, int]] = ((4, 1),)  # options and golds, all as frequent; (0, 0) is open-ended
    persistence: float = 0.0
    abstain: tuple[float, float] = (0.0, 0.0)
    choices: bool = True

    @property
    def states(self) -> np.ndarray:
        """Shares of items known on both sides, before only, after only, never."""
        return np.array([self.known - self.lost, self.lost, self.gained, 1 - self.known - self.gained])

    @cached_property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Patterns of outcomes (one row each, columns _FLIPS) and their probability given each state.

        Found by going through every pair of guesses: no formula of the estimators enters.
        """
        found: dict[tuple[float, ...], np.ndarray] = {}
        for k, g in self.options:
            for state, (ours, theirs) in enumerate(product((True, False), repeat=2)):
                for before, after, p in self._answers(k, ours, theirs):
                    pattern = (
                        *relate(before, after, k, g, self.choices),
                        k or np.nan,
                        g or np.nan,
                        g / k if k else 0.0,
                    )
                    row = found.setdefault(tuple(map(float, pattern)), np.zeros(4))
                    row[state] += p / len(self.options)
        return np.array(list(found)), np.array(list(found.values())).T

    def _answers(self, k: int, ours: bool, theirs: bool) -> list[tuple[int, int, float]]:
        """Every pair of answers with its probability."""
        if k == 0:  # an open question that is not known is answered wrong
            return [(0 if ours else 1, 0 if theirs else 1, 1.0)]
        found = []
        for first, second in product(range(k), repeat=2):
            p = self.persistence * (first == second) / k + (1 - self.persistence) / k**2
            for silent, silent_after in product((False, True), repeat=2):
                quiet = [(1 - a, a)[s] for a, s in zip(self.abstain, (silent, silent_after), strict=True)]
                before, after = NONE if silent else first, NONE if silent_after else second
                found.append((0 if ours else before, 0 if theirs else after, p * quiet[0] * quiet[1]))
        return found

    @property
    def truth(self) -> dict[str, float]:
        """What the readings are meant to find."""
        patterns, given = self.table
        shares = self.states @ given
        observed = float(shares @ (patterns[:, 0] * (1 - patterns[:, 2])))
        gained = float(shares @ (patterns[:, 2] * (1 - patterns[:, 0])))
        return {
            "observed": observed, "observed_gained": gained, "chance": self.lost, "chance_gained": self.gained,
            "of_known": self.lost / self.known if self.known else np.nan,
        }  # fmt: skip

    def draw(
        self, tasks: int, n: int | np.ndarray, rng: np.random.Generator, *, states: np.ndarray | None = None
    ) -> pl.DataFrame:
        """Return the patterns of so many tasks of n items; `states` gives each task its own shares."""
        patterns, given = self.table
        shares = np.broadcast_to((self.states if states is None else states) @ given, (tasks, len(patterns)))
        counts = rng.multinomial(n, shares / shares.sum(axis=1, keepdims=True), size=None if np.ndim(n) else tasks)
        task, pattern = np.nonzero(counts)
        drawn = {name: patterns[pattern, place] for place, name in enumerate(_FLIPS)}
        return finish({"number": task, "n": counts[task, pattern], **drawn})


def relate(before: int, after: int, k: int, g: int, choices: bool = True) -> tuple[bool, bool, bool, bool, bool, bool]:
    """How two answers relate: right, none, right_after, none_after, differ, unseen."""
    golds = max(g, 1)
    right, right_after = 0 <= before < golds, 0 <= after < golds
    both_wrong = before >= golds and after >= golds
    told = choices and k > 0
    return (
        right,
        before == NONE,
        right_after,
        after == NONE,
        both_wrong and told and before != after,
        both_wrong and not told,
    )


def finish(columns: dict[str, np.ndarray], *, repeats: bool = False) -> pl.DataFrame:
    """The columns of `count_patterns`, with the types it gives them."""
    whole = pl.DataFrame(columns).with_columns(
        pl.col("n").cast(pl.UInt32),
        pl.col("n_options", "n_gold").fill_nan(None).cast(pl.UInt16),
        **{name: pl.lit(0, dtype=pl.UInt32) for name in ("prompts_known", "prompts_changed", "contradicts", "state_unknown")},
    )  # fmt: skip
    within = [f"{name}{side}" for name in ("floor", "differ_within", "unseen_within") for side in ("", "_after")]
    if repeats:
        absent = [name for name in within if name not in whole.columns]
        whole = whole.with_columns(pl.lit(None, dtype=pl.Float64).alias(name) for name in absent)
    else:
        whole = whole.drop("repeats", "repeats_after", *within, strict=False)
    b, a = pl.col("right"), pl.col("right_after")
    return whole.with_columns(
        score=b, score_after=a, lost=b * (1 - a), gained=a * (1 - b),
        wrong=1 - b - pl.col("none"), wrong_after=1 - a - pl.col("none_after"),
    )  # fmt: skip


_POSITIONS = {
    "task": pl.String, "n_options": pl.UInt16, "gold_index": pl.Int16, "choice_index": pl.Int16, "n": pl.UInt32,
    "side": pl.String,
}  # fmt: skip


@dataclass(frozen=True)
class World:
    """Tasks and where they stand: a replication is a task, a category (`of`) or a group of categories."""

    patterns: pl.DataFrame = field(repr=False)
    tasks: list[PlacedTask] = field(repr=False)
    alone: bool = False  # whether every category estimates how guesses persist by itself, as pairs of their own would

    @staticmethod
    def of(
        frames: pl.DataFrame | Sequence[pl.DataFrame],
        of: np.ndarray | None = None,
        group: np.ndarray | None = None,
        *,
        alone: bool = False,
    ) -> World:
        """Make a world of drawn tasks; `of` numbers the category of each, `group` its group."""
        parts = [frames] if isinstance(frames, pl.DataFrame) else list(frames)
        shifted, offset = [], 0
        for part in parts:
            shifted.append(part.with_columns(number=pl.col("number") + offset))
            offset += int(part["number"].max()) + 1  # type: ignore[call-overload]
        whole = pl.concat(shifted, how="diagonal").sort("number", maintain_order=True)
        named = whole.with_columns(task=pl.col("number").cast(pl.String).str.zfill(7)).drop("number")
        home = np.arange(offset) if of is None else of
        tasks = [
            PlacedTask(f"{at:07d}", f"c{home[at]:07d}", None if group is None else f"g{group[at]:07d}", True)
            for at in range(offset)
        ]
        return World(named, tasks, alone)

    @cached_property
    def pair(self) -> SimpleNamespace:
        """As much of a Pair as readings look at."""
        choices = [
            SimpleNamespace(
                task=t.name, kind="binary", before=SimpleNamespace(kind=t.category if self.alone else "choice")
            )
            for t in self.tasks
        ]
        whole = pl.col("n")
        b, a = pl.col("right"), pl.col("right_after")
        seeds = (
            self.patterns.group_by("task", maintain_order=True)
            .agg(
                n=whole.sum(), kept=(whole * b * a).sum(), lost=(whole * b * (1 - a)).sum(),
                gained=(whole * a * (1 - b)).sum(), never=(whole * (1 - b) * (1 - a)).sum(),
            )
            .select("task", pl.lit(0).alias("repeat"), "n", "kept", "lost", "gained", "never")
        )  # fmt: skip
        return SimpleNamespace(
            patterns=self.patterns, positions=pl.DataFrame(schema=_POSITIONS), choices=choices, seeds=seeds, soft=None
        )

    def read(self, *, sampled: bool = False, repeat_kind: str = "seed") -> Readings:
        """Return the readings of the world."""
        names = [task.name for task in self.tasks]
        chance = read_chance(self.pair, names)
        noise = read_noise(self.pair, names, chance.excluded)
        return Readings(
            self.tasks, read_transitions(self.pair, names), chance, noise, None, {},
            repeat_kind=None if noise is None else repeat_kind,
            sampled=np.full(len(names), sampled),
            single="floor" not in self.patterns.columns,
        )  # fmt: skip

    def paper(self) -> np.ndarray:
        """The published estimate of every task."""
        rows = estimate_paper(self.pair, Taxonomy(name="none", categories={}))
        return np.array([row["lost"] for row in rows])

    def level(self, name: str = "task", weight: str = "tasks") -> Level:
        """Return the level whose cells are the replications."""
        levels = make_levels(self.tasks, weight, [True] * len(self.tasks))
        return next(level for level in levels if level.name == name)

    def bounds(self, name: str = "task", weight: str = "tasks") -> dict[str, Bounds]:
        """Return the intervals of every replication."""
        return bounds_of(self.level(name, weight), self.read())

    def columns(self, name: str = "task", weight: str = "tasks") -> dict[str, dict[str, np.ndarray]]:
        """Return what a map would show of every replication, block by block."""
        return draft_cells(self.read(), [self.level(name, weight)]).columns[0]

    def judge(self, name: str = "task", weight: str = "tasks", *, sampled: bool = False, kind: str = "seed") -> Judged:
        """Return the evidence of every replication."""
        level, readings = self.level(name, weight), self.read(sampled=sampled, repeat_kind=kind)
        return judge(level, readings, bounds_of(level, readings), "auto", None)


def without_clusters(world: World) -> World:
    """The same world, read as if items stood alone."""
    return replace(world, patterns=world.patterns.drop("cluster"))


def clustered(
    population: Population,
    tasks: int,
    clusters: int,
    rng: np.random.Generator,
    *,
    spread: float,
    mean_size: float = 8.0,
) -> World:
    """Items in clusters of different sizes, each with a loss of its own (Beta, intraclass correlation `spread`)."""
    sizes = 1 + rng.poisson(mean_size - 1, size=tasks * clusters)
    lost, known, gained = population.lost, population.known, population.gained
    a, b = (share * (1 - spread) / spread for share in (lost / known, 1 - lost / known))
    own = known * (rng.beta(a, b, size=tasks * clusters) if lost else np.zeros(tasks * clusters))
    unknown = 1 - known - gained
    states = np.stack([known - own, own, np.full_like(own, gained), np.full_like(own, unknown)], axis=1)
    drawn = population.draw(tasks * clusters, sizes, rng, states=states)
    return World.of(drawn.with_columns(cluster=pl.col("number"), number=pl.col("number") // clusters))


def covered(ends: tuple[np.ndarray, np.ndarray], truth: float) -> np.ndarray:
    """Whether each interval holds the truth; a rounding error is no miss."""
    low, high = ends
    found: np.ndarray = (low <= truth + 1e-12) & (high >= truth - 1e-12)
    return found
