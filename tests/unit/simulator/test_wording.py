"""Laws of wording: what is shipped changes nothing, a changed instruction some replies and only few, and in known ways."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest

from tui_eval.reading.prompts import fill
from tui_eval.simulator import personas
from tui_eval.simulator.answers import knowledge, multiple_choice, open_replies, wording
from tui_eval.simulator.answers.open_replies import Seed
from tui_eval.simulator.answers.wording import PLAIN, worded

REPOSITORY = Path(__file__).parents[3]
PROMPTS = REPOSITORY / "prompts"
SHEETS: list[dict[str, Any]] = json.loads((REPOSITORY / "examples/choice/benchmark.json").read_bytes())
OPEN = (REPOSITORY / "examples/quickstart/questions.txt").read_text().splitlines()
PERSONAS = ["sim-scholar", "sim-rambler", "sim-thrifty", "sim-thinker", "sim-longest"]
OF_CHOICE = (PROMPTS / "choice/system.md").read_text().strip()
OF_ANSWERS = (PROMPTS / "panel/doer_system.md").read_text().strip()
CUE = "{question}\n\n{options}\n\nAnswer:"
BARE = "{question}\n\n{options}"
Ask = Callable[[str, str], list[str]]


def sit(system: str, user: str = CUE, model: str = "sim-scholar", seeds: int = 1) -> list[str]:
    """What a persona says to each question of the example under this prompt; nothing where it refuses."""
    texts = []
    for row in SHEETS:
        letters = ascii_uppercase[: len(row["choices"])]
        options = "\n".join(f"{letter}) {option}" for letter, option in zip(letters, row["choices"], strict=True))
        slots = {"question": row["question"], "options": options, "letters": f"{', '.join(letters[:-1])} or {letters[-1]}"}
        first = [{"role": "system", "content": fill(system, slots)}] if system else []
        sheet = multiple_choice.read_sheet([*first, {"role": "user", "content": fill(user, slots)}])
        assert sheet is not None
        texts += [
            multiple_choice.answer(personas.load_personas()[model], sheet, Seed(n, "null", model)).text or ""
            for n in range(seeds)
        ]
    return texts


def tell(system: str, user: str = "QUESTION: {question}", model: str = "sim-scholar", seeds: int = 2) -> list[str]:
    """What a persona says to the open questions of the example under this prompt."""
    return [
        open_replies.reply(
            personas.load_personas()[model],
            [{"role": "system", "content": system}, {"role": "user", "content": fill(user, {"question": question})}],
            Seed(n, "null", model),
        )
        for question in OPEN
        for n in range(seeds)
    ]


def changed(before: list[str], after: list[str]) -> float:
    """The share of replies that differ."""
    return sum(one != other for one, other in zip(before, after, strict=True)) / len(before)


# --- what is shipped ---


@pytest.mark.parametrize("path", sorted(PROMPTS.glob("*/*.md")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_shipped_words_change_nothing(path: Path) -> None:
    """Each shipped prompt is neutral, its blanks and capitals aside."""
    text = re.sub(r"\{\w+\}", "", path.read_text())

    assert worded(text) == worded(f"  {text.upper()}\n\n") == PLAIN


def test_shipped_prompts_say_what_no_system_message_says() -> None:
    """With the shipped system message and without any, with the letters of each question in it, replies are the same."""
    assert all(sit(OF_CHOICE, model=model) == sit("", model=model) for model in PERSONAS)
    assert all(tell(OF_ANSWERS, model=model) == tell("", model=model) for model in PERSONAS)


def test_a_shipped_prompt_is_no_special_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies among the prompts that are shipped is neutral, whatever its name; what is taken away is not."""
    (tmp_path / "prompts/anything").mkdir(parents=True)
    (tmp_path / "prompts/anything/goes.md").write_text("Answer like a sailor.\n\n{question}")
    monkeypatch.setattr(wording, "__file__", str(tmp_path / "tui_eval/simulator/answers/wording.py"))
    for cached in (wording._shipped, worded):
        cached.cache_clear()
    found = worded("Answer like a sailor."), worded(OF_ANSWERS)
    for cached in (wording._shipped, worded):
        cached.cache_clear()

    assert found[0] == PLAIN != found[1]


# --- other words ---


@pytest.mark.parametrize(
    "ask", [lambda system, model: sit(system, model=model), lambda system, model: tell(system, model=model)]
)
@pytest.mark.parametrize("more", ["The captain relies on you.", "You know the sea.", "Mind the details."])
def test_other_words_change_some_replies_and_few(ask: Ask, more: str) -> None:
    """A sentence that asks for nothing in particular changes a few per cent of what is known, and no style."""
    first = OF_CHOICE if ask(OF_CHOICE, "sim-longest")[0].startswith("**") else OF_ANSWERS
    shares = [changed(ask(first, model), ask(f"{first} {more}", model)) for model in PERSONAS]

    assert all(share <= 0.2 for share in shares)
    assert 0 < sum(shares) / len(shares) < 0.08


def test_a_change_is_for_better_or_worse() -> None:
    """Over many wordings a persona knows as much as it always does; each wording knows other things."""
    truths = (REPOSITORY / "examples/quickstart/truths.txt").read_text().splitlines()

    def right(system: str) -> list[bool]:
        said = tell(system, model="sim-sprinter", seeds=1)
        return [knowledge.contains(one, truth) for one, truth in zip(said, truths, strict=True)]

    rows = [right(f"{OF_ANSWERS} Remark {n}.") for n in range(10, 50)]
    share = sum(map(sum, rows)) / sum(map(len, rows))

    assert abs(share - sum(right(OF_ANSWERS)) / len(truths)) < 0.06
    assert len({tuple(row) for row in rows}) > 5


