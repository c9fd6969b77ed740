"""Sequential tests: validity by exact enumeration and by simulation, wealth by hand, chunks, the end of a suite."""

from __future__ import annotations

import itertools
import json
import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetmap.errors import UsageError
from forgetmap.estimate import sequential
from forgetmap.estimate.sequential import MOST, SHARES, SequentialTest, confidence_sequence, random_order

CHANCE = (-2 / 3, 4 / 3)  # the values of four-option questions


def chance_values(rng: np.random.Generator, lost: float, n: int) -> np.ndarray:
    """60 % known before, guesses persist with .3: right→wrong, two different wrong choices, anything else."""
    flips, differ = 0.4 * 0.25 * 0.7 * 0.75 + 0.75 * lost, 0.4 * 0.75 * 0.7 * 0.5
    u = rng.random(n)
    return np.select([u < flips, u < flips + differ], [4 / 3, -2 / 3], 0.0)


def orders(values: tuple[float, ...]) -> list[tuple[float, ...]]:
    """All distinct orders of a suite: each is equally likely."""
    return sorted(set(itertools.permutations(values)))


def wealth_by_hand(
    x: list[float], null: float, gaps: list[float], bounds: tuple[float, float], items: int | None
) -> list[float]:
    """The gambler who bets that the mean is above `null`, one item and one strategy at a time."""
    lo, hi = bounds
    held = list(SHARES)
    path = []
    # One prior item at the two ends, with the null as its mean.
    weighted = [(lo, (hi - null) / (hi - lo)), (hi, (null - lo) / (hi - lo))]
    for t, value in enumerate(x):
        price = null if items is None else (items * null - sum(x[:t])) / (items - t)
        m1, m2, m3 = (sum(w * v**k for v, w in weighted) / (t + 1) for k in (1, 2, 3))
        # Two points with these moments: the roots of the second orthogonal polynomial z² − a z + b.
        a = (m3 - m1 * m2) / (m2 - m1**2)
        b = a * m1 - m2
        left, right = sorted(np.roots([1.0, -a, b]).real)
        variance = max((price - left) * (right - price), 1e-6 * (hi - lo) ** 2)
        for number, gap in enumerate(gaps):
            reach = gap if items is None else gap * items / (items - t)
            held[number] *= 1 + min(reach / variance, MOST / max(price - lo, 1e-6 * (hi - lo))) * (value - price)
        weighted.append((value, 1.0))
        path.append(sum(held))
    return path


@pytest.mark.parametrize("items", [None, 150])
@pytest.mark.parametrize("world", ["flips", "chance", "graded"])
def test_wealth_is_the_product_of_the_bets(items: int | None, world: str) -> None:
    rng = np.random.default_rng(11)
    if world == "flips":
        x, bounds = (rng.random(120) < 0.1).astype(float), (0.0, 1.0)
    elif world == "chance":
        x, bounds = chance_values(rng, 0.05, 120), CHANCE
    else:
        x, bounds = rng.beta(0.3, 3, 120), (0.0, 1.0)
    test = SequentialTest(0.1, bounds=bounds, items=items, planned=0.25, alpha=0.4)
    lost = wealth_by_hand(list(x), 0.1, [0.15, 0.075, 0.45], bounds, items)
    within = wealth_by_hand(list(-x), -0.2, [0.1, 0.05, 0.2], (-bounds[1], -bounds[0]), items)
    for value, by_lost, by_within in zip(x, lost, within):
        test.update(value)
        assert test.wealth.lost in (pytest.approx(by_lost, rel=1e-9), math.inf)
        assert test.wealth.within in (pytest.approx(by_within, rel=1e-9), math.inf)
    if items is None:
        assert math.isfinite(test.wealth.lost) and math.isfinite(test.wealth.within)
        for at, path in ((test.lost_at, lost), (test.within_at, within)):
            assert at == next((look for look, held in enumerate(path, 1) if held >= 2.5), None)
        assert test.decided_at is not None


