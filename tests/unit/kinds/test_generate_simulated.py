"""What the simulator writes for the kind generate: the shipped example's figures, and documents in other languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from generating import ABOUT, loaded, reported
from pdf_files import pdf_of
from simulated import simulated
from soaking import quick_first

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.results import SampleResult
from tui_eval.kinds.generate.question_report import QuestionReport
from tui_eval.kinds.question_writing.filtering import language_of, script_of
from tui_eval.simulator.apis.chat import Chat
from tui_eval.workspace.places import Workspace, shipped


def rows_of(run: Loaded) -> list[SampleResult]:
    """Every sample, answered by the simulator as it answers in a run."""
    chat, models = Chat(run.run.seed, 0.0), run.evaluation.models
    return [
        run.evaluation.driven(one, lambda call: simulated(call, models[call.model], chat)) for one in run.evaluation.samples()
    ]


def test_the_examples_figures_are_those_that_it_tells() -> None:
    """What its comment says comes out, and each reason once."""
    path = shipped("examples") / "generate.toml"
    run = load(path, Workspace(path.parent.parent))
    report: QuestionReport = reported(run, rows_of(run))
    said = " ".join(line.removeprefix("# ") for line in path.read_text().split("\n") if line.startswith("#"))

    assert report.headline()[0].note == (
        "wanted 18, kept 16 of 18 made: 1 quote not in the text, 1 contradicted by the second opinion; 2 marked"
        " answerable without the document. Exploratory: fewer than 100 questions"
    )
    assert len(report.files(ABOUT)["dropped.csv"]) == 2
    for figure in (
        "Of 18 questions 16 are kept",
        "1 quote is not",
        "contradicted",
        "2 of those",
        "6 conversations",
    ):
        assert figure in said
    assert (run.plan["total_calls"], run.plan["up_to_more"]) == tuple(map(int, re.findall(r"(\d+) (?:calls,|more)", said)))


GERMAN = [
    "Der Hafen liegt am Nordufer und ist das ganze Jahr offen. Die Gebühr für eine Nacht wird am Tag der Ankunft bezahlt.",
    "Der Lotse ist für Schiffe mit mehr als 40 Metern Pflicht. Das Trinkwasser wird am ersten Montag im Monat geprüft.",
    "Die Feuerlöscher sind in roten Kästen neben den Liegeplätzen 2 und 5 zu finden. Der Sammelplatz liegt vor dem Büro.",
]
RUSSIAN = [
    "Гавань находится на северном берегу и открыта весь год. Плата за ночь — это десять крон с каждой лодки.",
    "Лоцман нужен всем судам длиннее сорока метров. Вода на причале проверяется в первый понедельник каждого месяца.",
    "Огнетушители висят в красных ящиках рядом со вторым причалом. Место сбора было перенесено к зданию конторы.",
]
JAPANESE = [
    "港は北の岸にあり、一年中開いています。停泊料は到着した日に事務所で支払わなければなりません。"
    "外側の港には来客用の船台が九つあり、西から東へ番号が付いています。",
    "水先人は全長四十メートルを超える船に必要です。飲み水は毎月の第一月曜日に検査されます。"
    "渡し船は七時と十一時に出発し、その五分前に長い汽笛を一回鳴らします。",
    "消火器は二番の桟橋のそばの赤い箱にあります。集合場所は事務所の前の広場に決められています。",
]


@pytest.mark.parametrize("form", quick_first(["conversations", "questions"]))
@pytest.mark.parametrize(
    ("pages", "script", "language"),
    [(GERMAN, "Latin", "German"), (RUSSIAN, "Cyrillic", "Russian"), (JAPANESE, "Japanese", "")],
    ids=["German", "Russian", "Japanese"],
)
def test_a_document_gives_questions_in_its_language(
    pages: list[str], script: str, language: str, form: str, tmp_path: Path
) -> None:
    """A PDF of three pages: questions, answers and quotes in its script and language, each quote on its page."""
    wrapped = [re.findall(r".{1,34}(?:\s|$)|.{1,34}", page) for page in pages]
    lines = [[line.strip() for line in page] for page in wrapped]
    run = loaded(tmp_path, {"paper.pdf": pdf_of(lines)}, form=form, **({"conversations": 2} if form == "conversations" else {}))
    found = reported(run, rows_of(run)).conversation_set(ABOUT)
    turns = [turn for talk in found.conversations for turn in talk.turns]
    told = [turn for turn in turns if turn.answerable]

    assert len(told) >= 3 and found.documents[0].pages == 3
    for words in ([turn.question for turn in told], [turn.ground_truth for turn in told], [turn.quote for turn in told]):
        assert script_of(" ".join(words)) == script
        assert language_of(" ".join(words * 3)) == language
    for turn in told:
        assert turn.page is not None
        assert "".join(turn.quote.split()) in "".join(pages[turn.page - 1].split())
