"""Runs by workers: the same as by one process, however workers, connections and coordinator end; and nobody else has a say."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from clusters import BLOWS, Coordinator, command_of, end_all, marks, processes_in
from fault_bench import (
    CANARY,
    CANARY_VARIABLE,
    INTENTS,
    LOG,
    Peer,
    Table,
    asked,
    derived_files,
    files_in,
    panel,
    simulated_by,
    spoken_by,
    strict_json,
    strict_lines,
    write_config,
)
from pdf_files import pdf_of
from victim import three_stages
from waiting import until

from tui_eval.core.document_text import DocumentText
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text.document_reader import ReadingLimits, read_document
from tui_eval.datasets.document_text.reading_ahead import read_ahead

pytest.importorskip("distributed")
SLOW, SLOWER = 0.05, 0.4
"""Of the simulator's usual latency: a run takes a second, or long enough to be struck."""
TIMES = ("started_at", "ended_at", "latency_ms", "queue_ms", "ttft_ms", "ttft_visible_ms", "attempt_id", "run_id")
NOTICE_S = 1.0
"""A rule has come to every worker within this, also on a busy machine; 0.15 where nothing else goes on."""
IN_VAIN = 25
"""Answered calls that a killed worker may have kept from the log."""
WITHOUT_DASK = "import sys; sys.modules['distributed'] = None; from tui_eval.__main__ import main; main()"


@pytest.fixture
def cleaned(tmp_path: Path) -> Iterator[Path]:
    """A folder, of whose processes none is left behind."""
    yield tmp_path
    end_all(tmp_path)


def begun(folder: Path, config: Table, workers: int = 2, **environment: str) -> Coordinator:
    """A run whose first reply is home."""
    place, log = write_config(folder, config), folder / "run" / LOG
    words = ("run", place, "--out", folder / "run", "--cluster", f"local:{workers}", "--no-preflight")
    coordinator = Coordinator(folder, *words, environment=environment)
    until(lambda: coordinator.process.poll() is not None or (log.exists() and log.stat().st_size), 60)
    assert log.exists(), coordinator.end()
    return coordinator


def told(record: Table) -> str:
    """A record without its times and its names of attempts."""
    kept = {name: value for name, value in record.items() if name not in TIMES and not name.endswith("headers")}
    return json.dumps({**kept, "response_json": None}, sort_keys=True)


def check(out: Path, peer: Peer, most_lost: int = 0) -> None:
    """No request was sent that was not granted, and none twice; no settled call was asked again; what is lost is counted."""
    stats, records = peer.stats(), strict_lines(out / LOG)
    granted: dict[str, int] = {}
    for line in strict_lines(out / INTENTS):
        granted[line["grant"]] = max(granted.get(line["grant"], 0), line["upto"])
    seen = [visit["id"] for visit in stats["ids"]]
    assert len(seen) == len(set(seen)) == stats["requests"]
    assert len({record["attempt_id"] for record in records}) == len(records)
    for identity in seen:
        life, _, number = identity.rpartition("-")
        assert int(number) <= granted[life]
    settled = Counter(record["call_key"] for record in records if record["final"])
    assert not [key for key, n in settled.items() if n > 1], "asked again though settled"
    assert len(set(seen) - {record["attempt_id"] for record in records}) <= most_lost


def test_workers_make_the_run_that_one_process_makes(cleaned: Path) -> None:
    """The same records but for times, in any order; the same reports; the log alone gives them again, without dask."""
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
    assert peer.stats()["peak_in_flight"] <= config["run"]["max_concurrency"]
    one, two = (Counter(map(told, strict_lines(each / "run" / LOG))) for each in (alone, together))
    assert one == two
    assert (alone / "run" / "accuracy.json").read_bytes() == (together / "run" / "accuracy.json").read_bytes()
    before = derived_files(together / "run")
    assert subprocess.run([sys.executable, "-c", WITHOUT_DASK, "rescore", together / "run"], cwd=together).returncode == 0
    assert derived_files(together / "run") == before
    peer.close()


