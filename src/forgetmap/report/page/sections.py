"""The sections of a page, each a function from maps to safe HTML; the page and the explorer both call them.

Sections hold no script, no style attribute, no handler and no id of their own, so that they can stand anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from forgetmap.chain import Chain
from forgetmap.errors import UsageError
from forgetmap.recipe import Recipe
from forgetmap.report import figures as draw
from forgetmap.report.figures import Figure
from forgetmap.report.page.assets import render
from forgetmap.report.page.facts import one_sided_tasks, pair_names, pairing_sentences, run_columns, run_rows, settings
from forgetmap.report.page.items import ItemSet
from forgetmap.report.page.method import DOCS, deciding_readings, method_sentences, versions
from forgetmap.report.page.rows import Body, differing_cells, quadrant_rows, table_bodies, wide_sentence
from forgetmap.report.page.scores import other_scores
from forgetmap.report.page.verdict import noun_of, verdict_sentences
from forgetmap.report.plain import percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import Shown
from forgetmap.report.summary import summary_lines
from forgetmap.report.tables import caption

#: A radar tells this many maps apart.
PER_RADAR = 4
#: Maps whose figures stand open; those of the others unfold.
OPEN = 3
#: What the ids of a figure begin with.
_OWN_ID = re.compile(r'\bid="(fm-[0-9a-f]{8,})')


@dataclass(frozen=True)
class Section:
    """A part of the page: where it stands, what it says, and the figures that can be made interactive."""

    id: str
    title: str
    html: Markup = field(repr=False)
    figures: dict[str, Figure] = field(default_factory=dict, repr=False)  # by the key in the markup's data-figure


class Figures:
    """Figures of a section, under keys that do not clash."""

    def __init__(self, section: str) -> None:
        self._section = section
        self.all: dict[str, Figure] = {}

    def add(self, figure: Figure | None) -> dict[str, Any] | None:
        """Keep a figure and return what its template needs; None stays None."""
        if figure is None:
            return None
        key = f"{self._section}-{figure.name}-{len(self.all)}"
        self.all[key] = figure
        svg = figure.svg[figure.svg.index("<svg") :]  # an XML declaration has no place inside HTML
        # Two figures of the same data carry the same ids: once one is hidden, the other would lose its hatching.
        for own in set(_OWN_ID.findall(svg)):
            svg = svg.replace(own, f"{own}-{key}")
        return {"key": key, "figure": figure, "svg": Markup(svg)}  # figures escape what they print


def verdict_section(sheets: Sequence[Sheet], *, level: str = "category", reading: str = "auto") -> Section:
    """Return the verdict in plain words, what was compared, the settings that differ, coverage and warnings."""
    blocks = []
    for name, sheet in zip(pair_names(sheets), sheets, strict=True):
        differ, one_sided = settings(sheet)
        blocks.append(
            {
                "sheet": sheet,
                "name": name,
                "sentences": verdict_sentences(sheet, level=level, reading=reading),
                "summary": summary_lines(sheet),
                "pairing": [*pairing_sentences(sheet), *one_sided_tasks(sheet)],
                "differ": differ,
                "one_sided": one_sided,
            }
        )
    runs = run_rows(sheets)
    html = render("verdict.html", blocks=blocks, runs=runs, columns=run_columns(runs))
    return Section("verdict", "Verdict", html)


def map_section(
    sheets: Sequence[Sheet],
    *,
    level: str = "category",
    reading: str = "auto",
    linked: Collection[str] = (),
    recipe: Recipe | None = None,
) -> Section:
    """Return radars, forest plots, heat maps and the table of every cell; `linked` are tasks with items to show."""
    made = Figures("map")
    radars = [sheets[at : at + PER_RADAR] for at in range(0, len(sheets), PER_RADAR)]
    overview = [made.add(draw.radar(part, level=level, reading=reading)) for part in radars[:OPEN]]
    if len(sheets) > 1:
        overview += [
            made.add(draw.heat(sheets, level=level, reading=reading, direction=direction))
            for direction in ("lost", "gained")
        ]
    differing = differing_cells(sheets)
    maps = []
    for place, (name, sheet) in enumerate(zip(pair_names(sheets), sheets, strict=True)):
        after = place if len(sheets) > 1 else None
        bodies = table_bodies(sheet, reading, linked=linked, differing=differing, after=after)
        rows = [row for body in bodies for row in body.rows]
        maps.append(
            {
                "name": name,
                "forest": made.add(draw.forest(sheet, level=level, reading=reading)),
                "bodies": bodies,
                "level": _open_level(bodies, level),
                "levels": [body.level for body in bodies if body.level != "total"],
                "many": len(rows) > 100,
                "flips": any(row.figures["lost"].text != row.figures["flips_lost"].text for row in rows),
                "floor": any(row.figures["floor"].value is not None for row in rows),
                "flags": any(row.flags for row in rows),
                "caption": caption(sheet, reading, level),
                "wide": wide_sentence(rows),
                "linked": any(row.links for row in rows),
            }
        )
    html = render(
        "map.html",
        overview=[figure for figure in overview if figure],
        more_radars=max(0, len(radars) - OPEN) * PER_RADAR,
        maps=maps,
        open=OPEN,
        differing=sorted(place[-1] for place in differing if place[0] == level),
        recipe=recipe_rows(recipe, level),
    )
    return Section("map", "Map", html, made.all)


def _open_level(bodies: Sequence[Body], level: str) -> str:
    """The level whose rows the table shows first."""
    there = [body.level for body in bodies]
    return level if level in there else "task" if "task" in there else "total"


def recipe_rows(recipe: Recipe | None, level: str) -> dict[str, Any] | None:
    """Return what a recipe's table shows; None where there is no recipe."""
    if recipe is None:
        return None
    rows = []
    for cell in recipe.cells:
        if cell["level"] in (level, "total"):
            shown = {way: Shown(*(cell[f"{way}{end}"] for end in ("", "_low", "_high"))) for way in ("lost", "gained")}
            rows.append({"name": cell["name"], "is_total": cell["level"] == "total", **shown})
    return {"seeds": recipe.seeds, "rows": rows}


