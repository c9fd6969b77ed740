"""Stages side by side: one score per task for all of them, and one row per item with an answer from each.

Items are the same by content, as in a pair. What a stage does not hold stays in the table as null: it is shown as
missing, never dropped and never wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec
import polars as pl

from forgetmap.errors import MissingDataError, PairingError, UsageError
from forgetmap.pairing import Pair, Scale, pair_runs
from forgetmap.pairing.duplicates import match_duplicates
from forgetmap.pairing.outcomes import ITEM, KEY, read_outcomes
from forgetmap.pairing.scores import ScoreChoice, matching_tasks
from forgetmap.run import Metric, Run

_CONTENT = ["task", "item_high", "item_low"]


@dataclass(frozen=True)
class Stage:
    """One run of a chain, under the scores that the chain is read on."""

    name: str
    run: Run  # reduced to those scores
    scores: Mapping[str, Metric]  # by task


def name_stages(runs: Sequence[Run]) -> list[str]:
    """Return a name for each run that no other has: the model, else where it came from, else numbered."""
    for names in ([run.name for run in runs], [Path(run.source).name or run.name for run in runs]):
        if len(set(names)) == len(names):
            return names
    names = [run.name for run in runs]
    return [f"{name} ({place})" if names.count(name) > 1 else name for place, name in enumerate(names, 1)]


def choose_stages(
    runs: Sequence[Run],
    names: Sequence[str],
    *,
    scorer: str | None,
    metric: str | None,
    tasks: str | None,
    scale: Scale,
) -> tuple[list[Stage], list[str]]:
    """Return the stages under one score per task, and warnings.

    The rule: what the user names; of the scores that all stages with the task hold under the same regime, the first that
    is a stage's default, else the first; where they share none, each stage's own default. Only 0/1 scores make life lines:
    graded ones need a threshold.
    """
    held = _scores_by_task(runs, tasks)
    chosen: list[dict[str, Metric]] = [{} for _ in runs]
    without, graded = [], []
    for task in sorted({task for of_run in held for task in of_run}):
        asked = [
            [m for m in of_run.get(task, []) if scorer in (None, m.scorer) and metric in (None, m.metric)]
            for of_run in held
        ]
        if any(task in of_run and not left for of_run, left in zip(held, asked, strict=True)):
            without.append(task)
            continue
        picked = _pick([of_run for of_run in asked if of_run])
        if scale.threshold is None and not all(m.binary for m in picked):
            graded.append(f"{task} ({next(m.metric for m in picked if not m.binary)})")
            continue
        places = [place for place, of_run in enumerate(asked) if of_run]
        for place, one in zip(places, picked, strict=True):
            chosen[place][task] = one
    wanted = "/".join(name for name in (scorer, metric) if name is not None)
    if not any(chosen):
        if without:
            there = sorted({f"{m.scorer}/{m.metric}" for of_run in held for m in of_run.get(without[0], [])})
            raise MissingDataError(
                f"no task has {wanted} at every stage; '{without[0]}' has {', '.join(there)} (scorer/metric)"
            )
        raise MissingDataError(
            f"life lines need answers that are right or wrong, and {_some(graded)} are graded; say from which score on an "
            "answer is right with --threshold X"
        )
    warnings = []
    if without:
        warnings.append(f"no {wanted} at some stage in {_some(without)}: left out")
    if graded:
        warnings.append(f"graded scores of {_some(graded)} make no life lines: left out; --threshold X reads them")
    stages = [Stage(name, _reduced(run, of), of) for name, run, of in zip(names, runs, chosen, strict=True)]
    return stages, warnings + _gaps(stages)


def _scores_by_task(runs: Sequence[Run], tasks: str | None) -> list[dict[str, list[Metric]]]:
    held = []
    for run in runs:
        matching = matching_tasks(run, tasks)
        of_run: dict[str, list[Metric]] = {}
        for one in run.info.metrics:
            if one.task in matching:
                of_run.setdefault(one.task, []).append(one)
        held.append(of_run)
    if not any(held):
        there = sorted({task for run in runs for task in run.tasks})
        raise UsageError(f"no task matches '{tasks}'; there are: {_some(there, 8)}")
    return held


def _pick(held: list[list[Metric]]) -> list[Metric]:
    """One score of a task for every stage that has it."""
    for same in (lambda m: (m.scorer, m.metric, m.regime), lambda m: (m.scorer, m.metric)):
        by_name = [{same(m): m for m in of_stage} for of_stage in held]
        common = [name for name in by_name[0] if all(name in of_stage for of_stage in by_name)]
        defaults = [same(m) for of_stage in held for m in of_stage if m.default and same(m) in common]
        if common:
            name = (defaults or common)[0]
            return [of_stage[name] for of_stage in by_name]
    return [next((m for m in of_stage if m.default), of_stage[0]) for of_stage in held]


def _reduced(run: Run, scores: Mapping[str, Metric]) -> Run:
    """The run as if it held nothing but these scores; its own warnings are the chain's to tell."""
    rows = run.scan()
    if len(scores) != len(run.info.metrics):
        wanted = pl.LazyFrame(
            [(m.task, m.scorer, m.metric) for m in scores.values()],
            schema={"task": pl.Categorical(), "scorer": pl.Categorical(), "metric": pl.Categorical()},
            orient="row",
        )
        rows = rows.join(wanted, on=["task", "scorer", "metric"], how="semi")
    info = msgspec.structs.replace(run.info, metrics=list(scores.values()), warnings=[])
    return Run(info=info, _samples=rows, source=run.source)


