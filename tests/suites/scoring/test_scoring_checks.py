"""The 25 instructions, each with replies that follow it and replies that do not, judged by hand."""

from __future__ import annotations

from typing import Any

import pytest
from scoring_parts import first, scores, values

from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.checks import CHECKS, sentences
from forgetmap.suites.scoring.instructions import loose_readings

GERMAN = "Die Katze sitzt auf der Matte und sie ist nicht müde, weil es noch früh ist."
ENGLISH = "The cat is on the mat and it is not tired, because it was asleep for the whole of the day."

#: id, arguments, replies that follow, replies that do not
TABLE: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    (
        "keywords:existence",
        {"keywords": ["sun", "Moon"]},
        ["Sun and moon.", "The MOON hides the sunshine."],  # inside a longer word counts
        ["Only the sun.", "", "su n moon"],
    ),
    (
        "keywords:frequency",
        {"keyword": "rain", "frequency": 2, "relation": "at least"},
        ["Rain, rain.", "raining in the rain, rain"],
        ["Rain.", "sun"],
    ),
    (
        "keywords:frequency",
        {"keyword": "rain", "frequency": 2, "relation": "less than"},
        ["Rain.", "sun"],
        ["Rain, rain.", "train rain rain"],
    ),
    ("keywords:frequency", {"keyword": "c++ (x", "frequency": 1, "relation": "at least"}, ["C++ (x)"], ["ccc x"]),
    (
        "keywords:forbidden_words",
        {"forbidden_words": ["cat", "dog"]},
        ["A category of dogma.", "bird"],  # whole words only
        ["A CAT.", "my dog, too", "cat"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "E", "let_frequency": 3, "let_relation": "at least"},
        ["Even here", "eee"],
        ["tee", "abc"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "!", "let_frequency": 2, "let_relation": "less than"},
        ["Hi!", "Hi"],
        ["Hi!!"],
    ),
    ("language:response_language", {"language": "de"}, [GERMAN], [ENGLISH]),
    ("language:response_language", {"language": "hi"}, ["भारत का मौसम गरम है और हम सब लोग घर में बैठकर चाय पी रहे हैं।"], [ENGLISH]),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 3, "relation": "at least"},
        ["One. Two! Three?", "He came. He saw. He won", "我来。我见。我征服。"],
        ["One. Two.", "Dr. Who met Mr. Bean at 3.5 p.m. in St. Ives. Nice.", "Wait... no. End"],
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 2, "relation": "less than"},
        ["Just one.", "Prices, e.g. 3.50, rose."],
        ["One. Two."],
    ),
    (
        "length_constraints:number_paragraphs",
        {"num_paragraphs": 2},
        ["One\n***\nTwo", "***\nOne\n***\nTwo\n***", "One *** Two"],
        ["One\n\nTwo", "One", "One\n***\n***\nTwo", "1\n***\n2\n***\n3"],
    ),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 1}, ["One", "One\n\nstill one"], ["One\n***\nTwo"]),
    (
        "length_constraints:number_words",
        {"num_words": 3, "relation": "at least"},
        ["one two three", "it's two"],  # the apostrophe parts words, as in the published checker
        ["one two", "..."],
    ),
    ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, ["one two"], ["one two three"]),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "so"},
        ["First.\n\nSo it is.", "First.\n\n\"So, it is.\"", "First\n\nso"],
        ["First.\n\nThus.", "So.\n\nFirst.", "First.\n\nSo.\n\nThird.", "First.\nSo.", "First.\n\nSome"],
    ),
    (
        "detectable_content:number_placeholders",
        {"num_placeholders": 2},
        ["[name] and [address]", "[a][b][c]"],
        ["[name]", "[name\nand]", "(a) (b)", "]a[ ]"],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        ["Bye.\nP.S. Write soon.", "p. s. hi"],
        ["Bye.", "PS: hi", "P.P.S hi"],
    ),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, ["P.P.S: hi", "p. p. s hi"], ["P.S. hi"]),
    (
        "detectable_format:number_bullet_lists",
        {"num_bullets": 2},
        ["* a\n* b", "Points:\n- a\n  - b", "* a\n- b\n**bold** line"],
        ["* a", "* a\n* b\n* c", "1. a\n2. b", "**a**\n**b**"],
    ),
    (
        "detectable_format:constrained_response",
        {},
        ["My answer is yes.", "Well. My answer is maybe. Bye."],
        ["My answer is yes", "Yes.", "my answer is no."],
    ),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        ["*one* and *two*", "**one** and *two*", "**one** **two**"],
        ["*one*", "** ** *one*", "*one\ntwo*", "**one**"],
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Section", "num_sections": 2},
        ["Section 1\na\nSection 2\nb", "Section1 Section2 Section 3"],
        ["Section 1", "section 1\nsection 2", "Section A\nSection B"],
    ),
    (
        "detectable_format:json_format",
        {},
        ['{"a": 1}', "[1, 2]", '```json\n{"a": [true]}\n```', "```\n{}\n```"],
        ["{a: 1}", 'Here: {"a": 1}', "```json\n{\n```", "NaN"],
    ),
    ("detectable_format:title", {}, ["<<A title>>\ntext", "x <<y>>"], ["<<>>", "<< >>", "<A title>", "<<a\nb>>", ">>a<<"]),
    (
        "combination:two_responses",
        {},
        ["One\n******\nTwo", "******One******Two******"],
        ["One", "One******One", "One************Two", "1******2******3", "One ***** Two"],
    ),
    (
        "combination:repeat_prompt",
        {"prompt_to_repeat": "Write a Poem."},
        ["Write a poem.\nRoses", "  write a poem. ok"],
        ["Roses. Write a poem.", "Write poem."],
    ),
    (
        "startend:end_checker",
        {"end_phrase": "Is that all?"},
        ["Yes. Is that all?", '"Yes. is that all?"', "Is that all?\n"],
        ["Is that all? Yes.", "Is that all"],
    ),
    ("startend:quotation", {}, ['"All of it."', ' "x" '], ['"half', 'none', '"', "'single'"]),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "at least"},
        ["THIS is BIG", "I AM", "WELL-KNOWN and U.S."],
        ["This is BIG", "none Here"],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "less than"},
        ["This is BIG", "none"],
        ["THIS IS", "A B C"],
    ),
    ("change_case:english_capital", {}, [ENGLISH.upper(), "YES, 3!"], [ENGLISH, GERMAN.upper(), "YES, no", "123"]),
    ("change_case:english_lowercase", {}, [ENGLISH.lower(), "yes, 3!"], [ENGLISH, GERMAN.lower(), "Yes"]),
    ("punctuation:no_comma", {}, ["No comma here; none.", "、"], ["One, two", ","]),
]  # fmt: skip
CASES = [
    pytest.param(one, given, reply, followed, id=f"{one}-{reply[:20]!r}-{followed}")
    for one, given, follows, breaks in TABLE
    for followed, replies in ((True, follows), (False, breaks))
    for reply in replies
]


