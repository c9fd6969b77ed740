"""Lettering: how wide a text is, and what of it fits. Fonts differ from machine to machine, so widths are estimates."""

from __future__ import annotations

import re
import unicodedata

from forgetmap.report.plain import visible

_NARROW = frozenset("fijlrtI.,:;'|!()[]{}-/\\ ·")
_WIDE = frozenset("mwMW%@…—→")


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how wide a text is, rather too wide than too narrow: fonts differ from machine to machine.

    >>> text_width("ill", 10) < text_width("lost", 10) < text_width("WWWW", 10)
    True
    """
    total = 0.0
    for sign in visible(text):
        if sign in _NARROW:
            total += 0.4
        elif sign in _WIDE:
            total += 0.98
        elif unicodedata.combining(sign):
            continue
        elif unicodedata.east_asian_width(sign) in "WF":
            total += 1.05
        elif sign.isupper() or ord(sign) > 0x7F:
            total += 0.74
        else:
            total += 0.62
    return total * size * (1.07 if bold else 1.0)


def fit(text: str, width: float, size: float, *, bold: bool = False, middle: bool = False) -> str:
    """Return the text on one line, cut to a width; `middle` keeps the end, which tells models apart.

    >>> fit("a long name of a task", 60, 12)
    'a long…'
    """
    flat = visible(" ".join(text[:2000].split()))
    if text_width(flat, size, bold=bold) <= width:
        return flat
    low, high = 0, len(flat)
    while low < high:  # the most signs that fit
        half = (low + high + 1) // 2
        if text_width(_cut(flat, half, middle), size, bold=bold) <= width:
            low = half
        else:
            high = half - 1
    return _cut(flat, low, middle)


def _cut(text: str, most: int, middle: bool) -> str:
    if not middle:
        return f"{text[:most].rstrip()}…"
    head = most // 3
    return f"{text[:head]}…{text[len(text) - (most - head) :]}"


def wrap(text: str, width: float, size: float, lines: int = 2, *, bold: bool = False) -> list[str]:
    """Return the text on at most so many lines of a width, broken between words where possible.

    >>> wrap("Science and technology", 90, 12)
    ['Science and', 'technology']
    """
    words = re.sub("([/_:-])(?=.)", "\\1\u200b", visible(" ".join(text[:2000].split())))
    made: list[str] = []
    rest = words
    while rest and len(made) < lines - 1:
        at = _break(rest, width, size, bold)
        if at is None:
            break
        made.append(rest[:at].replace("\u200b", "").rstrip())
        rest = rest[at:].lstrip(" \u200b")
    if rest or not made:
        made.append(fit(rest.replace("\u200b", ""), width, size, bold=bold))
    return made


def _break(text: str, width: float, size: float, bold: bool) -> int | None:
    """Where the first line ends: the last gap that fits; None where all of it fits, or no gap does."""
    if text_width(text.replace("\u200b", ""), size, bold=bold) <= width:
        return None
    gaps = [at for at, sign in enumerate(text) if sign in " \u200b"]
    fitting = [at for at in gaps if text_width(text[:at].replace("\u200b", ""), size, bold=bold) <= width]
    return fitting[-1] if fitting and fitting[-1] > 0 else None
