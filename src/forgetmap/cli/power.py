"""`forgetmap power`: how many items and repeats a loss needs, and the smallest loss that a suite or a pair can show."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.levels import LEVELS, WEIGHTS

#: What a plan needs to know, and what a run or a pair tells by itself.
_TOLD_BY_RUN = ("items", "known", "options", "sampled")
_TOLD_BY_PAIR = (*_TOLD_BY_RUN, "loss", "repeats", "persistence", "floor", "power", "cells")


def power_command(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN | BEFORE AFTER]",
            help="None: plan with the values below. One run: what its suite can show. Two: what the pair can show.",
        ),
    ] = None,
    loss: Annotated[
        float | None, typer.Option(help="Loss to show, as a share of all items: 0.03 is three points.")
    ] = None,
    items: Annotated[int | None, typer.Option(help="Number of items.")] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Answers per item, on both sides. Default: 1 to 5, a row each; a run's own.")
    ] = None,
    known: Annotated[float | None, typer.Option(help="Share of items known before. Default: 0.6; a run's own.")] = None,
    options: Annotated[
        int | None, typer.Option(help="Options per item, 0 if open-ended. Default: 4; a run's own.")
    ] = None,
    persistence: Annotated[
        float | None, typer.Option(help="How often the after-model repeats a guess. Default: 0.3.")
    ] = None,
    floor: Annotated[
        float | None,
        typer.Option(
            help="Share of items that a re-run of one model moves from right to wrong. Default: 0.02; that of a run's repeats."
        ),
    ] = None,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="Answers are drawn at random. Default: no; as the run's log says.")
    ] = False,
    margin: Annotated[
        float | None, typer.Option(help="Loss that does not matter. Default: 0.01 with repeats, else 0.02.")
    ] = None,
    power: Annotated[
        float | None, typer.Option(help="How often the loss shall show, if it is there. Default: 0.8.")
    ] = None,
    cells: Annotated[int | None, typer.Option(help="Number of cells tested together. Default: 1.")] = None,
    by: Annotated[str, typer.Option(help="Rows for runs: task, category, group or total.")] = "category",
    taxonomy: Annotated[
        str, typer.Option(help="post_forget, post_forget_published, captrack, log (groups in the log) or a YAML file.")
    ] = "post_forget",
    weight: Annotated[
        str | None,
        typer.Option(help="How cells average: tasks, items or categories. Default: the taxonomy's, mostly tasks."),
    ] = None,
    tasks: opt.Tasks = None,
    scorer: opt.Scorer = None,
    metric: opt.MetricName = None,
    threshold: opt.Threshold = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    json: opt.Json = None,
    force: opt.Force = False,
    skip_broken: opt.SkipBroken = False,
    debug: opt.Debug = False,
) -> None:
    """Plan an evaluation: the items and repeats that show a loss, or the smallest loss that shows.

    A loss shows if a comparison would call it lost: the probability that no more
    than the margin was lost is at most 5 %.

    forgetmap power --loss 0.03 tells how many items it takes, --items 1000 which
    loss shows, both together how many repeats; a run or a pair tells what it can show.

    Example: forgetmap power --loss 0.03 --options 10
    """
    from forgetmap.map import compare
    from forgetmap.report.power import plan_answer, print_answer
    from forgetmap.report.suites import pair_answer, suite_answer

    opt.one_of(by, LEVELS, "--by")
    if weight is not None:
        opt.one_of(weight, WEIGHTS, "--weight")
    paths = runs or []
    values: dict[str, Any] = {
        "known": known, "options": options, "persistence": persistence, "floor": floor, "repeats": repeats,
        "sampled": sampled or None,
    }  # fmt: skip
    decision: dict[str, Any] = {"margin": margin, "power": power, "cells": cells}
    _check(paths, {**values, **decision, "loss": loss, "items": items})
    values, decision = ({n: v for n, v in of.items() if v is not None} for of in (values, decision))
    if not paths:
        answer = plan_answer(loss, items, values, decision)
    else:
        opened = [opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in paths]
        found = compare(  # one run stands on both sides: its items, options and repeats are those of a pair
            opened[0], opened[-1], taxonomy=taxonomy, weight=weight, scorer=scorer, metric=metric,
            tasks=opt.joined(tasks), threshold=threshold, margin=margin, check_scorers=False, force=force,
        )  # fmt: skip
        if by == "group" and not found.at("group"):
            raise UsageError(f"taxonomy {found.taxonomy.name} has no groups; choose --by task, category or total")
        answer = suite_answer(found, by, loss, values, decision) if len(paths) == 1 else pair_answer(found, by)
    if json:
        opt.write_json(answer.content, json)
    if json != "-":
        print_answer(opt.console(), answer)


def _check(paths: list[str], given: dict[str, Any]) -> None:
    """Refuse values that do not go with the runs given."""
    if len(paths) > 2:
        raise UsageError(f"{len(paths)} runs were given; give none for a plan, one for a suite or two for a pair")
    if not paths and given["loss"] is None and given["items"] is None:
        raise UsageError("nothing to plan; give --loss, --items or both, or a run, or two")
    told: tuple[str, ...] = [(), _TOLD_BY_RUN, _TOLD_BY_PAIR][len(paths)]
    for name in told:
        if given[name] is not None:
            what = "a run: it tells that itself" if len(paths) == 1 else "two runs: the pair tells that itself"
            raise UsageError(f"--{name} does not go with {what}; leave out one or the other")
