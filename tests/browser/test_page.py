"""The report page in a real browser."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.planted import item, items_of, one_map, one_page, planted, prose, several_maps
from forgetmap import Run, compare
from forgetmap.chain import chain_runs
from forgetmap.recipe import summarise_recipe
from forgetmap.report.page import ItemSet, build_page
from forgetmap.report.sheet import Sheet
from forgetmap.testing import join_planted, plant

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


def sections(page: Page) -> list[str]:
    return page.eval_on_selector_all("main > section", "all => all.map(one => one.id)")


def shown_tasks(page: Page) -> list[str]:
    return page.locator(".item .task").all_inner_texts()


def no_sideways_scroll(page: Page) -> None:
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window


def test_every_section_renders(open_html: Open) -> None:
    page = open_html(one_page())
    assert sections(page) == ["verdict", "map", "quadrants", "causes", "items", "method"]
    for name in sections(page):
        expect(page.locator(f"#{name} h2")).to_be_visible()
    figures = page.locator("figure svg")
    assert figures.count() >= 4
    for place in range(figures.count()):
        box = figures.nth(place).bounding_box()
        assert box is not None and box["width"] > 200 and box["height"] > 50
    expect(page.locator("#verdict .lead")).to_contain_text("lost something")
    expect(page.locator("#method")).to_contain_text(one_map().pair.before.info.content_hash or "no hash")


@pytest.mark.parametrize("transition", ["lost", "gained", "kept", "never"])
def test_filters_by_transition_and_task_agree_with_the_data(open_html: Open, transition: str) -> None:
    found = items_of((one_map(),))
    page = open_html(one_page())
    page.locator(f'[data-transition="{transition}"]').click()
    of_transition = [row for row in found.rows if row["transition"] == transition]
    expect(page.locator("#items .status")).to_have_attribute("data-total", str(len(of_transition)))
    task = of_transition[-1]["task"]
    page.locator('select[name="task"]').select_option(task)
    both = [row for row in of_transition if row["task"] == task]
    expect(page.locator("#items .status")).to_have_attribute("data-total", str(len(both)))
    assert set(shown_tasks(page)) == {task}
    assert page.locator(".item .tag").first.inner_text() == transition


def test_filter_by_cause_and_paging(open_html: Open) -> None:
    found = items_of((one_map(),))
    page = open_html(one_page())
    page.locator('[data-transition="lost"]').click()
    page.locator('select[name="cause"]').select_option("no_answer")
    wanted = [row for row in found.rows if row["transition"] == "lost" and row["cause"] == "no_answer"]
    expect(page.locator("#items .status")).to_have_attribute("data-total", str(len(wanted)))
    page.locator('select[name="cause"]').select_option("")
    page.get_by_role("button", name="later").click()
    expect(page.locator("#items .pages")).to_contain_text("21 to 40")
    second = [row for row in found.rows if row["transition"] == "lost"][20]
    expect(page.locator(".item").first).to_contain_text(second["native_id"])
    expect(page.locator(".item")).to_have_count(20)


def test_search_finds_and_says_when_it_does_not(open_html: Open) -> None:
    rows = [item(n) for n in range(60)]
    rows[37]["response_after"] = "A needle, of all things."
    rows[41]["options"] = ["w", "x", "y", "Needle"]
    page = open_html(build_page([Sheet.of(one_map())], items=ItemSet(rows, {"lost": 60})))
    page.locator('input[name="search"]').fill("NEEDLE")
    expect(page.locator("#items .status")).to_have_attribute("data-total", "2")
    expect(page.locator(".item").first).to_contain_text("Question 37?")
    page.locator('input[name="search"]').fill("no such words")
    expect(page.locator("#items .status")).to_have_text("No item fits.")


def test_items_sort(open_html: Open) -> None:
    rows = [item(n, confidence=value) for n, value in enumerate((0.1, None, 0.9, 0.5))]
    page = open_html(build_page([Sheet.of(one_map())], items=ItemSet(rows, {"lost": 4})))
    page.locator('select[name="sort"]').select_option("confidence")
    expect(page.locator(".item").first).to_contain_text("Question 2?")
    expect(page.locator(".item").last).to_contain_text("Question 1?")  # unknown is last, not least


def test_table_sorts_with_missing_last(open_html: Open) -> None:
    sheet = Sheet.of(one_map())
    content = one_map().to_dict()
    for cell in content["cells"]:
        if cell["name"] == "Math":
            cell["chance"] = cell["noise"] = cell["verdict"] = cell["verdict_reading"] = None
            cell |= dict.fromkeys(("lost", "lost_low", "lost_high"))
    page = open_html(build_page([Sheet.from_dict(content)]))
    head = page.locator("#map .sortable thead button", has_text="lost")
    column = head.evaluate("one => one.closest('th').cellIndex")

    def values() -> list[str]:
        cells = page.locator('#map tbody[data-level="category"] tr')
        return [cells.nth(row).locator("th, td").nth(column).inner_text() for row in range(cells.count())]

    for way in (-1, 1):
        head.click()
        expect(head.locator("..")).to_have_attribute("aria-sort", "descending" if way < 0 else "ascending")
        found = values()
        assert found[-1] == "–"
        numbers = [float(text.removesuffix(" %").strip("*†≥ ").replace("−", "-")) for text in found[:-1]]
        assert numbers == sorted(numbers, reverse=way < 0)
    assert len(found) == len(sheet.shown("category"))


def test_level_switch_and_the_tasks_behind_a_row(open_html: Open) -> None:
    page = open_html(one_page())
    bodies = {level: page.locator(f'#map tbody[data-level="{level}"]') for level in ("category", "task", "total")}
    expect(bodies["category"]).to_be_visible()
    expect(bodies["task"]).to_be_hidden()
    page.get_by_role("button", name="by task").click()
    expect(bodies["category"]).to_be_hidden()
    expect(bodies["task"].locator("tr")).to_have_count(6)
    expect(bodies["total"]).to_be_visible()
    bodies["total"].locator("summary").click()
    for name in one_map().total.task_names:
        expect(bodies["total"].locator("li", has_text=name)).to_be_visible()
    page.locator("[data-find]").fill("arc")
    expect(bodies["task"].locator("tr:visible")).to_have_count(1)
    expect(page.locator("[data-count]")).to_have_text("1 of 6 rows")


def test_a_cell_leads_to_its_items_and_the_address_keeps_the_state(open_html: Open) -> None:
    page = open_html(one_page())
    page.get_by_role("button", name="by task").click()
    page.locator('#map tbody[data-level="task"] tr', has_text="social_iqa").locator("th a").click()
    expect(page.locator('select[name="task"]')).to_have_value("social_iqa")
    page.locator('[data-transition="gained"]').click()
    page.wait_for_function("location.hash === '#items?transition=gained&task=social_iqa'")
    again = open_html(one_page(), at="#items?transition=gained&task=social_iqa&search=question")
    expect(again.locator('[data-transition="gained"]')).to_have_attribute("aria-pressed", "true")
    expect(again.locator('select[name="task"]')).to_have_value("social_iqa")
    expect(again.locator('input[name="search"]')).to_have_value("question")
    expect(again.locator(".item").first).to_be_visible()
    assert set(shown_tasks(again)) == {"social_iqa"}
    assert again.locator("#items").bounding_box()["y"] < 400  # type: ignore[index]


@cache
def page_of_wide_cells() -> tuple[str, ItemSet]:
    """A page one of whose categories stands for two tasks."""
    tasks = ("mmlu:college_mathematics", "mmlu:abstract_algebra", "piqa")
    parts = [
        plant(150, lost=0.2, gained=0.1, tasks=[task], seed=at, first_item=1000 * at) for at, task in enumerate(tasks)
    ]
    pair = join_planted(parts)
    found = compare(pair.before, pair.after)
    items = items_of((found,))
    return build_page([Sheet.of(found)], items=items), items


def chip_counts(page: Page) -> dict[str, int]:
    texts = page.locator("#items [data-transition]").all_inner_texts()
    return {name: int(number.replace(",", "")) for name, number in (text.split() for text in texts)}


def expected_counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    made = {name: sum(row["transition"] == name for row in rows) for name in ("lost", "gained", "kept", "never")}
    return {"all": len(rows), **made}


def test_transition_counts_follow_the_other_filters(open_html: Open) -> None:
    found = items_of((one_map(),)).rows
    page = open_html(one_page())
    assert chip_counts(page) == expected_counts(found)
    page.locator('select[name="task"]').select_option("social_iqa")
    of_task = [row for row in found if row["task"] == "social_iqa"]
    assert chip_counts(page) == expected_counts(of_task) != expected_counts(found)
    page.locator('select[name="cause"]').select_option("no_answer")
    assert chip_counts(page) == expected_counts([row for row in of_task if row["cause"] == "no_answer"])
    page.locator('select[name="cause"]').select_option("")
    page.locator('input[name="search"]').fill("no such words")
    expect(page.locator("#items .status")).to_have_text("No item fits.")
    assert set(chip_counts(page).values()) == {0}


def test_a_cell_of_several_tasks_leads_to_its_items_of_a_transition(open_html: Open) -> None:
    html, items = page_of_wide_cells()
    page = open_html(html)
    inside = [row for row in items.rows if row["task"].startswith("mmlu:")]
    row = page.locator('#map tbody[data-level="category"] tr', has_text="Math")
    for place, link in enumerate(("td.lost a", "td.gained a", "th a")):
        row.locator(link).click()
        expect(page.locator('select[name="within"] option:checked')).to_contain_text("Math")
        wanted = [one for one in inside if place == 2 or one["transition"] == ("lost", "gained")[place]]
        expect(page.locator("#items .status")).to_have_attribute("data-total", str(len(wanted)))
        assert chip_counts(page) == expected_counts(inside)
    page.locator("#map tr.total td.lost a").click()
    lost = [one for one in items.rows if one["transition"] == "lost"]
    expect(page.locator("#items .status")).to_have_attribute("data-total", str(len(lost)))
    expect(page.locator('select[name="within"]')).to_have_value("")


def test_the_interactive_forest_shows_zero_and_margin(open_html: Open) -> None:
    page = open_html(one_page())
    figure = page.locator('figure[data-figure^="map-forest"]')
    figure.locator("[data-interact]").click()
    expect(figure.locator(".live .zerolinelayer path")).to_have_count(2)
    rows = len(Sheet.of(one_map()).rows("category"))
    expect(figure.locator(".live .shapelayer path")).to_have_count(2 * rows)
    ink = "getComputedStyle(document.documentElement).getPropertyValue"
    colours = figure.locator(".live .zerolinelayer path").first.evaluate(
        f"one => [getComputedStyle(one).stroke, {ink}('--fm-grid').trim()]"
    )
    assert colours[0] != _rgb(colours[1])  # a zero line as pale as the grid is none


def _rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


def test_names_stay_in_view_while_tables_scroll_on_a_phone(open_html: Open) -> None:
    runs = [planted().before, planted().after, planted(silent=0.0).after]
    page = open_html(build_page([Sheet.of(one_map())], chain=chain_runs(runs)), size="phone")
    for fold in page.locator("details").all():
        fold.evaluate("one => one.open = true")
    seen = 0
    for box in page.locator(".box").all():
        if not box.is_visible() or not box.evaluate("one => one.scrollWidth > one.clientWidth + 30"):
            continue
        box.evaluate("one => { one.scrollLeft = one.scrollWidth; }")
        frame, name = box.bounding_box(), box.locator("tbody th").first
        if not name.is_visible():
            name = box.locator("tbody th:visible").first
        place = name.bounding_box()
        assert frame is not None and place is not None
        assert abs(place["x"] - frame["x"]) < 1 and place["width"] < frame["width"]
        seen += 1
    assert seen >= 4
    no_sideways_scroll(page)


def test_an_address_that_asks_for_nothing_here(open_html: Open) -> None:
    page = open_html(one_page(), at="#items?task=gone&sort=constructor&offset=-5&transition=%3Cb%3E")
    expect(page.locator("#items .status")).to_have_text("No item fits.")
    expect(page.locator('select[name="task"]')).to_have_value("gone")


def test_the_diff_marks_words_and_leaves_the_rest(open_html: Open) -> None:
    rows = [
        item(
            0,
            response_before="The capital of Australia is Canberra, I think.",
            response_after="The capital of Australia is surely Sydney, I think.",
        )
    ]
    page = open_html(build_page([Sheet.of(one_map())], items=ItemSet(rows, {"lost": 1})))
    page.locator(".item summary").first.click()
    assert page.locator(".side del").all_inner_texts() == ["Canberra"]
    assert page.locator(".side ins").all_inner_texts() == ["surely Sydney"]
    sides = page.locator(".side > .reply")
    assert sides.nth(0).inner_text() == rows[0]["response_before"]
    assert sides.nth(1).inner_text() == rows[0]["response_after"]
    gold = page.locator(".options li", has_text="x")
    expect(gold).to_contain_text("gold")
    expect(gold).to_contain_text("chosen before")
    expect(page.locator(".options li", has_text="y")).to_contain_text("chosen after")
    prompt = page.locator(".prompt summary")
    expect(prompt).to_have_text("Prompt on both sides")
    prompt.click()
    expect(page.locator(".prompt .reply")).to_have_text("Prompt")


def test_the_diff_is_a_shortest_one(open_html: Open) -> None:
    """What is left unmarked on both sides is the same text, and as long as the longest common one."""
    page = open_html(one_page())
    rng = random.Random(1)
    for _ in range(60):
        before, after = ("".join(rng.choice(".,;:") for _ in range(rng.randint(0, 14))) for _ in range(2))
        found = page.evaluate(
            "([a, b]) => { const d = ForgetmapItems.diff(a, b); return [d.before, d.after]; }", [before, after]
        )
        assert ["".join(part[0] for part in side) for side in found] == [before, after]
        kept = ["".join(part[0] for part in side if not part[1]) for side in found]
        assert kept[0] == kept[1]
        assert len(kept[0]) == _common(before, after)


def _common(a: str, b: str) -> int:
    """Length of the longest text that both hold, in order, with gaps."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "closing": "</script></style></textarea></title><svg onload=alert(3)>",
    "comment": "<!--<script>",
    "directions": "right \u202e to left \u2066 isolate \u200f mark שלום",
    "colours": "\x1b[31mred\x1b[0m and a bell \x07",
    "nothing": "a\x00b",
    "half": "half \ud800 a sign",
    "link": "javascript:alert(4)",
    "quotes": "\"' onmouseover=alert(5) x='",
    "template": "{{ 7*7 }} {% raw %} ${7*7} &lt;b&gt;",
    "line": "a\u2028b\u2029c\r\nd",
}


