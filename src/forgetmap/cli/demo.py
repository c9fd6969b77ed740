"""`forgetmap demo`: a simulated pair, mapped, with the planted truth beside what was recovered."""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from forgetmap.cli import options as opt
from forgetmap.cli import outputs

#: Task, planted known, lost and gained, options, abstention after: a tuning that hurt culture and language most.
_STORY = (
    ("bbh:sports_understanding", 0.70, 0.12, 0.02, 2, 0.0),
    ("social_iqa", 0.62, 0.07, 0.03, 3, 0.0),
    ("mmlu:world_religions", 0.75, 0.05, 0.03, 4, 0.0),
    ("arc:challenge", 0.60, 0.02, 0.06, 4, 0.0),
    ("mmlu:college_mathematics", 0.35, 0.01, 0.10, 4, 0.0),
    ("mmlu:moral_disputes", 0.66, 0.00, 0.00, 4, 0.0),
    ("gpqa:diamond", 0.30, 0.03, 0.03, 4, 0.3),
    ("gsm8k", 0.45, 0.02, 0.20, 0, 0.0),
)


def demo_command(
    items: Annotated[int, typer.Option(min=100, help="Items per task.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the simulation; same seed, same digits.")] = 0,
    json: opt.Json = None,
    report: outputs.Page = None,
    debug: opt.Debug = False,
) -> None:
    """Show a map of simulated forgetting, and how well the planted truth is recovered.

    Example: forgetmap demo --report demo.html
    """
    from forgetmap.map import compare
    from forgetmap.report.plain import percent
    from forgetmap.report.sheet import Sheet
    from forgetmap.report.tables import print_maps
    from forgetmap.testing import join_planted, plant

    asked = outputs.Outputs(report)
    asked.check()
    parts = [
        plant(
            items, known=known, lost=lost, gained=gained, options=options, persistence=0.35, abstain=(0.0, silent),
            tasks=[task], texts=True, seed=seed * 100 + position, first_item=position * items,
        )
        for position, (task, known, lost, gained, options, silent) in enumerate(_STORY)
    ]  # fmt: skip
    whole = join_planted(parts)
    found = compare(whole.before, whole.after)
    if json:
        opt.write_json(found.to_dict(), json)
    sheets = [Sheet.of(found)]
    said = asked.write(sheets, level="category", reading="auto", maps=[found])
    if json == "-":
        return
    console = opt.console()
    console.print(Text("Simulated data: forgetting planted by us, so that the answer is known.", style="bold magenta"))
    console.print()
    print_maps(console, sheets, level="category", reading="auto")
    console.print()
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("planted vs recovered")
    for name in ("planted lost", "recovered", "flips 1→0", "planted gained", "recovered", "flips 0→1"):
        table.add_column(name, justify="right")
    truths = {task: part for (task, *_), part in zip(_STORY, parts, strict=True)}
    for cell in sorted(found.at("task"), key=lambda cell: list(truths).index(cell.name)):
        truth, chance = truths[cell.name], cell.chance or {}
        row = []
        for direction in ("lost", "gained"):
            row += [getattr(truth, direction), chance.get(direction), cell.observed[direction]]
        table.add_row(cell.name, *(percent(value) for value in row))
    console.print(table)
    console.print(
        Text(
            "Guessing flips items too: the recovered columns remove it with the help of the wrong answers.", style="dim"
        )
    )
    outputs.say(said)
