"""The style `forgetmap`: every figure with its interval and its ceiling, and the verdict in words."""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.cells import Cell
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import ceiling, reading_of, shown, unit_of, verdict_text
from forgetmap.report.styles.notes import about, merged, task_notes, total_label
from forgetmap.report.styles.table import StyledColumn, StyledRow, StyledTable, bare
from forgetmap.report.styles.task_sets import AlignedRow, aligned_rows, model_names
from forgetmap.report.tables import caption

_DIRECTIONS = ("lost", "gained")
_MOST = "most: what was there to lose (before), and the most that can be new (after)"


def own_rows(sheets: Sequence[Sheet], level: str, reading: str) -> StyledTable:
    """Return one map with all its columns, or several maps side by side in three sections."""
    rows = aligned_rows(sheets, level, total_label(sheets))
    cells = [cell for row in rows for cell in row.cells if cell is not None]
    if reading == "auto" and all(reading_of(cell, reading) == "observed" for cell in cells):
        reading = "observed"  # a mark on every figure would mark nothing
    notes = merged(sheets, lambda sheet: caption(sheet, reading, level, flips=False))
    made = _one(rows, level, reading) if len(sheets) == 1 else _several(rows, model_names(sheets), level, reading)
    return StyledTable(
        f"lost and gained, {unit_of(cells)}", about(sheets), made[0], made[1], (*notes, _MOST, *task_notes(rows))
    )


def _one(
    rows: Sequence[AlignedRow], level: str, reading: str
) -> tuple[tuple[StyledColumn, ...], tuple[StyledRow, ...]]:
    figures = ("items", "before", "after", "lost", "95 %", "most", "gained", "95 %", "most")
    columns = (
        StyledColumn(level, False),
        *(StyledColumn(name) for name in figures),
        StyledColumn("verdict", False),
    )
    made = []
    for row in rows:
        (cell,) = row.cells
        assert cell is not None
        texts = [row.label, f"{cell.items:,}", bare(cell.observed["acc_before"]), bare(cell.observed["acc_after"])]
        for direction in _DIRECTIONS:
            figure = shown(cell, reading, direction)
            texts += [figure.text().replace(" %", ""), figure.interval(), bare(ceiling(cell, reading, direction))]
        made.append(StyledRow((*texts, verdict_text(cell)), _kind(row, level)))
    return columns, tuple(made)


def _several(
    rows: Sequence[AlignedRow], models: Sequence[str], level: str, reading: str
) -> tuple[tuple[StyledColumn, ...], tuple[StyledRow, ...]]:
    columns = (StyledColumn(level, False), *(StyledColumn(model) for model in models))
    made = []
    for direction in _DIRECTIONS:
        unit = unit_of(cell for row in rows for cell in row.cells if cell is not None)
        made.append(StyledRow.section(f"{direction}, {unit} [95 %] (most)"))
        for row in rows:
            texts = (_figure(cell, reading, direction) for cell in row.cells)
            made.append(StyledRow((row.label, *texts), _kind(row, level)))
    made.append(StyledRow.section("score before → after, %, and verdict"))
    for row in rows:
        made.append(StyledRow((row.label, *(_scores(cell) for cell in row.cells)), _kind(row, level)))
    return columns, tuple(made)


def _figure(cell: Cell | None, reading: str, direction: str) -> str:
    if cell is None:
        return "–"
    figure, most = shown(cell, reading, direction), ceiling(cell, reading, direction)
    interval = ""
    if figure.low is not None and figure.high is not None:
        interval = f" [{figure.interval().replace(' – ', ', ')}]"
    there = figure.value is not None or figure.range is not None or interval
    return f"{figure.text().replace(' %', '')}{interval}{f' ({bare(most)})' if there and most is not None else ''}"


def _scores(cell: Cell | None) -> str:
    if cell is None or cell.observed["acc_before"] is None:
        return "–"
    said = verdict_text(cell)
    change = f"{bare(cell.observed['acc_before'])} → {bare(cell.observed['acc_after'])}"
    return change if said == "–" else f"{change}, {said}"


def _kind(row: AlignedRow, level: str) -> str:
    return "total" if row.total and level != "total" else "cell"
