"""Option sets of the seen half."""

from __future__ import annotations

from letter_replies.model import OptionSet

_NOUNS = frozenset({"nouns"})
_COMMON = frozenset({"nouns", "common"})

METALS = OptionSet(
    "metals",
    "en",
    ("Iron", "Copper", "Zinc", "Lead"),
    _COMMON,
    (
        ("‹XT› rusts in damp air.", "‹XT› is the cheapest of these metals.", "Most ships are built of ‹Xt›."),
        ("‹XT› is used for roofs and pipes.", "Household wiring is made of ‹Xt›."),
        ("‹XT› corrodes first in sea water.", "Many coins contain ‹Xt›."),
        ("‹XT› has a low melting point.", "Old pipes were often made of ‹Xt›."),
    ),
    (
        ("‹XT› cannot do that.", "‹XT› does not work here."),
        ("‹XT› does not protect steel that way.", "‹XT› is not suitable, since it is nobler than steel."),
        ("‹XT› is not what the question asks for.", "It cannot be ‹Xt›."),
        ("‹XT› is too soft.", "‹XT› would be a poor choice."),
    ),
)
ROCKS = OptionSet(
    "rocks",
    "en",
    ("Rock", "Igneous rock", "Sedimentary rock", "Metamorphic rock", "Mineral"),
    _COMMON,
    (
        ("‹XT› is a general term.", "‹XT› covers most of the planet's surface."),
        ("‹XT› forms from magma.", "Granite is an ‹Xt›.", "‹XT› does not contain fossils."),
        ("‹XT› is laid down in layers.", "Sandstone is a ‹Xt›.", "‹XT› does not form from magma."),
        ("‹XT› has been changed by heat and pressure.", "Marble is a ‹Xt›."),
        ("A ‹Xt› has a fixed crystal structure.", "Quartz is a ‹Xt›."),
    ),
    (
        ("‹XT› is too general a term.",),
        ("It cannot be an ‹Xt›.",),
        ("‹XT› is not the right term.",),
        ("‹XT› is ruled out by the temperature.",),
        ("‹XT› is not the right term either.",),
    ),
)
LAWS = OptionSet(
    "statements",
    "en",
    (
        "Porosity decreases with depth",
        "Permeability increases when clay is added",
        "A rise in temperature lowers the viscosity of the oil",
        "The resistivity of the formation water is higher than that of the rock",
    ),
    frozenset(),
)
PRESSURES = OptionSet(
    "pressures",
    "any",
    ("10 MPa", "15 MPa", "1.5 MPa", "150 MPa", "15 kPa", "0.15 MPa"),
    frozenset({"nouns", "symbols"}),
    (),
    (("‹XT› would be too low.",), ("‹XT› does not follow from the equation.",), ("‹XT› is off by a factor of ten.",)) * 2,
)
ANSWERS = OptionSet("yes_no", "en", ("Yes", "No", "Maybe"), frozenset({"verbal"}))
GRADES = OptionSet("grades", "any", ("B", "C", "D", "A", "F"), frozenset({"letters", "symbols"}))
ARTICLES = OptionSet(
    "articles",
    "en",
    ("The solvent", "A metal", "An acid", "A weak salt", "I and II only"),
    frozenset(),
    (
        ("‹XT› makes up most of the solution.", "‹XT› does not react at all."),
        ("‹XT› conducts heat well.", "‹XT› gives off electrons."),
        ("‹XT› turns litmus red.",),
        ("‹XT› dissolves in water.",),
        (),
    ),
    (
        ("‹XT› is not correct.",),
        ("‹XT› cannot be meant.",),
        ("‹XT› is out, since it would not be neutral.",),
        ("‹XT› is too weak for that.",),
        ("‹XT› is wrong, since it leaves out the third statement.",),
    ),
)
GERMAN = OptionSet(
    "german",
    "de",
    ("Die Leber", "Die Niere", "Die Lunge", "Das Herz"),
    frozenset(),
    (
        ("‹XT› liegt im rechten Oberbauch.", "‹XT› speichert Zucker."),
        ("‹XT› filtert das Blut.", "‹XT› produziert keine Galle."),
        ("‹XT› nimmt Sauerstoff auf.", "‹XT› besteht aus Lappen."),
        ("‹XT› schlägt etwa siebzigmal in der Minute.",),
    ),
    (
        ("‹XT› kommt nicht infrage.",),
        ("‹XT› ist falsch.",),
        ("‹XT› scheidet aus.",),
        ("‹XT› passt nicht zur Frage.",),
    ),
)
CHINESE = OptionSet(
    "chinese",
    "zh",
    ("铁", "铜", "锌", "铅"),
    _NOUNS,
    (
        ("‹XT›在潮湿空气中会生锈。", "‹XT›不能保护自己。"),
        ("‹XT›常用来做电线。",),
        ("‹XT›在海水中先被腐蚀。",),
        ("‹XT›的熔点很低。",),
    ),
    (("‹XT›不对。",), ("‹XT›不能这样保护钢。",), ("‹XT›不符合题意。",), ("‹XT›太软了。",)),
)
SPANISH = OptionSet(
    "spanish",
    "es",
    ("El hígado", "El riñón", "Los pulmones", "El bazo"),
    frozenset(),
    (
        ("‹XT› almacena glucógeno.",),
        ("‹XT› filtra la sangre.",),
        ("‹XT› captan oxígeno.",),
        ("‹XT› destruye glóbulos rojos viejos.",),
    ),
    (
        ("‹XT› no encaja aquí.",),
        ("‹XT› no es la respuesta.",),
        ("‹XT› no tienen nada que ver.",),
        ("‹XT› es demasiado pequeño.",),
    ),
)
PLANETS = OptionSet(
    "ten",
    "en",
    ("Mercury", "Venus", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto", "Ceres", "Eris"),
    _NOUNS,
    (
        ("‹XT› is closest to the Sun.",),
        ("‹XT› is the hottest of them.",),
        ("‹XT› looks red in the sky.",),
        ("‹XT› is the largest of all.",),
        ("‹XT› has bright rings.",),
        ("‹XT› lies on its side.",),
        ("‹XT› was discovered by calculation.",),
        ("‹XT› was called a planet until 2006.",),
        ("‹XT› lies in the asteroid belt.",),
        ("‹XT› is an icy dwarf.",),
    ),
    (
        ("‹XT› has no atmosphere to speak of, so no.",),
        ("‹XT› is too hot.",),
        ("‹XT› is not heavy enough.",),
        ("‹XT› does not fit the orbit.",),
        ("‹XT› is not dense enough.",),
        ("‹XT› is ruled out by its axis.",),
        ("‹XT› is too far away.",),
        ("‹XT› is no longer counted and drops out.",),
        ("‹XT› is far too small.",),
        ("‹XT› cannot be meant.",),
    ),
)
FORMULAS = OptionSet(
    "formulas",
    "any",
    ("$x^2 + 1$", "$x^2 - 1$", "$\\frac{a}{b}$", "$2\\pi r$"),
    frozenset({"nouns", "symbols"}),
    (),
    (
        ("‹XT› has the wrong sign.",),
        ("‹XT› does not satisfy the equation.",),
        ("‹XT› has the wrong dimension.",),
        ("‹XT› is not the area asked for.",),
    ),
)
ABOVE = OptionSet(
    "above",
    "en",
    ("The speed increases", "The pressure drops", "Both A and B", "None of the above"),
    frozenset({"above"}),
)

OPTION_SETS = (
    METALS, ROCKS, LAWS, PRESSURES, ANSWERS, GRADES, ARTICLES, GERMAN, CHINESE, SPANISH, PLANETS, FORMULAS, ABOVE,
)  # fmt: skip
