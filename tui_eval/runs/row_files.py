"""Files that belong to one item of a run: written as soon as it ends, and again by the reports; always inside its folder."""

from __future__ import annotations

from collections.abc import Iterable

from tui_eval.core.errors import StorageError
from tui_eval.runs.writing import Inside, write_file


def write_row_files(folder: Inside, files: Iterable[tuple[str, str]]) -> None:
    """Write those that are not there just so. StorageError where the disk refuses, or something else stands in the way."""
    for name, text in files:
        place, data = folder / name, text.encode("utf-8", "backslashreplace")
        try:
            if place.holds(data):
                continue
        except OSError as error:
            raise StorageError(f"{place}: cannot be read: {error.strerror}") from error
        write_file(place, data)
