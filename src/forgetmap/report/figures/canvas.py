"""A small SVG kit: elements that escape what they are given, text that fits, scales and ticks.

Figures are plain SVG, so that they need no plotting library, open anywhere and stay sharp in a paper. Colours are
presentation attributes plus a class per role: a file needs no style sheet, and a page can re-colour it by class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2s
from html import escape
from typing import Any

from forgetmap.report.figures.lettering import fit, text_width, wrap
from forgetmap.report.figures.palette import LIGHT
from forgetmap.report.figures.scales import Scale, percent_tick, ticks
from forgetmap.report.plain import visible

__all__ = [
    "Canvas", "Figure", "Scale", "box", "digits", "element", "fill", "fit", "hollow", "label", "line", "path",
    "percent_tick", "safe", "shorten", "sign", "stroke", "text_width", "ticks", "wrap",
]  # fmt: skip

#: Stands for the key of a figure until it is drawn; names of others cannot hold it, since they are made printable.
_KEY = "\ue000"
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
#: What a tooltip may hold of a name; more is no help and makes a page heavy.
_LONGEST = 300


@dataclass(frozen=True)
class Figure:
    """A drawing with what is needed to read it."""

    name: str  # file stem, e.g. "radar"
    title: str
    svg: str = field(repr=False)  # stands alone: viewBox, title, desc; no style, no script, nothing from outside
    note: str  # how to read it, what is behind it, what is unclear or missing
    plotly: dict[str, Any] | None = field(default=None, repr=False)  # data and layout, for interaction


def safe(text: str) -> str:
    """Return the text of others as XML: on one line, no control characters, no markup.

    >>> safe('<b>"\\x00\\n')
    '&lt;b&gt;&quot;\\\\x00 '
    """
    return escape(visible(text.replace("\n", " ").replace("\t", " ")))


def digits(value: float) -> str:
    """Return a coordinate, short.

    >>> digits(12.0), digits(-0.001), digits(3.14159)
    ('12', '0', '3.14')
    """
    if not math.isfinite(value):
        raise ValueError(f"a coordinate is {value}; missing values must not be drawn")
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, *children: str, text: str | None = None, tip: str | None = None, **attributes: Any) -> str:
    """Return an element. Children are markup; `text`, `tip` and attributes are escaped, and None leaves one out.

    Underscores in names are hyphens: `class_`, `stroke_width`.
    """
    named = "".join([f' {_name(name)}="{_value(value)}"' for name, value in attributes.items() if value is not None])
    inner = (f"<title>{safe(shorten(tip))}</title>" if tip else "") + "".join(children)
    inner += safe(text) if text is not None else ""
    return f"<{tag}{named}>{inner}</{tag}>" if inner else f"<{tag}{named}/>"


@cache
def _name(name: str) -> str:
    return name.strip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return _words(value) if isinstance(value, str) else digits(value)


@lru_cache(1024)  # classes and colours stand in every element
def _words(value: str) -> str:
    return _KEY.join([safe(part) for part in value.split(_KEY)])


def shorten(text: str) -> str:
    """A tooltip of bearable length."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def fill(role: str, opacity: float | None = None) -> dict[str, Any]:
    """Attributes of a filled shape or of text."""
    return {"class_": f"fm-{role}", "fill": LIGHT[role], "fill_opacity": opacity}


def stroke(role: str, width: float = 1.0, dash: str | None = None) -> dict[str, Any]:
    """Attributes of a line."""
    return {
        "class_": f"fm-{role}-line",
        "stroke": LIGHT[role],
        "stroke_width": width,
        "stroke_dasharray": dash,
        "fill": "none",
    }


def hollow(role: str, width: float = 1.5) -> dict[str, Any]:
    """Attributes of an outlined shape that hides what is under it."""
    return {
        "class_": f"fm-paper fm-{role}-line",
        "fill": LIGHT["paper"],
        "stroke": LIGHT[role],
        "stroke_width": width,
    }


