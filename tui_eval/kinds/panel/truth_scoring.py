"""Answers held against known truths: letter by letter, or by a scorer model; its prompt, its rule, and attacks on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.datasets.document_blocks import CLOSING, OPENING
from tui_eval.evaluation.config_references import asked_in
from tui_eval.evaluation.inputs import Inputs
from tui_eval.evaluation.judging.judge_attacks import Attack, Attacks, AttackSet
from tui_eval.evaluation.judging.judge_frames import JudgeFrames, marks_held, prompt_version
from tui_eval.evaluation.judging.judge_panel import Rubric, score_of
from tui_eval.evaluation.stage_models import AskedModel, ScorerModel
from tui_eval.reading.frames import without_headings, without_marks
from tui_eval.reading.grades import same_text, zero_or_one
from tui_eval.reading.prompts import fill
from tui_eval.workspace.validation import Strict


@dataclass(slots=True)
class HeadedTexts:
    """The texts of one call, as whoever judges them is shown them, and which of them held marks."""

    frames: JudgeFrames
    held: tuple[tuple[str, str, str], ...] = ()
    """What the call notes of them (`Call.holds_marks`)."""

    def text(self, slot: str, text: str, name: str = "", answer: Reply | None = None) -> str:
        """A text in its frame (`name`), where there are frames; as it came in runs from before marks were neutralized.

        `slot`: what it is, as the prompts of all kinds call it; `answer`: the reply that it is of.
        """
        return self._in_frame(name, self._copy(slot, text, answer))

    def document(self, block: str) -> str:
        """A document's block, which has a frame of its own."""
        if not block.startswith(OPENING) or not block.endswith(CLOSING):
            return self.text("document", block)
        inside = self._copy("document", block[len(OPENING) : -len(CLOSING)])
        return f"{self._in_frame('DOCUMENT', inside)}\n\n" if self.frames.frames else f"{OPENING}{inside}{CLOSING}"

    def _copy(self, slot: str, text: str, answer: Reply | None = None) -> str:
        if self.frames.frames is None:
            return text
        copy = without_headings(without_marks(text, self.frames.mark))
        if copy != text:
            whose = {slot: (answer.call.model, f"{answer.call.stage} {answer.call.call_index}")} if answer else {}
            self.held += marks_held([slot], {slot: text}, whose)
        return copy

    def _in_frame(self, name: str, text: str) -> str:
        mark = self.frames.mark
        return f"[{name} {mark}]\n{text}\n[/{name} {mark}]" if self.frames.frames and name else text


EXACT = Rubric("correct", "exact/1", zero_or_one)
SCORERS = {frames: Rubric("correct", prompt_version("llm", frames), zero_or_one, judge="scorer") for frames in (False, True)}
"""Rules by which answers are graded, with their versions: 1 is right, 0 is wrong. A scorer's: by whether texts have frames."""


class Benchmark(Strict):
    """The way answers are compared with the truths."""

    mode: Literal["exact", "llm"]
    """exact: an answer is right where it equals the truth letter by letter, and it costs nothing. llm: a scorer model compares
    them, with one more call for each answer."""
    strip_whitespace: bool = True
    """Ignore white space at the ends in an exact comparison."""
    scorer: Annotated[ScorerModel | None, asked_in("scorer")] = None
    """The model that compares answers with the truths. Needed with mode = "llm"; else leave it out."""
    include_question: bool = False
    """Show the scorer the question, too."""
    attacks: AttackSet = None

    @property
    def unused(self) -> tuple[str, ...]:
        """An exact comparison asks no scorer."""
        return () if self.mode == "llm" else ("scorer", "attacks")


def exact_score(reply: Reply, truth: str, strip_whitespace: bool) -> Score:
    """1 where an answer equals the truth letter by letter, else 0; None with the reason where there is none."""
    if not reply.ok or reply.text is None:
        return score_of(EXACT, reply, None, f"no reply: {reply.why}")
    return score_of(EXACT, reply, int(same_text(reply.text, truth, strip_whitespace)))


def scorer_prompt(
    template: str, texts: HeadedTexts, question: str | None, truth: str, text: str, answer: Reply | None = None
) -> str:
    """Return the prompt of a scorer on a text. `question`: None = it is not shown; `answer`: the reply that the text is of."""
    slots = {
        "question": "" if question is None else f"QUESTION: {texts.text('question', question, 'QUESTION')}\n\n",
        "truth": texts.text("truth", truth, "REFERENCE"),
        "answer": texts.text("answer", text, "ANSWER", answer),
    }
    return fill(template, slots)


def attacks_on_scorer(
    inputs: Inputs, benchmark: Benchmark | None, prompts: Mapping[str, str], frames: bool | None
) -> Attacks | None:
    """Attacks on the scorer, in the prompt in which it grades answers; None where its table names none."""
    attacks = inputs.attacks() if benchmark is not None and benchmark.attacks else []
    scorers, seed = inputs.asked.get("scorer", ()), inputs.run.seed

    def ask(sample: Sample, scorer: AskedModel, attack: Attack, text: str, about: str) -> Call:
        texts = HeadedTexts(JudgeFrames.of(frames, seed, attack.document))
        question = attack.question if benchmark is not None and benchmark.include_question else None
        user = scorer_prompt(prompts["scorer_user"], texts, question, attack.truth, text)
        return scorer.ask(sample, texts.frames.system(prompts["scorer_system"]), user, about=about, example="0")

    rubric, reminder = SCORERS[bool(frames)], prompts["scorer_reminder"]
    return Attacks(attacks, scorers, rubric, reminder, ask) if attacks and scorers else None
