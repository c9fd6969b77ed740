"""Task files: one task each, or a family of tasks that differ in a few words.

A family has `family:`, what its tasks share, and `tasks:`, what each has of its own. A key that is no key of a task is a
parameter: `{subject}` in the family stands for its value; a list of values makes a task for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from forgetmap.errors import SuiteError
from forgetmap.suites.adapters import FieldError
from forgetmap.suites.fields import check_expression
from forgetmap.suites.spec import TaskFile, check_task
from forgetmap.yaml_files import read_yaml

_RESERVED = ("question", "passage", "options")  # what wordings mean by these


def read_tasks(path: Path) -> list[TaskFile]:
    """Return the tasks of a file; what is wrong is said with the file and the task."""
    try:
        content = read_yaml(path, SuiteError)
        if not isinstance(content, Mapping):
            raise SuiteError("holds no keys; write at least name, title, source, scoring and wordings")
        if "family" not in content:
            return [_checked(content)]
        return [_checked(one, named=True) for one in _expanded(content)]
    except SuiteError as error:
        raise SuiteError(f"{path}: {error}") from None


def _checked(content: Mapping[Any, Any], *, named: bool = False) -> TaskFile:
    try:
        spec = check_task(content)
        if spec.fields:
            for key, expression in [*spec.fields, *spec.fields.facts.items()]:
                if isinstance(expression, (str, tuple)):
                    try:
                        check_expression(expression)
                    except FieldError as fault:
                        raise SuiteError(f"key 'fields, {key}': {fault}; correct it") from None
        return spec
    except SuiteError as error:
        raise SuiteError(f"task {content.get('name')!r}: {error}" if named else str(error)) from None


def _expanded(content: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
    stray = [key for key in content if key not in ("family", "tasks")]
    if stray:
        raise SuiteError(f"key {stray[0]!r} is not known in a family, expected family, tasks; move it below 'family'")
    family, tasks = content["family"], content.get("tasks")
    if not isinstance(family, Mapping) or not isinstance(tasks, list) or not tasks:
        raise SuiteError("a family needs keys below 'family' and a list below 'tasks'; add them")
    for place, entry in enumerate(tasks):
        if not isinstance(entry, Mapping):
            raise SuiteError(f"key 'tasks, entry {place + 1}' is {entry!r}, expected keys; write KEY: VALUE")
        own = {key: value for key, value in entry.items() if key in TaskFile.model_fields}
        words = {key: value for key, value in entry.items() if key not in TaskFile.model_fields}
        for filled in _combinations(words, place):
            made = _merged(family, own)
            for name, word in filled.items():
                if name in _RESERVED:
                    raise SuiteError(f"key 'tasks, entry {place + 1}': {name!r} is a word of wordings; rename it")
                known = made
                made = _filled(made, name, word)
                if made == known:
                    raise SuiteError(
                        f"key 'tasks, entry {place + 1}': {name!r} is neither a key of a task nor a {{{name}}} of the family; "
                        "correct it"
                    )
            yield made


def _combinations(words: Mapping[str, Any], place: int) -> Iterator[dict[str, str]]:
    """Yield one set of words per task; a list of words makes one for each."""
    lists = [name for name, value in words.items() if isinstance(value, list)]
    if len(lists) > 1 or not all(isinstance(value, (str, list)) for value in words.values()):
        raise SuiteError(
            f"key 'tasks, entry {place + 1}': a parameter is a text, and one of them may be a list of texts"
        )
    for value in words[lists[0]] if lists else [None]:
        yield {name: str(value) if name in lists else str(words[name]) for name in words}


def _merged(family: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(family)
    for key, value in own.items():
        both = isinstance(value, Mapping) and isinstance(made.get(key), Mapping)
        made[key] = _merged(made[key], value) if both else value
    return made


def _filled(value: Any, name: str, word: str) -> Any:
    if isinstance(value, str):
        return value.replace(f"{{{name}}}", word)
    if isinstance(value, Mapping):
        return {key: _filled(inner, name, word) for key, inner in value.items()}
    return [_filled(one, name, word) for one in value] if isinstance(value, list) else value
