"""Slices: planted losses are found where they were planted, and the parts add up to the whole."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.errors import PairingError, UsageError
from forgetmap.map import map_pair
from forgetmap.pairing import Pair, pair_runs
from forgetmap.run import Run
from forgetmap.slices import dimensions, restrict, slice_column, slice_pair
from forgetmap.slices.bins import MISSING, MOST_VALUES, bin_numbers, bin_values
from forgetmap.testing import join_planted, plant


def planted(lost: tuple[float, float] = (0.0, 0.12), items: int = 4000, seed: int = 0, **more: object) -> Pair:
    """Two tasks; items of the second half carry the tag 'hard' and lose more."""
    parts = [
        plant(
            items, known=0.6, lost=rate, gained=0.03, options=4, persistence=0.3, tasks=["a", "b"], texts=True,
            seed=seed * 10 + place, first_item=place * items, **more,  # type: ignore[arg-type]
        )
        for place, rate in enumerate(lost)
    ]  # fmt: skip
    whole = join_planted(parts)
    tagged = []
    for run in (whole.before, whole.after):
        rows = run.samples
        hard = pl.Series(
            [
                name
                for part, name in zip(parts, ("easy", "hard"), strict=True)
                for name in [name] * part.before.samples.height
            ]
        )
        tagged.append(Run(run.info, rows.with_columns(category=pl.concat_list(hard)).lazy(), run._texts, run.source))
    return pair_runs(*tagged)


def test_a_planted_slice_is_found() -> None:
    found = slice_pair(planted(), "tag_1")
    cells = {cell.name: cell for cell in found.cells}
    assert set(cells) == {"easy", "hard"}
    assert (
        cells["hard"].chance is not None and cells["hard"].chance["lost_low"] < 0.12 < cells["hard"].chance["lost_high"]
    )
    assert cells["hard"].verdict in ("lost", "both")
    assert found.worst == "hard"
    assert cells["easy"].verdict != "lost"


def test_nothing_planted_nothing_found() -> None:
    """Over 40 pairs without a difference, a slice that lost more than the rest is a false alarm: one in twenty."""
    alarms = sum(slice_pair(planted((0.05, 0.05), 600, seed), "tag_1").worst is not None for seed in range(40))
    assert alarms <= 5


def test_slices_add_up_to_the_whole() -> None:
    pair = planted()
    whole = map_pair(pair, weight="items").total
    for dimension in dimensions(pair):
        found = slice_pair(pair, dimension.name)
        assert sum(cell.items for cell in found.cells) == pair.items.height
        for name in ("kept", "lost", "gained", "never"):
            parts = sum(cell.items * cell.observed[name] for cell in found.cells)  # type: ignore[operator]
            assert parts / pair.items.height == pytest.approx(whole.observed[name], abs=1e-12)


def test_a_restricted_pair_is_the_pair_of_those_items() -> None:
    pair = planted()
    part = restrict(pair, pair.items["task"].cast(pl.String) == "a")
    direct = pair_runs(pair.before, pair.after, tasks="a")
    assert part.patterns.equals(direct.patterns)
    assert part.seeds.equals(direct.seeds)
    assert map_pair(part).total == map_pair(direct).total
    assert part.pairing.paired == direct.pairing.paired


def test_a_restricted_pair_with_repeats_keeps_its_seeds() -> None:
    pair = planted(items=300, repeats=3)
    part = restrict(pair, pair.items["task"].cast(pl.String) == "a")
    direct = pair_runs(pair.before, pair.after, tasks="a")
    assert part.seeds.equals(direct.seeds)
    assert part.seeds["repeat"].n_unique() == 3
    assert map_pair(part).total.noise == map_pair(direct).total.noise


def test_nothing_left_is_said() -> None:
    pair = planted(items=100)
    with pytest.raises(PairingError, match="no item is left"):
        restrict(pair, pl.Series([False] * pair.items.height))


def test_an_unknown_dimension_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="tag_1"):
        slice_column(planted(items=100), "colour")


def test_a_position_of_the_gold_is_read_without_chance() -> None:
    """Within one position of the gold guesses are not exchangeable: luck must not be taken off (statistics.md 2.2)."""
    pair = planted(items=400)
    if "gold_position" not in [one.name for one in dimensions(pair)]:
        pytest.fail("planted runs should know where the gold stands")
    found = slice_pair(pair, "gold_position")
    assert {cell.decision["verdict_reading"] for cell in found.cells} <= {"observed", None}
    assert [cell.name for cell in found.cells] == [f"option {place}" for place in range(1, 5)]


def test_slices_hold_what_is_missing() -> None:
    pair = planted(items=200)
    rows = pair.before.samples.with_columns(
        category=pl.when(pl.int_range(pl.len()) % 4 == 0).then(None).otherwise(pl.col("category"))
    )
    holed = pair_runs(Run(pair.before.info, rows.lazy(), pair.before._texts, "x"), pair.after)
    found = slice_pair(holed, "tag_1")
    assert found.cells[-1].name == MISSING
    assert found.cells[-1].items == holed.items.height // 4


@given(st.lists(st.none() | st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=200))
def test_every_number_is_in_one_bin_and_bins_are_in_order(values: list[float | None]) -> None:
    series = pl.Series("v", values, dtype=pl.Float64)
    slices, words = bin_numbers(series)
    assert slices.null_count() == 0 and len(slices) == len(values)
    assert slices.dtype.categories.to_list() == words  # type: ignore[attr-defined]
    placed = sorted((v, words.index(s)) for v, s in zip(values, slices, strict=True) if v is not None)
    assert all(a[1] <= b[1] for a, b in pairwise(placed))
    assert all((s == MISSING) == (v is None) for v, s in zip(values, slices, strict=True))


@given(st.lists(st.none() | st.text(max_size=3), min_size=1, max_size=100))
def test_every_name_keeps_its_slice(values: list[str | None]) -> None:
    slices, _ = bin_values(pl.Series("v", values, dtype=pl.String))
    homes: dict[str | None, set[str]] = {}
    for value, slice_ in zip(values, slices, strict=True):
        homes.setdefault(value, set()).add(slice_)
    assert all(len(home) == 1 for home in homes.values())
    if len(homes) <= MOST_VALUES:
        assert len({next(iter(home)) for home in homes.values()}) == len(homes)


def test_many_names_end_in_the_rest() -> None:
    rng = np.random.default_rng(0)
    slices, words = bin_values(pl.Series("v", [f"n{i}" for i in rng.zipf(1.3, 5000)]))
    assert len(words) == MOST_VALUES + 1
    assert words[-2].startswith("the other ")
    assert (slices == words[0]).sum() >= (slices == words[1]).sum()


def test_slices_that_are_read_differently_compare_by_flips() -> None:
    """Half the items name no options: luck can be removed there from nothing, and must not pass for loss."""
    pair = planted((0.05, 0.05), 3000)
    rows = []
    for run in (pair.before, pair.after):
        blank = pl.col("category").list.first() == "hard"
        unknown = [pl.when(~blank).then(pl.col(name)).alias(name) for name in ("n_options", "n_gold", "chance")]
        rows.append(Run(run.info, run.scan().with_columns(unknown), run._texts, run.source))
    found = slice_pair(pair_runs(*rows), "options")
    assert {cell.judged_by for cell in found.cells} == {"chance", "observed"}
    assert found.compared_by == found.to_dict()["compared_by"] == "observed"
    assert found.worst is None


def test_a_slice_may_bear_any_name() -> None:
    pair = planted(items=300)
    odd = Run(
        pair.before.info, pair.before.scan().with_columns(category=pl.lit(["x\x1fy:z"])), pair.before._texts, "odd"
    )
    found = slice_pair(pair_runs(odd, pair.after), "tag_1")
    assert [(cell.name, cell.task_names) for cell in found.cells] == [("x\x1fy:z", ("a", "b"))]
