"""Law: what is printed of judges, persons, certificates and items are sentences of the tables, figures and names."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from chats import conversations, driven, good, loaded
from rated_runs import rate
from soaking import SOAK

from tui_eval.cli.command_line import main
from tui_eval.core.calls import Call, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import HumanRating
from tui_eval.kinds.chat import chat_report
from tui_eval.kinds.chat.dialogue_report import DialogueReport
from tui_eval.results.sums.item_analysis import ModelAnswers, item_analysis
from tui_eval.results.sums.item_sentences import ITEM_SENTENCES
from tui_eval.results.sums.judge_sentences import JUDGE_SENTENCES
from tui_eval.results.sums.person_sentences import PERSON_SENTENCES

TABLES = {**JUDGE_SENTENCES, **PERSON_SENTENCES, **ITEM_SENTENCES}
JUDGES, MODELS, PERSONS = ("judge", "x", "y"), tuple("abc"), ("ann", "bob", "kim")
METRICS = ("fluency", "claims", "correct", "groundedness")
UNITS = ("question", "conversation", "answer", "score", "rating", "scale point", "text", "judge", "person", "model", "attack",
         "such answer", "judged answer", "common answer", "document")  # fmt: skip
REASONS = (
    "no item has both scores", r"both gave [\d.]+ throughout: nothing shows whether they would tell apart",
    "no item has two scores",
    "every score is the same", "no answer has two scores", "no question has two scored answers",
    "scores or lengths do not differ within any question", r"\d+ answers? that a person rated, it takes 12",
    "the person's ratings rank scores or lengths entirely, or some of them do not differ",
    "no question has the scores of every judge for every model", "there is no other model to compare its own with",
    "none of the models is its own", "with one judge nothing tells self-preference from better answers",
    r"all judges are of one family \([\w-]+\): nothing tells liking from better answers",
    r"\d+ (?:conversations?|questions?): an interval needs 6 at least", r"not defined in [\d,]+ of [\d,]+ draws",
    r"it is -?[\d.]+ in (?:nearly )?every draw: nothing shows how far it varies",
    "answered less than 80 % of them", "another of the same model id counts for them",
    "scores lie between those of the scale, as means of several judges do: the kappas are each judge's own",
    r"the (?:judge|prompt|metric|data set) changed(?: \([\w., ]+\))?",
)  # fmt: skip
"""Why something is not known, as the functions that add up say it; each is tried with its sentence."""
NUMBER = r"-?[\d,]+(?:\.\d+)?"
FIGURE = rf"[+-]?{NUMBER}(?: %)?(?: \[[+-]?{NUMBER}, [+-]?{NUMBER}\])?"
NAME = "|".join(re.escape(name) for name in (*JUDGES, *MODELS, *PERSONS, *METRICS))
COUNT = rf"{NUMBER} (?:more )?(?:{'|'.join(f'{unit}s?' for unit in UNITS)}|questions' scores)"
WORD = (
    rf"(?:{'|'.join(REASONS)}|{COUNT}|\b(?:{'|'.join(UNITS)})s?\b|{FIGURE}|(?:{NAME})\b|\b(?:more|less|first|second|longer|shorter|good|tentative|poor|all|of"
    r"|is|are|was|were|leads|alone|or|and|no leader is shown|every step|% of|scores?|yes|no|[A-Z](?=,|;| |$)|\d{4}-\d\d-\d\d"
    r"|not read|have|has|missing|them|other|hold|holds|a|this set has|interval|to|over|common)\b|\(simulated\)|[()%:,. ~])"
)
"""What may stand in the place of a field: figures, units, names, reasons, and words that join them."""
FIGURES = (
    rf"{FIGURE} scored alike again", rf"{NUMBER} passed only once", rf"{NUMBER} not read(?: twice)?\b",
    rf"{COUNT} judged twice",
    rf"{FIGURE} alike", rf"kappa {FIGURE}", rf"PABAK (?:{FIGURE}|-)", rf"(?:partial )?rank correlation {FIGURE}",
    rf"theirs {FIGURE}", rf"{NUMBER} scale points apart",
    rf"alpha {FIGURE}, (?:{FIGURE}|-) without it", rf"(?:{NAME}) beside the others",
    rf"the same choice in both orders: {FIGURE} of {NUMBER}", r"p (?:< )?[\d.]+", rf"{COUNT} to {COUNT}",
    rf"no interval: (?:{'|'.join(REASONS)})",
    rf"{COUNT} that a person rated", rf"beside {COUNT} of another family",
    rf"[+-][\d.]+(?: \[{NUMBER}, {NUMBER}\])? scale points", rf"over {COUNT}", rf"{NUMBER} without two scores",
    r"mean score (?:[\d.-]+(?:, )?)+ where (?:\d+(?:, )?)+ % is replaced",
    rf"{NUMBER} of {NUMBER} scores parsed", r"got a score above both of the clean twin's",
    rf"its clean twins' two scores differ in {NUMBER} of {NUMBER}",
    rf"(?:judge|person) (?:{FIGURE}|-) over {COUNT}(?: \({COUNT}\))?",
    r"judge and person", rf"rate {FIGURE} of {NUMBER}",
    r"certificate of [\d-]+ written(?: in place of that of [\d-]+)?", r"certificate of [\d-]+, no label changed since",
    r"certificates/[\w-]+\.json", r"\(simulated\)",
    rf"sensitivity {FIGURE} of {NUMBER} yes", rf"specificity {FIGURE} of {NUMBER} no",
    rf"by {COUNT} \((?:(?:{NAME}) \d+(?:, )?)+\)",
    rf"rate {FIGURE} of {COUNT}; corrected {FIGURE}", rf"made on answers of (?:(?:{NAME})(?:, )?)+", rf"{COUNT}, {COUNT}",
    r"not corrected", rf"weighted {FIGURE}", rf"\({COUNT}\)",
)  # fmt: skip
"""Accounts of what was counted: they claim nothing beyond it."""


@cache
def patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Every sentence of the tables with its fields, and the accounts; each with a text that it holds in any case."""
    fields, made = re.compile(r"\{\w+\}"), list[tuple[str, str]]()
    for text in TABLES.values():
        first, *parts = map(re.escape, fields.split(text))
        first = f"(?i:{first[0]}){first[1:]}" if first[:1].isalpha() else first
        held = max((part[n == 0 :] for n, part in enumerate(fields.split(text))), key=len)
        made.append((held, first + "".join(f"(?:{WORD}){{1,40}}{'?' * bool(part)}{part}" for part in parts)))
    others = (*FIGURES, rf"(?:{NAME})\b", r"and\b", r"by\b", r"alone\b", r"[\s;:,.()/]")
    return [(held, re.compile(one)) for held, one in (*made, *(("", one) for one in others))]


