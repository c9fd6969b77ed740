"""A study in a terminal: what to take away, pairs ranked, groups, categories, trends, recipes and chains."""

from __future__ import annotations

from typing import Any, cast

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetmap.report.chains import headline as chain_headline
from forgetmap.report.columns import Column, draw_table
from forgetmap.report.plain import number, percent, plain, visible
from forgetmap.report.shown import Shown, cut, verdict_text
from forgetmap.report.study_words import (
    along,
    group_rows,
    independence,
    map_warnings,
    pair_row,
    points,
    reading_sentence,
    study_sentences,
    subtitle,
)
from forgetmap.study.amounts import amount_text
from forgetmap.study.result import DIRECTIONS, StudyResult

LOST, GAINED = "red", "green"
_COLOURS = {"lost": LOST, "gained": GAINED, "both": "yellow"}
#: Rows enough to see the ends of a ranking; files hold all.
MOST_PAIRS, MOST_ROWS = 24, 30


def print_study(console: Console, result: StudyResult, *, level: str = "category") -> None:
    """Print the study as text."""
    parts: list[RenderableType] = [plain(result.study.title, "bold"), plain(subtitle(result)), Text()]
    parts += [plain(line) for line in study_sentences(result, level)]
    width, framed = console.width, console.is_terminal
    parts += _section(*_pairs(result, width, framed))
    if any(name is not None for name in result.groups):
        parts += _section(_groups(result, width, framed), ["mean of the pairs; lowest – highest"])
    parts += _section(*_counts(result, level, width, framed))
    if result.trends:
        parts += _section(_trends(result, width, framed), independence(result))
    parts += _recipes(result, width, framed)
    parts += _chains(result)
    warnings = [*result.warnings, *map_warnings(result, 6)]
    parts += [Text()] if warnings else []
    parts += [plain(f"warning: {warning}", "yellow") for warning in warnings]
    for entry in result.failed:
        name = entry.spec.name
        parts.append(plain(f"failed: {name}: {entry.failure}", "red"))
    _print(console, Group(*parts))


def _section(table: Table, lines: list[str]) -> list[RenderableType]:
    said = [Text(), *(plain(line, "dim") for line in lines)] if lines else []
    return [Text(), table, *said]


def _figures(figure: Shown, colour: str) -> tuple[Text, Text]:
    return plain(figure.text(), colour), plain(figure.interval(), f"dim {colour}")


