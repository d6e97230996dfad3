"""Rubrics of a person's own: what their front matter says, and what is refused with its line."""

from __future__ import annotations

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.reading.front_matter.rubrics import RubricError, is_rubric, own_rubric

BODY = "[ANSWER]\n{answer}\n[/ANSWER]\n\nJudge the politeness of the answer."


def test_defaults() -> None:
    rubric = own_rubric("politeness", f"---\nmetric: true\n---\n{BODY}\n")

    assert rubric.metric == Metric("politeness", 1, 5, "higher", 3)
    assert rubric.slots == ("answer",)
    assert "metric" not in rubric.text
    assert rubric.text.startswith("[ANSWER]\n{answer}")
    form = "First the reason, in one or two sentences, then the mark. Reply with JSON of this form: "
    assert rubric.text.endswith(f'a whole number from 1 to 5; 5 is best. {form}{{"reason": "...", "score": n}}')


def test_every_key() -> None:
    head = "metric: true\nlow: 0\nhigh: 10\nbetter: lower\nthreshold: 2.5\nsees: document, target, history"
    body = '{history}\n{document}\n{question}\n{target}\n{answer}\nReply with {"score": n}'
    rubric = own_rubric("rudeness", f"---\n{head}\n---\n{body}")

    assert rubric.metric == Metric("rudeness", 0, 10, "lower", 2.5)
    assert rubric.sees == ("document", "target", "history")
    assert rubric.slots == ("context", "history", "question", "truth", "answer")
    assert (rubric.best, rubric.worst) == (0, 10)
    assert rubric.text == '{history}\n{context}\n{question}\n{truth}\n{answer}\nReply with {"score": n}'


@pytest.mark.parametrize(
    ("head", "body", "line", "said"),
    [
        ("metric: false", BODY, 2, "write `metric: true`"),
        ("metric: true\nscale: 5", BODY, 3, "scale: is no key of a rubric; its keys are metric, low"),
        ("metric: true\nlow: 5", BODY, 3, "high: 5 is not above low, 5"),
        ("metric: true\nhigh: 4.5", BODY, 3, "not a whole number"),
        ("metric: true\nhigh: many", BODY, 3, "high: 'many' is not a number"),
        ("metric: true\nbetter: up", BODY, 3, "write `better: higher`"),
        ("metric: true\nthreshold: 7", BODY, 3, "threshold: 7 is not on the scale; write one of 1 to 5"),
        ("metric: true\nsees: docs", BODY, 3, "sees: 'docs' is none of document, target, history"),
        ("metric: true", f"{BODY}\n{{document}}", 9, "write `sees: document`"),
        ("metric: true\nsees: target", f"{BODY}\n{{history}}", 10, "write `sees: target, history`"),
        ("metric: true", f"{BODY}\n{{reply}}", 9, "has {reply}, which is not a slot"),
        ("metric: true", f"{BODY}\n{{context}}", 9, "has {context}, which is not a slot"),
        ("metric: true", "Judge it.", 4, "has no {answer}"),
        ("metric: true", "", 3, "has no text below"),
        ("metric: true\nsees", BODY, 3, "is not `key: value`"),
        ("metric = true\nhigh = 0", BODY, 3, "high: 0 is not above low, 1"),
    ],
)
def test_problems_name_line_and_key(head: str, body: str, line: int, said: str) -> None:
    with pytest.raises(RubricError) as caught:
        own_rubric("politeness", f"---\n{head}\n---\n{body}\n")

    assert said in str(caught.value)
    assert caught.value.line == line


def test_toml_is_read_too() -> None:
    head = 'metric = true\nhigh = 3\nbetter = "lower"\nsees = ["document", "history"]'
    rubric = own_rubric("rudeness", f"+++\r\n{head}\r\n+++\r\n{BODY}\r\n{{document}}\r\n{{history}}")

    assert rubric.metric == Metric("rudeness", 1, 3, "lower", 2)
    assert rubric.sees == ("document", "history")
    assert "+++" not in rubric.text


def test_what_it_lists_must_stand_in_it() -> None:
    """Else answers without a document would have no score for nothing."""
    with pytest.raises(RubricError, match=r"sees: lists document, and \{document\} stands nowhere in the text") as told:
        own_rubric("rudeness", f"---\nmetric: true\nsees: document\n---\n{BODY}")
    assert told.value.line == 3


def test_only_front_matter_with_the_key_makes_a_rubric() -> None:
    assert is_rubric("---\nmetric: true\n---\n{answer}")
    assert is_rubric("---\nmetric = true\n{answer}")
    assert not is_rubric("---\ntitle: x\n---\nmetric: true")
    assert not is_rubric("Judge.\n---\nmetric: true\n---\n")
