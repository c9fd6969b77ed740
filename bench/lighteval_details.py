"""Counting flips between two lighteval 0.10 details files: the released post-forget way against forgetmap.

    python bench/lighteval_details.py [--keep FOLDER]

Two files of the size and shape of a published MMLU evaluation are made up: 14,042 items in 57 subjects, few-shot
prompts, chains of thought, token ids of prompt and reply, 228 MB in all. Three ways are timed from files to result,
each in a process of its own, in turn, imports left out, the best of three:

  pandas  load every column, sort both tables by prompt, set them side by side, round and count in a Python loop
  raw     forgetmap: read both files, pair by content, estimate
  saved   the same from two saved runs

The first is what post_forget.md 5 says of the released code, written anew. It ends at four counts; forgetmap ends at a
map, and its four counts must be the same.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from measure import in_fresh_process, line, report

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
        silent = random.random(rows) < 0.02  # replies without an answer
        right = ((low <= known) & (known < high) | (random.random(rows) < 0.25)) & ~silent
        # lighteval shuffles the items of a task; tasks follow one another, so demonstrations repeat from row to row
        order = np.lexsort((random.random(rows), subject_of))
        paths.append(_write(folder, name, order, asked, demonstrations, subject_of, golds, replies, right, silent))
    return paths


REPLY_WORDS = 780


def _write(folder, name, order, asked, demonstrations, subject_of, golds, replies, right, silent) -> Path:  # type: ignore[no-untyped-def]
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
            found = [] if silent[row] else [letter, letter]
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
                    "predictions": [text if silent[row] else f"{text}\nAnswer: {letter}"],
                    "specifics": {"extracted_golds": ["ABCD"[gold]], "extracted_predictions": found},
                    "truncated": [0],
                }
            )
        table = pa.Table.from_pylist(rows)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()
    return path


def way_pandas(before: str, after: str) -> dict[str, int]:
    """Everything into pandas, rows aligned by sorted prompt, a loop over rows."""
    import pandas as pd

    tables = [pd.read_parquet(path).sort_values("full_prompt").reset_index(drop=True) for path in (before, after)]
    beside = pd.DataFrame({"before": tables[0]["metrics"], "after": tables[1]["metrics"]})
    counts = {"kept": 0, "lost": 0, "gained": 0, "never": 0}
    for _, row in beside.iterrows():
        was, now = round(row["before"]["extractive_match"]), round(row["after"]["extractive_match"])
        counts["kept" if was and now else "lost" if was else "gained" if now else "never"] += 1
    return counts


def _counts(found: Any) -> dict[str, int]:
    total = next(cell for cell in found.to_dict()["cells"] if cell["level"] == "total")
    return {name: round(total[name] * total["items"]) for name in ("kept", "lost", "gained", "never")}


def way_raw(before: str, after: str) -> dict[str, int]:
    """Details files to a map."""
    import forgetmap as fm

    return _counts(fm.compare(before, after))


def way_saved(before: str, after: str) -> dict[str, int]:
    """Saved runs to a map."""
    import forgetmap as fm

    return _counts(fm.compare(fm.Run.load(before), fm.Run.load(after)))


def way_save(source: str, target: str) -> int:
    """One details file to a saved run with texts."""
    import forgetmap as fm

    return len(list(fm.read_run(source, texts=True).save(target).iterdir()))


WAYS = {"pandas": way_pandas, "raw": way_raw, "saved": way_saved, "save": way_save}


def _import(way: str) -> None:
    """Import what the way will use, so that imports do not count on either side."""
    modules = ["pandas", "pyarrow.parquet"] if way == "pandas" else ["forgetmap", "scipy.optimize", "scipy.stats"]
    if way in ("raw", "save"):
        from forgetmap.readers.registry import BUILT_IN

        modules += BUILT_IN.values()
    for module in modules:
        importlib.import_module(module)


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
        _import(way)
        report(lambda: WAYS[way](*arguments))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        paths = sorted(folder.glob("*/details/**/*.parquet"), reverse=True) or make_files(folder, options.rows)
        size = sum(path.stat().st_size for path in paths) / 1e6
        raw = tuple(map(str, paths))
        runs = tuple(str(Path(name) / f"run_{side}") for side in ("before", "after"))
        saved = [in_fresh_process(__file__, "--way", "save", *both, times=1) for both in zip(raw, runs, strict=True)]
        best: dict[str, dict[str, Any]] = {}
        for _ in range(options.rounds):  # in turn, so that a busy machine slows all of them
            for way, files in (("pandas", raw), ("raw", raw), ("saved", runs)):
                found = in_fresh_process(__file__, "--way", way, *files, times=1)
                best[way] = min(found, best.get(way, found), key=lambda one: one["seconds"])
        peer = best["pandas"]
        print(f"2 x {options.rows:,} rows, {size:.0f} MB: pandas {_shown(peer)}; importing one file {_shown(saved[0])}")
        for way, target in TARGETS.items():
            ratio = peer["seconds"] / best[way]["seconds"]
            line(f"lighteval details, {way}", f"{_shown(best[way])}, {ratio:.1f}x", f">= {target}x", ratio >= target)
            if best[way]["result"] != peer["result"]:
                sys.exit(f"{way}: counts {best[way]['result']} differ from {peer['result']}")


def _shown(found: dict[str, Any]) -> str:
    return f"{found['seconds']:.3f} s (cpu {found['cpu']:.2f} s, {found['peak_mb']:.0f} MB)"


if __name__ == "__main__":
    main()
