"""One option out of k, read from a free reply (captrack.md 3.1, choice accuracy).

The rules, in order: the LAST marked answer; a reply that is one letter with punctuation; a reply equal to one
option's text; last, a first or last line that is nothing but a letter (or a letter with its own option's text), where
no other line says otherwise. The rule that decided is the `tier`: `marked`, `lone_letter`, `option_text`, `lone_line`.

Two different letters where the answer stands are no answer. "Where the answer stands" is the sentence after the
marker: of 436 real replies with a second letter on that line nearly all that name it in the same sentence hedge
("(B) or (D)"), those that name it in a later sentence explain ("The answer is (F). In C^n the ball ...").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from forgetmap.answers.cleaning import clean_reply
from forgetmap.answers.markers import markers, payload, plain_latex
from forgetmap.answers.states import Extraction

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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


_NOT_NEXT = r"(?![A-Za-z0-9_\u00c0-\u024f+#]|['-][A-Za-z0-9]|\.[A-Za-z]\.)"  # not "C++", "B-52", "A's", "D.H."
_FILLER = r"(?:(?:the|option|choice|letter|answer|following|clearly|definitely|simply|most|likely|probably)[ \t:]++)*+"
_LETTER = re.compile(
    rf"(?P<lead>[\s*_`~\"'$<>\\-]*+){_FILLER}(?P<open>[(\[{{<\"'*]?)(?P<letter>[A-Z]{{1,2}}|[a-z])"
    rf"(?P<close>[ ]?[)\]}}]|[>\"'])?{_NOT_NEXT}",
)
_LETTER_ALONE = re.compile(
    r"[\s(\[{<\"'*_`~$\\-]*+(?:(?:option|choice|letter)[ \t]++)?+[(\[{<\"'*]?([A-Z]{1,2}|[a-z])[\s)\]}>\"'*_`~$.,:;!?\\]*+",
    re.IGNORECASE,
)
_NEGATED = re.compile(rf"[\s*_\"'(]*+(?:definitely |certainly |clearly |probably )?+(?:not|neither|NOT)(?!\w){_FILLER}")
_SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f](?=[\"')\]}*]*+(?:\s|$))")
_NEXT_WORD = re.compile(r"[ \t]++([a-z]+)")
# After a bare capital A or I: words that show it to be a letter and not an article or a pronoun.
_AFTER_A = frozenset("or and is because since as due which for but not if given with though".split())
_AFTER_I = frozenset("or and is because since due".split())
_OPENING = {")": "(", "]": "[", "}": "{"}

_BRACKETED = re.compile(r"[(\[{][ ]?([A-Za-z]{1,2})[ ]?[)\]}]")
_BARE = re.compile(rf"(?<![A-Za-z0-9_'\u00c0-\u024f.-])([A-Z]{{1,2}}){_NOT_NEXT}")
# A second letter that goes on directly: "B or C", "(A, B)", "B/C", "B. C".
_JOINED = re.compile(
    r"[\s,/&|;.]*+(?:(?:or|and|und|oder|ou|et|y|o)[ \t]++)?+(?:(?:option|choice)[ \t]++)?+"
    r"[(\[]?([A-Z]{1,2})[)\]]?(?=[ \t]*+(?:[).,;/&|\n]|$|(?:or|and)\b))"
)
_LETTER_LED_LINE = re.compile(r"^[ \t]*+[(\[]?([A-Z])[)\].:](?=\s|$)", re.MULTILINE)
_EDGE = " \t\n.,;:!?\"'*_`~$()[]{}"


class _Options:
    """The options of one item; texts are brought to comparable form only when a rule asks for them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.k = len(texts)

    @cached_property
    def keys(self) -> list[tuple[str, str]]:
        return [_keys(text) for text in self.texts]

    def equal_to(self, text: str) -> int | None:
        """The option a text equals: as written if possible, else ignoring case; null if two would fit."""
        exact, folded = _keys(text)
        if not folded:
            return None
        for column, wanted in ((0, exact), (1, folded)):
            hits = [i for i, key in enumerate(self.keys) if key[column] == wanted]
            if hits and len({self.texts[i] for i in hits}) == 1:  # a repeated option is one option
                return hits[0]
        return None

    def opening(self, text: str) -> int | None:
        """The longest option a text begins with, if a sentence ends there; null if none or two do."""
        folded = _keys(text, strip=False)[1].lstrip(_EDGE)
        hits = [
            (len(key), i)
            for i, (_, key) in enumerate(self.keys)
            if key and folded.startswith(key) and re.match(r"[\"')*]*+(?:[.;!](?:\s|$)|$)", folded[len(key) :])
        ]
        if not hits:
            return None
        longest = max(hits)[0]
        found = [i for length, i in hits if length == longest]
        return found[0] if len({self.texts[i] for i in found}) == 1 else None

    def after_own_text(self, rest: str, index: int) -> str | None:
        """What follows the option's own text at the start of `rest`; null if it does not start with it."""
        exact = self.keys[index][0]
        head = rest.lstrip(_EDGE + "-\u2013\u2014=")
        if not exact or head[: len(exact)].casefold() != exact.casefold():
            return None
        tail = head[len(exact) :]
        return None if exact[-1].isalnum() and tail[:1].isalnum() else tail


