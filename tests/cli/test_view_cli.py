"""`forgetmap view` as people start it."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from forgetmap.cli.view import view_command
from forgetmap.errors import UsageError
from forgetmap.testing import plant


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    planted = plant(40, texts=True)
    planted.before.save(folder / "a")
    planted.after.save(folder / "b")
    return folder


def test_the_printed_link_opens_it_and_an_interrupt_ends_it(runs: Path) -> None:
    code = "import sys, typer; from forgetmap.cli.view import view_command; app = typer.Typer(); app.command()(view_command); app()"
    started = subprocess.Popen(
        [sys.executable, "-c", code, str(runs)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert started.stdout is not None
        lines = [started.stdout.readline() for _ in range(3)]
        assert lines[0] == "2 runs found\n"
        address = lines[2].strip()
        assert address.startswith("http://127.0.0.1:")
        with httpx.Client(follow_redirects=True, timeout=30, transport=httpx.HTTPTransport(retries=5)) as client:
            assert "forgetmap" in client.get(address).text
            assert client.get(address.partition("/?")[0] + "/api/view").json()["items"] == [40]
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=20)
        assert "Traceback" not in err
    finally:
        started.kill()
        started.wait()


def test_nothing_to_view(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="check the path"):
        view_command([str(tmp_path / "none")])


def test_a_missing_package_is_one_sentence(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> object:
        return None if name == "uvicorn" else find_spec(name)

    monkeypatch.setattr("forgetmap.cli.view.find_spec", without)
    with pytest.raises(UsageError, match=r"uvicorn\); pip install 'forgetmap\[explorer\]'"):
        view_command([str(runs)])
