"""models discover on loopback: servers are told apart by what they answer, and whatever else listens there does no harm."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import shlex
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from fault_bench import CANARY, Peer, Table, closed_port, serving
from makers import SHIPPED

from tui_eval.cli import checking
from tui_eval.cli.checking import discover_command
from tui_eval.cli.command_line import main
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import visible
from tui_eval.engine.discover import PORTS, LocalServer, discover
from tui_eval.models.catalogue import models_on_file
from tui_eval.providers.wire import Listed
from tui_eval.workspace.places import Workspace

Routes = Mapping[str, Any]
"""What is answered by path: bytes are text, a function is given the request's JSON, anything else is JSON."""
QUICK_S = 0.5
PATIENT_S = 10.0
"""Where a test is about what is found, and nothing is waited for: a machine that stands still for a moment changes nothing."""


def models(*ids: str, owner: str = "me") -> Table:
    """A list of models."""
    return {"object": "list", "data": [{"id": name, "object": "model", "owned_by": owner} for name in ids]}


class Place:
    """A server that answers by path, with what was asked of it."""

    def __init__(self, port: int, seen: list[web.BaseRequest]) -> None:
        self.port = port
        self.seen = seen


@contextlib.asynccontextmanager
async def serving_routes(routes: Routes, host: str = "127.0.0.1", port: int = 0, fallback: Any = None) -> AsyncIterator[Place]:
    """A server in the running loop; what it has no route for is a 404, or the fallback."""
    seen: list[web.BaseRequest] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        seen.append(request)
        content = routes.get(request.path, fallback)
        if callable(content):
            content = content(await request.json())
        if content is None:
            return web.Response(status=404, text="404 page not found")
        if isinstance(content, web.Response):
            return content
        if isinstance(content, bytes):
            return web.Response(body=content, content_type="text/plain")
        return web.Response(text=json.dumps(content), content_type="application/json")

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield Place(runner.addresses[0][1], seen)
    finally:
        await runner.cleanup()


LM_STUDIO_SAYS = {"error": "Unexpected endpoint or method. (GET /props). Returning 200 anyway"}
SERVERS: dict[str, tuple[str, Routes, Any]] = {
    "Ollama, by its home page": ("ollama", {"/v1/models": models("m"), "/": b"Ollama is running"}, None),
    "Ollama, by its models": ("ollama", {"/v1/models": models("m", owner="library")}, None),
    "llama.cpp, by its models": ("llama.cpp", {"/v1/models": models("m", owner="llamacpp")}, None),
    "llama.cpp, by its properties": ("llama.cpp", {"/v1/models": models("m"), "/props": {"total_slots": 4}}, None),
    "vLLM, by its models": ("vllm", {"/v1/models": models("m", owner="vllm")}, None),
    "vLLM, by its version": ("vllm", {"/v1/models": models("m"), "/version": {"version": "0.11"}}, None),
    "LM Studio": ("lmstudio", {"/v1/models": models("m"), "/api/v0/models": models("m")}, LM_STUDIO_SAYS),
    "a server that answers anything": ("openai", {"/v1/models": models("m")}, b"<html>hello</html>"),
    "a server that does not tell": ("openai", {"/v1/models": models("m")}, None),
}


@pytest.mark.parametrize(("wire", "routes", "fallback"), SERVERS.values(), ids=SERVERS.keys())
async def test_a_server_is_told_by_what_it_answers(wire: str, routes: Routes, fallback: Any) -> None:
    """Its wire, its address and its models are found, wherever it listens."""
    async with serving_routes(routes, fallback=fallback) as place:
        found = await discover({"openai": [place.port]})

    assert [(server.wire, server.base_url, server.simulated) for server in found] == [
        (wire, f"http://127.0.0.1:{place.port}/v1", False)
    ]
    assert [model.id for model in found[0].models] == ["m"]


@pytest.mark.parametrize("usual", PORTS)
async def test_a_server_that_does_not_tell_is_what_is_usual_there(usual: str) -> None:
    """The port decides last; what a server says of itself comes before."""
    async with serving_routes({"/v1/models": models("m")}) as silent, serving_routes({"/v1/models": models(owner="x")}) as none:
        found = await discover({usual: [silent.port, none.port]})

    assert [(server.wire, len(server.models)) for server in found] == [(usual, 1), (usual, 0)]


async def test_ollama_without_a_model_is_found() -> None:
    """Its list is null then, which is no list."""
    async with serving_routes({"/v1/models": {"object": "list", "data": None}, "/": b"Ollama is running"}) as place:
        found = await discover({"openai": [place.port]})

    assert found == [LocalServer("ollama", f"http://127.0.0.1:{place.port}/v1", ())]


