"""What is frozen for good: the calls that evaluations make, and run folders in every state they can be in.

Made before the structure changed, by scripts/freeze; later sets are added beside the first, and none is ever made anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import threading
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp import web
from on_demand import report_file
from samples import sample, written

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, ModelSpec, Reply
from tui_eval.core.key import call_key
from tui_eval.evaluation.sample_queues import side_by_side
from tui_eval.providers import WIRES
from tui_eval.simulator.server import Simulator
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

Table = dict[str, Any]
FROZEN = Path(__file__).resolve().parent.parent / "frozen"
CALLS, RUNS, CHANGED = FROZEN / "calls", FROZEN / "runs", FROZEN / "changed"
GONE = "gone.txt"
"""Beside changed files: the names of those that are no longer written, a line each."""
SERVED = "served.json"
"""In the folder of a run with an open batch: what the server would say of it, by path. No part of the run."""
PLACE = "TUI_EVAL_FROZEN"
"""The variable in the addresses of frozen runs: the server that answers them."""
EARLIER_DEFAULTS = {"graph": ("run.max_output_tokens=2000",)}
"""By kind, what was the default when its calls were frozen: every run folder has it in its own config."""
EARLIER_FRAMES = {"chat": ("chat", "judge"), "pipeline": ("pipeline", "judge"), "generate": ("generate", "check")}
"""By kind, the table of a config that says whether what is judged stands in frames: in none when these calls were frozen."""
UNREADABLE = "no idea what to say"


def earlier_defaults(kind: str, content: Table) -> tuple[str, ...]:
    """The settings with which a config asks what it asked before later defaults, but for what it says itself."""
    settings = EARLIER_DEFAULTS.get(kind, ())
    place = EARLIER_FRAMES.get(kind)
    table: Any = content
    for key in place or ():
        table = table.get(key, {}) if isinstance(table, dict) else {}
    unframed = place is not None and isinstance(table, dict) and table and "frames" not in table and "attacks" not in table
    return (*settings, f"{'.'.join(place)}.frames=false") if place and unframed else settings


def as_earlier(kind: str, name: str, folder: Path) -> Loaded:
    """Return a sample, loaded with what was the default when its calls were frozen."""
    settings = earlier_defaults(kind, read_toml(written(kind, name, folder)).content)
    return sample(kind, name, folder, settings=settings)


def example_as_earlier(path: Path) -> Loaded:
    """Return a shipped example, asked twice, likewise."""
    workspace = Workspace(path.parent.parent)
    loaded = load(path, workspace, repeat=2)
    earlier = earlier_defaults(loaded.evaluation.kind.name, loaded.file.content)
    return load(path, workspace, earlier, repeat=2) if earlier else loaded


# ------------------------------------------------------------------------------------------------------- the calls of a config


def calls_of(loaded: Loaded) -> list[str]:
    """Every call that an evaluation makes, told by its examples and told nothing readable; a line each.

    A line: the way it was driven, call key, item, stage, model, index, what it is about, and the hash of its request's path
    and body (which holds the seed).
    """
    return [line for way in ("good", "unreadable") for line in _driven_calls(loaded, way)]


def _driven_calls(loaded: Loaded, way: str) -> Iterator[str]:
    evaluation = loaded.evaluation

    def answer(call: Call) -> Reply:
        return Reply(call, "ok", text=call.example_text if way == "good" else UNREADABLE)

    for item in evaluation.samples():
        for reply in evaluation.driven(item, answer).replies:
            call, model = reply.call, evaluation.models[reply.call.model]
            told = [way, call_key(call, model), call.item_id, call.stage, call.model, call.call_index, call.about]
            yield json.dumps([*told, request_hash(call, model)])


def request_hash(call: Call, model: ModelSpec) -> str:
    """A hash of a request's path and bytes."""
    if WIRES[model.wire].recorded:
        return "never sent"
    request = WIRES[model.wire].encode(call, model, {})
    return hashlib.sha256(request.path.encode() + b"\0" + request.body).hexdigest()[:24]


