"""The stub as a custom model of lighteval 0.10 (one request per option)."""

from __future__ import annotations

from pathlib import Path

from lighteval.models.abstract_model import LightevalModel, ModelInfo
from lighteval.models.model_output import GenerativeResponse, LoglikelihoodResponse
from stub_answers import Memory, WordTokenizer


class StubModel(LightevalModel):
    def __init__(self, config) -> None:
        seed = config.generation_parameters.seed or 0
        self.memory = Memory(Path("items.json"), config.model_name.rpartition("/")[2], seed)
        self.model_info = ModelInfo(config.model_name, model_sha="0" * 40, model_dtype="stub")
        self.docs: dict = {}  # filled by the runner: requests do not carry choices and golds

    tokenizer = WordTokenizer()
    add_special_tokens = False
    max_length = 4096

    def _doc(self, request):
        return self.docs[(request.task_name, request.sample_index)]

    def greedy_until(self, requests, override_bs=None):
        responses = []
        for request in requests:
            doc = self._doc(request)
            golds = doc.gold_index if isinstance(doc.gold_index, list) else [doc.gold_index]
            draws = range(request.num_samples or 1)
            brief = request.generation_size == 5
            texts = [self.memory.reply(doc.query, doc.choices, golds, brief, draw) for draw in draws]
            responses.append(
                GenerativeResponse(
                    result=texts,
                    input_tokens=self.tokenizer.encode(request.context),
                    # A list per sample, as the transformers and vLLM back ends write it.
                    generated_tokens=[self.tokenizer.encode(text) for text in texts],
                )
            )
        return responses

    def loglikelihood(self, requests, override_bs=None):
        responses = []
        for request in requests:
            doc = self._doc(request)
            golds = doc.gold_index if isinstance(doc.gold_index, list) else [doc.gold_index]
            logprobs = self.memory.logprobs(doc.query, doc.choices, golds)
            responses.append(
                LoglikelihoodResponse(
                    result=(
                        logprobs[request.request_index],
                        max(logprobs) == logprobs[request.request_index],
                    ),
                    input_tokens=self.tokenizer.encode(request.context),
                    generated_tokens=self.tokenizer.encode(request.choice),
                )
            )
        return responses

    def loglikelihood_rolling(self, requests, override_bs=None):
        raise NotImplementedError

    def loglikelihood_single_token(self, requests, override_bs=None):
        raise NotImplementedError
