"""What each stage of the panel is asked: the calls to doers, judges, final judges and the scorer."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.calls import Attachment, Call, Message, Reply
from tui_eval.core.samples import Sample
from tui_eval.kinds.panel.panel_table import Config, ModelRow, model_ids
from tui_eval.kinds.shared.limits import of_call
from tui_eval.reading.prompts import fill


def doer_call(config: Config, item: Sample, row: ModelRow, index: int) -> Call:
    """The question and the document to a doer."""
    question, _, block, shown = item.data
    user = fill(config.prompts["doer_user"], {"question": question, "document": block})
    example = "A short answer to the question, in one or two sentences."
    return _call(config, "doer", item, row, index, user, example, shown=shown)


def judge_call(config: Config, item: Sample, row: ModelRow, index: int, answers: Sequence[Reply]) -> Call:
    """The doers' answers, as far as they are sent, to a judge."""
    question, _, block, shown = item.data
    slots = {
        "question": question,
        "document": block if config.send_doc_to_judges else "",
        "doer_responses": _responses("DOER", answers, config) if config.send_doer_responses_to_judges else "",
    }
    follows = tuple(answers) if config.send_doer_responses_to_judges else ()
    user = fill(config.prompts["judge_user"], slots)
    example = "The best answer is the first: it is correct and complete. The second leaves out half of what was asked."
    return _call(config, "judge", item, row, index, user, example, follows, shown=shown if config.send_doc_to_judges else ())


def final_call(
    config: Config, item: Sample, row: ModelRow, index: int, answers: Sequence[Reply], verdicts: Sequence[Reply]
) -> Call:
    """What doers and judges wrote, as far as it is sent, to a final judge."""
    question, _, block, shown = item.data
    sends_answers = config.send_doer_outputs_to_final_judges
    sends_verdicts = bool(verdicts) and config.send_judge_outputs_to_final_judges
    slots = {
        "question": question,
        "document": block if config.send_doc_to_final_judges else "",
        "doer_responses": _responses("DOER", answers, config) if sends_answers else "",
        "judge_responses": _responses("JUDGE", verdicts, config) if sends_verdicts else "",
    }
    follows = (*(answers if sends_answers else ()), *(verdicts if sends_verdicts else ()))
    user = fill(config.prompts["final_user"], slots)
    example = "The final answer, in one or two sentences."
    sees_document = config.send_doc_to_final_judges
    return _call(config, "final", item, row, index, user, example, follows, shown=shown if sees_document else ())


def scorer_call(config: Config, item: Sample, reply: Reply, truth: str, index: int) -> Call:
    """One answer and the truth to the scorer."""
    assert config.benchmark is not None
    assert config.benchmark.scorer is not None
    question = f"QUESTION: {item.data[0]}\n\n" if config.benchmark.include_question else ""
    user = fill(config.prompts["scorer_user"], {"question": question, "truth": truth, "answer": reply.text or ""})
    about = f"{reply.call.stage}:{reply.call.model}#{reply.call.call_index}"
    return _call(config, "scorer", item, config.benchmark.scorer, index, user, "1", (reply,), about)


def _responses(heading: str, replies: Sequence[Reply], config: Config) -> str:
    """The valid texts of a stage, each behind a label that names stage, model id and call index."""
    ids = model_ids(config)
    stage = heading.lower()
    entries = [f"- [{stage}:{ids[r.call.model]}#{r.call.call_index}] {r.text}" for r in replies if r.ok]
    return f"{heading} RESPONSES:\n" + "\n\n".join(entries) + "\n\n" if entries else ""


def _call(
    config: Config,
    stage: str,
    item: Sample,
    row: ModelRow,
    index: int,
    user: str,
    example: str,
    follows: tuple[Reply, ...] = (),
    about: str = "",
    shown: tuple[Attachment, ...] = (),
) -> Call:
    return Call(
        stage,
        item.id,
        row.model,
        (Message("system", config.prompts[f"{stage}_system"]), Message("user", user.strip(), shown)),
        call_index=index,
        about=about,
        **of_call(row),
        follows=follows,
        example=example,
    )