def test_hostile_texts_of_items(open_html: Open) -> None:
    rows = []
    for number, text in enumerate(HOSTILE.values()):
        named = dict.fromkeys(
            ("question", "response_before", "prompt_before", "choice_after", "native_id", "task"), text
        )
        rows.append(
            item(
                number,
                **named,
                response_after=text + " other",
                options=[text, "x"],
                gold=[text],
                marks=[text],
                cause=text,
            )
        )
    page = open_html(build_page([Sheet.of(one_map())], items=ItemSet(rows, {"lost": len(rows)})))
    page.get_by_role("button", name="unfold all").click()
    for summary in page.locator(".prompt summary").all():
        summary.click()
    assert page.locator("main script, .items img, .items svg, .items [onload], .items [onerror], .items a").count() == 0
    texts = page.locator(".side > .reply").all_inner_texts()
    assert texts[0] == HOSTILE["script"]
    whole = page.locator(".items").inner_text()
    for seen in ("\\u202e", "\\x1b[31m", "\\x00", "\\ud800", "\\u2028", "שלום", "{{ 7*7 }}"):
        assert seen in whole
    assert not any(sign in whole for sign in "\u202e\u2066\x1b\x00\x07\ufffd")
    for reply in page.locator(".reply").all():
        assert reply.evaluate("one => getComputedStyle(one).unicodeBidi") in ("plaintext", "isolate")
        assert reply.get_attribute("dir") == "auto"


