"""The same as evaluate.py on a GPU machine that has torch and transformers and nothing else of ours.

    python bench/evaluate_gpu.py items FILE [--items 150]      # here: writes the prompts
    python bench/evaluate_gpu.py run FILE MODEL                # there: rates them with both engines, bfloat16

The engine needs none of forgetmap's other dependencies; lm-evaluation-harness 0.4.13 must be importable. Both are given the
loaded model; planning and batches count, loading does not. Each rates everything twice: the first time kernels are chosen
for every new shape, the second time counts. The peer runs at its best batch size of several.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TASKS = 20
SHOTS = 5
BATCHES = (128, 512, 1024)


def items(file: str, count: int = 150) -> None:
    """Write the prompts of both formats."""
    from evaluate import _answers, _asked
    from forgetmap.suites import load

    suite = load("pocket")
    made: dict[str, list[dict[str, Any]]] = {"letters": [], "plain": []}
    for task in suite.tasks:
        rows = [
            {"question": one.question, "options": list(one.options or ()), "gold": one.gold_index}
            for one in task.items()
            if len(one.options or ()) == 4
        ]
        if len(rows) < SHOTS + count or len(made["letters"]) == TASKS * count:
            continue
        for form, requests in made.items():
            prefix = "".join(f"{_asked(one, form)} {_answers(one, form)[one['gold']]}\n\n" for one in rows[:SHOTS])
            requests += [
                {
                    "context": prefix + _asked(one, form),
                    "continuations": [f" {answer}" for answer in _answers(one, form)],
                    "prefix": len(prefix),
                }
                for one in rows[SHOTS : SHOTS + count]
            ]
    with gzip.open(file, "wt") as target:
        json.dump(made, target)


def run(file: str, model: str) -> None:
    """Rate the prompts and print one line per figure."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    import torch
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from forgetmap.engines import Rate, open_engine
    from measure import line

    engine: Any = open_engine("transformers", model, dtype="bfloat16")
    with gzip.open(file, "rt") as source:
        made = json.load(source)
    print(torch.cuda.get_device_name(), torch.__version__)
    for form, rows in made.items():
        asked = [Rate(row["context"], tuple(row["continuations"]), row["prefix"]) for row in rows]
        first, seconds, own = _twice(lambda asked=asked: _rate(engine, asked))
        pairs = [
            Instance("loglikelihood", {}, (row["context"], one), place)
            for row in rows
            for place, one in enumerate(row["continuations"])
        ]
        peers = {}
        for size in BATCHES:
            lm = HFLM(pretrained=engine.model, tokenizer=engine.tokenizer, batch_size=size)
            _, *peers[size] = _twice(
                lambda lm=lm, pairs=pairs: [one for one, _ in lm.loglikelihood(pairs, disable_tqdm=True)]
            )
        best = min(peers, key=lambda size: peers[size][0])
        rates = [len(rows) / seconds, len(rows) / peers[best][0]]
        told = f"{rates[0] / rates[1]:.1f}x ({rates[0]:.0f} against {rates[1]:.0f} items/s at batch {best})"
        line(f"{SHOTS}-shot, 4 options, {form}, {len(rows)} items", told, "≥ 3x", rates[0] >= 3 * rates[1])
        print(
            f"  the first time, in a fresh process: {len(rows) / first:.0f} items/s; batch by batch of the peer: "
            + ", ".join(f"{size}: {len(rows) / found[0]:.0f}" for size, found in peers.items())
        )
        apart = sorted(abs(one - other) for one, other in zip(own, peers[best][1], strict=True))
        print(
            f"  differences of log-likelihoods in bfloat16: median {apart[len(apart) // 2]:.3f}, largest {apart[-1]:.3f}"
        )


def _rate(engine: Any, asked: list[Any]) -> list[float]:
    found = {}
    for batch in engine.plan(asked):
        found |= dict(zip(batch, engine.rate([asked[at] for at in batch]), strict=True))
    return [one for place in range(len(asked)) for one in found[place].logprobs]


def _twice(work: Callable[[], list[float]]) -> tuple[float, float, list[float]]:
    """Seconds of the first and of the second time, and what was found."""
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        found = work()  # ends with values on this side: nothing is left running
        seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1], found


if __name__ == "__main__":
    {"items": items, "run": run}[sys.argv[1]](*sys.argv[2:])
