"""The report on a generated set: questions of all samples that hold, once each, with counts by document while a run goes on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from tui_eval.core.calls import Json, Reply
from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn, conversations_json
from tui_eval.core.document_text import PAGE_BREAK, left_out_entry, page_start
from tui_eval.core.eval_questions_file import eval_questions_json
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric, RunStamp, Totals
from tui_eval.core.results import About, SampleResult, Score, Table
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import TRUNCATED, truncated, was_cut
from tui_eval.evaluation.judging.judge_panel import family_of
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, table_of
from tui_eval.kinds.generate.sources import GenerateTask
from tui_eval.kinds.generate.verification_pass import NOT_CHECKED
from tui_eval.kinds.question_writing.filtering import BUILDS_ON_DROPPED, Sifted
from tui_eval.kinds.question_writing.material import QuestionPlace, pages_in
from tui_eval.reading.same_questions import GroundedQuestion, duplicates
from tui_eval.results.sums.board import Side

TWICE = "asks what a question of another place asks"


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question as it came out of its sample."""

    sample: str
    document: str
    turn: dict[str, Any]
    asked: GroundedQuestion
    why: str
    """Why it was dropped; empty = it was not."""
    round: int = 0
    """The try at its place that it is of."""
    wave: int = 0
    """How often the set had lost its place before it was written: those of an earlier wave come first."""


def made_by(task: GenerateTask, row: SampleResult) -> list[MadeQuestion]:
    """The questions of one sample, in the order in which they were written."""
    name = row.sample.doc_id
    text = task.documents[name].text or ""
    questions = []
    for score in row.scores:
        if score.read is not None:
            turn = json.loads(score.read)
            at = None if score.why else _place(turn["quote"], turn["page"], text)
            wording = GroundedQuestion(
                turn["question"], turn["ground_truth"] or "", turn["quote"], task.documents[name].sha256, at
            )
            wave = sum(lost < score.call_index for lost, _ in row.sample.data.lost)
            questions.append(MadeQuestion(row.sample.id, name, turn, wording, score.why, score.call_index, wave))
    return questions


def _place(quote: str, page: int | None, text: str) -> int | None:
    """Return the offset at which a quote, in the document's own words, begins in its text; None where it has none."""
    start = page_start(text, page) if page is not None and PAGE_BREAK in text else 0
    offset = (text if quote.isprintable() else text.replace(PAGE_BREAK, "\n")).find(quote, start) if quote else -1
    return offset if offset >= 0 else None


def decided(questions: Sequence[MadeQuestion]) -> list[MadeQuestion]:
    """Every question, in order; one that stands alone and asks what one of an earlier place, or of an earlier wave, asks is
    dropped, and with it what builds on it."""
    standalone = sorted(
        (question for question in questions if not question.why and question.turn["depends_on"] is None), key=attrgetter("wave")
    )
    again = duplicates([question.asked for question in standalone])
    twice = {id(question) for question, first in zip(standalone, again, strict=True) if first is not None}
    gone: set[tuple[str, int, int]] = set()
    results = []
    for question in questions:
        why = question.why or (TWICE if id(question) in twice else "")
        if not why and (question.sample, question.round, question.turn["depends_on"]) in gone:
            why = BUILDS_ON_DROPPED
        if why and not question.why:
            gone.add((question.sample, question.round, question.turn["place"]))
        results.append(replace(question, why=why))
    return results


def count_accepted(questions: Iterable[MadeQuestion]) -> int:
    """Count the questions that are in the set."""
    return sum(not question.why for question in questions)


def places_that_go_on(task: GenerateTask, rows: Sequence[SampleResult]) -> list[Sample]:
    """The conversations that are asked for once more, at the next passage of their place: those of which most was dropped, for
    other places ask the same. `rows`: every place, in order, once all have ended; so whoever looks, it is the same ones."""
    questions = [question for row in rows for question in made_by(task, row)]
    mine = gathered((was.sample, (was, now)) for was, now in zip(questions, decided(questions), strict=True))
    samples = []
    for row in rows:
        place: QuestionPlace = row.sample.data
        latest = max((was.round for was, _ in mine.get(row.sample.id, ())), default=-1)
        last = [(was, now) for was, now in mine.get(row.sample.id, ()) if was.round == latest]
        twice = frozenset(was.turn["place"] for was, now in last if not was.why and now.why == TWICE)
        is_over = latest + 1 >= len(place.pieces) or latest in dict(place.lost)
        if twice and not is_over and not place.pieces[latest].has_enough(count_accepted(now for _, now in last)):
            samples.append(replace(row.sample, data=replace(place, lost=(*place.lost, (latest, twice)))))
    return samples


