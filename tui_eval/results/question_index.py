"""Index of the samples of a run by their names and by their questions, filled without parsing the lines."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from tui_eval.results.stored_run import RowScan
from tui_eval.results.stored_samples import StoredSample

_STRING = r'"((?:[^"\\]|\\.)*)"'
_HEAD = re.compile(
    (r'\{"item_id": ?' + _STRING + r', ?"repeat": ?(-?\d+), ?"lane": ?' + _STRING + r', ?"doc_id": ?' + _STRING
     + r', ?"q_index": ?(-?\d+),').encode()
)  # fmt: skip
"""How a line of results.jsonl begins."""


class QuestionKey(NamedTuple):
    """Question as it was asked of every model alike."""

    doc_id: str
    q_index: int
    repeat: int


class QuestionIndex(RowScan):
    """Rows of results.jsonl by sample and by question, as far as they were looked at."""

    def begin(self) -> None:
        """Forget the rows."""
        self._by_name: dict[tuple[str, int], int] = {}
        self._rows: dict[QuestionKey, list[int]] = {}

    def take(self, row: int) -> None:
        """Add a row by how its line begins."""
        match = _HEAD.match(self.stored.line(row))
        if match is None:
            super().take(row)
            return
        item, _, doc = (_text(match[n]) for n in (1, 3, 4))
        self._add(row, item, QuestionKey(doc, int(match[5]), int(match[2])))

    def add(self, row: int, sample: StoredSample) -> None:
        """Add a row whose line begins otherwise."""
        self._add(row, sample.item_id, question_of(sample))

    def row_of(self, item_id: str, repeat: int) -> int | None:
        """Return the row of a sample, the last one where it was written twice; None where there is none."""
        return self._by_name.get((item_id, repeat))

    def rows_of(self, question: QuestionKey) -> list[int]:
        """Return the rows with answers to a question, each sample once, in the order of the file."""
        return self._rows.get(question, [])

    def _add(self, row: int, item_id: str, question: QuestionKey) -> None:
        rows, before = self._rows.setdefault(question, []), self._by_name.get((item_id, question.repeat))
        if before in rows:
            rows.remove(before)
        rows.append(row)
        self._by_name[item_id, question.repeat] = row


def question_of(sample: StoredSample) -> QuestionKey:
    """Return the question of a sample."""
    return QuestionKey(sample.doc_id, sample.q_index, sample.repeat)


def _text(escaped: bytes) -> str:
    return str(json.loads(b'"' + escaped + b'"')) if b"\\" in escaped else escaped.decode("utf-8", "replace")
