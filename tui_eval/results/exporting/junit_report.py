"""JUnit XML: a test suite for each run, a test case for each score, as CI systems read them; gates are test cases, too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from xml.sax.saxutils import escape, quoteattr

from tui_eval.core.plaintext import one_line, visible
from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.results.attempts import Cost
from tui_eval.results.exporting.exported_run import ExportedRun, ScoredReply, scored
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.results.stored_samples import Mark, Owner, StoredSample, owner_of
from tui_eval.results.sums.metrics import scale_of, threshold_of
from tui_eval.results.sums.series import NO_CLAIMS, NO_TRUTH
from tui_eval.results.verdicts import verdicts_of

MOST_CHARACTERS = 2_000
"""Of a question, truth or reply in a test case: CI systems take files of some megabytes. The other formats have all of it."""
FAILURE, ERROR, SKIPPED, PASSED = "failure", "error", "skipped", ""
_COUNTED = {FAILURE: "failures", ERROR: "errors", SKIPPED: "skipped"}
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """A test case."""

    classname: str
    name: str
    outcome: str
    message: str = ""
    text: str = ""
    """What stands in its element, or in its output where it passed."""
    milliseconds: int | None = None


@dataclass(slots=True)
class Suite:
    """Name of a run in the file, and the counts of its test cases."""

    run: ExportedRun
    name: str
    counts: Counter[str]

    def attributes(self) -> dict[str, str]:
        """Its name, and the counts of its test cases; time in seconds."""
        return {"name": self.name, **_count_attributes(self.counts)}


Cases = Callable[[ExportedRun, str], Iterator[JUnitCase]]
"""The test cases of a run; given is what its suite is called."""


def junit_of_gates(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """The gates alone: a wrong answer fails no test, a gate that does not hold does."""
    return _file(runs, _gates)


def junit(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """The file line by line, in two passes over the samples: the counts stand before what is counted.

    Names are the same in every run of a config: that of the suite is the config's, a case is called by its sample and
    metric, its class by stage and model. A score that is not good enough by its metric's threshold fails; so does a reply that
    counts as wrong since nothing can be read from it, such as a refusal. What has no value is skipped with its reason, and a
    model fails once where all of its scores are; a sample whose flow raised is an error. A score of a metric without a
    threshold is no test case. A reply's time is counted once.
    """
    return _file(runs, _cases)


def _file(runs: Sequence[ExportedRun], cases: Cases) -> Iterator[str]:
    suites = _suites(runs, cases)
    total = sum((suite.counts for suite in suites), Counter[str]())
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites{_attributes({'name': 'tui-eval', **_count_attributes(total)})}>\n"
    for suite in suites:
        yield f"<testsuite{_attributes(suite.attributes() | _timestamp(suite.run))}>\n<properties>\n"
        for name, value in _properties(suite.run).items():
            yield f"<property{_attributes({'name': name, 'value': value})}/>\n"
        yield "</properties>\n"
        yield from map(_element, cases(suite.run, suite.name))
        if suite.run.notes:
            yield _tagged("system-out", "\n".join(suite.run.notes)) + "\n"
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _suites(runs: Sequence[ExportedRun], cases: Cases) -> list[Suite]:
    names, suites = _CaseNames(), list[Suite]()
    for run in runs:
        suite = Suite(run, names.own(_line(run.name or run.kind or run.run_id, 300)), Counter())
        for case in cases(run, suite.name):
            suite.counts[case.outcome] += 1
            suite.counts["time"] += case.milliseconds or 0
        suites.append(suite)
    return suites


class _CaseNames:
    """Names that are given once: of equal ones the second is numbered."""

    def __init__(self) -> None:
        self._given: Counter[int] = Counter()

    def own(self, name: str, inside: str = "") -> str:
        """The name, with a number where it was given before in the same class."""
        key = hash((inside, name))
        self._given[key] += 1
        return name if self._given[key] == 1 else self.own(f"{name} ({self._given[key]})", inside)


def _cases(run: ExportedRun, suite: str) -> Iterator[JUnitCase]:
    names, several, valued = _CaseNames(), len(run.measures) > 1, dict[str, Counter[bool]]()
    for item in run.items():
        timed = set[Owner]()
        for scored_reply in scored(item):
            owner = scored_reply.mark or scored_reply.answer
            if scored_reply.mark is not None and scored_reply.mark.metric.threshold is None and not item.error:
                continue
            classname = _dotted(suite, *((owner.stage, owner.model) if owner else (item.queue,)))
            name = names.own(_name(item, scored_reply, several), classname)
            latency = (
                scored_reply.answer.latency_ms if scored_reply.answer and owner_of(scored_reply.answer) not in timed else None
            )
            timed.update([owner_of(owner)] if owner else ())
            outcome = _verdict(item, scored_reply)
            if scored_reply.mark is not None and scored_reply.mark.why not in (NO_TRUTH, NO_CLAIMS):
                valued.setdefault(classname, Counter())[outcome[0] != SKIPPED] += 1
            yield JUnitCase(classname, name, *outcome, milliseconds=None if latency is None else round(latency))
    for classname, n in valued.items():
        if not n[True]:
            why = f"none of its {n[False]:,} scores has a value"
            yield JUnitCase(classname, names.own("any score", classname), FAILURE, why, why)
    yield from _gates(run, suite)


def _name(item: StoredSample, scored_reply: ScoredReply, several: bool) -> str:
    """By its sample without the model, or its question where it is about no document; then metric, call and repeat where there
    are several."""
    mark, answer = scored_reply
    owner = mark or answer
    own = item.item_id.removeprefix(f"{item.queue}/")
    parts = [_line(item.question if item.doc_id == NO_DOCUMENT and item.question else own, 300)]
    parts += [f"[{_line(mark.name, 80)}]"] if mark is not None and several else []
    parts += [f"call {owner.call_index + 1}"] if owner is not None and owner.call_index else []
    parts += [f"repeat {item.repeat + 1}"] if item.repeat else []
    return " ".join(parts)


def _verdict(item: StoredSample, scored_reply: ScoredReply) -> tuple[str, str, str]:
    """Outcome, message, and what stands in the element."""
    mark, answer = scored_reply
    if item.error:
        return ERROR, item.error, _details(item, scored_reply)
    if mark is None:
        unfinished = "" if item.finished else "not finished"
        return SKIPPED, (answer.why if answer else "") or unfinished or "not scored", ""
    if mark.value is None:
        return SKIPPED, mark.why or "no value", ""
    message = _mark(mark, mark.value)
    return (
        (FAILURE, message, _details(item, scored_reply))
        if mark.passes is False
        else (PASSED, "", message if mark.is_graded else "")
    )


def _mark(mark: Mark, value: float) -> str:
    """A score in words, with what was read, or why nothing was."""
    read = mark.why if mark.read is None else f"read: {mark.read}"
    message = f"{mark.name}: {value:g} on a scale of {scale_of(mark.metric)}; passes: {threshold_of(mark.metric)}"
    return f"{message}; {read}" if read else message


def _details(item: StoredSample, scored_reply: ScoredReply) -> str:
    """Return the question, the truth and the reply."""
    reply = None if scored_reply.answer is None else scored_reply.answer.text
    parts = {
        "question": item.question,
        "truth": item.truth,
        "reply": reply,
        "why": scored_reply.mark.why if scored_reply.mark else "",
    }
    return "\n".join(f"{name}: {_cut(text)}" for name, text in parts.items() if text)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}… ({len(text):,} characters)"


def _gates(run: ExportedRun, suite: str) -> Iterator[JUnitCase]:
    """A gate is called by what it demands, and of whom."""
    names, classname = _CaseNames(), _dotted(suite, "gates")
    for gate in verdicts_of(run.report):
        name = names.own(_line(gate.title + (f" of {gate.who}" if gate.who else ""), 300), classname)
        message = f"{gate.outcome}: {gate.found}, wanted {gate.wanted}" + (f"; {gate.text}" if gate.text else "")
        result = FAILURE if not gate.passed else PASSED if gate.outcome == "PASS" else SKIPPED
        yield JUnitCase(classname, name, result, "" if result == PASSED else message, message)


def _properties(run: ExportedRun) -> dict[str, str]:
    about = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in run.about().items()}
    return {**about, "started_at": run.started_at, **_costs(run)}


def _costs(run: ExportedRun) -> dict[str, str]:
    """Return the cost; of a run of real and simulated models that of the real ones, and the others' by another name."""
    apart = run.made_up == "some"
    real, pretended = run.costs_apart if apart else (run.cost, Cost(None))
    amounts = {"cost_usd": real.usd, "simulated_cost_usd": pretended.usd}
    names = {"simulated_models": _line(", ".join(sorted(run.simulated_models or ())), 500)} if apart else {}
    costs = {name: f"{usd:.6f}" for name, usd in amounts.items() if usd is not None}
    return {**names, **costs, "calls_of_unknown_cost": str(real.unknown)}


