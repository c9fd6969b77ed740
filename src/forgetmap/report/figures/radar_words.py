"""What a radar says: the labels of its axes, its note and its description."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from forgetmap.report.figures.canvas import element, fit, label, path, stroke, text_width, wrap
from forgetmap.report.figures.dial import RADIUS, Dial, spread
from forgetmap.report.figures.words import DIRECTIONS, behind, listed, marks_said, plural, reading_words
from forgetmap.report.plain import percent, visible
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import cut

if TYPE_CHECKING:
    from forgetmap.report.figures.radar import Series

_LINE = 14


def axis_labels(
    dial: Dial, names: list[str], series: Sequence[Series], way: str, beside: float, *, columns: bool
) -> list[str]:
    """Return the names of the axes with their figures, around the rim or in columns on either side of it."""
    if columns:
        return _in_columns(dial, names, series, way, beside)
    made = []
    for axis, name in enumerate(names):
        turn = dial.turn(axis)
        x, y = dial.out(axis, RADIUS + 12)
        side = math.sin(turn)
        anchor: str | None
        if abs(side) < 0.01:
            anchor = "middle"
            # The labels of the neighbours begin where their axes end.
            beginning = (RADIUS + 12) * math.sin(2 * math.pi / dial.axes) if dial.axes > 4 else RADIUS
            room = min(2 * beginning - 24, 220)
        else:
            anchor = None if side > 0 else "end"
            room = min(RADIUS + beside + 12 - abs(x - dial.x), 150)
        lines = [(text, 12, "ink") for text in wrap(name, room, 12)]
        lines += [(text, 11, "dim") for text in _values(series, axis, way, room)]
        # Above the rim a label ends at it, below it begins there.
        first = y - (1 + math.cos(turn)) * _LINE * len(lines) / 2 + 11
        parts = [
            label(x, first + _LINE * row, text, size=size, role=role, anchor=anchor)
            for row, (text, size, role) in enumerate(lines)
        ]
        made.append(element("g", *parts, tip=name, data_role="axis-label"))
    return made


def _in_columns(dial: Dial, names: list[str], series: Sequence[Series], way: str, beside: float) -> list[str]:
    """Labels in a column on either side, tied to their axes: so many would collide around the rim."""
    made = []
    for side in (1, -1):
        axes = [axis for axis in range(dial.axes) if (axis < dial.axes / 2) == (side > 0)]
        axes.sort(key=lambda axis: dial.out(axis, 1)[1])
        places = spread([dial.out(axis, RADIUS + 10)[1] for axis in axes], 2.1 * _LINE)
        for axis, y in zip(axes, places, strict=True):
            x = dial.x + side * (RADIUS + 26)
            tie = path([dial.out(axis, RADIUS + 2), dial.out(axis, RADIUS + 9), (x - side * 3, y)])
            made.append(element("path", d=tie, **stroke("grid", 0.8)))
            anchor = None if side > 0 else "end"
            values = "   ".join(_values(series, axis, way, beside - 14))
            parts = [label(x, y - 1, fit(names[axis], beside - 14, 11.5), size=11.5, anchor=anchor)]
            if text_width(values, 10.5) <= beside - 10:
                parts.append(label(x, y + 11, values, size=10.5, role="dim", anchor=anchor))
            made.append(element("g", *parts, tip=names[axis], data_role="axis-label"))
    return made


def _values(series: Sequence[Series], axis: int, way: str, room: float) -> list[str]:
    """What stands at the axis, in the order of the legend; of one sheet with its ceiling. Numbers are never cut."""
    texts = [one.figures[way][axis].text().replace(" %", "") for one in series]
    if len(series) > 1:
        half = (len(texts) + 1) // 2
        for tried in ([texts], [texts[:half], texts[half:]]):
            lines = [" · ".join(part) for part in tried]
            if all(text_width(text, 11) <= room for text in lines):
                return lines
        return []
    if texts[0] == "–":
        return texts
    most = series[0].ceilings[way][axis]
    value = series[0].figures[way][axis].text()
    found = series[0].figures[way][axis].value
    if most is None or (found is not None and found > most):  # a small sample may overshoot what there was
        return [value]
    ending = f"of max {percent(most)}"
    return [f"{value} {ending}"] if text_width(f"{value} {ending}", 11) <= room else [value, ending]


def note_of(
    drawn: Sequence[Sheet],
    names: list[str],
    series: Sequence[Series],
    reading: str,
    *,
    drawn_tops: bool,
    left_out: tuple[int, int],
    level: str,
) -> str:
    """Return how to read the radar, what is behind it, what is unclear or missing, and what is left out."""
    cells = [cell for one in series for cell in one.cells if cell is not None]
    said = [
        f"Both panels share their axes, which fit the data; over {behind(drawn[0])}: {reading_words(cells, reading)}."
    ]
    if len({(sheet.total.items, sheet.total.tasks) for sheet in drawn}) > 1:
        sizes = (
            f"{visible(cut(one.name, 40))} {sheet.total.items:,}" for one, sheet in zip(series, drawn, strict=True)
        )
        said.append(f"The maps hold different numbers of items: {', '.join(sizes)}.")
    tops = [top for one in series for way in DIRECTIONS for top in one.ceilings[way] if top is not None]
    if tops and not drawn_tops:
        said.append(
            f"The ceilings, what could move at most, lie beyond the axis: {percent(min(tops))} to {percent(max(tops))}."
        )
    elif tops:
        said.append("Dashed: the ceiling, what could be lost or gained at most; on the rim where it is higher.")
    unclear, missing = _doubts(names, series)
    said.append(f"A radar shows no intervals; hollow points are unclear{f': {listed(unclear)}' if unclear else ''}.")
    if missing:
        said.append(f"Without a value, a gap in the outline: {listed(missing)}.")
    if any(f.value is None and f.range for one in series for way in DIRECTIONS for f in one.figures[way]):
        said.append("A dotted stroke along an axis is a range.")
    said += marks_said(f for one in series for way in DIRECTIONS for f in one.figures[way])
    cells_left, sheets_left = left_out
    if cells_left:
        said.append(f"{cells_left:,} {plural(level)} that moved less are not drawn.")
    if sheets_left:
        said.append(f"The first {len(drawn)} of {len(drawn) + sheets_left} maps are drawn.")
    return " ".join(said)


def _doubts(names: list[str], series: Sequence[Series]) -> tuple[list[str], list[str]]:
    """The cells that are unclear and those with a gap, with the number of maps where there are several."""
    unclear: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for one in series:
        for axis, (name, doubt) in enumerate(zip(names, one.unclear, strict=True)):
            unclear[name] += doubt
            missing[name] += any(one.figures[way][axis].value is None for way in DIRECTIONS)
    several = len(series) > 1
    named, gaps = (
        [f"{cut(name, 40)} ({n} of {len(series)})" if several else name for name, n in found.items() if n]
        for found in (unclear, missing)
    )
    return named, gaps


def described(names: list[str], series: Sequence[Series]) -> str:
    """Return the figures in words."""
    said = []
    for one in series:
        for axis, name in enumerate(names):
            figures = ", ".join(f"{way} {one.figures[way][axis].text()}" for way in DIRECTIONS)
            said.append(f"{name[:80]}{'' if one.alone else f' ({one.name[:80]})'}: {figures}")
    return "; ".join(said) + "."
