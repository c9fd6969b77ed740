"""What a command takes for a run, checked before anything is read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from forgetmap.errors import UsageError

#: A map names its schema first; one that was written anew by hand may not, but does so early.
_HEAD = 65_536
_MAP = re.compile(rb'"schema"\s*:\s*"forgetmap\.maps?/')


def check_runs(before: str, afters: Sequence[str] | None, *others: str | None) -> list[str]:
    """Return the after-runs; refuse a saved map in the place of a run, and a call without an after-run."""
    for path in (before, *(afters or ()), *others):
        if path is not None and is_map(Path(path)):
            hint = f"forgetmap report {shlex.quote(path)} shows it"
            raise UsageError(f"{path} is a saved map, not a run; {hint}, here give the runs it was made of")
    if not afters:
        raise UsageError("AFTER is missing; give the results before, then one or more after")
    return list(afters)


def is_map(path: Path) -> bool:
    """Whether a file is a map, or several, that `compare --json` wrote."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" and _MAP.search(head) is not None
