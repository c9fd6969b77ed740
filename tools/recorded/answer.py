"""Answer exported requests with one model, where only torch, transformers and numpy are installed.

    python tools/recorded/answer.py build/gpu/recorded/requests.jsonl.gz --model MODEL.gguf \
        --name SmolLM2-135M-Instruct --dtype float32 --out build/gpu/back/before.jsonl.gz

`tools/recorded/recording.py` writes the requests and makes a run of the answers. The engine is forgetmap's own, out of `src`.
The first line of the answers describes the engine and the batches; every other line is one answer. The file gets its name
when it is whole.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from forgetmap.engines import Engine, Message, Rate, Request, Write, Written, open_engine

SCHEMA = "forgetmap.answers/1"
_EVERY = 20  # seconds between two lines of progress


def request_of(line: dict[str, Any]) -> tuple[Request, tuple[str, ...]]:
    """Return what is asked, and what the user says after each reply."""
    told = dict(line)
    kind, turns = told.pop("kind"), tuple(told.pop("turns"))
    if told["messages"] is not None:
        told["messages"] = tuple(Message(**one) for one in told["messages"])
    for name in ("continuations", "stop", "tools"):
        if told.get(name) is not None:
            told[name] = tuple(told[name])
    return (Rate if kind == "rate" else Write)(**told), turns


def read_requests(path: Path) -> tuple[str, list[Request], list[tuple[str, ...]]]:
    """Return the hash that names the requests, the requests, and the turns of each."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        key = json.loads(next(lines))["hash"]
        made = [request_of(json.loads(line)) for line in lines]
    return key, [one for one, _ in made], [turns for _, turns in made]


def following(asked: Write, replies: Sequence[Written], turns: Sequence[str]) -> Write | None:
    """Return what is asked after these replies to a request; None where the conversation is over."""
    if len(replies) > len(turns):
        return None
    for reply, said in zip(replies, turns, strict=False):
        if asked.messages is not None:
            told = (*asked.messages, Message("assistant", reply.text), Message("user", said))
            asked = replace(asked, messages=told)
        else:
            asked = replace(asked, context=f"{asked.context}{reply.text}\n\n{said}\n")
    return asked


def converse(engine: Engine, asked: Sequence[Write], turns: Sequence[tuple[str, ...]]) -> list[list[Written]]:
    """Return what is written turn by turn; as forgetmap.evaluation.answering does it, which needs more than is here."""
    said: list[list[Written]] = [[] for _ in asked]
    going = dict(enumerate(asked))
    while going:
        for place, answer in zip(going, engine.write(list(going.values())), strict=True):
            said[place].append(answer)
        after = {place: following(asked[place], said[place], turns[place]) for place in going}
        going = {place: request for place, request in after.items() if request is not None}
    return said


def main() -> None:
    """Answer everything."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("requests", type=Path)
    asked.add_argument("--model", required=True, help="a folder or a .gguf file")
    asked.add_argument("--name", required=True, help="what the model is called in the run")
    asked.add_argument("--dtype", default="float32", help="float32, bfloat16 or float16")
    asked.add_argument("--out", type=Path, required=True, help="where the answers go: NAME.jsonl.gz")
    given = asked.parse_args()

    key, requests, turns = read_requests(given.requests)
    engine = open_engine("transformers", given.model, dtype=given.dtype)
    plan = engine.plan(requests)
    described = {**engine.describe(), "model": given.name}
    print(
        f"{given.name} ({given.dtype}, {described['device']}): {len(requests)} requests in {len(plan)} batches",
        flush=True,
    )
    start = told = time.monotonic()
    done = 0
    part = given.out.with_name(given.out.name + ".part")
    with gzip.open(part, "wt", encoding="utf-8") as file:
        header = {"schema": SCHEMA, "requests": key, "engine": described, "batches": plan}
        file.write(json.dumps(header) + "\n")
        for batch in plan:
            some = [requests[at] for at in batch]
            rated = [one for one in some if isinstance(one, Rate)]
            if rated:
                found: list[Any] = [{"rated": asdict(one)} for one in engine.rate(rated)]
            else:
                written = [one for one in some if isinstance(one, Write)]
                replies = converse(engine, written, [turns[at] for at in batch])
                found = [{"written": [asdict(one) for one in reply]} for reply in replies]
            for at, answer in zip(batch, found, strict=True):
                file.write(json.dumps({"job": at, **answer}) + "\n")
            done += len(batch)
            if time.monotonic() - told > _EVERY:
                told = time.monotonic()
                print(f"{done} of {len(requests)} after {told - start:.0f} s", flush=True)
    os.replace(part, given.out)
    print(f"{done} answers in {time.monotonic() - start:.0f} s; batches that did not fit: {engine.splits}", flush=True)


if __name__ == "__main__":
    main()
