"""Runs of dialogues: five models side by side, one whose server is gone, one that is killed and taken up again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from chats import chat, conversations
from fault_bench import (
    LOG,
    Peer,
    Table,
    by_model,
    closed_port,
    resume_here,
    run_here,
    serving,
    simulated_by,
    spoken_by,
    strict_json,
    write_config,
)
from invariants import check
from nursery import Child, Nursery
from victim import Victim

from tui_eval.core.calls import Call
from tui_eval.reporting.rescoring import rescore
from tui_eval.runs.person_marks import PERSON_MARKS, PersonMark, add_mark
from tui_eval.runs.record import reply_of
from tui_eval.workspace.places import Workspace

MakePeer = Callable[..., Peer]
FIVE = {"one": "sim-grounded", "two": "sim-inventive", "three": "sim-dropout", "four": "sim-sprinter", "five": "sim-thrifty"}


def five(folder: Path, url: str, sizes: tuple[int, ...] = (4, 3, 3), **run: object) -> Table:
    """Five models with ten questions, judged by a sixth."""
    models = [simulated_by(url, name, persona) for name, persona in {**FIVE, "judge": "sim-arbiter"}.items()]
    return chat(folder, conversations(sizes), models, {"model": "judge", "duplicates": 0.2}, {"repeat": 1, **run})


@pytest.mark.soak
async def test_five_models_with_ten_questions_go_from_the_set_to_the_report(tmp_path: Path) -> None:
    """Every model by every metric, every question in evaluation.json, as many calls as planned and what may follow."""
    async with serving(latency_scale=0) as served:
        life = await run_here(five(tmp_path, served.url), tmp_path)
        records = check(life.path, await served.stats())

    evaluation = strict_json((life.path / "evaluation.json").read_bytes())
    metrics = strict_json((life.path / "metrics.json").read_bytes())["rows"]
    assert evaluation["status"] == "complete"
    assert sorted({entry["model"] for entry in evaluation["results"]}) == sorted(FIVE)
    assert len(evaluation["results"]) == 5 * 10
    assert {(row["model"], row["metric"]) for row in metrics} == {
        (model, metric) for model in FIVE for metric in ("groundedness", "relevance", "coherence", "fluency", "claims")
    }
    answers = [record for record in records if record["stage"] == "answer"]
    assert len(answers) == 50
    assert len(records) <= life.loaded.plan["total_calls"] + life.loaded.plan["up_to_more"]
    assert {"claims.csv", "judge_noise.csv", "turn_scores.csv"} <= {file.name for file in life.path.iterdir()}


async def test_a_refusals_own_words_stay_in_the_history(tmp_path: Path) -> None:
    """What a model said that declined is what later turns are told it said, in the run and out of its log; where a log, such as
    one of an earlier version, has no words of it, a sentence stands there, so that nothing is asked again."""
    words = "I will not help with that (simulated)."
    async with serving(latency_scale=0) as served:
        models = [spoken_by(served.url, "one", "fault:refusal"), simulated_by(served.url, "judge", "sim-arbiter")]
        config = chat(tmp_path, conversations((3,)), models, {"model": "judge"}, {"repeat": 1})
        life = await run_here(config, tmp_path)
        asked = (await served.stats())["requests"]
        await resume_here(life.path)
        again = (await served.stats())["requests"]

    answers = [record for record in life.records if record["stage"] == "answer"]
    said = [[m["content"] for m in record["request"]["messages"] if m["role"] == "assistant"] for record in answers]
    assert [record["response_text"] for record in answers] == [words] * 3
    assert [record["error_kind"] for record in answers] == ["refused"] * 3
    assert said == [[], [words], [words] * 2] and again == asked
    older = {**answers[0], "response_text": None}
    call = Call("answer", "c", "one", ())
    assert (reply_of(older, call).refusal_words, reply_of(answers[0], call).refusal_words) == (None, words)


async def test_a_model_whose_server_is_gone_is_named_and_holds_up_no_other(tmp_path: Path) -> None:
    """The other four are complete."""
    async with serving(latency_scale=0) as served:
        config = five(tmp_path, served.url, (2, 2), retries=0)
        config["models"][1] = simulated_by(f"http://127.0.0.1:{closed_port()}/v1", "two", "sim-inventive")
        life = await run_here(config, tmp_path)

    turns = {row["model"]: row for row in strict_json((life.path / "answers.json").read_bytes())["rows"]}
    assert (turns["two"]["answered"], turns["two"]["failed"]) == (0, 4)
    assert all(turns[name]["answered"] + turns[name]["failed"] == 4 for name in FIVE)
    assert [name for name in FIVE if turns[name]["answered"] < 3] == ["two"]
    entries = [
        entry for entry in strict_json((life.path / "evaluation.json").read_bytes())["results"] if entry["model"] == "two"
    ]
    assert all(entry["error"] for entry in entries)
    assert set(by_model(life.records)) == {*FIVE, "judge"}


async def test_a_server_that_is_gone_in_the_middle_costs_its_own_model_alone(tmp_path: Path) -> None:
    """Three answers came before: they stay and are judged. The other four are complete, and the fault is named."""
    async with serving(latency_scale=0) as served, serving(latency_scale=0) as doomed:
        config = five(tmp_path, served.url, (2, 2, 2, 2), retries=0, max_concurrency=10)
        config["models"][1] = simulated_by(doomed.url, "two", "sim-inventive", limits={"max_in_flight": 1})
        doomed.simulator.hold(lambda: False, after=3)

        async def die() -> None:
            while len(doomed.simulator.arrivals) < 4:
                await asyncio.sleep(0.01)
            await doomed.simulator.stop()

        end = asyncio.create_task(die())
        life = await run_here(config, tmp_path)
        await end

    turns = {row["model"]: row for row in strict_json((life.path / "answers.json").read_bytes())["rows"]}
    assert turns["two"]["answered"] == 3 and turns["two"]["failed"] == 5
    assert "transient" in turns["two"]["why"]
    assert all(turns[name]["answered"] == 8 for name in FIVE if name not in ("two", "three"))
    metrics = {(row["model"], row["metric"]): row for row in strict_json((life.path / "metrics.json").read_bytes())["rows"]}
    assert metrics["two", "fluency"]["n_scored"] == 3 and metrics["two", "fluency"]["n_total"] == 8
    assert all(metrics[name, "fluency"]["coverage"] == 1.0 for name in ("one", "four", "five"))


async def test_with_choices_a_slow_model_holds_up_no_turn_and_no_mark_of_another(tmp_path: Path) -> None:
    """It says nothing until the others' answers are all there and marked; then choices are made, and reports are as ever."""
    async with serving(latency_scale=0) as served, serving(latency_scale=0) as slow:
        config = five(tmp_path, served.url, (3, 2))
        config["models"][1] = simulated_by(slow.url, "two", "sim-sprinter")
        config["models"][2] = simulated_by(served.url, "three", "sim-thrifty")
        config["chat"]["judge"] = {"model": "judge", "pairs": True, "claims": False, "metrics": ["fluency"]}
        expected = 4 * 5 * 2
        slow.simulator.hold(lambda: len(served.simulator.arrivals) >= expected)
        life = await run_here(config, tmp_path)

    began = min(record["ended_at"] for record in life.records if record["model"] == "two")
    others = [record for record in life.records if record["model"] != "two" and record["about"].split(" ")[0] != "preference"]
    before = [record for record in others if record["started_at"] < began]
    assert len(before) >= expected
    rows = {row["metric"]: row for row in strict_json((life.path / "metrics.json").read_bytes())["rows"]}
    assert rows["preference"]["n_scored"]
    reports = {name: (life.path / name).read_bytes() for name in ("results.jsonl", "evaluation.json", "choices.csv")}
    rescore(life.path, Workspace(tmp_path))
    assert {name: (life.path / name).read_bytes() for name in reports} == reports


