"""Inputs that once gave a wrong number, a wrong pairing or a traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import answer, make_run
from forgetmap import Run, compare, read_run
from forgetmap.assembly import metric_words
from forgetmap.errors import FormatError, PairingError
from forgetmap.pairing import pair_runs


@pytest.mark.parametrize(
    "metric", ["answer_match", "letter_accuracy", "criterion", "certainty", "piece", "gloss", "power"]
)
def test_a_direction_is_not_guessed_from_letters_inside_a_word(metric: str) -> None:
    before, after = (
        make_run([{"question": f"q{n}", "metric": metric, "value": n < right} for n in range(10)]) for right in (8, 5)
    )
    assert compare(before, after).total.observed["lost"] == pytest.approx(0.3)


def test_an_assumed_direction_is_said() -> None:
    run = make_run([{"question": "q", "metric": "word_perplexity", "value": 0.5}])
    assert any("less of 'word_perplexity'" in warning for warning in run.info.warnings)
    assert metric_words("rougeL") == {"rouge"}


def test_two_models_in_one_folder_are_not_one_run(tmp_path: Path, logs: Path) -> None:
    for name in ("before", "after"):
        shutil.copytree(logs / "lm_eval" / name, tmp_path / "out", dirs_exist_ok=True)
    with pytest.raises(FormatError, match="logs of 2 models"):
        read_run(tmp_path / "out")


def test_unknown_seeds_are_not_different_seeds(tmp_path: Path, logs: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    samples = next(folder.rglob("samples_mmlu_anatomy_*.jsonl"))
    shutil.copy(samples, samples.with_name("samples_mmlu_anatomy_2031-01-01T00-00-00.jsonl"))
    with pytest.raises(FormatError, match="logged 2 times"):
        read_run(folder)


def test_rows_that_repeat_items_without_a_reason_are_asked_about() -> None:
    rows = [answer(n, True, rater=rater) for n in range(20) for rater in ("one", "two")]
    with pytest.raises(FormatError, match=r"repeat an item.*metric=COLUMN"):
        make_run(rows)
    assert make_run(rows, metric="rater").info.counts["duplicates"] == 0


def test_identical_answers_lose_nothing_whatever_other_tasks_do() -> None:
    """A task of two options borrows persistence; fresh guesses elsewhere must not make a loss of its own out of nothing."""
    import random

    rng = random.Random(4)
    fresh = [[rng.randrange(4) for _ in range(400)] for _ in range(3)]
    same = [[rng.randrange(2) for _ in range(400)] for _ in range(2)]

    def run(side: int) -> Run:
        four = [
            {"item_id": f"f{n}", "task": "four", "gold": str(g), "pred": str(c), "correct": g == c, "n_options": 4}
            for n, (g, c) in enumerate(zip(fresh[0], fresh[1 + side], strict=True))
        ]
        two = [
            {"item_id": f"t{n}", "task": "two", "gold": str(g), "pred": str(c), "correct": g == c, "n_options": 2}
            for n, (g, c) in enumerate(zip(*same, strict=True))
        ]
        return make_run(four + two)

    found = compare(run(0), run(1))
    cells = {cell.name: cell.chance for cell in found.at("task")}
    assert cells["two"] is None
    assert cells["four"] is not None
    assert any("task 'two': guesses as fresh" in warning for warning in found.warnings)


def test_a_null_repeat_does_not_dilute_silence() -> None:
    before = make_run(
        [{"question": "q", "options": ["a", "b", "c"], "pred": "a", "correct": 1, "seed": s} for s in range(3)]
    )
    after = make_run(
        [
            {"question": "q", "options": ["a", "b", "c"], "pred": None, "correct": value, "seed": seed}
            for seed, value in enumerate([0, None, None])
        ]
    )
    total = compare(before, after, force=True).total
    assert total.observed["no_answer_after"] == 1


def test_whole_numbers_in_a_column_with_gaps() -> None:
    def rows(kind: type) -> list[dict[str, Any]]:
        return [
            {
                "question": f"q{n}",
                "options": ["a", "b", "c", "d"],
                "gold": kind(n % 4),
                "pred": kind(n % 3),
                "correct": n % 4 == n % 3,
            }
            for n in range(24)
        ]

    whole, real = make_run(rows(int)), make_run(rows(float))
    assert whole.info.content_hash == real.info.content_hash
    assert real.samples["answer_state"].unique().to_list() == ["answered"]


def test_a_scale_holds_for_ratings_that_happen_to_be_1() -> None:
    run = make_run([{"question": f"q{n}", "rating": 1} for n in range(5)])
    assert compare(run, run, scale=(1, 10)).total.observed["acc_before"] == 0


def test_two_names_of_one_task_are_not_mixed() -> None:
    rows = [
        answer(n, True, task=task)
        for task in ("leaderboard|arc:challenge|25|0", "lighteval|arc:challenge|0|0")
        for n in range(3)
    ]
    with pytest.raises(FormatError, match="two names of one task"):
        make_run(rows)


def test_a_copy_whose_repeat_is_missing_is_not_replaced_by_another() -> None:
    """Copy one is always right, copy two always wrong; a repeat of copy one was lost."""

    def rows(missing: bool) -> list[dict[str, Any]]:
        made = [
            {**answer(9, copy == "one"), "item_id": copy, "seed": seed}
            for copy in ("one", "two")
            for seed in range(3)
            if not (missing and copy == "one" and seed == 1)
        ]
        return made + [answer(n, True, seed=seed) for n in range(5) for seed in range(3)]

    found = compare(make_run(rows(False)), make_run(rows(True))).total.observed
    assert (found["lost"], found["gained"]) == (0, 0)


def test_documents_that_differ_in_numbers_alone_pair_by_them(tmp_path: Path) -> None:
    def write(name: str, left_out: int | None) -> Path:
        path = tmp_path / name / "samples_sorts_2026-01-01T00-00-00.jsonl"
        path.parent.mkdir()
        with open(path, "w") as file:
            for n in range(20):
                if n != left_out:
                    doc = {"numbers": [n, 40 - n], "instruction": "Sort these"}
                    row = {
                        "doc_id": n, "doc": doc, "target": "x", "arguments": {}, "resps": [["x"]], "filtered_resps": ["x"],
                        "filter": "none", "metrics": ["exact_match"], "exact_match": n % 2,
                    }  # fmt: skip
                    file.write(json.dumps(row) + "\n")
        return path

    found = compare(write("before", None), write("after", 3)).total.observed
    assert (found["lost"], found["gained"]) == (0, 0)


def test_a_gold_that_changed_under_an_id_is_seen() -> None:
    before = make_run([{"item_id": str(n), "gold": "x", "correct": 1} for n in range(10)])
    after = make_run([{"item_id": str(n), "gold": "x" if n else "y", "correct": int(n > 0)} for n in range(10)])
    pair = pair_runs(before, after)
    assert (pair.pairing.paired, pair.pairing.gold_changed) == (9, 1)
    without = make_run([{"item_id": str(n), "gold": "x" if n else None, "correct": 1} for n in range(10)])
    assert (pair_runs(before, without).pairing.gold_missing, pair_runs(before, without).pairing.gold_changed) == (1, 0)
    other = make_run([{"item_id": str(n), "gold": "y", "correct": 1} for n in range(10)])
    with pytest.raises(PairingError, match="none with the same gold"):
        pair_runs(before, other)


def test_one_gold_named_twice_is_one() -> None:
    rows = [
        {"question": "q", "options": ["a1", "b", "c", "d"], "gold": gold, "correct": 1}
        for gold in ('["a1", "a1"]', '["A", "a1"]', "a1")
    ]
    runs = [make_run([row]).samples for row in rows]
    assert {run["n_gold"][0] for run in runs} == {1}
    assert len({run["item_low"][0] for run in runs}) == 1


def test_options_left_blank_do_not_shift_letters() -> None:
    with pytest.raises(FormatError, match="option column 'B' is blank"):
        make_run([{"question": "q", "A": "x", "B": None, "C": "z", "D": "w", "gold": "C", "correct": 1}])
    short = make_run(
        [
            {"question": "q", "A": "x", "B": "y", "C": None, "D": None, "gold": "B", "correct": 1},
            {"question": "p", "A": "x", "B": "y", "C": "z", "D": "w", "gold": "D", "correct": 1},
        ]
    )
    assert short.samples["n_options"].to_list() == [2, 4]
    twice = make_run([{"question": "q", "options": ["c", "a", "a", "b"], "gold": "a", "correct": 1}])
    assert twice.texts()["gold"].to_list() == [["a"]]


def test_contradicting_chance_rates_leave_no_chance_reading_either_way() -> None:
    one, other = (
        make_run([{"item_id": str(n), "chance": rate, "correct": n % 2} for n in range(8)]) for rate in (0.25, 0.5)
    )
    assert compare(one, other).total.chance is None
    assert compare(other, one).total.chance is None


def test_a_task_that_bears_the_name_of_a_category_is_not_in_it() -> None:
    rows = [answer(n, True, task=task) for task in ("Culture", "bbh:sports_understanding") for n in range(3)]
    cells = compare(make_run(rows), make_run(rows)).at("category")
    assert [(cell.name, cell.mapped, cell.tasks) for cell in cells] == [("Culture", True, 1), ("Culture", False, 1)]


def test_a_glob_does_not_hide_tasks_that_are_missing_after() -> None:
    before = make_run([answer(n, True, task=task) for task in ("mmlu:a", "mmlu:b", "other") for n in range(4)])
    after = make_run([answer(n, True, task=task) for task in ("mmlu:a", "other") for n in range(4)])
    pairing = pair_runs(before, after, tasks="mmlu*").pairing
    assert (pairing.tasks_only_before, pairing.only_before, pairing.coverage_before) == (["mmlu:b"], 4, 0.5)


@settings(max_examples=30)
@given(
    st.integers(2, 6),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30),
)
def test_swapping_the_sides_swaps_lost_and_gained(k: int, picks: list[tuple[int, int, int]]) -> None:
    def run(side: int) -> Run:
        rows = []
        for n, pick in enumerate(picks):
            gold, chosen = pick[0] % k, pick[1 + side]
            said = None if chosen == 6 else str(chosen % k)
            rows.append(
                {"item_id": str(n), "gold": str(gold), "pred": said, "correct": said == str(gold), "n_options": k}
            )
        return make_run(rows)

    forth, back = compare(run(0), run(1)).total, compare(run(1), run(0)).total
    assert forth.observed["lost"] == pytest.approx(back.observed["gained"], abs=1e-12)
    if forth.chance is not None and back.chance is not None and forth.chance["lost"] is not None:
        assert forth.chance["lost"] == pytest.approx(back.chance["gained"], abs=1e-12)
        assert forth.chance["lost_if_independent"] == pytest.approx(back.chance["gained_if_independent"], abs=1e-12)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"n_options": 70_000}, "n_options"),
        ({"n_options": 1e300}, "n_options"),
        ({"output_tokens": 2**33}, "output_tokens"),
        ({"answer_state": "Refused"}, "answer_state is 'Refused'"),
    ],
)
def test_values_out_of_bounds_are_refused_by_row(row: dict[str, Any], said: str) -> None:
    with pytest.raises(FormatError, match=rf"row 1: .*{said}"):
        make_run([{"question": "q", "correct": 1, **row}])


def test_numbers_longer_than_python_prints(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"question": "q", "score": {"9" * 400}}}\n{{"question": "p", "score": 1}}\n')
    with pytest.raises(FormatError, match="row 1: 'score'"):
        read_run(path)
    run = make_run([{"question": "q", "options": ["a", "b"], "gold": "a", "pred": "9" * 5000, "correct": 0}])
    assert run.samples["answer_state"].to_list() == ["no_answer"]


def test_a_run_named_with_slashes_and_colons(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "t.csv"
    rows = [{"model": model, "item_id": str(n), "correct": "1"} for model in ("org/model", "a::b") for n in range(3)]
    pl.DataFrame(rows).write_csv(path)
    assert read_run(f"{path}::org/model").info.model == "org/model"
    assert read_run(f"{path}::a::b").info.model == "a::b"


def test_links_that_lead_nowhere_and_forced_formats(tmp_path: Path, logs: Path) -> None:
    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    (folder / "nowhere").symlink_to(folder / "missing")
    (folder / "loop").symlink_to(folder / "loop")
    assert read_run(folder).info.counts["items"] == 73
    table = tmp_path / "t.csv"
    table.write_text("question,correct\na,1\n")
    for name in (
        "lm-eval",
        "lighteval-v1",
        "lighteval-v2",
        "inspect",
        "mmlu-pro",
        "helm",
        "opencompass",
        "evalplus",
        "olmes",
        "captrack",
    ):
        with pytest.raises(FormatError, match=r"t\.csv"):
            read_run(table, format=name)


def test_no_score_at_all_is_said_even_when_forced() -> None:
    rows = [answer(n, None) for n in range(4)]
    with pytest.raises(PairingError, match="none has a score on both sides"):
        compare(make_run(rows), make_run(rows), force=True)


def test_other_encodings_and_duplicate_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("question,correct\na,1\n".encode("utf-16"))
    with pytest.raises(FormatError, match="UTF-16"):
        read_run(path)
    path.write_text("question,correct,correct\na,1,0\n")
    with pytest.raises(FormatError, match="two columns are called 'correct'"):
        read_run(path)


def test_pandas_columns_that_cannot_be_taken_over() -> None:
    import pandas as pd

    for column in (["a\ud800b", "c"], [1, "x"]):
        with pytest.raises(FormatError, match="pandas columns cannot be taken over"):
            Run.from_frame(pd.DataFrame({"question": column, "correct": [1, 0]}, dtype=object))


def test_marks_that_contradict_prediction_and_gold_are_counted() -> None:
    rows = [{"question": f"q{n}", "options": ["a", "b"], "gold": "a", "pred": "a", "correct": n > 0} for n in range(4)]
    run = make_run(rows)
    assert run.info.counts["contradicting_rows"] == 1
    assert any("1 row is marked" in warning for warning in run.info.warnings)


def test_a_range_of_a_total_follows_from_its_tasks(logs: Path) -> None:
    found = compare(logs / "lm_eval" / "before", logs / "lm_eval" / "after")
    tasks = [cell.chance for cell in found.at("task") if cell.chance is not None]
    assert found.total.chance is not None
    for end in ("lost_from", "lost_to"):
        assert found.total.chance[end] == pytest.approx(sum(task[end] for task in tasks) / len(tasks))


def test_an_id_is_unique_within_its_run() -> None:
    rows = [{"model": model, "id": n, "correct": 1} for model in ("a", "b") for n in range(3)]
    import polars as pl

    assert Run.from_frame(pl.DataFrame(rows), model="b").info.counts["items"] == 3
    assert Run.from_frame(pl.DataFrame(rows), model="b", columns={"id": "id", "model": "model"}).info.model == "b"
