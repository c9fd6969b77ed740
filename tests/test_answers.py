"""Answers out of text: captrack.md R1-R6 and 3.1, formats.md 2.4, 2.6, 3.2, 3.6."""

from __future__ import annotations

import json
import random
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.answers import (
    ANSWER_STATES,
    Extraction,
    ParsedQuestion,
    after_last_question,
    clean_reply,
    extract_choice,
    extract_number,
    gold_aliases,
    gold_number,
    has_lone_letter,
    letter_index,
    letters,
    literal_list,
    match_open,
    mmlu_pro_extract,
    numbers_equal,
    parse_choices,
    parse_number,
)

COLOURS = ["red", "green", "blue", "cat"]
TEN = [f"option number {i}" for i in range(10)]


# states and letters


def test_the_eight_states_are_those_of_the_row_schema():
    assert ANSWER_STATES == (
        "answered", "partial", "no_answer", "refused", "truncated", "empty", "error", "unscored",
    )  # fmt: skip


def test_letters_run_past_z_and_back():
    shown = letters(60)
    assert shown[:3] == ("A", "B", "C")
    assert shown[25:28] == ("Z", "AA", "AB")
    assert [letter_index(letter, 60) for letter in shown] == list(range(60))
    assert letter_index("bh", 60) == 59


@pytest.mark.parametrize(
    ("letter", "k"), [("E", 4), ("Z", 4), ("7", 10), ("", 4), ("AA", 26), ("A" * 9999, 700), ("É", 26)]
)
def test_letters_not_shown_have_no_index(letter, k):
    assert letter_index(letter, k) is None


# R6


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("I can\u2019t", "I can't"),
        ("\u201cB\u201d", '"B"'),
        ("Answer:\u00a0B", "Answer: B"),
        ("cafe\u0301", "caf\u00e9"),
        ("Answer: **C**", "Answer: C"),
        ("**Answer:** C", "Answer: C"),
        ("***`C`***", "C"),
        ("Answer: _C_, `D`, ~~E~~", "Answer: C, D, E"),
        ("答案是**B**。", "答案是B。"),
        ("（Ｂ）", "(B)"),
        ("```text\nB\n```", "\nB\n"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("2*3*4 = 24, snake_case_name, * item", "2*3*4 = 24, snake_case_name, * item"),
    ],
)
def test_clean_reply(raw, clean):
    assert clean_reply(raw) == clean


# choice accuracy


def choice(text, options=COLOURS):
    return extract_choice(text, options).index


@pytest.mark.parametrize("reply", ["Z", "7", "(Z)", "x.", "?"])
def test_only_letters_shown_are_answers(reply):
    # The old rule took any single character for a well-formed answer.
    assert extract_choice(reply, COLOURS).state == "no_answer"


@pytest.mark.parametrize(
    ("reply", "tier"),
    [("A", "lone_letter"), ("(A)", "lone_letter"), ("A.", "lone_letter"), ("**A**", "lone_letter"),
    ("a)", "lone_letter"),
     ("```\nA\n```", "lone_letter"), ("Option A.", "lone_letter"),
     ("Answer: A", "marked"), ("red", "option_text"), ("Red.", "option_text"), ('"red"', "option_text")],
)  # fmt: skip
def test_plain_forms_need_no_judge(reply, tier):
    assert extract_choice(reply, COLOURS) == Extraction("answered", "red", 0, tier)


