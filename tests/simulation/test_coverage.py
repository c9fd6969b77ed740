"""Coverage: 95 % intervals hold the truth in 95 of 100 worlds, whatever the items, weights, repeats and clusters.

Every assertion allows for the binomial error of its number of worlds; the full tables are in bench/simulation.py.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from repeated import Answers, Kind, difficulties, spread_out
from worlds import Population, World, clustered, covered, without_clusters

from forgetmap.estimate.guessing import estimate_guessing
from forgetmap.evidence import Bounds

WORLDS = 600
#: 93 % less, and 97.5 % plus, three standard errors of 600 worlds.
LEAST, MOST = 0.93 - 0.03, 0.975 + 0.02
LOSSES = (0.0, 0.02, 0.05, 0.1, 0.3)
MIXED = ((3, 1), (4, 1), (5, 1), (10, 1))


def share(bounds: Bounds, truth: float, direction: str = "lost") -> float:
    return float(covered(bounds.interval(direction), truth).mean())


@pytest.mark.parametrize(
    ("options", "persistence", "n"),
    [
        *product([((3, 1),), ((4, 1),), ((5, 1),), ((10, 1),), MIXED], [0.0, 0.4, 0.8], [100]),
        *product([((3, 1),), ((4, 1),), MIXED], [0.4], [500, 2000]),
    ],
)
def test_shares_of_items(options: tuple[tuple[int, int], ...], persistence: float, n: int) -> None:
    rng = np.random.default_rng(n)
    populations = [Population(lost=lost, options=options, persistence=persistence) for lost in LOSSES]
    bounds = World.of([population.draw(WORLDS, n, rng) for population in populations]).bounds()
    for reading, least in (
        ("chance", LEAST),
        ("observed", LEAST - 0.02 * (n == 100)),
    ):  # few flips are lumpy: see below
        low, high = (end.reshape(len(LOSSES), WORLDS) for end in bounds[reading].interval("lost"))
        for place, population in enumerate(populations):
            found = covered((low[place], high[place]), population.truth[reading]).mean()
            assert least <= found <= MOST, (reading, population.lost)


def test_what_is_lumpy_is_right_on_average() -> None:
    """A few flips in 100 items take few values: coverage swings with the true share, around 95 %."""
    rng = np.random.default_rng(0)
    shares = np.linspace(0.03, 0.2, 60)
    world = World.of([Population(lost=float(f), options=((0, 0),)).draw(200, 100, rng) for f in shares])
    low, high = (end.reshape(60, 200) for end in world.bounds()["observed"].interval("lost"))
    assert 0.94 < ((low <= shares[:, None]) & (high >= shares[:, None])).mean() < 0.965


@pytest.mark.parametrize("n", [100, 500])
@pytest.mark.parametrize(
    "population",
    [
        Population(abstain=(0.3, 0.0), persistence=0.3),
        Population(abstain=(0.1, 0.4), options=((10, 1),)),
        Population(options=((5, 2),), persistence=0.3),
        Population(options=((10, 3),), persistence=0.3),
        Population(options=(*MIXED, (5, 2), (0, 0)), abstain=(0.1, 0.2), persistence=0.3),
    ],
    ids=str,
)
def test_silence_and_several_golds(population: Population, n: int) -> None:
    bounds = World.of(population.draw(WORLDS, n, np.random.default_rng(1))).bounds()
    assert LEAST <= share(bounds["chance"], population.lost) <= MOST
    assert LEAST <= share(bounds["chance"], population.gained, "gained") <= MOST
    assert LEAST - 0.02 <= share(bounds["observed"], population.truth["observed"]) <= MOST


@pytest.mark.parametrize("n", [100, 500])
def test_lost_of_known(n: int) -> None:
    population = Population(known=0.5, lost=0.1, persistence=0.3)
    chance = World.of(population.draw(WORLDS, n, np.random.default_rng(2))).columns()["chance"]
    ends = chance["lost_of_known_low"], chance["lost_of_known_high"]
    assert LEAST <= covered(ends, population.truth["of_known"]).mean() <= MOST


class TestMeans:
    """Means over tasks, items and categories: the prior belongs to the cell."""

    @pytest.mark.parametrize(
        ("tasks", "n", "options"),
        [(20, 100, ((4, 1),)), (20, 100, ((0, 0),)), (57, 100, ((4, 1),)), (57, 100, ((0, 0),))],
    )
    def test_over_tasks(self, tasks: int, n: int, options: tuple[tuple[int, int], ...]) -> None:
        population = Population(options=options, persistence=0.4)
        drawn = population.draw(300 * tasks, n, np.random.default_rng(tasks))
        bounds = World.of(drawn, np.repeat(np.arange(300), tasks)).bounds("category")
        assert 0.93 - 0.04 <= share(bounds["chance"], population.lost) <= MOST
        assert 0.93 - 0.04 <= share(bounds["observed"], population.truth["observed"]) <= MOST

    @pytest.mark.parametrize(("tasks", "n"), [(57, 5), (20, 5)])
    def test_over_small_tasks(self, tasks: int, n: int) -> None:
        population = Population(persistence=0.4, lost=0.1)
        drawn = population.draw(WORLDS * tasks, n, np.random.default_rng(tasks))
        bounds = World.of(drawn, np.repeat(np.arange(WORLDS), tasks)).bounds("category")
        assert share(bounds["chance"], population.lost) >= 0.92

    @pytest.mark.parametrize("weight", ["tasks", "items", "categories"])
    def test_over_unlike_tasks(self, weight: str) -> None:
        """Three categories of one, three and six tasks, of different sizes, options and losses."""
        rng = np.random.default_rng(3)
        category = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
        sizes = np.array([300, 60, 100, 200, 50, 60, 70, 80, 90, 100])
        kinds = [Population(lost=(0.02, 0.05, 0.1)[c], options=(((4, 1),), ((5, 2),), ((0, 0),))[c]) for c in category]
        world = World.of(
            [kind.draw(WORLDS, int(n), rng) for kind, n in zip(kinds, sizes, strict=True)],
            of=np.concatenate([c * WORLDS + np.arange(WORLDS) for c in category]),
            group=np.tile(np.arange(WORLDS), len(category)),
        )
        weights = {
            "tasks": np.full(10, 0.1),
            "items": sizes / sizes.sum(),
            "categories": 1 / (3 * np.bincount(category)[category]),
        }[weight]
        bounds = world.bounds("group", weight)
        for reading in ("chance", "observed"):
            truth = float(weights @ [kind.truth[reading] for kind in kinds])
            assert LEAST <= share(bounds[reading], truth) <= MOST


@pytest.mark.parametrize("repeats", [(2, 2), (2, 4), (5, 5)])
@pytest.mark.parametrize("moved", [0.0, 0.1, 0.4])
def test_noise(moved: float, repeats: tuple[int, int]) -> None:
    answers = Answers(difficulties(moved), 1, repeats)
    world = World.of(answers.draw(WORLDS, 200, np.random.default_rng(5)))
    bounds, truth = world.bounds(), answers.truth
    for reading, name in (("noise", "noise"), ("noise_at_least", "at_least"), ("noise_chance", "noise_chance")):
        assert share(bounds[reading], truth[name]) >= LEAST, reading
    assert (bounds["noise_at_most"].interval("lost")[1] >= truth["at_most"] - 1e-12).mean() >= LEAST
    assert (bounds["noise_at_most"].interval("lost")[1] >= truth["gross"]).mean() >= 0.95 - 0.03
    assert (bounds["noise_at_least"].interval("lost")[0] <= truth["gross"] + 1e-12).mean() >= 0.975 - 0.02


def test_the_most_that_was_lost_is_not_less_than_nothing() -> None:
    quiet = [Kind(0.95, spread_out(1.0), spread_out(1.0)), Kind(0.05, spread_out(0.6), spread_out(0.6))]
    bounds = World.of(Answers(quiet, 1, (3, 3)).draw(WORLDS, 1000, np.random.default_rng(3))).bounds()
    for direction in ("lost", "gained"):
        assert (bounds["noise_at_most"].interval(direction)[1] >= 0).all()


def test_guesses_that_come_back_in_repeats() -> None:
    """The chance form of noise finds what was known and is gone."""
    population = Population(lost=0.08, persistence=0.4, abstain=(0.1, 0.2))
    answers = Answers.known(population, (3, 2))
    assert answers.truth["noise_chance"] == pytest.approx(0.08, abs=1e-12)
    bounds = World.of(answers.draw(WORLDS, 300, np.random.default_rng(6))).bounds()
    assert LEAST <= share(bounds["noise_chance"], 0.08) <= MOST


class TestClusters:
    """Items of one passage move together: the cluster is the unit."""

    @pytest.mark.parametrize("clusters", [40, 80, 150])
    def test_clusters_cover_where_items_do_not(self, clusters: int) -> None:
        population = Population(lost=0.1, options=((0, 0),))
        world = clustered(population, WORLDS, clusters, np.random.default_rng(clusters), spread=0.3)
        assert share(world.bounds()["observed"], 0.1) >= LEAST
        assert share(without_clusters(world).bounds()["observed"], 0.1) < 0.87

    @pytest.mark.parametrize("clusters", [40, 60])
    def test_small_losses_in_few_clusters(self, clusters: int) -> None:
        population = Population(lost=0.02, options=((0, 0),))
        world = clustered(population, WORLDS, clusters, np.random.default_rng(clusters), spread=0.02)
        assert share(world.bounds()["observed"], 0.02) >= LEAST


@pytest.mark.parametrize("persistence", [0.0, 0.4, 0.8, 1.0])
@pytest.mark.parametrize("options", [((4, 1),), ((10, 1),), ((5, 2),), MIXED])
def test_persistence_itself(options: tuple[tuple[int, int], ...], persistence: float) -> None:
    population = Population(known=0.5, options=options, persistence=persistence)
    parts = population.draw(300, 400, np.random.default_rng(7)).partition_by("number")
    found = [guess for guess in map(estimate_guessing, parts) if guess.persistence is not None]
    low, high = (np.array([getattr(guess, f"persistence_{end}") for guess in found]) for end in ("low", "high"))
    assert len(found) > 250
    assert covered((low, high), persistence).mean() >= 0.93 - 0.04


@pytest.mark.parametrize("persistence", [0.0, 0.4, 1.0])
def test_two_options_borrow_persistence(persistence: float) -> None:
    """The hull over the ends of r: it may cover more, never less."""
    rng = np.random.default_rng(8)
    four = Population(persistence=persistence)
    two = replace(four, options=((2, 1),))
    world = World.of([four.draw(300, 500, rng), two.draw(300, 300, rng)], of=np.tile(np.arange(300), 2), alone=True)
    low, high = world.bounds()["chance"].interval("lost")
    ends = low[300:], high[300:]
    told = ~np.isnan(ends[0])
    assert told.mean() > 0.98  # where flips contradict the borrowed r there is no reading
    assert covered(ends, two.lost)[told].mean() >= 0.93 - 0.04
