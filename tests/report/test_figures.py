"""Figures against the data they draw: geometry is read back from the SVG."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap import compare
from forgetmap.cells import Cell
from forgetmap.chain import chain_runs
from forgetmap.errors import UsageError
from forgetmap.report.figures import (
    Figure,
    alluvial,
    cause_bars,
    forest,
    heat,
    quadrants,
    radar,
    write_figures,
)
from forgetmap.report.figures import palette as palette_module
from forgetmap.report.figures.canvas import Canvas, Scale, fit, label, percent_tick, text_width, ticks, wrap
from forgetmap.report.figures.dial import RADIUS, runs_of, spread
from forgetmap.report.figures.files import file_stems
from forgetmap.report.figures.heat import opacity
from forgetmap.report.figures.palette import DARK, LIGHT, css_rules
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import shown
from forgetmap.testing import Planted, join_planted, plant

SPACE = "{http://www.w3.org/2000/svg}"
TASKS = (
    "arc_challenge", "hellaswag", "winogrande", "piqa", "gsm8k", "truthfulqa_mc1", "bbh:logical_deduction_five_objects",
    "commonsense_qa", "mmlu:philosophy", "mmlu:world_religions", "openbookqa", "mmlu:college_physics",
)  # fmt: skip
HOSTILE = (
    "<script>alert(1)</script>]]>&\"'",
    "\u202ereversed\u202d",
    "x" * 1000,
    "nul\x00 esc\x1b[31m bell\x07 \ud800 \ufffe \ue000",
    "שלום עולם",
    "日本語の名前" * 60,
    "",
    "line\nbreak\ttab",
)


@cache
def planted(seed: int = 1, repeats: int = 1) -> Planted:
    parts = [
        plant(
            120 if place % 3 else 40,
            known=0.5 + 0.03 * (place % 9),
            lost=0.02 + 0.02 * ((place * seed) % 7),
            gained=0.01 + 0.015 * ((place + seed) % 6),
            options=(4, 2, 5, 0)[place % 4],
            tasks=[task],
            seed=100 * seed + place,
            first_item=10_000 * place,
            repeats=repeats,
            abstain=(0.0, 0.3),
        )
        for place, task in enumerate(TASKS)
    ]
    return join_planted(parts)


@cache
def sheet(seed: int = 1, repeats: int = 1) -> Sheet:
    pair = planted(seed, repeats)
    return Sheet.of(compare(pair.before, pair.after))


def named(base: Sheet, name: str) -> Sheet:
    return replace(base, after={**base.after, "model": name})


def changed(base: Sheet, change: Any, level: str = "task") -> Sheet:
    """The sheet with every cell of a level changed; `change` takes the cell and its place."""
    place, cells = -1, []
    for cell in base.cells:
        if cell.level == level:
            place += 1
            cell = change(cell, place)
        cells.append(cell)
    return replace(base, cells=cells)


def emptied(base: Sheet) -> Sheet:
    """Nothing is known of any cell."""

    def empty(cell: Cell) -> Cell:
        nothing = dict.fromkeys(cell.observed)
        decision = dict.fromkeys(cell.decision)
        return replace(cell, observed=nothing, decision=decision, chance=None, noise=None, soft=None, paper=None)

    return replace(base, cells=[empty(cell) for cell in base.cells], causes=[])


def graded(base: Sheet) -> Sheet:
    """As of graded scores without repeats: falls and rises, no quadrants, no verdicts."""

    def grade(cell: Cell) -> Cell:
        observed = {**cell.observed, "kept": None, "never": None}
        decision = {**cell.decision, "verdict": None, "verdict_reading": None, "margin": None}
        return replace(cell, observed=observed, decision=decision, chance=None, noise=None, soft=None, paper=None)

    return replace(base, cells=[grade(cell) for cell in base.cells], causes=[])


def many_cells(base: Sheet, count: int) -> Sheet:
    tasks = base.at("task")
    cells = [replace(tasks[n % len(tasks)], name=f"task {n}") for n in range(count)]
    return replace(base, cells=[*cells, base.total])


def with_range(base: Sheet, place: int) -> Sheet:
    """One task of which only a range is known: 2 to 15 % lost, 0 to 5 % gained."""
    ends = {"lost": None, "gained": None, "lost_from": 0.02, "lost_to": 0.15, "gained_from": 0.0, "gained_to": 0.05}

    def change(cell: Cell, at: int) -> Cell:
        if at != place:
            return cell
        assert cell.chance is not None
        decision = {**cell.decision, "verdict_reading": "chance"}
        return replace(cell, chance={**cell.chance, **ends}, decision=decision)

    return changed(base, change)


def parsed(figure: Figure) -> Element:
    """The figure's root, after what holds of every figure."""
    root = ElementTree.fromstring(figure.svg)
    assert root.tag == f"{SPACE}svg"
    assert root.attrib["role"] == "img"
    width, height = (float(n) for n in root.attrib["viewBox"].split()[2:])
    assert width > 0
    assert height > 0
    assert [child.tag for child in root[:2]] == [f"{SPACE}title", f"{SPACE}desc"]
    idents = [one.attrib["id"] for one in root.iter() if "id" in one.attrib]
    assert len(idents) == len(set(idents))
    assert set(root.attrib["aria-labelledby"].split()) <= set(idents)
    for one in root.iter():
        assert one.tag.removeprefix(SPACE) not in ("style", "script", "image", "foreignObject", "a", "use")
        assert "style" not in one.attrib
        assert not any(name.startswith("on") or "href" in name for name in one.attrib)
        for reference in re.findall(r"url\((.*?)\)", " ".join(one.attrib.values())):
            assert reference.removeprefix("#") in idents
    # Every colour has its class, so that a page can change it.
    for one in root.iter():
        classes = one.attrib.get("class", "").split()
        for attribute, ending in (("fill", ""), ("stroke", "-line")):
            colour = one.attrib.get(attribute, "none")
            if colour.startswith("#"):
                assert any(LIGHT.get(c.removeprefix("fm-").removesuffix(ending)) == colour for c in classes), one.attrib
    return root


