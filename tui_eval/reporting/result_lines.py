"""One item's result as it is written: a line of results.jsonl, an entry of results.json."""

from __future__ import annotations

import json
import tempfile
from functools import partial

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.calls import Json
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.plaintext import json_safe
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.sample_results import sample_view as shown_of
from tui_eval.evaluation.sample_results import score_json
from tui_eval.results.sums.metrics import written_metrics
from tui_eval.runs.writing import PIECE, AtomicFile, Inside, encoded, storage_errors

_encode = json_encoder(ensure_ascii=False)
_encode_ascii = json_encoder()


class ResultsFile:
    """results.json, written item by item into a file without a name, behind its head once this is known."""

    def __init__(self, place: Inside, evaluation: Evaluation) -> None:
        self._place, self._n = place, 0
        self._head = {"run_id": evaluation.run_id, "kind": evaluation.kind.name, "name": evaluation.name}
        with storage_errors(place.path), place.parent():
            self._items = tempfile.TemporaryFile(dir=place.path.parent)  # noqa: SIM115

    def add(self, item: Json) -> None:
        """Write the next item."""
        with storage_errors(self._place.path):
            self._items.write(encoded((",\n" if self._n else "\n") + json_safe(_encode(item))))
        self._n += 1

    def end(self, simulated: bool) -> None:
        """Put the file in its place. `simulated`: whether any reply of the run was."""
        with AtomicFile(self._place) as file, storage_errors(self._place.path):
            file.write(json.dumps({**self._head, "simulated": simulated})[:-1] + ', "items": [')
            self._items.seek(0)
            for piece in iter(partial(self._items.read, PIECE), b""):
                file.write(piece)
            file.write("\n]}\n")
        self.drop()

    def drop(self) -> None:
        """Forget the items."""
        self._items.close()


def result_line(evaluation: Evaluation, row: SampleResult) -> str:
    """An item's line of results.jsonl: what was asked, its replies, and its scores with their reasons."""
    item, content = row.sample, shown_of(evaluation.kind, evaluation.task, row)
    entry = {
        "item_id": item.id,
        "repeat": item.repeat,
        "lane": item.queue,
        "doc_id": item.doc_id,
        "q_index": item.q_index,
        "finished": row.finished,
        "error": row.error,
        "question": content.question,
        "truth": content.truth,
        "groups": {name: list(values) for name, values in content.groups.items()},
        "unit": evaluation.kind.units.unit(evaluation.task, item)._asdict(),
        "primary": list(content.primary),
        "replies": [
            {
                "stage": reply.call.stage,
                "model": reply.call.model,
                "call_index": reply.call.call_index,
                "about": reply.call.about,
                "status": reply.status,
                "why": reply.why,
                "finish_reason": reply.finish_reason,
                "latency_ms": reply.waited_ms,
                **({"cached": True} if reply.cached else {}),
                "text": reply.text,
            }
            for reply in row.replies
        ],
        "scores": [score_json(score) for score in row.scores],
        **written_metrics(evaluation.kind.metrics),
    }
    return _encode_ascii(entry) + "\n"
