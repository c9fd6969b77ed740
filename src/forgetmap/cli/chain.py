"""`forgetmap chain`: many stages, item by item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.report.plain import plain
from forgetmap.storage import write_atomically


def chain_command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN RUN [RUN…]", help="The stages in their order: logs, folders of logs or saved runs."
        ),
    ],
    tasks: opt.Tasks = None,
    scorer: opt.Scorer = None,
    metric: opt.MetricName = None,
    threshold: opt.Threshold = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw the items' way through the stages as an SVG file.")
    ] = None,
    json: opt.Json = None,
    csv: Annotated[Path | None, typer.Option(help="Write every item with its life line as a CSV file.")] = None,
    force: opt.Force = False,
    skip_broken: opt.SkipBroken = False,
    debug: opt.Debug = False,
) -> None:
    """Follow every item through the stages of training: what was lost for good, and what came back.

    The first run is the first stage. Each item gets a life line such as 1101: right, right, wrong, right.

    Example: forgetmap chain out/base out/sft out/dpo --figure chain.svg --csv lines.csv
    """
    from forgetmap.chain import chain_runs
    from forgetmap.report.chains import print_chain
    from forgetmap.report.figures.alluvial import write_alluvial

    if len(runs) < 2:
        raise UsageError("a chain needs two runs or more, and there is one; give the stages in their order")
    for target, option in ((figure, "--figure"), (csv, "--csv")):
        if target:
            opt.check_target(target, option)
    if figure and figure.suffix.lower() != ".svg":
        raise UsageError(f"--figure is '{figure}', but the figure is SVG; give it a name that ends in .svg")
    opened = [opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in runs]
    found = chain_runs(
        opened, scorer=scorer, metric=metric, tasks=opt.joined(tasks), threshold=threshold, force=force
    )  # fmt: skip
    written = []
    if csv:
        lines = found.lines
        write_atomically(csv, lambda path: lines.write_csv(path))
        written.append(f"wrote {lines.height:,} items to {csv}")
    if figure:
        write_alluvial(found, figure)
        written.append(f"drew {figure}")
    if json:
        opt.write_json(found.to_dict(), json)
    if json != "-":
        console = opt.console()
        print_chain(console, found)
        for line in written + ([f"wrote {json}"] if json else []):
            console.print(plain(line))
