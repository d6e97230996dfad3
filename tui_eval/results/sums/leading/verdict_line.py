"""The verdict on a run in two lines of a terminal: the sentences of the whole one, those that it leaves out, and who leads."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import folded, one_line
from tui_eval.results.sums.in_words import in_unit
from tui_eval.results.sums.leading.contenders import Shape
from tui_eval.results.sums.verdict import SIMULATED, VerdictSubject, headline_sides

COLUMNS = 78
"""Of a line: a terminal of 80, less its margins."""
SHORT_NAME, LONGEST_NAME = 16, 24
"""Signs of a name up to which a verdict takes two lines, and of one that is folded or cut; then it takes four."""
LINES, MOST_LINES = 2, 4
_WHOLE = Shape(LONGEST_NAME, 3, unit_once=True)


def verdict_in_short(about: VerdictSubject) -> dict[str, Json]:
    """Return the verdict on a run as report.json has it beside the whole one, for a list or the top of a screen.

    `line`: in two lines where names have at most 16 signs, else in four. `rest`: the sentences that it leaves out or cuts.
    `leader`, with its `score` in words and the `variant` it is of: None where none is shown to lead. `sides`: those with a
    score that were compared; `worse`: how many of them are shown to be worse than another one.
    """
    sides = headline_sides(about.board, about.among)
    models = {one_line(side.model) for side in sides}
    n_lines = LINES if all(len(model) <= SHORT_NAME for model in models) else MOST_LINES
    variants = [one_line(variant) for variant in about.board.variants]
    whole = _WHOLE._replace(names={**folded(variants, SHORT_NAME), **folded(models, LONGEST_NAME)})
    shapes = [whole, *_briefer(whole)]
    fitting = (sentences for shape in shapes if _n_lines(sentences := about.sentences(shape)) <= n_lines)
    line = next(fitting, about.sentences(shapes[-1]))
    field = about.field
    leader = field.leader if field else None
    return {
        "line": " ".join(line),
        "rest": " ".join(sentence for sentence in about.sentences(whole) if sentence not in (*line, SIMULATED)),
        "leader": leader and one_line(leader.key.model),
        "score": in_unit(leader.found.value, field.metric) if leader and field else None,
        "variant": leader.key.variant if leader and about.board.variants else "",
        "sides": len(field.known) if field else 0,
        "worse": len(field.beaten) if field else 0,
    }


def _briefer(shape: Shape) -> Iterator[Shape]:
    """Yield shapes that say less and less; what a table beside the verdict has goes first, who leads or is worse last."""
    for less in (
        {"has_forecast": False},
        {"missing": "counted"},
        {"simulated": "in short"},
        {"has_answers": False},
        {"clauses": 0, "named": 2},
        {"has_figures": False, "named": 3},
        {"worse": "named"},
        {"missing": ""},
        {"named": 2},
        {"worse": "counted"},
        {"named": 1},
        {"has_scale": False},
        {"is_brief": True},
        {"named": 0},
        {"has_elsewhere": False},
        {"has_open": False, "width": SHORT_NAME // 2},
    ):
        shape = shape._replace(**less)
        yield shape


def _n_lines(sentences: list[str]) -> int:
    return len(textwrap.wrap(" ".join(sentences), COLUMNS, break_on_hyphens=False))
