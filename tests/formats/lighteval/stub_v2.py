"""The stub as a custom model of lighteval 0.13 (one call per document)."""

from __future__ import annotations

import os
from pathlib import Path

from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.utils.cache_management import SampleCache
from stub_answers import Memory, WordTokenizer


def golds_of(doc) -> list[int]:
    return doc.gold_index if isinstance(doc.gold_index, list) else [doc.gold_index]


class StubModel(LightevalModel):
    tokenizer = WordTokenizer()
    add_special_tokens = False
    max_length = 4096

    def __init__(self, config) -> None:
        self.config = config
        seed = config.generation_parameters.seed or 0
        self.memory = Memory(Path("items.json"), config.model_name.rpartition("/")[2], seed)
        self.prompts = PromptManager(
            use_chat_template=os.environ["STUB_STYLE"] == "zero-shot", tokenizer=self.tokenizer
        )
        self._cache = SampleCache(config)

    def greedy_until(self, docs):
        responses = []
        for doc in docs:
            prompt = self.prompts.prepare_prompt(doc)
            # The reasoning tags are taken out by lighteval itself before it scores.
            texts = [
                self.memory.reply(doc.query, doc.choices, golds_of(doc), doc.generation_size == 5, draw)
                for draw in range(doc.num_samples)
            ]
            if doc.generation_size != 5:
                texts = [
                    f"<think>\nIs it {choice!r}?\n</think>\n{text}" for choice, text in zip(doc.choices * 9, texts)
                ]
            responses.append(
                ModelResponse(
                    input=prompt,
                    input_tokens=self.tokenizer.encode(prompt),
                    text=texts,
                    output_tokens=[self.tokenizer.encode(text) for text in texts],
                )
            )
        return responses

    def loglikelihood(self, docs):
        responses = []
        for doc in docs:
            prompt = self.prompts.prepare_prompt(doc)
            logprobs = self.memory.logprobs(doc.query, doc.choices, golds_of(doc))
            responses.append(
                ModelResponse(
                    input=prompt,
                    input_tokens=self.tokenizer.encode(prompt),
                    logprobs=logprobs,
                    argmax_logits_eq_gold=[value == max(logprobs) for value in logprobs],
                    output_tokens=[self.tokenizer.encode(choice) for choice in doc.choices],
                )
            )
        return responses

    def loglikelihood_rolling(self, docs):
        raise NotImplementedError
