"""Runs that forgetmap saved itself."""

from __future__ import annotations

from pathlib import Path

from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run
from forgetmap.storage import is_run_folder, load_run


def detects(path: Path) -> bool:
    """Accept a folder with a complete run."""
    return is_run_folder(path)


def read(path: Path, options: ReadOptions) -> Run:
    """Open the run lazily, texts included where it has them."""
    return load_run(path)
