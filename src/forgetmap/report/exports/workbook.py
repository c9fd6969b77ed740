"""The workbook: a sheet to look at, a sheet that says what it means, then the tidy tables.

Whatever came from a log is written as text, never as a formula or a link. What Excel cannot hold is cut or continued on
a further sheet, with a word; the CSV files have no such limits. Excel keeps 15 to 16 digits of a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.errors import UsageError
from forgetmap.report.exports.names import sources_of, told_apart
from forgetmap.report.exports.tidy import tidy_tables
from forgetmap.report.plain import visible
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import ceiling, cut, reading_of, shown, verdict_text
from forgetmap.report.styles.notes import merged
from forgetmap.report.summary import summary_lines
from forgetmap.report.tables import caption, headline, pairing_lines, total_name
from forgetmap.storage import write_atomically

#: What Excel can hold: characters of a cell (as UTF-16 counts them) and rows of a sheet.
MOST_CHARACTERS, MOST_ROWS = 32_767, 1_048_576
_WIDEST = 48
_LOST, _GAINED = "#C0392B", "#1E8449"


def write_workbook(sheets: Sequence[Sheet], path: Path, *, level: str = "category", reading: str = "auto") -> None:
    """Write maps as an Excel workbook: Map, About, then one sheet per tidy table."""
    try:
        import xlsxwriter  # type: ignore[import-untyped]
    except ImportError as fault:
        raise UsageError("a workbook needs XlsxWriter, which is not installed: pip install xlsxwriter") from fault
    for sheet in sheets:
        if level == "group" and not sheet.at("group"):
            raise UsageError(f"taxonomy {sheet.taxonomy} has no groups; choose --by task, category or total")
    options = {
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": False,
        "constant_memory": True,
    }

    def write(target: Path) -> None:
        with xlsxwriter.Workbook(str(target), options) as book:
            _Map(book, told_apart(sheets), level, reading).write()
            _write_about(book, sheets, level, reading)
            for name, frame in tidy_tables(sheets).items():
                _write_table(book, name, frame)

    write_atomically(path, write)


def fitting(text: str) -> str:
    """Return text that a cell can hold, without control characters; what is cut off is counted.

    >>> fitting("=1+1\\x00")
    '=1+1\\\\x00'
    """
    text = visible(text)
    if len(text) * 2 <= MOST_CHARACTERS:
        return text
    units = len(text.encode("utf-16-le")) // 2
    if units <= MOST_CHARACTERS:
        return text
    ending = f" … [cut: {units:,} characters, a cell holds {MOST_CHARACTERS:,}; the CSV has all]"
    room = (MOST_CHARACTERS - len(ending)) * 2
    return text.encode("utf-16-le")[:room].decode("utf-16-le", errors="ignore") + ending


class _Map:
    """The sheet to look at: one row per cell of a level, of every map."""

    _COLUMNS = (
        ("pair", 26), ("cell", 30), ("tasks", 7), ("items", 9), ("before", 9), ("after", 9), ("lost", 9), ("lost low", 9),
        ("lost high", 10), ("lost from", 10), ("lost to", 9), ("most to lose", 12), ("gained", 9), ("gained low", 11),
        ("gained high", 12), ("gained from", 12), ("gained to", 10), ("most to gain", 12), ("verdict", 10), ("marks", 24),
    )  # fmt: skip

    def __init__(self, book: Any, sheets: Sequence[Sheet], level: str, reading: str) -> None:
        self._page, self._sheets, self._level, self._reading = book.add_worksheet("Map"), sheets, level, reading
        side = {"top": 1, "top_color": "#888888"}
        self._formats = {
            (kind, total): book.add_format(
                ({"num_format": "0.0%"} if kind == "share" else {"num_format": "#,##0"} if kind == "count" else {})
                | ({"bold": True, **side} if total else {})
            )
            for kind in ("share", "count", "text")
            for total in (False, True)
        }
        self._head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})

    def write(self) -> None:
        page = self._page
        pairs = [f"{sheet.before_name} → {sheet.after_name}" for sheet in self._sheets]
        cells = [[*_named(sheet, self._level)] for sheet in self._sheets]
        longest = {"pair": pairs, "cell": [name for of in cells for _, name in of]}
        for column, (name, width) in enumerate(self._COLUMNS):
            texts = longest.get(name, [])
            page.set_column(column, column, min(max([width, *(len(text) + 2 for text in texts)]), _WIDEST))
            page.write_string(0, column, name, self._head)
        line = 0
        for pair, of, sheet in zip(pairs, cells, self._sheets, strict=True):
            for cell, name in of:
                line += 1
                total = cell.level == "total"
                for column, (kind, value) in enumerate(self._figures(pair, name, cell, sheet)):
                    _write(page, line, column, value, self._formats[kind, total])
        page.freeze_panes(1, 2)
        page.autofilter(0, 0, max(line, 1), len(self._COLUMNS) - 1)
        names = [name for name, _ in self._COLUMNS]
        for name, colour in (("lost", _LOST), ("gained", _GAINED)):
            at = names.index(name)
            bar = {"type": "data_bar", "bar_color": colour, "bar_solid": True, "min_type": "num", "min_value": 0}
            page.conditional_format(1, at, max(line, 1), at, bar | {"bar_negative_color_same": True})
        page.set_landscape()
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)

    def _figures(self, pair: str, name: str, cell: Any, sheet: Sheet) -> Iterator[tuple[str, Any]]:
        yield from (("text", pair), ("text", name), ("count", cell.tasks), ("count", cell.items))
        yield from (("share", cell.observed["acc_before"]), ("share", cell.observed["acc_after"]))
        marks = []
        for direction in ("lost", "gained"):
            figure = shown(cell, self._reading, direction)
            # Excel cannot show a range as a number: the value stays empty, the ends have columns of their own
            ends = (figure.low, figure.high, *(figure.range or (None, None)))
            yield from (("share", value) for value in (figure.value, *ends, ceiling(cell, self._reading, direction)))
            marks += [f"{direction}: a range"] if figure.value is None and figure.range else []
            marks += [f"{direction}: at least"] if figure.least else []
            marks += ["†"] if figure.partial else []
        if self._reading == "auto" and reading_of(cell, "auto") == "observed":
            marks.append("*")
        verdict = verdict_text(cell)
        marks += verdict.removeprefix(cell.verdict or "–")
        yield "text", cell.verdict
        yield "text", "; ".join(dict.fromkeys(marks)) or None


def _named(sheet: Sheet, level: str) -> Iterator[tuple[Any, str]]:
    for cell in sheet.rows(level):
        yield cell, total_name(sheet, cell) if cell.level == "total" else cell.name


def _write_about(book: Any, sheets: Sequence[Sheet], level: str, reading: str) -> None:
    page = book.add_worksheet("About")
    strong, wrapped = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
    page.set_column(0, 0, 120)
    lines: list[tuple[str, bool]] = []
    sources = sources_of(sheets)
    sheets = told_apart(sheets)
    for sheet, source in zip(sheets, sources, strict=True):
        lines += [(headline(sheet), True), *((line, False) for line in summary_lines(sheet))]
        lines += [(source, False)] if source else []
        lines += [(line, False) for line in pairing_lines(sheet)]
        lines += [(f"note: {note}", False) for note in sheet.notes]
        lines += [(f"warning: {warning}", False) for warning in sheet.warnings]
        lines.append(("", False))
    lines.append(("What the columns of Map mean", True))
    said = merged(sheets, lambda sheet: caption(sheet, reading, level, flips=False))
    said += ["low, high: 95 % interval", "from, to: the range of the value, where no single one is identified"]
    said += ["empty: not known; never 0"]
    said += ["most to lose, most to gain: what was there to lose, and the most that can be new"]
    lines += [(line, False) for line in said]
    for place, (line, bold) in enumerate(lines):
        _write(page, place, 0, line or None, strong if bold else wrapped)


def _write_table(book: Any, name: str, frame: pl.DataFrame) -> None:
    """Write a table, on further sheets where one cannot hold its rows."""
    bold = book.add_format({"bold": True})
    for number in count(1):
        rows = frame.slice((number - 1) * (MOST_ROWS - 1), MOST_ROWS - 1)
        if number > 1 and not rows.height:
            return
        page = book.add_worksheet(name if number == 1 else f"{name} {number}")
        page.freeze_panes(1, 0)
        for column, heading in enumerate(frame.columns):
            texts = [] if frame.schema[heading] != pl.String else rows[heading].head(1000).drop_nulls().to_list()
            page.set_column(column, column, min(max(len(text) for text in (heading, *texts)) + 2, _WIDEST))
            page.write_string(0, column, heading, bold)
        for line, row in enumerate(rows.iter_rows(), 1):
            for column, value in enumerate(row):
                _write(page, line, column, value)
        page.autofilter(0, 0, max(rows.height, 1), len(frame.columns) - 1)


def _write(page: Any, line: int, column: int, value: Any, shape: Any = None) -> None:
    """Write a value as what it is; xlsxwriter answers 0 when it did."""
    if value is None:
        done = 0 if shape is None else page.write_blank(line, column, None, shape)
    elif isinstance(value, bool):
        done = page.write_boolean(line, column, value, shape)
    elif isinstance(value, str):
        done = page.write_string(line, column, fitting(value), shape)
    else:
        done = page.write_number(line, column, value, shape)
    if done not in (0, None):
        raise UsageError(f"sheet {page.get_name()}: row {line + 1} cannot be written ({cut(repr(value))}); use --csv")
