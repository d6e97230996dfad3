"""The way of every request to its server: address, headers and keys, one of two paths, and the reply without keys."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
import zlib
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import aiohttp
import httpx

from tui_eval.core.calls import Cause, ErrorKind, Json, ModelSpec, Request
from tui_eval.core.errors import ConfigError
from tui_eval.engine.http.connection import Connection, TooManyInterim, Transport
from tui_eval.engine.http.direct import RequestHead, post, request_head, untried_version
from tui_eval.engine.http.headers import common_headers, headers_of
from tui_eval.engine.http.sockets import Resolver, lasting_socket, trusted_authorities
from tui_eval.providers.batches import Upload
from tui_eval.providers.stream import EventReader
from tui_eval.providers.wire import Shows, Wire
from tui_eval.workspace.hosts import host_of
from tui_eval.workspace.keys import Keys, Redact
from tui_eval.workspace.plain_files import stream_of
from tui_eval.workspace.proxies import proxy_for

MAX_BODY = 16 * 1024 * 1024
"""Most bytes of a reply, decompressed."""
MAX_KEPT = 64 * 1024
"""Most bytes kept of a body that cannot be used."""
KEEPALIVE_S = 10.0
MOST_HEADS = 1000
"""Heads of requests that are kept: a provider that puts what differs into headers or paths takes up no more memory."""
PIECE = 1024 * 1024
"""Bytes read or sent at once where a body is too long to be held."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete HTTP reply, its body decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    ttft_ms: int | None = None
    """From sending to the first token of a stream, thinking included."""
    ttft_visible_ms: int | None = None
    """From sending to the first token of the answer itself."""


@dataclass(frozen=True, slots=True)
class Lost:
    """No complete reply, and why. `sent` is False only where provably nothing was sent."""

    kind: ErrorKind
    message: str
    sent: bool
    retry: bool
    answered: HttpReply | None = None
    """Status, headers and what came of the body, where a reply had begun."""
    cause: Cause | None = None


