"""Questions that were written for a set and dropped, each with the reason, as a run folder's dropped.csv lists them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import CONVERSATION, DOCUMENT

FILE = "dropped.csv"
MOST = 10_000
"""Of them that are listed."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Details of a dropped question besides its text."""

    reason: str
    quote: str
    document: str
    type: str = ""
    answerable: bool = True
    number: int | None = None
    """Which question of its conversation it was, from 1; None where it belongs to none."""
    builds_on: str = ""
    """The question of its conversation that it builds on; empty = none."""


def dropped_of(question: Sample) -> Dropped | None:
    """Why a question was dropped; None where it was not."""
    return question.data if isinstance(question.data, Dropped) else None


def read_dropped(content: bytes) -> list[Sample]:
    """The questions of a dropped.csv, in their order. ConfigError where it is none."""
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))[:MOST]
        return [_sample(number, row) for number, row in enumerate(rows, start=1)]
    except (UnicodeDecodeError, csv.Error, KeyError, AttributeError) as error:
        raise ConfigError(f"{FILE}: cannot be read: {error}") from None


def _sample(number: int, row: dict[str, str]) -> Sample:
    group_values = {CONVERSATION: row["sample"], DOCUMENT: row["document"]}
    return Sample(
        f"dropped {number}",
        row["question"],
        truth=row["ground_truth"] or None,
        documents=(row["document"],) if row["document"] else (),
        groups={name: (value,) for name, value in group_values.items() if value},
        data=Dropped(
            row["reason"],
            row["quote"],
            row["document"],
            row.get("type") or "",
            row.get("answerable") != "false",
            int(number_said) if (number_said := row.get("turn") or "").isdecimal() and len(number_said) < 10 else None,
            row.get("builds_on") or "",
        ),
    )