def test_for_flips_the_first_aim_is_walds_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequential, "SHARES", np.array([1.0, 0.0, 0.0]))
    x = (np.random.default_rng(3).random(300) < 0.03).astype(float)
    test = SequentialTest(0.02)
    test.update(x)
    hits, misses = x.sum(), (1 - x).sum()
    ratio = (0.04 / 0.02) ** hits * (0.96 / 0.98) ** misses
    assert test.wealth.lost == pytest.approx(ratio)
    assert test.wealth.within == pytest.approx(1 / ratio)


def test_for_flips_of_a_suite_it_is_the_ratio_of_draws_without_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequential, "SHARES", np.array([1.0, 0.0, 0.0]))
    items, few, many, n = 200, 10, 20, 60
    x = np.zeros(n)
    x[[4, 17, 40, 55]] = 1
    test = SequentialTest(few / items, limit=many / items, items=items)
    test.update(x)

    def ways(hits: int) -> int:
        return math.comb(items - n, hits - 4)  # how to place the other hits among the items not drawn

    ratio = (ways(many) / math.comb(items, many)) / (ways(few) / math.comb(items, few))
    assert test.wealth.lost == pytest.approx(ratio)


@pytest.mark.parametrize("null", ["margin", "limit"])
@pytest.mark.parametrize(
    ("suite", "bounds"),
    [((1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0)), ((1.2, 0.7, 0.3, -0.4, -0.2), CHANCE)],
)
def test_no_bet_is_better_than_fair(suite: tuple[float, ...], bounds: tuple[float, float], null: str) -> None:
    """Over all orders of a suite that just obeys the hypothesis, the mean of wealth is 1 at each look."""
    mean = sum(suite) / len(suite)
    paths = []
    for order in orders(suite):
        if null == "margin":
            test = SequentialTest(mean, limit=mean + 0.2, bounds=bounds, items=len(suite))
        else:
            test = SequentialTest(mean / 2, limit=mean, bounds=bounds, items=len(suite))
        path = []
        for value in order:
            test.update(value)
            path.append(test.wealth.lost if null == "margin" else test.wealth.within)
        paths.append(path)
    assert np.mean(paths, axis=0) == pytest.approx(1.0, abs=1e-7)
    assert np.ptp(paths, axis=0).min() > 0  # bets were made


@pytest.mark.parametrize(("hits", "alpha"), [(3, 0.2), (2, 0.3), (5, 0.1)])
def test_errors_over_all_orders_of_a_suite_are_rare(hits: int, alpha: float) -> None:
    items = 12
    suite = (1.0,) * hits + (0.0,) * (items - hits)
    wrong_lost = wrong_within = right = 0
    every = [np.array(order) for order in orders_of_flips(hits, items)]
    for order in every:
        test = SequentialTest(hits / items, limit=(hits + 2) / items, items=items, alpha=alpha)
        test.update(order)
        wrong_lost += test.lost_at is not None
        test = SequentialTest((hits - 1) / items, limit=hits / items, items=items, alpha=alpha)
        test.update(order)
        wrong_within += test.within_at is not None
        right += test.lost_at is not None
    assert wrong_lost <= alpha * len(every)
    assert wrong_within <= alpha * len(every)
    assert right == len(every)  # at the end, if not before
    assert len(every) == math.comb(items, sum(map(int, suite)))


def orders_of_flips(hits: int, items: int) -> list[list[float]]:
    return [[float(i in places) for i in range(items)] for places in itertools.combinations(range(items), hits)]


