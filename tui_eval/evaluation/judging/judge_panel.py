"""Answers judged by one model or several, some of them twice without a judge being told: one score for each, with all marks;
by a rubric, or claim by claim. And which judges look at answers of their own family.

The score is the mean of the judges that gave a mark. What a judge says the second time shows its own noise and enters nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Literal

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.record_class import changed
from tui_eval.core.results import Score
from tui_eval.evaluation.calls import Part, ask_twice, truncated, was_cut
from tui_eval.evaluation.judging.judge_frames import prompt_version
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.reading.claims import read_claims, supported_share
from tui_eval.reading.folding import folded
from tui_eval.reading.front_matter.rubrics import OwnRubric
from tui_eval.reading.marks import read_mark, read_reason
from tui_eval.results.sums.series import NO_CLAIMS


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criterion that answers are marked by, and the reader of a judge's reply."""

    name: str
    """The metric that its marks are values of."""
    version: str
    """Of the prompt and of the reading together; what compares marks of two versions says so."""
    read: Callable[[str | None], float | None]
    """A mark out of a judge's reply; None where there is none, never a default."""
    judge: str = "judge"
    """What the judging model is called where a mark is missing."""
    better: Literal["higher", "lower"] = "higher"


def rubric_of(metric: Metric, version: str, judge: str = "judge") -> Rubric:
    """A rubric whose marks are whole numbers on a metric's scale, behind SCORE: or in another form that judges use."""
    return Rubric(metric.name, version, partial(read_mark, low=metric.low, high=metric.high), judge)


def own_rubric_of(rubric: OwnRubric, frames: bool | None) -> Rubric:
    """A person's own rubric; its version changes with its text and its scale. Lower marks may be the better ones."""
    metric = rubric.metric
    digest = hashlib.sha256(f"{metric}\n{rubric.text}".encode()).hexdigest()[:8]
    return replace(rubric_of(metric, f"{prompt_version('own', frames)} {digest}"), better=metric.better)


def marks(rubric: Rubric, answers: Sequence[Reply], ask: Callable[[Reply, int], Call], reminder: str) -> Part[list[Score]]:
    """One score for each answer, in order. `ask`: the call that has the n-th answer with a text marked.

    A judge that cannot be read is reminded once. What has no mark says why: there was no answer, the judge was not asked,
    failed, or could not be read.
    """
    return (yield from marks_by([rubric], answers, lambda _, reply, n: ask(reply, n), reminder))


def marks_by(
    rubrics: Sequence[Rubric], answers: Sequence[Reply], ask: Callable[[Rubric, Reply, int], Call], reminder: str
) -> Part[list[Score]]:
    """The same by several rubrics, all asked at once: one score for each rubric and answer, rubric by rubric."""
    valid = list(enumerate(reply for reply in answers if reply.ok))
    requests = [(rubric, reply, ask(rubric, reply, n)) for rubric in rubrics for n, reply in valid]
    reads = [rubric.read for rubric, _, _ in requests]
    judged = yield from ask_twice([call for _, _, call in requests], reads, reminder)
    verdicts = {(rubric.name, id(reply)): result for (rubric, reply, _), result in zip(requests, judged, strict=True)}
    scores = []
    for rubric in rubrics:
        for reply in answers:
            value, verdict = verdicts.get((rubric.name, id(reply)), (None, reply))
            why = "" if value is not None else f"no reply: {reply.why}" if not reply.ok else why_unmarked(rubric, verdict)
            scores.append(score_of(rubric, reply, value, why))
    return scores


def score_of(rubric: Rubric, reply: Reply, value: float | None, why: str = "") -> Score:
    """The score of an answer by a rubric."""
    return Score(reply.call.stage, reply.call.model, reply.call.call_index, rubric.name, value, why, rubric.version)


def why_unmarked(rubric: Rubric, verdict: Reply) -> str:
    """Why a judge's last reply gave no mark."""
    if was_cut(verdict):
        return f"{rubric.judge} {truncated(verdict, 'max_output_tokens')}"
    if verdict.ok:
        return f"{rubric.judge} unparsed"
    return f"not scored: {verdict.why}" if verdict.unsent else f"{rubric.judge} failed: {verdict.why}"


