"""Plans hold what they promise: a planted loss shows as often as planned, whatever the world."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetmap.errors import UsageError
from forgetmap.estimate.chance import read_chance
from forgetmap.estimate.decide import MARGIN, MARGIN_WITH_FLOOR, smallest_detectable
from forgetmap.estimate.intervals import DIFFERENCE, ONE_CELL, Atoms, Grouping, Posteriors, posteriors
from forgetmap.estimate.noise import read_noise
from forgetmap.estimate.power import MOST_REPEATS, Plan, _Spread, _weigh, detectable_loss, items_needed, repeats_needed
from forgetmap.estimate.transitions import read_transitions
from forgetmap.estimate.units import Units
from forgetmap.estimate.worlds import CellWorld, Mixture, World


def simulate(world: World, loss: float, items: int, worlds: int, seed: int) -> pl.DataFrame:
    """Patterns of many pairs, one task each: every item with its guesses, answer by answer."""
    rng = np.random.default_rng(seed)
    n, k, g, times = items * worlds, max(world.options, 1), world.golds, world.repeats
    counts_noise = world.reading != "chance"
    by_luck = (1 - world.known) * (1 - world.no_answer_before) * world.anew * world.chance * (1 - world.chance)
    coin_share = 4 * max(world.floor - by_luck, 0.0) if counts_noise else 0.0
    # which items are what: coins come from the known ones, as long as these are twice as many
    assert coin_share <= world.known / 2
    kind = rng.random(n)
    coin = kind < coin_share
    knows = ~coin & (kind < world.known)
    knows_after = knows & (rng.random(n) >= loss / (world.known - coin_share))
    lasting = world.persistence / (1 - world.anew) if world.anew < 1 else 0.0
    anew = rng.random(n) < world.anew
    settled = rng.integers(0, k, n)
    settled_after = np.where(rng.random(n) < lasting, settled, rng.integers(0, k, n))
    right, none, choice = [], [], []
    for known, guess, silence in (
        (knows, settled, world.no_answer_before),
        (knows_after, settled_after, world.no_answer_after),
    ):
        silent = ~known & ~coin & (rng.random(n) < silence)
        picked = np.where(anew[:, None], rng.integers(0, k, (n, times)), guess[:, None])
        picked = np.where(known[:, None], 0, picked)
        picked = np.where(coin[:, None], np.where(rng.random((n, times)) < 0.5, 0, k - 1), picked)
        hit = (picked < g) & bool(world.options) & ~silent[:, None]
        if not world.options:  # open-ended: nothing is right by luck
            hit = np.where(coin[:, None], rng.random((n, times)) < 0.5, known[:, None])
        right.append(hit)
        none.append(silent)
        choice.append(picked)
    wrong = [~hit & ~silent[:, None] for hit, silent in zip(right, none, strict=True)]
    closed = bool(world.options)

    def differing(one: int, other: int) -> np.ndarray:
        both = wrong[one][:, :, None] & wrong[other][:, None, :]
        return (both & (choice[one][:, :, None] != choice[other][:, None, :])).sum((1, 2)) * closed

    frame = pl.DataFrame(
        {
            "task": np.repeat(np.arange(worlds), items),
            "right": right[0].mean(1),
            "right_after": right[1].mean(1),
            "none": none[0].astype(float),
            "none_after": none[1].astype(float),
            "differ": differing(0, 1) / times**2,
            **(
                {
                    f"differ_within{end}": differing(at, at) / (times * (times - 1))
                    for at, end in enumerate(("", "_after"))
                }
                if times > 1
                else {}
            ),
        }
    )
    frame = frame.group_by(frame.columns).agg(n=pl.len()).sort(frame.columns)
    b, a = pl.col("right"), pl.col("right_after")
    frame = frame.with_columns(
        task=pl.format("{}", pl.col("task")).str.zfill(6),
        n_options=pl.lit(world.options or None, dtype=pl.UInt16),
        n_gold=pl.lit(world.golds if world.options else None, dtype=pl.UInt16),
        chance=pl.lit(world.chance),
        unseen=pl.lit(0.0),
        wrong=1 - b - pl.col("none"),
        wrong_after=1 - a - pl.col("none_after"),
        score=b,
        score_after=a,
        lost=b * (1 - a),
        gained=a * (1 - b),
        prompts_changed=pl.lit(0),
    )
    if times == 1:
        return frame
    more = times / (times - 1)
    return frame.with_columns(
        repeats=pl.lit(float(times)),
        repeats_after=pl.lit(float(times)),
        unseen_within=pl.lit(0.0),
        unseen_within_after=pl.lit(0.0),
        floor=b * (1 - b) * more,
        floor_after=a * (1 - a) * more,
    )


def pair_of(patterns: pl.DataFrame) -> tuple[SimpleNamespace, list[str]]:
    names = sorted(patterns["task"].unique())
    empty = pl.DataFrame(
        schema={
            "task": pl.String,
            "n_options": pl.Int64,
            "gold_index": pl.Int64,
            "choice_index": pl.Int64,
            "n": pl.Int64,
            "side": pl.String,
        }
    )
    choices = [SimpleNamespace(task=name, before=SimpleNamespace(kind=None)) for name in names]
    return SimpleNamespace(patterns=patterns, positions=empty, choices=choices), names


def lost(world: World | CellWorld, patterns: pl.DataFrame, grouping: Grouping | None = None) -> Posteriors:
    """The posterior that decides, by the product's own readings."""
    pair, names = pair_of(patterns)
    cells = grouping or Grouping(np.arange(len(names)), len(names), None)
    if world.form == "chance":
        found = read_chance(pair, names)
        return found.reading.posterior("lost", cells, found.atoms)
    if world.form == "net":
        return read_transitions(pair, names).posterior("net", cells, DIFFERENCE)
    noisy = read_noise(pair, names, ())
    assert noisy is not None
    if world.form == "known":
        return noisy.chance.posterior("lost", cells, noisy.atoms)
    return noisy.reading.posterior("lost_at_least", cells, DIFFERENCE)


