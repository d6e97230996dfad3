"""The sizes of the files that a draft names, by the key that names them: as they were read when it was last sound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui_eval.configuring.loading import Loaded
from tui_eval.core.errors import Place
from tui_eval.evaluation.config_references import sources
from tui_eval.workspace.toml_files import placed


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a draft names."""

    name: str
    """Foreign text."""
    bytes: int


def named_files(loaded: Loaded) -> Mapping[Place, tuple[NamedFile, ...]]:
    """By the place of a key the files that it names, in their order; what is read along with others is not among them."""
    evaluation = loaded.evaluation
    keys = {source.role: source.key.partition("[")[0] for source in sources(evaluation.config, evaluation.kind.name)}
    found: dict[Place, tuple[NamedFile, ...]] = {}
    for file in evaluation.files:
        if file.role in keys:
            place = placed(f"{keys[file.role]}: ")[0]
            found[place] = (*found.get(place, ()), NamedFile(file.name, file.size))
    return found
