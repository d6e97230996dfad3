"""The desk where workers get credits out of the run's budget, on file first; where there is not enough, all give back what they
have not begun."""

from __future__ import annotations

import time
from collections.abc import Mapping

from tui_eval.cluster.credits import CreditBook, Need
from tui_eval.cluster.worker_link import WorkerLink
from tui_eval.core.errors import StorageError
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.money import MICRO
from tui_eval.engine.calling import RunContext
from tui_eval.runs.folder import INTENTS

RECALL_S = 0.2
"""Between two times that all workers give back what they do not need."""
_encode = json_encoder()


class CreditDesk:
    """Grants credits to the workers of a run, one need after the other."""

    def __init__(self, context: RunContext, links: Mapping[str, WorkerLink]) -> None:
        """`links`: the run's workers, by their lives."""
        self.book = CreditBook(context.budget)
        self._context, self._links = context, links
        self._needs: dict[str, Need] = {}
        self._waited_for: set[str] = set()
        """Workers that are to give back what they have not begun; while there are some, nothing is granted."""
        self._recalled_at = 0.0

    def need(self, life: str, need: Need) -> None:
        """A worker needs credits."""
        self._needs[life] = need

    def is_waited_for(self, life: str) -> bool:
        """Return whether a worker is to give back what it has not begun."""
        return life in self._waited_for

    async def serve(self) -> None:
        """Grant what workers need; where there is not enough, have all give back what they have not begun."""
        if self._waited_for:
            self._waited_for &= {link.life for link in self._links.values() if not link.is_ended}
        for life, need in list(self._needs.items()):
            link = self._links[life]
            if self._waited_for:
                return
            if link.was_recalled or link.shown.state == "lost":
                self._needs.pop(life)
                continue
            if not link.is_connected:
                continue
            verdict = self.book.grant(life, need)
            if verdict == "go":
                self._needs.pop(life)
                await self._grant(link)
            elif not need.is_waiting:
                self._needs.pop(life)
            elif self.book.idle or (verdict == "wait" and self.book.has_slack):
                if time.monotonic() - self._recalled_at > RECALL_S:
                    await self._recall()
                return
            elif verdict != "wait":
                self._needs.pop(life)
                await link.send({"do": "refused", "verdict": verdict, "worst": need.worst})

    async def _grant(self, link: WorkerLink) -> None:
        account = self.book.account(link.life)
        try:
            self._write(link.life)
        except StorageError as error:
            self._context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
            return
        self._context.budget.idle = self.book.idle
        await link.send({"do": "credits", "calls": account.upto, "money": account.worst})

    def _write(self, life: str) -> None:
        grant = self.book.account(life).grant
        worst = None if grant.worst is None else grant.worst / MICRO
        self._context.folder.append(INTENTS, _encode({"grant": life, "upto": grant.upto, "worst_usd": worst}) + "\n")

    async def _recall(self) -> None:
        ours = [link for link in self._links.values() if link.is_connected and not link.was_recalled]
        asked = [link for link in ours if link.life in self.book.accounts]
        self._waited_for, self._recalled_at = {link.life for link in asked}, time.monotonic()
        for link in asked:
            await link.send({"do": "recall", "of": "all"})

    def take_back(self, life: str, begun: int, held: int) -> None:
        """A worker gave back all that it has not begun; `held`: micro-dollars that its calls in flight may cost."""
        self.book.give_back(life, begun, held)
        self._write(life)
        self._waited_for.discard(life)
