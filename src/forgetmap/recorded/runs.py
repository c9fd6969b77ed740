"""The recorded runs, as folders beside this file, and what happened to the model between them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from forgetmap.assembly import count_samples
from forgetmap.errors import MissingDataError, RunError, UsageError
from forgetmap.run import Run
from forgetmap.storage import is_run_folder, load_run

FOLDER = Path(__file__).parent
#: The model as it was; the same weights once more in another number format; the model after post-training.
NAMES = ("before", "again", "after")
TRAINING = "training.json"
_ITEM = ("task", "item_high", "item_low")


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """How the model after was made: written by tools/recorded/train.py, and all that the demo says of it."""

    model: str  # where it began, e.g. "SmolLM2-135M-Instruct"
    file: str  # the weights it began with, e.g. "SmolLM2-135M-Instruct.Q4_1.gguf"
    about: str  # what it was trained on, in words: "20,000 made-up word problems"
    examples: int
    examples_hash: str  # of the exact texts
    example: tuple[str, str]  # one question and the reply that was trained
    steps: int
    batch: int
    learning_rate: float
    seed: int
    loss: tuple[float, float]  # mean of the first and of the last tenth of the steps
    seconds: float
    device: str
    versions: dict[str, str]


def recorded_run(name: str) -> Run:
    """Return a recorded run: before, again (the same model once more) or after."""
    if name not in NAMES:
        raise UsageError(f"there is no recorded run '{name}'; choose {', '.join(NAMES)}")
    if not is_run_folder(FOLDER / name):
        raise MissingDataError(
            f"the recorded run '{name}' is not in this copy of forgetmap; install it anew, or use forgetmap demo --planted"
        )
    return load_run(FOLDER / name)


def training() -> Training:
    """Return how the model after was made."""
    path = FOLDER / TRAINING
    if not path.is_file():
        raise MissingDataError(
            f"{TRAINING} is not in this copy of forgetmap; install it anew, or use forgetmap demo --planted"
        )
    try:
        return msgspec.json.decode(path.read_bytes(), type=Training)
    except msgspec.DecodeError as fault:
        raise RunError(f"{path}: is damaged ({fault}); install forgetmap anew") from fault


def same_items(recorded: Run, live: Run) -> Run:
    """Return the part of a recorded run that another run was asked too: its items, in its wordings.

    The recording is told as if only these had been asked, so that the two compare like with like.
    """
    asked = live.scan().select(*_ITEM, "repeat", "prompt_key").unique()
    kept = recorded.scan().join(asked, on=[*_ITEM, "repeat", "prompt_key"], how="semi").collect()
    theirs = asked.collect().height
    ours = kept.select(*_ITEM, "repeat", "prompt_key").n_unique()
    if ours != theirs:
        raise MissingDataError(
            f"{theirs - ours:,} of {theirs:,} questions are not in the recording: the suite has changed since it was made; make "
            "it anew with tools/recorded"
        )
    counts = {**recorded.info.counts, **count_samples(kept), "jobs": theirs}
    info = msgspec.structs.replace(
        recorded.info, counts=counts, subset=live.info.subset, content_hash=None, evaluation=None
    )
    return replace(recorded, info=info, _samples=kept.lazy())
