"""Forms of runs that were left: they are kept while the app runs, and one comes back to each."""

from __future__ import annotations

from typing import Any, Protocol

MOST = 20


class StoredDraft(Protocol):
    """Draft as it is known here: enough to keep it, and to name it."""

    @property
    def version(self) -> int:
        """Grows with every change."""

    @property
    def changed(self) -> bool:
        """Report whether it has unsaved changes."""

    @property
    def kind(self) -> str:
        """Kind of evaluation that it is of."""

    def get(self, place: tuple[str | int, ...], /) -> Any:
        """The value at a place; None where there is none."""


class KeptForms:
    """The drafts behind the forms, the last one first."""

    def __init__(self) -> None:
        self.drafts: list[StoredDraft] = []
        self._started: dict[int, int] = {}
        """By a draft's identity, the version of it that a run was started with last."""

    def keep(self, draft: StoredDraft) -> None:
        """Keep it, as the last one that was worked on."""
        earlier_drafts = [earlier for earlier in self.drafts if earlier is not draft]
        lost = [earlier for earlier in earlier_drafts[MOST - 1 :] if earlier in self.unsaved]
        self.drafts = [draft, *earlier_drafts[: MOST - 1], *lost]

    def started(self, draft: StoredDraft) -> None:
        """A run was started with it as it is: its folder holds all of it."""
        self._started[id(draft)] = draft.version

    @property
    def unsaved(self) -> list[StoredDraft]:
        """Those in which something was changed that stands in no file and in no run."""
        return [
            draft
            for draft in self.drafts
            if draft.version > 0 and draft.changed and self._started.get(id(draft)) != draft.version
        ]