@pytest.mark.soak
@pytest.mark.parametrize("blow", BLOWS)
def test_what_is_struck_comes_to_its_end(blow: str, cleaned: Path) -> None:
    """Whatever is struck, the run ends whole, at once or taken up again, and only a killed worker costs a call."""
    peer = Peer(latency_scale=SLOWER)
    run = begun(cleaned, three_stages(peer.url, questions=16, max_concurrency=8), workers=3)
    until(lambda: peer.stats()["requests"] > 30)
    assert BLOWS[blow](run, 1)
    code, said = run.end()
    if code != 0:
        words = ("resume", cleaned / "run", "--cluster", "local:2", "--no-preflight")
        code, said = Coordinator(cleaned, *words).end()
    assert code == 0, said
    check(cleaned / "run", peer, IN_VAIN * (blow == "kill a worker"))
    assert not [file for file in files_in(cleaned / "spools") if file.suffix == ".jsonl"]
    peer.close()


@pytest.mark.soak
def test_it_is_taken_up_without_workers_and_with_them(cleaned: Path) -> None:
    """A run that was begun by workers goes on without, and is one run in the end."""
    peer = Peer(latency_scale=SLOWER)
    run = begun(cleaned, three_stages(peer.url, questions=12, max_calls=200), workers=2)
    until(lambda: peer.stats()["requests"] > 20)
    (cleaned / "run" / "STOP").touch()
    assert run.end()[0] == 130
    alone = Coordinator(cleaned, "resume", cleaned / "run", "--no-preflight")
    until(lambda: peer.stats()["requests"] > 60)
    (cleaned / "run" / "STOP").touch()
    assert alone.end()[0] == 130
    code, said = Coordinator(cleaned, "resume", cleaned / "run", "--cluster", "local:2", "--no-preflight").end()
    assert code == 0, said
    settled = Counter(record["call_key"] for record in strict_lines(cleaned / "run" / LOG) if record["final"])
    assert set(settled.values()) == {1}
    assert strict_json((cleaned / "run" / "report.json").read_bytes())["attempts_sent"] == peer.stats()["requests"]
    peer.close()


@pytest.mark.soak
@pytest.mark.parametrize("cache", [False, True])
def test_workers_ask_what_failed_and_nothing_else(cache: bool, cleaned: Path) -> None:
    """What lies behind a failed call in a sample is on file at the coordinator alone: a worker asks there first."""
    peer = Peer(latency_scale=SLOW)
    config = three_stages(peer.url, questions=6, retries=1, cache=cache)
    config["models"].append(simulated_by(peer.url, "broken", "fault:500"))
    config["panel"]["doers"].insert(0, asked("broken"))
    assert begun(cleaned, config).end()[0] == 3
    once = peer.stats()["requests"]
    words = ("resume", cleaned / "run", "--failed", "--cluster", "local:2", "--no-preflight")
    code, said = Coordinator(cleaned, *words).end()
    assert code == 3, said
    assert peer.stats()["requests"] == once + 2 * 6
    settled = Counter(record["call_key"] for record in strict_lines(cleaned / "run" / LOG) if record["status"] == "ok")
    assert set(settled.values()) == {1}
    peer.close()


@pytest.mark.soak
def test_machines_are_logged_in_to_and_left_as_they_were(cleaned: Path) -> None:
    """Workers by SSH reach the run's own simulator, certificates travel apart from the command, and nothing stays behind."""
    pytest.importorskip("asyncssh")
    from ssh_server import SshServer

    server = SshServer(cleaned, ("one", "two"), marks(cleaned))
    machines = f'[cluster]\npython = "{sys.executable}"\n[[cluster.ssh]]\nhost = "one"\n[[cluster.ssh]]\nhost = "two"\n'
    (cleaned / "machines.toml").write_text(machines, encoding="utf-8")
    (cleaned / "wrong.toml").write_text(machines.replace(sys.executable, "no-such-python"), encoding="utf-8")
    home = {"HOME": str(cleaned)}
    words = ("run", "quickstart", "--out", cleaned / "run", "--cluster")

    code, said = Coordinator(cleaned, *words, "wrong.toml", environment=home).end()
    assert code == 2, said
    assert said.count("install tui-eval[cluster] there") == 2
    assert not (cleaned / "run").exists()

    code, said = Coordinator(cleaned, *words, "machines.toml", environment=home).end()
    assert code == 0, said
    assert {f"joined: {host}-" in said for host in ("one", "two")} == {True}
    assert not [command for command in server.commands if "BEGIN" in command or "tls" in command]
    until(lambda: not list(processes_in(cleaned)), 20)
    assert not list(cleaned.glob("tui-eval-cluster-*"))
    server.close()


