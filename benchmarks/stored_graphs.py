"""What re-scoring stored decision graphs takes, and what a huge reply takes to be read. No network.

python benchmarks/stored_graphs.py [--graphs 10000]

A run of so many graphs (two models, two prompts, a quarter as many briefs) is answered on file with sound graphs and re-scored
twice: first it writes every graph's files, then it finds them as they are to be. Times are CPU seconds. Exit code 1 where an
aim is missed.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import tomli_w

from tui_eval.configuring.loading import load
from tui_eval.kinds.graph.graph_scores import look_at
from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from answered_log import answer_samples, prepared

AIM_S, AIM_HUGE_S, AIM_HUGE_MB = 20.0, 2.0, 300.0
HEAD = "---\nexpect_status_quo: true\nhas_numeric_target: false\ncomplexity: simple\n---\n"
HUGE = ("10 MB of prose", "10 MB of nodes", "nested 100,000 deep", "100,000 nodes and edges")


def rescored(folder: Path, graphs: int) -> list[float]:
    """CPU seconds of two re-scorings of a run of so many graphs."""
    for n in range(graphs // 4):
        (folder / f"brief-{n:05d}.md").write_text(f"{HEAD}\nShall ferry {n} run at night?\n", encoding="utf-8")
    for name in ("v1.txt", "v2.txt"):
        (folder / name).write_text(f"Draw a decision graph ({name}).", encoding="utf-8")
    models = [{"name": name, "wire": "simulator", "model": "sim-scholar"} for name in ("one", "two")]
    table = {"prompts": ["v1.txt", "v2.txt"], "briefs": ["brief-*.md"], "models": ["one", "two"]}
    config = {"kind": "graph", "name": "many", "run": {"max_calls": 2 * graphs}, "models": models, "graph": table}
    (folder / "many.toml").write_text(tomli_w.dumps(config), encoding="utf-8")
    loaded = load(folder / "many.toml", Workspace(folder))
    (folder / "runs").mkdir()
    out = prepared(loaded, folder / "runs" / "many")
    answer_samples(out, loaded, range(graphs))
    found = []
    for _ in range(2):
        began = time.process_time()
        rescoring.rescore(out, Workspace(folder))
        found.append(time.process_time() - began)
    return found


def huge(name: str) -> str:
    """A reply that nobody could want."""
    nodes = [{"id": n, "kind": "factor", "label": f"Factor {n}"} for n in range(100_000)]
    edges = [{"from": n, "to": (n * 7 + 3) % 100_000} for n in range(100_000)]
    texts = {
        "10 MB of prose": lambda: "Here is [1] the graph {\n" * 420_000,
        "10 MB of nodes": lambda: json.dumps({"nodes": nodes[:1] * 230_000, "edges": []})[:9_999_999],
        "nested 100,000 deep": lambda: '{"nodes": ' + "[" * 100_000,
        "100,000 nodes and edges": lambda: json.dumps({"nodes": nodes, "edges": edges}),
    }
    return texts[name]()


def read(name: str) -> tuple[float, float]:
    """CPU seconds and peak MB of a process that reads such a reply, the reply's making left out of the former."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import stored_graphs as s; s.tell(sys.argv[2])"
    argv = [sys.executable, "-c", code, str(Path(__file__).parent), name]
    found = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=300).stdout.split()
    return float(found[0]), float(found[1])


def tell(name: str) -> None:
    """Reads one, and prints what it took."""
    text = huge(name)
    began = time.process_time()
    look_at(text)
    took = time.process_time() - began
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print(took, int(status["VmHWM"].split()[0]) / 1024)  # the kernel's other figure is that of whoever started it, where higher


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure once, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=10_000)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        first, again = rescored(Path(name), given.graphs)
    aim = AIM_S * given.graphs / 10_000
    print(f"Python {platform.python_version()}\n\n| what | CPU s | peak MB | aim |\n|---|---:|---:|---|")
    print(f"| {given.graphs:,} graphs re-scored, files written | {first:.1f} | | |")
    print(f"| the same again | {again:.1f} | | below {aim:g} s: {'met' if again < aim else 'missed'} |")
    good = again < aim
    for name in HUGE:
        took, most = read(name)
        met = took < AIM_HUGE_S and most < AIM_HUGE_MB
        good = good and met
        aims = f"{AIM_HUGE_S:g} s, {AIM_HUGE_MB:.0f} MB: {'met' if met else 'missed'}"
        print(f"| a reply: {name} | {took:.2f} | {most:.0f} | {aims} |")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
