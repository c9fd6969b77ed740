"""Form: a reply that gives the right answer in a form nobody accepted.

For replies that were scored as no answer. Strict, because a gold that is merely mentioned proves nothing: the conclusion
(the last sentence of a reply that was not cut, or the last that names an option by its letter) must name the gold and no
other option, and not deny it; a word of the question is no evidence, a single letter needs brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from forgetmap.answers import (
    clean_reply,
    extract_choice,
    extract_number,
    gold_aliases,
    gold_number,
    letter_index,
    match_open,
    numbers_equal,
    parse_number,
)
from forgetmap.traits.ending import is_cut

VERSION = 1

_HEAD_READ, _TAIL_READ = 2000, 18_000  # characters of a long reply; answers stand at its ends
_CONCLUSION_READ = 600  # characters
_SENTENCES_READ = 3
_AROUND = 60  # characters around an option's text in a reply that is nothing else
_LONGEST_ALIAS = 12  # words; longer golds are model essays, which nobody repeats by accident or on purpose

_SENTENCE_START = re.compile(r"(?<=[.!?])[\"')\]]*+\s+(?=[A-Z0-9(\[\"'$\\])|\n+|(?<=[\u3002\uff01\uff1f])")
_DENIES = re.compile(
    r"\b(?:not|cannot|none|neither|nor|never|incorrect|wrong|except|unlike|no[ ]option)\b|n't\b", re.IGNORECASE
)
_CONCLUDES = re.compile(
    r"\b(?:closest|best|therefore|thus|hence|so|correct|right|answer|choice|most|likely|must|conclu\w+)\b",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[(\[]([A-Z])[)\]]|\b(?:option|choice|statement|procedure|alternative)[ ]([A-Z])\b")
_BY_LETTER = re.compile(r"(?<![A-Za-z0-9])([A-Z])[.:)][ ]")
_NUMBER = re.compile(r"(?:(?<![A-Za-z0-9)\]}])[-\u2212])?[0-9][0-9.,]*+")
# A number that is the result of something: "= 3", "is about 3", "\approx 3".
_RESULT = re.compile(
    r"(?:=|\u2248|\\approx|\b(?:is|are|be|was|were|equals|gives|get|about|approximately))[^0-9A-Za-z]{0,6}?"
    r"(?:(?:about|approximately|roughly|equal[ ]to)[^0-9A-Za-z]{0,4}?)?([-\u2212]?[0-9][0-9.,]*+)",
    re.IGNORECASE,
)
_LETTER_LED = re.compile(
    r"^[ \t*-]*+(?:[Oo]ption[ ])?[(\[]?([A-Z])(?:[)\].:]|[ ](?:is|describes|says|states|would|could)\b)", re.MULTILINE
)
#: Pieces of the words that announce an answer, in all languages that `extract_choice` knows.
_MARKERS = (
    "nswer", "NSWER", "boxed", "fbox", "espuesta", "ESPUESTA", "ntwort", "NTWORT", "jibu", "Jibu", "JIBU", "éponse", "ÉPONSE",
    "твет", "ТВЕТ", "উত্তর", "సమాధానం", "答", "คำตอบ",
)  # fmt: skip
_LETTER_LINE = re.compile(r"\W{0,4}(?:(?i:the|option|choice|letter)\W{1,2}){0,2}[A-Z]{1,2}(?![A-Za-z0-9])")
_A_WORD = re.compile(r"[^\W\d_]{4}")  # an option without one is a letter, a number or a formula
_NOT_A_WORD = re.compile(r"(?:\\[A-Za-z]+|[\W_])+")  # nor is a command such as "\circ"


def last_sentences(reply: str, number: int = 1) -> list[str]:
    """The last sentences of a reply, cleaned, the last one first."""
    text = clean_reply(reply.rstrip()[-_CONCLUSION_READ:]).strip()
    starts = [0, *(match.end() for match in _SENTENCE_START.finditer(text) if match.end() < len(text)), len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(starts)]
    return [sentence for sentence in reversed(sentences) if sentence][:number]


def holds_gold(
    reply: str,
    gold: Sequence[str],
    options: Sequence[str] | None = None,
    question: str | None = None,
    *,
    finished: bool | None = None,
) -> bool:
    """Whether a reply gives the right answer, though in a form that no rule of the log accepted.

    Parameters
    ----------
    gold : gold answers, as option texts where there are options.
    options : option texts in the order shown, the first was labelled A; null for open questions.
    question : its words are no evidence.
    finished : whether the reply came to its end; by default, whether it looks so.

    >>> holds_gold("It is best understood as (B) a map.", ["a map"], ["a plan", "a map"])
    True
    >>> holds_gold("It could be a plan or a map.", ["a map"], ["a plan", "a map"])
    False
    """
    if not gold or not reply or reply.isspace():
        return False
    if len(reply) > _HEAD_READ + _TAIL_READ:
        reply = f"{reply[:_HEAD_READ]}\n{reply[-_TAIL_READ:]}"
    question = question[-_TAIL_READ:] if question else ""
    if finished is None:
        finished = not is_cut(reply)
    if options:
        return _names_gold_option(reply, gold, options, question, finished)
    return _gives_open_gold(reply, gold, question, finished)


def _names_gold_option(reply: str, gold: Sequence[str], options: Sequence[str], question: str, finished: bool) -> bool:
    golds = {index for index, text in enumerate(options) if text in gold}
    if not golds:
        return False
    if _goes_through(reply):
        return False
    if len(golds) == 1 and _may_announce(reply, options):
        extracted = extract_choice(reply, options)
        if extracted.index is not None:
            return extracted.index in golds
    if not finished:
        return False
    sentences = last_sentences(reply, _SENTENCES_READ)
    by_letter = [(sentence, named) for sentence in sentences if (named := _letters_named(sentence, options))]
    if by_letter:  # the last one that names an option by its letter
        sentence, named = by_letter[0]
        rivals = any(others != golds for _, others in by_letter[1:]) and not _CONCLUDES.search(sentence)
        return named == golds and not rivals and not _DENIES.search(sentence)
    if not sentences or _DENIES.search(sentences[0]):
        return False
    return _texts_name(sentences[0], golds, options, question) or _number_names(sentences[0], golds, options, question)


def _goes_through(reply: str) -> bool:
    """Whether a reply takes the options line by line: what its last line names is one of many."""
    return len({match[1] for match in _LETTER_LED.finditer(reply)}) > 1


def _may_announce(reply: str, options: Sequence[str]) -> bool:
    """Whether `extract_choice` can find anything: without a marker, an option's text or a line that a letter opens it cannot."""
    if len(reply) <= max(map(len, options)) + _AROUND:
        return True
    for piece in _MARKERS:
        if piece in reply:
            return True
    text = reply.strip()
    return any(map(_LETTER_LINE.match, (text, text[text.rfind("\n") + 1 :])))


