"""One run as a list shows it, read from a folder that may be anybody's: whatever lies in it, no field is of another type."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tui_eval.core.money import MICRO, MadeUp
from tui_eval.core.plaintext import one_line
from tui_eval.runs.folder import CONFIG, LOG, MANIFEST, PROGRESS, holder, reported_of
from tui_eval.runs.opening import content_of, table
from tui_eval.runs.worker_entry import WorkerEntry
from tui_eval.workspace.toml_files import toml_of

UNDER_WAY = ("running", "paused", "stopping", "starting", "reporting")
"""States that only a live process can be in."""

NEARLY_DONE = 0.99
"""The most of a run that is done while calls are in flight: some take calls beyond their plan."""
MOST_MODELS = 1000
MOST_FAILURES = 50
MOST_WORKERS = 2000
LONGEST_TEXT = 1000
_HIGHEST = 2**53
_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_RUN_TABLE = re.compile(r"^\[run\]\n(?:(?!\[).*\n)*", re.MULTILINE)
_CAP = re.compile(r"^(?:max_calls|max_cost_usd) = .*$", re.MULTILINE)
ASKING = ("running", "paused", "stopping")
"""States in which attempts are added to the log."""
_COUNTED = ("ok", "no_text", "error", "timeout", "skipped", "not_sent", "unknown_cost", "planned", "extra")
Tally = dict[str, int | float | None]
Look = tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run as a list shows it. Texts are safe to print; whatever the folder does not say, or says wrongly, is None."""

    path: Path
    run_id: str
    """The folder's name."""
    name: str | None
    kind: str | None
    state: str
    """As the engine writes it; besides: prepared (no attempts yet), interrupted (its process is gone)."""
    live: bool
    """Whether a process holds it right now."""
    simulated: bool | None
    done: int | None
    """Ended attempts, those that were never sent included."""
    planned: int | None
    ok: int | None
    no_text: int
    """Replies that were refused, empty, or cut before any text; 0 where a run of an older version counts them as errors."""
    error: int | None
    timeout: int | None
    skipped: int | None
    not_sent: int | None
    items_done: int | None
    items: int | None
    charged_usd: float | None
    unknown_cost: int
    """Attempts whose cost is not known, which `charged_usd` lacks."""
    charged_simulated_usd: float | None
    """How much of `charged_usd` nobody was paid; None where a run of an older version does not say."""
    max_cost_usd: float | None
    calls_used: int | None
    max_calls: int | None
    in_flight: int | None
    limit: int | None
    limit_reason: str | None
    why: str | None
    eta_s: float | None
    heartbeat: str | None
    """When its process last wrote where it stands, UTC."""
    started_at: str | None
    models: dict[str, Tally]
    """By model: ok, no_text, error, timeout, skipped, not_sent, cost_usd, unknown_cost, planned, simulated."""
    failures: tuple[dict[str, str | int | None], ...]
    """The most frequent reasons of failures: model, message, n."""
    reported: float | None = None
    """How much of its reports is written, as a share of 1, while they are."""
    extra: int = 0
    """How many of the calls that ended no plan has, such as reminders; 0 where a run of an older version does not say."""
    in_flight_extra: int = 0
    """How many of those in flight."""
    log_bytes: int | None = None
    """The part of the log that the counts are of; None where it is not known, as of a run whose process is gone."""
    results_bytes: int | None = None
    """Of results.jsonl the part that `items_done` is of."""
    worked_s: float | None = None
    """How long its processes worked, up to the heartbeat; what it was stopped is not in it. None where an older one ran."""

    workers: tuple[WorkerEntry, ...] = ()
    """The workers that ask for it right now, those that were lost included; none where it asks by itself."""

    @property
    def made_up(self) -> MadeUp:
        """Extent of what is simulated; all, where a run of an older version only says that some is."""
        if not self.simulated:
            return "nothing"
        flags = [tally.get("simulated") for tally in self.models.values()]
        return "some" if 0 in flags and 1 in flags else "all"

    @property
    def real_usd(self) -> float | None:
        """Real part of `charged_usd`, which somebody was paid."""
        return None if self.charged_usd is None else max(self.charged_usd - (self.charged_simulated_usd or 0.0), 0.0)

    @property
    def answered(self) -> int | None:
        """Calls that ended with an answer or a failure: what was never sent is not among them."""
        if self.done is None or self.skipped is None or self.not_sent is None:
            return None
        return max(self.done - self.skipped - self.not_sent, 0)

    @property
    def unasked(self) -> int | None:
        """Planned calls still to be asked: with those that ended, were left out, or are in flight they are all of them."""
        if self.of_plan is None or self.skipped is None or self.planned is None:
            return self.not_sent
        if self.part == 1.0:
            return self.not_sent
        under_way = (self.in_flight or 0) - self.in_flight_extra
        return max(self.planned - self.of_plan - self.skipped - under_way, 0)

    @property
    def of_plan(self) -> int | None:
        """Those of the calls answered that the plan has."""
        return None if self.answered is None else self.answered - self.extra

    @property
    def follows_log(self) -> bool:
        """Return whether the log should be read just as far as the counts go: it is added to, and they are written anew."""
        return self.live and self.state in ASKING and self.log_bytes is not None

    @property
    def part(self) -> float | None:
        """Share of it that is done, of 1: all, where it ended with nothing left to ask, however few calls it took."""
        if self.of_plan is None or not self.planned:
            return None
        if self.state == "done" and not self.skipped and not self.not_sent:
            return 1.0
        most = NEARLY_DONE if self.live and self.in_flight else 1.0
        return min(self.of_plan / self.planned, most)


