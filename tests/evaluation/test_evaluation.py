"""From a real model and a suite to a run: what is asked, what is kept, and what survives being killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evaluation.conftest import ENGINE, ITEMS
from forgetmap import compare, evaluate
from forgetmap.errors import RunError, UsageError
from forgetmap.evaluation.jobs import list_jobs, repeats_of
from forgetmap.evaluation.settings import Settings, parse_variants
from forgetmap.evaluation.workplace import Workplace
from forgetmap.run import Run
from forgetmap.suites import Suite

pytest.importorskip("torch")


def rows(run: Run) -> pl.DataFrame:
    """Everything a run says of its samples, in a fixed order."""
    order = ["task", "item_high", "item_low", "repeat", "scorer", "metric"]
    return run.samples.drop("text_row").with_columns(pl.col("task", "scorer", "metric").cast(pl.String)).sort(order)


def test_a_run_holds_every_item_in_every_wording(run: Run, suite: Suite) -> None:
    assert run.info.repeat_kind == "prompt"
    assert run.info.suite == "own"
    counted = rows(run).group_by("task").agg(pl.struct("item_high", "repeat").n_unique().alias("n"))
    assert dict(counted.iter_rows()) == {"sums": 3 * ITEMS, "added": 3 * ITEMS, "talk": 12}
    asked = run.texts().join(run.samples.select("text_row", "task").unique(), on="text_row")
    assert asked.select("task", "prompt").n_unique() == asked.height
    sums = rows(run).filter(pl.col("task") == "sums")
    assert sums["option_logprobs"].list.len().unique().to_list() == [3]
    assert sums["chance"].unique().to_list() == pytest.approx([1 / 3])
    assert rows(run).filter(pl.col("task") == "added")["chance"].unique().to_list() == [0.0]
    keys = {item.key.high for task in suite.tasks for item in task.items()}
    assert set(run.samples["item_high"]) == keys


def test_a_score_is_what_the_model_said(run: Run, suite: Suite, engine: Any) -> None:
    """The likeliest option, worked out anew from transformers itself."""
    from engines.test_transformers import reference

    item = suite.task("sums").items()[5]
    found = rows(run).filter(
        (pl.col("item_high") == item.key.high) & (pl.col("repeat") == 0) & (pl.col("metric") == "acc")
    )
    context = f"Question: {item.question}\nAnswer:"
    told = [reference(engine, context, f" {option}") for option in item.options or ()]
    assert found["option_logprobs"].to_list()[0] == pytest.approx(told, abs=1e-4)
    best = max(range(3), key=told.__getitem__)
    assert found["choice_index"].to_list() == [best]
    assert found["score"].to_list() == [float(best == item.gold_index)]


def test_a_conversation_goes_on(run: Run) -> None:
    texts = run.texts().join(run.samples.filter(pl.col("task") == "talk").select("text_row").unique(), on="text_row")
    assert texts["prompt"].str.contains("And then?", literal=True).all()


def test_categories_of_a_suite_reach_the_map(run: Run) -> None:
    found = compare(run, run)
    assert {cell.name for cell in found.at("category")} >= {"Math", "Language"}


def test_the_same_model_twice_lost_nothing(run: Run, engine: Any, suite: Suite, tmp_path: Path) -> None:
    again = evaluate(engine, suite, tmp_path / "again", variants={"prompt": 3})
    assert rows(again).equals(rows(run))
    twice = compare(run, again)
    assert {cell.verdict for cell in twice.cells}.isdisjoint({"lost", "gained", "both"})
    assert twice.pair.pairing.grade == "A"
    assert not any("reads too low" in said for said in twice.warnings)
    assert twice.total.noise is not None
    assert twice.total.noise["lost"] == pytest.approx(0, abs=1e-12)
    one, other = (evaluate(engine, suite, tmp_path / name) for name in ("one", "other"))
    found = compare(one, other)
    assert found.total.observed["lost"] == found.total.observed["gained"] == 0


KILLED = (
    f"ENGINE = {ENGINE}"
    + """