@pytest.mark.parametrize(
    "marked",
    [
        "Answer: C", "Answer: **C**", "Answer: (C)", "Answer: C. blue", "Answer: C) blue", "**Answer**: C",
        "ANSWER: C",
        "Answer: **C. blue**", "Answer: **C**. blue", "Answer:\n\nC", "Answer : C", "Answer: [C]", 'Answer: "C"',
        "Answer C",
        "Answer (C)", "Answer: option C", "Answer: Option (C)", "Answer: c", "Answer: (c)", "Answer: c.",
        "Answer: c) blue",
        "Answer: blue", "Answer: Blue.", "Answer: the blue", "Answer: blue (C)", "The answer is C",
        "The answer is (C).",
        "The correct answer is: C", "the answer to the third question is C", "The answer is most likely C.",
        "The final answer is C. I hope it is correct.", "Final answer: C", "## Final Answer\n\nC", "\\boxed{C}",
        "$\\boxed{\\text{(C)}}$", "The final answer is $\\boxed{\\textbf{C. blue}}$.", "Answer: \\(C\\)",
        "Answer: $C$",
        "<answer>C</answer>", "The answer is C because it fits.", "The answer is C, I think.", "The answer is blue.",
        "The answer is blue. It fits.", "答案是C。", "答案：（Ｃ）", "La respuesta es C", "Réponse : C",
        "Die Antwort lautet C.", "答えはCです",
        "คำตอบคือ C", "Jibu ni C", "উত্তর: C",
    ],
)  # fmt: skip
def test_marked_answers(marked):
    expected = Extraction("answered", "blue", 2, "marked")
    assert extract_choice(marked, COLOURS) == expected
    assert extract_choice(f"Option A looks good. First I thought the answer is (B).\n\n{marked}", COLOURS) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: B or C", "Answer: B and C", "Answer: B/C", "Answer: B, C", "Answer: (B) or (C)",
        "The answer is (B, C).",
        "The answer is B or maybe C.", "Answer: B. C", "The answer is (B) if it rains, and (C) otherwise.",
        "Answer: green (C)",
        "\\boxed{B, C}", "Answer: A or option B", "The answer is B since A is wrong",
    ],
)  # fmt: skip
def test_two_letters_in_the_deciding_sentence_are_no_answer(reply):
    assert extract_choice(reply, COLOURS) == Extraction("no_answer", tier="marked")


@pytest.mark.parametrize(
    ("reply", "options", "index"),
    [
        ("The answer is (C). Arthropods have organs, which rules out (A).", COLOURS, 2),
        ("The answer is C. Option A is wrong.", COLOURS, 2),
        ("The answer is (I) Product A: decreasing", TEN, 8),
        ("The answer is B, I am sure.", TEN, 1),
        ("The answer is B. A cat has four legs.", TEN, 1),
        ("Answer: C. I and II only", ["I", "II", "I and II only", "none"] * 3, 2),
        ("Answer: D) 75 J", TEN, 3),
        ("Answer: A. Vitamin C deficiency", ["Vitamin C deficiency", "x", "y"], 0),
    ],
)
def test_letters_in_prose_do_not_compete(reply, options, index):
    assert choice(reply, options) == index


@pytest.mark.parametrize(
    "reply",
    [
        "the answer is a dog", "The answer is a", "Answer: A dog", "The answer is not A", "The answer isn't A.",
        "Answer: I don't know", "Answer: I'm not sure", "answer is b, probably", "The answer is C++", "Answer: B-52",
        "Answer: D.H. Lawrence", "Answer: Because", "I cannot answer that.", "The answer is", "Answer:", "\\boxed{C",
        "Answer: blueish", "Which answer is best?\nA. red\nB. green\nC. blue", "A red B green", "#### A heading",
    ],
)  # fmt: skip
def test_articles_words_and_denials_are_not_letters(reply):
    # "The answer is a" alone ends its line and is the one lower-case case that counts.
    expected = "answered" if reply == "The answer is a" else "no_answer"
    assert extract_choice(reply, COLOURS * 3 if "I" in reply else COLOURS).state == expected


def test_options_printed_again_are_no_answer():
    assert choice("The best answer is:\nA. red\nB. green\nC. blue") is None
    assert choice("Answer: D\nChecking which answer is best:\nA. red\nB. green") == 3
    assert choice("The best answer is:\nA. red\nIt is warm.") == 0


def test_an_article_before_an_option_text_is_not_letter_a():
    assert choice("the answer is a cat") == 3
    assert choice("The answer is A cat.") == 3


@pytest.mark.parametrize("letter", ["E", "J", "(J)", "**J**", "J.", "J) other"])
def test_a_letter_beyond_the_options_is_no_answer(letter):
    assert extract_choice(f"Answer: {letter}", COLOURS) == Extraction("no_answer", tier="marked")
    assert choice(f"Answer: {letter}", TEN) in (4, 9)


def test_the_last_marked_answer_wins_and_later_words_do_not_unmark_it():
    assert choice("Answer: A\nWait. Answer: B") == 1
    assert choice("The answer is A. No, the answer is (D).") == 3
    assert choice("\\boxed{A} so the answer is B") == 1
    assert choice("Answer: B\n\nI hope this answer is helpful.") == 1
    assert choice("Answer: B. The answer is not A.") == 1
    assert choice("Answer: B\nNo: the answer is not B.") is None
    assert extract_choice("Answer: B\nSorry. Answer: J", COLOURS).state == "no_answer"


