"""The columns of every tidy table, in order, with their types: the same whatever a map lacks.

Names are those of the JSON contract; figures of a block carry its name in front: `chance_lost_low`. Lists are JSON text.
"""

from __future__ import annotations

import polars as pl

_TEXT, _COUNT, _FIGURE, _YES = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()

Schema = dict[str, pl.DataType]


def _of(names: str, kind: pl.DataType) -> Schema:
    return dict.fromkeys(names.split(), kind)


#: What says which map a row is of. Maps are numbered as they came: two may bear the same names.
PAIR: Schema = {"pair": _COUNT, "before": _TEXT, "after": _TEXT}
#: What says which cell a row is of. Cells are numbered within the map: a task may bear the name of a category.
_PLACE: Schema = {"cell": _COUNT, "level": _TEXT, "name": _TEXT}

OBSERVED = _of(
    "no_answer_before no_answer_after acc_before acc_after kept lost gained never lost_low lost_high gained_low gained_high",
    _FIGURE,
)
BLOCKS: dict[str, Schema] = {
    "chance": _of("items tasks", _COUNT)
    | _of(
        "known_before known_after lost lost_low lost_high gained gained_low gained_high lost_from lost_to gained_from gained_to "
        "lost_if_independent lost_if_persistent gained_if_independent gained_if_persistent lost_of_known lost_of_known_low "
        "lost_of_known_high",
        _FIGURE,
    ),
    "noise": _of("items tasks repeats_before repeats_after", _COUNT)
    | _of("kind form", _TEXT)
    | _of(
        "floor_before floor_after lost lost_low lost_high gained gained_low gained_high lost_at_least lost_at_least_low "
        "lost_at_most lost_at_most_high gained_at_least gained_at_least_low gained_at_most gained_at_most_high known_lost "
        "known_lost_low known_lost_high known_gained known_gained_low known_gained_high",
        _FIGURE,
    ),
    "soft": _of("items tasks", _COUNT)
    | _of("p_before p_after lost lost_low lost_high gained gained_low gained_high floor", _FIGURE),
    "paper": _of("lost lost_sd lost_max gained gained_sd gained_max", _FIGURE) | _of("seeds", _COUNT),
    "validity": _of(
        "acc_before acc_after answered_before answered_after acc_answered_before acc_answered_after from_answering "
        "from_accuracy",
        _FIGURE,
    ),
}
DECISION = (
    _of("p_lost q_lost p_gained q_gained p_net q_net", _FIGURE)
    | _of("verdict verdict_reading net_because", _TEXT)
    | _of("margin detectable", _FIGURE)
)
RUN = (
    _of("model model_revision suite tool tool_version date source", _TEXT)
    | _of("tasks items samples repeats", _COUNT)
    | _of("repeat_kind", _TEXT)
    | _of("null_scores duplicates", _COUNT)
    | _of("subset content_hash", _TEXT)
)
PAIRING = (
    _of("keyed_by grade", _TEXT)
    | _of(
        "paired only_before only_after duplicates null_before null_after gold_changed gold_missing content_changed "
        "prompts_changed",
        _COUNT,
    )
    | _of("coverage_before coverage_after", _FIGURE)
    | _of("duplicate_rules tasks_only_before tasks_only_after", _TEXT)
)
GUESSING = _of("persistence persistence_low persistence_high agreement_when_both_wrong both_wrong_with_choice", _FIGURE)
SCORER = _of("lost gained acc_before acc_after p_net", _FIGURE)
BRIDGE = _of(
    " ".join(
        f"{part}{end}"
        for part in ("lost_to_prompt", "lost_to_training", "gained_by_prompt", "gained_by_training")
        for end in ("", "_low", "_high")
    ),
    _FIGURE,
)

TABLES: dict[str, Schema] = {
    "pairs": PAIR | _of("taxonomy hidden weight reading", _TEXT) | PAIRING | GUESSING,
    "runs": PAIR | _of("role", _TEXT) | RUN,
    "cells": PAIR
    | _PLACE
    | _of("path", _TEXT)
    | _of("tasks items", _COUNT)
    | _of("mapped hidden", _YES)
    | _of("task_names", _TEXT)
    | OBSERVED
    | {f"{block}_{name}": kind for block, schema in BLOCKS.items() for name, kind in schema.items()}
    | DECISION
    | _of("flags", _TEXT),
    "readings": PAIR
    | _PLACE
    | _of("reading direction", _TEXT)
    | _of("value low high from to sd most", _FIGURE)
    | _of("at_least decides", _YES),
    "tasks": PAIR | _PLACE | _of("task", _TEXT) | _of("items", _COUNT),
    "scores": PAIR | _of("task kind name before_scorer before_metric after_scorer after_metric", _TEXT),
    "causes": PAIR | _of("level name direction cause", _TEXT) | _of("count share low high share_of_all", _FIGURE),
    "scorers": PAIR | _PLACE | _of("scorer verdict", _TEXT) | SCORER,
    "bridge": PAIR | _of("level name", _TEXT) | _of("items", _COUNT) | BRIDGE,
    "settings": PAIR | _of("setting before_value after_value", _TEXT),
    "warnings": PAIR | _of("kind text", _TEXT),
}
