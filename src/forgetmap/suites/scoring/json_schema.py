"""JSON that a schema accepts (captrack.md 3.8): parses, validates, and is right given that it is valid.

Facts: `schema` (object or its text), `answer_field` (a path such as result.value; "answer" where the object has that key),
`answer_kind` (number or text; number where the gold is one). Whether the answer is right never touches `validates`: a wrong
answer in valid JSON is a loss of knowledge, not of form.

What went wrong stands in `error`: no_json, invalid (with the place), extra_text (valid, but with words around it), or
bad_schema, a fault of the item that leaves it unscored.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from forgetmap.answers import gold_number, match_open, numbers_equal
from forgetmap.errors import UsageError
from forgetmap.suites.scoring import json_text
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, fact, last, needed, none_found, silence, spoken

SCORER = "json_schema"
METRICS = ("validates", "parses", "only_json", "right_given_valid")
_CHOICE_KEPT = 500


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return validates, parses, only_json (validates, with nothing around it) and right_given_valid."""
    reply = last(answer, task, item)
    validator, bad = _validator(needed(task, item, "schema", "a JSON schema"))
    if bad:
        return alike(SCORER, METRICS, None, "unscored", f"bad_schema: {bad}")
    from referencing.exceptions import Unresolvable

    if state := silence(reply):
        return [*alike(SCORER, METRICS[:3], 0.0, state, "no_json"), Scored(SCORER, METRICS[3], None, state=state)]
    found = json_text.find(spoken(reply))
    if found is None:
        state = none_found(reply)
        return [*alike(SCORER, METRICS[:3], 0.0, state, "no_json"), Scored(SCORER, METRICS[3], None, state=state)]
    try:
        flaw = next(validator.iter_errors(found.value), None)
        why = None if flaw is None else f"invalid at {flaw.json_path[:100]}: {flaw.validator}"
    except RecursionError:
        why = "invalid: nested too deep"
    except OverflowError:  # the schema's own numbers were checked: it is the reply's
        why = "invalid: a number beyond floating point"
    except Unresolvable as fault:
        return alike(SCORER, METRICS, None, "unscored", f"bad_schema: refers to {fault.ref!r}, which is not in it")
    given = _answer(task, item, found.value)
    choice = None if given is None else str(given)[:_CHOICE_KEPT]
    right = _is_right(task, item, given) if why is None else None
    error = why or ("extra_text" if found.extra_text else None)
    scores = (float(why is None), 1.0, float(why is None and not found.extra_text), right)
    return [Scored(SCORER, metric, value, choice, error=error) for metric, value in zip(METRICS, scores, strict=True)]


def _validator(schema: Any) -> tuple[Any, str | None]:
    try:
        jsonschema: Any = import_module("jsonschema")
        from referencing import Registry
    except ImportError:
        raise UsageError(
            "tasks of kind 'json_schema' need the package jsonschema, which is not installed; pip install 'forgetmap[traits]'"
        ) from None
    if isinstance(schema, str):
        is_json, schema = json_text.parse(schema)
        if not is_json:
            return None, "its text is no JSON"
    if not isinstance(schema, Mapping) or not schema:
        return None, "it accepts everything"
    try:
        written = json.dumps(schema, default=list)  # tuples and mapping proxies as plain containers
    except (ValueError, RecursionError):
        return None, "it holds a number or a nesting without end"
    is_json, schema = json_text.parse(written)
    if not is_json or not _within(schema):
        return None, "it holds a number beyond floating point, or is nested too deep"
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as fault:
        return None, fault.message[:200]
    schema.pop("$schema", None)  # read above; a reference to the root would bring the library's own class back
    linear = jsonschema.validators.extend(kind, {"uniqueItems": _unique_items})
    # an empty registry: a reference to elsewhere is never fetched
    return linear(schema, registry=Registry()), None


def _unique_items(validator: Any, wanted: Any, instance: Any, _: Any) -> Iterator[Any]:
    """The keyword in linear time: the library compares every element with every other."""
    if wanted and validator.is_type(instance, "array"):
        seen = {json.dumps(_canonical(one), sort_keys=True) for one in instance}
        if len(seen) < len(instance):
            yield import_module("jsonschema").ValidationError("holds an element twice")


def _canonical(value: Any) -> Any:
    """A value whose text is the same for equal values: 1.0 is 1."""
    if isinstance(value, dict):
        return {key: _canonical(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_canonical(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _within(value: Any) -> bool:
    """Whether floating point can hold all numbers in a value."""
    if isinstance(value, (dict, list)):
        return all(map(_within, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int) or abs(value) <= sys.float_info.max


def _answer(task: ScoredTask, item: ScoredItem, value: Any) -> Any:
    path = fact(task, item, "answer_field", "answer")
    for name in str(path).split("."):
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return None
    return value


def _is_right(task: ScoredTask, item: ScoredItem, given: Any) -> float | None:
    if not item.gold:
        return None
    if given is None or isinstance(given, (dict, list)):
        return 0.0
    numbers = [gold_number(gold) for gold in item.gold]
    kind = fact(task, item, "answer_kind", "number" if None not in numbers else "text")
    if isinstance(given, bool):
        given = str(given).lower()
    if kind == "number":
        return float(any(numbers_equal(given, number) for number in numbers))
    return float(bool(match_open(str(given), item.gold).exact))
