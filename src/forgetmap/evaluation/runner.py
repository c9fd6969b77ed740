"""The runner: from a model and a suite to a run, in batches, resumable at any moment."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgetmap.engines import Engine, Request, open_engine
from forgetmap.errors import RunError, UsageError
from forgetmap.evaluation.answering import Batch, answer_batch
from forgetmap.evaluation.jobs import Job, check_engine, list_jobs
from forgetmap.evaluation.results import make_run
from forgetmap.evaluation.settings import Settings, settings_hash
from forgetmap.evaluation.until import Until
from forgetmap.evaluation.workplace import Plan, Shard, Workplace
from forgetmap.run import Run
from forgetmap.storage import is_run_folder, load_run, save_run
from forgetmap.suites import Suite, load
from forgetmap.tasks import fits

#: Called with the shard that was just done, how many are done and how many there are.
Progress = Callable[[Shard, int, int], None]
#: Does batches: yields shards in any order.
Crew = Callable[[Sequence[Batch]], Iterable[Shard]]


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
    style: str = "base",
    by_letter: bool = False,
    repeats: int = 1,
    variants: Mapping[str, int] | None = None,
    temperature: float = 0.0,
    top_p: float = 1.0,
    seed: int = 0,
    max_tokens: int | None = None,
    allow_code: bool = False,
    ray: str | None = None,
    replicas: int | None = None,
    until: Until | None = None,
    progress: Progress | None = None,
) -> Run:
    """Evaluate a model on a suite, and return the run, saved in `out`.

    An evaluation that was interrupted goes on where it was when it is called again in the same way; one that differs in
    anything that changes answers is refused.

    Parameters
    ----------
    model : a hub id, a folder, a .gguf file, the name a server gives its model; or an engine that is open already.
    out : the folder of the run. Work in progress lies beside it, in a folder whose name ends in `.part`.
    until : a gate that ends the evaluation as soon as its outcome is sure.
    ray : the address of a Ray cluster that does the work, "auto" or "local"; `replicas` of the model share it.
    """
    opened = suite if isinstance(suite, Suite) else load(suite, data_dir=data_dir)
    chosen = chosen_tasks(opened, tasks, style)
    asked = Settings(
        suite=opened.name, suite_hash=hash_of(opened, chosen), tasks=chosen, style=style,
        by_letter=by_letter, limit=limit, repeats=repeats, variants=dict(variants or {}), temperature=temperature,
        top_p=top_p, seed=seed, max_tokens=max_tokens,
    )  # fmt: skip
    check_code(opened, asked, allow_code)
    jobs = list_jobs(opened, asked)
    options = dict(engine_options or {})
    crew: Crew
    worker: Any
    if ray is not None:
        from forgetmap.distribute import RayCrew

        if not isinstance(model, str):
            raise UsageError("workers of a cluster open their own engines; name the model instead of giving an engine")
        worker = RayCrew(engine, model, options, address=ray, replicas=replicas)
        crew = worker.work
    else:
        worker = open_engine(engine, model, **options) if isinstance(model, str) else model
        crew = alone(worker)
    try:
        check_engine(worker, jobs, asked)
        requests = [job.request(asked) for job in jobs]
        return carry_out(
            opened, asked, jobs, requests, Path(out), worker.describe(), worker.plan, crew,
            allow_code=allow_code, until=until, progress=progress,
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
    progress: Progress | None = None,
) -> Run:
    """Do what is not done yet, and save the run.

    Parameters
    ----------
    cut : gives the batches of some requests; asked for once, because a resumed evaluation keeps those it began with.
    """
    key = settings_hash(asked, described)
    place = Workplace.of(out)
    if is_run_folder(out):
        return _finished(out, key, place)
    plan = place.plan()
    if plan is None:
        plan = Plan(settings=asked, engine=described, hash=key, jobs=len(jobs), batches=[])
        for part in until.parts(jobs) if until is not None else [list(range(len(jobs)))]:
            plan.batches += [[part[at] for at in batch] for batch in cut([requests[at] for at in part])]
            plan.looks.append(len(plan.batches))
        _check_plan(plan)
        place.begin(plan)
    elif plan.hash != key:
        raise RunError(
            f"{place.folder}: holds an evaluation with other settings ({_difference(plan, asked, described)}); go on with "
            "those, or choose another folder"
        )
    done = place.done()
    pending = [
        Batch(
            number, tuple(places), tuple(requests[at] for at in places), tuple(jobs[at].rendered.turns for at in places)
        )
        for number, places in enumerate(plan.batches)
        if number not in done
    ]
    run = None
    for look in plan.looks:
        for shard in crew([batch for batch in pending if batch.number < look and batch.number not in done]):
            place.add(shard)
            done.add(shard.batch)
            if progress is not None:
                progress(shard, len(done), len(plan.batches))
        replies = [reply for number in range(look) for reply in place.shard(number).replies]
        run = make_run(suite, jobs, replies, plan, allow_code=allow_code)
        if until is not None and look < len(plan.batches) and until.decided(run):
            run.info.subset["until_decided"] = run.info.counts["items"]
            break
    assert run is not None  # there is a look at the end of every plan
    run.info.evaluation = key
    save_run(run, out)
    place.remove()
    return load_run(out)


def _finished(out: Path, key: str, place: Workplace) -> Run:
    run = load_run(out)
    if run.info.evaluation != key:
        raise RunError(f"{out}: holds a run of another evaluation; choose another folder")
    place.remove()  # killed between the last file and the tidying up
    return run


def _check_plan(plan: Plan) -> None:
    placed = sorted(place for batch in plan.batches for place in batch)
    if placed != list(range(plan.jobs)):
        raise RuntimeError("an engine planned some requests twice or not at all")


def _difference(plan: Plan, asked: Settings, described: dict[str, Any]) -> str:
    import msgspec

    then, now = msgspec.to_builtins(plan.settings) | plan.engine, msgspec.to_builtins(asked) | described
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    return "; ".join(f"{name}: {_short(then.get(name))} then, {_short(now.get(name))} now" for name in names[:3])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def chosen_tasks(suite: Suite, tasks: str | Sequence[str] | None, style: str) -> tuple[str, ...]:
    """Return the tasks that are asked for, or all that have the style."""
    names = [task.name for task in suite.tasks]
    if tasks is None:
        having = [task.name for task in suite.tasks if style in task.styles]
        if not having:
            raise UsageError(f"no task of suite {suite.name} has style {style}; choose another --prompt")
        return tuple(having)
    wanted = [tasks] if isinstance(tasks, str) else list(tasks)
    stray = [one for one in wanted if not any(fits(name, one) for name in names)]
    if stray:
        raise UsageError(f"no task of suite {suite.name} is called {stray[0]}; it has {', '.join(names[:6])} …")
    return tuple(name for name in names if any(fits(name, one) for one in wanted))


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