import os, signal, sys
from forgetmap import evaluate
from forgetmap.engines import open_engine
left = int(sys.argv[4])
def progress(shard, done, whole):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
engine = open_engine("transformers", sys.argv[1], **ENGINE)
evaluate(engine, sys.argv[2], sys.argv[3], variants={"prompt": 3}, progress=progress)
"""
)


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_with_the_same_digits(
    run: Run, smollm2: Path, folder: Path, engine: Any, suite: Suite, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    for after in (1, 3):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(smollm2), str(folder), str(out), str(after)], check=False
        )
        assert done.returncode == -signal.SIGKILL
        assert not out.exists()
    place = Workplace.of(out)
    plan = place.plan()
    assert plan is not None
    assert len(place.done()) == 4 < len(plan.batches)
    told: list[int] = []
    resumed = evaluate(
        engine, suite, out, variants={"prompt": 3}, progress=lambda shard, done, whole: told.append(shard.batch)
    )
    assert len(told) == len(plan.batches) - 4
    ours, theirs = rows(resumed), rows(run)
    close = ours["option_logprobs"].explode() - theirs["option_logprobs"].explode()
    assert (close.abs().max() or 0) < 1e-5
    assert ours.drop("option_logprobs").equals(theirs.drop("option_logprobs"))
    assert resumed.texts().drop("text_row").equals(run.texts().drop("text_row"))
    assert not place.folder.exists()


def test_other_settings_are_not_mixed_in(engine: Any, suite: Suite, tmp_path: Path) -> None:
    def stop(shard: Any, done: int, whole: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(engine, suite, tmp_path / "a", progress=stop)
    with pytest.raises(RunError, match=r"limit: None then, 3 now"):
        evaluate(engine, suite, tmp_path / "a", limit=3)
    evaluate(engine, suite, tmp_path / "a")
    with pytest.raises(RunError, match="another evaluation"):
        evaluate(engine, suite, tmp_path / "a", limit=3)
    assert evaluate(engine, suite, tmp_path / "a").info.complete  # done: nothing is asked again


def test_a_damaged_batch_is_named(engine: Any, suite: Suite, tmp_path: Path) -> None:
    def stop(shard: Any, done: int, whole: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(engine, suite, tmp_path / "a", progress=stop)
    torn = next((tmp_path / "a.part" / "shards").iterdir())
    torn.write_bytes(torn.read_bytes()[:20])
    with pytest.raises(RunError, match="remove this file"):
        evaluate(engine, suite, tmp_path / "a")
    torn.unlink()
    evaluate(engine, suite, tmp_path / "a")


def test_limits_and_tasks_are_told(engine: Any, suite: Suite, tmp_path: Path) -> None:
    found = evaluate(engine, suite, tmp_path / "a", tasks="su*", limit=3)
    assert found.tasks == ["sums"]
    assert found.info.subset == {"limit": 3, "tasks": ["sums"]}
    assert found.samples["item_high"].n_unique() == 3


def test_orders_are_read_back_into_the_items_own(engine: Any, suite: Suite, tmp_path: Path) -> None:
    """Options rated in another order land at their own places: log-likelihoods without labels hardly move."""
    found = evaluate(engine, suite, tmp_path / "a", tasks="sums", variants={"order": 3})
    by_item = (
        rows(found).filter(pl.col("metric") == "acc").group_by("item_high", maintain_order=True).agg("option_logprobs")
    )
    for (told,) in by_item.select("option_logprobs").iter_rows():
        for other in told[1:]:
            assert other == pytest.approx(told[0], abs=1e-3)


def test_repeats_draw_anew_and_need_a_temperature(engine: Any, suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--temperature"):
        evaluate(engine, suite, tmp_path / "a", repeats=3)
    found = evaluate(engine, suite, tmp_path / "a", tasks="added", repeats=3, temperature=1.5)
    assert found.info.repeat_kind == "seed"
    replies = found.texts().join(found.samples.select("text_row", "item_high").unique(), on="text_row")
    assert replies.group_by("item_high").agg(pl.col("response").n_unique())["response"].max() > 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"variants": {"colour": 2}}, "kind 'colour'"),
        ({"tasks": "none*"}, "no task of suite own is called 'none"),
        ({"variants": {"prompt": 4}}, "no task here has more than 3 wordings; ask for prompt=3"),
        ({"engine_options": {"dtype": "float32"}}, "with an engine that is open already"),
        ({"max_tokens": 9000}, "--max-tokens 4096"),
        ({"limit": 0}, "--limit is 0"),
        ({"style": "base_cot"}, "has style base_cot"),
        ({"repeats": 2, "temperature": 1.0, "variants": {"prompt": 2}}, "choose one"),
    ],
)
def test_what_makes_no_sense_is_refused(engine: Any, suite: Suite, tmp_path: Path, given: dict, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        evaluate(engine, suite, tmp_path / "a", **given)
    assert not list(tmp_path.iterdir())


def test_variants_move_side_by_side(suite: Suite) -> None:
    asked = Settings(suite="own", suite_hash="", tasks=("sums",), variants=parse_variants("prompt=3, order=2"))
    found = repeats_of(suite.task("sums"), asked)
    assert [(one.wording, one.order) for one in found] == [(0, 0), (1, 1), (2, 0)]
    assert asked.repeat_kind == "order"
    assert len(list_jobs(suite, asked)) == 3 * ITEMS


def test_an_engine_that_cannot_rate_is_refused_or_asked_for_letters(
    engine: Any, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "can", frozenset({"write", "chat"}))
    with pytest.raises(UsageError, match="--by-letter, in BOTH runs"):
        evaluate(engine, suite, tmp_path / "a", tasks="sums")
    found = evaluate(engine, suite, tmp_path / "a", tasks="sums", by_letter=True, limit=4)
    assert found.info.metrics[0].kind == "generation"
    assert found.samples["chance"].unique().to_list() == pytest.approx([1 / 3])


def test_the_command_line(
    run_cli: Callable[..., tuple[int, str, str]], smollm2: Path, folder: Path, tmp_path: Path
) -> None:
    code, out, err = run_cli(
        "eval", smollm2, "--suite", folder, "--tasks", "sums", "--limit", 3, "--out", tmp_path / "a"
    )
    assert code == 0, err
    assert "3 items in 1 task" in out
    page = tmp_path / "page.html"
    code, out, err = run_cli(
        "map", smollm2, smollm2, "--suite", folder, "--tasks", "sums", "--limit", 3, "--out", tmp_path / "runs",
        "--after-prompt", "chat", "--bridge", "--report", page,
    )  # fmt: skip
    assert code == 0, err
    assert page.is_file()
    assert "prompt" in out
    code, out, err = run_cli("eval", tmp_path / "nothing", "--suite", folder, "--out", tmp_path / "b")
    assert code == 2
    assert "cannot be loaded" in err


def test_it_stops_when_the_gate_is_sure(engine: Any, suite: Suite, tmp_path: Path) -> None:
    """The before-run is a lie, right everywhere: a model that knows no sums surely fails, long before the last item."""
    from forgetmap.evaluation import Until
    from forgetmap.gate import check_sequential

    honest = evaluate(engine, suite, tmp_path / "before", tasks="sums,added")
    right = honest.scan().with_columns(
        score=pl.lit(1.0), correct=pl.lit(True), choice_key="gold_key", choice_index="gold_index"
    )
    before = Run(honest.info, right, honest._texts, honest.source)
    policy = tmp_path / "policy.yaml"
    policy.write_text("limits:\n  - {level: total, lost: 0.02}\n")
    until = Until(policy, before, part=4)
    found = evaluate(engine, suite, tmp_path / "after", tasks="sums,added", until=until)
    asked = found.samples["item_high"].n_unique()
    assert found.info.subset["until_decided"] == asked < 2 * ITEMS
    verdict = check_sequential(before, found, policy)
    assert verdict.passed is False
    same = evaluate(engine, suite, tmp_path / "whole", tasks="sums,added", until=Until(policy, honest, part=4))
    assert "until_decided" not in same.info.subset
    with pytest.raises(UsageError, match="not evaluated now"):
        evaluate(engine, suite, tmp_path / "less", tasks="sums,added", limit=3, until=until)