class Sender:
    """One HTTP client for the whole run."""

    def __init__(
        self,
        keys: Keys,
        wires: Mapping[str, Wire],
        models: Iterable[ModelSpec],
        embedded: Mapping[str, str],
        proxy: str = "",
        told: Collection[str] | None = None,
    ) -> None:
        """`embedded` has the base URL of a server that the run itself started, by wire name; `proxy`: run.proxy; `told`: the
        hosts that are in the table of what leaves, None = any. Nothing is sent to another.
        """
        self._keys = keys
        models = list(models)
        keys.leave(_open_words(models, wires.values()))
        self._bases = {model.endpoint: _base_of(model, keys, wires, embedded) for model in models}
        self._told = None if told is None else frozenset(told) | {host_of(base) for base in embedded.values()}
        self._urls: dict[tuple[str, str], httpx.URL] = {}
        self._is_untried = bool(untried_version())
        self._heads: dict[Hashable, RequestHead | None] = {}
        self._resolver = Resolver()
        self._connector = connector = aiohttp.TCPConnector(
            limit=0,
            ssl=trusted_authorities(self._bases.values()),
            resolver=self._resolver,
            keepalive_timeout=KEEPALIVE_S,
            socket_factory=lasting_socket,
        )
        setattr(connector, "_factory", partial(Connection, loop=asyncio.get_running_loop()))  # noqa: B010 (it has no other way)
        self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False)
        proxy_url = keys.expanded(proxy)
        if proxy and not proxy_url:
            raise ConfigError(f"run.proxy: {proxy} is not set; put it into the environment or into .env")
        proxies = {endpoint: proxy_for(base, proxy_url) for endpoint, base in self._bases.items()}
        self._proxies = {endpoint: proxy_server for endpoint, proxy_server in proxies.items() if proxy_server is not None}
        keys.hide(secret for proxy_server in self._proxies.values() for secret in proxy_server.secrets)
        # Spoken to directly: a client around it adds redirects, cookies and sign-in, none of which is wanted here.
        self._transport = Transport(self._session)
        self._through = {proxy_server: Transport(self._session, proxy_server) for proxy_server in self._proxies.values()}

    async def send(
        self,
        request: Request,
        model: ModelSpec,
        attempt_id: str,
        shows: Shows | None = None,
        hear: Callable[[Json], None] | None = None,
    ) -> HttpReply | Lost:
        """Send one request and read its reply to the last byte. The caller sets the deadline around it.

        `shows`: what an event of a stream brings; with it, the moment of the first token is noted. `hear`: told each event as
        it comes, keys and all.
        """
        watch = _Stopwatch(time.monotonic(), shows, hear)
        try:
            head = self._head(request, model)
            if head is not None:
                reply = await post(self._connector, head, attempt_id, request.body)
                try:
                    return self._clean(await _read(reply.status, reply.raw_headers, reply.chunks(), watch, self._keys.redact))
                finally:
                    reply.release()
            response = await self._handed_over(self._http(request, model, attempt_id, httpx.ByteStream(request.body)), model)
            try:
                return self._clean(await self._read_response(response, watch))
            finally:
                await response.stream.aclose()  # type: ignore[union-attr]
        except (httpx.InvalidURL, aiohttp.ClientError, OSError) as error:
            return self._lost(error, model)

    async def upload(self, upload: Upload, model: ModelSpec, file: Path, name: str) -> HttpReply | Lost:
        """Send a file as the body of a request, piece by piece, between what comes before and after it."""
        size = (await asyncio.to_thread(os.stat, file)).st_size
        headers = {**upload.request.headers, "content-length": str(len(upload.before) + size + len(upload.after))}
        http_request = self._http(replace(upload.request, headers=headers), model, name, _Pieces(upload, file))
        try:
            response = await self._handed_over(http_request, model)
            try:
                return self._clean(await self._read_response(response, _Stopwatch(0.0, None)))
            finally:
                await response.stream.aclose()  # type: ignore[union-attr]
        except (httpx.InvalidURL, aiohttp.ClientError, OSError) as error:
            return self._lost(error, model)

    async def lines(self, request: Request, model: ModelSpec, name: str) -> AsyncGenerator[bytes | HttpReply | Lost, None]:
        """A reply line by line, without keys, for what is too long to hold; an Answered or Lost where it cannot be read on."""
        try:
            http_request = self._http(request, model, name, httpx.ByteStream(request.body))
            http_request.headers["accept-encoding"] = "identity"
            response = await self._handed_over(http_request, model)
            try:
                if response.status_code != 200:
                    yield self._clean(await self._read_response(response, _Stopwatch(0.0, None)))
                    return
                async for line in _lines(response, self._keys.redact):
                    yield self._keys.redact_bytes(line) if isinstance(line, bytes) else line
            finally:
                await response.stream.aclose()  # type: ignore[union-attr]
        except (httpx.InvalidURL, aiohttp.ClientError, OSError) as error:
            yield self._lost(error, model)

    def _check_told(self, base: str) -> None:
        """Raise InvalidURL for an address that has no host, or one that is not in the table of what leaves."""
        try:
            is_told = self._told is None or host_of(base) in self._told
        except ConfigError as error:
            raise httpx.InvalidURL(str(error)) from None
        if not is_told:
            raise httpx.InvalidURL("the host is not in the table of what leaves (tui-eval run CONFIG --dry-run --egress)")

    def place(self, model: ModelSpec) -> str:
        """Return what a call's key does not say of where it goes: the address behind variables; empty where there are none."""
        return self._bases[model.endpoint] if "${" in (model.base_url or "") else ""

    async def _handed_over(self, http_request: httpx.Request, model: ModelSpec) -> httpx.Response:
        proxy = self._proxies.get(model.endpoint)
        return await (self._through[proxy] if proxy else self._transport).handle_async_request(http_request)

    def _lost(self, error: Exception, model: ModelSpec) -> Lost:
        """Return what an exception means, with the proxy that stood between where there is one."""
        lost, proxy = _lost(error, self._keys.redact), self._proxies.get(model.endpoint)
        return replace(lost, message=f"{lost.message}; through the proxy {proxy.shown}") if proxy else lost

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()
        await self._resolver.close()

    def _clean(self, got: HttpReply | Lost) -> HttpReply | Lost:
        """The reply without any key it may repeat, before it is read: a message cut short could hold half of one."""
        if isinstance(got, Lost):
            return got if got.answered is None else replace(got, answered=self._without_keys(got.answered))
        return self._without_keys(got)

    def _without_keys(self, answered: HttpReply) -> HttpReply:
        body = self._keys.redact_bytes(answered.body)
        return answered if body is answered.body else replace(answered, body=body)

    def _http(
        self, request: Request, model: ModelSpec, attempt_id: str, stream: httpx.ByteStream | httpx.AsyncByteStream
    ) -> httpx.Request:
        headers = httpx.Headers(self._headers(request, model, attempt_id), encoding="ascii")
        return httpx.Request(request.method, self._url(request, model), headers=headers, stream=stream)

    def _url(self, request: Request, model: ModelSpec) -> httpx.URL:
        """Return the address of a request; InvalidURL where it has none that may be asked."""
        place = (model.endpoint, request.path)
        url = self._urls.get(place)
        if url is None:
            base = self._bases[model.endpoint]
            self._check_told(base)
            url = self._urls[place] = httpx.URL(_joined(base, request.path))
        return url

    def _headers(self, request: Request, model: ModelSpec, attempt_id: str) -> dict[str, str]:
        """Return the headers of a request, the keys included."""
        headers = common_headers(request, attempt_id)
        if request.key_header is not None and model.api_key_env is not None:
            headers[request.key_header] = request.key_prefix + self._keys.value(model.api_key_env)
        if request.organization_header is not None and model.organization_env is not None:
            headers[request.organization_header] = self._keys.value(model.organization_env)
        return headers

    def _head(self, request: Request, model: ModelSpec) -> RequestHead | None:
        """Return the head of a plain POST, made once for all that share it; None where it is to go through httpx."""
        if self._is_untried or request.method != "POST" or not request.body or model.endpoint in self._proxies:
            return None
        key_headers = (request.key_header, request.key_prefix, request.organization_header, model.organization_env)
        shared = (model.endpoint, request.path, key_headers, *request.headers.items())
        if shared not in self._heads:
            if len(self._heads) >= MOST_HEADS:
                self._heads.clear()
            url = str(self._url(request, model))
            self._heads[shared] = request_head(self._session, url, self._headers(request, model, ""))
        return self._heads[shared]

    async def _read_response(self, response: httpx.Response, watch: _Stopwatch) -> HttpReply | Lost:
        assert isinstance(response.stream, httpx.AsyncByteStream)
        return await _read(response.status_code, response.headers.raw, response.stream, watch, self._keys.redact)


