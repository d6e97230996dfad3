"""What an item is, for every kind: all that the data bring, and nothing of who is asked or how."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from samples import OWN, SAMPLES, sample, tables_of, written

from tui_eval.configuring.loading import Loaded, load
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace, shipped

DATA = {"document", "document beside", "benchmark", "dataset", "brief", "written"}
"""The roles of files that bring what is asked about, what is asked, and what would be right."""
ASKING = {"draft_prompt", "process_prompt"}
"""Of files that say how it is asked."""
FIELDS = {"text", "question", "choices", "answer_index", "ground_truth", "reference_answer", "answerable"}
_TOLD = re.compile(r'^(?:questions|truths) = .*$|content = "[^"\n]+"', re.MULTILINE)
_STRING = re.compile(r'"([^"\n]+)"')
WHOLE = [
    (kind, name)
    for kind, name in SAMPLES
    if not {"selected = ", "filter = "} & set(re.findall(r"\w+ = ", tables_of(kind)[name]))
]
"""Evaluations that ask all that their data have."""
Change = tuple[str, Callable[[Path], None]]


def items(loaded: Loaded) -> Counter[str]:
    """The items of a config's samples, and how many are of each."""
    evaluation = loaded.evaluation
    queues = evaluation.kind.samples(evaluation.task).values()
    asked = [one for queue in queues for one in queue if not one.checks_judge]
    return Counter(evaluation.kind.units.unit(evaluation.task, one).item for one in asked)


def leaves(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to what a set in JSON says: each by itself."""
    if isinstance(content, dict | list):
        for key, inner in content.items() if isinstance(content, dict) else enumerate(content):
            yield from leaves(inner, (*path, key))
    elif FIELDS & set(path[-2:]):
        yield path


def changed(content: Any, path: tuple[Any, ...]) -> Any:
    """A set in JSON with another value there."""
    key, *rest = path
    inner = changed(content[key], tuple(rest)) if rest else other(content[key])
    return {**content, key: inner} if isinstance(content, dict) else [*content[:key], inner, *content[key + 1 :]]


def other(value: Any) -> Any:
    """Another value of its sort."""
    return (not value) if isinstance(value, bool) else 1 - min(value, 1) if isinstance(value, int) else f"{value} And more."


def data_changes(loaded: Loaded, config: Path) -> Iterator[Change]:
    """One thing of the data at a time: a string of the config, a value of a set, the end of any other file."""
    text = config.read_text()
    for told in _TOLD.finditer(text):
        for found in _STRING.finditer(text, told.start(), told.end()):
            said = f"{text[: found.end() - 1]} And more.{text[found.end() - 1 :]}"
            yield f"config: {found.group()}", lambda folder, said=said: _write(folder / config.name, said.encode())  # type: ignore[misc]
    for file in loaded.provenance:
        path = config.parent / file.name
        if file.role not in DATA or not path.is_file():
            continue
        if path.suffix == ".json":
            content = json.loads(path.read_text())
            for place in leaves(content):
                made = json.dumps(changed(content, place)).encode()
                yield f"{file.name}: {place}", lambda folder, name=file.name, made=made: _write(folder / name, made)  # type: ignore[misc]
        else:
            more = path.read_bytes() + b"\nAnd more.\n"
            yield file.name, lambda folder, name=file.name, more=more: _write(folder / name, more)  # type: ignore[misc]


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def asked_otherwise(kind: str, loaded: Loaded, config: Path) -> Iterator[Change]:
    """Other models, other parameters, other prompts: those of the workspace, and those that are files of the run."""
    text = config.read_text()
    swapped = text.replace("sim-scholar", "sim-mystic").replace("sim-sprinter", "sim-scholar")
    yield "models", lambda folder: _write(folder / config.name, swapped.encode())
    warm = text.replace('wire = "simulator"\n', 'wire = "simulator"\ntemperature = 0.9\nmax_output_tokens = 777\n')
    yield "parameters", lambda folder: _write(folder / config.name, warm.encode())
    yield "seed", lambda folder: _write(folder / config.name, f"{text}seed = 99\n".encode())
    for prompt in sorted((shipped("prompts") / kind).glob("*.md")):
        own = prompt.read_bytes() + b"\nBe brief.\n"
        yield prompt.name, lambda folder, name=prompt.name, own=own: _prompt(folder / "prompts" / kind / name, own)  # type: ignore[misc]
    for file in loaded.provenance:
        if file.role in ASKING:
            more = (config.parent / file.name).read_bytes() + b"\nBe brief.\n"
            yield file.name, lambda folder, name=file.name, more=more: _write(folder / name, more)  # type: ignore[misc]


def _prompt(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def anew(kind: str, name: str, folder: Path, change: Change) -> Counter[str]:
    """The items of the same evaluation with one change."""
    folder.mkdir()
    config = written(kind, name, folder)
    change[1](folder)
    return items(load(config, Workspace(folder)))


def test_every_kind_is_tried() -> None:
    """A new kind has its evaluations here, too."""
    assert {kind for kind, _ in WHOLE} == set(KINDS) - set(OWN)


@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_whatever_the_data_bring_makes_another_item(kind: str, name: str, tmp_path: Path) -> None:
    """The bytes of a document, a question, its options, what would be right: each changes an item, and adds none."""
    (tmp_path / "first").mkdir()
    loaded = sample(kind, name, tmp_path / "first")
    before, tried = items(loaded), 0
    for n, change in enumerate(data_changes(loaded, tmp_path / "first" / "config.toml")):
        after = anew(kind, name, tmp_path / str(n), change)
        assert after != before and after.total() == before.total(), change[0]
        tried += 1
    assert tried


@pytest.mark.parametrize(("kind", "name"), SAMPLES)
def test_how_and_whom_it_is_asked_makes_no_other_item(kind: str, name: str, tmp_path: Path) -> None:
    """Prompts, models and parameters are of a side."""
    (tmp_path / "first").mkdir()
    loaded = sample(kind, name, tmp_path / "first")
    before = items(loaded)
    for n, change in enumerate(asked_otherwise(kind, loaded, tmp_path / "first" / "config.toml")):
        assert anew(kind, name, tmp_path / str(n), change) == before, change[0]
