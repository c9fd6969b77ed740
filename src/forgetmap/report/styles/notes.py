"""Notes under a styled table: what its figures and marks mean, said once for all of its columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from forgetmap.report.plain import number
from forgetmap.report.sheet import Sheet
from forgetmap.report.styles.task_sets import OTHER_TASKS, AlignedRow, model_names
from forgetmap.report.tables import total_name

# Said of one map; of several it would take a line each, and the tidy tables hold it.
_DETECTABLE = re.compile(r"; a loss of [^;]* would have shown$")


def merged(sheets: Sequence[Sheet], lines_of: Callable[[Sheet], list[str]]) -> list[str]:
    """Return the lines of all maps, once where all say the same, else with the name of the map that says so."""
    said: dict[str, list[int]] = {}
    for place, sheet in enumerate(sheets):
        for line in lines_of(sheet):
            line = _DETECTABLE.sub("", line) if len(sheets) > 1 else line
            said.setdefault(line, []).append(place)
    models = model_names(sheets)
    common = [line for line, places in said.items() if len(set(places)) == len(sheets)]
    apart = [f"{', '.join(models[at] for at in said[line])}: {line}" for line in said if line not in common]
    return common + apart


def hidden_lines(sheet: Sheet) -> list[str]:
    """Return what the total holds although no row shows it."""
    hidden = [cell for cell in sheet.at("category") if sheet.hides(cell)]
    named = ", ".join(f"{cell.name} ({', '.join(cell.task_names)})" for cell in hidden)
    return [f"the total includes what the published tables do not show: {named}"] if hidden else []


def task_notes(rows: Sequence[AlignedRow]) -> list[str]:
    """Return the line that explains the mark of rows whose columns rest on different tasks."""
    if all(row.same_tasks for row in rows):
        return []
    return [f"{OTHER_TASKS}: the columns rest on different tasks and do not compare"]


def total_label(sheets: Sequence[Sheet]) -> str:
    """Return the name of the total, with how it averages where all maps average alike."""
    names = {total_name(sheet, sheet.total) for sheet in sheets}
    return names.pop() if len(names) == 1 else "total"


def about(sheets: Sequence[Sheet]) -> str:
    """Return what is compared, over how many items and tasks."""
    befores = list(dict.fromkeys(sheet.before_name for sheet in sheets))
    named = f"against {befores[0]}" if len(befores) == 1 else "before → after"
    if len(sheets) == 1:
        named = f"{befores[0]} → {sheets[0].after_name}"
    counts = [
        _span([sheet.total.items for sheet in sheets], "item"),
        _span([sheet.total.tasks for sheet in sheets], "task"),
    ]
    return f"{named}; {' in '.join(counts)}"


def _span(counts: Sequence[int], noun: str) -> str:
    least, most = min(counts), max(counts)
    return number(most, noun) if least == most else f"{least:,} to {number(most, noun)}"
