"""Damage done to a JSON document, one place at a time: what a reader must survive or refuse in one sentence."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from forgetmap.errors import FormatError

HOSTILE: list[Any] = [
    None,
    True,
    -1,
    7,
    1e308,
    10**30,
    "",
    "x",
    "../../etc/passwd",
    "\u202e<script>",
    [],
    [None],
    {},
    {"a": 1},
]


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document; of a list the first and the last entry stand for all."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _places(inner, (*path, name))
    elif isinstance(value, list):
        for index in sorted({0, len(value) - 1}) if value else []:
            yield from _places(value[index], (*path, index))


def damaged(document: Any, every: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield (what was done, document) with each place removed, and with each replaced by each hostile value.

    `every` takes only one in so many: coprime to the number of values, it still meets all of them.
    """
    everything = itertools.product(_places(document), [..., *HOSTILE])
    for path, hostile in itertools.islice(everything, 0, None, every):
        made = copy.deepcopy(document)
        holder = made
        for step in path[:-1]:
            holder = holder[step]
        if hostile is ...:
            del holder[path[-1]]
        else:
            holder[path[-1]] = hostile
        yield f"{'.'.join(map(str, path))} = {hostile!r}", made


def refusal(read: Callable[[], Any]) -> str | None:
    """Return the sentence with which something was refused, null if it was not; any other exception is a failure."""
    try:
        read()
    except FormatError as fault:
        return str(fault)
    return None
