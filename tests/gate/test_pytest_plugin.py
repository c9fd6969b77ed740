"""The pytest plugin: a fixture that fails with a readable summary, and costs nothing until it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import forgetmap

TESTS = """
from forgetmap.testing import plant

def run(tmp_path, lost):
    pair = plant(2000, lost=lost, gained=0.0, seed=1)
    return pair.before.save(tmp_path / "before"), pair.after.save(tmp_path / "after")

def test_keeps(forgetmap_gate, tmp_path):
    found = forgetmap_gate(*run(tmp_path, 0.0), "policy.yaml")
    assert found.passed and found.rules[0].estimate < 0.05

def test_misspelt(forgetmap_gate, tmp_path):
    forgetmap_gate(*run(tmp_path, 0.0), {"limts": []})

def test_loses(forgetmap_gate, tmp_path):
    forgetmap_gate(*run(tmp_path, 0.3), {"limits": [{"level": "total", "lost": 0.05}]})
"""


def run_pytest(folder: Path) -> subprocess.CompletedProcess[str]:
    source = str(Path(forgetmap.__file__).parent.parent)
    found = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    # By name and not by entry point, so that it is this source that is tested, whatever is installed.
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "forgetmap.pytest_plugin",
    ]
    blind = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": found}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=os.environ | blind)


def test_the_fixture_passes_fails_and_refuses(tmp_path: Path) -> None:
    (tmp_path / "test_model.py").write_text(TESTS)
    (tmp_path / "policy.yaml").write_text("limits:\n  - {level: total, lost: 0.05}\n")
    done = run_pytest(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 1 passed" in done.stdout
    assert "✗ gate failed: 1 of 7 not met (planted-before → planted-after)" in done.stdout
    assert "failed: total: lost: even the lower bound is not under the limit" in done.stdout
    assert "key 'limts' is not known" in done.stdout  # a bad policy is no pass
    summary = done.stdout.partition("test_loses")[2].partition("short test summary")[0]
    assert "pytest_plugin.py" not in summary  # the traceback points at the test, not at us


def test_it_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text(
        "import sys\ndef test_it():\n    assert not {'polars', 'numpy', 'pydantic', 'yaml', 'typer'} & set(sys.modules)\n"
    )
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout
