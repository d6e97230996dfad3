"""What a multiple-choice run sends by default, what counts as missing and what as wrong, and that its reports are its log's."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from choice_bench import ANSWERS, EXAM, answers_of, choice, faulty, figures_of, provenance_of, run_cached
from fault_bench import (
    LOG,
    Peer,
    Served,
    Table,
    by_model,
    derived_files,
    resume_here,
    run_here,
    serving,
    simulated_by,
    spoken_by,
    strict_json,
    write_config,
)
from invariants import check
from nursery import Nursery
from on_demand import report_file
from scripted import answering, as_bytes, completion, reply
from waiting import until

from tui_eval.core.errors import ConfigError
from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace

MakePeer = Callable[..., Peer]
LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def _requests(records: list[Table], model: str) -> list[Table]:
    return [record["request"] for record in by_model(records)[model]]


# ------------------------------------------------------------------------------------------- what is sent


async def test_the_defaults_are_those_of_the_kind(served: Served, tmp_path: Path) -> None:
    """20 calls at once, 30 s a call, temperature 0, no token limit, cache on, three failures in a row: in the config."""
    life = await run_here(choice(tmp_path, [spoken_by(served.url, "only", "bench")]), tmp_path)

    run = strict_json((life.path / "resolved_config.json").read_bytes())["run"]
    wanted = {"max_concurrency": 20, "timeout_s": 30.0, "stop_model_after": 3, "cache": True, "on_failure": "continue"}
    assert {name: run[name] for name in wanted} == wanted
    assert not run.get("max_output_tokens")
    assert life.loaded.evaluation.config.temperature == 0.0
    check(life.path, await served.stats())


async def test_temperature_0_and_no_token_limit_are_sent(served: Served, tmp_path: Path) -> None:
    """Every request has temperature 0, or the model's own; none has a token limit, unless one was set for the model."""
    models = [
        spoken_by(served.url, "plain", "bench"),
        spoken_by(served.url, "warm", "bench", temperature=0.7),
        spoken_by(served.url, "short", "bench", max_output_tokens=50),
        simulated_by(served.url, "simulated", "bench"),
    ]

    life = await run_here(choice(tmp_path, models), tmp_path)

    records = check(life.path, await served.stats())
    temperatures = {name: {r["request"]["temperature"] for r in own} for name, own in by_model(records).items()}
    assert temperatures == {"plain": {0.0}, "warm": {0.7}, "short": {0.0}, "simulated": {0.0}}
    limited = {record["model"] for record in records if any(name in record["request"] for name in LENGTHS)}
    assert limited == {"short"}


