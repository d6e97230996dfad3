"""The panel: doers answer, judges compare the answers, final judges write the one that is kept; then answers are scored."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.kinds import Flow, Metric, RunDefaults, Stage
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import DOCUMENT, NO_DOCUMENT, Sample
from tui_eval.core.units import Unit, Units, digest
from tui_eval.datasets.document_blocks import Document, document_of
from tui_eval.evaluation.judging.judge_frames import JudgeFrames
from tui_eval.evaluation.judging.judge_panel import marks, score_of
from tui_eval.evaluation.judging.judge_part import JudgePart
from tui_eval.evaluation.kind import Kind, RatingForm, SampleFiles, SampleForm, Starts, TaskForm
from tui_eval.evaluation.sample_queues import Queue, Samples
from tui_eval.evaluation.sample_results import reply_json
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.stage_models import AskedModel, numbered
from tui_eval.evaluation.targets import Targets
from tui_eval.kinds.panel.answer_rubrics import ANSWERING, RUBRICS, answers_to_judge, scored_answers
from tui_eval.kinds.panel.exact_report import ExactReport
from tui_eval.kinds.panel.open_questions import OpenQuestion, table_of
from tui_eval.kinds.panel.resolving import PROMPTS, PanelConfig, PanelTask, asked_places, in_full, resolve
from tui_eval.kinds.panel.truth_scoring import EXACT, SCORERS, HeadedTexts, exact_score, scorer_prompt
from tui_eval.reading.prompts import fill
from tui_eval.results.sums.series import NO_TRUTH

CORRECT = Metric("correct", threshold=1.0)
GRADED = ("doer", "judge", "final")
MEANING = {"doer": "answer agrees with truth", "judge": "text agrees with truth", "final": "answer agrees with truth"}
JUDGES = "\nA judge's row: how often its text agrees with the truth, not how well it judges."


def samples(task: PanelTask) -> Samples:
    """Every pair of document and question within the question's scope; without documents, every question by itself. A sample's
    `data` is its Document; where a scorer grades, a truth makes another shape."""
    questions, judging = task.questions, task.judging
    places = asked_places(task.documents, len(questions), task.scoped)
    ends = [*accumulate(len(positions) for _, positions in places)]
    n_twice = Counter(sample_id for _, sample_id in judging.twice) if judging else Counter[str]()
    shaped = task.scorer is not None or judging is not None

    @lru_cache(maxsize=2)
    def document(doc_id: str) -> Document:
        return document_of(doc_id, task.documents[doc_id], task.config.attaches) if doc_id in task.documents else Document()

    def shape(doc_id: str, index: int) -> Hashable:
        has_truth = task.scorer is not None and truth_of(questions[index], doc_id) is not None
        if judging is None:
            return has_truth
        return has_truth, n_twice[f"{doc_id}/q{index}"], bool(document(doc_id).text)

    def shapes() -> Iterator[Hashable]:
        return (shape(doc_id, index) for doc_id, positions in places for index in positions)

    def make(n: int) -> Sample:
        which = bisect_right(ends, n)
        doc_id, positions = places[which]
        index = positions[n - ends[which] + len(positions)]
        question = questions[index]
        truth = truth_of(question, doc_id)
        return Sample(
            f"{doc_id}/q{index}",
            question=question if isinstance(question, str) else question.question,
            truth=truth,
            groups={} if doc_id == NO_DOCUMENT else {DOCUMENT: (doc_id,)},
            doc_id=doc_id,
            q_index=index,
            shape=shape(doc_id, index) if shaped else "",
            data=document(doc_id),
        )

    return {"": Queue(ends[-1], make, shapes if shaped else None)}


def truth_of(question: OpenQuestion, doc_id: str) -> str | None:
    """The right answer to a question about a document; None where none is known."""
    if isinstance(question, str):
        return None
    return question.document_truths.get(doc_id, question.truth) if question.document_truths else question.truth


def flow(task: PanelTask, sample: Sample) -> Flow:
    """Doers, judges, final judges, one after the other; within a stage all at once. Then every answer is graded, and judged by
    a person's own rubrics."""
    answers = yield [_doer(task, sample, row, n) for row, n in numbered(task.asked["doer"])]
    verdicts: Sequence[Reply] = []
    if "judge" in task.asked:
        verdicts = yield [_judge(task, sample, row, n, answers) for row, n in numbered(task.asked["judge"])]
    finals: Sequence[Reply] = []
    if "final" in task.asked:
        finals = yield [_final(task, sample, row, n, answers, verdicts) for row, n in numbered(task.asked["final"])]
    grades = yield from _graded(task, sample, [*answers, *verdicts, *finals])
    if task.judging is None:
        return grades
    by_rubrics = yield from task.judging.scores(sample, answers_to_judge(task.judging, sample, [*answers, *finals]))
    return [*grades, *by_rubrics]


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
    """Return the call that sends what doers and judges wrote, as far as it is sent, to a final judge."""
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
    """Return the texts in a sample's calls for judges: with marks made of its document."""
    return HeadedTexts(JudgeFrames.of(task.config.frames, task.seed, sample.data.block))


