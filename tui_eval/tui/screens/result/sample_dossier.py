"""Samples of a run as an inspector shows them: the one that is looked at, and what other models answered to the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tui_eval.results.asked_turns import asked_turns
from tui_eval.results.graphs_on_file import drawn_graphs
from tui_eval.results.question_index import QuestionIndex, question_of
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import Owner, StoredReply, StoredSample, owner_of, parse_sample
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.result.graph import graph_text
from tui_eval.tui.screens.result.sample_text import SIGNS, mark_cell, other_line, sample_sections, sample_title, verdict_cell
from tui_eval.tui.widgets.cells import Cell
from tui_eval.tui.widgets.inspector import Dossier, Section, labelled
from tui_eval.tui.words import count

Letters = Callable[[Iterable[str]], Mapping[str, str]]
FEW = 8
"""Answers of other models that are wrapped; of more each has a line."""
MOST_OTHERS = 200
"""Answers of other models that are listed."""
LONGEST_NAME = 24


class Answer(NamedTuple):
    """A model's answer to a question."""

    row: int
    """Of its sample in results.jsonl."""
    sample: StoredSample
    reply: StoredReply

    @property
    def owner(self) -> Owner:
        """The reply of the sample, by whom and when it was given."""
        return owner_of(self.reply)

    @property
    def verdict(self) -> tuple[Cell, Cell]:
        """Its score, and its model where the title of the sample does not name it."""
        name = "" if self.sample.queue == self.reply.model else f"  {safe_line(self.reply.model, 60)}"
        return next(map(mark_cell, self.sample.marks_of(self.reply)), SIGNS["unscored"]), name


class SampleDossiers:
    """Dossiers of the samples of one run."""

    def __init__(self, stored: StoredRun, letters: Letters) -> None:
        """`letters`: gives each of some models its letter."""
        run = stored.path.parent
        self.stored, self.questions = stored, QuestionIndex(stored)
        self.turns, self.graphs = asked_turns(run), drawn_graphs(run)
        self.letters = letters

    @property
    def settled(self) -> bool:
        """Return whether the answers of other models can be found."""
        return not self.questions.behind()

    def of(self, row: int, owner: Owner | None, whole: bool, where: str, verdict: Sequence[Cell] = ()) -> Dossier:
        """Say of a sample what is on file; of one of its replies where `owner` is given.

        `where`: its place in the list, in words. `verdict`: what the list says of it, in place of the sample's own.
        """
        sample = self.stored.sample(row)
        if sample is None:
            line = safe(self.stored.line(row)[:10_000].decode("utf-8", "replace"))
            damaged = Section("WHY", f"line {count(row + 1)} of results.jsonl is no sample", "warn")
            return Dossier((("? damaged", "warn"),), (damaged, Section("LINE", line)), name=f"sample-{row + 1}")
        owner = owner or (owner_of(kept[0]) if len(kept := sample.kept()) == 1 else None)
        graph = graph_text(self.graphs.of(sample), sample.queue) if self.graphs.has(sample) else []
        sections = sample_sections(sample, owner, self.turns.of(sample), whole, labelled("GRAPH", graph))
        heading = (*(verdict or (verdict_cell(sample),)), (f"  {sample_title(sample)}", "strong"), (f"  {where}", "dim"))
        return Dossier(heading, tuple(sections), tuple(self.beside(row, owner)), f"sample-{row + 1}")

    def answers(self, row: int, owner: Owner) -> list[Answer]:
        """Return the answers of all models to what a reply answers, by the names of the models; those of this one, too."""
        sample = self.stored.sample(row)
        if sample is None:
            return []
        found = [each for answered in self._rows(row, sample) for each in self._answers_of(answered, sample, owner)]
        return sorted(found, key=lambda answer: (answer.reply.model.casefold(), answer.row))

    def _rows(self, row: int, sample: StoredSample) -> list[int]:
        return self.questions.rows_of(question_of(sample)) or [row]

    def _answers_of(self, row: int, sample: StoredSample, owner: Owner) -> Iterator[Answer]:
        other = parse_sample(self.stored.line(row))
        if other is None or other.unit.variant != sample.unit.variant:
            return
        for reply in other.answers:
            if (reply.stage, reply.call_index) == (owner[0], owner[2]):
                yield Answer(row, other, reply)

    def beside(self, row: int, owner: Owner | None) -> Iterator[Section]:
        """Yield what the other models answered, a line each."""
        answers = [] if owner is None else [each for each in self.answers(row, owner) if each.owner != owner or each.row != row]
        letters = self.letters([each.reply.model for each in answers])
        wide = min(max((len(each.reply.model) for each in answers), default=0), LONGEST_NAME)
        for place, each in enumerate(answers[:MOST_OTHERS]):
            line = other_line(each.sample, each.reply, letters.get(each.reply.model, ""), wide)
            yield line._replace(label="" if place else "OTHERS", is_line=len(answers) > FEW)
        if len(answers) > MOST_OTHERS:
            yield Section("", f"and {count(len(answers) - MOST_OTHERS)} more", "dim")
