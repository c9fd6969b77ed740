"""The map as a table in a terminal: bars where there is room, plain text when piped."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from forgetmap.cells import Cell
from forgetmap.errors import UsageError
from forgetmap.map import ForgettingMap
from forgetmap.pairing.pair import WARN_COVERAGE
from forgetmap.report.plain import number, plain

LOST, GAINED = "red", "green"
_BLOCKS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class Shown:
    """One figure of a cell as the table shows it: a value, a range where no point is identified, or nothing."""

    value: float | None
    low: float | None = None
    high: float | None = None
    fallback: bool = False  # observed flips, because the reading asked for cannot be had
    partial: bool = False  # over a part of the cell's items only

    def text(self) -> str:
        """Return the figure in percent."""
        mark = "*" if self.fallback else "†" if self.partial else ""
        if self.value is not None:
            return f"{percent(self.value)}{mark}"
        if self.low is not None and self.high is not None:
            return f"{percent(self.low).removesuffix(' %')} … {percent(self.high)}{mark}"
        return "–"


def shown(cell: Cell, reading: str, direction: str) -> Shown:
    """Return lost or gained of a cell under a reading; `auto` is chance where it can be had, else observed."""
    if reading == "paper":
        return Shown(cell.paper[direction] if cell.paper else None)
    if reading == "observed" or (reading == "auto" and cell.chance is None):
        return Shown(cell.observed[direction], fallback=reading == "auto")
    if cell.chance is None:
        return Shown(None)
    # A loss cannot be negative: where only its range is known, that is its lower end.
    low, high = sorted(max(cell.chance[f"{direction}_{end}"], 0.0) for end in ("from", "to"))
    return Shown(cell.chance[direction], low, high, partial=is_partial(cell))


def is_partial(cell: Cell) -> bool:
    """Whether so many of a cell's items have no chance reading that the figure speaks of a part only."""
    return cell.chance is not None and cell.chance["items"] < WARN_COVERAGE * cell.items


@dataclass(frozen=True)
class _Column:
    """A column before it is known whether there is room for it."""

    name: str
    texts: list[str]
    rank: int  # the highest goes first when the terminal is narrow
    colour: str = ""
    figures: list[float | None] | None = None  # drawn as bars where there is room

    @property
    def width(self) -> int:
        return max(cell_len(text) for text in (self.name, *self.texts)) + 2


def map_table(found: ForgettingMap, *, level: str = "category", reading: str = "auto", width: int, bars: bool) -> Table:
    """Return the table of one map. As the terminal narrows bars go first, then flips, items and accuracies."""
    cells = _rows(found, level)
    names = [_cut(cell.name) if cell.level != "total" else _total_name(found, cell) for cell in cells]
    if reading == "auto" and all(cell.chance is None for cell in cells):
        reading = "observed"  # a mark on every figure would mark nothing
    columns = [
        _Column(level, names, 0),
        _Column("items", [f"{cell.items:,}" for cell in cells], 2),
        _Column("before", [percent(cell.observed["acc_before"]) for cell in cells], 1),
        _Column("after", [percent(cell.observed["acc_after"]) for cell in cells], 1),
    ]
    if reading != "observed":
        columns.append(_Column("1→0", [percent(cell.observed["lost"]) for cell in cells], 3, "dim"))
        columns.append(_Column("0→1", [percent(cell.observed["gained"]) for cell in cells], 3, "dim"))
    for direction, colour in (("lost", LOST), ("gained", GAINED)):
        figures = [shown(cell, reading, direction) for cell in cells]
        columns.append(_Column(direction, [f.text() for f in figures], 0, colour, [f.value for f in figures]))
    while sum(column.width for column in columns) > width and any(column.rank for column in columns):
        worst = max(column.rank for column in columns)
        columns = [column for column in columns if column.rank < worst]
    spare = (width - sum(column.width for column in columns) - 2) // 2 - 2
    length = min(24, spare) if bars and spare >= 6 else 0
    return _drawn(columns, [cell.level == "total" and level != "total" for cell in cells], length, framed=bars)


