"""Judges that look at answers of their own family, so far as models' ids tell it: judges tend to prefer those."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tui_eval.evaluation.stage_models import AskedModel

_ALSO = {"o": "gpt", "chatgpt": "gpt"}
"""First words of ids that belong to a family of another name: o4-mini."""
_NO_KIN = frozenset({"sim"})
"""What the simulator's models begin with; they have nothing else in common."""


def family_of(model_id: str) -> str:
    """The family of a model by its API's id: the first word of its last part, such as claude; empty where it has none."""
    word = re.match(r"[a-z]+", model_id.rsplit("/", 1)[-1].casefold())
    found = word[0] if word else ""
    return "" if found in _NO_KIN else _ALSO.get(found, found)


def own_models(judges: Iterable[AskedModel], models: Iterable[AskedModel]) -> dict[str, str]:
    """By judge the model among those that answer that is its own: the same at the API, else the first of its family."""
    asked = list(models)
    found = {}
    for judge in judges:
        family = family_of(judge.model_id)
        same = [model.name for model in asked if model.model_id == judge.model_id]
        kin = [model.name for model in asked if family and family_of(model.model_id) == family]
        if same or kin:
            found[judge.name] = (same or kin)[0]
    return found


def own_family(judges: Sequence[AskedModel], models: Iterable[AskedModel]) -> list[str]:
    """A sentence for each judge that judges itself, or models of its family."""
    asked = list(models)
    found = []
    for judge in judges:
        family = family_of(judge.model_id)
        kin = dict.fromkeys(model.name for model in asked if family and family_of(model.model_id) == family)
        own = dict.fromkeys(model.name for model in asked if model.model_id == judge.model_id)
        if kin or own:
            whose = f"of its own family ({family}): {', '.join(kin)}" if kin else f"of its own model: {', '.join(own)}"
            told = (
                "by how much, the report says, since there are several judges"
                if len(judges) > 1
                else "whether this one does cannot be told with one judge"
            )
            better = "a judge of another family is better"
            found.append(f"{judge.name} judges answers {whose}; judges tend to prefer their own, {better}; {told}")
    return found
