"""Notes that a reader of a comparison needs before its numbers: how its sides differ besides the models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.results.comparison.run_differences import differing
from tui_eval.results.comparison.sides import Run, RunSide, Standing, common_items
from tui_eval.results.sums.in_words import listed
from tui_eval.results.sums.metrics import all_alike, scale_of


def notes_of(runs: Sequence[Run], standings: Sequence[Standing], changed: int) -> list[str]:
    """Say what makes the sides differ besides the models, and what the figures leave out; the verdict says what is simulated.

    `changed`: items, at most, that another run asks with another truth or other options.
    """
    sides = [standing.side for standing in standings]
    item = standings[0].units.item
    notes = [*_of_runs(runs), *_of_scales(standings), *_of_like_marks(standings)]
    notes += _of_failed(standings)
    notes += _of_rules(sides)
    if any(side.series.repeated for side in sides):
        notes.append(f"Several {standings[0].units.answer}s of one {item} are one mean: n counts {item}s.")
    if changed:
        notes.append(f"Not compared: up to {count_of(changed, item)} with another truth or other options in the other run.")
    if _asked_otherwise(sides):
        notes.append(f"Not every side was asked the same {item}s: ranks rest on different ones, pairs on common ones.")
    return notes


def _of_rules(sides: Sequence[RunSide]) -> list[str]:
    """By which rules sides of one stage and metric were scored, where not all by the same."""
    by_metric: dict[tuple[str, str], set[frozenset[str]]] = {}
    for side in sides:
        by_metric.setdefault((side.key.stage, side.key.metric), set()).add(frozenset(side.versions))
    unlike = {
        version
        for version_sets in by_metric.values()
        if len(version_sets) > 1
        for versions in version_sets
        for version in versions
    }
    rules = ", ".join(sorted(one_line(version, 40) or "-" for version in unlike))
    return [f"Answers were scored by different rules ({rules}): a difference may be the rule's."] if rules else []


def simulated(standings: Sequence[Standing]) -> str:
    """For which of these sides the simulator answered; empty where for none."""
    made_up = [standing for standing in standings if standing.side.simulated]
    names = [label for _, label in dict.fromkeys((standing.side.key.stage, standing.label) for standing in made_up)]
    if not names:
        return ""
    if len(made_up) == len(standings) and not any(standing.side.run.asked for standing in standings):
        return "Simulated: no model was asked."
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} simulated."


def _asked_otherwise(sides: Sequence[RunSide]) -> bool:
    """Return whether sides of one run ranked together, those of one stage and metric, were asked different items."""
    item_sets: dict[tuple[int, str, str], set[int]] = {}
    for side in sides:
        item_sets.setdefault((id(side.run), side.key.stage, side.key.metric), set()).add(side.series.sets()[0])
    runs = {id(side.run): side.run for side in sides}
    unlike = (len(common_items(a, b)[0]) < max(len(a.places), len(b.places)) for a, b in combinations(runs.values(), 2))
    return any(unlike) or any(len(sets) > 1 for sets in item_sets.values())


def _of_failed(standings: Sequence[Standing]) -> list[str]:
    """Answers without a score behind means of other repeats: of items without any, every pair tells by itself."""
    several = len({standing.metric for standing in standings}) > 1
    affected = [standing for standing in standings if standing.score.missing > standing.missing]
    phrases = [f"{_of_metric(standing, several)}: {unscored(standing)}" for standing in affected]
    return [f"{listed(phrases)}: a {standings[0].units.item}'s mean rests on its other answers."] if phrases else []


def unscored(standing: Standing) -> str:
    """Say how many of its answers have no score; empty where all have one."""
    score = standing.score
    return f"{score.missing:,} of {score.asked:,} answers have no score" if score.missing else ""


def _of_metric(standing: Standing, several: bool) -> str:
    return f"{standing.label} ({one_line(standing.metric.name, 30)})" if several else standing.label


def _of_scales(standings: Sequence[Standing]) -> list[str]:
    """Marks of one name on several scales, and scores that lie on none."""
    notes = []
    scales: dict[str, dict[Metric, None]] = {}
    for standing in standings:
        scales.setdefault(standing.metric.name, {})[standing.metric] = None
    for name, metrics in scales.items():
        if len(metrics) > 1:
            phrases = [f"{scale_of(metric)}, {metric.better} is better" for metric in metrics]
            notes.append(f"{one_line(name, 40)} lies on several scales ({'; '.join(phrases)}): these are not compared.")
    beyond = [standing for standing in standings if not all(map(standing.metric.holds, standing.side.series.marks()))]
    if beyond:
        phrases = list(dict.fromkeys(f"{one_line(s.metric.name, 40) or 'scores'}: {scale_of(s.metric)}" for s in beyond))
        notes.append(f"Scores lie beyond their scale ({', '.join(phrases)}): trust no figure of them.")
    return notes


def _of_like_marks(standings: Sequence[Standing]) -> list[str]:
    """Metrics by which nearly every item of every side has the same mark."""
    marks: dict[Metric, Counter[float]] = {}
    for standing in standings:
        marks.setdefault(standing.metric, Counter()).update(standing.side.series.means().values())
    item = standings[0].units.item
    return list(filter(None, (all_alike(metric, counts, f"{item}s' scores") for metric, counts in marks.items())))


def _of_runs(runs: Sequence[Run]) -> list[str]:
    """Return the notes on the runs themselves."""
    notes = []
    for number, run in enumerate(runs, 1):
        name = f"Run {number}" if len(runs) > 1 else "The run"
        if run.state != "done" or run.unfinished:
            unfinished_words = f"; {run.unfinished:,} of {run.planned:,} samples are not finished" if run.unfinished else ""
            notes.append(f"{name} is {run.state}{unfinished_words}: what is answered so far is compared.")
        if run.damaged:
            notes.append(f"{name}: {run.damaged:,} lines of results.jsonl are no samples and were left out.")
        if shared := run.board.shared_words():
            notes.append(shared if len(runs) == 1 else f"{name}: {shared}")
        notes += _not_by_variant(run, name)
        if not run.stated:
            notes.append(f"{name} was written by an older version, which names no items: tui-eval rescore makes it anew.")
    if not all(run.noted for run in runs):
        notes.append("A run does not note what was asked: its questions are told by their place, not by their text.")
    if len({tuple(sorted(run.prompts.items())) for run in runs}) > 1:
        notes.append("The runs had different prompts: a difference may be the prompt's.")
    settings = differing([run.path for run in runs])
    notes += [settings] if settings else []
    if any(_other_order(runs[0], run) for run in runs[1:]):
        notes.append("The runs showed the options in different orders.")
    return list(dict.fromkeys(notes)) + _other_models(runs)


def _not_by_variant(run: Run, name: str) -> list[str]:
    """Say what models cost in all whose calls cannot be distinguished by variant, each once."""
    phrases = []
    for (_, model), calls in run.not_by_variant.items():
        unknown = f" + {calls.counts['cost_unknown']:,} unknown" if calls.counts["cost_unknown"] else ""
        cost = f"${calls.cost:,.6f}{unknown}" if calls.counts["cost_known"] else "cost unknown"
        phrases.append(f"{one_line(model, 40)} {cost}")
    of = run.board.units.variant or "variant"
    lead = f"{name}: some calls are of samples without results, so that cost and latency are not told by {of}"
    return [f"{lead}; over all: {listed(phrases)}."] if phrases else []


def _other_order(a: Run, b: Run) -> bool:
    """Return whether an item of the same options was shown otherwise in another run."""
    places, _ = common_items(a, b)
    return any(a.texts[n].content == b.texts[m].content and a.texts[n].shown != b.texts[m].shown for n, m in places.items())


def _other_models(runs: Sequence[Run]) -> list[str]:
    """Names that mean another model in another run."""
    by_name: dict[str, dict[str, int]] = {}
    for number, run in enumerate(runs, 1):
        for name, model in run.model_ids.items():
            by_name.setdefault(name, {}).setdefault(model, number)
    return [
        f"{name} is {' and '.join(f'{model} in run {number}' for model, number in models.items())}."
        for name, models in by_name.items()
        if len(models) > 1
    ]
