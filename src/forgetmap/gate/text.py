"""A gate's result in a terminal: a compact table of limits, the conditions, and the reasons."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from forgetmap.gate.result import GateResult, RuleResult, limit_text, share
from forgetmap.report.plain import number, plain

#: Cells of one limit that pass are shown up to this many; beyond, only those nearest to the limit.
_ROWS = 6
MARKS = {True: "✓", False: "✗"}


def rows(rules: Sequence[RuleResult]) -> list[tuple[RuleResult, int]]:
    """Return the limits to show, each with how many more of its kind pass and are left out after it."""
    kinds: dict[tuple[str, str], list[RuleResult]] = {}
    for rule in rules:
        kinds.setdefault((rule.rule, rule.measure), []).append(rule)
    made = []
    for of in kinds.values():
        failed, kept = ([rule for rule in of if rule.passed is passed] for passed in (False, True))
        if len(kept) > _ROWS:
            kept.sort(key=_room)
        shown = [*failed, *kept[:_ROWS]] if len(kept) > _ROWS else of
        made += [(rule, 0) for rule in shown[:-1]]
        made.append((shown[-1], len(of) - len(shown)))
    return made


def _room(rule: RuleResult) -> float:
    """How far the bound is from the limit."""
    if rule.measure == "gained_at_least":
        return (rule.low or 0.0) - rule.limit
    return rule.limit - (rule.high or 0.0)


def interval(rule: RuleResult) -> str:
    """Return the bounds as people read them."""
    return "–" if rule.low is None or rule.high is None else f"{share(rule.low)} … {share(rule.high)}"


def asked(rule: RuleResult) -> str:
    """Return the limit with its sign."""
    return f"{'≥' if rule.measure == 'gained_at_least' else '<'} {limit_text(rule.limit)}"


def stop_line(result: GateResult) -> str | None:
    """Return how far a sequential gate looked; nothing for another."""
    stop = result.sequential
    if stop is None:
        return None
    of = f"{stop.seen:,} of {number(stop.of, 'paired sample')}"
    if not stop.decided:
        return f"undecided after {of}: go on in the order of seed {stop.seed}"
    held = f"bounds hold at every look, each with {1 - stop.alpha:.0%}"
    return f"decided after {of} in the random order of seed {stop.seed}; {held}"


def print_gate(console: Console, result: GateResult) -> None:
    """Print the outcome, every limit, every condition and why it failed."""
    colours = {True: "green", False: "red"}
    console.print(plain(f"{MARKS[result.passed]} {result.headline}", f"bold {colours[result.passed]}"))
    console.print()
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("", "limit on", "items", "estimate", "bounds", "limit", "reading"):
        table.add_column(name, justify="left" if name in ("", "limit on", "reading") else "right", no_wrap=True)
    for rule, more in rows(result.rules):
        counted = f"{rule.items:,}" if rule.seen is None else f"{rule.seen:,}/{rule.items:,}"
        figures = (counted, share(rule.estimate), interval(rule), asked(rule), rule.reading or "–")
        table.add_row(
            plain(MARKS[rule.passed], colours[rule.passed]), plain(_cut(rule.what)), *(plain(text) for text in figures)
        )
        if more:
            table.add_row(plain(MARKS[True], colours[True]), plain(f"… {more} more {rule.level} cells pass", "dim"))
    console.print(table)
    console.print()
    for check in result.checks:
        console.print(plain(f"{MARKS[check.passed]} {check.name}: {check.found}", "" if check.passed else "red"))
    if line := stop_line(result):
        console.print(plain(line))
    for reason in result.reasons():
        console.print(plain(f"failed: {reason}", "red"))
    for note in dict.fromkeys(rule.note for rule in result.rules if rule.note):
        which = [rule for rule in result.rules if rule.note == note]
        where = which[0].what if len(which) == 1 else f"{number(len(which), 'limit')}"
        console.print(plain(f"note: {where}: {note}", "dim"))
    for warning in result.warnings:
        console.print(plain(f"warning: {warning}", "yellow"))


def _cut(name: str, most: int = 48) -> str:
    flat = " ".join(name.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def gate_text(result: GateResult) -> str:
    """Return what is printed, plain."""
    console = Console(width=120, no_color=True, highlight=False, file=io.StringIO(), force_terminal=False)
    print_gate(console, result)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text
