"""The page: sections, style, scripts and data in one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from forgetmap.chain import Chain
from forgetmap.errors import UsageError
from forgetmap.recipe import Recipe
from forgetmap.report.page import sections as part
from forgetmap.report.page.assets import asset, figures_style, plotly_packed, policy, render
from forgetmap.report.page.facts import after_names, pair_names
from forgetmap.report.page.items import PROMPT_CUT, ItemSet, Packed, pack, pack_items
from forgetmap.report.page.rows import cell_tasks
from forgetmap.report.plain import number, visible
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import cut


def build_page(
    sheets: Sequence[Sheet],
    *,
    items: ItemSet | None = None,
    chain: Chain | None = None,
    recipe: Recipe | None = None,
    reading: str = "auto",
    level: str = "category",
    command: str | None = None,
) -> str:
    """Return the report of one or more maps, as the text of one HTML file.

    Parameters
    ----------
    sheets : the maps, one per AFTER.
    items : the items to look at; without them the page says how to get them.
    chain : stages of one model, for the life lines.
    recipe : the mean over training seeds, where the AFTERs are such.
    reading, level : what figures and tables show, as in `forgetmap compare`.
    command : the command line that made the page, printed with the method.
    """
    if not sheets:
        raise UsageError("there is no map to show; give one or more")
    part.check_level(sheets, level)
    packed = pack_items(items.rows) if items is not None and items.rows else None
    made = [
        part.verdict_section(sheets, level=level, reading=reading),
        part.map_section(
            sheets, level=level, reading=reading, linked=items.tasks if items is not None else (), recipe=recipe
        ),
        part.quadrants_section(sheets, level=level),
        part.drift_section(sheets),
        part.causes_section(sheets, level=level),
        part.life_section(chain, sheets),
        part.items_section(sheets, items or ItemSet([], {}), cuts=_cuts(packed)),
        part.method_section(sheets, reading=reading, command=command),
    ]
    return assemble_page([section for section in made if section], title=_title(sheets), subtitle=_subtitle(sheets),
                         packed=packed, afters=_afters(sheets), cells=cell_tasks(sheets))  # fmt: skip


def assemble_page(
    sections: Sequence[part.Section],
    *,
    title: str,
    subtitle: str,
    packed: Packed | None = None,
    afters: Sequence[str] = (),
    cells: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return sections as one file: style and scripts inside, data compressed, nothing fetched."""
    plots = {
        key: figure.plotly
        for section in sections
        for key, figure in section.figures.items()
        if figure.plotly is not None
    }
    library = plotly_packed() if plots else None
    boot, scripts = asset("boot.js"), [asset("items.js"), asset("page.js")]
    html = render(
        "page.html",
        title=title,
        subtitle=subtitle,
        sections=sections,
        policy=Markup(policy([boot, *scripts])),
        style=Markup(figures_style() + asset("style.css")),
        boot=Markup(boot),
        scripts=[Markup(script) for script in scripts],
        plots=pack(plots) if library else None,
        library=library,
        items=packed.text if packed else None,
        afters=pack(list(map(visible, afters))),
        cells=pack(list(cells)) if packed and cells else None,
    )
    return str(html)


def _cuts(packed: Packed | None) -> list[str]:
    """What was cut, in words."""
    if packed is None:
        return []
    said = []
    if packed.cut_prompts:
        said.append(f"{number(packed.cut_prompts, 'prompt')} longer than {PROMPT_CUT:,} characters")
    if packed.cut_answers:
        said.append(f"{number(packed.cut_answers, 'text')} longer than {packed.answer_cut:,} characters")
    return said


def _afters(sheets: Sequence[Sheet]) -> list[str]:
    """What the items of each map are called: the after-model, or the pair where maps start from different models."""
    return after_names(sheets) if len({sheet.before_name for sheet in sheets}) == 1 else pair_names(sheets)


def _title(sheets: Sequence[Sheet]) -> str:
    first = sheets[0]
    if len(sheets) == 1:
        return f"{cut(first.before_name)} → {cut(first.after_name)}"
    if len({sheet.before_name for sheet in sheets}) > 1:
        return f"{len(sheets)} pairs: {cut(first.before_name)} → {cut(first.after_name)} and {len(sheets) - 1} more"
    return f"{cut(first.before_name)} → {len(sheets)} models"


def _subtitle(sheets: Sequence[Sheet]) -> str:
    items, tasks = ([getattr(one.total, name) for one in sheets] for name in ("items", "tasks"))
    return f"{_span(items, 'item')} in {_span(tasks, 'task')}, compared one by one"


def _span(counts: Sequence[int], noun: str) -> str:
    return number(counts[0], noun) if len(set(counts)) == 1 else f"{min(counts):,} to {max(counts):,} {noun}s"
