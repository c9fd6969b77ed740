"""The transformers engine with a real small model: what it says is what transformers says, only sooner."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from forgetmap.engines import Message, Rate, Write, open_engine
from forgetmap.errors import EngineError, UsageError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SHOTS = "".join(
    f"Question: What is the capital of {country}?\nAnswer: {city}\n\n"
    for country, city in (("Spain", "Madrid"), ("Italy", "Rome"), ("Japan", "Tokyo"))
)
CITIES = (" Paris", " Berlin", " Vienna", " Buenos Aires", " Port of Spain")


@pytest.fixture(scope="module")
def engine(smollm2: Path) -> Any:
    return open_engine("transformers", str(smollm2), device="cpu", threads=1)


def rates() -> list[Rate]:
    asked = [
        f"Question: What is the capital of {one}?\nAnswer:" for one in ("France", "Germany", "the old Austria", "Peru")
    ]
    return [Rate(SHOTS + one, CITIES, prefix=len(SHOTS)) for one in asked] + [Rate("2 + 2 =", (" 4", " 5"))]


def reference(engine: Any, context: str, continuation: str) -> float:
    """The sum over the continuation's tokens, in one plain pass."""
    whole = engine.tokenizer(context + continuation, return_tensors="pt").input_ids
    own = whole.shape[1] - len(engine.tokenizer(context).input_ids)
    with torch.inference_mode():
        told = engine.model(whole).logits[0].float().log_softmax(1)
    return float(sum(told[-own - 1 + place, whole[0, -own + place]] for place in range(own)))


def test_log_likelihoods_are_those_of_plain_passes(engine: Any) -> None:
    assert engine.describe()["shared_prefill"] is True
    for request, found in zip(rates(), engine.rate(rates()), strict=True):
        expected = [reference(engine, request.context, one) for one in request.continuations]
        assert found.logprobs == pytest.approx(expected, abs=1e-4)
        assert found.context == request.context
        assert found.tokens == tuple(len(engine.tokenizer(one).input_ids) for one in request.continuations)
    assert engine.rate(rates())[0].greedy == (True, False, False, False, False)