def roles(root: Element, role: str) -> list[Element]:
    return [one for one in root.iter() if one.attrib.get("data-role") == role]


def numbers(data: str) -> list[float]:
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", data)]


def texts(root: Element) -> list[str]:
    return [own_text(one) for one in root.iter(f"{SPACE}text")]


def own_text(one: Element) -> str:
    """What is written, without the tooltip."""
    return (one.text or "") + "".join(child.tail or "" for child in one)


def all_figures(one: Sheet, level: str = "task") -> list[Figure]:
    made = [forest(one, level=level), radar([one], level=level), quadrants(one, level=level)]
    made += [heat([one, one], level=level, direction=way) for way in ("lost", "gained")]
    found = cause_bars(one, level=level)
    return [*made, *([found] if found else [])]


def axis_scale(root: Element, left: float, right: float, y: float) -> Scale:
    """The scale that the tick texts between two x say: from the first and the last of them."""
    marks = [
        (float(text.attrib["x"]), float((text.text or "").replace("−", "-")))
        for text in root.iter(f"{SPACE}text")
        if float(text.attrib["y"]) > y
        and left <= float(text.attrib["x"]) <= right
        and re.fullmatch(r"−?[\d.]+", text.text or "")
    ]
    (x0, low), *_, (x1, high) = sorted(marks)
    return Scale(low / 100, high / 100, x0, x1)


class TestForest:
    def scales(self, root: Element) -> dict[str, Scale]:
        heads = {text.text: float(text.attrib["x"]) - 15 for text in root.iter(f"{SPACE}text") if text.text in ("lost", "gained") and text.attrib["font-size"] == "13"}  # fmt: skip
        bottom = float(root.attrib["height"]) - 40
        return {way: axis_scale(root, x - 1, x + 251, bottom) for way, x in heads.items()}

    def test_points_and_intervals_stand_where_their_values_are(self) -> None:
        base = sheet()
        root = parsed(forest(base, level="task"))
        scales = self.scales(root)
        groups = [one for one in root.iter(f"{SPACE}g") if "data-way" in one.attrib]
        cells = base.rows("task")
        assert len(groups) == 2 * len(cells)
        seen = 0
        for group, (cell, way) in zip(groups, ((c, w) for c in cells for w in ("lost", "gained")), strict=True):
            found = shown(cell, "auto", way)
            assert group.attrib["data-way"] == way
            points = [one for one in group if one.attrib.get("data-role") == "point"]
            assert bool(points) == (found.value is not None)
            if found.value is not None:
                seen += 1
                assert float(points[0].attrib["data-x"]) == pytest.approx(scales[way](found.value), abs=0.05)
                corners = numbers(points[0].attrib["d"])[0::2]
                assert (min(corners) + max(corners)) / 2 == pytest.approx(scales[way](found.value), abs=0.05)
                hollow = "fm-paper" in points[0].attrib["class"]
                assert hollow == (cell.verdict == "unclear")
            if found.low is not None and found.high is not None:
                (interval,) = [one for one in group if one.attrib.get("data-role") == "interval"]
                left, _, right = numbers(interval.attrib["d"])[:3]
                assert left == pytest.approx(scales[way](found.low), abs=0.05)
                assert right == pytest.approx(scales[way](found.high), abs=0.05)
        assert seen >= 20

    def test_rows_hold_what_is_known_of_a_cell(self) -> None:
        base = sheet()
        said = texts(parsed(forest(base)))
        for cell in base.rows("category"):
            assert f"{cell.items:,}" in said
            assert (
                f"{100 * (cell.observed['acc_before'] or 0):.1f} → {100 * (cell.observed['acc_after'] or 0):.1f}"
                in said
            )
            assert any(cell.verdict in text for text in said if cell.verdict)
        assert any(text.startswith("total (mean of 12 tasks)") for text in said)

    def test_the_margin_is_drawn_at_its_place(self) -> None:
        base = sheet()
        root = parsed(forest(base))
        scales = self.scales(root)
        margins = {cell.decision["margin"] for cell in base.rows("category")}
        drawn = {round(float(one.attrib["x1"]), 1) for one in roles(root, "margin")}
        assert drawn == {round(scale(margin), 1) for scale in scales.values() for margin in margins}

    def test_the_noise_floor_is_drawn_from_zero(self) -> None:
        base = sheet(repeats=3)
        root = parsed(forest(base))
        scales = self.scales(root)
        floors = roles(root, "floor")
        expected = []
        for cell in base.rows("category"):
            assert cell.noise is not None
            sides = [cell.noise[name] for name in ("floor_before", "floor_after") if cell.noise[name] is not None]
            expected += [sum(sides) / len(sides)] * 2 if sum(sides) else []
        assert expected
        assert len(floors) == len(expected)
        for one, floor, way in zip(floors, expected, ["lost", "gained"] * len(expected), strict=False):
            x, width = float(one.attrib["x"]), float(one.attrib["width"])
            assert x == pytest.approx(scales[way](0), abs=0.05)
            assert x + width == pytest.approx(scales[way](floor), abs=0.05)
        assert "noise floor" in forest(base).note
        assert "noise floor" not in forest(sheet()).note

    def test_a_range_is_a_bar_without_a_point(self) -> None:
        base = with_range(sheet(), 1)
        root = parsed(forest(base, level="task"))
        scales = self.scales(root)
        name = base.at("task")[1].name
        groups = [one for one in root.iter(f"{SPACE}g") if one.attrib.get("data-cell") == name]
        for group, way, ends in zip(groups, ("lost", "gained"), ((0.02, 0.15), (0.0, 0.05)), strict=True):
            kinds = {one.attrib.get("data-role") for one in group}
            assert "point" not in kinds
            (bar,) = [one for one in group if one.attrib.get("data-role") == "range"]
            x, width = float(bar.attrib["x"]), float(bar.attrib["width"])
            assert (x, x + width) == pytest.approx([scales[way](end) for end in ends], abs=0.05)
        assert "range" in forest(base, level="task").note

    def test_missing_is_said_and_never_drawn_at_zero(self) -> None:
        figure = forest(emptied(sheet()))
        root = parsed(figure)
        assert not roles(root, "point")
        assert not roles(root, "interval")
        assert texts(root).count("– missing") == 2 * len(sheet().rows("category"))
        assert "Missing" in figure.note

    def test_only_so_many_rows(self) -> None:
        base = many_cells(sheet(), 200)
        figure = forest(base, level="task", most=30)
        assert len({one.attrib["data-cell"] for one in parsed(figure).iter() if "data-cell" in one.attrib}) == 31
        assert "170 tasks" in figure.note
        assert "not drawn" not in forest(sheet(), level="task").note

    def test_the_interactive_one_says_the_same(self) -> None:
        base = sheet()
        figure = forest(base, level="task")
        assert figure.plotly is not None
        lost = figure.plotly["data"][0]
        for at, cell in enumerate(base.rows("task")):
            value = shown(cell, "auto", "lost").value
            assert lost["x"][at] == (None if value is None else pytest.approx(100 * value))


