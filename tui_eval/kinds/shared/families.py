"""Judges that look at answers of their own family, so far as models' ids tell it: judges tend to prefer those."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tui_eval.kinds.shared.asked_models import AskedModel

_ALSO = {"o": "gpt", "chatgpt": "gpt"}
"""First words of ids that belong to a family of another name: o4-mini."""
_NO_KIN = frozenset({"sim"})
"""What the simulator's models begin with; they have nothing else in common."""


def family_of(model_id: str) -> str:
    """The family of a model by its API's id: the first word of its last part, such as claude; empty where it has none."""
    word = re.match(r"[a-z]+", model_id.rsplit("/", 1)[-1].casefold())
    found = word[0] if word else ""
    return "" if found in _NO_KIN else _ALSO.get(found, found)


def own_family(judges: Iterable[AskedModel], models: Iterable[AskedModel]) -> list[str]:
    """A sentence for each judge that judges itself, or models of its family."""
    asked = list(models)
    found = []
    for judge in judges:
        family = family_of(judge.model_id)
        kin = [model.name for model in asked if family and family_of(model.model_id) == family]
        if kin:
            told = (
                "judges tend to prefer their own; a judge of another family is better, and two judges or more show by how much"
            )
            found.append(f"{judge.name} judges answers of its own family ({family}): {', '.join(kin)}; {told}")
    return found
