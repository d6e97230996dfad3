"""Laws of the door from the command line to the full-screen app: who is let in, who is told what to do instead."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from makers import run_folder

from tui_eval.cli import command_line
from tui_eval.tui import start

SECRET = "sk-planted-1234567890-abcdefghij"


class Stream:
    """A stream that is a terminal, or none."""

    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._terminal


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, Path | None]]:
    """What the app was opened on, where a terminal is at hand; the app itself is not started."""
    found: list[tuple[Path, Path | None]] = []

    def main(workspace: Path, attach: Path | None = None) -> int:
        found.append((workspace, attach))
        return 0

    monkeypatch.setattr(start, "main", main)
    monkeypatch.setattr(command_line, "no_terminal", lambda streams, environment: "")
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TEXTUAL_THEME", "x")
    monkeypatch.delenv("TEXTUAL_THEME")
    return found


def test_without_a_command_the_app_opens(opened: list[tuple[Path, Path | None]], tmp_path: Path) -> None:
    """No word: the app on the workspace. A lone one: on that run, by its id or its path."""
    run = run_folder(tmp_path / "runs" / "one")
    workspace = ["--workspace", str(tmp_path)]

    assert [
        command_line.main(workspace),
        command_line.main([*workspace, "one"]),
        command_line.main([*workspace, str(run)]),
    ] == [0] * 3
    assert opened == [(tmp_path, None), (tmp_path, run), (tmp_path, run)]


@pytest.mark.parametrize(("theme", "expected"), [(None, "ansi-dark"), ("mine", "mine")])
def test_no_color_means_no_color(
    opened: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theme: str | None, expected: str
) -> None:
    """NO_COLOR asks for the theme that emits no colour at all, before Textual is loaded, unless a theme was asked for."""
    monkeypatch.setenv("NO_COLOR", "1")
    if theme:
        monkeypatch.setenv("TEXTUAL_THEME", theme)

    command_line.main(["--workspace", str(tmp_path)])

    assert os.environ["TEXTUAL_THEME"] == expected


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing"], "nothing: no verb and no run; tui-eval --help lists the verbs"),
        (["stats"], "did you mean status?"),
        (["lighthouze"], "did you mean lighthouse?"),
        (["modles", "list"], "did you mean models?"),
        (["resum", "lighthouse", "--failed"], "did you mean resume?"),
        (["exam.toml"], "tui-eval run exam.toml"),
        (["exam.toml", "--dry-run"], "tui-eval run exam.toml"),
    ],
)
def test_a_word_that_is_nothing_opens_nothing(
    words: list[str], says: str, opened: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a verb nor a run: exit 2 with the nearest verb or run, or what a config wants; no app is opened."""
    run_folder(tmp_path / "runs" / "lighthouse")

    assert command_line.main(["--workspace", str(tmp_path), *words]) == 2
    assert says in capsys.readouterr().err
    assert opened == []


def test_a_run_that_is_called_as_a_verb_is_opened_by_its_path(
    opened: list[tuple[Path, Path | None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verb is a verb; `./status` is the run of that name."""
    run_folder(tmp_path / "status")
    monkeypatch.chdir(tmp_path)

    assert command_line.main(["./status"]) == 0
    assert opened == [(Path(), Path("status"))]


def test_options_of_other_commands_do_not_open_the_app(opened: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    """An option that the app does not know is named, with a verb that takes it; two verbs are one too many."""
    assert command_line.main(["--json"]) == 2
    assert "no option --json here: put it behind a verb that takes it" in capsys.readouterr().err
    assert command_line.main(["one", "--run", "two"]) == 2
    assert "tui-eval run: one word too many" in capsys.readouterr().err
    assert opened == []


@pytest.mark.parametrize(
    ("terminals", "term", "why"),
    [
        ((True, True, True), "xterm-256color", ""),
        ((False, True, True), "xterm", "standard input"),
        ((True, False, True), "xterm", "standard output"),
        ((True, True, False), "xterm", "standard error"),
        ((None, True, True), "xterm", "standard input"),
        ((True, True, True), "dumb", "TERM=dumb"),
        ((True, True, True), "unknown", "TERM=unknown"),
        ((True, True, True), "", "TERM is not set"),
    ],
)
def test_who_can_see_the_app(terminals: tuple[bool | None, ...], term: str, why: str) -> None:
    """Three streams that are a terminal, and one that can move its cursor; else the reason is named."""
    told = command_line.no_terminal([None if t is None else Stream(t) for t in terminals], {"TERM": term} if term else {})  # type: ignore[misc]

    assert (why in told) if why else told == ""


def test_without_a_terminal_a_sentence_and_no_textual(tmp_path: Path) -> None:
    """Piped, tui-eval says in one message on stderr which commands do without, ends with 2, and has loaded no Textual."""
    door = "from tui_eval.cli.command_line import main"
    what = f"import sys; {door}; code = main([]); print('textual' in sys.modules); sys.exit(code)"
    done = subprocess.run([sys.executable, "-c", what], capture_output=True, text=True, cwd=tmp_path, stdin=subprocess.DEVNULL)

    assert (done.returncode, done.stdout) == (2, "False\n")
    assert all(word in done.stderr for word in ("tui-eval run CONFIG", "tui-eval status", "--help"))
    assert done.stderr.count("\n") == 1 and os.listdir(tmp_path) == []


GUARDED = """
import os
from tui_eval.workspace.keys import guard_screen
guard_screen([])
from textual.app import App
from textual.widgets import Static
class Trivial(App):
    BINDINGS = [("q", "quit", "quit")]
    def compose(self):
        yield Static("painted here")
Trivial().run()
print("printed " + os.environ["OPENAI_API_KEY"])
"""


def test_an_app_paints_on_a_guarded_screen() -> None:
    """Where no key may be printed, Textual paints all the same, reads keys, and gives the terminal back as it was; what is
    printed afterwards is still guarded."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(theirs)
    environment = {**os.environ, "TERM": "xterm-256color", "OPENAI_API_KEY": SECRET}
    command = [sys.executable, "-c", GUARDED]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True)
    try:
        shown = _read_until(ours, b"painted here")
        os.write(ours, b"q")
        shown += _read_until(ours, b"printed [")
        assert process.wait(60) == 0
        assert b"[redacted]" in shown and SECRET.encode() not in shown
        assert termios.tcgetattr(theirs) == before
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait(60)
        os.close(ours)
        os.close(theirs)


def _read_until(terminal: int, sign: bytes, timeout_s: float = 60.0) -> bytes:
    """What is shown up to a sign, and what came with it."""
    shown, end = b"", time.monotonic() + timeout_s
    while sign not in shown:
        ready, _, _ = select.select([terminal], [], [], max(end - time.monotonic(), 0))
        assert ready, f"never shown: {sign!r}; {shown[-500:]!r}"
        shown += os.read(terminal, 65_536)
    return shown
