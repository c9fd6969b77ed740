"""Decisions: tests against independent implementations, families, verdicts, margins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar
from statsmodels.stats.multitest import multipletests

from forgetmap import compare, compare_all
from forgetmap.errors import UsageError
from forgetmap.estimate.decide import adjust, mcnemar
from forgetmap.testing import join_planted, plant


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_exact_one(lost: int, gained: int) -> None:
    assert mcnemar(lost, gained) == pytest.approx(peer_mcnemar([[0, lost], [gained, 0]], exact=True).pvalue, abs=1e-10)


def test_mcnemar_of_many_flips() -> None:
    expected = min(1.0, 2 * stats.binom.cdf(498_000, 1_000_000, 0.5))
    assert mcnemar(502_000, 498_000) == pytest.approx(expected, rel=1e-6)
    assert mcnemar(900_000, 100_000) == 0.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_adjusting_is_benjamini_and_hochberg(p: list[float]) -> None:
    expected = multipletests(p, method="fdr_bh")[1]
    assert adjust(np.array(p)).tolist() == pytest.approx(expected.tolist(), abs=1e-12)


def test_what_is_missing_is_in_no_family() -> None:
    q = adjust(np.array([0.01, np.nan, 0.04]))
    assert q[0] == pytest.approx(0.02)
    assert np.isnan(q[1])


def test_the_family_is_a_level_over_all_afters() -> None:
    parts = [
        plant(300, known=0.6, lost=lost, gained=0.0, tasks=[name], seed=n, first_item=300 * n)
        for n, (name, lost) in enumerate([("a", 0.06), ("b", 0.0), ("c", 0.0)])
    ]
    whole, other = join_planted(parts), join_planted([parts[0], parts[1], parts[2]])
    alone = compare(whole.before, whole.after)
    together = compare_all(whole.before, [whole.after, other.before, other.before])
    task, again = alone.at("task")[0], together[0].at("task")[0]
    assert again.decision["p_lost"] == task.decision["p_lost"]
    raw = [cell.decision[name] for found in together for cell in found.at("task") for name in ("p_lost", "p_gained")]
    expected = multipletests(raw, method="fdr_bh")[1]
    got = [cell.decision[name] for found in together for cell in found.at("task") for name in ("q_lost", "q_gained")]
    assert got == pytest.approx(expected.tolist())
    for found in together:  # totals are in no family
        assert found.total.decision["q_lost"] == found.total.decision["p_lost"]


def test_verdicts() -> None:
    def verdict(**planted: float) -> str | None:
        world = plant(6000, known=0.6, options=4, persistence=0.9, seed=3, **planted)
        return compare(world.before, world.after).total.verdict

    assert verdict(lost=0.1, gained=0.0) == "lost"
    assert verdict(lost=0.0, gained=0.1) == "gained"
    assert verdict(lost=0.1, gained=0.1) == "both"
    assert verdict(lost=0.0, gained=0.0) == "steady"
    few = plant(60, known=0.6, lost=0.05, gained=0.0, seed=3)
    cell = compare(few.before, few.after).total
    assert cell.verdict == "unclear"
    assert 0.05 < cell.decision["detectable"] < 0.5


def test_the_net_is_exact_where_items_weigh_alike() -> None:
    world = plant(500, known=0.6, lost=0.08, gained=0.02, tasks=["a", "b"], seed=5)
    found = compare(world.before, world.after, weight="items")
    counts = [round(found.total.observed[name] * 500) for name in ("lost", "gained")]
    assert found.total.decision["p_net"] == pytest.approx(mcnemar(*counts), rel=1e-12)
    by_task = compare(world.before, world.after, weight="tasks")
    assert by_task.total.decision["p_net"] != found.total.decision["p_net"]
    assert by_task.total.decision["p_net"] == pytest.approx(
        found.total.decision["p_net"], abs=0.1
    )  # exact tests are wider


@pytest.mark.parametrize("margin", [0.0, -0.1, 0.5, 2.0, float("nan")])
def test_a_margin_that_means_nothing_is_refused(margin: float) -> None:
    world = plant(40)
    with pytest.raises(UsageError, match="margin"):
        compare(world.before, world.after, margin=margin)


def test_a_margin_moves_the_verdict() -> None:
    world = plant(4000, known=0.6, lost=0.06, gained=0.0, persistence=0.9, seed=1)
    assert compare(world.before, world.after, margin=0.02).total.verdict == "lost"
    assert compare(world.before, world.after, margin=0.2).total.verdict == "steady"
