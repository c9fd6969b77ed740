"""The command line as people use it: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

Cli = Callable[..., tuple[int, str, str]]
SCHEMA = json.loads((files("forgetmap") / "schemas" / "map-1.json").read_text(encoding="utf-8"))


@pytest.fixture
def pair(logs: Path) -> tuple[Path, Path]:
    return logs / "lm_eval" / "before", logs / "lm_eval" / "after"


def test_two_folders_give_a_table(run_cli: Cli, pair: tuple[Path, Path]) -> None:
    code, out, err = run_cli("compare", *pair)
    assert (code, err) == (0, "")
    for piece in (
        "planted/before-1b → planted/after-1b",
        "Science/Tech",
        "lost",
        "gained",
        "paired 63 items by content",
        "warning:",
    ):
        assert piece in out
    assert "\x1b[" not in out  # plain when piped
    assert "█" not in out


@pytest.mark.parametrize("by", ["task", "category", "total"])
@pytest.mark.parametrize("reading", ["auto", "observed", "chance", "paper"])
def test_every_level_and_reading_prints(run_cli: Cli, pair: tuple[Path, Path], by: str, reading: str) -> None:
    code, out, _ = run_cli("compare", *pair, "--by", by, "--reading", reading)
    assert code == 0
    assert ("mmlu:anatomy" in out.split("warning:")[0]) == (by == "task")


def test_json_to_a_file_and_to_standard_output(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "map.json"
    code, out, _ = run_cli("compare", *pair, "--json", target)
    assert code == 0
    assert "lost" in out
    code, printed, _ = run_cli("compare", *pair, "--json", "-")
    assert json.loads(printed) == json.loads(target.read_text())
    jsonschema.validate(json.loads(printed), SCHEMA)


def test_several_afters(run_cli: Cli, pair: tuple[Path, Path]) -> None:
    before, after = pair
    code, out, _ = run_cli("compare", before, after, before, "--json", "-")
    content = json.loads(out)
    assert code == 0
    jsonschema.validate(content, SCHEMA)
    assert [one["cells"][-1]["lost"] > 0 for one in content["maps"]] == [True, False]


def test_strict_turns_warnings_into_a_refusal(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "map.json"
    code, out, err = run_cli("compare", *pair, "--strict", "--json", target)
    assert (code, out) == (2, "")
    assert "--strict" in err
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--reading", "magic"], "--reading is 'magic'"),
        (["--by", "subject"], "--by is 'subject'"),
        (["--weight", "mass"], "--weight is 'mass'"),
        (["--taxonomy", "nope"], "taxonomy 'nope'"),
        (["--scorer", "nope"], "no task has scorer 'nope'"),
        (["--tasks", "nope*"], "no task matches 'nope*'"),
        (["--scale", "1"], "--scale is '1'"),
        (["--columns", "gold"], "'gold' is not FIELD=COLUMN"),
        (["--format", "nope"], "no reader is called 'nope'"),
        (["--by", "group"], "no groups"),
        (["--taxonomy", "post_forget", "--threshold", "0.5", "--scale", "0,1"], "exclude each other"),
    ],
)
def test_bad_options_are_one_sentence_and_exit_2(
    run_cli: Cli, pair: tuple[Path, Path], arguments: list[str], said: str
) -> None:
    code, out, err = run_cli("compare", *pair, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("forgetmap: ")
    assert err.count("\n") == 1


def test_missing_files_and_arguments(run_cli: Cli, tmp_path: Path) -> None:
    code, _, err = run_cli("compare", tmp_path / "a", tmp_path / "b")
    assert code == 2
    assert "no such file or folder" in err
    assert run_cli("compare", tmp_path)[0] == 2
    assert run_cli("nonsense")[0] == 2


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "forgetmap", "compare", str(tmp_path / "a"), str(tmp_path / "b")]
    plain = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (plain.returncode, "Traceback" in plain.stderr) == (2, False)
    assert "Traceback" in subprocess.run([*command, "--debug"], capture_output=True, text=True, check=False).stderr


def test_an_unwritable_target_leaves_nothing(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    code, _, err = run_cli("compare", *pair, "--json", tmp_path / "no" / "such" / "folder.json")
    assert code == 2
    assert err.startswith("forgetmap: ")


def test_the_table_says_which_scores_were_compared(run_cli: Cli, pair: tuple[Path, Path]) -> None:
    assert "strict-match/exact_match" in run_cli("compare", *pair, "--tasks", "gsm8k")[1]
    assert (
        "flexible-extract/exact_match"
        in run_cli("compare", *pair, "--tasks", "gsm8k", "--scorer", "flexible-extract")[1]
    )
    content = json.loads(run_cli("compare", *pair, "--tasks", "piqa", "--metric", "acc_norm", "--json", "-")[1])
    assert content["scores"] == [
        {
            "task": "piqa",
            "name": "acc_norm",
            "kind": "binary",
            "before": {"scorer": "none", "metric": "acc_norm"},
            "after": {"scorer": "none", "metric": "acc_norm"},
        }
    ]


def test_several_globs_and_metrics_that_some_tasks_lack(run_cli: Cli, pair: tuple[Path, Path]) -> None:
    code, out, _ = run_cli("compare", *pair, "--tasks", "gsm8k", "--tasks", "mmlu:*", "--by", "task")
    assert code == 0
    assert all(name in out for name in ("gsm8k", "mmlu:anatomy", "mmlu:abstract_algebra"))
    assert "piqa" not in out
    code, out, _ = run_cli("compare", *pair, "--metric", "acc_norm", "--by", "task")
    assert code == 0
    assert "no acc_norm in gsm8k" in out


def test_tools_may_differ(run_cli: Cli, logs: Path) -> None:
    code, out, err = run_cli("compare", logs / "inspect" / "before", logs / "lm_eval" / "after")
    assert (code, err) == (0, "")
    assert "recorded by one of the two tools only" in out
    assert "tasks are in the after-run only" in out


def test_results_without_samples_say_what_to_do(run_cli: Cli, logs: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copy(next((logs / "lm_eval" / "before").rglob("results_*.json")), tmp_path)
    code, _, err = run_cli("compare", tmp_path, tmp_path)
    assert code == 2
    assert "--log_samples" in err


class TestItems:
    def test_lost_items_with_both_answers(self, run_cli: Cli, pair: tuple[Path, Path]) -> None:
        code, out, _ = run_cli("items", *pair, "--tasks", "mmlu:anatomy")
        assert code == 0
        assert out.count("← gold") >= 1
        assert "before" in out
        assert "after" in out

    def test_csv_and_json_hold_all(self, run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
        table = tmp_path / "lost.csv"
        code, out, _ = run_cli("items", *pair, "--csv", table, "--json", "-", "--limit", "1")
        assert code == 0
        content = json.loads(out)
        rows = list(csv.DictReader(io.StringIO(table.read_text())))
        assert len(rows) == len(content["items"]) > 1
        first = content["items"][0]
        assert {
            "task",
            "item",
            "question",
            "gold",
            "choice_before",
            "choice_after",
            "prompt_before",
            "response_after",
        } <= first.keys()
        assert all(row["score_before"] > row["score_after"] for row in content["items"])

    @pytest.mark.parametrize("show", ["lost", "gained", "kept", "never"])
    def test_the_four_transitions_add_up(self, run_cli: Cli, pair: tuple[Path, Path], show: str) -> None:
        def count(which: str) -> int:
            return len(json.loads(run_cli("items", *pair, "--show", which, "--json", "-")[1])["items"])

        if show == "lost":
            assert sum(count(which) for which in ("lost", "gained", "kept", "never")) == 63
        assert count(show) > 0

    def test_the_whole_prompt(self, run_cli: Cli, pair: tuple[Path, Path]) -> None:
        short, whole = (run_cli("items", *pair, "--tasks", "mmlu:anatomy", *more)[1] for more in ([], ["--prompt"]))
        assert "Answer:" in whole
        assert len(whole) > len(short)


class TestImport:
    def test_a_log_becomes_a_run_that_compares_alike(
        self, run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path
    ) -> None:
        for log, name in zip(pair, ("before", "after"), strict=True):
            code, out, _ = run_cli("import", log, tmp_path / name)
            assert code == 0
            assert "strict-match/exact_match (default)" in out
        raw, saved = (
            json.loads(run_cli("compare", *paths, "--json", "-")[1])
            for paths in (pair, (tmp_path / "before", tmp_path / "after"))
        )
        assert raw["cells"] == saved["cells"]
        texts = run_cli("items", tmp_path / "before", tmp_path / "after", "--tasks", "gsm8k")[1]
        assert "Question" in texts or "?" in texts

    def test_an_existing_folder_is_kept(self, run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
        assert run_cli("import", pair[0], tmp_path / "r")[0] == 0
        code, _, err = run_cli("import", pair[0], tmp_path / "r")
        assert code == 2
        assert "--force" in err
        assert run_cli("import", pair[0], tmp_path / "r", "--force", "--no-texts")[0] == 0
        assert not (tmp_path / "r" / "texts.parquet").exists()

    def test_a_refused_log_writes_nothing(self, run_cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "bad.jsonl").write_text('{"question": "q", "correct": 1}\n{"question": "q2", "corr')
        code, _, err = run_cli("import", tmp_path / "bad.jsonl", tmp_path / "r")
        assert (code, (tmp_path / "r").exists()) == (2, False)
        assert "line 2" in err


@pytest.mark.parametrize("command", ["compare", "items", "chain", "gate", "power", "import", "demo"])
def test_every_help_ends_with_an_example(run_cli: Cli, command: str) -> None:
    code, out, _ = run_cli(command, "--help")
    assert code == 0
    assert f"Example: forgetmap {command}" in " ".join(out.split())


def test_the_version(run_cli: Cli) -> None:
    assert run_cli("--version")[1].startswith("forgetmap 0.")


@pytest.mark.parametrize("width", [30, 50, 70, 100, 160])
def test_the_table_fits_the_terminal(pair: tuple[Path, Path], width: int) -> None:
    from rich.console import Console

    from forgetmap import compare
    from forgetmap.report.sheet import Sheet
    from forgetmap.report.tables import map_table

    console = Console(width=width, force_terminal=True, color_system=None, record=True, file=io.StringIO())
    found = compare(*pair)
    console.print(map_table(Sheet.of(found), width=width, bars=True))
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= width
    assert ("█" in "".join(lines)) == (width == 160)
    assert any("lost" in line for line in lines)
