"""Old import paths of modules: each works for one release, with a DeprecationWarning that names the new one."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

ROOT = __name__.partition(".")[0]

OLD_NAMES = {
    "core.kinds": {
        **dict.fromkeys(("InputFile", "Source"), "core.input_sources"),
        **dict.fromkeys(("AnswerByMetric", "CheckedReporter", "ChoosyReporter", "FORMS", "Leaderboard"), "core.reports"),
        **dict.fromkeys(("PersonMarks", "Reporter", "VerdictReporter"), "core.reports"),
    }
}
"""By module: names that it defined in version 0.5.0, and the module that defines each now."""
OLD_KIND_FIELDS = {
    "as_asked": ("sample_form", "display"),
    "files": ("sample_files", "files"),
    "grows": ("sample_files", "partial"),
    "in_full": ("task_form", "table"),
    "labels": ("task_form", "factors"),
    "makes_set": ("set_maker", "set_name"),
    "named_after": ("task_form", "id_suffix"),
    "needs": ("starts", "needs"),
    "result": ("sample_form", "result"),
    "short_form": ("starts", "short_form"),
    "table_of": ("starts", "from_set"),
    "table_of_answers": ("starts", "from_answers"),
    "table_of_documents": ("set_maker", "from_documents"),
    "table_of_files": ("starts", "from_files"),
    "totals": ("sample_files", "totals"),
}
"""By the field that a Kind had in version 0.5.0: the part that holds it now, and its name there."""


class OldPaths:
    """Finder and loader of modules at their old paths; Python asks it only for modules that nothing else finds."""

    @classmethod
    def find_spec(cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of an old module, or of a package that held some; None for any other name."""
        root, _, name = fullname.partition(".")
        if root != ROOT:
            return None
        from importlib.machinery import ModuleSpec

        from tui_eval.core.former.old_modules import OLD_MODULES  # only here: no start waits for it

        if name not in OLD_MODULES and not any(old.startswith(f"{name}.") for old in OLD_MODULES):
            return None

        return ModuleSpec(fullname, cls(), is_package=name not in OLD_MODULES)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to make an empty module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module with the names of the one that took its place."""
        from importlib import import_module

        from tui_eval.core.former.old_attributes import OLD_ATTRIBUTES
        from tui_eval.core.former.old_modules import OLD_MODULES

        name = module.__name__.partition(".")[2]
        if name not in OLD_MODULES:
            return
        path = f"{ROOT}.{OLD_MODULES[name]}"
        warnings.warn(
            f"{module.__name__} has moved to {path}; the old path goes with the next release."
            f" Plug-ins import from {ROOT}.plugin",
            DeprecationWarning,
            stacklevel=2,
        )
        names: dict[str, Any] = vars(import_module(path))
        vars(module).update({name: value for name, value in names.items() if not name.startswith("__")})
        for old, place in OLD_ATTRIBUTES.get(name, {}).items():
            new_module, _, new = place.rpartition(".")
            setattr(module, old, getattr(import_module(f"{ROOT}.{new_module}"), new))


def moved_name(module: str, name: str) -> Any:
    """Return what a module of today defined under a name in version 0.5.0; AttributeError for any other name."""
    from importlib import import_module

    path = OLD_NAMES.get(module.partition(".")[2], {}).get(name)
    if path is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    sentence = f"{name} has moved from {module} to {ROOT}.{path}; the old path goes with the next release."
    warnings.warn(f"{sentence} Plug-ins import from {ROOT}.plugin", DeprecationWarning, stacklevel=3)
    return getattr(import_module(f"{ROOT}.{path}"), name)


def install() -> None:
    """Let old paths be found, after everything else."""
    if OldPaths not in sys.meta_path:
        sys.meta_path.append(OldPaths)
