"""`forgetmap eval` and `forgetmap map`: from models to runs, and to a map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from forgetmap.cli import models, outputs
from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.report.plain import number, plain
from forgetmap.run import Run


def eval_command(
    model: Annotated[
        str, typer.Argument(help="A hub id, a folder, a .gguf file, or the name a server gives its model.")
    ],
    suite: models.SuiteName = "pocket",
    out: Annotated[Path | None, typer.Option(help="Folder of the run. Default: runs/MODEL--SUITE.")] = None,
    engine: models.EngineName = "transformers",
    adapter: Annotated[str | None, typer.Option(help="A LoRA adapter on top of the model.")] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of the model on its hub.")] = None,
    prompt: models.Prompt = "base",
    by_letter: models.ByLetter = False,
    tasks: models.EvalTasks = None,
    limit: models.Limit = None,
    repeats: models.Repeats = 1,
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
    options = _engine_options(engine_option, adapter, revision)
    asked = _evaluation(prompt, by_letter, tasks, limit, repeats, variants, temperature, top_p, seed, max_tokens)
    more: dict[str, Any] = {"allow_code": allow_code, "data_dir": data_dir, "ray": ray, "replicas": replicas}
    if until_decided is not None:
        from forgetmap.evaluation import Until
        from forgetmap.readers import read_run

        policy, before = until_decided
        more["until"] = Until(policy, read_run(before))
    run = _evaluate(model, suite, out or models.default_folder(model, suite), engine, options, {**asked, **more})
    if json:
        opt.write_json(run.summary(), json)
    if json != "-":
        _tell(run, out or models.default_folder(model, suite))


def map_command(
    before: Annotated[str, typer.Argument(help="The model before: a hub id, a folder or a .gguf file.")],
    after: Annotated[str, typer.Argument(help="The model after.")],
    suite: models.SuiteName = "pocket",
    out: Annotated[Path, typer.Option(help="Folder that the runs go into.")] = Path("runs"),
    engine: models.EngineName = "transformers",
    adapter: Annotated[str | None, typer.Option(help="A LoRA adapter on top of the model AFTER.")] = None,
    prompt: models.Prompt = "base",
    after_prompt: Annotated[
        str | None, typer.Option(help="Another prompt for AFTER. Default: the same, which compares like with like.")
    ] = None,
    bridge: Annotated[
        bool, typer.Option("--bridge", help="Ask BEFORE with AFTER's prompt too: parts prompt from training.")
    ] = False,
    by_letter: models.ByLetter = False,
    tasks: models.EvalTasks = None,
    limit: models.Limit = None,
    repeats: models.Repeats = 1,
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

    opt.one_of(by, LEVELS, "--by")
    files = outputs.Outputs(report=report)
    files.check()
    if bridge and after_prompt in (None, prompt):
        raise UsageError("--bridge parts prompt from training, but both models get the same prompt; add --after-prompt")
    asked = _evaluation(prompt, by_letter, tasks, limit, repeats, variants, temperature, top_p, seed, max_tokens)
    asked |= {"allow_code": allow_code, "data_dir": data_dir, "ray": ray, "replicas": replicas}
    theirs = {**asked, "style": after_prompt or prompt}
    plain_options, adapted = _engine_options(engine_option), _engine_options(engine_option, adapter)
    runs = {"before": (before, plain_options, asked), "after": (after, adapted, theirs)}
    if bridge:
        runs["bridge"] = (before, plain_options, theirs)
    made = {
        role: _evaluate(
            model, suite, out / f"{role}--{models.default_folder(model, suite).name}", engine, options, wanted
        )
        for role, (model, options, wanted) in runs.items()
    }
    own = load(suite, data_dir=data_dir).spec.taxonomy
    maps = compare_all(
        made["before"], [made["after"]], taxonomy=taxonomy or own or "post_forget", bridge=made.get("bridge")
    )
    sheets = [Sheet.of(found) for found in maps]
    said = files.write(sheets, level=by, reading="auto", maps=maps)
    if json:
        opt.write_json(maps_to_dict(maps), json)
    if json != "-":
        print_maps(opt.console(), sheets, level=by, reading="auto")
        outputs.say(said)


def _engine_options(given: list[str] | None, adapter: str | None = None, revision: str | None = None) -> dict[str, Any]:
    named = {"adapter": adapter, "revision": revision}
    return {**models.parse_engine_options(given), **{name: one for name, one in named.items() if one is not None}}


def _evaluation(
    prompt: str, by_letter: bool, tasks: list[str] | None, limit: int | None, repeats: int, variants: str | None,
    temperature: float, top_p: float, seed: int, max_tokens: int | None,
) -> dict[str, Any]:  # fmt: skip
    from forgetmap.evaluation import parse_variants
    from forgetmap.suites.spec import STYLES

    opt.one_of(prompt, STYLES, "--prompt")
    return {
        "style": prompt, "by_letter": by_letter, "tasks": tasks, "limit": limit, "repeats": repeats,
        "variants": parse_variants(variants or ""), "temperature": temperature, "top_p": top_p, "seed": seed,
        "max_tokens": max_tokens,
    }  # fmt: skip


def _evaluate(model: str, suite: str, out: Path, engine: str, options: dict[str, Any], asked: dict[str, Any]) -> Run:
    from forgetmap.evaluation import evaluate

    with models.bar(out.name) as progress:
        return evaluate(model, suite, out, engine=engine, engine_options=options, progress=progress, **asked)


def _tell(run: Run, out: Path) -> None:
    counts = run.info.counts
    said = f"{number(counts.get('items', 0), 'item')} in {number(len(run.tasks), 'task')}"
    opt.console().print(plain(f"{run.name}: {said}, saved in {out}"))
    if (items := run.info.subset.get("until_decided")) is not None:
        opt.console().print(plain(f"stopped after {number(items, 'item')}: the outcome of the gate is sure"))