@cache
def residue(line: str) -> str:
    """What is left of a line once sentences, accounts and names are taken out of it, always the longest that fits."""
    left, at, tried = "", 0, [one for held, one in patterns() if held in line]
    while at < len(line):
        end = max((found.end() for one in tried if (found := one.match(line, at))), default=at)
        left, at = (left, end) if end > at else (left + line[at], at + 1)
    return left


def unnamed(lines: Iterable[str]) -> dict[str, str]:
    """Lines that hold something that no table has, with that."""
    return {line: left for line in lines if (left := residue(line))}


# ----------------------------------------------------------------------------------------------------------------- judges


def judged(folder: Path, seed: int, talks: int, judge: dict[str, Any]) -> DialogueReport:
    """Dialogues marked by chance: by judges of every sort, some of whose marks cannot be read."""
    chance = random.Random(seed)
    sort = {name: chance.choice(("noisy", "constant", "long", "lost", "clear")) for name in JUDGES}
    found = loaded(folder, conversations([2] * talks), {"duplicates": 0.5, **judge}, models=3)

    def answer(call: Call) -> Reply:
        if call.stage != "judge":
            return Reply(call, "ok", text=f"{call.example_text} {'And more.' * chance.randint(0, 9)}")
        how = sort[call.model]
        if (how == "lost" and chance.random() < 0.7) or chance.random() < 0.03:
            return Reply(call, "ok", text="I cannot say.")
        if '"score"' not in call.example_text:
            return good(call)
        mark = {"constant": 4, "noisy": chance.randint(1, 5), "long": 1 + min(len(str(call.messages)) // 40 % 5, 4)}.get(how)
        text = call.example_text if mark is None else json.dumps({"reason": "So.", "score": mark})
        return Reply(call, "ok", text=text)

    made = chat_report(found.evaluation.task)
    for row in driven(found, answer):
        made.add(row)
    made.check(list(ratings(made, chance)))
    return made


def ratings(made: DialogueReport, chance: random.Random) -> Iterator[HumanRating]:
    """What one, two or three persons say of answers, drawn by lot or not, all of them or few."""
    persons, share, lots = PERSONS[: chance.randint(0, 3)], chance.choice((0.1, 0.6, 1.0)), chance.random() < 0.7
    rows = [dict(zip(table.columns, row, strict=True)) for table in [made.tables()["judge_noise"]] for row in table.rows]
    metric = "fluency" if rows else "claims"
    for talk, turn, model in product(range(1, 41), (1, 2), MODELS):
        if chance.random() < share:
            for person in persons:
                mark = chance.choice((1, 3, 4, 5, 5, None)) if metric == "fluency" else chance.choice((0, 1))
                lot = {"chance": 0.5, "left": 2} if lots else {}
                yield HumanRating(f"{model}/c{talk}", 0, turn, model, metric, mark, person, "answer", **lot)  # type: ignore[arg-type]


def lines_of(made: DialogueReport) -> list[str]:
    """Everything that is said in words about judges and persons: notes of the headline, cells, verdicts."""
    notes = [line for table in made.headline() for line in table.note.split("\n")]
    about = rf"(?:(?:{'|'.join(METRICS)})(?:, )?)+: |By "
    tables = made.tables().values()
    cells = [
        str(row[table.columns.index("in_words")].value) for table in tables if "in_words" in table.columns for row in table.rows
    ]
    return [*(line for line in notes if re.match(about, line)), *cells, *(str(one["text"]) for one in made.verdicts())]


CONFIGS: Sequence[dict[str, Any]] = (
    {"metrics": ["fluency"], "claims": False},
    {"metrics": ["fluency"], "models": ["x", "y"], "claims": False},
    {"metrics": ["fluency", "groundedness"], "models": ["x", "y"], "attacks": True},
    {"metrics": ["fluency"], "models": ["x"], "pairs": True},
)


@pytest.mark.parametrize("judge", [CONFIGS[3], CONFIGS[0], *(pytest.param(one, marks=SOAK) for one in CONFIGS[1:3])])
def test_what_a_report_says_of_judges_is_in_the_tables(judge: dict[str, Any], tmp_path: Path) -> None:
    """Of four conversations and of twenty, by judges of every sort, rated by nobody to three persons."""
    seen = 0
    for seed, talks in enumerate((4, 4, 9, 20)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        lines = lines_of(judged(folder, seed, talks, judge))
        seen += len(lines)
        assert unnamed(lines) == {}
    assert seen > 20


# -------------------------------------------------------------------------------------------- certificates, items, the law


PANEL = (
    'kind = "panel"\nname = "n"\n[run]\nmax_calls = 400\n[panel]\nquestions_file = "q.txt"\ntruths_file = "t.txt"\n'
    '[[panel.doers]]\nmodel = "a"\n[panel.benchmark]\nmode = "llm"\nscorer = { model = "judge" }\n'
    '[[models]]\nname = "a"\nwire = "simulator"\nmodel = "sim-scholar"\n'
    '[[models]]\nname = "judge"\nwire = "simulator"\nmodel = "sim-sprinter"\n'
)


@pytest.mark.soak
def test_what_certifying_says_is_in_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From no rating to a certificate, and what a later run says of it."""
    (tmp_path / "q.txt").write_text("".join(f"What is number {n} of the ledger?\n" for n in range(60)))
    (tmp_path / "t.txt").write_text("".join(f"ledger number {n}\n" for n in range(60)))
    (tmp_path / "c.toml").write_text(PANEL)
    run, where = tmp_path / "run", ["--workspace", str(tmp_path)]
    assert main(["run", str(tmp_path / "c.toml"), *where, "--out", str(run), "-q"]) == 0
    chance, lines = random.Random(4), list[str]()
    for more in (0, 10, 50):
        rate(run, Metric("correct", threshold=1.0), lambda one, _: int(one.judge != (chance.random() < 0.1)), more, "kim")
        capsys.readouterr()
        main(["judge", "certify", str(run), *where])
        lines += [line.removeprefix("run: ") for line in capsys.readouterr().out.splitlines()]
    assert main(["run", str(tmp_path / "c.toml"), *where, "--out", str(tmp_path / "later"), "-q"]) == 0
    report = json.loads((tmp_path / "later" / "report.json").read_text())
    lines += [line for table in report["headline"] for line in table["note"].split("\n") if line.startswith("correct")]

    assert any("by the certificate of" in line for line in lines) and any(" written" in line for line in lines)
    assert unnamed(lines) == {}


@pytest.mark.parametrize("models", [3, 9])
def test_what_is_said_of_items_is_in_the_tables(models: int) -> None:
    """With options and without, with models that are left out."""
    chance = random.Random(models)
    for options in (None, dict.fromkeys(range(20), 0)):
        answers = [
            ModelAnswers("abcabcabc"[m % 9], f"id{m % 8}", {n: float(chance.random() < 0.7) for n in range(20 if m else 9)},
                         {n: chance.randrange(4) for n in range(20)})
            for m in range(models + 2)
        ]  # fmt: skip
        found = item_analysis(answers, options)
        assert found is not None
        doubts = [item.doubt.words(0) for item in found.items if item.doubt]
        assert unnamed([*found.sentences("question"), *doubts]) == {}


@pytest.mark.parametrize(
    "line",
    [
        "fluency: judge: noise 0.71 scale points (4 answers judged twice, 0 % scored alike again); it is a strict judge.",
        "fluency: judge is usable: orders 90 % of the steps right, over 4 texts; b is the better model.",
        "correct by judge: rate 84 % [73, 91] of 62; trust it.",
        "fluency: judge / x: 50 % alike, kappa 0.20, weighted 0.40, PABAK 0.10, significant (8 answers).",
        "4 of 20 questions separate no two models, since they are too easy.",
    ],
)  # fmt: skip
def test_a_line_that_claims_more_is_caught(line: str) -> None:
    """A clause that no table has is left over."""
    assert residue(line)
