"""From a sample to an item: question, options as shown, gold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from forgetmap import items
from forgetmap.answers import parse_choices
from forgetmap.readers.inspect.records import Hints, Message, Sample
from forgetmap.readers.inspect.table import DATA, Document, shown
from forgetmap.tasks import Document as Shape
from forgetmap.tasks import TaskProfile

_LONE_LETTER = re.compile(r"\(?([A-Z])\)?\.?")
_LETTERS = re.compile(r"[A-Za-z]|\d+")


def describe(sample: Sample, profile: TaskProfile | None, as_a_set: bool) -> Document:
    """Return what a sample asks.

    `as_a_set`: several right letters must all be named, which the engine's own choice scorer demands; a guess is then
    as good as never right (statistics.md 1).
    """
    options: Sequence[str] | None = sample.choices or None
    target = sample.target
    hints = category(sample.metadata) if sample.metadata is not None else None
    if options is not None and isinstance(sample.input, str):
        gold = PLACES.get(target, NOWHERE) if isinstance(target, str) else NOWHERE
        if gold < len(options):  # by far the most frequent kind: one letter
            return Document(sample.input, options, (options[gold],), gold, 1 / len(options), hints)
    question, system = _question(sample.input)
    targets = [target] if isinstance(target, str) else target
    if options is None and len(targets) == 1 and _LONE_LETTER.fullmatch(targets[0].strip()):
        # The task put the options into the prompt by itself; their number makes the chance rate.
        parsed = parse_choices(question)
        if parsed is not None and _places(targets[0], parsed.options):
            question, options = parsed.question, parsed.options
    if options is None:
        golds = _open_gold(profile, question, targets)
        lettered = golds is not None and all(_LONE_LETTER.fullmatch(text.strip()) for text in golds)
        return Document(question, None, golds, None, None if lettered else 0.0, hints, system)
    found = [_places(text, options) for text in targets]
    positions = sorted({place for one in found for place in one or []})
    golds = [options[place] for place in positions] if all(found) else None
    chance = len(positions) / len(options) if golds else None
    if golds and len(positions) > 1 and as_a_set:
        chance = 0.0
    index = positions[0] if golds and len(positions) == 1 else None
    return Document(question, options, golds, index, chance, hints, system)


def letters(text: str, count: int) -> list[int] | None:
    """Return the positions that letters stand for: "B", "A, C", "BD"; from the 27th option on "1", "2", ….

    None where any of them names no option.

    >>> letters("A, C", 4), letters("E", 4), letters("", 4)
    ([0, 2], None, [])
    """
    places = []
    for token in _LETTERS.findall(text):
        found = 25 + int(token) if token.isdecimal() else PLACES[token.upper()]
        if not 0 <= found < count:
            return None
        places.append(found)
    return places


#: The position of each capital letter, and one beyond every list for what is none.
PLACES = {chr(ord("A") + number): number for number in range(26)}
NOWHERE = 1 << 30


def _places(target: str, options: Sequence[str]) -> list[int] | None:
    """The options a target names: by letters, as the engine wants it, or by text, as some tasks of people's own do."""
    if len(target) > 1:
        folded = [items.normalise(option) for option in options]
        if folded.count(items.normalise(target)) == 1:
            return [folded.index(items.normalise(target))]
    return letters(target, len(options))


def _open_gold(profile: TaskProfile | None, question: str, targets: Sequence[str]) -> list[str] | None:
    """Reduce the gold of an open question as the task's profile says: GSM8K's to its number."""
    document = profile.document if profile else None
    if document is not None and len(targets) == 1 and _is_open(document):
        content = document.content({document.question[0]: question, str(document.gold): targets[0]})
        if content is not None and content.gold:
            return list(content.gold)
    return [text for text in targets if text.strip()] or None


def _is_open(document: Shape) -> bool:
    options = document.options or document.fixed_options or document.options_in_question
    paths = (*document.question, document.gold or "")
    return not options and len(document.question) == 1 and bool(document.gold) and not any("." in p for p in paths)


def _question(asked: str | list[Message]) -> tuple[str, str]:
    """Return the text of an input and that of its system messages."""
    if isinstance(asked, str):
        return asked, ""
    said = ["\n".join(parts(message.content)) for message in asked if message.role != "system"]
    system = ["\n".join(parts(message.content)) for message in asked if message.role == "system"]
    return "\n".join(said), "\n".join(system)


def parts(content: Any) -> list[str]:
    """Return the texts of a message; an image or recording stands there by its data, which identify it."""
    if isinstance(content, str):
        return [content]
    texts = []
    for part in content or []:
        kind = part.get("type")
        if kind == "text":
            texts.append(part["text"])
        elif kind == "reasoning":
            texts.append(part.get("reasoning") or "")
        else:
            data = part.get(kind) or part.get("document") or part.get("data")
            texts.append(f"({str(kind).capitalize()}){DATA}{data}")
    return texts


def shown_text(content: Any) -> str:
    """Return a message as people read it."""
    return shown("\n".join(parts(content)))


def category(hints: Hints) -> tuple[str, ...] | None:
    """Return what the metadata say the item is about."""
    said = (hints.subject, hints.category, hints.topic, hints.domain)
    if isinstance(hints.tags, list):
        said += tuple(hints.tags)
    return tuple([hint for hint in said if isinstance(hint, str)]) or None
