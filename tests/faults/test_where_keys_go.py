"""Where the value of a variable may go: to its provider and to this machine unasked, to any other host after one yes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Peer, asked, panel, resume_here, run_here, write_config
from nursery import Nursery

from tui_eval.cli.command_line import main
from tui_eval.configuring.egress import EgressQuestion
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.errors import ConfigError
from tui_eval.models.catalogue import add_model
from tui_eval.models.destinations import destinations
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import Permit, record_of, trust_host

VALUES = {
    "ANTHROPIC_API_KEY": "canary-of-anthropic",
    "OPENAI_API_KEY": "canary-of-openai",
    "AZURE_OPENAI_API_KEY": "canary-of-azure",
    "MY_TOKEN": "canary-without-digits",
    "OWN_KEY": "canary-of-my-own",
    "AZURE_AI_FOUNDRY_API_KEY": "canary-of-foundry",
    "AZURE_AI_FOUNDRY_ENDPOINT": "https://x.inference.ai.azure.com/",
    "GATEWAY_URL": "http://proxy.example/v1",
    "LAB_HOST": "127.0.0.1:9",
    "RESOURCE": "contoso",
    "SNEAKY": "evil.example/",
}
FREE: list[dict[str, Any]] = [
    {"wire": "openai", "api_key_env": "OPENAI_API_KEY"},
    {"wire": "openai", "api_key_env": "OWN_KEY"},
    {"wire": "openai", "api_key_env": "OWN_KEY", "base_url": "https://API.openai.com:443/v1"},
    {"wire": "openai-responses", "api_key_env": "OPENAI_API_KEY", "organization_env": "OWN_KEY"},
    {"wire": "openai", "api_key_env": "ANTHROPIC_API_KEY", "base_url": "https://api.anthropic.com/v1"},
    {"wire": "openai", "base_url": "https://proxy.example/v1"},
    {"wire": "openai", "base_url": "${GATEWAY_URL}"},
    {"wire": "openai", "api_key_env": "OWN_KEY", "base_url": "http://127.0.0.1:9/v1"},
    {"wire": "openai", "api_key_env": "OWN_KEY", "base_url": "http://${LAB_HOST}/v1"},
    {"wire": "openai", "base_url": "http://localhost:9/${MY_TOKEN}/v1"},
    {"wire": "azure", "base_url": "https://${RESOURCE}.openai.azure.com/openai/v1"},
    {"wire": "foundry", "api_key_env": "AZURE_OPENAI_API_KEY", "base_url": "https://x.services.ai.azure.com/openai/v1"},
    {"wire": "foundry-serverless", "base_url": "https://x.inference.ai.azure.com/"},
    {"wire": "foundry-serverless", "base_url": "${AZURE_AI_FOUNDRY_ENDPOINT}"},
    {"wire": "simulator", "model": "sim-scholar"},
]
ASKED: list[tuple[dict[str, Any], str, set[str]]] = [
    ({"base_url": "https://proxy.example/v1", "api_key_env": "OWN_KEY"}, "proxy.example", {"OWN_KEY"}),
    ({"base_url": "https://proxy.example:8443/v1", "api_key_env": "OPENAI_API_KEY"}, "proxy.example:8443", {"OPENAI_API_KEY"}),
    ({"api_key_env": "ANTHROPIC_API_KEY"}, "api.openai.com", {"ANTHROPIC_API_KEY"}),
    ({"base_url": "http://proxy.example/${MY_TOKEN}/v1"}, "proxy.example", {"MY_TOKEN"}),
    ({"base_url": "https://proxy.example/v1?at=${GATEWAY_URL}"}, "proxy.example", {"GATEWAY_URL"}),
    ({"base_url": "https://${MY_TOKEN}.evil.example/v1"}, "${MY_TOKEN}.evil.example", {"MY_TOKEN"}),
    ({"base_url": "${GATEWAY_URL}", "api_key_env": "OWN_KEY"}, "proxy.example", {"OWN_KEY"}),
    ({"base_url": "http://${GATEWAY_URL}.evil.example/v1"}, "${GATEWAY_URL}.evil.example", {"GATEWAY_URL"}),
    (
        {"base_url": "https://api.openai.com.evil.example/v1", "api_key_env": "OWN_KEY"},
        "api.openai.com.evil.example",
        {"OWN_KEY"},
    ),
    ({"base_url": "https://127.0.0.1.evil.example/v1", "api_key_env": "OWN_KEY"}, "127.0.0.1.evil.example", {"OWN_KEY"}),
    (
        {"wire": "azure", "base_url": "https://evilopenai.azure.com.example/v1", "api_key_env": "AZURE_OPENAI_API_KEY"},
        "evilopenai.azure.com.example",
        {"AZURE_OPENAI_API_KEY"},
    ),
    (
        {"wire": "foundry-serverless", "base_url": "https://inference.ai.azure.com.example/"},
        "inference.ai.azure.com.example",
        {"AZURE_AI_FOUNDRY_API_KEY"},
    ),
    (
        {"wire": "azure", "base_url": "https://${SNEAKY}.openai.azure.com/v1", "api_key_env": "AZURE_OPENAI_API_KEY"},
        "${SNEAKY}.openai.azure.com",
        {"SNEAKY", "AZURE_OPENAI_API_KEY"},
    ),
    (
        {"base_url": "https://proxy.example/v1", "api_key_env": "OPENAI_API_KEY", "organization_env": "OWN_KEY"},
        "proxy.example",
        {"OPENAI_API_KEY", "OWN_KEY"},
    ),
]


@pytest.fixture(autouse=True)
def values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every variable is set."""
    for name, value in VALUES.items():
        monkeypatch.setenv(name, value)


