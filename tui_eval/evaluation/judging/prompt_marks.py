"""Counts of the texts that hold marks of a judge's prompt: answers by model, documents, questions and references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from tui_eval.core.results import SampleResult, Table
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, table_of

_COLUMNS = ("what", "model", "n")


class PromptMarks:
    """Texts whose marks were neutralized in the copy that a judge was shown, each counted once."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], set[Hashable]] = {}

    def add(self, row: SampleResult) -> None:
        """Take in the calls of a sample."""
        for reply in row.replies:
            for what, model, which in reply.call.holds_marks:
                place = (row.sample.id, which) if what == "answer" else which
                self._held.setdefault((what, model), set()).add(place)

    def sentence(self) -> str:
        """How many texts of which sort hold such marks, and of which models; empty where none does."""
        counts, models = Counter[str](), dict[str, list[str]]()
        for (what, model), places in self._held.items():
            counts[what] += len(places)
            models.setdefault(what, []).extend([f"{model} {len(places):,}"] if model else [])
        told = [_counted(what, n) + (f" ({', '.join(models[what])})" if models[what] else "") for what, n in counts.items()]
        several = len(told) > 1 or counts.total() > 1
        verb = "hold" if several else "holds"
        return f"{', '.join(told)} {verb} marks of the judge's prompt, which a judge is shown neutralized." if told else ""

    def table(self) -> Table:
        """prompt_marks: a row for each sort of text and model; without any row where no text holds marks."""
        rows: list[Cells] = [
            {RESTS_ON: None, "what": what, "model": model, "n": len(places)} for (what, model), places in self._held.items()
        ]
        note = (
            "What looks like the beginning or the end of a frame, or like a heading of the prompt, is shown to the judge in"
            " parentheses; replies and files have it as it came."
        )
        return table_of("Texts that hold marks of the judge's prompt", rows, _COLUMNS, note, _COLUMNS[:2])


def _counted(what: str, n: int) -> str:
    several = what.replace("list", "lists", 1) if what.startswith("list") else f"{what}s"
    return f"{n:,} {what if n == 1 else several}"
