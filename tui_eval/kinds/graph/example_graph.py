"""A reply such as a good model would give, by which a run is planned: a valid graph that every score can be given to."""

from __future__ import annotations

import json

_INTERVENTIONS = {"quo": {"seats": 0.4}, "new": {"crew": 0.9}}
_NODES = (
    ("goal", "goal", "Finish the season with a profit"),
    ("decide", "decision", "Which ferry to charter"),
    ("quo", "option", "Keep the old ferry"),
    ("new", "option", "Charter the fast ferry"),
    ("seats", "factor", "Seats a day"),
    ("crew", "factor", "Crew on board"),
    ("storms", "factor", "Storm days a month"),
    ("fares", "outcome", "Fares taken"),
    ("delays", "risk", "Cancelled crossings"),
)
_BUILT = (("decide", "quo"), ("decide", "new"), ("quo", "seats"), ("new", "crew"))
_INFLUENCES = (
    ("seats", "fares", 0.6, 0.9),
    ("crew", "fares", 0.3, 0.9),
    ("storms", "delays", 0.7, 0.95),
    ("crew", "delays", -0.2, 0.6),
    ("fares", "goal", 0.6, 0.9),
    ("delays", "goal", -0.4, 0.8),
)


def _node(name: str, kind: str, label: str) -> dict[str, object]:
    found: dict[str, object] = {"id": name, "kind": kind, "label": label}
    if kind == "factor":
        found["category"] = "external" if name == "storms" else "controllable"
    if kind in ("option", "goal"):
        found["data"] = {"interventions": _INTERVENTIONS[name]} if kind == "option" else {"goal_threshold": 0.8}
    return found


EXAMPLE = json.dumps({
    "nodes": [_node(*row) for row in _NODES],
    "edges": [
        *({"from": start, "to": end} for start, end in _BUILT),
        *(
            {"from": start, "to": end, "strength": {"mean": mean, "std": 0.1 + abs(mean) / 10}, "exists_probability": exists}
            for start, end, mean, exists in _INFLUENCES
        ),
    ],
    "coaching": {
        "strengthen_items": ["Say what a cancelled crossing costs"],
        "summary": "A small draft that rests on the brief's own words.",
    },
})  # fmt: skip
