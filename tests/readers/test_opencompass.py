"""OpenCompass: predictions and details, split files, replicas, missing golds and missing verdicts."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mutations import damaged, refusal

from forgetmap.errors import FormatError
from forgetmap.pairing import pair_runs
from forgetmap.readers import find_reader, opencompass, read_run
from forgetmap.run import Run

DATA = Path(__file__).parents[1] / "formats" / "data"
FIXTURES = DATA / "opencompass"
BEFORE, AFTER = FIXTURES / "before", FIXTURES / "after"
MMLU, GSM8K, ALGEBRA = "lukaemon_mmlu_anatomy", "gsm8k", "algebra_ppl"
COLUMNS = [
    "task", "native_id", "repeat", "scorer", "metric", "score", "correct", "answer_state", "n_options", "n_gold",
    "chance", "gold_key", "choice_key", "gold_index", "choice_index", "option_logprobs", "prompt_key", "output_tokens",
    "item_high", "item_low", "question_key", "text_key", "key_basis", "occurrence",
]  # fmt: skip
KEYS = ["item_high", "item_low", "question_key", "text_key"]


def table(run: Run) -> list[tuple[Any, ...]]:
    return sorted(run.samples.select(*COLUMNS).iter_rows(), key=repr)


def of(run: Run, task: str) -> pl.DataFrame:
    return run.samples.filter(pl.col("task") == task).sort("repeat", "native_id", maintain_order=True)


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    """Return a copy of the before-run that may be changed."""
    return Path(shutil.copytree(BEFORE, tmp_path / "taken"))


def file_of(folder: Path, kind: str, name: str) -> Path:
    return next(folder.glob(f"*/{kind}/*/{name}.json"))


def change(file: Path, alter: Callable[[Any], Any]) -> Path:
    """Change a JSON file in place; what `alter` returns replaces it, unless that is None."""
    content = json.loads(file.read_text())
    made = alter(content)
    file.write_text(json.dumps(content if made is None else made, ensure_ascii=False))
    return file


def test_generated_letters_split_over_two_files():
    run = read_run(BEFORE)
    rows = of(run, "mmlu:anatomy")
    assert run.info.model == "planted-before"
    assert run.info.date == "20260101_120000"
    assert run.info.task_names["mmlu:anatomy"] == MMLU
    assert rows["score"].to_list() == [1, 1, 0, 0, 1, 1, 0, 0]
    assert rows["choice_index"].to_list() == [1, 2, 1, 0, 1, 2, 1, None]
    assert rows["gold_index"].to_list() == [1, 2, 0, 3, 1, 2, 0, 3]
    assert rows["answer_state"].to_list() == ["answered"] * 7 + ["no_answer"]
    assert rows.select("n_options", "chance", "key_basis").unique().rows() == [(4, 0.25, "prompt")]
    assert rows["output_tokens"].to_list() == [4] * 7 + [3]
    assert rows["native_id"].to_list() == [f"{MMLU}_test_{n}" for n in range(8)]


@pytest.mark.parametrize("name", [MMLU, GSM8K, "legs_cascade"])
def test_scores_agree_with_the_accuracy_in_the_results(name: str):
    results = json.loads(file_of(BEFORE, "results", name).read_text())
    percent = next(value for key, value in results.items() if key.startswith("accuracy"))
    run = read_run(file_of(BEFORE, "results", name))
    default = next(m.metric for m in run.info.metrics if m.default)
    assert 100 * run.samples.filter(metric=default)["score"].mean() == pytest.approx(percent)


def test_base_and_chat_prompts_meet():
    logs = [json.loads(file_of(side, "predictions", GSM8K).read_text()) for side in (BEFORE, AFTER)]
    assert [type(log["0"]["origin_prompt"]) for log in logs] == [str, list]
    pair = pair_runs(read_run(BEFORE), read_run(AFTER))
    assert sorted(pair.items["task"].unique()) == ["gsm8k", "mmlu:anatomy"]
    assert (pair.pairing.paired, pair.pairing.grade) == (14, "B")  # the same words, rendered by another template
    assert pair.pairing.gold_changed == pair.pairing.content_changed == 0
    mmlu = pair.items.filter(pl.col("task") == "mmlu:anatomy")
    assert (mmlu["lost"].sum(), mmlu["gained"].sum()) == (2, 2)


def test_roles_are_joined_in_order(taken: Path):
    whole = of(read_run(taken), "gsm8k")

    def as_roles(rows: dict[str, Any]) -> None:
        for row in rows.values():
            head, tail = row["origin_prompt"].split("\n")
            row["origin_prompt"] = [{"role": "HUMAN", "prompt": head}, {"role": "BOT", "content": [{"text": tail}]}]

    change(file_of(taken, "predictions", GSM8K), as_roles)
    assert of(read_run(taken), "gsm8k").select(KEYS).equals(whole.select(KEYS))


def test_replicas_are_stacked_in_blocks():
    rows = of(read_run(AFTER), "gsm8k").select("native_id", "repeat", "score").rows()
    first = {name: score for name, repeat, score in rows if repeat == 0}
    second = {name: score for name, repeat, score in rows if repeat == 1}
    assert list(first.values()) == [1, 0, 1, 0, 1, 0]
    assert list(second.values()) == [0, 1, 0, 1, 0, 0]
    assert list(first) == list(second) == [f"gsm8k_{n}" for n in range(6)]
    assert read_run(AFTER).info.counts["items"] == 14


def test_without_details_replicas_are_found_by_their_prompts(taken: Path):
    file_of(taken, "results", GSM8K).unlink()
    rows = of(read_run(taken), "gsm8k")
    assert rows["repeat"].max() == 1
    assert rows["native_id"].n_unique() == rows["item_low"].n_unique() == 6


def test_open_answers_have_no_chance_and_unknown_ones_none():
    run = read_run(BEFORE)
    assert of(run, "gsm8k")["chance"].unique().to_list() == [0.0]
    assert of(run, "legs_cascade")["chance"].unique().to_list() == [None]
    assert of(run, "legs_cascade")["n_options"].is_null().all()


def test_perplexity_per_label():
    run = read_run(BEFORE)
    rows = of(run, ALGEBRA)
    assert rows["score"].to_list() == [1, 1, 0]
    assert rows["choice_index"].to_list() == [1, 2, 1]
    assert rows.select("n_options", "n_gold", "chance").unique().rows() == [(4, 1, 0.25)]
    # a per-token mean loss ranks options, it is no log-likelihood
    assert rows["option_logprobs"].is_null().all()
    assert next(m.kind for m in run.info.metrics if m.task == ALGEBRA) == "likelihood"


def test_perplexity_predictions_carry_their_verdict(taken: Path):
    expected = table(read_run(file_of(BEFORE, "predictions", ALGEBRA)))
    file_of(taken, "results", ALGEBRA).unlink()
    assert table(read_run(file_of(taken, "predictions", ALGEBRA))) == expected
    # files of earlier versions have no origin_prompt
    change(
        file_of(taken, "predictions", ALGEBRA),
        lambda rows: [row.pop("origin_prompt") for row in rows.values()] and None,
    )
    assert table(read_run(file_of(taken, "predictions", ALGEBRA))) == expected


def test_perplexity_results_alone_give_the_same_items(taken: Path):
    expected = of(read_run(BEFORE), ALGEBRA)
    shutil.rmtree(next(taken.glob("*/predictions")))
    rows = of(read_run(file_of(taken, "results", ALGEBRA)), ALGEBRA)
    columns = [*KEYS, "score", "choice_index", "gold_index", "n_options", "key_basis", "prompt_key"]
    assert rows.select(columns).equals(expected.select(columns))


def test_probabilities_of_one_token_per_option(tmp_path: Path):
    entries = {
        str(n): {
            "testing input": f"Is {n} even?", "prompt": f"Is 4 even? A\nIs {n} even?", "choices": ["A", "B"],
            "prediction": [0.7, 0.3], "pred_label": 0, "gold": n % 2,
        }
        for n in range(2)
    }  # fmt: skip
    place = tmp_path / "parity.json"
    place.write_text(json.dumps(entries))
    rows = read_run(place).samples
    assert rows.select("score", "choice_index", "gold_index", "n_options", "answer_state").rows() == [
        (1.0, 0, 0, 2, "answered"), (0.0, 0, 1, 2, "answered"),
    ]  # fmt: skip


def test_a_rule_and_a_judge_are_both_kept():
    run = read_run(BEFORE)
    rows = of(run, "legs_cascade")
    assert rows.filter(scorer="cascade")["score"].to_list() == [1, 1, 0]
    assert rows.filter(scorer="rule")["score"].to_list() == [1, 0, 0]
    assert [m.scorer for m in run.info.metrics if m.task == "legs_cascade" and m.default] == ["cascade"]


def test_a_falsy_gold_is_missing_in_predictions_and_taken_from_the_details(taken: Path):
    first = json.loads(file_of(BEFORE, "predictions", "legs_cascade").read_text())["0"]
    assert "gold" not in first
    run = read_run(file_of(BEFORE, "predictions", "legs_cascade"), texts=True)
    assert run.texts()["gold"].to_list() == [["0"], ["4"], ["6"]]
    # with nothing to take it from, the item has no gold, and stays an item
    detail = file_of(taken, "results", "legs_cascade")
    change(detail, lambda results: [row["rule_evaluation"][0].pop("answer") for row in results["details"]] and None)
    row = read_run(detail).samples.filter(scorer="cascade").row(0, named=True)
    assert (row["gold_key"], row["key_basis"], row["score"]) == (None, "prompt", 1.0)


def test_generated_replies_without_a_verdict_are_not_scored(taken: Path):
    run = read_run(BEFORE)
    rows = of(run, "gsm8k_unjudged")
    assert rows["score"].to_list() == [None, None]
    assert rows["answer_state"].to_list() == ["unscored", "unscored"]
    assert any(warning.startswith("gsm8k_unjudged: 2 replies have no verdict") for warning in run.info.warnings)
    with pytest.raises(
        FormatError, match=r"predictions without a verdict on any of them; evaluate with --dump-eval-details"
    ):
        read_run(file_of(taken, "predictions", "gsm8k_unjudged"))


def test_verdicts_of_some_replicas_only_are_not_attributed(taken: Path):
    change(file_of(taken, "results", GSM8K), lambda results: results["details"][0]["correct"].pop() and None)
    rows = of(read_run(taken), "gsm8k").filter(native_id="gsm8k_0")
    assert rows.select("repeat", "score", "answer_state").rows() == [(0, None, "unscored"), (1, None, "unscored")]


@pytest.mark.parametrize("verdict", ["correct", "is_correct"])
def test_details_by_position_as_earlier_versions_wrote_them(verdict: str, taken: Path):
    def reshape(results: dict[str, Any]) -> None:
        rows = results["details"]
        results["details"] = {"type": "GEN"} | {
            str(n): {"pred": row["pred"][0], "refr": row["answer"][0], verdict: row["correct"][0]}
            for n, row in enumerate(rows)
        }

    expected = of(read_run(taken), "mmlu:anatomy")
    change(file_of(taken, "results", MMLU), reshape)
    rows = of(read_run(taken), "mmlu:anatomy")
    columns = [*KEYS, "score", "answer_state", "choice_index"]
    assert rows.select(columns).equals(expected.select(columns))
    assert rows["metric"].unique().to_list() == [verdict]


def test_results_alone_are_keyed_by_the_number_in_the_data_set(taken: Path):
    shutil.rmtree(next(taken.glob("*/predictions")))
    run = read_run(file_of(taken, "results", GSM8K))
    assert run.samples["key_basis"].unique().to_list() == ["native"]
    assert run.samples["native_id"].n_unique() == 6
    assert run.samples["score"].to_list() == of(read_run(BEFORE), "gsm8k")["score"].to_list()


def test_any_file_of_a_data_set_leads_to_all_of_them():
    expected = table(read_run(file_of(BEFORE, "results", MMLU)))
    assert len(expected) == 8
    for part in ("0", "1"):
        assert table(read_run(file_of(BEFORE, "predictions", f"{MMLU}_{part}"))) == expected


def test_a_number_at_the_end_may_belong_to_the_name(taken: Path):
    for kind in ("predictions", "results"):
        file = file_of(taken, kind, GSM8K)
        for name in ("ruler_0", "ruler_1"):
            shutil.copy(file, file.with_name(f"{name}.json"))
    run = read_run(taken)
    assert [task for task in run.tasks if task.startswith("ruler")] == ["ruler_0", "ruler_1"]
    assert of(run, "ruler_1").select("score", "key_basis").equals(of(run, "gsm8k").select("score", "key_basis"))


def test_a_missing_part_is_refused(taken: Path):
    file = file_of(taken, "predictions", f"{MMLU}_1")
    file.rename(file.with_name(f"{MMLU}_2.json"))
    with pytest.raises(FormatError, match=rf"predictions '{MMLU}' only the parts 0, 2 are there"):
        read_run(taken)
    file.with_name(f"{MMLU}_2.json").unlink()
    with pytest.raises(
        FormatError, match=rf"results/planted-before/{MMLU}\.json: details of 8 items for 4 predictions"
    ):
        read_run(taken)


def test_order_and_folder_names_change_nothing(taken: Path, tmp_path: Path):
    def turned(content: Any) -> Any:
        if isinstance(content.get("details"), list):
            random.Random(3).shuffle(content["details"])
            return content
        return dict(reversed(content.items()))

    for file in taken.rglob("*.json"):
        change(file, turned)
    renamed = taken.rename(tmp_path / "elsewhere")
    assert table(read_run(renamed)) == table(read_run(BEFORE))


def test_importing_twice_gives_the_same():
    assert table(read_run(BEFORE)) == table(read_run(BEFORE))


def test_details_of_a_range_keep_their_order(taken: Path):
    expected = of(read_run(taken), "mmlu:anatomy").select(*KEYS, "score")

    def renumber(results: dict[str, Any]) -> None:
        for number, row in enumerate(results["details"]):
            row["example_abbr"] = f"x_{number + 100}"

    change(file_of(taken, "results", MMLU), renumber)
    assert of(read_run(taken), "mmlu:anatomy").select(*KEYS, "score").equals(expected)


def test_a_duplicate_item_is_kept_and_numbered(taken: Path):
    def twice(rows: dict[str, Any]) -> None:
        rows["1"]["origin_prompt"], rows["1"]["gold"] = rows["0"]["origin_prompt"], rows["0"]["gold"]

    change(file_of(taken, "predictions", f"{MMLU}_0"), twice)
    rows = of(read_run(taken), "mmlu:anatomy")
    assert rows["occurrence"].to_list()[:3] == [0, 1, 0]
    assert rows.height == 8


def test_a_relabelled_item_is_another_item(taken: Path):
    change(file_of(taken, "predictions", f"{MMLU}_0"), lambda rows: rows["0"].update(gold="D"))
    after = read_run(taken)
    assert pair_runs(read_run(BEFORE), after, tasks="mmlu*").pairing.gold_changed == 1


def test_options_are_counted_per_item_or_unknown(taken: Path):
    def fewer(rows: dict[str, Any]) -> None:
        rows["0"]["origin_prompt"] = rows["0"]["origin_prompt"].replace("\nD. Cuboid", "")
        rows["1"]["origin_prompt"] = rows["1"]["origin_prompt"].replace("\nB. ", "\n- ")  # no longer a list of options
        rows["2"]["gold"] = "the diaphragm"  # not a letter: the list may be part of the question
        rows["3"]["origin_prompt"] += "\n\nNow for something else. " + "Tell a long story. " * 30

    change(file_of(taken, "predictions", f"{MMLU}_0"), fewer)
    change(file_of(taken, "predictions", f"{MMLU}_1"), lambda rows: rows["0"].update(gold=["A", "B"]))
    change(file_of(taken, "predictions", f"{MMLU}_1"), lambda rows: rows["1"].update(gold="b"))
    assert of(read_run(taken), "mmlu:anatomy")["n_options"].to_list() == [3, None, None, None, None, None, 4, 4]


def test_a_letter_that_was_not_shown_is_no_answer(taken: Path):
    change(file_of(taken, "results", MMLU), lambda results: results["details"][0].update(pred=["J"], correct=[False]))
    row = of(read_run(taken), "mmlu:anatomy").row(0, named=True)
    assert (row["score"], row["answer_state"], row["choice_index"]) == (0.0, "no_answer", None)


def test_an_empty_reply_is_an_observation(taken: Path):
    change(file_of(taken, "predictions", f"{MMLU}_0"), lambda rows: rows["0"].update(prediction=" \n"))
    row = of(read_run(taken), "mmlu:anatomy").row(0, named=True)
    assert (row["answer_state"], row["score"]) == ("empty", 1.0)  # the score stays as logged


def test_a_bare_nan_is_no_verdict(taken: Path):
    file = file_of(taken, "results", MMLU)
    change(file, lambda results: results["details"][0].update(correct=[float("nan")]))
    assert "NaN" in file.read_text()
    row = of(read_run(taken), "mmlu:anatomy").row(0, named=True)
    assert (row["score"], row["answer_state"]) == (None, "unscored")


def test_texts_come_later_as_at_once():
    later, at_once = read_run(BEFORE), read_run(BEFORE, texts=True)
    assert later.texts().equals(at_once.texts())
    found = later.texts().filter(pl.col("question").str.starts_with("Which bone")).row(0, named=True)
    assert found["options"] == ["Talus", "Calcaneus", "Navicular", "Cuboid"]
    assert (found["gold"], found["choice"]) == (["Calcaneus"], "Calcaneus")
    assert found["response"] == "The answer is B."


def test_one_model_at_a_time(taken: Path):
    for kind in ("predictions", "results"):
        own = next(taken.glob(f"*/{kind}/planted-before"))
        shutil.copytree(own, own.with_name("other"))
    with pytest.raises(FormatError, match=r"predictions of 2 models \(other, planted-before\); give a folder of one"):
        read_run(taken)
    assert read_run(taken, model="other").info.model == "other"
    with pytest.raises(FormatError, match=r"no predictions of 'nobody' in it"):
        read_run(taken, model="nobody")


def test_two_runs_of_one_data_set_are_refused(tmp_path: Path):
    for stamp in ("20260101_000000", "20260102_000000"):
        shutil.copytree(BEFORE / "20260101_120000", tmp_path / stamp)
    with pytest.raises(
        FormatError, match=r"'20260101_000000/algebra_ppl' and '20260102_000000/algebra_ppl' are both algebra_ppl"
    ):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("kind", "name", "alter", "message"),
    [
        ("predictions", GSM8K, lambda rows: rows.pop("3") and None, r"entry 3 of 11 is missing"),
        ("predictions", GSM8K, lambda rows: rows.update({"3": "x"}), r"entry 3 of 12 is str, not an object"),
        ("predictions", GSM8K, lambda rows: rows["3"].update(origin_prompt=7), r"entry 3: origin_prompt is int"),
        ("predictions", ALGEBRA, lambda rows: rows["1"].update({"label: A": 2.5}), r"entry 1: 'label: A' is no object"),
        ("predictions", GSM8K, lambda rows: rows["7"].update(gold="1"), r"entry 7: its gold is not that of entry 1"),
        ("results", MMLU, lambda results: results["details"][2].update(correct=["yes"]), r"entry 2: correct is 'yes'"),
        ("results", MMLU, lambda results: results["details"][2].update(correct=[71.2]), r"entry 2: correct is '71\.2'"),
        ("results", MMLU, lambda results: results["details"].insert(2, None), r"details of item 2 are NoneType"),
        ("results", MMLU, lambda results: results["details"].pop() and None, r"details of 7 items for 8 predictions"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(kind: str, name: str, alter: Any, message: str, taken: Path):
    change(file_of(taken, kind, name), alter)
    with pytest.raises(FormatError, match=message) as caught:
        read_run(taken)
    assert str(taken) in str(caught.value)


def test_a_torn_file_is_refused(taken: Path):
    file = file_of(taken, "predictions", GSM8K)
    file.write_bytes(file.read_bytes()[:-60])
    with pytest.raises(FormatError, match=r"gsm8k\.json"):
        read_run(file)


def test_hostile_nesting_and_numbers(taken: Path):
    file = file_of(taken, "predictions", GSM8K)
    deep = "[" * 400 + '"x"' + "]" * 400
    file.write_text(file.read_text().replace('"origin_prompt": "', f'"origin_prompt": {deep}, "other": "', 1))
    assert "x" in read_run(file).texts()["question"].to_list()
    change(
        file_of(taken, "results", MMLU),
        lambda results: results.update(details={"9" * 5000: {"pred": "A", "correct": True}}),
    )
    with pytest.raises(FormatError, match=r"predictions without a verdict"):
        read_run(file_of(taken, "results", MMLU))


@pytest.mark.faults
@pytest.mark.parametrize("name", [MMLU, GSM8K, ALGEBRA, "legs_cascade"])
def test_no_damage_ends_in_a_traceback(name: str, taken: Path):
    for file in [*taken.glob(f"*/predictions/*/{name}*.json"), *taken.glob(f"*/results/*/{name}.json")]:
        content = file.read_text()
        for what, document in damaged(json.loads(content), every=11):
            file.write_text(json.dumps(document))
            opencompass.detects(file)
            said = refusal(lambda file=file: read_run(file, format="opencompass"))
            assert said is None or str(taken) in said, what
        file.write_text(content)


def test_only_its_own_files_are_accepted():
    for file in DATA.rglob("*"):
        if file.is_file():
            assert opencompass.detects(file) == file.is_relative_to(FIXTURES), file
    assert find_reader(BEFORE).name == "opencompass"
    assert find_reader(file_of(BEFORE, "predictions", GSM8K)).name == "opencompass"
