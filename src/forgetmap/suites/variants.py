"""Variants: the same item asked another way. Wording, order of options and answer format vary; content never does.

Orders come from a hash, not from `random.Random.shuffle`: the standard library promises the same floats for a seed in
every version, but not the same shuffle, and an order that moves with Python would pass for a change of the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from math import factorial
from typing import TYPE_CHECKING

from forgetmap.errors import UsageError
from forgetmap.suites.item import Item

if TYPE_CHECKING:
    from forgetmap.suites.task import Task

#: Kinds of variation and the field of `Variant` that carries each.
VARIED = {"prompt": "wording", "order": "order", "format": "format"}

# "Both A and B", "A, C and D only": such a text means another thing in another order.
_NAMES_LABELS = re.compile(
    r"\W*(?:(?:both|only|either|neither|options?|choices?)\s+)*\(?[A-H]\)?(?:\s*(?:,|and|or|nor|&|,\s*and)\s*\(?[A-H]\)?)+"
    r"(?:\s+(?:only|are\b.*))?\W*",
    re.IGNORECASE,
)
_POINTS_UP = re.compile(
    r"\W*(?:all|none|any|both|neither|some)(?:\s+of)?\s+(?:the\s+)?(?:above|others?|these|those|preceding)\b.*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Variant:
    """Which wording, which order of the options (0: as in the item) and which answer format a prompt uses."""

    wording: int = 0
    order: int = 0
    format: int = 0


def option_order(item: Item, order: int) -> tuple[int, ...]:
    """Return the option index shown at each place.

    Order 0 is the item's own; the others are different permutations, seeded by the item's key, until all are used up.
    "None of the above" keeps the last place, and options that name others by letter are never moved.

    >>> item = Item("t", "0", "Which?", ("red", "blue"), ("red",))
    >>> option_order(item, 0), option_order(item, 1), option_order(item, 2)
    ((0, 1), (1, 0), (0, 1))
    """
    options = item.options or ()
    places = list(range(len(options)))
    if order == 0 or any(_NAMES_LABELS.fullmatch(option) for option in options):
        return tuple(places)
    fixed = [places.pop()] if _POINTS_UP.fullmatch(options[-1]) else []
    # eleven factorial is more than anyone asks for; larger ones cost time
    wanted = order % factorial(min(len(places), 11))
    named = [f"{option}\n{options[:place].count(option)}" for place, option in enumerate(options)]
    seen = [tuple(places)]
    draw = 0
    while len(seen) <= wanted:
        draw += 1
        mixed = tuple(sorted(places, key=lambda place: _digest(f"{item.id}\n{draw}\n{named[place]}")))
        if mixed not in seen:
            seen.append(mixed)
    return (*seen[wanted], *fixed)


def mixed_options(options: tuple[str, ...], salt: str) -> tuple[int, ...]:
    """Return places in an order that depends on the texts alone, for datasets that put every gold first."""
    if any(_NAMES_LABELS.fullmatch(option) for option in options):
        return tuple(range(len(options)))
    fixed = [place for place, option in enumerate(options) if _POINTS_UP.fullmatch(option)][:1]
    free = [place for place in range(len(options)) if place not in fixed]
    return (*sorted(free, key=lambda place: (_digest(f"{salt}\n{options[place]}"), place)), *fixed)


def variants_of(task: Task, kind: str, count: int) -> list[Variant]:
    """Return `count` variants of one kind, the plain one first; fewer where the task has no more.

    A task without options has one order and one format.
    """
    if kind not in VARIED:
        raise UsageError(f"variants are of kind {kind!r}, expected one of {', '.join(VARIED)}; correct it")
    if count < 1:
        raise UsageError(f"variants of kind {kind} are {count}, expected 1 or more; correct it")
    if kind == "prompt":
        most = len(task.spec.wordings)
    else:
        longest = max((len(item.options or ()) for item in task.items()), default=0)
        most = min(factorial(min(longest, 11)), count) if kind == "order" else len(task.formats) if longest else 1
    return [Variant(**{VARIED[kind]: place}) for place in range(max(1, min(count, most)))]


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
