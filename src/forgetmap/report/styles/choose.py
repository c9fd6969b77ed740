"""Which style a table is set in, and how many models stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from forgetmap.errors import UsageError
from forgetmap.levels import LEVELS
from forgetmap.report.sheet import Sheet
from forgetmap.report.styles.captrack import captrack_rows
from forgetmap.report.styles.own import own_rows
from forgetmap.report.styles.paper import paper_rows
from forgetmap.report.styles.table import StyledTable

_MAKERS = {"forgetmap": own_rows, "paper": paper_rows, "captrack": captrack_rows}
STYLES = tuple(_MAKERS)
#: As in the published tables: what is wider fits no page.
MOST_MODELS = 4


def styled_rows(
    sheets: Sequence[Sheet], style: str = "forgetmap", level: str = "category", reading: str = "auto"
) -> StyledTable:
    """Return one table of maps in a style, however many there are.

    Parameters
    ----------
    sheets : the maps; several stand side by side, one column each.
    style : forgetmap (value, interval, ceiling, verdict), paper (published estimator, mean ± sd (ceiling)) or captrack
        (relative change of the score by CAN / WILL / HOW; needs a taxonomy with groups).
    level, reading : rows, and what the figures of the style `forgetmap` are.
    """
    if style not in _MAKERS:
        raise UsageError(f"style is '{style}'; it must be one of {', '.join(STYLES)}")
    if level not in LEVELS:
        raise UsageError(f"level is '{level}'; it must be one of {', '.join(LEVELS)}")
    if not sheets:
        raise UsageError("there is no map to show; give one or more")
    return _MAKERS[style](sheets, level, reading)


def styled_tables(
    sheets: Sequence[Sheet],
    style: str = "forgetmap",
    level: str = "category",
    reading: str = "auto",
    most: int = MOST_MODELS,
) -> list[StyledTable]:
    """Return the tables of any number of maps, at most `most` models in each.

    Models are spread evenly: a table of one among tables of several would have another layout.
    """
    tables = max(-(-len(sheets) // most), 1)
    ends = [place * len(sheets) // tables for place in range(tables + 1)]
    return [styled_rows(sheets[start:end], style, level, reading) for start, end in pairwise(ends)]
