"""A gate's result in a terminal: a compact table of limits, the conditions, and the reasons."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table

from forgetmap.gate.result import GateResult, RuleResult, ends, limit_text, share
from forgetmap.report.plain import number, plain, visible

#: Cells of one limit that pass, or are open, are shown up to this many each; beyond, only those nearest to the limit.
_ROWS = 6
#: Reasons, and notes, are listed up to this many.
MOST_LINES = 10
#: Least width of the names; on a narrow terminal figures give way to it.
_NAMES = 34
MARKS = {True: "✓", False: "✗", None: "·"}
_COLOURS = {True: "green", False: "red", None: "dim"}


class Row(NamedTuple):
    """A limit to show, or how many more of a kind are left out."""

    passed: bool | None
    rule: RuleResult | None
    more: str = ""


def rows(rules: Sequence[RuleResult]) -> list[Row]:
    """Return the limits to show: all that failed, and of each kind those nearest to the limit."""
    kinds: dict[tuple[str, str], list[RuleResult]] = {}
    for rule in rules:
        kinds.setdefault((rule.rule, rule.measure), []).append(rule)
    made: list[Row] = []
    for of in kinds.values():
        states = {state: [rule for rule in of if rule.passed is state] for state in (False, None, True)}
        if max(len(states[None]), len(states[True])) <= _ROWS:
            made += [Row(rule.passed, rule) for rule in of]  # as the policy and the taxonomy order them
            continue
        for state, some in states.items():
            shown = some if state is False or len(some) <= _ROWS else sorted(some, key=_room)[:_ROWS]
            made += [Row(state, rule) for rule in shown]
            if left_out := len(some) - len(shown):
                said = ("passes", "pass") if state else ("is open", "are open")
                counted = f"cell {said[0]}" if left_out == 1 else f"cells {said[1]}"
                made.append(Row(state, None, f"… {left_out} more {of[0].level} {counted}"))
    return made


def _room(rule: RuleResult) -> float:
    """How far the bound is from the limit; for one that is open, the bound that would break it."""
    low, high = (0.0 if end is None else end for end in (rule.low, rule.high))
    if rule.measure == "gained_at_least":
        return (low if rule.passed else high) - rule.limit
    return rule.limit - (high if rule.passed else low)


def interval(rule: RuleResult) -> str:
    """Return the bounds as people read them."""
    return "–" if rule.low is None or rule.high is None else " … ".join(ends(rule.low, rule.high))


def asked(rule: RuleResult) -> str:
    """Return the limit with its sign."""
    return f"{'≥' if rule.measure == 'gained_at_least' else '<'} {limit_text(rule.limit)}"


def figures(result: GateResult, rule: RuleResult) -> dict[str, str]:
    """Return the figures of a limit by their heading."""
    stopped = result.sequential is not None
    decided = "open" if rule.passed is None else f"at {rule.decided_at or 0:,}"
    return {
        "items": f"{rule.seen or 0:,}/{rule.items:,}" if stopped else f"{rule.items:,}",
        "estimate": share(rule.estimate),
        "bounds": interval(rule),
        "limit": asked(rule),
        **({"decided": decided} if stopped else {}),
        "reading": rule.reading or "–",
    }


def _fitting(console: Console, result: GateResult, shown: Sequence[Row]) -> list[str]:
    """Headings of the figures that leave room for the names; the bounds must stay."""
    found = [figures(result, row.rule) for row in shown if row.rule is not None]
    width = {name: max(len(name), *(len(one[name]) for one in found)) for name in found[0]}
    between = 3 if console.is_terminal else 2
    for name in ("estimate", "reading"):
        if sum(width.values()) + between * (len(width) + 2) + _NAMES > console.width:
            del width[name]
    return list(width)


def stop_line(result: GateResult) -> str | None:
    """Return how a sequential gate looked; nothing for another."""
    stop = result.sequential
    if stop is None:
        return None
    held = f"bounds hold at every look, each with {limit_text(1 - stop.alpha)}"
    if stop.decided:
        return f"stopped in the random order of seed {stop.seed}; {held}"
    return f"not decided yet: go on in the order of seed {stop.seed}; {held}"


def failures(result: GateResult) -> list[str]:
    """Return why limits failed, beyond what their figures say; those alike in one line."""
    groups: dict[str, list[RuleResult]] = {}
    for rule in result.rules:
        if rule.passed is False:
            groups.setdefault(_why(rule), []).append(rule)
    return [f"{_named(of)}: {why}" for why, of in groups.items()]


def _why(rule: RuleResult) -> str:
    if rule.low is None or rule.high is None or rule.reading is None:
        return rule.reason or "it has no figure"
    surely = rule.seen is not None
    if rule.measure == "gained_at_least":
        return (
            "even the upper bound is under the limit"
            if surely or rule.high < rule.limit
            else "the lower bound is under the limit"
        )
    if surely or rule.low >= rule.limit:
        return "even the lower bound is not under the limit"
    if rule.estimate is not None and rule.estimate < rule.limit:
        return "the estimate is under the limit, the upper bound is not: more items would tell"
    return "the upper bound is not under the limit"


def _named(rules: Sequence[RuleResult], most: int = 3) -> str:
    if len(rules) == 1:
        return rules[0].what
    named = ", ".join(rule.what for rule in rules[:most])
    return f"{len(rules)} limits ({named}{f' and {len(rules) - most} more' if len(rules) > most else ''})"


def notes(result: GateResult) -> list[str]:
    """Return how figures should be read; notes alike but for their counts are said once."""
    groups: dict[str, list[RuleResult]] = {}
    for rule in result.rules:
        if rule.note:
            groups.setdefault(re.sub(r"[\d,.]+", "#", rule.note), []).append(rule)
    said = []
    for of in groups.values():
        alike = len({rule.note for rule in of}) == 1
        where = of[0].what if len(of) == 1 else number(len(of), "limit") + ("" if alike else f", such as {of[0].what}")
        said.append(f"{where}: {of[0].note}")
    return said


def print_gate(console: Console, result: GateResult) -> None:
    """Print the outcome, every limit, every condition and why it failed."""
    _print(console, f"{MARKS[result.passed]} {result.headline}", f"bold {_COLOURS[result.passed]}")
    console.print()
    shown = rows(result.rules)
    headings = _fitting(console, result, shown)
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    table.add_column("limit on", overflow="fold")
    for name in headings:
        table.add_column(name, justify="left" if name == "reading" else "right", no_wrap=True)
    for passed, rule, more in shown:
        mark = plain(MARKS[passed], _COLOURS[passed])
        if rule is None:
            table.add_row(mark, plain(more, "dim"))
        else:
            found = figures(result, rule)
            table.add_row(mark, plain(_cut(rule.what)), *(plain(found[name]) for name in headings))
    console.print(table)
    console.print()
    for check in result.checks:
        said = check.found if check.passed else check.reason or check.found
        _print(console, f"{MARKS[check.passed]} {check.name}: {said}", "" if check.passed else "red")
    if line := stop_line(result):
        _print(console, line)
    _print_some(console, "failed: ", failures(result), "red")
    _print_some(console, "note: ", notes(result), "dim")
    for warning in result.warnings:
        _print(console, f"warning: {warning}", "yellow")


def _print_some(console: Console, label: str, lines: Sequence[str], style: str) -> None:
    for line in some(lines):
        _print(console, f"{label}{line}", style)


def some(lines: Sequence[str], most: int = MOST_LINES) -> list[str]:
    """Return the first lines, and how many more there are."""
    return [*lines[:most], *([f"… and {len(lines) - most:,} more"] if len(lines) > most else [])]


def _print(console: Console, text: str, style: str = "") -> None:
    """Print a sentence; where it runs on, the next lines are indented."""
    wrapped: Iterable[str] = textwrap.wrap(
        visible(text), console.width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    for line in wrapped:
        console.print(plain(line, style))


def _cut(name: str, most: int = 48) -> str:
    flat = " ".join(name.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def gate_text(result: GateResult) -> str:
    """Return what is printed, plain."""
    console = Console(width=120, no_color=True, highlight=False, file=io.StringIO(), force_terminal=False)
    print_gate(console, result)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text
