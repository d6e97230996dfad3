"""A call that is to be sent again as rows and texts: what it is, what was changed, and how both replies ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tui_eval.core.calls import Json, Message
from tui_eval.core.text_differences import changed_lines
from tui_eval.reporting.resend import Original, Parameters, Record, ResendPreview
from tui_eval.runs.log.columns import MISSING, cost_of
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.log.record_text import reply_sections
from tui_eval.tui.states import attempt_status
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.widgets.lines import Piece
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.widgets.titled_text import differing_lines
from tui_eval.tui.words import count, seconds, usd

AS_SENT: Cell = ("as it was sent", "dim")
SAME = "the same, word for word"


class PartRow(NamedTuple):
    """Row of what is sent: a part of the call, its value, and what became of it."""

    name: str
    value: str
    change: Cell


COLUMNS: Sequence[Column[PartRow]] = (
    Column("", 11, lambda row: row.name),
    Column("value", 24, lambda row: row.value, share=3),
    Column("against the original", 20, lambda row: row.change, share=1),
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that can be changed: its name among the parameters, and what a person should know of it."""

    name: str
    title: str
    help: str
    read: Callable[[str], Json]
    """What was typed, as a value; ValueError says what is wrong with it."""

    def wrong(self, text: str) -> str:
        """Return the problem of a typed value; "" if there is none."""
        try:
            self.read(text)
        except ValueError as error:
            return str(error)
        return ""


def _number(text: str, least: float, most: float) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"must be a number, not {text.strip()!r}") from None
    if not least <= value <= most:
        raise ValueError(f"must be from {least:g} to {most:g}")
    return value


def _tokens(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isascii() or not text.strip().isdigit() or not 0 < int(text) <= 10_000_000:
        raise ValueError(f"must be a whole number above 0, not {text.strip()!r}")
    return int(text)


def _time(text: str) -> float:
    value = _number(text, 0.001, 86_400)
    if value is None:
        raise ValueError("give a number of seconds")
    return value


PARAMETERS = (
    Parameter(
        "temperature",
        "temperature",
        "How freely the model chooses its words, 0 to 2. Empty = none is sent.",
        lambda text: _number(text, 0, 2),
    ),
    Parameter("max_output_tokens", "token limit", "The longest reply, in tokens. Empty = the server's own limit.", _tokens),
    Parameter(
        "reasoning_effort",
        "effort",
        "How long it thinks before it answers: low, medium, high. Empty = not sent.",
        lambda text: text.strip() or None,
    ),
    Parameter("timeout_s", "time limit", "How long the attempt may take, in seconds.", _time),
)
SEED_HELP = "The model is sent a seed made from the run's seed and the call: in another run it is another one."
MODEL_HELP = "Enter chooses another: the run's own models, and those on file."


def parameter_rows(original: Original, parameters: Parameters) -> list[PartRow]:
    """The model and the parameters, each with what became of it."""
    table = original.models[parameters.model]
    model = safe_line(parameters.model, 60) + f"  ({safe_line(table.wire or 'guessed', 20)}, {safe_line(table.model, 60)})"
    before = original.parameters
    rows = [PartRow("model", model, _was(before.model, parameters.model))]
    for parameter in PARAMETERS:
        value, was = getattr(parameters, parameter.name), getattr(before, parameter.name)
        rows.append(PartRow(parameter.title, _value(parameter, value), _was(_value(parameter, was), _value(parameter, value))))
    return rows


def message_rows(original: Original, messages: Sequence[Message]) -> list[PartRow]:
    """Every message, with how many of its lines were changed."""
    return [_message_row(before, after) for before, after in zip(original.call.messages, messages, strict=True)]


def _message_row(before: Message, after: Message) -> PartRow:
    prefix = f"[{len(after.attachments)} attached] " if after.attachments else ""
    n = changed_lines(before.content, after.content)
    change: Cell = (f"● {count(n)} {'line' if n == 1 else 'lines'} changed", "accent") if n else AS_SENT
    return PartRow(after.role, prefix + safe_line(after.content, 300), change)


def _value(parameter: Parameter, value: Json) -> str:
    if value is None:
        return "not sent" if parameter.name != "max_output_tokens" else "none sent"
    unit = {"timeout_s": " s", "max_output_tokens": " tokens"}.get(parameter.name, "")
    return f"{safe_line(f'{value:g}' if isinstance(value, float) else value, 40)}{unit}"


def _was(before: str, after: str) -> Cell:
    return AS_SENT if before == after else (f"● was {safe_line(before, 40)}", "accent")


def reply_title(name: str, record: Record | None) -> list[Piece]:
    """Describe how a reply ended, in one line: model, status, seconds, tokens, cost."""
    if record is None:
        return [(name, "accent")]
    name = f"{name}, {safe_line(record['model'], 24)}"
    tokens = record["usage"].get("completion_tokens")
    cost = cost_of(record)
    paid = "cached" if record["cached"] else "cost -" if cost == MISSING else usd(cost)
    simulated: list[Piece] = [("  simulated", "warn")] if record["simulated"] else []
    has_n = isinstance(tokens, int)
    figures = (
        f"  {seconds(record['latency_ms'])} s  {count(tokens) if has_n else '-'} {'token' if tokens == 1 else 'tokens'}  {paid}"
    )
    return [(name + "  ", "accent"), attempt_status(record["status"], record["error_kind"]), figures, *simulated]


def reply_text(record: Mapping[str, Any] | None, waiting: str) -> list[Paragraph]:
    """A reply, or why there is none."""
    return [(waiting, "dim")] if record is None else [(each.text, each.tone) for each in reply_sections(record, whole=True)]


def differences(
    original: Original, messages: Sequence[Message], reply: Record | None, since_changed: bool = False
) -> list[Paragraph]:
    """Return the changes of the messages, and the difference of the reply; - before, + now.

    `since_changed`: the call was changed once more after it was sent.
    """
    paragraphs: list[Paragraph] = []
    for before, after in zip(original.call.messages, messages, strict=True):
        if before.content != after.content:
            paragraphs += [(f"{after.role} message", "strong"), *differing_lines(before.content, after.content, SAME), ("", "")]
    if not paragraphs:
        paragraphs += [("the messages are as they were sent", "dim"), ("", "")]
    paragraphs.append(("reply" + (", to what was sent last, before your later changes" if since_changed else ""), "strong"))
    if reply is None:
        return [*paragraphs, ("not sent yet; s sends it", "dim")]
    before_text, after_text = original.record["response_text"], reply["response_text"]
    if not isinstance(before_text, str) or not isinstance(after_text, str):
        return [*paragraphs, ("one of them has no text; Replies says why", "warn")]
    return [*paragraphs, *differing_lines(before_text, after_text, SAME)]


def most(look: ResendPreview) -> str:
    """The most that sending it can cost."""
    is_bounded = look.max_cost_usd is not None
    return f"at most {usd(look.max_cost_usd)}" if is_bounded else "cost unbounded: no price, or no token limit"


def cost(look: ResendPreview | None, again: bool) -> list[Piece]:
    """Describe what sending it would mean, in a line; None: that is being found out. `again`: it was sent before."""
    if look is None:
        return [("checking …", "dim")]
    if look.problem:
        return [(f"✗ {safe_line(look.problem, 300)}", "bad")]
    simulated: list[Piece] = [(" (simulated)", "warn")] if look.simulated else []
    how = "; s sends it again" if again else "; s sends it, as a run of its own"
    warnings: list[Piece] = [(f"  {safe_line(look.warnings[0], 120)}", "warn")] if look.warnings else []
    return ["1 call, ", most(look), *simulated, (how, "dim"), *warnings]
