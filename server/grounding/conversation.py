"""Sentences that state nothing about the world: greetings, questions, offers, not knowing, the conversation itself.

A sentence is only taken as one of these when everything in it is: a claim that begins with "Hello" is a claim.
"""

import re

from server.grounding.analysis import Analysed, Token
from server.grounding.evidence import Evidence
from server.grounding.stems import keys
from server.grounding.words import fold

_VOCABULARY = """
hi hello hey morning afternoon evening day welcome thanks thank you're question ask asked asking answer answers help helping happy
glad pleased pleasure hope great fun lovely interesting kind best wishes luck congratulations excellent wonderful
anything else something more like know hear wish want tell explain find pages folder sources website site topic subject
message messages draft prepare pass send forward contact reach touch conversation chat twin digital assistant virtual
computer program ai bot herself himself themselves person owner behalf approve approval speak able unable judge advice
medical legal moment wait again sure certain idea details information contain hold hear interest interested kind work
advice keep bring join lovely great nice good fine wonderful fun please note feel welcome old travel trip visit marriage wedding huwelijk trouwen bruiloft let's talk share read show apologies apologise apologize sad difficult understand worry worried problem matter
anyone getting wondering answer wonder may suit suits works fit prefer email e-mail phone number address name
hallo hoi goedemorgen goedemiddag goedenavond goedendag dag goeie welkom dank bedankt dankjewel dankuwel gedaan gefeliciteerd
vraag vragen gevraagd antwoord antwoorden beantwoorden hulp doorgeef zoek helpen fijn leuk vervelend mooie goede plezier succes
interesse interessant iets verder weten vertellen uitleggen vinden horen bericht berichten doorgeven klaarzetten klaar zetten
opstellen sturen versturen contact gesprek twin digitaal digitale assistent virtuele computerprogramma programma persoon
eigenaar namens spreken goedkeuren goedkeuring advies medisch juridisch even opnieuw zeker bron bronnen gegevens bevat
onderwerp pagina's map site benieuwd mag zeg zeggen bericht ander andere nog anders ergens waarmee dienst reden geven geeft
material materiaal informatie tweeling mentioned vermeld check navragen lees read nothing reply possible mogelijk both beide fit
make made maken gemaakt schreef zei vroeg noemde vertelde wilde gaf wrote said asked mentioned told wanted gave
"""
_OPENINGS = (
    r"^(?:(?:yes|no|ja|nee|sorry|ok|okay|oke|well|unfortunately|helaas|dear \w+|beste \w+)[,.!]? )*"
)
_GREETING = re.compile(
    _OPENINGS
    + r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|welcome|you're very welcome|you're welcome|thanks|thank you|"
    r"great question|good question|that(?: is)? a \w+ question|congratulations|hallo|hoi|dag|goede ?(?:morgen|middag|navond|avond|ndag|dag)|goeden?(?:avond|dag)|"
    r"welkom|bedankt|dank(?: je| u|jewel|uwel)?|graag gedaan|gefeliciteerd|(?:goede|mooie|leuke) vraag|my pleasure|happy to help|good luck|enjoy|succes|veel (?:plezier|succes)|tot ziens|tot snel|see you|bye|goodbye|take care)\b"
)
_FEELING = re.compile(
    _OPENINGS
    + r"(?:(?:wat|fijn|leuk|jammer|mooi|goed|vervelend)\b.*\b(?:dat|te horen|voor)\b|wat (?:leuk|fijn|vervelend|jammer|mooi|naar)|het spijt me|"
    r"(?:i'm|i am|we're) (?:so |very )?(?:sorry|glad|happy|pleased)(?: to hear)?\b|(?:how|what a) (?:nice|lovely|sad|good)|(?:nice|good|lovely|great|glad) (?:to|that)|"
    r"that(?: is)? (?:very |really |so )?(?:kind|nice|sweet|good) of you|dat is (?:heel |erg )?(?:lief|aardig) van (?:u|je)|i hope|ik hoop|apologies|sorry$|(?:good|great) news$|goed nieuws$|let op$|please note$|of course$|natuurlijk$|zeker$|sadly not$|not yet$|nog niet$|ja hoor$|yes she did$)"
)
_ASKING = re.compile(
    _OPENINGS
    + r"(?:and |en |or |of )?(?:(?:is|was) there (?:anything|something)|anything else|shall i|should i|may i|can i|could i|do you (?:want|have|need)|"
    r"(?:wilt u|wil je|would you like|do you want)(?: dat ik| me to)|would you (?:like|want) (?:to (?:know|hear|read|see|ask|leave|tell|pass|send)|me|more)|would you like more|could you (?:tell|say|give|share)|can you (?:tell|say|give|share)|"
    r"what (?:would|do|can|could|is your|brings)|which (?:one|of|day|date)?|how (?:can|may|could|old|many)|who (?:should|can)|when would|where (?:can|should)|"
    r"zal ik|mag ik|kan ik|kunt u|kun je|kan je|wilt u|wil je|wil u|heeft u|heb je|hebt u|waarmee|hoe kan|wat (?:wilt|wil|kan|zou|is uw|is je)|welke|wie kan|waar kan|"
    r"over (?:wat|wie|welk))\b"
)
_NOT_KNOWING = re.compile(
    r"\b(?:(?:i|we) (?:really |simply |unfortunately )?(?:don't|do not|can't|cannot|can not|couldn't|could not|am not able|'m not able|wasn't able|haven't|have not|am not sure|am unable)"
    r"(?: \w+)? (?:know|say|tell|find|found|answer|judge|give|have|see|help|speak|confirm|check|promise|sure|to)|(?:i'm|i am) not (?:sure|certain|able)|i have no (?:information|idea|answer|details)|"
    r"(?:pages?|sources?|passages?|they|it|that|this|evidence) (?:say|says|mention|mentions|contain|contains) (?:nothing|no)|(?:pages?|sources?|passages?|it) (?:don't|do not|doesn't|does not) (?:say|mention|cover|tell)|"
    r"(?:there's|there is|there was|i (?:see|find|found|read)) (?:really |unfortunately )?nothing (?:about|on|in)|nothing (?:about|on) (?:that|this|it)\b|"
    r"(?:isn't|is not|aren't|are not) (?:mentioned|stated|in)\b|(?:lees|zie|vind) ik (?:er )?(?:niets|geen)|"
    r"(?:that|this|it) (?:is|isn't|'s) not in (?:the|my|these) (?:pages|sources|passages)|"
    r"(?:weet|kan|kon|vind|vond|heb|mag|durf) (?:ik|wij|we)\b.*\b(?:niet|niets|geen)|(?:ik|wij|we) (?:weet|weten|kan|kon|kunnen|vind|heb|hebben|mag|durf)\b.*\b(?:niet|niets|geen)|"
    r"(?:staat|vind ik|staan) (?:er )?(?:helaas )?(?:niets|niet) (?:in|op|over|bij|terug)|(?:pagina's|bronnen|pagina) (?:zeggen|zegt|vermelden|vermeldt|noemen) (?:er )?(?:niets|geen|niet))\b"
)
_TWIN = re.compile(
    _OPENINGS
    + r"(?:(?:but |maar )?(?:a|an|the|een|de) (?:\w+ ){0,2}(?:twin|assistant|assistent|chatbot|computerprogramma)\b|(?:i'm|i am|this is) (?:only |just )?(?:a|an|the|not|her|his|their)\b|ik ben (?:niet|een|de|maar|slechts)\b|i (?:can|could) (?:only |also |still |certainly |gladly )?(?:pass|prepare|draft|send|forward|answer|help|tell|show|look|explain|speak|put)|"
    r"(?:ik kan|kan ik) (?:u |je )?(?:alleen |ook |wel |graag )?\b|i only\b|(?:i'd|i would|i'll) (?:be|gladly|happily|like) ?(?:happy|glad|pleased)?(?: to)? ?(?:pass|ask|help|forward|tell)|ik (?:beantwoord|geef|help)\b|i'll (?:gladly |happily )?(?:try|do my best)|(?:he|she|they|the owner) (?:has|have) to approve|i (?:speak|answer) )"
)
_ADVICE = re.compile(
    r"^(?:so |then |also |but |dus |en |maar )?(?:please|feel free|don't (?:hesitate|worry)|geen zorgen|do not hesitate|just|let me know|let us know|have a look|take a look|"
    r"vraag|neem|houd|kijk|laat|geef|aarzel|voel je|stel|schrijf|bel|mail|lees|let (?:wel )?op)\b"
)
_ECHO = re.compile(
    r"\b(?:you (?:asked|wrote|said|mentioned|told|wanted|gave)|(?:u|je|jij|jullie) (?:vroeg|schreef|zei|noemde|gaf|wilde|vertelde)|(?:vroeg|schreef|zei|noemde|gaf|vertelde) (?:u|je|jij))\b"
)
_AGREES = re.compile(
    r"^(?:as|like|just as|zoals) (?:you|u|je|jij|jullie)\b|\b(?:yes|no|indeed|correct|true|right|ja|nee|inderdaad|klopt|juist|waar)$"
)
"""Takes what the visitor said for a fact, or answers what they asked, in a word."""
_REACHED = re.compile(
    r"\b(?:you can be reached|reach you|your (?:e-?mail|address|number|phone)|uw (?:e-?mail\w*|adres|nummer)|je (?:e-?mail\w*|adres|nummer)|u bent bereikbaar)\b"
)
_TOLD_AS_FACT = re.compile(
    r"\b(?:said|wrote|told|mentioned|zei|schreef|vertelde|noemde)\b.*\b(?:that|dat)\b.*\b(?:he|she|they|hij|zij|ze)\b"
)
_PRESUPPOSES = re.compile(
    r"\b(?:how(?! (?:to|i|you|we|much|many|can|old|long|far|big|late))|why|that(?! (?:i |day|time|week|month|one|date|subject|question|topic|is|would|way))|when|hoe(?! (?:je|u|ik|we|kan|kunt|kun|veel))|waarom|dat(?! ik )|wanneer)\b (?P<clause>.+)"
)

