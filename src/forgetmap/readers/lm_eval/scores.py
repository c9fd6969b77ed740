"""From a line to scored answers: which option each metric chose, what a filter extracted, every repeat."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.builder import Item, RunBuilder
from forgetmap.readers.source import decode_any

#: Metrics whose choice is the option of highest log-likelihood per unit of length.
LENGTHS: dict[str, Callable[[str], int]] = {
    "acc_norm": len,
    "acc_bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
}


@lru_cache
def _fields(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each metric with the field of a line that holds it."""
    return tuple((name, f"m{position}") for position, name in enumerate(names))


def log_likelihoods(resps: list[Any]) -> list[float] | None:
    """Return one log-likelihood per option, or None for a generation task."""
    if not resps or not isinstance(resps[0], list) or not resps[0] or not isinstance(resps[0][0], list):
        return None
    return [float(reply[0][0]) for reply in resps]


def add_samples(
    builder: RunBuilder,
    item: Item,
    line: Any,
    names: tuple[str, ...],
    scorer: str,
    repeat: int,
    ranked: list[float] | None,
    requests: list[tuple[Any, Any]],
    fallback: str,
    listed: set[str],
) -> None:
    """Add the scores of one line: every metric, and every repeat where the log scores each."""
    prompt = _prompt(requests[0][0]) if requests else None
    if line.prompt_hash:
        prompt_key: int | None = int(line.prompt_hash[:16], 16)
    else:
        prompt_key = items.text_hash(prompt) if prompt is not None else None
    per_repeat = line.scores_per_repeat or {}  # from 0.5: under the plain name, beside reduced ones such as pass@3(…)
    times = max(map(len, per_repeat.values())) if per_repeat else 1
    for turn in range(times):
        response, choice, state = None, None, "answered"
        if ranked is None:
            replies = line.resps[0] if line.resps and isinstance(line.resps[0], list) else line.resps
            response = str(replies[turn]) if turn < len(replies) else None
            choice, state = _extracted(decode_any(line.filtered_resps), turn, times, response, fallback)
        values = [(name, getattr(line, field)) for name, field in _fields(names)] if turn == 0 else []
        if per_repeat:
            values = [one for one in values if one[0] not in per_repeat]
            values += [(name, each[turn]) for name, each in per_repeat.items() if turn < len(each)]
        is_new_reply = True
        for name, value in values:
            if value is msgspec.UNSET or name in listed:
                continue
            score = score_of(value)
            if score is None and value is not None:
                builder.count("odd_scores")
            picked = _picked(ranked, name, requests, item, score) if ranked else None
            if is_new_reply:
                shown = item.options[picked] if picked is not None and item.options else choice
                builder.reply(item, prompt=prompt, response=response, choice=shown)
                is_new_reply = False
            builder.sample(
                item,
                repeat=repeat * times + turn,
                scorer=scorer,
                metric=name,
                score=score,
                state=None if score is None else state,
                choice_index=picked,
                choice=choice,
                option_logprobs=ranked,
                prompt_key=prompt_key,
            )


def _picked(
    ranked: list[float], metric: str, requests: list[tuple[Any, Any]], item: Item, score: float | None
) -> int | None:
    """The option the metric chose: highest log-likelihood, per length for acc_norm and acc_bytes."""
    measure = LENGTHS.get(metric)
    if measure is None:
        best = ranked.index(max(ranked))
    else:
        texts = [text for _, text in requests[: len(ranked)]]
        if len(texts) < len(ranked) or not all(isinstance(text, str) for text in texts):
            return None
        # The engine divides by the length of the choice without the delimiter before it, one blank by default.
        lengths = [measure(text.removeprefix(" ")) or 1 for text in texts]
        best = max(range(len(ranked)), key=lambda option: ranked[option] / lengths[option])
    if item.gold_index is not None and item.n_gold == 1 and score is not None:
        if (best == item.gold_index) != (score == 1.0):
            return None  # the metric ranks options by a rule of its own: no choice is better than a wrong one
    return best


def _extracted(filtered: Any, turn: int, times: int, response: str | None, fallback: str) -> tuple[str | None, str]:
    """Return the answer a filter extracted, and the state of the reply."""
    answer = filtered
    while isinstance(answer, list):  # [answer], and from 0.5 on [[answer per repeat]]
        answer = answer[turn if times > 1 and len(answer) == times else 0] if answer else None
    if response is not None and not response.strip():
        return None, "empty"
    if answer is None or str(answer) == fallback or not str(answer).strip():
        return None, "no_answer"
    return str(answer), "answered"


def score_of(value: Any) -> float | None:
    """Return a metric's value as a number: the share of trues for a list of bools, None for anything else."""
    if isinstance(value, float):
        return value
    if isinstance(value, (bool, int)):
        return float(value)
    if isinstance(value, list) and value and all(isinstance(part, bool) for part in value):
        return sum(value) / len(value)  # IFEval judges instruction by instruction
    return None


def _prompt(context: Any) -> str | None:
    """Chat back ends may store a one-element list that holds the messages as JSON text."""
    if isinstance(context, list):
        return str(context[0]) if len(context) == 1 else str(context)
    return None if context is None else str(context)
