"""The explorer in a real browser: what people click, and what they must never notice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import SIZES, Seen, watch
from explorer.served import Served, desk_of, serving, story
from forgetmap import Run, compare
from forgetmap.report.plain import percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import shown

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

BEFORE, AFTER = story()
OTHER = story(seed=3, name="other")[1]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(desk_of(BEFORE, AFTER, OTHER)) as running:
        yield running


@pytest.fixture(scope="module")
def session(browser: Browser, served: Served) -> list[dict]:
    """The cookies of the browser that opened the printed link."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.address)
    assert page.url == f"{served.base}/"  # the token is gone from the address
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture
def open_view(browser: Browser, served: Served, session: list[dict]) -> Iterator[Open]:
    """Open a permalink. At the end of the test: no console error, and not a single request to anywhere else."""
    contexts, watched = [], []

    def open_(query: str = "", *, size: str = "desk", scheme: str = "light") -> Page:
        context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, accept_downloads=True)  # type: ignore[arg-type]
        context.add_cookies(session)  # type: ignore[arg-type]
        context.set_default_timeout(15_000)
        page, seen = context.new_page(), Seen()
        watch(page, seen)
        contexts.append(context)
        watched.append(seen)
        page.goto(f"{served.base}/{query and '?' + query}")
        ready(page)
        return page

    open_.refused = []  # what the test expects the browser to say of refusals
    yield open_
    for context in contexts:
        context.close()
    for seen in watched:
        assert seen.faults == open_.refused
        assert [url for url in seen.requests if not url.startswith((f"{served.base}/", "data:", "blob:"))] == []


def ready(page: Page) -> None:
    """Everything is drawn and nothing is going on."""
    page.wait_for_selector("html[data-ready]", state="attached")
    page.wait_for_selector("html[data-causes-drawn][data-slices-drawn][data-more-drawn]", state="attached")
    page.wait_for_selector(".items .status:not(:empty)")
    settled(page)


def settled(page: Page) -> None:
    """Whatever a click began has ended."""
    page.wait_for_selector('html[data-busy="0"]', state="attached")


def row(page: Page, name: str) -> list[str]:
    found = page.locator(f'#map tr[data-cell$="/{name}"]:visible')
    return [text.strip() for text in found.first.locator("th, td").all_inner_texts()]


def sections(page: Page) -> list[str]:
    return page.eval_on_selector_all("main > section:not([hidden])", "all => all.map(one => one.id)")


def total(page: Page) -> int:
    return int(page.locator(".items .status").get_attribute("data-total") or -1)


def lose(cell_name: str, **options: str) -> str:
    sheet = Sheet.of(compare(BEFORE, AFTER, **options))
    reading = options.get("reading", "auto")
    return shown(next(cell for cell in sheet.cells if cell.name == cell_name), reading, "lost").text()


def test_the_first_view(open_view: Open) -> None:
    page = open_view()
    assert sections(page) == ["verdict", "map", "items", "slices", "quadrants", "causes", "method", "downloads"]
    expect(page.locator("h1")).to_have_text("base → tuned")
    expect(page.locator("#verdict .lead")).to_contain_text("lost something")
    assert page.locator("#map svg").count() >= 2
    found = compare(BEFORE, AFTER)
    for cell in found.at("category"):
        told = row(page, cell.name)
        assert lose(cell.name) in told
        assert f"{cell.items:,}" in told
    assert total(page) == found.total.items
    assert page.title() == "base → tuned · forgetmap"


@pytest.mark.parametrize(
    ("box", "value"),
    [("reading", "observed"), ("reading", "paper"), ("weight", "items"), ("taxonomy", "captrack"), ("level", "task")],
)
def test_switching_shows_the_numbers_of_compare(open_view: Open, box: str, value: str) -> None:
    page = open_view()
    page.select_option(f"[name={box}]", value)
    ready(page)
    assert f"{box}={value}" in page.url
    options = {} if box == "level" else {box: value}
    found = compare(BEFORE, AFTER, **options)
    cell = found.at("task")[0] if box == "level" else found.at("category")[0]
    assert lose(cell.name, **options) in row(page, cell.name)
    whole = page.locator("#map tr.total").first.locator("th, td").all_inner_texts()
    assert shown(Sheet.of(found).total, options.get("reading", "auto"), "gained").text() in whole
    assert percent(found.total.observed["acc_before"]) in whole


