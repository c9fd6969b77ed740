"""CapTrack responses: 37 tasks, four containers, and scores made here where rules can make them."""

from __future__ import annotations

import csv
import json
import random
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tier2_b import DATA, accepted, foreign, in_order, json_lines, only, refusal, write_json, write_lines

from forgetmap.errors import FormatError
from forgetmap.readers import find_reader
from forgetmap.readers.captrack import detects, read
from forgetmap.readers.captrack.files import TASKS, task_id
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run
from forgetmap.tasks import canonical_task

OPTIONS = ReadOptions()
BEFORE = DATA / "captrack" / "before"

CHOICE = {
    "id": "mmlu_pro-3", "family": "single_turn_text", "prompt": "Which sinks?", "formatted_prompt": None, "ctx": None,
    "choices": ["cork", "lead", "ice"], "gold": "B", "meta": {"source": "ours"}, "outputs": "Answer: (B)",
}  # fmt: skip
NUMBER = {**CHOICE, "id": "gsm8k-12", "choices": None, "gold": "6*200=1200\n#### 1,200", "outputs": "... Answer: 1200"}


def read_rows(tmp_path: Path, task: str, *rows: Any) -> Run:
    return read(write_lines(tmp_path / "model-x" / f"{task}.jsonl", rows), OPTIONS)


def score(tmp_path: Path, task: str, **changes: Any) -> tuple[float | None, str]:
    basis = NUMBER if TASKS[task] == "number" else CHOICE
    sample = only(read_rows(tmp_path, task, {**basis, **changes}))
    return sample["score"], sample["answer_state"]


def test_there_are_37_tasks_and_each_keeps_its_name() -> None:
    assert len(TASKS) == 37
    assert {canonical_task(task) for task in TASKS} == set(TASKS)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_dots_and_underscores_spell_the_same_task(task: str) -> None:
    assert task_id(task) == task_id(task.replace(".", "_")) == task


@pytest.mark.parametrize("stem", ["gsm8k", "gsm8k_test", "mmlu_pro", "subset", "gsm8k_rephrased_2"])
def test_other_names_are_no_task(tmp_path: Path, stem: str) -> None:
    path = write_lines(tmp_path / f"{stem}.jsonl", [NUMBER])
    assert task_id(stem) is None
    assert not detects(path)
    with pytest.raises(FormatError, match="names no task"):
        read(path, OPTIONS)


def test_rephrased_is_never_the_plain_task(tmp_path: Path) -> None:
    assert read_rows(tmp_path, "gsm8k_rephrased", NUMBER).tasks == ["gsm8k.rephrased"]


def test_a_task_column_says_what_the_file_name_does_not(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "m" / "all.jsonl", [{**NUMBER, "task": "gsm8k_subset"}, {**CHOICE, "task": "mmlu_pro.subset"}]
    )
    assert detects(path)
    assert read(path, OPTIONS).tasks == ["gsm8k.subset", "mmlu_pro.subset"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Answer: **B**", (1.0, "answered")),
        ("B.", (1.0, "answered")),
        ("lead", (1.0, "answered")),
        ("Answer: C", (0.0, "answered")),
        ("Z", (0.0, "no_answer")),
        ("Answer: B or C", (0.0, "no_answer")),
        ("who knows", (0.0, "no_answer")),
        ("", (0.0, "empty")),
        (None, (None, "unscored")),
    ],
)
def test_choices(tmp_path: Path, reply: str | None, expected: tuple[float | None, str]) -> None:
    assert score(tmp_path, "mmlu_pro.subset", outputs=reply) == expected


