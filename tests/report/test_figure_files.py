"""Figures of an earlier call: they go where they are ours, and nothing else ever does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forgetmap.errors import UsageError
from forgetmap.report.figures import Figure, files
from forgetmap.report.figures.files import INDEX, renew_figures


def figure(name: str, text: str = "one") -> Figure:
    return Figure(name, name, f'<svg xmlns="http://www.w3.org/2000/svg"><title>{text}</title></svg>', "")


def draw(folder: Path, *names: str) -> set[str]:
    """The files of a folder after a call that draws these figures."""
    renew_figures([figure(name) for name in names], folder, ("svg",))
    return {path.name for path in folder.iterdir()} - {INDEX}


def test_what_an_earlier_call_left_goes(tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    assert draw(folder, "radar", "forest-1", "forest-2") == {"radar.svg", "forest-1.svg", "forest-2.svg"}
    assert draw(folder, "radar", "forest") == {"radar.svg", "forest.svg"}
    assert draw(folder, "radar", "forest-1", "forest-2") == {"radar.svg", "forest-1.svg", "forest-2.svg"}
    assert sorted(json.loads((folder / INDEX).read_text())["files"]) == ["forest-1.svg", "forest-2.svg", "radar.svg"]


def test_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.svg").write_text("drawn by hand")
    (tmp_path / "below").mkdir()
    draw(tmp_path, "radar")
    (tmp_path / "later.png").write_text("drawn by hand")
    assert draw(tmp_path, "forest") == {"mine.svg", "below", "later.png", "forest.svg"}


def test_a_figure_that_somebody_changed_stays(tmp_path: Path) -> None:
    draw(tmp_path, "radar", "heat")
    (tmp_path / "radar.svg").write_text("with a note added by hand")
    assert draw(tmp_path, "forest") == {"radar.svg", "forest.svg"}
    assert (tmp_path / "radar.svg").read_text() == "with a note added by hand"
    assert draw(tmp_path, "forest") == {"radar.svg", "forest.svg"}


def test_a_link_stays_and_so_does_its_target(tmp_path: Path) -> None:
    folder, kept = tmp_path / "figures", tmp_path / "kept.svg"
    draw(folder, "radar")
    (folder / "radar.svg").rename(kept)
    (folder / "radar.svg").symlink_to(kept)
    assert draw(folder, "forest") == {"radar.svg", "forest.svg"}
    assert kept.exists()


def test_a_name_that_differs_in_case_only_is_the_new_file(tmp_path: Path) -> None:
    """Where upper and lower case are one, the earlier name is the file that was just written."""
    draw(tmp_path, "Radar")
    assert {"Radar.svg", "radar.svg"} >= draw(tmp_path, "radar") >= {"radar.svg"}
    assert "Radar.svg" in {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    "content",
    [
        "no JSON",
        '{"schema": "forgetmap.figures/9", "files": {}}',
        '{"schema": "forgetmap.figures/1", "files": {"../kept.svg": "x"}}',
        '{"schema": "forgetmap.figures/1", "files": ["radar.svg"]}',
    ],
)
def test_an_index_that_is_not_ours_is_refused_before_anything_is_written(tmp_path: Path, content: str) -> None:
    (tmp_path / INDEX).write_text(content)
    with pytest.raises(UsageError, match="remove it, or name another folder"):
        draw(tmp_path, "radar")
    assert [path.name for path in tmp_path.iterdir()] == [INDEX]


def test_a_call_that_was_cut_off_is_known_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(tmp_path, "radar")

    def write_one(made: dict[str, bytes], folder: Path) -> list[Path]:
        name, content = next(iter(made.items()))
        (folder / name).write_bytes(content)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(files, "_write", write_one)
        draw(tmp_path, "forest-1", "forest-2")
    assert {path.name for path in tmp_path.iterdir()} == {INDEX, "radar.svg", "forest-1.svg"}
    assert draw(tmp_path, "heat") == {"heat.svg"}
