"""Options of engines: which there are and what they take, as the engines' own signatures say it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any, get_args, get_type_hints

import msgspec

from forgetmap.engines import ENGINES
from forgetmap.errors import UsageError

_CLASSES = {"transformers": "TransformersEngine", "vllm": "VllmEngine", "openai": "OpenAIEngine"}
#: Numbers of which there is at least one.
_SOME = ("batch_tokens", "threads", "max_model_len", "tensor_parallel", "concurrency")
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", dict: "a JSON object"}


def options_of(engine: str) -> dict[str, Any]:
    """Return the options of an engine and the types they take; knowing them loads no model.

    >>> sorted(options_of("transformers"))
    ['adapter', 'batch_tokens', 'device', 'dtype', 'revision', 'threads', 'trust_remote_code']
    """
    if engine not in ENGINES:
        raise UsageError(f"there is no engine '{engine}'; choose {', '.join(ENGINES)}")
    make = getattr(import_module(f"forgetmap.engines.{engine}"), _CLASSES[engine]).__init__
    hints = get_type_hints(make)
    parameters = inspect.signature(make).parameters.values()
    return {one.name: hints[one.name] for one in parameters if one.kind is one.KEYWORD_ONLY}


def check_options(engine: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the types that the engine wants; texts are read as a command line writes them.

    >>> check_options("transformers", {"dtype": "float32", "batch_tokens": "512", "trust_remote_code": "true"})
    {'dtype': 'float32', 'batch_tokens': 512, 'trust_remote_code': True}
    """
    known = options_of(engine)
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            mean = f"did you mean {near[0]}? " if near else ""
            raise UsageError(f"the {engine} engine has no option '{name}'; {mean}it has {', '.join(known)}")
        found[name] = _read(name, value, known[name])
        if name in _SOME and found[name] is not None and found[name] < 1:
            raise UsageError(f"engine option {name} is {value}; a number of 1 or more is wanted")
    return found


def _read(name: str, value: Any, hint: Any) -> Any:
    kinds = get_args(hint) if type(None) in get_args(hint) else (hint,)
    try:
        return msgspec.convert(_meant(value, kinds) if isinstance(value, str) else value, hint)
    except (msgspec.ValidationError, msgspec.DecodeError):
        wanted = " or ".join(said for kind, said in _KINDS.items() if kind in map(_origin, kinds))
        said = "" if dict in map(_origin, kinds) else f" is '{value}'"  # an object may hold what nobody should read
        raise UsageError(f"engine option {name}{said}; {wanted} is wanted") from None


def _meant(text: str, kinds: tuple[Any, ...]) -> Any:
    """What a text stands for where one of these is wanted: a name stays as it is, also one that is all digits."""
    if text.lower() == "none" and type(None) in kinds:
        return None
    if str in kinds:
        return text
    words = {"true": True, "false": False}
    return words[text.lower()] if text.lower() in words else msgspec.json.decode(text)


def _origin(kind: Any) -> Any:
    return getattr(kind, "__origin__", kind)
