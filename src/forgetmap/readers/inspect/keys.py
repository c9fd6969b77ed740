"""The keys of many choice questions at once: those of `items`, in half the time.

Texts are folded together and payloads encoded together; only the hashing is done one by one. What was hashed is
remembered, because the log of the other side asks the same questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import numpy as np

from forgetmap import items

_encode_lines = msgspec.json.Encoder().encode_lines
_REMEMBERED = 1 << 15  # questions; the texts of so many take some tens of megabytes
_SHORT = 2000  # characters; longer questions, with whole documents in them, are not kept
_TOGETHER = 256  # questions hashed in one go: as many as the processor's cache holds with all that is made of them
_SEPARATOR = "\x00"

Question = tuple[str, tuple[str, ...], str]  # text, options in sorted order, the right option


class ChoiceKey(NamedTuple):
    """What identifies a choice question."""

    high: int
    low: int
    question: int
    text: int
    gold: int
    apart: bool  # no two options are alike but for case and white space


_remembered: dict[Question, ChoiceKey] = {}


def choice_keys(questions: Sequence[Question]) -> list[ChoiceKey]:
    """Return the key of every question, each as `items.item_key` and `items.option_key` would give it."""
    known = [_remembered.get(one) for one in questions]
    new = [place for place, key in enumerate(known) if key is None]
    if new:
        fresh = [questions[place] for place in new]
        keys = [key for start in range(0, len(fresh), _TOGETHER) for key in _hashed(fresh[start : start + _TOGETHER])]
        if len(_remembered) + len(new) > _REMEMBERED:
            _remembered.clear()
        short = [pair for pair in zip(fresh, keys, strict=True) if len(pair[0][0]) <= _SHORT]
        _remembered.update(short[:_REMEMBERED])
        for place, key in zip(new, keys, strict=True):
            known[place] = key
    return known  # type: ignore[return-value]  # no gap is left


def _hashed(questions: Sequence[Question]) -> list[ChoiceKey]:
    flat = [text for question, options, _ in questions for text in (question, *options)]
    folded = fold(flat)
    asked: list[tuple[str, list[str]]] = []
    golds: list[list[str]] = []
    apart: list[bool] = []
    start = 0
    for _, options, right in questions:
        end = start + 1 + len(options)
        choices = folded[start + 1 : end]
        golds.append([choices[options.index(right)]])
        apart.append(len(set(choices)) == len(choices))
        choices.sort()
        asked.append((folded[start], choices))
        start = end
    try:
        ends = _encode_lines(golds).split(b"\n")[:-1]
        digests = []
        for question, gold in zip(_encode_lines(asked).split(b"\n"), ends, strict=False):  # the last piece is empty
            running = blake2b(question, digest_size=16)
            digests.append(running.digest())
            running.update(gold)
            digests.append(running.digest())
        exact = [
            blake2b("\x1f".join((text, *options, right)).encode(), digest_size=8).digest()
            for text, options, right in questions
        ]
        gold_keys = [blake2b(right[0].encode(), digest_size=8).digest() for right in golds]
    except UnicodeEncodeError:  # lone surrogates have no UTF-8 form; such logs are rare, and go one by one
        return [_one_by_one(one) for one in questions]
    halves = np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(len(questions), 2, 2, 8)
    whole = halves[:, 1].copy().view(">u8").astype(np.uint64).reshape(-1, 2)
    columns = (
        whole[:, 0].tolist(),
        whole[:, 1].tolist(),
        halves[:, 0, 0].copy().view("<u8").ravel().tolist(),
        np.frombuffer(b"".join(exact), dtype="<u8").tolist(),
        np.frombuffer(b"".join(gold_keys), dtype="<u8").tolist(),
        apart,
    )
    keys = list(map(ChoiceKey._make, zip(*columns, strict=True)))
    for place, alike in enumerate(apart):
        if not alike:
            keys[place] = _one_by_one(questions[place])
    return keys


def _one_by_one(asked: Question) -> ChoiceKey:
    question, options, gold = asked
    key = items.item_key([question], options, [gold])
    return ChoiceKey(*key[:4], items.option_key(options, options.index(gold)), False)


def fold(texts: Sequence[str]) -> list[str]:
    """Return every text as `items.normalise` gives it.

    >>> fold(["Two  Words", "plain", "\\u00c9t\\u00e9 "])
    ['two words', 'plain', '\xe9t\xe9']
    """
    try:
        raw = _SEPARATOR.join(texts).encode()
    except UnicodeEncodeError:  # a lone surrogate
        return [items.normalise(text) for text in texts]
    data = np.frombuffer(raw, dtype=np.uint8)
    ends = np.flatnonzero(data == 0)
    if len(ends) != len(texts) - 1:  # a text holds the separator
        return [items.normalise(text) for text in texts]
    folded = raw.lower().decode().split(_SEPARATOR)
    # Most texts are tidy, and lower-casing is all they need. Others hold a byte that is neither printable ASCII nor a
    # blank, or two blanks in a row, or a blank at an end: next to a separator, or at an end of all.
    low = data <= 32
    untidy = np.concatenate(
        [
            np.flatnonzero((data - 1 < 31) | (data >= 128)),
            np.flatnonzero(low[1:] & low[:-1]),
            np.flatnonzero(low[1:] & low[:-1]) + 1,  # either side of a separator
            [0, len(data)],
        ]
    )
    for place in np.unique(np.searchsorted(ends, untidy)).tolist():
        folded[place] = items.normalise(texts[place])
    return folded
