"""JSON and function calls."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_parts import Written, first, scores, values

from forgetmap.errors import MissingDataError, UsageError
from forgetmap.suites.scoring import json_text
from forgetmap.suites.scoring.calls import read_calls

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "integer"}, "steps": {"type": "array", "items": {"type": "object"}}},
    "required": ["answer"],
    "additionalProperties": False,
}


def formed(reply: str, **more: Any) -> tuple[float | None, float | None, float | None, float | None, str | None]:
    found = scores("json_schema", reply, **{"schema": SCHEMA, "gold": ("4",), **more})
    *numbers, right = [found[name].score for name in ("validates", "parses", "only_json", "right_given_valid")]
    return (*numbers, right, found["validates"].error)


class TestJson:
    @pytest.mark.parametrize(
        ("reply", "expected"),
        [
            ('{"answer": 4}', (1, 1, 1, 1, None)),
            ('```json\n{"answer": 4}\n```', (1, 1, 1, 1, None)),
            ('JSON: {"answer": 4}', (1, 1, 1, 1, None)),
            ('{"answer": 5}', (1, 1, 1, 0, None)),  # valid and wrong: visible, and no loss of form
            ('Here it is: {"answer": 4}. Bye', (1, 1, 0, 1, "extra_text")),
            ('Like {"answer": 9}, so mine: {"answer": 4}', (1, 1, 0, 1, "extra_text")),  # the last, not the example
            ('Sure [see below]: {"answer": 4, "steps": [{"a": {"b": {"c": 1}}}]} ok', (1, 1, 0, 1, "extra_text")),
            ('{"answer": "4"}', (0, 1, 0, None, "invalid at $.answer: type")),
            ("[4]", (0, 1, 0, None, "invalid at $: type")),
            ("four", (0, 0, 0, None, "no_json")),
            ('{"answer": 4', (0, 0, 0, None, "no_json")),
            ("", (0, 0, 0, None, "no_json")),
        ],
    )
    def test_outcomes(self, reply: str, expected: tuple[Any, ...]) -> None:
        assert formed(reply) == expected

    def test_states(self) -> None:
        assert first("json_schema", "four", schema=SCHEMA).state == "no_answer"
        assert first("json_schema", Written('{"answer"', "length"), schema=SCHEMA).state == "truncated"
        assert first("json_schema", " ", schema=SCHEMA).state == "empty"

    @pytest.mark.parametrize(
        "schema",
        [{}, "{", "true", {"type": "nonsense"}, {"$ref": "https://example.org/schema.json"}, {"$ref": "#/none"}],
    )
    def test_a_bad_schema_is_the_items_fault(self, schema: Any) -> None:
        one = first("json_schema", '{"answer": 4}', schema=schema)
        assert (one.score, one.state) == (None, "unscored")
        assert one.error is not None
        assert one.error.startswith("bad_schema")

    def test_a_schema_may_be_text(self) -> None:
        assert formed("[1]", schema='{"type": "array"}', gold=()) == (1, 1, 1, None, None)

    def test_the_answer_field_and_its_kind(self) -> None:
        open_ = {"type": "object"}
        assert formed('{"a": [{"b": "Paris"}]}', schema=open_, gold=("Paris",), answer_field="a.0.b")[3] == 1
        assert formed('{"b": "Paris"}', schema=open_, gold=("Paris",))[3] == 0
        assert formed('{"answer": "1,300"}', schema=open_, gold=("1300",))[3] == 1
        assert formed('{"answer": true}', schema=open_, gold=("true",))[3] == 1

    def test_bombs_are_no_json(self) -> None:
        for bomb in ("[" * 100_000 + "]" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, "[" + "9" * 10_000 + "]"):
            assert json_text.parse(bomb) == (False, None)
            assert formed(bomb)[0] == 0

    def test_a_missing_library_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "jsonschema", None)
        with pytest.raises(UsageError, match=r"forgetmap\[traits\]"):
            scores("json_schema", "{}", schema=SCHEMA)


TOOLS = [
    {
        "name": "weather.get",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"type": "string", "default": "C"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
    {"type": "function", "function": {"name": "add", "parameters": {"properties": {"a": {"type": "number"}, "b": {"type": "number"}}}}},
]  # fmt: skip
PARIS = {"name": "weather.get", "arguments": {"city": "Paris"}}


def called(reply: str, calls: Any = (PARIS,), **more: Any) -> tuple[float | None, ...]:
    return tuple(values("call", reply, calls=list(calls), tools=TOOLS, **more).values())


class TestCall:
    @pytest.mark.parametrize(
        "reply",
        [
            '<tool_call>{"name": "weather.get", "arguments": {"city": "Paris"}}</tool_call>',
            '<tool_call>\n{"name": "weather.get", "arguments": "{\\"city\\": \\"Paris\\"}"}\n</tool_call>',
            '{"name": "weather.get", "parameters": {"city": " Paris "}}',
            '[{"type": "function", "function": {"name": "weather.get", "arguments": {"city": "Paris", "unit": "C"}}}]',
            '{"tool_calls": [{"name": "weather.get", "args": {"city": "Paris"}}]}',
            "[TOOL_CALLS] [{\"name\": \"weather.get\", \"arguments\": {\"city\": \"Paris\"}}]",
            '<function=weather.get>{"city": "Paris"}</function>',
            "weather.get(city='Paris')",
            "weather.get('Paris')",
            "[weather.get(city=\"Paris\")]",
            "I will look it up.\n- `weather.get(city='Paris')`\n",
            "```python\nresult = weather.get(city='Paris')\n```",
            "```\nprint(weather.get(city='Paris', unit=\"C\"))\n```",
            '```json\n{"name": "weather.get", "arguments": {"city": "Paris"}}\n```',
        ],
    )  # fmt: skip
    def test_forms_of_the_right_call(self, reply: str) -> None:
        assert called(reply) == (1, 1, 1)

    @pytest.mark.parametrize(
        ("reply", "expected"),
        [
            ("weather.get(city='Rome')", (0, 1, 0)),
            ("weather.get(city='Paris', days=3)", (0, 1, 0)),
            ("add(city='Paris')", (0, 0, 0)),  # no credit for arguments without the name
            ("weather.get(city=home())", (0, 1, 0)),
            ("weather.get(city='Paris')\nadd(a=1, b=2)", (0, 0.5, 1)),
            ("I would call weather.get(city='Paris') now.", (0, 0, 0)),  # prose
            ("weather.get(city=__import__('os').system('x'))", (0, 1, 0)),
            ("", (0, 0, 0)),
        ],
    )
    def test_wrong_calls(self, reply: str, expected: tuple[float, ...]) -> None:
        assert called(reply) == expected

    def test_prose_lines_are_no_selections(self) -> None:
        prose = "\n".join(["This is a line of prose (really)."] * 9)
        assert called(f"add(a=1, b=2)\n{prose}") == (0, 0, 0)

    def test_parallel_calls_in_any_order(self) -> None:
        golds = ["add(a=1, b=2)", "add(a=3, b=4)"]
        assert called("add(a=3, b=4)\nadd(a=1, b=2)", golds) == (1, 1, 1)
        assert called("add(a=3, b=4)\nadd(a=1, b=2)", golds, any_order=False) == (0, 1, 0.5)
        assert called("add(a=1, b=2)\nadd(a=3, b=4)", golds, any_order=False) == (1, 1, 1)
        assert called("add(a=1, b=2)\nadd(a=1, b=2)", golds) == (0, 1, 0.5)

    def test_best_assignment(self) -> None:
        # a greedy partner for the first gold would leave the second one alone
        golds = [{"name": "f", "arguments": {"x": "<node-1>"}}, {"name": "f", "arguments": {"x": "<node-2>"}}]
        assert called("f(x='<node-7>')\nf(x='<node-0>')", golds) == (1, 1, 1)

    def test_values(self) -> None:
        assert called("add(a=1.0000000001, b=-2)", ["add(a=1, b=-2)"])[0] == 1
        assert called("add(a=True, b=2)", ["add(a=1, b=2)"])[0] == 0
        assert (
            called(
                "add(a=[1, {'x': None}], b=false)", [{"name": "add", "arguments": {"a": [1, {"x": None}], "b": False}}]
            )[0]
            == 1
        )
        assert called("add(a='1', b=2)", ["add(a=1, b=2)"])[0] == 0
        near = {"name": "draw", "arguments": {"prompt": "a big red dog on a green hill"}}
        assert called("draw(prompt='a big red dog on a hill')", [near])[0] == 0
        assert called("draw(prompt='a big red dog on a hill')", [near], loose_fields=["prompt"])[0] == 1

    @pytest.mark.parametrize("none", [[], "NONE", ["no function call"]])
    def test_no_call_is_due(self, none: Any) -> None:
        assert values("call", "It is sunny.", calls=none) == {"exact": 1, "no_call": 1}
        assert values("call", "weather.get(city='Paris')", calls=none) == {"exact": 0, "no_call": 0}

    def test_states(self) -> None:
        assert first("call", "No tool fits.", calls=[PARIS]).state == "no_answer"
        assert first("call", Written("weather.get(city='Pa", "length"), calls=[PARIS]).state == "truncated"
        assert first("call", "add(a=1)", calls=[PARIS]).state == "answered"

    def test_a_gold_that_cannot_be_read_is_an_error(self) -> None:
        with pytest.raises(MissingDataError, match="look it up"):
            called("x", ["look it up"])

    def test_nothing_is_evaluated(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: Any) -> None:
            raise AssertionError("evaluated")

        monkeypatch.setattr(builtins, "eval", refuse)
        monkeypatch.setattr(builtins, "exec", refuse)
        (call,) = read_calls("f(x=9**9**9, y=[open('z')], z={**a}, *b, **c)")
        assert call.name == "f"
        assert repr(dict(call.arguments)) == "{'x': …, 'y': […], 'z': {'…': …}}"

    @given(
        st.from_regex(r"[a-z_]{1,8}(\.[a-z_]{1,8})?", fullmatch=True).filter(lambda name: not _is_keyword(name)),
        st.dictionaries(
            st.from_regex(r"[a-z]{3,6}_", fullmatch=True),
            st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.lists(st.integers(), max_size=3),
            max_size=4,
        ),
    )  # fmt: skip
    def test_calls_come_back_as_they_went(self, name: str, arguments: dict[str, Any]) -> None:
        text = f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
        (call,) = read_calls(text)
        assert (call.name, call.arguments) == (name, arguments)


def _is_keyword(name: str) -> bool:
    import keyword

    return any(keyword.iskeyword(part) for part in name.split(".")) or name == "print"
