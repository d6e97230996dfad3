"""One tiny question to each model before a run: on the budget like any call, and a model that cannot answer stops the start."""

from __future__ import annotations

import csv
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from choice_bench import answers_of, choice
from fault_bench import (
    INTENTS,
    LOG,
    Life,
    Peer,
    Served,
    Table,
    asked,
    closed_port,
    panel,
    resume_here,
    run_here,
    simulated_by,
    spoken_by,
    strict_json,
    strict_lines,
    write_config,
)
from invariants import check
from nursery import Nursery
from waiting import until

from tui_eval.core.calls import Repair
from tui_eval.engine.progress import Progress

STAGE = "preflight"


def tiny(life: Life) -> list[Table]:
    """The preflight's own records."""
    return [record for record in life.records if record["stage"] == STAGE]


def planned(life: Life) -> list[Table]:
    """Records of everything else."""
    return [record for record in life.records if record["stage"] != STAGE]


def two(url: str, calls: int = 3, **more: Any) -> Table:
    """Two models over the OpenAI wire."""
    return panel(
        [spoken_by(url, "one", "bench"), spoken_by(url, "two", "sim-sprinter")], [asked("one", calls), asked("two")], **more
    )


async def test_each_model_is_asked_once_and_first(served: Served, tmp_path: Path) -> None:
    """Doers, judges and the scorer: one tiny question each, before anything else, on the log and on the budget."""
    names = {"a": "bench", "b": "sim-sprinter", "judge": "sim-arbiter", "scorer": "sim-scorer"}
    config = panel(
        [spoken_by(served.url, name, api) for name, api in names.items()],
        [asked("a", 2), asked("b")],
        judges=[asked("judge")],
        truths=["The share of the rock that is pore space."],
        benchmark={"mode": "llm", "scorer": {"model": "scorer"}},
    )

    life = await run_here(config, tmp_path, check_first=True)

    records = check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    assert Counter(record["model"] for record in tiny(life)) == dict.fromkeys(names, 1)
    assert {record["stage"] for record in records[:4]} == {STAGE}
    assert max(r["ended_at"] for r in tiny(life)) <= min(r["started_at"] for r in planned(life))
    intents = strict_lines(life.path / INTENTS)
    assert sum(intent["stage"] == STAGE for intent in intents) == 4
    assert life.ended.progress.calls_used == len(intents) == len(records)
    assert life.report["attempts_sent"] == len(records)
    assert life.ended.progress.planned == life.ended.progress.total.done


@pytest.mark.soak
async def test_what_it_costs_is_charged(served: Served, tmp_path: Path) -> None:
    """The cost of a preflight stands in its record, in the statistics and in what the budget was charged."""
    models = [spoken_by(served.url, "m", "sim-scholar", price={"input": 1.0, "output": 2.0})]
    life = await run_here(panel(models, [asked("m", 2)], run={"max_cost_usd": 1.0}), tmp_path, check_first=True)
    check(life.path, await served.stats())
    cost = tiny(life)[0]["charged_usd"]
    assert cost > 0
    rows = [row for row in life.report["calls_by_stage_and_model"] if row["stage"] == STAGE]
    assert [(row["attempts_total"], row["sum_cost_usd"]) for row in rows] == [(1, pytest.approx(cost, abs=1e-6))]
    assert life.report["charged_usd"] == pytest.approx(sum(r["charged_usd"] for r in life.records), abs=1e-6)


CANNOT = {
    "fault:401": "401",
    "fault:403": "403",
    "fault:404": "404",
    "fault:500": "500",
    "fault:hang": "within",
    "fault:cut": "cut short",
}


@pytest.mark.parametrize("fault", CANNOT)
async def test_a_model_that_cannot_answer_stops_the_start(served: Served, tmp_path: Path, fault: str) -> None:
    """Nothing planned is sent to anybody; model and reason are named, and what to do."""
    limit = {"timeout_s": 0.4} if fault == "fault:hang" else {}
    models = [spoken_by(served.url, "fine", "bench"), spoken_by(served.url, "bad: one", fault, **limit)]
    config = panel(models, [asked("fine", 3), asked("bad: one", 3)], run={"retries": 1, "max_calls": 30})

    life = await run_here(config, tmp_path, check_first=True)

    check(life.path, await served.stats())
    assert life.ended.exit_code == 3
    assert {record["stage"] for record in life.records if record["started_at"]} == {STAGE}
    refused = life.ended.progress.refused
    assert list(refused) == ["bad: one"]
    assert CANNOT[fault] in refused["bad: one"]
    assert "bad: one cannot answer" in life.ended.stopped
    assert b"cannot answer: bad: one" in (life.path / "run.log").read_bytes()