@pytest.mark.parametrize(
    ("world", "items", "looks"),
    [("flips", None, 1500), ("flips", 2000, 1500), ("chance", None, 1500), ("chance", 2000, 2000)],
)
def test_false_alarms_by_simulation(world: str, items: int | None, looks: int) -> None:
    """Each hypothesis, just true, falls in at most 5 % of runs although every item is a look and nobody stops."""
    rng = np.random.default_rng(21)
    bounds = (0.0, 1.0) if world == "flips" else CHANCE
    replications, fell = 300, {"lost": 0, "within": 0}
    for side in fell:
        mean = 0.02 if side == "lost" else 0.04
        for _ in range(replications):
            if items is None:
                x = (rng.random(looks) < mean).astype(float) if world == "flips" else chance_values(rng, mean, looks)
            else:
                suite = (np.arange(items) < mean * items).astype(float)
                if world == "chance":  # 300 lucky flips and 600 differing choices cancel out
                    ups, downs = int(300 + 0.75 * mean * items), 600
                    suite = np.repeat([4 / 3, -2 / 3, 0.0], [ups, downs, items - ups - downs])
                assert suite.mean() == pytest.approx(mean)
                x = rng.permutation(suite)[:looks]
            test = SequentialTest(0.02, bounds=bounds, items=items)
            test.update(x)
            fell[side] += (test.lost_at if side == "lost" else test.within_at) is not None
    allowed = 0.05 * replications + 2.5 * math.sqrt(0.05 * 0.95 * replications)
    assert max(fell.values()) <= allowed
    assert min(fell.values()) >= 1  # some wealth was at stake


@pytest.mark.parametrize(
    ("mean", "fewer", "decision"),
    [(0.0, 3.0, "within"), (0.002, 3.0, "within"), (0.04, 1.3, "lost"), (0.08, 5.0, "lost")],
)
def test_it_stops_earlier_than_a_test_of_fixed_size(mean: float, fewer: float, decision: str) -> None:
    fixed = (1.645 * (math.sqrt(0.02 * 0.98) + math.sqrt(0.04 * 0.96)) / 0.02) ** 2  # 763 items, 5 % errors
    rng = np.random.default_rng(8)
    taken, right = [], 0
    for _ in range(150):
        test = SequentialTest(0.02)
        test.update(rng.random(5000) < mean)
        taken.append(test.decided_at)
        right += test.decision == decision
    assert np.mean(taken) < fixed / fewer
    assert right >= 0.9 * len(taken)


values_of = {
    "flips": st.sampled_from([0.0, 1.0]),
    "chance": st.sampled_from([0.0, 4 / 3, -2 / 3]),
    "graded": st.floats(0, 1),
}


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[float], tuple[float, float], int | None]:
    world = draw(st.sampled_from(sorted(values_of)))
    x = draw(st.lists(values_of[world], min_size=1, max_size=60))
    items = draw(st.one_of(st.none(), st.integers(len(x), 3 * len(x))))
    return x, CHANCE if world == "chance" else (0.0, 1.0), items


@given(streams(), st.lists(st.integers(0, 20), max_size=12), st.floats(0.01, 0.3))
@settings(max_examples=40)
def test_chunks_change_no_digit(stream: Any, sizes: list[int], margin: float) -> None:
    x, bounds, items = stream
    whole, single, chunked = (SequentialTest(margin, bounds=bounds, items=items) for _ in range(3))
    whole.update(x)
    for value in x:
        single.update(value)
    rest = list(x)
    for size in sizes:
        chunked.update(rest[:size])
        rest = rest[size:]
    chunked.update(np.array(rest))
    for other in (single, chunked):
        assert other.summary() == whole.summary()  # equal, not close
        assert other.wealth == whole.wealth
        assert (other.lost_at, other.within_at) == (whole.lost_at, whole.within_at)


@given(streams(), st.floats(0.01, 0.3))
@settings(max_examples=40)
def test_bounds_and_decision_say_the_same(stream: Any, margin: float) -> None:
    x, bounds, items = stream
    test = SequentialTest(margin, bounds=bounds, items=items)
    test.update(x)
    found = test.summary()
    left = 0 if items is None else items - len(x)
    total, size = math.fsum(x), len(x) + left
    least = -math.inf if items is None else (total + left * bounds[0]) / size
    most = math.inf if items is None else (total + left * bounds[1]) / size
    # Unless later items have shown the decision to be the rare wrong one.
    if test.lost_at is not None and most > margin + 1e-6:
        assert found.low >= margin - 1e-8
    if test.lost_at is None:
        assert found.low <= margin + 1e-8
    if test.within_at is not None and least < test.limit - 1e-6:
        assert found.high <= test.limit + 1e-8
    if test.within_at is None:
        assert found.high >= test.limit - 1e-8
    earlier = [at for at in (test.lost_at, test.within_at) if at is not None]
    assert found.decided_at == (min(earlier) if earlier else None)