def _open_words(models: Iterable[ModelSpec], wires: Iterable[Wire]) -> Iterator[str]:
    """Words that are no secret as parts of an address: what models are called, and the words of providers' own addresses."""
    for model in models:
        for name in (model.name, model.model):
            yield from (name, *name.split("/"))
    for wire in wires:
        yield from re.split("[/?&=]", wire.base_url or "")


def _base_of(model: ModelSpec, keys: Keys, wires: Mapping[str, Wire], embedded: Mapping[str, str]) -> str:
    """A model's base URL: its own, that of a server the run started, or its wire's."""
    if model.base_url is not None:
        return keys.expanded(model.base_url)
    base = embedded.get(model.wire) or wires[model.wire].base_url
    if base is None:
        raise ConfigError(f"model {model.name!r}: provider {model.wire!r} needs a base_url")
    return base


def _joined(base: str, path: str) -> str:
    """A base URL and a path; what the base asks for (`?api-version=`) moves behind the path."""
    if not path.startswith("/"):  # it could lead to another host
        raise httpx.InvalidURL(f"the provider asks for {path[:100]!r}, which does not begin with /")
    address, _, query = base.partition("?")
    path, _, own_query = path.partition("?")
    if "api-version=" in query and own_query.startswith("api-version="):
        own_query = ""  # the address brings its own, perhaps out of a variable that the wire does not see
    both = "&".join(part for part in (own_query, query) if part)
    return address.rstrip("/") + path + (f"?{both}" if both else "")


class _Stopwatch:
    """When the first token of a stream came, and the first of the answer itself, in ms after sending."""

    def __init__(self, began: float, shows: Shows | None, hear: Callable[[Json], None] | None = None) -> None:
        self.first: int | None = None
        self.visible: int | None = None
        self._began = began
        self._shows = shows
        self._hear = hear
        self._events = EventReader()

    def see(self, chunk: bytes) -> None:
        """Take in what came; once the answer has begun there is nothing left to look for, unless somebody listens."""
        if self._shows is None or (self.visible is not None and self._hear is None):
            return
        now = round((time.monotonic() - self._began) * 1000)
        for text in self._events.feed(chunk):
            try:
                event = json.loads(text)
                event_kind = self._shows(event)
            except (ValueError, RecursionError):
                continue
            if event_kind and self.first is None:
                self.first = now
            if event_kind == "text" and self.visible is None:
                self.visible = now
            if self._hear is not None:
                self._hear(event)
            elif self.visible is not None:
                return


class _Pieces(httpx.AsyncByteStream):
    """A file as the body of a request, between what comes before and after it."""

    def __init__(self, upload: Upload, file: Path) -> None:
        self._upload, self._file = upload, file

    async def __aiter__(self) -> AsyncIterator[bytes]:
        stream = await asyncio.to_thread(stream_of, self._file)
        try:
            yield self._upload.before
            while piece := await asyncio.to_thread(stream.read, PIECE):
                yield piece
            yield self._upload.after
        finally:
            stream.close()


