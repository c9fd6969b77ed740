"""Limits: a figure passes only on evidence, under the reading that decides."""

from __future__ import annotations

from typing import Any

import pytest
from gates import policy

from conftest import answer, make_run
from forgetmap import Run, compare
from forgetmap.gate import RuleResult, check_gate, gate_map, load_policy
from forgetmap.gate.bounds import read_bound
from forgetmap.testing import Planted, plant


def rule(pair: Planted, limit: dict[str, Any], **more: Any) -> RuleResult:
    result = check_gate(pair.before, pair.after, policy(limit, **more))
    assert len(result.rules) == 1
    return result.rules[0]


PAIR = plant(4000, known=0.7, lost=0.04, gained=0.05, tasks=4, seed=3)
MAP = compare(PAIR.before, PAIR.after)


def held(limit: dict[str, Any]) -> RuleResult:
    """One limit on the pair above, whose map is drawn once."""
    (found,) = gate_map(MAP, load_policy(policy(limit))).rules
    return found


def test_the_upper_bound_must_be_under_the_limit() -> None:
    total = MAP.total
    assert total.chance is not None
    high, low = total.chance["lost_high"], total.chance["lost_low"]
    kept = held({"level": "total", "lost": high + 1e-6})
    assert (kept.passed, kept.reading, kept.high, kept.reason) == (True, "chance", high, None)
    # The estimate is under this limit, and the bound is not: that is not enough.
    broken = held({"level": "total", "lost": high})
    assert broken.estimate < high
    assert not broken.passed
    assert "the estimate of" in broken.reason
    sure = held({"level": "total", "lost": low - 1e-6})
    assert not sure.passed
    assert "even the lower bound" in sure.reason


def test_gained_net_and_gained_at_least() -> None:
    found = MAP.total
    assert found.chance is not None
    assert held({"level": "total", "gained": 0.1}).passed
    assert not held({"level": "total", "gained": 0.05}).passed
    assert held({"level": "total", "gained_at_least": 0.02}).passed
    short = held({"level": "total", "gained_at_least": found.chance["gained"]})
    assert not short.passed  # the estimate reaches it, the lower bound does not
    assert "surely gained" in short.reason
    drop = held({"level": "total", "net": 0.02})
    observed = found.observed
    assert drop.passed
    assert drop.estimate == pytest.approx(observed["acc_before"] - observed["acc_after"])
    assert drop.low < drop.estimate < drop.high < 0.02
    losing = plant(4000, known=0.7, lost=0.1, gained=0.0, seed=3)
    assert not rule(losing, {"level": "total", "net": 0.05}).passed


def test_a_glob_names_every_cell_that_fits() -> None:
    result = gate_map(MAP, load_policy(policy({"level": "task", "name": "planted:[0-9]", "lost": 0.5})))
    assert [one.passed for one in result.rules] == [False]  # brackets are no sets
    result = gate_map(MAP, load_policy(policy({"level": "task", "name": "planted:?", "lost": 0.5})))
    assert sorted(one.name for one in result.rules) == [f"planted:{n}" for n in range(4)]
    assert result.passed
    result = gate_map(MAP, load_policy(policy({"level": "task", "name": "planted:1", "lost": 0.001})))
    assert [one.name for one in result.rules] == ["planted:1"]
    assert not result.passed


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"level": "task", "name": "mnlu:*", "lost": 0.5}, "no task fits 'mnlu:*'; there are: planted:0"),
        ({"level": "category", "name": "Math", "lost": 0.5}, "no category fits 'Math'"),
        ({"level": "group", "lost": 0.5}, "the taxonomy has no group"),
    ],
)
def test_a_limit_that_speaks_of_nothing_fails(limit: dict[str, Any], said: str) -> None:
    result = held(limit)
    assert not result.passed
    assert said in result.reason


def test_groups_and_weights_and_margin_reach_the_map() -> None:
    names = ["gsm8k", "hellaswag", "ifeval"]
    pair = plant(900, tasks=names, options=0, lost=0.05, seed=1)
    found = check_gate(
        pair.before,
        pair.after,
        policy({"level": "group", "lost": 0.5}, taxonomy="captrack", weight="items", margin=0.2),
    )
    assert {one.name for one in found.rules} == {"CAN", "HOW"}
    drawn = compare(pair.before, pair.after, taxonomy="captrack", weight="items", margin=0.2)
    assert {one.name: one.verdict for one in found.rules} == {cell.name: cell.verdict for cell in drawn.at("group")}
    assert {one.verdict for one in found.rules} == {"steady"}


