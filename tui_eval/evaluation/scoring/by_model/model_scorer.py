"""Scores by models: each answer shown to one beside what is right, which says 1 or 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_uppercase

from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import Part, ask_twice
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.judging.judge_frames import JudgeFrames, marks_held
from tui_eval.evaluation.judging.judge_panel import Rubric, why_unmarked
from tui_eval.evaluation.scorers import Scorers
from tui_eval.evaluation.scoring.by_model.llm_rule import LLM, LlmRow
from tui_eval.evaluation.scoring.rule import Outcome
from tui_eval.evaluation.scoring.sample_scorers import Marks
from tui_eval.evaluation.scoring.scoring import score_from, settled
from tui_eval.evaluation.targets import TargetedAnswer
from tui_eval.reading.grades import zero_or_one

NOT_SHOWN = "(not shown)"


def marks_by_models(scorers: Scorers, sample: Sample, answers: Sequence[TargetedAnswer]) -> Part[Marks]:
    """Return the models' scores of a sample's answers, each asked about alone and reminded once where it cannot be read; all at
    once. An answer in which nothing is left to compare is settled without a call."""
    scores: dict[tuple[int, str], Score] = {}
    pending: list[tuple[tuple[int, str], LlmRow, Reply, Call]] = []
    for place, answer, row in _rows(scorers, answers):
        text = settled(LLM, row, answer.reply, answer.expected, scorers.fence)
        key = (place, row.metric_name)
        if isinstance(text, Outcome):
            scores[key] = score_from(LLM, row, answer.reply, text)
        else:
            pending.append((key, row, answer.reply, _call(scorers, sample, row, place, answer, text)))
    calls = [call for *_, call in pending]
    results = yield from ask_twice(calls, [zero_or_one] * len(calls), scorers.prompts["llm_reminder"])
    for (key, row, reply, _), (value, verdict) in zip(pending, results, strict=True):
        rubric = Rubric(row.metric_name, LLM.version_of(row), zero_or_one, judge="scorer")
        outcome = Outcome(None, why_unmarked(rubric, verdict)) if value is None else Outcome(float(value))
        scores[key] = score_from(LLM, row, reply, outcome)
    return scores


def _rows(scorers: Scorers, answers: Iterable[TargetedAnswer]) -> Iterator[tuple[int, TargetedAnswer, LlmRow]]:
    """Each answer that there is, with each scorer that asks a model about it."""
    for place, answer in enumerate(answers):
        for row in (scorers.rows if answer.scorers is None else answer.scorers) if not answer.why else ():
            if isinstance(row, LlmRow):
                yield place, answer, row


def _call(scorers: Scorers, sample: Sample, row: LlmRow, place: int, answer: TargetedAnswer, text: str) -> Call:
    """One answer beside what is right, in frames that neither can forge."""
    question = sample.question if answer.question is None else answer.question
    truth, call = truth_of(answer.expected), answer.reply.call
    slots = {
        "question": _with_options(question, answer.expected) if row.include_question else NOT_SHOWN,
        "truth": truth,
        "answer": text,
    }
    frames = JudgeFrames.of(True, scorers.seed, f"{question}\n{truth}")
    judged = frames.prompt(scorers.prompts["llm_user"], slots)
    about = f"{row.metric_name} {call.stage}:{call.model}#{call.call_index}"
    return row.asked().ask(
        sample,
        frames.system(scorers.prompts["llm_system"]),
        judged.text,
        place,
        about=about,
        follows=(answer.reply,),
        example="1",
        holds_marks=marks_held(judged.held, slots, {"answer": (call.model, f"{call.stage} {call.call_index}")}),
    )


def truth_of(expected: Expected) -> str:
    """Return the truth as shown to a scorer model: of several right answers each on a line; of options the right one with its
    letter."""
    targets = expected.targets or ()
    if expected.options and expected.answer is not None:
        return f"{ascii_uppercase[expected.answer]}. {expected.options[expected.answer]}"
    if len(targets) < 2:
        return "".join(targets)
    return "Any of these is right:\n" + "\n".join(f"- {each}" for each in targets)


def _with_options(question: str, expected: Expected) -> str:
    """A question with the options under it, as they were shown."""
    listed = [f"{letter}. {option}" for letter, option in zip(ascii_uppercase, expected.options, strict=False)]
    return "\n".join([question, *listed])
