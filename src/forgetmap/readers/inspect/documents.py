"""From a sample to an item: question, options as shown, gold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from forgetmap import items
from forgetmap.answers import parse_choices
from forgetmap.builder import Item, RunBuilder
from forgetmap.readers.inspect.records import Hints, Message, Sample
from forgetmap.tasks import Document, TaskProfile

_LONE_LETTER = re.compile(r"\(?([A-Z])\)?\.?")
_LETTERS = re.compile(r"[A-Za-z]|\d+")


def read_item(builder: RunBuilder, task: str, profile: TaskProfile | None, sample: Sample, as_a_set: bool) -> Item:
    """Return the item of a sample.

    `as_a_set`: several right letters must all be named, which the engine's own choice scorer demands; a guess is then
    as good as never right (statistics.md 1).
    """
    options: Sequence[str] | None = sample.choices or None
    target = sample.target
    if options is not None and len(target) == 1 and isinstance(target, str) and isinstance(sample.input, str):
        # By far the most frequent kind: one letter.
        place = ord(target) - ord("A")
        if 0 <= place < min(len(options), 26):
            gold = [options[place]]
            return builder.item(
                task,
                key=items.item_key([sample.input], options, gold),
                native_id=sample.id,
                question=sample.input,
                options=options,
                gold=gold,
                gold_index=place,
                category=_category(sample.metadata),
            )
    question, system = _question(sample.input)
    targets = [target] if isinstance(target, str) else target
    asked = question
    if options is None and len(targets) == 1 and _LONE_LETTER.fullmatch(targets[0].strip()):
        # The task put the options into the prompt by itself; their number makes the chance rate.
        parsed = parse_choices(question)
        if parsed is not None and len(parsed.options) > ord(targets[0].strip().strip("().")) - ord("A"):
            asked, options = parsed.question, parsed.options
    positions: list[int] = []
    if options is not None:
        found = [_places(text, options) for text in targets]
        positions = sorted({place for one in found for place in one or []})
        golds = [options[place] for place in positions] if all(one for one in found) else None
    else:
        golds = _open_gold(profile, question, targets)
    key = items.item_key([asked], options, golds)
    if system:
        # A system message is a setting more often than content: it only breaks ties between items alike in the rest.
        key = key._replace(text=key.text ^ items.text_hash(system))
    lettered = options is None and golds is not None and all(_LONE_LETTER.fullmatch(text) for text in golds)
    several = as_a_set and len(positions) > 1
    return builder.item(
        task,
        key=key,
        native_id=sample.id,
        question=_shown(asked),
        options=options,
        gold=golds,
        gold_index=positions[0] if golds and len(positions) == 1 else None,
        open_ended=options is None and not lettered,
        chance=0.0 if several else None,
        category=_category(sample.metadata),
    )


def letters(text: str, count: int) -> list[int] | None:
    """Return the positions that letters stand for: "B", "A, C", "BD"; from the 27th option on "1", "2", ….

    None where any of them names no option.

    >>> letters("A, C", 4), letters("E", 4), letters("", 4)
    ([0, 2], None, [])
    """
    if len(text) == 1:
        place = ord(text) - ord("A")
        if 0 <= place < min(count, 26):
            return [place]
    places = []
    for token in _LETTERS.findall(text):
        place = 25 + int(token) if token.isdecimal() else ord(token.upper()) - ord("A")
        if not 0 <= place < count:
            return None
        places.append(place)
    return places


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


def _is_open(document: Document) -> bool:
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
            texts.append(f"({str(kind).capitalize()}){_DATA}{part.get(kind) or part.get('document') or part.get('data')}")
    return texts


_DATA = "\x00"  # parts what people read from the data of an image
_HIDDEN = re.compile(f"{_DATA}[^\n]*")


def _shown(question: str) -> str:
    return _HIDDEN.sub("", question) if _DATA in question else question


def shown_text(content: Any) -> str:
    """Return a message as people read it."""
    return _shown("\n".join(parts(content)))


def _category(hints: Hints | None) -> list[str] | None:
    if hints is None:
        return None
    named = [hint for hint in (hints.subject, hints.category, hints.topic, hints.domain) if isinstance(hint, str)]
    tags = [tag for tag in hints.tags if isinstance(tag, str)] if isinstance(hints.tags, list) else []
    return [*named, *tags] or None
