"""Fields: from a dataset's row to an item, by small expressions of a task file.

    answer | after:####          a path, then adapters from left to right
    choices.text                 down into objects by dots; through every element of a list by [*]; one by [0]
    =yes                         a constant
    [sol1, sol2]                 a list of expressions
    .                            the whole row, for adapters that need several fields

A value is never printed: a list where a text is expected is an error that names the row, not "['a', 'b']" in a question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from forgetmap.suites.adapters import ADAPTERS, FieldError, Places, said
from forgetmap.suites.item import Item
from forgetmap.suites.spec import Fields
from forgetmap.suites.variants import mixed_options

_STEP = re.compile(r"([^.\[\]]+)|\[(\*|\d{1,9})\]")


def item_of(row: Mapping[str, Any], fields: Fields, task: str, number: int) -> Item:
    """Return the item of a row; raises FieldError where the row does not hold what the task file says."""
    question = _text(evaluate(fields.question, row), "question", joined=True)
    options = None
    if fields.options is not None:
        options = _options(evaluate(fields.options, row))
    gold: tuple[str, ...] = ()
    if fields.gold is not None:
        gold = _gold(evaluate(fields.gold, row, options), options)
    facts: dict[str, Any] = {}
    if fields.passage is not None:
        passage = evaluate(fields.passage, row)
        if not _missing(passage):
            facts["passage"] = _text(passage, "passage", joined=True)
    facts |= {name: evaluate(expression, row, options) for name, expression in fields.facts.items()}
    if fields.shuffle and options is not None:
        options = tuple(options[place] for place in mixed_options(options, question))
    native = _text(evaluate(fields.id, row), "id") if fields.id is not None else str(number)
    cluster = None
    if fields.cluster is not None:
        cluster = _text(evaluate(fields.cluster, row), "cluster")
    return Item(task, native, question, options, gold, facts, cluster)


def evaluate(expression: str | Sequence[str], row: Mapping[str, Any], options: Sequence[str] | None = None) -> Any:
    """Return the value of an expression.

    >>> evaluate("choices[*].text", {"choices": [{"text": "a"}, {"text": "b"}]})
    ['a', 'b']
    >>> evaluate("answer | after:####", {"answer": "2+2=4 #### 4"})
    '4'
    """
    if not isinstance(expression, str):
        return [evaluate(one, row, options) for one in expression]
    if expression.startswith("="):
        return expression[1:]
    path, *steps = [part.strip() for part in expression.split("|")]
    value = row if path == "." else _at(row, path)
    for step in steps:
        name, _, argument = step.partition(":")
        if name not in ADAPTERS:
            raise FieldError(f"adapter {name!r} is not known, expected one of {', '.join(sorted(ADAPTERS))}")
        if argument and name == "label":
            argument = _at(row, argument)
        try:
            value = ADAPTERS[name](value, argument, options)
        except RecursionError:
            raise FieldError(f"adapter {name!r}: the value is nested too deep") from None
    return value


def check_expression(expression: str | Sequence[str]) -> None:
    """Refuse an expression that could never have a value, before any row is read."""
    for one in [expression] if isinstance(expression, str) else expression:
        if one.startswith("="):
            continue
        path, *steps = [part.strip() for part in one.split("|")]
        if path != "." and "".join(found.group() for found in _STEP.finditer(path)) != path.replace(".", ""):
            raise FieldError(f"{one[:60]!r} is no path; write names with dots, such as choices.text")
        for step in steps:
            name = step.partition(":")[0]
            if name not in ADAPTERS:
                raise FieldError(
                    f"adapter {name!r} in {one!r} is not known, expected one of {', '.join(sorted(ADAPTERS))}"
                )


def _at(value: Any, path: str) -> Any:
    steps = [(found[1], found[2]) for found in _STEP.finditer(path)]
    return _down(value, steps, path)


def _down(value: Any, steps: list[tuple[str | None, str | None]], path: str) -> Any:
    for done, (name, place) in enumerate(steps):
        if name is not None:
            if not isinstance(value, Mapping):
                raise FieldError(f"path {path!r}: {said(value)} has no field {name!r}")
            if name not in value:
                raise FieldError(f"path {path!r}: no field {name!r}, only {', '.join(map(str, list(value)[:12]))}")
            value = value[name]
            continue
        if not isinstance(value, (list, tuple)):
            raise FieldError(f"path {path!r}: {said(value)} is no list")
        if place == "*":
            return [_down(one, steps[done + 1 :], path) for one in value]
        if int(place or 0) >= len(value):
            raise FieldError(f"path {path!r}: the list has {len(value)} elements only")
        value = value[int(place or 0)]
    return value


def _missing(value: Any) -> bool:
    return value is None or value == "" or value == [] or (isinstance(value, float) and math.isnan(value))


def _text(value: Any, what: str, *, joined: bool = False) -> str:
    """Return a value as text; parts of a question stand one under the other."""
    if joined and isinstance(value, list):
        parts = [_text(one, what) for one in value if not _missing(one)]
        if parts:
            return "\n".join(parts)
    if _missing(value) or (isinstance(value, str) and not value.strip()):
        raise FieldError(f"{what} is missing")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a column of whole numbers with gaps comes as 2.0
    if not isinstance(value, (str, int, float)):
        raise FieldError(f"{what} is {said(value)}, expected a text")
    return str(value).strip()


def _options(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise FieldError(f"options are {said(value)}, expected a list of texts")
    if len(value) < 2:
        raise FieldError(f"options are {len(value)}, expected 2 or more")
    return tuple(_text(one, f"option {place + 1}") for place, one in enumerate(value))


def _gold(value: Any, options: Sequence[str] | None) -> tuple[str, ...]:
    """Return the gold texts. A gold that is none of the options is refused: no default stands in for it."""
    if isinstance(value, Places):
        if options is None:
            raise FieldError("gold is a place among options, but the task has none")
        if not value:
            raise FieldError("gold is missing")
        return tuple(dict.fromkeys(options[place] for place in value))
    texts = [_text(one, "gold") for one in value] if isinstance(value, (list, tuple)) else [_text(value, "gold")]
    if not texts:
        raise FieldError("gold is missing")
    if options is None:
        return tuple(dict.fromkeys(texts))
    folded = [option.casefold() for option in options]
    for text in texts:
        if text not in options and folded.count(text.casefold()) != 1:
            raise FieldError(f"gold {text[:40]!r} is none of the options")
    return tuple(dict.fromkeys(one if one in options else options[folded.index(one.casefold())] for one in texts))