def test_hostile_names_of_tasks_and_models_and_warnings(open_html: Open, shots: Path) -> None:
    text = json.dumps(one_map().to_dict())
    names = list(HOSTILE.values())
    content = json.loads(text)
    for cell, name in zip(content["cells"], names, strict=False):
        renamed = f"{name}{cell['name'][:3]}"
        cell |= {"name": renamed, "task_names": [renamed, *names], "flags": [names[0]]}
    content["cells"][-2]["name"] = "x" * 3000
    content["before"] |= {"model": "".join(names), "model_revision": names[0], "tool": names[1], "source": names[7]}
    content["after"] |= {"model": names[1], "date": names[0], "content_hash": names[8]}
    content["warnings"] = names
    content["notes"] = names
    content["taxonomy"] = names[0]
    content["pairing"]["settings_that_differ"] = [
        {"setting": name, "before": name, "after": "y" * 5000} for name in names
    ]
    sheet = Sheet.from_dict(content)
    found = items_of((one_map(),), most=5)
    html = build_page([sheet, replace(sheet, after=content["before"])], items=found, command="; ".join(names))
    page = open_html(html)
    assert page.locator("main script, main img, main [onload], main [onerror], main [onmouseover]").count() == 0
    assert not any(
        link.startswith("javascript") for link in page.eval_on_selector_all("a", "all => all.map(a => a.protocol)")
    )
    assert "\x1b" not in html and "\u202e" not in html
    expect(page.locator("#verdict")).to_contain_text("<script>alert(1)</script>")
    no_sideways_scroll(page)
    page.screenshot(path=shots / "hostile.png", full_page=True)
    narrow = open_html(html, size="phone")
    no_sideways_scroll(narrow)


