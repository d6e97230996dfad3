"""The config that a person is given to fill in: for every kind it loads, tells every key, and shows the defaults that hold."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from pydantic import BaseModel
from samples import OWN, tables_of, written
from soaking import quick_first

from tui_eval.configuring.config_reference import commented
from tui_eval.configuring.drafting.drafts import is_in
from tui_eval.configuring.drafting.schema import field_at, schema
from tui_eval.configuring.loading import Loaded, load, mistakes
from tui_eval.core.errors import Place
from tui_eval.evaluation.config_references import FILES, tables_in
from tui_eval.evaluation.kind_validation import SCORER_KEYS, TOP_KEYS
from tui_eval.kinds import KINDS
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.toml_files import TomlFile, key_lines, parse_toml

NAMES = [*KINDS, *OWN]
OFF = re.compile(r"^#(?=[^# ])", re.MULTILINE)
"""What stands before a key that is left out."""


@pytest.fixture(params=NAMES)
def kind(own_kinds: None, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Each kind in turn, with files of its sample and of prompts where a config of it may look for them."""
    name = str(request.param)
    written(name, next(iter(tables_of(name))), tmp_path)
    if KINDS[name].rubrics is not None:  # the one that examples of keys name
        rubric = tmp_path / "prompts" / name / "politeness.md"
        rubric.parent.mkdir(parents=True, exist_ok=True)
        rubric.write_text("---\nmetric: true\n---\nHow polite is it, from 1 to 5? {answer}", encoding="utf-8")
    for prompt, slots in KINDS[name].prompts.items():
        for file in (tmp_path / f"{prompt}.md", tmp_path / "prompts" / name / f"{prompt}.md"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(" ".join(["Answer.", *(f"{{{slot}}}" for slot in slots)]))
    return name


def settings_of(kind: str) -> list[str]:
    """For the keys that must name files: files that are there."""
    table = tomllib.loads(next(iter(tables_of(kind).values())))[kind]
    live = {name for name, _ in re.findall(r"^(\w+)( =)", commented(kind), re.MULTILINE)}
    needed = [f.key for f in schema(kind).field(kind).fields if (f.required or f.key in live) and f.names in FILES]
    return [f"{kind}.{key}={table[key]}" for key in needed]


def loaded(kind: str, text: str, folder: Path) -> Loaded:
    (folder / "made.toml").write_text(text)
    return load(folder / "made.toml", Workspace(folder), settings_of(kind), sends=False)


def parsed(kind: str, text: str, folder: Path) -> TomlFile:
    rubric = folder / "prompts" / "qa" / "politeness.md"  # the key qa.judge.metrics has it for an example
    rubric.parent.mkdir(parents=True, exist_ok=True)
    rubric.write_text("---\nmetric: true\n---\n{answer}", encoding="utf-8")
    return override(parse_toml(folder / "made.toml", text), settings_of(kind))


def at(file: TomlFile, place: Place) -> object:
    found: object = file.content
    for part in place:
        found = found[part]  # type: ignore[index]
    return found


def problems(file: TomlFile, folder: Path) -> list[tuple[Place, str]]:
    """What is wrong with a config so far as it can be told of each table by itself, but for keys that are missing."""
    found = [problem for error in mistakes(file, Workspace(folder)) for problem in error.problems]
    return [(place, why) for place, why in found if why != "is missing"]


def wrong_keys(file: TomlFile, folder: Path) -> list[tuple[Place, str]]:
    """What is wrong with values; that some do not go together, or want another beside them, is told of their table."""
    return [(place, why) for place, why in problems(file, folder) if not isinstance(at(file, place), dict)]


def switched_on(text: str, chosen: Collection[int]) -> str:
    """The text without the # before the keys on these lines, counted from 0."""
    return "\n".join(OFF.sub("", line) if n in chosen else line for n, line in enumerate(text.split("\n")))


def test_it_loads_as_it_stands(kind: str, tmp_path: Path) -> None:
    """Once the files are there, the text that is printed is a config that could run."""
    assert loaded(kind, commented(kind), tmp_path).plan["total_calls"] > 0


def test_every_key_can_be_switched_on(kind: str, tmp_path: Path) -> None:
    """With every # taken away it is still TOML, each key of the schema is in it, and each value is one that its key takes."""
    file = parsed(kind, OFF.sub("", commented(kind)), tmp_path)

    assert wrong_keys(file, tmp_path) == []


@pytest.mark.parametrize("kind", quick_first(NAMES), indirect=True)
@few
@given(data=st.data())
def test_any_keys_can_be_switched_on(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    """Whichever # are taken away: a key stands in the table that it belongs to (an entry of a list with its header)."""
    lines = commented(kind).split("\n")
    off = [n for n, line in enumerate(lines) if OFF.match(line)]
    headers = {n: max((m for m in range(n + 1) if re.match(r"#?\[", lines[m])), default=0) for n in off}
    chosen = data.draw(st.sets(st.sampled_from(off)))
    chosen |= {headers[n] for n in chosen}
    whole = key_lines(OFF.sub("", commented(kind)))

    text = switched_on(commented(kind), chosen)

    assert key_lines(text).items() <= whole.items()
    assert wrong_keys(parsed(kind, text, tmp_path), tmp_path) == []


def test_the_defaults_are_those_that_hold(kind: str, tmp_path: Path) -> None:
    """A key that is switched on and left at the default it shows changes nothing, unless its table wants more beside it."""
    text = commented(kind)
    content = tomllib.loads(text)
    at_default = {
        place: number - 1
        for place, number in key_lines(OFF.sub("", text)).items()
        if is_there(content, place[:-1]) and getattr(field_at(kind, place), "default", None) is not None
    }
    wanting = [place for place, _ in problems(parsed(kind, switched_on(text, at_default.values()), tmp_path), tmp_path)]
    on = switched_on(text, [number for place, number in at_default.items() if place[:-1] not in wanting])

    silent, said = (loaded(kind, each, tmp_path) for each in (text, on))

    assert {"run", kind}.isdisjoint(place[0] for place in wanting) and tomllib.loads(on) != content
    assert (silent.run, silent.tables, silent.plan) == (said.run, said.tables, said.plan)
    assert silent.evaluation.config == said.evaluation.config


def is_there(content: object, place: Place) -> bool:
    """Whether a table stands in a config."""
    for part in place:
        if not is_in(content, part):
            return False
        content = content[part]  # type: ignore[index]
    return True


def test_it_tells_every_setting(kind: str) -> None:
    """No field of a settings class is left out, in tables within tables neither; comments fit on a screen."""
    text = commented(kind)
    told = {part for place in key_lines(OFF.sub("", text)) for part in place}
    told |= {part for name in re.findall(r"^# (\S+\[\]\.\S+):", text, re.MULTILINE) for part in name.split(".")}

    for table in settings_classes(KINDS[kind].Config, RunSettings, ModelTable):
        assert {field.alias or name for name, field in table.model_fields.items()} <= told, table
    assert set(KINDS[kind].prompts) <= told
    assert max(len(line) for line in text.splitlines() if line.startswith("# ")) <= 100


def settings_classes(*tables: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Settings, and those in them."""
    for table in tables:
        yield table
        for field in table.model_fields.values():
            yield from settings_classes(*tables_in(field.annotation))


def test_what_loads_is_what_is_told(kind: str) -> None:
    """A config takes the tables that forms and references show, and what a run folder adds; scorers where it has targets."""
    taken = {*TOP_KEYS, kind}.difference(() if KINDS[kind].targets.stages else SCORER_KEYS)
    assert {field.key for field in schema(kind).fields} | {"inputs"} == taken