@pytest.mark.parametrize(("one", "given", "reply", "followed"), CASES)
def test_truth_table(one: str, given: dict[str, Any], reply: str, followed: bool) -> None:
    assert values("instructions", reply, checks=[{"id": one, "kwargs": given}])["prompt_strict"] == float(followed)


def test_all_25_are_here() -> None:
    assert len(CHECKS) == 25
    assert {one for one, *_ in TABLE} == CHECKS.keys()


def test_levels_strict_and_loose() -> None:
    checks = [
        {"id": "startend:end_checker", "kwargs": {"end_phrase": "Done"}},
        {"id": "punctuation:no_comma"},
        {"id": "keywords:existence", "keywords": ["tea"]},  # arguments may stand beside the id
    ]
    # the first line is a preamble with a comma, the last one a farewell after the end phrase
    reply = "Sure, here you are:\nI drink tea. Done\nBye"
    found = values("instructions", reply, checks=checks)
    assert found == {"prompt_strict": 0, "instruction_strict": 1 / 3, "prompt_loose": 1, "instruction_loose": 1}
    kept = values("instructions", "tea. Done", checks=checks)
    assert set(kept.values()) == {1.0}


def test_loose_drops_asterisks() -> None:
    checks = [{"id": "startend:end_checker", "kwargs": {"end_phrase": "the end"}}]
    assert values("instructions", "This is **the end**", checks=checks) == {
        "prompt_strict": 0,
        "instruction_strict": 0,
        "prompt_loose": 1,
        "instruction_loose": 1,
    }


