"""`forgetmap view`: look at runs in a browser, on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.report.plain import number, plain


def view_command(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUNS…", help="Saved runs, folders of saved runs, or logs; the first is before."),
    ],
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="Port on 127.0.0.1. Default: 0, any free one. Permalinks need a fixed one."
        ),
    ] = 0,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the browser as well.")] = False,
    taxonomy: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A taxonomy of your own, beside those that come along; the first is shown first."
        ),
    ] = None,
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
    """Explore runs in a browser: maps, slices and every item, at any size.

    Serves on this machine only, to the browser that opens the printed link.
    Nothing is written. Stop it with Ctrl-C.

    Example: forgetmap view runs/ --port 8000
    """
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise UsageError(
                f"the explorer needs a package that is not installed ({package}); pip install 'forgetmap[explorer]'"
            )
    from forgetmap.explorer.desk import Choice, Desk
    from forgetmap.explorer.library import Library
    from forgetmap.explorer.taxonomies import offered
    from forgetmap.pairing import Scale

    library = Library.open(runs, format=format, columns=opt.parse_columns(columns), skip_broken=skip_broken)
    chosen = Choice(
        scorer, metric, opt.joined(tasks), Scale(threshold, *(opt.parse_scale(scale) or (None, None))), force
    )
    desk = Desk(library, choice=chosen, taxonomies=offered(taxonomy or []))
    desk.begin()
    from forgetmap.explorer.server import Service  # loaded while the runs are being paired

    console = opt.console()
    console.print(plain(f"{number(len(library), 'run')} found"))
    for entry in library.unsaved():
        console.print(
            plain(f"{entry.name} was read from a log; `forgetmap import LOG FOLDER` makes it open at once", "dim")
        )
    for said in library.broken:
        console.print(plain(f"left out: {said}", "yellow"))

    service = Service(desk, port)
    console.print(plain("open this link, once, in one browser; Ctrl-C stops the server"))
    typer.echo(service.address)  # on a line of its own and never wrapped, to be copied
    if open_browser:
        import webbrowser

        webbrowser.open(service.address)
    service.run()
