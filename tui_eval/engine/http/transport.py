"""httpx over one aiohttp session, with nothing on the way of a call but what it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import aiohttp
import httpx

from tui_eval.workspace.proxies import Proxy

CHUNK = 16 * 1024
"""Most bytes of a body that are handed on at once."""
_NO_TIMEOUT = aiohttp.ClientTimeout()


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
            timeout=_NO_TIMEOUT,
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
