"""Plain POSTs written straight to a pooled connection: aiohttp's pool, TLS and parser, without its objects per request.

This rests on parts of aiohttp that are not documented, so it is done with the versions in `TRIED_VERSIONS` alone. With any
other, and for all that is no plain POST, requests go through httpx (`connection.Transport`), with the same outcome.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import aiohttp
from aiohttp.client import ClientRequest
from aiohttp.http import HttpProcessingError
from yarl import URL

from tui_eval.engine.http.connection import CHUNK, NO_TIMEOUT

TRIED_VERSIONS = frozenset({"3.14.0", "3.14.1", "3.14.2", "3.14.3", "3.14.4", "3.14.5"})
"""Versions of aiohttp with which both paths have the same outcome: `scripts/try-aiohttp VERSION` runs the tests that say so."""
ID_HEADER = "x-client-request-id"
_NOT_PLAIN = {"host", "connection", "content-encoding", "content-length", "expect", "transfer-encoding", "upgrade"}
"""Headers on which it depends how a request is sent."""
_PLAIN_TEXT = re.compile(r"[ -~]*")
"""Of other characters some end a line, and others can be written in several ways."""


def untried_version() -> str:
    """Say that the installed version of aiohttp is none of those that were tried; empty where it is one."""
    if aiohttp.__version__ in TRIED_VERSIONS:
        return ""
    return f"aiohttp {aiohttp.__version__} is not among the versions tried: requests go through httpx and take more CPU"


@dataclass(frozen=True, slots=True, repr=False)
class RequestHead:
    """The head of all requests to one address with the same headers, made once: before and behind what differs.

    The key stands in it, so it has no text of its own that could be written down.
    """

    connect_to: ClientRequest
    """What aiohttp's pool knows the address by. It has none of our headers, hence no key."""
    before: bytes
    behind: bytes

    def of_request(self, attempt_id: str, body: bytes) -> bytes:
        """Return the head of one request, with its id and the length of its body."""
        return b"%b%b%b%d\r\n\r\n" % (self.before, attempt_id.encode("ascii"), self.behind, len(body))


def request_head(session: aiohttp.ClientSession, url: str, headers: Mapping[str, str]) -> RequestHead | None:
    """Return the head of requests, byte for byte as aiohttp sends it; None where they are no plain ones.

    `headers` are in the order in which they are sent, `ID_HEADER` among them. Of an address that is odd nothing is said here:
    the usual path knows what to say.
    """
    names = {name.lower() for name in headers}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    if names & _NOT_PLAIN or "content-type" not in names or not all(map(_PLAIN_TEXT.fullmatch, lines)):
        return None
    try:
        address = URL(url)
    except ValueError:
        return None
    if address.scheme not in ("http", "https") or not address.raw_host or "@" in address.raw_authority:
        return None
    connect_to = ClientRequest("POST", address, loop=asyncio.get_running_loop(), session=session)
    if "accept" not in names:
        lines.append(f"Accept: {connect_to.headers['Accept']}")
    first = [f"POST {connect_to.url.raw_path_qs} HTTP/1.1", f"Host: {connect_to.headers['Host']}"]
    at = list(headers).index(ID_HEADER)
    before, behind = [*first, *lines[:at], f"{ID_HEADER}: "], ["", *lines[at + 1 :], "Content-Length: "]
    return RequestHead(connect_to, "\r\n".join(before).encode("ascii"), "\r\n".join(behind).encode("ascii"))


class DirectReply:
    """A reply whose head is there, and whose body comes."""

    __slots__ = ("_connection", "_content", "raw_headers", "status")

    def __init__(self, connection: Any, message: Any, content: aiohttp.StreamReader) -> None:
        self.status: int = message.code
        self.raw_headers: Sequence[tuple[bytes, bytes]] = message.raw_headers
        self._connection, self._content = connection, content

    def chunks(self) -> AsyncIterator[bytes]:
        """The body, piece by piece as it comes, nothing decompressed."""
        return cast("AsyncIterator[bytes]", self._content.iter_chunked(CHUNK))

    def release(self) -> None:
        """Give the connection back; it is closed where the reply was not read to its end, or the request not all sent."""
        transport = self._connection.transport
        if transport is not None and transport.get_write_buffer_size() > 0:
            self._connection.close()
        else:
            self._connection.release()


async def post(connector: aiohttp.BaseConnector, head: RequestHead, attempt_id: str, body: bytes) -> DirectReply:
    """Send a request, and return its reply as soon as the head of it is there. What goes wrong is raised as aiohttp has it."""
    connection = await connector.connect(head.connect_to, [], NO_TIMEOUT)
    try:
        protocol, transport = connection.protocol, connection.transport
        assert protocol is not None
        protocol.set_response_params(read_until_eof=True, auto_decompress=False)
        if transport is not None and not transport.is_closing():  # else reading says what has become of it
            transport.write(head.of_request(attempt_id, body) + body)
        message, content = await protocol.read()
        while message.code < 200 and message.code != 101:  # a word in between: `Connection` counts them
            message, content = await protocol.read()
    except HttpProcessingError as error:
        connection.close()
        about = head.connect_to.request_info
        raise aiohttp.ClientResponseError(about, (), status=error.code, message=error.message) from error
    except BaseException:
        connection.close()
        raise
    return DirectReply(connection, message, content)