def _letters_named(sentence: str, options: Sequence[str]) -> set[int]:
    found = set()
    for match in _BRACKETED.finditer(sentence):
        found.add(letter_index(match[1] or match[2], len(options)))
    for match in _BY_LETTER.finditer(sentence):  # "D. as confidence level increases": with its option's words only
        index = letter_index(match[1], len(options))
        if index is not None and _words(sentence[match.end() :]).startswith(_words(options[index])[:20]):
            found.add(index)
    return {index for index in found if index is not None}


def _texts_name(sentence: str, golds: set[int], options: Sequence[str], question: str) -> bool:
    """Whether the words of the gold options stand in the sentence, and those of no other, and not in the question."""
    text = f" {_words(sentence)} "
    wanted = [_words(options[index]) for index in golds]
    if not all(_A_WORD.search(option) and f" {option} " in text for option in wanted):
        return False
    if any(f" {option} " in f" {_words(question)} " for option in wanted):
        return False
    for index, option in enumerate(options):
        words = f" {_words(option)} "
        # a part of the gold ("pressure" in "partial pressure") is named with it, a longer text instead of it
        if index not in golds and words in text and words.strip() and not any(words in f" {gold} " for gold in wanted):
            return False
    return True


def _number_names(sentence: str, golds: set[int], options: Sequence[str], question: str) -> bool:
    """Whether the sentence ends on a result that is the only number of the gold, of no other option and not asked about."""
    results = list(_RESULT.finditer(sentence))
    if not results:
        return False
    everything = list(_NUMBER.finditer(sentence))
    if results[-1].end() != everything[-1].end():
        return False
    value = parse_number(results[-1][1].rstrip(".,"))
    if value is None or any(_numbers(options[index]) != [value] for index in golds) or value in _numbers(question):
        return False
    return all(index in golds or _numbers(option) != [value] for index, option in enumerate(options))


def _numbers(text: str) -> list[Fraction | None]:
    return [parse_number(number.rstrip(".,")) for number in _NUMBER.findall(text)]


def _gives_open_gold(reply: str, gold: Sequence[str], question: str, finished: bool) -> bool:
    numbers = [number for number in map(gold_number, gold) if number is not None]
    if numbers:
        found = extract_number(reply)
        value = parse_number(found.answer) if found.answer else None
        if value is None or not any(numbers_equal(value, number) for number in numbers):
            return False
        return found.tier == "marked" or finished
    aliases = [alias for alias in gold_aliases(list(gold)) if len(alias.split()) <= _LONGEST_ALIAS]
    if not aliases:
        return False
    if match_open(reply, aliases).exact:
        return True
    sentence = "".join(last_sentences(reply))
    if not finished or _DENIES.search(sentence):
        return False
    asked = f" {_words(question)} "
    unseen = [alias for alias in aliases if len(_words(alias)) > 2 and f" {_words(alias)} " not in asked]
    return bool(unseen) and match_open(sentence, unseen).matched is True


def _words(text: str) -> str:
    return _NOT_A_WORD.sub(" ", clean_reply(text)).strip().casefold()