TWICE = " twice"
"""How `about` ends of a call that has an answer judged a second time."""


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """Result of reading a judge's reply."""

    value: float | None
    """None where it can be read and there is nothing to mark."""
    detail: Json = ""
    """Its reason, or what else the value is made of."""
    why: str = ""
    """Why there is no value."""


Read = Callable[[str | None], JudgeVerdict | None]
"""What a judge's reply comes to; None = unreadable."""


@dataclass(frozen=True, slots=True)
class ToJudge:
    """An answer that is to be judged by one rubric."""

    rubric: Rubric
    answer: Reply
    ask: Callable[[AskedModel], Call]
    """The call that has a judge do it."""
    twice: bool = False
    read: Read | None = None
    """What a reply comes to, None = unreadable; where none is given, the rubric's mark."""


def judged(requests: Sequence[ToJudge], judges: Sequence[AskedModel], reminder: str) -> Part[list[Score]]:
    """One score for each, in order, whatever happens; all are asked at once.

    `Score.read` is JSON: {"marks": {judge: mark}, "details": {judge: reason}, "again": {judge: mark}}, where there are any.
    """
    planned_calls = [
        (place, judge.name, again, request.ask(judge))
        for place, request in enumerate(requests)
        if request.answer.ok
        for judge in judges
        for again in ((False, True) if request.twice else (False,))
    ]
    calls = [replace(call, about=call.about + TWICE) if again else call for _, _, again, call in planned_calls]
    reads = [requests[place].read or _mark(requests[place].rubric) for place, *_ in planned_calls]
    results = yield from ask_twice(calls, reads, reminder)
    by_place = gathered(
        (place, (judge, again, verdict, reply))
        for (place, judge, again, _), (verdict, reply) in zip(planned_calls, results, strict=True)
    )
    return [_score(request, by_place.get(place, ())) for place, request in enumerate(requests)]


def _mark(rubric: Rubric) -> Read:
    def read(text: str | None) -> JudgeVerdict | None:
        value = rubric.read(text)
        return None if value is None else JudgeVerdict(value, read_reason(text))

    return read


def _score(request: ToJudge, results: Sequence[tuple[str, bool, JudgeVerdict | None, Reply]]) -> Score:
    if not request.answer.ok:
        return score_of(request.rubric, request.answer, None, f"no reply: {request.answer.why}")
    first = [(judge, verdict, reply) for judge, again, verdict, reply in results if not again]
    marks = {judge: verdict.value for judge, verdict, _ in first if verdict is not None and verdict.value is not None}
    content = {
        "marks": marks,
        "details": {judge: verdict.detail for judge, verdict, _ in first if verdict is not None and verdict.detail},
        "again": {
            judge: verdict.value for judge, again, verdict, _ in results if again and verdict and verdict.value is not None
        },
    }
    value = sum(marks.values()) / len(marks) if marks else None
    _, verdict, reply = first[0]
    why = "" if marks else verdict.why if verdict else why_unmarked(request.rubric, reply)
    non_empty = {name: values for name, values in content.items() if values}
    score = score_of(request.rubric, request.answer, value, why)
    return changed(score, read=json.dumps(non_empty, ensure_ascii=False) if non_empty else None)


def said_of(score: Score) -> dict[str, Any]:
    """Return the judges' statements on an answer: `Score.read` of `judged`, parsed; empty where none said anything."""
    content: dict[str, Any] = json.loads(score.read) if score.read else {}
    return content


def as_judge(
    model: AskedModel, temperature: float | None, max_output_tokens: int, use_temperature: bool | None = None
) -> AskedModel:
    """A model with the limits that judges have, which are asked with more tokens where they are cut.

    `temperature`: None = its own; `use_temperature`: False = none is sent.
    """
    own = model.temperature if temperature is None else temperature
    sent = None if use_temperature is False else own
    return replace(model, temperature=sent, max_output_tokens=max_output_tokens, longer_when_cut=True)


def drawn_twice(answers: Sequence[tuple[str, str]], share: float, seed: int) -> frozenset[tuple[str, str]]:
    """So large a share of the answers, each named by model and question: those that are judged twice, drawn by hash."""
    by_hash = sorted(answers, key=lambda answer: hashlib.sha256(json.dumps([seed, *answer]).encode()).digest())
    return frozenset(by_hash[: math.ceil(share * len(answers))])


