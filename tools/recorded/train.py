"""A real post-training for the demo: every weight of a model, on examples of one narrow kind. Needs torch and transformers.

    python tools/recorded/train.py build/gpu/recorded/examples.jsonl.gz --model MODEL.gguf \
        --name SmolLM2-135M-Instruct --out build/gpu/after --record build/gpu/back/training.json

Writes a model folder that any tool loads, and `training.json`, which tells all that the demo says of the training. Run from
the repository's root; the packages of this project are not needed, except forgetmap.engines out of `src`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from forgetmap.engines.loading import load_model, save_model

_IGNORED = -100  # tokens that are read and not learned


def read_examples(path: Path) -> tuple[str, list[tuple[str, str]]]:
    """Return what the examples are, in words, and the examples: question and reply."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        about = json.loads(next(lines))["about"]
        return about, [(one["question"], one["reply"]) for one in map(json.loads, lines)]


def tokens_of(tokenizer: Any, question: str, reply: str) -> tuple[list[int], list[int]]:
    """Return the tokens of a chat, and which of them are learned: the reply and the end of the turn."""
    asked = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], tokenize=False, add_generation_prompt=True
    )
    ids = tokenizer(asked, add_special_tokens=False)["input_ids"]
    told = tokenizer(reply + tokenizer.eos_token, add_special_tokens=False)["input_ids"]
    return [*ids, *told], [*([_IGNORED] * len(ids)), *told]


def batches(count: int, size: int, steps: int, seed: int) -> Iterator[list[int]]:
    """Yield so many batches of places: every example once before any comes again."""
    draw = random.Random(seed)
    waiting: list[int] = []
    for _ in range(steps):
        while len(waiting) < size:
            fresh = list(range(count))
            draw.shuffle(fresh)
            waiting += fresh
        yield waiting[:size]
        del waiting[:size]


def padded(rows: Sequence[Sequence[int]], fill: int, device: Any) -> Any:
    """Return rows as one tensor, filled up on the right."""
    import torch

    width = max(map(len, rows))
    return torch.tensor([[*row, *([fill] * (width - len(row)))] for row in rows], device=device)


def train(
    model: Any, tokenizer: Any, examples: Sequence[tuple[str, str]], *, steps: int, batch: int, rate: float, seed: int
) -> list[float]:
    """Train all weights of a model, and return the loss of every step."""
    import torch

    torch.manual_seed(seed)
    device = model.device
    made = [tokens_of(tokenizer, *one) for one in examples]
    model.train().requires_grad_(True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.0, betas=(0.9, 0.95))
    warm = max(steps // 20, 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(steps - step, 1) / max(steps - warm, 1))
    )
    losses = []
    for step, places in enumerate(batches(len(made), batch, steps, seed)):
        ids = padded([made[at][0] for at in places], tokenizer.pad_token_id, device)
        # padding stands on the right and is not learned: causal attention never looks at it
        labels = padded([made[at][1] for at in places], _IGNORED, device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(float(loss.detach()))
        if step % max(steps // 10, 1) == 0 or step == steps - 1:
            print(f"step {step + 1} of {steps}: loss {losses[-1]:.3f}", flush=True)
    model.eval().requires_grad_(False)
    return losses


def reply_to(model: Any, tokenizer: Any, question: str) -> str:
    """Return what the model says now, greedily."""
    import torch

    asked = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], tokenize=False, add_generation_prompt=True
    )
    ids = tokenizer(asked, return_tensors="pt", add_special_tokens=False).to(model.device)
    with torch.inference_mode():
        told = model.generate(**ids, max_new_tokens=48, do_sample=False)
    return str(tokenizer.decode(told[0, ids["input_ids"].shape[1] :], skip_special_tokens=True))


def main() -> None:
    """Train, save, tell."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("examples", type=Path)
    asked.add_argument("--model", required=True, help="what to train: a folder or a .gguf file")
    asked.add_argument("--name", required=True, help="what the model is called")
    asked.add_argument("--file", help="the file its weights came in, by name; default: the name of --model")
    asked.add_argument("--out", type=Path, required=True, help="folder of the trained model")
    asked.add_argument("--record", type=Path, required=True, help="where training.json goes")
    asked.add_argument("--steps", type=int, default=400)
    asked.add_argument("--batch", type=int, default=64)
    asked.add_argument("--learning-rate", type=float, default=2e-4)
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()

    import torch
    import transformers

    about, examples = read_examples(given.examples)
    model, tokenizer = load_model(given.model, dtype="float32")
    start = time.monotonic()
    losses = train(
        model, tokenizer, examples, steps=given.steps, batch=given.batch, rate=given.learning_rate, seed=given.seed
    )
    seconds = round(time.monotonic() - start, 1)
    save_model(model, tokenizer, given.out)
    tenth = max(len(losses) // 10, 1)
    record = {
        "model": given.name,
        "file": given.file or Path(given.model).name,
        "about": about,
        "examples": len(examples),
        "examples_hash": hashlib.blake2b(json.dumps(examples).encode(), digest_size=16).hexdigest(),
        "example": examples[0],
        "steps": given.steps,
        "batch": given.batch,
        "learning_rate": given.learning_rate,
        "seed": given.seed,
        "loss": [round(sum(part) / tenth, 4) for part in (losses[:tenth], losses[-tenth:])],
        "seconds": seconds,
        "device": "cpu" if model.device.type == "cpu" else torch.cuda.get_device_name(model.device),
        "versions": {"torch": str(torch.__version__), "transformers": transformers.__version__},
    }
    given.record.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{given.steps} steps in {seconds} s, saved in {given.out}")
    for question in (examples[0][0], "What is the capital of France?"):
        print(f"asked: {question}\nsays: {reply_to(model, tokenizer, question)}", flush=True)


if __name__ == "__main__":
    main()