def wire_calls(loaded: Loaded) -> list[str]:
    """The first item's calls as every wire would send them, whole and as a stream; a line each, with the body's text."""
    evaluation = loaded.evaluation
    item = next(iter(side_by_side(evaluation.queues)))
    row = evaluation.driven(item, lambda call: Reply(call, "ok", text=call.example_text))
    lines = []
    for name, wire in WIRES.items():
        for stream in (False, True) if wire.shows is not None else (False,):
            for call in [] if wire.recorded else [reply.call for reply in row.replies]:
                spec = replace(evaluation.models[call.model], wire=name, stream=stream, base_url=None)
                request = wire.encode(call, spec, {})
                body = request.body.decode("ascii")
                lines.append(json.dumps([name, stream, call_key(call, spec), request.method, request.path, body]))
    return lines


def wire_of(line: str) -> str:
    """Return the wire that a line of `wire_calls` is of."""
    return str(json.loads(line)[0])


def wires_that_send() -> set[str]:
    """Return every wire that sends requests; those of recorded answers send none."""
    return {name for name, wire in WIRES.items() if not wire.recorded}


# ------------------------------------------------------------------------------------------------------ a server that counts


class Recalling(Simulator):
    """The simulator, and what another one would have said of a batch that it has never seen."""

    def __init__(self, served: Table, latency_scale: float = 0.0, batch_s: float = 0.0) -> None:
        super().__init__(0, latency_scale, batch_s=batch_s)
        self._served = served
        self.recalled: list[str] = []

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "GET" and request.path in self._served:
            self.recalled.append(request.path)
            return web.Response(text=self._served[request.path], content_type="application/json")
        return await super()._handle(request)


@contextlib.contextmanager
def serving(served: Table | None = None, latency_scale: float = 0.0, batch_s: float = 0.0) -> Iterator[tuple[str, Recalling]]:
    """A simulator in a thread of its own, and its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="frozen", daemon=True)
    thread.start()
    server = Recalling(served or {}, latency_scale, batch_s)
    try:
        yield asyncio.run_coroutine_threadsafe(server.start(), loop).result(10), server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


# ------------------------------------------------------------------------------------------------ logs but for times and ids

_TIMES = ("started_at", "ended_at", "latency_ms", "queue_ms", "ttft_ms", "ttft_visible_ms")
_IDS = ("attempt_id", "run_id", "batch_id")
_HEADERS = frozenset({"date", "server", "x-client-request-id", "x-request-id", "request-id"})
_REPLY_ID = re.compile(r"(?:chatcmpl|msg|resp)[-_]sim[-_][0-9a-f]+")


def without_times(record: Table) -> Table:
    """A record of the log without times, ids and what is made of them, so that two runs' records can be compared."""
    kept = {name: value for name, value in record.items() if name not in (*_TIMES, *_IDS)}
    for name in ("request_headers", "response_headers"):
        headers = record.get(name)
        if isinstance(headers, dict):
            kept[name] = {header: value for header, value in headers.items() if header not in _HEADERS}
    return dict(json.loads(_REPLY_ID.sub("ID", json.dumps(kept))))


def settled_log(path: Path, came_since: Collection[str] = ()) -> list[Table]:
    """Every record of a log without times, ids and fields that came since, in an order of its own."""
    lines = path.read_bytes().split(b"\n")
    settled = [without_times(json.loads(line)) for line in lines if line]
    records = [{name: value for name, value in record.items() if name not in came_since} for record in settled]
    return sorted(records, key=lambda record: (record["call_key"], record["attempt"], json.dumps(record, sort_keys=True)))


def settled_json(path: Path) -> Any:
    """A JSON file without what differs from one run to the next: times, latencies, ids."""
    return _without(json.loads(report_file(path.parent, path.name)))


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(entry) for name, entry in value.items() if not _passing(name)}
    return [_without(entry) for entry in value] if isinstance(value, list) else value


def _passing(name: str) -> bool:
    """Whether a field tells a time or an id."""
    return name in (*_TIMES, *_IDS, "uid") or name.endswith(("_ms", "_at", "_s")) or "latency" in name
