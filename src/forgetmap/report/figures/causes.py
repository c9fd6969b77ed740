"""Causes as stacked bars: why the lost items of each cell were lost, beside how common each cause is anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from forgetmap.causes import CAUSES
from forgetmap.errors import UsageError
from forgetmap.report.figures.canvas import Canvas, Figure, Scale, box, fill, fit, label, line, text_width
from forgetmap.report.figures.palette import LIGHT, SERIES
from forgetmap.report.figures.words import DIRECTIONS, listed, of_pair, plural
from forgetmap.report.plain import number, percent
from forgetmap.report.sheet import Sheet

_ROW, _BAR, _MARGIN = 38, 560, 20
#: Beside the colours: every second turn through them looks different.
_KINDS = ("", "lines", "dots", "back", "cross")


@dataclass(frozen=True)
class _Row:
    name: str
    total: bool
    causes: list[dict[str, Any]]

    @property
    def count(self) -> float:
        return float(sum(row["count"] for row in self.causes))


def cause_bars(sheet: Sheet, *, level: str = "category", direction: str = "lost", most: int = 60) -> Figure | None:
    """Return the share of lost (gained) items per cause and cell; None where no causes are known."""
    if direction not in DIRECTIONS:
        raise UsageError(f"direction is '{direction}'; it must be lost or gained")
    of: dict[int, list[dict[str, Any]]] = {}
    for cause in sheet.causes:
        if cause["direction"] == direction:
            of.setdefault(cause["cell"], []).append(cause)
    if not of:
        return None
    *single, total = sheet.rows(level)
    places = {id(cell): place for place, cell in enumerate(sheet.cells)}
    rows = [_Row(cell.name, False, of.get(places[id(cell)], [])) for cell in single]
    kept = {id(row) for row in sorted(rows, key=lambda row: row.count, reverse=True)[:most]}
    left_out = len(rows) - len(kept)
    rows = [row for row in rows if id(row) in kept]
    rows.append(_Row("total (all items)", True, of.get(places[id(total)], [])))
    names = _names(rows)
    longest = min(max(90.0, *(text_width(row.name, 12, bold=row.total) for row in rows)), 230)
    count = _MARGIN + longest + 16 + max(text_width(f"{row.count:,.0f}", 12, bold=True) for row in rows)
    left = max(count, _MARGIN + longest + 16 + text_width(f"{direction} items", 11)) + 16
    width = left + _BAR + 90 + _MARGIN
    canvas = Canvas(
        "causes" if direction == "lost" else "causes-gained", f"{_head(direction)} by {level}: {of_pair(sheet)}", width
    )
    title = fit(canvas.title, width - 2 * _MARGIN, 15, bold=True, middle=True)
    canvas.add(label(_MARGIN, 28, title, size=15, bold=True))
    side = "after" if direction == "lost" else "before"
    under = f"thick bar: of the {direction} items; thin bar: of all answers {side}"
    canvas.add(label(_MARGIN, 46, under, size=11.5, role="dim"))
    top = _draw_legend(canvas, names, width) + 34
    scale = Scale(0, 1, left, left + _BAR)
    bottom = top + _ROW * len(rows) + (8 if len(rows) > 1 else 0)
    for x, word, anchor in ((_MARGIN, level, None), (left - 16, f"{direction} items", "end")):
        canvas.add(label(x, top - 10, word, size=11, role="dim", anchor=anchor))
    for at in (0, 0.25, 0.5, 0.75, 1):
        canvas.add(line(scale(at), top - 4, scale(at), bottom + 2, "grid", 0.8))
        canvas.add(label(scale(at), bottom + 17, f"{100 * at:g} %", size=10.5, role="dim", anchor="middle"))
    for place, row in enumerate(rows):
        y = top + _ROW * place + (8 if row.total and len(rows) > 1 else 0)
        if row.total and len(rows) > 1:
            canvas.add(line(_MARGIN, y - 4, width - _MARGIN, y - 4, "dim", 0.8))
        canvas.add(label(_MARGIN, y + 19, fit(row.name, longest, 12, bold=row.total), bold=row.total, tip=row.name))
        canvas.add(label(left - 16, y + 19, _count(row.count), bold=row.total, anchor="end"))
        _draw_row(canvas, row, names, scale, y, direction)
    note = _note(rows, names, direction, side, left_out, level)
    return Figure(canvas.name, canvas.title, canvas.svg(bottom + 30, _described(rows, names)), note)


def _head(direction: str) -> str:
    return "Why lost items were lost" if direction == "lost" else "What gained items did before"


def _names(rows: list[_Row]) -> list[str]:
    """The causes that occur, the most frequent of all first; `wrong answer` leads, as that is the plain case."""
    counts: dict[str, float] = {}
    for row in rows:
        for cause in row.causes:
            counts[cause["cause"]] = counts.get(cause["cause"], 0) + cause["count"]
    return sorted(counts, key=lambda name: (name != "wrong_answer", -counts[name], name))


def _fixed(cause: str, names: list[str]) -> int:
    """The place of a cause's look: every known cause has the same one in all figures."""
    if cause in CAUSES:
        return CAUSES.index(cause)
    return len(CAUSES) + sorted(name for name in names if name not in CAUSES).index(cause)


