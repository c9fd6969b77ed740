"""Causes of lost and gained items, and the validity split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import make_run
from forgetmap import Run
from forgetmap.causes import CAUSES, Causes, find_causes, validity_split
from forgetmap.causes.replies import read_answer
from forgetmap.errors import UsageError
from forgetmap.pairing import Pair, Scale, pair_runs
from forgetmap.testing import plant

OPTIONS = ["a road map", "a mental map", "a star chart", "verbal directions"]
QUESTION = "What is it that guides the children on the way to school, and why is that so"
TALK = "We think about how people find their way in the morning, and which of these they use. "
GERMAN = "Wir denken darüber nach, wie die Leute am Morgen den Weg finden und was sie dabei mit sich führen."
RIGHT = {"correct": True, "answer_state": "answered", "prediction": "a mental map", "response": "(B)"}
WRONG = {"correct": False, "answer_state": "answered", "prediction": "a road map", "response": "(A)"}


def none(response: str | None, state: str | None = "no_answer", **more: Any) -> dict[str, Any]:
    """An answer without a choice."""
    return {"correct": False, "answer_state": state, "prediction": None, "response": response, **more}


def unknown(response: str | None) -> dict[str, Any]:
    """An answer of which the log says neither state nor choice."""
    return {"correct": False, "response": response}


def run(answers: list[dict[str, Any]], **common: Any) -> Run:
    """One item per answer; the same place is the same item on both sides."""
    rows = [
        {"task": "t", "question": f"{QUESTION}, case {n}?", "options": OPTIONS, "gold": "a mental map", **common, **one}
        for n, one in enumerate(answers)
    ]
    keys = {key for row in rows for key in row}
    return make_run([{key: row.get(key) for key in sorted(keys)} for row in rows])


def pair(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Pair:
    return pair_runs(run(before), run(after))


def one_cause(answer: dict[str, Any]) -> tuple[str, list[str]]:
    """The cause and the flags of one item lost to this answer."""
    found = find_causes(pair([RIGHT], [answer]), flags=True)
    row = found.items.row(0, named=True)
    assert (found.items.height, row["direction"], row["weight"]) == (1, "lost", 1.0)
    return row["cause"], row["flags"]


LOOP = TALK + "And so it goes on and on. " * 30
CASES = [
    (WRONG, "wrong_answer", []),
    ({**WRONG, "stop_reason": "length"}, "wrong_answer", ["truncated"]),
    ({**WRONG, "response": LOOP}, "wrong_answer", ["looping"]),
    ({**WRONG, "response": GERMAN, "stop_reason": "max_tokens"}, "wrong_answer", ["other_language", "truncated"]),
    (none("", "empty"), "empty", []),
    (none("Something", "refused"), "refused", []),
    (none("I'm sorry, but I can't help with that."), "refused", []),
    (none("I'm sorry, but I can't help with that.", stop_reason="length"), "refused", ["truncated"]),
    (none("Whatever", stop_reason="content_filter"), "refused", []),
    (none(TALK + "It is best described as (B) a mental map."), "wrong_format", []),
    (none(TALK + "It is best described as (B) a mental map.", "truncated"), "wrong_format", ["truncated"]),
    (none(TALK, "truncated"), "truncated", []),
    (none(TALK, stop_reason="length"), "truncated", []),
    (none(TALK + "We now turn to the question which of", stop_reason=None), "truncated", []),
    (none(TALK + "We now turn to the question which of", stop_reason="stop"), "no_answer", []),
    (none(LOOP), "looping", []),
    (none(LOOP, "truncated"), "truncated", ["looping"]),  # what the log records comes first
    (none(LOOP + "And so it"), "looping", ["truncated"]),
    (none(GERMAN), "other_language", []),
    (none(TALK), "no_answer", []),
    (none(TALK + "It must be (C)."), "no_answer", []),
    # the log says nothing of the state
    (unknown("I cannot help with that."), "refused", []),
    (unknown("Answer: B"), "wrong_format", []),
    (unknown("Answer: C"), "wrong_answer", []),
    (unknown(TALK), "wrong_answer", []),
    (unknown(LOOP), "looping", []),
    (unknown(None), "wrong_answer", []),
]


@pytest.mark.parametrize(("answer", "cause", "flags"), CASES, ids=lambda value: str(value)[:60])
def test_the_first_cause_that_fits(answer: dict[str, Any], cause: str, flags: list[str]) -> None:
    assert one_cause(answer) == (cause, flags)


def test_gained_items_are_explained_by_their_before_state() -> None:
    found = find_causes(pair([none("", "empty"), WRONG, RIGHT], [RIGHT, RIGHT, none(TALK)]))
    assert sorted(found.items.select("direction", "cause").rows()) == [
        ("gained", "empty"),
        ("gained", "wrong_answer"),
        ("lost", "no_answer"),
    ]


def rows_of(found: Causes, level: str = "total") -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["direction"], row["cause"]): row for row in found.table() if row["level"] == level}


def test_counts_shares_and_the_share_among_all_answers() -> None:
    before = [RIGHT] * 10 + [none("", "empty")] * 4 + [WRONG] * 6
    after = (
        [none("", "empty")] * 3
        + [WRONG]
        + [RIGHT] * 6
        + [RIGHT] * 2
        + [none("", "empty")] * 2
        + [none(TALK)] * 5
        + [WRONG]
    )
    rows = rows_of(find_causes(pair(before, after)))
    lost = rows["lost", "empty"]
    assert (lost["count"], lost["share"], lost["share_of_all"]) == (3, 0.75, 5 / 20)
    assert lost["low"] < 0.75 < lost["high"]
    assert rows["lost", "wrong_answer"]["share_of_all"] == 2 / 20
    # no lost item shows it, a quarter of all answers does: that is worth a row
    assert (rows["lost", "no_answer"]["count"], rows["lost", "no_answer"]["share_of_all"]) == (0, 5 / 20)
    assert (rows["gained", "empty"]["count"], rows["gained", "empty"]["share_of_all"]) == (2, 4 / 20)
    assert ("lost", "refused") not in rows


def test_cells_are_those_of_the_caller() -> None:
    sides = [
        make_run(
            [
                {"task": task, "question": f"{task} {n}?", "options": OPTIONS, "gold": "a mental map", **one}
                for task, answers in tasks.items()
                for n, one in enumerate(answers)
            ]
        )
        for tasks in (
            {"a": [RIGHT, RIGHT], "b": [RIGHT, RIGHT], "c": [RIGHT]},
            {"a": [WRONG, none("", "empty")], "b": [WRONG, WRONG], "c": [RIGHT]},
        )
    ]
    found = find_causes(pair_runs(*sides))
    table = found.table([("category", "both", ("a", "b")), ("category", "still", ("c",)), ("task", "a", ("a",))])
    assert [(row["name"], row["cause"], row["count"], row["share"], row["share_of_all"]) for row in table] == [
        ("both", "wrong_answer", 3, 0.75, 0.75),
        ("both", "empty", 1, 0.25, 0.25),
        ("a", "wrong_answer", 1, 0.5, 0.5),
        ("a", "empty", 1, 0.5, 0.5),
    ]
    assert {row["level"] for row in found.table()} == {"task", "total"}


def test_repeats_share_an_item_among_its_wrong_answers() -> None:
    wrong = [WRONG, none("", "empty"), none("", "empty")]
    before = run([{**RIGHT, "repeat": n, "question": "q?"} for n in range(3)])
    after = run([{**one, "repeat": n, "question": "q?"} for n, one in enumerate([*wrong, RIGHT])])
    found = find_causes(pair_runs(before, after))
    assert dict(found.items.select("cause", "weight").rows()) == pytest.approx({"wrong_answer": 1 / 3, "empty": 2 / 3})
    rows = rows_of(found)
    assert rows["lost", "empty"]["count"] == pytest.approx(2 / 3)
    assert rows["lost", "empty"]["share_of_all"] == pytest.approx(2 / 4)
    assert rows["lost", "wrong_answer"]["share_of_all"] == pytest.approx(1 / 4)


def graded(values: list[tuple[float, str]], repeats: bool = False) -> Run:
    return make_run(
        [
            {
                "question": "q?" if repeats else f"q{n}?",
                "repeat": n if repeats else 0,
                "rating": value,
                "answer_state": state,
            }
            for n, (value, state) in enumerate(values)
        ]
    )


def test_grades_fall_too() -> None:
    before = graded([(0.9, "answered"), (0.8, "answered"), (0.2, "refused")])
    after = graded([(0.5, "answered"), (0.0, "refused"), (0.7, "answered")])
    found = find_causes(pair_runs(before, after))
    assert sorted(found.items.select("direction", "cause").rows()) == [
        ("gained", "refused"),
        ("lost", "refused"),
        ("lost", "wrong_answer"),
    ]


@pytest.mark.parametrize("repeats", [False, True])
def test_no_grade_is_a_wrong_answer_of_all_answers(repeats: bool) -> None:
    """A grade is neither right nor wrong: how many answers are wrong it does not tell, how many are empty it does."""
    before = graded([(0.9, "answered")] * 4, repeats=repeats)
    after = graded([(1.0, "answered"), (0.9, "answered"), (0.5, "answered"), (0.0, "empty")], repeats=repeats)
    rows = rows_of(find_causes(pair_runs(before, after)))
    assert rows["lost", "wrong_answer"]["count"] > 0
    assert rows["lost", "wrong_answer"]["share_of_all"] is None
    assert rows["lost", "empty"]["share_of_all"] == pytest.approx(1 / 4)
    right = find_causes(pair_runs(before, after, scale=Scale(threshold=0.8)))
    assert rows_of(right)["lost", "wrong_answer"]["share_of_all"] == pytest.approx(1 / 4)


def test_repeats_of_grades_count_the_lower_ones() -> None:
    before = graded([(0.9, "answered"), (0.9, "answered")], repeats=True)
    after = graded([(0.9, "answered"), (0.1, "empty"), (0.2, "answered")], repeats=True)
    found = find_causes(pair_runs(before, after))
    assert dict(found.items.select("cause", "weight").rows()) == {"empty": 0.5, "wrong_answer": 0.5}


def test_a_threshold_makes_the_best_answers_right() -> None:
    before = graded([(0.9, "answered"), (0.9, "answered")], repeats=True)
    after = graded([(0.6, "answered"), (0.4, "empty"), (0.45, "answered")], repeats=True)
    found = find_causes(pair_runs(before, after, scale=Scale(threshold=0.5)))
    assert dict(found.items.select("cause", "weight").rows()) == {"empty": 0.5, "wrong_answer": 0.5}
    assert rows_of(found)["lost", "empty"]["share_of_all"] == pytest.approx(1 / 3)


def test_lower_may_be_better() -> None:
    sides = []
    for values in ([(0.1, "answered"), (0.1, "answered")], [(0.1, "answered"), (0.8, "refused")]):
        side = graded(values, repeats=True)
        side.info.metrics = [msgspec.structs.replace(metric, higher_is_better=False) for metric in side.info.metrics]
        sides.append(side)
    found = find_causes(pair_runs(*sides))
    assert found.items.select("direction", "cause", "weight").rows() == [("lost", "refused", 1.0)]


def test_without_texts_the_recorded_state_decides(tmp_path: Path) -> None:
    after = run([none(TALK + "(B)"), none("Sorry, I can't help.", "truncated"), none("", "empty")])
    after.save(tmp_path / "after", texts=False)
    found = find_causes(pair_runs(run([RIGHT] * 3), Run.load(tmp_path / "after")))
    assert sorted(found.items["cause"]) == ["empty", "no_answer", "truncated"]
    assert found.unknown_state == 0
    assert any("holds no texts" in note for note in found.notes)
    unread = find_causes(pair_runs(run([RIGHT] * 3), after), texts=False)
    assert sorted(unread.items["cause"]) == sorted(found.items["cause"])
    assert any("not read" in note for note in unread.notes)


def test_neither_state_nor_text_is_counted() -> None:
    after = run([unknown(None), unknown("I can't help with that."), {"correct": True, "response": None}])
    found = find_causes(pair_runs(run([RIGHT] * 3), after))
    assert sorted(found.items["cause"]) == ["refused", "wrong_answer"]
    assert found.unknown_state == 1
    assert any(note.startswith("1 lost or gained") for note in found.notes)


@pytest.mark.parametrize("blank", ["", " \n ", "\u00a0"])
def test_a_blank_reply_is_empty_whatever_the_log_calls_it(blank: str) -> None:
    row = {
        "recorded": "open",
        "cut": None,
        "response": blank,
        "question": None,
        "worse": True,
        "gold": None,
        "options": None,
    }
    assert read_answer(row) == ("empty", [])


def test_texts_are_not_read_where_nothing_is_open() -> None:
    before, after = run([RIGHT, WRONG]), run([none("", "empty"), WRONG])

    def refuse() -> pl.DataFrame:
        raise AssertionError("texts were read")

    sealed = Run(after.info, after._samples, refuse, "sealed")
    assert find_causes(pair_runs(before, sealed), flags=True).items["cause"].to_list() == ["empty"]


def test_saved_runs_give_the_same(tmp_path: Path) -> None:
    answers = [answer for answer, _, _ in CASES]
    before, after = run([RIGHT] * len(answers)), run(answers)
    fresh = find_causes(pair_runs(before, after))
    before.save(tmp_path / "b")
    after.save(tmp_path / "a")
    saved = find_causes(pair_runs(Run.load(tmp_path / "b"), Run.load(tmp_path / "a")))
    assert fresh.items.equals(saved.items)
    assert fresh.table() == saved.table()


def test_what_is_guessed_is_told() -> None:
    found = find_causes(pair([RIGHT], [none(TALK + "We now turn to the question which of")]))
    assert any("no stop reason" in note for note in found.notes)
    assert "truncated 1" in repr(found)


def test_another_scorer_of_the_same_reply_does_not_count_twice() -> None:
    rows = [
        {"question": "q?", "options": OPTIONS, "gold": "a mental map", "metric": metric, **one}
        for metric, one in (("strict", none(TALK)), ("loose", WRONG))
    ]
    before = [
        {"question": "q?", "options": OPTIONS, "gold": "a mental map", "metric": m, **RIGHT}
        for m in ("strict", "loose")
    ]
    for metric, cause in (("strict", "no_answer"), ("loose", "wrong_answer")):
        found = find_causes(pair_runs(make_run(before), make_run(rows), metric=metric))
        assert found.items["cause"].to_list() == [cause]


ANSWERS = st.sampled_from([RIGHT, WRONG, none("", "empty"), none(TALK), none("I can't help with that."), none(LOOP)])


@settings(max_examples=25)
@given(st.lists(st.tuples(ANSWERS, ANSWERS, st.sampled_from("ab")), min_size=1, max_size=12), st.randoms())
def test_shares_sum_to_one_in_every_cell(
    answers: list[tuple[dict[str, Any], dict[str, Any], str]], shuffle: Any
) -> None:
    sides = []
    for side in (0, 1):
        rows = [
            {"task": a[2], "question": f"q{n}?", "options": OPTIONS, "gold": "a mental map", **a[side]}
            for n, a in enumerate(answers)
        ]
        shuffle.shuffle(rows)
        sides.append(make_run(rows))
    both = pair_runs(*sides)
    found = find_causes(both)
    table = found.table()
    cells = {(row["direction"], row["level"], row["name"]) for row in table}
    for cell in cells:
        rows = [row for row in table if (row["direction"], row["level"], row["name"]) == cell]
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        assert all(row["low"] <= row["share"] <= row["high"] for row in rows if row["count"])
        assert sum(row["share_of_all"] for row in rows) <= 1 + 1e-12
        assert [row["cause"] for row in rows] == [cause for cause in CAUSES if cause in {row["cause"] for row in rows}]
    moved = both.items.filter(pl.col("lost") != pl.col("gained")).height
    assert sum(row["count"] for row in table if row["level"] == "total") == moved
    # what has no choice is no_answer of the map, however it is called here
    for direction, column in (("lost", "none_after"), ("gained", "none")):
        seen = [row for row in table if row["level"] == "total" and row["direction"] == direction]
        if seen:
            share = sum(row["share_of_all"] for row in seen if row["cause"] != "wrong_answer")
            assert share == pytest.approx(both.items[column].mean())


def test_planted_pairs_with_repeats() -> None:
    planted = plant(300, seed=3, repeats=(3, 2), abstain=(0.2, 0.4), tasks=3)
    both = pair_runs(planted.before, planted.after)
    found = find_causes(both)
    weights = found.items.group_by("direction", "task", "item_high", "item_low", "slot").agg(pl.col("weight").sum())
    assert weights["weight"].to_list() == pytest.approx([1.0] * weights.height)
    assert weights.height == both.items.filter(pl.col("right") != pl.col("right_after")).height
    assert set(found.items["cause"]) == {"wrong_answer", "no_answer"}
    silent = [row for row in found.table() if row["level"] == "total" and row["cause"] == "no_answer"]
    assert [row["share_of_all"] for row in silent] == pytest.approx(
        [both.items["none_after"].mean(), both.items["none"].mean()]
    )


shares = st.floats(0, 1)


@given(shares, shares, shares, shares)
def test_the_validity_split_is_exact(v_before: float, v_after: float, c_before: float, c_after: float) -> None:
    split = validity_split(v_before * c_before, v_after * c_after, v_before, v_after)
    assert split.from_answering + split.from_accuracy == pytest.approx(split.acc_before - split.acc_after, abs=1e-12)
    if v_before > 1e-9 and v_after > 1e-9:
        assert split.from_answering == pytest.approx((v_before - v_after) * (c_before + c_after) / 2, abs=1e-9)
        assert split.from_accuracy == pytest.approx((v_before + v_after) / 2 * (c_before - c_after), abs=1e-9)


def test_the_validity_split_where_nothing_was_answered() -> None:
    split = validity_split(0.6, 0.0, 0.8, 0.0)
    assert (split.acc_answered_before, split.acc_answered_after) == (pytest.approx(0.75), None)
    assert (split.from_answering, split.from_accuracy) == (pytest.approx(0.6), pytest.approx(0.0))
    nothing = validity_split(0.0, 0.0, 0.0, 0.0)
    assert (nothing.from_answering, nothing.from_accuracy, nothing.acc_answered_before) == (0.0, 0.0, None)
    assert nothing.to_dict()["answered_before"] == 0.0


@pytest.mark.parametrize("shares", [(0.5, 0.1, 0.4, 0.4), (-0.1, 0, 1, 1), (0.5, 0.5, 1.2, 1), (float("nan"), 0, 1, 1)])
def test_impossible_shares_are_refused(shares: tuple[float, float, float, float]) -> None:
    with pytest.raises(UsageError, match="accuracy is"):
        validity_split(*shares)


def test_thinning_out_keeps_the_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many unread replies are thinned: the causes of moved items stay exact, shares of all answers nearly so."""
    from forgetmap.causes import find

    planted = plant(3000, options=4, lost=0.05, abstain=(0.1, 0.4), tasks=3, texts=True, seed=3)
    texts = planted.after.texts().with_columns(
        response=pl.when(pl.col("choice").is_null() & (pl.col("text_row") % 3 == 0))
        .then(pl.lit("I'm sorry, but I can't help with that."))
        .otherwise("response")
    )
    after = Run(planted.after.info, planted.after.scan(), texts, planted.after.source)
    pair_ = pair_runs(planted.before, after)
    whole = {(r["direction"], r["cause"]): r for r in find_causes(pair_).table() if r["level"] == "total"}
    monkeypatch.setattr(find, "MOST_UNMOVED", 200)
    found = find_causes(pair_)
    assert any("stand for all" in note for note in found.notes)
    thinned = {(r["direction"], r["cause"]): r for r in found.table() if r["level"] == "total"}
    assert thinned.keys() == whole.keys()
    for key, row in whole.items():
        assert thinned[key]["count"] == row["count"]
        assert thinned[key]["share_of_all"] == pytest.approx(row["share_of_all"], abs=0.03)
    assert sum(row["share_of_all"] for key, row in thinned.items() if key[0] == "lost") == pytest.approx(
        sum(row["share_of_all"] for key, row in whole.items() if key[0] == "lost"), abs=1e-9
    )
