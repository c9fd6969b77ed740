"""Make the fixtures of HELM, OpenCompass and evalplus: `python tests/formats/make_tier2_a.py [TOOL …]`.

One virtual environment under `.venvs/` (ignored by git) holds the three tools without most of what they depend on;
tier2_a/run_*.py say how each of them is driven. The files are the tools' own output, on our own items. Two things are
done to them: HELM's run folders get short names, because theirs have colons; HELM's aggregates stay for one run only,
where a test compares with them.

    helm         0.5.16: anatomy_before, anatomy_after (joint choice), algebra_separate (one request per option),
                 gsm_perturbed (generation; perturbed copies; two trials; never summarised)
    opencompass  0.5.4: before, after
    evalplus     0.3.1: before (HumanEval, and MBPP on the base tests only), after
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = HERE / "tier2_a"
DATA = HERE / "data"
VENV = HERE.parents[1] / ".venvs" / "tier2_a"
TOOLS = ["crfm-helm==0.5.16", "opencompass==0.5.4", "evalplus==0.3.1", "uncertainty-calibration==0.1.4"]
NEEDED = [
    "cattrs~=22.2", "zstandard~=0.18.0", "bottle~=0.12.23", "pandas~=2.0", "datasets~=3.1", "appdirs", "colorlog",
    "dacite", "filelock", "fire", "Mako", "multipledispatch", "nltk", "numpy", "pillow", "psutil", "pyhocon", "pyyaml",
    "requests", "retrying", "rich", "rouge-score", "scikit-learn", "scipy", "sqlitedict", "tempdir", "termcolor",
    "tqdm", "tree_sitter", "tree_sitter_python", "ubelt", "wget",
]  # fmt: skip
HELM_RUNS = {
    "anatomy_before": "mmlu:subject=anatomy,method=multiple_choice_joint,model=planted_before",
    "anatomy_after": "mmlu:subject=anatomy,method=multiple_choice_joint,model=planted_after",
    "algebra_separate": "mmlu:subject=abstract_algebra,method=multiple_choice_separate_calibrated,model=planted_before",
    "gsm_perturbed": "gsm:model=planted_before",
}


def environment() -> Path:
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", *TOOLS], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *NEEDED], check=True)
    return python


def run(tool: str, scratch: Path) -> None:
    environ = {"PYTHONPATH": f"{PARTS}:{HERE}", "PATH": "/usr/bin:/bin", "HOME": str(scratch)}
    subprocess.run([environment(), "-m", f"run_{tool}", scratch / "out"], check=True, cwd=scratch, env=environ)


def keep(tool: str, made: Path) -> None:
    target = DATA / tool
    shutil.rmtree(target, ignore_errors=True)
    if tool != "helm":
        shutil.copytree(made, target)
        return
    for short, name in HELM_RUNS.items():
        shutil.copytree(made / "runs" / "own" / name, target / short)
        if short != "anatomy_before":
            (target / short / "stats.json").unlink()


def main(tools: list[str]) -> None:
    for tool in tools or ["helm", "opencompass", "evalplus"]:
        with tempfile.TemporaryDirectory() as scratch:
            run(tool, Path(scratch))
            keep(tool, Path(scratch) / "out")


if __name__ == "__main__":
    main(sys.argv[1:])
