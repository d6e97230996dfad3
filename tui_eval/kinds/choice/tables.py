"""What a board comes to as tables of numbers; each cell says its n, and where it is an estimate its interval."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.core.results import Cell, Table
from tui_eval.kinds.choice.agreement import same_option
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheet import LETTERS, Sheet
from tui_eval.kinds.choice.words import CUT, NOT_READ, key_letter, rounded, unread
from tui_eval.results.sums.cells import (
    CONSISTENCY,
    PAIR,
    RESTS_ON,
    Cells,
    consistency_cells,
    pair_cells,
    rate_cells,
    table_of,
)
from tui_eval.results.sums.means import Rate
from tui_eval.results.sums.series import Group


def tables(figures: Figures) -> dict[str, Table]:
    """What the board comes to as tables of numbers, by file name."""
    found = {
        "accuracy": _accuracy_table(figures),
        "groups": _groups_table(figures),
        "patterns": _patterns_table(figures),
        "letters": _letters_table(figures),
        "bias": _bias_table(figures),
        "agreement": _agreement_table(figures),
        "questions_by_difficulty": _questions_table(figures),
        "pairs": _pairs_table(figures),
    }
    if not figures.single:
        found["consistency"] = _consistency_table(figures)
    return found


ACCURACY = (
    "n_asked", "n_replies", "n_correct", "accuracy", "ci_low", "ci_high", "n_questions", "n_effective", "n_missing",
    "accuracy_strict", "accuracy_best_case",
)  # fmt: skip
HOW = "right / replies; Wilson"


def accuracy_cell(accuracy: Rate, value: str) -> Cell:
    """An accuracy as text, with what it rests on."""
    return Cell(value, accuracy.scored, accuracy.low, accuracy.high, HOW)


def _accuracy_cells(accuracy: Rate) -> Cells:
    counts = {"n_asked": accuracy.asked, "n_replies": accuracy.scored, "n_correct": accuracy.right}
    return {**counts, **rate_cells(accuracy, HOW, "asked"), "n_missing": accuracy.missing}


def _accuracy_table(figures: Figures) -> Table:
    reasons = (*NOT_READ, "refusal", *CUT)
    rows: list[Cells] = []
    for i in figures.by_rank:
        sheet, accuracy = figures.board.sheets[i], figures.accuracies[i]
        ranks, loose = figures.ranks[i], figures.ranks_by_interval[i]
        found = unread(sheet)
        known = accuracy.right and sheet.n_cost_known >= accuracy.scored
        rows.append(
            {
                RESTS_ON: {"model": sheet.model},
                "rank_best": ranks[0] if ranks else None,
                "rank_worst": ranks[1] if ranks else None,
                "rank_best_by_interval": loose[0] if loose else None,
                "rank_worst_by_interval": loose[1] if loose else None,
                "model": sheet.label,
                **_accuracy_cells(accuracy),
                **{f"n_{why}": found[why] for why in reasons},
                "cost_usd": round(sheet.cost_usd, 9) if sheet.n_cost_known else None,
                "n_cost_known": sheet.n_cost_known,
                "usd_per_correct": Cell(
                    round(sheet.cost_usd / accuracy.right, 9) if known else None, accuracy.right, formula="cost / right"
                ),
            }
        )
    columns = (
        "rank_best", "rank_worst", "rank_best_by_interval", "rank_worst_by_interval", "model", *ACCURACY,
        *(f"n_{why}" for why in reasons), "cost_usd", "n_cost_known", "usd_per_correct",
    )  # fmt: skip
    note = "Over the replies; a reply without a letter is wrong, a call without a reply is missing. Interval: Wilson, 95 %."
    return table_of("Accuracy by model", rows, columns, note, ("model",))


def _groups_table(figures: Figures) -> Table:
    groups = [group for group in figures.groups if group.by != "topic"]
    rows = [
        {
            RESTS_ON: {"model": figures.board.sheets[i].model, "by": g.by, "value": g.value},
            "by": g.by,
            "value": g.value,
            "model": figures.board.sheets[i].label,
            **_accuracy_cells(figures.accuracy(i, g)),
        }
        for g in groups
        for i in figures.by_rank
    ]
    note = "A question may be of several domains: their numbers do not add up to the whole. Topics are in breakdown.csv."
    return table_of(
        "Accuracy by difficulty, domain and calculation",
        rows,
        ("by", "value", "model", *ACCURACY),
        note,
        ("by", "value", "model"),
    )


def _patterns_table(figures: Figures) -> Table:
    rows: list[Cells] = []
    for i in figures.by_rank:
        sheet = figures.board.sheets[i]
        counts = figures.patterns(sheet)
        total = counts.total()
        rows += [
            {
                RESTS_ON: {"model": sheet.model, "pattern": name},
                "model": sheet.label,
                "pattern": name,
                "n": n,
                "share": Cell(n / total, total, formula="n / replies"),
            }
            for name, n in counts.most_common()
        ]
    note = "By what the letter was found; a reply without a letter stands under its reason."
    return table_of("How answers were given", rows, ("model", "pattern", "n", "share"), note, ("model", "pattern"))


def _letters_table(figures: Figures) -> Table:
    rows: list[Cells] = []
    for i in figures.by_rank:
        sheet, found = figures.board.sheets[i], figures.biases[i].position
        if found is None:
            continue
        for place in range(figures.usual_size):
            rows.append(
                {
                    RESTS_ON: {"model": sheet.model},
                    "model": sheet.label,
                    "letter": LETTERS[place],
                    "chosen_share": Cell(found.chosen_share[place], found.n, formula="chosen / answers"),
                    "key_share": Cell(found.key_share[place], found.n, formula="right there / answers"),
                    "recall": Cell(
                        found.recalls[place], round(found.key_share[place] * found.n), formula="right / right there"
                    ),
                }
            )
    note = f"Letters as shown, over answers with a letter to questions of {figures.usual_size} options."
    columns = ("model", "letter", "chosen_share", "key_share", "recall")
    return table_of("Letters chosen", rows, columns, note, columns[:2])


def _bias_table(figures: Figures) -> Table:
    rows: list[Cells] = []
    for i in figures.by_rank:
        sheet, found = figures.board.sheets[i], figures.biases[i]
        if found.position:
            p = found.position
            rows.append(_bias_row(sheet, "position", p.n, None, None, p.max_deviation, p.p, p.level, p.level_uniform))
        if found.longest:
            b = found.longest
            rows.append(_bias_row(sheet, "longest", b.n, b.picked, b.key, b.excess, b.p, b.level, b.level_uniform))
        if found.qualifier:
            q = found.qualifier
            rows.append(_bias_row(sheet, "absolute_words", q.n, q.picked, q.key, q.excess, q.p, q.level, None))
    columns = ("model", "bias", "n", "picked", "key", "difference", "p", "level", "level_uniform")
    note = "difference: picked - key, for position the largest of the letters'. level_uniform: the measure against 1/k."
    return table_of("Bias against the answer key", rows, columns, note, ("model", "bias"))


def _bias_row(
    sheet: Sheet,
    bias: str,
    n: int,
    picked: float | None,
    key: float | None,
    difference: float,
    p: float | None,
    level: str,
    own: str | None,
) -> Cells:
    return {
        RESTS_ON: {"model": sheet.model}, "model": sheet.label, "bias": bias, "n": n, "picked": Cell(picked, n),
        "key": Cell(key, n), "difference": Cell(difference, n), "p": p, "level": level, "level_uniform": own,
    }  # fmt: skip


def _agreement_table(figures: Figures) -> Table:
    found = figures.agreement
    n = found.questions
    counts = {"all_right": found.all_right, "all_wrong": found.all_wrong, "mixed": found.mixed}
    rows: list[Cells] = [
        {RESTS_ON: None, "agreement": name, "n": count, "share": Cell(count / n if n else None, n, formula="n / questions")}
        for name, count in counts.items()
    ]
    note = f"Over the {n} questions that every model replied to; {found.left_out} are left out."
    return table_of("Model agreement", rows, ("agreement", "n", "share"), note, ("agreement",))


def _questions_table(figures: Figures) -> Table:
    rows: list[Cells] = []
    for q in sorted(figures.questions, key=lambda q: -(q.failed / q.models if q.models else -1.0)):
        rows.append(
            {
                RESTS_ON: {"doc_id": q.question.id},
                "question_id": q.question.id,
                "key": key_letter(q.question),
                "n_models": q.models,
                "right": round(q.right, 6),
                "share_right": Cell(q.right / q.models if q.models else None, q.models, formula="right / models"),
                "n_without_letter": q.unread,
                "n_missing": q.missing,
                "most_common_wrong": None if q.wrong_option is None else LETTERS[q.wrong_option],
                "n_most_common_wrong": q.wrong_count,
            }
        )
    columns = ("question_id", "key", "n_models", "right", "share_right", "n_without_letter", "n_missing", "most_common_wrong",
               "n_most_common_wrong")  # fmt: skip
    return table_of("Questions, the hardest first", rows, columns, "n_models: models that replied.")


def _pairs_table(figures: Figures) -> Table:
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


def _consistency_table(figures: Figures) -> Table:
    rows: list[Cells] = []
    for i in figures.by_rank:
        sheet, found = figures.board.sheets[i], figures.consistency(i)
        if found is None:
            continue
        same = same_option(sheet)
        rows.append(
            {
                RESTS_ON: {"model": sheet.model},
                "model": sheet.label,
                "n_same": same,
                "consistency": Cell(same / found.questions, found.questions, formula="same option in all replies / questions"),
                **consistency_cells(found),
            }
        )
    columns = ("model", "n_questions", "n_same", "consistency", *CONSISTENCY)
    note = "Over the questions with several replies: orders of the options, repeats, or both."
    return table_of("Consistency", rows, columns, note, ("model",))


def breakdown_rows(figures: Figures) -> list[dict[str, Json]]:
    """Every group, topics included, by model."""
    return [_breakdown_row(figures, group, i) for group in figures.groups for i in figures.by_rank]


def _breakdown_row(figures: Figures, group: Group, i: int) -> dict[str, Json]:
    accuracy = figures.accuracy(i, group)
    return {
        "by": group.by,
        "value": group.value,
        "model": figures.board.sheets[i].label,
        "n_asked": accuracy.asked,
        "n_replies": accuracy.scored,
        "n_correct": accuracy.right,
        "accuracy": rounded(accuracy.share),
        "ci_low": rounded(accuracy.low),
        "ci_high": rounded(accuracy.high),
        "n_missing": accuracy.missing,
    }
