"""Questions that are one and questions that only look alike: written before the rule that tells them apart.

Siblings share a frame and differ in what they ask about; their answers differ, or are the same by chance. Paraphrases ask
the same thing in other words. Neighbours have one answer out of one sentence, and ask for different things.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Asked:
    question: str
    answer: str
    quote: str


@dataclass(frozen=True)
class Frame:
    """`{}` is who or what is asked about, `{a}` the answer."""

    question: str
    quote: str
    of: tuple[str, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Same:
    """One thing, asked in several ways, with several ways to give its answer."""

    quote: str
    questions: tuple[str, ...]
    answers: tuple[str, ...]


SIBLINGS_SEEN = (
    Frame("How long is berth {}?", "Berth {} is {a} long.", ("4", "5", "11", "40"), ("120 m", "85 m", "200 m", "64 m")),
    Frame(
        "When was the {} quay of Lindholm opened?",
        "The {} quay was opened in {a}.",
        ("north", "south", "east", "west"),
        ("1957", "1978", "1960", "2001"),
    ),
    Frame(
        "What was the revenue of {} in 2022?",
        "In 2022, {} had a revenue of {a}.",
        ("Edison", "Tesla Works", "Morland", "Hartley & Sons"),
        ("30.4 million", "18.4 million", "7 million", "9 million"),
    ),
    Frame(
        "What was Edison's profit in {}?",
        "Profit in {} was {a}.",
        ("2020", "2021", "2022", "2023"),
        ("12 million", "15 million", "16 million", "11 million"),
    ),
    Frame(
        "What is the {} age for members?",
        "The {} age for members is {a}.",
        ("minimum", "maximum", "average"),
        ("16", "70", "35"),
    ),
    Frame(
        "Which gate opens {} in the morning?",
        "{a} opens {} in the morning.",
        ("first", "second", "last"),
        ("Gate 2", "Gate 7", "Gate 9"),
    ),
    Frame(
        "Who is the inspector of turbine {} at Lake Orrin?",
        "Turbine {} at Lake Orrin is inspected by {a}.",
        ("A", "B", "C"),
        ("Berg", "Lund", "Moe"),
    ),
    Frame(
        "How many employees does the company have in {}?",
        "In {}, the company has {a} employees.",
        ("Germany", "France", "Spain", "New Zealand"),
        ("410", "77", "1,250", "33"),
    ),
    Frame(
        "When did {} Berg join the harbour board?",
        "{} Berg joined the board in {a}.",
        ("Anna", "Paul", "Ida"),
        ("2004", "2011", "2015"),
    ),
    Frame(
        "What is the highest pressure allowed in the {} circuit?",
        "In the {} circuit, {a} are allowed.",
        ("primary", "secondary", "upper", "lower"),
        ("16 bar", "9 bar", "4 bar", "2 bar"),
    ),
    Frame(
        "Wie hoch ist der Umsatz in {}?",
        "In {} beträgt der Umsatz {a}.",
        ("Hamburg", "Bremen", "Kiel"),
        ("5 Millionen Euro", "3 Millionen Euro", "2 Millionen Euro"),
    ),
    Frame("Wie tief ist das {} Becken?", "Das {} Becken ist {a} tief.", ("obere", "untere", "mittlere"), ("4 m", "6 m", "9 m")),
    Frame(
        "Quelle est la hauteur du phare de {} ?",
        "Le phare de {} mesure {a}.",
        ("Brest", "Calais", "Saint-Malo"),
        ("31 m", "51 m", "20 m"),
    ),
    Frame(
        "¿Cuál es la carga {} de la grúa?",
        "La carga {} de la grúa es de {a}.",
        ("máxima", "mínima"),
        ("12 toneladas", "1 tonelada"),
    ),
    Frame("Quante barche entrano dal molo {}?", "Dal molo {} entrano {a} barche.", ("nord", "sud", "est"), ("14", "31", "8")),
)

SIBLINGS_ASIDE = (
    Frame(
        "What does a ticket to {} cost?",
        "A ticket to {} costs {a}.",
        ("Aberdeen", "Lerwick", "Port Ellen", "Stromness"),
        ("9 euros", "14 euros", "22 euros", "31 euros"),
    ),
    Frame("How deep is basin {}?", "Basin {} is {a} deep.", ("2", "3", "12", "IV"), ("4 m", "7 m", "9 m", "11 m")),
    Frame(
        "In which year was the {} lighthouse built?",
        "The {} lighthouse was built in {a}.",
        ("old", "new", "inner", "outer"),
        ("1822", "1930", "1904", "1951"),
    ),
    Frame(
        "Who commanded the {} in the storm?",
        "The {} was commanded by {a}.",
        ("Aurora", "Bella Donna", "Castor", "HMS Dart"),
        ("Captain Reed", "Captain Holm", "Mrs. Ross", "J. Vik"),
    ),
    Frame(
        "What is the {} dose for adults?",
        "The {} dose for adults is {a}.",
        ("highest", "lowest", "usual"),
        ("2400 mg", "200 mg", "400 mg"),
    ),
    Frame(
        "What is the dose of {} for adults per day?",
        "Adults take {a} of {} a day.",
        ("ibuprofen", "paracetamol", "naproxen"),
        ("2400 mg", "4 g", "1 g"),
    ),
    Frame(
        "What may be stored {} the yellow line?",
        "{} the yellow line, {a} may be stored.",
        ("above", "below", "behind"),
        ("timber", "oil", "sand"),
    ),
    Frame(
        "How many votes did {} receive in the first round?",
        "{} received {a} votes in the first round.",
        ("Smith", "Jones", "O'Neill"),
        ("411", "380", "97"),
    ),
    Frame(
        "How many votes did Smith receive in the {} round?",
        "Smith received {a} votes in the {} round.",
        ("first", "second", "third"),
        ("411", "380", "520"),
    ),
    Frame(
        "What is the boiling point of {}?",
        "The boiling point of {} is {a}.",
        ("ethanol", "methanol", "acetone"),
        ("78 °C", "65 °C", "56 °C"),
    ),
    Frame(
        "What is the fee for {} than six people?",
        "For {} than six people, the fee is {a}.",
        ("more", "fewer"),
        ("40 euros", "25 euros"),
    ),
    Frame("Wann wurde {} Hansen geboren?", "{} Hansen wurde {a} geboren.", ("Karl", "Ida", "Jens"), ("1901", "1907", "1911")),
    Frame(
        "Wie viele Schiffe liegen im {}?", "Im {} liegen {a} Schiffe.", ("Nordhafen", "Südhafen", "Osthafen"), ("12", "20", "7")
    ),
    Frame("Wie lange gilt die Karte {} 2019?", "Die Karte gilt {} 2019 {a}.", ("vor", "nach"), ("zwei Jahre", "drei Jahre")),
    Frame(
        "Combien d'habitants la ville de {} compte-t-elle ?",
        "La ville de {} compte {a} habitants.",
        ("Nantes", "Rennes", "Le Havre"),
        ("320 000", "220 000", "166 000"),
    ),
    Frame("¿Qué barco llegó {} al puerto?", "{a} llegó {} al puerto.", ("primero", "último"), ("El Delfín", "La Gaviota")),
    Frame(
        "Qual è la temperatura {} del lago?",
        "La temperatura {} del lago è di {a}.",
        ("massima", "minima"),
        ("24 gradi", "3 gradi"),
    ),
)

PARAPHRASES_SEEN = (
    Same(
        "The north quay of Lindholm was opened in 1957.",
        (
            "When was the north quay of Lindholm opened?",
            "In which year did Lindholm's north quay open?",
            "What year was the north quay of Lindholm opened?",
        ),
        ("1957", "in 1957"),
    ),
    Same(
        "Berth 4 is 120 m long.",
        ("How long is berth 4?", "What is the length of berth 4 in metres?", "What length does berth 4 have?"),
        ("120 m", "120", "120 metres"),
    ),
    Same(
        "Turbine 1 is inspected by Berg.",
        ("Who inspects turbine 1?", "What is the name of the inspector of turbine 1?", "Which person inspects turbine 1?"),
        ("Berg",),
    ),
    Same(
        "Two cranes stand on the quay.",
        (
            "How many cranes stand on the quay?",
            "What number of cranes does the quay have?",
            "How many cranes are there on the quay?",
        ),
        ("two", "2"),
    ),
    Same(
        "A day pass costs 9 euros.",
        ("What does a day pass cost?", "How much is a day pass?", "What is the price of a day pass?"),
        ("9 euros", "9 EUR", "€9"),
    ),
    Same(
        "Berth 6 is for tugs only.",
        ("Which vessels may use berth 6?", "What kinds of ship are allowed at berth 6?"),
        ("tugs", "tugs only"),
    ),
    Same(
        "In fog, when the sight falls below 350 m, the harbour is closed.",
        ("Why is the harbour closed in fog?", "What is the reason for closing the harbour in fog?"),
        ("sight below 350 m", "The sight is below 350 m"),
    ),
    Same(
        "Fuel is delivered on Mondays by the Castor.",
        ("On which day is fuel delivered?", "What day of the week is fuel delivered on?", "When is the fuel delivered?"),
        ("Monday", "on Mondays"),
    ),
    Same(
        "Der Nordkai wurde 1957 eröffnet.",
        (
            "Wann wurde der Nordkai eröffnet?",
            "In welchem Jahr wurde der Nordkai eröffnet?",
            "In welchem Jahr eröffnete der Nordkai?",
        ),
        ("1957", "im Jahr 1957"),
    ),
    Same(
        "Eine Tageskarte kostet 9 Euro.",
        ("Was kostet eine Tageskarte?", "Wie viel kostet eine Tageskarte?", "Wie hoch ist der Preis einer Tageskarte?"),
        ("9 Euro", "9 €"),
    ),
    Same(
        "Le phare de Brest mesure 31 m.",
        ("Quelle est la hauteur du phare de Brest ?", "Combien mesure le phare de Brest ?"),
        ("31 m", "31 mètres"),
    ),
    Same(
        "La grúa levanta 12 toneladas.",
        ("¿Cuántas toneladas levanta la grúa?", "¿Cuál es la carga en toneladas que levanta la grúa?"),
        ("12", "12 toneladas"),
    ),
    Same(
        "Il molo fu costruito nel 1921.",
        ("Quando fu costruito il molo?", "In che anno fu costruito il molo?"),
        ("1921", "nel 1921"),
    ),
)

PARAPHRASES_ASIDE = (
    Same(
        "The lighthouse keeper retired in 1987 after forty years.",
        (
            "When did the lighthouse keeper retire?",
            "In what year did the keeper of the lighthouse retire?",
            "Which year did the lighthouse keeper go into retirement?",
        ),
        ("1987", "In 1987."),
    ),
    Same(
        "The tank holds 4,500 litres of diesel.",
        (
            "How much diesel does the tank hold?",
            "What is the capacity of the diesel tank?",
            "How many litres of diesel fit into the tank?",
        ),
        ("4,500 litres", "4500 l", "4500 litres of diesel"),
    ),
    Same(
        "The fine for mooring without a permit is 75 euros.",
        (
            "What is the fine for mooring without a permit?",
            "How high is the fine for mooring without a permit?",
            "How much must be paid for mooring without a permit?",
        ),
        ("75 euros", "EUR 75"),
    ),
    Same(
        "The harbour master is Ingrid Solheim.",
        ("Who is the harbour master?", "What is the harbour master's name?", "What is the harbour master called?"),
        ("Ingrid Solheim", "Ingrid Solheim is the harbour master"),
    ),
    Same(
        "Seven pilots work in the harbour.",
        ("How many pilots work in the harbour?", "What is the number of pilots working in the harbour?"),
        ("seven", "7", "Seven pilots"),
    ),
    Same(
        "The ferry to Skarholm leaves at 07:30.",
        (
            "At what time does the ferry to Skarholm leave?",
            "When does the ferry to Skarholm leave?",
            "What is the departure time of the ferry to Skarholm?",
        ),
        ("07:30", "7:30"),
    ),
    Same(
        "The hull is painted with copper paint to keep off barnacles.",
        ("Why is the hull painted with copper paint?", "For what purpose is copper paint used on the hull?"),
        ("to keep off barnacles", "It keeps off barnacles"),
    ),
    Same(
        "Ice is broken by the tug Bjorn in winter.",
        ("Which tug breaks the ice in winter?", "What is the name of the tug that breaks ice in winter?"),
        ("Bjorn", "the tug Bjorn"),
    ),
    Same(
        "Das Becken ist 7 Meter tief.",
        ("Wie tief ist das Becken?", "Welche Tiefe hat das Becken?", "Wie viele Meter ist das Becken tief?"),
        ("7 Meter", "7 m"),
    ),
    Same(
        "Die Hafenmeisterin heißt Ida Hansen.",
        ("Wie heißt die Hafenmeisterin?", "Wer ist die Hafenmeisterin?", "Wie lautet der Name der Hafenmeisterin?"),
        ("Ida Hansen",),
    ),
    Same(
        "Le bateau part à 8 heures.", ("À quelle heure part le bateau ?", "Quand part le bateau ?"), ("à 8 heures", "8 heures")
    ),
    Same("El puerto abrió en 1912.", ("¿Cuándo abrió el puerto?", "¿En qué año abrió el puerto?"), ("1912", "en 1912")),
    Same("Il biglietto costa 5 euro.", ("Quanto costa il biglietto?", "Qual è il prezzo del biglietto?"), ("5 euro", "5 €")),
)

# One sentence, one answer, two things asked for.
NEIGHBOURS_SEEN = (
    ("Berg inspects the turbine and signs the log.", "Berg", "Who inspects the turbine?", "Who signs the log?"),
    ("The quay was closed in 1990 and sold in 1990.", "1990", "When was the quay closed?", "When was the quay sold?"),
    ("Lund repairs and paints the boats.", "Lund", "Who repairs the boats?", "Who paints the boats?"),
    ("Der Kai wurde 1990 gesperrt und 1990 verkauft.", "1990", "Wann wurde der Kai gesperrt?", "Wann wurde der Kai verkauft?"),
    (
        "The lift carries 6 persons or 6 crates.",
        "6",
        "How many persons does the lift carry?",
        "How many crates does the lift carry?",
    ),
    ("Timber is unloaded and weighed at berth 3.", "berth 3", "Where is timber unloaded?", "Where is timber weighed?"),
)
NEIGHBOURS_ASIDE = (
    ("The bridge is 12 m wide and 12 m high.", "12 m", "How wide is the bridge?", "How high is the bridge?"),
    ("Moe founded the yard and Moe ruined it.", "Moe", "Who founded the yard?", "Who ruined the yard?"),
    ("Salt and coal are kept in shed 9.", "shed 9", "Where is salt kept?", "Where is coal kept?"),
    ("Le phare fut allumé et inauguré en 1904.", "1904", "Quand le phare fut-il allumé ?", "Quand le phare fut-il inauguré ?"),
    (
        "The winch is greased weekly; the anchor is greased weekly.",
        "weekly",
        "How often is the winch greased?",
        "How often is the anchor greased?",
    ),
    (
        "Die Fähre braucht 20 Minuten hin und 20 Minuten zurück.",
        "20 Minuten",
        "Wie lange braucht die Fähre hin?",
        "Wie lange braucht die Fähre zurück?",
    ),
)


def siblings(frames: tuple[Frame, ...]) -> Iterator[tuple[Asked, Asked]]:
    """Each two of a frame: with their own answers, with one answer, and with one answer and a quote that tells of both."""
    for frame in frames:
        for (one, a), (other, b) in combinations(zip(frame.of, frame.answers, strict=True), 2):
            yield _asked(frame, one, a), _asked(frame, other, b)
            yield _asked(frame, one, a), _asked(frame, other, a)
            both = f"{frame.quote.replace('{}', one).replace('{a}', a)} {frame.quote.replace('{}', other).replace('{a}', a)}"
            yield Asked(frame.question.replace("{}", one), a, both), Asked(frame.question.replace("{}", other), a, both)


def _asked(frame: Frame, of: str, answer: str) -> Asked:
    return Asked(frame.question.replace("{}", of), answer, frame.quote.replace("{}", of).replace("{a}", answer))


def paraphrases(groups: tuple[Same, ...]) -> Iterator[tuple[Asked, Asked]]:
    """Each two ways of asking, each with the next way of giving the answer."""
    for group in groups:
        for index, (one, other) in enumerate(combinations(group.questions, 2)):
            answers = [group.answers[(index + step) % len(group.answers)] for step in (0, 1)]
            yield Asked(one, answers[0], group.quote), Asked(other, answers[1], group.quote)


def neighbours(told: tuple[tuple[str, str, str, str], ...]) -> Iterator[tuple[Asked, Asked]]:
    """Two things that one sentence tells, with one answer."""
    for quote, answer, one, other in told:
        yield Asked(one, answer, quote), Asked(other, answer, quote)
