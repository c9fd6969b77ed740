"""An explorer over real HTTP, and planted runs to look at."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec
import polars as pl

from forgetmap import Run
from forgetmap.explorer.desk import Choice, Desk
from forgetmap.explorer.library import Library
from forgetmap.explorer.server import Service
from forgetmap.explorer.taxonomies import offered
from forgetmap.testing import join_planted, plant

STORY = (
    ("bbh:sports_understanding", 0.70, 0.22, 0.00, 4),
    ("social_iqa", 0.62, 0.15, 0.03, 3),
    ("mmlu:world_religions", 0.75, 0.05, 0.03, 4),
    ("arc:challenge", 0.60, 0.02, 0.16, 4),
    ("gsm8k", 0.45, 0.02, 0.20, 0),
)


def story(seed: int = 0, items: int = 120, name: str = "tuned") -> tuple[Run, Run]:
    """Two runs of five tasks with known losses, with texts, subjects and lengths to slice by."""
    parts = [
        plant(
            items, known=known, lost=lost, gained=gained, options=options, abstain=(0.0, 0.2), tasks=[task], texts=True,
            seed=100 * seed + place, first_item=place * items, shuffle=False,
        )
        for place, (task, known, lost, gained, options) in enumerate(STORY)
    ]  # fmt: skip
    planted = join_planted(parts)
    return _named(planted.before, "base"), _named(planted.after, name)


def _named(run: Run, name: str) -> Run:
    info = msgspec.structs.replace(run.info, model=name)
    even = pl.col("text_row") % 2 == 0
    samples = run.samples.with_columns(
        category=pl.when(even).then(pl.lit(["even"])).otherwise(pl.lit(["odd"])),
        output_tokens=(pl.col("text_row") % 200).cast(pl.UInt32),
    )
    return Run(info=info, _samples=samples.lazy(), _texts=run.texts(), source=f"planted {name}")


def save_runs(folder: Path, runs: Sequence[Run]) -> list[Path]:
    """Write runs into folders of their names; dates make their order the one given."""
    paths = []
    for place, run in enumerate(runs):
        dated = msgspec.structs.replace(run.info, date=f"2026-01-0{place + 1}")
        paths.append(Run(info=dated, _samples=run.scan(), _texts=run.texts(), source="").save(folder / run.name))
    return paths


def desk_of(*runs: Run, **choice: Any) -> Desk:
    return Desk(Library.of(runs), choice=Choice(**choice), taxonomies=offered())


@dataclass(frozen=True)
class Served:
    """A running explorer."""

    address: str
    port: int
    desk: Desk

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return self.address.rpartition("=")[2]

    def client(self) -> httpx.Client:
        """A client that was let in. The token is good for one of them."""
        made = httpx.Client(base_url=self.base, follow_redirects=True, timeout=60)
        made.get(self.address).raise_for_status()
        return made


@contextmanager
def serving(desk: Desk) -> Iterator[Served]:
    """Run an explorer in a thread."""
    service = Service(desk)
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not service.is_running:
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.01)
    try:
        yield Served(service.address, service.port, desk)
    finally:
        service.stop()
        thread.join(20)
        assert not thread.is_alive()
