"""Trend: lost and gained of pairs against model size or data scale, with intervals and pooled slopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10

from forgetmap.report.figures.canvas import (
    Canvas,
    Figure,
    Scale,
    element,
    fill,
    fit,
    hollow,
    label,
    line,
    path,
    percent_tick,
    sign,
    stroke,
    text_width,
    ticks,
)
from forgetmap.report.figures.dial import marker
from forgetmap.report.figures.palette import SERIES
from forgetmap.report.figures.words import DIRECTIONS
from forgetmap.report.plain import number, percent
from forgetmap.study.amounts import amount_text
from forgetmap.study.trends import Point, Trend

_MARGIN, _PANEL, _HEIGHT, _LEFT, _GAP = 20, 400, 270, 46, 36
_STEPS = 40  # of the fan's outline


@dataclass(frozen=True)
class Side:
    """One panel: the pairs of a direction, the slope over all of them and those of the groups."""

    points: Sequence[Point]
    overall: Trend
    groups: Sequence[Trend] = ()


def trend(sides: dict[str, Side], *, along: str, unit: str = "% of items") -> Figure:
    """Return lost (left) and gained (right) against an amount, on a logarithmic axis.

    Every pair is a point with its 95 % interval; the line is the pooled slope, its fan the slope's 95 % interval, drawn
    where there is one.
    """
    every = [point for side in sides.values() for point in side.points]
    groups = list(dict.fromkeys(point.group for point in every))
    canvas = Canvas("trend", f"Lost and gained against {along}", 2 * (_LEFT + _PANEL) + _GAP + 2 * _MARGIN)
    canvas.add(label(_MARGIN, 28, canvas.title, size=15, bold=True))
    top = _draw_legend(canvas, groups, 48) + 48
    across = _span([point.amount for point in every])
    values = [end for p in every for end in (p.value, p.low, p.high) if end is not None]
    grid = ticks(min(0.0, *values), max(values), 6)
    for place, way in enumerate(DIRECTIONS):
        side = sides[way]
        left = _MARGIN + _LEFT + place * (_PANEL + _LEFT + _GAP)
        x = Scale(*across, left, left + _PANEL)
        y = Scale(grid[0], grid[-1], top + _HEIGHT, top)
        _draw_axes(canvas, x, y, grid, f"{along}, log scale")
        edge = left - _LEFT
        canvas.add(sign(way, edge, top - 28, way, 10))
        canvas.add(label(edge + 16, top - 28, f"{way}, {unit}", size=13, role=way, bold=True))
        said = slope_text(side.overall)
        canvas.add(label(left, top - 10, fit(said, _PANEL, 11.5), size=11.5, role="ink", tip=said))
        if side.overall.slope is not None:
            canvas.add(element("path", d=_fan(x, y, side.overall), data_role="slope-interval", **fill("ink", 0.08)))
        _draw_points(canvas, x, y, side.points, groups)
        _draw_lines(canvas, x, y, side, groups)
    desc = " ".join(f"{way}: {slope_text(sides[way].overall)}." for way in DIRECTIONS)
    return Figure("trend", canvas.title, canvas.svg(top + _HEIGHT + 58, desc), _note(sides, groups, along))


def slope_text(found: Trend) -> str:
    """Return a slope in a few words.

    >>> slope_text(Trend(None, 4, 4, 4, slope=-0.02, low=-0.03, high=-0.01))
    '−2.0 points per ×10 [−3.0, −1.0]'
    """
    if found.slope is None or found.low is None or found.high is None:
        return f"no slope: {found.reason}"
    # what rounds to nothing has no minus
    ends = (round(100 * end, 1) + 0.0 for end in (found.slope, found.low, found.high))
    slope, low, high = (f"{end:+.1f}".replace("-", "−") for end in ends)
    word = "" if found.shows else "no trend shown: "
    return f"{word}{slope} points per ×10 [{low}, {high}]"


def _span(amounts: Sequence[float]) -> tuple[float, float]:
    """Ends of the axis, in powers of ten, with a little room."""
    low, high = log10(min(amounts)), log10(max(amounts))
    room = max(0.08 * (high - low), 0.12)
    return low - room, high + room


def _draw_axes(canvas: Canvas, x: Scale, y: Scale, grid: list[float], below: str) -> None:
    step = grid[1] - grid[0]
    for value in grid:
        canvas.add(
            line(x.start, y(value), x.end, y(value), "dim" if value == 0 else "grid", 1.0 if value == 0 else 0.7)
        )
        canvas.add(label(x.start - 7, y(value) + 4, percent_tick(value, step), size=11, role="dim", anchor="end"))
    used = -1e9
    for power, factor in _log_ticks(x.low, x.high):
        at = x(power + log10(factor))
        canvas.add(line(at, y.start, at, y.start + (6 if factor == 1 else 4), "dim", 0.8))
        text = amount_text(factor * 10.0**power)
        if at - used > text_width(text, 11) + 8:
            canvas.add(label(at, y.start + 19, text, size=11, role="dim", anchor="middle"))
            used = at
    canvas.add(label((x.start + x.end) / 2, y.start + 40, below, size=11.5, role="dim", anchor="middle"))


def _log_ticks(low: float, high: float) -> list[tuple[int, int]]:
    """Powers of ten, with 2 and 5 of each where the axis is short."""
    factors = (1, 2, 5) if high - low < 3.2 else (1,)
    found = [(power, factor) for power in range(floor(low), ceil(high) + 1) for factor in factors]
    return [(power, factor) for power, factor in found if low <= power + log10(factor) <= high]


def _role(group: str | None, groups: Sequence[str | None]) -> tuple[str, int]:
    """Colour and shape of a group; beyond what can be told apart all are alike."""
    place = groups.index(group)
    if len(groups) == 1:
        return "s0", 0
    return (f"s{place}", place) if place < SERIES - 1 or len(groups) <= SERIES else (f"s{SERIES - 1}", SERIES - 1)


def _draw_lines(canvas: Canvas, x: Scale, y: Scale, side: Side, groups: Sequence[str | None]) -> None:
    for found in side.groups:
        if found.slope is not None and len(groups) <= SERIES:
            amounts = [point.amount for point in side.points if point.group == found.group]
            role, _ = _role(found.group, groups)
            _draw_slope(canvas, x, y, found, (log10(min(amounts)), log10(max(amounts))), role, 1.3)
    if side.overall.slope is not None:
        amounts = [point.amount for point in side.points]
        _draw_slope(canvas, x, y, side.overall, (log10(min(amounts)), log10(max(amounts))), "ink", 2.0)


def _draw_slope(
    canvas: Canvas, x: Scale, y: Scale, found: Trend, ends: tuple[float, float], role: str, width: float
) -> None:
    """A line where it is inside the panel; dashed where it shows no trend."""
    steps = [ends[0] + (ends[1] - ends[0]) * step / _STEPS for step in range(_STEPS + 1)]
    inside = [(x(at), y(height)) for at in steps if y.low <= (height := found.at(10**at) or 0.0) <= y.high]
    if len(inside) > 1:
        dash = None if found.shows else "5 4"
        kind = "slope" if role == "ink" else "group-slope"
        canvas.add(
            element("path", d=path([inside[0], inside[-1]]), data_role=kind, tip=slope_text(found),
                    **stroke(role, width, dash))
        )  # fmt: skip


def _fan(x: Scale, y: Scale, found: Trend) -> str:
    """Lines of the steepest and the least slope through the centre, as an area cut off at the panel's edges."""
    assert found.low is not None and found.high is not None and found.level is not None and found.centre is not None
    level, centre, low, high = found.level, found.centre, found.low, found.high
    steps = sorted({*(x.low + (x.high - x.low) * step / _STEPS for step in range(_STEPS + 1)), centre})

    def height(at: float, slope: float) -> float:
        return min(max(level + slope * (at - centre), y.low), y.high)

    one = [(x(at), y(height(at, high))) for at in steps]
    other = [(x(at), y(height(at, low))) for at in reversed(steps)]
    return path([*one, *other], close=True)


