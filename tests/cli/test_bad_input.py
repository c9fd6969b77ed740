"""What is refused: exit 2, one sentence with file, place and remedy, nothing half-written. What is accepted: with a warning."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import LOGS

Cli = Callable[..., tuple[int, str, str]]

GOOD = [{"question": f"q{n}", "gold": "a", "correct": n % 2 == 0} for n in range(6)]


def lines(rows: list[dict]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def evil_zip(path: Path, member: str, content: bytes = b"[]") -> None:
    """A good Inspect log with one member too many."""
    shutil.copy(next((LOGS / "inspect").rglob("*.eval")), path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)


def bomb(path: Path) -> None:
    evil_zip(path, "samples/x_epoch_9.json", b"[" + b" " * (100 << 20) + b"]")


REFUSED: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "empty file": ("x.jsonl", lambda p: p.write_bytes(b""), "x.jsonl"),
    "torn last line": ("x.jsonl", lambda p: p.write_bytes(lines(GOOD)[:-9]), "line 6 is broken"),
    "zip that climbs": ("x.eval", lambda p: evil_zip(p, "../evil.json"), "points outside"),
    "zip with an absolute member": ("x.eval", lambda p: evil_zip(p, "/etc/evil.json"), "points outside"),
    "zip bomb": ("x.eval", bomb, "over the limit"),
    "not UTF-8": (
        "x.jsonl",
        lambda p: p.write_bytes(lines(GOOD) + b'{"question": "\xff", "correct": true}\n'),
        "line 7 is not UTF-8",
    ),
    "correctness of other words": (
        "x.csv",
        lambda p: p.write_text("question,correct\na,1\nb,perhaps\n"),
        "row 3: 'correct' is 'perhaps'",
    ),
}


@pytest.mark.faults
@pytest.mark.parametrize("case", REFUSED)
def test_refused(run_cli: Cli, tmp_path: Path, case: str) -> None:
    name, make, said = REFUSED[case]
    make(tmp_path / name)
    for arguments in (
        ["compare", tmp_path / name, tmp_path / name, "--json", tmp_path / "map.json"],
        ["import", tmp_path / name, tmp_path / "run"],
        ["items", tmp_path / name, tmp_path / name, "--csv", tmp_path / "lost.csv"],
    ):
        code, out, err = run_cli(*arguments)
        assert (code, out) == (2, ""), err
        assert said in err
        assert name in err
        assert err.count("\n") == 1
        assert ";" in err  # what was found; what to do
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_two_readers_that_both_accept(run_cli: Cli, tmp_path: Path, logs: Path) -> None:
    shutil.copytree(logs / "lm_eval" / "before", tmp_path / "log" / "a")
    shutil.copytree(logs / "mmlu_pro", tmp_path / "log" / "b")
    code, _, err = run_cli("compare", tmp_path / "log", tmp_path / "log")
    assert code == 2
    assert "both accept it; choose one with --format" in err


def test_two_logs_without_a_common_item(run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(GOOD))
    (tmp_path / "b.jsonl").write_bytes(lines([{**row, "question": row["question"] + "?"} for row in GOOD]))
    code, _, err = run_cli("compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert code == 2
    assert "no item" in err


def test_a_torn_line_may_be_skipped_and_is_counted(run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(GOOD)[:-9])
    code, out, _ = run_cli("compare", tmp_path / "a.jsonl", tmp_path / "a.jsonl", "--skip-broken")
    assert code == 0
    assert "1 broken line was skipped" in out


ACCEPTED = {
    "bare NaN": (lines(GOOD) + b'{"question": "q9", "gold": "a", "correct": NaN}\n', "bare NaN"),
    "duplicate items": (lines([*GOOD, GOOD[0]]), "more than once"),
    "clashing ids": (lines([{**row, "item_id": "7"} for row in GOOD]), "native id stands for more than one item"),
    "missing gold": (lines([{k: v for k, v in row.items() if k != "gold"} for row in GOOD]), "no usable gold"),
    "scores off their scale": (lines([{"question": row["question"], "score": 7} for row in GOOD]), "--scale"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted_with_a_warning(run_cli: Cli, tmp_path: Path, case: str) -> None:
    content, said = ACCEPTED[case]
    (tmp_path / "a.jsonl").write_bytes(content)
    code, out, err = run_cli("compare", tmp_path / "a.jsonl", tmp_path / "a.jsonl")
    assert (code, err) == (0, "")
    assert any(said in " ".join(part.split()) for part in out.split("warning:")[1:]), out


def test_markup_and_escapes_in_names_are_printed_as_they_are(run_cli: Cli, tmp_path: Path) -> None:
    rows = [{**row, "task": "[bold red]x[/]", "model": "m\x1b[31m"} for row in GOOD]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    code, out, _ = run_cli("compare", tmp_path / "a.jsonl", tmp_path / "a.jsonl", "--by", "task")
    assert code == 0
    assert "[bold red]x[/]" in out
    assert "\x1b" not in out
