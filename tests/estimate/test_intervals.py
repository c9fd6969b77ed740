"""Intervals against independent ways to the same figures: Dirichlet draws, Beta quantiles, a bootstrap, a likelihood."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

from forgetmap import compare
from forgetmap.errors import UsageError
from forgetmap.estimate.chance import read_chance
from forgetmap.estimate.guessing import agreement, estimate_guessing
from forgetmap.estimate.intervals import (
    DIFFERENCE,
    DRAWS,
    RATE,
    Atoms,
    Grouping,
    Posteriors,
    estimate_mean,
    posteriors,
)
from forgetmap.estimate.units import Units
from forgetmap.testing import join_planted, plant

#: Values of the chance reading: lost, luck and neither, of four and of ten options.
FOUR, TEN = (4 / 3, -2 / 3, 0.0), (10 / 9, -1 / 7.2, 0.0)
CHANCE = Atoms.of((4 / 3, 0.5), (-2 / 3, 0.5), (0.0, 1.5))


def drawn(values: np.ndarray, masses: np.ndarray, seed: int, draws: int = 200_000) -> np.ndarray:
    """Means of a Dirichlet over values with given masses."""
    gammas = np.random.default_rng(seed).standard_gamma(masses, size=(draws, len(masses)))
    return gammas @ values / gammas.sum(axis=1)


def one_cell(values: list[float], counts: list[int], atoms: Atoms) -> Posteriors:
    units = Units(("t",), np.array(counts, dtype=float), np.zeros(len(values), dtype=np.int64))
    return posteriors(units, np.array(values), Grouping(np.zeros(1, dtype=np.int64), 1, None), atoms)


class TestAgainstDraws:
    """Four cumulants stand for 200,000 draws to a third of a point from 100 items on."""

    @pytest.mark.parametrize("n", [100, 300, 2000])
    @pytest.mark.parametrize(
        ("values", "shares", "atoms"),
        [
            ((1.0, 0.0), (0.0, 1.0), RATE),
            ((1.0, 0.0), (0.01, 0.99), RATE),
            ((1.0, 0.0), (0.3, 0.7), RATE),
            (FOUR, (0.08, 0.06, 0.86), CHANCE),
            (FOUR, (0.0, 0.02, 0.98), CHANCE),
            (TEN, (0.05, 0.1, 0.85), CHANCE),
            ((1.0, 0.5, 0.0, -0.5, -1.0), (0.05, 0.1, 0.7, 0.1, 0.05), DIFFERENCE),
            ((0.9, 0.35, 0.2, 0.0), (0.1, 0.2, 0.3, 0.4), RATE),
        ],
    )
    def test_one_mean(self, values: tuple[float, ...], shares: tuple[float, ...], atoms: Atoms, n: int) -> None:
        counts = [round(n * share) for share in shares]
        found = one_cell(list(values), counts, atoms)
        masses = np.concatenate([counts, atoms.masses[0]])
        places = np.concatenate([values, atoms.positions[0]])
        means = drawn(places[masses > 0], masses[masses > 0], seed=n)
        low, high = np.quantile(means, [0.025, 0.975])
        middle = np.dot(values, counts) / sum(counts)
        ends = [float(end[0]) for end in found.interval()]
        assert ends == pytest.approx([min(low, middle), max(high, middle)], abs=0.003)
        for x in (0.01, 0.02, 0.05):
            assert found.tail(x)[0] == pytest.approx((means <= x).mean(), abs=0.006)

    @pytest.mark.parametrize("weight", ["tasks", "items"])
    def test_a_mean_over_tasks(self, weight: str) -> None:
        """Each task draws with its share of the prior; where items weigh alike, all draw as one."""
        rng = np.random.default_rng(3)
        counts = np.array([rng.multinomial(n, [0.08, 0.06, 0.86]) for n in (40, 60, 100, 300)])
        units = Units(tuple("abcd"), counts.ravel().astype(float), np.repeat(np.arange(4), 3))
        part = None if weight == "items" else np.arange(4)
        found = posteriors(units, np.tile(FOUR, 4), Grouping(np.zeros(4, dtype=np.int64), 1, part), CHANCE)
        places = np.concatenate([FOUR, CHANCE.positions[0]])
        if weight == "items":
            means = drawn(places, np.concatenate([counts.sum(axis=0), CHANCE.masses[0]]), seed=1)
        else:
            of_tasks = [drawn(places, np.concatenate([c, CHANCE.masses[0] / 4]), seed=i) for i, c in enumerate(counts)]
            means = np.mean(of_tasks, axis=0)
        assert [float(end[0]) for end in found.interval()] == pytest.approx(
            np.quantile(means, [0.025, 0.975]), abs=0.003
        )


@pytest.mark.parametrize("n", [1, 2, 5, 10, 29])
def test_few_items_have_the_beta_posterior(n: int) -> None:
    for lost in range(n + 1):
        found = estimate_mean([1, 0], [lost, n - lost])
        beta = stats.beta(lost + 0.5, n - lost + 1.5)
        for end, p in ((found.low, 0.025), (found.high, 0.975)):
            exact = beta.ppf(p)
            # an order statistic of so many draws, five standard errors either way
            room = 5 * np.sqrt(p * (1 - p) / DRAWS)
            low, high = beta.ppf([max(p - room, 0), min(p + room, 1)])
            plain = lost / n
            assert min(low, plain) - 1e-9 <= end <= max(high, plain) + 1e-9, (lost, exact)
        assert found.tail(0.05) == pytest.approx(beta.cdf(0.05), abs=5 * 0.5 / np.sqrt(DRAWS))


@pytest.mark.parametrize("n", [30, 100, 1000])
def test_many_items_have_the_beta_posterior(n: int) -> None:
    for lost in range(0, n + 1, max(n // 50, 1)):
        found = estimate_mean([1, 0], [lost, n - lost])
        beta = stats.beta(lost + 0.5, n - lost + 1.5)
        assert found.low == pytest.approx(min(beta.ppf(0.025), lost / n), abs=0.0012)
        assert found.high == pytest.approx(max(beta.ppf(0.975), lost / n), abs=0.0012)
        assert found.tail(0.02) == pytest.approx(beta.cdf(0.02), abs=0.012)


def test_tails_undo_quantiles() -> None:
    for counts in ([20, 15, 265], [3, 1, 96], [0, 2, 98]):
        found = one_cell(list(FOUR), counts, CHANCE)
        for p in np.linspace(0.02, 0.98, 97).tolist():
            assert found.tail(found.quantile(p))[0] == pytest.approx(p, abs=1e-9)


class TestAgainstABootstrap:
    """Resampled rows of a small pair, 4,000 times: the same ends, the prior's half item aside."""

    @staticmethod
    def resampled(items: pl.DataFrame, values: dict[str, np.ndarray], ratio: bool = False) -> np.ndarray:
        rng = np.random.default_rng(9)
        n = items.height
        picks = rng.integers(0, n, (4000, n))
        lost = values["lost"][picks].mean(axis=1)
        means = lost / values["known"][picks].mean(axis=1) if ratio else lost
        return np.quantile(means, [0.025, 0.975])

    @pytest.mark.parametrize("reading", ["observed", "chance", "lost_of_known", "noise"])
    def test_one_task(self, reading: str) -> None:
        repeats = 3 if reading == "noise" else 1
        planted = plant(
            240,
            known=0.5,
            lost=0.12,
            gained=0.05,
            options=4,
            persistence=0.3,
            abstain=(0.1, 0.1),
            repeats=repeats,
            seed=6,
        )
        found = compare(planted.before, planted.after)
        patterns = found.pair.patterns
        times = patterns["n"].to_numpy()
        rows = {name: np.repeat(patterns[name].to_numpy(), times) for name in patterns.columns if name != "task"}
        b, w, n = rows["right"], rows["wrong"], rows["none"]
        a, wa, na = rows["right_after"], rows["wrong_after"], rows["none_after"]
        if reading == "observed":
            values, cell = {"lost": b * (1 - a)}, found.total.observed
        elif reading == "noise":
            values, cell = {"lost": b * (1 - a) - (rows["floor"] + rows["floor_after"]) / 2}, found.total.noise
        else:
            lost = (b * wa - rows["differ"] / 2) * 4 / 3 + b * na - w * na / 3
            values, cell = {"lost": lost, "known": b - w / 3}, found.total.chance
        assert len(n) == 240
        low, high = self.resampled(pl.DataFrame(values), values, reading == "lost_of_known")
        name = "lost_of_known" if reading == "lost_of_known" else "lost"
        width = high - low
        assert cell[f"{name}_low"] == pytest.approx(low, abs=0.12 * width)
        assert cell[f"{name}_high"] == pytest.approx(high, abs=0.12 * width)

    def test_a_mean_over_tasks(self) -> None:
        parts = [
            plant(100, known=0.6, lost=lost, gained=0.02, tasks=[str(at)], seed=at, first_item=100 * at)
            for at, lost in enumerate((0.0, 0.05, 0.2))
        ]
        whole = join_planted(parts)
        total = compare(whole.before, whole.after).total
        rng = np.random.default_rng(1)
        means = []
        for part in parts:
            lost = compare(part.before, part.after).total.observed["lost"]
            means.append(rng.binomial(100, lost, 20_000) / 100)  # resampling 0/1 rows
        low, high = np.quantile(np.mean(means, axis=0), [0.025, 0.975])
        assert total.observed["lost_low"] == pytest.approx(low, abs=0.12 * (high - low))
        assert total.observed["lost_high"] == pytest.approx(high, abs=0.12 * (high - low))


