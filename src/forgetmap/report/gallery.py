"""Gallery: every figure there is to draw of some maps, for files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forgetmap.chain import Chain
from forgetmap.report.figures import Figure, alluvial, cause_bars, forest, heat, quadrants, radar
from forgetmap.report.sheet import Sheet

#: As in the published radars: more outlines in one cannot be told apart.
_PER_RADAR = 4


def all_figures(
    sheets: Sequence[Sheet], *, level: str = "category", reading: str = "auto", chain: Chain | None = None
) -> list[Figure]:
    """Return the figures of one or more maps, each with a file name of its own."""
    radars = [
        radar(sheets[start : start + _PER_RADAR], level=level, reading=reading)
        for start in range(0, len(sheets), _PER_RADAR)
    ]
    made: list[Figure | None] = [*_numbered(radars)]
    if len(sheets) > 1:
        for direction in ("lost", "gained"):
            made.append(_named(heat(sheets, level=level, reading=reading, direction=direction), f"heat-{direction}"))
    made += _numbered([forest(sheet, level=level, reading=reading) for sheet in sheets])
    made += _numbered([quadrants(sheet, level=level) for sheet in sheets])
    for direction in ("lost", "gained"):
        made += _numbered([cause_bars(sheet, level=level, direction=direction) for sheet in sheets])
    if chain is not None:
        made.append(alluvial(chain))
    return [figure for figure in made if figure is not None]


def _numbered(figures: Sequence[Figure | None]) -> list[Figure | None]:
    """Where there is one per map, its number tells them apart."""
    if len(figures) < 2:
        return list(figures)
    return [figure and _named(figure, f"{figure.name}-{place}") for place, figure in enumerate(figures, 1)]


def _named(figure: Figure | None, name: str) -> Figure | None:
    return figure and replace(figure, name=name)
