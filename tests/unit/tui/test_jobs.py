"""Laws of commands that the app runs beside itself: what they print is kept, how they end is told, none outlives its need."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from makers import none_on_file
from soaking import quick_first

from tui_eval.tui.background import jobs
from tui_eval.tui.background.jobs import NOT_STARTED, CommandJob
from tui_eval.workspace.places import Workspace

PATIENCE_S = 60.0
TEXT = "schlüssel" * 100_000
"""More than a pipe holds: a command that does not read it leaves the rest with us."""
COMMANDS = {
    "quiet": "echo said; exec sleep 600",
    "with children": "sleep 600 & echo said; wait",
    "that prints without end": "echo said; exec yes",
    "that has closed its outputs": "echo said; exec >&- 2>&-; sleep 600",
    "with a child out of reach, which keeps its outputs open": "setsid sh -c 'echo said; exec sleep 30' & wait",
}
"""Commands that go on, each from the moment it has said so."""


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run a shell in the place of this program, which starts slower."""
    monkeypatch.setattr(jobs, "own_command", lambda workspace: ["sh", "-c"])


def job(script: str, on_end: Callable[[CommandJob], None] = lambda job: None, **more: Any) -> CommandJob:
    """A job of a script, started."""
    made = CommandJob(Workspace(Path(".")), [script], on_end, **more)
    made.start()
    return made


async def ended(script: str, **more: Any) -> CommandJob:
    """A job that has told its end."""
    told: asyncio.Future[CommandJob] = asyncio.get_running_loop().create_future()
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


def children() -> set[int]:
    """Our child processes, dead ones too."""
    return {int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit() and is_ours(int(place.name))}


def open_files() -> set[tuple[str, str]]:
    """What this process has open: pipes are told apart by their numbers, which are used once."""
    found = set()
    for place in Path("/proc/self/fd").iterdir():
        try:
            found.add((place.name, os.readlink(place)))
        except OSError:  # it was the one that reads this folder
            continue
    return found


