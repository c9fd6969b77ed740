"""Runs found in folders, and the ids under which permalinks know them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from explorer.served import save_runs, story
from forgetmap.errors import UsageError
from forgetmap.explorer.library import DEEPEST, Library


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    save_runs(folder, story(items=30))
    return folder


def test_runs_of_a_folder_oldest_first(saved: Path) -> None:
    found = Library.open([saved])
    assert [entry.name for entry in found.entries.values()] == ["base", "tuned"]
    assert all(entry.saved for entry in found.entries.values())
    assert found.unsaved() == []


def test_the_order_given_counts_more_than_dates(saved: Path) -> None:
    found = Library.open([saved / "tuned", saved / "base"])
    assert [entry.name for entry in found.entries.values()] == ["tuned", "base"]


def test_folders_are_searched_some_levels_deep(saved: Path, tmp_path: Path) -> None:
    deep = tmp_path / Path(*"abcd"[: DEEPEST - 1])
    deep.mkdir(parents=True)
    shutil.copytree(saved / "base", deep / "base")
    shutil.copytree(saved / "tuned", tmp_path / ".hidden" / "tuned")
    (tmp_path / "notes.txt").write_text("hello")
    assert [entry.name for entry in Library.open([tmp_path]).entries.values()] == ["base"]


def test_ids_are_of_the_content_not_of_the_place(saved: Path, tmp_path: Path) -> None:
    shutil.copytree(saved / "base", tmp_path / "elsewhere")
    here, there = Library.open([saved]), Library.open([tmp_path / "elsewhere"])
    [ident] = there.entries
    assert here.entries[ident].name == "base"
    assert len(ident) >= 8
    assert not any(part in ident for part in ("base", "/", "elsewhere"))


def test_copies_have_ids_and_names_of_their_own(saved: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(saved / "base", tmp_path / name)
    found = Library.open([tmp_path])
    assert len(found) == 2
    assert [entry.name for entry in found.entries.values()] == ["base · one", "base · two"]


def test_a_run_given_twice_is_there_once(saved: Path) -> None:
    assert len(Library.open([saved, saved / "base", saved / "." / "base"])) == 2


def test_what_is_broken_is_said_and_the_rest_is_there(saved: Path, tmp_path: Path) -> None:
    shutil.copytree(saved, tmp_path / "runs")
    (tmp_path / "runs" / "tuned" / "run.json").write_text("{")
    found = Library.open([tmp_path])
    assert [entry.name for entry in found.entries.values()] == ["base"]
    [said] = found.broken
    assert "import the log again" in said


def test_logs_are_read_too(logs: Path) -> None:
    path = next((logs / "inspect").glob("*.eval"))
    found = Library.open([path])
    [entry] = found.unsaved()
    assert entry.run.tasks


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for name in ("run.json", "samples.parquet"):
        (tmp_path / "run" / name).write_text("{}")
    with pytest.raises(UsageError, match="no run in"):
        Library.open([tmp_path])
