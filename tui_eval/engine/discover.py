"""Discovery of model servers on this machine: ports that answer, their models, and the context length each really serves."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui_eval.core.calls import ModelSpec, Request
from tui_eval.engine.http.send import HttpReply, Sender
from tui_eval.providers import WIRES, local, ollama
from tui_eval.providers.body import body_table
from tui_eval.providers.wire import Listed
from tui_eval.workspace.keys import Keys

Ask = Callable[[Request], Awaitable[bytes | None]]
"""What a server answers with HTTP 200 in time; None for anything else."""
ACCEPTED = {"accept": "application/json"}
MOST_SHOWN = 50
"""Models of which Ollama is asked one by one how they are set up."""


async def with_served_context(wire: str, models: Sequence[Listed], ask: Ask) -> tuple[Listed, ...]:
    """The models, each with the context it is served with, which may be far less than it was trained with.

    llama.cpp: what its properties say of a slot, before what its list says. Ollama: num_ctx of the model's own file, or, where
    that sets none, what it is loaded with now; of others nothing is known.
    """
    if wire == "llama.cpp" and len(models) == 1:
        served = local.read_props(await ask(Request("/props", b"", ACCEPTED, method="GET")))
        return (replace(models[0], context_tokens=served or models[0].context_tokens),)
    if wire == "ollama":
        return await _of_ollama(models, ask)
    return tuple(models)


async def _of_ollama(models: Sequence[Listed], ask: Ask) -> tuple[Listed, ...]:
    loaded = ollama.read_loaded(await ask(Request("/api/ps", b"", ACCEPTED, method="GET")))

    async def served(model: Listed) -> int | None:
        body = json.dumps({"model": model.id}).encode("ascii")
        own = ollama.read_num_ctx(await ask(Request("/api/show", body, {**ACCEPTED, "content-type": "application/json"})))
        return own or loaded.get(model.id)

    lengths = await asyncio.gather(*map(served, models[:MOST_SHOWN]))
    with_context = [replace(model, context_tokens=n or model.context_tokens) for model, n in zip(models, lengths, strict=False)]
    return (*with_context, *models[MOST_SHOWN:])


PORTS: dict[str, tuple[int, ...]] = {
    "ollama": (11434,),
    "llama.cpp": (8080, 9931),
    "lmstudio": (1234,),
    "vllm": (8000,),
}
"""Where each local server listens unless it is told otherwise, by wire."""
HOSTS = ("127.0.0.1", "[::1]")
TIMEOUT_S = 2.0
OWNERS = {"library": "ollama", "llamacpp": "llama.cpp", "vllm": "vllm"}
"""Whom a server names as the owner of its models."""
OK = 200
UNAUTHORIZED = 401
UNKNOWN = "openai"
"""The wire of a server that does not tell what it is."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server on this machine that has the OpenAI interface."""

    wire: str
    base_url: str
    models: tuple[Listed, ...]
    simulated: bool = False
    needs_key: bool = False
    """It names its models to nobody without a key, so that none are listed here."""


async def discover(ports: Mapping[str, Sequence[int]], timeout_s: float = TIMEOUT_S) -> list[LocalServer]:
    """Look at ports of the loopback addresses, all at once; servers in the order of the ports.

    `ports`: by the wire of the server that usually listens there. Whatever listens, nothing is raised, and no key is sent.
    A server that listens at both addresses is found once.
    """
    places = {port: wire for wire, numbers in ports.items() for port in numbers}
    doors = [_Door(wire, f"http://{host}:{port}") for port, wire in places.items() for host in HOSTS]
    sender = Sender(Keys((), ()), WIRES, [door.spec for door in doors], {})
    try:
        results = await asyncio.gather(*(_at(sender, door, timeout_s) for door in doors))
    finally:
        await sender.close()
    servers: list[LocalServer] = []
    for first, second in zip(results[::2], results[1::2], strict=True):
        servers += [server for server in (first, None if _same(first, second) else second) if server is not None]
    return servers


