"""Identity of the judges of an evaluation, and the certificates of a workspace that are copied into a run folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.calls import Json, ModelSpec
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.judging.judge_attacks import ROLE
from tui_eval.evaluation.judging.person_report import judges_of
from tui_eval.evaluation.stage_models import SCORING, AskedModel
from tui_eval.providers import WIRES
from tui_eval.providers.wire import api_version_of
from tui_eval.results.certificate_files import COPIES, LONGEST, MOST_COPIES, certificates_in, copies_text
from tui_eval.results.sums.human_agreement import is_rated_by, is_yes_or_no
from tui_eval.results.sums.judge_certificates import CertificateCopy, Identity, JudgeCertificate, void_reason
from tui_eval.runs.writing import Inside, write_file
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.secret_looks import secret_parts

MOST_DRIVEN = 200
"""Samples that are driven by examples to learn the version of a metric's rules."""
_REST = ("reminder",)


def judged_metrics(evaluation: Evaluation) -> dict[str, Metric]:
    """The metrics by which models judge, and persons may rate, by name."""
    kind, task = evaluation.kind, evaluation.task
    judging_stages = [stage.name for stage in kind.stages if stage.role == "judge"]
    stages = judging_stages if kind.ratings is None else [kind.ratings.judge_stage]
    own = {metric.name for metric in kind.metrics} - task.scorers.names if any(map(task.asked.get, stages)) else set()
    names = own | task.rubrics.keys() | {row.metric_name for row in task.scorers.asking}
    return {metric.name: metric for metric in evaluation.kind.metrics if metric.name in names and is_rated_by(metric)}


def identities(evaluation: Evaluation) -> Iterator[Identity]:
    """Of each judge by each metric of yes and no, or of claims."""
    for metric in judged_metrics(evaluation).values():
        if is_yes_or_no(metric):
            yield from (identity_of(evaluation, metric, judge) for judge in judges_of(evaluation.task, metric.name))


def identity_of(evaluation: Evaluation, metric: Metric, judge: str) -> Identity:
    """Return the identity that a certificate of a judge by a metric is of, in a run of this evaluation."""
    return Identity(
        judge=judge_json(evaluation.models[judge], _asked_model(evaluation, metric.name, judge)),
        prompt=_prompt(evaluation, metric.name),
        metric={"name": metric.name, "low": metric.low, "high": metric.high, "threshold": metric.threshold},
        dataset=_dataset(evaluation),
    )


def judge_json(spec: ModelSpec, asked_model: AskedModel | None = None) -> dict[str, Json]:
    """Who judges, and with which parameters; price, time limits, concurrency and the seed are no part of it."""
    judge: dict[str, Json] = {
        "name": spec.name,
        "wire": spec.wire,
        "model": spec.model,
        "base_url": _open_address(spec.base_url),
    }
    judge |= {"api_version": api_version_of(spec, WIRES[spec.wire]), "reasoning_effort": spec.reasoning_effort}
    for name, table in (("routing_sha256", spec.routing), ("extra_body_sha256", spec.extra_body)):
        if table:
            judge[name] = _sum(json.dumps(table, sort_keys=True))
    if asked_model is not None:
        judge |= {"temperature": asked_model.temperature, "max_output_tokens": asked_model.max_output_tokens}
    return judge


def _open_address(address: str | None) -> str | None:
    """An address as configured, without what looks like a key in it."""
    for part in secret_parts(address) if address and "${" not in address else ():
        address = (address or "").replace(part, "…")
    return None if address is None else address[:LONGEST]


def _asked_model(evaluation: Evaluation, metric: str, judge: str) -> AskedModel | None:
    task = evaluation.task
    rows = [row.asked() for row in task.scorers.asking if row.metric_name == metric]
    stages = (task.rubric_stage,) if metric in task.rubrics else ("scorer", "judge", SCORING)
    rows += [model for stage in stages for model in task.asked.get(stage, ())]
    return next((row for row in rows if row.name == judge), None)


