"""The map as a table in a terminal: bars where there is room, plain text when piped.

Columns and the lines that explain them stay together, or one would speak of the other after it is gone: hence the length.
"""

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
from forgetmap.recipe import Recipe
from forgetmap.report.plain import number, percent, plain
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import MARKS, Shown, ceiling, cut, is_partial, reading_of, shown, verdict_text
from forgetmap.report.summary import summary_lines, why_net
from forgetmap.scorers import DEPENDS

LOST, GAINED = "red", "green"
_BLOCKS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class _Column:
    """A column before it is known whether there is room for it."""

    name: str
    texts: list[str]
    rank: int  # the highest goes first when the terminal is narrow
    colour: str = ""
    figures: list[float | None] | None = None  # drawn as bars where there is room
    colours: list[str] | None = None  # of each row

    @property
    def width(self) -> int:
        return max(cell_len(text) for text in (self.name, *self.texts)) + 2


_VERDICT_COLOURS = {"lost": LOST, "gained": GAINED, "both": "yellow"}


def map_table(sheet: Sheet, *, level: str = "category", reading: str = "auto", width: int, bars: bool) -> Table:
    """Return the table of one map. As the terminal narrows bars go first, then flips, items, accuracies, intervals."""
    cells = sheet.rows(level)
    names = [cut(cell.name) if cell.level != "total" else total_name(sheet, cell) for cell in cells]
    plainly = reading == "auto" and all(reading_of(cell, reading) == "observed" for cell in cells)
    if plainly:
        reading = "observed"  # a mark on every figure would mark nothing
    columns = [
        _Column(level, names, 0),
        _Column("items", [f"{cell.items:,}" for cell in cells], 3),
        _Column("before", [percent(cell.observed["acc_before"]) for cell in cells], 2),
        _Column("after", [percent(cell.observed["acc_after"]) for cell in cells], 2),
    ]
    if reading != "observed":
        columns.append(_Column("1→0", [percent(cell.observed["lost"]) for cell in cells], 4, "dim"))
        columns.append(_Column("0→1", [percent(cell.observed["gained"]) for cell in cells], 4, "dim"))
    for direction, colour in (("lost", LOST), ("gained", GAINED)):
        figures = [shown(cell, reading, direction) for cell in cells]
        columns.append(_Column(direction, [f.text() for f in figures], 0, colour, [f.value for f in figures]))
        if any(f.low is not None for f in figures):
            columns.append(_Column("95 %", [f.interval() for f in figures], 1, f"dim {colour}"))
    if any(cell.verdict for cell in cells):
        colours = [_VERDICT_COLOURS.get(cell.verdict or "", "dim") for cell in cells]
        columns.append(_Column("verdict", [verdict_text(cell) for cell in cells], 0, colours=colours))
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
        justify: Any = "right" if position and column.colours is None else "left"
        table.add_column(column.name, justify=justify, style=column.colour, header_style=head, no_wrap=True)
        if length and column.figures is not None:
            table.add_column("", width=length, no_wrap=True)
    for row, total in enumerate(is_total):
        if total:
            table.add_section()
        drawn: list[RenderableType] = []
        for column in columns:
            drawn.append(plain(column.texts[row], column.colours[row] if column.colours else ""))
            if length and column.figures is not None:
                drawn.append(_bar(column.figures[row], longest, length, column.colour))
        table.add_row(*drawn, style="bold" if total else None)
    return table


def total_name(sheet: Sheet, cell: Cell) -> str:
    """Return the name of the total, with how it averages."""
    how = {"tasks": f"mean of {cell.tasks} tasks", "items": "all items", "categories": "mean of categories"}
    return f"total ({how[sheet.weight]})" if cell.tasks > 1 else "total"


def _bar(value: float | None, longest: float, width: int, colour: str) -> Text:
    """A bar in eighths of a character; values at or below 0 have none."""
    if value is None or value <= 0 or longest <= 0:
        return Text("")
    eighths = max(1, round(8 * width * value / longest))
    return Text("█" * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else ""), style=colour)


