"""Option sets: exam questions of many subjects."""

from __future__ import annotations

from letter_replies.model import OptionSet


def _set(
    name: str,
    language: str,
    texts: tuple[str, ...],
    traits: str = "",
    facts: tuple[tuple[str, ...], ...] = (),
    objections: tuple[tuple[str, ...], ...] = (),
) -> OptionSet:
    return OptionSet(name, language, texts, frozenset(traits.split()), facts, objections)


OPTION_SETS = (
    # A man under treatment for heart failure notices swelling of both breasts; which drug?
    _set(
        "diuretics",
        "en",
        ("Furosemide", "Spironolactone", "Hydrochlorothiazide", "Acetazolamide"),
        "nouns common",
        (
            ("‹XT› acts on the thick ascending limb of the loop of Henle.",),
            ("‹XT› blocks aldosterone receptors in the collecting duct.",),
            ("‹XT› acts on the distal convoluted tubule.",),
            ("‹XT› inhibits carbonic anhydrase in the proximal tubule.",),
        ),
        (
            (
                "‹XT› does not explain the breast swelling, so it can be excluded.",
                "It isn't ‹Xt›, which has no hormonal side effects.",
            ),
            ("‹XT› can be excluded because the potassium level would be high.",),
            ("‹X› is wrong: thiazides do not bind androgen receptors.",),
            ("‹XT› is not used for heart failure, which rules it out.",),
        ),
    ),
    # Where does beta oxidation take place?
    _set(
        "organelles",
        "en",
        ("The Golgi apparatus", "The mitochondrion", "The nucleolus", "The lysosome", "The smooth endoplasmic reticulum"),
        "nouns common",
        (
            ("‹XT› sorts proteins and sends them to their destinations.",),
            ("‹XT› has two membranes and a small genome of its own.",),
            ("‹XT› lies inside the nucleus and makes ribosomal RNA.",),
            ("‹XT› holds enzymes that work at an acid pH.",),
            ("‹XT› is studied in every introductory cell biology course.",),
        ),
        (
            ("‹XT› has nothing to do with fatty acids, so it is out.",),
            ("‹XT› cannot be meant, because the cell in question has none.",),
            ("‹X› is incorrect, as no fuel is burnt there.",),
            ("‹XT› breaks down waste, which is not what we are looking for.",),
            ("Option ‹X› makes lipids instead of burning them, so it must be rejected.",),
        ),
    ),
    # An uncle promises his nephew money and goes back on it.
    _set(
        "promise",
        "en",
        (
            "The contract is void for lack of consideration",
            "The promise is enforceable because the nephew relied on it",
            "The statute of frauds bars any recovery",
            "The nephew may recover nominal damages at most",
        ),
        "common",
        (),
        (
            ("‹X› overlooks that reliance can take the place of consideration.",),
            ("‹X› fails, since the nephew did nothing in reliance on the promise.",),
            ("Option ‹X› is wrong because the promise could be performed within a year.",),
            ("‹X› has to be rejected, as the loss was considerable.",),
        ),
    ),
    # A long fact pattern on evidence, as in bar exams.
    _set(
        "hearsay",
        "en",
        (
            "Admissible, because the statement was made while the declarant was still under the "
            "stress of the event it describes",
            "Admissible, but only to show its effect on the person who heard it and not for the truth of what it asserts",
            "Inadmissible, because the declarant is available and could have been called to the stand by either party",
            "Inadmissible, because its probative value is substantially outweighed by the danger of unfair prejudice",
        ),
        "common",
    ),
    # (17 - 5) * 4 + 6
    _set(
        "sums",
        "any",
        ("42", "54", "63", "78"),
        "nouns symbols",
        (
            ("‹XT› is the product of 6 and 7.",),
            ("‹XT› is divisible by 9.",),
            ("‹XT› is an odd number.",),
            ("‹XT› has the prime factors 2, 3 and 13.",),
        ),
        (
            ("‹XT› is too small, since 12 times 4 is already more.",),
            ("‹XT› cannot be right, because the product has to be added twice.",),
            ("‹XT› is odd, but the sum must be even, so it is out.",),
            ("‹X› ignores the brackets, so we can drop it.",),
        ),
    ),
    # A bag of marbles.
    _set("chances", "any", ("12.5%", "30%", "37.5%", "50%", "62.5%"), "nouns symbols"),
    # The derivative of exp(x²).
    _set(
        "derivative",
        "any",
        ("$e^{x^2}$", "$2x\\,e^{x^2}$", "$x^2 e^{x^2-1}$", "$2x\\,e^{2x}$"),
        "nouns symbols",
        (
            ("‹XT› equals 1 at $x = 0$.",),
            ("‹XT› is zero at $x = 0$.",),
            ("‹XT› is an even function.",),
            ("‹XT› changes its sign at the origin.",),
        ),
        (
            ("‹XT› leaves out the inner derivative, so it is not correct.",),
            ("‹XT› cannot be right, as its sign is wrong for negative $x$.",),
            ("‹X› applies the power rule to an exponential, which is not allowed.",),
            ("‹XT› differentiates the exponent inside the exponential, so this one fails.",),
        ),
    ),
    # What does the snippet print?
    _set(
        "python",
        "any",
        ("`[1, 2, 3]`", "`[1, 2, 3, 4]`", "`None`", "`TypeError`"),
        "nouns symbols",
        (
            ("‹XT› is the list as it is created in the first line.",),
            ("‹XT› has four elements.",),
            ("‹XT› is what a function without a `return` statement gives back.",),
            ("‹XT› is raised when an operand has an unsuitable type.",),
        ),
        (
            ("‹XT› cannot be printed, because the list has been changed by then.",),
            ("‹XT› is not printed, since the name refers to something else by then.",),
            ("‹XT› would require `print` to receive the result of `append`, which it does not.",),
            ("‹X› is wrong: nothing in this snippet raises an exception.",),
        ),
    ),
    # Which code computes the factorial?
    _set(
        "factorial",
        "any",
        (
            "`return 1 if n == 0 else n * f(n - 1)`",
            "`return n * f(n - 1)`",
            "`return sum(range(1, n + 1))`",
            "`return n ** n`",
        ),
        "symbols",
    ),
    # Which settlement ended the Thirty Years' War?
    _set(
        "treaties",
        "en",
        ("The Congress of Vienna", "The Peace of Westphalia", "The Treaty of Utrecht", "The Treaty of Versailles"),
        "nouns common",
        (
            ("‹XT› met in 1814 and 1815 under the chairmanship of Metternich.",),
            ("‹XT› was negotiated in Münster and Osnabrück.",),
            ("‹XT› recognised Philip V as king of Spain.",),
            ("‹XT› was signed in a hall of mirrors.",),
        ),
        (
            ("‹XT› came almost two centuries too late, so it is not the one.",),
            ("‹XT› concerned another war, so it can be set aside.",),
            ("‹X› belongs to the War of the Spanish Succession and is therefore out.",),
            ("‹XT› followed the First World War, which excludes it.", "We can rule out ‹Xt›, as it dates from 1919."),
        ),
    ),
    _set("years", "any", ("1492", "1519", "1607", "1776", "1812"), "nouns symbols"),
    # A passage about a harbour.
    _set(
        "harbour",
        "en",
        (
            "The author thinks of the old harbour chiefly as a place of refuge",
            "The author blames the town council for the decline of the fishing trade",
            "The author doubts that the new bridge will bring back the visitors",
            "The author remembers the ferry with more amusement than regret",
        ),
        "common",
        (),
        (
            ("‹X› is not supported, because the storm is mentioned only once.",),
            ("‹X› can be ruled out, since the council does not appear before the last line.",),
            ("Option ‹X› contradicts the second paragraph, where the bridge is praised.",),
            ("‹X› misses the tone of the final sentence, so it is wrong.",),
        ),
    ),
    # What can be inferred about the word 'temper' in line 14?
    _set("word", "en", ("Moderate", "Anger", "Harden", "Mood"), "nouns common"),
    _set("statement", "en", ("True", "False"), "verbal common"),
    _set("trial", "en", ("Yes", "No", "Maybe"), "verbal common"),
    _set("entailment", "en", ("Entailment", "Contradiction", "Neutral"), "common"),
    _set("risk factors", "en", ("Smoking", "Hypertension", "Diabetes mellitus", "All of the above"), "common above"),
    _set("contract parts", "en", ("Offer", "Acceptance", "Consideration", "Both A and B", "None of the above"), "common above"),
    _set("premises", "en", ("I only", "II only", "Both I and II", "Neither I nor II")),
    # Which vitamin is needed for clotting?
    _set("vitamins", "en", ("E", "K", "H", "F"), "letters"),
    # Ten options as in the harder exams.
    _set(
        "gases",
        "en",
        (
            "Helium",
            "Neon",
            "Argon",
            "Krypton",
            "Xenon",
            "Nitrogen",
            "Oxygen",
            "Hydrogen",
            "Ozone",
            "Methane",
        ),
        "nouns common",
        (
            ("‹XT› was first detected in the spectrum of the sun.",),
            ("‹XT› glows red in discharge tubes.",),
            ("‹XT› was discovered by Rayleigh and Ramsay.",),
            (),
            ("‹XT› is the heaviest of the stable noble gases.",),
            ("‹XT› boils at 77 kelvin.",),
            ("‹XT› is paramagnetic in its liquid state.",),
            ("‹XT› is the lightest of all the elements.",),
            ("‹XT› has a pungent smell.",),
            ("‹XT› is the main part of natural gas.",),
        ),
        (
            ("‹XT› is too light to be held by the atmosphere in that amount, so it is out.",),
            (),
            (),
            ("‹XT› is far too rare, so it cannot be the one.",),
            ("There is hardly any ‹Xt› in the air, so it cannot be meant.",),
            ("‹XT› makes up 78 percent, which is much too much.",),
            ("‹XT› makes up 21 percent, so it isn't the one we need.",),
            (),
            ("‹X› is wrong, since there is next to none of it near the ground.",),
            (),
        ),
    ),
    # Which king was crowned emperor in 962?
    _set(
        "kaiser",
        "de",
        ("Karl der Große", "Otto der Große", "Heinrich der Löwe", "Friedrich Barbarossa"),
        "nouns",
        (
            ("‹XT› residierte gern in Aachen.",),
            ("‹XT› siegte 955 auf dem Lechfeld.",),
            ("‹XT› gründete München.",),
            ("‹XT› nahm am dritten Kreuzzug teil.",),
        ),
        (
            ("‹XT› lebte eineinhalb Jahrhunderte früher und scheidet daher aus.",),
            ("‹XT› kommt nicht infrage, weil die Jahreszahl nicht passt.",),
            ("‹XT› war nie Kaiser und fällt deshalb weg.",),
            ("‹X› ist falsch, denn im Jahr 962 war er noch gar nicht geboren.",),
        ),
    ),
    # Purchase law.
    _set(
        "kaufrecht",
        "de",
        (
            "Der Käufer kann Nacherfüllung verlangen",
            "Der Käufer kann sofort vom Vertrag zurücktreten",
            "Der Verkäufer haftet wegen des Ausschlusses nicht",
            "Der Vertrag ist wegen Irrtums nichtig",
        ),
        "common",
        (),
        (
            ("‹X› scheidet aus, weil die Frist verstrichen ist.",),
            ("‹X› übersieht, dass zuerst eine Frist gesetzt werden muss.",),
            ("‹X› ist falsch, da der Mangel arglistig verschwiegen wurde.",),
            ("‹X› passt nicht, denn es wurde keine Anfechtung erklärt.",),
        ),
    ),
    # Which organ secretes insulin?
    _set(
        "organes",
        "fr",
        ("Le foie", "Le pancréas", "La rate", "La vésicule biliaire"),
        "nouns common",
        (
            ("‹XT› pèse environ un kilo et demi chez l'adulte.",),
            ("‹XT› se trouve derrière l'estomac.",),
            ("‹XT› filtre le sang.",),
            ("‹XT› se contracte après un repas gras.",),
        ),
        (
            ("‹XT› ne produit pas cette hormone, on peut donc l'écarter.",),
            ("‹XT› est à exclure au vu des analyses.",),
            ("‹XT› n'a aucune fonction endocrine de ce genre, ce n'est donc pas elle.",),
            ("‹X› est fausse : il s'agit d'un simple réservoir.",),
        ),
    ),
    # Which river crosses Zaragoza?
    _set(
        "ríos",
        "es",
        ("El Ebro", "El Tajo", "El Duero", "El Guadalquivir"),
        "nouns common",
        (
            ("‹XT› nace en Cantabria.",),
            ("‹XT› es el más largo de la península.",),
            ("‹XT› desemboca en Oporto.",),
            ("‹XT› es navegable hasta Sevilla.",),
        ),
        (
            ("‹XT› queda descartado porque desemboca en el otro mar.",),
            ("‹XT› no pasa por esa ciudad, así que no puede ser.",),
            ("‹X› es incorrecta, ya que ese río corre más al oeste.",),
            ("‹XT› está en Andalucía, por lo que se descarta.",),
        ),
    ),
    # Who wrote the Decameron?
    _set(
        "scrittori",
        "it",
        ("Dante Alighieri", "Francesco Petrarca", "Giovanni Boccaccio", "Ludovico Ariosto"),
        "nouns",
        (
            ("‹XT› morì a Ravenna.",),
            ("‹XT› fu incoronato poeta in Campidoglio.",),
            ("‹XT› visse a lungo a Certaldo.",),
            ("‹XT› fu al servizio degli Estensi.",),
        ),
        (
            ("‹XT› è da escludere, perché morì prima della peste.",),
            ("‹XT› non scrisse novelle, quindi non può essere lui.",),
            ("‹X› è sbagliata, dato che l'opera non è in prosa.",),
            ("‹XT› visse due secoli dopo e va quindi scartato.",),
        ),
    ),
    # Which process releases the oxygen that we breathe?
    _set(
        "processos",
        "pt",
        ("A fotossíntese", "A respiração celular", "A fermentação", "A quimiossíntese"),
        "nouns common",
        (
            ("‹XT› ocorre nos cloroplastos.",),
            ("‹XT› termina na mitocôndria.",),
            ("‹XT› é usada na fabricação do pão.",),
            ("‹XT› foi descrita por Winogradsky.",),
        ),
        (
            ("‹XT› exige luz, o que aqui não há, portanto está descartada.",),
            ("‹XT› consome oxigênio, logo não pode ser.",),
            ("‹X› está errada, pois o processo não libera oxigênio.",),
            ("‹XT› é feita só por bactérias, por isso fica excluída.",),
        ),
    ),
    # Who founded the Song?
    _set(
        "皇帝",
        "zh",
        ("唐太宗", "宋太祖", "汉武帝", "康熙帝"),
        "nouns",
        (
            ("‹XT›的年号是贞观。",),
            ("‹XT›原名赵匡胤。",),
            ("‹XT›曾派张骞出使西域。",),
            ("‹XT›在位六十一年。",),
        ),
        (
            ("‹XT›生活在更早的朝代，可以排除。",),
            ("‹XT›与题干的时间不符，应排除。",),
            ("‹X›项错误，因为朝代对不上。",),
            ("‹XT›是清朝皇帝，不符合题意。",),
        ),
    ),
    # A reading passage.
    _set(
        "阅读",
        "zh",
        (
            "作者认为传统手艺应当完全保持原样",
            "作者主张在保护的基础上加以创新",
            "作者对年轻人学习手艺持怀疑态度",
            "作者批评了博物馆的展览方式",
        ),
    ),
    # Who opened the shogunate in Edo?
    _set(
        "武将",
        "ja",
        ("徳川家康", "豊臣秀吉", "織田信長", "明智光秀"),
        "nouns",
        (
            ("‹XT›は三河の生まれです。",),
            ("‹XT›は大坂城を築きました。",),
            ("‹XT›は安土城を築きました。",),
            ("‹XT›は丹波を治めていました。",),
        ),
        (
            ("‹XT›は年代が合わないので除外できます。",),
            ("‹XT›は将軍になっていないため、当てはまりません。",),
            ("‹X›は誤りです。その頃にはもう亡くなっています。",),
            ("‹XT›は幕府を開いていないので、違います。",),
        ),
    ),
)
