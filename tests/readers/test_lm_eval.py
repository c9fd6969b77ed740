"""lm-evaluation-harness logs, written by the harness itself (tests/formats/make_lm_eval.py)."""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest

from forgetmap import Run, compare, read_run
from forgetmap.errors import FormatError

sys.path.insert(0, str(Path(__file__).parent.parent / "formats"))
from planted import FATES, ITEMS  # the answers planted in the logs


def sample_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("samples_*.jsonl"))


@pytest.fixture
def before(logs: Path) -> Run:
    return read_run(logs / "lm_eval" / "before")


@pytest.fixture
def after(logs: Path) -> Run:
    return read_run(logs / "lm_eval" / "after")


def of(run: Run, task: str, **equal: str) -> pl.DataFrame:
    rows = run.samples.filter(pl.col("task").cast(pl.String) == task)
    for name, value in equal.items():
        rows = rows.filter(pl.col(name).cast(pl.String) == value)
    return rows


def test_the_planted_answers_come_back(before: Run, after: Run) -> None:
    """Each item of items.json has a planted fate; choices without an answer are wrong ones for a ranking task."""
    found = compare(before, after, tasks="gsm8k", scorer="flexible-extract").total.observed
    fates = [FATES[n % len(FATES)] for n in range(len(ITEMS["gsm8k"]))]
    lost = sum(b == "R" and a != "R" for b, a in fates) / len(fates)
    gained = sum(b != "R" and a == "R" for b, a in fates) / len(fates)
    assert (found["lost"], found["gained"]) == (pytest.approx(lost), pytest.approx(gained))
    assert found["no_answer_after"] == pytest.approx(sum(a == "N" for _, a in fates) / len(fates))


def test_filters_are_scorers_and_the_first_is_default(before: Run) -> None:
    gsm8k = {m.scorer: m.default for m in before.info.metrics if m.task == "gsm8k"}
    assert gsm8k == {"strict-match": True, "flexible-extract": False}
    strict, flexible = (of(before, "gsm8k", scorer=name)["score"].sum() for name in gsm8k)
    assert strict < flexible  # every third right reply forgets the #### line


def test_no_answer_is_a_state_with_a_score(before: Run) -> None:
    strict = of(before, "gsm8k", scorer="strict-match")
    silent = strict.filter(pl.col("answer_state") == "no_answer")
    assert silent.height
    assert silent["score"].to_list() == [0.0] * silent.height
    assert silent["choice_key"].null_count() == silent.height


def test_choices_are_options(before: Run) -> None:
    mmlu = of(before, "mmlu:anatomy")
    assert mmlu["n_options"].unique().to_list() == [4]
    assert mmlu["chance"].unique().to_list() == [0.25]
    right = mmlu["score"] == 1
    assert (right == (mmlu["choice_key"] == mmlu["gold_key"])).all()
    assert (right == (mmlu["choice_index"] == mmlu["gold_index"])).all()
    assert mmlu["option_logprobs"].list.len().unique().to_list() == [4]


@pytest.mark.parametrize("metric", ["acc", "acc_norm", "acc_bytes"])
def test_each_metric_has_the_choice_it_scored(before: Run, metric: str) -> None:
    """acc ranks by log-likelihood, acc_norm by characters, acc_bytes by bytes: the choice agrees with the score."""
    rows = of(before, "own_task", metric=metric)
    assert rows["choice_index"].null_count() == 0
    assert ((rows["score"] == 1) == (rows["choice_index"] == rows["gold_index"])).all()


def test_mutual_information_doubles_the_requests_not_the_options(before: Run) -> None:
    assert of(before, "own_mutual")["n_options"].max() <= 4
    assert set(of(before, "own_mutual", metric="acc")["option_logprobs"].list.len()) == set(
        of(before, "own_mutual", metric="acc")["n_options"]
    )


def test_winogrande_has_two_options_though_its_continuation_is_one(before: Run) -> None:
    assert of(before, "winogrande")["n_options"].unique().to_list() == [2]


