"""Run inside a virtual environment that holds opencompass: its output handlers, evaluators and details formatter.

    python run_opencompass.py FOLDER

Inference needs torch and mmengine, which the writers of the logs only import: whatever is missing is replaced by an
empty stand-in, so that a few small packages suffice.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import datasets  # noqa: F401 - the real ones first: they look for torch, and must not find a stand-in
import planted
import scipy.stats  # noqa: F401

#: What is really loaded of the tool: the writers of predictions, evaluation over replicas, the details formatter.
LOADED = (
    "opencompass.openicl.icl_inferencer.icl_base_inferencer",
    "opencompass.openicl.icl_evaluator.icl_base_evaluator",
    "opencompass.tasks.openicl_eval",
)
ROOT = Path(importlib.machinery.PathFinder.find_spec("opencompass").submodule_search_locations[0]).parent  # type: ignore


class Registry:
    """A registry that only lets classes be declared."""

    def register_module(self, *_: Any, **__: Any) -> Any:
        return lambda declared: declared


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Puts an empty stand-in where torch, mmengine or the rest of opencompass would be."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name in LOADED or name.split(".")[0] not in ("torch", "mmengine", "opencompass"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        module = MagicMock(name=spec.name, TASKS=Registry(), BaseTask=object)
        module.__path__, module.__spec__ = [str(ROOT.joinpath(*spec.name.split(".")))], spec
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


sys.meta_path.insert(0, StandIns())
HANDLERS, BASE, EVAL = (importlib.import_module(name) for name in LOADED)
MMLU = [(n, item) for n, item in enumerate(planted.ITEMS["mmlu"]) if item["subject"] == "anatomy"][:8]
GSM8K = list(enumerate(planted.ITEMS["gsm8k"]))[:6]
ALGEBRA = [(n, item) for n, item in enumerate(planted.ITEMS["mmlu"]) if item["subject"] != "anatomy"][:3]
LETTERS = "ABCDEFGH"


class Evaluator(BASE.BaseEvaluator):
    """The shape of the tool's own evaluators with details: prediction, answer, right or not."""

    def score(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        details = [{"pred": p, "answer": r, "correct": p == r} for p, r in zip(predictions, references, strict=True)]
        return {"accuracy": 100 * sum(d["correct"] for d in details) / len(details), "details": details}


class Cascade(BASE.BaseEvaluator):
    """The shape of the cascade: a rule first, a judge for what the rule refuses."""

    def score(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        details = []
        for said, gold in zip(predictions, references, strict=True):
            right = said == gold
            detail: dict[str, Any] = {
                "rule_evaluation": {"pred": said, "answer": gold, "correct": right, "evaluation_method": "rule"}
            }
            if not right:
                detail["llm_evaluation"] = {"prediction": "A", "llm_correct": said.strip(".") == gold}
            detail["cascade_correct"] = right or detail["llm_evaluation"]["llm_correct"]
            details.append(detail)
        return {"accuracy": 100 * sum(d["cascade_correct"] for d in details) / len(details), "details": details}


def prompt_of(item: dict[str, Any], chat: bool) -> Any:
    options = "\n".join(f"{LETTERS[n]}. {option}" for n, option in enumerate(item.get("choices", [])))
    text = f"{item['question']}\n{options}\nAnswer:" if options else f"Question: {item['question']}\nAnswer:"
    return [{"role": "HUMAN", "prompt": text}] if chat else text


def rows_of(abbr: str, golds: list[str], replicas: int = 1) -> list[dict[str, Any]]:
    """The data set as the tool prepares it: numbered, and repeated as a whole for each replica."""
    return [{"subdivision": abbr, "idx": n, "answer": gold} for _ in range(replicas) for n, gold in enumerate(golds)]


def save(folder: Path, kind: str, model: str, name: str, content: Any) -> None:
    place = folder / kind / model
    place.mkdir(parents=True, exist_ok=True)
    with open(place / f"{name}.json", "w", encoding="utf-8") as file:  # as mmengine.dump does it
        json.dump(content, file, ensure_ascii=False, indent=4)


def generated(
    folder: Path, model: str, names: list[str], rows: list[tuple[Any, str, Any]], lengths: bool = True
) -> list[Any]:
    """Write predictions as GenInferencer does, split over several files where several names are given."""
    size = -(-len(rows) // len(names))
    for part_number, name in enumerate(names):
        handler = HANDLERS.GenInferencerOutputHandler()
        for index, (prompt, said, gold) in enumerate(rows[part_number * size : (part_number + 1) * size]):
            handler.save_results(prompt, said, index, gold=gold, res_length=len(said.split()) if lengths else None)
        place = folder / "predictions" / model
        place.mkdir(parents=True, exist_ok=True)
        handler.write_to_json(place, f"{name}.json")
    return [{"origin_prompt": prompt, "prediction": said, "gold": gold} for prompt, said, gold in rows]


def letter_reply(side: str, index: int, item: dict[str, Any]) -> tuple[str, str]:
    choice = planted.choice(side, index, item["answer"], len(item["choices"]))
    return ("I cannot tell.", "") if choice is None else (f"The answer is {LETTERS[choice]}.", LETTERS[choice])


def write_side(folder: Path, side: str) -> None:
    model, chat = f"planted-{side}", side == "after"
    task = EVAL.OpenICLEvalTask.__new__(EVAL.OpenICLEvalTask)

    # generation with letters, split over two prediction files; the evaluator gives details
    golds = [LETTERS[item["answer"]] for _, item in MMLU]
    replies = [letter_reply(side, n, item) for n, item in MMLU]
    rows = [
        (prompt_of(item, chat), said, gold) for (_, item), (said, _), gold in zip(MMLU, replies, golds, strict=True)
    ]
    generated(folder, model, ["lukaemon_mmlu_anatomy_0", "lukaemon_mmlu_anatomy_1"], rows)
    test = rows_of("lukaemon_mmlu_anatomy_test", golds)
    save(folder, "results", model, "lukaemon_mmlu_anatomy",
         Evaluator().evaluate(1, 1, test, predictions=[found for _, found in replies], references=golds))  # fmt: skip

    # two replicas, stacked in blocks
    numbers = [planted.gsm8k_gold(item) for _, item in GSM8K]
    rows, found = [], []
    for turn in range(2):
        for (n, item), gold in zip(GSM8K, numbers, strict=True):
            said = planted.gsm8k_reply(side, n, turn)
            rows.append((prompt_of(item, chat), said, gold))
            last = said.split()[-1]
            found.append(last if last[0].isdigit() else "")
    generated(folder, model, ["gsm8k"], rows)
    test = rows_of("gsm8k", numbers, replicas=2)
    save(
        folder,
        "results",
        model,
        "gsm8k",
        Evaluator().evaluate([1, 2], 2, test, predictions=found, references=numbers * 2),
    )
    if side == "after":
        return

    # perplexity per label; the formatter writes the details
    handler = HANDLERS.PPLInferencerOutputHandler()
    said = []
    for place, (n, item) in enumerate(ALGEBRA):
        chosen = planted.choice(side, n, item["answer"], len(item["choices"]))
        for option, text in enumerate(item["choices"]):
            asked = f"{item['question']}\nAnswer: {text}"
            handler.save_prompt_and_ppl(
                LETTERS[option], asked, "1+1?\nAnswer: 2\n" + asked, 1.5 if option == chosen else 2.5 + option, place
            )
        said.append(LETTERS[chosen or 0])
    handler.save_predictions(said)
    handler.save_golds([LETTERS[item["answer"]] for _, item in ALGEBRA])
    handler.write_to_json(folder / "predictions" / model, "algebra_ppl.json")
    listed = [handler.results_dict[str(n)] for n in range(len(ALGEBRA))]
    details = task.format_details(said, [row["gold"] for row in listed], None, listed)
    save(folder, "results", model, "algebra_ppl", {"accuracy": 100 / 3, "details": details})

    # a rule and a judge; a gold that is falsy and therefore not written
    rows = [
        ("How many legs has a snake?", "0", 0),
        ("How many legs has a cat?", "4.", "4"),
        ("How many legs has a bee?", "8", "6"),
    ]
    generated(folder, model, ["legs_cascade"], rows, lengths=False)
    said, golds = [reply for _, reply, _ in rows], [str(gold) for *_, gold in rows]
    test = rows_of("legs_cascade_main", golds)
    judged = Cascade().evaluate(1, 1, test, predictions=said, references=golds)
    save(folder, "results", model, "legs_cascade", judged)

    # an evaluator without details: the formatter gives no verdict for generated replies
    rows = [(prompt_of(item, False), planted.gsm8k_reply(side, n), planted.gsm8k_gold(item)) for n, item in GSM8K[:2]]
    listed = generated(folder, model, ["gsm8k_unjudged"], rows)
    details = task.format_details([said for _, said, _ in rows], [gold for *_, gold in rows], None, listed)
    save(folder, "results", model, "gsm8k_unjudged", {"accuracy": 50.0, "details": details})


def main(folder: Path) -> None:
    for side, stamp in (("before", "20260101_120000"), ("after", "20260102_120000")):
        write_side(folder / side / stamp, side)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
