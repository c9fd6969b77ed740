"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from forgetmap.errors import UsageError
from forgetmap.readers import read_run, reader_names
from forgetmap.run import Run
from forgetmap.storage import write_atomically

Scorer = Annotated[
    str | None, typer.Option(help="Scorer or filter to compare on, as logged. Default: the log's first.")
]
MetricName = Annotated[
    str | None, typer.Option("--metric", help="Metric to compare on, as logged. Default: the first 0/1 one.")
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        help="Compare only tasks that match this glob, e.g. 'mmlu:*'; may be given several times. Default: all."
    ),
]
Threshold = Annotated[float | None, typer.Option(help="For graded scores: right from this value on. Default: none.")]
ScaleRange = Annotated[
    str | None, typer.Option("--scale", metavar="LOW,HIGH", help="Range of a graded score, e.g. 1,10. Default: 0,1.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", help=f"Read logs as this format: {', '.join(reader_names())}. Default: found by content."),
]
Columns = Annotated[
    str | None,
    typer.Option(metavar="FIELD=COLUMN,…", help="For plain tables: which column holds what, e.g. gold=answer."),
]
TaxonomyName = Annotated[
    str,
    typer.Option(
        "--taxonomy", help="post_forget, post_forget_published, captrack, log (groups in the log) or a YAML file."
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(help="How cells average: tasks, items or categories. Default: the taxonomy's, mostly tasks."),
]
Margin = Annotated[
    float | None,
    typer.Option(help="Loss that does not matter, as a share. Default: 0.01 where repeats measured noise, else 0.02."),
]
BridgeRun = Annotated[
    str | None,
    typer.Option(
        "--bridge", help="Results of the before-model under the after-model's prompt: parts prompt from training."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Go on where a safety check says no (coverage under 50 %).")]
SkipBroken = Annotated[bool, typer.Option("--skip-broken", help="Skip lines that do not parse, and count them.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; - is standard output.")
]


def read(path: str, *, format: str | None, columns: str | None, skip_broken: bool) -> Run:
    """Read one run with the options of the command line."""
    return read_run(path, format=format, columns=parse_columns(columns), skip_broken=skip_broken)


def parse_columns(text: str | None) -> dict[str, str]:
    """Return {field: column} of FIELD=COLUMN,FIELD=COLUMN."""
    pairs = {}
    for part in (text or "").split(","):
        if part:
            field, equals, column = part.partition("=")
            if not equals or not field.strip() or not column.strip():
                raise UsageError(f"--columns: '{part}' is not FIELD=COLUMN; write e.g. --columns gold=answer,score=f1")
            pairs[field.strip()] = column.strip()
    return pairs


def joined(globs: list[str] | None) -> str | None:
    """Return several globs as one, parted by commas."""
    return ",".join(globs) if globs else None


def parse_scale(text: str | None) -> tuple[float, float] | None:
    """Return (low, high) of LOW,HIGH."""
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as fault:
        raise UsageError(f"--scale is '{text}'; write two numbers as LOW,HIGH, e.g. --scale 1,10") from fault
    return low, high


def one_of(value: str, allowed: tuple[str, ...], option: str) -> str:
    """Return the value if it is allowed."""
    if value not in allowed:
        raise UsageError(f"{option} is '{value}'; it must be one of {', '.join(allowed)}")
    return value


def write_json(content: Any, target: str) -> None:
    """Write JSON to a file, all or nothing, or to standard output."""
    text = msgspec.json.format(msgspec.json.encode(content), indent=1)
    if target == "-":
        typer.echo(text.decode())
    else:
        check_target(Path(target), "--json")
        write_atomically(Path(target), lambda path: path.write_bytes(text + b"\n"))


class _Console(Console):
    """A console for which `forgetmap … | head` is not an error."""

    def on_broken_pipe(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def check_target(path: Path, option: str) -> None:
    """Refuse a file name that cannot be written, in words."""
    if path.is_dir():
        raise UsageError(f"{option} is '{path}', which is a folder; name a file")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option} is '{path}', but there is no folder '{path.parent}'; make it first")
    if not os.access(path.absolute().parent, os.W_OK):
        raise UsageError(f"{option} is '{path}', but its folder cannot be written to; name another")


def check_folder(path: Path, option: str) -> None:
    """Refuse a folder that cannot be made or written to, in words."""
    there = next(parent for parent in (path.absolute(), *path.absolute().parents) if parent.exists())
    if not there.is_dir():
        raise UsageError(f"{option} is '{path}', but '{there}' is a file; name another folder")
    if not os.access(there, os.W_OK):
        raise UsageError(f"{option} is '{path}', but '{there}' cannot be written to; name another folder")


def console() -> Console:
    """A console that is plain and 120 wide when piped, whatever COLUMNS says on a terminal."""
    made = _Console(highlight=False, soft_wrap=False)
    return made if made.is_terminal else _Console(highlight=False, width=120, no_color=True)