def share_shown(plan: Plan, worlds: int = 1000, seed: int = 1) -> float:
    assert isinstance(plan.world, World)
    assert plan.loss is not None and plan.items is not None
    patterns = simulate(plan.world, plan.loss, plan.items, worlds, seed)
    tails = lost(plan.world, patterns).tail(plan.margin)
    assert len(tails) == worlds
    return float(np.mean(tails <= 0.05 / plan.cells))


#: Options, known, persistence, loss and margin; no repeats.
SINGLE = [
    (World(), 0.05, 0.02),
    (World(persistence=0.8), 0.1, 0.02),
    (World(known=0.9, persistence=0.5), 0.04, 0.01),
    (World(known=0.4, options=10, no_answer_before=0.1, no_answer_after=0.3), 0.06, 0.02),
    (World(known=0.5, options=5, golds=2), 0.1, 0.03),
    (World(options=0), 0.05, 0.02),
    (World(options=0, known=0.3), 0.03, 0.01),
    (World(sampled=True, options=0, floor=0.05), 0.06, 0.02),
    (World(sampled=True), 0.08, 0.02),
]
REPEATED = [
    (World(repeats=2, floor=0.03), 0.06, 0.01),
    (World(repeats=3, floor=0.05), 0.06, 0.01),
    (World(repeats=4, floor=0.03, options=10, known=0.4, persistence=0.8), 0.05, 0.01),
    (World(repeats=5, floor=0.05, options=0), 0.04, 0.01),
    (World(repeats=2, sampled=True), 0.06, 0.02),
    (World(repeats=5, sampled=True, options=10, known=0.4, floor=0.04), 0.04, 0.01),
    (World(repeats=3, floor=0.03, redrawn=0.3, no_answer_before=0.2, no_answer_after=0.2), 0.06, 0.01),
    (World(repeats=3, options=2, persistence=1.0), 0.06, 0.01),
    (World(repeats=3, options=2, sampled=True), 0.1, 0.01),
]


@pytest.mark.parametrize(("world", "loss", "margin"), [*SINGLE, *REPEATED])
def test_the_loss_shows_as_often_as_planned(world: World, loss: float, margin: float) -> None:
    plan = items_needed(loss, world, margin=margin)
    assert 0.77 <= share_shown(plan, 700) <= 0.85


