"""The scorer check: a finding that depends on the scorer is marked."""

from __future__ import annotations

from conftest import answer, make_run
from forgetmap import Run, compare
from forgetmap.map import compare_all
from forgetmap.scorers import DEPENDS


def judged(human: list[bool], judge: list[bool], task: str = "t") -> Run:
    rows = [
        answer(n, right, judge=judge_name, task=task)
        for judge_name, verdicts in (("human", human), ("judge", judge))
        for n, right in enumerate(verdicts)
    ]
    return make_run(rows)


def flags(before: Run, after: Run) -> set[str]:
    return {flag for cell in compare(before, after).cells for flag in cell.flags}


def test_scorers_that_disagree_on_the_direction_are_told() -> None:
    """The same answers lose 80 and gain 16 by human verdict, lose 43 and gain 68 by a judge."""
    human = [[True] * 80 + [False] * 16 + [True] * 304, [False] * 80 + [True] * 16 + [True] * 304]
    judge = [[True] * 43 + [False] * 68 + [True] * 289, [False] * 43 + [True] * 68 + [True] * 289]
    found = compare(judged(human[0], judge[0]), judged(human[1], judge[1]))
    cell = found.total
    assert DEPENDS in cell.flags
    assert [(row["scorer"], round(row["lost"] * 400), round(row["gained"] * 400)) for row in cell.scorers] == [
        ("judge", 43, 68)
    ]
    assert any("depends on the scorer" in warning for warning in found.warnings)
    assert "§" in found.table()


def test_scorers_that_agree_are_listed_and_not_marked() -> None:
    before, after = [True] * 200, [False] * 60 + [True] * 140
    almost = [False] * 58 + [True] * 142
    found = compare(judged(before, before), judged(after, almost))
    assert DEPENDS not in found.total.flags
    assert found.total.scorers[0]["verdict"] == "lost"


def test_one_scorer_has_nothing_to_be_checked_against() -> None:
    run = make_run([answer(n, True) for n in range(40)])
    assert compare(run, run).total.scorers == ()
    both = judged([True] * 40, [True] * 40)
    assert compare(both, both, metric="human").total.scorers == ()


def one_judge(name: str, tasks: tuple[str, ...] = ("t",), wrong: int = 5) -> Run:
    return make_run([answer(n, n >= wrong, metric=name, task=task) for task in tasks for n in range(40)], model=name)


def test_maps_side_by_side_on_different_scores_are_warned_of() -> None:
    before = make_run(
        [
            answer(n, True, metric=judge, task=task)
            for judge in ("human", "judge")
            for task in ("s", "t")
            for n in range(40)
        ]
    )
    both = ("s", "t")
    maps = compare_all(before, [one_judge("human", both), one_judge("judge", both)])
    for found in maps:
        (told,) = [warning for warning in found.warnings if "different scores" in warning]
        assert told.startswith("s, t: ")
        assert "human for human (AFTER 1) but judge for judge (AFTER 2)" in told
        assert "--scorer and --metric name one for all" in told


def test_maps_on_one_score_are_not() -> None:
    both = judged([True] * 40, [True] * 40)
    maps = compare_all(both, [one_judge("human"), judged([False] * 40, [True] * 40)])
    assert not [warning for found in maps for warning in found.warnings if "different scores" in warning]
    named = compare_all(both, [both, both], metric="judge")
    assert not [warning for found in named for warning in found.warnings if "different scores" in warning]


def test_one_score_read_in_two_ways_is_warned_of() -> None:
    def rated(values: tuple[float, ...]) -> Run:
        return make_run([{"id": n, "question": f"q{n}", "gold": "a", "score": values[n % 2]} for n in range(40)])

    maps = compare_all(rated((0.0, 1.0)), [rated((1.0, 0.0)), rated((0.5, 1.0))])
    told = [warning for found in maps for warning in found.warnings if "different scores" in warning]
    assert len(told) == 2
    assert "score (binary) for" in told[0] and "score (graded) for" in told[0] and "--threshold" in told[0]