def label(
    x: float,
    y: float,
    text: str,
    *,
    size: float = 12,
    role: str = "ink",
    anchor: str | None = None,
    bold: bool = False,
    tip: str | None = None,
    turn: float | None = None,
) -> str:
    """A line of text; `turn` rotates it about its anchor."""
    return element(
        "text",
        text=text,
        tip=tip,
        x=x,
        y=y,
        font_size=size,
        font_weight="600" if bold else None,
        text_anchor=anchor,
        transform=f"rotate({digits(turn)} {digits(x)} {digits(y)})" if turn else None,
        **fill(role),
    )


def line(x1: float, y1: float, x2: float, y2: float, role: str, width: float = 1.0, dash: str | None = None) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **stroke(role, width, dash))


def box(x: float, y: float, width: float, height: float, **attributes: Any) -> str:
    """A rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, **attributes)


def path(points: Iterable[tuple[float, float]], *, close: bool = False) -> str:
    """Path data through the points."""
    return "M" + "L".join(f"{digits(x)},{digits(y)}" for x, y in points) + ("Z" if close else "")


def sign(verdict: str, x: float, y: float, role: str, size: float = 9) -> str:
    """Return the sign of a verdict, beside its word: told apart in grey, too. `x`, `y` as of text.

    Arrows are shapes, since a letter that a font lacks may change the font of its whole line.
    """
    half, low, top = size / 2, y, y - size * 0.9
    shapes = {
        "lost": [(x, top), (x + size, top), (x + half, low)],
        "gained": [(x, low), (x + size, low), (x + half, top)],
        "both": [(x + half, top - 1), (x + size, (top + low) / 2), (x + half, low + 1), (x, (top + low) / 2)],
    }
    if verdict in shapes:
        return element("path", d=path(shapes[verdict], close=True), data_sign=verdict, **fill(role))
    return label(x + half, y, {"steady": "=", "unclear": "?"}.get(verdict, ""), role=role, anchor="middle", bold=True)


@dataclass
class Canvas:
    """The parts of one figure, in the order they are painted."""

    name: str
    title: str
    width: float
    parts: list[str] = field(default_factory=list)
    patterns: dict[str, str] = field(default_factory=dict)

    def add(self, *parts: str) -> None:
        """Paint on top."""
        self.parts.extend(parts)

    def hatch(self, role: str, kind: str = "lines", ground: str = "paper") -> dict[str, Any]:
        """Attributes of a hatched shape: meaning must not hang on colour alone. Kinds: lines, back, cross, dots."""
        ident = f"{_KEY}-{kind}-{role}-{ground}"
        self.patterns.setdefault(ident, _pattern(ident, role, kind, ground))
        return {"fill": f"url(#{ident})"}

    def svg(self, height: float, desc: str) -> str:
        """Return the whole figure; `desc` is the figure in words, for those who cannot see it."""
        head = [
            element("title", text=shorten(self.title), id=f"{_KEY}-title"),
            element("desc", text=desc[:4000], id=f"{_KEY}-desc"),
        ]
        if self.patterns:
            head.append(element("defs", *self.patterns.values()))
        head.append(box(0, 0, self.width, height, **fill("paper")))
        drawn = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {digits(self.width)} {digits(height)}" '
            f'width="{digits(self.width)}" height="{digits(height)}" role="img" '
            f'aria-labelledby="{_KEY}-title {_KEY}-desc" font-family="{FONT}">\n'
            + "\n".join([*head, *self.parts])
            + "\n</svg>\n"
        )
        # A page may hold several figures: ids are made of what is drawn, so that equal ids mean equal things.
        return drawn.replace(_KEY, f"fm-{blake2s(drawn.encode(), digest_size=5).hexdigest()}")


_STROKES = {
    "lines": "M0,6L6,0M-1.5,1.5L1.5,-1.5M4.5,7.5L7.5,4.5",
    "back": "M0,0L6,6M-1.5,4.5L1.5,7.5M4.5,-1.5L7.5,1.5",
    "cross": "M0,3H6M3,0V6",
}


def _pattern(ident: str, role: str, kind: str, ground: str) -> str:
    if kind == "dots":
        mark = element("circle", cx=3, cy=3, r=1.1, **fill(role))
    else:
        mark = element("path", d=_STROKES[kind], **stroke(role, 0.9))
    return element(
        "pattern", box(0, 0, 6, 6, **fill(ground)), mark, id=ident, width=6, height=6, patternUnits="userSpaceOnUse"
    )
