"""From rows to a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from forgetmap import items
from forgetmap.answers import ANSWER_STATES, letter_index, literal_list
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.source import ReadOptions, decode_any, load_json, open_binary, records, sniff
from forgetmap.readers.table.mapping import AMBIGUOUS, NAMES, map_columns
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task

if TYPE_CHECKING:
    import pandas as pd

Rows = Sequence[tuple[int, Mapping[str, Any]]]  # with the row's number, for messages
_TRUE = frozenset({"true", "1", "yes", "pass", "passed", "1.0", "t", "y"})
_FALSE = frozenset({"false", "0", "no", "fail", "failed", "0.0", "f", "n"})
_KNOWN = frozenset(name for names in NAMES.values() for name in names) | frozenset(AMBIGUOUS)


def detects(path: Path) -> bool:
    """Accept a table that has at least two columns we have a name for; doubts are told when it is read."""
    if not path.is_file():
        return False
    sniffed = sniff(path)
    if sniffed.kind in ("parquet", "lines", "list", "object"):
        return _plausible(sniffed.keys) and sniffed.kind != "object"
    if sniffed.kind == "text" and path.suffix.lower() in (".csv", ".tsv", ".txt", ""):
        return _plausible(_csv_header(path))
    return False


def _plausible(columns: Iterable[str]) -> bool:
    return sum(name.strip().lower().replace(" ", "_") in _KNOWN for name in columns) >= 2


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of a table file, or of the single table in a folder."""
    if path.is_dir():
        from forgetmap.readers.source import split_files

        mine, others = split_files(path, detects)
        if len(mine) != 1:
            names = ", ".join(file.name for file in mine[:5])
            raise FormatError(f"{path}: holds {len(mine)} tables ({names}); name the one to read")
        run = read(mine[0], options)
        run.info.other_files = [file.name for file in others]
        return run
    told: Counter[str] = Counter()
    columns, rows = _load(path, options, told)
    run = _build(columns, rows, str(path), options, path.stem, told)
    run.info.files = [path.name]
    return run


def frame_to_run(
    frame: pl.DataFrame | pd.DataFrame, *, model: str | None = None, columns: Mapping[str, str] | None = None
) -> Run:
    """Return the run in a data frame."""
    table = frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)
    rows = list(enumerate(table.iter_rows(named=True), start=1))
    run = _build(
        table.columns, rows, "frame", ReadOptions(texts=True, columns=dict(columns or {}), model=model), None, {}
    )
    if run.info.model is None:
        run.info.model = model
    return run


def _load(path: Path, options: ReadOptions, told: Counter[str]) -> tuple[list[str], Rows]:
    sniffed = sniff(path)
    if sniffed.kind == "empty":
        raise FormatError(f"{path}: the file is empty; check that it was written")
    if sniffed.kind == "parquet":
        try:
            table = pl.read_parquet(path)
        except pl.exceptions.PolarsError as fault:
            raise FormatError(f"{path}: a broken Parquet file ({fault}); fetch the file again") from fault
        return table.columns, list(enumerate(table.iter_rows(named=True), start=1))
    if sniffed.kind == "text":
        table = _read_csv(path)
        return table.columns, list(enumerate(table.iter_rows(named=True), start=2))
    if sniffed.kind == "lines":
        count = told.update
        found = list(records(path, decode_any, skip_broken=options.skip_broken, count=lambda what: count([what])))
    else:
        content: Any = load_json(path)
        if not isinstance(content, list):
            raise FormatError(f"{path}: expected a list of rows; name the format with --format if it is a log")
        found = list(enumerate(content, start=1))
    for number, row in found:
        if not isinstance(row, dict):
            raise FormatError(f"{path}: row {number} is {type(row).__name__}, expected an object; correct or remove it")
    names = dict.fromkeys(name for _, row in found for name in row)
    return list(names), found


def _csv_header(path: Path) -> list[str]:
    with open_binary(path) as stream:
        line = stream.readline(1 << 16).decode("utf-8-sig", "replace")
    return line.rstrip("\r\n").split(_delimiter(line))