def test_option_texts_that_look_like_letters():
    blood = ["A", "B", "AB", "O"]
    assert choice("Answer: O", blood) == 3
    assert choice("Answer: AB", blood) == 2
    assert choice("Answer: B", blood) == 1
    swapped = ["B", "A", "none", "both"]
    assert choice("Answer: A", swapped) == 0  # the prompt asked for letters
    worms = ["C. elegans", "D. melanogaster", "E. coli", "A and B"]
    assert choice("Answer: C. elegans", worms) == 0
    assert choice("Answer: D. melanogaster. It is a fly.", worms) == 1
    assert choice("Answer: A and B", worms) == 3
    assert choice("Answer: C", worms) == 2


def test_option_text_must_point_to_one_option():
    assert choice("bb", ["BB", "Bb", "x"]) is None
    assert choice("Bb", ["BB", "Bb", "x"]) == 1
    assert choice("same", ["other", "same", "same"]) == 1
    assert choice("The answer is Paris, Texas.", ["Paris", "Paris, Texas"]) == 1
    assert choice("The answer is 3.5.", ["3", "5"]) is None
    assert choice("Answer: Not enough information", ["yes", "no", "Not enough information"]) == 2


@pytest.mark.parametrize(
    ("reply", "index"),
    [
        ("B\n\nGreen is right because of chlorophyll.", 1),
        ("B. green\nLeaves are green.", 1),
        ("Leaves.\nThe right one:\nB) green", 1),
        ("Leaves it is.\n\n(B)", 1),
        ("Let d be the distance.\n\nD", None),  # cut at the limit: D may be the start of any word
        ("(a)\nFirst part: three moles.", None),
        ("A\nB", None),
        ("A. red\nB. green\nC. blue", None),
    ],
)
def test_lone_line(reply, index):
    found = extract_choice(reply, COLOURS)
    assert found.index == index
    assert found.tier in ("lone_line", None)


@pytest.mark.parametrize("reply", ["", "  \n\t", "\u00a0\u200b"])
def test_white_space_is_empty_not_unanswered(reply):
    assert extract_choice(reply, COLOURS) == Extraction("empty")
    assert extract_number(reply.replace("\u200b", "")).state == "empty"


def test_more_options_than_letters():
    options = [f"place {i}" for i in range(30)]
    assert choice("Answer: AC", options) == 28
    assert choice("Answer: (AD).", options) == 29
    assert choice("Answer: AE", options) is None
    assert choice("Answer: C", options) == 2


TOKENS = st.sampled_from(
    ["answer", "Answer:", " is ", "A", "b", "(C)", "\\boxed{", "}", "**", "\n", ".", " or ", "red", "a cat",
    "not ", "I ", "####",
     "`", "_", "<", ">", "答案是", "'", "$", "\\", "Q", "12", " "]
)  # fmt: skip
HOSTILE = st.one_of(st.text(max_size=80), st.lists(TOKENS, max_size=25).map("".join))


@given(HOSTILE, st.lists(st.one_of(st.text(max_size=6), st.sampled_from(COLOURS)), max_size=12))
def test_any_text_gives_a_shown_option_or_none(text, options):
    for extract in (extract_choice, mmlu_pro_extract):
        found = extract(text, options)
        assert found.state in ("answered", "no_answer", "empty")
        if found.state == "answered":
            assert found.index is not None
            assert 0 <= found.index < len(options)
            assert found.answer == options[found.index]
            assert found.tier
        else:
            assert found.index is None
            assert found.answer is None


