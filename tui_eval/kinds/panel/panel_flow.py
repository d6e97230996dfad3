"""What the panel asks about, and in which order: doers, judges, final judges, then whoever grades their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.judging.judge_frames import JudgeFrames
from tui_eval.evaluation.judging.rubrics import marks, score_of
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.evaluation.stage_models import AskedModel, numbered
from tui_eval.kinds.panel.document_queue import document_queue
from tui_eval.kinds.panel.headed_texts import HeadedTexts
from tui_eval.kinds.panel.resolving import PanelTask
from tui_eval.kinds.panel.truth_scoring import EXACT, SCORERS, exact_score, scorer_prompt
from tui_eval.reading.prompts import fill
from tui_eval.results.sums.series import NO_TRUTH


def samples(task: PanelTask) -> Samples:
    """Every pair of document and question within the question's scope; where a scorer grades, a truth makes another shape."""
    shaped = task.scorer is not None
    return {"": document_queue(task.questions, task.documents, task.scoped, task.config.attaches, shaped)}


def flow(task: PanelTask, sample: Sample) -> Flow:
    """Doers, judges, final judges, one after the other; within a stage all at once. Then every answer is graded."""
    answers = yield [_doer(task, sample, row, n) for row, n in numbered(task.asked["doer"])]
    verdicts: Sequence[Reply] = []
    if "judge" in task.asked:
        verdicts = yield [_judge(task, sample, row, n, answers) for row, n in numbered(task.asked["judge"])]
    finals: Sequence[Reply] = []
    if "final" in task.asked:
        finals = yield [_final(task, sample, row, n, answers, verdicts) for row, n in numbered(task.asked["final"])]
    return (yield from _graded(task, sample, [*answers, *verdicts, *finals]))


def _graded(task: PanelTask, sample: Sample, replies: Sequence[Reply]) -> Flow:
    """One score per answer, whatever happened to it: 1, 0, or None with the reason."""
    benchmark, scorer, rubric = task.benchmark, task.scorer, SCORERS[bool(task.config.frames)]
    if benchmark is None:
        return []
    if sample.truth is None:
        return [score_of(EXACT if scorer is None else rubric, reply, None, NO_TRUTH) for reply in replies]
    if scorer is None:
        return [exact_score(reply, sample.truth, benchmark.strip_whitespace) for reply in replies]
    ask = partial(_scored, task, sample, scorer, sample.truth)
    return (yield from marks(rubric, replies, ask, task.config.prompts["scorer_reminder"]))


def _doer(task: PanelTask, sample: Sample, row: AskedModel, index: int) -> Call:
    user = fill(task.config.prompts["doer_user"], {"question": sample.question, "document": sample.data.block})
    example = "A short answer to the question, in one or two sentences."
    return _call(task, sample, row, index, user, example, sees_document=True)


def _judge(task: PanelTask, sample: Sample, row: AskedModel, index: int, answers: Sequence[Reply]) -> Call:
    """The doers' answers, as far as they are sent, to a judge."""
    config = task.config
    sent = answers if config.send_doer_responses_to_judges else ()
    texts = _texts(task, sample)
    slots = {
        "question": texts.text("question", sample.question, "QUESTION"),
        "document": texts.document(sample.data.block) if config.send_doc_to_judges else "",
        "doer_responses": _responses(task, texts, "DOER", sent),
    }
    user = fill(config.prompts["judge_user"], slots)
    example = "The best answer is the first: it is correct and complete. The second leaves out half of what was asked."
    return _call(task, sample, row, index, user, example, tuple(sent), config.send_doc_to_judges, texts=texts)


def _final(
    task: PanelTask, sample: Sample, row: AskedModel, index: int, answers: Sequence[Reply], verdicts: Sequence[Reply]
) -> Call:
    """What doers and judges wrote, as far as it is sent, to a final judge."""
    config = task.config
    sent = answers if config.send_doer_outputs_to_final_judges else ()
    also = verdicts if config.send_judge_outputs_to_final_judges else ()
    texts = _texts(task, sample)
    slots = {
        "question": texts.text("question", sample.question, "QUESTION"),
        "document": texts.document(sample.data.block) if config.send_doc_to_final_judges else "",
        "doer_responses": _responses(task, texts, "DOER", sent),
        "judge_responses": _responses(task, texts, "JUDGE", also),
    }
    user = fill(config.prompts["final_user"], slots)
    example = "The final answer, in one or two sentences."
    return _call(task, sample, row, index, user, example, (*sent, *also), config.send_doc_to_final_judges, texts=texts)


def _scored(task: PanelTask, sample: Sample, scorer: AskedModel, truth: str, reply: Reply, index: int) -> Call:
    """One answer and the truth to the scorer."""
    texts = _texts(task, sample)
    question = sample.question if task.benchmark and task.benchmark.include_question else None
    user = scorer_prompt(task.config.prompts["scorer_user"], texts, question, truth, reply.text or "", reply)
    about = f"{reply.call.stage}:{reply.call.model}#{reply.call.call_index}"
    return _call(task, sample, scorer, index, user, "1", (reply,), about=about, texts=texts)


def _texts(task: PanelTask, sample: Sample) -> HeadedTexts:
    """What stands in a sample's calls for judges: with marks made of its document."""
    return HeadedTexts(JudgeFrames.of(task.config.frames, task.seed, sample.data.block))


def _responses(task: PanelTask, texts: HeadedTexts, heading: str, replies: Sequence[Reply]) -> str:
    """The valid texts of a stage, each behind a label that names stage, model id and call index."""
    ids = model_ids(task)
    name = "ANSWER" if heading == "DOER" else "VERDICT"
    shown = [(r.call, texts.text("answer", r.text or "", name, r)) for r in replies if r.ok]
    entries = [f"- [{call.stage}:{ids[call.model]}#{call.call_index}] {text}" for call, text in shown]
    return f"{heading} RESPONSES:\n" + "\n\n".join(entries) + "\n\n" if entries else ""


def _call(
    task: PanelTask,
    sample: Sample,
    row: AskedModel,
    index: int,
    user: str,
    example: str,
    follows: tuple[Reply, ...] = (),
    sees_document: bool = False,
    about: str = "",
    texts: HeadedTexts | None = None,
) -> Call:
    system = task.config.prompts[f"{row.stage}_system"]
    shown = sample.data.attachments if sees_document else ()
    system, held = (texts.system(system), texts.held) if texts else (system, ())
    return row.ask(sample, system, user, index, shown, about=about, follows=follows, example=example, holds_marks=held)


def model_ids(task: PanelTask) -> Mapping[str, str]:
    """Each model by its name: the id it has at its API."""
    return {model.name: model.model_id for models in task.asked.values() for model in models}


def labels(task: PanelTask) -> Mapping[str, Json]:
    """The factors of the call formula (spec 003 §11)."""
    rows = {f"{stage}_n": sum(row.calls for row in task.asked.get(stage, ())) for stage in ("doer", "judge", "final")}
    return {"documents": max(1, len(task.documents)), "questions": len(task.questions), **rows}