class TestRadar:
    def dials(self, root: Element) -> dict[str, tuple[float, float]]:
        """Centres of the two panels: the middle of their outermost rings."""
        rings = [numbers(one.attrib["d"]) for one in roles(root, "ring")]
        half = len(rings) // 2
        centres = {}
        for way, ring in (("lost", rings[half - 1]), ("gained", rings[-1])):
            count = len(ring) // 2
            centres[way] = (sum(ring[0::2]) / count, sum(ring[1::2]) / count)
        return centres

    def ends(self, root: Element) -> tuple[float, float]:
        marks = [t.text or "" for t in root.iter(f"{SPACE}text") if t.attrib["font-size"] == "10"]
        values = [float(text.removesuffix(" %").replace("−", "-")) / 100 for text in marks]
        return min(*values, 0.0), max(values)

    @pytest.mark.parametrize("seeds", [(1,), (1, 2), (1, 2, 3, 4)])
    def test_points_lie_as_far_out_as_their_values(self, seeds: tuple[int, ...]) -> None:
        sheets = [sheet(seed) for seed in seeds]
        root = parsed(radar(sheets, level="task"))
        centres, (low, high) = self.dials(root), self.ends(root)
        points = roles(root, "point")
        expected = [
            (way, axis, place, value)
            for way in ("lost", "gained")
            for place, one in enumerate(sheets)
            for axis, cell in enumerate(one.at("task"))
            if (value := shown(cell, "auto", way).value) is not None
        ]
        assert len(points) == len(expected)
        for group, (way, axis, place, value) in zip(points, expected, strict=True):
            assert [group.attrib[f"data-{k}"] for k in ("way", "axis", "series")] == [way, str(axis), str(place)]
            mark = next(one for one in group if one.tag != f"{SPACE}title")
            if place == 0:
                x, y = float(mark.attrib["cx"]), float(mark.attrib["cy"])
                out = ((x - centres[way][0]) ** 2 + (y - centres[way][1]) ** 2) ** 0.5
                assert out == pytest.approx((value - low) / (high - low) * RADIUS, abs=0.2)
            hollow = "fm-paper" in mark.attrib["class"]
            assert hollow == (sheets[place].at("task")[axis].verdict == "unclear")

    def test_a_missing_axis_is_a_gap(self) -> None:
        base = sheet()
        gone = base.at("task")[4].name
        other = replace(named(base, "other"), cells=[cell for cell in base.cells if cell.name != gone])
        figure = radar([base, other], level="task")
        root = parsed(figure)
        outlines = [one.attrib["d"] for one in roles(root, "outline")]
        assert [d.endswith("Z") for d in outlines] == [True, False] * 2
        assert outlines[1].count("L") == len(base.at("task")) - 2  # one axis less, and not closed
        assert f"{gone} (1 of 2)" in figure.note
        (tag,) = [one for one in roles(root, "axis-label") if one[0].text == gone][:1]
        assert "–" in "".join(tag.itertext())

    def test_nothing_is_drawn_of_nothing(self) -> None:
        figure = radar([emptied(sheet())], level="task")
        root = parsed(figure)
        assert not roles(root, "point")
        assert not roles(root, "outline")
        assert texts(root).count("–") == 2 * len(TASKS)

    def test_both_panels_have_one_axis_that_fits_the_data(self) -> None:
        root = parsed(radar([sheet()], level="task"))
        marks = [t.text for t in root.iter(f"{SPACE}text") if t.attrib["font-size"] == "10"]
        assert marks[: len(marks) // 2] == marks[len(marks) // 2 :]
        values = [shown(cell, "auto", way).value or 0.0 for cell in sheet().at("task") for way in ("lost", "gained")]
        assert max(values) <= self.ends(root)[1] <= 1.7 * max(values)

    def test_ceilings_are_dashed_and_stay_within_the_rim(self) -> None:
        def lower(cell: Cell, place: int) -> Cell:
            assert cell.chance is not None
            return replace(cell, chance={**cell.chance, "known_before": 0.05 * (1 + place % 9)})

        base = changed(sheet(), lower)
        figure = radar([base], level="task", reading="chance")
        root = parsed(figure)
        drawn = roles(root, "ceiling")
        assert len(drawn) == 2
        centre, (low, high) = self.dials(root)["lost"], self.ends(root)
        points = numbers(drawn[0].attrib["d"])
        for axis, (x, y) in enumerate(zip(points[0::2], points[1::2], strict=True)):
            out = ((x - centre[0]) ** 2 + (y - centre[1]) ** 2) ** 0.5
            top = min(0.05 * (1 + axis % 9), high)
            assert out == pytest.approx((top - low) / (high - low) * RADIUS, abs=0.2)
        assert all(one.attrib["stroke-dasharray"] for one in drawn)
        assert "ceiling" in figure.note
        assert any("of max 5.0 %" in text for text in texts(root))

    def test_ceilings_beyond_the_axis_are_named(self) -> None:
        def raise_all(cell: Cell, place: int) -> Cell:
            assert cell.chance is not None
            return replace(cell, chance={**cell.chance, "known_before": 0.9, "known_after": 0.95})

        figure = radar([changed(sheet(), raise_all)], level="task", reading="chance")
        assert not roles(parsed(figure), "ceiling")
        assert "90.0 % to 95.0 %" in figure.note

    @pytest.mark.parametrize("count", [0, 1, 2])
    def test_three_axes_are_the_least(self, count: int) -> None:
        base = many_cells(sheet(), count)
        figure = radar([base], level="task")
        root = parsed(figure)
        assert "needs three tasks" in figure.note
        assert not roles(root, "ring")
        assert sum("lost" in text and "gained" in text and "%" in text for text in texts(root)) >= count

    @pytest.mark.parametrize("count", [3, 4, 5, 7, 9, 11, 12, 16, 24])
    @pytest.mark.parametrize("sheets", [1, 4])
    def test_labels_do_not_overlap(self, count: int, sheets: int) -> None:
        long = [
            f"{word}_of_{n}_and_a_good_deal_more" if n % 2 else f"Some {word} and {n}"
            for n, word in enumerate(["language", "commonsense", "mathematics", "truthfulness"] * 6)
        ]
        base = many_cells(sheet(), count)
        base = changed(base, lambda cell, place: replace(cell, name=long[place]))
        root = parsed(radar([named(base, f"m{n}") for n in range(sheets)], level="task"))
        boxes = list(roles(root, "axis-label"))
        assert len(boxes) == 2 * count
        width, height = (float(root.attrib[name]) for name in ("width", "height"))
        placed = []
        for tag in boxes:
            lines = [text_box(text) for text in tag.iter(f"{SPACE}text")]
            around = (
                min(b[0] for b in lines), min(b[1] for b in lines), max(b[2] for b in lines), max(b[3] for b in lines)
            )  # fmt: skip
            assert around[0] >= 0
            assert around[1] >= 0
            assert around[2] <= width
            assert around[3] <= height
            placed.append(around)
        for a, b in combinations(placed, 2):
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)

    def test_too_many_of_either_are_left_out_aloud(self) -> None:
        sheets = [named(many_cells(sheet(), 200), f"m{n}") for n in range(6)]
        figure = radar(sheets, level="task")
        root = parsed(figure)
        assert len(roles(root, "axis-label")) == 2 * 24
        assert "176 tasks" in figure.note
        assert "first 4 of 6" in figure.note

    def test_a_range_lies_along_its_axis(self) -> None:
        base = with_range(sheet(), 0)
        root = parsed(radar([base], level="task"))
        centre, (low, high) = self.dials(root)["lost"], self.ends(root)
        bars = roles(root, "range")
        assert len(bars) == 2
        x0, y0, x1, y1 = numbers(bars[0][1].attrib["d"])
        assert x0 == pytest.approx(x1) == pytest.approx(centre[0])  # the first axis points up
        assert centre[1] - y0 == pytest.approx((0.02 - low) / (high - low) * RADIUS, abs=0.1)
        assert centre[1] - y1 == pytest.approx((0.15 - low) / (high - low) * RADIUS, abs=0.1)