async def test_the_simulator_is_labelled() -> None:
    """By the header of its replies, not by its names."""
    async with serving() as served:
        port = int(served.url.removesuffix("/v1").rpartition(":")[2])
        found = await discover({"openai": [port]})

    assert [(server.wire, server.base_url, server.simulated) for server in found] == [("simulator", served.url, True)]
    assert "sim-scholar" in {model.id for model in found[0].models}


async def test_what_a_list_tells_of_a_model_is_kept() -> None:
    """The length of its context, where the server says."""
    entry = {"id": "m", "owned_by": "vllm", "max_model_len": 32768}
    async with serving_routes({"/v1/models": {"data": [entry]}}) as place:
        found = await discover({"openai": [place.port]})

    assert found[0].models == (Listed("m", context_tokens=32768, owner="vllm"),)


async def test_the_context_is_the_one_that_llama_cpp_serves() -> None:
    """That of a slot, and never the one that the model was trained with; what its list says where its properties do not."""
    meta = {"n_ctx_train": 2048, "n_ctx": 1024}
    entry = {"id": "m", "owned_by": "llamacpp", "meta": meta}
    props = [{"default_generation_settings": {"n_ctx": 512}, "total_slots": 2}, {"total_slots": 2}, b"no", {"n_ctx": 256}]
    found = []
    for said in props:
        async with serving_routes({"/v1/models": {"data": [entry]}, "/props": said}) as place:
            found += await discover({"llama.cpp": [place.port]}, PATIENT_S)

    assert [server.models[0].context_tokens for server in found] == [512, 1024, 1024, 256]


async def test_the_context_is_the_one_that_ollama_serves() -> None:
    """num_ctx of the model's own file, else what it is loaded with; of others nothing is known, least of all from training."""
    files = {"set:1": {"parameters": 'stop "x"\nnum_ctx    8192'}, "both:1": {"parameters": "num_ctx 2048\ntemperature 1"}}
    trained = {"model_info": {"llama.context_length": 131072}, "parameters": 'stop "num_ctx 5"\nnum_ctxs 7'}
    loaded = {"models": [{"name": name, "context_length": 4096} for name in ("both:1", "warm:1")] + ["odd", {"name": 3}]}
    names = ("set:1", "both:1", "warm:1", "cold:1", "gone:1")

    def shown(asked: Any) -> Any:
        return None if asked["model"] == "gone:1" else {**trained, **files.get(asked["model"], {})}

    routes = {"/v1/models": models(*names, owner="library"), "/api/ps": loaded, "/api/show": shown}
    async with serving_routes(routes) as place:
        found = await discover({"ollama": [place.port]}, PATIENT_S)
    for odd in ({"models": 3}, b"nothing"):
        async with serving_routes({**routes, "/api/ps": odd, "/api/show": lambda _, said=odd: said}) as place:
            found += await discover({"ollama": [place.port]}, PATIENT_S)

    assert [model.context_tokens for model in found[0].models] == [8192, 2048, 4096, None, None]
    assert [{model.context_tokens for model in server.models} for server in found[1:]] == [{None}, {None}]


async def test_the_other_loopback_address_is_looked_at() -> None:
    """A server at ::1 alone is found there; one that listens at both is found once."""
    if not _has_ipv6():
        pytest.skip("no IPv6 loopback here")
    routes = {"/v1/models": models("m", owner="vllm")}
    async with contextlib.AsyncExitStack() as stack:
        six = await stack.enter_async_context(serving_routes(routes, "::1"))
        four = await stack.enter_async_context(serving_routes(routes))
        await stack.enter_async_context(serving_routes(routes, "::1", four.port))
        found = await discover({"openai": [six.port, four.port]})

    assert [server.base_url for server in found] == [f"http://[::1]:{six.port}/v1", f"http://127.0.0.1:{four.port}/v1"]


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as made:
            made.bind(("::1", 0))
    except OSError:
        return False
    return True


