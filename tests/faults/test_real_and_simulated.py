"""A run of real and simulated models: money and flags are told apart by model, wherever they are told."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from fault_bench import Life, Peer, Table, asked, panel, resume_here, run_here, simulated_by, strict_json
from scripted import Scripted

from tui_eval.cli.command_line import main
from tui_eval.cli.costs import costs_table
from tui_eval.cli.narration import money
from tui_eval.cli.plan_text import plan_text
from tui_eval.cli.summary import outcome_json, result_text
from tui_eval.core.money import how_much, told_apart
from tui_eval.reporting.rescoring import rescore
from tui_eval.results.exporting import EXPORTERS
from tui_eval.results.exporting.exported_run import opened_run
from tui_eval.results.usage_files import folder_costs
from tui_eval.runs.entry import entry_of
from tui_eval.tui.report_rows import Report
from tui_eval.tui.simulated_badge import spent, spent_in_short
from tui_eval.workspace.places import Workspace

BODY = b'{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":100}}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
REAL_USD = 0.011
"""110 tokens at 100 USD per million."""


async def mixed(folder: Path, url: str) -> Life:
    """A real doer with a price, judged by a simulated model."""
    price = {"input": 100.0, "output": 100.0}
    real = {"name": "real", "wire": "openai", "model": "m", "base_url": url, "price": price}
    judge = {"name": "pretend", "wire": "simulator", "model": "sim-arbiter"}
    table: Table = {"truths": ["a"], "judges": [asked("pretend")], "benchmark": {"mode": "exact"}}
    return await run_here(panel([real, judge], [asked("real")], **table), folder)


@pytest.fixture
async def life(tmp_path: Path) -> Life:
    """That run, done."""
    server = Scripted({"m": ANSWER})
    try:
        return await mixed(tmp_path, await server.start())
    finally:
        await server.stop()


async def test_what_is_paid_is_told_apart_from_what_is_not(life: Life) -> None:
    """Real and simulated money stand by their names in narration, summary, plan, app and exports, and add up to the whole."""
    entry, report = entry_of(life.path), life.report
    simulated = report["charged_simulated_usd"]
    both = f"${REAL_USD:.4f} real + ${simulated:.4f} simulated"

    assert simulated > 0 and report["charged_usd"] == pytest.approx(REAL_USD + simulated)
    assert money(life.ended.progress) == both
    said = result_text(life.path, life.loaded, life.ended.outcome)
    assert both in said and said.startswith("Attempts by stage and model, retries included\n")
    assert " real + $" in plan_text(life.loaded)
    assert (entry.made_up, entry.real_usd) == ("some", pytest.approx(REAL_USD))
    assert f"${REAL_USD:.4f} real + " in spent(entry) and spent_in_short(entry).endswith(" sim")
    with opened_run(life.path) as run:
        told = "".join(EXPORTERS["md"].write([run]))
    assert f"${REAL_USD:.4f} real + " in told.replace("\\", "") and "pretend; the others are real" in told.replace("\\", "")


async def test_programs_are_told_which_money_is_whose(life: Life, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What run, resume and rescore print as JSON has it as report.json does: every sum of both says how much is simulated."""
    names = ("simulated", "simulated_models", "charged_usd", "charged_simulated_usd", "charged_real_usd", "calls")
    main(["--workspace", str(tmp_path), "rescore", str(life.path), "--json"])
    rescored = json.loads(capsys.readouterr().out)
    assert life.ended.outcome is not None

    for told in (outcome_json(life.ended.outcome), rescored):
        assert told["charged_real_usd"] == pytest.approx(REAL_USD)
        assert {name: told[name] for name in names} == {name: life.report[name] for name in names}
        calls = told["calls"]
        assert calls["sum_cost_usd"] - calls["sum_cost_simulated_usd"] == pytest.approx(REAL_USD)


async def test_each_row_of_statistics_is_about_its_own_models(life: Life) -> None:
    """A stage of real models is none with simulated ones; a row over both says how much of its cost is simulated."""
    with (life.path / "stats.csv").open(encoding="utf-8") as file:
        rows = {(row["scope"], row["stage"]): row for row in csv.DictReader(file)}

    told = {place: (row["simulated"], bool(row["sum_cost_simulated_usd"])) for place, row in rows.items()}
    real, pretended = ("false", False), ("true", True)
    of_stages = {
        (scope, stage): own for scope in ("stage", "stage_model") for stage, own in (("doer", real), ("judge", pretended))
    }
    assert told == {("overall", ""): pretended, **of_stages}
    overall, own = rows["overall", ""], rows["stage", "doer"]
    paid = float(overall["sum_cost_usd"]) - float(overall["sum_cost_simulated_usd"])
    assert paid == pytest.approx(float(own["sum_cost_usd"])) == pytest.approx(REAL_USD)


