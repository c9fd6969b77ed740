"""MMLU-Pro result files: two scorers, four extraction regimes, and rows that are not what they seem."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tier2_b import DATA, accepted, foreign, in_order, only, refusal, write_json, write_lines

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.pairing.scores import choose_scores
from forgetmap.readers import find_reader
from forgetmap.readers.mmlu_pro import detects, read
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run
from forgetmap.tasks import known_task

OPTIONS = ReadOptions()
FOLDER = DATA / "mmlu_pro"
OWN = FOLDER / "results" / "own-8B"

EXAMPLE = {
    "question_id": 70, "question": "Which of these sinks?", "options": ["cork", "lead", "ice"], "answer": "B",
    "answer_index": 1, "cot_content": "", "category": "business", "src": "ori_mmlu-business_ethics", "pred": "B",
    "generated_text": " Lead is dense. The answer is (B).",
}  # fmt: skip


def fixture(name: str) -> Path:
    return FOLDER / f"model_outputs_{name}_5shots.zip"


def rows_of(path: Path) -> list[Any]:
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read(archive.namelist()[0]))


def read_rows(tmp_path: Path, *rows: Any) -> Run:
    return read(write_json(tmp_path / "rows.json", list(rows)), OPTIONS)


def row(**changes: Any) -> dict[str, Any]:
    return {**EXAMPLE, **changes}


def test_the_example_of_the_specification(tmp_path: Path) -> None:
    run = read_rows(tmp_path, EXAMPLE)
    sample = only(run, scorer="pred")
    assert (sample["task"], sample["native_id"], sample["category"]) == (
        "mmlu_pro:business", "70", ["business", "ori_mmlu-business_ethics"],
    )  # fmt: skip
    assert (sample["score"], sample["correct"], sample["answer_state"]) == (1.0, True, "answered")
    assert (sample["n_options"], sample["n_gold"], sample["chance"]) == (3, 1, pytest.approx(1 / 3))
    assert (sample["gold_index"], sample["choice_index"]) == (1, 1)
    assert sample["choice_key"] == sample["gold_key"]
    assert sample["key_basis"] == "content"


@pytest.mark.parametrize(
    ("path", "regime"),
    [
        (fixture("base-7B"), "answer_is"),
        (fixture("base-8B"), "filled"),
        (fixture("api-1"), "null"),
        (OWN, "last_capital"),
    ],
)
def test_the_rule_behind_pred_is_found_in_each_file(path: Path, regime: str) -> None:
    run = read(path, OPTIONS)
    assert {(m.scorer, m.regime, m.default) for m in run.info.metrics} == {
        ("pred", regime, True),
        ("extracted", "one_rule", False),
    }


def test_pairing_takes_pred_only_where_both_files_follow_one_rule() -> None:
    base7, chat7 = read(fixture("base-7B"), OPTIONS), read(fixture("chat-7B"), OPTIONS)
    chat8 = read(fixture("chat-8B"), OPTIONS)
    same, _ = choose_scores(base7, chat7)
    assert {choice.before.scorer for choice in same} == {"pred"}
    different, warnings = choose_scores(base7, chat8)
    assert {(choice.before.scorer, choice.after.scorer) for choice in different} == {("extracted", "extracted")}
    assert "answer_is, filled" in warnings[0]


@pytest.mark.parametrize(("stored", "score"), [("B", 1.0), ("C", 0.0)])
def test_a_letter_drawn_at_random_is_no_answer_and_keeps_its_score_under_pred_only(
    tmp_path: Path, stored: str, score: float
) -> None:
    run = read_rows(tmp_path, row(pred=stored, generated_text="nobody can tell"))
    pred, extracted = only(run, scorer="pred"), only(run, scorer="extracted")
    assert (pred["score"], pred["answer_state"], pred["choice_index"], pred["choice_key"]) == (
        score,
        "no_answer",
        None,
        None,
    )
    assert (extracted["score"], extracted["answer_state"], extracted["choice_key"]) == (0.0, "no_answer", None)
    assert run.info.counts["filled"] == 1
    assert run.info.counts.get("no_letter_but_right", 0) == score
    assert "1 replies hold no answer letter" in run.info.warnings[0]


def test_a_word_misread_as_a_letter_does_not_make_the_file_look_filled(tmp_path: Path) -> None:
    misread = row(pred="C", generated_text="The answer is (Cork, of course).")
    passed_over = row(question_id=71, question="Other?", pred=None, generated_text="I think B")
    run = read_rows(tmp_path, misread, passed_over)
    assert only(run, scorer="pred", native_id="70")["answer_state"] == "no_answer"
    assert {m.regime for m in run.info.metrics if m.scorer == "pred"} == {"answer_is"}
    assert "filled" not in run.info.counts


def test_a_letter_beyond_the_options_is_no_answer(tmp_path: Path) -> None:
    run = read_rows(tmp_path, row(pred="J", generated_text="The answer is (J)."))
    for scorer in ("pred", "extracted"):
        sample = only(run, scorer=scorer)
        assert (sample["score"], sample["answer_state"], sample["choice_index"]) == (0.0, "no_answer", None)


def test_option_counts_come_from_each_item_and_single_options_stay() -> None:
    samples = read(fixture("base-7B"), OPTIONS).samples.filter(scorer="pred")
    rows = {str(one["question_id"]): len(one["options"]) for one in rows_of(fixture("base-7B"))}
    assert dict(samples.select("native_id", "n_options").iter_rows()) == rows
    lone = samples.filter(native_id="90")
    assert lone.select("n_options", "chance", "score").row(0) == (1, 1.0, 1.0)
    assert len(set(rows.values())) > 4


def test_a_gold_letter_that_contradicts_its_index_is_counted_and_the_letter_holds(tmp_path: Path) -> None:
    """The published accuracy scores the letter; lm-eval does too, so the keys agree."""
    run = read_rows(tmp_path, row(answer="C"))
    assert only(run, scorer="pred")["gold_index"] == 2
    assert only(run, scorer="pred")["score"] == 0.0
    assert run.info.counts["gold_letter_disagrees"] == 1
    assert "disagree in 1 rows" in run.info.warnings[0]


@pytest.mark.parametrize("index", [None, 7, -1])
def test_without_a_usable_index_the_letter_is_the_gold(tmp_path: Path, index: int | None) -> None:
    run = read_rows(tmp_path, row(answer_index=index))
    assert only(run, scorer="pred")["gold_index"] == 1
    assert "gold_letter_disagrees" not in run.info.counts


def test_a_bare_nan_is_a_missing_value(tmp_path: Path) -> None:
    text = json.dumps([EXAMPLE]).replace('"answer_index": 1', '"answer_index": NaN')
    (tmp_path / "rows.json").write_text(text)
    assert only(read(tmp_path / "rows.json", OPTIONS), scorer="pred")["gold_index"] == 1


def test_a_missing_gold_leaves_the_item_unscored(tmp_path: Path) -> None:
    run = read_rows(tmp_path, row(answer=None, answer_index=None), row(question="Other?"))
    sample = only(run, scorer="pred", key_basis="question")
    assert (sample["score"], sample["answer_state"], sample["gold_key"], sample["chance"]) == (
        None,
        "unscored",
        None,
        None,
    )
    assert run.info.counts["null_scores"] == 2


def test_a_missing_reply_is_not_observed_and_an_empty_one_is(tmp_path: Path) -> None:
    run = read_rows(
        tmp_path,
        row(pred=None, generated_text=None),
        row(question_id=71, question="Other?", pred=None, generated_text=" "),
    )
    for scorer in ("pred", "extracted"):
        missing, empty = only(run, scorer=scorer, native_id="70"), only(run, scorer=scorer, native_id="71")
        assert (missing["score"], missing["answer_state"]) == (None, "error")
        assert (empty["score"], empty["answer_state"]) == (0.0, "empty")


def test_bare_texts_among_the_rows_are_reported() -> None:
    run = read(fixture("api-1"), OPTIONS)
    assert run.info.counts["bare_texts"] == 2
    assert any("2 bare texts" in warning for warning in run.info.warnings)
    assert run.info.counts["items"] == 18


def test_duplicates_are_kept_and_numbered_by_native_id() -> None:
    samples = read(fixture("base-7B"), OPTIONS).samples.filter(pl.col("native_id").is_in(["70", "91"]), scorer="pred")
    assert samples["item_low"].n_unique() == 1
    assert dict(samples.select("native_id", "occurrence").iter_rows()) == {"70": 0, "91": 1}


def test_a_relabelled_item_is_another_item_with_the_same_question(tmp_path: Path) -> None:
    one, other = read_rows(tmp_path, EXAMPLE), read_rows(tmp_path, row(answer="A", answer_index=0))
    assert one.samples["item_low"][0] != other.samples["item_low"][0]
    assert one.samples["question_key"][0] == other.samples["question_key"][0]


def test_shuffled_options_keep_the_item_and_the_chosen_text(tmp_path: Path) -> None:
    moved = row(
        options=["lead", "ice", "cork"], answer="A", answer_index=0, pred="A", generated_text="The answer is (A)."
    )
    one, other = only(read_rows(tmp_path, EXAMPLE), scorer="pred"), only(read_rows(tmp_path, moved), scorer="pred")
    assert [one[name] for name in ("item_high", "item_low", "gold_key", "choice_key")] == [
        other[name] for name in ("item_high", "item_low", "gold_key", "choice_key")
    ]
    assert one["choice_index"] != other["choice_index"]


def test_row_order_and_a_second_import_change_nothing(tmp_path: Path) -> None:
    rows = rows_of(fixture("base-8B"))
    straight = read(fixture("base-8B"), OPTIONS)
    random.Random(3).shuffle(rows)
    shuffled = read_rows(tmp_path, *rows)
    assert in_order(straight).equals(in_order(shuffled))
    assert straight.info.content_hash == shuffled.info.content_hash
    assert in_order(straight).equals(in_order(read(fixture("base-8B"), OPTIONS)))


def test_a_renamed_zip_keeps_samples_model_and_shots(tmp_path: Path) -> None:
    renamed = tmp_path / "x.bin"
    shutil.copy(fixture("base-7B"), renamed)
    run = read(renamed, OPTIONS)
    assert detects(renamed)
    assert (run.info.model, run.info.settings) == ("base-7B", {"num_fewshot": 5})
    assert in_order(run).equals(in_order(read(fixture("base-7B"), OPTIONS)))


def test_own_runs_are_read_from_their_folder() -> None:
    run = read(OWN, OPTIONS)
    assert run.info.model == "own-8B"
    assert sorted(run.info.files) == ["computer science.json", "health.json"]
    assert run.info.task_names["mmlu_pro:computer_science"] == "mmlu_pro:computer science"
    assert run.info.groups == {"mmlu_pro": ["mmlu_pro:computer_science", "mmlu_pro:health"]}
    assert run.info.counts["items"] == 18
    assert read(OWN / "CoT" / "all" / "health.json", OPTIONS).info.model == "own-8B"


def test_a_folder_of_several_models_is_refused_unless_one_is_named() -> None:
    with pytest.raises(FormatError, match=r"results of several models \(api-1, base-7B"):
        read(FOLDER, OPTIONS)
    run = read(FOLDER, ReadOptions(model="chat-8B"))
    assert (run.info.model, run.info.counts["items"]) == ("chat-8B", 18)
    with pytest.raises(FormatError, match="no results of 'nobody'"):
        read(FOLDER, ReadOptions(model="nobody"))


def test_one_category_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("business.json", "again.json"):
        write_json(tmp_path / "m" / "CoT" / "all" / name, [EXAMPLE])
    with pytest.raises(FormatError, match=r"category 'business' is in again\.json and in business\.json"):
        read(tmp_path, OPTIONS)


def test_texts_come_on_demand() -> None:
    run = read(fixture("base-7B"), OPTIONS)
    texts = run.texts()
    assert texts.height == 18
    first = texts.row(0, named=True)
    assert first["response"].startswith(" We go through")
    assert first["choice"] in first["options"]
    assert read(fixture("base-7B"), OPTIONS.with_texts()).texts().equals(texts)


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ([row(options=None)], r"\$\[0\]\.options"),
        ([row(options=3)], r"\$\[0\]\.options"),
        ([EXAMPLE, row(options=["a", None])], r"\$\[1\]\.options\[1\]"),
        ([row(question=5)], r"\$\[0\]\.question"),
        ([row(pred=1)], r"\$\[0\]\.pred"),
        ([row(answer_index="1")], r"\$\[0\]\.answer_index"),
        ([EXAMPLE, [1]], r"\$\[1\]"),
        ([EXAMPLE, None], r"\$\[1\]"),
    ],
)
def test_wrong_types_are_one_sentence_with_file_and_place(tmp_path: Path, rows: list[Any], place: str) -> None:
    with pytest.raises(FormatError, match=rf"rows\.json.*{place}"):
        read_rows(tmp_path, *rows)


def test_an_item_without_options_is_unscored_not_a_crash(tmp_path: Path) -> None:
    run = read_rows(tmp_path, row(options=[]))
    assert run.samples["score"].null_count() == 2
    assert run.samples["chance"].null_count() == 2


def test_a_torn_file_and_a_torn_zip_are_refused(tmp_path: Path) -> None:
    torn = tmp_path / "rows.json"
    torn.write_text(json.dumps([EXAMPLE, EXAMPLE])[:-40])
    with pytest.raises(FormatError, match=r"rows\.json: broken JSON"):
        read(torn, OPTIONS)
    packed = tmp_path / "model_outputs_x_5shots.zip"
    packed.write_bytes(fixture("base-7B").read_bytes()[:-30])
    assert not detects(packed)
    with pytest.raises(FormatError, match="broken zip archive"):
        read(packed, OPTIONS)


def test_a_member_that_points_outside_is_refused(tmp_path: Path) -> None:
    hostile = tmp_path / "model_outputs_x_5shots.zip"
    with zipfile.ZipFile(hostile, "w") as archive:
        archive.writestr("../rows.json", json.dumps([EXAMPLE]))
    with pytest.raises(FormatError, match="points outside"):
        read(hostile, OPTIONS)


def test_an_empty_list_has_no_samples(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no samples"):
        read_rows(tmp_path, "only a text")


def test_detection_takes_its_own_and_nothing_else() -> None:
    assert accepted(detects) == {file.relative_to(DATA).as_posix() for file in FOLDER.rglob("*") if file.is_file()}
    assert not detects(FOLDER)
    assert find_reader(fixture("api-1")).name == find_reader(OWN).name == "mmlu-pro"


def test_lines_with_the_same_keys_are_another_format(tmp_path: Path) -> None:
    assert not detects(write_lines(tmp_path / "rows.jsonl", [EXAMPLE, EXAMPLE]))


def test_other_tools_that_log_the_document_give_the_same_key(tmp_path: Path) -> None:
    profile = known_task("mmlu_pro_business")
    assert profile is not None
    assert profile.document is not None
    content = profile.document.content(EXAMPLE)
    assert content is not None
    key = items.item_key([content.question], content.options, content.gold)
    sample = only(read_rows(tmp_path, EXAMPLE), scorer="pred")
    assert (sample["task"], sample["item_high"], sample["item_low"]) == (profile.name, key.high, key.low)


def test_a_forced_format_refuses_what_is_not_its_own() -> None:
    for path in foreign(detects):
        said = refusal(lambda path=path: read(path, OPTIONS))
        assert said is not None, path
        assert str(path) in said or path.name in said, (path, said)
