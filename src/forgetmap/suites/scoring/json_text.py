"""JSON inside model text, read without trust: size, depth and number of tries are bounded.

Whatever is wrong with it (nesting without end, numbers of a million digits) it is no JSON, never a crash.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

_LONGEST = 2_000_000  # characters parsed as a whole
_SEARCHED = 100_000  # characters from the end that are searched for JSON among prose
_DEEPEST = 200
_RESTARTS = 8  # after brackets that never close ("[see")
_TRIES = 40  # balanced pieces given to the parser
_FENCED = re.compile(r"```[\w+-]{0,20}[ \t]*+\n?")
_PREFIX = re.compile(r"(?:json|output|answer)[ \t]*+:?[ \t]*+\n?(?=\s*+[\[{])", re.IGNORECASE)
_MARK = re.compile(r'["\\{}\[\]]')
_CLOSES = {"}": "{", "]": "["}


@dataclass(frozen=True, slots=True)
class FoundJson:
    """A value, and whether the reply held other text beside it."""

    value: Any
    extra_text: bool


def parse(text: str) -> tuple[bool, Any]:
    """Whether a text is JSON of reasonable depth, and its value.

    >>> parse('{"a": 1}'), parse("[" * 100_000), parse("NaN"), parse("1e999")
    ((True, {'a': 1}), (False, None), (False, None), (False, None))
    """
    if len(text) > _LONGEST:
        return False, None
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return False, None
    return (True, value) if _shallow(value) else (False, None)


def find(text: str) -> FoundJson | None:
    """The JSON of a reply: all of it but for one fence or a "JSON:" before it, else the LAST balanced object or array.

    >>> find('For example {"a": 1}. Mine is {"a": {"b": [2]}}, I think.')
    FoundJson(value={'a': {'b': [2]}}, extra_text=True)
    """
    bare = unwrap(text)
    is_json, value = parse(bare)
    if is_json:
        return FoundJson(value, False)
    for piece in reversed(balanced(text)[-_TRIES:]):
        is_json, value = parse(piece)
        if is_json:
            return FoundJson(value, True)
    return None


def unwrap(text: str) -> str:
    """The reply without one fence around it and a "JSON:" before it."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and len(bare) > 6:
        fence = _FENCED.match(bare)
        bare = bare[fence.end() if fence else 3 : -3].strip()
    prefix = _PREFIX.match(bare)
    return bare[prefix.end() :] if prefix else bare


def balanced(text: str) -> list[str]:
    """The outermost balanced objects and arrays of a text, in order.

    Quotes hide brackets only inside of brackets: prose has quotes of its own.
    """
    text = text[-_SEARCHED:]
    found: list[tuple[int, int]] = []
    start = 0
    for _ in range(_RESTARTS):
        pieces, open_at = _scan(text, start)
        found += pieces
        if open_at is None:
            break
        start = open_at + 1  # what never closed was a bracket of prose: look behind it
    return [text[first:end] for first, end in sorted(set(found))]


def _scan(text: str, start: int) -> tuple[list[tuple[int, int]], int | None]:
    """The balanced pieces from `start` on, and where a bracket opened that never closed."""
    pieces: list[tuple[int, int]] = []
    stack: list[str] = []
    opened, quoted, skip = 0, False, -1
    for match in _MARK.finditer(text, start):
        at, mark = match.start(), match[0]
        if at == skip:
            continue
        if mark == "\\":
            skip = at + 1 if quoted else -1
        elif mark == '"':
            quoted = not quoted if stack else False
        elif quoted:
            continue
        elif mark in "{[":
            if not stack:
                opened = at
            stack.append(mark)
        elif stack:
            if stack[-1] != _CLOSES[mark]:
                return pieces, opened
            stack.pop()
            if not stack:
                pieces.append((opened, at + 1))
    return pieces, opened if stack else None


def _shallow(value: Any) -> bool:
    """Whether the nesting stays below a depth that nothing recursive trips over."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, (dict, list))
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return True
    return False


def _finite(number: str) -> float:
    """A number that floating point can hold: 1e999 would silently become infinity."""
    value = float(number)
    if math.isinf(value):
        raise ValueError(f"{number} is beyond floating point")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
