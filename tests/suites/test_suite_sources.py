"""Where rows come from: mirrors of hub datasets in the hub's layouts, and files of a suite's own folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from suite_making import TASK, make_suite, mirror

from forgetmap import suites
from forgetmap.errors import FormatError, MissingDataError, SuiteError
from forgetmap.suites.sources import read_rows

ROWS = [{"q": f"Q{n}?", "o": ["a", "b", "c"], "g": n % 3} for n in range(40)]
FIELDS = {"question": "q", "options": "o", "gold": "g | index"}


def hub_task(folder: Path, data_dir: Path | None, **source: Any) -> suites.Task:
    given = {**TASK, "source": {"hub": "us/sums", **source}, "fields": FIELDS}
    return suites.load(make_suite(folder / "suite", given), data_dir=data_dir).tasks[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("data/test-00000-of-00001.parquet", {"split": "test"}),
        ("test.parquet", {"split": "test"}),
        ("default/test/0000.parquet", {"split": "test"}),
        ("easy/test-00000-of-00001.parquet", {"split": "test", "config": "easy"}),
        ("easy/test/0000.parquet", {"split": "test", "config": "easy"}),
        ("data/easy/test-00000-of-00001.parquet", {"split": "test", "config": "easy"}),
        ("data/easy/data.parquet", {"split": "train", "config": "easy"}),
        ("odd/place.parquet", {"split": "test", "files": "odd/*.parquet"}),
    ],
)
def test_the_layouts_of_the_hub(tmp_path: Path, path: str, source: dict[str, Any]) -> None:
    mirror(tmp_path, f"us/sums/{path}", ROWS)
    mirror(tmp_path, "us/sums/data/train-00000-of-00001.parquet", [{"q": "other", "o": ["a", "b"], "g": 0}])
    items = hub_task(tmp_path, tmp_path, **source).items()
    assert [item.question for item in items] == [row["q"] for row in ROWS]
    assert items[2].gold == ("c",)


def test_shards_are_one_split_and_none_may_lack(tmp_path: Path) -> None:
    mirror(tmp_path, "us/sums/data/test-00000-of-00002.parquet", ROWS[:25])
    with pytest.raises(MissingDataError, match=r"1 of 2 files like .* are there; copy the others"):
        hub_task(tmp_path, tmp_path, split="test").items()
    mirror(tmp_path, "us/sums/data/test-00001-of-00002.parquet", ROWS[25:])
    assert len(hub_task(tmp_path, tmp_path, split="test").items()) == 40


def test_a_mirror_never_asks_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingDataError, match="the dataset us/sums is not in"):
        hub_task(tmp_path, tmp_path, split="test").items()
    mirror(tmp_path, "us/sums/data/train-00000-of-00001.parquet", ROWS)
    with pytest.raises(MissingDataError, match=r"holds no split 'test', looked for data/test-\*\.parquet"):
        hub_task(tmp_path, tmp_path, split="test").items()


def test_the_package_is_named_when_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingDataError) as caught:
        hub_task(tmp_path, None, split="test").items()
    message = str(caught.value)
    assert "us/sums" in message and "pip install datasets" in message and "--data-dir" in message


class Hub:
    """Stands in for the package: what it is asked, and rows or a fault."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def load_dataset(self, *args: Any, **kwargs: Any) -> Any:
        self.asked.append((args, kwargs))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_the_hub_is_asked_for_configuration_split_and_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(ROWS)
    monkeypatch.setitem(sys.modules, "datasets", hub)
    assert len(hub_task(tmp_path, None, config="easy", split="test", revision="abc").items()) == 40
    assert len(hub_task(tmp_path, None, split="test", files="odd/*.parquet").items()) == 40
    assert hub.asked == [
        (("us/sums",), {"name": "easy", "split": "test", "revision": "abc"}),
        (("us/sums",), {"data_files": {"test": "odd/*.parquet"}, "split": "test", "revision": None}),
    ]
    monkeypatch.setitem(sys.modules, "datasets", Hub(ConnectionError("no route\nto host")))
    with pytest.raises(MissingDataError, match="cannot be fetched: no route; check network") as caught:
        hub_task(tmp_path, None, split="test").items()
    assert "\n" not in str(caught.value)


def own_files(folder: Path, pattern: str) -> suites.Task:
    fields = {"question": "q", "options": "o | list", "gold": "g | index"}
    return suites.load(make_suite(folder, {**TASK, "source": {"file": pattern}, "fields": fields})).tasks[0]


def test_files_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (tmp_path / "data" / "a.json").write_text(json.dumps({"canary": "x", "examples": ROWS}), encoding="utf-8")
    (tmp_path / "data" / "a.csv").write_text(
        "q,o,g\n" + "".join(f"{row['q']},\"['a', 'b', 'c']\",{row['g']}\n" for row in ROWS), encoding="utf-8"
    )
    mirror(tmp_path, "data/a.parquet", ROWS)
    found = {ending: own_files(tmp_path, f"data/*.{ending}").items() for ending in ("jsonl", "json", "csv", "parquet")}
    for items in found.values():
        assert [item.key for item in items] == [item.key for item in found["jsonl"]]
        assert len(items) == 40
    with pytest.raises(MissingDataError, match=r"no file fits 'data/\*\.txt'"):
        own_files(tmp_path, "data/*.txt").items()
    (tmp_path / "data" / "b.jsonl").write_text('{"q": 1}\n{"q": \n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"b\.jsonl: line 2"):
        own_files(tmp_path, "data/b.jsonl").items()


@pytest.mark.parametrize("name", ["d.jsonl", "d.json"])
def test_rows_nested_without_end_are_refused(tmp_path: Path, name: str) -> None:
    deep = '{"q": ' + "[" * 5_000 + "]" * 5_000 + "}"
    (tmp_path / name).write_text(deep if name.endswith("l") else f"[{deep}]")
    with pytest.raises(FormatError, match=rf"{name}: .*recursion depth"):
        read_rows(tmp_path / name)


@pytest.mark.parametrize(
    "source",
    [
        {"file": "../outside/private.jsonl"},
        {"file": "data/../../outside/*.jsonl"},
        {"file": "/outside/private.jsonl"},
        {"file": "C:\\outside\\private.jsonl"},
        {"packed": "../outside/items/sums"},
        {"packed": "/outside/items"},
        {"hub": "us/sums", "split": "test", "files": "../other/*.parquet"},
        {"hub": "us/sums", "split": "test", "config": "../other"},
        {"hub": "us/sums", "split": "../other"},
    ],
)
def test_a_source_stays_in_its_folder(tmp_path: Path, source: dict[str, Any]) -> None:
    given = {**TASK, "source": source} | ({} if "packed" in source else {"fields": FIELDS})
    with pytest.raises(SuiteError, match="leads out of its folder; write a path inside it"):
        suites.load(make_suite(tmp_path / "suite", given), data_dir=tmp_path)


def test_a_dataset_of_the_hub_is_no_absolute_path(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="hub is '/sums', expected OWNER/NAME"):
        given = {**TASK, "source": {"hub": "/sums", "split": "test"}, "fields": FIELDS}
        suites.load(make_suite(tmp_path / "suite", given), data_dir=tmp_path)
