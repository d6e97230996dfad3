"""A log with destroyed lines: every verb that reads it names them, and nothing is paid for again before a person says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_bench import Peer, asked, panel, run_here, simulated_by
from nursery import Nursery

from tui_eval.cli.command_line import main
from tui_eval.runs.destroyed_lines import damage_words
from tui_eval.runs.folder import LOG
from tui_eval.runs.reader import RunReader

CALLS = 8


async def _damaged(folder: Path, url: str) -> Path:
    """A finished run, of whose log two lines are destroyed."""
    life = await run_here(panel([simulated_by(url, "only", "sim-scholar")], [asked("only", CALLS)]), folder)
    lines = (life.path / LOG).read_bytes().split(b"\n")
    lines[2], lines[5] = b"\0" * len(lines[2]), lines[5][: len(lines[5]) - 40]
    (life.path / LOG).write_bytes(b"\n".join(lines))
    return life.path


@pytest.mark.soak
async def test_every_verb_names_the_lines(tmp_path: Path, peer: Peer, capsys: pytest.CaptureFixture[str]) -> None:
    """rescore, status and export, with the numbers of the lines, and exit codes as ever."""
    path = await _damaged(tmp_path, peer.url)
    assert RunReader(path).torn() == RunReader(path).damaged() == [3, 6]

    for words in (["rescore", path], ["status", path], ["export", path, "--format", "jsonl"]):
        main(["--workspace", str(tmp_path), *map(str, words)])
        assert "lines 3, 6 cannot be read" in capsys.readouterr().err


async def test_nothing_is_paid_for_again_unasked(tmp_path: Path, peer: Peer, nursery: Nursery) -> None:
    """A resume without a terminal is refused with 2, says what to do and sends nothing; with --ask-again it asks just these,
    and the next one has nothing to ask about."""
    path = await _damaged(tmp_path, peer.url)
    before = len(peer.simulator.arrivals)

    refused = nursery.run("resume", path)
    assert refused.code == 2
    assert b"lines 3, 6 cannot be read" in refused.stderr and b"--ask-again" in refused.stderr
    assert len(peer.simulator.arrivals) == before

    allowed = nursery.run("resume", path, "--ask-again")
    assert allowed.code == 0
    assert len(peer.simulator.arrivals) == before + 2
    again = nursery.run("resume", path)
    assert (again.code, len(peer.simulator.arrivals)) == (0, before + 2)


def test_many_lines_are_told_in_few_words() -> None:
    """The first ten, and how many more."""
    assert damage_words([7]).startswith("line 7 cannot")
    assert damage_words(range(1, 31)).startswith("lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more cannot")
