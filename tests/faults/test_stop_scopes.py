"""How far a failure reaches: one call, one model, one endpoint and key, or the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_bench import Served, Table, asked, by_model, panel, resume_here, run_here, simulated_by, spoken_by
from invariants import check

CALLS = 12


def _kinds(records: list[Table]) -> set[str]:
    return {record["error_kind"] or "ok" for record in records}


@pytest.mark.parametrize("what", ["401", "402", "quota"])
async def test_a_refused_key_stops_its_endpoint_and_key(
    served: Served, tmp_path: Path, what: str, canary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that is refused, or whose money is gone, stops every model of that endpoint and key after one request, with one
    line that says so; another key at the same place, and another place, go on."""
    monkeypatch.setenv("OTHER_API_KEY", "another-key-of-some-length")
    models = [
        spoken_by(served.url, "refused", f"fault:{what}", api_key_env=canary),
        spoken_by(served.url, "same_key", "bench-50ms", api_key_env=canary),
        spoken_by(served.url, "other_key", "bench-50ms", api_key_env="OTHER_API_KEY"),
        spoken_by(f"{served.url}/", "other_place", "bench-50ms", api_key_env=canary),
    ]
    rows = [asked(model["name"], CALLS) for model in models]

    life = await run_here(panel(models, rows, run={"max_concurrency": 8}), tmp_path)

    own = by_model(check(life.path, await served.stats()))
    assert [r["error_kind"] for r in own["refused"] if r["request"]] == ["permanent"]
    assert len(own["refused"]) == len(own["same_key"]) == CALLS
    assert sum(r["error_kind"] == "not_sent" for r in own["same_key"]) >= CALLS - 2
    assert all(not r["final"] and "endpoint stopped" in r["error_message"] for r in own["same_key"] if not r["request"])
    assert _kinds(own["other_key"]) == _kinds(own["other_place"]) == {"ok"}
    assert len([line for line in life.said if "no more calls" in line]) == 1
    assert life.ended.exit_code == 3


async def test_an_unknown_model_stops_that_model(served: Served, tmp_path: Path) -> None:
    """A model that the server does not know is asked once; its neighbour at the same endpoint answers everything."""
    unknown = ("404", "403", "redirect")
    models = [*(spoken_by(served.url, what, f"fault:{what}") for what in unknown), spoken_by(served.url, "known", "bench-20ms")]

    life = await run_here(panel(models, [asked(model["name"], CALLS) for model in models]), tmp_path)

    stats = await served.stats()
    own = by_model(check(life.path, stats))
    assert {what: stats["by_model"][f"fault:{what}"] for what in unknown} == dict.fromkeys(unknown, 1)
    for what in unknown:
        assert sum("model stopped" in (r["error_message"] or "") for r in own[what]) == CALLS - 1
    assert _kinds(own["known"]) == {"ok"}
    assert life.ended.exit_code == 3


