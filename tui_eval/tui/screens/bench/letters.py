"""Letters of the scorer bench: another rule for reading them, what it changes, and how accuracy moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from textual.widget import Widget

from tui_eval.core.kinds import ReadingRules
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.bench.answer import AnswerScreen
from tui_eval.tui.screens.bench.rule import NOTE, Rules, patterns_of, text_problem
from tui_eval.tui.screens.bench.rule_rows import ANSWERS, MODELS, sums
from tui_eval.tui.screens.bench.rule_trial import Bench
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.screens.dialogs.saving import simulated
from tui_eval.tui.widgets.cells import Cell, Column, Rows, row_cells
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.sections import InSections, Sections
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count


class RuleRow(NamedTuple):
    """Row of the rules: what one is called and does, whether it is being tried, and whether it is the run's own."""

    title: str
    words: str
    on_trial: bool
    of_run: bool


RULE_COLUMNS: Sequence[Column[RuleRow]] = (
    Column("", 4, lambda row: ("(•)", "accent") if row.on_trial else "( )"),
    Column("rule", 19, lambda row: (row.title, "strong")),
    Column("", 11, lambda row: ("of the run" if row.of_run else "", "dim")),
    Column("what it does", 30, lambda row: row.words, share=1),
)
MOST_MODELS = 6
"""Models that are in sight at once; the keys reach the others."""
FREE = "Stored replies are read anew. Nothing is asked or sent; only w writes."
CHANGED, UNREAD = "Changed", "Unread"


