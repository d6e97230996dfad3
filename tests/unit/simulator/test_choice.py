"""Laws of the simulator's multiple choice: it goes by the words of the options, says what it cannot know, keeps its styles."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from soaking import quick_first

from tui_eval.reading.prompts import check_slots, fill
from tui_eval.simulator import personas
from tui_eval.simulator.answers import knowledge, multiple_choice, open_replies
from tui_eval.simulator.answers.open_replies import CANNOT_KNOW, Seed
from tui_eval.simulator.apis.replies import SimulatedCompletion
from tui_eval.simulator.server import Simulator

REPOSITORY = Path(__file__).parents[3]
QUESTIONS: list[dict[str, Any]] = json.loads((REPOSITORY / "examples/choice/benchmark.json").read_bytes())
EXAMPLE = tomllib.loads((REPOSITORY / "examples/choice.toml").read_text())
PERSONAS = list(personas.load_personas())
WITH_SKILL = ["sim-scholar", "sim-sprinter", "sim-thrifty", "sim-contrarian", "sim-thinker"]
UNKNOWN = ("Which jar holds the marbles?", ("the blue jar", "the tall jar by the window", "the red jar", "no jar"))
REFUSED = "I'm sorry, but I can't help with that question."
STYLES = {
    "sim-scholar": r"Answer: ([A-E])",
    "sim-sprinter": r"([A-E])",
    "sim-rambler": r"This is one of .* so I would go with ([A-E])\.",
    "sim-thrifty": r"([A-E])\) .+",
    "sim-contrarian": r"The correct answer is ([A-E])\.",
    "sim-arbiter": r"([A-E])",
    "sim-scorer": r"([A-E])",
    "sim-thinker": r"<think>.*</think>\s+The answer is ([A-E])",
    "sim-guarded": r"([A-E])\.",
    "sim-longest": r"\*\*([A-E])\*\*",
    "sim-grounded": r"([A-E])",
    "sim-inventive": r"([A-E])",
    "sim-dropout": r"([A-E])",
    "sim-wavering": r"([A-E])",
    "sim-wordcount": r"([A-E])",
    "sim-vain": r"([A-E])",
    "sim-credulous": r"([A-E])",
    "sim-unmoved": r"([A-E])",
}
LAPSES = {
    "sim-rambler": re.compile(r"This is one of .*\b[A-E] or [A-E]", re.S),
    "sim-thinker": re.compile(r"<think>(?!.*</think>).*", re.S),
}


def prompt(question: str, options: Sequence[str]) -> str:
    """The question as the shipped prompt shows it."""
    lines = [f"{letter}) {option}" for letter, option in zip(ascii_uppercase, options, strict=False)]
    return fill(
        (REPOSITORY / "prompts/choice/user.md").read_text(), {"question": question, "options": "\n".join(lines)}
    ).strip()


def ask(name: str, text: str, seed: int = 0) -> SimulatedCompletion:
    """What a persona says to one user message that is a multiple-choice question."""
    sheet = multiple_choice.read_sheet([{"role": "user", "content": text}])
    assert sheet is not None
    return multiple_choice.answer(personas.load_personas()[name], sheet, Seed(seed, "null", name))


def chosen(name: str, said: SimulatedCompletion) -> str | None:
    """The letter that a persona gave in its style, or None."""
    found = re.fullmatch(STYLES[name], said.text or "", re.S)
    return None if found is None else found[1]


def sit(name: str) -> list[str | None]:
    """The words that a persona chose for each question of the example, or None where it chose none."""
    letters = [chosen(name, ask(name, prompt(row["question"], row["choices"]))) for row in QUESTIONS]
    return [
        None if letter is None else row["choices"][ascii_uppercase.index(letter)]
        for row, letter in zip(QUESTIONS, letters, strict=True)
    ]


def right_of(row: dict[str, Any]) -> str:
    return str(row["choices"][row["answer_index"]])


def longest_of(choices: Sequence[str]) -> str | None:
    """The one longest option, or None when several are equally long."""
    first, second = sorted(choices, key=len, reverse=True)[:2]
    return first if len(first) > len(second) else None


@pytest.fixture
async def url() -> AsyncIterator[str]:
    simulator = Simulator(latency_scale=0)
    yield await simulator.start()
    await simulator.stop()


async def post(session: aiohttp.ClientSession, url: str, model: str, text: str, **fields: Any) -> tuple[Any, Any]:
    """The headers and the body of one reply."""
    messages = [{"role": "system", "content": "You are sitting an exam."}, {"role": "user", "content": text}]
    body = {"model": model, "messages": messages, **fields}
    async with session.post(f"{url}/chat/completions", json=body) as reply:
        return reply.headers, await reply.json()


# --- the example ---


def test_benchmark_is_well_formed() -> None:
    """Ids are unique, keys agree with their index, and every field holds what it should."""
    assert len({row["id"] for row in QUESTIONS}) == len({row["question"] for row in QUESTIONS}) == len(QUESTIONS) == 40
    assert all(row["answer_key"] == ascii_uppercase[row["answer_index"]] for row in QUESTIONS)
    assert all(len(set(row["choices"])) == len(row["choices"]) in {3, 4, 5} for row in QUESTIONS)
    assert {row["version"] for row in QUESTIONS} == {"lighthouse_v1"}
    assert {row["difficulty"] for row in QUESTIONS} == {"easy", "medium", "hard"}
    assert len({domain for row in QUESTIONS for domain in row["domains"]}) == 4
    assert all(len(row["domains"]) in {1, 2} and len(row["topics"]) in {1, 2, 3} for row in QUESTIONS)
    assert sum(row["metadata"]["calc_required"] for row in QUESTIONS) == 6
    assert [row["choices"].index("All of the above") for row in QUESTIONS if "All of the above" in row["choices"]] == [3]


def test_benchmark_gives_nothing_away() -> None:
    """Letters are balanced, the right option is seldom the longest, and always, never and only stand in right ones too."""
    absolute = re.compile(r"\b(?:always|never|only)\b", re.I)
    holders = [(row, choice) for row in QUESTIONS for choice in row["choices"] if absolute.search(choice)]
    key_is_longest = sum(longest_of(row["choices"]) == right_of(row) for row in QUESTIONS)

    assert Counter(row["answer_key"] for row in QUESTIONS) == dict.fromkeys("ABCD", 10)
    assert 0.25 <= key_is_longest / len(QUESTIONS) <= 0.4
    assert len(holders) >= 8
    assert any(choice == right_of(row) for row, choice in holders)


def test_simulator_knows_the_example_and_no_more() -> None:
    """Each question is in the key with the same right words, and the key holds no other question."""
    table = tomllib.loads((REPOSITORY / "tui_eval/simulator/answers/choices.toml").read_text())["question"]
    found = [knowledge.find_choice(row["question"]) for row in QUESTIONS]

    assert [(matter.question, matter.right) for matter in found if matter] == [
        (row["question"], right_of(row)) for row in QUESTIONS
    ]
    assert len(table) == len(QUESTIONS)


def test_example_config_and_prompts() -> None:
    """The caps leave room for every call, every model is simulated and used, and the prompts have their slots."""
    models = {model["name"]: model for model in EXAMPLE["models"]}
    prompts = REPOSITORY / "prompts/choice"
    check_slots("system", (prompts / "system.md").read_text(), ["letters"])
    check_slots("user", (prompts / "user.md").read_text(), ["question", "options"])

    assert list(models) == EXAMPLE["choice"]["models"]
    assert len(models) * len(QUESTIONS) == 240 <= EXAMPLE["run"]["max_calls"]
    assert json.loads((REPOSITORY / "examples" / EXAMPLE["choice"]["dataset"]).read_bytes()) == QUESTIONS
    assert prompt("Q?", ["a", "b"]) == "Q?\n\nA) a\nB) b\n\nAnswer:"


# --- what counts as multiple choice ---


@pytest.mark.parametrize(
    "text",
    [
        "Why is the sea salt?",
        "Only one?\nA) this",
        "Out of order?\nB) this\nA) that",
        "A gap?\nA) this\nC) that",
        "QUESTION: Why?\n\n[DOCUMENT]\ndoc_id: a\ncontent:\nA) this\nB) that\n[/DOCUMENT]",
        "QUESTION: Why?\nA) this\nB) that\n\nDOER RESPONSES:\n- [doer:a#0] this\n- [doer:b#0] that\n",
        "QUESTION: Why?\n\nINSTRUCTIONS: Write the best final answer.\nA) this\nB) that",
        "GROUND TRUTH: A) this\n\nCANDIDATE: one\nA) this\nB) that",
    ],
)
async def test_other_prompts_are_answered_as_ever(url: str, text: str) -> None:
    """What is not a multiple-choice question gets the very reply that it always got."""
    messages = [{"role": "system", "content": "You are sitting an exam."}, {"role": "user", "content": text}]
    async with aiohttp.ClientSession() as session:
        _, body = await post(session, url, "sim-sprinter", text)
    expected = open_replies.reply(personas.load_personas()["sim-sprinter"], messages, Seed(0, "null", "sim-sprinter"))

    assert multiple_choice.read_sheet(messages) is None
    assert body["choices"][0]["message"] == {"role": "assistant", "content": expected}


def test_the_last_question_counts() -> None:
    """Solved samples may stand before the question, in the same message or in earlier ones, and text may follow it."""
    first, second = QUESTIONS[0], QUESTIONS[20]
    solved = f"{prompt(first['question'], first['choices'])} {first['answer_key']}\n\n"
    plain = ask("sim-arbiter", prompt(second["question"], second["choices"]))
    after_sample = ask("sim-arbiter", solved + prompt(second["question"], second["choices"]))
    followed = ask("sim-arbiter", prompt(second["question"], second["choices"]) + "\n\nThink first. Reply with one letter.")
    sheet = multiple_choice.read_sheet(
        [
            {"role": "user", "content": solved},
            {"role": "assistant", "content": "A"},
            {"role": "user", "content": prompt(second["question"], second["choices"])},
        ]
    )

    assert plain == after_sample == followed == SimulatedCompletion(second["answer_key"])
    assert sheet is not None and sheet.options == tuple(second["choices"])


def test_options_may_be_many_or_odd() -> None:
    """Two to twenty-six options are read, with braces, signs and equal words in them."""
    odd = ["{letter}", "-5 °C", "+5 °C", *[f"option {number}" for number in range(23)]]
    sheet = multiple_choice.read_sheet([{"role": "user", "content": prompt("Q?", odd)}])
    same = multiple_choice.read_sheet(
        [{"role": "user", "content": prompt(QUESTIONS[0]["question"], [right_of(QUESTIONS[0])] * 2)}]
    )

    assert sheet is not None and sheet.options == tuple(odd)
    assert same is not None
    assert {
        multiple_choice.answer(persona, same, Seed(0, "null", name)).text for name, persona in personas.load_personas().items()
    }


# --- what a persona says ---


@pytest.mark.parametrize("model", PERSONAS)
async def test_styles(url: str, model: str) -> None:
    """Over the wire every reply is labelled and has the persona's style, or is one of its few ways not to answer."""
    async with aiohttp.ClientSession() as session:
        got = [await post(session, url, model, prompt(row["question"], row["choices"])) for row in QUESTIONS]
    texts = [body["choices"][0]["message"]["content"] for _, body in got]
    plain = [text for text in texts if text is not None and re.fullmatch(STYLES[model], text, re.S)]
    others = [text for text in texts if text not in plain]

    assert all(headers["x-simulated"] == "true" and body["simulated"] is True for headers, body in got)
    assert not any("[simulated]" in (text or "") for text in texts)
    if model in LAPSES:
        assert 1 <= len(others) <= 8 and all(LAPSES[model].fullmatch(text) for text in others)
    elif model == "sim-guarded":
        assert 5 <= len(others) <= 15 and set(others) == {REFUSED, None}
    else:
        assert others == []