async def test_a_refused_call_is_that_call_alone(served: Served, tmp_path: Path) -> None:
    """A bad request, a filter or a refusal ends its own call; the next call of the model is sent all the same."""
    whats = ("400", "422", "content-filter", "content-filter-400", "refusal", "403-moderation", "length-empty")
    models = [spoken_by(served.url, what, f"fault:{what}") for what in whats]

    life = await run_here(panel(models, [asked(what, 6) for what in whats]), tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["by_model"] == {f"fault:{what}": 6 for what in whats}
    assert all(record["final"] and record["status"] == "error" for record in records)


async def test_a_model_that_declines_is_not_broken(served: Served, tmp_path: Path) -> None:
    """Refusals and answers cut to nothing by the token limit, however many in a row, do not stop a model."""
    whats = ("content-filter", "refusal", "403-moderation", "length-empty")
    models = [spoken_by(served.url, what, f"fault:{what}") for what in whats]

    await run_here(panel(models, [asked(what, 6) for what in whats], run={"stop_model_after": 2}), tmp_path)

    assert (await served.stats())["by_model"] == {f"fault:{what}": 6 for what in whats}


async def test_failures_in_a_row_stop_the_model(served: Served, tmp_path: Path) -> None:
    """After stop_model_after calls that failed for good in a row a model gets no more; the others go on, and the reason
    is told once."""
    whats = ("500", "400", "reset", "garbage", "hang", "empty")
    one = {"max_in_flight": 1}
    models = [spoken_by(served.url, what, f"fault:{what}", limits=one) for what in whats]
    models.append(spoken_by(served.url, "fine", "bench-20ms"))
    rows = [*(asked(what, CALLS, timeout_s=0.2 if what == "hang" else 120.0) for what in whats), asked("fine", CALLS)]

    life = await run_here(panel(models, rows, run={"stop_model_after": 3}), tmp_path)

    stats = await served.stats()
    own = by_model(check(life.path, stats))
    assert {what: sum(r["started_at"] is not None for r in own[what]) for what in whats} == dict.fromkeys(whats, 3)
    assert all(stats["by_model"][f"fault:{what}"] == 3 for what in whats if what != "hang")
    for what in whats:
        assert sum("3 calls in a row failed" in (r["error_message"] or "") for r in own[what]) == CALLS - 3
    assert _kinds(own["fine"]) == {"ok"}
    assert len([line for line in life.said if "no more calls" in line]) == len(whats)


async def test_a_stopped_model_is_tried_again_by_a_resume(served: Served, tmp_path: Path) -> None:
    """Calls that were not sent because their model was stopped are asked by a resume."""
    models = [spoken_by(served.url, "recovering", "fault:404:1", send_seed=False)]
    first = await run_here(panel(models, [asked("recovering", 5)]), tmp_path)
    before = (await served.stats())["requests"]

    second = await resume_here(first.path, reopen_failed=True)

    assert before == 1
    assert [r["status"] for r in second.records if r["final"]] == ["error"] + ["ok"] * 5
    assert second.ended.exit_code == 0


@pytest.mark.parametrize("what", ["500", "400", "hang", "401"])
async def test_abort_ends_the_run_at_the_first_failure(served: Served, tmp_path: Path, what: str) -> None:
    """With on_failure = "abort" the first call that fails for good ends the run: exit 3, with the reason."""
    models = [spoken_by(served.url, "broken", f"fault:{what}"), spoken_by(served.url, "fine", "bench-300ms")]
    run = {"on_failure": "abort", "max_concurrency": 4}
    broken = asked("broken", 5, timeout_s=1.2 if what == "hang" else 120.0)

    life = await run_here(panel(models, [broken, asked("fine", 40)], run=run), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["requests"] < 20
    assert life.ended.exit_code == 3
    assert life.ended.stopped.startswith("aborted: broken")


async def test_abort_lets_a_refusal_pass(served: Served, tmp_path: Path) -> None:
    """A model that declines is an answer of a kind, not a failure: it aborts nothing."""
    models = [spoken_by(served.url, "shy", "fault:refusal"), spoken_by(served.url, "fine", "bench")]

    life = await run_here(panel(models, [asked("shy", 3), asked("fine", 3)], run={"on_failure": "abort"}), tmp_path)

    assert len(check(life.path, await served.stats())) == 6
    assert life.ended.exit_code == 0


REPAIRS = [("reject-max-tokens", "max_tokens", "max_completion_tokens"), ("reject-temperature", "temperature", None)]


@pytest.mark.parametrize(("what", "parameter", "renamed"), REPAIRS)
async def test_a_refused_parameter_is_learnt_once(
    served: Served, tmp_path: Path, what: str, parameter: str, renamed: str | None
) -> None:
    """The first call of a model goes alone and is repaired; all later ones are sent right at once: one request more than
    calls, no retry used up."""
    models = [spoken_by(served.url, "strict", f"fault:{what}", temperature=0.5, max_output_tokens=50)]

    life = await run_here(panel(models, [asked("strict", CALLS)], run={"max_concurrency": CALLS}), tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["requests"] == CALLS + 1
    assert [record["http_status"] for record in records] == [400] + [200] * CALLS
    assert all(parameter not in record["request"] for record in records[1:])
    assert all(renamed is None or record["request"][renamed] == 50 for record in records[1:])
    assert life.ended.exit_code == 0


async def test_the_first_call_of_an_unknown_model_goes_alone(served: Served, tmp_path: Path) -> None:
    """Until a model has answered once, nothing else is sent to it: a wrong key or a refused parameter costs one call."""
    models = [spoken_by(served.url, "new", "bench-200ms")]
    served.simulator.gather(8, after=1)

    life = await run_here(panel(models, [asked("new", 9)], run={"max_concurrency": 8}), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    moments = [moment for moment, _ in served.simulator.arrivals]
    assert moments[1] - moments[0] > 0.19
    assert stats["peak_in_flight"] == 8, "then all at once"


async def test_a_first_call_that_hangs_keeps_the_others_waiting_no_longer_than_its_limit(
    served: Served, tmp_path: Path
) -> None:
    """The first call's time limit ends the others' wait, however it ends."""
    models = [spoken_by(served.url, "mute", "fault:hang:1")]

    life = await run_here(panel(models, [asked("mute", 6, timeout_s=0.3)], run={"max_concurrency": 6}), tmp_path)

    records = check(life.path, await served.stats())
    assert [record["status"] for record in records] == ["timeout"] * 6


async def test_two_names_for_one_model_share_what_it_can_take(served: Served, tmp_path: Path) -> None:
    """Two entries for the same model at the same place share its limit: together they send no more than one may."""
    models = [simulated_by(served.url, name, "bench-50ms", limits={"max_in_flight": 3}) for name in ("one", "two")]
    served.simulator.gather(3)

    life = await run_here(panel(models, [asked("one", 9), asked("two", 9)], run={"max_concurrency": 12}), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["peak_by_model"]["bench-50ms"] == 3
