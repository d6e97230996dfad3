"""An item of the panel with its answers: as results.json keeps it, and as the app shows it."""

from __future__ import annotations

from tui_eval.core.calls import Json, Reply
from tui_eval.core.results import Row, Shown
from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.kinds.panel.panel_table import Config, model_ids


def result(config: Config, row: Row) -> Json:
    """An item of results.json (spec 003 §12.4), with its scores."""
    ids = model_ids(config)
    scored = {(s.stage, s.model, s.call_index): s for s in row.scores}

    def shown(reply: Reply) -> Json:
        call = reply.call
        entry = {
            "model_id": ids.get(call.model, call.model),
            "model": call.model,
            "call_index": call.call_index,
            "text": reply.text,
            "status": reply.status,
            "why": reply.why,
            "finish_reason": reply.finish_reason,
        }
        score = scored.get((call.stage, call.model, call.call_index))
        return entry if score is None else {**entry, "correct": score.value, "correct_why": score.why}

    by_stage = {stage: [shown(r) for r in row.replies if r.call.stage == stage] for stage in ("doer", "judge", "final")}
    return {
        "item_id": row.item.id,
        "doc_id": row.item.doc_id,
        "q_index": row.item.q_index,
        "repeat": row.item.repeat,
        "question": row.item.data[0],
        "truth": row.item.data[1],
        "finished": row.finished,
        "doers": by_stage["doer"],
        "judges": by_stage["judge"],
        "finals": by_stage["final"],
        "primary_outputs": by_stage["final"] if config.finals else by_stage["doer"],
    }


def shown(config: Config, row: Row) -> Shown:
    """The question, its truth, and the answers that are kept: the final judges', else the doers'."""
    item, stage = row.item, "final" if config.finals else "doer"
    return Shown(
        question=item.data[0],
        truth=item.data[1],
        primary=tuple(n for n, reply in enumerate(row.replies) if reply.call.stage == stage),
        groups={} if item.doc_id == NO_DOCUMENT else {"document": (item.doc_id,)},
    )
