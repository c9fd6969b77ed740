"""A gate's result as markdown for a pull-request comment. Names of others are shown, never obeyed."""

from __future__ import annotations

from forgetmap.gate.result import GateResult
from forgetmap.gate.text import MARKS, MOST_LINES, figures, rows, some, stop_line
from forgetmap.report.markdown_signs import escape as _escape

_LONGEST = 300
#: A comment on GitHub may hold 65,536 characters; what is left out is counted.
_MOST = 60_000
_ROWS_AND_LINES = ((60, MOST_LINES), (20, MOST_LINES), (5, 3))
#: What failed must not be what is cut off.
_URGENCY = (False, None, True)
_RULERS = dict.fromkeys(("", "limit on", "reading"), "---")


def escape(text: str, most: int = _LONGEST) -> str:
    """Return text that Markdown shows as it is, cut to a bearable length."""
    return _escape(text, most)


def _code(text: str) -> str:
    # Code as a tag: between backticks a table would still see pipes, and entities would not be read.
    return f"<code>{escape(text, 80)}</code>"


def gate_markdown(result: GateResult) -> str:
    """Return the summary: the outcome, the reasons, the limits as a table, the rest folded away."""
    for most_rows, most_lines in _ROWS_AND_LINES:
        text = _summary(result, most_rows, most_lines)
        if len(text) <= _MOST:
            break
    return text


def _summary(result: GateResult, most_rows: int, most_lines: int) -> str:
    lines = [
        f"### {MARKS[result.passed]} forgetmap {escape(result.headline)}",
        "",
        *_list(result.reasons(), most_lines),
    ]
    headings = ["", "limit on", *figures(result, result.rules[0])]
    lines += ["", _row(headings), _row([_RULERS.get(name, "---:") for name in headings])]
    table = sorted(rows(result.rules), key=lambda row: _URGENCY.index(row.passed))
    for passed, rule, more in table[:most_rows]:
        cells = [more] if rule is None else [_code(rule.what), *map(escape, figures(result, rule).values())]
        lines.append(_row([MARKS[passed], *cells], len(headings)))
    if left_out := table[most_rows:]:
        failed = sum(row.passed is False for row in left_out)
        lines.append(_row(["", f"… {len(left_out)} more, of which {failed} failed"], len(headings)))
    lines += ["", "| | condition | found |", "|---|---|---|"]
    lines += [f"| {MARKS[check.passed]} | {check.name} | {escape(check.found)} |" for check in result.checks]
    if line := stop_line(result):
        lines += ["", escape(line)]
    notes = [f"{rule.what}: {rule.note}" for rule in result.rules if rule.note] + list(result.warnings)
    if notes:
        lines += ["", f"<details><summary>Notes and warnings ({len(notes)})</summary>", ""]
        lines += [*_list(notes, most_lines), "", "</details>"]
    return "\n".join(lines) + "\n"


def _row(cells: list[str], width: int = 0) -> str:
    return f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |"


def _list(texts: list[str], most: int) -> list[str]:
    return [f"- {escape(text)}" for text in some(texts, most)]
