"""YAML that people write, read strictly: no key twice, no references, no nesting without end, no field that is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgetmap.errors import ForgetmapError

_LARGEST = 1 << 20  # bytes; people do not write longer files
_DEEPEST = 12  # levels of nesting; such files have three or four


def read_yaml(path: Path, refusal: type[ForgetmapError]) -> Any:
    """Return the content of a YAML file; what is wrong with it is raised as `refusal`, in one sentence without the path."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Refuses a key given twice, of which YAML would silently keep the last."""

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        seen: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise refusal(f"line {line}: a key must be plain text; put quotes around it")
            key = loader.construct_object(key_node, deep=True)
            if key in seen:
                raise refusal(f"line {line}: key {key!r} is given twice; merge the two")
            seen[key] = loader.construct_object(value_node, deep=True)
        return seen

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    try:
        size = path.stat().st_size
        text = path.read_text(encoding="utf-8-sig") if size <= _LARGEST else ""
    except OSError as error:
        raise refusal(f"cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError:
        raise refusal("is not UTF-8 text; save it as UTF-8") from None
    if size > _LARGEST:
        raise refusal(f"holds {size:,} bytes, more than people write; check the path")
    try:
        _check_shape(yaml, text, refusal)
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or "broken"
        raise refusal(f"{line}not YAML ({problem}); check indentation and quotes") from None
    except (AttributeError, IndexError, KeyError):  # how the loader fails on a tag such as !!bool before other text
        raise refusal("holds a value that does not fit the !! tag before it; remove the tag") from None
    except ValueError as error:  # such as a date that no calendar has
        raise refusal(f"holds a value that cannot be read ({error}); put quotes around text") from None


def check_fields(
    content: Mapping[Any, Any],
    models: Mapping[str, Any],
    refusal: type[ForgetmapError],
    *,
    remedies: Mapping[str, str] | None = None,
    unsaid: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the fields of a file that people write, or say in one sentence what is wrong with the first bad one.

    Parameters
    ----------
    models : pydantic models by the key under which they stand; "" is the whole file.
    remedies : what to do about a bad value, by key.
    unsaid : names of branches that pydantic puts into a place and nobody wrote.
    """
    from pydantic import ValidationError

    try:
        fields: dict[str, Any] = models[""].model_validate(dict(content)).model_dump()
    except ValidationError as invalid:
        # A misspelt key is also a missing one: the misspelling says more.
        errors = invalid.errors(include_url=False)
        first = min(errors, key=lambda one: one["type"] != "extra_forbidden")
        raise refusal(_said(first, models, remedies or {}, unsaid)) from None
    return fields


def _said(error: Any, models: Mapping[str, Any], remedies: Mapping[str, str], unsaid: Sequence[str]) -> str:
    import difflib

    steps = [f"entry {step + 1}" if isinstance(step, int) else str(step) for step in error["loc"] if step not in unsaid]
    place, key = ", ".join(steps), steps[-1] if steps else ""
    if error["type"] == "extra_forbidden":
        known = list(models[steps[0] if len(steps) > 1 else ""].model_fields)
        near = difflib.get_close_matches(key, known, n=1)
        remedy = f"write {near[0]!r}" if near else "remove it"
        return f"key {place!r} is not known, expected one of {', '.join(known)}; {remedy}"
    if error["type"] == "missing":
        return f"key {place!r} is missing; add it"
    if error["type"] == "value_error":
        return f"{place}: {error['ctx']['error']}"
    found = repr(error["input"])
    found = found if len(found) <= 60 else found[:57] + "…"
    if error["type"] in ("model_type", "dict_type", "model_attributes_type"):
        home = models.get(steps[0]) if steps else None
        such = f" such as {', '.join(list(home.model_fields)[:3])}" if home else ""
        return f"key {place!r} holds {found}, expected keys{such}; write KEY: VALUE lines below it"
    said = error["msg"][0].lower() + error["msg"][1:]
    quotes = "put quotes around text" if error["type"] == "string_type" else "correct it"
    return f"key {place!r}: {said}, found {found}; {remedies.get(key, quotes)}"


def _check_shape(yaml: Any, text: str, refusal: type[ForgetmapError]) -> None:
    """Refuse what only serves to blow up a reader: references to other parts, and nesting without end."""
    depth = 0
    for event in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            raise refusal(f"line {event.start_mark.line + 1}: refers to another part of the file; write it out")
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            depth += 1
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            depth -= 1
        if depth > _DEEPEST:
            raise refusal(f"line {event.start_mark.line + 1}: nested too deeply; check brackets")
