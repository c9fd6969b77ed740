"""Maps as LaTeX tables (booktabs) to put into a paper with \\input: value, interval, ceiling, total, notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from forgetmap.report.exports.names import told_apart
from forgetmap.report.exports.tex_signs import STAND_IN, breakable, comment, has_stand_in, tex
from forgetmap.report.plain import number
from forgetmap.report.sheet import Sheet
from forgetmap.report.styles import MOST_MODELS, StyledColumn, StyledRow, StyledTable, TaskSet, styled_tables, task_sets

#: Lines that fit a page: what is longer goes on in a further table.
_MOST_LINES = 40
#: Signs on a line of an ordinary column of text, by size of type.
_SIZES = (("\\small", 72), ("\\footnotesize", 82))
_SMALLEST, _WIDEST = "\\scriptsize", 104
_HEADING, _LONG_NAME = 17, 34
_MARKS = "†*‡§¶±"
#: LaTeX keeps a few dozen tables waiting for their place, and no more.
_MOST_WAITING = 12


@dataclass(frozen=True)
class _Part:
    """One table of the file."""

    caption: str
    size: str
    tabular: str
    notes: Sequence[str] = ()
    first: int = 0  # how many tables before this one the notes are that hold for this one too; 0: none


def latex_text(
    sheets: Sequence[Sheet], *, level: str = "category", reading: str = "auto", style: str = "forgetmap"
) -> str:
    """Return tables for \\input; they compile with pdflatex, xelatex and lualatex and need booktabs only.

    At most four models stand in a table, and at most forty lines; units are in the caption, and notes below a table
    explain its marks. A last table names the tasks behind each row.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", "-".join(sheet.after_name for sheet in sheets[:1]).lower()).strip("-")[:40]
    tables = _tables(sheets, style, level, reading)
    parts = [part for table in tables for part in _parts(table)]
    parts += _task_parts(task_sets(sheets, level), level)
    made = [_float(part, f"tab:forgetmap-{slug or 'map'}-", place) for place, part in enumerate(parts, 1)]
    flushed = [f"{text}\n\\clearpage" if place % _MOST_WAITING == 0 else text for place, text in enumerate(made, 1)]
    body = "\n\n".join(flushed)
    head = [
        "% Tables of forgetmap. Needs in the preamble: \\usepackage{booktabs}",
        *(f"% {comment(f'{sheet.before_name} -> {sheet.after_name}')}" for sheet in told_apart(sheets)),
    ]
    if has_stand_in(body):
        head.append("% Signs that the font lacks, such as Chinese under pdflatex, print as their number: [U+4E2D].")
        head.append(STAND_IN)
    return "\n".join(head) + "\n\n" + body + "\n"


def _tables(sheets: Sequence[Sheet], style: str, level: str, reading: str) -> list[StyledTable]:
    """Four models side by side, three where four are wider than a column of text."""
    tables = styled_tables(sheets, style, level, reading)
    if max(_width(table) for table in tables) > _WIDEST:
        tables = styled_tables(sheets, style, level, reading, MOST_MODELS - 1)
    return tables


def _parts(table: StyledTable) -> list[_Part]:
    """Caption, tabular and notes of each table that one styled table makes; a section is a table of its own."""
    made: list[_Part] = []
    size = _size(table)
    for heading, rows in table.sections():
        caption = f"{heading[:1].upper()}{heading[1:]}: {table.about}"
        pages = _pages(rows)
        for place, page in enumerate(pages):
            more = f" (part {place + 1} of {len(pages)})" if len(pages) > 1 else ""
            notes = _notes(table, page, everything=not made)
            made.append(_Part(f"{caption}{more}.", size, _tabular(table.columns, page), notes, len(made)))
    return made


