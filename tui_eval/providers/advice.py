"""One sentence for a person on what to change after a fault: which key, which address, which line of the config."""

from __future__ import annotations

from collections.abc import Callable

from tui_eval.core.calls import ApiError, Cause, ModelSpec
from tui_eval.core.plaintext import one_line
from tui_eval.providers import anthropic, openai

LOOPBACK = ("localhost", "127.", "[::1]", "0.0.0.0")
SERVERS = {
    "ollama": "ollama serve",
    "llama.cpp": "llama-server -m FILE",
    "vllm": "vllm serve MODEL",
    "lmstudio": "lms server start",
    "11434": "ollama serve, where it is Ollama",
    "8080": "llama-server -m FILE, where it is llama.cpp",
    "8000": "vllm serve MODEL, where it is vLLM",
    "1234": "lms server start, where it is LM Studio",
}
"""The command that starts a local server, by wire, or by its usual port on another wire."""
DEPLOYED = ("azure", "azure-classic", "foundry")
"""Wires on which `model` is the name of a deployment."""
PATHS = {"anthropic": anthropic.PATH, "openai-responses": "/responses"}
"""What a wire puts behind its base URL, where that is not /chat/completions."""
BASE_PATHS = {"azure": "/openai/v1", "foundry": "/openai/v1", "gemini": "/v1beta/openai", "openrouter": "/api/v1"}
"""How a base URL of a wire usually ends, where that is not /v1."""


def advice(fault: ApiError, model: ModelSpec, default_url: str | None) -> str:
    """Return what a person can change, in one sentence; empty where there is nothing to add.

    `default_url`: the base URL of the model's wire, asked where the model has none of its own.
    """
    return "" if fault.cause is None else one_line(_SENTENCES[fault.cause](_FaultCase(fault, model, default_url)), 400)


class _FaultCase:
    """A fault with what its sentences name: the row of the config, the address and the key."""

    def __init__(self, fault: ApiError, model: ModelSpec, default_url: str | None) -> None:
        self.said = fault.message.lower()
        self.wire = model.wire
        self.id = one_line(model.model, 60)
        self.row = f"[[models]] {one_line(model.name, 40)!r}"
        self.key = model.api_key_env
        self.setting = f"base_url of {self.row}"
        self.own_url = model.base_url is not None
        base = (model.base_url or default_url or "").partition("?")[0].rstrip("/")
        host, _, self.path = base.partition("://")[2].partition("/")
        self.base, self.host = one_line(base, 90), one_line(host, 60)
        self.is_local = host.lower().startswith(LOOPBACK)
        self.port = host.rpartition(":")[2]

    @property
    def there(self) -> str:
        """Address that was asked."""
        return self.base or "the server of its provider"


def _key(case: _FaultCase) -> str:
    if case.key is None:
        return f"set api_key_env of {case.row} to the variable that holds its key, and store that: tui-eval keys set NAME"
    return (
        f"put a key for {case.there} into {case.key}: tui-eval keys set {case.key}"
        " (a value in the environment comes before the one in .env)"
    )


def _permission(case: _FaultCase) -> str:
    key = f"the key in {case.key}" if case.key else "this account"
    return (
        f"{key} may not use {case.id!r}: check the project and role of the key, whether your region is served, "
        "and whether access to this model has to be requested"
    )


def _model(case: _FaultCase) -> str:
    setting = f'model = "{case.id}" of {case.row}'
    if case.wire in DEPLOYED:
        return f"{setting} must be the name of a deployment at {case.there}, not that of the model behind it"
    if case.wire == "ollama" or case.port == "11434":
        return f"fetch it (ollama pull {case.id}) or change {setting}"
    if case.wire == "openrouter":
        return _openrouter_model(case, setting)
    return f"change {setting} to an id that {case.there} knows and this key may use"


def _openrouter_model(case: _FaultCase, setting: str) -> str:
    if "data policy" in case.said or "guardrail" in case.said:
        return (
            f"the privacy settings of the account, or routing of {case.row}, leave no provider for it: "
            "change them at openrouter.ai/settings/privacy, or take another model"
        )
    if "requested parameters" in case.said:
        return (
            f"no provider of {case.id!r} takes all that is sent: leave parameters out of {case.row}, "
            "or set require_parameters = false in its routing"
        )
    if "allowed providers" in case.said:
        return f"routing of {case.row} leaves no provider of {case.id!r}: loosen its order, only or ignore"
    return f"change {setting} to an id of OpenRouter's list (maker/model), which tui-eval models check shows"


def _deployment(case: _FaultCase) -> str:
    return (
        f'model = "{case.id}" of {case.row} must be the name of a deployment at {case.there}; '
        "one made just now takes a few minutes to appear"
    )


