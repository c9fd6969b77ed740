"""Needles found again: all of them and nothing else (captrack.md 3.11).

Facts: `needles` (else the golds), `pattern` number or word, and for words `others`: what else stood in the text and would
be a wrong find. A number is a whole one: the needle's digits inside a longer number are no find. Numbers with fewer digits
than the shortest needle (7 at most) are prose ("the 2 numbers"), not finds.

For words without `others`, the entries of a list (comma, line, "and") are finds where they are short.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from forgetmap.answers import clean_reply, gold_aliases
from forgetmap.answers.numerals import fold_digits
from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, fact, last, none_found, said, silence

SCORER = "recall"
METRICS = ("exact", "found")
_FEWEST_DIGITS = 7
_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*+(?![0-9])")
_WORD = re.compile(r"[\w'-]+")
_BETWEEN = re.compile(r"[,;\n\u3001\uff0c]|[.!?](?=\s|$)|\band\b|\bor\b")
_ENTRY_WORDS = 2  # an entry without a needle and with more words than these is prose
_LEAD_IN = re.compile(r"[^\n:]{0,200}:\s*+")  # "The three words are: …"
_CHOICE_KEPT = 500


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return exact (all needles, nothing else) and found (share of the needles)."""
    reply = last(answer, task, item)
    needles = gold_aliases(fact(task, item, "needles")) or list(item.gold)
    pattern = fact(task, item, "pattern", "number")
    if pattern not in ("number", "word"):
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: fact 'pattern' is {pattern!r}, expected number or word; correct it"
        )
    if not needles:
        return alike(SCORER, METRICS, None, "unscored", "no gold")
    if state := silence(reply):
        return alike(SCORER, METRICS, 0.0, state)
    text = fold_digits(clean_reply(said(reply)))
    if pattern == "number":
        wanted = {_digits(needle) for needle in needles}
        found = numbers_in(text, min(_FEWEST_DIGITS, *map(len, wanted)))
    else:
        wanted = {_plain(needle) for needle in needles}
        found = words_in(text, wanted, gold_aliases(fact(task, item, "others")))
    if not found:
        return alike(SCORER, METRICS, 0.0, none_found(reply))
    hits = wanted & found
    exact = found == wanted
    choice = ", ".join(sorted(found))[:_CHOICE_KEPT]
    state = "answered" if exact or not hits else "partial"
    return [
        Scored(SCORER, "exact", float(exact), choice, state=state),
        Scored(SCORER, "found", len(hits) / len(wanted), choice, state=state),
    ]


def numbers_in(text: str, fewest: int) -> set[str]:
    """The whole numbers of a text with at least so many digits.

    >>> numbers_in("It is 7654321, not 12.", 4), numbers_in("17654321", 4) == {"7654321"}
    ({'7654321'}, False)
    """
    found = {match[0].replace(",", "") for match in _NUMBER.finditer(text)}
    return {number for number in found if len(number) >= fewest}


def words_in(text: str, wanted: set[str], others: Sequence[str]) -> set[str]:
    """The needles and the other finds that a text names.

    >>> sorted(words_in("They are: apple, pear and plum.", {"apple", "plum"}, []))
    ['apple', 'pear', 'plum']
    """
    plain = f" {_plain(text)} "
    known = wanted | {_plain(other) for other in others}
    found = {name for name in known if name and f" {name} " in plain}
    if others or not found:
        # what is no needle and no known other was not in the text at all; without any find, an entry is a wrong answer
        return found or (_entries(text) if len(plain) < 200 else set())
    strange = {entry for entry in _entries(text) if not any(f" {name} " in f" {entry} " for name in found)}
    return found | strange


def _entries(text: str) -> set[str]:
    led = _LEAD_IN.match(text)
    entries = (_plain(entry) for entry in _BETWEEN.split(text[led.end() if led else 0 :]))
    return {entry for entry in entries if entry and len(entry.split()) <= _ENTRY_WORDS}


def _digits(needle: str) -> str:
    return re.sub(r"[^0-9]", "", fold_digits(needle)) or needle


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(clean_reply(text).casefold()))
