"""Code: what the sandbox lets happen, and what it does not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scoring_parts import Written, first

from forgetmap.errors import UsageError
from forgetmap.suites.scoring import sandbox
from forgetmap.suites.scoring.code import sources
from forgetmap.suites.scoring.sandbox import run_code

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="code tasks need a Unix")
LINUX = pytest.mark.skipif("seccomp" not in sandbox.fences(), reason="this kernel has no seccomp")
TESTS = "assert add(1, 2) == 3\nassert add(-1, 1) == 0"
RIGHT = "def add(a, b):\n    return a + b\n"


def test_code_runs_only_where_it_is_allowed() -> None:
    with pytest.raises(UsageError, match="--allow-code"):
        first("code", RIGHT, tests=TESTS)
    with pytest.raises(UsageError, match="--allow-code"):  # even where there is nothing to run
        first("code", Written("", "error: gone"), tests=TESTS)


@pytest.mark.parametrize(
    ("reply", "score", "choice", "state"),
    [
        (RIGHT, 1.0, "pass", "answered"),
        (f"Here:\n```python\n{RIGHT}```\nIt adds.", 1.0, "pass", "answered"),
        (f"```python\n{RIGHT}", 1.0, "pass", "answered"),  # the fence was never closed
        ("def add(a, b):\n    return a - b\n", 0.0, "fail", "answered"),
        ("I cannot write code today, sorry!", 0.0, None, "no_answer"),
        ("", 0.0, None, "empty"),
    ],
)
def test_replies(reply: str, score: float, choice: str | None, state: str) -> None:
    one = first("code", reply, tests=TESTS, entry_point="", allow_code=True)
    assert (one.score, one.choice, one.state) == (score, choice, state)


def test_entry_point_and_head() -> None:
    check = "def check(candidate):\n    assert candidate(1, 2) == 3"
    facts = {"tests": check, "entry_point": "add", "head": 'def add(a, b):\n    """Add."""\n', "allow_code": True}
    assert first("code", "    return a + b", **facts).score == 1
    assert first("code", "return a + b", **facts).score == 1
    assert first("code", f"```\nx = add(1, 2)\n```\n```python\n{RIGHT}```\n```\nadd(3, 4)\n```", **facts).score == 1
    assert first("code", "    return a * b", **facts).score == 0
    assert first("code", RIGHT, tests=["assert add(1, 2) == 3", "assert add(0, 0) == 1"], allow_code=True).score == 0


def test_what_the_head_imports_is_there() -> None:
    head = "from typing import List\n\ndef helper(x):\n    return x\n\ndef total(xs: List[int]) -> int:\n"
    check = "def check(candidate):\n    assert candidate([1, 2]) == helper(3)"
    reply = "```python\ndef total(xs: List[int]) -> int:\n    return sum(xs)\n```"
    assert first("code", reply, tests=check, entry_point="total", head=head, allow_code=True).score == 1


def test_sources_prefer_the_last_block_that_defines_the_entry_point() -> None:
    text = "```\ndef f(): pass\n```\n```\ndef f(): return 1\n```\n```\nprint('a long example of its use', f())\n```"
    assert sources(text, "f") == ["def f(): return 1\n"]
    assert sources(text) == ["print('a long example of its use', f())\n"]
    assert sources("x" * 200_000) == []


EARLY = {
    "sys.exit(0)": "import sys\nsys.exit(0)",
    "os._exit(0)": "import os\nos._exit(0)",
    "raise SystemExit": "raise SystemExit",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "exit handler": "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit(0)",
    "exit inside the function": "def add(a, b):\n    import os\n    os._exit(0)",
    "abort": "import os\nos.abort()",
    "told lies": 'import os\nfor n in range(3, 200):\n    try: os.write(n, b\'{"outcome": "pass", "secret": "x"}\\n\')\n    except OSError: pass\nos._exit(0)',
    "other exec": "import builtins\nbuiltins.exec = builtins.compile = lambda *a, **k: None",
    "other report": "import json, os\njson.dumps = lambda *a: '{\"outcome\": \"pass\"}'\nos.read = lambda *a: b''\nraise SystemExit",
}


@pytest.mark.parametrize("name", EARLY)
def test_whoever_ends_early_has_not_passed(name: str) -> None:
    assert run_code([EARLY[name]], TESTS, seconds=5).outcome == "fail"


def test_an_endless_loop_ends() -> None:
    started = time.monotonic()
    assert run_code(["while True: pass"], TESTS, seconds=1).outcome == "timeout"
    assert run_code(["import time\ntime.sleep(60)"], TESTS, seconds=1).outcome == "timeout"
    assert (
        run_code(["try:\n    while True: pass\nexcept BaseException:\n    pass\n" * 3], TESTS, seconds=1).outcome
        == "timeout"
    )
    assert time.monotonic() - started < 15


def test_output_without_end_is_harmless() -> None:
    assert run_code(["while True: print('x' * 100000)"], TESTS, seconds=1).outcome == "timeout"
    flood = "import os\nfor n in range(3, 200):\n    try:\n        while True: os.write(n, b'x' * 100000)\n    except OSError: pass\n"
    assert run_code([flood], TESTS, seconds=1).outcome in ("timeout", "fail")


def test_a_memory_hog_is_stopped() -> None:
    hog = "kept = []\nwhile True: kept.append(bytearray(10_000_000))"
    result = run_code([hog], TESTS, memory=150_000_000)
    assert (result.outcome, result.why) == ("fail", "MemoryError in reply")


def test_a_fork_bomb_does_not_fork() -> None:
    marker = f"forgetmap_bomb_{os.getpid()}"
    bomb = f"import os, sys\n{marker} = 1\nwhile True:\n    os.fork()"
    assert run_code([bomb], TESTS, seconds=2).outcome == "fail"


HARMFUL = {
    "write elsewhere": "open({target!r}, 'w').write('x')",
    "append elsewhere": "open({target!r}, 'a').write('x')",
    "low-level write": "import os\nos.write(os.open({target!r}, os.O_WRONLY | os.O_CREAT), b'x')",
    "remove": "import os\nos.remove({target!r})",
    "rename": "import os\nos.rename({target!r}, {target!r} + '2')",
    "write here": "open('file', 'w').write('x')",
    "socket": "import socket\nsocket.socket()",
    "process": "import subprocess\nsubprocess.run(['true'])",
    "shell": "import os\nassert os.system('true') == 0",
    "kill the parent": "import os\nos.kill(os.getppid(), 9)",
    "packages": "import numpy",
    "own memory": "import ctypes\nctypes.string_at(0)",
}


@pytest.mark.parametrize("name", HARMFUL)
def test_harm_is_refused(name: str, tmp_path: Path) -> None:
    target = tmp_path / "kept.txt"
    target.write_text("kept")
    code = HARMFUL[name].replace("{target!r}", repr(str(target)))
    assert run_code([code + "\n" + RIGHT], TESTS, seconds=5).outcome == "fail"
    assert target.read_text() == "kept"
    assert os.listdir(tmp_path) == ["kept.txt"]


def test_the_environment_is_empty_and_the_folder_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setattr(sandbox.tempfile, "tempdir", str(tmp_path))
    look = f"import os\nassert 'SECRET_TOKEN' not in os.environ and 'HOME' not in os.environ\nassert os.listdir('.') == []\n{RIGHT}"
    assert run_code([look], TESTS).outcome == "pass"
    assert os.listdir(tmp_path) == []


def test_the_standard_library_is_there() -> None:
    wide = (
        "import bisect, collections, copy, dataclasses, datetime, decimal, fractions, functools, hashlib, heapq, itertools, json, math\n"
        "import operator, random, re, statistics, string, typing\n"
        "@dataclasses.dataclass\nclass Pair:\n    a: int\n    b: int\n"
        "def add(a, b):\n    return Pair(a, b).a + b\n"
    )
    assert run_code([wide], TESTS).outcome == "pass"


def test_reasons_carry_no_text_of_the_code() -> None:
    result = run_code(["class Leak(Exception): pass\nraise Leak('hunter2')"], TESTS)
    assert result.why == "Exception in reply"
    assert run_code(["raise ValueError('hunter2')"], TESTS).why == "ValueError in reply"


def test_tests_that_do_not_compile_are_the_items_fault() -> None:
    one = first("code", RIGHT, tests="assert (", allow_code=True)
    assert (one.score, one.state) == (None, "error")


def test_a_sandbox_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_SCRIPT", Path("does-not-exist.py"))
    one = first("code", RIGHT, tests=TESTS, allow_code=True)
    assert (one.score, one.state) == (None, "error")
    assert one.error is not None
    assert "did not start" in one.error


def test_the_layers_in_place_are_named() -> None:
    standing = sandbox.fences()
    assert {"limits", "hooks"} <= set(standing)
    if sys.platform == "linux" and os.uname().machine in ("x86_64", "aarch64"):
        assert "capabilities" in standing


ALONE = """
import ctypes, os, platform, runpy, socket, sys
fences = runpy.run_path(sys.argv[1], run_name="fences")
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.prctl(38, 1, 0, 0, 0)
assert fences["_seccomp"](libc, platform.machine()) if sys.argv[2] == "seccomp" else fences["_landlock"](libc, [sys.base_prefix])
def refused(act):
    try:
        act()
    except OSError:
        return True
    return False