def lived(app: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """An app from its start to its end, in a thread: one that never ends fails a test, not all of them.

    Where it ends, nothing that it had is left: no child, be it dead, and no open file.
    """
    before = children(), open_files()
    thread = threading.Thread(target=lambda: asyncio.run(app()), daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive(), "the app does not end"
    assert (children() - before[0], open_files() - before[1]) == (set(), set())


@pytest.fixture
def no_leftovers() -> Iterator[None]:
    """A test after which nothing is found that was left open and forgotten: it would fail whichever test comes then."""
    with warnings.catch_warnings(action="ignore"):
        gc.collect()  # what others have left is not ours to tell
        gc.freeze()  # nor to go through again
    yield
    with warnings.catch_warnings(record=True, action="always") as left:
        gc.collect()
    assert [str(warning.message) for warning in left] == []


async def test_a_command_of_this_program(tmp_path: Path) -> None:
    """The program itself is run, in the workspace that was given: its data, its words and its code are there."""
    told: asyncio.Future[CommandJob] = asyncio.get_running_loop().create_future()
    made = CommandJob(Workspace(none_on_file(tmp_path)), ["models", "list", "--json"], told.set_result)
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
    made = job("echo now; sleep 600", on_output=lines.append)
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
    done = await ended("wc -c", stdin=TEXT)
    assert int(done.stdout) == len(TEXT.encode())
    done = await ended("exec <&-; echo none", stdin=TEXT)
    assert done.stdout == "none\n" and TEXT not in repr(vars(done))
    assert (await ended("cat")).stdout == ""


@pytest.mark.soak
@pytest.mark.usefixtures("shell")
async def test_a_limit_in_time() -> None:
    """A command that takes too long is killed with its children; that is told, with what it printed until then."""
    pids: list[str] = []
    done = await ended("sleep 600 & echo $!; echo working >&2; wait", limit_s=4, on_output=pids.append)
    assert done.timed_out and done.code == -9 and done.words.startswith("working") and "4 s" in done.words
    await until(lambda: not alive(int(pids[0])))


@pytest.mark.usefixtures("shell")
async def test_end_kills_children_and_tells_nobody() -> None:
    """An ended job is gone with all its processes, leaves no zombie, and its end is not told."""
    pids: list[str] = []
    told: list[CommandJob] = []
    made = job("sleep 600 & echo $!; echo $$; wait", told.append, on_output=pids.append)
    await until(lambda: len(pids) == 2)
    made.end()
    made.end()
    assert not made.running
    await until(lambda: not any(alive(int(pid)) for pid in pids) and not is_ours(int(pids[1])))
    await asyncio.sleep(0)
    assert told == [] and made.code is None


@pytest.mark.usefixtures("shell")
async def test_an_ended_job_tells_no_more_lines() -> None:
    """Not even those that came together with the one at which it was ended."""
    lines: list[str] = []
    made = CommandJob(
        Workspace(Path(".")), [r"printf '1\n2\n3'; exec sleep 600"], lambda job: None, on_output=lambda line: heard(line)
    )

    def heard(line: str) -> None:
        lines.append(line)
        made.end()

    made.start()
    assert made._task is not None
    await asyncio.wait_for(made._task, PATIENCE_S)
    assert lines == ["1"]


@pytest.mark.usefixtures("shell")
async def test_ended_before_it_began() -> None:
    """A job that is ended at once leaves nothing behind, started or not."""
    told: list[CommandJob] = []
    never = CommandJob(Workspace(Path(".")), ["exit 0"], told.append)
    never.end()
    never.start()
    assert not never.running
    made = job("echo $$; sleep 600", told.append)
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


async def test_what_cannot_be_told_to_a_command(tmp_path: Path) -> None:
    """Text that is none in UTF-8: told as an end with words, too."""
    told: asyncio.Future[CommandJob] = asyncio.get_running_loop().create_future()
    CommandJob(Workspace(tmp_path), ["models", "list"], told.set_result, stdin="\ud800").start()
    done = await asyncio.wait_for(told, PATIENCE_S)
    assert done.code == NOT_STARTED and "could not be started" in done.words


@pytest.mark.usefixtures("shell")
def test_jobs_end_with_the_app() -> None:
    """When the app's loop ends, so do its jobs and their children; nothing waits for them."""
    pids: list[str] = []

    async def app() -> None:
        job("sleep 600 & echo $!; echo $$; wait", on_output=pids.append)
        await until(lambda: len(pids) == 2)

    lived(app)
    assert not is_ours(int(pids[1]))
    end = time.monotonic() + PATIENCE_S
    while alive(int(pids[0])) and time.monotonic() < end:
        time.sleep(0.01)
    assert not alive(int(pids[0]))


# --- nothing is left open ---


async def _leave(made: CommandJob) -> None:
    """The app leaves while it runs."""


async def _end(made: CommandJob) -> None:
    """It is ended, and the app leaves at once."""
    made.end()


async def _end_and_stay(made: CommandJob) -> None:
    """It is ended, and the app leaves later."""
    made.end()
    assert made._task is not None
    await asyncio.wait_for(made._task, PATIENCE_S)


async def _end_and_leave_as_it_dies(made: CommandJob) -> None:
    """It is ended, and the app leaves once it is dead, whatever else is under way."""
    made.end()
    await until(lambda: made._process is not None and made._process.returncode is not None)


async def _kill(made: CommandJob) -> None:
    """Somebody else kills the command, not what it started, and the app leaves as it dies."""
    assert made._process is not None
    pid = made._process.pid
    os.kill(pid, 9)
    await until(lambda: not alive(pid))


@pytest.mark.usefixtures("shell", "no_leftovers")
@pytest.mark.parametrize("text", quick_first([None, TEXT]), ids=["no input", "unread input"])
@pytest.mark.parametrize("manner", quick_first([_end_and_leave_as_it_dies, _leave, _end, _end_and_stay, _kill]))
def test_nothing_is_left_of_a_job_that_runs(manner: Callable[[CommandJob], Awaitable[None]], text: str | None) -> None:
    """However a command goes on, and however it is left: no child, no open pipe, nothing forgotten, and no waiting."""
    for script in COMMANDS.values():

        async def app(script: str = script) -> None:
            lines: list[str] = []
            made = job(script, stdin=text, on_output=lambda line: None if lines else lines.append(line))
            await until(lambda: lines == ["said"])
            await manner(made)

        lived(app)


@pytest.mark.soak
@pytest.mark.usefixtures("shell", "no_leftovers")
@pytest.mark.parametrize("text", quick_first([None, TEXT]), ids=["no input", "unread input"])
def test_nothing_is_left_of_a_job_that_took_too_long(text: str | None) -> None:
    """Its limit ends the waiting, too, where a process that cannot be killed with it keeps its outputs open."""

    async def app() -> None:
        jobs = [ended(script, stdin=text, limit_s=0.5) for script in COMMANDS.values()]
        assert all(done.timed_out for done in await asyncio.gather(*jobs))

    lived(app)


@pytest.mark.usefixtures("shell", "no_leftovers")
@pytest.mark.parametrize(
    "script", quick_first(["cat >&2", "exit 3", "exec <&-; echo none", "kill -9 $$", "exec >&- 2>&-; exit 1"])
)
def test_nothing_is_left_of_a_job_that_ended(script: str) -> None:
    """By itself, its input read, refused or not there, or killed by somebody else: the app may leave in that moment."""

    async def app() -> None:
        for text in (None, "", TEXT):
            await ended(script, stdin=text)

    lived(app)


@pytest.mark.usefixtures("no_leftovers")
def test_nothing_is_left_of_a_job_that_never_began(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that is not there, or that no system takes."""

    async def app() -> None:
        for command in ("/nowhere/at/all", "sh\0"):
            monkeypatch.setattr(jobs, "own_command", lambda workspace, command=command: [command])
            assert (await ended("x", stdin=TEXT)).code == NOT_STARTED

    lived(app)


@pytest.mark.usefixtures("shell", "no_leftovers")
@pytest.mark.parametrize("manner", quick_first([_leave, _end]))
def test_nothing_is_left_of_a_job_that_begins(manner: Callable[[CommandJob], Awaitable[None]]) -> None:
    """In whichever turn of the loop after its start it is left: the app ends, and so does it."""
    for turns in range(12):

        async def app(turns: int = turns) -> None:
            made = job("sleep 600 & wait", stdin=TEXT)
            for _ in range(turns):
                await asyncio.sleep(0)
            await manner(made)

        lived(app)
