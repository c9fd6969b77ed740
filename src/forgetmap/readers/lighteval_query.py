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

_ASKED = ("Question:", "Q:")
_STOP = re.compile(r"^[ \t]*(?:Reasoning|Answer)[ \t]*:|^[ \t]*A:[ \t]*\Z", re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*\(?([A-Z])[).:](?:[ \t]+|$)", re.MULTILINE)
_FIRST_LABELS = ("\nA) ", "\nA. ", "\nA: ", "\n(A) ")
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
        text = query[len(instruction) :].strip() or query
    before = ""
    mark, end = _last_line_start(text, _ASKED)  # the last one counts: demonstrations come first
    if mark >= 0 and not text[end:].isspace() and end < len(text):
        before, text = text[:mark], text[end:]
        shown, end = _last_line_start(before, ("Answer:",))
        if shown >= 0:
            line_end = before.find("\n", end)
            before = before[line_end:] if line_end >= 0 else ""
    found = _option_lines(text)
    if found is None:
        stop = _STOP.search(text)
        question = text[: stop.start()] if stop and text[: stop.start()].strip() else text
        return Asked(question.strip(), None, before.strip())
    start, options = found
    question = text[:start].rstrip()
    if question.endswith(":"):
        question = _OPTIONS_LABEL.sub("", question)
    return Asked(question.strip(), options, before.strip())


def _last_line_start(text: str, words: Sequence[str]) -> tuple[int, int]:
    """Return where the last line that starts with one of the words begins, and where the word ends; (-1, -1) if none.

    A search from the end instead of a pattern: demonstrations are most of a long query.
    """
    best = (-1, -1)
    for word in words:
        place = text.rfind(word)
        while place > best[0]:
            line = text.rfind("\n", 0, place) + 1
            if not text[line:place].strip(" \t"):
                best = (line, place + len(word))
                break
            place = text.rfind(word, 0, place)
    return best


def _option_lines(text: str) -> tuple[int, list[str]] | None:
    """Return where the options begin, and their texts: the last run of lines labelled A, B, C, …"""
    labels = [label for label in _FIRST_LABELS if label in text]
    if len(labels) == 1 and text.count(labels[0]) == 1:
        found = _plain_option_lines(text, labels[0])
        if found is not None:
            return found
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


def _plain_option_lines(text: str, label: str) -> tuple[int, list[str]] | None:
    """The same for the usual case, one run of one style with a line per option, without patterns; None if in doubt."""
    start = place = text.find(label)
    if not start or text[:start].isspace():
        return None
    options = []
    for letter in LETTERS[1:]:
        following = text.find(label.replace("A", letter), place + len(label))
        end = following if following >= 0 else text.find("\n", place + len(label))
        option = text[place + len(label) : end if end >= 0 else len(text)].strip()
        if "\n" in option:
            return None
        options.append(option)
        if following < 0:
            rest = text[end:].strip() if end >= 0 else ""
            return (start, options) if len(options) > 1 and rest in ("", "Answer:", "Reasoning:") else None
        place = following
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
