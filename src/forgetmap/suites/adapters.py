"""Adapters: named small steps that turn a benchmark's way of writing into texts, lists and places among options.

Each takes (value, argument, options). What it cannot read is a FieldError, never a default.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from forgetmap.answers import gold_aliases, letter_index, literal_list, parse_choices

_OPTIONS_LINE = re.compile(r"(?:^|\n)[ \t]*(?:Options|Choices):[ \t]*\n")
_DASHED = re.compile(r"^[ \t]*-[ \t]*(.*\S)", re.MULTILINE)
_NEXT_LETTER = re.compile(r"(?<=\S)\s+(?=[B-Z][:.)]\s)")
_BRACKETED = re.compile(r"\[[^\]\n]*\]")
_TRUE = frozenset({"true", "yes", "1", "1.0"})
_FALSE = frozenset({"false", "no", "0", "0.0"})


class FieldError(ValueError):
    """A row does not hold what a task file says it does."""


class Places(tuple[int, ...]):
    """Positions of golds among the options."""


def said(value: Any) -> str:
    """Return what a value is, short enough for a message."""
    if value is None:
        return "nothing"
    kind = {"dict": "an object", "list": "a list", "tuple": "a list", "str": "the text"}.get(type(value).__name__)
    shown = repr(value)
    return f"{kind or type(value).__name__} {shown if len(shown) <= 60 else shown[:57] + '…'}"


def _known(value: Any, what: str) -> Any:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        raise FieldError(f"{what} is missing")
    return value


def _one_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise FieldError(f"{what} is {said(value)}, expected a text")
    return value


def _one_object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FieldError(f"found {said(value)}, expected an object; the path . gives the whole row")
    return value


def _place(position: int, options: Sequence[str] | None, value: Any) -> int:
    if not options or not 0 <= position < len(options):
        # "" and -1 mark items without a public label (HellaSwag's test split)
        raise FieldError(f"gold {said(value)} names none of the {len(options or ())} options")
    return position


def _number(value: Any) -> int:
    text = str(int(value) if isinstance(value, (bool, float)) and float(value).is_integer() else value).strip()
    if not re.fullmatch(r"-?\d{1,6}", text):
        raise FieldError(f"gold is {said(value)}, expected a position")
    return int(text)


def _index(value: Any, _: Any, options: Sequence[str] | None, *, first: int = 0) -> Places:
    listed = literal_list(value)  # several golds: SaladBench
    found = listed if listed is not None else [_known(value, "gold")]
    return Places([_place(_number(one) - first, options, one) for one in found])


def _index1(value: Any, argument: Any, options: Sequence[str] | None) -> Places:
    return _index(value, argument, options, first=1)


def _letter(value: Any, _: Any, options: Sequence[str] | None) -> Places:
    listed = literal_list(value) if not isinstance(value, str) or value.lstrip()[:1] == "[" else None
    found = []
    for one in listed if listed is not None else [_known(value, "gold")]:
        position = letter_index(str(one).strip().strip("().:"), len(options or ()))
        found.append(_place(-1 if position is None else position, options, one))
    return Places(found)


def _label(value: Any, labels: Any, options: Sequence[str] | None) -> Places:
    """One of the document's own labels: ARC has A to E and 1 to 5."""
    known = [str(one).strip() for one in literal_list(labels) or ()]
    wanted = str(_known(value, "gold")).strip()
    if wanted not in known:
        raise FieldError(f"gold {wanted!r} is none of the labels {', '.join(known)}")
    return Places([_place(known.index(wanted), options, value)])


def _mask(value: Any, _: Any, options: Sequence[str] | None) -> Places:
    flags = literal_list(value)
    if flags is None or len(flags) != len(options or ()):
        raise FieldError(f"gold is {said(value)}, expected a 0 or 1 for each option")
    return Places([place for place, flag in enumerate(flags) if str(flag).strip().lower() in _TRUE])


def _boolean(value: Any, argument: Any, _: Any) -> str:
    """Yes or no for whatever says true or false; `boolean:True/False` gives these words instead."""
    text = str(_known(value, "gold")).strip().lower()
    if text not in _TRUE | _FALSE:
        raise FieldError(f"gold is {said(value)}, expected true or false")
    yes, _, no = (argument or "yes/no").partition("/")
    return yes if text in _TRUE else no


def _after(value: Any, mark: Any, _: Any) -> str:
    """The text after the last mark; the whole text where there is none."""
    _known(value, "gold")
    if not mark:
        raise FieldError("the adapter 'after' has no mark, expected one such as after:####")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # Parquet may have made 18 a float
    return str(value).rpartition(str(mark))[2].strip()


