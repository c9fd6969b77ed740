"""`forgetmap items` with several afters and repeats, and `forgetmap import` of repeats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from conftest import answer
from forgetmap import Run
from forgetmap.repeats import repeat_kind

Cli = Callable[..., tuple[int, str, str]]


def write(path: Path, answers: str, repeats: int = 1) -> Path:
    """A table with one item per letter, answered that way each time; every fourth turn it is right."""
    rows = [
        answer(n, (said := letter if turn % 4 < 3 else "x") == "x", prediction=said, repeat=turn, model="m")
        for n, letter in enumerate(answers)
        for turn in range(repeats)
    ]
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    logs = {"before": "xxxxxxxy", "one": "yyyzxxxx", "two": "yxzzxxxx"}
    return [write(tmp_path / f"{name}.parquet", answers) for name, answers in logs.items()]


class TestItems:
    def test_several_afters(self, run_cli: Cli, tables: list[Path]) -> None:
        code, out, err = run_cli("items", *tables)
        assert (code, err) == (0, "")
        assert "4 items lost (2 likely label error: listed last)" in out
        assert "lost by 2 of 2" in out
        assert "likely label error · lost by 2 of 2" in out
        assert "lost by 1 of 2" in out

    def test_one_after_as_before(self, run_cli: Cli, tables: list[Path]) -> None:
        code, out, _ = run_cli("items", *tables[:2])
        assert code == 0
        assert "4 items lost\n" in out
        assert "lost by" not in out

    def test_files_hold_rank_and_marks(self, run_cli: Cli, tables: list[Path], tmp_path: Path) -> None:
        code, out, _ = run_cli("items", *tables, "--json", "-", "--csv", tmp_path / "lost.csv")
        assert code == 0
        content = json.loads(out)
        assert (content["before"], content["afters"]) == ("m", ["m", "m"])
        listed = {row["native_id"]: (row["shared_by"], row["marks"]) for row in content["items"]}
        assert listed == {
            "1": (1, []),
            "0": (2, ["likely label error"]),
            "2": (2, []),
            "3": (2, ["likely label error"]),
        }
        assert [row["native_id"] for row in content["items"]][:2] == ["2", "1"]
        assert {row["confidence"] for row in content["items"]} == {None}
        rows = list(csv.DictReader(io.StringIO((tmp_path / "lost.csv").read_text())))
        assert [row["marks"] for row in rows] == ["", "", "likely label error", "likely label error"]

    def test_repeats_are_told(self, run_cli: Cli, tmp_path: Path) -> None:
        before, after = write(tmp_path / "b.parquet", "xxy", 4), write(tmp_path / "a.parquet", "yxx", 4)
        _, lost, _ = run_cli("items", before, after)
        assert "likely noise" not in lost
        assert "right in 4 of 4 repeats → 1 of 4 · confidence before 1.00" in lost
        assert "after   right in 1 of 4 repeats; shown: y" in lost
        _, gained, _ = run_cli("items", before, after, "--show", "gained")
        assert "right in 1 of 4 repeats → 4 of 4 · confidence after 1.00" in gained

    def test_scores_are_words(self, run_cli: Cli, tables: list[Path]) -> None:
        """A score in brackets looks like the number of an option."""
        _, out, _ = run_cli("items", *tables[:2])
        assert "  before  right: x\n  after   wrong: y\n" in out
        assert "[" not in out

    def test_grades_have_their_figures(self, run_cli: Cli, tmp_path: Path) -> None:
        for name, grade in (("b", 0.8), ("a", 0.3)):
            rows = [{"id": n, "question": f"q{n}", "gold": "g", "score": grade, "response": "said"} for n in range(3)]
            pl.DataFrame(rows).write_csv(tmp_path / f"{name}.csv")
        _, out, _ = run_cli("items", tmp_path / "b.csv", tmp_path / "a.csv")
        assert out.count("score 0.8 → 0.3") == 3
        assert "  after   score 0.3: said" in out
        assert "right" not in out and "wrong" not in out

    def test_a_choice_beside_no_answer_is_explained(self, run_cli: Cli, tmp_path: Path) -> None:
        rows = [answer(0, False, prediction="y", answer_state="no_answer", response="Well.", model="m")]
        before, after = write(tmp_path / "b.parquet", "x"), tmp_path / "a.parquet"
        pl.DataFrame(rows).write_parquet(after)
        _, out, _ = run_cli("items", before, after)
        assert "after   wrong, no answer: Well.\n          the log scored 'y'; the reply names no option\n" in out
        assert "← after" not in out

    @pytest.mark.parametrize("option", ["--csv", "--json"])
    def test_a_file_is_all_that_is_told(self, run_cli: Cli, tables: list[Path], tmp_path: Path, option: str) -> None:
        code, out, _ = run_cli("items", *tables[:2], option, tmp_path / "lost")
        assert code == 0
        assert out.split() == ["wrote", "4", "items", "to", str(tmp_path / "lost")]
        assert (tmp_path / "lost").stat().st_size > 100

    def test_a_file_that_cannot_be_written_is_refused_first(self, run_cli: Cli, tmp_path: Path) -> None:
        code, _, err = run_cli("items", "gone", "gone", "--csv", tmp_path / "no" / "lost.csv")
        assert code == 2
        assert "there is no folder" in err

    def test_gains_are_shared_too(self, run_cli: Cli, tables: list[Path]) -> None:
        _, out, _ = run_cli("items", *tables, "--show", "gained")
        assert "1 item gained\n" in out
        assert "gained by 2 of 2" in out


class TestImport:
    def test_several_logs_become_repeats(self, run_cli: Cli, tables: list[Path], tmp_path: Path) -> None:
        code, out, err = run_cli("import", *tables, tmp_path / "run", "--repeats", "prompt")
        assert (code, err) == (0, "")
        assert "m: 8 items in 1 task, 24 scores, 3 repeats (prompt)" in out
        run = Run.load(tmp_path / "run")
        assert (run.info.counts["repeats"], repeat_kind(run)) == (3, "prompt")
        assert run.texts().height == 24

    def test_the_kind_must_be_said(self, run_cli: Cli, tables: list[Path], tmp_path: Path) -> None:
        code, _, err = run_cli("import", *tables, tmp_path / "run")
        assert code == 2
        assert "3 logs for one run" in err
        assert "seed, numeric, prompt, order or format" in err
        assert not (tmp_path / "run").exists()
        code, _, err = run_cli("import", *tables, tmp_path / "run", "--repeats", "often")
        assert code == 2
        assert "--repeats is 'often'" in err

    def test_repeats_of_one_log_may_be_declared(self, run_cli: Cli, tables: list[Path], tmp_path: Path) -> None:
        log = write(tmp_path / "three.parquet", "xxyy", 3)
        assert run_cli("import", log, tmp_path / "run", "--repeats", "format")[0] == 0
        assert Run.load(tmp_path / "run").info.repeat_kind == "format"
        code, _, err = run_cli("import", tables[0], tmp_path / "other", "--repeats", "seed")
        assert code == 2
        assert "one answer per item" in err

    def test_names_of_one_model(self, run_cli: Cli, tables: list[Path], tmp_path: Path) -> None:
        pl.read_parquet(tables[1]).with_columns(model=pl.lit("m-again")).write_parquet(tables[1])
        arguments = ("import", *tables[:2], tmp_path / "run", "--repeats", "seed")
        code, _, err = run_cli(*arguments)
        assert code == 2
        assert "2 models (m, m-again)" in err
        assert run_cli(*arguments, "--same-model")[0] == 0

    def test_a_forgotten_folder_costs_no_log(self, run_cli: Cli, tables: list[Path]) -> None:
        held = tables[2].read_bytes()
        code, _, err = run_cli("import", *tables, "--repeats", "seed", "--force")
        assert code == 2
        assert "is a file; name a folder" in err
        assert tables[2].read_bytes() == held

    def test_the_help_has_an_example(self, run_cli: Cli) -> None:
        assert "--repeats" in run_cli("import", "--help")[1]
        assert "Example: forgetmap import" in run_cli("import", "--help")[1]
