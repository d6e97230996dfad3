"""Questions' options."""

from letter_replies.model import OptionSet


def _traits(*names: str) -> frozenset[str]:
    return frozenset(names)


ORGANELLES = OptionSet(
    "fifth organelles",
    "en",
    ("The nucleus", "The Golgi apparatus", "The ribosome", "The lysosome"),
    _traits("nouns", "common"),
    (
        ("‹XT› is surrounded by a double membrane.", "‹XT› holds most of the cell's DNA."),
        ("‹XT› packages proteins into vesicles.", "‹XT› was described by an Italian physician."),
        ("‹XT› consists of two subunits.", "‹XT› is found in bacteria as well."),
        ("‹XT› contains digestive enzymes.", "‹XT› has an acidic interior."),
    ),
    (
        ("‹XT› plays no part in this process.", "It cannot be ‹Xt›, because prokaryotes don't have one."),
        ("‹XT› only comes in at a later stage.", "Option ‹X› is wrong: ‹Xt› modifies proteins, it does not make them."),
        ("‹XT› has no membrane, so ‹X› is ruled out.", "‹X› doesn't fit, since ‹Xt› is not an endomembrane structure."),
        (
            "‹XT› breaks molecules down, which is the opposite of what is asked.",
            "‹X› is incorrect because it names a waste-disposal organelle.",
        ),
    ),
)

SCIENTISTS = OptionSet(
    "fifth scientists",
    "en",
    ("Marie Curie", "Lise Meitner", "Rosalind Franklin", "Dorothy Hodgkin", "Barbara McClintock"),
    _traits("nouns"),
    (
        ("‹XT› was born in Warsaw.", "‹XT› worked in Paris for most of her life."),
        ("‹XT› fled to Sweden in 1938.", "Element 109 is named after ‹XT›."),
        ("‹XT› studied at Cambridge.", "‹XT› took the picture known as Photo 51."),
        ("‹XT› taught Margaret Thatcher chemistry at Oxford.", "Vitamin B12 was one of the structures ‹XT› worked out."),
        ("‹XT› grew maize at Cold Spring Harbor.", "‹XT› held a PhD in botany from Cornell."),
    ),
    (
        ("‹XT› died in 1934, which is too early.", "Option ‹X› is out, since ‹XT› received the prize twice."),
        (
            "‹XT› never received a Nobel Prize, so ‹X› can be crossed off.",
            "‹XT› was a physicist, whereas the question asks for a biologist.",
        ),
        ("‹XT› had already died by then, so it can't be ‹X›.", "‹X› is not the answer: ‹XT› was never nominated."),
        ("‹XT› worked on crystals and not on genetics.", "‹X› does not match the date given in the question."),
        ("‹XT› was American, whereas the question asks for a European.", "‹X› is wrong because ‹XT› won alone."),
    ),
)

ECONOMICS = OptionSet(
    "fifth economics",
    "en",
    (
        "Consumers buy less of a good when its price goes up",
        "A tax always raises the price by its full amount",
        "Imports fall whenever the exchange rate falls",
        "Wages are set by the government alone",
    ),
    _traits(),
    (
        ("“‹XT›” is a statement about demand.",),
        ("“‹XT›” is a statement about who bears a tax.",),
        ("“‹XT›” concerns foreign trade.",),
        ("“‹XT›” concerns the labour market.",),
    ),
    (
        ("‹X› does not hold for Giffen goods.", "Statement ‹X› is about demand, while the graph shows supply."),
        ("‹X› is too strong because the burden is usually shared.", "The word “always” makes ‹X› false."),
        ("‹X› ignores elasticities.", "‹X› is wrong because this need not happen in the short run."),
        ("‹X› is plainly false in a market economy.", "“‹XT›” is contradicted by the passage."),
    ),
)

SPEEDS = OptionSet(
    "fifth speeds",
    "any",
    ("1.5 m/s", "3.2 m/s", "4.8 m/s", "6.4 m/s", "7.7 m/s", "9.6 m/s", "14 m/s", "19 m/s", "28 m/s", "36 m/s"),
    _traits("nouns", "symbols"),
    (
        ("‹XT› is about walking pace.",),
        ("‹XT› is roughly 11.5 km/h.",),
        ("‹XT› is half of the speed before the collision.",),
        ("‹XT› is the speed of the second cart.",),
        ("‹XT› is the average over the first two seconds.",),
        ("‹XT› is the speed before the collision.",),
        ("‹XT› is what the ball reaches after 10 m.",),
        ("‹XT› is about 68 km/h.",),
        ("‹XT› is around 100 km/h.",),
        ("‹XT› is close to 130 km/h.",),
    ),
    (
        ("‹XT› is far too slow.",),
        ("‹XT› comes from dividing by the mass twice, which is a mistake.",),
        ("You only get ‹XT› if you forget the factor of two.",),
        ("‹X› results from using g = 10 instead of 9.8, so it is slightly off.",),
        ("‹XT› would violate conservation of momentum.",),
        ("‹X› cannot be right because some energy is lost.",),
        ("‹XT› is what you get when you confuse the area A with the radius.",),
        ("‹X› is off by a factor of two.",),
        ("‹XT› exceeds the maximum possible value.",),
        ("‹X› is far too large.",),
    ),
)

