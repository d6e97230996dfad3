"""Bodies that are almost sound: whatever stands in them, the attempt ends on record, and the run can be taken up again."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from fault_bench import (
    CANARY,
    LONGEST_LIFE_S,
    Life,
    Table,
    asked,
    by_model,
    panel,
    resume_here,
    run_here,
    spoken_by,
    strict_lines,
)
from invariants import check
from scripted import answering, as_bytes, completion, reply

CALLS = 3
Met = tuple[Life, Life, Table]
"""A run, its second life, and what the server saw of both."""


def _with_usage(**usage: object) -> bytes:
    return as_bytes(completion(usage={"prompt_tokens": 20, "completion_tokens": 3, **usage}))


def _spoilt(old: str, new: str) -> bytes:
    return json.dumps(completion()).replace(old, new).encode()


def _nested(depth: int) -> bytes:
    return _spoilt('"scripted"', "[" * depth + "]" * depth)


def _failing(**error: object) -> bytes:
    return as_bytes({"error": {"message": "it failed", **error}})


BODIES: dict[str, bytes] = {
    "a number beyond all floats": _spoilt('"usage"', '"seen": 1e999, "usage"'),
    "infinite tokens": _spoilt("20", "1e999"),
    "an infinite cost": _with_usage(cost=float("inf")),
    "a cost with 305 zeros": _spoilt('"total_tokens"', '"cost": 1e305, "total_tokens"'),
    "a negative cost": _with_usage(cost=-1),
    "a cost that is text": _with_usage(cost="dear"),
    "tokens as text": _with_usage(prompt_tokens="20"),
    "tokens as objects": _with_usage(prompt_tokens={}, completion_tokens=[1]),
    "usage as a list": as_bytes(completion(usage=[1, 2])),
    "a number of 5,000 digits": _spoilt("20", "9" * 5000),
    "a number of 4,000 digits": _spoilt("20", "9" * 4000),
    "a code that looks like a digit": _failing(code="\u00b2"),
    "a code of 5,000 digits": _failing(code="9" * 5000),
    "a code as an object": _failing(code={"a": 1}),
    "a type as a list": _failing(type=["a"], code=["b"]),
    "a message as an object": as_bytes({"error": {"message": {"a": 1}}}),
    "metadata as text": _failing(metadata="none", code=429),
    "an error that is a number": as_bytes({"error": 1}),
    "an error in a choice": as_bytes({"choices": [{"error": {"code": 502, "message": "upstream"}}]}),
    "an error as a list": as_bytes([{"error": {"code": 429, "message": "slow down"}}]),
    "choices as an object": as_bytes(completion(choices={"0": 1})),
    "a choice that is null": as_bytes(completion(choices=[None])),
    "a message that is text": as_bytes(completion(choices=[{"message": "pore space"}])),
    "parts that are numbers": as_bytes(completion([1, None, {"text": 2}])),
    "a finish reason that is an object": as_bytes(
        completion(choices=[{"message": {"content": "x"}, "finish_reason": {"a": 1}}])
    ),
    "a model that is a list": as_bytes(completion(model=["a"])),
    "lone surrogates everywhere": _spoilt('"scripted"', '"\\ud800 \\udfff"'),
    "lone surrogates in an error": _failing(code="\ud800", message="\udc00 failed").replace(b"\\\\", b"\\"),
    "a byte order mark": b"\xef\xbb\xbf" + as_bytes(completion()),
    "UTF-16": json.dumps(completion()).encode("utf-16"),
    "NUL bytes": as_bytes(completion("a\0b")),
    "a key twice": _spoilt('"object"', '"model": "other", "object"'),
    "only white space": b" \r\n\t ",
    "a bare string": b'"pore space"',
    "a bare null": b"null",
    "text with the end of a head": as_bytes(completion('", "request": {"a": 1}, "response_text": "x"')),
    "an error with the end of a head": _failing(message='", "request": null, "final": true', code=500),
    "lines of another kind": as_bytes(completion("one\u2028two\u2029three\x85four\x0bfive\x0csix\rseven")),
    "nested 300 deep": _nested(300),
    **{f"nested {depth} deep": _nested(depth) for depth in range(860, 1000, 5)},
}


_PIECES = [b"null", b"-1", b"1e400", b"[]", b"{}", b'"', b"\\ud800", b"true", b"\xff", b"0.5", b'"code": 429, ']


HEADERS = {
    "two answers about waiting": "Retry-After: 0.1\r\nRetry-After: 0.2\r\n",
    "a wait of minus three": "Retry-After: -3\r\n",
    "an infinite wait": "Retry-After: inf\r\n",
    "a wait until yesterday": "Retry-After: Mon, 01 Jan 2001 00:00:00 GMT\r\n",
    "a wait until a day that is none": "Retry-After: Mon, 99 Foo 99999 99:99:99 GMT\r\n",
    "milliseconds that are none": "retry-after-ms: soon\r\nRetry-After: nan\r\n",
    "a header of Latin-1": "X-Note: f\xfcr\r\n",
    "an encoding nobody asked for": "Content-Encoding: zstd\r\n",
    "an encoding that is not so": "Content-Encoding: gzip\r\n",
    "two encodings": "Content-Encoding: gzip, gzip\r\n",
    "a thousand headers": "".join(f"X-{n}: {n}\r\n" for n in range(1000)),
    "a header of 40 KB": f"X-Long: {'x' * 40_000}\r\n",
}
RAW = {
    "no HTTP at all": b"SSH-2.0-OpenSSH_9.6\r\n",
    "a status that is none": b"HTTP/1.1 abc OK\r\n\r\n",
    "a status of 999": b"HTTP/1.1 999 X\r\nContent-Length: 2\r\n\r\n{}",
    "a length that is none": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
    "a chunk size that is none": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "endless continues": b"HTTP/1.1 100 Continue\r\n\r\n" * 2000,
    "switching protocols": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    "nothing at all": b"",
    "a redirect to another place": b"HTTP/1.1 308 X\r\nLocation: http://127.0.0.1:9/v1\r\nContent-Length: 0\r\n\r\n",
    "a redirect without a target": b"HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n",
}
TOLD = {200: completion(), 429: {"error": {"message": "slow down", "code": 429}}}
WITH_HEADERS = {
    f"{name}, {status}": reply(as_bytes(body), status, header)
    for name, header in HEADERS.items()
    for status, body in TOLD.items()
}


async def _ask_each(folder: Path, answers: Mapping[str, bytes]) -> Met:
    """One run in which each answer is a model of its own, none of which stops another; and a resume."""
    async with answering(answers) as (server, url):
        models = [spoken_by(url, name, name, price={"input": 1.0, "output": 1.0}) for name in answers]
        rows = [asked(name, CALLS, timeout_s=2.0 if name in RAW else 120.0) for name in answers]
        config = panel(models, rows, run={"max_output_tokens": 50, "max_concurrency": 100})
        async with asyncio.timeout(LONGEST_LIFE_S):
            life = await run_here(config, folder)
            return life, await resume_here(life.path), server.stats()


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> Met:
    """Every odd answer there is, met in one run."""
    odd = {**{name: reply(body) for name, body in BODIES.items()}, **WITH_HEADERS, **RAW}
    return asyncio.run(_ask_each(tmp_path_factory.mktemp("odd"), odd))


def test_the_log_agrees_with_the_server(met: Met) -> None:
    """Whatever comes back, log and server count the same; nothing is in doubt, and a second life asks nothing again that
    was settled and comes to the same report."""
    first, second, stats = met

    check(first.path, stats)

    assert (first.ended.in_doubt, second.ended.in_doubt) == (0, 0)
    assert first.report["outcomes"] == second.report["outcomes"]
    assert "Traceback" not in (first.path / "run.log").read_text()


def _assert_no_bug(records: list[Table]) -> None:
    assert len(records) >= CALLS
    assert {record["error_kind"] for record in records} & {"internal", "cancelled"} == set(), records[0]["error_message"]


@pytest.mark.parametrize("name", BODIES)
def test_an_odd_body_ends_on_record(name: str, met: Met) -> None:
    """Each call ends with one final record that is no bug of ours, and is read back as what it was."""
    first, second, _ = met

    records = by_model(first.records)[name]

    _assert_no_bug(records)
    assert [record["final"] for record in records] == [True] * CALLS
    row = next(row for row in second.report["calls_by_stage_and_model"] if row["model"] == name)
    assert row["calls_ok"] == sum(record["status"] == "ok" for record in records)


def test_every_answer_on_file_is_in_the_report(met: Met) -> None:
    """What the log holds as answered is in the results as answered: nothing is written that cannot be read back."""
    first, second, _ = met
    on_file = {name: sum(r["status"] == "ok" for r in records) for name, records in by_model(first.records).items()}

    replies = strict_lines(second.path / "results.jsonl")[0]["replies"]

    assert {name: sum(r["status"] == "ok" for r in own) for name, own in by_model(replies).items()} == on_file


@pytest.mark.parametrize("name", WITH_HEADERS)
def test_odd_headers_end_on_record(name: str, met: Met) -> None:
    """No header makes a call crash, or wait for longer than a moment."""
    records = by_model(met[0].records)[name]

    _assert_no_bug(records)
    assert {record["error_kind"] for record in records} <= {None, "rate_limit", "protocol"}


@pytest.mark.parametrize("name", RAW)
def test_what_is_no_reply_ends_on_record(name: str, met: Met) -> None:
    """Whatever comes back over the wire instead of a reply is an error on record."""
    records = by_model(met[0].records)[name]

    _assert_no_bug(records)
    assert {record["status"] for record in records} <= {"error", "timeout"}


_PIECES = [b"null", b"-1", b"1e400", b"[]", b"{}", b'"', b"\\ud800", b"true", b"\xff", b"0.5", b'"code": 429, ']


@pytest.mark.parametrize("seed", range(2))
async def test_no_mutilated_body_is_a_bug(seed: int, tmp_path: Path) -> None:
    """Bodies with pieces cut out and others put in: each call has its record, and none of them met a bug of ours."""
    dice = random.Random(seed)
    answers = {f"mutilated {number}": reply(_mutilated(dice)) for number in range(95)}

    first, _, stats = await _ask_each(tmp_path, answers)

    records = check(first.path, stats)
    assert [record["error_message"] for record in records if record["error_kind"] == "internal"] == []
    assert len(records) == CALLS * len(answers)


def _mutilated(dice: random.Random) -> bytes:
    body = BODIES[dice.choice(sorted(BODIES))][:2000]
    at = dice.randrange(len(body) + 1)
    piece = dice.choice([*_PIECES, dice.randbytes(3)])
    return body[:at] + piece + body[at + dice.randrange(12) :]


@pytest.mark.parametrize("before", [480, 490])
async def test_a_key_is_blotted_out_before_a_message_is_cut(before: int, tmp_path: Path, canary: str) -> None:
    """Where a long message is cut in the middle of a key, not even the first half of the key is kept."""
    body = as_bytes({"error": {"message": "x" * before + f" {CANARY}", "code": 400}})
    async with answering({"echo": reply(body, 400)}) as (server, url):
        config = panel([spoken_by(url, "echo", "echo", api_key_env=canary)], [asked("echo")])

        life = await run_here(config, tmp_path)

        check(life.path, server.stats())
    assert CANARY[:10] not in (life.path / "call_logs.jsonl").read_text()
    assert CANARY[:10] not in "".join(life.said)
