"""Answers of both sides to one prompt: taken out of cross pairs, held against sums over every pair written out."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetmap import Run, compare
from forgetmap.pairing import Pair, pair_runs

#: An answer: the prompt it was asked with, and the option it chose (0 is the gold), or nothing.
answer = st.tuples(st.sampled_from("pqrs"), st.sampled_from([0, 0, 1, 2, 3, None]))
side = st.lists(answer, min_size=2, max_size=5)
items = st.lists(st.tuples(side, side), min_size=1, max_size=8)
Side = list[tuple[str, int | None]]


def make_run(world: list[tuple[Side, Side]], place: int) -> Run:
    rows = [
        {
            "task": "a", "item_id": str(number), "question": f"Question {number}?", "gold": "w", "n_options": 4,
            "prediction": None if step is None else "wxyz"[step], "correct": step == 0, "repeat": repeat,
            "answer_state": "no_answer" if step is None else "answered", "prompt": f"{prompt} {number}",
        }
        for number, sides in enumerate(world)
        for repeat, (prompt, step) in enumerate(sides[place])
    ]  # fmt: skip
    run = Run.from_frame(pl.DataFrame(rows, infer_schema_length=None), model="one", columns={"prompt": "prompt"})
    run.info.repeat_kind = "prompt"
    return run


def make_pair(world: list[tuple[Side, Side]]) -> Pair:
    return pair_runs(make_run(world, 0), make_run(world, 1))


def free_share(one: Side, other: Side, what: object) -> float:
    """Share of cross pairs of which `what` holds, each answer's own double taken out."""
    times = [{prompt: [p for p, _ in side].count(prompt) for prompt, _ in side} for side in (one, other)]
    total = weights = 0.0
    for (prompt, b), (prompt_after, a) in product(one, other):
        weight = 1.0 if prompt != prompt_after else 1 - 1 / max(times[0][prompt], times[1][prompt])
        weights += weight
        total += weight * what(b, a)  # type: ignore[operator]
    return total / weights if weights else float("nan")


WHAT = {
    "right": lambda b, a: b == a == 0,
    "lost": lambda b, a: b == 0 and a not in (0, None),
    "gained": lambda b, a: a == 0 and b not in (0, None),
    "wrong": lambda b, a: b not in (0, None) and a not in (0, None),
    "differ": lambda b, a: b not in (0, None) and a not in (0, None) and a != b,
}


@settings(max_examples=60, deadline=None)
@given(items)
def test_shares_are_those_of_the_pairs_left(world: list[tuple[Side, Side]]) -> None:
    rows = make_pair(world).items
    if "tied_right" not in rows.columns:
        assert all(len({p for p, _ in one}) == 1 for sides in world for one in sides)
        return
    # the frame is ordered by key: items are told apart by what they show
    found, told = [], []
    for row in rows.iter_rows(named=True):
        wrong, wrong_after = 1 - row["right"] - row["none"], 1 - row["right_after"] - row["none_after"]
        every = {
            "right": row["right"] * row["right_after"],
            "lost": row["right"] * wrong_after,
            "gained": wrong * row["right_after"],
            "wrong": wrong * wrong_after,
            "differ": row["differ"],
        }
        found.append(tuple(round(every[name] - row[f"tied_{name}"], 9) + 0.0 for name in WHAT))
    for one, other in world:
        told.append(tuple(round(free_share(one, other, what), 9) + 0.0 for what in WHAT.values()))
    np.testing.assert_allclose(sorted(found), sorted(told), atol=2e-9)


