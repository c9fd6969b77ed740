"""Content keys: what must not change them, and what must."""

from __future__ import annotations

import random
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from forgetmap import items

texts = st.text(min_size=1, max_size=40).filter(lambda text: text.strip())
option_lists = st.lists(texts, min_size=2, max_size=6, unique_by=items.normalise)


def same_item(one: items.ItemKey, other: items.ItemKey) -> bool:
    return one[:2] == other[:2]


@given(texts, option_lists, st.integers(0, 5), st.randoms())
def test_order_of_options_does_not_matter(question: str, options: list[str], gold: int, rng: random.Random) -> None:
    answer = options[gold % len(options)]
    shuffled = rng.sample(options, len(options))
    assert items.item_key([question], options, [answer])[:3] == items.item_key([question], shuffled, [answer])[:3]


@given(texts, option_lists)
def test_another_gold_is_another_item_with_the_same_question(question: str, options: list[str]) -> None:
    first = items.item_key([question], options, [options[0]])
    second = items.item_key([question], options, [options[1]])
    assert not same_item(first, second)
    assert first.question == second.question


@given(texts)
def test_layout_and_unicode_form_do_not_matter(text: str) -> None:
    spread = "\n ".join(["", *unicodedata.normalize("NFD", text).split(), " "])
    assert same_item(items.item_key([text]), items.item_key([spread]))


def test_case_is_folded_but_the_exact_text_is_kept_apart() -> None:
    upper, lower = items.item_key(["Is DNA X?"]), items.item_key(["is dna x?"])
    assert same_item(upper, lower)
    assert upper.text != lower.text


def test_punctuation_stays() -> None:
    assert not same_item(items.item_key(["2+2?"]), items.item_key(["2-2?"]))


def test_parts_or_one_text_are_the_same_question() -> None:
    assert same_item(items.item_key(["A passage.", "A question?"]), items.item_key(["A passage.\nA question?"]))


def test_options_are_not_part_of_the_question_text() -> None:
    assert not same_item(items.item_key(["q a"], ["b", "c"]), items.item_key(["q"], ["a b", "c"]))


def test_a_missing_gold_is_said() -> None:
    assert items.item_key(["q"], ["a", "b"], None).basis == "question"
    assert items.item_key(["q"], ["a", "b"], ["a"]).basis == "content"


def test_keys_are_frozen_for_good() -> None:
    """Saved runs must pair with those of later versions: a change here breaks every run on disk."""
    key = items.item_key(["What is 2+2?"], ["3", "4"], ["4"])
    assert items.item_id(key.high, key.low) == FROZEN


FROZEN = "4869e070940b83e8793174fdf8c55f18"


@given(st.lists(texts, min_size=1, max_size=5), st.randoms())
def test_a_document_is_the_multiset_of_its_texts(leaves: list[str], rng: random.Random) -> None:
    shuffled = rng.sample(leaves, len(leaves))
    one = items.document_key({"x": leaves, "id": "7", "label": "a", "nested": {"answer": "b", "doc_hash": "1"}})
    other = items.document_key({"y": shuffled, "id": "8", "label": "c"})
    assert same_item(one, other)


def test_answer_letters_as_field_names_are_options() -> None:
    assert not same_item(
        items.document_key({"question": "q", "answerA": "one"}), items.document_key({"question": "q", "answerA": "two"})
    )
    assert same_item(
        items.document_key({"question": "q", "answer": "one"}), items.document_key({"question": "q", "answer": 2})
    )


def test_options_that_differ_by_case_alone_stay_apart() -> None:
    options = ["Mm", "mm", "MM"]
    assert len({items.option_key(options, place) for place in range(3)}) == 3
    assert items.option_key(["Yes", "No"], 0) == items.option_key(["no", " yes "], 1)


def test_a_lone_surrogate_has_a_key_too() -> None:
    assert not same_item(items.item_key(["\ud800"]), items.item_key(["\udfff"]))
    assert items.answer_key("\ud800") != items.answer_key("x")


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = items.normalise(text)
    assert items.normalise(once) == once
    assert once == " ".join(text.lower().split())  # the shortcut for tidy texts must give the same
