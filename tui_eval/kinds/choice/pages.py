"""The files of a run or of several: leaderboard.md, analysis.md and what stands beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import markdown_table, markdown_text
from tui_eval.kinds.choice import page_sections as section
from tui_eval.kinds.choice.bias_sections import BIAS_NOTE, bias_details, bias_short
from tui_eval.kinds.choice.figure_tables import breakdown_rows
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.observations import observations
from tui_eval.kinds.choice.question_rows import questions_rows
from tui_eval.kinds.choice.reading_notes import reading_notes_md
from tui_eval.kinds.choice.sentences import significant
from tui_eval.kinds.choice.sheet_file import all_results
from tui_eval.kinds.choice.sheets import Sheet

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