def text_box(text: Element) -> tuple[float, float, float, float]:
    size = float(text.attrib["font-size"])
    wide = text_width(own_text(text), size)
    x, y = float(text.attrib["x"]), float(text.attrib["y"])
    left = {"middle": x - wide / 2, "end": x - wide}.get(text.attrib.get("text-anchor", ""), x)
    return left, y - 0.8 * size, left + wide, y + 0.22 * size


class TestQuadrants:
    def test_bars_are_as_long_as_their_shares_and_fill_the_whole(self) -> None:
        base = sheet()
        root = parsed(quadrants(base))
        cells = base.rows("category")
        rows: dict[float, list[Element]] = {}
        for part in ("kept", "lost", "gained", "never"):
            for one in roles(root, part):
                rows.setdefault(float(one.attrib["y"]), []).append(one)
        assert len(rows) == len(cells)
        for (_, bars), cell in zip(sorted(rows.items()), cells, strict=True):
            for bar in bars:
                share = cell.observed[bar.attrib["data-role"]]
                assert share is not None
                assert float(bar.attrib["width"]) == pytest.approx(430 * share, abs=0.02)
            assert sum(float(bar.attrib["width"]) for bar in bars) == pytest.approx(430, abs=0.1)
            ordered = sorted(bars, key=lambda bar: float(bar.attrib["x"]))
            for left, right in pairwise(ordered):
                end = float(left.attrib["x"]) + float(left.attrib["width"])
                assert end == pytest.approx(float(right.attrib["x"]), abs=0.03)

    def test_the_change_stands_beside_what_moved(self) -> None:
        base = sheet()
        root = parsed(quadrants(base))
        lost, gained, changes = (roles(root, role) for role in ("moved-lost", "moved-gained", "change"))
        cells = base.rows("category")
        assert len(changes) == len(cells)
        moved = [cell for cell in cells if cell.observed["lost"]]
        zero = float(lost[0].attrib["x"])
        unit = float(lost[0].attrib["width"]) / (moved[0].observed["lost"] or 1)
        for one, cell in zip(changes, cells, strict=True):
            change = (cell.observed["acc_after"] or 0) - (cell.observed["acc_before"] or 0)
            assert float(one.attrib["data-x"]) == pytest.approx(zero + unit * change, abs=0.5)
        for one, cell in zip(gained, [cell for cell in cells if cell.observed["gained"]], strict=True):
            assert float(one.attrib["x"]) == pytest.approx(zero + unit * (cell.observed["lost"] or 0), abs=0.5)
            assert float(one.attrib["width"]) == pytest.approx(unit * (cell.observed["gained"] or 0), abs=0.5)

    def test_parts_are_told_apart_without_colour(self) -> None:
        root = parsed(quadrants(sheet()))
        fills = {part: roles(root, part)[0].attrib["fill"] for part in ("kept", "lost", "gained", "never")}
        assert len(set(fills.values())) == 4
        assert all(fills[part].startswith("url(") for part in ("lost", "gained", "never"))

    def test_graded_scores_have_movement_and_no_quadrants(self) -> None:
        figure = quadrants(graded(sheet()))
        root = parsed(figure)
        assert not roles(root, "kept")
        assert len(roles(root, "missing")) == len(sheet().rows("category"))
        assert len(roles(root, "change")) == len(sheet().rows("category"))
        assert "no quadrants" in figure.note

    def test_missing_is_hatched(self) -> None:
        figure = quadrants(emptied(sheet()))
        root = parsed(figure)
        assert len(roles(root, "missing")) == len(sheet().rows("category"))
        assert not roles(root, "change")
        assert not roles(root, "moved-lost")
        assert "Missing" in figure.note