@given(
    st.lists(st.text("bcdfgkmpstvz ", min_size=3, max_size=12).filter(lambda t: len(t.strip()) > 2), min_size=2,
    max_size=30,
             unique_by=lambda t: " ".join(t.split())),
    st.sampled_from(["Answer: {L}", "So the answer is ({L}).", "{L}", "({L})", "Answer: **{L}. {T}**",
    "\\boxed{{{L}}}", "{T}",
                     "Answer: {T}", "{L}) {T}", "B or C? The answer is {L}."]),
    st.integers(0),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_shuffled_options_give_the_same_text(options, template, pick, rng):
    shuffled = rng.sample(options, len(options))
    wanted = options[pick % len(options)]
    for order in (options, shuffled):
        reply = template.format(L=letters(len(order))[order.index(wanted)], T=wanted)
        found = extract_choice(reply, order)
        assert (found.answer, found.index) == (wanted, order.index(wanted))


# MMLU-Pro


@pytest.mark.parametrize(
    ("text", "index", "tier"),
    [
        ("The answer is (D).\n\n", 3, "answer_is"),
        ("The answer is (B) or (I), but (I) says more. The answer is (I).", 8, "answer_is"),
        ("Answer: C first. But the answer is D", 3, "answer_is"),  # stages before position
        ("so Answer: (C)", 2, "answer_colon"),
        ("The discount is 20% (D).", 3, "lone_letter"),
        ("Use E and F. Then", 5, "lone_letter"),
        ("The answer is (C) I and II only.", 2, "answer_is"),
        ("The answer is (I don't know).", 8, "lone_letter"),
        ("The correct answer is (Dorset Complex).", None, None),
        ("The answer is (B) and (D).", None, "answer_is"),
        ("The answer is (J).", None, "answer_is"),
        ("We multiply and divide.", None, None),
    ],
)
def test_mmlu_pro_stages(text, index, tier):
    options = ["a", "b", "I and II only", "d", "e", "f", "g", "h", "i"]
    found = mmlu_pro_extract(text, options)
    assert (found.index, found.tier) == (index, tier)
    assert found.state == ("no_answer" if index is None else "answered")


def test_lone_letters_show_whether_a_stored_letter_was_drawn_at_random():
    assert has_lone_letter("we get (D)")
    assert has_lone_letter("I think")
    assert not has_lone_letter("We use the table. DNA, A1 and Because; K")
    assert mmlu_pro_extract("  ", TEN).state == "empty"


# numeric accuracy


def number(text, language="en"):
    return extract_number(text, language).answer


def test_grouping_is_read():
    # Without it "1,300" equals "1,200" (both 1), and "1200" differs from "1,200".
    assert number("Answer: 1,300") == "1300"
    assert number("Answer: 1,200") == number("Answer: 1200") == "1200"
    assert not numbers_equal(number("Answer: 1,300"), gold_number("#### 1,200"))
    assert numbers_equal(number("Answer: 1200"), gold_number("#### 1,200"))


def test_the_last_marked_number_wins():
    assert extract_number("Answer: 5\nNo, that is wrong.\nAnswer: 7") == Extraction("answered", "7", None, "marked")
    assert number("#### 5\n#### 6") == "6"
    assert number("\\boxed{5} and then \\boxed{6}") == "6"
    assert number("Answer: 18\n\nI hope this answer is helpful. See chapter 3.") == "18"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "2 plus 16. The answer is 18. Check: 9 x 2."),
        ("zh", "先算2，答案是18。验算：9乘2"),
        ("zh", "答案：１８\n共3步"),
        ("es", "La respuesta es 18. Comprobado en 3 pasos"),
        ("fr", "La réponse est 18. Vérifié en 3 étapes"),
        ("fr", "Réponse : 18\nen 3 étapes"),
        ("de", "Die Antwort lautet 18. Geprüft in 3 Schritten"),
        ("ja", "答えは18です。全部で3段"),
        ("th", "คำตอบคือ ๑๘\nใช้ ๓ ขั้น"),
        ("sw", "Jibu ni 18. Hatua 3"),
        ("bn", "উত্তর হল ১৮। ধাপ ৩"),
        ("bn", "উত্তর: ১৮\nধাপ ৩"),
        ("de", "Answer: 18\nin 3 Schritten"),
        ("bn", "#### 18\n3"),
        ("xx", "Answer: 18\n3"),
    ],
)
def test_markers_of_the_items_language(language, text):
    # An English-only marker makes the multilingual cell a measure of extraction failure.
    assert extract_number(text, language) == Extraction("answered", "18", None, "marked")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("She makes 9 * 2 = $18 every day.", "18"),
        ("A: 26", "26"),
        ("It costs $1,234.50.", "1234.5"),
        ("It is 50%", "50"),
        ("3 kg of CO2", "3"),
        ("so 10-3", "3"),
        ("down to -5 degrees", "-5"),
        ("down to \u22125", "-5"),
        ("a loss of -$5", "-5"),
        ("numbers 1,2,3", "3"),
        ("about .5", "0.5"),
        ("1.5e3 units", "1500"),
        ("Rs500 in all", "500"),
        ("in 2020 300 people", "300"),
    ],
)
def test_last_number(text, answer):
    assert extract_number(text) == Extraction("answered", answer, None, "last_number")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: 3 + 4 = 7 apples", "7"),
        ("Answer: x = 7", "7"),
        ("Answer: **7**", "7"),
        ("Answer: 18 eggs (9 x 2 = 18) in 1 day", "18"),
        ("Answer: $18 = 1800 cents", "18"),
        ("The answer is that for 3 books she pays 18 dollars. 5 remain.", "18"),
        ("Answer: 3/4", "0.75"),
        ("Answer: 1/3 of it", "1/3"),
        ("\\boxed{\\frac{3}{4}}", "0.75"),
        ("\\boxed{1{,}300 \\text{ dollars}}", "1300"),
        ("$\\boxed{\\$18}$", "18"),
        ("#### -1,300", "-1300"),
        ("Answer: Rs. 500", "500"),
        ("The answer is approximately 12 or so", "12"),
    ],
)
def test_marked_payloads(text, answer):
    assert extract_number(text) == Extraction("answered", answer, None, "marked")


