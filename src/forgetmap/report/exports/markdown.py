"""Maps as Markdown for a README, an issue or a pull request: sentences, table, legend, warnings."""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.report.exports.names import sources_of, told_apart
from forgetmap.report.markdown_signs import escape, row
from forgetmap.report.sheet import Sheet
from forgetmap.report.styles import StyledTable, styled_tables, task_sets
from forgetmap.report.styles.task_sets import model_names
from forgetmap.report.summary import summary_lines
from forgetmap.report.tables import headline, pairing_lines


def markdown_text(
    sheets: Sequence[Sheet], *, level: str = "category", reading: str = "auto", style: str = "forgetmap"
) -> str:
    """Return GitHub-flavoured Markdown: what was found, the table in a style, what its signs mean, what to mind."""
    sources = sources_of(sheets)
    sheets = told_apart(sheets)
    tables = styled_tables(sheets, style, level, reading)  # first: a style may refuse
    lines: list[str] = []
    for sheet in sheets:
        lines += [f"### {escape(headline(sheet))}", ""]
        lines += [f"{escape(line)}  " for line in summary_lines(sheet)]  # two blanks: each sentence its own line
        lines += [*_warnings(sheet), ""]
    for table in tables:
        lines += _table(table)
    lines += _folded("Tasks behind the rows", _tasks(sheets, level))
    for sheet, name, source in zip(sheets, model_names(sheets), sources, strict=True):
        named = f": {name}" if len(sheets) > 1 else ""
        notes = [*([source] if source else []), *pairing_lines(sheet), *(f"note: {note}" for note in sheet.notes)]
        lines += _folded(f"How the runs were paired{named}", notes)
    return "\n".join(lines).rstrip() + "\n"


def _warnings(sheet: Sheet) -> list[str]:
    if not sheet.warnings:
        return []
    return ["", "**Warnings**", "", *(f"- {escape(warning)}" for warning in sheet.warnings)]


def _table(table: StyledTable) -> list[str]:
    lines = []
    head = [row([escape(column.name) for column in table.columns])]
    head.append(row(["---:" if column.figures else "---" for column in table.columns]))
    for heading, rows in table.sections():
        lines += [f"**{escape(f'{heading[:1].upper()}{heading[1:]}; {table.about}')}**", "", *head]
        for line in rows:
            texts = [escape(text) for text in line.texts]
            texts = texts if line.kind == "cell" else [f"**{text}**" for text in texts]
            lines.append(row([*texts, *[""] * (len(table.columns) - len(texts))]))
        lines.append("")
    return [*lines, *(f"- {escape(note)}" for note in table.notes), ""]


def _tasks(sheets: Sequence[Sheet], level: str) -> list[str]:
    made = []
    for one in task_sets(sheets, level):
        if one.tasks == (one.row,) and one.models is None:
            continue  # the row is the task
        where = f" ({', '.join(one.models)})" if one.models else ""
        made.append(f"{one.row}{where}: {', '.join(one.tasks) or 'none'}")
    return made


def _folded(title: str, texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    listed = [f"- {escape(text)}" for text in texts]
    return [f"<details><summary>{escape(title)}</summary>", "", *listed, "", "</details>", ""]
