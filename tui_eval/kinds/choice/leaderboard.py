"""leaderboard.md: ranks with intervals, accuracy by group, who can be told apart, and where the answers come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import markdown_table, markdown_text
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheet import Sheet
from tui_eval.kinds.choice.words import CUT, NOT_READ, SHOWN, interval, missing, percent, rank, significant, unread
from tui_eval.results.sums.means import Rate
from tui_eval.results.sums.series import Group
from tui_eval.statistics.bias import LongestBias, PositionBias, QualifierBias

BIAS_NOTE = (
    "Measured against the answer key, not against 1/k: who follows the key shows no bias, however uneven it is. low: up to 5 "
    "points, medium: up to 10, high: above; a level above low needs p < 0.05 after Holm over the models, else it reads low "
    "(noise). Of several replies to one question the first counts. A position counts only if the wrong answers, too, lean to "
    "it, since even guessing strays from an uneven key. In brackets the measure of FormationEval's authors: against 1/k, "
    "whatever the key, without significance."
)


def leaderboard_md(figures: Figures, about: str) -> str:
    """Ranks with intervals, accuracy by difficulty and domain, who can be told apart, biases."""
    parts = [f"# {markdown_text(figures.board.benchmark)}: leaderboard", about, "## Overall", _overall(figures)]
    parts.append(
        "A rank such as 2-5 says which ranks the comparison of pairs leaves open; the order of the rows, by the lower end of "
        "the interval, is no result by itself. Accuracy is right / replies; a refusal, a cut reply and a reply without a "
        "readable letter are replies, and wrong. The interval is Wilson's, 95 %." + _clustered_note(figures)
    )
    parts += [_bounds(figures), "## Who can be told apart", " ".join(significant(figures))]
    for by, title in (("difficulty", "By difficulty"), ("domain", "By domain"), ("calc_required", "Calculation required")):
        if figures.groups_by(by):
            parts += [f"## {title}", _groups(figures, figures.groups_by(by)[:SHOWN])]
    parts += ["## Bias in short", _bias_short(figures), BIAS_NOTE, "## Where the answers come from", _origins(figures)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _overall(figures: Figures) -> str:
    levels = figures.groups_by("difficulty")
    columns = ["Rank", "Model", "Accuracy", "95 % CI", "n", *(markdown_text(g.value.capitalize()) for g in levels)]
    columns += ["No letter", "Refused", "Cut or empty", "Missing", "USD when first asked", "USD per right answer"]
    rows = []
    for i in figures.by_rank:
        sheet, accuracy = figures.board.sheets[i], figures.accuracies[i]
        reasons = unread(sheet)
        rows.append(
            [
                rank(figures.ranks[i]),
                markdown_text(sheet.label),
                percent(accuracy.share),
                interval(accuracy),
                str(accuracy.scored),
                *(percent(figures.accuracy(i, group).share) for group in levels),
                str(sum(reasons[why] for why in NOT_READ)),
                str(reasons["refusal"]),
                str(sum(reasons[why] for why in CUT)),
                str(accuracy.missing),
                f"${sheet.cost_usd:.4f}" if sheet.n_cost_known >= accuracy.scored > 0 else "-",
                dollars_per_right(sheet, accuracy),
            ]
        )
    return markdown_table(columns, rows, [name != "Model" for name in columns])


def dollars_per_right(sheet: Sheet, accuracy: Rate) -> str:
    """What a right answer cost, by the replies whose cost is known; a dash unless it is known of all."""
    if not accuracy.right or sheet.n_cost_known < accuracy.scored:
        return "-"
    return f"${sheet.cost_usd / accuracy.right:.6f}"


def _clustered_note(figures: Figures) -> str:
    if figures.single:
        return ""
    return " Several replies to one question count as one cluster: the interval allows for how much they agree with each other."


def _bounds(figures: Figures) -> str:
    """Strict rate and best case of the models that have missing replies."""
    rows = [
        [markdown_text(figures.board.sheets[i].label), str(a.missing), _reasons(missing(figures.board.sheets[i])),
         percent(a.strict), percent(a.best_case)]
        for i in figures.by_rank
        if (a := figures.accuracies[i]).missing
    ]  # fmt: skip
    if not rows:
        return "Every call brought a reply."
    columns = ["Model", "Missing", "Why", "If all of them were wrong (strict)", "If all of them were right"]
    return "Calls without a reply are neither right nor wrong; the truth lies between these bounds:\n\n" + markdown_table(
        columns, rows, [False, True, False, True, True]
    )


def _reasons(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {markdown_text(why)}" for why, n in counts.most_common())


def _groups(figures: Figures, groups: Sequence[Group]) -> str:
    columns = ["Model", *(f"{markdown_text(g.value)} (n = {len(g.indexes)})" for g in groups)]
    rows = []
    for i in figures.by_rank:
        found = [figures.accuracy(i, group) for group in groups]
        cells = [f"{percent(a.share)} {interval(a)}" if a.share is not None else "-" for a in found]
        rows.append([markdown_text(figures.board.sheets[i].label), *cells])
    return markdown_table(columns, rows, [name != "Model" for name in columns])


def _bias_short(figures: Figures) -> str:
    rows = []
    for i in figures.by_rank:
        found = figures.biases[i]
        rows.append(
            [markdown_text(figures.board.sheets[i].label), *map(_levels, (found.position, found.longest, found.qualifier))]
        )
    return markdown_table(["Model", "Position", "Longest option", "Absolute words"], rows)


def _levels(found: PositionBias | LongestBias | QualifierBias | None) -> str:
    if found is None:
        return "-"
    own = getattr(found, "level_uniform", None)
    return f"{found.level} [{own}]" if own else found.level


def _origins(figures: Figures) -> str:
    columns = [
        "Model", "Run", "Asked as", "Served as", "API version", "Parameters", "Prompt", "Options", "From", "To", "From a cache",
        "Letter read by",
    ]  # fmt: skip
    rows = []
    for i in figures.by_rank:
        sheet = figures.board.sheets[i]
        info = sheet.info
        rows.append(
            [
                markdown_text(sheet.label),
                markdown_text(sheet.run_id),
                markdown_text(f"{info.get('deployment') or '-'} ({info.get('provider') or '-'})"),
                markdown_text(str(info.get("model_version") or "-")),
                markdown_text(str(info.get("api_version") or "-")),
                markdown_text(parameters_text(info)),
                markdown_text(str(info.get("prompt") or "-")),
                options_text(info),
                markdown_text(str(info.get("first_at") or "-")),
                markdown_text(str(info.get("last_at") or "-")),
                markdown_text(str(info.get("cached") or "-")),
                markdown_text(sheet.extraction),
            ]
        )
    return markdown_table(columns, rows)


def options_text(info: Mapping[str, Json]) -> str:
    """How the options were shown."""
    orders = info.get("permutations") or 1
    words = ["shuffled"] if info.get("shuffle") else ["as in the benchmark"]
    return ", ".join([*words, f"{orders} orders"] if isinstance(orders, int) and orders > 1 else words)


def parameters_text(info: Mapping[str, Json]) -> str:
    """What was sent besides the messages, and what the server does not take."""
    sent = info.get("parameters") or {}
    words = (
        [f"{name} {value}" for name, value in sent.items() if name not in ("stream", "seed")] if isinstance(sent, dict) else []
    )
    return ", ".join(words + [f"{name} not applicable" for name in info.get("not_applicable") or ()]) or "-"
