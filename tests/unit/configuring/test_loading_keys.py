"""Laws of keys and addresses: a key is missed by name before a run, and goes nowhere it was not meant for."""

from __future__ import annotations

from pathlib import Path

import pytest
from makers import load_panel, panel_text, priced, refusal
from own_folder import own

from tui_eval.configuring.loading import load
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import trust_host

pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.mark.parametrize(
    ("wire", "variable"), [("openai", "OPENAI_API_KEY"), ("openrouter", "OPENROUTER_API_KEY"), ("openai", "MY_OWN_KEY")]
)
def test_a_missing_key_names_the_variable_and_where_it_may_be_put(tmp_path: Path, wire: str, variable: str) -> None:
    """Without its key a model is refused with the variable's name, the file it may stand in and the line to write."""
    own = f'api_key_env = "{variable}"\n' if variable == "MY_OWN_KEY" else ""

    found = refusal(tmp_path, models=f'[[models]]\nname = "one"\nwire = "{wire}"\nmodel = "m"\n{own}')

    assert variable in found
    assert f"tui-eval keys set {variable}" in found
    assert str(tmp_path / ".env") in found


def test_a_variable_of_the_address_must_be_set(tmp_path: Path) -> None:
    """A base_url with a variable that is nowhere is refused by the variable's name."""
    found = refusal(tmp_path, models=priced().replace("127.0.0.1:9", "${NO_SUCH_HOST}"))

    assert "NO_SUCH_HOST" in found
    assert "base_url" in found


@pytest.mark.parametrize("place", ["environment", ".env", "keys file"])
def test_a_key_is_found_wherever_it_may_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """The environment, the workspace's .env and a file given on the command line all count."""
    keys = tmp_path / "keys.env"
    keys.write_text("OPENAI_API_KEY=of-the-file\n" if place == "keys file" else "OTHER=1\n")
    if place == ".env":
        (tmp_path / ".env").write_text("OPENAI_API_KEY=of-the-workspace\n")
    if place == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    config = tmp_path / "panel.toml"
    config.write_text(panel_text(models='[[models]]\nname = "one"\nwire = "openai"\nmodel = "m"\n'))

    loaded = load(config, Workspace(tmp_path), keys_file=keys)

    assert loaded.evaluation.models["one"].api_key_env == "OPENAI_API_KEY"


def test_a_keys_file_that_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    """A .env in another encoding is a mistake a person can mend, not a crash."""
    (tmp_path / ".env").write_bytes(b"OPENAI_API_KEY=caf\xe9-abcdefgh\n")

    found = refusal(tmp_path, models='[[models]]\nname = "one"\nwire = "openai"\nmodel = "m"\n')

    assert ".env" in found


def test_a_missing_keys_file_is_refused(tmp_path: Path) -> None:
    """--keys-file must name a file."""
    config = tmp_path / "panel.toml"
    config.write_text(panel_text())

    with pytest.raises(ConfigError, match=r"--keys-file .*nothing\.env"):
        load(config, Workspace(tmp_path), keys_file=tmp_path / "nothing.env")


@pytest.mark.parametrize("scheme", ["http", "HTTP"])
def test_a_key_over_plain_http_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    """A key that leaves this machine unencrypted is said so; on loopback, or encrypted, nothing is."""
    monkeypatch.setenv("MY_OWN_KEY", "of-the-environment")
    trust_host(Workspace(own(tmp_path)), "models.example", ["MY_OWN_KEY"])

    def warnings(address: str) -> tuple[str, ...]:
        models = priced('api_key_env = "MY_OWN_KEY"').replace("http://127.0.0.1:9", address)
        return load_panel(tmp_path, models=models).warnings

    assert len(warnings(f"{scheme}://models.example")) == 1
    assert warnings("https://models.example") == warnings("http://127.0.0.1:9") == warnings("http://localhost:9") == ()


def test_a_key_goes_to_its_own_server_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At another address than the wire's own, the wire's key is not sent unless the config asks for it."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")

    loaded = load_panel(tmp_path, models=priced())

    assert loaded.evaluation.models["one"].api_key_env is None


def test_an_api_version_that_would_not_be_sent_is_refused(tmp_path: Path) -> None:
    """A setting that changes nothing would be taken for obeyed."""
    assert "sends no api_version" in refusal(tmp_path, models=priced('api_version = "2025-01-01"'))
