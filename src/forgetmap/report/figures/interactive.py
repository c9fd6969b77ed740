"""The figures as plotly draws them: plain dictionaries for a page that loads plotly when a reader asks for it.

Categories are numbered and named by tick texts, since two cells may have one name. Texts that plotly shows are escaped:
it takes some markup in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from forgetmap.report.figures.palette import LIGHT
from forgetmap.report.plain import visible
from forgetmap.report.shown import Shown, cut

Spec = dict[str, Any]
_WAYS = ("lost", "gained")


def said(text: str, most: int = 120) -> str:
    """A text of others in a figure of plotly.

    >>> said("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    return escape(visible(cut(text, most)), quote=False)


def hundredfold(value: float | None) -> float | None:
    """In percent."""
    return None if value is None else 100 * value


def _named(names: Sequence[str], **more: Any) -> Spec:
    return {
        "type": "category",
        "tickmode": "array",
        "tickvals": [str(n) for n in range(len(names))],
        "ticktext": [said(name, 40) for name in names],
        "automargin": True,
        **more,
    }


def forest_spec(
    title: str,
    names: Sequence[str],
    figures: dict[str, list[Shown]],
    unclear: Sequence[bool],
    totals: Sequence[bool],
    *,
    margins: Sequence[float | None],
    floors: Sequence[float | None],
    verdicts: Sequence[str],
    ends: tuple[float, float],
    unit: str,
) -> Spec:
    """Points with intervals, lost on the left, gained on the right; a range is a bar without a point.

    As in the drawing: the zero line, the margin (dashed) and the noise floor (a band) of every row, and one axis for both
    sides that holds all of them.
    """
    data: list[Spec] = []
    for place, way in enumerate(_WAYS):
        found = figures[way]
        shape = "triangle-down" if way == "lost" else "triangle-up"
        symbols = [
            ("diamond" if total else shape) + ("-open" if doubt else "")
            for total, doubt in zip(totals, unclear, strict=True)
        ]
        axis = {"xaxis": "x" if place == 0 else "x2", "yaxis": "y"}
        texts = [
            f"{said(name)}<br>{way} {f.text()} [{f.interval()}]<br>{said(verdict)}"
            for name, f, verdict in zip(names, found, verdicts, strict=True)
        ]
        shared = {"type": "scatter", "text": texts, "hovertemplate": "%{text}<extra></extra>", **axis}
        data.append(
            {
                **shared,
                "mode": "markers",
                "name": way,
                "x": [hundredfold(f.value) for f in found],
                "y": [str(n) for n in range(len(names))],
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_span(f.high, f.value) for f in found],
                    "arrayminus": [_span(f.value, f.low) for f in found],
                },
                "marker": {"color": LIGHT[way], "symbol": symbols, "size": 9},
            }
        )
        for n, f in enumerate(found):
            if f.value is not None:
                continue
            # Without a point there is nothing to hang an interval on: it is a line of its own.
            spans: list[tuple[tuple[float, float], Spec]] = []
            if f.low is not None and f.high is not None:
                spans.append(((f.low, f.high), {"color": LIGHT[way], "width": 1.6}))
            if f.range is not None:
                spans.append((f.range, {"color": LIGHT[way], "width": 6, "dash": "dot"}))
            for span, look in spans:
                x = [hundredfold(end) for end in span]
                data.append(
                    {**shared, "text": [texts[n]] * 2, "mode": "lines", "x": x, "y": [str(n)] * 2, "line": look}
                )
    room = 0.02 * (ends[1] - ends[0])  # or half a mark at the edge would be cut off
    across = {
        "range": [100 * (ends[0] - room), 100 * (ends[1] + room)],
        "zeroline": True,
        "zerolinewidth": 1.5,
        "zerolinecolor": LIGHT["dim"],
    }
    layout = {
        "title": {"text": said(title, 200)},
        "yaxis": _named(names, range=[len(names) - 0.5, -0.5]),
        "xaxis": {"domain": [0, 0.48], "title": {"text": f"lost, {unit}"}, **across},
        "xaxis2": {"domain": [0.52, 1], "title": {"text": f"gained, {unit}"}, **across, "matches": "x", "anchor": "y"},
        "shapes": [shape for axis in ("x", "x2") for shape in _row_shapes(axis, margins, floors)],
        "showlegend": False,
        "height": 120 + 24 * len(names),
    }
    return {"data": data, "layout": layout}


def _row_shapes(axis: str, margins: Sequence[float | None], floors: Sequence[float | None]) -> list[Spec]:
    """The noise floor and the margin of every row; a name is the role, by which a page colours them in its theme."""
    made: list[Spec] = []
    for row, (margin, floor) in enumerate(zip(margins, floors, strict=True)):
        place = {"xref": axis, "yref": "y", "layer": "below"}  # rows are numbered, and half a row is reached each way
        if floor is not None and floor > 0:
            look = {"fillcolor": LIGHT["floor"], "opacity": 0.35, "line": {"width": 0}}
            ends = {"x0": 0, "x1": 100 * floor, "y0": row - 0.33, "y1": row + 0.33}
            made.append({"type": "rect", "name": "floor", **place, **ends, **look})
        if margin is not None:
            ends = {"x0": 100 * margin, "x1": 100 * margin, "y0": row - 0.5, "y1": row + 0.5}
            line = {"color": LIGHT["margin"], "width": 1, "dash": "dash"}
            made.append({"type": "line", "name": "margin", **place, **ends, "line": line})
    return made


