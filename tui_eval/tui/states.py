"""States of runs and attempts, each with a sign of its own, so that no state is told by colour alone."""

from __future__ import annotations

from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell, Tone

RUN_SIGNS: dict[str, tuple[str, Tone]] = {
    "starting": ("◔", "accent"),
    "running": ("▶", "accent"),
    "paused": ("‖", "warn"),
    "stopping": ("◼", "warn"),
    "reporting": ("▶", "accent"),
    "done": ("✓", "good"),
    "incomplete": ("!", "warn"),
    "stopped": ("◼", "warn"),
    "aborted": ("✗", "bad"),
    "interrupted": ("✗", "bad"),
    "prepared": ("○", "dim"),
}
ATTEMPT_SIGNS: dict[str, tuple[str, Tone]] = {
    "ok": ("✓ ok", "good"),
    "error": ("✗ error", "bad"),
    "timeout": ("◔ timeout", "bad"),
    "skipped_budget": ("– skipped", "warn"),
    "not_sent": ("– not sent", "dim"),
    "damaged": ("? damaged", "warn"),
}

FAILED_AGAIN = "The same, and ask again what failed or could not be read"
"""What the key does that resumes with what failed."""


def run_state(state: str) -> Cell:
    """A run's state with its sign."""
    sign, tone = RUN_SIGNS.get(state, ("?", "warn"))
    return f"{sign} {state}", tone


def attempt_status(status: str, error_kind: str | None) -> tuple[str, Tone]:
    """An attempt's status with its sign; what was never sent is told apart from what failed."""
    if status == "error" and error_kind and error_kind != "not_sent":
        return f"✗ {safe_line(error_kind, 20)}", "bad"
    return ATTEMPT_SIGNS.get("not_sent" if error_kind == "not_sent" else status, (f"? {status}", "warn"))
