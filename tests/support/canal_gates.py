"""Questions about the gates of a canal, whose answers are long and short in turn: for judges that may like length."""

from __future__ import annotations

from fault_bench import Table

GATES = [
    ("north", "The north gate of the canal opens at seven bells in the morning and is closed again when the market ends."),
    ("south", "The south gate stays shut in winter."),
    ("mill", "The mill gate belongs to the miller Orne, who lets barges pass for two crowns each and for a sack of grain."),
    ("old", "The old gate was burnt by soldiers."),
    ("water", "The water gate is tended by the sisters Palm, who live above it and ring a glass bell before it moves at all."),
    ("iron", "The iron gate weighs nine tons."),
    ("garden", "The garden gate leads to the orchard of the abbey, where nobody may fish without the leave of the abbot Wim."),
    ("east", "The east gate has no keeper."),
]
TEXT = " ".join(sentence for _, sentence in GATES)


def talks() -> Table:
    """A set of eight conversations of one question each, whose answers are long and short in turn."""
    return {
        "format": 1,
        "name": "canal",
        "documents": [{"filename": "canal.txt", "sha256": "0" * 64, "pages": None, "uploaded_at": "", "text": TEXT}],
        "conversations": [
            {
                "id": name, "document": "canal.txt",
                "turns": [
                    {"id": f"{name}/1", "question": f"What is known of the {name} gate?", "ground_truth": said},
                    {"id": f"{name}/2", "question": f"What does the document say about the {name} gate?", "ground_truth": said},
                ],
            }
            for name, said in GATES
        ],
    }  # fmt: skip
