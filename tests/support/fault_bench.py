"""What the fault tests share: a server that counts, panels to ask it with, runs in this process, and a thread for processes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import socket
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import tomli_w
from aiohttp import web
from on_demand import report_file
from own_folder import own
from waiting import until

from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.loading import Loaded, check_caps, load
from tui_eval.engine.progress import Progress
from tui_eval.engine.run import RunEnd, RunOptions, run
from tui_eval.evaluation.kind import Kind
from tui_eval.simulator.apis.chat import Asked
from tui_eval.simulator.apis.streams import Streaming
from tui_eval.simulator.server import Simulator
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.places import Workspace

CANARY = "sk-canary/9f2K+tX7Lq0wB5rJ"
"""The key of every test that needs one. It must never be found again."""
CANARY_VARIABLE = "CANARY_API_KEY"
LOG, INTENTS = "call_logs.jsonl", "intents.jsonl"
LONGEST_LIFE_S = 240.0
"""No run in a test takes longer; one that does waits for something that never comes."""

RAW = {
    "scores.jsonl",
    "config.toml",
    "resolved_config.json",
    "manifest.json",
    "plan.json",
    "intents.jsonl",
    LOG,
    "run.log",
    "lock",
    "progress.json",
}
"""Files of a run folder that are not derived from its log."""

Table = dict[str, Any]
MakeDisk = Callable[[int], Path]
"""Makes a small disk of so many KiB."""


class Watched(Simulator):
    """The simulator, with the moment (monotonic clock) and the client's id of every request."""

    def __init__(self, seed: int = 0, latency_scale: float = 1.0, batch_s: float = 0.0) -> None:
        super().__init__(seed, latency_scale, batch_s=batch_s)
        self.arrivals: list[tuple[float, str | None]] = []

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.arrivals.append((time.monotonic(), request.headers.get("X-Client-Request-Id")))
        return await super()._answer(request)

    def hold(self, until: Callable[[], object], model: str = "", after: int = 0) -> None:
        """Answer nothing (or nothing that one model is asked) until something has come to hold, but for the first `after`.

        What a test is about may then take its time, on any machine.
        """
        answer, came, over = self._chat.answer, 0, False

        async def answer_later(request: web.BaseRequest, asked: Asked) -> web.StreamResponse | Streaming | None:
            nonlocal came, over
            if asked.model == (model or asked.model):
                came += 1
                held = came > after
                while held and not (over := over or bool(until())):
                    await asyncio.sleep(0.005)
            return await answer(request, asked)

        self._chat.answer = answer_later  # type: ignore[method-assign]

    def slow(self, seconds: float) -> None:
        """Answer everything so much later, faults too."""
        answer = self._chat.answer

        async def answer_later(request: web.BaseRequest, asked: Asked) -> web.StreamResponse | Streaming | None:
            await asyncio.sleep(seconds)
            return await answer(request, asked)

        self._chat.answer = answer_later  # type: ignore[method-assign]

    def gather(self, number: int, model: str = "", after: int = 0) -> None:
        """Answer nothing before so many requests are under way at once: a peak that may be reached is, on any machine."""
        self.hold(lambda: self._peak(model) >= number, model, after)

    def _peak(self, model: str) -> int:
        stats = self.stats()
        return int(stats["peak_by_model"].get(model, 0) if model else stats["peak_in_flight"])


@dataclass(frozen=True, slots=True)
class Served:
    """A simulator that is up, in this test's own loop."""

    url: str
    simulator: Watched

    async def stats(self) -> Table:
        """What the server was asked, every request's id included."""
        return await asyncio.to_thread(stats_of, self.url)


@contextlib.asynccontextmanager
async def serving(seed: int = 0, latency_scale: float = 1.0) -> AsyncIterator[Served]:
    """A simulator in the running loop."""
    simulator = Watched(seed, latency_scale)
    try:
        yield Served(await simulator.start(), simulator)
    finally:
        await simulator.stop()


