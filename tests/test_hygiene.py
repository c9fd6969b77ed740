"""Broken tasks are named."""

from __future__ import annotations

from conftest import answer, make_run
from forgetmap import compare

OPTIONS = ["w", "x", "y", "z"]


def test_a_gold_that_never_moves_is_told() -> None:
    rows = [answer(n, True, prediction="x") for n in range(40)]
    assert any("always option 2" in warning for warning in compare(make_run(rows), make_run(rows)).warnings)
    moving = [{**answer(n, True), "gold": OPTIONS[n % 4]} for n in range(40)]
    assert not any("always option" in warning for warning in compare(make_run(moving), make_run(moving)).warnings)
    assert not any("always option" in warning for warning in compare(make_run(rows[:20]), make_run(rows[:20])).warnings)


def test_below_chance_on_both_sides_is_told() -> None:
    bad = [{**answer(n, n % 40 == 0), "gold": OPTIONS[n % 4]} for n in range(120)]
    fair = [{**answer(n, n % 4 == 0), "gold": OPTIONS[n % 4]} for n in range(120)]
    assert any("below chance" in warning for warning in compare(make_run(bad), make_run(bad)).warnings)
    assert not any("below chance" in warning for warning in compare(make_run(bad), make_run(fair)).warnings)
