"""The groups of a study on its page: radars and tables, as many as a page can carry and a reader takes in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from forgetmap.report import figures as draw
from forgetmap.report.page.sections import PER_RADAR, Figures
from forgetmap.report.study_words import labelled
from forgetmap.report.styles import StyledTable, styled_tables
from forgetmap.study.entries import Entry
from forgetmap.study.result import StudyResult

#: Pairs of a group whose radars are all drawn; of larger groups those that lost most and least are.
MOST_DRAWN = 12
#: Pairs of a group in its tables, and texts in all tables of the page.
MOST_TABLED, MOST_TEXTS = 24, 12_000
#: Corners of all radars of the page: axes × pairs.
MOST_CORNERS = 1_200


def compared_as(result: StudyResult) -> str:
    """Return the reading as figures and tables take it."""
    return "auto" if result.reading == "known" else result.reading


def group_blocks(result: StudyResult, level: str, reading: str, figures: Figures) -> list[dict[str, Any]]:
    """Return what the page says of each group; once the page is full, where the rest is to be found."""
    blocks = []
    corners = texts = 0
    for name, entries in result.groups.items():
        chosen, why = _chosen(result, entries)
        axes = min(max(len(entry.sheet.shown(level)) for entry in entries if entry.sheet), 24)
        if corners + axes * len(chosen) > MOST_CORNERS:
            chosen, why = [], "No room for more radars on this page; the heat map holds all pairs."
        corners += axes * len(chosen)
        drawn = [labelled(part, figure=True) for part in _even(chosen) if part]
        radars = [figures.add(draw.radar(part, level=level, reading=reading)) for part in drawn]
        styles = _styles(entries, level, reading)
        size = sum(len(row.texts) for style in styles for table in style["tables"] for row in table.rows)
        full = texts + size > MOST_TEXTS
        texts += 0 if full else size
        told = "No room for the tables of this group on this page; --latex and --csv hold them." if full else None
        blocks.append(
            {
                "name": name,
                "pairs": len(entries),
                "chosen": why,
                "radars": radars,
                "styles": [] if full else styles,
                "told": told,
            }
        )
    return blocks


def _chosen(result: StudyResult, entries: Sequence[Entry]) -> tuple[list[Entry], str | None]:
    """The pairs whose radars are drawn: all, or the ends of the ranking."""
    if len(entries) <= MOST_DRAWN:
        return list(entries), None
    inside = {entry.name for entry in entries}
    ranked = [entry for entry in result.ranked() if entry.name in inside]
    some = [*ranked[:PER_RADAR], *ranked[-PER_RADAR:]]
    ends = f"the {PER_RADAR} pairs that lost most and the {PER_RADAR} that lost least"
    return some, f"Radars of {ends}; the heat map holds all."


def _even(entries: Sequence[Entry]) -> list[Sequence[Entry]]:
    """As few radars as hold them, each with about as many pairs."""
    radars = max(-(-len(entries) // PER_RADAR), 1)
    ends = [place * len(entries) // radars for place in range(radars + 1)]
    return [entries[start:end] for start, end in pairwise(ends)]


def _styles(entries: Sequence[Entry], level: str, reading: str) -> list[dict[str, Any]]:
    """The group's tables, in our layout and in the published one where its estimator can be had."""
    some = labelled(entries[:MOST_TABLED])
    left_out = f"The first {MOST_TABLED} of {len(entries)} pairs; --latex and --csv hold all."
    more = left_out if len(entries) > MOST_TABLED else ""
    made = []
    has_paper = any(cell.paper for sheet in some for cell in sheet.cells)
    for style, name, how in (
        ("forgetmap", "Values, intervals and verdicts", reading),
        ("paper", "As published: mean ± sd (ceiling)", "auto"),
    ):
        tables: list[StyledTable] = []
        if style == "forgetmap" or has_paper:
            tables = styled_tables(some, style, level, how)
        if tables:
            made.append({"name": name, "tables": tables, "more": more})
    return made