@settings(max_examples=30, deadline=None)
@given(items)
def test_lost_less_gained_stays_the_change_of_the_score(world: list[tuple[Side, Side]]) -> None:
    cell = compare(make_run(world, 0), make_run(world, 1), force=True).total
    assert cell.noise is not None
    change = cell.observed["acc_before"] - cell.observed["acc_after"]
    assert cell.noise["lost"] - cell.noise["gained"] == pytest.approx(change, abs=1e-12)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_same_answers_to_the_same_prompts_lost_exactly_nothing(size: int) -> None:
    world = [([(p, (number + place) % 3) for place, p in enumerate("pqrs"[:size])],) * 2 for number in range(40)]
    noise = compare(make_run(world, 0), make_run(world, 1)).total.noise
    assert noise is not None
    assert noise["lost"] == pytest.approx(0, abs=1e-12)
    assert noise["known_lost"] == pytest.approx(0, abs=1e-12)
    assert noise["floor_before"] > 0.1
    if size > 2:
        assert noise["lost_at_least"] == pytest.approx(0, abs=1e-12)


def test_prompts_of_repeats_are_compared_as_sets() -> None:
    asked = [[("p", 0), ("q", 1), ("r", 0)], [("r", 0), ("p", 0), ("q", 2)], [("p", 0), ("q", 0), ("s", 0)]]
    same = make_pair([(asked[0], asked[1])] * 3).pairing
    assert (same.grade, same.prompts_changed) == ("A", 0)
    other = make_pair([(asked[0], asked[2]), (asked[0], asked[1])]).pairing
    assert (other.grade, other.prompts_changed) == ("B", 1)


def test_seeds_of_one_prompt_are_no_ties() -> None:
    world = [([("p", number % 3), ("p", 0)], [("p", 0), ("p", (number + 1) % 4)]) for number in range(12)]
    assert "tied_right" not in make_pair(world).items.columns


def test_grades_of_one_prompt_are_left_out_too() -> None:
    grades = [[0.2, 0.5, 0.9], [0.4, 0.4, 0.7]]
    runs = []
    for name, told in zip(("before", "after"), grades, strict=True):
        rows = [
            {"task": "a", "item_id": str(number), "question": f"Question {number}?", "gold": "w", "score": score,
             "repeat": repeat, "prompt": f"{repeat} {number}"}
            for number in range(4)
            for repeat, score in enumerate(told)
        ]  # fmt: skip
        run = Run.from_frame(pl.DataFrame(rows), model=name, columns={"prompt": "prompt"})
        run.info.repeat_kind = "prompt"
        runs.append(run)
    noise = compare(*runs).total.noise
    assert noise is not None

    def drop(one: list[float], other: list[float]) -> float:
        different = [(i, j) for i, j in product(range(3), repeat=2) if i != j]
        return float(np.mean([max(one[i] - other[j], 0) for i, j in different]))

    before, after = grades
    floor = (drop(before, before) + drop(after, after)) / 2
    assert noise["lost"] == pytest.approx(drop(before, after) - floor)
    assert noise["gained"] == pytest.approx(drop(after, before) - floor)


def test_a_graded_task_in_one_wording_beside_a_reworded_one() -> None:
    def side(name: str) -> Run:
        rows = [
            {"gold": "g", "task": "b", "question": f"Q{i}?", "score": float(k == 0), "repeat": k, "prompt": f"{k} {i}"}
            for i in range(4)
            for k in (0, 1)
        ]
        rows += [
            {"gold": "g", "task": "g", "question": f"G{i}?", "score": 0.5, "repeat": 0, "prompt": f"g {i}"}
            for i in range(4)
        ]
        return Run.from_frame(pl.DataFrame(rows), model=name, columns={"prompt": "prompt"})

    found = compare(side("x"), side("y"))
    assert found.total.noise is not None
    assert found.total.noise["lost"] == pytest.approx(0, abs=1e-12)


def test_grades_give_the_same_digits_every_time() -> None:
    def side(name: str, seed: int) -> Run:
        draw = np.random.default_rng(seed)
        rows = [
            {"gold": "g", "task": "g", "question": f"G{i}?", "score": float(draw.choice([0, 0.3, 0.5, 1])), "repeat": k,
             "prompt": f"{k} {i}"}
            for i in range(40)
            for k in range(3)
        ]  # fmt: skip
        return Run.from_frame(pl.DataFrame(rows), model=name, columns={"prompt": "prompt"})

    before, after = side("x", 1), side("y", 2)
    assert len({str(compare(before, after).total.noise) for _ in range(8)}) == 1
