"""The workbook, read back by another library: figures as figures, names as text, limits with a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import exported
import openpyxl
import pytest

from forgetmap.errors import UsageError
from forgetmap.report.exports import tidy_tables, workbook, write_workbook
from forgetmap.report.plain import visible
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import shown

# openpyxl says that it does not know data bars
pytestmark = pytest.mark.filterwarnings("ignore:.*xtension is not supported:UserWarning")


def book(sheets: list[Sheet], path: Path, **options: Any) -> openpyxl.Workbook:
    write_workbook(sheets, path / "map.xlsx", **options)
    return openpyxl.load_workbook(path / "map.xlsx")


def rows(page: Any) -> list[dict[str, Any]]:
    head, *body = page.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in body]


@pytest.mark.parametrize("made", [exported.sheet, exported.graded, exported.open_ended, exported.bridged])
def test_tables_read_back(made: Any, tmp_path: Path) -> None:
    found = book([made()], tmp_path)
    tables = tidy_tables([made()])
    assert found.sheetnames == ["Map", "About", *tables]
    for name, frame in tables.items():
        head, *body = found[name].iter_rows(values_only=True)
        assert list(head) == frame.columns
        assert len(body) == frame.height
        for read, row in zip(body, frame.iter_rows(), strict=True):
            for there, value in zip(read, row, strict=True):
                if isinstance(value, float):
                    assert there == pytest.approx(value, rel=1e-15, abs=1e-300)  # a workbook keeps 16 digits
                else:
                    assert there == (value or None if isinstance(value, str) else value)


def test_the_map_to_look_at(tmp_path: Path) -> None:
    sheet = exported.sheet()
    page = book([sheet], tmp_path)["Map"]
    found = rows(page)
    assert [row["cell"] for row in found] == [*(c.name for c in sheet.shown("category")), "total (mean of 5 tasks)"]
    for row, cell in zip(found, sheet.rows("category"), strict=True):
        assert cell.chance is not None
        assert row["verdict"] == cell.verdict
        assert row["items"] == cell.items
        if cell.chance["lost"] is None:  # only a range is known
            assert row["lost"] is None and "lost: a range" in row["marks"]
            ends = [max(cell.chance[f"lost_{end}"], 0.0) for end in ("from", "to")]
            assert [row["lost from"], row["lost to"]] == pytest.approx(sorted(ends), rel=1e-14)
        else:
            assert (row["lost from"], row["lost to"]) == (None, None)
            assert row["lost"] == pytest.approx(cell.chance["lost"], rel=1e-14)
            assert row["most to lose"] == pytest.approx(cell.chance["known_before"], rel=1e-14)
        assert row["lost low"] == pytest.approx(cell.chance["lost_low"], rel=1e-14)
        assert row["gained high"] == pytest.approx(cell.chance["gained_high"], rel=1e-14)
    assert page.freeze_panes == "C2"
    assert page["G2"].number_format == "0.0%"
    heads = {cell.value: cell.column_letter for cell in page[1]}
    longest = max(len(row["cell"]) for row in found)
    assert page.column_dimensions[heads["cell"]].width >= longest
    for head, letter in heads.items():
        assert page.column_dimensions[letter].width >= len(head) * 0.9, head


def test_a_range_is_not_an_interval(tmp_path: Path) -> None:
    """Two options tell guessing from knowing too little: the value has a range, and the range an interval."""
    sheet = exported.sheet(tasks=("piqa",), options=2)
    assert sheet.total.chance is not None and sheet.total.chance["lost"] is None
    row = rows(book([sheet], tmp_path)["Map"])[-1]
    drawn = shown(sheet.total, "auto", "lost")
    assert drawn.range is not None and drawn.low is not None
    assert row["lost"] is None
    assert (row["lost from"], row["lost to"]) == pytest.approx(drawn.range)
    assert (row["lost low"], row["lost high"]) == pytest.approx((drawn.low, drawn.high))
    assert row["lost low"] < row["lost from"]


def test_models_of_one_name_are_told_apart(tmp_path: Path) -> None:
    found = book(exported.namesakes(), tmp_path)
    assert {row["pair"] for row in rows(found["Map"])} == {"base → tuned (1)", "base → tuned (2)", "base → other"}
    about = [cell.value or "" for cell in found["About"]["A"]]
    assert [line.split(":")[0] for line in about if line.startswith("base → ")] == [
        "base → tuned (1)",
        "base → tuned (2)",
        "base → other",
    ]
    assert "tuned (2): runs/second" in about
    assert {row["after"] for row in rows(found["cells"])} == {"tuned", "other"}  # data keep the names as they are


def test_missing_stays_empty(tmp_path: Path) -> None:
    found = rows(book([exported.graded()], tmp_path)["cells"])
    assert found[-1]["kept"] is None and found[-1]["chance_lost"] is None
    assert found[-1]["acc_before"] is not None


def test_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    found = book([exported.hostile()], tmp_path)
    names = set()
    for page in found.worksheets:
        for line in page.iter_rows():
            for cell in line:
                assert cell.data_type in ("s", "n", "b", "inlineStr"), cell.coordinate  # no formula, no error
                assert cell.hyperlink is None
                names.add(cell.value)
    assert {visible(name) for name in exported.HOSTILE} <= names
    assert exported.HOSTILE[0] in names


def test_signs_that_look_like_escapes_survive(tmp_path: Path) -> None:
    """Excel reads _x0041_ as A, unless its first sign is written as _x005F_, which openpyxl leaves in place."""
    found = rows(book([exported.sheet(tasks=("_x0041_", "b"))], tmp_path)["tasks"])
    assert {row["task"] for row in found} == {"_x005F_x0041_", "b"}


def test_long_texts_are_cut_with_a_word(tmp_path: Path) -> None:
    long = "🙂" * 20_000  # two units each
    short = workbook.fitting(long)
    assert len(short.encode("utf-16-le")) // 2 <= workbook.MOST_CHARACTERS
    assert short.endswith("[cut: 40,000 characters, a cell holds 32,767; the CSV has all]")
    found = rows(book([exported.sheet(tasks=("y" * 40_000, "b"))], tmp_path)["tasks"])
    assert any("[cut: 40,000 characters" in row["task"] for row in found)


def test_rows_beyond_a_sheet_go_on_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 8)
    found = book([exported.sheet()], tmp_path)
    whole = tidy_tables([exported.sheet()])["cells"]
    assert whole.height == 10
    assert [row["cell"] for name in ("cells", "cells 2") for row in rows(found[name])] == whole["cell"].to_list()
    assert "cells 3" not in found.sheetnames


def test_what_the_columns_mean_is_said(tmp_path: Path) -> None:
    said = [row[0] for row in book([exported.sheet()], tmp_path)["About"].iter_rows(values_only=True)]
    assert any("with lucky guesses removed" in (line or "") for line in said)
    assert any((line or "").startswith("planted-before → planted-after") for line in said)


def test_groups_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no groups"):
        write_workbook([exported.sheet()], tmp_path / "map.xlsx", level="group")
    assert not list(tmp_path.iterdir())
