"""Write the fixtures of MMLU-Pro, CapTrack, alpaca_eval, OLMES, olmo-eval and openai/evals into data/.

    python tests/formats/make_tier2_b.py

These are our own files in the shape the tools write (formats.md 3.6, 3.7, 4.3, 4.4, 4.6), with the answers of
planted.py; no tool and no network is needed, and a second run writes the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from planted import ITEMS, choice, fate, gsm8k_reply

DATA = Path(__file__).parent / "data"
LETTERS = "ABCDEFGHIJ"
SIDES = ("before", "after")


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


# --- MMLU-Pro -----------------------------------------------------------------------------------------------------


def mmlu_pro_items() -> list[dict[str, Any]]:
    """Sixteen questions with 3 to 9 options, one with a single option, and the first one again."""
    made = []
    for number, item in enumerate(ITEMS["mmlu"][:16]):
        extra = [f"none of these ({place})" for place in range(number % 6)]
        options = [*item["choices"][:3], *([item["choices"][3]] if number % 5 or item["answer"] == 3 else []), *extra]
        made.append(
            {
                "question_id": 70 + number,
                "question": item["question"],
                "options": options,
                "answer": LETTERS[item["answer"]],
                "answer_index": item["answer"],
                "cot_content": "",
                "category": "health" if item["subject"] == "anatomy" else "computer science",
                "src": f"ori_mmlu-{item['subject']}",
            }
        )
    lone = {"question": "Which value does the table give?", "options": ["12"], "answer": "A", "answer_index": 0}
    made.append({**made[0], **lone, "question_id": 90})
    made.append({**made[0], "question_id": 91})
    return made


def mmlu_pro_row(side: str, number: int, item: dict[str, Any], regime: str) -> dict[str, Any]:
    """One row as a file of that regime has it: they differ where "answer is (X)" is missing."""
    picked = choice(side, number, item["answer_index"], len(item["options"])) if len(item["options"]) > 1 else 0
    letter = None if picked is None else LETTERS[picked]
    if letter is None:
        text, pred = " nothing in the question helps, so nobody can tell.", {"filled": "B"}.get(regime)
        if regime == "last_capital":
            text, pred = " The Book of tables would help here; nobody can tell.", "B"
    elif number % 4 == 3:  # only the wider rules read these
        text, pred = f" Let me think. Answer: {letter}", None if regime == "answer_is" else letter
    else:
        text, pred = f" We go through the options step by step. The answer is ({letter}).\n\n", letter
    return {**item, "pred": pred, "generated_text": text}


def make_mmlu_pro() -> None:
    folder = DATA / "mmlu_pro"
    for name, side, regime in (
        ("base-7B", "before", "answer_is"),
        ("chat-7B", "after", "answer_is"),
        ("base-8B", "before", "filled"),
        ("chat-8B", "after", "filled"),
        ("api-1", "after", "null"),
    ):
        rows = [mmlu_pro_row(side, number, item, regime) for number, item in enumerate(mmlu_pro_items())]
        if side == "after":
            rows.reverse()  # rows of two files are in different orders
        content: list[Any] = rows
        if regime == "filled":
            rows[rows.index(next(row for row in rows if row["question_id"] == 72))]["answer"] = "C"  # its index is 0
        if regime == "null":
            content = ["health: 0.5", *rows[:9], "computer science: 0.5", *rows[9:]]
            for row in rows:
                row["model_outputs"] = row.pop("generated_text")
        stem = f"model_outputs_{name}_5shots"
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            member = zipfile.ZipInfo(f"{stem}.json", (2024, 6, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, json.dumps(content, ensure_ascii=False))
        write(folder / f"{stem}.zip", packed.getvalue())
    own = [mmlu_pro_row("after", number, item, "last_capital") for number, item in enumerate(mmlu_pro_items())]
    for row in own:
        row["model_outputs"] = row.pop("generated_text")
    for category in ("health", "computer science"):
        rows = [row for row in own if row["category"] == category]
        write(folder / "results" / "own-8B" / "CoT" / "all" / f"{category}.json", json.dumps(rows))


# --- CapTrack -----------------------------------------------------------------------------------------------------


def captrack_row(task: str, number: int, **fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("prompt", "formatted_prompt", "ctx", "choices", "gold"))
    return {
        "id": f"{task.split('.')[0]}-{number}", "family": "single_turn_text", **empty, "meta": {"source": "ours"},
        "schema": None, "tool_spec": None, **fields,
    }  # fmt: skip


def captrack_choices(side: str, task: str) -> list[dict[str, Any]]:
    rows = []
    for number, item in enumerate(ITEMS["mmlu"][:8]):
        picked = choice(side, number, item["answer"], 4)
        shown = "\n".join(f"{LETTERS[place]}. {text}" for place, text in enumerate(item["choices"]))
        said = "I am not sure at all." if picked is None else f"Let us see.\nAnswer: **{LETTERS[picked]}**"
        listed: Any = item["choices"]
        if task == "supergpqa.subset":
            listed = " ".join(f"{LETTERS[place]}: {text}" for place, text in enumerate(item["choices"]))
        prompt = f"{item['question']}\n{shown}"
        template = f"<s>[INST]{prompt}[/INST]" if task == "mmlu_pro.subset" else None
        gold = LETTERS[item["answer"]]
        rows.append(
            captrack_row(
                task, number, prompt=prompt, formatted_prompt=template, choices=listed, gold=gold, outputs=said
            )
        )
    return rows


def captrack_numbers(side: str, task: str) -> list[dict[str, Any]]:
    return [
        captrack_row(task, number, prompt=item["question"], gold=item["answer"], outputs=gsm8k_reply(side, number))
        for number, item in enumerate(ITEMS["gsm8k"][:8])
    ]


def make_captrack() -> None:
    for side in SIDES:
        folder = DATA / "captrack" / side
        write(folder / "mmlu_pro_subset.jsonl", lines(captrack_choices(side, "mmlu_pro.subset")))
        write(folder / "supergpqa.subset.jsonl", lines(captrack_choices(side, "supergpqa.subset")))
        write(folder / "gsm8k.subset.jsonl", lines(captrack_numbers(side, "gsm8k.subset")))
        rephrased = [
            {**row, "prompt": f"Tell me: {row['prompt']}"} for row in captrack_numbers(side, "gsm8k.rephrased")
        ]
        table = io.StringIO()
        writer = csv.DictWriter(table, list(rephrased[0]))
        writer.writeheader()
        writer.writerows(rephrased)
        write(folder / "gsm8k_rephrased.csv", table.getvalue())
        names = [["Lima", "Ciudad de los Reyes"], "['Paris', \"Ville d'Art\"]", {"text": ["Oslo"]}, {"answer": ["No"]}]
        replies = ["It is Lima." if side == "before" else "It is Quito.", "Paris!", "", "Novak"]
        popqa = [
            captrack_row("popqa.subset", number, prompt=f"Which name fits clue {number}?", gold=gold, outputs=reply)
            for number, (gold, reply) in enumerate(zip(names, replies, strict=True))
        ]
        write(folder / "popqa_subset.json", json.dumps(popqa, ensure_ascii=False, indent=1))
        turns = [["Write a haiku about rain.", "Now make it about snow."], ["Name a prime.", "And the next one?"]]
        table2 = [
            {
                **captrack_row("mtbench.turn2", number, prompt=turn, outputs=f"{side} reply {number}"),
                "gold": None, "ctx": [f"note {number}"], "turn1_response": "first reply",
            }
            for number, turn in enumerate(turns)
        ]  # fmt: skip
        texts = ("formatted_prompt", "choices", "gold", "schema", "tool_spec")
        frame = pl.DataFrame(table2, schema_overrides=dict.fromkeys(texts, pl.String))
        folder.mkdir(parents=True, exist_ok=True)
        frame.write_parquet(folder / "mtbench_turn2.parquet")


# --- alpaca_eval --------------------------------------------------------------------------------------------------


def make_alpaca_eval() -> None:
    prompts = [("helpful_base", "What is a good name for a grey cat?"), ("koala", "Explain tides in two sentences."),
               ("vicuna", "Plan a day in Lisbon."), ("oasst", "Write a limerick about a fork.")]  # fmt: skip
    verdicts = {"before": [1.98, 1.0, 1.5, 2.0], "after": [1.2, 1.0, None, 2.0]}
    for side in SIDES:
        folder = DATA / "alpaca_eval" / f"model-{side}"
        outputs = [
            {
                "dataset": dataset,
                "instruction": prompt,
                "output": f"{side} answer to: {prompt}",
                "generator": f"model-{side}",
            }
            for dataset, prompt in prompts
        ]
        write(folder / "model_outputs.json", json.dumps(outputs, indent=1))
        annotations = [
            {
                "instruction": row["instruction"], "output_1": "reference answer", "generator_1": "reference-4",
                "dataset": row["dataset"], "output_2": row["output"], "generator_2": row["generator"],
                "annotator": "weighted_judge", "preference": verdict, "price_per_example": 0.01,
            }
            for row, verdict in zip(outputs, verdicts[side], strict=True)
        ]  # fmt: skip
        write(folder / "weighted_judge" / "annotations.json", json.dumps(annotations, indent=1))


# --- OLMES and olmo-eval ------------------------------------------------------------------------------------------


def make_olmes() -> None:
    for side in SIDES:
        folder = DATA / "olmes" / side
        predictions, requests = [], []
        for number, item in enumerate(ITEMS["mmlu"][:10]):
            gold, k = item["answer"], len(item["choices"])
            picked = choice(side, number, gold, k)
            best = (gold + 1) % k if picked is None else picked  # ranking always picks one
            outputs = [
                {"sum_logits": -4.0 if place == best else -9.0 - place, "num_tokens": 2, "num_chars": 10 + place,
                 "is_greedy": place == best, "num_tokens_all": 40}
                for place in range(k)
            ]  # fmt: skip
            native = None if number == 9 else f"Item_{number % 8}"  # ids repeat, and one is null
            metrics = {"predicted_index_raw": best, "predicted_index_per_char": best, "correct_choice": gold,
                       "acc_raw": int(best == gold), "acc_per_char": int(best == gold)}  # fmt: skip
            predictions.append(
                {"doc_id": number, "native_id": native, "metrics": metrics, "model_output": outputs, "label": gold,
                 "task_hash": "a0d2", "model_hash": f"9d-{side}"}
            )  # fmt: skip
            query = f"Question: {item['question']}\nAnswer:"
            for place, text in enumerate(item["choices"]):
                requests.append(
                    {"request_type": "loglikelihood",
                     "doc": {"index": number, "id": native, "query": query, "choices": item["choices"], "gold": gold},
                     "request": {"context": f"(five demonstrations)\n\n{query}", "continuation": f" {text}"},
                     "idx": place, "task_name": "mmlu_mix", "doc_id": number, "native_id": native, "label": gold}
                )  # fmt: skip
        stem = "task-000-mmlu_mix"
        write(folder / f"{stem}-predictions.jsonl", lines(predictions))
        write(folder / f"{stem}-requests.jsonl", lines(requests))
        facts = {
            "task_name": "mmlu_mix", "task_hash": "a0d2", "model_hash": f"9d-{side}",
            "model_config": {"model": f"ours/{side}", "revision": "step10"},
            "task_config": {"task_name": "mmlu_mix", "limit": 10**19, "num_shots": 5, "fewshot_seed": 1234,
                            "primary_metric": "acc_per_char", "generation_kwargs": None, "version": 0,
                            "metadata": {"alias": "mmlu_mix:rc::olmes"}},
            "current_date": "2024-12-19 12:16:07 UTC", "num_instances": 10, "metrics": {"acc_raw": 0.5},
        }  # fmt: skip
        write(folder / f"{stem}-metrics.json", json.dumps(facts, indent=1))


def make_olmo_eval() -> None:
    for side in SIDES:
        predictions, requests = [], []
        for number, item in enumerate(ITEMS["gsm8k"][:6]):
            outputs = []
            for turn in range(2):
                said = fate(side, number, turn)
                right = 1.0 if said == "R" else 0.0
                output = {
                    "text": "" if said == "N" and turn else gsm8k_reply(side, number, turn),
                    "extracted_answer": None if said == "N" else "18",
                    "completion_tokens": 20 + turn, "finish_reason": "stop", "num_chars": 12,
                    "sample_metrics": {"exact_match": {"exact_match": right}},
                }  # fmt: skip
                if number == 4:
                    output["scoring_errors"] = {
                        "exact_match": {"phase": "execution", "type": "OSError", "message": "boom"}
                    }
                outputs.append(output)
            gold = item["answer"].rsplit("#### ", 1)[1]
            first = outputs[0]["sample_metrics"]["exact_match"]["exact_match"]
            predictions.append(
                {"doc_id": number, "native_id": f"doc_{number}", "model_output": outputs,
                 "instance_metrics": {"exact_match": {"exact_match": first}, "accuracy": {"exact_match": first}},
                 "label": gold, "final_output": outputs[0]["text"]}
            )  # fmt: skip
            requests.append(
                {"request_type": "generate_until", "doc": {"query": item["question"], "id": f"doc_{number}"},
                 "request": {"context": [{"role": "user", "content": item["question"]}], "stop_sequences": [],
                             "generation_kwargs": {"temperature": 0.7}},
                 "idx": 0, "task_name": "gsm8k", "doc_id": number, "native_id": f"doc_{number}", "label": gold}
            )  # fmt: skip
        folder = DATA / "olmo_eval" / side
        write(folder / "predictions" / f"ours-{side}" / "gsm8k_1a2b3c-predictions.jsonl", lines(predictions))
        write(folder / "requests" / f"ours-{side}" / "gsm8k_1a2b3c-requests.jsonl", lines(requests))


# --- openai/evals -------------------------------------------------------------------------------------------------


def openai_event(events: list[dict[str, Any]], run_id: str, sample: int, kind: str, data: dict[str, Any]) -> None:
    events.append(
        {"run_id": run_id, "event_id": len(events), "sample_id": f"words.dev.{sample}", "type": kind, "data": data,
         "created_by": "", "created_at": "2023-06-01 10:00:01"}
    )  # fmt: skip


def make_openai_evals() -> None:
    for side in SIDES:
        run_id = f"2306{side}"
        spec = {
            "completion_fns": [f"model-{side}"], "eval_name": "words.dev.v0", "base_eval": "words", "split": "dev",
            "run_config": {"completion_fns": [f"model-{side}"], "seed": 20220722, "max_samples": None,
                           "eval_spec": {"cls": "evals.elsuite.basic.match:Match", "args": {"samples_jsonl": "x"}}},
            "created_by": "", "run_id": run_id, "created_at": "2023-06-01 10:00:00",
        }  # fmt: skip
        events: list[dict[str, Any]] = []
        log = partial(openai_event, events, run_id)
        for number, item in enumerate(ITEMS["mmlu"][:8]):
            gold = item["choices"][item["answer"]]
            prompt = [{"role": "system", "content": "Answer in a word."}, {"role": "user", "content": item["question"]}]
            picked = choice(side, number, item["answer"], 4)
            said = "" if picked is None else item["choices"][picked]
            log(number, "sampling", {"prompt": prompt, "sampled": [said]})
            if number == 7:
                log(number, "error", {"type": "Timeout", "message": "the server gave up"})
                continue
            right = said == gold
            expected: Any = [gold, gold.lower()] if number == 1 else gold
            log(
                number,
                "match",
                {"correct": right, "expected": expected, "picked": said if right else None, "sampled": said},
            )
            log(number, "metrics", {"f1_score": 1.0 if right else 0.25, "choice": "A"})
        events = events[::2] + events[1::2]  # threads interleave
        content = lines([{"spec": spec}, *events, {"final_report": {"accuracy": 0.5}, "run_id": run_id}])
        write(DATA / "openai_evals" / side / f"{run_id}_model-{side}_words.jsonl", content)


def main() -> None:
    for name in ("mmlu_pro", "captrack", "alpaca_eval", "olmes", "olmo_eval", "openai_evals"):
        shutil.rmtree(DATA / name, ignore_errors=True)
    make_mmlu_pro()
    make_captrack()
    make_alpaca_eval()
    make_olmes()
    make_olmo_eval()
    make_openai_evals()


if __name__ == "__main__":
    main()
