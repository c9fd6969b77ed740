"""alpaca_eval: `model_outputs.json` (replies) and `<annotator>/annotations.json` (verdicts of a judge).

A verdict compares the model's reply with that of a fixed reference: 1 = the reference is better, 1.5 a tie, 2 = the
model is better, anything between when the judge's probabilities weigh. The score is preference − 1, so it is graded
and says nothing without its judge and reference, which become settings. Replies alone are a run without scores.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.source import ReadOptions, load_json, sniff, split_files
from forgetmap.run import Run, RunInfo

TASK = "alpaca_eval"
METRIC = "win"
_OUTPUTS = frozenset({"instruction", "output", "generator"})
_ANNOTATIONS = frozenset({"instruction", "output_1", "output_2", "preference"})


class _Row(msgspec.Struct):
    """A row of either file; a reply has `output`, a verdict `output_2`, the model's text beside the reference's."""

    instruction: str
    dataset: str | None = None
    output: str | None = None
    generator: str | None = None
    output_2: str | None = None
    generator_1: str | None = None
    generator_2: str | None = None
    annotator: str | None = None
    preference: float | None = None


_decode = msgspec.json.Decoder(list[_Row]).decode


def detects(path: Path) -> bool:
    """Accept a JSON list of replies or of annotations."""
    if not path.is_file():
        return False
    found = sniff(path)
    return found.kind == "list" and (found.keys >= _OUTPUTS or found.keys >= _ANNOTATIONS)


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one file, or of a model's folder: its replies and the verdicts of each annotator."""
    files, others = split_files(path, detects)
    replies: list[_Row] = []
    verdicts: dict[str, list[_Row]] = {}  # by annotator
    references: dict[str, set[str | None]] = {}
    models: dict[str | None, Path] = {}
    for file in files:
        rows = load_json(file, _decode)
        judged = sniff(file).keys >= _ANNOTATIONS
        for row in rows:
            models.setdefault(row.generator_2 if judged else row.generator, file)
        if not judged:
            replies += rows
            continue
        for position, row in enumerate(rows):
            judge = row.annotator or file.parent.name  # the folder is named after the annotator
            verdicts.setdefault(judge, []).append(_checked(row, file, position))
            references.setdefault(judge, set()).add(row.generator_1)
    model = _one_model(models, path)
    builder = RunBuilder(source=str(path), texts=options.texts)
    made: dict[str, Item] = {}
    for judge, rows in verdicts.items():
        for row in rows:
            _add(builder, _item(builder, made, row), row.output_2, row, judge)
    judged_too = set(made)
    for row in replies:
        if row.instruction not in judged_too:
            for judge in verdicts or ["none"]:
                _add(builder, _item(builder, made, row), row.output, None, judge)
    if verdicts and len(made) > len(judged_too):
        builder.warn(f"{len(made) - len(judged_too)} replies have no verdict: they count as not observed")
    settings = {"judge": ", ".join(sorted(verdicts)), "reference": _names(references)} if verdicts else {}
    info = RunInfo(
        model=model,
        suite=TASK,
        tool="alpaca_eval",
        settings=settings,
        files=[file.name for file in files],
        other_files=[file.name for file in others],
    )
    describe = {"higher_is_better": True, "binary": False, "scale": (0.0, 1.0)}
    return builder.finish(
        info,
        metrics=lambda _task, judge, _metric: {**describe, "regime": _names({judge: references.get(judge, set())})},
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _checked(row: _Row, file: Path, position: int) -> _Row:
    """Return the verdict with a tie written as 1.5: the first versions wrote 0."""
    if row.preference == 0:
        row.preference = 1.5
    if row.preference is not None and not 1 <= row.preference <= 2:
        raise FormatError(f"{file}: row {position}: preference is {row.preference:g}, expected 1 to 2; annotate again")
    return row


def _one_model(models: dict[str | None, Path], path: Path) -> str | None:
    if len(models) > 1:
        named = ", ".join(f"'{name}' in {file.name}" for name, file in list(models.items())[:3])
        raise FormatError(f"{path}: replies of {len(models)} models ({named}); name the folder of one model")
    return next(iter(models), None)


def _names(references: dict[str, set[str | None]]) -> str | None:
    """Return the reference model, or all of them where they differ."""
    found = sorted({name for names in references.values() for name in names if name})
    return ", ".join(found) or None


def _item(builder: RunBuilder, made: dict[str, Item], row: _Row) -> Item:
    item = made.get(row.instruction)
    if item is None:
        # there is no gold: the instruction is the whole content
        key = items.item_key([row.instruction], basis="content")
        category = [row.dataset] if row.dataset else None
        item = builder.item(TASK, key=key, question=row.instruction, category=category)
        made[row.instruction] = item
    return item


def _add(builder: RunBuilder, item: Item, response: str | None, verdict: _Row | None, judge: str) -> None:
    builder.reply(item, prompt=item.question, response=response)
    facts: dict[str, Any] = {"scorer": judge, "metric": METRIC, "prompt_key": items.text_hash(item.question or "")}
    if verdict is None:
        builder.sample(item, state="unscored", **facts)
    elif verdict.preference is None:  # the judge failed: that is no loss
        builder.sample(item, state="error", error="the annotator gave no preference", **facts)
    else:
        state = None if response else "empty"
        builder.sample(item, score=verdict.preference - 1, state=state, **facts)