def test_a_cell_shows_its_items_and_back_goes_back(open_view: Open) -> None:
    page = open_view()
    found = compare(BEFORE, AFTER)
    cell = found.at("category")[0]
    first = page.url
    page.locator(f'#map tr[data-cell="category/{cell.name}"]:visible').click()
    expect(page.locator("#which")).to_contain_text(cell.name)
    settled(page)
    lost = found.pair.items.filter(pl.col("task").cast(pl.String).is_in(cell.task_names) & (pl.col("lost") > 0)).height
    assert total(page) == lost
    assert set(page.locator(".item .task").all_inner_texts()) <= set(cell.task_names)
    assert page.locator("tr[aria-current]").count() == 1
    page.go_back()
    expect(page.locator("#which")).to_contain_text("whole map")
    settled(page)
    assert page.url == first
    assert total(page) == found.total.items
    page.go_forward()
    expect(page.locator("#which")).to_contain_text(cell.name)
    page.locator("#which button").click()
    expect(page.locator("#which")).to_contain_text("whole map")


def test_a_link_to_a_cell_opens_at_its_items(open_view: Open) -> None:
    cell = compare(BEFORE, AFTER).at("category")[0]
    page = open_view(f"cell=category/{cell.name}&transition=lost")
    expect(page.locator("#items h2")).to_be_in_viewport()
    chip = page.locator("#conditions .chip")
    expect(chip).to_contain_text(cell.name)
    chip.click()
    expect(page.locator("#which")).to_contain_text("whole map")
    expect(chip).to_have_count(0)