@given(streams(), st.floats(0.01, 0.3))
@settings(max_examples=40)
def test_a_whole_suite_is_always_decided_and_known_exactly(stream: Any, margin: float) -> None:
    x, bounds, _ = stream
    test = SequentialTest(margin, bounds=bounds, items=len(x))
    decision = test.update(x)
    found = test.summary()
    mean = math.fsum(x) / len(x)
    assert decision in ("lost", "within")
    assert found.low == found.high == pytest.approx(mean, abs=1e-12)
    if mean > margin + 1e-6:
        assert test.lost_at is not None
    if mean < test.limit - 1e-6:
        assert test.within_at is not None
    sequence = confidence_sequence(x, bounds=bounds, items=len(x))
    assert sequence.low[-1] == sequence.high[-1] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize(("hits", "said"), [(28, "within"), (29, "within"), (30, "lost")])
def test_a_mean_of_exactly_the_margin_is_within(hits: int, said: str) -> None:
    """100 × .29 is 28.999999999999996: rounding must not turn 29 of 100 into a loss above .29."""
    test = SequentialTest(0.29, items=100, alpha=1e-12)  # so strict that only the end decides
    order = [0.0, 1.0] * hits + [0.0] * (100 - 2 * hits)
    assert test.update(order) == said


def test_an_impossible_hypothesis_is_decided_at_once() -> None:
    test = SequentialTest(0.1, limit=0.5, items=10, alpha=1e-9)
    assert test.update(1) is None
    assert test.update(1) == "lost"  # one of ten would still have been the margin
    assert (test.decided_at, test.wealth.lost) == (2, math.inf)
    test = SequentialTest(0.1, limit=0.5, items=10, alpha=1e-9)
    test.update([0] * 5)
    assert test.decision is None  # five hits could follow
    assert test.update(0) == "within"


def test_the_decision_stays_and_later_values_count() -> None:
    test = SequentialTest(0.02)
    assert test.update([0.0] * 300) == "within"
    at = test.decided_at
    assert test.update([1.0] * 300) == "within"
    assert (test.decided_at, test.n, test.estimate) == (at, 600, 0.5)
    assert test.lost_at is not None and test.lost_at > 300


def test_more_wealth_than_a_float_holds_is_infinite() -> None:
    """Two of the three aims risk all they may on ones: each is still a number when their sum no longer is."""
    n = 100
    growth = 10 ** (308.38 / n)  # per item: 2.4e308 in the end, of which the largest share is .65
    margin = MOST / (MOST + growth - 1)
    test = SequentialTest(margin, planned=1.0)
    with np.errstate(over="raise"):
        assert test.update(np.ones(n)) == "lost"
        found = test.summary()
    assert test.wealth.lost == math.inf
    assert np.isfinite(test._lost.wealth).all()
    assert margin < found.low <= 1.0
    assert found.high == 1.0


def test_coverage_over_all_orders_of_a_suite() -> None:
    hits, items, alpha = 4, 12, 0.3
    missed, excluded = 0, 0
    every = orders_of_flips(hits, items)
    for order in every:
        found = confidence_sequence(order, items=items, alpha=alpha)
        missed += bool((found.low > hits / items + 1e-12).any() or (found.high < hits / items - 1e-12).any())
        excluded += bool((found.high - found.low)[5] < 0.5)  # not only what remains possible: betting adds to it
    assert missed <= alpha * len(every)
    assert excluded > 0


