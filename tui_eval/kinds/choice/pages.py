"""Files of a run or of several: leaderboard.md, analysis.md with biases of choices, and questions.csv."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from tui_eval.core.calls import Json
from tui_eval.core.made import Made
from tui_eval.core.plaintext import markdown_rows, markdown_table, markdown_text
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, TOPIC, calc_required_of, difficulty_of
from tui_eval.kinds.choice import page_sections as section
from tui_eval.kinds.choice.choice_biases import Bias
from tui_eval.kinds.choice.figure_tables import breakdown_rows
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.reading_notes import reading_notes_md
from tui_eval.kinds.choice.sentences import observations, significant
from tui_eval.kinds.choice.sheet_file import all_results
from tui_eval.kinds.choice.sheets import LETTERS, Answer, Board, Sheet
from tui_eval.results.sums.in_words import p_value, percent, points
from tui_eval.statistics.bias import LongestBias, PositionBias, QualifierBias


def questions_rows(figures: Figures) -> Sequence[dict[str, Json]]:
    """A row per question (and, where it was asked several times, per reply), with each model's answer beside it.

    Rows are made as they are looked at.
    """
    board = figures.board
    most = max((len(q.options) for q in board.questions), default=0)
    several = not figures.single
    asked = array("I", (_times_asked(board, question) for question in board.questions))
    places = array("I", (place for place, n in enumerate(asked) for _ in range(n)))
    first = array("I", accumulate(asked, initial=0))

    def row(number: int) -> dict[str, Json]:
        place = places[number]
        return _row(board, board.questions[place], number - first[place], most, several)

    return Made(len(places), row)


def _times_asked(board: Board, question: Sample) -> int:
    return max(max((len(sheet.answers.get(question.id, ())) for sheet in board.sheets), default=0), 1)


def _row(board: Board, question: Sample, n: int, most: int, several: bool) -> dict[str, Json]:
    """Every model's reply number `n` to a question, of which the longest has `most` options."""
    row: dict[str, Json] = {"question_id": question.id}
    if several:
        row["reply"] = n + 1
    row["question_text"] = question.question
    for i in range(most):
        row[f"choice_{LETTERS[i].lower()}"] = question.options[i] if i < len(question.options) else None
    row |= {
        "correct_answer": question.letter,
        "difficulty": difficulty_of(question),
        "domains": _joined(question.group(DOMAIN)),
        "topics": _joined(question.group(TOPIC)),
        "calc_required": calc_required_of(question),
    }
    fixed = set(row)
    for sheet in board.sheets:
        answers = sheet.answers.get(question.id, ())
        found = _answer_columns(sheet.label, answers[n] if n < len(answers) else None)
        row |= {f"model {name}" if name in fixed else name: value for name, value in found.items()}
    return row


def _joined(values: Sequence[str]) -> str:
    return (";" if any("," in value for value in values) else ",").join(values)


def _answer_columns(name: str, answer: Answer | None) -> dict[str, Json]:
    replied = answer is not None and answer.replied
    return {
        f"{name}_answer": answer.letter if answer else None,
        f"{name}_correct": answer.correct if answer and replied else None,
        f"{name}_pattern": answer.pattern if answer and replied else None,
        f"{name}_why": (answer.why or None) if answer else "not asked",
        f"{name}_raw": answer.raw if answer and replied else None,
    }


BIAS_NOTE = (
    "Measured against the answer key, not against 1/k: who follows the key shows no bias, however uneven it is. low: up to 5 "
    "points, medium: up to 10, high: above; a level above low needs p < 0.05 after Holm over the models, else it reads low "
    "(noise). Of several replies to one question the first counts. A position counts only if the wrong answers, too, lean to "
    "it, since even guessing strays from an uneven key. In brackets the measure of FormationEval's authors: against 1/k, "
    "whatever the key, without significance."
)
WORDS = ("Model", "Level", "Level, 1/k")
"""Columns that hold words."""