PROBABILITIES = OptionSet(
    "fifth probabilities",
    "any",
    (
        "$P(A) + P(B)$",
        "$P(A)\\,P(B)$",
        "$P(A) + P(B) - P(A \\cap B)$",
        "$1 - P(A)$",
        "$\\frac{P(A \\cap B)}{P(B)}$",
    ),
    _traits("symbols"),
    (
        ("‹XT› is the probability of the union when A and B are disjoint.",),
        ("‹XT› is the probability of the intersection when A and B are independent.",),
        ("‹XT› is the inclusion–exclusion formula.",),
        ("‹XT› is the probability of the complement of A.",),
        ("‹XT› is the definition of a conditional probability.",),
    ),
    (
        ("‹XT› can exceed 1, so ‹X› is impossible.", "‹X› counts the overlap twice."),
        ("‹X› requires independence, which is not given.", "‹XT› would only hold if A and B were independent."),
        ("‹X› is the formula for the union, not for what is asked.",),
        ("‹XT› does not involve B at all, so ‹X› drops out.",),
        ("‹X› divides by P(B), which may be zero here, so it is not a safe choice.",),
    ),
)

INTEGRALS = OptionSet(
    "fifth integrals",
    "any",
    ("\\(2x e^{x}\\)", "\\(x^2 e^{x} + C\\)", "\\((x-1)e^{x} + C\\)", "\\(\\ln|x| + C\\)"),
    _traits("symbols"),
    (
        ("‹XT› contains no constant of integration.",),
        ("‹XT› has the derivative \\((x^2+2x)e^x\\).",),
        ("‹XT› vanishes at x = 1 when C = 0.",),
        ("‹XT› is not defined at zero.",),
    ),
    (
        ("‹X› lacks the constant C.",),
        ("Differentiating ‹XT› does not give back the integrand.",),
        ("‹X› has the wrong sign at the origin.",),
        ("‹XT› is the antiderivative of 1/x, so ‹X› is out.",),
    ),
)

COUNTS = OptionSet(
    "fifth counts",
    "any",
    ("17", "24", "42", "108", "256"),
    _traits("nouns", "symbols"),
    (
        ("‹XT› is prime.",),
        ("‹XT› equals 4 factorial.",),
        ("‹XT› is divisible by 7.",),
        ("‹XT› is divisible by 9.",),
        ("‹XT› is a power of two.",),
    ),
    (
        ("‹XT› is odd, so ‹X› can be discarded.",),
        ("‹X› counts only half of the arrangements.",),
        ("‹XT› isn't divisible by 4, which rules out ‹X›.",),
        ("‹X› counts some arrangements twice.",),
        ("‹X› forgets that repetition is not allowed.",),
    ),
)

YES_NO = OptionSet("fifth yes or no", "en", ("Yes", "No"), _traits("verbal"))

ALWAYS = OptionSet("fifth always", "en", ("Always true", "Sometimes true", "Never true"), _traits("verbal"))

GRADES = OptionSet("fifth grades", "any", ("C", "A", "D", "B"), _traits("letters", "symbols"))

BASES = OptionSet("fifth bases", "any", ("T", "G", "A", "C"), _traits("letters", "symbols"))

STUDY = OptionSet(
    "fifth study",
    "en",
    ("Use a control group", "Increase the sample size", "Assign participants at random", "Both A and C", "None of the above"),
    _traits("above"),
)

LONG = OptionSet(
    "fifth long",
    "en",
    (
        "The contract is void, because the seller knew about the defect and deliberately failed to "
        "tell the buyer, who could not "
        "have discovered it on inspection",
        "The contract is valid, since the buyer had ample opportunity to inspect the house and "
        "signed a clause accepting it in its "
        "present state",
        "The buyer may reduce the price, but cannot withdraw, as long as the defect can be repaired "
        "at reasonable cost within a "
        "few weeks",
        "The seller owes damages only if a court finds that an ordinary person would have mentioned "
        "the defect without being asked",
    ),
    _traits(),
    (
        ("‹X› is about what the seller knew.",),
        ("‹X› relies on the clause in the contract.",),
        ("‹X› deals with the price.",),
        ("‹X› introduces a reasonable-person test.",),
    ),
    (
        ("‹X› is wrong because the defect was visible.",),
        ("‹X› overlooks the seller's duty to disclose.",),
        ("‹X› has no basis in the facts, since repair is impossible.",),
        ("‹X› applies the wrong legal standard.",),
    ),
)