def _draw_points(canvas: Canvas, x: Scale, y: Scale, points: Sequence[Point], groups: Sequence[str | None]) -> None:
    many = len(points) > 60
    strokes, marks = [], []
    for point, aside in zip(points, _aside(x, points), strict=True):
        role, shape = _role(point.group, groups)
        at, height = x(log10(point.amount)) + aside, y(point.value)
        if point.low is not None and point.high is not None:
            strokes.append(line(at, y(point.low), at, y(point.high), role, 0.7 if many else 1.1))
        look = hollow(role, 1.4) if shape >= 4 else fill(role)  # four shapes, then the same hollow
        ends = "" if point.low is None or point.high is None else f" [{percent(point.low)}, {percent(point.high)}]"
        tip = f"{point.name[:120]}: {percent(point.value)}{ends} at {amount_text(point.amount)}"
        marks.append(element("g", marker(at, height, shape, look, 2.4 if many else 4.2), tip=tip, data_role="pair"))
    # where there are many, intervals are a shade under the points
    canvas.add(element("g", *strokes, data_role="intervals", opacity=0.16 if many else None))
    canvas.add(element("g", *marks, opacity=0.7 if many else None))


def _aside(x: Scale, points: Sequence[Point]) -> list[float]:
    """How far each point stands aside: pairs of one amount would hide each other."""
    places = sorted({x(log10(point.amount)) for point in points})
    gap = min([b - a for a, b in pairwise(places)] + [90.0])
    made = [0.0] * len(points)
    order = list(dict.fromkeys(point.group for point in points))
    for amount in {point.amount for point in points}:
        same = [at for at, point in enumerate(points) if point.amount == amount]
        same.sort(key=lambda at: (order.index(points[at].group), points[at].value))
        step = min(7.0, 0.7 * gap / len(same))
        for place, at in enumerate(same):
            made[at] = (place - (len(same) - 1) / 2) * step
    return made


