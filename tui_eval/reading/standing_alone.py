"""Phrases, in many languages, that point to what only the reader of the same page sees: a first question must not have them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_LONGEST = 4_000
"""Characters of a question that are looked at."""


@dataclass(frozen=True, slots=True)
class _PointingPhrases:
    """Phrases by which one language points, as pieces of regular expressions over small letters and single blanks."""

    pointers: str
    things: str
    """A pointer and a thing, with a blank between them, point ..."""
    unless: str = ""
    """... unless this follows: "the section of the harbour"."""
    says: str = ""
    """What points by itself."""
    begins: str = ""
    """What a question that follows another begins with. No word that is an article or a preposition in another language."""
    blank: str = " "
    end: str = r"\b"

    def pattern(self) -> re.Pattern[str]:
        """All of it."""
        lookahead = rf"(?! (?:{self.unless}|[\"'«„“\d]))" if self.unless else ""
        start = r"\b" if self.end else ""
        pointed = rf"{start}(?:{self.pointers}){self.blank}(?:{self.things}){self.end}{lookahead}"
        follows = r"(?!\w)" if self.end else ""
        phrases = rf"|(?:{self.says})" if self.says else ""
        return re.compile(rf"{pointed}{phrases}|\A(?:[¿¡]\s?)?(?:{self.begins}){follows}")


_AUXILIARY = "is|are|was|were|does|do|did|can|could|should|must|has|have|will|would"
_EXPLETIVE = "true|important|necessary|allowed|forbidden|permitted|safe|best|better|advisable|common|likely|cost|take|mean"
_PHRASES = {
    "English": _PointingPhrases(
        "(?:the|this|that|these|those)(?: (?:above|below|given|provided|following|preceding|previous|present|attached))?",
        "(?:document|text|passage|section|excerpt|chapter|page|paragraph|article|context|snippet|extract)s?",
        "of|on|about|for|that|which|in|message",
        r"\b(?:above|below)[ -](?:mentioned|given|quoted)\b"
        r"|\b(?:mentioned|described|stated|listed) (?:above|below|earlier|here)\b"
        r"|\baccording to (?:the|this) (?:document|text|passage|section|excerpt|author|context|chapter|article)\b"
        rf"|\A(?:(?:why|how|when|where|what|who|which) )?(?:{_AUXILIARY}) (?:it|they|he|she|this|that|these|those)\b"
        rf"(?! (?:{_EXPLETIVE})\b)",
        "and|but|also|so|then|or|what about|how about|why is that|why not|why\\?",
    ),
    "German": _PointingPhrases(
        "(?:der|dem|den|die|das|des|diese[rmsn]?|im)(?: (?:obige[nr]?|vorliegende[nr]?|gegebenen?|folgenden?))?",
        "(?:dokument|text|textabschnitt|abschnitt|auszug|passage|kapitel|seite|absatz|artikel|kontext|textstelle)(?:e?s)?",
        "über|zu|des|der|von|mit",
        r"\b(?:oben|unten) ?(?:genannt|erwähnt|beschrieben)\w*|\b(?:laut|gemäß) (?:dem )?(?:text|dokument|abschnitt|auszug)\b",
        "und|aber|oder|was ist mit|wie ist es mit|warum ist das so|warum nicht|warum\\?|wieso\\?",
    ),
    "French": _PointingPhrases(
        "le|ce|cet|cette|la|du|au",
        "document|texte|passage|extrait|chapitre|paragraphe|article|section|contexte|page",
        "sur|de|du|des|qui",
        r"\bci-(?:dessus|dessous|après)\b|\bd'après (?:le|ce|la) (?:texte|document|passage|section)\b|\bl'(?:extrait|auteur)\b",
        "et|mais|donc|qu'en est-il|pourquoi cela|pourquoi pas|pourquoi \\?",
    ),
    "Spanish": _PointingPhrases(
        "el|este|ese|la|esta|del|al",
        "documento|texto|pasaje|fragmento|extracto|capítulo|párrafo|artículo|sección|contexto|página",
        "sobre|de|del|que",
        r"\bmencionad\w+ (?:arriba|abajo|anteriormente|antes)\b|\b(?:arriba|anteriormente) mencionad\w+",
        "y|pero|entonces|por qué no|qué hay de|por qué\\?",
    ),
    "Italian": _PointingPhrases(
        "il|questo|nel|del|dal|al|la|questa|nella|della",
        "documento|testo|brano|passaggio|capitolo|paragrafo|sezione|contesto|pagina",
        "su|sul|sulla|di|del|della|che",
        r"\b(?:sopra|sotto)[ -]?(?:citat|menzionat|indicat)\w+|\bl'estratto\b",
        "e|ma|quindi|oppure|perché no|perché\\?",
    ),
    "Portuguese": _PointingPhrases(
        "o|este|esse|no|neste|do|ao|esta|na|nesta|da",
        "documento|texto|trecho|excerto|capítulo|parágrafo|artigo|seção|secção|contexto|página",
        "sobre|de|do|da|que",
        r"\b(?:acima|abaixo) mencionad\w+|\bmencionad\w+ (?:acima|abaixo|anteriormente)\b",
        "mas|então|por que não|por quê\\?",
    ),
    "Dutch": _PointingPhrases(
        "het|dit|de|deze|bovenstaande|onderstaande",
        "document|tekst|passage|fragment|hoofdstuk|alinea|artikel|sectie|context|pagina",
        "over|van",
        r"\b(?:boven|onder)(?:ge|ver)(?:noemd|meld)\w*|\bhier(?:boven|onder)\b",
        "maar|dus|waarom niet|waarom\\?",
    ),
    "Polish": _PointingPhrases(
        r"ten|tym|tego|temu|ta|tej|powyższ\w+|poniższ\w+",
        r"(?:dokumen|tek[sś]|fragmen|rozdzia|akapi|artyku|sekcj)\w+",
        says=r"\bwedług (?:tekstu|dokumentu)\b|\bw (?:tekście|dokumencie)\b|\bwyżej wymienion\w+",
        begins="ale|więc|lub|dlaczego nie|dlaczego\\?",
    ),
    "Russian": _PointingPhrases(
        r"эт(?:от|ом|ого|ому|им|а|ой|у)|данн\w+|привед[её]нн\w+|следующ\w+",
        r"(?:документ|текст|отрыв|раздел|глав|фрагмент|абзац|стать|страниц|контекст)\w*",
        says=r"\b(?:в|из|согласно) (?:документ|текст|отрывк|фрагмент)(?:у|а|е)\b"
        r"|\b(?:выше|ниже)(?:упомянут|указанн|привед[её]нн)\w+"
        r"|\b(?:упомянут|указан|описан)\w* (?:выше|ниже|здесь)\b",
        begins="и|а|но|же|или|почему нет|почему\\?",
    ),
    "Ukrainian": _PointingPhrases(
        r"ц(?:ей|ьому|ього|я|ій|ю)|даному|наведен\w+",
        r"(?:документ|текст|урив|розділ|фрагмент|абзац|статт|сторін)\w*",
        says=r"\b(?:вище|нижче)(?:згадан|вказан|наведен)\w+|\b(?:у|в) (?:тексті|документі|уривку)\b",
        begins="і|й|але|або|чому ні|чому\\?",
    ),
    "Turkish": _PointingPhrases(
        "bu|yukarıdaki|aşağıdaki",
        r"(?:belge|metin|metn|bölüm|paragraf|pasaj|makale|sayfa)\w*",
        says=r"\b(?:metne|belgeye) göre\b|\byukarıda (?:belirtilen|bahsedilen)\b",
        begins="ve|ama|peki",
    ),
    "Japanese": _PointingPhrases(
        "この|その|上記の?|下記の?|前述の?|本|当該",
        "文書|文章|テキスト|一節|節|章|箇所|段落|資料|ページ|抜粋|記事|文脈",
        says="(?:上記|下記|前述|上述)の|(?:本文|文中|テキスト)(?:で|に|によ)",
        begins="では|それ|これ|その|この|また|そして|しかし|なぜそう|なぜですか|彼女|彼ら|彼は",
        blank="",
        end="",
    ),
    "Chinese": _PointingPhrases(
        "这|这个|该|本|上述|以上|上面的?|下面的?|以下|這|這個|該|所给的?|给定的?|这[份篇段]|這[份篇段]",
        "文件|文档|文檔|文本|文章|段落|章节|章節|节选|部分|页面|上下文|材料|文字|资料|资料",
        says="文中|上文|下文|前文|根据(?:文章|文本|文档)|根據(?:文章|文本|文檔)|如上所述",
        begins="那么|那麼|它|他们|她们|这|這|还有|還有|而且|但是|为什么呢|為什麼呢|然后|为什么[?]",
        blank="",
        end="",
    ),
    "Korean": _PointingPhrases(
        "이|위|위의|아래|아래의|해당|본|앞의",
        "(?:문서|글|본문|텍스트|지문|구절|절|장|단락|문단|발췌문|페이지|기사)(?:에서|에|의|은|는|이|가|을|를)?",
        says="(?:본문|지문)(?:에|의)|(?:위|앞)에서 (?:언급|설명)",
        begins="그리고|그럼|그러면|그것은|이것은|하지만|왜 그런가요|왜요",
    ),
    "Arabic": _PointingPhrases(
        "هذا|هذه|في هذا|في هذه",
        "(?:المستند|الوثيقة|النص|المقطع|الفقرة|المقال)",
        says=r"\b(?:في|حسب) (?:النص|المستند|الوثيقة)\b|المذكورة? (?:أعلاه|أدناه)",
        begins="وماذا|ولماذا|وكيف|ومتى|وأين|لكن|إذن",
    ),
}
_PATTERNS = [phrases.pattern() for phrases in _PHRASES.values()]


def pointing_reason(question: str) -> str:
    """Why a first question does not stand alone, as far as its phrases tell: "this section", "above", a leading "and"; or "".

    Only a first sieve: whether a question stands alone is asked of a model, too (METHOD.md 6).
    """
    text = " ".join(unicodedata.normalize("NFKC", question[:_LONGEST]).casefold().replace("’", "'").split())
    matches = (pattern.search(text) for pattern in _PATTERNS)
    match = next((match for match in matches if match), None)
    return f"it does not stand alone: {match[0].strip()[:40]!r}" if match else ""
