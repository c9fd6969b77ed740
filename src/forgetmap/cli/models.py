"""Options of the commands that ask models, and the bar that shows how far they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forgetmap.engines import ENGINES

if TYPE_CHECKING:  # other commands start without what only these need
    from forgetmap.evaluation.runner import Progress
    from forgetmap.evaluation.workplace import Shard

SuiteName = Annotated[
    str, typer.Option("--suite", help="pocket (needs no network), post_forget, captrack, or a folder of task files.")
]
EngineName = Annotated[str, typer.Option("--engine", help=f"What asks the model: {', '.join(ENGINES)}.")]
Prompt = Annotated[
    str,
    typer.Option(
        "--prompt", help="base (few-shot text), chat (the model's template), base_cot or chat_cot (reasoning first)."
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
Repeats = Annotated[int, typer.Option(help="Answers per item, each with another seed; needs --temperature.")]
Variants = Annotated[
    str | None,
    typer.Option(
        metavar="KIND=N,…",
        help="Ask each item in other ways too: prompt=3 (wordings), order=3 (options permuted), format=2 (answer formats). "
        "They measure how much of a change is noise.",
    ),
]
Temperature = Annotated[float, typer.Option(min=0.0, help="0 is greedy.")]
TopP = Annotated[float, typer.Option(min=0.0, max=1.0, help="Draw from the likeliest tokens that hold this share.")]
Seed = Annotated[int, typer.Option(help="Of drawn answers.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Longest reply, in tokens. Default: the task's own.")]
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
        help="For the engine: dtype=bfloat16, device=cpu, batch_tokens=8192, base_url=http://…; may be given several times.",
    ),
]

Ray = Annotated[
    str | None,
    typer.Option(
        "--ray", metavar="ADDRESS", help="Work on a Ray cluster: its address, auto, or local for one made here."
    ),
]
Replicas = Annotated[
    int | None, typer.Option(min=1, help="Copies of the model on the cluster. Default: one per GPU or node.")
]


def parse_engine_options(given: list[str] | None) -> dict[str, Any]:
    """Return engine options; numbers and true or false are read as such.

    >>> parse_engine_options(["dtype=float32", "batch_tokens=512", "trust_remote_code=true"])
    {'dtype': 'float32', 'batch_tokens': 512, 'trust_remote_code': True}
    """
    from forgetmap.errors import UsageError

    found: dict[str, Any] = {}
    for one in given or []:
        name, sign, value = one.partition("=")
        if not sign or not name.strip():
            raise UsageError(f"--engine-option is '{one}'; write it as NAME=VALUE")
        words = {"true": True, "false": False, "none": None}
        known: Any = words.get(value.lower(), value)
        if isinstance(known, str):
            for kind in (int, float):
                try:
                    known = kind(known)
                    break
                except ValueError:
                    continue
        found[name.strip().replace("-", "_")] = known
    return found


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """Show how far an evaluation is, how fast it goes and when it ends; on standard error, so that pipes stay clean."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Shown

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("batches"),
        TextColumn("{task.fields[rate]}"), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Shown(*columns, console=Console(stderr=True), transient=True) as shown:
        line = shown.add_task(title, total=None, rate="")
        items = seconds = 0.0

        def done(shard: Shard, finished: int, whole: int) -> None:
            nonlocal items, seconds
            items, seconds = items + len(shard.replies), seconds + shard.seconds
            rate = f"{items / seconds:,.1f} items/s" if seconds else ""
            shown.update(line, total=whole, completed=finished, rate=rate)

        yield done


def default_folder(model: str, suite: str) -> Path:
    """Return where a run goes when nobody says."""
    stem = Path(model).stem if model.endswith(".gguf") else model.rstrip("/").rsplit("/", 1)[-1]
    return Path("runs") / f"{stem}--{Path(suite).name}"
