"""Every sentence that says what marks show of the judges that gave them: one table, each tried by simulation.

tests/laws/test_true_judge_sentences.py draws planted truths for each of them; a sentence without a trial fails there.
"""

from __future__ import annotations

from typing import Final, Literal

JudgeSentence = Literal[
    "ladder_usable", "ladder_not", "ladder_undecided", "ladder_open", "yes_no", "steps_alike", "prefers_place", "no_place",
    "own_family", "no_own_family", "follows_length", "no_lean", "beyond_person", "no_more_than_person", "noise", "kappa",
    "alpha", "moved", "not_moved", "agrees_least", "by_one_judge", "lenient", "took_place", "noise_unknown", "kappa_unknown",
    "alpha_unknown", "length_unknown", "beside_unknown", "family_unknown", "place_unknown", "attacks_unknown", "rank_unknown",
    "few_marks", "fewer_judges", "all_alike", "marks_in_texts",
]  # fmt: skip

JUDGE_SENTENCES: Final[dict[JudgeSentence, str]] = {
    # the ladder of degraded texts
    "ladder_usable": "usable: orders {share} of the steps right",
    "ladder_not": "not usable: orders {share} of the steps right",
    "ladder_undecided": "undecided: orders {share} of the steps right",
    "ladder_open": "undecided: {what} has no score",
    "yes_no": "usable for yes/no questions: every whole text got {top}, every other less",
    "steps_alike": "{steps} % are not distinguished",
    # bias
    "prefers_place": "it prefers what stands {place}",
    "no_place": "no preference for a place is shown",
    "took_place": "where they contradict each other it took what stood {place} in {most} of {n}",
    "own_family": "{judge} likes answers of its own family ({models}) more",
    "no_own_family": "{judge}: no preference for its own family ({models}) is shown",
    "follows_length": "{which} answers get better scores",
    "no_lean": "no lean towards length is shown",
    "beyond_person": "{which} answers get better scores than human ratings explain",
    "no_more_than_person": "no lean towards length is shown beside human ratings",
    # intervals
    "noise": "noise {size} scale points",
    "kappa": "weighted {kappa}",
    "alpha": "alpha {alpha}, {reliability}",
    "lenient": "{size} {way} lenient",
    # attacks
    "moved": "moved by {share}",
    "not_moved": "not shown to be moved: {share}",
    # judge beside judge
    "agrees_least": "{judge} agrees less with the others than they with each other",
    "by_one_judge": "by {judge} {leader}",
    # what is not known, and means that rest on fewer scores than were wanted
    "noise_unknown": "noise not known: {reason}",
    "kappa_unknown": "no kappa over {n}: {reason}",
    "alpha_unknown": "no alpha: {reason}",
    "length_unknown": "whether scores follow length is not known: {reason}",
    "beside_unknown": "whether scores follow length more than human ratings do is not known: {reason}",
    "family_unknown": "{judge}: whether it likes its own family more is not known: {reason}",
    "place_unknown": "no answer was chosen in both orders",
    "attacks_unknown": "whether attacks move it is not known: none of {n} was read with its clean twin",
    "rank_unknown": "{judge} beside the others: no rank correlation over {n}",
    "few_marks": "Fewer than 95 % have a score, the others may be of another sort: {whose}",
    "all_alike": "{n} are {mark}: it is uninformative",
    "marks_in_texts": "{texts} {verb} markers of the judge's prompt, which a judge is shown neutralized",
    "fewer_judges": "{fewer} of {n} scores rest on fewer judges than were asked ({whose})",
}


def say_of_judge(name: JudgeSentence, **fields: object) -> str:
    """A sentence of the table with its fields filled in."""
    return JUDGE_SENTENCES[name].format(**fields)
