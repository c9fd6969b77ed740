"""`forgetmap demo --planted`: simulated forgetting, so that what is found can be held against what was planted."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from forgetmap.map import ForgettingMap, compare
from forgetmap.report.plain import percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.tables import print_maps
from forgetmap.testing import Planted, join_planted, plant

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


def plant_story(items: int, seed: int) -> tuple[ForgettingMap, dict[str, Planted]]:
    """Return the map of the simulated pair, and the truth by task."""
    parts = [
        plant(
            items, known=known, lost=lost, gained=gained, options=options, persistence=0.35, abstain=(0.0, silent),
            tasks=[task], texts=True, seed=seed * 100 + position, first_item=position * items,
        )
        for position, (task, known, lost, gained, options, silent) in enumerate(_STORY)
    ]  # fmt: skip
    whole = join_planted(parts)
    truths = {task: part for (task, *_), part in zip(_STORY, parts, strict=True)}
    return compare(whole.before, whole.after), truths


def print_story(console: Console, found: ForgettingMap, truths: dict[str, Planted]) -> None:
    """Print the map, and planted against recovered."""
    console.print(Text("Simulated data: forgetting planted by us, so that the answer is known.", style="bold magenta"))
    console.print()
    print_maps(console, [Sheet.of(found)], level="category", reading="auto")
    console.print()
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("planted vs recovered")
    for name in ("planted lost", "recovered", "flips 1→0", "planted gained", "recovered", "flips 0→1"):
        table.add_column(name, justify="right")
    for cell in sorted(found.at("task"), key=lambda cell: list(truths).index(cell.name)):
        truth, chance = truths[cell.name], cell.chance or {}
        row = []
        for direction in ("lost", "gained"):
            row += [getattr(truth, direction), chance.get(direction), cell.observed[direction]]
        table.add_row(cell.name, *(percent(value) for value in row))
    console.print(table)
    said = "Guessing flips items too: the recovered columns remove it with the help of the wrong answers."
    console.print(Text(said, style="dim"))
