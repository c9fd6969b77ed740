"""From two Inspect logs to lost and gained: inspect_ai's own data frame against forgetmap.

    python bench/inspect_logs.py [--samples 4000] [--keep FOLDER]

Two `.eval` logs of a four-option task are made by inspect_ai itself (mock model, choice scorer, options shuffled in the
second). Timed from files to result, each in a process of its own, taking turns, best of five. Imports and first-use costs
are left out on both sides: each way first reads a log of three samples, untimed.

  samples_df  inspect_ai.analysis.samples_df on the two logs, default columns: one table of both, nothing paired yet
  scores      the same with id, epoch and scores as the only columns
  forgetmap   read both logs, pair by content, estimate and decide

The first needs .venvs/inspect (tests/formats/make_inspect.py builds it; pandas and pyarrow are added here). Figures
depend on the machine; the ratio is the point.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
VENV = ROOT / ".venvs" / "inspect"
SMALL = str(ROOT / "tests" / "formats" / "data" / "inspect" / "pick_all.eval")
SAMPLES = 4000
TARGET = 12
RUNS = 5


def items(count: int) -> list[dict[str, Any]]:
    source = random.Random(20261115)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(source.choices(letters, k=source.randint(2, 9))) for _ in range(5000)]
    made = []
    for number in range(count):
        question = " ".join(source.choices(words, k=source.randint(15, 75))) + "?"
        options = [f"{' '.join(source.choices(words, k=source.randint(1, 12)))} {place}" for place in range(4)]
        made.append(
            {"question": question, "choices": options, "answer": source.randrange(4), "subject": f"s{number % 57}"}
        )
    return made


def make_log(side: str, count: int, folder: str) -> None:
    """Runs in inspect_ai's environment."""
    from inspect_ai import Task
    from inspect_ai import eval as run_eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    documents = items(count)
    places = {one["question"]: number for number, one in enumerate(documents)}
    data = MemoryDataset(
        [
            Sample(
                input=one["question"],
                choices=one["choices"],
                target="ABCD"[one["answer"]],
                metadata={"subject": one["subject"]},
            )
            for one in documents
        ],
        name="bench",
    )
    if side == "after":
        data.shuffle(seed=1)
        data.shuffle_choices(seed=2)

    def answer(messages: list[Any], *_: Any) -> Any:
        prompt = messages[-1].text
        shown = {text: letter for letter, text in re.findall(r"^([A-D])\) (.*)$", prompt, re.MULTILINE)}
        number = next(places[line] for line in prompt.splitlines() if line in places)
        one = documents[number]
        draw = random.Random(f"{side} {number}").random()
        known = random.Random(number).random() < (0.6 if side == "before" else 0.5)
        gold = one["answer"]
        picked = gold if known or draw < 0.1 else (gold + 1 + int(draw * 3)) % 4
        text = f"Let me think about it step by step.\n\nANSWER: {shown[one['choices'][picked]]}"
        output = ModelOutput.from_content(model="mock", content=text)
        output.usage = ModelUsage(input_tokens=len(prompt) // 4, output_tokens=14, total_tokens=14 + len(prompt) // 4)
        return output

    run_eval(
        Task(name="bench_choice", dataset=data, solver=multiple_choice(), scorer=choice()),
        model=get_model(f"mockllm/{side}", custom_outputs=answer, memoize=False),
        log_dir=folder,
        log_realtime=False,
        display="none",
    )


def way_samples_df(logs: list[str], scores_only: bool) -> tuple[float, float, int]:
    from inspect_ai.analysis import SampleSummary, samples_df

    columns: list[Any] = list(SampleSummary)
    if scores_only:
        columns = [one for one in columns if one.name in ("id", "epoch", "score_*")]
    samples_df([SMALL], columns=columns, quiet=True)
    start, busy = time.perf_counter(), time.process_time()
    table = samples_df(logs, columns=columns, quiet=True)
    return time.perf_counter() - start, time.process_time() - busy, len(table)


def way_forgetmap(logs: list[str]) -> tuple[float, float, int]:
    from forgetmap.map import compare
    from forgetmap.readers import read_run

    compare(*[read_run(SMALL, format="inspect")] * 2)
    start, busy = time.perf_counter(), time.process_time()
    found = compare(*(read_run(path, format="inspect") for path in logs))
    spent, used = time.perf_counter() - start, time.process_time() - busy
    total = next(cell for cell in found.to_dict()["cells"] if cell["level"] == "total")
    return spent, used, int(total["items"])


def timed(ways: dict[str, str], logs: list[Path]) -> dict[str, tuple[float, float, int]]:
    """Best of several, each in a fresh process; the ways take turns, so that a busy machine slows all of them."""
    found: dict[str, list[tuple[float, float, int]]] = {way: [] for way in ways}
    for _ in range(RUNS):
        for way, python in ways.items():
            command = [python, __file__, "--way", way, *map(str, logs)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found[way].append(tuple(json.loads(done.stdout.splitlines()[-1])))
    return {
        way: (min(wall for wall, _, _ in runs), min(cpu for _, cpu, _ in runs), runs[0][2])
        for way, runs in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--keep", type=Path, help="write the logs here, or use those that lie here")
    parser.add_argument("--make", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--way", choices=["samples_df", "scores", "forgetmap"], help=argparse.SUPPRESS)
    parser.add_argument("logs", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make:
        make_log(given.make[0], given.samples, given.make[1])
        return
    if given.way == "forgetmap":
        print(json.dumps(way_forgetmap(given.logs)))
        return
    if given.way:
        print(json.dumps(way_samples_df(given.logs, given.way == "scores")))
        return
    python = VENV / "bin" / "python"
    if not python.exists():
        raise SystemExit("no .venvs/inspect; run tests/formats/make_inspect.py first")
    subprocess.run([str(python), "-m", "pip", "install", "-q", "pandas", "pyarrow"], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        logs = []
        for side in ("before", "after"):
            if not list((folder / side).glob("*.eval")):
                command = [str(python), __file__, "--samples", str(given.samples), "--make", side, str(folder / side)]
                subprocess.run(command, check=True, cwd=scratch)
            [log] = (folder / side).glob("*.eval")
            logs.append(log)
        size = sum(log.stat().st_size for log in logs) / 1e6
        ways = {"samples_df": str(python), "scores": str(python), "forgetmap": sys.executable}
        best = timed(ways, logs)
        theirs, their_cpu, rows = best["samples_df"]
        scores, scores_cpu, _ = best["scores"]
        ours, our_cpu, paired = best["forgetmap"]
        verdict = "met" if theirs / ours >= TARGET else "MISSED"
        print(
            f"inspect_ai samples_df, default columns: {theirs:.3f} s, CPU {their_cpu:.3f} s ({rows:,} rows, {size:.0f} MB)"
        )
        print(f"inspect_ai samples_df, scores only: {scores:.3f} s, CPU {scores_cpu:.3f} s")
        print(f"forgetmap read + pair + compare: {ours:.3f} s, CPU {our_cpu:.3f} s ({paired:,} items paired)")
        print(
            f"ratio to default columns: {theirs / ours:.1f}x, CPU {their_cpu / our_cpu:.1f}x; target {TARGET}x {verdict}"
        )
        print(f"ratio to scores only: {scores / ours:.1f}x, CPU {scores_cpu / our_cpu:.1f}x")


if __name__ == "__main__":
    main()
