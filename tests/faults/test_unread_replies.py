"""Replies that a kind cannot read: no later run takes them from the cache, --failed asks for them again, a resume does not."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_bench import Life, Table, asked, panel, resume_here, run_here, spoken_by
from invariants import check
from samples import ALL_SAMPLES, MODELS, registered, written
from scripted import Scripted, answering, as_bytes, completion, reply

from tui_eval.cli.command_line import main
from tui_eval.cli.narration import block_lines, summary_line
from tui_eval.core.calls import Reply
from tui_eval.kinds.graph import EXAMPLE

NOTHING = "no idea what to say"
ONE_OF_EACH = list({kind: (kind, name) for kind, name in reversed(ALL_SAMPLES)}.values())


@pytest.fixture(autouse=True)
def own_kinds() -> Iterator[None]:
    """The kinds of the tests are known beside those that are shipped."""
    with registered():
        yield


def config_of(kind: str, name: str, folder: Path, url: str) -> Table:
    """A sample evaluation whose models are asked of a server."""
    table = tomllib.loads(written(kind, name, folder, repeat=1).read_text(encoding="utf-8"))
    models = [{**model, "wire": "openai", "base_url": url} for model in tomllib.loads(MODELS)["models"]]
    return {**table, "run": {"max_calls": 1000, "stop_model_after": 0, "cache": True}, "models": models}


def unread_in(life: Life) -> tuple[int, int]:
    """Of a run in which nobody says anything that can be read: how many of its calls came to nothing, and how many scores are
    missing."""
    evaluation = life.loaded.evaluation
    rows = [evaluation.driven(sample, lambda call: Reply(call, "ok", text=NOTHING)) for sample in evaluation.samples()]
    calls = [reply.call for row in rows for reply in row.replies if reply.unread]
    missing = sum(score.value is None for row in rows for score in row.scores)
    return len(calls), missing


def requests(server: Scripted) -> int:
    """How many calls it was asked."""
    return int(server.stats()["requests"])


@pytest.mark.parametrize(("kind", "name"), ONE_OF_EACH, ids=[kind for kind, _ in ONE_OF_EACH])
async def test_what_could_not_be_read_is_asked_again_and_nothing_else(kind: str, name: str, tmp_path: Path) -> None:
    """By the next run, which takes everything else from the cache; by --failed, at any temperature; by no plain resume."""
    said = reply(as_bytes(completion(NOTHING)))
    async with answering({model["model"]: said for model in tomllib.loads(MODELS)["models"]}) as (server, url):
        config, cache = config_of(kind, name, tmp_path, url), tmp_path / "cache"
        first = await run_here(config, tmp_path, out=tmp_path / "first", cache=cache)
        unread, missing = unread_in(first)
        asked = requests(server)
        plain = await resume_here(first.path, cache=cache)
        after_plain = requests(server)
        again = await resume_here(first.path, cache=cache, reopen_failed=True)
        after_failed = requests(server)
        second = await run_here(config, tmp_path, out=tmp_path / "second", cache=cache)

        assert asked > 0 and after_plain == asked and plain.ended.exit_code == first.ended.exit_code
        assert after_failed == asked + unread and again.ended.exit_code == first.ended.exit_code
        assert requests(server) == after_failed + unread
        assert sum(not record["cached"] for record in second.records) == unread
        assert (unread > 0) == (missing > 0)
        one = {**server.stats(), "requests": after_failed, "ids": server.stats()["ids"][:after_failed]}
        check(first.path, one, reopened=True)


async def test_what_is_read_at_last_counts_and_is_kept(tmp_path: Path) -> None:
    """--failed brings a graph in place of words: it has its scores, and the next run asks nothing."""
    said = dict.fromkeys((model["model"] for model in tomllib.loads(MODELS)["models"]), reply(as_bytes(completion(NOTHING))))
    async with answering(said) as (server, url):
        config, cache = config_of("graph", "graph, one prompt, held to a schema", tmp_path, url), tmp_path / "cache"
        first = await run_here(config, tmp_path, out=tmp_path / "first", cache=cache)
        valid = [first.report["tables"]]
        said |= dict.fromkeys(said, reply(as_bytes(completion(EXAMPLE))))
        again = await resume_here(first.path, cache=cache, reopen_failed=True)
        asked = requests(server)
        second = await run_here(config, tmp_path, out=tmp_path / "second", cache=cache)

        assert [again.report["tables"]] != valid and again.report["tables"] == second.report["tables"]
        assert requests(server) == asked and all(record["cached"] for record in second.records)


@pytest.mark.parametrize(("cap", "shown"), [(20, "20/20"), (100, "30/30")], ids=["no call to spare", "calls to spare"])
async def test_what_is_not_asked_again_is_none_of_the_plan(
    cap: int, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Grades that nobody can read: where the budget leaves no call to ask for them again, all that was planned is done."""
    async with answering({name: reply(as_bytes(completion(NOTHING))) for name in ("doer", "grader")}) as (_, url):
        models = [spoken_by(url, name, name) for name in ("doer", "grader")]
        benchmark = {"mode": "llm", "scorer": {"model": "grader"}}
        more: Table = {"truths": ["a"] * 10, "benchmark": benchmark, "run": {"max_calls": cap, "stop_model_after": 0}}
        life = await run_here(panel(models, [asked("doer")], questions=10, **more), tmp_path, check_first=False)

    progress = life.ended.progress
    assert summary_line(progress, 0.0).startswith(f"100 %  {shown}  ")
    assert " 10 answered, 0 failed, 0 timed out" in block_lines(progress, 0.0, 9)[2]
    assert ("not sent" in summary_line(progress, 0.0)) == (cap == 20)
    assert [line.split()[1] for line in block_lines(progress, 0.0, 9)[:1]] == [shown]
    assert progress.total.skipped == 10 * (cap == 20)
    assert main(["--workspace", str(tmp_path), "status", str(life.path)]) == 0
    assert f" {shown.partition('/')[0]}/20 (" in capsys.readouterr().out
