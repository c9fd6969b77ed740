"""Replies that break off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.traits import is_cut

LEAD = "The force on the cart is 3 N. It moves 2 m along the floor of the hall, which is not steep. "


@pytest.mark.parametrize(
    "text",
    [
        LEAD + "To find the work we multiply the force by the",
        LEAD + "The work is W = ",
        LEAD + "We have (3 N * 2",
        LEAD + "So we get $W = 3 \\cdot 2",
        LEAD + "So $W = \\frac{3}{",
        LEAD + "so that $W$ is $\\int_0^1 f \\cdot",
        LEAD + "These are the steps:",
        LEAD + "The code is:\n```python\ndef work(force, way):\n    return force",
        LEAD + "\n1. Take the force.\n2. Take the way.\n3. Multiply them",
        LEAD + "\n1. Take the force.\n2.",
        LEAD + "\n| n | value |\n|---|---|\n| 1 | 2 |\n| 2 | 3",
    ],
)
def test_cut(text: str) -> None:
    assert is_cut(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "Paris",
        "the answer is paris",
        LEAD,
        LEAD + "The answer is (B)",
        LEAD + "\n\nFinal answer\nB",
        LEAD + "\n- force\n- way\n- work",
        LEAD + "\n1. Take the force\n2. Take the way\n3. Multiply them",
        LEAD + "The code is:\n```python\nreturn force * way\n```",
        LEAD + "It costs $5, and $3 more for the box. That is $8",
        LEAD + "\n| n | value |\n|---|---|\n| 1 | 2 |",
        LEAD + "Read more at https://example.org/physics",
        LEAD + "Enjoy! #physics #work",
        LEAD + "\n\nBest regards,\nMiller",
        LEAD + "\n\n---",
        "The woods are lovely dark and deep\nBut I have promises to keep\nAnd miles to go before I sleep\nAnd miles to go before I sleep",
    ],
)
def test_whole(text: str) -> None:
    assert not is_cut(text)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read(text: str) -> None:
    assert is_cut(text) in (True, False)
    assert is_cut(LEAD + text) in (True, False)
