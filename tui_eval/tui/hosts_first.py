"""Where what is sent goes, in the words of a question before it, and the yes to hosts that get a value for the first time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tui_eval.models.destinations import Destination, not_allowed
from tui_eval.tui.sanitize import safe_line
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trusted_hosts import trust


def where_it_goes(found: Iterable[Destination], workspace: Workspace) -> tuple[list[str], list[Destination]]:
    """Lines that say where everything goes, those of a first time ahead, and the destinations that a yes is needed for.

    ConfigError where what was said yes to before cannot be read.
    """
    found = list(found)
    new = not_allowed(found, workspace)
    first = [f"FOR THE FIRST TIME: {' and '.join(each.unasked)} to {each.host}" for each in new]
    return [safe_line(line, 300) for line in (*first, *(each.words for each in found))], new


def allow(new: Sequence[Destination], workspace: Workspace) -> None:
    """Keep the yes. ConfigError where it cannot be kept."""
    for each in new:
        trust(workspace, each.host, each.unasked)
