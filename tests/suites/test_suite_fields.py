"""From rows to items: paths, adapters, and the rows that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from forgetmap.suites.adapters import FieldError
from forgetmap.suites.fields import evaluate, item_of
from forgetmap.suites.item import Item
from forgetmap.suites.spec import Fields
from forgetmap.tasks import known_task


def made(row: dict[str, Any], **fields: Any) -> Item:
    return item_of(row, Fields.model_validate({"question": "q", **fields}), "t", 7)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a", 1),
        ("b.c", "x"),
        ("list[1].n", 2),
        ("list[*].n", [1, 2]),
        ("Correct Answer", "y"),
        ("=a constant", "a constant"),
        (["a", "=b"], [1, "b"]),
        ("text | list", ["p", "q's"]),
        ("text | list | first", "p"),
        ("solution | number", "1200"),
        ("solution | after:####", "1,200"),
        ("eighteen | after:####", "18"),
        ("boxed | boxed", "\\frac{1}{2}"),
        ("truth | boolean", "yes"),
        ("falsity | boolean:True/False", "False"),
        ("turns | texts | rest", ["second"]),
    ],
)
def test_expressions(expression: Any, value: Any) -> None:
    row = {
        "a": 1,
        "b": {"c": "x"},
        "list": [{"n": 1}, {"n": 2}],
        "Correct Answer": "y",
        "text": "['p', \"q's\"]",
        "solution": "so 1,200\n#### 1,200",
        "eighteen": 18.0,
        "boxed": "hence \\boxed{3}, no: $\\boxed{\\frac{1}{2}}$.",
        "truth": 1.0,
        "falsity": False,
        "turns": [{"user prompt": "first"}, {"user prompt": "second"}],
    }
    assert evaluate(expression, row) == value


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("b.d", "no field 'd', only c"),
        ("a.b", "int 1 has no field 'b'"),
        ("a[0]", "int 1 is no list"),
        ("list[5]", "the list has 1 elements only"),
        ("a | shout", "adapter 'shout' is not known"),
        ("text | number", "expected a number"),
        ("text | boolean", "expected true or false"),
        ("text | boxed", "no boxed answer"),
        ("none | list", "found nothing, expected a list"),
    ],
)
def test_what_a_row_lacks_is_said(expression: str, said: str) -> None:
    row = {"a": 1, "b": {"c": "x"}, "list": [1], "text": "some words", "none": None}
    with pytest.raises(FieldError) as caught:
        evaluate(expression, row)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("gold", "coded", "wanted"),
    [
        (1, "index", ("b",)),
        ("2", "index", ("c",)),
        (2, "index1", ("b",)),
        ("3", "index1", ("c",)),
        ("(B)", "letter", ("b",)),
        ("c", "letter", ("c",)),
        ("x3", "label:names", ("c",)),
        ([0, 1, 0], "mask", ("b",)),
        ([0, 2], "index", ("a", "c")),
        ("[0, 2]", "index", ("a", "c")),
    ],
)
def test_golds_are_texts(gold: Any, coded: str, wanted: tuple[str, ...]) -> None:
    row = {"q": "Which?", "o": ["a", "b", "c"], "g": gold, "names": ["x1", "x2", "x3"]}
    item = made(row, options="o", gold=f"g | {coded}")
    assert item.gold == wanted
    assert item.chance == len(wanted) / 3


@pytest.mark.parametrize(
    ("gold", "coded", "said"),
    [
        ("", " | index", "gold is missing"),
        (-1, " | index", "names none of the 3 options"),
        (3, " | index", "names none of the 3 options"),
        (0, " | index1", "names none of the 3 options"),
        ("D", " | letter", "names none of the 3 options"),
        ([0, 0, 0], " | mask", "gold is missing"),
        ([1, 0], " | mask", "expected a 0 or 1 for each option"),
        ("d", "", "gold 'd' is none of the options"),
        (None, "", "gold is missing"),
        (float("nan"), "", "gold is missing"),
    ],
)
def test_a_gold_is_never_a_default(gold: Any, coded: str, said: str) -> None:
    with pytest.raises(FieldError) as caught:
        made({"q": "Which?", "o": ["a", "b", "c"], "g": gold}, options="o", gold=f"g{coded}")
    assert said in str(caught.value)


def test_a_container_is_never_printed() -> None:
    with pytest.raises(FieldError, match=r"question is an object \{'text': 'x'\}, expected a text"):
        made({"q": {"text": "x"}})
    with pytest.raises(FieldError, match=r"option 1 is a list \['a'\], expected a text"):
        made({"q": "x", "o": [["a"], "b"]}, options="o")
    with pytest.raises(FieldError, match="options are 1, expected 2 or more"):
        made({"q": "x", "o": ["a"]}, options="o")


def test_mixed_options_keep_their_gold_and_key() -> None:
    rows = [
        {"q": f"Q{n}", "o": [f"right {n}", f"wrong {n}", f"worse {n}", f"worst {n}"], "m": [1, 0, 0, 0]}
        for n in range(60)
    ]
    plain = [made(row, options="o", gold="m | mask") for row in rows]
    mixed = [made(row, options="o", gold="m | mask", shuffle=True) for row in rows]
    assert {item.gold_index for item in plain} == {0}
    assert {item.gold_index for item in mixed} == {0, 1, 2, 3}
    for one, other in zip(plain, mixed, strict=True):
        assert (one.key[:3], one.gold, sorted(one.options or ())) == (
            other.key[:3],
            other.gold,
            sorted(other.options or ()),
        )


#: One row of each dataset as the hub has it, with made-up content, and the expressions of our task files.
ROWS: dict[str, dict[str, Any]] = {
    "mmlu:anatomy": {"question": "Which bone?", "choices": ["a", "b", "c", "d"], "answer": 2, "subject": "anatomy"},
    "arc:easy": {"id": "M1", "question": "Why?", "choices": {"text": ["x", "y", "z"], "label": ["1", "2", "3"]}, "answerKey": "3"},
    "commonsense_qa": {"id": "c", "question": "Where?", "question_concept": "k", "choices": {"label": list("ABCDE"), "text": list("vwxyz")}, "answerKey": "E"},
    "piqa": {"goal": "Open it", "sol1": "pull", "sol2": "push", "label": 1},
    "social_iqa": {"context": "Bo fell.", "question": "How is Bo?", "answerA": "sad", "answerB": "hurt", "answerC": "glad", "label": "2"},
    "truthfulqa:mc1": {"question": "What if?", "mc1_targets": {"choices": ["Nothing", "All"], "labels": [1, 0]}},
    "musr:team_allocation": {"narrative": "Once.", "question": "Who?", "choices": "['Ana', \"Bo's\", 'Cy']", "answer_index": 1, "answer_choice": "Bo's"},
    "bbh:snarks": {"input": "Which statement is sarcastic?\nOptions:\n(A) Fine weather\n(B) Lovely, hail", "target": "(B)"},
    "bbh:navigate": {"input": "Do you return? Turn left.\nOptions:\n- Yes\n- No", "target": "No"},
    "bbh:formal_fallacies": {"input": "\"All a are b.\" Valid?\nOptions:\n- valid \n- invalid", "target": "valid"},
    "bbh:boolean_expressions": {"input": "not True is", "target": "False"},
    "bbh:web_of_lies": {"input": "Question: Ana lies. Does Ana?", "target": "No"},
    "bbh:object_counting": {"input": "I have two pears. How many fruits?", "target": "2"},
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_items_have_the_keys_of_logs(name: str) -> None:
    """An evaluation of ours can be paired with an lm-eval log of the same dataset."""
    from forgetmap import suites
    from forgetmap.items import item_key

    fields = suites.load("post_forget").task(name).spec.fields
    profile = known_task(name)
    assert fields is not None and profile is not None and profile.document is not None
    item = item_of(ROWS[name], fields, name, 0)
    logged = profile.document.content(ROWS[name])
    assert logged is not None
    assert item.key[:3] == item_key([logged.question], logged.options, logged.gold)[:3]
    assert [one.lower() for one in item.gold] == [one.lower() for one in logged.gold or ()]
    assert not item.options or len(item.options) == len(logged.options or ())


def test_hellaswag_is_cleaned_as_in_logs() -> None:
    from forgetmap import suites

    row = {"ind": 4, "activity_label": "Roof shingle removal", "ctx_a": "A man is sitting [step] on a roof.", "ctx_b": "he",
           "ctx": "unused", "endings": ["is using wrap. [title] Next", "x", "y", "z"], "source_id": "v1", "label": "3"}  # fmt: skip
    fields = suites.load("post_forget").task("hellaswag").spec.fields
    assert fields is not None
    item = item_of(row, fields, "hellaswag", 0)
    assert item.question == "Roof shingle removal: A man is sitting on a roof. He"
    assert item.options == ("is using wrap.. Next", "x", "y", "z")
    assert (item.gold, item.native_id, item.cluster) == (("z",), "4", "v1")
    with pytest.raises(FieldError, match="gold is missing"):  # the test split
        item_of({**row, "label": ""}, fields, "hellaswag", 0)


@pytest.mark.parametrize(
    ("expression", "value", "said"),
    [
        ("v | json", "[" * 100_000, "nested too deep"),
        ("v | hellaswag_context", "text", "expected an object"),
        ("v | unit_test:test", "text", "expected an object"),
        ("v | hellaswag_endings", [1, 2], "option is int 1, expected a text"),
        (". | checks", None, "kwargs hold a list"),
        ("v[" + "9" * 5_000 + "]", ["a"], "has no field"),
    ],
)
def test_values_that_an_adapter_cannot_read(expression: str, value: Any, said: str) -> None:
    row = {"v": value, "instruction_id_list": ["x"], "kwargs": [[1]]}
    with pytest.raises(FieldError, match=said):
        evaluate(expression, row)


def test_texts_nested_without_end() -> None:
    value: Any = "hi"
    for _ in range(5_000):
        value = [value]
    with pytest.raises(FieldError, match="adapter 'texts': the value is nested too deep"):
        evaluate("v | texts", {"v": value})