def test_words_in_the_users_message_count() -> None:
    """It does not matter in which message an instruction stands, before the question or behind it."""
    plain = tell("", model="sim-rambler", seeds=8)
    for user in ("You know the sea.\n\nQUESTION: {question}", "QUESTION: {question}\n\nYou know the sea."):
        assert 0 < changed(plain, tell("", user, model="sim-rambler", seeds=8)) < 0.2


def test_the_same_words_do_the_same() -> None:
    """Replies under a wording are always the same, and blanks and capitals are no words."""
    assert tell("Mind the details.") == tell("Mind  the\nDETAILS") and sit("Pick a letter.") == sit("pick a letter")


def test_judges_mind_the_words_too() -> None:
    """Who compares, concludes or marks is moved by other words as well, now and then."""
    texts = [f"GROUND TRUTH: a{n}\n\nCANDIDATE: a{n}" for n in range(200)]

    def marks(system: str) -> list[str]:
        persona = personas.load_personas()["sim-rambler"]
        first = [{"role": "system", "content": system}]
        return [
            open_replies.reply(persona, [*first, {"role": "user", "content": text}], Seed(0, "null", "x"))[0] for text in texts
        ]

    shipped = (PROMPTS / "panel/scorer_system.md").read_text()

    assert marks(shipped) == marks("")
    assert 0 < changed(marks(shipped), marks(f"{shipped} Be strict.")) < 0.15


# --- what is asked for ---


@pytest.mark.parametrize(
    "words", ["Think step by step.", "First reason carefully about each option.", "Show your reasoning.", "Let's think."]
)
def test_steps_make_longer_and_better_replies(words: str) -> None:
    """Asked to think, a persona writes more, knows a little more, and gives the letter at the end."""
    plain, steps = (sit(f"{OF_CHOICE}{more}", model="sim-sprinter", seeds=4) for more in ("", f" {words}"))
    right = [row["choices"].index(row["choices"][row["answer_index"]]) for row in SHEETS for _ in range(4)]
    ends = [text[-1] for text in steps]

    def known(letters: list[str]) -> float:
        return sum(letter == ascii_uppercase[place] for letter, place in zip(letters, right, strict=True)) / len(right)

    assert sum(len(text) > 100 for text in steps) > 0.8 * len(steps) and max(map(len, plain)) == 1
    assert 0.01 < known(ends) - known(plain) < 0.1
    assert sum(map(len, tell(f"{OF_ANSWERS} {words}"))) > 2 * sum(map(len, tell(OF_ANSWERS)))


@pytest.mark.parametrize("words", ["Do not think aloud.", "Answer without reasoning.", "No step-by-step reasoning."])
def test_not_to_think_is_no_thinking(words: str) -> None:
    """A request not to do it does not make it longer."""
    assert max(map(len, sit(f"{OF_CHOICE} {words}", model="sim-sprinter"))) == 1


@pytest.mark.parametrize("words", ["Be brief.", "Only the letter, please.", "Reply with a single letter and nothing else."])
def test_brevity_makes_bare_replies(words: str) -> None:
    """Asked for the letter alone, most personas give it, each as often as it obeys."""
    for model in ("sim-scholar", "sim-rambler", "sim-thinker"):
        bare = sum(len(text) == 1 for text in sit(f"{OF_CHOICE} {words}", model=model, seeds=3)) / (3 * len(SHEETS))

        assert abs(bare - personas.load_personas()[model].obeys) < 0.15
    assert sum(len(text) < 30 for text in tell(f"{OF_ANSWERS} Be brief.", model="sim-rambler")) > 10


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ('End with "Answer: X", where X is the letter.', r"Answer: [A-E]"),
        ("Put it as FINAL ANSWER: <letter>.", r"FINAL ANSWER: [A-E]"),
        ("Your reply has the form `Choice: [letter]`.", r"Choice: [A-E]"),
    ],
)
def test_a_form_is_kept_to_by_who_obeys(words: str, form: str) -> None:
    """The form that the prompt asks for is the form of the reply, as often as the persona obeys."""
    for model in ("sim-arbiter", "sim-rambler"):
        kept = sum(bool(re.fullmatch(form, text)) for text in sit(f"{OF_CHOICE} {words}", model=model, seeds=3))

        assert abs(kept / (3 * len(SHEETS)) - personas.load_personas()[model].obeys) < 0.15


def test_a_form_for_open_questions() -> None:
    """A form is kept to without options, too, behind the steps where these are asked for."""
    said = tell(f"{OF_ANSWERS} Think step by step and end with 'RESULT: <answer>'.", model="sim-arbiter")

    assert sum(bool(re.search(r"\n\nRESULT: .+\Z", text)) for text in said) > 0.8 * len(said)


@pytest.mark.parametrize(
    ("system", "user"), [("Choose the best answer.", CUE), ("You are sitting an exam.", BARE), ("Pick what is right.", BARE)]
)
def test_without_letters_in_the_prompt_some_replies_have_none(system: str, user: str) -> None:
    """Where the prompt no longer speaks of letters, three replies in ten give the option's words without one."""
    said = sit(system, user, seeds=3)
    free = [text for text in said if not re.fullmatch(r"Answer: [A-E]", text)]
    options = {option for row in SHEETS for option in row["choices"]}

    assert 0.2 < len(free) / len(said) < 0.4
    assert all(text.removeprefix("I would say it is this: ") in options for text in free)
