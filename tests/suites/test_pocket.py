"""The embedded suite: frozen, whole, and made by our own generators."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from forgetmap import suites
from forgetmap.suites import Suite, render
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
    assert hashlib.sha256(content).hexdigest() == "d8013f0efa8b3fc8d5db0a43f20a93e480bed717e743f668ea653a70b11a33bf"


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


def test_golds_stand_at_every_place(pocket: Suite) -> None:
    """A model that always says A must not look as if it knew something."""
    for task in pocket.tasks:
        places = Counter((len(item.options), item.gold_index) for item in task.items() if item.options)
        for (options, place), count in places.items():
            among = sum(n for (k, _), n in places.items() if k == options)
            assert 0.5 / options < count / among < 1.6 / options, (task.name, place)


def test_clusters_are_many_or_none(pocket: Suite) -> None:
    """Clusters are the units of an interval: a task of two would know nothing about itself."""
    for task in pocket.tasks:
        clusters = {item.cluster for item in task.items()} - {None}
        assert not clusters or len(clusters) >= 25, task.name
