"""One answer under another rule for letters: the reply, the place where a pattern found its letter, what each rule reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tui_eval.core.errors import FolderError
from tui_eval.reading.letters.own import HEAD, TAIL, searched_text
from tui_eval.results.stored_samples import StoredReply, StoredSample, parse_sample
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.reader import lines
from tui_eval.tui.page import beside
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.bench.rule import ReadingRule
from tui_eval.tui.screens.bench.rule_rows import by, change_tone, letter, sign
from tui_eval.tui.screens.bench.stepped import SteppedPage
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count

BEFORE_MARK, AFTER_MARK = "»»", "««"
AROUND_PLACE = 600
"""Characters that are shown on either side of the place."""
_PATTERN = re.compile(r"patterns\[(\d+)\]")


class AnswerScreen(SteppedPage):
    """An answer opened from the bench."""

    def __init__(self, path: Path, entries: Sequence[Mapping[str, Any]], place: int, rule: ReadingRule) -> None:
        """`entries`: the list that it is opened from; `rule`: the one that they were read by."""
        super().__init__(len(entries), place)
        self._path, self._entries, self._rule = path, entries, rule

    def show_entry(self) -> None:
        """Look for the answer."""
        entry = self._entries[self.place]
        old, new = entry["before"], entry["after"]
        self.query_one("#about", Lines).say(
            (f"{letter(old)} → {letter(new)}  {sign(old)} → {sign(new)}  ", change_tone(old, new)),
            f"{count(self.place + 1)} of {count(self.n)}  ",
            (f"{safe_line(entry['model'], 40)}  {safe_line(entry['question_id'], 60)}", "strong"),
        )
        beside(self, partial(self._text_of, entry), self.show_text, group="item", keys_wait=False)

    def _text_of(self, entry: Mapping[str, Any]) -> list[Paragraph]:
        return answer_text(entry, item_in(self._path, str(entry["item_id"])), self._rule)


def item_in(path: Path, item_id: str) -> StoredSample | None:
    """A sample of a run by its id; None where results.jsonl does not have it."""
    start = b'{"item_id": ' + json.dumps(item_id).encode() + b","
    try:
        return next((parse_sample(line) for _, line in lines(path / RESULTS) if line.startswith(start)), None)
    except FolderError:
        return None


def answer_text(entry: Mapping[str, Any], item: StoredSample | None, rule: ReadingRule) -> list[Paragraph]:
    """Return the paragraphs of an answer: the reading by each rule, the place, the reply, the question."""
    paragraphs: list[Paragraph] = [("What each rule reads", "accent")]
    paragraphs += [_reading("the run's rule", entry["before"]), _reading("the tried rule", entry["after"])]
    paragraphs += [_reading(safe_line(name, 40), read) for name, read in entry["others"].items()]
    paragraphs += [(f"right answer: {safe_line(entry['truth'], 400)}", ""), ("", "")]
    answer = None if item is None else _answer(entry, item)
    if item is None or answer is None:
        return [*paragraphs, ("The reply stands in the log alone so far: results.jsonl does not have it yet.", "warn")]
    paragraphs += _place(entry, answer, rule)
    paragraphs += [("The reply in full", "accent"), (safe((answer.text or "-")[:LONGEST_TEXT]), ""), ("", "")]
    return [*paragraphs, ("Question", "accent"), (safe(item.question), "")]


def _reading(name: str, read: Mapping[str, Any]) -> Paragraph:
    verdict = {"✓": "✓ right", "✗": "✗ wrong", "–": "– no reply"}.get(sign(read), sign(read))
    how = f"by {by(read)}" if read["read"] is not None else f"nothing: {by(read)}"
    return f"{name:<20} {letter(read)}  {verdict}  {how}", "good" if read["value"] else ""


def _answer(entry: Mapping[str, Any], item: StoredSample) -> StoredReply | None:
    key = (entry["stage"], entry["model"], entry["call_index"])
    return next((answer for answer in item.answers if (answer.stage, answer.model, answer.call_index) == key), None)


def _place(entry: Mapping[str, Any], answer: StoredReply, rule: ReadingRule) -> list[Paragraph]:
    """Return the place where a pattern of one's own found the letter; the shipped rules do not say where they read it."""
    number, place = _PATTERN.fullmatch(entry["after"]["pattern"] or ""), entry["place"]
    text = searched_text(answer.text or "")
    if number is None or int(number[1]) >= len(rule.patterns) or place is None or text is None:
        return []
    pattern, (start, end) = rule.patterns[int(number[1])], place
    before, after = text[max(start - AROUND_PLACE, 0) : start], text[end : end + AROUND_PLACE]
    marked = f"{before}{BEFORE_MARK}{text[start:end]}{AFTER_MARK}{after}"
    title = f"Where {number[0]} found it, without thinking and mark-up"
    title += f" (the first {count(HEAD)} and the last {count(TAIL)} characters)" if len(text) > HEAD + TAIL else ""
    return [(title, "accent"), (safe_line(pattern), "dim"), (safe(marked), ""), ("", "")]
