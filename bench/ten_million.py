"""Ten million paired samples from two saved runs: compare, against the join on text keys that it avoids.

Target: under 6 s and under 3 GB, reading included.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measure import in_fresh_process, line, report

SAMPLES = 10_000_000


def make(folder: str, samples: str) -> None:
    from forgetmap.testing import plant

    planted = plant(int(samples), tasks=100, options=[4, 4, 4, 5, 10], persistence=0.3, abstain=(0.05, 0.1))
    for side in ("before", "after"):
        getattr(planted, side).save(Path(folder) / side)
    report(lambda: {"lost": planted.lost, "gained": planted.gained})


def ours(folder: str) -> None:
    import forgetmap as fm

    def work() -> float:
        found = fm.compare(fm.Run.load(f"{folder}/before"), fm.Run.load(f"{folder}/after"))
        return found.total.chance["lost"]

    report(work)


def by_text(folder: str) -> None:
    """The same join with the key as 32 hexadecimal digits, and nothing else."""
    import polars as pl

    def keys(side: str) -> pl.LazyFrame:
        rows = pl.scan_parquet(f"{folder}/{side}/samples.parquet")
        text = pl.col("item_high").cast(pl.String) + pl.col("item_low").cast(pl.String)
        return rows.select("task", "correct", key=text)

    def work() -> int:
        joined = keys("before").join(keys("after"), on=["task", "key"])
        return joined.select((pl.col("correct") & ~pl.col("correct_right")).sum()).collect(engine="streaming").item()

    report(work)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        truth = in_fresh_process(__file__, "make", folder, str(SAMPLES), times=1)["result"]
        mine = in_fresh_process(__file__, "ours", folder)
        text = in_fresh_process(__file__, "by_text", folder, times=1)
    line(f"{SAMPLES:,} pairs from saved runs: compare", f"{mine['seconds']:.1f} s", "< 6 s", mine["seconds"] < 6)
    line("  peak memory", f"{mine['peak_mb'] / 1000:.2f} GB", "< 3 GB", mine["peak_mb"] < 3000)
    ratio = text["seconds"] / mine["seconds"]
    line("  a bare join on text keys, for scale", f"{text['seconds']:.1f} s ({ratio:.1f}x)", "-", True)
    close = abs(mine["result"] - truth["lost"]) < 0.001
    line("  planted loss recovered", f"{mine['result']:.4f} of {truth['lost']:.4f}", "within 0.001", close)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"make": make, "ours": ours, "by_text": by_text}[sys.argv[1]](*sys.argv[2:])
    else:
        main()
