"""`resume --failed`: what could not be read, what was cut, and what a server failed, within caps that hold."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fault_bench import LOG, Life, Table, panel, resume_here, run_here, spoken_by, strict_json, strict_lines, write_config
from fault_bench import asked as doer
from graphs import drawn
from scripted import Scripted, answering, as_bytes, completion, reply
from troubled import Troubled

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import load
from tui_eval.configuring.reopening import cap_is_derived
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.engine.previous_sessions import earlier_lives
from tui_eval.engine.replaying import ToAsk, still_to_ask
from tui_eval.evaluation.kind import Kind
from tui_eval.workspace.places import Workspace

WHOLE = json.dumps(drawn(), indent=1)
GRAPH = reply(as_bytes(completion(WHOLE)))
WORDS = reply(as_bytes(completion("no idea what to draw")))
BROKEN_SERVER = reply(as_bytes({"error": {"message": "out of order"}}), status=500)


def cut(place: int) -> bytes:
    """A reply that the token limit cut at a character."""
    body = completion(WHOLE[:place])
    body["choices"][0]["finish_reason"] = "length"
    return reply(as_bytes(body))


def drafts(folder: Path, url: str, briefs: int = 2, models: Sequence[str] = ("one",), **run: object) -> Table:
    """Graphs of some briefs, asked of models that a scripted server speaks for."""
    (folder / "draft.txt").write_text("Draw it.")
    for n in range(briefs):
        head = "---\nexpect_status_quo: false\nhas_numeric_target: false\ncomplexity: simple\n---\n"
        (folder / f"brief{n:02d}.md").write_text(f"{head}Decide on quay {n}.")
    return {
        "kind": "graph",
        "name": "drafts",
        "run": {"retries": 0, "stop_model_after": 3, "cache": False, **run},
        "models": [spoken_by(url, name, name) for name in models],
        "graph": {"prompts": ["draft.txt"], "briefs": ["brief*.md"], "models": list(models)},
    }


def statuses(life: Life) -> list[str]:
    """The status of every graph, as response.json has it."""
    return sorted(strict_json(path.read_bytes())["status"] for path in life.path.rglob("response.json"))


def asked(server: Scripted) -> int:
    """How many requests came."""
    return int(server.stats()["requests"])


async def test_a_cut_graph_is_asked_for_once_more_with_four_times_the_tokens(tmp_path: Path) -> None:
    """Planned in up_to; cut again, it is truncated in every file, with the limit that was sent last; never a score."""
    async with answering({"one": cut(200)}) as (server, url):
        life = await run_here(drafts(tmp_path, url, max_output_tokens=500), tmp_path, check_first=False)
        limits = [record["request"]["max_tokens"] for record in life.records]

        assert (life.loaded.plan["total_calls"], life.loaded.plan["up_to_more"], asked(server)) == (2, 2, 4)
        assert sorted(limits) == [500, 500, 2000, 2000] and statuses(life) == ["truncated"] * 2
    for name in ("scores.csv", "summary.md", "analysis-pack.md"):
        assert "truncated" in (life.path / name).read_text(), name
        assert "JSON is broken" not in (life.path / name).read_text(), name
    responses = [strict_json(path.read_bytes()) for path in life.path.rglob("response.json")]
    assert all(one["reason"].startswith("cut at 2,000 tokens; raise run.max_output_tokens") for one in responses)
    assert all(one["overall_score"] is None for one in responses)


@pytest.mark.parametrize("most", [500, 300, 1200])
async def test_no_graph_is_asked_for_with_more_tokens_than_its_server_allows(most: int, tmp_path: Path) -> None:
    """What the server names is learnt once; a repeat that would be the same request is not sent, and costs nothing."""

    def said(request: Table) -> bytes:
        if request["max_tokens"] > most:
            message = f"max_tokens is too large: {request['max_tokens']}. This model supports at most {most} completion tokens."
            error = {"message": message, "type": "invalid_request_error", "param": "max_tokens"}
            return reply(as_bytes({"error": error}), status=400)
        return cut(200)

    async with answering({"one": said}) as (server, url):
        life = await run_here(drafts(tmp_path, url, max_output_tokens=500, max_concurrency=1), tmp_path, check_first=False)
        before = asked(server)
        again = await resume_here(life.path)
        taken = [record["request"]["max_tokens"] for record in life.records if record["status"] == "ok"]

        assert sorted(taken) == ([500, 500, most, most] if most > 500 else [most] * 2)
        assert asked(server) == len(taken) + 1 == before and life.ended.exit_code == 0 == again.ended.exit_code
    reasons = {strict_json(path.read_bytes())["reason"] for path in life.path.rglob("response.json")}
    assert all(reason.startswith("cut at the most tokens that its server allows") for reason in reasons) == (most <= 500)


async def test_a_raised_limit_holds_for_what_is_asked_again_alone(tmp_path: Path) -> None:
    """Answered calls keep key and reply; the manifest says both limits; a lower limit is refused."""
    said = {"one": cut(200), "two": GRAPH}
    async with answering(said) as (server, url):
        config = drafts(tmp_path, url, models=("one", "two"), max_output_tokens=500)
        first = await run_here(config, tmp_path, check_first=False)
        before, keys = asked(server), {r["call_key"] for r in first.records if r["model"] == "two"}
        with pytest.raises(ConfigError, match="may only raise its token limit, here to more than 500"):
            await resume_here(first.path, ["run.max_output_tokens=400"])
        said["one"] = GRAPH
        again = await resume_here(first.path, ["run.max_output_tokens=9000"], reopen_failed=True)
        rescored = await resume_here(first.path, reopen_failed=True)

        assert asked(server) == before + 2 and statuses(again) == ["ok"] * 4 == statuses(rescored)
    records = strict_lines(first.path / LOG)
    assert [r["request"]["max_tokens"] for r in records[before:]] == [9000] * 2
    assert {r["call_key"] for r in records if r["model"] == "two"} == keys
    changes = strict_json((first.path / "manifest.json").read_bytes())["changes"]
    assert [change["token_limits"] for change in changes] == [{"first": 500, "asked_again": 9000}]


@pytest.mark.parametrize("temperature", [0, 0.7])
async def test_what_could_not_be_read_is_asked_again_at_any_temperature(temperature: float, tmp_path: Path) -> None:
    """The person asks for it; what was read is not asked for again."""
    said = {"one": WORDS, "two": GRAPH}
    async with answering(said) as (server, url):
        config = drafts(tmp_path, url, models=("one", "two"))
        for model in config["models"]:
            model["temperature"] = temperature
        first = await run_here(config, tmp_path, check_first=False)
        said["one"] = GRAPH
        plain = await resume_here(first.path)
        before = asked(server)
        again = await resume_here(first.path, reopen_failed=True)

        assert statuses(first) == statuses(plain) or statuses(again) == ["ok"] * 4
        assert asked(server) == before + 2 and statuses(again) == ["ok"] * 4


async def test_what_is_still_to_be_asked_is_counted(tmp_path: Path) -> None:
    """Failed, unread and unsent calls with what may follow them; nothing of a run in which all was read."""
    said = {"one": BROKEN_SERVER, "two": GRAPH}
    async with answering(said) as (_, url):
        first = await run_here(drafts(tmp_path, url, briefs=5, models=("one", "two")), tmp_path, check_first=False)
        recorded = earlier_lives(first.path).recorded
        assert recorded is not None and still_to_ask(first.loaded.evaluation, recorded) == ToAsk(calls=5, may_follow=5)
        said["one"] = GRAPH
        await resume_here(first.path, ["run.max_calls=100"], reopen_failed=True)
        recorded = earlier_lives(first.path).recorded
        assert recorded is not None and still_to_ask(first.loaded.evaluation, recorded) == ToAsk()


def ends_early(kind: Kind) -> Kind:
    """The kind, a sample of which asks nothing more once it has any reply but the example that the plan rests on."""

    def flow(task: Any, sample: Sample) -> Flow:
        whole = kind.flow(task, sample)
        replies = yield (calls := next(whole))
        for call, one in zip(calls, replies, strict=True):
            if one.ok and one.text != call.example_text:
                return []
        while True:
            try:
                replies = yield whole.send(replies)
            except StopIteration as end:
                return end.value

    return replace(kind, flow=flow)


async def test_no_room_is_kept_for_calls_that_no_sample_comes_to(tmp_path: Path) -> None:
    """20 samples are planned with a grade each, and all that are answered go without; the first, whose answer failed, is asked
    again within a cap that has room for it and little else."""
    server = Troubled()
    url = await server.start()
    models = [spoken_by(url, "doer", "sim-scholar"), spoken_by(url, "grader", "sim-scholar")]
    graded = {"truths": ["a"] * 20, "benchmark": {"mode": "llm", "scorer": {"model": "grader"}}}
    config = panel(models, [doer("doer")], 20, run={"max_calls": 40, "max_concurrency": 1, "retries": 0}, **graded)
    server.at = lambda number: setattr(server, "trouble", "500" if number == 1 else "")

    first = await run_here(config, tmp_path, ends_early, check_first=False)
    again = await resume_here(first.path, ["run.max_calls=23"], ends_early, reopen_failed=True)
    await server.stop()

    assert (first.ended.progress.total.error, again.ended.progress.total.skipped) == (1, 0)
    assert again.ended.progress.total.error == 0 and server.asked == 21


async def _command(*words: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tui_eval", *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    _, told = await process.communicate()
    return process.returncode or 0, told.decode()


@pytest.mark.soak
@pytest.mark.parametrize("cap", [None, 21], ids=["nobody set a cap", "a cap was set"])
async def test_the_last_line_names_the_command_that_repairs_the_run(cap: int | None, tmp_path: Path) -> None:
    """10 briefs x 2 models beside a server that is out of order for a while: one command asks everything again, from any
    folder. A cap that was set binds, not by one call more, and the last line names one that has room."""
    said = {"one": BROKEN_SERVER, "two": BROKEN_SERVER}
    async with answering(said) as (server, url):
        run = {"stop_model_after": 0, **({} if cap is None else {"max_calls": cap})}
        config = write_config(tmp_path, drafts(tmp_path, url, briefs=10, models=("one", "two"), **run))
        words, out = ("--workspace", str(tmp_path)), str(tmp_path / "run")
        code, told = await _command(*words, "run", str(config), "--out", out, "--no-preflight")
        assert code == 3 and asked(server) == 20
        assert cap_is_derived(tmp_path / "run", ()) == (cap is None)
        said |= {"one": GRAPH, "two": GRAPH}
        (advice,) = re.findall(r"with: tui-eval (.*)$", told.strip())
        if cap is not None:
            assert advice.endswith("resume RUN --failed --set run.max_calls=64".replace("RUN", out))
            code, _ = await _command(*words, "resume", out, "--failed")
            assert code == 3 and asked(server) == cap
        code, told = await _command(*shlex.split(advice))

        assert code == 0 and asked(server) == 40, told
        assert cap is not None or "at most 64 calls in this session, 84 in all" in told


def test_a_model_that_thinks_is_sent_no_limit_that_nobody_set(tmp_path: Path) -> None:
    """By default; not where a limit or a cap on cost is set. A limit below what the rules allow is warned of."""

    def limits(**run: object) -> tuple[list[int | None], list[str]]:
        config = drafts(tmp_path, "http://127.0.0.1:9/v1", models=("one", "two"), **run)
        for model in config["models"]:
            model["price"] = {"input": 1.0, "output": 2.0}
        config["models"][1]["reasoning_effort"] = "high"
        loaded = load(write_config(tmp_path, config), Workspace(tmp_path))
        sent = [model.max_output_tokens for model in loaded.evaluation.task.asked["draft"]]
        return sent, [warning for warning in loaded.warnings if "the largest allowed graph" in warning]

    assert limits() == ([8000, None], [])
    assert limits(max_cost_usd=5.0) == ([8000, 8000], [])
    assert limits(max_output_tokens=6000) == ([6000, 6000], [])
    sent, warnings = limits(max_output_tokens=2000)
    assert sent == [2000, 2000] and [line.partition(":")[0] for line in warnings] == ["one", "two"]


async def test_a_run_keeps_its_limits_whatever_the_default(tmp_path: Path) -> None:
    """Its own config has them: taken up again, nothing is asked anew."""
    async with answering({"one": GRAPH, "two": GRAPH}) as (server, url):
        config = drafts(tmp_path, url, models=("one", "two"))
        config["models"][1]["reasoning_effort"] = "high"
        first = await run_here(config, tmp_path, check_first=False)
        sent = {r["model"]: r["request"].get("max_tokens", r["request"].get("max_completion_tokens")) for r in first.records}
        before = asked(server)
        await resume_here(first.path, reopen_failed=True)

        assert sent == {"one": 8000, "two": None} and asked(server) == before


@pytest.mark.parametrize("priced", [False, True])
async def test_a_dry_run_says_the_cap_that_the_session_then_prints_and_sends_nothing(
    priced: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the sum of the cap, model by model; where models have prices, the most that each call sent once costs."""
    said = {"one": BROKEN_SERVER, "two": GRAPH}
    async with answering(said) as (server, url):
        config = drafts(tmp_path, url, briefs=5, models=("one", "two"), **({"max_cost_usd": 5.0} if priced else {}))
        for model in config["models"] if priced else ():
            model["price"] = {"input": 1.0, "output": 10.0}
        first = await run_here(config, tmp_path, check_first=False)
        before, charged = asked(server), first.report["charged_usd"]
        words = ["--workspace", str(tmp_path), "resume", str(first.path), "--failed", "--no-preflight"]
        capsys.readouterr()
        assert await asyncio.to_thread(main, [*words, "--dry-run", "--json"]) == 0
        told = strict_json(capsys.readouterr().out.encode())
        assert asked(server) == before
        again = await resume_in_a_process(words)
    assert (told["calls"], told["may_follow"], told["simulated_calls"]) == (5, 5, 0)
    assert {model["name"]: model["calls"] for model in told["models"]} == {"one": 5, "two": 0}
    assert f"at most {told['room']:,} calls in this session, {told['cap']:,} in all" in again
    if priced:
        assert 0 < told["max_cost_usd"] == told["models"][0]["max_cost_usd"] < 5
        assert 0 < told["left_usd"] == pytest.approx(5 - charged, abs=1e-5)
    else:
        assert told["max_cost_usd"] == 0 and told["left_usd"] is None  # servers on this machine cost nothing


async def resume_in_a_process(words: Sequence[str]) -> str:
    """What a command of its own says on standard error."""
    command = [sys.executable, "-m", "tui_eval", *words]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL)
    return (await process.communicate())[1].decode()
