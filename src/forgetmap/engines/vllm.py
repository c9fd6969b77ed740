"""Models of vLLM, in this process: batches, memory and shared beginnings are its own business."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from forgetmap.engines.batches import Size, cut_batches
from forgetmap.engines.branches import Branched
from forgetmap.engines.chats import seen_text
from forgetmap.engines.requests import Rate, Rated, Request, Write, Written
from forgetmap.engines.tokens import Tokens
from forgetmap.engines.vllm_loading import adapter_options, ask_invariance, files_fingerprint, import_vllm
from forgetmap.engines.vllm_orphans import Guard
from forgetmap.errors import EngineError, UsageError

#: Requests of one batch: many keep vLLM busy, but an interrupted batch is asked again as a whole.
_ROWS = {"cpu": 64}
_ROWS_GPU = 1024
_TOKENS = 1 << 20


class VllmEngine:
    """A causal language model.

    Parameters
    ----------
    batch_invariant : use kernels whose sums do not depend on what else is in a batch: slower, but two runs of the same weights
        give the same digits. Shared beginnings are then not kept, for they are sums of another batch.
    gpu_memory : share of the memory of a GPU that vLLM may take.
    """

    name = "vllm"

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        adapter: str | None = None,
        dtype: str | None = None,
        batch_invariant: bool = False,
        gpu_memory: float | None = None,
        max_model_len: int | None = None,
        enforce_eager: bool = False,
        tensor_parallel: int = 1,
        trust_remote_code: bool = False,
    ) -> None:
        if batch_invariant:
            ask_invariance()
        vllm = import_vllm()
        from vllm import envs
        from vllm.platforms import current_platform

        self._cpu = bool(current_platform.is_cpu())
        if batch_invariant and self._cpu:
            raise UsageError("batch_invariant is set, but vLLM has such kernels for GPUs only; leave it out on a CPU")
        self._given = {"model": model, "revision": revision, "adapter": adapter}
        # whoever set vLLM's own variable gets such kernels as well, and the run must say so
        self._shares = self._cpu or not getattr(envs, "VLLM_BATCH_INVARIANT", False)
        more: dict[str, Any] = {"gpu_memory_utilization": gpu_memory, "max_model_len": max_model_len}
        more = {name: value for name, value in more.items() if value is not None}
        if adapter is not None:
            more |= adapter_options(adapter)
        self._guard = Guard()
        try:
            self.llm: Any = vllm.LLM(
                model, revision=revision, dtype=dtype or ("float32" if self._cpu else "auto"), seed=0,
                enable_prefix_caching=self._shares, enforce_eager=enforce_eager, tensor_parallel_size=tensor_parallel,
                trust_remote_code=trust_remote_code, **more,
            )  # fmt: skip
        except BaseException as fault:
            self._guard.end()
            if not isinstance(fault, (OSError, ValueError, RuntimeError)):
                raise
            said = " ".join(str(fault).split()[:40]) or type(fault).__name__
            raise UsageError(
                f"vLLM cannot load the model {model} ({said}); give the id of a model on a hub that can be reached or "
                "a folder with config.json, and look above for what it logged"
            ) from fault
        self._guard.loaded()
        self.tokenizer = self.llm.get_tokenizer()
        self._tokens = Tokens(self.tokenizer)
        self._lora = None
        if adapter is not None:
            from vllm.lora.request import LoRARequest

            self._lora = LoRARequest("adapter", 1, adapter)
        self._chats = getattr(self.tokenizer, "chat_template", None) is not None
        self.can = frozenset({"rate", "write", "chat"} if self._chats else {"rate", "write"})
        self.splits: list[tuple[int, int]] = []
        self._config = self.llm.llm_engine.vllm_config.model_config
        self.longest = int(self._config.max_model_len)

    # ---- what it is ---------------------------------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        """Return the settings that change answers."""
        import torch
        import vllm
        from vllm.platforms import current_platform

        template = getattr(self.tokenizer, "chat_template", None)
        commit = getattr(self._config.hf_config, "_commit_hash", None)
        return {
            **self._given,
            "revision": self._given["revision"] or commit,
            "weights": files_fingerprint(str(self._given["model"])),
            "adapter_weights": None if self._lora is None else files_fingerprint(str(self._given["adapter"])),
            "dtype": str(self._config.dtype).removeprefix("torch."),
            "device": "cpu" if self._cpu else current_platform.get_device_name(),
            "engine": self.name,
            "batch_invariant": not self._shares,
            "longest": self.longest,
            "chat_template": None if template is None else hashlib.sha256(str(template).encode()).hexdigest()[:16],
            "versions": {"torch": str(torch.__version__), "vllm": str(vllm.__version__)},
        }

    def close(self) -> None:
        """End vLLM's own process and let the weights go."""
        if self.llm is None:
            return
        self.llm.llm_engine.engine_core.shutdown()
        self._guard.end()
        self.llm = self.tokenizer = self._tokens = None  # type: ignore[assignment]

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return batches: requests with the same beginning together, the longest first."""
        self._read(requests)
        sizes = []
        for request in requests:
            kind = "rate" if isinstance(request, Rate) else "write"
            sizes.append(Size(kind, _beginning(request), len(self._encode(self._text(request), request))))
        rows = _ROWS["cpu"] if self._cpu else _ROWS_GPU
        return cut_batches(sizes, tokens=_TOKENS, memory=_TOKENS, rows=rows)

    # ---- texts and tokens ---------------------------------------------------------------------------------------------

    def _text(self, request: Request) -> str:
        return seen_text(self.tokenizer, request, str(self._given["model"]))

    def _read(self, requests: Sequence[Request]) -> None:
        pieces = (
            self._tokens.pieces(
                self._text(request), getattr(request, "continuations", ()), len(_beginning(request)),
                special=request.messages is None,
            )
            for request in requests
        )  # fmt: skip
        self._tokens.read(piece for some in pieces for piece in some)

    def _encode(self, text: str, request: Request) -> tuple[int, ...]:
        # a rendered chat carries its own special tokens
        return self._tokens.encode(text, len(_beginning(request)), special=request.messages is None)

    def _split(self, text: str, request: Rate) -> Branched:
        # vLLM writes one token after every prompt, which needs a place as well
        return self._tokens.split(
            text, request.continuations, len(_beginning(request)), special=request.messages is None,
            longest=self.longest - 1,
        )  # fmt: skip

    # ---- rating -------------------------------------------------------------------------------------------------------

    def rate(self, batch: Sequence[Rate]) -> list[Rated]:
        """Return log-likelihoods: every continuation is a prompt of its own, with the beginning it shares passed over once."""
        self._read(batch)
        texts = [self._text(request) for request in batch]
        split = [self._split(text, request) for text, request in zip(texts, batch, strict=True)]
        rows = [(one.context, tail) for one in split for tail in one.continuations]
        told = self._look_up(rows, shares=self._shares)
        # what is kept from an earlier prompt has no log-probabilities any more: a continuation that reaches into it is asked anew
        lost = [at for at, found in enumerate(told) if found is None]
        for at, found in zip(lost, self._look_up([rows[at] for at in lost], shares=False), strict=True):
            told[at] = found
        if None in told:
            raise EngineError("vLLM gave no log-probabilities of a prompt; use the transformers engine")
        answers, values = [], iter([found for found in told if found is not None])
        for text, one in zip(texts, split, strict=True):
            logprobs, greedy = zip(*(next(values) for _ in one.continuations), strict=True)
            answers.append(Rated(logprobs, tuple(map(len, one.continuations)), greedy, len(one.context), text))
        return answers

    def _look_up(
        self, rows: Sequence[tuple[tuple[int, ...], tuple[int, ...]]], *, shares: bool
    ) -> list[tuple[float, bool] | None]:
        """The log-probability of each tail, and whether it was the likeliest; None where vLLM skipped a part of it."""
        from vllm import SamplingParams

        if not rows:
            return []
        # vLLM by itself passes over the whole prompt when log-probabilities are wanted; those of the context are not. Texts of
        # tokens are not wanted either, and where it skipped some they are not even tokens.
        asked = SamplingParams(
            max_tokens=1, temperature=0.0, prompt_logprobs=0, detokenize=False, skip_reading_prefix_cache=not shares
        )
        prompts = [{"prompt_token_ids": [*context, *tail]} for context, tail in rows]
        outputs = self.llm.generate(prompts, asked, use_tqdm=False, lora_request=self._lora)
        found: list[tuple[float, bool] | None] = []
        for (context, tail), output in zip(rows, outputs, strict=True):
            # the token at a place is foretold by the place before it, which must not have been skipped
            if output.num_cached_tokens is None or output.num_cached_tokens >= len(context):
                found.append(None)
                continue
            told = list(output.prompt_logprobs)[-len(tail) :]
            values: list[Any] = [(place or {}).get(token) for place, token in zip(told, tail, strict=True)]
            whole = all(value is not None for value in values)
            found.append(
                (float(sum(one.logprob for one in values)), all(one.rank == 1 for one in values)) if whole else None
            )
        return found

    # ---- writing ------------------------------------------------------------------------------------------------------

    def write(self, batch: Sequence[Write]) -> list[Written]:
        """Return what the model writes."""
        from vllm import SamplingParams

        self._read(batch)
        texts, prompts, asked = [], [], []
        for request in batch:
            text = self._text(request)
            room = self.longest - request.max_tokens
            if room < 1:
                raise UsageError(
                    f"{request.max_tokens} new tokens do not fit in a context of {self.longest:,}; ask for fewer"
                )
            texts.append(text)
            context = self._encode(text, request) or (int(self.tokenizer.eos_token_id),)
            prompts.append({"prompt_token_ids": list(context[-room:])})
            draws = request.temperature > 0
            asked.append(
                SamplingParams(
                    max_tokens=request.max_tokens, temperature=request.temperature, top_p=request.top_p if draws else 1.0,
                    seed=(request.seed or 0) if draws else None, stop=list(request.stop) or None, logprobs=0,
                    skip_reading_prefix_cache=not self._shares,
                )
            )  # fmt: skip
        outputs = self.llm.generate(prompts, asked, use_tqdm=False, lora_request=self._lora)
        return [
            self._written(output, len(prompt["prompt_token_ids"]), text)
            for output, prompt, text in zip(outputs, prompts, texts, strict=True)
        ]

    @staticmethod
    def _written(output: Any, prompt_tokens: int, text: str) -> Written:
        reply = output.outputs[0]
        if reply.finish_reason not in ("stop", "length"):
            raise EngineError(
                f"vLLM broke off a reply ({reply.finish_reason}); nothing of this batch is saved: run the same command again"
            )
        logprob = None if reply.cumulative_logprob is None else float(reply.cumulative_logprob)
        return Written(reply.text, len(reply.token_ids), prompt_tokens, reply.finish_reason, text, logprob)


def _beginning(request: Request) -> str:
    """The part of a text that other texts begin with too."""
    return request.context[: request.prefix] if request.messages is None else ""