def test_a_model_that_cannot_branch_is_asked_the_slow_way(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = engine.rate(rates())
    monkeypatch.setattr(engine, "_branches", False)
    apart = engine.rate(rates())
    for one, other in zip(shared, apart, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
        assert (one.tokens, one.greedy, one.prompt_tokens) == (other.tokens, other.greedy, other.prompt_tokens)


def test_a_pass_that_looks_where_it_must_not_is_found_out(
    engine: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import forgetmap.engines.transformers as module

    lay_out = module.lay_out

    def careless(*given: Any, **more: Any) -> Any:
        layout = lay_out(*given, **more)
        layout.mask[:] = True  # every token sees every other
        return layout

    monkeypatch.setattr(module, "lay_out", careless)
    assert engine._can_branch() is False
    assert "rates every option by itself" in caplog.text

    def refuses(*given: Any, **more: Any) -> Any:
        raise TypeError("unexpected keyword")

    monkeypatch.setattr(module, "lay_out", refuses)
    assert engine._can_branch() is False
    assert "unexpected keyword" in caplog.text


def test_batches_change_no_answer(engine: Any) -> None:
    together = engine.rate(rates())
    alone = [engine.rate([one])[0] for one in rates()]
    for one, other in zip(together, alone, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)


def test_blanks_at_the_end_of_a_context_belong_to_the_continuation(engine: Any) -> None:
    bare, blank = engine.rate([Rate("The sky is", (" blue",)), Rate("The sky is ", ("blue",))])
    assert bare.logprobs == pytest.approx(blank.logprobs, abs=1e-5)


def test_a_continuation_may_stand_alone(engine: Any) -> None:
    found = engine.rate([Rate("", ("Paris is a city",))])[0]
    assert found.tokens == (len(engine.tokenizer("Paris is a city").input_ids),)
    start = engine.tokenizer.bos_token
    assert found.logprobs == pytest.approx([reference(engine, start, "Paris is a city")], abs=1e-4)


def test_pieces_that_melt_at_their_seam_are_encoded_whole(engine: Any) -> None:
    """A few-shot text that ends within a word: its tokens are not those of the whole."""
    from forgetmap.engines.tokens import Tokens

    tokens = Tokens(engine.tokenizer)
    for whole in ("unbelievable stories", "one two  three", "a\n\nb\n \n c", "été d'hiver 12345"):
        for seam in range(len(whole)):
            assert list(tokens.encode(whole, seam)) == engine.tokenizer(whole).input_ids
    split = tokens.split("unbeliev", (" able", ": yes"))
    for one, text in zip(split.continuations, ("unbeliev able", "unbeliev: yes"), strict=True):
        assert list(split.context + one) == engine.tokenizer(text).input_ids
    with pytest.raises(EngineError, match="melt"):
        tokens.split("unbeliev", ("able",))


def test_a_tokenizer_that_ends_every_text_ends_no_context(engine: Any) -> None:
    """Fine-tuning scripts often save one with `add_eos_token`: options rated after the end of a text mean nothing."""
    from copy import deepcopy

    from tokenizers.processors import TemplateProcessing

    from forgetmap.engines.tokens import Tokens

    ending = deepcopy(engine.tokenizer)
    end = ending.eos_token
    ending.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"$A {end}", special_tokens=[(end, ending.eos_token_id)]
    )
    assert ending("The sky is").input_ids[-1] == ending.eos_token_id
    plain, asked = Tokens(engine.tokenizer), Tokens(ending)
    asked.read(asked.pieces("The sky is", (" blue",)))
    for text, prefix in (("The sky is", 0), ("One.\n\nThe sky is", 6)):
        assert asked.encode(text, prefix) == plain.encode(text, prefix)
        assert asked.split(text, (" blue", " red"), prefix) == plain.split(text, (" blue", " red"), prefix)


def test_a_continuation_without_tokens_is_refused(engine: Any) -> None:
    with pytest.raises(Exception, match="no token of its own"):
        engine.rate([Rate("The sky is", ("",))])


PROMPTS = ["Question: What is 2 plus 3?\nAnswer:", "The sun is", "Once upon a time", "def add(a, b):\n"]


def test_greedy_text_is_that_of_generate(engine: Any) -> None:
    requests = [Write(prompt, max_tokens=12 + 6 * place) for place, prompt in enumerate(PROMPTS)]
    for request, found in zip(requests, engine.write(requests), strict=True):
        given = engine.tokenizer(request.context, return_tensors="pt")
        own = engine.model.generate(**given, max_new_tokens=request.max_tokens, do_sample=False)[
            0, given.input_ids.shape[1] :
        ]
        assert found.text == engine.tokenizer.decode(own, skip_special_tokens=True)
        assert found.tokens == len(own)
        assert found.stop_reason == ("stop" if own[-1].item() == engine.tokenizer.eos_token_id else "length")


def test_shared_examples_change_no_reply(engine: Any) -> None:
    asked = [SHOTS + f"Question: What is the capital of {one}?\nAnswer:" for one in ("France", "Germany")]
    plain = engine.write([Write(one, max_tokens=8) for one in asked])
    shared = engine.write([Write(one, prefix=len(SHOTS), max_tokens=8) for one in asked])
    assert [one.text for one in plain] == [one.text for one in shared]
    assert [one.logprob for one in plain] == pytest.approx([one.logprob for one in shared], abs=1e-3)


def test_drawn_replies_depend_on_their_seed_alone(engine: Any) -> None:
    requests = [Write("Once upon a time", max_tokens=12, temperature=1.0, seed=seed) for seed in range(4)]
    together = [one.text for one in engine.write(requests)]
    assert [engine.write([one])[0].text for one in requests] == together
    assert len(set(together)) == 4
    nucleus = engine.write([Write("Once upon a time", max_tokens=6, temperature=1.0, top_p=1e-6, seed=5)])[0]
    assert nucleus.text == engine.write([Write("Once upon a time", max_tokens=6)])[0].text


def test_stop_strings_end_a_reply_and_are_not_part_of_it(engine: Any) -> None:
    whole = engine.write([Write(PROMPTS[0], max_tokens=20)])[0]
    stop = whole.text.strip()[:1]
    found = engine.write([Write(PROMPTS[0], max_tokens=20, stop=("nowhere", stop))])[0]
    assert found.stop_reason == "stop"
    assert found.text == whole.text[: whole.text.index(stop)]
    assert found.tokens < whole.tokens


def test_a_chat_is_rendered_by_the_models_template(engine: Any) -> None:
    found = engine.write([Write("", (Message("user", "Say hello."),), max_tokens=4)])[0]
    expected = engine.tokenizer.apply_chat_template(
        [{"role": "user", "content": "Say hello."}], tokenize=False, add_generation_prompt=True
    )
    assert found.context == expected
    assert "chat" in engine.can


def test_a_model_without_a_template_says_so(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.tokenizer, "chat_template", None)
    with pytest.raises(UsageError, match="no chat template"):
        engine.write([Write("", (Message("user", "Say hello."),))])


def test_a_plan_holds_everything_once_and_is_always_the_same(engine: Any) -> None:
    asked: list[Any] = [*rates(), *(Write(prompt, max_tokens=9) for prompt in PROMPTS)] * 3
    plan = engine.plan(asked)
    assert sorted(itertools.chain(*plan)) == list(range(len(asked)))
    assert plan == engine.plan(asked)
    assert all(len({type(asked[place]) for place in batch}) == 1 for batch in plan)


def test_what_does_not_fit_is_halved_and_told(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory cannot run out on purpose here: what torch raises then is raised for batches of more than two."""
    expected = engine.rate(rates())
    real = engine._rate

    def small(batch: Any) -> Any:
        if len(batch) > 2:
            raise torch.OutOfMemoryError("too much")
        return real(batch)

    monkeypatch.setattr(engine, "_rate", small)
    engine.splits.clear()
    found = engine.rate(rates())
    assert engine.splits == [(5, 3), (3, 2)]
    assert [one.logprobs for one in found] == [pytest.approx(one.logprobs, abs=1e-4) for one in expected]
    monkeypatch.setattr(engine, "_rate", lambda batch: (_ for _ in ()).throw(torch.OutOfMemoryError("too much")))
    with pytest.raises(Exception, match="does not fit in memory"):
        engine.rate(rates()[:1])


def test_the_fingerprint_is_of_the_weights(engine: Any, smollm2_gguf: Path) -> None:
    from forgetmap.engines.loading import fingerprint

    same = open_engine("transformers", str(smollm2_gguf), device="cpu")
    assert fingerprint(same.model) == fingerprint(engine.model)
    with torch.no_grad():
        same.model.get_input_embeddings().weight[0, 0] += 1
    assert fingerprint(same.model) != fingerprint(engine.model)


@pytest.mark.parametrize(("model", "said"), [("no/such/folder", "cannot be loaded"), ("missing.gguf", "no such file")])
def test_a_model_that_is_not_there(model: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        open_engine("transformers", str(tmp_path / model))


def test_an_unknown_engine_and_dtype(smollm2: Path) -> None:
    with pytest.raises(UsageError, match="no engine 'x'"):
        open_engine("x", "y")
    with pytest.raises(UsageError, match="dtype is 'int7'"):
        open_engine("transformers", str(smollm2), dtype="int7")
