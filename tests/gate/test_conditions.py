"""Conditions: tasks, coverage, missing scores, settings and prompts, each met, broken and allowed."""

from __future__ import annotations

from typing import Any

import pytest
from gates import check, conditions, policy, with_settings

from conftest import answer, make_run
from forgetmap import Run
from forgetmap.gate import CheckResult, GateResult, check_gate
from forgetmap.testing import plant


def rows(task: str, items: range, right: Any = True, **more: Any) -> list[dict[str, Any]]:
    return [answer(n, right, task=task, **more) for n in items]


def gate(before: Run | list[dict[str, Any]], after: Run | list[dict[str, Any]], **more: Any) -> GateResult:
    runs = [run if isinstance(run, Run) else make_run(run) for run in (before, after)]
    return check_gate(*runs, policy(**more))


def condition(
    name: str, before: Run | list[dict[str, Any]], after: Run | list[dict[str, Any]], **more: Any
) -> CheckResult:
    runs = [run if isinstance(run, Run) else make_run(run) for run in (before, after)]
    return conditions(*runs, **more)[name]


def test_two_logs_alike_meet_every_condition() -> None:
    run = rows("a", range(100)) + rows("b", range(100, 200))
    result = gate(run, run, required_tasks=["a", "b*"])
    assert result.passed, result.reasons()
    assert result.reasons() == []
    assert [one.name for one in result.checks] == [
        "tasks", "required tasks", "coverage", "null scores", "settings", "prompts",
    ]  # fmt: skip
    assert "passed" in repr(result)


@pytest.mark.parametrize("swap", [False, True])
def test_missing_tasks(swap: bool) -> None:
    whole, part = rows("a", range(100)) + rows("b", range(100, 103)), rows("a", range(100))
    sides = (part, whole) if swap else (whole, part)
    lost = condition("tasks", *sides)
    assert not lost.passed
    assert f"b (not in the {'before' if swap else 'after'}-run)" in lost.reason
    allowed = gate(*sides, allow={"missing_tasks": ["b"]})
    assert allowed.passed, allowed.reasons()
    assert "1 left out as allowed" in check(allowed, "tasks").found
    assert not condition("tasks", *sides, allow={"missing_tasks": ["c*"]}).passed


def test_what_is_allowed_to_be_missing_does_not_lower_coverage() -> None:
    whole, part = rows("a", range(100)) + rows("b", range(100, 300)), rows("a", range(100))
    assert not condition("coverage", whole, part).passed
    assert condition("coverage", whole, part, allow={"missing_tasks": ["b"]}).passed
    assert gate(whole, part, tasks=["a"]).passed  # or not asked for at all


def test_required_tasks() -> None:
    run = rows("a", range(100)) + rows("hendrycksTest-anatomy", range(100, 200))
    assert condition("required tasks", run, run, required_tasks=["a", "mmlu:*", "mmlu_anatomy"]).passed
    found = condition("required tasks", run, run, required_tasks=["a", "mmlu:virology", "gsm*"])
    assert (found.passed, found.found) == (False, "1 of 3 there")
    assert "mmlu:virology, gsm*; there are a, mmlu:anatomy" in found.reason
    # A task on one side only is not there.
    assert not condition("required tasks", run, run[:100], required_tasks=["mmlu:*"]).passed


def test_coverage_of_each_side() -> None:
    whole, part = rows("a", range(100)), rows("a", range(90))
    for sides, low in (((whole, part), "before"), ((part, whole), "after")):
        found = condition("coverage", *sides)
        assert not found.passed
        assert f"90.00 % of the {low}-run" in found.reason
        assert condition("coverage", *sides, coverage=0.9).passed
        assert not condition("coverage", *sides, coverage=0.91).passed


def test_too_little_for_a_comparison_is_a_reason_not_an_error() -> None:
    result = gate(rows("a", range(100)), rows("a", range(10)))
    assert not result.passed
    assert not check(result, "coverage").passed


def test_a_suite_does_not_hide_a_torn_task() -> None:
    whole = rows("a", range(1000)) + rows("b", range(1000, 1020))
    found = condition("coverage", whole, whole[:1005])  # 98.5 % of all items, a quarter of b
    assert not found.passed
    assert found.reason is not None
    assert "25.00 % of b before" in found.reason
    assert "of the before-run" not in found.reason


