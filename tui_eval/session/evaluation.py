"""What an evaluation is made of, and its items driven by what a log holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.core.calls import ModelSpec
from tui_eval.core.kinds import InputFile, Kind
from tui_eval.core.results import Row
from tui_eval.kinds.shared.drive import all_items, driven, recorded_answers
from tui_eval.runs.reader import Recorded


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation is made of, once its config is settled: enough to ask it, or to report on it."""

    kind: Kind
    name: str
    config: Any
    files: Sequence[InputFile]
    models: Mapping[str, ModelSpec]
    repeat: int


def rows_from_log(evaluation: Evaluation, recorded: Recorded) -> Iterator[Row]:
    """Every item in order, its flow driven by what the log holds."""
    answer = recorded_answers(evaluation.models, recorded.reply)
    for item in all_items(evaluation.kind, evaluation.config, evaluation.files, evaluation.repeat):
        yield driven(evaluation.kind, evaluation.config, item, answer)
