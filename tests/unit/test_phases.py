"""The phases of a child, seen from outside, against what the child says of itself."""

from __future__ import annotations

from pathlib import Path

import children
import phases
import pytest

from tui_eval.runs.folder import INTENTS, LOG, RESULTS

OFF_S = 0.1
"""Ten readings: other tests run on the same cores."""
CHILD = f"""\
import pathlib, subprocess, sys, time

def work(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

def grow(name, lines):
    with open(folder / name, "a") as file:
        file.write("{{}}\\n" * lines)

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
(folder / "{INTENTS}").touch()
work(0.2)
subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.3: pass"], check=True)
grow("{INTENTS}", 1)
first = time.process_time()
for _ in range(4):
    work(0.1)
    grow("{LOG}", 5)
last = time.process_time()
time.sleep(0.2)
work(0.3)
grow("{RESULTS}", 20)
print(first, last, time.process_time(), file=sys.stderr)
"""


def test_phases_are_what_the_child_says_of_itself(tmp_path: Path) -> None:
    """Start, asking and reports; what a child of the child took stands apart."""
    folder = tmp_path / "run"
    watcher = phases.Watcher(folder)

    cost = children.run(["-c", CHILD, str(folder)], 60, str(tmp_path), watcher)
    first, last, end = (float(word) for word in cost.said.split())
    found = phases.split(watcher, cost)

    assert found.start_s == pytest.approx(first, abs=OFF_S) and found.start_s > 0.2
    assert found.asking_s == pytest.approx(last - first, abs=OFF_S)
    assert found.reports_s == pytest.approx(end - last, abs=OFF_S)
    assert found.read_s == pytest.approx(0.3, abs=OFF_S)
    assert found.start_s + found.read_s + found.asking_s + found.reports_s == pytest.approx(found.whole_s)
    assert (found.calls, found.rows) == (20, 20)


def test_what_an_earlier_life_left_is_no_first_request(tmp_path: Path) -> None:
    """A run that is taken up begins with files that are there."""
    (tmp_path / INTENTS).write_text("{}\n")
    watcher = phases.Watcher(tmp_path)

    cost = children.run(["-c", "import time; time.sleep(0.1)"], 60, str(tmp_path), watcher)

    with pytest.raises(children.ChildError, match="asked nothing"):
        phases.split(watcher, cost)


def test_a_spread_has_the_least_and_the_most() -> None:
    """One figure has none."""
    assert phases.Spread.of([3, 1, 2]).shown(".0f") == "2 (1..3)"
    assert phases.Spread.of([1.5]).shown() == "1.50"
