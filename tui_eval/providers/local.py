"""Servers on this machine besides Ollama: the OpenAI wire without a key, with what llama.cpp does differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tui_eval.core.calls import ApiError, Completion
from tui_eval.providers import ollama, openai
from tui_eval.providers.body import body_table, count, table

NO_ATTACHMENTS = ("image input is not supported", "unsupported content part type")
"""What llama.cpp says of an image that its model cannot see, in its present and in its older words."""


def decode_llama_cpp(status: int, headers: Mapping[str, str], body: bytes) -> Completion | ApiError:
    """Decode a response; an image that the model cannot see is an HTTP 500 there, though it cannot pass by itself."""
    reply = openai.decode(status, headers, body)
    if isinstance(reply, ApiError) and any(words in reply.message.lower() for words in NO_ATTACHMENTS):
        return replace(reply, kind="permanent", scope="call", retry=False, cause="attachment")
    return reply


def read_props(body: bytes | None) -> int | None:
    """Return the tokens one request may have, prompt and completion, by llama.cpp's /props; None if it does not say.

    That is the context of a slot: all of them share what the server was started with.
    """
    props = body_table(body)
    return count(table(props.get("default_generation_settings")).get("n_ctx")) or count(props.get("n_ctx"))


VLLM = replace(ollama.WIRE, base_url="http://127.0.0.1:8000/v1", cuts_prompts=False)
LM_STUDIO = replace(VLLM, base_url="http://127.0.0.1:1234/v1")
LLAMA_CPP = replace(VLLM, base_url="http://127.0.0.1:8080/v1", decode=decode_llama_cpp)
