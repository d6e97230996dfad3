"""Laws of what status says a run cost: small amounts are amounts, and what was not paid for is no zero."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_eval.cli.command_line import main

COUNTS = {"ok": 2, "error": 0, "timeout": 0, "skipped": 0, "not_sent": 0}


@pytest.mark.parametrize(
    ("charged", "sent", "unknown", "shown"),
    [
        (0.00012, 2, 0, "$0.000120"),
        (0.0000004, 2, 0, "<$0.000001"),
        (0.0451, 2, 0, "$0.0451"),
        (0.0, 2, 0, "$0.0000"),
        (0.0, 0, 0, "-"),
        (None, 2, 2, "unknown"),
        (0.00012, 2, 1, "$0.000120 + 1 unknown"),
    ],
)
def test_an_amount_reads_as_in_the_report(
    charged: float | None, sent: int, unknown: int, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the list and of one run; what is free costs nothing, and of replies from the cache nothing was to be paid."""
    run = tmp_path / "runs" / "r"
    run.mkdir(parents=True)
    (run / "config.toml").touch()
    (run / "manifest.json").write_text(json.dumps({"run_id": "r", "kind": "qa"}))
    total = {**COUNTS, "unknown_cost": unknown}
    told = {"state": "done", "done": 2, "planned": 2, "calls_used": sent, "max_calls": 3, "charged_usd": charged}
    (run / "progress.json").write_text(json.dumps({**told, "total": total, "models": {"mini": total}}))

    assert main(["--workspace", str(tmp_path), "status"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(f" {shown}")
    assert main(["--workspace", str(tmp_path), "status", "r"]) == 0
    assert f"cost         {shown}\n" in capsys.readouterr().out
