"""`forgetmap compare`: two logs, one answer."""

from __future__ import annotations

from typing import Annotated

import typer

from forgetmap.cells import LEVELS, WEIGHTS
from forgetmap.cli import options as opt
from forgetmap.errors import UsageError


def compare_command(
    before: Annotated[str, typer.Argument(help="Results before: a log, a folder of logs or a saved run.")],
    after: Annotated[list[str], typer.Argument(help="Results after; several are compared with BEFORE one by one.")],
    reading: Annotated[
        str,
        typer.Option(
            help="What the table shows: observed (flips), chance (guessing removed), paper (the published estimator), or "
            "auto: chance where options are known, else observed."
        ),
    ] = "auto",
    taxonomy: Annotated[
        str, typer.Option(help="post_forget, post_forget_published, captrack, log (groups in the log) or a YAML file.")
    ] = "post_forget",
    by: Annotated[str, typer.Option(help="Rows of the table: task, category, group or total.")] = "category",
    weight: Annotated[
        str | None,
        typer.Option(help="How cells average: tasks, items or categories. Default: the taxonomy's, mostly tasks."),
    ] = None,
    tasks: opt.Tasks = None,
    scorer: opt.Scorer = None,
    metric: opt.MetricName = None,
    threshold: opt.Threshold = None,
    scale: opt.ScaleRange = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    json: opt.Json = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat any warning as an error.")] = False,
    force: opt.Force = False,
    skip_broken: opt.SkipBroken = False,
    debug: opt.Debug = False,
) -> None:
    """Compare results before and after post-training, item by item.

    Items are paired by content, so logs of different tools, orders and ids compare.

    Example: forgetmap compare out/base out/tuned --by task --json map.json
    """
    from forgetmap.map import READINGS, compare, maps_to_dict
    from forgetmap.report.tables import print_maps

    opt.one_of(reading, READINGS, "--reading")
    opt.one_of(by, LEVELS, "--by")
    if weight is not None:
        opt.one_of(weight, WEIGHTS, "--weight")
    spread = opt.parse_scale(scale)
    first, *others = (
        opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in (before, *after)
    )
    maps = [
        compare(
            first, other, taxonomy=taxonomy, weight=weight, scorer=scorer, metric=metric, tasks=opt.joined(tasks),
            threshold=threshold, scale=spread, force=force,
        )
        for other in others
    ]  # fmt: skip
    if strict:
        warnings = list(dict.fromkeys(warning for found in maps for warning in found.warnings))
        if warnings:
            raise UsageError(f"{len(warnings)} warnings, and --strict makes them errors: {'; '.join(warnings)}")
    if json:
        opt.write_json(maps_to_dict(maps), json)
    if json != "-":
        print_maps(opt.console(), maps, level=by, reading=reading)
