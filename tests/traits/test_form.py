"""The right answer in a form that was not accepted."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.traits import holds_gold

OPTIONS = ["a road map", "a mental map", "a star chart", "verbal directions"]
GOLD = ["a mental map"]
LEAD = "We think about how people find their way in the morning. "


@pytest.mark.parametrize(
    "reply",
    [
        "(B)",
        "b) a mental map",
        LEAD + "It is best described as (B) a mental map.",
        LEAD + "This is option B.",
        LEAD + "The right choice is (B). It is carried in the head by everyone.",
        LEAD + "People use a mental map.",
        LEAD + "So the correct answer should be: **B**",
        "\\boxed{B}",
    ],
)
def test_names_the_gold_option(reply: str) -> None:
    assert holds_gold(reply, GOLD, OPTIONS, "What guides us to school?")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " ",
        "(C)",
        LEAD,
        LEAD + "It could be (B) or (C).",
        LEAD + "It is not (B).",
        LEAD + "A road map or a mental map would do.",
        LEAD + "A mental map is wrong here, and no other option fits.",
        LEAD + "The closest is (C) a star chart.",
        "A mental map was used in old times. Today people ask their telephones.",
        LEAD + "(A) is a road map.\n(B) is a mental map.",
        LEAD
        + "\nA. A road map: on paper.\nC. A star chart: at sea.\nD. Words.\nE. Nothing.\nB. A mental map: this is the best of all.",
        "(B) a mental map? Let us see. " + LEAD + "We weigh all of them and then we find that the",  # cut
        "I was told to choose one, and I like the letter B as in Berlin most of all letters.",
    ],
)
def test_does_not_name_it(reply: str) -> None:
    assert not holds_gold(reply, GOLD, OPTIONS, "What guides us to school?")


def test_words_of_the_question_prove_nothing() -> None:
    reply = LEAD + "People use a mental map."
    assert holds_gold(reply, GOLD, OPTIONS, "What guides us?")
    assert not holds_gold(reply, GOLD, OPTIONS, "Is a mental map what guides us?")


def test_an_option_within_another_is_not_named_by_it() -> None:
    options = ["pressure", "partial pressure"]
    assert not holds_gold("What matters is the partial pressure.", ["pressure"], options)
    assert holds_gold("What matters is the partial pressure.", ["partial pressure"], options)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The angle is the arccosine of this value, so $\\phi \\approx 109^{\\circ}$.", True),
        ("Both are negative, so we get $-109$.", False),
        ("The sum is 109 for n = 4.", False),  # another number comes last
        ("We look at 109 stars.", False),  # no result
        ("The angle is 45 degrees.", False),
    ],
)
def test_numbers_among_options(reply: str, expected: bool) -> None:
    options = ["150 $^{\\circ}$", "45 $^{\\circ}$", "109 $^{\\circ}$"]
    assert holds_gold(reply, ["109 $^{\\circ}$"], options, "What is the angle?") is expected
    assert not holds_gold(reply, ["109 $^{\\circ}$"], options, "Is the angle 109?")


def test_negative_numbers_keep_their_sign() -> None:
    assert holds_gold("The sum is negative, so it is $-17$.", ["\u221217"], ["17", "\u221217"])
    assert not holds_gold("The sum is negative, so it is $-17$.", ["17"], ["17", "\u221217"])


def test_several_golds_must_all_be_named() -> None:
    options = ["red", "green", "blue"]
    assert holds_gold("These are (A) and (C).", ["red", "blue"], options)
    assert not holds_gold("This is (A).", ["red", "blue"], options)


@pytest.mark.parametrize(
    ("reply", "gold", "expected"),
    [
        ("She has 18 eggs left.", ["18"], True),
        ("#### 18", ["... #### 18"], True),
        ("She has 18 eggs left, of 20.", ["18"], False),
        ("The capital of this country is Paris.", ["Paris"], True),
        ("The capital of this country is not Paris.", ["Paris"], False),
        ("Paris was besieged. The king fled to Lyon.", ["Paris"], False),
        ("Paris", ["Paris"], True),
        ("Novak Djokovic", ["no"], False),
        ("Something", [], False),
    ],
)
def test_open_answers(reply: str, gold: list[str], expected: bool) -> None:
    assert holds_gold(reply, gold, None, "Which one is it?") is expected


def test_open_answers_of_the_question_prove_nothing() -> None:
    assert not holds_gold("This is about Paris.", ["Paris"], None, "What does one see in Paris?")


anything = st.text(st.characters(exclude_categories=()), max_size=60)


@given(anything, st.lists(anything, max_size=2), st.none() | st.lists(anything, max_size=4), st.none() | anything)
def test_any_text_is_read(reply: str, gold: list[str], options: list[str] | None, question: str | None) -> None:
    assert holds_gold(reply, gold, options, question) in (True, False)


@pytest.mark.parametrize("piece", ["answer is ", "(A) ", "= 3 ", "- A: ", "\u4e00", "\ud800", "* "])
def test_hostile_megabytes_are_quick(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.process_time()
    holds_gold(text, GOLD, OPTIONS, text)
    holds_gold(text, ["Paris"], None, text)
    assert time.process_time() - start < 1.0