def _number_text(value: Any, _: Any, __: Any) -> str:
    """A number as people write it, without separators: GSM8K's "#### 1,200" is 1200."""
    text = _after(value, "####", None).removeprefix("$").replace(",", "")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        raise FieldError(f"gold is {said(value)}, expected a number, alone or after ####")
    return text


def _list(value: Any, _: Any, __: Any) -> list[Any]:
    """A list, also from the text of one: MuSR writes "['Ana', 'Bo']"."""
    listed = literal_list(value)
    if listed is None:
        raise FieldError(f"found {said(value)}, expected a list")
    return listed


def _split_listed(value: Any) -> tuple[str, list[str]]:
    """Part a BIG-bench-hard input into its question and the options that stand at its end."""
    text = _one_text(value, "question")
    heads = list(_OPTIONS_LINE.finditer(text))
    tail = text[heads[-1].end() :] if heads else text
    parsed = parse_choices(tail)
    if parsed is not None and (heads or parsed.question):
        return (text[: heads[-1].start()] if heads else parsed.question), list(parsed.options)
    return (text[: heads[-1].start()], _DASHED.findall(tail)) if heads else (text, [])


def _before_options(value: Any, _: Any, __: Any) -> str:
    return _split_listed(value)[0]


def _listed_options(value: Any, _: Any, __: Any) -> list[str]:
    return _split_listed(value)[1]


def _lettered(value: Any, _: Any, __: Any) -> list[str]:
    """Options that are a list, or one text "A: … B: …" (SuperGPQA)."""
    listed = literal_list(value)
    if listed is not None:
        return listed
    text = _one_text(value, "options")
    parsed = parse_choices(text) or parse_choices(_NEXT_LETTER.sub("\n", text))
    if parsed is None:
        raise FieldError(f"options are {said(value)}, expected a list or A: … B: …")
    return list(parsed.options)


def _aliases(value: Any, _: Any, __: Any) -> list[str]:
    found = gold_aliases(value)
    if not found:
        raise FieldError(f"gold is {said(value)}, expected a text or a list of texts")
    return list(found)


def _texts(value: Any, _: Any, __: Any) -> list[str]:
    """All texts in a value, in order: a text, a list of turns or paragraphs, objects with texts."""
    listed = None if isinstance(value, (str, Mapping)) else literal_list(value)
    if isinstance(value, Mapping):
        listed = list(value.values())
    elif isinstance(value, str) and value.lstrip()[:2] in ("['", '["', "[{"):
        listed = literal_list(value)
    if listed is not None:
        return [text for one in listed for text in _texts(one, None, None)]
    return [] if value is None else [str(value)]


def _first(value: Any, _: Any, __: Any) -> Any:
    listed = literal_list(value)
    if listed is None:
        return value
    if not listed:
        raise FieldError("the list is empty")
    return listed[0]


def _rest(value: Any, _: Any, __: Any) -> list[Any]:
    listed = literal_list(value)
    if not listed or len(listed) < 2:
        raise FieldError(f"found {said(value)}, expected a list of two or more")
    return listed[1:]


def _json(value: Any, _: Any, __: Any) -> Any:
    """An object, also from the text of one."""
    if not isinstance(value, str):
        return _known(value, "object")
    try:
        return json.loads(value)
    except ValueError:
        inside = literal_list(f"[{value}]")  # as Python prints it
        if inside and len(inside) == 1 and not isinstance(inside[0], str):
            return inside[0]
        raise FieldError(f"found {said(value)}, expected JSON") from None


def _optional(value: Any, argument: Any, _: Any) -> Any:
    """One field of an object that may lack it; null where it does, or where there is no object."""
    return value.get(argument) if isinstance(value, Mapping) else None


def _answer(value: Any, argument: Any, _: Any) -> Any:
    """What stands under the first known name of an object; a value that is no object is the answer itself."""
    found = _json(value, None, None) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else value
    if isinstance(found, Mapping):
        for name in (argument or "answer,text,number,gold,target").split(","):
            if found.get(name) is not None:
                return found[name]
        raise FieldError(f"found {said(value)}, expected a field {argument or 'answer'}")
    return _known(found, "gold")


def _newlines(value: Any, _: Any, __: Any) -> str:
    """MCTest writes the end of a line as a TeX command."""
    return _one_text(value, "text").replace("\\newline", "\n")


