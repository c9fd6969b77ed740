"""Orphans: vLLM works in processes of its own, which outlive a parent that is killed and keep the memory of its GPU.

A guard watches the parent and ends them, or the next command would find no room. It is a process too: who is killed cannot
tidy up.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

_log = logging.getLogger(__name__)
#: Seconds between two looks, and those that processes have to end by themselves.
_LOOK, _GRACE = 0.5, 15.0


class Guard:
    """Ends what this process starts from now until `loaded`, should this process die."""

    def __init__(self) -> None:
        # in a session of its own: what is typed or sent to interrupt the parent is not meant for it
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(os.getpid())],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def loaded(self) -> None:
        """Say that all processes are there which it shall look after."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b".")
            self._process.stdin.close()
        except BrokenPipeError:
            _log.warning("nobody guards vLLM's processes; should this one be killed, look for VLLM:: and end them")

    def end(self) -> None:
        """Let them be: the parent has ended them itself."""
        self._process.terminate()
        self._process.communicate()


def watch(parent: int) -> None:
    """Wait for the end of the parent, and end what it leaves behind."""
    import psutil  # type: ignore[import-untyped]

    found: set[Any] = set()
    loading = True
    since = psutil.Process().create_time()
    # not the end of a pipe: children of the parent hold its ends open
    while os.getppid() == parent:
        if not loading:
            time.sleep(_LOOK)
            continue
        loading = not select.select([sys.stdin], [], [], _LOOK)[0]
        with suppress(psutil.NoSuchProcess):  # the parent's end shows above
            for one in psutil.Process(parent).children(recursive=True):
                if one.pid != os.getpid() and one.create_time() >= since:
                    found.add(one)
    for act in ("terminate", "kill"):
        for one in found:
            with suppress(psutil.NoSuchProcess):  # also where its number was given to another meanwhile
                getattr(one, act)()
        _, found = psutil.wait_procs(found, timeout=_GRACE)


if __name__ == "__main__":
    watch(int(sys.argv[1]))