def test_letter_and_text_go_together() -> None:
    """Where a style repeats the option's words, they are the words that stand behind its letter."""
    said = [ask("sim-thrifty", prompt(row["question"], row["choices"])).text for row in QUESTIONS]

    assert all(
        f"\n{text}\n" in f"{prompt(row['question'], row['choices'])}\n" for text, row in zip(said, QUESTIONS, strict=True)
    )


def test_thoughts_name_other_letters() -> None:
    """The thinker's thoughts name options that it does not choose, so that they must be taken off before reading."""
    said = [ask("sim-thinker", prompt(row["question"], row["choices"])) for row in QUESTIONS]
    thoughts = [(chosen("sim-thinker", one), (one.text or "").partition("</think>")[0]) for one in said]

    assert all(set(re.findall(r"\b[A-E]\b", thought)) - {letter} for letter, thought in thoughts)


async def test_refusals(url: str) -> None:
    """A quarter of the questions is refused: in words, in the field for it, or by a filter, and half of that in words."""
    said = [ask("sim-guarded", prompt(row["question"], row["choices"]), seed) for row in QUESTIONS for seed in range(25)]
    kinds = Counter((one.text == REFUSED, one.refusal == REFUSED, one.finish) for one in said if not chosen("sim-guarded", one))
    async with aiohttp.ClientSession() as session:
        bodies = [(await post(session, url, "sim-guarded", prompt(row["question"], row["choices"])))[1] for row in QUESTIONS]
    silent = [body["choices"][0] for body in bodies if body["choices"][0]["message"]["content"] is None]

    assert set(kinds) == {(True, False, "stop"), (False, True, "stop"), (False, False, "content_filter")}
    assert 0.2 < kinds.total() / len(said) < 0.3
    assert 0.4 < kinds[True, False, "stop"] / kinds.total() < 0.6
    assert {choice["finish_reason"] for choice in silent} == {"stop", "content_filter"}
    assert all((choice["finish_reason"] == "stop") == (choice["message"].get("refusal") == REFUSED) for choice in silent)