@pytest.mark.parametrize("world", ["flips", "chance", "skewed", "suite"])
def test_coverage_at_all_looks_together(world: str) -> None:
    rng = np.random.default_rng(13)
    missed, replications, n = 0, 100, 300
    for _ in range(replications):
        bounds, items = (0.0, 1.0), None
        if world == "flips":
            x, mean = (rng.random(n) < 0.05).astype(float), 0.05
        elif world == "chance":
            x, mean, bounds = chance_values(rng, 0.05, n), 0.05, CHANCE
        elif world == "skewed":
            x, mean = rng.beta(0.2, 1.8, n), 0.1
        else:
            suite = chance_values(rng, 0.1, 400)
            x, mean, bounds, items = suite[:n], suite.mean(), CHANCE, 400
        found = confidence_sequence(x, bounds=bounds, items=items, alpha=0.1)
        missed += bool((found.low > mean + 1e-12).any() or (found.high < mean - 1e-12).any())
    assert missed <= 0.1 * replications + 2.5 * math.sqrt(0.09 * replications)


@given(streams(), st.integers(1, 9), st.sampled_from([0.05, 0.3]))
@settings(max_examples=40)
def test_a_sequence_only_narrows_and_depends_on_no_look(stream: Any, every: int, alpha: float) -> None:
    x, bounds, items = stream
    full = confidence_sequence(x, bounds=bounds, items=items, alpha=alpha)
    assert (np.diff(full.low) >= -1e-12).all() and (np.diff(full.high) <= 1e-12).all()
    assert (full.low >= bounds[0]).all() and (full.high <= bounds[1]).all()
    some = confidence_sequence(x, bounds=bounds, items=items, alpha=alpha, every=every)
    assert some.looks[-1] == len(x) and (some.looks[:-1] % every == 0).all()
    for name in ("low", "high", "estimate"):
        assert (getattr(some, name) == getattr(full, name)[some.looks - 1]).all()


def test_a_turned_world_has_turned_bounds() -> None:
    x = chance_values(np.random.default_rng(4), 0.1, 300)
    found = confidence_sequence(x, bounds=CHANCE)
    turned = confidence_sequence(-x, bounds=(-CHANCE[1], -CHANCE[0]))
    assert (turned.low == -found.high).all() and (turned.high == -found.low).all()


@pytest.mark.parametrize("items", [None, 1000])
def test_a_bound_is_where_the_wealth_reaches_its_mark(items: int | None) -> None:
    """The lower bound again, from logarithms and one look at a time, with bets written out."""
    alpha, x = 0.1, (np.random.default_rng(6).random(400) < 0.3).astype(float)
    found = confidence_sequence(x, items=items, alpha=alpha)
    horizons = [100, 1000] if items else list(sequential.HORIZONS)

    def peak(mean: float, look: int) -> float:
        best, logs = -math.inf, np.full(len(horizons), -math.log(len(horizons)))
        for t in range(look):
            share = (x[:t].sum() + 0.5) / (t + 1)
            rate = 1.0 if items is None else items / (items - t)
            price = mean if items is None else (items * mean - x[:t].sum()) / (items - t)
            for number, horizon in enumerate(horizons):
                reach = 2 * math.log(len(horizons) / (alpha / 2)) / horizon
                bound = max(share - math.sqrt(reach * share * (1 - share)), 0.0)
                bet = rate * math.sqrt(reach / max(bound * (1 - bound), 1e-6))
                logs[number] += math.log(1 + min(bet, MOST / price) * (x[t] - price))
            best = max(best, float(np.logaddexp.reduce(logs)))
        return best

    mark = math.log(2 / alpha)
    for look in (60, 200, 400):
        low, estimate = found.low[look - 1], found.estimate[look - 1]
        assert peak(low, look) >= mark - 1e-9
        assert peak(low + 0.05 * (estimate - low), look) < mark
    moved = 1 + np.flatnonzero(np.diff(found.low) > 0.001)[-3:]
    for look in moved + 1:  # nor did it move a look too early
        assert peak(found.low[look - 1], look) >= mark - 1e-9
        assert peak(found.low[look - 1], look - 1) < mark