def test_only_named_tasks_count() -> None:
    limit = {"level": "total", "lost": 0.5}
    result = check_gate(PAIR.before, PAIR.after, policy(limit, tasks=["planted:0", "planted:2"]))
    assert result.rules[0].items == 2000


def test_a_task_may_be_named_as_its_log_does() -> None:
    runs = [make_run([answer(n, n % 3 != 0, task="hendrycksTest-anatomy") for n in range(40)]) for _ in range(2)]
    names = ("mmlu:anatomy", "hendrycksTest-anatomy", "hendrycks*", "mmlu_anatomy")
    found = check_gate(*runs, policy(*({"level": "task", "name": name, "lost": 0.5} for name in names)))
    assert [one.passed for one in found.rules] == [True] * 4, found.reasons()


def unknown_options(correct: list[bool]) -> Run:
    return make_run([{"question": f"q{n}", "gold": "a", "correct": right} for n, right in enumerate(correct)])


def test_without_options_flips_count_and_the_note_says_so() -> None:
    runs = unknown_options([True] * 400), unknown_options([n >= 8 for n in range(400)])
    found = check_gate(*runs, policy({"level": "total", "lost": 0.05})).rules[0]
    assert (found.reading, found.passed, found.estimate) == ("observed", True, pytest.approx(0.02))
    assert "options" in found.note
    # Flips may be luck: they do not show a gain, unless the policy asks for flips.
    limit = {"level": "total", "gained_at_least": 0.005}
    gaining = check_gate(runs[1], runs[0], policy(limit)).rules[0]
    assert not gaining.passed
    assert "reading: observed" in gaining.reason
    assert check_gate(runs[1], runs[0], policy(limit, reading="observed")).rules[0].passed
    # The reading asked for is not there: never a pass.
    for reading in ("chance", "noise"):
        asked = check_gate(*runs, policy({"level": "total", "lost": 0.9}, reading=reading)).rules[0]
        assert (asked.passed, asked.high) == (False, None)
        assert asked.reason


def test_sampled_answers_without_repeats_count_every_flip() -> None:
    pair = plant(2000, known=0.7, lost=0.02, seed=5)
    for run in (pair.before, pair.after):
        run.info.settings["temperature"] = 0.7
    found = rule(pair, {"level": "total", "lost": 0.3})
    cell = compare(pair.before, pair.after).total
    assert (found.reading, found.high) == ("observed", cell.observed["lost_high"])
    assert "without repeats" in found.note
    asked = rule(pair, {"level": "total", "lost": 0.3}, reading="chance")
    assert asked.reading == "chance"
    assert "re-run noise" in asked.note


def test_a_reading_of_a_part_does_not_speak_for_the_whole() -> None:
    def rows(side: int) -> list[dict[str, Any]]:
        told = [answer(n, True, task="told") for n in range(60)]
        # All the loss is where the options are unknown.
        untold = [{"question": f"u{n}", "gold": "a", "task": "untold", "correct": side == 0} for n in range(60)]
        return told + untold

    runs = make_run(rows(0)), make_run(rows(1))
    cell = compare(*runs, weight="items").total
    assert cell.chance is not None
    assert cell.chance["lost_high"] < 0.1
    found = check_gate(*runs, policy({"level": "total", "lost": 0.1}, weight="items")).rules[0]
    assert not found.passed
    assert found.high == cell.observed["lost_high"] > 0.4
    assert "only 60 of 120 items" in found.note
    asked = check_gate(*runs, policy({"level": "total", "lost": 0.1}, reading="chance")).rules[0]
    assert not asked.passed
    assert asked.high is None
    assert "only 60 of 120 items" in asked.reason
    back = check_gate(*runs[::-1], policy({"level": "total", "gained_at_least": 0.1})).rules[0]
    assert not back.passed
    assert back.low is None


def test_where_persistence_is_unknown_the_far_end_counts() -> None:
    pair = plant(3000, known=0.7, lost=0.02, gained=0.02, options=4, choices=False, seed=2)
    cell = compare(pair.before, pair.after).total
    assert cell.chance is not None
    assert cell.chance["lost"] is None
    found = rule(pair, {"level": "total", "lost": 0.9})
    assert found.high == cell.chance["lost_high"] > cell.chance["lost_to"]
    assert found.estimate is None
    assert "persist" in found.note