CLAIMS = Metric("claims")
"""The share of an answer's claims that the context bears out."""
_folded = lru_cache(maxsize=4)(folded)


def claims_in(context: str) -> Read:
    """Return the reader of a judge's reply: its claims, each checked against the context."""
    return partial(_claims, context=context)


def _claims(text: str | None, context: str) -> JudgeVerdict | None:
    claims = read_claims(text, _folded(context))
    if claims is None:
        return None
    share = supported_share(claims)
    return JudgeVerdict(share, [asdict(claim) for claim in claims], NO_CLAIMS if share is None else "")


def claims_example(context: str) -> str:
    """A reply such as a good judge would give."""
    claim = {"claim": "The answer's claim.", "quote": context[:80].strip(), "verdict": "supported"}
    return json.dumps({"claims": [claim] * 3}, ensure_ascii=False)


def claim_rows(score: Score) -> Iterator[dict[str, Json]]:
    """The claims of a score one by one, each with the judge that found it; none of another metric."""
    if score.name == CLAIMS.name:
        for judge, claims in said_of(score).get("details", {}).items():
            yield from ({"judge": judge, **claim} for claim in claims)


def reason_of(score: Score) -> str:
    """Why a score is what it is: the judge's reason, of several each by its name; of claims how many hold."""
    details = said_of(score).get("details", {})
    if score.name == CLAIMS.name:
        counts = {judge: Counter(str(claim["verdict"]) for claim in claims) for judge, claims in details.items()}
        details = {
            judge: ", ".join(f"{n} {verdict}" for verdict, n in counter.most_common()) for judge, counter in counts.items()
        }
    reasons = (f"{judge}: {text}" if len(details) > 1 else str(text) for judge, text in details.items())
    return "\n".join(reasons) or score.why


_ALSO = {"o": "gpt", "chatgpt": "gpt"}
"""First words of ids that belong to a family of another name: o4-mini."""
_NO_KIN = frozenset({"sim"})
"""What the simulator's models begin with; they have nothing else in common."""


def family_of(model_id: str) -> str:
    """The family of a model by its API's id: the first word of its last part, such as claude; empty where it has none."""
    word = re.match(r"[a-z]+", model_id.rsplit("/", 1)[-1].casefold())
    family = word[0] if word else ""
    return "" if family in _NO_KIN else _ALSO.get(family, family)


def own_models(judges: Iterable[AskedModel], models: Iterable[AskedModel]) -> dict[str, tuple[str, ...]]:
    """By judge the models among those that answer that are its own: all of its family, and the same at the API."""
    answering_models = list(models)
    own = {judge.name: tuple(dict.fromkeys(chain(*_own_and_kin(judge, answering_models)))) for judge in judges}
    return {name: models for name, models in own.items() if models}


def judge_families(judges: Iterable[AskedModel]) -> dict[str, str]:
    """By judge its family; by its API's id where it has none, so that it is of one with itself alone."""
    return {judge.name: family_of(judge.model_id) or judge.model_id for judge in judges}


def _own_and_kin(judge: AskedModel, models: Sequence[AskedModel]) -> tuple[list[str], list[str]]:
    """Names of the models that are the judge's own, and of those of its family; each once."""
    family = family_of(judge.model_id)
    same = dict.fromkeys(model.name for model in models if model.model_id == judge.model_id)
    kin = dict.fromkeys(model.name for model in models if family and family_of(model.model_id) == family)
    return list(same), list(kin)


def own_family(judges: Sequence[AskedModel], models: Iterable[AskedModel]) -> list[str]:
    """A sentence for each judge that judges itself, or models of its family."""
    answering_models = list(models)
    sentences = []
    for judge in judges:
        own, kin = _own_and_kin(judge, answering_models)
        if kin or own:
            whose = (
                f"of its own family ({family_of(judge.model_id)}): {', '.join(kin)}"
                if kin
                else f"of its own model: {', '.join(own)}"
            )
            clause = (
                "by how much, the report says, since there are several judges"
                if len(judges) > 1
                else "whether this one does cannot be told with one judge"
            )
            better = "a judge of another family is better"
            sentences.append(f"{judge.name} judges answers {whose}; judges tend to prefer their own, {better}; {clause}")
    return sentences
