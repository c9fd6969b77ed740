"""Mathematics: which formulas are the same answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_parts import Written, first

from forgetmap.suites.scoring import math, math_library
from forgetmap.suites.scoring.formulas import equal, read

SAME = [
    (r"10\,000", "10000"), (r"1\frac{1}{2}", "1.5"), (r"-2\frac13", r"-\frac{7}{3}"), ("2 x", "x\\cdot 2"), (r"x\frac{1}{2}", r"\frac{x}{2}"),
    ("1/2", "0.5"), ("0.5", r"\frac12"), (r"\frac{1}{2}", r"\dfrac{1}{2}"), ("2x+1", "1+2x"), ("x=5", "5"), ("**5**", "5"),
    (r"2\sqrt3", r"2\sqrt{3}"), (r"\sqrt{12}", r"2\sqrt{3}"), (r"\frac{\sqrt{2}}{2}", r"\frac{1}{\sqrt{2}}"), ("1,300", "1300"),
    (r"1{,}300", "1300"), ("$5$", "5"), (r"50\%", "50"), (r"50\%", "0.5"), (r"90^\circ", "90"), (r"5\text{ cm}", "5"), ("-3", r"\text{-3}"),
    ("(1, 2)", "(1,2)"), (r"\left(\frac12, 3\right)", "(0.5,3)"), ("1, 2", "2,1"), (r"\{1,2\}", r"\{2, 1\}"), (r"(0,\infty)", r"(0, \infty)"),
    ("x^2-1", "(x-1)(x+1)"), (r"\frac{x^2-1}{x-1}", "x+1"), (r"\sin^2 x + \cos^2 x", "1"), (r"\log_2 8", "3"), (r"e^{i\pi}", "-1"),
    ("ab", "ba"), (r"2\cdot 3", "6"), (r"3\times10^{2}", "300"), (r"\sqrt[3]{8}", "2"), ("x_1+x_2", "x_{2}+x_{1}"), ("|{-3}|", "3"),
    (r"\text{Evelyn}", "evelyn"), ("y = 2x + 1", "2x+1"), ("2x+y=3", "y+2x=3"), ("2x+y=3", "3=2x+y"), ("5 apples", "5"), (r"\pi r^2", r"r^2\pi"),
    ("(3,100)", "(3, 100)"), (r"\boxed{7}", "7"), ("0.25", "1/4"), ("100000000000000000001", "100,000,000,000,000,000,001"),
]  # fmt: skip
DIFFERENT = [
    (r"1\frac{1}{2}", "0.5"),
    (r"\frac{3}{2}", r"\frac{1}{2}"), (r"2\sqrt3", r"5\sqrt3"), ("(1,2)", "(2,1)"), ("(1,2)", "[1,2]"), ("1,2", "1,2,3"), ("5", "-5"),
    ("2x+1", "2x-1"), ("x", "y"), ("1", "2"), ("50", "0.5"), ("0.33", r"\frac13"), ("(3,100)", "3100"), ("x^2", "2^x"), (r"\sin x", r"\cos x"),
    ("no idea", "5"), ("Karla", r"\text{Evelyn}"), ("100000000000000000001", "100000000000000000002"), ("2x+y=3", "2x+y=4"), ("1,2", "1"),
    ("(0,1)", r"(0,\infty)"), ("", "5"), (r"\{1,2\}", r"\{1,3\}"), ("east", "seat"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two"), SAME)
def test_same(one: str, two: str) -> None:
    assert equal(one, two) is True or equal(math.final_answer(one) or one, two) is True
    assert equal(two, one) is True or equal(two, math.final_answer(one) or one) is True


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_different(one: str, two: str) -> None:
    assert equal(one, two) is False
    assert equal(two, one) is False


@pytest.mark.parametrize(
    ("one", "two"),
    [("9^{9^{9^{9}}}", "8^{8^{8^{8}}}"), (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{bmatrix}1\\2\end{bmatrix}"), (r"\oint x", "3")],
)  # fmt: skip
def test_what_no_rule_can_tell_is_undecided(one: str, two: str) -> None:
    assert equal(one, two) is None


@given(st.integers(-1000, 1000), st.integers(1, 1000))
def test_fractions_equal_themselves_in_other_forms(top: int, bottom: int) -> None:
    assert equal(rf"\frac{{{top}}}{{{bottom}}}", f"{top}/{bottom}") is True
    assert equal(rf"\frac{{{2 * top}}}{{{2 * bottom}}}", f"{top}/{bottom}") is True
    assert equal(f"{top}/{bottom}", f"{top + 1}/{bottom}") is False


@given(st.recursive(st.sampled_from(["x", "y", "2", "3.5"]), lambda e: st.tuples(e, st.sampled_from("+-*"), e).map(lambda t: f"({t[0]}{t[1]}{t[2]})"), max_leaves=8))  # fmt: skip
def test_values_agree_with_pythons(text: str) -> None:
    value = read(text)
    assert value is not None
    x, y = read("x"), read("y")
    assert x is not None
    assert y is not None
    expected = eval(text, {"x": x(0), "y": y(0)})
    assert value(0) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"So \boxed{1} is wrong, \boxed{\frac{1}{\sqrt{2}}}.", r"\frac{1}{\sqrt{2}}"),
        (r"\boxed{\text{(\boxed{2})}}", "2"),  # the innermost of nested boxes comes last
        ("Answer: 5? No.\nThe answer is **7**.", "7"),
        (r"The final answer is $\frac{1}{2}$, as promised.", r"\frac{1}{2}"),
        ("2x+1", "2x+1"),
        ("I think about this for a long time and then give up", None),
        (r"Then \boxed{\frac{1}{2", None),
    ],
)
def test_final_answer(reply: str, answer: str | None) -> None:
    assert math.final_answer(reply) == answer


def test_scores_and_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(math, "find_spec", lambda name: None)
    right = first("math", r"Thus \boxed{\frac12}.", gold=("Long solution. \\boxed{0.5}",))
    assert (right.scorer, right.score, right.choice) == ("math_rules", 1.0, r"\frac12")
    assert first("math", r"\boxed{3}", gold=("4",)).score == 0
    assert first("math", "We think.\nAnd think.", gold=("4",)).state == "no_answer"
    assert first("math", Written("We think.\nAnd think", "length"), gold=("4",)).state == "truncated"
    assert first("math", r"\boxed{3}").state == "unscored"
    open_ = first("math", r"\boxed{\oint x}", gold=(r"\oiint x",))
    assert (open_.score, open_.state, open_.error) == (None, "unscored", "undecided")


def test_the_library_settles_what_the_rules_leave_open(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(math, "find_spec", lambda name: name == "math_verify")
    monkeypatch.setattr(math_library, "equal", lambda one, two: asked.append((one, two)) or len(asked) == 1)
    one = first("math", r"\boxed{\oint x}", gold=(r"\oiint x",))
    assert (one.scorer, one.score) == ("math_verify", 1.0)
    assert first("math", r"\boxed{\oint x}", gold=(r"\oiint x",)).score == 0
    assert first("math", r"\boxed{3}", gold=("3",)).score == 1
    assert asked == [(r"\oint x", r"\oiint x")] * 2


@pytest.mark.slow
def test_the_real_library() -> None:
    pytest.importorskip("math_verify")
    assert math.scorer() == "math_verify"
    one = r"\begin{pmatrix}1\\2\end{pmatrix}"
    assert math_library.equal(one, r"\begin{pmatrix}1\\2\end{pmatrix}") is True
    assert math_library.equal(r"\begin{pmatrix}1\\3\end{pmatrix}", one) is False
    started = time.monotonic()
    math_library.equal("9^{9^{9^{9^{9}}}}", "8^{8^{8^{8^{8}}}}")
    assert time.monotonic() - started < 10
    assert math_library.equal("x+x", "2x") is True  # the helper is there again