@pytest.mark.soak
def test_a_lost_way_to_the_simulator_fails_no_call(cleaned: Path) -> None:
    """Where SSH's way to the simulator is lost its worker is, and others ask on; where the coordinator is killed the calls in
    flight are asked again."""
    pytest.importorskip("asyncssh")
    from ssh_server import SshServer

    server = SshServer(cleaned, ("one", "two"), marks(cleaned))
    machines = f'[cluster]\npython = "{sys.executable}"\n[[cluster.ssh]]\nhost = "one"\n[[cluster.ssh]]\nhost = "two"\n'
    (cleaned / "machines.toml").write_text(machines, encoding="utf-8")
    out = cleaned / "run"
    words = ("run", "quickstart", "--repeat", "3", "--set", "run.max_calls=2000", "--out", out, "--cluster", "machines.toml")
    run = Coordinator(cleaned, *words, environment={"HOME": str(cleaned)})
    until(lambda: (out / LOG).exists() and len(strict_lines(out / LOG)) > 30, 60)
    server.cut(0)
    until(lambda: "does not reach the run's simulator" in run.said_in.read_text(encoding="utf-8"), 60)
    so_far = len(strict_lines(out / LOG))
    until(lambda: len(strict_lines(out / LOG)) > so_far + 30, 60)
    BLOWS["kill the coordinator"](run, 0)
    code, said = Coordinator(cleaned, "resume", out, "--cluster", "local:2", "--no-preflight").end()

    assert code == 0, said
    assert {record["status"] for record in strict_lines(out / LOG)} <= {"ok", "no_text"}
    server.close()


@pytest.mark.soak
def test_there_are_as_many_workers_as_have_work(cleaned: Path) -> None:
    """A run begins with the least, has more for many samples, and ends those that have nothing left while another asks on."""
    peer = Peer(latency_scale=SLOWER)
    config = three_stages(peer.url, questions=40, max_concurrency=6)
    place = write_config(cleaned, config)
    words = ("run", place, "--out", cleaned / "run", "--cluster", "local:3", "--workers", "1:3", "--no-preflight")
    code, said = Coordinator(cleaned, *words).end()
    assert code == 0, said
    assert said.index("worker w1 joined") < said.index("worker w2 joined") < said.index("nothing left to do")
    assert "is lost" not in said
    check(cleaned / "run", peer)
    peer.close()


@pytest.mark.soak
@pytest.mark.parametrize(("rule", "sent_alone"), [({"stop_model_after": 5}, 5), ({"on_failure": "abort"}, 1)])
def test_rules_of_the_run_hold_over_all_workers(rule: Table, sent_alone: int, cleaned: Path) -> None:
    """The first call of a model goes alone, and a model that fails is stopped: beyond that there is no more than what was
    begun before the notice came."""
    peer, at_once = Peer(latency_scale=SLOW), 16
    config = panel(
        [spoken_by(peer.url, "broken", "fault:500")],
        [asked("broken")],
        1000,
        run={"max_concurrency": at_once, "retries": 0, **rule},
    )
    code, said = begun(cleaned, config, workers=4).end()
    records = [record for record in strict_lines(cleaned / "run" / LOG) if record["started_at"]]
    assert code == 3, said
    assert sent_alone <= peer.stats()["requests"] == len(records) <= 400
    ends = sorted(record["ended_at"] for record in records)
    assert sum(record["started_at"] < ends[0] for record in records) == 1
    held, last = (datetime.fromisoformat(moment) for moment in (ends[sent_alone - 1], max(r["started_at"] for r in records)))
    assert (last - held).total_seconds() < NOTICE_S
    peer.close()


