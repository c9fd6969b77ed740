"""Cells, weights and the JSON contract."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import answer, make_run
from forgetmap import Run, compare
from forgetmap.errors import TaxonomyError, UsageError
from forgetmap.map import maps_to_dict
from forgetmap.testing import plant

SCHEMA = json.loads((files("forgetmap") / "schemas" / "map-1.json").read_text(encoding="utf-8"))


def run(quadrants: dict[str, tuple[int, int]], side: int) -> Run:
    """Tasks with (items, lost items): everything else is kept."""
    return make_run(
        [
            answer(n, not (side and n < lost), task=task)
            for task, (items, lost) in quadrants.items()
            for n in range(items)
        ]
    )


TASKS = {"mmlu:anatomy": (10, 5), "mmlu:virology": (30, 0), "piqa": (20, 10), "my_own": (40, 4)}


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ("tasks", (0.5 + 0 + 0.5 + 0.1) / 4),
        ("items", 19 / 100),
        ("categories", ((0.5 + 0) / 2 + 0.5 + 0.1) / 3),
    ],
)
def test_weights(weight: str, expected: float) -> None:
    found = compare(run(TASKS, 0), run(TASKS, 1), weight=weight)
    assert found.total.observed["lost"] == pytest.approx(expected, abs=1e-12)
    category = next(cell for cell in found.at("category") if cell.name == "Science/Tech")
    assert category.observed["lost"] == pytest.approx(5 / 40 if weight == "items" else 0.25, abs=1e-12)
    assert (category.tasks, category.items) == (2, 40)


def test_a_task_without_a_place_is_a_visible_cell() -> None:
    found = compare(run(TASKS, 0), run(TASKS, 1))
    own = next(cell for cell in found.at("category") if cell.name == "my_own")
    assert (own.mapped, own.items) == (False, 40)
    assert any("my_own" in note for note in found.notes)
    assert {cell.name for cell in found.at("category")} == {"Common Sense", "Science/Tech", "my_own"}


def test_groups_appear_with_a_taxonomy_that_has_them() -> None:
    tasks = {"gsm8k": (10, 1), "hellaswag": (10, 2), "ifeval": (10, 3)}
    found = compare(run(tasks, 0), run(tasks, 1), taxonomy="captrack")
    assert {cell.name for cell in found.at("group")} == {"CAN", "HOW"}
    assert next(cell for cell in found.at("task") if cell.name == "gsm8k").path == ("CAN", "C1", "gsm8k")


def test_a_taxonomy_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("categories:\n  Body: [mmlu:anatomy, mmlu:virology]\n  Rest: ['my_*', piqa]\n")
    found = compare(run(TASKS, 0), run(TASKS, 1), taxonomy=path)
    assert {cell.name: cell.tasks for cell in found.at("category")} == {"Body": 2, "Rest": 2}
    path.write_text("categoires: {}\n")
    with pytest.raises(TaxonomyError, match="categoires"):
        compare(run(TASKS, 0), run(TASKS, 1), taxonomy=path)


quarters = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.sampled_from([0.0, 0.25, 0.5, 1.0])),
    min_size=1,
    max_size=25,
)


@settings(max_examples=40)
@given(quarters)
def test_lost_minus_gained_is_the_change_in_every_cell(values: list[tuple[float, float]]) -> None:
    before, after = (
        make_run([{"question": f"q{n}", "task": f"t{n % 3}", "rating": pair[side]} for n, pair in enumerate(values)])
        for side in (0, 1)
    )
    for cell in compare(before, after).cells:
        seen = cell.observed
        assert seen["lost"] - seen["gained"] == pytest.approx(seen["acc_before"] - seen["acc_after"], abs=1e-12)


CASES: list[dict[str, Any]] = [
    {},
    {"tasks": 3, "repeats": (3, 2), "abstain": (0.1, 0.1)},
    {"choices": False},
    {"options": 0},
    {"options": [2, 3, 4, 0], "golds": 1, "persistence": 0.5},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_json_follows_the_contract(case: dict[str, Any]) -> None:
    planted = plant(300, seed=6, **case)
    found = compare(planted.before, planted.after)
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    jsonschema.validate(content, SCHEMA)
    assert content["cells"][-1]["level"] == "total"
    several = json.loads(json.dumps(maps_to_dict([found, compare(planted.before, planted.before)]), allow_nan=False))
    jsonschema.validate(several, SCHEMA)
    assert several["schema"] == "forgetmap.maps/1"
    assert several["maps"][1]["cells"][-1]["lost"] >= 0


def test_the_schema_refuses_what_breaks_the_contract() -> None:
    planted = plant(50, seed=1)
    content = compare(planted.before, planted.after).to_dict()
    for damage in ({"warnings": None}, {"schema": "forgetmap.map/2"}, {"cells": []}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**content, **damage}, SCHEMA)
    del content["cells"][0]["paper"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, SCHEMA)


#: Every key of the contract in design.md, level by level: none may be renamed or removed.
CONTRACT = {
    "": "schema before after pairing guessing cells causes drift diagnosis warnings",
    "pairing": "paired only_before only_after duplicates null_before null_after gold_changed content_changed coverage_before "
    "coverage_after grade settings_that_differ",
    "guessing": "persistence agreement_when_both_wrong both_wrong_with_choice",
    "cell": "level name path tasks items no_answer_before no_answer_after acc_before acc_after kept lost gained never lost_low "
    "lost_high gained_low gained_high chance noise soft paper p_lost q_lost p_gained q_gained p_net q_net verdict "
    "verdict_reading margin detectable",
    "chance": "items tasks known_before known_after lost lost_low lost_high gained gained_low gained_high lost_of_known "
    "lost_of_known_low lost_of_known_high lost_if_independent lost_if_persistent",
    "paper": "lost gained lost_sd gained_sd lost_max gained_max",
}


def test_no_key_of_the_contract_is_missing() -> None:
    planted = plant(50, seed=1)
    content = compare(planted.before, planted.after).to_dict()
    cell = content["cells"][-1]
    blocks = {"": content, "pairing": content["pairing"], "guessing": content["guessing"], "cell": cell}
    blocks |= {"chance": cell["chance"], "paper": cell["paper"]}
    for name, keys in CONTRACT.items():
        assert set(keys.split()) <= blocks[name].keys(), name


def test_frames_and_flips() -> None:
    planted = plant(400, known=0.6, lost=0.1, gained=0.05, tasks=2, texts=True, seed=2)
    found = compare(planted.before, planted.after)
    assert found.by("task").height == 2
    lost = found.lost()
    assert lost.height == round(found.by("task")["lost"].mean() * 400)
    assert (lost["score_before"] > lost["score_after"]).all()
    assert found.gained(tasks="planted:0")["task"].unique().to_list() == ["planted:0"]
    assert "<table>" in found._repr_html_()
    assert "→" in repr(found)
    with pytest.raises(UsageError, match="level"):
        found.by("subject")


def test_hostile_names_are_escaped_in_notebooks() -> None:
    rows = [answer(1, True, task="<script>alert(1)</script>")]
    assert "<script>" not in compare(make_run(rows), make_run(rows))._repr_html_()
