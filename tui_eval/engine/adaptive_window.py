"""Limit on the calls one endpoint may have in flight, learnt from those it refuses (HTTP 429); driven by given times."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

from tui_eval.engine.call_sizes import CallSizes

GROUP = 20
"""The fewest calls that are judged together; more where more are in flight."""
FEW = 0.05
"""A share of refusals that is borne: a server that is full is asked for about this much too much."""
GROWTH, SMALL = 0.004, 6.0
"""What one accepted call adds to the window, as a share of it; above SMALL calls in flight less, so that time counts."""
CALM, STEP, FASTEST = 24, 8.0, 9.0
"""After CALM accepted calls without excess growth quickens, by once the usual for every STEP calls."""
UNDERCUT, DEEPEST = 0.97, 0.25
"""After an excess: a little less than what got through, and never less than a fourth of what was."""
SLACK = 1.2
"""Calls begin at most this much faster than the window and the latency say, so that quick refusals bring no hail."""
FELL, HOPELESS = 0.7, 0.7
"""Refusals have another cause than the pace where with the window what got through fell to FELL; not where nearly all
are refused."""
FELL_FAR, ALL = 0.3, 0.85
"""Up to a share of ALL have, too, where what got through fell to FELL_FAR."""
BASE_S = 60.0
"""How long a share of refusals is believed to have another cause."""
ROW = 5
"""Refusals, and nothing else, over two latencies: the endpoint is closed."""
FIRST_PROBE_S, LONGEST_PROBE_S = 0.5, 3.0
"""A closed endpoint is asked with one call, after a wait that doubles."""
EPOCH_S, LONGEST_EPOCH_S, HOLD, ABOVE = 30.0, 120.0, 0.9, 1.15
"""What got through from one opening to the next, if that took EPOCH_S and is less than the window, is the pace for HOLD of as
long again, and nothing quickens for as long after an excess: the server counts by the minute."""
SLOWEST_S = 8.0
"""The longest time between two calls that is ever learnt."""


@dataclass(slots=True)
class CallGroup:
    """Calls that are judged together."""

    window: float
    """The window when its first call began."""
    begun: int = 0
    refused: int = 0
    ended: int = 0
    until: float = math.inf
    """When the next group began."""


class AdaptiveWindow:
    """A window of calls in flight that follows the share of refusals, whatever limit the server keeps: rate or number.

    Accepted calls widen it by degrees; a group of calls of which more than FEW were refused sets it to what got through. Where
    that helps nothing, since the refusals have another cause, the window comes back and the share is borne for BASE_S.
    Where a server refuses large calls and accepts small ones (`engine/call_sizes`), a call waits by its tokens, and the pace is
    the cause. Refusals alone close the endpoint until a single call gets through. Other failures change nothing. Times are
    seconds of any clock that does not go back.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.window = float(most)
        self.in_flight = 0
        self.closed_until: float | None = None
        """When a closed endpoint may be asked again; None while it is open."""
        self._latency, self._known = 1.0, False
        self._held: list[float] = []
        """Until when calls that were refused quickly keep their places: as long as an answer takes."""
        self._begun_at = self._held_still_until = -math.inf
        self._gap = 0.0
        """Time from the last beginning to the next one of a usual call."""
        self._sizes = CallSizes()
        self._opened = math.inf
        self._accepted = self._calm = self._row = 0
        self.probes = 0
        """How often a closed endpoint refused the call it was asked with; 0 while it is open."""
        self._row_from = math.inf
        self._base = self._base_until = self._epoch = 0.0
        self._excess_at = -math.inf
        self._trial: tuple[float, float] | None = None
        """Window and share of refusals from which on it was made smaller."""
        self._group, self._judged_next = CallGroup(self.window), None  # type: CallGroup, CallGroup | None
        self._probe: CallGroup | None = None

    def opens_at(self, now: float, tokens: float = 1.0) -> float:
        """When a call of about so many tokens may begin, `now` or later; infinite while that takes the end of another call."""
        if self.closed_until is not None:
            return math.inf if self._probe else max(now, self.closed_until)
        del self._held[: bisect.bisect_right(self._held, now)]
        places = max(1, int(self.window + 0.5))
        if self.in_flight >= places:
            return math.inf
        free = self._held[0] if self.in_flight + len(self._held) >= places else now
        return max(now, self._begun_at + self._gap * self._sizes.share_of_usual(tokens), free)

    def begin(self, now: float, tokens: float = 1.0) -> CallGroup:
        """A call begins, and belongs to the group that is returned."""
        self.in_flight += 1
        self._sizes.begun.add(tokens)
        if self.closed_until is not None:
            self._probe = CallGroup(self.window)
            return self._probe
        self._opened = min(self._opened, now)
        if not self._known:
            self._latency = max(1.0, (now - self._opened) / 3)
        if self._group.begun >= max(GROUP, self.window) and self._judged_next is None:
            self._group.until = now
            self._judged_next, self._group = self._group, CallGroup(self.window)
        self._group.begun += 1
        pace = self.window * (SLACK if self.window >= 2 else 1.0)
        self._begun_at, self._gap = now, self._latency / pace if self.window < self.most else 0.0
        return self._group

    def is_probe(self, group: CallGroup) -> bool:
        """Return whether this is the single call that a closed endpoint is asked with."""
        return group is self._probe

    def withdraw(self, now: float, group: CallGroup) -> None:
        """A call that had begun was not sent after all."""
        self.in_flight -= 1
        group.begun -= 1
        self._gap = 0.0
        if self.is_probe(group):
            self._probe = None

    def ended(self, now: float, group: CallGroup) -> None:
        """A call failed in a way that says nothing of limits."""
        self.in_flight -= 1
        group.ended += 1
        if group is self._probe:
            self._reopen(now)
        self._judge_when_known(now)

    def accepted(self, now: float, group: CallGroup, began: float, tokens: float = 1.0) -> None:
        """A call that was sent at `began` was answered."""
        self._sizes.accepted.add(tokens)
        self._accepted += 1
        self._latency += (now - began - self._latency) * (0.05 if self._known else 1.0)
        self._known = True
        if began >= self._row_from:
            self._row_from = math.inf
        if group is not self._probe and self.closed_until is None and now >= self._held_still_until:
            self._grow(now)
        self.ended(now, group)

    def refused(self, now: float, group: CallGroup, began: float, wait_s: float | None, tokens: float = 1.0) -> None:
        """A call that was sent at `began` was refused; `wait_s`: what the server asks to wait, if it does."""
        self._sizes.refused.add(tokens)
        if group is self._probe:
            self.in_flight -= 1
            self.probes, self._probe = self.probes + 1, None
            self._close(now, wait_s)
            return
        group.refused += 1
        if group.refused > self._borne(group):
            self._calm, self._excess_at = 0, now
        if began + self._latency > now:
            bisect.insort(self._held, began + self._latency)
        if self._row_from == math.inf:
            self._row_from, self._row = now, 0
        elif began >= self._row_from:
            self._row += 1
        if self.closed_until is None and self._row >= self._row_needed and now >= self._row_from + 2 * self._latency:
            self._calm, self._excess_at, self.probes = 0, now, 0
            self._close(now, wait_s)
        self.ended(now, group)

    def close_until(self, moment: float) -> None:
        """Close the endpoint, or keep it closed, up to a moment: somebody else who asks it found it closed."""
        if self._probe is None and (self.closed_until is None or self.closed_until < moment):
            self.closed_until = moment

    @property
    def _row_needed(self) -> int:
        """The refusals in a row that say that the endpoint is closed: more where many are refused anyway."""
        return max(ROW, math.ceil(9 / -math.log(self._base))) if self._base else ROW

    def _share_borne(self, calls: float) -> float:
        return self._base + max(FEW, 3 * math.sqrt(self._base * (1 - self._base) / calls))

    def _borne(self, group: CallGroup) -> float:
        calls = max(GROUP, group.window, group.begun)
        return calls * self._share_borne(calls)

    def _grow(self, now: float) -> None:
        groups = [self._group] + ([self._judged_next] if self._judged_next else [])
        if any(group.refused > self._borne(group) for group in groups):
            return
        self._calm += 1
        quick = min(max(self._calm - CALM, 0) / STEP, FASTEST) if now >= self._excess_at + self._epoch else 0.0
        self.window = min(self.most, self.window * (1 + GROWTH * min(1, SMALL / self.window) * (1 + quick)))

    def _judge_when_known(self, now: float) -> None:
        group = self._judged_next
        if group and self.closed_until is None and (group.ended >= group.begun or now > group.until + 2 * self._latency):
            self._judged_next = None
            self._judge(now, group)

    def _judge(self, now: float, group: CallGroup) -> None:
        """Cut the window to what got through where too much was refused; or learn that the pace is not the cause."""
        share = group.refused / max(group.begun, 1)
        if now > self._base_until:
            self._base = 0.0
        if share <= self._share_borne(max(group.begun, 1)):
            self._trial = None
            return
        self._calm, self._base = 0, 0.0
        high = max(group.window, (group.window + self.window) / 2)
        through, trial = high * (1 - share), self._trial
        if trial and self._has_other_cause(share, through, trial):
            self._base, self._base_until = min(share, trial[1]), now + BASE_S
            self.window, self._trial = trial[0], None
        else:
            self._trial = (high, share) if trial is None or trial[1] >= HOPELESS else trial
            self.window = max(min(self.window, UNDERCUT * through), self.window * DEEPEST, self._least)
        self._group = CallGroup(self.window)

    def _has_other_cause(self, share: float, through: float, trial: tuple[float, float]) -> bool:
        """Return whether the share of refusals stayed though much less gets through, and is not that of large calls."""
        window, before = trial
        most = max(share, before)
        fell = through / (window * (1 - before)) if before < 1 else 1.0
        is_smaller = (fell <= FELL and most < HOPELESS) or (fell <= FELL_FAR and most < ALL)
        return is_smaller and share >= before / 2 and not self._sizes.decide

    @property
    def _least(self) -> float:
        return min(self._latency / SLOWEST_S, 1.0)

    def _close(self, now: float, wait_s: float | None) -> None:
        self.closed_until = now + max(wait_s or 0.0, min(FIRST_PROBE_S * 2**self.probes, LONGEST_PROBE_S))

    def _reopen(self, now: float) -> None:
        """A single call got through: go on at the pace of all the time since the last opening, or at half the window."""
        took = now - self._opened
        sustained = ABOVE * self._accepted / took * self._latency
        if not self._base and took < max(EPOCH_S, 8 * self._latency):
            self.window = max(self.window / 2, self._least)
        elif not self._base and sustained < self.window:
            self.window = max(sustained, self._least)
            self._epoch = min(took, LONGEST_EPOCH_S)
            self._held_still_until = now + HOLD * self._epoch
        self.closed_until = self._probe = self._judged_next = None
        self.probes = 0
        self._opened, self._gap, self._accepted, self._row_from = now, 0.0, 0, math.inf
        self._held, self._group = [], CallGroup(self.window)
