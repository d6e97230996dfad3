"""What a person is shown who marks an answer blind: question, truth, answer, what the marks mean; never who answered."""

from __future__ import annotations

import re
from pathlib import Path

from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Metric
from tui_eval.results.answers import Answer, StoredSample
from tui_eval.results.asked_turns import AskedTurn
from tui_eval.results.person_sample import HIGHEST, LOWEST
from tui_eval.results.sums.in_words import decimal
from tui_eval.results.sums.judge_in_words import agreement_words, person_words
from tui_eval.results.sums.person_checks import PersonCheck
from tui_eval.runs.opening import whole
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count

PROMPTS = ("inputs", "prompts")
"""The folder of a run with the prompts that it was made with."""
LONGEST_PROMPT = 1 << 20
_SLOT = re.compile(r" ?\{[a-z_]+\}")
_ENDS = [re.compile(rf"^\W*{mark}\b", re.MULTILINE) for mark in (LOWEST, HIGHEST)]
"""Lines of a prompt that say what the ends of the scale mean."""
UNANSWERABLE = "The document does not hold the answer to this question."


def definition(run: Path, metric: str) -> str:
    """What the judge was told of a metric: the parts of its prompt that explain the marks. Safe text; may be empty."""
    if Path(metric).name != metric:
        return ""
    try:
        text = (whole(run.joinpath(*PROMPTS, f"{metric}.md"), LONGEST_PROMPT) or b"").decode("utf-8", "replace")
    except FolderError:
        return ""
    parts = [part.strip() for part in re.split(r"\n\s*\n", text.replace("\r", ""))]
    told = [part for part in parts if all(end.search(part) for end in _ENDS)]
    return safe(_SLOT.sub("", "\n\n".join(told)))


def question_text(sample: StoredSample, answer: Answer, asked: AskedTurn | None, meaning: str) -> list[Paragraph]:
    """An answer that is to be marked, with all that one needs for it. Safe text."""
    question = sample.question if asked is None else asked.turn.question
    truth = sample.truth if asked is None else asked.turn.ground_truth
    lines: list[Paragraph] = [("Question", "accent"), (_text(question), "")]
    if asked is not None and not asked.turn.answerable:
        lines.append((UNANSWERABLE, "warn"))
    lines += [
        ("", ""),
        ("Ground truth", "accent"),
        (_text(truth), ""),
        ("", ""),
        ("Answer", "accent"),
        (_text(answer.text), ""),
    ]
    if meaning:
        lines += [("", ""), ("What the marks mean", "accent"), (meaning, "")]
    before = () if asked is None else asked.before
    said = {other.call_index: other for other in sample.kept() if other.model == answer.model}
    if before:
        lines += [("", ""), ("What was said before", "accent")]
    for place, turn in enumerate(before):
        earlier = said.get(place)
        lines += [(_text(turn.question), "strong"), (_text(earlier.text if earlier else turn.ground_truth), "")]
    return lines


def agreement_text(check: PersonCheck, metric: Metric, run_id: str) -> list[Paragraph]:
    """How far judge and person agree, once all is marked."""
    found = check.agreement
    lines: list[Paragraph] = [
        (f"All {count(check.shown)} answers of the sample are marked. Thank you.", "strong"),
        ("", ""),
        (f"Judge and person, {safe_line(metric.name, 40)}", "accent"),
        (agreement_words(found, check.interval), ""),
    ]
    if found.mean_absolute is not None:
        lines.append((f"mean distance of the two marks: {decimal(found.mean_absolute, 2)}", ""))
    if check.cannot_tell:
        lines.append((f"{count(check.cannot_tell)} you could not tell of: they count as no mark", ""))
    lines += [("", ""), (person_words(check), "")]
    again = f"tui-eval rescore {safe_line(run_id)}"
    kept = f"The marks are kept in the run folder. C counts them into its tables, as does {again}."
    return [*lines, ("", ""), (kept, "strong")]


def _text(text: str | None) -> str:
    return safe((text or "-")[:LONGEST_TEXT])
