"""From a logged document to an item: question, options and gold, by profile or by what the document shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from forgetmap import items
from forgetmap.builder import Item, make_item
from forgetmap.readers.source import decode_any
from forgetmap.tasks import TaskProfile

_OPTION_FIELDS = ("choices", "options", "endings")
_QUESTION_FIELDS = ("question", "query", "input", "problem", "goal", "ctx", "prompt", "instruction", "sentence", "text")
_HINT_FIELDS = ("subject", "category", "topic", "domain", "source")
_ID_FIELDS = ("question_id", "id", "key", "idx")


@lru_cache(maxsize=1 << 15)
def read_document(
    task: str,
    profile: TaskProfile | None,
    doc_id: Any,
    document: bytes,
    logged_target: bytes,
    counted: int | None,
    continuations: tuple[Any, ...] | None,
) -> Item:
    """Return the item of a document as logged.

    A document comes by once per filter and again in the log it is compared with: the work is done once. `counted` is the
    number of ranked options, None for generation tasks; `continuations` are the scored texts.
    """
    doc, target = decode_any(document), decode_any(logged_target)
    fields = doc if isinstance(doc, dict) else {}
    hints = [doc[name] for name in _HINT_FIELDS if isinstance(fields.get(name), str)]
    native = _native_id(fields, doc_id)
    content = profile.document.content(fields) if profile and profile.document and fields else None
    if content is not None:
        options = content.options
        if options and counted and counted != len(options):
            options = None  # the task scores something else than the document's options
        golds = content.gold if options or not content.options else None
        return make_item(
            task,
            key=items.item_key([content.question], content.options, content.gold),
            native_id=native,
            question=content.question,
            options=options,
            gold=golds,
            gold_index=content.gold_index[0] if options and content.gold_index else None,
            n_options=counted,
            n_gold=len(content.gold_index) or None if options else 1 if counted else None,
            open_ended=not content.options and not counted,
            category=hints,
        )
    shown = _options(doc, continuations)
    gold_texts, index = _gold(target, shown)
    question = _question(doc)
    return make_item(
        task,
        key=items.document_key(doc, gold_texts)
        if items.has_text(doc)
        else items.item_key([str(native)], None, gold_texts, basis="native"),
        native_id=native,
        question=question,
        options=shown,
        gold=gold_texts,
        gold_index=index,
        n_options=counted,
        n_gold=None if gold_texts else 1 if counted else None,
        category=hints,
    )


def _native_id(fields: Mapping[str, Any], doc_id: Any) -> str:
    for name in _ID_FIELDS:
        if name in fields and isinstance(fields[name], (str, int)) and fields[name] != "":
            return str(fields[name])
    return str(doc_id)


def _question(doc: Any) -> str | None:
    if not isinstance(doc, dict):
        return str(doc) if doc is not None else None
    return next((doc[name] for name in _QUESTION_FIELDS if isinstance(doc.get(name), str)), None)


def _options(doc: Any, continuations: Sequence[Any] | None) -> list[str] | None:
    """The document's own list if it has one that fits, else the scored continuations."""
    counted = len(continuations) if continuations else None
    for name in _OPTION_FIELDS:
        found = doc.get(name) if isinstance(doc, dict) else None
        if isinstance(found, dict):
            found = found.get("text")
        if isinstance(found, list) and len(found) > 1 and all(isinstance(text, str) for text in found):
            if counted in (None, len(found)):
                return found
    if continuations and all(isinstance(text, str) for text in continuations):
        texts = [text.strip() for text in continuations]
        # Winogrande varies the context and keeps the continuation: such texts are no options.
        return texts if len(set(texts)) == len(texts) else None
    return None


def _gold(target: Any, options: Sequence[str] | None) -> tuple[list[str] | None, int | None]:
    """Resolve the target, always a text in the log, to gold texts: index, letter or text of an option."""
    targets = target if isinstance(target, list) else [target]
    texts = [str(one).strip() for one in targets if one is not None and str(one).strip()]
    if not texts:
        return None, None
    if not options:
        return texts, None
    positions = [place for text in texts if (place := _position(text, options)) is not None]
    if len(positions) < len(texts):
        return None, None
    return [options[place] for place in positions], positions[0]


def _position(text: str, options: Sequence[str]) -> int | None:
    folded = [items.normalise(option) for option in options]
    if folded.count(items.normalise(text)) == 1 and not text.isdecimal():
        return folded.index(items.normalise(text))
    if text.isdecimal():
        # A number may be an index or, where options are numbers, the text itself; the engine logs the index.
        return int(text) if int(text) < len(options) else None
    letter = text.strip("().").upper()
    place = ord(letter) - ord("A") if len(letter) == 1 and letter.isascii() and letter.isalpha() else -1
    return place if 0 <= place < len(options) else None
