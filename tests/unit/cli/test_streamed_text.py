"""Laws of a reply that is shown while it comes: no key, no control character, and in the end the reply, however it was cut."""

from __future__ import annotations

import io
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.cli.command_line import main
from tui_eval.cli.one_call import StreamedText
from tui_eval.core.plaintext import visible

KEY = "sk-Abc123-secret"
PIECES = st.lists(
    st.one_of(st.text(max_size=6), st.sampled_from(["sk-Abc", "123-", "secret", KEY, "\x1b[31m", "語", " ", "\n"]))
)


def redact(text: str) -> str:
    """The text without the one key."""
    return text.replace(KEY, "***")


@given(PIECES)
def test_what_is_shown_is_the_reply_without_keys(pieces: list[str]) -> None:
    """A key that comes in parts is whole before anything of it is shown; nothing is lost, twice, or in another order."""
    shown: list[str] = []
    streamed = StreamedText(redact, shown.append)
    for piece in pieces:
        streamed.hear("a", piece)
        assert KEY not in "".join(shown) and "\x1b" not in "".join(shown)
    text = redact("".join(pieces))

    assert streamed.end(text)
    assert "".join(shown).rstrip("\n") == visible(text).rstrip("\n")


@given(PIECES, PIECES)
def test_another_attempt_begins_anew(first: list[str], second: list[str]) -> None:
    """What broke off stands apart, and only the second text is the reply."""
    shown: list[str] = []
    streamed = StreamedText(redact, shown.append)
    for attempt, pieces in (("a", first), ("b", second)):
        for piece in pieces:
            streamed.hear(attempt, piece)
    text = redact("".join(second))

    assert streamed.end(text) or not second
    assert visible(text).strip() in "".join(shown)


def test_a_text_that_is_not_the_reply_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the reply reads otherwise, or there is none, the caller shows it whole, and a person is told why."""
    shown: list[str] = []
    streamed = StreamedText(redact, shown.append)
    streamed.hear("a", "half of it ")

    assert not streamed.end(None) and "".join(shown) == "half of it \n"
    assert "is not a reply" in capsys.readouterr().err


class Output(io.StringIO):
    """Standard output that is a terminal, or a pipe."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Whether a person sees it."""
        return self._is_terminal


@pytest.mark.parametrize("words", [["sim-scholar"], ["sim-scholar", "sim-sprinter"]], ids=["one", "two"])
def test_a_terminal_shows_what_a_pipe_is_given(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes on standard output, streamed or not; streamed only where a person sees it come."""
    monkeypatch.chdir(tmp_path)
    command = ["call", *(part for word in words for part in ("-m", word)), "Who keeps the harbour log of Skerrow?"]
    said, asked = [], []
    for is_terminal in (False, True):
        output, kept = Output(is_terminal), tmp_path / f"kept{is_terminal}"
        monkeypatch.setattr(sys, "stdout", output)
        assert main([*command, "--out", str(kept)]) == 0
        said.append(output.getvalue())
        config = kept / ("config.toml" if len(words) == 1 else "1/config.toml")
        asked.append(tomllib.loads(config.read_text())["run"]["stream"])

    assert said[0] == said[1] and "The answer is Oda Finch." in said[0]
    assert asked == [False, True]