def look(path: Path) -> Look:
    """The manifest, the last progress and the live process of a run; empty tables and None where there are none."""
    progress, alive = table(path / PROGRESS), live_process(path)
    if alive is None and progress.get("state") in UNDER_WAY:
        progress = table(path / PROGRESS)  # it may have ended since: its last progress is on file before it lets go
    return table(path / MANIFEST), progress, alive


def state_of(path: Path, progress: dict[str, Any], alive: dict[str, Any] | None) -> str:
    """As the engine wrote it; prepared where nothing was asked yet, interrupted where its process is gone."""
    state = progress.get("state")
    if not isinstance(state, str) or not state:
        return "starting" if alive is not None else "interrupted" if _has_calls(path) else "prepared"
    if alive is not None and state not in UNDER_WAY and _before(progress.get("heartbeat"), alive.get("since")):
        return "starting"  # what is written is how it ended before it was taken up again
    return "interrupted" if alive is None and state in UNDER_WAY else state


def _before(heartbeat: Any, begun: Any) -> bool:
    """Return whether a process wrote something before another began: both in UTC, as ISO 8601 to the second or finer."""
    return isinstance(heartbeat, str) and isinstance(begun, str) and heartbeat[:19] < begun[:19]


def _has_calls(path: Path) -> bool:
    try:
        return os.lstat(path / LOG).st_size > 0
    except OSError:
        return False


def entry_of(path: Path) -> RunEntry:
    """A run folder as it is now."""
    manifest, progress, alive = look(path)
    total, limits = _inner(progress, "total"), limits_of(path)
    state = one_line(state_of(path, progress, alive), 40)
    max_calls, planned = _count(progress.get("max_calls")), _count(progress.get("planned"))
    simulated = progress.get("simulated", manifest.get("simulated"))
    return RunEntry(
        path=path,
        run_id=one_line(path.name),
        name=_text(manifest.get("name")),
        kind=_text(manifest.get("kind")),
        state=state,
        live=alive is not None,
        simulated=simulated if isinstance(simulated, bool) else None,
        done=_count(progress.get("done")),
        planned=_count(manifest.get("planned_calls")) if planned is None else planned,
        ok=_count(total.get("ok")),
        no_text=_count(total.get("no_text")) or 0,
        error=_count(total.get("error")),
        timeout=_count(total.get("timeout")),
        skipped=_count(total.get("skipped")),
        not_sent=_count(total.get("not_sent")),
        items_done=_count(progress.get("items_done")),
        items=_count(progress.get("items")),
        charged_usd=_charged(progress, total),
        charged_simulated_usd=_amount(progress.get("charged_simulated_usd")),
        unknown_cost=_count(total.get("unknown_cost")) or 0,
        max_cost_usd=_amount(limits.get("max_cost_usd")),
        calls_used=_count(progress.get("calls_used")),
        max_calls=_count(limits.get("max_calls")) if max_calls is None else max_calls,
        in_flight=0 if alive is None else _count(progress.get("in_flight")),
        limit=_count(progress.get("limit")),
        limit_reason=_text(progress.get("limit_reason")),
        why=_text(progress.get("why")),
        eta_s=None if alive is None else _amount(progress.get("eta_s")),
        heartbeat=_stamp(progress.get("heartbeat")),
        started_at=_stamp(manifest.get("started_at")),
        models=_tallies(_inner(progress, "models")),
        failures=_failures(progress.get("failures")),
        reported=reported_of(progress) if alive is not None else None,
        worked_s=_amount(progress.get("worked_s")),
        extra=_count(total.get("extra")) or 0,
        in_flight_extra=0 if alive is None else _count(progress.get("in_flight_extra")) or 0,
        log_bytes=None if state == "interrupted" else _count(progress.get("log_bytes")),
        results_bytes=_count(progress.get("results_bytes")),
        workers=() if alive is None else workers_of(progress),
    )


