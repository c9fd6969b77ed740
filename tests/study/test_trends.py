"""Slopes over pairs: against independent implementations, on planted slopes, and refusals with their reasons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from statsmodels.stats.meta_analysis import combine_effects

from forgetmap.study.trends import Point, _cluster_variance, _Fit, _paule_mandel, fit_trend

SIZES = [0.5e9, 1.5e9, 3e9, 7e9, 14e9, 32e9, 72e9]
SLOPE = -0.03
Design = Sequence[tuple[str, str | None, str, float]]  # group, family, before-model, size


def line(values: Sequence[float], *, width: float = 0.0, **more: str) -> list[Point]:
    return [
        Point(f"p{n}", size, value, value - width, value + width, **more)
        for n, (size, value) in enumerate(zip(SIZES, values))
    ]


def test_without_intervals_it_is_the_ordinary_line() -> None:
    values = [0.21, 0.16, 0.17, 0.11, 0.13, 0.08, 0.09]
    found = fit_trend([Point(f"p{n}", s, v, None, None) for n, (s, v) in enumerate(zip(SIZES, values))])
    expected = scipy.stats.linregress(np.log10(SIZES), values)
    assert found.slope is not None and found.high is not None
    assert found.slope == pytest.approx(expected.slope, rel=1e-6)
    reach = scipy.stats.t.ppf(0.975, 5) * expected.stderr
    assert found.high - found.slope == pytest.approx(reach, rel=1e-4)
    assert found.at(7e9) == pytest.approx(expected.intercept + expected.slope * np.log10(7e9), rel=1e-6)


def test_the_spread_between_pairs_is_that_of_paule_and_mandel() -> None:
    rng = np.random.default_rng(3)
    within = rng.uniform(1e-5, 4e-4, 12)
    values = rng.normal(0.1, 0.02, 12)
    expected = combine_effects(values, within, method_re="iterated", use_t=True)
    assert _paule_mandel(np.ones((12, 1)), values, within) == pytest.approx(expected.tau2, rel=1e-4)


def test_alone_in_their_clusters_pairs_give_the_variance_known_as_hc2() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=20), rng.normal(size=20)
    design = np.column_stack([np.ones(20), x])
    fitted = sm.OLS(y, design).fit()
    variance, freedom = _cluster_variance(design, fitted.resid, np.ones(20), [str(n) for n in range(20)])
    assert variance == pytest.approx(fitted.get_robustcov_results("HC2").cov_params()[1, 1])
    assert 2 < freedom <= 18


def designs() -> dict[str, Design]:
    return {
        "independent": [("g", None, f"b{n}", size) for n, size in enumerate(SIZES)],
        "three families": [("g", family, f"{family}{size}", size) for family in "QCL" for size in SIZES[2:6]],
        "nine families": [
            ("g", family, f"{family}{size}", size)
            for at, family in enumerate("ABCDEFGHI")
            for size in SIZES[at % 4 : at % 4 + 1 + at % 3]
        ],
        "groups that share before-models": [
            (group, family, f"{family}{size}", size)
            for group in ("sft", "rl")
            for family in "QC"
            for size in SIZES[2:6]
        ],
    }


def planted(design: Design, rng: np.random.Generator) -> list[Point]:
    """Pairs with a known slope, levels by group, family and before-model, a spread of their own, and counted items."""
    levels: dict[str | None, float] = {}
    made = []
    for at, (group, family, before, size) in enumerate(design):
        level = sum(levels.setdefault(name, 0.015 * rng.normal()) for name in (group, family, before))
        rate = float(np.clip(0.15 + SLOPE * (np.log10(size) - 9.8) + level + 0.01 * rng.normal(), 0.001, 0.9))
        share = rng.binomial(500, rate) / 500
        reach = 1.96 * np.sqrt((share * (1 - share) + 1 / 500) / 500)
        made.append(Point(str(at), size, share, share - reach, share + reach, group, family, before))
    return made


@pytest.mark.parametrize("name", designs())
def test_the_interval_covers_the_planted_slope(name: str) -> None:
    """Nominal 95 %; at least 93 % over 200 worlds, and not by saying nothing: the interval has a bearable width."""
    rng = np.random.default_rng(11)
    found = [fit_trend(planted(designs()[name], rng)) for _ in range(200)]
    covered = [one.low <= SLOPE <= one.high for one in found if one.low is not None and one.high is not None]
    assert len(covered) == 200
    assert np.mean(covered) >= 0.93
    assert np.mean([one.high - one.low for one in found if one.low is not None and one.high is not None]) < 0.16


def test_a_clear_slope_is_shown_and_a_flat_one_is_not() -> None:
    falling = fit_trend(line([0.30, 0.27, 0.25, 0.22, 0.20, 0.17, 0.15], width=0.01))
    flat = fit_trend(line([0.1, 0.12, 0.09, 0.11, 0.1, 0.12, 0.09], width=0.02))
    assert falling.shows and falling.slope is not None and falling.slope < 0
    assert not flat.shows and flat.slope is not None


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [([7e9, 7e9, 7e9], "1 amount; a slope takes 3"), ([1e9, 7e9, 7e9, 1e9], "2 different amounts")],
)
def test_too_few_sizes_are_refused_with_the_reason(sizes: list[float], reason: str) -> None:
    found = fit_trend([Point(str(n), size, 0.1, 0.05, 0.15, before=str(n)) for n, size in enumerate(sizes)])
    assert found.slope is None and found.reason is not None and reason in found.reason


def test_sizes_that_differ_between_a_few_families_only_tell_no_slope() -> None:
    points = [Point("a", 1e9, 0.2, 0.1, 0.3, family="A"), Point("a2", 1e9, 0.2, 0.1, 0.3, family="A", before="x")]
    points += [Point("b", 7e9, 0.1, 0.0, 0.2, family="B"), Point("c", 14e9, 0.1, 0.0, 0.2, family="C")]
    found = fit_trend(points)
    assert found.slope is None and found.reason == "4 points in 3 levels tell no slope within families"


def test_pairs_of_one_before_model_and_size_count_once() -> None:
    values = [0.30, 0.27, 0.25, 0.22, 0.20, 0.17, 0.15]
    once = [Point(f"p{n}", s, v, v - 0.02, v + 0.02, before=str(n)) for n, (s, v) in enumerate(zip(SIZES, values))]
    thrice = [Point(f"{p.name}{k}", p.amount, p.value, p.low, p.high, before=p.before) for p in once for k in range(3)]
    a, b = fit_trend(once), fit_trend(thrice)
    assert (b.pairs, b.points) == (21, 7)
    assert (a.slope, a.low, a.high) == pytest.approx((b.slope, b.low, b.high))


def test_families_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    levels = {family: 0.04 * rng.normal() for family in "ABCDEFG"}
    design = [(family, size) for at, family in enumerate(levels) for size in SIZES[at % 5 : at % 5 + 2]]
    values = {(f, s): 0.2 + levels[f] + SLOPE * (np.log10(s) - 9) for f, s in design}

    def points(named: bool) -> list[Point]:
        return [
            Point(f"{f}{s}", s, v, v - 0.01, v + 0.01, family=f if named else None, before=f"{f}{s}")
            for (f, s), v in values.items()
        ]

    alone, clustered = fit_trend(points(False)), fit_trend(points(True))
    assert alone.high is not None and alone.low is not None and clustered.high is not None and clustered.low is not None
    assert clustered.high - clustered.low > alone.high - alone.low


def test_groups_of_different_level_do_not_make_a_slope() -> None:
    """Small models in the group that loses much, large ones in the other: within groups there is no trend."""
    low = [Point(f"a{s}", s, 0.3, 0.28, 0.32, "a", before=f"a{s}") for s in SIZES[:4]]
    high = [Point(f"b{s}", s, 0.1, 0.08, 0.12, "b", before=f"b{s}") for s in SIZES[3:]]
    found = fit_trend([*low, *high])
    assert found.slope == pytest.approx(0.0, abs=1e-9) and not found.shows


def test_equal_figures_have_a_slope_of_nothing() -> None:
    found = fit_trend([Point(str(n), size, 0.1, None, None) for n, size in enumerate(SIZES)])
    assert found.slope == pytest.approx(0.0, abs=1e-9)


def test_hundreds_of_points() -> None:
    rng = np.random.default_rng(0)
    points = [
        Point(str(n), SIZES[n % 7] * (1 + n / 500), 0.1 + 0.02 * rng.normal(), 0.05, 0.15, before=str(n))
        for n in range(500)
    ]
    assert fit_trend(points).slope is not None


def test_a_fit_that_nothing_is_left_to_judge_is_none() -> None:
    points = [Point("a", 1e9, 0.1, 0.0, 0.2), Point("b", 2e9, 0.1, 0.0, 0.2)]
    assert _Fit.of(points, ["g", "g"]) is None
