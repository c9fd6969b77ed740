"""The flow goes one way: a module imports from those to its left, never to its right."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import forgetmap

ROOT = Path(forgetmap.__file__).parent
#: Left to right, as in the flow: logs → run → pair → estimates → map → report.
ORDER = [
    "errors", "yaml_files", "items", "answers", "tasks", "run", "storage", "assembly", "recorded", "builder", "readers", "decoding", "repeats", "pairing", "taxonomies",
    "estimate", "hygiene", "traits", "causes", "levels", "evidence", "cells", "scorers", "bridge", "flips", "map", "recipe", "chain", "slices", "study", "testing",
    "engines", "suites", "evaluation", "distribute", "report", "explorer", "gate", "pytest_plugin", "cli",
]  # fmt: skip


def modules() -> list[Path]:
    return [
        path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT or path.stem not in ("__init__", "__main__")
    ]


def room(name: str) -> str:
    return name.split(".")[1]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_left(path: Path) -> None:
    own = path.relative_to(ROOT).with_suffix("").parts[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:  # imports inside functions are for what is rarely needed, and may look right
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module == "forgetmap":
            names = [f"forgetmap.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("forgetmap."):
                assert ORDER.index(room(name)) <= ORDER.index(own), f"{own} imports {name}"


def test_every_module_has_its_place() -> None:
    rooms = {path.relative_to(ROOT).with_suffix("").parts[0] for path in modules()}
    assert rooms == set(ORDER)


def test_the_core_pulls_nothing_heavy() -> None:
    probe = "import sys; from forgetmap import compare; print([m for m in ('torch', 'pandas', 'scipy', 'pydantic', 'typer') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_the_public_names() -> None:
    assert set(forgetmap.__all__) >= {"ForgettingMap", "Pair", "Run", "compare", "read_run"}
    for name in forgetmap.__all__:
        assert getattr(forgetmap, name).__doc__
