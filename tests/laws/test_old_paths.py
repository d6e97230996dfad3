"""Old paths of modules and old fields of a Kind: each works for one release, and says where the new one is."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tui_eval.core.former.old_attributes import OLD_ATTRIBUTES
from tui_eval.core.former.old_modules import OLD_MODULES
from tui_eval.core.former.old_paths import OLD_KIND_FIELDS
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS

PACKAGE = Path(__file__).resolve().parents[2] / "tui_eval"


def exists(name: str) -> bool:
    """Tell whether there is a module or a package of this name today."""
    path = PACKAGE.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_the_table_names_modules_that_are_gone_and_modules_that_are_there() -> None:
    """An old path leads straight to a module of today; a path that some module has today is no old one."""
    assert [old for old in OLD_MODULES if exists(old)] == []
    assert [new for new in OLD_MODULES.values() if not exists(new)] == []


@pytest.mark.parametrize("old", ["kinds.shared.kind", "kinds.shared.judging", "kinds.shared.queues", "session.derive"])
def test_an_old_path_gives_the_same_classes_with_a_warning(old: str) -> None:
    """What is imported from there is what is defined at the new path, so that it is an instance of it, too."""
    program = f"""
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import tui_eval.{old} as old
import tui_eval.{OLD_MODULES[old]} as new
public = [name for name, value in vars(new).items() if getattr(value, "__module__", "") == new.__name__]
assert public and all(getattr(old, name) is getattr(new, name) for name in public)
assert [str(each.message) for each in caught if each.category is DeprecationWarning] == [
    "tui_eval.{old} has moved to tui_eval.{OLD_MODULES[old]}; the old path goes with the next release."
    " Plug-ins import from tui_eval.plugin"
]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 0, done.stderr


def test_old_names_of_a_module_give_what_took_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is what its new place defines, which is there."""
    for old, names in OLD_ATTRIBUTES.items():
        monkeypatch.delitem(sys.modules, f"tui_eval.{old}", raising=False)  # a plug-in of others may have imported it already
        with pytest.warns(DeprecationWarning, match="has moved to"):
            module = import_module(f"tui_eval.{old}")
        for name, place in names.items():
            new, _, now = place.rpartition(".")
            assert getattr(module, name) is getattr(import_module(f"tui_eval.{new}"), now)


@pytest.mark.parametrize("name", ["tui_eval.nothing", "tui_eval.kinds.shared.nothing", "tui_eval.sessions"])
def test_what_never_was_is_not_found(name: str) -> None:
    """A mistyped name fails as ever."""
    assert find_spec(name) is None


def test_old_fields_of_a_kind_go_where_they_are_today() -> None:
    """A kind made with them equals one made of parts, and they can be read; a warning names part and field."""
    panel = KINDS["panel"]
    plain = {name: getattr(panel, name) for name in Kind.__dataclass_fields__ if name in _REQUIRED}

    def result(task: object, row: SampleResult) -> None:
        """Nothing."""

    values = {"result": result, "labels": len, "needs": frozenset({"truth"}), "table_of": dict, "grows": True, "makes_set": str}
    with pytest.warns(DeprecationWarning, match="of a Kind is now") as caught:
        made = Kind(**plain, **values)  # type: ignore[arg-type]
    said = sorted(str(each.message) for each in caught)

    assert len(said) == len(values) and "the field grows of a Kind is now partial of its sample_files" in said[0]
    for name, value in values.items():
        part, field = OLD_KIND_FIELDS[name]
        assert getattr(getattr(made, part), field) is value
        with pytest.warns(DeprecationWarning, match=f"the field {name} of a Kind"):
            assert getattr(made, name) is value
    with pytest.warns(DeprecationWarning, match="of a Kind is now"):
        again = replace(made, labels=str)  # type: ignore[call-arg]
    assert again.task_form.factors is str and again.starts == made.starts and again.sample_form == made.sample_form
    with pytest.raises(AttributeError):
        _ = made.nonsense


def test_every_old_field_has_its_place() -> None:
    """The table names parts and fields that there are, and no field of today."""
    for name, (part, field) in OLD_KIND_FIELDS.items():
        assert name not in Kind.__dataclass_fields__
        assert field in type(getattr(KINDS["panel"], part)).__dataclass_fields__


def test_a_kind_has_few_fields() -> None:
    """What serves one kind alone is in a part that is named by its concern."""
    assert len(Kind.__dataclass_fields__) <= 23


_REQUIRED = ("name", "about", "Config", "defaults", "stages", "metrics", "prompts", "resolve", "samples", "flow")
