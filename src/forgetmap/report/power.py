"""Plans in a terminal: the answer in words, a small table, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from forgetmap.estimate.power import POWER, Plan, detectable_loss, items_needed, repeats_needed, usual_margin
from forgetmap.estimate.worlds import World
from forgetmap.report.plain import number, percent, plain

SCHEMA = "forgetmap.power/1"
#: Repeats shown when nobody asks for a number: more help little.
_REPEATS = range(1, 6)
#: Columns that go first when the terminal is narrow.
_LEAST_MISSED = ("reading", "known", "margin", "answers per model")
_READINGS = {
    "chance": "chance: knowledge lost, lucky guesses removed",
    "noise": "noise: knowledge lost beyond what re-runs of one model would give",
    "net": "net: score before less score after, as nothing tells noise from loss",
    "observed": "observed: items that went from right to wrong",
}


@dataclass(frozen=True)
class Answer:
    """What is printed, and the same as data."""

    content: dict[str, Any]
    lines: list[str]  # the answer in words
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    total: bool = False  # whether the last row is the total of the others


def print_answer(console: Console, answer: Answer) -> None:
    """Print words, table, notes and warnings."""
    for place, line in enumerate(answer.lines):
        console.print(plain(line, "" if place else "bold"))
    console.print()
    console.print(_table(answer, console.width, framed=console.is_terminal))
    console.print()
    for note in answer.notes:
        console.print(plain(note, "dim"))
    for warning in answer.warnings:
        console.print(plain(f"warning: {warning}", "yellow"))


def _table(answer: Answer, width: int, *, framed: bool) -> Table:
    """The table; as the terminal narrows some columns go, then names are cut."""
    columns = list(zip(answer.head, *answer.rows, strict=True))
    wide = [max(cell_len(text) for text in column) + 2 for column in columns]
    for name in _LEAST_MISSED:
        if sum(wide) + 2 > width and name in answer.head:
            place = [column[0] for column in columns].index(name)
            del columns[place], wide[place]
    table = Table(
        box=box.SIMPLE_HEAD if framed else None, pad_edge=False, padding=(0, 1, 0, 0) if framed else (0, 2, 0, 0)
    )
    for place, column in enumerate(columns):
        room = max(10, width - sum(wide[1:]) - 4) if not place else None
        table.add_column(column[0], justify="right" if place else "left", no_wrap=True, max_width=room)
    for at, row in enumerate(zip(*(column[1:] for column in columns), strict=True), 1):
        last = answer.total and at == len(answer.rows)
        if last:
            table.add_section()
        table.add_row(*(plain(" ".join(text.split())) for text in row), style="bold" if last else None)
    return table


def points(share: float | None) -> str:
    """Return a share as points, for sentences.

    >>> points(0.03), points(0.01), points(0.0549), points(None)
    ('3 points', '1 point', '5.5 points', '–')
    """
    if share is None:
        return "–"
    rounded = round(100 * share, 1)
    return f"{rounded:g} point" if rounded == 1 else f"{rounded:g} points"


def about(items: float | None) -> str:
    """Return a number of items, rounded up to three digits: no plan is surer than that.

    >>> about(10_841), about(211), about(None)
    ('10,900', '211', '–')
    """
    if items is None:
        return "–"
    step = 10 ** max(floor(log10(max(items, 1))) - 2, 0)
    return f"{ceil(round(items / step, 9)) * step:,}"


def plan_answer(
    loss: float | None, items: int | None, values: Mapping[str, Any], decision: Mapping[str, Any]
) -> Answer:
    """Return how many items show a loss, which loss so many items show, or, with both, how many repeats it takes.

    `values` are fields of World, `decision` holds margin, power and cells where they were set.
    """
    numbers = [values["repeats"]] if "repeats" in values else list(_REPEATS)
    worlds = [World(**{**values, "repeats": repeats}) for repeats in numbers]
    margins = [decision.get("margin", usual_margin(world)) for world in worlds]
    losses = [] if items is None else [detectable_loss(items, world, **decision) for world in worlds]
    needs: dict[int, Plan] = {}
    if loss is not None:
        # Without repeats the margin is larger: a small loss is a question for repeats only.
        larger = [world for world, margin in zip(worlds, margins, strict=True) if loss > margin] or worlds[-1:]
        needs = {world.repeats: items_needed(loss, world, **decision) for world in larger}
    fewest = None
    if loss is not None and items is not None and "repeats" not in values:
        fewest = repeats_needed(loss, items, worlds[0], **decision)
    rows = []
    for place, world in enumerate(worlds):
        row = [str(world.repeats), percent(margins[place])]
        if losses:
            row.append(percent(losses[place].loss))
        if needs:
            needed = needs[world.repeats].items if world.repeats in needs else None
            row += [about(needed), about(None if needed is None else needed * world.repeats)]
        rows.append((*row, world.reading))
    head: tuple[str, ...] = ("repeats", "margin", *(("smallest loss",) if losses else ()))
    head += ("items needed", "answers per model") if needs else ()
    plans = [*losses, *needs.values()]
    lines = _both_in_words(fewest, needs) if fewest else [*_in_words(losses), *_in_words(list(needs.values()))]
    content = {
        "schema": SCHEMA,
        "repeats_needed": fewest.to_dict() if fewest else None,
        "items_needed": [plan.to_dict() for plan in needs.values()] or None,
        "detectable_loss": [plan.to_dict() for plan in losses] or None,
    }
    notes = [*reasons(plans), *captions(world.reading for world in worlds), _assumed(worlds), meaning(decision)]
    if loss is not None and len(needs) < len(worlds):
        notes.insert(0, f"–: {points(loss)} are within the margin that stands for re-run noise where none is measured")
    return Answer(content, lines, (*head, "reading"), rows, notes, doubts(plans))


def _in_words(plans: Sequence[Plan]) -> list[str]:
    """One sentence, and a second one where repeats change the margin."""
    said = [plan for plan in plans[:2] if plan is plans[0] or plan.margin != plans[0].margin]
    return [_sentence(plan) for plan in said]


def _sentence(plan: Plan) -> str:
    each = "one answer each" if plan.repeats == 1 else f"{plan.repeats} answers each"
    against = f"against a margin of {points(plan.margin)}"
    items = number(plan.items or 0, "item")
    if plan.asked == "items" and plan.items is None:
        return f"A loss of {points(plan.loss)} {against} does not show with {each}: {plan.why}."
    if plan.asked == "items":
        return f"To show a loss of {points(plan.loss)} {against}, you need about {about(plan.items)} items with {each}."
    if plan.loss is None:
        return f"{items} with {each} show no loss {against}: {plan.why}."
    return f"{items} with {each} show a loss of {points(plan.loss)} or more {against}."


def _both_in_words(fewest: Plan, needs: Mapping[int, Plan]) -> list[str]:
    aim = f"To show a loss of {points(fewest.loss)} in {number(fewest.items or 0, 'item')}"
    if fewest.repeats is None:
        return [f"{aim}, no number of repeats is enough.", *(_sentence(plan) for plan in list(needs.values())[-1:])]
    each = "one answer per item is enough" if fewest.repeats == 1 else f"you need {fewest.repeats} answers per item"
    return [f"{aim}, {each}, against a margin of {points(fewest.margin)}."]


def reasons(plans: Iterable[Plan]) -> list[str]:
    """Return why there is no answer, each said once."""
    return list(dict.fromkeys(f"–: {plan.why}" for plan in plans if plan.why))


def captions(readings: Iterable[str | None]) -> list[str]:
    """Return what the readings of a table count."""
    return [_READINGS[reading] for reading in dict.fromkeys(readings) if reading]


def _assumed(worlds: Sequence[World]) -> str:
    world = worlds[0]
    parts = [
        f"{100 * world.known:g} % known before",
        f"{world.options} options" if world.options else "open-ended items",
    ]
    if world.options:
        parts.append(f"a guess repeated with probability {world.persistence:g}")
    if any(one.reading != "chance" for one in worlds):
        parts.append(f"a re-run moves {percent(worlds[-1].moved)} from right to wrong")
    return f"assumed: {', '.join(parts)}"


def meaning(decision: Mapping[str, Any]) -> str:
    """Return what `shown` means."""
    power, cells = decision.get("power", POWER), decision.get("cells", 1)
    often = "four times in five" if power == POWER else f"{100 * power:g} % of the time"
    level = "5 %" if cells == 1 else f"5 % / {cells:,}, as {cells:,} cells are tested together"
    return f"shown: {often}, the probability that no more than the margin was lost is at most {level}"


def doubts(plans: Iterable[Plan]) -> list[str]:
    """Return what makes a plan less sure than it looks."""
    said = []
    for plan in plans:
        world = plan.world
        if isinstance(world, World) and world.reading == "chance" and world.floor > plan.margin:
            said.append(
                f"a re-run moves {points(world.floor)}, more than a margin of {points(plan.margin)}: one answer per item cannot "
                "tell that from a loss; repeat, or set a larger --margin"
            )
        if world.form == "flips":
            said.append(
                "with one wrong option repeats do not tell luck from loss: flips decide, and lucky guesses hide a part of it"
            )
    return list(dict.fromkeys(said))
