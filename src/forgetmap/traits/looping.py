"""Looping: does the end of a reply say the same thing over and over? (captrack.md 3.13)

A loop is a stretch that repeats with an exact period of up to `_LONGEST` characters, covers more than half of the last
30 % of the reply and runs to its end (or on for so long that an end no longer matters). Lists, tables, code and poems
repeat words and lines, but not whole stretches without a break. A loop whose counter moves on ("Step 41 …, Step 42 …")
is not seen: a table of squares looks the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

VERSION = 1

_TAIL = 0.3  # the last part of a reply that decides
_COVERED = 0.5  # of that part
_ANCHOR = 24  # characters that must come back at the period's distance
_BESIDE = 60  # characters to one side of the anchor that come back with it in any loop
_LONGEST = 3000  # characters of a period: 200 long words with room to spare
_WINDOW = 100_000  # characters read at most, from the end
_CANDIDATES = 40  # distances tried on each side of the anchor
_SHORTEST_LOOP = 300  # characters: a refrain of three lines is shorter
_LOOP_WITHOUT_LETTERS = 1000  # rows of dashes, zeros of a matrix, dotted lines
_LOOP_THAT_ENDED = 1500  # a loop the model left again must have been long
_LEAST_REPEATS = 3
_LEAST_REPEATS_SHORT = 5  # for periods below a line's length
_SHORT_PERIOD = 80


@dataclass(frozen=True, slots=True)
class Loop:
    """What is repeated (blanks collapsed; it may begin anywhere in the round), how often, and over how many characters."""

    chunk: str
    repeats: float
    length: int


def find_loop(text: str) -> Loop | None:
    """The loop a reply ends in, or null.

    >>> find_loop("We stayed. " + "Then we went home. " * 20)
    Loop(chunk='. Then we went home', repeats=20.1, length=381)
    """
    if len(text) < _SHORTEST_LOOP:
        return None
    window = " ".join(text[-_WINDOW:].split())
    if len(window) < _SHORTEST_LOOP:
        return None
    tail = max(int(len(window) * _TAIL), 2 * _ANCHOR)
    # A stretch that covers more than half of the tail covers its middle: one anchor there is enough.
    middle = len(window) - tail // 2
    start = middle - _ANCHOR // 2
    periods = [period for period in _distances(window, start) if _goes_on(window, start, period)]
    if not periods:
        return None
    characters = np.frombuffer(window.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    for period in periods:
        first, end = _stretch(characters, start, period)
        if _is_loop(window, first, end, period, tail):
            return Loop(window[first : first + period].strip(), round((end - first) / period, 1), end - first)
    return None


def is_looping(text: str) -> bool:
    """Whether a reply ends in a loop.

    >>> is_looping("no " * 400), is_looping("No, no, no! " * 5)
    (True, False)
    """
    return find_loop(text) is not None


def _distances(window: str, start: int) -> list[int]:
    """Distances at which the anchor comes back, nearest first: the only periods possible around it."""
    anchor = window[start : start + _ANCHOR]
    found: set[int] = set()
    at = start
    for _ in range(_CANDIDATES):
        at = window.rfind(anchor, max(0, start - _LONGEST), at + _ANCHOR - 1)
        if at < 0:
            break
        found.add(start - at)
    at = start
    for _ in range(_CANDIDATES):
        at = window.find(anchor, at + 1, start + _LONGEST + _ANCHOR)
        if at < 0:
            break
        found.add(at - start)
    return sorted(found)


def _goes_on(window: str, start: int, period: int) -> bool:
    """Whether more than the anchor comes back: sentences share words without being a loop."""
    low, high = max(start - _BESIDE, 0), start + _ANCHOR + _BESIDE
    return (
        (start >= period and window[start:high] == window[start - period : high - period])
        or window[start:high] == window[start + period : high + period]
        or (low >= period and window[low : start + _ANCHOR] == window[low - period : start + _ANCHOR - period])
        or window[low : start + _ANCHOR] == window[low + period : start + _ANCHOR + period]
    )


def _stretch(characters: np.ndarray, start: int, period: int) -> tuple[int, int]:
    """The longest stretch around `start` in which every character equals the one a period before."""
    differs = characters[period:] != characters[:-period]
    breaks = np.flatnonzero(differs)
    place = int(np.searchsorted(breaks, start))
    first = int(breaks[place - 1]) + 1 if place else 0
    last = int(breaks[place]) if place < len(breaks) else len(differs)
    return first, last + period


def _is_loop(window: str, first: int, end: int, period: int, tail: int) -> bool:
    length = end - first
    least = _LEAST_REPEATS_SHORT if period < _SHORT_PERIOD else _LEAST_REPEATS
    if length < _SHORTEST_LOOP or length < least * period:
        return False
    covered = end - max(first, len(window) - tail)
    if covered <= _COVERED * tail:
        return False
    says_something = any(character.isalpha() or character == "=" for character in window[first : first + period])
    if not says_something and length < _LOOP_WITHOUT_LETTERS:
        return False
    # The last round may be cut short and a closing mark may follow; what goes on longer has left the loop.
    runs_out = len(window) - end <= min(period, _ANCHOR)
    return runs_out or length >= _LOOP_THAT_ENDED