def loaded_with(folder: Path, model: dict[str, Any], sends: bool = True, of_others: bool = False) -> Loaded:
    """A config with one model, loaded as a run or a plan does it."""
    table = {"name": "mini", "wire": "openai", "model": "gpt-5-mini", **model}
    return load(write_config(folder, panel([table], [asked("mini")]), of_others), Workspace(folder), sends=sends)


def may_have(workspace: Workspace, variable: str, host: str) -> bool:
    """Whether a person has said that a variable's value may go to a host."""
    return record_of(workspace.root).allows(Permit("key", variable, host))


@pytest.mark.parametrize("model", FREE, ids=str)
def test_a_providers_own_host_and_this_machine_need_no_yes(model: dict[str, Any], tmp_path: Path) -> None:
    """Its usual key to a provider, keys of one's own to the wire's provider, anything to this machine, and no key at all."""
    loaded = loaded_with(tmp_path, model)

    assert not EgressQuestion.of(loaded.egress, loaded.file, Workspace(tmp_path)).permits
    assert not (tmp_path / ".conf").exists()


@pytest.mark.parametrize(("model", "host", "names"), ASKED, ids=[str(model) for model, *_ in ASKED])
def test_any_other_host_needs_a_yes_for_each_variable(
    model: dict[str, Any], host: str, names: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before anything is sent, in a sentence that names model, variable, host and the command that allows it;
    after that command it is allowed, and only that is."""
    with pytest.raises(ConfigError) as refused:
        loaded_with(tmp_path, model)
    told = str(refused.value)
    assert "cfg.toml" in told and "mini" in told and not any(value in told for value in VALUES.values() if "canary" in value)
    words = told.partition("tui-eval models trust ")[2].replace("'", "").split(" ")
    assert words[0] == host and set(words[2::2]) == names and set(words[1::2]) == {"--key"}
    loaded_with(tmp_path, model, sends=False)

    for name in sorted(names):
        with pytest.raises(ConfigError, match="for the first time"):
            loaded_with(tmp_path, model)
        assert main(["--workspace", str(tmp_path), "models", "trust", host, "--key", name]) == 0
        assert name in capsys.readouterr().err

    loaded_with(tmp_path, model)
    for other, theirs, _ in ASKED:
        if theirs != host:
            with pytest.raises(ConfigError, match="for the first time"):
                loaded_with(tmp_path, other)


def test_who_gives_a_model_its_address_says_yes_to_it(tmp_path: Path) -> None:
    """Host and variable are given together, by a person; the same host for another variable is asked for."""
    model = {"base_url": "https://proxy.example/v1", "api_key_env": "OWN_KEY"}
    given = [word for key, value in {"wire": "openai", "model": "m", **model}.items() for word in ("--set", f"{key}={value}")]
    assert main(["--workspace", str(tmp_path), "models", "add", "proxied", *given]) == 0

    loaded_with(tmp_path, model)
    with pytest.raises(ConfigError, match=r"to proxy\.example: the value of MY_TOKEN"):
        loaded_with(tmp_path, {**model, "api_key_env": "MY_TOKEN"})


def test_a_folder_cannot_say_yes_for_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of models and a list of trusted hosts that came with it count for nothing; it is said that they are there. Nor is
    a yes to one folder one to another, or what is done to a model whose address others wrote."""
    model = {"base_url": "https://proxy.example/v1", "api_key_env": "OWN_KEY"}
    add_model(Workspace(tmp_path), "proxied", {"wire": "openai", "model": "m", **model})
    (tmp_path / ".conf" / "trusted_hosts.toml").write_text('[keys]\nOWN_KEY = ["proxy.example"]\n')
    here = ["--workspace", str(tmp_path), "models"]
    assert main([*here, "edit", "proxied", "--set", "temperature=1"]) == main([*here, "copy", "proxied", "another"]) == 0

    with pytest.raises(
        ConfigError,
        match=r"to proxy\.example: the value of OWN_KEY \(mini\) \(.*trusted_hosts\.toml names it: a file of the folder",
    ):
        loaded_with(tmp_path, model)
    capsys.readouterr()
    assert main([*here, "check"]) == 3 and "for the first time" in " ".join(capsys.readouterr().out.split())

    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    trust_host(Workspace(elsewhere), "proxy.example", ["OWN_KEY"])
    loaded_with(elsewhere, model)
    with pytest.raises(ConfigError, match=r"to proxy\.example: the value of OWN_KEY"):
        loaded_with(tmp_path, model)


def test_a_relative_home_is_none_and_a_pipe_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would lie in the folder that is to be trusted; and no file of the folder makes us wait."""
    model = {"base_url": "https://proxy.example/v1", "api_key_env": "OWN_KEY"}
    (tmp_path / ".conf").mkdir()
    os.mkfifo(tmp_path / ".conf" / "trusted_hosts.toml")
    with pytest.raises(ConfigError, match=r"to proxy\.example: the value of OWN_KEY \("):
        loaded_with(tmp_path, model)
    monkeypatch.chdir(tmp_path)
    for name, value in (("XDG_CONFIG_HOME", "here"), ("HOME", "here")):
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match="set HOME or XDG_CONFIG_HOME to a full path"):
        loaded_with(tmp_path, model)


def test_a_home_that_cannot_be_written_keeps_a_yes_for_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said so, and what was said yes to is sent."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match="holds until this program ends"):
        trust_host(Workspace(tmp_path), "proxy.example", ["OWN_KEY"])

    loaded_with(tmp_path, {"base_url": "https://proxy.example/v1", "api_key_env": "OWN_KEY"}, of_others=True)


def test_a_yes_to_a_foreign_wire_is_none_to_a_key(tmp_path: Path) -> None:
    """Hosts that wires of others may send to, and hosts that may have a value, are kept apart, in one file of the person's."""
    workspace = Workspace(tmp_path)
    trust_host(workspace, "proxy.example")
    assert not may_have(workspace, "OWN_KEY", "proxy.example")

    trust_host(workspace, "https://proxy.example/v1", ["OWN_KEY"])
    trust_host(workspace, "proxy.example:8443", ["OWN_KEY"])

    assert may_have(workspace, "OWN_KEY", "proxy.example") and not may_have(workspace, "MY_TOKEN", "proxy.example")
    path = workspace.trust_file
    assert path.stat().st_mode & 0o777 == 0o600
    for text in ("keys = []", "[keys]\nOWN_KEY = 'proxy.example'"):
        path.write_text(text)
        with pytest.raises(ConfigError, match=r"keys: must have by variable"):
            may_have(workspace, "OWN_KEY", "proxy.example")
    for wrong in ("sk-not-a-name", "A B", ""):
        with pytest.raises(ConfigError, match="--key takes the name"):
            trust_host(workspace, "proxy.example", [wrong])


def test_a_plan_says_where_everything_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Host and key variable of each model, in words and as JSON, and what a run would be refused for; never a value."""
    shared = {"wire": "openai", "base_url": "http://proxy.example/${MY_TOKEN}/v1", "api_key_env": "OWN_KEY"}
    models = [{"name": name, "model": name, **shared} for name in ("a", "b")]
    own = {"name": "c", "wire": "anthropic", "model": "claude-opus-4-5"}
    config = write_config(tmp_path, panel([*models, own], [asked(name) for name in "abc"]))

    assert main(["--workspace", str(tmp_path), "run", str(config), "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert "asked: a, b -> proxy.example, key OWN_KEY, MY_TOKEN\n" in out
    assert "asked: c -> api.anthropic.com, key ANTHROPIC_API_KEY\n" in out
    assert "tui-eval models trust proxy.example --key OWN_KEY --key MY_TOKEN" in err
    assert "model 'a': its key travels unencrypted to proxy.example" in err
    assert main(["--workspace", str(tmp_path), "run", str(config), "--dry-run", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["asked"]
    assert said[0] == {"models": ["a", "b"], "host": "proxy.example", "keys": ["OWN_KEY", "MY_TOKEN"]}
    assert not any(value in out + err for value in VALUES.values() if "canary" in value)


def test_a_run_says_where_everything_goes_and_is_refused_before_it_is_made(
    nursery: Nursery, peer: Peer, tmp_path: Path
) -> None:
    """127.0.0.2 is a host that nobody has said yes to: exit 2, no folder, no request; at 127.0.0.1 it runs."""
    peer.simulator.hold(lambda: True)
    elsewhere = peer.url.replace("127.0.0.1", "127.0.0.2")
    models = [
        {"name": "far", "wire": "openai", "model": "bench", "base_url": elsewhere, "api_key_env": "OWN_KEY"},
        {"name": "near", "wire": "openai", "model": "bench", "base_url": peer.url, "api_key_env": "OWN_KEY"},
    ]
    config = write_config(tmp_path, panel(models, [asked("far"), asked("near")]))
    out = tmp_path / "run"

    refused = nursery.run("--workspace", tmp_path, "--run", config, "--out", out)

    assert refused.code == 2 and not out.exists() and not peer.simulator.arrivals
    assert b"models trust 127.0.0.2:" in refused.stderr
    ran = nursery.run("--workspace", tmp_path, "--run", config, "--out", out, "--models", "near", "--no-preflight")
    assert b"asked: near -> 127.0.0.1:" in ran.stderr and b"key OWN_KEY" in ran.stderr


def test_what_stands_in_an_address_is_blotted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens with and without digits, and a key within an address; addresses themselves are not, nor short words."""
    long = "sk-" + "a1" * 20
    monkeypatch.setenv("HIDDEN_URL", f"https://proxy.example/{long}/v1")
    monkeypatch.setenv("SHORT", "eastus")
    keys = Keys([], [])
    for url in ("https://proxy.example/${MY_TOKEN}/v1", "${HIDDEN_URL}", "https://${SHORT}.proxy.example", "${GATEWAY_URL}"):
        keys.expanded(url)

    text = f"canary-without-digits https://proxy.example/{long}/v1 eastus http://proxy.example/v1"

    assert keys.redact(text) == "[redacted] https://proxy.example/[redacted]/v1 eastus http://proxy.example/v1"


def test_hosts_of_many_models_are_told_once(tmp_path: Path) -> None:
    """Models of one host and key share a line, and a variable that is not set leaves its name."""
    models = [{"name": f"m{n}", "wire": "openrouter", "model": "a/b"} for n in range(3)]
    unset = {"name": "unset", "wire": "openai", "model": "x", "base_url": "https://${NOT_SET_URL}/v1"}
    tables = load(
        write_config(tmp_path, panel([*models, unset], [asked(m["name"]) for m in (*models, unset)])),
        Workspace(tmp_path),
        sends=False,
    ).tables

    assert [found.words for found in destinations(tables, [])] == [
        "m0, m1, m2 -> openrouter.ai, key OPENROUTER_API_KEY",
        "unset -> ${NOT_SET_URL}, no key",
    ]


async def test_a_run_goes_on_in_its_workspace_after_the_yes(tmp_path: Path, peer: Peer) -> None:
    """The yes is the workspace's: the run's own config is checked against it, too."""
    elsewhere = peer.url.replace("127.0.0.1", "127.0.0.2")
    model = {"name": "far", "wire": "openai", "model": "bench", "base_url": elsewhere, "api_key_env": "OWN_KEY"}
    trust_host(Workspace(tmp_path), elsewhere, ["OWN_KEY"])
    life = await run_here(panel([model], [asked("far")], run={"timeout_s": 2.0}), tmp_path)
    Workspace(tmp_path).trust_file.unlink()

    with pytest.raises(ConfigError, match="for the first time"):
        await resume_here(life.path)


PROXIES: list[tuple[str, dict[str, Any], str, set[str]]] = [
    ("http://evil.example:3128", {}, "", set()),
    ("http://evil.example:3128", {"base_url": "http://api.openai.com/v1"}, "evil.example:3128", {"OPENAI_API_KEY"}),
    ("evil.example", {"base_url": "http://api.openai.com/v1", "organization_env": "OWN_KEY"}, "evil.example",
     {"OPENAI_API_KEY", "OWN_KEY"}),
    ("${MY_PROXY}", {}, "", set()),
    ("${MY_PROXY}", {"base_url": "http://api.openai.com/v1"}, "proxy.example:3128", {"OPENAI_API_KEY"}),
    ("http://127.0.0.1:9", {"base_url": "http://api.openai.com/v1"}, "", set()),
    ("http://evil.example", {"base_url": "http://127.0.0.1:9/v1"}, "", set()),
    ("none", {"base_url": "http://api.openai.com/v1"}, "", set()),
]  # fmt: skip


@pytest.mark.parametrize(("proxy", "model", "host", "names"), PROXIES, ids=[f"{one[0]} {one[1]}" for one in PROXIES])
def test_a_proxy_of_a_config_reads_nothing_unasked(
    proxy: str, model: dict[str, Any], host: str, names: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key of a model that is asked without encryption needs a yes for the proxy, wherever its address comes from; an
    encrypted address tells it nothing."""
    monkeypatch.setenv("MY_PROXY", "http://me:secret-of-the-proxy@proxy.example:3128")
    table = {"name": "mini", "wire": "openai", "model": "gpt-5-mini", "api_key_env": "OPENAI_API_KEY", **model}
    config = panel([table], [asked("mini")])
    config["run"]["proxy"] = proxy
    path, workspace = write_config(tmp_path, config), Workspace(tmp_path)
    planned = load(path, workspace, sends=False)

    through = [one for one in planned.destinations if one.is_proxy]
    assert bool(through) == (proxy != "none" and "127.0.0.1" not in str(model))
    assert not any("secret" in one.words or "canary" in one.words for one in planned.destinations)
    if not names:
        load(path, workspace)
        return
    with pytest.raises(ConfigError) as refused:
        load(path, workspace)
    told = str(refused.value)
    assert "run.proxy" in told and f"the proxy {host}" in told and not any(v in told for v in VALUES.values() if "canary" in v)
    wanted = EgressQuestion.of(planned.egress, planned.file, workspace).permits
    assert {(one.host, one.what) for one in wanted} == {(host, name) for name in names}
    trust_host(workspace, host, sorted(names))
    load(path, workspace)


def test_a_plan_says_through_which_proxy_models_are_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether it reads a key or none."""
    config = panel([{"name": "mini", "wire": "openai", "model": "m", "api_key_env": "OWN_KEY"}], [asked("mini")])
    config["run"]["proxy"] = "http://evil.example:3128"
    path = write_config(tmp_path, config)

    assert main(["--workspace", str(tmp_path), "run", str(path), "--dry-run"]) == 0
    said = capsys.readouterr()
    assert "asked: mini -> through the proxy evil.example:3128\n" in said.out
