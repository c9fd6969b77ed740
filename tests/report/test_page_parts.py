"""Parts of the page that need no browser: sentences, packing, policy, contrast."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from forgetmap import compare
from forgetmap.cells import Cell
from forgetmap.chain import chain_runs
from forgetmap.errors import UsageError
from forgetmap.report.page import ItemSet, build_page
from forgetmap.report.page.assets import asset, figures_style, hash_source
from forgetmap.report.page.items import ANSWER_CUTS, PROMPT_CUT, pack, pack_items
from forgetmap.report.page.method import deciding_readings
from forgetmap.report.page.rows import differing_cells, points, table_bodies
from forgetmap.report.page.scores import other_scores
from forgetmap.report.page.verdict import verdict_sentences
from forgetmap.report.sheet import Sheet
from forgetmap.testing import plant


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    pair = plant(400, tasks=["arc:challenge", "social_iqa", "gsm8k", "mmlu:world_religions"], lost=0.1, seed=2)
    return Sheet.of(compare(pair.before, pair.after))


def cell(name: str, verdict: str | None, lost: float = 0.05, gained: float = 0.02, **more: Any) -> Cell:
    """A category whose figures are observed flips."""
    seen = {
        "acc_before": 0.6,
        "acc_after": 0.6 - lost + gained,
        "kept": 0.5,
        "lost": lost,
        "gained": gained,
        "never": 0.3,
    }
    for way, value in (("lost", lost), ("gained", gained)):
        seen |= {f"{way}_low": value - 0.01, f"{way}_high": value + 0.01}
    decision = {
        "verdict": verdict, "verdict_reading": "observed", "margin": 0.02, "detectable": 0.03, "net_because": None,
        "p_net": 0.01, "q_net": 0.01,
    }  # fmt: skip
    told = {
        "level": "category", "path": (name,), "tasks": 1, "items": 100, "mapped": True, "task_names": (name,),
        "observed": seen, "chance": None, "noise": None, "soft": None, "paper": None, "decision": decision,
    }  # fmt: skip
    told |= {key: value for key, value in more.items() if key != "decision"}
    told["decision"] = decision | more.get("decision", {})
    return Cell(name=name, **told)


def said(
    sheet: Sheet, cells: list[Cell], reading: str = "observed", total: str | None = "unclear", of: int = 0
) -> list[str]:
    whole = cell("total", total, level="total", path=(), tasks=of or len(cells))
    return verdict_sentences(replace(sheet, cells=[*cells, whole]), reading=reading)


def test_the_verdict_in_the_words_of_the_design(sheet: Sheet) -> None:
    cells = [
        cell("Culture", "lost", 0.061),
        cell("Language", "both", 0.05),
        cell("Logic", "lost", 0.04),
        cell("Math", "unclear"),
        *(cell(name, "gained", gained=0.1) for name in ("A", "B", "C", "D")),
        cell("Safety", "steady"),
    ]
    assert said(sheet, cells) == [
        "3 of 9 categories lost something; Culture most: 6.1 % [5.1, 7.1] of items; nothing certain in Math.",
        "5 of 9 categories gained something; A most: 10.0 % [9.0, 11.0] of items.",
        "Safety is steady: surely less than 2 points either way.",
    ]


@pytest.mark.parametrize(
    ("verdicts", "first"),
    [
        (["lost", "steady", "steady"], "1 of 3 categories lost something: c0, 5.0 % [4.0, 6.0] of items."),
        (["lost", "lost"], "Both categories lost something; c0 most: 5.0 % [4.0, 6.0] of items."),
        (["lost", "both", "lost"], "All 3 categories lost something; c0 most: 5.0 % [4.0, 6.0] of items."),
        (["steady", "steady"], "Neither category surely lost anything."),
        (["gained", "steady", "unclear"], "None of the 3 categories surely lost anything; nothing certain in c2."),
        (["unclear", "unclear", "unclear"], "No loss or gain is certain in any of the 3 categories."),
        (["unclear", "unclear"], "No loss or gain is certain in either category."),
        (["lost", *["unclear"] * 6], "1 of 7 categories lost something: c0, 5.0 % [4.0, 6.0] of items; "
         "nothing certain in c1, c2, c3 and 3 more."),
        (["lost", *["unclear"] * 4], "1 of 5 categories lost something: c0, 5.0 % [4.0, 6.0] of items; "
         "nothing certain in c1, c2, c3 and c4."),
        (["lost"], "c0, all there is: something was lost, 5.0 % [4.0, 6.0] of items; no certain gain."),
        (["steady"], "c0, all there is: steady, surely less than 2 points lost or gained."),
        (["both"], "c0, all there is: 5.0 % [4.0, 6.0] of items lost and 2.0 % [1.0, 3.0] of items gained."),
        (["unclear"], "c0, all there is: no loss or gain beyond 2 points is certain."),
    ],
)  # fmt: skip
def test_grammar_of_the_verdict(sheet: Sheet, verdicts: list[str], first: str) -> None:
    assert said(sheet, [cell(f"c{at}", verdict) for at, verdict in enumerate(verdicts)])[0] == first


def test_the_total_speaks_where_its_parts_cannot(sheet: Sheet) -> None:
    lost = "All in all: something was lost, 5.0 % [4.0, 6.0] of items; no certain gain."
    unclear = [cell("a", "unclear"), cell("b", "unclear")]
    assert said(sheet, unclear, total="lost") == [lost, "In either category by itself nothing is certain."]
    assert said(sheet, [cell("a", None)], total="lost") == [lost]
    part = said(sheet, [cell("a", "unclear")], total="lost", of=2)  # one cell of two: the other is hidden
    assert part == ["a: no loss or gain beyond 2 points is certain.", lost]
    own = cell("t", "lost", mapped=False)
    assert said(sheet, [own, cell("a", "steady")])[0].startswith("1 of 2 categories and tasks lost something")


def test_no_verdict_says_nothing(sheet: Sheet) -> None:
    assert said(sheet, [cell("a", None), cell("b", None)], total=None) == []
    assert (
        said(sheet, [cell("a", "lost"), cell("b", None)])[-1] == "No verdict for b: the logs hold too little to decide."
    )


def test_a_verdict_on_the_net_change_speaks_of_the_score(sheet: Sheet) -> None:
    net = {"verdict_reading": "net", "net_because": "sampled"}
    cells = [cell("a", "lost", 0.2, 0.05, decision=net), cell("b", "lost", 0.3, 0.29, decision=net)]
    assert said(sheet, cells)[0] == "Both categories lost something; a most: its score fell by 15.0 points."


def test_graded_scores_are_no_items(sheet: Sheet) -> None:
    seen = cell("a", "lost").observed | {"kept": None, "never": None}
    assert "of the scale" in said(sheet, [cell("a", "lost", observed=seen), cell("b", "steady")])[0]


def test_a_changed_prompt_is_said_beside_the_verdict(sheet: Sheet) -> None:
    cells = [cell("a", "lost", flags=("prompt changed",)), cell("b", "steady")]
    assert said(sheet, cells)[-1].startswith("The prompt changed as well in a, which is not forgetting")


def test_tasks_without_a_place_are_called_tasks(sheet: Sheet) -> None:
    cells = [cell(name, "lost", mapped=False) for name in "ab"]
    assert said(sheet, cells)[0].startswith("Both tasks lost something")


def unpacked(text: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(text)))


def row(number: int, **more: Any) -> dict[str, Any]:
    return {"task": f"t{number % 3}", "item": str(number), "transition": "lost", "response_after": "a", **more}


def test_packing_keeps_every_row_and_its_rank() -> None:
    rows = [row(number, prompt_before=f"p{number}", prompt_after=f"p{number}") for number in range(10)]
    found = unpacked(pack_items(rows).text)
    assert [found["columns"]["item"][found["order"].index(rank)] for rank in range(10)] == [str(n) for n in range(10)]
    assert found["columns"]["prompt_after"] == [0] * 10  # stored once
    assert "gold" not in found["columns"]  # nothing is known of it


def test_prompts_are_cut_in_the_middle_and_say_so() -> None:
    packed = pack_items([row(0, prompt_before="begin" + "x" * 10_000 + "end", prompt_after=None)])
    text = unpacked(packed.text)["columns"]["prompt_before"][0]
    assert text.startswith("begin") and text.endswith("end")
    assert f"[… {10_008 - PROMPT_CUT:,} characters cut …]" in text
    assert packed.cut_prompts == 1 and packed.cut_answers == 0


def test_answers_are_cut_only_as_far_as_the_file_asks() -> None:
    import random

    rng = random.Random(0)
    texts = ["".join(rng.choices("abcdefghij ", k=100_000)) for _ in range(120)]
    few = pack_items([row(0, response_after=texts[0])])
    assert few.cut_answers == 0
    many = pack_items([row(number, response_after=text) for number, text in enumerate(texts)])
    assert many.cut_answers == 120 and many.answer_cut < ANSWER_CUTS[0]
    assert len(many.text) < 5_400_000


def test_packed_text_may_stand_in_a_script() -> None:
    text = pack({"a": "</script><!--", "half": "\ud800"})
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", text)
    assert unpacked(text) == {"a": "</script><!--", "half": "\ud800"}


def test_items_say_what_is_left_out() -> None:
    items = ItemSet([row(0), row(1)], {"lost": 1200, "gained": 3})
    assert items.left_out() == ["2 of 1,200 lost", "0 of 3 gained"]
    assert ItemSet([row(0)], {"lost": 1}).left_out() == []
    with pytest.raises(UsageError, match="transition of an item is 'away'"):
        ItemSet([row(0, transition="away")], {})


def test_every_script_of_the_page_is_named_by_the_policy(sheet: Sheet) -> None:
    html = build_page([sheet])
    scripts = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert len(scripts) == 3
    assert re.findall(r"'sha256-[^']+'", policy[1]) == [hash_source(script) for script in scripts]
    assert "unsafe-eval" not in policy[1] and "'unsafe-inline'" not in policy[1].split("script-src")[1]


def test_the_page_refers_to_nothing_outside(sheet: Sheet) -> None:
    html = build_page([sheet])
    head = html.split("data-block=")[0]  # what follows is compressed data
    assert re.findall(r'(?:src|srcset|action|data)="', head) == []
    links = set(re.findall(r'href="([^"]*)"', head))
    outside = {link for link in links if not link.startswith("#")}
    assert {link.split(":")[0] for link in outside} == {"data", "https"}
    assert sum(link.startswith("https") for link in outside) == 1  # the method
    assert re.findall(r"@import|url\((?!#)", head) == []  # figures refer to their own patterns


def test_sections_hold_no_script_style_or_handler(sheet: Sheet) -> None:
    main = build_page([sheet]).split("<main>")[1].split("</main>")[0]
    assert re.findall(r"<script|<style|\sstyle=|\son[a-z]+=", main) == []


def test_ids_are_unique_even_where_two_maps_are_the_same(sheet: Sheet) -> None:
    html = build_page([sheet, sheet]).split("<script>")
    ids = re.findall(r'\sid="([^"]+)"', html[1])
    assert len(ids) > 20 and len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", html[1])) <= set(ids)
    for names in re.findall(r'aria-labelledby="([^"]+)"', html[1]):
        assert set(names.split()) <= set(ids)


def test_the_same_map_makes_the_same_page(sheet: Sheet) -> None:
    assert build_page([sheet]) == build_page([sheet])


def test_a_level_that_the_taxonomy_lacks_is_refused(sheet: Sheet) -> None:
    with pytest.raises(UsageError, match="has no groups"):
        build_page([sheet], level="group")
    with pytest.raises(UsageError, match="no map to show"):
        build_page([])


def test_every_cell_is_in_the_table_and_missing_is_missing(sheet: Sheet) -> None:
    blank = replace(sheet.cells[0], observed=dict.fromkeys(sheet.cells[0].observed), chance=None)
    bodies = table_bodies(replace(sheet, cells=[blank, *sheet.cells[1:]]), "observed")
    rows = [row for body in bodies for row in body.rows]
    assert len(rows) == len(sheet.cells)
    figures = next(row for row in rows if row.name == blank.name and row.level == blank.level).figures
    assert {figures[name].text for name in ("before", "after", "lost", "gained", "lost_interval")} == {"–"}
    assert {figures[name].value for name in figures} == {None}


def test_cells_of_different_tasks_are_found(sheet: Sheet) -> None:
    other = replace(sheet.cells[-1], task_names=("arc:challenge",))
    assert differing_cells([sheet, replace(sheet, cells=[*sheet.cells[:-1], other])]) == {sheet.total.place}
    assert differing_cells([sheet, sheet]) == set()


def test_cells_so_small_that_nothing_is_known_are_explained_once(sheet: Sheet) -> None:
    assert "so few items allow nearly anything" not in build_page([sheet])
    seen = sheet.cells[0].observed | {"lost_low": -0.81, "lost_high": 1.01}
    tiny = replace(sheet.cells[0], observed=seen, items=6)
    html = build_page([replace(sheet, cells=[tiny, *sheet.cells[1:]])], reading="observed")
    assert html.count("so few items allow nearly anything") == 1
    assert f"very wide intervals ({tiny.name} (6 items))" in html


def test_the_method_names_the_readings_that_decide(sheet: Sheet) -> None:
    assert deciding_readings([sheet]) == "auto: chance (lucky guesses taken off)"
    net = replace(sheet.cells[0], decision={**sheet.cells[0].decision, "verdict_reading": "net"})
    mixed = replace(sheet, cells=[net, *sheet.cells[1:]])
    rest = len(sheet.cells) - 1
    assert deciding_readings([mixed]) == (
        f"auto: chance (lucky guesses taken off) in {rest} cells, the net change of the score in 1 cell"
    )
    assert f'<td class="text">{deciding_readings([mixed])}</td>' in build_page([mixed])


def test_scores_are_not_called_samples(sheet: Sheet) -> None:
    page = build_page([replace(sheet, before={**sheet.before, "samples": 24_064})])
    head, row = re.findall(r"<tr>(?:(?!</tr>).)*</tr>", page.split("What was compared")[1], flags=re.DOTALL)[:2]
    names = re.findall(r"<th scope=\"col\"[^>]*>([^<]*)</th>", head)
    assert "samples" not in names
    assert re.findall(r"<t[hd][^>]*>(?:<bdi>)?([^<]*)", row)[names.index("scores")] == "24,064"


def test_a_page_of_several_befores_is_titled_by_its_pairs(sheet: Sheet) -> None:
    other = replace(sheet, before={**sheet.before, "model": "org/other"})
    heading = f"{sheet.before_name} → {sheet.after_name}"
    assert f"<h1><bdi>3 pairs: {heading} and 2 more</bdi></h1>" in build_page([sheet, other, sheet])
    assert f"<h1><bdi>{sheet.before_name} → 2 models</bdi></h1>" in build_page([sheet, sheet])


def test_life_lines_on_other_scores_than_the_maps_say_so(sheet: Sheet) -> None:
    pair = plant(400, tasks=["arc:challenge", "social_iqa", "gsm8k", "mmlu:world_religions"], lost=0.1, seed=2)
    chain = chain_runs([pair.before, pair.after])
    assert other_scores(chain, [sheet]) == []
    assert "Another score than the maps" not in build_page([sheet], chain=chain)
    used = sheet.scores[0]["before"]
    strict = {"scorer": "strict-match", "metric": used["metric"]}
    scores = [{**sheet.scores[0], "before": strict, "after": strict}, *sheet.scores[1:]]
    said = other_scores(chain, [replace(sheet, scores=scores)])
    assert len(said) == 1 and said[0].startswith(f"{sheet.scores[0]['task']}: the life lines are read on ")
    assert f"the maps on strict-match/{used['metric']}" in said[0]
    page = build_page([replace(sheet, scores=scores)], chain=chain)
    assert page.split('<section id="life"')[1].count("Another score than the maps") == 1


def test_points_have_a_sign_unless_nothing_changed() -> None:
    assert [points(value) for value in (0.05, -0.05, 0.0, -0.0004, None)] == ["+5.0", "−5.0", "0.0", "0.0", "–"]


def test_everything_the_page_is_made_of_ships_with_the_package() -> None:
    files = resources.files("forgetmap.report.page")
    for name in ("style.css", "boot.js", "page.js", "items.js", "templates/page.html"):
        assert files.joinpath(name).is_file()


PAIRS = [
    *((ink, ground) for ground in ("fm-paper", "fm-shade") for ink in ("fm-ink", "fm-dim", "fm-lost", "fm-gained", "link")),
    *(("fm-ink", ground) for ground in ("warn-ground", "mark-before", "mark-after")),
    ("warn", "warn-ground"),
    ("fm-paper", "fm-ink"),  # a pressed button
]  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark", "dark by system"])
def test_contrast_of_words_is_at_least_aa(theme: str) -> None:
    colours = _variables(theme)
    weak = {pair: round(found, 2) for pair in PAIRS if (found := _contrast(*(colours[name] for name in pair))) < 4.5}
    assert weak == {}
    assert _contrast(colours["focus"], colours["fm-paper"]) >= 3


def test_contrast_knows_black_and_white() -> None:
    assert round(_contrast("#000000", "#ffffff"), 1) == 21.0
    assert _contrast("#777777", "#ffffff") < 4.5


def _variables(theme: str) -> dict[str, str]:
    """The variables that a theme ends up with: those of light, and what the dark rules say over them."""
    css = figures_style() + asset("style.css")
    selectors = {
        "light": [],
        "dark": [r':root\[data-theme="dark"\]'],
        "dark by system": [r':root:not\(\[data-theme="light"\]\)'],
    }
    found: dict[str, str] = {}
    for selector in [r"(?:^|\n):root", *selectors[theme]]:
        blocks = re.findall(selector + r" \{(.*?)\}", css, flags=re.DOTALL)
        assert len(blocks) >= 2, selector
        for block in blocks:
            found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
    return found


def _contrast(one: str, other: str) -> float:
    """WCAG 2.2, 1.4.3."""

    def light(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)
