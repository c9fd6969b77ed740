"""The explorer on five million samples with texts: a real browser, and a load loop over HTTP on loopback.

    python bench/explorer.py [--items 2500000] [--tasks 100] [--keep FOLDER]

Two runs of 2.5 million items in 100 tasks, about 700 bytes of text per reply, are made and saved as `forgetmap import` saves
them. The server runs in a process of its own. A view is drawn when its map stands in the page and the browser has painted
it. Cold: the browser asks the moment the server starts, so that reading and pairing count. Warm: the server has had the
time to read ahead. Every change is to a state not seen before. In the browser a person looks for two seconds (--pause)
before the next click, and the server makes likely next views meanwhile; over HTTP there is no pause, and the views asked for
are such as it does not make ahead.

Targets: first view under 2 s; a change of cell or filter under 300 ms, an item page under 150 ms, at the 95th percentile.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from measure import in_fresh_process, line, report

ITEMS, TASKS = 2_500_000, 100


# ---- the runs -----------------------------------------------------------------------------------------------------------


def make(folder: str, items: str, tasks: str) -> None:
    """Save two runs with texts of ordinary length."""
    import numpy as np
    import polars as pl

    from forgetmap.assembly import assemble
    from forgetmap.testing import plant

    rng = np.random.default_rng(1)
    names = [f"bench:{number:03d}" for number in range(int(tasks))]
    planted = plant(
        int(items), tasks=names, options=[4, 4, 4, 5, 10], persistence=0.3, abstain=(0.02, 0.03), seed=3, shuffle=False,
        texts=True,
    )  # fmt: skip
    letters = np.array(list("etaoinshrdlucmfw"))
    words = ["".join(rng.choice(letters, size=rng.integers(2, 9))) for _ in range(4000)]
    sentences = pl.Series([" ".join(rng.choice(words, size=rng.integers(8, 16))) + "." for _ in range(20_000)])

    def work() -> dict[str, float]:
        for side in ("before", "after"):
            run = getattr(planted, side)
            number = run.samples["native_id"].cast(pl.Int64).to_numpy()
            own, said = (number * 7919 + 17, number * 104_729 + 13), rng.integers(0, 1 << 40, (2, len(number)))
            asked, shot, told = (
                [sentences.gather(pl.Series(place % len(sentences)).cast(pl.UInt32)) for place in places]
                for places in (own, (number % len(names),), said)
            )
            texts = run.texts()
            question = pl.select(pl.concat_str(texts["question"], *asked, separator=" ")).to_series()
            answer = texts["choice"].fill_null("nothing that I know.")
            texts = texts.with_columns(
                question=question,
                prompt=pl.select(pl.concat_str(*shot, *shot, question, pl.lit("Answer:"), separator="\n")).to_series(),
                response=pl.select(pl.concat_str(*told, pl.lit("The answer is"), answer, separator=" ")).to_series(),
            )
            tokens = pl.Series(rng.lognormal(4.5, 0.8, len(number)).astype(np.uint32))
            samples = run.samples.drop("occurrence").with_columns(output_tokens=tokens)
            assemble(samples, run.info, source=side, texts=texts).save(Path(folder) / side)
        return {"lost": planted.lost, "gained": planted.gained}

    report(work)


# ---- the server ---------------------------------------------------------------------------------------------------------


def serve(folder: str) -> None:
    """What `forgetmap view` does; prints its address, and its peak memory at the end."""
    import resource

    from forgetmap.explorer.desk import Desk
    from forgetmap.explorer.library import Library
    from forgetmap.explorer.taxonomies import offered

    desk = Desk(Library.open([f"{folder}/before", f"{folder}/after"]), taxonomies=offered())
    desk.begin()
    from forgetmap.explorer.server import Service

    service = Service(desk)
    print(service.address, flush=True)
    service.run()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)


class Server:
    """A server process."""

    def __init__(self, folder: str) -> None:
        self._process = subprocess.Popen([sys.executable, __file__, "serve", folder], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()
        self.base = self.address.partition("/?")[0]
        self.peak_mb = 0.0

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        rest, _ = self._process.communicate(timeout=60)
        self.peak_mb = float(rest.split()[-1]) / 1024 if rest.split() else float("nan")


# ---- in the browser -----------------------------------------------------------------------------------------------------

#: Does something, and returns the milliseconds until the page has drawn the answer and the browser has painted it.
_TIMED = """async ([selector, value, drawn]) => {
  const root = document.documentElement;
  const old = root.dataset[drawn];
  const start = performance.now();
  const place = document.querySelector(selector);
  if (value === null) place.click();
  else { place.value = value; place.dispatchEvent(new Event("change", {bubbles: true})); }
  while (root.dataset[drawn] === old) {
    if (performance.now() - start > 60000) throw new Error(`${selector} ${value}: nothing was drawn`);
    await new Promise((done) => setTimeout(done, 1));
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - start;
}"""


_UNFOLDED = """async (place) => {
  const start = performance.now();
  const fold = document.querySelectorAll(".item")[place];
  fold.querySelector("summary").click();
  while (!fold.querySelector(".sides")) {
    if (performance.now() - start > 60000) throw new Error("the item did not unfold");
    await new Promise((done) => setTimeout(done, 1));
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - start;
}"""


@contextmanager
def browsing() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("no chromium on this machine; install it with: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(120_000)
        yield page
        browser.close()


def first_view(page: Any, address: str) -> float:
    """Seconds from asking for the address to the map on the screen."""
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_selector("html[data-view-drawn]", state="attached")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return time.perf_counter() - start


def settle(page: Any) -> None:
    page.wait_for_selector('html[data-busy="0"]', state="attached")


def in_browser(page: Any, rng: random.Random, pause: float) -> dict[str, list[float]]:
    """Milliseconds of changes that people make, each to a state not seen before."""
    taken: dict[str, list[float]] = {
        "cell": [], "slice as condition": [], "reading, taxonomy or weight": [], "item page": [], "item unfolded": []
    }  # fmt: skip

    def timed(kind: str, selector: str, value: str | None, drawn: str) -> None:
        settle(page)
        time.sleep(pause)
        taken[kind].append(page.evaluate(_TIMED, [selector, value, drawn]))

    cells = page.eval_on_selector_all("#map tr[data-cell^='task/']", "all => all.map(one => one.dataset.cell)")
    for cell in rng.sample(cells, min(20, len(cells))):
        timed("cell", f"tr[data-cell={json.dumps(cell)}] .pick", None, "itemsDrawn")
    page.evaluate("() => document.querySelector('#which button').click()")
    ways = {"reading": ("observed", "chance", "paper"), "weight": ("items", "categories"), "taxonomy": ("captrack",)}
    for name, values in ways.items():
        for value in (*values, page.eval_on_selector(f"[name={name}]", "one => one.value")):
            timed("reading, taxonomy or weight", f"[name={name}]", value, "viewDrawn")
    for dimension in ("options", "tokens_after", "gold_position"):
        settle(page)
        page.evaluate(_TIMED, ["#by", dimension, "slicesDrawn"])
        for only in page.eval_on_selector_all("[data-only]", "all => all.map(one => one.dataset.only)")[:6]:
            timed("slice as condition", f"[data-only={json.dumps(only)}]", None, "viewDrawn")
            settle(page)
            page.evaluate(_TIMED, ["#conditions .chip", None, "viewDrawn"])
    settle(page)
    whole = int(page.eval_on_selector(".items .status", "one => one.dataset.total"))
    for place in range(min(20, whole // 20 - 1)):
        timed("item page", ".pages button:nth-of-type(2)", None, "itemsDrawn")
        settle(page)
        taken["item unfolded"].append(page.evaluate(_UNFOLDED, place))
    return taken


# ---- over HTTP ----------------------------------------------------------------------------------------------------------


def over_http(client: Any, rng: random.Random, tasks: int, times: int) -> dict[str, list[float]]:
    """Milliseconds of requests, from one client and from four at once."""

    def timed(path: str) -> float:
        start = time.perf_counter()
        answer = client.get(path)
        answer.raise_for_status()
        return 1000 * (time.perf_counter() - start)

    totals = {name: client.get(f"/api/items?transition={name}&limit=1").json()["total"] for name in ("lost", "gained")}

    def item_page() -> str:
        way = rng.choice(["lost", "gained"])
        if rng.random() < 0.5:
            return f"/api/items?transition={way}&task=bench:{rng.randrange(tasks):03d}&limit=20"
        return f"/api/items?transition={way}&offset={rng.randrange(max(1, totals[way] - 20))}&limit=20"

    brief = [f"{item_page()}&brief=1" for _ in range(times)]
    made = {"item page": [timed(path) for path in brief]}
    with ThreadPoolExecutor(4) as pool:
        made["item page, 4 clients at once"] = list(pool.map(timed, [f"{item_page()}&brief=1" for _ in range(times)]))
    made["item page with all texts"] = [timed(item_page()) for _ in range(times)]
    slices = client.get("/api/slices?by=options").json(), client.get("/api/slices?by=tokens_after").json()
    options, tokens = (re.findall(r'data-only="([^"]+)"', one["html"]) for one in slices)
    both = [(one, other, level) for one in options for other in tokens for level in ("category", "task")]
    rng.shuffle(both)
    made["two slices as conditions"] = [
        timed(f"/api/view?{urlencode([('only', one), ('only', other), ('level', level)])}")
        for one, other, level in both[:24]
    ]
    return made


def percentile(values: list[float], share: float = 0.95) -> float:
    return (
        statistics.quantiles(values, n=100, method="inclusive")[round(100 * share) - 1]
        if len(values) > 1
        else values[0]
    )


def said(values: list[float]) -> str:
    return f"p95 {percentile(values):.0f} ms (median {statistics.median(values):.0f}, {len(values)} times)"


def show(where: str, kind: str, values: list[float]) -> None:
    limit = 150 if kind.startswith("item") else 300
    # four at once on two cores, and the texts of a whole page unfolded at once: told, not promised
    if "at once" in kind or "all texts" in kind:
        line(f"{where}: {kind}", said(values), "-", True)
    else:
        line(f"{where}: {kind}", said(values), f"< {limit} ms", percentile(values) < limit)


def wait_until(ready: Callable[[], bool], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise SystemExit("the server was not ready in time")
        time.sleep(0.2)


def main() -> None:
    import httpx

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--tasks", type=int, default=TASKS)
    parser.add_argument("--times", type=int, default=200, help="requests of each kind over HTTP")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two clicks")
    parser.add_argument("--keep", type=Path, help="save the runs here, or use those that lie here")
    given = parser.parse_args()
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as scratch:
        folder = str(given.keep or scratch)
        if not (Path(folder) / "after" / "run.json").is_file():
            in_fresh_process(__file__, "make", folder, str(given.items), str(given.tasks), times=1)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet")) / 1e6
        print(f"{2 * given.items:,} samples in {given.tasks} tasks, {size:,.0f} MB on disk")
        with browsing() as page:
            begun = time.perf_counter()
            server = Server(folder)
            try:
                cold = first_view(page, server.address)
                started = time.perf_counter() - begun
                line("first view, cold (server just started)", f"{cold:.2f} s", "< 2 s", cold < 2)
                line("  with the start of the server itself", f"{started:.2f} s", "-", True)
                settle(page)
                cookies = {one["name"]: one["value"] for one in page.context.cookies()}
                with httpx.Client(base_url=server.base, cookies=cookies, timeout=120) as client:
                    wait_until(lambda: client.get("/api/facets").json()["causes_known"])
                    line("  everything else read ahead after", f"{time.perf_counter() - begun:.1f} s", "-", True)
                    warm = min(first_view(page, server.base + "/") for _ in range(3))
                    line("first view, warm", f"{warm:.2f} s", "< 2 s", warm < 2)
                    settle(page)
                    browser = in_browser(page, rng, given.pause)
                    for kind, values in browser.items():
                        show("in the browser", kind, values)
                    http = over_http(client, rng, given.tasks, given.times)
                    for kind, values in http.items():
                        show("over HTTP", kind, values)
                    start = time.perf_counter()
                    found = client.get("/api/items?search=nothing%20that%20I%20know&transition=lost").json()
                    first = time.perf_counter() - start
                    while found["searched"] < found["to_search"]:
                        found = client.get("/api/items?search=nothing%20that%20I%20know&transition=lost").json()
                    whole = time.perf_counter() - start
                    told = f"{first:.2f} s to the first answer, {whole:.1f} s to the last"
                    line(f"search of {found['to_search']:,} texts", told, "-", True)
            finally:
                server.stop()
        line("server, peak memory", f"{server.peak_mb / 1000:.2f} GB", "-", True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in ("make", "serve"):
        {"make": make, "serve": serve}[sys.argv[1]](*sys.argv[2:])
    else:
        main()
