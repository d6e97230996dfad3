"""Rubrics of a person's own: prompts whose front matter makes them metrics, with scale, direction, and what judges may see."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tui_eval.core.kinds import Metric
from tui_eval.reading.front_matter import FrontMatterError, Head, front_matter
from tui_eval.reading.prompts import missing_slots, unknown_slot

KEYS = ("metric", "low", "high", "better", "threshold", "sees")
SEES: Mapping[str, str] = {"document": "context", "target": "truth", "history": "history"}
"""By the slots that a rubric has only where its front matter lists them: the slots of shipped prompts that hold the same."""
ALWAYS = ("question", "answer")
"""The slots that every rubric may have; the last must be there."""
_FENCES = ("---", "+++")
_ASSIGNED = re.compile(r"^([a-z_]+)\s*=\s*")
_LISTED = re.compile(r"^([a-z_]+:\s*)\[([^\[\]]*)\]\s*$")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,6})?")
_MOST = 100
"""The highest mark that a scale may go to; as far as whole numbers are marked with any use."""


class RubricError(ValueError):
    """A problem of a rubric, as a sentence that names the key; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True, slots=True)
class OwnRubric:
    """Rubric of a person's own."""

    metric: Metric
    text: str
    """What is sent, with the slots that shipped prompts have: no front matter."""
    sees: tuple[str, ...]
    """What it lists of `SEES`."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that its text has, by the names that shipped prompts give them."""
        names = ("context", "history", "question", "truth", "answer")
        return tuple(name for name in names if "{" + name + "}" in self.text)

    @property
    def best(self) -> int:
        """The mark of the best answer."""
        return int(self.metric.high if self.metric.better == "higher" else self.metric.low)

    @property
    def worst(self) -> int:
        """The mark of the worst answer."""
        return int(self.metric.low if self.metric.better == "higher" else self.metric.high)


def is_rubric(text: str) -> bool:
    """Return whether a prompt's front matter says that it is a metric; a broken head that begins so is one, too."""
    head = _head_of(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    return any(line.startswith("metric:") for line in head)


def _head_of(lines: Sequence[str]) -> list[str]:
    """The lines of a head, without its fences, as simple keys: `key = value` and a list in brackets are read, too."""
    fence = lines[0].rstrip()
    if fence not in _FENCES:
        return []
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == fence), len(lines))
    pairs = (_ASSIGNED.sub(r"\1: ", line) for line in lines[1:end])
    return [_LISTED.sub(lambda found: found[1] + found[2].replace('"', "").replace("'", ""), line) for line in pairs]