async def test_same_question_same_bytes(url: str) -> None:
    """The same request gets the same reply; another seed gives other answers to some question."""
    texts = [prompt(row["question"], row["choices"]) for row in QUESTIONS]
    async with aiohttp.ClientSession() as session:
        rounds = [[(await post(session, url, "sim-longest", text, seed=seed))[1] for text in texts] for seed in (None, None, 1)]
    said = [[body["choices"][0]["message"]["content"] for body in bodies] for bodies in rounds]

    assert rounds[0] == rounds[1]
    assert said[0] != said[2]


# --- by words, not by letters ---


@few
@given(st.data())
def test_shuffled_options_change_nothing(data: st.DataObject) -> None:
    """Whatever the order of the options, a persona chooses the same words, or fails to choose in the same way."""
    row = data.draw(st.sampled_from(QUESTIONS))
    shuffled = data.draw(st.permutations(row["choices"]))
    for name in PERSONAS:
        before, after = ask(name, prompt(row["question"], row["choices"])), ask(name, prompt(row["question"], shuffled))
        first, second = chosen(name, before), chosen(name, after)

        assert (first is None) == (second is None)
        if first is None or second is None:
            assert (before.refusal, before.finish, len(before.text or "")) == (
                after.refusal,
                after.finish,
                len(after.text or ""),
            )
        else:
            assert row["choices"][ascii_uppercase.index(first)] == shuffled[ascii_uppercase.index(second)]