class Peer:
    """A simulator in a thread of its own: it outlives any process that asks it."""

    def __init__(
        self, seed: int = 0, latency_scale: float = 1.0, batch_s: float = 0.0, simulator: Watched | None = None
    ) -> None:
        self.simulator = simulator or Watched(seed, latency_scale, batch_s)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="peer", daemon=True)
        self._thread.start()
        self.url = asyncio.run_coroutine_threadsafe(self.simulator.start(), self._loop).result(60)

    def stats(self) -> Table:
        """What the server was asked, every request's id included."""
        return stats_of(self.url)

    def wait_for_silence(self) -> None:
        """Wait until the server has noticed that whoever asked has gone: else the next life's calls would seem too many."""
        until(lambda: self.simulator.stats()["in_flight"] == 0)

    def close(self) -> None:
        """Stop the server and its thread."""
        asyncio.run_coroutine_threadsafe(self.simulator.stop(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()


def stats_of(url: str) -> Table:
    """GET /stats?ids=1 of the simulator with this base URL."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats?ids=1", timeout=60) as response:
        return dict(json.loads(response.read()))


def spoken_by(url: str, name: str, api_model: str, **more: Any) -> Table:
    """A [[models]] entry that is asked over the OpenAI wire; each of its calls has a seed, so that bodies differ."""
    return {"name": name, "wire": "openai", "model": api_model, "base_url": url, "send_seed": True, **more}


def simulated_by(url: str, name: str, api_model: str, **more: Any) -> Table:
    """A [[models]] entry that is asked over the simulator's own wire: acquainted from the start, without a key."""
    return {"name": name, "wire": "simulator", "model": api_model, "base_url": url, **more}


def asked(model: str, calls: int = 1, **more: Any) -> Table:
    """A row of a stage."""
    return {"model": model, "calls": calls, **more}


def panel(
    models: Sequence[Table], doers: Sequence[Table], questions: int = 1, *, run: Table | None = None, **table: Any
) -> Table:
    """A panel config with generated questions; the limits of rows and calls are out of the way unless `run` names them."""
    texts = [f"Question {number}: what does porosity measure?" for number in range(questions)]
    limits = {"max_calls": 10_000, "max_concurrency": 20, "timeout_s": 120.0, "stop_model_after": 0}
    return {
        "kind": "panel",
        "name": "faults",
        "run": {**limits, **(run or {})},
        "models": list(models),
        "panel": {"questions": texts, "max_rows": 200, "doers": list(doers), **table},
    }


def results_of(path: Path) -> bytes:
    """results.json as it is but for the run's own id, which no other run has."""
    return re.sub(rb'\A\{"run_id": "[^"]*", ', b"{", report_file(path))


def write_config(folder: Path, config: Table, of_others: bool = False) -> Path:
    """The config as a file, in a folder that is the person's own or one of others."""
    path = (folder if of_others else own(folder)) / "cfg.toml"
    path.write_text(tomli_w.dumps(config), encoding="utf-8")
    return path


@dataclass
class Life:
    """What one life of a run in this process came to, and what it said on the way."""

    path: Path
    ended: RunEnd
    loaded: Loaded
    said: list[str] = field(default_factory=list)

    @cached_property
    def records(self) -> list[Table]:
        """Every attempt record on file at the end of this life."""
        return strict_lines(self.path / LOG)

    @property
    def report(self) -> Table:
        """report.json."""
        return strict_json((self.path / "report.json").read_bytes())


KindChange = Callable[[Kind], Kind]


async def run_here(config: Table, folder: Path, change: KindChange | None = None, **options: Any) -> Life:
    """Load, prepare and run a config in this process, as the run command does."""
    loaded = _changed(load(write_config(folder, config), Workspace(folder)), change)
    check_caps(loaded)
    path = options.pop("out", folder / "run")
    keys = keys_of(loaded)
    preparing.prepare(loaded, path, keys.redact, ["--run", "cfg.toml"], workspace=Workspace(folder))
    return await _live(path, loaded, keys, **options)


async def resume_here(path: Path, settings: Sequence[str] = (), change: KindChange | None = None, **options: Any) -> Life:
    """Take a run folder up again in this process, as the resume command does."""
    loaded = _changed(reopening.reopen(path, Workspace(path.parent), settings), change)
    if settings:
        reopening.change_limits(path, loaded, settings)
    return await _live(path, loaded, keys_of(loaded), **options)


async def _live(
    path: Path, loaded: Loaded, keys: Keys, on_tick: Callable[[Progress], None] | None = None, **options: Any
) -> Life:
    said: list[str] = []
    narrate = options.pop("narrate", said.append)
    async with asyncio.timeout(LONGEST_LIFE_S):
        ended = await run(path, loaded, keys, RunOptions(on_tick, narrate, **options))
    return Life(path, ended, loaded, said)


def _changed(loaded: Loaded, change: KindChange | None) -> Loaded:
    if change is None:
        return loaded
    return replace(loaded, evaluation=replace(loaded.evaluation, kind=change(loaded.evaluation.kind)))


def keys_of(loaded: Loaded) -> Keys:
    """The keys a loaded config names."""
    names = [spec.api_key_env for spec in loaded.evaluation.models.values() if spec.api_key_env]
    return Keys(names, loaded.key_files)


def strict_json(text: bytes) -> Any:
    """JSON as the standard has it: no NaN, no key twice. ValueError for anything else."""
    return json.loads(text.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_each_key_once)


def strict_lines(path: Path) -> list[Table]:
    """Every line of a JSONL file; ValueError for a torn or damaged one."""
    text = path.read_bytes()
    if text and not text.endswith(b"\n"):
        raise ValueError(f"{path.name}: the last line is torn")
    return [strict_json(line) for line in text.split(b"\n")[:-1]]


def by_model(records: Sequence[Table]) -> dict[str, list[Table]]:
    """Records by our name of the model, in the order of the log."""
    found: dict[str, list[Table]] = {}
    for record in records:
        found.setdefault(record["model"], []).append(record)
    return found


def derived_files(path: Path) -> dict[str, str]:
    """Every derived file of a folder, by name, with the hash of its bytes."""
    found = [file for file in path.rglob("*") if file.is_file() and "inputs" not in file.relative_to(path).parts]
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest() for file in found if file.name not in RAW
    }


def closed_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def files_in(folder: Path) -> Iterator[Path]:
    """Every file below a folder."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _each_key_once(pairs: list[tuple[str, Any]]) -> Table:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key stands twice")
    return table
