"""Laws of reading a config: whatever is wrong is one clear error that names file, line, key and the nearest spelling."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few, problem, toml

from tui_eval.configuring.loading import complete, load
from tui_eval.core.errors import ConfigError
from tui_eval.kinds.panel.resolving import PanelConfig
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.toml_files import TomlFile, read_toml


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('kind = "panel"\nname = \n', 2, 8),
        ("a = 1\nb = 2 2\n", 2, 7),
        ('a = 1\n\nb = "no end\n', 3, 12),
        ("a = 1\na = 2\n", 2, 6),
        ("[run]\nx = 1\n[run]\n", 3, 5),
        ("= 1\n", 1, 1),
    ],
)
def test_a_syntax_error_names_line_and_column(tmp_path: Path, text: str, line: int, column: int) -> None:
    """What is not TOML is reported with the file, the line and the column where reading stopped."""
    with pytest.raises(ConfigError) as caught:
        toml(tmp_path, text)

    assert str(tmp_path / "config.toml") in str(caught.value)
    assert f"line {line}, column {column}" in str(caught.value)


@pytest.mark.parametrize("text", ["b= [1,", 'kind = "panel"\na = {x = 1,', 'a = """no end\n'])
def test_an_unfinished_file_names_its_last_line(tmp_path: Path, text: str) -> None:
    """What is never closed has a line, too: the one where the text ends."""
    with pytest.raises(ConfigError) as caught:
        toml(tmp_path, text)

    assert re.search(r"line \d+", str(caught.value))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'kind = "\xe9"', "not UTF-8 at byte 8"),
        ("kind = 1".encode("utf-16"), "not UTF-8 at byte 0"),
        (b'\xef\xbb\xbfkind = "panel"', "line 1, column 1"),
        (b"seed = " + b"1" * 5000, "not valid TOML"),
        (b"day = 2026-13-45", "line 1"),
    ],
)
def test_bytes_that_are_no_toml_are_refused(tmp_path: Path, data: bytes, said: str) -> None:
    """Other encodings, endless numbers and impossible dates are config errors that say where."""
    path = tmp_path / "config.toml"
    path.write_bytes(data)

    with pytest.raises(ConfigError, match=re.escape(said)):
        read_toml(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A missing config and a folder in its place are refused by name."""
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(ConfigError, match=re.escape(str(path))):
            read_toml(path)


UNKNOWN = [
    ("[run]\nretries = 1\nmax_cals = 3\n", RunSettings, ("run",), 3, "run.max_cals", "max_calls"),
    (
        '[[models]]\nname = "a"\nwire = "x"\nmodel = "y"\n\n[[models]]\nname = "b"\nwire = "x"\nmodel = "y"\ntemprature = 1\n',
        ModelTable,
        ("models", 1),
        10,
        "models[1].temprature",
        "temperature",
    ),
    (
        '[[models]]\nname = "a"\nwire = "x"\nmodel = "y"\nprice = { input = 1, outptu = 2 }\n',
        ModelTable,
        ("models", 0),
        5,
        "models[0].price.outptu",
        "output",
    ),
    (
        '[[models]]\nname = "a"\nwire = "x"\nmodel = "y"\n[models.limits]\nmax_in_fligth = 2\n',
        ModelTable,
        ("models", 0),
        6,
        "models[0].limits.max_in_fligth",
        "max_in_flight",
    ),
    (
        '[panel]\nquestions = ["a"]\n[[panel.doers]]\nmodel = "x"\n[[panel.doers]]\nmodel = "x"\ncals = 3\n',
        PanelConfig,
        ("panel",),
        7,
        "panel.doers[1].cals",
        "calls",
    ),
    (
        '[panel]\nquestions = ["a"]\ndoers = [{ model = "x" }]\n[panel.benchmark]\nmode = "exact"\nstrip_withespace = true\n',
        PanelConfig,
        ("panel",),
        6,
        "panel.benchmark.strip_withespace",
        "strip_whitespace",
    ),
    (
        '[panel]\nquestions = ["a"]\ndoers = [{ model = "x" }]\n'
        '[panel.benchmark]\nmode = "llm"\n[panel.benchmark.scorer]\nmodel = "x"\ntempreature = 0\n',
        PanelConfig,
        ("panel",),
        8,
        "panel.benchmark.scorer.tempreature",
        "temperature",
    ),
    (
        '[panel]\nquestions = [{ question = "a", truht = "b" }]\ndoers = [{ model = "x" }]\n',
        PanelConfig,
        ("panel",),
        2,
        "panel.questions[0].truht",
        "truth",
    ),
]


@pytest.mark.parametrize(("text", "model", "place", "line", "key", "nearest"), UNKNOWN, ids=[case[4] for case in UNKNOWN])
def test_an_unknown_key_names_its_line_and_the_nearest_spelling(
    tmp_path: Path, text: str, model: Any, place: tuple[str | int, ...], line: int, key: str, nearest: str
) -> None:
    """A mistyped key is found at any depth, in the right one of several tables, and the meant one is named."""
    said = problem(tmp_path, text, model, place)

    assert f"{tmp_path / 'config.toml'}:{line}: {key}: unknown key" in said
    assert f"did you mean {nearest!r}" in said


def test_an_unknown_key_near_nothing_lists_what_is_known(tmp_path: Path) -> None:
    """Where no key is near, the ones there are get listed."""
    said = problem(tmp_path, "[run]\nqqqq = 3\n", RunSettings, ("run",))

    assert "known are" in said
    assert "max_cost_usd" in said


def test_every_mistake_of_a_table_is_told_at_once(tmp_path: Path) -> None:
    """Two mistakes in one table are two lines, each with its own place."""
    text = '[[models]]\nname = "a"\nwire = "x"\nmodel = "y"\ntemprature = 1\npirce = 2\n'

    lines = problem(tmp_path, text, ModelTable, ("models", 0)).split("\n")

    assert [line.split(": unknown")[0].rsplit(":", 2)[1:] for line in lines] == [
        ["5", " models[0].temprature"],
        ["6", " models[0].pirce"],
    ]


def test_text_that_looks_like_a_table_does_not_move_the_lines(tmp_path: Path) -> None:
    """Headers inside strings, comments and lists of lists are not headers: the line is still the key's own."""
    text = 'name = """\n[run]\nx = 1\n"""  # [run]\nlists = [\n  ["a"],\n  [1],\n]\n[run]\nmax_cals = 3\n'

    said = problem(tmp_path, text, RunSettings, ("run",))

    assert ":10: run.max_cals: unknown key" in said


def test_a_list_of_lists_above_a_key_does_not_move_its_line(tmp_path: Path) -> None:
    """A list that stands alone on its line, inside another list, opens no table."""
    text = '[[models]]\nname = "a"\nwire = "x"\nmodel = "y"\nextra_body.stop = [\n  ["a"],\n]\ntemprature = 1\n'

    said = problem(tmp_path, text, ModelTable, ("models", 0))

    assert ":8: models[0].temprature: unknown key" in said


@few
@given(st.text("[]{}.=\"'#\n ab1,\\", max_size=80))
def test_no_text_crashes_the_reader(tmp_path: Path, text: str) -> None:
    """Any text is a config or a config error, never anything else."""
    try:
        content = toml(tmp_path, text).content
    except ConfigError:
        content = {}

    assert isinstance(content, dict)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"run": {"epochs": 3}}, "run.epochs: unknown key; here it is called 'repeat'"),
        ({"run": {"temperature": 0.0}}, "run.temperature: unknown key; that is temperature = 0.0 in the [[models]] entry"),
        ({"run": {"repeat": "3"}}, "run.repeat: must be a whole number, not '3'"),
        ({"run": {"stream": 1}}, "run.stream: must be true or false, not 1"),
        (
            {"models": [{"name": "m", "model": "x", "price": 3}]},
            "models[0].price: must be a table, such as { KEY = VALUE }, not 3",
        ),
        ({"models": [{"name": "m", "model": 3}]}, 'models[0].model: must be text, in quotation marks: "...", not 3'),
        ({"panel": {"scorer": "m"}}, 'panel.scorer: unknown key; that is scorer = { model = "NAME" } in [panel.benchmark]'),
        ({"epochs": 3}, "epochs: unknown key; that is repeat = N in [run]"),
        ({"dataset": "x"}, 'dataset: unknown key; that is dataset = "..." in the table of the kind'),
        ({"scorer": "number"}, 'scorer: unknown key; that is scorers = ["..."] at the top of the config'),
        ({"models": ["m"]}, "names go in the table of the kind"),
        ({"kind": 3}, 'kind: must be text; the first line should be, for example, kind = "panel"'),
        ({"panel": {"doers": "m"}}, "panel.doers: must be a list of tables, [[...]], not 'm'"),
        ({"panel": {"benchmark": {"mode": "number"}}}, 'other rules are scorers = ["..."] at the top of the config'),
        ({"kind": "qa", "qa": {"dataset": "x", "models": ["m"]}}, "qa.prompts: is missing; it is a list of tables, [[...]]"),
        (
            {"kind": "choice", "choice": {"dataset": "x", "models": ["m"], "scorer": "number"}},
            'choice.scorer: unknown key; that is scorers = ["..."] at the top of the config',
        ),
    ],
)
def test_words_of_other_programs_lead_to_ours(tmp_path: Path, content: dict[str, Any], told: str) -> None:
    """A key as others call it names ours, and a value of another sort is told of in words of a person, not of a library."""
    panel = {"questions": ["Why?"], "truths": ["So."], "doers": [{"model": "m"}], "benchmark": {"mode": "exact"}}
    file = {"kind": "panel", "models": [{"name": "m", "wire": "simulator", "model": "sim-scholar"}], **content}
    if file["kind"] not in ("qa", "choice"):
        file["panel"] = {**panel, **content.get("panel", {})}

    with pytest.raises(ConfigError) as refused:
        complete(TomlFile(tmp_path / "c.toml", file, {}), Workspace(tmp_path), sends=False)

    assert told in str(refused.value) and "instance of" not in str(refused.value)


