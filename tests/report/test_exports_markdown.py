"""Markdown, rendered by a real renderer: the cells of the table are the map's, names are text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import exported
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from forgetmap.report.exports import markdown_text
from forgetmap.report.markdown_signs import escape
from forgetmap.report.plain import visible
from forgetmap.report.shown import cut
from forgetmap.report.styles import STYLES, styled_tables


class Page(HTMLParser):
    """Tables as lists of rows, the tags that occurred, and the text."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.tags: set[str] = set()
        self.text = ""
        self._inside = False
        self.feed(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._inside = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._inside:
            self.tables[-1][-1][-1] += data


def flat(text: str) -> str:
    return " ".join(visible(text).split())


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("number", [1, 2, 5])
def test_rendered_tables_are_the_styled_ones(style: str, number: int) -> None:
    sheets = exported.capabilities(number) if style == "captrack" else exported.several(number)
    page = Page(markdown_text(sheets, style=style))
    expected = [
        [
            [column.name for column in table.columns],
            *([*row.texts, *[""] * (len(table.columns) - len(row.texts))] for row in rows),
        ]
        for table in styled_tables(sheets, style)
        for _, rows in table.sections()
    ]
    assert page.tables == expected


def test_hostile_names_are_text() -> None:
    text = markdown_text([exported.hostile()])
    page = Page(text)
    (table,) = page.tables
    assert {len(row) for row in table} == {11}
    names = {row[0].replace("\u200b", "") for row in table[1:-1]}
    assert names == {flat(cut(name, 120)) for name in exported.HOSTILE}
    assert page.tags <= {"h3", "p", "br", "table", "thead", "tbody", "tr", "th", "td", "strong", "ul", "li", "details", "summary"}  # fmt: skip
    assert "<script" not in text and "https://" not in text and "www." not in text
    # GitHub finds mentions and references in the rendered text: nothing may be left to find
    assert not re.search(r"@\w|#\d|GH-\d", page.text)


def test_sentences_warnings_and_legend_are_there() -> None:
    sheet = replace(exported.open_ended(), warnings=["mind <this>", *exported.HOSTILE[2:4]])
    page = Page(markdown_text([sheet]))
    assert "planted-before → planted-after: 400 items in 2 tasks" in page.text
    assert "Score " in page.text and "a … b: a range" in page.text
    assert all(flat(warning) in page.text for warning in sheet.warnings)


def test_tasks_behind_the_rows_are_named() -> None:
    page = Page(markdown_text([exported.sheet()]))
    assert "Math: mmlu:abstract_algebra, mmlu:college_mathematics" in page.text


@pytest.mark.parametrize("name", [*exported.HOSTILE[:-1], "1. x", "1) x", "+ x", "- x", "=== x", "---", "> x", "# x", "&amp; &#35;", "a  b"])  # fmt: skip
def test_a_name_in_a_list_is_one_item_of_plain_text(name: str) -> None:
    page = Page(f"- {escape(name)}\n- next")
    assert page.tags == {"ul", "li"}
    assert page.text.replace("\u200b", "").split("\n")[1:3] == [flat(name), "next"]


@given(st.text(max_size=40))
def test_any_text_is_shown_as_it_is(name: str) -> None:
    page = Page(f"- {escape(name)}x\n\n| a |\n| --- |\n| {escape(name)} |")
    assert page.tags == {"ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.tables[0][1][0].replace("\u200b", "") == flat(name).replace("\u200b", "")


def test_long_texts_are_cut_where_asked() -> None:
    assert escape("x" * 50, 10) == "x" * 9 + "…"
    assert escape("x" * 500) == "x" * 500


def test_models_of_one_name_are_told_apart() -> None:
    text = markdown_text(exported.namesakes())
    heads = [line for line in text.splitlines() if line.startswith("### ")]
    assert [line.split(":")[0] for line in heads] == [
        "### base → tuned (1)",
        "### base → tuned (2)",
        "### base → other",
    ]
    folds = [line for line in text.splitlines() if "How the runs were paired" in line]
    assert [line.partition("paired: ")[2].partition("<")[0] for line in folds] == ["tuned (1)", "tuned (2)", "other"]
    assert text.count("| tuned (1) | tuned (2) | other |") == 3
    assert "tuned (2): runs/second" in text and "runs/third" not in text