@pytest.mark.parametrize(
    ("task", "changes", "expected"),
    [
        ("gsm8k.subset", {}, (1.0, "answered")),
        ("gsm8k.subset", {"outputs": "Answer: 1,300"}, (0.0, "answered")),
        ("gsm8k.subset", {"outputs": "Answer: 5. No wait. Answer: 1,200."}, (1.0, "answered")),
        ("gsm8k.subset", {"outputs": "no idea"}, (0.0, "no_answer")),
        ("gsm8k.subset", {"outputs": " "}, (0.0, "empty")),
        ("gsm8k.subset", {"gold": 1200.0}, (1.0, "answered")),
        ("gsm8k.subset", {"gold": None}, (None, "unscored")),
        (
            "mgsm.subset",
            {"gold": 1300, "outputs": "Die Antwort ist 1.300", "meta": {"language": "de"}},
            (1.0, "answered"),
        ),
        (
            "mgsm.subset",
            {"gold": 1300, "outputs": "The answer is 1.300", "meta": {"language": "en"}},
            (0.0, "answered"),
        ),
    ],
)
def test_numbers(tmp_path: Path, task: str, changes: dict[str, Any], expected: tuple[float | None, str]) -> None:
    assert score(tmp_path, task, **changes) == expected


@pytest.mark.parametrize(
    ("gold", "reply", "expected"),
    [
        (["Lima"], "It is Lima.", (1.0, "answered")),
        ("['Paris', \"L'Etoile\"]", "Paris!", (1.0, "answered")),
        ({"text": ["Oslo"]}, "", (0.0, "empty")),
        ({"answer": ["No"]}, "Novak", (0.0, "answered")),
        ("__import__('os').abort()", "text", (0.0, "answered")),
        ([], "anything", (None, "unscored")),
    ],
)
def test_open_answers(tmp_path: Path, gold: Any, reply: str, expected: tuple[float | None, str]) -> None:
    assert score(tmp_path, "popqa.subset", choices=None, gold=gold, outputs=reply) == expected


@pytest.mark.parametrize("task", sorted(task for task, kind in TASKS.items() if kind is None))
def test_what_needs_more_than_rules_stays_unscored_with_its_texts(tmp_path: Path, task: str) -> None:
    run = read_rows(tmp_path, task, {**CHOICE, "choices": None, "gold": {"answer": "x"}, "outputs": "some text"})
    sample = only(run)
    assert (sample["metric"], sample["score"], sample["correct"], sample["answer_state"]) == (
        "unscored",
        None,
        None,
        "unscored",
    )
    assert run.texts()["response"].to_list() == ["some text"]


def test_supergpqa_writes_its_options_into_one_text() -> None:
    samples = read(BEFORE / "supergpqa.subset.jsonl", OPTIONS).samples
    assert samples["n_options"].to_list() == [4] * 8
    assert samples["score"].to_list() == [1, 1, 0, 0, 1, 1, 0, 0]


def test_options_that_cannot_be_told_leave_a_choice_unscored(tmp_path: Path) -> None:
    sample = only(read_rows(tmp_path, "supergpqa.subset", {**CHOICE, "choices": "cork and lead"}))
    assert (sample["score"], sample["answer_state"], sample["n_options"], sample["chance"]) == (
        None,
        "unscored",
        None,
        None,
    )


@pytest.mark.parametrize("gold", ["Z", "brick", None, ["A", "B"], 7])
def test_a_gold_that_is_none_of_the_options_is_missing(tmp_path: Path, gold: Any) -> None:
    run = read_rows(tmp_path, "mmlu_pro.subset", {**CHOICE, "gold": gold})
    sample = only(run)
    assert (sample["score"], sample["answer_state"], sample["key_basis"]) == (None, "unscored", "question")


def test_a_gold_may_be_the_text_of_an_option(tmp_path: Path) -> None:
    assert score(tmp_path, "mmlu_pro.subset", gold="lead") == (1.0, "answered")


def test_a_relabelled_item_is_another_item_with_the_same_question(tmp_path: Path) -> None:
    one = only(read_rows(tmp_path, "mmlu_pro.subset", CHOICE))
    other = only(read_rows(tmp_path, "mmlu_pro.subset", {**CHOICE, "gold": "A"}))
    assert one["item_low"] != other["item_low"]
    assert one["question_key"] == other["question_key"]


@pytest.mark.parametrize("field", ["prompt", "ctx", "choices"])
def test_prompt_context_and_choices_make_the_item(tmp_path: Path, field: str) -> None:
    changed = {**CHOICE, field: ["cork", "lead", "brick"] if field == "choices" else "another text"}
    one, other = (only(read_rows(tmp_path, "mmlu_pro.subset", row)) for row in (CHOICE, changed))
    assert one["item_low"] != other["item_low"]