def _timestamp(run: ExportedRun) -> dict[str, str]:
    """When the run started, in UTC and, as the format has it, without a zone."""
    return {"timestamp": run.started_at.removesuffix("Z")} if run.started_at else {}


def _count_attributes(counts: Counter[str]) -> dict[str, str]:
    tests = sum(counts[outcome] for outcome in (PASSED, *_COUNTED))
    outcomes = {name: str(counts[outcome]) for outcome, name in _COUNTED.items()}
    return {"tests": str(tests), **outcomes, "time": f"{counts['time'] / 1000:.3f}"}


def _element(case: JUnitCase) -> str:
    time = {} if case.milliseconds is None else {"time": f"{case.milliseconds / 1000:.3f}"}
    attributes = _attributes({"classname": case.classname, "name": case.name, **time})
    if case.outcome:
        kind = {} if case.outcome == SKIPPED else {"type": case.outcome}
        inside = _tagged(case.outcome, case.text, {"message": _line(case.message, 500), **kind})
    else:
        inside = case.text and _tagged("system-out", case.text)
    return f"<testcase{attributes}>{inside}</testcase>\n" if inside else f"<testcase{attributes}/>\n"


def _dotted(*parts: str) -> str:
    """A class as CI systems group by it: package and name apart by dots, of which names bring none."""
    return ".".join(_line(part, 80).replace(".", "_") for part in parts if part)


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(_allowed(value))}" for name, value in values.items())


def _tagged(tag: str, text: str, attributes: Mapping[str, str] = MappingProxyType({})) -> str:
    return f"<{tag}{_attributes(attributes)}>{escape(_allowed(text))}</{tag}>" if text else f"<{tag}{_attributes(attributes)}/>"


def _line(text: str, limit: int) -> str:
    return one_line(_allowed(text), limit)


def _allowed(text: str) -> str:
    """Text without characters that XML 1.0 forbids, and with none that steers a terminal."""
    return visible(_FORBIDDEN.sub("", text.replace("\r\n", "\n")))


JUNIT = Exporter("a test suite for each run, for GitHub, GitLab, Jenkins", ".xml", junit)
GATES = Exporter(
    "what a run's gates came to, as a test suite: what decides in CI",
    ".gates.xml",
    junit_of_gates,
    lacks=lambda run: "" if verdicts_of(run.report) else "no gates: its report has none, so its test suite is empty",
)
