"""What a dry run says of the cache: looked through, left alone for very many calls, or not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_eval.cli.command_line import main
from tui_eval.configuring import stored_replies

CONFIG = """
kind = "panel"
name = "wells"
[run]
max_calls = 100
cache = true
[[models]]
name = "mini"
wire = "simulator"
model = "sim-scholar"
[panel]
questions = ["What does porosity measure?"]
[[panel.doers]]
model = "mini"
calls = 3
"""


@pytest.mark.parametrize(
    ("cached", "most", "read"),
    [(True, 3, True), (True, 2, False), (False, 3, None), (False, 2, None)],
)
def test_whether_the_cache_was_looked_through_is_said(
    cached: bool, most: int, read: bool | None,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Nothing found is one thing, not looked is another: for people as for programs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stored_replies, "MOST_CALLS", most)
    (tmp_path / "wells.toml").write_text(CONFIG)
    if cached:
        (tmp_path / ".cache" / "replies").mkdir(parents=True)

    assert main(["run", "wells.toml", "--dry-run"]) == 0
    text = capsys.readouterr().out
    assert main(["run", "wells.toml", "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert (told["on_file"], told["cache_read"]) == ([], read)
    assert ("the number of these calls in the cache is not known" in text) == (read is False)
