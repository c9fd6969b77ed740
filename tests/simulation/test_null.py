"""Nulls: the same model twice is seldom found to have lost or gained, and a planted loss is found as often as promised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from repeated import Answers, Kind, difficulties, spread_out
from worlds import Population, World

from forgetmap.estimate.decide import adjust_together, choose_verdicts
from forgetmap.evidence import Judged

GUESSING = Answers.known(Population(lost=0.0, gained=0.0, persistence=0.3), (2, 2)).kinds


def false_findings(judged: Judged, cells: int) -> tuple[float, float]:
    """Share of cells found lost or gained after adjustment within each map, and of maps with any such cell."""
    p_lost, p_gained = (p.reshape(-1, cells) for p in (judged.evidence.p_lost, judged.evidence.p_gained))
    adjusted = [adjust_together([pair])[0] for pair in zip(p_lost, p_gained, strict=True)]
    found = np.array([(lost <= 0.05) | (gained <= 0.05) for lost, gained in adjusted])
    return float(found.mean()), float(found.any(axis=1).mean())


@pytest.mark.parametrize(("repeats", "kind"), [((2, 2), "seed"), ((2, 3), "prompt"), ((4, 4), "prompt")])
@pytest.mark.parametrize("kinds", [difficulties(), GUESSING], ids=["favourites", "guesses"])
def test_one_cell(kinds: list[Kind], repeats: tuple[int, int], kind: str) -> None:
    world = World.of(Answers(kinds, 1, repeats).draw(1000, 200, np.random.default_rng(len(kind))))
    judged = world.judge(sampled=kind == "seed", kind=kind)
    assert set(judged.reading) == {"noise"}
    assert set(judged.margin) == {0.01}
    assert false_findings(judged, 1)[0] <= 0.05


def test_without_choices_verdicts_rest_on_what_was_lost_at_least() -> None:
    world = World.of(Answers(difficulties(), 1, (2, 2)).draw(1000, 200, np.random.default_rng(2)))
    blind = replace(
        world,
        patterns=world.patterns.with_columns(
            unseen=world.patterns["wrong"] * world.patterns["wrong_after"], differ=0.0
        ),
    )
    judged = blind.judge(sampled=True)
    assert set(judged.form) == {"observed"}
    assert false_findings(judged, 1)[0] <= 0.02


def test_maps_of_many_cells() -> None:
    """Eight categories of three tasks: hardly a map has a false finding at any level."""
    maps, categories, tasks = 120, 8, 3
    drawn = Answers(difficulties(), 1, (2, 2)).draw(maps * categories * tasks, 80, np.random.default_rng(3))
    world = World.of(drawn, np.repeat(np.arange(maps * categories), tasks))
    for level, cells in (("task", categories * tasks), ("category", categories)):
        of_cells, of_maps = false_findings(world.judge(level, sampled=True), cells)
        assert of_cells <= 0.005
        assert of_maps <= 0.05


def test_the_same_wordings_on_both_sides_find_nothing() -> None:
    """The same model answers the same wording the same way: nothing moved, whatever its noise."""
    same = replace(Answers(difficulties(), 1, (3, 3)), shared=1.0)
    judged = World.of(same.draw(300, 200, np.random.default_rng(4))).judge(kind="prompt")
    assert false_findings(judged, 1)[0] == 0


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_wordings_shared_by_both_sides_do_not_hide_a_loss(repeats: int) -> None:
    moved = [Kind(0.5, spread_out(0.95), spread_out(0.95)), Kind(0.4, spread_out(0.4), spread_out(0.4)),
             Kind(0.1, spread_out(0.95), spread_out(0.05))]  # fmt: skip
    answers = replace(Answers(moved, 1, (repeats, repeats)), shared=0.5)
    world = World.of(answers.draw(400, 500, np.random.default_rng(5)))
    bounds = world.bounds()
    found = {name: bounds[name].lost[0].value.mean() for name in ("noise", "noise_chance", "noise_at_least")}
    assert found["noise"] == pytest.approx(answers.truth["noise"], abs=0.003)
    assert found["noise_chance"] == pytest.approx(answers.truth["noise_chance"], abs=0.003)
    if repeats > 2:
        assert found["noise_at_least"] == pytest.approx(answers.truth["at_least"], abs=0.003)
    else:  # three different wordings are needed to tell; two read low
        assert found["noise_at_least"] < answers.truth["at_least"] - 0.003
    most = World.of(answers.draw(2, 60_000, np.random.default_rng(5))).columns()["noise"]["lost_at_most"]
    assert most == pytest.approx(answers.truth["at_most"], abs=0.006)


@pytest.mark.parametrize("repeats", [(1, 1), (3, 1)])
def test_sampled_once_only_the_net_speaks(repeats: tuple[int, int]) -> None:
    world = World.of(Answers(difficulties(), 1, repeats).draw(1000, 150, np.random.default_rng(6)))
    judged = world.judge(sampled=True)
    assert set(judged.reading) == {"net"}
    assert false_findings(judged, 1)[0] <= 0.05
    none = Answers([Kind(1.0, spread_out(0.5), spread_out(0.5))], 1, repeats)  # a quarter of all items flips each way
    coins = World.of(none.draw(300, 1000, np.random.default_rng(7))).judge(sampled=True)
    assert false_findings(coins, 1)[0] <= 0.05


@pytest.mark.parametrize("n", [100, 500, 2000])
@pytest.mark.parametrize(("options", "persistence"), [(((3, 1),), 0.0), (((4, 1),), 0.4), (((10, 1),), 0.8)])
def test_a_loss_at_the_margin_is_found_once_in_twenty(
    options: tuple[tuple[int, int], ...], persistence: float, n: int
) -> None:
    population = Population(lost=0.02, gained=0.02, options=options, persistence=persistence)
    evidence = World.of(population.draw(2000, n, np.random.default_rng(n))).judge().evidence
    for p in (evidence.p_lost, evidence.p_gained):
        assert 0.025 <= (p <= 0.05).mean() <= 0.065  # three standard errors of 2,000 worlds


@pytest.mark.parametrize("n", [500, 2000])
@pytest.mark.parametrize(
    ("options", "persistence"),
    [(((0, 0),), 0.0), (((3, 1),), 0.4), (((4, 1),), 0.0), (((4, 1),), 0.8), (((10, 1),), 0.4)],
)
def test_detectable_is_detected_four_times_in_five(
    options: tuple[tuple[int, int], ...], persistence: float, n: int
) -> None:
    rng = np.random.default_rng(n)
    nothing = Population(lost=0.0, options=options, persistence=persistence)
    promised = float(np.median(World.of(nothing.draw(400, n, rng)).judge().evidence.detectable))
    evidence = World.of(replace(nothing, lost=promised).draw(1500, n, rng)).judge().evidence
    assert 0.72 <= (evidence.p_lost <= 0.05).mean() <= 0.90


def test_steady_means_that_little_was_lost() -> None:
    """Two fifths of the items lose eight points of probability, two fifths gain as much: no 'steady' at a margin of 1."""
    kinds = [Kind(0.4, spread_out(0.98), spread_out(0.9)), Kind(0.4, spread_out(0.9), spread_out(0.98)),
             Kind(0.2, spread_out(0.05), spread_out(0.05))]  # fmt: skip
    answers = Answers(kinds, 1, (4, 4))
    assert answers.truth["gross"] == pytest.approx(0.032)
    judged = World.of(answers.draw(40, 8000, np.random.default_rng(8))).judge(sampled=True)
    evidence = judged.evidence
    verdicts = choose_verdicts(evidence, evidence.p_lost, evidence.p_gained, judged.margin)
    assert verdicts.count("steady") <= 2
