"""What reports of many samples add to the memory of what was loaded, each run in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from answered_log import answer_samples, prepared
from choices import entry, load_choice
from makers import load_panel

from tui_eval.configuring.loading import Loaded

SAMPLES, TIMES = 10_000, 10
MOST_KB = 1.2
"""More memory a sample than reports of these may take at their peak; 1.1 (panel) and 0.8 (choice) were seen."""
LONGEST_S = 300
CHILD = """
import sys
from pathlib import Path
import tui_eval.evaluation.scoring.registry  # the rules, which a report may load, are no memory of its samples
from tui_eval.reporting.derive import derive
from tui_eval.configuring.reopening import reopen
from tui_eval.workspace.places import Workspace


def most(name):
    text = Path("/proc/self/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith(name)).split()[1])


path = Path(sys.argv[1])
loaded = reopen(path, Workspace(path.parent), sends=False)
Path("/proc/self/clear_refs").write_text("5")
before = most("VmRSS")
derive(path, loaded.evaluation)
print(most("VmHWM") - before)
"""


def loaded_of(kind: str, folder: Path) -> Loaded:
    """So many samples: questions that are asked of several models, or of several documents."""
    questions = SAMPLES // TIMES
    if kind == "choice":
        return load_choice(folder, [entry(f"q{n}", n % 4) for n in range(questions)], [f"m{n}" for n in range(TIMES)])
    for n in range(TIMES):
        (folder / f"doc{n}.txt").write_text(f"Note {n}")
    texts = json.dumps([f"What is {n}?" for n in range(questions)])
    more = f'documents = ["doc*.txt"]\ntruths = {json.dumps(list(map(str, range(questions))))}'
    rest = '[panel.benchmark]\nmode = "exact"\n'
    return load_panel(folder, run=f"max_calls = {SAMPLES}", questions=f"questions = {texts}", panel=more, rest=rest)


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("kind", ["panel", "choice"])
def test_reports_hold_little_of_a_sample(kind: str, tmp_path: Path) -> None:
    """Figures are kept of a sample, and neither its rows of tables nor what files say of it."""
    loaded = loaded_of(kind, tmp_path)
    out = prepared(loaded, tmp_path / "run")
    answer_samples(out, loaded, range(SAMPLES))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(out)],
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert int(done.stdout) / SAMPLES < MOST_KB, f"{int(done.stdout) / 1024:.0f} MB more than what was loaded"
