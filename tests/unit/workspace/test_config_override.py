"""Laws of --set: one value replaced or added, the file itself untouched, every other form refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few, toml

from tui_eval.core.errors import ConfigError, Place
from tui_eval.workspace.overrides import override

CONTENT = 'kind = "panel"\n[run]\nretries = 1\n[[models]]\nname = "a"\n[[models]]\nname = "b"\n'


@pytest.mark.parametrize(
    ("setting", "path", "value"),
    [
        ("run.retries=2", ("run", "retries"), 2),
        (" run.retries = 2 ", ("run", "retries"), 2),
        ("run.max_cost_usd=0.5", ("run", "max_cost_usd"), 0.5),
        ("run.only=['x', 'y']", ("run", "only"), ["x", "y"]),
        ("run.only=[]", ("run", "only"), []),
        ("name=plain words", ("name",), "plain words"),
        ('name="5"', ("name",), "5"),
        ("name=", ("name",), ""),
        ("name=a=b", ("name",), "a=b"),
        ("models.1.name=c", ("models", 1, "name"), "c"),
        ("models[1].name=c", ("models", 1, "name"), "c"),
        (" models[1].price.input = 3", ("models", 1, "price", "input"), 3),
        ("models[0]={name='z'}", ("models", 0), {"name": "z"}),
        ("models.0={name='z'}", ("models", 0), {"name": "z"}),
        ("panel.benchmark.mode=exact", ("panel", "benchmark", "mode"), "exact"),
        ("panel.strict=true", ("panel", "strict"), True),
    ],
)
def test_a_setting_replaces_or_adds_a_value(tmp_path: Path, setting: str, path: tuple[str | int, ...], value: Any) -> None:
    """--set takes TOML values, else plain text; it reaches into lists and makes tables that are not there yet."""
    file = toml(tmp_path, CONTENT)

    found: Any = override(file, [setting]).content
    for part in path:
        found = found[part]

    assert found == value
    assert type(found) is type(value)


def test_settings_leave_the_file_as_it_was(tmp_path: Path) -> None:
    """The config that was read is not changed; later settings win over earlier ones."""
    file = toml(tmp_path, CONTENT)

    changed = override(file, ["run.retries=2", "models.0.name=z", "run.retries=3"])

    assert file.content == toml(tmp_path, CONTENT).content
    assert changed.content["run"]["retries"] == 3
    assert [entry["name"] for entry in changed.content["models"]] == ["z", "b"]


@pytest.mark.parametrize(
    "setting",
    [
        "run.retries",
        "=3",
        "",
        "  =3",
        "models.9.name=c",
        "models.name=c",
        "kind.x=1",
        "run.retries.deep=1",
        "models.².name=c",
        "models[9].name=c",
        "name=caf\udce9",
    ],
)
def test_a_setting_of_no_known_form_is_refused(tmp_path: Path, setting: str) -> None:
    """A setting without a key, without "=", beyond a list or below a plain value is refused, and repeated in the message."""
    file = toml(tmp_path, CONTENT)

    with pytest.raises(ConfigError) as caught:
        override(file, [setting])

    assert f"--set {setting}" in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "place", "where"),
    [
        ("run.retries=2", ("run", "retries"), "--set run.retries"),
        ("run.retries=2", ("run",), "file"),
        ("run.retries=2", ("run", "repeat"), "file"),
        ("models[0].price.input=-3", ("models", 0, "price", "input"), "--set models[0].price.input"),
        ("models[0].price.input=-3", ("models", 0, "price", "output"), "--set models[0].price.input"),
        ("models[0].price.input=-3", ("models", 0, "name"), "file"),
        ("prices.x=5", ("prices",), "--set prices.x"),
        ("gate.models.5.correct=x", ("gate", "models", "5", "correct"), "--set gate.models.5.correct"),
        ("gate.models.5.correct=x", ("gate",), "--set gate.models.5.correct"),
    ],
)
def test_what_a_setting_set_or_made_is_its_own(tmp_path: Path, setting: str, place: Place, where: str) -> None:
    """Its key, and each table that was not there before, is told by the setting; all else by the line of the file."""
    found = override(toml(tmp_path, CONTENT), [setting]).where(place)

    assert found == where if where != "file" else found.startswith(str(tmp_path)) and found[-1].isdigit()


@few
@given(st.text(max_size=30))
def test_no_setting_crashes(tmp_path: Path, setting: str) -> None:
    """Whatever stands behind --set, it is applied or refused as a config error."""
    file = toml(tmp_path, CONTENT)

    try:
        content = override(file, [setting]).content
    except ConfigError:
        content = {}

    assert isinstance(content, dict)
