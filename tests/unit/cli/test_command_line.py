"""The command itself: how it ends where something other than its work ends it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tui_eval.cli.command_line import main

INTERRUPTED = """
import os, signal
import tui_eval.cli.command_line as command_line

def interrupted():
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("the signal did nothing")

command_line.main = interrupted
from tui_eval.__main__ import main
code = main()
os.kill(os.getpid(), signal.SIGINT)
raise SystemExit(code)
"""


def test_ctrl_c_before_and_after_the_work_prints_no_traceback() -> None:
    """While it loads it ends with 130; on the way out it changes nothing any more."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("verb", ["run", "status", "rescore", "resume", "compare", "stop", "export", "costs", "leaderboard"])
def test_a_name_longer_than_any_file_has_is_told(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a person's slip, such as a text in place of its file: one sentence, and exit code 2."""
    assert main(["--workspace", str(tmp_path), verb, "q" * 5000]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "Traceback" not in said and len(said) < 600


WORD, WORDS = "v" * 5000, "vvv, so it is. " * 400
PANEL = "kind = 'panel'\n[panel]\ndoers = [{{model = 'm'}}]\n"
MODEL = "[[models]]\nname = 'm'\nwire = 'openai'\nmodel = 'x'\n"


@pytest.mark.parametrize(
    ("config", "value"),
    [
        ("kind = '{}'", WORD),
        ("kind = '{}'", WORDS),
        (PANEL + "[run]\nmax_calls = '{}'", WORDS),
        (PANEL + "[run]\n{} = 1", WORD),
        (PANEL + "questions = ['q']\n" + MODEL.replace("openai", "{}"), WORDS),
        (PANEL + "questions = ['q']\n" + MODEL + "base_url = '{}'", WORD),
        (PANEL.replace("'m'", "'{}'") + "questions = ['q']\n", WORDS),
        (PANEL + "questions_file = '{}'\n" + MODEL, WORDS),
        (PANEL + "questions = ['q']\ndocuments = ['{}']\n" + MODEL, WORD),
    ],
)
def test_a_long_value_is_not_said_in_full(config: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a text stands in place of a number or a name, its beginning tells which it is."""
    path = tmp_path / "long.toml"
    path.write_text(config.format(value), encoding="utf-8")

    assert main(["--workspace", str(tmp_path), "run", str(path), "--dry-run"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"error: {tmp_path}") and "vvv" in "".join(lines) and max(map(len, lines)) < 700
