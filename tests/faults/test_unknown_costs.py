"""What nobody knows the cost of: as many attempts in live line, status and app as in the statistics, and never a zero."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from choice_bench import ANSWERS, FAILS, cache_of, choice
from fault_bench import (
    Life,
    Served,
    Table,
    asked,
    panel,
    resume_here,
    run_here,
    simulated_by,
    spoken_by,
    strict_json,
)
from scripted import answering, as_bytes, completion, reply
from soaking import quick_first

from tui_eval.cli.command_line import main
from tui_eval.cli.narration import money
from tui_eval.results.usage_files import folder_costs
from tui_eval.runs.entry import entry_of
from tui_eval.tui.simulated_badge import spent, spent_in_short

PRICE = {"price": {"input": 1.0, "output": 2.0}}
"""What makes the cost of a reply known; a failure tells no tokens, and stays unknown."""
FAULTS = ("500", "503:2", "429:2", "401", "empty", "refusal", "length", "cut", "hang", "malformed")


def told(life: Life) -> Table:
    """The last progress of a run, once everything that tells of costs was found to tell the same."""
    progress = strict_json((life.path / "progress.json").read_bytes())
    with (life.path / "stats.csv").open(newline="") as stream:
        rows = [*csv.DictReader(line for line in stream if not line.startswith("#"))]
    unknown = int(rows[0]["n_cost_unknown"])
    assert progress["total"]["unknown_cost"] == life.report["calls"]["n_cost_unknown"] == unknown
    assert progress["total"]["cost_usd"] == pytest.approx(life.report["calls"]["sum_cost_usd"] or 0.0)
    for name, tally in progress["models"].items():
        own = [row for row in rows if row["scope"] == "stage_model" and row["model"] == name]
        assert tally["unknown_cost"] == sum(int(row["n_cost_unknown"]) for row in own), name
        assert tally["cost_usd"] == pytest.approx(sum(float(row["sum_cost_usd"] or 0.0) for row in own)), name
    charged = ("charged_usd", "charged_real_usd")
    assert [progress.get(name) for name in charged] == [life.report.get(name) for name in charged]
    assert entry_of(life.path).unknown_cost == unknown
    return progress


def faulty_models(url: str, *faults: str, **more: Any) -> list[Table]:
    """A model for each fault, and one that always answers."""
    models = [spoken_by(url, name, f"fault:{name}", timeout_s=0.4 if name == "hang" else 60.0, **more) for name in faults]
    return [*models, spoken_by(url, "fine", "sim-scholar", **more)]


@pytest.mark.parametrize("priced", [{}, PRICE], ids=["unpriced", "priced"])
@pytest.mark.parametrize("retries", quick_first([2, 0]))
async def test_as_many_are_unknown_as_the_statistics_say(
    served: Served, tmp_path: Path, retries: int, priced: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every fault, retries included, with and without prices; a resume that asks again, and one that asks nothing."""
    limits = {"retries": retries, "stop_model_after": 0, "max_calls": 1000}
    monkeypatch.setenv("SERVED_URL", served.url)
    config = choice(tmp_path, faulty_models("${SERVED_URL}", *FAULTS, **priced), 2, run=limits)
    first = await run_here(config, tmp_path, check_first=False)
    counts = [told(first)["total"]["unknown_cost"]]
    again: tuple[Table, ...] = ({}, {"offline": first.path}, {"reopen_failed": True})
    for options in again:
        counts.append(told(await resume_here(first.path, check_first=False, **options))["total"]["unknown_cost"])

    assert 0 < counts[0] <= counts[1] == counts[2] < counts[3]


async def test_with_a_preflight_and_judges(served: Served, tmp_path: Path) -> None:
    """What is asked beside the plan counts, as does what a failed answer leaves unasked: that costs nothing."""
    models = [*faulty_models(served.url, "500:1", "503:1", **PRICE), spoken_by(served.url, "judge", "fault:500")]
    config = panel(models, [asked(m["name"]) for m in models[:-1]], questions=2, judges=[asked("judge")], run={"retries": 1})
    told(await run_here(config, tmp_path, check_first=True))