class TestPersistence:
    """r̂ against a maximum of the likelihood of the items both got wrong."""

    @staticmethod
    def likeliest(kinds: list[tuple[int, int]], both: list[int], differ: list[int]) -> float:
        def surprise(r: float) -> float:
            same = np.array([agreement(r, k, g) for k, g in kinds]).clip(1e-12, 1 - 1e-12)
            unlike = np.array(differ)
            return -float(unlike @ np.log(1 - same) + (np.array(both) - unlike) @ np.log(same))

        return float(optimize.minimize_scalar(surprise, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}).x)

    @staticmethod
    def patterns(kinds: list[tuple[int, int]], both: list[int], differ: list[int]) -> pl.DataFrame:
        rows = []
        for (k, g), n, unlike in zip(kinds, both, differ, strict=True):
            row = {"right": 0.0, "wrong": 1.0, "wrong_after": 1.0, "unseen": 0.0, "n_options": k, "n_gold": g}
            rows += [{**row, "differ": 1.0, "n": unlike}, {**row, "differ": 0.0, "n": n - unlike}]
        return pl.DataFrame(rows)

    @pytest.mark.parametrize(("k", "g"), [(3, 1), (4, 1), (10, 1), (5, 2)])
    @pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
    def test_one_kind_of_item(self, k: int, g: int, share: float) -> None:
        differ = round(400 * share)
        found = estimate_guessing(self.patterns([(k, g)], [400], [differ]))
        assert found.persistence == pytest.approx(self.likeliest([(k, g)], [400], [differ]), abs=1e-5)

    def test_several_kinds_of_item(self) -> None:
        """One equation for all kinds weighs them a little otherwise than the likelihood, within its standard error."""
        rng = np.random.default_rng(2)
        kinds, both = [(3, 1), (4, 1), (10, 1), (5, 2)], [300, 500, 200, 100]
        for r in (0.1, 0.4, 0.8):
            differ = [int(rng.binomial(n, 1 - agreement(r, k, g))) for (k, g), n in zip(kinds, both, strict=True)]
            found = estimate_guessing(self.patterns(kinds, both, differ))
            assert found.persistence == pytest.approx(self.likeliest(kinds, both, differ), abs=0.02)
            assert found.persistence_low < r < found.persistence_high