class LettersScreen(Above, InSections):
    """Rules to choose from, accuracies before and after, and the answers that are read otherwise; on top of a run's results."""

    MODE = "results"
    CSS = """
    LettersScreen #rules { height: 3; }
    LettersScreen #models { height: 2; }
    """
    BINDINGS = [
        bind("bench.choose", "choose", "Choose", show=False, tooltip="Try the rule under the cursor"),
        bind("bench.edit", "edit", "Patterns", tooltip="Write your own patterns, one regular expression per line"),
        bind("bench.list", "part(1)", "Other list", tooltip="List what is read otherwise, or what neither rule reads"),
        bind("bench.keep", "keep", "Keep", tooltip="Keep it as a re-score beside the run, whose path is shown"),
        bind("pane.next", "app.focus_next", "Next part", tooltip="Between the rules and the answers"),
        bind("pane.previous", "app.focus_previous", "Part before", show=False),
        bind("bench.letters", "leave", "Scorers", show=False, tooltip="Back to the scorers"),
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind(
            "bench.fallback",
            "fallback",
            "Fallback",
            show=False,
            tooltip="What reads a reply in which your patterns find nothing",
        ),
        bind("bench.copy", "copy", "Copy", show=False, tooltip="Copy the rule as lines for a config"),
    ]

    def __init__(self, path: Path, kind: str, rules: ReadingRules) -> None:
        """`path`: the run folder; `rules`: those of its kind."""
        super().__init__()
        self.rules = Rules(kind, rules)
        self.bench = Bench(self, path, self.rules, self._show)

    def parts(self) -> Iterable[Widget]:
        """The rules, what the chosen one comes to, the models, the answers."""
        yield Lines(id="about")
        yield Lines(id="free")
        yield RowTable(RULE_COLUMNS, id="rules", header=False)
        yield Lines(id="state")
        yield RowTable(MODELS, id="models", can_open=False)
        yield Sections([CHANGED, UNREAD], id="lists")
        yield RowTable(ANSWERS, id="answers")

    def on_mount(self) -> None:
        """Begin with the run's own rule."""
        bench = self.bench
        self.query_one("#free", Lines).say((FREE, "dim"))
        self.query_one("#rules", RowTable).show(Rows(lambda: len(self.rules.names), self._rule_cells))
        models = Rows(
            lambda: len(bench.tried.models) if bench.tried else 0,
            lambda row: row_cells(MODELS, bench.tried.models[row]) if bench.tried else [],
        )
        self.query_one("#models", RowTable).show(models)
        self.query_one("#answers", RowTable).show(
            Rows(lambda: len(self.listed), lambda row: row_cells(ANSWERS, self.listed[row]))
        )
        self.query_one("#models", RowTable).can_focus = False
        self.query_one("#rules", RowTable).focus()
        bench.begin()

    def on_unmount(self) -> None:
        """A trial that nobody sees is ended."""
        self.bench.end()

    def offers(self, action: str) -> bool | str:
        """Enter chooses a rule or opens an answer; the list that is not on show is named."""
        if action == "open":
            return "Choose" if self.focused is self.query_one("#rules", RowTable) else bool(self.listed)
        if action == "part(1)":
            return UNREAD if self._changed_shown else CHANGED
        return True

    @property
    def listed(self) -> Sequence[Mapping[str, Any]]:
        """The answers on show."""
        tried = self.bench.tried
        return () if tried is None else tried.changes if self._changed_shown else tried.unread

    @property
    def _changed_shown(self) -> bool:
        return self.query_one(Sections).chosen.startswith(CHANGED)

    def look(self) -> None:
        """Show the state of the trial."""
        made_up: Piece = ("  simulated" if simulated(self) else "", "warn")
        name: Piece = (safe_line(self.bench.path.name, 60), "dim")
        self.query_one("#about", Lines).say(("Scorer bench, letters  ", "strong"), name, made_up)
        self.query_one("#state", Lines).say(*self._state())

    # what is done

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Try a rule, or read an answer in full."""
        if event.table.id == "rules":
            self.action_choose()
        else:
            self.app.push_screen(AnswerScreen(self.bench.path, self.listed, event.row, self.bench.tried_rule))

    def action_choose(self) -> None:
        """Try the rule under the cursor; own patterns have to be written first."""
        name = self.rules.names[self.query_one("#rules", RowTable).cursor]
        if name == self.rules.declared.own and not self.bench.rule.patterns:
            self.action_edit()
        else:
            self.bench.attempt(replace(self.bench.rule, name=name))

    def action_edit(self) -> None:
        """Write the patterns."""
        text = "\n".join(self.bench.rule.patterns)
        EditText("Your patterns for reading letters", text, text_problem, NOTE).ask(self.app, self._edited)

    def _edited(self, text: str) -> None:
        patterns = patterns_of(text)
        name = self.rules.declared.own if patterns else self.rules.usual().name
        self.bench.attempt(replace(self.bench.rule, name=name, patterns=patterns))

    def action_fallback(self) -> None:
        """The next rule for what the patterns do not read."""
        rule, fallbacks = self.bench.rule, self.rules.fallbacks
        if not rule.patterns:
            self.eval_app.say("that is for own patterns: e writes them")
            return
        following = fallbacks[(fallbacks.index(rule.fallback) + 1) % len(fallbacks)]
        self.bench.attempt(replace(rule, name=self.rules.declared.own, fallback=following))

    def action_keep(self) -> None:
        """Keep it beside the run."""
        self.bench.keep()

    def action_copy(self) -> None:
        """The rule as lines for a config."""
        self.eval_app.copy_text(self.rules.toml(self.bench.rule))

    def on_sections_switched(self, event: Sections.Switched) -> None:
        """The other list."""
        self._list_anew()

    # what is shown

    def _show(self) -> None:
        """Another rule, or what came of it."""
        tried, models, sections = self.bench.tried, self.query_one("#models", RowTable), self.query_one(Sections)
        rules = self.query_one("#rules", RowTable)
        if self.bench.busy:  # it has just begun; what ends leaves the cursor where it was moved meanwhile
            rules.cursor = self.rules.names.index(self.bench.rule.name)
        rules.redraw()
        if tried is not None:
            models.styles.height = 1 + max(min(len(tried.models), MOST_MODELS), 1)
            models.can_focus = len(tried.models) > MOST_MODELS
        sizes = (f" {count(len(tried.changes))}", f" {count(len(tried.unread))}") if tried else ("", "")
        names = [CHANGED + sizes[0], UNREAD + sizes[1]]
        sections.offer(names, names[0 if self._changed_shown else 1])
        models.show(models.rows)
        models.redraw()
        self._list_anew()
        self.tick()

    def _list_anew(self) -> None:
        answers = self.query_one("#answers", RowTable)
        answers.empty = self._nothing()
        answers.show(answers.rows, 0)
        answers.redraw()

    def _nothing(self) -> str:
        if self.bench.tried is None:
            return "\n".join(f" {line}" for line in wrap(self.bench.trouble, max(self.size.width - 4, 20)))
        if not self._changed_shown:
            return " Every reply is read by one rule or the other."
        if self.bench.is_own(self.bench.tried_rule):
            return " This is the run's own rule. Choose another above, or write your own with e."
        return " No answer is read otherwise."

    def _state(self) -> list[Piece]:
        bench = self.bench
        if bench.busy:
            return [("reading the stored replies …", "accent")]
        if bench.trouble or bench.tried is None:
            return [("✗ this could not be tried; why not stands below", "bad") if bench.trouble else "reading the run's rule …"]
        return sums(bench.tried, bench.is_own(bench.tried_rule), self.size.width)

    def _rule_cells(self, row: int) -> Sequence[Cell]:
        rule = replace(self.bench.rule, name=self.rules.names[row])
        on_trial, of_run = rule.name == self.bench.rule.name, self.bench.is_own(rule)
        return row_cells(RULE_COLUMNS, RuleRow(*self.rules.words(rule), on_trial, of_run))
