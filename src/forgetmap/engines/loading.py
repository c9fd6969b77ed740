"""Loading a model of transformers: from a hub, a folder or a .gguf file, with or without a LoRA adapter."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from forgetmap.errors import UsageError


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
    from transformers.utils import logging

    logging.disable_progress_bar()  # the runner has a bar of its own
    place = device or ("cuda" if torch.cuda.is_available() else "cpu")
    kind: Any = dtype or ("float32" if place == "cpu" else "auto")
    if kind != "auto":
        if kind not in ("float32", "bfloat16", "float16"):
            raise UsageError(f"dtype is '{dtype}'; choose float32, bfloat16, float16 or auto")
        kind = getattr(torch, kind)
    source, more = _source(model)
    if revision is not None:
        more["revision"] = revision
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=trust_remote_code, **more)
        loaded = AutoModelForCausalLM.from_pretrained(source, dtype=kind, trust_remote_code=trust_remote_code, **more)
    except (OSError, ValueError, ImportError) as fault:
        said = " ".join(str(fault).split())[:200] or type(fault).__name__
        raise UsageError(
            f"the model {model} cannot be loaded ({said}); give the id of a model on a "
            "hub that can be reached, a folder with config.json, or a .gguf file"
        ) from fault
    if adapter is not None:
        loaded = _adapted(loaded, adapter)
    loaded = loaded.to(place).eval()
    for weights in loaded.parameters():
        weights.requires_grad_(False)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return loaded, tokenizer


def _source(model: str) -> tuple[str, dict[str, Any]]:
    path = Path(model)
    if path.suffix.lower() == ".gguf":
        if not path.is_file():
            raise UsageError(f"{model}: there is no such file; give the path of a .gguf file")
        return str(path.parent), {"gguf_file": path.name}
    return model, {}


def _adapted(model: Any, adapter: str) -> Any:
    try:
        from peft import PeftModel
    except ImportError as fault:
        raise UsageError("adapters need a package that is not installed (peft); pip install 'forgetmap[hf]'") from fault
    try:
        return PeftModel.from_pretrained(model, adapter).merge_and_unload()
    except (OSError, ValueError) as fault:
        raise UsageError(
            f"the adapter {adapter} cannot be loaded ({fault}); give a folder with adapter_config.json"
        ) from fault


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
