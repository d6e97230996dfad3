"""Jobs for own scorers: what their functions are told of each reply, and the scores that they gave, looked up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from tui_eval.core.calls import Call, Json
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample, plain_id
from tui_eval.evaluation.scorers import Scorers
from tui_eval.evaluation.scoring.own_code.code_scores import CODE, NOT_SCORED
from tui_eval.evaluation.scoring.own_code.python_rule import PythonRow
from tui_eval.evaluation.scoring.rule import Outcome
from tui_eval.evaluation.scoring.sample_scorers import Marks
from tui_eval.evaluation.scoring.scorer_table import rule_of
from tui_eval.evaluation.scoring.scoring import score_from, settled
from tui_eval.evaluation.targets import TargetedAnswer

HASH_SHOWN = 8
"""Digits of this hash in the version."""


class CodeJob(NamedTuple):
    """One reply for a function to score."""

    call: Call
    sample: str
    """The id of its sample, as people see it."""
    line: str
    """What the function is told, as JSON: the reply and the sample."""

    @property
    def digest(self) -> str:
        """A digest of what the function is told."""
        return hashlib.blake2b(self.line.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def jobs_of(scorers: Scorers, sample: Sample, answers: Iterable[TargetedAnswer]) -> Iterator[tuple[PythonRow, CodeJob]]:
    """Each reply of a sample that a function is to score, with the row that names the function."""
    for _, answer, row in _rows(scorers, answers):
        text = settled(rule_of(row), row, answer.reply, answer.expected, scorers.fence)
        if isinstance(text, str):
            yield row, _job(sample, answer, text)


def marks_by_code(scorers: Scorers, sample: Sample, answers: Sequence[TargetedAnswer]) -> Marks:
    """Return the scores of a sample's answers by own scorers, as they are on file; missing, with the reason, where none is."""
    scores: dict[tuple[int, str], Score] = {}
    for place, answer, row in _rows(scorers, answers):
        rule, table, code = rule_of(row), scorers.code_scores, ""
        result = settled(rule, row, answer.reply, answer.expected, scorers.fence)
        if isinstance(result, str):
            if table is None:
                result = Outcome(None, NOT_SCORED)
            else:
                job = _job(sample, answer, result)
                result, code = table.outcome(row, rule, job.call, job.digest), table.hash_of(row.python)
        score = score_from(rule, row, answer.reply, result)
        scores[place, row.metric_name] = replace(score, version=f"{score.version}{CODE}{code[:HASH_SHOWN]}") if code else score
    return scores


def _rows(scorers: Scorers, answers: Iterable[TargetedAnswer]) -> Iterator[tuple[int, TargetedAnswer, PythonRow]]:
    """Each answer that there is, with each own scorer of it."""
    for place, answer in enumerate(answers):
        for row in (scorers.rows if answer.scorers is None else answer.scorers) if not answer.why else ():
            if row.runs_code:
                yield place, answer, cast("PythonRow", row)


def own_id(sample: Sample) -> str:
    """The id of a sample as its data set has it: without the model and the prompt that it is asked of and by."""
    if sample.id.endswith(f"/{sample.doc_id}"):
        return sample.doc_id
    return plain_id(sample.id.removeprefix(f"{sample.queue}/"))


def _job(sample: Sample, answer: TargetedAnswer, text: str) -> CodeJob:
    call, expected = answer.reply.call, answer.expected
    targets = [*(expected.targets or ())]
    right = expected.answer
    by_option = expected.options[right] if right is not None and right < len(expected.options) else None
    groups: Mapping[str, Json] = {name: [*values] for name, values in sample.groups.items()}
    about: dict[str, Json] = {
        "id": own_id(sample),
        "key": plain_id(sample.id),
        "question": sample.question if answer.question is None else answer.question,
        "target": targets[0] if targets else by_option,
        "targets": targets,
        "options": [*expected.options],
        "answer": right,
        "groups": groups,
        "stage": call.stage,
        "model": call.model,
        "repeat": sample.repeat,
    }
    return CodeJob(call, plain_id(sample.id), json.dumps({"reply": text, "sample": about}))
