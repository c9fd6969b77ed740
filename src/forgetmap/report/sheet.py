"""Sheet: a map as it is shown, made of nothing but what its JSON holds.

Tables, figures, pages and exports all draw a sheet, so that a saved map shows what the fresh one did.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from forgetmap.cells import Cell
from forgetmap.errors import FormatError, UsageError
from forgetmap.levels import LEVELS
from forgetmap.map import SCHEMA_SEVERAL, ForgettingMap
from forgetmap.report.saved import check_map
from forgetmap.run import shown_name


@dataclass(frozen=True)
class Sheet:
    """What there is to show of one map. Names are those of the JSON contract."""

    before: dict[str, Any] = field(repr=False)  # run summaries
    after: dict[str, Any] = field(repr=False)
    taxonomy: str
    hidden: tuple[str, ...]  # categories that the total holds and the published tables do not show
    weight: str
    reading: str
    scores: list[dict[str, Any]] = field(repr=False)
    pairing: dict[str, Any] = field(repr=False)
    guessing: dict[str, Any] = field(repr=False)
    cells: list[Cell] = field(repr=False)
    causes: list[dict[str, Any]] = field(repr=False)
    bridge: dict[str, Any] | None = field(repr=False)
    drift: list[dict[str, Any]] | None = field(repr=False)
    warnings: list[str] = field(repr=False)
    notes: list[str] = field(repr=False)

    @classmethod
    def of(cls, found: ForgettingMap) -> Sheet:
        """Return the sheet of a map."""
        return cls.from_dict(found.to_dict(), "the map")

    @classmethod
    def from_dict(cls, content: dict[str, Any], source: str = "the map") -> Sheet:
        """Return the sheet of a map's JSON (schema forgetmap.map/1)."""
        cells = check_map(content, source)
        same = ("before", "after", "taxonomy", "weight", "reading", "scores", "pairing", "guessing", "causes")
        return cls(
            **{name: content[name] for name in (*same, "bridge", "drift", "warnings", "notes")},
            hidden=tuple(content["hidden"]),
            cells=cells,
        )

    @property
    def before_name(self) -> str:
        """The before-model's name, or where the run came from."""
        return run_name(self.before)

    @property
    def after_name(self) -> str:
        """The after-model's name, or where the run came from."""
        return run_name(self.after)

    @property
    def total(self) -> Cell:
        """The cell that holds everything."""
        return self.cells[-1]

    def at(self, level: str) -> list[Cell]:
        """Return the cells of a level: task, category, group or total."""
        if level not in LEVELS:
            raise UsageError(f"level is '{level}'; it must be one of {', '.join(LEVELS)}")
        return [cell for cell in self.cells if cell.level == level]

    def shown(self, level: str) -> list[Cell]:
        """Return the cells of a level less those the taxonomy hides; the total is not among them."""
        return [cell for cell in self.at(level) if not self.hides(cell)]

    def hides(self, cell: Cell) -> bool:
        """Whether the taxonomy keeps a category out of tables; a task of the same name is not meant."""
        return cell.level == "category" and cell.mapped and cell.name in self.hidden

    def rows(self, level: str) -> list[Cell]:
        """Return the rows of a table: the shown cells of a level, and the total."""
        return [*(self.shown(level) if level != "total" else ()), self.total]


def run_name(summary: dict[str, Any]) -> str:
    """Return a run's name from its summary: the model, or where the run came from."""
    return shown_name(summary["model"], summary["source"])


def read_sheets(path: Path) -> list[Sheet]:
    """Return the sheets of a file that `compare --json` wrote: one map, or several."""
    return sheets_of(read_saved(path), str(path))


def read_saved(path: Path) -> Any:
    """Return the content of a JSON file."""
    try:
        return msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise FormatError(f"{path}: not JSON ({fault}); give a file that compare --json wrote") from fault


def sheets_of(content: Any, source: str) -> list[Sheet]:
    """Return the sheets of one map's JSON, or of several under one schema."""
    if not isinstance(content, dict) or content.get("schema") != SCHEMA_SEVERAL:
        return [Sheet.from_dict(content, source)]
    maps = content.get("maps")
    if not isinstance(maps, list) or not maps:
        raise FormatError(f"{source}: 'maps' holds no list of maps; write it again with compare --json")
    return [Sheet.from_dict(one, f"{source}, map {place}") for place, one in enumerate(maps, 1)]
