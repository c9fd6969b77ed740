"""Content keys: an item is its question, its options and its gold, whatever log it stands in.

A key never depends on the rendered prompt, on row order or on the evaluation tool's own id: real runs
joined on native ids that had drifted apart showed 23.2 % lost where content says 8.7 % (statistics.md 5).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from struct import Struct
from typing import Any, NamedTuple

import msgspec

_HALVES = Struct(">QQ").unpack
_WORDS = Struct("<QQ").unpack
_encode = msgspec.json.Encoder().encode

#: Field names that hold ids, labels and golds, not content. Whole names only: `answerA` is an option.
NOT_CONTENT = frozenset(
    {"id", "idx", "index", "label", "answer", "answerkey", "answer_index", "gold", "target", "seed"}
)


class ItemKey(NamedTuple):
    """The identity of an item, as integers so that ten million rows join in seconds."""

    high: int  # upper and lower half of the 128-bit hash of question, options and gold
    low: int
    question: int  # 64-bit hash without the gold: finds items whose gold was changed
    text: int  # 64-bit hash of the exact, un-normalised content: tells apart items that differ in case only
    basis: str  # what the key was made of: content, question, prompt, native or position


def normalise(text: str) -> str:
    """Return the text as keys see it: NFC, case-folded, every run of white space one space, stripped.

    >>> normalise("  What\\u00a0is\\r\\n 2+2?  ")
    'what is 2+2?'
    """
    if text.isascii():
        # Most texts are tidy already: no control characters, no double blanks, none at the ends.
        if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
            return text.lower()
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def text_hash(text: str) -> int:
    """Return a 64-bit hash of a text, the same on every machine."""
    return int.from_bytes(blake2b(_bytes(text), digest_size=8).digest(), "little")


def answer_key(text: str) -> int:
    """Return the 64-bit hash under which answers are compared: that of the normalised text."""
    return text_hash(normalise(text))


def option_key(options: Sequence[str], index: int) -> int:
    """Return the hash of one option's text.

    Case is folded unless two options differ by case alone (genotypes Mm and mm): then it must not be.
    """
    folded = _folded(options)
    if folded.count(folded[index]) > 1:
        return text_hash(" ".join(options[index].split()))
    return text_hash(folded[index])


def _folded(options: Sequence[str]) -> list[str]:
    """The options normalised: wanted for the item's key, its gold and its choice, one after the other."""
    global _last_folded
    known, folded = _last_folded
    if options is not known:
        folded = [normalise(option) for option in options]
        if isinstance(options, tuple):  # a list may hold other options the next time
            _last_folded = options, folded
    return folded


_last_folded: tuple[Sequence[str] | None, list[str]] = None, []


def item_key(
    question: Sequence[str],
    options: Sequence[str] | None = None,
    gold: Sequence[str] | None = None,
    *,
    basis: str | None = None,
) -> ItemKey:
    """Return the key of an item from its question parts in order, its options and its gold texts.

    Options and golds are sorted, because evaluation tools shuffle them; letters must have been resolved to option
    texts before. A missing gold stays out of the key and makes `basis` "question".

    >>> item_key(["2+2?"], ["3", "4"], ["4"])[:2] == item_key([" 2+2? "], ["4", "3"], ["4"])[:2]
    True
    >>> item_key(["2+2?"], ["3", "4"], ["4"])[:2] == item_key(["2+2?"], ["3", "4"], ["3"])[:2]
    False
    """
    # Joined, because one log has passage and question in two fields where another has one text.
    asked = normalise(question[0] if len(question) == 1 else "\n".join(question))
    choices = sorted(_folded(options)) if options else None
    golds = _sorted_golds(gold)
    exact = [*question, *sorted(options or ()), *sorted(gold or ())]
    return _finish([asked, choices], golds, exact, basis)


def document_key(document: Any, gold: Sequence[str] | None = None, *, basis: str | None = None) -> ItemKey:
    """Return the key of a document of unknown shape: the sorted multiset of its text leaves, and the gold.

    A multiset makes shuffled choices harmless. Ids, labels and golds among the fields stay out by name.
    """
    leaves: list[str] = []
    _collect(document, leaves)
    golds = _sorted_golds(gold)
    # Numbers are no part of the key, but they tell apart documents that differ in nothing else.
    exact = [*sorted(leaves), *sorted(_numbers(document)), *sorted(gold or ())]
    return _finish({"leaves": sorted([normalise(leaf) for leaf in leaves])}, golds, exact, basis)


def has_text(document: Any) -> bool:
    """Tell whether a document holds any text that could identify it."""
    leaves: list[str] = []
    _collect(document, leaves)
    return any(leaf.strip() for leaf in leaves)


def item_id(high: int, low: int) -> str:
    """Return the key as the 32 hexadecimal digits people see."""
    return f"{high:016x}{low:016x}"


def _finish(question: Any, golds: list[str] | None, exact: Sequence[str], basis: str | None) -> ItemKey:
    running = blake2b(_payload(question), digest_size=16)
    asked = running.digest()
    running.update(_payload(golds))
    text = blake2b(_bytes("\x1f".join(exact)), digest_size=8).digest()
    high, low = _HALVES(running.digest())
    question_key, text_key = _WORDS(asked[:8] + text)
    return ItemKey(high, low, question_key, text_key, basis or ("content" if golds else "question"))


def _sorted_golds(gold: Sequence[str] | None) -> list[str] | None:
    if not gold:
        return None
    return [normalise(gold[0])] if len(gold) == 1 else sorted({normalise(text) for text in gold})


def _collect(value: Any, leaves: list[str]) -> None:
    if isinstance(value, str):
        leaves.append(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if not _is_bookkeeping(str(name)):
                _collect(inner, leaves)
    elif isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        for inner in value:
            _collect(inner, leaves)


def _numbers(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [one for name, inner in value.items() if not _is_bookkeeping(str(name)) for one in _numbers(inner)]
    if isinstance(value, (list, tuple)):
        return [one for inner in value for one in _numbers(inner)] + [repr(value)] * (not has_text(value))
    return [repr(value)] if isinstance(value, (int, float)) else []


def _is_bookkeeping(name: str) -> bool:
    lowered = name.lower()
    return lowered in NOT_CONTENT or lowered.endswith(("_id", "_hash"))


def _payload(value: Any) -> bytes:
    try:
        return _encode(value)
    except UnicodeEncodeError:  # a lone surrogate, legal in JSON text as \\ud800, has no UTF-8 form
        return repr(value).encode("utf-8", "surrogatepass")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
