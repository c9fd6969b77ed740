"""Replies written to break a scorer: each is scored in a second, none is evaluated, none crashes."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scoring_parts import Written, scores

from forgetmap.answers import ANSWER_STATES
from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring import KINDS, json_text
from forgetmap.suites.scoring.calls import read_calls
from forgetmap.suites.scoring.checks import CHECKS
from forgetmap.suites.scoring.formulas import equal, tidy
from forgetmap.suites.scoring.math import final_answer

MEGABYTE = 1_000_000
ARGUMENTS: dict[str, dict[str, Any]] = {
    "keywords:existence": {"keywords": ["zebra"]},
    "keywords:frequency": {"keyword": "zebra", "frequency": 3, "relation": "at least"},
    "keywords:forbidden_words": {"forbidden_words": ["a"]},
    "keywords:letter_frequency": {"letter": "q", "let_frequency": 3, "let_relation": "at least"},
    "language:response_language": {"language": "de"},
    "length_constraints:number_sentences": {"num_sentences": 50, "relation": "less than"},
    "length_constraints:number_paragraphs": {"num_paragraphs": 3},
    "length_constraints:number_words": {"num_words": 10**9, "relation": "at least"},
    "length_constraints:nth_paragraph_first_word": {"num_paragraphs": 3, "nth_paragraph": 2, "first_word": "so"},
    "detectable_content:number_placeholders": {"num_placeholders": 10**9},
    "detectable_content:postscript": {"postscript_marker": "P.S."},
    "detectable_format:number_bullet_lists": {"num_bullets": 3},
    "detectable_format:number_highlighted_sections": {"num_highlights": 10**9},
    "detectable_format:multiple_sections": {"section_spliter": "Section", "num_sections": 3},
    "combination:repeat_prompt": {"prompt_to_repeat": "Say it"},
    "startend:end_checker": {"end_phrase": "The end"},
    "change_case:capital_word_frequency": {"capital_frequency": 10**9, "capital_relation": "at least"},
}
FACTS: dict[str, dict[str, Any]] = {
    "letter": {"options": ("red", "green", "blue"), "gold": ("red",), "labels": ("A", "B", "C")},
    "exact": {"gold": ("Paris",)},
    "number": {"gold": ("42",)},
    "math": {"gold": ("\\frac{1}{2}",)},
    "open": {"gold": ("Paris",)},
    "json_schema": {"gold": ("1",), "schema": {"type": "object", "required": ["answer"]}},
    "call": {"calls": ["f(x=1)"]},
    "recall": {"gold": ("1234567",), "pattern": "number"},
    "citation": {"titles": ["Paris", "Rome"], "sources": ["Paris"], "gold": ("x",)},
    "refusal": {"expected": "refuse"},
    "turns": {"checks": [{"id": "punctuation:no_comma"}]},
}
BOMBS = {
    "words": "word " * (MEGABYTE // 5),
    "one word": "a" * MEGABYTE,
    "blanks": "x" + " " * MEGABYTE + "x",
    "lines": "x" + "\n" * MEGABYTE + "x",
    "open brackets": "[" * MEGABYTE,
    "open braces": "{" * MEGABYTE,
    "braces and quotes": '{"a":' * (MEGABYTE // 5),
    "empty pairs": "[]" * (MEGABYTE // 2),
    "quotes": '"' * MEGABYTE,
    "backslashes": "\\" * MEGABYTE,
    "angles": "<" * MEGABYTE,
    "stars": "*" * MEGABYTE,
    "star pairs": "* " * (MEGABYTE // 2),
    "dashes": "- \n" * (MEGABYTE // 3),
    "numbers": "1. " * (MEGABYTE // 3),
    "digits": "7" * MEGABYTE,
    "commas": "1,2," * (MEGABYTE // 4),
    "boxes": "\\boxed{" * (MEGABYTE // 7),
    "fractions": "\\frac{1}{" * (MEGABYTE // 9),
    "answers": "Answer: " * (MEGABYTE // 8),
    "fences": "```\n" * (MEGABYTE // 4),
    "calls": "f(x=1)\n" * (MEGABYTE // 7),
    "nested calls": "f(" * (MEGABYTE // 2),
    "tool calls": "<tool_call>{" * (MEGABYTE // 12),
    "signs": "answer: " + "-" * MEGABYTE + "1",
    "thoughts": "<think>" * (MEGABYTE // 7),
    "sentences": "Dr. A. I. No. " * (MEGABYTE // 14),
    "capitals": "AB-CD.EF'GH " * (MEGABYTE // 12),
    "postscripts": "p. p. " * (MEGABYTE // 6),
    "unicode": "\u0661\u00a0\u2019\U0001f600\ud800" * (MEGABYTE // 5),
    "nulls": "\x00" * MEGABYTE,
}  # fmt: skip


#: The worst ones, always; the others in make test-all.
WORST = ("braces and quotes", "stars", "sentences", "unicode")
THROWN = [pytest.param(name, marks=() if name in WORST else pytest.mark.slow) for name in BOMBS]


@pytest.mark.parametrize("bomb", THROWN)
@pytest.mark.parametrize("kind", FACTS)
def test_a_megabyte_takes_no_second(kind: str, bomb: str) -> None:
    started = time.process_time()
    found = scores(kind, BOMBS[bomb], **FACTS[kind])
    assert time.process_time() - started < 1
    assert all(one.state in ANSWER_STATES for one in found.values())


@pytest.mark.parametrize("bomb", THROWN)
def test_a_megabyte_takes_no_second_to_check(bomb: str) -> None:
    for one in CHECKS:
        started = time.process_time()
        scores("instructions", BOMBS[bomb], checks=[{"id": one, "kwargs": ARGUMENTS.get(one, {})}])
        assert time.process_time() - started < 1, one


def test_every_kind_is_attacked() -> None:
    assert FACTS.keys() == KINDS.keys() - {"likelihood", "code", "instructions"}
    assert {one for one, (_, wanted) in CHECKS.items() if wanted} == ARGUMENTS.keys()


SNIPPETS = st.sampled_from(
    ["{", "}", "[", "]", "(", ")", '"', "'", "\\", "\n", "```", "<tool_call>", "</tool_call>", "f(x=", "1", ",", ":", " ", "Answer: ",
     "\\boxed{", "\\frac", "\\sqrt", "^", "_", "x", "true", "null", "*", "**", "<<", ">>", "P.S.", "</think>", "9**9**9", "__import__('os')",
     "(lambda: 1/0)()", "$", "%", "=", "-", ".", "\ud800", "é", "\\{", "|"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(SNIPPETS, max_size=60).map("".join))


@pytest.mark.parametrize("kind", FACTS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=TEXTS, cut=st.booleans())
def test_any_text_has_a_state_and_scores_in_range(kind: str, text: str, cut: bool) -> None:
    found = scores(kind, Written(text, "length" if cut else "stop"), **FACTS[kind])
    assert next(iter(found)) == KINDS[kind].metrics[0]
    for one in found.values():
        assert one.state in ANSWER_STATES
        assert one.score is None or 0 <= one.score <= 1
        if one.state in ("empty", "truncated", "no_answer") and one.metric not in ("acc", "no_call"):
            assert not one.score
        if not text.strip():
            assert one.state == "empty"
            assert not one.score


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_the_parsers_never_raise(text: str) -> None:
    read_calls(text)
    json_text.find(text)
    final_answer(text)
    if tidy(text):
        assert equal(text, text) is True


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    ),
    st.sampled_from(["{}", "```json\n{}\n```", "JSON: {}", "\n{}\n"]),
)
def test_json_comes_back_as_it_went(value: Any, wrapping: str) -> None:
    if not isinstance(value, (dict, list)):
        value = [value]
    found = json_text.find(wrapping.replace("{}", json.dumps(value)))
    assert found is not None
    assert (found.value, found.extra_text) == (value, False)


@pytest.mark.parametrize("multiple", [0.01, 0.5, 1])
@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 400, "1" + "0" * 4000])
def test_numbers_beyond_floating_point_are_scored(number: str, multiple: float) -> None:
    schema = {"type": "object", "properties": {"answer": {"multipleOf": multiple}}}
    one = scores("json_schema", f'{{"answer": {number}}}', schema=schema)
    if "e" in number:
        assert (one["parses"].score, one["validates"].error) == (0.0, "no_json")
    else:
        assert one["parses"].score == 1.0


def test_an_overflow_of_the_validator_is_an_invalid_reply() -> None:
    schema = {"type": "object", "properties": {"answer": {"multipleOf": 0.5}}}
    one = scores("json_schema", '{"answer": ' + "9" * 400 + "}", schema=schema)["validates"]
    assert (one.score, one.error) == (0.0, "invalid: a number beyond floating point")


@pytest.mark.parametrize("multiple", [10**400, float("inf")])
def test_a_schema_with_numbers_beyond_floating_point_is_the_items_fault(multiple: float) -> None:
    one = scores("json_schema", '{"answer": 1.5}', schema={"properties": {"answer": {"multipleOf": multiple}}})[
        "validates"
    ]
    assert (one.score, one.state) == (None, "unscored")
    assert str(one.error).startswith("bad_schema: it holds a number beyond floating point")


@pytest.mark.parametrize("more", [{}, {"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#"}}])
def test_unique_items_take_linear_time(more: dict[str, Any]) -> None:
    schema = {"uniqueItems": True, **more}
    reply = "[[" + ",".join(f'{{"a": {n}}}' for n in range(8_000)) + "]]"
    began = time.monotonic()
    assert scores("json_schema", reply, schema=schema)["validates"].score == 1.0
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("reply", "valid"),
    [
        ("[1, 1.0]", False),
        ("[1, true]", True),
        ("[0, false]", True),
        ('[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]', False),
        ('["1", 1]', True),
        ("[[1], [[1]]]", True),
        ("[null, null]", False),
    ],
)
def test_unique_items_mean_what_the_standard_says(reply: str, valid: bool) -> None:
    one = scores("json_schema", reply, schema={"uniqueItems": True})["validates"]
    assert (one.score, one.error) == (float(valid), None if valid else "invalid at $: uniqueItems")


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([{"function": None}], "a tool's 'function' is no object"),
        ([{"name": "f", "parameters": {"properties": ["a"]}}], "'properties' of a tool's parameters are no object"),
        (3, "tools are no list"),
    ],
)
def test_tools_that_cannot_be_read_are_named(tools: Any, said: str) -> None:
    with pytest.raises(MissingDataError, match=f"item 7: .*{said}"):
        scores("call", "f(1)", calls=[{"name": "f", "arguments": {"a": 1}}], tools=tools)