def test_duplicates_are_kept(tmp_path: Path) -> None:
    run = read_rows(tmp_path, "mmlu_pro.subset", CHOICE, {**CHOICE, "id": "mmlu_pro-4"})
    assert run.info.counts["duplicates"] == 1
    assert sorted(run.samples["occurrence"].to_list()) == [0, 1]


def test_several_outputs_are_repeats(tmp_path: Path) -> None:
    run = read_rows(tmp_path, "mmlu_pro.subset", {**CHOICE, "outputs": ["Answer: B", "Answer: A"]})
    assert dict(run.samples.select("repeat", "score").iter_rows()) == {0: 1.0, 1: 0.0}


def test_a_number_as_reply_is_read_as_text(tmp_path: Path) -> None:
    assert score(tmp_path, "gsm8k.subset", outputs=1200) == (1.0, "answered")


def test_multi_turn_prompts_and_parquet_lists() -> None:
    run = read(BEFORE / "mtbench_turn2.parquet", OPTIONS.with_texts())
    assert run.tasks == ["mtbench.turn2"]
    assert run.texts()["question"].to_list()[1] == "Name a prime.\nAnd the next one?"
    assert "first reply" in run.texts()["prompt"].to_list()[1]
    assert run.samples["key_basis"].to_list() == ["content", "content"]
    assert not any("no usable gold" in warning for warning in run.info.warnings)


def test_every_container_gives_the_same_samples(tmp_path: Path) -> None:
    rows = json_lines(BEFORE / "gsm8k.subset.jsonl")
    folders = {kind: tmp_path / kind / "m" for kind in ("json", "csv", "parquet", "dots")}
    write_json(folders["json"] / "gsm8k_subset.json", rows)
    folders["csv"].mkdir(parents=True)
    with open(folders["csv"] / "gsm8k_subset.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    folders["parquet"].mkdir(parents=True)
    pl.DataFrame(rows).write_parquet(folders["parquet"] / "gsm8k_subset.parquet")
    write_lines(folders["dots"] / "gsm8k_subset.jsonl", rows)
    expected = in_order(read(BEFORE / "gsm8k.subset.jsonl", OPTIONS))
    for folder in folders.values():
        assert in_order(read(folder, OPTIONS)).equals(expected), folder


def test_lists_as_text_and_as_lists_are_one_item(tmp_path: Path) -> None:
    as_text = {**CHOICE, "choices": "['cork', 'lead', 'ice']", "ctx": '["a", "b"]'}
    one = only(read_rows(tmp_path, "mmlu_pro.subset", {**CHOICE, "ctx": ["a", "b"]}))
    assert one["item_low"] == only(read_rows(tmp_path, "mmlu_pro.subset", as_text))["item_low"]


def test_a_gold_that_a_container_made_a_float_is_the_same_gold(tmp_path: Path) -> None:
    one, other = (only(read_rows(tmp_path, "gsm8k_subset", {**NUMBER, "gold": gold})) for gold in (1200, 1200.0))
    assert one["item_low"] == other["item_low"]


def test_row_order_and_a_second_import_change_nothing(tmp_path: Path) -> None:
    rows = json_lines(BEFORE / "mmlu_pro_subset.jsonl")
    random.Random(1).shuffle(rows)
    straight = read(BEFORE / "mmlu_pro_subset.jsonl", OPTIONS)
    assert in_order(read_rows(tmp_path, "mmlu_pro_subset", *rows)).equals(in_order(straight))
    assert in_order(read(BEFORE / "mmlu_pro_subset.jsonl", OPTIONS)).equals(in_order(straight))


def test_the_template_of_the_prompt_is_a_setting() -> None:
    run = read(BEFORE, OPTIONS.with_texts())
    assert run.info.model == "before"
    assert run.info.task_settings["mmlu_pro.subset"] == {"formatted_prompt": True}
    assert run.info.task_settings["gsm8k.subset"] == {"formatted_prompt": False}
    assert run.texts()["prompt"].str.starts_with("<s>[INST]").sum() == 8


def test_the_reply_column_may_have_another_name(tmp_path: Path) -> None:
    renamed = {**{name: value for name, value in CHOICE.items() if name != "outputs"}, "reply": "Answer: B"}
    path = write_lines(tmp_path / "m" / "mmlu_pro_subset.jsonl", [renamed])
    assert only(read(path, ReadOptions(columns={"outputs": "reply"})))["score"] == 1.0
    with pytest.raises(FormatError, match="line 1 has no column 'outputs'"):
        read(path, OPTIONS)


def test_one_task_in_two_files_and_two_models_in_one_folder_are_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "m" / "gsm8k_subset.jsonl", [NUMBER])
    write_lines(tmp_path / "m" / "gsm8k.subset.jsonl", [NUMBER])
    with pytest.raises(FormatError, match=r"task 'gsm8k\.subset' is in"):
        read(tmp_path / "m", OPTIONS)
    with pytest.raises(FormatError, match="responses of after, before"):
        read(DATA / "captrack", OPTIONS)
    assert read(DATA / "captrack", ReadOptions(model="after")).info.model == "after"


