"""English or Dutch: counted stopwords, good enough for a page or a question without a mark of its own."""

import re
import unicodedata
from collections.abc import Iterable

WORD = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")

STOPWORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        """a about after all also am an and any are as at be because been before being between both but by can
        could did do does doing down during each few for from further had has have having he her here hers him
        his how i if in into is it its itself just ll me more most my no nor not now of off on once only or
        other our ours out over own re s same she should so some such t than that the their theirs them then
        there these they this those through to too under until up us ve very was we were what when where which
        while who whom whose why will with would you your yours please tell know there""".split()
    ),
    "nl": frozenset(
        """aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en
        er ge geen geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij
        jouw jullie kan kon konden kun kunnen kunt maar me meer men met mij mijn moet na naar niet niets nog nu
        of om omdat onder ons onze ook op over reeds s t te tegen toch toen tot u uit uw van veel voor waar
        waarom wanneer want waren was wat welk welke werd wezen wie wil worden wordt zal ze zelf zich zij zijn
        zo zonder zou vertel weet graag""".split()
    ),
}
_TELLING = {
    "en": STOPWORDS["en"] - STOPWORDS["nl"],
    "nl": STOPWORDS["nl"] - STOPWORDS["en"],
}
ALL_STOPWORDS = STOPWORDS["en"] | STOPWORDS["nl"]


def words(text: str) -> list[str]:
    """The words of a text, lower-case, without accents or invisible characters, in order."""
    plain = unicodedata.normalize("NFKD", _INVISIBLE.sub("", text)).casefold()
    return WORD.findall(unicodedata.normalize("NFC", _ACCENTS.sub("", plain)))


def guess_language(tokens: Iterable[str], default: str = "en") -> str:
    """`en` or `nl`, by which has more words that only it uses; `default` on a tie."""
    counts = dict.fromkeys(_TELLING, 0)
    for token in tokens:
        for language, telling in _TELLING.items():
            counts[language] += token in telling
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > min(counts.values()) else default
