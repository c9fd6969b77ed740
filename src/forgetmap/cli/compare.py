"""`forgetmap compare`: two logs, one answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forgetmap.cli import options as opt
from forgetmap.cli import outputs
from forgetmap.cli.inputs import check_runs
from forgetmap.errors import UsageError
from forgetmap.levels import LEVELS, WEIGHTS


def compare_command(
    before: Annotated[str, typer.Argument(help="Results before: a log, a folder of logs or a saved run.")],
    after: Annotated[
        list[str] | None, typer.Argument(help="Results after; several are compared with BEFORE one by one.")
    ] = None,
    reading: Annotated[
        str,
        typer.Option(
            help="What the table and the verdict use: observed (flips), noise (beyond re-runs; needs repeats), chance (guessing "
            "removed), soft (probabilities), paper (the published estimator), or auto: what the runs allow."
        ),
    ] = "auto",
    margin: opt.Margin = None,
    bridge: opt.BridgeRun = None,
    training_seeds: Annotated[
        bool,
        typer.Option(
            "--training-seeds", help="The AFTERs are training seeds of one recipe: add their mean and spread."
        ),
    ] = False,
    taxonomy: opt.TaxonomyName = "post_forget",
    by: Annotated[str, typer.Option(help="Rows of the table: task, category, group or total.")] = "category",
    weight: opt.Weight = None,
    style: outputs.Style = "forgetmap",
    tasks: opt.Tasks = None,
    scorer: opt.Scorer = None,
    metric: opt.MetricName = None,
    threshold: opt.Threshold = None,
    scale: opt.ScaleRange = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    json: opt.Json = None,
    report: outputs.Page = None,
    csv: outputs.Csv = None,
    xlsx: outputs.Xlsx = None,
    latex: outputs.Latex = None,
    markdown: outputs.Markdown = None,
    figures: outputs.Figures = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat any warning as an error.")] = False,
    force: opt.Force = False,
    skip_broken: opt.SkipBroken = False,
    debug: opt.Debug = False,
) -> None:
    """Compare results before and after post-training, item by item.

    Items are paired by content, so logs of different tools, orders and ids compare.

    Example: forgetmap compare out/base out/tuned --by task --report report.html
    """
    from forgetmap.evidence import READINGS
    from forgetmap.map import compare_all, maps_to_dict, missing_reading
    from forgetmap.recipe import summarise_recipe
    from forgetmap.report.sheet import Sheet
    from forgetmap.report.tables import print_maps, print_recipe, print_styled

    opt.one_of(reading, READINGS, "--reading")
    opt.one_of(by, LEVELS, "--by")
    if weight is not None:
        opt.one_of(weight, WEIGHTS, "--weight")
    asked = outputs.Outputs(report, csv, xlsx, latex, markdown, figures, style)
    asked.check()
    if json and json != "-":
        opt.check_target(Path(json), "--json")
    spread = opt.parse_scale(scale)
    afters = check_runs(before, after, bridge)
    first, *others = (
        opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in (before, *afters)
    )
    middle = opt.read(bridge, format=format, columns=columns, skip_broken=skip_broken) if bridge else None
    maps = compare_all(
        first, others, reading=reading, margin=margin, taxonomy=taxonomy, weight=weight, scorer=scorer, metric=metric,
        tasks=opt.joined(tasks), threshold=threshold, scale=spread, bridge=middle, force=force,
    )  # fmt: skip
    without = [missing_reading(reading, found.readings) for found in maps]
    if all(without):
        raise UsageError(f"{without[0]}; choose another --reading")
    recipe = summarise_recipe(maps) if training_seeds else None
    if strict:
        warnings = list(dict.fromkeys(warning for found in maps for warning in found.warnings))
        if warnings:
            raise UsageError(f"{len(warnings)} warnings, and --strict makes them errors: {'; '.join(warnings)}")
    sheets = [Sheet.of(found) for found in maps]
    outputs.check_shown(sheets, level=by, reading=reading, style=style)
    said = asked.write(sheets, level=by, reading=reading, maps=maps, recipe=recipe)
    if json:
        opt.write_json({**maps_to_dict(maps), **({"recipe": recipe.to_dict()} if recipe else {})}, json)
        said.append(f"wrote {json}")
    if json == "-":
        return
    if style == "forgetmap":
        print_maps(opt.console(), sheets, level=by, reading=reading)
    else:
        print_styled(opt.console(), sheets, style=style, level=by, reading=reading)
    if recipe:
        print_recipe(opt.console(), recipe, level=by)
    outputs.say(said)
