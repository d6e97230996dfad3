"""Runs by workers: the same as by one process, however workers, connections and coordinator end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from clusters import Coordinator, end_all
from fault_bench import INTENTS, LOG, Peer, Table, derived_files, strict_json, strict_lines, write_config
from victim import three_stages
from waiting import until

pytest.importorskip("distributed")
SLOW = 0.05
"""Of the simulator's usual latency: a run takes a few seconds."""
TIMES = ("started_at", "ended_at", "latency_ms", "queue_ms", "ttft_ms", "ttft_visible_ms", "attempt_id", "run_id")


@pytest.fixture
def cleaned(tmp_path: Path) -> Iterator[Path]:
    """A folder, of whose processes none is left behind."""
    yield tmp_path
    end_all(tmp_path)


def begun(folder: Path, config: Table, workers: int = 2) -> Coordinator:
    """A run that has begun to ask."""
    place = write_config(folder, config)
    coordinator = Coordinator(folder, "run", place, "--out", folder / "run", "--cluster", f"local:{workers}", "--no-preflight")
    until(lambda: (folder / "run" / LOG).exists() and (folder / "run" / LOG).stat().st_size > 0, 60)
    return coordinator


def told(record: Table) -> str:
    """A record without its times and its names of attempts."""
    kept = {name: value for name, value in record.items() if name not in TIMES and not name.endswith("headers")}
    return json.dumps({**kept, "response_json": None}, sort_keys=True)


def check(out: Path, peer: Peer, run: Table) -> None:
    """Neither cap is passed; every request was granted, or is on file; no settled call is asked again."""
    stats, records = peer.stats(), strict_lines(out / LOG)
    sent = [record for record in records if record["started_at"] is not None]
    granted = {grant["grant"]: grant for grant in strict_lines(out / INTENTS) if "grant" in grant}
    seen = [visit["id"] for visit in stats["ids"]]
    assert len(seen) == len(set(seen)) == stats["requests"] <= run["max_calls"]
    assert len({record["attempt_id"] for record in records}) == len(records)
    for identity in {*seen, *(record["attempt_id"] for record in sent)}:
        life, _, number = identity.rpartition("-")
        assert int(number) <= granted[life]["upto"] or identity in {record["attempt_id"] for record in sent}
    assert stats["peak_in_flight"] <= run["max_concurrency"]
    settled = Counter(record["call_key"] for record in records if record["final"])
    assert not [key for key, n in settled.items() if n > 1], "asked again though settled"
    report = strict_json((out / "report.json").read_bytes())
    assert report["attempts_sent"] <= run["max_calls"]


def test_workers_make_the_run_that_one_process_makes(cleaned: Path) -> None:
    """The same records but for times, in any order; the same reports; the log alone gives them again."""
    peer = Peer(latency_scale=SLOW)
    config = three_stages(peer.url, questions=8)
    alone, together = cleaned / "alone", cleaned / "together"
    alone.mkdir()
    together.mkdir()
    assert Coordinator(alone, "run", write_config(alone, config), "--out", alone / "run").end()[0] == 0
    requests = peer.stats()["requests"]

    code, said = begun(together, config).end()

    assert code == 0, said
    assert peer.stats()["requests"] == 2 * requests
    one, two = (Counter(map(told, strict_lines(each / "run" / LOG))) for each in (alone, together))
    assert one == two
    assert (alone / "run" / "accuracy.json").read_bytes() == (together / "run" / "accuracy.json").read_bytes()
    before = derived_files(together / "run")
    assert subprocess.run([sys.executable, "-m", "tui_eval", "rescore", together / "run"], cwd=together).returncode == 0
    assert derived_files(together / "run") == before
    peer.close()
