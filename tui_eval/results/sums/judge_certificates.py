"""Certificates of judges: how often one is right of what persons said yes and no of, and the rates that this corrects."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.person_checks import CheckedAnswer
from tui_eval.results.sums.person_sentences import say_of_persons
from tui_eval.statistics.clusters import effective_clusters
from tui_eval.statistics.estimates import wilson
from tui_eval.statistics.judge_certificate import LEAST_TELLING, CorrectedRate, rogan_gladen

LEAST_LABELS = 20
"""Labels of each truth, yes and no, that a certificate takes."""
PARTS: Final = ("judge", "prompt", "metric", "dataset")
"""What a certificate is of; where one of them differs it is void."""
NAMES: Final = {"judge": "judge", "prompt": "prompt", "metric": "metric", "dataset": "data set"}
"""What a person calls them."""
UNCOMPARED: Final = {"judge": {"name", "served"}, "prompt": {"folder"}, "metric": set[str](), "dataset": {"name", "path"}}
"""Fields that say where a part comes from and do not decide what it is."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Subject of a certificate: a judge, its prompts, a metric and a data set, each as its file has it."""

    judge: Mapping[str, Json]
    prompt: Mapping[str, Json]
    metric: Mapping[str, Json]
    dataset: Mapping[str, Json]

    @property
    def digest(self) -> str:
        """12 hexadecimal digits that tell it from every other."""
        parts = [_compared(self, part) for part in PARTS]
        return sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "backslashreplace")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Telling:
    """Sensitivity and specificity of a judge, by the labels of persons."""

    n_yes: int
    """Labels."""
    n_no: int
    m_yes: float
    """As how many labels of one weight they count."""
    m_no: float
    sensitivity: float
    """Share of what persons said yes of that the judge says yes of."""
    sensitivity_low: float
    sensitivity_high: float
    specificity: float
    """Share of what persons said no of that the judge says no of."""
    specificity_low: float
    specificity_high: float
    n_undecided: int = 0
    """Answers of which as many persons said yes as no."""
    n_cannot_tell: int = 0

    @property
    def is_weighted(self) -> bool:
        """Return whether labels count unequally, by how they were drawn, so that shares are none of whole numbers of labels."""
        return abs(self.m_yes - self.n_yes) > 1e-6 or abs(self.m_no - self.n_no) > 1e-6

    def corrected(self, rate: float, n: float) -> CorrectedRate:
        """A rate that the judge gave over an effective number of answers, as persons would have found it."""
        return rogan_gladen(rate, n, self.specificity, self.m_no, self.sensitivity, self.m_yes)


@dataclass(frozen=True, slots=True)
class CertificateOrigin:
    """Origin of a certificate."""

    at: str
    """ISO 8601, in UTC."""
    run_id: str
    run_uid: str
    kind: str
    persons: tuple[str, ...]
    models: tuple[tuple[str, str], ...]
    """Those whose answers were labelled: our names, and the APIs' own."""
    tool_version: str = ""
    simulated: bool = False
    """Whether the judge, or any of these models, was simulated."""
    stage: str = ""
    """The one in which the judge is asked."""

    @property
    def date(self) -> str:
        """The day."""
        return one_line(self.at[:10], 10)

    @property
    def names(self) -> str:
        """The models, by our names, for a sentence."""
        return ", ".join(one_line(name, 60) for name, _ in self.models)


@dataclass(frozen=True, slots=True)
class JudgeCertificate:
    """Worth of a judge's yes and no by one metric on one data set."""

    identity: Identity
    made: CertificateOrigin
    telling: Telling

    @property
    def metric(self) -> str:
        """Its name."""
        return str(self.identity.metric.get("name"))

    @property
    def judge(self) -> str:
        """Our name of the judge."""
        return str(self.identity.judge.get("name"))


@dataclass(frozen=True, slots=True)
class CertificateCopy:
    """A certificate as a run has it: compared with what the run asks, when it was copied into its folder."""

    certificate: JudgeCertificate
    why: str = ""
    """Why it is void; empty = it is valid."""


def telling_of(answers: Sequence[CheckedAnswer], undecided: int = 0, least: int = LEAST_LABELS) -> Telling | str:
    """Return how well labels show a judge to tell yes from no; a sentence where they say too little for a certificate.

    The judge's marks are 1 and 0; there must be `least` labels of either truth.

    Each label counts by its weight over the number of labels of its conversation. Labels that were not drawn by lot count for
    nothing.
    """
    judged = [answer for answer in answers if answer.judge is not None and not (answer.cannot_tell and answer.person is None)]
    labels = [answer for answer in judged if answer.person is not None and answer.is_drawn]
    of_conversation = Counter(answer.conversation for answer in labels)
    yes, no = ([answer for answer in labels if (answer.person == 1) == is_yes] for is_yes in (True, False))
    if not labels and any(answer.person is not None for answer in judged):
        return say_of_persons("nothing_drawn")
    if min(len(yes), len(no)) < least or len(judged) < 2 * least:
        return _too_few(len(judged), len(yes), len(no))

    def share(of: Sequence[CheckedAnswer], right: float) -> tuple[float, tuple[float, float, float]]:
        weights = [answer.weight / of_conversation[answer.conversation] for answer in of]
        hits = math.fsum(weight for answer, weight in zip(of, weights, strict=True) if answer.judge == right)
        ratio, m = hits / math.fsum(weights), effective_clusters(weights)
        low, high = wilson(ratio * m, m) or (0.0, 1.0)
        return m, (ratio, low, high)

    (m_yes, sensitivity), (m_no, specificity) = share(yes, 1.0), share(no, 0.0)
    total = round(sensitivity[0] + specificity[0], 9)
    if total <= LEAST_TELLING:
        return say_of_persons("tells_too_little", total=_down(total), least=f"{LEAST_TELLING:g}")
    unsure = sum(answer.cannot_tell and answer.person is None for answer in answers)
    return Telling(len(yes), len(no), m_yes, m_no, *sensitivity, *specificity, undecided, unsure)