def test_later_values_and_room_to_work_in_change_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    x = chance_values(np.random.default_rng(9), 0.1, 600)
    whole, half = (confidence_sequence(x[:n], bounds=CHANCE) for n in (600, 300))
    spare = 0.03 * (half.high - half.low)  # the grid is a little finer for the one than for the other
    assert (np.abs(whole.low[:300] - half.low) <= spare).all() and (np.abs(whole.high[:300] - half.high) <= spare).all()
    assert whole.low[-1] > half.low[-1] + spare[-1]
    monkeypatch.setattr(sequential, "_BLOCK", 100)
    again = confidence_sequence(x, bounds=CHANCE)
    assert (again.low == whole.low).all() and (again.high == whole.high).all()


def test_it_is_not_much_wider_than_an_interval_for_one_look() -> None:
    rng = np.random.default_rng(2)
    for n, most in ((200, 2.2), (1000, 1.8), (5000, 1.7)):
        widths = []
        for _ in range(8):
            found = confidence_sequence((rng.random(n) < 0.1).astype(float), every=n)
            widths.append(found.high[-1] - found.low[-1])
        assert np.mean(widths) < most * 2 * 1.96 * math.sqrt(0.09 / n)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"margin": 0.0}, "margin is 0"),
        ({"margin": -0.1}, "margin is -0.1"),
        ({"margin": math.nan}, "margin is nan"),
        ({"margin": 0.02, "limit": 0.02}, "limit must be above the margin"),
        ({"margin": 0.02, "limit": 0.01}, "limit must be above the margin"),
        ({"margin": 0.6}, "limit is 1.2"),
        ({"margin": 0.02, "planned": 0.02}, "planned is 0.02"),
        ({"margin": 0.02, "planned": 1.5}, "planned is 1.5"),
        ({"margin": 0.02, "bounds": (1.0, 0.0)}, "bounds are 1 and 0"),
        ({"margin": 0.02, "bounds": (0.0, math.inf)}, "bounds are 0 and inf"),
        ({"margin": 0.02, "items": 0}, "items is 0"),
        ({"margin": 0.02, "alpha": 0.0}, "alpha is 0"),
        ({"margin": 0.02, "alpha": 1.0}, "alpha is 1"),
    ],
)
def test_designs_that_make_no_sense(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        SequentialTest(**options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.0, 1.5], "value 3 is 1.5: these items have values from 0 to 1"),
        ([-0.1], "value 2 is -0.1"),
        ([0.0, math.nan], "value 3 is missing"),
        ([None], "value 2 is missing"),
        ([math.inf], "value 2 is inf"),
        ([0.0] * 5, "6 values for 5 items"),
        ([[0.0, 1.0]], "shape"),
    ],
)
def test_values_that_cannot_be(values: Any, said: str) -> None:
    test = SequentialTest(0.1, items=5)
    test.update(0.0)
    before = test.summary(), test.wealth
    with pytest.raises(UsageError, match=said):
        test.update(values)
    assert (test.summary(), test.wealth) == before  # refused as a whole
    with pytest.raises(UsageError):
        confidence_sequence(values, items=4)


def test_rounding_of_a_bound_is_forgiven() -> None:
    test = SequentialTest(0.02, bounds=CHANCE)
    test.update(np.nextafter(4 / 3, 2))
    assert test.estimate == 4 / 3


def test_looks_that_make_no_sense() -> None:
    with pytest.raises(UsageError, match="every is 0"):
        confidence_sequence([0.0], every=0)