PROGRESS = "generated/progress.json"


def _questions_of(task: GenerateTask, row: SampleResult) -> Sequence[MadeQuestion] | None:
    return None if row.sample.repeat else made_by(task, row)


def _progress(task: GenerateTask, batches: Sequence[Sequence[MadeQuestion]], run: RunStamp) -> Mapping[str, Json]:
    counts: dict[str, dict[str, Json]] = {
        name: {"wanted": n, "made": 0, "kept": 0, "dropped": 0} for name, n in task.wanted_of.items()
    }
    for question in decided([question for batch in batches for question in batch]):
        for key in ("made", "dropped" if question.why else "kept"):
            counts[question.document][key] += 1
    return {PROGRESS: {"documents": counts}}


QUESTION_TOTALS = Totals(part=_questions_of, files=_progress)
"""By document what is wanted, and what was made, kept and dropped so far, as the set would have it if the run ended now."""


KEPT_METRIC = Metric("kept", threshold=1.0)
VERSION = "generate/1"
"""Of the rules by which a question is kept or dropped."""
FEWER, UNREAD, NO_REPLY = "fewer were written than were asked for", "no reply that can be read", "no reply"
"""How the reasons begin why a question was never made."""
FEW = 100
"""Questions below which a set is called exploratory (METHOD.md 6)."""
_TOLD = {
    TWICE: ("asked twice", "asked twice"),
    "asks what another question asks": ("asked twice", "asked twice"),
    "contradicted by the second opinion": ("contradicted by the second opinion",) * 2,
    "its quote is not in the text": ("quote not in the text", "quotes not in the text"),
    "it has no quote": ("without a quote", "without a quote"),
    BUILDS_ON_DROPPED: ("that builds on a dropped one", "that build on dropped ones"),
    "more than were asked for": ("more than was asked for", "more than were asked for"),
    NOT_CHECKED: ("without a second opinion", "without a second opinion"),
}
"""How a reason reads behind a number: one, several. Those that stand alone behind "dropped" need no entry."""


def question_score(maker: AskedModel, index: int, question: Sifted) -> Score:
    """A question's score: 1 it is kept, 0 it is not; None: nobody could look at it. `read`: the question itself."""
    value = None if question.why == NOT_CHECKED else float(not question.why)
    read = json.dumps(question.turn, ensure_ascii=False)
    return Score(maker.stage, maker.name, index, KEPT_METRIC.name, value, question.why, VERSION, read)


def unwritten_score(maker: AskedModel, reply: Reply, was_read: bool) -> Score:
    """The score of a question that was wanted and not made. `was_read`: whether the last reply held questions at all."""
    why = FEWER if was_read else UNREAD
    if not was_read and was_cut(reply):
        why = truncated(reply)
    elif not reply.ok:
        why = f"{NO_REPLY}: {reply.why}"
    return Score(maker.stage, maker.name, 0, KEPT_METRIC.name, None, why, VERSION)


