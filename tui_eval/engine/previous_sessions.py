"""Previous sessions of a run: the attempts and the money in its log, and calls that were in flight when one broke off."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tui_eval.configuring.log_pass import LogPass
from tui_eval.core.money import four_decimals
from tui_eval.engine.calling import PREFLIGHT
from tui_eval.engine.progress import EarlierCalls
from tui_eval.evaluation.calls import AGAIN
from tui_eval.results.report_head import REPORT
from tui_eval.runs.folder import LOG
from tui_eval.runs.ledger import Ledger
from tui_eval.runs.reader import Recorded, RunReader


@dataclass(slots=True)
class EarlierLives:
    """Contents of a log from earlier lives, as far as it was read."""

    log: LogPass
    taken: frozenset[str] = frozenset()
    """Stages whose replies are those of an earlier run: no planned calls."""
    begun: int = 0
    """Planned calls of which an attempt was made."""
    ledger: Ledger = field(default_factory=Ledger)
    """Attempts and money used."""

    @property
    def recorded(self) -> Recorded | None:
        """The replies; None for a run that has not begun."""
        return self.log.recorded if self.log.upto else None

    def read_on(self) -> None:
        """Read what was added to the log since, every line once and to its end."""
        self.log.read_on(self._count, to_the_end=True)
        self.ledger = deepcopy(self.log.ledger)
        reader = RunReader(self.log.path)
        self.ledger.begin(reader.intents(self.ledger.has_ended), reader.grants())

    def _count(self, head: Mapping[str, Any]) -> None:
        planned = head["stage"] != PREFLIGHT and head["stage"] not in self.taken and not head["about"].endswith(AGAIN)
        self.begun += planned and (head["cached"] or (head["attempt"] == 0 and head["started_at"] is not None))


def earlier_lives(
    path: Path, repeats: int = 1, read_before: EarlierLives | None = None, taken: frozenset[str] = frozenset()
) -> EarlierLives:
    """Read what a run folder's log holds. `read_before`: what was read of it before the folder was held; `taken`: as in
    EarlierLives."""
    whole = read_before is not None and read_before.log.path == path and 0 < read_before.log.upto <= (path / LOG).stat().st_size
    life = read_before if read_before is not None and whole else EarlierLives(LogPass(path, repeats), taken)
    life.read_on()
    return life


def settled_before(log: LogPass, reopen_failed: bool) -> dict[EarlierCalls, int]:
    """Count the calls that a log settled, by model and how they ended; `reopen_failed`: but those that are asked again."""
    stays = ("ok",) if reopen_failed else ("ok", "no_text", "error", "timeout")
    return {EarlierCalls(*call): n for call, n in log.settled.items() if call[1] in stays}


def in_doubt_line(ledger: Ledger, stored: bool = False) -> str:
    """Say what became of the calls that were in flight when an earlier life broke off.

    `stored`: whether workers may have their replies, and are not asked for them.
    """
    cost_usd, unknown = ledger.in_doubt_usd, ledger.in_doubt_unknown
    bound = "at a cost that is not known" if cost_usd is None else f"at most {four_decimals(cost_usd)}, charged to the budget"
    if cost_usd is not None and unknown:
        bound += f", and {unknown} at a cost that is not known"
    names = ", ".join(intent["attempt_id"] for intent in ledger.in_doubt[:5])
    more = ", ..." if len(ledger.in_doubt) > 5 else ""
    up_to = "up to " if ledger.granted else ""
    how = ". Workers may have stored their replies: resume --cluster ... takes these in" if stored and ledger.granted else ""
    return (
        f"{up_to}{len(ledger.in_doubt)} calls were in flight when the run was interrupted. They may have been answered and "
        f"billed ({bound}), and are asked again: {names}{more}{how}"
    )


def newly_in_doubt(ledger: Ledger, path: Path) -> Ledger:
    """Return the same without calls that the run's report tells already: a session knew of them, and asked them again."""
    if not ledger.in_doubt:
        return ledger
    report = RunReader(path).json(REPORT)
    told = set(report.get("in_doubt", ())) if isinstance(report, dict) else set()
    return replace(ledger, in_doubt=[intent for intent in ledger.in_doubt if intent["attempt_id"] not in told])
