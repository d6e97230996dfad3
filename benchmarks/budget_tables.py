"""What the engine's benchmark found, as tables: the budgets with their aims, and every kind by its phases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kind_workloads import WORKLOADS
from other_budgets import OfAFile, Rescored, Resumed, Slope
from phases import Phases, Spread

BARE = "bare httpx loop"
ASKING, WHOLE = "asking", "whole"
PIPELINE_LINES = 12_662
"""Log lines of a pipeline run of 1,000 pages on the day the aim was set."""
AT_SAMPLES = 50_000


@dataclass(frozen=True, slots=True)
class Bare:
    """CPU seconds of the bare loop: until its first request, from there to its last reply, and in all."""

    start_s: float
    asking_s: float
    whole_s: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Document:
    """A run of `generate` on a long document."""

    pages: int
    took: Phases


@dataclass(slots=True)
class Findings:
    """All that was found; one entry a round in every list."""

    calls: int
    runs: dict[tuple[str, bool], list[Phases]] = field(default_factory=dict)
    """By kind, and whether the reply cache is filled."""
    imports: dict[str, list[float]] = field(default_factory=dict)
    """CPU seconds, by kind."""
    bare: list[Bare] = field(default_factory=list)
    memory: dict[tuple[str, bool], Slope] = field(default_factory=dict)
    documents: list[Document] = field(default_factory=list)
    rescored: list[Rescored] = field(default_factory=list)
    resumed: list[Resumed] = field(default_factory=list)
    files: OfAFile | None = None

    def times_bare(self, program: tuple[str, bool], part: str) -> Spread:
        """CPU of a part of a run to that of the bare loop of the same round, call by call."""
        pairs = zip(self.runs[program], self.bare, strict=True)
        if part == ASKING:
            return Spread.of(_each(one.asking_s, one.calls) / _each(bare.asking_s, self.calls) for one, bare in pairs)
        return Spread.of(_each(one.whole_s, one.calls) / _each(bare.whole_s, self.calls) for one, bare in pairs)

    def start_us(self, program: tuple[str, bool]) -> Spread:
        """CPU until the first request without the imports of the same round, microseconds a sample."""
        pairs = zip(self.runs[program], self.imports[program[0]], strict=True)
        return Spread.of(1e6 * (one.start_s - imports) / one.samples for one, imports in pairs)

    def each_us(self, program: tuple[str, bool], figure: Callable[[Phases], float]) -> Spread:
        """A figure in microseconds."""
        return Spread.of(1e6 * figure(one) for one in self.runs[program])


@dataclass(frozen=True, slots=True)
class Budget:
    """A row of the table: what it is, what it is on the day, and the aim."""

    name: str
    today: str
    value: float = 0.0
    aim: float | None = None
    unit: str = ""
    at_least: bool = False

    def row(self) -> str:
        """The row in Markdown; a budget without an aim is only reported."""
        if self.aim is None:
            return f"| {self.name} | {self.today} | reported | |"
        met = self.value >= self.aim if self.at_least else self.value <= self.aim
        words = "at least" if self.at_least else "at most"
        return f"| {self.name} | {self.today} | {words} {self.aim:,g}{self.unit} | {'yes' if met else 'NO'} |"


def budgets_table(found: Findings) -> str:
    """Every budget of the issue that was measured."""
    rows = [each.row() for part in (_of_runs, _of_imports, _of_kinds, _of_memory, _of_the_rest) for each in part(found)]
    return "\n".join(["| budget | on the day | aim | met |", "|---|---:|---:|---|", *rows])


def program_name(program: tuple[str, bool]) -> str:
    """What a kind is called in tables, with or without the reply cache."""
    return f"{program[0]}, filling the cache" if program[1] else program[0]


def _of_runs(found: Findings) -> Iterator[Budget]:
    programs = [each for each in found.runs if WORKLOADS[each[0]].has_cache]
    for program in programs if found.bare else ():
        ratio = found.times_bare(program, ASKING)
        yield Budget(f"asking, x bare httpx loop's asking: {program_name(program)}", ratio.shown(), ratio.median, 1.25)
    for program in programs:
        if not program[1]:
            reports = found.each_us(program, lambda one: _each(one.reports_s, one.rows))
            aim = {"choice": 140, "panel": 60}.get(program[0])
            yield Budget(f"reports per row: {program[0]}", f"{reports.shown('.0f')} us", reports.median, aim, " us")
    for program in programs:
        if not program[1]:
            start = found.start_us(program)
            yield Budget(f"start per sample, imports apart: {program[0]}", f"{start.shown('.0f')} us", start.median, 20, " us")
    for program in programs if found.bare else ():
        yield Budget(f"whole run, x bare: {program_name(program)}", found.times_bare(program, WHOLE).shown())


def _of_imports(found: Findings) -> Iterator[Budget]:
    if found.imports:
        dearest = max(found.imports, key=lambda kind: Spread.of(found.imports[kind]).median)
        cost = Spread.of(found.imports[dearest])
        yield Budget(f"imports (of {dearest}, the dearest)", f"{cost.shown()} s", cost.median, 0.35, " s")


def _of_kinds(found: Findings) -> Iterator[Budget]:
    says = {"chat": (0.7, "one judge"), "graph": (0.9, "deterministic"), "pipeline": (0.8, "all stages")}
    for kind, (aim, how) in says.items():
        if (kind, False) in found.runs:
            whole = Spread.of(1000 * _each(one.whole_s, one.calls) for one in found.runs[kind, False])
            yield Budget(f"{kind}, whole run a call ({how})", f"{whole.shown()} ms", whole.median, aim, " ms")
    if found.documents:
        pages = found.documents[0].pages
        own = Spread.of(each.took.start_s for each in found.documents)
        read = Spread.of(each.took.read_s for each in found.documents)
        name = f"generate, {pages:,} pages, before the first request, extraction apart ({read.shown()} s)"
        yield Budget(name, f"{own.shown()} s", own.median, 2, " s")


def _of_memory(found: Findings) -> Iterator[Budget]:
    aims = {"chat": 2.5, "graph": 2.5, "pipeline": 10}
    for program, slope in found.memory.items():
        kind = WORKLOADS[program[0]]
        name = f"memory a {kind.sample}, {slope.few:,} to {slope.many:,}: {program_name(program)}"
        yield Budget(name, f"{slope.kb:.1f} kB ({slope.told()})", slope.kb, aims.get(program[0]), " kB")


def _of_the_rest(found: Findings) -> Iterator[Budget]:
    if found.rescored and "pipeline" in found.imports:
        lines, imports = found.rescored[0].lines, Spread.of(found.imports["pipeline"]).median
        each = Spread.of((one.cpu_s - imports) / one.lines for one in found.rescored)
        whole = imports + PIPELINE_LINES * each.median
        said = f"{1e6 * each.median:,.0f} us a line, {whole:.1f} s for {PIPELINE_LINES:,} lines"
        yield Budget(f"re-score of a pipeline run, {lines:,} lines measured", said, whole, 5, " s")
    if found.resumed and "choice" in found.imports:
        imports = Spread.of(found.imports["choice"]).median
        rate = Spread.of(one.settled / (one.took.whole_s - one.took.asking_s - imports) for one in found.resumed)
        name = f"settled calls a second on resume, reports included (choice, {found.resumed[0].settled:,})"
        yield Budget(name, rate.shown(",.0f"), rate.median, 5_500, at_least=True)
    if found.files is not None:
        for verb, slope, aim in (("status", found.files.status, 30), ("export csv", found.files.export, 60)):
            name = f"{verb} at {AT_SAMPLES:,} samples, by the slope ({slope.told()})"
            yield Budget(name, f"{slope.at(AT_SAMPLES):.0f} MB", slope.at(AT_SAMPLES), aim, " MB")


def phases_table(found: Findings) -> str:
    """Every kind by its phases, and the bare loop."""
    lines = [
        "| kind | samples | calls | imports s | start us/sample | asking us/call | reports us/row | reports us/call "
        "| whole ms/call | peak MB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for program, runs in found.runs.items():
        one = runs[0]
        cells = [
            program_name(program),
            f"{one.samples:,}",
            f"{one.calls:,}",
            Spread.of(found.imports[program[0]]).shown(),
            found.start_us(program).shown(".0f"),
            *(found.each_us(program, figure).shown(",.0f") for figure in (_asking_a_call, _reports_a_row, _reports_a_call)),
            Spread.of(1000 * _each(each.whole_s, each.calls) for each in runs).shown(),
            f"{max(each.peak_mb for each in runs):.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if found.bare:
        asking = Spread.of(1e6 * _each(bare.asking_s, found.calls) for bare in found.bare)
        whole = Spread.of(1000 * _each(bare.whole_s, found.calls) for bare in found.bare)
        start = Spread.of(bare.start_s for bare in found.bare)
        peak = max(bare.peak_mb for bare in found.bare)
        spent = f"{start.shown()} | - | {asking.shown('.0f')} | - | - | {whole.shown()} | {peak:.0f}"
        lines.append(f"| {BARE} | - | {found.calls:,} | {spent} |")
    return "\n".join(lines)


def _asking_a_call(one: Phases) -> float:
    return _each(one.asking_s, one.calls)


def _reports_a_row(one: Phases) -> float:
    return _each(one.reports_s, one.rows)


def _reports_a_call(one: Phases) -> float:
    return _each(one.reports_s, one.calls)


def _each(seconds: float, count: int) -> float:
    return seconds / max(count, 1)