class TestCauses:
    def test_shares_are_lengths_and_sum_to_the_whole(self) -> None:
        base = sheet()
        figure = cause_bars(base, level="task")
        assert figure is not None
        root = parsed(figure)
        lengths: dict[float, float] = {}
        for one in roles(root, "share"):
            y = float(one.attrib["y"])
            lengths[y] = lengths.get(y, 0) + float(one.attrib["width"])
        for role in ("share", "share_of_all"):
            for left, right in pairwise(roles(root, role)):
                if left.attrib["y"] == right.attrib["y"]:
                    end = float(left.attrib["x"]) + float(left.attrib["width"])
                    assert end == pytest.approx(float(right.attrib["x"]), abs=0.03)
        lost = [cell for cell in base.rows("task") if cell.observed["lost"]]
        assert len(lengths) == len(lost)
        assert list(lengths.values()) == pytest.approx([560] * len(lost), abs=0.1)
        total = {row["cause"]: row for row in base.causes if (row["direction"], row["level"]) == ("lost", "total")}
        last = max(lengths)
        for one in roles(root, "share"):
            if float(one.attrib["y"]) == last:
                assert float(one.attrib["width"]) == pytest.approx(
                    560 * total[one.attrib["data-cause"]]["share"], abs=0.05
                )
        for one in [one for one in roles(root, "share_of_all") if float(one.attrib["y"]) > last]:
            share = total[one.attrib["data-cause"]]["share_of_all"]
            assert float(one.attrib["width"]) == pytest.approx(560 * share, abs=0.05)
        assert f"{sum(row['count'] for row in total.values()):,.0f}" in texts(root)

    def test_there_are_two_sides(self) -> None:
        figures = [cause_bars(sheet(), direction=way) for way in ("lost", "gained")]
        assert [figure.name for figure in figures if figure] == ["causes", "causes-gained"]

    def test_no_causes_no_figure(self) -> None:
        assert cause_bars(replace(sheet(), causes=[])) is None

    def test_nothing_lost_is_said(self) -> None:
        base = sheet()
        gone = base.at("task")[0].name
        figure = cause_bars(replace(base, causes=[row for row in base.causes if row["name"] != gone]), level="task")
        assert figure is not None
        assert "– nothing lost" in texts(parsed(figure))
        assert f"Nothing lost: {gone}" in figure.note

    def test_many_causes_look_different(self) -> None:
        base = sheet()
        row = next(r for r in base.causes if (r["direction"], r["level"]) == ("lost", "total"))
        rows = [{**row, "cause": f"cause_{n}", "share": 1 / 16, "count": 2} for n in range(16)]
        figure = cause_bars(replace(base, causes=rows), level="total")
        assert figure is not None
        looks = {(one.attrib["fill"], one.attrib.get("fill-opacity")) for one in roles(parsed(figure), "share")}
        assert len(looks) == 16


