"""Words that turn a sentence round: negations, opposites, words for numbers; in English, German, French, Spanish, Italian.

All are told apart without accents, in small letters. A star stands for an ending of up to four letters. What is missing in a
list is one thing more that is not told apart: add it to its line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

_NEGATIONS = """
no not none never neither nor nobody nothing nowhere cannot without unless except excluding hardly scarcely barely rarely
seldom only nicht nichts nie niemals niemand* nirgends kein keine keiner keinem keinen keines weder ohne kaum selten ausser
ne pas jamais aucun aucune rien nul nulle sans sauf guere ni nunca nadie nada ningun* jamas sin salvo tampoco apenas
nessun* niente nulla mai senza tranne neppure neanche nemmeno non nur
"""
_POLES = """
max maxim* highest largest biggest greatest most hochst* grosst* massim*
min minim* lowest smallest least niedrigst* tiefst* kleinst* mindest*
more mehr mas piu
less fewer weniger moins menos meno
higher hoher* superieur* superior*
lower niedriger* inferieur* inferior*
upper ober* arriba haut
lower unter* abajo bas
above over oberhalb uber* dessus encima sopra
below under beneath unterhalb dessous debajo sotto
inside inner inward* innen* inner* interieur* interior* dentro interno interna
outside outer outward* aussen* ausser* exterieur* exterior* fuera fuori esterno esterna
internal intern*
external extern* estern*
inbound incoming inward
outbound outgoing outward
first erst* premier* primer* primo prima
second zweit* deuxieme* segund* secondo seconda
third dritt* troisieme* tercer* terz*
fourth viert* quatrieme* cuart* quart*
fifth funft* cinquieme* quint*
sixth sechst* sixieme* sext* sest*
seventh siebt* septieme* septim* settim*
eighth acht* huitieme* octav* ottav*
ninth neunt* neuvieme* noven*
tenth zehnt* dixieme* decim*
last latest final letzt* dernier* ultim*
next nachst* prochain* suivant* siguiente* prossim*
previous former vorig* ehemalig* precedent* anterior*
earliest earlier early fruh*
later late spat*
before vor bevor vorher avant antes
after nach nachdem nachher apres despues dopo
until till bis jusqu* hasta fino
since seit depuis desde
end* ended end
north* nord norden nordlich* norte
south* sud suden sudlich*
east* ost osten ostlich*
west* westen westlich* ouest oeste ovest
left link* gauche izquierd* sinistr*
right recht* droite derech* destr*
top upside
bottom
front vorn* vorder*
rear hinten hinter*
off outage
open* offn* offen* geoffn* ouvert* ouvr* abiert* abri* apert* apri* apr*
clos* shut* schliess* geschlossen* ferm* cerrad* cerr* chius* chiud*
old older oldest alt alte alten alter altes vieux vieille* ancien* viej* vecchi*
new newer newest neu neue neuen neuer neues nouveau* nouvel* nuev* nuov*
young* jung* jeune* joven* giovan*
big bigger large larger great greater gross grosse grossen grosser grosses grand grande grands grandi
small smaller little klein kleine kleinen kleiner kleines petit* pequen* piccol*
long longer longest lang* largo larga lungo lunga
short shorter shortest kurz* court* corto corta cort*
wide* breit* ancho ancha
narrow* schmal* etroit* estrech* strett*
deep deeper deepest
shallow* flach*
heavy heavier heaviest schwer* lourd* pesad* pesant*
light lighter lightest leicht* leger* liger* legger*
fast* schnell*
slow* langsam* lent*
hot hotter hottest heiss* chaud* calient* cald*
cold* kalt* froid* fri* fredd*
strong* stark*
weak* schwach*
full voll vollem vollen llen* pien*
empty leer* vide* vaci* vuot*
night nights nacht* nachts nuit* noche* nott*
evening abend* soir soiree sera
morning matin mattin*
summer sommer* ete verano estate
winter* hiver invierno inverno
male mannlich* man men mann manner homme* hombre* uomo uomini
female weiblich* woman women frau* femme* mujer* donn*
father vater pere padre
mother mutter mere madre
brother* bruder* frere* hermano fratell*
sister* schwester* soeur* hermana sorell*
son sons sohn sohne fils hijo figlio
daughter* tochter* fille* hija figlia
buyer* kaufer* acheteur* comprador* comprator* acquirent*
seller* verkaufer* vendeur* vendedor* venditor*
employer*
employee*
lender*
borrower*
lessor*
lessee*
import* einfuhr*
export* ausfuhr* esport*
income einnahm*
expense* ausgab* expenditure
profit* gewinn* benefic* gananc* guadagn*
loss losses verlust* perte* perdid* perdit*
asset*
liabilit*
supply supplies
demand*
increas* rise* rose raise* grow* grew steig* stieg* gestieg* erhoh* augment* aument*
decreas* fall fell falls drop* shrink* sink* sank* gesunk* senk* dimin* dismin*
gain* won winn* win
lost lose* losing
add added adds
remov*
excludes excluded exclude
accept* angenomm* accett*
reject* abgelehn* refus* rechaz* rifiut*
forbid* prohibit* verboten* interdit* prohibid* vietat*
disabl*
fail* gescheit*
false
best besser* mejor* miglior*
worst worse schlecht* pire* peor* peggior*
positive* positiv*
negative* negativ*
primary
secondary
senior
junior
public* offentlich*
private* privat*
domestic*
foreign*
eingeschalt* einschalt*
ausgeschalt* ausschalt*
always immer toujours siempre sempre
often oft souvent
entrance entry entree* entrad* entrat* eingang*
exit* sortie* salid* uscit* ausgang*
"""
"""Each line is one pole: words that say the same, which those of another line deny. Of a pair whose one word has other uses
(day, begin) the other alone stands here: what has it differs from what has it not."""
_FUNCTION = """
in out on off up down back from with to both each every some any all either may must shall should will would can could might
is are was were has have had ab auf aus ein an zu mit alle alles manche* muss mussen soll* darf durf* kann konn* wird werd*
wurd* ist sind war waren hat haben hatt* avec tous tout toute* chaque doit doivent peut peuvent con todo* cada debe* puede*
ogni tutt* deve devono puo possono besides against another already
these those where there their about above
million* billion* trillion* milliard* millon* billon* milion* miliard* bilion* half halve* quarter* double* triple* doppelt*
prescrib* proscrib* prescript* proscript* micro* macro* absorb* adsorb* adapt* adopt* nitrat* nitrit* sulfat* sulfit* sulphat*
sulphit* chlorat* chlorit* phosphat* phosphit* konnt* musst* wart* desert* dessert* causal* casual* perform* preform* alkan*
alken* alkyn*
"""
"""Words whose letters may not be mended, besides: of the closed classes, and such as are one letter from another sense."""
_NUMBERS = """
0 zero null cero
1 one eins
2 two zwei deux dos due twice
3 three drei trois tres tre
4 four vier quatre cuatro quattro
5 five funf cinq cinco cinque
6 six sechs seis sei
7 seven sieben sept siete sette
8 eight acht huit ocho otto
9 nine neun neuf nueve nove
10 ten zehn dix diez dieci
11 eleven elf onze once undici
12 twelve zwolf douze doce dodici dozen dutzend
13 thirteen dreizehn treize trece tredici
14 fourteen vierzehn quatorze catorce quattordici
15 fifteen funfzehn quinze quince quindici
16 sixteen sechzehn seize dieciseis sedici
17 seventeen siebzehn diecisiete diciassette
18 eighteen achtzehn dieciocho diciotto
19 nineteen neunzehn diecinueve diciannove
20 twenty zwanzig vingt veinte venti
30 thirty dreissig trente treinta trenta
40 forty vierzig quarante cuarenta quaranta
50 fifty funfzig cinquante cincuenta cinquanta
60 sixty sechzig soixante sesenta sessanta
70 seventy siebzig setenta settanta
80 eighty achtzig ochenta ottanta
90 ninety neunzig noventa novanta
100 hundred hundert cent cien ciento cento
1000 thousand tausend mille mil mila
"""
UNMAKING = ("un", "in", "im", "ir", "il", "dis", "non", "anti", "de", "ab", "mis", "des", "k", "miss", "a", "ohn")
"""Beginnings that turn a word round, with or without a gap behind them."""
_DENIES = re.compile(r"\w+n['\u2019]t")


@lru_cache(maxsize=20_000)
def plain(word: str) -> str:
    """A word in small letters, without accents."""
    normalized = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).casefold())
    return "".join(sign for sign in normalized if not unicodedata.combining(sign))


@cache
def _pattern(words: str) -> re.Pattern[str]:
    """Return the expression of a list of words, compiled when it is needed first: they are many."""
    entries = words.split()
    return re.compile(
        "|".join(rf"{re.escape(entry[:-1])}\w{{0,4}}" if entry.endswith("*") else re.escape(entry) for entry in entries)
    )


@cache
def _pole_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((line.split()[0], _pattern(line)) for line in _POLES.strip().splitlines())


NUMBER_WORDS: Mapping[str, str] = {word: line.split()[0] for line in _NUMBERS.strip().splitlines() for word in line.split()[1:]}
"""What a word for a number says, in digits."""


@lru_cache(maxsize=20_000)
def is_negation(word: str) -> bool:
    """Return whether a word denies, excepts or restricts."""
    plain_word = plain(word)
    return bool(_pattern(_NEGATIONS).fullmatch(plain_word) or _DENIES.fullmatch(plain_word))


@lru_cache(maxsize=20_000)
def poles(word: str) -> frozenset[str]:
    """The poles that a word stands for, where there is a word for the opposite; nothing for most words."""
    plain_word = plain(word)
    return frozenset(name for name, pattern in _pole_patterns() if pattern.fullmatch(plain_word))


@lru_cache(maxsize=20_000)
def is_closed(word: str) -> bool:
    """Return whether a letter of a word counts: it is of a closed class, denies, is a number, or near another sense."""
    plain_word = plain(word)
    return plain_word in NUMBER_WORDS or is_negation(plain_word) or bool(_pattern(_FUNCTION).fullmatch(plain_word))
