"""The figures of a board as tables of numbers; each cell says its n, and where it is an estimate its interval."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.core.made import Made
from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.sum_cells import (
    CONSISTENCY,
    PAIR,
    RATE,
    RESTS_ON,
    Cells,
    consistency_cells,
    pair_cells,
    rate_cells,
    rounded,
    table_of,
)
from tui_eval.kinds.choice.figures import Figures, Standing
from tui_eval.kinds.choice.sheets import LETTERS, WITHOUT_LETTER
from tui_eval.results.sums.means import Rate
from tui_eval.results.sums.series import Group

ACCURACY = ("n_asked", "n_replies", "n_correct", *RATE[:5], "n_missing", *RATE[5:])
HOW = "right / replies; Wilson"
RIGHT = ("n_correct", *RATE[:3])
REASONS = tuple(why for reasons in WITHOUT_LETTER.values() for why in reasons)


def accuracy_cell(accuracy: Rate, value: str) -> Cell:
    """An accuracy as text, with what it rests on."""
    return Cell(value, accuracy.scored, accuracy.low, accuracy.high, HOW)


def row_of(standing: Standing) -> Cells:
    """How a sheet's row begins: its name, and which scores it rests on."""
    return {RESTS_ON: {"model": standing.sheet.model}, "model": standing.sheet.label}


def accuracy_table(figures: Figures) -> Table:
    """Each sheet with its ranks, its accuracy, what was not read, and its cost."""
    ranks = ("rank_best", "rank_worst", "rank_best_by_interval", "rank_worst_by_interval")
    rows: list[Cells] = []
    for s in figures.ranked:
        found, open_ranks = s.sheet.without_letter, (*(s.rank or (None, None)), *(s.rank_by_interval or (None, None)))
        each = None if s.cost_per_right is None else round(s.cost_per_right, 9)
        rows.append(
            {
                **dict(zip(ranks, open_ranks, strict=True)),
                **row_of(s),
                **_accuracy_cells(s.accuracy),
                **{f"n_{why}": found[why] for why in REASONS},
                "cost_usd": s.sheet.known_cost,
                "n_cost_known": s.sheet.n_cost_known,
                "n_on_file": s.sheet.n_on_file,
                "usd_per_correct": Cell(each, round(s.accuracy.right), formula="cost / right"),
            }
        )
    costs = ("cost_usd", "n_cost_known", "n_on_file", "usd_per_correct")
    columns = (*ranks, "model", *ACCURACY, *(f"n_{why}" for why in REASONS), *costs)
    note = "Over the replies; a reply without a letter is wrong, a call without a reply is missing. Interval: Wilson, 95 %."
    note += " Costs are those when first asked; the n_on_file cost this run nothing." * any(row["n_on_file"] for row in rows)
    return table_of("Accuracy by model", rows, columns, note, ("model",))


def _accuracy_cells(accuracy: Rate) -> Cells:
    counts = {"n_asked": accuracy.asked, "n_replies": accuracy.scored, "n_correct": accuracy.right}
    return {**counts, **rate_cells(accuracy, HOW, "asked"), "n_missing": accuracy.missing}


def groups_table(figures: Figures) -> Table:
    """The same for the questions of each group but the topics."""
    rows: list[Cells] = []
    for g in figures.groups:
        by = {"by": g.by, "value": g.value}
        if g.by != "topic":
            rows += [
                {**row_of(s), **by, **_accuracy_cells(s.within(g)), RESTS_ON: {"model": s.sheet.model, **by}}
                for s in figures.ranked
            ]
    title = "Accuracy by difficulty, domain and calculation"
    note = "A question may be of several domains: their numbers do not add up to the whole. Topics are in breakdown.csv."
    keys = ("by", "value", "model")
    return table_of(title, rows, (*keys, *ACCURACY), note, keys)


