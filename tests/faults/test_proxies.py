"""Proxies: those that the environment or the config names are used, never for this machine, and never shown with a password."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fault_bench import Served, Table, asked, closed_port, files_in, panel, run_here, spoken_by
from invariants import check
from scripted import Scripted

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.proxies import proxy_for

BODY = b'{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
LOGIN = "walter:open-sesame-4711"
FAR = "http://models.invalid/v1"
"""Nobody resolves this name but a proxy."""


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may sit behind one."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
async def proxy() -> AsyncIterator[str]:
    """The address of a proxy that answers by itself, without http://."""
    server = Scripted({"m": ANSWER})
    yield (await server.start()).removeprefix("http://").removesuffix("/v1")
    await server.stop()


def config(url: str, **run: object) -> Table:
    return panel([spoken_by(url, "m", "m")], [asked("m")], run={"retries": 0, **run})


@pytest.mark.parametrize("named", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "run.proxy", "variable"])
async def test_a_proxy_is_used(proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    """By the variables that everybody knows, and by the config, whose own wins; its password is in no file."""
    run: Table = {}
    if named == "run.proxy":
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
        run = {"proxy": f"http://{proxy}"}
    else:
        monkeypatch.setenv("MY_PROXY" if named == "variable" else named, f"http://{LOGIN}@{proxy}")
        run = {"proxy": "${MY_PROXY}"} if named == "variable" else {}

    life = await run_here(config(FAR, **run), tmp_path)

    assert [record["status"] for record in life.records] == ["ok"], life.records[0]["error_message"]
    secrets = LOGIN.encode(), LOGIN.partition(":")[2].encode()
    assert not [file for file in files_in(life.path) if any(secret in file.read_bytes() for secret in secrets)]


async def test_a_proxy_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says which proxy stood between and who named it, and nothing that is secret about it."""
    port = closed_port()
    monkeypatch.setenv("HTTP_PROXY", f"http://{LOGIN}@127.0.0.1:{port}")

    life = await run_here(config(FAR), tmp_path)

    message = life.records[0]["error_message"]
    assert f"through the proxy 127.0.0.1:{port} (HTTP_PROXY)" in message
    assert "sesame" not in json.dumps(life.records) + "".join(life.said)


@pytest.mark.parametrize("run", [{}, {"proxy": "http://127.0.0.1:9"}])
async def test_this_machine_is_reached_directly(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Table
) -> None:
    """Whatever proxy is named, a server on this machine needs none."""
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")

    life = await run_here(panel([spoken_by(served.url, "m", "bench")], [asked("m")], run=run), tmp_path)

    monkeypatch.delenv("HTTP_PROXY")
    assert [record["status"] for record in check(life.path, await served.stats())] == ["ok"]


@pytest.mark.parametrize(
    ("excepted", "direct"),
    [
        ("models.invalid", True),
        (".invalid", True),
        ("invalid", True),
        ("*", True),
        ("other.invalid, MODELS.invalid", True),
        ("models.invalid:8080", True),
        ("models.invalid:81", False),
        ("odels.invalid", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("configured", ["", "http://own.example:1"])
def test_what_no_proxy_names_is_reached_directly(
    monkeypatch: pytest.MonkeyPatch, excepted: str, direct: bool, configured: str
) -> None:
    """NO_PROXY holds for either way of naming a proxy."""
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", excepted)

    found = proxy_for("https://models.invalid:8080/v1", configured)

    assert (found is None) == direct
    if found is not None:
        assert found.shown == ("own.example:1 (run.proxy)" if configured else "proxy.example:3128 (HTTPS_PROXY)")
    assert proxy_for("http://models.invalid:8080/v1", "") is None, "the variable of the other scheme"
    assert proxy_for("https://models.invalid/v1", "none") is None


@pytest.mark.parametrize("value", ["socks5://proxy.example:1", "http://", "http://proxy.example:0", "http://proxy.example:x"])
def test_a_proxy_that_is_none_is_refused(value: str) -> None:
    """What cannot be used is told before anything is sent."""
    with pytest.raises(ConfigError, match=r"run\.proxy"):
        proxy_for("https://models.invalid/v1", value)


@pytest.mark.parametrize("value", [f"http://{LOGIN}@proxy.example", "http://${HOME_PROXY}:1", "${OPENAI_API_KEY}"])
async def test_a_config_holds_no_password_and_no_strange_variable(tmp_path: Path, value: str) -> None:
    """A password would lie in the run folder; a variable that is no proxy's would be looked up as the name of a host."""
    with pytest.raises(ConfigError, match=r"run\.proxy"):
        await run_here(config(FAR, proxy=value), tmp_path)
