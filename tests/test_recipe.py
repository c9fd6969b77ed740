"""Training seeds: the level above items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from forgetmap import compare_all
from forgetmap.errors import UsageError
from forgetmap.recipe import student_quantile, summarise_recipe
from forgetmap.testing import plant


def seeds(number: int = 4, items: int = 400) -> list:
    return [
        plant(items, known=0.6, lost=0.02 + 0.03 * n, gained=0.02, options=0, tasks=["a", "b"], seed=n)
        for n in range(number)
    ]


def test_the_interval_is_of_the_seed_means() -> None:
    planted = seeds()
    maps = compare_all(planted[0].before, [one.after for one in planted])
    recipe = summarise_recipe(maps)
    total = recipe.cells[-1]
    values = [found.total.chance["lost"] for found in maps]
    low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert (total["lost"], total["lost_low"], total["lost_high"]) == pytest.approx(
        (np.mean(values), low, high), abs=1e-9
    )
    assert total["lost_sd"] == pytest.approx(np.std(values, ddof=1))
    assert "4 training seeds" in repr(recipe)


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 30, 200])
def test_the_quantile_is_students(freedom: int) -> None:
    assert student_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-8)


def test_one_seed_has_no_spread() -> None:
    planted = seeds(1)
    with pytest.raises(UsageError, match="two or more"):
        summarise_recipe(compare_all(planted[0].before, [planted[0].after]))


def test_the_command_adds_the_recipe(tmp_path: Path, run_cli: Callable[..., tuple[int, str, str]]) -> None:
    planted = seeds(3)
    paths = [planted[0].before.save(tmp_path / "before")]
    paths += [one.after.save(tmp_path / f"seed{n}") for n, one in enumerate(planted)]
    code, out, _ = run_cli("compare", *paths, "--training-seeds", "--json", tmp_path / "maps.json")
    assert code == 0
    assert "recipe: 3 training seeds" in out
    assert '"recipe"' in (tmp_path / "maps.json").read_text()
    code, _, err = run_cli("compare", *paths[:2], "--training-seeds")
    assert code == 2
    assert "two or more" in err
