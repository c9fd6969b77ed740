"""From responses to a run.

No score is in the files. Choices, numbers and open answers are read out of the replies by our own rules; what needs a
judge, an interpreter or a checker keeps a null score and its texts. Lists may come as lists, arrays or text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgetmap import answers, items
from forgetmap.answers import Extraction
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.captrack.files import TASKS, detects, read_rows, task_id, task_of_file
from forgetmap.readers.source import ReadOptions, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task

METRIC = "accuracy"
UNSCORED = "unscored"  # the metric of tasks that are not scored here


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one task's file, or of all files of one model's folder."""
    files, others = split_files(path, detects)
    if not files:
        raise FormatError(f"{path}: no CapTrack responses in it; name the folder of one model")
    models = {file.absolute().parent.name for file in files}
    if options.model is not None:
        files = [file for file in files if file.absolute().parent.name == options.model]
    if len({file.absolute().parent for file in files}) != 1:
        raise FormatError(f"{path}: responses of {', '.join(sorted(models))}; name the folder of one model")
    builder = RunBuilder(source=str(path), texts=options.texts)
    seen: dict[str, Path] = {}
    formatted: dict[str, bool] = {}  # whether rows carry a prompt in one model family's template
    for file in files:
        of_file = task_of_file(file)
        for place, row in read_rows(file, options, builder.count):
            task = task_id(row.get("task")) or of_file
            if task is None:
                raise FormatError(f"{file}: {place} names no task; name the file after it: gsm8k_subset.jsonl")
            if seen.setdefault(task, file) != file:
                raise FormatError(f"{path}: task '{task}' is in {seen[task].name} and in {file.name}; keep one")
            formatted[task] = formatted.get(task, False) or row.get("formatted_prompt") is not None
            try:
                _add(builder, task, row)
            except (TypeError, ValueError, AttributeError) as fault:
                raise FormatError(f"{file}: {place}: {fault}; check the row, or write the file again") from fault
    info = RunInfo(
        model=files[0].absolute().parent.name,
        suite="captrack",
        tool="CapTrack",
        task_settings={canonical_task(task): {"formatted_prompt": there} for task, there in formatted.items()},
        task_names={canonical_task(task): task for task in seen},
        files=[file.name for file in files],
        other_files=[file.name for file in others],
    )
    return builder.finish(
        info,
        metrics=lambda _task, _scorer, metric: {"higher_is_better": True, "binary": True} if metric == METRIC else {},
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _add(builder: RunBuilder, task: str, row: dict[str, Any]) -> None:
    kind = TASKS[task]
    turns, context, gold = _texts(row.get("prompt")), _texts(row.get("ctx")), _parsed(row.get("gold"))
    options = _options(row.get("choices"))
    native, language = row.get("id"), _language(row)
    gold_index = _gold_index(gold, options) if options else None
    if options:
        golds = [] if gold_index is None else [options[gold_index]]
    else:
        golds = _gold_texts(gold, kind)
    if turns:
        # many tasks have no gold by design: their prompts are the whole content
        whole = "content" if kind is None and gold is None else None
        key = items.item_key([*context, *turns], options, golds, basis=whole)
    elif native is not None:
        key = items.item_key([task, str(native)], basis="native")
    else:
        raise ValueError("it has neither prompt nor id, so nothing identifies the item")
    item = builder.item(
        canonical_task(task),
        key=key,
        native_id=native,
        question="\n".join(turns) or None,
        options=options,
        gold=golds,
        gold_index=gold_index,
        open_ended=kind in ("number", "open"),
        category=[language] if language else None,
    )
    shown = row.get("formatted_prompt")
    prompt = shown if isinstance(shown, str) else "\n".join([*context, *turns, *_texts(row.get("turn1_response"))])
    for repeat, reply in enumerate(_replies(row["outputs"])):
        found, right = _score(kind, reply, gold, item, language)
        builder.reply(item, prompt=prompt, response=reply, choice=found.answer)
        builder.sample(
            item,
            repeat=repeat,
            metric=METRIC if kind else UNSCORED,
            score=None if right is None else float(right),
            state="unscored" if right is None else found.state,
            choice=None if item.options else found.answer,
            choice_index=found.index,
            prompt_key=items.text_hash(prompt),
        )


def _score(
    kind: str | None, reply: str | None, gold: Any, item: Item, language: str | None
) -> tuple[Extraction, bool | None]:
    """Return what was read out of a reply, and whether it is right; None where that cannot be told."""
    if reply is None or kind is None:
        return Extraction("unscored"), None
    if kind == "choice":
        if not item.options or item.gold_index is None:
            return Extraction("unscored"), None
        found = answers.extract_choice(reply, item.options)
        return found, found.index == item.gold_index
    if kind == "number":
        number = answers.gold_number(gold)
        found = answers.extract_number(reply, language or "en")
        return found, None if number is None else answers.numbers_equal(found.answer, number)
    match = answers.match_open(reply, gold)
    return Extraction(match.state, match.span), match.matched


def _replies(outputs: Any) -> list[str | None]:
    """Return the replies: usually one text; a list holds repeats."""
    listed = None if isinstance(outputs, str) else answers.literal_list(outputs)
    found = [outputs] if listed is None else listed
    for one in found:
        if isinstance(one, dict):
            raise ValueError("outputs is an object, expected the reply as text")
    return [one if one is None or isinstance(one, str) else str(one) for one in found] or [None]


def _parsed(value: Any) -> Any:
    """Return the value behind a text that spells a list or an object, else the value itself."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        inside = answers.literal_list(f"[{value}]")
        return inside[0] if inside and len(inside) == 1 else value
    listed = None if isinstance(value, (str, dict)) else answers.literal_list(value)
    return value if listed is None else listed


def _texts(value: Any) -> list[str]:
    """Return the texts in a value in order: a text, a list of turns or paragraphs, objects with texts."""
    value = _parsed(value)
    if value is None:
        return []
    if isinstance(value, dict):
        return [text for name in sorted(value) for text in _texts(value[name])]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # Parquet may have made 18 a float
    return [value if isinstance(value, str) else str(value)]


def _options(choices: Any) -> list[str] | None:
    """Return the options: a list, or one text "A: … B: …" (SuperGPQA)."""
    found = _parsed(choices)
    if isinstance(found, list):
        return [text for one in found for text in (_texts(one) or [""])] or None
    if isinstance(found, dict):
        return _options(found.get("text"))
    if not isinstance(found, str):
        return None
    parsed = answers.parse_choices(found) or answers.parse_choices(_broken_at_letters(found))
    return list(parsed.options) if parsed else None


def _broken_at_letters(text: str) -> str:
    """Return options that share one line with a line each."""
    return re.sub(r"(?<=\S)\s+(?=[B-Z][:.)]\s)", "\n", text)


def _gold_index(gold: Any, options: Sequence[str]) -> int | None:
    """Return the gold's position: a letter, or the text of one option."""
    texts = _texts(gold)
    if len(texts) != 1:
        return None
    letter = texts[0].strip(" ().:")
    if len(letter) == 1 and letter.isalpha():
        return answers.letter_index(letter, len(options))
    wanted = items.normalise(texts[0])
    same = [position for position, option in enumerate(options) if items.normalise(option) == wanted]
    return same[0] if len(same) == 1 else None


def _gold_texts(gold: Any, kind: str | None) -> list[str]:
    if kind == "open":
        return answers.gold_aliases(gold)
    if kind == "number":
        return [text.rpartition("####")[2].strip() for text in _texts(gold)]
    return _texts(gold)


def _language(row: dict[str, Any]) -> str | None:
    """Return the item's language (MGSM, XTREME), wherever the row says it."""
    meta = _parsed(row.get("meta"))
    places = [row, meta] if isinstance(meta, dict) else [row]
    found = (place.get(name) for place in places for name in ("language", "lang"))
    return next((language for language in found if isinstance(language, str)), None)
