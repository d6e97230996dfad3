"""Writes examples/judge-ladder/texts.json: ten texts of our own, each with 0, 25, 50, 75 and 98 % of its sentences replaced.

The sentences that come in their place are those of the other texts. The same seed makes the same file.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

from tui_eval.statistics.judge_ladder import STEPS

SEED = 18
FILE = Path(__file__).resolve().parents[1] / "examples" / "judge-ladder" / "texts.json"
PLACES: dict[str, tuple[str, str]] = {
    "mill": (
        "wheel|sluice|hopper|millstone|grain chute|flour loft|axle|tail race|miller's bench|dust cover",
        "was carved by Tam Rook from one oak|squeaks whenever barley runs low|is greased with goose fat on Mondays|"
        "survived the spring flood without a crack|will be lent to the village of Ossel",
    ),
    "lighthouse": (
        "lamp|lens|gallery rail|fog bell|winding stair|oil tank|keeper's bunk|signal flag|storm shutter|tide gauge",
        "came by schooner out of Pellworm|glows faintly green after midnight|is polished using vinegar and wool|"
        "frightened the first inspector badly|has a twin on Skarholm reef",
    ),
    "library": (
        "catalogue|reading desk|map room|globe|bookbinding press|spiral shelf|newspaper rack|"
        "night lantern|archive door|index box",
        "belongs to the widow Amsel by deed|smells of cedar and old glue|must never be moved during lectures|"
        "inspired a poem about silence|gets counted twice each January",
    ),
    "orchard": (
        "pear tree|cider barrel|beehive|pruning ladder|frost candle|apple cellar|scarecrow|windbreak|grafting knife|tool hut",
        "stands where a chapel once burned|attracts hornets all through August|yields enough for forty neighbours|"
        "went unsold at the Candlemas fair|was measured by schoolchildren using string",
    ),
    "railway": (
        "signal box|turntable|dining car|water crane|ticket punch|brake van|platform clock|"
        "coal stage|level crossing|waiting room",
        "runs four minutes slow by tradition|has carried three ministers and an elephant|is painted crimson under cream|"
        "sank slightly into marshy ground|needs a permit from headquarters",
    ),
    "theatre": (
        "curtain|trapdoor|prompter's box|wind machine|chandelier|costume chest|orchestra pit|"
        "box office|thunder sheet|revolving stage",
        "fell silent on opening night|hides initials scratched by actors|costs a week's takings to mend|"
        "dazzled critics from the capital|remains locked between performances",
    ),
    "bakery": (
        "oven|kneading trough|sourdough crock|bread peel|cooling rack|spice drawer|delivery bicycle|"
        "pastry marble|shop bell|proving cabinet",
        "stays warm for eleven hours|passed from aunt to nephew|gives every loaf its bitter crust|"
        "is scrubbed by apprentices at dawn|won ribbons beyond the mountains",
    ),
    "observatory": (
        "telescope|dome motor|star chart|spectrograph|sidereal clock|comet ledger|mercury pool|"
        "photographic plate|guide scope|meridian line",
        "detected a dim companion of Vega|trembles if lorries pass below|requires perfect darkness for calibration|"
        "baffled astronomers visiting from Lund|was insured against lightning",
    ),
    "pottery": (
        "kiln|throwing wheel|clay pit|glaze bucket|drying shelf|stamp collection|slip trailer|firing log|jar lid|ash sieve",
        "cracked during an early frost|lends bowls their bluish rim|draws buyers along the river path|"
        "copies a shape dug up nearby|rests idle throughout harvest",
    ),
    "clinic": (
        "dispensary|splint cupboard|weighing chair|vaccination register|ether bottle|"
        "ambulance sledge|scrub basin|eye chart|night desk|linen press",
        "opened thanks to a sailor's legacy|serves nine hamlets and a convent|follows rules drawn up by nurses|"
        "ran short amid the influenza winter|receives visitors on alternate Sundays",
    ),
}


def main() -> None:
    """Write the file."""
    dice = random.Random(SEED)
    texts = {name: _sentences(*words, dice) for name, words in PLACES.items()}
    documents = [
        {
            "filename": f"{name}.txt", "sha256": hashlib.sha256(" ".join(found).encode()).hexdigest(), "pages": None,
            "uploaded_at": "", "text": " ".join(found),
        }
        for name, found in texts.items()
    ]  # fmt: skip
    talks = []
    for name, own in texts.items():
        others = [one for other, found in texts.items() if other != name for one in found]
        places, strangers = dice.sample(range(len(own)), len(own)), dice.sample(others, len(own))
        turns = []
        for step in STEPS:
            gone = set(places[: round(step * len(own))])
            text = " ".join(strangers[n] if n in gone else sentence for n, sentence in enumerate(own))
            turns.append({
                "id": f"{name}/{100 * step:g}", "question": f"Tell all that the document says of the {name}.",
                "ground_truth": text, "type": f"{100 * step:g} % replaced",
            })  # fmt: skip
        talks.append({"id": name, "document": f"{name}.txt", "turns": turns})
    content = {"format": 1, "name": "judge-ladder", "documents": documents, "conversations": talks}
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _sentences(things: str, sayings: str, dice: random.Random) -> list[str]:
    """Each thing with each saying, in an order of chance."""
    found = [f"The {thing} {saying}." for thing in things.split("|") for saying in sayings.split("|")]
    return dice.sample(found, len(found))


if __name__ == "__main__":
    main()
