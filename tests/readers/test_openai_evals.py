"""openai/evals: events of samples, scattered over a file of JSON lines."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tier2_b import DATA, accepted, foreign, in_order, json_lines, only, refusal, write_lines

from forgetmap.errors import FormatError
from forgetmap.readers import find_reader
from forgetmap.readers.openai_evals import detects, read
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run

OPTIONS = ReadOptions()
BEFORE = next((DATA / "openai_evals" / "before").iterdir())
SPEC = {
    "spec": {
        "eval_name": "e.dev.v0",
        "base_eval": "e",
        "split": "dev",
        "run_id": "r1",
        "completion_fns": ["m"],
        "run_config": {},
    }
}
REPORT = {"final_report": {"accuracy": 1.0}, "run_id": "r1"}


def event(number: int, kind: str, data: Any, sample: Any = "e.dev.12") -> dict[str, Any]:
    return {
        "run_id": "r1",
        "event_id": number,
        "sample_id": sample,
        "type": kind,
        "data": data,
        "created_by": "",
        "created_at": "..",
    }


MATCH = event(3, "match", {"correct": True, "expected": "B", "picked": "B", "sampled": "B"})
ASKED = event(2, "sampling", {"prompt": "Which?", "sampled": ["B"]})


def read_lines(tmp_path: Path, *rows: Any) -> Run:
    return read(write_lines(tmp_path / "log.jsonl", [SPEC, *rows, REPORT]), OPTIONS)


def test_the_example_of_the_specification(tmp_path: Path) -> None:
    run = read_lines(tmp_path, MATCH)
    sample = only(run)
    assert (sample["task"], sample["native_id"], sample["metric"], sample["score"]) == (
        "e.dev.v0",
        "e.dev.12",
        "accuracy",
        1.0,
    )
    assert sample["key_basis"] == "native"  # no prompt in this log
    assert sample["choice_key"] == sample["gold_key"]
    assert (sample["n_options"], sample["chance"]) == (None, None)
    assert run.info.model == "m"


def test_events_are_put_together_by_sample_and_number() -> None:
    run = read(BEFORE, OPTIONS.with_texts())
    samples = run.samples
    accuracy = samples.filter(metric="accuracy").sort("native_id")
    assert accuracy["score"].to_list() == [1, 1, 0, 0, 1, 1, 0, None]
    assert set(accuracy["key_basis"].to_list()) == {"prompt"}
    assert samples.filter(metric="f1_score")["score"].to_list() == [1, 1, 0.25, 0.25, 1, 1, 0.25]
    assert run.info.counts["metrics_without_number"] == 7
    assert {(m.metric, m.default, m.binary) for m in run.info.metrics} == {
        ("accuracy", True, True),
        ("f1_score", False, False),
    }
    first = run.texts().row(0, named=True)
    assert first["prompt"].startswith("system: Answer in a word.\nuser: Which bone")
    assert first["response"] == "Calcaneus"


def test_settings_come_from_the_specification() -> None:
    info = read(BEFORE, OPTIONS).info
    assert (info.model, info.date, info.settings) == ("model-before", "2023-06-01 10:00:00", {"seed": 20220722})
    assert info.task_settings["words.dev.v0"]["scorer"] == "evals.elsuite.basic.match:Match"
    assert info.subset == {}


def test_a_limit_is_a_subset_chosen_on_purpose(tmp_path: Path) -> None:
    limited = {"spec": {**SPEC["spec"], "run_config": {"max_samples": 20}}}
    path = write_lines(tmp_path / "log.jsonl", [limited, MATCH, REPORT])
    assert read(path, OPTIONS).info.subset == {"limit": 20}


def test_an_error_without_a_match_is_not_observed() -> None:
    sample = only(read(BEFORE, OPTIONS), answer_state="error")
    assert (sample["score"], sample["error"], sample["metric"]) == (None, "the server gave up", "accuracy")


def test_a_sample_that_was_only_asked_is_unscored(tmp_path: Path) -> None:
    sample = only(read_lines(tmp_path, ASKED))
    assert (sample["score"], sample["answer_state"], sample["metric"]) == (None, "unscored", "accuracy")


def test_an_empty_reply_is_an_observation(tmp_path: Path) -> None:
    empty = event(3, "match", {"correct": False, "expected": "B", "picked": None, "sampled": " "})
    sample = only(read_lines(tmp_path, empty))
    assert (sample["score"], sample["answer_state"]) == (0.0, "empty")


def test_a_null_pick_is_no_sign_of_a_missing_answer(tmp_path: Path) -> None:
    wrong = event(3, "match", {"correct": False, "expected": "B", "picked": None, "sampled": "C"})
    sample = only(read_lines(tmp_path, wrong))
    assert (sample["score"], sample["answer_state"], sample["choice_key"]) == (0.0, None, None)


def test_the_first_prompt_is_the_item_and_the_last_reply_the_answer(tmp_path: Path) -> None:
    reasoned = event(4, "sampling", {"prompt": "Which? Let me think: ... So", "sampled": "it is B"})
    verdict = event(5, "match", {"correct": True, "expected": "B", "picked": "B"})
    run = read_lines(tmp_path, ASKED, reasoned, verdict)
    assert run.texts().select("prompt", "response").row(0) == ("Which?", "it is B")
    plain = read_lines(tmp_path, ASKED, MATCH)
    assert run.samples["item_low"].to_list() == plain.samples["item_low"].to_list()


def test_a_grading_model_does_not_speak_for_the_model(tmp_path: Path) -> None:
    graded = event(4, "sampling", {"prompt": "Is this right: B?", "sampled": ["Yes"]})
    run = read_lines(tmp_path, ASKED, graded, event(5, "metrics", {"score": 1.0, "choice": "Yes"}))
    assert run.texts()["response"].to_list() == ["B"]
    assert only(run)["metric"] == "score"


def test_several_matches_of_one_sample_are_repeats(tmp_path: Path) -> None:
    again = event(9, "match", {"correct": False, "expected": "B", "picked": None, "sampled": "C"})
    run = read_lines(tmp_path, ASKED, again, MATCH)
    assert dict(run.samples.select("repeat", "score").iter_rows()) == {0: 1.0, 1: 0.0}


def test_several_expected_answers_are_several_golds(tmp_path: Path) -> None:
    either = event(3, "match", {"correct": True, "expected": ["B", "b)"], "picked": "B", "sampled": "B"})
    assert read_lines(tmp_path, ASKED, either).texts()["gold"].to_list() == [["B", "b)"]]


def test_a_relabelled_item_is_another_item_with_the_same_question(tmp_path: Path) -> None:
    other = event(3, "match", {"correct": False, "expected": "C", "picked": "B", "sampled": "B"})
    one, two = only(read_lines(tmp_path, ASKED, MATCH)), only(read_lines(tmp_path, ASKED, other))
    assert one["item_low"] != two["item_low"]
    assert one["question_key"] == two["question_key"]


def test_a_missing_gold_keeps_the_logged_score(tmp_path: Path) -> None:
    sample = only(read_lines(tmp_path, ASKED, event(3, "match", {"correct": True})))
    assert (sample["score"], sample["gold_key"], sample["key_basis"]) == (1.0, None, "prompt")


def test_duplicates_are_kept(tmp_path: Path) -> None:
    twin = [event(7, "sampling", ASKED["data"], "e.dev.13"), event(8, "match", MATCH["data"], "e.dev.13")]
    run = read_lines(tmp_path, ASKED, MATCH, *twin)
    assert (run.info.counts["items"], run.info.counts["duplicates"]) == (2, 1)


def test_order_name_and_a_second_import_change_nothing(tmp_path: Path) -> None:
    spec, *events = json_lines(BEFORE)
    random.Random(2).shuffle(events)
    shuffled = read(write_lines(tmp_path / "renamed", [spec, *events]), OPTIONS)
    straight = read(BEFORE, OPTIONS)
    assert in_order(shuffled).equals(in_order(straight))
    assert in_order(read(BEFORE, OPTIONS)).equals(in_order(straight))


def test_an_unfinished_run_is_said_to_be_one(tmp_path: Path) -> None:
    run = read(write_lines(tmp_path / "log.jsonl", [SPEC, MATCH]), OPTIONS)
    assert "did not finish" in run.info.warnings[0]
    assert not any("did not finish" in warning for warning in read(BEFORE, OPTIONS).info.warnings)


def test_a_nan_line_and_a_torn_line(tmp_path: Path) -> None:
    nan = '{"run_id":"r1","event_id":5,"sample_id":"e.dev.12","type":"metrics","data":{"loss":NaN}}\n'
    run = read_lines(tmp_path, MATCH, nan)
    assert (only(run, metric="loss")["score"], only(run, metric="loss")["answer_state"]) == (None, "unscored")
    path = write_lines(tmp_path / "torn.jsonl", [SPEC, MATCH, '{"run_id": "r1", "event'])
    with pytest.raises(FormatError, match=r"torn\.jsonl: line 3 is broken"):
        read(path, OPTIONS)
    assert read(path, ReadOptions(skip_broken=True)).info.counts["skipped_lines"] == 1


def test_one_folder_is_one_model_and_one_run_of_each_evaluation(tmp_path: Path) -> None:
    write_lines(tmp_path / "a" / "1.jsonl", [SPEC, MATCH, REPORT])
    write_lines(tmp_path / "a" / "2.jsonl", [SPEC, MATCH, REPORT])
    with pytest.raises(FormatError, match="was run twice"):
        read(tmp_path / "a", OPTIONS)
    other = {"spec": {**SPEC["spec"], "eval_name": "f.dev.v0", "completion_fns": None, "model_name": "n"}}
    write_lines(tmp_path / "b" / "1.jsonl", [SPEC, MATCH, REPORT])
    write_lines(tmp_path / "b" / "2.jsonl", [other, MATCH, REPORT])
    with pytest.raises(FormatError, match=r"logs of 2 models \(m, n\)"):
        read(tmp_path / "b", OPTIONS)


@pytest.mark.parametrize(
    "line",
    [
        event(3, "match", "B"),
        event(3, "match", ["B"]),
        {**MATCH, "event_id": "x"},
        {**MATCH, "type": 7},
        {**MATCH, "sample_id": [1]},
        [1, 2],
        {"spec": {"eval_name": None}},
    ],
)
def test_wrong_types_are_one_sentence_with_file_and_line(tmp_path: Path, line: Any) -> None:
    with pytest.raises(FormatError, match=r"log\.jsonl: line 2 is broken"):
        read_lines(tmp_path, line)


@pytest.mark.parametrize("data", [{"correct": "yes"}, {"correct": [1]}, {"correct": None}, {}])
def test_a_verdict_that_is_none_is_unscored(tmp_path: Path, data: dict[str, Any]) -> None:
    sample = only(read_lines(tmp_path, ASKED, event(3, "match", data)))
    assert (sample["score"], sample["answer_state"]) == (None, "unscored")


def test_detection_takes_its_own_and_nothing_else(tmp_path: Path) -> None:
    own = {file.relative_to(DATA).as_posix() for file in (DATA / "openai_evals").rglob("*.jsonl")}
    assert accepted(detects) == own
    assert find_reader(BEFORE).name == "openai-evals"
    assert not detects(write_lines(tmp_path / "api.jsonl", [{"spec": {"openapi": "3.0"}}]))


def test_a_forced_format_refuses_what_is_not_its_own() -> None:
    for path in foreign(detects):
        said = refusal(lambda path=path: read(path, OPTIONS))
        assert said is not None, path
        assert str(path) in said or path.name in said, (path, said)
