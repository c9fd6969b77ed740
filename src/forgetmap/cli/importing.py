"""`forgetmap import`: a log, or several as repeats, becomes a run folder that opens at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.readers import read_run
from forgetmap.report.plain import number, plain
from forgetmap.run import Run


def import_command(
    log: Annotated[
        list[str],
        typer.Argument(
            help="A log, a folder of logs, or TABLE::RUN for one run of a table; several are repeats of one run."
        ),
    ],
    out: Annotated[Path, typer.Argument(help="Folder to write the run to.")],
    repeats: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="What differs between the repeats: seed, numeric (batching, precision, back end), prompt (paraphrase), "
            "order (options permuted) or format (answer format). Needed with several logs. Default: found by content.",
        ),
    ] = None,
    same_model: Annotated[
        bool, typer.Option("--same-model", help="Join logs that name different models: the weights are the same.")
    ] = False,
    texts: Annotated[bool, typer.Option(help="Keep prompts and replies.")] = True,
    format: opt.Format = None,
    columns: opt.Columns = None,
    json: opt.Json = None,
    skip_broken: opt.SkipBroken = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the run that is in the folder.")] = False,
    debug: opt.Debug = False,
) -> None:
    """Read a log once and save it as a run: small, typed, quick to compare.

    Several logs of one model become the repeats of one run: another seed, or
    another wording of the prompt, tells how much of a change is noise.

    Example: forgetmap import out/base_seed0 out/base_seed1 runs/base --repeats seed
    """
    from forgetmap.repeats import REPEAT_KINDS, declare_repeats, join_repeats

    if repeats is not None:
        opt.one_of(repeats, REPEAT_KINDS, "--repeats")
    elif len(log) > 1:
        raise UsageError(
            f"{len(log)} logs for one run in '{out}'; say what differs between them with --repeats "
            f"{', '.join(REPEAT_KINDS[:-1])} or {REPEAT_KINDS[-1]}, or import each into a folder of its own"
        )
    given = opt.parse_columns(columns)
    runs = [read_run(one, format=format, texts=texts, columns=given, skip_broken=skip_broken) for one in log]
    run = runs[0]
    if repeats is not None:
        run = join_repeats(runs, repeats, force=same_model) if len(runs) > 1 else declare_repeats(run, repeats)
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
            f"{number(counts['samples'], 'score')}, {number(counts['repeats'], 'repeat')}{_kind(run)}, "
            f"read as {run.info.tool} → {out}",
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


def _kind(run: Run) -> str:
    return f" ({run.info.repeat_kind})" if run.info.repeat_kind else ""
