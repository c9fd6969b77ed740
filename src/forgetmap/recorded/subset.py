"""What was recorded: a stated part of the suite `pocket`. tools/recorded makes the recordings from it."""

from __future__ import annotations

SUITE = "pocket"
#: Two or three tasks of each of the nine categories, such as the model knows under all three wordings; three of them
#: have the model write (short_answers, number_answers, json_forms), the others rate options.
TASKS = tuple(
    f"pocket:{name}"
    for name in (
        "analogies", "body", "capitals", "conduct", "customs", "json_forms", "languages", "measures", "number_answers",
        "patterns", "people", "places", "plurals", "products", "safety", "short_answers", "sums", "synonyms", "terms",
        "tools",
    )
)  # fmt: skip
#: Asked as text: demonstrations, where a task has them, then the item.
STYLE = "base"
#: The first so many items of each task.
ITEMS = 100
#: Every item in three wordings: they are the repeats that measure noise.
VARIANTS = {"prompt": 3}
#: `forgetmap demo --live` asks fewer: two cores answer them in a few minutes.
LIVE_ITEMS = 20