async def _lines(response: httpx.Response, redact: Redact) -> AsyncIterator[bytes | Lost]:
    """Each line of a body that may be long, of one that is too long its beginning; Lost where it comes packed, unasked."""
    encoding = redact(response.headers.get("content-encoding", "")).strip().lower()
    if encoding not in ("", "identity"):
        yield Lost("protocol", f"a body in an encoding we did not ask for: {encoding[:40]}", sent=True, retry=True)
        return
    assert isinstance(response.stream, httpx.AsyncByteStream)
    rest = bytearray()
    async for chunk in response.stream:
        *ends, last = chunk.split(b"\n")
        for end in ends:
            rest += end[: MAX_BODY + 1 - len(rest)]
            yield bytes(rest if len(rest) <= MAX_BODY else rest[:MAX_KEPT])
            rest.clear()
        rest += last[: MAX_BODY + 1 - len(rest)]
    if rest:
        yield bytes(rest if len(rest) <= MAX_BODY else rest[:MAX_KEPT])


async def _read(
    status: int, raw_headers: Iterable[tuple[bytes, bytes]], chunks: AsyncIterable[bytes], watch: _Stopwatch, redact: Redact
) -> HttpReply | Lost:
    """The whole body, never more than MAX_BODY bytes of it once decompressed."""
    headers = headers_of(raw_headers, redact)
    body = bytearray()

    def unusable(message: str, retry: bool = True) -> Lost:
        answer = HttpReply(status, headers, bytes(body[:MAX_KEPT]))
        return Lost("protocol", f"HTTP {status} with {message}", sent=True, retry=retry, answered=answer)

    encoding = headers.get("content-encoding", "").strip().lower()
    unzip = zlib.decompressobj(31) if encoding in ("gzip", "x-gzip") else None
    streamed = headers.get("content-type", "").lower().startswith("text/event-stream")
    try:
        async for chunk in chunks:
            length_before = len(body)
            body += chunk if unzip is None else unzip.decompress(chunk, MAX_BODY + 1 - len(body))
            if streamed:
                watch.see(bytes(body[length_before:]))
            if len(body) > MAX_BODY:
                return unusable(f"more than {MAX_BODY // 2**20} MiB of body", retry=False)
    except zlib.error as error:
        return unusable(f"a body that is not gzip: {error}")
    except (aiohttp.ClientError, OSError) as error:
        return replace(_lost(error, redact), answered=unusable("").answered)
    if unzip is not None and not unzip.eof:
        return unusable("a gzip body that was cut short")
    if unzip is None and encoding not in ("", "identity"):
        return unusable(f"a body in an encoding we did not ask for: {encoding[:40]}")
    return HttpReply(status, headers, bytes(body), watch.first, watch.visible)


def _lost(error: Exception, redact: Redact) -> Lost:
    """Tell what an exception of the transport means; its text may repeat what was sent, and is cut short without keys only."""
    text = redact(str(error) or type(error).__name__)[:300]
    if isinstance(error, aiohttp.ClientHttpProxyError):
        denied = error.status in (401, 403, 407)
        message = f"the proxy refused the connection: HTTP {error.status}"
        return Lost("permanent" if denied else "transient", message, sent=False, retry=not denied, cause="unreachable")
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        return Lost("permanent", f"TLS failed: {text}", sent=False, retry=False, cause="tls")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return Lost("transient", f"name not found: {text}", sent=False, retry=True, cause="unreachable")
    if isinstance(error, aiohttp.ClientConnectorError):
        return Lost("transient", f"cannot connect to {_where(error)}", sent=False, retry=True, cause="unreachable")
    if isinstance(error, httpx.InvalidURL | aiohttp.InvalidURL):
        return Lost("permanent", f"no usable address: {text}", sent=False, retry=False, cause="address")
    if isinstance(error, TooManyInterim):
        return Lost("protocol", f"not HTTP: {text}", sent=True, retry=False)
    if isinstance(error, aiohttp.ClientPayloadError):
        return Lost("transient", f"the reply was cut short: {text}", sent=True, retry=True)
    if isinstance(error, aiohttp.ClientResponseError | aiohttp.ClientConnectionResetError):
        return Lost("protocol", f"not HTTP: {text}", sent=True, retry=True)
    return Lost("transient", f"connection lost: {text}", sent=True, retry=True, cause="unreachable")


def _where(error: aiohttp.ClientConnectorError) -> str:
    """Name the address that did not answer, and what the system said of it."""
    number = error.os_error.errno
    return f"{error.host}:{error.port}: {os.strerror(number) if number else error.os_error}"[:300]
