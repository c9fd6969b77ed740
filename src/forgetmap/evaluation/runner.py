"""The runner: from a model and a suite to a run, in batches, resumable at any moment."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from forgetmap.engines import Engine, Request, open_engine
from forgetmap.errors import RunError, UsageError
from forgetmap.evaluation.answering import Batch, answer_batch
from forgetmap.evaluation.asking import as_settings, check_variants, chosen_tasks, how_asked, overridden
from forgetmap.evaluation.jobs import Job, check_engine, list_jobs
from forgetmap.evaluation.results import make_run, run_info
from forgetmap.evaluation.settings import Settings, settings_hash
from forgetmap.evaluation.until import Until
from forgetmap.evaluation.usage import added, note_usage
from forgetmap.evaluation.workers import check_worker
from forgetmap.evaluation.workplace import Plan, Shard, Workplace, check_out, clear_torn
from forgetmap.run import Run, RunInfo
from forgetmap.storage import is_run_folder, load_run, save_run
from forgetmap.suites import Suite, load

#: Called with the shard that was just done, how many are done and how many there are.
Progress = Callable[[Shard, int, int], None]
#: Does batches: yields shards in any order.
Crew = Callable[[Sequence[Batch]], Iterable[Shard]]
#: Called once, with the suite, what is going to be asked of it and in how many requests.
Announce = Callable[[Suite, Settings, int], None]


def evaluate(
    model: str | Engine,
    suite: str | Suite,
    out: str | Path,
    *,
    engine: str = "transformers",
    engine_options: Mapping[str, Any] | None = None,
    data_dir: str | Path | None = None,
    tasks: str | Sequence[str] | None = None,
    limit: int | None = None,
    style: str = "own",
    by_letter: bool = False,
    repeats: int | None = None,
    variants: Mapping[str, int] | None = None,
    temperature: float = 0.0,
    top_p: float = 1.0,
    seed: int = 0,
    max_tokens: int | None = None,
    allow_code: bool = False,
    ray: str | None = None,
    replicas: int | None = None,
    until: Until | None = None,
    announce: Announce | None = None,
    progress: Progress | None = None,
) -> Run:
    """Evaluate a model on a suite, and return the run, saved in `out`.

    An evaluation that was interrupted goes on where it was when it is called again in the same way; one that differs in
    anything that changes answers is refused.

    Parameters
    ----------
    model : a hub id, a folder, a .gguf file, the name a server gives its model; or an engine that is open already.
    out : the folder of the run. Work in progress lies beside it, in a folder whose name ends in `.part`.
    style : base, chat, base_cot or chat_cot for all tasks; own or own_chat for what each task's `protocol` says.
    repeats, variants : how often and in which ways every item is asked; without either as each task's `repeats` says.
    until : a gate that ends the evaluation as soon as its outcome is sure.
    ray : the address of a Ray cluster that does the work, "auto" or "local"; `replicas` of the model share it.
    announce : told what is going to be asked, before the first request.
    """
    given: Mapping[str, int] | None = {} if variants is None and repeats is not None else variants
    # what makes no sense is refused before anything is read, what does not fit the suite before a model is loaded
    wanted = Settings(
        suite="", suite_hash="", tasks=(), by_letter=by_letter, limit=limit, repeats=1 if repeats is None else repeats,
        variants=dict(given or {}), temperature=temperature, top_p=top_p, seed=seed, max_tokens=max_tokens,
        until=None if until is None else until.key,
    )  # fmt: skip
    place = Path(out)
    options = check_worker(model, engine, engine_options, ray, replicas)
    check_out(place)
    opened = suite if isinstance(suite, Suite) else load(suite, data_dir=data_dir)
    chosen = chosen_tasks(opened, tasks, style)
    check_variants(opened, chosen, given or {})
    asked = msgspec.structs.replace(
        wanted, suite=opened.name, suite_hash=hash_of(opened, chosen), tasks=chosen,
        **{"variants": {}, **as_settings(how_asked(opened, chosen, style, given), style)},
    )  # fmt: skip
    check_code(opened, asked, allow_code)
    begun = Workplace.of(place).plan()
    if begun is not None and begun.settings != asked and not is_run_folder(place):
        raise _other_settings(place, begun, asked, begun.engine)
    jobs = list_jobs(opened, asked)
    parts = None if until is None else until.parts(jobs)
    crew: Crew
    worker: Any
    if ray is not None:
        from forgetmap.distribute import RayCrew

        worker = RayCrew(engine, str(model), options, address=ray, replicas=replicas)
        crew = worker.work
    else:
        worker = open_engine(engine, model, **options) if isinstance(model, str) else model
        crew = alone(worker)
    try:
        check_engine(worker, jobs, asked)
        if announce is not None:
            announce(opened, asked, len(jobs))
        requests = [job.request(asked) for job in jobs]
        return carry_out(
            opened, asked, jobs, requests, place, worker.describe(), worker.plan, crew,
            allow_code=allow_code, until=until, parts=parts, progress=progress,
        )  # fmt: skip
    finally:
        if isinstance(model, str):
            worker.close()


def alone(engine: Engine) -> Crew:
    """Return a crew of one: batches one after the other, in this process."""

    def work(pending: Sequence[Batch]) -> Iterator[Shard]:
        return (answer_batch(engine, batch) for batch in pending)

    return work


def carry_out(
    suite: Suite,
    asked: Settings,
    jobs: Sequence[Job],
    requests: Sequence[Request],
    out: Path,
    described: dict[str, Any],
    cut: Callable[[Sequence[Request]], list[list[int]]],
    crew: Crew,
    *,
    allow_code: bool = False,
    until: Until | None = None,
    parts: list[list[int]] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Do what is not done yet, and save the run.

    Parameters
    ----------
    parts : places of jobs between two looks of `until`, which are batched apart; None for all together.
    cut : gives the batches of some requests; asked for once, because a resumed evaluation keeps those it began with.
    """
    key = settings_hash(asked, described)
    place = Workplace.of(out)
    if is_run_folder(out):
        return _finished(out, key, place, run_info(suite, asked, described))
    plan = place.plan()
    if plan is None:
        plan = Plan(settings=asked, engine=described, hash=key, jobs=len(jobs), batches=[])
        for part in parts or [list(range(len(jobs)))]:
            plan.batches += [[part[at] for at in batch] for batch in cut([requests[at] for at in part])]
            plan.looks.append(len(plan.batches))
        _check_plan(plan)
        place.begin(plan)
    elif plan.hash != key:
        raise _other_settings(out, plan, asked, described)
    shards = place.shards(plan)
    pending = [
        Batch(
            number, tuple(places), tuple(requests[at] for at in places), tuple(jobs[at].rendered.turns for at in places)
        )
        for number, places in enumerate(plan.batches)
        if number not in shards
    ]
    run = None
    for look in plan.looks:
        for shard in crew([batch for batch in pending if batch.number < look and batch.number not in shards]):
            place.add(shard)
            shards[shard.batch] = shard
            if progress is not None:
                progress(shard, len(shards), len(plan.batches))
        so_far = [shards[number] for number in range(look)]
        run = make_run(suite, jobs, [reply for shard in so_far for reply in shard.replies], plan, allow_code=allow_code)
        if until is not None and look < len(plan.batches) and until.decided(run):
            run.info.subset["until_decided"] = run.info.counts["items"]
            break
    assert run is not None  # there is a look at the end of every plan
    run.info.evaluation = key
    note_usage(run, added(shard.usage for shard in so_far))
    if otherwise := {name for names in overridden(suite, asked).values() for name in names}:
        run.info.counts["tasks_asked_otherwise"] = len(otherwise)  # than their own files say
    clear_torn(out)
    save_run(run, out)
    place.remove()
    return load_run(out)