@pytest.mark.soak
async def test_five_models_take_a_third_of_the_time_that_one_call_at_a_time_takes(tmp_path: Path) -> None:
    """Ten questions; one at a time takes as long as all calls together. Five seconds after the last answer reports stand."""
    async with serving(latency_scale=0.3) as served:
        life = await run_here(five(tmp_path, served.url), tmp_path)

    begun = [datetime.fromisoformat(record["started_at"]) for record in life.records if record["started_at"]]
    ended = [datetime.fromisoformat(record["ended_at"]) for record in life.records if record["started_at"]]
    one_at_a_time = sum(record["latency_ms"] for record in life.records if record["latency_ms"]) / 1000
    assert (max(ended) - min(begun)).total_seconds() <= one_at_a_time / 3
    assert (life.path / "report.json").stat().st_mtime - max(ended).timestamp() <= 5


@dataclass
class _Chat(Victim):
    """The same of dialogues."""

    def start(self, *more: object) -> Child:
        """The next life."""
        if (self.out / "config.toml").exists():
            return self.nursery.start("resume", self.out, *more)
        config = write_config(self.folder, five(self.folder, self.peer.url, (4, 2), max_concurrency=6))
        return self.nursery.start("--run", config, "--out", self.out, *more)


def scores_of(path: Path) -> list[Table]:
    """What a run came to, without times."""
    found = strict_json((path / "evaluation.json").read_bytes())["results"]
    return [{name: value for name, value in entry.items() if name != "latency_ms"} for entry in found]


