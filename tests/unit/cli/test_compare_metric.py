"""compare --metric: the pairs of one metric alone, p corrected for them; a name that no score has is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from several import run_of_several

from tui_eval.cli.command_line import main


async def test_one_metric_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text and JSON hold that metric and no other; Holm's p is that of three pairs instead of nine."""
    await run_of_several(tmp_path / "made", tmp_path / "runs" / "run")
    words = ["--workspace", str(tmp_path), "compare", "run", "--json"]

    assert main([*words, "--out", str(tmp_path / "all")]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert main([*words, "--out", str(tmp_path / "one"), "--metric", "brief"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert main([*words, "--metric", "brevity"]) == 2

    told = capsys.readouterr()
    assert told.out == "" and "'brevity'" in told.err and "agree, brief, worth" in told.err
    assert {pair["measure"] for pair in one["pairs"]} == {"brief"} and len(whole["pairs"]) == 3 * len(one["pairs"])
    smallest = [min(pair["p_holm"] for pair in found["pairs"] if pair["measure"] == "brief") for found in (whole, one)]
    assert smallest == [pytest.approx(9 * 0.0625), pytest.approx(3 * 0.0625)]