class TestHeat:
    def fields(self, root: Element) -> list[Element]:
        kinds = ("missing", "range", "below")
        return [one for one in root.iter(f"{SPACE}rect") if (r := one.attrib.get("data-role")) and (r in kinds or r.startswith("field-"))]  # fmt: skip

    def test_every_cell_of_every_sheet_has_its_field(self) -> None:
        sheets = [named(sheet(n), f"model-{n}") for n in (1, 2, 3)]
        root = parsed(heat(sheets, level="task"))
        fields = self.fields(root)
        cells = [[one.at("task")[row] for one in sheets] for row in range(len(TASKS))] + [[one.total for one in sheets]]
        assert len(fields) == sum(len(row) for row in cells)
        said = texts(root)
        values = []
        for field, cell in zip(fields, (cell for row in cells for cell in row), strict=True):
            found = shown(cell, "auto", "lost")
            mark = " ?" if cell.verdict == "unclear" else ""
            assert found.text().replace(" %", "") + mark in said
            if found.value is not None and found.value >= 0:
                values.append((found.value, float(field.attrib["fill-opacity"])))
        values.sort()
        assert [strength for _, strength in values] == sorted(strength for _, strength in values)
        assert values[-1][1] > values[0][1]

    def test_missing_is_hatched(self) -> None:
        base = sheet()
        gone = base.at("task")[3].name
        other = replace(named(base, "other"), cells=[cell for cell in base.cells if cell.name != gone])
        figure = heat([base, other, emptied(base)], level="task")
        fields = self.fields(parsed(figure))
        missing = [place for place, one in enumerate(fields) if one.attrib["data-role"] == "missing"]
        assert missing == sorted([3 * row + 2 for row in range(len(TASKS) + 1)] + [3 * 3 + 1])
        assert all(fields[place].attrib["fill"].startswith("url(") for place in missing)
        assert f"{len(missing)} fields missing" in figure.note

    def test_other_task_sets_are_marked(self) -> None:
        base = sheet()
        more = changed(
            base,
            lambda cell, place: replace(cell, task_names=(*cell.task_names, "x")) if place == 2 else cell,
            "category",
        )
        sheets = [named(base, "same"), named(more, "other"), named(base, "third")]
        figure = heat(sheets)
        root = parsed(figure)
        (corners,) = roles(root, "other-tasks")
        assert corners.attrib["d"].count("M") == 1
        field = self.fields(root)[3 * 2 + 1]
        assert numbers(corners.attrib["d"])[:2] == pytest.approx([float(field.attrib["x"]), float(field.attrib["y"])])
        assert [text for text in texts(root) if text.endswith(" ≠")] == [f"{base.at('category')[2].name} ≠", "other ≠"]
        assert "other" in figure.note
        assert "≠" not in "".join(texts(parsed(heat([base, named(base, "b")]))))

    @pytest.mark.parametrize(("cells", "sheets"), [(1, 1), (1, 2), (100, 2), (9, 40), (60, 60)])
    def test_any_shape(self, cells: int, sheets: int) -> None:
        base = many_cells(sheet(), cells)
        figure = heat([named(base, f"m{n}") for n in range(sheets)], level="task")
        root = parsed(figure)
        width, height = (float(root.attrib[name]) for name in ("width", "height"))
        shapes = self.fields(root)
        if shapes:
            assert len(shapes) == (cells + 1) * sheets
            assert all(float(one.attrib["x"]) + float(one.attrib["width"]) <= width for one in shapes)
            assert all(float(one.attrib["y"]) + float(one.attrib["height"]) <= height for one in shapes)
        else:
            paths = [one for one in root.iter(f"{SPACE}path") if (one.attrib.get("data-role") or "").startswith(("field-", "below", "range"))]  # fmt: skip
            assert sum(one.attrib["d"].count("M") for one in paths) == (cells + 1) * sheets
        named_rows = set(texts(root))
        assert {f"m{n}" for n in range(sheets)} | {"task 0", "total"} <= named_rows

    def test_five_hundred_sheets_stay_light(self) -> None:
        base = many_cells(sheet(), 12)
        figure = heat([named(base, f"m{n}") for n in range(500)], level="task")
        root = parsed(figure)
        assert len(figure.svg) < 1_500_000
        assert float(root.attrib["height"]) > float(root.attrib["width"])  # sheets go down the page
        assert {"m0", "m499", "task 11"} <= set(texts(root))

    @given(st.floats(0, 1), st.floats(0, 1), st.floats(0.001, 1))
    def test_a_larger_value_is_never_weaker(self, a: float, b: float, top: float) -> None:
        bounds = ticks(0, top, 6)
        low, high = (opacity(value, bounds) for value in sorted((a, b)))
        assert low is not None
        assert high is not None
        assert 0 < low <= high <= 0.55

    def test_a_wrong_direction_is_refused(self) -> None:
        with pytest.raises(UsageError, match="lost or gained"):
            heat([sheet()], direction="both")
        with pytest.raises(UsageError, match="no map"):
            heat([])


