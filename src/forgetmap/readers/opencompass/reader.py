"""OpenCompass: predictions, and results with details (formats.md 4.2).

The document itself is not logged. Items are keyed by the prompt: role prompts joined as the tool joins them for a
model without a chat template, so that a base and a chat model meet; for perplexity tasks by the prompt of the first
option, demonstrations removed. Right or wrong is taken from the details alone. Where these carry no verdict (an
evaluator of its own is missing) the samples are unscored: no guess is made from gold and reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from forgetmap import answers, items
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.opencompass.layout import VERDICTS, Logged, beside, group_files, is_label, kind_of
from forgetmap.readers.opencompass.rows import Row, load_rows
from forgetmap.readers.source import ReadOptions, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task, known_task

_TIME = re.compile(r"\d{8}_\d{6}")  # how a run's folder is called: 20260131_120000


def detects(path: Path) -> bool:
    """Accept a file of predictions, or of results with details."""
    return kind_of(path) is not None


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one data set's files, or of all of one model below a folder."""
    files, others = split_files(path, detects)
    logged = _of_one_model(path, group_files(path, beside(path) if path.is_file() else files), options.model)
    builder = RunBuilder(source=str(path), texts=options.texts)
    info = RunInfo(tool="opencompass", model=logged[0].model, other_files=[_name(path, file) for file in others])
    info.date = logged[0].root.name if _TIME.fullmatch(logged[0].root.name) else None
    names: dict[str, str] = {}
    ranked: set[str] = set()
    for one in logged:
        task = canonical_task(one.name)
        label = f"{one.root.name}/{one.name}"
        if task in names:
            raise FormatError(f"{path}: '{names[task]}' and '{label}' are both {task}; give one of them")
        names[task] = label
        info.task_names[task] = one.name
        info.files += [_name(path, file) for file in (*one.predictions, one.results) if file is not None]
        _add_task(builder, task, one, ranked)

    def metrics(task: str, scorer: str, _: str) -> dict[str, Any]:
        kind = "likelihood" if task in ranked else "generation"
        return {"higher_is_better": True, "default": scorer != "rule", "kind": kind}

    run = builder.finish(info, metrics=metrics, reread=lambda: read(path, options.with_texts()).texts())
    if run.info.counts["null_scores"] == run.info.counts["samples"]:
        raise FormatError(
            f"{path}: predictions without a verdict on any of them; evaluate with --dump-eval-details and give "
            "the folder that holds predictions and results"
        )
    return run


def _name(path: Path, file: Path) -> str:
    return file.relative_to(path).as_posix() if path.is_dir() else file.name


def _of_one_model(path: Path, logged: list[Logged], wanted: str | None) -> list[Logged]:
    models = sorted({one.model or "" for one in logged})
    chosen = [one for one in logged if wanted in (None, one.model)]
    if not chosen:
        raise FormatError(
            f"{path}: no predictions of '{wanted}' in it; there are those of {', '.join(models) or 'nobody'}"
        )
    if wanted is None and len(models) > 1:
        raise FormatError(
            f"{path}: predictions of {len(models)} models ({', '.join(models)}); give a folder of one, or read_run's "
            "`model`"
        )
    return chosen


def _add_task(builder: RunBuilder, task: str, logged: Logged, ranked: set[str]) -> None:
    made: dict[int, Item] = {}
    golds: dict[int, list[str] | None] = {}
    silent = 0
    for row in load_rows(logged):
        labels = [name for name in row.entry if is_label(name)]
        if labels or "pred_label" in row.entry:
            ranked.add(task)
        item = made.get(row.position)
        if item is None:
            item = made[row.position] = _item(builder, task, row, labels)
            golds[row.position] = row.gold
        elif row.gold != golds[row.position]:
            raise FormatError(
                f"{row.place}: its gold is not that of entry {row.position}, whose replica it should be; the "
                "predictions are incomplete or mixed, run the inference again"
            )
        verdicts = list(_verdicts(row, labels))
        silent += all(score is None for *_, score in verdicts)
        _add(builder, item, row, labels, verdicts)
    if silent:
        builder.warn(
            f"{task}: {silent} replies have no verdict in the results' details and are unscored; an evaluator that "
            "gives details is needed (--dump-eval-details)"
        )