def _gaps(stages: Sequence[Stage]) -> list[str]:
    """Name the tasks that some stages do not have."""
    said: dict[tuple[str, ...], list[str]] = {}
    for task in sorted({task for stage in stages for task in stage.scores}):
        lacking = tuple(stage.name for stage in stages if task not in stage.scores)
        if lacking:
            said.setdefault(lacking, []).append(task)
    return [
        f"{_some(tasks)} {'is' if len(tasks) == 1 else 'are'} missing at {', '.join(lacking)}: no item of "
        f"{'it' if len(tasks) == 1 else 'them'} is complete"
        for lacking, tasks in said.items()
    ]


def pair_stages(stages: Sequence[Stage], scale: Scale, *, force: bool) -> list[Pair]:
    """Return the pairs of consecutive stages, on the tasks that both have."""
    pairs = []
    for before, after in pairwise(stages):
        shared = before.scores.keys() & after.scores.keys()
        sides = [_reduced(one.run, {task: one.scores[task] for task in sorted(shared)}) for one in (before, after)]
        try:
            if not shared:
                raise PairingError(
                    f"no task in common: {_some(sorted(before.scores))} and {_some(sorted(after.scores))}"
                )
            pairs.append(pair_runs(*sides, scale=scale, force=force))
        except PairingError as fault:
            raise PairingError(f"{before.name} → {after.name}: {fault}") from fault
    return pairs


