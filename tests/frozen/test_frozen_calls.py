"""What evaluations ask is frozen: call keys with item ids, request bytes and seeds of every sample, example and repeat."""

from __future__ import annotations

from pathlib import Path

import pytest
from frozen import CALLS, as_earlier, calls_of, example_as_earlier, wire_calls, wire_of, wires_that_send
from next_steps import check_none_missing
from samples import SAMPLES

from tui_eval.providers import WIRES

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.toml"))


def frozen_lines(name: str) -> list[str]:
    """The lines of a file of frozen calls. Where a sample or an example is new: scripts/freeze makes its file."""
    file = CALLS / f"{name.replace(',', '').replace(chr(39), '')}.jsonl"
    assert file.exists(), f"nothing is frozen of {name!r} yet: run scripts/freeze, and commit what it adds"
    return file.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("kind", "name"), SAMPLES, ids=[name for _, name in SAMPLES])
def test_the_calls_of_a_sample_are_what_they_were(kind: str, name: str, tmp_path: Path) -> None:
    """Same keys, same bytes, same order: an answer on file is found again, and a model is asked what it was asked."""
    assert calls_of(as_earlier(kind, name, tmp_path)) == frozen_lines(name)


@pytest.mark.parametrize(("kind", "name"), SAMPLES, ids=[name for _, name in SAMPLES])
def test_every_wire_sends_what_it_sent(kind: str, name: str, tmp_path: Path) -> None:
    """The same request bytes on every wire that is frozen, whole and as a stream."""
    frozen = sorted(frozen_lines(f"wires {name}"), key=wire_of)
    wires = set(map(wire_of, frozen))
    today = [line for line in wire_calls(as_earlier(kind, name, tmp_path)) if wire_of(line) in wires]

    assert sorted(today, key=wire_of) == frozen


def unfrozen_wires() -> set[str]:
    """Return the wires whose requests are missing in a file of frozen calls."""
    return {wire for _, name in SAMPLES for wire in wires_that_send().difference(map(wire_of, frozen_lines(f"wires {name}")))}


def test_every_wire_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new wire sends is added to what is frozen of the others; until then a sentence says how."""
    step = "run scripts/freeze, and commit the lines of the provider '{name}' that it adds to tests/frozen/calls"
    check_none_missing(unfrozen_wires(), step)

    monkeypatch.setitem(WIRES, "a-new-wire", WIRES["openrouter"])
    assert unfrozen_wires() == {"a-new-wire"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_calls_of_an_example_are_what_they_were(name: str) -> None:
    """The same for the shipped examples, asked twice."""
    assert calls_of(example_as_earlier(ROOT / "examples" / f"{name}.toml")) == frozen_lines(f"example {name}")


def test_nothing_frozen_is_forgotten() -> None:
    """Every frozen file is held against something: a sample that is dropped or renamed would leave its calls unheld."""
    held = {name.replace(",", "").replace("'", "") for _, name in SAMPLES}
    names = {*held, *(f"wires {name}" for name in held), *(f"example {name}" for name in EXAMPLES)}

    assert {path.stem for path in CALLS.iterdir()} == names
