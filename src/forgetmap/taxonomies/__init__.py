"""Taxonomies: task → category → group, as YAML files that people may write themselves.

A task that no category names has no place. It is never put where it might belong: the map shows it under its own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from forgetmap.errors import TaxonomyError
from forgetmap.tasks import canonical_task, known_task, known_tasks

__all__ = ["Place", "Taxonomy", "load_taxonomy", "taxonomy_names"]

_HERE = Path(__file__).parent


class Place(NamedTuple):
    """Where a task belongs; None where the taxonomy does not say."""

    group: str | None
    category: str | None


@dataclass(frozen=True, eq=False)  # by identity: hashable although it holds mappings
class Taxonomy:
    """A named way to sort tasks into categories, and categories into groups.

    Tasks are named by any spelling known to `forgetmap.tasks`, or by a pattern with `*` and `?`. A pattern takes every
    task of which some spelling fits. A variant of a task (`bbh_zeroshot_navigate`) stands where its task stands,
    unless it is named itself.

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
    options: Mapping[str, int] = field(default_factory=dict)  # task → number of options to assume, for published tables
    notes: str | None = None
    _homes: dict[str, str] = field(init=False, repr=False, compare=False)
    _group_of: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        def freeze(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        freeze("categories", MappingProxyType({name: tuple(tasks) for name, tasks in self.categories.items()}))
        freeze("groups", MappingProxyType({name: tuple(inner) for name, inner in self.groups.items()}))
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

        A task of several groups goes to the smallest, of equal ones to the first; a member that is itself a group
        makes the outer one a group of categories.

        >>> made = Taxonomy.from_groups("log", {"mmlu": ["mmlu_stem"], "mmlu_stem": ["mmlu_anatomy"]})
        >>> made.place("mmlu:anatomy")
        Place(group='mmlu', category='mmlu_stem')
        """
        members = {group: tuple(dict.fromkeys(inner)) for group, inner in groups.items()}
        tasks = {
            group: tuple(dict.fromkeys(canonical_task(one) for one in inner if one not in members or one == group))
            for group, inner in members.items()
        }
        home: dict[str, str] = {}
        for group in sorted(tasks, key=lambda group: len(tasks[group])):  # stable: equal sizes keep their order
            for task in tasks[group]:
                home.setdefault(task, group)
        categories = {group: [task for task in inner if home[task] == group] for group, inner in tasks.items()}
        categories = {group: inner for group, inner in categories.items() if inner}
        outer: dict[str, str] = {}
        for group, inner in members.items():
            for one in inner:
                if one in categories and one != group:
                    outer.setdefault(one, group)
        return cls(
            name=name,
            categories=categories,
            groups={group: [one for one in outer if outer[one] == group] for group in dict.fromkeys(outer.values())},
        )

    def place(self, task: str) -> Place:
        """Return the group and category of a task, under any spelling; both None if the taxonomy does not name it."""
        category = self._category(canonical_task(task))
        profile = known_task(task)
        if category is None and profile is not None and profile.is_variant:
            category = self._category(profile.canonical)
        return Place(None if category is None else self._group_of.get(category), category)

    def options_of(self, task: str) -> int | None:
        """Return the number of options the taxonomy states for a task; None where the items must say it themselves."""
        profile = known_task(task)
        names = [canonical_task(task)] + ([profile.canonical] if profile else [])
        for name in names:
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
                    raise TaxonomyError(
                        f"taxonomy {self.name!r}: task {task!r} is named twice in category {category!r}; remove one"
                    )
                claim(task, category)
        patterns = [(p, category) for category, tasks in self.categories.items() for p in tasks if _is_pattern(p)]
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
                    raise TaxonomyError(
                        f"taxonomy {self.name!r}: category {category!r} is in the groups {group_of[category]!r} and "
                        f"{group!r}; keep it in one"
                    )
        return group_of

    def _check_category(self, category: str, where: str) -> None:
        if category not in self.categories:
            raise TaxonomyError(
                f"taxonomy {self.name!r}: {where} names the category {category!r}, which is not one of "
                f"{', '.join(self.categories)}; correct the name or add the category"
            )

    def _torn(self, task: str, one: str, other: str) -> TaxonomyError:
        return TaxonomyError(
            f"taxonomy {self.name!r}: task {task!r} is in the categories {one!r} and {other!r}; keep it in one"
        )


def taxonomy_names() -> tuple[str, ...]:
    """Return the names of the taxonomies that come with forgetmap.

    >>> taxonomy_names()
    ('captrack', 'post_forget', 'post_forget_published')
    """
    return tuple(sorted(path.stem for path in _HERE.glob("*.yaml")))


def load_taxonomy(name_or_path: str | Path) -> Taxonomy:
    """Return a taxonomy by its name, or from a YAML file."""
    if isinstance(name_or_path, str) and name_or_path in taxonomy_names():
        return _shipped(name_or_path)
    path = Path(name_or_path)
    if not path.is_file():
        raise TaxonomyError(
            f"taxonomy {str(name_or_path)!r} is neither a file nor one of {', '.join(taxonomy_names())}; "
            "give one of these names or the path of a YAML file"
        )
    return _read(path)


@cache
def _shipped(name: str) -> Taxonomy:
    return _read(_HERE / f"{name}.yaml")


def _read(path: Path) -> Taxonomy:
    try:
        return Taxonomy(**_checked(_parsed(path), path))
    except TaxonomyError as error:
        raise TaxonomyError(f"{path}: {error}") from None


def _parsed(path: Path) -> dict[Any, Any]:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Refuses a key given twice, of which YAML would silently keep the last."""

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        seen: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            if key in seen:
                line = key_node.start_mark.line + 1
                raise TaxonomyError(f"line {line}: key {key!r} is given twice; merge the two")
            seen[key] = loader.construct_object(value_node, deep=True)
        return seen

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    try:
        data = yaml.load(path.read_text(encoding="utf-8-sig"), Loader)
    except OSError as error:
        raise TaxonomyError(f"cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError:
        raise TaxonomyError("is not UTF-8 text; save it as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        raise TaxonomyError(f"{line}not YAML ({getattr(error, 'problem', error)}); check indentation and quotes") from None
    if not isinstance(data, dict):
        raise TaxonomyError("holds no keys; write at least 'categories:' with a list of tasks for each category")
    return data


def _checked(data: dict[Any, Any], path: Path) -> dict[str, Any]:
    """Return the fields of a taxonomy file, or say in one sentence what is wrong with the first bad one."""
    import difflib

    from pydantic import ValidationError

    model = _file_model()
    try:
        fields = model.model_validate(data).model_dump()
    except ValidationError as invalid:
        error = invalid.errors(include_url=False)[0]
        place = ".".join(str(step) for step in error["loc"])
        if error["type"] == "extra_forbidden":
            near = difflib.get_close_matches(place, model.model_fields, n=1)
            remedy = f"write {near[0]!r}" if near else "remove it"
            message = f"key {place!r} is not known, expected one of {', '.join(model.model_fields)}; {remedy}"
        elif error["type"] == "missing":
            message = f"key {place!r} is missing; add it"
        else:
            said = error["msg"][0].lower() + error["msg"][1:]
            message = f"key {place!r}: {said}, found {error['input']!r}; correct it, with quotes around text"
        raise TaxonomyError(message) from None
    fields["name"] = fields["name"] or path.stem
    return fields


@cache
def _file_model() -> Any:
    from typing import Annotated, Literal

    from pydantic import BaseModel, ConfigDict, Field, create_model

    names = Annotated[str, Field(min_length=1)]
    return create_model(
        "TaxonomyFile",
        __base__=type("Strict", (BaseModel,), {"model_config": ConfigDict(extra="forbid")}),
        name=(names | None, None),
        title=(str | None, None),
        source=(str | None, None),
        weight=(Literal["tasks", "items", "categories"], "tasks"),
        categories=(Annotated[dict[names, list[names]], Field(min_length=1)], ...),
        titles=(dict[names, str], {}),
        groups=(dict[names, list[names]], {}),
        hidden=(list[names], []),
        options=(dict[names, Annotated[int, Field(ge=2, strict=True)]], {}),
        notes=(str | None, None),
    )


def _is_pattern(task: str) -> bool:
    return "*" in task or "?" in task


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    # only * and ?: names may hold brackets, which fnmatch would take for character sets
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.IGNORECASE | re.DOTALL)


def _fits(pattern: str, name: str) -> bool:
    return _pattern(pattern).fullmatch(name) is not None