def test_what_is_reported() -> None:
    test = SequentialTest(0.02, items=np.int64(500))  # type: ignore[arg-type]
    empty = test.summary()
    assert (empty.n, empty.estimate, empty.low, empty.high, empty.decision) == (0, None, 0.0, 1.0, None)
    assert "no items" in repr(empty) and "undecided" in repr(test)
    test.update(np.zeros(200))
    found = test.summary()
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert {
        "margin": 0.02,
        "limit": 0.04,
        "planned": 0.04,
        "items": 500,
        "alpha": 0.05,
        "method": "betting",
        "n": 200,
    }.items() <= found.to_dict().items()
    assert (
        found.decision == "within"
        and f"within after {found.decided_at}" in repr(found)
        and "n=200 of 500" in repr(found)
    )
    sequence = confidence_sequence(np.zeros(10), every=4)
    assert json.loads(json.dumps(sequence.to_dict()))["looks"] == [4, 8, 10]
    assert "3 looks" in repr(sequence) and sequence.n == 10
    nothing = confidence_sequence([])
    assert nothing.n == 0 and nothing.low.size == 0 and "0 looks" in repr(nothing)


def test_a_hundred_thousand_values_take_no_time() -> None:
    x = chance_values(np.random.default_rng(1), 0.02, 100_000)
    test = SequentialTest(0.02, bounds=CHANCE, items=x.size)
    start = time.perf_counter()
    test.update(x)
    assert time.perf_counter() - start < 1.0


keys = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 3)), min_size=1, max_size=40, unique=True)


@given(keys, st.integers(0, 2**64 - 1), st.randoms(use_true_random=False))
def test_the_order_depends_on_keys_only(pairs: list[tuple[int, int]], seed: int, random: Any) -> None:
    def ordered(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
        high, low = zip(*rows)
        order = random_order((high, low), seed)
        assert sorted(order) == list(range(len(rows)))
        return [rows[row] for row in order]

    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert ordered(shuffled) == ordered(pairs)


def test_seeds_give_all_orders_equally_often() -> None:
    seen: dict[tuple[int, ...], int] = {}
    for seed in range(2400):
        order = tuple(random_order(([0, 0, 1, 1], [0, 1, 0, 1]), seed).tolist())
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 24
    assert (
        sum((count - 100) ** 2 / 100 for count in seen.values()) < 49.7
    )  # chi-square of 23 degrees, once in a thousand


def test_an_order_is_even_over_a_sorted_suite() -> None:
    """The first tenth of a suite sorted by task and item holds a tenth of every stretch of it."""
    n = 20_000
    order = random_order((np.zeros(n), np.arange(n)), seed=5)
    counts = np.histogram(order[: n // 10], bins=20, range=(0, n))[0]
    assert ((counts - 100) ** 2 / 100).sum() < 45.3  # 19 degrees, once in a thousand; drawn without replacement: less


def test_the_order_is_the_same_everywhere() -> None:
    """The same hash in whole numbers of any size: what another machine or a later version must give."""

    def scramble(word: int) -> int:
        word = (word + 0x9E3779B97F4A7C15) % 2**64
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % 2**64
        return word ^ (word >> 31)

    assert scramble(0) == 0xE220A8397B1DCDAF  # published first output of SplitMix64 with seed 0
    high, low = [1, 2, 3, 2**64 - 1, 2**63], [5, 6, 7, 8, 9]
    hashes = [scramble(scramble(scramble(42) ^ h) ^ w) for h, w in zip(high, low)]
    assert random_order((high, low), seed=42).tolist() == sorted(range(5), key=hashes.__getitem__)


def test_keys_that_name_no_row() -> None:
    with pytest.raises(UsageError, match="2 rows have the key of another row"):
        random_order(([1, 1, 1, 2], [5, 5, 5, 5]), seed=0)
    assert len(random_order(([1, 1, 1], [5, 5, 5], [1, 2, 3]), seed=0)) == 3  # told apart by their task
    with pytest.raises(UsageError, match="shapes"):
        random_order(([1, 2], [1]), seed=0)
    with pytest.raises(UsageError, match="shapes none"):
        random_order((), seed=0)
    with pytest.raises(UsageError, match="seed is -1"):
        random_order(([1],), seed=-1)
    assert random_order(([], []), seed=0).size == 0
