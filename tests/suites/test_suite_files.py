"""What task and suite files may say, and what is said of those that are wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from suite_making import TASK, line, make_suite, one_task

from forgetmap import suites
from forgetmap.errors import ForgetmapError, SuiteError, UsageError

LINES = [line(n) for n in range(40)]


def refused(folder: Path, task: dict[str, Any], lines: list[dict[str, Any]] | None = None) -> str:
    with pytest.raises(SuiteError) as caught:
        suites.load(make_suite(folder, task, lines if lines is not None else LINES)).tasks[0].items()
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_suite_of_ones_own(tmp_path: Path) -> None:
    suite = suites.load(make_suite(tmp_path, TASK, LINES))
    assert (suite.name, suite.title, [task.name for task in suite.tasks]) == ("own", "Own", ["sums"])
    items = suite.task("sums").items()
    assert len(items) == 40
    assert (items[1].question, items[1].options, items[1].gold) == ("What is 1 + 1?", ("3", "4", "2"), ("2",))
    assert items[1].gold_index == 2
    assert items is suite.task("sums").items()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"wording": ["x"]}, "key 'wording' is not known, expected one of name"),
        ({"scoring": {"kind": "likelyhood"}}, "key 'scoring, kind': input should be 'likelihood'"),
        ({"scoring": {"kind": "likelihood", "norm": "bytes"}}, "key 'scoring, norm' is not known, expected one of kind, normalise, settings; write 'normalise'"),
        ({"source": {"packed": "items/sums", "hub": "a/b"}}, "names packed and hub, expected one of packed, hub, file"),
        ({"source": {"hub": "noowner", "split": "test"}}, "hub is 'noowner', expected OWNER/NAME"),
        ({"source": {"hub": "a/b"}}, "hub has no split"),
        ({"source": {"hub": "a/b", "split": "test"}}, "key 'fields' is missing"),
        ({"fields": {"question": "q"}}, "key 'fields' is given for packed items"),
        ({"wordings": []}, "'wordings'"),
        ({"wordings": ["Answer:"]}, "expected {question} once"),
        ({"wordings": ["{question}", "{question}"]}, "one wording twice"),
        ({"repeats": {"kind": "prompt", "count": 4}}, "asks for 4 of kind prompt, but the file has 3"),
        ({"styles": ["chat"], "protocol": {"base": "base"}}, "key 'protocol, base' is 'base', but 'styles' has no base"),
        ({"protocol": {"chat": "chat_cot"}}, "key 'protocol, chat' is 'chat_cot', but the task has base, chat"),
        ({"source": {"file": "/data/*.jsonl"}, "fields": {"question": "question"}}, "source: file is '/data/*.jsonl', which leads out of its folder"),
        ({"source": {"file": "data/a**b"}, "fields": {"question": "question"}}, "is no pattern of files below"),
        ({"formats": ["letters", "roman"]}, "'formats, entry 2'"),
        ({"scoring": {"kind": "letter"}}, "formats' holds plain, but scoring kind 'letter' needs labels"),
        ({"scoring": {"kind": "code"}}, "expected 'code: true'"),
        ({"styles": ["base", "cot"]}, "style 'cot' does not go with scoring kind 'likelihood'"),
        ({"shots": {"count": 2, "split": "dev"}}, "for hub datasets only"),
        ({"shots": {"count": 40}}, "leaves none to score"),
        ({"demonstrations": [{"question": "1+1?", "options": ["2", "3"], "answer": "4"}]}, "answer '4' is none of its options"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    message = refused(tmp_path, {**TASK, **changes})
    assert said in message
    assert "t0.yaml" in message or "task 'sums'" in message


def test_a_suite_without_name_or_tasks(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text("title: T\n", encoding="utf-8")
    with pytest.raises(SuiteError, match="'name' is missing"):
        suites.load(tmp_path)
    (tmp_path / "suite.yaml").write_text("name: n\ntitle: T\n", encoding="utf-8")
    with pytest.raises(SuiteError, match="no task in"):
        suites.load(tmp_path)


def test_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"neither a folder with suite\.yaml nor one of captrack"):
        suites.load("nowhere")
    with pytest.raises(UsageError, match="check --data-dir"):
        suites.load("captrack", data_dir=tmp_path / "none")
    with pytest.raises(UsageError, match="did you mean sums"):
        suites.load(make_suite(tmp_path, TASK, LINES)).task("sum")


def test_a_task_twice(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="task 'sums' is defined twice"):
        suites.load(make_suite(tmp_path, [TASK, TASK], LINES))


def test_a_task_file_of_another_name_is_not_left_out_silently(tmp_path: Path) -> None:
    make_suite(tmp_path, TASK, LINES)
    (tmp_path / "tasks" / "more.yml").write_text("name: more\n", encoding="utf-8")
    with pytest.raises(SuiteError, match=r"more\.yml: is not read under this name; rename it to more\.yaml"):
        suites.load(tmp_path)


def test_a_mark_that_nobody_wrote(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_text('{"q": "1 + 1?", "a": "#### 2"}\n', encoding="utf-8")
    source = {"source": {"file": "data/*.jsonl"}, "scoring": {"kind": "number"}, "formats": []}
    for adapter in ("after", "after:"):
        changes = {**TASK, **source, "fields": {"question": "q", "gold": f"a | {adapter}"}}
        assert "'after' has no mark, expected one such as after:####" in refused(tmp_path, changes)


def test_packed_lines_are_read_strictly(tmp_path: Path) -> None:
    broken = {**line(0), "answer": "1"}
    with pytest.raises(ForgetmapError, match=r"line 1: .*answer"):
        one_task(tmp_path / "a", [broken]).items()
    with pytest.raises(ForgetmapError, match="holds no items of 'others'"):
        one_task(tmp_path / "b", source={"packed": "items/others"}).items()
    (tmp_path / "b" / "items.jsonl.zst").write_bytes(b"not zstd")
    with pytest.raises(ForgetmapError, match="cannot be unpacked"):
        one_task_again(tmp_path / "b").items()


def one_task_again(folder: Path) -> suites.Task:
    return suites.load(folder).tasks[0]


def family(**entry: Any) -> dict[str, Any]:
    shared = {**TASK, "name": "sums_{size}", "source": {"packed": "items/{size}"}}
    return {"family": shared, "tasks": [entry]}


def test_a_family_makes_a_task_for_each_word(tmp_path: Path) -> None:
    made = family(size=["small", "large"], scoring={"normalise": "bytes"})
    suite = suites.load(make_suite(tmp_path, made, LINES))
    assert [task.name for task in suite.tasks] == ["sums_small", "sums_large"]
    assert suite.tasks[1].spec.source.packed == "items/large"
    assert (suite.tasks[1].spec.scoring.kind, suite.tasks[1].spec.scoring.normalise) == ("likelihood", "bytes")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"size": "small", "titel": "T"}, "'titel' is neither a key of a task nor a {titel} of the family"),
        ({"size": "small", "question": "Q"}, "'question' is a word of wordings"),
        ({"size": "small", "code": "yes"}, "task 'sums_small': key 'code'"),
        ({"size": ["a", "b"], "other": ["c"]}, "one of them may be a list"),
    ],
)
def test_a_family_with_a_slip(tmp_path: Path, entry: dict[str, Any], said: str) -> None:
    assert said in refused(tmp_path, family(**entry))


def test_the_hash_follows_content_and_files(tmp_path: Path) -> None:
    def made(name: str, lines: list[dict[str, Any]], **changes: Any) -> str:
        return suites.load(make_suite(tmp_path / name, {**TASK, **changes}, lines)).hash

    first = made("a", LINES)
    assert len(first) == 32
    assert made("b", LINES) == first
    assert made("c", LINES, title="Other") != first
    assert made("d", [line(0, question="What is 0 plus 1?"), *LINES[1:]]) != first
    assert made("e", [line(0, facts={"expected": "refuse"}), *LINES[1:]]) != first
    assert made("f", [line(0, question="what is 0 + 1?"), *LINES[1:]]) != first  # the same key, another text


def test_knowing_suites_costs_little() -> None:
    probe = "import sys; import forgetmap.suites; print([m for m in ('pydantic', 'polars', 'datasets', 'torch') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


@pytest.mark.parametrize("value", ["!!bool abc", "!!timestamp abc", '!!float ""'])
def test_a_tag_that_its_value_does_not_fit(tmp_path: Path, value: str) -> None:
    folder = make_suite(tmp_path, TASK, LINES)
    with (folder / "tasks" / "t0.yaml").open("a") as file:
        file.write(f"about: {value}\n")
    with pytest.raises(SuiteError, match="a value that does not fit the !! tag before it; remove the tag"):
        suites.load(folder)


@pytest.mark.parametrize("key", ["answer", "cot"])
def test_more_tokens_than_any_answer_has(tmp_path: Path, key: str) -> None:
    said = refused(tmp_path, {**TASK, key: {"max_tokens": 1_000_001}})
    assert f"key '{key}, max_tokens': input should be less than or equal to 1000000, found 1000001" in said
