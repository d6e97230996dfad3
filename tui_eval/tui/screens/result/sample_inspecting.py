"""Lists of samples with an inspector: a sample of results.jsonl, or one of its replies, and the same by other models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, cast

from textual.worker import get_current_worker

from tui_eval.results.stored_samples import Owner, StoredSample
from tui_eval.tui.inspecting import Inspecting
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page, beside, host
from tui_eval.tui.screens.dialogs.saving import simulated
from tui_eval.tui.screens.live.log_figures import query_of_item
from tui_eval.tui.screens.result.graph import graph_dossier
from tui_eval.tui.screens.result.sample_dossier import SampleDossiers
from tui_eval.tui.widgets.cells import Cell
from tui_eval.tui.widgets.inspector import Dossier, Split


class SamplePlace(NamedTuple):
    """Sample that a list has its cursor on."""

    row: int
    """Of results.jsonl."""
    owner: Owner | None
    """The reply that is looked at; None = the sample as a whole."""
    where: str
    """Its place in the list, in words."""
    verdict: Sequence[Cell] = ()
    """What the list says of it, in place of the sample's own."""


class SampleInspecting(Inspecting):
    """A list of samples with an inspector, behind its own base class."""

    BINDINGS = [
        bind("run.log", "sample_log", "Its calls", tooltip="Every call of the sample under the cursor, in the log"),
        bind("record.graph", "graph", "Graph", show=False, tooltip="The decision graph of the reply, drawn in layers"),
        bind("graph.beside", "graph_beside", "Beside", tooltip="The graph of the next model for the same brief"),
        bind(
            "record.next", "find(1)", "Next found", show=False, tooltip="The next one found; without a filter, the next wrong"
        ),
        bind(
            "record.previous", "find(-1)", "Found before", show=False, tooltip="The one before it that was found, or is wrong"
        ),
    ]
    _walked: SamplePlace | None = None
    """Where one walked to from the list's own sample, by keys for models."""
    _graph: str | None = None
    """Whose graph stands beside the one that is looked at, empty = nobody's; None where none is looked at."""

    dossiers: SampleDossiers
    """What is told of samples."""

    def place(self) -> SamplePlace | None:
        """The sample under the cursor; None where there is none."""
        raise NotImplementedError

    def is_found(self, place: int) -> bool:
        """Return whether the keys for what was found stop at a place of the list; called beside the keys."""
        raise NotImplementedError

    def dossier(self, whole: bool) -> Dossier | None:
        """Say what is on file of the sample under the cursor, or of the one that was walked to."""
        place = self._walked or self.place()
        if place is None:
            return None
        dossier = self.dossiers.of(place.row, place.owner, whole, place.where, place.verdict)
        return replace(dossier, is_simulated=simulated(cast(Page, self.screen)))

    def inspect(self, keep_place: bool = False) -> None:
        """Show the sample under the cursor."""
        self._walked = self._walked if keep_place else None
        super().inspect(keep_place)

    def walk_model(self, by: int) -> None:
        """Go to the next model's answer to the same."""
        place = self._walked or self.place()
        sample = None if place is None else self.dossiers.stored.sample(place.row)
        if place is None or sample is None:
            return
        owner = place.owner or first_owner(sample)
        answers = [] if owner is None else self.dossiers.answers(place.row, owner)
        at = next((n for n, each in enumerate(answers) if (each.row, each.owner) == (place.row, owner)), None)
        if at is None or len(answers) < 2:
            host(self).say("no other model answered the same")
            return
        found = answers[(at + by) % len(answers)]
        self._walked = SamplePlace(found.row, place.owner and found.owner, place.where, found.verdict if place.owner else ())
        super().inspect()

    def action_find(self, by: int) -> None:
        """On to the next that was found, round the end; a long way is gone in the background."""
        table = self.inspected_list
        seek = partial(self._seek, table.cursor, table.rows.count(), by)
        beside(self.screen, seek, partial(self._at_found, by), group="found", keys_wait=False)

    def _seek(self, cursor: int, number: int, by: int) -> int | None:
        worker = get_current_worker()
        around = ((cursor + by * far) % number for far in range(1, number))
        return next((place for place in around if worker.is_cancelled or self.is_found(place)), None)

    def _at_found(self, by: int, place: int | None) -> None:
        table, page = self.inspected_list, cast(Page, self.screen)
        if place is None:
            page.say_here("nothing else is wrong")
            return
        if (place - table.cursor) * by < 0:
            page.say_here("past the end: on from the top" if by > 0 else "past the top: on from the end")
        table.move(place)

    @property
    def sample(self) -> StoredSample | None:
        """The sample that is shown."""
        place = self._walked or self.place()
        return None if place is None else self.dossiers.stored.sample(place.row)

    async def action_sample_log(self) -> None:
        """The sample's calls in the log."""
        if self.sample is not None:
            host(self).log_query = query_of_item(self.sample.item_id)
            await host(self).action_visit("log")

    def shown_dossier(self, whole: bool) -> Dossier | None:
        """Say what is on file of the entry; of its graph alone where that is looked at."""
        sample = None if self._graph is None else self.sample
        if self._graph is None or sample is None or not self.dossiers.graphs.has(sample):
            return super().shown_dossier(whole)
        return replace(
            graph_dossier(self.dossiers.graphs, sample, self._graph), is_simulated=simulated(cast(Page, self.screen))
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Another graph has a key beside the first alone."""
        return action != "graph_beside" or self._graph is not None

    def action_graph(self) -> None:
        """Look at the graph alone, or at all of the sample again."""
        if self._graph is None and (self.sample is None or not self.dossiers.graphs.has(self.sample)):
            host(self).say("this sample has no decision graph on file")
            return
        self._graph = "" if self._graph is None else None
        self.query_one(Split).set_class(self._graph is not None, "-zoom")
        self.inspect()
        self.inspector.take_keys()

    def action_graph_beside(self) -> None:
        """The next model's graph beside it; after the last one none."""
        turns = ["", *(self.dossiers.graphs.others(self.sample) if self.sample is not None else [])]
        if len(turns) == 1:
            host(self).say("no other model drew this brief")
        self._graph = turns[(turns.index(self._graph) + 1) % len(turns)] if self._graph in turns else ""
        self.inspect(keep_place=True)

    def to_list(self) -> None:
        """Give the keys back to the list, and show all of the sample."""
        self._graph = None
        super().to_list()
        self.inspect(keep_place=True)


def is_amiss(sample: StoredSample | None) -> bool:
    """Return whether a sample is wrong, in part or wholly, has no value, or cannot be read."""
    return sample is None or sample.verdict()[0] in ("wrong", "missing", "partly") or sample.passed() is False


def first_owner(sample: StoredSample) -> Owner | None:
    """Return whose the first answer of a sample is; None where it has none."""
    return next(((reply.stage, reply.model, reply.call_index) for reply in sample.kept()), None)