def _in_simple_form(text: str) -> str:
    """A text with its head in the form of other front matter, line by line."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    head = _head_of(lines)
    closed = [_FENCES[0]] if len(head) + 1 < len(lines) else []
    return "\n".join([_FENCES[0], *head, *closed, *lines[len(head) + 2 :]]) if lines[0].rstrip() in _FENCES else text


def own_rubric(name: str, text: str) -> OwnRubric:
    """The rubric of a file. RubricError, with the line, for what a person has to mend."""
    try:
        head, body = front_matter(_in_simple_form(text))
    except FrontMatterError as error:
        raise RubricError(error.line, f"{error}; a rubric begins with ---, metric: true, ---") from None
    _check_keys(head)
    low, high = _whole(head, "low", 1), _whole(head, "high", 5)
    if not low < high:
        raise RubricError(_line(head, "high", "low"), f"high: {high} is not above low, {low}; give the scale's two ends")
    better = head.get("better", ("higher", 1))
    if better[0] not in ("higher", "lower"):
        raise RubricError(better[1], f"better: {better[0]!r} is neither; write `better: higher` or `better: lower`")
    direction: Literal["higher", "lower"] = "lower" if better[0] == "lower" else "higher"
    usual = (low + high) / 2 if high - low > 1 else high if direction == "higher" else low
    metric = Metric(name, low, high, direction, _threshold(head, low, high, usual))
    sees = _sees(head)
    _check_slots(text, body, sees)
    if unused := next((name for name in sees if "{" + name + "}" not in body), ""):
        problem = f"lists {unused}, and {{{unused}}} stands nowhere in the text; put it there, or leave {unused} out"
        raise RubricError(_line(head, "sees"), f"sees: {problem}")
    for slot, inner in SEES.items():
        body = body.replace("{" + slot + "}", "{" + inner + "}")
    rubric = OwnRubric(metric, body, sees)
    return rubric if '"score"' in body else OwnRubric(metric, f"{body}\n\n{_form_of(rubric)}", sees)


def _form_of(rubric: OwnRubric) -> str:
    """The form of the reply, for a rubric that does not say it."""
    low, high = int(rubric.metric.low), int(rubric.metric.high)
    return (
        f"The mark is a whole number from {low} to {high}; {rubric.best} is best. First the reason, in one or two sentences,"
        ' then the mark. Reply with JSON of this form: {"reason": "...", "score": n}'
    )


def _check_keys(head: Head) -> None:
    for key, (_, place) in head.items():
        if key not in KEYS:
            raise RubricError(place, f"{key}: is no key of a rubric; its keys are {', '.join(KEYS)}")
    value, line = head.get("metric", (None, 1))
    if value is not True:
        raise RubricError(line, "metric: is not true; write `metric: true`, or remove the front matter")


def _line(head: Head, *keys: str) -> int:
    return next((head[key][1] for key in keys if key in head), 1)


def _number(head: Head, key: str) -> float | None:
    value, line = head.get(key, (None, 1))
    if value is None:
        return None
    if not isinstance(value, str) or not _NUMBER.fullmatch(value) or float(value) > _MOST:
        raise RubricError(line, f"{key}: {value!r} is not a number from 0 to {_MOST}; write one, such as `{key}: 5`")
    return float(value)


def _whole(head: Head, key: str, default: int) -> int:
    number = _number(head, key)
    if number is None:
        return default
    if number != int(number):
        raise RubricError(_line(head, key), f"{key}: {number:g} is not a whole number; judges give whole numbers")
    return int(number)


def _threshold(head: Head, low: int, high: int, usual: float) -> float:
    number = _number(head, "threshold")
    if number is None:
        return usual
    if not low <= number <= high:
        raise RubricError(_line(head, "threshold"), f"threshold: {number:g} is not on the scale; write one of {low} to {high}")
    return number


def _sees(head: Head) -> tuple[str, ...]:
    value, line = head.get("sees", ("", 1))
    names = tuple(name.strip() for name in str(value).split(",") if name.strip()) if value is not True else ("true",)
    for name in names:
        if name not in SEES:
            raise RubricError(line, f"sees: {name!r} is none of {', '.join(SEES)}; list these, as in `sees: document, target`")
    return tuple(dict.fromkeys(names))


def _check_slots(text: str, body: str, sees: Collection[str]) -> None:
    """Raise RubricError for a text without {answer}, and for a slot that is unknown or not listed."""
    whole = text.replace("\r\n", "\n").rstrip()
    above = whole.count("\n") - body.count("\n")
    if not body:
        raise RubricError(above + 1, "has no text below its front matter; write what is to be judged")
    if missing_slots(body, ["answer"]):
        raise RubricError(above + 1, "has no {answer}: put it where the answer should stand")
    for number, line in enumerate(body.split("\n"), above + 1):
        for name in SEES:
            if "{" + name + "}" in line and name not in sees:
                listed = ", ".join([*sees, name])
                raise RubricError(number, f"sees: does not list {name}, and {{{name}}} stands here; write `sees: {listed}`")
        if problem := unknown_slot(line, (*ALWAYS, *SEES)):
            raise RubricError(number, problem.removeprefix("line 1 "))