def test_a_folder_or_a_set_in_place_of_a_config_is_led_where_it_goes(tmp_path: Path) -> None:
    """What stands there is named, with the verb that takes it; a run folder is a config."""
    workspace = Workspace(tmp_path)
    (tmp_path / "datasets" / "exam").mkdir(parents=True)
    (tmp_path / "datasets" / "exam" / "Questions.md").write_text("1. Who?\n")
    (tmp_path / "run").mkdir()
    for name, told in (
        ("exam", "a set of questions, not a config; tui-eval qa exam"),
        (f"{tmp_path}/run", "without a config.toml"),
    ):
        with pytest.raises(ConfigError, match=told):
            workspace.config(name)
    with pytest.raises(ConfigError, match=r"asks its Questions\.md"):
        workspace.config(f"{tmp_path}/datasets/exam")
    (tmp_path / "run" / "config.toml").write_text("")
    assert workspace.config(f"{tmp_path}/run") == tmp_path / "run" / "config.toml"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("promptfooconfig.yaml", "such as promptfoo"),
        ("q.csv", r"tui-eval qa \S+q\.csv --models A,B .*, tui-eval datasets import \S+q\.csv imports"),
        ("q.jsonl", "datasets import"),
    ],
)
def test_a_file_that_is_no_config_is_led_where_it_goes(tmp_path: Path, name: str, told: str) -> None:
    """A table of questions, or the config of another program, in place of a config."""
    (tmp_path / name).write_text("prompts: [a]\nquestion,answer\n")

    with pytest.raises(ConfigError, match=told):
        load(tmp_path / name, Workspace(tmp_path))
