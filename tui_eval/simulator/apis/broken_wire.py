"""Connections that go wrong on order: silence, drips, cut or aborted replies, and bodies too large to be meant well."""

import asyncio
import gzip
import json
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from functools import cache

from aiohttp import web

from tui_eval.simulator.apis.faults import Order, normal_body
from tui_eval.simulator.apis.replies import LABEL_HEADERS

_DRIP_SECONDS = 0.1
_MEBIBYTE = 2**20
_JSON_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nx-simulated: true\r\n"


async def _hang(transport: asyncio.Transport, order: Order) -> None:
    """Never answer; the client's going away ends it."""
    await asyncio.Event().wait()


async def _hang_body(transport: asyncio.Transport, order: Order) -> None:
    """Send the headers, then nothing."""
    transport.write(_JSON_HEAD + b"Content-Length: 500\r\n\r\n")
    await asyncio.Event().wait()


async def _drip(transport: asyncio.Transport, order: Order) -> None:
    """Send the headers at once and the body byte by byte."""
    body = _normal_bytes(order)
    transport.write(_JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
    await _trickle(transport, body)


async def _drip_headers(transport: asyncio.Transport, order: Order) -> None:
    """Send everything byte by byte, headers too."""
    body = _normal_bytes(order)
    await _trickle(transport, _JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)


async def _cut(transport: asyncio.Transport, order: Order) -> None:
    """Promise more bytes than are sent, then close."""
    body = _normal_bytes(order)
    transport.write(_JSON_HEAD + b"Content-Length: %d\r\n\r\n" % (len(body) + 100) + body[:-20])


async def _cut_chunk(transport: asyncio.Transport, order: Order) -> None:
    """Close in the middle of a chunk."""
    body = _normal_bytes(order)
    transport.write(_JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body[:-20])


async def _reset(transport: asyncio.Transport, order: Order) -> None:
    """Abort the connection before any reply, with a reset where the system can send one."""
    connection = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def _trickle(transport: asyncio.Transport, content: bytes) -> None:
    for position in range(len(content)):
        transport.write(content[position : position + 1])
        await asyncio.sleep(_DRIP_SECONDS)


BROKEN: dict[str, Callable[[asyncio.Transport, Order], Awaitable[None]]] = {
    "hang": _hang,
    "hang-body": _hang_body,
    "drip": _drip,
    "drip-headers": _drip_headers,
    "cut": _cut,
    "cut-chunk": _cut_chunk,
    "reset": _reset,
}
"""Faults that leave no whole reply behind; the connection is closed after them."""


async def big(request: web.BaseRequest, order: Order) -> web.StreamResponse:
    """A sound reply with 10 MB of text."""
    return _whole(json.dumps(order.shape(normal_body(order, "x" * (10 * _MEBIBYTE)))).encode())


async def huge(request: web.BaseRequest, order: Order) -> web.StreamResponse:
    """A sound reply with 64 MB of text, sent piece by piece."""
    before, after = _around_text(order)
    response = web.StreamResponse(headers={**LABEL_HEADERS, "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(before)
    for _ in range(64):
        await response.write(b"x" * _MEBIBYTE)
    await response.write_eof(after)
    return response


async def compressed(request: web.BaseRequest, order: Order) -> web.StreamResponse:
    """A normal reply, properly compressed."""
    return _whole(gzip.compress(_normal_bytes(order), mtime=0), "gzip")


async def bomb(request: web.BaseRequest, order: Order) -> web.StreamResponse:
    """About 1 MB that unpacks to about 1 GB of JSON."""
    return _whole(await asyncio.to_thread(_bomb, *_around_text(order)), "gzip")


async def mislabelled(request: web.BaseRequest, order: Order) -> web.StreamResponse:
    """Bytes that claim to be brotli and are not."""
    return _whole(b"\x8b\xffsimulated, and not brotli at all\x00\x01", "br")


LARGE: dict[str, Callable[[web.BaseRequest, Order], Awaitable[web.StreamResponse]]] = {
    "big": big,
    "huge": huge,
    "gzip": compressed,
    "gzip-bomb": bomb,
    "brotli-label": mislabelled,
}
"""Whole replies that are large or compressed."""


def _normal_bytes(order: Order) -> bytes:
    return json.dumps(order.shape(normal_body(order))).encode()


def _around_text(order: Order) -> tuple[bytes, bytes]:
    """A normal reply's bytes before and after the place of its text."""
    before, _, after = _normal_bytes(order).partition(b"pore space")
    return before, after


def _whole(body: bytes, encoding: str | None = None) -> web.Response:
    headers = {**LABEL_HEADERS, "Content-Type": "application/json"}
    return web.Response(body=body, headers=headers if encoding is None else {**headers, "Content-Encoding": encoding})


@cache
def _bomb(before: bytes, after: bytes, mebibytes: int = 1000) -> bytes:
    """One gzip stream of before + that many MiB of one letter + after, built without ever packing the whole."""
    block = b"x" * _MEBIBYTE
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    head = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush the packer remembers nothing, so the packed block may be repeated as it is.
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    tail = packer.compress(after) + packer.flush(zlib.Z_FINISH)
    checksum = zlib.crc32(before)
    for _ in range(mebibytes):
        checksum = zlib.crc32(block, checksum)
    size = len(before) + mebibytes * _MEBIBYTE + len(after)
    trailer = struct.pack("<II", zlib.crc32(after, checksum), size % 2**32)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + head + packed * mebibytes + tail + trailer
