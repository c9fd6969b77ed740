"""A small instance of the bench: it runs, and its figures are there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "explorer.py"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.scale
def test_the_bench_runs_small() -> None:
    command = [sys.executable, str(BENCH), "--items", "3000", "--tasks", "12", "--times", "10", "--pause", "0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    for figure in (
        "first view, cold", "first view, warm", "in the browser: cell", "in the browser: slice as condition", "over HTTP: item page",
        "search of 6,000 texts", "peak memory",
    ):  # fmt: skip
        assert figure in done.stdout
