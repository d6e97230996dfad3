"""Words and amounts that keep real and simulated models apart."""

from __future__ import annotations

from tui_eval.core.money import MadeUp, told_apart
from tui_eval.runs.entry import RunEntry
from tui_eval.tui.words import usd


def pretended(made_up: MadeUp) -> str:
    """Return the label of a run that is simulated, in a word or two; empty where all of it is real."""
    return {"nothing": "", "some": "partly simulated", "all": "simulated"}[made_up]


def spent(entry: RunEntry) -> str:
    """Return the cost of a run; real and simulated apart where it is partly simulated."""
    whole = usd(entry.charged_usd, entry.unknown_cost)
    if entry.made_up != "some" or _nothing_known(entry.charged_usd, entry.unknown_cost):
        return whole
    return told_apart(whole, usd(entry.real_usd, entry.unknown_cost), usd(entry.charged_simulated_usd), "some")


def spent_in_short(entry: RunEntry) -> str:
    """The same for a column of a list."""
    if entry.made_up == "some" and not _nothing_known(entry.charged_usd, entry.unknown_cost):
        return f"{_known_amount(entry.real_usd, entry.unknown_cost)} + {usd(entry.charged_simulated_usd)} sim"
    return _known_amount(entry.charged_usd, entry.unknown_cost) + (" sim" if entry.simulated else "")


def _known_amount(charged: float | None, unknown: int) -> str:
    """Return the known part of an amount, and whether there is more."""
    return "unknown" if _nothing_known(charged, unknown) else usd(charged) + ("+" if unknown else "")


def _nothing_known(charged: float | None, unknown: int) -> bool:
    return bool(unknown) and not charged
