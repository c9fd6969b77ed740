"""Models of transformers, in this process: on a CPU or a GPU."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from forgetmap.engines.batches import Size, cut_batches
from forgetmap.engines.branches import Branched, lay_out
from forgetmap.engines.chats import seen_text
from forgetmap.engines.loading import config_fingerprint, fingerprint, load_model, tokenizer_fingerprint
from forgetmap.engines.requests import Rate, Rated, Request, Write, Written
from forgetmap.engines.tokens import Tokens
from forgetmap.engines.writing import Draft, write_batch
from forgetmap.errors import EngineError, UsageError

_log = logging.getLogger("forgetmap")
_Asked = TypeVar("_Asked", Rate, Write)
_Answered = TypeVar("_Answered", Rated, Written)

#: Padded tokens of one batch. More make a CPU no faster; a GPU needs many to be busy.
_TOKENS = {"cpu": 2048, "cuda": 32_768}
_ROWS = {"cpu": 64, "cuda": 512}
#: Looked-up tokens whose whole distributions stand in memory at a time.
_LOOKED_UP = 2048
#: A shared beginning shorter than this is not worth keeping.
_SHORTEST = 8
#: Two ways to the same log-probability may differ by this much before one of them is wrong.
_AGREES = {"float32": 2e-3}
_AGREES_COARSE = 0.2


class TransformersEngine:
    """A causal language model."""

    name = "transformers"

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        adapter: str | None = None,
        dtype: str | None = None,
        device: str | None = None,
        batch_tokens: int | None = None,
        threads: int | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        import torch

        if threads is not None:
            torch.set_num_threads(threads)
        self._given = {"model": model, "revision": revision, "adapter": adapter}
        self.model, self.tokenizer = load_model(
            model, revision=revision, adapter=adapter, dtype=dtype, device=device, trust_remote_code=trust_remote_code
        )
        self._tokens = Tokens(self.tokenizer)
        self.device = self.model.device
        self.splits: list[tuple[int, int]] = []
        self._batch_tokens = batch_tokens or _TOKENS.get(self.device.type, _TOKENS["cuda"])
        self._chats = self.tokenizer.chat_template is not None
        self.can = frozenset({"rate", "write", "chat"} if self._chats else {"rate", "write"})
        config = self.model.config.get_text_config()
        self.longest = int(getattr(config, "max_position_embeddings", None) or 1 << 20)
        self._shared: tuple[tuple[int, ...], Any] | None = None
        self._branches = self._can_branch()

    # ---- what it is ---------------------------------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        """Return the settings that change answers."""
        import torch
        import transformers

        template = self.tokenizer.chat_template
        commit = getattr(self.model.config, "_commit_hash", None)
        return {
            **self._given,
            "revision": self._given["revision"] or commit,
            "weights": fingerprint(self.model),
            "config": config_fingerprint(self.model.config),
            "tokenizer": tokenizer_fingerprint(self.tokenizer),
            "dtype": str(self.model.dtype).removeprefix("torch."),
            "device": self.device.type if self.device.type == "cpu" else torch.cuda.get_device_name(self.device),
            "engine": self.name,
            "shared_prefill": self._branches,
            "chat_template": None if template is None else hashlib.sha256(str(template).encode()).hexdigest()[:16],
            "versions": {"torch": str(torch.__version__), "transformers": transformers.__version__},
        }

    def close(self) -> None:
        """Let the weights go."""
        self.model = self.tokenizer = self._shared = None

    # ---- batches ------------------------------------------------------------------------------------------------------

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return batches: requests with the same beginning together, like lengths together, the longest first."""
        self._read(requests)
        sizes = [self._size(request) for request in requests]
        budget = self._batch_tokens
        rows = _ROWS.get(self.device.type, _ROWS["cuda"])
        return cut_batches(sizes, tokens=budget, memory=self._memory(), rows=rows)

    def _size(self, request: Request) -> Size:
        text = self._text(request)
        begun = self._beginning(request)
        shared = len(self._begun(begun)) if begun else 0
        group = (begun, getattr(request, "temperature", 0.0) > 0)
        if isinstance(request, Rate):
            tokens = self._split(text, request)
            own = max(tokens.length - shared, 1)
            if not self._branches:
                own = max(len(tokens.context) + len(one) for one in tokens.continuations)
            return Size("rate", group, own, shared)
        own = max(len(self._encode(text, request)) - shared, 1)
        return Size("write", group, own, shared + request.max_tokens)

    def _memory(self) -> int:
        """Tokens whose keys and values may stand in memory together."""
        import torch

        config = self.model.config.get_text_config()
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        one = 2 * config.num_hidden_layers * heads * width * self.model.dtype.itemsize
        if self.device.type == "cuda":
            room = torch.cuda.mem_get_info(self.device)[0] // 3
        else:
            room = 2 << 30
        return max(int(room // one), 1024)

    # ---- texts and tokens ---------------------------------------------------------------------------------------------

    def _text(self, request: Request) -> str:
        return seen_text(self.tokenizer, request, str(self._given["model"]))

    @staticmethod
    def _beginning(request: Request) -> str:
        return request.context[: request.prefix] if request.messages is None else ""

    def _read(self, requests: Sequence[Request]) -> None:
        pieces = (
            self._tokens.pieces(
                self._text(request), getattr(request, "continuations", ()), len(self._beginning(request)),
                special=request.messages is None,
            )
            for request in requests
        )  # fmt: skip
        self._tokens.read(piece for some in pieces for piece in some)

    def _begun(self, text: str) -> tuple[int, ...]:
        return self._tokens.kept(text)

    def _encode(self, text: str, request: Request) -> tuple[int, ...]:
        # a rendered chat carries its own special tokens
        return self._tokens.encode(text, len(self._beginning(request)), special=request.messages is None)

    def _split(self, text: str, request: Rate) -> Branched:
        return self._tokens.split(
            text, request.continuations, len(self._beginning(request)), special=request.messages is None,
            longest=self.longest,
        )  # fmt: skip

    # ---- rating -------------------------------------------------------------------------------------------------------

    def rate(self, batch: Sequence[Rate]) -> list[Rated]:
        """Return log-likelihoods; a batch that does not fit in memory is halved, and `splits` says so."""
        return self._fitting(batch, self._rate)

    def _rate(self, batch: Sequence[Rate]) -> list[Rated]:
        self._read(batch)
        texts = [self._text(request) for request in batch]
        split = [self._split(text, request) for text, request in zip(texts, batch, strict=True)]
        found = self._rate_branched(batch, split) if self._branches else self._rate_apart(split)
        return [
            Rated(
                tuple(sum(one) for one in logprobs), tuple(map(len, tokens.continuations)),
                tuple(all(one) for one in greedy), len(tokens.context), text,
            )
            for text, tokens, (logprobs, greedy) in zip(texts, split, found, strict=True)
        ]  # fmt: skip

    def _rate_branched(self, batch: Sequence[Rate], split: Sequence[Branched]) -> list[Any]:
        shared = self._shared_tokens(batch, [one.context for one in split])
        rest = [Branched(one.context[len(shared) :], one.continuations) for one in split]
        logprobs, greedy = self._look_up(rest, shared)
        return _parted(split, logprobs, greedy)

    def _look_up(self, rest: Sequence[Branched], shared: tuple[int, ...]) -> tuple[list[float], list[bool]]:
        import torch

        with torch.inference_mode():
            layout = lay_out(rest, len(shared), pad=self.tokenizer.pad_token_id, device=self.device)
            cache = self._kept(shared, len(rest))
            smallest = torch.finfo(self.model.dtype).min
            mask = torch.zeros(layout.mask.shape, dtype=self.model.dtype, device=self.device)
            mask.masked_fill_(~layout.mask, smallest)
            hidden = self.model.base_model(
                input_ids=layout.tokens, position_ids=layout.positions, attention_mask=mask, past_key_values=cache,
                use_cache=cache is not None,
            ).last_hidden_state  # fmt: skip
            told = hidden[torch.tensor(layout.rows), torch.tensor(layout.places)]
            return self._distributions(told, layout.wanted)

    def _distributions(self, hidden: Any, wanted: Sequence[int]) -> tuple[list[float], list[bool]]:
        import torch

        logprobs: list[float] = []
        greedy: list[bool] = []
        tokens = torch.tensor(wanted, device=self.device)
        for start in range(0, len(wanted), _LOOKED_UP):
            part = tokens[start : start + _LOOKED_UP]
            logits = self.model.get_output_embeddings()(hidden[start : start + _LOOKED_UP]).float()
            own = logits.gather(1, part[:, None])[:, 0]
            logprobs += (own - logits.logsumexp(1)).tolist()
            greedy += (logits.argmax(1) == part).tolist()
        return logprobs, greedy

    def _rate_apart(self, split: Sequence[Branched]) -> list[Any]:
        """Every continuation in a row of its own: for models whose attention cannot be told what to look at."""
        import torch

        rows = [(one.context + tail, len(tail)) for one in split for tail in one.continuations]
        logprobs, greedy = [], []
        for start in range(0, len(rows), 16):
            part = rows[start : start + 16]
            width = max(len(tokens) for tokens, _ in part)
            filled = torch.full((len(part), width), self.tokenizer.pad_token_id)
            seen = torch.zeros((len(part), width), dtype=torch.long)
            for row, (tokens, _) in enumerate(part):
                filled[row, : len(tokens)] = torch.tensor(tokens)
                seen[row, : len(tokens)] = 1
            with torch.inference_mode():
                logits = self.model(input_ids=filled.to(self.device), attention_mask=seen.to(self.device)).logits
            for row, (tokens, own) in enumerate(part):
                told = logits[row, len(tokens) - own - 1 : len(tokens) - 1].float()
                tail = torch.tensor(tokens[-own:], device=self.device)
                logprobs += (told.gather(1, tail[:, None])[:, 0] - told.logsumexp(1)).tolist()
                greedy += (told.argmax(1) == tail).tolist()
        return _parted(split, logprobs, greedy)

    def _can_branch(self) -> bool:
        """Whether one pass over shared beginnings gives what separate passes give: tried, not assumed."""
        import torch

        vocabulary = self.model.get_input_embeddings().num_embeddings
        some = [7 + 13 * place % max(vocabulary - 8, 1) for place in range(24)]
        probe = [
            Branched(tuple(some[:12]), (tuple(some[12:14]), (some[15],), tuple(some[16:19]))),
            Branched((*some[:8], some[20]), (tuple(some[14:17]), (some[3],))),
        ]
        try:
            shared = tuple(some[:8])
            rest = [Branched(one.context[8:], one.continuations) for one in probe]
            logprobs, greedy = self._look_up(rest, shared)
            found = _parted(probe, logprobs, greedy)
        except torch.OutOfMemoryError:
            raise  # says nothing about the architecture
        except (TypeError, ValueError, AttributeError, RuntimeError) as fault:
            # another architecture: the slow way is right for all of them, but whoever waits should know why
            _log.warning("%s rates every option by itself (%s: %s)", self._given["model"], type(fault).__name__, fault)
            return False
        finally:
            self._shared = None
        close = _AGREES.get(str(self.model.dtype).removeprefix("torch."), _AGREES_COARSE)
        apart = self._rate_apart(probe)
        same = all(
            abs(sum(one) - sum(other)) < close * max(len(one), 1)
            for (ours, _), (theirs, _) in zip(found, apart, strict=True)
            for one, other in zip(ours, theirs, strict=True)
        )
        if not same:
            _log.warning("%s rates every option by itself: one pass over all gives other values", self._given["model"])
        return same

    # ---- shared beginnings ------------------------------------------------------------------------------------------------

    def _shared_tokens(self, batch: Sequence[Request], contexts: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """The tokens that all contexts of a batch begin with, as far as the examples go; every context keeps one of its own."""
        begun = {self._beginning(request) for request in batch}
        if len(begun) != 1 or "" in begun:
            return ()
        tokens = self._begun(begun.pop())
        most = min(len(tokens), *(len(context) - 1 for context in contexts))
        same = most
        for context in contexts:  # nearly always all of them: then one look each
            while context[:same] != tokens[:same]:
                same -= 1
        return tokens[:same] if same >= _SHORTEST else ()

    def _kept(self, shared: tuple[int, ...], rows: int) -> Any:
        """Keys and values of the shared tokens, for so many rows; passed over once and kept for the batches that follow."""
        if not shared:
            return None
        import torch
        from transformers import DynamicCache

        if self._shared is None or self._shared[0] != shared:
            cache = DynamicCache(config=self.model.config)
            self.model.base_model(
                input_ids=torch.tensor([shared], device=self.device), past_key_values=cache, use_cache=True
            )
            self._shared = (shared, cache)
        kept = self._shared[1]
        copy = DynamicCache(config=self.model.config)
        for layer, one in enumerate(kept.layers):
            copy.update(one.keys.expand(rows, -1, -1, -1), one.values.expand(rows, -1, -1, -1), layer)
        return copy

    # ---- writing ------------------------------------------------------------------------------------------------------

    def write(self, batch: Sequence[Write]) -> list[Written]:
        """Return what the model writes; a batch that does not fit in memory is halved, and `splits` says so."""
        return self._fitting(batch, self._write)

    def _write(self, batch: Sequence[Write]) -> list[Written]:
        self._read(batch)
        texts = [self._text(request) for request in batch]
        drafts = []
        for request, text in zip(batch, texts, strict=True):
            context = self._encode(text, request) or (int(self.tokenizer.eos_token_id),)
            room = self.longest - request.max_tokens
            if room < 1:
                raise UsageError(
                    f"{request.max_tokens} new tokens do not fit in a context of {self.longest:,}; ask for fewer"
                )
            drafts.append(Draft(request, context[-room:]))
        shared = self._shared_tokens(batch, [draft.context for draft in drafts]) if self._branches else ()
        write_batch(self.model, self.tokenizer, drafts, shared, lambda rows: self._kept(shared, rows))
        return [
            Written(
                draft.text, len(draft.tokens), len(draft.context), draft.stop_reason or "length", text, draft.logprob
            )
            for draft, text in zip(drafts, texts, strict=True)
        ]

    def _fitting(
        self, batch: Sequence[_Asked], answer: Callable[[Sequence[_Asked]], list[_Answered]]
    ) -> list[_Answered]:
        import torch

        try:
            return answer(batch)
        except torch.OutOfMemoryError as fault:
            if len(batch) == 1:
                raise EngineError(
                    "one request alone does not fit in memory; use a smaller model, a shorter prompt or a larger machine"
                ) from fault
        self._shared = None
        torch.cuda.empty_cache()
        half = (len(batch) + 1) // 2
        self.splits.append((len(batch), half))
        return self._fitting(batch[:half], answer) + self._fitting(batch[half:], answer)


def _parted(split: Sequence[Branched], logprobs: list[float], greedy: list[bool]) -> list[Any]:
    """Values per token, handed back to their continuations."""
    found, at = [], 0
    for one in split:
        ours, theirs = [], []
        for tail in one.continuations:
            ours.append(logprobs[at : at + len(tail)])
            theirs.append(greedy[at : at + len(tail)])
            at += len(tail)
        found.append((ours, theirs))
    return found
