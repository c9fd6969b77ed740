"""Movement: the net change that an average shows, beside the gross movement behind it, one point per pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    stroke,
    text_width,
    ticks,
)
from forgetmap.report.figures.dial import marker
from forgetmap.report.figures.palette import SERIES
from forgetmap.report.plain import number, percent
from forgetmap.report.shown import Shown

_MARGIN, _LEFT, _WIDTH, _HEIGHT = 20, 50, 640, 360
_NAMED = 12  # so many points can bear their names


@dataclass(frozen=True)
class Moved:
    """A pair: what it lost and gained, and its scores."""

    name: str
    lost: Shown
    gained: Shown
    before: float | None  # scores, for the tooltip
    after: float | None
    group: str | None = None

    @property
    def net(self) -> float | None:
        """Gained less lost."""
        if self.lost.value is None or self.gained.value is None:
            return None
        return self.gained.value - self.lost.value

    @property
    def gross(self) -> float | None:
        """Lost and gained together."""
        if self.lost.value is None or self.gained.value is None:
            return None
        return self.gained.value + self.lost.value

    @property
    def ends(self) -> tuple[float, float] | None:
        """Sums of the ends of both intervals: wider than the interval of the sum."""
        low, high = (self.lost.low, self.gained.low), (self.lost.high, self.gained.high)
        if low[0] is None or low[1] is None or high[0] is None or high[1] is None:
            return None
        return low[0] + low[1], high[0] + high[1]


def movement(pairs: Sequence[Moved], *, words: str, unit: str = "% of items") -> Figure | None:
    """Return net change against gross movement; None where no pair has both. `words` says what lost and gained are."""
    drawn = [pair for pair in pairs if pair.net is not None and pair.gross is not None]
    if not drawn:
        return None
    groups = list(dict.fromkeys(pair.group for pair in drawn))
    canvas = Canvas("movement", "What the averages show, and what moved behind them", _LEFT + _WIDTH + 2 * _MARGIN + 90)
    canvas.add(label(_MARGIN, 28, canvas.title, size=15, bold=True))
    canvas.add(label(_MARGIN, 46, fit(words, canvas.width - 2 * _MARGIN, 11.5), size=11.5, role="dim"))
    top = _draw_legend(canvas, groups, 68) + 40
    nets = [pair.net for pair in drawn if pair.net is not None]
    tops = [pair.ends[1] if pair.ends else pair.gross or 0.0 for pair in drawn]
    lows = [pair.ends[0] if pair.ends else pair.gross or 0.0 for pair in drawn]
    # no change at all is always there: fall and rise are seen as such
    room = 0.12 * max(max(nets) - min(nets), abs(min(nets)), abs(max(nets)), 0.01)
    left = _MARGIN + _LEFT
    x = Scale(min(*nets, 0.0) - room, max(*nets, 0.0) + room, left, left + _WIDTH)
    grid = ticks(min(0.0, *lows), max(*tops, 0.01), 6)
    y = Scale(grid[0], grid[-1], top + _HEIGHT, top)
    _draw_axes(canvas, x, y, grid, unit)
    _draw_bound(canvas, x, y)
    _draw_pairs(canvas, x, y, drawn, groups)
    if len(drawn) <= _NAMED:
        _draw_names(canvas, x, y, drawn)
    return Figure(
        "movement", canvas.title, canvas.svg(top + _HEIGHT + 60, _described(drawn)), _note(pairs, drawn, words)
    )


def _role(group: str | None, groups: Sequence[str | None]) -> tuple[str, int]:
    place = min(groups.index(group), SERIES - 1)
    return f"s{place}", place


def _draw_axes(canvas: Canvas, x: Scale, y: Scale, grid: list[float], unit: str) -> None:
    step = grid[1] - grid[0]
    for value in grid:
        canvas.add(
            line(x.start, y(value), x.end, y(value), "dim" if value == 0 else "grid", 1.0 if value == 0 else 0.7)
        )
        canvas.add(label(x.start - 7, y(value) + 4, percent_tick(value, step), size=11, role="dim", anchor="end"))
    marks = [value for value in ticks(x.low, x.high, 8) if x.low <= value <= x.high]
    for value in marks:
        canvas.add(line(x(value), y.start, x(value), y.start + 5, "dim", 0.8))
        text = percent_tick(value, marks[1] - marks[0])
        canvas.add(
            label(x(value), y.start + 19, f"+{text}" if value > 0 else text, size=11, role="dim", anchor="middle")
        )
    canvas.add(line(x(0), y.start, x(0), y.end, "grid", 1.0))
    middle = (x.start + x.end) / 2
    canvas.add(label(middle, y.start + 42, "net change, points: gained − lost", size=11.5, role="dim", anchor="middle"))
    canvas.add(label(x.start - _LEFT, y.end - 10, f"moved: lost + gained, {unit}", size=11.5, role="dim"))


def _draw_bound(canvas: Canvas, x: Scale, y: Scale) -> None:
    """Movement is never less than the net change: on this line everything moved one way."""
    for side, edge in ((-1, -x.low), (1, x.high)):
        reach = min(edge, y.high)
        ends = [(x(0), y(0)), (x(side * reach), y(reach))]
        canvas.add(element("path", d=path(ends), data_role="bound", **stroke("dim", 1.0, "4 3")))


def _draw_pairs(canvas: Canvas, x: Scale, y: Scale, drawn: Sequence[Moved], groups: Sequence[str | None]) -> None:
    """All strokes lie under all points: where there are many, they are a shade."""
    many = len(drawn) > 60
    strokes, points = [], []
    for pair in drawn:
        assert pair.net is not None and pair.gross is not None
        role, shape = _role(pair.group, groups)
        at, height = x(pair.net), y(pair.gross)
        if pair.ends:
            strokes.append(line(at, y(pair.ends[0]), at, y(pair.ends[1]), role, 0.7 if many else 1.0))
        look = hollow(role, 1.4) if shape >= 4 else fill(role)  # four shapes, then the same hollow
        tip = (
            f"{pair.name[:120]}: lost {pair.lost.text()} [{pair.lost.interval()}], gained {pair.gained.text()} "
            f"[{pair.gained.interval()}], score {percent(pair.before)} → {percent(pair.after)}"
        )
        points.append(element("g", marker(at, height, shape, look, 2.8 if many else 4.2), tip=tip, data_role="pair"))
    canvas.add(element("g", *strokes, data_role="intervals", opacity=0.18 if many else None))
    canvas.add(element("g", *points, opacity=0.8 if many else None))


def _draw_names(canvas: Canvas, x: Scale, y: Scale, drawn: Sequence[Moved]) -> None:
    """Names beside their points, where they hit no other name, point or stroke."""
    used: list[tuple[float, float, float, float]] = []  # left, right, top, bottom
    spots = []
    for pair in drawn:
        assert pair.net is not None and pair.gross is not None
        at, height = x(pair.net), y(pair.gross)
        low, high = pair.ends or (pair.gross, pair.gross)
        spots.append((pair, at, height))
        used += [(at - 6, at + 6, height - 6, height + 6), (at - 1, at + 1, y(high), y(low))]
    for pair, at, height in sorted(spots, key=lambda one: one[2]):
        name = fit(pair.name, 150, 10.5, middle=True)
        wide = text_width(name, 10.5)
        for left in (at + 8, at - 8 - wide):
            place = (left, left + wide, height - 7, height + 5)
            inside = left >= x.start and left + wide <= canvas.width - _MARGIN
            if inside and not any(_meet(place, other) for other in used):
                canvas.add(label(left, height + 4, name, size=10.5, role="dim", tip=pair.name))
                used.append(place)
                break


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _draw_legend(canvas: Canvas, groups: Sequence[str | None], y: float) -> float:
    x = float(_MARGIN)
    for place, group in enumerate(groups[:SERIES] if len(groups) > 1 else ()):
        role, shape = _role(group, groups)
        last = place == SERIES - 1 and len(groups) > SERIES
        name = f"{len(groups) - SERIES + 1} more groups" if last else group or "without a group"
        text = fit(name, 220, 11.5)
        wide = 20 + text_width(text, 11.5) + 16
        if x > _MARGIN and x + wide > canvas.width - _MARGIN:
            x, y = float(_MARGIN), y + 19
        canvas.add(marker(x + 6, y - 4, shape, hollow(role, 1.4) if shape >= 4 else fill(role)))
        canvas.add(label(x + 17, y, text, size=11.5, tip=name))
        x += wide
    bound = "everything moved one way"
    if x + 30 + text_width(bound, 11.5) > canvas.width - _MARGIN:
        x, y = float(_MARGIN), y + 19
    canvas.add(line(x, y - 4, x + 22, y - 4, "dim", 1.0, "4 3"), label(x + 28, y, bound, size=11.5, role="dim"))
    return y


def _note(pairs: Sequence[Moved], drawn: Sequence[Moved], words: str) -> str:
    said = [
        f"{number(len(drawn), 'pair')}; {words}. Across: the change that an average shows; up: all that moved.",
        "A pair high above the dashed line changed much more than its average says.",
        "Strokes add the ends of both 95 % intervals, and are wider than an interval of the sum.",
    ]
    if len(drawn) < len(pairs):
        said.append(f"Without a figure, and not drawn: {number(len(pairs) - len(drawn), 'pair')}.")
    return " ".join(said)


def _described(drawn: Sequence[Moved]) -> str:
    most = sorted(drawn, key=lambda pair: -((pair.gross or 0.0) - abs(pair.net or 0.0)))[:5]
    named = "; ".join(
        f"{pair.name[:80]}: net {100 * (pair.net or 0):+.1f}, moved {percent(pair.gross)}" for pair in most
    )
    return f"Most hidden movement: {named}."
