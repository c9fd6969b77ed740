"""Settings that differ between two runs: a prompt change is not forgetting."""

from __future__ import annotations

from typing import Any

from forgetmap.pairing.scores import ScoreChoice
from forgetmap.run import Run


def differing_settings(before: Run, after: Run, choices: list[ScoreChoice]) -> list[dict[str, Any]]:
    """Return each setting that differs as {"setting", "before", "after"}, run-wide ones first.

    A task setting that differs in the same way for several tasks is listed once, with their number.
    """
    found = []
    ours, theirs = _run_wide(before), _run_wide(after)
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            found.append({"setting": name, "before": ours.get(name), "after": theirs.get(name)})
    by_change: dict[tuple[str, str, str], tuple[Any, Any, list[str]]] = {}
    for choice in choices:
        mine, other = _of_task(before, choice, "before"), _of_task(after, choice, "after")
        for name in sorted(mine.keys() | other.keys()):
            left, right = mine.get(name), other.get(name)
            if left != right:
                by_change.setdefault((name, repr(left), repr(right)), (left, right, []))[2].append(choice.task)
    for (name, _, _), (left, right, tasks) in by_change.items():
        where = tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks"
        found.append({"setting": f"{name} ({where})", "before": left, "after": right, "tasks": tasks})
    return found


def _run_wide(run: Run) -> dict[str, Any]:
    settings = {"tool": run.info.tool, **run.info.settings}
    if run.info.tool_version:
        settings["tool_version"] = run.info.tool_version
    if run.info.subset:
        settings["subset"] = run.info.subset
    return settings


def _of_task(run: Run, choice: ScoreChoice, side: str) -> dict[str, Any]:
    metric = choice.before if side == "before" else choice.after
    score = {"scorer": metric.scorer, "metric": metric.metric}
    if metric.regime is not None:
        score["scoring rule"] = metric.regime
    return {**run.info.task_settings.get(choice.task, {}), **score}
