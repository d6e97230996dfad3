"""What evaluations ask is frozen: call keys with item ids, request bytes and seeds of every sample, example and repeat."""

from __future__ import annotations

from pathlib import Path

import pytest
from frozen import CALLS, calls_of, earlier_defaults, wire_calls
from samples import SAMPLES, sample, written

from tui_eval.configuring.loading import Loaded, load
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.toml"))


def frozen_lines(name: str) -> list[str]:
    """The lines of a file of frozen calls. Where a sample or an example is new: scripts/freeze makes its file."""
    file = CALLS / f"{name.replace(',', '').replace(chr(39), '')}.jsonl"
    assert file.exists(), f"nothing is frozen of {name!r} yet: run scripts/freeze, and commit what it adds"
    return file.read_text(encoding="utf-8").splitlines()


def as_earlier(kind: str, name: str, folder: Path) -> Loaded:
    """A sample, loaded with what was the default when its calls were frozen."""
    settings = earlier_defaults(kind, read_toml(written(kind, name, folder)).content)
    return sample(kind, name, folder, settings=settings)


@pytest.mark.parametrize(("kind", "name"), SAMPLES, ids=[name for _, name in SAMPLES])
def test_the_calls_of_a_sample_are_what_they_were(kind: str, name: str, tmp_path: Path) -> None:
    """Same keys, same bytes, same order: an answer on file is found again, and a model is asked what it was asked."""
    assert calls_of(as_earlier(kind, name, tmp_path)) == frozen_lines(name)


@pytest.mark.parametrize(("kind", "name"), SAMPLES, ids=[name for _, name in SAMPLES])
def test_every_wire_sends_what_it_sent(kind: str, name: str, tmp_path: Path) -> None:
    """The same request bytes on every wire, whole and as a stream."""
    assert wire_calls(as_earlier(kind, name, tmp_path)) == frozen_lines(f"wires {name}")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_calls_of_an_example_are_what_they_were(name: str) -> None:
    """The same for the shipped examples, asked twice."""
    loaded = load(ROOT / "examples" / f"{name}.toml", Workspace(ROOT), repeat=2)
    if earlier := earlier_defaults(loaded.evaluation.kind.name, loaded.file.content):
        loaded = load(ROOT / "examples" / f"{name}.toml", Workspace(ROOT), earlier, repeat=2)

    assert calls_of(loaded) == frozen_lines(f"example {name}")


def test_nothing_frozen_is_forgotten() -> None:
    """Every frozen file is held against something: a sample that is dropped or renamed would leave its calls unheld."""
    held = {name.replace(",", "").replace("'", "") for _, name in SAMPLES}
    names = {*held, *(f"wires {name}" for name in held), *(f"example {name}" for name in EXAMPLES)}

    assert {path.stem for path in CALLS.iterdir()} == names
