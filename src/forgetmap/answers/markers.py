"""Where a reply announces its answer: "Answer:", "the answer is", "####", a box, and their translations."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Literal, NamedTuple

MarkerKind = Literal["words", "boxed", "hashes"]


class Marker(NamedTuple):
    """One announcement: where its payload starts, and of which kind it is."""

    start: int
    kind: MarkerKind


# A reply with more markers than this is a loop; its last ones say what it ends on.
_MARKERS_READ = 500
_LINE_READ = 1000  # characters of a payload line
_BOXED_READ = 1000

# language: (pieces whose absence rules the word out, the word, the verbs that may follow it)
_WORDS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "en": (("nswer", "NSWER"), r"answer", r"is|was|will be|would be|should be|must be|equals|comes to"),
    "es": (("espuesta", "ESPUESTA"), r"respuesta", r"es|sería|será|son"),
    "fr": (("éponse", "ÉPONSE"), r"réponse", r"est|serait|sera"),
    "de": (("ntwort", "NTWORT"), r"antwort", r"ist|lautet|wäre|beträgt"),
    "sw": (("jibu", "Jibu", "JIBU"), r"jibu", r"ni|litakuwa|ingekuwa"),
    "ru": (("твет", "ТВЕТ"), r"ответ", r"это|будет|равен"),
    "bn": (("উত্তর",), r"উত্তর(?:টি)?", r"হল|হলো|হবে|হচ্ছে"),
    "te": (("సమాధానం",), r"సమాధానం", r"ఇది"),
    # Scripts without spaces: the verb follows the word directly.
    "zh": (("答",), r"答案|答", r"应该是|應該是|是|为|為|等于|等於"),
    "ja": (("答",), r"答え|答|回答|解答", r"は"),
    "th": (("คำตอบ",), r"คำตอบ(?:สุดท้าย)?(?:ที่ถูกต้อง)?", r"คือ|เท่ากับ|เป็น"),
}
_UNSPACED = frozenset({"zh", "ja", "th"})
_ASCII_WORDS = frozenset({"en", "es", "de", "sw"})


@lru_cache(maxsize=32)
def _pattern(language: str) -> re.Pattern[str]:
    _, word, verbs = _WORDS[language]
    if language in _UNSPACED:
        return re.compile(rf"(?:{word})[ \t]*+(?:(?:{verbs})[ \t]*+[:=]?|[:=])")
    # Up to six words between: "the answer to the third question is". Lazy: the nearest verb or colon counts.
    between = r"(?:[ \t]++[^\s.:;!?()=<>]{1,30}+){0,6}?"
    link = rf"(?:[ \t]*+[:=]|[ \t]++(?:{verbs})(?!\w)[ \t]*+:?)"
    bare = r"[ \t]++(?=[(\[]?(?-i:[A-Z])[)\].]{0,2}[ \t]*+$)"  # "Answer (B)" alone on its line
    tag = r">"  # <answer>B</answer>
    # Not inside another word of its own script; "最终Answer:" is a marker.
    return re.compile(
        rf"(?<![A-Za-z\u00c0-\u024f\u0400-\u04ff])(?:{word})(?!\w)(?:{between}{link}|{bare}|{tag})",
        re.MULTILINE | re.IGNORECASE,
    )


# "## Final answer" with the answer on the next line.
_HEADING = re.compile(
    r"^[ \t#>*_]*+(?:(?:the|my|final|correct|best)[ ]+){0,3}+answer[ \t*_]*+$", re.MULTILINE | re.IGNORECASE
)
_BOXED = re.compile(r"\\(?:boxed|fbox)[ \t]*+\{")
_HASHES = re.compile(r"(?<!#)####(?!#)")


def _patterns(text: str, language: str | None) -> list[re.Pattern[str]]:
    """The patterns worth running: a substring test is far cheaper than a search that cannot succeed."""
    wanted: AbstractSet[str] = {"en", language} & _WORDS.keys() if language else _WORDS.keys()
    if language is None and text.isascii():
        wanted = _ASCII_WORDS
    found = [_pattern(name) for name in wanted if any(piece in text for piece in _WORDS[name][0])]
    if "nswer\n" in text or "NSWER\n" in text:
        found.append(_HEADING)
    return found


def markers(text: str, language: str | None = None) -> list[Marker]:
    """The markers of a cleaned reply, LAST first; English ones always count.

    `language` adds that language's words; null adds every language known here, for replies whose language is
    not recorded (option letters are the same in all of them).
    """
    found: list[Marker] = []
    kinds: list[tuple[re.Pattern[str], MarkerKind]]
    kinds = [(pattern, "words") for pattern in _patterns(text, language)]
    if "\\boxed" in text or "\\fbox" in text:
        kinds.append((_BOXED, "boxed"))
    if "####" in text:
        kinds.append((_HASHES, "hashes"))
    for pattern, kind in kinds:
        last = deque(pattern.finditer(text), maxlen=_MARKERS_READ)
        found.extend(Marker(match.end(), kind) for match in last)
    found.sort(reverse=True)
    return found[:_MARKERS_READ]


_GAP = re.compile(r"[ \t]*+(?:\n[ \t]*+){0,3}+")
_LATEX_WRAPPER = re.compile(r"\\(?:text(?:bf|rm|it)?|math(?:rm|bf|sf)|mbox|boxed|fbox|bf|rm)(?![A-Za-z])")
_FRACTION = re.compile(r"\\[dt]?frac[ ]?\{([^{}]{1,40})\}[ ]?\{([^{}]{1,40})\}")
_LATEX_NOISE = re.compile(r"\\[()\[\],;!: ]|[{}]|\$(?![ ]?[-+]?\d)|\\(?=[$%])")


def plain_latex(text: str) -> str:
    r"""LaTeX wrappers around a short answer removed: `\text{(B)}` is "(B)", `1{,}300` is "1,300"."""
    if "\\" not in text and "{" not in text and "$" not in text:
        return text
    text = _FRACTION.sub(r"\1/\2", text)
    return _LATEX_NOISE.sub("", _LATEX_WRAPPER.sub("", text))


def payload(text: str, marker: Marker) -> tuple[str, int]:
    """The line that follows a marker (or the content of its box), and where it ends in the text.

    An unclosed box is a reply cut in mid-answer: its payload is empty.
    """
    if marker.kind == "boxed":
        depth = 1
        for position in range(marker.start, min(len(text), marker.start + _BOXED_READ)):
            character = text[position]
            depth += (character == "{") - (character == "}")
            if depth == 0:
                return plain_latex(text[marker.start : position]).strip(), position
        return "", marker.start
    gap = _GAP.match(text, marker.start)
    start = gap.end() if gap else marker.start
    end = text.find("\n", start, start + _LINE_READ)
    if end < 0:
        end = min(len(text), start + _LINE_READ)
    return plain_latex(text[start:end]).strip(), end
