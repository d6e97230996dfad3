"""Files under the names and in the shapes of spec 000: of each source as its calls end, and totals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tui_eval.core.calls import WITHOUT_TEXT, Json, Reply
from tui_eval.core.gathering import gathered
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.kinds import RunStamp
from tui_eval.core.output_names import joined, name_part
from tui_eval.core.plaintext import zero_width_signs
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import AGAIN
from tui_eval.evaluation.judging.judge_panel import said_of
from tui_eval.kinds.pipeline.file_flow import UNNAMED, settled
from tui_eval.kinds.pipeline.file_results import FileAnswers, FilePlace, Processed, Worked, judged_about
from tui_eval.kinds.pipeline.file_task import FileTask, Material
from tui_eval.kinds.pipeline.imported_stages import FileQuestion

_encode = json_encoder()
WHOLE = range(6)
FOLDERS = {"process": "processed", "questions": "questions", "answers": "answers", "judge": "scores"}
"""By stage, where spec 000 keeps what it makes."""


class Marked(NamedTuple):
    """An answer that was wanted."""

    category: str
    mark: float | None
    """None where it has none, whether it could not be read or there was no answer to mark."""
    why: str = ""
    """Why there is none; its first words, up to a colon, are what is counted."""


def eval_scores(answers: Sequence[Marked], threshold: float) -> Mapping[str, Any]:
    """Of every answer that was wanted from a judge, also of those that never came and so were never handed over.

    pass_rate is in percent, as the specification's own file has it; it and the averages are over the answers with a mark, two
    decimals. `pass_rate_bounds`: the same over all, what is missing counted as failed, and as passed. `score_distribution`
    counts marks by their nearest whole number.
    """
    values = [answer.mark for answer in answers if answer.mark is not None]
    passed, missing = sum(mark >= threshold for mark in values), len(answers) - len(values)
    return {
        "total_items": len(answers),
        "average_score": _mean(values),
        "pass_rate": round(100 * passed / len(values), 1) if values else None,
        "score_distribution": {str(level): sum(int(mark + 0.5) == level for mark in values) for level in WHOLE},
        **_by_category(answers),
        "n_scored": len(values),
        "n_missing": missing,
        "missing_by_reason": dict(Counter(answer.why.split(":")[0] for answer in answers if answer.mark is None)),
        "n_passed": passed,
        "pass_rate_bounds": [round(100 * (passed + n) / len(answers), 1) for n in (0, missing)] if answers else None,
        "coverage": round(len(values) / len(answers), 6) if answers else None,
    }


def _by_category(answers: Sequence[Marked]) -> dict[str, Any]:
    marks = gathered((answer.category, answer.mark) for answer in answers)
    scored = {category: [mark for mark in group if mark is not None] for category, group in marks.items()}
    return {
        "category_averages": {category: _mean(group) for category, group in scored.items()},
        "category_n_scored": {category: len(group) for category, group in scored.items()},
        "category_n_missing": {category: len(group) - len(scored[category]) for category, group in marks.items()},
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 2) if values else None


COUNTED_TOKENS = ("input_tokens", "output_tokens")
"""Figures of an item of token usage that its file adds up."""


def files(task: FileTask, row: SampleResult) -> Mapping[str, Json]:
    """A source's processed texts, clean, and the answers to its questions, a file for each two models; so far as they stand."""
    material, work = row.sample.data, settled(task, row)
    contents: dict[str, Json] = {
        f"processed/{_text_name(task, material, text)}": text.text
        for text in work.texts
        if text.text is not None and text.reply
    }
    own_answers = [answered for answered in work.answered if answered.asked]
    for entries in gathered(((each.text.model, each.model), each) for each in own_answers).values():
        contents[_answers_path(material, *_models(task, entries[0]))] = _answers(task, material, entries, work.places)
    return contents


def paths(task: FileTask, sample: Sample) -> Iterator[str]:
    """Yield the paths of all these files."""
    material: Material = sample.data
    makers = {(model.name, model.model_id): None for model in task.asked.get("process", ())}
    imported = {(text.model or UNNAMED, text.model): None for text in material.texts}
    for name, model_id in makers:
        for run in range(task.runs):
            yield f"processed/{_text_file(task, material, name, model_id, run + 1)}"
    for name, model_id in makers | imported:
        for model in task.asked.get("answers", ()):
            yield _answers_path(material, model_part(task, name, model_id), model_part(task, model.name, model.model_id))


def _text_name(task: FileTask, material: Material, text: Processed) -> str:
    return _text_file(task, material, text.model, text.model_id, text.run)


def _text_file(task: FileTask, material: Material, model: str, model_id: str, run: int) -> str:
    return joined(name_part(material.name), "processed", model_part(task, model, model_id), f"run{run:02d}", suffix="md")