def _responses(task: PanelTask, texts: HeadedTexts, heading: str, replies: Sequence[Reply]) -> str:
    """The valid texts of a stage, each behind a label that names stage, model id and call index."""
    ids = model_ids(task)
    name = "ANSWER" if heading == "DOER" else "VERDICT"
    labelled = [(r.call, texts.text("answer", r.text or "", name, r)) for r in replies if r.ok]
    entries = [f"- [{call.stage}:{ids[call.model]}#{call.call_index}] {text}" for call, text in labelled]
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
    attachments = sample.data.attachments if sees_document else ()
    system, marks = (texts.frames.system(system), texts.held) if texts else (system, ())
    return row.ask(sample, system, user, index, attachments, about=about, follows=follows, example=example, holds_marks=marks)


def model_ids(task: PanelTask) -> Mapping[str, str]:
    """Each model by its name: the id it has at its API."""
    return {model.name: model.model_id for models in task.asked.values() for model in models}


def labels(task: PanelTask) -> Mapping[str, Json]:
    """The factors of the call formula (spec 003 §11)."""
    rows = {f"{stage}_n": sum(row.calls for row in task.asked.get(stage, ())) for stage in ("doer", "judge", "final")}
    return {"documents": max(1, len(task.documents)), "questions": len(task.questions), **rows}


def unit_of(task: PanelTask, sample: Sample) -> Unit:
    """A question of a document; where there are few documents, a question that is asked of several is one cluster."""
    document = task.documents.get(sample.doc_id)
    item = digest(sample.question, sample.truth, "" if document is None else document.sha256)
    own = f"{sample.doc_id}/{sample.q_index}"
    return Unit(item, (own,) if sample.doc_id == NO_DOCUMENT else (sample.doc_id, str(sample.q_index), own))


def report(task: PanelTask) -> ScoreReport:
    """Accuracy per stage and model, and scores by rubrics with what is known of their judges; nothing without either."""
    rubrics = tuple(rubric.metric for rubric in task.rubrics.values())
    scores = _scores_of(task, rubrics)
    if task.judging is not None:
        scores.parts.append(JudgePart(task, rubrics, RUBRICS.stage, ANSWERING, partial(scored_answers, task.judging)))
    return scores


def _scores_of(task: PanelTask, rubrics: tuple[Metric, ...]) -> ScoreReport:
    if task.benchmark is None:
        return ScoreReport(task, rubrics or (CORRECT,), judged=task.rubrics)
    by = "exact match" if task.scorer is None else "compared by the scorer model"
    note, also = (f"{by.capitalize()}. ", "") if not rubrics else ("", f" {CORRECT.name}: {by}.")
    expected = [(stage, row.name) for stage in GRADED for row in task.asked.get(stage, ())]
    meaning = {**MEANING, **{name: name for name in task.rubrics}}
    words = ((CORRECT, *rubrics), "scorer", expected, meaning, note, also + JUDGES * ("judge" in task.asked))
    if task.scorer is None:
        return ExactReport(task, task.benchmark, ANSWERING, *words, judged=task.rubrics)
    return ScoreReport(task, *words, judged=(CORRECT.name, *task.rubrics))


def own_metrics(task: PanelTask) -> tuple[Metric, ...]:
    """The metrics that it measures beside scorers."""
    return (*((CORRECT,) if task.benchmark else ()), *(rubric.metric for rubric in task.rubrics.values()))


def result(task: PanelTask, row: SampleResult) -> Json:
    """A sample of results.json (spec 003 §12.4), with its grades; scores by rubrics are in results.jsonl."""
    ids = model_ids(task)
    scored = {(s.stage, s.model, s.call_index): s for s in row.scores if s.name == CORRECT.name}

    def shown(reply: Reply) -> Json:
        call = reply.call
        entry = {"model_id": ids.get(call.model, call.model), "model": call.model, **reply_json(reply)}
        score = scored.get((call.stage, call.model, call.call_index))
        return entry if score is None else {**entry, "correct": score.value, "correct_why": score.why}

    doers, judges, finals = ([shown(r) for r in row.replies if r.call.stage == stage] for stage in GRADED)
    return {
        "item_id": row.sample.id,
        "doc_id": row.sample.doc_id,
        "q_index": row.sample.q_index,
        "repeat": row.sample.repeat,
        "question": row.sample.question,
        "truth": row.sample.truth,
        "finished": row.finished,
        "doers": doers,
        "judges": judges,
        "finals": finals,
        "primary_outputs": finals if "final" in task.asked else doers,
    }


PANEL = Kind(
    name="panel",
    about="models answer questions, judges compare the answers; with truths, answers are graded, too",
    Config=PanelConfig,
    defaults=RunDefaults(
        max_calls=100, retries=0, timeout_s=60.0, max_output_tokens=200, backoff="linear", longer_when_cut=True
    ),
    stages=(
        Stage("doer"),
        Stage("judge", role="work"),
        Stage("final"),
        Stage("scorer", role="judge"),
        Stage(RUBRICS.stage, role="judge"),
    ),
    metrics=(CORRECT,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=report,
    units=Units(levels=("document", "question"), of=unit_of),
    targets=Targets(
        ANSWERING,
        where="panel.truths: give them, or panel.truths_file, or answers in the dataset",
        own_metrics=own_metrics,
    ),
    sample_form=SampleForm(result),
    task_form=TaskForm(labels, in_full),
    starts=Starts(table_of, frozenset(), set_keys=("dataset", "questions_file"), uses=frozenset({"documents"})),
    ratings=RatingForm(
        "scorer",
        {CORRECT.name: "Does the answer agree with the ground truth?"},
        lambda metric: ("scorer_system", "scorer_user", "scorer_reminder"),
        RUBRICS,
    ),
    sample_files=SampleFiles(on_demand=frozenset()),
)