BODIES = OptionSet(
    "fifth Verfassungsorgane",
    "de",
    ("Der Bundestag", "Der Bundesrat", "Das Bundesverfassungsgericht", "Die Bundesversammlung"),
    _traits("nouns", "common"),
    (
        ("‹XT› tagt im Reichstagsgebäude.",),
        ("‹XT› vertritt die Länder.",),
        ("‹XT› hat seinen Sitz in Karlsruhe.",),
        ("‹XT› tritt in der Regel alle fünf Jahre zusammen.",),
    ),
    (
        ("‹XT› ist dafür nicht zuständig.", "‹X› scheidet aus, denn ‹Xt› wird vom Volk gewählt."),
        (
            "‹XT› wirkt hier zwar mit, entscheidet aber nicht selbst.",
            "‹X› ist falsch, weil es um den Bund und nicht um die Länder geht.",
        ),
        ("‹XT› prüft Gesetze nur, es beschließt sie nicht, also ist ‹X› falsch.",),
        ("‹XT› wählt nur den Bundespräsidenten, also fällt ‹X› weg.",),
    ),
)

RIVERS = OptionSet(
    "fifth fleuves",
    "fr",
    ("La Loire", "La Seine", "Le Rhône", "La Garonne"),
    _traits("nouns", "common"),
    (
        ("‹XT› se jette dans l'Atlantique.",),
        ("‹XT› traverse Rouen.",),
        ("‹XT› prend sa source en Suisse.",),
        ("‹XT› naît dans les Pyrénées.",),
    ),
    (
        ("‹XT› ne passe pas par cette ville.",),
        ("‹XT› coule trop au nord, donc ‹X› est exclue.",),
        ("‹XT› se jette dans la Méditerranée, ce qui écarte ‹X›.",),
        ("‹X› ne convient pas, car ‹Xt› est plus courte.",),
    ),
)

PHOTOSYNTHESIS = OptionSet(
    "fifth fotosíntesis",
    "es",
    (
        "Las plantas absorben dióxido de carbono por los estomas",
        "Las raíces producen glucosa durante la noche",
        "La clorofila refleja sobre todo la luz roja",
        "El oxígeno procede del dióxido de carbono",
    ),
    _traits(),
    (
        ("La afirmación ‹X› trata del intercambio de gases.",),
        ("La afirmación ‹X› habla de las raíces.",),
        ("La afirmación ‹X› habla de la luz.",),
        ("La afirmación ‹X› trata del origen del oxígeno.",),
    ),
    (
        ("‹X› describe la entrada de gases, no lo que se pregunta.",),
        ("‹X› es falsa porque las raíces no hacen la fotosíntesis.",),
        ("‹X› es incorrecta, ya que la clorofila refleja la luz verde.",),
        ("‹X› se descarta: el oxígeno viene del agua.",),
    ),
)

DYNASTIES = OptionSet(
    "fifth 朝代",
    "zh",
    ("唐朝", "宋朝", "元朝", "明朝"),
    _traits("nouns"),
    (("‹XT›的都城是长安。",), ("‹XT›分为北方和南方两个时期。",), ("‹XT›由蒙古人建立。",), ("‹XT›修建了北京的紫禁城。",)),
    (
        ("‹XT›的时间太早，所以‹X›不对。",),
        ("‹X›不符合题意，因为‹XT›时还没有这种制度。",),
        ("‹XT›持续时间不到一百年，可以排除‹X›。",),
        ("‹X›错误，‹XT›已经是后来的事了。",),
    ),
)

PREFECTURES = OptionSet(
    "fifth 都道府県",
    "ja",
    ("北海道", "青森県", "長野県", "沖縄県"),
    _traits("nouns"),
    (
        ("‹XT›は日本で一番北にあります。",),
        ("‹XT›はりんごの産地として知られています。",),
        ("‹XT›には海がありません。",),
        ("‹XT›は多くの島からなります。",),
    ),
    (
        ("‹XT›は面積が大きすぎるので、‹X›は除外できます。",),
        ("‹X›は誤りです。‹XT›は本州にあるからです。",),
        ("‹XT›は内陸県なので、‹X›は当てはまりません。",),
        ("‹X›は条件に合いません。",),
    ),
)

CAPITALS_PT = OptionSet(
    "fifth cidades",
    "pt",
    ("Salvador", "Recife", "Manaus", "Porto Alegre", "Belém"),
    _traits("nouns"),
    (
        ("‹XT› foi a primeira capital do Brasil.",),
        ("‹XT› é conhecida pelas suas pontes.",),
        ("‹XT› fica às margens do Rio Negro.",),
        ("‹XT› é banhada pelo Guaíba.",),
        ("‹XT› fica perto da foz do Amazonas.",),
    ),
    (
        ("‹XT› não fica na região Norte, portanto a ‹X› está errada.",),
        ("A ‹X› está incorreta, pois ‹XT› é uma cidade litorânea.",),
        ("‹XT› não tem saída para o mar, o que elimina a ‹X›.",),
        ("‹XT› fica no Sul, logo descartamos a ‹X›.",),
        ("A ‹X› não atende ao enunciado.",),
    ),
)

OPTION_SETS = (
    ORGANELLES,
    SPEEDS,
    ECONOMICS,
    GRADES,
    SCIENTISTS,
    YES_NO,
    PROBABILITIES,
    STUDY,
    LONG,
    BODIES,
    ALWAYS,
    COUNTS,
    RIVERS,
    INTEGRALS,
    PHOTOSYNTHESIS,
    BASES,
    DYNASTIES,
    PREFECTURES,
    CAPITALS_PT,
)
