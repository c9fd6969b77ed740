"""From rows to a run.

Two scorers: `pred`, the letter as stored, and `extracted`, our one rule on the text. The stored letter was made by
different rules in different files, so its regime goes with it: pairing takes `pred` where both files share one, else
`extracted`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from forgetmap import answers, items
from forgetmap.answers import Extraction
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.mmlu_pro.files import Row, choose_files, detects, read_rows
from forgetmap.readers.mmlu_pro.regime import NO_LETTER, ONE_RULE, evidence, regime
from forgetmap.readers.source import ReadOptions, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task

SUITE = "mmlu_pro"
METRIC = "acc"


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one file, or of one model's category files below a folder."""
    found, others = split_files(path, detects)
    files, model, shots = choose_files(found, path, options.model)
    builder = RunBuilder(source=str(path), texts=options.texts)
    tally: Counter[str] = Counter()
    seen: dict[str, Path] = {}  # category -> file
    for file in files:
        rows, bare = read_rows(file)
        tally["bare_texts"] += bare
        for category in {row.category or "" for row in rows}:
            if seen.setdefault(category, file) != file:
                raise FormatError(
                    f"{path}: category '{category}' is in {seen[category].name} and in {file.name}; name one of them"
                )
        for row in rows:
            _add(builder, row, tally)
    _tell(builder, tally)
    rule = regime(tally)
    tasks = {canonical_task(raw): raw for raw in map(_task, seen)}
    info = RunInfo(
        model=model,
        suite=SUITE,
        tool="MMLU-Pro",
        settings={} if shots is None else {"num_fewshot": shots},
        task_names=tasks,
        groups={SUITE: sorted(tasks)},
        files=[file.name for file in files],
        other_files=[file.name for file in [*others, *(one for one in found if one not in files)]],
    )
    return builder.finish(
        info,
        metrics=lambda _task, scorer, _metric: {
            "higher_is_better": True,
            "binary": True,
            "default": scorer == "pred",
            "regime": rule if scorer == "pred" else ONE_RULE,
        },
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _task(category: str) -> str:
    return f"{SUITE}:{category}" if category else SUITE


def _add(builder: RunBuilder, row: Row, tally: Counter[str]) -> None:
    gold_index = _gold_index(row, tally)
    gold = None if gold_index is None else [row.options[gold_index]]
    item = builder.item(
        canonical_task(_task(row.category or "")),
        key=items.item_key([row.question], row.options, gold),
        native_id=row.question_id,
        question=row.question,
        options=row.options,
        gold=gold,
        gold_index=gold_index,
        category=[hint for hint in (row.category, row.src) if hint],
    )
    text = row.text
    found = Extraction("error") if text is None else answers.mmlu_pro_extract(text, row.options)
    builder.reply(item, response=text, choice=found.answer)
    tally[f"extracted_by_{found.tier or found.state}"] += 1

    told = evidence(row.pred, text, found)
    tally[told] += 1
    stored = answers.letter_index(row.pred, len(row.options)) if row.pred else None
    if told in NO_LETTER:
        # no choice of the model's, but the score stands, for the sake of the published accuracy
        right = stored == gold_index
        tally["no_letter_but_right"] += right
        _sample(builder, item, "pred", "no_answer", None, right=right)
    elif row.pred or text is not None:
        state = "answered" if stored is not None else "empty" if found.state == "empty" else "no_answer"
        _sample(builder, item, "pred", state, stored, right=stored == gold_index)
    else:
        builder.sample(item, scorer="pred", metric=METRIC, state="error")
    if text is None:
        builder.sample(item, scorer="extracted", metric=METRIC, state="error")
    else:
        _sample(builder, item, "extracted", found.state, found.index, right=found.index == gold_index)


def _sample(builder: RunBuilder, item: Item, scorer: str, state: str, index: int | None, *, right: bool) -> None:
    if item.gold is None:  # right or wrong cannot be told
        builder.sample(item, scorer=scorer, metric=METRIC, state="unscored", choice_index=index)
    else:
        builder.sample(item, scorer=scorer, metric=METRIC, score=float(right), state=state, choice_index=index)


def _gold_index(row: Row, tally: Counter[str]) -> int | None:
    by_letter = answers.letter_index(row.answer, len(row.options)) if row.answer else None
    index = row.answer_index
    if index is not None and not 0 <= index < len(row.options):
        index = None
    if by_letter is None:
        return index
    # The letter is what the published accuracy and every other engine score against.
    tally["gold_letter_disagrees"] += index is not None and by_letter != index
    return by_letter


def _tell(builder: RunBuilder, tally: Counter[str]) -> None:
    """Put into the run what changes how its numbers should be read."""
    tally["filled"] = tally["drawn"] + tally["capital"]
    for name, number in sorted(tally.items()):
        if number and (name in _TOLD or name.startswith("extracted_by_")):
            builder.count(name, number)
    if tally["filled"]:
        builder.warn(
            f"{tally['filled']} replies hold no answer letter although one is stored, which is not the model's: they "
            f"count as no answer, though {tally['no_letter_but_right']} of them score 1 under 'pred'"
        )
    if tally["bare_texts"]:
        builder.warn(f"{tally['bare_texts']} bare texts stood among the rows and are left out")
    if tally["gold_letter_disagrees"]:
        builder.warn(
            f"gold letter and gold index disagree in {tally['gold_letter_disagrees']} rows: the letter is used"
        )


_TOLD = frozenset({"filled", "misread", "no_letter_but_right", "bare_texts", "gold_letter_disagrees"})
