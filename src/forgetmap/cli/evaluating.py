"""`forgetmap eval` and `forgetmap map`: from models to runs, and to a map."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forgetmap.cli import models, outputs
from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.report.plain import number, percent, plain
from forgetmap.run import Run

if TYPE_CHECKING:  # other commands start without what only these need
    from forgetmap.evaluation import Until
    from forgetmap.suites import Suite


#: With more tasks than these, one line for all of them.
_FEW_TASKS = 12


def eval_command(
    model: Annotated[
        str, typer.Argument(help="A hub id, a folder, a .gguf file, or the name a server gives its model.")
    ],
    suite: models.SuiteName = "pocket",
    out: Annotated[Path | None, typer.Option(help="Folder of the run. Default: runs/MODEL--SUITE.")] = None,
    engine: models.EngineName = "transformers",
    adapter: Annotated[str | None, typer.Option(help="A LoRA adapter on top of the model.")] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of the model on its hub.")] = None,
    prompt: models.Prompt = "own",
    by_letter: models.ByLetter = False,
    tasks: models.EvalTasks = None,
    limit: models.Limit = None,
    repeats: models.Repeats = None,
    variants: models.Variants = None,
    temperature: models.Temperature = 0.0,
    top_p: models.TopP = 1.0,
    seed: models.Seed = 0,
    max_tokens: models.MaxTokens = None,
    allow_code: models.AllowCode = False,
    data_dir: models.DataDir = None,
    engine_option: models.EngineOptions = None,
    ray: models.Ray = None,
    replicas: models.Replicas = None,
    until_decided: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="POLICY BEFORE_RUN",
            help="Stop as soon as the gate of this policy surely passes or fails against the run of the model before.",
        ),
    ] = None,
    json: opt.Json = None,
    debug: opt.Debug = False,
) -> None:
    """Evaluate a model on a suite and save the run, for `forgetmap compare`.

    Interrupt it whenever you like: the same command goes on where it was.

    Example: forgetmap eval my-model --suite pocket --variants prompt=3 --out runs/base
    """
    _check_json(json)
    options = _engine_options(engine_option, adapter, revision)
    asked = _evaluation(prompt, by_letter, tasks, limit, repeats, variants, temperature, top_p, seed, max_tokens)
    more: dict[str, Any] = {"allow_code": allow_code, "data_dir": data_dir, "ray": ray, "replicas": replicas}
    if until_decided is not None:
        more["until"] = _until(until_decided[0], str(until_decided[1]))
    place = out or models.default_folder(model, suite)
    was_there = (place / "run.json").exists()
    run = _evaluate(model, suite, place, engine, options, {**asked, **more, "announce": models.announcer()})
    if json:
        opt.write_json({**run.summary(), "usage": _usage(run)}, json)
    if json != "-":
        _tell(run, place, was_there)
        if until_decided is not None:
            _tell_gate(more["until"], run)


def map_command(
    before: Annotated[str, typer.Argument(help="The model before: a hub id, a folder or a .gguf file.")],
    after: Annotated[str, typer.Argument(help="The model after.")],
    suite: models.SuiteName = "pocket",
    out: Annotated[Path, typer.Option(help="Folder that the runs go into.")] = Path("runs"),
    engine: models.EngineName = "transformers",
    adapter: Annotated[str | None, typer.Option(help="A LoRA adapter on top of the model AFTER.")] = None,
    prompt: models.Prompt = "own",
    after_prompt: Annotated[
        str | None, typer.Option(help="Another prompt for AFTER. Default: the same, which compares like with like.")
    ] = None,
    bridge: Annotated[
        bool, typer.Option("--bridge", help="Ask BEFORE with AFTER's prompt too: parts prompt from training.")
    ] = False,
    by_letter: models.ByLetter = False,
    tasks: models.EvalTasks = None,
    limit: models.Limit = None,
    repeats: models.Repeats = None,
    variants: models.Variants = None,
    temperature: models.Temperature = 0.0,
    top_p: models.TopP = 1.0,
    seed: models.Seed = 0,
    max_tokens: models.MaxTokens = None,
    allow_code: models.AllowCode = False,
    data_dir: models.DataDir = None,
    engine_option: models.EngineOptions = None,
    ray: models.Ray = None,
    replicas: models.Replicas = None,
    until_decided: Annotated[
        Path | None,
        typer.Option(
            metavar="POLICY",
            help="Ask AFTER only until the gate of this policy surely passes or fails; BEFORE is asked all.",
        ),
    ] = None,
    taxonomy: Annotated[
        str | None, typer.Option(help="post_forget, captrack or a YAML file. Default: the suite's own.")
    ] = None,
    by: Annotated[str, typer.Option(help="Rows of the table: task, category, group or total.")] = "category",
    json: opt.Json = None,
    report: outputs.Page = None,
    debug: opt.Debug = False,
) -> None:
    """Evaluate two models on a suite and compare them: from two models to a map in one command.

    Example: forgetmap map base-model tuned-model --suite pocket --report out.html
    """
    from forgetmap.levels import LEVELS
    from forgetmap.map import compare_all, maps_to_dict
    from forgetmap.report.sheet import Sheet
    from forgetmap.report.tables import print_maps
    from forgetmap.suites import load
    from forgetmap.taxonomies import load_taxonomy

    # all that can be told beforehand is told before hours are spent on models
    opt.one_of(by, LEVELS, "--by")
    files = outputs.Outputs(report=report)
    files.check()
    _check_json(json)
    if bridge and after_prompt in (None, prompt):
        raise UsageError("--bridge parts prompt from training, but both models get the same prompt; add --after-prompt")
    asked = _evaluation(prompt, by_letter, tasks, limit, repeats, variants, temperature, top_p, seed, max_tokens)
    asked |= {"allow_code": allow_code, "ray": ray, "replicas": replicas, "announce": models.announcer()}
    theirs = {**asked, "style": _checked_prompt(after_prompt or prompt, "--after-prompt")}
    plain_options, adapted = _engine_options(engine_option), _engine_options(engine_option, adapter)
    opened = load(suite, data_dir=data_dir)
    places = load_taxonomy(taxonomy or opened.spec.taxonomy or "post_forget")
    if until_decided is not None:
        _check_policy(until_decided)
    runs = {"before": (before, plain_options, asked), "after": (after, adapted, theirs)}
    if bridge:
        runs["bridge"] = (before, plain_options, theirs)
    made: dict[str, Run] = {}
    until = None
    for role, (model, options, wanted) in runs.items():
        place = out / f"{role}--{models.default_folder(model, suite).name}"
        more = {}
        if role == "after" and until_decided is not None:
            until = more["until"] = _until(until_decided, made["before"])
        made[role] = _evaluate(model, opened, place, engine, options, {**wanted, **more})
    maps = compare_all(
        made["before"], [made["after"]], taxonomy=places, weight=opened.spec.weight, bridge=made.get("bridge")
    )
    sheets = [Sheet.of(found) for found in maps]
    outputs.check_shown(sheets, level=by, reading="auto", style="forgetmap")
    said = files.write(sheets, level=by, reading="auto", maps=maps)
    if json:
        opt.write_json({**maps_to_dict(maps), "usage": {role: _usage(run) for role, run in made.items()}}, json)
    if json != "-":
        print_maps(opt.console(), sheets, level=by, reading="auto")
        if until is not None:
            _tell_gate(until, made["after"])
        _tell_usage(made)
        outputs.say(said)


def _check_json(json: str | None) -> None:
    if json and json != "-":
        opt.check_target(Path(json), "--json")


def _checked_prompt(prompt: str, option: str) -> str:
    from forgetmap.suites.spec import PROMPTS

    return opt.one_of(prompt, PROMPTS, option)


def _engine_options(given: list[str] | None, adapter: str | None = None, revision: str | None = None) -> dict[str, Any]:
    named = {"adapter": adapter, "revision": revision}
    return {**models.parse_engine_options(given), **{name: one for name, one in named.items() if one is not None}}


def _evaluation(
    prompt: str, by_letter: bool, tasks: list[str] | None, limit: int | None, repeats: int | None, variants: str | None,
    temperature: float, top_p: float, seed: int, max_tokens: int | None,
) -> dict[str, Any]:  # fmt: skip
    from forgetmap.evaluation import parse_variants

    return {
        "style": _checked_prompt(prompt, "--prompt"), "by_letter": by_letter, "tasks": tasks, "limit": limit,
        "repeats": repeats, "variants": None if variants is None else parse_variants(variants),
        "temperature": temperature, "top_p": top_p, "seed": seed, "max_tokens": max_tokens,
    }  # fmt: skip


def _check_policy(policy: Path) -> None:
    from forgetmap.gate import load_policy

    load_policy(policy)


def _until(policy: Path, before: str | Run) -> Until:
    from forgetmap.evaluation import Until
    from forgetmap.readers import read_run

    _check_policy(policy)  # before a log of millions of lines is read
    return Until(policy, before if isinstance(before, Run) else read_run(before))


def _evaluate(
    model: str, suite: str | Suite, out: Path, engine: str, options: Mapping[str, Any], asked: Mapping[str, Any]
) -> Run:
    from forgetmap.evaluation import evaluate
    from forgetmap.evaluation.workplace import Workplace

    try:
        with models.bar(out.name) as progress:
            return evaluate(
                model, suite, out, engine=engine, engine_options=options, progress=progress, **asked
            )  # fmt: skip
    except KeyboardInterrupt:
        place = Workplace.of(out)
        kept = f"what is done is kept in {place.folder}: run" if place.folder.exists() else "nothing was asked yet: run"
        typer.echo(f"forgetmap: interrupted; {kept} the same command again to go on", err=True)
        raise typer.Exit(130) from None  # as shells tell it


def _tell(run: Run, out: Path, was_there: bool) -> None:
    from forgetmap.evaluation.results import mean_scores

    counts = run.info.counts
    said = f"{number(counts.get('items', 0), 'item')} in {number(len(run.tasks), 'task')}"
    console = opt.console()
    scores = mean_scores(run)
    for task, items, score in scores if len(scores) <= _FEW_TASKS else []:
        console.print(plain(f"  {task}  {number(items, 'item')}, score {percent(score)}"))
    if scores:
        said += f", mean score over tasks {percent(fmean(score for _, _, score in scores))}"
    where = "already in" if was_there else "saved in"
    console.print(plain(f"{run.name}: {said}, {where} {out}"))
    _tell_usage({run.name: run})
    console.print(plain(f"next: the same for the other model, then forgetmap compare {out} OTHER", "dim"))


def _usage(run: Run) -> dict[str, Any] | None:
    import msgspec

    from forgetmap.evaluation.usage import usage_of

    found = usage_of(run)
    return None if found is None else msgspec.to_builtins(found)


def _tell_usage(runs: Mapping[str, Run]) -> None:
    from forgetmap.evaluation.usage import added, usage_of

    found = {name: usage_of(run) for name, run in runs.items()}
    if len(found) > 1:
        found["together"] = added(found.values())
    for name, usage in found.items():
        if usage is not None:
            opt.console().print(plain(f"{name}: {usage}"))


def _tell_gate(until: Until, run: Run) -> None:
    """Say whether the gate was sure before the end, and of what."""
    asked = run.info.subset.get("until_decided")
    of = until.before.info.counts.get("items", 0)
    outcome = "passes" if until.result(run).passed else "fails"
    if asked is None:
        said = f"the gate {outcome}, and was not sure of it before the last item"
    else:
        said = f"stopped after {asked:,} of {number(of, 'item')}: the gate surely {outcome}"
    show = ["forgetmap", "gate", until.before.source, run.source, "--policy", str(until.policy), "--sequential"]
    opt.console().print(plain(f"{said} ({shlex.join(show)})"))
