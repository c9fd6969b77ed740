"""HELM: run folders, perturbed copies, trials, one request per option."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mutations import damaged, refusal

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.pairing import pair_runs
from forgetmap.readers import find_reader, helm, read_run
from forgetmap.run import Run

DATA = Path(__file__).parents[1] / "formats" / "data"
FIXTURES = DATA / "helm"
STATS, INSTANCES = "per_instance_stats.json", "instances.json"
DISPLAY = (INSTANCES, "display_predictions.json", "display_requests.json")
COLUMNS = [
    "task", "native_id", "repeat", "scorer", "metric", "score", "correct", "answer_state", "n_options", "n_gold",
    "chance", "gold_key", "choice_key", "gold_index", "choice_index", "option_logprobs", "prompt_key", "category",
    "output_tokens", "stop_reason", "error", "item_high", "item_low", "question_key", "text_key", "key_basis",
    "occurrence",
]  # fmt: skip


def table(run: Run) -> list[tuple[Any, ...]]:
    return sorted(run.samples.select(*COLUMNS).iter_rows(), key=repr)


@pytest.fixture
def taken(tmp_path: Path) -> Callable[[str], Path]:
    """Return a copy of a fixture that may be changed."""
    return lambda name: Path(shutil.copytree(FIXTURES / name, tmp_path / name))


def change(folder: Path, name: str, alter: Callable[[Any], Any]) -> None:
    """Change one JSON file of a run folder in place; what `alter` returns replaces it, unless that is None."""
    content = json.loads((folder / name).read_text())
    made = alter(content)
    (folder / name).write_text(json.dumps(content if made is None else made))


def without_display(folder: Path) -> Path:
    for name in DISPLAY:
        (folder / name).unlink()
    return folder


def stat(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in entry["stats"] if one["name"]["name"] == name)


def test_joint_choice():
    run = read_run(FIXTURES / "anatomy_before")
    assert run.info.model == "planted/before"
    assert run.info.task_names == {"mmlu:anatomy": "mmlu:subject=anatomy,method=multiple_choice_joint"}
    assert run.info.task_settings["mmlu:anatomy"]["num_fewshot"] == 1
    assert run.info.task_settings["mmlu:anatomy"]["max_tokens"] == 1
    rows = run.samples
    assert rows["score"].to_list() == [1, 1, 0, 0, 1, 1, 0, 0]
    assert rows["choice_index"].to_list() == [1, 2, 1, 0, 1, 2, 1, None]
    assert rows["gold_index"].to_list() == [1, 2, 0, 3, 1, 2, 0, 3]
    assert rows["answer_state"].to_list() == ["answered"] * 7 + ["no_answer"]
    assert rows["stop_reason"].to_list() == ["stop"] * 7 + ["length"]
    assert rows.select("n_options", "n_gold", "chance", "key_basis", "output_tokens").unique().rows() == [
        (4, 1, 0.25, "content", 1)
    ]
    assert read_run(FIXTURES / "anatomy_after").samples["answer_state"].to_list()[5] == "empty"


def test_scores_agree_with_the_aggregates_helm_computed():
    folder = FIXTURES / "anatomy_before"
    run = read_run(folder)
    splits = {one["id"]: one["split"] for one in json.loads((folder / INSTANCES).read_text())}
    means = {
        one["name"]["split"]: one["mean"]
        for one in json.loads((folder / "stats.json").read_text())
        if one["name"]["name"] == "exact_match" and "perturbation" not in one["name"]
    }
    assert set(means) == {"test", "valid"}
    for split, mean in means.items():
        mine = run.samples.filter(pl.col("native_id").replace_strict(splits) == split)
        assert mine["score"].mean() == pytest.approx(mean)


def test_keys_are_those_of_the_document():
    first = json.loads((FIXTURES.parents[1] / "items.json").read_text())["mmlu"][0]
    key = items.item_key([first["question"]], first["choices"], [first["choices"][first["answer"]]])
    row = read_run(FIXTURES / "anatomy_before").samples.row(0, named=True)
    assert (row["item_high"], row["item_low"], row["question_key"]) == key[:3]
    assert row["task"] == "mmlu:anatomy"


def test_before_and_after_pair():
    pair = pair_runs(read_run(FIXTURES / "anatomy_before"), read_run(FIXTURES / "anatomy_after"))
    assert (pair.pairing.paired, pair.pairing.grade) == (8, "A")
    assert (pair.items["lost"].sum(), pair.items["gained"].sum()) == (2, 2)


@pytest.mark.parametrize("name", ["anatomy_before", "algebra_separate"])
def test_summarised_or_not_makes_no_difference(name: str, taken: Callable[[str], Path]):
    assert table(read_run(without_display(taken(name)))) == table(read_run(FIXTURES / name))


def test_display_files_need_not_hold_the_scores(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    change(folder, "display_predictions.json", lambda rows: [row.pop("stats") for row in rows] and None)
    assert table(read_run(folder)) == table(read_run(FIXTURES / "anatomy_before"))


def test_perturbed_copies_are_another_task():
    run = read_run(FIXTURES / "gsm_perturbed")
    assert run.tasks == ["gsm", "gsm@lowercase"]
    assert run.info.task_settings["gsm@lowercase"] == run.info.task_settings["gsm"]
    sizes = dict(run.samples.group_by("task").agg(pl.col("native_id").n_unique()).iter_rows())
    assert sizes == {"gsm": 3, "gsm@lowercase": 3}
    texts = run.texts()["question"].to_list()
    assert texts[0] != texts[1]
    assert texts[0].lower() == texts[1]


def test_perturbations_of_one_name_differ_in_their_parameters(taken: Callable[[str], Path]):
    folder = taken("gsm_perturbed")

    def gendered(entry: dict[str, Any]) -> None:
        holder = entry.get("instance", entry)
        if "perturbation" in holder:
            mode = "terms" if holder.get("id", holder.get("instance_id")) == "id1" else "pronouns"
            holder["perturbation"] = {"name": "gender", "mode": mode, "fairness": True, "seed": 3}

    change(folder, STATS, lambda entries: [gendered(entry) for entry in entries] and None)
    change(folder, "scenario_state.json", lambda state: [gendered(one) for one in state["request_states"]] and None)
    assert read_run(folder).tasks == ["gsm", "gsm@gender,mode=pronouns", "gsm@gender,mode=terms"]


def test_trials_are_repeats_and_metrics_are_all_kept():
    run = read_run(FIXTURES / "gsm_perturbed")
    assert run.info.counts["repeats"] == 2
    assert [m.metric for m in run.info.metrics if m.default] == ["final_number_exact_match"] * 2
    plain = run.samples.filter(pl.col("task") == "gsm", metric="final_number_exact_match").sort("native_id", "repeat")
    assert plain["score"].to_list() == [1, 1, 1, 1, 0, 0]
    assert run.info.subset == {"limit": 3}
    assert plain["n_options"].is_null().all()
    assert plain["chance"].is_null().all()  # a generated reply may be a label as well: nothing says how many there are
    assert not any(name.startswith(("num_", "inference_", "finish_")) for name in run.samples["metric"].unique())


@pytest.mark.parametrize(
    ("method", "main"), [("generation", "quasi_exact_match"), ("multiple_choice_joint", "exact_match")]
)
def test_which_match_is_reported_depends_on_the_adapter(method: str, main: str, taken: Callable[[str], Path]):
    folder = taken("anatomy_before")

    def add(entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            entry["stats"].append({"name": {"name": "quasi_exact_match", "split": "test"}, "count": 1, "mean": 0.0})

    change(folder, STATS, add)
    change(folder, "run_spec.json", lambda spec: spec["adapter_spec"].update(method=method))
    assert [m.metric for m in read_run(folder).info.metrics if m.default] == [main]


def test_one_request_per_option():
    run = read_run(FIXTURES / "algebra_separate")
    assert run.samples["choice_index"].to_list() == [1, 2, 0]
    assert run.samples["answer_state"].unique().to_list() == ["answered"]
    # log-probabilities of the option's own words, calibration requests left aside (-2 each)
    assert run.samples["option_logprobs"].to_list() == [[-4, -0.25, -6, -7], [-4, -5, -0.25, -7], [-3, -3, -3, -3]]
    assert [m.kind for m in run.info.metrics] == ["likelihood"]
    # HELM shares the point among options that tie: neither right nor wrong, so the metric is no longer 0/1
    assert run.samples["score"].to_list() == [1, 1, 0.25]
    assert run.samples["correct"].is_null().all()
    texts = run.texts()
    assert texts["response"].is_null().all()
    assert texts["prompt"][0].endswith("Answer: ")


def test_the_prompt_of_separate_choices_does_not_depend_on_the_choice(taken: Callable[[str], Path]):
    folder = without_display(taken("algebra_separate"))
    chosen = read_run(folder).samples

    def choose(entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            stat(entry, "predicted_index")["mean"] = 3.0

    change(folder, STATS, choose)
    other = read_run(folder).samples
    assert other["choice_index"].to_list() == [3, 3, 3]
    assert other["prompt_key"].to_list() == chosen["prompt_key"].to_list()


def test_without_scenario_state_there_are_no_log_probabilities(taken: Callable[[str], Path]):
    folder = taken("algebra_separate")
    (folder / "scenario_state.json").unlink()
    run = read_run(folder)
    assert run.samples["option_logprobs"].is_null().all()
    assert run.samples["choice_index"].to_list() == [1, 2, 0]


def test_entries_of_several_metric_classes_are_merged(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")

    def split(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        halves = [{**entry, "stats": entry["stats"][:10]} for entry in entries]
        return halves + [{**entry, "stats": entry["stats"][10:]} for entry in entries]

    change(folder, STATS, split)
    assert table(read_run(folder)) == table(read_run(FIXTURES / "anatomy_before"))


def test_one_stat_with_two_values_is_refused(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")

    def twice(entries: list[dict[str, Any]]) -> None:
        entries.append(copy.deepcopy(entries[0]))
        stat(entries[-1], "exact_match")["mean"] = 0.0

    change(folder, STATS, twice)
    with pytest.raises(FormatError, match=r"entry 8: 'id1' has exact_match 0\.0 here and 1\.0 before"):
        read_run(folder)


@pytest.mark.parametrize("written", ["absent", "null", "NaN"])
def test_a_nan_score_is_not_observed(written: str, taken: Callable[[str], Path]):
    folder = taken("anatomy_before")

    def hide(entries: list[dict[str, Any]]) -> None:
        found = stat(entries[0], "exact_match")
        if written == "absent":  # HELM itself drops what is NaN
            entries[0]["stats"].remove(found)
        else:
            found["mean"] = float("nan") if written == "NaN" else None

    change(folder, STATS, hide)
    row = read_run(folder).samples.row(0, named=True)
    assert (row["native_id"], row["score"], row["answer_state"]) == ("id1", None, "unscored")


def test_an_instance_without_any_stat_is_not_dropped(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    change(folder, STATS, lambda entries: entries[1:])
    run = read_run(folder)
    assert run.info.counts["items"] == 8
    assert run.samples.filter(native_id="id1")["answer_state"].to_list() == ["unscored"]


def test_order_and_name_change_nothing(taken: Callable[[str], Path], tmp_path: Path):
    folder = taken("anatomy_before")
    for seed, name in enumerate([*DISPLAY, STATS]):
        change(folder, name, random.Random(seed).shuffle)
    renamed = folder.rename(tmp_path / "renamed")
    assert table(read_run(renamed)) == table(read_run(FIXTURES / "anatomy_before"))


@pytest.mark.parametrize("name", sorted(folder.name for folder in FIXTURES.iterdir()))
def test_importing_twice_gives_the_same(name: str):
    assert table(read_run(FIXTURES / name)) == table(read_run(FIXTURES / name))
    assert read_run(FIXTURES / name).info.content_hash == read_run(FIXTURES / name).info.content_hash


def test_a_duplicate_item_is_kept_and_numbered(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    for name, field in (
        (INSTANCES, "id"),
        ("display_predictions.json", "instance_id"),
        (STATS, "instance_id"),
    ):
        change(folder, name, lambda rows, field=field: [*rows, {**rows[0], field: "id99"}])
    run = read_run(folder)
    assert run.info.counts["duplicates"] == 1
    assert run.samples.filter(pl.col("native_id").is_in(["id1", "id99"]))["occurrence"].to_list() == [0, 1]


def test_a_relabelled_item_is_another_item(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")

    def relabel(rows: list[dict[str, Any]]) -> None:
        for index, reference in enumerate(rows[0]["references"]):
            reference["tags"] = ["correct"] if index == 0 else []

    change(folder, INSTANCES, relabel)
    before, after = read_run(FIXTURES / "anatomy_before"), read_run(folder)
    assert after.samples["item_low"][0] != before.samples["item_low"][0]
    assert after.samples["question_key"][0] == before.samples["question_key"][0]
    assert pair_runs(before, after).pairing.gold_changed == 1


def test_without_a_gold_the_question_is_the_key(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    change(
        folder,
        INSTANCES,
        lambda rows: [reference.update(tags=[]) for reference in rows[0]["references"]] and None,
    )
    row = read_run(folder).samples.row(0, named=True)
    assert (row["key_basis"], row["n_options"], row["n_gold"], row["chance"]) == ("question", 4, None, None)


def test_options_are_counted_per_item(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    change(folder, INSTANCES, lambda rows: rows[0]["references"].pop() and None)
    change(folder, INSTANCES, lambda rows: rows[1]["references"][0].update(tags=["correct"]))
    counted = read_run(folder).samples.select("n_options", "n_gold", "chance").rows()[:3]
    assert counted == [(3, 1, 1 / 3), (4, 2, 0.5), (4, 1, 0.25)]


def test_all_golds_at_once_have_no_simple_chance(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    change(folder, INSTANCES, lambda rows: rows[1]["references"][0].update(tags=["correct"]))
    change(folder, "run_spec.json", lambda spec: spec["adapter_spec"].update(multi_label=True))
    assert read_run(folder).samples["chance"].to_list()[:3] == [0.25, None, 0.25]


def test_scores_alone_are_keyed_by_id(taken: Callable[[str], Path]):
    folder = without_display(taken("anatomy_before"))
    (folder / "scenario_state.json").unlink()
    run = read_run(folder)
    assert run.samples.select("key_basis", "n_options", "n_gold", "chance").unique().rows() == [
        ("native", 4, None, None)
    ]
    assert run.samples["score"].to_list() == [1, 1, 0, 0, 1, 1, 0, 0]
    assert run.samples["answer_state"].is_null().all()


def test_a_failed_request_is_no_observation(taken: Callable[[str], Path]):
    folder = without_display(taken("anatomy_before"))

    def fail(state: dict[str, Any]) -> None:
        result = state["request_states"][0]["result"]
        result.update(success=False, error="content filter", completions=[{"text": "", "logprob": 0, "tokens": []}])

    change(folder, "scenario_state.json", fail)
    row = read_run(folder).samples.row(0, named=True)
    assert (row["score"], row["answer_state"], row["error"]) == (None, "error", "content filter")


def test_the_mapping_pattern_is_applied(taken: Callable[[str], Path]):
    folder = without_display(taken("anatomy_before"))

    def explain(state: dict[str, Any]) -> None:
        for one in state["request_states"]:
            one["result"]["completions"][0]["text"] = "I choose [C] here"

    change(folder, "scenario_state.json", explain)
    assert read_run(folder).samples["choice_index"].is_null().all()
    change(folder, "run_spec.json", lambda spec: spec["adapter_spec"].update(output_mapping_pattern=r"\[([A-D])\]"))
    assert read_run(folder).samples["choice_index"].to_list() == [2] * 8
    change(folder, "run_spec.json", lambda spec: spec["adapter_spec"].update(output_mapping_pattern="("))
    with pytest.raises(FormatError, match=r"scenario_state\.json: output_mapping_pattern '\(' is no pattern"):
        read_run(folder)


def test_a_generated_reply_cut_short(taken: Callable[[str], Path]):
    folder = taken("gsm_perturbed")

    def cut(entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            stat(entry, "finish_reason_length")["mean"] = 1.0
            stat(entry, "finish_reason_endoftext")["mean"] = 0.0

    change(folder, STATS, cut)
    rows = read_run(folder).samples.filter(pl.col("task") == "gsm", repeat=0, metric="final_number_exact_match")
    # right although cut: the answer was there
    assert rows.select("score", "answer_state", "stop_reason").rows() == [
        (1.0, None, "length"), (1.0, None, "length"), (0.0, "truncated", "length"),
    ]  # fmt: skip


def test_pictures_and_messages_are_content(taken: Callable[[str], Path]):
    folder = taken("anatomy_before")

    def draw(rows: list[dict[str, Any]]) -> None:
        media = [
            {"content_type": "text/plain", "text": "What is shown?"},
            {"content_type": "image/png", "location": "/a/b/7.png"},
        ]
        rows[0]["input"] = {"text": "", "multimedia_content": {"media_objects": media}}
        rows[1]["input"] = {"text": "", "messages": [{"role": "user", "content": "Hello?"}]}

    change(folder, INSTANCES, draw)
    assert read_run(folder).texts()["question"].to_list()[:2] == ["What is shown?\n7.png", "Hello?"]


def test_texts_come_later_as_at_once():
    later, at_once = read_run(FIXTURES / "anatomy_before"), read_run(FIXTURES / "anatomy_before", texts=True)
    assert later.texts().equals(at_once.texts())
    row = later.texts().row(0, named=True)
    assert (row["choice"], row["gold"], row["response"]) == ("Calcaneus", ["Calcaneus"], " B")
    assert row["prompt"].endswith("A. Talus\nB. Calcaneus\nC. Navicular\nD. Cuboid\nAnswer:")


def test_a_suite_is_read_for_one_model(taken: Callable[[str], Path], tmp_path: Path):
    for name in ("anatomy_before", "anatomy_after", "gsm_perturbed"):
        taken(name)
    with pytest.raises(FormatError, match=r"runs of 2 models \(planted/after, planted/before\); give a folder of one"):
        read_run(tmp_path)
    run = read_run(tmp_path, model="planted/before")
    assert run.tasks == ["gsm", "gsm@lowercase", "mmlu:anatomy"]
    assert run.info.groups == {"mmlu": ["mmlu:anatomy"], "gsm": ["gsm"]}
    assert "gsm_perturbed/scenario_state.json" in run.info.files
    assert "anatomy_before/scenario_state.json" in run.info.other_files
    with pytest.raises(FormatError, match=r"no run of 'nobody' in it"):
        read_run(tmp_path, model="nobody")


def test_an_unfinished_run_is_named(taken: Callable[[str], Path], tmp_path: Path):
    taken("anatomy_before")
    (taken("gsm_perturbed") / STATS).unlink()
    run = read_run(tmp_path)
    assert run.tasks == ["mmlu:anatomy"]
    assert run.info.warnings == ["gsm_perturbed: no per_instance_stats.json, so the run did not finish; left out"]


def test_one_task_twice_is_refused(taken: Callable[[str], Path], tmp_path: Path):
    shutil.copytree(taken("anatomy_before"), tmp_path / "again")
    with pytest.raises(FormatError, match=r"are both runs of mmlu:anatomy; give one of them"):
        read_run(tmp_path)


def test_a_run_without_scores_is_named(taken: Callable[[str], Path], tmp_path: Path):
    taken("anatomy_before")
    change(
        taken("gsm_perturbed"),
        STATS,
        lambda entries: [entry.update(stats=entry["stats"][:5]) for entry in entries] and None,
    )
    assert read_run(tmp_path).info.warnings == [
        "gsm: its per-instance stats hold counts and costs, but no score; left out"
    ]


@pytest.mark.parametrize(
    ("name", "alter", "message"),
    [
        (STATS, lambda rows: rows[2].update(instance_id=7), r"Expected `str`, got `int`.*\[2\]\.instance_id"),
        (STATS, lambda rows: rows[2].update(stats=None), r"Expected `array`, got `null`.*\[2\]\.stats"),
        (STATS, lambda rows: rows[2].update(train_trial_index=-1), r"`int` >= 0.*train_trial_index"),
        (STATS, lambda rows: stat(rows[0], "exact_match").update(mean="1"), r"Expected `float \| null`"),
        (STATS, lambda rows: rows[0].update(instance_id="id77"), r"'id77' has scores but no prediction"),
        (INSTANCES, lambda rows: rows[1].update(references=None), r"Expected `array`.*\[1\]\.references"),
        (INSTANCES, lambda rows: rows[1]["references"][0]["output"].update(text=4), r"Expected `str`.*output\.text"),
        (INSTANCES, lambda rows: rows[1:], r"entry 0: 'id1' is not in instances\.json; run helm-summarize again"),
        ("display_predictions.json", lambda rows: rows[0].update(mapped_output=[]), r"Expected `str \| null`"),
        ("display_requests.json", lambda rows: rows[0].update(request=None), r"Expected `object`, got `null`"),
        ("run_spec.json", lambda spec: spec.pop("adapter_spec") and None, r"missing required field `adapter_spec`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(name: str, alter: Any, message: str, taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    change(folder, name, alter)
    with pytest.raises(FormatError, match=message) as caught:
        read_run(folder)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("name", ["run_spec.json", STATS, *DISPLAY])
@pytest.mark.parametrize("left", [0, 0.5])
def test_a_torn_file_is_refused(name: str, left: float, taken: Callable[[str], Path]):
    folder = taken("anatomy_before")
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(len(content) * left)])
    with pytest.raises(FormatError, match=name.replace(".", r"\.")):
        read_run(folder)


@pytest.mark.faults
@pytest.mark.parametrize("fixture", ["anatomy_before", "algebra_separate", "gsm_perturbed"])
def test_no_damage_ends_in_a_traceback(fixture: str, taken: Callable[[str], Path]):
    folder = taken(fixture)
    for file in sorted(folder.glob("*.json")):
        if file.name in ("stats.json", "scenario.json"):
            continue
        content = file.read_text()
        for what, document in damaged(json.loads(content), every=131):  # all take minutes
            file.write_text(json.dumps(document))
            assert helm.detects(folder)
            said = refusal(lambda: read_run(folder))
            assert said is None or str(folder) in said, what
        file.write_text(content)


def test_only_its_own_folders_are_accepted():
    for place in DATA.rglob("*"):
        own = place.is_relative_to(FIXTURES) and (place.is_dir() or place.name == STATS)
        assert helm.detects(place) == (own and place != FIXTURES), place
    assert find_reader(FIXTURES).name == "helm"
    assert find_reader(FIXTURES / "anatomy_before").name == "helm"
    assert find_reader(FIXTURES / "anatomy_before" / STATS).name == "helm"
