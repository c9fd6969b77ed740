"""A chain from the cache: what tables and figures ask of a chain, without the items behind it."""

from __future__ import annotations

from typing import Any

import polars as pl


class SavedChain:
    """A chain as its JSON has it, with the names that `Chain` uses."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        self.stages: tuple[str, ...] = tuple(row["stage"] for row in content["stages"])
        self.items: int = content["items"]
        self.incomplete: int = content["incomplete"]
        self.expected_from: str = content["expected"]["from"]
        self.warnings: list[str] = content["warnings"]
        self.notes: list[str] = content["notes"]

    @property
    def accuracy(self) -> pl.DataFrame:
        """Per stage: missing items, and the share of the complete ones that is right."""
        return _frame(
            [{name: value for name, value in row.items() if name != "run"} for row in self._content["stages"]]
        )

    @property
    def outcomes(self) -> pl.DataFrame:
        """What became of the complete items."""
        return _frame(self._content["outcomes"])

    @property
    def life(self) -> pl.DataFrame:
        """The life lines that occur."""
        return _frame(self._content["life"])

    @property
    def first_loss(self) -> pl.DataFrame:
        """Per stage from the second on: what was first lost there."""
        return _frame(self._content["first_loss"])

    def matrix(self, first: int, second: int) -> pl.DataFrame:
        """Return kept, lost, gained and never between two stages, by number from 0."""
        ends = self.stages[first], self.stages[second]
        return _frame(next(m["transitions"] for m in self._content["matrices"] if (m["from"], m["to"]) == ends))

    def flows(self, place: int) -> dict[tuple[str, str], float]:
        """Return how many items go from each state of a stage to each state of the next."""
        return {(before, after): n for before, after, n in self._content["flows"][place]}

    def to_dict(self) -> dict[str, Any]:
        """Return the chain as JSON shows it (schema forgetmap.chain/1)."""
        return {name: value for name, value in self._content.items() if name != "flows"}

    def __repr__(self) -> str:
        return f"SavedChain({' → '.join(self.stages)}: {self.items} items)"


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None)
