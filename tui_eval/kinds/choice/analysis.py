"""analysis.md: hard and easy questions in full, agreement, pairs, biases, errors, and how answers were given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import markdown_lines, markdown_table, markdown_text
from tui_eval.datasets.groups import DOMAIN, TOPIC, difficulty_of
from tui_eval.kinds.choice.agreement import QuestionFigures, same_option
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.leaderboard import BIAS_NOTE
from tui_eval.kinds.choice.sheet import LETTERS, Sheet
from tui_eval.kinds.choice.words import SHOWN, chance, key_letter, percent, points, significant, verdict
from tui_eval.results.sums.differences import Pair
from tui_eval.statistics.bias import LongestBias, QualifierBias

HARDEST_IN_FULL, EASIEST_IN_FULL = 5, 3
PAIRS_IN_FULL = 45
"""Up to this many pairs are shown; of more, each model with the next in rank. pairs.csv has them all."""
LEAST_TOPIC = 5
"""Topics of fewer questions are left to breakdown.csv."""


def analysis_md(figures: Figures, about: str, differences: Sequence[Mapping[str, Json]] | None = None) -> str:
    """Hard and easy questions in full, agreement, comparison of pairs, biases, error and extraction patterns."""
    parts = [f"# {markdown_text(figures.board.benchmark)}: analysis", about]
    parts += _hard_and_easy(figures)
    parts += ["## Model agreement", _agreement(figures)]
    if not figures.single:
        parts += ["## Consistency", _consistency(figures)]
    parts += ["## Comparison of pairs", " ".join(significant(figures)), _pairs(figures)]
    parts += ["## Bias", BIAS_NOTE, *_bias_details(figures)]
    parts += ["## Error patterns", "### Most common wrong answers", _wrong_answers(figures)]
    parts += ["## How answers were given", _patterns(figures)]
    if figures.groups_by("topic"):
        parts += ["## Topics", _topics(figures)]
    if differences is not None:
        parts += ["## Answers that are read differently than the imported table reads them", differences_text(differences)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _hard_and_easy(figures: Figures) -> list[str]:
    hardest, easiest = figures.hardest, figures.easiest
    parts = [
        "## Hardest questions",
        _question_list(hardest, "failed"),
        *_examples(figures, hardest[:HARDEST_IN_FULL], "Hardest"),
    ]
    parts += ["## Easiest questions"]
    passed = sum(q.models > 0 and q.failed == 0 for q in figures.questions)
    parts += [
        f"{passed} of {len(figures.questions)} questions were passed by every model that replied.",
        _question_list(easiest, "passed"),
    ]
    return [*parts, *_examples(figures, easiest[:EASIEST_IN_FULL], "Easiest")]


def _question_list(questions: Sequence[QuestionFigures], what: str) -> str:
    rows = []
    for place, found in enumerate(questions[:SHOWN], start=1):
        count = found.failed if what == "failed" else found.right
        topics = ", ".join(found.question.group(TOPIC)) or ", ".join(found.question.group(DOMAIN)) or "-"
        rows.append(
            [
                str(place),
                markdown_text(found.question.id),
                markdown_text(topics, 80),
                f"{count:g}/{found.models}",
                key_letter(found.question),
            ]
        )
    if not rows:
        return f"No question was {what} by any model."
    return markdown_table(["Rank", "Question", "Topic", f"Models that {what}", "Key"], rows, [True, False, False, True, False])


def _examples(figures: Figures, questions: Sequence[QuestionFigures], title: str) -> list[str]:
    return [part for n, found in enumerate(questions, start=1) for part in _example(figures, found, f"### {title} #{n}")]


def _example(figures: Figures, found: QuestionFigures, title: str) -> list[str]:
    question = found.question
    about = [part for part in (difficulty_of(question), ", ".join(question.group(DOMAIN))) if part]
    options = "\n".join(f"- {LETTERS[i]}) {markdown_text(text)}" for i, text in enumerate(question.options))
    answers = []
    for i in figures.by_rank:
        sheet = figures.board.sheets[i]
        given = [verdict(answer) for answer in sheet.answers.get(question.id, ())] or ["not asked"]
        answers.append(f"- {markdown_text(sheet.label)}: {markdown_text(', '.join(given))}")
    return [
        f"{title}: {markdown_text(question.id)}" + (f" ({markdown_text('; '.join(about))})" if about else ""),
        f"**Question:** {markdown_lines(question.question)}",
        options,
        f"**Key:** {key_letter(question)}",
        "**Answers:**",
        "\n".join(answers),
    ]


def _agreement(figures: Figures) -> str:
    found = figures.agreement
    if not found.questions:
        return "There is no question that every model replied to."
    lines = [
        f"- {name}: {n}/{found.questions} ({percent(n / found.questions)})"
        for name, n in (("All right", found.all_right), ("All wrong", found.all_wrong), ("Mixed", found.mixed))
    ]
    if found.left_out:
        lines.append(f"- Left out, since some model has no reply: {found.left_out}")
    return "\n".join(lines)


def _consistency(figures: Figures) -> str:
    rows = []
    for i in figures.by_rank:
        sheet = figures.board.sheets[i]
        found = figures.consistency(i)
        if found is None:
            continue
        same, within = same_option(sheet), found.repeats.within
        rows.append(
            [
                markdown_text(sheet.label),
                str(found.questions),
                str(same),
                percent(same / found.questions),
                str(found.k),
                percent(found.pass_at),
                percent(found.pass_hat),
                "-" if within is None else f"{within:.4f}",
                "-" if found.repeats.between is None else f"{found.repeats.between:.4f}",
            ]
        )
    note = (
        "Consistency is the share of questions whose replies all chose the same option by its content, whatever the order it "
        "was shown in. pass@k: at least one of k replies is right; pass^k: all of them are. The two variances say where the "
        "spread comes from: more replies to the same questions only lessen the first."
    )
    columns = [
        "Model", "Questions with several replies", "Same option in all", "Consistency", "k", "pass@k", "pass^k",
        "Variance within questions", "Variance between questions",
    ]  # fmt: skip
    return note + "\n\n" + markdown_table(columns, rows, [name != "Model" for name in columns])


def _pairs(figures: Figures) -> str:
    pairs = figures.pairs
    if not pairs:
        return ""
    note = (
        "The interval is of that pair alone; told apart is what remains after Holm's correction for the number of pairs, so an "
        "interval without 0 may still read no.\n\n"
    )
    if len(pairs) > PAIRS_IN_FULL:
        place = {id(figures.board.sheets[i]): n for n, i in enumerate(figures.by_rank)}
        pairs = [pair for pair in pairs if place[id(pair.b)] == place[id(pair.a)] + 1]
        note += f"Each model with the next in rank; all {len(figures.pairs)} pairs are in pairs.csv.\n\n"
    columns = [
        "Model", "Other", "n", "Only this one right", "Only the other right", "Difference, points", "95 % CI", "p",
        "p (Holm)", "Told apart", "Smallest difference seen, points",
    ]  # fmt: skip
    return note + markdown_table(columns, [_pair_row(pair) for pair in pairs], [i > 1 and i != 9 for i in range(len(columns))])


def _pair_row(pair: Pair[Sheet]) -> list[str]:
    found = pair.found
    return [
        markdown_text(pair.a.label),
        markdown_text(pair.b.label),
        str(found.n),
        str(found.a_higher),
        str(found.b_higher),
        points(found.value),
        f"[{points(found.low)}, {points(found.high)}]",
        chance(found.p),
        chance(pair.p_holm),
        "yes" if pair.significant else "no",
        "-" if found.detectable is None else f"{100 * found.detectable:.1f}",
    ]


def _bias_details(figures: Figures) -> list[str]:
    return [part for part in (_position_table(figures), _longest_table(figures), _qualifier_table(figures)) if part]


def _position_table(figures: Figures) -> str:
    letters = LETTERS[: figures.usual_size]
    rows = []
    measured = [biases.position for biases in figures.biases if biases.position is not None]
    n = sum(position.n for position in measured)
    shares = [sum(p.n * p.key_share[i] for p in measured) / n for i in range(len(letters))] if n else []
    key = ", ".join(f"{letter} {percent(share, 0)}" for letter, share in zip(letters, shares, strict=False))
    for i in figures.by_rank:
        found = figures.biases[i].position
        if found is None:
            continue
        rows.append(
            [
                markdown_text(figures.board.sheets[i].label),
                str(found.n),
                *(percent(share, 0) for share in found.chosen_share),
                f"{100 * found.max_deviation:.1f}",
                "-" if found.recall_sd is None else f"{100 * found.recall_sd:.1f}",
                chance(found.p),
                "-" if found.p_wrong is None else chance(found.p_wrong),
                found.level,
                f"{100 * found.max_deviation_uniform:.1f}",
                found.level_uniform,
            ]
        )
    columns = [
        "Model", "n", *letters, "Furthest from the key, points", "Recall sd, points", "p", "p, wrong answers", "Level",
        "Furthest from 1/k, points", "Level, 1/k",
    ]  # fmt: skip
    note = (
        f"### Position\n\nShares of the letters chosen, as shown, of answers with a letter to questions of "
        f"{figures.usual_size} options. The key: {key}."
    )
    return _bias_page(note, columns, rows)


def _longest_table(figures: Figures) -> str:
    rows = []
    for i in figures.by_rank:
        found = figures.biases[i].longest
        if found is not None:
            wrong = f"{found.wrong_longest}/{found.wrong_n}"
            rows.append([*_lean(figures, i, found, wrong), found.level, found.level_uniform])
    columns = ["Model", "n", "Picked the longest", "Key is the longest", *LEAN, "Level", "Level, 1/k"]
    note = (
        "### Longest option\n\nOver questions with one longest option. The sharper test looks at wrong answers where the key "
        "is not the longest: does the model fall for the longest more often than chance?"
    )
    return _bias_page(note, columns, rows)


def _qualifier_table(figures: Figures) -> str:
    rows = []
    for i in figures.by_rank:
        found = figures.biases[i].qualifier
        if found is not None:
            rows.append([*_lean(figures, i, found, f"{found.wrong_with}/{found.wrong_n}"), found.level])
    columns = ["Model", "n", "Picked such an option", "Key is such an option", *LEAN, "Level"]
    note = (
        "### Absolute words (always, never, only, all, none)\n\n"
        "Over questions where some options hold such a word and some do not."
    )
    return _bias_page(note, columns, rows)


LEAN = ("Excess, points", "Of wrong answers", "Expected of these", "p")


def _lean(figures: Figures, i: int, found: LongestBias | QualifierBias, wrong: str) -> list[str]:
    """What both tables of tempting options say of a model."""
    p = "-" if found.p is None else chance(found.p)
    shares = [percent(found.picked), percent(found.key), points(found.excess)]
    return [markdown_text(figures.board.sheets[i].label), str(found.n), *shares, wrong, percent(found.expected), p]


def _bias_page(note: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    words = ("Model", "Level", "Level, 1/k")
    return f"{note}\n\n" + markdown_table(columns, rows, [name not in words for name in columns]) if rows else ""


def _wrong_answers(figures: Figures) -> str:
    least = min(2, len(figures.board.sheets))
    common = (q for q in figures.questions if q.wrong_option is not None and q.wrong_count >= least)
    found = sorted(common, key=lambda q: -q.wrong_count)[:SHOWN]
    rows = [
        [markdown_text(q.question.id), key_letter(q.question), LETTERS[q.wrong_option], f"{q.wrong_count}/{q.models}"]
        for q in found
        if q.wrong_option is not None
    ]
    if not rows:
        return "No wrong letter was chosen by two models."
    return markdown_table(["Question", "Key", "Most common wrong answer", "Count"], rows, [False, False, False, True])


def _patterns(figures: Figures) -> str:
    counts = [figures.patterns(sheet) for sheet in figures.board.sheets]
    names = [name for name, _ in sum(counts, Counter()).most_common()]
    rows = []
    for i in figures.by_rank:
        total = counts[i].total()
        cells = [percent(counts[i][name] / total, 0) if total else "-" for name in names]
        rows.append([markdown_text(figures.board.sheets[i].label), str(total), *cells])
    note = "By what each letter was found, or why none was; shares of the replies.\n\n"
    return note + markdown_table(
        ["Model", "Replies", *map(markdown_text, names)], rows, [False, *(True for _ in range(len(names) + 1))]
    )


def _topics(figures: Figures) -> str:
    groups = [group for group in figures.groups_by("topic") if len(group.indexes) >= LEAST_TOPIC]
    found = []
    for group in groups:
        questions = [figures.questions[i] for i in group.indexes]
        models = sum(q.models for q in questions)
        if models:
            found.append((sum(q.right for q in questions) / models, group))
    rows = [
        [markdown_text(g.value), str(len(g.indexes)), percent(share)]
        for share, g in sorted(found, key=lambda pair: pair[0])[: 2 * SHOWN]
    ]
    rest = len(figures.groups_by("topic")) - len(rows)
    note = (
        f"Mean over all models, the hardest first; topics of at least {LEAST_TOPIC} questions. "
        f"{rest} more are in breakdown.csv.\n\n"
    )
    return note + markdown_table(["Topic", "Questions", "Accuracy"], rows, [False, True, True]) if rows else note.strip()


def differences_text(differences: Sequence[Mapping[str, Json]]) -> str:
    """How the letters read now differ from those that the imported table names: by model, and the first of them one by one."""
    if not differences:
        return "None: every letter is the one that the table names."
    models = Counter(str(row["model"]) for row in differences)
    lines = []
    for model, n in models.most_common():
        own = [row for row in differences if row["model"] == model]
        gain = sum(bool(row["correct"]) - bool(row["correct_before"]) for row in own)
        lines.append([markdown_text(model), str(n), f"{gain:+d}"])
    table = markdown_table(["Model", "Answers read differently", "Change of right answers"], lines, [False, True, True])
    names = ("question_id", "model", "letter_before", "letter", "why", "raw")
    rows = [[_shown(row[name]) for name in names] for row in differences[: 2 * SHOWN]]
    shown = markdown_table(["Question", "Model", "Table says", "Read now", "Why", "Reply"], rows)
    more = (
        f"\n\nThe first {2 * SHOWN} of {len(differences)}; all are in import_differences.csv."
        if len(differences) > 2 * SHOWN
        else ""
    )
    return f"{table}\n\n{shown}{more}"


def _shown(value: Json) -> str:
    return markdown_text("none" if value is None else str(value), 160)
