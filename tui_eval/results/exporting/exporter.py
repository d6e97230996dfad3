"""Exporter: a format that runs are exported in, with the function that writes it piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_eval.results.exporting.exported_run import ExportedRun


@dataclass(frozen=True, slots=True)
class Exporter:
    """A format that runs are exported in."""

    about: str
    """What it holds, in a line."""
    suffix: str
    """How a file's name ends that tells it, such as ".xml"; of several that fit the longest counts."""
    write: Callable[[Sequence[ExportedRun]], Iterator[str]]
    """The whole file in pieces, so that no run is held in memory; foreign text made safe for its format."""
    by_sample: bool = True
    """Whether it is made of samples, and not of reports, which speak of all models of a run."""
    lacks: Callable[[ExportedRun], str] = lambda run: ""
    """What a run has not that the format holds, so that nothing of it stands there; empty where it has it."""
