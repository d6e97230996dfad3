"""Sections of Markdown pages about a board of answer sheets: ranks, groups, questions, pairs, and where answers come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import markdown_lines, markdown_rows, markdown_table, markdown_text
from tui_eval.datasets.groups import DOMAIN, TOPIC, difficulty_of
from tui_eval.kinds.choice.figures import Figures, QuestionFigures, Standing
from tui_eval.kinds.choice.sheets import LETTERS, Sheet
from tui_eval.results.sums.differences import Pair
from tui_eval.results.sums.in_words import decimal, p_value, percent, points, rank, span
from tui_eval.results.sums.series import Group

SHOWN = 10
"""Entries of a list; the tables beside the pages have them all."""
IN_FULL = {"Hardest": 5, "Easiest": 3}
PAIRS_IN_FULL = 45
"""Up to this many pairs are shown; of more, each model with the next in rank. pairs.csv has them all."""
LEAST_TOPIC = 5
"""Topics of fewer questions are left to breakdown.csv."""
WORDS = ("Model", "Other", "Told apart", "Question", "Topic", "Key", "Most common wrong answer", "Why")
"""Columns of all these tables that hold words."""


def overall(figures: Figures) -> str:
    """Ranks and accuracies, what was not read, what is missing, costs."""
    return markdown_rows([_overall_row(s, figures.groups_by("difficulty")) for s in figures.ranked], WORDS)


def _overall_row(s: Standing, levels: Sequence[Group]) -> list[tuple[str, str]]:
    known, each = s.sheet.n_cost_known >= s.accuracy.scored > 0, s.cost_per_right
    return [
        ("Rank", rank(s.rank)),
        ("Model", s.sheet.name),
        ("Accuracy", percent(s.accuracy.share)),
        ("95 % CI", span(s.accuracy.low, s.accuracy.high)),
        ("n", str(s.accuracy.scored)),
        *((markdown_text(level.value.capitalize()), percent(s.within(level).share)) for level in levels),
        *((name.capitalize(), str(n)) for name, n in s.sheet.in_short.items()),
        ("Missing", str(s.accuracy.missing)),
        ("USD when first asked", f"${s.sheet.cost_usd:.4f}" if known else "-"),
        ("USD per right answer", "-" if each is None else f"${each:.6f}"),
    ]


def bounds(figures: Figures) -> str:
    """Strict rate and best case of the models that have missing replies."""
    rows = [
        [
            ("Model", s.sheet.name),
            ("Missing", str(s.accuracy.missing)),
            ("Why", ", ".join(f"{n} {markdown_text(why)}" for why, n in s.sheet.missing.most_common())),
            ("If all of them were wrong (strict)", percent(s.accuracy.strict)),
            ("If all of them were right", percent(s.accuracy.best_case)),
        ]
        for s in figures.ranked
        if s.accuracy.missing
    ]
    if not rows:
        return "Every call brought a reply."
    note = "Calls without a reply are neither right nor wrong; the truth lies between these bounds:\n\n"
    return note + markdown_rows(rows, WORDS)


def by_group(figures: Figures, by: str) -> str:
    """Accuracies with their intervals, a column for each of the first groups."""
    groups = figures.groups_by(by)[:SHOWN]
    return markdown_rows([_group_row(s, groups) for s in figures.ranked], WORDS)


def _group_row(s: Standing, groups: Sequence[Group]) -> list[tuple[str, str]]:
    found = [(f"{markdown_text(g.value)} (n = {len(g.indexes)})", s.within(g)) for g in groups]
    cells = [(name, f"{percent(a.share)} {span(a.low, a.high)}" if a.scored else "-") for name, a in found]
    return [("Model", s.sheet.name), *cells]


def origins(figures: Figures) -> str:
    """Where each sheet comes from: run, model as asked and as served, parameters, prompt, times, rule."""
    rows = []
    for sheet in (s.sheet for s in figures.ranked):
        info = sheet.info
        found = {
            "Model": sheet.label,
            "Run": sheet.run_id,
            "Asked as": f"{info.get('deployment') or '-'} ({info.get('provider') or '-'})",
            "Served as": info.get("model_version"),
            "API version": info.get("api_version"),
            "Parameters": _parameters(info),
            "Prompt": info.get("prompt"),
            "Options": _options(info),
            "From": info.get("first_at"),
            "To": info.get("last_at"),
            "From a cache": info.get("cached"),
            "Letter read by": sheet.extraction,
        }
        rows.append([(name, markdown_text(str(value or "-"))) for name, value in found.items()])
    return markdown_rows(rows, [name for name, _ in rows[0]])


def _options(info: Mapping[str, Json]) -> str:
    """How the options were shown."""
    orders = info.get("permutations") or 1
    words = ["shuffled"] if info.get("shuffle") else ["as in the benchmark"]
    return ", ".join([*words, f"{orders} orders"] if isinstance(orders, int) and orders > 1 else words)


def _parameters(info: Mapping[str, Json]) -> str:
    """What was sent besides the messages, and what the server does not take."""
    sent = info.get("parameters") or {}
    items = sent.items() if isinstance(sent, dict) else ()
    words = [f"{name} {value}" for name, value in items if name not in ("stream", "seed")]
    return ", ".join(words + [f"{name} not applicable" for name in info.get("not_applicable") or ()]) or "-"


def hard_and_easy(figures: Figures) -> list[str]:
    """The questions that most models failed, and those that most passed; the first of each in full."""
    passed = sum(q.models > 0 and q.failed == 0 for q in figures.questions)
    return [
        "## Hardest questions",
        *_questions(figures, figures.hardest, "Hardest", "failed"),
        "## Easiest questions",
        f"{passed} of {len(figures.questions)} questions were passed by every model that replied.",
        *_questions(figures, figures.easiest, "Easiest", "passed"),
    ]


def _questions(figures: Figures, found: Sequence[QuestionFigures], title: str, what: str) -> list[str]:
    rows = [
        [
            ("Rank", str(place)),
            ("Question", markdown_text(q.question.id)),
            ("Topic", markdown_text(", ".join(q.question.group(TOPIC) or q.question.group(DOMAIN)) or "-", 80)),
            (f"Models that {what}", f"{q.failed if what == 'failed' else q.right:g}/{q.models}"),
            ("Key", q.question.letter),
        ]
        for place, q in enumerate(found[:SHOWN], start=1)
    ]
    examples = [_example(figures, q, f"### {title} #{n}") for n, q in enumerate(found[: IN_FULL[title]], start=1)]
    return [markdown_rows(rows, WORDS) or f"No question was {what} by any model.", *examples]


def _example(figures: Figures, found: QuestionFigures, title: str) -> str:
    question = found.question
    about = [part for part in (difficulty_of(question), ", ".join(question.group(DOMAIN))) if part]
    answers = []
    for s in figures.ranked:
        given = [answer.verdict for answer in s.sheet.answers.get(question.id, ())] or ["not asked"]
        answers.append(f"- {s.sheet.name}: {markdown_text(', '.join(given))}")
    parts = [
        f"{title}: {markdown_text(question.id)}" + (f" ({markdown_text('; '.join(about))})" if about else ""),
        f"**Question:** {markdown_lines(question.question)}",
        "\n".join(f"- {LETTERS[i]}) {markdown_text(text)}" for i, text in enumerate(question.options)),
        f"**Key:** {question.letter}",
        "**Answers:**",
        "\n".join(answers),
    ]
    return "\n\n".join(part for part in parts if part)


def agreement(figures: Figures) -> str:
    """How many questions all models, some and none have right."""
    found = figures.agreement
    if not found.questions:
        return "There is no question that every model replied to."
    counts = {"All right": found.all_right, "All wrong": found.all_wrong, "Mixed": found.mixed}
    lines = [f"- {name}: {n}/{found.questions} ({percent(n / found.questions)})" for name, n in counts.items()]
    if found.left_out:
        lines.append(f"- Left out, since some model has no reply: {found.left_out}")
    return "\n".join(lines)


def consistency(figures: Figures) -> str:
    """What several replies to one question have in common."""
    rows = []
    for s in figures.ranked:
        if found := s.consistency:
            same = s.sheet.same_option
            rows.append(
                [
                    ("Model", s.sheet.name),
                    ("Questions with several replies", str(found.questions)),
                    ("Same option in all", str(same)),
                    ("Consistency", percent(same / found.questions)),
                    ("k", str(found.k)),
                    ("pass@k", percent(found.pass_at)),
                    ("pass^k", percent(found.pass_hat)),
                    ("Variance within questions", decimal(found.repeats.within, 4)),
                    ("Variance between questions", decimal(found.repeats.between, 4)),
                ]
            )
    note = (
        "Consistency is the share of questions whose replies all chose the same option by its content, whatever the order it "
        "was shown in. pass@k: at least one of k replies is right; pass^k: all of them are. The two variances say where the "
        "spread comes from: more replies to the same questions only lessen the first."
    )
    return f"{note}\n\n{markdown_rows(rows, WORDS)}"


def pairs(figures: Figures) -> str:
    """Every two models, or where they are many each with the next in rank."""
    shown = figures.pairs
    if not shown:
        return ""
    note = (
        "The interval is of that pair alone; told apart is what remains after Holm's correction for the number of pairs, so an "
        "interval without 0 may still read no.\n\n"
    )
    if len(shown) > PAIRS_IN_FULL:
        place = {id(s.sheet): n for n, s in enumerate(figures.ranked)}
        shown = [pair for pair in shown if place[id(pair.b)] == place[id(pair.a)] + 1]
        note += f"Each model with the next in rank; all {len(figures.pairs)} pairs are in pairs.csv.\n\n"
    return note + markdown_rows(list(map(_pair_row, shown)), WORDS)


def _pair_row(pair: Pair[Sheet]) -> list[tuple[str, str]]:
    found = pair.found
    return [
        ("Model", pair.a.name),
        ("Other", pair.b.name),
        ("n", str(found.n)),
        ("Only this one right", str(found.a_higher)),
        ("Only the other right", str(found.b_higher)),
        ("Difference, points", points(found.value)),
        ("95 % CI", f"[{points(found.low)}, {points(found.high)}]"),
        ("p", p_value(found.p)),
        ("p (Holm)", p_value(pair.p_holm)),
        ("Told apart", "yes" if pair.significant else "no"),
        ("Smallest difference seen, points", points(pair.detectable, sign=False)),
    ]


def wrong_answers(figures: Figures) -> str:
    """The wrong options that most models chose."""
    least = min(2, len(figures.board.sheets))
    found = [(q, q.wrong_option) for q in sorted(figures.questions, key=lambda q: -q.wrong_count) if q.wrong_count >= least]
    rows = [
        [
            ("Question", markdown_text(q.question.id)),
            ("Key", q.question.letter),
            ("Most common wrong answer", LETTERS[option]),
            ("Count", f"{q.wrong_count}/{q.models}"),
        ]
        for q, option in found[:SHOWN]
        if option is not None
    ]
    return markdown_rows(rows, WORDS) or "No wrong letter was chosen by two models."


def patterns(figures: Figures) -> str:
    """By what answers were read, as shares of each model's replies."""
    counts = [s.sheet.patterns for s in figures.standings]
    names = [name for name, _ in sum(counts, Counter()).most_common()]
    rows = []
    for i in figures.by_rank:
        total = counts[i].total()
        cells = [percent(counts[i][name] / total, 0) if total else "-" for name in names]
        rows.append([figures.board.sheets[i].name, str(total), *cells])
    note = "By what each letter was found, or why none was; shares of the replies.\n\n"
    return note + markdown_table(["Model", "Replies", *map(markdown_text, names)], rows, [False, *[True] * (len(names) + 1)])


