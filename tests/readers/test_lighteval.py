"""lighteval details, both layouts: real logs of 0.7.0, 0.10.0 and 0.13.0 (tests/formats/make_lighteval.py)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import forgetmap as fm
from forgetmap import items
from forgetmap.answers import parse_choices
from forgetmap.errors import FormatError
from forgetmap.readers import lighteval_v1, lighteval_v2, lm_eval
from forgetmap.readers.lighteval.items import letter_position
from forgetmap.readers.lighteval.queries import PromptHasher, _plain_options, parse_queries, parse_query
from forgetmap.readers.lighteval.scores import ranked_choice, score_value
from forgetmap.readers.registry import find_reader
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run

FORMATS = Path(__file__).parents[1] / "formats"
DATA = FORMATS / "data"
V07, V1, V2 = DATA / "lighteval_v07", DATA / "lighteval_v1", DATA / "lighteval_v2"
ITEMS = json.loads((FORMATS / "items.json").read_text(encoding="utf-8"))
EXTRA = json.loads((FORMATS / "lighteval" / "extra_items.json").read_text(encoding="utf-8"))
EVERY = [V07 / "before", V1 / "before", V1 / "after", V2 / "before", V2 / "after"]
KEY = ["item_high", "item_low"]


def reader(path: Path) -> Any:
    return lighteval_v2 if "v2" in str(path) else lighteval_v1


def read(path: Path, **options: Any) -> Run:
    return reader(path).read(path, ReadOptions(**options))


def of_task(run: Run, task: str, metric: str | None = None) -> pl.DataFrame:
    found = run.samples.filter(pl.col("task") == task)
    return found if metric is None else found.filter(pl.col("metric") == metric)


def keys(run: Run, task: str) -> set[tuple[int, int]]:
    return set(of_task(run, task).select(KEY).iter_rows())


def comparable(run: Run) -> pl.DataFrame:
    """The sample table in an order that does not depend on the log's."""
    order = ["task", *KEY, "repeat", "metric"]
    return run.samples.drop("text_row").with_columns(pl.col("task", "metric", "scorer").cast(pl.String)).sort(order)


def copied(folder: Path, tmp_path: Path) -> Path:
    target = tmp_path / folder.parent.name / folder.name
    shutil.copytree(folder, target)
    return target


def details(folder: Path, task: str) -> list[Path]:
    return sorted(path for path in folder.rglob("*.parquet") if f"{task}|" in path.name)