def _drawn(columns: list[_Column], is_total: list[bool], length: int, *, framed: bool) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD if framed else None, pad_edge=False, padding=(0, 1, 0, 0) if framed else (0, 2, 0, 0)
    )
    longest = max((value or 0.0 for column in columns for value in column.figures or []), default=0.0)
    for position, column in enumerate(columns):
        head = f"bold {column.colour}".strip()
        justify: Any = "right" if position else "left"
        table.add_column(column.name, justify=justify, style=column.colour, header_style=head, no_wrap=True)
        if length and column.figures is not None:
            table.add_column("", width=length, no_wrap=True)
    for row, total in enumerate(is_total):
        if total:
            table.add_section()
        drawn: list[RenderableType] = []
        for column in columns:
            drawn.append(plain(column.texts[row]))
            if length and column.figures is not None:
                drawn.append(_bar(column.figures[row], longest, length, column.colour))
        table.add_row(*drawn, style="bold" if total else None)
    return table


def _cut(name: str, most: int = 48) -> str:
    """A name on one line and of bearable length."""
    flat = " ".join(name.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _rows(found: ForgettingMap, level: str) -> list[Cell]:
    """The cells to print: the level's, less those the taxonomy hides, and the total."""
    if level == "total":
        return [found.total]
    return [cell for cell in found.at(level) if cell.name not in found.taxonomy.hidden] + [found.total]


def _total_name(found: ForgettingMap, cell: Cell) -> str:
    how = {"tasks": f"mean of {cell.tasks} tasks", "items": "all items", "categories": "mean of categories"}
    return f"total ({how[found.weight]})" if cell.tasks > 1 else "total"


def percent(value: float | None) -> str:
    """Return a share as people read it; what rounds to nothing has no sign.

    >>> percent(0.1234), percent(-0.0001), percent(None)
    ('12.3 %', '0.0 %', '–')
    """
    return "–" if value is None else f"{round(100 * value, 1) + 0.0:.1f} %"


def _bar(value: float | None, longest: float, width: int, colour: str) -> Text:
    """A bar in eighths of a character; values at or below 0 have none."""
    if value is None or value <= 0 or longest <= 0:
        return Text("")
    eighths = max(1, round(8 * width * value / longest))
    return Text("█" * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else ""), style=colour)


def caption(found: ForgettingMap, reading: str, level: str) -> list[str]:
    """Return what the columns mean, in a few short lines."""
    cells = _rows(found, level)
    lines = []
    hidden = [cell for cell in found.at("category") if cell.name in found.taxonomy.hidden]
    if hidden:
        named = ", ".join(f"{cell.name} ({', '.join(cell.task_names)})" for cell in hidden)
        lines.append(f"the total includes what the published tables do not show: {named}")
    if reading in ("auto", "chance") and any(cell.chance is not None for cell in cells):
        lines.append("lost, gained: knowledge, with lucky guesses removed; 1→0, 0→1: items that flipped")
        r = found.guessing.persistence
        if r is not None:
            lines.append(f"guesses: the after-model repeats a wrong guess with probability {r:.2f}")
        if any(cell.chance is not None and cell.chance["lost"] is None for cell in cells):
            lines.append(
                "a … b: a range, because too little tells guessing from knowing (one wrong option, or no choices)"
            )
        if reading == "auto" and any(cell.chance is None for cell in cells):
            lines.append(
                "*: no chance reading (options unknown, or see the warnings): items that flipped, luck included"
            )
        partial = [cell for cell in cells if is_partial(cell)]
        if partial:
            named = ", ".join(
                f"{cell.name} {cell.chance['items']:,} of {cell.items:,}" for cell in partial[:4] if cell.chance
            )
            more = f" and {len(partial) - 4} more" if len(partial) > 4 else ""
            lines.append(f"†: over the items that have a chance reading: {named}{more}")
    elif reading == "paper":
        lines.append("lost, gained: the estimator of arXiv 2510.17776, for comparison with published tables only")
    else:
        lines.append("lost, gained: items that flipped, lucky guesses included")
    return lines


def headline(found: ForgettingMap) -> str:
    """Return one line on what is compared."""
    pairing = found.pair.pairing
    grade = {"A": "same prompts", "B": "prompts differ", None: "prompts not compared"}[pairing.grade]
    items = f"{number(pairing.paired, 'item')} in {number(found.total.tasks, 'task')}"
    return f"{found.pair.before.name} → {found.pair.after.name}: {items}, {grade}"


