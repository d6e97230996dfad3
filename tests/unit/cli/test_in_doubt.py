"""What the command line says of money that was charged for calls of which nobody knows how they ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from frozen import PLACE, RUNS
from rescored import laid_out

from tui_eval.cli.command_line import main


def test_a_killed_run_says_what_its_calls_in_flight_are_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is charged and what attempts cost differ by them: one sentence says so, and figures for programs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    path = laid_out(RUNS / "4" / "pipeline_killed", tmp_path)

    main(["rescore", str(path)])
    text = " ".join(capsys.readouterr().out.split())
    main(["rescore", str(path), "--json"])
    told = json.loads(capsys.readouterr().out)

    assert "1 call was in flight when the run was interrupted." in text and "at up to $0.0663, against the budget." in text
    assert told["charged_usd"] == pytest.approx(told["calls"]["sum_cost_usd"] + told["in_doubt_usd"], abs=1e-4)
