"""A model as a row of the list, and as the text below it; what the last check of it found out stands in both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from tui_eval.models.check_notes import Note
from tui_eval.models.listing import Advice, ModelEntry, sentences
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.widgets.cells import Cell, Column, Tone
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import moment, seconds

HIGHEST = 2**53
"""What is no smaller is no number that a check wrote down."""
SOON_DAYS = 90
"""How long before a model is switched off its end stands in its state."""
ADVICE = Advice(
    wire="e, field wire",
    where="e, field base_url",
    key="K stores it",
    no_key="e, field api_key_env",
    price="e, table price",
)
FORM_ADVICE = Advice(
    wire="field wire",
    where="field base_url",
    key="save it, then K in the list stores it",
    no_key="field api_key_env",
    price="table price, further down",
)
"""The same while the model is open, where letters are typed into its fields."""
COMMANDS = {"keys set": "K", "models enable": "space", "models edit": "e"}
"""What the words of a check or a mistake advise on the command line, and which key does it in the list of models."""
_COMMAND = re.compile(rf"tui-eval (?P<name>{'|'.join(COMMANDS)})\b")
STATES: Mapping[str, Tone] = {
    "available": "good",
    "disabled": "dim",
    "deprecated": "warn",
    "unavailable": "bad",
    "retired": "bad",
    "mistake": "bad",
}
LABELS = {"wire": "provider", "where": "asked at"}
ABILITIES = (("json_schema", "JSON schema"), ("images", "images"))


@dataclass(frozen=True, slots=True)
class CheckState:
    """State of the check of a model: the last finding, and whether the model is being asked now."""

    note: Note | None = None
    asking: bool = False


def holds(entry: ModelEntry, note: Note | None) -> bool:
    """Return whether a finding is about the model as it is on file now: one asked elsewhere tells nothing of it."""
    pairs = (("model", entry.model), ("wire", entry.wire), ("address", entry.where))
    return note is not None and all(note.get(key) in ("", None, ours) for key, ours in pairs)


def days_left(note: Note | None, today: date) -> int | None:
    """Days until a model is switched off; None where no check has told when."""
    try:
        return (date.fromisoformat(str(note["shutdown_date"])) - today).days if note and note.get("shutdown_date") else None
    except ValueError:
        return None


def simulated(entry: ModelEntry, note: Note | None) -> bool:
    """Return whether nothing of it is real: so says its interface, or the server that was asked."""
    return entry.simulated or (note is not None and note.get("simulated") is True)


def _state(entry: ModelEntry, note: Note | None, days: int | None) -> Cell:
    if entry.state == "available" and simulated(entry, note):
        return "simulated", "accent"
    if entry.state == "available" and days is not None and days <= SOON_DAYS:
        return (f"ends in {days} d", "warn") if days >= 0 else ("ended", "bad")
    return entry.state, STATES.get(entry.state, "warn")


def _key(entry: ModelEntry) -> Cell:
    if not entry.key:
        return "– none", "dim"
    marks: Mapping[bool | None, Cell] = {True: ("✓ found", "good"), False: ("✗ missing", "bad"), None: ("? unknown", "warn")}
    return marks[entry.key_is_set]


def outcome(checked: CheckState) -> Cell:
    """Return the outcome of the last check: the latency of its answer, or that there was none."""
    if checked.asking:
        return "asking …", "accent"
    if checked.note is None:
        return "–", "dim"
    if checked.note.get("problem"):
        return "✗ no", "bad"
    return f"✓ {seconds(_number(checked.note, 'latency_ms'))} s", "good"


def _end(note: Note | None, days: int | None) -> Cell:
    when = safe_line(_text(note, "shutdown_date"), 20)
    if days is None:
        return "-", "dim"
    return f"{when} {_in_days(days)}", "bad" if days < 0 else "warn" if days <= SOON_DAYS else ""


def _in_days(days: int) -> str:
    number = f"{abs(days):,} {'day' if abs(days) == 1 else 'days'}"
    return "today" if days == 0 else f"in {number}" if days > 0 else f"{number} ago"


@dataclass(frozen=True, slots=True)
class ModelListRow:
    """Row of the list: a model, where its check stands, and the day it is looked at."""

    entry: ModelEntry
    checked: CheckState
    today: date

    @property
    def days(self) -> int | None:
        """Days until it is switched off."""
        return days_left(self.checked.note, self.today)


def _provider(row: ModelListRow) -> Cell:
    wire = safe_line(row.entry.wire or "?", 40)
    return (f"✗ {wire}", "bad") if row.entry.wire_problem else wire


def _price(row: ModelListRow) -> Cell:
    price = row.entry.price
    return (f"{price.input:g} / {price.output:g}", "") if price else ("unknown", "dim")


def _input_price(row: ModelListRow) -> float | None:
    return row.entry.price.input if row.entry.price else None


def words_of(row: ModelListRow) -> str:
    """Return the words that a filter finds besides those of the columns."""
    return "simulated" if row.entry.simulated else ""


def _price_date(row: ModelListRow) -> Cell:
    price = row.entry.price
    return safe_line(price.date if price and price.date else "-", 20), "dim"


COLUMNS: Sequence[Column[ModelListRow]] = (
    Column("name", 10, lambda row: safe_line(row.entry.name, 200), share=3, middle=True),
    Column("provider", 9, _provider, share=1),
    Column("id", 12, lambda row: safe_line(row.entry.model or "-", 200), share=3, middle=True),
    Column("state", 11, lambda row: _state(row.entry, row.checked.note, row.days)),
    Column("key", 9, lambda row: _key(row.entry)),
    Column("$ in/out M", 12, _price, right=True, field="price", value=_input_price),
    Column("check", 9, lambda row: outcome(row.checked)),
    Column("ends", 24, lambda row: _end(row.checked.note, row.days), above=109),
    Column("price of", 10, _price_date, above=129),
    Column(
        "checked",
        11,
        lambda row: (moment(_text(row.checked.note, "checked_at")), "dim"),
        above=149,
        value=lambda row: _text(row.checked.note, "checked_at"),
    ),
)


# ------------------------------------------------------------------------------------------------------------ below the list


def details(entry: ModelEntry, checked: CheckState, today: date) -> list[Paragraph]:
    """A model in full: what a run would make of it, and what its last check found out."""
    text: list[Paragraph] = [(safe_line(" · ".join(filter(None, (entry.name, entry.model))), 300), "strong")]
    if entry.table is None:
        return [*text, (safe(entry.problem), "bad"), ("Enter opens the file where it stands", "dim")]
    if simulated(entry, checked.note):
        text.append(("simulated: nothing it says is real, and it costs nothing", "warn"))
    for topic, words in sentences(entry, ADVICE):
        text.append((f"{LABELS.get(topic, topic):<9} {safe_line(words, 400)}", _tone(entry, topic)))
    return [*text, *_findings(checked, today), *_settings(entry)]


def _tone(entry: ModelEntry, topic: str) -> Tone:
    wrong = {
        "wire": bool(entry.wire_problem),
        "where": entry.needs_address,
        "key": bool(entry.key) and entry.key_is_set is False,
        "price": False,
    }
    return "bad" if wrong[topic] else ""


def _findings(checked: CheckState, today: date) -> list[Paragraph]:
    note = checked.note
    if checked.asking:
        return [("check     asking it a few tiny questions …", "accent")]
    if note is None:
        return [("check     not checked yet as it is now: c asks it a few tiny questions", "dim")]
    when = moment(_text(note, "checked_at"))
    head = "check     " + ("" if when == "-" else f"{when}: ")
    notes = note.get("notes")
    advice = notes if isinstance(notes, list) else []
    advice_lines: list[Paragraph] = [(f"          {safe_line(with_keys(words), 400)}", "") for words in advice]
    if note.get("problem"):
        return [(f"{head}cannot answer: {safe_line(with_keys(note['problem']), 1000)}", "bad"), *advice_lines]
    lines = [(f"{head}answers in {seconds(_number(note, 'latency_ms'))} s; {abilities(note)}", ""), *advice_lines]
    days = days_left(note, today)
    if days is not None:
        words = f"ends      {safe_line(_text(note, 'shutdown_date'), 20)} ({_in_days(days)})"
        lines.append((words, "warn" if days <= SOON_DAYS else ""))
    return [(words, tone) for words, tone in lines]


def with_keys(words: object) -> str:
    """Advice of the command line with the keys that do the same on screen 1."""
    if "on screen 1" in str(words):
        return str(words)
    return _COMMAND.sub(lambda match: f"{COMMANDS[match['name']]} on screen 1, or {match[0]}", str(words))


def abilities(note: Note) -> str:
    """Describe a model's abilities as a finding tells them."""
    temperature = note.get("temperature")
    accepted = "accepted" if temperature is True else "refused" if temperature is False else None
    facts = [("token limit in", note.get("limit_field")), ("temperature", accepted)]
    facts += [(words, note.get(name)) for name, words in ABILITIES]
    facts += [("cost", note.get("cost")), ("served as", note.get("served_model"))]
    return ", ".join(f"{words} {safe_line(value, 80)}" for words, value in facts if value) or "no more was found out"


def _settings(entry: ModelEntry) -> list[Paragraph]:
    """Return the other settings of a model on file."""
    if entry.table is None:
        return []
    excluded = ("name", "wire", "model", "base_url", "api_key_env", "price", "enabled")
    settings = entry.table.model_dump(exclude_unset=True, exclude=set(excluded))
    words = ", ".join(f"{key} = {_setting(value)}" for key, value in settings.items() if value is not None)
    return [(f"settings  {safe_line(words, 400)}", "")] if words else []


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_setting(inner)}" for key, inner in value.items() if inner is not None) + "}"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _text(note: Note | None, key: str) -> str | None:
    value = note.get(key) if note is not None else None
    return value if isinstance(value, str) else None


def _number(note: Note, key: Literal["latency_ms"]) -> float | None:
    value = note.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < HIGHEST else None