def test_undecided_between_the_same_two() -> None:
    """The rambler who cannot decide wavers between the same two options in any order, named in the order of the letters."""
    pairs = []
    for row in QUESTIONS:
        for choices in (row["choices"], row["choices"][::-1]):
            if found := re.search(r"([A-E]) or ([A-E])$", ask("sim-rambler", prompt(row["question"], choices)).text or ""):
                assert found[1] < found[2]
                pairs.append((row["id"], {choices[ascii_uppercase.index(letter)] for letter in found.groups()}))

    assert pairs[::2] == pairs[1::2] != []


@few
@given(st.permutations(UNKNOWN[1]))
def test_unknown_question(options: list[str]) -> None:
    """A question that is not in the key is not known; the guess after that says that it is one and goes by the words."""
    for name in PERSONAS:
        said, again = ask(name, prompt(UNKNOWN[0], UNKNOWN[1])), ask(name, prompt(UNKNOWN[0], options))
        why = "by length alone" if name == "sim-longest" else "made by chance"
        letters = [
            re.fullmatch(rf"{re.escape(CANNOT_KNOW)} A guess, {why}\. Answer: ([A-D])", one.text or "") for one in (said, again)
        ]

        assert letters[0] is not None and letters[1] is not None
        assert UNKNOWN[1][ascii_uppercase.index(letters[0][1])] == options[ascii_uppercase.index(letters[1][1])]
        if name == "sim-longest":
            assert options[ascii_uppercase.index(letters[1][1])] == "the tall jar by the window"


