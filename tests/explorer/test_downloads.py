"""What is taken away is what was seen."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import httpx
import msgspec
import polars as pl
import pytest

from explorer.served import Served, desk_of, serving, story
from forgetmap import compare
from forgetmap.chain import chain_runs
from forgetmap.map import maps_to_dict
from forgetmap.report.exports import tidy_tables
from forgetmap.report.figures import forest
from forgetmap.report.sheet import Sheet

BEFORE, AFTER = story(items=60)
OTHER = story(seed=3, items=60, name="other <b>..\"'\n")[1]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(desk_of(BEFORE, AFTER, OTHER)) as running:
        yield running


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[httpx.Client]:
    client = served.client()
    yield client
    client.close()


def test_the_cells(client: httpx.Client) -> None:
    answer = client.get("/download/cells.csv?reading=observed&weight=items")
    told = tidy_tables([Sheet.of(compare(BEFORE, AFTER, reading="observed", weight="items"))])["cells"]
    assert answer.text == told.write_csv()
    assert answer.headers["content-disposition"] == 'attachment; filename="base--tuned--cells.csv"'
    assert answer.headers["content-type"].startswith("text/csv")


def test_the_map_as_json_is_that_of_compare(client: httpx.Client) -> None:
    told = msgspec.json.decode(msgspec.json.encode(maps_to_dict([compare(BEFORE, AFTER)])))
    assert client.get("/download/map.json").json() == told


def test_all_items_of_the_filter_not_just_the_page(client: httpx.Client) -> None:
    total = client.get("/api/items?transition=gained&limit=1").json()["total"]
    answer = client.get("/download/items.csv?transition=gained&limit=1&offset=3")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == total > 20
    assert {row["transition"] for row in rows} == {"gained"}
    told = compare(BEFORE, AFTER).gained()
    assert [row["item"] for row in rows] == told["item"].to_list()
    assert [row["response_after"] for row in rows] == told["response_after"].to_list()
    assert rows[0]["options"] == " | ".join(told["options"].to_list()[0] or [])
    searched = client.get("/download/items.csv?search=question%2011").text
    assert pl.read_csv(io.StringIO(searched)).height == client.get("/api/items?search=question%2011").json()["total"]


@pytest.mark.parametrize("name", ["forest", "radar", "quadrants", "causes-lost", "causes-gained"])
def test_figures(client: httpx.Client, name: str) -> None:
    svg = client.get(f"/download/figures/{name}.svg?level=task")
    assert svg.headers["content-type"] == "image/svg+xml"
    assert svg.text.lstrip().startswith("<svg")
    png = client.get(f"/download/figures/{name}.png?level=task")
    assert png.content.startswith(b"\x89PNG")
    if name == "forest":
        assert svg.text == forest(Sheet.of(compare(BEFORE, AFTER)), level="task").svg


def test_figures_of_slices_chains_and_several_afters(served: Served, client: httpx.Client) -> None:
    ids = list(served.desk.library.entries)
    several = f"before={ids[0]}&after={ids[1]}&after={ids[2]}"
    assert client.get("/download/figures/slices.svg?by=tag_1").text.count("<path") >= 4
    for name in ("heat-lost", "heat-gained", "alluvial"):
        assert client.get(f"/download/figures/{name}.svg?{several}&chain=1").status_code == 200
    other = client.get(f"/download/figures/forest.svg?{several}&place=1")
    assert "other" in other.text
    for query in ("place=7", "place=-1", "place=x", "place=1", "place=999"):
        assert client.get(f"/download/figures/forest.svg?{query}").status_code == 400
    for path in ("nonsense.svg", "forest.pdf", "slices.svg", "heat-x.svg"):
        refused = client.get(f"/download/figures/{path}")
        assert refused.status_code == 400
        assert refused.json()["error"]


def test_names_of_files_are_tame(served: Served, client: httpx.Client) -> None:
    ids = list(served.desk.library.entries)
    answer = client.get(f"/download/cells.csv?before={ids[0]}&after={ids[2]}")
    assert answer.headers["content-disposition"] == 'attachment; filename="base--other_b--cells.csv"'


def test_the_report_of_a_view(served: Served, client: httpx.Client) -> None:
    ids = list(served.desk.library.entries)
    answer = client.get(f"/download/report.html?before={ids[0]}&after={ids[1]}&after={ids[2]}&chain=1&transition=lost")
    assert answer.status_code == 200
    assert answer.text.startswith("<!doctype html>")
    for section in ("verdict", "map", "quadrants", "causes", "life", "items", "method"):
        assert f'<section id="{section}"' in answer.text
    assert "<b>.." not in answer.text


def test_life_lines(served: Served, client: httpx.Client) -> None:
    ids = list(served.desk.library.entries)
    [section] = client.get(f"/api/chain?before={ids[0]}&after={ids[1]}&after={ids[2]}").json()["sections"]
    told = chain_runs([BEFORE, AFTER, OTHER])
    assert section["id"] == "life"
    for line in told.life["line"].head(3):
        assert line in section["html"]
