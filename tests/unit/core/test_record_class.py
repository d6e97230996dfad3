"""Laws of records: frozen for the type checker always, at run time where tests ask for it; equal, hashed and copied alike."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from tui_eval.core import calls, record_class, records, results, samples
from tui_eval.core.calls import Message
from tui_eval.core.record_class import changed, record

RECORDS = [
    value
    for module in (calls, records, results, samples)
    for value in vars(module).values()
    if isinstance(value, type) and hasattr(value, "__dataclass_fields__")
]
CHANGED = "from tui_eval.core.calls import Message\nmessage = Message('user', 'x')\nmessage.content = 'y'\n"
FREEZE = "from tui_eval.core import record_class\nrecord_class.FROZEN = True\n"


@pytest.mark.parametrize("frozen", [False, True])
def test_a_record_refuses_to_be_changed_where_tests_ask_for_it(frozen: bool) -> None:
    """Without it an assignment costs what an assignment costs."""
    code = FREEZE * frozen + CHANGED
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (ended.returncode != 0, FrozenInstanceError.__name__ in ended.stderr) == (frozen, frozen)


def test_a_type_checker_refuses_it_always(tmp_path: Path) -> None:
    """Mypy reads the decorator as one of frozen classes."""
    pytest.importorskip("mypy")
    file = tmp_path / "changed.py"
    file.write_text(CHANGED)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])

    assert ended.returncode == 1 and "read-only" in ended.stdout, ended.stdout


def test_records_have_slots_equality_and_a_hash() -> None:
    """As frozen dataclasses have them."""
    assert len(RECORDS) > 15
    for each in RECORDS:
        assert each.__slots__ == tuple(field.name for field in fields(each)), each
        assert each.__hash__ is not None and each.__eq__ is not object.__eq__, each
    one = Message("user", "x")
    assert one == Message("user", "x") != replace(one, content="y") and hash(one) == hash(Message("user", "x"))


def test_the_two_forms_differ_in_nothing_else() -> None:
    """The decorator makes what the standard one makes."""

    @record
    class Point:
        x: int
        y: int = 2

    assert repr(Point(1)).endswith("Point(x=1, y=2)") and Point(1) == Point(1, 2) and record_class.FROZEN in (True, False)


@pytest.mark.parametrize("cls", [each for each in RECORDS if len(fields(each)) > 1])
def test_a_changed_copy_is_what_the_standard_library_makes(cls: Any) -> None:
    """Whichever field is changed, and all of them; the original stays as it was. A field that is none is an error."""
    names = [each.name for each in fields(cls)]
    original = cls(*names)

    for changes in ({name: 7} for name in names):
        assert changed(original, **changes) == replace(original, **changes)
        assert vars_of(changed(original, **changes)) == vars_of(replace(original, **changes))
    assert vars_of(changed(original, **dict.fromkeys(names))) == [None] * len(names)
    assert vars_of(original) == names == vars_of(changed(original))
    with pytest.raises(KeyError):
        changed(original, nothing=1)


def vars_of(one: Any) -> list[Any]:
    """What its fields hold, those too that equality does not look at."""
    return [getattr(one, each.name) for each in fields(one)]
