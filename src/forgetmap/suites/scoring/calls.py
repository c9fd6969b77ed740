"""Function calls inside model text: JSON blocks, `name(k=v)` lines, fenced code. Prose is no call.

Text is parsed into a syntax tree and only literals are taken from it; nothing is evaluated. Lengths, depth and number of
tries are bounded, because the parser's time and stack are not.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from forgetmap.suites.scoring import json_text

_CALLS_READ = 100
_LINES_READ = 2_000
_LINE_READ = 4_000  # characters of one call, or of one block of code
_DEEPEST = 30
_TAGGED = re.compile(r"<(tool_call|function_call|functioncall|tool_calls)>", re.IGNORECASE)
_NAMED_TAG = re.compile(r"<function=([\w.-]{1,100})>")
_TOKENS = re.compile(r"\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call(?:s_section)?_begin\|>")
_FENCE = re.compile(r"^[ \t]*+```[ \t]*+([\w+-]{0,20})[ \t]*+$", re.MULTILINE)
_CALL_LINE = re.compile(r"(?:[-*\u2022]|\d{1,3}[.)])?[ \t]*+`{0,3}((?:\[[ \t]*+)?[A-Za-z_][\w.]*+[ \t]*+\()")
_BRACKET = re.compile(r"[\[\](){}]")
_NAMES = {"true": True, "false": False, "null": None, "none": None}
_CALLABLE_NAMES = ("name", "function", "tool", "tool_name", "function_name")
_ARGUMENT_NAMES = ("arguments", "parameters", "args", "params", "input", "kwargs")


class NotLiteral:
    """An argument that is an expression, not a value: equal to nothing."""

    def __repr__(self) -> str:
        return "…"


@dataclass(frozen=True, slots=True)
class Call:
    """A function's name, its arguments by name, and those without a name in their order."""

    name: str
    arguments: Mapping[str, Any]
    positional: tuple[Any, ...] = field(default=())

    def named(self, parameters: list[str]) -> dict[str, Any]:
        """All arguments by name; those without one take the parameters' names in turn."""
        given = {
            parameters[place] if place < len(parameters) else f"#{place}": value
            for place, value in enumerate(self.positional)
        }
        return {**given, **self.arguments}


def read_calls(text: str) -> list[Call]:
    """The calls of a reply in their order; from the first of these that holds any: JSON, code, lines.

    >>> read_calls('<tool_call>{"name": "a.b", "arguments": {"x": 1}}</tool_call>')
    [Call(name='a.b', arguments={'x': 1}, positional=())]
    >>> read_calls("I would use get(x) here."), read_calls("math.add(x=1, y=[2])")
    ([], [Call(name='math.add', arguments={'x': 1, 'y': [2]}, positional=())])
    """
    for reader in (_from_json, _from_fences, _from_lines):
        found = reader(text)
        if found:
            return found[:_CALLS_READ]
    return []


def call_of(value: Any) -> Call | None:
    """A call from its JSON form or its text, as golds give it; null where it is neither."""
    if isinstance(value, Mapping):
        return _from_object(value)
    found = list(_from_source(value.strip())) if isinstance(value, str) else []
    return found[0] if len(found) == 1 else None


def _from_json(text: str) -> list[Call]:
    found: list[Call] = []
    bare = json_text.unwrap(text)
    is_json, value = json_text.parse(bare)
    if is_json:
        return list(_from_value(value))
    for tag in _NAMED_TAG.finditer(text):
        closed = text.find("</function>", tag.end())
        is_json, value = json_text.parse(text[tag.end() : closed if closed >= 0 else len(text)].strip())
        if is_json and isinstance(value, dict):
            found.append(Call(tag[1], value))
        if len(found) >= _CALLS_READ:
            break
    if found:
        return found
    for piece in json_text.balanced(text)[-_CALLS_READ:]:
        is_json, value = json_text.parse(piece)
        if is_json:
            found += _from_value(value)
    return found


def _from_value(value: Any) -> Iterator[Call]:
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    for one in value if isinstance(value, list) else [value]:
        call = _from_object(one) if isinstance(one, dict) else None
        if call is not None:
            yield call


def _from_object(value: Mapping[str, Any]) -> Call | None:
    inner = value.get("function")
    if isinstance(inner, Mapping):  # {"type": "function", "function": {"name": …, "arguments": "{…}"}}
        return _from_object(inner)
    name = next((value[key] for key in _CALLABLE_NAMES if isinstance(value.get(key), str)), None)
    key = next((key for key in _ARGUMENT_NAMES if key in value), None)
    if not name or key is None:
        return None
    arguments = value[key]
    if isinstance(arguments, str):
        arguments = json_text.parse(arguments)[1] if arguments.strip() else {}
    return Call(name.strip(), dict(arguments)) if isinstance(arguments, Mapping) else None


def _from_fences(text: str) -> list[Call]:
    fences = list(_FENCE.finditer(text))[: 2 * _CALLS_READ]
    found: list[Call] = []
    for opening, closing in zip(fences[::2], fences[1::2], strict=False):
        found += _from_source(text[opening.end() : closing.start()].strip())
    return found


def _from_lines(text: str) -> list[Call]:
    found: list[Call] = []
    for line in text.splitlines()[-_LINES_READ:]:
        bare = _TAGGED.sub("", _TOKENS.sub("", line)).strip()
        start = _CALL_LINE.match(bare) if len(bare) <= _LINE_READ else None
        if start:
            bare = re.sub(r"</\w+>$", "", bare)
            found += _from_source(bare[start.start(1) :].rstrip("`;,. "))
    return found


def _from_source(source: str) -> Iterator[Call]:
    tree = _tree(source)
    for statement in tree.body if tree else ():
        value = statement.value if isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign)) else None
        for node in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
            if isinstance(node, ast.Await):
                node = node.value
            if isinstance(node, ast.Call) and _dotted(node.func) == "print" and node.args:
                node = node.args[0]
            name = _dotted(node.func) if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and name:
                yield Call(
                    name,
                    {key.arg: _literal(key.value) for key in node.keywords if key.arg is not None},
                    tuple(_literal(one) for one in node.args),
                )


def _tree(source: str) -> ast.Module | None:
    if len(source) > _LINE_READ or _depth(source) > _DEEPEST or "(" not in source:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a model's string is not our mistake
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _depth(source: str) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(source):
        depth += 1 if bracket in "[({" else -1
        deepest = max(deepest, depth)
    return deepest


def _dotted(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id.lower() in _NAMES:
        return _NAMES[node.id.lower()]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(one) for one in node.elts]
    if isinstance(node, ast.Dict):
        keys = [_literal(key) if key is not None else NotLiteral() for key in node.keys]
        return {str(key): _literal(value) for key, value in zip(keys, node.values, strict=True)}
    if isinstance(node, (ast.Constant, ast.UnaryOp)):
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, RecursionError, MemoryError):
            return NotLiteral()
    return NotLiteral()