def align(stages: Sequence[Stage], scale: Scale) -> pl.DataFrame:
    """Return one row per item of any stage, ordered by key.

    Columns: the key; `right_0`, `right_1`, …: share of right answers among the scored repeats of each stage, null where
    the item is missing or has no score; `none`, `repeats`: unanswered share and scored repeats of the first stage;
    `chance`, null where stages contradict each other; `cluster`.
    """
    parts = []
    for place, (stage, slots) in enumerate(zip(stages, _slots([stage.run for stage in stages]), strict=True)):
        choices = [ScoreChoice(task, one, one, "binary") for task, one in stage.scores.items()]
        items = read_outcomes(stage.run, choices, "before", scale).items
        cluster = "cluster" if "cluster" in items.collect_schema() else pl.lit(None, dtype=pl.String).alias("cluster")
        if slots is None:
            items = items.with_columns(slot=pl.lit(0, dtype=pl.UInt32))
        else:
            items = items.join(slots.lazy(), on=ITEM, how="left")
        parts.append(
            items.select(
                pl.col("task").cast(pl.String), *KEY[1:], pl.col("right", "none", "repeats").cast(pl.Float64), "chance",
                cluster, stage=pl.lit(place),
            )
        )  # fmt: skip
    at_first = pl.col("stage") == 0
    return (
        pl.concat(parts)
        .group_by(KEY)
        .agg(
            *(
                pl.col("right").filter(pl.col("stage") == place).first().alias(f"right_{place}")
                for place in range(len(stages))
            ),
            pl.col("none", "repeats").filter(at_first).first(),
            chance=pl.when(pl.col("chance").min() == pl.col("chance").max()).then(pl.col("chance").max()),
            cluster=pl.col("cluster").sort_by("stage").drop_nulls().first(),
        )
        .collect(engine="streaming")
        .sort(KEY)
    )


def _slots(runs: Sequence[Run]) -> list[pl.DataFrame | None]:
    """Which copy each duplicated item is, the same number at every stage; nothing where there are no duplicates.

    Each stage is matched with all copies known so far by the rules of a pair; what matches none is a copy of its own.
    """
    if not any(run.info.counts.get("duplicates") for run in runs):
        return [None] * len(runs)
    known, *others = (_instances(run) for run in runs)
    slots: list[pl.DataFrame | None] = [known.select(ITEM).with_columns(slot=pl.col("occurrence"))]
    for own in others:
        ours, theirs, _, _ = match_duplicates(known.lazy(), own.lazy())
        matched = theirs.join(ours.select(*_CONTENT, "slot", known="occurrence"), on=[*_CONTENT, "slot"])
        copied = theirs.select(ITEM).join(matched.select(*ITEM, "known"), on=ITEM, how="left")
        used = known.group_by(_CONTENT).agg(used=pl.col("occurrence").max() + 1)
        fresh = pl.int_range(pl.len(), dtype=pl.UInt32).over(_CONTENT, order_by="occurrence")
        new = (
            copied.filter(pl.col("known").is_null())
            .join(used, on=_CONTENT, how="left")
            .select(*ITEM, fresh=fresh + pl.col("used").fill_null(0))
        )
        placed = (
            own.join(copied.select(*ITEM, "known"), on=ITEM, how="left")
            .join(new, on=ITEM, how="left")
            .with_columns(slot=pl.coalesce("known", "fresh", pl.lit(0, dtype=pl.UInt32)).cast(pl.UInt32))
        )
        slots.append(placed.select(*ITEM, "slot"))
        instances = placed.select(*_CONTENT, occurrence="slot", text_key="text_key", native_id="native_id")
        known = pl.concat([known, instances.join(known, on=ITEM, how="anti").select(known.columns)])
    return slots


def _instances(run: Run) -> pl.DataFrame:
    rows = run.scan().select(*ITEM, "text_key", "native_id")
    return rows.unique(ITEM, keep="first", maintain_order=True).collect()


def native_ids(stages: Sequence[Stage]) -> pl.DataFrame:
    """Return the logs' own ids per item, from the first stage that gives one: key and native_id."""
    parts = []
    for stage, slots in zip(stages, _slots([stage.run for stage in stages]), strict=True):
        found = _instances(stage.run)
        found = (
            found.with_columns(slot=pl.lit(0, dtype=pl.UInt32))
            if slots is None
            else found.join(slots, on=ITEM, how="left", maintain_order="left")
        )
        parts.append(found.select(pl.col("task").cast(pl.String), *KEY[1:], "native_id"))
    return pl.concat(parts).drop_nulls("native_id").unique(KEY, keep="first", maintain_order=True)


def _some(names: Sequence[str], shown: int = 5) -> str:
    listed = ", ".join(names[:shown])
    return f"{listed} and {len(names) - shown} more" if len(names) > shown else listed
