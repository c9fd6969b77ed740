"""Open answers: does the reply contain one of the accepted names? (captrack.md 3.1, open-answer accuracy)"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from forgetmap.answers.cleaning import clean_reply
from forgetmap.answers.lists import literal_list
from forgetmap.answers.markers import markers, payload
from forgetmap.answers.states import AnswerState


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """Whether a reply names one of the aliases.

    `matched` is null when the item has no usable alias: that is a missing gold, not a wrong answer. `exact` is
    whether the answer span alone equals an alias; `span` the text after the last marker, else the last line;
    `alias` the alias found.
    """

    state: AnswerState
    matched: bool | None
    exact: bool | None
    span: str | None = None
    alias: str | None = None


class _Punctuation(dict[int, str | None]):
    """Translation table that learns each character once: punctuation becomes space, apostrophes vanish."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        replaced: str | None = " " if unicodedata.category(character)[0] in "PSZC" else character
        if character == "'":
            replaced = None
        self[code] = replaced
        return replaced


_PUNCTUATION = _Punctuation()
_PUNCTUATION[ord(".")] = "."  # decided by its neighbours, below
_GROUPING_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ACRONYM = re.compile(r"(?<!\w)(?:[^\W\d_]\.){2,}")
_FULL_STOP = re.compile(r"\.(?!\d)|(?<!\d)\.")  # all but a decimal point
_ARTICLES = frozenset(("a", "an", "the"))

# Han, kana, Thai, Lao, Myanmar, Khmer, Tibetan: words are not set apart by spaces.
_UNSPACED_CLASS = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{_UNSPACED_CLASS}]")
_SCRIPT_EDGE = re.compile(
    f"(?<=[{_UNSPACED_CLASS}])(?=[^\\s{_UNSPACED_CLASS}])|(?<=[^\\s{_UNSPACED_CLASS}])(?=[{_UNSPACED_CLASS}])"
)
_ANY_SPACE = re.compile(r"\s+")


def _words(text: str) -> str:
    """Case-folded words with single spaces, without punctuation and articles."""
    text = clean_reply(text).casefold()
    text = _GROUPING_COMMA.sub("", text)
    text = _ACRONYM.sub(lambda match: match[0].replace(".", ""), text)
    text = _FULL_STOP.sub(" ", text.translate(_PUNCTUATION))
    if not text.isascii():
        text = _SCRIPT_EDGE.sub(" ", unicodedata.normalize("NFC", text))
    return " ".join(word for word in text.split() if word not in _ARTICLES)


@lru_cache(maxsize=4096)  # the same aliases meet a before and an after reply, and every repeat
def _alias_words(alias: str) -> str:
    return _words(alias)


def gold_aliases(gold: object) -> list[str]:
    """The accepted names of a gold: a text, a list in any container, or a dict with `text` or `answer`.

    >>> gold_aliases({"text": ("Paris", "City of Light")}), gold_aliases("['a b', 'c']"), gold_aliases(None)
    (['Paris', 'City of Light'], ['a b', 'c'], [])
    """
    if gold is None or (isinstance(gold, float) and gold != gold):
        return []
    if isinstance(gold, Mapping):
        for field in ("text", "answer", "aliases"):
            if gold.get(field) is not None:
                return gold_aliases(gold[field])
        return []
    listed = literal_list(gold)
    if listed is not None:
        return [alias for entry in listed for alias in gold_aliases(entry)]
    text = str(gold).strip()
    return [text] if text else []


def _answer_span(cleaned: str) -> str:
    for marker in markers(cleaned):
        if marker.kind != "hashes":
            line, _ = payload(cleaned, marker)
            if line:
                return line
    return cleaned[cleaned.rfind("\n") + 1 :].strip()


def _contains(words: str, alias: str) -> bool:
    if not _UNSPACED.search(alias):
        return f" {alias} " in f" {words} "
    # No word borders to respect, but a number must not be cut out of a longer one ("1908年" in "11908年").
    text, wanted = _ANY_SPACE.sub("", words), _ANY_SPACE.sub("", alias)
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        cut_before = at > 0 and text[at - 1].isdecimal() and wanted[0].isdecimal()
        cut_after = text[end : end + 1].isdecimal() and wanted[-1].isdecimal()
        if not cut_before and not cut_after:
            return True
        at = text.find(wanted, at + 1)
    return False


def match_open(reply: str, aliases: object) -> OpenMatch:
    """Whether an alias occurs in the reply as a whole-word sequence.

    Parameters
    ----------
    reply : the whole reply.
    aliases : accepted names; anything `gold_aliases` reads.

    Notes
    -----
    Aliases of one or two characters ("no", "7", "C++" without its signs) must equal the answer span, or every
    text with that word would match. In scripts without spaces two characters are a word ("北京"); there the
    rule takes single characters only. Long replies match more often: report the rate by reply length.

    Examples
    --------
    >>> match_open("It was written by the Beatles.", ["The Beatles"]).matched
    True
    >>> match_open("Novak Djokovic", ["no"]).matched
    False
    """
    names = gold_aliases(aliases)
    if not reply or reply.isspace():
        return OpenMatch("empty", False if names else None, False if names else None)
    cleaned = clean_reply(reply).strip()
    span = _answer_span(cleaned)
    if not names:
        return OpenMatch("answered", None, None, span)
    words, span_words = _words(cleaned), _words(span)
    found: str | None = None
    for name in names:
        alias = _alias_words(name)
        if not alias:  # "!!!" or "The": nothing is left to search for, only the written form can be compared
            if span.strip().casefold() == clean_reply(name).strip().casefold():
                return OpenMatch("answered", True, True, span, name)
            continue
        if span_words == alias:
            return OpenMatch("answered", True, True, span, name)
        short = 1 if _UNSPACED.search(alias) else 2
        if found is None and len(alias) > short and _contains(words, alias):
            found = name
    return OpenMatch("answered", found is not None, False, span, found)