def _answers_path(material: Material, process_model: str, answer_model: str) -> str:
    """Return where the answers of two models lie, which are called so in names."""
    return f"answers/{joined(name_part(material.name), 'answers', process_model, answer_model, suffix='json')}"


def model_part(task: FileTask, name: str, model_id: str) -> str:
    """A model as file names have it: the API's own id, and our name where two of the run share that."""
    label = task.label(name, model_id)
    return name_part(model_id, name) if label == f"{model_id}~{name}" else name_part(label)


def _models(task: FileTask, entry: FileAnswers) -> tuple[str, str]:
    return model_part(task, entry.text.model, entry.text.model_id), model_part(task, entry.model, entry.model_id)


def _answers(
    task: FileTask, material: Material, entries: Sequence[FileAnswers], places: Sequence[FilePlace]
) -> dict[str, Json]:
    """AnswerResults of spec 000 §3; ours are the fields behind its own."""
    first = entries[0]
    return {
        "image_name": material.name,
        "model_id": first.model_id,
        "generated": max((entry.found.reply.ended_at for entry in entries), default=""),
        "runs": [
            {
                "run": f"{entry.text.run:02d}",
                "transcription_file": _text_name(task, material, entry.text),
                "questions_and_answers": [_answer(entry, place) for place in places if place.question],
                **({"text_cut": True} if entry.text.cut else {}),
            }
            for entry in entries
        ],
        "name": first.model,
        "process_model": first.text.model_id,
        "process_name": first.text.model,
    }


def _answer(entry: FileAnswers, place: FilePlace) -> dict[str, Json]:
    assert place.question is not None
    fields = place.question.as_json()
    answerable, answer = fields.pop("answerable"), entry.found.answers.get(place.question.id)
    why = {} if answer is not None else {"why_missing": entry.found.why.get(place.question.id, "not asked")}
    return {**fields, "model_answer": answer, "answerable": answerable, **why}


# ------------------------------------------------------------------------------------------------- what a source brings


class ScorePart(NamedTuple):
    """A wanted score of an answer: by whom, what it came to, and its item as JSON text; empty where nothing stands in it."""

    models: tuple[str, str, str]
    """The one that processed, the one that answered, and the judge, as names have them."""
    wanted: Marked
    item: str


class SourcePart(NamedTuple):
    """A source's part of the files that add up, as JSON texts, since all sources' parts are kept."""

    processed: str
    tokens: str
    questions: str
    answered: str
    scores: tuple[ScorePart, ...]


def part(task: FileTask, row: SampleResult) -> SourcePart:
    """Return a source's part of the files that add up, so far as it stands."""
    material, work = row.sample.data, settled(task, row)
    written = {
        "source": material.name,
        "filename": material.filename,
        "sort": material.sort or "text",
        "questions": [place.question.as_json() for place in work.places if place.question],
        "written_at": max((reply.ended_at for reply in row.replies if task.is_of(reply, "questions")), default=""),
    }
    counts = [_answer_counts(task, entry, work.places) for entry in work.answered if entry.asked]
    return SourcePart(
        processed=_encode([_processed(task, material, text) for text in work.texts if text.reply]),
        tokens=_encode(list(_tokens(task, material, work.texts, row.replies))),
        questions=_encode(written if material.piece and work.written else None),
        answered=_encode([{"source": material.name, **entry} for entry in counts]),
        scores=tuple(_scores(task, material, row, work)),
    )


def _processed(task: FileTask, material: Material, text: Processed) -> dict[str, Json]:
    assert text.reply is not None
    fields = {
        "file": _text_name(task, material, text),
        "model": text.model_id,
        "status": "ok" if text.text is not None else text.reply.why,
    }
    left_out = _left_out(text)
    unseen = zero_width_signs(text.text or "")
    signs = {**({"n_left_out": left_out} if left_out else {}), **({"n_zero_width": unseen} if unseen else {})}
    return {**fields, **({"text_cut": True} if text.cut else {}), **signs}


def _left_out(text: Processed) -> int:
    """Count the control characters of a reply that its file has not."""
    raw = text.reply.text if text.reply and text.text is not None else None
    return max(len((raw or "").replace("\r\n", "\n")) - len(text.text or ""), 0)


def _answer_counts(task: FileTask, entry: FileAnswers, places: Sequence[FilePlace]) -> dict[str, Json]:
    """Count the wanted answers that a text brought; a question that was not even written is missing, too."""
    answered, unwritten = len(entry.found.answers), sum(place.question is None for place in places)
    counts = {"answered": answered, "missing": len(places) - answered}
    none = {"no_question": unwritten} if unwritten else {}
    return {"models": list(_models(task, entry)), "run": entry.text.run, **counts, **none}


