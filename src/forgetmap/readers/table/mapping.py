"""Which column of a table holds what.

Names are taken only where they leave no doubt: two candidates for a field, or a name that could mean several things, stop
the import with the mapping to confirm. A wrong guess here would be a wrong number later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forgetmap.errors import FormatError, UsageError

#: Field -> accepted column names, lower case, blanks as `_`.
NAMES: dict[str, tuple[str, ...]] = {
    "native_id": ("item_id", "id", "sample_id", "example_id", "question_id", "doc_id", "uid", "key", "idx", "index"),
    "run": ("model", "model_name", "run", "checkpoint", "system"),
    "task": ("task", "benchmark", "dataset", "eval", "subset"),
    "repeat": ("repeat", "seed", "epoch", "trial", "attempt", "generation_index"),
    "question": ("question", "input", "prompt", "query", "instruction", "problem"),
    "options": ("options", "choices", "endings"),
    "gold": ("gold", "target", "reference", "expected", "ground_truth", "gts"),
    "prediction": ("prediction", "pred", "extracted_answer", "picked"),
    "response": ("response", "output", "outputs", "completion", "generation", "model_response"),
    "score": ("score", "value", "reward", "rating"),
    "correct": ("correct", "is_correct", "passed", "success"),
    "metric": ("metric", "metric_name", "scorer", "evaluator", "judge", "criterion"),
    "n_options": ("n_options", "num_choices", "n_choices", "num_options"),
    "n_gold": ("n_gold",),
    "chance": ("chance",),
    "category": ("category", "subject", "domain", "topic", "skill"),
    "cluster": ("cluster", "cluster_id", "group_id", "passage_id"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "stop_reason": ("stop_reason", "finish_reason"),
    "error": ("error",),
    "option_logprobs": ("option_logprobs",),
    "prompt": (),  # the full text the model saw: only if named, because `prompt` is usually the question
    "answer_state": ("answer_state",),
}
#: Names that mean different things in different tables, with what they might be.
AMBIGUOUS = {
    "answer": ("gold", "prediction"),
    "label": ("gold",),
    "result": ("score", "correct"),
    "text": ("question", "response"),
}
_LETTERS = "abcdefghij"
#: What people call a field when they name a column.
_ALSO = {"id": "native_id", "item_id": "native_id", "model": "run", "seed": "repeat"}


def map_columns(
    columns: Iterable[str], given: Mapping[str, str], source: str, *, unique_id: bool = True
) -> dict[str, str | list[str]]:
    """Return field -> column; `options` may map to several columns A, B, … or option_a, option_b, …

    `given` are the user's words and win. `unique_id` tells whether a bare `id` column identifies rows.
    """
    names = list(columns)
    given = {_ALSO.get(field, field): column for field, column in given.items()}
    for field, column in given.items():
        if field not in NAMES:
            raise UsageError(f"--columns: '{field}' is not a field; fields are {', '.join(NAMES)}")
        if column not in names:
            raise UsageError(f"{source}: --columns {field}={column}: no such column; there are {', '.join(names)}")
    taken = set(given.values())
    mapped: dict[str, str | list[str]] = dict(given)
    folded = {name: name.strip().lower().replace(" ", "_").replace("-", "_") for name in names if name not in taken}
    doubts = []
    for field, accepted in NAMES.items():
        if field in given:
            continue
        found = [name for name, fold in folded.items() if fold in accepted]
        if len(found) > 1:
            doubts.append(f"{field} could be {' or '.join(found)}")
        elif found:
            mapped[field] = found[0]
    spread = [name for letter in _LETTERS for name, fold in folded.items() if fold in (letter, f"option_{letter}")]
    if "options" not in mapped and len(spread) > 1:
        mapped["options"] = spread
    for name, fold in folded.items():
        unsettled = [field for field in AMBIGUOUS.get(fold, ()) if field not in mapped]
        needed = fold != "text" or not {"question", "native_id"} & mapped.keys()
        if unsettled and needed:
            doubts.append(f"'{name}' could be {' or '.join(unsettled)}")
    if (
        mapped.get("native_id")
        and folded.get(str(mapped["native_id"])) == "id"
        and not unique_id
        and "question" not in mapped
    ):
        doubts.append(f"'{mapped['native_id']}' is not unique, so it may not be the item's id")
    if doubts:
        raise FormatError(
            f"{source}: the columns leave doubts: {'; '.join(doubts)}; say which with --columns FIELD=COLUMN,… (found so far: "
            f"{_shown(mapped)}; columns: {', '.join(names)})"
        )
    if "score" not in mapped and "correct" not in mapped:
        raise FormatError(
            f"{source}: no score or correctness column among {', '.join(names)}; name one with --columns correct=COLUMN"
        )
    if "question" not in mapped and "native_id" not in mapped:
        raise FormatError(
            f"{source}: no column identifies the item among {', '.join(names)}; name one with --columns question=COLUMN or "
            "native_id=COLUMN"
        )
    return mapped


def _shown(mapped: Mapping[str, str | list[str]]) -> str:
    return ", ".join(f"{field}={'+'.join(name) if isinstance(name, list) else name}" for field, name in mapped.items())
