"""Planted maps and items for pages: small, with known counts."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from forgetmap import compare
from forgetmap.flips import TRANSITIONS, list_flips
from forgetmap.map import ForgettingMap, compare_all
from forgetmap.report.page import ItemSet, build_page
from forgetmap.report.sheet import Sheet
from forgetmap.testing import Planted, join_planted, plant

STORY = (
    ("bbh:sports_understanding", 0.70, 0.22, 0.00, 4),
    ("social_iqa", 0.62, 0.15, 0.03, 3),
    ("mmlu:world_religions", 0.75, 0.05, 0.03, 4),
    ("arc:challenge", 0.60, 0.02, 0.16, 4),
    ("mmlu:college_mathematics", 0.35, 0.01, 0.10, 4),
    ("gsm8k", 0.45, 0.02, 0.20, 0),
)


@cache
def planted(seed: int = 0, items: int = 300, silent: float = 0.2) -> Planted:
    parts = [
        plant(
            items, known=known, lost=lost, gained=gained, options=options, abstain=(0.0, silent), tasks=[task],
            texts=True, seed=100 * seed + place, first_item=place * items,
        )
        for place, (task, known, lost, gained, options) in enumerate(STORY)
    ]  # fmt: skip
    return join_planted(parts)


@cache
def one_map() -> ForgettingMap:
    pair = planted()
    return compare(pair.before, pair.after)


@cache
def several_maps() -> tuple[ForgettingMap, ...]:
    before = planted().before
    return tuple(compare_all(before, [planted().after, planted(silent=0.0).after, planted(items=300).after]))


def items_of(maps: tuple[ForgettingMap, ...], most: int = 400) -> ItemSet:
    """The first items of each transition, with the causes that the map found."""
    rows: list[dict[str, Any]] = []
    counts = dict.fromkeys(TRANSITIONS, 0)
    for place, found in enumerate(maps):
        for transition in TRANSITIONS:
            table = list_flips(found.pair, transition)
            counts[transition] += table.height
            for number, row in enumerate(table.head(most).to_dicts()):
                cause = None
                if transition in ("lost", "gained"):
                    cause = "no_answer" if number % 5 == 0 else "wrong_answer"
                rows.append({**row, "transition": transition, "cause": cause, "after": place})
    return ItemSet(rows, counts)


@cache
def one_page() -> str:
    return build_page(
        [Sheet.of(one_map())], items=items_of((one_map(),)), command="forgetmap compare a b --report out.html"
    )


def item(number: int, **more: Any) -> dict[str, Any]:
    """A lost item of four options, as `list_flips` tells it."""
    return {
        "task": "planted", "item": f"{number:032x}", "native_id": str(number), "question": f"Question {number}?",
        "options": ["w", "x", "y", "z"], "gold": ["x"], "score_before": 1.0, "score_after": 0.0, "repeats_before": 1,
        "repeats_after": 1, "confidence": None, "repeats_wrong": None, "shared_by": 1, "marks": [],
        "choice_before": "x", "state_before": "answered", "prompt_before": "Prompt", "response_before": "The answer is x.",
        "choice_after": "y", "state_after": "answered", "prompt_after": "Prompt", "response_after": "The answer is y.",
        "transition": "lost", "cause": "wrong_answer", "after": 0, **more,
    }  # fmt: skip


def prose(rng: random.Random, characters: int) -> str:
    """Words that no language has, as frequent as words are: compresses as prose does."""
    words = []
    size = 0
    while size < characters:
        rank = int(rng.paretovariate(0.9))
        word = "".join("aeioulnrst"[(rank // 7**place) % 10] for place in range(2 + rank % 6)) + str(rank % 89 or "")
        words.append(word)
        size += len(word) + 1
    return " ".join(words)[:characters]
