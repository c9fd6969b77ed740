"""The style `captrack`: rows grouped CAN / WILL / HOW, the relative change of the score in percent (captrack.md 4.1).

A cell is the unweighted mean of the relative changes of its tasks, ± their population standard deviation; a group is
the mean of its cells, ± sqrt(mean(sd²)) / sqrt(cells). A map holds one score per task, where CapTrack's own cells hold
several metrics: figures agree where the scores are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, pstdev

from forgetmap.cells import Cell
from forgetmap.errors import UsageError
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import MARKS, verdict_text
from forgetmap.report.styles.notes import about, hidden_lines, merged
from forgetmap.report.styles.table import StyledColumn, StyledRow, StyledTable, bare, distinct_names
from forgetmap.report.styles.task_sets import OTHER_TASKS, model_names
from forgetmap.taxonomies import load_taxonomy

_TITLE = "relative change of the score, % of the score before"
_NO_GROUP = "without a group"
_PART = "†"
#: A score of nothing has no relative change.
_NOTHING = 1e-9


@dataclass(frozen=True)
class _Change:
    """A relative change as a share, its spread between the parts, and whether parts of it are missing."""

    value: float | None
    spread: float | None
    partial: bool
    cell: Cell  # of the map: score, tasks and verdict


def captrack_rows(sheets: Sequence[Sheet], level: str, reading: str) -> StyledTable:
    """Return groups with their categories (and tasks, at that level); the total is the mean of all cells."""
    for sheet in sheets:
        if not sheet.at("group"):
            raise UsageError(
                f"taxonomy {sheet.taxonomy} has no groups; --style captrack needs them: add --taxonomy captrack"
            )
    lines = _lines(sheets, level)
    if len(sheets) == 1:
        heads = ("tasks", "before", "after", "points", "change, %")
        columns = (StyledColumn(level, False), *map(StyledColumn, heads), StyledColumn("verdict", False))
        rows = [_row(line, [text for change in line.changes for text in _all_of(change)]) for line in lines]
    else:
        columns = (StyledColumn(level, False), *(StyledColumn(model) for model in model_names(sheets)))
        rows = [StyledRow.section(_TITLE)]
        rows += [_row(line, [_change_text(change) for change in line.changes]) for line in lines]
        rows.append(StyledRow.section("score before → after, %, and verdict"))
        rows += [_row(line, [_scores(change) for change in line.changes]) for line in lines]
    return StyledTable(_TITLE, about(sheets), columns, tuple(rows), tuple(_notes(sheets, lines)))


@dataclass(frozen=True)
class _Line:
    """A row over several maps: the change of each, None where a map has none."""

    label: str
    kind: str
    changes: tuple[_Change | None, ...]


def _lines(sheets: Sequence[Sheet], level: str) -> list[_Line]:
    found = [_changes(sheet) for sheet in sheets]
    keys = _keys(found, level)
    # only codes are in the map; what they stand for is in the taxonomy that ships with the package
    titles = load_taxonomy("captrack").titles if all(s.taxonomy == "captrack" for s in sheets) else {}
    lines: list[_Line] = []
    for key, name in zip(keys, distinct_names([_name(key, titles) for key in keys]), strict=True):
        changes = tuple(of.get(key) for of in found)
        tasks = {None if change is None else change.cell.task_names for change in changes}
        kind = {"group": "group", "total": "total" if level != "total" else "cell"}.get(key[0], "cell")
        if key[1] == _NO_GROUP and not any(line.label == _NO_GROUP for line in lines):
            lines.append(_Line(_NO_GROUP, "heading", ()))
        lines.append(_Line(name if len(tasks) == 1 else f"{name}{OTHER_TASKS}", kind, changes))
    return lines


_Key = tuple[str, str, str, str]  # level, group, category, task; "" where it does not apply


def _changes(sheet: Sheet) -> dict[_Key, _Change]:
    """The change of every task, category, group and the total of one map, in the order of the rows."""
    by_task = {cell.name: cell for cell in sheet.at("task")}
    groups = {cell.name: cell for cell in sheet.at("group")}
    members: dict[str, list[Cell]] = {name: [] for name in groups}
    for cell in sheet.shown("category"):
        members.setdefault(cell.path[0] if len(cell.path) > 1 else _NO_GROUP, []).append(cell)
    found: dict[_Key, _Change] = {}
    all_cells = []
    for group, categories in members.items():
        below: dict[_Key, _Change] = {}
        of_group = []
        for category in categories:
            tasks = {name: _of_task(by_task[name]) for name in category.task_names}
            change = _mean(list(tasks.values()), category)
            # a task without a place is its own category
            home = category.name if category.mapped else f"{category.name} (task)"
            below["category", group, home, ""] = change
            below.update({("task", group, home, name): of for name, of in tasks.items()})
            of_group.append(change)
        if group != _NO_GROUP:
            found["group", group, "", ""] = _mean_of_cells(of_group, groups[group])
        found |= below
        all_cells += of_group
    found["total", "", "", ""] = _mean_of_cells(all_cells, sheet.total)
    return found


def _of_task(cell: Cell) -> _Change:
    before, after = cell.observed["acc_before"], cell.observed["acc_after"]
    if before is None or after is None or before < _NOTHING:
        return _Change(None, None, False, cell)
    return _Change((after - before) / before, None, False, cell)


def _mean(parts: Sequence[_Change], cell: Cell) -> _Change:
    values = [part.value for part in parts if part.value is not None]
    spread = pstdev(values) if len(values) > 1 else None
    return _Change(fmean(values) if values else None, spread, 0 < len(values) < len(parts), cell)


def _mean_of_cells(cells: Sequence[_Change], cell: Cell) -> _Change:
    having = [one for one in cells if one.value is not None]
    if not having:
        return _Change(None, None, False, cell)
    partial = len(having) < len(cells) or any(one.partial for one in having)
    spreads = [one.spread for one in having]
    spread = None
    if any(one is not None for one in spreads):  # a cell of one task counts as one without spread, as published
        spread = sqrt(fmean((one or 0.0) ** 2 for one in spreads)) / sqrt(len(having))
    return _Change(fmean(one.value for one in having if one.value is not None), spread, partial, cell)


def _keys(found: Sequence[dict[_Key, _Change]], level: str) -> list[_Key]:
    """The rows of all maps: each group with what is below it, in the order of first appearance; the total last."""
    levels = {"task": ("group", "category", "task"), "category": ("group", "category"), "group": ("group",)}
    seen = dict.fromkeys(key for of in found for key in of if key[0] in levels.get(level, ()))
    groups = list(dict.fromkeys(key[1] for key in seen))
    homes = list(dict.fromkeys(key[2] for key in seen))
    order = {place: at for at, place in enumerate(seen)}
    rank = {"group": 0, "category": 1, "task": 2}
    rows = sorted(
        seen, key=lambda key: (groups.index(key[1]), homes.index(key[2]) if key[2] else -1, rank[key[0]], order[key])
    )
    # what has no group comes after those that have
    return [*sorted(rows, key=lambda key: key[1] == _NO_GROUP), ("total", "", "", "")]


def _name(key: _Key, titles: Mapping[str, str]) -> str:
    level, group, category, task = key
    if level == "category":
        title = titles.get(category)
        return f"{category} {title}" if title else category
    return {"group": group, "task": f"· {task}", "total": "mean of all cells"}[level]


def _row(line: _Line, texts: Sequence[str]) -> StyledRow:
    return StyledRow((line.label, *texts), line.kind)


def _change_text(change: _Change | None) -> str:
    if change is None or change.value is None:
        return "–"
    spread = "" if change.spread is None else f" ± {bare(change.spread)}"
    return f"{bare(change.value)}{spread}{_PART if change.partial else ''}"


def _all_of(change: _Change | None) -> tuple[str, ...]:
    assert change is not None  # of one map every row has its cell
    cell = change.cell
    before, after = cell.observed["acc_before"], cell.observed["acc_after"]
    points = None if before is None or after is None else after - before
    return (f"{cell.tasks:,}", bare(before), bare(after), bare(points), _change_text(change), verdict_text(cell))


def _scores(change: _Change | None) -> str:
    if change is None or change.cell.observed["acc_before"] is None:
        return "–"
    cell = change.cell
    said = verdict_text(cell)
    moved = f"{bare(cell.observed['acc_before'])} → {bare(cell.observed['acc_after'])}"
    return moved if said == "–" else f"{moved}, {said}"


def _notes(sheets: Sequence[Sheet], lines: Sequence[_Line]) -> list[str]:
    changes = [change for line in lines for change in line.changes if change is not None]
    notes = [
        "change: mean over tasks of 100 · (after − before) / before; a group is the mean of its categories",
        "a map holds one score per task; published CapTrack cells may average several metrics of a task",
        *merged(sheets, hidden_lines),
    ]
    if any(change.spread is not None for change in changes):
        notes.append("±: spread between tasks (population standard deviation), not an error of the figure")
    if any(change.partial for change in changes):
        notes.append(f"{_PART}: without the tasks whose score before is 0 or missing; – where none is left")
    if any(change.cell.verdict for change in changes):
        notes.append("verdict: of the items that were lost and gained, not of the relative change")
    flags = {
        "‡": "the prompt changed as well, which is not forgetting",
        "§": "another scorer in the log says otherwise",
    }
    for flag, mark in MARKS.items():
        if any(flag in change.cell.flags for change in changes):
            notes.append(f"{mark}: {flags[mark]}")
    if any(line.label.endswith(OTHER_TASKS) for line in lines):
        notes.append(f"{OTHER_TASKS}: the columns rest on different tasks and do not compare")
    return notes
