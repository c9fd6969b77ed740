"""What a suite or a pair can show, cell by cell: the smallest loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from forgetmap.errors import UsageError
from forgetmap.estimate.power import Plan, detectable_loss, items_needed
from forgetmap.estimate.suites import cell_worlds, task_worlds
from forgetmap.estimate.worlds import World
from forgetmap.map import ForgettingMap
from forgetmap.report.plain import number, percent
from forgetmap.report.power import SCHEMA, Answer, about, captions, doubts, meaning, points, reasons


def suite_answer(
    found: ForgettingMap, by: str, loss: float | None, values: Mapping[str, Any], decision: Mapping[str, Any]
) -> Answer:
    """Return the smallest loss that the suite of one run can show; `found` is the map of that run with itself."""
    run, readings = found.pair.before, found.readings
    own = dict(values)
    if not readings.floor_measured:  # a deterministic re-run measures no floor
        own.setdefault("repeats", 1)
    worlds = task_worlds(found.pair.patterns, [task.name for task in readings.tasks], readings.sampled.tolist(), own)
    listed: list[dict[str, Any]] = []
    rows: list[tuple[str, ...]] = []
    plans: list[Plan] = []
    for level in found.levels:
        for seen, of in zip(found.at(level.name), cell_worlds(worlds, level.grouping), strict=True):
            cell = {name: getattr(seen, name) for name in ("level", "name", "path", "tasks", "items")}
            cell |= dict.fromkeys(("known", "detectable", "items_needed", "plan"))
            shown = ("–", "–", "–", "–", "–")
            if of is not None:
                world, counted = of
                plan = detectable_loss(counted, world, **decision)
                needed = None
                if loss is not None and plan.margin < loss <= world.most:
                    needed = items_needed(loss, world, **decision).items  # its tasks growing alike
                cell |= {"known": world.known, "detectable": plan.loss, "items_needed": needed, "plan": plan.to_dict()}
                shown = (percent(world.known), percent(plan.margin), percent(plan.loss), about(needed), plan.reading)
                plans += [plan] if level.name in (by, "total") else []
            listed.append(cell)
            if level.name in (by, "total"):
                known, margin, smallest, more, reading = shown
                extra = () if loss is None else (more,)
                rows.append((seen.name, f"{seen.items:,}", known, margin, smallest, *extra, reading))
    _check_loss(loss, plans)
    head = (by, "items", "known", "margin", "smallest loss", *(() if loss is None else (f"items for {percent(loss)}",)))
    lines = [f"{run.name}: {number(found.total.items, 'item')} in {number(len(worlds), 'task')}"]
    lines += [_in_words(plan) for plan in plans[-1:]]
    assumed = f"assumed: a guess repeated with probability {values.get('persistence', World.persistence):g}"
    if any(plan.reading != "chance" for plan in plans) and not readings.floor_measured:
        assumed += f", a re-run moves {percent(values.get('floor', World.floor))} where the run has no repeats"
    notes = [*reasons(plans), *captions(plan.reading for plan in plans), assumed, meaning(decision)]
    if "cluster" in found.pair.patterns.columns:
        notes.append("items of one cluster move together, which one run cannot show: the true figures are larger")
    content = {"schema": SCHEMA, "run": run.summary(), "weight": found.weight, "cells": listed}
    return Answer(content, lines, (*head, "reading"), rows, notes, doubts(plans), total=by != "total")


def _check_loss(loss: float | None, plans: Sequence[Plan]) -> None:
    if loss is not None and plans and not min(plan.margin for plan in plans) < loss <= 1:
        raise UsageError(
            f"a loss of {loss:g} cannot be told from a margin of {min(plan.margin for plan in plans):g}; plan for a loss above "
            "it, and at most 1"
        )


def _in_words(whole: Plan) -> str:
    each = "one answer each" if whole.repeats == 1 else f"{whole.repeats} answers each"
    against = f"against a margin of {points(whole.margin)}"
    if whole.loss is None:
        return f"As a whole, with {each}, it shows no loss {against}: {whole.why}."
    return f"As a whole, with {each}, it shows a loss of {points(whole.loss)} or more {against}."


def pair_answer(found: ForgettingMap, by: str) -> Answer:
    """Return the smallest loss that every cell of a pair would have shown."""
    rows: list[tuple[str, ...]] = []
    shown = []
    for cell in [*(found.at(by) if by != "total" else []), found.total]:
        decided = cell.decision
        shown.append(decided["verdict_reading"])
        figures = (percent(decided["margin"]), percent(decided["detectable"]), decided["verdict"] or "–")
        rows.append((cell.name, f"{cell.items:,}", *figures, decided["verdict_reading"] or "–"))
    whole = found.total.decision
    lines = [f"{found.pair.before.name} → {found.pair.after.name}: {number(found.total.items, 'item')}"]
    if whole["detectable"] is not None:
        lines.append(
            f"As a whole the pair would show a loss of {points(whole['detectable'])} or more against a margin of "
            f"{points(whole['margin'])}."
        )
    names = ("level", "name", "path", "tasks", "items", "detectable", "margin", "verdict_reading", "verdict")
    cells = [{name: cell.to_dict()[name] for name in names} for cell in found.cells]
    content = {
        "schema": SCHEMA,
        "before": found.pair.before.summary(),
        "after": found.pair.after.summary(),
        "weight": found.weight,
        "cells": cells,
        "warnings": found.warnings,
    }
    head = (by, "items", "margin", "smallest loss", "verdict", "reading")
    notes = [
        *captions(shown),
        meaning({}),
        "smallest loss: of a cell on its own, before false discoveries are counted",
    ]
    return Answer(content, lines, head, rows, notes, found.warnings, total=by != "total")
