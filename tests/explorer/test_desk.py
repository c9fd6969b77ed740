"""What the explorer shows is what the library computes: maps, filters, lists and searches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from explorer.served import STORY, desk_of, save_runs, story
from forgetmap import Run, compare
from forgetmap.errors import UsageError
from forgetmap.explorer import search
from forgetmap.explorer.desk import Desk
from forgetmap.explorer.drawing import neighbours, slice_views
from forgetmap.explorer.library import Library
from forgetmap.explorer.listing import count_facets, list_items
from forgetmap.explorer.state import View
from forgetmap.explorer.taxonomies import offered
from forgetmap.flips import TRANSITIONS, list_flips
from forgetmap.map import compare_all, map_pair
from forgetmap.report.sheet import Sheet
from forgetmap.slices import restrict, slice_column, slice_pair
from forgetmap.testing import plant

BEFORE, AFTER = story()
OTHER = story(seed=3, name="other")[1]


@pytest.fixture(scope="module")
def desk() -> Desk:
    return desk_of(BEFORE, AFTER, OTHER)


@pytest.fixture(scope="module")
def view(desk: Desk) -> View:
    first = desk.first_view()
    assert first is not None
    return first


def figures(found: list) -> list[dict]:
    return [cell.to_dict() for one in found for cell in one.cells]


@pytest.mark.parametrize("reading", ["auto", "observed", "chance", "paper"])
@pytest.mark.parametrize("weight", [None, "items", "categories"])
@pytest.mark.parametrize("taxonomy", ["post_forget", "captrack"])
def test_maps_are_those_of_compare(desk: Desk, view: View, reading: str, weight: str | None, taxonomy: str) -> None:
    asked = replace(view, reading=reading, weight=weight, taxonomy=taxonomy)
    told = compare(BEFORE, AFTER, reading=reading, weight=weight, taxonomy=taxonomy)
    assert figures(desk.maps(asked)) == figures([told])
    assert desk.maps(asked)[0].warnings == told.warnings


def test_several_afters_are_decided_together(desk: Desk, view: View) -> None:
    ids = list(desk.library.entries)
    both = replace(view, afters=(ids[1], ids[2]))
    assert figures(desk.maps(both)) == figures(compare_all(BEFORE, [AFTER, OTHER]))
    assert figures(desk.maps(both)) != figures([compare(BEFORE, AFTER), compare(BEFORE, OTHER)])


def test_sheets_have_causes_when_these_are_found(desk: Desk, view: View) -> None:
    told = Sheet.of(compare(BEFORE, AFTER))
    [bare], [whole] = desk.sheets(view), desk.sheets_with_causes(view)
    assert bare.causes == []
    assert whole.causes == told.causes != []
    assert whole.notes == told.notes
    assert bare.cells == told.cells


def test_a_condition_restricts_map_items_and_causes(desk: Desk, view: View) -> None:
    asked = replace(view, only=(("tag_1", "even"),))
    pair = compare(BEFORE, AFTER).pair
    wanted = slice_column(pair, "tag_1") == "even"
    told = map_pair(restrict(pair, wanted))
    assert figures(desk.maps(asked)) == figures([told])
    assert desk.maps(asked)[0].total.items == int(wanted.sum()) < len(wanted)
    lost = list_items(desk, replace(asked, transition="lost"))
    assert 0 < len(lost) == int((wanted & (pair.items["lost"] > 0)).sum())
    [sheet] = desk.sheets_with_causes(asked)
    counted = [row["count"] for row in sheet.causes if (row["level"], row["direction"]) == ("total", "lost")]
    assert sum(counted) == len(lost)
    assert {row["share_of_all"] for row in sheet.causes} == {None}


def test_conditions_that_leave_nothing_are_refused(desk: Desk, view: View) -> None:
    with pytest.raises(UsageError, match="no slice of tag_1"):
        desk.maps(replace(view, only=(("tag_1", "prime"),)))
    with pytest.raises(UsageError, match="can be sliced by"):
        desk.maps(replace(view, only=(("colour", "red"),)))


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_items_come_in_the_order_of_the_list(desk: Desk, view: View, transition: str) -> None:
    told = list_flips(compare(BEFORE, AFTER).pair, transition, causes=desk.ledgers(view)[0].causes())
    found = list_items(desk, replace(view, transition=transition))
    shown = found.show(0, len(found))
    assert len(shown) == told.height > 0
    for mine, row in zip(shown, told.to_dicts(), strict=True):
        assert {name: mine[name] for name in row} == row
        assert mine["transition"] == transition
        assert mine["after"] == 0


def test_brief_items_hold_what_was_asked_and_no_other_text(desk: Desk, view: View) -> None:
    found = list_items(desk, replace(view, transition="lost"))
    texts = {"options", "gold", "choice_before", "choice_after", "prompt_before", "prompt_after", "response_before", "response_after"}  # fmt: skip
    for brief, whole in zip(found.show(0, 30, brief=True), found.show(0, 30), strict=True):
        assert {brief[name] for name in texts} == {None}
        assert {name: value for name, value in whole.items() if name not in texts} == {
            name: value for name, value in brief.items() if name not in texts
        }
    table = pl.DataFrame(
        {"prompt": ["Ask. " * 500, "Ask too."], "gold": ["a", "a"], "correct": [True, False], "item_id": ["1", "2"]}
    )
    asked = desk_of(*(Run.from_frame(table, columns={"prompt": "prompt"}, model=name) for name in ("x", "y")))
    first = asked.first_view()
    assert first is not None
    for row in list_items(asked, first).show(0, 2, brief=True):
        assert row["question"].startswith("Ask")
        assert len(row["question"]) <= 500


def test_pages_hold_every_item_once(desk: Desk, view: View) -> None:
    found = list_items(desk, view)
    keys = [row["item"] for piece in found.pieces(37) for row in piece]
    assert len(keys) == len(set(keys)) == len(found) == compare(BEFORE, AFTER).total.items


def test_filters_by_cell_task_and_cause(desk: Desk, view: View) -> None:
    found = desk.maps(view)[0]
    cell = next(cell for cell in found.at("category") if cell.observed["lost"])
    of_cell = list_items(desk, replace(view, cell=("category", cell.name)))
    assert len(of_cell) == cell.items
    assert {row["task"] for row in of_cell.show(0, 1000)} == set(cell.task_names)
    of_task = list_items(desk, replace(view, task="gsm8k", transition="gained"))
    assert {(row["task"], row["transition"]) for row in of_task.show(0, 1000)} == {("gsm8k", "gained")}
    [sheet] = desk.sheets_with_causes(view)
    for row in sheet.causes:
        if row["level"] == "total":
            listed = list_items(desk, replace(view, transition=row["direction"], cause=row["cause"]))
            assert len(listed) == row["count"]
            assert {one["cause"] for one in listed.show(0, 5)} <= {row["cause"]}
    assert len(list_items(desk, replace(view, cause="nonsense"))) == 0
    assert len(list_items(desk, replace(view, cell=("total", "total")))) == found.total.items
    with pytest.raises(UsageError, match="no category 'nonsense'"):
        list_items(desk, replace(view, cell=("category", "nonsense")))


def test_facets_count_what_the_list_lists(desk: Desk, view: View) -> None:
    desk.ledgers(view)[0].causes()
    cell = ("task", STORY[1][0])
    for asked in (view, replace(view, cell=cell), replace(view, only=(("tag_1", "odd"),))):
        facets = count_facets(desk, asked)
        for one in facets["transitions"]:
            assert one["count"] == len(list_items(desk, replace(asked, transition=one["name"])))
        for one in facets["tasks"]:
            assert one["count"] == len(list_items(desk, replace(asked, task=one["name"])))
        for one in facets["causes"]:
            assert one["count"] == len(list_items(desk, replace(asked, cause=one["name"])))
        assert sum(one["count"] for one in facets["transitions"]) == facets["afters"][0]["count"]
        assert facets["causes_known"]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", ["task", "change", "length_after", "length_before"])
def test_sorting(desk: Desk, view: View, sort: str, descending: bool) -> None:
    found = list_items(desk, replace(view, sort=sort, descending=descending))
    keys = {
        "task": lambda row: row["task"],
        "change": lambda row: abs(row["score_after"] - row["score_before"]),
        "length_after": lambda row: len(row["response_after"] or row["choice_after"] or ""),
        "length_before": lambda row: len(row["response_before"] or row["choice_before"] or ""),
    }
    rows = found.show(0, len(found))
    missing = [row for row in rows if sort.startswith("length") and row[f"response_{sort[7:]}"] is None]
    values = [keys[sort](row) for row in rows[: len(rows) - len(missing)]]
    assert values == sorted(values, reverse=descending)
    assert len(set(values)) > 1 or sort == "length_before"
    assert rows[len(rows) - len(missing) :] == missing  # unknown is last, both ways


def test_several_afters_share_their_flips(desk: Desk, view: View) -> None:
    ids = list(desk.library.entries)
    both = replace(view, afters=(ids[1], ids[2]), transition="lost")
    pairs = [found.pair for found in compare_all(BEFORE, [AFTER, OTHER])]
    for place in (0, 1):
        told = list_flips(pairs[place], "lost", others=[pairs[1 - place]])
        found = list_items(desk, replace(both, of=place))
        rows = found.show(0, len(found))
        assert [row["item"] for row in rows] == told["item"].to_list()
        assert [row["shared_by"] for row in rows] == told["shared_by"].to_list()
        assert {row["after"] for row in rows} == {place}
    together = list_items(desk, both)
    assert len(together) == sum(len(list_items(desk, replace(both, of=place))) for place in (0, 1))
    assert together.afters[:4].tolist() == [0, 1, 0, 1]


def test_search_finds_words_ids_and_tasks(desk: Desk, view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PIECE", 50)
    asked = replace(view, search="QUESTION 17")
    slow = list_items(desk, asked, patience=0.0)
    assert 0 < slow.searched < slow.to_search  # said, not hidden
    found = list_items(desk, asked, patience=None)
    assert found.searched == found.to_search
    rows = found.show(0, 1000)
    assert {row["question"] for row in rows} == {
        row["question"] for row in list_items(desk, view).show(0, 10_000) if "question 17" in row["question"].lower()
    }
    assert len(rows) >= 11
    assert len(list_items(desk, replace(view, search="gsm8k"), patience=None)) == 120
    [one] = list_items(desk, replace(view, search="17"), patience=None).show(0, 1) or [None]
    assert one is not None
    assert len(list_items(desk, replace(view, search=".*"), patience=None)) == 0  # words, not patterns
    nothing = list_items(desk, replace(view, search="no such words"), patience=None)
    assert len(nothing) == 0


def test_slices_are_those_of_the_library(desk: Desk, view: View) -> None:
    pair = compare(BEFORE, AFTER).pair
    [found] = desk.slices(replace(view, by="tag_1"))
    assert found.to_dict() == slice_pair(pair, "tag_1").to_dict()
    [within] = desk.slices(replace(view, by="tag_1", cell=("task", "social_iqa")))
    assert sum(cell.items for cell in within.cells) == 120
    assert {name for cell in within.cells for name in cell.task_names} == {"social_iqa"}


def test_saved_runs_show_the_same_as_runs_in_memory(desk: Desk, view: View, tmp_path: Path) -> None:
    save_runs(tmp_path, (BEFORE, AFTER))
    saved = Desk(Library.open([tmp_path]), taxonomies=offered())
    first = saved.first_view()
    assert first is not None
    assert figures(saved.maps(first)) == figures(desk.maps(view))
    for one, at in ((saved, first), (desk, view)):
        one.ledgers(at)[0].causes()
    mine, theirs = (list_items(one, replace(at, transition="lost")) for one, at in ((saved, first), (desk, view)))
    assert mine.show(0, 50) == theirs.show(0, 50)


def test_repeats_and_runs_without_texts() -> None:
    planted = plant(60, repeats=3, tasks=2, texts=True, abstain=(0.1, 0.1), seed=5)
    desk = desk_of(planted.before, planted.after)
    view = desk.first_view()
    assert view is not None
    told = list_flips(compare(planted.before, planted.after).pair, "lost")
    found = list_items(desk, replace(view, transition="lost"))
    names = [name for name in told.columns if name != "cause"]
    assert [{name: row[name] for name in names} for row in found.show(0, 99)] == told.select(names).to_dicts()
    bare = [Run(info=run.info, _samples=run.scan(), source=run.source) for run in (planted.before, planted.after)]
    silent = desk_of(*bare)
    view = silent.first_view()
    assert view is not None
    rows = list_items(silent, replace(view, sort="length_after", descending=True)).show(0, 5)
    assert [row["response_after"] for row in rows] == [None] * 5
    assert list_items(silent, replace(view, search="x"), patience=None).to_search == 0


def test_copies_of_an_item_are_shown_each(tmp_path: Path) -> None:
    rows = [
        {
            "item_id": str(n),
            "question": "Twice?",
            "options": ["a", "b"],
            "gold": "a",
            "response": f"{n}",
            "correct": n % 2 == 0,
        }
        for n in range(4)
    ]
    runs = [
        Run.from_frame(
            pl.DataFrame([{**row, "correct": row["correct"] ^ bool(side)} for row in rows]), model=f"m{side}"
        )
        for side in (0, 1)
    ]
    desk = desk_of(*runs)
    view = desk.first_view()
    assert view is not None
    shown = list_items(desk, view).show(0, 9)
    assert sorted(row["native_id"] for row in shown) == ["0", "1", "2", "3"]


def test_what_is_made_ahead_is_what_is_asked_for(desk: Desk) -> None:
    fresh = desk_of(BEFORE, AFTER)
    view = fresh.first_view()
    assert view is not None
    assert fresh.warm(view)
    assert fresh.ahead.join(60)
    assert not fresh.warm(view)
    [ledger] = fresh.ledgers(view)
    assert ledger.known_causes() is not None
    assert np.array_equal(ledger.ranks("lost").rows, desk.ledgers(view)[0].ranks("lost").rows)


def test_a_pair_that_cannot_be_made_is_refused_when_asked_for() -> None:
    strangers = plant(30, tasks=["elsewhere"], first_item=999)
    desk = desk_of(BEFORE, strangers.after)
    view = desk.first_view()
    assert view is not None
    desk.warm(view)
    assert desk.ahead.join(60)
    for _ in range(2):
        with pytest.raises(Exception, match="no task in common"):
            desk.maps(view)


def test_the_views_next_to_a_view(desk: Desk, view: View) -> None:
    found = neighbours(desk, view)
    assert view not in found
    assert len(found) == len(set(found))
    assert {one.reading for one in found} == {"auto", "observed", "chance", "paper"}  # no repeats, no log-probabilities
    assert {one.level for one in found} == {"category", "task"}
    assert {one.weight for one in found} == {None, "items", "categories"}
    assert "log" not in {one.taxonomy for one in found}  # these logs name no groups
    for one in found:
        desk.maps(one)
    sliced = replace(view, by="tag_1")
    assert {one.only for one in slice_views(desk, sliced)} == {(("tag_1", "even"),), (("tag_1", "odd"),)}
    assert slice_views(desk, view) == []