def _keys(text: str, strip: bool = True) -> tuple[str, str]:
    exact = " ".join(plain_latex(clean_reply(text)).split())
    if strip:
        exact = exact.strip(_EDGE) or exact
    return exact, exact.casefold()


_CONFLICT = -1  # an answer was announced, but not one of the options, or two of them


def _other_letters(rest: str, index: int, k: int, bracketed: bool, lower: bool) -> bool:
    """Whether the sentence after the chosen letter names another option as well."""
    joined = _JOINED.match(rest)
    if joined and letter_index(joined[1], k) not in (None, index):
        return True
    end = _SENTENCE_END.search(rest)
    sentence = rest[: end.start()] if end else rest
    for match in _BRACKETED.finditer(sentence):
        if (match[1].isupper() or lower) and letter_index(match[1], k) not in (None, index):
            return True
    if bracketed:  # after "(I)" a bare capital is prose: "(I) Product A: decreasing"
        return False
    for match in _BARE.finditer(sentence):
        if letter_index(match[1], k) not in (None, index) and not _is_word(match[1], sentence, match.end()):
            return True
    return False


def _is_word(letter: str, text: str, end: int) -> bool:
    """Whether a bare capital A is the article, a bare I the pronoun."""
    if letter not in ("A", "I"):
        return False
    following = _NEXT_WORD.match(text, end)
    return following is not None and following[1] not in (_AFTER_A if letter == "A" else _AFTER_I)


def _letter_verdict(line: str, options: _Options) -> int | None:
    """The option a payload line names by letter; `_CONFLICT`; or null when it names no letter."""
    match = _LETTER.match(line)
    if match is None:
        return None
    letter, rest = match["letter"], line[match.end() :]
    before, close = line[match.start("letter") - 1 : match.start("letter")], (match["close"] or "").strip()
    bracketed = bool(close) and before == _OPENING.get(close, close)
    index = letter_index(letter, options.k)
    if letter.islower() and not (bracketed or close in _OPENING or not rest.strip(_EDGE)):
        # "the answer is a cat": a lower-case letter needs a bracket, the end of the line or its option's text
        if index is None or rest[:1] not in (".", ":") or options.after_own_text(rest, index) is None:
            return None
    if len(letter) == 2 and options.k <= 26:
        return None
    own_tail = options.after_own_text(rest, index) if index is not None and rest.strip(_EDGE) else None
    if not bracketed and not close and own_tail is None and _is_word(letter, line, match.end()):
        return None
    if index is None:
        return _CONFLICT
    if _other_letters(rest if own_tail is None else own_tail, index, options.k, bracketed, letter.islower()):
        return _CONFLICT
    return index


