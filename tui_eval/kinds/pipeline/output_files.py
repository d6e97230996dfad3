"""Files under the names and in the shapes of spec 000: of each source as its calls end, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tui_eval.core.calls import WITHOUT_TEXT, Json, Reply
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import RunStamp
from tui_eval.core.output_names import joined, name_part
from tui_eval.core.plaintext import zero_width_signs
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.calls import AGAIN
from tui_eval.evaluation.judging.judge_panel import said_of
from tui_eval.kinds.pipeline.file_flow import Answered, Place, Processed, Worked, judged_about, settled
from tui_eval.kinds.pipeline.file_task import FileTask, Material
from tui_eval.kinds.pipeline.imported_stages import Question

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


def eval_scores(wanted: Sequence[Marked], threshold: float) -> Mapping[str, Any]:
    """Of every answer that was wanted from a judge, also of those that never came and so were never handed over.

    pass_rate is in percent, as the specification's own file has it; it and the averages are over the answers with a mark, two
    decimals. `pass_rate_bounds`: the same over all, what is missing counted as failed, and as passed. `score_distribution`
    counts marks by their nearest whole number.
    """
    values = [one.mark for one in wanted if one.mark is not None]
    passed, missing = sum(mark >= threshold for mark in values), len(wanted) - len(values)
    return {
        "total_items": len(wanted),
        "average_score": _mean(values),
        "pass_rate": round(100 * passed / len(values), 1) if values else None,
        "score_distribution": {str(level): sum(int(mark + 0.5) == level for mark in values) for level in WHOLE},
        **_by_category(wanted),
        "n_scored": len(values),
        "n_missing": missing,
        "missing_by_reason": dict(Counter(one.why.split(":")[0] for one in wanted if one.mark is None)),
        "n_passed": passed,
        "pass_rate_bounds": [round(100 * (passed + n) / len(wanted), 1) for n in (0, missing)] if wanted else None,
        "coverage": round(len(values) / len(wanted), 6) if wanted else None,
    }


def _by_category(wanted: Sequence[Marked]) -> dict[str, Any]:
    marks = gathered((one.category, one.mark) for one in wanted)
    known = {category: [mark for mark in found if mark is not None] for category, found in marks.items()}
    return {
        "category_averages": {category: _mean(found) for category, found in known.items()},
        "category_n_scored": {category: len(found) for category, found in known.items()},
        "category_n_missing": {category: len(found) - len(known[category]) for category, found in marks.items()},
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 2) if values else None


COUNTED_TOKENS = ("input_tokens", "output_tokens")
"""Figures of an item of token usage that its file adds up."""


def files(task: FileTask, row: SampleResult) -> Mapping[str, Json]:
    """A source's processed texts, clean, and the answers to its questions, a file for each two models; so far as they stand."""
    one, found = row.sample.data, settled(task, row)
    made: dict[str, Json] = {
        f"processed/{_text_name(task, one, text)}": text.text for text in found.texts if text.text is not None and text.reply
    }
    asked = [answered for answered in found.answered if answered.asked]
    for entries in gathered(((each.text.model, each.model), each) for each in asked).values():
        name = joined(name_part(one.name), "answers", *_models(task, entries[0]), suffix="json")
        made[f"answers/{name}"] = _answers(task, one, entries, found.places)
    return made


def _text_name(task: FileTask, one: Material, text: Processed) -> str:
    return joined(
        name_part(one.name), "processed", model_part(task, text.model, text.model_id), f"run{text.run:02d}", suffix="md"
    )


def model_part(task: FileTask, name: str, model_id: str) -> str:
    """A model as file names have it: the API's own id, and our name where two of the run share that."""
    label = task.label(name, model_id)
    return name_part(model_id, name) if label == f"{model_id}~{name}" else name_part(label)


def _models(task: FileTask, one: Answered) -> tuple[str, str]:
    return model_part(task, one.text.model, one.text.model_id), model_part(task, one.model, one.model_id)