def _finished(out: Path, key: str, place: Workplace, asked: RunInfo) -> Run:
    run = load_run(out)
    if run.info.evaluation != key:
        then, now = (
            {"model": one.model, "suite": one.suite, **one.settings, **one.subset} for one in (run.info, asked)
        )
        what = _changes(then, now) or f"of {run.name} on {run.info.suite}, asked in another way"
        raise RunError(f"{out}: holds a run of another evaluation ({what}); name another folder with --out")
    place.remove()  # killed between the last file and the tidying up
    return run


def _other_settings(out: Path, plan: Plan, asked: Settings, described: dict[str, Any]) -> RunError:
    then, now = msgspec.to_builtins(plan.settings) | plan.engine, msgspec.to_builtins(asked) | described
    return RunError(
        f"{Workplace.of(out).folder}: holds an evaluation with other settings ({_changes(then, now)}); go on with those, name "
        "another folder with --out, or remove it"
    )


def _check_plan(plan: Plan) -> None:
    placed = sorted(place for batch in plan.batches for place in batch)
    if placed != list(range(plan.jobs)):
        raise RuntimeError("an engine planned some requests twice or not at all")


def _changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    names.sort(key=lambda name: name.endswith("hash"))  # which tasks differ says more than that hashes do
    return "; ".join(f"{name}: {_short(then.get(name))} then, {_short(now.get(name))} now" for name in names[:3])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def hash_of(suite: Suite, tasks: Sequence[str]) -> str:
    """Return the hash of some tasks of a suite; the data of others are not touched."""
    told = "".join(suite.task(name).hash for name in tasks)
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def check_code(suite: Suite, asked: Settings, allow_code: bool) -> None:
    """Refuse to run what a model wrote unless someone said so."""
    running = [name for name in asked.tasks if suite.task(name).spec.scoring.kind == "code"]
    if running and not allow_code:
        raise UsageError(
            f"task {running[0]} runs code that the model wrote; allow it with --allow-code, or leave it out with --tasks"
        )