def test_the_link_can_be_copied_on_a_phone(open_view: Open) -> None:
    page = open_view(size="phone")
    expect(page.locator("#copy")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_row_of_the_forest_is_a_cell_too(open_view: Open) -> None:
    page = open_view()
    mark = page.locator("#map svg g[data-cell]").first
    name = mark.get_attribute("data-cell")
    mark.click(force=True)
    expect(page.locator("#which b")).to_have_text(name or "?")


def test_keys_are_enough(open_view: Open) -> None:
    page = open_view()
    cell = compare(BEFORE, AFTER).at("category")[1]
    page.locator(f'#map tr[data-cell="category/{cell.name}"]:visible .pick').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#which b")).to_have_text(cell.name)
    page.locator('[data-transition="gained"]').focus()
    page.keyboard.press("Space")
    expect(page.locator('[data-transition="gained"]')).to_have_attribute("aria-pressed", "true")
    assert "transition=gained" in page.url


def test_filters_pages_and_permalinks(open_view: Open, served: Served) -> None:
    page = open_view()
    page.locator('[data-transition="kept"]').click()
    page.select_option(".items select[name=task]", "arc:challenge")
    settled(page)
    told = total(page)
    assert told > 40
    page.get_by_role("button", name="later →").click()
    expect(page.locator(".pages")).to_contain_text("21 to 40")
    settled(page)
    listed = page.locator(".item .task, .item .excerpt").all_inner_texts()
    assert "offset=20" in page.url
    again = open_view(page.url.partition("?")[2])
    assert again.locator(".item .task, .item .excerpt").all_inner_texts() == listed
    assert total(again) == told
    again.reload()
    ready(again)
    assert again.locator(".item .task, .item .excerpt").all_inner_texts() == listed
    again.get_by_role("button", name="← earlier").click()
    expect(again.locator(".pages")).to_contain_text("1 to 20")
    again.go_back()
    expect(again.locator(".pages")).to_contain_text("21 to 40")
    assert served.token not in page.url


def test_an_item_shows_both_answers_when_it_is_unfolded(open_view: Open) -> None:
    page = open_view("transition=lost")
    told = compare(BEFORE, AFTER).lost()
    page.locator(".item summary").nth(2).click()
    body = page.locator(".item-body")
    expect(body).to_have_count(1)
    row = told.row(2, named=True)
    for side in ("before", "after"):
        expect(body.locator(".side").nth(int(side == "after"))).to_contain_text(row[f"response_{side}"].split()[-1])
    assert body.locator(".is-gold").count() == len(row["gold"]) if row["options"] else True
    page.locator(".item summary").nth(2).click()
    page.locator(".item summary").nth(2).click()
    expect(body).to_have_count(1)
    page.get_by_role("button", name="unfold all on this page").click()
    expect(body).to_have_count(20)


def test_search(open_view: Open) -> None:
    page = open_view("transition=lost")
    page.get_by_placeholder("words in questions and answers").fill("question 11")
    expect(page.locator(".items .status")).not_to_have_text(re.compile("^0"))
    page.wait_for_function("() => location.search.includes('search=question+11')")
    settled(page)
    texts = page.locator(".item .excerpt").all_inner_texts()
    assert texts
    assert all("question 11" in text for text in texts)
    page.get_by_placeholder("words in questions and answers").fill("nothing like it")
    expect(page.locator(".items .status")).to_have_text("No item fits.")


def test_slices_and_conditions(open_view: Open) -> None:
    page = open_view()
    page.select_option("#by", "tag_1")
    button = page.locator('[data-only="tag_1:even"]')
    button.click()
    chip = page.locator("#conditions .chip")
    expect(chip).to_contain_text("even")
    settled(page)
    expect(button).to_have_count(0)  # there is nothing left to choose of a slice that is shown
    half = total(page)
    whole = compare(BEFORE, AFTER).total.items
    assert 0 < half < whole
    expect(page.locator("#subtitle")).to_contain_text(f"{half:,} items")
    assert f"{half:,}" in page.locator("#map tr.total").first.inner_text()
    chip.click()
    expect(page.locator("#subtitle")).to_contain_text(f"{whole:,} items")
    assert page.locator("#conditions .chip").count() == 0
    page.go_back()
    expect(page.locator("#conditions .chip")).to_contain_text("even")


def test_several_afters_and_stages(open_view: Open) -> None:
    page = open_view()
    page.click("#add-after")
    expect(page.locator("h1")).to_have_text("base → tuned, other")
    ready(page)
    assert page.locator("#afters select").count() == 2
    told = {found.total.items for found in (compare(BEFORE, AFTER), compare(BEFORE, OTHER))}
    assert len(told) == 1
    expect(page.locator("#subtitle")).to_contain_text(f"{told.pop():,} items each")  # shared ones, never added up
    assert page.locator('.items select[name="after"] option').count() == 3
    page.check("[name=chain]")
    expect(page.locator("#life h2")).to_have_text("Life lines")
    assert "chain=1" in page.url
    page.uncheck("[name=chain]")
    expect(page.locator("#life")).to_be_hidden()
    page.get_by_role("button", name="Leave after 1 out").click()
    expect(page.locator("h1")).to_have_text("base → other")


def test_other_runs_can_be_chosen(open_view: Open, served: Served) -> None:
    page = open_view("transition=lost&search=x")
    ids = {entry.name: ident for ident, entry in served.desk.library.entries.items()}
    page.select_option("[name=before]", ids["other"])
    expect(page.locator("h1")).to_have_text("other → tuned")
    assert "search" not in page.url


def test_downloads(open_view: Open) -> None:
    page = open_view("transition=lost&task=gsm8k")
    with page.expect_download() as waiting:
        page.locator("#files").get_by_role("link", name="CSV", exact=True).click()
    rows = pl.read_csv(waiting.value.path())
    assert rows.height == total(page)
    assert set(rows["task"]) == {"gsm8k"}
    with page.expect_download() as waiting:
        page.locator("#files").get_by_role("link", name="everything as JSON").click()
    assert json.loads(Path(waiting.value.path()).read_text())["schema"] == "forgetmap.map/1"


def test_faults_are_told_in_words(open_view: Open, served: Served) -> None:
    ids = list(served.desk.library.entries)
    open_view.refused.append("error: Failed to load resource: the server responded with a status of 400 (Bad Request)")  # type: ignore[attr-defined]
    page = open_view()
    page.evaluate("() => history.pushState(null, '', '?only=tag_1:prime')")
    page.evaluate("() => dispatchEvent(new PopStateEvent('popstate'))")
    fault = page.locator("#fault")
    expect(fault).to_contain_text("no slice of tag_1")
    assert sections(page) == []
    page.select_option("[name=after], [data-after]", ids[2])
    expect(page.locator("h1")).to_have_text("base → other")
    expect(fault).to_be_hidden()


HOSTILE = [
    "<script>window.hit = 1; alert(1)</script>", "</script><script>alert(2)</script>", '"><img src=x onerror=alert(3)>',
    "<img src='https://evil.example/x.png'>", "\u202eright to left\u202c", "\x00\x1b[31mred\x07", "${7*7}{{7*7}}", "a" * 200_000,
    "javascript:alert(4)", "</bdi></table><h1>mine</h1>",
]  # fmt: skip


def hostile(side: int) -> Run:
    rows = [
        {
            "task": HOSTILE[n % 4] if n % 2 else "plain", "item_id": f"{n}{HOSTILE[2]}", "question": f"{n} {HOSTILE[n % len(HOSTILE)]}",
            "options": ["a", HOSTILE[(n + 1) % 3], "c"], "gold": "a", "prediction": "a" if (n + side) % 2 else "c",
            "correct": bool((n + side) % 2), "response": HOSTILE[(n + side) % len(HOSTILE)], "prompt": HOSTILE[1] * 3,
            "category": [HOSTILE[n % 3]],
        }
        for n in range(80)
    ]  # fmt: skip
    return Run.from_frame(
        pl.DataFrame(rows), model=f"{HOSTILE[side]}{HOSTILE[4]}", columns={"question": "question", "prompt": "prompt"}
    )


def test_hostile_names_and_texts_are_text(browser: Browser) -> None:
    with serving(desk_of(hostile(0), hostile(1))) as evil:
        context = browser.new_context(viewport=SIZES["desk"])
        page, seen = context.new_page(), Seen()
        watch(page, seen)
        page.goto(evil.address)
        ready(page)
        page.locator("#map tr.pickable:visible").first.click()
        settled(page)
        page.get_by_role("button", name="unfold all on this page").click()
        expect(page.locator(".item-body")).to_have_count(20)
        for fold in page.locator(".item .prompt summary").all()[:5]:
            fold.click()
        for name in [option.get_attribute("value") for option in page.locator("#by option").all()][1:]:
            page.select_option("#by", name)
            settled(page)
        with page.expect_download():
            page.locator("#files").get_by_role("link", name="report.html").click()
        assert page.evaluate("() => window.hit") is None
        assert page.locator("main h1, main img, main script").count() == 0
        assert page.locator("h1").count() == 1
        assert "<script>" in page.locator("h1").inner_text()
        context.close()
        assert seen.faults == []
        assert [url for url in seen.requests if not url.startswith((f"{evil.base}/", "data:"))] == []


def test_one_run_is_said_to_be_one(browser: Browser) -> None:
    with serving(desk_of(BEFORE)) as alone:
        page = browser.new_page()
        page.goto(alone.address)
        expect(page.locator("#fault")).to_contain_text("one run only (base)")
        page.close()


@pytest.mark.parametrize(
    ("size", "scheme"), [("desk", "light"), ("desk", "dark"), ("phone", "light"), ("phone", "dark")]
)
def test_pictures(open_view: Open, shots: Path, size: str, scheme: str) -> None:
    page = open_view("by=tag_1&transition=lost&cell=category/Culture", size=size, scheme=scheme)
    page.locator(".item summary").first.click()
    expect(page.locator(".item .sides").first).to_be_visible()
    page.screenshot(path=shots / f"explorer-{size}-{scheme}.png", full_page=True)
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window
    if size == "phone":
        for box in page.locator("#chooser select").all():
            place = box.bounding_box()
            assert place is not None
            assert place["x"] >= 0
            assert place["x"] + place["width"] <= window
