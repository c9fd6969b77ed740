"""Taxonomy: task → category → group.

A task that no category names has no place. It is never put where it might belong: the map shows it under its
own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from forgetmap.errors import TaxonomyError
from forgetmap.tasks import canonical_task, known_task, known_tasks


class Place(NamedTuple):
    """Where a task belongs; None where the taxonomy does not say."""

    group: str | None
    category: str | None


@dataclass(frozen=True, eq=False)  # by identity: hashable although it holds mappings
class Taxonomy:
    """A named way to sort tasks into categories, and categories into groups.

    Tasks are named by any spelling known to `forgetmap.tasks`, or by a pattern with `*` and `?`, which takes
    every task of which some spelling fits. A variant (`bbh_zeroshot_navigate`) stands where its task stands,
    unless it is named itself.

    >>> from forgetmap.taxonomies import load_taxonomy
    >>> taxonomy = load_taxonomy("post_forget")
    >>> taxonomy.place("leaderboard|mmlu:anatomy|5|0").category, taxonomy.place("my_task").category
    ('Science/Tech', None)
    """

    name: str
    categories: Mapping[str, Sequence[str]]  # category → names and patterns of tasks
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)  # group → categories
    weight: str = "tasks"  # what weighs equally in a total: tasks, items or categories
    title: str | None = None
    source: str | None = None  # citation
    titles: Mapping[str, str] = field(default_factory=dict)  # category → what it is about
    hidden: Sequence[str] = ()  # categories that count in the total without being shown
    options: Mapping[str, int] = field(default_factory=dict)  # task → options to assume: published tables
    notes: str | None = None
    _homes: dict[str, str] = field(init=False, repr=False, compare=False)
    _group_of: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        def freeze(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        for name, mapping in (("categories", self.categories), ("groups", self.groups)):
            freeze(name, MappingProxyType({key: tuple(inner) for key, inner in mapping.items()}))
        freeze("titles", MappingProxyType(dict(self.titles)))
        freeze("options", MappingProxyType(dict(self.options)))
        freeze("hidden", tuple(self.hidden))
        freeze("_homes", self._settle())
        freeze("_group_of", self._settle_groups())
        for what, names in (("hidden", self.hidden), ("titles", self.titles)):
            for category in names:
                self._check_category(category, what)

    @classmethod
    def from_groups(cls, name: str, groups: Mapping[str, Iterable[str]]) -> Taxonomy:
        """Return a taxonomy made of the groups or tags of a log: each that holds tasks is a category.

        A task of several groups goes to the smallest, of equal ones to the first; a member that is itself a
        group makes the outer one a group of categories.

        >>> made = Taxonomy.from_groups("log", {"mmlu": ["mmlu_stem"], "mmlu_stem": ["mmlu_anatomy"]})
        >>> made.place("mmlu:anatomy")
        Place(group='mmlu', category='mmlu_stem')
        """
        group_named = {canonical_task(group): group for group in groups} | {group: group for group in groups}
        tasks: dict[str, list[str]] = {}
        outer: dict[str, str] = {}  # inner group → the first group that holds it
        for group, members in groups.items():
            tasks[group] = []
            for member in dict.fromkeys(members):
                inner = group_named.get(member, group)
                if inner != group:
                    outer.setdefault(inner, group)
                else:  # a task, perhaps of the group's own name
                    tasks[group].append(canonical_task(member))
            tasks[group] = list(dict.fromkeys(tasks[group]))
        home: dict[str, str] = {}
        for group in sorted(tasks, key=lambda name: len(tasks[name])):  # stable: equal sizes keep their order
            for task in tasks[group]:
                home.setdefault(task, group)
        categories: dict[str, list[str]] = {}
        for group in tasks:
            if kept := [task for task in tasks[group] if home[task] == group]:
                categories[group] = kept
        nested: dict[str, list[str]] = {}
        for category in categories:
            if category in outer:
                nested.setdefault(outer[category], []).append(category)
        return cls(name=name, categories=categories, groups=nested)

    def with_tasks(self, homes: Mapping[str, str]) -> Taxonomy:
        """Return the taxonomy with tasks that have no place in it put where their suite says they belong.

        Only categories that are there take any: a suite may not invent some, nor move what has a place.

        >>> made = Taxonomy("mine", {"Sums": ["gsm8k"]}).with_tasks({"my_sums": "Sums", "my_songs": "Music"})
        >>> made.place("my_sums").category, made.place("my_songs").category
        ('Sums', None)
        """
        new: dict[str, list[str]] = {}
        for task, category in homes.items():
            if category in self.categories and self.place(task).category is None:
                new.setdefault(category, []).append(task)
        if not new:
            return self
        return replace(self, categories={name: (*tasks, *new.get(name, ())) for name, tasks in self.categories.items()})

    def place(self, task: str) -> Place:
        """Return group and category of a task under any spelling, both None if the taxonomy has no place."""
        category = self._category(canonical_task(task))
        profile = known_task(task)
        if category is None and profile is not None and profile.is_variant:
            category = self._category(profile.canonical)
        return Place(None if category is None else self._group_of.get(category), category)

    def options_of(self, task: str) -> int | None:
        """Return the number of options stated for a task; None where the items must say it themselves."""
        profile = known_task(task)
        for name in dict.fromkeys((canonical_task(task), profile.canonical if profile else task)):
            for pattern, count in self.options.items():
                if not _is_pattern(pattern) and canonical_task(pattern) == name:
                    return count
            for pattern, count in self.options.items():
                if _is_pattern(pattern) and _fits(pattern, name):
                    return count
        return None

    def _category(self, name: str) -> str | None:
        if name not in self._homes:
            found = [
                category
                for category, tasks in self.categories.items()
                if any(_is_pattern(task) and _fits(task, name) for task in tasks)
            ]
            if len(found) > 1:
                raise self._torn(name, found[0], found[1])
            return found[0] if found else None
        return self._homes[name]

    def _settle(self) -> dict[str, str]:
        """Give every task that the categories name, or a pattern of theirs fits, its one category."""
        homes: dict[str, str] = {}

        def claim(task: str, category: str) -> None:
            if homes.setdefault(task, category) != category:
                raise self._torn(task, homes[task], category)

        for category, tasks in self.categories.items():
            named = [canonical_task(task) for task in tasks if not _is_pattern(task)]
            for task in named:
                if named.count(task) > 1:
                    raise self._error(f"task {task!r} is named twice in category {category!r}; remove one")
                claim(task, category)
        named_by = [(task, category) for category, tasks in self.categories.items() for task in tasks]
        patterns = [(task, category) for task, category in named_by if _is_pattern(task)]
        for profile in known_tasks() if patterns else ():
            for pattern, category in patterns:
                if any(_fits(pattern, spelling) for spelling in (profile.name, *profile.aliases)):
                    claim(profile.name, category)
        return homes

    def _settle_groups(self) -> dict[str, str]:
        group_of: dict[str, str] = {}
        for group, categories in self.groups.items():
            for category in categories:
                self._check_category(category, f"group {group!r}")
                if group_of.setdefault(category, group) != group:
                    both = f"{group_of[category]!r} and {group!r}"
                    raise self._error(f"category {category!r} is in the groups {both}; keep it in one")
        return group_of

    def _check_category(self, category: str, where: str) -> None:
        if category not in self.categories:
            raise self._error(
                f"{where} names the category {category!r}, which is not one of {', '.join(self.categories)}; "
                "correct the name or add the category"
            )

    def _torn(self, task: str, one: str, other: str) -> TaxonomyError:
        return self._error(f"task {task!r} is in the categories {one!r} and {other!r}; keep it in one")

    def _error(self, message: str) -> TaxonomyError:
        return TaxonomyError(f"taxonomy {self.name!r}: {message}")


def _is_pattern(task: str) -> bool:
    return "*" in task or "?" in task


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    # only * and ?: names may hold brackets, which fnmatch would take for character sets
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.IGNORECASE | re.DOTALL)


def _fits(pattern: str, name: str) -> bool:
    return _pattern(pattern).fullmatch(name) is not None