def rewrite(path: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    change(pl.read_parquet(path, glob=False)).write_parquet(path)


def edit_results(folder: Path, change: Callable[[dict[str, Any]], None], time: str = "") -> None:
    for path in folder.rglob(f"results_{time}*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        change(content)
        path.write_text(json.dumps(content), encoding="utf-8")


def with_field(frame: pl.DataFrame, struct: str, field: str, values: list[Any], dtype: Any) -> pl.DataFrame:
    return frame.with_columns(pl.col(struct).struct.with_fields(pl.Series(field, values, dtype=dtype).alias(field)))


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_one_reader_accepts_a_real_log(path: Path) -> None:
    assert find_reader(path).name == ("lighteval-v2" if path.parent == V2 else "lighteval-v1")
    assert find_reader(next(path.rglob("*.parquet"))).name == find_reader(path).name


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_scores_average_to_what_lighteval_reports(path: Path) -> None:
    run = read(path)
    checked = 0
    for results in path.rglob("results_*.json"):
        content = json.loads(results.read_text(encoding="utf-8"))
        general = content["config_general"]
        generation = general.get("generation_parameters") or general.get("model_config", {}).get(
            "generation_parameters"
        )
        repeat = (generation or {}).get("seed") or 0
        for raw, scores in content["results"].items():
            task = raw.removeprefix("custom|").removeprefix("leaderboard|").rpartition("|")[0]
            if raw == "all" or task == "no_gold":  # there lighteval counts items without a label
                continue
            for metric in {metric["metric"] for metric in _metrics(run, task)}:
                rows = of_task(run, task, metric).filter(pl.col("repeat") == repeat)
                assert rows["score"].null_count() == 0
                assert rows["score"].mean() == pytest.approx(scores[metric])
                checked += 1
    assert (
        checked
        == {"lighteval_v07": 4, "lighteval_v1": 8 + 3 * (path.name == "after"), "lighteval_v2": 7}[path.parent.name]
    )


def _metrics(run: Run, task: str) -> list[dict[str, Any]]:
    return [{"metric": one.metric} for one in run.info.metrics if one.task == task]


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_order_of_rows_does_not_matter(path: Path, tmp_path: Path) -> None:
    shuffled = copied(path, tmp_path)
    for file in shuffled.rglob("*.parquet"):
        rewrite(file, lambda frame: frame.sample(fraction=1, shuffle=True, seed=7))
    assert comparable(read(shuffled)).equals(comparable(read(path)))
    assert read(shuffled).info.content_hash == read(path).info.content_hash


def test_reading_with_and_without_texts_gives_the_same_samples() -> None:
    for path in EVERY:
        assert comparable(read(path, texts=True)).equals(comparable(read(path)))


def test_names_of_files_do_not_matter_where_the_log_names_the_task(tmp_path: Path) -> None:
    renamed = copied(V2 / "before", tmp_path)
    for number, file in enumerate(sorted(renamed.rglob("*.parquet"))):
        file.rename(file.with_name(f"{number}.parquet"))
    assert comparable(read(renamed)).equals(comparable(read(V2 / "before")))
    assert read(renamed).info.settings == read(V2 / "before").info.settings


def test_a_renamed_file_of_the_old_layout_is_named_by_the_results_file(tmp_path: Path) -> None:
    renamed = copied(V1 / "before", tmp_path)
    for number, task in enumerate(["piqa", "gsm8k"]):
        file = details(renamed, task)[0]
        file.rename(file.with_name(f"{number}.parquet"))
    run = read(renamed)
    assert comparable(run).equals(comparable(read(V1 / "before")))
    assert run.info.task_names["piqa"] == "custom|piqa|0"


def test_a_renamed_file_on_its_own_goes_by_its_new_name_and_says_so(tmp_path: Path) -> None:
    shutil.copy(details(V1 / "before", "piqa")[0], tmp_path / "my_piqa_run.parquet")
    run = lighteval_v1.read(tmp_path / "my_piqa_run.parquet", ReadOptions())
    assert run.tasks == ["my_piqa_run"]
    assert any("does not say which task" in warning for warning in run.info.warnings)
    assert {tuple(row) for row in run.samples.select(KEY).iter_rows()} == keys(read(V1 / "before"), "piqa")


def test_a_single_file_finds_its_results(tmp_path: Path) -> None:
    run = lighteval_v1.read(details(V1 / "before", "gsm8k")[0], ReadOptions())
    assert (run.info.model, run.info.settings["temperature"]) == ("stub/before", 0.6)


# Repeats


def test_two_time_stamps_are_two_repeats_in_order_of_seed(tmp_path: Path) -> None:
    run = read(V1 / "after")
    assert run.info.counts["repeats"] == 2
    assert run.info.settings["seed"] == [0, 1]
    scores = of_task(run, "gsm8k", "qem").group_by("repeat").agg(pl.col("score").sum()).sort("repeat")
    assert scores["repeat"].to_list() == [0, 1]
    first, _ = sorted(path.name for path in (V1 / "after" / "details" / "stub" / "after").iterdir())
    swapped = copied(V1 / "after", tmp_path)
    edit_results(swapped, lambda content: content["config_general"]["generation_parameters"].update(seed=5), first)
    turned = read(swapped)
    assert turned.info.settings["seed"] == [1, 5]
    for repeat, other in ((0, 1), (1, 0)):
        ours = of_task(turned, "gsm8k", "qem").filter(pl.col("repeat") == repeat).sort(KEY)
        theirs = of_task(run, "gsm8k", "qem").filter(pl.col("repeat") == other).sort(KEY)
        assert ours["score"].to_list() == theirs["score"].to_list()
    # tasks that only the evaluation with seed 5 holds keep that seed's number
    assert of_task(turned, "piqa")["repeat"].unique().to_list() == [1]


def test_one_seed_twice_is_an_error_that_names_both_files(tmp_path: Path) -> None:
    twice = copied(V1 / "after", tmp_path)
    edit_results(twice, lambda content: content["config_general"]["generation_parameters"].update(seed=0))
    with pytest.raises(FormatError) as caught:
        read(twice)
    named = [str(path) for path in details(twice, "gsm8k")]
    assert len(named) == 2
    assert all(name in str(caught.value) for name in named)
    assert "another seed than 0" in str(caught.value)
    last = sorted(path.name for path in (twice / "details" / "stub" / "after").iterdir())[1]
    edit_results(twice, lambda content: content["config_general"]["generation_parameters"].update(seed=None), last)
    with pytest.raises(FormatError, match="lacks a seed of its own"):
        read(twice)


def test_evaluations_without_seed_count_in_order_of_time_unless_greedy(tmp_path: Path) -> None:
    unseeded = copied(V1 / "after", tmp_path)
    edit_results(unseeded, lambda content: content["config_general"]["generation_parameters"].update(seed=None))
    run = read(unseeded)
    assert of_task(run, "gsm8k", "qem").sort("repeat", *KEY)["score"].to_list() == (
        of_task(read(V1 / "after"), "gsm8k", "qem").sort("repeat", *KEY)["score"].to_list()
    )
    assert any("2 evaluations without a seed" in warning for warning in run.info.warnings)
    edit_results(unseeded, lambda content: content["config_general"]["generation_parameters"].update(temperature=0))
    with pytest.raises(FormatError, match="lacks a seed of its own"):
        read(unseeded)


def test_two_models_are_not_one_run(tmp_path: Path) -> None:
    for side in ("before", "after"):
        shutil.copytree(V1 / side, tmp_path, dirs_exist_ok=True)
    with pytest.raises(FormatError, match="2 models"):
        lighteval_v1.read(tmp_path, ReadOptions())
    assert lighteval_v1.read(tmp_path, ReadOptions(model="stub/before")).info.model == "stub/before"
    with pytest.raises(FormatError, match="stub/after, stub/before"):
        lighteval_v1.read(tmp_path, ReadOptions(model="nobody"))


# Versions


def test_columns_written_as_text_give_the_same_samples() -> None:
    assert set(pl.read_parquet_schema(details(V07 / "before", "gsm8k")[0]).values()) == {pl.String}
    compared = [
        *KEY,
        "score",
        "answer_state",
        "choice_key",
        "gold_key",
        "option_logprobs",
        "prompt_key",
        "output_tokens",
    ]
    old, new = (
        of_task(read(path), "mmlu:anatomy").sort(KEY).select(compared) for path in (V07 / "before", V1 / "before")
    )
    assert old.equals(new)
    old, new = (of_task(read(path), "gsm8k", "qem").sort(KEY) for path in (V07 / "before", V1 / "before"))
    for name in ("score", "prompt_key", "output_tokens"):
        assert old[name].to_list() == new[name].to_list()


def test_text_columns_may_hold_what_python_prints(tmp_path: Path) -> None:
    log = copied(V07 / "before", tmp_path)
    file = details(log, "gsm8k")[0]
    metrics = pl.Series("metrics", ["{'qem': nan}", "{'qem': np.float64(1.0)}"] + ["{'qem': 0}"] * 10)
    tokens = pl.Series("cont_tokens", ["[tensor([1, 2])]"] + ["[[[1, 2, 3]]]"] * 11)
    rewrite(file, lambda frame: frame.with_columns(metrics, tokens))
    rows = of_task(read(log), "gsm8k")
    assert rows["score"].to_list()[:3] == [None, 1.0, 0.0]
    assert rows["answer_state"][0] == "unscored"
    assert rows["output_tokens"].to_list()[:2] == [None, 3]


def test_text_that_is_no_value_is_an_error_with_its_row(tmp_path: Path) -> None:
    log = copied(V07 / "before", tmp_path)
    file = details(log, "gsm8k")[0]
    call = pl.Series("gold", ["['1']"] * 4 + ["__import__('os').getcwd()"] + ["['1']"] * 7)
    rewrite(file, lambda frame: frame.with_columns(call))
    with pytest.raises(FormatError, match="row 4: gold"):
        read(log)


def test_a_row_that_asks_nothing_is_refused_and_choices_alone_are_enough(tmp_path: Path) -> None:
    log = copied(V1 / "before", tmp_path)
    rewrite(details(log, "piqa")[0], lambda frame: frame.with_columns(example=pl.lit("")))
    assert len(keys(read(log), "piqa")) == 8
    rewrite(details(log, "gsm8k")[0], lambda frame: frame.with_columns(example=pl.lit(None, dtype=pl.String)))
    with pytest.raises(FormatError, match="neither query nor choices"):
        read(log)


def test_schemas_differ_from_task_to_task() -> None:
    for path in (V1 / "before", V2 / "before"):
        schemas = {str(pl.read_parquet_schema(file)) for file in path.rglob("*.parquet")}
        assert len(schemas) > 4
        assert read(path).info.counts["tasks"] == 7


# Items


@pytest.mark.parametrize("task", ["mmlu:anatomy", "mmlu:abstract_algebra", "gsm8k", "piqa"])
def test_keys_are_those_of_other_tools(task: str) -> None:
    wanted = keys(lm_eval.read(DATA / "lm_eval" / "before", ReadOptions()), task)
    assert len(wanted) == (8 if task == "piqa" else 12)
    for path in EVERY:
        run = read(path)
        if task in run.tasks:
            assert keys(run, task) == wanted, path
            assert of_task(run, task)["key_basis"].unique().to_list() == ["content"]


def test_demonstrations_and_quotes_do_not_change_the_key() -> None:
    before, after = read(V1 / "before", texts=True), read(V1 / "after", texts=True)
    prompt = before.texts().filter(pl.col("question") == "Which of these rings is a field?")["prompt"][0]
    assert "How many legs" in prompt
    other = after.texts().filter(pl.col("question") == "Which of these rings is a field?")["prompt"][0]
    assert 'Question: "Which of these rings' in other
    assert "How many legs" not in other
    assert keys(before, "mmlu:abstract_algebra") == keys(after, "mmlu:abstract_algebra")
    prompts = [set(of_task(run, "mmlu:abstract_algebra")["prompt_key"]) for run in (before, after)]
    assert not prompts[0] & prompts[1]


def test_option_counts_and_chance_come_from_the_items() -> None:
    counts = {item["question"]: len(item["choices"]) for kind in EXTRA.values() for item in kind}
    counts |= {item["question"]: 4 for item in ITEMS["mmlu"]} | {item["goal"]: 2 for item in ITEMS["piqa"]}
    counts |= {item["question"]: None for item in ITEMS["gsm8k"]}
    for path in EVERY:
        run = read(path, texts=True)
        rows = run.samples.join(run.texts().select("text_row", "question"), on="text_row")
        assert rows.height == run.info.counts["samples"]
        assert set(rows["question"]) <= counts.keys()
        for question, n_options in rows.select("question", "n_options").iter_rows():
            assert n_options == counts[question], question
        assert of_task(run, "gsm8k")["chance"].unique().to_list() == [0.0]


def test_several_golds_count_in_chance() -> None:
    golds = {item["question"]: (len(item["answer"]), len(item["choices"])) for item in EXTRA["several_golds"]}
    for path in (V1 / "before", V2 / "before"):
        run = read(path, texts=True)
        rows = of_task(run, "several_golds").join(run.texts(), on="text_row")
        assert rows.height == len(golds)
        for question, n_gold, chance, gold in rows.select("question", "n_gold", "chance", "gold").iter_rows():
            right, shown = golds[question]
            assert (n_gold, len(gold)) == (right, right)
            assert chance == pytest.approx(right / shown)


@pytest.mark.parametrize("path", [V1 / "before", V2 / "before"], ids=["v1", "v2"])
def test_a_negative_gold_position_is_no_gold(path: Path) -> None:
    run = read(path, texts=True)
    rows = of_task(run, "no_gold").join(run.texts(), on="text_row")
    unlabelled = {item["question"] for item in EXTRA["no_gold"] if item["answer"] < 0}
    assert len(unlabelled) == 2
    for row in rows.iter_rows(named=True):
        without = row["question"] in unlabelled
        assert row["key_basis"] == ("question" if without else "content")
        assert (row["gold"] is None, row["gold_key"] is None, row["chance"] is None) == (without,) * 3
        assert (row["score"] is None) == without
        assert (row["answer_state"] == "unscored") == without
        assert row["n_options"] == len(row["options"])
    assert any("'no_gold': 2 rows" in warning for warning in run.info.warnings)


def test_letters_stand_for_the_options_shown() -> None:
    by_question = {item["question"]: item for item in ITEMS["mmlu"]}
    for path in (V07 / "before", V1 / "before", V2 / "after"):
        run = read(path, texts=True)
        rows = of_task(run, "mmlu:anatomy").join(run.texts(), on="text_row")
        for row in rows.iter_rows(named=True):
            item = by_question[row["question"]]
            assert row["options"] == item["choices"]
            assert row["gold"] == [item["choices"][item["answer"]]]
            assert row["gold_index"] == item["answer"]
            if row["choice_index"] is not None:
                assert row["choice"] == item["choices"][row["choice_index"]]
                assert (row["choice_key"] == row["gold_key"]) == (row["score"] == 1)


def test_letters_without_options_have_a_count_and_no_text(tmp_path: Path) -> None:
    log = copied(V1 / "before", tmp_path)
    bare = pl.col("example").str.replace_all(r"(?m)^[A-D]\. .*\n", "")
    for file in details(log, "mmlu:anatomy"):
        rewrite(file, lambda frame: frame.with_columns(bare))
    run = read(log, texts=True)
    rows = of_task(run, "mmlu:anatomy")
    assert rows["n_options"].unique().to_list() == [4]
    assert rows["chance"].unique().to_list() == [0.25]
    assert rows["key_basis"].unique().to_list() == ["question"]
    assert rows["gold_key"].to_list() == rows["gold_index"].to_list()  # positions are all there is to compare
    assert rows["choice_key"].to_list() == rows["choice_index"].to_list()
    assert rows.join(run.texts(), on="text_row").select("options", "gold").null_count().row(0) == (12, 12)
    # a generated letter is even less: nothing says how many options there were
    for file in details(log, "mmlu:abstract_algebra"):
        rewrite(
            file,
            lambda frame: frame.with_columns(pl.col("example").str.replace_all(r"(?m)^[A-D]\) .*\n?", "")),
        )
    rows = of_task(read(log), "mmlu:abstract_algebra")
    assert rows["n_options"].null_count() == rows["chance"].null_count() == rows.height
    assert rows["key_basis"].unique().to_list() == ["question"]


# Answers


def test_generated_and_ranked_rows_of_one_item_are_one_item() -> None:
    for path, task in ((V2 / "before", "mmlu:anatomy"), (V07 / "before", "mmlu:abstract_algebra")):
        file = details(path, task)[0]
        assert pl.read_parquet(file).height == 24
        rows = of_task(read(path), task)
        assert rows.height == 24
        assert rows["occurrence"].unique().to_list() == [0]
        assert rows["score"].null_count() == 0
        assert len(keys(read(path), task)) == 12
        by_metric = {metric: frame for (metric,), frame in rows.group_by("metric")}
        assert by_metric.keys() == {"em", "acc"}
        assert by_metric["acc"]["option_logprobs"].null_count() == 0 == by_metric["em"]["output_tokens"].null_count()
        assert by_metric["em"]["option_logprobs"].null_count() == 12 == by_metric["acc"]["output_tokens"].null_count()


def test_a_score_missing_on_its_own_kind_of_row_is_unscored(tmp_path: Path) -> None:
    log = copied(V2 / "before", tmp_path)

    def drop_one(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame["metric"].struct.field("em").to_list()
        values[next(row for row, value in enumerate(values) if value is not None)] = None
        return with_field(frame, "metric", "em", values, pl.Int64)

    rewrite(details(log, "mmlu:anatomy")[0], drop_one)
    rows = of_task(read(log), "mmlu:anatomy", "em")
    assert rows.height == 12
    assert rows.filter(pl.col("score").is_null())["answer_state"].to_list() == ["unscored"]


def test_states_of_generated_answers(tmp_path: Path) -> None:
    log = copied(V1 / "before", tmp_path)

    def change(frame: pl.DataFrame) -> pl.DataFrame:
        replies = [[" \n"], ["I cannot tell."], ["Answer: J"], ["Answer: A"], *frame["predictions"].to_list()[4:]]
        found = [[], [], ["J"], ["A"], *frame["specifics"].struct.field("extracted_predictions").to_list()[4:]]
        frame = with_field(frame, "specifics", "extracted_predictions", found, pl.List(pl.String))
        frame = with_field(frame, "metrics", "extractive_match", [0.0] * 12, pl.Float64)
        golds = [["B"]] * 4 + frame["gold"].to_list()[4:]
        return frame.with_columns(predictions=pl.Series(replies), gold=pl.Series(golds))

    rewrite(details(log, "mmlu:abstract_algebra")[0], change)
    for texts in (False, True):
        rows = of_task(read(log, texts=texts), "mmlu:abstract_algebra")
        assert rows["answer_state"].to_list()[:4] == ["empty", "no_answer", "no_answer", "answered"]
        assert rows["choice_index"].to_list()[:4] == [None, None, None, 0]
        assert rows["score"].to_list()[:4] == [0.0] * 4


def test_a_choice_never_contradicts_its_score(tmp_path: Path) -> None:
    log = copied(V1 / "before", tmp_path)
    file = details(log, "mmlu:abstract_algebra")[0]
    rewrite(file, lambda frame: with_field(frame, "metrics", "extractive_match", [0.0] * 12, pl.Float64))
    rows = of_task(read(log), "mmlu:abstract_algebra")
    right = rows.filter(pl.col("choice_index") == pl.col("gold_index"))
    assert right.height == 0
    assert rows["answer_state"].null_count() == 7  # the seven whose letter was right, and which this metric refuses


def test_length_of_replies() -> None:
    for path in (V1 / "before", V2 / "before", V07 / "before"):
        run = read(path, texts=True)
        rows = of_task(run, "gsm8k").join(run.texts(), on="text_row")
        assert rows.height
        for tokens, response in rows.select("output_tokens", "response").iter_rows():
            assert tokens == len(response.split())  # the stub's tokens are words


def test_texts_hold_the_whole_reply() -> None:
    run = read(V2 / "before")
    texts = of_task(run, "gsm8k").join(run.texts(), on="text_row")
    assert texts["response"].str.contains("<think>", literal=True).all()
    assert texts["prompt"].str.starts_with("Question: ").all()


def test_the_original_query_and_the_image_belong_to_the_item(tmp_path: Path) -> None:
    log = copied(V2 / "before", tmp_path)
    file = details(log, "piqa")[0]
    plain = read(log, texts=True).texts()

    def change(frame: pl.DataFrame) -> pl.DataFrame:
        asked = [f"Question: number {row}?\nAnswer:" for row in range(8)]
        asked[2] = asked[1]
        frame = with_field(frame, "doc", "original_query", asked, pl.String)
        images = [[{"bytes": bytes([row]), "path": None}] for row in range(8)]
        frame = with_field(frame, "doc", "images", images, pl.List(pl.Struct({"bytes": pl.Binary, "path": pl.String})))
        messages = [[{"role": "user", "content": text}] for text in asked]
        return with_field(
            frame, "model_response", "input", messages, pl.List(pl.Struct({"role": pl.String, "content": pl.String}))
        )

    rewrite(file, change)
    run = read(log, texts=True)
    assert len(keys(run, "piqa")) == 8
    texts = of_task(run, "piqa").join(run.texts(), on="text_row")
    assert texts["question"].str.starts_with("number").all()
    assert texts["prompt"][0] == '[{"role":"user","content":"Question: number 0?\\nAnswer:"}]'
    assert not set(texts["question"]) & set(plain["question"])


def test_a_rate_over_draws_is_not_right_or_wrong() -> None:
    for path in (V1 / "before", V2 / "before"):
        run = read(path)
        metric = next(one for one in run.info.metrics if one.task == "four_samples")
        assert set(of_task(run, "four_samples")["score"]) <= {0.0, 1.0}
        assert not metric.binary
        assert of_task(run, "four_samples")["correct"].null_count() == 4
        assert any("several draws" in warning for warning in run.info.warnings)


def test_normalised_accuracy_takes_the_option_that_explains_the_score() -> None:
    logprobs, choices = [-6.0, -7.0], [" ab", " abc"]
    # per character with the space -2.0 and -1.75, without it -3.0 and -2.33; plain -6.0 and -7.0
    assert ranked_choice("acc", logprobs, choices, [0], 1) == 0
    assert ranked_choice("acc_norm", logprobs, choices, [1], 1) == 1
    assert ranked_choice("acc_norm", logprobs, choices, [1], 0) is None
    # [-2.0, -1.75] without the space and [-1.0, -1.17] with it: the score tells which of them was meant
    assert ranked_choice("acc_norm", [-2.0, -3.5], [" a", " ab"], [0], 0) == 1
    assert ranked_choice("acc_norm", [-2.0, -3.5], [" a", " ab"], [0], 1) == 0
    assert ranked_choice("mc2", logprobs, choices, [0], 0.7) is None
    assert ranked_choice("acc", logprobs[:1], choices, [0], 1) is None


def test_values_of_metrics() -> None:
    assert score_value(True) == 1.0
    assert score_value([True, False]) == 0.5
    assert score_value({"golds": ["a"], "preds": ["b"]}) is None
    assert score_value(None) is None


def test_letters() -> None:
    assert [letter_position(text) for text in (" A", "(C)", "B.", "b", "AB", "", "7")] == [
        0,
        2,
        1,
        None,
        None,
        None,
        None,
    ]


# Settings


def test_settings_of_an_evaluation() -> None:
    info = read(V1 / "before").info
    assert (info.model, info.model_revision, info.tool) == ("stub/before", "0" * 40, "lighteval")
    assert info.settings == {"temperature": 0.6, "top_p": 0.95, "max_tokens": 256, "dtype": "stub", "seed": 0}
    assert info.task_settings["mmlu:anatomy"]["num_fewshot"] == 2
    assert info.task_settings["mmlu:anatomy"]["prompt_template"] == "mmlu_harness"
    assert info.task_settings["gsm8k"] == {
        "num_fewshot": 0, "task_version": 0, "prompt_template": "gsm8k", "max_tokens": 256, "stop": ["Question:"]
    }  # fmt: skip
    assert info.task_names["mmlu:anatomy"] == "leaderboard|mmlu:anatomy|2"
    assert str(info.date).startswith("20")
    assert len(info.files) == 8
    assert info.other_files == []
    info = read(V2 / "before").info
    assert info.settings == {"temperature": 0.6, "top_p": 0.95, "max_tokens": 256, "seed": 0}
    assert info.task_settings["mmlu:anatomy"]["num_fewshot"] == 2
    assert info.task_settings["mmlu:anatomy"]["task_version"] == 0
    assert all(metric.higher_is_better for metric in info.metrics)


def test_limit_and_system_prompt_are_recorded(tmp_path: Path) -> None:
    log = copied(V2 / "before", tmp_path)

    def change(content: dict[str, Any]) -> None:
        content["config_general"]["max_samples"] = 50
        content["config_general"]["lighteval_sha"] = "abc123"
        content["config_general"]["model_config"] |= {
            "system_prompt": "Be brief.",
            "dtype": "bfloat16",
            "revision": "r1",
        }

    edit_results(log, change)
    info = read(log).info
    assert info.subset == {"limit": 50}
    assert info.settings["dtype"] == "bfloat16"
    assert info.settings["system_prompt"] == f"{items.text_hash('Be brief.'):016x}"
    assert (info.tool_version, info.model_revision) == ("abc123", "r1")


def test_a_log_without_results_file_is_readable(tmp_path: Path) -> None:
    shutil.copytree(V1 / "before" / "details", tmp_path / "details")
    (tmp_path / "notes.txt").write_text("by hand")
    run = lighteval_v1.read(tmp_path, ReadOptions())
    assert run.info.model == "stub/before"
    assert run.info.settings == {}
    assert run.info.other_files == ["notes.txt"]
    assert run.info.task_settings["mmlu:anatomy"] == {"num_fewshot": 2}


# From query to question


def test_the_last_question_counts_and_demonstrations_go() -> None:
    query = "Do it.\n\nQuestion: a?\nA) 1\nB) 2\nAnswer: A\n\nQuestion: b c?\nA) 3\nB) 4\nC) 5\nReasoning:"
    assert parse_query(query, "Do it.\n\n") == ("b c?", ("3", "4", "5"), "")


@pytest.mark.parametrize(
    ("query", "question", "options"),
    [
        ("Why?\nA. x\nB. y\nAnswer:", "Why?", ("x", "y")),
        ("Why?\n(A) x\n(B) y\n", "Why?", ("x", "y")),
        ("Why?\nOptions:\n(A) x\n(B) y", "Why?", ("x", "y")),
        ("Why?\nOptions:\n- Yes\n- No\n", "Why?", ("Yes", "No")),
        ("Why?\n\nA) x\nB) y\n\nThink step by step.", "Why?", ("x", "y")),
        ("Why?\nA) x\nmore x\nB) y\nAnswer:", "Why?", ("x\nmore x", "y")),
        ("A. Smith asks:\nB or C?\nA. x\nB. y\nC. z\nAnswer:", "A. Smith asks:\nB or C?", ("x", "y", "z")),
        ("I. a\nII. b\nWhich?\nA) I\nB) II\nAnswer:", "I. a\nII. b\nWhich?", ("I", "II")),
        ("Question: 2+2?\nAnswer:", "2+2?", None),
        ("Q: 2+2?\nA: ", "2+2?", None),
        ("Is the Question: mark here?\nAnswer:", "Is the Question: mark here?", None),
        ("Say.\n  Question: Is the Question: mark here?\nAnswer:", "Is the Question: mark here?", None),
        ("A man sits down. He", "A man sits down. He", None),
        ("What is an A) label?", "What is an A) label?", None),
        ("Which Options: are these:\nA) x\nB) y", "Which Options: are these:", ("x", "y")),
    ],
)
def test_question_and_options(query: str, question: str, options: tuple[str, ...] | None) -> None:
    assert parse_query(query, None)[:2] == (question, options)


def test_a_query_that_is_its_own_instruction_is_still_read() -> None:
    assert parse_query("Why?\nA) x\nB) y", "Why?\nA) x\nB) y")[:2] == ("Why?", ("x", "y"))


def test_quotation_marks_go_only_if_every_question_has_them() -> None:
    quoted = ['Question: "a?"\nAnswer:', 'Question: ""b" and "c"?"\nAnswer:']
    assert [question for question, _ in parse_queries(quoted, [None] * 2)] == ["a?", '"b" and "c"?']
    bare = ["Question: a?\nAnswer:", 'Question: "b" and "c"\nAnswer:']
    assert [question for question, _ in parse_queries(bare, [None] * 2)] == ["a?", '"b" and "c"']


def test_a_quotation_may_close_after_the_options() -> None:
    quoted = [
        'Question: "Is it?\nOptions:\n(A) yes\n(B) no"\n\nThink.',
        'Question: "Was it?\nOptions:\n(A) so\n(B) not"\n',
    ]
    assert parse_queries(quoted, [None] * 2) == [("Is it?", ("yes", "no")), ("Was it?", ("so", "not"))]


def test_the_short_way_to_options_agrees_with_the_long_one() -> None:
    for label in ("A) ", "A. ", "A: ", "(A) "):
        for end in ("", "\nAnswer:", "\nReasoning:", "\n\nThink.", "\nmore", "\n\n"):
            labels = [label.replace("A", letter) for letter in "ABCDE"]
            for count in range(1, 6):
                text = "Why?\nBecause.\n" + "\n".join(f"{one}{n} x" for n, one in enumerate(labels[:count])) + end
                plain = _plain_options(text)
                if plain is not None:
                    parsed = parse_choices(text)
                    assert parsed is not None
                    assert plain == (parsed.question, parsed.options)
                assert (plain is not None) == (count > 1 and end not in ("\n\nThink.", "\nmore"))


def test_a_passage_in_the_instruction_belongs_to_the_question() -> None:
    stories = ["Story: Tom ran.\nHe fell.", "Story: Ann sat."]
    few = [f"Read.\n{story}\n" for story in stories]
    queries = [f"{head}Question: Who?\nA) Tom\nB) Ann\nAnswer:" for head in few]
    wanted = ["Tom ran.\nHe fell.\nWho?", "Ann sat.\nWho?"]
    assert [question for question, _ in parse_queries(queries, few)] == wanted
    # the same without an instruction field, under another preamble and after demonstrations
    others = [
        f"Now choose.\n\nQuestion: x?\nA) 1\nB) 2\nAnswer: A\n\n{story}\nQuestion: Who?\nA) Tom\nB) Ann"
        for story in stories
    ]
    assert [question for question, _ in parse_queries(others, [None] * 2)] == wanted


def test_prompts_hash_as_everywhere_else() -> None:
    shared = "demonstration " * 40
    prompts = [f"{shared}{number} täil" for number in range(5)] + ["short", shared, "", f"other {shared}"]
    hasher = PromptHasher()
    assert [hasher.key(prompt, None) for prompt in prompts] == [items.text_hash(prompt) for prompt in prompts]
    assert hasher.key(prompts[0].encode(), None) == items.text_hash(prompts[0])
    assert hasher.key(None, None) is None


# All the way


@pytest.mark.parametrize("path", [V1, V2], ids=["v1", "v2"])
def test_before_and_after_pair(path: Path) -> None:
    found = fm.compare(read(path / "before"), read(path / "after")).to_dict()
    assert found["pairing"]["paired"] == 57  # 59 items, two of them without a label
    assert found["pairing"]["only_before"] == found["pairing"]["only_after"] == 0
    assert found["pairing"]["grade"] == "B"
    cell = next(cell for cell in found["cells"] if cell["name"] == "piqa")
    assert (cell["items"], cell["acc_before"]) == (8, 0.625)


def test_logs_of_two_versions_pair() -> None:
    found = fm.compare(read(V1 / "before"), read(V2 / "after")).to_dict()
    assert found["pairing"]["paired"] == 57
