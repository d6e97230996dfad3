"""Connections of aiohttp under httpx: one session as its transport, and replies parsed in slices."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any, cast

import aiohttp
import httpx
from aiohttp.client_proto import ResponseHandler

from tui_eval.workspace.proxies import Proxy

CHUNK = 16 * 1024
"""Most bytes of a body that are handed on at once."""
NO_TIMEOUT = aiohttp.ClientTimeout()
"""None of aiohttp's: whoever sends sets one deadline around it all."""


class Transport(httpx.AsyncBaseTransport):
    """Sends httpx's requests and brings httpx's replies: as they came, no redirect followed, nothing decompressed.

    What goes wrong is raised as aiohttp has it, since that tells whether a request was sent. A timeout is the caller's to set.
    """

    def __init__(self, session: aiohttp.ClientSession, proxy: Proxy | None = None) -> None:
        """`session` stays its owner's to close."""
        self._session = session
        self._proxy = None if proxy is None else proxy.address
        self._proxy_headers = None if proxy is None else proxy.headers

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply as soon as its head is there. aiohttp.ClientError or OSError where none comes."""
        body = request.stream
        response = await self._session.request(
            request.method,
            str(request.url),
            headers=[(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw],
            data=b"".join(body) or None if isinstance(body, httpx.SyncByteStream) else body,
            allow_redirects=False,
            auto_decompress=False,
            timeout=NO_TIMEOUT,
            proxy=self._proxy,
            proxy_headers=self._proxy_headers,
        )
        return httpx.Response(response.status, headers=response.raw_headers, stream=_Body(response), request=request)


class _Body(httpx.AsyncByteStream):
    """A reply's body, piece by piece as it comes."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cast("AsyncIterator[bytes]", self._response.content.iter_chunked(CHUNK))

    async def aclose(self) -> None:
        """Give the connection back, or close it where the body was not read to its end."""
        await self._response.__aexit__(None, None, None)


MOST_INTERIM = 8
"""Answers 1xx that may come before the one that counts."""
SLICE = 16 * 1024
"""Bytes of a reply that are taken apart at once: no other call waits longer than this takes."""
UNTIMED_BYTES, UNTIMED_PIECES = SLICE, 64
"""What a reply may have before the clock of the thread is read for it: reading it costs more than most replies take."""
FREE_S = 0.02
"""Seconds for taking a reply apart that it has at once; one of 16 MB in sensible pieces needs less."""
SHARE = 0.01
"""Of the time, that a reply may take beyond these seconds: a flood of tiny chunks slows nobody but itself."""
LONGEST_PAUSE_S = 1.0


class TooManyInterim(aiohttp.ClientError):
    """A server that answers 1xx without end."""


class Connection(ResponseHandler):
    """A connection whose replies are taken apart in slices: one that takes long gets a share of the time, 1xx have an end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._held = b""  # what came and waits to be taken apart
        self._waiting: asyncio.TimerHandle | None = None
        self._wanted: bool | None = None  # with what resume_reading was asked for meanwhile
        self._spent, self._interim = 0.0, 0
        self._bytes, self._pieces = 0, 0

    def set_response_params(self, **params: Any) -> None:
        """Another request begins; nothing is left of the one before."""
        self._spent, self._interim, self._wanted = 0.0, 0, None
        self._bytes, self._pieces = 0, 0
        if self._waiting is not None:
            self._let_go()
            self._resume_transport_reading()
        super().set_response_params(**params)

    @property
    def should_close(self) -> bool:
        """Return whether no other request uses it: one that was slowed may not have heard yet that the server closed it."""
        return super().should_close or self._spent > FREE_S or bool(self._held)

    def data_received(self, data: bytes) -> None:
        """Take in what came, now or in its turn."""
        if data and (self._waiting is not None or self._held):
            self._held += data
            self._pause_transport_reading()
        else:
            self._take(data)

    def _take(self, data: bytes) -> None:
        self._bytes += len(data)
        self._pieces += 1
        is_timed = self._bytes > UNTIMED_BYTES or self._pieces > UNTIMED_PIECES
        for start in range(0, len(data) or 1, SLICE):
            began = time.thread_time() if is_timed else 0.0
            super().data_received(data[start : start + SLICE])
            took = time.thread_time() - began if is_timed else 0.0
            self._spent += took
            if self._reading_paused or self._interim > MOST_INTERIM or (data and self._spent > FREE_S):
                self._held = data[start + SLICE :] + self._held
                self._pause_transport_reading()
                if data and self._waiting is None and self._spent > FREE_S:
                    self._waiting = self._loop.call_later(min(took / SHARE, LONGEST_PAUSE_S), self._go_on)
                return

    def _go_on(self) -> None:
        self._waiting = None
        if self.transport is None or self._interim > MOST_INTERIM:
            return
        if self._wanted is not None:
            resume_parser, self._wanted = self._wanted, None
            self.resume_reading(resume_parser)
        elif not self._reading_paused:
            buffered, self._held = self._held, b""
            if buffered:
                self._take(buffered)
            if self._waiting is None and not self._reading_paused and not getattr(self, "_buffer_paused", False):
                self._resume_transport_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Whoever reads the reply wants more of it: when its turn comes."""
        if self._waiting is not None:
            self._wanted = resume_parser
            return
        super().resume_reading(resume_parser)
        if self._held and self._waiting is None:
            self._waiting = self._loop.call_later(0.0, self._go_on)
        if self._waiting is not None:
            self._pause_transport_reading()

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Take in an answer's head; of those that only announce another, a handful."""
        self._interim += 100 <= data[0].code < 200
        if self._interim > MOST_INTERIM:
            self.set_exception(TooManyInterim(f"more than {MOST_INTERIM} interim answers (1xx) and no reply"))
        else:
            super().feed_data(data, size)

    def eof_received(self) -> None:
        """The server is done: what waits is taken apart first."""
        buffered = self._let_go()
        if buffered:
            super().data_received(buffered)
        super().eof_received()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Nothing comes any more, and nobody waits for what we closed."""
        buffered = self._let_go()
        if buffered and self._interim <= MOST_INTERIM:
            super().data_received(buffered)
        super().connection_lost(exc)

    def close(self) -> None:
        """Close it, and forget what waits."""
        self._let_go()
        super().close()

    def abort(self) -> None:
        """Likewise, at once."""
        self._let_go()
        super().abort()

    def _pause_transport_reading(self) -> None:
        """Read no more from the socket for now. (aiohttp has this and the next only from 3.14.5 on.)"""
        if self.transport is not None:
            with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError):
                self.transport.pause_reading()

    def _resume_transport_reading(self) -> None:
        """Read from the socket again."""
        if self.transport is not None:
            with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError):
                self.transport.resume_reading()

    def _let_go(self) -> bytes:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        buffered, self._held = self._held, b""
        return buffered
