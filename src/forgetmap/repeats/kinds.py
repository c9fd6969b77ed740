"""The kind of a run's repeats: declared when logs are joined, else inferred from prompts, golds, decoding and answers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import msgspec
import polars as pl

from forgetmap.decoding import decoding
from forgetmap.errors import UsageError
from forgetmap.run import Metric, Run

#: What differs between repeats: the seed; batching, precision or back end; the wording of the prompt; the order of
#: the options; the form in which the answer is asked for and scored.
REPEAT_KINDS = ("seed", "numeric", "prompt", "order", "format")

#: A few items whose prompt or gold position differs may be a reader's doubt; from this share on it was done on purpose.
_ON_PURPOSE = 0.1

_ITEM = ["task", "item_high", "item_low", "occurrence"]


def repeat_kind(run: Run, tasks: Collection[str] | None = None) -> str | None:
    """Return what differs between a run's repeats: one of REPEAT_KINDS, None where no item was answered twice.

    What was declared holds. Else each task is looked at: golds that moved mean `order`, prompts that differ `prompt`,
    sampled answers to one prompt `seed`, deterministic ones `numeric`; where the log does not tell how answers were
    decoded, answers that differ mean `seed`. Of several tasks the kind of most items is returned; `tasks` (canonical
    names) narrows it down.
    """
    if run.info.counts.get("repeats", 1) < 2:
        return None
    if run.info.repeat_kind is not None:
        return run.info.repeat_kind
    votes = dict.fromkeys(REPEAT_KINDS, 0)
    for metric, items, moved, reworded, differing in _count_differences(run, tasks):
        if moved > _ON_PURPOSE * items:
            kind = "order"
        elif reworded > _ON_PURPOSE * items:
            kind = "prompt"
        else:
            drawn = decoding(run, metric.task, metric)
            kind = "seed" if drawn == "sampled" or (drawn is None and differing) else "numeric"
        votes[kind] += items
    return max(votes, key=lambda kind: votes[kind]) if any(votes.values()) else None


def _count_differences(run: Run, tasks: Collection[str] | None) -> list[tuple[Metric, int, int, int, int]]:
    """Per task: items answered more than once, those whose gold moved, whose prompt and whose answer differ.

    Counted under the task's default score, or another where only that one was made for every repeat (lm-eval's pass@3
    stands beside the three scores it was made of).
    """
    metrics = [m for m in run.info.metrics if tasks is None or m.task in tasks]
    several = len(metrics) > len({m.task for m in metrics})
    rows = run.scan()
    if tasks is not None:
        rows = rows.filter(pl.col("task").cast(pl.String).is_in(sorted(tasks)))
    score = ["scorer", "metric"] if several else []

    def differs(name: str) -> pl.Expr:
        return pl.col(name).min() != pl.col(name).max()  # null where nothing is known, which sums pass over

    counted = (
        rows.group_by(*_ITEM, *score)
        .agg(
            twice=pl.len() > 1,
            moved=differs("gold_index"),
            reworded=differs("prompt_key"),
            differing=differs("choice_key") | differs("score"),
        )
        .filter("twice")
        .group_by("task", *score)
        .agg(pl.len(), pl.col("moved", "reworded", "differing").sum())
        .collect(engine="streaming")
    )
    known = {(m.task, m.scorer, m.metric) if several else (m.task,): m for m in metrics}
    found = [(known[row[:-4]], *row[-4:]) for row in counted.iter_rows()]
    found.sort(key=lambda one: (one[0].task, not one[0].default, -one[1], one[0].scorer, one[0].metric))
    return list({one[0].task: one for one in reversed(found)}.values())[::-1]


def declare_repeats(run: Run, kind: str) -> Run:
    """Return the run with the kind of its repeats on record; refused where there is nothing to declare."""
    check_kind(kind)
    if run.info.counts.get("repeats", 1) < 2:
        raise UsageError(
            f"{run.source or run.name}: repeats of kind '{kind}' were declared, but the log holds one answer per item; give "
            "the other logs too"
        )
    warnings = list(dict.fromkeys([*run.info.warnings, *doubts(run, kind)]))
    return replace(run, info=msgspec.structs.replace(run.info, repeat_kind=kind, warnings=warnings))


def check_kind(kind: str) -> None:
    """Refuse a kind that is none."""
    if kind not in REPEAT_KINDS:
        raise UsageError(f"kind of repeats is '{kind}'; it must be one of {', '.join(REPEAT_KINDS)}")


def doubts(run: Run, kind: str) -> list[str]:
    """What in the run speaks against the declared kind."""
    counted = _count_differences(run, None)
    items, reworded = sum(one[1] for one in counted), sum(one[3] for one in counted)
    known = run.scan().select(pl.col("prompt_key").is_not_null().all()).collect().item()
    said = []
    if kind in ("seed", "numeric") and reworded > _ON_PURPOSE * items:
        said.append(f"repeats of kind {kind}, but {reworded:,} of {items:,} items were asked with different prompts")
    if kind in ("prompt", "order") and known and not reworded:
        said.append(f"repeats of kind {kind}, but every item was asked with the same prompt each time")
    if kind == "seed" and counted and all(decoding(run, m.task, m) == "deterministic" for m, *_ in counted):
        said.append(
            "repeats of kind seed, but decoding is deterministic: another seed changes nothing, and their floor is 0"
        )
    return said