def caption(sheet: Sheet, reading: str, level: str, *, flips: bool = True) -> list[str]:
    """Return what the columns mean, in a few short lines; `flips` says whether 1→0 and 0→1 are among them."""
    cells = sheet.rows(level)
    lines = []
    hidden = [cell for cell in sheet.at("category") if sheet.hides(cell)]
    if hidden:
        named = ", ".join(f"{cell.name} ({', '.join(cell.task_names)})" for cell in hidden)
        lines.append(f"the total includes what the published tables do not show: {named}")
    used = {reading_of(cell, reading) for cell in cells}
    moved = "; 1→0, 0→1: items that flipped" if flips else ""
    said = {
        "chance": f"lost, gained: knowledge, with lucky guesses removed{moved}",
        "known": f"lost, gained: knowledge, with lucky guesses and re-run noise removed{moved}",
        "noise": f"lost, gained: what moved at least beyond re-run noise{moved}",
        "soft": "lost, gained: probability that moved off or onto the right option; any two models differ a little",
        "paper": "lost, gained: the estimator of arXiv 2510.17776, for comparison with published tables only",
        "observed": "lost, gained: items that flipped, lucky guesses included",
    }
    if all(cell.observed["kept"] is None for cell in cells):
        said["observed"] = (
            "lost, gained: how far scores fell and rose, on average over all items, as a share of the scale"
        )
    others = [name for name in said if name in used and not (reading == "auto" and name == "observed")]
    lines += (
        [said[name] for name in others] if len(others) == 1 else [_mixed(name, said[name], cells) for name in others]
    )
    if not others:
        lines.append(said["observed"])
    if "noise" in used:
        lines.append("≥: what moved at least; the interval runs from the least to the most")
    if "chance" in used and any(cell.chance is not None for cell in cells):
        r = sheet.guessing["persistence"]
        if r is not None:
            lines.append(f"guesses: the after-model repeats a wrong guess with probability {r:.2f}")
        if any(cell.chance is not None and cell.chance["lost"] is None for cell in cells):
            lines.append(
                "a … b: a range, because too little tells guessing from knowing (one wrong option, or no choices)"
            )
        partial = [cell for cell in cells if is_partial(cell)]
        if partial:
            named = ", ".join(
                f"{cell.name} {cell.chance['items']:,} of {cell.items:,}" for cell in partial[:4] if cell.chance
            )
            more = f" and {len(partial) - 4} more" if len(partial) > 4 else ""
            lines.append(f"†: over the items that have a chance reading: {named}{more}")
    if reading == "auto" and "observed" in used and len(used) > 1:
        lines.append("*: items that flipped, luck and re-run noise included")
    figures = [shown(cell, reading, direction).value for cell in cells for direction in ("lost", "gained")]
    if any(value is not None and value < -0.0005 for value in figures):
        lines.append("below 0: nothing found; what luck gives and takes does not cancel exactly")
    if any(_beyond(cell, reading, direction) for cell in cells for direction in ("lost", "gained")):
        lines.append("more than there was: one side is right less often than a guesser would be; look at its answers")
    return lines + _verdict_lines(sheet, cells, reading)


def _mixed(name: str, said: str, cells: Sequence[Cell]) -> str:
    """Where cells are read differently, which of them a line speaks of."""
    of = [cell.name for cell in cells if cell.judged_by == name]
    more = f" and {len(of) - 3} more" if len(of) > 3 else ""
    return f"{', '.join(cut(one) for one in of[:3])}{more}: {said}"


def _beyond(cell: Cell, reading: str, direction: str) -> bool:
    """Whether more moved than there was to move."""
    value, most = shown(cell, reading, direction).value, ceiling(cell, reading, direction)
    return value is not None and most is not None and value > max(most, 0.0) + 0.0005 and value > 0.0005


def _verdict_lines(sheet: Sheet, cells: Sequence[Cell], reading: str) -> list[str]:
    """What the verdicts mean, as far as they occur."""
    decided = [cell for cell in cells if cell.verdict]
    if not decided:
        return []
    margins = sorted({cell.decision["margin"] for cell in decided})
    margin = " or ".join(f"{100 * margin:g}" for margin in margins)
    points = "point" if margins == [0.01] else "points"
    lines = [
        f"verdict: lost, gained: surely more than {margin} {points}; steady: surely less (at most 1 verdict in 20 is false)"
    ]
    if reading in ("soft", "paper"):
        lines.append(f"the {reading} reading decides nothing: words and verdicts rest on what --reading auto shows")
    by_net = [cell for cell in decided if cell.decision["verdict_reading"] == "net"]
    if by_net:
        which = "all verdicts rest" if len(by_net) == len(decided) else f"{number(len(by_net), 'verdict')} rest"
        lines.append(f"{which} on the net change only: {why_net(by_net[0])}")
    unclear = [cell for cell in decided if cell.verdict == "unclear" and cell.decision["detectable"] is not None]
    if unclear:
        least, most = (f(cell.decision["detectable"] for cell in unclear) for f in (min, max))
        size = percent(least) if percent(least) == percent(most) else f"{percent(least)} to {percent(most)}"
        lines.append(f"unclear: neither surely more nor surely less than the margin; a loss of {size} would have shown")
    for flag, what in (
        ("prompt changed", "the prompt changed as well, which is not forgetting; --bridge tells the two apart"),
        (DEPENDS, "another scorer in the log says otherwise; --json lists what each says"),
    ):
        if any(flag in cell.flags for cell in cells):
            lines.append(f"{MARKS[flag]}: {what}")
    return lines


