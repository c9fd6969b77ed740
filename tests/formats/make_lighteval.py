"""Make the lighteval fixtures with the real tool: `python tests/formats/make_lighteval.py [v07] [v1] [v2]`.

Virtual environments are created under `.venvs/` (ignored by git) and kept. The runs are offline: our own items, a
stub model plugged into lighteval's pipeline (see lighteval/stub_answers.py). The files are lighteval's own output,
untouched.

    lighteval_v1     0.10.0: before (demonstrations in the query), after (chat template; two seeds)
    lighteval_v07    0.7.0: before; every column is the text of a Python value
    lighteval_v2     0.13.0: before, after

0.7.0 no longer installs beside a current torch; its package alone runs on the dependencies of 0.10.0.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = HERE / "lighteval"
DATA = HERE / "data"
VENVS = HERE.parents[1] / ".venvs"

# torch first and pinned: otherwise pip takes the CUDA build along.
TORCH = "torch==2.13.0"
# Newer xxhash releases no longer hash text, which both versions ask of it.
XXHASH = "xxhash<3.6"
# Current releases of these want numpy 2, which lighteval 0.10 refuses.
OLD = ["pyarrow<21", "pandas<3", "scipy<1.16", "scikit-learn<1.8"]
VERSIONS = {
    "v1": ("0.10.0", ["numpy<2", "transformers>=4.51,<4.54", "datasets>=3.5,<4", *OLD, XXHASH]),
    "v2": ("0.13.0", ["numpy>=2", "transformers>=4.54,<5", "datasets>=4,<5", XXHASH]),
}
V07 = VENVS / "lighteval-0.7.0-package"

TASKS_V1 = (
    "leaderboard|mmlu:anatomy|2|0,custom|mmlu:abstract_algebra|0|0,custom|gsm8k|0|0,custom|piqa|0|0,"
    "custom|several_golds|0|0,custom|no_gold|0|0,custom|four_samples|0|0"
)
TASKS_V2 = "mmlu:anatomy|2,mmlu:abstract_algebra|0,gsm8k|0,piqa|0,several_golds|0,no_gold|0,four_samples|0"
# (fixture folder, model, seed, tasks). Two seeds in one folder are two timestamps; the second one is smaller, to keep
# the fixtures small and because runs in the wild stop early too.
RUNS = {
    "v07": [
        (
            "before",
            "before",
            0,
            "leaderboard|mmlu:anatomy|2|0,custom|gsm8k|0|0,custom|mmlu:abstract_algebra|0|0",
        )
    ],
    "v1": [
        ("before", "before", 0, TASKS_V1),
        ("after", "after", 0, TASKS_V1),
        ("after", "after", 1, "custom|mmlu:abstract_algebra|0|0,custom|gsm8k|0|0"),
    ],
    "v2": [("before", "before", 0, TASKS_V2), ("after", "after", 0, TASKS_V2)],
}


def python_of(branch: str) -> Path:
    version, pins = VERSIONS["v1" if branch == "v07" else branch]
    venv = VENVS / f"lighteval-{version}"
    python = venv / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet"]
    if not (venv / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([*pip, TORCH, pins[0]], check=True)
        subprocess.run([*pip, TORCH, f"lighteval=={version}", *pins], check=True)
        (venv / "ready").touch()
    if branch == "v07" and not V07.exists():
        subprocess.run([*pip, "--no-deps", "--target", V07, "lighteval==0.7.0"], check=True)
    return python


def write_items(folder: Path) -> None:
    """The stub's memory and a local dataset with one configuration per task."""
    shared = json.loads((HERE / "items.json").read_text(encoding="utf-8"))
    extra = json.loads((PARTS / "extra_items.json").read_text(encoding="utf-8"))
    memory = {kind: shared[kind] for kind in ("mmlu", "gsm8k", "piqa")} | extra
    (folder / "items.json").write_text(json.dumps(memory), encoding="utf-8")

    splits = {
        "anatomy": {
            "dev": extra["dev"],
            "test": [item for item in shared["mmlu"] if item["subject"] == "anatomy"],
        },
        "abstract_algebra": {"test": [item for item in shared["mmlu"] if item["subject"] == "abstract_algebra"]},
        "gsm8k": {"test": shared["gsm8k"]},
        "piqa": {"test": shared["piqa"]},
    }
    splits |= {name: {"test": extra[name]} for name in ("several_golds", "no_gold", "four_samples")}
    data = folder / "local_data"
    card = ["---", "configs:"]
    for name, parts in splits.items():
        card += [f"- config_name: {name}", "  data_files:"]
        for split, items in parts.items():
            file = data / name / f"{split}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
            card += [f"  - split: {split}", f"    path: {name}/{split}.jsonl"]
    (data / "README.md").write_text("\n".join([*card, "---", ""]), encoding="utf-8")


def make(branch: str) -> None:
    python = python_of(branch)
    target = DATA / f"lighteval_{branch}"
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_items(folder)
        for part in PARTS.glob("*.py"):
            shutil.copy(part, folder)
        for out, model, seed, tasks in RUNS[branch]:
            # Paths given to lighteval are relative, so that none of this machine's ends up in its results file.
            subprocess.run(
                [python, f"run_{branch}.py", model, str(seed), tasks, f"out/{out}"],
                cwd=folder,
                check=True,
                env=os.environ
                | {
                    "HF_HOME": str(folder / "hf"),
                    "HF_HUB_OFFLINE": "1",
                    "HF_DATASETS_OFFLINE": "1",
                    "STUB_STYLE": "few-shot" if model == "before" else "zero-shot",
                    "PYTHONPATH": f".{os.pathsep}{V07}" if branch == "v07" else ".",
                    "CUDA_VISIBLE_DEVICES": "",
                },
            )
        shutil.copytree(folder / "out", target)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or RUNS:
        make(wanted)