def _delimiter(header: str) -> str:
    return max((",", "\t", ";"), key=header.count)


def _read_csv(path: Path) -> pl.DataFrame:
    with open_binary(path) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        row = content.count(b"\n", 0, fault.start) + 1
        raise FormatError(
            f"{path}: line {row} is not UTF-8 (byte 0x{content[fault.start]:02x}); convert it to UTF-8"
        ) from fault
    separator = _delimiter(text.split("\n", 1)[0])
    try:
        return pl.read_csv(text.encode(), separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, ValueError) as fault:
        reason = str(fault).split("\n")[0]
        raise FormatError(
            f"{path}: not a regular table ({reason}); give every row as many cells as the header"
        ) from fault


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
    unique = id_column is None or len({row.get(id_column) for _, row in rows}) == len(rows)
    fields = map_columns(columns, given, source, unique_id=unique)
    if not wide:
        rows = _of_run(rows, fields, options.model, source)
    repeats = _repeat_numbers(rows, fields)
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
    return builder.finish(info)


def _boolean_like(rows: Rows, column: str) -> bool:
    return all(_cell(row, column) is None or _truth(_cell(row, column)) is not None for _, row in rows)


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


def _repeat_numbers(rows: Rows, fields: Mapping[str, Any]) -> dict[Any, int]:
    """Seeds and epochs as 0, 1, 2, … in their own order, so that row order does not matter."""
    if "repeat" not in fields:
        return {}
    values = {str(value) for _, row in rows if (value := _cell(row, fields["repeat"])) is not None}
    return {value: position for position, value in enumerate(sorted(values, key=lambda text: (len(text), text)))}


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
        return _cell(row, fields[field]) if field in fields else None

    place = f"{source}: row {number}"
    raw = str(cell("task") or "table")
    task = canonical_task(raw)
    names[task] = raw
    item = _item(builder, task, row, fields, place)
    prediction, response = cell("prediction"), cell("response")
    score = _score(cell("score"), fields.get("score"), place)
    correct = _correct(cell("correct"), fields.get("correct"), place)
    index = _position(prediction, item.options) if item.options and prediction is not None else None
    state = _state(cell, fields, item, index)
    text = None if prediction is None else str(prediction)
    shown = item.options[index] if index is not None and item.options else text
    builder.reply(item, prompt=_optional_text(cell("prompt")), response=_optional_text(response), choice=shown)
    metric = str(cell("metric")) if cell("metric") is not None else None
    prompt = cell("prompt")
    scores = {}
    if "correct" in fields:
        scores[metric or "correct"] = None if correct is None else float(correct)
    if "score" in fields:
        name = metric or "score"
        scores[f"{name} (score)" if name in scores else name] = score
    error = _optional_text(cell("error"))
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
            option_logprobs=_logprobs(cell("option_logprobs"), place),
            prompt_key=items.text_hash(str(prompt)) if prompt is not None else None,
            output_tokens=_whole(cell("output_tokens"), "output_tokens", place),
            stop_reason=_optional_text(cell("stop_reason")),
            error=error,
        )


def _item(builder: RunBuilder, task: str, row: Mapping[str, Any], fields: Mapping[str, Any], place: str) -> Item:
    def cell(field: str) -> Any:
        return _cell(row, fields[field]) if field in fields else None

    question, native = cell("question"), cell("native_id")
    options = _options(row, fields.get("options"), place)
    golds, positions = _golds(cell("gold"), options)
    if question is not None:
        key = items.item_key([_as_text(question)], options, golds)
    elif native is not None:
        key = items.item_key([str(native)], None, None, basis="native")
    else:
        raise FormatError(f"{place}: neither question nor id; fill one of them in")
    counted = _whole(cell("n_options"), "n_options", place)
    chance = cell("chance")
    n_gold = _whole(cell("n_gold"), "n_gold", place)
    return builder.item(
        task,
        key=key,
        native_id=native,
        question=None if question is None else _as_text(question),
        options=options,
        gold=golds,
        gold_index=positions[0] if positions else None,
        n_options=counted or None,
        n_gold=n_gold if n_gold is not None else (1 if counted and not options else None),
        open_ended=counted == 0,
        chance=None if chance is None else _score(chance, "chance", place),
        category=[str(hint)] if (hint := cell("category")) is not None else None,
        cluster=cell("cluster"),
    )


