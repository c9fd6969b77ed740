"""Entry point: collects the commands and turns refusals into one sentence and exit code 2."""

from __future__ import annotations

import os
import sys

import typer

from forgetmap.cli.chain import chain_command
from forgetmap.cli.compare import compare_command
from forgetmap.cli.demo import demo_command
from forgetmap.cli.evaluating import eval_command, map_command
from forgetmap.cli.gate import gate_command
from forgetmap.cli.importing import import_command
from forgetmap.cli.items import items_command
from forgetmap.cli.models import AskingCommand
from forgetmap.cli.power import power_command
from forgetmap.cli.report import report_command
from forgetmap.cli.study import study_command
from forgetmap.cli.view import view_command
from forgetmap.errors import ForgetmapError
from forgetmap.report.plain import visible

app = typer.Typer(
    name="forgetmap",
    help="Know what post-training broke: pair per-sample results before and after, item by item.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("compare")(compare_command)
app.command("report")(report_command)
app.command("view")(view_command)
app.command("study")(study_command)
app.command("items")(items_command)
app.command("chain")(chain_command)
app.command("gate")(gate_command)
app.command("power")(power_command)
app.command("eval", cls=AskingCommand)(eval_command)
app.command("map", cls=AskingCommand)(map_command)
app.command("import")(import_command)
app.command("demo")(demo_command)


@app.callback(invoke_without_command=True)
def _version(version: bool = typer.Option(False, "--version", help="Print the version and leave.")) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"forgetmap {installed('forgetmap')}")
        raise typer.Exit


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 a gate failed, 2 bad usage or unreadable input."""
    try:
        app()
    except (ForgetmapError, OSError) as refusal:
        if isinstance(refusal, BrokenPipeError):  # `forgetmap … | head` is not an error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        if "--debug" in sys.argv:
            raise
        print(f"forgetmap: {visible(str(refusal))}", file=sys.stderr)
        sys.exit(2)
