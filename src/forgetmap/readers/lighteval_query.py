"""From a rendered query back to the question and its options.

lighteval logs the text it asked, not the document: instruction, demonstrations of custom few-shot tasks, question and
option lines in one string. Before and after are often asked in different ways, so all of that has to go before a key
is made. Three things can only be seen on the whole file, because a template repeats and content does not: quotation
marks around every question, a preamble in front of it, and a passage hidden in the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_ASKED = re.compile(r"^[ \t]*(?:Question|Q):[ \t]*", re.MULTILINE)
_STOP = re.compile(r"^[ \t]*(?:Reasoning|Answer)[ \t]*:|^[ \t]*A:[ \t]*\Z", re.MULTILINE)
_DEMONSTRATION_END = re.compile(r"^[ \t]*Answer[ \t]*:.*$", re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*\(?([A-Z])[).:](?:[ \t]+|$)", re.MULTILINE)
_OPTIONS_LABEL = re.compile(r"(?:^|\n)[ \t]*(?:Answer )?(?:Options|Choices):\s*\Z", re.IGNORECASE)
_DASHES = re.compile(r"(?:^|\n)[ \t]*Options:[ \t]*\n((?:[ \t]*-[ \t]+\S.*(?:\n|\Z))+)")
_PASSAGE_LABEL = re.compile(r"^\s*(?:Context|Passage|Paragraph|Story|Background):\s*", re.IGNORECASE)
_QUOTES = {'"': '"', "\u201c": "\u201d"}


class Asked(NamedTuple):
    """What one query asks."""

    question: str
    options: list[str] | None  # texts of the option lines; None where the query shows none
    before: str  # what stands before the question, demonstrations left out: preamble or passage


def parse_query(query: str, instruction: str | None) -> Asked:
    """Return question and options of one query.

    >>> parse_query("Choose.\\n\\nQuestion: 2+2?\\nA) 3\\nB) 4\\nAnswer:", "Choose.\\n\\n")[:2]
    ('2+2?', ['3', '4'])
    """
    text = query
    if instruction and query.startswith(instruction):
        # Some tasks give the whole query as its own instruction (gpqa:mc in 0.13): then there is nothing to cut.
        text = query[len(instruction) :] if query[len(instruction) :].strip() else query
    before = ""
    mark = None
    for mark in _ASKED.finditer(text):  # noqa: B007 - the last one counts: demonstrations come first
        pass
    if mark is not None and text[mark.end() :].strip():
        before, text = text[: mark.start()], text[mark.end() :]
        shown = None
        for shown in _DEMONSTRATION_END.finditer(before):  # noqa: B007
            pass
        if shown is not None:
            before = before[shown.end() :]
    found = _option_lines(text)
    if found is None:
        stop = _STOP.search(text)
        question = text[: stop.start()] if stop and text[: stop.start()].strip() else text
        return Asked(question.strip(), None, before.strip())
    start, options = found
    question = _OPTIONS_LABEL.sub("", text[:start]).strip()
    return Asked(question, options, before.strip())


def _option_lines(text: str) -> tuple[int, list[str]] | None:
    """Return where the options begin, and their texts: the last run of lines labelled A, B, C, …"""
    labelled = list(_OPTION.finditer(text))
    for first in range(len(labelled) - 1, -1, -1):
        if labelled[first][1] != "A" or not text[: labelled[first].start()].strip():
            continue
        run = [labelled[first]]
        for line in labelled[first + 1 :]:
            if len(run) < len(LETTERS) and line[1] == LETTERS[len(run)]:
                run.append(line)
        if len(run) < 2:
            continue
        ends = [line.start() for line in run[1:]]
        last = run[-1].end()
        stop = _STOP.search(text, last)
        blank = text.find("\n\n", last)
        ends.append(min(stop.start() if stop else len(text), blank if blank >= 0 else len(text)))
        return run[0].start(), [text[line.end() : end].strip() for line, end in zip(run, ends, strict=True)]
    dashes = _DASHES.search(text)
    if dashes and text[: dashes.start()].strip():
        options = [line.strip().removeprefix("-").strip() for line in dashes[1].strip().split("\n")]
        return (dashes.start(), options) if len(options) > 1 else None
    return None


def parse_queries(queries: Sequence[str], instructions: Sequence[str | None]) -> list[tuple[str, list[str] | None]]:
    """Return (question, options) of every query of one file, its template taken off."""
    asked = [parse_query(query, instruction) for query, instruction in zip(queries, instructions, strict=True)]
    questions = _unquoted([one.question for one in asked])
    given = [one.before for one in asked]
    if len(set(instructions)) > 1:  # an instruction that differs by item holds content: Social IQa, MCTest
        given = [
            f"{instruction}\n{before}" if instruction and instruction != query else before
            for instruction, before, query in zip(instructions, given, queries, strict=True)
        ]
    passages = _own_lines(given)
    return [
        (f"{passage}\n{question}" if passage else question, one.options)
        for passage, question, one in zip(passages, questions, asked, strict=True)
    ]


def _unquoted(questions: list[str]) -> list[str]:
    """Take quotation marks off if all questions have them: on some only, they are content."""
    if all(len(text) > 1 and _QUOTES.get(text[0]) == text[-1] for text in questions):
        return [text[1:-1] for text in questions]
    return questions


def _own_lines(given: list[str]) -> list[str]:
    """Drop the lines at both ends that every item has in common; what is left is the item's passage."""
    distinct = set(given)
    if len(distinct) == 1:
        return [""] * len(given)
    lines = {text: [line for line in text.splitlines() if line.strip()] for text in distinct}
    shortest = min(map(len, lines.values()))
    one = next(iter(lines.values()))
    head = 0
    while head < shortest and all(of_item[head] == one[head] for of_item in lines.values()):
        head += 1
    tail = 0
    while tail < shortest - head and all(of_item[-1 - tail] == one[-1 - tail] for of_item in lines.values()):
        tail += 1
    own = {text: "\n".join(of_item[head : len(of_item) - tail]) for text, of_item in lines.items()}
    return [_PASSAGE_LABEL.sub("", own[text]).strip() for text in given]
