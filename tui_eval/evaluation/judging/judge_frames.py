"""Frames in judges' prompts: as the config sets them, and counts of the texts that hold marks of a prompt."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from tui_eval.core.results import SampleResult, Table
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, table_of
from tui_eval.reading.frames import RULE, Judged, judged_prompt, mark_of
from tui_eval.results.sums.judge_sentences import say_of_judge

_COLUMNS = ("what", "model", "n")


class PromptMarks:
    """Texts whose marks were neutralized in the copy that a judge was shown, each counted once."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], set[Hashable]] = {}

    def add(self, row: SampleResult) -> None:
        """Take in the calls of a sample."""
        for reply in row.replies:
            for text_type, model, which in reply.call.holds_marks:
                place = (row.sample.id, which) if text_type == "answer" else which
                self._held.setdefault((text_type, model), set()).add(place)

    def sentence(self) -> str:
        """Say how many texts of which sort hold such marks, and of which models; empty where none does."""
        counts, models = Counter[str](), dict[str, list[str]]()
        for (text_type, model), places in self._held.items():
            counts[text_type] += len(places)
            models.setdefault(text_type, []).extend([f"{model} {len(places):,}"] if model else [])
        parts = [
            _with_count(text_type, n) + (f" ({', '.join(models[text_type])})" if models[text_type] else "")
            for text_type, n in counts.items()
        ]
        several = len(parts) > 1 or counts.total() > 1
        verb = "hold" if several else "holds"
        return f"{say_of_judge('marks_in_texts', texts=', '.join(parts), verb=verb)}." if parts else ""

    def table(self) -> Table:
        """prompt_marks: a row for each sort of text and model; without any row where no text holds marks."""
        rows: list[Cells] = [
            {RESTS_ON: None, "what": text_type, "model": model, "n": len(places)}
            for (text_type, model), places in self._held.items()
        ]
        note = (
            "What looks like the beginning or the end of a frame, or like a heading of the prompt, is shown to the judge in"
            " parentheses; replies and files have it as it came."
        )
        return table_of("Texts that hold markers of the judge's prompt", rows, _COLUMNS, note, _COLUMNS[:2])


def _with_count(noun: str, n: int) -> str:
    several = noun.replace("list", "lists", 1) if noun.startswith("list") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else several}"


_WHAT = {
    "answer": "answer", "first": "answer", "second": "answer", "context": "document", "passage": "document",
    "document": "document", "question": "question", "questions": "list of questions", "truth": "reference",
    "reference": "reference",
}  # fmt: skip
"""By slots what stands there. What was said before a turn is made of questions and answers that are counted already."""


def new_runs(value: bool, about: str | None = None) -> Any:
    """A key whose absence means what was done before there was the key, in a run folder; elsewhere this value.

    `about`: its help, where it does not stand under the field.
    """
    return Field(description=about, json_schema_extra={"new_runs": value})


FramesKey = Annotated[
    bool | None,
    new_runs(
        True,
        "Put judged texts, and the texts that they are compared with, in frames with markers that they cannot forge. Your own"
        " prompts get frames, too. false = no frames; what looks like the prompt's own markers is neutralized all the same."
        " Empty = yes.",
    ),
]
"""The key of a judge's table that says whether foreign text stands in frames."""


def with_new_defaults(table: BaseModel) -> BaseModel:
    """Return a table of a config that begins a run, with each such key that it leaves out."""
    extras = {name: field.json_schema_extra for name, field in type(table).model_fields.items()}
    update = {
        name: extra["new_runs"]
        for name, extra in extras.items()
        if isinstance(extra, dict) and "new_runs" in extra and getattr(table, name) is None
    }
    return table.model_copy(update=update) if update else table


@dataclass(frozen=True, slots=True)
class JudgeFrames:
    """Frames of foreign text in the prompts that one document's judges are sent."""

    frames: bool | None
    """None = as in runs from before there were frames; False = without, with marks neutralized all the same."""
    mark: str

    @classmethod
    def of(cls, frames: bool | None, seed: int, document: str) -> JudgeFrames:
        """Those of a run with this seed around a document and what is judged by it."""
        return cls(frames, mark_of(seed, document) if frames else "")

    def system(self, text: str) -> str:
        """A judge's system message, with what there is to say of frames."""
        return f"{text}\n\n{RULE.format(mark=self.mark)}" if self.frames else text

    def prompt(self, template: str, slots: Mapping[str, str], begins: str = "", own: Sequence[str] = ()) -> Judged:
        """A prompt with foreign text filled in. `begins`, `own`: as judged_prompt takes them."""
        return judged_prompt(template, slots, self.mark, self.frames, begins, own)

    def shown(self, text: str) -> str:
        """A text as judges are shown it within its frame, so that quotes can be looked for in it."""
        return judged_prompt("{context}", {"context": text}, self.mark, None if self.frames is None else False).text


def prompt_version(name: str, frames: bool | None) -> str:
    """The version of a kind's prompts for judges, and of how their replies are read: 1 without frames, 2 with them."""
    return f"{name}/{2 if frames else 1}"


def marks_held(
    slot_names: Sequence[str], slots: Mapping[str, str], whose: Mapping[str, tuple[str, str]]
) -> tuple[tuple[str, str, str], ...]:
    """Return a call's notes on slots whose text held marks (`Call.holds_marks`). `whose`: by slots the model that an answer is
    of, and what tells it from its others."""
    entries = [(_WHAT.get(slot, ""), *whose.get(slot, ("", _digest(slots[slot])))) for slot in slot_names]
    return tuple(entry for entry in entries if entry[0])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
