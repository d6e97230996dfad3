"""Turns as evaluation.json and tables of turns have them (spec 001, FR-016c)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json, Reply
from tui_eval.core.results import About, Score
from tui_eval.evaluation.judging.claim_verification import claim_rows, reason_of
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.chat.dialogue_turns import Dialogue


class TurnEntries:
    """Keeps an entry for each turn, and a row for each claim."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Json]] = []
        self._claims: list[dict[str, Json]] = []

    def add(self, repeat: int, dialogue: Dialogue, reply: Reply, scores: Sequence[Score], is_degraded: bool) -> None:
        """Take in a turn with its answer and the scores of this."""
        entry = _entry(repeat, dialogue, reply, scores, is_degraded)
        self._entries.append(entry)
        where = {name: entry[name] for name in ("model", "conversation", "turn", "repeat")}
        self._claims += [{**where, **claim} for score in scores for claim in claim_rows(score)]

    def files(self, about: About, dataset: str, models: Sequence[AskedModel]) -> Mapping[str, Json]:
        """evaluation.json; every turn and, where there are any, every claim, as rows."""
        evaluation = {
            "run_id": about.run_id,
            "timestamp": about.started_at,
            "status": "unfinished" if about.unfinished else "complete",
            "models": [{"name": model.name, "model": model.model_id} for model in models],
            "dataset": dataset,
            "results": self._entries,
        }
        turns = [_flat(entry) for entry in self._entries]
        found = {"evaluation.json": evaluation, "turns.json": turns, "turns.csv": turns}
        return {**found, "claims.json": self._claims, "claims.csv": self._claims} if self._claims else found


def _entry(repeat: int, dialogue: Dialogue, reply: Reply, scores: Sequence[Score], is_degraded: bool) -> dict[str, Json]:
    """A turn as evaluation.json has it."""
    n = reply.call.call_index
    turn = dialogue.turn(n)
    return {
        "model": dialogue.model.name,
        "conversation": dialogue.conversation.id,
        "turn": n + 1,
        "repeat": repeat,
        "id": turn.id,
        "question": turn.question,
        "ground_truth": turn.ground_truth,
        "answerable": turn.answerable,
        "known_without_document": turn.known_without_document,
        "response": reply.text,
        "latency_ms": reply.waited_ms,
        "metrics": {score.name: {"score": score.value, "reason": reason_of(score)} for score in scores},
        "degraded": is_degraded,
        "error": None if reply.ok else f"{reply.why}{': ' * bool(reply.error_message)}{reply.error_message or ''}",
    }


def _flat(entry: Mapping[str, Json]) -> dict[str, Json]:
    """A turn as a row of a table: each metric a column."""
    told = {name: value for name, value in entry.items() if name != "metrics"}
    return {**told, **{name: found["score"] for name, found in entry["metrics"].items()}}
