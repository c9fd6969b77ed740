"""Views as HTML: the sections of the report page, and what only the explorer shows."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, PackageLoader
from markupsafe import Markup

from forgetmap.evidence import READINGS
from forgetmap.explorer.desk import Desk
from forgetmap.explorer.slice_figure import slice_figure
from forgetmap.explorer.state import MOST_CONDITIONS, View
from forgetmap.explorer.taxonomies import LOG
from forgetmap.levels import WEIGHTS
from forgetmap.map import missing_reading
from forgetmap.report.page import sections
from forgetmap.report.page.assets import asset, environment, figures_style
from forgetmap.report.page.sections import Section
from forgetmap.report.plain import percent, visible
from forgetmap.report.shown import shown, verdict_text
from forgetmap.slices import Sliced

_AHEAD = 8  # slices of which the map is made before anyone asks


@cache
def _environment() -> Any:
    page = environment()
    made = page.overlay(loader=ChoiceLoader([PackageLoader("forgetmap.explorer"), page.loader]))  # type: ignore[list-item]
    made.filters = page.filters
    return made


def render(template: str, **values: Any) -> Markup:
    """Return a rendered template of the explorer, escaped as those of the page are."""
    return Markup(_environment().get_template(template).render(**values))


def compile_templates() -> None:
    """Get what the first view is drawn with ready, before anyone waits for it."""
    for name in ("verdict.html", "map.html"):
        environment().get_template(name)


@cache
def static_files() -> dict[str, tuple[str, bytes]]:
    """Return every file that a browser may load: its kind and content. Nothing else is ever opened by name."""
    own = {
        name: resources.files("forgetmap.explorer").joinpath("static", name).read_text(encoding="utf-8")
        for name in ("explorer.js", "explorer.css")
    }
    texts = {
        **own,
        "page.css": figures_style() + asset("style.css"),
        "boot.js": asset("boot.js"),
        "items.js": asset("items.js"),
        "page.js": asset("page.js"),
    }
    kinds = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
    return {name: (kinds[name.rsplit(".", 1)[1]], text.encode()) for name, text in texts.items()}


def shell() -> str:
    """Return the page into which views are drawn; it is the same for everyone and holds nothing of the runs."""
    return str(render("explorer.html"))


def describe_library(desk: Desk) -> dict[str, Any]:
    """Return what can be chosen."""
    return {
        "runs": [
            {
                "id": entry.id,
                "name": entry.name,
                "tool": entry.run.info.tool,
                "suite": entry.run.info.suite,
                "date": entry.run.info.date,
                "items": entry.run.info.counts.get("items"),
                "samples": entry.run.info.counts.get("samples"),
                "tasks": len(entry.run.tasks),
                "saved": entry.saved,
                "texts": entry.run.has_texts,
            }
            for entry in desk.library.entries.values()
        ],
        "broken": desk.library.broken,
        "taxonomies": list(desk.taxonomies),
    }


def first_sections(desk: Desk, view: View) -> dict[str, Any]:
    """Return the verdict and the map, which are looked at first."""
    sheets = desk.sheets(view)
    sections.check_level(sheets, view.level)
    made = [
        sections.verdict_section(sheets, level=view.level, reading=view.reading),
        sections.map_section(sheets, level=view.level, reading=view.reading),
    ]
    return {
        "title": f"{sheets[0].before_name} → {', '.join(sheet.after_name for sheet in sheets)}",
        "items": [sheet.total.items for sheet in sheets],
        "sections": [_section(one) for one in made],
        "groups": all(bool(sheet.at("group")) for sheet in sheets),
    }


def more_sections(desk: Desk, view: View) -> dict[str, Any]:
    """Return the sections below the map that need no text."""
    sheets = desk.sheets(view)
    sections.check_level(sheets, view.level)
    made = [
        sections.quadrants_section(sheets, level=view.level),
        sections.drift_section(sheets),
        sections.method_section(sheets, reading=view.reading, command=command_of(desk, view)),
    ]
    return {"sections": [_section(one) for one in made if one is not None]}


def causes_section(desk: Desk, view: View) -> dict[str, Any]:
    """Return the causes; waits until the replies are read."""
    sheets = desk.sheets_with_causes(view, view.level, "total")
    sections.check_level(sheets, view.level)
    made = sections.causes_section(sheets, level=view.level)
    return {"sections": [_section(made)] if made else []}


def chain_section(desk: Desk, view: View) -> dict[str, Any]:
    """Return the life lines through the stages."""
    made = sections.life_section(desk.chain(view))
    return {"sections": [_section(made)] if made else []}


def slices_section(desk: Desk, view: View) -> dict[str, Any]:
    """Return by what can be sliced, and the slices of the dimension chosen."""
    ledgers = desk.ledgers(view)
    offered = {one.name: one.label for ledger in ledgers for one in ledger.dimensions}
    made: dict[str, Any] = {"dimensions": [{"name": name, "label": label} for name, label in offered.items()]}
    if view.by is not None:
        found = desk.slices(view)
        names = [desk.library.entries[after].name for after in view.afters]
        parts = [_slices(one, name, view) for one, name in zip(found, names, strict=True)]
        within = None if view.cell is None or view.cell[0] == "total" else view.cell[1]
        made["html"] = render("slices.html", slices=parts, several=len(parts) > 1, within=within, view=view)
        made["worst"] = [one.worst for one in found]
    return made


def neighbours(desk: Desk, view: View) -> list[View]:
    """Return the views that one press on reading, level, weight or taxonomy would open and that show something."""
    maps = desk.maps(view)
    readings = [reading for reading in READINGS if not all(missing_reading(reading, found.readings) for found in maps)]
    levels = [level for level in ("category", "task") if any(found.at(level) for found in maps)]
    others = [replace(view, reading=reading) for reading in readings]
    others += [replace(view, level=level) for level in levels]
    if view.only:  # one of many parts: readings are compared there, the rest seldom changes
        return [other for other in others if other != view]
    others += [replace(view, weight=weight) for weight in WEIGHTS if weight != maps[0].weight]
    others += [
        replace(view, taxonomy=name) for name in desk.taxonomies if name != LOG or maps[0].pair.before.info.groups
    ]
    return [other for other in others if other != view]


def slice_views(desk: Desk, view: View) -> list[View]:
    """Return the views that a press on one of the slices shown would open, the largest slices first."""
    if view.by is None or len(view.only) >= MOST_CONDITIONS or len(view.afters) > 1:
        return []
    cells = sorted((cell for found in desk.slices(view) for cell in found.cells), key=lambda cell: -cell.items)
    conditions = [(view.by, cell.name) for cell in cells[:_AHEAD]]
    return [replace(view, only=(*view.only, one)) for one in conditions if one not in view.only]


def _slices(found: Sliced, after: str, view: View) -> dict[str, Any]:
    rows = []
    for cell, more in zip(found.cells, found.more, strict=True):
        rows.append(
            {
                "name": cell.name,
                "value": None if (found.name, cell.name) in view.only else f"{found.name}:{cell.name}",
                "items": cell.items,
                "before": percent(cell.observed["acc_before"]),
                "after": percent(cell.observed["acc_after"]),
                "lost": shown(cell, view.reading, "lost"),
                "gained": shown(cell, view.reading, "gained"),
                "verdict": cell.verdict,
                "verdict_text": verdict_text(cell),
                "more": _points(more["more_lost"]),
                "q": _probability(more["q"]),
                "sure": more["q"] is not None and more["q"] <= 0.05,
                "worst": cell.name == found.worst,
            }
        )
    figure = slice_figure(found, view.reading)
    # a difference of flips beside two shares of knowledge does not add up, and must not look as if it should
    unlike = found.compared_by == "observed" and any(cell.judged_by != "observed" for cell in found.cells)
    return {"unlike": unlike, "label": found.label, "note": found.note, "after": after, "rows": rows, "worst": found.worst,
            "figure": None if figure is None else {"figure": figure, "svg": Markup(figure.svg), "key": "slices"}}  # fmt: skip


def _points(change: float | None) -> str:
    if change is None:
        return "–"
    size = round(100 * change, 1) + 0.0
    return f"{size:+.1f}".replace("-", "−") if size else "0.0"


def _probability(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _section(section: Section) -> dict[str, Any]:
    return {"id": section.id, "title": section.title, "html": section.html}


def command_of(desk: Desk, view: View) -> str:
    """Return the command that prints the same map."""
    entries = desk.library.entries
    runs = [entries[ident] for ident in (view.before, *view.afters)]
    names = [shlex.quote(entry.run.source or entry.name) for entry in runs]
    options = [
        f"--{name} {shlex.quote(str(value))}"
        for name, value, default in (
            ("reading", view.reading, "auto"),
            ("taxonomy", view.taxonomy, "post_forget"),
            ("weight", view.weight, None),
            ("by", view.level, "category"),
        )
        if value != default
    ]
    return visible(" ".join(["forgetmap compare", *names, *options]))
