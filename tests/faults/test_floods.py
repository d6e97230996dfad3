"""Servers that flood: their calls end at the deadline, a healthy neighbour is not slowed, and what is honest is read whole."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator

import pytest
from fault_bench import asked, panel, run_here, serving, simulated_by, spoken_by

from tui_eval.engine.http import connection

TEXT = "Answer: " + "wide é " * 3000
BODY = json.dumps({"choices": [{"message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}]}).encode()
FLOODS = {
    "1xx": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2000),
    "103": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2000),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 10_000),
}
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
HONEST = {
    "interim": b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
    "tiny chunks": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + b"".join(b"1\r\n%c\r\n" % byte for byte in BODY)
    + b"0\r\n\r\n",
    "until the end": HEAD + b"\r\n" + BODY,
    "large": HEAD + b"Content-Length: %d\r\n\r\n" % (len(BODY) + 3_000_000) + b" " * 3_000_000 + BODY,
}
TIMEOUT_S = {"1xx": 20.0, "103": 20.0, "chunks": 0.6}
LATE_S = 2.0
"""Far more than the half second of an idle machine, and far less than it was."""


@contextlib.contextmanager
def answering(first: bytes, again: bytes = b"") -> Iterator[str]:
    """A server that answers each request with these bytes, then with `again` for as long as anybody reads; its base URL."""
    listening = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def answer(came: socket.socket) -> None:
        with came, contextlib.suppress(OSError):
            while b"\r\n\r\n" not in came.recv(1 << 16):
                pass
            came.sendall(first)
            while again and not ended.is_set():
                came.sendall(again)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    ended.set()
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


@pytest.mark.parametrize("flood", FLOODS)
async def test_a_flood_ends_in_time_and_slows_nobody(flood: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Its calls end no later than the deadline, endless 1xx as a fault of the protocol; a healthy model's calls stay quick."""
    async with serving() as served:
        with answering(*FLOODS[flood]) as url:
            models = [spoken_by(url, "flood", "m"), simulated_by(served.url, "good", "bench-20ms")]
            config = panel(models, [asked("flood", 6), asked("good", 30)], run={"timeout_s": TIMEOUT_S[flood], "retries": 0})
            life = await run_here(config, tmp_path_factory.mktemp("flood"))

    calls = [record for record in life.records if record["model"] == "flood"]
    assert len(calls) == 6
    assert max(record["latency_ms"] for record in calls) < (TIMEOUT_S[flood] + LATE_S) * 1000
    kinds = {(record["status"], record["error_kind"]) for record in calls}
    assert kinds == ({("timeout", None)} if flood == "chunks" else {("error", "protocol")})
    good = [record for record in life.records if record["model"] == "good"]
    assert {record["status"] for record in good} == {"ok"}
    assert max(record["latency_ms"] for record in good) < LATE_S * 1000


@pytest.mark.parametrize("slowed", [False, True], ids=["at once", "in its turn"])
@pytest.mark.parametrize("reply", HONEST)
async def test_an_honest_reply_is_read_whole(
    reply: str, slowed: bool, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few interim answers, chunks of a byte, a body of MBs, one that ends with its connection: also where slices wait."""
    if slowed:
        monkeypatch.setattr(connection, "FREE_S", 0.0)
        monkeypatch.setattr(connection, "SHARE", 0.5)
    with answering(HONEST[reply]) as url:
        config = panel([spoken_by(url, "m", "m")], [asked("m", 3)], run={"retries": 0, "timeout_s": 10.0})
        life = await run_here(config, tmp_path_factory.mktemp("honest"))

    assert [record["error_message"] for record in life.records] == [None] * 3
    assert [(record["status"], record["response_text"]) for record in life.records] == [("ok", TEXT)] * 3
