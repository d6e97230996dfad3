"""Choices of an import that a file leaves open to a person."""

from __future__ import annotations

from dataclasses import dataclass

from tui_eval.datasets.lettered.right_first import SEED


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """Choices of a person on how a file is read."""

    skip_unscored: bool = False
    """Whether tests of other programs that nothing here could score are left out, instead of an error."""
    seed: int = SEED
    """By which options are mixed whose right one the file puts first or apart."""


USUAL = LeftOpen()
