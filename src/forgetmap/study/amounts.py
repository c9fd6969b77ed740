"""Amounts as people write them: 7B parameters, 800 examples, 2.5M tokens."""

from __future__ import annotations

import re

_TIMES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?(?:e\+?\d+)?)\s*([kmbt]?)(?:\s+([a-z][a-z -]*))?", re.IGNORECASE | re.ASCII)
#: A model of fewer parameters than this is more likely a number without its B.
_LEAST_SIZE = 1e5


def parse_amount(value: object) -> tuple[float, str | None]:
    """Return a number above 0 and the word behind it, if there is one.

    >>> parse_amount("7B"), parse_amount("2.5M tokens"), parse_amount(800), parse_amount("7e9")
    ((7000000000.0, None), (2500000.0, 'tokens'), (800.0, None), (7000000000.0, None))
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf"):
        return float(value), None
    # 7e9 without a point is text to YAML, and a number to everybody else
    found = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    amount = float(found[1]) * _TIMES[found[2].lower()] if found else 0.0
    if found is not None and 0 < amount < float("inf"):
        return amount, found[3].strip().lower() if found[3] else None
    raise ValueError(f"is {value!r}, expected a number above 0 such as 7B, 800 or 2.5M tokens (k, M, B, T)")


def parse_size(value: object) -> float:
    """Return a number of parameters.

    >>> parse_size("1.5B")
    1500000000.0
    """
    size, word = parse_amount(value)
    if word is not None and word not in ("parameters", "params"):
        raise ValueError(f"is {value!r}, expected a number of parameters such as 7B")
    if size < _LEAST_SIZE:
        raise ValueError(f"is {value!r}, which is no number of parameters; write {value}B for billions")
    return size


def amount_text(value: float | None) -> str:
    """Return an amount as people write it.

    >>> amount_text(7e9), amount_text(1.5e9), amount_text(800), amount_text(None)
    ('7B', '1.5B', '800', '–')
    """
    if value is None:
        return "–"
    for sign, times in (("T", 1e12), ("B", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= times:
            return f"{value / times:.4g}{sign}"
    return f"{value:.4g}"
