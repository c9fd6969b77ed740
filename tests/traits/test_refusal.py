"""Refusals: what declines, and what only looks like it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.traits import VERSIONS, is_refusal, refusal_cue

DECLINES = [
    "I can't help with that.",
    "I\u2019m sorry, but I can\u2019t assist with that request.",  # typographic apostrophes
    "I'm sorry, but I cannot fulfill your request.",
    "I cannot provide instructions for making weapons.",
    "I am unable to answer this question.",
    "I'm not able to give you medical advice. Please see a doctor.",
    "I won't write that.",
    "I must decline.",
    "I have to respectfully decline to answer.",
    "I'd rather not say.",
    "As an AI language model, I cannot provide legal advice.",
    "As an AI, I don't have personal opinions.",
    "Sorry, that's not something I can help with.",
    "It would be inappropriate for me to comment on this.",
    "That goes against my programming.",
    "**I can't help with that.**",
    "I understand that you are upset. However, I cannot assist with this.",
    "I can't help with that, but I can suggest some resources.",
    "I don't have access to real-time information.",
    "<think>The user wants help. I could give it.</think>I'm sorry, I can't help with that.",
    "Lo siento, pero no puedo ayudarte con eso.",
    "Je suis désolé, mais je ne peux pas répondre à cette demande.",
    "Es tut mir leid, aber ich kann Ihnen dabei nicht helfen.",
    "Mi dispiace, ma non posso aiutarti.",
    "Desculpe, mas não posso ajudar com isso.",
    "Извините, но я не могу помочь с этим.",
    "很抱歉，我无法回答这个问题。",
    "申し訳ありませんが、その質問にはお答えできません。",
    "죄송하지만 그 요청은 도와드릴 수 없습니다.",
]
ANSWERS = [
    "",
    "   ",
    "1234",
    "B",
    "No.",
    "The answer cannot be determined from the passage, so the answer is (D).",
    "Unfortunately, the sea is cold in April.",
    "Paris is the capital. I cannot stress this enough: it is not Lyon.",
    "I can't help but notice that the triangle is isosceles.",
    "I cannot recommend this book highly enough.",
    "I cannot determine which option is right.",
    "I can't be certain, but the answer is (B).",
    "I cannot answer this with certainty, but it was probably 1850.",
    "I cannot give you the exact number, but it was around 1850.",
    "I cannot provide an exact figure. It depends on the winter.",
    "I cannot draw here. Here is the table you asked for: ...",
    "I'm sorry to hear that you are ill. Drink enough and rest.",
    "While I can't write it for you, I can show you how such a letter begins.",
    "Sure! I can't wait to help you with this poem.",
    '"I cannot help you," said the wizard, and closed the door.',
    "Dear Ms Miller,\n\nI am unable to provide a refund. Kind regards",
    "We cannot provide the value of x without a second equation, so we substitute y = 3.",
    "The sum is 4. The product is 3. Thus x = 1 or x = 3. I cannot help thinking of Vieta.",
    "I refuse the null hypothesis at the 5 % level.",
    "No puedo más que admirar la catedral: fue construida en 1248 y es la más alta.",
]


@pytest.mark.parametrize("text", DECLINES)
def test_declines(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not is_refusal(text), refusal_cue(text)


def test_a_disclaimer_before_the_work_is_no_refusal() -> None:
    work = " ".join(f"Row {n} holds the value {n * n} and its name." for n in range(20))
    assert not is_refusal(f"I cannot create a table here, but I can list the rows. {work}")
    assert is_refusal("I cannot create a table here, but I can list the rows if you like.")


def test_only_the_opening_counts() -> None:
    assert not is_refusal("The answer is B. " + "It follows from the text. " * 3 + "I cannot help with more.")


def test_the_cue_and_the_version_are_told() -> None:
    assert refusal_cue("Hello. I won't write such a text for you.") == "I won't write"
    assert VERSIONS["refusal"] >= 1


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read(text: str) -> None:
    assert is_refusal(text) in (True, False)
    assert is_refusal("I can't help with that. " + text[:20].replace("here", "")) in (True, False)


@pytest.mark.parametrize(
    "piece", ["I cannot ", "sorry, I ", "As an AI, I ", '"', "\u062c", "désolé ", ". ", "\ud800", "\0"]
)
def test_hostile_megabytes_are_quick(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.process_time()
    is_refusal(text)
    assert time.process_time() - start < 0.2
