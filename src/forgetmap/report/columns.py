"""Columns of a table in a terminal, of which the least needed go when it is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from forgetmap.report.plain import plain


@dataclass
class Column:
    """A column before it is known whether there is room for it."""

    name: str
    left: bool = False
    rank: int = 0  # the highest goes first when the terminal is narrow
    colour: str = ""
    texts: list[Text] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Signs that it takes."""
        return max(cell_len(text) for text in (self.name, *(one.plain for one in self.texts))) + 2


def draw_table(columns: Sequence[Column], rows: Sequence[Sequence[Text | str]], *, width: int, framed: bool) -> Table:
    """Return the table of as many columns as there is room for."""
    for row in rows:
        for column, text in zip(columns, row, strict=True):
            column.texts.append(text if isinstance(text, Text) else plain(text, column.colour))
    shown = list(columns)
    while sum(column.width for column in shown) > width and any(column.rank for column in shown):
        worst = max(column.rank for column in shown)
        shown = [column for column in shown if column.rank < worst]
    table = Table(
        box=box.SIMPLE_HEAD if framed else None, pad_edge=False, padding=(0, 1, 0, 0) if framed else (0, 2, 0, 0)
    )
    for column in shown:
        justify: Any = "left" if column.left else "right"
        table.add_column(column.name, justify=justify, header_style=f"bold {column.colour}".strip(), no_wrap=True)
    for place in range(len(rows)):
        table.add_row(*(column.texts[place] for column in shown))
    return table
