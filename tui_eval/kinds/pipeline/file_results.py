"""Results of the stages on one file: processed texts, places of questions, answers, scores; and the labels of their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tui_eval.core.calls import Reply
from tui_eval.core.results import Score
from tui_eval.kinds.pipeline.answers_by_id import AskedById
from tui_eval.kinds.pipeline.file_task import FileTask
from tui_eval.kinds.pipeline.imported_stages import FileQuestion


@dataclass(frozen=True, slots=True)
class Processed:
    """A processed text, made in this run or brought."""

    model: str
    """Our name for who made it, or the id that a brought file's name has."""
    model_id: str
    run: int
    """Counted from 1."""
    text: str | None
    """As its file has it, and as whatever follows is shown it: without signs that steer a terminal."""
    reply: Reply | None
    """None of a brought one."""

    @property
    def cut(self) -> bool:
        """Return whether its end is missing, since the token limit was reached."""
        return self.reply is not None and self.reply.ok and self.reply.finish_reason == "length"


@dataclass(frozen=True, slots=True)
class FilePlace:
    """The place where a question stands or should: one of the wanted ones."""

    category: str
    question: FileQuestion | None
    why: str = ""
    """Why there is none."""


@dataclass(frozen=True, slots=True)
class FileAnswers:
    """The answers of one model from one text."""

    text: Processed
    model: str
    model_id: str
    found: AskedById
    asked: bool = True
    """False of brought answers."""


@dataclass(frozen=True, slots=True)
class Worked:
    """All that was made of one file."""

    texts: Sequence[Processed]
    places: Sequence[FilePlace]
    answered: Sequence[FileAnswers]
    marks: Sequence[Sequence[Score]]
    """Of each of `answered`: a mark for each place; none where nobody judges."""
    written: bool = True
    """Whether the questions are there, or are known to be missing."""
    unjudged: frozenset[tuple[str, str]] = frozenset()
    """What is still to be asked of a judge: (our name for it, what tells the call from the others)."""
    by_rubrics: Mapping[tuple[int, int], Sequence[Score]] = field(default_factory=dict)
    """By the places of `answered` and `places`: the scores by a person's own rubrics."""


def answers_about(task: FileTask, text: Processed, model: str) -> str:
    """Return the label that tells the call that has a model answer from a text from the others."""
    return f"{told_as(task, text)} {model}"


def told_as(task: FileTask, text: Processed) -> str:
    """Return the label that tells calls about a text from those about another, whether it was made in this run or brought."""
    return f"{task.label(text.model, text.model_id)}#{text.run}"


def judged_about(task: FileTask, entry: FileAnswers, question: FileQuestion) -> str:
    """Return the label that tells the call that has an answer judged from the others."""
    return f"{told_as(task, entry.text)} {task.label(entry.model, entry.model_id)} {question.id}"