def _state(cell: Any, fields: Mapping[str, Any], item: Item, index: int | None) -> str | None:
    stated = cell("answer_state")
    if stated in ANSWER_STATES:
        return str(stated)
    response, prediction = cell("response"), cell("prediction")
    if isinstance(response, str) and not response.strip():
        return "empty"
    if "prediction" not in fields:
        return None
    if prediction is None or (item.options and index is None):  # outside the options shown is no choice
        return "no_answer"
    return "answered"


def _cell(row: Mapping[str, Any], column: str) -> Any:
    """Return a cell; blanks and NaN are null."""
    value = row.get(column)
    if isinstance(value, str) and not value.strip():
        return None
    return None if isinstance(value, float) and math.isnan(value) else value


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    return True if text in _TRUE else False if text in _FALSE else None


def _correct(value: Any, column: Any, place: str) -> bool | None:
    if value is None:
        return None
    truth = _truth(value)
    if truth is None:
        raise FormatError(
            f"{place}: '{column}' is {str(value)[:40]!r}, expected true/false, 1/0, yes/no or pass/fail; if it is a graded "
            f"score, map it with --columns score={column}"
        )
    return truth


def _score(value: Any, column: Any, place: str) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError) as fault:
        raise FormatError(
            f"{place}: '{column}' is {str(value)[:40]!r}, expected a number; correct or blank it"
        ) from fault


def _whole(value: Any, column: str, place: str) -> int | None:
    number = _score(value, column, place)
    if number is None:
        return None
    if not number.is_integer() or number < 0:
        raise FormatError(f"{place}: '{column}' is {value!r}, expected a whole number; correct or blank it")
    return int(number)


def _options(row: Mapping[str, Any], column: Any, place: str) -> list[str] | None:
    if column is None:
        return None
    if isinstance(column, list):
        found = [value for name in column if (value := _cell(row, name)) is not None]
    else:
        value = _cell(row, column)
        if value is None:
            return None
        if isinstance(value, Mapping):
            value = value.get("text")
        listed = literal_list(value)
        if listed is None:
            raise FormatError(
                f"{place}: '{column}' is {str(value)[:40]!r}, expected a list of options; write it as JSON"
            )
        found = listed
    return [str(option) for option in found] or None


def _golds(value: Any, options: Sequence[str] | None) -> tuple[list[str] | None, list[int]]:
    """Return gold texts and positions; one that cannot be resolved leaves the item without a gold."""
    if value is None:
        return None, []
    listed = literal_list(value)
    golds = [gold for gold in (listed if listed is not None else [value]) if gold is not None]
    if not options:
        return [str(gold) for gold in golds] or None, []
    positions = [place for gold in golds if (place := _position(gold, options)) is not None]
    if not golds or len(positions) < len(golds):
        return None, []
    return [options[place] for place in positions], positions


def _position(answer: Any, options: Sequence[str]) -> int | None:
    """Return which option an answer is: by text, by letter, or by 0-based index."""
    text = str(answer)
    folded = [items.normalise(option) for option in options]
    if folded.count(items.normalise(text)) == 1:
        return folded.index(items.normalise(text))
    if text.strip().isdecimal():
        return int(text) if int(text) < len(options) else None
    return letter_index(text.strip().strip("()."), len(options))


def _logprobs(value: Any, place: str) -> list[float] | None:
    listed = literal_list(value) if value is not None else None
    if listed is None:
        return None
    return [number for one in listed if (number := _score(one, "option_logprobs", place)) is not None]


def _optional_text(value: Any) -> str | None:
    return None if value is None else str(value)


def _as_text(value: Any) -> str:
    listed = value if isinstance(value, list) else None
    return "\n".join(str(part) for part in listed) if listed is not None else str(value)