def test_lists_of_bools_are_shares_and_pairs_are_left_out(before: Run) -> None:
    shares = of(before, "own_instructions", metric="inst_level_strict_acc")["score"]
    assert shares.is_between(0, 1).all()
    assert any("brier_score" in warning for warning in before.info.warnings)
    assert "brier_score" not in {m.metric for m in before.info.metrics}


def test_bare_nan_is_null_and_counted(before: Run) -> None:
    assert before.info.counts["nan_lines"] > 0
    assert any("NaN" in warning for warning in before.info.warnings)
    values = of(before, "own_instructions", metric="words_per_comma")
    assert values["score"].null_count() > 0
    assert set(values.filter(pl.col("score").is_null())["answer_state"]) == {"unscored"}


def test_groups_and_directions_come_from_the_results(before: Run, after: Run) -> None:
    assert before.info.groups["mmlu"] == ["mmlu:abstract_algebra", "mmlu:anatomy"]
    assert all(m.higher_is_better for m in before.info.metrics if m.metric in ("acc", "exact_match"))
    found = compare(before, after, taxonomy="log")
    assert next(cell for cell in found.at("category") if cell.name == "mmlu").tasks == 2


def test_settings_are_recorded(before: Run) -> None:
    assert before.info.model == "planted/before-1b"
    assert before.info.tool_version == "0.4.13"
    assert before.info.task_settings["gsm8k"]["num_fewshot"] is not None
    assert before.info.task_names["mmlu:anatomy"] == "mmlu_anatomy"


def test_ids_that_drift_apart_still_pair(logs: Path, before: Run) -> None:
    """The same documents in another order: doc_ids mean other documents, contents pair all the same."""
    shuffled = read_run(logs / "lm_eval" / "after_shuffled")
    straight = read_run(logs / "lm_eval" / "after")
    for task in shuffled.tasks:
        ids = dict(of(straight, task).select("item_low", "native_id").iter_rows())
        moved = [ids[key] != native for key, native in of(shuffled, task).select("item_low", "native_id").iter_rows()]
        assert task == "own_task" or any(moved)
        one, other = (compare(before, run, tasks=task).total.observed for run in (straight, shuffled))
        assert one == other


def test_shuffled_lines_change_nothing(logs: Path, tmp_path: Path, before: Run) -> None:
    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    for path in sample_files(folder):
        content = path.read_text(encoding="utf-8").splitlines()
        random.Random(3).shuffle(content)
        path.write_text("\n".join(content) + "\n", encoding="utf-8")
    again = read_run(folder)
    assert again.info.content_hash == before.info.content_hash


def test_a_renamed_file_keeps_its_task(logs: Path, tmp_path: Path) -> None:
    """The results beside it know each task's samples by hash."""
    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    path = next(path for path in sample_files(folder) if "anatomy" in path.name)
    path.rename(path.with_name("renamed.jsonl"))
    assert "mmlu:anatomy" in read_run(folder).tasks


def test_one_file_is_a_run(logs: Path) -> None:
    path = next(path for path in sample_files(logs / "lm_eval" / "before") if "anatomy" in path.name)
    run = read_run(path)
    assert run.tasks == ["mmlu:anatomy"]
    assert run.info.model == "planted/before-1b"


def test_texts_are_read_on_demand(before: Run) -> None:
    texts = before.texts()
    assert texts.height == before.samples["text_row"].max() + 1
    gsm8k = of(before, "gsm8k", scorer="strict-match").join(texts, on="text_row")
    assert gsm8k["prompt"].str.contains("Question:").all()
    assert gsm8k["response"].null_count() == 0


