"""`forgetmap items`: the items behind the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from forgetmap.cli import options as opt
from forgetmap.report.plain import plain
from forgetmap.storage import write_atomically


def items_command(
    before: Annotated[str, typer.Argument(help="Results before: a log, a folder of logs or a saved run.")],
    after: Annotated[str, typer.Argument(help="Results after.")],
    show: Annotated[str, typer.Option(help="Which items: lost, gained, kept or never.")] = "lost",
    limit: Annotated[int, typer.Option(min=0, help="Print at most this many; files always hold all.")] = 20,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the whole prompt instead of the question.")] = False,
    tasks: opt.Tasks = None,
    scorer: opt.Scorer = None,
    metric: opt.MetricName = None,
    threshold: opt.Threshold = None,
    scale: opt.ScaleRange = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    json: opt.Json = None,
    csv: Annotated[Path | None, typer.Option(help="Write the items as a CSV file.")] = None,
    force: opt.Force = False,
    skip_broken: opt.SkipBroken = False,
    debug: opt.Debug = False,
) -> None:
    """List the items that were lost or gained, with both answers and the gold.

    Example: forgetmap items out/base out/tuned --show lost --tasks 'mmlu:*' --csv lost.csv
    """
    from forgetmap.flips import TRANSITIONS, list_flips
    from forgetmap.pairing import Scale, pair_runs

    opt.one_of(show, TRANSITIONS, "--show")
    first, second = (
        opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in (before, after)
    )
    reading = Scale(threshold, *(opt.parse_scale(scale) or (None, None)))
    pair = pair_runs(first, second, scorer=scorer, metric=metric, tasks=opt.joined(tasks), scale=reading, force=force)
    found = list_flips(pair, show)
    if csv:
        flat = found.with_columns(
            pl.col(name).map_elements(lambda texts: " | ".join(texts), return_dtype=pl.String)
            for name in ("options", "gold")
        )
        opt.check_target(csv, "--csv")
        write_atomically(csv, lambda path: flat.write_csv(path))
    if json:
        opt.write_json({"schema": "forgetmap.items/1", "transition": show, "items": found.to_dicts()}, json)
    if json != "-":
        for target in (csv, json):
            if target:
                opt.console().print(plain(f"wrote {found.height:,} items to {target}"))
        _print(opt.console(), found, show, limit, prompt)


def _print(console: Console, found: pl.DataFrame, show: str, limit: int, prompt: bool) -> None:
    console.print(plain(f"{found.height:,} {'item' if found.height == 1 else 'items'} {show}", "bold"))
    for row in found.head(limit).iter_rows(named=True):
        console.print()
        console.print(plain(f"{row['task']}  {row['native_id'] or row['item']}", "bold cyan"))
        asked = row["prompt_before"] if prompt and row["prompt_before"] else row["question"] or row["prompt_before"]
        if asked:
            console.print(plain(_cut(asked, None if prompt else 600)))
        for option in row["options"] or []:
            marks = [
                word
                for word, texts in (
                    ("gold", row["gold"] or []),
                    ("before", [row["choice_before"]]),
                    ("after", [row["choice_after"]]),
                )
                if option in texts
            ]
            style = "green" if "gold" in marks else "red" if marks else "dim"
            console.print(plain(f"  · {_cut(option, 200)}{'   ← ' + ', '.join(marks) if marks else ''}", style))
        if not row["options"]:
            console.print(plain(f"  gold    {_cut(', '.join(row['gold'] or ['not on record']), 200)}", "green"))
        for side in ("before", "after"):
            console.print(plain(f"  {side:7} {_answer(row, side)}"))
    if found.height > limit:
        console.print(
            plain(f"\n… {found.height - limit:,} more; --limit shows more, --csv and --json write all", "dim")
        )


def _answer(row: dict[str, object], side: str) -> str:
    score = f"[{row[f'score_{side}']:g}]"
    state = row[f"state_{side}"]
    said = row[f"choice_{side}"] or row[f"response_{side}"] or "(text not on record)"
    note = f" ({state})" if state not in (None, "answered") else ""
    return f"{score} {_cut(str(said), 300)}{note}"


def _cut(text: str, most: int | None) -> str:
    flat = text if most is None else " ".join(text.split())
    return flat if most is None or len(flat) <= most else flat[: most - 1] + "…"
