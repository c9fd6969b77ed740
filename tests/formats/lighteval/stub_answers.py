"""What the stub model says: it has learnt the test items by heart and errs by a seeded coin.

lighteval's own dummy model never gives a sensible answer, so a log made with it holds no flips. This stub is
plugged into the real pipeline in its place; every file is still written by lighteval's own code.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path

LETTERS = "ABCDEFGHIJ"
# Share of the item's coin below/above which a model knows it: "after" lost the low end and gained a middle part.
KNOWN = {"before": (0.00, 0.60), "after": (0.18, 0.80)}


def coin(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


class WordTokenizer:
    """One token per word: enough to fill the token columns without a download."""

    eos_token_id = 0

    def encode(self, text: str, add_special_tokens: bool = False) -> list[int]:
        return [zlib.crc32(word.encode()) % 49_999 + 1 for word in text.split()]

    def apply_chat_template(self, messages, tokenize: bool = False, add_generation_prompt: bool = True) -> str:
        turns = "".join(f"<|{turn['role']}|>\n{turn['content']}\n" for turn in messages)
        return turns + ("<|assistant|>\n" if add_generation_prompt else "")


class Memory:
    """The items, and which of them a model with this name and seed gets right."""

    def __init__(self, items: Path, model: str, seed: int) -> None:
        kinds = json.loads(items.read_text(encoding="utf-8")).values()
        self.questions = [item.get("question") or item["goal"] for kind in kinds for item in kind]
        self.model, self.seed = model, seed

    def question(self, query: str) -> str:
        """The item asked: the one whose text ends last, because demonstrations come first."""
        return max(self.questions, key=lambda text: query.rfind(text))

    def knows(self, question: str, draw: int = 0) -> bool:
        low, high = KNOWN[self.model]
        known = low <= coin("knows", question) < high
        # Sampling noise: another seed or draw turns about one answer in ten around.
        return known != (coin("noise", question, self.model, self.seed, draw) < 0.1)

    def pick(self, query: str, choices: list[str], golds: list[int], draw: int = 0) -> int:
        """Index of the option chosen; a wrong option stays the same from model to model more often than not."""
        question = self.question(query)
        if self.knows(question, draw) and golds[0] >= 0:
            return golds[0]
        wrong = [index for index in range(len(choices)) if index not in golds]
        persistent = coin("persist", question, self.model) < 0.6
        return wrong[int(coin("wrong", question, "" if persistent else self.model) * len(wrong))]

    def logprobs(self, query: str, choices: list[str], golds: list[int]) -> list[float]:
        chosen = self.pick(query, choices, golds)
        values = [-2 - 4 * coin("logprob", query, choice, self.model) for choice in choices]
        values[chosen] = -2 * coin("logprob", query, choices[chosen], self.model, "chosen")
        # Eight digits are plenty and keep the fixtures small.
        return [round(value, 8) for value in values]

    def reply(self, query: str, choices: list[str], golds: list[int], brief: bool, draw: int = 0) -> str:
        """A generated answer: a letter, a number, or now and then nothing that can be extracted."""
        question = self.question(query)
        mood = coin("mood", question, self.model, self.seed)
        if mood < 0.05:
            return ""
        if mood < 0.12:
            return "I cannot tell from what is given."
        if len(choices) > 1:
            letter = LETTERS[self.pick(query, choices, golds, draw)]
            return f" {letter}" if brief else f"Let us compare the options one by one.\nAnswer: {letter}"
        number = float(choices[0].rpartition("####")[2].replace(",", ""))
        if not self.knows(question, draw):
            number += 1 + int(coin("off", question) * 9)
        return f" Step by step we get there.\n#### {number:g}"