class TestSurvival:
    def test_names_of_others_are_text(self) -> None:
        base = changed(
            sheet(), lambda cell, place: replace(cell, name=HOSTILE[place % len(HOSTILE)] + "·" * (place // 8))
        )
        base = replace(base, before={**base.before, "model": HOSTILE[0]}, after={**base.after, "model": "x" * 5000})
        causes = [{**row, "cause": HOSTILE[0]} for row in base.causes[:1]]
        for figure in all_figures(replace(base, causes=[*causes, *base.causes[1:]])):
            root = parsed(figure)
            assert "<script" not in figure.svg
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800\ue000]", figure.svg)
            assert len(figure.svg) < 200_000
            assert len(figure.title) < 300
            assert len(figure.note) < 1500
            width = float(root.attrib["width"])
            for text in root.iter(f"{SPACE}text"):
                if "transform" not in text.attrib and "x" in text.attrib and "font-size" in text.attrib:
                    left, _, right, _ = text_box(text)
                    assert left >= -1
                    assert right <= width + 1, own_text(text)
            assert "<script" not in json.dumps(figure.plotly)

    @pytest.mark.parametrize(
        "make", [emptied, graded, lambda base: many_cells(base, 1), lambda base: many_cells(base, 200)]
    )
    def test_whatever_is_missing(self, make: Any) -> None:
        for level in ("task", "category", "total"):
            for figure in all_figures(make(sheet()), level):
                parsed(figure)
                assert figure.note
                assert "None" not in figure.svg
                assert "nan" not in figure.svg

    @pytest.mark.parametrize("reading", ["observed", "chance", "paper", "soft"])
    def test_every_reading(self, reading: str) -> None:
        base = sheet()
        for figure in (forest(base, reading=reading), radar([base], reading=reading), heat([base], reading=reading)):
            parsed(figure)

    def test_a_mark_on_every_figure_would_mark_nothing(self) -> None:
        base = graded(sheet())
        for figure in (forest(base), radar([base]), heat([base])):
            assert not any("*" in text for text in texts(parsed(figure)))
        mixed_up = replace(base, cells=[*base.cells[:-1], sheet().total])  # here it does mark something
        figure = forest(mixed_up)
        assert any("*" in text for text in texts(parsed(figure)))
        assert "*: items that flipped" in figure.note

    def test_same_inputs_same_digits(self) -> None:
        assert [f.svg for f in all_figures(sheet())] == [f.svg for f in all_figures(sheet())]

    def test_two_figures_share_no_id(self) -> None:
        made = [*all_figures(sheet()), *all_figures(sheet(2))]
        idents: list[str] = []
        for figure in {figure.svg: figure for figure in made}.values():
            idents += re.findall(r' id="(.*?)"', figure.svg)
        assert len(idents) == len(set(idents))

    def test_plotly_takes_them(self) -> None:
        graph = pytest.importorskip("plotly.graph_objects")
        for figure in all_figures(with_range(sheet(), 2)):
            if figure.name != "causes":
                assert figure.plotly is not None
                graph.Figure(figure.plotly)  # refuses names and values it does not know
                json.dumps(figure.plotly, allow_nan=False)


class TestKit:
    @given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(2, 12))
    def test_ticks_hold_the_data_and_are_even(self, a: float, b: float, most: int) -> None:
        low, high = min(a, b), max(a, b)
        made = ticks(a, b, most)
        slack = 1e-6 * max(made[-1] - made[0], abs(low), abs(high))
        assert made[0] <= low + slack
        assert made[-1] >= high - slack
        assert 2 <= len(made) <= most + 1
        steps = [right - left for left, right in pairwise(made)]
        assert min(steps) > 0
        assert max(steps) == pytest.approx(min(steps), rel=1e-6)

    @given(st.floats(0, 1), st.integers(2, 8))
    def test_ticks_of_shares_are_round(self, high: float, most: int) -> None:
        made = ticks(0, high, most)
        assert made[0] == 0
        step = made[1]
        said = [percent_tick(value, step) for value in made]
        if high > 1e-4:
            assert len(set(said)) == len(said)
            assert [float(text) / 100 for text in said] == pytest.approx(made, abs=1e-6)

    @given(st.floats(-1, 1), st.floats(0.001, 2), st.floats(-3, 3), st.floats(-500, 500), st.floats(1, 900))
    def test_a_scale_is_linear(self, low: float, span: float, value: float, start: float, length: float) -> None:
        scale = Scale(low, low + span, start, start + length)
        assert scale(low) == pytest.approx(start)
        assert scale(low + span) == pytest.approx(start + length)
        assert (scale(value) - start) / length == pytest.approx((value - low) / span, abs=1e-6)

    @given(st.text(max_size=400), st.floats(40, 500), st.floats(8, 16), st.booleans())
    def test_what_fits_fits(self, text: str, width: float, size: float, middle: bool) -> None:
        assert text_width(fit(text, width, size, middle=middle), size) <= width
        lines = wrap(text, width, size, 3)
        assert 1 <= len(lines) <= 3
        assert all(text_width(one, size) <= width for one in lines)

    @given(st.text(max_size=200))
    def test_any_text_makes_sound_xml(self, text: str) -> None:
        canvas = Canvas("x", text, 100)
        canvas.add(label(1, 2, text, tip=text))
        root = ElementTree.fromstring(canvas.svg(10, text))
        assert len(root) == 4

    @given(st.lists(st.floats(-200, 200), min_size=1, max_size=15).map(sorted), st.floats(1, 40))
    def test_spread_keeps_order_and_gap(self, places: list[float], gap: float) -> None:
        made = spread(places, gap)
        assert all(right - left >= gap - 1e-6 for left, right in pairwise(made))
        assert sum(made) == pytest.approx(sum(places), abs=1e-6)

    @given(st.lists(st.booleans(), min_size=3, max_size=14))
    def test_runs_go_around_the_circle(self, present: list[bool]) -> None:
        runs = runs_of(present)
        assert sorted(at for run in runs for at in run) == [at for at, there in enumerate(present) if there]
        for run in runs:
            assert all((left + 1) % len(present) == right for left, right in pairwise(run))
            if len(run) < len(present):
                assert not present[(run[-1] + 1) % len(present)]

    def test_coordinates_must_be_numbers(self) -> None:
        with pytest.raises(ValueError, match="missing"):
            label(float("nan"), 0, "x")


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mixed(colour: str, ground: str, opacity: float) -> str:
    parts = [(int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in parts)


class TestPalette:
    @pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
    def test_contrasts(self, colours: dict[str, str]) -> None:
        for role in ("ink", "dim", "lost", "gained", "margin", *(f"s{n}" for n in range(8))):
            assert contrast(colours[role], colours["paper"]) >= 4.5, role
            if not role.startswith("s"):
                assert contrast(colours[role], colours["shade"]) >= 4.5, role
        for role in ("kept", "never", "missing", "floor"):
            assert contrast(colours[role], colours["paper"]) >= 3, role
        for way in ("lost", "gained"):  # numbers on the fields of a heat map
            strongest = mixed(colours[way], colours["paper"], opacity(1.0, [0.0, 0.5, 1.0]) or 1.0)
            assert contrast(colours["ink"], strongest) >= 4.5, way
        assert contrast(colours["ink"], mixed(colours["kept"], colours["paper"], 0.35)) >= 4.5

    def test_the_style_sheet_is_made_of_the_palette(self) -> None:
        path = Path(palette_module.__file__).with_name("figures.css")
        assert path.read_text(encoding="utf-8") == css_rules()

    def test_both_themes_know_every_role(self) -> None:
        assert list(LIGHT) == list(DARK)
        rules = css_rules()
        for role in LIGHT:
            assert f".fm-{role} {{ fill: var(--fm-{role}); }}" in rules
            assert f".fm-{role}-line {{ stroke: var(--fm-{role}); }}" in rules


class TestFiles:
    def test_every_format(self, tmp_path: Path) -> None:
        pytest.importorskip("vl_convert")
        figure = quadrants(sheet())
        written = write_figures([figure, figure, forest(sheet())], tmp_path / "new" / "folder")
        stems = ("quadrants", "quadrants-2", "forest")
        assert [path.name for path in written] == [f"{stem}.{kind}" for stem in stems for kind in ("svg", "png", "pdf")]
        assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == sorted(p.name for p in written)
        for path in written:
            start = {".svg": b"<svg ", ".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-"}[path.suffix]
            assert path.read_bytes().startswith(start)
        png = written[1].read_bytes()
        width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
        root = ElementTree.fromstring(figure.svg)
        assert width == pytest.approx(2 * float(root.attrib["width"]), abs=2)
        assert height == pytest.approx(2 * float(root.attrib["height"]), abs=2)

    def test_svg_needs_no_package(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "vl_convert", None)
        assert write_figures([quadrants(sheet())], tmp_path, ("svg",))
        with pytest.raises(UsageError, match=r"pip install 'forgetmap\[figures\]'"):
            write_figures([quadrants(sheet())], tmp_path / "other", ("svg", "png"))
        assert not (tmp_path / "other").exists()  # all or nothing

    def test_names_are_unlike_and_safe(self) -> None:
        figures = [replace(quadrants(sheet()), name=name) for name in ("a", "A", "a-2", "../x", "", "é" * 300, "a")]
        stems = file_stems(figures)
        assert len({stem.lower() for stem in stems}) == len(stems)
        assert all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,90}", stem) for stem in stems)

    def test_wrong_requests(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="svg, png, pdf"):
            write_figures([], tmp_path, ("jpg",))
        (tmp_path / "file").write_text("x")
        with pytest.raises(UsageError, match="is a file"):
            write_figures([], tmp_path / "file", ("svg",))


