"""Laws of the kind generate: rounds, the second opinion, and a set in which everything that was made is accounted for."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from generating import ABOUT, agreeing, answers, config, driven, loaded, made_set, opinions, questions, reported, turn, turns
from pdf_files import pdf_of

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call
from tui_eval.core.document_text import RUNNING, pages_of
from tui_eval.core.errors import ConfigError
from tui_eval.core.results import SampleResult
from tui_eval.datasets.conversation_files import read_conversations, written_conversations
from tui_eval.kinds.generate.question_report import QuestionReport
from tui_eval.kinds.question_writing.filtering import BUILDS_ON_DROPPED
from tui_eval.workspace.places import Workspace

RYE = turn("When does the mill of Ardle grind rye?", "on Mondays", "grinds rye on Mondays")
WHEEL = turn("And when was its wheel built?", "in 1874", "wheel was built in 1874", depends_on=1, type="follow-up")
WEIGHTS = turn("And what does the miller keep?", "40 weights", "keeps 40 weights", depends_on=1, type="follow-up")
GOOD = turns(RYE, WHEEL, WEIGHTS)
MILL = (
    "The mill of Ardle grinds rye on Mondays. Its wheel was built in 1874 and turns nine times a minute. The miller keeps 40"
    " weights in an iron chest, which the town has tested every second year since the flood came over the meadows.\n"
)
ONE = {"conversations": 1}


def made(run: Loaded, say: Callable[[Call], str | None]) -> list[dict[str, Any]]:
    """What was made, with why it was dropped."""
    files = reported(run, driven(run, say)).files(ABOUT)
    kept = [{**one, "reason": ""} for talk in files["dataset.json"]["conversations"] for one in talk["turns"]]
    return [*kept, *files["dropped.csv"]]


def by(maker: str | None, checker: Callable[[Call], str | None] = agreeing) -> Callable[[Call], str | None]:
    """A maker that always says the same, and a checker."""
    return lambda call: maker if call.stage == "maker" else checker(call)


def objecting(**said: Any) -> Callable[[Call], str | None]:
    """A checker that says this of the first question."""
    return lambda call: answers(call, {1: "on Mondays"}) if call.about.startswith("closed_book") else opinions(call, {1: said})


def test_what_nobody_objects_to_is_kept_with_its_quote(tmp_path: Path) -> None:
    """Three questions, three calls, one set."""
    run = loaded(tmp_path, {"mill.txt": MILL}, **ONE)
    rows = driven(run, by(GOOD))

    found = made_set(run, rows)

    assert [reply.call.stage for row in rows for reply in row.replies] == ["maker", "check", "check"]
    assert [one.quote for one in found.conversations[0].turns] == [RYE["quote"], WHEEL["quote"], WEIGHTS["quote"]]
    assert [one.depends_on for one in found.conversations[0].turns] == [None, "mill/c1/t1", "mill/c1/t1"]
    assert not found.incomplete and found.documents[0].text == MILL


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"agrees": False, "reason": "It is Tuesdays."}, "contradicted by the second opinion: It is Tuesdays."),
        ({"stands_alone": False}, "does not stand alone, says the second opinion"),
    ],
)
def test_what_the_second_opinion_objects_to_is_dropped(said: dict[str, Any], reason: str, tmp_path: Path) -> None:
    """With the reason, and with what builds on it."""
    found = made(loaded(tmp_path, {"mill.txt": MILL}, **ONE), by(GOOD, objecting(**said)))

    assert [one["reason"] for one in found] == [reason, BUILDS_ON_DROPPED, BUILDS_ON_DROPPED]


@pytest.mark.parametrize(("closed_book", "kept", "marked", "calls"), [("mark", 3, 1, 2), ("drop", 0, 0, 2), ("off", 3, 0, 1)])
def test_what_is_known_without_the_document(closed_book: str, kept: int, marked: int, calls: int, tmp_path: Path) -> None:
    """Marked, dropped, or not asked: then an opinion that it is known counts for nothing."""
    check = {"model": "checker", "closed_book": closed_book}
    run = loaded(tmp_path, {"mill.txt": MILL}, **ONE, check=check)
    rows = driven(run, by(GOOD, objecting(known_without=True)))
    turns_kept = [one for talk in made_set(run, rows).conversations for one in talk.turns]

    assert (len(turns_kept), sum(one.known_without_document for one in turns_kept)) == (kept, marked)
    assert sum(reply.call.stage == "check" for reply in rows[0].replies) == calls


@pytest.mark.parametrize("said", [None, "I agree with all of them."])
def test_without_a_second_opinion_nothing_is_kept_and_nothing_counts_as_zero(said: str | None, tmp_path: Path) -> None:
    """Failed or unreadable twice: each question is named, no value is made up, and no further ones are asked for in vain."""
    run = loaded(tmp_path, {"mill.txt": MILL * 9}, **ONE)
    rows = driven(run, by(GOOD, lambda call: answers(call) if call.about.startswith("closed_book") else said))

    assert [(score.value, score.why) for score in rows[0].scores] == [
        (None, "not checked: the second opinion could not be had")
    ] * 3
    assert sum(reply.call.stage == "maker" for reply in rows[0].replies) == 1
    assert not made_set(run, rows).conversations


@pytest.mark.parametrize("left_out", [{2}, {1}, {1, 3}])
def test_what_an_opinion_leaves_out_is_asked_of_alone(left_out: set[int], tmp_path: Path) -> None:
    """What is confirmed stays so; the others are asked of once more, by themselves, within what the plan foresees."""
    run = loaded(tmp_path, {"mill.txt": MILL}, **ONE)
    asked: list[str] = []

    def checker(call: Call) -> str:
        if call.about.startswith("closed_book"):
            return answers(call)
        asked.append(call.messages[-1].content.split("QUESTIONS:\n")[1])
        checks = json.loads(opinions(call))["checks"]
        return json.dumps({"checks": [one for one in checks if len(asked) > 1 or one["number"] not in left_out]})

    found = made(run, by(GOOD, checker))
    texts = [RYE["question"], WHEEL["question"], WEIGHTS["question"]]

    assert [one["reason"] for one in found] == [""] * 3 and len(asked) == 2
    assert [text in asked[1] for text in texts] == [n in left_out for n in (1, 2, 3)]
    assert all(f"{n}. " in asked[1] for n in range(1, len(left_out) + 1))


def test_what_is_left_out_twice_is_not_checked_and_the_others_are(tmp_path: Path) -> None:
    """Only of that one nothing is known; nothing is asked a third time, and after a reminder nothing more."""
    run = loaded(tmp_path, {"mill.txt": MILL}, **ONE)
    third = {"checks": [{"number": 1, "agrees": True}, {"number": 2, "agrees": True}]}

    def checker(first: str) -> Callable[[Call], str]:
        said = iter([first, json.dumps(third), "nothing to say"])
        return lambda call: answers(call) if call.about.startswith("closed_book") else next(said)

    found = made(run, by(GOOD, checker(json.dumps(third))))
    assert [one["reason"] for one in found] == ["", "", "not checked: the second opinion could not be had"]
    rows = driven(run, by(GOOD, checker("I agree.")))
    assert [reply.call.about for reply in rows[0].replies if reply.call.about.startswith("agree")] == [
        "agreement",
        "agreement again",
    ]
    assert [score.why for score in rows[0].scores] == ["", "", "not checked: the second opinion could not be had"]


def test_a_closed_book_that_failed_marks_nothing_and_costs_nothing_else(tmp_path: Path) -> None:
    """The second opinion is asked all the same."""

    def checker(call: Call) -> str | None:
        return None if call.about.startswith("closed_book") else opinions(call, {1: {"known_without": True}})

    assert [one["reason"] for one in made(loaded(tmp_path, {"mill.txt": MILL}, **ONE), by(GOOD, checker))] == [""] * 3


PARTS = [f"Part {n}. " + MILL.replace("Ardle", name) for n, name in enumerate(("Ardle", "Brome", "Corse", "Dunmow"), start=1)]


def test_a_dropped_conversation_is_tried_at_the_next_passage(tmp_path: Path) -> None:
    """Of the same pages, three at most; the later ones are beyond the plan, and all of them are within what it foresees."""
    text = "\f".join(part + f"Filler sentence number {n} says nothing at all. " * 90 for n, part in enumerate(PARTS))
    run = loaded(tmp_path, {"mill.txt": text}, **ONE, check=False)
    bad = turns({**RYE, "quote": "grinds oats"}, WHEEL, WEIGHTS)
    asked: list[Call] = []

    def say(call: Call) -> str:
        asked.append(call)
        return bad

    rows = driven(run, say)
    planned = run.plan["stages"][0]

    assert len(asked) == len(run.evaluation.task.places[0][1]) == 3
    assert len({call.messages[-1].content for call in asked}) == 3
    assert [call.beyond_plan for call in asked] == [False, True, True]
    assert len(asked) <= planned["calls"] + planned["up_to_more"]
    assert len(rows[0].scores) == 9


SCHEMA = {"categories": [{"name": "when", "count": 2, "description": ""}, {"name": "what", "count": 1, "description": ""}]}


def test_categories_that_came_out_short_are_asked_for_once_more(tmp_path: Path) -> None:
    """For the rest alone, and once; what is too much is dropped."""
    (tmp_path / "mine.json").write_text(json.dumps(SCHEMA))
    run = loaded(tmp_path, {"mill.txt": MILL}, form="questions", schema_file="mine.json", check=False)
    rye = ("when", "When does the mill of Ardle grind rye?", "grinds rye on Mondays")
    what = ("what", "Which goods does the miller of Ardle keep?", "keeps 40 weights")
    wheel = ("when", "In which year was the wheel of the mill built?", "wheel was built in 1874")
    second = ("what", "How often does the mill's wheel go round?", "turns nine times a minute")
    asked: list[Call] = []

    def say(call: Call) -> str:
        asked.append(call)
        return questions(rye, what, second) if len(asked) == 1 else questions(wheel, second)

    rows = driven(run, say)
    wanted = [
        json.loads(call.messages[-1].content.split("CATEGORIES:\n")[1].partition("\n\nAsk")[0].split("\n\n")[0])
        for call in asked
    ]

    assert [[(one["name"], one["count"]) for one in each] for each in wanted] == [[("when", 2), ("what", 1)], [("when", 1)]]
    assert [score.why.partition(":")[0] for score in rows[0].scores] == [
        "", "", "more than were asked for", "", "of no category that was asked for",
    ]  # fmt: skip
    assert made_set(run, rows).turns == 3


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("answer", [False, True])
def test_a_schema_says_what_each_question_has_to_bring(answer: bool, flag: bool, tmp_path: Path) -> None:
    """A reference answer, without which a reply cannot be read; and whether it can be answered, or the question is dropped."""
    form = {"require_reference_answer": answer, "require_answerable_flag": flag}
    schema = {"categories": [{"name": "when", "count": 2, "description": ""}], "output_format": form}
    (tmp_path / "mine.json").write_text(json.dumps(schema))
    run = loaded(tmp_path, {"mill.txt": MILL}, form="questions", schema_file="mine.json")
    rye = {"category": "when", "question": "When does the mill of Ardle grind rye?", "quote": "grinds rye on Mondays"}
    wheel = {"category": "when", "question": "In which year was its wheel made?", "quote": "wheel was built in 1874"}
    said = json.dumps({"questions": [rye | {"answerable": True}, wheel | {"reference_answer": "1874"}]})
    rows = driven(run, by(said))
    found = [score.why for score in rows[0].scores if score.read]
    unsaid = "it is not said whether it can be answered"

    assert found[:2] == ([] if answer else ["", unsaid if flag else ""])
    assert made_set(run, rows).turns == (0 if answer else 2 - flag)
    assert all(turn.ground_truth in ("", "1874") for talk in made_set(run, rows).conversations for turn in talk.turns)


def test_a_document_of_more_than_50_mb_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """By its size alone: it has none of its bytes on the disk; the key that raises the limit is named."""
    with (tmp_path / "huge.pdf").open("wb") as file:
        file.truncate(50 * 1024 * 1024 + 1)
    (tmp_path / "made.toml").write_text(tomli_w.dumps(config(["huge.pdf"])), encoding="utf-8")

    with pytest.raises(ConfigError, match=r"huge\.pdf: 52,428,801 bytes; at most 52,428,800 .*generate\.max_document_bytes"):
        load(tmp_path / "made.toml", Workspace(tmp_path))


ONE_CATEGORY = '{"name": "when", "count": 1}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"categories": [\n}', r"mine\.json:2: not JSON"),
        ("[" * 100_000, r"mine\.json: nested too deeply"),
        ("{}", r"mine\.json: categories"),
        ('{"categories": []}', r"mine\.json: categories"),
        (f'{{"categories": [{ONE_CATEGORY}, {ONE_CATEGORY}]}}', r"mine\.json: categories.*when"),
        ('{"categories": [{"name": "when", "count": 0}]}', r"mine\.json: categories\.0\.count"),
        ('{"categories": [{"name": "when", "count": "2"}]}', r"mine\.json: categories\.0\.count"),
        (f'{{"categories": [{ONE_CATEGORY}], "category": 1}}', r"mine\.json: category"),
        (f'{{"categories": [{ONE_CATEGORY}], "prompt_template": "Ask."}}', r"prompt_template: has no \{categories_json\}"),
    ],
)
def test_a_schema_that_is_out_of_order_is_refused(text: str, said: str, tmp_path: Path) -> None:
    """With the key, the file and the place in it."""
    (tmp_path / "mine.json").write_text(text)

    with pytest.raises(ConfigError, match=f"generate.schema_file: .*{said}"):
        loaded(tmp_path, {"mill.txt": MILL}, form="questions", schema_file="mine.json")


@pytest.mark.parametrize(("place", "asked"), [("", "Ask {}.\n\n[TEXT]\n{}\n[/TEXT]"), (" about {text}", "Ask {} about {}.")])
def test_a_schemas_own_prompt_has_the_categories_and_the_text(place: str, asked: str, tmp_path: Path) -> None:
    """The text behind it, where it has no place for it."""
    template = "Ask {categories_json}" + place + "."
    schema = {"categories": [{"name": "when", "count": 1, "description": "d"}], "prompt_template": template}
    (tmp_path / "mine.json").write_text(json.dumps(schema))
    run = loaded(tmp_path, {"mill.txt": MILL}, form="questions", schema_file="mine.json", check=False)
    (row,) = driven(run, by(questions(("when", RYE["question"], RYE["quote"]))))

    assert row.replies[0].call.messages[-1].content == asked.format(json.dumps(schema["categories"], indent=1), MILL)


DEFAULTS = {
    "png": ["easy", "medium_facts", "medium_graphics", "hard_semantics", "hard_graphics"],
    "md": ["easy", "medium_facts", "medium_inference", "hard_reasoning", "hard_details"],
}
"""Of spec 000: its default schema, which is for images, and that of FR-05."""


@pytest.mark.parametrize(("name", "data"), [("shown.png", b"\x89PNG\r\n\x1a\n"), ("SHOWN.MD", MILL.encode())])
def test_each_sort_of_file_has_its_categories_and_an_image_is_shown(name: str, data: bytes, tmp_path: Path) -> None:
    """Two questions of each, asked for in one call; the second opinion sees the image, the closed book does not."""
    run = loaded(tmp_path, {name: data}, form="questions")
    sort = name.rpartition(".")[2].lower()
    question = {"question": "What is shown in the year 1999 by Ardle?", "reference_answer": "a mill", "answerable": True}
    said = json.dumps({"questions": [question | {"category": DEFAULTS[sort][0], "quote": "grinds rye on Mondays"}]})
    (row,) = driven(run, by(said))
    first, *checks = [reply.call for reply in row.replies if not reply.call.beyond_plan]
    wanted = json.loads(first.messages[-1].content.split("CATEGORIES:\n")[1].split("\n\n")[0])

    assert [(one["name"], one["count"]) for one in wanted] == [(category, 2) for category in DEFAULTS[sort]]
    shown = {call.about or "maker": len(call.messages[-1].attachments) for call in (first, *checks)}
    assert shown == {"maker": sort == "png", "closed_book": 0, "agreement": sort == "png"}
    assert run.evaluation.task.wanted == 10


def test_what_two_places_ask_is_kept_once(tmp_path: Path) -> None:
    """Where it stands first; what builds on the other falls with it."""
    run = loaded(tmp_path, {"a.txt": MILL, "b.txt": MILL}, conversations=2)
    found = made(run, by(GOOD))

    assert [one["reason"] for one in found if not one["reason"]] == [""] * 3
    dropped = [one for one in found if one["reason"]]
    assert [one["reason"] for one in dropped] == ["asks what a question of another place asks", *[BUILDS_ON_DROPPED] * 2]
    assert {one["document"] for one in dropped} == {"b"}


def test_what_is_wanted_is_never_lowered_in_silence(tmp_path: Path) -> None:
    """The document has no room for it: the plan, what is said before a run, the counts and the headline say what was wanted."""
    run = loaded(tmp_path, {"mill.txt": MILL}, conversations=12)
    rows = driven(run, by(GOOD))
    report = reported(run, rows)
    told = "wanted 36; this document has room for 2 conversations"

    assert run.evaluation.config.conversations == 12
    assert run.plan["factors"] == {"documents": 1, "places": 2, "questions": 6, "wanted": 36}
    assert f"generate.conversations: {told}" in run.warnings
    assert report.headline()[0].note.startswith(f"{told}, kept 3 of 6 made: ")
    assert [row[report.headline()[0].columns.index("wanted")].value for row in report.headline()[0].rows] == [36]


@pytest.mark.parametrize("wanted", [2, 5, 9, 30])
def test_several_documents_have_room_together(wanted: int, tmp_path: Path) -> None:
    """What is wanted of each adds up to what was wanted of all, whatever room there is in which."""
    texts = {"long.txt": "\n\n".join(f"Chapter {n}\n\n{MILL * 14}" for n in range(6)), "short.txt": MILL}
    run = loaded(tmp_path, texts, conversations=wanted)
    task = run.evaluation.task

    assert task.wanted == 3 * wanted == sum(task.wanted_of.values())
    assert bool(task.room) == (len(task.places) < wanted) == any("room for" in warning for warning in run.warnings)
    assert loaded(tmp_path, texts).evaluation.task.room == ""


@pytest.mark.parametrize(
    ("said", "n", "why"),
    [
        (None, 3, "no reply: transient"),
        ("I would rather not.", 3, "no reply that can be read"),
        (turns(RYE, WHEEL), 1, "fewer were written than were asked for"),
    ],
)
def test_what_was_never_written_has_scores_without_a_value(said: str | None, n: int, why: str, tmp_path: Path) -> None:
    """Neither zero nor silence: one for each question that was wanted, with the reason, and the headline counts them."""
    run = loaded(tmp_path, {"mill.txt": MILL}, **ONE)
    rows = driven(run, by(said))

    assert [(score.value, score.why) for score in rows[0].scores if score.read is None] == [(None, why)] * n
    assert f"; not written: {n} ({why})" in reported(run, rows).headline()[0].note


# ---------------------------------------------------------------------------------------- whatever a model writes, it adds up

WORDS = ("mill", "wheel", "rye", "miller", "weights", "Ardle", "1874", "nine", "chest", "town", "flood", "Mondays")


def written(dice: random.Random, call: Call) -> str | None:
    """Something that a model might write: sound questions, false quotes, repeats, too many, nonsense, nothing."""
    if dice.random() < 0.1:
        return dice.choice([None, "no", "{}"])
    if call.stage == "check":
        said = {n: {"agrees": dice.random() < 0.8, "known_without": dice.random() < 0.3} for n in range(1, 9)}
        return answers(call, {1: "x", 2: "y"}) if call.about.startswith("closed_book") else opinions(call, said)
    passage = call.messages[-1].content.partition("[TEXT]\n")[2].partition("\n[/TEXT]")[0]
    made: list[dict[str, Any]] = []
    for _ in range(dice.randint(0, 5)):
        start = dice.randrange(max(len(passage) - 80, 1))
        quote = passage[start : start + dice.randint(20, 80)] if dice.random() < 0.7 else "what nobody ever wrote down here"
        asked = " ".join(dice.sample(WORDS, 4)) + "?" if dice.random() < 0.8 or not made else made[0]["question"]
        earlier = dice.randint(1, len(made)) if made and dice.random() < 0.6 else None
        made.append(turn(asked, dice.choice(["so", "17 oxen", quote]), quote, depends_on=earlier, category="when",
                         answerable=dice.random() < 0.9))  # fmt: skip
        made[-1]["reference_answer"] = made[-1]["answer"]
    return json.dumps({"turns" if "a conversation of" in call.messages[-1].content else "questions": made})


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_written_kept_and_dropped_is_what_was_made(seed: int, tmp_path: Path) -> None:
    """Nothing kept was dropped before; each quote stands in its document, on its page; what is built on is there, too."""
    dice = random.Random(seed)
    (tmp_path / "mine.json").write_text(json.dumps(SCHEMA))
    table: dict[str, Any] = {"conversations": 4, "turns": 3} if seed % 2 else {"form": "questions", "schema_file": "mine.json"}
    texts = {"paged.txt": "\f".join(part * 3 for part in PARTS), "mill.txt": MILL * 2}
    run = loaded(tmp_path, texts, **table)
    rows = driven(run, lambda call: written(dice, call))

    report = reported(run, rows)
    files, found = report.files(ABOUT), report.conversation_set(ABOUT)
    scored = [score for row in rows for score in row.scores if score.read is not None]
    by_document = [
        dict(zip(report.tables()["generated"].columns, row, strict=True)) for row in report.tables()["generated"].rows
    ]

    assert found.turns + len(files["dropped.csv"]) == len(scored) == sum(row["made"].value for row in by_document)
    assert all(row["made"].value == row["kept"].value + row["dropped"].value for row in by_document)
    assert sum(row["wanted"].value for row in by_document) == run.evaluation.task.wanted
    assert all(one["reason"] for one in files["dropped.csv"])
    assert_sound(found.conversations, texts, rows)
    assert sum(len(one["questions"]) for one in files["questions.json"]["images"].values()) == found.turns


def assert_sound(conversations: Any, texts: dict[str, str], rows: list[SampleResult]) -> None:
    """Every turn that is kept is one that its sample kept, and is borne out by its document."""
    passed = {json.loads(score.read)["question"] for row in rows for score in row.scores if score.read and not score.why}
    for talk in conversations:
        ids = [one.id for one in talk.turns]
        assert all(one.depends_on is None or one.depends_on in ids[:n] for n, one in enumerate(talk.turns))
        for one in talk.turns:
            text = texts[talk.document]
            assert one.question in passed
            assert (one.quote.split() or not one.answerable) and " ".join(one.quote.split()) in " ".join(text.split())
            if one.quote and "\f" in text:
                assert one.page is not None
                where = "\n".join(pages_of(text)[one.page - 1 : one.page + 1])
                assert " ".join(one.quote.split()) in " ".join(where.split())


OWN = "The generator checked itself; another model finds more (generate.check.model)"
NOBODY = "Nobody gave a second opinion"


@pytest.mark.parametrize(
    ("check", "asked", "told"),
    [
        (None, ["maker", "maker"], OWN),
        (True, ["maker", "maker"], OWN),
        ({}, ["maker", "maker"], OWN),
        ({"model": "maker"}, ["maker", "maker"], OWN),
        ({"model": "twin"}, ["twin", "twin"], OWN),
        ({"closed_book": "off"}, ["maker"], OWN),
        ({"model": "checker"}, ["checker", "checker"], ""),
        ({"model": "checker", "closed_book": "drop"}, ["checker", "checker"], ""),
        ({"model": "checker", "closed_book": "off"}, ["checker"], ""),
        (False, [], NOBODY),
        ({"on": False, "model": "checker"}, [], NOBODY),
    ],
    ids=str,
)
def test_who_checks_is_asked_planned_and_told(check: Any, asked: list[str], told: str, tmp_path: Path) -> None:
    """[generate.check] in each of its forms: absent, true, a table without a model, the generator, its twin, another, off."""
    run = loaded(tmp_path, {"mill.txt": MILL}, **ONE, check=check)
    (row,) = rows = driven(run, by(GOOD))
    note = reported(run, rows).headline()[0].note
    config = run.evaluation.config

    assert [reply.call.model for reply in row.replies if reply.call.stage == "check"] == asked
    assert run.plan["total_calls"] == 1 + len(asked)
    assert set(run.evaluation.models) == {"maker", *asked}
    assert (told in note) if told else (OWN not in note and NOBODY not in note)
    assert type(config).model_validate(config.model_dump()) == config


def test_a_check_by_a_name_alone_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r'generate\.check: give a table that names the model, such as \{ model = "checker" \}.*false'
    ):
        loaded(tmp_path, {"mill.txt": MILL}, **ONE, check="checker")


@pytest.mark.parametrize(("model", "told"), [("gpt-5", "of its own family (gpt)"), ("claude-opus-4", "made. Exploratory")])
def test_a_checker_of_the_generators_family_is_pointed_out(model: str, told: str, tmp_path: Path) -> None:
    """As one that tends to find right what its like has written; by the ids that their services have for them."""
    run = loaded(tmp_path, {"mill.txt": MILL}, **ONE)
    asked = run.evaluation.task.asked
    own = {"maker": [replace(asked["maker"][0], model_id="gpt-5-mini")], "check": [replace(asked["check"][0], model_id=model)]}
    task = replace(run.evaluation.task, asked=own)
    report = QuestionReport(task)
    for row in driven(run, by(GOOD)):
        report.add(row)

    assert told in report.headline()[0].note


def test_the_words_of_the_headline_read_well(tmp_path: Path) -> None:
    """One and several; who checked; how few they are."""
    checked = loaded(tmp_path, {"mill.txt": MILL}, **ONE)
    own = loaded(tmp_path, {"mill.txt": MILL}, **ONE, check={"model": "maker", "closed_book": "off"})
    nobody = loaded(tmp_path, {"mill.txt": MILL}, **ONE, check=False)
    bad = by(turns({**RYE, "quote": "grinds oats"}, WHEEL, WEIGHTS))

    def said(run: Loaded, say: Callable[[Call], str | None]) -> str:
        return reported(run, driven(run, say)).headline()[0].note

    few = ". Exploratory: fewer than 100 questions"
    assert said(checked, bad) == f"wanted 3, kept 0 of 3 made: 2 that build on dropped ones, 1 quote not in the text{few}"
    assert said(own, by(GOOD)).startswith("wanted 3, kept 3 of 3 made. The generator checked itself; another model finds more")
    assert said(nobody, by(GOOD)) == f"wanted 3, kept 3 of 3 made. Nobody gave a second opinion{few}"


def test_running_heads_are_in_no_passage_and_are_listed(tmp_path: Path) -> None:
    """Left out of passages alone: the set has the text whole, and the run lists by page what went."""
    body = [[f"{line.strip()}, says page {letter}." for line in MILL.split(". ")] for letter in "abcd"]
    pages = [["Mill Report", "", *lines, "", f"Page {n}"] for n, lines in enumerate(body, start=1)]
    run = loaded(tmp_path, {"mill.pdf": pdf_of(pages)}, **ONE)
    files = reported(run, driven(run, by(GOOD))).files(ABOUT)
    whole = files["dataset.json"]["documents"][0]["text"]
    (passage,) = [row for row in files["passages.csv"] if row["try"] == 1]

    assert "Mill Report" in whole and "Page 3" in whole
    assert "Mill Report" not in passage["text"] and "Page 3" not in passage["text"] and "page c" in passage["text"]
    assert [(row["page"], row["text"]) for row in files["left_out.csv"]] == [
        (n, words) for n in range(1, 5) for words in ("Mill Report", f"Page {n}")
    ]
    assert all(whole[row["start"] : row["end"]] == row["text"] for row in files["left_out.csv"])
    assert any("no passage has the running head or foot 'Mill Report'" in warning for warning in run.warnings)
    (listed,) = [file for file in run.provenance if file.name == "mill.pdf.left_out.json"]
    assert [one["text"] for one in json.loads(listed.content)] == [row["text"] for row in files["left_out.csv"]]


def test_a_set_about_contents_between_running_lines_can_be_read(tmp_path: Path) -> None:
    """Stretches that are left out lie beside each other, none over another, and the set's reader takes them."""
    contents = [f"{n} Part {n} {'.' * 30} {n + 1}" for n in range(1, 8)]
    body = [[f"{line.strip()}, says page {letter}." for line in MILL.split(". ")] for letter in "abcd"]
    pages = [["Mill Report", "", *lines, "", f"Page {n}"] for n, lines in enumerate([contents, *body], start=1)]
    run = loaded(tmp_path, {"mill.pdf": pdf_of(pages)}, **ONE)
    files = reported(run, driven(run, by(GOOD))).files(ABOUT)
    found = read_conversations(json.loads(json.dumps(files["dataset.json"])), "mill")
    (document,) = found.documents
    whats = [one.what for one in document.left_out]

    assert whats.count(RUNNING) == 10 and whats.count("contents or index") == 1
    assert read_conversations(json.loads(written_conversations(found)), "mill") == found