def prompt_names(evaluation: Evaluation, metric: str) -> tuple[str, tuple[str, ...]]:
    """The folder of a metric's prompts, and those that decide what its judges say."""
    kind, task = evaluation.kind, evaluation.task
    if any(row.metric_name == metric for row in task.scorers.asking):
        return SCORING, tuple(task.scorers.prompts)
    if kind.rubrics is not None and metric in task.rubrics:
        return kind.name, kind.rubrics.prompts_of(metric)
    if kind.ratings is not None and metric in kind.ratings.asks:
        return kind.name, tuple(kind.ratings.prompts(metric))
    scorer = tuple(name for name in kind.prompts if name.startswith("scorer"))
    if scorer:
        return kind.name, scorer
    if metric in kind.prompts:
        return kind.name, tuple(name for name in ("judge_system", metric, *_REST) if name in kind.prompts)
    return kind.name, tuple(name for name in kind.prompts if name.startswith("judge") or name in _REST)


def _prompt(evaluation: Evaluation, metric: str) -> dict[str, Json]:
    task = evaluation.task
    folder, names = prompt_names(evaluation, metric)
    texts: Mapping[str, Any] = task.scorers.prompts if folder == SCORING else getattr(task, "prompts", None) or {}
    rubrics = evaluation.kind.rubrics
    holder = getattr(task.config, rubrics.key[0]) if rubrics is not None and evaluation.kind.names_prompts else task.config
    texts = texts or getattr(holder, "prompts", None) or {}
    files = {name: _sum(str(texts[name]).strip()) for name in names if name in texts}
    return {"folder": folder, "files": files, "version": _version(evaluation, metric)}


def _version(evaluation: Evaluation, metric: str) -> str:
    """Of the rules that read the judges' replies, and of whether texts stand in frames: as the scores of a run will have it."""
    other_version = ""
    for sample in islice((sample for sample in evaluation.samples() if not sample.checks_judge), MOST_DRIVEN):
        for score in evaluation.driven(sample, as_example).scores:
            if score.name == metric:
                return score.version[:LONGEST]
            other_version = other_version or score.version
    return other_version[:LONGEST]


def _dataset(evaluation: Evaluation) -> dict[str, Json]:
    """Identify what is asked about: the sums of all files but prompts, prices and attacks on judges."""
    files = [
        file for file in evaluation.files if file.role != ROLE and not any(word in file.role for word in ("prompt", "price"))
    ]
    sha = _sum("\n".join(sorted({file.sha256 for file in files})))
    first = next((file for file in files if file.role in ("dataset", "questions_file", "inputs")), files[0] if files else None)
    more = {} if first is None else {"path": one_line(first.name, LONGEST), "file_sha256": first.sha256}
    return {"name": one_line(str(getattr(evaluation.task, "dataset", "") or evaluation.name), LONGEST), "sha256": sha, **more}


def _sum(text: str) -> str:
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def copies_for(evaluation: Evaluation, workspace: Workspace) -> list[CertificateCopy]:
    """Of each judge by each metric the newest certificate of the workspace that holds, else the newest with why it is void."""
    stored = [entry.certificate for entry in certificates_in(workspace.certificates, workspace.root) if entry.certificate]
    copies = []
    for now in identities(evaluation) if stored else ():
        own = [CertificateCopy(old, void_reason(old, now)) for old in stored if _is_about(old, now)]
        copies += [next((copy for copy in own if not copy.why), own[0])] if own else []
    return copies[:MOST_COPIES]


def _is_about(certificate: JudgeCertificate, now: Identity) -> bool:
    """Return whether a certificate is of this metric and judge, by our name or by the API's own."""
    then = certificate.identity
    same_judge = then.judge.get("name") == now.judge["name"] or then.judge.get("model") == now.judge["model"]
    return bool(then.metric.get("name") == now.metric["name"] and same_judge)


def write_copies(run: Inside, copies: Sequence[CertificateCopy]) -> None:
    """Write them into a run folder; where there are none, what lies there stays."""
    if copies:
        write_file(run / COPIES, copies_text(copies))
