"""Egress in the words of a question before it: what leaves for the first time, where everything goes, and the yes to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.configuring.egress import EgressQuestion, allow_hash
from tui_eval.core.errors import ConfigError
from tui_eval.models.destinations import Destination, permit_words, to_ask
from tui_eval.tui.sanitize import safe_line
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import Permit, permit, record_of

MOST_NEW = 200
"""Things of a first time that a question can name: a yes is to nothing that was not named."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """Egress as a question states it."""

    first: tuple[str, ...]
    """What leaves for the first time, in words."""
    words: tuple[str, ...]
    """Where everything goes."""
    permits: tuple[Permit, ...]
    """What a yes puts on record."""
    hash: str = ""
    """Of the table, where there is one."""

    @property
    def new(self) -> list[str]:
        """A line for each thing of a first time."""
        return [safe_line(f"FOR THE FIRST TIME: {words}", 1000) for words in self.first]

    @property
    def lines(self) -> list[str]:
        """Lines for a question: the egress that is new, then all destinations."""
        return [*self.new, *(safe_line(line, 300) for line in self.words)]

    def allow(self, workspace: Workspace) -> None:
        """Put a yes on record. Where home cannot be written it holds for the processes that this one starts, by its hash;
        ConfigError where there is none.
        """
        try:
            permit(workspace.root, self.permits)
        except ConfigError:
            if not self.hash:
                raise
            allow_hash(self.hash)


def leaving_of(question: EgressQuestion) -> Leaving:
    """Return the egress of a run that is being set up. ConfigError where that is more than a question can name."""
    if len(question.permits) > MOST_NEW:
        more = "tui-eval models trust HOST --file FOLDER allows a folder as a whole"
        raise ConfigError(
            f"{len(question.permits):,} things would be sent for the first time, more than can be asked about; {more}"
        )
    words = tuple(host.words for host in question.egress.hosts)
    return Leaving(tuple(question.words), words, question.permits, question.egress.hash)


def leaving_of_entry(entry: Mapping[str, Any]) -> Leaving:
    """The same of a run that is taken up again, as its dry run has it in JSON."""
    permits = tuple(Permit(*each) for each in entry["wanted"])
    return Leaving(tuple(entry["first"]), tuple(entry["asked"]), permits, entry["hash"])


def leaving_of_models(goes: Sequence[Destination], workspace: Workspace) -> Leaving:
    """Return the egress of a check of models on file. ConfigError for a mistake in the record."""
    record = record_of(workspace.root)
    permits = to_ask(goes, [record], record.own)
    first = tuple(permit_words(each, goes) for each in permits)
    return Leaving(first, tuple(destination.words for destination in goes), tuple(permits))