def test_answers_of_a_megabyte_do_not_hang(open_html: Open) -> None:
    long = "word " * 200_000
    rows = [
        item(0, response_before=long, response_after=long.replace("word", "sword"), prompt_before="p" * 1_000_000),
        item(1, response_before="a" * 1_000_000, response_after=" " * 1_000_000),
    ]
    html = build_page([Sheet.of(one_map())], items=ItemSet(rows, {"lost": 2}))
    page = open_html(html)
    start = time.perf_counter()
    page.get_by_role("button", name="unfold all").click()
    expect(page.locator(".diff-note").first).to_contain_text("too long")
    assert len(page.locator(".side .reply").first.inner_text()) < 5000
    page.get_by_role("button", name="show 100,000 more").first.click()
    assert len(page.locator(".side .reply").first.inner_text()) > 100_000
    assert time.perf_counter() - start < 5
    expect(page.locator("#items")).to_contain_text("longer than")
    whole = page.evaluate("ForgetmapItems.diff('a '.repeat(500000), 'b '.repeat(500000))")
    assert whole is None


def test_keyboard_alone(open_html: Open) -> None:
    page = open_html(one_page())
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_be_focused()
    head = page.locator("#map .sortable thead button").first
    head.focus()
    page.keyboard.press("Enter")
    expect(head.locator("..")).to_have_attribute("aria-sort", "ascending")
    assert head.evaluate("one => one.matches(':focus-visible') && getComputedStyle(one).outlineStyle") == "solid"
    page.get_by_role("button", name="by task").focus()
    page.keyboard.press("Space")
    expect(page.locator('#map tbody[data-level="task"]')).to_be_visible()
    page.locator(".item summary").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".item .side").first).to_be_visible()
    unnamed = page.eval_on_selector_all(
        "button, select, input, a",
        "all => all.filter(one => one.checkVisibility() && !(one.textContent || one.ariaLabel || one.labels?.length)).map(one => one.outerHTML)",
    )
    assert unnamed == []