@dataclass(frozen=True, slots=True)
class _Door:
    """A place to look at."""

    usual: str
    """The wire of the server that usually listens there."""
    root: str

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(self.root, UNKNOWN, "", base_url=self.root)


def _same(first: LocalServer | None, second: LocalServer | None) -> bool:
    return first is not None and second is not None and (first.wire, first.models) == (second.wire, second.models)


async def _at(sender: Sender, door: _Door, timeout_s: float) -> LocalServer | None:
    """The server behind a door; None where there is none, or another kind of one."""
    listing = await _answered(sender, door, Request("/v1/models", b"", ACCEPTED, method="GET"), timeout_s, (OK, UNAUTHORIZED))
    if listing is None:
        return None
    if listing.status == UNAUTHORIZED:
        return LocalServer(door.usual, f"{door.root}/v1", (), needs_key=True) if _table(listing).get("error") else None
    models = _models(listing)
    if models is None:
        return await _ollama_without_models(sender, door, timeout_s)
    simulated = "x-simulated" in listing.headers
    wire = "simulator" if simulated else await _wire(sender, door, models, timeout_s)

    async def ask(request: Request) -> bytes | None:
        got = await _answered(sender, door, request, timeout_s)
        return None if got is None else got.body

    return LocalServer(wire, f"{door.root}/v1", await with_served_context(wire, models, ask), simulated)


async def _got(sender: Sender, door: _Door, path: str, timeout_s: float) -> HttpReply | None:
    """Return the answer to a GET."""
    return await _answered(sender, door, Request(path, b"", ACCEPTED, method="GET"), timeout_s)


async def _answered(
    sender: Sender, door: _Door, request: Request, timeout_s: float, statuses: Sequence[int] = (OK,)
) -> HttpReply | None:
    """Return an answer that comes in time with HTTP 200, or another of these statuses; None for anything else."""
    try:
        async with asyncio.timeout(timeout_s):
            got = await sender.send(request, door.spec, f"discover-{secrets.token_hex(6)}")
    except TimeoutError:
        return None
    return got if isinstance(got, HttpReply) and got.status in statuses else None


def _models(listing: HttpReply) -> list[Listed] | None:
    read = WIRES[UNKNOWN].read_models
    assert read is not None
    try:
        return read(listing.body)
    except ValueError:
        return None


async def _ollama_without_models(sender: Sender, door: _Door, timeout_s: float) -> LocalServer | None:
    """Ollama as long as it has no model: its list is null then."""
    if not _is_ollama(await _got(sender, door, "/", timeout_s)):
        return None
    return LocalServer("ollama", f"{door.root}/v1", ())


async def _wire(sender: Sender, door: _Door, models: Sequence[Listed], timeout_s: float) -> str:
    """Tell which server it is: by whom its models belong to, else by what only one kind of server has, else by its port."""
    owner = next((OWNERS[model.owner] for model in models if model.owner in OWNERS), None)
    if owner is not None:
        return owner
    paths = ("/", "/props", "/version", "/api/v0/models")
    home, props, version, native = await asyncio.gather(*(_got(sender, door, path, timeout_s) for path in paths))
    if _is_ollama(home):
        return "ollama"
    if {"default_generation_settings", "total_slots"} & set(_table(props)):
        return "llama.cpp"
    if isinstance(_table(native).get("data"), list):
        return "lmstudio"
    if isinstance(_table(version).get("version"), str):
        return "vllm"
    return door.usual


def _is_ollama(home: HttpReply | None) -> bool:
    return home is not None and b"Ollama is running" in home.body[:200]


def _table(got: HttpReply | None) -> dict[str, Any]:
    """An answer as a JSON object; empty where it is none. That it came tells nothing: LM Studio answers 200 to any path."""
    return body_table(None if got is None else got.body)