def headline(sheet: Sheet) -> str:
    """Return one line on what is compared."""
    pairing = sheet.pairing
    grade = {"A": "same prompts", "B": "prompts differ", None: "prompts not compared"}[pairing["grade"]]
    items = f"{number(pairing['paired'], 'item')} in {number(sheet.total.tasks, 'task')}"
    return f"{sheet.before_name} → {sheet.after_name}: {items}, {grade}"


def pairing_lines(sheet: Sheet) -> list[str]:
    """Return the pairing summary: coverage, what did not pair, settings that differ."""
    pairing = sheet.pairing
    covered = " / ".join(
        "–" if share is None else f"{share:.1%}" for share in (pairing["coverage_before"], pairing["coverage_after"])
    )
    counts = [
        (pairing["only_before"], "only before"),
        (pairing["only_after"], "only after"),
        (pairing["null_before"] + pairing["null_after"], "without a score"),
        (pairing["duplicates"], "duplicates"),
        (pairing["gold_changed"], "with another gold"),
        (pairing["content_changed"], "with another text"),
    ]
    apart = ", ".join(f"{n:,} {what}" for n, what in counts if n) or "nothing left over"
    lines = [
        f"paired {pairing['paired']:,} items by {pairing['keyed_by']}, coverage {covered} (before / after): {apart}"
    ]
    lines.append(f"scores: {_scores(sheet)}")
    one_sided = [s for s in pairing["settings_that_differ"] if s["before"] is None or s["after"] is None]
    several_tools = sheet.before["tool"] != sheet.after["tool"]
    for setting in pairing["settings_that_differ"]:
        if several_tools and setting in one_sided:
            continue  # another tool has other settings: what both know is what compares
        lines.append(f"differs: {setting['setting']}: {_short(setting['before'])} → {_short(setting['after'])}")
    if several_tools and one_sided:
        lines.append(f"{number(len(one_sided), 'setting')} recorded by one of the two tools only; --json lists them")
    return lines


def _scores(sheet: Sheet) -> str:
    """What was compared, said once per score."""
    tasks: dict[str, list[str]] = {}
    for choice in sheet.scores:
        tasks.setdefault(choice["name"], []).append(choice["task"])
    if len(tasks) == 1:
        return next(iter(tasks))
    named = [f"{name} ({of[0] if len(of) == 1 else number(len(of), 'task')})" for name, of in list(tasks.items())[:6]]
    return ", ".join(named) + (f" and {len(tasks) - 6} more" if len(tasks) > 6 else "")