def _quota(case: _FaultCase) -> str:
    key = f" of the key in {case.key}" if case.key else ""
    fix = f"add credit to the account{key}, or raise its limit, in the provider's billing settings"
    if "key limit" in case.said or "key_limit" in case.said:
        fix = f"raise the limit{key} at openrouter.ai/settings/keys" if case.wire == "openrouter" else f"raise the limit{key}"
    return f"{fix}; then tui-eval resume RUN --failed goes on with what is left"


def _filter(case: _FaultCase) -> str:
    settings = "the filter settings of the deployment" if case.wire in DEPLOYED else "the provider's filter settings"
    return (
        "the content filter blocked the prompt, its document or the answer, which counts as refused: "
        f"change the question or the document, or {settings}"
    )


def _length(case: _FaultCase) -> str:
    larger = "choose a model with a longer context"
    if case.wire == "ollama" or case.is_local:
        larger = "start the server with a longer context (num_ctx, --ctx-size or --max-model-len)"
    return f"shorten the documents, lower max_output_tokens, or {larger}"


def _rate(case: _FaultCase) -> str:
    if "error 402" in case.said or "http 402" in case.said:
        return "lower run.max_concurrency or max_output_tokens, so that the requests in flight reserve less of the credit"
    return f"lower run.max_concurrency, or set limits = {{ requests_per_minute = ... }} in {case.row}"


def _attachment(case: _FaultCase) -> str:
    return f"{case.id!r} does not take this image or file: use text documents, or choose a model that takes them"


def _unreachable(case: _FaultCase) -> str:
    if not case.own_url and not case.is_local:
        return (
            f"check the network (VPN, firewall, proxy, name server): {case.row} goes to {case.there}, the address of its "
            "provider"
        )
    if "name not found" in case.said:
        return f"check the spelling of {case.host!r} in {case.setting}, and the network (VPN, name server)"
    if "connection lost" in case.said:
        return f"check that the server at {case.there} is still running, and whether it expects https:// or http://"
    if case.is_local:
        start = SERVERS.get(case.wire) or SERVERS.get(case.port)
        usual = f"start the server ({start})" if start else "start the server"
        return f"nothing listens at {case.there}: {usual}, or correct the port in {case.setting}"
    return f"check that the server at {case.there} is running, {case.setting}, and the network (VPN, firewall, proxy)"


def _tls(case: _FaultCase) -> str:
    message = case.said
    if any(words in message for words in ("wrong version number", "record layer failure", "packet length", "unknown protocol")):
        return (
            f"the server at {case.host!r} seems to speak no TLS: write http:// instead of https://, or another port, "
            f"into {case.setting}"
        )
    if "plain http" in message or "http request" in message:
        return f"the server at {case.host!r} speaks TLS: write https:// instead of http:// into {case.setting}"
    if "hostname mismatch" in message or "not valid for" in message or "doesn't match" in message:
        return f"the certificate is for another host than {case.host!r}: correct {case.setting}"
    if "expired" in message:
        return f"the certificate of {case.host!r} has expired: it must be renewed there; check this machine's clock, too"
    return (
        f"the certificate of {case.host!r} is not signed by an authority that this system trusts: name a file with that "
        f"authority's certificate in SSL_CERT_FILE, or correct {case.setting}"
    )


def _address(case: _FaultCase) -> str:
    variables = ", with every variable in it filled in" if "${" in case.base else ""
    return f"{case.setting} must be an address such as http://127.0.0.1:8000/v1{variables}"


def _path(case: _FaultCase) -> str:
    added = PATHS.get(case.wire, openai.PATH)
    if case.wire == "azure-classic":
        added = f"/openai/deployments/{case.id}{openai.PATH}"
    return f"the address asked was {case.base}{added}: {_what_of_path(case, added)}"


def _what_of_path(case: _FaultCase, added: str) -> str:
    """Return what to change in an address, to which the wire added a path."""
    if "redirect" in case.said:
        return f"set {case.setting} to where it leads, without {added}"
    if not case.own_url:
        return "something else answers there (a proxy, a firewall, another program)"
    if case.path.endswith(added.lstrip("/")):
        return f"{case.setting} must end before {added}, which is added to it"
    if "${" not in case.base:
        if case.wire == "azure-classic" and case.path:
            return f"{case.setting} must end with the host, since /openai/deployments/... is added to it"
        if case.wire != "azure-classic" and not case.path:
            return f"{case.setting} probably lacks {BASE_PATHS.get(case.wire, '/v1')} at its end"
    version = " or its api_version" if case.wire in ("azure-classic", "foundry", "foundry-serverless") else ""
    return f"correct {case.setting}{version} by the documentation of the server"


_SENTENCES: dict[Cause, Callable[[_FaultCase], str]] = {
    "unreachable": _unreachable,
    "tls": _tls,
    "address": _address,
    "path": _path,
    "key": _key,
    "permission": _permission,
    "model": _model,
    "deployment": _deployment,
    "quota": _quota,
    "filter": _filter,
    "length": _length,
    "rate": _rate,
    "attachment": _attachment,
}
