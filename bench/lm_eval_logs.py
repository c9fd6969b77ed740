"""lm-evaluation-harness logs, 5-shot-MMLU-like: read + pair + compare, against pandas reading the same two files.

Two files of 14,042 lines of 13.5 kB: every line repeats its few-shot prompt once per option, as the harness does.
Target: at least 300 MB per second and core, under 400 MB of memory.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from measure import in_fresh_process, line, report

ROWS = 14_042


def write_log(folder: Path, side: int, rows: int = ROWS) -> Path:
    """Write a log in the harness's own layout; a tenth of the choices differ between the sides."""
    folder.mkdir(parents=True)
    stamp = "2026-01-02T03-04-05.678901"
    rng = random.Random(7)
    words = [f"word{n}" for n in range(2000)]
    shots = "".join(
        f"{' '.join(rng.choices(words, k=55))}?\nA. one {n}\nB. two {n}\nC. three {n}\nD. four {n}\nAnswer: B\n\n"
        for n in range(5)
    )
    path = folder / f"samples_mmlu_anatomy_{stamp}.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for number in range(rows):
            question = f"Question {number}: {' '.join(rng.choices(words, k=40))}?"
            choices = [f"{rng.choice(words)} {number} {letter}" for letter in "abcd"]
            gold = rng.randrange(4)
            pick = rng.randrange(4) if rng.random() < 0.4 else gold
            moved = rng.random() < 0.1  # drawn on both sides, so that the items stay the same
            if side and moved:
                pick = (pick + 1) % 4
            prompt = (
                shots + question + "".join(f"\n{x}. {c}" for x, c in zip("ABCD", choices, strict=True)) + "\nAnswer:"
            )
            likelihoods = [-3.0 - place - (0 if place == pick else 5) for place in range(4)]
            requests = {
                f"gen_args_{place}": {"arg_0": prompt, "arg_1": f" {letter}"} for place, letter in enumerate("ABCD")
            }
            replies = [[[str(value), "False"]] for value in likelihoods]
            record = {
                "doc_id": number,
                "doc": {"question": question, "subject": "anatomy", "choices": choices, "answer": gold},
                "target": str(gold),
                "arguments": requests,
                "resps": replies,
                "filtered_resps": [reply[0] for reply in replies],
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": f"{number:064x}",
                "prompt_hash": f"{number + 1:064x}",
                "target_hash": f"{gold:064x}",
                "acc": float(pick == gold),
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


def ours(before: str, after: str) -> None:
    import forgetmap as fm
    from forgetmap.readers import find_reader
    from forgetmap.tasks import canonical_task

    canonical_task("mmlu_anatomy")
    find_reader(Path(before))  # imports the readers
    report(lambda: fm.compare(before, after).total.observed)


def theirs(before: str, after: str) -> None:
    import pandas as pd

    report(lambda: [len(pd.read_json(path, lines=True)) for path in (before, after)])


def floor(before: str, after: str) -> None:
    """The work that must be done whatever comes after: read every line and skip through its JSON."""
    import msgspec

    class Score(msgspec.Struct):
        acc: float

    decode = msgspec.json.Decoder(Score).decode

    def work() -> int:
        count = 0
        for path in (before, after):
            with open(path, "rb", buffering=1 << 17) as file:
                for row in file:
                    decode(row)
                    count += 1
        return count

    report(work)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(write_log(Path(folder) / name, side)) for side, name in enumerate(("before", "after"))]
        size = sum(Path(path).stat().st_size for path in paths) / 1e6
        mine = in_fresh_process(__file__, "ours", *paths, times=7)
        least = in_fresh_process(__file__, "floor", *paths)
        pandas = in_fresh_process(__file__, "theirs", *paths, times=1)
    speed = size / mine["cpu"]
    line(
        f"lm-eval JSONL, {size:.0f} MB: read + pair + compare",
        f"{speed:.0f} MB/s per core ({mine['seconds']:.2f} s)",
        ">= 300 MB/s",
        speed >= 300,
    )
    line(
        "  skipping through the JSON alone",
        f"{size / least['cpu']:.0f} MB/s, {least['cpu'] / mine['cpu']:.0%} of our time",
        "-",
        True,
    )
    line("  peak memory", f"{mine['peak_mb']:.0f} MB", "< 400 MB", mine["peak_mb"] < 400)
    times = pandas["seconds"] / mine["seconds"]
    line(
        f"  pandas.read_json alone {pandas['seconds']:.1f} s, {pandas['peak_mb']:.0f} MB",
        f"{times:.1f}x slower",
        "-",
        True,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"ours": ours, "theirs": theirs, "floor": floor}[sys.argv[1]](*sys.argv[2:])
    else:
        main()
