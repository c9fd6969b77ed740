"""Which tasks are behind each row, and where the columns of one table do not rest on the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forgetmap.cells import Cell
from forgetmap.errors import UsageError
from forgetmap.report.sheet import Sheet
from forgetmap.report.styles.table import distinct_names

#: On a row whose columns rest on different tasks.
OTHER_TASKS = "¶"

Place = tuple[bool, tuple[str, ...], str]  # what tells cells of one level apart: mapped, path, name


@dataclass(frozen=True)
class TaskSet:
    """The tasks behind a row; `models` names the columns it holds for, None is all of them."""

    row: str
    models: tuple[str, ...] | None
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class AlignedRow:
    """One row over several maps: the cell of each, None where a map has none."""

    name: str
    cells: tuple[Cell | None, ...]
    total: bool

    @property
    def same_tasks(self) -> bool:
        """Whether all columns rest on the same tasks; a column without the cell rests on none."""
        return len({None if cell is None else cell.task_names for cell in self.cells}) == 1

    @property
    def label(self) -> str:
        """The name, marked where the columns rest on different tasks."""
        return self.name if self.same_tasks else f"{self.name}{OTHER_TASKS}"


def aligned_rows(sheets: Sequence[Sheet], level: str, total: str = "total") -> list[AlignedRow]:
    """Return the shown cells of a level side by side, in the order in which they first appear, and the total."""
    for sheet in sheets:
        if level == "group" and not sheet.at("group"):
            raise UsageError(f"taxonomy {sheet.taxonomy} has no groups; choose --by task, category or total")
    found: list[dict[Place, Cell]] = [
        {(cell.mapped, cell.path, cell.name): cell for cell in sheet.rows(level)[:-1]} for sheet in sheets
    ]
    places = list(dict.fromkeys(place for of in found for place in of))
    plain = [name for _, _, name in places]
    # a task without a place may bear the name of a category
    names = [name if mapped or plain.count(name) == 1 else f"{name} (task)" for mapped, _, name in places]
    rows = [
        AlignedRow(name, tuple(of.get(place) for of in found), False)
        for name, place in zip(distinct_names(names), places, strict=True)
    ]
    return [*rows, AlignedRow(total, tuple(sheet.total for sheet in sheets), True)]


def model_names(sheets: Sequence[Sheet]) -> list[str]:
    """Return the heading of each map's column: the after-model, and the before-model too where that is not one."""
    same = len({sheet.before_name for sheet in sheets}) == 1
    return distinct_names([s.after_name if same else f"{s.before_name} → {s.after_name}" for s in sheets])


def task_sets(sheets: Sequence[Sheet], level: str) -> list[TaskSet]:
    """Return the tasks behind every row; where columns differ, one entry per different set."""
    models = model_names(sheets)
    sets = []
    for row in aligned_rows(sheets, level):
        if row.total and level != "total":
            continue  # the rows above name them all, and what is hidden has a note
        if row.same_tasks and row.cells[0] is not None:
            sets.append(TaskSet(row.name, None, row.cells[0].task_names))
            continue
        having: dict[tuple[str, ...], list[str]] = {}
        for model, cell in zip(models, row.cells, strict=True):
            having.setdefault(() if cell is None else cell.task_names, []).append(model)
        sets += [TaskSet(row.name, tuple(of), tasks) for tasks, of in having.items()]
    return sets