def quadrants_section(sheets: Sequence[Sheet], *, level: str = "category") -> Section | None:
    """Return kept, lost, gained and never beside the change of the score; None where grades have no quadrants."""
    made = Figures("quadrants")
    maps = [
        {
            "name": name,
            "figure": made.add(draw.quadrants(sheet, level=level)),
            "rows": quadrant_rows(sheet, level),
            "level": noun_of(sheet.shown(level), level) if level != "total" else level,
        }
        for name, sheet in zip(pair_names(sheets), sheets, strict=True)
        if any(cell.observed["kept"] is not None for cell in sheet.rows(level))
    ]
    if not maps:
        return None
    return Section("quadrants", "Quadrants", render("quadrants.html", maps=maps, open=OPEN), made.all)


def drift_section(sheets: Sequence[Sheet]) -> Section | None:
    """Return the drift of traits; None where no map has any."""
    maps = [
        {"name": name, "columns": _keys(sheet.drift), "rows": sheet.drift}
        for name, sheet in zip(pair_names(sheets), sheets, strict=True)
        if sheet.drift
    ]
    return Section("drift", "Drift", render("drift.html", maps=maps)) if maps else None


def _keys(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in row))


def causes_section(sheets: Sequence[Sheet], *, level: str = "category") -> Section | None:
    """Return why items were lost, and what gained items did before; None where nothing moved."""
    made = Figures("causes")
    maps = []
    for name, sheet in zip(pair_names(sheets), sheets, strict=True):
        if not sheet.causes:
            continue
        ways = []
        for direction in ("lost", "gained"):
            total = [row for row in sheet.causes if (row["direction"], row["level"]) == (direction, "total")]
            if total:
                figure = made.add(draw.cause_bars(sheet, level=level, direction=direction))
                ways.append({"direction": direction, "figure": figure, "rows": [_cause(row) for row in total]})
        if ways:
            maps.append({"name": name, "ways": ways})
    return Section("causes", "Causes", render("causes.html", maps=maps, open=OPEN), made.all) if maps else None


def _cause(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "cause": row["cause"].replace("_", " "),
        "count": f"{row['count']:,g}" if isinstance(row["count"], float) else f"{row['count']:,}",
        "share": percent(row["share"]),
        "interval": Shown(row["share"], row["low"], row["high"]).interval(),
        "share_of_all": percent(row["share_of_all"]),
    }


def life_section(chain: Chain | None, sheets: Sequence[Sheet] = ()) -> Section | None:
    """Return the life lines of a chain of stages; None without one. `sheets` are the maps that stand beside them."""
    if chain is None:
        return None
    made = Figures("life")
    html = render(
        "life.html",
        chain=chain,
        figure=made.add(draw.alluvial(chain)),
        outcomes=[_line(row, "outcome") for row in chain.outcomes.to_dicts()],
        lines=[_line(row, "line") for row in chain.life.head(24).to_dicts()],
        all_lines=chain.life.height,
        other_scores=other_scores(chain, sheets),
    )
    return Section("life", "Life lines", html, made.all)


def _line(row: dict[str, Any], key: str) -> dict[str, Any]:
    expected = "–"
    if row["expected_low"] is not None and row["expected_high"] is not None:
        ends = dict.fromkeys(percent(row[end]).removesuffix(" %") for end in ("expected_low", "expected_high"))
        expected = f"{' – '.join(ends)} %"
    return {
        "name": str(row[key]).replace("_", " "),
        "outcome": (row["outcome"] or "not complete").replace("_", " "),
        "n": f"{row['n']:,.0f}",
        "share": percent(row["share"]),
        "interval": Shown(row["share"], row["low"], row["high"]).interval(),
        "expected": expected,
    }


def items_section(sheets: Sequence[Sheet], items: ItemSet, *, cuts: Sequence[str] = ()) -> Section:
    """Return the place where items.js mounts, and what is there and what is not."""
    html = render(
        "items.html",
        shown=items.shown(),
        counts=items.counts,
        left_out=items.left_out(),
        held=None if items.held is None else f"{items.held[:1].upper()}{items.held[1:].rstrip('.')}.",
        cuts=cuts,
        sheets=sheets,
        any=bool(items.rows),
    )
    return Section("items", "Items", html)


def method_section(sheets: Sequence[Sheet], *, reading: str = "auto", command: str | None = None) -> Section:
    """Return the method in one paragraph, and what it takes to get the same numbers again."""
    first = sheets[0]
    html = render(
        "method.html",
        sentences=method_sentences(sheets, reading),
        docs=DOCS,
        command=command,
        versions=versions(),
        runs=run_rows(sheets),
        taxonomy=first.taxonomy,
        weight=first.weight,
        decided_by=deciding_readings(sheets),
        reading=reading,
        guessing=first.guessing,
    )
    return Section("method", "Method", html)


def check_level(sheets: Sequence[Sheet], level: str) -> None:
    """Refuse a level that a map does not have."""
    for sheet in sheets:
        if level == "group" and not sheet.at("group"):
            raise UsageError(f"taxonomy {sheet.taxonomy} has no groups; choose --by task, category or total")