def test_a_nan_line_and_a_torn_line(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "m" / "gsm8k_subset.jsonl", [json.dumps(NUMBER).replace("null", "NaN", 1) + "\n", NUMBER]
    )
    assert read(path, OPTIONS).samples["score"].to_list() == [1.0, 1.0]
    with open(path, "a") as file:
        file.write('{"id": "gsm8k-99", "prom')
    with pytest.raises(FormatError, match=r"gsm8k_subset\.jsonl: line 3 is broken"):
        read(path, OPTIONS)
    run = read(path, ReadOptions(skip_broken=True))
    assert (run.info.counts["skipped_lines"], run.info.counts["samples"]) == (1, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"outputs": {"text": "B"}}, "outputs is an object"),
        ({"prompt": None, "id": None}, "neither prompt nor id"),
    ],
)
def test_bad_rows_are_one_sentence_with_file_and_line(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=rf"mmlu_pro_subset\.jsonl: line 2: .*{message}"):
        read_rows(tmp_path, "mmlu_pro_subset", CHOICE, {**CHOICE, **changes})


@pytest.mark.parametrize(
    "field", ["prompt", "ctx", "choices", "gold", "meta", "outputs", "formatted_prompt", "id", "task"]
)
@pytest.mark.parametrize("value", [3, 2.5, True, [], {}, [None], [[1]], {"a": None}, "[", "{'a': [1"])
def test_odd_values_never_crash(tmp_path: Path, field: str, value: Any) -> None:
    said = refusal(lambda: read_rows(tmp_path, "mmlu_pro_subset", {**CHOICE, field: value}))
    assert said is None or "mmlu_pro_subset.jsonl" in said


def test_a_csv_whose_cells_do_not_fit_the_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m" / "gsm8k_subset.csv"
    path.parent.mkdir()
    path.write_text("id,prompt,gold,outputs\n1,p,3,3\n2,p\n")
    with pytest.raises(FormatError, match="line 3 and the header differ"):
        read(path, OPTIONS)


def test_a_blank_csv_cell_is_a_missing_reply_and_never_the_text_nan(tmp_path: Path) -> None:
    path = tmp_path / "m" / "gsm8k_subset.csv"
    path.parent.mkdir()
    path.write_text("id,prompt,gold,outputs\n1,p,3,\n")
    assert only(read(path, OPTIONS))["answer_state"] == "unscored"


def test_detection_takes_its_own_and_nothing_else(tmp_path: Path) -> None:
    own = {file.relative_to(DATA).as_posix() for file in (DATA / "captrack").rglob("*") if file.is_file()}
    assert accepted(detects) == own
    assert find_reader(BEFORE).name == "captrack"
    prose = tmp_path / "gsm8k_subset.csv"
    prose.write_bytes(b"\xff\xfe outputs, gold \x00")
    assert not detects(prose)
    shutil.copy(BEFORE / "gsm8k_rephrased.csv", tmp_path / "other.csv")
    assert not detects(tmp_path / "other.csv")


def test_a_forced_format_refuses_what_is_not_its_own() -> None:
    for path in foreign(detects):
        said = refusal(lambda path=path: read(path, OPTIONS))
        assert said is not None, path
        assert str(path) in said or path.name in said, (path, said)
