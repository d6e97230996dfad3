"""Head of a run's report: report.json but for its tables, in a small file of its own that is read in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tui_eval.runs.reader import RunReader

REPORT, HEAD = "report.json", "report_head.json"
TABLES = "tables"
"""The key of a report that its head lacks: the tables grow with the samples, all else with models and metrics."""
OF_BYTES = "report_bytes"
"""The size of the report.json that a head was taken of; another one's head counts for nothing."""


def head_of(report: Mapping[str, Any], size: int) -> dict[str, Any]:
    """Return the head of a report whose file has so many bytes."""
    return {OF_BYTES: size, **{key: value for key, value in report.items() if key != TABLES}}


def _size(path: Path) -> int | None:
    """Return the size of a file; None where there is none."""
    try:
        return path.lstat().st_size
    except OSError:
        return None


class StoredReport(Mapping[str, Any]):
    """report.json of a run folder; empty where there is none. Its tables alone have the whole file read.

    Of a run without a head, or with that of another report, such as one of an older version, the whole file is read at once.
    FolderError where either is no plain file.
    """

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._whole: Mapping[str, Any] | None = None
        head, size = reader.table(HEAD), _size(reader.path / REPORT)
        if size is None or head.pop(OF_BYTES, None) != size:
            head = self._whole = reader.table(REPORT)
        self._head: Mapping[str, Any] = head

    def _all(self) -> Mapping[str, Any]:
        if self._whole is None:
            self._whole = self._reader.table(REPORT)
        return self._whole

    def __getitem__(self, key: str) -> Any:
        return self._head[key] if key != TABLES else self._all()[key]

    def __bool__(self) -> bool:
        return bool(self._head)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
