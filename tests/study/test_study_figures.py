"""Figures of a study: every pair is there, missing is drawn as missing, slopes are drawn as they are found."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from forgetmap.report.figures import Figure
from forgetmap.report.figures.movement import Moved, movement
from forgetmap.report.figures.ranking import ranking
from forgetmap.report.figures.trend import Side, trend
from forgetmap.report.shown import Shown
from forgetmap.study.trends import Point, fit_trend

EVIL = '<script>"x"</script>\x1b[31m\x00'


def shapes(figure: Figure, role: str) -> list[ET.Element]:
    """Parse the figure, which must be XML of our own making, and return the shapes of a role."""
    root = ET.fromstring(figure.svg)
    for node in root.iter():
        assert not node.tag.endswith(("script", "style")) and "style" not in node.attrib
        assert not any(name.startswith("on") for name in node.attrib)
    assert root.find("{http://www.w3.org/2000/svg}title") is not None and figure.note.endswith(".")
    return [node for node in root.iter() if node.get("data-role") == role]


def pair(name: str, lost: float | None, gained: float | None = 0.05, group: str | None = None) -> Moved:
    figures = [Shown(None) if one is None else Shown(one, one - 0.02, one + 0.03) for one in (lost, gained)]
    return Moved(name, figures[0], figures[1], 0.7, 0.6, group)


def sides(values: list[tuple[float, float]], group: str | None = "g") -> dict[str, Side]:
    points = [Point(f"p{n}{EVIL}", x, y, y - 0.02, y + 0.02, group, before=str(n)) for n, (x, y) in enumerate(values)]
    return {way: Side(points, fit_trend(points)) for way in ("lost", "gained")}


def test_a_trend_has_its_pairs_its_line_and_its_fan() -> None:
    falling = trend(sides([(10.0**n, 0.3 - 0.03 * n) for n in range(7, 12)]), along="parameters")
    assert len(shapes(falling, "pair")) == 10 and len(shapes(falling, "slope")) == 2
    assert len(shapes(falling, "slope-interval")) == 2
    assert all(one.get("stroke-dasharray") is None for one in shapes(falling, "slope"))
    assert "−3.0 points per ×10" in falling.svg
    flat = trend(sides([(10.0**n, 0.1 + 0.02 * (n % 2)) for n in range(7, 12)]), along="parameters")
    assert all(one.get("stroke-dasharray") for one in shapes(flat, "slope"))
    assert "no trend shown" in flat.svg


def test_without_a_slope_there_is_no_line_but_a_reason() -> None:
    figure = trend(sides([(1e9, 0.1), (7e9, 0.2)]), along="parameters")
    assert len(shapes(figure, "pair")) == 4 and not shapes(figure, "slope") and not shapes(figure, "slope-interval")
    assert "no slope: 2 different amounts" in figure.svg and "No slope of lost" in figure.note


def test_points_of_one_amount_do_not_hide_each_other() -> None:
    figure = trend(sides([(7e9, 0.1), (7e9, 0.1), (7e9, 0.1)]), along="parameters")
    places = [node.get("cx") for one in shapes(figure, "pair")[:3] for node in one if node.get("cx")]
    assert len(set(places)) == 3


def test_points_lie_where_they_should() -> None:
    """Heights are linear in the value, and every tenfold amount is as far from the one before."""
    figure = trend(sides([(1e8, 0.10), (1e9, 0.20), (1e10, 0.30)]), along="parameters")
    dots = [next(node for node in one if node.get("cx")) for one in shapes(figure, "pair")[:3]]
    x, y = ([float(str(dot.get(axis))) for dot in dots] for axis in ("cx", "cy"))
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.05) and x[0] < x[1]
    assert y[0] - y[1] == pytest.approx(y[1] - y[2], abs=0.05) and y[0] > y[1]


def test_a_ranking_hatches_what_is_missing() -> None:
    figure = ranking([pair("a", 0.2), pair(EVIL, None), pair("c", 0.1, None)], words="knowledge", unclear=["a"])
    assert len(shapes(figure, "pair")) == 4 and len(shapes(figure, "missing")) == 2
    assert "1 pair without a figure" in figure.note
    assert figure.svg.count("fm-paper fm-lost-line") == 1  # hollow: unclear


def test_a_long_ranking_shows_its_ends() -> None:
    figure = ranking([pair(f"pair {n}", 0.3 - n / 1000) for n in range(200)], words="knowledge")
    assert len(shapes(figure, "pair")) == 120 and "… 140 more …" in figure.svg
    assert "40 largest and the 20 smallest" in figure.note


def test_movement_is_never_less_than_the_net_change() -> None:
    figure = movement([pair("a", 0.2, 0.1), pair("b", 0.05, 0.3, "g"), pair("gone", None)], words="knowledge")
    assert figure is not None
    assert len(shapes(figure, "pair")) == 2 and len(shapes(figure, "bound")) == 2
    assert "not drawn: 1 pair" in figure.note
    assert movement([pair("gone", None)], words="knowledge") is None


def test_hundreds_of_pairs_are_a_cloud_without_names() -> None:
    figure = movement([pair(f"pair {n}", 0.1 + n / 5000, 0.05, f"g{n % 12}") for n in range(300)], words="knowledge")
    assert figure is not None and len(shapes(figure, "pair")) == 300
    assert not re.search(r">pair \d+<", figure.svg) and "5 more groups" in figure.svg
    assert len(figure.svg) < 400_000


@pytest.mark.parametrize("unit", ["% of items", "% of the scale"])
def test_axes_say_what_the_percentages_are_of(unit: str) -> None:
    pairs = [pair("a", 0.2), pair("b", 0.1)]
    moved = movement(pairs, words="grades", unit=unit)
    assert moved is not None
    lines = trend(sides([(1e9, 0.1), (7e9, 0.2)]), along="parameters", unit=unit)
    for figure in (moved, ranking(pairs, words="grades", unit=unit), lines):
        assert re.findall(r"% of [a-z ]+", figure.svg) and set(re.findall(r"% of [a-z ]+", figure.svg)) == {unit}