@pytest.mark.parametrize("row", ["doers", "judges"])
async def test_a_row_has_its_own_time_limit(served: Served, tmp_path: Path, row: str) -> None:
    """A model that answers later than the shortest time that any of its rows gives it is found out before the run."""
    models = [spoken_by(served.url, "slow", "bench-2000ms")]
    rows = {"doers": [asked("slow")], "judges": [asked("slow")]}
    rows[row][0]["timeout_s"] = 0.3

    life = await run_here(panel(models, rows["doers"], judges=rows["judges"]), tmp_path, check_first=True)

    check(life.path, await served.stats())
    assert "within 0.3 s" in life.ended.progress.refused["slow"]


async def test_nobody_at_the_address(served: Served, tmp_path: Path) -> None:
    """A refused connection, too, and the cost of it is a few attempts that were never sent."""
    models = [spoken_by(served.url, "fine", "bench"), spoken_by(f"http://127.0.0.1:{closed_port()}/v1", "gone", "x")]
    life = await run_here(panel(models, [asked("fine"), asked("gone")], run={"retries": 0}), tmp_path, check_first=True)
    check(life.path, await served.stats())
    assert life.ended.exit_code == 3
    assert "cannot connect" in life.ended.progress.refused["gone"]
    assert (await served.stats())["by_model"] == {"bench": 1}


@pytest.mark.parametrize("stop_model_after", [0, 1, 3])
@pytest.mark.parametrize("fault", ["429", "429-long", "empty", "refusal", "content-filter", "length", "length-empty"])
async def test_what_passes_does_not_stop_it(served: Served, tmp_path: Path, fault: str, stop_model_after: int) -> None:
    """A rate limit, a refusal, a cut or an empty reply come from a model that answers: its planned calls are made."""
    models = [spoken_by(served.url, "m", f"fault:{fault}:1")]
    config = panel(models, [asked("m", 2)], run={"retries": 0, "stop_model_after": stop_model_after})
    life = await run_here(config, tmp_path, check_first=True)
    check(life.path, await served.stats())
    assert not life.ended.progress.refused
    assert len([record for record in planned(life) if record["started_at"]]) == 2


async def test_without_it_nothing_is_asked_first(served: Served, tmp_path: Path) -> None:
    """check_first=False, as --no-preflight has it."""
    life = await run_here(two(served.url), tmp_path, check_first=False)
    assert tiny(life) == []
    assert life.ended.progress.calls_used == 4


