"""The app on a real terminal: what it leaves behind, what it lives through, and that no text of a run steers the terminal."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import termios
import threading
import time
from ast import literal_eval
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from soaking import quick_first
from terminal import Terminal, clean_environment
from waiting import until

from tui_eval.runs import steering
from tui_eval.runs.entry import live_process
from tui_eval.runs.folder import LOG, PROGRESS, RunFolder

ROOT = Path(__file__).resolve().parents[2]
QUIET_S = 2.0
SETTLED_S = 0.6
LONGEST_DRAWING = 8
"""So many times the screens may not have come to rest yet; what is drawn again and again, as a clock is, never rests."""
ENDS_WITHIN_S = 60.0
MOST_GROWTH_MB = 30
GOES_ON = "go on|goes on|RUN continues"
DYING = """
import sys
from tui_eval.cli import command_line
from tui_eval.tui import start
class Dying(start.EvalApp):
    def action_help(self):
        self.call_later(self.fall)
    def fall(self):
        raise RuntimeError("this handler is broken")
start.EvalApp = Dying
sys.exit(command_line.main(sys.argv[1:]))
"""
"""The app as it is started, with one handler that raises."""
COLLECTED = """
import atexit, gc, sys
from pathlib import Path
from tui_eval.cli import command_line
seen, kept = Path(sys.argv.pop(1)), (gc.get_threshold, gc.get_freeze_count)
atexit.register(lambda: seen.write_text(repr([look() for look in kept])))
sys.exit(command_line.main(sys.argv[1:]))
"""
"""The app as it is started; once it ends it writes down how its garbage was looked for."""

# runs


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A simulator that answers at once, in a process of its own; its address."""
    command = [sys.executable, "-m", "tui_eval.simulator", "--port", "0", "--latency-scale", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def config(folder: Path, example: str, url: str, slow: bool = False) -> Path:
    """A shipped example in a folder of ours, asked of our own simulator; if slow, of models that take 300 ms."""
    shutil.copytree(ROOT / "examples" / example, folder / example, dirs_exist_ok=True)
    text = (ROOT / "examples" / f"{example}.toml").read_text(encoding="utf-8")
    if slow:
        text = re.sub('model = "sim-.*"', 'model = "bench-300ms"', text)
    file = folder / f"{example}.toml"
    file.write_text(text.replace('wire = "simulator"', f'wire = "simulator"\nbase_url = "{url}"'), encoding="utf-8")
    return file


def headless(workspace: Path, *arguments: object) -> subprocess.Popen[bytes]:
    """A tui-eval process in a session of its own, as started in another terminal."""
    command = [sys.executable, "-m", "tui_eval", "--workspace", str(workspace), *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, server: str) -> Path:
    """A workspace with a finished panel and a finished choice run; only to be looked at."""
    workspace = tmp_path_factory.mktemp("finished")
    started = [
        headless(workspace, "--run", config(workspace, example, server), "--out", workspace / "runs" / name, *more)
        for example, name, more in (
            ("quickstart", "20260101_120000_0001_panel", ()),
            ("choice", "20260101_110000_0002_exam", ("--models", "scholar,sprinter,rambler")),
        )
    ]
    assert all(process.wait(240) in (0, 3) for process in started)
    return workspace


@pytest.fixture
def workspace(tmp_path: Path, finished: Path) -> Path:
    """A workspace of the test's own with the finished panel run."""
    shutil.copytree(finished / "runs" / "20260101_120000_0001_panel", tmp_path / "runs" / "20260101_120000_0001_panel")
    return tmp_path


@pytest.fixture
def held(workspace: Path) -> Iterator[RunFolder]:
    """The run of the workspace made live: this process holds it, and its progress says that it runs."""
    folder = RunFolder(next((workspace / "runs").iterdir()))
    say_progress(folder, 10)
    yield folder
    folder.close()


def say_progress(folder: RunFolder, done: int) -> None:
    """Write where the held run stands."""
    said = json.loads((folder.path / PROGRESS).read_bytes())
    folder.replace(PROGRESS, json.dumps({**said, "state": "running", "done": done, "planned": 144}))


def app(workspace: Path, *arguments: object, **more: Any) -> Terminal:
    """The app on a workspace, from the moment its runs stand on the screen."""
    terminal = Terminal(["--workspace", workspace, *arguments], **more)
    terminal.wait_for("Help")
    return terminal


# the terminal afterwards


def assert_restored(terminal: Terminal) -> None:
    """Everything that was switched on is off again, and the shell finds its line mode and echo."""
    last = dict(re.findall(rb"\x1b\[\?(\d+)([hl])", terminal.received))
    for mode in (b"1049", b"1000", b"1002", b"1003", b"1006", b"1015", b"1004", b"2004", b"2026", b"2048"):
        assert last.get(mode, b"l") == b"l", f"mode {mode.decode()} is still on"
    assert last[b"25"] == b"h", "the cursor is hidden"
    assert last.get(b"7", b"h") == b"h", "lines are not wrapped"
    assert terminal.received.count(b"\x1b[>25u") <= terminal.received.count(b"\x1b[<u"), "the keyboard mode is still on"
    assert terminal.attributes[:6] == terminal.before[:6]
    assert terminal.attributes[6][termios.VMIN] == terminal.before[6][termios.VMIN]  # type: ignore[index]


@pytest.mark.parametrize("how", quick_first(["q", "\x11", "SIGTERM", "crash"]))
def test_the_terminal_is_as_before_and_is_told_that_runs_go_on(how: str, workspace: Path, held: RunFolder) -> None:
    """Whatever ends the app, the terminal is left as it was found, and the last line says that the run goes on."""
    program = ("-c", DYING) if how == "crash" else ("-m", "tui_eval")
    with app(workspace, program=program) as terminal:
        terminal.wait_for("running")
        if how == "SIGTERM":
            terminal.signal(signal.SIGTERM)
        else:
            terminal.send("?" if how == "crash" else how)
        code = terminal.end()
        assert_restored(terminal)
        assert (code == 0) == (how in ("q", "\x11"))
        assert re.search(GOES_ON, "\n".join(terminal.left_behind.splitlines()[-2:])), terminal.left_behind[-300:]
        assert how != "crash" or "this handler is broken" in terminal.left_behind


@pytest.mark.soak
def test_no_key_waits_for_a_long_look_for_garbage(finished: Path, tmp_path: Path) -> None:
    """A look goes through some thousand new objects, and what was loaded is frozen: of 400,000 one took 100 ms."""
    with Terminal(["-c", COLLECTED, tmp_path / "seen", "--workspace", finished], program=()) as terminal:
        terminal.wait_for("2 runs")
        terminal.send("q")
        assert terminal.end() == 0

    (young, middle, _), frozen = literal_eval((tmp_path / "seen").read_text())
    assert young * middle <= 10_000 and frozen > 20_000


@pytest.mark.soak
def test_a_run_outlives_its_terminal_and_is_attached_to_again(tmp_path: Path, server: str) -> None:
    """The app takes a run up; its terminal is lost: the app ends, the run goes on, and a second app shows it."""
    path = tmp_path / "runs" / "20260101_000000_0001_cut"
    slowly = ["--set", "run.max_concurrency=1", "--no-preflight"]
    first = headless(tmp_path, "--run", config(tmp_path, "quickstart", server, slow=True), "--out", path, *slowly)
    until(lambda: size_of(path / LOG) > 10_000)
    first.kill()
    first.wait()
    try:
        with app(tmp_path) as terminal:
            terminal.wait_for("interrupt")
            terminal.send("r")
            until(lambda: live_process(path))
            terminal.wait_for("running")
            terminal.close()
            assert terminal.process.wait(ENDS_WITHIN_S) != 0
        before = size_of(path / LOG)
        until(lambda: size_of(path / LOG) > before)
        assert live_process(path)
        with app(tmp_path, path) as terminal:
            terminal.wait_for("running")
            assert terminal.process.poll() is None
    finally:
        with contextlib.suppress(Exception):
            steering.stop(path)
        until(lambda: not live_process(path))


def size_of(file: Path) -> int:
    """Bytes of a file; 0 while there is none."""
    return file.stat().st_size if file.exists() else 0


# what it lives through


@pytest.mark.soak
def test_a_terminal_that_stops_reading_costs_no_memory_and_is_served_again(workspace: Path, held: RunFolder) -> None:
    """While nothing is read, the app waits and does not hoard, and the run writes on; then the screen is up to date."""
    source = (held.path / LOG).read_bytes().splitlines(keepends=True)
    stop = threading.Event()
    with app(workspace, held.path) as terminal:
        terminal.wait_for("running")
        for key in "3646":  # what the screens load when they are first seen is no hoard
            terminal.send(key)
            terminal.wait_for_quiet(0.5)
        before, logged = memory_mb(terminal.process.pid), size_of(held.path / LOG)
        terminal.stop_reading()
        writer = threading.Thread(target=write_on, args=(held, source, stop))
        writer.start()
        for key in "36" * 20 + "4":
            terminal.send(key)
            time.sleep(0.05)
        until(lambda: size_of(held.path / LOG) - logged > 100_000)
        stop.set()
        writer.join()
        assert memory_mb(terminal.process.pid) - before < MOST_GROWTH_MB
        say_progress(held, 72)
        terminal.go_on_reading()
        terminal.wait_for("47 %")  # of 72 calls, 3 are beyond the plan
        assert terminal.process.poll() is None


def write_on(folder: RunFolder, source: list[bytes], stop: threading.Event) -> None:
    """Append lines of a log again and again, as a run does."""
    number = 0
    while not stop.is_set():
        for _ in range(10):
            folder.append(LOG, source[number % len(source)].decode())
            number += 1
        say_progress(folder, 10 + number % 50)
        stop.wait(0.05)


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found.group(1)) / 1024