def test_headings_are_no_answers():
    assert extract_number("#### 3. Add them up\n5 + 13 = 18") == Extraction("answered", "18", None, "last_number")
    assert number("#### Step 3: add\n5 + 13 = 18") == "18"


def test_no_number_is_no_answer():
    assert extract_number("I do not know.") == Extraction("no_answer")
    assert extract_number("the CO2 of x1") == Extraction("no_answer")


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("1.300", "en", "1.3"), ("1.300", "de", "1300"), ("1,300", "de", "1.3"), ("1,300", "en", "1300"),
        ("1.234,5", "de", "1234.5"), ("1,234.5", "de", "1234.5"), ("1.234,5", "en", "1234.5"),
        ("1 234,5", "fr", "1234.5"),
        ("1\u202f234,5", "fr", "1234.5"), ("1'234.50", "de", "1234.5"), ("1\u2019234", "en", "1234"),
        ("0,125", "en", ".125"),
        ("0.125", "de", ".125"), ("12,50", "en", "12.5"), ("1.000.000", "en", "1000000"),
        ("12,34,567", "bn", "1234567"),
        ("১,২০,০০০.৫", "bn", "120000.5"), ("٣٫٥", "ar", "3.5"), ("１２", "ja", "12"), ("-7", "en", "-7"),
        ("+7", "en", "7"),
        ("$5", "en", "5"), ("5 €", "de", "5"), ("USD 5", "en", "5"), ("50 %", "en", "50"), ("7.", "en", "7"),
        ("1.300", "DE-at", "1300"),
    ],
)  # fmt: skip
def test_parse_number(text, language, value):
    assert parse_number(text, language) == Fraction(value)


@pytest.mark.parametrize(
    "text", ["", "five", "5 apples", "1,2,3", "12,34,567", "B2", "5 6", "1/0", "--", "nan", "9" * 5000]
)
def test_not_one_number(text):
    assert parse_number(text) is None


def test_large_integers_stay_exact():
    assert parse_number("9007199254740993") == 9007199254740993
    assert number("Answer: 123,456,789,012,345,678,901") == "123456789012345678901"
    assert not numbers_equal("9007199254", "9007299254")


def test_tolerance_is_relative_above_one_and_absolute_below():
    assert numbers_equal("0.3333333", Fraction(1, 3))
    assert not numbers_equal("0.3333", Fraction(1, 3))
    assert numbers_equal(2_000_001, 2_000_000)
    assert not numbers_equal(2_000_003, 2_000_000)
    assert numbers_equal("1/3", 1 / 3)
    assert numbers_equal(Decimal("18.0"), "18")
    for missing in (None, float("nan"), float("inf"), "", True):
        assert not numbers_equal(missing, 1)
        assert not numbers_equal(1, missing)


@pytest.mark.parametrize(
    ("gold", "value"),
    [("a = 3\n#### 1,018", 1018), ("18", 18), ("$18.50", Fraction(37, 2)), (18, 18), (18.0, 18), (np.int64(18), 18),
     ("#### ", None), ("eighteen", None), (None, None), (float("nan"), None), ("8 + 10 = 18", None)],
)  # fmt: skip
def test_gold_number(gold, value):
    assert gold_number(gold) == value


def grouped(whole: int, decimals: str, group: str, mark: str) -> str:
    return f"{whole:,}".replace(",", group) + (mark + decimals if decimals else "")


STYLES = [
    ("en", ",", "."), ("en", " ", "."), ("en", "'", "."), ("en", "", "."), ("de", ".", ","), ("de", "", ","),
    ("fr", " ", ","), ("fr", "\u00a0", ","), ("es", ".", ","), ("th", ",", "."), ("de", "\u2019", ","),
]  # fmt: skip


