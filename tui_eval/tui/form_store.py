"""Forms of runs that were left: they are kept while the app runs, and one comes back to each."""

from __future__ import annotations

from typing import Any, Protocol

MOST = 20


class Draft(Protocol):
    """What is known here of a draft: enough to keep it, and to name it."""

    @property
    def version(self) -> int:
        """Grows with every change."""

    @property
    def changed(self) -> bool:
        """Whether it holds what stands in no file."""

    @property
    def kind(self) -> str:
        """Which evaluation it is of."""

    def get(self, place: tuple[str | int, ...], /) -> Any:
        """The value at a place; None where there is none."""


class KeptForms:
    """The drafts behind the forms, the last one first."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self._started: dict[int, int] = {}
        """By a draft's identity, the version of it that a run was started with last."""

    def keep(self, draft: Draft) -> None:
        """Keep it, as the last one that was worked on."""
        others = [known for known in self.drafts if known is not draft]
        lost = [known for known in others[MOST - 1 :] if known in self.unsaved]
        self.drafts = [draft, *others[: MOST - 1], *lost]

    def started(self, draft: Draft) -> None:
        """A run was started with it as it is: its folder holds all of it."""
        self._started[id(draft)] = draft.version

    @property
    def unsaved(self) -> list[Draft]:
        """Those in which something was changed that stands in no file and in no run."""
        return [
            draft
            for draft in self.drafts
            if draft.version > 0 and draft.changed and self._started.get(id(draft)) != draft.version
        ]
