"""Code that passes its tests (captrack.md 3.1, pass@1). Runs what the model wrote: only where somebody has allowed it.

Facts: `tests` (text or list of asserts), `entry_point` (name given to `check`; empty for bare asserts), `head` (the code that
the reply continues, where it may be a bare body; `prompt` is read too).

The code is the last fenced block that defines the entry point, else the largest block, else the reply as it stands. A bare
body is put behind the head, a whole function behind what the head has before its own. Outcomes: pass, fail and timeout are
answers; no_code is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from textwrap import indent

from forgetmap.errors import UsageError
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.sandbox import NOT_ALLOWED, SECONDS, run_code
from forgetmap.suites.scoring.scored import Scored, fact, last, needed, none_found, silence, spoken

SCORER = "code"
METRICS = ("pass",)
_LONGEST = 100_000  # characters; a longer reply is no solution
_FENCE = re.compile(r"^[ \t]*+```[^\n`]{0,40}$", re.MULTILINE)
_FENCES_READ = 200


def score(
    task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply], *, allow_code: bool = False
) -> list[Scored]:
    """Return pass: whether the code does what its tests want."""
    if not allow_code:
        raise UsageError(f"task '{task.name}' {NOT_ALLOWED}")
    reply = last(answer, task, item)
    tests = needed(task, item, "tests", "code that raises where a solution is wrong")
    if not isinstance(tests, str):
        tests = "\n".join(map(str, tests))
    entry_point = str(fact(task, item, "entry_point", ""))
    if state := silence(reply):
        return [Scored(SCORER, "pass", 0.0, state=state)]
    head = str(fact(task, item, "head") or fact(task, item, "prompt", ""))
    candidates = sources(spoken(reply), entry_point, head)
    if not candidates:
        return [Scored(SCORER, "pass", 0.0, state=none_found(reply), error="no_code")]
    result = run_code(candidates, tests, entry_point, seconds=int(fact(task, item, "seconds", SECONDS)))
    if result.outcome == "sandbox":
        return [Scored(SCORER, "pass", None, state="error", error=result.why)]
    if result.outcome == "no_code":
        return [Scored(SCORER, "pass", 0.0, state=none_found(reply), error="no_code")]
    return [Scored(SCORER, "pass", float(result.outcome == "pass"), result.outcome, error=result.why)]


def sources(text: str, entry_point: str = "", head: str = "") -> list[str]:
    """The sources a reply may mean, the likeliest first; the sandbox takes the first that compiles.

    >>> sources("Try:\\n```python\\ndef f():\\n    return 1\\n```\\nDone.", "f")
    ['def f():\\n    return 1\\n']
    >>> sources("    return a + b", "add", "def add(a, b):\\n")
    ['def add(a, b):\\n    return a + b', 'def add(a, b):\\n        return a + b', '    return a + b']
    """
    if len(text) > _LONGEST:
        return []
    blocks = _blocks(text)
    defines = re.compile(rf"^[ \t]*+(?:async[ ]+)?(?:def|class)[ ]+{re.escape(entry_point)}\b", re.MULTILINE)
    whole = [block for block in blocks if entry_point and defines.search(block)]
    block = whole[-1] if whole else max(blocks, key=len) if blocks else text
    if not entry_point or not head:
        return [block]
    if defines.search(block):
        # the imports and helpers that the head gave need not be written again
        begins = defines.search(head)
        return [f"{head[: begins.start()]}\n{block}", block] if begins and begins.start() else [block]
    body = block.strip("\n")
    return [f"{head.rstrip()}\n{lines}" for lines in (body, indent(body, "    "))] + [block]


def _blocks(text: str) -> list[str]:
    """The fenced blocks; one that a cut reply left open runs to the end."""
    edges = list(islice(_FENCE.finditer(text), _FENCES_READ))
    found = []
    for place in range(0, len(edges), 2):
        end = edges[place + 1].start() if place + 1 < len(edges) else len(text)
        found.append(text[edges[place].end() + 1 : end])
    return [block for block in found if block.strip()]