def _payload_verdict(line: str, options: _Options) -> int | None:
    """The option a payload line announces, by letter or by text."""
    if not line:
        return None
    alone = _LETTER_ALONE.fullmatch(line)
    if alone and (index := letter_index(alone[1], options.k)) is not None:
        return index
    by_letter = _letter_verdict(line, options)
    if by_letter is not None and by_letter >= 0:
        rest = line[_LETTER.match(line).end() :]  # type: ignore[union-attr]
        if not rest.strip(_EDGE) or options.after_own_text(rest, by_letter) is not None:
            return by_letter
    # "C. elegans" or "O" (a blood group) may be an option's text although it looks like a letter.
    by_text = options.equal_to(line)
    if by_text is None and by_letter is None:
        by_text = options.opening(line)
    return by_text if by_text is not None else by_letter


def _restates_options(line: str, following: str, k: int) -> bool:
    """Whether the payload is the first line of the options, printed again ("the right answer:\\nA. x\\nB. y")."""
    first = _LETTER_LED_LINE.match(line)
    second = _LETTER_LED_LINE.match(following.lstrip("\n"))
    return first is not None and second is not None and first[1] == "A" and second[1] == "B" and k >= 2


def _marked(text: str, options: _Options) -> int | None:
    rejected: set[int] = set()
    for marker in markers(text):
        if marker.kind == "hashes":  # "####" announces numbers; before words it is a heading
            continue
        line, end = payload(text, marker)
        negated = _NEGATED.match(line)
        if negated and options.equal_to(line) is None:
            denied = _letter_verdict(line[negated.end() :], options)
            if denied is not None:
                rejected.add(denied)
            continue
        verdict = _payload_verdict(line, options)
        if verdict is None or _restates_options(line, text[end : end + 200], options.k):
            continue
        return _CONFLICT if verdict in rejected else verdict
    return None


def _lone_line(text: str, options: _Options) -> int | None:
    lines = [line.strip() for line in (text[:2000] + "\n" + text[-2000:]).split("\n") if line.strip()]
    named = set()
    for line in (lines[0], lines[-1]):
        alone = _LETTER_ALONE.fullmatch(line)
        if alone and (alone[1].isupper() or len(line) > 1):
            named.add(letter_index(alone[1], options.k))
        elif (match := _LETTER.match(line)) and match["letter"].isupper():
            index = letter_index(match["letter"], options.k)
            tail = options.after_own_text(line[match.end() :], index) if index is not None else None
            if tail is not None and not tail.strip(_EDGE):
                named.add(index)
    if not named:
        return None
    shown = named | {letter_index(match[1], options.k) for match in _LETTER_LED_LINE.finditer(text)}
    index = named.pop()
    return index if index is not None and not shown - {index, None} else _CONFLICT


def extract_choice(text: str, options: Sequence[str]) -> Extraction:
    """The option a reply chose: its text and position, or the state that says why there is none.

    Parameters
    ----------
    text : the whole reply.
    options : option texts in the order shown; the first was labelled A.

    Notes
    -----
    Only the letters shown count: "J" among four options is `no_answer` (formats.md 2.4). Where an option's text is
    itself a letter, the letter wins, because the prompt asked for letters.

    Examples
    --------
    >>> extract_choice("B is tempting. Answer: **C**", ["red", "green", "blue"])
    Extraction(state='answered', answer='blue', index=2, tier='marked')
    >>> extract_choice("Answer: B or C", ["red", "green", "blue"]).state
    'no_answer'
    """
    if not text or text.isspace():
        return Extraction("empty")
    cleaned = clean_reply(text).strip()
    if not cleaned:
        return Extraction("empty")
    shown = _Options(options)
    verdict, tier = _marked(cleaned, shown), "marked"
    if verdict is None and len(cleaned) <= 60 and (alone := _LETTER_ALONE.fullmatch(cleaned)):
        verdict, tier = letter_index(alone[1], shown.k), "lone_letter"
    if verdict is None:
        verdict, tier = shown.equal_to(cleaned), "option_text"
    if verdict is None:
        verdict, tier = _lone_line(cleaned, shown), "lone_line"
    if verdict is None:
        return Extraction("no_answer")
    if verdict < 0:
        return Extraction("no_answer", tier=tier)
    return Extraction("answered", options[verdict], verdict, tier)