@given(st.integers(0, 10**18), st.text("0123456789", max_size=6), st.sampled_from(STYLES), st.booleans())
def test_numbers_round_trip_through_grouping_styles(whole, decimals, style, negative):
    language, group, mark = style
    written = ("-" if negative else "") + grouped(whole, decimals, group, mark)
    value = Fraction(f"{'-' if negative else ''}{whole}.{decimals or 0}")
    assert parse_number(written, language) == value
    for reply in (f"So {written}", f"Answer: {written} units.", f"#### {written}", f"\\boxed{{{written}}}"):
        found = extract_number(reply, language)
        assert parse_number(found.answer or "") == value, reply
        assert numbers_equal(found.answer, value)


@given(st.integers(0, 10**12), st.sampled_from([0x09E6, 0x0E50, 0x0660, 0x0966, 0xFF10]))
def test_digits_of_any_script(value, zero):
    written = "".join(chr(zero + int(digit)) for digit in str(value))
    assert number(f"Answer: {written}") == str(value)


@given(HOSTILE, st.sampled_from(["en", "zh", "de", "bn", "th", "", "-"]))
def test_any_text_gives_a_number_that_parses_or_none(text, language):
    found = extract_number(text, language)
    assert found.state in ("answered", "no_answer", "empty")
    assert (found.answer is None) == (found.state != "answered")
    if found.answer is not None:
        assert parse_number(found.answer) is not None


# open answers


def test_whole_words_only():
    # Substring tests find "no" in "Novak Djokovic" and "art" in "party".
    assert match_open("Novak Djokovic", ["no"]).matched is False
    assert match_open("It was a party.", ["art"]).matched is False
    assert match_open("It is the art of war.", ["Art of War"]).matched is True
    assert match_open("Paris", ["Paris, France"]).matched is False


@pytest.mark.parametrize(
    ("reply", "alias"),
    [
        ("It was written by the Beatles.", "The Beatles"), ("born in the U.S.A.", "USA"),
        ("the Spider Man film", "Spider-Man"),
        ("OBrien wrote it", "O\u2019Brien"), ("**Paris** it is", "paris"), ("in 1,200 cases", "1200"),
        ("CAFÉ NOIR, I think", "cafe\u0301 noir"),
        ("答案是北京。", "北京"), ("首都是北京，不是上海", "北京"), ("他出生于Paris。", "Paris"),
        ("เมืองหลวงคือกรุงเทพมหานครครับ", "กรุงเทพมหานคร"),
        ("1908年に生まれた", "1908年"), ("Straße 5 in Bonn", "STRASSE"),
    ],
)  # fmt: skip
def test_open_matches(reply, alias):
    found = match_open(reply, ["nothing of the kind", alias])
    assert (found.matched, found.alias) == (True, alias)


@pytest.mark.parametrize(
    ("reply", "alias"),
    [
        ("3.500 m", "500"),
        ("11908年", "1908年"),
        ("Rio Grande", "Rio de Janeiro"),
        ("beat less", "The Beatles"),
        ("the", "The Who"),
    ],
)
def test_open_mismatches(reply, alias):
    assert match_open(reply, [alias]).matched is False


def test_short_aliases_must_be_the_answer_span():
    assert match_open("There are no such things.", ["no"]).matched is False
    assert match_open("No.", ["no"]).exact is True
    assert match_open("Long story.\nAnswer: No", ["no"]).matched is True
    assert match_open("I think so.\nUS", ["U.S."]).matched is True
    assert match_open("He told us.", ["US"]).matched is False
    assert match_open("C++", ["C++"]).matched is True
    assert match_open("!!!", ["!!!"]).matched is True
    assert match_open("What!!!", ["!!!"]).matched is False
    assert match_open("我中了大奖", ["中"]).matched is False


def test_span_and_exact_match():
    found = match_open("Well. The answer is Paris.\n", ["Paris"])
    assert (found.matched, found.exact, found.span) == (True, True, "Paris.")
    found = match_open("It was Paris, I believe.", ["Paris"])
    assert (found.matched, found.exact, found.span) == (True, False, "It was Paris, I believe.")


