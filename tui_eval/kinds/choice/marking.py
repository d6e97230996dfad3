"""The score of a reply: the letter read from it, or why there is none, compared with the answer key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tui_eval.core.calls import Reply
from tui_eval.core.kinds import ReadingRules
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.choice_table import ChoiceConfig
from tui_eval.kinds.choice.option_orders import order
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sheets import LETTERS
from tui_eval.reading.letters import PATTERNS, VERSIONS, LetterReading, read_letter
from tui_eval.reading.letters.own import place_of, version_of

MODEL_FAILED = {"refused": "refusal", "truncated": "truncated", "empty": "empty"}
"""Ends of a call that are the model's own: a reply was received, and it is wrong. All others are missing."""


def rule_of(config: ChoiceConfig) -> str:
    """The rule that reads letters, with its version; two lists of patterns are two rules, of the version of their fallback."""
    if config.extraction != PATTERNS:
        return f"{config.extraction}/{VERSIONS[config.extraction]}"
    own = version_of(config.patterns, config.patterns_fallback)
    return f"{PATTERNS}-{own}/{VERSIONS.get(config.patterns_fallback, '1')}"


def score_of(task: ChoiceTask, sample: Sample, reply: Reply, option_order: Sequence[int]) -> Score:
    """1 or 0 for a reply, 0 with the reason where no letter can be read from it, None where there is no reply."""
    rule = rule_of(task.config)
    call = reply.call
    if not reply.ok and reply.why not in MODEL_FAILED:
        return Score(call.stage, call.model, call.call_index, "correct", None, f"no reply: {reply.why}", rule)
    reading = _read(task, sample, reply, option_order)
    if reading.letter is None:
        return Score(call.stage, call.model, call.call_index, "correct", 0, reading.reason, rule, None, reading.pattern)
    option = option_order[LETTERS.index(reading.letter)]
    return Score(
        call.stage, call.model, call.call_index, "correct", int(option == sample.answer), reading.note, rule, LETTERS[option],
        reading.pattern,
    )  # fmt: skip


def _read(task: ChoiceTask, sample: Sample, reply: Reply, option_order: Sequence[int]) -> LetterReading:
    """The letter as it was shown. Of an imported answer that was cut, the letter that the import names."""
    config = task.config
    if not reply.ok:
        return LetterReading(None, "failed", MODEL_FAILED[reply.why])
    imported = task.imported.get((sample.doc_id, sample.queue))
    if imported is not None and imported.stands_as_named:
        return LetterReading(imported.letter, imported.pattern or "imported", "" if imported.letter else "no_letter")
    own = (tuple(config.patterns), config.patterns_fallback) if config.extraction == PATTERNS else ((), "none")
    options = tuple(sample.options[i] for i in option_order)
    return _letter(reply.text, options, config.extraction, *own, _FINISHED.get(reply.finish_reason or ""))


_FINISHED = {"length": False, "stop": True}
"""Whether a reply came to its end, by why the server says that it ended; imports and some servers do not say."""


@lru_cache(maxsize=256)
def _letter(
    text: str | None, options: tuple[str, ...], rule: str, patterns: tuple[str, ...], fallback: str, finished: bool | None
) -> LetterReading:
    """Read the letter of a reply; models often reply to a question in the very same words."""
    return read_letter(text, len(options), options, rule, patterns, fallback, finished)


_OWN = re.compile(r"patterns\[(\d+)\]")


def place(task: ChoiceTask, row: SampleResult, score: Score) -> tuple[int, int] | None:
    """Return where a pattern of one's own found the letter, which is the one that was shown; the shipped rules do not say."""
    number = _OWN.fullmatch(score.pattern)
    if number is None or score.read is None:
        return None
    letter = LETTERS[order(task, row.sample, score.call_index).index(LETTERS.index(score.read))]
    key = (score.stage, score.model, score.call_index)
    texts = (r.text for r in row.replies if (r.call.stage, r.call.model, r.call.call_index) == key)
    return place_of(next(texts, None) or "", letter, task.config.patterns[int(number[1])])


RULES = ReadingRules(
    key="extraction",
    shipped={
        "robust": "as a careful reader; none where in doubt",
        "formationeval-v0.1": "as its code does, misreadings included",
    },
    own=PATTERNS,
    patterns="patterns",
    fallback="patterns_fallback",
    place=place,
)
