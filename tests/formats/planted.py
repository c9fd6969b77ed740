"""The answers planted in the fixtures of this folder.

Every maker script asks this module what the model says, so the same item has the same fate in every
engine's log and tests can state what a comparison must find. Items are numbered by their place in
items.json, whatever order an engine later puts them in.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ITEMS: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "items.json").read_text(encoding="utf-8"))

# (before, after): R right, W the first wrong option, V the last wrong option, N no answer that can be read.
# Eight fates in turn: kept, lost, gained, never (same wrong choice), kept, lost to silence,
# never (two different wrong choices), gained out of silence.
FATES = [("R", "R"), ("R", "W"), ("W", "R"), ("W", "W"), ("R", "R"), ("R", "N"), ("W", "V"), ("N", "R")]
SIDES = {"before": 0, "after": 1}


def fate(side: str, index: int, turn: int = 0) -> str:
    """R, W, V or N for the item at `index`; later turns of a sampled item take the next item's fate."""
    return FATES[(index + turn) % len(FATES)][SIDES[side]]


def choice(side: str, index: int, gold: int, options: int, turn: int = 0) -> int | None:
    """The chosen option, None for no answer."""
    wrong = [i for i in range(options) if i != gold]
    return {"R": gold, "W": wrong[0], "V": wrong[-1], "N": None}[fate(side, index, turn)]


def gsm8k_gold(item: dict[str, Any]) -> str:
    """What follows the #### of a GSM8K answer."""
    return str(item["answer"]).rsplit("#### ", 1)[1]


def gsm8k_reply(side: str, index: int, turn: int = 0) -> str:
    """A worked answer. Every third right one forgets the #### line, so that a strict scorer misses it."""
    gold = gsm8k_gold(ITEMS["gsm8k"][index])
    said = fate(side, index, turn)
    if said == "N":
        return " I would rather talk about something else."
    if said == "R" and index % 3 == 1:
        return f" Step by step, the result comes to {gold}"
    number = gold if said == "R" else str(100 + index + (7 if said == "V" else 0))
    return f" Working through it step by step.\n#### {number}"
