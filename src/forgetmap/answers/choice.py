"""One option out of k, read from a free reply (captrack.md 3.1, choice accuracy).

The rules, in order, each with the name it leaves as `tier`:

- `marked`: the LAST marked answer, a letter or an option's text;
- `lone_letter`: a reply that is one letter with punctuation;
- `option_text`: a reply equal to one option's text;
- `lone_line`: a first or last line that names one option and nothing else, where no other line names another.

Two different letters where the answer stands are no answer. It stands in the sentence after the marker: in real
replies a second letter in that sentence is a hedge ("(B) or (D)"), one in a later sentence an explanation ("The
answer is (F). In C^n the ball ...").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from forgetmap.answers.cleaning import clean_reply
from forgetmap.answers.markers import markers, payload
from forgetmap.answers.options import EDGE, ShownOptions, letter_index
from forgetmap.answers.states import Extraction

_LINE_READ = 1000  # characters of a first or last line
_LONE_READ = 60  # characters of a reply that can still be one letter and its wrapping
_CONFLICT = -1  # an answer was announced, but none of the options, or two of them

# No letter in "C++", "B-52", "A's", "D.H."; Latin letters only, because "B是" is one.
LETTER_ENDS = r"(?![A-Za-z0-9_\u00c0-\u024f+#]|['-][A-Za-z0-9]|\.[A-Za-z]\.)"
_FILLER = (
    r"(?:(?i:the|option|choice|letter|answer|following|clearly|definitely|certainly|simply|most|likely|probably)"
    r"[ \t:]++)*+"
)
_LETTER = re.compile(
    rf"[\s*_`~\"'$<>\\-]*+{_FILLER}[(\[{{<\"'*]?"
    rf"(?P<letter>[A-Z]{{1,2}}|[a-z])(?P<close>[ ]?[)\]}}]|[>\"'])?{LETTER_ENDS}"
)
_LETTER_ALONE = re.compile(
    r"[\s(\[{<\"'*_`~$\\-]*+(?:(?i:option|choice|letter)[ \t]++)?+[(\[{<\"'*]?"
    r"([A-Z]{1,2}|[a-z])[\s)\]}>\"'*_`~$.,:;!?\\]*+"
)
_LETTER_LAST = re.compile(r"[ \t]*+[(\[]([A-Z]{1,2})[)\]]$")  # "Paris (B)"
_LETTER_LED_LINE = re.compile(r"^[ \t]*+[(\[]?([A-Z])[)\].:](?=\s|$)", re.MULTILINE)
_LETTER_LINE = re.compile(r"^[ \t]*+[(\[]?([A-Z])(?:[)\].:](?=\s|$)|[ \t]*+$)", re.MULTILINE)
_BRACKETED = re.compile(r"[(\[][ ]?([A-Za-z]{1,2})[ ]?[)\]]")
_BARE = re.compile(  # not after a number, where it is a unit: "75 J"
    rf"(?<![A-Za-z0-9_'\u00c0-\u024f.-])(?<![0-9][ ])([A-Z]{{1,2}}){LETTER_ENDS}"
)
# A second letter that goes on directly: "B or C", "(A, B)", "B/C", "B. C".
_JOINED = re.compile(
    r"[\s,/&|;.]*+(?:(?:or|and|und|oder|ou|et|y|o)[ \t]++)?+(?:(?i:option|choice)[ \t]++)?+"
    r"[(\[]?([A-Z]{1,2})[)\]]?(?=[ \t]*+(?:[).,;/&|\n]|$|(?:or|and)\b))"
)
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}

_NEGATED = re.compile(rf"[\s*_\"'(]*+{_FILLER}(?i:not|neither)(?!\w)[ \t]*+{_FILLER}")
_SENTENCE_END = re.compile(r"[.!?\u3002](?=[\"')\]}*]*+(?:\s|$))")
_NEXT_WORD = re.compile(r"[ \t]++([a-z]+)")
# After a bare capital A or I: words that show it to be a letter and not an article or a pronoun.
_AFTER_LETTER = {
    "A": frozenset(("or", "and", "is", "because", "since", "as", "due", "which", "for", "but", "not", "if", "given")),
    "I": frozenset(("or", "and", "is", "because", "since", "due")),
}


def is_word(letter: str, following: str) -> bool:
    """Whether a bare capital A is the article, a bare I the pronoun, judged by the text after it."""
    if letter not in _AFTER_LETTER:
        return False
    word = _NEXT_WORD.match(following)
    return word is not None and word[1] not in _AFTER_LETTER[letter]


def names_other_letter(rest: str, index: int, k: int, *, bracketed: bool, lower: bool = False) -> bool:
    """Whether the sentence after the chosen letter names another option as well.

    After a bracketed letter only bracketed ones compete: in "(I) Product A: decreasing" A is prose.
    """
    joined = _JOINED.match(rest)
    if joined and letter_index(joined[1], k) not in (None, index):
        return True
    end = _SENTENCE_END.search(rest)
    sentence = rest[: end.start()] if end else rest
    for match in _BRACKETED.finditer(sentence):
        if (match[1].isupper() or lower) and letter_index(match[1], k) not in (None, index):
            return True
    if bracketed:
        return False
    for match in _BARE.finditer(sentence):
        if letter_index(match[1], k) not in (None, index) and not is_word(match[1], sentence[match.end() :]):
            return True
    return False


def _by_letter(line: str, options: ShownOptions) -> tuple[int | None, bool]:
    """The option a line names by letter (or `_CONFLICT`, or null), and whether nothing else can be meant."""
    match = _LETTER.match(line)
    if match is None or (len(match["letter"]) == 2 and options.k <= 26):
        return None, False
    letter, rest = match["letter"], line[match.end() :]
    close = (match["close"] or "").strip()
    bracketed = bool(close) and line[match.start("letter") - 1] == _OPENING.get(close, close)
    index = letter_index(letter, options.k)
    ends_here = not rest.strip(EDGE)
    own_tail = None if ends_here or index is None else options.after_own_text(rest, index)
    if not (bracketed or close in _OPENING or ends_here):
        # "the answer is a cat": a bare small letter needs its option's text, a bare A or I must not be a word
        if letter.islower() and (own_tail is None or rest[0] not in ".:"):
            return None, False
        if own_tail is None and is_word(letter, rest):
            return None, False
    if index is None:
        return _CONFLICT, False
    tail = rest if own_tail is None else own_tail
    if names_other_letter(tail, index, options.k, bracketed=bracketed, lower=letter.islower()):
        return _CONFLICT, False
    return index, ends_here or own_tail is not None


def _announced(line: str, options: ShownOptions) -> int | None:
    """The option a payload line announces, by letter or by text; `_CONFLICT` if it announces none or two."""
    alone = _LETTER_ALONE.fullmatch(line)
    if alone and (index := letter_index(alone[1], options.k)) is not None:
        return index
    by_letter, certain = _by_letter(line, options)
    if certain:
        return by_letter
    # What looks like a letter may open an option's text: "C. elegans", "A and B", "O" (a blood group).
    by_text = options.equal_to(line)
    if by_text is None:
        by_text = options.opening(line)
    if by_text is not None or by_letter is not None:
        return by_text if by_text is not None else by_letter
    end = _SENTENCE_END.search(line)
    sentence = (line[: end.start()] if end else line).rstrip(" .")
    last = _LETTER_LAST.search(sentence)
    if last is None or (index := letter_index(last[1], options.k)) is None:
        return None
    by_text = options.equal_to(sentence[: last.start()])
    if by_text not in (None, index) or names_other_letter(sentence, index, options.k, bracketed=True):
        return _CONFLICT
    return index


def _restates_options(line: str, following: str) -> bool:
    """Whether the payload only prints the options again ("the right answer:\\nA. x\\nB. y")."""
    first, second = _LETTER_LED_LINE.match(line), _LETTER_LED_LINE.match(following.lstrip("\n"))
    return first is not None and second is not None and (first[1], second[1]) == ("A", "B")


def _marked(text: str, options: ShownOptions) -> int | None:
    rejected: set[int] = set()
    for marker in markers(text):
        if marker.kind == "hashes":  # "####" announces numbers; before words it is a heading
            continue
        line, end = payload(text, marker)
        if not line:
            continue
        negated = _NEGATED.match(line)
        if negated and options.equal_to(line) is None:
            denied, _ = _by_letter(line[negated.end() :], options)
            if denied is not None:
                rejected.add(denied)
            continue
        verdict = _announced(line, options)
        if verdict is not None and not _restates_options(line, text[end : end + 200]):
            return _CONFLICT if verdict in rejected else verdict
    return None


def _lone_line(text: str, options: ShownOptions) -> int | None:
    # A last line needs brackets or its option's text: a reply cut at its limit may end in any single letter.
    first = text[:_LINE_READ].partition("\n")[0].strip()
    last = text[-_LINE_READ:].rpartition("\n")[2].strip()
    named: set[int] = set()
    for line, is_first in ((first, True), (last, False)):
        match = _LETTER.match(line)
        index = letter_index(match["letter"], options.k) if match and match["letter"].isupper() else None
        if match is None or index is None:
            continue
        rest = line[match.end() :]
        own_tail = options.after_own_text(rest, index)
        alone = not rest.strip(EDGE) and (is_first or bool(match["close"]))
        if alone or (own_tail is not None and not own_tail.strip(EDGE)):
            named.add(index)
    if not named:
        return None
    shown = named | {letter_index(match[1], options.k) for match in _LETTER_LINE.finditer(text)}
    return named.pop() if len(shown - {None}) == 1 else _CONFLICT


def extract_choice(text: str, options: Sequence[str]) -> Extraction:
    """The option a reply chose: its text and position, or the state that says why there is none.

    Parameters
    ----------
    text : the whole reply.
    options : option texts in the order shown; the first was labelled A.

    Notes
    -----
    Only the letters shown count: "J" among four options is `no_answer` (formats.md 2.4). Where an option's text
    is itself a letter, the letter wins, because the prompt asked for letters. Markers of other languages
    ("Respuesta:", "答案是") count too.

    Examples
    --------
    >>> extract_choice("B is tempting. Answer: **C**", ["red", "green", "blue"])
    Extraction(state='answered', answer='blue', index=2, tier='marked')
    >>> extract_choice("Answer: B or C", ["red", "green", "blue"]).state
    'no_answer'
    """
    cleaned = clean_reply(text).strip()
    if not cleaned:
        return Extraction("empty")
    shown = ShownOptions(options)
    verdict, tier = _marked(cleaned, shown), "marked"
    alone = _LETTER_ALONE.fullmatch(cleaned) if verdict is None and len(cleaned) <= _LONE_READ else None
    if alone:
        verdict, tier = letter_index(alone[1], shown.k), "lone_letter"
    if verdict is None:
        verdict, tier = shown.equal_to(cleaned), "option_text"
    if verdict is None and alone:
        return Extraction("no_answer", tier="lone_letter")  # "Z": a letter, but none of those shown
    if verdict is None:
        verdict, tier = _lone_line(cleaned, shown), "lone_line"
    if verdict is None:
        return Extraction("no_answer")
    if verdict == _CONFLICT:
        return Extraction("no_answer", tier=tier)
    return Extraction("answered", options[verdict], verdict, tier)