def bias_short(figures: Figures) -> str:
    """The level of each bias, by model."""
    rows = []
    for s in figures.ranked:
        found = {"Position": s.biases.position, "Longest option": s.biases.longest, "Absolute words": s.biases.qualifier}
        rows.append([("Model", s.sheet.name), *((name, _levels(bias)) for name, bias in found.items())])
    return markdown_rows(rows, [name for name, _ in rows[0]])


def _levels(found: Bias | None) -> str:
    if found is None:
        return "-"
    own = getattr(found, "level_uniform", None)
    return f"{found.level} [{own}]" if own else found.level


def bias_details(figures: Figures) -> list[str]:
    """Each bias with what it rests on; what nobody shows is left out."""
    position = [_position_row(s.sheet, s.biases.position) for s in figures.ranked if s.biases.position]
    longest = [_longest_row(s.sheet, s.biases.longest) for s in figures.ranked if s.biases.longest]
    qualifier = [_qualifier_row(s.sheet, s.biases.qualifier) for s in figures.ranked if s.biases.qualifier]
    notes = (
        "### Position\n\nShares of the letters chosen, as shown, of answers with a letter to questions of "
        f"{figures.usual_size} options. The key: {_key_shares(figures)}.",
        "### Longest option\n\nOver questions with one longest option. The sharper test looks at wrong answers where the key "
        "is not the longest: does the model fall for the longest more often than chance?",
        "### Absolute words (always, never, only, all, none)\n\n"
        "Over questions where some options hold such a word and some do not.",
    )
    made = zip(notes, (position, longest, qualifier), strict=True)
    return [f"{note}\n\n{markdown_rows(rows, WORDS)}" for note, rows in made if rows]


def _key_shares(figures: Figures) -> str:
    """Where the right options stood, over all models."""
    measured = [biases.position for biases in figures.biases if biases.position is not None]
    n = sum(position.n for position in measured)
    shares = [sum(p.n * p.key_share[i] for p in measured) / n for i in range(figures.usual_size)] if n else []
    return ", ".join(f"{letter} {percent(share, 0)}" for letter, share in zip(LETTERS, shares, strict=False))


def _position_row(sheet: Sheet, found: PositionBias) -> list[tuple[str, str]]:
    return [
        ("Model", sheet.name),
        ("n", str(found.n)),
        *((letter, percent(share, 0)) for letter, share in zip(LETTERS, found.chosen_share, strict=False)),
        ("Furthest from the key, points", points(found.max_deviation, sign=False)),
        ("Recall sd, points", points(found.recall_sd, sign=False)),
        ("p", p_value(found.p)),
        ("p, wrong answers", p_value(found.p_wrong)),
        ("Level", found.level),
        ("Furthest from 1/k, points", points(found.max_deviation_uniform, sign=False)),
        ("Level, 1/k", found.level_uniform),
    ]


def _longest_row(sheet: Sheet, found: LongestBias) -> list[tuple[str, str]]:
    wrong = f"{found.wrong_longest}/{found.wrong_n}"
    return [*_lean(sheet, found, "the longest", wrong), ("Level", found.level), ("Level, 1/k", found.level_uniform)]


def _qualifier_row(sheet: Sheet, found: QualifierBias) -> list[tuple[str, str]]:
    return [*_lean(sheet, found, "such an option", f"{found.wrong_with}/{found.wrong_n}"), ("Level", found.level)]


def _lean(sheet: Sheet, found: LongestBias | QualifierBias, what: str, wrong: str) -> list[tuple[str, str]]:
    """What both tables of tempting options say of a model."""
    return [
        ("Model", sheet.name),
        ("n", str(found.n)),
        (f"Picked {what}", percent(found.picked)),
        (f"Key is {what}", percent(found.key)),
        ("Excess, points", points(found.excess)),
        ("Of wrong answers", wrong),
        ("Expected of these", percent(found.expected)),
        ("p", p_value(found.p)),
    ]


ALL_RESULTS, DIFFERENCES = "all_results.json", "import_differences.csv"
Differences = Sequence[Mapping[str, Json]]
"""Where a letter read is not the one that an imported table names."""
GROUPS = {"difficulty": "By difficulty", "domain": "By domain", "calc_required": "Calculation required"}


