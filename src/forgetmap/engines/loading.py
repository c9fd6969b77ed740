"""Loading a model of transformers: from a hub, a folder or a .gguf file, with or without a LoRA adapter."""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from pathlib import Path
from typing import Any

from forgetmap.errors import UsageError

_MODELS = "give the id of a model on a hub that can be reached, a folder with config.json and weights, or a .gguf file"


def load_model(
    model: str,
    *,
    revision: str | None = None,
    adapter: str | None = None,
    dtype: str | None = None,
    device: str | None = None,
    trust_remote_code: bool = False,
) -> tuple[Any, Any]:
    """Return a model, ready to be asked, and its tokenizer.

    Weights are float32 on a CPU, where half precision is slower and coarser, and as they were saved elsewhere.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # the runner has a bar of its own
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # how often it tried is not what went wrong
    place = device or ("cuda" if torch.cuda.is_available() else "cpu")
    kind: Any = dtype or ("float32" if place == "cpu" else "auto")
    if kind != "auto":
        if kind not in ("float32", "bfloat16", "float16"):
            raise UsageError(f"dtype is '{dtype}'; choose float32, bfloat16, float16 or auto")
        kind = getattr(torch, kind)
    source, more = _source(model)
    _check_device(place)
    if revision is not None:
        more["revision"] = revision
    with _refused(f"the model {model}", _MODELS), _quiet(bar="gguf_file" in more):
        tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=trust_remote_code, **more)
        loaded, told = AutoModelForCausalLM.from_pretrained(
            source, dtype=kind, trust_remote_code=trust_remote_code, output_loading_info=True, **more
        )
    if missing := sorted(told["missing_keys"]):  # transformers fills them with random numbers
        raise UsageError(
            f"the model {model} cannot be loaded ({len(missing)} of its tensors have no weights, such as {missing[0]}); give "
            "one whose files are all there"
        )
    if adapter is not None:
        loaded = _adapted(loaded, adapter)
    with _refused(
        f"the model {model}", f"free memory of the device {place}, or choose another with --engine-option device="
    ):
        loaded = loaded.to(place).eval()
    for weights in loaded.parameters():
        weights.requires_grad_(False)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return loaded, tokenizer


@contextmanager
def _refused(what: str, remedy: str) -> Iterator[None]:
    """Tell whatever goes wrong in other people's code in one sentence: a torn file surfaces as an error of any kind."""
    try:
        yield
    except UsageError:
        raise
    except Exception as fault:
        said = " ".join(str(fault).split()).rstrip(".")
        said = said if len(said) <= 200 else f"{said[:199]}…"
        raise UsageError(f"{what} cannot be loaded ({said or type(fault).__name__}); {remedy}") from fault


@contextmanager
def _quiet(*, bar: bool) -> Iterator[None]:
    """Silence what transformers says while it loads: what matters of it is looked at, and told in one sentence."""
    from transformers.utils import logging as theirs

    before = theirs.get_verbosity()
    theirs.set_verbosity_error()
    try:
        with redirect_stderr(io.StringIO()) if bar else nullcontext():  # a bar that nothing else turns off
            yield
    finally:
        theirs.set_verbosity(before)


def _check_device(place: str) -> None:
    import torch

    try:
        torch.empty(0, device=place)
    except Exception as fault:  # an assertion, a runtime error or one of the device's own
        said = " ".join(str(fault).split())[:120] or type(fault).__name__
        raise UsageError(
            f"device is '{place}', which is not to be had here ({said}); leave it out, or name another"
        ) from fault


def _source(model: str) -> tuple[str, dict[str, Any]]:
    """Where a model is loaded from; what lies on this machine and cannot be one is told before a hub is asked."""
    path = Path(model)
    if path.suffix.lower() == ".gguf":
        if not path.is_file():
            raise UsageError(
                f"the model {model} cannot be loaded (there is no such file); give the path of a .gguf file"
            )
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise UsageError(
                    f"the model {model} cannot be loaded (it is no .gguf file, or a torn one); copy it again"
                )
        return str(path.parent), {"gguf_file": path.name}
    fault = None
    if path.is_dir():
        fault = None if (path / "config.json").is_file() else "config.json is not in this folder"
    elif path.exists():
        fault = "it is a file, but no .gguf file"
    elif path.is_absolute() or model.startswith((".", "~")) or len(path.parts) > 2:  # an id is OWNER/NAME at most
        fault = "there is no such folder"
    if fault is not None:
        raise UsageError(f"the model {model} cannot be loaded ({fault}); {_MODELS}")
    return model, {}


def _adapted(model: Any, adapter: str) -> Any:
    try:
        from peft import PeftModel
    except ImportError as fault:
        raise UsageError("adapters need a package that is not installed (peft); pip install 'forgetmap[hf]'") from fault
    with _refused(f"the adapter {adapter}", "give a folder with adapter_config.json that fits the model"):
        return PeftModel.from_pretrained(model, adapter).merge_and_unload()


def save_model(model: Any, tokenizer: Any, folder: str | Path) -> None:
    """Write a model as a folder that loads anywhere, also one that came out of a .gguf file.

    transformers refuses to save what it took out of a quantised file, although the weights are plain numbers by then: a
    fresh model of the same shape takes them over.
    """
    from transformers import AutoModelForCausalLM

    config = model.config.to_dict()
    config.pop("quantization_config", None)
    fresh = AutoModelForCausalLM.from_config(type(model.config)(**config), dtype=model.dtype)
    fresh.load_state_dict(model.state_dict())
    fresh.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def fingerprint(model: Any) -> str:
    """Return what tells these weights from others, wherever they lie: a hash of some numbers out of every tensor."""
    import torch

    found = hashlib.blake2b(digest_size=12)
    for name, weights in sorted(model.state_dict().items()):
        flat = weights.reshape(-1)
        some = min(flat.numel(), 64)
        places = torch.arange(some) * (flat.numel() - 1) // max(some - 1, 1)
        taken = flat[places.to(flat.device)].to(torch.float32).cpu().numpy()
        found.update(f"{name} {tuple(weights.shape)} {weights.dtype}".encode() + taken.tobytes())
    return found.hexdigest()


def config_fingerprint(config: Any) -> str:
    """Return a hash of what a model's configuration says; where it lies does not count."""
    told = {name: value for name, value in config.to_dict().items() if name not in ("_name_or_path", "_commit_hash")}
    return hashlib.blake2b(json.dumps(told, sort_keys=True, default=str).encode(), digest_size=12).hexdigest()


def tokenizer_fingerprint(tokenizer: Any) -> str:
    """Return a hash of how texts become tokens."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    told = backend.to_str() if backend is not None else json.dumps(tokenizer.get_vocab(), sort_keys=True)
    return hashlib.blake2b(f"{told} {tokenizer.special_tokens_map}".encode(), digest_size=12).hexdigest()
