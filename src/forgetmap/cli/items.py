"""`forgetmap items`: the items behind the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import typer
from rich.console import Console

from forgetmap.cli import options as opt
from forgetmap.cli.inputs import check_runs
from forgetmap.flips import change_words, score_words
from forgetmap.report.plain import number, plain
from forgetmap.storage import write_atomically

if TYPE_CHECKING:
    from forgetmap.pairing import Pair


def items_command(
    before: Annotated[str, typer.Argument(help="Results before: a log, a folder of logs or a saved run.")],
    after: Annotated[
        list[str] | None,
        typer.Argument(help="Results after; the items are those of the first, the others tell which flips they share."),
    ] = None,
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
    """List the items that were lost or gained, with both answers and the gold: what to look at first on top.

    Unmarked items come first: those that more AFTERs lost, that are wrong in
    more repeats, that the model was surer of before (lead of the gold by option
    log-probabilities, else share of repeats that are right).

    Marked, and last: likely noise (repeats disagree with themselves as chance
    has it, or gold and next option are all but level on both sides) and likely
    label error (both sides prefer one other option, or several AFTERs all lost
    the item to one option and BEFORE is not known to have been sure).

    For --show gained, before and after change places.

    Example: forgetmap items out/base out/tuned --show lost --tasks 'mmlu:*' --csv lost.csv
    """
    from forgetmap.flips import TRANSITIONS, list_flips
    from forgetmap.pairing import Scale, pair_runs

    opt.one_of(show, TRANSITIONS, "--show")
    if csv:
        opt.check_target(csv, "--csv")
    afters = check_runs(before, after)
    first, *runs = (
        opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in (before, *afters)
    )
    reading = Scale(threshold, *(opt.parse_scale(scale) or (None, None)))
    pair, *others = (
        pair_runs(first, run, scorer=scorer, metric=metric, tasks=opt.joined(tasks), scale=reading, force=force)
        for run in runs
    )
    found = list_flips(pair, show, others=others)
    if csv:
        flat = found.with_columns(
            *(
                pl.col(name).map_elements(lambda texts: " | ".join(texts), return_dtype=pl.String)
                for name in ("options", "gold")
            ),
            pl.when(pl.col("marks").list.len() > 0).then(pl.col("marks").list.join(" | ")).alias("marks"),
        )
        write_atomically(csv, lambda path: flat.write_csv(path))
    if json:
        content = {
            "schema": "forgetmap.items/1",
            "transition": show,
            "before": first.name,
            "afters": [run.name for run in runs],
            "items": found.to_dicts(),
        }
        opt.write_json(content, json)
    if json != "-":
        for target in (csv, json):
            if target:
                opt.console().print(plain(f"wrote {number(found.height, 'item')} to {target}"))
        if not csv and not json:
            _print(opt.console(), found, show, limit, prompt, len(runs), _score_names(pair))


def _score_names(pair: Pair) -> dict[str, str]:
    """What each task is scored by; nothing where it is the same for all."""
    names = {one.task: f"{one.before.scorer}/{one.before.metric}" for one in pair.choices}
    return names if len(set(names.values())) > 1 else {}


def _print(
    console: Console, found: pl.DataFrame, show: str, limit: int, prompt: bool, afters: int, scores: Mapping[str, str]
) -> None:
    counts = Counter(found["marks"].explode().drop_nulls().to_list())
    marked = [f"{counts[mark]:,} {mark}" for mark in sorted(counts)]
    listed = f" ({', '.join(marked)}: listed last)" if marked else ""
    console.print(plain(f"{number(found.height, 'item')} {show}{listed}", "bold"))
    for row in found.head(limit).iter_rows(named=True):
        console.print()
        head = plain(f"{row['task']}  {row['native_id'] or row['item']}", "bold cyan")
        console.print(head + plain(f"  score {scores[row['task']]}", "dim") if row["task"] in scores else head)
        if said := _evidence(row, show, afters):
            console.print(plain(f"  {said}", "yellow" if row["marks"] else "dim"))
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
            if row[f"note_{side}"]:
                console.print(plain(f"          {row[f'note_{side}']}", "yellow"))
    if found.height > limit:
        console.print(
            plain(f"\n… {found.height - limit:,} more; --limit shows more, --csv and --json write all", "dim")
        )


def _evidence(row: dict[str, Any], show: str, afters: int) -> str:
    """Marks and rank of an item in one line; nothing where there is nothing to say."""
    sure = "after" if show == "gained" else "before"
    said = list(row["marks"])
    if afters > 1 and show in ("lost", "gained"):
        said.append(f"{show} by {row['shared_by']} of {afters}")
    if change := change_words(row):
        said.append(change)
    if row["confidence"] is not None:
        said.append(f"confidence {sure} {row['confidence']:.2f}")
    return " · ".join(said)


def _answer(row: dict[str, Any], side: str) -> str:
    """The score in words, then the answer; a score in brackets would look like the number of an option."""
    state = row[f"state_{side}"]
    said = row[f"choice_{side}"] or row[f"response_{side}"]
    score = row[f"score_{side}"]
    if not row["options"] and row[f"response_{side}"] and score in (0, 1) and (said in (row["gold"] or ())) != score:
        said = row[f"response_{side}"]  # the score is of something else in the reply, such as its form
    about = score_words(row, side)
    if state not in (None, "answered"):
        about += f", {state.replace('_', ' ')}"
    if (row[f"repeats_{side}"] or 1) > 1:
        about += "; shown"  # of several replies, the one that makes the change visible
    return f"{about}: {_cut(str(said), 300) if said else '(text not on record)'}"


def _cut(text: str, most: int | None) -> str:
    flat = text if most is None else " ".join(text.split())
    return flat if most is None or len(flat) <= most else flat[: most - 1] + "…"
