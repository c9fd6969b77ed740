"""What a study says of its pairs together: one family of tests, ranks, counts, recipes, groups, tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest

from forgetmap import compare
from forgetmap.cells import Cell
from forgetmap.estimate.decide import adjust
from forgetmap.map import map_pairs
from forgetmap.pairing import pair_runs
from forgetmap.report.study_words import labelled, study_sentences, trend_sentence
from forgetmap.report.styles import styled_tables
from forgetmap.study import StudyResult, compute_study, load_study
from forgetmap.study.entries import Count
from forgetmap.study.together import decide_together
from forgetmap.study.trends import Trend
from forgetmap.testing import plant
from study.studies import planted_pair, save_pair, write_study  # type: ignore[import-not-found]


def result_of(path: Path) -> StudyResult:
    return compute_study(load_study(path))


# ---- one family of tests --------------------------------------------------------------------------------------------


def test_maps_decided_apart_and_then_together_are_no_surer_than_either() -> None:
    """Eight pairs, which `map_pairs` decides as one family: from the JSON of their own maps the stricter of both comes out."""
    losses = np.linspace(0.0, 0.16, 8)
    pairs = [planted_pair([float(loss), 0.0, 0.08, 0.12], items=120, seed=at) for at, loss in enumerate(losses)]
    made = [pair_runs(pair.before, pair.after) for pair in pairs]
    at_once = map_pairs(made)
    apart = [[Cell.from_dict(row) for row in map_pairs([one])[0].to_dict()["cells"]] for one in made]
    assert any(
        a.verdict != b.verdict for one, other in zip(apart, at_once, strict=True) for a, b in zip(one, other.cells)
    ), "the family makes no difference here, so that the test shows nothing"
    for cells, alone, whole in zip(decide_together(apart), apart, at_once, strict=True):
        for cell, own, joint in zip(cells, alone, whole.cells, strict=True):
            if cell.level == "total":
                continue  # several totals are a family of their own in a study
            for name in ("q_lost", "q_gained", "q_net"):
                stricter = max(own.decision[name], joint.decision[name])
                assert cell.decision[name] == pytest.approx(stricter, abs=1e-12)
            for way in ("lost", "gained"):
                sure = [one.verdict in (way, "both") for one in (cell, own, joint)]
                assert sure[0] == (sure[1] and sure[2])


def test_totals_are_a_family_over_the_pairs() -> None:
    maps = [compare(*_sides(0.03 + 0.01 * at, at)) for at in range(4)]
    cells = decide_together([found.cells for found in maps])
    p = [found.total.decision[name] for name in ("p_lost", "p_gained") for found in maps]
    q = [of[-1].decision[name] for name in ("q_lost", "q_gained") for of in cells]
    assert q == pytest.approx(adjust(np.array(p)).tolist())


def _sides(lost: float, seed: int) -> tuple[Any, Any]:
    pair = plant(400, known=0.7, lost=lost, seed=seed)
    return pair.before, pair.after


def test_what_is_no_longer_certain_is_unclear() -> None:
    cell = compare(*_sides(0.2, 0)).total
    doubtful = replace(cell, decision={**cell.decision, "p_lost": 0.04, "p_gained": 0.9, "verdict": "lost"})
    harmless = replace(cell, decision={**cell.decision, "p_lost": 0.99, "p_gained": 0.99, "verdict": "steady"})
    silent = replace(cell, decision={**cell.decision, "p_lost": None, "p_gained": None, "verdict": None})
    assert decide_together([[doubtful]])[0][0].verdict == "unclear"  # 0.04 among two tests is 0.08
    assert decide_together([[harmless]])[0][0].verdict == "steady"
    made = decide_together([[silent]])[0][0]
    assert made.verdict is None and made.decision["q_lost"] is None


def test_noise_over_many_pairs_is_not_called_a_loss(tmp_path: Path) -> None:
    pairs = [
        {"name": f"p{n}", **save_pair(tmp_path, f"p{n}", planted_pair(0.0, gained=0.0, items=40, seed=n))}
        for n in range(12)
    ]
    result = result_of(write_study(tmp_path, pairs))
    assert all(count.lost == 0 for level in ("category", "task") for count in result.counts(level))


# ---- planted categories, ranks and slopes --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """Two groups over four sizes: losses fall by 4 points per factor of ten, one category loses 25 points more."""
    folder = tmp_path_factory.mktemp("sizes")
    pairs = []
    for at, group in enumerate(("sft", "rl")):
        for n, size in enumerate((1e9, 4e9, 16e9, 64e9)):
            base = 0.12 - 0.04 * (np.log10(size) - 9) + 0.02 * at
            name = f"{group}-{size / 1e9:g}B"
            pair = planted_pair([base, base + 0.25, base, base], items=250, seed=10 * at + n)
            extra = {"group": group, "family": "one", "size": f"{size / 1e9:g}B", "data": f"{n + 1}k examples"}
            pairs.append({"name": name, **save_pair(folder, name, pair), **extra})
    return result_of(write_study(folder, pairs, title="Sizes"))


def test_the_planted_slope_is_found(sizes: StudyResult) -> None:
    found = {(one["amount"], one["direction"]): one for one in sizes.trends}
    lost, gained = found["size", "lost"]["overall"], found["size", "gained"]["overall"]
    assert lost.low < -0.04 < lost.high and lost.shows
    assert gained.low < 0 < gained.high and not gained.shows
    assert [trend.group for trend in found["size", "lost"]["groups"]] == ["sft", "rl"]
    assert found["data", "lost"]["unit"] == "examples"
    assert "a level per family" in lost.method
    said = study_sentences(sizes)
    assert any(line.startswith("Lost falls with parameters: by ") for line in said)
    assert any(line.startswith("No trend shown of gained along parameters") for line in said)


def test_the_planted_category_is_forgotten_everywhere(sizes: StudyResult) -> None:
    counts = {count.name: count for count in sizes.counts()}
    assert counts["Liberal Arts"].everywhere == "all" and counts["Liberal Arts"].lost == 8
    assert sizes.counts()[0].name == "Liberal Arts"
    assert any("Surely lost in every pair that has it: Liberal Arts" in line for line in study_sentences(sizes))


def test_pairs_are_ranked_by_their_loss(sizes: StudyResult) -> None:
    values = [sizes.shown(entry.sheet.total, "lost").value for entry in sizes.ranked() if entry.sheet]
    assert values == sorted(values, key=lambda one: -(one or 0.0))
    assert sizes.ranked()[0].name in ("rl-1B", "sft-1B")


def test_groups_keep_their_order(sizes: StudyResult) -> None:
    assert {group: len(entries) for group, entries in sizes.groups.items()} == {"sft": 4, "rl": 4}


@pytest.mark.parametrize(
    ("verdicts", "everywhere"),
    [
        ({"lost": 3, "both": 1}, "all"),
        ({"lost": 2, "unclear": 1}, "most"),
        ({"lost": 2, "unclear": 2}, None),
        ({"lost": 3, "missing": 5}, "all"),
        ({"lost": 1, "missing": 3}, None),
        ({"unclear": 4}, None),
    ],
)
def test_everywhere_is_of_the_pairs_that_have_it(verdicts: dict[str, int], everywhere: str | None) -> None:
    every = dict.fromkeys(("lost", "gained", "both", "steady", "unclear", "missing"), 0) | verdicts
    assert Count("x", "category", every, sum(every.values())).everywhere == everywhere


# ---- missing is missing --------------------------------------------------------------------------------------------


def test_cells_that_some_pairs_lack_are_missing_there(tmp_path: Path) -> None:
    whole = planted_pair(0.1, items=100, seed=1)
    part = planted_pair([0.1, 0.1], items=100, tasks=("mmlu:anatomy", "piqa"), seed=2)
    pairs = [{"name": "whole", **save_pair(tmp_path, "w", whole)}, {"name": "other", **save_pair(tmp_path, "o", whole)}]
    pairs.append({"name": "part", **save_pair(tmp_path, "p", part)})
    result = result_of(write_study(tmp_path, pairs))
    counts = {count.name: count for count in result.counts()}
    assert counts["Liberal Arts"].verdicts["missing"] == 1 and counts["Common Sense"].verdicts["missing"] == 0
    assert result.other_tasks == ["part"]
    assert any("rest on other tasks than most: part" in warning for warning in result.warnings)


def test_pairs_without_an_amount_are_in_no_trend(tmp_path: Path) -> None:
    pairs = [
        {"name": f"p{n}", **save_pair(tmp_path, f"p{n}", planted_pair(0.1, seed=n)), **({"size": f"{n}B"} if n else {})}
        for n in range(3)
    ]
    result = result_of(write_study(tmp_path, pairs))
    assert {one["amount"] for one in result.trends} == {"size"}
    trend = result.trends[0]["overall"]
    assert (trend.pairs, trend.slope) == (2, None)
    assert (
        trend_sentence(trend, "lost", "parameters")
        == "No slope along parameters: 2 different amounts; a slope takes 3 or more."
    )


def test_amounts_of_different_units_do_not_mix(tmp_path: Path) -> None:
    pairs = []
    for n, data in enumerate(("1k examples", "10k examples", "1M tokens", "1B tokens")):
        pairs.append({"name": f"p{n}", **save_pair(tmp_path, f"p{n}", planted_pair(0.1, seed=n)), "data": data})
    units = {one["unit"]: one["overall"].pairs for one in result_of(write_study(tmp_path, pairs)).trends}
    assert units == {"examples": 2, "tokens": 2}


def test_a_trend_in_words() -> None:
    found = Trend(None, 9, 9, 9, slope=0.031, low=0.01, high=0.052)
    said = "Gained rises with training data (tokens): by 3.1 points per factor of ten (95 % +1.0 to +5.2, 9 pairs)."
    assert trend_sentence(found, "gained", "training data (tokens)") == said


# ---- parents, recipes, chains --------------------------------------------------------------------------------------


def test_a_pair_measured_from_another_model_than_its_parent_says_so(tmp_path: Path) -> None:
    names = save_pair(tmp_path, "x", planted_pair(0.1))
    spelled = ("org/x-before", "base", "x-before", "org/other")
    pairs = [{"name": f"p{n}", **names, "parent": parent} for n, parent in enumerate(spelled)]
    result = result_of(write_study(tmp_path, pairs, runs={"base": "x-before"}))
    notes = [entry.notes for entry in result.entries]
    assert notes == [(), (), (), ("measured from org/x-before, not from its parent org/other",)]


def test_pairs_that_differ_in_their_seed_are_a_recipe(tmp_path: Path) -> None:
    base = planted_pair(0.1, items=100, seed=0)
    save_pair(tmp_path, "base", base)
    pairs = []
    for seed in range(3):
        after = planted_pair(0.08 + 0.02 * seed, items=100, seed=0).after  # the same golds
        after.save(tmp_path / f"after{seed}")
        said = {"name": f"seed {seed}", "seed": seed, "method": "LoRA"}
        pairs.append({"before": "base-before", "after": f"after{seed}", **said})
    pairs.append({"name": "other", "before": "base-before", "after": "after0", "seed": 3, "method": "full"})
    result = result_of(write_study(tmp_path, pairs))
    (found,) = result.recipes
    assert found.pairs == ("seed 0", "seed 1", "seed 2") and found.recipe is not None
    total = found.recipe.cells[-1]
    values = [
        entry.sheet.total.chance["lost"] for entry in result.found[:3] if entry.sheet and entry.sheet.total.chance
    ]
    assert total["lost"] == pytest.approx(fmean(values)) and total["lost_sd"] == pytest.approx(stdev(values))


def test_a_seed_given_twice_makes_no_recipe(tmp_path: Path) -> None:
    names = save_pair(tmp_path, "x", planted_pair(0.1))
    result = result_of(write_study(tmp_path, [{"name": f"p{n}", **names, "seed": 1} for n in range(2)]))
    assert result.recipes[0].recipe is None and "seed 1 occurs more than once" in str(result.recipes[0].failure)


def test_a_chain_from_the_cache_says_what_a_fresh_one_does(two: Path) -> None:
    from forgetmap.chain import chain_runs
    from forgetmap.report.chains import headline
    from forgetmap.report.figures import alluvial

    two.write_text(two.read_text() + "chains: [[mild-before, mild-after, harsh-after]]\n")
    for _ in range(2):  # computed, then from the cache
        saved = result_of(two).chains[0].chain
    assert saved is not None
    names = ["mild-before", "mild-after", "harsh-after"]
    fresh = chain_runs([two.parent / name for name in names], names=names)
    assert saved.to_dict() == _plain(fresh.to_dict())
    assert headline(saved) == headline(fresh)  # type: ignore[arg-type]
    assert alluvial(saved).svg == alluvial(fresh).svg  # type: ignore[arg-type]


def _plain(content: dict[str, Any]) -> Any:
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(content))


# ---- the published aggregation -------------------------------------------------------------------------------------


def test_group_tables_in_the_published_style_are_the_means_of_the_published_estimator(tmp_path: Path) -> None:
    """post_forget.md 4 and 5 by hand: per task and seed clipped at 0, mean over tasks, then over seeds."""
    tasks = ("mmlu:anatomy", "mmlu:virology", "mmlu:sociology")
    parts = [
        plant(
            200, known=0.7, lost=0.1 + 0.05 * at, gained=0.05, tasks=[task], repeats=3, seed=at, first_item=10_000 * at
        )
        for at, task in enumerate(tasks)
    ]
    from forgetmap.testing import join_planted

    pair = join_planted(parts)
    path = write_study(tmp_path, [{"name": "one", **save_pair(tmp_path, "one", pair), "group": "g"}])
    result = result_of(path)
    by_task: dict[str, list[float]] = {}
    before, after = pair.before.samples, pair.after.samples
    for task in tasks:
        for seed in range(3):
            one, other = (
                frame.filter((frame["task"] == task) & (frame["repeat"] == seed)).sort("item_high")["score"].to_numpy()
                for frame in (before, after)
            )
            lost = float(np.mean((one == 1) & (other == 0)))
            chance = (1 - one.mean()) * (1 - other.mean()) / 3
            by_task.setdefault(task, []).append(max(lost - chance, 0.0))
    science = [fmean(values) for values in zip(by_task[tasks[0]], by_task[tasks[1]], strict=True)]
    arts = by_task[tasks[2]]
    (table,) = styled_tables(labelled(result.groups["g"]), "paper", "category", "auto")
    rows = {row.texts[0]: row.texts[1] for row in table.sections()[0][1]}
    for name, values in (("Science/Tech", science), ("Liberal Arts", arts)):
        assert rows[name].startswith(f"{100 * fmean(values):.1f} ± {100 * stdev(values):.1f} (")
