"""Code that a model wrote, run in a process of its own that may do next to nothing.

The process has an empty environment, an empty folder of its own, the standard library and no other package, no network, no
right to write files or to start processes, and limits on time and memory (see `fences`). It is killed with its group when
its time is up. What it prints goes nowhere. The reply never runs in this process, and is not even parsed here.

It keeps accidents and ordinary mischief in; it is no promise against code written to break out, or to pass its tests by
looking into the interpreter that runs both (see `fences`). Whoever evaluates models
that nobody trusts should do so on a machine without secrets.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from forgetmap.errors import UsageError

#: What code tasks are told when nobody has agreed to run them.
NOT_ALLOWED = (
    "runs code that the model wrote, which nobody has allowed; add --allow-code, or leave the task out with --tasks"
)
SECONDS = 10
MEMORY = 512 * 1024 * 1024  # bytes of address space, the interpreter's own included
_REPORT_READ = 65_536
_SCRIPT = Path(__file__).with_name("fences.py")

Outcome = Literal["pass", "fail", "timeout", "no_code", "sandbox"]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of the code: `sandbox` is a failure of ours, all others are findings about the code."""

    outcome: Outcome
    why: str | None = None
    fences: tuple[str, ...] = ()


def run_code(
    candidates: Sequence[str], tests: str, entry_point: str = "", *, seconds: int = SECONDS, memory: int = MEMORY
) -> Result:
    """Run the first candidate that compiles, then its tests.

    Parameters
    ----------
    candidates : sources, the likeliest first.
    tests : code that raises where the candidate is wrong; with an entry point it defines `check(candidate)`.
    entry_point : name of the function given to `check`; empty where the tests are bare asserts.
    """
    if sys.platform == "win32":
        raise UsageError("code tasks need Linux or macOS, this is Windows; leave them out with --tasks, or use WSL")
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="forgetmap-code-") as folder, _Pipe() as report:
        job = {
            "candidates": list(candidates),
            "tests": tests,
            "entry_point": entry_point,
            "seconds": seconds,
            "memory": memory,
            "readable": [*_readable(), folder],
            "listed": _library(),
            "secret": token,
            "report": report.write,
        }
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={},
            pass_fds=(report.write,),
            start_new_session=True,
        )
        try:
            process.communicate(json.dumps(job).encode("utf-8", "surrogatepass"), timeout=seconds)
            timed_out = False
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _kill(process)
        report.close_write()
        return _read_result(report.drain(), token, process.returncode, timed_out)


def fences() -> tuple[str, ...]:
    """The layers that hold on this machine, for the record of a run."""
    return _probe()


@lru_cache(maxsize=1)
def _probe() -> tuple[str, ...]:
    return run_code(["pass"], "pass").fences


def _read_result(lines: list[bytes], token: str, code: int, timed_out: bool) -> Result:
    said: list[dict[str, object]] = []
    for line in lines:
        with suppress(ValueError, RecursionError):  # whatever else the code wrote there is no report
            record = json.loads(line)
            if isinstance(record, dict):
                said.append(record)
    if not said or not isinstance(standing := said[0].get("fences"), list):
        why = "timeout before the code was run" if timed_out else f"it ended with {code} before the code was run"
        return Result("sandbox", f"the sandbox did not start: {why}")
    names = tuple(str(name) for name in standing)
    last = said[-1]
    if last.get("outcome") == "pass" and last.get("secret") == token:
        return Result("pass", None, names)
    if timed_out or code == -signal.SIGXCPU:
        return Result("timeout", "timeout", names)
    if last.get("outcome") == "bad_tests":
        return Result("sandbox", "the tests of the item do not compile", names)
    if last.get("outcome") == "no_code":
        return Result("no_code", None, names)
    if last.get("outcome") == "fail":
        return Result("fail", str(last.get("why"))[:200], names)
    return Result("fail", f"ended with {code} before its tests did", names)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin:
        with suppress(OSError):
            process.stdin.close()


def _library() -> list[str]:
    """The folders of the interpreter's own modules; a virtual environment has none of them."""
    base = dict.fromkeys(("base", "installed_base"), sys.base_prefix)
    base |= dict.fromkeys(("platbase", "installed_platbase"), sys.base_exec_prefix)
    return sorted({sysconfig.get_path(name, vars=base) for name in ("stdlib", "platstdlib")})


@lru_cache(maxsize=1)
def _readable() -> tuple[str, ...]:
    """Files without which the interpreter cannot import its own library; packages installed beside it are not among them."""
    own = [path for folder in _library() for path in _inside(folder) if not path.name.endswith("-packages")]
    linked = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", f"{sys.base_exec_prefix}/lib"]
    shared = [path for folder in linked for path in _inside(folder) if not path.name.startswith(("python", "pypy"))]
    odds = ["/etc/ld.so.cache", "/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom", "/dev/zero"]
    return tuple(dict.fromkeys([*map(str, own), *map(str, shared), *odds, str(_SCRIPT)]))


def _inside(folder: str) -> list[Path]:
    path = Path(os.path.realpath(folder))
    return sorted(path.iterdir()) if path.is_dir() else []


class _Pipe:
    """A pipe whose ends are closed once."""

    def __init__(self) -> None:
        self.read, self.write = os.pipe()
        self._open = {self.read, self.write}

    def __enter__(self) -> _Pipe:
        return self

    def __exit__(self, *_: object) -> None:
        for end in list(self._open):
            self._close(end)

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.discard(end)
            os.close(end)

    def close_write(self) -> None:
        """Close the end that is written to."""
        self._close(self.write)

    def drain(self) -> list[bytes]:
        """The lines in the pipe, at most its buffer; the writer must be gone."""
        os.set_blocking(self.read, False)
        try:
            return os.read(self.read, _REPORT_READ).split(b"\n")[:100]
        except BlockingIOError:
            return []