def test_noise_is_held_against_what_was_lost_at_most() -> None:
    pair = plant(1500, known=0.7, lost=0.05, gained=0.0, repeats=4, seed=4)
    for run in (pair.before, pair.after):
        run.info.repeat_kind = "prompt"
    cell = compare(pair.before, pair.after).total
    assert cell.decision["verdict_reading"] == "noise"
    assert cell.noise is not None
    found = rule(pair, {"level": "total", "lost": 0.9})
    assert found.reading == "noise"
    assert found.high >= cell.noise["lost_at_most_high"] > cell.noise["lost_high"]
    assert found.low <= cell.noise["lost_at_least_low"]
    assert not rule(pair, {"level": "total", "lost": cell.noise["lost_at_most_high"]}).passed
    assert rule(pair, {"level": "total", "lost": 0.9}, reading="noise").passed
    # Answers right by luck hide loss: the corrected excess may be the larger bound.
    assert cell.noise["form"] == "chance"
    assert found.high == max(cell.noise["lost_at_most_high"], cell.noise["known_lost_high"])


def test_reruns_of_greedy_decoding_measure_no_noise() -> None:
    pair = plant(300, repeats=2, persistence=1.0, seed=4)  # a re-run answers alike
    for run in (pair.before, pair.after):
        run.info.repeat_kind, run.info.settings["temperature"] = "numeric", 0.0
    found = rule(pair, {"level": "total", "lost": 0.9}, reading="noise")
    assert not found.passed
    assert "more than re-runs" in found.reason
    assert rule(pair, {"level": "total", "lost": 0.9}).reading == "chance"


def graded(values: list[float], repeats: int = 1) -> Run:
    rows = [
        {"question": f"q{n}", "rating": value, "repeat": again}
        for again in range(repeats)
        for n, value in enumerate(values)
    ]
    run = make_run(rows)
    run.info.repeat_kind = "prompt"
    return run


def test_grades_with_repeats_fall_back_on_all_movement() -> None:
    before, after = graded([0.5, 0.75] * 60, 2), graded([0.5, 0.65] * 60, 2)
    found = check_gate(before, after, policy({"level": "total", "lost": 0.2})).rules[0]
    assert (found.reading, found.passed) == ("observed", True)
    assert found.estimate == pytest.approx(0.05)
    asked = check_gate(before, after, policy({"level": "total", "lost": 0.2}, reading="noise")).rules[0]
    assert not asked.passed
    assert "graded" in asked.reason


def test_scores_off_their_scale_never_pass() -> None:
    rows = [{"question": f"q{n}", "rating": n % 10 + 1.0} for n in range(50)]
    result = check_gate(make_run(rows), make_run(rows), policy({"level": "total", "lost": 0.5, "net": 0.5}))
    assert [one.passed for one in result.rules] == [False, False]
    assert all("--scale" in one.reason for one in result.rules)
    scaled = check_gate(make_run(rows), make_run(rows), policy({"level": "total", "lost": 0.5}), scale=(1, 10))
    assert scaled.passed


def test_few_items_fail_rather_than_pass() -> None:
    rows = [answer(n, True) for n in range(10)]
    result = check_gate(make_run(rows), make_run(rows), policy({"level": "total", "lost": 0.05}))
    assert not result.passed
    assert result.rules[0].estimate == 0.0
    assert "more items would tell" in result.rules[0].reason


def test_the_result_of_a_map_is_that_of_its_runs() -> None:
    rules = load_policy(policy({"level": "task", "lost": 0.1}, {"level": "total", "net": 0.1}))
    drawn = gate_map(MAP, rules)
    assert drawn.to_dict() == check_gate(PAIR.before, PAIR.after, rules).to_dict()


@pytest.mark.parametrize("direction", ["lost", "gained"])
def test_a_bound_is_never_on_the_kind_side(direction: str) -> None:
    """Whatever decides, the bound is at least that of the block it names."""
    pair = plant(600, tasks=3, repeats=(3, 3), options=[2, 4], seed=9)
    for kind in ("prompt", "numeric"):
        for run in (pair.before, pair.after):
            run.info.repeat_kind = kind
        for cell in compare(pair.before, pair.after).cells:
            for asked in ("auto", "observed", "chance", "noise"):
                bound = read_bound(cell, direction, asked)
                if bound.reading in ("observed", "chance", "noise"):
                    assert bound.high >= cell.block(bound.reading)[f"{direction}_high"]
                else:
                    assert bound.high is None
                    assert bound.note
