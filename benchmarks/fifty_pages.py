"""How long questions about fifty pages take, of a model that takes two seconds for a reply. All simulated, over loopback.

python benchmarks/fifty_pages.py [--pages 50] [--reply-s 2] [--in-flight 10]

The time is that of the command, from its start to the set on file: the PDF is opened; questions are written, looked at from
memory and from the text, and kept. Exit code 1 where the aim is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import random
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import tomli_w
from aiohttp import web
from children import Cost, run

from tui_eval.simulator.apis.chat import Asked, Chat
from tui_eval.simulator.apis.streams import Streaming
from tui_eval.simulator.server import Simulator

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from pdf_files import pdf_of

AIM_S = 120.0
LIMIT_S = 600.0
SENTENCES_A_PAGE = 25
SYLLABLES = ("bar", "den", "fol", "gur", "hes", "kim", "lor", "mat", "nev", "pol", "rus", "sta", "tir", "vos", "wen", "zal")
FACTS = (
    "{} stands beside the lock and was built in {}.",
    "{} pays {} crowns for the night.",
    "{} keeps {} boats in its harbour.",
    "{} leaves at {} minutes past the hour.",
    "{} sells {} loaves on a market day.",
)


class PunctualChat(Chat):
    """The simulator's replies, each after the same time."""

    def __init__(self, reply_s: float) -> None:
        super().__init__(seed=1, latency_scale=0.0)
        self._reply_s = reply_s

    async def answer(self, request: web.BaseRequest, asked: Asked) -> web.StreamResponse | Streaming | None:
        """As it is, later."""
        await asyncio.sleep(self._reply_s)
        return await super().answer(request, asked)


class Punctual(Simulator):
    """A server that takes the same time for every reply."""

    def __init__(self, reply_s: float) -> None:
        self._reply_s = reply_s
        super().__init__(seed=1)

    def _new_chat(self) -> Chat:
        return PunctualChat(self._reply_s)


@contextmanager
def serving(simulator: Simulator) -> Iterator[str]:
    """A server in a thread of its own; its base URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(simulator.start(), loop).result(LIMIT_S)
    finally:
        asyncio.run_coroutine_threadsafe(simulator.stop(), loop).result(LIMIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def paper(pages: int) -> bytes:
    """A PDF with so many pages, of sentences that say something else each."""
    dice = random.Random(50)

    def sentence() -> str:
        name = "".join(dice.choices(SYLLABLES, k=7)).capitalize()
        return dice.choice(FACTS).format(name, dice.randint(100, 1900))

    return pdf_of([[sentence() for _ in range(SENTENCES_A_PAGE)] for _ in range(pages)])


def written(folder: Path, url: str, pages: int, in_flight: int) -> Path:
    """A config about the paper, as long as it is, with what a run has by default but for the models."""
    (folder / "paper.pdf").write_bytes(paper(pages))
    personas = {"writer": "sim-scholar", "checker": "sim-arbiter"}
    models = [{"name": name, "wire": "simulator", "model": sim, "base_url": url} for name, sim in personas.items()]
    table = {"model": "writer", "documents": ["paper.pdf"], "dataset": "paper", "check": {"model": "checker"}}
    run = {"max_calls": 10_000, "max_concurrency": in_flight}
    path = folder / "config.toml"
    config = {"kind": "generate", "name": "paper", "run": run, "models": models, "generate": table}
    path.write_text(tomli_w.dumps(config), encoding="utf-8")
    return path


def measured(pages: int, reply_s: float, in_flight: int) -> tuple[Cost, dict[str, int]]:
    """What the command took, and how often the server was asked, how many at once, and how many questions there are."""
    with tempfile.TemporaryDirectory() as name, serving(simulator := Punctual(reply_s)) as url:
        folder = Path(name)
        config = written(folder, url, pages, in_flight)
        cost = run(["-m", "tui_eval", "--workspace", name, "run", str(config)], LIMIT_S, cwd=name)
        stats = simulator.stats()
        kept = json.loads((folder / "datasets" / "paper.json").read_bytes())["conversations"]
    counts = {"calls": stats["requests"], "in flight at most": stats["peak_in_flight"], "conversations": len(kept)}
    return cost, {**counts, "questions kept": sum(len(one["turns"]) for one in kept)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure once, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--reply-s", type=float, default=2.0)
    parser.add_argument("--in-flight", type=int, default=10)
    given = parser.parse_args(arguments)
    cost, counts = measured(given.pages, given.reply_s, given.in_flight)
    print(
        f"{given.pages} pages, {given.reply_s:g} s a reply, {given.in_flight} in flight; Python {platform.python_version()}\n"
    )
    print("| what | figure |\n|---|---:|")
    rows = {"from start to set, s": f"{cost.wall_s:.1f}", "CPU s": f"{cost.cpu_s:.1f}", "peak RSS MB": f"{cost.peak_mb:.0f}"}
    for label, figure in {**rows, **counts}.items():
        print(f"| {label} | {figure} |")
    print(f"| aim: below {AIM_S:.0f} s | {'met' if cost.wall_s < AIM_S else 'missed'} |")
    return int(cost.wall_s >= AIM_S)


if __name__ == "__main__":
    sys.exit(main())
