"""The options of one item: their letters, and their texts in comparable form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from forgetmap.answers.cleaning import clean_reply
from forgetmap.answers.markers import plain_latex

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
EDGE = " \t\n.,;:!?\"'*_`~$()[]{}"  # what may surround an answer without being part of it
_DASHES = "-\u2013\u2014="
_ARTICLE = re.compile(r"(?:a|an|the)[ ](?=\S)")
_CLAUSE_END = re.compile(r"[\"')*]*+(?:[.;](?:\s|$)|$)")


def letters(n: int) -> tuple[str, ...]:
    """The letters of n options in document order: A to Z, then AA, AB and so on.

    >>> letters(3), letters(28)[-2:]
    (('A', 'B', 'C'), ('AA', 'AB'))
    """
    if n <= 26:
        return tuple(_ALPHABET[:n])
    return tuple(_ALPHABET) + tuple(_ALPHABET[i // 26 - 1] + _ALPHABET[i % 26] for i in range(26, n))


def letter_index(letter: str, k: int) -> int | None:
    """The position a letter stands for among k options; null when it is not one of the letters shown.

    >>> letter_index("b", 4), letter_index("J", 4), letter_index("AA", 27)
    (1, None, 26)
    """
    index = 0
    for character in letter.upper():
        place = _ALPHABET.find(character)
        if place < 0 or index > k:
            return None
        index = index * 26 + place + 1
    return index - 1 if 0 < index <= k else None


def _keys(text: str) -> tuple[str, str, str]:
    exact = " ".join(plain_latex(clean_reply(text)).split())
    exact = exact.strip(EDGE) or exact
    folded = exact.casefold()
    return exact, folded, _ARTICLE.sub("", folded, count=1) if _ARTICLE.match(folded) else folded


class ShownOptions:
    """Option texts in the order shown; they are normalised only when a rule asks for them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.k = len(texts)

    @cached_property
    def _keys(self) -> list[tuple[str, str, str]]:
        return [_keys(text) for text in self.texts]

    def _same(self, indices: list[int]) -> bool:
        """Whether these options read the same: a repeated option is one option, "Bb" and "BB" are two."""
        return len({self.texts[i] for i in indices}) == 1

    def equal_to(self, text: str) -> int | None:
        """The option a text equals as written, else but for case, else but for an article; null if two fit."""
        for column, wanted in enumerate(_keys(text)):
            hits = [i for i, key in enumerate(self._keys) if key[column] == wanted] if wanted else []
            if hits:
                return hits[0] if self._same(hits) else None
        return None

    def opening(self, text: str) -> int | None:
        """The longest option a text begins with, if a sentence ends there; null if none or two do."""
        folded = " ".join(text.split()).casefold().lstrip(EDGE)
        hits = [
            (len(key), i)
            for i, (_, key, _) in enumerate(self._keys)
            if len(key) > 1 and folded.startswith(key) and _CLAUSE_END.match(folded, len(key))
        ]
        longest = [i for length, i in hits if length == max(hits)[0]]
        return longest[0] if longest and self._same(longest) else None

    def after_own_text(self, rest: str, index: int) -> str | None:
        """What follows the option's own text at the start of `rest`; null if `rest` does not start with it."""
        exact, folded, _ = self._keys[index]
        head = " ".join(rest.split()).lstrip(EDGE + _DASHES)
        if not exact or head[: len(exact)].casefold() != folded:
            return None
        tail = head[len(exact) :]
        return None if exact[-1].isalnum() and tail[:1].isalnum() else tail
