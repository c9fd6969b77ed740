"""The state of a view: everything the address says, checked once, and back to the same address.

Nothing in an address is a path, a pattern or code: ids, names and numbers only, each held against what exists.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from forgetmap.errors import UsageError
from forgetmap.evidence import READINGS
from forgetmap.flips import TRANSITIONS
from forgetmap.levels import LEVELS, WEIGHTS

MOST_AFTERS = 8
MOST_CONDITIONS = 4
MOST_ROWS = 200  # of one page of items
LONGEST = 400  # characters of a name, a value or a search
SORTS = ("rank", "task", "confidence", "change", "length_after", "length_before")
_LARGEST = 2**32


@dataclass(frozen=True)
class View:
    """What is looked at. Ids are those of the library."""

    before: str
    afters: tuple[str, ...]
    chain: bool = False  # whether the runs are stages, in their order
    reading: str = "auto"
    taxonomy: str = "post_forget"
    weight: str | None = None  # None is the taxonomy's own
    level: str = "category"
    only: tuple[tuple[str, str], ...] = ()  # (dimension, slice): the map and the items of these slices only
    by: str | None = None  # the dimension that the slices show
    cell: tuple[str, str] | None = None  # (level, name): the items of this cell only
    transition: str | None = None
    task: str | None = None
    cause: str | None = None
    of: int | None = None  # the items of this after only; None is all of them
    search: str | None = None
    sort: str = "rank"
    descending: bool = False
    offset: int = 0
    limit: int = 20
    brief: bool = False  # items without their texts, but for what was asked

    def query(self) -> str:
        """Return the view as the query of a permalink: names in a fixed order, what is the default left out."""
        said: list[tuple[str, str]] = [("before", self.before), *(("after", after) for after in self.afters)]
        for field in fields(self)[2:]:
            value = getattr(self, field.name)
            if value == field.default:
                continue
            name = field.name
            if name == "only":
                said += [(name, f"{dimension}:{slice_}") for dimension, slice_ in value]
            elif name == "cell":
                said.append((name, "/".join(value)))
            else:
                said.append((name, "1" if value is True else str(value)))
        return urlencode(said)

    def map_key(self) -> tuple[Any, ...]:
        """What a map depends on: two views with the same key show the same numbers."""
        return (self.before, self.afters, self.reading, self.taxonomy, self.weight, self.only)


#: Names an address may hold: how their values are read.
_ONCE = frozenset(field.name for field in fields(View)) - {"afters", "only"}
_SEVERAL = frozenset({"after", "only"})


def parse_view(
    given: Sequence[tuple[str, str]], *, runs: Collection[str], taxonomies: Collection[str], default: View | None
) -> View:
    """Return the view of an address, or say in one sentence what is wrong with it.

    `default` tells which runs are compared where the address names none.
    """
    single, several = _sorted_out(given)
    if default is None and not ("before" in single and several["after"]):
        raise UsageError("there is one run only; give two or more to `forgetmap view`, and choose before and after")
    before = single.get("before") or (default.before if default else "")
    afters = tuple(several["after"]) or (default.afters if default else ())
    for ident in (before, *afters):
        if ident not in runs:
            raise UsageError(f"no run has the id '{_cut(ident)}'; choose one of the runs listed here")
    if len(afters) > MOST_AFTERS:
        raise UsageError(f"there are {len(afters)} afters; choose at most {MOST_AFTERS}")
    if len(set(afters)) < len(afters):
        raise UsageError("an after is named twice; choose each run once")
    view = View(
        before,
        afters,
        chain=_flag(single, "chain"),
        reading=_one_of(single, "reading", READINGS, "auto"),
        taxonomy=_one_of(single, "taxonomy", taxonomies, default.taxonomy if default else "post_forget"),
        weight=_one_of(single, "weight", WEIGHTS, None),
        level=_one_of(single, "level", LEVELS, "category"),
        only=_conditions(several["only"]),
        by=_text(single, "by"),
        cell=_cell(_text(single, "cell")),
        transition=_one_of(single, "transition", TRANSITIONS, None),
        task=_text(single, "task"),
        cause=_text(single, "cause"),
        of=_number(single, "of", 0, len(afters) - 1),
        search=_text(single, "search"),
        sort=_one_of(single, "sort", SORTS, "rank"),
        descending=_flag(single, "descending"),
        offset=_number(single, "offset", 0, _LARGEST) or 0,
        brief=_flag(single, "brief"),
    )
    limit = _number(single, "limit", 1, MOST_ROWS)
    return view if limit is None else replace(view, limit=limit)


def _sorted_out(given: Sequence[tuple[str, str]]) -> tuple[dict[str, str], dict[str, list[str]]]:
    single: dict[str, str] = {}
    several: dict[str, list[str]] = {name: [] for name in _SEVERAL}
    for name, value in given:
        if name in _SEVERAL:
            if value:
                several[name].append(value)
        elif name not in _ONCE:
            raise UsageError(
                f"'{_cut(name)}' is nothing an address can say; it can say {', '.join(sorted(_ONCE | _SEVERAL))}"
            )
        elif name in single:
            raise UsageError(f"'{name}' stands twice in the address; it can stand once")
        elif value:
            single[name] = value
    for value in (*single.values(), *(one for values in several.values() for one in values)):
        if len(value) > LONGEST:
            raise UsageError(f"a value in the address has {len(value):,} characters; it can have {LONGEST}")
    return single, several


def _one_of(given: Mapping[str, str], name: str, allowed: Collection[str], default: Any) -> Any:
    value = given.get(name)
    if value is None:
        return default
    if value not in allowed:
        raise UsageError(f"{name} is '{_cut(value)}'; it must be one of {', '.join(allowed)}")
    return value


def _flag(given: Mapping[str, str], name: str) -> bool:
    return bool(_one_of(given, name, ("0", "1"), "0") == "1")


def _number(given: Mapping[str, str], name: str, low: int, high: int) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    # isdecimal() takes the digits of every script; int() would too
    if not (value.isascii() and value.isdecimal() and len(value) <= 12 and low <= int(value) <= high):
        raise UsageError(f"{name} is '{_cut(value)}'; it must be a whole number from {low} to {high}")
    return int(value)


def _text(given: Mapping[str, str], name: str) -> str | None:
    return given.get(name)


def _cell(value: str | None) -> tuple[str, str] | None:
    if value is None:
        return None
    level, slash, name = value.partition("/")
    if level not in LEVELS or not slash or not name:
        raise UsageError(
            f"cell is '{_cut(value)}'; it must be LEVEL/NAME, where the level is one of {', '.join(LEVELS)}"
        )
    return level, name


def _conditions(values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if len(values) > MOST_CONDITIONS:
        raise UsageError(f"there are {len(values)} conditions; choose at most {MOST_CONDITIONS}")
    made = []
    for value in values:
        dimension, colon, slice_ = value.partition(":")
        if not colon or not dimension or not slice_:
            raise UsageError(f"only is '{_cut(value)}'; it must be DIMENSION:SLICE")
        made.append((dimension, slice_))
    return tuple(dict.fromkeys(made))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"
