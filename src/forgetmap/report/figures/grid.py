"""The grid behind a heat map: its fields, which task sets differ, and how large a field may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from forgetmap.cells import Cell
from forgetmap.report.figures.canvas import text_width
from forgetmap.report.figures.words import cells_of, sheet_names
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import Shown, shown

MARGIN = 20
#: More numbers than this nobody reads, and a page would carry them.
NUMBERS = 10_000
#: The most of a name that is written at a slant.
SLANTED = 190.0


@dataclass(frozen=True)
class Field:
    """One cell of one sheet."""

    cell: Cell | None
    found: Shown
    other: bool  # another task set than most of its line

    @property
    def unclear(self) -> bool:
        """Whether it is surely neither more nor less than the margin."""
        return self.cell is not None and self.cell.verdict == "unclear"

    @property
    def missing(self) -> bool:
        """Whether there is nothing to show."""
        return self.found.value is None and self.found.range is None

    @property
    def text(self) -> str:
        """The figure without its sign; what is unclear has a question mark."""
        return "" if self.missing else self.found.text().replace(" %", "") + (" ?" if self.unclear else "")


@dataclass(frozen=True)
class Grid:
    """Fields by row and column, whichever way round."""

    rows: list[str]
    columns: list[str]
    fields: list[list[Field]]
    row_marks: list[bool]  # whether task sets differ in it
    column_marks: list[bool]
    last_row_total: bool
    last_column_total: bool

    @property
    def every(self) -> list[Field]:
        """All fields."""
        return [field for row in self.fields for field in row]

    def turned(self) -> Grid:
        """Return it with rows and columns exchanged."""
        return Grid(
            self.columns,
            self.rows,
            [list(column) for column in zip(*self.fields, strict=True)],
            self.column_marks,
            self.row_marks,
            self.last_column_total,
            self.last_row_total,
        )


def grid_of(sheets: Sequence[Sheet], level: str, reading: str, direction: str) -> Grid:
    """Return the cells of a level and the total, one row each, one column per sheet."""
    table = cells_of(sheets, level)
    table_rows: list[tuple[str, list[Cell | None]]] = [*table.items(), ("total", [sheet.total for sheet in sheets])]
    fields, row_marks = [], []
    column_marks = [False] * len(sheets)
    for _, cells in table_rows:
        usual = Counter(frozenset(cell.task_names) for cell in cells if cell is not None).most_common(1)
        others = [cell is not None and frozenset(cell.task_names) != usual[0][0] for cell in cells]
        row_marks.append(any(others))
        column_marks = [mark or other for mark, other in zip(column_marks, others, strict=True)]
        fields.append(
            [
                Field(cell, shown(cell, reading, direction) if cell is not None else Shown(None), other)
                for cell, other in zip(cells, others, strict=True)
            ]
        )
    names = [name for name, _ in table_rows]
    return Grid(names, sheet_names(sheets), fields, row_marks, column_marks, True, False)


@dataclass(frozen=True)
class Size:
    """How large the fields are and where they begin: smaller where there are many."""

    left: float
    top: float
    field: float
    row: float
    letters: float | None  # size of numbers; None where they do not fit
    slanted: bool
    width: float

    @classmethod
    def of(cls, grid: Grid) -> Size:
        """Return sizes that suit so many fields."""
        columns, rows = len(grid.columns), len(grid.rows)
        letters: float | None
        if columns <= 24 and columns * rows <= NUMBERS:
            widest = max((text_width(one.text, 11) for one in grid.every), default=0.0)
            field, row, letters = max(min(widest + 12, 90.0), 40.0), 25.0, 11.0
        elif columns <= 48 and columns * rows <= NUMBERS:
            field, row, letters = 34.0, 20.0, 9.0
        else:
            field, row, letters = 15.0, 15.0, None
        names = [text_width(f"{name} ≠", 11.5) for name in grid.columns]
        # Few columns are made so wide that their names stand upright, on two lines if need be.
        slanted = field < 40 or (columns > 6 and max(names) > field - 4)
        if not slanted:
            field = max(field, min(max(names) / (2 if max(names) > 110 else 1) + 24, 170.0))
        reach = 0.72 * min(max(names), SLANTED) if slanted else 0.0
        longest = min(max(text_width(f"{name} ≠", 12, bold=True) for name in grid.rows) + 8, 260.0)
        left = MARGIN + longest + 10
        top = 78 + (reach + 8 if slanted else 24)
        return cls(left, top, field, row, letters, slanted, left + field * columns + 6 + reach + MARGIN)