def worked_before(path: Path) -> float | None:
    """Seconds that a run worked so far; None where it has calls, and no progress says how long they took."""
    progress = table(path / PROGRESS)
    return _amount(progress.get("worked_s")) if progress or _has_calls(path) else 0.0


def live_process(path: Path) -> dict[str, Any] | None:
    """The process that is at work in a folder, or None; in a stranger's, the lock may be a pipe or hold anything."""
    try:
        return holder(path)
    except OSError:
        return None


def _charged(progress: dict[str, Any], total: dict[str, Any]) -> float | None:
    """Return the amount charged to the budget; the exact cost of the attempts, where they differ by rounding alone.

    Where a part of it is simulated, each part is rounded, and it stays the sum of both.
    """
    charged, cost = _amount(progress.get("charged_usd")), _amount(total.get("cost_usd"))
    if charged is None or cost is None or _amount(progress.get("charged_simulated_usd")) not in (None, 0.0, charged):
        return charged
    return min(cost, charged) if 0 <= round(charged - cost, 9) <= (_count(progress.get("calls_used")) or 0) / MICRO else charged


def _tallies(models: dict[str, Any]) -> dict[str, Tally]:
    tallies = ((one_line(name), _inner(models, name)) for name in islice(models, MOST_MODELS))
    return {
        name: {
            **{key: _count(tally.get(key)) for key in _COUNTED},
            "cost_usd": _amount(tally.get("cost_usd")),
            "simulated": int(tally["simulated"]) if isinstance(tally.get("simulated"), bool) else None,
        }
        for name, tally in tallies
    }


def _failures(value: Any) -> tuple[dict[str, str | int | None], ...]:
    entries = [entry for entry in value[:MOST_FAILURES] if isinstance(entry, dict)] if isinstance(value, list) else []
    return tuple({"model": _text(f.get("model")), "message": _text(f.get("message")), "n": _count(f.get("n"))} for f in entries)


def workers_of(progress: dict[str, Any]) -> tuple[WorkerEntry, ...]:
    """Return the workers that a run's progress lists."""
    value = progress.get("workers")
    entries = [entry for entry in value[:MOST_WORKERS] if isinstance(entry, dict)] if isinstance(value, list) else []
    return tuple(
        WorkerEntry(
            name=_text(entry.get("name")),
            address=_text(entry.get("address")),
            state=one_line(str(entry.get("state") or "-"), 20),
            in_flight=_count(entry.get("in_flight")),
            attempts=_count(entry.get("attempts")),
            credits=_count(entry.get("credits")),
            heard_s=_amount(entry.get("heard_s")),
        )
        for entry in entries
    )


def limits_of(path: Path) -> dict[str, Any]:
    """The caps in the [run] table of a run's config. The rest is left unread: all of it would take fifty times as long."""
    match = _RUN_TABLE.search(content_of(path / CONFIG).decode("utf-8", "replace"))
    try:
        return toml_of("\n".join(_CAP.findall(match.group()))) if match else {}
    except ValueError:
        return {}


def _inner(table: dict[str, Any], name: str) -> dict[str, Any]:
    value = table.get(name)
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _HIGHEST else None


def _amount(value: Any) -> float | None:
    """A number of USD or seconds; neither a truth value nor an infinity is one."""
    return float(value) if type(value) in (int, float) and 0 <= value < _HIGHEST else None


def _text(value: Any) -> str | None:
    return one_line(value, LONGEST_TEXT) if isinstance(value, str) else None


def _stamp(value: Any) -> str | None:
    return value if isinstance(value, str) and _STAMP.fullmatch(value) else None
