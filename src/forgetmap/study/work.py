"""What one process of a study does: read two runs, draw their map, and put it into the cache."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Any

from forgetmap.chain import Chain, chain_runs
from forgetmap.errors import ForgetmapError, FormatError, MissingDataError
from forgetmap.map import compare
from forgetmap.readers import read_run
from forgetmap.run import Run
from forgetmap.study.cache import Cache
from forgetmap.study.fingerprint import snapshot
from forgetmap.study.spec import Options, RunSpec


@dataclass(frozen=True)
class Job:
    """A map or a chain to be computed, and where it goes."""

    kind: str  # pair or chain
    name: str
    key: str
    runs: tuple[RunSpec, ...]
    options: Options
    cache: Path
    debug: bool = False


def do(job: Job) -> str | None:
    """Compute a job and store it; return None, or in one sentence why it cannot be had."""
    try:
        seen = [snapshot(run.place) for run in job.runs]
        runs = [_read(run, job.options, tuple(stat)) for run, stat in zip(job.runs, seen, strict=True)]
        for spec, run in zip(job.runs, runs, strict=True):
            _check_model(spec, run)
        made = _map(runs, job.options) if job.kind == "pair" else _chain(runs, job)
        for spec, before in zip(job.runs, seen, strict=True):
            if snapshot(spec.place) != before:
                raise FormatError(f"{spec.written}: changed while it was read; run the study again when it is complete")
        Cache(job.cache).store(job.key, made)
    except ForgetmapError as refusal:
        return str(refusal)
    except OSError as fault:
        return f"{fault.filename or job.name}: {fault.strerror or fault}; check the file"
    except Exception as fault:  # one pair that breaks something of ours must not cost the others
        if job.debug:
            raise
        return f"unexpected {type(fault).__name__} ({str(fault)[:200]}); please report it, --debug shows where"
    return None


def _map(runs: list[Run], options: Options) -> dict[str, Any]:
    return compare(*runs, **options.comparing()).to_dict()


def _chain(runs: list[Run], job: Job) -> dict[str, Any]:
    found = chain_runs(runs, names=[run.label for run in job.runs], **job.options.chaining())
    return {**found.to_dict(), "flows": _flows(found)}


def _flows(chain: Chain) -> list[list[tuple[str, str, float]]]:
    """All items from each stage to the next, also those missing somewhere: what an alluvial figure draws."""
    steps = [chain.flows(place) for place in range(len(chain.stages) - 1)]
    return [[(before, after, n) for (before, after), n in step.items()] for step in steps]


def _check_model(spec: RunSpec, run: Run) -> None:
    """A run is the model that the study says, to the letter."""
    if spec.model is not None and run.info.model != spec.model:
        raise MissingDataError(
            f"{spec.written}: the log is of model '{run.info.model}', expected '{spec.model}'; correct 'runs, {spec.label}'"
        )


@lru_cache(maxsize=2)  # pairs come sorted by before-run, and the after-run of one may be the before-run of the next
def _read(spec: RunSpec, options: Options, _seen: tuple[tuple[str, int, int], ...]) -> Run:
    columns = dict(spec.columns or options.columns)
    return read_run(
        spec.path, format=spec.format or options.format, columns=columns, skip_broken=options.skip_broken
    )  # fmt: skip


def prepare_process() -> None:
    """Make this process leave interrupts to the one that started it, and end when that is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
