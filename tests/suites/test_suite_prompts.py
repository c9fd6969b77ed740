"""Prompts: variants show the same item, every option once, and the gold stays the gold."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_making import TASK, line, one_task

from forgetmap.errors import UsageError
from forgetmap.suites import Item, Task, Variant, render
from forgetmap.suites.spec import check_task
from forgetmap.suites.variants import option_order, variants_of

DEMOS: list[dict[str, Any]] = [
    {"question": "What is 7 + 1?", "options": ["8", "9"], "answer": "8", "reasoning": "Seven and one\n make eight."},
    {"question": "What is 5 + 1?", "options": ["7", "6"], "answer": "6", "reasoning": "Five and one make six."},
]


def bare_task(**changes: Any) -> Task:
    """A task whose items the tests make themselves."""
    task = Task(check_task({**TASK, **changes}), Path())
    task.__dict__["_parts"] = ([], task._written)
    return task


LETTERED = {"scoring": {"kind": "letter"}, "formats": ["letters", "parenthesised", "digits"]}
ITEM = Item("sums", "1", "What is 2 + 2?", ("3", "4", "5"), ("4",))


def test_base_rates_texts_or_labels() -> None:
    task = bare_task()
    plain = render(task, ITEM)
    assert (plain.kind, plain.context, plain.continuations) == (
        "rate",
        "Question: What is 2 + 2?\nAnswer:",
        (" 3", " 4", " 5"),
    )
    assert (plain.shown, plain.labels, plain.messages, plain.prefix) == ((0, 1, 2), None, None, 0)
    lettered = render(task, ITEM, Variant(format=1))
    assert lettered.context == "Question: What is 2 + 2?\nA. 3\nB. 4\nC. 5\nAnswer:"
    assert (lettered.continuations, lettered.labels) == ((" A", " B", " C"), ("A", "B", "C"))
    assert render(task, ITEM, Variant(format=2)).continuations == (" (A)", " (B)", " (C)")
    digits = render(task, ITEM, Variant(format=3, wording=1))
    assert digits.context == "What is 2 + 2?\n1. 3\n2. 4\n3. 5\nAnswer:"
    assert (digits.continuations, digits.labels) == ((" 1", " 2", " 3"), ("1", "2", "3"))


def test_a_wording_may_say_where_options_stand() -> None:
    task = bare_task(wordings=["Pick one of\n{options}\nfor this: {question}\nAnswer:", "{question} The answer is"])
    assert render(task, ITEM).context == "Pick one of\n- 3\n- 4\n- 5\nfor this: What is 2 + 2?\nAnswer:"
    assert render(task, ITEM, Variant(format=1)).context.startswith("Pick one of\nA. 3\nB. 4\nC. 5\nfor this")
    assert render(task, ITEM, Variant(wording=1, format=1)).context == "What is 2 + 2?\nA. 3\nB. 4\nC. 5\nThe answer is"
    openly = render(
        bare_task(scoring={"kind": "exact"}, wordings=["{question}\n{options}\nAnswer:"]),
        Item("sums", "1", "2+2?", None, ("4",)),
    )
    assert openly.context == "2+2?\nAnswer:"


def test_chat_replaces_the_cue_by_a_request() -> None:
    chat = render(bare_task(), ITEM, style="chat")
    assert chat.messages == (("user", "Question: What is 2 + 2?\n\nGive the answer and nothing else."),)
    assert (chat.context, chat.prefix, chat.continuations) == ("", 0, ("3", "4", "5"))  # no blank after a template
    lettered = render(bare_task(**LETTERED, answer={"stop": ["\n"]}), ITEM, Variant(format=2), style="chat")
    assert lettered.messages is not None
    assert lettered.messages[0].content.endswith("3. 5\n\nAnswer with the number of the right option and nothing else.")
    assert (lettered.kind, lettered.continuations, lettered.stop) == ("write", None, ())
    own = render(bare_task(**LETTERED, chat=""), ITEM, style="chat")
    assert own.messages == (("user", "Question: What is 2 + 2?\nA. 3\nB. 4\nC. 5"),)
    kept = bare_task(wordings=["{question}\nNow write down the whole result as a number:"])
    assert "Now write down" in str(render(kept, ITEM, style="chat").messages)  # an instruction, not a cue


def test_chains_of_thought() -> None:
    task = bare_task(
        **LETTERED,
        styles=["base", "chat", "cot"],
        demonstrations=DEMOS,
        cot={"max_tokens": 500},
        answer={"stop": ["\n"]},
    )
    assert task.styles == ("base", "chat", "base_cot", "chat_cot")
    shown = render(task, ITEM, style="base_cot")
    first = "Question: What is 7 + 1?\nA. 8\nB. 9\nReasoning: Seven and one make eight.\nAnswer: A\n\n"
    assert shown.context.startswith(first)
    assert shown.context[shown.prefix :] == "Question: What is 2 + 2?\nA. 3\nB. 4\nC. 5\nReasoning:"
    assert (shown.max_tokens, shown.stop) == (500, ("\nQuestion:",))  # a line break does not end a thought
    short = render(task, ITEM, style="base")
    assert short.context[: short.prefix].endswith("Question: What is 5 + 1?\nA. 7\nB. 6\nAnswer: B\n\n")
    assert short.stop == ("\n", "\nQuestion:")
    asked = render(task, ITEM, style="chat_cot")
    assert asked.messages is not None and asked.messages[0].content.endswith(
        'Reason step by step. Then end with one line "Answer: LETTER" that gives the letter of the right option.'
    )
    with pytest.raises(UsageError, match="has no style 'base_cot', only base, chat"):
        render(bare_task(), ITEM, style="base_cot")


def test_a_letter_where_nothing_can_be_ranked() -> None:
    asked = render(bare_task(), ITEM, style="chat", by_letter=True)
    assert (asked.kind, asked.labels, asked.continuations) == ("write", ("A", "B", "C"), None)
    assert "A. 3" in str(asked.messages) and "letter of the right option" in str(asked.messages)


def test_a_question_that_lists_its_options_itself() -> None:
    task = bare_task(scoring={"kind": "letter"}, formats=["given"], wordings=["{question}"], chat="")
    told = Item("sums", "1", "2+2?\nA. three\nB. four", ("three", "four"), ("four",))
    assert render(task, told).context == told.question
    assert render(task, Item("sums", "1", "2+2?", ("three", "four"), ("four",))).context == told.question


def test_turns_tools_and_passages() -> None:
    task = bare_task(scoring={"kind": "open"}, wordings=["{passage}\n\n{question}"])
    item = Item(
        "sums", "1", "And why?", None, (), {"passage": "It rained.", "turns": ["Shorter."], "tools": [{"name": "f"}]}
    )
    shown = render(task, item, style="chat")
    assert shown.messages == (("user", "It rained.\n\nAnd why?\n\nGive the answer and nothing else."),)
    assert (shown.turns, shown.tools) == (("Shorter.",), ({"name": "f"},))
    twice = Item("sums", "1", "It rained. And why?", None, (), {"passage": "It rained."})
    assert render(task, twice).context == "It rained. And why?"
    assert item.key != Item("sums", "1", "And why?", None, (), {"passage": "It rained.", "turns": ["Longer."]}).key


def test_content_is_never_read_as_a_wording() -> None:
    item = Item("sums", "1", "What is {options} in {passage}?", ("{question}", "b"), ("b",))
    assert (
        render(bare_task(), item, Variant(format=1)).context
        == "Question: What is {options} in {passage}?\nA. {question}\nB. b\nAnswer:"
    )


def test_too_many_are_refused() -> None:
    with pytest.raises(UsageError, match="has 3 wordings, but number 4 is asked for"):
        render(bare_task(), ITEM, Variant(wording=3))
    with pytest.raises(UsageError, match="has 4 formats, but number 5"):
        render(bare_task(), ITEM, Variant(format=4))


def test_demonstrations_are_held_out_and_fixed(tmp_path: Path) -> None:
    lines = [line(n) for n in range(60)] + [line(0, id="again", gold=["2"])]
    task = one_task(tmp_path / "a", lines, shots={"count": 6})
    shown, scored = task.demonstrations, task.items()
    assert len(shown) == 6
    assert {item.gold_index for item in shown} == {0, 1, 2}  # golds at every place
    assert not {item.key.question for item in shown} & {item.key.question for item in scored}
    mixed = lines[:]
    random.Random(4).shuffle(mixed)
    assert [item.id for item in one_task(tmp_path / "b", mixed, shots={"count": 6}).demonstrations] == [
        item.id for item in shown
    ]
    prompts = {(one := render(task, item)).context[: one.prefix] for item in scored}
    assert len(prompts) == 1 and next(iter(prompts)).count("Question:") == 6
    assert len(one_task(tmp_path / "c", lines).items()) == 61


def test_an_item_that_gives_itself_away_is_held_out(tmp_path: Path) -> None:
    relabelled = [line(n, id=f"r{n}", gold=[str(n + 2)]) for n in range(40)]  # the same questions with another gold
    task = one_task(tmp_path, [*(line(n) for n in range(40)), *relabelled], shots={"count": 5})
    assert (len(task.demonstrations), len(task.items())) == (5, 70)


options = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12),
    min_size=2,
    max_size=9,
    unique_by=lambda text: text.strip().casefold(),
).map(tuple)


@given(options, st.data())
def test_every_variant_shows_every_option_once_and_the_gold_stays(texts: tuple[str, ...], data: st.DataObject) -> None:
    gold = data.draw(st.sampled_from(texts))
    item = Item("sums", "1", "Which one?", texts, (gold,))
    key = item.key
    variant = Variant(data.draw(st.integers(0, 2)), data.draw(st.integers(0, 30)), data.draw(st.integers(0, 3)))
    for style in ("base", "chat"):
        shown = render(bare_task(), item, variant, style=style)
        assert shown.shown is not None and shown.continuations is not None
        assert sorted(shown.shown) == list(range(len(texts)))
        assert len(set(shown.continuations)) == len(texts)
        place = shown.shown.index(item.gold_index or 0)
        asked = shown.messages[0].content if shown.messages else shown.context
        if shown.labels is None:
            assert shown.continuations[place].removeprefix(" " if style == "base" else "") == gold
        else:
            mark = {1: "{}. ", 2: "({}) ", 3: "{}. "}[variant.format]
            listed = "\n".join(
                mark.format(label) + texts[at] for label, at in zip(shown.labels, shown.shown, strict=True)
            )
            assert asked.count(f"\n{listed}") == 1
            assert shown.labels[place] in shown.continuations[place]
            assert texts[shown.shown[shown.labels.index(shown.labels[place])]] == gold
    assert item.key == key


@given(options, st.integers(1, 5))
def test_orders_differ_and_leave_the_key(texts: tuple[str, ...], order: int) -> None:
    item = Item("t", "0", "Which?", texts, (texts[0],))
    if len(texts) > 3:
        assert len({option_order(item, one) for one in range(order + 1)}) == order + 1
    turned = Item("t", "9", "Which?", texts[1:] + texts[:1], (texts[0],))
    assert item.key[:2] == turned.key[:2]


def test_orders_are_the_same_in_every_process() -> None:
    item = Item("t", "0", "Which?", tuple("abcdef"), ("a",))
    code = "from forgetmap.suites import Item; from forgetmap.suites.variants import option_order as o; print([o(Item('t', '0', 'Which?', tuple('abcdef'), ('a',)), n) for n in range(4)])"
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(sys.path)},
    )
    assert other.stdout.strip() == str([option_order(item, n) for n in range(4)])
    # golden: an order that moves would pass for a change of the model
    assert [option_order(item, n) for n in range(3)] == GOLDEN


def test_options_that_point_at_others_keep_their_place() -> None:
    last = Item("t", "0", "Which?", ("a", "b", "c", "None of the above"), ("a",))
    assert all(option_order(last, n)[-1] == 3 for n in range(7))
    assert len({option_order(last, n) for n in range(6)}) == 6
    named = Item("t", "0", "Which?", ("x", "y", "both A and B", "z"), ("x",))
    assert option_order(named, 3) == (0, 1, 2, 3)
    equal = Item("t", "0", "Which?", ("x", "x", "y"), ("y",))
    assert len({option_order(equal, n) for n in range(6)}) == 6


def test_variants_of_a_kind(tmp_path: Path) -> None:
    task = one_task(tmp_path)
    assert variants_of(task, "prompt", 5) == [Variant(), Variant(wording=1), Variant(wording=2)]
    assert variants_of(task, "order", 3) == [Variant(), Variant(order=1), Variant(order=2)]
    assert variants_of(task, "format", 2) == [Variant(), Variant(format=1)]
    openly = one_task(
        tmp_path / "open", [line(n, options=None) for n in range(40)], scoring={"kind": "exact"}, formats=None
    )
    assert variants_of(openly, "order", 3) == [Variant()] == variants_of(openly, "format", 3)
    with pytest.raises(UsageError, match="expected one of prompt, order, format"):
        variants_of(task, "seed", 2)


GOLDEN = [(0, 1, 2, 3, 4, 5), (3, 0, 5, 1, 2, 4), (2, 4, 3, 0, 5, 1)]
