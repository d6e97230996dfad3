"""A server that answers every call with the bytes it was given: for replies that no honest HTTP library would send."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from fault_bench import Table

Answer = bytes | Callable[[Table], bytes]
"""Raw bytes, or what makes them of a request's body."""


class Scripted:
    """Answers each call with what stands under its model's name, and counts like the simulator."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._answers = answers
        self._visits: list[Table] = []
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        """Listen, and return the base URL."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**20, backlog=512)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def stop(self) -> None:
        """Stop listening."""
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    def stats(self) -> Table:
        """What was asked, in the simulator's form."""
        return {"requests": len(self._visits), "ids": self._visits, "peak_in_flight": 0, "elsewhere": 0}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = dict(line.split(": ", 1) for line in head.decode().lower().split("\r\n")[1:] if ": " in line)
                request = json.loads(await reader.readexactly(int(fields["content-length"])))
                self._visits.append({"id": fields.get("x-client-request-id"), "model": request["model"]})
                answer = self._answers[request["model"]]
                said = answer if isinstance(answer, bytes) else answer(request)
                writer.write(said)
                await writer.drain()
                if b"Content-Length" not in said:
                    break
        writer.close()


@contextlib.asynccontextmanager
async def answering(answers: Mapping[str, Answer]) -> AsyncIterator[tuple[Scripted, str]]:
    """A scripted server in the running loop, and its base URL."""
    server = Scripted(answers)
    try:
        yield server, await server.start()
    finally:
        await server.stop()


def reply(body: bytes, status: int = 200, headers: str = "") -> bytes:
    """A raw reply with a body that says it is JSON."""
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return head.encode("latin-1") + body


def completion(content: Any = "pore space", **more: Any) -> dict[str, Any]:
    """A sound reply, to be spoilt."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    used = {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23}
    return {"id": "scripted", "object": "chat.completion", "model": "scripted", "choices": [choice], "usage": used, **more}


def as_bytes(value: Any) -> bytes:
    """JSON, NaN and infinity included."""
    return json.dumps(value).encode()
