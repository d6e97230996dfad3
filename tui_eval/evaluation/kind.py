"""The interface of a kind of evaluation: its config, what it asks about, what it asks, and what it makes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Flow, Leaderboard, Metric, ReadingRules, Reporter, Role, RunDefaults, Stage, Totals
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.evaluation.config_references import FILES, speaking
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.sample_queues import Samples


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evaluation. All of it is pure: it asks nobody, reads nothing and knows no time."""

    name: str
    about: str
    """What it does, on a line: for lists, help and the app."""
    Config: type[Any]
    """Its table of a config. The fields say what they name (naming.names): models and their stages, files, folders."""
    defaults: RunDefaults
    stages: tuple[Stage, ...]
    """In the order they are asked and reported."""
    metrics: tuple[Metric, ...]
    """What its scores measure; the first is the one that a reader asks for. Empty where nothing is scored."""
    prompts: Mapping[str, tuple[str, ...]]
    """The prompts it needs and the slots each must have; files of these names in prompts/<kind>/."""
    resolve: Callable[[Any, Inputs], Task]
    """From the table to the task. ConfigError, naming the key, for whatever a person has to mend."""
    samples: Callable[[Any], Samples]
    """What is asked about, queue by queue."""
    flow: Callable[[Any, Sample], Flow]
    """What is asked about one sample, and what the answers are worth."""
    in_full: Callable[[Any], Mapping[str, object]] | None = None
    """A task's table with what its files came to, where a specification wants it on file; an iterator is a list. None = the
    table as it is."""
    report: Callable[[Any], Reporter] | None = None
    """What adds up rows to the kind's own tables; None = the tables that every kind has."""
    result: Callable[[Any, SampleResult], Json] | None = None
    """A row as a sample of results.json, where a specification fixes its form; None = the common form."""
    files: Callable[[Any, SampleResult], Mapping[str, Json]] | None = None
    """A row's own files, by their paths in the run folder (core.row_paths.path_of): a text, rows of a .csv, a value of a .json.
    They are written when the sample ends, and made again with the reports; None = it has none."""
    totals: Totals | None = None
    """Files that add up over the rows, of each repeat for itself; None = it has none."""
    grows: bool = False
    """Whether `files` and `totals` are told rows that have not ended, too, and make of them what rests on replies alone that
    settle their calls (`Reply.final`): each file is there as soon as its own replies are. False = ended rows alone."""
    further: Callable[[Any, Sequence[SampleResult]], Sequence[Sample]] | None = None
    """Of a task and the rows of all samples, in order, once each has ended: those that go on, by what the others came to. Each
    has its id, begins as it did, and may ask more (calls beyond the plan); its new row takes the place of the old. Asked again
    when these have ended, until none goes on, so it must not name one that asked nothing more. None = samples never rest on
    each other."""
    as_asked: Callable[[Any, Sample], tuple[str, str | None]] | None = None
    """A sample's question and right answer as a person is shown them, where they are not just the sample's own."""
    labels: Callable[[Any], Mapping[str, Json]] | None = None
    """What the plan shows as factors of its counts; None = how many samples and models there are."""
    needs: frozenset[str] | None = None
    """What a set of questions on file must have for a run to ask it: "options", "truth", "documents", "turns"; None = it asks
    no sets."""
    table_of: Callable[[Any], Mapping[str, Json]] | None = None
    """The kind's table for a run with the selected questions of a set on file."""
    table_of_answers: Callable[[str, str, Sequence[str]], Mapping[str, Json]] | None = None
    """The kind's table for a run of answers made elsewhere: the file with the questions, the one with the answers, and who gave
    them; None = it takes none."""
    table_of_documents: Callable[[Sequence[str], str], Mapping[str, Json]] | None = None
    """The kind's table for a run that makes a set of questions about these files, and what the set is to be called; None = it
    makes none."""
    table_of_files: Callable[[Sequence[str]], Mapping[str, Json]] | None = None
    """The kind's table for a run that works on these files (paths and patterns), with a table for each of its stages; None = it
    works on none as they are."""
    short_form: Literal["", "SET", "FOLDER"] = ""
    """What `tui-eval NAME` takes, to run the kind on it with the models and judges that are named behind: SET, by table_of;
    FOLDER, by table_of_files; empty = it has no verb."""
    makes_set: Callable[[Any], str] | None = None
    """Of a task, what the set of questions is called that its runs make, empty = as the run; the report's file dataset.json
    holds it. None = they make none."""
    rules: ReadingRules | None = None
    """The rules by which its replies can be read, so that a re-score may try another; None = there is one way to read them."""
    leaderboard: Callable[[], Leaderboard] | None = None
    """An empty one, where its runs can be merged into one; None = they cannot."""
    named_after: Callable[[Any], str] | None = None
    """Of a task, what stands behind the run's own name in the ids of its runs; None = nothing."""
    offered: bool = True
    """Whether a person sets up runs of it; the others are made by the program, as when a call is sent again."""

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The names of its stages, in order."""
        return tuple(stage.name for stage in self.stages)

    @property
    def names_prompts(self) -> bool:
        """Whether the key `prompts` of its table names files of a person's own, and no prompts are filled into it."""
        table: type[BaseModel] = self.Config
        return any(name == "prompts" and what in FILES for name, _, what in speaking(table))

    def role(self, stage: str) -> Role:
        """What the replies of a stage are. KeyError where it has no such stage."""
        return {known.name: known.role for known in self.stages}[stage]
