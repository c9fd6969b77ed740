"""A map's JSON, checked field by field: a file may have been edited by hand, or written by another version."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from forgetmap.cells import Cell
from forgetmap.errors import FormatError
from forgetmap.levels import LEVELS
from forgetmap.map import SCHEMA

#: Shares lie in [0, 1]; estimates may leave it, but not by far.
Share = Annotated[float, Meta(ge=-1000, le=1000)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Parts = Annotated[float, Meta(ge=0, le=2**53)]  # with repeats an item may count in parts
Block = dict[str, Share | Count | str | None]


class _Run(Struct):
    model: str | None
    source: str | None
    tool: str | None
    model_revision: str | None
    tool_version: str | None
    suite: str | None
    date: str | None
    tasks: Count
    items: Count | None
    samples: Count | None
    repeats: Count | None
    null_scores: Count | None
    content_hash: str | None


class _Setting(Struct):
    setting: str
    before: Any
    after: Any


class _Pairing(Struct):
    paired: Count
    only_before: Count
    only_after: Count
    duplicates: Count
    null_before: Count
    null_after: Count
    gold_changed: Count
    content_changed: Count
    coverage_before: Share | None
    coverage_after: Share | None
    grade: Literal["A", "B", None]
    settings_that_differ: list[_Setting]
    tasks_only_before: list[str]
    tasks_only_after: list[str]
    keyed_by: Literal["id", "content"]


class _Cell(Struct):
    level: Literal["task", "category", "group", "total"]
    name: str
    path: list[str]
    tasks: Count
    items: Count
    mapped: bool
    task_names: list[str]
    acc_before: Share | None
    acc_after: Share | None
    kept: Share | None
    lost: Share | None
    gained: Share | None
    never: Share | None
    lost_low: Share | None
    lost_high: Share | None
    gained_low: Share | None
    gained_high: Share | None
    no_answer_before: Share | None
    no_answer_after: Share | None
    chance: Block | None
    noise: Block | None
    soft: Block | None
    paper: Block | None
    p_lost: Share | None
    q_lost: Share | None
    p_gained: Share | None
    q_gained: Share | None
    p_net: Share | None
    q_net: Share | None
    verdict: Literal["lost", "gained", "both", "steady", "unclear", None]
    verdict_reading: Literal["observed", "chance", "noise", "net", None]
    margin: Share | None
    detectable: Share | None
    net_because: Literal["sampled", "graded", "options unknown", None]
    flags: list[str]
    scorers: list[dict[str, Any]]
    validity: dict[str, Share | None] | None


class _Cause(Struct):
    direction: Literal["lost", "gained"]
    level: str
    name: str
    cause: str
    count: Parts
    share: Share
    low: Share | None
    high: Share | None
    share_of_all: Share | None
    cell: Count


class _Score(Struct):
    task: str
    name: str
    kind: str


class _Guessing(Struct):
    persistence: Share | None


class _Bridge(Struct):
    cells: list[dict[str, Any]]


class _Map(Struct):
    before: _Run
    after: _Run
    taxonomy: str
    hidden: list[str]
    weight: Literal["tasks", "items", "categories"]
    reading: Literal["auto", "observed", "noise", "chance", "soft", "paper"]
    scores: list[_Score]
    pairing: _Pairing
    guessing: _Guessing
    cells: list[_Cell]
    causes: list[_Cause]
    bridge: _Bridge | None
    drift: list[dict[str, Any]] | None
    warnings: list[str]
    notes: list[str]


#: What each block must hold where it is there; other keys may come and go.
_NEEDED = {
    "chance": ("items", "known_before", "known_after", "lost", "lost_from", "lost_to", "gained", "gained_from", "gained_to"),
    "noise": (
        "form", "floor_before", "floor_after", "lost", "gained", "lost_at_least", "lost_at_least_low", "lost_at_most_high",
        "gained_at_least", "gained_at_least_low", "gained_at_most_high", "known_lost", "known_gained",
    ),
    "soft": ("lost", "gained", "p_before", "p_after", "floor"),
    "paper": ("lost", "gained", "lost_max", "gained_max"),
}  # fmt: skip


def check_map(content: Any, source: str) -> list[Cell]:
    """Return the cells of a map's JSON; what is wrong with it is said in one sentence."""
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        found = content.get("schema") if isinstance(content, dict) else type(content).__name__
        raise FormatError(f"{source}: schema is '{found}', expected '{SCHEMA}'; write it with compare --json")
    remedy = "it was edited, or written by another version; write it again with compare --json"
    try:
        msgspec.convert(content, _Map)
    except msgspec.ValidationError as fault:
        raise FormatError(f"{source}: not a map ({fault}); {remedy}") from fault
    cells = [Cell.from_dict(row) for row in content["cells"]]
    for place, cell in enumerate(cells):
        for name, needed in _NEEDED.items():
            block = getattr(cell, name)
            lacking = [key for key in needed if block is not None and key not in block]
            if lacking:
                raise FormatError(f"{source}: not a map (cell {place} lacks '{name}.{lacking[0]}'); {remedy}")
        if (
            cell.decision["verdict_reading"] in ("chance", "noise")
            and cell.block(cell.decision["verdict_reading"]) is None
        ):
            raise FormatError(f"{source}: not a map (cell {place} rests on a reading it does not hold); {remedy}")
        if cell.verdict is not None and cell.decision["margin"] is None:
            raise FormatError(f"{source}: not a map (cell {place} has a verdict without a margin); {remedy}")
    totals = [place for place, cell in enumerate(cells) if cell.level == "total"]
    if totals != [len(cells) - 1]:
        raise FormatError(f"{source}: not a map (it must hold one cell of level total, in last place); {remedy}")
    order = [LEVELS.index(cell.level) for cell in cells]
    if order != sorted(order) or any(row["cell"] >= len(cells) for row in content["causes"]):
        raise FormatError(f"{source}: not a map (its cells are out of order); {remedy}")
    return cells
