"""Models that were found on servers of this machine, put on file: each under a name of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tui_eval.core.errors import ConfigError
from tui_eval.models.catalogue import add_model, models_on_file
from tui_eval.workspace.places import Workspace


class FoundPlace(NamedTuple):
    """A model where it was found."""

    wire: str
    base_url: str
    model: str
    """Its id on that server."""


@dataclass(slots=True)
class Added:
    """What came of putting models on file."""

    added: dict[FoundPlace, str] = field(default_factory=dict)
    """The names they have there now."""
    known: dict[FoundPlace, str] = field(default_factory=dict)
    """Those that were on file already, by the names they have there."""
    refused: list[str] = field(default_factory=list)
    """Why some could not be added."""


def add_found(workspace: Workspace, wanted: Sequence[FoundPlace]) -> Added:
    """Put models on file under their ids; where that name is taken, with the server's address behind it.

    ConfigError where the models on file cannot be read.
    """
    done = Added()
    on_file = models_on_file(workspace) if wanted else {}
    places = {(table.base_url, table.model): name for name, (table, _) in on_file.items()}
    for place in wanted:
        if (place.base_url, place.model) in places:
            done.known[place] = places[place.base_url, place.model]
            continue
        taken = {*on_file, *done.added.values()}
        host = place.base_url.partition("://")[2].removesuffix("/v1")
        name = place.model if place.model not in taken else f"{place.model}@{host}"
        try:
            add_model(workspace, name, {"wire": place.wire, "model": place.model, "base_url": place.base_url})
        except ConfigError as error:
            done.refused.append(str(error))
        else:
            done.added[place] = name
    return done