@pytest.fixture
async def real(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A server whose replies say nothing of costs, nor that they are simulated: `good` answers, `bad` fails.

    Its address is a variable's, so that the config does not say that it is on this machine, where nothing costs."""
    async with answering({"good": ANSWERS, "bad": FAILS}) as (_, url):
        monkeypatch.setenv("REAL_URL", url)
        yield "${REAL_URL}"


def both(url: str, folder: Path, *names: str, **more: Any) -> Table:
    """A config that asks these models of that server three questions each."""
    models = [spoken_by(url, name, name, **more) for name in names]
    return choice(folder, models, 3, run={"retries": 0, "stop_model_after": 0, "max_calls": 100})


async def test_what_the_cache_had_is_not_unknown(real: str, tmp_path: Path) -> None:
    """A reply of an earlier run costs this one nothing, though nobody knows what it cost then; nor does a copy of a log."""
    config = both(real, tmp_path, "good", "bad")
    options: Table = {"cache": cache_of(tmp_path), "check_first": False}
    lives = [await run_here(config, tmp_path, out=tmp_path / name, **options) for name in "ab"]
    copied = await run_here(config, tmp_path, out=tmp_path / "copy", offline=lives[0].path)

    assert [told(life)["total"]["unknown_cost"] for life in (*lives, copied)] == [6, 3, 0]


@pytest.mark.parametrize("priced", [{}, PRICE], ids=["unpriced", "priced"])
async def test_where_nothing_is_known_no_zero_is_shown(
    real: str, served: Served, tmp_path: Path, priced: Table, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Every call fails: live line, status, its JSON, the app and `costs` say that nobody knows; one that says that it is
    simulated among them changes nothing of that."""
    monkeypatch.setenv("SERVED_URL", served.url)
    for name, models in (("one", []), ("two", [spoken_by("${SERVED_URL}", "pretends", "fault:500", **priced)])):
        config = both(real, tmp_path, "bad", **priced)
        config = choice(tmp_path, [*config["models"], *models], 3, run=config["run"])
        life = await run_here(config, tmp_path, out=tmp_path / "runs" / name, check_first=False)
        progress, entry = told(life), entry_of(life.path)
        unknown = 3 + 3 * len(models)

        assert (progress["charged_usd"], progress["total"]["unknown_cost"]) == (None, unknown)
        assert money(life.ended.progress) == "cost unknown"
        assert spent(entry) == spent_in_short(entry).removesuffix(" sim") == "unknown"
        found = folder_costs([life.path], {})
        assert sum(found[name]["n_cost_unknown"] for name in ("total", "total_simulated") if name in found) == unknown
    for text in said_by(tmp_path, ["status", "one"], ["status", "two"], ["status"], capsys=capsys):
        assert "unknown" in text and "$" not in text


async def test_what_is_known_is_told_with_what_is_not(
    real: str, served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One model answers at a known price, one fails; and where the one that answers is simulated, nothing real is known."""
    config = both(real, tmp_path, "good", "bad", **PRICE)
    config["models"][0] = simulated_by(served.url, "good", "sim-scholar", **PRICE)
    life = await run_here(config, tmp_path, out=tmp_path / "runs" / "partly", check_first=False)
    known = f"${told(life)['total']['cost_usd']:.4f}"

    assert money(life.ended.progress) == f"unknown real + {known} simulated + 3 unknown"
    text, printed = said_by(tmp_path, ["status", "partly"], ["status", "partly", "--json"], capsys=capsys)
    assert f"unknown real + {known} simulated" in text
    entry = json.loads(printed)
    assert entry["charged_real_usd"] is None and entry["charged_usd"] == entry["charged_simulated_usd"] > 0
    assert spent_in_short(entry_of(life.path)) == f"unknown + {known} sim"

    counted = as_bytes(completion("Answer: B", usage={"prompt_tokens": 1000, "completion_tokens": 1000}))
    async with answering({"good": reply(counted), "bad": FAILS}) as (_, url):
        config = both(url, tmp_path, "good", "bad", **PRICE)
        life = await run_here(config, tmp_path, out=tmp_path / "runs" / "real", check_first=False)
    told(life)
    assert money(life.ended.progress) == "$0.0090 + 3 unknown"
    assert "$0.0090 + 3 unknown" in said_by(tmp_path, ["status", "real"], capsys=capsys)[0]
    assert spent(entry_of(life.path)) == "$0.0090 + 3 unknown"


def said_by(workspace: Path, *commands: Sequence[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What commands print in a workspace."""
    capsys.readouterr()
    texts = []
    for words in commands:
        assert main([*words, "--workspace", str(workspace)]) == 0
        texts.append(capsys.readouterr().out)
    return texts
