"""What the page says of an item: its scores as what they are, and a choice beside no answer with a word on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.planted import item, one_map
from forgetmap.flips import change_words, score_words
from forgetmap.report.page import ItemSet, build_page
from forgetmap.report.sheet import Sheet

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


def unfolded(open_html: Open, **more: Any) -> Locator:
    page = open_html(build_page([Sheet.of(one_map())], items=ItemSet([item(0, **more)], {"lost": 1})))
    page.locator(".item summary").first.click()
    return page.locator(".item-body")


@pytest.mark.parametrize(
    "facts",
    [
        {"kind": "binary"},
        {"kind": "graded"},
        {"kind": "graded", "score_before": 0.8, "score_after": 0.3},
        {"kind": "graded", "score_before": 0.8123, "score_after": 1 / 3, "repeats_before": 4, "repeats_after": 3},
        {"kind": "binary", "score_before": 0.75, "score_after": 0.25, "repeats_before": 4, "repeats_after": 4},
        {"kind": "binary", "score_before": 1.0, "score_after": 0.5, "repeats_after": 2},
    ],
)
def test_scores_as_the_terminal_says_them(open_html: Open, facts: dict[str, Any]) -> None:
    body = unfolded(open_html, **facts)
    row = item(0, **facts)
    heads = [f"{side} {score_words(row, side)}" for side in ("before", "after")]
    expect(body.locator(".side h3")).to_have_text(heads)
    change = change_words(row)
    if change is not None:
        expect(body.locator("> p.dim").first).to_contain_text(change)


def test_a_choice_beside_no_answer(open_html: Open) -> None:
    note = "the log scored 'y'; the reply names no option"
    body = unfolded(open_html, kind="binary", choice_after=None, state_after="no_answer", note_after=note)
    after = body.locator(".side").nth(1)
    expect(after).to_contain_text(note)
    expect(after).not_to_contain_text("Read as")
    expect(body).not_to_contain_text("chosen after")
    expect(body.locator(".side").nth(0)).not_to_contain_text("scored")
