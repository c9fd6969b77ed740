"""Styles: the figures of each layout are the map's, and what they rest on is said."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import exported
import pytest

from forgetmap.errors import UsageError
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import ceiling, shown
from forgetmap.report.styles import StyledTable, styled_rows, styled_tables, task_sets


def rows(table: StyledTable, section: int = 0) -> dict[str, tuple[str, ...]]:
    return {row.texts[0]: row.texts[1:] for row in table.sections()[section][1]}


def with_cells(sheet: Sheet, **changes: dict[str, Any]) -> Sheet:
    """A sheet with other figures in the cells named `level:name`."""
    cells = []
    for cell in sheet.cells:
        new = changes.get(f"{cell.level}:{cell.name}", {})
        cells.append(replace(cell, **{k: {**(getattr(cell, k) or {}), **v} for k, v in new.items()}))
    return replace(sheet, cells=cells)


def paper_block(lost: float, sd: float | None, most: float) -> dict[str, Any]:
    return {"lost": lost, "lost_sd": sd, "lost_max": most, "gained": lost / 2, "gained_sd": sd, "gained_max": most}


def test_own_style_shows_what_the_map_shows() -> None:
    sheet = exported.sheet()
    table = styled_rows([sheet])
    assert [column.name for column in table.columns] == [
        "category", "items", "before", "after", "lost", "95 %", "most", "gained", "95 %", "most", "verdict",
    ]  # fmt: skip
    math = next(cell for cell in sheet.at("category") if cell.name == "Math")
    found = rows(table)["Math"]
    assert found[0] == "240"
    assert found[3] == shown(math, "auto", "lost").text().replace(" %", "")
    assert found[4] == shown(math, "auto", "lost").interval()
    assert math.chance is not None
    assert found[5] == f"{100 * math.chance['known_before']:.1f}"
    assert found[8] == f"{100 * math.chance['known_after']:.1f}"
    assert table.rows[-1].kind == "total" and table.rows[-1].texts[0] == "total (mean of 5 tasks)"
    assert "600 items in 5 tasks" in table.about and "%" in table.title


@pytest.mark.parametrize("reading", ["observed", "chance", "paper"])
def test_ceilings_belong_to_the_reading(reading: str) -> None:
    total = exported.sheet().total
    assert total.chance is not None and total.paper is not None
    expected = {
        "observed": (total.observed["acc_before"], total.observed["acc_after"]),
        "chance": (total.chance["known_before"], total.chance["known_after"]),
        "paper": (total.paper["lost_max"], total.paper["gained_max"]),
    }[reading]
    assert (ceiling(total, reading, "lost"), ceiling(total, reading, "gained")) == expected
    assert ceiling(total, "soft", "lost") is None


def test_several_models_stand_side_by_side_in_sections() -> None:
    sheets = exported.several(3)
    table = styled_rows(sheets)
    assert [column.name for column in table.columns] == ["category", "model-0", "model-1", "model-2"]
    lost, gained, scores = table.sections()
    assert lost[0].startswith("lost") and gained[0].startswith("gained") and "verdict" in scores[0]
    figure = shown(sheets[2].total, "auto", "lost")
    text = rows(table)["total (mean of 5 tasks)"][2]
    assert text.startswith(f"{figure.text().replace(' %', '')} [{figure.interval().replace(' – ', ', ')}] (")
    last = rows(table, 2)["total (mean of 5 tasks)"][2]
    assert last.endswith(str(sheets[2].total.verdict)) and " → " in last


def test_no_note_speaks_of_columns_that_are_not_there() -> None:
    for sheets in ([exported.sheet()], exported.several(3)):
        assert not any("1→0" in note for note in styled_rows(sheets).notes)


def test_at_most_four_models_in_a_table() -> None:
    for number, sizes in ((4, [4]), (5, [2, 3]), (6, [3, 3]), (9, [3, 3, 3])):
        tables = styled_tables(exported.several(number))
        assert [len(table.columns) - 1 for table in tables] == sizes
        named = [column.name for table in tables for column in table.columns[1:]]
        assert named == [f"model-{place}" for place in range(number)]


def test_published_layout() -> None:
    """mean ± sd (ceiling) in percent, forgetting then backward transfer, a Total row; values of a published table."""
    sheets = [
        with_cells(
            sheet,
            **{
                "category:Common Sense": {"paper": paper_block(mean, sd, most)},
                "total:total": {"paper": paper_block(0.085, 0.001, 0.502)},
            },
        )
        for sheet, (mean, sd, most) in zip(
            exported.several(4),
            [(0.0704, 0.003, 0.642), (0.054, 0.001, 0.608), (0.039, 0.006, 0.758), (0.037, None, 0.795)],
            strict=True,
        )
    ]
    table = styled_rows(sheets, "paper")
    (forgetting, first), (transfer, second) = table.sections()
    assert "F_true" in forgetting and "BT_true" in transfer and "%" in forgetting
    assert first[0].texts == ("Common Sense", "7.0 ± 0.3 (64.2)", "5.4 ± 0.1 (60.8)", "3.9 ± 0.6 (75.8)", "3.7 (79.5)")
    assert second[0].texts[1] == "3.5 ± 0.3 (64.2)"
    assert first[-1].texts[:2] == ("Total", "8.5 ± 0.1 (50.2)") and first[-1].kind == "total"
    assert any("without ±: one seed" in note for note in table.notes)


def test_paper_style_needs_its_estimator() -> None:
    with pytest.raises(UsageError, match="no cell has the published estimator"):
        styled_rows([exported.graded()], "paper")
    with pytest.raises(UsageError, match="not the reading 'chance'"):
        styled_rows([exported.sheet()], "paper", reading="chance")


def test_a_map_without_the_estimator_shows_dashes_beside_one_that_has_it() -> None:
    table = styled_rows([exported.sheet(), exported.graded()], "paper")
    total = rows(table)["Total¶"]
    assert "(" in total[0] and total[1] == "–"


def scored(sheet: Sheet, scores: dict[str, tuple[float | None, float | None]]) -> Sheet:
    return with_cells(
        sheet,
        **{name: {"observed": {"acc_before": before, "acc_after": after}} for name, (before, after) in scores.items()},
    )


TASKS = {
    "task:gsm8k": (0.14, 0.217),  # +55 %
    "task:mmlu_pro:math": (0.80, 0.72),  # −10 %
    "task:hellaswag": (0.50, 0.40),  # −20 %
    "task:ruler.32k": (0.0, 0.3),  # no relative change
    "task:my_own_task": (0.5, 0.55),  # +10 %
}


def test_captrack_style_is_the_mean_of_relative_changes() -> None:
    (sheet,) = exported.capabilities()
    table = styled_rows([scored(sheet, TASKS)], "captrack")
    found = rows(table)
    assert list(found) == [
        "CAN", "C1 Parametric knowledge and skills", "C5b Domain-shift robustness", "HOW", "H5 Context window",
        "without a group", "my_own_task (task)", "mean of all cells",
    ]  # fmt: skip
    change = {name: texts[4] for name, texts in found.items() if texts}
    assert change["C1 Parametric knowledge and skills"] == "22.5 ± 32.5"
    assert change["C5b Domain-shift robustness"] == "−20.0"  # the spread of one is none
    # group: mean of its cells; ± sqrt(mean(32.5², 0²)) / sqrt(2)
    assert change["CAN"] == f"1.2 ± {32.5 / sqrt(2) / sqrt(2):.1f}"
    assert change["H5 Context window"] == change["HOW"] == "–"
    assert change["mean of all cells"] == f"4.2 ± {32.5 / sqrt(3) / sqrt(3):.1f}†"
    assert any(note.startswith("†: without the tasks whose score before is 0") for note in table.notes)


def test_captrack_style_of_several_models() -> None:
    first, second = exported.capabilities(2)
    table = styled_rows([scored(first, TASKS), scored(second, {**TASKS, "task:hellaswag": (0.5, 0.5)})], "captrack")
    assert rows(table)["C5b Domain-shift robustness"] == ("−20.0", "0.0")
    assert all(" → " in text for text in rows(table, 1)["CAN"])
    assert [row.kind for row in table.sections()[0][1]] == [
        "group", "cell", "cell", "group", "cell", "heading", "cell", "total",
    ]  # fmt: skip


def test_captrack_rows_follow_the_level() -> None:
    (sheet,) = exported.capabilities()
    assert list(rows(styled_rows([sheet], "captrack", "group"))) == ["CAN", "HOW", "mean of all cells"]
    assert "· gsm8k" in rows(styled_rows([sheet], "captrack", "task"))
    assert list(rows(styled_rows([sheet], "captrack", "total"))) == ["mean of all cells"]


def test_captrack_style_needs_groups() -> None:
    with pytest.raises(UsageError, match="add --taxonomy captrack"):
        styled_rows([exported.sheet()], "captrack")


def test_columns_on_other_tasks_are_marked() -> None:
    full = exported.sheet()
    part = exported.sheet(tasks=("piqa", "mmlu:anatomy", "mmlu:abstract_algebra"))
    table = styled_rows([full, part])
    assert "Math¶" in rows(table) and "Common Sense" in rows(table)
    assert rows(table)["Liberal Arts¶"][1] == "–"
    assert any(note.startswith("¶:") for note in table.notes)
    sets = {(one.row, one.models): one.tasks for one in task_sets([full, part], "category")}
    assert sets["Math", ("planted-after (1)",)] == ("mmlu:abstract_algebra", "mmlu:college_mathematics")
    assert sets["Math", ("planted-after (2)",)] == ("mmlu:abstract_algebra",)
    assert sets["Liberal Arts", ("planted-after (2)",)] == ()
    assert sets["Common Sense", None] == ("piqa",)


def test_a_task_named_like_a_category_stays_apart() -> None:
    table = styled_rows([exported.sheet(tasks=("mmlu:abstract_algebra", "Math"))])
    assert {"Math", "Math (task)"} <= set(rows(table))


def test_missing_is_a_dash() -> None:
    found = rows(styled_rows([exported.graded()], reading="chance"))["total"]
    assert found[3:9] == ("–",) * 6


@pytest.mark.parametrize(
    ("given", "said"), [({"style": "apa"}, "style is 'apa'"), ({"level": "x"}, "level is 'x'"), ({"level": "group"}, "has no groups")]
)  # fmt: skip
def test_wrong_words(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        styled_rows([exported.sheet()], **given)
    with pytest.raises(UsageError, match="there is no map"):
        styled_tables([])