def _item(builder: RunBuilder, task: str, row: Row, labels: list[str]) -> Item:
    asked, gold = row.question, row.gold
    if not asked.strip():  # results alone: position in the data set is all there is
        key = items.item_key([row.native_id], gold=gold, basis="native")
        return builder.item(task, key=key, native_id=row.native_id, gold=gold, open_ended=_is_open(task))
    names = [name.removeprefix("label: ") for name in labels] or row.texts("choices")
    options = None if names else _shown(row.prompt, gold)
    index, right = None, gold
    if gold and names:  # names of options: their texts are inside the prompts
        index = names.index(gold[0]) if gold[0] in names else None
        if index is None and not labels:
            index = _number(gold[0], len(names))
            right = [names[index]] if index is not None else gold
    elif gold and options:
        index = answers.letter_index(gold[0], len(options))
        right = [options[index]] if index is not None else gold
    return builder.item(
        task,
        # the gold as logged: beside the prompt with its options a letter is as good as a text, and never misread
        key=items.item_key([asked], gold=gold, basis="prompt"),
        native_id=row.native_id,
        question=asked,
        options=options,
        gold=right,
        gold_index=index,
        n_options=len(names) or None,
        open_ended=not names and not options and _is_open(task),
    )


def _number(text: str, below: int) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 6 and int(text) < below else None


def _shown(prompt: str, gold: list[str] | None) -> list[str] | None:
    """Return the lettered options at the end of a prompt, if the gold is one of their letters."""
    if not gold or len(gold) != 1 or len(gold[0]) != 1 or not gold[0].isupper():
        return None
    parsed = answers.parse_choices(prompt)
    if parsed is None or answers.letter_index(gold[0], len(parsed.options)) is None:
        return None
    # options far above the end are those of a demonstration
    end = prompt.rfind(parsed.options[-1]) + len(parsed.options[-1])
    return list(parsed.options) if len(prompt) - end < 300 else None


def _is_open(task: str) -> bool:
    """Whether the task is known to have no options: a generated reply alone does not tell (yes or no, a label)."""
    profile = known_task(task)
    shape = profile.document if profile else None
    return shape is not None and not (shape.options or shape.fixed_options or shape.options_in_question)


def _verdicts(row: Row, labels: list[str]) -> Iterator[tuple[str, str, float | None]]:
    """Yield (scorer, metric, score); a null score where the details say nothing."""
    field = next((name for name in VERDICTS if name in row.detail), None)
    if field is not None:
        yield "cascade" if field == "cascade_correct" else "none", field, _score(row, row.detail[field], field)
        rule = row.detail.get("rule_evaluation")
        if isinstance(rule, dict) and "correct" in rule:
            yield "rule", "correct", _score(row, rule["correct"], "rule_evaluation")
    elif labels and row.gold and "prediction" in row.entry:
        # perplexity tasks: the lowest one is the prediction, and the tool's own formatter compares it so
        yield "none", "correct", float(str(row.entry["prediction"]) == row.gold[0])
    elif "pred_label" in row.entry and row.gold:  # the same with the probability of one token per option
        yield "none", "correct", float(str(row.entry["pred_label"]) == row.gold[0])
    else:
        yield "none", "correct", None


def _score(row: Row, value: Any, field: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, (bool, int, float)) and 0 <= value <= 1:
        return float(value)
    raise FormatError(f"{row.place}: {field} is {str(value)[:60]!r}, expected true or false; evaluate again")


def _add(
    builder: RunBuilder, item: Item, row: Row, labels: list[str], verdicts: list[tuple[str, str, float | None]]
) -> None:
    choice, index, state = _choice(item, row, labels, any(score for *_, score in verdicts))
    builder.reply(item, prompt=row.prompt or None, response=None if labels else row.response, choice=choice)
    for scorer, metric, score in verdicts:
        builder.sample(
            item,
            repeat=row.repeat,
            scorer=scorer,
            metric=metric,
            score=score,
            state=state if score is not None else "unscored",
            choice=choice,
            choice_index=index,
            prompt_key=row.prompt_key,
            output_tokens=row.output_tokens,
        )


def _choice(item: Item, row: Row, labels: list[str], right: bool) -> tuple[str | None, int | None, str | None]:
    """Return the answer found in the reply, its position among the options, and the state of the reply."""
    if labels or "pred_label" in row.entry:
        names = [name.removeprefix("label: ") for name in labels] or row.texts("choices")
        chosen = str(row.entry.get("prediction" if labels else "pred_label"))
        index = _number(chosen, len(names)) if not labels else names.index(chosen) if chosen in names else None
        return (names[index], index, "answered") if index is not None else (None, None, "no_answer")
    if row.response is not None and not row.response.strip():
        return None, None, "empty"
    said = row.extracted
    if said is None:
        return None, None, "answered" if right else None
    if not said.strip():
        return None, None, "no_answer"
    if item.options:
        index = answers.letter_index(said.strip(), len(item.options))
        return (item.options[index], index, "answered") if index is not None else (None, None, "no_answer")
    # an evaluator that extracts nothing repeats the whole reply
    return said, None, "answered" if right or said != row.response else None