def _answers(task: FileTask, one: Material, entries: Sequence[Answered], places: Sequence[Place]) -> dict[str, Json]:
    """AnswerResults of spec 000 §3; ours are the fields behind its own."""
    first = entries[0]
    return {
        "image_name": one.name,
        "model_id": first.model_id,
        "generated": max((entry.found.reply.ended_at for entry in entries), default=""),
        "runs": [
            {
                "run": f"{entry.text.run:02d}",
                "transcription_file": _text_name(task, one, entry.text),
                "questions_and_answers": [_answer(entry, place) for place in places if place.question],
                **({"text_cut": True} if entry.text.cut else {}),
            }
            for entry in entries
        ],
        "name": first.model,
        "process_model": first.text.model_id,
        "process_name": first.text.model,
    }


def _answer(entry: Answered, place: Place) -> dict[str, Json]:
    assert place.question is not None
    told = place.question.as_json()
    answerable, answer = told.pop("answerable"), entry.found.answers.get(place.question.id)
    why = {} if answer is not None else {"why_missing": entry.found.why.get(place.question.id, "not asked")}
    return {**told, "model_answer": answer, "answerable": answerable, **why}


# ------------------------------------------------------------------------------------------------- what a source brings


def part(task: FileTask, row: SampleResult) -> dict[str, Json]:
    """What a source brings to the files that add up, so far as it stands."""
    one, found = row.sample.data, settled(task, row)
    return {
        "source": one.name,
        "filename": one.filename,
        "sort": one.sort or "text",
        "tokens": list(_tokens(task, one, found.texts, row.replies)),
        "processed": [_processed(task, one, text) for text in found.texts if text.reply],
        "questions": [place.question.as_json() for place in found.places if place.question]
        if one.piece and found.written
        else None,
        "written_at": max((reply.ended_at for reply in row.replies if task.is_of(reply, "questions")), default=""),
        "answered": [_told(task, entry, found.places) for entry in found.answered if entry.asked],
        "scores": list(_scores(task, one, row, found)),
    }


def _processed(task: FileTask, one: Material, text: Processed) -> dict[str, Json]:
    assert text.reply is not None
    told = {
        "file": _text_name(task, one, text),
        "model": text.model_id,
        "status": "ok" if text.text is not None else text.reply.why,
    }
    left_out = _left_out(text)
    unseen = zero_width_signs(text.text or "")
    signs = {**({"n_left_out": left_out} if left_out else {}), **({"n_zero_width": unseen} if unseen else {})}
    return {**told, **({"text_cut": True} if text.cut else {}), **signs}


def _left_out(text: Processed) -> int:
    """How many control characters of a reply its file has not."""
    raw = text.reply.text if text.reply and text.text is not None else None
    return max(len((raw or "").replace("\r\n", "\n")) - len(text.text or ""), 0)


def _told(task: FileTask, entry: Answered, places: Sequence[Place]) -> dict[str, Json]:
    """How many of the wanted answers a text brought; a question that was not even written is missing, too."""
    answered, unwritten = len(entry.found.answers), sum(place.question is None for place in places)
    counts = {"answered": answered, "missing": len(places) - answered}
    none = {"no_question": unwritten} if unwritten else {}
    return {"models": list(_models(task, entry)), "run": entry.text.run, **counts, **none}


def _tokens(
    task: FileTask, one: Material, texts: Sequence[Processed], replies: Sequence[Reply]
) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """(folder, model as in names, item of its token usage) of every reply that came, or says what it used."""
    ids = {each.name: each.model_id for models in task.asked.values() for each in models}
    names = {id(text.reply): _text_name(task, one, text) for text in texts}
    for reply in replies:
        usage, model = reply.usage, reply.call.model
        came = reply.ok or reply.error_kind in WITHOUT_TEXT
        if not reply.final or (not came and usage.prompt_tokens is None and usage.completion_tokens is None):
            continue
        item = {
            "file": names.get(id(reply), one.name),
            "input_tokens": usage.prompt_tokens,
            "output_tokens": usage.completion_tokens,
            "timestamp": reply.ended_at,
            "cached_tokens": usage.cached_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "cost_usd": reply.spent_usd,
            **({"cached": True} if reply.cached else {}),
        }
        yield FOLDERS[reply.call.stage], model_part(task, model, ids[model]), {"model_id": ids[model], "item": item}