def right_by_pattern(figures: Figures) -> str:
    """How often what was read by each pattern is right."""
    every = Counter(answer.pattern for s in figures.board.sheets for _, answer in s.all_answers() if answer.letter)
    names = [name for name, _ in every.most_common()]
    rows = []
    for s in figures.ranked:
        found = s.by_pattern()
        told = {name: f"{percent(one.share, 0)} {span(one.low, one.high)} of {one.scored:,}" for name, one in found.items()}
        cells = [told.get(name, "-") for name in names]
        rows.append([s.sheet.name, *cells])
    if not names:
        return ""
    note = (
        "How often what was read by each is right. That is no merit or fault of a form: harder questions may be answered "
        "otherwise.\n\n"
    )
    return note + markdown_table(["Model", *map(markdown_text, names)], rows, [False, *[True] * len(names)])


def topics(figures: Figures) -> str:
    """Mean accuracy of all models by topic, the hardest first."""
    groups = figures.groups_by("topic")
    found = []
    for group in groups:
        questions = [figures.questions[i] for i in group.indexes]
        models = sum(q.models for q in questions)
        if models and len(questions) >= LEAST_TOPIC:
            found.append((sum(q.right for q in questions) / models, group))
    rows = [
        [("Topic", markdown_text(g.value)), ("Questions", str(len(g.indexes))), ("Accuracy", percent(share))]
        for share, g in sorted(found, key=lambda pair: pair[0])[: 2 * SHOWN]
    ]
    rest = f"{len(groups) - len(rows)} more are in breakdown.csv."
    note = f"Mean over all models, the hardest first; topics of at least {LEAST_TOPIC} questions. {rest}\n\n"
    return (note + markdown_rows(rows, WORDS)).strip()
