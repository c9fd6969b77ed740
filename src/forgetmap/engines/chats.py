"""Chats: what a model of transformers or vLLM sees of a conversation."""

from __future__ import annotations

from typing import Any

from forgetmap.engines.requests import Request
from forgetmap.errors import UsageError


def seen_text(tokenizer: Any, request: Request, model: str) -> str:
    """Return the exact text: the context, after the conversation as the model's own template renders it."""
    if request.messages is None:
        return request.context
    if tokenizer.chat_template is None:
        raise UsageError(
            f"{model} has no chat template; ask it with --prompt base, which needs none, and ask both models alike"
        )
    turns = [{"role": message.role, "content": message.content} for message in request.messages]
    tools = getattr(request, "tools", None)
    rendered = tokenizer.apply_chat_template(
        turns, tokenize=False, add_generation_prompt=True, tools=list(tools) if tools else None
    )
    return f"{rendered}{request.context}"
