"""A tried re-score as JSON, and as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType

from tui_eval.cli.summary import gates_text
from tui_eval.core.calls import Json
from tui_eval.core.plaintext import one_line
from tui_eval.reporting.rescoring import ModelPreview, Reread, RescorePreview, Share
from tui_eval.results.tables import aligned

SHOWN = 40
"""Changed answers that are named on a terminal; the whole list is in the JSON."""


def preview_json(preview: RescorePreview, report: Mapping[str, Json] = MappingProxyType({})) -> dict[str, Json]:
    """The whole as JSON; every share with its value beside what it rests on. `report`: that of the re-score, for its gates."""
    return asdict(preview) | {name: report[name] for name in ("gates",) if name in report}


def preview_text(preview: RescorePreview, report: Mapping[str, Json] = MappingProxyType({})) -> str:
    """The whole for a terminal: accuracies, how answers are read now, the first of those that changed, and the gates."""
    models = preview.models
    parts = [
        "All replies (an unparsed reply counts as wrong):",
        _shares_text([(m, m.before, m.after) for m in models]),
    ]
    reading = {m.score for m in models if m.read_before.n or m.read_after.n}
    if reading:
        parts += [
            "Of the parsed replies:",
            _shares_text([(m, m.read_before, m.read_after) for m in models if m.score in reading]),
        ]
    unread = f"; {len(preview.unread)} replies are parsed by neither rule" if preview.unread else ""
    parts.append(f"{len(preview.changes)} of {preview.compared} scores would change{unread}")
    if preview.added:
        added = ", ".join(f"{one_line(name, 60)} {n:,}" for name, n in preview.added.items())
        parts.append(f"new scores: {added}")
    if preview.changes:
        rows = [_row(entry) for entry in preview.changes[:SHOWN]]
        parts.append(aligned(("model", "question", "read", "score", "by"), rows, (False,) * 5))
    if len(preview.changes) > SHOWN:
        parts.append(f"... and {len(preview.changes) - SHOWN} more; --json lists all of them")
    if preview.unfinished:
        parts.append(f"PRELIMINARY: unfinished samples: {preview.unfinished}")
    if preview.simulated:
        parts.append(_simulated(preview))
    parts += filter(None, [gates_text(report)])
    return "\n\n".join(parts)


def _simulated(preview: RescorePreview) -> str:
    if preview.all_simulated:
        return "simulated: no model was asked"
    return f"simulated: replies of {', '.join(preview.simulated_models)}; the others are those of real models"


def _shares_text(rows: Sequence[tuple[ModelPreview, Share, Share]]) -> str:
    several = len({model.score for model, _, _ in rows}) > 1
    columns = ("model", "stage", *(["score"] if several else []), "before", "n", "after", "n", "points")
    lines = [
        [
            *(model.model, model.stage, *([model.score] if several else [])),
            *(_share(old), str(old.n), _share(new), str(new.n), points(old, new)),
        ]
        for model, old, new in rows
    ]
    return aligned(columns, lines, (*(False for _ in columns[:-4]), True, False, True, True))


def _share(share: Share) -> str:
    if share.value is None:
        return "-"
    if share.low is None or share.high is None:
        return f"{share.value:.3f}"
    return f"{100 * share.value:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def points(before: Share, after: Share) -> str:
    """By how many points of a hundred a mean changed, with its sign; "-" where one of them is not known."""
    if before.value is None or after.value is None:
        return "-"
    by = 100 * (after.value - before.value)
    return f"{by:+.1f}" if abs(by) >= 0.05 else "0.0"


def _question_name(entry: Reread) -> str:
    """A question by its own id; by its text where its id is one of what it is about, such as a document, or of nothing."""
    own = entry.item_id.endswith(entry.question_id) or not entry.question
    return entry.question_id if own else one_line(entry.question, 60)


def _row(entry: Reread) -> list[str]:
    old, new = entry.before, entry.after
    value = "-> ".join("- " if read.value is None else f"{read.value:g} " for read in (old, new)).strip()
    by = f"{old.pattern or old.why or '-'} -> {new.pattern or new.why or '-'}"
    return [entry.model, _question_name(entry), f"{old.read or '-'} -> {new.read or '-'}", value, by]
