"""Every fault of the simulator, met by one panel each way: once and for all, and as a fault that passes."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
from fault_bench import CANARY, Life, Served, Table, asked, by_model, panel, run_here, serving, spoken_by
from gallery import GALLERY, SLOW, Expected
from invariants import check

from tui_eval.simulator.apis.broken_wire import BROKEN, LARGE
from tui_eval.simulator.apis.faults import FAULTS

EACH = pytest.mark.parametrize("what", GALLERY)
ASKED_TWICE = [what for what in GALLERY if what not in ("big", "gzip-bomb")]
"""Two of the heavy replies are left out where there is nothing to learn from them that `huge` does not show."""
HEALTHY_CALLS = 5
LIMIT_S = 0.6
"""For what only a time limit ends. On a slow machine it may be over before the request has reached the server."""
LATE_S = 30.0
"""How late a slow machine may be; far less than what would come of a misread wait, or of no time limit at all."""


def _gallery(url: str, whats: Sequence[str], suffix: str, retries: int) -> Table:
    """One doer a fault, each with a key of its own (so that one refused key stops nobody else), and a healthy one."""
    models = [
        spoken_by(url, what, f"fault:{what}{suffix}", temperature=0.5, api_key_env=f"CANARY_{n}")
        for n, what in enumerate(whats)
    ]
    models.append(spoken_by(url, "healthy", "bench-20ms"))
    rows = [asked(what, timeout_s=LIMIT_S if what in SLOW else 60.0) for what in whats]
    run = {"retries": retries, "max_concurrency": 40, "max_output_tokens": 200}
    return panel(models, [*rows, asked("healthy", HEALTHY_CALLS)], run=run)


async def _met(folder: Path, whats: Sequence[str], suffix: str, retries: int) -> tuple[Life, Table]:
    async with serving() as served:
        life = await run_here(_gallery(served.url, whats, suffix, retries), folder)
        return life, await served.stats()


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Life, Table]]:
    """Two runs: faults that never pass with retries = 0, faults that pass at the second attempt with retries = 2."""
    with pytest.MonkeyPatch.context() as patch:
        for number in range(len(GALLERY)):
            patch.setenv(f"CANARY_{number}", CANARY)
        folders = [tmp_path_factory.mktemp(name) for name in ("for_good", "passing")]
        return {
            "for good": asyncio.run(_met(folders[0], list(GALLERY), "", 0)),
            "passing": asyncio.run(_met(folders[1], ASKED_TWICE, ":1", 2)),
        }


def _attempts(met: Any, which: str, what: str) -> list[Table]:
    return by_model(met[which][0].records)[what]


def test_the_gallery_is_complete() -> None:
    """No fault of the simulator is left out."""
    assert {*FAULTS, *LARGE, *BROKEN} == set(GALLERY)


@pytest.mark.parametrize("which", ["for good", "passing"])
def test_the_log_agrees_with_the_server(met: dict[str, tuple[Life, Table]], which: str) -> None:
    """Whatever goes wrong, log, budget and server count the same, and a healthy model beside it answers everything."""
    life, stats = met[which]

    records = check(life.path, stats)

    assert [record["status"] for record in by_model(records)["healthy"]] == ["ok"] * HEALTHY_CALLS
    assert life.ended.exit_code == 3


@EACH
def test_a_fault_ends_in_its_own_record(met: dict[str, tuple[Life, Table]], what: str) -> None:
    """Without retries, an attempt says what happened: status, kind, HTTP status, message, final, and the body as it came."""
    expected = GALLERY[what]

    attempts = _attempts(met, "for good", what)

    assert len(attempts) == expected.requests
    assert met["for good"][1]["by_model"].get(f"fault:{what}", 0) in ((0, 1) if what in SLOW else (expected.requests,))
    last = attempts[-1]
    assert (last["status"], last["error_kind"], last["final"]) == (expected.status, expected.kind, True)
    if expected.http_status is not None:
        assert last["http_status"] == expected.http_status
    assert expected.says in (last["response_text"] if expected.status == "ok" else last["error_message"])
    assert (last["response_text"] is not None) == (expected.status == "ok" or what == "refusal"), "a refusal has its own words"
    _assert_body_kept(last, expected)


def _assert_body_kept(record: Table, expected: Expected) -> None:
    kept = "json" if record["response_json"] is not None else "raw" if record["response_body_b64"] is not None else "none"
    if expected.kept == "json":
        assert kept == "json"
        assert record["response_json"]["simulated"] is True
    elif expected.kept == "raw":
        assert kept == "raw"
        assert len(base64.b64decode(record["response_body_b64"])) > 20


@pytest.mark.parametrize("what", ASKED_TWICE)
def test_only_what_can_pass_is_asked_again(met: dict[str, tuple[Life, Table]], what: str) -> None:
    """With retries, a passing fault is asked until it is ok; what cannot pass, and what timed out, is asked exactly once."""
    expected = GALLERY[what]

    attempts = _attempts(met, "passing", what)

    assert len(attempts) == (2 if expected.passes else expected.requests)
    assert [record["final"] for record in attempts] == [False] * (len(attempts) - 1) + [True]
    assert [record["attempt"] for record in attempts] == list(range(len(attempts)))
    assert attempts[-1]["status"] == ("ok" if expected.passes else expected.status)


WAITS = [("429-retry-after", 1.0), ("429-retry-after-ms", 0.2), ("429-nonsense", 0.25)]


@pytest.mark.parametrize(("what", "wait_s"), WAITS)
def test_the_wait_that_a_server_asks_for_is_kept(met: dict[str, tuple[Life, Table]], what: str, wait_s: float) -> None:
    """Retry-After in seconds and in milliseconds holds; nonsense is as if there were none."""
    first, second = _attempts(met, "passing", what)

    waited = datetime.fromisoformat(second["started_at"]) - datetime.fromisoformat(first["ended_at"])

    assert timedelta(seconds=wait_s - 0.002) <= waited < timedelta(seconds=wait_s + LATE_S)


def test_the_moment_that_a_server_names_is_waited_for(met: dict[str, tuple[Life, Table]]) -> None:
    """Retry-After as a date: nothing is sent before it, however long the reply took to be read."""
    first, second = _attempts(met, "passing", "429-date")
    named = parsedate_to_datetime(first["response_headers"]["retry-after"])

    began = datetime.fromisoformat(second["started_at"])

    assert named - timedelta(milliseconds=2) <= began < named + timedelta(seconds=LATE_S)


@pytest.mark.parametrize("what", ["huge", "gzip-bomb", "brotli-label", "cut", "cut-chunk"])
def test_a_reply_whose_body_is_unusable_keeps_its_http_status(met: dict[str, tuple[Life, Table]], what: str) -> None:
    """The status line was read: an attempt that lost only the body records it."""
    attempts = _attempts(met, "for good", what)

    assert attempts[-1]["http_status"] == 200


@pytest.mark.parametrize("what", ["cut", "cut-chunk", "brotli-label"])
def test_what_came_of_a_body_is_kept(met: dict[str, tuple[Life, Table]], what: str) -> None:
    """Of a body that was cut short, or stands in an encoding nobody asked for, the bytes that came are kept."""
    attempts = _attempts(met, "for good", what)

    assert b"simulated" in base64.b64decode(attempts[-1]["response_body_b64"] or "")


def test_a_redirect_names_its_target(met: dict[str, tuple[Life, Table]]) -> None:
    """A redirect is not followed, and the message says where it led."""
    attempts = _attempts(met, "for good", "redirect")

    assert met["for good"][1]["elsewhere"] == 0
    assert "/elsewhere" in attempts[-1]["error_message"]


def test_unknown_usage_is_not_zero(met: dict[str, tuple[Life, Table]]) -> None:
    """A reply without usage has no tokens, which is not the same as none used; on this machine it costs nothing."""
    usage = _attempts(met, "for good", "no-usage")[-1]["usage"]

    assert {value for name, value in usage.items() if name != "cost_usd"} == {None} and usage["cost_usd"] == 0


def test_a_model_that_another_answered_for_is_named(met: dict[str, tuple[Life, Table]]) -> None:
    """The model that really served is on record and in the report."""
    life = met["for good"][0]

    served = by_model(life.records)["other-model"][-1]["served_model"]

    assert served == "another/served-model"
    assert life.report["models"]["other-model"]["served"] == {"another/served-model": 1}


def test_a_truncated_answer_is_counted_as_such(met: dict[str, tuple[Life, Table]]) -> None:
    """Text that the token limit cut off is ok, and counted."""
    life = met["for good"][0]

    assert _attempts(met, "for good", "length")[-1]["finish_reason"] == "length"
    assert life.report["calls"]["calls_truncated"] == 1


def test_every_planned_call_has_an_end(met: dict[str, tuple[Life, Table]]) -> None:
    """The outcomes in the report add up to the planned calls."""
    life = met["for good"][0]

    assert sum(life.report["outcomes"].values()) == len(GALLERY) + HEALTHY_CALLS == life.loaded.plan["total_calls"]


async def test_an_attempt_ends_at_its_deadline(served: Served, tmp_path: Path) -> None:
    """Whatever the peer does, and be it byte by byte, an attempt is over at its time limit; nothing is resent."""
    models = [spoken_by(served.url, what, f"fault:{what}") for what in SLOW]

    life = await run_here(panel(models, [asked(what, 3, timeout_s=0.3) for what in SLOW], run={"retries": 2}), tmp_path)

    records = check(life.path, await served.stats())
    assert len(records) == 3 * len(SLOW)
    assert {record["status"] for record in records} == {"timeout"}
    assert all(300 <= record["latency_ms"] <= 300 + 1000 * LATE_S for record in records)


async def test_the_request_on_file_is_the_request_that_was_sent(served: Served, tmp_path: Path) -> None:
    """A record's request is the body of its own attempt: after a repair, the repaired one."""
    models = [spoken_by(served.url, "strict", "fault:reject-max-tokens")]

    life = await run_here(panel(models, [asked("strict")], run={"max_output_tokens": 77}), tmp_path)

    first, second = [record["request"] for record in life.records]
    assert first["max_tokens"] == 77
    assert "max_tokens" not in second
    assert second["max_completion_tokens"] == 77
    assert json.dumps(second["messages"]) == json.dumps(first["messages"])
