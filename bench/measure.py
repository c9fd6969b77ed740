"""Measuring: each figure in a fresh process, wall time, processor time and peak memory, printed as one line."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any


def in_fresh_process(script: str, *arguments: str, python: str = sys.executable, times: int = 3) -> dict[str, Any]:
    """Run `python script arguments` several times and return the quickest report it printed as its last line."""
    reports = []
    for _ in range(times):
        done = subprocess.run([python, script, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{script} {' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
        reports.append(json.loads(done.stdout.strip().splitlines()[-1]))
    return min(reports, key=lambda report: report["seconds"])


def report(work: Callable[[], Any], **more: Any) -> None:
    """Do the work and print what it took; imports are done before, so that they do not count."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"seconds": seconds, "cpu": used, "peak_mb": after.ru_maxrss / 1024, "result": result, **more}))


def line(figure: str, value: str, target: str, met: bool) -> None:
    """Print one figure."""
    print(f"{figure:<58} {value:<44} target {target:<16} {'met' if met else 'MISSED'}", flush=True)
