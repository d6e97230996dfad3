"""A key goes into .env beside what stands there, reads back as it is, and is never shown."""

from __future__ import annotations

import io
import stat
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.cli import command_line
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.key_files import store_key

OTHERS = """# what I use
export FIRST='one # no comment'
SECOND="two"   # a comment
THIRD=three
"""
values = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=60)


@few
@given(values)
def test_a_key_reads_back_as_it_is(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    """Whatever visible characters it is made of; or it is refused and the file stays as it was."""
    file = tmp_path_factory.mktemp("keys") / ".env"
    file.write_text(OTHERS)

    try:
        store_key("NEW_KEY", value, file)
    except ConfigError:
        assert file.read_text() == OTHERS
        return

    assert dotenv_values(file)["NEW_KEY"] == value
    assert {name: found for name, found in dotenv_values(file).items() if name != "NEW_KEY"} == {
        "FIRST": "one # no comment",
        "SECOND": "two",
        "THIRD": "three",
    }


def test_a_key_is_replaced_in_its_place_and_the_file_is_private(tmp_path: Path) -> None:
    """The rest of the file keeps its lines and its comments; the old key is gone from the disk's directory."""
    file = tmp_path / ".env"
    file.write_text(OTHERS)
    file.chmod(0o644)

    store_key("SECOND", "sk-second", file)

    text = file.read_text()
    assert "two" not in text and "sk-second" in text
    assert "# what I use" in text and "THIRD=three" in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == [".env"]


@pytest.mark.parametrize(
    ("name", "value"), [("A B", "x"), ("", "x"), ("9KEY", "x"), ("KEY", ""), ("KEY", "a\nb"), ("KEY", "${X}")]
)
def test_what_is_no_key_is_refused(tmp_path: Path, name: str, value: str) -> None:
    """With nothing stored, and no file made."""
    with pytest.raises(ConfigError) as refused:
        store_key(name, value, tmp_path / ".env")

    assert not (tmp_path / ".env").exists()
    assert value in ("", "x") or value not in str(refused.value)


def test_the_command_reads_a_pipe_and_shows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """tui-eval keys set NAME < key."""
    monkeypatch.setattr("sys.stdin", io.StringIO("sk-from-a-pipe\n"))

    assert command_line.main(["--workspace", str(tmp_path), "keys", "set", "SOME_API_KEY"]) == 0

    shown = capsys.readouterr()
    assert "sk-from-a-pipe" not in shown.out + shown.err
    assert dotenv_values(tmp_path / ".env") == {"SOME_API_KEY": "sk-from-a-pipe"}


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A folder in its place, for example; nothing is left behind."""
    (tmp_path / ".env").mkdir()

    with pytest.raises(ConfigError, match="cannot be written"):
        store_key("KEY", "value", tmp_path / ".env")
    assert [found.name for found in tmp_path.iterdir()] == [".env"]
