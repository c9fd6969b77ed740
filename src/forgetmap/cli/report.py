"""`forgetmap report`: the page of runs, or of a map that was saved as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from forgetmap.cli import options as opt
from forgetmap.cli import outputs
from forgetmap.cli.inputs import is_map
from forgetmap.errors import UsageError
from forgetmap.levels import LEVELS, WEIGHTS
from forgetmap.map import SCHEMA, SCHEMA_SEVERAL


def report_command(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="MAP.json | BEFORE AFTER…", help="A map that compare --json wrote, or the runs themselves."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE.html", help="The page to write.")] = Path(
        "forgetmap.html"
    ),
    reading: Annotated[
        str, typer.Option(help="What figures show: auto, observed, noise, chance, soft or paper.")
    ] = "auto",
    by: Annotated[str, typer.Option(help="Cells of the figures: task, category or group.")] = "category",
    taxonomy: opt.TaxonomyName = "post_forget",
    weight: opt.Weight = None,
    margin: opt.Margin = None,
    bridge: opt.BridgeRun = None,
    chain: Annotated[
        bool, typer.Option("--chain", help="The runs are stages of one model: draw the life lines of its items too.")
    ] = False,
    items: Annotated[int, typer.Option(min=0, help="Show at most this many items.")] = 2000,
    csv: outputs.Csv = None,
    xlsx: outputs.Xlsx = None,
    latex: outputs.Latex = None,
    markdown: outputs.Markdown = None,
    figures: outputs.Figures = None,
    style: outputs.Style = "forgetmap",
    tasks: opt.Tasks = None,
    scorer: opt.Scorer = None,
    metric: opt.MetricName = None,
    threshold: opt.Threshold = None,
    scale: opt.ScaleRange = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    force: opt.Force = False,
    skip_broken: opt.SkipBroken = False,
    debug: opt.Debug = False,
) -> None:
    """Write the page of a comparison: one file to look at, to send and to keep.

    From runs the page holds the items, with both answers side by side; from a
    saved map it holds what the map knows.

    Example: forgetmap report out/base out/tuned --out report.html
    """
    from forgetmap.chain import chain_runs
    from forgetmap.evidence import READINGS
    from forgetmap.map import compare_all
    from forgetmap.recipe import Recipe
    from forgetmap.report.sheet import Sheet, sheets_of

    opt.one_of(reading, READINGS, "--reading")
    opt.one_of(by, LEVELS, "--by")
    if weight is not None:
        opt.one_of(weight, WEIGHTS, "--weight")
    asked = outputs.Outputs(out, csv, xlsx, latex, markdown, figures, style, page_option="--out")
    asked.check()
    if len(sources) == 1:
        _check_options(context)
        content = _read_map(Path(sources[0]))
        sheets = sheets_of(content, sources[0])
        recipe = Recipe.from_dict(content["recipe"], sources[0]) if content.get("recipe") else None
        outputs.check_shown(sheets, level=by, reading=reading, style=style)
        outputs.say(asked.write(sheets, level=by, reading=reading, recipe=recipe))
        return
    maps_given = [path for path in sources if is_map(Path(path))]
    if maps_given:
        raise UsageError(
            f"{maps_given[0]} is a saved map and stands among others; give one map, or BEFORE and AFTER runs"
        )
    runs = [opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in sources]
    middle = opt.read(bridge, format=format, columns=columns, skip_broken=skip_broken) if bridge else None
    maps = compare_all(
        runs[0], runs[1:], reading=reading, margin=margin, taxonomy=taxonomy, weight=weight, scorer=scorer,
        metric=metric, tasks=opt.joined(tasks), threshold=threshold, scale=opt.parse_scale(scale), bridge=middle,
        force=force,
    )  # fmt: skip
    stages = None
    if chain:
        stages = chain_runs(
            runs, tasks=opt.joined(tasks), scorer=scorer, metric=metric, threshold=threshold, force=force
        )
    sheets = [Sheet.of(found) for found in maps]
    outputs.check_shown(sheets, level=by, reading=reading, style=style)
    outputs.say(asked.write(sheets, level=by, reading=reading, maps=maps, chain=stages, items=items))


#: What a saved map has been decided with: only the runs could be read otherwise.
_OF_RUNS = (
    "taxonomy", "weight", "margin", "bridge", "chain", "items", "tasks", "scorer", "metric", "threshold", "scale", "format",
    "columns", "force", "skip_broken",
)  # fmt: skip
_LARGEST = 500_000_000  # bytes; a map is smaller, a log may be larger


def _check_options(context: typer.Context) -> None:
    given = [name for name in _OF_RUNS if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"]
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} needs the runs: a saved map shows what it was made with")


def _read_map(path: Path) -> dict[str, Any]:
    """Return the content of a file that says of itself that it is a map."""
    from forgetmap.report.sheet import read_saved

    remedy = "give a file that compare --json wrote, or BEFORE and AFTER"
    if not path.is_file():
        raise UsageError(f"{path} is {'a folder, not a map' if path.is_dir() else 'not there'}; {remedy}")
    if path.stat().st_size > _LARGEST:
        raise UsageError(f"{path} is too large for a map; {remedy}")
    content = read_saved(path)
    if not isinstance(content, dict) or content.get("schema") not in (SCHEMA, SCHEMA_SEVERAL):
        found = content.get("schema") if isinstance(content, dict) else None
        said = f"its schema is '{found}', expected '{SCHEMA}'" if found else "it names no schema"
        raise UsageError(f"{path} is not a map: {said}; {remedy}")
    return content
