"""From a rendered query back to the question and its options.

lighteval logs the text it asked, not the document: instruction, demonstrations of custom few-shot tasks, question and
option lines in one string. Before and after are often asked in different ways, so all of that has to go before a key
is made. Three things can only be seen on the whole file, because a template repeats and content does not: quotation
marks around every question, a preamble in front of it, and a passage hidden in the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from forgetmap.answers import parse_choices

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_ASKED = ("Question:", "Q:")
_ANSWERED = ("Answer:",)
_STOP = re.compile(r"^[ \t]*(?:Reasoning|Answer)[ \t]*:|^[ \t]*A:[ \t]*\Z", re.MULTILINE)
_LABELS = [[f"\n{style.replace('A', letter)} " for letter in LETTERS] for style in ("A)", "A.", "A:", "(A)")]
_OPTIONS_LABEL = re.compile(r"(?:^|\n)[ \t]*(?:Answer )?(?:Options|Choices):\s*\Z", re.IGNORECASE)
_DASHES = re.compile(r"(?:^|\n)[ \t]*Options:[ \t]*\n((?:[ \t]*-[ \t]+\S.*(?:\n|\Z))+)")
_PASSAGE_LABEL = re.compile(r"^\s*(?:Context|Passage|Paragraph|Story|Background):\s*", re.IGNORECASE)
_QUOTES = {'"': '"', "\u201c": "\u201d"}


class Query(NamedTuple):
    """What one query asks."""

    question: str
    options: tuple[str, ...] | None  # texts of the option lines; None where the query shows none
    before: str  # what stands before the question, demonstrations left out: preamble or passage


def parse_query(query: str, instruction: str | None) -> Query:
    """Return question and options of one query.

    >>> parse_query("Choose.\\n\\nQuestion: 2+2?\\nA) 3\\nB) 4\\nAnswer:", "Choose.\\n\\n")[:2]
    ('2+2?', ('3', '4'))
    """
    text = query
    if instruction and query.startswith(instruction):
        text = query[len(instruction) :]
        if not text or text.isspace():
            # Some tasks give the whole query as its own instruction (gpqa:mc in 0.13): then there is nothing to cut.
            text = query
    before = ""
    mark, asked = _last_line_start(text, _ASKED, len(text))  # the last one counts: demonstrations come first
    if mark >= 0:
        rest = text[asked:]
        if rest and not rest.isspace():
            _, shown = _last_line_start(text, _ANSWERED, mark)
            start = text.find("\n", shown, mark) if shown >= 0 else 0
            before, text = text[start if start >= 0 else mark : mark].strip(), rest
    return Query(*_split(text), before)


@lru_cache(maxsize=1 << 15)  # before and after mostly ask in the same words
def _split(text: str) -> tuple[str, tuple[str, ...] | None]:
    """Cut a text that starts with the question into question and options."""
    found = _plain_options(text) or _lettered(text)
    if found and not found[0].isspace() and found[0]:
        question, options = found[0].rstrip(), found[1]
        if question.endswith(":"):
            question = _OPTIONS_LABEL.sub("", question)
        return question.strip(), options
    dashes = _DASHES.search(text)
    if dashes and text[: dashes.start()].strip():
        options = tuple(line.strip().removeprefix("-").strip() for line in dashes[1].strip().split("\n"))
        if len(options) > 1:
            return text[: dashes.start()].strip(), options
    stop = _STOP.search(text)
    question = text[: stop.start()] if stop and text[: stop.start()].strip() else text
    return question.strip(), None


def _last_line_start(text: str, words: Sequence[str], end: int) -> tuple[int, int]:
    """Return where the last line that starts with one of the words begins, and where the word ends; (-1, -1) if none.

    A search from the end instead of a pattern: demonstrations are most of a long query.
    """
    found = (-1, -1)
    for word in words:
        place = text.rfind(word, max(found[0], 0), end)
        while place > found[0]:
            line = text.rfind("\n", 0, place) + 1
            head = text[line : place + len(word)].lstrip(" \t")
            if head.startswith(word):
                found = (line, place + 2 * len(word) - len(head))
                break
            place = text.rfind(word, max(found[0], 0), line)
    return found


def _lettered(text: str) -> tuple[str, tuple[str, ...]] | None:
    parsed = parse_choices(text)
    return (parsed.question, parsed.options) if parsed else None


def _plain_options(text: str) -> tuple[str, tuple[str, ...]] | None:
    """What `parse_choices` gives in the usual case, one run of one style with a line per option; None if in doubt.

    It is the inner loop of a whole benchmark and takes no pattern.
    """
    styles = [labels for labels in _LABELS if labels[0] in text]
    if len(styles) != 1 or text.count(styles[0][0]) != 1:
        return None
    labels = styles[0]
    size = len(labels[0])
    start = text.find(labels[0])
    begin = start + size
    options = []
    for label in labels[1:]:
        following = text.find(label, begin)
        if following < 0:
            break
        options.append(text[begin:following].strip())
        begin = following + size
    end = text.find("\n", begin)
    options.append(text[begin : end if end >= 0 else len(text)].strip())
    if len(options) < 2 or text.count("\n", start, begin) != len(options):  # an option of several lines
        return None
    if end >= 0 and text[end:].strip() not in ("", "Answer:", "Reasoning:"):
        return None
    return text[:start], tuple(options)


def parse_queries(
    queries: Sequence[str], instructions: Sequence[str | None]
) -> list[tuple[str, tuple[str, ...] | None]]:
    """Return (question, options) of every query of one file, its template taken off."""
    asked = [parse_query(query, instruction) for query, instruction in zip(queries, instructions, strict=True)]
    asked = _unquoted(asked)
    given = [one.before for one in asked]
    if len(set(instructions)) > 1:  # an instruction that differs by item holds content: Social IQa, MCTest
        given = [
            f"{instruction}\n{before}" if instruction and instruction != query else before
            for instruction, before, query in zip(instructions, given, queries, strict=True)
        ]
    passages = _own_lines(given)
    return [
        (f"{passage}\n{one.question}" if passage else one.question, one.options)
        for passage, one in zip(passages, asked, strict=True)
    ]


def _unquoted(asked: list[Query]) -> list[Query]:
    """Take quotation marks off if all questions have them: on some only, they are content.

    BBH questions carry their options inside the quotation, so the closing mark ends the last option.
    """
    bare = []
    for one in asked:
        text, options = one.question, one.options
        closing = _QUOTES.get(text[:1])
        if closing is None:
            return asked
        if len(text) > 1 and text[-1] == closing:
            bare.append(one._replace(question=text[1:-1]))
        elif options and options[-1].endswith(closing):
            bare.append(one._replace(question=text[1:], options=(*options[:-1], options[-1][:-1].rstrip())))
        else:
            return asked
    return bare


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


class PromptHasher:
    """Gives `items.text_hash` of prompts, hashing what they have in common once.

    The prompts of a task share their instruction and demonstrations, nine tenths of a few-shot prompt; a hash can go on
    from there.
    """

    def __init__(self) -> None:
        self._shared: dict[Any, tuple[bytes, Any]] = {}
        self._last: dict[Any, bytes] = {}

    def key(self, prompt: str | bytes | None, group: object) -> int | None:
        """Return the hash; `group` tells apart sets of prompts that share a beginning."""
        if prompt is None:
            return None
        content = prompt.encode("utf-8", "surrogatepass") if isinstance(prompt, str) else prompt
        shared = self._shared.get(group)
        if shared is not None and content.startswith(shared[0]):
            running = shared[1].copy()
            running.update(content[len(shared[0]) :])
            return int.from_bytes(running.digest(), "little")
        last = self._last.get(group)
        if last is not None:
            beginning = _common_beginning(last, content)
            if len(beginning) > 256:
                self._shared[group] = (beginning, blake2b(beginning, digest_size=8))
        self._last[group] = content
        return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def _common_beginning(one: bytes, other: bytes) -> bytes:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return one[:low]