@pytest.mark.parametrize(
    "gold",
    ["Paris", ["Paris"], ("x", "Paris"), np.array(["Paris", "x"]), "['Paris', 'x']", '["Paris"]', {"text": ["Paris"]},
     {"answer": "Paris"}, {"text": np.array(["Paris"], dtype=object)}, {"answer": np.array(["x", "Paris"])},
     {"text": "['Paris']"},
     pl.Series(["Paris"])],
)  # fmt: skip
def test_gold_containers(gold):
    # Arrays inside a gold dict used to score 0.
    assert match_open("in Paris", gold).matched is True


def test_gold_text_is_never_run(tmp_path):
    trap = tmp_path / "ran"
    gold = f"[__import__('pathlib').Path({str(trap)!r}).touch()]"
    assert gold_aliases(gold) == [gold]
    assert match_open("Paris", gold).matched is False
    assert not trap.exists()


def test_missing_gold_is_not_a_wrong_answer():
    for gold in (None, [], {}, "", float("nan"), {"text": None}):
        assert match_open("Paris", gold).matched is None
    assert match_open("", ["Paris"]).state == "empty"
    assert match_open("", ["Paris"]).matched is False
    assert gold_aliases([1994, True]) == ["1994", "True"]


@given(HOSTILE, st.lists(st.text(max_size=8), max_size=4))
def test_open_matching_never_raises_and_finds_the_alias_itself(text, aliases):
    found = match_open(text, aliases)
    assert found.exact in (None, False) or found.matched
    for alias in aliases:
        cleaned = clean_reply(alias).strip()
        if cleaned and "\n" not in cleaned and literal_list(alias) is None and "nswer" not in alias:
            assert match_open(alias, [alias]).exact


# questions


def test_the_last_block_is_the_question():
    shot = "Question: 1+1?\nA. 1\nB. 2\nAnswer: B\n\n"
    parsed = parse_choices(f"{shot}Question: 2+2?\nA. 3\nB. 4\nC. 5\nAnswer:")
    assert parsed == ParsedQuestion(f"{shot}Question: 2+2?", ("3", "4", "5"))


@pytest.mark.parametrize("style", ["{}. {}", "{}) {}", "({}) {}", "{}: {}", "[{}] {}", "  {}. {}"])
@pytest.mark.parametrize(
    "end", ["", "\n", "\nAnswer:", "\nReasoning: think", "\n\nThink step by step.", "<|eot_id|>\nassistant"]
)
def test_option_styles_and_ends(style, end):
    block = "\n".join(style.format(letter, text) for letter, text in zip("ABC", ("x y", "A.", "z: 2"), strict=True))
    assert parse_choices(f"Why?\nBecause.\n{block}{end}") == ParsedQuestion("Why?\nBecause.", ("x y", "A.", "z: 2"))


def test_options_of_several_lines():
    parsed = parse_choices("Q\nA. one\n   more\n(1) of it\nB. two\n\nC. three\n\nNow answer.")
    assert parsed is not None
    assert parsed.options == ("one\n   more\n(1) of it", "two", "three")


@pytest.mark.parametrize(
    "text",
    ["", "no options", "A. only one", "B. x\nC. y", "A. x\nC. y", "A. x\nB. y\nD. z", "A. x\nB) y", "a. x\nb. y",
    "A.I. is\nB.I. too",
     "A. x\n\nThen text\nB. y"],
)  # fmt: skip
def test_no_question(text):
    assert parse_choices(text) is None


def test_dialogues_and_statements_before_the_options_are_no_options():
    text = "A: Hi!\nB: Hello!\nWho spoke?\nI. One\nII. Two\nA. I only\nB. II only\nAnswer:"
    parsed = parse_choices(text)
    assert parsed is not None
    assert parsed.options == ("I only", "II only")
    assert parsed.question.endswith("II. Two")


@given(
    st.lists(st.text("xyz 19(),", min_size=1, max_size=9).filter(str.strip), min_size=2, max_size=26),
    st.text("qr?\n", max_size=12),
)
def test_rendered_questions_parse_back(options, question):
    block = "".join(f"{letter}) {text}\n" for letter, text in zip(letters(26), options, strict=False))
    parsed = parse_choices(f"{question}\n{block}Answer:")
    assert parsed == ParsedQuestion(question.rstrip(), tuple(option.strip() for option in options))


@given(HOSTILE)
def test_parsing_questions_never_raises(text):
    for found in (parse_choices(text), parse_choices(f"A. {text}\nB. {text}")):
        assert found is None or len(found.options) >= 2
    assert after_last_question(f"Question: {text}") is not None


