"""What a gate writes: JSON, markdown for a pull request, JUnit XML. Names of others are shown, never obeyed."""

from __future__ import annotations

import html
import io
import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from gates import policy
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from conftest import answer, make_run
from forgetmap.gate import CheckResult, GateResult, RuleResult, check_gate, load_policy
from forgetmap.gate.junit import clean
from forgetmap.gate.markdown import escape
from forgetmap.gate.result import Stop
from forgetmap.gate.text import print_gate
from forgetmap.testing import plant

HOSTILE = [
    "a|b", "a`b``c", "<script>alert(1)</script>", "a\nb\r\n| x | y |", "\\|", "a\\", "*b*_c_~d~", "[x](http://evil.example)",
    "@everyone #1", "\x1b[31mred\x00", "&amp;&#124;", "]]>", "<!--", "---", "# head", "www.evil.example", "'\"", "\ud800",
    "\u202egnp", "ü漢字🙂", "$x$", "{{7*7}}", "a" * 5000, " ",
]  # fmt: skip


def result(names: list[str], **more: Any) -> GateResult:
    """A gate over cells of these names, half of them broken."""
    rules = [
        RuleResult(
            f"task {name}", "task", name, "lost", 0.05, 0.01, 0.0, 0.04 if n % 2 else 0.06, "chance", 100, bool(n % 2),
            reason=None if n % 2 else f"up to 6 % may be lost in {name}", note=f"about {name}",
        )
        for n, name in enumerate(names)
    ]  # fmt: skip
    checks = [CheckResult("settings", False, f"found {name}", f"these differ: {name}") for name in names[:3]]
    summary = {"model": names[0], "source": None}
    made: dict[str, Any] = {"before": summary, "after": summary, "rules": rules, "checks": checks, "pairing": {}}
    warnings = [f"warning about {name}" for name in names]
    return GateResult(**{**made, "warnings": warnings, "policy": load_policy(policy()), **more})


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a markdown text, as GitHub would split them: at pipes that no backslash escapes."""
    found: list[list[list[str]]] = [[]]
    for line in text.split("\n"):
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif found[-1]:
            found.append([])
    return [table for table in found if table]


def test_the_markdown_tables_hold_whatever_the_names() -> None:
    text = result(HOSTILE).markdown()
    limits, conditions = tables(text)
    assert {len(row) for row in limits} == {7}
    assert {len(row) for row in conditions} == {3}
    assert len(limits) == 2 + len(HOSTILE)
    marks = [row[0] for row in limits[2:]]
    assert marks == sorted(marks, key="✗✓".index)  # what failed stands first
    shown = [html.unescape(row[1].removeprefix("<code>").removesuffix("</code>")) for row in limits[2:]]
    assert "task a|b: lost" in shown
    assert "task <script>alert(1)</script>: lost" in shown
    assert "task [x](http://evil.example): lost" in shown


def test_nothing_in_the_markdown_is_obeyed() -> None:
    text = result(HOSTILE).markdown()
    tags = set(re.findall(r"<[^>]*>", text))
    assert tags == {"<code>", "</code>", "<details>", "<summary>", "</summary>", "</details>"}
    assert not re.search(r"@\w|https?://|www\.|\]\(", text)
    assert "\x1b" not in text
    assert "\x00" not in text
    starts = ("### ", "- ", "|", "<details>", "</details>", "")
    assert all(line.startswith(starts[:-1]) or line == "" for line in text.split("\n"))
    text.encode()  # lone surrogates would not be written


@given(st.text(max_size=40))
def test_any_name_is_one_cell(name: str) -> None:
    made = escape(name)
    assert not set(made) & set("|`<>*_[]\\\n\r@")
    text = result([name or "x", name or "x"]).markdown()
    assert {len(row) for row in tables(text)[0]} == {7}


def test_a_comment_has_an_end() -> None:
    text = result([f"task {n}" for n in range(2000)]).markdown()
    assert len(text) < 65_536
    assert tables(text)[0][-1][1] == "… 1940 more, of which 940 failed"
    assert "- … and 993 more\n" in text  # reasons: 1,000 limits and 3 conditions, of which 10 are listed
    assert text.index("- … and 993 more\n") < text.index("| limit on |")
    long = result([f"task {n} {'|' * 500}" for n in range(2000)]).markdown()
    assert len(long) < 65_536
    assert {len(row) for row in tables(long)[0]} == {7}


def test_the_markdown_of_a_pass_is_short_and_says_so() -> None:
    pair = plant(4000, lost=0.01, tasks=20, seed=1)
    found = check_gate(pair.before, pair.after, policy({"level": "total", "lost": 0.1}, {"level": "task", "lost": 0.4}))
    text = found.markdown()
    assert text.startswith("### ✓ forgetmap gate passed: 21 limits kept (planted-before → planted-after)\n")
    assert "… 14 more task cells pass" in text
    assert "✗" not in text


def test_junit_is_xml_with_a_case_per_limit_and_condition() -> None:
    found = result(HOSTILE)
    root = ET.fromstring(found.junit().encode())
    suite = root.find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    assert len(cases) == len(HOSTILE) + 3 == int(suite.attrib["tests"]) == int(root.attrib["tests"])
    failed = [case for case in cases if case.find("failure") is not None]
    assert len(failed) == 3 + len(HOSTILE) // 2 == int(suite.attrib["failures"])
    names = {case.attrib["name"] for case in cases}
    assert {"settings", "task a|b: lost", "task <script>alert(1)</script>: lost", "task ]]>: lost"} <= names
    assert "task [31mred: lost" in names  # what XML cannot hold is left out
    assert all(case.attrib["classname"].startswith("forgetmap.") for case in cases)
    first = next(case for case in failed if case.attrib["name"] == "task a|b: lost")
    assert first.find("failure").attrib["message"] == "up to 6 % may be lost in a|b"


@given(st.text(st.characters(), max_size=60))
def test_any_text_is_xml(text: str) -> None:
    root = ET.fromstring(result([text or "x", "y"]).junit().encode())
    assert root.tag == "testsuites"
    assert clean(clean(text)) == clean(text)


def test_the_json_holds_everything_and_no_nan() -> None:
    pair = plant(300, seed=1)
    found = check_gate(pair.before, pair.after, policy({"level": "task", "lost": 0.01, "net": 0.5}, margin=0.1))
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["schema"] == "forgetmap.gate/1"
    assert content["passed"] is False
    assert set(content) == {
        "schema", "passed", "before", "after", "policy", "rules", "checks", "pairing", "sequential", "warnings",
    }  # fmt: skip
    rule = content["rules"][0]
    assert {"rule", "level", "name", "measure", "limit", "estimate", "low", "high", "reading", "items", "passed", "verdict",
            "reason", "note", "seen", "decided_at"} == set(rule)  # fmt: skip
    assert (rule["measure"], rule["passed"], rule["items"]) == ("lost", False, 300)
    assert content["policy"]["margin"] == 0.1
    assert content["sequential"] is None
    assert next(one["name"] for one in content["checks"]) == "tasks"
    assert content["pairing"]["paired"] == 300


def test_hostile_task_names_go_all_the_way() -> None:
    def run(right: bool) -> Any:
        return make_run([answer(n, right, task=f"evil|{'<b>'}`\x1b[31m{n % 2}") for n in range(100)])

    found = check_gate(run(True), run(False), policy({"level": "task", "lost": 0.05}))
    assert not found.passed
    assert "\x1b" not in found.text() + found.markdown() + found.junit()
    assert {len(row) for row in tables(found.markdown())[0]} == {7}
    ET.fromstring(found.junit().encode())


def test_the_text_lists_what_failed_and_why_once() -> None:
    text = result(["good", "fine", "bad"]).text()
    assert text.startswith("✗ gate failed: 5 of 6 not met (good → good)\n")
    for piece in (
        "✓  task fine: lost",
        "✗  task bad: lost",
        "< 5 %",
        "✗ settings: these differ: good\n",
        "failed: 2 limits (task good: lost, task bad: lost): the estimate is under the limit, the upper bound is not: more items",
    ):
        assert piece in text
    assert text.count("these differ: good") == 1
    assert "up to 6 %" not in text  # the table says so
    assert "note: task bad: lost: about bad\n" in text


def rule(name: str, passed: bool | None = False, **more: Any) -> RuleResult:
    figures = {"measure": "lost", "estimate": 0.1, "low": 0.0, "high": 0.2, "reading": "chance", "items": 100, **more}
    return RuleResult("task *", "task", name, limit=0.05, passed=passed, **figures)


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"low": 0.06}, "even the lower bound is not under the limit"),
        ({"estimate": 0.04}, "the estimate is under the limit, the upper bound is not: more items would tell"),
        ({}, "the upper bound is not under the limit"),
        ({"estimate": None}, "the upper bound is not under the limit"),
        ({"low": 0.04, "measure": "gained_at_least"}, "the lower bound is under the limit"),
        ({"high": 0.04, "measure": "gained_at_least"}, "even the upper bound is under the limit"),
        ({"low": None, "high": None, "reading": None, "reason": "no task fits"}, "no task fits"),
    ],
)
def test_why_a_limit_failed_beyond_its_figures(figures: dict[str, Any], said: str) -> None:
    text = result(["x"], rules=[rule("a", **figures)], checks=[]).text()
    assert f"\nfailed: task a: {'gained at least' if 'measure' in figures else 'lost'}: {said}\n" in text


def test_reasons_and_notes_have_an_end_and_wrap_with_an_indent() -> None:
    many = [
        rule(f"t{n}", low=None, high=None, reading=None, reason=f"{'very ' * 30}bad {n}", note=f"odd {chr(97 + n)}")
        for n in range(15)
    ]
    lines = result(["x"], rules=many, checks=[], warnings=["w " * 100]).text().splitlines()
    reasons = [place for place, line in enumerate(lines) if line.startswith("failed: ")]
    assert len(reasons) == 11
    assert lines[reasons[-1]] == "failed: … and 5 more"
    assert all(lines[place + 1].startswith("  ") for place in reasons[:-1])  # each runs on
    assert sum(line.startswith("note: ") for line in lines) == 11
    assert max(map(len, lines)) <= 120


def test_notes_that_differ_in_a_count_are_said_once() -> None:
    rules = [rule(f"t{n}", note=f"{n} of 1,000 items are left out") for n in (2, 3)] + [rule("u", note="greedy")]
    rules.append(rule("v", note="greedy"))
    text = result(["x"], rules=rules, checks=[]).text()
    assert "\nnote: 2 limits, such as task t2: lost: 2 of 1,000 items are left out\n" in text
    assert "\nnote: 2 limits: greedy\n" in text


def stopped(**more: Any) -> GateResult:
    """A sequential gate that stopped at its first broken limit."""
    rules = [
        rule("a", False, low=0.06, reason="5 % or more is lost", seen=40, decided_at=412),
        rule("b", None, low=-1.5, high=1.2, reason="open: from -100.00 % to 100.00 % after 2 samples", seen=2),
        rule("c", True, high=0.04, seen=90, decided_at=300),
    ]
    return result(
        ["x"], **{"rules": rules, "checks": [], "warnings": [], "sequential": Stop(412, 12032, 7, 0.05, True), **more}
    )


def test_open_limits_are_told_apart_everywhere() -> None:
    found = stopped()
    assert found.passed is False
    assert found.headline == "gate failed after 412 of 12,032 paired samples: 1 limit broken, 1 kept, 1 open (x → x)"
    assert found.reasons() == ["task a: lost: 5 % or more is lost"]
    lines = [" ".join(line.split()) for line in found.text().splitlines()]
    assert "limit on items estimate bounds limit decided reading" in lines
    assert "✗ task a: lost 40/100 10.00 % 6.00 % … 20.00 % < 5 % at 412 chance" in lines
    assert "· task b: lost 2/100 10.00 % -100.00 % … 100.00 % < 5 % open chance" in lines
    assert "✓ task c: lost 90/100 10.00 % 0.00 % … 4.00 % < 5 % at 300 chance" in lines
    assert "stopped in the random order of seed 7; bounds hold at every look, each with 95 %" in lines
    assert [rule["passed"] for rule in found.to_dict()["rules"]] == [False, None, True]
    (limits, _) = tables(found.markdown())
    assert [row[0] for row in limits[2:]] == ["✗", "·", "✓"]
    assert [row[6] for row in limits] == ["decided", "---:", "at 412", "open", "at 300"]
    assert {len(row) for row in limits} == {8}
    root = ET.fromstring(found.junit().encode())
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["skipped"]) == ("3", "1", "1")
    (skipped,) = root.findall(".//testcase/skipped")
    assert skipped.attrib["message"] == "open: from -100.00 % to 100.00 % after 2 samples"
    assert root.find("testsuite").attrib["skipped"] == "1"


def test_a_gate_is_undecided_while_nothing_failed() -> None:
    some = stopped().rules[1:]
    found = stopped(rules=some, sequential=Stop(412, 12032, 7, 0.05, False))
    assert found.passed is None
    assert found.text().startswith(
        "· gate undecided after 412 of 12,032 paired samples: 1 limit kept, 1 open (x → x)\n"
    )
    assert found.markdown().startswith("### · forgetmap gate undecided after 412")
    assert found.to_dict()["passed"] is None
    assert "go on in the order of seed 7" in found.text()
    torn = stopped(rules=some, checks=[CheckResult("settings", False, "1 differ", "these differ: x")])
    assert torn.passed is False
    assert "1 limit kept, 1 open, 1 condition not met" in torn.headline
    assert torn.reasons() == ["settings: these differ: x"]


def test_many_open_cells_are_counted_and_those_nearest_to_breaking_shown() -> None:
    rules = [rule(f"t{n}", None, low=n / 100 - 1, seen=5) for n in range(20)] + [
        rule("kept", True, seen=9, decided_at=9)
    ]
    text = stopped(rules=rules).text()
    assert "·  … 14 more task cells are open" in text
    for n in range(20):
        assert (f"task t{n}: " in text) is (n >= 14)
    assert "task kept: lost" in text


@pytest.mark.parametrize(("width", "left_out"), [(120, []), (105, ["estimate"]), (80, ["estimate", "reading"])])
def test_the_table_fits_a_narrow_terminal(width: int, left_out: list[str]) -> None:
    console = Console(width=width, file=io.StringIO(), no_color=True, highlight=False, force_terminal=True)
    name = "mmlu_pro:engineering"
    print_gate(console, stopped(rules=[rule(name, None, items=12027, seen=11000)]))
    lines = re.sub(r"\x1b\[[\d;]*m", "", console.file.getvalue()).splitlines()
    assert max(map(len, lines)) <= width
    head = next(place for place, line in enumerate(lines) if "limit on" in line)
    figures = lines[head].split()[2:]
    assert figures == [
        one for one in ("items", "estimate", "bounds", "limit", "decided", "reading") if one not in left_out
    ]
    column = slice(lines[head].index("limit on"), lines[head + 2].index("11,000/12,027"))
    shown = [line[column] for line in lines[head + 2 :][:4]]
    assert "".join("".join(shown).split()).startswith(f"task{name}:lost")  # on several lines, but uncut


def test_many_cells_that_pass_are_counted_and_the_nearest_shown() -> None:
    rules = [
        RuleResult("task *", "task", f"t{n}", "lost", 0.5, 0.0, 0.0, n / 100, "chance", 10, True) for n in range(20)
    ]
    rules.append(RuleResult("task *", "task", "broken", "lost", 0.5, 0.0, 0.0, 0.6, "chance", 10, False, reason="x"))
    text = result(["x"], rules=rules, checks=[]).text()
    assert "… 14 more task cells pass" in text
    assert "task broken: lost" in text
    for n in range(20):
        assert (f"task t{n}: " in text) is (n >= 14)


@pytest.mark.parametrize("method", ["text", "markdown", "junit"])
def test_the_same_inputs_give_the_same_text(method: str) -> None:
    made = [
        getattr(check_gate(*(plant(200, seed=2).before,) * 2, policy({"level": "task", "lost": 0.1})), method)()
        for _ in range(2)
    ]
    assert made[0] == made[1]
