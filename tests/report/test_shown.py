"""What is shown agrees with what was decided: equal names, mixed readings, lone cells, ceilings, recipes."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import polars as pl
import pytest

from forgetmap import compare
from forgetmap.map import ForgettingMap, compare_all
from forgetmap.recipe import summarise_recipe
from forgetmap.report.figures import cause_bars, heat, radar
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import ceiling, shown
from forgetmap.report.tables import caption
from forgetmap.testing import join_planted, plant

TAXONOMY = """
name: own
categories: {math: [one, two], Secret: [three]}
hidden: [Secret]
"""


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> ForgettingMap:
    """A category and a task without a place that bear one name, and a task named like a hidden category."""
    path: Path = tmp_path_factory.mktemp("alike") / "own.yaml"
    path.write_text(TAXONOMY)
    parts = [
        plant(300, tasks=[task], lost=lost, abstain=(0.0, 0.2), texts=True, seed=place, first_item=300 * place)
        for place, (task, lost) in enumerate(
            (("one", 0.2), ("two", 0.2), ("three", 0.1), ("math", 0.02), ("Secret", 0.1))
        )
    ]
    whole = join_planted(parts)
    return compare(whole.before, whole.after, taxonomy=path)


def test_cells_of_one_name_stay_apart(alike: ForgettingMap) -> None:
    sheet = Sheet.of(alike)
    both = [(place, cell) for place, cell in enumerate(sheet.cells) if (cell.level, cell.name) == ("category", "math")]
    assert [cell.mapped for _, cell in both] == [True, False]
    for place, cell in both:
        rows = [row for row in sheet.causes if row["cell"] == place and row["direction"] == "lost"]
        lost = alike.pair.items.filter(
            (pl.col("lost") > 0) & pl.col("task").cast(pl.String).is_in(list(cell.task_names))
        ).height
        assert sum(row["count"] for row in rows) == lost
    drawn = cause_bars(sheet)
    assert drawn is not None
    for figure in (heat([sheet, sheet]), radar([sheet])):
        assert "math (task)" in figure.svg


def test_only_a_category_is_hidden(alike: ForgettingMap) -> None:
    sheet = Sheet.of(alike)
    assert [cell.mapped for cell in sheet.shown("category") if cell.name == "Secret"] == [False]
    assert "Secret" in [cell.name for cell in sheet.shown("task")]


def test_a_lone_cell_is_judged_like_the_total() -> None:
    for seed in range(12):
        pair = plant(400, tasks=["t"], lost=0.06, options=4, seed=seed)
        found = compare(pair.before, pair.after)
        assert {cell.verdict for cell in found.cells} == {found.total.verdict}


def test_more_than_there_was_is_explained() -> None:
    """All right before, all wrong after: a guesser would be right a quarter of the time."""
    pair = plant(400, tasks=["t"], known=1.0, lost=1.0, gained=0.0, options=4, seed=1)
    rows = pair.after.samples.with_columns(
        score=pl.lit(0.0), correct=pl.lit(False), choice_key=(pl.col("gold_key") + 1) % 4
    )
    after = type(pair.after)(pair.after.info, rows.lazy(), None, "after")
    sheet = Sheet.of(compare(pair.before, after))
    value, most = shown(sheet.total, "auto", "lost").value, ceiling(sheet.total, "auto", "lost")
    assert value is not None and most is not None and value > most
    assert any("more than there was" in line for line in caption(sheet, "auto", "category"))


def test_mixed_readings_are_named() -> None:
    """With repeats and options luck and noise are removed; without options noise alone: both are explained."""
    parts = [
        plant(400, tasks=["arc:challenge"], lost=0.1, repeats=4, options=4, seed=1),
        plant(400, tasks=["winogrande"], lost=0.1, repeats=4, options=0, seed=2, first_item=400),
    ]
    whole = join_planted(parts)
    rows = []
    for run in (whole.before, whole.after):
        unknown = pl.when(pl.col("task").cast(pl.String) != "winogrande").then(pl.col("chance"))
        rows.append(type(run)(run.info, run.scan().with_columns(chance=unknown), None, run.source))
    sheet = Sheet.of(compare(*rows))
    readings = {cell.judged_by for cell in sheet.rows("category")}
    assert readings == {"known", "noise"}
    said = "\n".join(caption(sheet, "auto", "category"))
    assert "lucky guesses and re-run noise removed" in said
    assert "at least beyond re-run noise" in said
    assert "≥" in said


def test_a_recipe_is_the_mean_of_what_its_seeds_show() -> None:
    seeds = [plant(900, tasks=3, lost=lost, repeats=3, options=4, seed=7) for lost in (0.08, 0.1, 0.12)]
    maps = compare_all(seeds[0].before, [one.after for one in seeds])
    recipe = summarise_recipe(maps)
    assert {cell["reading"] for cell in recipe.cells} == {"known"}
    sheets = [Sheet.of(one) for one in maps]
    for place, cell in enumerate(recipe.cells):
        figures = [shown(sheet.cells[place], "auto", "lost").value for sheet in sheets]
        assert cell["lost"] == pytest.approx(fmean(value for value in figures if value is not None), abs=1e-12)
