"""Options of the commands that ask models, and the bar that shows how far they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from forgetmap.engines import ENGINES

if TYPE_CHECKING:  # other commands start without what only these need
    from forgetmap.evaluation.runner import Announce, Progress
    from forgetmap.evaluation.settings import Settings
    from forgetmap.evaluation.workplace import Shard
    from forgetmap.suites import Suite

SuiteName = Annotated[
    str, typer.Option("--suite", help="pocket (needs no network), post_forget, captrack, or a folder of task files.")
]
EngineName = Annotated[str, typer.Option("--engine", help=f"What asks the model: {', '.join(ENGINES)}.")]
Prompt = Annotated[
    str,
    typer.Option(
        "--prompt",
        help="base (few-shot text), chat (the model's template), base_cot or chat_cot (reasoning first), or what each task "
        "says for itself: own (text) or own_chat (in the template).",
    ),
]
ByLetter = Annotated[
    bool,
    typer.Option("--by-letter", help="Ask for the letter of an option instead of rating options; for both models."),
]
EvalTasks = Annotated[
    list[str] | None,
    typer.Option("--tasks", help="Only tasks that match this glob; may be given several times. Default: all."),
]
Limit = Annotated[int | None, typer.Option(help="Items of each task. Default: all.")]
Repeats = Annotated[
    int | None,
    typer.Option(
        help="Answers per item, each with another seed; more than 1 need --temperature. Default: the ways each task says."
    ),
]
Variants = Annotated[
    str | None,
    typer.Option(
        metavar="KIND=N,…",
        help="Ask each item in other ways too: prompt=3 (wordings), order=3 (options permuted), format=2 (answer formats). "
        "They measure how much of a change is noise. Default: what each task says.",
    ),
]
Temperature = Annotated[float, typer.Option(help="0 is greedy.")]
TopP = Annotated[float, typer.Option(help="Draw from the likeliest tokens that hold this share.")]
Seed = Annotated[int, typer.Option(help="Of drawn answers.")]
MaxTokens = Annotated[int | None, typer.Option(help="Longest reply, in tokens. Default: the task's own.")]
AllowCode = Annotated[
    bool, typer.Option("--allow-code", help="Run code that the model wrote, in a process with limits.")
]
DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Local copies of hub datasets, in the hub's own layout.")
]
EngineOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--engine-option",
        metavar="NAME=VALUE",
        help="For the engine: dtype=bfloat16, device=cpu, batch_tokens=8192, base_url=http://…, price_in=2.5; may be given "
        "several times.",
    ),
]

Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Work on a Ray cluster: at an address, auto (the one this machine belongs to), or alone for one made here.",
    ),
]
Replicas = Annotated[int | None, typer.Option(help="Copies of the model on the cluster. Default: one per GPU or node.")]


class AskingCommand(TyperCommand):
    """A command whose --ray may stand without a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line."""
        return super().parse_args(ctx, with_value(args, "--ray", "local"))


def with_value(args: Sequence[str], option: str, value: str) -> list[str]:
    """Return a command line in which an option that stands alone has a value.

    >>> with_value(["model", "--ray", "--limit", "2"], "--ray", "local")
    ['model', '--ray=local', '--limit', '2']
    >>> with_value(["model", "--ray", "auto", "--", "--ray"], "--ray", "local")
    ['model', '--ray', 'auto', '--', '--ray']
    """
    found = list(args)
    end = found.index("--") if "--" in found else len(found)
    for place in range(end):
        if found[place] == option and (place + 1 == end or found[place + 1].startswith("-")):
            found[place] = f"{option}={value}"
    return found


def parse_engine_options(given: list[str] | None) -> dict[str, str]:
    """Return engine options by name; what a text stands for depends on the engine.

    >>> parse_engine_options(["dtype=float32", "batch-tokens=512"])
    {'dtype': 'float32', 'batch_tokens': '512'}
    """
    from forgetmap.errors import UsageError

    found: dict[str, str] = {}
    for one in given or []:
        name, sign, value = (part.strip() for part in one.partition("="))
        name = name.replace("-", "_")
        if not sign or not name:
            raise UsageError(f"--engine-option is '{one}'; write it as NAME=VALUE")
        if name in found:
            raise UsageError(f"--engine-option {name} is given twice; give it once")
        found[name] = value
    return found


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """Show how far an evaluation is, how fast it goes and when it ends; on standard error, so that pipes stay clean."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Shown

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("batches"),
        TextColumn("{task.fields[rate]}"), TimeElapsedColumn(), TextColumn("elapsed,"), TimeRemainingColumn(), TextColumn("left"),
    )  # fmt: skip
    console = Console(stderr=True)
    shown = Shown(*columns, console=console, transient=True)
    line = shown.add_task(title, total=None, rate="")
    items = seconds = 0.0

    def done(shard: Shard, finished: int, whole: int) -> None:
        nonlocal items, seconds
        items, seconds = items + len(shard.replies), seconds + shard.seconds
        rate = f"{items / seconds:,.1f} answers/s" if seconds else ""
        shown.update(line, total=whole, completed=finished, rate=rate)

    with shown if console.is_terminal else nullcontext():  # in a file it would leave empty lines
        yield done


def announcer() -> Announce:
    """Return what tells, once and on standard error, what tasks decide for themselves and the command against them."""
    told: set[str] = set()

    def announce(suite: Suite, settings: Settings, requests: int) -> None:
        from forgetmap.evaluation.asking import notes

        for note in notes(suite, settings):
            if note not in told:
                typer.echo(f"forgetmap: {note}", err=True)
                told.add(note)

    return announce


def default_folder(model: str, suite: str) -> Path:
    """Return where a run goes when nobody says.

    >>> str(default_folder("owner/name", "pocket")), str(default_folder("models/small-q8_0.gguf", "suites/my/"))
    ('runs/name--pocket', 'runs/small-q8_0--my')
    """
    stem = Path(model).stem if model.endswith(".gguf") else model.rstrip("/").rsplit("/", 1)[-1]
    stem = stem if stem.strip(".") else Path(model).resolve().name  # the model of this folder
    return Path("runs") / f"{stem}--{Path(suite).resolve().name}"
