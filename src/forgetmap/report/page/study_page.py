"""The page of a study: verdict, ranking, groups, heat maps, categories, trends, movement, recipes, chains, method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from markupsafe import Markup

from forgetmap.errors import UsageError
from forgetmap.report import figures as draw
from forgetmap.report.chains import headline as chain_headline
from forgetmap.report.figures.movement import Moved, movement
from forgetmap.report.figures.ranking import ranking
from forgetmap.report.figures.trend import Side, trend
from forgetmap.report.figures.words import marks_said
from forgetmap.report.page.assets import environment
from forgetmap.report.page.build import assemble_page
from forgetmap.report.page.method import DOCS, method_sentences, versions
from forgetmap.report.page.rows import differing_cells
from forgetmap.report.page.scores import other_scores
from forgetmap.report.page.sections import Figures, Section, recipe_rows
from forgetmap.report.page.study_groups import compared_as, group_blocks
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import verdict_text
from forgetmap.report.study_words import (
    along,
    everywhere_sentence,
    group_rows,
    independence,
    labelled,
    map_warnings,
    pair_row,
    points,
    reading_sentence,
    reading_words,
    study_sentences,
    subtitle,
    unit_words,
)
from forgetmap.study.amounts import amount_text
from forgetmap.study.commands import pair_commands
from forgetmap.study.entries import Entry
from forgetmap.study.result import DIRECTIONS, StudyResult
from forgetmap.study.spec import ATTRIBUTES, ChainSpec

#: Fields of a heat map: more nobody reads, and a page would carry them.
MOST_FIELDS = 20_000


def study_page(result: StudyResult, *, level: str = "category", command: str | None = None) -> str:
    """Return the study as the text of one self-contained HTML file."""
    if not result.found:
        raise UsageError("no pair of the study has a map; there is nothing to show")
    rows = [_row(result, entry) for entry in result.found]
    made = [
        _verdict(result, rows, level),
        _ranking(result, _ranked(result, rows)),
        _groups(result, level),
        _heat(result, level),
        _everywhere(result, level),
        _trends(result),
        _movement(result, rows),
        _recipes(result, level),
        _chains(result),
        _method(result, command),
    ]
    return assemble_page([one for one in made if one], title=result.study.title, subtitle=subtitle(result))


def _section(ident: str, title: str, made: Figures | None = None, **values: Any) -> Section:
    macro = getattr(environment().get_template("study.html").module, ident)
    return Section(ident, title, Markup(macro(**values)), made.all if made else {})


def _row(result: StudyResult, entry: Entry) -> dict[str, Any]:
    assert entry.sheet is not None
    row = pair_row(result, entry)
    grade = {"A": "same", "B": "differ", None: "not compared"}[entry.sheet.pairing["grade"]]
    return {
        **row,
        "said": {name: _said(entry, name) for name in ATTRIBUTES},
        "grade": grade,
        "change_text": points(row["change"]),
        "verdict_text": verdict_text(entry.sheet.total),
    }


def _said(entry: Entry, name: str) -> dict[str, Any]:
    value = getattr(entry.spec, name)
    if name == "data" and value is not None:
        return {"key": value, "text": f"{amount_text(value)} {entry.spec.data_unit or ''}".strip()}
    return {"key": value, "text": amount_text(value) if name == "size" else value or "–"}


def _ranked(result: StudyResult, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    by_name = {row["name"]: row for row in rows}
    return [by_name[entry.name] for entry in result.ranked()]


def _moved(row: dict[str, Any]) -> Moved:
    return Moved(row["name"], row["lost"], row["gained"], row["acc_before"], row["acc_after"], row["entry"].spec.group)


def _verdict(result: StudyResult, rows: Sequence[dict[str, Any]], level: str) -> Section:
    given = [name for name in ATTRIBUTES if name != "data_unit" and any(row["said"][name]["key"] for row in rows)]
    commands = pair_commands(result.study, [row["entry"].spec for row in rows], level)
    columns = [{"name": name, "kind": "num" if name in ("size", "data") else "word"} for name in given]
    return _section(
        "verdict", "Verdict", sentences=study_sentences(result, level), warnings=[*result.warnings, *map_warnings(result, 12)],
        failures=result.failed, rows=rows, columns=columns, commands=commands,
    )  # fmt: skip


def _ranking(result: StudyResult, rows: Sequence[dict[str, Any]]) -> Section:
    made = Figures("ranking")
    unclear = [row["name"] for row in rows if row["verdict"] == "unclear"]
    lines = [reading_sentence(result), *marks_said(row[way] for row in rows for way in DIRECTIONS)]
    figure = made.add(
        ranking([_moved(row) for row in rows], words=reading_words(result), unclear=unclear, unit=unit_words(result))
    )
    return _section("ranking", "Pairs ranked", made, figure=figure, rows=rows, lines=lines)


def _groups(result: StudyResult, level: str) -> Section:
    made = Figures("groups")
    blocks = group_blocks(result, level, compared_as(result), made)
    grouped = any(name is not None for name in result.groups)
    return _section("groups", "Groups", made, summary=group_rows(result) if grouped else [], groups=blocks)


def _heat(result: StudyResult, level: str) -> Section | None:
    if len(result.found) < 2:
        return None
    made = Figures("heat")
    entries, note = result.found, None
    rows = max(len(sheet.rows(level)) for sheet in result.sheets)
    if len(entries) * rows > MOST_FIELDS:
        most = MOST_FIELDS // rows
        entries = result.ranked()[:most]
        note = f"The {most} of {len(result.found)} pairs that lost most; --csv holds all."
    sheets = labelled(entries, figure=True)
    reading = compared_as(result)
    figures = [made.add(draw.heat(sheets, level=level, reading=reading, direction=way)) for way in DIRECTIONS]
    return _section("heat", "Heat map", made, figures=figures, many=len(sheets) > 40, note=note)


def _everywhere(result: StudyResult, level: str) -> Section:
    differing = {place[-1] for place in differing_cells(result.sheets) if place[0] == level}
    return _section(
        "everywhere", "Forgotten everywhere", counts=result.counts(level), level=level, pairs=len(result.found),
        sentence=everywhere_sentence(result, level), differing=differing,
    )  # fmt: skip


def _trends(result: StudyResult) -> Section | None:
    if not result.trends:
        return None
    made = Figures("trends")
    figures, rows = [], []
    together: dict[tuple[str, str | None], dict[str, Any]] = {}
    for one in result.trends:
        together.setdefault((one["amount"], one["unit"]), {})[one["direction"]] = one
        for found in (one["overall"], *one["groups"]):
            whole = found is one["overall"]
            shown = found.slope is not None
            rows.append(
                {
                    "what": f"{one['direction']} / {along(one)}",
                    "group": "all" if whole else found.group or "without a group",
                    "pairs": found.pairs,
                    "slope": points(found.slope),
                    "interval": f"{points(found.low)} to {points(found.high)}" if shown else "–",
                    "said": found.reason or ("shown" if found.shows else "no trend shown"),
                }
            )
    for ways in together.values():
        if all(way in ways and ways[way]["points"] for way in DIRECTIONS):
            sides = {w: Side(ways[w]["points"], ways[w]["overall"], ways[w]["groups"]) for w in DIRECTIONS}
            figures.append(made.add(trend(sides, along=along(ways["lost"]), unit=unit_words(result))))
    return _section("trends", "Trends", made, figures=figures, rows=rows, lines=independence(result))


def _movement(result: StudyResult, rows: Sequence[dict[str, Any]]) -> Section | None:
    made = Figures("movement")
    figure = made.add(movement([_moved(row) for row in rows], words=reading_words(result), unit=unit_words(result)))
    return _section("movement", "Net and gross", made, figure=figure) if figure else None


def _recipes(result: StudyResult, level: str) -> Section | None:
    if not result.recipes:
        return None
    made = []
    for one in result.recipes:
        shown = recipe_rows(one.recipe, level) or {"seeds": 0, "rows": []}
        made.append({"name": ", ".join(one.pairs), "failure": one.failure, **shown})
    return _section("recipes", "Training seeds", recipes=made)


def _along(result: StudyResult, chain: ChainSpec) -> list[Sheet]:
    """The maps whose runs are both stages of a chain."""
    stages = {run.path for run in chain.runs}
    return [e.sheet for e in result.found if e.sheet and {e.spec.before.path, e.spec.after.path} <= stages]


def _chains(result: StudyResult) -> Section | None:
    if not result.chains:
        return None
    made = Figures("chains")
    rows = []
    for entry in result.chains:
        row: dict[str, Any] = {"name": entry.spec.name, "failure": entry.failure}
        if entry.chain is not None:
            chain = cast(Any, entry.chain)  # has what figures and headlines ask of a chain
            row |= {
                "headline": chain_headline(chain),
                "figure": made.add(draw.alluvial(chain)),
                "warnings": chain.warnings,
                "other_scores": other_scores(chain, _along(result, entry.spec)),
            }
        rows.append(row)
    return _section("chains", "Chains", made, chains=rows)


def _method(result: StudyResult, command: str | None) -> Section:
    sheets = result.sheets
    sentences = method_sentences(sheets, compared_as(result))
    sentences.insert(
        -1, "In this study the cells of all pairs, and their totals, are one family of tests per level; slopes pool pairs with "
        "weights from their intervals and from the spread between pairs."
    )  # fmt: skip
    runs = {}
    for sheet in sheets:
        for side in (sheet.before, sheet.after):
            runs[side["source"], side["content_hash"]] = side
    facts = {"taxonomy": sheets[0].taxonomy, "weight": sheets[0].weight, "reading shown": result.reading}
    return _section(
        "method", "Method", sentences=sentences, docs=DOCS, command=command, versions=versions(), facts=facts,
        runs=list(runs.values()),
    )  # fmt: skip
