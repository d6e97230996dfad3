"""Models that were found on servers of this machine, put on file: each under a name of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.models.catalogue import add_model, edit_model, models_on_file
from tui_eval.workspace.places import Workspace

LEAST_WINDOW = 100
"""Tokens; a server that tells less tells something else."""


class FoundPlace(NamedTuple):
    """A model where it was found."""

    wire: str
    base_url: str
    model: str
    """Its id on that server."""
    context_window: int | None = None
    """How many tokens prompt and reply may have together there, where the server tells."""


@dataclass(slots=True)
class AddedModels:
    """Result of putting models on file."""

    added: dict[FoundPlace, str] = field(default_factory=dict)
    """The names they have there now."""
    known: dict[FoundPlace, str] = field(default_factory=dict)
    """Those that were on file already, by the names they have there."""
    changed: list[str] = field(default_factory=list)
    """The names of those whose context window is another now."""
    refused: list[str] = field(default_factory=list)
    """Why some could not be added."""


def add_found(workspace: Workspace, found_places: Sequence[FoundPlace]) -> AddedModels:
    """Put models on file under their ids; where that name is taken, with the server's address behind it.

    Of those that are there already the context window is kept as the server tells it now.
    ConfigError where the models on file cannot be read.
    """
    result = AddedModels()
    on_file = models_on_file(workspace) if found_places else {}
    places = {(table.base_url, table.model): name for name, (table, _) in on_file.items()}
    for place in found_places:
        if (place.base_url, place.model) in places:
            name = result.known[place] = places[place.base_url, place.model]
            window = _window(place)
            if window.get("context_window", on_file[name][0].context_window) != on_file[name][0].context_window:
                result.changed += [name] if _put(result, partial(edit_model, workspace, name, window)) else []
            continue
        names = {*on_file, *result.added.values()}
        host = place.base_url.partition("://")[2].removesuffix("/v1")
        name = place.model if place.model not in names else f"{place.model}@{host}"
        settings = {"wire": place.wire, "model": place.model, "base_url": place.base_url, **_window(place)}
        if _put(result, partial(add_model, workspace, name, settings)):
            result.added[place] = name
    return result


def _window(place: FoundPlace) -> dict[str, Json]:
    """The setting that tells a model's context window; a window that is too small to be one is not kept."""
    is_known = place.context_window is not None and place.context_window >= LEAST_WINDOW
    return {"context_window": place.context_window} if is_known else {}


def _put(result: AddedModels, change: Callable[[], object]) -> bool:
    """Return whether a change to the models on file was made; else keep the reason."""
    try:
        change()
    except ConfigError as error:
        result.refused.append(str(error))
        return False
    return True
