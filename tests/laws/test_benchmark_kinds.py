"""Laws of the engine's benchmark: it measures every kind of the registry, beside a bare loop that stays the same."""

from __future__ import annotations

from pathlib import Path

import engine
import kind_workloads
import pytest
import workload
from samples import OWN

from tui_eval.configuring.loading import load
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace


def test_every_kind_of_the_registry_has_a_workload() -> None:
    """A new kind is not forgotten: add its workload to benchmarks/kind_workloads.py. One that is gone leaves none behind."""
    kinds = {*KINDS} - {*OWN}  # those that tests bring stand in it while a test runs

    kinds = {*KINDS} - {*OWN}  # those that tests bring stand in it while a test runs

    assert {*kind_workloads.WORKLOADS} == kinds

    kind_workloads.check_coverage([*kinds])


@pytest.mark.parametrize(("kinds", "words"), [(["panel", "riddle"], "riddle"), (["panel"], "qa")])
def test_a_kind_that_is_not_measured_is_found_out(kinds: list[str], words: str) -> None:
    """The check fails loudly on either side."""
    with pytest.raises(LookupError, match=words):
        kind_workloads.check_coverage(kinds)


@pytest.mark.parametrize("kind", kind_workloads.WORKLOADS)
def test_a_workload_is_a_config_of_its_kind(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It loads, and asks what its name says."""
    monkeypatch.setenv(workload.KEY_NAME, workload.KEY)
    config = kind_workloads.WORKLOADS[kind].write(tmp_path / "work", "http://127.0.0.1:9/v1", 3, cache=False)

    assert load(config, Workspace(config.parent)).evaluation.kind.name == kind


def test_the_bare_loop_is_the_one_that_figures_were_held_against(tmp_path: Path) -> None:
    """The benchmark measures beside no other."""
    engine.check_bare()

    other = tmp_path / "bare.py"
    other.write_bytes(engine.BARE.read_bytes() + b"\n")
    with pytest.raises(engine.OtherLoopError, match="Restore it"):
        engine.check_bare(other)
