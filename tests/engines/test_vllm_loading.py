"""What is known about vLLM before it is imported: these run without it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from forgetmap.engines import vllm_loading
from forgetmap.errors import UsageError


def test_an_adapter_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"give a folder with adapter_config\.json"):
        vllm_loading.adapter_options(str(tmp_path))


@pytest.mark.parametrize("layers", [["q_proj", "lm_head"], "all-linear"])
def test_an_adapter_of_the_output_layer_cannot_be_rated(layers: list[str] | str, tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps({"r": 16, "target_modules": layers}))
    with pytest.raises(UsageError, match="merge it into the model"):
        vllm_loading.adapter_options(str(tmp_path))


def test_layers_are_read_from_the_weights_where_settings_have_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps({"r": 24, "target_modules": "all-linear"}))
    names = [
        f"base_model.model.model.layers.0.mlp.{one}.lora_{side}.weight"
        for one in ("up_proj", "down_proj")
        for side in "AB"
    ]
    head = json.dumps({"__metadata__": {}, **{name: {"dtype": "F32"} for name in names}}).encode()
    (tmp_path / "adapter_model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head)
    assert vllm_loading.adapter_options(str(tmp_path)) == {
        "enable_lora": True, "max_lora_rank": 32, "lora_target_modules": ["down_proj", "up_proj"],
    }  # fmt: skip


def test_weights_are_told_apart_by_their_files(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(bytes(1000))
    first = vllm_loading.files_fingerprint(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(bytes(999) + b"\1")
    assert vllm_loading.files_fingerprint(str(tmp_path)) != first
    assert vllm_loading.files_fingerprint("some/model-on-a-hub") is None


@pytest.mark.parametrize(("source", "knows"), [("VLLM_BATCH_INVARIANT = False", True), ("VLLM_OTHER = 1", False)])
def test_batch_invariance_is_asked_of_versions_that_know_it(
    source: str, knows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm" / "__init__.py").write_text("")
    (tmp_path / "vllm" / "envs.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "vllm", raising=False)
    monkeypatch.setenv("VLLM_BATCH_INVARIANT", "0")
    if knows:
        vllm_loading.ask_invariance()
        assert vllm_loading.os.environ["VLLM_BATCH_INVARIANT"] == "1"
    else:
        with pytest.raises(UsageError, match="this vLLM has no such kernels"):
            vllm_loading.ask_invariance()
    monkeypatch.setenv("VLLM_BATCH_INVARIANT", "0")
    monkeypatch.setitem(sys.modules, "vllm", ModuleType("vllm"))
    with pytest.raises(UsageError, match="loaded already"):
        vllm_loading.ask_invariance()


def test_a_vllm_that_does_not_load_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vllm.py").write_text("raise RuntimeError('operator torchvision::nms does not exist')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "vllm", raising=False)
    with pytest.raises(UsageError, match=r"torchvision::nms does not exist\); pip install 'forgetmap\[vllm\]'"):
        vllm_loading.import_vllm()


PARENT = """
import os, subprocess, sys, time
from forgetmap.engines.vllm_orphans import Guard
start = lambda: subprocess.Popen(["sleep", "100"])
older = start()
time.sleep(0.2)  # the system tells when a process began in hundredths of a second
guard, young = Guard(), start()
time.sleep(2)
guard.loaded()
time.sleep(1.5)  # longer than it takes the guard to look
later = start()
print(older.pid, young.pid, later.pid, guard._process.pid, flush=True)
sys.stdin.readline()
guard.end()
"""


@pytest.mark.slow
@pytest.mark.faults
@pytest.mark.parametrize(
    ("how", "ends"), [("kill", {"young", "guard"}), ("term", {"young", "guard"}), ("end", {"guard"})]
)
def test_what_a_killed_parent_leaves_behind_is_ended(how: str, ends: set[str]) -> None:
    psutil = pytest.importorskip("psutil")
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", PARENT], **pipes)
    assert process.stdin is not None and process.stdout is not None
    names = ("older", "young", "later", "guard")
    started = dict(zip(names, map(psutil.Process, map(int, process.stdout.readline().split())), strict=True))
    try:
        if how == "end":
            process.stdin.write("\n")
            process.stdin.flush()
        else:
            process.send_signal(signal.SIGKILL if how == "kill" else signal.SIGTERM)
        process.wait()
        time.sleep(3)
        assert {name for name, one in started.items() if gone(one)} == ends
    finally:
        for one in started.values():
            if not gone(one):
                one.kill()


def gone(process: Any) -> bool:
    """Whether it ended; one that nobody asked for its exit code has a number still."""
    import psutil

    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
