"""leaderboard.md and analysis.md: the tables of a report on answer sheets, chosen and said for people to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from heapq import nsmallest
from itertools import pairwise
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import markdown_lines, markdown_rows, markdown_text
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import CALC_REQUIRED, DIFFICULTY, DOMAIN, TOPIC, difficulty_of
from tui_eval.kinds.choice.choice_biases import BIASES
from tui_eval.kinds.choice.sentences import observations, reading_notes
from tui_eval.kinds.choice.sheet_file import all_results, questions_rows
from tui_eval.kinds.choice.sheet_report import REASONS, SheetReport
from tui_eval.kinds.choice.sheets import LETTERS, WITHOUT_LETTER, Sheet
from tui_eval.results.sums.in_words import decimal, p_value, percent, points, rank, span
from tui_eval.results.sums.pair_words import pairs_words

Row = Mapping[str, Json]
Columns = Mapping[str, tuple[str, Callable[..., str]]]
"""Headings with the columns of a table that stand under them, and how their values are said."""
ALL_RESULTS, DIFFERENCES = "all_results.json", "import_differences.csv"
GROUPS = {DIFFICULTY: "By difficulty", DOMAIN: "By domain", CALC_REQUIRED: "Calculation required"}
SHOWN = 10
"""Entries of a list; the tables beside the pages have them all."""
IN_FULL = {"Hardest": 5, "Easiest": 3}
PAIRS_IN_FULL = 45
"""Up to this many pairs are shown; of more, each model with the next in rank. pairs.csv has them all."""
LEAST_TOPIC = 5
"""Topics of fewer questions are left to breakdown.csv."""
LONGEST = 20_000
"""Characters of a sentence that may name every model of a leaderboard."""
NO_NUMBERS = (
    "Model", "Other", "Significant", "Question", "Topic", "Most common wrong answer", "Why", "Level", "Level, 1/k",
    "Table says", "Read now", "Reply",
)  # fmt: skip
"""Headings of columns that hold words."""


def _words(value: object) -> str:
    return "-" if value is None else markdown_text(str(value), 160)


def _usd(value: float | None, digits: int) -> str:
    return "-" if value is None else f"${value:.{digits}f}"


def _rate(value: float | None, low: float | None, high: float | None, n: int) -> str:
    return f"{percent(value)} {span(low, high)} of {n:,}" if n else "-"


whole_percent, in_points = partial(percent, digits=0), partial(points, sign=False)
RANKED: Columns = {
    "Rank": ("rank_best rank_worst", lambda *ends: "-" if None in ends else rank(ends)),
    "Model": ("model", _words),
    "Accuracy": ("accuracy", percent),
    "95 % CI": ("ci_low ci_high", span),
    "n": ("n_scored", str),
}
BESIDE: Columns = {
    **{
        name.capitalize(): (" ".join(f"n_{why}" for why in reasons), lambda *n: str(sum(n)))
        for name, reasons in WITHOUT_LETTER.items()
    },
    "Missing": ("n_missing", str),
    "USD": ("cost_usd", partial(_usd, digits=4)),
    "USD per right answer": ("usd_per_correct", partial(_usd, digits=6)),
    "The same, last attempts alone": ("usd_per_correct_final", partial(_usd, digits=6)),
}
BOUNDS: Columns = {
    "Model": ("model", _words), "Missing": ("n_missing", str), "Why": ("why", _words),
    "If all of them were wrong (strict)": ("accuracy_strict", percent),
    "If all of them were right": ("accuracy_best_case", percent),
}  # fmt: skip
CONSISTENCY: Columns = {
    "Model": ("model", _words), "Questions with several replies": ("n_items", str), "Same option in all": ("n_same", str),
    "Consistency": ("consistency", percent), "k": ("k", str), "pass@k": ("pass_at_k", percent),
    "pass^k": ("pass_hat_k", percent), "Variance within questions": ("variance_within", partial(decimal, digits=4)),
    "Variance between questions": ("variance_between", partial(decimal, digits=4)),
}  # fmt: skip
PAIRS: Columns = {
    "Model": ("model_a", _words), "Other": ("model_b", _words), "n": ("n", str), "This one higher": ("a_higher", str),
    "The other higher": ("b_higher", str), "Difference, points": ("difference", points),
    "95 % CI": ("low high", lambda *ends: f"[{', '.join(map(points, ends))}]"),
    "p": ("p", p_value), "p (Holm)": ("p_holm", p_value), "Significant": ("told_apart", _words),
    "Smallest difference seen, points": ("smallest_difference_seen", in_points),
}  # fmt: skip
POSITION: Columns = {
    "n": ("n", str), "Furthest from the key, points": ("difference", in_points), "Recall sd, points": ("recall_sd", in_points),
    "p": ("p", p_value), "p, wrong answers": ("p_wrong", p_value), "Level": ("level", _words),
    "Furthest from 1/k, points": ("difference_uniform", in_points), "Level, 1/k": ("level_uniform", _words),
}  # fmt: skip
TEMPTING: Columns = {
    "Model": ("model", _words), "n": ("n", str), "Picked": ("picked", percent), "Is the key": ("key", percent),
    "Excess, points": ("difference", points), "Of wrong answers": ("wrong_picked n_wrong", "{}/{}".format),
    "Expected of these": ("expected", percent), "p": ("p", p_value), "Level": ("level", _words),
    "Level, 1/k": ("level_uniform", _words),
}  # fmt: skip
LOOK: Columns = {
    "Question": ("item", _words), "Key": ("key", str), "Chosen instead": ("option", str),
    "Right": ("share_right n_models", "{0:.1%} of {1}".format), "Why": ("why", _words),
}  # fmt: skip
WRONG: Columns = {
    "Question": ("question_id", _words), "Key": ("key", str), "Most common wrong answer": ("most_common_wrong", str),
    "Count": ("n_most_common_wrong n_models", "{}/{}".format),
}  # fmt: skip
DIFFERENT: Columns = {
    "Question": ("question_id", _words), "Model": ("model", _words), "Table says": ("letter_before", _words),
    "Read now": ("letter", _words), "Why": ("why", _words), "Reply": ("raw", _words),
}  # fmt: skip

RANKS_NOTE = (
    "A rank such as 2-5 says which ranks the comparison of pairs leaves open; the order of the rows, by the lower end of the"
    " interval, is no result by itself. Accuracy is the mean over questions, of replies alone; a refusal, a cut reply and one"
    " without a readable letter are replies, and wrong. The interval is Wilson's, 95 %. USD: what all attempts were charged,"
    " those that failed, too; per right answer, replies on file stand at what they cost when first asked."
)
SEVERAL_NOTE = " Several replies to one question are averaged first: the interval goes by questions."
BOUNDS_NOTE = "Calls without a reply are neither right nor wrong; the truth lies between these bounds:"
CONSISTENCY_NOTE = (
    "Consistency is the share of questions whose replies all chose the same option by its content, whatever the order it was"
    " shown in. pass@k: at least one of k replies is right; pass^k: all of them are. The two variances say where the spread"
    " comes from: more replies to the same questions only lessen the first."
)
PAIRS_NOTE = (
    "The interval is of that pair alone; significant is what remains after Holm's correction for the number of pairs, so an"
    " interval without 0 may still read no."
)
BIAS_NOTE = (
    "Measured against the answer key, not against 1/k: who follows the key shows no bias, however uneven it is. low: up to 5 "
    "points, medium: up to 10, high: above; a level above low needs p < 0.05 after Holm over the models, else it reads low "
    "(noise). Of several replies to one question the first counts. A position counts only if the wrong answers, too, lean to "
    "it, since even guessing strays from an uneven key. In brackets the measure of FormationEval's authors: against 1/k, "
    "whatever the key, without significance."
)
POSITION_NOTE = "Shares of the letters chosen, as shown, of answers with a letter to questions of {} options. The key: {}."
LONGEST_NOTE = (
    "Over questions with one longest option. The sharper test looks at wrong answers where the key is not the longest: does the"
    " model fall for the longest more often than chance?"
)
QUALIFIER_NOTE = "Over questions where some options hold such a word and some do not."
SHARES_NOTE = "By what each letter was found, or why none was; shares of the replies."
RIGHT_NOTE = (
    "How often what was read by each is right. That is no merit or fault of a form: harder questions may be answered otherwise."
)


def files(
    report: SheetReport, about: str, differences: Sequence[Row] | None = None, copies: Sequence[Sheet] = ()
) -> dict[str, Json]:
    """The files of a report on sheets, by name.

    `differences`: where a letter read is not the one that an imported table names, where it names any. `copies`: sheets that
    are kept, but compared with no other.
    """
    return {
        "leaderboard.md": leaderboard_md(report, about),
        "analysis.md": analysis_md(report, about, differences),
        "questions.csv": questions_rows(report.whole),
        "breakdown.csv": report.breakdown(report.every_group),
        ALL_RESULTS: all_results(report, copies),
    }


def leaderboard_md(report: SheetReport, about: str) -> str:
    """Ranks with intervals, accuracy by difficulty and domain, significant differences, biases."""
    texts = (markdown_text(text, LONGEST) for text in reading_notes(report.sheets))
    notes = (f"**Warning:**{text[8:]}" if text.startswith("Warning:") else text for text in texts)
    parts = [f"# {markdown_text(report.whole.benchmark)}: leaderboard", about, *notes, "## Overall", *_overall(report)]
    parts += ["## Significant differences", _significant(report)]
    for by, title in GROUPS.items():
        parts += _section(f"## {title}", _by_group(report, by))
    biases = [{**row, "bias": row["bias"].replace("_", " ").capitalize()} for row in _rows(report, "bias")]
    levels = _pivot(biases, "bias", "level level_uniform", lambda own, uniform: f"{own} [{uniform}]" if uniform else own)
    parts += ["## Bias in short", markdown_rows(levels, {name for name, _ in levels[0]} if levels else ()), BIAS_NOTE]
    return _page([*parts, "## Where the answers come from", _origins(report.sheets)])


def analysis_md(report: SheetReport, about: str, differences: Sequence[Row] | None = None) -> str:
    """Hard and easy questions in full, agreement, comparison of pairs, biases, error and extraction patterns."""
    parts = [f"# {markdown_text(report.whole.benchmark)}: analysis", about, *_hard_and_easy(report)]
    parts += ["## Model agreement", *_agreement(report)]
    parts += _section("## Items", _items(report))
    if not report.single:
        parts += ["## Consistency", CONSISTENCY_NOTE, _table(_rows(report, "consistency"), CONSISTENCY)]
    parts += ["## Comparison of pairs", _significant(report), *_pairs(report)]
    parts += ["## Bias", BIAS_NOTE, *_biases(report)]
    least = min(2, len(report.sheets))
    wrong = [report.questions[place]._asdict() for place in report.most_wrong(SHOWN)]
    wrong_table = _table([row for row in wrong if row["n_most_common_wrong"] >= least], WRONG)
    parts += ["## Error patterns", "### Most common wrong answers", wrong_table or "No wrong letter was chosen by two models."]
    patterns = _rows(report, "patterns")
    shares = _pivot(patterns, "pattern", "share", whole_percent, blank=whole_percent(0))
    right = _pivot([row for row in patterns if row["pattern"] not in REASONS], "pattern", "accuracy ci_low ci_high n", _rate)
    parts += ["## How answers were given", SHARES_NOTE, markdown_rows(shares, NO_NUMBERS)]
    parts += [observations(report.sheets, report.single), *_section(RIGHT_NOTE, markdown_rows(right, NO_NUMBERS))]
    parts += _section("## By topic", _by_group(report, TOPIC, LEAST_TOPIC))
    if differences is not None:
        parts += ["## Answers that are read differently than the imported table reads them", *_differences(differences)]
    return _page(parts)


def _page(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(heading: str, content: str) -> list[str]:
    """Nothing where there is nothing to be shown."""
    return [heading, content] if content else []


def _rows(report: SheetReport, name: str) -> list[dict[str, Any]]:
    """The rows of a table by column; none where there is no such table."""
    table = report.tables().get(name)
    if table is None:
        return []
    return [{column: cell.value for column, cell in zip(table.columns, row, strict=True)} for row in table.rows]


def _cells(row: Row, columns: Columns) -> list[tuple[str, str]]:
    return [(title, form(*(row.get(name) for name in names.split()))) for title, (names, form) in columns.items()]


def _table(rows: Iterable[Row], columns: Columns) -> str:
    return markdown_rows([_cells(row, columns) for row in rows], NO_NUMBERS)


def _pivot(
    rows: Iterable[Row], column: str, names: str, form: Callable[..., str], blank: str = "-"
) -> list[list[tuple[str, str]]]:
    """A row for each model, with a cell for each value of a column; `blank` where it has none."""
    by_model: dict[str, dict[str, str]] = {}
    for row in rows:
        by_model.setdefault(row["model"], {})[str(row[column])] = form(*(row[name] for name in names.split()))
    heads = dict.fromkeys(head for cells in by_model.values() for head in cells)
    return [
        [("Model", _words(model)), *((_words(head), cells.get(head, blank)) for head in heads)]
        for model, cells in by_model.items()
    ]


def _overall(report: SheetReport) -> list[str]:
    """Ranks and accuracies, what was not read, what is missing, costs; below it what missing answers may change."""
    rows = _rows(report, "accuracy")
    levels = _pivot(report.breakdown(report.groups_by(DIFFICULTY)), "value", "accuracy", percent) or [[]] * len(rows)
    by_level = [[(name.capitalize(), cell) for name, cell in cells[1:]] for cells in levels]
    overall_rows = [[*_cells(row, RANKED), *cells, *_cells(row, BESIDE)] for row, cells in zip(rows, by_level, strict=True)]
    missing = ((row, sheet.missing) for row, sheet in zip(rows, report.sheets, strict=True))
    lacking = [{**row, "why": ", ".join(f"{n} {why}" for why, n in own.most_common())} for row, own in missing if own]
    bounds = [BOUNDS_NOTE, _table(lacking, BOUNDS)] if lacking else ["Every call brought a reply."]
    return [markdown_rows(overall_rows, NO_NUMBERS), RANKS_NOTE + SEVERAL_NOTE * (not report.single), *bounds]


def _by_group(report: SheetReport, by: str, least: int = 1) -> str:
    """Accuracies with their intervals, a column for each of the first groups of so many questions at least."""
    rows = report.breakdown([group for group in report.groups_by(by) if len(group.indexes) >= least][:SHOWN])
    return markdown_rows(_pivot(rows, "value", "accuracy ci_low ci_high n_replies", _rate), NO_NUMBERS)


def _significant(report: SheetReport) -> str:
    """Put the comparison of pairs in words."""
    return markdown_text(" ".join([report.verdict, *pairs_words(report.board.pairs, report.units)]))


def _origins(sheets: Sequence[Sheet]) -> str:
    """Tabulate the origin of each sheet: run, model as asked and as served, parameters, prompt, times, rule."""
    rows = []
    for sheet in sheets:
        info = sheet.info
        cells = {
            "Model": sheet.label,
            "Run": sheet.run_id,
            "Asked as": f"{info.get('deployment') or '-'} ({info.get('provider') or '-'})",
            "Served as": info.get("model_version"),
            "API version": info.get("api_version"),
            "Parameters": _parameters(info),
            "Prompt": info.get("prompt"),
            "Options": sheet.options,
            "From": info.get("first_at"),
            "To": info.get("last_at"),
            "From a cache": info.get("cached"),
            "Letter read by": sheet.extraction,
        }
        rows.append([(name, markdown_text(str(value or "-"))) for name, value in cells.items()])
    return markdown_rows(rows, [name for name, _ in rows[0]])


def _parameters(info: Row) -> str:
    """List the parameters that were sent besides the messages, and those that the server does not take."""
    sent = info.get("parameters") or {}
    items = sent.items() if isinstance(sent, dict) else ()
    words = [f"{name} {value}" for name, value in items if name not in ("stream", "seed")]
    return ", ".join(words + [f"{name} not applicable" for name in info.get("not_applicable") or ()]) or "-"


def _hard_and_easy(report: SheetReport) -> list[str]:
    """The questions that most models failed, and those that most passed; the first of each in full."""
    (right, models), n = report.tallies, len(report.questions)
    passed = sum(right[place] == models[place] > 0 for place in range(n))
    failed_by_some = (place for place in range(n) if right[place] < models[place])
    hardest = nsmallest(SHOWN, failed_by_some, key=lambda at: (right[at] / models[at], right[at] - models[at]))
    easiest = nsmallest(SHOWN, filter(right.__getitem__, range(n)), key=lambda at: (-right[at] / models[at], -models[at]))
    return [
        "## Hardest questions",
        *_questions(report, [(at, models[at] - right[at]) for at in hardest], "Hardest", "failed"),
        "## Easiest questions",
        f"{passed} of {n} questions were passed by every model that replied.",
        *_questions(report, [(at, right[at]) for at in easiest], "Easiest", "passed"),
    ]


def _questions(report: SheetReport, ranked: Sequence[tuple[int, float]], title: str, outcome: str) -> list[str]:
    """`ranked`: the place of a question, and how many models it is so of."""
    entries = [(rank, report.whole.questions[at], at, n) for rank, (at, n) in enumerate(ranked, start=1)]
    rows = [
        [
            ("Rank", str(rank)),
            ("Question", markdown_text(question.id)),
            ("Topic", markdown_text(", ".join(question.group(TOPIC) or question.group(DOMAIN)) or "-", 80)),
            (f"Models that {outcome}", f"{n:g}/{report.tallies[1][at]}"),
            ("Key", question.letter),
        ]
        for rank, question, at, n in entries
    ]
    examples = [_example(report, question, at, f"### {title} #{rank}") for rank, question, at, _ in entries[: IN_FULL[title]]]
    return [markdown_rows(rows, (*NO_NUMBERS, "Key")) or f"No question was {outcome} by any model.", *examples]


def _example(report: SheetReport, question: Sample, place: int, title: str) -> str:
    about = [part for part in (difficulty_of(question), ", ".join(question.group(DOMAIN))) if part]
    answers = []
    for sheet in report.sheets:
        verdicts = [answer.verdict for answer in sheet.answers.at(place)] or ["not asked"]
        answers.append(f"- {sheet.name}: {markdown_text(', '.join(verdicts))}")
    parts = [
        f"{title}: {markdown_text(question.id)}" + (f" ({markdown_text('; '.join(about))})" if about else ""),
        f"**Question:** {markdown_lines(question.question)}",
        "\n".join(f"- {LETTERS[i]}) {markdown_text(text)}" for i, text in enumerate(question.options)),
        f"**Key:** {question.letter}",
        "**Answers:**",
        "\n".join(answers),
    ]
    return "\n\n".join(part for part in parts if part)


def _agreement(report: SheetReport) -> list[str]:
    """List how many questions all models, some and none have right."""
    rows, note = _rows(report, "agreement"), report.tables()["agreement"].note
    n = sum(row["n"] for row in rows)
    lines = (f"- {row['agreement'].replace('_', ' ').capitalize()}: {row['n']}/{n} ({percent(row['share'])})" for row in rows)
    return ["\n".join(lines), note] if n else ["There is no question that every model replied to."]


def _items(report: SheetReport) -> str:
    """Show how well questions separate models, and those whose key may be wrong; empty where too few models answered."""
    table = report.tables().get("items")
    if table is None:
        return ""
    doubted = [row for row in _rows(report, "items") if row["look"] == "yes"]
    return "\n\n".join(filter(None, [markdown_text(table.note, LONGEST), _table(doubted, LOOK)]))


def _pairs(report: SheetReport) -> list[str]:
    """Every two models, or where they are many each with the next in rank."""
    rows = _rows(report, "pairs")
    if len(rows) <= PAIRS_IN_FULL:
        return _section(PAIRS_NOTE, _table(rows, PAIRS))
    following = {*pairwise(sheet.label for sheet in report.sheets)}
    adjacent = [row for row in rows if (row["model_a"], row["model_b"]) in following]
    return [f"{PAIRS_NOTE} Each model with the next in rank; all {len(rows)} pairs are in pairs.csv.", _table(adjacent, PAIRS)]


def _biases(report: SheetReport) -> list[str]:
    """Each bias with what it rests on; what nobody shows is left out."""
    position, longest, words = ([row for row in _rows(report, "bias") if row["bias"] == name] for name in BIASES)
    places = Counter[str]()
    for own, n in (each for sheet in report.sheets for each in sheet.answers.tally() if each[0]):
        places[LETTERS[own[0].key_place]] += n
    key = ", ".join(f"{letter} {whole_percent(n / places.total())}" for letter, n in sorted(places.items()))
    shares = _pivot(_rows(report, "letters"), "letter", "chosen_share", whole_percent)
    position_rows = [[*cells, *_cells(row, POSITION)] for cells, row in zip(shares, position, strict=True)]
    sections = (
        ("Position", POSITION_NOTE.format(report.usual_size, key), markdown_rows(position_rows, NO_NUMBERS)),
        ("Longest option", LONGEST_NOTE, _table(longest, TEMPTING)),
        ("Absolute words (always, never, only, all, none)", QUALIFIER_NOTE, _table(words, TEMPTING)),
    )
    return [part for title, note, table in sections if table for part in (f"### {title}", note, table)]


def _differences(differences: Sequence[Row]) -> list[str]:
    """Show the changes of each model, and the first answers that are read differently."""
    if not differences:
        return ["None: every letter is the one that the table names."]
    gains: dict[str, list[int]] = {}
    for row in differences:
        gains.setdefault(row["model"], []).append(bool(row["correct"]) - bool(row["correct_before"]))
    by_model = sorted(gains.items(), key=lambda pair: -len(pair[1]))
    rows = [
        [("Model", _words(model)), ("Answers read differently", str(len(own))), ("Change of right answers", f"{sum(own):+d}")]
        for model, own in by_model
    ]
    first = differences[: 2 * SHOWN]
    more = f"The first {len(first)} of {len(differences)}; all are in {DIFFERENCES}."
    return [markdown_rows(rows, NO_NUMBERS), _table(first, DIFFERENT), more * (len(differences) > len(first))]
