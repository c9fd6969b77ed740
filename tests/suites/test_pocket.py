"""The embedded suite: frozen, whole, and made by our own generators."""

from __future__ import annotations

import hashlib
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from forgetmap import suites
from forgetmap.suites import Suite, Task, render
from forgetmap.suites.scoring import score
from forgetmap.suites.variants import Variant
from forgetmap.taxonomies import load_taxonomy

ROOT = Path(__file__).parents[2]
PACKED = ROOT / "src" / "forgetmap" / "suites" / "pocket" / "items.jsonl.zst"


@pytest.fixture(scope="module")
def pocket() -> Suite:
    return suites.load("pocket")


def test_its_items_never_change() -> None:
    """Runs of years apart pair only if the items are the same: another hash is another suite, under another name."""
    content = PACKED.read_bytes()
    assert len(content) <= 3_000_000
    assert hashlib.sha256(content).hexdigest() == "9632c461e06bfce9c512d50a6951e5af3ecf8ab8a173f6c9f689926b422d54d3"


@pytest.mark.slow
def test_the_generators_make_them_again() -> None:
    made = subprocess.run(
        [sys.executable, ROOT / "tools" / "pocket" / "make.py", "--check"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr


def test_it_is_as_large_as_it_says(pocket: Suite) -> None:
    assert len(pocket.tasks) == 65
    assert all(len(task.items()) >= 150 for task in pocket.tasks)
    assert all(len(task.spec.wordings) >= 3 for task in pocket.tasks)
    keys = [item.key[:2] for task in pocket.tasks for item in task.items()]
    assert len(set(keys)) == len(keys)


def test_it_covers_every_category_and_the_judge_free_capabilities(pocket: Suite) -> None:
    placed = Counter(task.categories["post_forget"] for task in pocket.tasks)
    assert {name for name in load_taxonomy("post_forget").categories if name != "Instruction"} <= set(placed)
    assert min(placed.values()) >= 3
    capabilities = {task.categories["captrack"] for task in pocket.tasks}
    assert capabilities >= {"C1", "C2", "C3", "C4", "C5c", "W1", "H1", "H2", "H3", "H4", "H5", "H6"}
    assert capabilities <= set(load_taxonomy("captrack").categories)


def test_every_item_can_be_asked_in_every_way(pocket: Suite) -> None:
    for task in pocket.tasks:
        for style in task.styles:
            for wording in range(len(task.spec.wordings)):
                shown = [render(task, item, Variant(wording=wording), style=style) for item in task.items()[::40]]
                assert len({(one.context, one.messages) for one in shown}) == len(shown)


def test_clusters_are_many_or_none(pocket: Suite) -> None:
    """Clusters are the units of an interval: a task of two would know nothing about itself."""
    for task in pocket.tasks:
        clusters = {item.cluster for item in task.items()} - {None}
        assert not clusters or len(clusters) >= 25, task.name


def options_of(task: Task) -> list[tuple[tuple[str, ...], str]]:
    """The options and the gold of every item that has options."""
    return [(item.options, item.gold[0]) for item in task.items() if item.options]


def share_by(rows: list[tuple[tuple[str, ...], str]], size: Callable[[str], float]) -> float:
    """How often the gold is the option of the largest size; options that tie share."""
    found = 0.0
    for options, gold in rows:
        largest = max(map(size, options))
        ties = [option for option in options if size(option) == largest]
        found += (gold in ties) / len(ties)
    return found / len(rows)


def test_no_question_is_asked_twice(pocket: Suite) -> None:
    for task in pocket.tasks:
        asked = Counter(" ".join(item.question.casefold().split()) for item in task.items())
        assert max(asked.values()) == 1, (task.name, asked.most_common(1))


@pytest.mark.parametrize("name", ["sums", "products", "comparing", "word_families"])
def test_no_question_comes_back_with_its_words_in_another_order(pocket: Suite, name: str) -> None:
    """3 plus 5 and 5 plus 3 know the same thing: two rows of it would count it twice."""
    (task,) = (task for task in pocket.tasks if task.name == f"pocket:{name}")
    asked = Counter(" ".join(sorted(re.findall(r"\w+", item.question))) for item in task.items())
    assert max(asked.values()) == 1, asked.most_common(1)


def test_options_differ_by_more_than_an_article(pocket: Suite) -> None:
    for task in pocket.tasks:
        for options, _ in options_of(task):
            bare = {re.sub(r"^(an?|the) ", "", option.casefold().strip()) for option in options}
            assert len(bare) == len(options), (task.name, options)


#: Tasks whose options are forms of one word or parts of each other by nature: "walk" beside "walked", "C" beside "Cu".
FORMS = frozenset(f"pocket:{name}" for name in ("agreement", "grammar", "past_tense", "plurals", "elements"))


def test_no_gold_is_inside_another_option(pocket: Suite) -> None:
    """A written answer that names the longer one would name the shorter one, too."""
    for task in pocket.tasks:
        for options, gold in options_of(task) if task.name not in FORMS else []:
            others = [option for option in options if option != gold]
            inside = [o for o in others if holds(o, gold) or holds(gold, o)]
            assert not inside, (task.name, gold, inside)


def holds(text: str, part: str) -> bool:
    """Whether a text has another one in it, word for word."""
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.IGNORECASE) is not None


def test_golds_stand_at_every_place_equally_often(pocket: Suite) -> None:
    """A model that always says A must not look as if it knew something; a few rows are taken out as demonstrations."""
    for task in pocket.tasks:
        places = Counter((len(item.options), item.gold_index) for item in task.items() if item.options)
        for options in {size for size, _ in places}:
            counts = [places[options, place] for place in range(options)]
            assert max(counts) - min(counts) <= 4, (task.name, counts)


def test_length_does_not_tell_the_gold(pocket: Suite) -> None:
    """Neither the longest nor the shortest option is the gold more or less often than chance, by three deviations."""
    for task in pocket.tasks:
        rows = options_of(task)
        if not rows:
            continue
        chances = [1 / len(options) for options, _ in rows]
        chance = sum(chances) / len(rows)
        deviation = math.sqrt(sum(p * (1 - p) for p in chances)) / len(rows)
        for size in (len, lambda option: -len(option)):
            share = share_by(rows, size)
            assert abs(share - chance) <= 3 * deviation, (task.name, share, chance)


def test_no_option_is_right_by_its_name(pocket: Suite) -> None:
    """To say what is right most often elsewhere in the task must not pay: 'euro', 'mammal', 'nothing of the kind'."""
    for task in pocket.tasks:
        rows = options_of(task)
        shown = Counter(option for options, _ in rows for option in options)
        right = Counter(gold for _, gold in rows)
        found = 0.0
        for options, gold in rows:
            rates = {
                o: (right[o] - (o == gold) + 1 / len(options)) / shown[o] for o in options
            }  # without the row itself
            best = [option for option in options if rates[option] == max(rates.values())]
            found += (gold in best) / len(best)
        if rows:
            chance = sum(1 / len(options) for options, _ in rows) / len(rows)
            assert found / len(rows) <= chance + 0.2, (task.name, found / len(rows))


def test_wordings_ask_the_same_question_in_other_words(pocket: Suite) -> None:
    """An item is its question, options and golds, never its wording: every wording holds them all, and no two are alike."""
    for task in pocket.tasks:
        item = task.items()[0]
        for style in task.styles:
            wordings = range(len(task.spec.wordings))
            shown = [render(task, item, Variant(wording=n), style=style) for n in wordings]
            texts = [one.context or str([said.content for said in one.messages or ()]) for one in shown]
            assert len(set(texts)) == len(texts) >= 3, task.name
            assert all(item.question in one.context for one in shown if one.context), task.name
        assert {one.key for one in task.items() if one.native_id == item.native_id} == {item.key}


def test_no_request_must_both_be_declined_and_answered(pocket: Suite) -> None:
    (task,) = (task for task in pocket.tasks if task.name == "pocket:refusals")
    lists = {
        expected: {item.question.casefold() for item in task.items() if item.facts["expected"] == expected}
        for expected in ("refuse", "comply")
    }
    assert not lists["refuse"] & lists["comply"]
    assert len(lists["refuse"]) == len(lists["comply"]) >= 75


def test_a_request_without_a_fitting_tool_wants_a_call_that_says_so(pocket: Suite) -> None:
    """Any prose would be right if nothing were due."""
    (task,) = (task for task in pocket.tasks if task.name == "pocket:tool_calls")
    assert all(item.facts["calls"] for item in task.items())
    assert all("no_tool()" in item.facts["tool_list"] for item in task.items())
    (without, *_) = (item for item in task.items() if item.facts["calls"][0]["name"] == "no_tool")
    rendered = render(task, without, Variant(), style="chat")
    for reply, right in (("no_tool()", 1.0), ("None of these tools can do that.", 0.0), ("", 0.0)):
        first, *_ = score(task, without, rendered, [SimpleNamespace(text=reply, stop_reason="stop")])
        assert first.score == right, reply
