"""Results: answers become scores, and scores a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from forgetmap import items
from forgetmap.builder import Item as RunItem
from forgetmap.builder import RunBuilder, make_item
from forgetmap.evaluation.jobs import Job
from forgetmap.evaluation.settings import Settings
from forgetmap.evaluation.workplace import Plan, Reply
from forgetmap.run import Run, RunInfo
from forgetmap.suites.scoring import Scored, score
from forgetmap.suites.suite import Suite

TOOL = "forgetmap"
_UNCHANCED = ("likelihood", "letter")  # kinds in which a guess among the options can be right


def make_run(
    suite: Suite, jobs: Sequence[Job], replies: Iterable[Reply], plan: Plan, *, allow_code: bool = False
) -> Run:
    """Return the run of the answers that are there, in the order of the jobs."""
    builder = RunBuilder(source=suite.name, texts=True)
    known: dict[tuple[str, str], RunItem] = {}
    kinds: dict[tuple[str, str, str], str] = {}
    first: dict[str, tuple[str, str]] = {}
    for reply in sorted(replies, key=lambda one: one.job):
        job = jobs[reply.job]
        item = known.setdefault((job.task.name, job.item.native_id), _item(job, plan.settings))
        answer: Any = reply.rated if reply.rated is not None else reply.written
        scored = score(job.task, job.item, job.rendered, answer, allow_code=allow_code)
        _add(builder, item, job, reply, scored)
        kind = "likelihood" if reply.rated is not None else "generation"
        for one in scored:
            kinds[job.task.name, one.scorer, one.metric] = kind
        first.setdefault(job.task.name, (scored[0].scorer, scored[0].metric))

    def described(task: str, scorer: str, metric: str) -> dict[str, Any]:
        return {
            "higher_is_better": True,
            "kind": kinds[task, scorer, metric],
            "default": first[task] == (scorer, metric),
        }

    return builder.finish(run_info(suite, plan.settings, plan.engine), metrics=described)


def _item(job: Job, settings: Settings) -> RunItem:
    asked = job.item
    closed = job.rendered.kind == "rate" or job.task.spec.scoring.kind in _UNCHANCED or settings.by_letter
    options = asked.options if closed else None
    return make_item(
        job.task.name, key=asked.key, native_id=asked.native_id, question=_question(asked), options=options,
        gold=list(asked.gold), gold_index=asked.gold_index if options else None, open_ended=options is None,
        cluster=asked.cluster, category=[str(asked.facts["sort"])] if asked.facts.get("sort") else None,
    )  # fmt: skip


def _question(asked: Any) -> str:
    passage = asked.passage
    return asked.question if not passage or passage in asked.question else f"{passage}\n\n{asked.question}"


def _add(builder: RunBuilder, item: RunItem, job: Job, reply: Reply, scored: Sequence[Scored]) -> None:
    prompt, response, logprobs, tokens, reason = _texts(job, reply)
    builder.reply(item, prompt=prompt, response=response, choice=scored[0].choice)
    for one in scored:
        builder.sample(
            item, repeat=job.repeat, scorer=one.scorer, metric=one.metric, score=one.score, state=one.state,
            choice=one.choice, choice_index=one.choice_index, option_logprobs=logprobs, prompt_key=items.text_hash(prompt),
            output_tokens=tokens, stop_reason=reason, error=one.error,
        )  # fmt: skip


def _texts(job: Job, reply: Reply) -> tuple[str, str | None, list[float] | None, int | None, str | None]:
    """Prompt, reply, log-likelihoods in the item's own order of options, tokens written and why they ended."""
    if reply.rated is not None:
        shown = job.rendered.shown or tuple(range(len(reply.rated.logprobs)))
        by_option = dict(zip(shown, reply.rated.logprobs, strict=True))
        return reply.rated.context, None, [by_option[place] for place in sorted(by_option)], None, None
    written = reply.written
    said = "\n\n".join(one.text for one in written)
    return written[-1].context, said, None, sum(one.tokens for one in written), written[-1].stop_reason


#: What tells one model from another: not settings of a run.
_IDENTITY = ("model", "revision", "weights", "adapter", "config", "tokenizer")


def run_info(suite: Suite, settings: Settings, engine: dict[str, Any]) -> RunInfo:
    """Return what a run says of itself before there are answers."""
    from importlib.metadata import version

    subset: dict[str, Any] = {}
    if settings.limit is not None:
        subset["limit"] = settings.limit
    if set(settings.tasks) != {task.name for task in suite.tasks}:
        subset["tasks"] = list(settings.tasks)
    asked = {
        "style": settings.style, "by_letter": settings.by_letter, "temperature": settings.temperature,
        "top_p": settings.top_p, "suite_hash": settings.suite_hash, "max_tokens": settings.max_tokens,
    }  # fmt: skip
    about = {name: value for name, value in engine.items() if name not in _IDENTITY}
    return RunInfo(
        model="+".join(str(engine[name]) for name in ("model", "adapter") if engine.get(name)),
        model_revision=engine.get("revision") or engine.get("weights"),
        suite=suite.name,
        tool=TOOL,
        tool_version=version("forgetmap"),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        settings={**asked, **about},
        task_settings={name: _of_task(suite, settings, name) for name in settings.tasks},
        categories=_categories(suite, settings),
        subset=subset,
        repeat_kind=settings.repeat_kind,
    )


def _of_task(suite: Suite, settings: Settings, name: str) -> dict[str, Any]:
    style = settings.of(name).style
    # where all tasks have one style, the run's own settings say it
    own = {} if style == settings.style else {"style": style}
    return {"scoring": suite.task(name).spec.scoring.kind, **own}


def _categories(suite: Suite, settings: Settings) -> dict[str, dict[str, str]]:
    """Taxonomy → task → category."""
    found: dict[str, dict[str, str]] = {}
    for name in settings.tasks:
        for taxonomy, category in suite.task(name).categories.items():
            found.setdefault(taxonomy, {})[name] = category
    return found


def mean_scores(run: Run) -> list[tuple[str, int, float]]:
    """Task, items and mean score under the task's own metric; nothing is corrected here."""
    names = ["task", "scorer", "metric"]
    own = [(one.task, one.scorer, one.metric) for one in run.info.metrics if one.default]
    rows = run.scan().with_columns(pl.col(name).cast(pl.String) for name in names)
    rows = rows.join(pl.LazyFrame(own, schema=names, orient="row"), on=names).filter(pl.col("score").is_not_null())
    items = pl.struct("item_high", "item_low", "occurrence").n_unique()
    return rows.group_by("task").agg(items, pl.col("score").mean()).sort("task").collect().rows()