def test_interaction_without_network(open_html: Open) -> None:
    page = open_html(one_page())
    for button in page.locator("[data-interact]").all():
        figure = button.locator("xpath=ancestor::figure")
        button.click()
        expect(figure.locator(".live .main-svg").first).to_be_visible()
        expect(figure.locator("[data-static]")).to_be_hidden()
        button.click()
        expect(figure.locator("[data-static]")).to_be_visible()
    assert page.locator("[data-interact]").count() >= 2


def test_without_the_library_figures_stay(open_html: Open) -> None:
    html = one_page()
    start = html.index('<script type="application/octet-stream" data-block="plotly">')
    page = open_html(html[:start] + html[html.index("</script>", start) + len("</script>") :])
    assert page.locator("[data-interact]:visible").count() == 0
    broken = open_html(html[: start + 60] + "AAAA" + html[start + 64 :])
    button = broken.locator("[data-interact]").first
    button.click()
    expect(button).to_have_text("Interaction is not available")
    expect(broken.locator("figure svg").first).to_be_visible()


def test_theme_switch(open_html: Open) -> None:
    page = open_html(one_page())
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    switch = page.locator("[data-theme-switch]")
    switch.click()
    expect(switch).to_have_text("Theme: light")
    switch.click()
    expect(switch).to_have_text("Theme: dark")
    dark = page.evaluate(ground)
    assert light != dark
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(ground) == dark
    assert open_html(one_page(), scheme="dark").evaluate(ground) == dark