def test_there_are_eight_readings() -> None:
    assert len(loose_readings("*a*\n*b*\n*c*")) == 8
    assert loose_readings("plain") == ["plain", ""]


def test_an_empty_reply_follows_nothing() -> None:
    # an empty text has no comma, and yet no instruction was followed
    found = scores("instructions", "  ", checks=[{"id": "punctuation:no_comma"}])
    assert {(one.score, one.state) for one in found.values()} == {(0.0, "empty")}


def test_a_language_that_cannot_be_told_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forgetmap.suites.scoring.tongues._lingua", lambda: None)
    german = {"id": "language:response_language", "kwargs": {"language": "de"}}
    alone = first("instructions", "Xyzzy 42", checks=[german])
    assert (alone.score, alone.state) == (None, "unscored")
    assert alone.error is not None
    assert "language:response_language" in alone.error
    # another instruction that was broken decides all the same; one that was followed does not
    no_comma = {"id": "punctuation:no_comma"}
    assert values("instructions", "Xyzzy, 42", checks=[german, no_comma])["prompt_strict"] == 0
    mixed = values("instructions", "Xyzzy 42", checks=[german, no_comma])
    assert mixed["prompt_strict"] is None
    assert mixed["instruction_strict"] == 1


def test_lingua_is_asked_where_the_rules_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    class Detector:
        def detect_language_of(self, text: str) -> Any:
            code = type("Code", (), {"name": "DE"})()
            return type("Language", (), {"iso_code_639_1": code})()

    monkeypatch.setattr("forgetmap.suites.scoring.tongues._lingua", Detector)
    checks = [{"id": "language:response_language", "kwargs": {"language": "de"}}]
    assert values("instructions", "Guten Morgen liebe Sonne", checks=checks)["prompt_strict"] == 1


def test_the_lists_of_ifeval_are_read() -> None:
    found = values(
        "instructions",
        "no commas here",
        instruction_id_list=["punctuation:no_comma", "keywords:existence"],
        kwargs=[{}, {"keywords": ["cake"]}],
    )
    assert found["instruction_strict"] == 0.5


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([], "empty"),
        ([{"id": "keywords:exists"}], "not known"),
        ([{"id": "keywords:existence"}], "'keywords'"),
        ([{"id": "keywords:frequency", "keyword": "a", "frequency": 1, "relation": "more than"}], "'more than'"),
    ],
)
def test_a_check_that_cannot_be_made_is_no_zero(checks: list[Any], said: str) -> None:
    with pytest.raises(MissingDataError, match=said) as caught:
        scores("instructions", "x", checks=checks)
    assert "item 7" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...", 0),
        ("Hello", 1),
        ("Plan:\n1. Go home.\n2. Sleep.", 2),
        ('He said "No." Then he left.', 2),
        ("J. R. R. Tolkien wrote it. Really!", 2),
        ("It costs 3.50 now. Cheap?!", 2),
        ("We met at 5 p.m. Then we ate.", 2),
        ("Apples, pears, etc. are fruit.", 1),
        ("See www.example.org for more. Bye.", 2),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(list(sentences(text))) == count
