"""Samples and calls of the panel: doers, judges, final judges, graders, for each question or pair of documents."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.input_sources import InputFile
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import DOCUMENT, NO_DOCUMENT, Sample
from tui_eval.datasets.document_blocks import Document, document_of
from tui_eval.evaluation.judging.judge_frames import JudgeFrames
from tui_eval.evaluation.judging.rubrics import marks, score_of
from tui_eval.evaluation.sample_queues import Queue, Samples
from tui_eval.evaluation.stage_models import AskedModel, numbered
from tui_eval.kinds.panel.headed_texts import HeadedTexts
from tui_eval.kinds.panel.open_questions import OpenQuestion
from tui_eval.kinds.panel.resolving import PanelTask
from tui_eval.kinds.panel.truth_scoring import EXACT, SCORERS, exact_score, scorer_prompt
from tui_eval.reading.prompts import fill
from tui_eval.results.sums.series import NO_TRUTH


def document_queue(
    questions: Sequence[OpenQuestion],
    documents: Mapping[str, InputFile],
    scoped: Mapping[int, Sequence[str]],
    attach: bool,
    shaped: bool,
) -> Queue:
    """The queue; without documents, every question by itself. A sample's `data` is its Document.

    `scoped`: ids of documents, by the positions of the questions that are asked of these only. `attach`: whether images and
    PDFs are shown as such. `shaped`: whether samples with a truth have another shape than those without.
    """
    doc_ids = [*documents] or [NO_DOCUMENT]
    asked = [_positions(questions, scoped, doc_id) for doc_id in doc_ids]
    ends = [*accumulate(map(len, asked))]

    @lru_cache(maxsize=2)
    def document(doc_id: str) -> Document:
        return document_of(doc_id, documents[doc_id], attach) if doc_id in documents else Document()

    def place(n: int) -> tuple[str, int]:
        which = bisect_right(ends, n)
        return doc_ids[which], asked[which][n - ends[which] + len(asked[which])]

    def shapes() -> Iterator[bool]:
        for doc_id, positions in zip(doc_ids, asked, strict=True):
            yield from (truth_of(questions[index], doc_id) is not None for index in positions)

    def make(n: int) -> Sample:
        doc_id, index = place(n)
        question = questions[index]
        truth = truth_of(question, doc_id)
        return Sample(
            f"{doc_id}/q{index}",
            question=question if isinstance(question, str) else question.question,
            truth=truth,
            groups={} if doc_id == NO_DOCUMENT else {DOCUMENT: (doc_id,)},
            doc_id=doc_id,
            q_index=index,
            shape=truth is not None if shaped else "",
            data=document(doc_id),
        )

    return Queue(ends[-1], make, shapes if shaped else None)


def _positions(questions: Sequence[OpenQuestion], scoped: Mapping[int, Sequence[str]], doc_id: str) -> Sequence[int]:
    """Which questions are asked of a document."""
    every = range(len(questions))
    return [n for n in every if n not in scoped or doc_id in scoped[n]] if scoped else every


def truth_of(question: OpenQuestion, doc_id: str) -> str | None:
    """The right answer to a question about a document; None where none is known."""
    if isinstance(question, str):
        return None
    return question.document_truths.get(doc_id, question.truth) if question.document_truths else question.truth


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