@pytest.mark.soak
def test_any_sizes_one_after_the_other_leave_the_screen_right(finished: Path) -> None:
    """Fifty sizes from 1 x 1 to 200 x 60 in two seconds: afterwards the screen is that of an app that saw one size only.

    Two living screens are compared until they agree: what was read once may be a screen half drawn.
    """
    chance = random.Random(7)
    with app(finished) as terminal, app(finished) as undisturbed:
        undisturbed.wait_for("lighthouse")
        for _ in range(50):
            terminal.resize(chance.randint(1, 200), chance.randint(1, 60))
            time.sleep(chance.choice((0, 0.01, 0.05, 0.08)))
        terminal.resize(80, 24)
        terminal.wait_for(lambda text: "lighthouse" in text and text == undisturbed.text)
        assert terminal.process.poll() is None


IDLE = ("", "L", "\r", ":", "/", "?", "D", "s", "6/", "1a")
"""Keys that lead to what is looked at: among it a palette, filters, dialogs and a form."""


@pytest.mark.soak
def test_nothing_is_written_while_nothing_changes(finished: Path) -> None:
    """Lists, a result, palette, filter, help, dialogs, a form: once drawn, not a byte in two seconds. A slow machine may draw
    for a while."""
    with contextlib.ExitStack() as stack:
        terminals = [stack.enter_context(app(finished)) for _ in IDLE]
        for terminal, keys in zip(terminals, IDLE, strict=True):
            terminal.wait_for("quickstart")
            terminal.send(keys) if keys else None
        for _ in range(LONGEST_DRAWING):
            for terminal in terminals:
                terminal.wait_for_quiet(SETTLED_S)
            marks = [terminal.mark for terminal in terminals]
            time.sleep(QUIET_S)
            written = [terminal.bytes_since(mark) for terminal, mark in zip(terminals, marks, strict=True)]
            if not any(written):
                break
        assert not any(written), [len(each) for each in written]


