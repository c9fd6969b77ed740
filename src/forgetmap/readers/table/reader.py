"""From rows to a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from forgetmap import items
from forgetmap.answers import ANSWER_STATES
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.source import ReadOptions, sniff, split_files
from forgetmap.readers.table import values
from forgetmap.readers.table.files import Rows, csv_header, load_rows
from forgetmap.readers.table.mapping import AMBIGUOUS, NAMES, map_columns
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task

if TYPE_CHECKING:
    import pandas as pd

_KNOWN = frozenset(name for names in NAMES.values() for name in names) | frozenset(AMBIGUOUS)


def detects(path: Path) -> bool:
    """Accept a table that has at least two columns we have a name for; doubts are told when it is read."""
    if not path.is_file():
        return False
    sniffed = sniff(path)
    if sniffed.kind in ("parquet", "lines", "list", "object"):
        return _plausible(sniffed.keys) and sniffed.kind != "object"
    return sniffed.kind == "text" and _plausible(csv_header(path))


def _plausible(columns: Iterable[str]) -> bool:
    return sum(name.strip().lower().replace(" ", "_") in _KNOWN for name in columns) >= 2


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of a table file, or of the single table in a folder."""
    if path.is_dir():
        mine, others = split_files(path, detects)
        if len(mine) != 1:
            names = ", ".join(file.name for file in mine[:5])
            raise FormatError(f"{path}: holds {len(mine)} tables ({names}); name the one to read")
        run = read(mine[0], options)
        run.info.other_files = [file.name for file in others]
        return run
    told: Counter[str] = Counter()
    columns, rows = load_rows(path, options, told)
    run = _build(columns, rows, str(path), options, path.stem, told)
    run.info.files = [path.name]
    return run


def frame_to_run(
    frame: pl.DataFrame | pd.DataFrame, *, model: str | None = None, columns: Mapping[str, str] | None = None
) -> Run:
    """Return the run in a data frame."""
    try:
        table = frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)
    except (pl.exceptions.PolarsError, ValueError, TypeError) as fault:
        why = str(fault).encode("ascii", "backslashreplace").decode()
        raise FormatError(
            f"frame: pandas columns cannot be taken over ({why}); give each one type and one name"
        ) from fault
    rows = list(enumerate(table.iter_rows(named=True), start=1))
    run = _build(
        table.columns, rows, "frame", ReadOptions(texts=True, columns=dict(columns or {}), model=model), None, {}
    )
    if run.info.model is None:
        run.info.model = model
    return run


def _build(
    columns: Sequence[str], rows: Rows, source: str, options: ReadOptions, stem: str | None, told: Mapping[str, int]
) -> Run:
    if not rows:
        raise FormatError(f"{source}: a table without rows; check that it was written")
    given = dict(options.columns)
    wide = options.model if options.model in columns else None
    if wide:  # one row per item, one score column per run: the run is named by its column
        given["correct" if _boolean_like(rows, str(wide)) else "score"] = str(wide)
    id_column = next((name for name in columns if name.strip().lower() == "id"), None)
    of_run = next((name for name in columns if name.strip().lower().replace(" ", "_") in NAMES["run"]), None)
    unique = id_column is None or len({(row.get(id_column), row.get(of_run or "")) for _, row in rows}) == len(rows)
    fields = map_columns(columns, given, source, unique_id=unique)
    if not wide:
        rows = _of_run(rows, fields, options.model, source)
    repeats = _repeat_numbers(rows, fields, source)
    builder = RunBuilder(source=source, texts=True)
    for what, number in told.items():
        builder.count(what, number)
    names: dict[str, str] = {}
    for number, row in rows:
        _add_row(builder, number, row, fields, repeats, source, names, stem)
    model = wide or (str(rows[0][1].get(str(fields["run"]))) if "run" in fields else None)
    info = RunInfo(model=model or options.model or stem, tool="table", task_names=names)
    info.settings = (
        {"columns": {field: name for field, name in fields.items() if field in options.columns}}
        if options.columns
        else {}
    )
    run = builder.finish(info)
    _check_copies(run, fields, source)
    return run


#: From this share of copies on, rows of a table are not copies by accident: they mean something nobody said.
_MANY_COPIES = 0.2


def _check_copies(run: Run, fields: Mapping[str, Any], source: str) -> None:
    counts = run.info.counts
    if counts["items"] >= 20 and counts["duplicates"] > _MANY_COPIES * counts["items"] and "repeat" not in fields:
        raise FormatError(
            f"{source}: {counts['duplicates']} of {counts['items']} rows repeat an item that is there already; say what tells "
            "them apart with --columns repeat=COLUMN, metric=COLUMN or task=COLUMN"
        )


def _boolean_like(rows: Rows, column: str) -> bool:
    return all(
        values.cell(row, column) is None or values.truth(values.cell(row, column)) is not None for _, row in rows
    )


def _of_run(rows: Rows, fields: Mapping[str, Any], wanted: str | None, source: str) -> Rows:
    if "run" not in fields:
        return rows
    runs = dict.fromkeys(str(row.get(fields["run"])) for _, row in rows)
    if wanted is None and len(runs) == 1:
        return rows
    if wanted not in runs:
        first = next(iter(runs))
        found = f"holds {len(runs)} runs ({', '.join(list(runs)[:8])})"
        asked = f", none called '{wanted}'" if wanted is not None else ""
        raise FormatError(f"{source}: {found}{asked}; name one as {source}::{first}")
    return [(number, row) for number, row in rows if str(row.get(fields["run"])) == wanted]


