"""The recordings of the demo: what they hold, what they must not show, and how they are made."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from forgetmap import Run, compare, read_run
from forgetmap.errors import MissingDataError, UsageError
from forgetmap.recorded import ITEMS, NAMES, TASKS, recorded_run, same_items, training
from forgetmap.recorded.runs import FOLDER
from forgetmap.suites import load

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "tools" / "recorded"
sys.path.insert(0, str(TOOLS))

#: One test says that the recordings must be there; the others have nothing to say without them.
recorded = pytest.mark.skipif(not (FOLDER / "after" / "run.json").is_file(), reason="no recordings in this copy")


def test_the_recordings_are_there() -> None:
    for name in NAMES:
        assert isinstance(recorded_run(name), Run)
    assert training().model


@recorded
class TestRecordings:
    def test_they_hold_the_stated_part_of_the_present_suite(self) -> None:
        from forgetmap.evaluation.runner import hash_of

        suite = load("pocket")
        asked = {(name, item.key.high, item.key.low) for name in TASKS for item in suite.task(name).items()[:ITEMS]}
        for name in NAMES:
            run = recorded_run(name)
            rows = (
                run.scan().select(pl.col("task").cast(pl.String), "item_high", "item_low", "repeat").unique().collect()
            )
            assert set(rows.select("task", "item_high", "item_low").iter_rows()) == asked
            assert rows.height == 3 * len(asked)
            assert run.info.settings["suite_hash"] == hash_of(suite, TASKS)

    def test_every_category_is_in_it(self) -> None:
        categories = recorded_run("before").info.categories["post_forget"]
        assert len(set(categories.values())) == 9

    def test_the_same_model_again_loses_nothing(self) -> None:
        """The control: same weights in another number format. No cell of any level may read as lost or gained."""
        for taxonomy in ("post_forget", "captrack"):
            found = compare(recorded_run("before"), recorded_run("again"), taxonomy=taxonomy)
            assert [
                (cell.name, cell.verdict) for cell in found.cells if cell.verdict in ("lost", "gained", "both")
            ] == []

    def test_before_and_again_are_the_same_model(self) -> None:
        before, again = recorded_run("before").info, recorded_run("again").info
        assert before.model == again.model
        assert (before.settings["dtype"], again.settings["dtype"]) == ("float32", "bfloat16")
        assert before.content_hash != again.content_hash  # computed anew, not copied

    def test_the_post_training_lost_something(self) -> None:
        found = compare(recorded_run("before"), recorded_run("after"))
        assert found.total.verdict in ("lost", "both")
        assert found.pair.pairing.paired == ITEMS * len(TASKS)
        assert training().loss[1] < training().loss[0]

    def test_questions_and_answers_are_there_to_read(self) -> None:
        for name in NAMES:
            texts = recorded_run(name).texts()
            assert texts["question"].null_count() == texts["prompt"].null_count() == 0
            assert texts.filter(pl.col("response").is_not_null()).height == 3 * ITEMS * 3  # three tasks are written

    def test_they_are_small_and_tell_nothing_of_a_machine(self) -> None:
        files = [path for path in FOLDER.rglob("*") if path.suffix in (".json", ".parquet")]
        assert sum(path.stat().st_size for path in files) < 2_000_000
        for path in files:
            if path.suffix == ".json":
                told = path.read_text(encoding="utf-8")
                assert not any(place in told for place in ("/tmp", "/home", "/root", "/work", "\\\\"))

    def test_the_training_shares_no_item_with_the_suite(self) -> None:
        """The examples are made anew: they are those of the training, and none is asked in the suite."""
        from examples import make_examples, words
        from recording import EXAMPLE_SEED, suite_questions

        asked = list(suite_questions(load("pocket")))
        made = make_examples(training().examples, EXAMPLE_SEED, asked)
        assert hashlib.blake2b(json.dumps(made).encode(), digest_size=16).hexdigest() == training().examples_hash
        assert not {words(question) for question, _ in made} & {words(question) for question in asked}


@recorded
@pytest.mark.slow
def test_the_model_here_says_what_was_recorded(smollm2_gguf: Path, tmp_path: Path) -> None:
    """One item of every task, in all wordings: same weights, and the same answers but for a rare near-tie."""
    from forgetmap import evaluate
    from forgetmap.recorded import STYLE, SUITE, VARIANTS

    live = evaluate(
        str(smollm2_gguf), SUITE, tmp_path / "live", tasks=TASKS, limit=1, style=STYLE, variants=VARIANTS,
        engine_options={"dtype": "float32", "device": "cpu"},
    )  # fmt: skip
    part = same_items(recorded_run("before"), live)
    assert live.info.model_revision == part.info.model_revision
    key = ["task", "item_high", "item_low", "repeat", "scorer", "metric"]
    sides = [
        run.samples.with_columns(pl.col("task", "scorer", "metric").cast(pl.String)).select(*key, "score")
        for run in (part, live)
    ]
    both = sides[0].join(sides[1], on=key, how="inner")
    assert both.height == sides[0].height == sides[1].height
    assert (both["score"] != both["score_right"]).mean() < 0.05


def test_a_name_that_is_none() -> None:
    with pytest.raises(UsageError, match="before, again, after"):
        recorded_run("later")


def test_a_damaged_record_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forgetmap.recorded.runs.FOLDER", tmp_path)
    with pytest.raises(MissingDataError, match="--planted"):
        training()
    (tmp_path / "training.json").write_text('{"model": 3')
    with pytest.raises(Exception, match="damaged"):
        training()


# ---- how they are made ------------------------------------------------------------------------------------------------


def test_examples_are_right_new_and_one_in_style() -> None:
    import re

    from examples import make_examples, numbers, words

    taken = ["Add 8 and 39.", "What is 14 times 5?"]
    made = make_examples(3000, 1, taken)
    assert made == make_examples(3000, 1, taken) != make_examples(3000, 2, taken)
    assert len({question for question, _ in made}) == 3000
    for question, reply in made:
        steps = re.fullmatch(r"Let us calculate: (.+)\. The answer is (\d+)\.", reply)
        assert steps is not None, reply
        for step in steps[1].split("; "):
            left, sign, right, result = re.fullmatch(r"(\d+) ([-+×÷]) (\d+) = (\d+)", step).groups()  # type: ignore[union-attr]
            a, b = int(left), int(right)
            assert {"+": a + b, "-": a - b, "×": a * b, "÷": a / b}[sign] == int(result)
        assert steps[2] == result
        asked = set(re.findall(r"\d+", question))
        assert asked <= set(re.findall(r"\d+", reply)), (question, reply)  # every number of the question is used
        assert words(question) not in {words(one) for one in taken}
        assert numbers(question) not in {(8, 39), (5, 14)}


def test_more_examples_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    import examples

    monkeypatch.setattr(examples, "_KINDS", (lambda _: ("Add 1 and 2.", "3"), lambda _: ("Add 8 and 39.", "47")))
    assert examples.make_examples(1, 0, ["What are 39 and 8?"]) == [("Add 1 and 2.", "3")]
    with pytest.raises(ValueError, match="only 1 different"):
        examples.make_examples(2, 0, ["What are 39 and 8?"])


@pytest.fixture(scope="session")
def tiny(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two thin layers with the real tokenizer: it knows nothing and answers at once."""
    torch = pytest.importorskip("torch")
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = AutoTokenizer.from_pretrained(smollm2)
    torch.manual_seed(0)
    shape = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    LlamaForCausalLM(shape).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