def _too_few(judged: int, yes: int, no: int) -> str:
    """Say what is missing for a certificate, by how many answers there are and how many have labels of either truth."""
    if judged < 2 * LEAST_LABELS:
        return say_of_persons("few_answers", n=count_of(judged, "such answer"), least=LEAST_LABELS)
    missing = [(LEAST_LABELS - n, name) for n, name in ((yes, "yes"), (no, "no")) if n < LEAST_LABELS]
    more = " and ".join(f"{n} more {name}" for n, name in missing)
    verb = "is" if sum(n for n, _ in missing) == 1 else "are"
    return say_of_persons("too_few_labels", yes=f"{yes:,}", no=f"{no:,}", missing=f"{more} {verb}")


def _down(value: float) -> str:
    """Two places, never above the value: 1.1999 is none that is more than 1.2."""
    return f"{math.floor(round(value * 100, 6)) / 100:.2f}"


def rate_of(score: Estimate) -> tuple[float, float] | None:
    """The rate of a side, and as how many answers it counts; of a share of claims as many as there are conversations."""
    if score.value is None or not score.n:
        return None
    return score.value, float(score.n if score.effective is None else score.effective)


def void_reason(certificate: JudgeCertificate, now: Identity) -> str:
    """Why a certificate is not of what is asked now, by the first part that differs; empty where it is."""
    for part in PARTS:
        then, today = _compared(certificate.identity, part), _compared(now, part)
        if then != today:
            fields = sorted(name for name in then.keys() | today.keys() if then.get(name) != today.get(name))
            changes = ", ".join(_fields_in_words(part, fields, then, today))
            return f"the {NAMES[part]} changed" + (f" ({changes})" if changes else "")
    return ""


def by_served(copy: CertificateCopy, served: Mapping[str, Collection[str]]) -> CertificateCopy:
    """The same, void where the judge's API calls itself by none of the names that it had when the certificate was made.

    `served`: by our names of models how their APIs call themselves.
    """
    then, now = copy.certificate.identity.judge.get("served"), sorted(served.get(copy.certificate.judge, ()))
    if copy.why or not isinstance(then, list) or not then or not now or set(then) & set(now):
        return copy
    answers, was = (", ".join(one_line(str(name), 60) for name in names) for names in (now, then))
    return replace(copy, why=f"the API answers as {answers}, the certificate is of {was}")


def _fields_in_words(part: str, fields: Sequence[str], then: Mapping[str, Json], today: Mapping[str, Json]) -> list[str]:
    """The fields that differ; of prompts the files, of a data set nothing, since its sum says nothing to a reader."""
    if part == "dataset":
        return []
    changed = []
    for name in fields:
        if name == "files":
            old, new = (table if isinstance(table, dict) else {} for table in (then.get(name), today.get(name)))
            changed += [
                one_line(f"{file}.md", 60) for file in sorted(old.keys() | new.keys()) if old.get(file) != new.get(file)
            ]
        else:
            changed.append(name.removesuffix("_sha256"))
    return changed


def _compared(identity: Identity, part: str) -> dict[str, Json]:
    """A part without what does not decide; a field without a value is as one that is not there."""
    table: Mapping[str, Json] = getattr(identity, part)
    return {name: value for name, value in table.items() if name not in UNCOMPARED[part] and value is not None}


def certificate_words(certificate: JudgeCertificate, rate: CorrectedRate) -> str:
    """A corrected rate with the certificate that it rests on."""
    telling, simulated = certificate.telling, " (simulated)" if certificate.made.simulated else ""
    return say_of_persons(
        "certified", value=_rate(rate.value, rate.low, rate.high), date=f"{certificate.made.date}{simulated}",
        sensitivity=f"{telling.sensitivity:.2f}", specificity=f"{telling.specificity:.2f}", models=certificate.made.names,
    )  # fmt: skip


def rate_words(rate: Estimate) -> str:
    """A rate in whole percent with its interval."""
    return "-" if rate.value is None or rate.low is None or rate.high is None else _rate(rate.value, rate.low, rate.high)


def _rate(value: float, low: float, high: float) -> str:
    return f"{100 * value:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def other_models(certificate: JudgeCertificate, models: Mapping[str, str]) -> str:
    """Name the models, by our names the APIs' own, that the certificate was not made on, in a sentence; empty of none."""
    certified_ids = {model_id for _, model_id in certificate.made.models}
    uncertified = [one_line(name, 60) for name, model_id in models.items() if model_id not in certified_ids]
    return (
        say_of_persons("other_models", models=", ".join(uncertified), verb="is" if len(uncertified) == 1 else "are")
        if uncertified
        else ""
    )
