"""Bias: the chance reading finds what was planted whatever the guesses, and both routes to a cell give the same digits."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from repeated import Answers, Kind
from worlds import NONE, Population, World, finish, relate

from forgetmap import compare
from forgetmap.cells import draft_cells, finish_cells
from forgetmap.levels import make_levels, place_tasks
from forgetmap.taxonomies import load_taxonomy
from forgetmap.testing import Planted, plant

LOSSES = (0.0, 0.02, 0.05, 0.1, 0.3)
MIXED = ((3, 1), (4, 1), (5, 1), (10, 1))
WORLDS = 500


def errors(populations: list[Population], n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean errors of the chance reading and of the published estimate, one per population."""
    rng = np.random.default_rng(seed)
    world = World.of([population.draw(WORLDS, n, rng) for population in populations])
    truth = np.repeat([population.lost for population in populations], WORLDS)
    found = world.read().chance.reading.task_means("lost")
    return tuple(
        (estimate - truth).reshape(len(populations), WORLDS).mean(axis=1) for estimate in (found, world.paper())
    )  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("options", "persistence"), list(product([((3, 1),), ((4, 1),), ((5, 1),), ((10, 1),), MIXED], [0.0, 0.4, 0.8]))
)
def test_the_mean_error_is_below_three_tenths_of_a_point(
    options: tuple[tuple[int, int], ...], persistence: float
) -> None:
    populations = [Population(lost=lost, options=options, persistence=persistence) for lost in LOSSES]
    ours, published = errors(populations, 2000, seed=1)
    assert np.abs(ours).max() < 0.003
    assert np.abs(published).max() > 3 * np.abs(ours).max()


def test_the_published_estimate_errs_either_way() -> None:
    """Fresh guesses read as loss where nothing was forgotten; what is lost from little knowledge is subtracted away."""
    _, published = errors([Population(known=0.7, lost=0.0, gained=0.0)], 2000, seed=2)
    assert published[0] > 0.03
    _, published = errors(
        [Population(known=0.6, lost=0.3, gained=0.0, options=((3, 1),), persistence=0.8)], 2000, seed=2
    )
    assert published[0] < -0.1


@pytest.mark.parametrize(
    "population",
    [
        Population(abstain=(0.3, 0.0)),
        Population(abstain=(0.1, 0.4), options=((10, 1),), persistence=0.4),
        Population(options=((5, 2),), persistence=0.4),
        Population(options=((10, 3), (4, 2), (0, 0)), abstain=(0.2, 0.1), persistence=0.2),
        Population(options=((0, 0),)),
    ],
    ids=str,
)
def test_silence_several_golds_and_open_questions(population: Population) -> None:
    ours, _ = errors([population], 2000, seed=3)
    assert abs(ours[0]) < 0.003


def by_hand(planted: Planted, golds: int) -> pl.DataFrame:
    """The patterns of two planted runs, item by item in plain Python."""
    answers: dict[tuple[str, str], tuple[int, list[int], list[int]]] = {}
    for side, run in enumerate((planted.before, planted.after)):
        for task, item, k, gold, choice in run.samples.select(
            pl.col("task").cast(pl.String), "native_id", "n_options", "gold_index", "choice_index"
        ).iter_rows():
            entry = answers.setdefault((task, item), (k or 0, [], []))
            # counted from the first gold on, the golds come first; planted open questions are known or not
            entry[1 + side].append(NONE if choice is None else (choice - gold) % k)
    rows = []
    for (task, _), (k, before, after) in answers.items():
        rows.append((task, k, before, after))
    times = (len(rows[0][2]), len(rows[0][3]))
    if times == (1, 1):
        made = [
            {**dict(zip(("right", "none", "right_after", "none_after", "differ", "unseen"),
                        map(float, relate(b[0], a[0], k, golds)), strict=True)),
             "n_options": float(k), "n_gold": float(golds), "chance": golds / k}
            for _, k, b, a in rows
        ]  # fmt: skip
        columns = {name: np.array([row[name] for row in made]) for name in made[0]}
        frame = finish({"number": np.zeros(len(rows)), "n": np.ones(len(rows)), **columns})
    else:
        (k,) = {k for _, k, _, _ in rows}
        counts = [
            np.array([[row[place].count(option) for option in (*range(k), NONE)] for row in rows], dtype=float)
            for place in (2, 3)
        ]
        never = Kind(1.0, [0.0] * (k + 1), [0.0] * (k + 1))
        frame = Answers([never], golds, times)._patterns(np.zeros(len(rows)), np.ones(len(rows)), counts)
    return frame.drop("number").with_columns(task=pl.Series([task for task, *_ in rows]))


@pytest.mark.parametrize(
    ("golds", "more"),
    [
        (1, {"options": [3, 4, 10], "persistence": 0.4, "abstain": (0.1, 0.2), "tasks": 3}),
        (2, {"options": 5, "golds": 2, "persistence": 0.7, "abstain": (0.2, 0.0)}),
        (1, {"options": 4, "persistence": 0.3, "abstain": (0.1, 0.1), "repeats": (3, 2), "tasks": 2}),
    ],
)
def test_planted_runs_and_patterns_made_by_hand_give_the_same_cells(golds: int, more: dict) -> None:
    """What thousands of drawn worlds go through is what two runs go through."""
    planted = plant(900, known=0.6, lost=0.08, gained=0.03, seed=4, **more)
    found = compare(planted.before, planted.after)
    tasks = place_tasks([cell.name for cell in found.at("task")], load_taxonomy("post_forget"))
    world = World(by_hand(planted, golds), tasks)
    readings = world.read(sampled=bool(found.readings.sampled[0]))
    levels = make_levels(tasks, found.weight, [True] * len(tasks))
    (cells,) = finish_cells([draft_cells(readings, levels)])
    for one, other in zip(cells, found.cells, strict=True):
        ours, theirs = one.to_dict(), other.to_dict()
        for block in ("chance", "noise", None):
            left, right = (ours, theirs) if block is None else (ours[block] or {}, theirs[block] or {})
            numbers = [name for name, value in right.items() if isinstance(value, float | str)]
            assert (block == "noise" and not right) or numbers
            for name in numbers:
                if isinstance(right[name], str):
                    assert left[name] == right[name]
                else:  # probabilities are found by iteration
                    assert left[name] == pytest.approx(right[name], abs=1e-4 if name[:2] in ("p_", "q_") else 1e-9), (
                        name
                    )
