"""What the tests of the MMLU-Pro, CapTrack, alpaca_eval, OLMES and openai/evals readers share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.errors import FormatError
from forgetmap.run import Run

DATA = Path(__file__).parents[1] / "formats" / "data"
ROW = ["task", "item_high", "item_low", "occurrence", "repeat", "scorer", "metric"]


def in_order(run: Run) -> pl.DataFrame:
    """The samples in an order that does not depend on the file's."""
    return run.samples.drop("text_row").sort(*(pl.col(name).cast(pl.String) for name in ROW))


def accepted(detects: Callable[[Path], bool]) -> set[str]:
    """The fixtures, of all formats, that a reader accepts."""
    files = [file for file in sorted(DATA.rglob("*")) if file.is_file()]
    return {file.relative_to(DATA).as_posix() for file in files if detects(file)}


def foreign(detects: Callable[[Path], bool]) -> list[Path]:
    """Every fixture, file or folder, in which a reader finds nothing of its own."""
    mine = {DATA / name for name in accepted(detects)}
    return [path for path in sorted(DATA.rglob("*")) if not any(path == one or path in one.parents for one in mine)]


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_json(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def refusal(call: Callable[[], object]) -> str | None:
    """The sentence with which a call is refused; None if it is not. Any other exception comes through."""
    try:
        call()
    except FormatError as fault:
        return str(fault)
    return None


def only(run: Run, **values: Any) -> dict[str, Any]:
    """The one sample that has these values."""
    found = run.samples.filter(*(pl.col(name) == value for name, value in values.items()))
    assert found.height == 1, found
    return found.row(0, named=True)
