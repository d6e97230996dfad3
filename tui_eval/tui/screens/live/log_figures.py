"""Log figures for the monitor of a run: figures per stage and model, failures by cause, and how fast calls end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.money import four_decimals
from tui_eval.runs.entry import RunEntry
from tui_eval.runs.log.index import LogIndex
from tui_eval.runs.log.sums import Cause
from tui_eval.runs.stats_columns import StatsColumn, stat
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.words import count, seconds

MOST_LINES = 500
"""Pairs of stage and model that are shown; only a stranger's folder has more."""
MOST_CAUSES = 100
RECENT_S = 10
"""The time over which the rate of a live run is taken."""
SPANS_S = (1, 2, 5, 10, 20, 30, 60)
SEEN_S = 600
"""How far back the pace of a log is kept."""
PATIENCE_S, AGAIN_S = 0.5, 0.004
"""How long figures wait for counts of the same part of the log, and between two looks."""
PHRASE = 60
"""Characters of a message that a filter looks for."""


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """Number of calls that the plan has for a model in a stage."""

    stage: str
    model: str
    calls: int


@dataclass(frozen=True, slots=True)
class StageLine:
    """A line of the table: everything (neither stage nor model), a stage, or a model within a stage."""

    stage: str | None
    model: str | None
    title: str
    planned: int | None
    figures: Mapping[str, Any] = field(default_factory=dict)
    """A row of `Buckets.rows`; empty where nothing was sent yet."""


