"""What a run generated: the questions of all samples as one set, doubles dropped, with what was wanted, made and kept."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn, conversations_json
from tui_eval.core.eval_questions import eval_questions_json
from tui_eval.core.kinds import Metric
from tui_eval.core.results import About, Cell, SampleResult, Table
from tui_eval.kinds.generate.generate_flow import KEPT
from tui_eval.kinds.generate.sifting import BUILDS_ON_DROPPED
from tui_eval.kinds.generate.sources import GenerateTask, pages_in
from tui_eval.kinds.shared.score_report import ScoreReport
from tui_eval.reading.question_checks import duplicates

KEPT_METRIC = Metric(KEPT, threshold=1.0)
TWICE = "asks what a question of another place asks"
FEW = 100
"""Questions below which a set is called exploratory (METHOD.md 6)."""


@dataclass(slots=True)
class _Made:
    """A question as it came out of its sample."""

    sample: str
    document: str
    turn: dict[str, Any]
    why: str
    """Why it was dropped; empty = it was not."""


class GenerateReport(ScoreReport):
    """Beside the share of questions that were kept: the set, and what was dropped and why."""

    def __init__(self, task: GenerateTask) -> None:
        (maker,) = task.asked["maker"]
        super().__init__(
            task, (KEPT_METRIC,), note="Kept / made, before doubles of other places. ", expected=[("maker", maker.name)]
        )
        self._task = task
        self._proposed: list[_Made] = []
        self._unfinished = False

    def add(self, row: SampleResult) -> None:
        """Take in the questions of one sample; of repeats the first alone makes the set."""
        super().add(row)
        self._unfinished |= not row.finished
        if not row.sample.repeat:
            self._proposed += [
                _Made(row.sample.id, row.sample.doc_id, json.loads(score.read or "{}"), score.why) for score in row.scores
            ]

    def tables(self) -> Mapping[str, Table]:
        """generated: a row for each document, and for each reason to drop a question; and what every kind has."""
        return {"generated": self._generated(), "dropped_reasons": self._reasons_table(), **super().tables()}

    def headline(self) -> Sequence[Table]:
        """What was wanted, made and kept, in a sentence and by document."""
        return [self._generated()]

    def files(self, about: About) -> Mapping[str, Json]:
        """The set, in our form and that of spec 000; the passages that were asked about; the questions that were dropped."""
        found = self.conversation_set(about)
        return {
            "dataset.json": conversations_json(found),
            "questions.json": eval_questions_json(found, about.started_at),
            "passages.csv": list(self._passages()),
            "dropped.csv": [
                {"sample": one.sample, "document": one.document, "question": one.turn["question"],
                 "ground_truth": one.turn["ground_truth"], "quote": one.turn["quote"], "reason": one.why}
                for one in self._decided() if one.why
            ],
        }  # fmt: skip

    def conversation_set(self, about: About) -> ConversationSet:
        """Every question that was kept, conversation by conversation."""
        prompts = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self._task.config.prompts.items()}
        documents = [
            GroundingDocument(
                filename=file.name, sha256=file.sha256, pages=pages_in(file), uploaded_at=about.started_at, text=file.text or ""
            )
            for file in self._task.documents.values()
        ]
        return ConversationSet(
            name=self._task.config.dataset or about.name,
            documents=tuple(documents),
            conversations=tuple(self._conversations()),
            generator={"model": self.ids[self._task.asked["maker"][0].name], "run": about.uid, "prompts": prompts},
            incomplete=self._unfinished or bool(about.unfinished),
        )

    def _conversations(self) -> Iterator[Conversation]:
        kept: dict[str, list[_Made]] = {}
        for one in self._decided():
            if not one.why:
                kept.setdefault(one.sample, []).append(one)
        for name, made in kept.items():
            document = self._task.documents[made[0].document].name
            ids = {one.turn["place"]: f"{name}/t{n}" for n, one in enumerate(made, start=1)}
            turns = [_turn(one.turn, ids) for one in made]
            if self._task.config.form == "conversations":
                yield Conversation(id=name, turns=tuple(turns), document=document)
            else:
                yield from (Conversation(id=turn.id, turns=(turn,), document=document) for turn in turns)

    def _decided(self) -> list[_Made]:
        """Every question; one that stands alone and asks what one of an earlier place asks is dropped, with what follows it."""
        held = [one for one in self._proposed if not one.why and one.turn["depends_on"] is None]
        twice = {id(held[n]) for n, first in enumerate(duplicates([one.turn["question"] for one in held])) if first is not None}
        gone: set[tuple[str, int]] = set()
        found = []
        for one in self._proposed:
            why = one.why or (TWICE if id(one) in twice else "")
            if not why and (one.sample, one.turn["depends_on"]) in gone:
                why = BUILDS_ON_DROPPED
            if why and not one.why:
                gone.add((one.sample, one.turn["place"]))
            found.append(_Made(one.sample, one.document, one.turn, why))
        return found

    def _generated(self) -> Table:
        decided, wanted = self._decided(), Counter[str]()
        for name, pieces in self._task.places:
            wanted[name] += pieces[0].turns + sum(one["count"] for one in pieces[0].lacking(()))
        rows = []
        for name in self._task.documents:
            mine = [one for one in decided if one.document == name]
            kept = [one for one in mine if not one.why]
            marked = sum(bool(one.turn.get("known_without_document")) for one in kept)
            cells = (name, wanted[name], len(mine), len(kept), len(mine) - len(kept), marked)
            rows.append(tuple(Cell(cell) for cell in cells))
        columns = ("document", "wanted", "made", "kept", "dropped", "answerable without the document")
        return Table("Questions by document", columns, tuple(rows), self._sentence(decided), ("document",))

    def _sentence(self, decided: Sequence[_Made]) -> str:
        """What became of what was wanted, in words."""
        kept = [one for one in decided if not one.why]
        reasons = Counter(_short(one.why) for one in decided if one.why)
        told = [f"{n} {why}" for why, n in reasons.most_common()]
        marked = sum(bool(one.turn.get("known_without_document")) for one in kept)
        said = f"wanted {self._task.wanted}, kept {len(kept)} of {len(decided)} made"
        said += f": {', '.join(told)}" if told else ""
        said += f"; {marked} marked answerable without the document" if marked else ""
        check = self._task.config.check
        if not check.on:
            said += ". Nobody gave a second opinion"
        elif check.model == self._task.config.model:
            said += ". The generator checked itself; another model finds more (generate.check.model)"
        return said + (f". Exploratory: fewer than {FEW} questions" if len(kept) < FEW else "")

    def _reasons_table(self) -> Table:
        reasons = Counter(_short(one.why) for one in self._decided() if one.why)
        rows = tuple((Cell(why), Cell(n)) for why, n in reasons.most_common())
        return Table(
            "Why questions were dropped",
            ("reason", "n"),
            rows,
            f"Each of the {reasons.total()} is in dropped.csv.",
            ("reason",),
        )

    def _passages(self) -> Iterator[Mapping[str, Json]]:
        for name, pieces in self._task.places:
            for n, piece in enumerate(pieces, start=1):
                yield {
                    "document": name,
                    "try": n,
                    "start": piece.start,
                    "end": piece.start + len(piece.text),
                    "text": piece.text,
                }


def _short(why: str) -> str:
    """A reason without what is said of the one question."""
    return why.partition(": ")[0]


def _turn(made: Mapping[str, Any], ids: Mapping[int, str]) -> Turn:
    fields = {name: value for name, value in made.items() if name not in ("place", "depends_on")}
    return Turn(id=ids[made["place"]], depends_on=ids.get(made["depends_on"]), **fields)