def _hellaswag(text: str) -> str:
    """Text scraped from WikiHow: "[title]" ends a heading, other brackets are left-overs.

    Clean it as lm-eval does, or the items of its logs would have other keys than ours.
    """
    return _BRACKETED.sub("", text.strip().replace(" [title]", ". ")).replace("  ", " ")


def _hellaswag_context(row: Any, _: Any, __: Any) -> str:
    row = _one_object(row)
    lacking = [name for name in ("activity_label", "ctx_a", "ctx_b") if not isinstance(row.get(name), str)]
    if lacking:
        raise FieldError(f"no text {lacking[0]!r}")
    return _hellaswag(f"{row['activity_label']}: {row['ctx_a']} {row['ctx_b'].capitalize()}")


def _hellaswag_endings(value: Any, _: Any, __: Any) -> list[str]:
    return [_hellaswag(_one_text(one, "option")) for one in _list(value, None, None)]


def _boxed(value: Any, _: Any, __: Any) -> str:
    """The content of the last \\boxed{…} of a solution, braces balanced."""
    text = _one_text(value, "gold")
    start = text.rfind("\\boxed{")
    if start < 0:
        raise FieldError("gold has no boxed answer")
    depth = 0
    for place in range(start + 6, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start + 7 : place].strip()
    raise FieldError("the boxed answer of the gold does not end")


def _calls(value: Any, _: Any, __: Any) -> list[Any]:
    """Gold calls; none where the gold says that no function is to be called."""
    listed = literal_list(value)
    found = listed if listed is not None else [_known(value, "gold")]
    none = {"none", "no function call", ""}
    return [one for one in found if not (isinstance(one, str) and one.strip().lower() in none)]


def _tools(value: Any, _: Any, __: Any) -> list[Any] | None:
    """Tool descriptions as a list of objects, also from JSON text; null where there are none."""
    if value is None or value == "":
        return None
    found = _json(value, None, None)
    return found if isinstance(found, list) else [found]


def _unit_test(row: Any, part: Any, _: Any) -> str:
    """Test code (`unit_test:test`) or entry point of a programming task: in `ctx`, or in an object under `gold`."""
    row = _one_object(row)
    gold = row.get("gold")
    if isinstance(gold, str) and gold.lstrip()[:1] == "{":
        gold = _json(gold, None, None)
    if isinstance(gold, Mapping) and gold.get("test"):
        return str(gold.get(part) or "")
    context = literal_list(row.get("ctx"))
    if not context:
        raise FieldError("no test code in 'ctx' or 'gold'")
    return str(context[0] if part == "test" else context[1] if len(context) > 1 and context[1] else "")


def _arguments(value: Any) -> Mapping[str, Any]:
    found = _json(value, None, None) or {}
    if not isinstance(found, Mapping):
        raise FieldError(f"kwargs hold {said(value)}, expected an object for each instruction")
    return found


def _checks(value: Any, argument: Any, _: Any) -> list[dict[str, Any]]:
    """Instruction ids with their arguments; nulls that Parquet fills in are no arguments."""
    row = value if isinstance(value, Mapping) else {}
    ids = literal_list(row.get(str(argument or "instruction_id_list")))
    if not ids:
        raise FieldError("no instruction ids")
    given = literal_list(row.get("kwargs")) or [{}] * len(ids)
    if len(given) != len(ids):
        raise FieldError(f"{len(ids)} instructions but {len(given)} sets of arguments")
    return [
        {"id": one, "kwargs": {name: to for name, to in _arguments(sets).items() if to is not None}}
        for one, sets in zip(ids, given, strict=True)
    ]


ADAPTERS: dict[str, Callable[[Any, Any, Sequence[str] | None], Any]] = {
    # golds
    "index": _index,  # 0-based position or positions, as numbers or text
    "index1": _index1,  # 1-based
    "letter": _letter,  # A, (A) or several
    "label": _label,  # label:PATH, the list of labels that the gold is one of
    "mask": _mask,  # 1 at each gold: TruthfulQA
    "boolean": _boolean,
    "after": _after,
    "number": _number_text,
    "boxed": _boxed,
    "aliases": _aliases,
    "answer": _answer,
    # texts and lists
    "list": _list,
    "texts": _texts,
    "first": _first,
    "rest": _rest,
    "json": _json,
    "optional": _optional,
    "newlines": _newlines,
    # options and questions of one benchmark
    "before_options": _before_options,
    "listed_options": _listed_options,
    "lettered": _lettered,
    "hellaswag_context": _hellaswag_context,
    "hellaswag_endings": _hellaswag_endings,
    "calls": _calls,
    "tools": _tools,
    "unit_test": _unit_test,
    "checks": _checks,
}