def _look(canvas: Canvas, place: int) -> dict[str, Any]:
    role = _role(place)
    kind = _KINDS[(place + place // SERIES) % len(_KINDS)]
    if place == 0:
        return fill(role, 0.45)
    return canvas.hatch("paper", kind, role) if kind else fill(role)


def _role(place: int) -> str:
    """The plain case is quiet; the others are series."""
    return "never" if place == 0 else f"s{(place - 1) % SERIES}"


def _draw_legend(canvas: Canvas, names: list[str], width: float) -> float:
    x, y = float(_MARGIN), 72.0
    for name in names:
        text = fit(words(name), 240, 12)
        wide = 29 + text_width(text, 12) + 20
        if x > _MARGIN and x + wide > width - _MARGIN:
            x, y = float(_MARGIN), y + 20
        canvas.add(box(x, y - 11, 22, 13, **_look(canvas, _fixed(name, names))), label(x + 29, y, text))
        x += wide
    return y


def words(cause: str) -> str:
    """A cause as people say it."""
    return cause.replace("_", " ")


def _count(count: float) -> str:
    """Items; with repeats one may count for several causes, by parts."""
    return f"{count:,.0f}" if abs(count - round(count)) < 1e-6 else f"{count:,.1f}"


def _draw_row(canvas: Canvas, row: _Row, names: list[str], scale: Scale, y: float, direction: str) -> None:
    if not row.causes or not row.count:
        canvas.add(label(scale(0) + 6, y + 19, f"– nothing {direction}", size=11, role="missing"))
        return
    found = {cause["cause"]: cause for cause in row.causes}
    for column, top, height in (("share", y + 2, 19), ("share_of_all", y + 23, 8)):
        at = 0.0
        for place, name in enumerate(names):
            cause = found.get(name)
            value = cause[column] if cause else None
            if cause is None or not value or value < 0:
                continue
            start, end = scale(at), scale(at + value)
            at += value
            whole = f"of the {direction} items" if column == "share" else "of all answers"
            tip = f"{row.name}: {words(name)}, {percent(value)} {whole}"
            tip += f" ({_count(cause['count'])})" if column == "share" else ""
            look = _outlined(_look(canvas, _fixed(names[place], names)))
            canvas.add(box(start, top, end - start, height, tip=tip, data_role=column, data_cause=name, **look))
            text = _count(cause["count"])
            wide = text_width(text, 11, bold=True)
            if column == "share" and end - start >= wide + 8:
                middle = (start + end) / 2
                if place:  # hatches must not run through the number
                    canvas.add(
                        box(
                            middle - wide / 2 - 2,
                            top + 3,
                            wide + 4,
                            height - 6,
                            **fill(_role(_fixed(names[place], names))),
                        )
                    )
                canvas.add(
                    label(middle, top + 14, text, size=11, role="paper" if place else "ink", anchor="middle", bold=True)
                )
        if column == "share_of_all" and at:
            canvas.add(label(scale(min(at, 1)) + 6, top + 8, f"{percent(at)} of all", size=10, role="dim"))


def _outlined(look: dict[str, Any]) -> dict[str, Any]:
    """A seam between neighbours."""
    named = f"{look.get('class_', '')} fm-paper-line".strip()
    return {**look, "class_": named, "stroke": LIGHT["paper"], "stroke_width": 0.8}


def _note(rows: list[_Row], names: list[str], direction: str, side: str, left_out: int, level: str) -> str:
    total = rows[-1]
    said = [
        f"Thick bars: of the {number(round(total.count), f'{direction} item')}, by cause, numbers are items. "
        f"Thin bars: the same states among all answers {side}; a cause as common there explains nothing."
    ]
    if len(names) > 1 and total.count:
        said.append(f"Causes: {listed([words(name) for name in names])}.")
    empty = [row.name for row in rows if not row.count and not row.total]
    if empty:
        said.append(f"Nothing {direction}: {listed(empty)}.")
    if left_out:
        said.append(f"{left_out:,} {plural(level)} that {direction} fewer items are not drawn.")
    return " ".join(said)


def _described(rows: list[_Row], names: list[str]) -> str:
    said = []
    for row in reversed(rows):
        found = {cause["cause"]: cause for cause in row.causes}
        parts = ", ".join(f"{words(name)} {percent(found[name]['share'])}" for name in names if name in found)
        said.append(f"{row.name}: {parts or 'nothing'}")
    return "; ".join(said) + "."