def pairing_lines(found: ForgettingMap) -> list[str]:
    """Return the pairing summary: coverage, what did not pair, settings that differ."""
    pairing = found.pair.pairing
    covered = " / ".join(
        "–" if share is None else f"{share:.1%}" for share in (pairing.coverage_before, pairing.coverage_after)
    )
    counts = [
        (pairing.only_before, "only before"),
        (pairing.only_after, "only after"),
        (pairing.null_before + pairing.null_after, "without a score"),
        (pairing.duplicates, "duplicates"),
        (pairing.gold_changed, "with another gold"),
        (pairing.content_changed, "with another text"),
    ]
    apart = ", ".join(f"{n:,} {what}" for n, what in counts if n) or "nothing left over"
    by_id = found.pair.before.info.counts.get("keyed_by_id", 0) > 0
    lines = [
        f"paired {pairing.paired:,} items by {'id' if by_id else 'content'}, coverage {covered} (before / after): {apart}"
    ]
    lines.append(f"scores: {_scores(found)}")
    one_sided = [s for s in pairing.settings_that_differ if s["before"] is None or s["after"] is None]
    several_tools = found.pair.before.info.tool != found.pair.after.info.tool
    for setting in pairing.settings_that_differ:
        if several_tools and setting in one_sided:
            continue  # another tool has other settings: what both know is what compares
        lines.append(f"differs: {setting['setting']}: {_short(setting['before'])} → {_short(setting['after'])}")
    if several_tools and one_sided:
        lines.append(f"{number(len(one_sided), 'setting')} recorded by one of the two tools only; --json lists them")
    return lines


def _scores(found: ForgettingMap) -> str:
    """What was compared, said once per score."""
    tasks: dict[str, list[str]] = {}
    for choice in found.pair.choices:
        tasks.setdefault(choice.name, []).append(choice.task)
    if len(tasks) == 1:
        return next(iter(tasks))
    named = [f"{name} ({of[0] if len(of) == 1 else number(len(of), 'task')})" for name, of in list(tasks.items())[:6]]
    return ", ".join(named) + (f" and {len(tasks) - 6} more" if len(tasks) > 6 else "")


def _short(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 40 else text[:37] + "…"


def print_maps(console: Console, maps: Sequence[ForgettingMap], *, level: str, reading: str) -> None:
    """Print each map: headline, table, what the columns mean, pairing, warnings."""
    bars = console.is_terminal
    for found in maps:
        if level == "group" and not found.at("group"):
            raise UsageError(f"taxonomy {found.taxonomy.name} has no groups; choose --by task, category or total")
        parts: list[RenderableType] = [
            plain(headline(found), "bold"),
            Text(),
            map_table(found, level=level, reading=reading, width=console.width, bars=bars),
            Text(),
        ]
        parts += [plain(line, "dim") for line in caption(found, reading, level)]
        parts += [plain(line) for line in pairing_lines(found)]
        parts += [plain(f"note: {note}", "dim") for note in found.notes]
        parts += [plain(f"warning: {warning}", "yellow") for warning in found.warnings]
        console.print(Padding(Group(*parts), (0, 0, 1, 0)) if bars else Group(*parts))


def map_text(found: ForgettingMap, *, level: str, reading: str) -> str:
    """Return what `forgetmap compare` prints, plain."""
    console = Console(width=120, no_color=True, highlight=False, file=io.StringIO(), force_terminal=False)
    print_maps(console, [found], level=level, reading=reading)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def map_html(found: ForgettingMap) -> str:
    """Return the map as an HTML table for notebooks."""
    from html import escape

    rows = []
    for cell in _rows(found, "category"):
        lost, gained = shown(cell, "auto", "lost"), shown(cell, "auto", "gained")
        figures = [f"{cell.items:,}", percent(cell.observed["acc_before"]), percent(cell.observed["acc_after"])]
        cells = "".join(f"<td>{escape(text)}</td>" for text in (cell.name, *figures, lost.text(), gained.text()))
        rows.append(f"<tr>{cells}</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("category", "items", "before", "after", "lost", "gained"))
    notes = "".join(f"<li>{escape(warning)}</li>" for warning in found.warnings)
    return (
        f"<p><b>{escape(headline(found))}</b></p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"<ul>{notes}</ul>"
    )
