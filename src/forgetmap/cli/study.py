"""`forgetmap study`: many pairs, one map."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.levels import LEVELS
from forgetmap.report.plain import number, plain, visible
from forgetmap.storage import write_atomically


def study_command(
    study: Annotated[
        Path | None,
        typer.Argument(metavar="STUDY.yaml", help="The study: pairs and what is known of them.", show_default=False),
    ] = None,
    init: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a study to start from, and leave.")] = None,
    by: Annotated[str, typer.Option(help="Rows of tables, axes of radars: task, category or group.")] = "category",
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes. Default: as many as there are cores.")] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Finished maps. Default: .forgetmap beside the study file.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute every map again, whatever the cache holds.")] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Leave with exit code 0 although some pairs could not be compared.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a page to look at: groups, heat maps, trends, ranking."),
    ] = None,
    latex: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the group tables for a paper (booktabs).")
    ] = None,
    style: Annotated[str, typer.Option(help="Layout of the LaTeX tables: forgetmap, paper or captrack.")] = "forgetmap",
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one tidy table: pair × cell × reading × direction.")
    ] = None,
    json: opt.Json = None,
    debug: opt.Debug = False,
) -> None:
    """Map many pairs at once: groups, sizes, data, stages, seeds; what is forgotten everywhere, and which trends there are.

    Maps are computed in parallel and kept: what has not changed is not computed again, and a study that was
    interrupted goes on where it was. A pair that cannot be compared is named with the reason, the others are
    shown, and the exit code is 2.

    Example: forgetmap study study.yaml --report study.html --csv study.csv
    """
    from forgetmap.report.styles import STYLES

    opt.one_of(by, LEVELS[:3], "--by")
    opt.one_of(style, STYLES, "--style")
    if init is not None:
        _write_starter(init)
        return
    if study is None:
        raise UsageError("STUDY.yaml is missing; write forgetmap study FILE (--init FILE makes one to start from)")
    targets = [(report, "--report"), (latex, "--latex"), (csv, "--csv")]
    for target, option in [*targets, (Path(json) if json and json != "-" else None, "--json")]:
        if target is not None:
            opt.check_target(target, option)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--report is '{report}'; give it a name that ends in .html")

    from forgetmap.report.studies import print_study
    from forgetmap.study import StudyError, compute_study, load_study
    from forgetmap.study.compute import core_count

    asked = load_study(study)
    done = 0

    def count(at: int, whole: int, name: str, state: str) -> None:
        nonlocal done
        done = at
        tell(at, whole, name, state)

    try:
        with _progress() as tell:
            result = compute_study(
                asked, cache=cache, jobs=jobs or core_count(), fresh=fresh, debug=debug, progress=count
            )  # fmt: skip
    except KeyboardInterrupt:
        whole = len(asked.pairs) + len(asked.chains)
        raise StudyError(
            f"interrupted after {done} of {whole} maps; they are kept, and the same command goes on from there"
        ) from None
    if not result.found:
        reasons = "; ".join(f"{entry.spec.name}: {entry.failure}" for entry in result.failed)
        raise StudyError(f"{study}: none of {number(len(asked.pairs), 'pair')} could be compared: {reasons}")
    if by == "group" and not any(sheet.at("group") for sheet in result.sheets):
        raise UsageError(f"taxonomy {result.sheets[0].taxonomy} has no groups; choose --by task or category")
    written = []
    if report is not None:
        from forgetmap.report.page.study_page import study_page

        text = study_page(result, level=by, command=shlex.join(["forgetmap", *sys.argv[1:]]))
        write_atomically(report, lambda path: path.write_text(text, encoding="utf-8"))
        written.append(f"wrote {report} ({report.stat().st_size / 1e6:.1f} MB)")
    if latex is not None:
        from forgetmap.report.study_exports import study_latex

        tables = study_latex(result, level=by, style=style)
        write_atomically(latex, lambda path: path.write_text(tables, encoding="utf-8"))
        written.append(f"wrote {latex}")
    if csv is not None:
        from forgetmap.report.study_exports import write_study_csv

        written.append(f"wrote {write_study_csv(result, csv):,} rows to {csv}")
    if json:
        opt.write_json(result.to_dict(), json)
        written.append(f"wrote {json}")
    if json != "-":
        console = opt.console()
        print_study(console, result, level=by)
        for line in written:
            console.print(plain(line, "dim"))
    if result.failed and not keep_going:
        # the reasons stand above, unless only JSON was printed
        told = (entry.spec.name if json != "-" else f"{entry.spec.name}: {entry.failure}" for entry in result.failed)
        raise StudyError(
            f"{study}: {len(result.failed)} of {len(asked.pairs) + len(asked.chains)} pairs and chains could not be computed, "
            f"and what is shown is without them ({'; '.join(told)}); correct them, or take that for a success with --keep-going"
        )


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str, str], None]]:
    """Tell on standard error how far it is: a bar on a terminal, else a line per tenth."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    if console.is_terminal:
        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=console, transient=True) as bar:
            row = bar.add_task("", total=None)
            yield lambda done, whole, name, state: bar.update(
                row, completed=done, total=whole, description=f"{visible(name)[:50]}"
            )
        return
    told = {"computed": 0, "cached": 0, "failed": 0}

    def tell(done: int, whole: int, name: str, state: str) -> None:
        told[state] += 1
        if state != "cached" and (done == whole or done * 10 // whole > (done - 1) * 10 // whole):
            print(f"{done} of {whole} maps, {told['cached']} from the cache", file=sys.stderr, flush=True)

    yield tell


def _write_starter(target: Path) -> None:
    opt.check_target(target, "--init")
    if target.exists():
        raise UsageError(f"--init is '{target}', which exists; choose another name, or remove it")
    text = (files("forgetmap") / "study" / "starter.yaml").read_text(encoding="utf-8")
    write_atomically(target, lambda path: path.write_text(text, encoding="utf-8"))
    opt.console().print(plain(f"wrote {target}; name your runs and pairs in it, then: forgetmap study {target}"))