def _tokens(
    task: FileTask, material: Material, texts: Sequence[Processed], replies: Sequence[Reply]
) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """(folder, model as in names, item of its token usage) of every reply that came, or says what it used."""
    ids = {each.name: each.model_id for models in task.asked.values() for each in models}
    names = {id(text.reply): _text_name(task, material, text) for text in texts}
    for reply in replies:
        usage, model = reply.usage, reply.call.model
        came = reply.ok or reply.error_kind in WITHOUT_TEXT
        if not reply.final or (not came and usage.prompt_tokens is None and usage.completion_tokens is None):
            continue
        item = {
            "file": names.get(id(reply), material.name),
            "input_tokens": usage.prompt_tokens,
            "output_tokens": usage.completion_tokens,
            "timestamp": reply.ended_at,
            "cached_tokens": usage.cached_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "cost_usd": reply.spent_usd,
            **({"cached": True} if reply.cached else {}),
        }
        yield FOLDERS[reply.call.stage], model_part(task, model, ids[model]), {"model_id": ids[model], "item": item}


def _scores(task: FileTask, material: Material, row: SampleResult, worked: Worked) -> Iterator[ScorePart]:
    """For each judge and wanted answer what it comes to; and its item, with what the judge said as it came, before it was read.

    There is no item where there was no question, since nothing stands in it.
    """
    judge_replies = {
        (r.call.model, r.call.about.removesuffix(AGAIN)): r for r in row.replies if task.is_of(r, "judge") and not r.unsent
    }
    for entry, scores in zip(worked.answered, worked.marks, strict=False):
        for place, score in zip(worked.places, scores, strict=True):
            verdict = said_of(score)
            about = judged_about(task, entry, place.question) if place.question else ""
            for judge in task.asked["judge"]:
                if (judge.name, about) in worked.unjudged:
                    continue
                value = verdict.get("marks", {}).get(judge.name)
                why = "" if value is not None else score.why or "judge unparsed"
                item = _score_item(task, material, entry, place.question, judge.name, judge_replies, verdict, why)
                yield ScorePart(
                    models=(*_models(task, entry), model_part(task, judge.name, judge.model_id)),
                    wanted=Marked(place.category, value, why),
                    item="" if item is None else _encode(item),
                )