def test_the_atoms_of_the_chance_reading_are_those_of_its_items() -> None:
    planted = plant(600, options=[4, 10], golds=1, seed=1)
    pair = compare(planted.before, planted.after).pair
    chance = read_chance(pair, ["planted:0"])
    shares = pair.patterns.group_by("n_options").agg(pl.col("n").sum()).sort("n_options")["n"].to_numpy() / 600
    assert chance.atoms.positions[0] == pytest.approx([shares @ [4 / 3, 10 / 9], shares @ [-2 / 3, -1 / 7.2], 0.0])
    assert chance.atoms.masses[0].tolist() == [0.5, 0.5, 1.5]


class TestEstimate:
    """One mean with its interval."""

    def test_no_items_have_no_mean(self) -> None:
        found = estimate_mean([])
        assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
        assert found.tail(0.5) is None

    def test_it_can_be_read_and_written_down(self) -> None:
        found = estimate_mean([1, 0], [3, 97])
        assert "0.0300" in repr(found)
        assert set(found.to_dict()) == {"value", "low", "high", "n", "method", "level"}

    def test_a_wider_level_is_wider(self) -> None:
        narrow, wide = (estimate_mean([1, 0], [30, 70], level=level) for level in (0.8, 0.99))
        assert wide.low < narrow.low < narrow.value < narrow.high < wide.high

    def test_the_plain_mean_is_never_outside(self) -> None:
        for lost in (0, 1, 40, 80, 99, 100):
            found = estimate_mean([1, 0], [lost, 100 - lost])
            assert found.low <= lost / 100 <= found.high
        assert estimate_mean([1, 0], [0, 100]).low == 0

    def test_an_unknown_prior_is_refused(self) -> None:
        with pytest.raises(UsageError, match="prior is 'flat'"):
            estimate_mean([1.0], prior="flat")
