"""The style `paper`: the layout of the appendix tables of arXiv 2510.17776, from the `paper` block only.

Per model `mean ± sd (ceiling)` in percent, forgetting first and backward transfer second, categories and a Total row.
"""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.cells import Cell
from forgetmap.errors import UsageError
from forgetmap.report.sheet import Sheet
from forgetmap.report.styles.notes import about, hidden_lines, merged, task_notes
from forgetmap.report.styles.table import StyledColumn, StyledRow, StyledTable, bare
from forgetmap.report.styles.task_sets import aligned_rows, model_names

_SECTIONS = (
    ("lost", "F_true, forgetting: mean ± sd (ceiling), % of items"),
    ("gained", "BT_true, backward transfer: mean ± sd (ceiling), % of items"),
)


def paper_rows(sheets: Sequence[Sheet], level: str, reading: str) -> StyledTable:
    """Return the published layout; figures are the published estimator's, whatever else the map knows."""
    if reading not in ("auto", "paper"):
        raise UsageError(
            f"--style paper shows the published estimator, not the reading '{reading}'; leave one of them out"
        )
    rows = aligned_rows(sheets, level, "Total")
    blocks = [cell.paper for row in rows for cell in row.cells if cell is not None and cell.paper is not None]
    if not blocks:
        raise UsageError(
            "no cell has the published estimator: it takes right and wrong answers and the number of options; choose "
            "--style forgetmap"
        )
    made = []
    for direction, heading in _SECTIONS:
        made.append(StyledRow.section(heading))
        for row in rows:
            kind = "total" if row.total and level != "total" else "cell"
            made.append(StyledRow((row.label, *(_figure(cell, direction) for cell in row.cells)), kind))
    columns = (StyledColumn(level.capitalize(), False), *(StyledColumn(model) for model in model_names(sheets)))
    title = "estimator of arXiv 2510.17776, % of items"
    return StyledTable(title, about(sheets), columns, tuple(made), (*_notes(sheets, blocks), *task_notes(rows)))


def _figure(cell: Cell | None, direction: str) -> str:
    block = cell.paper if cell is not None else None
    if block is None:
        return "–"
    spread = block[f"{direction}_sd"]
    return (
        f"{bare(block[direction])}{'' if spread is None else f' ± {bare(spread)}'} ({bare(block[f'{direction}_max'])})"
    )


def _notes(sheets: Sequence[Sheet], blocks: Sequence[dict[str, int | float | None]]) -> list[str]:
    weights = {"tasks": "tasks", "items": "tasks", "categories": "category means"}  # no item weights in the paper
    notes = [
        "the published estimator, for comparison with published tables only: it assumes fresh guesses and clips at 0",
        *merged(sheets, lambda sheet: [f"Total: mean of {weights[sheet.weight]}", *hidden_lines(sheet)]),
    ]
    if any(block["lost_sd"] is not None for block in blocks):
        notes.append("±: standard deviation over sampling seeds; it holds no error of the items")
    if any(block["lost_sd"] is None for block in blocks):
        notes.append("without ±: one seed, of which no spread is known")
    return notes