def _repeat_numbers(rows: Rows, fields: Mapping[str, Any], source: str) -> dict[Any, int]:
    """Seeds and epochs as 0, 1, 2, … in their own order, so that row order does not matter."""
    if "repeat" not in fields:
        return {}
    seen = set()
    for number, row in rows:
        value = values.cell(row, fields["repeat"])
        if value is None:
            raise FormatError(
                f"{source}: row {number}: '{fields['repeat']}' is blank; say which repeat the row belongs to"
            )
        seen.add(str(value))
    return {value: position for position, value in enumerate(sorted(seen, key=lambda text: (len(text), text)))}


def _add_row(
    builder: RunBuilder,
    number: int,
    row: Mapping[str, Any],
    fields: Mapping[str, Any],
    repeats: Mapping[Any, int],
    source: str,
    names: dict[str, str],
    stem: str | None,
) -> None:
    def cell(field: str) -> Any:
        return values.cell(row, fields[field]) if field in fields else None

    place = f"{source}: row {number}"
    raw = str(cell("task") or "table")
    task = canonical_task(raw)
    if names.setdefault(task, raw) != raw:
        raise FormatError(
            f"{place}: '{raw}' and '{names[task]}' are two names of one task ({task}); keep the rows of one of them"
        )
    item = _item(builder, task, row, fields, place)
    prediction, response = cell("prediction"), cell("response")
    score = values.score(cell("score"), fields.get("score"), place)
    correct = values.correct(cell("correct"), fields.get("correct"), place)
    index = values.position(prediction, item.options) if item.options and prediction is not None else None
    if index is None and not item.options and item.gold_index is not None and item.n_options:
        index = values.place(prediction, item.n_options)
    state = _state(cell, fields, item, index, place)
    text = None if prediction is None else values.answer_text(prediction)
    shown = item.options[index] if index is not None and item.options else text
    builder.reply(
        item, prompt=values.optional_text(cell("prompt")), response=values.optional_text(response), choice=shown
    )
    metric = str(cell("metric")) if cell("metric") is not None else None
    prompt = cell("prompt")
    scores = {}
    if "correct" in fields:
        scores[metric or "correct"] = None if correct is None else float(correct)
    if "score" in fields:
        name = metric or "score"
        scores[f"{name} (score)" if name in scores else name] = score
    if correct is not None and index is not None and item.gold_index is not None and item.n_gold == 1:
        if correct != (index == item.gold_index):
            builder.count("contradicting_rows")
    error = values.optional_text(cell("error"))
    for name, value in scores.items():
        failed = "error" if error and value is None else None
        builder.sample(
            item,
            repeat=repeats.get(str(cell("repeat")), 0),
            metric=name,
            score=value,
            state=failed or ("unscored" if value is None else state),
            choice_index=index,
            choice=text if index is None and state not in ("no_answer", "empty") else None,
            option_logprobs=values.logprobs(cell("option_logprobs"), place),
            prompt_key=items.text_hash(str(prompt)) if prompt is not None else None,
            output_tokens=values.whole(cell("output_tokens"), "output_tokens", place, 2**32 - 1),
            stop_reason=values.optional_text(cell("stop_reason")),
            error=error,
        )


def _item(builder: RunBuilder, task: str, row: Mapping[str, Any], fields: Mapping[str, Any], place: str) -> Item:
    def cell(field: str) -> Any:
        return values.cell(row, fields[field]) if field in fields else None

    question, native = cell("question"), cell("native_id")
    options = values.options(row, fields.get("options"), place)
    golds, positions = values.golds(cell("gold"), options)
    if question is not None:
        key = items.item_key([values.as_text(question)], options, golds)
    elif native is not None:
        # With its gold, so that a gold which was changed under the same id is seen.
        key = items.item_key([str(native)], None, golds, basis="native")
    else:
        raise FormatError(f"{place}: neither question nor id; fill one of them in")
    counted = values.whole(cell("n_options"), "n_options", place)
    if not options and counted and golds and len(golds) == 1:  # options known by number: a gold may be a position
        place_of_gold = values.place(golds[0], counted)
        positions = [] if place_of_gold is None else [place_of_gold]
    chance = cell("chance")
    n_gold = values.whole(cell("n_gold"), "n_gold", place)
    return builder.item(
        task,
        key=key,
        native_id=native,
        question=None if question is None else values.as_text(question),
        options=options,
        gold=golds,
        gold_index=positions[0] if positions else None,
        n_options=counted or None,
        n_gold=n_gold if n_gold is not None else (1 if counted and not options else None),
        open_ended=counted == 0,
        chance=None if chance is None else values.score(chance, "chance", place),
        category=[str(hint)] if (hint := cell("category")) is not None else None,
        cluster=cell("cluster"),
    )


def _state(cell: Any, fields: Mapping[str, Any], item: Item, index: int | None, place: str) -> str | None:
    stated = cell("answer_state")
    if stated is not None:
        if stated not in ANSWER_STATES:
            raise FormatError(f"{place}: answer_state is '{stated}'; it must be one of {', '.join(ANSWER_STATES)}")
        return str(stated)
    response, prediction = cell("response"), cell("prediction")
    if isinstance(response, str) and not response.strip():
        return "empty"
    if "prediction" not in fields:
        return None
    if prediction is None or (item.options and index is None):  # outside the options shown is no choice
        return "no_answer"
    return "answered"
