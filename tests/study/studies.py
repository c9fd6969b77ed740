"""Planted studies: runs whose losses are known, and the files that name them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from forgetmap.testing import Planted, join_planted, plant

#: Tasks of four categories of the default taxonomy, each of one task.
TASKS = ("mmlu:anatomy", "mmlu:sociology", "mmlu:abstract_algebra", "piqa")


def planted_pair(
    lost: float | Sequence[float] = 0.1,
    *,
    gained: float = 0.05,
    items: int = 60,
    tasks: Sequence[str] = TASKS,
    seed: int = 0,
) -> Planted:
    """A pair with one task per category, whose items are the same in every pair; `lost` may differ by task."""
    losses = [lost] * len(tasks) if isinstance(lost, float) else list(lost)
    parts = [
        plant(items, known=0.7, lost=one, gained=gained, tasks=[task], seed=100 * seed + at, first_item=100_000 * at)
        for at, (task, one) in enumerate(zip(tasks, losses, strict=True))
    ]
    return join_planted(parts)


def save_pair(folder: Path, name: str, pair: Planted) -> dict[str, str]:
    """Save both runs, under model names of their own, and return the paths as a study file has them."""
    for run, side in ((pair.before, "before"), (pair.after, "after")):
        run.info.model = f"org/{name}-{side}"
        run.save(folder / f"{name}-{side}")
    return {"before": f"{name}-before", "after": f"{name}-after"}


def write_study(folder: Path, pairs: Sequence[dict[str, Any]], **more: Any) -> Path:
    """Write a study file."""
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump({"pairs": list(pairs), **more}, allow_unicode=True), encoding="utf-8")
    return path
