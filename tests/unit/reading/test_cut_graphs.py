"""Laws of replies that end inside their graph: nothing is read of them, and nothing is called broken."""

from __future__ import annotations

from random import Random

import pytest
from cut_replies import FORMS, broken_texts, last_end, random_graph
from soaking import quick_first

from tui_eval.reading.decision_graphs import read_graph


@pytest.mark.parametrize("first", quick_first([1, 11, 21, 31, 41, 51]))
@pytest.mark.parametrize("form", FORMS)
def test_no_graph_is_read_from_a_cut_graph(form: str, first: int) -> None:
    """Cut at every tenth character, valid or broken, a graph brings none, is cut, and is never called broken JSON.

    The quick suite cuts at every sixtieth, the soak tests at those between.
    """
    chance = Random(f"cut {form}")
    for text in broken_texts(random_graph(chance), chance):
        reply, start, graph_end = FORMS[form](text)
        for place in range(start + first, last_end(form, reply, graph_end), 60):
            reading = read_graph(reply[:place])

            assert reading.graph is None and reading.cut, reply[:place]
            assert "broken" not in reading.reason


@pytest.mark.parametrize("form", FORMS)
def test_a_graph_is_whole_where_the_cut_comes_behind_it(form: str) -> None:
    """The reading of the whole reply, wherever the words behind its JSON are cut."""
    chance = Random(f"whole {form}")
    for text in broken_texts(random_graph(chance), chance):
        reply, _, graph_end = FORMS[form](text)
        whole = read_graph(reply)
        for place in range(last_end(form, reply, graph_end), len(reply)):
            reading = read_graph(reply[:place])

            assert (reading.graph, reading.reason, reading.cut) == (whole.graph, whole.reason, False), reply[:place][-80:]
        assert whole.graph is not None or "wish" in whole.reason or "no list 'edges'" in whole.reason or EARLIER_READ in form


EARLIER_READ = "earlier version"
"""Where the last version cannot be read, the one before it is."""
