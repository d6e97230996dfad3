"""Records that workers kept on their own disks for a coordinator that was gone: taken in before anything is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tui_eval.cluster.channel import LOST, dial
from tui_eval.cluster.dask_cluster import DaskCluster
from tui_eval.engine.calling import RunContext
from tui_eval.runs.folder import LOG
from tui_eval.runs.ledger import Ledger

_IDENTITY = re.compile(r'\{"attempt_id": "([0-9A-Za-z_.-]{1,60})"')
DIAL_S = 10.0


async def take_spools(cluster: DaskCluster, workers: Iterable[str], context: RunContext, ledger: Ledger) -> int:
    """Write every record that a worker keeps of this run into its log, and have it forgotten there; return how many."""
    n, seen = 0, set[str]()
    for worker in workers:
        try:
            channel = await dial(await cluster.begin_host(worker), cluster.security, DIAL_S)
            await channel.send({"do": "spools", "run_id": context.run_id})
            while (message := await channel.receive())["do"] != "no_more":
                if message["do"] == "wait" and message["life"] not in seen:
                    context.breaker.narrate(f"a worker of an earlier session still ends its calls: {message['life']}")
                    seen.add(message["life"])
                elif message["do"] == "bundle":
                    n += _write_new(context, ledger, message["lines"].get(LOG, ()))
                elif message["do"] == "spool_end":
                    await channel.send({"do": "taken"})
            channel.cut()
        except LOST as error:
            context.breaker.warn(f"worker {worker}: what it keeps of earlier sessions cannot be read: {error}")
    if n:
        context.breaker.narrate(f"{n:,} records of an earlier session were taken in from workers")
    return n


def _write_new(context: RunContext, ledger: Ledger, lines: Sequence[str]) -> int:
    """Write the lines whose attempts are not on file; return how many."""
    new = [line for line in lines if (match := _IDENTITY.match(line)) is not None and not ledger.has_ended(match[1])]
    if new:
        context.folder.append_lines(LOG, new)
    return len(new)
