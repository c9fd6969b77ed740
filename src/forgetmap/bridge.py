"""Bridge: what of a loss is the prompt's doing and what the training's (statistics.md 4).

A base model and its tuned successor are often asked with different prompts. A third run, the before-model under the
after-model's prompt (or the after-model under the before-model's), stands between them: an item that was lost already
at the step that changed only the prompt was lost to the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from forgetmap.errors import PairingError
from forgetmap.estimate.intervals import RATE
from forgetmap.estimate.reading import Reading
from forgetmap.levels import Level
from forgetmap.pairing import Pair
from forgetmap.run import Run

_KEY = ["task", "item_high", "item_low", "occurrence"]
PARTS = ("lost_to_prompt", "lost_to_training", "gained_by_prompt", "gained_by_training")


@dataclass(frozen=True)
class Bridge:
    """The split of every cell, over the items that all three runs answered."""

    run: Run
    role: str  # before: the before-model under the after-prompt; after: the reverse
    items: int
    missing: int  # paired items the bridge does not hold
    cells: list[dict[str, Any]]
    warnings: list[str]

    def of(self, level: str, name: str) -> dict[str, Any] | None:
        """Return the split of one cell."""
        return next((cell for cell in self.cells if (cell["level"], cell["name"]) == (level, name)), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the block of the JSON."""
        shown = {name: getattr(self, name) for name in ("role", "items", "missing", "cells")}
        return {"run": self.run.summary(), **shown}


def cross_bridge(pair: Pair, middle: Run, match: Callable[[Run, Run], Pair], levels: Sequence[Level]) -> Bridge:
    """Split the losses and gains of a pair by a run that stands between its two.

    Per item, with shares of right answers b before, m on the bridge and a after: lost = b·(1 − m)·(1 − a) at the first
    step + b·m·(1 − a) at the second, exactly; gained likewise. What was lost at the first step and came back at the
    second is in neither.
    """
    first = match(pair.before, middle)
    role = _role(pair, middle, first)
    items = pair.items.filter(pl.col("right").is_not_null())
    between = first.items.select(*_KEY, middle="right_after").filter(pl.col("middle").is_not_null())
    joined = items.join(between, on=_KEY, how="inner", maintain_order="left")
    if not joined.height:
        raise PairingError(
            f"{middle.source or middle.name}: the bridge shares no item of right or wrong answers with both runs; give a run of "
            "the same tasks, with 0/1 scores or --threshold"
        )
    b, m, a = (pl.col(name).cast(pl.Float64) for name in ("right", "middle", "right_after"))
    steps = {
        "lost_first": b * (1 - m) * (1 - a),
        "lost_second": b * m * (1 - a),
        "gained_first": (1 - b) * m * a,
        "gained_second": (1 - b) * (1 - m) * a,
    }
    # the first step changes the prompt when the bridge is the before-model
    names = dict(
        zip(steps, ("prompt", "training") * 2 if role == "before" else ("training", "prompt") * 2, strict=True)
    )
    values = {}
    for step, value in steps.items():
        direction = step.split("_")[0]
        values[f"{direction}_{'to' if direction == 'lost' else 'by'}_{names[step]}"] = value
    kept = ["task", *(["cluster"] if "cluster" in joined.columns else [])]
    patterns = joined.select(*(pl.col(name).cast(pl.String) for name in kept), n=pl.lit(1), **values).sort(*kept)
    tasks = [name for name, _, _ in levels[0].cells]
    reading = Reading.of(patterns, tasks, {**{name: pl.col(name) for name in PARTS}})
    cells = [cell for level in levels for cell in _cells(level, reading)]
    missing = items.height - joined.height
    return Bridge(middle, role, joined.height, missing, cells, _warnings(pair, middle, role, missing))


def _warnings(pair: Pair, middle: Run, role: str, missing: int) -> list[str]:
    said = []
    for side, run in (("before", pair.before), ("after", pair.after)):
        if middle.info.content_hash is not None and middle.info.content_hash == run.info.content_hash:
            said.append(f"the bridge holds the same samples as the {side}-run: it splits nothing")
    names = {run.info.model for run in (pair.before, pair.after)}
    if middle.info.model is not None and None not in names and middle.info.model not in names:
        said.append(
            f"the bridge is {middle.info.model}, which is neither of the two models: the split means nothing unless it is the "
            f"{role}-model under another name"
        )
    if missing:
        said.append(f"the bridge lacks {missing} of the paired items: the split is over the others")
    return said


def _cells(level: Level, reading: Reading) -> list[dict[str, Any]]:
    columns: dict[str, Any] = {}
    for name in PARTS:
        found = reading.posterior(name, level.grouping, RATE)
        columns[name] = found.value
        columns[f"{name}_low"], columns[f"{name}_high"] = found.interval()
    counts = reading.items(level.grouping)
    return [
        {
            "level": level.name,
            "name": name,
            "items": int(counts[place]),
            **{key: None if np.isnan(column[place]) else float(column[place]) for key, column in columns.items()},
        }
        for place, (name, _, _) in enumerate(level.cells)
    ]


def _role(pair: Pair, middle: Run, first: Pair) -> str:
    """Which of the two models stands on the bridge: by its name, else by which prompts it shares."""
    name, before, after = middle.info.model, pair.before.info.model, pair.after.info.model
    if name is not None and (name == before) != (name == after):
        return "before" if name == before else "after"
    # a run that shares its prompts with the before-run cannot be the before-model: it would be the before-run
    same_prompts = first.pairing.prompts_changed == 0 and first.pairing.grade == "A"
    return "after" if same_prompts else "before"
