"""Loading vLLM: what has to be known or set before it is imported or takes a model."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from forgetmap.errors import UsageError

_INVARIANT = "VLLM_BATCH_INVARIANT"
_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
#: Looked at in every file of weights to tell it from others.
_PLACES, _PIECE = 32, 1 << 12


def import_vllm() -> Any:
    """Return the package, if it is there and new enough."""
    try:
        import vllm

        known = vllm.SamplingParams.__struct_fields__  # loaded only now, and with it what may not fit together
    except (ImportError, RuntimeError) as fault:
        raise UsageError(
            f"the vllm engine needs a package that cannot be loaded ({' '.join(str(fault).split())}); pip install "
            "'forgetmap[vllm]', and remove torchvision and torchaudio if they were built for another torch"
        ) from fault
    if "skip_reading_prefix_cache" not in known:
        raise UsageError(f"vLLM {vllm.__version__} is too old to rate options; pip install --upgrade vllm")
    return vllm


def ask_invariance() -> None:
    """Switch vLLM to its batch-invariant kernels: it reads the variable while it is imported."""
    if "vllm" in sys.modules and os.environ.get(_INVARIANT) != "1":
        raise UsageError(f"batch_invariant is set, but vLLM is loaded already; start anew with {_INVARIANT}=1 set")
    spec = find_spec("vllm")
    known = spec is not None and any(
        _INVARIANT in path.read_text(encoding="utf-8")
        for folder in spec.submodule_search_locations or ()
        for path in [Path(folder) / "envs.py"]
        if path.is_file()
    )
    if not known:
        raise UsageError("batch_invariant is set, but this vLLM has no such kernels; pip install --upgrade vllm")
    os.environ[_INVARIANT] = "1"


def adapter_options(adapter: str) -> dict[str, Any]:
    """Return what vLLM must know about a LoRA adapter before it loads one: how much room to make, and where.

    Room is made in the adapter's own layers only. Where vLLM makes it everywhere it adapts the output layer as well, and that
    one fails or errs on the places of a prompt, for it is told of the last places alone.
    """
    folder = Path(adapter)
    try:
        told = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
        rank, layers = int(told["r"]), _adapted_layers(folder) or told["target_modules"]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise UsageError(
            f"the adapter {adapter} cannot be loaded ({fault}); give a folder with adapter_config.json"
        ) from fault
    if not isinstance(layers, list) or "lm_head" in layers:
        raise UsageError(
            f"the adapter {adapter} changes the output layer or does not name its layers ({layers}), and vLLM cannot rate "
            "options then; merge it into the model and give the merged one"
        )
    room = next((known for known in _RANKS if known >= rank), rank)
    return {"enable_lora": True, "max_lora_rank": room, "lora_target_modules": layers}


def _adapted_layers(folder: Path) -> list[str]:
    """Names of layers from the head of the weights, such as q_proj; the settings may have only a pattern for them."""
    path = folder / "adapter_model.safetensors"
    if not path.is_file():
        return []
    with path.open("rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return sorted({name.split(".lora_")[0].rsplit(".", 1)[-1] for name in head if ".lora_" in name})


def files_fingerprint(model: str) -> str | None:
    """Return what tells a model in a folder from others, wherever it lies; None for a hub's, which the revision tells."""
    if not Path(model).is_dir():
        return None
    found = hashlib.blake2b(digest_size=12)
    for path in sorted(path for end in ("safetensors", "bin", "json") for path in Path(model).glob(f"*.{end}")):
        size = path.stat().st_size
        found.update(f"{path.name} {size}".encode())
        with path.open("rb") as file:
            for place in range(_PLACES):
                file.seek(size * place // _PLACES)
                found.update(file.read(_PIECE))
    return found.hexdigest()
