"""Azure AI Foundry: models of many makers behind Azure's v1 path, the older /models path, or each at an endpoint of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tui_eval.core.calls import Call, ModelSpec, Repair, Request
from tui_eval.providers import azure, openai
from tui_eval.providers.azure import list_models, versioned, with_key
from tui_eval.providers.stream import shows, words
from tui_eval.providers.wire import IMAGES, Wire

API_VERSION = "2024-05-01-preview"
"""Sent on the older path where the base URL names no version."""


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call; a base URL that ends in /models is the older path, which wants an api-version."""
    request = with_key(openai.request_of(model, repairs, openai.parameters(call, model, "max_tokens")))
    if _is_older_path(model.base_url or ""):
        return replace(request, path=versioned(openai.PATH, model, API_VERSION))
    return request


def encode_serverless(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call to an endpoint that serves one model: it takes the key as a bearer's, and wants an api-version
    where its base URL does not end in /v1."""
    request = openai.request_of(model, repairs, openai.parameters(call, model, "max_tokens"))
    if (model.base_url or "").partition("?")[0].rstrip("/").endswith("/v1"):
        return request
    return replace(request, path=versioned(openai.PATH, model, API_VERSION))


def _is_older_path(base_url: str) -> bool:
    return base_url.partition("?")[0].rstrip("/").endswith("/models")


WIRE = Wire(
    None,
    "AZURE_AI_API_KEY",
    encode,
    openai.decode,
    shows=shows,
    words=words,
    accepts=IMAGES,
    list_models=list_models,
    read_models=openai.read_models,
    hosts=azure.HOSTS,
)
SERVERLESS = replace(
    WIRE,
    key_env="AZURE_AI_FOUNDRY_API_KEY",
    encode=encode_serverless,
    list_models=None,
    read_models=None,
    hosts=(".inference.ai.azure.com", ".models.ai.azure.com"),
)
