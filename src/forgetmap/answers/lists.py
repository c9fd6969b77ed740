"""Lists, whatever container a log put them in (formats.md 2.6)."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from typing import Any

_LITERAL_LIMIT = 1_000_000  # characters given to the Python-literal parser; it needs about 1 s for that
_DEPTH_LIMIT = 50  # nesting; the parser recurses
_ADJACENT_STRINGS = re.compile(r"""['"]\s+['"]""")


def literal_list(value: object, *, limit: int = _LITERAL_LIMIT) -> list[Any] | None:
    """The value as a Python list, or null when it is not a list.

    Accepts lists, tuples, arrays and columns (anything with `tolist`, `to_list` or `as_py` that yields a list),
    JSON text of a list, Python-literal text of a list or tuple, and numpy's printed form of an array of strings.
    Text is parsed, never run; literal text longer than `limit` or nested deeper than 50 stays text.

    >>> literal_list("['a', \\"b's\\"]"), literal_list("('x', 1)"), literal_list("__import__('os')")
    (['a', "b's"], ['x', 1], None)
    """
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, str):
        return _from_text(value.strip(), limit)
    for method in ("tolist", "to_list", "as_py"):  # numpy and array, polars and pandas, pyarrow
        convert = getattr(value, method, None)
        if callable(convert):
            converted = convert()
            return list(converted) if isinstance(converted, (list, tuple)) else None
    return None


def _from_text(text: str, limit: int) -> list[Any] | None:
    if len(text) < 2 or (text[0], text[-1]) not in (("[", "]"), ("(", ")")):
        return None
    try:
        parsed = json.loads(text)
        return parsed if isinstance(parsed, list) else None
    except (ValueError, RecursionError):
        pass  # not JSON; a Python literal perhaps
    if len(text) > limit or _depth(text) > _DEPTH_LIMIT:
        return None
    if _ADJACENT_STRINGS.search(text):
        # numpy prints ['a' 'b'] without commas, and Python would join the two into 'ab'.
        printed = _printed_strings(text)
        if printed is not None:
            return printed
    try:
        parsed = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return list(parsed) if isinstance(parsed, (list, tuple)) else None


def _depth(text: str) -> int:
    """Upper bound of the nesting depth (brackets inside quotes count too)."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\](){}]", text):
        depth += 1 if bracket in "[({" else -1
        deepest = max(deepest, depth)
    return deepest


def _printed_strings(text: str) -> list[Any] | None:
    try:
        tokens = [
            token
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)
        ][1:-1]
    except (tokenize.TokenError, SyntaxError):
        return None
    if not tokens or any(token.type != tokenize.STRING for token in tokens):
        return None
    try:
        return [ast.literal_eval(token.string) for token in tokens]
    except (ValueError, SyntaxError):
        return None
