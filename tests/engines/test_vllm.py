"""The vllm engine with a real small model, beside the transformers engine: `make test-vllm`, in an environment of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forgetmap.engines import Message, Rate, Rated, Write, open_engine
from forgetmap.engines.vllm_loading import adapter_options, files_fingerprint
from forgetmap.errors import UsageError

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")
#: Two back ends sum in another order; that alone moves log-likelihoods so far.
APART = 0.07
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


def agree(ours: list[Rated], theirs: list[Rated], apart: float = APART) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=apart)
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
        assert ours.logprob == pytest.approx(theirs.logprob, abs=APART)


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
    assert json.loads(json.dumps(told)) == told
    assert (told["dtype"], told["device"], told["batch_invariant"]) == ("float32", "cpu", False)
    assert told["weights"] == files_fingerprint(str(smollm2))


def test_batch_invariance_is_promised_only_where_it_is_kept(engine: Any, smollm2: Path) -> None:
    with pytest.raises(UsageError, match="vLLM is loaded already"):
        open_engine("vllm", str(smollm2), batch_invariant=True, **SMALL)
    script = f"from forgetmap.engines import open_engine; open_engine('vllm', {str(smollm2)!r}, batch_invariant=True)"
    tried = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "for GPUs only" in tried.stderr


def test_a_server_of_vllm_rates_through_the_openai_engine(
    engine: Any, smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--served-model-name",
        "small",
        "--port",
        str(port),
        "--dtype",
        "float32",
        "--enforce-eager",
        "--max-model-len",
        "1024",
    ]
    log = tmp_path / "log"
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
        asked = [one for one in rates() if one.messages is None]
        served = open_engine("openai", "small", base_url=f"http://127.0.0.1:{port}/v1")
        assert served.can == {"rate", "write", "chat"}, served.cannot
        agree(served.rate(asked), engine.rate(asked), 1e-3)
        for ours, theirs in zip(served.write(writes()), engine.write(writes()), strict=True):
            assert (ours.text, ours.stop_reason, ours.tokens) == (theirs.text, theirs.stop_reason, theirs.tokens)
        served.close()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


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
    assert max(abs(a - b) for a, b in zip(plain[0].logprobs, adapted[0].logprobs, strict=True)) > 10 * APART
    engine = open_engine("vllm", str(smollm2), adapter=str(tmp_path / "adapter"), **SMALL)
    agree(engine.rate(rates()), adapted)
    engine.close()
