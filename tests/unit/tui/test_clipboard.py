"""Laws of copying: what is sent is said, what is too long or refused is said too, and nothing is said to have arrived."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from textual.app import App

from tui_eval.tui.notifications import LONGEST_ESCAPE, copy
from tui_eval.tui.screens.dialogs.saving import show_in_pager


@pytest.fixture(autouse=True)
def _no_tmux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)


def _in_tmux(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tmux that is a few lines of shell."""
    program = folder / "tmux"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")


def test_without_tmux_the_escape_is_sent() -> None:
    """The very text goes to the terminal; the words say how much, and what to do if nothing arrives."""
    sent: list[str] = []
    said = copy("two\nlines é", sent.append)
    assert sent == ["two\nlines é"]
    assert "11 characters" in said and "w writes" in said


def test_a_lone_surrogate_can_be_copied() -> None:
    """What no terminal can be sent is escaped."""
    sent: list[str] = []
    copy("a\ud800b", sent.append)
    assert sent == ["a\\ud800b"]


@pytest.mark.parametrize("letter", ["x", "é"])
def test_what_terminals_would_drop_is_not_sent(letter: str) -> None:
    """The longest text whose base64 is short enough is sent; one more character is refused in words."""
    most = LONGEST_ESCAPE // 4 * 3 // len(letter.encode())
    sent: list[str] = []
    copy(letter * most, sent.append)
    assert len(base64.b64encode(sent[0].encode())) <= LONGEST_ESCAPE
    said = copy(letter * (most + 2), sent.append)
    assert len(sent) == 1 and "nothing was copied" in said and "w writes" in said


def test_in_tmux_its_buffer_takes_any_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """tmux gets every byte on its standard input, and no escape is sent besides."""
    _in_tmux(tmp_path, f'cat > "{tmp_path}/got"', monkeypatch)
    sent: list[str] = []
    said = copy("é" * 100_000, sent.append)
    assert (tmp_path / "got").read_text() == "é" * 100_000
    assert not sent and "to tmux" in said and "100,000" in said


def test_a_tmux_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What tmux says against it is told, and that nothing was copied."""
    _in_tmux(tmp_path, "cat > /dev/null; echo no server >&2; exit 1", monkeypatch)
    said = copy("text", lambda text: None)
    assert "nothing was copied" in said and "no server" in said and "w writes" in said


@pytest.mark.parametrize(("pager", "said"), [("less '", "$PAGER"), ("/no/such/program -x", "/no/such/program"), ("", "")])
async def test_a_pager_that_cannot_be_started(pager: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no terminal, or $PAGER is nonsense, that is said; the app goes on."""
    monkeypatch.setenv("PAGER", pager)
    app: App[None] = App()
    async with app.run_test():
        trouble = show_in_pager(app, "text\ud800")
        assert trouble and said in trouble


@pytest.mark.parametrize("script", [None, "cat > /dev/null", "exit 1"])
@pytest.mark.parametrize("size", [0, 1, 999, 50_000, 60_000, 5_000_000])
def test_what_is_said_fits_into_the_status_row(
    size: int, script: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the smallest terminal with 80 columns none of it is cut, however much was copied, or was not."""
    if script is not None:
        _in_tmux(tmp_path, script, monkeypatch)
    said = copy("x" * size, lambda text: None)
    assert f"{size:,}" in said or "nothing was copied" in said
    assert len(said) <= 78, said