# where there is no terminal worth the name


def test_a_terminal_that_cannot_move_its_cursor_is_told_the_headless_commands(tmp_path: Path) -> None:
    """TERM=dumb: one sentence, exit code 2, and nothing of Textual is loaded."""
    program = ("-X", "importtime", "-m", "tui_eval")
    with Terminal(["--workspace", tmp_path], environment={"TERM": "dumb"}, program=program) as terminal:
        assert terminal.end() == 2
        assert b"TERM=dumb" in terminal.received
        assert b"tui-eval run" in terminal.received
        assert b"tui_eval.cli.command_line" in terminal.received
        assert not re.search(rb"\| +(textual|rich|tui_eval\.tui)\b", terminal.received)


@pytest.mark.soak
def test_quiet_is_no_matter_for_the_app(finished: Path) -> None:
    """It draws on standard error, which -q silences for every verb."""
    with app(finished, "-q") as terminal:
        terminal.wait_for("lighthouse")


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    """Standard streams that are no terminals: one sentence and exit code 2."""
    command = [sys.executable, "-m", "tui_eval", "--workspace", str(tmp_path)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=clean_environment({}), check=False)
    assert ended.returncode == 2
    assert b"needs a terminal" in ended.stderr
    assert ended.stdout == b""


@pytest.mark.soak
def test_no_color_means_no_colour(finished: Path) -> None:
    """With NO_COLOR set, not one colour code is written."""
    with app(finished, environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("lighthouse")
        terminal.send("?")
        terminal.wait_for("Keys of")
        terminal.send("q")
        terminal.wait_for_quiet(0.2)
        codes = {code for found in re.findall(rb"\x1b\[([0-9;]*)m", terminal.received) for code in found.split(b";")}
        assert codes <= {b"", *(b"%d" % number for number in (*range(10), *range(21, 30), 39, 49))}


# texts of strangers

PAYLOADS = (
    "\x1b]52;c;{}\x07", "\x1b[2J{}", "\x9b31m{}", "\x1b]0;{}\x1b\\", "\x07{}", "[/b]{}", "[@click=app.quit]{}[/]", "[bold{}",
    "\u202e{}\u2066", "\ud83d\ud800{}\udfff", "a\u0301" * 20 + "{}", "\U0001f468\u200d\U0001f469\ufe0f" * 20 + "{}",
    "\x90{}\x9c", "\x1b_G{}\x1b\\", "\r\n\t\x0b\x0c{}\x7f\x08", "\x9d52;c;{}\x07", "$text-error {}", "%s {{0}} {}",
)  # fmt: skip
"""What a text could do to a terminal, to mark-up and to layouts. Each gets a marker of its own."""
LONG = ("a" + "\u0301" * 10_000, "\U0001f3f4\U000e0067\U000e007f\u200d" * 2000, "\u202e" + "x" * 5000 + "\x1b[2J")
OWN_WORDS = re.compile(r"[0-9a-f]{16,64}|[^-]{1,40}-[0-9]{1,8}|\d{4}-\d\d-\d\d.*|[a-z_]{1,14}")
"""Strings that hold ids, times and words of ours: with others in their place it would be no run folder any more."""
MARKER = rb"MK\d+KM"
CONTROLS = "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
EMITTED = re.compile(
    rb"\x1b(?:\[[0-9;]*m|\[\d+;\d+H|\[\d+C|\[\?(?:1000|1002|1003|1004|1006|1015|1049|2004|2026|2048|25|7)[hl]"
    rb"|\[\?20(?:26|48)\$p|\[>\d+u|\[<u|\[\?u|\]22;[a-z-]*\x07"
    rb"|\]52;c;[A-Za-z0-9+/=]*\x07)"
)
"""Every sequence that the app and Textual write themselves; what is copied goes in base64."""


class Poison:
    """Puts payloads into what a run folder says, each with a marker of its own."""

    def __init__(self) -> None:
        self._number = 0

    def text(self, kept: str = "") -> str:
        """The next payload, then what stood there."""
        self._number += 1
        payload = PAYLOADS[self._number % len(PAYLOADS)].replace("{}", f"MK{self._number}KM")
        return payload + kept[:300] + (LONG[self._number // 50 % len(LONG)] if self._number % 50 == 0 else "")

    def value(self, value: Any) -> Any:
        """A JSON value with every text of others poisoned, names of models in keys included."""
        if isinstance(value, str):
            return value if OWN_WORDS.fullmatch(value) else self.text(value)
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        if isinstance(value, dict):
            return {self.key(key): self.value(inner) for key, inner in value.items()}
        return value

    def key(self, key: str) -> str:
        """A key; names that models were given are poisoned, but always alike."""
        return f"{key}\x1b]52;c;MK0KM\x07[/b]" if key in ("scholar", "sprinter", "arbiter") else key

    def folder(self, folder: Path) -> None:
        """Poison every JSON file of a run folder, model names in the log too."""
        for file in sorted(folder.glob("*.json")):
            file.write_text(json.dumps(self.value(json.loads(file.read_bytes()))))
        for file in sorted(folder.glob("*.jsonl")):
            written = [self.record(json.loads(line)) for line in file.read_bytes().splitlines()]
            file.write_text("".join(json.dumps(record) + "\n" for record in written))
        (folder / "e\x1b[2JMK1KM\u202e[@click=app.quit]x\x07.csv").write_text("a,b\n")
        (folder / os.fsdecode(b"broken\xff\x9b31m.csv")).write_text("a,b\n")

    def record(self, record: dict[str, Any]) -> Any:
        """A line of a log: some of them with other models, stages, errors and answers."""
        poisoned = self.value(record)
        for name in ("model", "stage", "item_id", "error_message", "response_text", "reasoning_text", "served_model"):
            if name in record and self._number % 3:
                poisoned[name] = self.text(str(record[name]))
        if self._number % 4 == 0 and "status" in record:
            poisoned["status"] = "error"
        return poisoned


Steps = tuple[tuple[str, str], ...]
HELP = (("?", "Keys of"), ("\x1b", "Quit"))
WALKS: dict[str, tuple[Steps, str]] = {
    "runs": (
        (
            ("/", ""),
            ("M", ""),
            ("\r", ""),
            ("\x1b", "1 run"),
            (":", ""),
            ("theme", "Theme"),
            ("\x1b", "1 run"),
            ("i", ""),
            *HELP,
        ),
        "jk",
    ),
    "live": ((("3", "attempts by stage"), *HELP, ("3", "attempts by stage")), "j\tjG"),
    "log": ((("6", "Next error"), ("g", ""), ("\r", "Next entry")), "\tj" * 5 + "an"),
    "result": ((("3", "attempts by stage"), ("v", "Next part")), "j\t" * 6),
    "lists": ((("1", "Models"), ("2", "Datasets"), ("5", "Prompts"), *HELP), "j"),
}
"""Keys that lead to what a screen shows, with what stands there then; and keys pressed there."""


def poisoned(source: Path, workspace: Path) -> Terminal:
    """The app on a workspace with one run, all of whose texts are payloads."""
    folder = workspace / "runs" / "20260101\x1b[2JMK2KM[b]\u202e\x07evil"
    shutil.copytree(source, folder)
    Poison().folder(folder)
    return Terminal(["--workspace", workspace], size=(120, 40), environment={"PAGER": "true"})


@pytest.mark.soak
def test_no_text_of_a_run_folder_steers_the_terminal(finished: Path, tmp_path: Path) -> None:
    """On every screen: each escape in the bytes is the app's own, no control or bidi sign is left, and the app lives."""
    sources = sorted((finished / "runs").iterdir())
    with contextlib.ExitStack() as stack:
        terminals = [stack.enter_context(poisoned(source, tmp_path / source.name)) for source in sources]
        for terminal in terminals:
            terminal.wait_for("MK2KM")
        for name, (steps, keys) in WALKS.items():
            for key, words in (*steps, *((key, "") for key in keys)):
                press_all(terminals, key, words, f"{name}, {key!r}")
        received = [terminal.received for terminal in terminals]
    for raw in received:
        assert not re.search(rb"\x1b\]52;c;" + MARKER, raw), "a payload reached the clipboard"
        assert re.search(MARKER, raw), "nothing of the run was shown"
        rest = EMITTED.sub(b"", raw)
        assert b"\x1b" not in rest, rest[max(0, rest.find(b"\x1b") - 60) :][:120]
        stray = re.search(CONTROLS, rest.decode("utf-8"))
        assert not stray, (stray, rest.decode()[max(0, stray.start() - 60) :][:120])


def press_all(terminals: list[Terminal], key: str, words: str, where: str) -> None:
    """Press a key on each, and wait for what stands there then or else until each has painted; all must live."""
    for terminal in terminals:
        terminal.send(key)
    for terminal in terminals:
        terminal.wait_for_quiet(0.15 if key == "\x1b" else 0.05, 0.4)
        assert terminal.process.poll() is None, f"died at {where}\n{terminal.left_behind}"
        if words:
            terminal.wait_for(words)
