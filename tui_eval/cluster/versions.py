"""Versions that a coordinator and its workers must have alike."""

from __future__ import annotations

import platform
from collections.abc import Mapping

from tui_eval import __version__
from tui_eval.core.errors import ConfigError


def versions() -> dict[str, str]:
    """Return the versions here, by name."""
    return {"tui-eval": __version__, "python": ".".join(platform.python_version_tuple()[:2])}


def check_versions(there: str, found: Mapping[str, object]) -> None:
    """Raise ConfigError where a worker's machine has other versions; `there` names it."""
    for name, ours in versions().items():
        if found.get(name) != ours:
            raise ConfigError(f"{there}: has {name} {found.get(name)}, and this is {ours}; install the same on both")