def patterns_table(figures: Figures) -> Table:
    """By what each sheet's answers were read, and how often these were right."""
    rows: list[Cells] = []
    for s in figures.ranked:
        counts, accuracies = s.sheet.patterns, s.by_pattern()
        total = counts.total()
        for name, n in counts.most_common():
            share = Cell(n / total, total, formula="n / replies")
            rests_on = {"model": s.sheet.model, "pattern": name}
            right = {"n_correct": accuracies[name].right, **rate_cells(accuracies[name], HOW, "asked")}
            rows.append({**row_of(s), RESTS_ON: rests_on, "pattern": name, "n": n, "share": share, **right})
    note = "By what the letter was found; a reply without a letter stands under its reason, and is wrong."
    columns = ("model", "pattern", "n", "share", *RIGHT)
    return table_of("How answers were given", rows, columns, note, ("model", "pattern"))


def agreement_table(figures: Figures) -> Table:
    """How many questions all models, some and none have right."""
    found = figures.agreement
    n = found.questions
    counts = {"all_right": found.all_right, "all_wrong": found.all_wrong, "mixed": found.mixed}
    rows: list[Cells] = [
        {RESTS_ON: None, "agreement": name, "n": count, "share": Cell(count / n if n else None, n, formula="n / questions")}
        for name, count in counts.items()
    ]
    note = f"Over the {n} questions that every model replied to; {found.left_out} are left out."
    return table_of("Model agreement", rows, ("agreement", "n", "share"), note, ("agreement",))


QUESTION_COLUMNS = (
    "question_id", "key", "n_models", "right", "share_right", "n_without_letter", "n_missing", "most_common_wrong",
    "n_most_common_wrong",
)  # fmt: skip


def questions_table(figures: Figures) -> Table:
    """What all models made of each question."""
    hardest = sorted(figures.questions, key=lambda q: -(q.failed / q.models if q.models else -1.0))

    def row(place: int) -> tuple[Cell, ...]:
        q = hardest[place]
        wrong = None if q.wrong_option is None else LETTERS[q.wrong_option]
        share = Cell(q.right / q.models if q.models else None, q.models, formula="right / models")
        counts = (q.unread, q.missing, wrong, q.wrong_count)
        first = (q.question.id, q.question.letter, q.models, round(q.right, 6))
        return (*(Cell(value) for value in first), share, *(Cell(value) for value in counts))

    n = len(hardest)
    rests_on = Made(n, lambda place: {"doc_id": hardest[place].question.id})
    return Table("Questions, the hardest first", QUESTION_COLUMNS, Made(n, row), "n_models: models that replied.", (), rests_on)


def pairs_table(figures: Figures) -> Table:
    """Every two sheets that share a question."""
    rows: list[Cells] = [
        {
            RESTS_ON: {"models": [pair.a.model, pair.b.model]},
            "model_a": pair.a.label,
            "model_b": pair.b.label,
            **pair_cells(pair, "accuracy a - accuracy b; Tango"),
        }
        for pair in figures.pairs
    ]
    note = (
        "Paired on common questions. Exact McNemar and Tango's interval; where questions were asked several times, paired t on "
        "the questions' means, with exact sign flips for p up to 16 differing questions. Holm over all pairs."
    )
    return table_of("Pairs of models", rows, ("model_a", "model_b", *PAIR), note)


def consistency_table(figures: Figures) -> Table:
    """What several replies to one question have in common."""
    rows: list[Cells] = []
    for s in figures.ranked:
        if found := s.consistency:
            same = s.sheet.same_option
            share = Cell(same / found.questions, found.questions, formula="same option in all replies / questions")
            rows.append({**row_of(s), "n_same": same, "consistency": share, **consistency_cells(found)})
    columns = ("model", "n_questions", "n_same", "consistency", *CONSISTENCY)
    note = "Over the questions with several replies: orders of the options, repeats, or both."
    return table_of("Consistency", rows, columns, note, ("model",))


def breakdown_rows(figures: Figures) -> list[dict[str, Json]]:
    """Every group, topics included, by model."""
    return [_breakdown_row(group, s) for group in figures.groups for s in figures.ranked]


def _breakdown_row(group: Group, standing: Standing) -> dict[str, Json]:
    accuracy = standing.within(group)
    return {
        "by": group.by,
        "value": group.value,
        "model": standing.sheet.label,
        "n_asked": accuracy.asked,
        "n_replies": accuracy.scored,
        "n_correct": accuracy.right,
        "accuracy": rounded(accuracy.share),
        "ci_low": rounded(accuracy.low),
        "ci_high": rounded(accuracy.high),
        "n_missing": accuracy.missing,
    }
