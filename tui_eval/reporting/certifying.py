"""Certificates of judges: made of the marks in a run folder, written into the workspace, listed with what became of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from tui_eval import __version__
from tui_eval.configuring.evaluation import Evaluation, RowsFromLog
from tui_eval.configuring.judge_identity import identity_of, judge_json
from tui_eval.configuring.log_pass import LogPass
from tui_eval.configuring.reopening import reopen
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.reports import Reporter
from tui_eval.evaluation.judging.person_report import PersonReport, judges_of
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.scorer_report import ReportWithScorers
from tui_eval.models.catalogue import model_tables
from tui_eval.providers import WIRES
from tui_eval.reporting.derive import check_by_person
from tui_eval.results.certificate_files import (
    StoredCertificate,
    certificate_json,
    certificate_text,
    certificates_in,
    file_name,
    stored_certificate,
)
from tui_eval.results.sums.human_agreement import is_yes_or_no, person_name, persons_of
from tui_eval.results.sums.judge_certificates import (
    CertificateOrigin,
    JudgeCertificate,
    Telling,
    rate_of,
    rate_words,
    void_reason,
)
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.person_sentences import say_of_persons
from tui_eval.results.tables import aligned
from tui_eval.runs.folder import this_moment
from tui_eval.runs.reader import RunReader
from tui_eval.statistics.judge_certificate import CorrectedRate
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import read_file
from tui_eval.workspace.private_files import replace_file
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.trust import check_written_inside

MOST_SET_BYTES = 256 * 1024 * 1024
"""A data set that is longer is not read to be compared."""


@dataclass(frozen=True, slots=True)
class Certifying:
    """Outcome of certifying a judge by a metric."""

    metric: str
    judge: str
    certificate: JudgeCertificate | None
    file: str = ""
    """Below the workspace."""
    why: str = ""
    """Why there is none."""
    rate: Estimate | None = None
    """Of all models together, by this judge."""
    corrected: CorrectedRate | None = None
    marks: Mapping[str, int] | None = None
    """How many labels each person gave."""
    before: str = ""
    """The day of the one that it took the place of; that of the certificate itself where nothing changed since."""
    changed: bool = True
    """Whether it was written just now."""

    @property
    def lines(self) -> list[str]:
        """Lines on it for a person to read."""
        whose = f"{one_line(self.metric, 60)} by {one_line(self.judge, 60)}" if self.judge else one_line(self.metric, 60)
        if self.certificate is None:
            return [f"{whose}: {self.why}"]
        telling, origin = self.certificate.telling, self.certificate.made
        persons = ", ".join(f"{person_name(name)} {n:,}" for name, n in (self.marks or {}).items())
        lines = [
            f"{whose}: {self._what_became()}, {self.file}" + (" (simulated)" if origin.simulated else ""),
            f"  sensitivity {_share(telling.sensitivity, telling.sensitivity_low, telling.sensitivity_high)} of "
            f"{telling.n_yes:,} yes, specificity "
            f"{_share(telling.specificity, telling.specificity_low, telling.specificity_high)} of {telling.n_no:,} no, by "
            f"{count_of(len(origin.persons), 'person')} ({persons})"
            + (f"; {say_of_persons('labels_weigh')}" if telling.is_weighted else ""),
        ]
        if self.rate is not None and self.corrected is not None:
            corrected = self.corrected
            value = rate_words(replace(self.rate, value=corrected.value, low=corrected.low, high=corrected.high))
            lines.append(f"  rate {rate_words(self.rate)} of {count_of(self.rate.scored, 'answer')}; corrected {value}")
        return [*lines, f"  made on answers of {origin.names}; {say_of_persons('void_when')}"]

    def _what_became(self) -> str:
        date = self.certificate.made.date if self.certificate else ""
        if not self.changed:
            return f"certificate of {date}, no label changed since"
        return f"certificate of {date} written" + (f" in place of that of {self.before}" if self.before else "")

    @property
    def entry(self) -> dict[str, Json]:
        """The same for programs."""
        certificate = None if self.certificate is None else certificate_json(self.certificate)
        return {"metric": self.metric, "judge": self.judge, "file": self.file, "why": self.why, "certificate": certificate}


def certify(path: Path, workspace: Workspace, metric: str = "", judge: str = "") -> list[Certifying]:
    """Write every certificate that the marks in a run folder allow, of one metric and judge alone where these are named.

    Return what became of each. ConfigError where the run has no such metric or judge; FolderError as `reopen`.
    """
    evaluation = reopen(path, workspace, sends=False).evaluation
    people, served = _people(path, evaluation)
    judges = {name: judges_of(evaluation.task, name) for part in people for name in part.metrics}
    _check_meant(path, judges, metric, judge)
    outcomes = []
    for part in people:
        for part_metric in part.metrics.values():
            if metric in ("", part_metric.name) and (metric or any(answer.ratings for answer in part.rated(part_metric.name))):
                names = [name for name in judges[part_metric.name] if judge in ("", name)]
                outcomes += list(_of_metric(path, workspace, evaluation, part, part_metric, names, served))
    return outcomes or [Certifying(path.name, "", None, why=say_of_persons("nothing_marked" if judges else "nothing_judged"))]


def _check_meant(path: Path, judges: Mapping[str, Sequence[str]], metric: str, judge: str) -> None:
    """Raise ConfigError for a metric by which nothing was judged, and for a judge of nothing."""
    if metric and metric not in judges:
        raise ConfigError(
            f"--metric {metric}: nothing was judged by it in {path.name}; judged: {', '.join(judges) or 'nothing'}"
        )
    if judge and all(judge not in names for names in judges.values()):
        judge_names = ", ".join(dict.fromkeys(name for names in judges.values() for name in names))
        raise ConfigError(f"--judge {judge}: judges nothing in {path.name}; its judges: {judge_names or 'none'}")


def _of_metric(
    path: Path,
    workspace: Workspace,
    evaluation: Evaluation,
    part: PersonReport,
    metric: Metric,
    judges: Sequence[str],
    served: Mapping[str, Sequence[str]],
) -> Iterator[Certifying]:
    if not is_yes_or_no(metric):
        why = say_of_persons("not_yes_or_no", low=f"{metric.low:g}", high=f"{metric.high:g}")
        yield Certifying(metric.name, "", None, why=why)
        return
    for judge in judges:
        telling = part.telling(metric.name, judge)
        if isinstance(telling, str):
            yield Certifying(metric.name, judge, None, why=telling)
            continue
        certificate = _certificate(path, evaluation, part, metric, judge, telling, served)
        file = workspace.certificates / file_name(certificate)
        there = stored_certificate(file, workspace.root).certificate
        changed = there is None or _without_time(there) != _without_time(certificate)
        if changed:
            _write(workspace, certificate, file)
        elif there is not None:
            certificate = there
        rate = part.rate(metric.name, judge)
        rate_with_n = rate_of(rate)
        yield Certifying(
            metric.name, judge, certificate, f"{workspace.certificates.name}/{file.name}", "", rate,
            telling.corrected(*rate_with_n) if rate_with_n else None, _marks(part, metric.name),
            there.made.date if there else "", changed,
        )  # fmt: skip


def _without_time(certificate: JudgeCertificate) -> JudgeCertificate:
    origin = certificate.made
    return replace(certificate, made=replace(origin, at="", models=tuple(sorted(origin.models)), tool_version=""))


def _write(workspace: Workspace, certificate: JudgeCertificate, file: Path) -> None:
    """Put a certificate into the workspace's folder. ConfigError where that is none, or cannot be written."""
    folder = workspace.certificates
    check_written_inside(workspace, folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made: {error.strerror}; move away what stands there") from None
    replace_file(file, certificate_text(certificate), within=workspace.root)


def _certificate(
    path: Path,
    evaluation: Evaluation,
    part: PersonReport,
    metric: Metric,
    judge: str,
    telling: Telling,
    served: Mapping[str, Sequence[str]],
) -> JudgeCertificate:
    manifest = RunReader(path).table("manifest.json")
    models = part.rated_models(metric.name)
    specs = [evaluation.models[name] for name in (judge, *models) if name in evaluation.models]
    origin = CertificateOrigin(
        at=this_moment(),
        run_id=str(manifest.get("run_id", path.name)),
        run_uid=str(manifest.get("uid", "")),
        kind=evaluation.kind.name,
        persons=tuple(person_name(name) for name in _marks(part, metric.name)),
        models=tuple(models.items()),
        tool_version=__version__,
        simulated=any(WIRES[spec.wire].simulated for spec in specs),
    )
    identity = identity_of(evaluation, metric, judge)
    names = [one_line(name, 200) for name in served.get(judge, ())]
    return JudgeCertificate(replace(identity, judge={**identity.judge, "served": names}), origin, telling)


def _marks(part: PersonReport, metric: str) -> dict[str, int]:
    rated = part.rated(metric)
    return {name: sum(answer.ratings.get(name) is not None for answer in rated) for name in persons_of(rated)}


def _people(path: Path, evaluation: Evaluation) -> tuple[list[PersonReport], Mapping[str, Sequence[str]]]:
    """The parts of a run's report that know its persons, and how the APIs of its models call themselves; nothing is written."""
    reporter = evaluation.reporter()
    check_by_person(path, reporter, noted=False)
    log = LogPass(path, evaluation.repeat)
    with log.recorded:
        log.read_on()
        log.end()
        for row in RowsFromLog(evaluation, log.recorded):
            reporter.add(row)
    return list(_parts(reporter)), {name: sorted(served_names) for name, served_names in log.served.items()}


def _parts(reporter: Reporter) -> Iterator[PersonReport]:
    if isinstance(reporter, ReportWithScorers):
        yield from _parts(reporter.own)
        yield from _parts(reporter.scorers)
    elif isinstance(reporter, ScoreReport):
        yield from (part for part in reporter.parts if isinstance(part, PersonReport))


def _share(value: float, low: float, high: float) -> str:
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


# ------------------------------------------------------------------------------------------------------------------ list

VALID, VOID, OPEN = "valid", "void", "not compared"


@dataclass(frozen=True, slots=True)
class ListedCertificate:
    """A certificate of a workspace with what became of it."""

    stored: StoredCertificate
    state: str
    """valid, void, not compared or unreadable."""
    why: str = ""

    @property
    def in_words(self) -> str:
        """The state with its reason, for a person."""
        state = "compared by the run that uses it" if self.state == OPEN else self.state
        return one_line(f"{state}: {self.why}" if self.why else state, 120)

    @property
    def sentence(self) -> str:
        """The certificate in one paragraph."""
        certificate = self.stored.certificate
        if certificate is None:
            return f"{one_line(self.stored.path.name, 60)} is {self.in_words}"
        telling, simulated = certificate.telling, " (simulated)" if certificate.made.simulated else ""
        return (
            f"{certificate.made.date}: {one_line(certificate.metric, 40)} by {one_line(certificate.judge, 40)}{simulated}, on"
            f" answers of {one_line(certificate.made.names, 60)}: sensitivity {telling.sensitivity:.2f}, specificity"
            f" {telling.specificity:.2f}, {count_of(telling.n_yes + telling.n_no, 'label')}; {self.in_words}"
        )


def listed(workspace: Workspace) -> Iterator[ListedCertificate]:
    """Every certificate of a workspace, the newest first: whether it still holds, by what the workspace has now.

    A judge that is in no models.toml, or a set that is not in datasets/, is compared when a run uses it.
    """
    for stored in certificates_in(workspace.certificates, workspace.root):
        if stored.certificate is None:
            yield ListedCertificate(stored, "unreadable", stored.problem)
            continue
        why, missing = _compared(stored.certificate, workspace)
        state = VOID if why else OPEN if missing else VALID
        yield ListedCertificate(stored, state, why or missing)


def listed_lines(workspace: Workspace) -> list[str]:
    """The same as a table for a person; nothing where there is none."""
    rows: list[tuple[str, ...]] = []
    for entry in listed(workspace):
        certificate = entry.stored.certificate
        if certificate is None:
            rows.append((*["-"] * 7, entry.sentence))
            continue
        telling, origin = certificate.telling, certificate.made
        names = one_line(origin.names, 40) + (" (simulated)" if origin.simulated else "")
        shares = (f"{telling.sensitivity:.2f}", f"{telling.specificity:.2f}", f"{telling.n_yes + telling.n_no:,}")
        words = (one_line(certificate.metric, 40), one_line(certificate.judge, 40), names, *shares, entry.in_words)
        rows.append((origin.date, *words))
    return aligned(_COLUMNS, rows, [name in _NUMERIC for name in _COLUMNS], 120).splitlines() if rows else []


_COLUMNS = ("made", "metric", "judge", "answers of", "sens.", "spec.", "labels", "state")
_NUMERIC = ("sens.", "spec.", "labels")


def _compared(certificate: JudgeCertificate, workspace: Workspace) -> tuple[str, str]:
    """Why a certificate is void, and what of it cannot be looked at here; either may be empty."""
    identity, missing = certificate.identity, []
    now = identity
    judge = _judge_now(certificate.judge, workspace)
    if judge is None:
        missing.append("the judge is in no .conf/models.toml")
    else:
        as_asked = {name: identity.judge.get(name) for name in ("temperature", "max_output_tokens")}
        now = replace(now, judge={**as_asked, **judge})
    prompt, gone = _prompt_now(certificate, workspace)
    now = replace(now, prompt=prompt)
    missing += gone
    today = _sum_now(workspace, str(identity.dataset.get("path") or ""))
    if today is None:
        missing.append("the data set is not in datasets/")
    else:
        now = replace(now, dataset={**identity.dataset, "file_sha256": today})
    return void_reason(certificate, now), ", ".join(missing)


def _judge_now(name: str, workspace: Workspace) -> dict[str, Json] | None:
    """A judge as .conf/models.toml has it; None where it has none of this name."""
    if not workspace.models_file.is_file():
        return None
    tables = model_tables(read_toml(workspace.models_file, within=workspace.root))
    spec = next((table.spec(None) for table in tables if table.name == name), None)
    return None if spec is None else judge_json(spec)


def _prompt_now(certificate: JudgeCertificate, workspace: Workspace) -> tuple[dict[str, Json], list[str]]:
    prompt = certificate.identity.prompt
    files, folder = prompt.get("files"), str(prompt.get("folder", certificate.made.kind))
    digests: dict[str, Json] = {}
    gone = []
    for name, then in files.items() if isinstance(files, dict) else ():
        try:
            plain = folder.isidentifier() and str(name).isidentifier()
            text = workspace.prompt(folder, str(name))[0] if plain else None
        except ConfigError:
            text = None
        if text is None:
            gone.append(f"the prompt {one_line(str(name), 60)}.md is not here")
        digests[str(name)] = then if text is None else _sum(text.encode())
    return {**prompt, "files": digests}, gone


def _sum_now(workspace: Workspace, name: str) -> str | None:
    """The sum of the file of that name in datasets/; None where there is none."""
    if not name or "/" in name or "\\" in name or name.startswith("."):
        return None
    try:
        return _sum(read_file(workspace.root / "datasets" / name, MOST_SET_BYTES, workspace.root))
    except OSError:
        return None


def _sum(data: bytes) -> str:
    return sha256(data).hexdigest()
