"""What distinct questions cost: CPU until the first request, and memory a question; with a key on, cache on and off.

python benchmarks/many_questions.py [--starts 2000,10000,100000] [--slope 2000,20000] [--resumes 10000,50000] [--quick]
python benchmarks/many_questions.py --starts "" --slope "" --wholes 1000000 --characters 220 [--kinds panel]

The questions come from a file, each with some 700 characters of its own. The first request is noted by the server that gets it,
which reads the CPU time of the run's process from the kernel at that moment; resident memory is read while the run goes on.
With --wholes 1000000 --characters 220 runs of as many questions go to their end: each may take 400 MB and 15 minutes of CPU.
With --resumes a run is killed when all but a few of its questions are answered, and taken up: CPU until its next request.
The server is a bare one in this process: its time is nobody's. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import signal
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from own_folder import own

KINDS = ("panel", "choice")
TEXT = "the gauge was read at dawn and at dusk while the sluice stood open, " * 12
CHARACTERS = 730
TICK_S = 0.02
LIMIT_S, MOST_MB = 900.0, 400.0
"""Of a whole run, CPU and resident memory at most."""
WALL_S = 3 * LIMIT_S
MOST_S_TO_FIRST, MOST_QUESTIONS, MOST_BYTES = 1.5, 10_000, 2500
"""The aims: CPU until the first request of so many questions at most, and memory a question."""
FEW, LEFT, LEAST_SETTLED = 300, 200, 5000
"""Questions of a run that shows what a start takes; those a killed run leaves unasked; settled calls a CPU second at least."""
REPLY = json.dumps(
    {
        "id": "bare",
        "model": "bare",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Answer: A"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 3, "total_tokens": 203},
    }
).encode()


@dataclass(slots=True)
class Found:
    """What one run took."""

    kind: str
    questions: int
    cache: bool
    first_cpu_s: float = 0.0
    """CPU of the process when its first request arrived; 0 until then."""
    answered: int = 0
    last_cpu_s: float = 0.0
    """CPU of the process when the last request arrived that its questions make, each once."""
    cpu_s: float = 0.0
    """CPU of the process when it was last looked at."""
    peaks: dict[str, int] = field(default_factory=dict)
    """The highest resident memory, bytes: `start` until the first request, `calls` while calling, `end` after that."""
    exit_code: int | None = None


class Server:
    """Answers every request at once, on one port; tells a run of its first one."""

    def __init__(self, characters: int = CHARACTERS) -> None:
        """`characters`: of each question that it is asked."""
        self.found: Found | None = None
        self.characters = characters
        self.pid = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until it is closed."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.partition(b":")[2]))
                self._note()
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(REPLY))
                writer.write(REPLY)
                await writer.drain()
        writer.close()

    def _note(self) -> None:
        assert self.found is not None
        if not self.found.answered:
            self.found.first_cpu_s = cpu_s(self.pid)
        self.found.answered += 1
        if self.found.answered == self.found.questions:
            self.found.last_cpu_s = cpu_s(self.pid)


def cpu_s(pid: int) -> float:
    """User and system time of a live process, seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Resident memory of a live process, bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def write_config(folder: Path, kind: str, questions: int, cache: bool, port: int, characters: int = CHARACTERS) -> Path:
    """A config with so many questions of a kind, each of some `characters`; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    padding = TEXT[: characters - 50]
    if kind == "panel":
        lines = (f"Question {i:06d}: {padding}. How long was it open?\n" for i in range(questions))
        table = 'questions_file = "questions.txt"\n[[panel.doers]]\nmodel = "bare"\n'
        _write(folder / "questions.txt", lines)
    else:
        options = ["one day", "two days", "three days", "four days"]
        rows = (
            {"id": f"q{i:06d}", "question": f"{padding}: {i:06d}?", "choices": options, "answer": i % 4}
            for i in range(questions)
        )
        table = 'benchmark = "questions.jsonl"\nmodels = ["bare"]\n'
        _write(folder / "questions.jsonl", (json.dumps(row) + "\n" for row in rows))
    config = own(folder) / "questions.toml"
    config.write_text(
        f'kind = "{kind}"\nname = "questions"\n'
        f"[run]\nmax_calls = {questions}\nmax_concurrency = 50\ncache = {str(cache).lower()}\n"
        f'[[models]]\nname = "bare"\nwire = "openai"\nmodel = "bare"\nbase_url = "http://127.0.0.1:{port}/v1"\n'
        f'api_key_env = "BENCHMARK_API_KEY"\n[{kind}]\n{table}',
        encoding="utf-8",
    )
    return config


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


async def measured(server: Server, folder: Path, port: int, kind: str, questions: int, cache: bool, until: int) -> Found:
    """One run in a process of its own, until so many requests have come; to its end where that is beyond its questions."""
    config = write_config(folder, kind, questions, cache, port, server.characters)
    words = ["--run", str(config), "--out", str(folder / "out"), "--no-preflight"]
    return await _watched(server, folder, words, Found(kind, questions, cache), until)


async def taken_up(server: Server, folder: Path, port: int, kind: str, questions: int) -> Found:
    """A run that was killed when all but a few of its questions were answered, taken up until its next request."""
    await measured(server, folder, port, kind, questions, False, questions - LEFT)
    return await _watched(server, folder, ["resume", str(folder / "out")], Found(kind, questions, False), 1)


async def _watched(server: Server, folder: Path, words: Sequence[str], found: Found, until: int) -> Found:
    """A command in a process of its own, watched until so many requests have come or it ends."""
    server.found = found
    command, questions, kind, to_end = (
        [sys.executable, "-m", "tui_eval", *words],
        found.questions,
        found.kind,
        until > found.questions,
    )
    environment = {**os.environ, "BENCHMARK_API_KEY": "sk-bench-0123456789abcdefghijklmn"}
    nothing = asyncio.subprocess.DEVNULL
    said = os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=said
    )
    os.close(said)
    server.pid = process.pid
    try:
        async with asyncio.timeout(WALL_S):
            while process.returncode is None and found.answered < until:
                phase = "start" if not found.answered else "calls" if found.answered < questions else "end"
                with contextlib.suppress(OSError):
                    found.peaks[phase] = max(found.peaks.get(phase, 0), resident(process.pid))
                    found.cpu_s = cpu_s(process.pid)
                await asyncio.sleep(TICK_S)
    finally:
        if process.returncode is None:
            process.kill()
        found.exit_code = await process.wait()
    if not found.answered or (to_end and found.exit_code != 0):
        raise RuntimeError(f"{kind}, {questions:,}: exit code {found.exit_code}: {(folder / 'stderr').read_text()[-2000:]}")
    print(f"{found}", file=sys.stderr)
    return found


def starts_table(starts: Sequence[Found]) -> str:
    """CPU until the first request."""
    lines = [
        "| kind | questions | CPU until the first request, s | peak RSS until then, MB | met |",
        "|---|---:|---:|---:|---|",
    ]
    for key in dict.fromkeys((one.kind, one.questions) for one in starts):
        same = [one for one in starts if (one.kind, one.questions) == key]
        cpu = statistics.median(one.first_cpu_s for one in same)
        peak = max(one.peaks.get("start", 0) for one in same) / 1e6
        met = "-" if key[1] > MOST_QUESTIONS else "yes" if cpu <= MOST_S_TO_FIRST else "NO"
        lines.append(f"| {key[0]} | {key[1]:,} | {cpu:.2f} | {peak:.0f} | {met} |")
    return "\n".join(lines)


def slopes_table(slopes: Sequence[tuple[Found, Found]]) -> str:
    """How memory grows with questions, bytes a question, up to each part of the run."""
    lines = ["| kind | cache | before the first request | while calling | to the end | met |", "|---|---|---:|---:|---:|---|"]
    for few, many in slopes:
        more = many.questions - few.questions
        grown = [(max(_until(many, part)) - max(_until(few, part))) / more for part in ("start", "calls", "end")]
        cells = " | ".join(f"{each:,.0f}" for each in grown)
        met = "yes" if max(grown) < MOST_BYTES else "NO"
        lines.append(f"| {few.kind} | {'on' if few.cache else 'off'} | {cells} | {met} |")
    return "\n".join(lines)


def resumes_table(resumes: Sequence[Found]) -> str:
    """Settled calls that are gone through in a second of CPU before the next request, what a start takes left out."""
    lines = [
        "| kind | settled | CPU until the next request, s | of it a start | settled calls/s | met |",
        "|---|---:|---:|---:|---:|---|",
    ]
    start = {one.kind: one for one in resumes if one.questions == FEW}
    for one in resumes:
        if one.questions != FEW:
            rate = (one.questions - FEW) / max(one.first_cpu_s - start[one.kind].first_cpu_s, 1e-3)
            spent = f"{one.first_cpu_s:.2f} | {start[one.kind].first_cpu_s:.2f} | {rate:,.0f}"
            lines.append(f"| {one.kind} | {one.questions - LEFT:,} | {spent} | {'yes' if rate >= LEAST_SETTLED else 'NO'} |")
    return "\n".join(lines)


def wholes_table(wholes: Sequence[Found]) -> str:
    """What whole runs take."""
    lines = [
        "| kind | questions | CPU, s: begin, calling, end | CPU, s | peak RSS: begin, calling, end, MB | met |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for one in wholes:
        peaks = [one.peaks.get(part, 0) / 1e6 for part in ("start", "calls", "end")]
        met = "yes" if max(peaks) <= MOST_MB and one.cpu_s <= LIMIT_S else "NO"
        parts = (one.first_cpu_s, one.last_cpu_s - one.first_cpu_s, one.cpu_s - one.last_cpu_s)
        spent = f"{', '.join(f'{part:.0f}' for part in parts)} | {one.cpu_s:.0f}"
        cells = f"{spent} | {', '.join(f'{peak:.0f}' for peak in peaks)} | {met}"
        lines.append(f"| {one.kind} | {one.questions:,} | {cells} |")
    return "\n".join(lines)


def _until(found: Found, part: str) -> list[int]:
    """The peaks up to a part of the run, that one included."""
    parts = ("start", "calls", "end")
    return [found.peaks.get(each, 0) for each in parts[: parts.index(part) + 1]]


async def measure(
    kinds: Sequence[str],
    starts: Sequence[int],
    slope: Sequence[int],
    resumes: Sequence[int],
    rounds: int,
    wholes: Sequence[int] = (),
    characters: int = CHARACTERS,
) -> None:
    """Everything, printed as tables; progress goes to stderr."""
    server = Server(characters)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=2**22)
    port = listening.sockets[0].getsockname()[1]
    begun: list[Found] = []
    grown: list[tuple[Found, Found]] = []
    resumed: list[Found] = []
    whole: list[Found] = []
    for kind in kinds:
        for questions in wholes:
            with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as folder:
                whole.append(await measured(server, Path(folder), port, kind, questions, False, questions + 1))
        for questions in starts:
            for _ in range(rounds):
                with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as folder:
                    begun.append(await measured(server, Path(folder), port, kind, questions, False, 1))
        for cache in (False, True) if slope else ():
            ends = []
            for questions in slope:
                with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as folder:
                    ends.append(await measured(server, Path(folder), port, kind, questions, cache, questions + 1))
            grown.append((ends[0], ends[-1]))
        for questions in (FEW, *resumes) if resumes else ():
            with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as folder:
                resumed.append(await taken_up(server, Path(folder), port, kind, questions))
    listening.close()
    print(f"Python {platform.python_version()}; questions of some {characters} characters, from a file.\n")
    tables = (
        wholes_table(whole) if whole else "",
        starts_table(begun) if begun else "",
        slopes_table(grown) if grown else "",
        resumes_table(resumed) if resumed else "",
    )
    print(*filter(None, tables), sep="\n\n")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


def main() -> int:
    """Measure and print. SIGTERM ends it with its children and its temporary folders."""
    parser = argparse.ArgumentParser(description="What distinct questions cost before the first request, and in memory.")
    parser.add_argument("--starts", type=_numbers, default=[2_000, 10_000, 100_000], help="how many questions, comma-separated")
    parser.add_argument("--slope", type=_numbers, default=[2_000, 20_000], help="few and many; empty = memory is not measured")
    parser.add_argument(
        "--resumes", type=_numbers, default=[], help="questions of runs that are killed and taken up; default: none"
    )
    parser.add_argument(
        "--wholes", type=_numbers, default=[], help="questions of whole runs, one after the other; default: none"
    )
    parser.add_argument("--characters", type=int, default=CHARACTERS, help="of each question")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, help="default: all")
    parser.add_argument("--quick", action="store_true", help="one round instead of three")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(128 + signal.SIGTERM))
    rounds, sizes = 1 if options.quick else 3, (options.starts, options.slope, options.resumes)
    asyncio.run(measure(options.kinds or KINDS, *sizes, rounds, options.wholes, options.characters))
    return 0


if __name__ == "__main__":
    sys.exit(main())
