"""Computing a study: every map once, in several processes, and never the same one again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from forgetmap.errors import UsageError
from forgetmap.map import SCHEMA
from forgetmap.study.build import make_result
from forgetmap.study.cache import Cache, make_key
from forgetmap.study.chains import SavedChain
from forgetmap.study.fingerprint import Fingerprints
from forgetmap.study.result import StudyResult
from forgetmap.study.spec import RunSpec, Study
from forgetmap.study.work import Job, do, prepare_process

#: Called with (done, in all, name, state): state is cached, computed or failed.
Progress = Callable[[int, int, str, str], None]

_DIED = "the process that computed it was ended from outside, most often for want of memory; try --jobs 1, or a machine with more"


def compute_study(
    study: Study,
    *,
    cache: str | Path | None = None,
    jobs: int = 1,
    fresh: bool = False,
    debug: bool = False,
    progress: Progress | None = None,
) -> StudyResult:
    """Return the maps and chains of a study, decided together.

    Parameters
    ----------
    cache : folder of finished maps; default `.forgetmap` beside the study file. What is in it and whole is not computed again.
    jobs : processes. More than one start anew (spawn): a script that asks for them needs its `if __name__ == "__main__":`.
    fresh : compute everything again.
    progress : called whenever a map is there.

    A pair that cannot be compared is in the result with the reason; the others are not lost.
    """
    if jobs < 1:
        raise UsageError(f"jobs is {jobs}; it must be 1 or more")
    store = Cache.open(Path(cache) if cache is not None else study.folder / ".forgetmap")
    wanted = _jobs(study, store, debug)
    failures, done = {}, 0

    def tell(job: Job, state: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, len(wanted), job.name, state)

    found = {} if fresh else {job.key: held for job in wanted if (held := store.load(job.key)) is not None}
    missing = {job.key: job for job in wanted if job.key not in found}  # the same pair twice is computed once
    for job in wanted:
        if job.key in found:
            tell(job, "cached")
    for job, failure in _do_all(_ordered(missing.values()), jobs):
        if failure is not None:
            failures[job.key] = failure
        for same in wanted:
            if same.key == job.key:
                tell(same, "computed" if failure is None else "failed")
    for key in missing.keys() - failures.keys():
        made = store.load(key)
        if made is None:
            raise UsageError(f"{store.folder}: what was just written there cannot be read; name another --cache DIR")
        found[key] = made
    of = {(job.kind, job.name): job.key for job in wanted}
    return make_result(
        study,
        {pair.name: found.get(of["pair", pair.name]) for pair in study.pairs},
        {chain.name: _saved(found.get(of["chain", chain.name])) for chain in study.chains},
        {place: failures[key] for place, key in of.items() if key in failures},
    )


def _saved(content: dict[str, Any] | None) -> SavedChain | None:
    return None if content is None else SavedChain(content)


def _jobs(study: Study, store: Cache, debug: bool) -> list[Job]:
    """Everything a study wants, each with the key it has in the cache."""
    prints = Fingerprints.open(store.index)
    known: dict[RunSpec, str] = {}

    def told(run: RunSpec) -> dict[str, Any]:
        if run not in known:
            known[run] = prints.of(run.place)
        inside = run.path.removeprefix(str(run.place))  # ::NAME of a table
        return {"files": known[run], "inside": inside, "model": run.model, "format": run.format, "columns": run.columns}

    options = study.options.to_dict() | {"taxonomy": _taxonomy(study.options.taxonomy), "schema": SCHEMA}
    made = []
    for pair in study.pairs:
        runs = (pair.before, pair.after)
        key = make_key("pair", {"runs": [told(run) for run in runs], "options": options})
        made.append(Job("pair", pair.name, key, runs, study.options, store.folder, debug))
    for chain in study.chains:
        parts = {"runs": [told(run) for run in chain.runs], "names": [run.label for run in chain.runs]}
        key = make_key("chain", {**parts, "options": options})
        made.append(Job("chain", chain.name, key, chain.runs, study.options, store.folder, debug))
    prints.save(store.index)
    return made


def _taxonomy(name: str | None) -> str | None:
    """A taxonomy of the user's is what its file says, not what the file is called."""
    if name is None or not Path(name).is_file():
        return name
    return hashlib.blake2b(Path(name).read_bytes(), digest_size=16).hexdigest()


def _ordered(jobs: Any) -> list[Job]:
    """Pairs of one before-run follow each other, so that a process reads it once."""
    return sorted(jobs, key=lambda job: (job.kind == "chain", job.runs[0].path))


def _do_all(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, str | None]]:
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            yield job, do(job)
        return
    left = dict.fromkeys(jobs)
    try:
        for job, failure in _pooled(jobs, min(processes, len(jobs))):
            del left[job]
            yield job, failure
        return
    except BrokenProcessPool:
        pass
    # A process died and took the pool with it. Which job it was is not known: each of the rest gets a process of its own.
    for job in left:
        try:
            yield next(iter(_pooled([job], 1)))
        except BrokenProcessPool:
            yield job, _DIED


def _pooled(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, str | None]]:
    with _threads_divided(processes):
        # spawn: a fork of a process with polars' threads in it may hang
        pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=prepare_process)
        try:
            waiting = {pool.submit(do, job): job for job in jobs}
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:
            # interrupted or broken: what is finished is in the cache, and what is not would keep the user waiting
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _threads_divided(processes: int) -> Iterator[None]:
    """Have the processes that are started here share the cores instead of each taking all."""
    name = "POLARS_MAX_THREADS"
    before = os.environ.get(name)
    os.environ[name] = before or str(max(1, core_count() // processes))
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def core_count() -> int:
    """Return the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