Kind = str
_YOU = frozenset("you your u uw je jij jouw jullie".split())


def vocabulary() -> frozenset[str]:
    """The keys of the words of conversation."""
    return _KEYS


def keys_of_words(text: str) -> frozenset[str]:
    """The keys of each word of a list."""
    return frozenset().union(*(keys(fold(word)) for word in text.split()))


def heads() -> frozenset[str]:
    """The keys of words that stand over tables and lists and say nothing of what is in them."""
    return _HEADS


_HEADS = keys_of_words(
    """price prices cost costs fee fees rate rates tarief tarieven day days hour hours time times name names who what when where visitor visitors category kind overview
    practical contact details about service services summary short answer background note opening type description amount prijs prijzen kosten dag
    dagen tijd tijden naam wie wat wanneer waar bezoeker bezoekers soort overzicht praktisch gegevens samenvatting kort
    antwoord achtergrond openingstijden omschrijving bedrag adres address option options steps stappen tip tips reden
    main most belangrijkste season programme program seizoen programma couple few handy list following belangrijk important useful handig paar lijst"""
)
_KEYS = frozenset().union(*(keys(fold(word)) for word in _VOCABULARY.split()))


def conversational(sentence: Analysed, evidence: Evidence) -> Kind | None:
    """What kind of conversation the clause is; None when it has to be judged as a claim."""
    text = " ".join(fold(token.text) for token in sentence.tokens)
    content = [token for token in sentence.tokens if token.content]
    if not _YOU.isdisjoint(token.folded for token in sentence.tokens):
        reported = _ECHO.search(text) and not _TOLD_AS_FACT.search(text)
        if (reported or _REACHED.search(text)) and _all(content, evidence.echo, evidence):
            return None if _AGREES.search(text) else "echo"
    negated = any(segment.negated for segment in sentence.segments)
    if negated and _NOT_KNOWING.search(text) and _refusal(text, content, evidence):
        return "refusal"
    asks = sentence.text.rstrip(" \"')*_").endswith("?")
    if asks and (not content or _ASKING.search(text)):
        fair = _all(content, evidence.spoken_of, evidence) and not _presumes(text)
        return "offer" if fair else None
    if not content and not _states(text):
        return "filler"
    if _all(content, frozenset(), evidence) and _TWIN.search(text):
        return "twin"
    if _all(content, evidence.echo, evidence) and _FEELING.search(text):
        return "feeling"
    if not _all(content, evidence.spoken_of, evidence):
        return None
    if _GREETING.search(text):
        return "greeting"
    if _ADVICE.search(text) and not any(token.is_fact for token in content):
        return "advice"
    return None