@pytest.mark.parametrize("version", ["v0_4_2", "v0_4_5"])
def test_older_shapes_give_the_same_keys_and_scores(logs: Path, before: Run, version: str) -> None:
    """0.4.2: a JSON list with lists of arguments and no hashes; 0.4.5: neither filter nor metrics are named."""
    old = read_run(logs / "lm_eval" / version)
    columns = ["task", "item_high", "item_low", "scorer", "metric", "score", "n_options", "choice_key"]
    mine = old.samples.select(pl.col("task", "scorer", "metric").cast(pl.String), *columns[1:3], *columns[5:])
    both = mine.join(
        before.samples.select(pl.col("task", "scorer", "metric").cast(pl.String), *columns[1:3], *columns[5:]),
        on=["task", "item_high", "item_low", "scorer", "metric"],
        suffix="_new",
    )
    assert both.height == mine.height > 10
    for name in ("score", "n_options", "choice_key"):
        assert both[name].eq_missing(both[f"{name}_new"]).all(), name


def test_every_repeat_is_scored_from_version_5(logs: Path) -> None:
    run = read_run(logs / "lm_eval" / "v0_5_0_dev1")
    each = of(run, "gsm8k_repeats", scorer="each", metric="exact_match")
    assert sorted(each["repeat"].unique()) == [0, 1, 2]
    assert next(m for m in run.info.metrics if m.task == "gsm8k_repeats" and m.default).scorer == "each"
    reduced = of(run, "gsm8k_repeats", scorer="each", metric="pass@1(exact_match)")
    means = each.group_by("item_low").agg(pl.col("score").mean()).sort("item_low")["score"]
    assert reduced.sort("item_low")["score"].to_list() == pytest.approx(means.to_list())


def test_one_task_logged_twice_is_an_error_to_resolve(logs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    for path in list(folder.rglob("*_2*.json*")):
        stamp = path.name.rsplit("_", 1)[1]
        path.with_name(path.name.replace(stamp, "2031" + stamp[4:])).write_bytes(path.read_bytes())
    with pytest.raises(FormatError, match="same seeds"):
        read_run(folder)


def test_other_seeds_are_repeats(logs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    for path in list(folder.rglob("*_2*.json*")):
        stamp = path.name.rsplit("_", 1)[1]
        copy = path.with_name(path.name.replace(stamp, "2031" + stamp[4:]))
        copy.write_bytes(path.read_bytes())
        if path.name.startswith("results"):
            content = json.loads(path.read_text())
            content["config"]["random_seed"] = 77
            copy.write_text(json.dumps(content))
    run = read_run(folder)
    assert run.info.counts["repeats"] == 2
    assert compare(run, run).total.observed["lost"] == 0


def test_a_limit_is_a_subset_chosen_on_purpose(logs: Path, tmp_path: Path, before: Run) -> None:
    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    for path in folder.rglob("results_*.json"):
        content = json.loads(path.read_text())
        content["config"]["limit"] = 2.0
        path.write_text(json.dumps(content))
    for path in sample_files(folder):
        kept = [row for row in path.read_text().splitlines() if json.loads(row)["doc_id"] < 2]
        path.write_text("\n".join(kept) + "\n")
    few = read_run(folder)
    assert few.info.subset["limit"] == 2
    assert compare(before, few).pair.pairing.coverage_before == 1


@pytest.mark.parametrize(
    "line",
    [
        '{"doc_id": 0, "doc": {}, "arguments": 5, "resps": [], "filtered_resps": []}',
        '{"doc_id": 0, "doc": {"q": "x"}, "arguments": {}, "resps": [[["a", "b"]]], "filtered_resps": [], "metrics": ["acc"], "acc": 1}',
        '{"doc_id": 0, "doc": {"q": "x"}, "arguments": {}, "resps": "no", "filtered_resps": []}',
    ],
)
def test_lines_of_the_wrong_shape_are_one_sentence(tmp_path: Path, line: str) -> None:
    path = tmp_path / "samples_t_2026-01-01T00-00-00.jsonl"
    good = '{"doc_id":0,"doc":{"q":"x"},"arguments":{},"resps":[["r"]],"filtered_resps":["r"],"filter":"none","metrics":["acc"],"acc":1}'
    path.write_text(good + "\n" + line + "\n")
    with pytest.raises(FormatError, match="line 2"):
        read_run(path)
