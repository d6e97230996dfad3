"""A wire that another package brings: asked like any other, and only on hosts that a person has said yes to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_bench import CANARY, CANARY_VARIABLE, Table, asked, panel, run_here, serving, spoken_by, write_config
from invariants import check
from plugged import install, packages_in

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.errors import ConfigError
from tui_eval.models.model_selection import guessed_wire
from tui_eval.providers import WIRES
from tui_eval.workspace.hosts import host_of
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import may_be_sent_to, trust_host

WIRE = """
from dataclasses import replace
from tui_eval.providers import openai
from tui_eval.providers.wire import Wire

def encode(call, model, repairs):
    request = openai.WIRE.encode(call, model, repairs)
    if any("Question 1" in message.content for message in call.messages):
        raise ValueError("no words for that")
    if any("Question 2" in message.content for message in call.messages):
        return replace(request, path="@elsewhere.example/v1")
    return request

def decode(status, headers, body):
    if b"Question 3" in body:
        raise ValueError("heard nothing")
    return openai.decode(status, headers, body)

PARROT = Wire("https://api.parrot.example/v1", "PARROT_KEY", encode, decode, prefixes=("gpt", "sim"))
SIMULATED = replace(openai.WIRE, simulated=True)
MUTE = replace(openai.WIRE, encode=lambda call, model, repairs: call.messages[0])
"""
ENTRIES = {"tui_eval.wires": {name: f"parrot_wire:{name.upper()}" for name in ("parrot", "simulated", "mute")}}


@pytest.fixture(autouse=True)
def wires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with a wire that works, one that claims to be simulated, and one that raises."""
    monkeypatch.setenv(CANARY_VARIABLE, CANARY)
    with packages_in(tmp_path / "packages") as folder:
        install(folder, "parrot-wire", {"parrot_wire.py": WIRE}, ENTRIES, version="0.3")
        yield


def loaded_at(folder: Path, sends: bool = True, **model: object) -> Loaded:
    """A config with one model on the foreign wire, loaded."""
    table = {"name": "polly", "wire": "parrot", "model": "m", "api_key_env": CANARY_VARIABLE, **model}
    table = {key: value for key, value in table.items() if value is not None}
    return load(write_config(folder, panel([table], [asked("polly")])), Workspace(folder), sends=sends)


async def test_a_run_over_it_is_a_run(tmp_path: Path) -> None:
    """Every call once, the package in the manifest; what the wire raises, and where it would lead, costs that call alone."""
    async with serving(latency_scale=0) as served:
        models = [spoken_by(served.url, "polly", "sim-scholar", wire="parrot", api_key_env=CANARY_VARIABLE)]
        table: Table = panel(models, [asked("polly")], 5, run={"retries": 0})
        life = await run_here(table, tmp_path)
        stats = await served.stats()

    check(life.path, stats)
    by_question = {record["q_index"]: record for record in life.records}
    assert {n: record["status"] for n, record in by_question.items()} == {0: "ok", 1: "error", 2: "error", 3: "ok", 4: "ok"}
    assert "does not begin with /" in by_question[2]["error_message"] and "cannot say it" in by_question[1]["error_message"]
    assert stats["requests"] == 3
    log = (life.path / "run.log").read_text()
    assert "a bug of the wire parrot" in log and "no words for that" in log
    assert life.ended.exit_code == 3
    manifest = json.loads((life.path / "manifest.json").read_bytes())
    assert [(each["name"], each["distribution"], each["version"]) for each in manifest["plugins"]] == [
        ("parrot", "parrot-wire", "0.3")
    ]


def test_it_sends_to_no_host_before_a_person_said_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its own address or at another: the sentence names package, host, key and what to do; each host by itself."""
    with pytest.raises(ConfigError) as refused:
        loaded_at(tmp_path)
    told = str(refused.value)
    assert "parrot-wire 0.3" in told and "tui-eval models trust api.parrot.example" in told and CANARY_VARIABLE in told

    assert main(["--workspace", str(tmp_path), "models", "trust", "api.parrot.example"]) == 0
    assert "api.parrot.example" in capsys.readouterr().err
    loaded_at(tmp_path)
    for elsewhere in ("https://api.parrot.example.evil.example/v1", "https://api.parrot.example:8443/v1", "http://10.0.0.5/v1"):
        with pytest.raises(ConfigError, match="if you trust both"):
            loaded_at(tmp_path, base_url=elsewhere)
    monkeypatch.setenv("PLACE", "api.parrot.example")
    with pytest.raises(ConfigError, match="write its address out"):
        loaded_at(tmp_path, base_url="https://${PLACE}/v1")


def test_what_sends_nothing_and_what_stays_here_asks_for_no_trust(tmp_path: Path) -> None:
    """A plan, a re-score, and a server on this machine."""
    loaded_at(tmp_path, sends=False)
    for here in ("http://127.0.0.1:9/v1", "http://localhost:9/v1", "http://[::1]:9/v1"):
        loaded_at(tmp_path, base_url=here)
    assert not (tmp_path / ".conf").exists()


def test_our_own_wires_ask_for_none(tmp_path: Path) -> None:
    """Whatever address they are given; only what goes there by the name of a variable is asked for (test_where_keys_go.py)."""
    loaded_at(tmp_path, wire="openai", base_url="https://anywhere.example/v1", api_key_env=None)


@pytest.mark.parametrize("name", ["simulated", "mute"])
def test_a_wire_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    """One that claims to be simulated, and one that raises: a sentence at the model."""
    with pytest.raises(
        ConfigError, match=rf"models\[0\]\.wire: the wire '{name}' of the package parrot-wire 0\.3 cannot be used"
    ):
        loaded_at(tmp_path, wire=name)


def test_no_model_is_guessed_to_be_its_own(tmp_path: Path) -> None:
    """However the ids of its models begin: prompts and keys go there only where a config names it."""
    assert WIRES["parrot"].prefixes == ("gpt", "sim")
    assert (guessed_wire("gpt-5-mini"), guessed_wire("sim-scholar")) == ("openai", "")


def test_the_file_of_trusted_hosts_is_a_persons_own(tmp_path: Path) -> None:
    """What they wrote stays; a mistake is told with its line; nothing is a host that is none."""
    workspace = Workspace(tmp_path)
    assert (
        trust_host(workspace, "https://API.Example.com:443/v1") == trust_host(workspace, "api.example.com") == "api.example.com"
    )
    path = workspace.trust_file
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text(path.read_text() + "# the lab\n")
    assert trust_host(workspace, "10.0.0.5:8000") == "10.0.0.5:8000" and "# the lab" in path.read_text()
    assert may_be_sent_to(workspace, "http://10.0.0.5:8000/v1") and not may_be_sent_to(workspace, "http://10.0.0.5/v1")

    for text, words in {"host = []": "unknown key", "hosts = [\n1]": "must be a list", "hosts = [": str(path)}.items():
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            may_be_sent_to(workspace, "https://api.example.com")
    for wrong in ("", "https://", "a@b.example", "${HOST}", "host:99999", "host:0", "a\nb", "a b"):
        with pytest.raises(ConfigError):
            host_of(wrong)
