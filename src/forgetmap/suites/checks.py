"""Hygiene of items: rendering faults and defaulted golds are refused when items load (post_forget.md R12, R14).

Text can be looked at only so far: a question about Python may well show a list. So a container is a fault where it is
the printed form of a value of the item's own row, or where it fills a whole text or a whole labelled line. A task whose
items are code says `containers: true`, which leaves the first. (Of 12,032 questions of MMLU-Pro four fill a text with a
list, all of them about programs.)
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from forgetmap.answers import literal_list
from forgetmap.errors import SuiteError
from forgetmap.suites.item import Item

#: Fewer items than these prove nothing about where golds stand.
LEAST_ITEMS = 30

_LABELLED = re.compile(r"^[ \t]*(?:[A-Za-z][\w ]{0,30}:[ \t]*)?([\[{(].*[\]})])[ \t]*$", re.MULTILINE)
_PRINTED = re.compile(r"\barray\(\[|\bdtype=(?:object|float|int)|<class '|\bndarray\b.*\[")
_UNFILLED = re.compile(
    r"\{\{\s*[A-Za-z_][\w.]*\s*\}\}"
    r"|(?<![\\\w}$])\{(?:question|passage|options|choices|context|input|answer|prompt|text|query|instruction|doc)\}"
)


def item_fault(item: Item, row: Mapping[str, Any] | None = None, *, containers: bool = False) -> str | None:
    """Return what is wrong with an item, None if nothing is.

    >>> item_fault(Item("t", "0", "Who did it?\\nChoices: ['Ana', 'Bo']", ("Ana", "Bo"), ("Bo",)))
    "question shows a container as code prints it: ['Ana', 'Bo']"
    """
    for what, text in _texts(item):
        if not text.strip():
            return f"{what} is empty"
        unfilled = _UNFILLED.search(text)
        if unfilled:
            return f"{what} holds an unfilled place {unfilled.group()!r}"
        found = _printed_value(text, row or {}) or (None if containers else _container(text))
        if found:
            return f"{what} shows a container as code prints it: {found if len(found) <= 60 else found[:57] + '…'}"
    return _gold_fault(item)


def _gold_fault(item: Item) -> str | None:
    if item.options is None:
        return None
    if len(item.options) < 2:
        return f"{len(item.options)} options, expected 2 or more"
    if not item.gold:
        return "no gold among its options"
    stray = [one for one in item.gold if one not in item.options]
    if stray:
        return f"gold {stray[0][:40]!r} is none of the options"
    if len(set(item.gold)) == len(set(item.options)):
        return "every option is a gold"
    return None


def task_faults(items: Sequence[Item], *, shuffled: bool = False) -> list[str]:
    """Return what is wrong with the items of a task taken together."""
    faults = []
    twice = [native for native, count in Counter(item.native_id for item in items).items() if count > 1]
    if twice:
        faults.append(f"id {twice[0]!r} is given to more than one item")
    places = {item.gold_indices for item in items}
    closed = len(items) >= LEAST_ITEMS and all(item.options for item in items)
    if closed and len(places) == 1 and not shuffled:
        place = next(iter(places))[0] + 1
        faults.append(
            f"the gold is always option {place}, as if it were a default; check 'gold', or add 'shuffle: true' to "
            "'fields' where the dataset is written so"
        )
    return faults


def check_wordings(name: str, wordings: Sequence[str], items: Sequence[Item]) -> None:
    """Refuse wordings that ask for what an item lacks, or that leave out its passage."""
    with_passage = next((item for item in items if item.passage), None)
    for place, wording in enumerate(wordings):
        wanted = set(re.findall(r"\{(\w+)\}", wording)) - {"question", "options"}
        if "passage" in wanted and with_passage is None:
            raise SuiteError(f"task '{name}': wording {place + 1} has {{passage}}, but no item has one; correct it")
        for item in items:
            # where only some items have a passage, the others are asked without
            lacking = [
                one for one in sorted(wanted - {"passage"}) if not isinstance(item.facts.get(one), (str, int, float))
            ]
            if lacking:
                raise SuiteError(
                    f"task '{name}': wording {place + 1} has {{{lacking[0]}}}, but item {item.native_id} has no such "
                    "text; correct the wording or the items"
                )
            if item.passage and "passage" not in wanted and item.passage not in item.question:
                raise SuiteError(
                    f"task '{name}': wording {place + 1} leaves out the passage of item {item.native_id}; add {{passage}}"
                )


def _texts(item: Item) -> Iterator[tuple[str, str]]:
    yield "question", item.question
    if item.passage is not None:
        yield "passage", item.passage
    for place, option in enumerate(item.options or ()):
        yield f"option {place + 1}", option
    for text in item.gold if item.options is None else ():
        yield "gold", text


def _container(text: str) -> str | None:
    """Return a list or dictionary that looks as if it had been printed into a text."""
    printed = _PRINTED.search(text)
    if printed:
        return printed.group()
    return next((found[1] for found in _LABELLED.finditer(text) if _is_container(found[1])), None)


def _printed_value(text: str, row: Mapping[str, Any]) -> str | None:
    """Return a value of the row that was printed into a text: a fault also where items are about code."""
    if "[" not in text and "{" not in text:
        return None
    return next((form for form in _printed_forms(row) if form in text), None)


def _is_container(text: str) -> bool:
    """Whether a text is a list or dictionary of texts: "['a', 'b']", not "[1, 2]" and not "(a, b)"."""
    if not any(quote in text for quote in "'\""):
        return False
    if text[0] == "{":
        try:
            return isinstance(ast.literal_eval(text), dict) if len(text) < 10_000 else False
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return False
    listed = literal_list(text) if text[0] == "[" else None
    return bool(listed) and any(isinstance(one, (str, Mapping, list)) for one in listed or ())


def _printed_forms(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield how Python and numpy print the containers of a row."""
    for value in row.values():
        held = literal_list(value) if isinstance(value, str) and value[:2] in ("['", '["') else value
        if isinstance(held, Mapping) and held:
            yield str(dict(held))
            yield from _printed_forms(held)
        elif isinstance(held, (list, tuple)) and held and any(isinstance(one, (str, Mapping)) for one in held):
            yield str(list(held))
            yield "[" + " ".join(repr(one) for one in held) + "]"