def _span(high: float | None, low: float | None) -> float | None:
    return None if high is None or low is None else 100 * (high - low)


def quadrant_spec(title: str, names: Sequence[str], parts: dict[str, list[float | None]], unit: str) -> Spec:
    """Stacked bars of kept, lost, gained and never."""
    shapes = {"kept": "", "lost": "/", "gained": "\\", "never": "."}
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": part,
            "y": [str(n) for n in range(len(names))],
            "x": [hundredfold(value) for value in values],
            "text": [said(name) for name in names],
            "textposition": "none",
            "hovertemplate": f"%{{text}}<br>{part} %{{x:.1f}} %<extra></extra>",
            "marker": {"color": LIGHT[part], "pattern": {"shape": shapes[part]}},
        }
        for part, values in parts.items()
    ]
    layout = {
        "title": {"text": said(title, 200)},
        "barmode": "stack",
        "xaxis": {"title": {"text": unit}, "range": [0, 100]},
        "yaxis": _named(names, autorange="reversed"),
        "height": 140 + 26 * len(names),
        "legend": {"orientation": "h", "traceorder": "normal", "y": 1.01, "yanchor": "bottom"},
    }
    return {"data": data, "layout": layout}


def radar_spec(
    title: str,
    names: Sequence[str],
    series: Sequence[tuple[str, dict[str, str], dict[str, list[Shown]], Sequence[bool]]],
    ends: tuple[float, float],
) -> Spec:
    """Two dials. A series is its name, its role per direction, its figures per direction, and which are unclear."""
    data: list[Spec] = []
    axes = [str(n) for n in range(len(names))]
    for side, way in enumerate(_WAYS):
        for place, (name, roles, figures, unclear) in enumerate(series):
            values = [hundredfold(f.value) for f in figures[way]]
            texts = [
                f"{said(axis)}<br>{said(name)}<br>{way} {f.text()} [{f.interval()}]"
                for axis, f in zip(names, figures[way], strict=True)
            ]
            shape = ("circle", "square", "triangle-up", "diamond")[place % 4]
            symbols = [f"{shape}-open" if doubt else shape for doubt in unclear]
            colour = LIGHT[roles[way]]
            data.append(
                {
                    "type": "scatterpolar",
                    "mode": "lines+markers",
                    "name": said(name, 40),
                    "legendgroup": str(place),
                    "showlegend": side == 0 and len(series) > 1,
                    "subplot": "polar" if side == 0 else "polar2",
                    "theta": [*axes, axes[0]],
                    "r": [*values, values[0]],
                    "text": [*texts, texts[0]],
                    "hovertemplate": "%{text}<extra></extra>",
                    "connectgaps": False,
                    "line": {"color": colour},
                    "marker": {"symbol": [*symbols, symbols[0]], "size": 9, "color": colour},
                }
            )
    angular = {**_named([cut(name, 20) for name in names]), "direction": "clockwise", "rotation": 90}
    angular["tickfont"] = {"size": 10}  # two dials share the width, and so do their labels
    del angular["automargin"]  # polar axes have none
    radial = {"range": [100 * ends[0], 100 * ends[1]], "ticksuffix": " %", "tickangle": 0, "nticks": 4}
    radial["tickfont"] = {"size": 9}
    layout = {
        "title": {"text": said(title, 200)},
        "polar": {"domain": {"x": [0.1, 0.37]}, "angularaxis": angular, "radialaxis": radial},
        "polar2": {"domain": {"x": [0.63, 0.9]}, "angularaxis": angular, "radialaxis": radial},
        "annotations": [
            {"text": way, "x": x, "y": 1.12, "xref": "paper", "yref": "paper", "xanchor": "center", "showarrow": False}
            for way, x in zip(_WAYS, (0.235, 0.765), strict=True)
        ],
        "legend": {"orientation": "h", "y": -0.12},
        "height": 500,
    }
    return {"data": data, "layout": layout}


def heat_spec(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    tips: Sequence[Sequence[str]],
    way: str,
) -> Spec:
    """Fields; what is missing is a gap."""
    data = {
        "type": "heatmap",
        "x": [str(n) for n in range(len(columns))],
        "y": [str(n) for n in range(len(rows))],
        "z": [[hundredfold(value) for value in row] for row in values],
        "text": [[said(tip, 300) for tip in row] for row in tips],
        "hovertemplate": "%{text}<extra></extra>",
        "hoverongaps": False,
        "colorscale": [[0, LIGHT["paper"]], [1, LIGHT[way]]],
        "zmin": 0,
        "xgap": 1,
        "ygap": 1,
        "colorbar": {"ticksuffix": " %"},
    }
    layout = {
        "title": {"text": said(title, 200)},
        "height": 220 + 22 * len(rows),
        "xaxis": _named(columns),
        "yaxis": _named(rows, autorange="reversed"),
    }
    return {"data": [data], "layout": layout}