def test_the_alluvial_figure_is_one_of_them() -> None:
    pair = planted()
    figure = alluvial(chain_runs([pair.before, pair.after], names=["<script>base", "after\x1b" + "x" * 900]))
    root = parsed(figure)
    assert figure.name == "alluvial"
    assert "1,120 items with a score at every stage" in figure.note
    bands = root.findall(f"{SPACE}path")
    assert {name for band in bands for name in band.attrib["class"].split()} >= {"fm-kept", "fm-lost", "fm-gained"}


# ---- the interactive forest says what the drawing says -----------------------------------------------------------------


def test_the_interactive_forest_has_margin_floor_and_zero_and_holds_every_interval() -> None:
    pair = planted(repeats=3)
    sheet = Sheet.of(compare(pair.before, pair.after))
    figure = forest(sheet, reading="noise")
    spec = figure.plotly
    assert spec is not None
    rows = sheet.rows("category")
    shapes = spec["layout"]["shapes"]
    for axis in ("x", "x2"):
        margins = [shape for shape in shapes if (shape["name"], shape["xref"]) == ("margin", axis)]
        assert [shape["x0"] for shape in margins] == [100 * cell.decision["margin"] for cell in rows]
        assert [(shape["y0"] + shape["y1"]) / 2 for shape in margins] == list(range(len(rows)))
        floors = [shape for shape in shapes if (shape["name"], shape["xref"]) == ("floor", axis)]
        assert len(floors) == figure.svg.count('data-role="floor"') / 2 > 0
    for axis in ("xaxis", "xaxis2"):
        low, high = spec["layout"][axis]["range"]
        assert spec["layout"][axis]["zeroline"] and low < 0 < high
        for cell in rows:
            found = shown(cell, "noise", "lost" if axis == "xaxis" else "gained")
            assert low <= 100 * (found.low or 0.0) and 100 * (found.high or 0.0) <= high


def test_an_interval_without_a_point_is_drawn_in_the_interactive_forest_too() -> None:
    pair = planted()
    sheet = Sheet.of(compare(pair.before, pair.after))
    bare = [
        replace(cell, observed=cell.observed | {"lost": None, "lost_low": -0.81, "lost_high": 1.01})
        for cell in sheet.cells
    ]
    spec = forest(replace(sheet, cells=bare), reading="observed").plotly
    assert spec is not None
    lines = [one for one in spec["data"] if one["mode"] == "lines" and one["xaxis"] == "x"]
    assert [one["x"] for one in lines] == [[-81.0, 101.0]] * len(sheet.rows("category"))
    low, high = spec["layout"]["xaxis"]["range"]
    assert low < -81 and high > 101


@pytest.mark.parametrize("graded", [False, True])
def test_the_unit_of_forest_and_quadrants_is_that_of_the_scores(graded: bool) -> None:
    pair = planted()
    sheet = Sheet.of(compare(pair.before, pair.after))
    if graded:
        cells = [replace(cell, observed=cell.observed | {"kept": None, "never": None}) for cell in sheet.cells]
        sheet = replace(sheet, cells=cells)
    unit, other = ("% of the scale", "% of items") if graded else ("% of items", "% of the scale")
    for figure in (forest(sheet, reading="observed"), quadrants(sheet)):
        assert unit in figure.svg and other not in figure.svg
        assert unit in json.dumps(figure.plotly) and other not in json.dumps(figure.plotly)
    assert ("lucky guesses" in quadrants(sheet).svg) != graded
