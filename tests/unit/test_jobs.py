"""Laws of commands that the app runs beside itself: what they print is kept, how they end is told, none outlives its need."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui_eval.tui import jobs
from tui_eval.tui.jobs import NOT_STARTED, Job
from tui_eval.workspace import Workspace

PATIENCE_S = 15.0


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run a shell in the place of this program, which starts slower."""
    monkeypatch.setattr(jobs, "own_command", lambda workspace: ["sh", "-c"])


def job(script: str, on_end: Callable[[Job], None] = lambda job: None, **more: Any) -> Job:
    """A job of a script, started."""
    made = Job(Workspace(Path(".")), [script], on_end, **more)
    made.start()
    return made


async def ended(script: str, **more: Any) -> Job:
    """A job that has told its end."""
    told: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
    job(script, told.set_result, **more)
    return await asyncio.wait_for(told, PATIENCE_S)


async def until(condition: Callable[[], object]) -> None:
    """Wait for a condition."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_ours(pid: int) -> bool:
    """Whether a process is still a child of this one, be it dead."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) == os.getpid()
    except OSError:
        return False


async def test_a_command_of_this_program(tmp_path: Path) -> None:
    """The program itself is run, in the workspace that was given: its data, its words and its code are there."""
    told: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
    made = Job(Workspace(tmp_path), ["--list-models", "--json"], told.set_result)
    assert not made.running and made.code is None
    made.start()
    assert made.running
    await asyncio.wait_for(told, PATIENCE_S)
    assert (made.code, made.stdout.strip(), made.words, made.running) == (0, "[]", "", False)


@pytest.mark.usefixtures("shell")
async def test_output_and_words_are_apart() -> None:
    """Data is kept byte for byte, words are safe to show, the exit code is the command's own."""
    done = await ended(r"printf 'a\033[31m\n'; printf 'w\033]0;x\a\n' >&2; exit 3")
    assert done.code == 3 and done.stdout == "a\x1b[31m\n"
    assert done.words == "w␛]0;x␇" and not done.timed_out and not done.cut


@pytest.mark.usefixtures("shell")
async def test_lines_are_told_as_they_come() -> None:
    """Each line is told once, in its order, before the end; one without a line feed at its end, too."""
    words: list[str] = []
    data: list[str] = []
    seen: list[int] = []
    script = r"printf '1\n\n2\n3'; printf 'a\nb\033' >&2"
    done = await ended(script, on_line=words.append, on_output=lambda line: (data.append(line), seen.append(len(words))))
    assert done.code == 0 and data == ["1", "2", "3"] and words == ["a", "b␛"]


@pytest.mark.usefixtures("shell")
async def test_a_line_comes_while_the_command_runs() -> None:
    """A line is told when it is printed, not when the command ends."""
    lines: list[str] = []
    made = job("echo now; sleep 60", on_output=lines.append)
    await until(lambda: lines == ["now"])
    assert made.running
    made.end()


@pytest.mark.usefixtures("shell")
async def test_what_is_kept_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that prints without end fills no memory, is not blocked, and it is told that something was left out."""
    monkeypatch.setattr(jobs, "MOST", 100_000)
    done = await ended("head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2", on_output=lambda line: None)
    assert done.code == 0 and len(done.stdout) == 100_000 and done.cut and done.words == "end"


@pytest.mark.usefixtures("shell")
async def test_standard_input() -> None:
    """What is to be read is written and closed, whatever its size; a command that reads none of it ends all the same."""
    text = "schlüssel" * 100_000
    done = await ended("wc -c", stdin=text)
    assert int(done.stdout) == len(text.encode())
    done = await ended("exec <&-; echo none", stdin=text)
    assert done.stdout == "none\n" and text not in repr(vars(done))
    assert (await ended("cat")).stdout == ""


@pytest.mark.usefixtures("shell")
async def test_a_limit_in_time() -> None:
    """A command that takes too long is killed with its children; that is told, with what it printed until then."""
    pids: list[str] = []
    done = await ended("sleep 60 & echo $!; echo working >&2; wait", limit_s=0.3, on_output=pids.append)
    assert done.timed_out and done.code == -9 and done.words.startswith("working") and "0.3 s" in done.words
    await until(lambda: not alive(int(pids[0])))


@pytest.mark.usefixtures("shell")
async def test_end_kills_children_and_tells_nobody() -> None:
    """An ended job is gone with all its processes, leaves no zombie, and its end is not told."""
    pids: list[str] = []
    told: list[Job] = []
    made = job("sleep 60 & echo $!; echo $$; wait", told.append, on_output=pids.append)
    await until(lambda: len(pids) == 2)
    made.end()
    made.end()
    assert not made.running
    await until(lambda: not any(alive(int(pid)) for pid in pids) and not is_ours(int(pids[1])))
    await asyncio.sleep(0)
    assert told == [] and made.code is None


@pytest.mark.usefixtures("shell")
async def test_ended_before_it_began() -> None:
    """A job that is ended at once leaves nothing behind, started or not."""
    told: list[Job] = []
    never = Job(Workspace(Path(".")), ["exit 0"], told.append)
    never.end()
    never.start()
    assert not never.running
    made = job("echo $$; sleep 60", told.append)
    made.end()
    assert made._task is not None
    await asyncio.wait_for(made._task, PATIENCE_S)
    assert told == []


@pytest.mark.usefixtures("shell")
async def test_ended_after_it_ended() -> None:
    """Ending a job that has told its end changes nothing."""
    done = await ended("exit 5")
    done.end()
    assert done.code == 5 and not done.running


async def test_a_command_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as an end with words, not raised."""
    monkeypatch.setattr(jobs, "own_command", lambda workspace: ["/nowhere/at/all"])
    done = await ended("x")
    assert done.code == NOT_STARTED and "could not be started" in done.words


@pytest.mark.usefixtures("shell")
def test_jobs_end_with_the_app() -> None:
    """When the app's loop ends, so do its jobs and their children; nothing waits for them."""
    pids: list[str] = []

    async def app() -> None:
        job("sleep 60 & echo $!; echo $$; wait", on_output=pids.append)
        await until(lambda: len(pids) == 2)

    began = time.monotonic()
    asyncio.run(app())
    assert time.monotonic() - began < 10 and not alive(int(pids[1])) and not is_ours(int(pids[1]))
    while alive(int(pids[0])) and time.monotonic() - began < PATIENCE_S:
        time.sleep(0.01)
    assert not alive(int(pids[0]))