def _all(content: list[Token], known: frozenset[str], evidence: Evidence) -> bool:
    return all(_known(token, known, evidence) for token in content)


def _known(token: Token, known: frozenset[str], evidence: Evidence) -> bool:
    if token.is_fact:
        return not token.said.isdisjoint(known)
    if token.folded in evidence.owner_words:
        return True
    if token.kind == "name":
        return token.folded in known or token.folded in ("ai", "i")
    return not (token.keys.isdisjoint(known) and token.keys.isdisjoint(_KEYS))


def _refusal(text: str, content: list[Token], evidence: Evidence) -> bool:
    """Names and facts must have been mentioned; other words too where the sentence presumes them."""
    known = evidence.spoken_of
    if not _all([token for token in content if token.kind != "word"], known, evidence):
        return False
    return not _presumes(text) or _all(content, known, evidence)


def _presumes(text: str) -> bool:
    found = _PRESUPPOSES.search(text)
    return found is not None and found.start() > 0


def _states(text: str) -> bool:
    """Whether small words alone say something: "He is not." """
    return bool(
        re.search(
            r"\b(?:all|never|always|every|no one|nobody|alle|altijd|nooit|iedereen|niemand)\b"
            r"|\b(?:we|wij)\b(?! (?:can|could) (?:tell|help|see))|^(?:(?:yes|no|ja|nee) )?(?:he|she|they|hij|zij|ze) (?:did|does|do|was|were|has|had|have|can|could|will|would|deed|doet|deden|had|heeft)\b",
            text,
        )
    )
