"""Questions.md files whose answers carry a canary: styles of questions, known forms of answers, and forms that are none."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CANARY = "Zyxwquartz"
"""A word that stands in no question and in no document."""

QUESTIONS = (
    "Who keeps the log?", "How deep is the well?", "In which year was the gate built?",
    "What colour is the hut?", "Is it open on Sundays?", "Where do the readings go (by post)?",
    "What did she say - and to whom?", "Which of \"north\" and 'south' is meant?", "Qui tient le journal ?",
    "どこですか？", "What is 3 + 4?", "Who? And when?",
)  # fmt: skip
"""Questions that end in their mark, as all do that may go without an answer."""
KNOWN = (
    "\nAnswer: {}", "\n\nAnswer: {}", "\n   Answer: {}", "\n- Answer: {}", "\n**Answer:** {}",
    "\n**Answer**: {}", "\nanswer : {}", "\nANSWER: {}", "\nA: {}", "\nAns: {}", "\nExpected answer: {}",
    "\n- **Correct answer:** {}", "\nSolution: {}", "\nCorrect: {}", "\nAntwort: {}", "\nRéponse : {}",
    "\nRespuesta: {}", "\n答え：{}", "\n-> {}", "\n→ {}", " Answer: {}", " (Answer: {})", " -> {}", " => **{}**",
    " Solution: {}", " Correct: {}",
)  # fmt: skip
"""What may follow a question and is read as its answer."""

UNKNOWN = (
    " ({0})", "\n{0}", "\n*{0}*", "\n**{0}**", "\n> {0}", "\n[{0}]", "\n; {0}", "\n/ {0}", "\nR: {0}",
    "\nAns. {0}", "\nAnswer {0}", "\t{0}", " {0}", " - {0}", " = {0}", "\n\n{0}", "\n\n   {0}", "{0}", "({0})",
    " [{0}]", " {{{0}}}", " *{0}*", " **{0}**", " _{0}_", " `{0}`", "\n`{0}`", " \"{0}\"", "\n\"{0}\"",
    "\n“{0}”", "\n«{0}»", " | {0}", "\n| {0} |", " || {0} ||", "\n||{0}||", " >! {0}", "\n>! {0}", "\n>!{0}!<",
    "\n<!-- {0} -->", " <!-- {0} -->", "\n<b>{0}</b>", " <i>{0}</i>",
    "\n<details><summary>Answer</summary>{0}</details>",
    "\n<details>\n<summary>Show</summary>\n\n{0}\n\n</details>", "[^1]\n[^1]: {0}", "\n[^note]: {0}", "\n: {0}",
    "\n:   {0}", "\n- [x] {0}", "\n- [ ] no\n- [x] {0}", "\n* {0}", "\n+ {0}", "\n• {0}", "\n– {0}", "\n— {0}",
    "\n- {0}", " — {0}", " : {0}", ": {0}", "; {0}", ", {0}", " / {0}", " // {0}", "\n// {0}", "\n% {0}",
    "\n$ {0}", "\n\\boxed{{{0}}}", " \\({0}\\)", "\n$${0}$$", "\n```\n{0}\n```", "\n~~~\n{0}\n~~~", "\n~~{0}~~",
    " ==> {0}", "\n==> {0}", "\n>> {0}", "\n<- {0}", "\n= {0}", "\n== {0}", "\n≈ {0}", "\nI: {0}", "\nRep: {0}",
    "\nRes. {0}", "\nR. {0}", "\nR) {0}", "\nA) {0}", "\nA. {0}", "\na. {0}", "\n(a) {0}", "\nA {0}",
    "\nA - {0}", "\nAnswer - {0}", "\nAnswer = {0}", "\nAnswer is {0}", "\nAnswer; {0}", "\nAnswer\n{0}",
    "\nAnswer:\n{0}", "\n**Answer**\n{0}", "\nThe answer is {0}.", "\nIt is {0}.", " It is {0}.",
    "\nAnwser: {0}", "\nAnsw: {0}", "\nResult: {0}", "\nKey: {0}", "\nExpected: {0}", "\nGold: {0}",
    "\nLabel: {0}", "\nOutput: {0}", "\nReply: {0}", "\nHint: {0}", "\nNote: {0}", "\nSee: {0}", "\nValue: {0}",
    "\nVastaus - {0}", "\nAntw. {0}", "\nRép. {0}", "\nRépons {0}", "\nОтв. {0}", "\n（{0}）", "（{0}）", "【{0}】",
    "\n「{0}」", "\u3000{0}", "\n\u3000{0}", "\n答 {0}", "\n：{0}", "\n＝{0}", " ➤ {0}", "\n➤ {0}", "\n▶ {0}",
    "\n✓ {0}", "\n✔ {0}", "\n✅ {0}", "\n☑ {0}", "\n... {0}", " … {0}", " ... {0}", "\n1. {0}", "\n   1. {0}",
    "\n1) {0}", "\n{0}?!.", "\n\n\n{0}\n\n", "\n{{\"answer\": \"{0}\"}}", "\nanswer=\"{0}\"", "\n@{0}",
    "\n({0})", "\n\\# {0}", "\n---\n{0}", "\n***\n{0}", "\nYes, {0}.", "\nX\nAnswer {0}", "\n> **Answer** {0}",
    "\n> Answer: {0}", "\n  - answer {0}", "\n{0} (doc1)", "\n(doc1) {0}", "\ndoc1: {0}", "\n| Answer | {0} |",
)  # fmt: skip
"""What else people may write below or behind a question."""

SECTIONS = (
    "\n## Answers\n{lines}", "\nAnswers:\n{lines}", "\n**Answers**\n{lines}", "\n# Answer key\n\n{lines}", "\n---\n{lines}",
    "\n# Lösungen\n{lines}", "\n### Key\n{lines}", "\n{lines}", "\n<!--\n{lines}\n-->", "\n# Corrigé\n{lines}",
)  # fmt: skip
"""Answers to all questions, at the end of the file."""

STYLES = ("numbered", "bracketed", "worded", "bulleted", "bold", "headed", "headed number", "table")
KINDS_OF_TEXT = ("plain", "CRLF", "CR", "BOM", "NBSP", "blank lines")


@dataclass(frozen=True, slots=True)
class Written:
    """A file of questions, and which answers it holds."""

    text: str
    forms: tuple[str, ...]
    """What follows each question; empty where it has no answer."""


def begun(style: str, number: int, question: str) -> str:
    """A question as a style begins it."""
    return {
        "numbered": f"{number}. {question}",
        "bracketed": f"{number}) {question}",
        "worded": f"Q: {question}",
        "bulleted": f"- Q{number}: {question}",
        "bold": f"**Q{number}:** {question}",
        "headed": f"## {question}",
        "headed number": f"## {number}. {question}",
    }[style]


def written(style: str, questions: Sequence[str], forms: Sequence[str], section: str = "") -> str:
    """A file of questions, each with its answer in a form, and the answers once more in a section at the end."""
    if style == "table":
        rows = [_row(question, form) for question, form in zip(questions, forms, strict=True)]
        text = "\n".join(["| Question | Answer |", "|---|---|", *rows])
    else:
        each = zip(questions, forms, strict=True)
        text = "\n".join(
            f"{begun(style, n, question)}{form.format(CANARY)}" for n, (question, form) in enumerate(each, start=1)
        )
    lines = "\n".join(f"{n}. {CANARY}" for n in range(1, len(questions) + 1))
    return f"{text}\n{section.format(lines=lines)}"


def _row(question: str, form: str) -> str:
    if form in KNOWN:
        return f"| {question} | {CANARY} |"
    if "(none)" in form:
        return f"| {question} | (none) |"
    return f"| {question}{form.format(CANARY)} |  |".replace("\n", "<br>")


def as_saved(text: str, sort: str) -> str:
    """The text as an editor may save it."""
    match sort:
        case "CRLF":
            return text.replace("\n", "\r\n")
        case "CR":
            return text.replace("\n", "\r")
        case "BOM":
            return f"\ufeff{text}"
        case "NBSP":
            return text.replace("? ", "?\u00a0")
        case "blank lines":
            return text.replace("\n", "\n\n")
        case _:
            return text


def canary_files(count: int, unknown: Sequence[str], seed: int = 5) -> Iterator[Written]:
    """Files of two to four questions, one at least with an answer in a known form and one in another form or at the end."""
    chance = random.Random(seed)
    for index in range(count):
        style = chance.choice(STYLES)
        questions = chance.sample(QUESTIONS, chance.randint(2, 4))
        others = [chance.choice(chance.choice((unknown, KNOWN, ("",)))) for _ in questions[2:]]
        section = chance.choice(SECTIONS) if chance.random() < 0.1 else ""
        forms = [chance.choice(KNOWN), "" if section else unknown[index % len(unknown)], *others]
        chance.shuffle(forms)
        sorts = KINDS_OF_TEXT[:-1] if style == "table" else KINDS_OF_TEXT
        text = as_saved(written(style, questions, forms, section), chance.choice(sorts))
        yield Written(text, tuple(forms))
