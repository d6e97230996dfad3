"""The one check that ends every fault test: what a run folder says must agree with what the server saw."""

from __future__ import annotations

import base64
import stat
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

from fault_bench import CANARY, INTENTS, LOG, Table, files_in, strict_json, strict_lines

NEVER_LEFT = ("cannot connect", "name not found", "TLS failed", "no usable address")
"""How the message of an attempt begins that provably was not sent."""
UNPROVEN = ("timeout", "cancelled", "internal")
"""Ends of an attempt of which nobody can say whether it reached the server."""


def check(path: Path, stats: Table, kills: int = 0, reopened: bool = False) -> list[Table]:
    """Assert what holds of every run folder; returns its records.

    `stats`: the server's, of this run alone. `kills`: lives of the run that were ended by SIGKILL. `reopened`: calls
    that had failed for good were asked again on purpose.
    """
    run = tomllib.loads((path / "config.toml").read_text(encoding="utf-8"))["run"]
    _check_json(path)
    records, intents = strict_lines(path / LOG), strict_lines(path / INTENTS)
    seen = [visit["id"] for visit in stats["ids"]]
    assert len(seen) == len(set(seen)) == stats["requests"], "an attempt reached the server twice, or without its id"
    _check_ledger(records, intents, set(seen), kills * run["max_concurrency"])
    if not reopened:
        _check_settled_once(records)
    assert stats["peak_in_flight"] <= run["max_concurrency"], "more in flight than max_concurrency"
    assert stats["requests"] <= len(intents) <= run["max_calls"], "more attempts than max_calls"
    assert stats["elsewhere"] == 0, "a request that is no call"
    _check_report(path, records, intents)
    _check_private(path, kills)
    assert_no_secret(b"".join(_names_and_bytes(path)))
    return records


def _check_ledger(records: list[Table], intents: list[Table], seen: set[str], most_in_doubt: int) -> None:
    """Every attempt was written down before it was sent, and once more when it ended."""
    begun = Counter(intent["attempt_id"] for intent in intents)
    ended = Counter(record["attempt_id"] for record in records)
    assert set(begun.values()) | set(ended.values()) <= {1}, "an attempt is on file twice"
    assert seen <= set(begun), "a request that was not written down first"
    in_doubt = set(begun) - set(ended)
    assert len(in_doubt) <= most_in_doubt, f"{len(in_doubt)} attempts without a record"
    for record in records:
        if record["cached"]:
            continue
        if record["attempt_id"] not in begun:
            assert record["request"] is None, "a record of a request that was not written down first"
            assert record["status"] == "skipped_budget" or record["error_kind"] == "not_sent", record
        elif record["attempt_id"] not in seen:
            never_left = (record["error_message"] or "").startswith(NEVER_LEFT)
            unproven = record["status"] in UNPROVEN or record["error_kind"] in UNPROVEN
            assert never_left or unproven, f"recorded as sent, but the server did not see it: {record['error_message']}"


def _check_settled_once(records: list[Table]) -> None:
    """A call whose record is final is not asked again."""
    settled: set[str] = set()
    for record in records:
        assert record["call_key"] not in settled, f"settled, and asked again: {record['attempt_id']}"
        if record["final"]:
            settled.add(record["call_key"])


def _check_report(path: Path, records: list[Table], intents: list[Table]) -> None:
    """What the report says of attempts and money is what the log holds."""
    if not (path / "report.json").exists():
        return
    report = strict_json((path / "report.json").read_bytes())
    ended = {record["attempt_id"] for record in records}
    doubtful = [intent for intent in intents if intent["attempt_id"] not in ended]
    charged = sum(record["charged_usd"] or 0.0 for record in records) + sum(i["worst_usd"] or 0.0 for i in doubtful)
    assert report["attempts_sent"] == len(intents)
    assert report["in_doubt"] == [intent["attempt_id"] for intent in doubtful]
    assert ("in_doubt_usd" in report) == bool(doubtful)
    assert abs((report.get("in_doubt_usd") or 0.0) - sum(i["worst_usd"] or 0.0 for i in doubtful)) < 1e-6
    assert report.get("n_in_doubt_unknown", 0) == sum(i["worst_usd"] is None for i in doubtful)
    assert abs((report["charged_usd"] or 0.0) - charged) < 1e-6 * max(len(intents), 1)
    sent = sum(record["request"] is not None for record in records)
    assert report["calls"]["attempts_total"] == sent


def _check_json(path: Path) -> None:
    """Every JSON file is strict JSON, every line of a log is."""
    for file in files_in(path):
        if file.suffix == ".json":
            strict_json(file.read_bytes())
        elif file.suffix == ".jsonl":
            strict_lines(file)


def _check_private(path: Path, kills: int) -> None:
    """Files are for their owner only, and so are folders; nothing is a link; nothing half-written is left unless by a kill."""
    for found in (path, *path.rglob("*")):
        assert not found.is_symlink(), found
        assert stat.S_IMODE(found.stat().st_mode) == (0o700 if found.is_dir() else 0o600), found
        assert kills or not found.name.endswith(".tmp"), found


def _names_and_bytes(path: Path) -> Iterator[bytes]:
    for file in files_in(path):
        yield str(file.relative_to(path)).encode()
        yield file.read_bytes()


def assert_no_secret(text: bytes, secret: str = CANARY) -> None:
    """The secret stands nowhere in these bytes, in no spelling."""
    for spelling in spellings(secret):
        found = text.find(spelling.encode())
        assert found < 0, f"the key is there: {text[max(found - 120, 0) : found + 20]!r}"


def spellings(secret: str) -> set[str]:
    """The secret as it is, in JSON, in a URL, and in the middle of base64 at each of its three alignments."""
    found = {secret, secret.replace("/", "\\/"), quote(secret, safe=""), quote(secret), quote_plus(secret)}
    for before in range(3):
        coded = base64.b64encode(b"-" * before + secret.encode() + b"--").decode()
        inner = coded[4 if before else 0 : 4 * ((before + len(secret)) // 3)]
        found |= {inner, inner.replace("+", "-").replace("/", "_")}
    return found