async def test_pretended_money_fails_no_gate(life: Life, tmp_path: Path) -> None:
    """A run of both is held by its real money alone, and that is said; what is all simulated is called so."""
    name, folder = "max_cost_usd", Workspace(tmp_path)

    (holds,), (fails,) = (
        rescore(life.path, folder, [f"gate.{name}={most}"])[0].report["gates"] for most in (REAL_USD, REAL_USD - 0.001)
    )

    simulated = life.report["charged_simulated_usd"]
    assert (holds["verdict"], holds["value"], fails["verdict"]) == ("PASS", pytest.approx(REAL_USD), "FAIL")
    assert holds["found"] == f"${REAL_USD:.4f} real + ${simulated:.4f} simulated"
    assert holds["text"] == fails["text"] == "real money alone is held against it"


async def test_what_is_all_simulated_is_held_as_it_is(peer: Peer, tmp_path: Path) -> None:
    life = await run_here(panel([simulated_by(peer.url, "one", "sim-scholar")], [asked("one")]), tmp_path)

    (gate,) = rescore(life.path, Workspace(tmp_path), ["gate.max_cost_usd=0"])[0].report["gates"]

    assert gate["verdict"] == "FAIL" and gate["found"] == f"${gate['value']:.4f} simulated" and gate["text"] == ""


async def test_costs_of_a_run_of_both_have_two_totals(life: Life) -> None:
    """Of the folder, as a table and as JSON."""
    found = folder_costs([life.path], {})

    told = {name: entry["total"]["simulated"] for name, entry in found["models"].items()}
    assert told == {"m": False, "sim-arbiter": True}
    assert found["total"]["cost_usd"] == pytest.approx(REAL_USD)
    assert found["total_simulated"]["cost_usd"] == pytest.approx(life.report["charged_simulated_usd"], abs=1e-6)
    rows = [row.split() for row in costs_table(found).splitlines()]
    assert [row[-1] for row in rows if row[:2] == ["all", "total"]] == ["real", "simulated"]


async def test_the_flag_is_the_models_own(life: Life) -> None:
    """In tables, exports and the log, each row says of its own model whether it is simulated."""
    wanted = {("real", "false"), ("pretend", "true")}

    for name in ("accuracy.csv", "stats.csv"):
        found = csv.DictReader((life.path / name).read_text(encoding="utf-8").splitlines())
        assert {(row["model"], row["simulated"]) for row in found if row["model"]} == wanted, name
    with opened_run(life.path) as run:
        rows = list(csv.DictReader("".join(EXPORTERS["csv"].write([run])).splitlines()))
    assert {(row["model"], row["simulated"]) for row in rows} == wanted
    assert {(record["model"], str(record["simulated"]).lower()) for record in life.records} == wanted
    assert (life.report["simulated"], life.report["simulated_models"]) == (True, ["pretend"])
    report = Report(life.report)
    assert report.made_up == "some" and not report.is_simulated({"model": "real"}) and report.is_simulated({"model": "pretend"})
    assert report.is_simulated({"model": ""}) and report.is_simulated({"n": 3}), "a row about all models is partly simulated"
    progress = strict_json((life.path / "progress.json").read_bytes())
    assert {name: tally["simulated"] for name, tally in progress["models"].items()} == {"real": False, "pretend": True}


async def test_a_resume_still_knows_which_money_is_whose(life: Life) -> None:
    """What an earlier life was charged is real and simulated as it was."""
    before = entry_of(life.path)

    again = await resume_here(life.path)

    assert money(again.ended.progress) == money(life.ended.progress)
    after = entry_of(life.path)
    assert (after.charged_usd, after.charged_simulated_usd) == (before.charged_usd, before.charged_simulated_usd)


async def test_a_reply_that_says_that_it_is_simulated_is_believed(peer: Peer, tmp_path: Path) -> None:
    """A simulator behind another provider's name is no real model: its replies say so."""
    hidden = {"name": "hidden", "wire": "openai", "model": "sim-scholar", "base_url": peer.url}
    hidden |= {"price": {"input": 1.0, "output": 1.0}}

    life = await run_here(panel([hidden], [asked("hidden")]), tmp_path)

    assert money(life.ended.progress).endswith(" simulated") and " real" not in money(life.ended.progress)
    assert entry_of(life.path).made_up == "all"


def test_an_amount_is_called_what_it_is() -> None:
    """Nothing is said of real money alone; all that is simulated is said to be; of both each has its name."""
    for models in range(1, 4):
        told = [told_apart("W", "R", "S", how_much(n, models)) for n in range(models + 1)]
        assert told == ["W", *["R real + S simulated"] * (models - 1), "W simulated"]
