"""Servers that go through steps for each request, on connections of their own: what HTTP libraries disagree about."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from scripted import as_bytes, completion, reply


class Step(Enum):
    """What a server does besides sending bytes and waiting (a number of seconds)."""

    ACCEPT = auto()
    """What follows is done before anything is read. Only as the first step."""
    HEAD = auto()
    """What follows is done when the head of a request is there, and its body not read. Only as the first step."""
    CLOSE = auto()
    HALF_CLOSE = auto()
    """Send no more, and go on reading."""
    RESET = auto()
    HANG = auto()


Steps = Sequence[Step | bytes | float]
GOOD = reply(as_bytes(completion()))
BODY = as_bytes(completion())
BUSY = reply(b'{"error": {"message": "busy"}}', 503)
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"%x\r\n%b\r\n" % (len(BODY), BODY)
DELTAS = ({"delta": {"content": "pore "}}, {"delta": {"content": "space"}}, {"delta": {}, "finish_reason": "stop"})
EVENTS = b"".join(b"data: %b\n\n" % as_bytes({"choices": [{"index": 0, **delta}]}) for delta in DELTAS)
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
PACKED = gzip.compress(BODY, mtime=0)
BEHAVIOURS: dict[str, Steps] = {
    "a reply": [GOOD],
    "a reply in two pieces": [GOOD[:30], 0.02, GOOD[30:]],
    "a head byte by byte": [step for byte in GOOD[:80] for step in (bytes([byte]), 0.001)] + [GOOD[80:]],
    "a reply that closes": [OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY), Step.CLOSE],
    "a reply of HTTP/1.0": [b"HTTP/1.0 200 OK\r\n\r\n" + BODY, Step.CLOSE],
    "a reply of HTTP/1.0 that stays": [
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    ],
    "a body until the end": [OK + b"\r\n" + BODY, Step.CLOSE],
    "a body until half of the end": [OK + b"\r\n" + BODY, Step.HALF_CLOSE],
    "chunks": [CHUNKED + CHUNKS + b"0\r\n\r\n"],
    "chunks with a trailer": [CHUNKED + CHUNKS + b"0\r\nX-Sum: 1\r\n\r\n"],
    "chunks without an end": [CHUNKED + CHUNKS, Step.CLOSE],
    "half a chunk": [CHUNKED + CHUNKS[:20], Step.CLOSE],
    "gzip": [OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(PACKED), PACKED)],
    "half of gzip": [OK + b"Content-Encoding: gzip\r\nContent-Length: 30\r\n\r\n" + PACKED[:30]],
    "events": [STREAM + b"\r\n" + EVENTS + b"data: [DONE]\n\n", Step.CLOSE],
    "events that break off": [STREAM + b"Content-Length: 9999\r\n\r\n" + EVENTS[:90], Step.CLOSE],
    "interim answers": [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 0.01, GOOD],
    "interim answers and the end": [b"HTTP/1.1 100 Continue\r\n\r\n", Step.CLOSE],
    "interim answers without end": [b"HTTP/1.1 102 Processing\r\n\r\n" * 50, Step.HANG],
    "another protocol": [b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", Step.CLOSE],
    "no content": [b"HTTP/1.1 204 No Content\r\n\r\n"],
    "not modified": [b"HTTP/1.1 304 Not Modified\r\nETag: a\r\n\r\n"],
    "a redirect": [b"HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"],
    "a redirect to another host": [b"HTTP/1.1 308 X\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 2\r\n\r\n{}"],
    "a cookie": [reply(BODY, headers="Set-Cookie: a=b; Path=/\r\n")],
    "busy": [BUSY],
    "too many": [reply(b'{"error": {"message": "slow down"}}', 429, "Retry-After: 0.05\r\n")],
    "not found": [reply(b'{"error": {"message": "no such model"}}', 404)],
    "an early refusal": [Step.HEAD, reply(b'{"error": {"message": "too large"}}', 413), Step.CLOSE],
    "an early refusal that stays": [Step.HEAD, reply(b'{"error": {"message": "too large"}}', 413)],
    "a second reply behind the first": [GOOD + GOOD],
    "rubbish behind a reply": [GOOD + b"rubbish\r\n\r\n"],
    "a longer body than said": [OK + b"Content-Length: 10\r\n\r\n" + BODY],
    "a shorter body than said": [OK + b"Content-Length: 9999\r\n\r\n" + BODY, Step.CLOSE],
    "half a head": [b"HTTP/1.1 200 OK\r\nContent-", Step.CLOSE],
    "a head without its end": [b"HTTP/1.1 200 OK\r\n", Step.HANG],
    "no HTTP": [b"SSH-2.0-OpenSSH_9.6\r\n", Step.CLOSE],
    "no status": [b"HTTP/1.1 abc OK\r\n\r\n", Step.CLOSE],
    "a long header": [reply(BODY, headers=f"X-Long: {'x' * 40_000}\r\n"), Step.CLOSE],
    "many headers": [reply(BODY, headers="".join(f"X-{n}: {n}\r\n" for n in range(1000))), Step.CLOSE],
    "Latin-1 in a header": [reply(BODY, headers="X-Note: f\xfcr\r\n")],
    "two lengths": [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", Step.CLOSE],
    "length and chunks": [OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS + b"0\r\n\r\n", Step.CLOSE],
    "no chunk size": [CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n", Step.CLOSE],
    "an unknown encoding": [reply(BODY, headers="Content-Encoding: zstd\r\n")],
    "the end before anything": [Step.CLOSE],
    "the end at the door": [Step.ACCEPT, Step.CLOSE],
    "half of the end before anything": [Step.HALF_CLOSE],
    "a reset": [Step.RESET],
    "a reset in the body": [GOOD[:-20], 0.02, Step.RESET],
    "silence": [Step.HANG],
    "silence in the body": [GOOD[:-20], Step.HANG],
    "a trickle that breaks off": [CHUNKED, *[b"1\r\n \r\n", 0.01] * 20, Step.CLOSE],
    "a trickle without end": [CHUNKED, *[b"1\r\n \r\n", 0.05] * 100, Step.HANG],
    "much": [OK + b"Content-Length: %d\r\n\r\n" % (len(BODY) + 400_000) + b" " * 400_000 + BODY],
    "too much": [OK + b"Content-Length: %d\r\n\r\n" % (17 * 2**20) + b" " * (17 * 2**20), Step.CLOSE],
}
"""What a server does for every request."""
TURNS: dict[str, Sequence[Steps]] = {
    "closed before the second request is answered": [[GOOD], [Step.CLOSE]],
    "reset before the second request is answered": [[GOOD], [Step.RESET]],
    "closed behind a reply": [[GOOD, Step.CLOSE]],
    "good, then broken": [[GOOD], [OK + b"Content-Length: 9999\r\n\r\n", Step.CLOSE]],
    "refused, then good": [[BUSY], [GOOD]],
}
"""What it does for one request of a connection after the other."""
CASES: Mapping[str, Sequence[Steps]] = {**{name: [steps] for name, steps in BEHAVIOURS.items()}, **TURNS}


@dataclass
class StepServer:
    """A server on a port of its own, whose connections each go through the same turns."""

    turns: Sequence[Steps]
    heads: list[bytes] = field(default_factory=list)
    """Heads of requests, as they came."""
    connections: int = 0
    port: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection to its end."""
        self.connections += 1
        number = 0
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                steps = list(self.turns[min(number, len(self.turns) - 1)])
                number += 1
                if steps[:1] != [Step.ACCEPT]:
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.heads.append(head)
                    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                    if steps[:1] != [Step.HEAD]:
                        await reader.readexactly(length)
                await self._go_through(steps, reader, writer)
                if steps[:1] == [Step.HEAD]:
                    await reader.readexactly(length)
        writer.close()

    async def _go_through(self, steps: Steps, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take the steps; IncompleteReadError when the connection is over."""
        for step in steps:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            elif isinstance(step, float):
                await asyncio.sleep(step)
            elif step is Step.HALF_CLOSE:
                writer.write_eof()
                await reader.read(-1)
                raise asyncio.IncompleteReadError(b"", None)
            elif step is Step.HANG:
                await reader.read(-1)
                raise asyncio.IncompleteReadError(b"", None)
            elif step is Step.CLOSE or step is Step.RESET:
                if step is Step.RESET:
                    linger = struct.pack("ii", 1, 0)
                    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                raise asyncio.IncompleteReadError(b"", None)


@contextlib.asynccontextmanager
async def stepping(
    cases: Mapping[str, Sequence[Steps]], tls: ssl.SSLContext | None = None
) -> AsyncIterator[dict[str, StepServer]]:
    """A server for each case, on ports of their own."""
    servers = {name: StepServer(turns) for name, turns in cases.items()}
    async with contextlib.AsyncExitStack() as stack:
        for server in servers.values():
            door = socket.create_server(("127.0.0.1", 0))
            door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
            listening = await asyncio.start_server(server.serve, sock=door, ssl=tls)
            stack.callback(listening.close)
            server.port = listening.sockets[0].getsockname()[1]
        yield servers
