"""A run being set up: its form, the same as TOML, and below them, always, what it would do and whether it can start."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial
from pathlib import Path

from textual.widget import Widget

from tui_eval.configuring import preparing
from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.fields import Field
from tui_eval.configuring.drafting.planner import DraftPlan, Planner, Problem
from tui_eval.configuring.drafting.schema import draft_schema
from tui_eval.configuring.drafting.starting import Offered, offered_models
from tui_eval.runs.steering import Started
from tui_eval.tui.background.latest_only import Latest
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.asking_first import ask_to_send
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.setup import counter
from tui_eval.tui.screens.setup.config_saving import ConfigSaving
from tui_eval.tui.screens.setup.filling import Filling, SetupFields
from tui_eval.tui.screens.setup.prompt_preview import PreviewScreen
from tui_eval.tui.screens.setup.toml_view import TomlView
from tui_eval.tui.widgets.checklist import optional_tables, stage_notes
from tui_eval.tui.widgets.chrome import shortened
from tui_eval.tui.widgets.form import Form
from tui_eval.tui.widgets.form_rows import Place
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.sections import Sections
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count, usd

TOML = "TOML"
PARTS = ("Evaluation", "Models", "Limits", "Prompts", TOML)
COMMAND = "started in the app"


class SetupScreen(Page):
    """The form of one run. Every key press changes the draft, and the draft is counted anew beside the screen."""

    MODE = "run"
    CSS = """
    SetupScreen TomlView { display: none; }
    SetupScreen.-toml TomlView { display: block; }
    SetupScreen.-toml Form { display: none; }
    SetupScreen .counter { background: $panel; }
    """
    BINDINGS = [
        bind("setup.start", "start", "Start", tooltip="Start the run, as soon as nothing is missing"),
        bind("pane.next", "part(1)", "Next part"),
        bind("pane.previous", "part(-1)", "Previous part", show=False),
        bind("setup.preview", "preview", "Prompts", tooltip="Read the prompts as they will be sent, for any item"),
        bind("setup.mistake", "mistake", "Mistake", tooltip="Go to the first thing that keeps the run from starting"),
        bind("setup.save", "save", "Save", tooltip="Save as a TOML config that runs headless"),
        bind("back", "back", "Back", tooltip="Back; the form is kept, and s comes back to it"),
        bind("app.leave", "back", "Back", show=False),
    ]

    def __init__(self, draft: Draft, at_needed: bool = False) -> None:
        super().__init__()
        self.draft = draft
        self._at_needed = at_needed
        """Whether it opens on the first field that has to be filled in, not on the first of all."""
        self._planner: Planner | None = None
        self._latest = Latest(self._looked_at, self._take_look, self._could_not_count)
        self._look: DraftPlan | None = None
        self._told_of_comments = False
        self._starting = False
        self._start_of: int | None = None
        """The version of the draft that is to be started as soon as it is counted."""

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the setup, its parts, the form or the text, and the counter."""
        yield Lines(id="about")
        yield Sections(list(PARTS))
        yield SetupFields()
        yield TomlView()
        for name in ("totals", "sizes", "stages", "verdict"):
            yield Lines(id=name, classes="counter")

    def on_mount(self) -> None:
        """Count it for the first time."""
        self._planner = Planner(self.eval_app.workspace)
        self._show_part()
        if self._at_needed:
            self._go_to_needed()
        self._count()

    def _go_to_needed(self) -> None:
        """Put the cursor on the first field of the evaluation that has to be filled in, and is not."""
        own = {field.key: field for field in self._fields.field(self.draft.kind).fields if field.required}
        places = [place for place in self._places() if place[0] == self.draft.kind and place[-1] in own]
        if needed := next((place for place in places if not self.draft.get(place)), None):
            self.query_one(Form).go_to(needed)
            self.query_one(
                "Form RowTable", RowTable
            ).top = 0  # of what stands above as much as there is room for, once that is known

    def on_screen_resume(self) -> None:
        """Keys, prompts and files may be others than before: look again."""
        self._look = None
        self._count()

    def on_unmount(self) -> None:
        """Count no more."""
        self._latest.close()

    # the form and the text

    @property
    def part(self) -> str:
        """The part on show."""
        return self.query_one(Sections).chosen

    def action_part(self, by: int) -> None:
        """The next part; a text that is no TOML is mended or thrown away first."""
        self._without_wrong_text(lambda: self.query_one(Sections).turn(by))

    def _without_wrong_text(self, then: Callable[[], object]) -> None:
        wrong = self.query_one(TomlView).wrong
        if not wrong:
            then()
            return
        words = f"It is not a valid config: {safe_line(wrong, 200)}"
        confirm(self.app, "Discard your changes to the text?", words, partial(self._forget_text, then))

    def on_sections_switched(self, event: Sections.Switched) -> None:
        """Another part."""
        self._show_part()

    def on_form_changed(self, event: Form.Changed) -> None:
        """Something was filled in."""
        self._count()

    def on_form_value_request(self, event: Form.ValueRequest) -> None:
        """A value is wanted that is not typed in a line."""
        filling = Filling(self, event.form, self.draft.folder, self._offered, self._describe, self._picked, self.action_start)
        filling.ask(event.row, event.adds)

    def on_toml_view_took(self, event: TomlView.Took) -> None:
        """The text was edited: the form follows."""
        toml = self.query_one(TomlView)
        if toml.comments and not self._told_of_comments:
            self._told_of_comments = True
            self.eval_app.say("comments are not kept: the text is written anew from the form")
        self._count()

    def _forget_text(self, then: Callable[[], object]) -> None:
        self.query_one(TomlView).wrong = ""
        self._draw()
        then()

    def _show_part(self) -> None:
        self.set_class(self.part == TOML, "-toml")
        if self.part == TOML:
            toml = self.query_one(TomlView)
            toml.begin(self.draft)
            self.call_after_refresh(toml.focus)
            return
        form = self.query_one(Form)
        form.ticked.places = optional_tables(self._fields.field(self.draft.kind), (self.draft.kind,))
        form.fill(self._fields, self.draft, self._places())
        self._mark()
        self.set_focus(form.query_one(RowTable))  # now, not a little later: the next key may be there already

    @property
    def _fields(self) -> Field:
        return draft_schema(self.draft.content, self.draft.kind)

    def _places(self) -> list[Place]:
        kind = self.draft.kind
        if self.part == "Evaluation":
            own = sorted((field for field in self._fields.field(kind).fields if field.key != "prompts"), key=_order)
            scoring = [(key,) for key in ("scorers", "scoring") if any(field.key == key for field in self._fields.fields)]
            return [("name",), *((kind, field.key) for field in own), *scoring]
        if self.part == "Limits":
            return [*(("run", field.key) for field in self._fields.field("run").fields), ("gate",)]
        return [("models",) if self.part == "Models" else (kind, "prompts")]

    def _offered(self) -> list[Offered]:
        return offered_models(self.eval_app.workspace, self.draft.content)

    def _describe(self, offered: Offered) -> None:
        """Put a simulated model that was chosen among the models of the config."""
        if offered.entry is not None:
            self.draft.add(("models",), dict(offered.entry))

    def _picked(self, place: Place) -> None:
        """A file was chosen: what its columns tell is filled in, where nothing stands yet."""
        if place[:1] == (self.draft.kind,):
            draft = copy(self.draft)
            beside(self, partial(self._fill_by, draft), partial(self._filled, draft, draft.version))

    def _fill_by(self, draft: Draft) -> str:
        """In the background: the file is read."""
        from tui_eval.configuring.drafting.new_configs import fill_by_columns  # brings every kind of evaluation along

        return fill_by_columns(self.eval_app.workspace, draft)

    def _filled(self, draft: Draft, version: int, words: str) -> None:
        if words and self.draft.version == version:
            self.draft.hold(draft.content)
            self.eval_app.say(f"chosen by the columns: {words}")
            self._show_part()
            self._count()

    # counting

    def _count(self) -> None:
        if self._start_of not in (None, self.draft.version):
            self._start_of = None
            self.say_here("changed since F5: it is not started")
        self._latest.ask(copy(self.draft))  # its content is never changed, only replaced
        self._draw()

    def _looked_at(self, draft: Draft) -> DraftPlan:
        """In the background. What the first look read stays as long as the form: no look for garbage need go through it,
        which takes 80 ms for 10,000 questions, with every key waiting."""
        assert self._planner is not None
        look = self._planner.look(draft)
        if self._look is None:
            gc.freeze()
        return look

    def _take_look(self, look: DraftPlan) -> None:
        if not self.is_attached:
            return
        self._look = look
        self._mark()
        self._draw()
        if self._start_of == self.draft.version and self.settled and self.is_current:
            self.action_start()

    def _could_not_count(self, error: BaseException) -> None:
        words = "the calls of this config cannot be counted; .conf/app.log has the reason"
        self._take_look(DraftPlan(self.draft.version, None, None, None, (Problem((), words),), (), False, None))
        with self.eval_app.guarded():
            raise error

    @property
    def settled(self) -> bool:
        """Return whether the counter says what the form holds now."""
        look, pending = self._look, self.query_one(TomlView).pending
        return look is not None and look.version == self.draft.version and not self._wrong and not pending

    @property
    def _wrong(self) -> str:
        """Problem of what is being typed, in the text or in a line of the form."""
        return self.query_one(TomlView).wrong or self.query_one(Form).wrong

    def _mark(self) -> None:
        if self._look is not None:
            form, plan = self.query_one(Form), self._look.plan
            notes = {} if plan is None else stage_notes(plan["stages"], form.ticked.places)
            sizes = {place: counter.files_words(files) for place, files in self._look.files.items()}
            problems: dict[Place, str] = {}
            for problem in self._look.problems:
                problems.setdefault(problem.place, problem.words)
            form.mark(problems, {**sizes, **notes})

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        draft, look = self.draft, self._look
        where = f"  from {safe_line(shortened(draft.path), 200)}" if draft.path else ""
        name = draft.get(("name",)) or "no name yet"
        self.query_one("#about", Lines).say(
            ("New run: ", "dim"), (safe_line(name, 40), "strong"), f"  {safe_line(draft.kind)}", (where, "dim")
        )
        if look is not None:
            self.query_one("#totals", Lines).say(*counter.totals(look, self.settled or bool(self._wrong)))
            self.query_one("#sizes", Lines).say(*counter.sizes(look, self.size.width - 2))
            self.query_one("#stages", Lines).say(*counter.by_stage(look))
        wrong = self._wrong
        mistake: list[Piece] = [(f"✗ {safe_line(wrong, 300)}", "bad")] if wrong else []
        self.query_one("#verdict", Lines).say(*(mistake or counter.verdict(look, self.settled, self._starts_once_counted)))

    def offers(self, action: str) -> bool | str:
        """Return whether a key makes sense now, or its label."""
        if action == "open":
            row = self.query_one(Form).row
            fold = "Fold" if row is not None and row.open else "Unfold"
            return {"value": "Change", "tables": "Add"}.get(row.sort if row is not None else "", fold)
        if action == "next":
            row = self.query_one(Form).row
            return "On / off" if row is not None and row.sort == "table" else True
        if action == "start":
            return self.settled and self._look is not None and self._look.ready
        if action == "mistake":
            return self._look is not None and bool(self._look.problems)
        return action != "preview" or (self._look is not None and self._look.plan is not None)

    # what is done with it

    def action_mistake(self) -> None:
        """Go to the first mistake that has a place."""
        look = self._look
        problem = next((problem for problem in look.problems if problem.place), None) if look is not None else None
        if problem is None:
            self.eval_app.say(look.problems[0].words if look is not None and look.problems else "nothing is wrong", bad=True)
        elif not self.go_to(self._row_of(problem)):
            self.query_one(Sections).offer(PARTS, TOML)  # a key that the form does not have
            self._show_part()
            self.eval_app.say(problem.words, bad=True)

    def _row_of(self, problem: Problem) -> Place:
        """The place of a problem; where it is one of the kind's whole table, the first field that its words name."""
        if problem.place != (self.draft.kind,):
            return problem.place
        own = {field.key for field in self._fields.field(self.draft.kind).fields}
        return next(((self.draft.kind, word) for word in re.findall(r"\w+", problem.words) if word in own), problem.place)

    def go_to(self, place: Place) -> bool:
        """Go to the part and the row of a field; whether there is such a row."""
        own = "Prompts" if place[1:2] == ("prompts",) else "Evaluation"
        parts = {"run": "Limits", "gate": "Limits", "models": "Models"}
        self.query_one(Sections).offer(PARTS, parts.get(str(place[0]), own))
        self._show_part()
        return self.query_one(Form).go_to(place)

    def action_preview(self) -> None:
        """The prompts, before any money is spent."""
        if self._planner is None or self._look is None or self._look.plan is None or not self.settled:
            self.eval_app.say("the prompts can be read as soon as no mistake is left (F3 goes to the first)", bad=True)
            return
        self.app.push_screen(PreviewScreen(self._planner, self._look))

    def action_save(self) -> None:
        """Save it as a config."""
        ConfigSaving(self, self.draft, self._saved).ask()

    def _saved(self, path: Path, notes: Sequence[str]) -> None:
        ready = self.settled and self._look is not None and self._look.ready
        next_step = f"tui-eval run {path.name} runs it without the app" if ready else "it cannot be started yet"
        self.eval_app.say("\n".join([f"saved: {path}", *notes, next_step]))
        if self.part == TOML:
            self.query_one(TomlView).begin(self.draft)
        self._count()

    def action_start(self) -> None:
        """Start it; a run that costs money asks first."""
        look, self._start_of = self._look, None
        if self._starting or look is None or not self.settled or not look.ready:
            self._say_why_not()
            return
        assert look.plan is not None
        assert look.loaded is not None
        if all(model.wire == "simulator" for model in look.loaded.asked_models.values()):
            self._start(look)
            return
        cost = "cost unknown" if look.plan["cost_usd"] is None else f"about {usd(look.plan['cost_usd'])}"
        summary = f"{count(look.plan['total_calls'])} calls to real models, {cost}; at most {count(look.max_calls)} calls."
        ask_to_send(self, "Start the run?", summary, look.loaded, partial(self._start, look), self._not_started)

    def _say_why_not(self) -> None:
        if self._starting:
            self.eval_app.say("it is being started")
            return
        if not self.settled and not self._wrong:
            self._start_of = self.draft.version
            self.eval_app.say(f"{counter.STARTS_ONCE_COUNTED}, or says why it cannot")
            self._draw()
            return
        why = self._wrong or (counter.first_reason(self._look) if self._look is not None else "")
        self.eval_app.say(f"cannot start: {why}", bad=True)

    def _start(self, look: DraftPlan) -> None:
        """In the background inputs are read and copied."""
        assert look.loaded is not None
        self._starting = True
        self.eval_app.say("starting …")
        work = partial(preparing.start, look.loaded, self.eval_app.workspace, [COMMAND])
        beside(self, work, self._begun, otherwise=self._not_started, outlives=True)

    def _not_started(self, words: str) -> None:
        self._starting = False
        self.eval_app.say(words, bad=True)

    def _begun(self, run: tuple[Path, Started]) -> None:
        self._starting = False
        self.eval_app.kept.started(self.draft)
        self.app.call_later(self.eval_app.begun, *run)  # not by a worker of this screen, which goes with it

    @property
    def _starts_once_counted(self) -> bool:
        """Return whether it was to be started while it was being counted, and still is; a change since takes that back."""
        return self._start_of == self.draft.version and not self.settled

    def action_back(self) -> None:
        """Back to where one came from; the form is kept. A start that waits for the count is taken back first."""
        if self._starts_once_counted:
            self._start_of = None
            self.say_here("taken back: it is not started")
            return self._draw()
        self._without_wrong_text(lambda: self.app.call_later(self.eval_app.leave_setup))


def _order(field: Field) -> int:
    """Return the rank of a field: what is asked about comes first, then whom, then how."""
    return 1 if field.sort in ("table", "tables") or field.names == "model" else 0 if field.sort in ("text", "texts") else 2
