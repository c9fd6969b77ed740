"""Folders of logs: which files are a reader's, and which lie beside them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def log_files(folder: Path) -> list[Path]:
    """Return every plain file below a folder, sorted, hidden ones left out."""
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = [Path(root) / name for name in sorted(files) if not name.startswith(".")]
        found += [path for path in paths if path.is_file()]  # links that lead nowhere are no files
    return found


def split_files(path: Path, detects: Callable[[Path], bool]) -> tuple[list[Path], list[Path]]:
    """Return the files of `path` that a reader accepts, and the others that lie beside them."""
    if path.is_file():
        return [path], []
    mine: list[Path] = []
    others: list[Path] = []
    for file in log_files(path):
        (mine if detects(file) else others).append(file)
    return mine, others
