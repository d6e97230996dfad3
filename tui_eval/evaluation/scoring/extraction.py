"""The part of a reply that is scored: all of it, its last line, what stands behind a mark, in a box, at a path of its JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tui_eval.core.calls import Json
from tui_eval.datasets.shapes.target_values import as_text
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.safe_patterns import last_match, pattern_problem
from tui_eval.reading.json_paths import NOWHERE, at_path, path_problem
from tui_eval.reading.json_replies import read_json
from tui_eval.workspace.validation import nearest

How = Literal["whole", "last_line", "boxed", "after", "regex", "json"]
_ALONE = ("whole", "last_line", "boxed")
_WITH_DETAIL = ("after", "regex", "json")
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Extract:
    """One way to take the answer out of a reply."""

    how: How = "whole"
    detail: str = ""
    """The mark, the pattern or the path."""

    def __str__(self) -> str:
        return f"{self.how} {self.detail!r}" if self.detail else self.how


WHOLE = Extract()


@dataclass(frozen=True, slots=True)
class Extraction:
    """Text extracted from a reply, or the reason for none."""

    text: str | None
    why: str = ""
    is_fault: bool = False
    """Whether a limit was hit, so that nobody knows what the reply holds."""


def extract_of(setting: Any) -> Extract:
    """The way that a config names, checked; ValueError says what else could stand there."""
    if isinstance(setting, Extract):
        return setting
    if isinstance(setting, str):
        if setting in _ALONE:
            return Extract(setting)  # type: ignore[arg-type]  # it is one of them
        if setting in _WITH_DETAIL:
            raise ValueError(f'{setting!r} needs its detail: write {{ {setting} = "..." }}')
        raise ValueError(f"{setting!r} is not a way to extract{nearest(setting, get_args(How))}")
    if not isinstance(setting, dict) or len(setting) != 1:
        raise ValueError('write one of "whole", "last_line", "boxed", or a table with one of the keys after, regex, json')
    ((how, detail),) = setting.items()
    if how not in _WITH_DETAIL:
        raise ValueError(f"unknown key {how!r}{nearest(str(how), _WITH_DETAIL)}")
    if not isinstance(detail, str) or not detail:
        raise ValueError(f"{how} must be a text that is not empty")
    problem = pattern_problem(detail) if how == "regex" else path_problem(detail) if how == "json" else ""
    if problem:
        raise ValueError(f"{how} {problem}")
    return Extract(how, detail)


def extract_written(extract: Extract) -> Json:
    """A way as a config writes it."""
    return {extract.how: extract.detail} if extract.detail else extract.how


def extracted(extract: Extract, text: str, fence: Fence) -> Extraction:
    """Return the part of a reply's text, thinking already taken out, that is to be scored."""
    match extract.how:
        case "whole":
            return Extraction(text)
        case "last_line":
            last = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), None)
            return Extraction(last, "no line found")
        case "boxed":
            return Extraction(last_boxed(text), "no \\boxed{} found")
        case "after":
            return Extraction(_behind(text, extract.detail), f"no {extract.detail!r} found")
        case "regex":
            return _by_pattern(extract.detail, text, fence)
        case "json":
            return _by_path(extract.detail, text)


def last_boxed(text: str) -> str | None:
    """Return the content of the last `\\boxed{}` whose braces balance; None where there is none."""
    for opening in reversed(list(_BOX.finditer(text))[-50:]):
        depth = 1
        for brace in _BRACES.finditer(text, opening.end()):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                return text[opening.end() : brace.start()].strip()
    return None


def _behind(text: str, mark: str) -> str | None:
    """Return the text behind the last place of a mark, case aside: to the end of its line; where that is empty, to the end."""
    places = [*re.finditer(re.escape(mark), text, re.IGNORECASE)]
    if not places:
        return None
    rest = text[places[-1].end() :]
    return rest.split("\n", 1)[0].strip() or rest.strip()


def _by_pattern(pattern: str, text: str, fence: Fence) -> Extraction:
    match = last_match(pattern, text, fence)
    if match.fault:
        return Extraction(None, match.fault, is_fault=True)
    return Extraction(None if match.span is None else text[slice(*match.span)], "the pattern matches nothing")


def _by_path(path: str, text: str) -> Extraction:
    reading = read_json(text)
    if reading.step is None:
        return Extraction(None, f"no JSON found: {reading.reason}")
    value = at_path(reading.value, path)
    return Extraction(None if value is NOWHERE else as_text(value), f"nothing at {path} found")
