"""Chain: what became of each item from stage to stage (statistics.md 6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from forgetmap.chain.counts import FIGURES, Counts, count_items
from forgetmap.chain.expected import Null
from forgetmap.chain.lines import (
    MISSING,
    OUTCOMES,
    RIGHT,
    TIED,
    TRANSITIONS,
    WRONG,
    first_losses,
    line_text,
    outcome_of,
    outcome_weights,
    signs,
    transition_weights,
)
from forgetmap.chain.stages import Stage, native_ids
from forgetmap.errors import UsageError
from forgetmap.items import item_id
from forgetmap.pairing import Pair
from forgetmap.run import Run

SCHEMA = "forgetmap.chain/1"
LEVELS = ("task", "total")


@dataclass(frozen=True)
class Chain:
    """Stages of one model on one item set, item by item.

    Shares are of the items that have a score at every stage, each item alike; with repeats, of all combinations of one
    repeat per stage. `expected` is the share that re-run noise and guessing alone would give if nothing had changed after
    the first stage; where guesses' persistence is not identified it is null and `expected_low` … `expected_high` is its
    range.
    """

    stages: tuple[str, ...]
    items: int  # with a score at every stage
    incomplete: int  # missing, or without a score, at some stage
    expected_from: str  # repeats (of the first stage) or guessing
    persistence: tuple[float | None, ...] = field(repr=False)  # of guesses, from each stage to the next
    warnings: list[str] = field(repr=False)
    notes: list[str] = field(repr=False)
    pairs: tuple[Pair, ...] = field(repr=False)  # consecutive stages
    runs: tuple[Run, ...] = field(repr=False)
    _stages: tuple[Stage, ...] = field(repr=False)
    _table: pl.DataFrame = field(repr=False)
    _null: Null = field(repr=False)

    @property
    def tasks(self) -> list[str]:
        """Tasks of which some stage holds an item, sorted."""
        return self._table["task"].unique().sort().to_list()

    @cached_property
    def accuracy(self) -> pl.DataFrame:
        """Per stage: missing items, and the share of the complete ones that is right."""
        lines = signs(len(self.stages))
        rows = [
            {
                "stage": name,
                "missing": self._table[f"right_{place}"].null_count(),
                **self._total.figures(lines[:, place].astype(np.float64)),
            }
            for place, name in enumerate(self.stages)
        ]
        kept = ["stage", "missing", "n", "share", "low", "high"]
        return pl.DataFrame(rows, schema={"stage": pl.String, "missing": pl.Int64, **FIGURES}).select(kept)

    @cached_property
    def life(self) -> pl.DataFrame:
        """The life lines that occur, or of which an item is expected, the most frequent first.

        Lines with a gap (·) come last and have no share.
        """
        total, rows = self._total, []
        for code, line in enumerate(signs(len(self.stages))):
            alone = np.zeros(2 ** len(self.stages))
            alone[code] = 1.0
            if total.number(alone) or (total.expectation.share(alone).high or 0.0) * self.items >= 1:
                text = line_text(line)
                rows.append({"line": text, "outcome": outcome_of(text), **total.figures(alone)})
        rows += [{"line": text, "outcome": None, "n": n} for text, n in self._gaps().items()]
        return pl.DataFrame(rows, schema={"line": pl.String, "outcome": pl.String, **FIGURES}).sort(
            "share", "n", "line", descending=True, nulls_last=True
        )

    @cached_property
    def outcomes(self) -> pl.DataFrame:
        """What became of the complete items: always_right, gained_for_good, recovered, lost_for_good, never_right."""
        return pl.DataFrame(self._outcomes(self._total), schema={"outcome": pl.String, **FIGURES})

    @cached_property
    def first_loss(self) -> pl.DataFrame:
        """Per stage from the second on: items wrong there after they were right, for the first time.

        `for_good` and `recovered` say how they ended.
        """
        first = first_losses(len(self.stages))
        ended = outcome_weights(len(self.stages))
        rows = []
        for place, name in enumerate(self.stages[1:], 1):
            here = (first == place).astype(np.float64)
            parts = {
                column: self._total.number(here * ended[outcome])
                for column, outcome in (("for_good", "lost_for_good"), ("recovered", "recovered"))
            }
            rows.append({"stage": name, **self._total.figures(here), **parts})
        return pl.DataFrame(
            rows, schema={"stage": pl.String, **FIGURES, "for_good": pl.Float64, "recovered": pl.Float64}
        )

    def matrix(self, first: int | str, second: int | str) -> pl.DataFrame:
        """Return kept, lost, gained and never between two stages, given by name or by number from 0."""
        weights = transition_weights(len(self.stages), self._place(first), self._place(second))
        rows = [{"transition": name, **self._total.figures(weights[name])} for name in TRANSITIONS]
        return pl.DataFrame(rows, schema={"transition": pl.String, **FIGURES})

    def by(self, level: str) -> pl.DataFrame:
        """Return the outcomes per task, or in total: one row per cell and outcome."""
        if level not in LEVELS:
            raise UsageError(f"level is '{level}'; it must be one of {', '.join(LEVELS)}")
        cells = {"total": self._total} if level == "total" else {task: self._cell(task) for task in self.tasks}
        sizes = dict(self._table.group_by("task").len().iter_rows()) | {"total": self._table.height}
        rows = [
            {level: name, "items": cell.items, "incomplete": sizes[name] - cell.items, **row}
            for name, cell in cells.items()
            for row in self._outcomes(cell)
        ]
        columns = {level: pl.String, "items": pl.Int64, "incomplete": pl.Int64, "outcome": pl.String, **FIGURES}
        return pl.DataFrame(rows, schema=columns)

    def flows(self, place: int) -> dict[tuple[str, str], float]:
        """Return how many items go from each state of a stage to each state of the next: right, wrong or missing.

        All items are in it, also the incomplete ones.
        """
        sides = []
        for stage in (place, place + 1):
            right = self._table[f"right_{stage}"].to_numpy()
            gone = np.isnan(right)
            right = np.where(gone, 0.0, right)
            sides.append({"right": right, "wrong": np.where(gone, 0.0, 1 - right), "missing": gone.astype(np.float64)})
        before, after = sides
        return {(b, a): float(before[b] @ after[a]) for b in before for a in after}

    @cached_property
    def lines(self) -> pl.DataFrame:
        """One row per item: task, item, the log's own id, life line, outcome, and the share of right repeats per stage.

        With repeats a sign of the line is what most of a stage's repeats say, ½ where they are tied; a line with ½ or ·
        has no outcome.
        """

        def sign(place: int) -> pl.Expr:
            right = pl.col(f"right_{place}")
            return (
                pl.when(right.is_null()).then(pl.lit(MISSING)).when(right > 0.5).then(pl.lit(RIGHT))
                .when(right < 0.5).then(pl.lit(WRONG)).otherwise(pl.lit(TIED))
            )  # fmt: skip

        key = ["task", "item_high", "item_low", "slot"]
        table = self._table.join(native_ids(self._stages), on=key, how="left", maintain_order="left")
        table = table.with_columns(line=pl.concat_str(sign(place) for place in range(len(self.stages))))
        ended = {line: outcome_of(line) for line in table["line"].unique()}
        ids = [item_id(high, low) for high, low in table.select("item_high", "item_low").iter_rows()]
        shares = {f"right_{place}": f"right {name}" for place, name in enumerate(self.stages)}
        return table.select(
            "task", pl.Series("item", ids, dtype=pl.String), "native_id", "line",
            outcome=pl.col("line").replace_strict(ended, return_dtype=pl.String),
            **{new: pl.col(old) for old, new in shares.items()},
        )  # fmt: skip

    def figure(self, path: str | Path) -> Path:
        """Write the chain as an alluvial figure (SVG) and return its path."""
        from forgetmap.report.figures.alluvial import write_alluvial

        return write_alluvial(self, Path(path))

    def table(self, width: int = 120) -> str:
        """Return what `forgetmap chain` prints, as plain text."""
        from forgetmap.report.chains import chain_text

        return chain_text(self, width=width)

    def to_dict(self) -> dict[str, Any]:
        """Return the chain as JSON shows it (schema forgetmap.chain/1); single items are in `lines`."""
        told = self._null.of()
        names = list(self.stages)
        return {
            "schema": SCHEMA,
            "stages": [
                {**row, "run": run.summary()} for row, run in zip(self.accuracy.to_dicts(), self.runs, strict=True)
            ],
            "items": self.items,
            "incomplete": self.incomplete,
            "scores": self._scores(),
            "expected": {"from": self.expected_from, "items": told.told, "persistence": list(self.persistence)},
            "outcomes": self.outcomes.to_dicts(),
            "life": self.life.to_dicts(),
            "first_loss": self.first_loss.to_dicts(),
            "matrices": [
                {"from": names[a], "to": names[b], "transitions": self.matrix(a, b).to_dicts()}
                for a in range(len(names))
                for b in range(a + 1, len(names))
            ],
            "tasks": self.by("task").to_dicts(),
            "pairings": [
                {"from": a, "to": b, **pair.pairing.to_dict()}
                for (a, b), pair in zip(pairwise(names), self.pairs, strict=True)
            ],
            "warnings": self.warnings,
            "notes": self.notes,
        }  # fmt: skip

    def __repr__(self) -> str:
        shares = {name: share or 0.0 for name, share in self.outcomes.select("outcome", "share").iter_rows()}
        return (
            f"Chain({' → '.join(self.stages)}: {self.items} items, {shares['lost_for_good']:.1%} lost for good, "
            f"{shares['recovered']:.1%} lost and recovered)"
        )

    @cached_property
    def _total(self) -> Counts:
        return self._cell(None)

    def _cell(self, task: str | None) -> Counts:
        rights = [f"right_{place}" for place in range(len(self.stages))]
        rows = self._table.drop_nulls(rights)
        if task is not None:
            rows = rows.filter(pl.col("task") == task)
        return count_items(rows, rights, self._null.of(None if task is None else [task]))

    def _outcomes(self, cell: Counts) -> list[dict[str, Any]]:
        weights = outcome_weights(len(self.stages))
        return [{"outcome": name, **cell.figures(weights[name])} for name in OUTCOMES]

    def _gaps(self) -> dict[str, float]:
        """Life lines of incomplete items and how many there are of each."""
        rights = [f"right_{place}" for place in range(len(self.stages))]
        found: dict[str, float] = {}
        broken = self._table.filter(pl.any_horizontal(pl.col(rights).is_null())).group_by(rights).agg(n=pl.len())
        for *shares, n in broken.sort(rights).iter_rows():
            texts = {"": float(n)}
            for share in shares:
                signs_ = ((MISSING, 1.0),) if share is None else ((RIGHT, share), (WRONG, 1 - share))
                texts = {text + sign: mass * part for text, mass in texts.items() for sign, part in signs_ if part}
            for text, mass in texts.items():
                found[text] = found.get(text, 0.0) + mass
        return found

    def _place(self, stage: int | str) -> int:
        if isinstance(stage, str) and stage in self.stages:
            return self.stages.index(stage)
        if isinstance(stage, int) and -len(self.stages) <= stage < len(self.stages):
            return stage % len(self.stages)
        raise UsageError(f"stage is '{stage}'; it must be one of {', '.join(self.stages)}, or a number from 0 on")

    def _scores(self) -> list[dict[str, Any]]:
        def named(stage: Stage, task: str) -> dict[str, str] | None:
            score = stage.scores.get(task)
            return None if score is None else {"scorer": score.scorer, "metric": score.metric}

        tasks = sorted({task for stage in self._stages for task in stage.scores})
        return [{"task": task, "stages": [named(stage, task) for stage in self._stages]} for task in tasks]