def test_missing_scores() -> None:
    whole = rows("a", range(200))
    holes = rows("a", range(5), None) + rows("a", range(5, 200))
    for sides, side in (((whole, holes), "after"), ((holes, whole), "before")):
        found = condition("null scores", *sides)
        assert not found.passed
        assert f"2.50 % (5 items) {side}" in found.reason
        assert condition("null scores", *sides, null_scores=0.025).passed
    one = rows("a", range(1), None) + rows("a", range(1, 200))
    assert condition("null scores", whole, one).passed  # half a percent


def test_settings_must_be_alike_or_allowed() -> None:
    def sides() -> tuple[Run, Run]:
        pair = plant(300, seed=1)
        return with_settings(pair.before, batch_size=4, num_fewshot=5), with_settings(
            pair.after, batch_size=8, num_fewshot=0
        )

    result = gate(*sides())
    found = check(result, "settings")
    assert not found.passed
    assert "batch_size (4 → 8), num_fewshot (5 → 0)" in found.reason
    partly = condition("settings", *sides(), allow={"settings": ["batch_*"]})
    assert not partly.passed
    assert "batch_size" not in partly.reason
    for globs in (["batch_size", "num_fewshot"], ["*"]):
        allowed = gate(*sides(), allow={"settings": globs})
        assert check(allowed, "settings").passed
        assert allowed.passed, allowed.reasons()


def test_settings_of_tasks_are_allowed_by_name_with_or_without_the_task() -> None:
    def sides(tasks: list[str]) -> list[Run]:
        pair = plant(300, tasks=["a (b)", "c"], seed=1)
        for run, shots in ((pair.before, 0), (pair.after, 5)):
            run.info.task_settings = {task: {"num_fewshot": shots} for task in tasks}
        return [pair.before, pair.after]

    for tasks, globs in ((["a (b)"], ["num_fewshot", "num_fewshot (a (b))"]), (["a (b)", "c"], ["num_fewshot"])):
        assert not condition("settings", *sides(tasks)).passed
        for glob in globs:
            assert condition("settings", *sides(tasks), allow={"settings": [glob]}).passed, glob
        assert not condition("settings", *sides(tasks), allow={"settings": ["num"]}).passed


def test_another_tool_or_version_is_a_setting() -> None:
    pair = plant(300, seed=1)
    pair.before.info.tool_version, pair.after.info.tool_version = "1.0", "1.1"
    assert "tool_version (1.0 → 1.1)" in (condition("settings", pair.before, pair.after).reason or "")
    assert gate(pair.before, pair.after, allow={"settings": ["tool_version"]}).passed


def test_a_subset_on_purpose_is_a_setting_and_no_hole() -> None:
    before, after = make_run(rows("a", range(100))), make_run(rows("a", range(20)))
    after.info.subset = {"limit": 20}
    result = gate(before, after)
    assert check(result, "coverage").passed
    assert not check(result, "settings").passed
    assert gate(before, after, allow={"settings": ["subset"]}).passed


def test_changed_prompts() -> None:
    said = rows("a", range(100), shown="Q: {}")
    before = make_run(said, prompt="shown")
    after = make_run(
        [{**row, "shown": "Question: {}" if n < 3 else "Q: {}"} for n, row in enumerate(said)], prompt="shown"
    )
    assert condition("prompts", before, before).found == "the same"
    result = gate(before, after)
    found = check(result, "prompts")
    assert not found.passed
    assert "3 of 100 items" in found.reason
    assert not result.passed
    assert gate(before, after, allow={"prompt_changed": True}).passed


def test_a_score_that_one_task_lacks_is_a_missing_task() -> None:
    def log(names: list[str]) -> Run:
        made = [
            {"question": f"q{n}", "gold": "a", "task": task, "metric": name, "score": 1.0}
            for task, metrics in (("a", names), ("b", ["acc"]))
            for name in metrics
            for n in range(50)
        ]
        return make_run(made)

    before, after = log(["acc", "f1"]), log(["acc", "f1"])
    result = check_gate(before, after, policy(), metric="f1")
    assert "b (without the score that is compared)" in (check(result, "tasks").reason or "")
    assert check(check_gate(before, after, policy(), metric="acc"), "tasks").passed


def test_a_task_off_its_scale_is_not_silently_left_out_of_the_total() -> None:
    def log() -> Run:
        good = [{"question": f"q{n}", "gold": "a", "task": "a", "score": 1.0} for n in range(50)]
        return make_run(good + [{"question": f"r{n}", "gold": "a", "task": "b", "score": 7.0 + n} for n in range(50)])

    result = check_gate(log(), log(), policy())
    assert "b (scores outside their scale)" in (check(result, "tasks").reason or "")
    assert check_gate(log(), log(), policy(allow={"missing_tasks": ["b"]})).passed
