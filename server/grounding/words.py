"""Words: folded, told apart as filling or content, and what language they are in. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\u00a0": " ", "‑": "-"}
)


def plain(text: str) -> str:
    """The text with one kind of quotation mark and space, and nothing invisible; letters as they were."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text)).translate(_QUOTES)


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """A word without case, accents or a possessive 's."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", word)).casefold()
    return bare.removesuffix("'s").removesuffix("'") or bare


FILLING: dict[str, frozenset[str]] = {
    "en": frozenset(
        """a about above across whereas again ago along am among an and another any anybody anyone anything are
 as aside at away back be because been behind being below beside besides between beyond but by can
 cannot could did do does doing done down during either else even ever for forth from further
 get gets getting got gotten had has have having he hence her here hers herself him himself his how however i if in
 indeed instead into is it its itself just latter let lets like me mine much must my myself
 of off on once one ones onto or other others our ours ourselves out over own per please quite rather
 really same shall she should since so somebody someone something still such than that the their
 theirs them themselves then there thereby therefore these they thing things this those though through thus till
 to together too toward towards until up upon us use uses used using very via was way we well were what whatever when where whether
 which whichever while who whoever whom whose why will with within would yes yet you your yours
 yourself yourselves 'll 're 've 'd 'm ll re ve d m s t o'clock am pm""".split()
    ),
    "nl": frozenset(
        """aan achter af al als alvast ander andere anders bent beneden ben bij   boven daar daaraan daarbij daardoor
 daarin daarmee daarna daarom daarop daarover daarvan daarvoor dan dat de deden deed den der deze die dit
 doe doen doet door dus echter een eens eer eigen elkaar en enz er erbij erdoor erin ermee erna erop erover ertegen ervan
 ervoor even ga gaan gaat ge gedaan geweest geworden ging gingen had hadden haar hebben hebt heb heeft heel hem hen
 hele het hier hierbij hij hoe hun ik in is ja je jezelf jij jou jouw jullie kan kon konden kun kunnen kunt laat laten
 lang liever maar mag me mee men met mezelf mij mijn mocht mochten mogen naar
 naast nog nu of om omdat ons onszelf onze ook op over per reeds rond samen s sinds sindsdien staan staat stond stonden
 t te tegen ten ter terug terwijl tijdens toch toe toen tot totdat tussen u uit uw uzelf van vanaf vandaan vanuit via voor
 vooraf voorbij waar waaraan waarbij waardoor waarin waarmee waarna waarom waarop waarover waarvan waarvoor want
 wanneer waren was wat we wel welk welke werd werden wie wij word worden wordt zal ze zelf zelfs zich zichzelf zie
 zij zijn zit zitten zat zaten zo zoals zodat zou zouden zowel zullen zult zulke uur""".split()
    ),
}
"""Words that state nothing by themselves. Those that change what is stated (not, all, only, may) are in `marks`."""

LIGHT: dict[str, frozenset[str]] = {
    "en": frozenset(
        """according actually additionally afraid also although apparently basically believe certainly clearly
        course currently example fact finally first firstly following fortunately generally
        here's honestly importantly information instance interestingly know look looks mention mentioned
        mentions moreover namely news note notably now ok okay overall page pages passage
        particular please point precisely put reading regarding remember right sadly saying say says secondly seem
        seems see short shortly simply sorry source sources specifically state stated states summary sure
        tell amounts text thank thanks that's there's today turns unfortunately understand with would write
        add worth keep mind note take account read correctly far
        addition called named known altogether  accordingly admittedly alternatively anyway basically besides conversely
        e.g. essentially  evidently finally formally generally ideally i.e. incidentally indeed  lastly likewise
        meanwhile moreover namely naturally nevertheless nonetheless normally notably obviously  otherwise
        presently   respectively similarly  specifically  thus truly ultimately
        yourself nowadays sadly luckily happily kindly gladly exact whenever additionally specific simply actual
        wherever absolutely definitely though whatsoever regardless sure great perfect yup yeah yep nope hi well""".split()
    ),
    "nl": frozenset(
        """bedraagt bedragen bedroeg geldt gelden aldus begrijp begrepen bijvoorbeeld blijkbaar blijkt bovendien bron bronnen daarentegen daarnaast eerst eigenlijk eveneens
        feit gelukkig genaamd geheten genoemd gerust graag heet heten helaas hieronder hoor informatie inmiddels jammer kijk
        kort kortom lees lezen let lijkt meteen namelijk natuurlijk nee noemt oke onder ove overigens pagina pagina's
        passage precies simpelweg slechts spijt spijtig staat steeds tegenwoordig tekst tenslotte ten tot trouwens
        uiteraard verder vermeld vermelden vermeldt vervolgens vind vindt volgens volgend volgende volgt vandaag vaststaat weet weten wetend
        wist zeg zeggen zegt zeker zover wil wilt willen echt echte weliswaar harte heus immers allereerst allerlei alsnog alsmede althans
        bovenal daarnaast desalniettemin desgewenst desondanks destijds dientengevolge ditmaal eenmaal eenvoudigweg evengoed
        evenzeer gewoon gewoonweg graag  hiernaast hierover hiervan hiervoor ja jazeker jawel kortgezegd letterlijk logischerwijs
        mede momenteel  namelijk niettemin nochtans ondertussen  opnieuw overigens samengevat sowieso specifiek
        tevens thans  uitgerekend voorts waarlijk weer werkelijk zodoende zogeheten zogenaamd
          respectievelijk   top prima""".split()
    ),
}
"""What fluent prose puts around a statement."""

_ONLY = {
    "en": (FILLING["en"] | LIGHT["en"]) - FILLING["nl"] - LIGHT["nl"],
    "nl": (FILLING["nl"] | LIGHT["nl"]) - FILLING["en"] - LIGHT["en"],
}
_ONLY = {
    "en": _ONLY["en"]
    | {"not", "all", "some", "most", "no", "only", "every", "may", "never", "last"},
    "nl": _ONLY["nl"]
    | {"niet", "geen", "alle", "moet", "nooit", "elke", "veel", "alleen", "misschien"},
}


def language_of(words: Iterable[str], default: str) -> str:
    """`en` or `nl`, by which has more words that only it uses; `default` on a tie."""
    english = dutch = 0
    for word in words:
        english += word in _ONLY["en"]
        dutch += word in _ONLY["nl"]
    if english == dutch:
        return default
    return "en" if english > dutch else "nl"


SOFT = frozenset(
    """get gets got receive use uses used using find offer offers take takes give gives include includes going
    come comes came coming go goes went happen happened belong belongs consist consists become became remain remains keep keeps
    put set bring people person thing things kind type sort way place total various different located situated based
    person case matter area present today able possible currently both plus exist exists existing among starting period itself
    further see seen zien ziet gezien ligt liggen lies range ranges werken werkt binnen stuks pieces apiece visitors visitor guests works working stand stands found
    krijgt krijgen gebruiken gebruikt gebruik vinden vindt bieden biedt nemen neemt geven geeft komen komt kwam kwamen gaan
    gebeuren gebeurt behoren behoort bestaan horen hoort blijven blijft brengen mensen persoon ding dingen soort manier
    plaats plek totaal verschillende gelegen gevestigd geval gebied mogelijk momenteel bezoekers bezoeker gasten beschikt beschikken
    bestaat doet terecht rekenen betreft vormen vormt staan
    available slot slots opening openings possible option options feature features featured featuring involve involves involved concern concerns relate relates related
    handle handles handled handling arrange arranges arranged provide provides provided providing offered offering deal deals care choose
    enjoy enjoys spent spend spends serve serves get getting have having done do does moment project projects series topic topics theme
    themes main focus subject subjects aspect aspects part parts work works item items example examples detail details fact overview
    background process field kinds types form forms role side result addition door doors location locations spot spots site setting
    participant participants attendee attendees individuals folks someone time times round way ways touch welcome
    beschikbaar mogelijkheid mogelijkheden optie opties verkrijgbaar aanwezig kiezen verzorgt verzorgen verzorgd regelt regelen geregeld
    omvat omvatten bevindt bevinden vindt plaatsvinden plaatsvindt doen deed voert uitvoeren zorgt zorgen verloopt verlopen onderdeel
    onderdelen deel thema thema's onderwerp onderwerpen project projecten serie richt richten gericht voorbeeld voorbeelden overzicht
    achtergrond proces rol kant deuren locatie locaties plekken deelnemer deelnemers iemand moment tijd tijden welkom kijkje hoor dank
    join joins meedoen deelnemen ask asks vragen vraagt navragen telefonisch belangrijk belangrijkste important actief keuze gebruikmaken vak binnen ontvangt ontvangen deelname houdt houden wens mee""".split()
)
"""Words that say little: one of them may be new when the rest of a sentence is covered."""

PAYING = frozenset(
    "pay pays paid cost costs charge charges charged betaal betaalt betalen rekent rekenen kost kosten geldt".split()
)
"""Words that say no more than the amount beside them."""

_CONTRACTED = re.compile(r"'(?:m|re|ve|ll|d|s)$")


@lru_cache(maxsize=20_000)
def is_filling(word: str, language: str) -> bool:
    """Whether the (folded) word needs no evidence."""
    word = _CONTRACTED.sub("", word)
    return not word or word in FILLING.get(language, _NONE) or word in LIGHT.get(language, _NONE)


_NONE: frozenset[str] = frozenset()