def _score_item(
    task: FileTask, material: Material, entry: FileAnswers, question: FileQuestion | None,
    judge: str, judge_replies: Mapping[tuple[str, str], Reply], verdict: Mapping[str, Any], why: str,
) -> dict[str, Json] | None:  # fmt: skip
    """An item of a file with scores. `verdict`: what the judges' replies came to."""
    if question is None:
        return None
    fields, reply = question.as_json(), judge_replies.get((judge, judged_about(task, entry, question)))
    return {
        "source": material.name, "run": f"{entry.text.run:02d}", "id": fields["id"], "category": fields["category"],
        "question": fields["question"], "reference_answer": fields["reference_answer"],
        "model_answer": entry.found.answers.get(question.id), "answerable": fields["answerable"],
        "raw_output": reply.text if reply else None, "score": verdict.get("marks", {}).get(judge),
        "rationale": verdict.get("details", {}).get(judge, ""),
        **({"why_missing": why} if why else {}),
        **({"text_cut": True} if entry.text.cut else {}),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------- what they add up to


def totals(task: FileTask, parts: Sequence[SourcePart], run: RunStamp) -> Iterator[tuple[str, Json]]:
    """Config, usage of tokens, questions and scores of all sources so far, in their order; each made when it is written."""
    for name, content in _contents(task, parts, run):
        yield name, {**content, "simulated": True} if run.simulated else content


def _contents(task: FileTask, parts: Sequence[SourcePart], run: RunStamp) -> Iterator[tuple[str, dict[str, Json]]]:
    yield from _config(task, run).items()
    yield from _usage([entry for part in parts for entry in json.loads(part.tokens)])
    results = [entry for part in parts for entry in json.loads(part.processed)]
    if results:
        yield "processed/_summary.json", _summary(results, sum(entry["status"] == "ok" for entry in results))
    yield from _questions(task, [json.loads(part.questions) for part in parts if part.questions != "null"], run)
    yield from _answer_summaries([entry for part in parts for entry in json.loads(part.answered)])
    yield from _score_files(task, parts, run)


def moment(run: RunStamp) -> str:
    """When the run was begun, as names have it: 2026-01-22T20-15."""
    return run.started_at[:16].replace(":", "-") or "0000-00-00T00-00"


def _summary(results: Sequence[Json], n: int) -> dict[str, Json]:
    return {"processed": n, "failed": len(results) - n, "total": len(results), "results": list(results)}


def _config(task: FileTask, run: RunStamp) -> dict[str, Json]:
    """_config__…: the resolved table, under its name, and what the shortened and encoded parts of names stand for."""
    models = {each.name: each for stage_models in task.asked.values() for each in stage_models}
    names = {model_part(task, each.name, each.model_id): task.label(each.name, each.model_id) for each in models.values()}
    names |= {name_part(material.name): material.name for material in task.materials} | {name_part(run.name): run.name}
    config = task.config.model_dump(exclude_none=True, exclude={"prompts"})
    shortened = {part: text for part, text in names.items() if part != text}
    content = {"name": run.name, "started_at": run.started_at, "pipeline": config, "names": shortened}
    return {joined("_config", name_part(run.name), suffix="json"): content}


def _usage(entries: Sequence[Sequence[Any]]) -> Iterator[tuple[str, dict[str, Json]]]:
    by_model = gathered(((folder, model), entry) for folder, model, entry in entries)
    for (folder, model), own in by_model.items():
        yield (
            f"{folder}/{joined('_token_usage', model, suffix='json')}",
            {
                "model_id": own[0]["model_id"],
                "generated": max(entry["item"]["timestamp"] for entry in own),
                **{f"total_{name}": _known_sum(entry["item"][name] for entry in own) for name in COUNTED_TOKENS},
                "items": [entry["item"] for entry in own],
                **_unknown_tokens(own),
            },
        )


def _known_sum(counts: Iterable[int | None]) -> int | None:
    """Of those that are known; None where none is."""
    values = [count for count in counts if count is not None]
    return sum(values) if values else None


def _unknown_tokens(entries: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """Count the items that lack one of the counts that the totals are made of; nothing where none does."""
    lacking = sum(None in (entry["item"][name] for name in COUNTED_TOKENS) for entry in entries)
    return {"n_tokens_unknown": lacking} if lacking else {}


def _questions(task: FileTask, written: Sequence[Mapping[str, Any]], run: RunStamp) -> Iterator[tuple[str, dict[str, Json]]]:
    """EvalQuestions of spec 000 §3, a file for each sort of source."""
    for model in task.asked.get("questions", ()):
        for sort, own in gathered((entry["sort"], entry) for entry in written).items():
            writer = model_part(task, model.name, model.model_id)
            name = joined("questions", "from", sort, writer, moment(run), suffix="json")
            yield (
                f"questions/{name}",
                {
                    "generated": max(entry["written_at"] for entry in own),
                    "model": model.model_id,
                    "images": {
                        entry["source"]: {"filename": entry["filename"], "questions": entry["questions"]} for entry in own
                    },
                    "name": model.name,
                },
            )


def _answer_summaries(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Json]]]:
    """Of each two models; a text of which no answer came has failed, even where the call went well."""

    def told(entry: Mapping[str, Any]) -> dict[str, Any]:
        counts = {name: value for name, value in entry.items() if name != "models"}
        return {**counts, "status": "ok" if entry["answered"] else "failed"}

    by_models = gathered((tuple(entry["models"]), told(entry)) for entry in entries)
    for models, own in by_models.items():
        yield (
            f"answers/{joined('_summary', 'answers', *models, suffix='json')}",
            {
                **_summary(own, sum(entry["status"] == "ok" for entry in own)),
                **{f"n_{name}": sum(entry[name] for entry in own) for name in ("answered", "missing")},
            },
        )


def _score_files(task: FileTask, parts: Sequence[SourcePart], run: RunStamp) -> Iterator[tuple[str, dict[str, Json]]]:
    by_models = gathered((score.models, score) for part in parts for score in part.scores)
    threshold = 4 if task.threshold is None else task.threshold
    stamp = {"timestamp": moment(run).replace("T", "_")}
    for (process, answer, judge), scores in by_models.items():
        name = joined("scores", process, answer, "judged", judge, moment(run), suffix="json")
        yield f"scores/{name}", {**stamp, "items": [json.loads(score.item) for score in scores if score.item]}
    for judge in dict.fromkeys(judge for _, _, judge in by_models):
        own = {models: [score.wanted for score in scores] for models, scores in by_models.items() if models[2] == judge}
        whole = eval_scores([wanted for scores in own.values() for wanted in scores], threshold)
        each = [
            {"process_model": models[0], "answer_model": models[1], **eval_scores(scores, threshold)}
            for models, scores in own.items()
        ]
        name = joined("_summary", "scores", judge, moment(run), suffix="json")
        yield f"scores/{name}", {**stamp, **whole, "pass_threshold": threshold, "models": each}
