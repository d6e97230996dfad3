"""Every sentence that says what persons' ratings show of a judge: one table, each tried by simulation.

tests/laws/test_true_person_sentences.py draws planted truths for each of them; a sentence without a trial fails there.
"""

from __future__ import annotations

from typing import Final, Literal

PersonSentence = Literal[
    "corrected", "set_too_small", "more_marks", "all_marked", "not_drawn", "certified", "few_answers", "too_few_labels",
    "tells_too_little", "nothing_drawn", "void", "other_models", "persons_agree", "no_persons_kappa", "persons_alpha",
    "wins", "few_common", "no_persons_alpha", "void_when", "not_yes_or_no", "nothing_marked", "nothing_judged", "labels_weigh",
]  # fmt: skip

PERSON_SENTENCES: Final[dict[PersonSentence, str]] = {
    # the mean of a run, corrected by the marks in it
    "corrected": "corrected {value} by {marks}",
    "set_too_small": "{whose} {n}: a correction is not possible with it; it takes {least}",
    "more_marks": "not corrected: {more} ({least} over {conversations} are needed; {whose} {n})",
    "all_marked": "a person rated every answer that the judge scored: the person's own mean is the better one",
    "not_drawn": "without the {n} that {verb} not drawn by lot, {reason}",
    # a certificate
    "certified": "corrected {value} by the certificate of {date} (sensitivity {sensitivity}, specificity {specificity},"
    " on answers of {models})",
    "few_answers": "none: this set has {n}; {least} yes and {least} no are needed",
    "too_few_labels": "none: {yes} yes, {no} no; {missing} missing",
    "tells_too_little": "none: sensitivity and specificity are {total} together; it takes more than {least}",
    "nothing_drawn": "none: no rating was drawn by lot",
    "void": "the certificate of {date} is void: {reason}",
    "other_models": "{models} {verb} none of the models that it was made on",
    "void_when": "void when judge, prompt, metric or data set changes",
    "not_yes_or_no": "certificates are of yes and no; on {low} to {high} ratings correct the mean in this run",
    "labels_weigh": "a label weighs by how it was drawn",
    "nothing_marked": "no person has rated its answers yet; press P on its results in the app",
    "nothing_judged": "no model judged answers in it, so that no judge can be certified",
    # several persons
    "persons_agree": "persons agree with each other: {a} and {b} {percent} alike, kappa {kappa} ({n})",
    "no_persons_kappa": "persons beside each other: {a} and {b}, no kappa over {n}: {reason}",
    "no_persons_alpha": "no alpha of all {persons} persons: {reason}",
    "persons_alpha": "all {persons} persons: alpha {alpha}, {reliability} ({n})",
    "wins": "alternative annotator test: {judge} wins against {won} of {persons} persons at epsilon {epsilon} ({n})",
    "few_common": "alternative annotator test: {least} answers that all {persons} persons rated are needed, {n} there",
}


def say_of_persons(name: PersonSentence, **fields: object) -> str:
    """A sentence of the table with its fields filled in."""
    return PERSON_SENTENCES[name].format(**fields)
