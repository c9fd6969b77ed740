"""Rendering faults and defaulted golds are refused when items load (post_forget.md R12 and R14)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from suite_making import TASK, line, make_suite, mirror, one_task

from forgetmap import suites
from forgetmap.errors import SuiteError
from forgetmap.suites.checks import item_fault
from forgetmap.suites.item import Item


def fault(
    question: str = "Q?", options: tuple[str, ...] | None = ("a", "b"), gold: tuple[str, ...] = ("a",), **more: Any
) -> str | None:
    row, allowed = more.pop("row", None), more.pop("containers", False)
    return item_fault(Item("t", "0", question, options, gold, more), row, containers=allowed)


@pytest.mark.parametrize(
    "question",
    [
        "Who did it?\n['Mackenzie', 'Ana']",
        "Who did it?\nChoices: ['Mackenzie', 'Ana']",
        "Who did it?\nOptions: ['Mackenzie' 'Ana']",
        "{'text': ['a', 'b'], 'label': ['A', 'B']}",
        "[{'user': 'hello'}]",
        "Pick from array(['a', 'b'], dtype=object)",
    ],
)
def test_container_syntax_in_a_question(question: str) -> None:
    assert "shows a container as code prints it" in (fault(question) or "")
    assert fault(question, containers=True) is None


@pytest.mark.parametrize(
    "question",
    [
        "What does print(['a', 'b'][0]) show?",
        "list = ['abcd', 786]\nWhat is list[1]?",
        "Which is in [0, 1]?",
        "Let S = {a, b} and f: S -> S.",
        "He said (and 'meant' it): go.",
        "\\text{question} is \\frac{a}{b}",
        "[ { ( ) }",
        "[He] 'quotes' [them]",
    ],
)
def test_what_only_looks_like_one(question: str) -> None:
    assert fault(question) is None


def test_the_printed_value_of_the_items_own_row() -> None:
    row = {"choices": ["Ana", "Bo"], "nested": {"text": ["x", "y"]}, "written": "['p', 'q']"}
    assert fault("Was it one of ['Ana', 'Bo'] or none?") is None
    for printed in ("['Ana', 'Bo']", "['Ana' 'Bo']", "['x', 'y']", "{'text': ['x', 'y']}", "['p', 'q']"):
        asked = f"Was it one of {printed} or none?"
        assert "shows a container" in (fault(asked, row=row) or ""), printed
        assert "shows a container" in (fault(asked, row=row, containers=True) or ""), printed


@pytest.mark.parametrize("text", ["Say {question} again", "Answer {{ doc.text }}", "{passage}\nWhy?"])
def test_unfilled_places(text: str) -> None:
    assert "unfilled place" in (fault(text) or "")
    assert "option 2 holds an unfilled place" in (fault(options=("a", text)) or "")


def test_options_and_golds() -> None:
    assert fault() is None
    assert fault(options=("a",)) == "1 options, expected 2 or more"
    assert fault(gold=()) == "no gold among its options"
    assert fault(gold=("c",)) == "gold 'c' is none of the options"
    assert fault(gold=("a", "b")) == "every option is a gold"
    assert fault(options=("a", " ")) == "option 2 is empty"
    assert "option 1 shows a container" in (fault(options=("['a', 'b']", "c"), gold=("c",)) or "")
    assert fault(options=None, gold=()) is None
    assert "passage shows a container" in (fault(passage="['a', 'b']") or "")


def test_the_row_is_named(tmp_path: Path) -> None:
    lines = [line(n) for n in range(40)]
    lines[3] = line(3, question="Which?\nOptions: ['4', '5']")
    with pytest.raises(SuiteError, match=r"task 'sums': item s3: question shows a container .*\['4', '5'\]"):
        one_task(tmp_path, lines).items()


def test_a_container_in_the_dataset_is_refused_with_its_row(tmp_path: Path) -> None:
    rows = [{"story": f"Story {n}", "choices": f"['Ana {n}', 'Bo {n}']", "g": n % 2} for n in range(40)]
    mirror(tmp_path, "us/musr/data/test-00000-of-00001.parquet", rows)
    fields = {"question": ["story", "choices"], "options": "choices | list", "gold": "g | index"}
    given = {**TASK, "source": {"hub": "us/musr", "split": "test"}, "fields": fields}
    with pytest.raises(SuiteError, match=r"row 0: question shows a container .*\(and 39 more\)"):
        suites.load(make_suite(tmp_path / "bad", given), data_dir=tmp_path).tasks[0].items()
    given["fields"] = {**fields, "question": "story"}
    assert len(suites.load(make_suite(tmp_path / "good", given), data_dir=tmp_path).tasks[0].items()) == 40


def test_broken_rows_are_left_out_only_as_far_as_said(tmp_path: Path) -> None:
    rows = [{"q": f"Q{n}", "o": ["a", "b"] if n != 5 else ["a"], "g": n % 2} for n in range(40)]
    mirror(tmp_path, "us/x/data/test-00000-of-00001.parquet", rows)

    def task(allowed: int) -> suites.Task:
        source = {"hub": "us/x", "split": "test", "broken_rows": allowed}
        given = {**TASK, "source": source, "fields": {"question": "q", "options": "o", "gold": "g | index"}}
        return suites.load(make_suite(tmp_path / "suite", given), data_dir=tmp_path).tasks[0]

    with pytest.raises(SuiteError, match="row 5: options are 1, expected 2 or more"):
        task(0).items()
    lenient = task(1)
    assert len(lenient.items()) == 39
    assert lenient.left_out == ["row 5: options are 1, expected 2 or more"]
    assert [item.native_id for item in lenient.items()][4:6] == ["4", "6"]


def test_a_gold_that_never_moves_is_a_default(tmp_path: Path) -> None:
    rows = [{"q": f"Q{n}", "o": [f"a{n}", f"b{n}", f"c{n}"], "g": 2} for n in range(40)]
    mirror(tmp_path, "us/x/data/test-00000-of-00001.parquet", rows)

    def task(**fields: Any) -> suites.Task:
        given = {
            **TASK,
            "source": {"hub": "us/x", "split": "test"},
            "fields": {"question": "q", "options": "o", "gold": "g | index", **fields},
        }
        return suites.load(make_suite(tmp_path / "suite", given), data_dir=tmp_path).tasks[0]

    with pytest.raises(SuiteError, match="the gold is always option 3, as if it were a default"):
        task().items()
    assert len({item.gold_index for item in task(shuffle=True).items()}) == 3


def test_ids_are_of_one_item_each(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="id 's1' is given to more than one item"):
        one_task(tmp_path, [*(line(n) for n in range(40)), line(41, id="s1")]).items()


def test_a_wording_shows_what_the_item_has(tmp_path: Path) -> None:
    with_passage = [line(n, facts={"passage": f"Text {n}.", "topic": "sums"}) for n in range(40)]
    with pytest.raises(SuiteError, match="wording 1 leaves out the passage of item s"):
        one_task(tmp_path / "a", with_passage).items()
    wordings = ["{passage}\n{question}\nAnswer:", "{passage} {question}", "About {topic}: {passage}\n{question}"]
    assert len(one_task(tmp_path / "b", with_passage, wordings=wordings).items()) == 40
    with pytest.raises(SuiteError, match=r"wording 3 has \{topic\}, but item s"):
        one_task(tmp_path / "c", [line(n, facts={"passage": "T."}) for n in range(40)], wordings=wordings).items()
    with pytest.raises(SuiteError, match=r"wording 1 has \{passage\}, but no item has one"):
        one_task(tmp_path / "d", wordings=wordings).items()
