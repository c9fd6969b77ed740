"""Question and options out of a rendered prompt (formats.md 2.5 and 3.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# What a line may start with: an option in one of five styles, nothing, or the end of an item.
_LINE = re.compile(
    r"^[ \t]*+(?:"
    r"\((?P<round>[A-Z])\)"
    r"|\[(?P<square>[A-Z])\]"
    r"|(?P<closed>[A-Z])\)"
    r"|(?P<dot>[A-Z])\.(?=[ \t]|$)"
    r"|(?P<colon>[A-Z]):(?=[ \t]|$)"
    r"|(?P<blank>$(?:\n[ \t]*+$)*+)"
    r"|(?P<stop>(?:answer|reasoning|question)[ \t]*+:)"
    r")[ \t]*+",
    re.MULTILINE | re.IGNORECASE,
)
_LINE_CASE = frozenset(("round", "square", "closed", "dot", "colon"))
_TEMPLATE_TOKEN = re.compile(r"<\|[^|>\n]{1,40}\|>|\[/INST\]|<end_of_turn>|</s>")


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as shown: everything before its options, and the option texts in the order shown."""

    question: str
    options: tuple[str, ...]


@dataclass(slots=True)
class _Block:
    start: int
    style: str
    starts: list[int]  # where each option's text begins
    ends: list[int]  # where it ends
    broken: bool = False


def _last_block(text: str) -> _Block | None:
    last: _Block | None = None
    block: _Block | None = None  # the block still open
    blank_at: int | None = None  # a blank line inside it; the block goes on only if the next letter follows
    for match in _LINE.finditer(text):
        kind = match.lastgroup or ""
        if kind == "blank":
            if block is not None and blank_at is None:
                blank_at = match.start()
            continue
        letter = match[kind] if kind in _LINE_CASE else ""
        if letter and not letter.isupper():
            continue
        if block is not None:
            index = _ALPHABET.find(letter) if letter else -1
            parted = blank_at is not None and not text[blank_at : match.start()].isspace()
            if kind == block.style and index == len(block.starts) and not parted:
                block.ends.append(match.start() if blank_at is None else blank_at)
                block.starts.append(match.end())
                blank_at = None
                continue
            if blank_at is not None:
                last, block = _closed(block, blank_at, last), None
            elif kind == "stop":
                last, block = _closed(block, match.start(), last), None
            elif kind == block.style and index > 0:
                block.broken = True  # a letter is missing: these are not the options of one question
                continue
            elif index == 0:
                last, block = _closed(block, match.start(), last), None
            else:
                continue  # a line of the option's own text
        blank_at = None
        if letter == "A":
            block = _Block(match.start(), kind, [match.end()], [])
    if block is not None:
        last = _closed(block, len(text) if blank_at is None else blank_at, last)
    return last


def _closed(block: _Block, end: int, last: _Block | None) -> _Block | None:
    block.ends.append(end)
    return last if block.broken or len(block.starts) < 2 else block


def parse_choices(text: str) -> ParsedQuestion | None:
    """The last question with lettered options in a text, or null when there is none.

    Option lines start with "A.", "A)", "(A)", "[A]" or "A:", begin at A, run on without a gap and share one
    style; at least two. An option may take several lines. The block ends at a blank line that no next letter
    follows, at `Answer:`, `Reasoning:` or `Question:`, or with the text; a chat template's token ends the option
    it stands in. `question` is everything before the block, demonstrations and instructions included.

    >>> parse_choices("2+2?\\nA. 3\\nB. 4\\nAnswer:")
    ParsedQuestion(question='2+2?', options=('3', '4'))
    """
    block = _last_block(text)
    if block is None:
        return None
    options = [
        _TEMPLATE_TOKEN.split(text[start:end], maxsplit=1)[0].strip()
        for start, end in zip(block.starts, block.ends, strict=True)
    ]
    return ParsedQuestion(text[: block.start].rstrip(), tuple(options))


_QUESTION = "Question:"
_ITEM_END = re.compile(r"^[ \t]*+(?:Reasoning|Answer)[ \t]*+:", re.MULTILINE)
_QUOTES = "\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"


def after_last_question(text: str) -> str | None:
    """The text after the last "Question:" up to its options, `Reasoning:` or `Answer:`; null if there is none.

    A question in quotes (zero-shot prompts) and a bare one (few-shot prompts) come back alike.

    >>> after_last_question('Question: 1+1?\\nAnswer: 2\\n\\nQuestion: "2+2?"\\nA) 3\\nB) 4')
    '2+2?'
    """
    _, found, tail = text.rpartition(_QUESTION)
    if not found:
        return None
    end = _ITEM_END.search(tail)
    if end:
        tail = tail[: end.start()]
    parsed = parse_choices(tail)
    question = (parsed.question if parsed else tail).strip()
    if question[:1] and question[0] in _QUOTES:
        # BBH items close the quote after their options, which are gone by now: the closing mark may lack.
        question = question[1:]
        if question[-1:] and question[-1] in _QUOTES:
            question = question[:-1]
    return question.strip()
