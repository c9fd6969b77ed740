"""What a cell of a table says: blanks, yes and no, numbers, options, answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from forgetmap import items
from forgetmap.answers import letter_index, literal_list
from forgetmap.errors import FormatError

_TRUE = frozenset({"true", "1", "yes", "pass", "passed", "1.0", "t", "y"})
_FALSE = frozenset({"false", "0", "no", "fail", "failed", "0.0", "f", "n"})


def cell(row: Mapping[str, Any], column: str) -> Any:
    """Return a cell; blanks and NaN are null."""
    value = row.get(column)
    if isinstance(value, str) and not value.strip():
        return None
    return None if isinstance(value, float) and math.isnan(value) else value


def _shown(value: Any) -> str:
    try:
        return repr(str(value)[:40])
    except ValueError:  # an integer of more digits than Python prints
        return "a number too long to print"


def truth(value: Any) -> bool | None:
    """Return yes or no, None where the words say neither."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    return True if text in _TRUE else False if text in _FALSE else None


def correct(value: Any, column: Any, place: str) -> bool | None:
    """Return a correctness, or say in which row there is none."""
    if value is None:
        return None
    said = truth(value)
    if said is None:
        raise FormatError(
            f"{place}: '{column}' is {_shown(value)}, expected true/false, 1/0, yes/no or pass/fail; if it is a graded "
            f"score, map it with --columns score={column}"
        )
    return said


def score(value: Any, column: Any, place: str) -> float | None:
    """Return a number, or say in which row there is none."""
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as fault:
        raise FormatError(f"{place}: '{column}' is {_shown(value)}, expected a number; correct or blank it") from fault


def whole(value: Any, column: str, place: str, most: int = 65_535) -> int | None:
    """Return a whole number."""
    number = score(value, column, place)
    if number is None:
        return None
    if not number.is_integer() or not 0 <= number <= most:
        raise FormatError(f"{place}: '{column}' is {_shown(value)}, expected a whole number; correct or blank it")
    return int(number)


def options(row: Mapping[str, Any], column: Any, place: str) -> list[str] | None:
    """Return the options of a row: a list in one column, or one column each."""
    if column is None:
        return None
    if isinstance(column, list):
        found = [cell(row, name) for name in column]
        while found and found[-1] is None:
            found.pop()
        if None in found:  # letters would mean other options than they say
            blank = column[found.index(None)]
            raise FormatError(f"{place}: option column '{blank}' is blank between others; fill it in")
    else:
        value = cell(row, column)
        if value is None:
            return None
        if isinstance(value, Mapping):
            value = value.get("text")
        listed = literal_list(value)
        if listed is None:
            raise FormatError(f"{place}: '{column}' is {_shown(value)}, expected a list of options; write it as JSON")
        found = listed
    return [str(option) for option in found] or None


def golds(value: Any, options: Sequence[str] | None) -> tuple[list[str] | None, list[int]]:
    """Return gold texts and positions; one that cannot be resolved leaves the item without a gold."""
    if value is None:
        return None, []
    listed = literal_list(value)
    golds = [gold for gold in (listed if listed is not None else [value]) if gold is not None]
    if not options:
        return [answer_text(gold) for gold in golds] or None, []
    positions = [place for gold in golds if (place := position(gold, options)) is not None]
    if not golds or len(positions) < len(golds):
        return None, []
    return [options[place] for place in positions], positions


def position(answer: Any, options: Sequence[str]) -> int | None:
    """Return which option an answer is: by text, by letter, or by 0-based index."""
    text = answer_text(answer)
    folded = [items.normalise(option) for option in options]
    if items.normalise(text) in folded:
        return folded.index(items.normalise(text))
    return place(text, len(options))


def answer_text(answer: Any) -> str:
    """Return an answer as text; a column of whole numbers with gaps comes as 2.0 where 2 is meant."""
    if isinstance(answer, float) and answer.is_integer():
        return str(int(answer))
    text = str(answer)
    return text.removesuffix(".0") if text.removesuffix(".0").isdecimal() else text


def place(answer: Any, counted: int) -> int | None:
    """Return which of so many options an answer is, by letter or 0-based index; None if it is neither."""
    text = answer_text(answer).strip().strip("().") if answer is not None else ""
    if text.isdecimal():
        return int(text) if len(text) < 6 and int(text) < counted else None
    return letter_index(text, counted)


def logprobs(value: Any, place: str) -> list[float] | None:
    """Return one log-likelihood per option."""
    listed = literal_list(value) if value is not None else None
    if listed is None:
        return None
    return [number for one in listed if (number := score(one, "option_logprobs", place)) is not None]


def optional_text(value: Any) -> str | None:
    """Return a text, null for a blank."""
    return None if value is None else str(value)


def as_text(value: Any) -> str:
    """Return a question; several turns are one text."""
    listed = value if isinstance(value, list) else None
    return "\n".join(str(part) for part in listed) if listed is not None else str(value)
