"""Azure OpenAI: chat completions under a key header of its own, by the v1 path or by the older path of a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

from tui_eval.core.calls import Call, ModelSpec, Repair, Request
from tui_eval.providers import openai
from tui_eval.providers.stream import shows, words
from tui_eval.providers.wire import IMAGES, Wire

KEY_ENV = "AZURE_OPENAI_API_KEY"
HOSTS = (".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com")
API_VERSION = "2024-10-21"
"""Sent on the classic path where the base URL names no version."""


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call by the v1 path. `model` is the name of the deployment, not of what is deployed there."""
    body = openai.parameters(call, model, "max_completion_tokens")
    return with_key(openai.request_of(model, repairs, body))


def encode_classic(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call by the path of its deployment, which the base URL does not have."""
    path = f"/openai/deployments/{quote(model.model, safe='')}{openai.PATH}"
    return replace(encode(call, model, repairs), path=versioned(path, model, API_VERSION))


def with_key(request: Request) -> Request:
    """The request with its key where Azure looks for one."""
    return replace(request, key_header="api-key", key_prefix="")


def versioned(path: str, model: ModelSpec, version: str) -> str:
    """The path with an api-version behind it, unless the base URL brings its own."""
    return path if "api-version=" in (model.base_url or "") else f"{path}?api-version={model.api_version or version}"


def list_models(model: ModelSpec) -> Request:
    """The request for the models that the v1 path knows."""
    return with_key(openai.list_models(model))


def list_models_classic(model: ModelSpec) -> Request:
    """The request for the models of a resource by its older path."""
    return replace(list_models(model), path=versioned(f"/openai{openai.MODELS_PATH}", model, API_VERSION))


WIRE = Wire(
    None,
    KEY_ENV,
    encode,
    openai.decode,
    shows=shows,
    words=words,
    accepts=IMAGES,
    list_models=list_models,
    read_models=openai.read_models,
    hosts=HOSTS,
    keeps_prefix=lambda model: True,
)
CLASSIC = replace(WIRE, encode=encode_classic, list_models=list_models_classic)
