"""The chance reading against its specification: planted truths, exact identities, published real values."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import make_run
from forgetmap import compare
from forgetmap.estimate.guessing import LEAST_BOTH_WRONG, agreement, estimate_guessing
from forgetmap.testing import plant

CASES = [
    {"options": 4, "persistence": 0.4},
    {"options": 4, "abstain": (0.3, 0.0)},
    {"options": 5, "golds": 2},
    {"options": 10, "abstain": (0.1, 0.4)},
    {"options": [3, 4, 5, 10], "persistence": 0.7},
    {"options": 0},
    {"options": [2, 4, 4, 4], "persistence": 0.4},  # two options: persistence stands in for differing choices
    {"options": 4, "persistence": 0.4, "repeats": (3, 2)},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_planted_loss_is_recovered(case: dict) -> None:
    """Four standard errors at most: the per-item values have a deviation of about one half."""
    planted = plant(60_000, known=0.6, lost=0.05, gained=0.03, seed=11, **case)
    chance = compare(planted.before, planted.after).total.chance
    assert chance is not None
    tolerance = 4 * 0.5 / np.sqrt(60_000)
    assert chance["lost"] == pytest.approx(planted.lost, abs=tolerance)
    assert chance["gained"] == pytest.approx(planted.gained, abs=tolerance)
    assert chance["known_before"] == pytest.approx(planted.known_before, abs=tolerance)
    assert chance["lost"] - chance["gained"] == pytest.approx(chance["known_before"] - chance["known_after"], abs=1e-12)


def test_nothing_forgotten_reads_nothing_where_others_read_something() -> None:
    """statistics.md 2.2: 70 % known, four options: observed .057, paper .040, ours .000."""
    planted = plant(200_000, known=0.7, lost=0, gained=0, options=4, seed=5)
    total = compare(planted.before, planted.after).total
    assert total.observed["lost"] == pytest.approx(0.057, abs=0.002)
    assert total.paper is not None
    assert total.paper["lost"] == pytest.approx(0.040, abs=0.002)
    assert total.chance is not None
    assert total.chance["lost"] == pytest.approx(0, abs=0.004)


def test_silence_is_not_a_guess() -> None:
    """No-answers of 30 % before and none after, as guesses, would read .0057 instead of .05 (statistics.md 2.2)."""
    planted = plant(100_000, known=0.6, lost=0.05, gained=0.0, options=4, abstain=(0.3, 0.0), seed=2)
    chance = compare(planted.before, planted.after).total.chance
    assert chance is not None
    assert chance["lost"] == pytest.approx(0.05, abs=0.006)


STATES = ["C", "W1", "W2", "N"]


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.sampled_from(STATES), st.sampled_from(STATES), st.sampled_from([2, 3, 4, 10])),
        min_size=1,
        max_size=40,
    )
)
def test_the_values_are_those_of_the_specification(rows: list[tuple[str, str, int]]) -> None:
    """f̂ and b̂ by hand, item by item, against the table's; and the identity with the change of formula score."""

    def table(side: int) -> list[dict]:
        made = []
        for number, (before, after, k) in enumerate(rows):
            state = (before, after)[side]
            step = {"C": 0, "W1": 1, "W2": 2 if k > 2 else 1, "N": None}[state]
            gold = number % k  # golds spread over the positions, or the reading would step back
            chosen = None if step is None else str((gold + step) % k)
            made.append(
                {"item_id": str(number), "gold": str(gold), "pred": chosen, "correct": state == "C", "n_options": k}
            )
        return made

    found = compare(make_run(table(0)), make_run(table(1)))
    chance = found.total.chance
    assert chance is not None
    direct, unknown = [], 0
    for before, after, k in rows:
        q = 1 / k
        wrong_before, wrong_after = before.startswith("W"), after.startswith("W")
        differ = wrong_before and wrong_after and before != after and k > 2
        unknown += wrong_before and wrong_after and k == 2
        lucky = differ / (k - 2) if k > 2 else 0
        direct.append(
            ((before == "C" and wrong_after) - lucky) / (1 - q)
            + (before == "C" and after == "N")
            - (wrong_before and after == "N") * q / (1 - q)
        )
    if unknown == 0:
        assert chance["lost"] == pytest.approx(np.mean(direct), abs=1e-12)
        assert chance["lost"] - chance["gained"] == pytest.approx(
            chance["known_before"] - chance["known_after"], abs=1e-12
        )
    else:
        assert chance["lost"] is None  # fewer than 30 both-wrong items: the range stands in
        assert chance["lost_if_independent"] <= chance["lost_if_persistent"]


def test_without_choices_the_range_stands_in() -> None:
    planted = plant(5000, choices=False, seed=1)
    chance = compare(planted.before, planted.after).total.chance
    assert chance is not None
    assert chance["lost"] is None
    assert chance["lost_if_independent"] < planted.lost + 0.03 < chance["lost_if_persistent"] + 0.03


def test_where_every_option_is_right_there_is_no_chance_reading() -> None:
    rows = [{"item_id": "1", "n_options": 1, "n_gold": 1, "correct": 1}, {"item_id": "2", "n_options": 3, "correct": 1}]
    found = compare(make_run(rows), make_run(rows))
    assert found.total.chance is not None
    assert found.total.chance["items"] == 1
    assert any("only one" in warning for warning in found.warnings)


def test_unknown_options_mean_no_correction_never_four() -> None:
    rows = [{"item_id": str(n), "correct": n % 2} for n in range(10)]
    found = compare(make_run(rows), make_run(rows))
    assert found.total.chance is None
    assert found.total.paper is None
    assert any("number of options is unknown" in warning for warning in found.warnings)


class TestPersistence:
    """r is read off the items both models get wrong."""

    @pytest.mark.parametrize(("k", "g"), [(3, 1), (4, 1), (10, 1)])
    def test_agreement_runs_from_fresh_to_certain(self, k: int, g: int) -> None:
        assert agreement(0, k, g) == pytest.approx(1 / (k - g))
        assert agreement(1, k, g) == 1

    @pytest.mark.parametrize("r", [0.0, 0.3, 0.8, 1.0])
    def test_planted_persistence_is_found(self, r: float) -> None:
        planted = plant(40_000, known=0.3, lost=0.0, gained=0.0, options=[4, 10], persistence=r, seed=3)
        guessing = compare(planted.before, planted.after).guessing
        assert guessing.persistence == pytest.approx(r, abs=0.02)

    def test_too_few_items_say_nothing(self) -> None:
        def patterns(n: int) -> pl.DataFrame:
            row = {
                "right": 0.0,
                "wrong": 1.0,
                "wrong_after": 1.0,
                "differ": 1.0,
                "unseen": 0.0,
                "n_options": 4,
                "n_gold": 1,
            }
            return pl.DataFrame([{**row, "n": n}])

        assert estimate_guessing(patterns(LEAST_BOTH_WRONG - 1)).persistence is None
        assert estimate_guessing(patterns(LEAST_BOTH_WRONG)).persistence == 0
