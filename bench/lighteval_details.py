"""Counting flips between two lighteval 0.10 details files: the released post-forget way against forgetmap.

    python bench/lighteval_details.py [--rows 14042] [--keep FOLDER]

Two files of the size and shape of a published MMLU evaluation are made up: 14,042 items, few-shot prompts, chains of
thought, token ids of prompt and reply, 228 MB in all. Three ways are timed from files to result, each in a process of
its own, in turn, imports left out, the best of three:

  pandas  load every column, sort both tables by prompt, set them side by side, round and count in a Python loop
  raw     forgetmap: read both files, pair by content, estimate and decide for every task
  saved   the same from two saved runs

The first is what post_forget.md 5 describes of the released code, written anew. It ends at four counts; forgetmap ends
at a map with intervals. Figures depend on the machine; the ratio is the point.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 14_042
SUBJECTS = 57
TARGETS = {"raw": 8, "saved": 30}


def make_files(folder: Path, rows: int) -> list[Path]:
    """Write a details file of a model before and after, with planted flips."""
    import numpy as np

    random = np.random.default_rng(20261115)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    words = ["".join(random.choice(letters, size)) for size in random.integers(2, 10, 20_000)]
    weights = 1 / np.arange(1, len(words) + 1) ** 0.7
    weights /= weights.sum()

    def sentences(count: int, mean: int) -> list[tuple[str, list[int]]]:
        sizes = np.maximum(random.poisson(mean, count), 3)
        ids = random.choice(len(words), int(sizes.sum()), p=weights)
        parts = np.split(ids, np.cumsum(sizes)[:-1])
        return [(" ".join(words[word] for word in part), part.tolist()) for part in parts]

    subject_of = np.sort(random.integers(0, SUBJECTS, rows))
    questions = sentences(rows, 45)
    options = sentences(4 * rows, 7)
    golds = random.integers(0, 4, rows)
    asked = []
    for row, (question, ids) in enumerate(questions):
        lines = options[4 * row : 4 * row + 4]
        shown = "".join(f"{letter}) {text}\n" for letter, (text, _) in zip("ABCD", lines, strict=True))
        asked.append((f"Question: {question}\n{shown}Answer:", ids + [one for _, part in lines for one in part]))
    demonstrations = []
    for subject in range(SUBJECTS):
        demos = sentences(5, 90)
        text = "".join(f"Question: {words_}\nA) one\nB) two\nC) three\nD) four\nAnswer: A\n\n" for words_, _ in demos)
        instruction = f"The following are multiple choice questions (with answers) about subject {subject}.\n\n"
        demonstrations.append((instruction, text, [one for _, part in demos for one in part]))

    known = random.random(rows)
    paths = []
    for name, low, high in (("before", 0.0, 0.55), ("after", 0.12, 0.70)):
        replies = sentences(rows, REPLY_WORDS)
        right = (low <= known) & (known < high) | (random.random(rows) < 0.25)
        # lighteval shuffles the items of a task; tasks follow one another, so demonstrations repeat from row to row
        order = np.lexsort((random.random(rows), subject_of))
        paths.append(_write(folder, name, order, asked, demonstrations, subject_of, golds, replies, right))
    return paths


REPLY_WORDS = 800


def _write(folder, name, order, asked, demonstrations, subject_of, golds, replies, right) -> Path:  # type: ignore[no-untyped-def]
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / name / "details" / "bench" / name / "2026-01-01T00-00-00.000000"
    path.mkdir(parents=True)
    path /= "details_custom|mmlu|0_2026-01-01T00-00-00.000000.parquet"
    writer = None
    for start in range(0, len(order), 1000):  # lighteval's row groups
        rows = []
        for row in order[start : start + 1000].tolist():
            instruction, demos, demo_ids = demonstrations[subject_of[row]]
            query, ids = asked[row]
            gold = int(golds[row])
            letter = "ABCD"[gold if right[row] else (gold + 1 + row % 3) % 4]
            text, reply_ids = replies[row]
            rows.append(
                {
                    "choices": [],
                    "cont_tokens": [[reply_ids]],
                    "example": f"{instruction}{demos}{query}",
                    "full_prompt": f"{instruction}{demos}{query}",
                    "gold": ["ABCD"[gold]],
                    "gold_index": [],
                    "input_tokens": [demo_ids + ids],
                    "instruction": instruction,
                    "metrics": {"extractive_match": float(right[row])},
                    "num_asked_few_shots": 0,
                    "num_effective_few_shots": 0,
                    "padded": [0],
                    "pred_logits": [],
                    "prediction_logits": [],
                    "predictions": [f"{text}\nAnswer: {letter}"],
                    "specifics": {
                        "extracted_golds": ["ABCD"[gold]],
                        "extracted_predictions": [letter, letter],
                    },
                    "truncated": [0],
                }
            )
        table = pa.Table.from_pylist(rows)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()
    return path


def way_pandas(before: str, after: str) -> tuple[float, dict[str, int]]:
    """Everything into pandas, rows aligned by sorted prompt, a loop over rows."""
    import pandas as pd

    start = time.perf_counter()
    tables = [pd.read_parquet(path).sort_values("full_prompt").reset_index(drop=True) for path in (before, after)]
    beside = pd.DataFrame({"before": tables[0]["metrics"], "after": tables[1]["metrics"]})
    counts = {"kept": 0, "lost": 0, "gained": 0, "never": 0}
    for _, row in beside.iterrows():
        was, now = round(row["before"]["extractive_match"]), round(row["after"]["extractive_match"])
        counts["kept" if was and now else "lost" if was else "gained" if now else "never"] += 1
    return time.perf_counter() - start, counts


def way_forgetmap(before: str, after: str) -> tuple[float, dict[str, int]]:
    """Files or saved runs to a map."""
    import forgetmap as fm

    start = time.perf_counter()
    found = fm.compare(before, after)
    spent = time.perf_counter() - start
    total = next(cell for cell in found.to_dict()["cells"] if cell["level"] == "total")
    return spent, {name: round(total[name] * total["items"]) for name in ("kept", "lost", "gained", "never")}


def way_save(source: str, target: str) -> tuple[float, dict[str, int]]:
    """One details file to a saved run."""
    import forgetmap as fm

    start = time.perf_counter()
    run = fm.read_run(source, texts=True)
    run.save(target)
    return time.perf_counter() - start, {"items": run.info.counts["items"]}


WAYS = {"pandas": way_pandas, "forgetmap": way_forgetmap, "save": way_save}


def timed(way: str, *arguments: str) -> tuple[float, dict[str, int]]:
    """One run in a fresh process."""
    call = [sys.executable, __file__, "--way", way, *arguments]
    seconds, found = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return seconds, found


def main() -> None:
    """Make the files, time the three ways in turn, print one line per figure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="folder for the files; made there if missing, and kept")
    parser.add_argument("--way", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        way, *arguments = options.way
        print(json.dumps(WAYS[way](*arguments)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        paths = sorted(folder.glob("*/details/**/*.parquet"), reverse=True) or make_files(folder, options.rows)
        size = sum(path.stat().st_size for path in paths) / 1e6
        print(f"files   2 x {options.rows:,} rows, {size:.0f} MB in all")
        raw = tuple(map(str, paths))
        runs = tuple(str(Path(name) / f"run_{side}") for side in ("before", "after"))
        saving = min(timed("save", path, run)[0] for path, run in zip(raw, runs, strict=True))
        best = {"pandas": float("inf"), "raw": float("inf"), "saved": float("inf")}
        counts: dict[str, dict[str, int]] = {}
        for _ in range(options.rounds):  # in turn, so that a busy machine slows all of them
            for label, way, arguments in (
                ("pandas", "pandas", raw),
                ("raw", "forgetmap", raw),
                ("saved", "forgetmap", runs),
            ):
                spent, counts[label] = timed(way, *arguments)
                best[label] = min(best[label], spent)
        print(f"pandas  {best['pandas']:6.3f} s  {counts['pandas']}")
        for label, target in TARGETS.items():
            ratio = best["pandas"] / best[label]
            verdict = "met" if ratio >= target else "MISSED"
            print(f"{label:7} {best[label]:6.3f} s  {ratio:5.1f}x faster, target {target}x {verdict}")
            if counts[label] != counts["pandas"]:
                sys.exit(f"{label}: counts {counts[label]} differ from {counts['pandas']}")
        print(f"import  {saving:6.3f} s  one file to a saved run with texts, once")


if __name__ == "__main__":
    main()
