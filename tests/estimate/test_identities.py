"""What holds for every pair whatever its items: identities, no dependence on order, cells that add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetmap import ForgettingMap, Run, compare
from forgetmap.estimate.intervals import DIFFERENCE, RATE, Grouping, posteriors
from forgetmap.estimate.units import Units
from forgetmap.taxonomies import Taxonomy

TAXONOMY = Taxonomy(
    name="tested", categories={"one": ["a", "b"], "two": ["c"], "three": ["d"]}, groups={"left": ["one", "two"]}
)

#: An item: task, options, golds, and what each side answers, repeat by repeat: an option, or nothing.
answers = st.sampled_from([0, 0, 0, 1, 2, 3, None])
items = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.sampled_from([(3, 1), (4, 1), (5, 2), (10, 1)]),
        st.tuples(*[answers] * 3),
        st.tuples(*[answers] * 3),
    ),
    min_size=2,
    max_size=40,
)
Item = tuple[str, tuple[int, int], tuple[int | None, ...], tuple[int | None, ...]]


def make_run(
    world: list[Item],
    side: int,
    repeats: int,
    *,
    shuffle: int | None = None,
    relabel: bool = False,
    clusters: bool = False,
) -> Run:
    """Two runs of one world; golds are spread over the positions, and stand first in the counting of answers."""
    rows: list[dict[str, Any]] = []
    for number, (task, (k, g), *sides) in enumerate(world):
        for repeat in range(repeats):
            step = sides[side][repeat]
            places = [str((number + place) % k) for place in range(k)]
            rows.append(
                {
                    "task": task,
                    "item_id": str(number),
                    "question": f"Question {number}?",
                    "gold": places[0],
                    "n_options": k,
                    "n_gold": g,
                    "prediction": None if step is None else places[min(step, k - 1)],
                    "correct": step is not None and min(step, k - 1) < g,
                    "answer_state": "no_answer" if step is None else "answered",
                    "repeat": repeats - 1 - repeat if relabel else repeat,
                    **({"cluster": str(number % 5)} if clusters else {}),
                }
            )
    table = pl.DataFrame(rows, infer_schema_length=None)
    if shuffle is not None:
        table = table[np.random.default_rng(shuffle).permutation(table.height)]
    run = Run.from_frame(table, model=("before", "after")[side])
    if repeats > 1:
        run.info.repeat_kind = "seed"
    return run


def drawn_map(world: list[Item], repeats: int, weight: str, clusters: bool = False, **order: Any) -> ForgettingMap:
    sides = [make_run(world, side, repeats, clusters=clusters, **order) for side in (0, 1)]
    return compare(*sides, weight=weight, taxonomy=TAXONOMY)


@settings(max_examples=7)
@given(items, st.sampled_from([1, 2, 3]), st.sampled_from(["tasks", "items", "categories"]), st.booleans())
def test_lost_less_gained_is_the_change(world: list[Item], repeats: int, weight: str, clusters: bool) -> None:
    found = drawn_map(world, repeats, weight, clusters)
    assert {cell.level for cell in found.cells} >= {"task", "category", "total"}
    for cell in found.cells:
        change = cell.observed["acc_before"] - cell.observed["acc_after"]
        assert cell.observed["lost"] - cell.observed["gained"] == pytest.approx(change, abs=1e-12)
        assert cell.observed["kept"] + cell.observed["lost"] == pytest.approx(cell.observed["acc_before"], abs=1e-12)
        chance = cell.chance
        assert chance is not None
        knowledge = chance["known_before"] - chance["known_after"]
        assert chance["lost"] - chance["gained"] == pytest.approx(knowledge, abs=1e-12)
        for end in ("if_independent", "if_persistent"):
            assert chance[f"lost_{end}"] - chance[f"gained_{end}"] == pytest.approx(knowledge, abs=1e-12)
        noise = cell.noise
        assert (noise is None) == (repeats == 1)
        if noise is not None:
            assert noise["lost"] - noise["gained"] == pytest.approx(change, abs=1e-12)
            assert noise["known_lost"] - noise["known_gained"] == pytest.approx(knowledge, abs=1e-12)
            assert noise["lost_at_most"] - noise["gained_at_most"] == pytest.approx(change, abs=1e-12)
        for block, name in ((cell.observed, "lost"), (chance, "lost"), (noise, "lost"), (chance, "gained")):
            if block is not None:
                assert block[f"{name}_low"] <= block[name] <= block[f"{name}_high"]


@settings(max_examples=4)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), *[st.lists(st.floats(-9, 0), min_size=3, max_size=3)] * 2),
        min_size=2,
        max_size=20,
    ),
    st.sampled_from(["tasks", "items", "categories"]),
)
def test_soft_lost_less_gained_is_the_change(world: list[tuple[str, list[float], list[float]]], weight: str) -> None:
    runs = []
    for side in (1, 2):
        rows = [
            {"task": row[0], "item_id": str(number), "question": f"Question {number}?", "options": ["x", "y", "z"],
             "gold": "xyz"[number % 3], "correct": int(np.argmax(row[side])) == number % 3, "option_logprobs": row[side],
             "metric": "acc"}
            for number, row in enumerate(world)
        ]  # fmt: skip
        runs.append(Run.from_frame(pl.DataFrame(rows)))
    for cell in compare(*runs, weight=weight, taxonomy=TAXONOMY).cells:
        soft = cell.soft
        assert soft is not None
        assert soft["lost"] - soft["gained"] == pytest.approx(soft["p_before"] - soft["p_after"], abs=1e-12)
        assert soft["lost_low"] <= soft["lost"] <= soft["lost_high"]


def figures(found: ForgettingMap) -> dict[str, Any]:
    """The map as written down, less what names the runs."""
    made = found.to_dict()
    return {name: value for name, value in made.items() if name not in ("before", "after")}


@settings(max_examples=4)
@given(
    items, st.sampled_from([1, 3]), st.sampled_from(["tasks", "items", "categories"]), st.integers(0, 9), st.booleans()
)
def test_the_order_of_rows_changes_no_digit(
    world: list[Item], repeats: int, weight: str, seed: int, clusters: bool
) -> None:
    """Rows of tasks, items and repeats come in any order."""
    plain = drawn_map(world, repeats, weight, clusters)
    assert figures(drawn_map(world, repeats, weight, clusters, shuffle=seed)) == figures(plain)


@settings(max_examples=3)
@given(items, st.sampled_from(["tasks", "items"]))
def test_the_order_of_repeats_changes_no_digit(world: list[Item], weight: str) -> None:
    """All pairs of repeats count alike; only the published estimator pairs them by number."""
    plain, other = (
        [{name: value for name, value in cell.to_dict().items() if name != "paper"} for cell in found.cells]
        for found in (drawn_map(world, 3, weight), drawn_map(world, 3, weight, relabel=True))
    )
    assert plain == other


values = st.lists(st.sampled_from([0.0, 1.0, 4 / 3, -2 / 3, 0.25, -0.5]), min_size=30, max_size=90)


@given(values, st.data(), st.sampled_from([RATE, DIFFERENCE]))
def test_merged_cells_are_the_union(cell: list[float], data: st.DataObject, atoms: Any) -> None:
    """Where every item weighs alike it does not matter into how many tasks the items fall."""
    tasks = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(cell), max_size=len(cell))), dtype=np.int64)
    given_values, ones = np.array(cell), np.ones(len(cell))
    whole = posteriors(Units(("all",), ones, np.zeros(len(cell), dtype=np.int64)), given_values, _one(1), atoms)
    parts = posteriors(Units(tuple("abcd"), ones, tasks), given_values, _one(4), atoms)
    assert parts.value[0] == pytest.approx(whole.value[0], abs=1e-12)
    for part, union in zip(parts.interval(), whole.interval(), strict=True):
        assert part[0] == pytest.approx(union[0], abs=1e-9)


def test_merged_small_cells_are_the_union() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        cell = rng.choice([0.0, 1.0, 4 / 3, -2 / 3, 1 / 3, -0.1], size=int(rng.integers(2, 25)))
        ones, tasks = np.ones(len(cell)), rng.integers(0, 2, len(cell))
        whole = posteriors(Units(("all",), ones, np.zeros(len(cell), dtype=np.int64)), cell, _one(1), RATE)
        parts = posteriors(Units(("a", "b"), ones, tasks), cell, _one(2), RATE)
        for part, union in zip(parts.interval(), whole.interval(), strict=True):
            assert part[0] == pytest.approx(union[0], abs=1e-9)


def _one(tasks: int) -> Grouping:
    return Grouping(np.zeros(tasks, dtype=np.int64), 1, None)