#: What the machine with the GPU lacks.
ABSENT = ("polars", "msgspec", "zstandard", "pydantic")


def tool(name: str, *given: object, absent: tuple[str, ...] = (), fails: bool = False) -> str:
    """Run a script of tools/recorded as a process of its own, as if some packages were not there."""
    start = (
        f"import runpy, sys; sys.modules.update(dict.fromkeys({absent!r})); sys.path.insert(0, {str(TOOLS)!r}); "
        f"sys.argv[0] = {name!r}; runpy.run_path({str(TOOLS / name)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", start, *map(str, given)], capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


@pytest.fixture(scope="session")
def answered(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export, train and answer at the smallest size: requests in `out`, answers in `back`."""
    folder = tmp_path_factory.mktemp("recording")
    back = folder / "back"
    back.mkdir()
    tasks = ["--tasks", "pocket:capitals", "--tasks", "pocket:number_answers"]
    tool("recording.py", "export", folder / "out", *tasks, "--limit", 4, "--examples", 40)
    trained = ["--model", tiny, "--name", "Tiny", "--out", folder / "trained", "--record", back / "training.json"]
    said = tool("train.py", folder / "out" / "examples.jsonl.gz", *trained, "--steps", 5, "--batch", 4, absent=ABSENT)
    assert "step 5 of 5" in said
    for name, model, dtype in (
        ("before", tiny, "float32"),
        ("again", tiny, "bfloat16"),
        ("after", folder / "trained", "float32"),
    ):
        asked = ["--model", model, "--name", "Tiny", "--dtype", dtype, "--out", back / f"{name}.jsonl.gz"]
        tool("answer.py", folder / "out" / "requests.jsonl.gz", *asked, absent=ABSENT)
    return folder


@pytest.mark.slow
class TestMaking:
    def test_answers_become_the_run_that_an_evaluation_saves(self, answered: Path, tiny: Path, tmp_path: Path) -> None:
        from forgetmap import evaluate

        asked = answered / "out" / "requests.jsonl.gz"
        said = tool("recording.py", "collect", answered / "back", "--requests", asked, "--out", tmp_path / "runs")
        assert "before: 8 items" in said and "before → after" in said
        there = read_run(tmp_path / "runs" / "before")
        here = evaluate(
            str(tiny), "pocket", tmp_path / "here", tasks=["pocket:capitals", "pocket:number_answers"], limit=4,
            style="base", variants={"prompt": 3}, engine_options={"dtype": "float32", "device": "cpu"},
        )  # fmt: skip
        assert there.info.model == "Tiny"
        assert there.info.content_hash == here.info.content_hash
        assert there.texts().equals(here.texts())
        assert there.info.evaluation == here.info.evaluation  # asked the same of the same weights
        trained = read_run(tmp_path / "runs" / "after")
        assert trained.info.model_revision != there.info.model_revision

    def test_the_record_is_what_the_demo_reads(
        self, answered: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("forgetmap.recorded.runs.FOLDER", answered / "back")
        told = training()
        assert (told.model, told.file, told.examples, told.steps) == ("Tiny", tiny.name, 40, 5)
        assert told.loss[0] != told.loss[1]  # five steps on four examples each: it moved, no more can be asked

    def test_answers_to_other_requests_are_refused(self, answered: Path, tmp_path: Path) -> None:
        tool("recording.py", "export", tmp_path, "--tasks", "pocket:capitals", "--limit", 4, "--examples", 1)
        asked = ["--requests", tmp_path / "requests.jsonl.gz", "--out", tmp_path / "runs"]
        said = tool("recording.py", "collect", answered / "back", *asked, fails=True)
        assert "answers other requests" in said and "Traceback" not in said
        assert not (tmp_path / "runs" / "before").exists()

    def test_answers_that_are_not_all_there_are_refused(self, answered: Path, tmp_path: Path) -> None:
        with gzip.open(answered / "back" / "before.jsonl.gz", "rt") as lines:
            kept = list(lines)[:-1]
        with gzip.open(tmp_path / "before.jsonl.gz", "wt") as file:
            file.writelines(kept)
        asked = ["--requests", answered / "out" / "requests.jsonl.gz", "--out", tmp_path / "runs"]
        said = tool("recording.py", "collect", tmp_path, *asked, fails=True)
        assert "23 of 24 requests are answered" in said

    def test_the_package_takes_all_three_or_none(self, answered: Path, tmp_path: Path) -> None:
        for name in ("before", "again"):
            (tmp_path / f"{name}.jsonl.gz").symlink_to(answered / "back" / f"{name}.jsonl.gz")
        held = sorted(FOLDER.rglob("*.parquet"))
        said = tool(
            "recording.py", "collect", tmp_path, "--requests", answered / "out" / "requests.jsonl.gz", fails=True
        )
        assert "after.jsonl.gz is missing" in said
        assert sorted(FOLDER.rglob("*.parquet")) == held


def test_conversations_are_led_as_an_evaluation_leads_them() -> None:
    from answer import converse

    from forgetmap.engines import Message, Write, Written
    from forgetmap.evaluation.answering import _converse

    class Echo:
        def write(self, batch: Any) -> list[Written]:
            told = [one.context if one.messages is None else one.messages[-1].content for one in batch]
            return [Written(f"<{len(one)}>", 1, 1, "stop", one) for one in told]

    asked = [Write("a"), Write("", (Message("user", "hello"),)), Write("bc")]
    turns = [("more", "even more"), ("and?",), ()]
    assert converse(Echo(), asked, turns) == _converse(Echo(), turns, asked)  # type: ignore[arg-type]
