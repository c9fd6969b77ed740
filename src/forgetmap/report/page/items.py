"""The items of a page: cut to a bearable length, column by column, compressed."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forgetmap.errors import UsageError
from forgetmap.flips import TRANSITIONS

PROMPT_CUT = 4096  # characters of a prompt that a page holds
#: Characters of an answer that a page holds: the most that keeps all items within `BUDGET`.
ANSWER_CUTS = (262_144, 65_536, 16_384, 4_096)
BUDGET = 4_000_000  # compressed bytes; a third more in the file, beside 2 MB for interaction
_SQUEEZE = 3  # what compression makes of ordinary text at the least: spares trying what cannot fit

_ANSWERS = ("response_before", "response_after", "choice_before", "choice_after", "question")
_PROMPTS = ("prompt_before", "prompt_after")
#: Columns of a row, in the order of `flips.list_flips`; others are left out of the page.
COLUMNS = (
    "task", "item", "native_id", "question", "options", "gold", "kind", "score_before", "score_after", "repeats_before",
    "repeats_after", "confidence", "repeats_wrong", "shared_by", "marks", "choice_before", "state_before", "note_before",
    "prompt_before", "response_before", "choice_after", "state_after", "note_after", "prompt_after", "response_after",
    "transition", "cause", "after",
)  # fmt: skip


@dataclass(frozen=True)
class ItemSet:
    """The items that a page shows, the first to look at on top, and how many there are in all.

    `rows` have the columns of `flips.list_flips`, and `transition`, `cause` and `after` (the number of the map);
    `counts` tells how many items of each transition exist; `held` says in words why texts are missing, where they are.
    """

    rows: list[dict[str, Any]] = field(repr=False)
    counts: Mapping[str, int]
    held: str | None = None

    def __post_init__(self) -> None:
        unknown = {row.get("transition") for row in self.rows} - set(TRANSITIONS)
        if unknown:
            raise UsageError(f"transition of an item is {unknown.pop()!r}; it must be one of {', '.join(TRANSITIONS)}")

    @property
    def tasks(self) -> set[str]:
        """Tasks that have an item on the page."""
        return {row["task"] for row in self.rows}

    def shown(self) -> dict[str, int]:
        """Return how many items of each transition the page shows."""
        found = Counter(row["transition"] for row in self.rows)
        return {name: found[name] for name in TRANSITIONS if found[name] or self.counts.get(name)}

    def left_out(self) -> list[str]:
        """Return, per transition of which items are left out, how many of how many are there."""
        shown = self.shown()
        return [
            f"{shown[name]:,} of {self.counts[name]:,} {name}"
            for name in TRANSITIONS
            if self.counts.get(name, 0) > shown.get(name, 0)
        ]

    def __repr__(self) -> str:
        return f"ItemSet({len(self.rows)} items shown; in all {dict(self.counts)})"


@dataclass(frozen=True)
class Packed:
    """Items as a page embeds them."""

    text: str  # base64 of gzip of JSON: {"columns": {name: [...]}, "order": [...]}
    cut_prompts: int  # texts that were cut
    cut_answers: int
    answer_cut: int


def pack_items(rows: Sequence[Mapping[str, Any]]) -> Packed:
    """Return the rows compressed; answers are cut as far as the budget of the file asks."""
    made = None
    for answer_cut in ANSWER_CUTS:
        kept = [_cut_row(row, answer_cut) for row in rows]
        last = answer_cut == ANSWER_CUTS[-1]
        size = sum(len(text) for row, _, _ in kept for text in row.values() if isinstance(text, str))
        if size > BUDGET * _SQUEEZE * 4 and not last:
            continue
        packed = pack({"columns": _columns([row for row, _, _ in kept]), "order": _order(rows)})
        made = Packed(packed, sum(p for _, p, _ in kept), sum(a for _, _, a in kept), answer_cut)
        if len(packed) <= BUDGET * 4 / 3:
            break
    assert made is not None
    return made


def pack(content: Any) -> str:
    """Return JSON, compressed, as text that may stand inside a script element.

    >>> pack({"a": 1}) == pack({"a": 1})
    True
    """
    # Not every text is valid Unicode: escapes carry lone surrogates, which UTF-8 cannot.
    raw = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")
    return base64.b64encode(gzip.compress(raw, 6, mtime=0)).decode("ascii")


def _order(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of the rows as stored: by task, for prompts of a task begin alike and compress when side by side."""
    return sorted(range(len(rows)), key=lambda place: str(rows[place]["task"]))


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    stored = [rows[place] for place in _order(rows)]
    columns = {name: [row.get(name) for row in stored] for name in COLUMNS}
    for name in _PROMPTS[1:]:  # mostly the same prompt on both sides
        columns[name] = [
            0 if text is not None and text == other else text
            for text, other in zip(columns[name], columns["prompt_before"], strict=True)
        ]
    return {name: values for name, values in columns.items() if any(value is not None for value in values)}


def _cut_row(row: Mapping[str, Any], answer_cut: int) -> tuple[dict[str, Any], int, int]:
    made, prompts, answers = dict(row), 0, 0
    for name in _PROMPTS:
        text = row.get(name)
        if text is not None and len(text) > PROMPT_CUT:
            made[name] = _both_ends(text, PROMPT_CUT)
            prompts += 1
    for name in _ANSWERS:
        text = row.get(name)
        if text is not None and len(text) > answer_cut:
            made[name] = _both_ends(text, answer_cut)
            answers += 1
    for before, after in (("prompt_before", "prompt_after"), ("response_before", "response_after")):
        # What differs in the middle only would look the same once the middle is gone.
        if row.get(before) is not None and row.get(before) != row.get(after) and made[before] == made.get(after):
            made[after] = made[after].replace(" characters cut …]", " characters cut, other ones than before …]", 1)
    for name in ("options", "gold", "marks"):
        if row.get(name) is not None:
            made[name] = [text if len(text) <= answer_cut else _both_ends(text, answer_cut) for text in row[name]]
    return made, prompts, answers


def _both_ends(text: str, most: int) -> str:
    """The beginning and the end: prompts ask, and answers conclude, at their end."""
    head = most // 4
    left = len(text) - most
    return f"{text[:head]}\n[… {left:,} characters cut …]\n{text[len(text) - (most - head) :]}"
