"""One question on which two sides differ, as an inspector shows it: what was asked, what is right, and both answers."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.kinds import Metric
from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import ComparedPair
from tui_eval.results.comparison.flips import SideReply, flip_of
from tui_eval.results.comparison.notes import simulated
from tui_eval.results.comparison.sides import Standing
from tui_eval.results.sums.metrics import is_binary
from tui_eval.tui.sanitize import LONGEST_TEXT, safe_line
from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.inspector import Dossier, Section, reply_section, section
from tui_eval.tui.widgets.lines import Piece

CHANGED = "The run's results were written anew since they were compared: go back and compare again."


def flip_dossier(pair: ComparedPair, places: tuple[int, int], whole: bool, where: str) -> Dossier:
    """Say what both sides answered to a question, by its places in either run; `where`: its place in the list, in words."""
    flip = flip_of(pair.a.side, pair.b.side, places, None if whole else LONGEST_TEXT)
    better, by = pair.a if flip.a_better else pair.b, said.gap(flip)
    made_up = safe_line(simulated((pair.a, pair.b)), 300)
    title = f"{safe_line(better.label)} does better" + (f" by {by}" if by else "")
    asked = [*section("ASKED", flip.question or None, whole)]
    asked += section("TRUTH", flip.truth or None, whole) if flip.truth or pair.share else []
    side_a = side_sections("A", pair.a, flip.score_a, flip.answers_a, whole)
    side_b = side_sections("B", pair.b, flip.score_b, flip.answers_b, whole)
    heading: tuple[Piece, ...] = ((title, "strong"), (f"  {where}", "dim"), (f"  {made_up}" if made_up else "", "warn"))
    return Dossier(heading, (*asked, *side_a), tuple(side_b), f"flip-{where.split()[0]}")


def score_cell(value: float, metric: Metric) -> tuple[str, Tone]:
    """A score as a sign and a word where it is right or wrong, else the mark."""
    if is_binary(metric) and value in (0, 1):
        return ("✓ right", "good") if value else ("✗ wrong", "bad")
    return f"{value:.3g}", ""


def side_sections(
    letter: str, standing: Standing, score: float, answers: Sequence[SideReply], whole: bool
) -> list[Section]:  # fmt: skip
    """Return a side's answers to a question."""
    sign, tone = score_cell(score, standing.metric)
    sign += "" if is_binary(standing.metric) else f": {safe_line(said.metric_words(standing.metric), 80)}"
    run = safe_line(standing.side.run.run_id, 80)
    sections = [Section(letter, f"{safe_line(standing.label, 80)} · {run}", "accent"), Section("SCORE", sign, tone)]
    if not answers:
        sections.append(Section("WHY", CHANGED, "warn"))
    for answer in answers:
        sections += _answer_sections(answer, whole)
    return sections


def _answer_sections(answer: SideReply, whole: bool) -> list[Section]:
    facts = [safe_line(answer.item_id, 80)]
    facts += [f"repeat {answer.repeat + 1}"] if answer.repeat else []
    facts += [f"call {answer.call_index + 1}"] if answer.call_index else []
    facts += ["no score" if answer.value is None else f"score {answer.value:g}"]
    facts += [f"read: {safe_line(answer.read, 60)}"] if answer.read else []
    facts += [safe_line(answer.why, 300)] if answer.why else []
    read, _, pattern = safe_line(answer.read, 200).partition(" by ") if answer.read else ("", "", "")
    text = (
        reply_section("", answer.text, whole, read, pattern)
        if answer.text
        else [Section("", f"no text: {safe_line(answer.why or answer.status)}", "warn")]
    )
    judged = [each for who, words in answer.judged for each in section(safe_line(who.upper(), 8), words, whole, "dim")]
    reply = Section("REPLY", " · ".join(facts), "dim")
    return [reply, *text, *judged]