def _pairs(result: StudyResult, width: int, framed: bool) -> tuple[Table, list[str]]:
    columns = [
        Column("pair", left=True), Column("measured from", left=True, rank=4), Column("size", rank=5),
        Column("items", rank=3), Column("before", rank=2), Column("after", rank=2), Column("lost"),
        Column("95 %", rank=1), Column("gained"), Column("95 %", rank=1), Column("verdict", left=True),
    ]  # fmt: skip
    ranked = result.ranked()
    some = ranked if len(ranked) <= MOST_PAIRS else [*ranked[: MOST_PAIRS // 2], *ranked[-MOST_PAIRS // 2 :]]
    rows: list[list[Text | str]] = []
    for place, entry in enumerate(some):
        row = pair_row(result, entry)
        assert entry.sheet is not None
        if len(some) < len(ranked) and place == MOST_PAIRS // 2:
            rows.append(["…", *[""] * (len(columns) - 1)])
        total = entry.sheet.total
        name = cut(row["name"], 40) + (" ≠" if row["other_tasks"] else "") + (" ¹" if entry.notes else "")
        rows.append(
            [name, cut(row["before"], 34), amount_text(entry.spec.size), f"{row['items']:,}", percent(row["acc_before"]),
             percent(row["acc_after"]), *_figures(row["lost"], LOST), *_figures(row["gained"], GAINED),
             plain(verdict_text(total), _COLOURS.get(row["verdict"] or "", "dim"))]
        )  # fmt: skip
    lines = [reading_sentence(result)]
    if len(some) < len(ranked):
        lines.append(f"ranked by loss; {len(ranked) - len(some)} pairs between these are in --csv and --report")
    if result.other_tasks:
        lines.append("≠: other tasks than most pairs")
    if any(entry.notes for entry in some):
        lines.append("¹: not measured from its parent; the warnings say more")
    return draw_table(_dropped(columns, rows), rows, width=width, framed=framed), lines


def _dropped(columns: list[Column], rows: list[list[Text | str]]) -> list[Column]:
    """Leave out columns in which no row says anything."""
    kept = [n for n in range(len(columns)) if any(str(row[n]) not in ("", "–") for row in rows)]
    for row in rows:
        row[:] = [row[n] for n in kept]
    return [columns[n] for n in kept]


def _groups(result: StudyResult, width: int, framed: bool) -> Table:
    columns = [
        Column("group", left=True), Column("pairs"), Column("lost"), Column("range", rank=1), Column("gained"),
        Column("range", rank=1),
    ]  # fmt: skip
    rows: list[list[Text | str]] = []
    for row in group_rows(result):
        figures: list[Text | str] = []
        for way, colour in (("lost", LOST), ("gained", GAINED)):
            figures += [plain(percent(row[way]), colour), plain(row[f"{way}_range"].interval(), f"dim {colour}")]
        rows.append([cut(row["group"] or "without a group"), f"{row['pairs']}", *figures])
    return draw_table(columns, rows, width=width, framed=framed)


def _counts(result: StudyResult, level: str, width: int, framed: bool) -> tuple[Table, list[str]]:
    verdicts = ("lost", "both", "gained", "steady", "unclear", "missing")
    columns = [Column(level, left=True), *(Column(name) for name in verdicts)]
    counts = result.counts(level)
    rows: list[list[Text | str]] = []
    for one in counts[:MOST_ROWS]:
        numbers = [plain(f"{n}" if (n := one.verdicts[name]) else "·", _COLOURS.get(name, "")) for name in verdicts]
        rows.append([cut(one.name, 40), *numbers])
    lines = [
        f"in how many of {number(len(result.found), 'pair')} each verdict was given; missing: no such cell, or no verdict"
    ]
    if len(counts) > MOST_ROWS:
        lines.append(f"{len(counts) - MOST_ROWS} rows that were lost less often are in --json")
    return draw_table(columns, rows, width=width, framed=framed), lines


def _trends(result: StudyResult, width: int, framed: bool) -> Table:
    columns = [
        Column("trend", left=True), Column("group", left=True), Column("pairs"), Column("per ×10, points"),
        Column("95 %", rank=1), Column("", left=True),
    ]  # fmt: skip
    rows: list[list[Text | str]] = []
    for one in result.trends:
        colour = LOST if one["direction"] == "lost" else GAINED
        for trend, group in [(one["overall"], "all"), *((own, own.group or "without") for own in one["groups"])]:
            first = plain(f"{one['direction']} / {along(one)}", colour) if group == "all" else ""
            if trend.slope is None:
                rows.append([first, cut(group, 30), f"{trend.pairs}", "–", "–", plain(trend.reason, "dim")])
                continue
            ends = f"{points(trend.low)} – {points(trend.high)}"
            word = "shown" if trend.shows else "no trend shown"
            look = colour if trend.shows else "dim"
            rows.append(
                [first, cut(group, 30), f"{trend.pairs}", plain(points(trend.slope), look), ends, plain(word, look)]
            )
    return draw_table(columns, rows, width=width, framed=framed)


def _recipes(result: StudyResult, width: int, framed: bool) -> list[RenderableType]:
    parts: list[RenderableType] = []
    columns = [
        Column("recipe", left=True), Column("seeds"), Column("lost"), Column("95 %"), Column("gained"), Column("95 %"),
    ]  # fmt: skip
    rows: list[list[Text | str]] = []
    lines = ["mean over training seeds; the interval is of the recipe, from the spread between its seeds"]
    for one in result.recipes:
        if one.recipe is None:
            lines.append(f"no recipe of {', '.join(one.pairs)}: {one.failure}")
            continue
        total = one.recipe.cells[-1]
        figures: list[Text | str] = []
        for way, colour in zip(DIRECTIONS, (LOST, GAINED), strict=True):
            figures += _figures(Shown(*(total[f"{way}{end}"] for end in ("", "_low", "_high"))), colour)
        rows.append([cut(", ".join(one.pairs), 50), f"{one.recipe.seeds}", *figures])
    if result.recipes:
        parts += _section(draw_table(columns, rows, width=width, framed=framed), lines)
    return parts


def _chains(result: StudyResult) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for entry in result.chains:
        if entry.chain is not None:
            # a saved chain has what a headline asks of a chain
            parts += [Text(), plain(f"chain {entry.spec.name}", "bold"), plain(chain_headline(cast(Any, entry.chain)))]
    return parts


def _print(console: Console, group: Group) -> None:
    """Print without the blanks that tables leave at the end of lines when piped."""
    if console.is_terminal:
        console.print(group)
        return
    with console.capture() as captured:
        console.print(group)
    console.print(Text("\n".join(line.rstrip() for line in captured.get().splitlines())), soft_wrap=True)


def study_text(result: StudyResult, *, level: str = "category") -> str:
    """Return what `forgetmap study` prints, plain."""
    import io

    console = Console(width=120, no_color=True, highlight=False, file=io.StringIO(), force_terminal=False)
    print_study(console, result, level=level)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return visible(text)