@pytest.mark.soak
def test_files_grow_while_workers_ask(cleaned: Path) -> None:
    """A document's files are there as soon as its own replies are, before the run's end; the end makes the same of them."""
    run = Coordinator(cleaned, "run", "pipeline", "--out", cleaned / "run", "--cluster", "local:2")
    grown = cleaned / "run" / "processed"
    until(lambda: run.process.poll() is not None or any(grown.glob("*")), 60)
    assert run.process.poll() is None
    code, said = run.end()
    assert code == 0, said
    before = derived_files(cleaned / "run")
    assert Coordinator(cleaned, "rescore", cleaned / "run").end()[0] == 0
    assert derived_files(cleaned / "run") == before


@pytest.mark.soak
def test_documents_are_opened_by_workers(cleaned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages, notes and refusals are those of one machine; a worker that is killed meanwhile costs none."""
    from tui_eval.cluster.asked_by_workers import workers_of

    monkeypatch.setattr(tempfile, "tempdir", str(cleaned))
    for name, value in marks(cleaned).items():
        monkeypatch.setenv(name, value)
    files = [(pdf_of([[f"Document {n}. " + "Ships wait at the buoy. " * 20]]), f"{n}.pdf") for n in range(24)]

    def text_at(entry: tuple[bytes, str]) -> DocumentText:
        return read_document(entry[0], entry[1], ReadingLimits(key="generate.documents"))

    here = list(map(text_at, files))
    with workers_of("local:3", insecure=False, bounds="") as workers, workers.reading():
        texts = read_ahead(text_at, files)
        assert next(texts) == here[0]
        os.kill(next(pid for pid in processes_in(cleaned) if "spawn_main" in command_of(pid)), signal.SIGKILL)
        assert list(texts) == here[1:]
        with pytest.raises(ConfigError, match=r"broken\.pdf"):
            list(read_ahead(text_at, [*files[:2], (b"%PDF-1.7 and no more", "broken.pdf")]))


@pytest.mark.soak
def test_no_key_and_no_stranger_in_a_cluster(cleaned: Path) -> None:
    """The key is in no file, command or state of the scheduler; who has no certificate speaks to nobody."""
    peer = Peer(latency_scale=1.0)
    models = [spoken_by(peer.url, "one", "sim-scholar", api_key_env=CANARY_VARIABLE)]
    run = begun(cleaned, panel(models, [asked("one")], 40, run={"max_concurrency": 4}), **{CANARY_VARIABLE: CANARY})
    commands = [command_of(pid) for pid in processes_in(cleaned)]
    assert len(commands) >= 4
    assert not [command for command in commands if CANARY in command]
    state, refused = asyncio.run(_looked_into(next(cleaned.glob("tui-eval-cluster-*"))))
    assert "tls://" in state
    assert CANARY not in state
    assert refused == 2
    kept = {file: file.read_bytes() for file in files_in(cleaned) if not file.is_symlink()}
    assert not [file for file, data in kept.items() if CANARY.encode() in data]
    code, said = run.end()
    assert code == 0, said
    assert CANARY not in said
    assert not [file for file in files_in(cleaned) if CANARY.encode() in file.read_bytes()]
    peer.close()


async def _looked_into(folder: Path) -> tuple[str, int]:
    """All that a scheduler says of itself to whoever has the certificates; and how many ways in are closed without them."""
    import cloudpickle
    from distributed import Client
    from distributed.security import Security

    address = strict_json((folder / "scheduler.json").read_bytes())["address"]
    ours = {f"tls_client_{name}": str(folder / f"{name}.pem") for name in ("cert", "key")}
    security = Security(tls_ca_file=str(folder / "ca.pem"), require_encryption=True, **ours)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    client = await Client(address, security=security, asynchronous=True, set_as_default=False)
    state = await client.run_on_scheduler(_state)
    await client.close()
    refused = 0
    for stranger, place in ((None, address), (None, address.replace("tls://", "tcp://"))):
        try:
            await Client(place, security=stranger, asynchronous=True, timeout=3, set_as_default=False)
        except (OSError, TypeError, RuntimeError, ValueError):
            refused += 1
    return str(state), refused


def _state(dask_scheduler: Any) -> str:
    """Everything that a scheduler keeps, as text."""
    kept = vars(dask_scheduler)
    told = [dask_scheduler.get_events(), dask_scheduler.get_logs(), dask_scheduler.identity()]
    return "\n".join([*(f"{name} = {value!r}" for name, value in kept.items()), *map(repr, told)])