async def test_no_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever keys there are, and whatever the server wants."""
    for name in ("OPENAI_API_KEY", "CANARY_API_KEY", "LLAMA_API_KEY", "VLLM_API_KEY"):
        monkeypatch.setenv(name, CANARY)
    async with serving_routes({"/v1/models": models("m")}) as place:
        await discover({"openai": [place.port], "vllm": [closed_port()]})

    assert len(place.seen) == 5
    for request in place.seen:
        assert request.method == "GET"
        assert not {"authorization", "api-key", "x-api-key", "cookie"} & {name.lower() for name in request.headers}
        assert CANARY not in str(request.headers)


@pytest.mark.parametrize("error", ["Unauthorized", {"message": "Invalid API Key", "code": 401}], ids=["a word", "a table"])
async def test_a_server_that_wants_a_key_is_told(error: Any) -> None:
    """It names its models to nobody without a key, and none is sent; that it is there is said all the same."""
    refused = web.Response(status=401, text=json.dumps({"error": error}), content_type="application/json")
    async with serving_routes({"/v1/models": refused}) as place:
        found = await discover({"vllm": [place.port]}, PATIENT_S)

    assert found == [LocalServer("vllm", f"http://127.0.0.1:{place.port}/v1", (), needs_key=True)]
    assert len(place.seen) == 1


async def test_a_redirect_is_not_followed() -> None:
    """Not even to a sound list on this machine."""
    async with serving_routes({"/v1/models": models("m")}) as target:
        away = web.Response(status=307, headers={"location": f"http://127.0.0.1:{target.port}/v1/models"})
        async with serving_routes({"/v1/models": away}) as place:
            found = await discover({"openai": [place.port]})

    assert found == []
    assert target.seen == []


# ------------------------------------------------------------------------------------------------------------- odd listeners

OK = b"HTTP/1.1 200 OK\r\n"
LIST = b"content-length: 22\r\n\r\n" + b'{"data":[{"id": "m"}]}'
ODD: dict[str, bytes] = {
    "garbage": bytes(range(256)) * 40,
    "no status": b"hello\r\n\r\n",
    "SSH": b"SSH-2.0-OpenSSH_9.6\r\n",
    "SMTP": b"220 mail ready\r\n",
    "TLS alert": b"\x15\x03\x01\x00\x02\x02\x46",
    "hangs up": b"",
    "half a head": OK + b"content-len",
    "half a body": OK + b"content-length: 100\r\n\r\n{",
    "wrong length": OK + b"content-length: -5\r\n\r\n{}",
    "odd header": OK + b"x-\xff\xfe: \xff\x00\x01\r\ncontent-length: 2\r\n\r\n{}",
    "no gzip": OK + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd",
    "other encoding": OK + b"content-encoding: br\r\ncontent-length: 4\r\n\r\nabcd",
    "bad chunks": OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    "a page": OK + b"content-length: 6\r\n\r\n<html>",
    "an empty body": OK + b"content-length: 0\r\n\r\n",
    "deep JSON": OK + b"content-length: 100000\r\n\r\n" + b"[" * 100_000,
    "a number": OK + b"content-length: 1\r\n\r\n7",
    "rows that are no models": OK + b"content-length: 19\r\n\r\n" + b'{"data":[1,null,{}]}'[:19],
    "not UTF-8": OK + b"content-length: 4\r\n\r\n\xff\xfe\xfd\xfc",
    "500": b"HTTP/1.1 500 X\r\ncontent-length: 2\r\n\r\n{}",
    "401": b"HTTP/1.1 401 X\r\nwww-authenticate: Basic realm=x\r\ncontent-length: 2\r\n\r\n{}",
    "401 with a list": b"HTTP/1.1 401 X\r\n" + LIST,
    "500 with a list": b"HTTP/1.1 500 X\r\n" + LIST,
    "103 for ever": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000,
    "101": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "204 with a list": b"HTTP/1.1 204 X\r\n\r\n" + json.dumps({"data": [{"id": "m"}]}).encode(),
}


@contextlib.asynccontextmanager
async def listening(
    act: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """Something that listens on a port, and does what it likes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await act(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@pytest.mark.parametrize("said", ODD.values(), ids=ODD.keys())
async def test_whatever_else_listens_is_no_server_of_models(said: bytes) -> None:
    """Nothing is found there and nothing is raised; a sound server beside it is found."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        await writer.drain()

    async with listening(act) as odd, serving_routes({"/v1/models": models("m", owner="vllm")}) as place:
        found = await discover({"openai": [odd, place.port]}, PATIENT_S)

    assert [server.base_url for server in found] == [f"http://127.0.0.1:{place.port}/v1"]


async def test_silence_is_waited_for_once() -> None:
    """Ten ports that say nothing, or drip, or never stop, take no longer than one: one after the other would take ten
    times the limit, at least."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"\r\n")
        while True:
            writer.write(b"[" * 65536)
            await writer.drain()

    async with contextlib.AsyncExitStack() as stack:
        acts = [silent] * 4 + [dripping] * 4 + [endless] * 2
        ports = [await stack.enter_async_context(listening(act)) for act in acts]
        began = time.monotonic()
        found = await discover({"openai": ports}, 2 * QUICK_S)
        took = time.monotonic() - began

    assert found == []
    assert took < 10 * 2 * QUICK_S


@pytest.mark.soak
async def test_a_server_that_falls_silent_after_its_list_is_found() -> None:
    """What it is can no longer be asked, so that its port decides."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            body = json.dumps(models("m")).encode()
            if b"/v1/models " in head:
                writer.write(OK + f"content-length: {len(body)}\r\n\r\n".encode() + body)

    async with listening(act) as port:
        found = await discover({"vllm": [port]}, 8 * QUICK_S)

    assert [(server.wire, len(server.models)) for server in found] == [("vllm", 1)]


# --------------------------------------------------------------------------------------------------------------- the command


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command waits for as long as a stalled machine may need."""
    monkeypatch.setattr(checking, "discover", functools.partial(discover, timeout_s=60.0))


@pytest.fixture
def place() -> Iterator[Callable[[Routes], int]]:
    """Starts servers in threads of their own; returns their ports."""
    over = threading.Event()
    threads: list[threading.Thread] = []

    def start(routes: Routes) -> int:
        ports: list[int] = []
        ready = threading.Event()

        async def serve() -> None:
            async with serving_routes(routes) as made:
                ports.append(made.port)
                ready.set()
                while not over.is_set():
                    await asyncio.sleep(0.01)

        threads.append(threading.Thread(target=asyncio.run, args=(serve(),), daemon=True))
        threads[-1].start()
        assert ready.wait(60)
        return ports[0]

    yield start
    over.set()
    for thread in threads:
        thread.join(10)


def on_file(folder: Path) -> dict[str, tuple[str, str, str | None]]:
    """The catalogue but for what comes with the program: wire, id and address by name."""
    found = models_on_file(Workspace(folder)).items()
    return {name: (t.wire, t.model, t.base_url) for name, (t, _) in found if name not in SHIPPED}


def test_servers_and_models_are_printed_with_the_next_step(
    place: Callable[[Routes], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Data on stdout, narration on stderr; nothing is put on file unasked."""
    port = place({"/v1/models": {"data": [{"id": "qwen:8b", "owned_by": "vllm", "max_model_len": 32768}, {"id": "z"}]}})

    code = discover_command(Workspace(tmp_path), [port], [], False)

    shown = capsys.readouterr()
    assert code == 0
    assert shown.out == f"vllm  http://127.0.0.1:{port}/v1\n    qwen:8b  32,768 tokens of context\n    z\n"
    assert f"tui-eval models discover --ports {port} --add qwen:8b" in shown.err and "tui-eval models check" in shown.err
    assert not (tmp_path / ".conf").exists()


def test_the_command_that_is_printed_puts_the_model_on_file(
    place: Callable[[Routes], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Copied as it stands, it works, whatever ports were looked at and whatever the model is called."""
    port = place({"/v1/models": {"data": [{"id": "my model; it's", "owned_by": "vllm"}]}})
    discover_command(Workspace(tmp_path), [port, closed_port()], [], False)
    command = capsys.readouterr().err.split("put models on file: ", 1)[1].split(" (or")[0]

    assert main(["--workspace", str(tmp_path), *shlex.split(" ".join(command.split()))[1:]]) == 0
    assert any(url == f"http://127.0.0.1:{port}/v1" for _, _, url in on_file(tmp_path).values())


def test_the_next_step_with_a_key_is_told(
    place: Callable[[Routes], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that wants a key is none without models: it is said how it comes on file."""
    refused = web.Response(status=401, text='{"error": "Unauthorized"}', content_type="application/json")
    port = place({"/v1/models": refused})

    code = discover_command(Workspace(tmp_path), [port], [], False)

    shown = capsys.readouterr()
    assert code == 0
    assert "needs a key" in shown.out and "no models yet" not in shown.out
    assert f"base_url=http://127.0.0.1:{port}/v1" in shown.err and "tui-eval keys set" in shown.err
    assert "ollama pull" not in shown.err


@pytest.mark.parametrize("add", [["b"], ["all"], ["b", "a"]])
def test_chosen_models_are_put_on_file(
    place: Callable[[Routes], int], tmp_path: Path, capsys: pytest.CaptureFixture[str], add: list[str]
) -> None:
    """Under their ids, with the address they were found at; a second time changes nothing."""
    port = place({"/v1/models": models("a", "b", owner="llamacpp")})
    wanted = ["a", "b"] if add == ["all"] else add
    first = discover_command(Workspace(tmp_path), [port], add, False)
    before = (tmp_path / ".conf" / "models.toml").read_bytes()
    told = capsys.readouterr().err

    second = discover_command(Workspace(tmp_path), [port], add, False)

    assert (first, second) == (0, 0)
    assert on_file(tmp_path) == {name: ("llama.cpp", name, f"http://127.0.0.1:{port}/v1") for name in wanted}
    assert (tmp_path / ".conf" / "models.toml").read_bytes() == before
    assert "tui-eval models check" in told and "[[panel.doers]]" in told
    assert capsys.readouterr().err.count("already on file") == len(wanted)


def test_one_id_on_two_servers_is_two_models(place: Callable[[Routes], int], tmp_path: Path) -> None:
    """The second is told from the first by its address."""
    ports = [place({"/v1/models": models("m", owner="vllm")}) for _ in range(2)]

    code = discover_command(Workspace(tmp_path), ports, ["m"], False)

    assert code == 0
    assert on_file(tmp_path) == {
        "m": ("vllm", "m", f"http://127.0.0.1:{ports[0]}/v1"),
        f"m@127.0.0.1:{ports[1]}": ("vllm", "m", f"http://127.0.0.1:{ports[1]}/v1"),
    }


def test_an_id_that_no_server_has_is_a_mistake(place: Callable[[Routes], int], tmp_path: Path) -> None:
    """With the nearest that there is; nothing is put on file."""
    port = place({"/v1/models": models("qwen3:8b", "other")})

    with pytest.raises(ConfigError, match=r"--add qwen3:9b: no server found .*qwen3:8b"):
        discover_command(Workspace(tmp_path), [port], ["other", "qwen3:9b"], False)

    assert on_file(tmp_path) == {}


def test_nothing_found_names_the_ports_and_how_to_give_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That is no failure; stdout stays empty, or an empty list."""
    port = closed_port()

    codes = [discover_command(Workspace(tmp_path), [port], ["all"], as_json) for as_json in (False, True)]

    shown = capsys.readouterr()
    assert codes == [0, 0]
    assert shown.out == "[]\n"
    assert f"no model server was found at port {port}" in shown.err and "--ports" in shown.err


def test_a_port_that_is_none_is_refused(tmp_path: Path) -> None:
    """Before anything is asked."""
    with pytest.raises(ConfigError, match="--ports 70000"):
        discover_command(Workspace(tmp_path), [70000], [], False)


def test_the_report_as_json(peer: Peer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Servers, their models, and under which name a model was put on file; what is simulated says so."""
    port = int(peer.url.removesuffix("/v1").rpartition(":")[2])

    discover_command(Workspace(tmp_path), [port], ["sim-scholar"], True)

    (server,) = json.loads(capsys.readouterr().out)
    assert (server["server"], server["base_url"], server["simulated"]) == ("simulator", peer.url, True)
    assert {model["id"]: model["added_as"] for model in server["models"]}["sim-scholar"] == "sim-scholar"
    assert sum(model["added_as"] is not None for model in server["models"]) == 1
    discover_command(Workspace(tmp_path), [port], [], False)
    assert "(simulated models)" in capsys.readouterr().out


def test_names_of_models_cannot_steer_the_terminal(
    place: Callable[[Routes], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escapes and surrogates are shown, not sent; such a name, or one with a comma, is not put on file, and the rest is."""
    evil = ["\x1b[2Jevil", "\u202eevil", "half \ud800", "a,b", "x" * 5000, "sound"]
    port = place({"/v1/models": models(*evil, owner="vllm\x1b[2J")})

    code = discover_command(Workspace(tmp_path), [port], ["all"], False)

    shown = capsys.readouterr()
    assert code == 2
    assert visible(shown.out + shown.err) == shown.out + shown.err
    assert "sound" in on_file(tmp_path)
    assert not {"\x1b[2Jevil", "a,b"} & set(on_file(tmp_path))
    assert shown.err.count("not added: ") >= 4


def test_a_long_list_is_cut_on_the_screen(
    place: Callable[[Routes], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And says how many more there are; JSON has them all."""
    port = place({"/v1/models": models(*(f"m{i}" for i in range(500)))})

    discover_command(Workspace(tmp_path), [port], [], False)
    text = capsys.readouterr().out
    discover_command(Workspace(tmp_path), [port], [], True)

    assert len(text.splitlines()) < 50 and "460 more" in text
    assert len(json.loads(capsys.readouterr().out)[0]["models"]) == 500
