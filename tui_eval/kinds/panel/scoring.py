"""The scorer of a panel: what it is told of an answer and the truth, by which rule it is read, and attacks on it."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.calls import Call, Reply
from tui_eval.core.samples import Sample
from tui_eval.kinds.panel.judged_texts import JudgedTexts
from tui_eval.kinds.panel.panel_table import Config
from tui_eval.kinds.shared.asked_models import AskedModel
from tui_eval.kinds.shared.judge_attacks import Attack, Attacks
from tui_eval.kinds.shared.judge_frames import JudgeFrames, prompt_version
from tui_eval.kinds.shared.judging import Rubric
from tui_eval.reading.grades import zero_or_one
from tui_eval.reading.prompts import fill

SCORERS = {frames: Rubric("correct", prompt_version("llm", frames), zero_or_one, judge="scorer") for frames in (False, True)}
"""Rules by which a scorer's replies are read, by whether texts stand in frames: 1 is right, 0 is wrong."""


def scorer_prompt(config: Config, texts: JudgedTexts, question: str, truth: str, text: str, answer: Reply | None) -> str:
    """What a scorer is asked about a text. `answer`: the reply that it is of."""
    shown = config.benchmark is not None and config.benchmark.include_question
    slots = {
        "question": f"QUESTION: {texts.text('question', question, 'QUESTION')}\n\n" if shown else "",
        "truth": texts.text("truth", truth, "REFERENCE"),
        "answer": texts.text("answer", text, "ANSWER", answer),
    }
    return fill(config.prompts["scorer_user"], slots)


def attacks_on(attacks: Sequence[Attack], scorers: Sequence[AskedModel], config: Config, seed: int) -> Attacks:
    """Attacks on the scorer, in the prompt in which it grades answers."""

    def ask(sample: Sample, scorer: AskedModel, attack: Attack, text: str, about: str) -> Call:
        texts = JudgedTexts(JudgeFrames.of(config.frames, seed, attack.document))
        user = scorer_prompt(config, texts, attack.question, attack.truth, text, None)
        return scorer.ask(sample, texts.system(config.prompts["scorer_system"]), user, about=about, example="0")

    return Attacks(attacks, scorers, SCORERS[bool(config.frames)], config.prompts["scorer_reminder"], ask)
