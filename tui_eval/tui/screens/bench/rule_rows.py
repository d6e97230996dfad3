"""Changes by a tried rule, as rows: models with their accuracy before and after, and the answers that are read otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell, Column, Tone, blank
from tui_eval.tui.widgets.lines import Piece
from tui_eval.tui.words import count, share

WIDE = 100
"""Columns from which there is room for the names of the rules."""
Entry = Mapping[str, Any]
"""A model, or an answer, under both rules, as the command says it."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Report of tui-eval rescore --dry-run --json. Texts are foreign and as they came."""

    compared: int
    unfinished: int
    simulated: bool
    rules: tuple[str, str]
    """Versions before and after."""
    models: Sequence[Mapping[str, Any]]
    """Those with the most changes first, by the metric that the rules decide; scorers beside it read in their own way."""
    changes: Sequence[Mapping[str, Any]]
    unread: Sequence[Mapping[str, Any]]


def tried_of(text: str) -> Tried:
    """The command's data. ValueError, KeyError or TypeError where it is none."""
    report = json.loads(text)
    before, after = (", ".join(map(str, report[name])) for name in ("rules_before", "rules_after"))
    models = [model for model in report["models"] if model["score"] == report["models"][0]["score"]]
    return Tried(
        report["compared"], report["unfinished"], bool(report["simulated"]), (before, after),
        sorted(models, key=lambda model: -model["changed"]), report["changes"], report["unread"],
    )  # fmt: skip


def _points(model: Entry) -> Cell:
    """Say by how many points accuracy moves."""
    before, after = model["before"]["value"], model["after"]["value"]
    gained = None if None in (before, after) else 100 * (after - before)
    tone: Tone = "" if not gained else "good" if gained > 0 else "bad"
    return "-" if gained is None else f"{gained:+.1f}" if abs(gained) >= 0.05 else "0.0", tone


def _n(model: Entry) -> Cell:
    before, after = model["before"]["n"], model["after"]["n"]
    return count(after) if before == after else f"{count(before)}→{count(after)}"


MODELS: Sequence[Column[Entry]] = (
    Column("model", 10, lambda model: (safe_line(model["model"], 80), "strong"), share=1, middle=True),
    Column("before", 7, lambda model: share(model["before"]["value"]), right=True),
    Column("95 % interval", 13, lambda model: (_interval(model["before"]), "dim"), above=99),
    Column("after", 7, lambda model: share(model["after"]["value"]), right=True),
    Column("95 % interval", 13, lambda model: (_interval(model["after"]), "dim"), above=99),
    Column("points", 6, _points, right=True),
    Column("n", 5, _n, right=True),
    Column("of those read", 13, lambda model: _of(model["read_before"]), right=True),
    Column("after", 13, lambda model: _of(model["read_after"]), right=True),
    Column("changed", 7, lambda model: count(model["changed"]), right=True, above=99),
    Column("", 1, blank, share=2),
)
"""The columns of accuracies under both rules, of all replies and of those that were read."""


def _letters(entry: Entry) -> str:
    return f"{letter(entry['before'])} → {letter(entry['after'])}"


def _scores(entry: Entry) -> Cell:
    before, after = entry["before"], entry["after"]
    return f"{sign(before)} → {sign(after)}", change_tone(before, after)


def _patterns(entry: Entry) -> str:
    before, after = by(entry["before"]), by(entry["after"])
    return f"{before} → {after}" if before != after else after


ANSWERS: Sequence[Column[Entry]] = (
    Column("model", 9, lambda entry: safe_line(entry["model"], 80), share=1, middle=True),
    Column(
        "question", 14, lambda entry: (safe_line(entry["question_id"] or entry["item_id"], 120), "dim"), share=2, middle=True
    ),
    Column("read", 5, _letters),
    Column("score", 5, _scores),
    Column("right answer", 12, lambda entry: safe_line(entry["truth"], 200), share=2),
    Column("read by, or why not", 22, _patterns, share=2),
)
"""The columns of the answers under both rules."""


def change_tone(before: Mapping[str, Any], after: Mapping[str, Any]) -> Tone:
    """Good where an answer is right now, bad where it no longer is."""
    if before["value"] == after["value"]:
        return ""
    return "good" if after["value"] else "bad"


def letter(read: Mapping[str, Any]) -> str:
    """Return the letter that was read; a dash for nothing."""
    return "–" if read["read"] is None else safe_line(read["read"], 20)


def sign(read: Mapping[str, Any]) -> str:
    """Right, wrong, or no value."""
    return "–" if read["value"] is None else "✓" if read["value"] == 1 else "✗" if read["value"] == 0 else f"{read['value']:g}"


def by(read: Mapping[str, Any]) -> str:
    """The pattern that found it, or why nothing was found."""
    return safe_line((read["pattern"] if read["read"] is not None else read["why"]) or "-", 60)


def _of(score: Mapping[str, Any]) -> str:
    return "-" if score["value"] is None else f"{share(score['value'])} of {count(score['n'])}"


def _interval(score: Mapping[str, Any]) -> str:
    low, high = score["low"], score["high"]
    return "-" if low is None or high is None else f"{100 * low:.1f} – {100 * high:.1f}"


def sums(tried: Tried, own: bool, width: int) -> list[Piece]:
    """Sum up a trial in a line. `own`: the rule is that of the run itself."""
    unread = count(len(tried.unread))
    if own:
        words, rest = f"{count(tried.compared)} answers by the run's own rule", f"; it reads nothing in {unread}"
    else:
        words = f"{count(len(tried.changes))} of {count(tried.compared)} answers are read otherwise"
        rest = f"; neither rule reads {unread}"
    unfinished: Piece = (f"; {count(tried.unfinished)} samples are unfinished" if tried.unfinished else "", "warn")
    rules = "   " + safe_line(" → ".join(dict.fromkeys(tried.rules))) if width >= WIDE else ""
    return [(words, "strong"), rest, unfinished, (rules, "dim")]
