"""Are intervals, tests and forecasts true: draws from planted truths through the product's functions, beside their bounds.

python benchmarks/truth.py [--short] [--seed 20261126] [--section means] [--workers 2]

Prints a page of Markdown, and the seed with it; exit code 1 where a rule of the product is beyond a bound, which a cell is only
where a 99 % interval of its simulated rate lies wholly beyond it. Whole about an hour on two cores, --short within a minute.
A further section is a module `truth_NAME.py` with `section(plan)`, and a line in SECTIONS.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

import truth_certificates
import truth_futures
import truth_gates
import truth_items
import truth_judges
import truth_means
import truth_noise
import truth_pairs
import truth_power
import truth_scorers
from truth_cells import Plan, Section

SEED = 20261126
SECTIONS: dict[str, Callable[[Plan], Section]] = {
    "means": truth_means.section,
    "pairs": truth_pairs.section,
    "power": truth_power.section,
    "futures": truth_futures.section,
    "gates": truth_gates.section,
    "noise": truth_noise.section,
    "items": truth_items.section,
    "certificates": truth_certificates.section,
    "judges": truth_judges.section,
    "scorers": truth_scorers.section,
}


def main() -> int:
    """Print the page; 1 where anything is beyond a bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="fewer units and draws: within a minute")
    parser.add_argument("--seed", type=int, default=SEED, help="of all that is drawn")
    parser.add_argument("--section", choices=SECTIONS, action="append", help="this section only; may be given again")
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 2), help="processes that draw")
    options = parser.parse_args()
    plan, broken = Plan(options.seed, options.short, options.workers), []
    print(f"# Truth of intervals, tests and power{', in short' if plan.short else ''}\n\nSeed {plan.seed}.\n", flush=True)
    for name in options.section or SECTIONS:
        start = time.monotonic()
        found = SECTIONS[name](plan)
        broken += found.broken
        print("\n".join(found.lines), f"\n{time.monotonic() - start:.0f} s.\n", flush=True)
    print("Beyond a bound: nothing." if not broken else "\n".join(["Beyond a bound:", "", *(f"- {one}" for one in broken)]))
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
