"""The forecast of a run in three lines below its form: calls, tokens and cost; by stage; whether it can start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tui_eval.configuring.drafting.planner import DraftPlan
from tui_eval.core.input_sources import InputFile
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.lines import Piece
from tui_eval.tui.words import count, size, usd

BESIDES = (
    (" calls more where replies cannot be read", " of them below the cap"),
    (" calls more", " of them below the cap"),
    (" calls more", " below the cap"),
    (" more", " under cap"),
)
"""What is said of calls that may come besides, and of those of them that the cap allows: in full, and shorter."""


def totals(look: DraftPlan, settled: bool) -> list[Piece]:
    """Calls and cost, each against its cap; `settled`: whether this is what the form holds now."""
    plan = look.plan
    if plan is None:
        why = "not known until the mistakes are mended" if settled else "being counted"
        return [("- calls  cost -", "dim"), (f"  ({why})", "dim")]
    calls = plan["total_calls"]
    over = look.max_calls is not None and calls > look.max_calls
    cap = "" if look.max_calls is None else f" of at most {count(look.max_calls)}"
    pieces: list[Piece] = [(f"{count(calls)} calls", "bad" if over else "strong"), (cap, "bad" if over else "")]
    return [*pieces, *_cost(look, plan)]


def sizes(look: DraftPlan, room: int) -> list[Piece]:
    """Samples, tokens, and how many calls there may be besides, in so many words as fit into `room` columns."""
    plan = look.plan
    if plan is None:
        return []
    tokens = (
        f"{count(plan['items'])} samples  ~{count(plan['prompt_tokens'])} tokens in, {count(plan['completion_tokens'])} out"
    )
    more = plan["up_to_more"]
    if not more:
        return [tokens]
    spare = more if look.max_calls is None else max(look.max_calls - plan["total_calls"], 0)
    ways = [(f"  up to {count(more)}{words}", f", {count(spare)}{cap}" * (spare < more)) for words, cap in BESIDES]
    words, below = next((way for way in ways if len(tokens + "".join(way)) <= room), ways[-1])
    return [tokens, (words, "dim"), (below, "warn")]


def _cost(look: DraftPlan, plan: Mapping[str, Any]) -> list[Piece]:
    cost, most = plan["cost_usd"], plan["max_cost_usd"]
    over = None not in (cost, look.max_cost_usd) and cost > look.max_cost_usd
    words = "  cost unknown (a price is missing)" if cost is None else f"  ~{usd(cost)}"
    worst = "" if most is None else f", at worst {usd(most)}"
    cap = "" if look.max_cost_usd is None else f" of at most {usd(look.max_cost_usd)}"
    pieces: list[Piece] = [(words + cap, "bad" if over else "warn" if cost is None else ""), (worst, "dim")]
    return [*pieces, ("  simulated" if look.simulated else "", "warn")]


def by_stage(look: DraftPlan) -> list[Piece]:
    """Calls by stage, each with its models."""
    if look.plan is None:
        return []
    calls: Counter[str] = Counter()
    models: dict[str, list[str]] = {}
    for stage in look.plan["stages"]:
        calls[stage["stage"]] += stage["calls"]
        models.setdefault(stage["stage"], []).append(str(stage["model"]))
    parts = [f"{safe_line(name)} {count(n)} ({_few(models[name])})" for name, n in calls.items()]
    return [("  ".join(parts), "dim")]


def files_words(files: Sequence[InputFile], most: int = 6) -> str:
    """Describe how large the files of a key are, one by one and together. Foreign text."""
    sizes = " · ".join(f"{safe_line(file.name, 30)} {size(file.size)}" for file in files[:most])
    more = f" and {len(files) - most} more" if len(files) > most else ""
    whole = f"{len(files)} files, {size(sum(file.size for file in files))}: " if len(files) > 1 else ""
    return f"{whole}{sizes}{more}"


def _few(names: Sequence[str], most: int = 3) -> str:
    text = ", ".join(safe_line(name, 24) for name in names[:most])
    return text + (f" and {len(names) - most} more" if len(names) > most else "")


STARTS_ONCE_COUNTED = "starts as soon as it is counted; Esc takes it back"


def verdict(look: DraftPlan | None, settled: bool, starts: bool) -> list[Piece]:
    """Say whether it can start, or the first reason why it cannot and how many others there are; `starts`: once counted."""
    if look is None or not settled:
        return [("… counting", "dim"), (f"; {STARTS_ONCE_COUNTED}" if starts else "", "accent")]
    if look.ready:
        note: list[Piece] = [(f"  note: {safe_line(look.notes[0], 300)}", "warn")] if look.notes else []
        return [("✓ ready: F5 starts it", "good"), *note]
    more = f"  (and {len(look.problems) - 1} more)" if len(look.problems) > 1 else ""
    return [("✗ cannot start: ", "bad"), (safe_line(first_reason(look), 400), "bad"), (more, "dim")]


def first_reason(look: DraftPlan) -> str:
    """The first reason why it cannot start, with the key that it is about; there must be one. Foreign text."""
    first = look.problems[0]
    where = f"{place_words(first.place)}: " if first.place and not first.words.startswith(place_words(first.place)) else ""
    return where + first.words


def place_words(place: Sequence[str | int]) -> str:
    """A place as a person reads it: panel.doers 1 model."""
    text = ""
    for part in place:
        text += f" {part + 1}" if isinstance(part, int) else ("." if text else "") + part
    return text