@pytest.mark.slow
@pytest.mark.parametrize("persistence", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("known", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("options", [0, 3, 4, 10])
def test_the_loss_shows_as_often_as_planned_over_a_grid(options: int, known: float, persistence: float) -> None:
    plan = items_needed(0.08, World(known=known, options=options, persistence=persistence))
    assert 0.77 <= share_shown(plan, 1500) <= 0.85


def test_other_powers_and_many_cells() -> None:
    for power, cells in ((0.5, 1), (0.95, 1), (0.8, 20)):
        plan = items_needed(0.08, World(), power=power, cells=cells)
        assert abs(share_shown(plan, 1500) - power) < 0.035


def test_half_the_items_show_it_less_often() -> None:
    plan = items_needed(0.06, World())
    assert plan.items is not None
    assert share_shown(replace(plan, items=plan.items // 2), 500) < 0.6


def test_a_mean_over_tasks_is_planned_as_it_is_decided() -> None:
    """Three tasks of different size and kind, every task weighs the same."""
    kinds = [(World(), 200), (World(options=10, known=0.3), 400), (World(options=0, known=0.5), 900)]
    items = sum(n for _, n in kinds)
    cell = CellWorld(tuple(Mixture(((world, 1.0),), n / items, 1 / 3) for world, n in kinds))
    plan = detectable_loss(items, cell)
    assert plan.loss is not None
    worlds = 800
    parts = [
        simulate(world, plan.loss / cell.most * world.most, n, worlds, seed).with_columns(
            task=pl.format("{}:{}", pl.col("task"), pl.lit(seed))
        )
        for seed, (world, n) in enumerate(kinds)
    ]
    grouping = Grouping(np.repeat(np.arange(worlds), 3), worlds, np.arange(3 * worlds))
    shown = lost(cell, pl.concat(parts, how="vertical_relaxed"), grouping).tail(plan.margin) <= 0.05
    assert 0.77 <= shown.mean() <= 0.85


def test_one_kind_is_a_cell_of_one_task() -> None:
    world = World(repeats=3)
    cell = CellWorld((Mixture(((world, 0.25), (world, 0.75))),))
    assert items_needed(0.04, cell).items == items_needed(0.04, world).items
    assert cell.known == world.known
    with pytest.raises(UsageError, match="different repeats"):
        CellWorld((Mixture(((World(), 0.5), (World(repeats=2), 0.5))),))


@pytest.mark.parametrize(("k", "g"), [(4, 1), (3, 1), (10, 1), (5, 2)])
def test_closed_forms(k: int, g: int) -> None:
    """Moments of statistics.md 2.2: guesses are 0 on average, a lost item 1 on average and 1/(1 − q) squared."""
    world, q = World(known=0.0, options=k, golds=g, persistence=0.4), g / k
    guesses = world.values(0.0, "chance")
    assert sum(value * p for value, p in guesses) == pytest.approx(0, abs=1e-12)
    second = sum(value**2 * p for value, p in guesses)
    assert second == pytest.approx(0.6 * (q / (1 - q) + g**2 / ((k - g - 1) * (k - g))))
    lost_items = World(known=1.0, options=k, golds=g).values(0.2, "chance")
    assert sum(value * p for value, p in lost_items) == pytest.approx(0.2)
    assert sum(value**2 * p for value, p in lost_items) == pytest.approx(0.2 / (1 - q))


@pytest.mark.parametrize("world", [World(options=2, no_answer_after=0.2), World(options=4, no_answer_after=0.5)])
def test_luck_is_removed_with_no_answers_too(world: World) -> None:
    unknown = replace(world, known=0.0)
    assert sum(value * p for value, p in unknown.values(0.0, "chance")) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("repeats", [2, 3, 5])
@pytest.mark.parametrize("options", [0, 4])
def test_noise_is_0_on_average_and_has_the_floor_asked_for(repeats: int, options: int) -> None:
    world = World(known=1.0, options=options, repeats=repeats, floor=0.04)
    assert sum(value * p for value, p in world.values(0.0, "known")) == pytest.approx(0, abs=1e-12)
    patterns = simulate(world, 0.0, 200_000, 1, seed=3)
    assert np.average(patterns["floor"], weights=patterns["n"]) == pytest.approx(0.04, abs=0.001)


def test_guesses_drawn_anew_make_a_floor_of_their_own() -> None:
    world = World(known=0.6, repeats=2, sampled=True, persistence=0.3, floor=0.0)
    patterns = simulate(world, 0.0, 200_000, 1, seed=3)
    assert np.average(patterns["floor"], weights=patterns["n"]) == pytest.approx(world.moved, abs=0.001)
    assert replace(world, floor=0.1).moved == 0.1


def test_the_posterior_is_that_of_the_intervals() -> None:
    world = World(options=5, golds=2)
    (stratum,) = world.strata(0.07)
    spread = _Spread.of(stratum.values, 400)
    units = Units(("",), 400 * spread.shares, np.zeros(len(spread.values), dtype=np.int64))
    places, masses = zip(*stratum.atoms, strict=True)
    found = posteriors(units, spread.values, ONE_CELL, Atoms(np.array([places]), np.array([masses])))
    assert spread.of_posterior(stratum) == pytest.approx([float(c[0]) for c in found.cumulants], rel=1e-9)


def test_a_mean_over_tasks_shares_the_prior_out() -> None:
    cell = CellWorld((Mixture(((World(), 1.0),), 0.3, 0.5), Mixture(((World(options=0), 1.0),), 0.7, 0.5)))
    strata = cell.strata(0.05)
    spreads = [_Spread.of(stratum.values, 100 * stratum.share) for stratum in strata]
    counts = np.concatenate([spread.mass * spread.shares for spread in spreads])
    task = np.repeat([0, 1], [len(spread.values) for spread in spreads])
    atoms = [list(zip(*stratum.atoms, strict=True)) for stratum in strata]
    found = posteriors(
        Units(("a", "b"), counts, task),
        np.concatenate([spread.values for spread in spreads]),
        Grouping(np.zeros(2, dtype=np.int64), 1, np.arange(2)),
        Atoms(np.array([places for places, _ in atoms]), np.array([masses for _, masses in atoms])),
    )
    made = _weigh((spread.of_posterior(stratum) for spread, stratum in zip(spreads, strata, strict=True)), strata)
    assert made == pytest.approx([float(c[0]) for c in found.cumulants], rel=1e-9)


def test_answers_no_longer_given_are_no_loss() -> None:
    silenced = World(sampled=True, options=2, no_answer_after=0.8, floor=0.0)
    assert sum(value * p for value, p in silenced.values(0.0, "net")) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("world", [World(), World(options=0), World(repeats=3), World(persistence=0.8)])
def test_plans_agree_with_what_a_comparison_says(world: World) -> None:
    """The same definition, from assumptions here and from the items there."""
    plan = detectable_loss(2000, world)
    assert plan.loss is not None
    found = lost(world, simulate(world, plan.margin, 2000, 20, seed=5))
    ones = np.ones(20)
    said = smallest_detectable(found, plan.margin * ones, ones / (1 - world.chance))
    assert said.mean() == pytest.approx(plan.loss, rel=0.06)


WORLDS = st.builds(
    World,
    known=st.floats(0.5, 1.0),
    options=st.sampled_from([0, 2, 3, 4, 10]),
    persistence=st.floats(0.0, 1.0),
    no_answer_before=st.floats(0.0, 0.9),
    no_answer_after=st.floats(0.0, 0.9),
    floor=st.floats(0.0, 0.04),
    repeats=st.integers(1, 4),
    sampled=st.booleans(),
)


@given(WORLDS, st.integers(30, 20_000), st.integers(2, 10))
@settings(max_examples=25)
def test_more_items_show_smaller_losses(world: World, items: int, times: int) -> None:
    few, many = detectable_loss(items, world).loss, detectable_loss(items * times, world).loss
    assert few is None or (many is not None and many <= few)


@given(WORLDS, st.floats(0.03, 0.15), st.floats(1.01, 2.0))
@settings(max_examples=25)
def test_larger_losses_need_fewer_items(world: World, loss: float, times: float) -> None:
    small, large = items_needed(loss, world).items, items_needed(loss * times, world).items
    assert small is None or (large is not None and large <= small)


@given(WORLDS, st.integers(40, 20_000))
@settings(max_examples=25)
def test_items_for_the_smallest_loss_are_those_items(world: World, items: int) -> None:
    found = detectable_loss(items, world).loss
    if found is not None:
        assert items_needed(found, world).items == pytest.approx(items, abs=1)


@given(WORLDS, st.floats(0.03, 0.2))
@settings(max_examples=15)
def test_stricter_plans_need_more_items(world: World, loss: float) -> None:
    def needed(**decision: float) -> float:
        return items_needed(loss, world, **decision).items or float("inf")  # type: ignore[arg-type]

    assert needed(power=0.9) >= needed() <= needed(cells=10)
    assert needed(margin=0.005) <= needed(margin=0.02)


@pytest.mark.parametrize("floor", [0.0, 0.02, 0.07])
def test_more_noise_needs_more_items_and_more_repeats_need_fewer(floor: float) -> None:
    needed = [items_needed(0.03, World(repeats=repeats, floor=floor)).items for repeats in (2, 3, 5, 10)]
    assert needed == sorted(needed, reverse=True)
    assert needed[0] <= items_needed(0.03, World(repeats=2, floor=floor + 0.005)).items


class TestRepeats:
    def test_the_fewest_that_are_enough(self) -> None:
        world = World(options=0, floor=0.08)
        found = repeats_needed(0.03, 700, world)
        assert found.repeats is not None and found.repeats > 2
        assert detectable_loss(700, replace(world, repeats=found.repeats)).loss <= 0.03
        assert detectable_loss(700, replace(world, repeats=found.repeats - 1)).loss > 0.03

    def test_one_answer_may_be_enough(self) -> None:
        found = repeats_needed(0.08, 2000)
        assert (found.repeats, found.reading, found.margin) == (1, "chance", MARGIN)

    def test_too_few_items_are_not_helped_by_repeats(self) -> None:
        found = repeats_needed(0.03, 300)
        assert found.repeats is None
        assert found.why == f"not even {MOST_REPEATS} repeats are enough: there are too few items"
        assert "none, not even" in repr(found)

    def test_a_loss_within_the_larger_margin_is_a_question_for_repeats(self) -> None:
        found = repeats_needed(0.015, 100_000)
        assert found.repeats == 2
        assert found.margin == MARGIN_WITH_FLOOR


class TestEdges:
    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ({"known": 1.2}, "known is 1.2"),
            ({"persistence": -0.1}, "persistence is -0.1"),
            ({"floor": 0.25}, "floor is 0.25"),
            ({"options": 1}, "1 options with 1 right"),
            ({"options": 4, "golds": 4}, "4 options with 4 right"),
            ({"repeats": 0}, "repeats is 0"),
            ({"repeats": MOST_REPEATS + 1}, "repeats is 65"),
            ({"redrawn": 0.9}, "redrawn is 0.9"),
            ({"known": float("nan")}, "known is nan"),
        ],
    )
    def test_impossible_worlds(self, values: dict[str, float], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            World(**values)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("loss", "decision", "said"),
        [
            (0.02, {}, "cannot be told from a margin of 0.02"),
            (0.7, {}, "more than the 0.6 that is known"),
            (0.0, {}, "loss is 0"),
            (float("nan"), {}, "loss is nan"),
            (0.05, {"margin": 0.0}, "margin is 0"),
            (0.05, {"power": 1.0}, "power is 1"),
            (0.05, {"power": 0.1}, "power is 0.1"),
            (0.05, {"cells": 0}, "cells is 0"),
        ],
    )
    def test_impossible_plans(self, loss: float, decision: dict[str, float], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            items_needed(loss, **decision)  # type: ignore[arg-type]

    @pytest.mark.parametrize("items", [0, -5, 1e10, float("nan")])
    def test_impossible_numbers_of_items(self, items: float) -> None:
        with pytest.raises(UsageError, match="items is"):
            detectable_loss(items)
        with pytest.raises(UsageError, match="items is"):
            repeats_needed(0.05, items)

    def test_where_nothing_can_be_shown_there_is_a_reason(self) -> None:
        assert detectable_loss(1000, World(known=0.01)).why.startswith("no more is known than the margin")
        tiny = detectable_loss(3)
        assert (tiny.loss, tiny.why) == (None, "not even the loss of all that is known would show")
        hidden = items_needed(0.03, World(options=2, sampled=True))  # half of the loss is guessed right
        assert hidden.items is None
        assert hidden.why == "it would read as 0.015, which is no more than the margin of 0.02"

    def test_everything_may_be_lost(self) -> None:
        assert items_needed(1.0, World(known=1.0, options=0)).items == 30
        assert detectable_loss(30, World(known=1.0, options=0)).loss < 0.3

    def test_fewer_than_30_items_are_never_proposed(self) -> None:
        assert items_needed(0.9, World(known=0.95, options=0)).items == 30

    def test_a_plan_echoes_what_was_asked_and_assumed(self) -> None:
        plan = items_needed(0.05, World(options=10, known=0.4), power=0.9, cells=3)
        content = plan.to_dict()
        assert (content["loss"], content["power"], content["cells"], content["margin"]) == (0.05, 0.9, 3, MARGIN)
        assert content["items"] == plan.items
        assert content["assumed"][0]["options"] == 10
        assert content["assumed"][0]["share"] == 1.0
        assert repr(plan).startswith(f"Plan(items: {plan.items:,}; loss 5.00%")