async def test_no_temperature_is_sent_where_none_is_wanted(served: Served, tmp_path: Path) -> None:
    """use_temperature = false: no request names one, and the report does not say that one was refused."""
    config = choice(tmp_path, [spoken_by(served.url, "plain", "fault:reject-temperature")], use_temperature=False)

    life = await run_here(config, tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["requests"] == 4
    assert not any("temperature" in record["request"] for record in records)
    assert provenance_of(life.path)["plain"]["not_applicable"] == []
    assert "not applicable" not in (life.path / "leaderboard.md").read_text()


async def test_a_refused_temperature_is_left_out_and_told(served: Served, tmp_path: Path) -> None:
    """A model that takes no temperature is asked without it, at one request more; the reports say that it was not
    applicable, of that model alone; and a rescore says so too."""
    models = [spoken_by(served.url, "strict", "fault:reject-temperature"), spoken_by(served.url, "plain", "bench")]

    life = await run_here(choice(tmp_path, models, 9), tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["by_model"] == {"fault:reject-temperature": 10, "bench": 9}
    assert sum("temperature" in request for request in _requests(records, "strict")) == 1
    assert life.ended.exit_code == 0
    assert figures_of(life.path)["strict"]["n_missing"] == "0"
    for _ in range(2):
        known = provenance_of(life.path)
        assert known["strict"]["not_applicable"] == ["temperature"]
        assert "temperature" not in known["strict"]["parameters"]
        assert (known["plain"]["not_applicable"], known["plain"]["parameters"]["temperature"]) == ([], 0.0)
        lines = [
            line for line in (life.path / "leaderboard.md").read_text().splitlines() if "temperature not applicable" in line
        ]
        assert len(lines) == 1
        assert lines[0].startswith("| strict |")
        rescoring.rescore(life.path, Workspace(tmp_path))


async def test_what_was_learnt_holds_after_a_resume(served: Served, tmp_path: Path) -> None:
    """A run that was cut right after its first replies comes to the same provenance."""
    config = choice(tmp_path, [spoken_by(served.url, "strict", "fault:reject-temperature")], 6, run={"max_calls": 30})
    first = await run_here(config, tmp_path)
    lines = (first.path / LOG).read_bytes().splitlines(keepends=True)
    (first.path / LOG).write_bytes(b"".join(lines[:3]))

    second = await resume_here(first.path)

    assert second.ended.exit_code == 0
    assert provenance_of(second.path)["strict"]["not_applicable"] == ["temperature"]


# ------------------------------------------------------------------------------------------- missing, or wrong

ENDS: dict[str, tuple[str, str]] = {
    "hang": ("n_missing", "timeout"),
    "500": ("n_missing", "transient"),
    "400": ("n_missing", "permanent"),
    "reset": ("n_missing", "transient"),
    "garbage": ("n_missing", "protocol"),
    "refusal": ("n_refusal", ""),
    "content-filter": ("n_refusal", ""),
    "length-empty": ("n_truncated", ""),
    "empty": ("n_empty", ""),
    "length": ("n_truncated", ""),
    "other-model": ("n_no_letter", ""),
}
"""How a call may end, the column that counts it, and the word for why there is no reply."""


async def test_no_reply_is_missing_and_a_bad_reply_is_wrong(served: Served, tmp_path: Path) -> None:
    """What brought no reply, our own deadline included, is missing: neither right nor wrong, with the word for why; refusals,
    cut and empty replies and those without a letter are replies, and wrong."""
    models = [faulty(served.url, what) for what in ENDS]
    run = {"retries": 0, "timeout_s": 120.0, "stop_model_after": 0, "max_concurrency": 40}

    life = await run_here(choice(tmp_path, models, 3, run=run), tmp_path)

    check(life.path, await served.stats())
    figures = figures_of(life.path)
    board = (life.path / "leaderboard.md").read_text()
    for what, (column, why) in ENDS.items():
        row = figures[what]
        assert row[column] == "3", what
        missing = column == "n_missing"
        assert (row["n_replies"], row["accuracy"]) == (("0", "") if missing else ("3", "0.0")), what
        assert (row["accuracy_strict"], row["accuracy_best_case"]) == ("0.0", "1.0" if missing else "0.0"), what
        assert (f"| {what} | 3 | 3 {why} |" in board) == missing, what
    assert life.ended.exit_code == 3


async def test_a_late_answer_is_missing_and_not_wrong(served: Served, tmp_path: Path) -> None:
    """A model of which one call took too long: its rate is over the replies it gave."""
    models = [spoken_by(served.url, "late", "bench-1ms"), spoken_by(served.url, "fine", "bench", timeout_s=120.0)]
    run = {"timeout_s": 0.4, "stop_model_after": 0}
    in_time = asyncio.Event()
    served.simulator.hold(in_time.is_set, "bench-1ms")

    life = await run_here(choice(tmp_path, models, 3, run=run), tmp_path)
    in_time.set()
    again = await resume_here(life.path, ["run.timeout_s=120"], reopen_failed=True)

    check(again.path, await served.stats(), reopened=True)
    first = [record for record in life.records if record["model"] == "late"][:3]
    assert {record["status"] for record in first} == {"timeout"}
    assert all("raise timeout_s" in record["error_message"] for record in first)
    assert again.ended.exit_code == 0
    assert figures_of(again.path)["late"]["n_missing"] == "0"


def _says(text: str) -> bytes:
    return reply(as_bytes(completion(text)))


async def test_letters_reach_the_figures(tmp_path: Path) -> None:
    """Always "B": right where the key is B and wrong elsewhere; of shuffled options, right where the right one stood at B."""
    async with answering({"always_b": ANSWERS, "rambles": _says("I could not say.")}) as (server, url):
        models = [spoken_by(url, name, name) for name in ("always_b", "rambles")]
        plain = await run_here(choice(tmp_path, models, 8), tmp_path, out=tmp_path / "plain")
        before = server.stats()
        check(plain.path, before)
        mixed = await run_here(choice(tmp_path, models, 8, shuffle=True, permutations=4), tmp_path, out=tmp_path / "mixed")

    assert figures_of(plain.path)["always_b"]["n_correct"] == "2"
    assert (figures_of(plain.path)["rambles"]["n_correct"], figures_of(plain.path)["rambles"]["n_no_letter"]) == ("0", "8")
    items = strict_json(report_file(mixed.path))["items"]
    for item in items:
        for answer in item["answers"]:
            if item["model"] == "always_b":
                assert answer["predicted"] == answer["order"][1]
                assert answer["correct"] == int(answer["predicted"] == item["key"])
    assert figures_of(mixed.path)["always_b"]["accuracy"] == "0.25"


# ------------------------------------------------------------------------------------------- the log is the truth


def _mixed(folder: Path, url: str, **run: Any) -> Table:
    """Models that answer, ramble, refuse, fail, and come too late."""
    names = (
        "sim-scholar",
        "sim-rambler",
        "sim-guarded",
        "fault:500",
        "fault:hang",
        "fault:refusal",
        "fault:reject-temperature",
    )
    late = {"fault:hang": {"timeout_s": 0.4}}
    models = [spoken_by(url, name.replace(":", "-"), name, **late.get(name, {})) for name in names]
    return choice(folder, models, 6, run={"retries": 0, "timeout_s": 120.0, "max_calls": 200, **run})


async def test_every_report_is_made_from_the_log_alone(tmp_path: Path) -> None:
    """With every derived file deleted, a rescore brings back the same files with the same bytes, whatever the calls came to."""
    async with serving(latency_scale=0) as served:
        life = await run_here(_mixed(tmp_path, served.url, repeat=2), tmp_path)
        asked = (await served.stats())["requests"]
        derived = derived_files(life.path)
        for name in derived:
            (life.path / name).unlink()

        rescoring.rescore(life.path, Workspace(tmp_path))

        assert (await served.stats())["requests"] == asked
    assert set(derived) > {"leaderboard.md", "analysis.md", "questions.csv", "accuracy.csv", "all_results.json", "report.json"}
    assert derived_files(life.path) == derived


async def test_a_finished_run_taken_up_again_sends_nothing(tmp_path: Path) -> None:
    """A resume of a run with nothing left to ask, failed calls included, sends nothing and changes no derived byte."""
    async with serving(latency_scale=0) as served:
        life = await run_here(_mixed(tmp_path, served.url, stop_model_after=0), tmp_path)
        asked, derived = (await served.stats())["requests"], derived_files(life.path)

        again = await resume_here(life.path)

        check(again.path, await served.stats())
        assert (await served.stats())["requests"] == asked
    assert derived_files(life.path) == derived
    assert again.ended.exit_code == life.ended.exit_code == 3


def test_kills_change_no_answer(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """A run without a cache that is killed three times and taken up again comes to the answers of one that was left alone; at
    most what was in flight is asked again."""
    peer, other, dice = peers(latency_scale=0.02), peers(latency_scale=0), random.Random(0)
    names = ("sim-scholar", "sim-guarded", "sim-rambler")
    run = {"max_concurrency": 4, "cache": False, "max_calls": 200}
    models = [spoken_by("${SIMULATED_URL}", name, name) for name in names]
    config = write_config(tmp_path, choice(tmp_path, models, 20, run=run))
    alone = nursery.run("--run", config, "--out", "alone", environment={"SIMULATED_URL": other.url})
    here = {"SIMULATED_URL": peer.url}
    child = nursery.start("--run", config, "--out", "run", environment=here)
    for _ in range(3):
        until((tmp_path / "run" / LOG).exists)
        time.sleep(dice.uniform(0.03, 0.15))
        child.kill()
        peer.wait_for_silence()
        child = nursery.start("resume", "run", environment=here)

    assert (alone.code, child.wait()) == (0, 0), child.stderr
    check(tmp_path / "run", peer.stats(), kills=3)
    assert peer.stats()["requests"] <= 60 + 3 * 4
    assert answers_of(tmp_path / "run") == answers_of(tmp_path / "alone")


async def test_another_exam_is_not_taken_for_the_same_run(served: Served, tmp_path: Path) -> None:
    """The run has its own copy of the exam: changing the user's file changes nothing; changing the copy is refused."""
    config = choice(tmp_path, [spoken_by(served.url, "only", "bench")], 4)
    life = await run_here(config, tmp_path)
    (tmp_path / EXAM).write_text("[]")

    again = await resume_here(life.path)

    assert again.ended.exit_code == 0
    assert (await served.stats())["requests"] == 4
    copy = next(file for file in (life.path / "inputs").rglob("exam*"))
    copy.write_text(copy.read_text().replace("pore space", "clay"))
    with pytest.raises(ConfigError):
        await resume_here(life.path)


async def test_the_budget_is_shared_by_all_queues(tmp_path: Path) -> None:
    """A cap of just the plan, two models that fail at first: never a request more than the cap, what is not sent is missing,
    and the raised cap brings the rest."""
    async with serving(latency_scale=0) as served:
        names = ("fault:500:1", "fault:502-html:1", "sim-scholar")
        models = [spoken_by(served.url, name.replace(":", "-"), name) for name in names]
        config = choice(tmp_path, models, 4, run={"max_calls": 12, "retries": 1, "stop_model_after": 0})
        first = await run_cached(config, tmp_path)
        stats = await served.stats()
        check(first.path, stats)
        first_missing = sum(int(row["n_missing"]) for row in figures_of(first.path).values())

        second = await resume_here(first.path, ["run.max_calls=60"], reopen_failed=True)

        check(second.path, await served.stats(), reopened=True)
    assert stats["requests"] == 12
    assert first.ended.exit_code == 3
    assert first_missing > 0
    assert second.ended.exit_code == 0
    assert sum(int(row["n_missing"]) for row in figures_of(second.path).values()) == 0