def test_guesses_are_spread() -> None:
    """Blind guesses fall on every letter, about equally often."""
    texts = [ask("sim-scholar", prompt(f"What is number {number}?", UNKNOWN[1])).text or "" for number in range(400)]
    counts = Counter(text[-1] for text in texts)

    assert set(counts) == set("ABCD")
    assert all(60 < count < 140 for count in counts.values())


def test_without_the_right_option_nothing_is_known() -> None:
    """A known question whose right words are not on offer counts as unknown; capitals and blanks do not matter."""
    row = QUESTIONS[20]
    index = row["answer_index"]
    changed = [*row["choices"][:index], "something else", *row["choices"][index + 1 :]]
    louder = [choice.upper().replace(" ", "  ") for choice in row["choices"]]

    assert (ask("sim-arbiter", prompt(row["question"], changed)).text or "").startswith(CANNOT_KNOW)
    assert ask("sim-arbiter", prompt(row["question"], louder)).text == row["answer_key"]


# --- how able they are ---


def test_skill_tells_personas_apart() -> None:
    """Over the example the scholar is above the sprinter, the sprinter above the one who likes length, none is perfect."""
    right = {
        name: sum(choice == right_of(row) for choice, row in zip(sit(name), QUESTIONS, strict=True))
        for name in ["sim-scholar", "sim-sprinter", "sim-longest", "sim-contrarian"]
    }

    assert 40 > right["sim-scholar"] > right["sim-sprinter"] > right["sim-longest"] > right["sim-contrarian"] > 0


@pytest.mark.parametrize(
    "model", quick_first(["sim-scholar", "sim-sprinter", "sim-thrifty", "sim-contrarian", "sim-thinker"], 2)
)
def test_share_right_is_the_skill(model: str) -> None:
    """Over many seeds the share of right answers is the persona's skill: nothing is right by a lucky guess."""
    letters = [
        (chosen(model, ask(model, prompt(row["question"], row["choices"]), seed)), row["answer_key"])
        for row in QUESTIONS
        for seed in range(25)
    ]
    given_letters = [(letter, key) for letter, key in letters if letter is not None]
    share = sum(letter == key for letter, key in given_letters) / len(given_letters)

    assert share == pytest.approx(personas.load_personas()[model].skill, abs=0.045)


def test_longest_likes_length_and_a_place() -> None:
    """It takes the longest option far more often than that is right, others do not; so it favours where the longest stand."""
    rows = [row for row in QUESTIONS if longest_of(row["choices"])]

    def excess(name: str) -> float:
        picks = dict(zip([row["id"] for row in QUESTIONS], sit(name), strict=True))
        picked = sum(picks[row["id"]] == longest_of(row["choices"]) for row in rows)
        return (picked - sum(right_of(row) == longest_of(row["choices"]) for row in rows)) / len(rows)

    letters = Counter(chosen("sim-longest", ask("sim-longest", prompt(row["question"], row["choices"]))) for row in QUESTIONS)

    # With 39 rows the standard error of a share is at most .08: .3 is more than three of them.
    assert excess("sim-longest") > 0.3
    assert abs(excess("sim-scholar")) < 0.1
    assert letters["C"] >= 15
