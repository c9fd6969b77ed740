"""The `paper` reading: the published estimator of arXiv 2510.17776, for comparison with published tables.

It assumes fresh guesses and independent knowledge and clips before averaging: it reads 3 to 6 points too much when
guesses are fresh and 0 when they persist (statistics.md 2.4). Offered for parity, labelled so.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from forgetmap.estimate.reading import Reading
from forgetmap.pairing import Pair
from forgetmap.taxonomies import Taxonomy


def true_rate(flips: float, acc_before: float, acc_after: float, k: float) -> float:
    """Return max(F − (1 − a_before)(1 − a_after)/(k − 1), 0) (post_forget.md 4).

    >>> round(true_rate(0.10, 0.80, 0.70, 4), 12)
    0.08
    """
    return max(flips - (1 - acc_before) * (1 - acc_after) / (k - 1), 0.0)


def ceiling(acc: float, k: float) -> float:
    """Return max((k a − 1)/(k − 1), 0), written so that it holds for infinitely many options too: the most to lose."""
    return max(acc - (1 - acc) / (k - 1), 0.0)


def estimate_paper(pair: Pair, taxonomy: Taxonomy) -> list[dict[str, Any]]:
    """Return one row per (task, seed): lost, gained, lost_max, gained_max, each clipped at 0 there.

    The option count of a task is the taxonomy's where it states one (the published table does), else 1 / mean chance
    of its items: k itself where all items have k options and one gold. Open-ended tasks need no correction. A task with
    an item of unknown chance, or without a wrong option, has no row.
    """
    binary = pair.patterns.filter(pl.col("right").is_not_null())
    chances = Reading.of(binary, sorted(binary["task"].unique()), {"q": pl.col("chance")})
    options: dict[str, float] = {}
    for task, q in zip(chances.units.tasks, chances.task_means("q").tolist(), strict=True):
        stated = taxonomy.options_of(task)
        if stated is not None:
            options[task] = stated
        elif not taxonomy.options and q < 1:  # never so where an item's chance is missing
            # with a published table of option counts, what is not in it was not scored
            options[task] = 1 / q if q else math.inf
    rows = []
    for task, seed, n, kept, lost, gained, _ in pair.seeds.iter_rows():
        if task in options:
            k, before, after = options[task], (kept + lost) / n, (kept + gained) / n
            rows.append(
                {
                    "task": task,
                    "seed": seed,
                    "lost": true_rate(lost / n, before, after, k),
                    "gained": true_rate(gained / n, before, after, k),
                    "lost_max": ceiling(before, k),
                    "gained_max": ceiling(after, k),
                }
            )
    return rows
