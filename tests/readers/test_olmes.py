"""OLMES and olmo-eval: predictions joined to their requests."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from tier2_b import DATA, accepted, foreign, in_order, json_lines, only, refusal, write_json, write_lines

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.readers import find_reader, read_run
from forgetmap.readers.olmes import detects, read
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run

OPTIONS = ReadOptions()
OLMES = DATA / "olmes" / "before"
STEM = "task-000-mmlu_mix"
OLMO = DATA / "olmo_eval" / "before"

RANKED = {
    "doc_id": 0, "native_id": "Mercury_7175", "label": 2, "task_hash": "..", "model_hash": "..",
    "metrics": {"predicted_index_raw": 2, "correct_choice": 2, "acc_raw": 1, "acc_per_char": 1},
    "model_output": [
        {"sum_logits": -9.1 + place, "num_tokens": 3, "num_chars": 12, "is_greedy": False} for place in range(3)
    ],
}  # fmt: skip
WRITTEN = {
    "doc_id": 0, "native_id": "Mercury_7175", "label": 1, "final_output": "B",
    "model_output": [
        {"text": "B", "extracted_answer": "B", "num_chars": 1, "sample_metrics": {"exact_match": {"exact_match": 1.0}}}
    ],
    "instance_metrics": {"accuracy": {"exact_match": 1.0}},
}  # fmt: skip
REQUEST = {
    "request_type": "loglikelihood", "doc": {"query": "Which sinks?", "choices": ["cork", "ice", "lead"]},
    "request": {"context": "Q: Which sinks?\nA:", "continuation": " cork"}, "idx": 0, "task_name": "sinking",
    "doc_id": 0, "native_id": "Mercury_7175", "label": 2,
}  # fmt: skip
ASKED = {**REQUEST, "request_type": "generate_until", "label": 1}


def read_lines(tmp_path: Path, prediction: Any, *requests: Any) -> Run:
    folder = tmp_path / "run"
    shutil.rmtree(folder, ignore_errors=True)
    write_lines(folder / "task-000-sinking-predictions.jsonl", [prediction])
    if requests:
        write_lines(folder / "task-000-sinking-requests.jsonl", requests)
    return read(folder, OPTIONS)


def test_the_example_of_olmes(tmp_path: Path) -> None:
    run = read_lines(tmp_path, RANKED, REQUEST)
    sample = only(run, metric="acc_raw")
    assert (sample["task"], sample["native_id"], sample["score"], sample["answer_state"]) == (
        "sinking", "Mercury_7175", 1.0, "answered",
    )  # fmt: skip
    assert (sample["n_options"], sample["chance"], sample["gold_index"], sample["choice_index"]) == (
        3,
        pytest.approx(1 / 3),
        2,
        2,
    )
    assert sample["option_logprobs"] == pytest.approx([-9.1, -8.1, -7.1])
    assert (sample["key_basis"], sample["item_low"]) == (
        "content", items.item_key(["Which sinks?"], ["cork", "ice", "lead"], ["lead"]).low,
    )  # fmt: skip
    assert sample["prompt_key"] == items.text_hash("Q: Which sinks?\nA:")
    assert set(run.samples["metric"].to_list()) == {"acc_raw", "acc_per_char"}


def test_the_example_of_olmo_eval(tmp_path: Path) -> None:
    run = read_lines(tmp_path, WRITTEN, ASKED)
    sample = only(run)
    assert (sample["metric"], sample["scorer"], sample["score"]) == ("accuracy", "exact_match", 1.0)
    assert (sample["n_options"], sample["gold_index"], sample["choice_index"]) == (3, 1, 1)
    assert (sample["answer_state"], sample["option_logprobs"]) == ("answered", None)
    assert run.texts()["response"].to_list() == ["B"]


def test_without_requests_only_native_ids_remain_and_it_is_said(tmp_path: Path) -> None:
    run = read_lines(tmp_path, RANKED)
    sample = only(run, metric="acc_raw")
    assert (sample["key_basis"], sample["n_options"], sample["chance"]) == ("native", 3, pytest.approx(1 / 3))
    assert (sample["gold_index"], sample["choice_index"]) == (2, 2)
    assert "1 predictions have no request" in run.info.warnings[0]


def test_ids_that_repeat_or_are_null_still_find_their_own_request() -> None:
    run = read(OLMES, OPTIONS)
    samples = run.samples.filter(metric="acc_raw")
    expected = {
        items.item_key(
            [f"Question: {item['question']}\nAnswer:"], item["choices"], [item["choices"][item["answer"]]]
        ).low
        for item in json.loads((DATA.parent / "items.json").read_text())["mmlu"][:10]
    }
    assert set(samples["item_low"].to_list()) == expected
    assert run.info.counts["clashing_ids"] == 1
    assert samples["native_id"].to_list()[9] == "9"  # null: the position stands in


def test_model_settings_and_the_primary_metric_come_from_the_metrics_file() -> None:
    info = read(OLMES, OPTIONS).info
    assert (info.model, info.model_revision, info.tool) == ("ours/before", "step10", "OLMES")
    assert info.task_settings["mmlu_mix:rc::olmes"] == {"num_fewshot": 5, "seed": 1234, "task_version": 0}
    assert [(m.metric, m.default) for m in info.metrics] == [("acc_raw", False), ("acc_per_char", True)]
    assert info.subset == {}  # a limit of 1e19 is none
    assert info.other_files == []


def test_a_limit_is_a_subset_chosen_on_purpose(tmp_path: Path) -> None:
    shutil.copytree(OLMES, tmp_path / "run")
    path = tmp_path / "run" / f"{STEM}-metrics.json"
    facts = json.loads(path.read_text())
    facts["task_config"]["limit"] = 10
    write_json(path, facts)
    assert read(tmp_path / "run", OPTIONS).info.subset == {"limit": 10}


def test_sampled_outputs_are_repeats_with_their_own_scores() -> None:
    run = read(OLMO, OPTIONS.with_texts())
    assert (run.info.model, run.info.tool, run.info.counts["repeats"]) == ("ours-before", "olmo-eval", 2)
    by_item = run.samples.group_by("native_id").agg("score").sort("native_id")
    assert by_item["score"].to_list() == [[1, 1], [1, 0], [0, 0], [0, 1], [None, None], [1, 0]]
    assert (run.samples["chance"].unique().to_list(), run.samples["output_tokens"].unique().sort().to_list()) == (
        [0.0],
        [20, 21],
    )
    assert run.texts()["prompt"].to_list()[0].startswith("user: Priya")


def test_a_scorer_that_broke_leaves_no_zero() -> None:
    failed = read(OLMO, OPTIONS).samples.filter(native_id="doc_4")
    assert failed["score"].to_list() == [None, None]
    assert failed["answer_state"].to_list() == ["error", "error"]
    assert failed["error"].to_list()[0] == "exact_match: boom"


def test_a_failed_judge_is_not_observed(tmp_path: Path) -> None:
    sample = only(read_lines(tmp_path, {**WRITTEN, "judge_result": {"error": "no reply"}}, ASKED))
    assert (sample["score"], sample["answer_state"], sample["error"]) == (None, "error", "no reply")


@pytest.mark.parametrize(
    ("output", "state"),
    [
        ({"text": "hm", "extracted_answer": None}, "no_answer"),
        ({"text": "hm", "extracted_answer": None, "finish_reason": "length"}, "truncated"),
        ({"text": " ", "extracted_answer": None}, "empty"),
        ({"text": "hm"}, None),
        ({"continuation": "so C", "sum_logits": -3.0}, None),
    ],
)
def test_answer_states(tmp_path: Path, output: dict[str, Any], state: str | None) -> None:
    wrong = {"instance_metrics": {"accuracy": {"exact_match": 0.0}}, "model_output": [output]}
    sample = only(read_lines(tmp_path, {**WRITTEN, **wrong}, ASKED))
    assert (sample["score"], sample["answer_state"]) == (0.0, state)


def test_flat_metrics_and_a_generating_olmes_task(tmp_path: Path) -> None:
    generated = {
        **RANKED, "label": "4", "model_output": [{"continuation": "It is 5", "num_tokens": 4}],
        "metrics": {"exact_match": 0, "no_answer": 1, "maj_at_k": [1, 0]},
    }  # fmt: skip
    asked = {**ASKED, "doc": {"query": "2+2?"}, "label": "4"}
    run = read_lines(tmp_path, generated, asked)
    sample = only(run)
    assert (sample["metric"], sample["scorer"], sample["score"], sample["answer_state"]) == (
        "exact_match",
        "none",
        0.0,
        "no_answer",
    )
    assert (sample["chance"], sample["n_options"], sample["output_tokens"]) == (0.0, None, 4)
    assert run.info.counts["metrics_without_number"] == 1


@pytest.mark.parametrize(
    ("metric", "lengths", "score", "choice"),
    [
        ("acc_raw", {}, 1, 2),  # the highest sum
        ("acc_per_char", {"num_chars": [1, 40, 1]}, 0, 1),  # the highest per character
        ("acc_per_char", {"num_chars": [1, 40, 1]}, 1, None),  # contradicts its score
        ("accuracy", {"num_chars": [1, 40, 1]}, 0, None),  # the name does not say which
        ("accuracy", {}, 1, 2),
    ],
)
def test_the_choice_follows_the_metrics_own_ranking(
    tmp_path: Path, metric: str, lengths: dict[str, list[int]], score: int, choice: int | None
) -> None:
    outputs = [
        {**out, **{name: values[place] for name, values in lengths.items()}}
        for place, out in enumerate(RANKED["model_output"])
    ]
    sample = only(read_lines(tmp_path, {**RANKED, "model_output": outputs, "metrics": {metric: score}}, REQUEST))
    assert sample["choice_index"] == choice


def test_a_relabelled_item_is_another_item_with_the_same_question(tmp_path: Path) -> None:
    one = only(read_lines(tmp_path, RANKED, REQUEST), metric="acc_raw")
    other = only(read_lines(tmp_path, {**RANKED, "label": 0, "metrics": {"acc_raw": 0}}, REQUEST))
    assert one["item_low"] != other["item_low"]
    assert one["question_key"] == other["question_key"]


@pytest.mark.parametrize("label", [None, -1, 9])
def test_a_missing_gold_keeps_the_score_and_is_keyed_by_the_question(tmp_path: Path, label: int | None) -> None:
    sample = only(read_lines(tmp_path, {**RANKED, "label": label}, REQUEST), metric="acc_raw")
    assert (sample["score"], sample["key_basis"], sample["gold_index"], sample["chance"]) == (
        1.0,
        "question",
        None,
        None,
    )


def test_duplicates_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write_lines(folder / "x-predictions.jsonl", [RANKED, {**RANKED, "doc_id": 1, "native_id": "again"}])
    write_lines(folder / "x-requests.jsonl", [REQUEST, {**REQUEST, "doc_id": 1, "native_id": "again"}])
    run = read(folder, OPTIONS)
    assert (run.info.counts["items"], run.info.counts["duplicates"]) == (2, 1)


def test_the_same_items_in_an_lm_eval_log_have_the_same_keys() -> None:
    ours = read(OLMO, OPTIONS).samples
    theirs = read_run(DATA / "lm_eval" / "before").samples.filter(task="gsm8k")
    assert ours["task"].unique().to_list() == ["gsm8k"]
    assert set(ours["item_low"].to_list()) < set(theirs["item_low"].to_list())


def test_order_names_and_a_second_import_change_nothing(tmp_path: Path) -> None:
    straight = in_order(read(OLMES, OPTIONS))
    assert in_order(read(OLMES, OPTIONS)).equals(straight)
    for suffix in ("predictions", "requests"):
        rows = json_lines(OLMES / f"{STEM}-{suffix}.jsonl")
        random.Random(4).shuffle(rows)
        write_lines(tmp_path / f"{suffix[:1]}.txt", rows)
    shutil.copy(OLMES / f"{STEM}-metrics.json", tmp_path / "m.json")
    renamed = read(tmp_path, OPTIONS)
    assert in_order(renamed).equals(straight)
    assert renamed.info.model == "ours/before"
    assert in_order(read(tmp_path / "p.txt", OPTIONS)).equals(straight)


def test_a_single_olmo_eval_file_finds_its_requests() -> None:
    file = next((OLMO / "predictions").rglob("*.jsonl"))
    assert in_order(read(file, OPTIONS)).equals(in_order(read(OLMO, OPTIONS)))


def test_variants_of_one_task_and_two_models_are_not_mixed(tmp_path: Path) -> None:
    for number in (0, 1):
        write_lines(tmp_path / f"task-00{number}-arc-predictions.jsonl", [RANKED])
    with pytest.raises(FormatError, match=r"task 'arc' is in task-000-arc-predictions\.jsonl and in task-001"):
        read(tmp_path, OPTIONS)
    with pytest.raises(FormatError, match="predictions of 2 models"):
        read(DATA / "olmes", OPTIONS)


def test_a_nan_line_and_a_torn_line(tmp_path: Path) -> None:
    nan = json.dumps(RANKED).replace('"acc_raw": 1', '"acc_raw": NaN') + "\n"
    path = write_lines(tmp_path / "x-predictions.jsonl", [nan, '{"doc_id": 1, "nat'])
    with pytest.raises(FormatError, match=r"x-predictions\.jsonl: line 2 is broken"):
        read(path, OPTIONS)
    run = read(path, ReadOptions(skip_broken=True))
    assert run.info.counts["skipped_lines"] == 1
    sample = only(run, metric="acc_raw")
    assert (sample["score"], sample["answer_state"]) == (None, "unscored")


@pytest.mark.parametrize(
    "changes",
    [
        {"model_output": None},
        {"model_output": ["B"]},
        {"metrics": [1]},
        {"doc_id": [0]},
        {"native_id": None, "doc_id": None},
        {"model_output": [{"sum_logits": "low"}, {"sum_logits": "high"}]},
    ],
)
def test_bad_rows_are_one_sentence_with_file_and_line(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"task-000-sinking-predictions\.jsonl: line 1 is "):
        read_lines(tmp_path, {**RANKED, **changes})


@pytest.mark.parametrize("field", ["label", "judge_result", "metrics", "instance_metrics", "model_output", "native_id"])
@pytest.mark.parametrize("value", [3, 2.5, True, [], {}, [None], "x", {"a": None}, [{}], [{"text": 3}, {"text": [1]}]])
def test_odd_values_never_crash(tmp_path: Path, field: str, value: Any) -> None:
    for base, request in ((RANKED, REQUEST), (WRITTEN, ASKED)):
        said = refusal(lambda row={**base, field: value}, asked=request: read_lines(tmp_path, row, asked))
        assert said is None or "predictions.jsonl" in said or "no samples" in said


def test_a_broken_requests_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"requests\.jsonl: line 2 is broken"):
        read_lines(tmp_path, RANKED, REQUEST, {**REQUEST, "doc": [1]})


def test_detection_takes_its_own_and_nothing_else() -> None:
    own = {
        file.relative_to(DATA).as_posix()
        for folder in ("olmes", "olmo_eval")
        for file in (DATA / folder).rglob("*predictions.jsonl")
    }
    assert accepted(detects) == own
    assert find_reader(OLMES).name == "olmes"
    assert len(own) == 4


def test_a_forced_format_refuses_what_is_not_its_own() -> None:
    for path in foreign(detects):
        said = refusal(lambda path=path: read(path, OPTIONS))
        assert said is not None, path
        assert str(path) in said or path.name in said, (path, said)
