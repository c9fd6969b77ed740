"""A study as one tidy CSV file and as one LaTeX file of group tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.report.exports import latex_text, tidy_tables
from forgetmap.report.exports.tex_signs import STAND_IN, breakable, comment, has_stand_in, tex
from forgetmap.report.study_words import along, labelled, pair_row, points, share
from forgetmap.storage import write_atomically
from forgetmap.study.amounts import amount_text
from forgetmap.study.entries import Entry
from forgetmap.study.result import StudyResult
from forgetmap.study.spec import ATTRIBUTES
from forgetmap.study.trends import Trend

_NUMBERS = ("size", "data")
#: Columns that say what a row is of, and what it says; between them stand the attributes.
_HEAD, _CELL = ("pair", "before", "after"), ("level", "cell", "items", "tasks", "acc_before", "acc_after")
_FIGURE = ("reading", "direction", "value", "low", "high", "at_least", "decides", "q", "verdict")
_TEXTS = ("pair", "before", "after", "level", "cell", "reading", "direction", "verdict", "note")
#: Lines that fit a page.
_MOST_LINES = 40


def study_table(result: StudyResult) -> pl.DataFrame:
    """Return one row per pair, cell, reading and direction, with the pair's attributes; missing is null.

    A pair without a map is one row that says why.
    """
    frames = [_rows(entry) for entry in result.entries]
    return pl.concat(frames, how="vertical")


def write_study_csv(result: StudyResult, path: Path) -> int:
    """Write the table as CSV and return its number of rows."""
    frame = study_table(result)
    write_atomically(path, frame.write_csv)
    return frame.height


def _schema() -> dict[str, Any]:
    names = (*_HEAD, *ATTRIBUTES, *_CELL, *_FIGURE, "note")
    kinds: dict[str, Any] = dict.fromkeys(names, pl.Float64)
    kinds |= dict.fromkeys((*_TEXTS, *(name for name in ATTRIBUTES if name not in _NUMBERS)), pl.String)
    return kinds | dict.fromkeys(("items", "tasks"), pl.Int64) | dict.fromkeys(("at_least", "decides"), pl.Boolean)


def _rows(entry: Entry) -> pl.DataFrame:
    schema, attributes = _schema(), entry.spec.attributes()
    if entry.sheet is None:
        return pl.DataFrame([{"pair": entry.name, **attributes, "note": entry.failure}], schema=schema)
    tables = tidy_tables([entry.sheet])
    cells = tables["cells"].select(
        "cell", "items", "tasks", "acc_before", "acc_after", "verdict", "q_lost", "q_gained"
    )  # fmt: skip
    rows = tables["readings"].join(cells, on="cell", how="left", maintain_order="left")
    q = pl.when(pl.col("direction") == "lost").then("q_lost").otherwise("q_gained")
    said = {"pair": entry.name, **attributes, "note": "; ".join(entry.notes) or None}
    return rows.with_columns(
        q=q, cell=pl.col("name"), **{name: pl.lit(value, dtype=schema[name]) for name, value in said.items()}
    ).select(pl.col(name).cast(kind) for name, kind in schema.items())


def study_latex(
    result: StudyResult, *, level: str = "category", reading: str | None = None, style: str = "forgetmap"
) -> str:
    """Return the tables of every group, then which model is which, then the trends; needs booktabs only."""
    chosen = "auto" if style != "forgetmap" else reading or _plain_reading(result)
    parts = [f"% Study: {comment(result.study.title)}", "% Needs in the preamble: \\usepackage{booktabs}"]
    body = []
    for place, (group, entries) in enumerate(result.groups.items(), 1):
        text = latex_text(labelled(entries), level=level, reading=chosen, style=style)
        # labels must differ from group to group, and captions say which group it is
        text = re.sub(r"\{tab:forgetmap-[^}]*-(\d+)\}", rf"{{tab:study-{place}-\1}}", text)
        if group is not None:
            text = text.replace(r"\caption{", rf"\caption{{{tex(group)}. ")
        body.append(text.replace(f"{STAND_IN}\n", ""))
    body += [_models(result), *_trends(result)]
    whole = "\n\n\\clearpage\n".join(body)
    if has_stand_in(whole):
        parts.append(STAND_IN)
    return "\n".join(parts) + "\n\n" + whole + "\n"


def _plain_reading(result: StudyResult) -> str:
    return "auto" if result.reading == "known" else result.reading


def _models(result: StudyResult) -> str:
    """Which model is which, by its exact id, with the score it is measured from."""
    rows = []
    for entry in result.found:
        row = pair_row(result, entry)
        parent = f" (parent: {entry.spec.parent})" if entry.notes else ""
        cells = [breakable(entry.name), breakable(row["before"] + parent), breakable(row["after"])]
        figures = [amount_text(entry.spec.size), share(row["acc_before"]), share(row["acc_after"])]
        ragged = " & ".join(rf"\raggedright {cell}" for cell in cells)
        rows.append(f"{ragged} & {' & '.join(map(tex, figures))} \\tabularnewline")
    kinds = r"@{}p{0.24\linewidth}p{0.26\linewidth}p{0.26\linewidth}rrr@{}"
    head = r"pair & before & after & size & before & after \\"
    floats = []
    for at in range(0, len(rows), _MOST_LINES // 2):
        floats.append(
            _float("Pairs: exact models, and their scores in %.", f"tab:study-models-{at}", kinds, head,
                   rows[at : at + _MOST_LINES // 2])
        )  # fmt: skip
    return "\n\n".join(floats)


def _trends(result: StudyResult) -> list[str]:
    rows = []
    for one in result.trends:
        named: list[tuple[str, Trend]] = [("all", one["overall"])]
        named += [(trend.group or "without a group", trend) for trend in one["groups"]]
        for group, trend in named:
            what = f"{one['direction']} / {along(one)}"
            if trend.slope is None:
                rows.append(f"{tex(what)} & {tex(group)} & {trend.pairs} & -- & {tex(trend.reason or '')} \\\\")
            else:
                ends = f"{points(trend.low)} to {points(trend.high)}{'' if trend.shows else ', no trend shown'}"
                rows.append(
                    f"{tex(what)} & {tex(group)} & {trend.pairs} & {tex(points(trend.slope))} & {tex(ends)} \\\\"
                )
    if not rows:
        return []
    head = r"trend & group & pairs & slope & 95\,\% \\"
    caption = "Slopes, in points per factor of ten, with 95 % intervals."
    made = [
        _float(caption, f"tab:study-trends-{at}", "@{}llrrl@{}", head, rows[at : at + _MOST_LINES])
        for at in range(0, len(rows), _MOST_LINES)
    ]
    return ["\n\n".join(made)]


def _float(caption: str, label: str, kinds: str, head: str, rows: Sequence[str]) -> str:
    table = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(
        [r"\begin{table}[tbp]", r"\centering", rf"\caption{{{tex(caption)}}}", rf"\label{{{label}}}", r"\smallskip",
         r"{\footnotesize\setlength{\tabcolsep}{3pt}%", "\n".join(table) + "}", r"\end{table}"]
    )  # fmt: skip
