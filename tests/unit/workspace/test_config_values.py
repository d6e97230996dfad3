"""Laws of a config's values: each has its type and its bounds, and no file is too deep or too large to refuse at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from makers import problem, toml

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.toml_files import MAX_BRACKET_DEPTH, MAX_KEY_DEPTH, read_toml
from tui_eval.workspace.validation import validate

RUN: dict[str, Any] = {"max_concurrency": 1, "retries": 0, "timeout_s": 1.0, "max_output_tokens": 0}

WRONG = [
    ("max_calls", '"5"'),
    ("max_calls", "true"),
    ("max_calls", "5.0"),
    ("max_calls", "0"),
    ("max_calls", "-1"),
    ("max_calls", "nan"),
    ("max_cost_usd", "nan"),
    ("max_cost_usd", "inf"),
    ("max_cost_usd", "-inf"),
    ("max_cost_usd", "1e400"),
    ("max_cost_usd", "0"),
    ("max_cost_usd", "-0.5"),
    ("max_cost_usd", "true"),
    ("max_cost_usd", '"1"'),
    ("timeout_s", "0"),
    ("timeout_s", "-3"),
    ("timeout_s", "inf"),
    ("timeout_s", "1e9"),
    ("retries", "-1"),
    ("retries", "21"),
    ("max_concurrency", "0"),
    ("max_concurrency", "[20]"),
    ("on_failure", '"stop"'),
    ("on_failure", "1"),
    ("repeat", "0"),
    ("seed", "-1"),
    ("only", '"a"'),
    ("only", "[1]"),
]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_wrong_type_or_value_is_refused_by_key(tmp_path: Path, key: str, value: str) -> None:
    """Text is no number, true is no number, and no cap or limit can be nothing, negative or endless."""
    said = problem(tmp_path, f"[run]\n{key} = {value}\n", RunSettings, ("run",))

    assert f"{tmp_path / 'config.toml'}:2: run.{key}" in said


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", '""'),
        ("name", "1"),
        ("temperature", "2.5"),
        ("temperature", "true"),
        ("temperature", "nan"),
        ("max_output_tokens", "0"),
        ("api_key_env", '"sk-live 123"'),
        ("price", "{ input = -1, output = 1 }"),
        ("price", "{ input = inf, output = 1 }"),
        ("price", "{ input = 1 }"),
        ("limits", "{ max_in_flight = 0 }"),
    ],
)
def test_a_wrong_field_of_a_model_is_refused_by_key(tmp_path: Path, key: str, value: str) -> None:
    """A model's fields are checked one by one; what stands in their place is no key, no price and no temperature."""
    fields = {"name": '"a"', "wire": '"x"', "model": '"y"', key: value}
    text = "[[models]]\n" + "\n".join(f"{name} = {given}" for name, given in fields.items())

    said = problem(tmp_path, text, ModelTable, ("models", 0))

    assert f"models[0].{key}" in said


@pytest.mark.parametrize(
    ("key", "value"),
    [("extra_body", "nan"), ("extra_body", "[1, { deep = inf }]"), ("extra_body", "2026-01-01"), ("routing", "07:30:00")],
)
def test_extra_fields_of_a_request_can_be_written_as_json(tmp_path: Path, key: str, value: str) -> None:
    """What is sent as JSON must be JSON: TOML's dates, times, NaN and Infinity are refused before anything is sent."""
    text = f'[[models]]\nname = "a"\nwire = "x"\nmodel = "y"\n{key} = {{ field = {value} }}\n'

    said = problem(tmp_path, text, ModelTable, ("models", 0))

    assert f"models[0].{key}" in said


def test_a_whole_number_stands_for_a_float(tmp_path: Path) -> None:
    """`timeout_s = 30` means 30.0: nobody has to write the point."""
    file = toml(tmp_path, "[run]\ntimeout_s = 30\nmax_cost_usd = 1\n")

    run = validate(RunSettings, {**RUN, **file.content["run"]}, file, ("run",))

    assert (run.timeout_s, run.max_cost_usd) == (30.0, 1.0)
    assert isinstance(run.timeout_s, float)


BOMBS = {
    "dotted key": "a." * 20_000 + "b = 1",
    "dotted key with spaces": "a . " * 20_000 + "b = 1",
    "quoted dotted key": '"a".' * 20_000 + "b = 1",
    "dotted header": "[" + "a." * 20_000 + "b]",
    "dotted key in an inline table": "x = {" + "a." * 20_000 + "b = 1}",
    "nested lists": "a = " + "[" * 20_000 + "]" * 20_000,
    "nested lists over lines": "a = " + "[\n" * 20_000 + "]\n" * 20_000,
    "nested lists with text": "a = " + '["]", ' * 20_000 + "]" * 20_000,
    "nested inline tables": "a = " + "{a = " * 20_000 + "1" + "}" * 20_000,
    "lists never closed": "a = " + "[" * 20_000,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS.keys())
def test_depth_bombs_are_refused_at_once(tmp_path: Path, text: str) -> None:
    """Twenty thousand levels cost no more than reading the file: it is refused before the parser sees it."""
    begin = time.process_time()
    with pytest.raises(ConfigError, match="nested too deeply"):
        toml(tmp_path, text)

    assert time.process_time() - begin < 3


def test_depth_within_the_limits_is_read(tmp_path: Path) -> None:
    """The limits themselves are allowed, and brackets and dots in text and comments count for nothing."""
    key = ".".join(["k"] * MAX_KEY_DEPTH)
    lists = "[" * MAX_BRACKET_DEPTH + "]" * MAX_BRACKET_DEPTH

    file = toml(tmp_path, f'{key} = 1\nlists = {lists}\ntext = "{"[." * 99}"\n# {"[." * 99}\nnumbers = [{"1.5, " * 99}]\n')

    assert file.content["text"] == "[." * 99


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    """More than 16 MB is no config."""
    path = tmp_path / "config.toml"
    with path.open("wb") as stream:
        stream.truncate(16 * 1024 * 1024 + 1)

    with pytest.raises(ConfigError, match="16 MB"):
        read_toml(path)
