"""A gate's result as markdown for a pull-request comment. Names of others are shown, never obeyed."""

from __future__ import annotations

from forgetmap.gate.result import GateResult, share
from forgetmap.gate.text import MARKS, asked, interval, rows, stop_line
from forgetmap.report.plain import visible

_LONGEST = 300
#: A comment on GitHub may hold 65,536 characters; what is left out is counted.
_MOST = 60_000
_ROWS_AND_LINES = ((60, 30), (20, 10), (5, 3))
_SPECIAL = frozenset("&<>|`*_[]\\~#@$!{}()\"'")


def escape(text: str, most: int = _LONGEST) -> str:
    """Return text that markdown shows as it is: on one line, special signs as entities, no links and no mentions.

    >>> escape("a|b <i> @me"), escape("see https://x.y")
    ('a&#124;b &#60;i&#62; &#64;me', 'see https&#58;//x.y')
    """
    flat = " ".join(visible(text).split())
    flat = flat if len(flat) <= most else f"{flat[: most - 1]}…"
    made = "".join(f"&#{ord(sign)};" if sign in _SPECIAL else sign for sign in flat)
    return made.replace("://", "&#58;//").replace("www.", "www&#46;").replace("WWW.", "WWW&#46;")


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
    lines += ["", "| | limit on | items | estimate | bounds | limit | reading |", "|---|---|---:|---:|---:|---:|---|"]
    table = rows(result.rules)
    table.sort(key=lambda row: row[0].passed)  # what failed must not be what is cut off
    for rule, more in table[:most_rows]:
        counted = f"{rule.items:,}" if rule.seen is None else f"{rule.seen:,} of {rule.items:,}"
        figures = [counted, share(rule.estimate), interval(rule), escape(asked(rule)), rule.reading or "–"]
        lines.append(f"| {MARKS[rule.passed]} | {_code(rule.what)} | {' | '.join(figures)} |")
        if more:
            lines.append(f"| {MARKS[True]} | … {more} more {rule.level} cells pass | | | | | |")
    if len(table) > most_rows:
        left_out = table[most_rows:]
        failed = sum(not rule.passed for rule, _ in left_out)
        lines.append(f"| | … {len(left_out)} more, of which {failed} failed | | | | | |")
    lines += ["", "| | condition | found |", "|---|---|---|"]
    lines += [f"| {MARKS[check.passed]} | {check.name} | {escape(check.found)} |" for check in result.checks]
    if line := stop_line(result):
        lines += ["", escape(line)]
    notes = list(dict.fromkeys(f"{rule.what}: {rule.note}" for rule in result.rules if rule.note)) + list(
        result.warnings
    )
    if notes:
        lines += ["", f"<details><summary>Notes and warnings ({len(notes)})</summary>", ""]
        lines += [*_list(notes, most_lines), "", "</details>"]
    return "\n".join(lines) + "\n"


def _list(texts: list[str], most: int) -> list[str]:
    shown = [f"- {escape(text)}" for text in texts[:most]]
    return shown + ([f"- … and {len(texts) - most} more"] if len(texts) > most else [])
