"""State of a run in single lines: progress, counts, money, time, its limit, its pace, and which key is next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from tui_eval.core.plaintext import count_of
from tui_eval.runs.entry import RunEntry
from tui_eval.runs.stats_columns import stat
from tui_eval.runs.worker_entry import TROUBLED, worker_sums
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.live.log_figures import LogSnapshot, brief, decimal
from tui_eval.tui.screens.live.question_progress import makes_set
from tui_eval.tui.simulated_badge import pretended
from tui_eval.tui.simulated_badge import spent as paid
from tui_eval.tui.states import run_state
from tui_eval.tui.widgets.cells import Cell, Tone, fitted
from tui_eval.tui.widgets.lines import plain
from tui_eval.tui.widgets.text import wrapped
from tui_eval.tui.words import bar, count, instant, moment, seconds, span, sparkline, usd

SILENT_S = 15
"""A live run that has written nothing for longer is said to be silent."""
NEARLY = 0.9
"""The share of a cap from which on it is said in another tone."""
Note = tuple[str, Tone]
Group = Sequence[Cell]
"""Pieces of a line that stay together."""


def title(entry: RunEntry, room: int) -> list[Cell]:
    """State, name, kind, simulated or not; the run's id to the right as far as there is room."""
    name = safe_line(entry.name or entry.run_id, max(room // 3, 8))
    cells: list[Cell] = [
        run_state(safe_line(entry.state, 20)),
        "   ",
        (name, "strong"),
        (f" · {safe_line(entry.kind, 20)}", "dim"),
    ]
    if entry.simulated:
        cells.append((f" · {pretended(entry.made_up)}", "warn"))
    space = room - cell_len(plain(cells)) - 2
    if space >= 12:
        cells += ["  ", (fitted(safe_line(entry.run_id), space, right=True), "dim")]
    return cut(cells, room)


def progress(entry: RunEntry, room: int) -> list[Cell]:
    """A bar, per cent, and calls against the plan."""
    part = entry.part
    percent = "-" if part is None else f"{int(100 * part)} %"
    words = f"{percent:>6}   {calls_done(entry)}"
    width = room - max(cell_len(words), len(f"{percent:>6}   {count(entry.planned)} of {count(entry.planned)} calls"))
    full = bar(part, width).rstrip()
    return cut([(full, "accent" if entry.live else "dim"), ("─" * max(width - len(full), 0), "dim"), words], room)


def calls_done(entry: RunEntry) -> str:
    """Calls against the plan, fewer where not all were needed; and those that followed, such as reminders: no plan has them."""
    done, planned = entry.of_plan, entry.planned
    more = done is not None and planned is not None and done > planned
    follow_ups = f", {count_of(entry.extra, 'follow-up')}" if entry.extra else ""
    if more or (entry.part == 1.0 and done != planned):
        return f"{count(done)} calls ({count(planned)} planned){follow_ups}"
    return f"{count(done)} of {count(planned)} calls{follow_ups}"


def counters(entry: RunEntry, room: int) -> list[Cell]:
    """Return the counters of calls by how they ended."""
    groups = [
        [_counter("✓", entry.ok, "answered", "good")],
        *([[_counter("∅", entry.no_text, "without text", "warn")]] if entry.no_text else []),
        [_counter("✗", entry.error, "failed", "bad")],
        [_counter("◔", entry.timeout, "timed out", "bad")],
        *([] if entry.skipped == 0 else [[_counter("–", entry.skipped, "over budget", "warn")]]),
        [_counter("–", entry.unasked, *(("still to ask", "dim") if entry.live else ("not asked", "warn")))],
    ]
    return spread(groups, room)


def _counter(sign: str, n: int | None, words: str, tone: Tone) -> Cell:
    return f"{sign} {count(n) if n is None or n < 10**6 else brief(n)} {words}", tone if n else "dim"


def money(entry: RunEntry, figures: LogSnapshot, room: int) -> list[Cell]:
    """Return the cost against its cap, and the tokens, with how many attempts tell theirs."""
    cap, spent, whole = entry.max_cost_usd, entry.charged_usd, figures.whole
    near = cap is not None and spent is not None and spent >= NEARLY * cap
    groups: list[Group] = [[("cost ", "dim"), (paid(entry), "warn" if near else "")]]
    groups[0] = [*groups[0], (f" of {usd(cap)}" if cap is not None else " (no cap)", "dim")]
    tokens = f"{brief(whole.get('sum_prompt_tokens'))} in, {brief(whole.get('sum_completion_tokens'))} out"
    groups.append([("tokens ", "dim"), tokens, (f" (n {brief(whole.get('n_tokens_known'))})", "dim")])
    return spread(groups, room)


def times(entry: RunEntry, figures: LogSnapshot, now: float, room: int) -> list[Cell]:
    """Time to go, time passed, attempts against their cap, calls under way, replies from the cache."""
    groups: list[Group] = []
    if entry.live:
        is_beyond = entry.in_flight and entry.of_plan is not None and entry.of_plan >= (entry.planned or 0)
        groups.append([("ETA ", "dim"), span(None if is_beyond else entry.eta_s)])
    groups.append([("elapsed " if entry.live else "took ", "dim"), span(elapsed_s(entry, now))])
    near = entry.calls_used is not None and entry.max_calls is not None and entry.calls_used >= NEARLY * entry.max_calls
    cap = f" of at most {count(entry.max_calls)}" if entry.max_calls is not None else " (no cap)"
    groups.append([("attempts ", "dim"), (count(entry.calls_used), "warn" if near and entry.live else ""), (cap, "dim")])
    if cached := stat(figures.whole, "calls_cached"):
        groups.append([("from the cache ", "dim"), brief(int(cached))])
    if entry.live:
        groups.append([("in flight ", "dim"), count(entry.in_flight), (f" of {count(entry.limit)}", "dim")])
    else:
        groups.append([("started ", "dim"), moment(entry.started_at)])
    return spread(groups, room)


def workers(entry: RunEntry, room: int) -> list[Cell]:
    """Return the workers of a run in one line; nothing where it has none."""
    if not entry.workers:
        return []
    words, in_flight, credits = worker_sums(entry.workers)
    tone: Tone = "warn" if any(worker.state in TROUBLED for worker in entry.workers) else ""
    states: Group = [("workers ", "dim"), (safe_line(words), tone)]
    return spread([states, [("in flight ", "dim"), in_flight], [("credits ", "dim"), credits]], room)


def elapsed_s(entry: RunEntry, now: float) -> float | None:
    """Seconds that the run worked, up to its last sign of life; None while nothing was asked.

    Where an older version does not say it: since it was started, with all the time it was stopped.
    """
    return None if entry.state == "prepared" else entry.worked_s if entry.worked_s is not None else spanned_s(entry, now)


def spanned_s(entry: RunEntry, now: float) -> float | None:
    """Seconds by the clock since it was started, however long it was stopped: what a chart of the whole run covers."""
    start, end = instant(entry.started_at), now if entry.live else instant(entry.heartbeat)
    return None if start is None or end is None or entry.state == "prepared" else max(end - start, 0.0)


def notes(entry: RunEntry, now: float, since: float | None = None) -> list[Note]:
    """At most two things to say: silence and a lowered limit while it is live, else why it ended and which key is next.

    `since`: when it was first seen in a state that it should leave soon, if it is in one.
    """
    clock = "" if since is None else f" for {span(max(now - since, 0.0))}"
    if entry.state == "starting":
        again = f"; {count(entry.answered)} calls answered before stay" if entry.answered else ""
        return [(f"◔ starting{clock}: inputs are read, each real model is asked once{again}", "accent")]
    if not entry.live:
        return _ended(entry)
    lines: list[Note] = []
    silent = now - (instant(entry.heartbeat) or now)
    if silent > SILENT_S:
        lines.append((f"! no sign of life for {span(silent)}", "warn"))
    if entry.limit_reason:
        lines.append((f"↓ at most {count(entry.limit)} at a time now: {safe_line(entry.limit_reason, 1000)}", "warn"))
    why = f": {safe_line(entry.why, 1000)}" if entry.why else ""
    share = "" if entry.reported is None else f", {100 * entry.reported:.0f} %"
    words = {
        "paused": "‖ nothing new is sent; p goes on",
        "stopping": f"◼ stopping{clock}: calls under way finish, no other begins{why}",
        "reporting": f"all calls have ended; the reports are being written{share}{clock.replace(' for', ', so far for')}",
    }.get(entry.state)
    return lines + ([(words, "warn" if entry.state != "reporting" else "dim")] if words else [])


def note(entry: RunEntry, now: float, room: int, since: float | None = None) -> list[Cell]:
    """Two lines: a note on each, or one note on both."""
    pieces = notes(entry, now, since)[:2]
    if len(pieces) == 1:
        text, tone = pieces[0]
        first = next(iter(wrapped([(text, tone)], room)))[0]
        rest = text.removeprefix(first).strip()
        pieces = [(first, tone), (rest, tone)] if rest else pieces
    cells: list[Cell] = []
    for piece in pieces:
        cells += [*(["\n"] if cells else []), *cut([piece], room)]
    return cells


def _ended(entry: RunEntry) -> list[Note]:
    failed = (entry.error or 0) + (entry.timeout or 0)
    has_set = makes_set(entry)
    shows = "V reviews the questions, v shows the results" if has_set else "v shows the results"
    so_far = f"{'V reviews, ' * has_set}v shows the results so far"
    again = f"; R asks {count_of(failed, 'failed call')} again, and what could not be read" if failed else ""
    rest = f"{count(entry.unasked)} not asked yet (r asks them)" if entry.unasked else ""
    next_keys = {
        "done": f"every call has ended; {shows}{again}",
        "incomplete": (rest or "some calls have no answer") + f"; {shows}" + (again or ("" if rest else "; r asks them again")),
        "stopped": f"{rest or 'r goes on where it stopped'}; {so_far}",
        "aborted": f"r takes it up again once the cause is gone; {so_far}",
        "interrupted": f"its process is gone; what was answered is on file. {rest or 'r goes on where it ended'}",
        "prepared": "nothing was asked yet; r begins",
        "reporting": f"▶ its reports are made anew from the log, and nothing is sent; {shows}",
    }.get(entry.state, "r takes it up again; v shows the results")
    reasons: list[Note] = [(safe_line(entry.why, 1000), "warn")] if entry.why else []
    return [*reasons, (next_keys, "dim" if entry.state == "done" else "")]


def pace(entry: RunEntry, figures: LogSnapshot, now: float, room: int) -> list[Cell]:
    """Attempts per second as a line, its greatest value, and the rate now (or of the whole run)."""
    window = figures.window
    if window is None:
        return [("calls/s", "dim")]
    if entry.live:
        rate = f"now {decimal(figures.recent_rate)} (of {window.recent_s} s)"
    else:
        took, whole = elapsed_s(entry, now), figures.whole
        sent = stat(whole, "attempts_total") - stat(whole, "calls_cached") if whole else None
        mean = sent / took if sent is not None and took else None
        rate = f"mean {decimal(mean)} (n {brief(sent)})"
    return _pace_line("calls/s", figures.rates, f"peak {decimal(_top(figures.rates))}", rate, window.span_s, room)


def latencies(figures: LogSnapshot, room: int) -> list[Cell]:
    """Mean latency as a line; the greatest latency and the percentiles of the whole run, which are of the same n replies."""
    whole, window = figures.whole, figures.window
    if window is None:
        return [("latency", "dim")]
    p50, p95 = stat(whole, "p50_latency_ms_ok"), stat(whole, "p95_latency_ms_ok")
    words = f"p50 {seconds(p50)} p95 {seconds(p95)} (n {brief(stat(whole, 'n_latency_ok'))})"
    greatest = seconds(stat(whole, "max_latency_ms_ok"))
    return _pace_line("latency s", figures.latencies, f"max  {greatest}", words, window.span_s, room)


LABEL, FIGURES, EACH = 10, 42, 18
"""Columns before and behind a sparkline, and those that say how long a sign is, where there is room for it."""
ROOMY = 120


def points(room: int) -> int:
    """Return the number of values that a sparkline shows in a line of so many columns."""
    return max(room - LABEL - FIGURES - (EACH if room > ROOMY else 0), 6)


def _pace_line(name: str, values: Sequence[float | None], top: str, words: str, span_s: int, room: int) -> list[Cell]:
    width = points(room)
    line = fitted(sparkline(values[-width:]), width)
    each = f"   {span_s} s a sign" if room > ROOMY else ""
    return cut([(fitted(name, LABEL), "dim"), (line, "accent"), (f" {top:<12}", "dim"), words, (each, "dim")], room)


def _top(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def heading(words: str, right: str, room: int) -> list[Cell]:
    """A title of a part, with a rule through the rest of the line."""
    start, end = f"── {words} ", f" {right} ──" if right else ""
    return cut([(start + "─" * max(room - cell_len(start) - cell_len(end), 0) + end, "dim")], room)


def shown_of(top: int, page: int, whole: int) -> str:
    """Return the range of rows of a table that are in sight; empty where all are."""
    return "" if whole <= page else f"{top + 1}–{min(top + page, whole)} of {whole}"


def spread(groups: Sequence[Group], room: int) -> list[Cell]:
    """Groups side by side, as far apart as the room allows."""
    width = sum(cell_len(plain(group)) for group in groups)
    gap = next((gap for gap in (4, 3, 2) if width + gap * (len(groups) - 1) <= room), 1)
    cells: list[Cell] = []
    for group in groups:
        cells += [*([" " * gap] if cells else []), *group]
    return cut(cells, room)


def cut(cells: Sequence[Cell], room: int) -> list[Cell]:
    """Pieces of a line that fit into `room` columns, the last one cut with an ellipsis where they did not."""
    fitting: list[Cell] = []
    for piece in cells:
        width = cell_len(plain([piece]))
        if width > room:
            fitting.append(fitted(piece, room) if isinstance(piece, str) else (fitted(piece[0], room), piece[1]))
            break
        fitting.append(piece)
        room -= width
    return fitting
