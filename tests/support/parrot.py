"""A server that hands back every header it was sent, in whatever place a reply has: what a run must not write down."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import quote, unquote

from aiohttp import web
from fault_bench import Table

USED = {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}
STATUSES = (400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 503, 529)


def echoed(request: web.BaseRequest) -> list[str]:
    """The value of every header that may be a key, as it came and without "Bearer"; and what may be one in the address,
    alone and with the rest."""
    names = ("authorization", "api-key", "x-api-key", "openai-organization")
    values = [request.headers[name] for name in names if name in request.headers]
    address = unquote(request.raw_path)
    parts = [part for part in re.split("[/?&=]", address) if len(part) >= 8 and re.search("[0-9]", part)]
    if parts:
        values += [*parts, f"GET {address}"]
    return values + [value.removeprefix("Bearer ") for value in values if value.startswith("Bearer ")]


def words(request: web.BaseRequest) -> str:
    """All headers in all spellings."""
    values = echoed(request)
    coded = [base64.b64encode(value.encode()).decode() for value in values]
    capitals = [value.upper() for value in values]
    return " ".join([*values, *(quote(value, safe="") for value in values), *capitals, *coded, "".join(reversed(values))])


def escaped(text: str) -> str:
    """JSON text in which every sign that is no letter, or only every second character, is written as an escape."""
    return "".join(f"\\u{ord(sign):04X}" if number % 2 or not sign.isalnum() else sign for number, sign in enumerate(text))


class Parrot:
    """Answers by the first part of the path, which says how it hands back what it was sent; see HOWS."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.finished = True
        """Whether batches have ended."""
        self._runner: web.ServerRunner | None = None
        self._lines: dict[str, list[Table]] = {}

    async def start(self) -> str:
        """Listen, and return the URL without a path."""
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop listening."""
        assert self._runner is not None
        await self._runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        self.seen.append(request.path)
        how, _, path = request.path.removeprefix("/").partition("/")
        if how.startswith("batch"):
            return self._batch(request, how, path, body)
        if path.endswith("models") and request.method == "GET":
            return web.json_response(models(words(request)))
        return await HOWS[how](request, json.loads(body or b"{}"))

    # ------------------------------------------------------------------------------------------------------------- batches

    def _batch(self, request: web.BaseRequest, how: str, path: str, body: bytes) -> web.Response:
        """OpenAI's files and batches and Anthropic's message batches, as far as a client must see them."""
        said = words(request)
        if how == "batch-refused":
            return web.json_response(error(said), status=401)
        if path.endswith("/files"):
            if how == "batch-no-upload":
                return web.Response(status=500, text=page(said), content_type="text/html")
            self._lines[how] = [json.loads(line) for line in body.split(b"\r\n\r\n")[-1].split(b"\r\n--")[0].splitlines()]
            return web.json_response({"id": "file-in", "object": "file", "filename": said, "bytes": 3, "status": "processed"})
        if path.endswith("/content") or path.endswith("/results"):
            if how == "batch-no-results":
                return web.json_response(error(said), status=403)
            return web.Response(body="".join(self._results(how, request)).encode(), content_type="application/jsonl")
        if "messages/batches" in path:
            if request.method == "POST":
                self._lines[how] = json.loads(body)["requests"]
            return web.json_response(self._message_batch(request, how, said))
        return web.json_response(self._openai_batch(how, said))

    def _openai_batch(self, how: str, said: str) -> Table:
        state = {"batch-failed": "failed"}.get(how, "completed") if self.finished else "in_progress"
        count = len(self._lines.get(how, ()))
        counts = {"total": count, "completed": count if self.finished else 0, "failed": 0}
        return {
            "id": "batch_parrot",
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "status": state,
            "output_file_id": "file-out" if state == "completed" else None,
            "error_file_id": None,
            "request_counts": counts,
            "metadata": {"said": said},
            "errors": {"data": [{"code": "invalid", "message": said, "param": said, "line": 1}]} if state == "failed" else None,
        }

    def _message_batch(self, request: web.BaseRequest, how: str, said: str) -> Table:
        count = len(self._lines.get(how, ()))
        return {
            "id": "msgbatch_parrot",
            "type": "message_batch",
            "processing_status": "ended" if self.finished else "in_progress",
            "request_counts": {"processing": 0, "succeeded": count, "errored": 0, "canceled": 0, "expired": 0},
            "results_url": f"http://{request.host}/{how}/v1/messages/batches/msgbatch_parrot/results",
            "said": said,
        }

    def _results(self, how: str, request: web.BaseRequest) -> Iterator[str]:
        """A result for each line: a sound one that says the key, then an error that does, and so on."""
        said = words(request)
        for number, line in enumerate(self._lines.get(how, ())):
            if "params" in line:
                good = {"type": "succeeded", "message": message(said)}
                bad = {
                    "type": "errored",
                    "error": {"type": "error", "error": {"type": "invalid_request_error", "message": said}},
                }
                yield json.dumps({"custom_id": line["custom_id"], "result": bad if number % 2 else good}) + "\n"
                continue
            whole = response(said) if line["url"].endswith("/responses") else chat(said)
            answer = {"status_code": 400, "body": error(said)} if number % 2 else {"status_code": 200, "body": whole}
            yield json.dumps({"id": said, "custom_id": line["custom_id"], "response": answer, "error": None}) + "\n"
        yield said + "\n"


# ------------------------------------------------------------------------------------------------------------------- bodies


def chat(text: str) -> Table:
    """A sound chat completion with the text in every place for text."""
    message = {"role": "assistant", "content": text, "reasoning": text, "reasoning_content": text, text: text}
    choice = {"index": 0, "finish_reason": "stop", "native_finish_reason": text, "message": message}
    return {"id": text, "model": text, "provider": text, "choices": [choice], "usage": {**USED, text: text}, text: text}


def message(text: str) -> Table:
    """The same for Anthropic."""
    content = [{"type": "thinking", "thinking": text, "signature": text}, {"type": "text", "text": text}]
    used = {"input_tokens": 5, "output_tokens": 1, "service_tier": text}
    return {"type": "message", "id": text, "model": text, "content": content, "stop_reason": "end_turn", "usage": used, text: 1}


def response(text: str) -> Table:
    """The same for OpenAI Responses."""
    thoughts = {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    used = {"input_tokens": 5, "output_tokens": 1, "total_tokens": 6}
    return {"object": "response", "id": text, "model": text, "status": "completed", "output": [thoughts, said], "usage": used}


def whole(request: web.BaseRequest, text: str) -> Table:
    """The same for whatever the path asks for."""
    if request.path.endswith("/messages"):
        return message(text)
    return response(text) if request.path.endswith("/responses") else chat(text)


def error(text: str) -> Table:
    """An error that most of the providers could have sent."""
    told = {"message": text, "type": text, "code": text, "param": text, "metadata": {"raw": text, "provider_name": text}}
    return {"type": "error", "error": told, "request_id": text, "detail": text}


def page(text: str) -> str:
    """A page of HTML."""
    return (
        f"<!doctype html><html><head><title>{text}</title></head><body><h1>{text}</h1><a href='/?k={text}'>x</a></body></html>"
    )


def models(text: str) -> Table:
    """A list of models."""
    return {"object": "list", "data": [{"id": text, "owned_by": text, "shutdown_date": text}, {"id": "m", "owned_by": text}]}


def events(request: web.BaseRequest, text: str) -> list[Table]:
    """A stream of the text, a few characters at a time, so that no event holds a whole key."""
    pieces = [text[start : start + 5] for start in range(0, len(text), 5)]
    if request.path.endswith("/messages"):
        return [
            {"type": "message_start", "message": {**message(text), "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}} for p in pieces),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
    if request.path.endswith("/responses"):
        delta = {"type": "response.output_text.delta", "item_id": text, "output_index": 0, "content_index": 0}
        return [
            *({**delta, "delta": piece} for piece in pieces),
            {"type": "response.completed", "response": response(text)},
        ]

    def one(delta: Table, finish: str | None) -> Table:
        return {"id": text, "model": text, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    thoughts = [one({"reasoning": piece}, None) for piece in pieces]
    return [*thoughts, *(one({"content": p}, None) for p in pieces), one({}, "stop"), {"choices": [], "usage": USED}]


def event_text(sent: list[Any]) -> bytes:
    """Events as a server sends them."""
    return "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n" for one in [*sent, "[DONE]"]).encode()


# ---------------------------------------------------------------------------------------------------------------------- hows

How = Callable[[web.BaseRequest, Table], Awaitable[web.Response]]


def _fails(status: int) -> How:
    async def how(request: web.BaseRequest, body: Table) -> web.Response:
        return web.json_response(error(words(request)), status=status)

    return how


def _page(status: int) -> How:
    async def how(request: web.BaseRequest, body: Table) -> web.Response:
        return web.Response(status=status, text=page(words(request)), content_type="text/html")

    return how


async def _path(request: web.BaseRequest, body: Table) -> web.Response:
    return web.Response(status=404, text=page(f"The requested URL {request.path} was not found."), content_type="text/html")


async def _redirect(request: web.BaseRequest, body: Table) -> web.Response:
    places = "&".join(f"a{number}={quote(value)}&b={value}" for number, value in enumerate(echoed(request)))
    return web.Response(status=307, headers={"Location": f"http://127.0.0.1:9/{quote(words(request))}?{places}"})


async def _headers(request: web.BaseRequest, body: Table) -> web.Response:
    said = words(request)
    named = dict.fromkeys(
        ("X-Request-Id", "Retry-After", "Request-Id", "X-Litellm-Response-Cost", "Set-Cookie", "X-Echo"), said
    )
    status = 429 if body.get("model") == "limited" else 200
    return web.json_response(whole(request, "fine") if status == 200 else error("slow"), status=status, headers=named)


async def _long_header(request: web.BaseRequest, body: Table) -> web.Response:
    """A header that is cut short in the log, within the key."""
    return web.json_response(whole(request, "fine"), headers={"X-Long": "x" * 280 + echoed(request)[-1]})


async def _limited(request: web.BaseRequest, body: Table) -> web.Response:
    return await _headers(request, {**body, "model": "limited"})


async def _encoding(request: web.BaseRequest, body: Table) -> web.Response:
    reply = web.json_response(whole(request, "fine"))
    reply.headers["Content-Encoding"] = "x-" + echoed(request)[-1]
    return reply


async def _long_encoding(request: web.BaseRequest, body: Table) -> web.Response:
    reply = web.json_response(whole(request, "fine"))
    reply.headers["Content-Encoding"] = "x" * 20 + echoed(request)[-1]
    return reply


async def _content_type(request: web.BaseRequest, body: Table) -> web.Response:
    return web.Response(body=words(request).encode(), headers={"Content-Type": f"text/plain; x={echoed(request)[-1]}"})


async def _reason(request: web.BaseRequest, body: Table) -> web.Response:
    return web.Response(status=418, reason=words(request), body=b"")


async def _reply(request: web.BaseRequest, body: Table) -> web.Response:
    return web.json_response(whole(request, words(request)))


async def _escaped_reply(request: web.BaseRequest, body: Table) -> web.Response:
    """JSON in which the key stands behind escapes, so that no byte of the body looks like it."""
    said = words(request)
    marks = json.dumps(whole(request, "MARK"))
    return web.Response(body=marks.replace("MARK", escaped(said)).encode(), content_type="application/json")


def _escaped_error(padding: int) -> How:
    """The same in an error, after some text, so that a message that is cut short ends within the key."""

    async def how(request: web.BaseRequest, body: Table) -> web.Response:
        said = "x" * padding + echoed(request)[-1] + " " + words(request)
        text = json.dumps(error("MARK")).replace("MARK", escaped(said))
        return web.Response(status=400, body=text.encode(), content_type="application/json")

    return how


async def _escaped_finish(request: web.BaseRequest, body: Table) -> web.Response:
    """A reply without text whose finish reason is a key behind escapes."""
    choice = {"finish_reason": "MARK", "message": {"role": "assistant", "content": ""}}
    empty = {"type": "message", "content": [], "stop_reason": "MARK", "usage": {"input_tokens": 5, "output_tokens": 1}}
    body = empty if request.path.endswith("/messages") else {"choices": [choice], "usage": USED}
    text = json.dumps(body).replace("MARK", escaped("x" * 20 + echoed(request)[-1]))
    return web.Response(body=text.encode(), content_type="application/json")


async def _stream(request: web.BaseRequest, body: Table) -> web.Response:
    return web.Response(body=event_text(events(request, words(request))), content_type="text/event-stream")


async def _stream_error(request: web.BaseRequest, body: Table) -> web.Response:
    first, *_ = events(request, "pore space")
    failed = {"type": "error", **error(words(request))}
    return web.Response(body=event_text([first, failed]), content_type="text/event-stream")


async def _stream_garbage(request: web.BaseRequest, body: Table) -> web.Response:
    first, *_ = events(request, "pore space")
    return web.Response(body=event_text([first, "{garbage " + words(request)]), content_type="text/event-stream")


async def _garbage(request: web.BaseRequest, body: Table) -> web.Response:
    return web.Response(body=b'{"x": ' + words(request).encode(), content_type="application/json")


async def _not_utf8(request: web.BaseRequest, body: Table) -> web.Response:
    return web.Response(body=b"\xff\xfe" + words(request).encode() + b"\xff", content_type="application/json")


async def _gzip(request: web.BaseRequest, body: Table) -> web.Response:
    text = gzip.compress(json.dumps(error(words(request))).encode())
    return web.Response(status=500, body=text, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})


async def _cut(request: web.BaseRequest, body: Table) -> web.Response:
    return _raw(request, f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{words(request)}")


async def _cut_chunks(request: web.BaseRequest, body: Table) -> web.Response:
    return _raw(request, f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{words(request)}\r\n")


def _bad_status(padding: int) -> How:
    async def how(request: web.BaseRequest, body: Table) -> web.Response:
        return _raw(request, f"HTTP/1.1 x{'y' * padding} {echoed(request)[-1]} {words(request)}\r\n\r\n")

    return how


def _bad_header(padding: int) -> How:
    async def how(request: web.BaseRequest, body: Table) -> web.Response:
        return _raw(request, f"HTTP/1.1 200 OK\r\nbad{'y' * padding} {echoed(request)[-1]} {words(request)}\r\n\r\n")

    return how


def _raw(request: web.BaseRequest, text: str) -> web.Response:
    assert isinstance(request.transport, asyncio.WriteTransport)
    request.transport.write(text.encode())
    asyncio.get_running_loop().call_later(0.01, request.transport.close)
    return web.Response()


def _repair(said: Callable[[str], str]) -> How:
    """A parameter is refused, and another that is named by the key recommended."""

    async def how(request: web.BaseRequest, body: Table) -> web.Response:
        name = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
        if name not in body:
            return web.json_response(whole(request, "fine"))
        told = f"Unsupported parameter: '{name}' is not supported with this model. Use 'MARK' instead."
        text = json.dumps({"error": {"message": told, "param": name, "code": "unsupported_parameter"}})
        return web.Response(status=400, body=text.replace("MARK", said(echoed(request)[-1])).encode(), content_type="text/json")

    return how


HOWS: dict[str, How] = {
    **{str(status): _fails(status) for status in STATUSES},
    "page-200": _page(200),
    "page-404": _page(404),
    "page-502": _page(502),
    "path": _path,
    "redirect": _redirect,
    "headers": _headers,
    "long-header": _long_header,
    "limited": _limited,
    "encoding": _encoding,
    "long-encoding": _long_encoding,
    "content-type": _content_type,
    "reason": _reason,
    "reply": _reply,
    "escaped-reply": _escaped_reply,
    **{f"escaped-error-{padding}": _escaped_error(padding) for padding in (0, 190, 490, 990)},
    "escaped-finish": _escaped_finish,
    "stream": _stream,
    "stream-error": _stream_error,
    "stream-garbage": _stream_garbage,
    "garbage": _garbage,
    "not-utf8": _not_utf8,
    "gzip": _gzip,
    "cut": _cut,
    "cut-chunks": _cut_chunks,
    **{f"bad-status-{padding}": _bad_status(padding) for padding in (0, 150, 240, 280)},
    **{f"bad-header-{padding}": _bad_header(padding) for padding in (0, 150, 240, 280)},
    "repair": _repair(str),
    "escaped-repair": _repair(escaped),
}
"""How it hands back what it was sent, by name."""
