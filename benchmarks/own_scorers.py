"""What own scorers cost: replies of a stored run scored by a function that does nothing, log and scores.jsonl included.

python benchmarks/own_scorers.py [--replies 20000] [--rounds 3]

Each round is one supervisor with one child process: CPU of both, by the kernel's account, and seconds by the clock.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import ended_run

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from own_folder import own

from tui_eval.configuring.reopening import reopen
from tui_eval.reporting.own_code.supervisor import Listener, score_by_code
from tui_eval.runs.scores_file import SCORES
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import Permit, permit

LEAST = 5_000
"""The aim: scores a second."""
SETTING = 'scorers=[{ python = "scorers.py:score" }]'


def cpu(who: int) -> float:
    """CPU of this process, or of those it has waited for, in seconds."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    """Print a line for each round; 1 where the median misses the aim."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--replies", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rates = []
    with tempfile.TemporaryDirectory() as name:
        folder = own(Path(name))
        (folder / "scorers.py").write_text("def score(reply, sample) -> bool:\n    return True\n", encoding="utf-8")
        run = ended_run.made_apart(folder, "choice", options.replies, 1, options.replies)
        permit(folder, [Permit("plug-in", f"scorer {(folder / 'scorers.py').resolve()}", "")])
        for _ in range(options.rounds):
            (run / SCORES).unlink(missing_ok=True)
            loaded = reopen(run, Workspace(folder), [SETTING], sends=False)
            began, own_cpu, child_cpu = time.monotonic(), cpu(resource.RUSAGE_SELF), cpu(resource.RUSAGE_CHILDREN)
            n = score_by_code(run, loaded.evaluation, Listener(str))
            seconds = time.monotonic() - began
            used = cpu(resource.RUSAGE_SELF) - own_cpu, cpu(resource.RUSAGE_CHILDREN) - child_cpu
            rates.append(n / seconds)
            line = f"{n:,} replies: {rates[-1]:,.0f} a second; CPU us a reply:"
            print(f"{line} {1e6 * used[0] / n:.0f} here, {1e6 * used[1] / n:.0f} in the child")
    print(f"median {statistics.median(rates):,.0f} a second; the aim is {LEAST:,}")
    return int(statistics.median(rates) < LEAST)


if __name__ == "__main__":
    sys.exit(main())
