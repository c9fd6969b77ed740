"""`forgetmap import`: a log becomes a run folder that opens at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forgetmap.cli import options as opt
from forgetmap.readers import read_run
from forgetmap.report.plain import number, plain


def import_command(
    log: Annotated[str, typer.Argument(help="A log, a folder of logs, or TABLE::RUN for one run of a table.")],
    out: Annotated[Path, typer.Argument(help="Folder to write the run to.")],
    texts: Annotated[bool, typer.Option(help="Keep prompts and replies.")] = True,
    format: opt.Format = None,
    columns: opt.Columns = None,
    json: opt.Json = None,
    skip_broken: opt.SkipBroken = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the run that is in the folder.")] = False,
    debug: opt.Debug = False,
) -> None:
    """Read a log once and save it as a run: small, typed, quick to compare.

    Example: forgetmap import out/base runs/base
    """
    run = read_run(log, format=format, texts=texts, columns=opt.parse_columns(columns), skip_broken=skip_broken)
    run.save(out, overwrite=force, texts=texts)
    if json:
        opt.write_json(run.summary(), json)
    if json == "-":
        return
    console = opt.console()
    counts = run.info.counts
    console.print(
        plain(
            f"{run.name}: {number(counts['items'], 'item')} in {number(counts['tasks'], 'task')}, "
            f"{number(counts['samples'], 'score')}, {number(counts['repeats'], 'repeat')}, read as {run.info.tool} → {out}",
            "bold",
        )
    )
    for task in run.tasks:
        kept = ", ".join(
            f"{m.scorer}/{m.metric}{' (default)' if m.default else ''}" for m in run.info.metrics if m.task == task
        )
        console.print(plain(f"  {task}: {kept}"))
    if run.info.other_files:
        shown = ", ".join(run.info.other_files[:5])
        more = f" and {len(run.info.other_files) - 5} more" if len(run.info.other_files) > 5 else ""
        console.print(plain(f"not read: {shown}{more}", "dim"))
    for warning in run.info.warnings:
        console.print(plain(f"warning: {warning}", "yellow"))
