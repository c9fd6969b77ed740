"""The scorer check: a finding that depends on the scorer is marked."""

from __future__ import annotations

from conftest import answer, make_run
from forgetmap import Run, compare
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