@pytest.mark.soak
def test_a_killed_run_is_taken_up_again_and_repeats_nothing(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Killed twice, in flight, it ends with the scores of a run that nobody killed, and asks no settled call again."""
    left_alone = _Chat(nursery, peers(latency_scale=0), tmp_path / "alone")
    left_alone.folder.mkdir()
    assert left_alone.live_on().code == 0
    victim = _Chat(nursery, peers(latency_scale=0.02), tmp_path / "killed")
    victim.folder.mkdir()
    dice = random.Random(5)
    for _ in range(2):
        victim.live_and_die_in_flight(dice.randint(6, 40))

    last = victim.live_on()

    assert last.code == 0, last.stderr
    victim.assert_nothing_settled_was_asked_again()
    check(victim.out, victim.peer.stats(), kills=2)
    assert scores_of(victim.out) == scores_of(left_alone.out)
    assert (victim.out / LOG).stat().st_size > 0


async def test_a_persons_marks_are_read_by_a_rescore_and_stay_as_they_are(tmp_path: Path) -> None:
    """They stand in person_checks and in report.json, the same after every re-score."""
    async with serving(latency_scale=0) as served:
        models = [
            simulated_by(served.url, name, persona) for name, persona in {"one": "sim-grounded", "judge": "sim-arbiter"}.items()
        ]
        config = chat(tmp_path, conversations((2, 1)), models, {"model": "judge", "claims": False, "metrics": ["fluency"]})
        life = await run_here(config, tmp_path)
    assert not (life.path / "person_checks.json").exists()
    for turn, mark in ((1, 4), (2, None)):
        add_mark(life.path, PersonMark("one/c1", 0, turn, "one", "fluency", mark, "2026-01-02T03:04:05Z"))
    written = (life.path / PERSON_MARKS).read_bytes()

    rescore(life.path, Workspace(tmp_path))

    every, one = strict_json((life.path / "person_checks.json").read_bytes())["rows"]
    assert (every["n_shown"], every["n_marked"], every["n_cannot_tell"], one["model"]) == (2, 1, 1, "one")
    before = (life.path / "report.json").read_bytes()
    rescore(life.path, Workspace(tmp_path))
    assert (life.path / "report.json").read_bytes() == before
    assert (life.path / PERSON_MARKS).read_bytes() == written


async def test_a_file_of_marks_that_is_none_costs_no_report(tmp_path: Path) -> None:
    """The run's log says so."""
    async with serving(latency_scale=0) as served:
        models = [
            simulated_by(served.url, name, persona) for name, persona in {"one": "sim-grounded", "judge": "sim-arbiter"}.items()
        ]
        config = chat(tmp_path, conversations((1,)), models, {"model": "judge", "claims": False, "metrics": ["fluency"]})
        life = await run_here(config, tmp_path)
    (life.path / PERSON_MARKS).mkdir()

    rescore(life.path, Workspace(tmp_path))

    assert (life.path / "metrics.json").is_file()
    assert "human ratings are left out" in (life.path / "run.log").read_text()