def _short(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 40 else text[:37] + "…"


def print_maps(console: Console, sheets: Sequence[Sheet], *, level: str, reading: str) -> None:
    """Print each map: headline, table, what the columns mean, pairing, warnings."""
    bars = console.is_terminal
    for place, sheet in enumerate(sheets):
        if level == "group" and not sheet.at("group"):
            raise UsageError(f"taxonomy {sheet.taxonomy} has no groups; choose --by task, category or total")
        table = map_table(sheet, level=level, reading=reading, width=console.width, bars=bars)
        flips = any(column.header == "1→0" for column in table.columns)  # a narrow terminal has no room for them
        parts: list[RenderableType] = [
            plain(headline(sheet), "bold"),
            *(plain(line) for line in summary_lines(sheet)),
            Text(),
            table,
            Text(),
        ]
        parts += [plain(line, "dim") for line in caption(sheet, reading, level, flips=flips)]
        parts += [plain(line) for line in pairing_lines(sheet)]
        parts += [plain(f"note: {note}", "dim") for note in sheet.notes]
        parts += [plain(f"warning: {warning}", "yellow") for warning in sheet.warnings]
        if bars:
            console.print(Padding(Group(*parts), (0, 0, 1, 0)))
        else:
            _print_plainly(console, Group(*([Text()] if place else []), *parts))


def print_styled(console: Console, sheets: Sequence[Sheet], *, style: str, level: str, reading: str) -> None:
    """Print maps side by side in the layout of published tables, with what is compared and what must be minded."""
    from forgetmap.report.styles import styled_tables

    parts: list[RenderableType] = [plain(headline(sheet), "bold") for sheet in sheets]
    for table in styled_tables(sheets, style, level, reading):
        for heading, rows in table.sections():
            drawn = Table(
                box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0), title=None
            )
            for column in table.columns:
                drawn.add_column(plain(column.name), justify="right" if column.figures else "left")
            for row in rows:
                if row.kind == "total":
                    drawn.add_section()
                bold = "bold" if row.kind in ("total", "group") else None
                drawn.add_row(*(plain(text) for text in row.texts), style=bold)
            parts += [Text(), plain(heading, "bold"), drawn]
        parts += [Text(), *(plain(line, "dim") for line in (table.about, *table.notes) if line)]
    warned = dict.fromkeys(warning for sheet in sheets for warning in sheet.warnings)
    parts += [plain(f"warning: {warning}", "yellow") for warning in warned]
    if console.is_terminal:
        console.print(Padding(Group(*parts), (0, 0, 1, 0)))
    else:
        _print_plainly(console, Group(*parts))


def _print_plainly(console: Console, group: Group) -> None:
    """Print without the blanks that tables leave at the end of lines."""
    with console.capture() as captured:
        console.print(group)
    console.print(Text("\n".join(line.rstrip() for line in captured.get().splitlines())), soft_wrap=True)


def print_recipe(console: Console, recipe: Recipe, *, level: str) -> None:
    """Print what a recipe loses and gains over its training seeds."""
    cells = [cell for cell in recipe.cells if cell["level"] in (level, "total")]
    columns = [_Column(level, [cut(cell["name"]) for cell in cells], 0)]
    for direction, colour in (("lost", LOST), ("gained", GAINED)):
        figures = [Shown(*(cell[f"{direction}{end}"] for end in ("", "_low", "_high"))) for cell in cells]
        columns.append(_Column(direction, [figure.text() for figure in figures], 0, colour))
        columns.append(_Column("95 %", [figure.interval() for figure in figures], 1, f"dim {colour}"))
    table = _drawn(columns, [cell["level"] == "total" for cell in cells], 0, framed=console.is_terminal)
    said = (
        "mean over training seeds, on these items; the interval is of the recipe's mean, from the spread between seeds"
    )
    head = plain(f"recipe: {recipe.seeds} training seeds", "bold")
    console.print(Group(head, Text(), table, Text(), plain(said, "dim")))


def map_text(found: ForgettingMap, *, level: str, reading: str) -> str:
    """Return what `forgetmap compare` prints, plain."""
    console = Console(width=120, no_color=True, highlight=False, file=io.StringIO(), force_terminal=False)
    print_maps(console, [Sheet.of(found)], level=level, reading=reading)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def map_html(found: ForgettingMap) -> str:
    """Return the map as an HTML table for notebooks."""
    sheet = Sheet.of(found)
    from html import escape

    rows = []
    for cell in sheet.rows("category"):
        lost, gained = shown(cell, "auto", "lost"), shown(cell, "auto", "gained")
        figures = [f"{cell.items:,}", percent(cell.observed["acc_before"]), percent(cell.observed["acc_after"])]
        moved = [text for figure in (lost, gained) for text in (figure.text(), figure.interval())]
        cells = "".join(f"<td>{escape(text)}</td>" for text in (cell.name, *figures, *moved, verdict_text(cell)))
        rows.append(f"<tr>{cells}</tr>")
    names = ("category", "items", "before", "after", "lost", "95 %", "gained", "95 %", "verdict")
    head = "".join(f"<th>{name}</th>" for name in names)
    said = "".join(f"<p>{escape(line)}</p>" for line in summary_lines(sheet))
    notes = "".join(f"<li>{escape(warning)}</li>" for warning in sheet.warnings)
    return (
        f"<p><b>{escape(headline(sheet))}</b></p>{said}<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"<ul>{notes}</ul>"
    )
