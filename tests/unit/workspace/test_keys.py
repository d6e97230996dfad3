"""Laws of what is hidden beyond a run's own keys: escapes of JSON, tokens in addresses, and everything that is printed."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.workspace.keys import KnownKeys, Screen, guard_screen

SECRET = "sk-Unit/9f2K+tX7Lq0wB5rJ="


def known(folder: Path, text: str = f"MINE='{SECRET}'\n") -> KnownKeys:
    """Every key of a file."""
    (folder / ".env").write_text(text, encoding="utf-8")
    return KnownKeys([folder / ".env"])


@few
@given(st.lists(st.booleans(), min_size=len(SECRET), max_size=len(SECRET)), st.booleans())
def test_a_key_behind_escapes_of_json_is_blotted_out(tmp_path: Path, escaped: list[bool], capitals: bool) -> None:
    """Whichever of its characters are escaped: it is gone before the body is read, and what is around it is not."""
    digits = "{:04X}" if capitals else "{:04x}"
    pairs = zip(SECRET, escaped, strict=True)
    written = "".join("\\u" + digits.format(ord(sign)) if hidden else sign for sign, hidden in pairs)
    body = f'{{"before": "\\u00e9", "error": "bad key {written}!"}}'.encode()

    clean = known(tmp_path).redact_bytes(body)

    assert json.loads(clean) == {"before": "é", "error": "bad key [redacted]!"}


OTHERS = ["sk-Unit/9f2K+other=0", "sk-or-v1-0123456789abcdef", "\\u00\\u00\\u00", "%73%6", "&#x73;&#x6", "abcdefgh"]
"""Keys that begin alike, and some that look like the beginnings of spellings."""


@few
@given(st.data())
def test_every_spelling_is_blotted_out_whatever_stands_beside_it(tmp_path: Path, data: st.DataObject) -> None:
    """Text by text what one expression for all spellings makes of it: to look for beginnings first changes nothing."""
    keys = known(tmp_path)
    keys.hide(OTHERS)
    spelling = st.sampled_from(keys._spellings)
    part = spelling.flatmap(lambda whole: st.integers(0, len(whole)).map(lambda end: whole[:end]))

    text = "".join(data.draw(st.lists(spelling | part | st.text("sk-S%&#u\\ é"), max_size=5)))

    assert keys.redact(text) == keys._pattern.sub("[redacted]", text)
    assert all(keys.redact(f"<{whole}>") == "<[redacted]>" for whole in keys._spellings)
    packed = text.encode()
    if b"\\u00" not in packed:
        assert keys.redact_bytes(packed) == keys._pattern.sub("[redacted]", packed.decode("latin-1")).encode("latin-1")


def test_keys_are_known_by_their_file_or_by_the_name_of_their_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a key file holds, and what of the environment is named like a key; addresses and short words are not hidden."""
    monkeypatch.setenv("UNIT_API_KEY", "of-the-environment-1")
    monkeypatch.setenv("UNIT_OTHER", "no-secret-at-all-1")
    keys = known(tmp_path, f"MINE={SECRET}\nHOST=gateway.example.org:8080\nURL=https://example.org/v1\nSHORT=word\n")

    text = f"{SECRET} of-the-environment-1 no-secret-at-all-1 gateway.example.org:8080 https://example.org/v1 word"

    assert keys.redact(text) == (
        "[redacted] [redacted] no-secret-at-all-1 gateway.example.org:8080 https://example.org/v1 word"
    )


@pytest.mark.parametrize("bad", ["\0", "KEY=é\n", "KEY='\n"])
def test_a_file_that_is_no_key_file_hinders_nobody(bad: str, tmp_path: Path) -> None:
    """What is wrong with a key file is said by the command that needs it."""
    assert known(tmp_path, bad).redact("text") == "text"


def test_nothing_is_printed_with_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """print, logging and tracebacks; guarding twice wraps once, and the stream is otherwise what it was."""
    known(tmp_path)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    before = sys.stdout
    guard_screen([])
    guard_screen([tmp_path / ".env"])

    print(f"out {SECRET}")
    sys.stdout.writelines(["lines ", SECRET, "\n"])
    logging.lastResort and logging.lastResort.handle(logging.makeLogRecord({"msg": f"log {SECRET}", "levelno": logging.ERROR}))
    sys.excepthook(ValueError, ValueError(f"raised {SECRET}"), None)

    assert isinstance(sys.stdout, Screen) and sys.stdout._stream is before
    assert sys.stdout.encoding == before.encoding
    out, err = capsys.readouterr()
    assert out == "out [redacted]\nlines [redacted]\n"
    assert "log [redacted]" in err and "raised [redacted]" in err and SECRET not in err
