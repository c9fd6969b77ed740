"""Writes the Inspect logs under data/inspect with the real tool, offline.

    python tests/formats/make_inspect.py            # everything; the first call builds .venvs/inspect

The mock model gives the answers of planted.py. Every file is what inspect_ai wrote; only tracebacks, which name
paths of the machine, are blanked (through inspect's own reader and writer).

    before             mmlu_anatomy and gsm8k (two scorers)
    after              the same with shuffled choices, in another order (ids are 1..N, so they drift apart)
    edge.eval          values of every kind, errors, limits, chat input, two epochs
    edge.json.gz       the same log in the other format, compressed here to keep the repository small
    pick_all.eval      several right letters; pick_all.json the same log
    long.eval          two inputs that agree in more than the 5,120 characters a summary keeps
    chunked            long.eval and pick_all.eval in the shape for large samples (`inspect log convert-chunked`)
    edited.eval        edge.eval with one score edited and one sample invalidated afterwards
    unfinished.eval    gsm8k, the process killed after seven samples: a journal, no header and no summaries
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from planted import ITEMS, choice, gsm8k_gold, gsm8k_reply

HERE = Path(__file__).parent
VENV = HERE.parent.parent / ".venvs" / "inspect"
DATA = HERE / "data" / "inspect"

ANATOMY = [item for item in ITEMS["mmlu"] if item["subject"] == "anatomy"]
REFUSING = "I would rather talk about something else."

# id: (question, target, value of the scorer `graded`, reason); the reply is always "reply to <id>".
EDGES: dict[str, tuple[str, str | list[str], Any, str | None]] = {
    "right": ("Spell the number 3.", "three", "C", None),
    "wrong": ("Spell the number 4.", "four", "I", None),
    "half": ("Name two primes under 6.", ["2", "3"], "P", None),
    "silent": ("Spell the number 5.", "five", "N", "no_response"),
    "refused": ("Spell the number 6.", "six", "I", "refusal"),
    "affirmed": ("Is 7 odd?", "yes", "yes", None),
    "counted": ("How sure are you, from 0 to 1, that 8 is even?", "1", 0.75, None),
    "unscored": ("Spell the number 9.", "nine", float("nan"), "grader_failed"),
    "crash": ("Spell the number 10.", "ten", None, None),
    "limited": ("Spell the number 11.", "eleven", "I", None),
    "chat": ("Spell the number 12.", "twelve", "C", None),
}


def mock(reply: Any) -> Any:
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(messages: list[Any], *_: Any) -> Any:
        text = reply(messages[-1].text)
        output = ModelOutput.from_content(model="planted", content=text)
        # Without a count of its own the mock would fetch a tokenizer from the network.
        words = len(text.split())
        output.usage = ModelUsage(input_tokens=20, output_tokens=words, total_tokens=20 + words)
        return output

    return lambda name: get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def choice_reply(side: str) -> Any:
    """Reads the options as they were shown and answers with the letter that now stands before the chosen one."""

    def reply(prompt: str) -> str:
        index = next(i for i, item in enumerate(ANATOMY) if item["question"] in prompt)
        picked = choice(side, index, ANATOMY[index]["answer"], 4)
        if picked is None:
            return "" if index == 7 else REFUSING
        letters = {text: letter for letter, text in re.findall(r"^([A-Z])\) (.*)$", prompt, re.MULTILINE)}
        return f"ANSWER: {letters[ANATOMY[index]['choices'][picked]]}"

    return reply


def number_reply(side: str) -> Any:
    turns: dict[int, int] = {}

    def reply(prompt: str) -> str:
        index = next(i for i, item in enumerate(ITEMS["gsm8k"]) if item["question"] in prompt)
        turns[index] = turns.get(index, -1) + 1
        return gsm8k_reply(side, index, turns[index]).strip()

    return reply


def anatomy_task(side: str) -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import choice as choice_scorer
    from inspect_ai.solver import multiple_choice

    rows = [
        Sample(
            input=item["question"],
            choices=item["choices"],
            target="ABCD"[item["answer"]],
            metadata={"subject": item["subject"]},
        )
        for item in ANATOMY
    ]
    data = MemoryDataset(random.Random(3).sample(rows, len(rows)) if side == "after" else rows, name="anatomy")
    if side == "after":
        data.shuffle_choices(seed=5)
    return Task(name="mmlu_anatomy", dataset=data, solver=multiple_choice(), scorer=choice_scorer())


def gsm8k_task(side: str) -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import match, pattern
    from inspect_ai.solver import generate

    rows = [Sample(input=item["question"], target=gsm8k_gold(item)) for item in ITEMS["gsm8k"]]
    data = MemoryDataset(random.Random(4).sample(rows, len(rows)) if side == "after" else rows, name="gsm8k")
    scorers = [match(numeric=True), pattern(r"#### (-?[\d.,]+)")]
    return Task(name="gsm8k", dataset=data, solver=generate(), scorer=scorers)


def edge_task() -> Any:
    from inspect_ai import Epochs, Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import Score, accuracy, mean, scorer
    from inspect_ai.solver import solver

    @solver
    def ask() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            if state.sample_id == "crash":
                raise RuntimeError("planted failure of the sandbox")
            while state.sample_id == "limited":  # until the message limit stops it
                state = await generate(state)
                state.messages.append(ChatMessageUser(content="go on"))
            return await generate(state)

        return solve

    @scorer(metrics=[accuracy()])
    def graded() -> Any:
        async def score(state: Any, target: Any) -> Score:
            _, _, value, reason = EDGES[state.sample_id]
            return Score(value=value, answer=f"reply to {state.sample_id}", reason=reason)

        return score

    @scorer(metrics={"style": [mean()], "facts": [mean()]})
    def rubric() -> Any:
        async def score(state: Any, target: Any) -> Score:
            facts = float("nan") if state.sample_id == "wrong" else 1
            return Score(value={"style": 0.25 * (state.epoch + 1), "facts": facts})

        return score

    def as_input(name: str) -> Any:
        if name == "chat":
            return [ChatMessageSystem(content="Be brief."), ChatMessageUser(content=EDGES[name][0])]
        return EDGES[name][0]

    rows = [Sample(id=name, input=as_input(name), target=target) for name, (_, target, _, _) in EDGES.items()]
    return Task(
        name="edge",
        dataset=MemoryDataset(rows, name="edges"),
        solver=ask(),
        scorer=[graded(), rubric()],
        epochs=Epochs(2, "mean"),
        message_limit=6,
    )


def pick_all_task() -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import choice as choice_scorer
    from inspect_ai.solver import multiple_choice

    rows = [
        Sample(input="Which are even?", choices=["2", "3", "4", "5"], target=["A", "C"]),
        Sample(input="Which are prime?", choices=["4", "5", "6", "7", "9"], target="BD"),
        Sample(input="Which is a square?", choices=["3", "9"], target=["B"]),
    ]
    data = MemoryDataset(rows, name="pick_all")
    return Task(name="pick_all", dataset=data, solver=multiple_choice(multiple_correct=True), scorer=choice_scorer())


def pick_all_reply(prompt: str) -> str:
    return "ANSWER: A, C" if "even" in prompt else "ANSWER: B" if "prime" in prompt else "ANSWER: A"


def long_task() -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    passage = "The tide came in and went out again. " * 160
    rows = [
        Sample(id="first", input=passage + "How many tides?", target="many"),
        Sample(id="second", input=passage + "Where did the tide go?", target="many"),
    ]
    return Task(name="long", dataset=MemoryDataset(rows, name="long"), solver=generate(), scorer=match())


def evaluate(task: Any, model: Any, folder: Path, **settings: Any) -> Path:
    from inspect_ai import eval as run_eval

    [log] = run_eval(
        task,
        model=model,
        log_dir=str(folder),
        max_samples=1,
        fail_on_error=False,
        log_model_api=False,
        log_realtime=False,
        display="none",
        **settings,
    )
    return Path(str(log.location).removeprefix("file://"))


def without_tracebacks(source: Path, target: Path) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(source))
    blank = "removed: it names paths of the machine"
    for sample in log.samples or []:
        for fault in [sample.error, *(event.error for event in sample.events if event.event == "error")]:
            if fault is not None:
                fault.traceback = fault.traceback_ansi = blank
    write_eval_log(log, str(target))


def run_inside(work: Path) -> None:
    from inspect_ai.log import ProvenanceData, edit_score, invalidate_samples, read_eval_log, write_eval_log
    from inspect_ai.log._recorders.chunked import convert_eval_logs_to_chunked
    from inspect_ai.scorer import ScoreEdit

    for side in ("before", "after"):
        evaluate(anatomy_task(side), mock(choice_reply(side))(f"planted-{side}"), work / side)
        evaluate(gsm8k_task(side), mock(number_reply(side))(f"planted-{side}"), work / side, temperature=0.7)
    raw = evaluate(edge_task(), mock(lambda _: "a reply")("planted-edge"), work / "raw")
    edge = work / "edge.eval"
    without_tracebacks(raw, edge)
    log = read_eval_log(str(edge))
    write_eval_log(log, str(work / "edge.json"))
    (work / "edge.json.gz").write_bytes(gzip.compress((work / "edge.json").read_bytes(), mtime=0))
    (work / "edge.json").unlink()
    edit_score(log, "wrong", "graded", ScoreEdit(value="C", provenance=ProvenanceData(author="someone")), epoch=1)
    doubtful = next(sample.uuid for sample in log.samples or [] if (sample.id, sample.epoch) == ("right", 2))
    log = invalidate_samples(log, [str(doubtful)], ProvenanceData(author="someone", reason="wrong sandbox"))
    write_eval_log(log, str(work / "edited.eval"))
    shutil.move(evaluate(pick_all_task(), mock(pick_all_reply)("planted"), work / "raw"), work / "pick_all.eval")
    shutil.move(evaluate(long_task(), mock(lambda _: "many")("planted"), work / "raw"), work / "long.eval")
    for name in ("long", "pick_all"):
        convert_eval_logs_to_chunked(str(work / f"{name}.eval"), str(work / "chunked"), chunk_size=2)
    write_eval_log(read_eval_log(str(work / "pick_all.eval")), str(work / "pick_all.json"))


def run_killed(work: Path) -> None:
    """Answers seven samples and dies without a word, as a machine that is switched off does."""
    answered = 0
    reply = number_reply("before")

    def fatal(prompt: str) -> str:
        nonlocal answered
        answered += 1
        if answered > 7:
            os._exit(9)
        return str(reply(prompt))

    evaluate(gsm8k_task("before"), mock(fatal)("planted-before"), work / "killed", log_buffer=1, temperature=0.7)


def build_environment() -> None:
    if not VENV.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(VENV / "bin" / "pip"), "install", "inspect_ai==0.3.285"], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inside", choices=["all", "killed"], help=argparse.SUPPRESS)
    inside = parser.parse_args().inside
    if inside:
        (run_inside if inside == "all" else run_killed)(Path.cwd())
        return
    build_environment()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        environment = os.environ | {"PYTHONPATH": str(HERE), "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
        command = [str(VENV / "bin" / "python"), str(HERE / "make_inspect.py"), "--inside"]
        subprocess.run([*command, "all"], cwd=work, env=environment, check=True)
        killed = subprocess.run([*command, "killed"], cwd=work, env=environment)
        if killed.returncode != 9:
            raise RuntimeError(f"the run that was to die ended with status {killed.returncode}")
        [unfinished] = (work / "killed").glob("*.eval")
        shutil.rmtree(DATA, ignore_errors=True)
        DATA.mkdir(parents=True)
        shutil.move(unfinished, DATA / "unfinished.eval")
        for log in [*work.glob("*.eval"), *work.glob("*.json"), *work.glob("*.json.gz")]:
            shutil.move(log, DATA / log.name)
        for name in ("before", "after", "chunked"):
            shutil.copytree(work / name, DATA / name)


if __name__ == "__main__":
    main()
