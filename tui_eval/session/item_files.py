"""The files of an item, as its kind makes them: their paths in the run folder, and their texts."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.errors import ConfigError
from tui_eval.core.results import Row
from tui_eval.core.row_paths import problem_of
from tui_eval.kinds.shared.drive import as_example
from tui_eval.results.tables import content_text
from tui_eval.session.evaluation import Evaluation


def row_files(evaluation: Evaluation, row: Row) -> Mapping[str, str]:
    """By path; those of the second and further repeats lie in folders of their own. ValueError for a path that cannot be."""
    if evaluation.kind.files is None or row.error:
        return {}
    found = {}
    for name, content in evaluation.kind.files(evaluation.task, row).items():
        problem = problem_of(name)
        if problem:
            raise ValueError(f"{row.item.id}: the file {name!r} {problem}")
        place = f"repeats/{row.item.repeat + 1:02d}/{name}" if row.item.repeat else name
        found[place] = str(content) if isinstance(content, str) else content_text(name, content)
    return found


def check_row_files(evaluation: Evaluation) -> None:
    """ConfigError where two items would write the same file: found by their examples, before anything is sent."""
    if evaluation.kind.files is None:
        return
    owner: dict[str, str] = {}
    for sample in evaluation.samples():
        for name in row_files(evaluation, evaluation.driven(sample, as_example)):
            first = owner.setdefault(name.casefold(), sample.id)
            if first != sample.id:
                raise ConfigError(f"{evaluation.kind.name}: {first} and {sample.id} would both write {name}; rename one")
