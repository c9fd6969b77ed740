"""Writing: tokens one after the other, many replies at a time.

Every reply has its own seed, temperature and end: what it says does not depend on which others are written beside it. A reply
that has ended leaves the batch, so that one long answer does not keep sixty short ones company.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from forgetmap.engines.requests import Write

_LEAST_LEAVING = 0.25  # share of a batch that must have ended before the rest is moved together


@dataclass
class Draft:
    """A reply that is being written."""

    request: Write
    context: tuple[int, ...]
    tokens: list[int] = field(default_factory=list)
    text: str = ""
    logprob: float = 0.0
    stop_reason: str | None = None


def write_batch(
    model: Any, tokenizer: Any, drafts: Sequence[Draft], shared: tuple[int, ...], kept: Callable[[int], Any]
) -> None:
    """Finish drafts; `kept` gives keys and values of the shared beginning for a number of rows."""
    import torch
    from transformers import DynamicCache

    ends = _ends(model, tokenizer)
    device = model.device
    with torch.inference_mode():
        own = [draft.context[len(shared) :] for draft in drafts]
        width = max(map(len, own))
        tokens = torch.full((len(own), width), tokenizer.pad_token_id)
        seen = torch.ones((len(own), len(shared) + width), dtype=torch.long)
        for row, context in enumerate(own):
            tokens[row, : len(context)] = torch.tensor(context)
            seen[row, len(shared) + len(context) :] = 0
        cache = kept(len(own)) or DynamicCache(config=model.config)
        positions = torch.arange(len(shared), len(shared) + width).expand(len(own), -1)
        hidden = model.base_model(
            input_ids=tokens.to(device), attention_mask=seen.to(device), position_ids=positions.to(device),
            past_key_values=cache, use_cache=True,
        ).last_hidden_state  # fmt: skip
        last = torch.tensor([len(context) - 1 for context in own])
        logits = model.get_output_embeddings()(hidden[torch.arange(len(own)), last]).float()
        places = torch.tensor([len(draft.context) for draft in drafts])
        dice = [_dice(draft.request) for draft in drafts]
        active = list(range(len(drafts)))
        seen = seen.to(device)
        while True:
            chosen = _choose(logits, [drafts[at].request for at in active], [dice[at] for at in active])
            logprobs = logits.log_softmax(1).gather(1, chosen[:, None].to(device))[:, 0].tolist()
            for at, token, logprob in zip(active, chosen.tolist(), logprobs, strict=True):
                if drafts[at].stop_reason is None:
                    _append(drafts[at], token, logprob, ends, tokenizer)
            going = [row for row, at in enumerate(active) if drafts[at].stop_reason is None]
            if not going:
                return
            if len(going) <= (1 - _LEAST_LEAVING) * len(active):
                rows = torch.tensor(going, device=device)
                cache.batch_select_indices(rows)
                seen, chosen, places = seen[rows], chosen[going], places[going]
                active = [active[row] for row in going]
            seen = torch.cat([seen, torch.ones((len(active), 1), dtype=seen.dtype, device=device)], dim=1)
            hidden = model.base_model(
                input_ids=chosen[:, None].to(device), attention_mask=seen, position_ids=places[:, None].to(device),
                past_key_values=cache, use_cache=True,
            ).last_hidden_state  # fmt: skip
            logits = model.get_output_embeddings()(hidden[:, -1]).float()
            places = places + 1


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens that end a reply: those the model names, and the tokenizer's own."""
    named = getattr(model.generation_config, "eos_token_id", None)
    listed = named if isinstance(named, list) else [named]
    return frozenset(one for one in (*listed, tokenizer.eos_token_id) if one is not None)


def _dice(request: Write) -> Any:
    import torch

    if request.temperature <= 0:
        return None
    made = torch.Generator()
    made.manual_seed(request.seed if request.seed is not None else 0)
    return made


def _choose(logits: Any, requests: Sequence[Write], dice: Sequence[Any]) -> Any:
    """The next token of every row: the likeliest, or one drawn with the row's own dice."""
    import torch

    chosen = logits.argmax(1).cpu()
    for row, (request, die) in enumerate(zip(requests, dice, strict=True)):
        if die is None:
            continue
        shares = (logits[row].cpu().double() / request.temperature).softmax(0)
        if request.top_p < 1:
            ranked, order = shares.sort(descending=True)
            ranked[ranked.cumsum(0) - ranked >= request.top_p] = 0
            shares = torch.zeros_like(shares).scatter(0, order, ranked)
        chosen[row] = torch.multinomial(shares, 1, generator=die)
    return chosen


def _append(draft: Draft, token: int, logprob: float, ends: frozenset[int], tokenizer: Any) -> None:
    draft.tokens.append(token)
    draft.logprob += logprob
    request = draft.request
    if token in ends:
        draft.stop_reason = "stop"
        draft.text = tokenizer.decode(draft.tokens[:-1], skip_special_tokens=True)
        return
    full = len(draft.tokens) >= request.max_tokens
    if not request.stop and not full:
        return
    # a stop string can only end in the tokens just written: what came before was looked through already
    longest = max((len(stop) for stop in request.stop), default=0)
    recent = tokenizer.decode(draft.tokens[-(longest + 4) :], skip_special_tokens=True)
    if full or any(stop in recent for stop in request.stop):
        text = tokenizer.decode(draft.tokens, skip_special_tokens=True)
        cuts = [text.index(stop) for stop in request.stop if stop in text]
        if cuts or full:
            draft.text = text[: min(cuts)] if cuts else text
            draft.stop_reason = "stop" if cuts else "length"
