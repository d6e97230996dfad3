"""A rubric tried on one reply: the messages that a judge is sent, and the mark in what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from tui_eval.configuring.prompt_files import rubric_name_problem
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.judging.judge_frames import JudgeFrames
from tui_eval.kinds import KINDS
from tui_eval.reading.front_matter.rubrics import ALWAYS, SEES, OwnRubric, RubricError, own_rubric
from tui_eval.reading.marks import mark_reading
from tui_eval.results.sums.metrics import passes
from tui_eval.workspace.places import Workspace, read_prompt
from tui_eval.workspace.validation import nearest

_SLOTS = (*(name for name in ALWAYS if name != "answer"), *SEES)


@dataclass(frozen=True, slots=True)
class RubricTrial:
    """A rubric with the reply that it is tried on."""

    rubric: OwnRubric
    messages: tuple[dict[str, Json], ...]

    def verdict(self, reply: str | None) -> dict[str, Json]:
        """Return what a judge's reply comes to: the mark, or why there is none."""
        metric = self.rubric.metric
        reading = mark_reading(reply, metric.low, metric.high)
        mark = reading.value
        return {
            "metric": metric.name, "score": mark, "low": metric.low, "high": metric.high, "better": metric.better,
            "threshold": metric.threshold, "passed": None if mark is None else passes(metric, mark), "why": reading.why,
        }  # fmt: skip

    def in_words(self, reply: str | None) -> str:
        """The same as a line."""
        verdict, metric = self.verdict(reply), self.rubric.metric
        if verdict["score"] is None:
            return f"{metric.name}: no score: {verdict['why']}"
        end = "from" if metric.better == "higher" else "up to"
        passed = "passes" if verdict["passed"] else "does not pass"
        scale = f"{metric.low:g} to {metric.high:g}; {metric.better} is better; an answer passes {end} {metric.threshold:g}"
        return f"{metric.name}: {verdict['score']:g}, which {passed} ({scale})"


def rubric_trial(workspace: Workspace, path: Path, answer: str, words: Sequence[str]) -> RubricTrial:
    """The rubric of a file with a reply in it. `words`: NAME=TEXT for its other slots. ConfigError for what is missing."""
    text = read_prompt(path)
    try:
        rubric = own_rubric(path.stem, text)
    except RubricError as error:
        raise ConfigError(f"--rubric {path}:{error.line}: {error}") from None
    _check_for_kind(path, text)
    texts = _slot_texts(words)
    inner = {SEES.get(name, name): value for name, value in texts.items()}
    names = {slot: name for name, slot in SEES.items()}
    lacking = [names.get(slot, slot) for slot in rubric.slots if slot != "answer" and slot not in inner]
    if lacking:
        wanted = " ".join(f'--slot {name}="..."' for name in lacking)
        raise ConfigError(f"--rubric {path}: has {', '.join(f'{{{name}}}' for name in lacking)}; give the text: {wanted}")
    shown = {**inner, "answer": answer}
    frames = JudgeFrames.of(True, 0, inner.get("context", ""))
    judged = frames.prompt(rubric.text, {slot: shown[slot] for slot in rubric.slots})
    system, _ = workspace.prompt("chat", "judge_system")
    turns = (("system", frames.system(system)), ("user", judged.text.strip()))
    return RubricTrial(rubric, tuple({"role": role, "content": content} for role, content in turns))


def _check_for_kind(path: Path, text: str) -> None:
    """ConfigError for a rubric in a folder prompts/KIND/ that a run of the kind would not take."""
    folder = path.absolute().parent
    form = KINDS[folder.name].rubrics if folder.parent.name == "prompts" and folder.name in KINDS else None
    if form is None:
        return
    if problem := rubric_name_problem(folder.name, path.stem):
        raise ConfigError(f"--rubric {path}: {problem}")
    form.rubric(path.stem, text, f"--rubric {path}")


def _slot_texts(words: Sequence[str]) -> Mapping[str, str]:
    texts = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or name not in _SLOTS:
            problem = f"is no slot{nearest(name, _SLOTS)}" if separator else "has no text"
            example = name if name in _SLOTS else next(iter(get_close_matches(name, _SLOTS, 1)), _SLOTS[0])
            raise ConfigError(f'--slot {name}: {problem}; write --slot {example}="..." or --slot {example}=@FILE')
        texts[name] = read_prompt(Path(value[1:])) if value.startswith("@") else value
    return texts