@dataclass(frozen=True, slots=True)
class Window:
    """Time that the sparklines show: `points` spans of `span_s` seconds up to `until` (None: up to the last attempt)."""

    points: int
    span_s: int
    until: float | None
    recent_s: int
    """Seconds before `now` over which the rate is taken; 0 for a run that is not live."""
    now: float

    @classmethod
    def of(cls, room: int, elapsed_s: float | None, live: bool, now: float) -> Window:
        """The finest spans with which `room` points hold all that is known of the pace."""
        passed = min(elapsed_s or 0.0, SEEN_S)
        span = next((span for span in SPANS_S if room * span >= passed), SPANS_S[-1])
        points = max(min(room, int(passed // span) + 1), 1)
        if not live:
            return cls(points, span, None, 0, 0.0)
        return cls(points, span, int(now) // span * span - 1.0, max(min(int(passed), RECENT_S), 1), int(now) - 1.0)


@dataclass(frozen=True, slots=True)
class LogSnapshot:
    """Everything that is shown of a log at one moment."""

    lines: Sequence[StageLine] = ()
    causes: Sequence[Cause] = ()
    other_failures: int = 0
    rates: Sequence[float | None] = ()
    latencies: Sequence[float | None] = ()
    recent_rate: float | None = None
    """Attempts ended per second within the window's last seconds; None while the log is still being read."""
    window: Window | None = None
    read: float | None = None
    """The share of the log that was read; None where there is no log."""
    too_many: bool = False
    offset: int = 0
    """Bytes of the log that all of it was counted from."""
    entry: RunEntry | None = None
    """What the engine counted of just this part of the log, where it says of which part its counts are."""

    def joined(self, latest: RunEntry | None) -> RunEntry | None:
        """The counts to show beside these figures: the latest, or those of the part of the log that the figures are of."""
        return latest if self.entry is None or latest is None or latest.log_bytes in (None, self.offset) else self.entry

    @property
    def whole(self) -> Mapping[str, Any]:
        """The figures of all attempts together."""
        return self.lines[0].figures if self.lines else {}

    @property
    def failed(self) -> int:
        """Attempts that failed, whatever for."""
        return sum(cause.count for cause in self.causes) + self.other_failures


def take(
    index: LogIndex, plan: Sequence[PlannedLine], window: Window, told: Callable[[], RunEntry | None] = lambda: None
) -> LogSnapshot:
    """Look at the log as it is read so far. Takes the index's lock, and up to a tenth of a second for a big log.

    `told`: what the engine counted, as it was read last. The engine writes its counts a few times a second, with the length
    of the log that they are of, and the index reads no further than that while the run goes on. So there is a moment, soon, in
    which the two are of one part of the log: then calls, money, tables and what no log knows (in flight, ETA, limits) agree
    without anything being estimated. Counts made of the log alone would lack these, and would differ from the engine's after
    each key that asks failed calls again. Where the moment does not come (a long log is still being read; another program
    wrote into it) it is not waited for.
    """
    until = time.monotonic() + PATIENCE_S
    while True:
        with index.at_one_moment() as offset:
            entry = told()
            if entry is None or entry.log_bytes in (None, offset) or time.monotonic() >= until:
                return _taken(index, plan, window, offset, entry)
        time.sleep(AGAIN_S)


def _taken(index: LogIndex, plan: Sequence[PlannedLine], window: Window, offset: int, entry: RunEntry | None) -> LogSnapshot:
    too_many = len(index.buckets.leaves) > MOST_LINES
    names = dict.fromkeys(line.stage for line in plan), dict.fromkeys(line.model for line in plan)
    rows = [] if too_many else index.bucket_rows(list(names[0]), list(names[1]))
    causes, other_failures = index.errors(MOST_CAUSES)
    behind = index.bytes_seen < index.bytes_total and index.read < index.lines
    recent = index.throughput(1, window.now, window.recent_s)[0] if window.recent_s else None
    return LogSnapshot(
        lines=stage_lines(rows, plan),
        causes=causes,
        other_failures=other_failures,
        rates=index.throughput(window.points, window.until, window.span_s),
        latencies=index.latency_line(window.points, window.until, window.span_s),
        recent_rate=None if behind or not window.recent_s else recent or 0.0,
        window=window,
        read=index.bytes_seen / index.bytes_total if index.bytes_total else None,
        too_many=too_many,
        offset=offset,
        entry=entry,
    )


def planned_lines(plan: Mapping[str, Any]) -> list[PlannedLine]:
    """The calls of plan.json by stage and model; whatever is not as it should be is left out."""
    stages = plan.get("stages")
    lines: list[PlannedLine] = []
    for entry in stages[:MOST_LINES] if isinstance(stages, list) else []:
        stage, model, calls = (
            (entry.get(name) for name in ("stage", "model", "calls")) if isinstance(entry, dict) else (None,) * 3
        )
        if isinstance(stage, str) and isinstance(model, str) and type(calls) is int and 0 <= calls < 2**53:
            lines.append(PlannedLine(stage, model, calls))
    return lines


def stage_lines(rows: Sequence[Mapping[str, Any]], plan: Sequence[PlannedLine]) -> list[StageLine]:
    """All together, then each stage with its models; a stage with one model, or the only one, has no line of its own.

    What is only planned is there, too.
    """
    by_name = {(row["stage"], row["model"]): row for row in rows}
    calls = _planned_calls(plan)
    pairs = dict.fromkeys([*((line.stage, line.model) for line in plan), *(key for key in by_name if None not in key)])
    if not pairs:
        return []
    stages = list(dict.fromkeys(stage for stage, _ in pairs))
    title = "all" if len(stages) > 1 else f"all ({stages[0]})"
    lines = [StageLine(None, None, title, calls.get((None, None)), by_name.get((None, None), {}))]
    for stage in stages:
        models = [model for stage_name, model in pairs if stage_name == stage]
        if len(models) > 1 and len(stages) > 1:
            lines.append(StageLine(stage, None, stage, calls.get((stage, None)), by_name.get((stage, None), {})))
        for model in models:
            title = f"  {model}" if len(models) > 1 or len(stages) == 1 else f"{stage}, {model}"
            lines.append(StageLine(stage, model, title, calls.get((stage, model)), by_name.get((stage, model), {})))
    return lines


def _planned_calls(plan: Sequence[PlannedLine]) -> dict[tuple[str | None, str | None], int]:
    calls: dict[tuple[str | None, str | None], int] = {}
    for line in plan:
        for key in ((None, None), (line.stage, None), (line.stage, line.model)):
            calls[key] = calls.get(key, 0) + line.calls
    return calls


def _failures(line: StageLine) -> int | None:
    """Count the attempts of a line that failed; None where none was sent yet."""
    error, timeout = stat(line.figures, "calls_error"), stat(line.figures, "calls_timeout")
    return None if error is None or timeout is None else int(error + timeout)


def _title(line: StageLine) -> Cell:
    indent = "  " if line.title.startswith("  ") else ""
    return indent + safe_line(line.title), "" if line.model else "strong"


def _count_of(line: StageLine, column: StatsColumn) -> str:
    return brief(stat(line.figures, column))


def _seconds_of(line: StageLine, column: StatsColumn) -> str:
    return seconds(stat(line.figures, column))


def _cost(line: StageLine) -> Cell:
    return cost_cell(stat(line.figures, "sum_cost_usd"), stat(line.figures, "n_cost_unknown") or 0)


STAGE_COLUMNS: Sequence[Column[StageLine]] = (
    Column("stage, model", 12, _title, share=6),
    Column("plan", 6, lambda line: (brief(line.planned), "dim"), right=True, share=1, above=69),
    Column("ended", 6, lambda line: _count_of(line, "attempts_total"), right=True, share=1),
    Column("cached", 6, lambda line: (_count_of(line, "calls_cached"), "dim"), right=True, share=1, above=109),
    Column("failed", 6, lambda line: (brief(_failures(line)), "bad" if _failures(line) else "dim"), right=True, share=1),
    Column("p50 s", 6, lambda line: _seconds_of(line, "p50_latency_ms_ok"), right=True, share=1),
    Column("p95 s", 6, lambda line: _seconds_of(line, "p95_latency_ms_ok"), right=True, share=1),
    Column("max s", 7, lambda line: _seconds_of(line, "max_latency_ms_ok"), right=True, share=1, above=109),
    Column("n", 6, lambda line: (_count_of(line, "n_latency_ok"), "dim"), right=True, share=1),
    Column("first token s", 13, lambda line: _seconds_of(line, "p50_ttft_ms_ok"), right=True, share=1, above=139),
    Column("tokens/s", 8, lambda line: decimal(stat(line.figures, "p50_tokens_per_s_ok")), right=True, share=1, above=139),
    Column("tokens", 6, lambda line: _count_of(line, "sum_total_tokens"), right=True, share=1, above=69),
    Column("in", 6, lambda line: _count_of(line, "sum_prompt_tokens"), right=True, share=1, above=109),
    Column("out", 6, lambda line: _count_of(line, "sum_completion_tokens"), right=True, share=1, above=109),
    Column("cost", 10, _cost, right=True, share=1),
    Column("cost unknown", 12, lambda line: (_count_of(line, "n_cost_unknown"), "dim"), right=True, share=1, above=139),
)
"""The columns of the table of stages and models."""


def cost_cell(cost_usd: float | None, unknown: int) -> Cell:
    """The known cost; "+" behind it where other attempts' cost is not known."""
    if cost_usd is None:
        return ("unknown ", "dim") if unknown else ("- ", "dim")
    return (
        f"${cost_usd:,.0f}" if cost_usd >= 10_000 else f"${cost_usd:,.2f}" if cost_usd >= 100 else four_decimals(cost_usd)
    ) + ("+" if unknown else " ")


CAUSE_COLUMNS: Sequence[Column[Cause]] = (
    Column("n", 6, lambda cause: (brief(cause.count), "bad"), right=True),
    Column("kind", 10, lambda cause: safe_line(cause.kind)),
    Column("model", 11, lambda cause: safe_line(cause.model), share=1),
    Column("message", 20, lambda cause: safe_line(cause.message or None), share=5),
)
"""The columns of the table of failures."""


def rare_causes(n: int) -> Cause:
    """Make one line of the failures whose causes are too rare to have lines of their own."""
    return Cause("", "", "other causes", n, -1)


def brief(value: int | None) -> str:
    """A count in at most six columns: 99,999, then 100k, 1.23M, 12.3G."""
    if value is None or value < 100_000:
        return count(value)
    amount, unit = value / 1000, 0
    while amount >= 999.5 and unit < 4:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g}{'kMGTP'[unit]}"


def decimal(value: float | None) -> str:
    """A rate: one digit after the point, two below one."""
    if value is None:
        return "-"
    return f"{value:.2f}" if 0 < value < 1 else f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def query_of_line(line: StageLine) -> str:
    """Return the query for the log's filter that shows the attempts of a line."""
    return query_of(line.stage, line.model)


def query_of(stage: str | None, model: str | None) -> str:
    """Return the query for the log's filter that shows the attempts of a stage and a model."""
    return " ".join(_terms(("stage", stage), ("model", model)))


def query_of_cause(cause: Cause) -> str:
    """Return the query for the log's filter that shows the failures of a cause."""
    return " ".join(
        ["status:failed", *_terms(("model", cause.model)), *(f'text:"{words}"' for words in [phrase(cause.message)] if words)]
    )


def query_of_item(item_id: str) -> str:
    """Return the query for the log's filter that shows the attempts of an item, and of no other."""
    return " ".join(_terms(("item", item_id)))


def _terms(*fields: tuple[str, str | None]) -> Iterator[str]:
    """Whole values; of what cannot be typed, the longest part that can."""
    for name, value in fields:
        whole, words = safe(value or ""), phrase(value or "")
        if value and value == whole and value.isprintable():
            escaped = value.replace('"', '""')
            yield f'{name}="{escaped}"'
        elif words:
            yield f'{name}:"{words}"'


def phrase(text: str, most: int = PHRASE) -> str:
    """The longest part of a text that can stand in a filter as it is: no quotation mark, nothing a terminal would act on."""
    typeable = "".join(letter if letter != '"' and letter.isprintable() and safe(letter) == letter else "\n" for letter in text)
    return max((part.strip()[:most].strip() for part in typeable.split("\n")), key=len, default="")
