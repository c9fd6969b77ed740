"""`forgetmap gate`: pass or fail, for people and for CI."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.report.plain import plain
from forgetmap.storage import write_atomically


def gate_command(
    before: Annotated[
        str | None, typer.Argument(help="Results before: a log, a folder of logs or a saved run.", show_default=False)
    ] = None,
    after: Annotated[str | None, typer.Argument(help="Results after.", show_default=False)] = None,
    policy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Limits and conditions, a YAML file; --init writes one.")
    ] = None,
    init: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a policy to start from, and leave.")] = None,
    sequential: Annotated[
        bool,
        typer.Option(
            "--sequential", help="Look at paired samples in a random order and stop as soon as the outcome is sure."
        ),
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of that order. Default: the policy's, which is 0 unless given.")
    ] = None,
    scorer: opt.Scorer = None,
    metric: opt.MetricName = None,
    threshold: opt.Threshold = None,
    scale: opt.ScaleRange = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    json: opt.Json = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a summary for a pull request; - is standard output.")
    ] = None,
    junit: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write JUnit XML for dashboards; - is standard output.")
    ] = None,
    skip_broken: opt.SkipBroken = False,
    debug: opt.Debug = False,
) -> None:
    """Hold the results after post-training against a policy: exit code 0 if it passes, 1 if not, 2 if it cannot be told.

    A limit is kept only if the upper bound of the loss is under it. Missing
    tasks, too little coverage, missing scores, settings or prompts that differ
    fail the gate with the reason, unless the policy allows them.

    Example: forgetmap gate out/base out/tuned --policy policy.yaml --markdown gate.md --junit gate.xml
    """
    from forgetmap.gate import check_gate, check_sequential, load_policy
    from forgetmap.gate.text import print_gate

    if init is not None:
        _write_starter(init)
        return
    if before is None or after is None or policy is None:
        missing = "BEFORE and AFTER are" if before is None else "AFTER is" if after is None else "--policy is"
        raise UsageError(
            f"{missing} missing; write forgetmap gate BEFORE AFTER --policy FILE (--init FILE makes a policy)"
        )
    if seed is not None and not sequential:
        raise UsageError("--seed is given, but only --sequential draws an order; add it, or leave --seed out")
    targets = {"--json": json, "--markdown": markdown, "--junit": junit}
    for option, target in targets.items():
        if target and target != "-":
            opt.check_target(Path(target), option)
    printed = [option for option, target in targets.items() if target == "-"]
    if len(printed) > 1:
        raise UsageError(f"{' and '.join(printed)} are both -; send one of them to standard output")
    rules = load_policy(policy)
    left, right = (opt.read(path, format=format, columns=columns, skip_broken=skip_broken) for path in (before, after))
    options = {"scorer": scorer, "metric": metric, "threshold": threshold, "scale": opt.parse_scale(scale)}
    if sequential:
        found = check_sequential(left, right, rules, seed=seed, **options)
    else:
        found = check_gate(left, right, rules, **options)
    if json:
        opt.write_json(found.to_dict(), json)
    for target, make in ((markdown, found.markdown), (junit, found.junit)):
        if target:
            _write(make, target)
    if not printed:
        print_gate(opt.console(), found)
    if not found.passed:
        raise typer.Exit(1)


def _write(make: Callable[[], str], target: str) -> None:
    text = make()
    if target == "-":
        typer.echo(text, nl=False)
    else:
        write_atomically(Path(target), lambda path: path.write_text(text, encoding="utf-8"))


def _write_starter(target: Path) -> None:
    opt.check_target(target, "--init")
    if target.exists():
        raise UsageError(f"--init is '{target}', which exists; choose another name, or remove it")
    text = (files("forgetmap") / "gate" / "starter.yaml").read_text(encoding="utf-8")
    write_atomically(target, lambda path: path.write_text(text, encoding="utf-8"))
    opt.console().print(plain(f"wrote {target}; set its limits, then: forgetmap gate BEFORE AFTER --policy {target}"))
