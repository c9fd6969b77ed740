"""A number read from a free reply (captrack.md 3.1, numeric accuracy)."""

from __future__ import annotations

import re
from collections import deque

from forgetmap.answers.cleaning import clean_reply
from forgetmap.answers.markers import Marker, markers, payload
from forgetmap.answers.numerals import RUN, Numeral, base_language, fold_digits, numerals, ratio_text
from forgetmap.answers.states import Extraction

_SENTENCE_END = re.compile(r"[.!?](?=[\"')\]}*]*+(?:\s|$))|[\u3002\u0964]")
_NEGATED = re.compile(r"[\s\"'(]*+(?:not|neither)(?!\w)", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\b(?:Rs|[KTU]?[Ss]h|approx|ca)\.[ ]*+")
_CALCULATES = re.compile(r"[ ]*+[%A-Za-z]{0,10}+[ ]*+[-+*/\u00d7\u00f7^]")
_RATIO = re.compile(r"[ ]?/[ ]?([0-9]{1,18})(?![0-9]|[ ]?/|[.,][0-9])")
# "#### 18" is an answer, "#### 3. Add them up" a heading.
_HEADING = re.compile(r"[.):][ ]*+[^\W\d]")
_DIRECT = 6  # characters: a number this near to its marker is the answer itself ("about 18")
_CANDIDATES_READ = 50


def _numbers(text: str, language: str) -> list[Numeral]:
    return [number for match in RUN.finditer(text) for number in numerals(match, language)]


def _with_ratio(number: Numeral, line: str) -> str:
    """The number, or the fraction it begins: the 3 of "3/4" would be another answer."""
    match = _RATIO.match(line, number.end)
    return ratio_text(number.text, match[1]) if match else number.text


def _announced(text: str, marker: Marker, language: str) -> str | None:
    """The number a marker announces, or null when no number follows it."""
    line = _ABBREVIATION.sub("", payload(text, marker)[0])
    if not line or _NEGATED.match(line):
        return None
    if marker.kind == "words":  # "I hope this answer is helpful. See chapter 3."
        end = _SENTENCE_END.search(line)
        line = line[: end.start()] if end else line
    found = _numbers(line, language)
    if not found:
        return None
    first = found[0]
    if marker.kind == "hashes":
        direct = first.start <= _DIRECT and not _HEADING.match(line, first.end)
        return _with_ratio(first, line) if direct else None
    result = line.rfind("=")
    if result >= first.end and _CALCULATES.match(line, first.end) and found[-1].start > result:
        # "3 + 4 = 7": what stands after the last equals sign
        first = next(number for number in found if number.start > result)
    elif first.start > _DIRECT and marker.kind == "words":
        first = found[-1]  # "the answer is that for 3 books she pays 18"
    return _with_ratio(first, line)


def extract_number(text: str, language: str = "en") -> Extraction:
    """The number a reply gives as its answer, in canonical text, or the state that says why there is none.

    Parameters
    ----------
    text : the whole reply.
    language : code of the item's language (en zh es fr de ja th sw bn and more). It decides the decimal mark
        and which words mark an answer, besides the English ones, "####" and a box, which always do.

    Notes
    -----
    The last marked answer counts (tier `marked`), else the last number of the reply (tier `last_number`).
    Report the answer rate per language: a wrong language code turns "1.300" from 1300 into 1.3.

    Examples
    --------
    >>> extract_number("Answer: 5? No. Answer: $1,300.")
    Extraction(state='answered', answer='1300', index=None, tier='marked')
    >>> extract_number("Die Antwort lautet 1.300,50 €.", "de").answer
    '1300.5'
    """
    if not text or text.isspace():
        return Extraction("empty")
    code = base_language(language)
    cleaned = fold_digits(clean_reply(text))
    for marker in markers(cleaned, code):
        announced = _announced(cleaned, marker, code)
        if announced is not None:
            return Extraction("answered", announced, None, "marked")
    for match in reversed(deque(RUN.finditer(cleaned), maxlen=_CANDIDATES_READ)):
        found = numerals(match, code)
        if found:
            return Extraction("answered", found[-1].text, None, "last_number")
    return Extraction("no_answer")
