"""Plain tables: names that leave no doubt are taken, everything else is asked about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conftest import answer, make_run
from forgetmap import Run, compare, read_run
from forgetmap.errors import FormatError, UsageError

ROWS = [
    {"id": "a", "task": "t1", "question": "2+2?", "options": ["3", "4"], "gold": "4", "pred": "4", "correct": True},
    {"id": "b", "task": "t1", "question": "3+3?", "options": ["6", "7"], "gold": "6", "pred": "7", "correct": False},
    {"id": "c", "task": "t2", "question": "4+4?", "options": ["8", "9"], "gold": "8", "pred": None, "correct": False},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    flat = [{k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]
    if path.suffix == ".csv":
        pl.DataFrame(flat).write_csv(path)
    elif path.suffix == ".tsv":
        pl.DataFrame(flat).write_csv(path, separator="\t")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=2))
    else:
        pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_one_table_in_five_containers_is_one_run(tmp_path: Path, suffix: str) -> None:
    run = read_run(write(tmp_path / f"table.{suffix}", ROWS))
    assert run.info.content_hash == make_run(ROWS).info.content_hash
    assert run.samples["answer_state"].to_list() == ["answered", "answered", "no_answer"]
    assert run.samples["chance"].to_list() == [0.5] * 3
    assert run.tasks == ["t1", "t2"]


def test_a_folder_with_one_table(tmp_path: Path) -> None:
    write(tmp_path / "table.csv", ROWS)
    (tmp_path / "readme.md").write_text("hello")
    assert read_run(tmp_path).info.other_files == ["readme.md"]
    write(tmp_path / "table2.csv", ROWS)
    with pytest.raises(FormatError, match="holds 2 tables"):
        read_run(tmp_path)


@pytest.mark.parametrize("value", ["maybe", "0.7", "2", "right"])
def test_a_correctness_that_is_not_yes_or_no(tmp_path: Path, value: str) -> None:
    path = write(tmp_path / "t.csv", [{"question": "a", "correct": "1"}, {"question": "b", "correct": value}])
    with pytest.raises(FormatError, match=rf"t\.csv: row 3: 'correct' is '{value}'.*score=correct"):
        read_run(path)


def test_words_for_yes_and_no() -> None:
    values = ["true", "False", "1", "0", "YES", "no", "pass", "FAIL", 1, 0, True, None, ""]
    run = make_run([{"question": f"q{n}", "passed": None if v is None else str(v)} for n, v in enumerate(values)])
    assert run.samples["score"].to_list() == [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, None, None]


def test_a_score_that_is_no_number(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="row 3: 'score' is 'high', expected a number"):
        read_run(write(tmp_path / "t.csv", [{"question": "a", "score": "1"}, {"question": "b", "score": "high"}]))


@pytest.mark.parametrize(
    ("columns", "doubt"),
    [
        (("question", "correct", "answer"), "'answer' could be gold or prediction"),
        (("question", "prompt", "correct"), "question could be question or prompt"),
        (("question", "result"), "'result' could be score or correct"),
        (("question", "correct", "label"), "'label' could be gold"),
        (("text", "correct"), "'text' could be question or response"),
        (("model", "run", "question", "correct"), "run could be model or run"),
    ],
)
def test_doubts_are_asked_about(columns: tuple[str, ...], doubt: str) -> None:
    with pytest.raises(FormatError, match=f"{doubt}.*--columns"):
        make_run([dict.fromkeys(columns, "1")])


def test_a_doubt_is_settled_by_the_user() -> None:
    run = make_run([{"question": "q", "correct": 1, "answer": "a"}], gold="answer")
    assert run.samples["key_basis"].to_list() == ["content"]
    with pytest.raises(UsageError, match="not a field"):
        make_run([{"question": "q", "correct": 1}], golden="question")
    with pytest.raises(UsageError, match="no such column"):
        make_run([{"question": "q", "correct": 1}], gold="nothing")


def test_a_table_needs_a_score_and_an_item() -> None:
    with pytest.raises(FormatError, match="no score or correctness column"):
        make_run([{"question": "q", "gold": "a"}])
    with pytest.raises(FormatError, match="no column identifies the item"):
        make_run([{"gold": "a", "correct": 1}])
    with pytest.raises(FormatError, match="without rows"):
        Run.from_frame(pl.DataFrame({"question": [], "correct": []}))


def test_a_bare_id_must_be_unique_to_be_one() -> None:
    assert make_run([{"id": n, "correct": 1} for n in range(3)]).samples["key_basis"].unique().to_list() == ["native"]
    with pytest.raises(FormatError, match="not unique"):
        make_run([{"id": n % 2, "correct": 1} for n in range(4)])


def test_several_runs_in_one_table(tmp_path: Path) -> None:
    rows = [
        {"model": model, "item_id": n, "correct": n < right}
        for model, right in (("base", 3), ("tuned", 1))
        for n in range(4)
    ]
    path = write(tmp_path / "both.csv", rows)
    with pytest.raises(FormatError, match=r"holds 2 runs \(base, tuned\); name one as .*both\.csv::base"):
        read_run(path)
    found = compare(read_run(f"{path}::base"), read_run(f"{path}::tuned"))
    assert found.total.observed["lost"] == 0.5
    with pytest.raises(FormatError, match="none called 'other'"):
        read_run(f"{path}::other")


def test_a_wide_table_names_its_score_columns(tmp_path: Path) -> None:
    rows = [{"item_id": n, "base_ok": n < 3, "tuned_ok": n < 1} for n in range(4)]
    path = write(tmp_path / "wide.csv", rows)
    found = compare(f"{path}::base_ok", f"{path}::tuned_ok")
    assert found.total.observed["lost"] == 0.5
    assert found.pair.before.name == "base_ok"


def test_options_in_columns_and_golds_in_lists() -> None:
    row = {"question": "q", "A": "x", "B": "y", "C": "z", "correct": 1, "gold": '["A", "C"]', "pred": "B"}
    run = make_run([row])
    assert run.samples.select("n_options", "n_gold", "chance").row(0) == (3, 2, pytest.approx(2 / 3))
    assert run.texts()["gold"].to_list() == [["x", "z"]]
    assert run.texts()["choice"].to_list() == ["y"]


def test_a_choice_outside_the_options_is_no_answer() -> None:
    run = make_run([{**ROWS[0], "pred": "J", "correct": 0}])
    assert run.samples.select("answer_state", "choice_index", "choice_key").row(0) == ("no_answer", None, None)


def test_a_gold_that_cannot_be_resolved_is_left_out_and_said() -> None:
    run = make_run([{**ROWS[0], "gold": "neither"}])
    assert run.samples["key_basis"].to_list() == ["question"]
    assert any("no usable gold" in warning for warning in run.info.warnings)


def test_clashing_ids_and_duplicates_are_counted() -> None:
    rows = [answer(1, True), {**answer(2, True), "item_id": "1"}, answer(1, True)]
    run = make_run(rows)
    assert (run.info.counts["clashing_ids"], run.info.counts["duplicates"]) == (1, 1)
    assert len([w for w in run.info.warnings if "native id" in w or "more than once" in w]) == 2


def test_ragged_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,correct\na,1\nb,1,extra,cells\n")
    with pytest.raises(FormatError, match="not a regular table"):
        read_run(path)


def test_rows_of_the_wrong_type(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"question": "a", "correct": 1}\n[1, 2]\n')
    with pytest.raises(FormatError, match="row 2 is list"):
        read_run(path)
    path.write_text('{"question": "a", "options": {"x": 1}, "correct": 1}\n{"question": "b", "correct": 0}\n')
    with pytest.raises(FormatError, match="row 1: 'options'"):
        read_run(path)
    path.write_text('{"question": "a", "n_options": 2.5, "correct": 1}\n{"question": "b", "correct": 0}\n')
    with pytest.raises(FormatError, match=r"row 1: 'n_options' is '2\.5', expected a whole number"):
        read_run(path)


def test_option_logprobs_and_open_ended_counts() -> None:
    rows = [
        {"item_id": "1", "n_choices": 0, "correct": 1},
        {"item_id": "2", "n_choices": 4, "correct": 1, "option_logprobs": [-1.0, -2.0, -3.0, -4.0]},
    ]
    run = make_run(rows)
    assert run.samples["chance"].to_list() == [0.0, 0.25]
    assert run.samples["option_logprobs"].to_list() == [None, [-1.0, -2.0, -3.0, -4.0]]
