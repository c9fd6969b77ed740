"""The noise reading: planted probabilities, the published check values, one-sided floors, grades."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from forgetmap import Run, compare
from forgetmap.testing import plant


def drawn(probabilities: np.ndarray, repeats: int, seed: int, *, model: str = "m", kind: str | None = "seed") -> Run:
    """Open-ended items answered right with given probabilities, several times."""
    rng = np.random.default_rng(seed)
    n = len(probabilities)
    tables = [
        pl.DataFrame({"item_id": np.arange(n).astype(str), "question": [f"q {i}" for i in range(n)], "gold": ["x"] * n})
        .with_columns(correct=pl.Series(rng.random(n) < probabilities), repeat=pl.lit(repeat), chance=pl.lit(0.0))
        for repeat in range(repeats)
    ]  # fmt: skip
    run = Run.from_frame(pl.concat(tables), model=model)
    run.info.repeat_kind = kind if repeats > 1 else None
    return run


def total(before: Run, after: Run, **options):
    return compare(before, after, **options).total


def world(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A tenth of the items falls from 1 to .1, half rises from .1 to .53, the rest stays."""
    before = np.where(np.arange(n) % 10 == 0, 1.0, np.where(np.arange(n) % 2 == 1, 0.1, 0.0))
    after = np.where(np.arange(n) % 10 == 0, 0.1, np.where(np.arange(n) % 2 == 1, 0.53, 0.0))
    return before, after


def test_the_three_bounds_of_a_planted_gross_loss() -> None:
    """statistics.md 2.1: gross loss .090 reads .024, at least .072, at most .146."""
    before, after = world(16_000)
    noise = total(drawn(before, 3, 1), drawn(after, 4, 2)).noise
    assert noise is not None
    d = before - after
    assert np.maximum(d, 0).mean() == pytest.approx(0.09)
    assert noise["lost"] == pytest.approx(0.024, abs=0.006)
    assert noise["lost_at_least"] == pytest.approx(0.072, abs=0.005)
    assert noise["lost_at_most"] == pytest.approx(0.146, abs=0.006)
    assert noise["lost_at_most_high"] > 0.09  # the gate's bound is above the truth
    assert noise["lost_at_least_low"] < 0.072
    assert noise["gained_at_least"] == pytest.approx(np.mean(after * (1 - before) * (after - before)), abs=0.008)
    assert noise["gained_at_most"] == pytest.approx((np.sqrt(np.mean(d**2)) - d.mean()) / 2, abs=0.008)
    assert (noise["repeats_before"], noise["repeats_after"]) == (3, 4)


def test_floors_are_those_of_a_second_run() -> None:
    p = np.tile([0.2, 0.5, 0.9, 1.0], 2_500)
    cell = total(drawn(p, 2, 3), drawn(p, 5, 4))
    assert cell.noise is not None
    truth = np.mean(p * (1 - p))
    assert cell.noise["floor_before"] == pytest.approx(truth, abs=0.008)
    assert cell.noise["floor_after"] == pytest.approx(truth, abs=0.008)
    assert cell.observed["lost"] == pytest.approx(truth, abs=0.008)  # flips without any change
    assert cell.noise["lost"] == pytest.approx(0, abs=0.008)
    assert cell.verdict in ("steady", "unclear")
    assert cell.decision["verdict_reading"] == "noise"
    assert cell.decision["margin"] == 0.01


def test_lost_minus_gained_is_the_change() -> None:
    before, after = world(500)
    cell = total(drawn(before, 3, 5), drawn(after, 2, 6))
    noise = cell.noise
    assert noise is not None
    change = cell.observed["acc_before"] - cell.observed["acc_after"]
    assert noise["lost"] - noise["gained"] == pytest.approx(change, abs=1e-12)
    assert noise["known_lost"] - noise["known_gained"] == pytest.approx(change, abs=1e-12)


def test_the_chance_form_removes_guessing_and_rerun_noise() -> None:
    planted = plant(20_000, known=0.6, lost=0.05, gained=0.02, options=4, persistence=0.3, repeats=(3, 3), seed=8)
    planted.before.info.repeat_kind = planted.after.info.repeat_kind = "seed"
    cell = total(planted.before, planted.after)
    assert cell.noise is not None
    assert cell.noise["form"] == "chance"
    assert cell.noise["known_lost"] == pytest.approx(0.05, abs=0.01)
    assert cell.noise["known_gained"] == pytest.approx(0.02, abs=0.01)
    assert cell.observed["lost"] > 0.08
    assert cell.verdict in ("lost", "both")


def test_a_floor_on_one_side_stands_for_both() -> None:
    p = np.tile([0.2, 0.8, 1.0], 4000)
    found = compare(drawn(p, 4, 7), drawn(p, 1, 8))
    noise = found.total.noise
    assert noise is not None
    assert noise["floor_after"] is None
    assert noise["lost"] == pytest.approx(0, abs=0.01)
    assert noise["lost_at_least"] is None
    assert noise["lost_at_most"] is None
    assert any("stands for both" in warning for warning in found.warnings)
    assert found.total.decision["verdict_reading"] != "noise"


def test_a_deterministic_rerun_proves_nothing() -> None:
    before, after = world(400)
    sharp = (before > 0.5).astype(float), (after > 0.5).astype(float)
    found = compare(drawn(sharp[0], 2, 1, kind=None), drawn(sharp[1], 2, 2, kind=None))
    assert found.total.noise is not None
    assert found.total.noise["kind"] == "numeric"
    assert found.total.noise["floor_before"] == 0
    assert found.total.decision["verdict_reading"] == "chance"
    assert found.total.decision["margin"] == 0.02


def test_sampled_once_never_loses_by_gross_movement() -> None:
    p = np.full(3000, 0.5)
    before, after = drawn(p, 1, 1), drawn(p, 1, 2)
    for run in (before, after):
        run.info.settings["temperature"] = 0.7
    found = compare(before, after)
    cell = found.total
    assert cell.observed["lost"] > 0.2
    assert cell.decision["verdict_reading"] == "net"
    assert cell.verdict == "unclear"
    assert any("sampled" in warning and "net change" in warning for warning in found.warnings)
    asked = compare(before, after, reading="observed").total
    assert asked.decision["verdict_reading"] == "net"


def test_grades_have_an_excess_and_no_bounds() -> None:
    y = np.tile([0.2, 0.5, 0.8], 400)

    def graded(shift: float, seed: int) -> Run:
        noise = np.random.default_rng(seed)
        rows = [
            {
                "item_id": str(i),
                "question": f"q {i}",
                "gold": "x",
                "repeat": r,
                "score": float(np.clip(v - shift + noise.normal(0, 0.05), 0, 1)),
            }
            for r in range(3)
            for i, v in enumerate(y)
        ]
        run = Run.from_frame(pl.DataFrame(rows))
        run.info.repeat_kind = "seed"
        return run

    same, worse = graded(0.0, 1), graded(0.1, 2)
    steady = total(same, graded(0.0, 9)).noise
    assert steady is not None
    assert steady["lost"] == pytest.approx(0, abs=0.003)
    moved = total(same, worse)
    assert moved.noise is not None
    assert moved.noise["lost"] == pytest.approx(0.1, abs=0.03)
    assert moved.noise["lost_at_least"] is None
    assert moved.verdict == "lost"
    change = moved.observed["acc_before"] - moved.observed["acc_after"]
    assert moved.noise["lost"] - moved.noise["gained"] == pytest.approx(change, abs=1e-12)
