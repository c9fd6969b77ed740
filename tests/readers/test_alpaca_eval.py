"""alpaca_eval: replies without scores, and verdicts that are no right or wrong."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from tier2_b import DATA, accepted, foreign, in_order, only, refusal, write_json

from forgetmap.errors import FormatError
from forgetmap.readers import find_reader
from forgetmap.readers.alpaca_eval import detects, read
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run

OPTIONS = ReadOptions()
BEFORE = DATA / "alpaca_eval" / "model-before"
OUTPUTS = BEFORE / "model_outputs.json"
VERDICTS = BEFORE / "weighted_judge" / "annotations.json"

OUTPUT = {"dataset": "koala", "instruction": "Say hello.", "output": "Hello.", "generator": "m"}
VERDICT = {
    "instruction": "Say hello.", "output_1": "Hi.", "generator_1": "gpt4_1106_preview", "output_2": "Hello.",
    "generator_2": "m", "annotator": "judge", "preference": 1.98,
}  # fmt: skip


def read_rows(tmp_path: Path, *rows: Any) -> Run:
    return read(write_json(tmp_path / "rows.json", list(rows)), OPTIONS)


def test_replies_alone_are_a_run_without_scores() -> None:
    run = read(OUTPUTS, OPTIONS)
    assert (run.info.model, run.info.settings, run.tasks) == ("model-before", {}, ["alpaca_eval"])
    assert run.info.counts["null_scores"] == run.info.counts["samples"] == 4
    assert set(run.samples["answer_state"].to_list()) == {"unscored"}
    assert run.texts()["response"].to_list()[0].startswith("before")
    assert run.texts()["prompt"].to_list() == run.texts()["question"].to_list()
    assert run.info.warnings == []


def test_the_example_of_the_specification(tmp_path: Path) -> None:
    run = read_rows(tmp_path, VERDICT)
    sample = only(run)
    assert (sample["scorer"], sample["metric"], sample["score"]) == ("judge", "win", pytest.approx(0.98))
    assert (sample["correct"], sample["chance"], sample["n_options"]) == (None, None, None)
    assert run.info.model == "m"
    assert run.info.settings == {"judge": "judge", "reference": "gpt4_1106_preview"}
    metric = run.info.metrics[0]
    assert (metric.binary, metric.scale, metric.higher_is_better) == (False, (0.0, 1.0), True)
    assert metric.regime == "gpt4_1106_preview"


@pytest.mark.parametrize(("preference", "score"), [(1, 0.0), (1.0, 0.0), (1.5, 0.5), (2, 1.0), (0, 0.5), (0.0, 0.5)])
def test_a_preference_is_graded_even_where_all_are_wins_and_losses(
    tmp_path: Path, preference: float, score: float
) -> None:
    run = read_rows(tmp_path, {**VERDICT, "preference": preference})
    assert only(run)["score"] == score
    assert not run.info.metrics[0].binary
    assert only(run)["correct"] is None


@pytest.mark.parametrize("preference", ["null", "NaN"])
def test_a_failed_judge_is_no_loss(tmp_path: Path, preference: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([VERDICT]).replace("1.98", preference))
    sample = only(read(path, OPTIONS))
    assert (sample["score"], sample["answer_state"]) == (None, "error")
    assert "annotator" in sample["error"]


def test_an_empty_reply_is_an_observation(tmp_path: Path) -> None:
    sample = only(read_rows(tmp_path, {**VERDICT, "output_2": "", "preference": 1}))
    assert (sample["score"], sample["answer_state"]) == (0.0, "empty")


@pytest.mark.parametrize("preference", [0.5, 3, -1])
def test_a_preference_off_the_scale_is_refused(tmp_path: Path, preference: float) -> None:
    with pytest.raises(FormatError, match=rf"rows\.json: row 1: preference is {preference:g}"):
        read_rows(tmp_path, VERDICT, {**VERDICT, "preference": preference})


def test_a_models_folder_joins_replies_and_verdicts(tmp_path: Path) -> None:
    run = read(BEFORE, OPTIONS)
    assert sorted(run.info.files) == ["annotations.json", "model_outputs.json"]
    assert in_order(run).equals(in_order(read(VERDICTS, OPTIONS)))
    shutil.copytree(BEFORE, tmp_path / "m")
    verdicts = json.loads(VERDICTS.read_text())[1:]
    write_json(tmp_path / "m" / "weighted_judge" / "annotations.json", verdicts)
    run = read(tmp_path / "m", OPTIONS)
    assert (run.info.counts["samples"], run.info.counts["null_scores"]) == (4, 1)
    assert "1 replies have no verdict" in run.info.warnings[0]


def test_two_judges_are_two_scorers(tmp_path: Path) -> None:
    write_json(tmp_path / "m" / "a" / "annotations.json", [VERDICT])
    write_json(tmp_path / "m" / "b" / "annotations.json", [{**VERDICT, "annotator": None, "preference": 1}])
    run = read(tmp_path / "m", OPTIONS)
    assert dict(run.samples.select("scorer", "score").iter_rows()) == {"judge": pytest.approx(0.98), "b": 0.0}
    assert run.info.settings["judge"] == "b, judge"


def test_replies_and_verdicts_are_keyed_alike() -> None:
    replies, verdicts = read(OUTPUTS, OPTIONS).samples, read(VERDICTS, OPTIONS).samples
    assert replies.select("item_high", "item_low").equals(verdicts.select("item_high", "item_low"))
    assert replies["category"].to_list()[0] == ["helpful_base"]
    assert set(replies["key_basis"].to_list()) == {"content"}


def test_files_of_two_models_are_refused() -> None:
    with pytest.raises(FormatError, match="replies of 2 models"):
        read(DATA / "alpaca_eval", OPTIONS)


def test_order_name_and_a_second_import_change_nothing(tmp_path: Path) -> None:
    rows = json.loads(VERDICTS.read_text())
    random.Random(5).shuffle(rows)
    straight = in_order(read(VERDICTS, OPTIONS))
    assert in_order(read_rows(tmp_path, *rows)).equals(straight)
    assert in_order(read(VERDICTS, OPTIONS)).equals(straight)


def test_duplicates_are_kept(tmp_path: Path) -> None:
    run = read_rows(tmp_path, VERDICT, {**VERDICT, "preference": 1.0})
    assert (run.info.counts["duplicates"], run.info.counts["items"]) == (1, 2)


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ({**OUTPUT, "instruction": None}, r"\$\[0\]\.instruction"),
        ({**OUTPUT, "output": 3}, r"\$\[0\]\.output"),
        ({**OUTPUT, "generator": ["m"]}, r"\$\[0\]\.generator"),
        ({**VERDICT, "preference": "2"}, r"\$\[0\]\.preference"),
        (None, r"\$\[0\]"),
    ],
)
def test_wrong_types_are_one_sentence_with_file_and_place(tmp_path: Path, row: Any, place: str) -> None:
    with pytest.raises(FormatError, match=rf"rows\.json.*{place}"):
        read_rows(tmp_path, row)


def test_a_torn_file_and_an_empty_list_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([OUTPUT, OUTPUT])[:-20])
    with pytest.raises(FormatError, match=r"rows\.json: broken JSON"):
        read(path, OPTIONS)
    with pytest.raises(FormatError, match="no samples"):
        read_rows(tmp_path)


def test_detection_takes_its_own_and_nothing_else() -> None:
    own = {file.relative_to(DATA).as_posix() for file in (DATA / "alpaca_eval").rglob("*.json")}
    assert accepted(detects) == own
    assert find_reader(BEFORE).name == "alpaca-eval"
    assert len(own) == 4


def test_a_forced_format_refuses_what_is_not_its_own() -> None:
    for path in foreign(detects):
        said = refusal(lambda path=path: read(path, OPTIONS))
        assert said is not None, path
        assert str(path) in said or path.name in said, (path, said)
