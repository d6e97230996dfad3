"""A key is nowhere: not in the folder, not on the screen, not in the process list, however the server hands it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_bench import (
    CANARY,
    CANARY_VARIABLE,
    Peer,
    Served,
    Table,
    asked,
    panel,
    resume_here,
    run_here,
    spoken_by,
    write_config,
)
from invariants import assert_no_secret, check, spellings
from nursery import Child, Nursery
from soaking import quick_first
from waiting import until

ECHOES = ("echo-key", "echo-key-200", "echo-key-500")
ENVIRONMENT = {CANARY_VARIABLE: CANARY}


def _keyed(url: str, name: str, api_model: str, **more: object) -> Table:
    return spoken_by(url, name, api_model, api_key_env=CANARY_VARIABLE, **more)


def _config(url: str, what: str, **run: object) -> Table:
    models = [_keyed(url, "echo", f"fault:{what}"), spoken_by(url, "judge", "bench")]
    return panel(models, [asked("echo", 2)], judges=[asked("judge")], run={"retries": 1, **run})


def _assert_silent(child: Child) -> None:
    assert_no_secret(child.stdout)
    assert_no_secret(child.stderr)


@pytest.mark.parametrize("spelling", sorted(spellings(CANARY)))
def test_the_search_finds_what_it_looks_for(spelling: str) -> None:
    """(The tests' own tool) every spelling of the key is found, wherever it stands."""
    with pytest.raises(AssertionError):
        assert_no_secret(b"before " + spelling.encode() + b" after")


@pytest.mark.parametrize("on_failure", quick_first(["continue", "abort"]))
@pytest.mark.parametrize("what", ECHOES)
def test_an_echoed_key_is_written_nowhere(what: str, on_failure: str, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A server that repeats the key in an error, or in its answer, brings it neither into the folder nor on the screen."""
    config = write_config(tmp_path, _config(peer.url, what, on_failure=on_failure))
    out = tmp_path / "run"

    child = nursery.run("--run", config, "--out", out, environment=ENVIRONMENT)
    told = [nursery.run(verb, out, environment=ENVIRONMENT) for verb in ("status", "rescore")]

    assert child.code in (0, 3)
    check(out, peer.stats())
    for one in (child, *told):
        _assert_silent(one)
    assert b"[redacted]" in (out / "call_logs.jsonl").read_bytes()


async def test_an_echoed_key_does_not_make_answers_unfindable(served: Served, tmp_path: Path, canary: str) -> None:
    """What is built on an answer that held the key is found again in the log: the report is whole, nothing is asked twice."""
    first = await run_here(_config(served.url, "echo-key-200"), tmp_path)
    asked_before = (await served.stats())["requests"]

    second = await resume_here(first.path)

    stats = await served.stats()
    check(second.path, stats)
    assert first.ended.exit_code == 0
    assert stats["requests"] == asked_before == 3
    assert second.ended.exit_code == 0


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_a_key_in_a_document_is_refused(encoding: str, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A document that holds the value of a key is refused, whatever its encoding, before a byte is written or sent."""
    (tmp_path / "notes.txt").write_bytes(f"für später: {CANARY}\n".encode(encoding))
    config = _config(peer.url, "echo-key")
    config["panel"]["documents"] = ["notes.txt"]
    out = tmp_path / "run"

    child = nursery.run("--run", write_config(tmp_path, config), "--out", out, environment=ENVIRONMENT)

    assert child.code == 2
    assert b"notes.txt" in child.stderr
    assert not out.exists()
    assert peer.stats()["requests"] == 0
    _assert_silent(child)


@pytest.mark.parametrize("place", ["question", "prompt", "name", "extra_body"])
def test_a_key_in_the_config_is_refused(place: str, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A key that was written into the config itself is refused before a byte is written or sent."""
    config = _config(peer.url, "echo-key")
    match place:
        case "question":
            config["panel"]["questions"] = [f"What is {CANARY}?"]
        case "prompt":
            config["panel"]["prompts"] = {"doer_system": f"Use {CANARY}."}
        case "name":
            config["name"] = CANARY
        case _:
            config["models"][0]["extra_body"] = {"user": CANARY}
    out = tmp_path / "run"

    child = nursery.run("--run", write_config(tmp_path, config), "--out", out, environment=ENVIRONMENT)

    assert child.code == 2
    assert not out.exists()
    assert peer.stats()["requests"] == 0
    _assert_silent(child)


def test_a_key_on_the_command_line_is_not_kept(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A key that somebody typed into an option does not end up in the manifest or on the screen."""
    config = write_config(tmp_path, _config(peer.url, "echo-key"))

    child = nursery.run("--run", config, "--out", tmp_path / "run", "--set", f"name={CANARY}", environment=ENVIRONMENT)

    assert child.code == 2
    _assert_silent(child)


def test_a_key_from_a_file_is_as_secret(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A key that stands in --keys-file is read, sent, and blotted out like one of the environment."""
    (tmp_path / "keys.env").write_text(f"{CANARY_VARIABLE}={CANARY}\n")
    config = write_config(tmp_path, _config(peer.url, "echo-key-200"))

    child = nursery.run("--run", config, "--out", tmp_path / "run", "--keys-file", tmp_path / "keys.env")

    check(tmp_path / "run", peer.stats())
    _assert_silent(child)
    assert b"[redacted]" in (tmp_path / "run" / "results.jsonl").read_bytes()


def test_a_key_is_not_in_the_process_list(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """The command line of a running engine holds no key."""
    config = write_config(tmp_path, panel([_keyed(peer.url, "only", "bench-300ms")], [asked("only")]))

    child = nursery.start("--run", config, "--out", tmp_path / "run", environment=ENVIRONMENT)
    until(lambda: peer.simulator.arrivals)
    command_line = Path(f"/proc/{child.pid}/cmdline").read_bytes()

    assert child.wait() == 0
    assert_no_secret(command_line)


async def test_a_key_goes_to_its_own_endpoint_only(served: Served, tmp_path: Path, canary: str) -> None:
    """A model without a key variable sends none, whatever other models of the run have."""
    models = [_keyed(served.url, "keyed", "fault:echo-key-200"), spoken_by(served.url, "bare", "fault:echo-key-200")]

    life = await run_here(panel(models, [asked("keyed"), asked("bare")]), tmp_path)

    texts = {record["model"]: record["response_text"] for record in life.records}
    assert texts == {"keyed": "Your key is [redacted]", "bare": "Your key is "}


async def test_a_token_in_a_base_url_is_a_secret_too(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The value of a ${VARIABLE} in base_url, which may be a token, is not written down when a server repeats the path."""
    monkeypatch.setenv("GATEWAY_TOKEN", CANARY.replace("/", "_"))
    models = [spoken_by(served.url + "/${GATEWAY_TOKEN}", "gateway", "bench")]

    life = await run_here(panel(models, [asked("gateway")]), tmp_path)

    assert CANARY.replace("/", "_") not in (life.path / "call_logs.jsonl").read_text()
    assert life.records[0]["http_status"] == 404