def _draw_legend(canvas: Canvas, groups: Sequence[str | None], y: float) -> float:
    named: list[tuple[str | None, str]] = [(group, group or "without a group") for group in groups[:SERIES]]
    if len(groups) > SERIES:
        named[-1] = (groups[SERIES - 1], f"{len(groups) - SERIES + 1} more groups")
    x = float(_MARGIN)
    for group, name in named if len(groups) > 1 else ():
        role, shape = _role(group, groups)
        text = fit(name, 220, 11.5)
        wide = 20 + text_width(text, 11.5) + 16
        if x > _MARGIN and x + wide > canvas.width - _MARGIN:
            x, y = float(_MARGIN), y + 19
        canvas.add(marker(x + 6, y - 4, shape, hollow(role, 1.4) if shape >= 4 else fill(role)))
        canvas.add(label(x + 17, y, text, size=11.5, tip=name))
        x += wide
    return y if len(groups) > 1 else y - 19


def _note(sides: dict[str, Side], groups: Sequence[str | None], along: str) -> str:
    found = sides["lost"].overall
    said = [
        f"{number(len(sides['lost'].points), 'pair')} with their 95 % intervals over items; {along} on a logarithmic axis.",
        "The line is the pooled slope, the fan its 95 % interval; a dashed line shows no trend.",
    ]
    if len({point.amount for point in sides["lost"].points}) < len(sides["lost"].points):
        said.append("Pairs of one amount stand side by side.")
    if len(groups) > 1:
        said.append(
            "Thin lines are the slopes of the groups; the pooled slope is that within groups, each with its own level."
        )
    if found.points < found.pairs:
        said.append(f"Pairs of one group, before-model and amount are one point of the slope ({found.points} points).")
    for way in DIRECTIONS:
        if sides[way].overall.reason:
            said.append(f"No slope of {way}: {sides[way].overall.reason}.")
    return " ".join(said)
