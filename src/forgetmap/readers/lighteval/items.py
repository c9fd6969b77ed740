"""From what a query shows and what lighteval logs beside it to an item: letters and positions become option texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from forgetmap import items
from forgetmap.builder import Item
from forgetmap.builder import make_item as _item
from forgetmap.errors import FormatError
from forgetmap.readers.lighteval.queries import LETTERS
from forgetmap.tasks import TaskProfile, canonical_task, known_task

_POSITIONS = {letter: place for place, letter in enumerate(LETTERS)}


class Asked(NamedTuple):
    """An item, and where its golds stand among the options as shown."""

    item: Item
    golds: tuple[int, ...]
    labelled: bool  # False where the engine scored against a gold that does not exist


def letter_position(text: str) -> int | None:
    """Return the position that a bare letter stands for.

    >>> letter_position(" (B)"), letter_position("B."), letter_position("Both")
    (1, 1, None)
    """
    letter = text if len(text) == 1 else text.strip().strip("().:")
    return _POSITIONS.get(letter)


@lru_cache(maxsize=1 << 15)  # repeats, and before and after, ask the same items
def make_item(
    name: str,
    question: str,
    shown: tuple[str, ...] | None,
    choices: tuple[str, ...],
    gold_index: tuple[int, ...],
    gold: tuple[str, ...],
    native_id: str | None = None,
) -> Asked:
    """Return the item of one row of the task that the log calls `name`.

    `shown` are the option lines of the query; `choices` and `gold_index` are lighteval's, filled for likelihood tasks
    and, from 0.11 on, for all; `gold` holds the texts that 0.10 logs for generated answers.
    """
    if not question and not choices and not shown:
        raise FormatError(
            f"task '{name}': a row has neither query nor choices, so nothing identifies its item; log it again"
        )
    task, profile = canonical_task(name), known_task(name)
    for index in gold_index:
        if not 0 <= index < len(choices):
            # The engine takes -1 as "last choice": HellaSwag's unlabelled test split then scores answering D.
            options = _as_options(choices, shown)
            key = items.item_key([question], options)
            made = _item(task, key=key, native_id=native_id, question=question, options=options, n_options=len(choices))
            return Asked(made, (), False)
    if len(choices) > 1 and (len(set(gold_index)) < len(choices) or _are_letters(choices)):
        return _choice_item(task, question, _as_options(choices, shown), len(choices), gold_index, native_id)
    texts = [text.strip() for text in (gold or [choices[index] for index in gold_index]) if text.strip()]
    if not shown and profile and profile.document and profile.document.fixed_options:
        shown = profile.document.fixed_options
    if shown:
        return _choice_item(task, question, shown, len(shown), _positions(texts, shown), native_id)
    if texts and letter_position(texts[0]) is not None:
        # A letter whose options the prompt does not show cannot be told from another item's letter.
        key = items.item_key([question])
        return Asked(_item(task, key=key, native_id=native_id, question=question), (), True)
    texts = _reduced(profile, question, texts)
    key = items.item_key([question], None, texts)
    made = _item(task, key=key, native_id=native_id, question=question, gold=texts, open_ended=True)
    return Asked(made, (), True)


def _choice_item(
    task: str,
    question: str,
    options: tuple[str, ...] | None,
    count: int,
    golds: Sequence[int],
    native_id: str | None,
) -> Asked:
    texts = tuple(options[index] for index in golds) if options else None
    made = _item(
        task,
        key=items.item_key([question], options, texts),
        native_id=native_id,
        question=question,
        options=options,
        gold=texts,
        gold_index=golds[0] if golds else None,
        n_options=count,
        n_gold=len(golds) or None,
    )
    return Asked(made, tuple(golds), True)


def _are_letters(choices: Sequence[str]) -> bool:
    return all(letter_position(text) == place for place, text in enumerate(choices))


def _as_options(choices: Sequence[str], shown: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The option texts; None where the log has letters only and the query does not show what they stand for."""
    if not _are_letters(choices):
        return tuple(text.strip() for text in choices)
    return shown if shown and len(shown) == len(choices) else None


def _positions(golds: Sequence[str], options: Sequence[str]) -> list[int]:
    """Positions of gold letters or texts; none at all if one of them cannot be found."""
    found = []
    for gold in golds:
        place = letter_position(gold)
        if place is None:
            same = [index for index, option in enumerate(options) if items.normalise(option) == items.normalise(gold)]
            place = same[0] if len(same) == 1 else None
        if place is None or place >= len(options):
            return []
        found.append(place)
    return found


def _reduced(profile: TaskProfile | None, question: str, golds: list[str]) -> list[str]:
    """The gold as the task's profile writes it: of GSM8K's solution, the number after ####."""
    shape = profile.document if profile else None
    if shape is None or shape.gold is None or not golds or len(shape.question) != 1 or shape.options:
        return golds
    content = shape.content({shape.question[0]: question, shape.gold: golds if len(golds) > 1 else golds[0]})
    return list(content.gold) if content and content.gold else golds
