"""The report page of a million samples: how long it takes to build, how large it is, how soon it shows in a browser.

Half a million items before and after with replies of ordinary length (about 500 characters, one in ten without an answer),
from saved runs. Targets: built under 15 s and 2 GB, under 8 MB, drawn in Chromium under 2 s.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from measure import in_fresh_process, line, report

ITEMS = 500_000


def make(folder: str, items: str) -> None:
    import polars as pl

    from forgetmap.run import Run
    from forgetmap.testing import plant

    planted = plant(
        int(items), tasks=100, options=[4, 4, 4, 5, 10], known=0.6, lost=0.06, gained=0.05, persistence=0.3,
        abstain=(0.05, 0.1), texts=True,
    )  # fmt: skip
    words = [
        "the",
        "cell",
        "divides",
        "when",
        "its",
        "membrane",
        "folds",
        "and",
        "each",
        "half",
        "keeps",
        "one",
        "copy",
    ]
    words += ["of", "what", "was", "written", "before", "it"]
    for side in ("before", "after"):
        run: Run = getattr(planted, side)
        row = pl.col("text_row")
        # Words that shift from row to row: replies differ, as real ones do, and compress no better than those.
        shifted = [pl.lit(words).list.get((row * (7 + at) + at * at) % len(words)) for at in range(90)]
        talk = pl.concat_str(shifted, separator=" ")
        said = pl.when(pl.col("choice").is_not_null()).then(pl.lit(". The answer is ") + pl.col("choice"))
        texts = run.texts().with_columns(
            response=talk + said.fill_null(pl.lit(", and so it may be that nothing follows from it at all.")),
            prompt=pl.lit("Answer the question. ") + talk + pl.lit("\n") + pl.col("question"),
            question=talk.str.slice(0, 200) + pl.lit(" ") + pl.col("question"),
        )
        Run(run.info, run.scan(), texts, run.source).save(Path(folder) / side)
    report(lambda: None)


def build(folder: str) -> None:
    import forgetmap as fm

    page = Path(folder) / "page.html"

    def work() -> int:
        fm.compare(f"{folder}/before", f"{folder}/after").report(page)
        return page.stat().st_size

    report(work)


def opened(page: Path) -> float:
    """Seconds from asking for the page until its items are drawn."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        best = float("inf")
        for _ in range(3):
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri())
            tab.wait_for_selector("#items .item")
            best = min(best, time.perf_counter() - start)
            tab.close()
        browser.close()
    return best


def main(items: int = ITEMS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        in_fresh_process(__file__, "make", folder, str(items), times=1)
        built = in_fresh_process(__file__, "build", folder, times=2)
        shown = opened(Path(folder) / "page.html")
    line(f"page of {2 * items:,} samples: built", f"{built['seconds']:.1f} s", "< 15 s", built["seconds"] < 15)
    line("  peak memory", f"{built['peak_mb'] / 1000:.2f} GB", "< 2 GB", built["peak_mb"] < 2000)
    line("  size", f"{built['result'] / 1e6:.2f} MB", "< 8 MB", built["result"] < 8e6)
    line("  opened in Chromium, items drawn", f"{shown:.2f} s", "< 2 s", shown < 2)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        {"make": make, "build": build}[sys.argv[1]](*sys.argv[2:])
    else:
        main(*map(int, sys.argv[1:]))