def test_storage_may_be_forbidden(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(one_page(), encoding="utf-8")
    context = browser.new_context()
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator("[data-theme-switch]").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert faults == []
    context.close()


def test_without_scripts_everything_but_items_shows(open_html: Open) -> None:
    page = open_html(one_page(), script=False)
    expect(page.get_by_text("everything is shown but the items")).to_be_visible()
    for level in ("category", "task", "total"):
        expect(page.locator(f'#map tbody[data-level="{level}"]')).to_be_visible()
    expect(page.locator("#map figure svg").first).to_be_visible()
    expect(page.locator("[data-show-level]").first).to_be_hidden()
    expect(page.locator("[data-theme-switch]")).to_be_hidden()


def test_the_policy_stops_what_slips_in(open_html: Open, browser: Any, tmp_path: Path) -> None:
    """Were markup ever to get into the page, its scripts would not run and nothing would be fetched."""
    path = tmp_path / "broken.html"
    evil = "<script>document.title = 'owned'</script><img src='https://example.invalid/x.png' onerror=\"document.title='owned'\">"
    path.write_text(one_page().replace('<p class="lead">', evil + '<p class="lead">', 1), encoding="utf-8")
    page = browser.new_page()
    fetched: list[str] = []
    page.on("requestfinished", lambda request: fetched.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.title() != "owned"
    assert [url for url in fetched if "example" in url] == []
    page.close()


@pytest.mark.parametrize("size", ["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screens(open_html: Open, shots: Path, size: str, scheme: str) -> None:
    page = open_html(one_page(), size=size, scheme=scheme)
    page.locator(".item summary").first.click()
    no_sideways_scroll(page)
    page.screenshot(path=shots / f"page-{size}-{scheme}.png", full_page=True)
    clipped = page.evaluate(
        """() => [...document.querySelectorAll("figure svg text")].filter(text => {
             const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect();
             return box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
           }).map(text => text.textContent)"""
    )
    assert clipped == []


def test_print(open_html: Open, shots: Path) -> None:
    page = open_html(one_page())
    for _ in range(2):
        page.locator("[data-theme-switch]").click()  # system, light, dark
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details[data-print]:not([open])").count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[data-print][open]").count() == 0
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.locator(".contents")).to_be_hidden()
    assert page.locator(".item").count() <= 20
    page.screenshot(path=shots / "page-print.png", full_page=True)
    page.emulate_media(media="null")  # a real print, not one that is played
    assert len(page.pdf(path=shots / "page.pdf")) > 20_000


def test_one_cell(open_html: Open) -> None:
    pair = plant(200, tasks=["arc:challenge"], known=0.8, lost=0.3, gained=0.0)
    page = open_html(build_page([Sheet.of(compare(pair.before, pair.after))]))
    expect(page.locator("#verdict .lead")).to_contain_text("lost")
    expect(page.locator("#items")).to_contain_text("This file holds no items")
    assert page.locator("[data-items]").count() == 0


def test_graded_scores_have_no_quadrants(open_html: Open) -> None:
    rng = random.Random(0)
    runs = []
    for side in range(2):
        rows = [
            {"item_id": str(n), "question": f"Question {n}?", "score": round(rng.random() * (1 - 0.2 * side), 3)}
            for n in range(150)
        ]
        runs.append(Run.from_frame(_frame(rows), model=f"model {side}", columns={"score": "score"}))
    found = compare(*runs, scale=(0.0, 1.0))
    assert found.total.observed["kept"] is None
    page = open_html(build_page([Sheet.of(found)], items=items_of((found,), 20)))
    assert "quadrants" not in sections(page)
    page.locator(".item summary").first.click()
    expect(page.locator(".side h3").first).to_contain_text("score 0.")


def _frame(rows: list[dict[str, Any]]) -> Any:
    import polars as pl

    return pl.DataFrame(rows)


def test_several_afters(open_html: Open, shots: Path) -> None:
    maps = several_maps()
    sheets = [Sheet.of(found) for found in maps]
    html = build_page(sheets, items=items_of(maps, 10), recipe=summarise_recipe(maps))
    page = open_html(html)
    assert page.locator("#verdict article").count() == 3
    expect(page.locator("#map details.pair")).to_have_count(3)
    expect(page.locator("#map")).to_contain_text("mean over 3 training seeds")
    page.locator('select[name="after"]').select_option("2")
    expect(page.locator("#items .status")).to_have_attribute("data-total", "10")
    page.locator("#map details.pair").nth(1).locator('tbody[data-level="category"] a').first.click()
    expect(page.locator('select[name="after"]')).to_have_value("1")
    no_sideways_scroll(page)
    page.screenshot(path=shots / "several.png", full_page=True)
    for scheme in ("light", "dark"):
        no_sideways_scroll(open_html(html, size="phone", scheme=scheme))


def test_columns_with_different_tasks_are_flagged(open_html: Open) -> None:
    maps = several_maps()
    content = maps[1].to_dict()
    for cell in content["cells"]:
        if cell["name"] == "Culture":
            cell["task_names"] = ["another:task"]
    page = open_html(build_page([Sheet.of(maps[0]), Sheet.from_dict(content)]))
    expect(page.locator("#map .callout.warning")).to_contain_text("Culture")
    flagged = page.locator('#map tbody[data-level="category"] tr', has_text="other tasks than the other AFTERs")
    assert flagged.count() == 2


def test_a_chain(open_html: Open, shots: Path) -> None:
    runs = [planted().before, planted().after, planted(silent=0.0).after]
    chain = chain_runs(runs, names=["base", "tuned", "<b>aligned</b>"])
    page = open_html(build_page([Sheet.of(one_map())], chain=chain))
    assert "life" in sections(page)
    expect(page.locator("#life svg")).to_be_visible()
    expect(page.locator("#life")).to_contain_text("lost for good")
    page.locator("#life").screenshot(path=shots / "chain.png")


def test_drift_where_there_is_some(open_html: Open) -> None:
    sheet = replace(Sheet.of(one_map()), drift=[{"trait": "length", "group": "HOW", "change": -0.25, "low": None}])
    page = open_html(build_page([sheet]))
    assert sections(page).index("drift") < sections(page).index("causes")
    expect(page.locator("#drift tbody")).to_contain_text("−0.25")


def test_a_large_page_is_small_and_quick(open_html: Open, shots: Path) -> None:
    names = [f"suite{place % 9}:task_{place:04}" for place in range(1000)]
    pair = plant(20_000, tasks=names, lost=0.08, gained=0.05)
    sheet = Sheet.of(compare(pair.before, pair.after))
    assert len(sheet.at("task")) == 1000
    rng = random.Random(0)
    heads = {name: prose(rng, 6000) for name in names[:20]}
    rows = []
    for number in range(2000):
        task = names[number % 20]
        prompt = heads[task] + prose(rng, 400)
        rows.append(
            item(
                number, task=task, question=prose(rng, 300), options=[prose(rng, 60) for _ in range(4)],
                prompt_before=prompt, prompt_after=prompt + " chat", response_before=prose(rng, 900),
                response_after=prose(rng, 1100), transition=("lost", "gained")[number % 2],
            )
        )  # fmt: skip
    html = build_page([sheet], items=ItemSet(rows, {"lost": 1000, "gained": 1000}))
    assert len(html.encode()) < 8_000_000
    waits = []
    for _ in range(3):
        start = time.perf_counter()
        page = open_html(html)
        expect(page.locator(".item").first).to_be_visible()
        waits.append(time.perf_counter() - start)
    assert min(waits) < 2
    page.locator("#map .sortable").scroll_into_view_if_needed()
    # From the press to the new layout, as the page itself measures it.
    for act in (
        "document.querySelectorAll('#map .sortable thead button')[7].click()",
        "document.querySelector('[data-find]').value = '0042'; document.querySelector('[data-find]').dispatchEvent(new Event('input'))",
        "document.querySelector('[data-transition=gained]').click(); await 0; await 0; await 0",
    ):
        spent = page.evaluate(
            f"(async () => {{ const t = performance.now(); {act}; document.body.offsetHeight; return performance.now() - t; }})()"
        )
        assert spent < 500
    expect(page.locator('#map tbody[data-level="task"] tr:visible')).to_have_count(1)
    page.locator("[data-find]").fill("")
    expect(page.locator("[data-count]")).to_have_text("100 of 1,000 rows")
    page.get_by_role("button", name="show all 1,000").click()
    expect(page.locator("[data-count]")).to_have_text("1,000 rows")
    start = time.perf_counter()
    page.locator('input[name="search"]').fill(rows[1999]["question"])
    expect(page.locator("#items .status")).to_have_attribute("data-total", "1")
    assert time.perf_counter() - start < 2
    page.screenshot(path=shots / "large.png")
