"""math-verify, at arm's length: in a process of its own that can be killed.

A computer algebra system may take for ever over a short text, in a place where no signal reaches it. The helper process
starts on first use and answers one question per line; one that takes too long is killed and counts as undecided.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
from contextlib import suppress

_SECONDS = 5.0
_START_SECONDS = 60.0  # importing the library
_LONGEST = 300  # characters
_CODE = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
except (ImportError, OSError, ValueError):
    pass
out = sys.stdout
sys.stdout = sys.stderr
from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify
kinds = (LatexExtractionConfig(), ExprExtractionConfig())
print("ready", file=out, flush=True)
for line in sys.stdin:
    answer, gold = json.loads(line)
    try:
        left, right = (parse(f"${one}$", kinds, parsing_timeout=None) for one in (answer, gold))
        told = bool(verify(right, left, timeout_seconds=None)) if left and right else None
    except Exception:
        told = None
    print(json.dumps(told), file=out, flush=True)
"""


class _Helper:
    """The process, started when it is first asked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, answer: str, gold: str) -> bool | None:
        """Return what the library says, null where it cannot tell in time."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        process = self._process
        if process is None or process.stdin is None:
            return None
        try:
            process.stdin.write(json.dumps([answer, gold]).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            self.stop()
            return None
        said = self._line(_SECONDS)
        if said is None:
            self.stop()
            return None
        told = json.loads(said)
        return told if isinstance(told, bool) else None

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "PATH": os.environ.get("PATH", "")},
        )
        if self._line(_START_SECONDS) != b"ready\n":
            self.stop()

    def _line(self, seconds: float) -> bytes | None:
        process = self._process
        if process is None or process.stdout is None:
            return None
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        return process.stdout.readline() or None if ready else None

    def stop(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream:
                    with suppress(OSError):
                        stream.close()


_HELPER = _Helper()
atexit.register(_HELPER.stop)


def equal(answer: str, gold: str) -> bool | None:
    """Whether math-verify takes two formulas for equal; null where it cannot read them, or not in time."""
    if len(answer) > _LONGEST or len(gold) > _LONGEST:
        return None
    return _HELPER.ask(answer, gold)
