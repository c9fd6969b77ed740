"""evalplus: verdicts of two test sets, timeouts, data set versions."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from mutations import damaged, refusal

from forgetmap.errors import FormatError
from forgetmap.pairing import pair_runs
from forgetmap.readers import evalplus, find_reader, read_run
from forgetmap.run import Run

DATA = Path(__file__).parents[1] / "formats" / "data"
FIXTURES = DATA / "evalplus"
BEFORE = next((FIXTURES / "before" / "humaneval").glob("*.json"))
AFTER = next((FIXTURES / "after" / "humaneval").glob("*.json"))
COLUMNS = ["task", "native_id", "repeat", "metric", "score", "correct", "answer_state", "stop_reason", "chance"]
KEYS = ["item_high", "item_low", "question_key", "text_key", "key_basis", "occurrence"]


@pytest.fixture
def logged() -> dict[str, Any]:
    return json.loads(BEFORE.read_text())


def write(folder: Path, content: Any, name: str = "eval_results.json") -> Path:
    place = folder / name
    place.write_text(json.dumps(content))
    return place


def table(run: Run) -> list[tuple[Any, ...]]:
    return sorted(run.samples.select(*COLUMNS, *KEYS).iter_rows(), key=repr)


def scores(run: Run, metric: str) -> dict[tuple[str, int], float | None]:
    rows = run.samples.filter(metric=metric).select("native_id", "repeat", "score").iter_rows()
    return {(problem, repeat): score for problem, repeat, score in rows}


def test_base_counts_the_base_tests_and_plus_counts_both():
    run = read_run(BEFORE)
    assert list(scores(run, "base").values()) == [1, 1, 1, 1, 1, 1, 0, 0]
    assert list(scores(run, "plus").values()) == [1, 0, 1, 1, 0, 1, 0, 0]
    assert run.tasks == ["humaneval_plus"]
    assert run.samples["key_basis"].unique().to_list() == ["native"]
    assert run.samples["chance"].unique().to_list() == [0.0]
    assert run.samples["n_options"].is_null().all()
    assert run.info.model == "planted/before"
    assert run.info.settings["temperature"] == 0.8
    assert [m.metric for m in run.info.metrics if m.default] == ["plus"]


def test_shares_agree_with_the_pass_at_1_that_evalplus_prints():
    run = read_run(BEFORE)  # it printed base .750, plus .500 when the fixture was made
    assert run.samples.filter(metric="base")["score"].mean() == 0.75
    assert run.samples.filter(metric="plus")["score"].mean() == 0.5


def test_a_timeout_is_wrong_and_says_so(logged: dict[str, Any], tmp_path: Path):
    attempts = logged["eval"]["HumanEval/0"]
    attempts[0].update(base_status="pass", plus_status="timeout")
    attempts[1].update(base_status="timeout", plus_status="fail")
    rows = read_run(write(tmp_path, logged)).samples.filter(native_id="HumanEval/0").sort("repeat", "metric")
    found = rows.select("metric", "score", "stop_reason").rows()
    # in the last row the failure decides, whatever the clock said
    assert found == [("base", 1.0, None), ("plus", 0.0, "timeout"), ("base", 0.0, "timeout"), ("plus", 0.0, None)]


def test_without_the_extra_tests_plus_is_not_observed():
    run = read_run(next((FIXTURES / "before" / "mbpp").glob("*.json")))
    assert run.tasks == ["mbpp_plus"]
    plus = run.samples.filter(metric="plus")
    assert plus["score"].null_count() == plus.height == 8
    assert plus["answer_state"].unique().to_list() == ["unscored"]
    assert [m.metric for m in run.info.metrics if m.default] == ["base"]


def test_an_empty_solution_is_an_observation():
    run = read_run(AFTER)
    rows = run.samples.filter(metric="base").select("native_id", "repeat", "answer_state").iter_rows()
    states = {(problem, repeat): state for problem, repeat, state in rows}
    assert states["HumanEval/3", 1] == "empty"
    assert states["HumanEval/1", 1] == "answered"
    assert scores(run, "base")["HumanEval/3", 1] == 0.0


def test_a_folder_holds_several_data_sets():
    run = read_run(FIXTURES / "before")
    assert run.tasks == ["humaneval_plus", "mbpp_plus"]
    assert run.info.files == [
        file.relative_to(FIXTURES / "before").as_posix() for file in sorted(FIXTURES.glob("before/*/*.json"))
    ]
    assert len(run.info.other_files) == 2


def test_another_version_of_the_tests_is_another_scoring_rule(logged: dict[str, Any], tmp_path: Path):
    logged["hash"] = "f" * 32
    pair = pair_runs(read_run(BEFORE), read_run(write(tmp_path, logged)))
    differing = {row["setting"].partition(" (")[0] for row in pair.pairing.settings_that_differ}
    assert {"dataset_revision", "scoring rule"} <= differing
    assert any("different rules" in warning for warning in pair.warnings)


def test_before_and_after_pair_by_id():
    pair = pair_runs(read_run(BEFORE), read_run(AFTER))
    assert pair.pairing.paired == 4
    assert pair.pairing.only_before == pair.pairing.only_after == 0


def test_order_name_and_second_import_change_nothing(logged: dict[str, Any], tmp_path: Path):
    first = table(read_run(BEFORE))
    assert table(read_run(BEFORE)) == first
    turned = {**logged, "eval": dict(reversed(logged["eval"].items()))}
    assert table(read_run(write(tmp_path, turned, "other.name"))) == first
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + BEFORE.read_bytes()))
    assert table(read_run(packed)) == first


def test_results_of_the_first_versions(logged: dict[str, Any], tmp_path: Path):
    old = copy.deepcopy(logged)
    for problem, attempts in logged["eval"].items():
        old["eval"][problem] = {
            "nfiles": len(attempts),
            "base": [[attempt["base_status"], [True]] for attempt in attempts],
            "plus": [[attempt["plus_status"], None] for attempt in attempts],
        }
    run = read_run(write(tmp_path, old))
    assert [row[:6] for row in table(run)] == [row[:6] for row in table(read_run(BEFORE))]
    old["eval"]["HumanEval/0"]["plus"].pop()
    with pytest.raises(FormatError, match=r"HumanEval/0: 2 base results and 1 plus results"):
        read_run(write(tmp_path, old))


def test_texts_come_later_as_at_once():
    later, at_once = read_run(BEFORE), read_run(BEFORE, texts=True)
    assert later.texts().equals(at_once.texts())
    assert later.texts()["response"][0] == "def double(n):\n    return 2 * n\n"


def test_two_results_of_one_data_set_are_refused(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}_eval_results.json").write_bytes(BEFORE.read_bytes())
    with pytest.raises(FormatError, match=r"both hold humaneval_plus; give one"):
        read_run(tmp_path)


def test_two_models_are_refused(tmp_path: Path):
    (tmp_path / "m--a_vllm_temp_0.0_eval_results.json").write_bytes(BEFORE.read_bytes())
    (tmp_path / "m--b_vllm_temp_0.0_eval_results.json").write_bytes(
        BEFORE.read_bytes().replace(b"HumanEval/", b"Mbpp/")
    )
    with pytest.raises(FormatError, match=r"holds results of 'm/b', a file beside it of 'm/a'"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda log: log["eval"]["HumanEval/1"][0].update(base_status="passed"),
            r"HumanEval/1, sample 0: status 'passed'",
        ),
        (
            lambda log: log["eval"]["HumanEval/1"][1].update(task_id="HumanEval/9"),
            r"sample 1: its task_id is 'HumanEval/9'",
        ),
        (lambda log: log["eval"]["HumanEval/1"][0].update(solution=5), r"Expected `str \| null`, got `int`.*solution"),
        (lambda log: log["eval"].update({"HumanEval/1": None}), r"eval"),
        (lambda log: log["eval"].update({"no slash": []}), r"problem 'no slash' has no data set"),
        (lambda log: log["eval"].clear(), r"no samples in it"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: Any, message: str, logged: dict[str, Any], tmp_path: Path):
    change(logged)
    with pytest.raises(FormatError, match=message) as caught:
        read_run(write(tmp_path, logged))
    assert str(tmp_path) in str(caught.value)


def test_a_bare_nan_is_no_status(tmp_path: Path):
    torn = BEFORE.read_text().replace('"base_status": "pass"', '"base_status": NaN', 1)
    place = tmp_path / "x.json"
    place.write_text(torn)
    rows = read_run(place).samples.filter(native_id="HumanEval/0", repeat=0)
    assert rows["score"].to_list() == [None, None]
    assert rows["answer_state"].to_list() == ["unscored", "unscored"]


def test_a_torn_file_is_refused(tmp_path: Path):
    place = tmp_path / "torn.json"
    place.write_bytes(BEFORE.read_bytes()[:-40])
    with pytest.raises(FormatError, match=r"torn\.json"):
        read_run(place)
    with pytest.raises(FormatError, match=r"torn\.json: broken JSON"):
        read_run(place, format="evalplus")


@pytest.mark.faults
def test_no_damage_ends_in_a_traceback(logged: dict[str, Any], tmp_path: Path):
    logged["eval"] = dict(list(logged["eval"].items())[:2])
    for what, document in damaged(logged, every=2):
        place = write(tmp_path, document)
        evalplus.detects(place)
        said = refusal(lambda place=place: read_run(place, format="evalplus"))
        assert said is None or str(place) in said, what


def test_only_its_own_files_are_accepted():
    assert find_reader(BEFORE).name == "evalplus"
    for file in DATA.rglob("*"):
        if file.is_file():
            assert evalplus.detects(file) == (file.name.endswith("eval_results.json")), file
