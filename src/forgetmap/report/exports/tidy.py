"""Tidy tables: everything a map holds, one fact per row, for other programs to read.

CSV is faithful data: names stand in it as they are, also one that a spreadsheet would take for a formula. Whoever opens
such a file in a spreadsheet should take the workbook instead, where every name is text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from forgetmap.cells import Cell
from forgetmap.errors import UsageError
from forgetmap.recipe import Recipe
from forgetmap.report.exports.columns import BLOCKS, BRIDGE, DECISION, GUESSING, OBSERVED, PAIRING, RUN, SCORER, TABLES
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import ceiling, reading_of, shown
from forgetmap.storage import write_atomically

_READINGS = ("observed", "chance", "noise", "known", "soft", "paper")
Row = dict[str, Any]


def tidy_tables(sheets: Sequence[Sheet]) -> dict[str, pl.DataFrame]:
    """Return the tables of maps by name: cells, readings, tasks, causes and the others of `columns.TABLES`.

    All tables are always there and always have all their columns; missing is null. `pair` numbers the maps from 1 and
    `cell` the cells within a map, because names may repeat.
    """
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    for place, sheet in enumerate(sheets, 1):
        pair = {"pair": place, "before": sheet.before_name, "after": sheet.after_name}
        for name, made in _rows(sheet):
            rows[name].append(pair | made)
    return {name: pl.DataFrame(rows[name], schema=schema, orient="row") for name, schema in TABLES.items()}


def write_csv(sheets: Sequence[Sheet], folder: Path) -> list[Path]:
    """Write each table as a CSV file into a folder (UTF-8; missing is empty, an empty text is \"\") and return the files.

    A table without rows is a file with its header alone: an older export in the same folder leaves nothing behind.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--csv is '{folder}', which is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, frame in tidy_tables(sheets).items():
        path = folder / f"{name}.csv"
        write_atomically(path, frame.write_csv)
        written.append(path)
    return written


def _rows(sheet: Sheet) -> Iterator[tuple[str, Row]]:
    """Every row of every table, by the table's name."""
    facts = {
        "taxonomy": sheet.taxonomy,
        "hidden": _json(sheet.hidden),
        "weight": sheet.weight,
        "reading": sheet.reading,
    }
    yield "pairs", facts | _texts(sheet.pairing, PAIRING) | _texts(sheet.guessing, GUESSING)
    roles = {"before": sheet.before, "after": sheet.after}
    if sheet.bridge is not None:
        roles["bridge"] = sheet.bridge["run"]
    for role, summary in roles.items():
        yield "runs", {"role": role} | _texts(summary, RUN)
    items = {cell.name: cell.items for cell in sheet.at("task")}
    for place, cell in enumerate(sheet.cells, 1):
        at = {"cell": place, "level": cell.level, "name": cell.name}
        yield "cells", at | _cell(cell, sheet)
        for row in _readings(cell):
            yield "readings", at | row
        for task in cell.task_names:
            yield "tasks", at | {"task": task, "items": items.get(task)}
        for scorer in cell.scorers:
            yield "scorers", at | {name: scorer.get(name) for name in ("scorer", "verdict", *SCORER)}
    for cause in sheet.causes:
        yield "causes", dict(cause)
    if sheet.bridge is not None:
        for split in sheet.bridge["cells"]:
            yield "bridge", {name: split.get(name) for name in ("level", "name", "items", *BRIDGE)}
    yield from _about(sheet)


def _about(sheet: Sheet) -> Iterator[tuple[str, Row]]:
    for choice in sheet.scores:
        sides = {
            f"{side}_{what}": choice[side].get(what) for side in ("before", "after") for what in ("scorer", "metric")
        }
        yield "scores", {"task": choice["task"], "kind": choice["kind"], "name": choice.get("name")} | sides
    for setting in sheet.pairing["settings_that_differ"]:
        values = {f"{side}_value": _text(setting[side]) for side in ("before", "after")}
        yield "settings", {"setting": setting["setting"]} | values
    for kind, texts in (("warning", sheet.warnings), ("note", sheet.notes)):
        for text in texts:
            yield "warnings", {"kind": kind, "text": text}


def _cell(cell: Cell, sheet: Sheet) -> Row:
    row: Row = {
        "path": _json(cell.path),
        "tasks": cell.tasks,
        "items": cell.items,
        "mapped": cell.mapped,
        "hidden": sheet.hides(cell),
        "task_names": _json(cell.task_names),
        **{name: cell.observed.get(name) for name in OBSERVED},
        **{name: cell.decision.get(name) for name in DECISION},
        "flags": _json(cell.flags),
    }
    for name, columns in BLOCKS.items():
        block: dict[str, Any] = getattr(cell, name) or {}
        row |= {f"{name}_{column}": block.get(column) for column in columns}
    return row


def _readings(cell: Cell) -> Iterator[Row]:
    """Lost and gained under every reading that the cell has."""
    decides = reading_of(cell, "auto") if cell.verdict and cell.decision["verdict_reading"] != "net" else None
    for reading in _READINGS:
        if cell.block("noise" if reading == "known" else reading) is None:
            continue
        if reading == "known" and (cell.noise is None or cell.noise["known_lost"] is None):
            continue
        for direction in ("lost", "gained"):
            figure = shown(cell, reading, direction)
            first, last = figure.range or (None, None)
            yield {
                "reading": reading,
                "direction": direction,
                "value": figure.value,
                "low": figure.low,
                "high": figure.high,
                "from": first,
                "to": last,
                "sd": cell.paper[f"{direction}_sd"] if reading == "paper" and cell.paper else None,
                "most": ceiling(cell, reading, direction),
                "at_least": figure.least,
                "decides": reading == decides,
            }


def _texts(values: dict[str, Any], names: dict[str, pl.DataType]) -> Row:
    """The named values; what is to be text and is more than that becomes JSON."""
    return {name: _text(values.get(name)) if kind == pl.String else values.get(name) for name, kind in names.items()}


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def write_recipe(recipe: Recipe, folder: Path) -> Path:
    """Write what the mean over training seeds is, cell by cell."""
    cells = [{**cell, "path": _json(cell["path"])} for cell in recipe.cells]
    target = folder / "recipe.csv"
    frame = pl.DataFrame(cells, infer_schema_length=None)
    write_atomically(target, lambda path: frame.write_csv(path))
    return target