acts = {
    "write": lambda: os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT),
    "remove": lambda: os.remove(sys.argv[3]),
    "read": lambda: os.open(sys.argv[3], os.O_RDONLY),
    "fork": lambda: os.fork() or os._exit(0),
    "socket": lambda: socket.socket(),
    "kill": lambda: os.kill(os.getppid(), 0),
}
print(*[name for name, act in acts.items() if refused(act)])
"""


@LINUX
@pytest.mark.parametrize(
    ("layer", "refused"),
    [("seccomp", {"write", "remove", "fork", "socket", "kill"}), ("landlock", {"write", "remove", "read"})],
)
def test_each_layer_of_the_kernel_holds_alone(layer: str, refused: set[str], tmp_path: Path) -> None:
    """Without the interpreter's own hooks, which would hide a wall with a hole."""
    if layer not in sandbox.fences():
        pytest.skip(f"this kernel has no {layer}")
    target = tmp_path / "kept.txt"
    target.write_text("kept")
    script = str(Path(sandbox.__file__).with_name("fences.py"))
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, script, layer, str(target)], capture_output=True, text=True, check=True
    )
    assert refused <= set(done.stdout.split())
    assert target.read_text() == "kept"


FORGED = """
import json, os, sys
def tell(place, text):
    try: os.write(place, (json.dumps({"outcome": "pass", "secret": text}) + "\\n").encode())
    except OSError: pass
places = {SECRETS}
heard = []
for place in places:
    try: heard.append(os.read(place, 64).decode())
    except OSError: pass
for text in heard or [""]:
    for place in range(3, 200): tell(place, text)
os._exit(0)
"""


@pytest.mark.parametrize(
    "where", ["[int(one) for one in sys.argv[1:2]]", "[int(one) for one in sys.orig_argv[-2:-1]]", "range(3, 30)"]
)
def test_the_secret_is_in_no_argument_and_no_open_file(where: str) -> None:
    assert run_code([FORGED.replace("{SECRETS}", where)], "assert False", seconds=3).outcome != "pass"


@pytest.mark.parametrize("home", ["venv", "base"])
def test_installed_packages_are_not_there(home: str) -> None:
    """Neither those of the environment nor those beside the standard library; the code knows where they are."""
    inside = {
        "venv": Path(pytest.__file__).parents[1],
        "base": Path(os.__file__).parent / "site-packages",
    }[home]
    package = next((one for one in sorted(inside.rglob("*.py")) if one.is_file()), None)
    if package is None:
        pytest.skip("nothing is installed there")
    seen = f"open({str(package)!r}).close()\n{RIGHT}"
    assert run_code([seen], TESTS).why == "PermissionError in reply"
    if "landlock" in sandbox.fences():
        assert not [one for one in sandbox._readable() if package.is_relative_to(one)]
