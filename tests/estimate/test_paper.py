"""The published estimator, to the digit, and what it gets wrong."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import make_run
from forgetmap import compare
from forgetmap.estimate.paper import ceiling, true_rate
from forgetmap.taxonomies import load_taxonomy

PUBLISHED = Path(__file__).parent.parent / "published" / "post_forget_tables.csv"

counts = st.tuples(*[st.integers(0, 12)] * 4).filter(lambda n: sum(n) > 0)


def rows(task: str, seed: int, quadrants: tuple[int, ...], side: int, k: int | None) -> list[dict[str, Any]]:
    """Samples of one task and seed with given n11, n10, n01, n00."""
    outcomes = [pair for pair, n in zip([(1, 1), (1, 0), (0, 1), (0, 0)], quadrants, strict=True) for _ in range(n)]
    return [
        {"item_id": f"{task}-{number}", "task": task, "seed": seed, "correct": pair[side], "n_options": k or 0}
        for number, pair in enumerate(outcomes)
    ]


@settings(max_examples=25)
@given(st.lists(st.lists(st.permutations([7, 3, 2, 4]), min_size=2, max_size=2), min_size=1, max_size=3))
def test_parity_with_the_published_aggregation(tasks: list[list[list[int]]]) -> None:
    """post_forget.md 4 and 5: clip per task and seed, mean over tasks per category, macro of macro, then over seeds."""
    names = ["mmlu:anatomy", "mmlu:virology", "piqa"][: len(tasks)]
    k = {"mmlu:anatomy": 4, "mmlu:virology": 4, "piqa": 4}  # k used for PIQA was 4, though it has 2 options
    before, after = (
        make_run(
            [row for t, name in enumerate(names) for s in (0, 1) for row in rows(name, s, tuple(tasks[t][s]), side, 2)]
        )
        for side in (0, 1)
    )
    total = compare(before, after, taxonomy="post_forget_published").total
    by_seed = []
    for seed in (0, 1):
        categories: dict[str, list[float]] = {}
        for t, name in enumerate(names):
            n11, n10, n01, n00 = tasks[t][seed]
            n = n11 + n10 + n01 + n00
            a_before, a_after = (n11 + n10) / n, (n11 + n01) / n
            lost = max(n10 / n - (1 - a_before) * (1 - a_after) / (k[name] - 1), 0)
            categories.setdefault("Science/Tech" if name.startswith("mmlu") else "Common Sense", []).append(lost)
        by_seed.append(fmean(fmean(values) for values in categories.values()))
    assert total.paper is not None
    assert total.paper["lost"] == pytest.approx(fmean(by_seed), abs=1e-12)
    assert total.paper["lost_sd"] == pytest.approx(stdev(by_seed), abs=1e-12)


@settings(max_examples=25)
@given(counts, st.integers(2, 10))
def test_one_task_and_seed(quadrants: tuple[int, ...], k: int) -> None:
    before, after = (make_run(rows("t", 0, quadrants, side, k)) for side in (0, 1))
    paper = compare(before, after).total.paper
    n = sum(quadrants)
    a_before, a_after = (quadrants[0] + quadrants[1]) / n, (quadrants[0] + quadrants[2]) / n
    assert paper is not None
    assert paper["lost"] == pytest.approx(true_rate(quadrants[1] / n, a_before, a_after, k), abs=1e-12)
    assert paper["gained"] == pytest.approx(true_rate(quadrants[2] / n, a_before, a_after, k), abs=1e-12)
    assert paper["lost_max"] == pytest.approx(ceiling(a_before, k), abs=1e-12)
    assert paper["gained_max"] == pytest.approx(ceiling(a_after, k), abs=1e-12)
    assert paper["lost_sd"] is None  # one seed has no spread, which is not 0


def test_check_values() -> None:
    assert true_rate(0.10, 0.80, 0.70, 4) == pytest.approx(0.08)
    assert true_rate(0.25, 0.5, 0.5, 2) == 0


def test_zero_forgetting_reads_more_than_zero() -> None:
    """post_forget.md 6: ((k−1)/k²) p (1−p): .0450 at p = .6, k = 4."""
    p, k, n = 0.6, 4, 1_600_000
    unknown = 1 - p
    quadrants = [p + unknown / k**2, unknown * (k - 1) / k**2, unknown * (k - 1) / k**2, unknown * ((k - 1) / k) ** 2]
    n11, n10, n01, _ = (round(share * n) for share in quadrants)
    read = true_rate(n10 / n, (n11 + n10) / n, (n11 + n01) / n, k)
    assert read == pytest.approx(0.0450, abs=1e-4)


def test_hidden_category_counts_in_the_published_total() -> None:
    tables = [("arc:easy", (5, 5, 0, 0)), ("mmlu:anatomy", (10, 0, 0, 0))]
    before, after = (make_run([row for name, q in tables for row in rows(name, 0, q, side, 4)]) for side in (0, 1))
    published = compare(before, after, taxonomy="post_forget_published")
    assert {cell.name for cell in published.at("category")} == {"Missing", "Science/Tech"}
    assert published.taxonomy.hidden == ("Missing",)
    assert published.total.paper is not None
    assert published.total.paper["lost"] == pytest.approx(fmean([0.5 - 0, 0]), abs=1e-12)
    assert {cell.name for cell in compare(before, after).at("category")} == {"Logic", "Science/Tech"}


def test_published_option_counts() -> None:
    published = load_taxonomy("post_forget_published")
    assert (
        published.options_of("commonsense_qa"),
        published.options_of("piqa"),
        published.options_of("bbh:ruin_names"),
    ) == (4, 4, 6)
    assert published.options_of("ifeval") is None


def test_the_published_tables_show_the_missing_factor() -> None:
    """Acceptance (g): 854 rows, 34 tables, 47 columns; slope 1.336 ≈ k/(k−1) over Liberal Arts, where all k are 4."""
    with open(PUBLISHED, encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 854
    assert len({row["table"] for row in table}) == 34
    liberal = [row for row in table if row["category"] == "Liberal Arts"]
    columns: dict[tuple[str, str, str], dict[str, dict[str, str]]] = {}
    for row in liberal:
        columns.setdefault((row["section"], row["group"], row["model"]), {})[row["panel"]] = row
    assert len(columns) == 47
    names = sorted({row["panel"] for row in liberal})
    gained_name, lost_name = (next(n for n in names if word in n) for word in ("transfer", "forget"))
    true = [float(c[lost_name]["mean_pct"]) - float(c[gained_name]["mean_pct"]) for c in columns.values()]
    most = [float(c[lost_name]["ceiling_pct"]) - float(c[gained_name]["ceiling_pct"]) for c in columns.values()]
    assert np.polyfit(true, most, 1)[0] == pytest.approx(1.336, abs=5e-4)