def files(
    figures: Figures, about: str, differences: Differences | None = None, copies: Sequence[Sheet] = ()
) -> dict[str, Json]:
    """The files of a board, by name.

    `differences`: to the letters that an imported table names, where it names any. `copies`: sheets that are kept, but
    compared with no other.
    """
    return {
        "leaderboard.md": leaderboard_md(figures, about),
        "analysis.md": analysis_md(figures, about, differences),
        "questions.csv": questions_rows(figures),
        "breakdown.csv": breakdown_rows(figures),
        ALL_RESULTS: all_results(figures, copies),
    }


def leaderboard_md(figures: Figures, about: str) -> str:
    """Ranks with intervals, accuracy by difficulty and domain, who can be told apart, biases."""
    note = (
        "A rank such as 2-5 says which ranks the comparison of pairs leaves open; the order of the rows, by the lower end of "
        "the interval, is no result by itself. Accuracy is right / replies; a refusal, a cut reply and a reply without a "
        "readable letter are replies, and wrong. The interval is Wilson's, 95 %."
    )
    clustered = (
        " Several replies to one question count as one cluster: the interval allows for how much they agree with each other."
    )
    title = f"# {markdown_text(figures.board.benchmark)}: leaderboard"
    parts = [
        title,
        about,
        *reading_notes_md(figures.board.sheets),
        "## Overall",
        section.overall(figures),
        note if figures.single else note + clustered,
    ]
    parts += [section.bounds(figures), "## Who can be told apart", " ".join(significant(figures))]
    for by, title in GROUPS.items():
        if figures.groups_by(by):
            parts += [f"## {title}", section.by_group(figures, by)]
    parts += ["## Bias in short", bias_short(figures), BIAS_NOTE, "## Where the answers come from", section.origins(figures)]
    return _page(parts)


def analysis_md(figures: Figures, about: str, differences: Differences | None = None) -> str:
    """Hard and easy questions in full, agreement, comparison of pairs, biases, error and extraction patterns."""
    parts = [f"# {markdown_text(figures.board.benchmark)}: analysis", about]
    parts += section.hard_and_easy(figures)
    parts += ["## Model agreement", section.agreement(figures)]
    if not figures.single:
        parts += ["## Consistency", section.consistency(figures)]
    parts += ["## Comparison of pairs", " ".join(significant(figures)), section.pairs(figures)]
    parts += ["## Bias", BIAS_NOTE, *bias_details(figures)]
    parts += ["## Error patterns", "### Most common wrong answers", section.wrong_answers(figures)]
    parts += ["## How answers were given", section.patterns(figures), observations(figures), section.right_by_pattern(figures)]
    if figures.groups_by("topic"):
        parts += ["## Topics", section.topics(figures)]
    if differences is not None:
        parts += ["## Answers that are read differently than the imported table reads them", _differences(differences)]
    return _page(parts)


def _page(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _differences(differences: Differences) -> str:
    """By model, and the first of them one by one."""
    if not differences:
        return "None: every letter is the one that the table names."
    lines = []
    for model, n in Counter(str(row["model"]) for row in differences).most_common():
        own = [row for row in differences if row["model"] == model]
        gain = sum(bool(row["correct"]) - bool(row["correct_before"]) for row in own)
        lines.append([markdown_text(model), str(n), f"{gain:+d}"])
    table = markdown_table(["Model", "Answers read differently", "Change of right answers"], lines, [False, True, True])
    names = ("question_id", "model", "letter_before", "letter", "why", "raw")
    first = differences[: 2 * section.SHOWN]
    rows = [[markdown_text("none" if row[name] is None else str(row[name]), 160) for name in names] for row in first]
    shown = markdown_table(["Question", "Model", "Table says", "Read now", "Why", "Reply"], rows)
    parts = [table, shown]
    if len(differences) > len(first):
        parts.append(f"The first {len(first)} of {len(differences)}; all are in {DIFFERENCES}.")
    return "\n\n".join(parts)