def test_quoted_and_bare_questions_come_back_alike():
    zero_shot = 'Instruction.\nQuestion: "What is 2+2?"\n\nA) 3\nB) 4\n'
    few_shot = (
        "Question: 1+1?\nA) 1\nB) 2\nReasoning: easy.\nAnswer: B\n\nQuestion: What is 2+2?\nA) 3\nB) 4\nReasoning:"
    )
    assert after_last_question(zero_shot) == after_last_question(few_shot) == "What is 2+2?"
    assert after_last_question("Question: True or False?\nReasoning:") == "True or False?"
    assert after_last_question('Question: "Pick one.\nOptions:\n(A) x\n(B) y"\n') == "Pick one.\nOptions:"
    assert after_last_question('Question: "Say \\"hi\\"?"\nAnswer:') == 'Say \\"hi\\"?'
    assert after_last_question("no such word") is None


# lists


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", 1], ["a", 1]), (("a",), ["a"]), (np.array(["a", "b"]), ["a", "b"]), (np.array([1, 2]), [1, 2]),
        (pl.Series([1, 2]), [1, 2]),
        ("['a', \"b's\"]", ["a", "b's"]), ('["a", null, 1.5]', ["a", None, 1.5]), ("('a', 'b')", ["a", "b"]),
        ("[]", []), (" [1] ", [1]),
        ("[[1, 2], [3]]", [[1, 2], [3]]), ("['a' 'b'\n 'c d']", ["a", "b", "c d"]), ("['it''s', 'b']", ["its", "b"]),
    ],
)  # fmt: skip
def test_lists_in_any_container(value, expected):
    assert literal_list(value) == expected


@pytest.mark.parametrize(
    "value",
    [None, 3, 2.5, True, "", "[", "text", "[Ca2+]", "{'a': 1}", "{1, 2}", {"a": 1}, {1}, "('a')", "[f(1)]",
    "[x for x in ()]", b"[1]",
     np.int64(3), "[1, 2", "(1) and (2)", "[" * 10_000 + "]" * 10_000, "[" + "-" * 100_000 + "1]",
     "[1," * 20_000 + "]" * 20_000],
)  # fmt: skip
def test_not_a_list(value):
    assert literal_list(value) is None


def test_deep_literal_text_stays_text():
    assert literal_list("[" * 50 + "'a'" + "]" * 50) is not None
    assert literal_list("[" * 51 + "'a'" + "]" * 51) is None


def test_literal_text_over_the_limit_stays_text():
    assert literal_list("['abc']", limit=6) is None
    assert literal_list("['abc']", limit=7) == ["abc"]
    assert literal_list('["abc"]', limit=1) == ["abc"]  # JSON needs no limit: its parser cannot run away


@given(st.lists(st.one_of(st.text(max_size=12), st.integers(), st.none(), st.booleans()), max_size=6))
def test_lists_survive_being_printed(value):
    assert literal_list(repr(value)) == value
    assert literal_list(json.dumps(value)) == value


# cost


def _seconds(function, *arguments):
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


@pytest.mark.parametrize(
    "unit",
    ["answer ", "answer: ", "answer is ", "answer\t\t", "answer\n", "(", "[", "A ", "A. x\n", "\\boxed{", "*a ",
    " *a", "**", "_", "`",
     "1,", "1 ", "1.", "#### ", "答案是", "answer is (A) or ", "{", "\n", "Question: "],
)  # fmt: skip
def test_a_megabyte_of_anything_takes_less_than_a_second(unit):
    text = unit * (1_000_000 // len(unit))
    for options in (COLOURS, TEN):
        assert _seconds(extract_choice, text, options) < 1
    assert _seconds(mmlu_pro_extract, text, TEN) < 1
    assert _seconds(extract_number, text) < 1
    assert _seconds(parse_choices, text) < 1
    assert _seconds(literal_list, f"[{text}]") < 1
    assert _seconds(match_open, text, ["foo bar"]) < 2  # folds the whole text


def test_ordinary_replies_are_cheap():
    rng = random.Random(0)
    words = ["the", "sum", "of", "12", "and", "x", "is", "then", "rate", "energy."]
    replies = [
        " ".join(rng.choices(words, k=120)) + f" The answer is ({rng.choice('ABCDEFGHIJ')})." for _ in range(300)
    ]
    assert _seconds(lambda: [extract_choice(reply, TEN) for reply in replies]) < 300 * 500e-6
    assert _seconds(lambda: [extract_number(reply) for reply in replies]) < 300 * 500e-6
