"""The soft reading: probability of the gold under the metric's own normalisation."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from forgetmap import Run, compare
from forgetmap.pairing import pair_runs
from forgetmap.repeats import join_repeats


def ranked(
    logprobs: list[list[float]], *, metric: str = "acc", options: list[str] | None = None, model: str = "m"
) -> Run:
    shown = options or ["w", "x", "y"]
    lengths = np.array([len(text) for text in shown]) if metric == "acc_norm" else np.ones(len(shown))
    rows = []
    for number, scores in enumerate(logprobs):
        choice = int(np.argmax(np.array(scores) / lengths))
        rows.append(
            {"item_id": str(number), "question": f"q {number}", "options": shown, "gold": shown[1], "prediction": shown[choice],
             "correct": choice == 1, "option_logprobs": scores, "metric": metric}
        )  # fmt: skip
    return Run.from_frame(pl.DataFrame(rows), model=model)


def softmax(scores: list[float]) -> np.ndarray:
    e = np.exp(np.array(scores) - max(scores))
    return e / e.sum()


BEFORE = [[-1.0, -0.5, -3.0], [-2.0, -1.0, -1.5], [-0.1, -4.0, -3.0]]
AFTER = [[-1.0, -2.5, -3.0], [-2.0, -0.2, -1.5], [-0.1, -4.0, -3.0]]


def test_probability_that_moved_off_the_gold() -> None:
    soft = compare(ranked(BEFORE), ranked(AFTER)).total.soft
    moved = [softmax(b)[1] - softmax(a)[1] for b, a in zip(BEFORE, AFTER, strict=True)]
    assert soft is not None
    assert soft["lost"] == pytest.approx(np.mean(np.maximum(moved, 0)), abs=1e-12)
    assert soft["gained"] == pytest.approx(np.mean(np.maximum(-np.array(moved), 0)), abs=1e-12)
    assert soft["lost"] - soft["gained"] == pytest.approx(soft["p_before"] - soft["p_after"], abs=1e-12)
    assert soft["floor"] is None
    assert soft["lost_low"] <= soft["lost"] <= soft["lost_high"]


def test_the_metric_says_what_is_compared() -> None:
    options = ["a long wrong option", "x", "short"]
    before, after = (ranked(s, metric="acc_norm", options=options) for s in (BEFORE, AFTER))
    soft = compare(before, after).total.soft
    lengths = [len(text) for text in options]
    p = [
        [softmax([s / n for s, n in zip(scores, lengths, strict=True)])[1] for scores in side]
        for side in (BEFORE, AFTER)
    ]
    assert soft is not None
    assert soft["p_before"] == pytest.approx(np.mean(p[0]), abs=1e-12)
    assert soft["lost"] == pytest.approx(np.mean(np.maximum(np.array(p[0]) - p[1], 0)), abs=1e-12)


def test_a_rerun_gives_the_floor() -> None:
    nudged = [[s + 0.1 * i for i, s in enumerate(scores)] for scores in BEFORE]
    before = join_repeats([ranked(BEFORE), ranked(nudged)], "numeric")
    after = join_repeats([ranked(AFTER), ranked(AFTER)], "numeric")
    soft = compare(before, after).total.soft
    assert soft is not None
    apart = [abs(softmax(b)[1] - softmax(n)[1]) / 2 for b, n in zip(BEFORE, nudged, strict=True)]
    assert soft["floor"] == pytest.approx(np.mean(apart) / 2, abs=1e-12)  # the after-side re-ran without a difference
    cross = [
        max(softmax(b)[1] - softmax(a)[1], 0) for side in (BEFORE, nudged) for b, a in zip(side, AFTER, strict=True)
    ]
    assert soft["lost"] == pytest.approx(np.mean(cross), abs=1e-12)


def test_what_has_no_option_scores_has_no_soft_reading() -> None:
    broken = [[-1.0, float("nan"), -2.0], *BEFORE[1:]]
    assert pair_runs(ranked(broken), ranked(AFTER)).soft.height == 2  # type: ignore[union-attr]
    run = Run.from_frame(pl.DataFrame({"item_id": ["1"], "question": ["q"], "gold": ["x"], "correct": [True]}))
    assert compare(run, run).total.soft is None