def _scores(task: FileTask, one: Material, row: SampleResult, worked: Worked) -> Iterator[dict[str, Json]]:
    """For each judge and wanted answer what it comes to; and its item, with what the judge said as it came, before it was read.

    There is no item where there was no question, since nothing stands in it.
    """
    said = {(r.call.model, r.call.about.removesuffix(AGAIN)): r for r in row.replies if task.is_of(r, "judge") and not r.unsent}
    for entry, scores in zip(worked.answered, worked.marks, strict=False):
        for place, score in zip(worked.places, scores, strict=True):
            found = said_of(score)
            about = judged_about(task, entry, place.question) if place.question else ""
            for judge in task.asked["judge"]:
                if (judge.name, about) in worked.unjudged:
                    continue
                value = found.get("marks", {}).get(judge.name)
                why = "" if value is not None else score.why or "judge unparsed"
                yield {
                    "models": [*_models(task, entry), model_part(task, judge.name, judge.model_id)],
                    "wanted": Marked(place.category, value, why),
                    "item": _score_item(task, one, entry, place.question, judge.name, said, found, why),
                }


def _score_item(
    task: FileTask, one: Material, entry: Answered, question: Question | None,
    judge: str, said: Mapping[tuple[str, str], Reply], found: Mapping[str, Any], why: str,
) -> dict[str, Json] | None:  # fmt: skip
    """An item of a file with scores. `found`: what the judges' replies came to."""
    if question is None:
        return None
    told, reply = question.as_json(), said.get((judge, judged_about(task, entry, question)))
    return {
        "source": one.name, "run": f"{entry.text.run:02d}", "id": told["id"], "category": told["category"],
        "question": told["question"], "reference_answer": told["reference_answer"],
        "model_answer": entry.found.answers.get(question.id), "answerable": told["answerable"],
        "raw_output": reply.text if reply else None, "score": found.get("marks", {}).get(judge),
        "rationale": found.get("details", {}).get(judge, ""),
        **({"why_missing": why} if why else {}),
        **({"text_cut": True} if entry.text.cut else {}),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------- what they add up to


def totals(task: FileTask, parts: Sequence[Mapping[str, Any]], run: RunStamp) -> Mapping[str, Json]:
    """Config, usage of tokens, questions and scores of all sources so far, in their order."""
    made = {**_config(task, run), **_usage(parts)}
    results = [entry for one in parts for entry in one["processed"]]
    if results:
        made["processed/_summary.json"] = _summary(results, sum(entry["status"] == "ok" for entry in results))
    made |= _questions(task, parts, run)
    made |= _answer_summaries(parts)
    made |= _score_files(task, parts, run)
    return {name: {**content, "simulated": True} for name, content in made.items()} if run.simulated else made


def moment(run: RunStamp) -> str:
    """When the run was begun, as names have it: 2026-01-22T20-15."""
    return run.started_at[:16].replace(":", "-") or "0000-00-00T00-00"


def _summary(results: Sequence[Json], n: int) -> dict[str, Json]:
    return {"processed": n, "failed": len(results) - n, "total": len(results), "results": list(results)}


def _config(task: FileTask, run: RunStamp) -> dict[str, Json]:
    """_config__…: the resolved table, under its name, and what the shortened and encoded parts of names stand for."""
    models = {each.name: each for asked in task.asked.values() for each in asked}
    named = {model_part(task, each.name, each.model_id): task.label(each.name, each.model_id) for each in models.values()}
    named |= {name_part(one.name): one.name for one in task.materials} | {name_part(run.name): run.name}
    config = task.config.model_dump(exclude_none=True, exclude={"prompts"})
    shortened = {part: text for part, text in named.items() if part != text}
    told = {"name": run.name, "started_at": run.started_at, "pipeline": config, "names": shortened}
    return {joined("_config", name_part(run.name), suffix="json"): told}


def _usage(parts: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    found = gathered(((folder, model), entry) for one in parts for folder, model, entry in one["tokens"])
    return {
        f"{folder}/{joined('_token_usage', model, suffix='json')}": {
            "model_id": entries[0]["model_id"],
            "generated": max(entry["item"]["timestamp"] for entry in entries),
            **{f"total_{name}": _known_sum(entry["item"][name] for entry in entries) for name in COUNTED_TOKENS},
            "items": [entry["item"] for entry in entries],
            **_unknown_tokens(entries),
        }
        for (folder, model), entries in found.items()
    }


def _known_sum(counts: Iterable[int | None]) -> int | None:
    """Of those that are known; None where none is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _unknown_tokens(entries: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """How many items lack one of the counts that the totals are made of; nothing where none does."""
    lacking = sum(None in (entry["item"][name] for name in COUNTED_TOKENS) for entry in entries)
    return {"n_tokens_unknown": lacking} if lacking else {}


def _questions(task: FileTask, parts: Sequence[Mapping[str, Any]], run: RunStamp) -> dict[str, Json]:
    """EvalQuestions of spec 000 §3, a file for each sort of source."""
    found: dict[str, Json] = {}
    for model in task.asked.get("questions", ()):
        for sort in dict.fromkeys(one["sort"] for one in parts if one["questions"] is not None):
            own = [one for one in parts if one["sort"] == sort and one["questions"] is not None]
            writer = model_part(task, model.name, model.model_id)
            name = joined("questions", "from", sort, writer, moment(run), suffix="json")
            found[f"questions/{name}"] = {
                "generated": max(one["written_at"] for one in own),
                "model": model.model_id,
                "images": {one["source"]: {"filename": one["filename"], "questions": one["questions"]} for one in own},
                "name": model.name,
            }
    return found


def _answer_summaries(parts: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """Of each two models; a text of which no answer came has failed, even where the call went well."""

    def told(source: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        counts = {name: value for name, value in entry.items() if name != "models"}
        return {"source": source, **counts, "status": "ok" if entry["answered"] else "failed"}

    found = gathered((tuple(entry["models"]), told(one["source"], entry)) for one in parts for entry in one["answered"])
    return {
        f"answers/{joined('_summary', 'answers', *models, suffix='json')}": {
            **_summary(entries, sum(entry["status"] == "ok" for entry in entries)),
            **{f"n_{name}": sum(entry[name] for entry in entries) for name in ("answered", "missing")},
        }
        for models, entries in found.items()
    }


def _score_files(task: FileTask, parts: Sequence[Mapping[str, Any]], run: RunStamp) -> dict[str, Json]:
    found = gathered((tuple(entry["models"]), entry) for one in parts for entry in one["scores"])
    threshold = 4 if task.threshold is None else task.threshold
    made: dict[str, Json] = {}
    stamp = {"timestamp": moment(run).replace("T", "_")}
    for (process, answer, judge), entries in found.items():
        name = joined("scores", process, answer, "judged", judge, moment(run), suffix="json")
        made[f"scores/{name}"] = {**stamp, "items": [entry["item"] for entry in entries if entry["item"]]}
    for judge in dict.fromkeys(judge for _, _, judge in found):
        own = {models: entries for models, entries in found.items() if models[2] == judge}
        whole = eval_scores([entry["wanted"] for entries in own.values() for entry in entries], threshold)
        each = [
            {
                "process_model": models[0],
                "answer_model": models[1],
                **eval_scores([entry["wanted"] for entry in entries], threshold),
            }
            for models, entries in own.items()
        ]
        name = joined("_summary", "scores", judge, moment(run), suffix="json")
        made[f"scores/{name}"] = {**stamp, **whole, "pass_threshold": threshold, "models": each}
    return made
