"""Every sentence that says what a difference, an interval, a p or a forecast shows: one table, each tried by simulation.

tests/laws/test_true_sentences.py draws planted truths for each of them; a sentence without a trial fails there.
"""

from __future__ import annotations

from typing import Final, Literal

Sentence = Literal[
    "better", "alone", "cannot", "few_differ", "detectable", "none_reliable", "p_alone", "differ_at_n", "bounds",
    "more", "far_more", "same", "leads", "leads_alone", "leads_one", "no_leader", "mean_apart", "untested", "circle",
    "worse", "worse_than", "leads_under", "none_under", "typical_power", "no_power", "across_none", "across_shown",
    "shown_worse", "shown_no_worse", "caught", "caught_none", "passes", "half_of_builds", "unchanged_fails",
]  # fmt: skip

SENTENCES: Final[dict[Sentence, str]] = {
    # a pair
    "better": "{better} is {how} by {size}",
    "alone": "this pair alone would be significant; not as one of {tests}",
    "cannot": "{n} cannot show any difference{at}; it takes {fewest}",
    "few_differ": "they differ on only {apart} of {n}, too few to show one",
    "detectable": "with {n} only differences above {seen} would show in 4 of 5 runs{at}",
    "none_reliable": "with {n} no difference would show in 4 of 5 runs{at}",
    "p_alone": "p {p}{at}",
    "differ_at_n": "interval and test differ at this n",
    "bounds": "with the missing answers of one side between {low} and {high}",
    # a forecast
    "more": "{range} more {items} would tell{whom}, in 50 to 80 of 100 futures",
    "far_more": "far more {items} than is practical would be needed to tell{whom}",
    "same": "{a} and {b} have the same scores on all {n}",
    # a verdict
    "leads": "{first} leads over {n}, significantly better than all {others} others",
    "leads_alone": "{first} leads over {n}",
    "leads_one": "{first} leads over {n}, significantly better than the other",
    "no_leader": "No leader is shown{by}: {names} {differ} over {n}",
    "mean_apart": "No leader is shown{by}: {first} is significantly better than {whom} over {n}; {best} has the best own mean",
    "untested": "No leader is shown{by}: {names} are not tested against each other: {why}",
    "circle": "No leader is shown: each is significantly worse than another on the {items} that both have",
    "worse": "{names} significantly worse",
    "worse_than": "{names} significantly worse than {first}",
    "leads_under": "under {where}, {first} leads over {n}",
    "none_under": "no leader is shown under {where}",
    "typical_power": "With {n} a difference below {seen} escapes notice in more than one run of five{at}",
    "no_power": "With {n} no difference shows reliably{at}",
    "across_none": "No difference is shown in {pairs} over {n}, by {metric}",
    "across_shown": "{b} is {how} than {a} by {size}",
    # a gate
    "shown_worse": "shown to be worse{by}, p {p}{at}",
    "shown_no_worse": "shown to be no worse{by}, p {p}",
    "caught": "would have caught a {drop} of {size} or more, 4 times in 5",
    "caught_none": "{n} can catch no {drop} 4 times in 5",
    "passes": "at {n} this gate passes a model {size} worse in about {builds} of 100 builds",
    "half_of_builds": "a model that sits on its threshold fails it in half of builds",
    "unchanged_fails": "an unchanged model would fail {gate} in about {builds} of 100 builds",
}


def say(name: Sentence, **fields: object) -> str:
    """A sentence of the table with its fields filled in."""
    return SENTENCES[name].format(**fields)
