"""Registry of the formats that runs are exported in, by the name that --format takes; each is loaded at its first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tui_eval.core.plugins import Lazy, Registry
from tui_eval.results.exporting.exporter import Exporter

_OURS: Mapping[str, Lazy[Exporter]] = {
    "csv": Lazy("tui_eval.results.exporting.data_exports:CSV"),
    "json": Lazy("tui_eval.results.exporting.data_exports:JSON"),
    "md": Lazy("tui_eval.results.exporting.markdown_report:MARKDOWN"),
    "junit": Lazy("tui_eval.results.exporting.junit_report:JUNIT"),
    "gates": Lazy("tui_eval.results.exporting.junit_report:GATES"),
    "jsonl": Lazy("tui_eval.results.exporting.data_exports:JSONL"),
}


def _problems(name: str, candidate: Any) -> Iterator[str]:
    """Say what is wrong with an exporter of a package."""
    if not isinstance(candidate, Exporter):
        yield f"it is not an Exporter but a {type(candidate).__name__}"


EXPORTERS: Registry[Exporter] = Registry("tui_eval.exporters", "format", _problems, _OURS)
