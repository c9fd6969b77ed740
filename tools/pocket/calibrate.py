"""The table of docs/pocket.md: how much of the suite a model knows.

    forgetmap eval MODEL --suite pocket --tasks '…' --variants prompt=3 --out RUN
    python tools/pocket/calibrate.py RUN [RUN…]

Formula score: (accuracy − chance) / (1 − chance), so that guessing is 0 and knowing everything is 1. One column per wording.
"""

from __future__ import annotations

import sys

import polars as pl

from forgetmap import read_run
from forgetmap.run import Run
from forgetmap.suites import load


def scores(run: Run) -> pl.DataFrame:
    """Return task, repeat, items, chance and formula score under each task's default metric."""
    chosen = [(one.task, one.scorer, one.metric) for one in run.info.metrics if one.default]
    names = ("task", "scorer", "metric")
    rows = run.scan().with_columns(pl.col(name).cast(pl.String) for name in names).collect()
    rows = rows.join(pl.DataFrame(chosen, schema=list(names), orient="row"), on=list(names))
    found = rows.group_by("task", "repeat").agg(
        items=pl.col("score").count(), accuracy=pl.col("score").mean(), chance=pl.col("chance").mean().fill_null(0.0)
    )
    return found.with_columns(formula=(pl.col("accuracy") - pl.col("chance")) / (1 - pl.col("chance"))).sort(
        "task", "repeat"
    )


def main() -> None:
    """Print the table."""
    suite = load("pocket")
    found = pl.concat([scores(read_run(path)) for path in sys.argv[1:]])
    print("| task | category | capability | kind | items | chance | formula score by wording |")
    print("|---|---|---|---|---:|---:|---|")
    for task in suite.tasks:
        own = found.filter(pl.col("task") == task.name)
        told = " · ".join(f"{value:.2f}".replace("-", "−") for value in own["formula"])
        if own.height:
            places = f"{task.categories['post_forget']} | {task.categories['captrack']} | {task.spec.scoring.kind}"
            print(f"| {task.title} (`{task.name}`) | {places} | {own['items'][0]} | {own['chance'][0]:.2f} | {told} |")
    first = found.filter(pl.col("repeat") == 0)
    rated = first.filter(
        pl.col("task").is_in([task.name for task in suite.tasks if task.spec.scoring.kind == "likelihood"])
    )
    within = rated.filter(pl.col("formula").is_between(0.2, 0.9)).height
    said = f"{rated['formula'].mean():.2f}; {within} of them between .2 and .9."
    print(f"\nMean over {rated.height} rated tasks, first wording: {said}")


if __name__ == "__main__":
    main()