def _pages(rows: Sequence[StyledRow]) -> list[list[StyledRow]]:
    """The rows in parts that fit a page; a long name takes several lines."""
    pages: list[list[StyledRow]] = [[]]
    used = 0
    for row in rows:
        height = -(-len(row.texts[0]) // _LONG_NAME)
        if pages[-1] and used + height > _MOST_LINES:
            pages.append([])
            used = 0
        pages[-1].append(row)
        used += height
    return pages


def _notes(table: StyledTable, rows: Sequence[StyledRow], *, everything: bool) -> list[str]:
    """The notes of a part: one that explains a mark wherever the mark is, the others only where all are asked for."""
    text = "".join("".join(row.texts) for row in rows)
    return [note for note in table.notes if (note[0] in text if _explains_mark(note) else everything)]


def _explains_mark(note: str) -> bool:
    return note[:1] in _MARKS and note[1:2] == ":"


def _size(table: StyledTable) -> str:
    """The largest type in which the table is no wider than a column of text."""
    wide = _width(table)
    return next((size for size, most in _SIZES if wide <= most), _SMALLEST)


def _width(table: StyledTable) -> int:
    """About how many signs a line of the table has."""
    wide = 0
    for at, column in enumerate(table.columns):
        texts = [row.texts[at] for row in table.rows if len(row.texts) > 1]
        longest = max(len(text) for text in (*_lines(column.name), *texts))
        wide += 2 + (min(longest, _LONG_NAME) if at == 0 else longest)
    return wide


def _tabular(columns: Sequence[StyledColumn], rows: Sequence[StyledRow]) -> str:
    long = any(len(row.texts[0]) > _LONG_NAME for row in rows)
    first = r"p{0.3\linewidth}" if long else "l"
    kinds = first + "".join("r" if column.figures else "l" for column in columns[1:])
    head = " & ".join(_heading(column) for column in columns)
    lines = [rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}", r"\toprule", rf"{head} \\", r"\midrule"]
    for place, row in enumerate(rows):
        texts = [
            rf"\raggedright {breakable(row.texts[0])}" if long else tex(row.texts[0]),
            *map(_figure, row.texts[1:]),
        ]
        if row.kind != "cell":
            texts = [rf"\textbf{{{text}}}" for text in texts]
            rule = r"\midrule" if row.kind == "total" else r"\addlinespace"
            lines += [rule] if place else []
        lines.append(" & ".join(texts) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _figure(text: str) -> str:
    """A text of a cell; an interval is set tight, as ranges are in print, unless a minus is near."""
    return tex(text if "−" in text else text.replace(" – ", "–"))


def _heading(column: StyledColumn) -> str:
    """A heading, on several lines where a model has a long name."""
    lines = [tex(line) for line in _lines(column.name)]
    if len(lines) == 1:
        return lines[0]
    side = "r" if column.figures else "l"
    return rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}" + r" \\ ".join(lines) + r"\end{tabular}"


def _lines(name: str) -> list[str]:
    """A name on lines of bearable length, broken after the signs that join its words, else anywhere."""
    lines = [""]
    for word in re.findall(r"[^-_/:. ]{1,16}[-_/:. ]?|[-_/:. ]", name):
        if len(lines[-1]) + len(word) > _HEADING and lines[-1]:
            lines.append("")
        lines[-1] += word
    return [line.strip() for line in lines if line.strip()] or [name]


def _float(part: _Part, label: str, place: int) -> str:
    lines = [tex(note) for note in part.notes]
    if part.first:
        lines.append(rf"notes as under Table~\ref{{{label}{place - part.first}}}")
    said = " \\\\\n".join(lines)
    below = [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize\raggedright {said}}}"] if said else []
    return "\n".join(
        [
            r"\begin{table}[tbp]",
            r"\centering",
            rf"\caption{{{tex(part.caption)}}}",
            rf"\label{{{label}{place}}}",
            r"\smallskip",
            rf"{{{part.size}\setlength{{\tabcolsep}}{{3pt}}%",
            # a box as wide as the text, so that what is wider hangs over on both sides alike
            r"\makebox[\linewidth][c]{%",
            part.tabular + "}}",
            *below,
            r"\end{table}",
        ]
    )


def _task_parts(sets: Sequence[TaskSet], level: str) -> list[_Part]:
    """The tables that name the tasks behind each row; rows that are a task need none."""
    told = [one for one in sets if not (one.models is None and one.tasks == (one.row,))]
    pages: list[list[str]] = [[]]
    used = 0
    for one in told:
        where = f" ({', '.join(one.models)})" if one.models else ""
        text = ", ".join(one.tasks) or "none"
        height = max(len(text) // 68, len(one.row + where) // 22) + 1
        if pages[-1] and used + height > _MOST_LINES:
            pages.append([])
            used = 0
        used += height
        names = ", ".join(breakable(name) for name in one.tasks) or "none"
        count = number(len(one.tasks), "task")
        pages[-1].append(rf"\raggedright {breakable(one.row + where)} & \raggedright {names} ({count}) \tabularnewline")
    made = []
    for place, page in enumerate(pages):
        more = f" (part {place + 1} of {len(pages)})" if len(pages) > 1 else ""
        columns = r"@{}p{0.24\linewidth}p{0.7\linewidth}@{}"
        head = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rf"{tex(level)} & tasks \\", r"\midrule"]
        body = "\n".join([*head, *page, r"\bottomrule", r"\end{tabular}"])
        made.append(_Part(f"Tasks behind each row{more}.", "\\footnotesize", body))
    return made if told else []