class QuestionReport(ScoreReport):
    """Beside the share of questions that were kept: the set, and what was dropped and why.

    What the set is called stands in `dataset` of the task's config.
    """

    def __init__(self, task: GenerateTask) -> None:
        (maker,), check = task.asked["maker"], task.config.check
        note = "Kept / made, before questions that two places ask. "
        super().__init__(
            task, (KEPT_METRIC,), judge="second opinion", note=note, expected=[(maker.stage, maker.name)],
            judged=(KEPT_METRIC.name,) if check.on else (), unmarked=(FEWER, UNREAD, NO_REPLY, TRUNCATED),
        )  # fmt: skip
        self._task, self._check, self._maker = task, check, maker
        self._proposed: list[MadeQuestion] = []
        self._latest: list[MadeQuestion] | None = None
        """What became of them, so far as it is known."""
        self._conversing: set[str] = set()
        """The samples whose questions belong together."""
        self._unwritten = Counter[str]()
        """Why questions that were wanted were never made."""
        self._unfinished = False

    def add(self, row: SampleResult) -> None:
        """Take in the questions of one sample; of repeats the first alone makes the set."""
        super().add(row)
        self._unfinished |= not row.finished
        if row.sample.data.pieces[0].turns:
            self._conversing.add(row.sample.id)
        if not row.sample.repeat:
            self._proposed += made_by(self._task, row)
            self._latest = None
            self._unwritten.update(score.why for score in row.scores if score.read is None)

    def tables(self) -> Mapping[str, Table]:
        """generated: a row for each document, and for each reason to drop a question; and what every kind has."""
        reasons = self._reasons_table()
        return {"generated": self._generated(), **({"dropped_reasons": reasons} if reasons.rows else {}), **super().tables()}

    def headline(self) -> Sequence[Table]:
        """Show how many were wanted, made and kept, in a sentence and by document."""
        return [self._generated()]

    def files(self, about: About) -> Mapping[str, Json]:
        """The set, in our form and that of spec 000; passages that were asked about, what they leave out; what was dropped."""
        dataset = self.conversation_set(about)
        left_out = self._left_out()
        return {
            "dataset.json": conversations_json(dataset),
            "questions.json": eval_questions_json(dataset, about.started_at),
            "passages.csv": list(self._passages()),
            "dropped.csv": [
                {"sample": question.sample, "document": question.document, "question": question.turn["question"],
                 "ground_truth": question.turn["ground_truth"], "quote": question.turn["quote"], "reason": question.why,
                 **self._besides(question)}
                for question in self._decided() if question.why
            ],
            **({"left_out.csv": left_out} if left_out else {}),
        }  # fmt: skip

    def _besides(self, dropped: MadeQuestion) -> Mapping[str, Json]:
        """Return what else takes a dropped question back: which it was of its conversation, and what it builds on."""
        turn, earlier = dropped.turn, dropped.turn["depends_on"]
        talk = dropped.sample in self._conversing
        questions = {
            question.turn["place"]: question.turn["question"]
            for question in self._proposed
            if question.sample == dropped.sample and question.round == dropped.round
        }
        return {
            "type": turn["type"],
            "answerable": turn["answerable"],
            "turn": turn["place"] + 1 if talk else None,
            "builds_on": questions.get(earlier, "") if talk and earlier is not None else "",
        }

    def conversation_set(self, about: About) -> ConversationSet:
        """Every question that was kept, conversation by conversation."""
        prompts = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self._task.config.prompts.items()}
        cut = self._cut
        documents = [
            GroundingDocument(
                filename=file.name,
                sha256=file.sha256,
                pages=pages_in(file),
                uploaded_at=about.started_at,
                text=file.text or "",
                left_out=file.left_out or () if name in cut else (),
            )
            for name, file in self._task.documents.items()
        ]
        return ConversationSet(
            name=self._task.config.dataset or about.name,
            documents=tuple(documents),
            conversations=tuple(self._conversations()),
            generator={"model": self._maker.model_id, "run": about.uid, "prompts": prompts},
            incomplete=self._unfinished or bool(about.unfinished),
        )

    def _conversations(self) -> Iterator[Conversation]:
        places = gathered((question.sample, question) for question in self._decided() if not question.why)
        for name, questions in places.items():
            document = self._task.documents[questions[0].document].name
            ids = {question.turn["place"]: f"{name}/t{n}" for n, question in enumerate(questions, start=1)}
            turns = [_turn(question.turn, ids) for question in questions]
            if name in self._conversing:
                yield Conversation(id=name, turns=tuple(turns), document=document)
            else:
                yield from (Conversation(id=turn.id, turns=(turn,), document=document) for turn in turns)

    def _decided(self) -> list[MadeQuestion]:
        if self._latest is None:
            self._latest = decided(self._proposed)
        return self._latest

    def _generated(self) -> Table:
        every, n_wanted = self._decided(), self._task.wanted_of
        columns = ("document", "wanted", "made", "kept", "dropped", "answerable without the document")
        rows: list[Cells] = []
        for name in self._task.documents:
            mine = [question for question in every if question.document == name]
            values = (name, n_wanted[name], len(mine), count_accepted(mine), len(mine) - count_accepted(mine), _marked(mine))
            rests_on = {
                **self._rests_on(Side(self._maker.stage, self._maker.name, KEPT_METRIC.name)),
                "by": "document",
                "value": name,
            }
            rows.append({**dict(zip(columns, values, strict=True)), RESTS_ON: rests_on})
        return table_of("Questions by document", rows, columns, self._sentence(every), ("document",))

    def _sentence(self, questions: Sequence[MadeQuestion]) -> str:
        """Say in words what became of the questions that were wanted."""
        why = [_short(question.why) for question in questions if question.why]
        reasons = Counter(_TOLD.get(reason, (f"dropped ({reason})",) * 2) for reason in why)
        parts = [f"{n} {words[n > 1]}" for words, n in reasons.most_common()]
        sentence = (
            f"{self._task.room or f'wanted {self._task.wanted}'}, kept {count_accepted(questions)} of {len(questions)} made"
        )
        sentence += f": {', '.join(parts)}" if parts else ""
        never = [f"{n} ({why})" for why, n in self._unwritten.most_common()]
        sentence += f"; not written: {', '.join(never)}" if never else ""
        sentence += f"; {_marked(questions)} marked answerable without the document" if _marked(questions) else ""
        marks = self.prompt_marks.sentence().rstrip(".")
        sentence += f". {marks}" if marks else ""
        if not self._check.on:
            sentence += ". Nobody gave a second opinion"
        else:
            few = self.low_coverage(binary=True).rstrip(".")
            sentence += self._of_checker() + (f". {few}" if few else "")
        return sentence + (f". Exploratory: fewer than {FEW} questions" if count_accepted(questions) < FEW else "")

    def _of_checker(self) -> str:
        """Return a sentence on who gave the second opinion, where there is something to say."""
        checker = next(model for models in self._task.asked.values() for model in models if model.name == self._check.model)
        family = family_of(checker.model_id)
        if checker.model_id == self._maker.model_id:
            return ". The generator checked itself; another model finds more (generate.check.model)"
        if family and family == family_of(self._maker.model_id):
            return f". {checker.name} checked a model of its own family ({family}); one of another family finds more"
        return ""

    def _reasons_table(self) -> Table:
        reasons = Counter(_short(question.why) for question in self._decided() if question.why)
        rows: list[Cells] = [{"reason": why, "n": n, RESTS_ON: None} for why, n in reasons.most_common()]
        note = f"Each of the {reasons.total()} is in dropped.csv."
        return table_of("Why questions were dropped", rows, ("reason", "n"), note, ("reason",))

    @property
    def _cut(self) -> set[str]:
        """The documents that were asked about passage by passage."""
        return {name for name, pieces in self._task.places if pieces[0].turns}

    def _left_out(self) -> list[Mapping[str, Json]]:
        """List the parts that no passage of a document has, page by page; nothing of one that was shown whole."""
        cut = self._cut
        documents = [(name, file) for name, file in self._task.documents.items() if name in cut]
        return [
            {"document": name, **left_out_entry(file.text or "", span)}
            for name, file in documents
            for span in file.left_out or ()
        ]

    def _passages(self) -> Iterator[Mapping[str, Json]]:
        for name, pieces in self._task.places:
            for n, piece in enumerate(pieces, start=1):
                end = piece.start + len(piece.text) if piece.end is None else piece.end
                yield {"document": name, "try": n, "start": piece.start, "end": end, "text": piece.text}


def _marked(questions: Sequence[MadeQuestion]) -> int:
    """Count the kept questions that can be answered without the document."""
    return sum(not question.why and bool(question.turn.get("known_without_document")) for question in questions)


def _short(why: str) -> str:
    """A reason without what is said of the one question."""
    return why.partition(": ")[0]


def _turn(turn: Mapping[str, Any], ids: Mapping[int, str]) -> Turn:
    fields = {name: value for name, value in turn.items() if name not in ("place", "depends_on")}
    fields["quote_at"] = tuple((start, end) for start, end in fields.get("quote_at", ()))
    return Turn(id=ids[turn["place"]], depends_on=ids.get(turn["depends_on"]), **fields)
