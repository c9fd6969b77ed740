"""Every command in the documentation runs, and every Python example too."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from forgetmap.readers import reader_names
from forgetmap.run import SAMPLE_COLUMNS, TEXT_COLUMNS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def written_files(page: Path) -> dict[str, str]:
    """Files that a page shows whole: a block below a line that holds nothing but the name of the file."""
    shown = re.findall(
        r"^`([^`\n]+/[^`\n]+)`\n\n```\w+\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return dict(shown)


@pytest.fixture
def workplace(tmp_path: Path, logs: Path, smollm2: Path) -> Path:
    """A folder with the files that the documentation talks about."""
    for model in ("base-model", "tuned-model"):
        (tmp_path / model).symlink_to(smollm2)
    for name, content in written_files(ROOT / "docs" / "suites.md").items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    for name, log in (
        ("base", "before"),
        ("base2", "before"),
        ("base-chat", "before"),
        ("tuned", "after"),
        ("tuned2", "after"),
    ):
        shutil.copytree(logs / "lm_eval" / log, tmp_path / "out" / name)
    rows = [
        {
            "model": model,
            "id": f"{n}{model}",
            "question": f"q{n}",
            "answer": "a",
            "correct": n % (3 if model == "base" else 4) == 0,
        }
        for model in ("base", "tuned")
        for n in range(12)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "results.csv")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_run(page: Path, workplace: Path) -> None:
    commands = [
        line.removeprefix("$ ")
        for block in blocks(page, "console")
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    for command in commands:
        if command.startswith("pip install"):  # that is what the set-up did
            continue
        line = command.replace("forgetmap", f"{sys.executable} -m forgetmap", 1)
        done = subprocess.run(line, shell=True, cwd=workplace, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path, workplace: Path) -> None:
    for block in blocks(page, "python"):
        done = subprocess.run([sys.executable, "-c", block], cwd=workplace, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_front_page_sells_and_works() -> None:
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:30]
    assert "$ forgetmap compare out/base out/tuned" in first_screen


def test_every_column_and_format_is_documented() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for column in (*SAMPLE_COLUMNS, *TEXT_COLUMNS):
        assert f"| `{column.name}` | {column.meaning} |" in page, column.name
    for name in reader_names():
        assert f"`{name}`" in page, name


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_changelog_and_the_schema_are_there() -> None:
    assert "compare" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    json.loads((ROOT / "src" / "forgetmap" / "schemas" / "map-1.json").read_text(encoding="utf-8"))
