"""Option sets of the half that was set aside."""

from __future__ import annotations

from letter_replies.model import OptionSet

_COMMON = frozenset({"nouns", "common"})

GASES = OptionSet(
    "gases",
    "en",
    ("Oxygen", "Nitrogen", "Argon", "Carbon dioxide", "Helium"),
    _COMMON,
    (
        ("‹XT› makes up about a fifth of the air.", "Fish take up ‹Xt› through their gills."),
        ("‹XT› makes up most of the air.", "Fertilisers contain ‹Xt›."),
        ("‹XT› fills many light bulbs.", "‹XT› is a noble gas."),
        ("‹XT› warms the planet.", "Plants take up ‹Xt›."),
        ("‹XT› fills balloons.", "The Sun produces ‹Xt›."),
    ),
    (
        ("‹XT› would make the flame brighter, so it drops out.",),
        ("‹XT› fails because it is lighter than air.",),
        ("‹XT› cannot be the one.",),
        ("‹XT› would have turned the water cloudy, which it did not.",),
        ("‹XT› is far too light.", "Surely not ‹Xt›."),
    ),
)
FLUIDS = OptionSet(
    "fluids",
    "en",
    ("Plasma", "Blood", "Blood plasma", "Lymph"),
    _COMMON,
    (
        ("‹XT› is a state of matter, too.",),
        ("‹XT› carries oxygen to the tissues.",),
        ("‹XT› is mostly water.",),
        ("‹XT› returns to the veins near the heart.",),
    ),
    (
        ("‹XT› on its own is too vague.",),
        ("‹XT› includes the cells, which the question excludes.",),
        ("‹XT› is not what is drained, so it is out.",),
        ("‹XT› contains hardly any protein, so it fails.",),
    ),
)
QUANTITIES = OptionSet(
    "quantities",
    "en",
    ("Force", "Work", "Power", "Energy", "Momentum", "Torque", "Pressure", "Impulse"),
    _COMMON,
    (
        ("‹XT› is measured in newtons.",),
        ("‹XT› is measured in joules.",),
        ("‹XT› is measured in watts.",),
        ("‹XT› is conserved.",),
        ("‹XT› is mass times velocity.",),
        ("‹XT› makes things rotate.",),
        ("‹XT› is measured in pascals.",),
        ("‹XT› is an integral over time.",),
    ),
    (
        ("‹XT› has the wrong unit.",),
        ("‹XT› vanishes here, so no.",),
        ("‹XT› is out, since no time is given.",),
        ("‹XT› is wrong, since a vector is asked for.",),
        ("‹XT› is wrong, too.",),
        ("‹XT› needs a lever arm, and there is none.",),
        ("‹XT› cannot be right without an area.",),
        ("‹XT› is not the right quantity.",),
    ),
)
NOTES = OptionSet("notes", "any", ("C", "D", "E", "A", "B"), frozenset({"letters", "symbols"}))
SYMBOLS = OptionSet("symbols", "any", ("C", "N", "O", "K"), frozenset({"letters", "symbols"}))
BLOOD_GROUPS = OptionSet("blood groups", "any", ("A", "B", "AB", "O"), frozenset({"letters", "symbols"}))
TRUTH = OptionSet("true_false", "en", ("True", "False"), frozenset({"verbal"}))
CODE = OptionSet("code", "any", ("x += 1", "x =+ 1", "x = x + 2", "++x;", "let x = A[i]"), frozenset({"symbols"}))
PERCENT = OptionSet(
    "percent",
    "any",
    ("1.5 %", "15 %", "0.15 %", "150 %", "15"),
    frozenset({"symbols"}),
    (),
    (
        ("‹XT› comes from a slip of the decimal point and is wrong.",),
        ("‹XT› is ten times too much.",),
        ("‹XT› is ten times too little.",),
        ("‹XT› cannot be a share.",),
        ("‹XT› lacks its unit and is wrong.",),
    ),
)
LONG = OptionSet(
    "long",
    "en",
    (
        "As the treaty had been signed by only one of the two chambers, it could not enter into force before the war ended",
        "Though the king had agreed to the terms, his ministers refused to publish them until the harvest had been brought in",
        "A shortage of silver, together with a poor harvest, forced the city to borrow money from its neighbours",
        "The merchants, who had most to lose, persuaded the council to delay the vote until the fleet was back",
    ),
)
STATEMENTS = OptionSet(
    "assertions", "en", ("Only statement 1", "Only statement 2", "Both statements", "Neither statement"), frozenset()
)
ARTICLES = OptionSet(
    "economy",
    "en",
    ("An import duty", "A rise in price", "A subsidy", "A fall in demand"),
    frozenset(),
    (
        ("‹XT› protects local producers.",),
        ("‹XT› often follows a poor harvest.",),
        ("‹XT› costs the state money.",),
        ("‹XT› can have many causes.",),
    ),
    (
        ("‹XT› was never mentioned, so no.",),
        ("‹XT› is only the effect, so it is wrong.",),
        ("‹XT› would have had the opposite effect, so it is out.",),
        ("‹XT› does not explain the shortage.",),
    ),
)
FRENCH = OptionSet(
    "french",
    "fr",
    (
        "La température augmente avec l'altitude",
        "La pression diminue",
        "Le volume reste constant",
        "À l'équilibre, la vitesse est nulle",
    ),
)
ITALIAN = OptionSet(
    "italian",
    "it",
    ("I polmoni", "Il fegato", "I reni", "La milza"),
    frozenset(),
    (
        ("‹XT› assorbono l'ossigeno.",),
        ("‹XT› produce la bile.",),
        ("‹XT› filtrano il sangue.",),
        ("‹XT› elimina i globuli rossi vecchi.",),
    ),
    (
        ("‹XT› non c'entrano.",),
        ("‹XT› non è la risposta giusta.",),
        ("‹XT› sono da escludere.",),
        ("‹XT› è troppo piccola.",),
    ),
)
JAPANESE = OptionSet(
    "japanese",
    "ja",
    ("肝臓", "腎臓", "肺", "心臓"),
    frozenset(),
    (
        ("‹XT›は体の右上にあります。",),
        ("‹XT›は血液をろ過します。",),
        ("‹XT›は酸素を取り込みます。",),
        ("‹XT›は血液を送り出します。",),
    ),
    (("‹XT›は当てはまりません。",), ("‹XT›ではありません。",), ("‹XT›は誤りです。",), ("‹XT›は関係ありません。",)),
)
RUSSIAN = OptionSet("russian", "ru", ("Железо", "Медь", "Цинк", "Свинец"))
ARABIC = OptionSet(
    "arabic",
    "ar",
    ("الحديد", "النحاس", "الزنك", "الرصاص"),
    frozenset(),
    (("‹XT› يصدأ في الهواء الرطب.",), ("‹XT› موصل جيد.",), ("‹XT› رخيص.",), ("‹XT› ثقيل.",)),
    (("‹XT› ليس الجواب.",), ("‹XT› لا يناسب السؤال.",), ("‹XT› ليس صحيحا.",), ("‹XT› غير صحيح.",)),
)
ABOVE = OptionSet(
    "all above",
    "en",
    ("It lowers the cost", "It saves time", "It needs fewer people", "All of the above"),
    frozenset({"above"}),
)

OPTION_SETS = (
    GASES, FLUIDS, QUANTITIES, NOTES, SYMBOLS, BLOOD_GROUPS, TRUTH, CODE, PERCENT, LONG, STATEMENTS, ARTICLES, FRENCH, ITALIAN,
    JAPANESE, RUSSIAN, ARABIC, ABOVE,
)  # fmt: skip
