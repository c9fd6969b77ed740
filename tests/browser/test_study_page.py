"""The page of a study in a real browser: every section is there, the table filters and sorts, nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from forgetmap import compare
from forgetmap.chain import chain_runs
from forgetmap.report.page.study_page import study_page
from forgetmap.study import Study, StudyResult
from forgetmap.study.build import make_result
from forgetmap.study.chains import SavedChain
from forgetmap.study.spec import ChainSpec, PairSpec, RunSpec
from forgetmap.study.work import _flows
from forgetmap.testing import Planted, join_planted, plant

pytestmark = pytest.mark.browser

TASKS = ("mmlu:anatomy", "mmlu:sociology", "mmlu:abstract_algebra", "piqa", "bbh:navigate", "bbh:snarks")
SECTIONS = ("verdict", "ranking", "groups", "heat", "everywhere", "trends", "movement", "recipes", "chains", "method")


def pair_of(lost: float, seed: int) -> Planted:
    parts = [
        plant(
            80,
            known=0.7,
            lost=lost + (0.15 if at == 1 else 0),
            gained=0.05,
            tasks=[task],
            seed=seed,
            first_item=10_000 * at,
        )
        for at, task in enumerate(TASKS)
    ]
    return join_planted(parts)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    specs, maps = [], {}
    for n, (group, size) in enumerate(
        (group, size) for group in ("instruct <b>", "coder") for size in (1e9, 4e9, 16e9)
    ):
        planted = pair_of(0.12 - 0.03 * (n % 3), n)
        planted.after.info.model = f"org/model-{n}"
        run = RunSpec(f"r{n}", f"/nowhere/{n}", f"runs/{n}")
        seed = "01"[n % 2] if n < 2 else None
        name = f"{group} {size / 1e9:g}B"
        specs.append(
            PairSpec(name, run, run, group=group, family=group, size=size, data=1e3 * 4**n, data_unit="examples")
        )
        maps[name] = compare(planted.before, planted.after).to_dict()
        if seed:
            specs[-1] = PairSpec(name, RunSpec("b", "/nowhere/b"), run, group=group, family=group, size=1e9, seed=seed)
    two = pair_of(0.1, 50)
    stages = ("base", "sft", "back")
    chain = chain_runs([two.before, two.after, two.before], names=stages)
    saved = SavedChain({**chain.to_dict(), "flows": [[list(f) for f in step] for step in _flows(chain)]})
    chains = (ChainSpec("base → sft → back", tuple(RunSpec(s, s) for s in stages)),)
    study = Study("Six pairs & a chain", tuple(specs), chains)
    return make_result(study, maps, {"base → sft → back": saved}, {})


@pytest.mark.parametrize(("size", "scheme"), [("desk", "light"), ("desk", "dark"), ("phone", "light")])
def test_every_section_is_drawn(
    result: StudyResult, open_html: Callable[..., Page], shots: Path, size: str, scheme: str
) -> None:
    page = open_html(study_page(result, command="forgetmap study study.yaml"), size=size, scheme=scheme)
    for section in SECTIONS:
        expect(page.locator(f"section#{section}")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]
    expect(page.locator("section#trends svg").first).to_be_visible()
    expect(page.locator("section#ranking [data-role=pair]")).to_have_count(12)  # six pairs, lost and gained
    page.screenshot(path=shots / f"study-{size}-{scheme}.png", full_page=True)


def test_the_table_of_pairs_filters_and_sorts(result: StudyResult, open_html: Callable[..., Page]) -> None:
    page = open_html(study_page(result))
    rows = page.locator("section#ranking tbody tr:not([hidden])")
    expect(rows).to_have_count(6)
    page.locator("section#ranking [data-find]").fill("coder")
    expect(rows).to_have_count(3)
    page.locator("section#ranking [data-find]").fill("")
    page.locator("section#ranking thead button", has_text="pair").click()
    names = page.locator("section#ranking tbody th").all_inner_texts()
    assert names == [
        f"{group} {size}B" for group in ("coder", "instruct <b>") for size in (1, 4, 16)
    ]  # as people count


def test_a_figure_can_be_made_interactive(result: StudyResult, open_html: Callable[..., Page]) -> None:
    page = open_html(study_page(result))
    figure = page.locator("section#heat figure").first
    figure.locator("[data-interact]").click()
    expect(figure.locator(".live .plotly")).to_be_visible(timeout=20_000)