@pytest.mark.soak
def test_the_command_line_asks_first_unless_told_not_to(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Both doors: --run and --run --no-preflight."""
    config = write_config(tmp_path, two(peer.url))
    with_it = nursery.run("--run", config, "--out", tmp_path / "a", preflight=True)
    without = nursery.run("--run", config, "--out", tmp_path / "b")
    assert (with_it.code, without.code) == (0, 0)
    assert peer.stats()["requests"] == 6 + 4


async def test_what_is_done_is_a_share_of_the_plan(served: Served, tmp_path: Path) -> None:
    """The plan's calls are what progress counts, from the first look to the last: preflight calls are beside it, and cost."""
    seen: list[tuple[int, int, int]] = []

    def look(progress: Progress) -> None:
        seen.append((progress.planned, sum(tally.planned for tally in progress.models.values()), progress.total.done))

    life = await run_here(two(served.url), tmp_path, on_tick=look, check_first=True)
    progress = life.ended.progress
    assert len(tiny(life)) == 2
    assert {planned for planned, _, _ in seen} == {models for _, models, _ in seen} == {life.loaded.plan["total_calls"]}
    assert [done for _, _, done in seen] == sorted(done for _, _, done in seen)
    assert progress.total.done == progress.planned == len(planned(life))
    assert progress.calls_used == len(planned(life)) + len(tiny(life))
    sent = [record["usage"]["cost_usd"] or 0.0 for record in (*tiny(life), *planned(life))]
    assert progress.total.cost_usd == pytest.approx(sum(sent)) and progress.total.cost_usd > 0


async def test_simulated_models_are_not_asked(served: Served, tmp_path: Path) -> None:
    """They can always answer."""
    models = [simulated_by(served.url, "s", "bench"), spoken_by(served.url, "real", "bench-1ms")]
    life = await run_here(panel(models, [asked("s"), asked("real")]), tmp_path, check_first=True)
    assert [record["model"] for record in tiny(life)] == ["real"]


@pytest.mark.parametrize("spare", [0, 1, 2])
async def test_the_cap_is_never_passed(served: Served, tmp_path: Path, spare: int) -> None:
    """Only calls that the plan leaves over are used; who goes unasked is said, and the plan is asked whole."""
    life = await run_here(two(served.url, run={"max_calls": 4 + spare}), tmp_path, check_first=True)
    check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    assert len(tiny(life)) == spare
    assert len(planned(life)) == 4
    skipped = [line for line in life.said if line.startswith("no preflight of")]
    assert bool(skipped) == (spare < 2)
    assert all(("one" in line) == (spare == 0) for line in skipped)


async def test_retries_of_a_preflight_leave_the_plan_its_calls(served: Served, tmp_path: Path) -> None:
    """A model that fails at first is asked again with spare calls only."""
    models = [spoken_by(served.url, "shaky", "fault:503:1"), spoken_by(served.url, "fine", "bench")]
    config = panel(models, [asked("shaky"), asked("fine", 2)], run={"max_calls": 6, "retries": 3})
    life = await run_here(config, tmp_path, check_first=True)
    check(life.path, await served.stats())
    assert len([r for r in planned(life) if r["started_at"] and r["attempt"] == 0]) == 3
    assert life.ended.progress.calls_used <= 6


async def test_a_run_that_has_begun_is_not_asked_again(served: Served, tmp_path: Path) -> None:
    """A resume with something left to ask makes no second preflight."""
    models = [spoken_by(served.url, "m", "bench"), spoken_by(served.url, "late", "fault:400:2")]
    config = panel(models, [asked("m"), asked("late")], run={"retries": 0})
    first = await run_here(config, tmp_path, check_first=False)
    before = (await served.stats())["requests"]
    second = await resume_here(first.path, check_first=True, reopen_failed=True)
    assert tiny(second) == []
    assert (await served.stats())["requests"] == before + 1


async def test_a_refused_start_is_taken_up_when_it_is_mended(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each resume asks all models again, until they all answer; then the run goes on and its reports are whole."""
    monkeypatch.setenv("MENDED_URL", f"http://127.0.0.1:{closed_port()}/v1")
    config = two(served.url, run={"retries": 0, "max_calls": 20})
    config["models"][1]["base_url"] = "${MENDED_URL}"
    lives = [await run_here(config, tmp_path, check_first=True)]
    lives.append(await resume_here(lives[0].path, check_first=True))
    assert (await served.stats())["by_model"] == {"bench": 2}
    monkeypatch.setenv("MENDED_URL", served.url)
    lives.append(await resume_here(lives[0].path, check_first=True))
    records = check(lives[0].path, await served.stats())
    assert [life.ended.exit_code for life in lives] == [3, 3, 0]
    assert Counter(record["model"] for record in records if record["stage"] == STAGE) == {"one": 3, "two": 3}
    assert Counter(r["model"] for r in records if r["stage"] != STAGE and r["started_at"]) == {"one": 3, "two": 1}


def rows_of(path: Path) -> list[Table]:
    """stats.csv without times of one run."""
    with (path / "stats.csv").open(newline="") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    return [{name: value for name, value in row.items() if "latency" not in name} for row in rows]


@pytest.mark.soak
@pytest.mark.parametrize("repeat", [1, 3])
async def test_reports_are_those_of_a_run_without_it(served: Served, tmp_path: Path, repeat: int) -> None:
    """Results and tables are the same; the statistics have the preflight's own rows besides, and the sums of all."""
    lives = []
    for name, first in (("without", False), ("with", True)):
        (tmp_path / name).mkdir()
        config = two(served.url, run={"repeat": repeat}, truths=["The share of pore space."])
        lives.append(await run_here(config, tmp_path / name, check_first=first))
    without, with_it = lives
    assert len(tiny(with_it)) == 2
    found = {str(p.relative_to(without.path)) for p in without.path.rglob("*") if p.is_file()}
    assert found == {str(p.relative_to(with_it.path)) for p in with_it.path.rglob("*") if p.is_file()}
    same = {name for name in found if name.endswith(("results.json", "accuracy.json", "accuracy.csv", "results.md"))}
    for name in same:
        assert (without.path / name).read_bytes() == (with_it.path / name).read_bytes(), name
    own = [row for row in rows_of(with_it.path) if row["stage"] == STAGE]
    rest = [row for row in rows_of(with_it.path) if row["stage"] != STAGE]
    assert [row for row in rest if row["scope"] != "overall"] == [
        row for row in rows_of(without.path) if row["scope"] != "overall"
    ]
    assert sum(int(row["attempts_total"]) for row in own if row["scope"] == "stage") == 2
    for key in ("items", "tables"):
        assert with_it.report[key] == without.report[key]


async def test_what_it_learns_is_used_at_once(served: Served, tmp_path: Path) -> None:
    """A temperature that is refused is refused once: the planned calls leave it out."""
    learnt: list[tuple[str, Repair]] = []
    models = [spoken_by(served.url, "strict", "fault:reject-temperature", temperature=0.5)]
    life = await run_here(
        panel(models, [asked("strict", 4)]),
        tmp_path,
        check_first=True,
        on_learned=lambda model, repair: learnt.append((model.name, repair)),
    )
    check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    assert [record["http_status"] for record in tiny(life)] == [400, 200]
    assert [record["http_status"] for record in planned(life)] == [200] * 4
    assert not any("temperature" in record["request"] for record in planned(life))
    assert learnt == [("strict", Repair("temperature"))]


async def test_what_is_known_needs_no_second_question(served: Served, tmp_path: Path) -> None:
    """What an earlier run learnt is applied to the preflight, too."""
    models = [spoken_by(served.url, "strict", "fault:reject-temperature", temperature=0.5)]
    known = {"strict": {"temperature": Repair("temperature")}}
    life = await run_here(panel(models, [asked("strict", 2)]), tmp_path, check_first=True, known=known)
    assert (await served.stats())["requests"] == 3
    assert {record["http_status"] for record in life.records} == {200}


def test_offline_and_rescore_have_none(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Nothing is sent, and the reports are the same bytes."""
    config = write_config(tmp_path, two(peer.url))
    out = tmp_path / "run"
    assert nursery.run("--run", config, "--out", out, preflight=True).code == 0
    before, report = peer.stats()["requests"], (out / "report.json").read_bytes()
    assert nursery.run("rescore", out).code == 0
    assert (out / "report.json").read_bytes() == report
    copy = nursery.run("--run", out / "config.toml", "--offline", "--out", tmp_path / "copy", preflight=True)
    again = nursery.run("resume", out, "--offline", preflight=True)
    assert (copy.code, again.code) == (0, 0), copy.stderr
    assert peer.stats()["requests"] == before
    assert answers_of(out) == answers_of(tmp_path / "copy")


def test_only_the_models_of_the_run_are_asked(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """--models leaves the others out, and --repeat asks no more of them."""
    config = write_config(tmp_path, two(peer.url))
    out = tmp_path / "run"
    child = nursery.run("--run", config, "--out", out, "--models", "two", "--repeat", "2", preflight=True)
    assert child.code == 0, child.stderr
    assert peer.stats()["by_model"] == {"sim-sprinter": 3}
    assert strict_json((out / "report.json").read_bytes())["attempts_sent"] == 3


async def test_a_preflight_is_not_kept_for_other_runs(served: Served, tmp_path: Path) -> None:
    """The cache holds replies that another run can use; a preflight's is none. Where it has every call, none is made."""
    config = two(served.url, run={"cache": True})
    cache = tmp_path / "cache"
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        life = await run_here(config, tmp_path / str(number), check_first=True, cache=cache)
        assert len(tiny(life)) == (0 if number else 2)
    assert len(list(cache.rglob("*.json"))) == 4


def test_a_stop_during_it_is_a_stop(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Ctrl-C twice while a model is slow: nothing planned is sent, and the run is to be resumed."""
    config = write_config(tmp_path, panel([spoken_by(peer.url, "slow", "bench")], [asked("slow")]))
    out, go_on = tmp_path / "run", threading.Event()
    peer.simulator.hold(go_on.is_set)
    child = nursery.start("--run", config, "--out", out, preflight=True)
    until(lambda: peer.stats()["requests"] == 1)
    child.send(signal.SIGINT)
    until(lambda: b"stopping: interrupted" in child.stderr)
    child.send(signal.SIGINT)
    assert child.wait() == 130, child.stderr
    go_on.set()
    second = nursery.run("resume", out, preflight=True)
    assert second.code == 0, second.stderr
    assert [record["stage"] for record in strict_lines(out / LOG) if record["started_at"]] == [STAGE, STAGE, "doer"]


async def test_a_cap_in_dollars_is_kept_and_the_plan_is_asked(served: Served, tmp_path: Path) -> None:
    """Where the cap has room for the plan and not for a preflight's worst case, the plan is asked all the same."""
    price = {"input": 1.0, "output": 100.0}
    config = panel(
        [spoken_by(served.url, "m", "bench", price=price)], [asked("m", 2)], run={"max_cost_usd": 0.01, "max_output_tokens": 20}
    )
    life = await run_here(config, tmp_path, check_first=True)
    check(life.path, await served.stats())
    assert [record["status"] for record in planned(life)] == ["ok", "ok"]
    assert life.ended.exit_code == 0
    assert [line for line in life.said if "no preflight of m" in line]


async def test_no_batch_is_handed_over_where_a_model_cannot_answer(served: Served, tmp_path: Path) -> None:
    """In batch mode, too, nothing planned leaves; and where all can answer, the batches go."""
    for name, api, code in (("bad", "fault:404", 3), ("good", "sim-sprinter", 0)):
        (tmp_path / name).mkdir()
        models = [spoken_by(served.url, "one", "bench"), spoken_by(served.url, "two", api)]
        config = panel(models, [asked("one", 3), asked("two", 3)], run={"mode": "batch", "poll_s": 0.02})
        life = await run_here(config, tmp_path / name, check_first=True)
        assert life.ended.exit_code == code, life.said
        assert (await served.stats())["batched"] == (6 if code == 0 else 0)
        assert Counter(record["model"] for record in tiny(life)) == {"one": 1, "two": 1}


def test_a_kill_during_it(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """What was under way is in doubt and on the budget; the resume asks anew, then goes on."""
    config = write_config(tmp_path, panel([spoken_by(peer.url, "slow", "bench")], [asked("slow", 2)], run={"max_calls": 4}))
    out, go_on = tmp_path / "run", threading.Event()
    peer.simulator.hold(go_on.is_set)
    child = nursery.start("--run", config, "--out", out, preflight=True)
    until(lambda: peer.stats()["requests"] == 1)
    child.kill()
    peer.wait_for_silence()
    go_on.set()
    again = nursery.run("resume", out, preflight=True)
    assert again.code == 0, again.stderr
    records = check(out, peer.stats(), kills=1)
    assert [record["stage"] for record in records] == [STAGE, "doer", "doer"]
    assert peer.stats()["requests"] == 4


# ------------------------------------------------------------------------------------------- what runs teach each other


def strict(url: str, **more: Any) -> Table:
    """A model whose server takes no temperature."""
    return panel([spoken_by(url, "strict", "fault:reject-temperature", temperature=0.5)], [asked("strict", 3)], **more)


def refused(out: Path) -> list[Table]:
    """Attempts that the server refused."""
    return [record for record in strict_lines(out / LOG) if record["http_status"] == 400]


@pytest.mark.parametrize("first", [False, True])
def test_a_second_run_knows_what_the_first_has_learnt(nursery: Nursery, peer: Peer, tmp_path: Path, first: bool) -> None:
    """One refused request in the first run, none in the second; both logs and reports say what was left out."""
    config = write_config(tmp_path, strict(peer.url))
    counts = []
    for number in range(2):
        out = tmp_path / f"run{number}"
        before = peer.stats()["requests"]
        child = nursery.run("--run", config, "--out", out, preflight=first)
        assert child.code == 0, child.stderr
        counts.append((peer.stats()["requests"] - before, len(refused(out))))
        assert b"strict: the server refuses temperature" in (out / "run.log").read_bytes()
        assert strict_json((out / "report.json").read_bytes())["models"]["strict"]["not_applicable"] == ["temperature"]
    assert counts == [(4 + first, 1), (3 + first, 0)]


def test_a_resume_knows_it_too(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """What an earlier life of the run has learnt needs no second refusal."""
    config = strict(peer.url, run={"retries": 0})
    config["models"].append(spoken_by(peer.url, "late", "fault:500:2"))
    config["panel"]["finals"] = [asked("strict")]
    config["panel"]["judges"] = [asked("late")]
    out = tmp_path / "run"
    assert nursery.run("--run", write_config(tmp_path, config), "--out", out).code == 3
    for _ in range(2):
        code = nursery.run("resume", out, "--failed").code
    assert code == 0
    assert len(refused(out)) == 1


@pytest.mark.parametrize("first", [False, True])
def test_what_cannot_be_kept_costs_the_run_nothing(nursery: Nursery, peer: Peer, tmp_path: Path, first: bool) -> None:
    """A file in the place of .conf: the run goes on with what it has learnt, every attempt is on file, and that is said."""
    (tmp_path / ".conf").write_text("in the way")
    out = tmp_path / "run"
    child = nursery.run("--run", write_config(tmp_path, strict(peer.url)), "--out", out, preflight=first)
    check(out, peer.stats())
    assert child.code == 0, child.stderr
    assert len(refused(out)) == 1
    assert b"cannot be written" in (out / "run.log").read_bytes()


def test_two_runs_learn_at_once(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Neither loses what the other has learnt."""
    children = []
    for name, what in (("a", "reject-temperature"), ("b", "reject-max-tokens")):
        (tmp_path / name).mkdir()
        config = panel([spoken_by(peer.url, name, f"fault:{what}", temperature=0.5)], [asked(name, 2)])
        children.append(nursery.start("--run", write_config(tmp_path / name, config), "--out", tmp_path / f"run-{name}"))
    assert [child.wait() for child in children] == [0, 0]
    text = (tmp_path / ".conf" / "learned.toml").read_text()
    assert "fault:reject-temperature" in text
    assert "fault:reject-max-tokens" in text


# ------------------------------------------------------------------------------------- models that the chosen samples leave out


def exam(url: str, folder: Path, **more: Any) -> Table:
    """Two models of an exam: `near` is asked of a server that counts, `far` of nobody; each question is one sample of each."""
    far = spoken_by(f"http://127.0.0.1:{closed_port()}/v1", "far", "x", **more)
    return choice(folder, [spoken_by(url, "near", "bench"), far], 3, run={"retries": 0, "only": ["near/q1"]})


async def test_a_model_that_no_sample_needs_is_not_asked_first(served: Served, tmp_path: Path) -> None:
    """Nobody listens at its port, and that is no reason not to start: in this life and in the next."""
    life = await run_here(exam(served.url, tmp_path), tmp_path, check_first=True)
    again = await resume_here(life.path, check_first=True)

    check(life.path, await served.stats())
    assert (life.ended.exit_code, again.ended.exit_code) == (0, 0)
    assert [(record["stage"], record["model"]) for record in life.records] == [(STAGE, "near"), ("answer", "near")]
    assert life.loaded.run.max_calls == 2 + 2 * 1


async def test_judges_and_scorers_of_what_is_left_are_asked_first(served: Served, tmp_path: Path) -> None:
    """As ever: they have planned calls."""
    names = {"a": "bench", "judge": "sim-arbiter", "scorer": "sim-scorer"}
    config = panel(
        [spoken_by(served.url, name, api) for name, api in names.items()],
        [asked("a")],
        questions=2,
        judges=[asked("judge")],
        truths=["The share of the rock that is pore space.", "Another."],
        benchmark={"mode": "llm", "scorer": {"model": "scorer"}},
        run={"only": ["__no_doc__/q1"]},
    )
    life = await run_here(config, tmp_path, check_first=True)
    assert Counter(record["model"] for record in tiny(life)) == dict.fromkeys(names, 1)


def test_the_plan_tells_only_of_models_that_are_asked(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Destinations, preflight, cap and what is missing for the cost; the others need no key, and no address."""
    config = exam(peer.url, tmp_path, api_key_env="NEVER_SET_KEY", price={"input": 1.0, "output": 2.0})
    config["models"][1]["base_url"] = "https://${NEVER_SET_HOST}/v1"
    file = write_config(tmp_path, {**config, "run": {"retries": 0}})
    words = ("--run", file, "--only", "near/q1")

    plan = nursery.run(*words, "--dry-run")
    told = strict_json(nursery.run(*words, "--dry-run", "--json").stdout)
    ran = nursery.run(*words, "--out", tmp_path / "run", preflight=True)
    whole = nursery.run("--run", file, "--out", tmp_path / "whole", preflight=True)

    assert b"+1 for the preflight" in plan.stdout and b"NEVER_SET" not in plan.stdout + plan.stderr
    assert b"near is counted as $0" in plan.stderr
    assert [entry["models"] for entry in told["asked"]] == [["near"]] and told["caps"]["max_calls"] == 4
    assert ran.code == 0, ran.stderr
    assert peer.stats()["by_model"] == {"bench": 2} and b"near -> 127.0.0.1" in ran.stderr and b"far" not in ran.stderr
    assert whole.code == 2 and b"NEVER_SET" in whole.stderr
