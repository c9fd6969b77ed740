"""Tidy tables say everything the map says, to the last digit, with the same columns whatever is missing."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import exported
import polars as pl
import pytest

import forgetmap
from forgetmap.errors import UsageError
from forgetmap.report.exports import tidy_tables, write_csv
from forgetmap.report.exports.columns import BLOCKS, DECISION, OBSERVED, PAIRING, RUN, TABLES
from forgetmap.report.sheet import Sheet

SHEETS = {
    "plain": exported.sheet,
    "repeats": lambda: exported.sheet(repeats=3),
    "hostile": exported.hostile,
    "open-ended": exported.open_ended,
    "graded": exported.graded,
    "bridged": exported.bridged,
}


@pytest.fixture(params=SHEETS)
def sheet(request: pytest.FixtureRequest) -> Sheet:
    return SHEETS[request.param]()


def read_back(path: Path, name: str) -> pl.DataFrame:
    return pl.read_csv(path, schema=TABLES[name], null_values=None)


def test_csv_read_back_is_the_table(sheet: Sheet, tmp_path: Path) -> None:
    written = write_csv([sheet], tmp_path)
    tables = tidy_tables([sheet])
    assert [path.stem for path in written] == list(TABLES) == list(tables)
    for path in written:
        assert read_back(path, path.stem).equals(tables[path.stem], null_equal=True), path.stem


def test_cells_hold_every_scalar_of_the_map(sheet: Sheet, tmp_path: Path) -> None:
    """Read by another reader than the one that wrote: every figure of the JSON, to the last digit."""
    write_csv([sheet], tmp_path)
    with open(tmp_path / "cells.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(sheet.cells)
    for row, cell in zip(rows, sheet.cells, strict=True):
        flat = {}
        for name, value in cell.to_dict().items():
            if isinstance(value, dict):
                flat |= {f"{name}_{key}": inner for key, inner in value.items()}
            elif name in BLOCKS:
                assert value is None
                flat |= {f"{name}_{key}": None for key in BLOCKS[name]}
            elif name != "scorers":
                flat[name] = value
        for name, value in flat.items():
            text = row[name]
            if value is None:
                assert text == "", name
            elif isinstance(value, bool):
                assert text == str(value).lower(), name
            elif isinstance(value, (int, float)):
                assert float(text) == value, name
            elif isinstance(value, list):
                assert json.loads(text) == value, name
            else:
                assert text == value, name


def test_columns_do_not_depend_on_what_is_there(sheet: Sheet) -> None:
    for name, frame in tidy_tables([sheet]).items():
        assert dict(frame.schema) == TABLES[name], name
    assert {name: dict(frame.schema) for name, frame in tidy_tables([]).items()} == TABLES


def test_columns_are_those_of_the_contract() -> None:
    """A key that joins the JSON must join the tables."""
    schema = json.loads((Path(forgetmap.__file__).parent / "schemas" / "map-1.json").read_text())["$defs"]
    for block in ("chance", "noise", "soft", "paper"):
        assert set(BLOCKS[block]) == set(schema[block]["required"]), block
    assert set(BLOCKS["validity"]) == set(schema["cell"]["properties"]["validity"]["anyOf"][0]["required"])
    about = {"level", "name", "path", "tasks", "items", "mapped", "task_names", "flags", "scorers", *BLOCKS}
    assert set(OBSERVED) | set(DECISION) | about == set(schema["cell"]["required"])
    assert set(PAIRING) | {"settings_that_differ"} == set(schema["pairing"]["required"])
    assert set(RUN) - {"repeat_kind"} == set(schema["run"]["required"])


def test_missing_is_empty_and_never_zero(tmp_path: Path) -> None:
    write_csv([exported.graded()], tmp_path)
    with open(tmp_path / "cells.csv", newline="", encoding="utf-8") as file:
        total = list(csv.DictReader(file))[-1]
    assert total["acc_before"] != ""
    for name in ("kept", "never", "chance_lost", "paper_lost", "soft_floor", "noise_repeats_before"):
        assert total[name] == "", name


def test_readings_are_what_the_table_shows() -> None:
    readings = tidy_tables([exported.sheet(repeats=3)])["readings"].filter(pl.col("level") == "total")
    total = exported.sheet(repeats=3).total
    assert total.noise is not None and total.paper is not None and total.chance is not None
    by = {(row["reading"], row["direction"]): row for row in readings.to_dicts()}
    assert by["known", "lost"]["value"] == total.noise["known_lost"]
    assert by["paper", "lost"]["sd"] == total.paper["lost_sd"]
    assert by["paper", "gained"]["most"] == total.paper["gained_max"]
    assert by["chance", "lost"]["most"] == total.chance["known_before"]
    assert by["noise", "lost"]["at_least"] is (total.noise["lost_at_least"] is not None)
    assert {name for (name, _), row in by.items() if row["decides"]} == {"known"}


def test_a_range_has_its_ends_and_no_value() -> None:
    """One wrong option tells guessing from knowing too little for a point."""
    rows = tidy_tables([exported.open_ended()])["readings"].filter(reading="chance", level="task", name="piqa")
    for row in rows.to_dicts():
        assert row["value"] is None and row["from"] <= row["to"]


def test_which_tasks_are_in_which_cell() -> None:
    tasks = tidy_tables([exported.sheet()])["tasks"]
    math = tasks.filter(level="category", name="Math")
    assert math["task"].to_list() == ["mmlu:abstract_algebra", "mmlu:college_mathematics"]
    assert math["items"].to_list() == [120, 120]
    assert tasks.filter(level="total")["task"].n_unique() == len(exported.CATEGORISED)


def test_a_bridge_and_causes_and_settings_have_their_rows() -> None:
    found = exported.bridged()
    changed = replace(
        found, pairing={**found.pairing, "settings_that_differ": [{"setting": "t", "before": None, "after": [1, "a"]}]}
    )
    tables = tidy_tables([changed])
    assert found.bridge is not None and found.causes
    assert tables["bridge"].height == len(found.bridge["cells"])
    assert tables["bridge"]["lost_to_prompt"].to_list() == [c["lost_to_prompt"] for c in found.bridge["cells"]]
    assert tables["runs"]["role"].to_list() == ["before", "after", "bridge"]
    assert tables["causes"].height == len(found.causes)
    assert tables["settings"].drop("pair", "before", "after").to_dicts() == [
        {"setting": "t", "before_value": None, "after_value": '[1,"a"]'}
    ]


def test_other_scorers_have_their_rows() -> None:
    found = exported.sheet()
    said = {"scorer": "strict", "lost": 0.25, "gained": None, "acc_before": 0.5, "acc_after": 0.25, "verdict": "lost", "p_net": 0.5}  # fmt: skip
    cells = [*found.cells[:-1], replace(found.cells[-1], scorers=(said,))]
    (row,) = tidy_tables([replace(found, cells=cells)])["scorers"].to_dicts()
    assert {name: row[name] for name in said} == said
    assert (row["level"], row["cell"]) == ("total", len(cells))


def test_maps_of_one_name_stay_apart() -> None:
    tables = tidy_tables([exported.sheet(), exported.sheet(seed=9)])
    assert tables["cells"]["pair"].unique().sort().to_list() == [1, 2]
    assert tables["cells"].select("pair", "cell").is_duplicated().sum() == 0


def test_an_older_export_leaves_nothing_behind(tmp_path: Path) -> None:
    write_csv([exported.bridged()], tmp_path)
    write_csv([exported.sheet()], tmp_path)
    assert read_back(tmp_path / "bridge.csv", "bridge").height == 0


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(UsageError, match="which is a file; name a folder"):
        write_csv([exported.sheet()], tmp_path / "x")
