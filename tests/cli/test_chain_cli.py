"""`forgetmap chain` as people use it: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from rich.console import Console

from forgetmap.chain import chain_runs
from forgetmap.report.chains import print_chain

Cli = Callable[..., tuple[int, str, str]]

#: One line per item; the stages are columns of a table of results.
LINES = ["111"] * 9 + ["110"] * 4 + ["100"] * 3 + ["101"] * 2 + ["011"] * 1 + ["000"] * 5


@pytest.fixture
def stages(tmp_path: Path) -> list[str]:
    rows = [
        {"model": name, "question": f"q{n}", "answer": "a", "correct": line[place] == "1"}
        for place, name in enumerate(("base", "sft", "dpo"))
        for n, line in enumerate(LINES)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "results.csv")
    return [f"{tmp_path / 'results.csv'}::{name}" for name in ("base", "sft", "dpo")]


COLUMNS = ("--columns", "gold=answer")


def test_three_runs_give_the_tables(run_cli: Cli, stages: list[str]) -> None:
    code, out, err = run_cli("chain", *stages, *COLUMNS)
    assert (code, err) == (0, "")
    assert out.startswith("From base to dpo, 29.2 % of 24 items were lost for good")
    for piece in ("what became of the items", "life line", "first lost here", "base → sft", "sft → dpo", "expected"):
        assert piece in out
    assert "\x1b[" not in out  # plain when piped
    lines = {line.split()[0]: line for line in out.splitlines() if line[:1] in "01" and line.strip()}
    assert "37.5 %" in lines["111"]
    assert "lost for good" in lines["110"]


def test_json_to_a_file_and_to_standard_output(run_cli: Cli, stages: list[str], tmp_path: Path) -> None:
    target = tmp_path / "chain.json"
    code, out, _ = run_cli("chain", *stages, *COLUMNS, "--json", target)
    assert code == 0
    assert f"wrote {target}" in out.replace("\n", "")
    printed = run_cli("chain", *stages, *COLUMNS, "--json", "-")[1]
    content = json.loads(printed)
    assert content == json.loads(target.read_text(encoding="utf-8"))
    assert content["schema"] == "forgetmap.chain/1"
    assert [stage["stage"] for stage in content["stages"]] == ["base", "sft", "dpo"]
    assert {row["line"]: row["n"] for row in content["life"] if row["n"]} == Counter(LINES)


def test_csv_holds_every_item(run_cli: Cli, stages: list[str], tmp_path: Path) -> None:
    target = tmp_path / "lines.csv"
    assert run_cli("chain", *stages, *COLUMNS, "--csv", target)[0] == 0
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    assert Counter(row["line"] for row in rows) == Counter(LINES)
    assert Counter(row["outcome"] for row in rows)["recovered"] == 2
    assert {"task", "item", "native_id", "right base", "right dpo"} <= rows[0].keys()


def test_the_figure_is_drawn(run_cli: Cli, stages: list[str], tmp_path: Path) -> None:
    target = tmp_path / "chain.svg"
    assert run_cli("chain", *stages, *COLUMNS, "--figure", target)[0] == 0
    texts = [text.text for text in ElementTree.parse(target).getroot().iter("{http://www.w3.org/2000/svg}text")]
    assert "24 items from base to dpo" in texts
    assert "lost 5 · 20.8 %" in texts


def test_real_logs_with_tasks_that_one_stage_lacks(run_cli: Cli, logs: Path) -> None:
    before, after = logs / "lm_eval" / "before", logs / "lm_eval" / "after"
    code, out, err = run_cli("chain", before, after, before)
    assert (code, err) == (0, "")
    assert "winogrande are missing at planted/after-1b" in " ".join(out.split())
    assert "1·1" in out
    assert "gsm8k" not in run_cli("chain", before, after, "--tasks", "mmlu:*", "--json", "-")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tasks", "nope*"], "no task matches 'nope*'"),
        (["--scorer", "nope"], "no task has nope at every stage"),
        (["--figure", "chain.png"], "--figure is 'chain.png', but the figure is SVG"),
        (["--figure", "no/such/folder/chain.svg"], "there is no folder"),
        (["--csv", "no/such/folder/lines.csv"], "there is no folder"),
        (["--threshold", "nan"], "plain numbers"),
        (["--format", "nope"], "no reader is called 'nope'"),
    ],
)
def test_bad_options_are_one_sentence_and_exit_2(
    run_cli: Cli, stages: list[str], arguments: list[str], said: str
) -> None:
    code, out, err = run_cli("chain", *stages, *COLUMNS, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("forgetmap: ")
    assert err.count("\n") == 1


def test_one_run_is_no_chain(run_cli: Cli, stages: list[str]) -> None:
    code, out, err = run_cli("chain", stages[0], *COLUMNS)
    assert (code, out) == (2, "")
    assert "two runs or more" in err
    assert run_cli("chain")[0] == 2


def test_help_ends_with_an_example(run_cli: Cli) -> None:
    code, out, _ = run_cli("chain", "--help")
    assert code == 0
    assert "Example: forgetmap chain" in " ".join(out.split())


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_is_filled_and_not_overfilled(stages: list[str], width: int) -> None:
    from forgetmap.readers import read_run

    found = chain_runs([read_run(path, columns={"gold": "answer"}) for path in stages])
    console = Console(width=width, force_terminal=True, color_system="truecolor", record=True, file=io.StringIO())
    print_chain(console, found)
    styled = console.export_text(styles=True, clear=False)
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= width
    assert "─" in "".join(lines)
    assert "\x1b[31m" in styled  # lost is red
