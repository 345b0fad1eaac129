"""Small words that change what is stated: negation, how many, how sure, how it compares.

`marks_in` names them; `conflict` says whether a sentence with one set of marks may rest on evidence with another.
"""

import re
from functools import lru_cache

_PATTERNS = {
    "alternate": r"every (?:second|other|third)|once every|om de|eens in de|eens per (?:twee|drie|#)",
    "nearly": r"nearly|almost|virtually|bijna|vrijwel|nagenoeg|just about",
    "without": r"without|zonder",
    "exactly": r"exactly|precisely|precies",
    "only": r"only|solely|exclusively|alleen|slechts|uitsluitend|enkel|alleen maar|nothing but",
    "at_least": r"# (?:years |jaar )?(?:or|of|and|en) (?:over|older|up|more|ouder|meer)|from the age of|at least|vanaf #|at minimum|minimum|no fewer than|no less than|minstens|minimaal|ten minste|tenminste|(?:weeks|days|weken|dagen) at least",
    "at_most": r"at most|up to|maximum|maximal|no more than|not more than|hoogstens|maximaal|hooguit|niet meer dan|ten hoogste",
    "more_than": r"(?:older|ouder) (?:(?:is|are|bent|zijn) )?(?:than|dan) #|boven de #|more than #|over #|above #|exceeding #|beyond #|boven #|meer dan #|ruim #|upwards of",
    "per_unit": r"(?<=# )per \w+|(?<=# )(?:a|an|each) (?:day|night|week|month|year|hour|minute|person|head|piece|child|adult|group|lesson|session|ticket|copy|kilo|kg|km|mile|pair|time|visit|class|go)|(?<=# )(?:each|pp|p p)(?= |$)",
    "less_than": r"(?:younger|jonger) (?:(?:is|are|bent|zijn) )?(?:than|dan) #|onder (?:de )?#|less than #|fewer than #|under #|minder dan #|nearly #|almost #|bijna #",
    "about": r"about #|around #|approximately|roughly|circa|ca #|ongeveer|zo'n #|rond #|rond de #|about (?:a|an|three|two|half)",
    "per_time": r"# (?:mornings|afternoons|evenings|nights)|(?:every|each|elke|elk|iedere) #|(?:every|each|elke|elk|ieder|iedere|per) (?:year|month|week|day|morning|afternoon|evening|night|season|summer|winter|jaar|maand|week|dag|ochtend|middag|avond|seizoen|zomer)|daily|weekly|monthly|yearly|annual|annually|dagelijkse?|wekelijkse?|maandelijkse?|jaarlijkse?",
    "a_time": r"(?:a|an|een|in the|in de|'s) (?:year|month|week|day|morning|afternoon|evening|night|season|summer|winter|jaar|maand|week|dag|ochtend|middag|avond|seizoen|zomer)s?",
    "all": r"all|every(?! #)|each(?= \w)|always|anybody|anyone|everyone|everybody|everything|entire|entirely|whole|wholly|completely|throughout|fully|at any time|alle|elke(?! #)|elk|ieder|iedere|altijd|iedereen|alles|allemaal|hele|heel|gehele|geheel|volledig|overal|steeds|both|beide|allebei|everywhere|nowhere else",
    "any": r"any",
    "once": r"(?:just |only )?once(?! (?:a|per|every|in|you|the|your|it|he|she|they|we|i|upon))|one time|(?:een|#) keer|(?:een|#) maal|eenmaal|eenmalig|a single time|first time|eerste keer",
    "former": r"formerly|used to|previously|former|once (?:was|were)|vroeger|voorheen|voormalig\w*|stopped|quit|resigned|gestopt|stopte\w*|opgestapt|afgetreden|oud-\w+",
    "other": r"another (?:day|time|date|place|room|person|week|month|hour|colleague|town|city)|other (?:days|times|dates|places|rooms|people|weeks|hours)|(?:een )?andere? (?:dag|dagen|tijd|tijden|datum|plek|plaats|zaal|week|maand|uren|mensen|stad)|elsewhere|elders",
    "ordinal": r"(?:first|second|third|fourth|last|eerste|tweede|derde|vierde|laatste) #",
    "extra": r"(?<=# )off|extra|additional|on top|toeslag|bijkomend\w*|discount|korting|cheaper|dearer|goedkoper|duurder|instead of|in plaats van",
    "accompanied": r"accompanied|supervised|under supervision|supervision|with (?:an?|their|your|his|her) (?:adult|parent|guardian|grown-up|carer)|begeleiding|begeleid|onder toezicht|toezicht|met (?:een|hun|uw|je|zijn|haar) (?:ouder|volwassene|begeleider)",
    "if": r"(?<!zo )(?<!net )(?<!ook )(?<!even )als (?:ze|zij|hij|u|je|jij|er|men|we|wij|iemand|uw|jouw|het|dit|dat)|when (?:you|they|your)|wanneer (?:u|je|jij|ze|uw)|(?:when|once|until|as soon as) (?:\w+ ){1,3}(?:has|have|is|are)|^(?:anders|otherwise|or else|dan)|zodra|on condition|op voorwaarde|if|only if|provided|as long as|whoever|those who|for those|anyone who|^als|mits|indien|voor wie|(?:^|(?<=en ))wie|^\w+ (?:u|je|jij|men)",
    "except": r"except|unless|apart from|other than|behalve|tenzij|uitgezonderd",
    "most": r"most|mostly|mainly|usually|generally|normally|typically|commonly|as a rule|in general|in most cases|tends? to|gewoonlijk|gebruikelijk|normaal gesproken|over het algemeen|in de regel|majority|largely|primarily|predominantly|meeste|meestal|vooral|doorgaans|grotendeels|voornamelijk|hoofdzakelijk|merendeel",
    "many": r"many|often|frequently|lots|numerous|veel|vele|vaak|dikwijls|regelmatig|talrijke|a lot of",
    "some": r"some|sometimes|several|a few|certain|occasionally|partly|in part|sommige|soms|enkele|enige|een paar|bepaalde|af en toe|deels|gedeeltelijk|a bit|a little|een beetje",
    "few": r"few|rarely|seldom|hardly|barely|scarcely|weinig|zelden|nauwelijks|amper",
    "maybe": r"may|might|perhaps|possibly|probably|likely|presumably|maybe|allegedly|reportedly|supposedly|suspected|could be|misschien|mogelijk|wellicht|vermoedelijk|waarschijnlijk|naar verluidt|vermoed\w*|zou|zouden",
    "intent": r"plans? to|planned|planning|intends?|intended|wants?|wanted|wishe[sd]|hopes?|hoped|hoping|aims?|aimed|proposes?|proposed|would like|considers?|considering|expects?|expected|tries|tried|attempt\w*|(?:applied|offered|agreed|threatened|asked|invited|refused|declined|failed|seeks?|sought|hesitat\w+) (?:for|to)|weiger\w+|vroeg om|vroegen om|aanbood|dreigde|wil|willen|wilde|wilden|hoopt|hopen|hoopte|gepland|van plan|overweegt|overwegen|verwacht\w*|probeert|probeerde\w*|streeft|stelde \w+ voor|stelt \w+ voor",
    "nominee": r"nominat\w+|shortlist\w*|longlist\w*|genomineerd|finalist\w*|kandidaat|candidate",
    "claimed": r"accus\w+|claims that|claimed that|alleg\w+|beschuldig\w+|beweer\w+|betwist\w*",
    "must": r"must|has to|have to|had to|required|mandatory|obliged|obligatory|moet|moeten|moest|moesten|verplicht\w*",
    "told": r"(?<!can )(?<!may )(?<!kunt )(?<!kan )(?<!kun )(?<!mag )(?:you|u|je|jij)(?! (?:can|may|could|might|kunt|kan|mag|zou))|please|graag|gelieve",
    "future": r"will|shall|should|going to|zal|zullen|gaat|gaan",
    "more": r"(?<!any )(?<!no )more(?! than #)|(?<!niet )(?<!geen )meer(?! dan #)|larger|bigger|greater|groter|grotere|higher|hoger",
    "less": r"less(?! than #)|fewer(?! than #)|minder(?! dan #)|smaller|kleiner|lower|lager",
    "not": r"not(?! only)|\w+n't|cannot|no(?! (?:more|fewer|less) than)|never|none|nobody|no one|nothing|nowhere|neither|nor|niet(?! alleen| meer dan)|geen|nooit|niemand|niets|nergens|noch|evenmin|hoeft niet|no longer",
    "past": r"was|were|had|did|opened|came|went|began|built|\w{3,}(?<!ne)ed|werd|werden|waren|hadden|had|heeft|hebben|ging|opende|begon|kwam",
}  # fmt: skip
_MARK = re.compile(
    r"(?<![\w'])(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS.items())
    + r")(?![\w'])"
)
_COMPARED = re.compile(
    r"\b(?!(?:rather|other|further|later|sooner|eerder|liever|verder|later|ander|older|younger|ouder|jonger)\b)\w{2,}(?:er|ere) (?:than|dan)\b(?! #)"
    r"|\b(?:more|less|meer|minder) (?!dan|than)\w+ (?:than|dan)\b(?! #)|\b(?:more|less|fewer|meer|minder|older|younger|ouder|jonger) (?:than|dan) (?!#)"
)
"""What is only so beside something else: "deeper than the lake" does not say that it is deep."""
_SUPERLATIVE = re.compile(
    r"\b(?:the|our|its|their|his|her) (?!(?:west|guest|rest|forest|harvest|latest|test|nest|chest|priest|request|interest|quest|contest|rainforest|arrest|best)\b)\w{3,}est\b(?! of\b)"
    r"|\b(?:the|our) (?:most|least) \w+|\b(?:de|het|onze) (?:aller)?(?!(?:laatste|eerste|beste|volgende|naaste|gewenste|juiste|vaste|woeste|rechtste|kunste|rijpste|geplaatste|gewaste|ergste|toegepaste|geroosterde|verste|minste|meeste|twintigste|dertigste|robuuste|bewuste|toekomste|komste)\b)\w{3,}[^aeiou]ste\b"
)
_SAYING = frozenset(
    "nominee claimed past per_time a_time told per_unit accompanied extra ordinal other former once".split()
)
"""Marks whose words say something besides, so that they are looked for, too."""
WORDS = frozenset(
    word
    for name, pattern in _PATTERNS.items()
    if name not in _SAYING
    for part in re.sub(r"\(\?[<!=][^()]*\)", "", pattern).split("|")
    for word in re.findall(r"[a-z']+", part)
    if part == word
) | {"each", "any", "no", "least", "minste", "than", "dan", "longer", "kunnen", "can't", "cannot"}
"""Words that are judged as marks, and so not looked for as content."""
Marks = frozenset[str]
_NONE: Marks = frozenset()
_IMPLIES = frozenset(
    {
        ("all", "some"), ("all", "most"), ("all", "many"), ("most", "some"), ("most", "many"), ("many", "some"),
        ("at_least", "more_than"), ("few", "some"), ("intent", "maybe"), ("former", "past"),
        ("nominee", "not"), ("without", "not"), ("less_than", "nearly"), ("nearly", "less_than"),
        ("a_time", "per_time"), ("told", "must"), ("at_most", "only"), ("few", "only"),
        ("nearly", "most"), ("per_unit", "per_time"), ("per_unit", "a_time"), ("without", "except"), ("except", "without"), ("if", "except"), ("except", "if"),
    }
)  # fmt: skip
"""(in the evidence, in the sentence): the second may be said where the first stands."""
_MUST_KEEP = (
    "most some few many at_least at_most more_than less_than about maybe intent nominee claimed except if alternate "
    "nearly without per_unit accompanied compared once former extra ordinal"
).split()
"""What the evidence limits itself by, and a sentence may not leave out."""
_NUMERIC = frozenset("at_least at_most more_than less_than about".split())
_MUST_HAVE = (
    "all per_time only most many few at_least at_most more_than less_than must more less nominee without except compared superlative other"
).split()
"""What a sentence may only say when the evidence does."""


@lru_cache(maxsize=20_000)
def marks_in(text: str) -> frozenset[str]:
    """The marks of a folded stretch of text in which every number is `#`."""
    found = set()
    at = 0
    while match := _MARK.search(text, at):
        found.add(match.lastgroup or "")
        at = match.end()
    if _COMPARED.search(text):
        found.add("compared")
    if _SUPERLATIVE.search(text):
        found.add("superlative")
    if "any" in found:  # "not … any" counts nothing; "any car" is every car
        found = found - {"any"} if found & {"not", "if", "without"} else found - {"any"} | {"all"}
    return frozenset(found)


@lru_cache(maxsize=20_000)
def long_marks(text: str) -> tuple[tuple[int, int], ...]:
    """Where marks of more than one word stand, that say nothing else: "in the winter" says when, too."""
    return tuple(
        match.span()
        for match in _MARK.finditer(text)
        if " " in match[0]
        and match.lastgroup not in _SAYING - {"nominee", "claimed", "past", "told"}
    )


@lru_cache(maxsize=20_000)
def limits(text: str) -> tuple[tuple[str, int, int], ...]:
    """Where the marks stand that limit a number."""
    return tuple(
        (match.lastgroup or "", *match.span())
        for match in _MARK.finditer(text)
        if match.lastgroup in _NUMERIC
    )


def conflict(
    sentence: Marks, evidence: Marks, whole: Marks = _NONE, surroundings: Marks = _NONE
) -> str | None:
    """What stands in the way of taking the one from the other; None when nothing does. Negation is not looked at.

    `whole` are the marks of all of the sentence: a hedge at its head covers what follows. `surroundings` are those of
    the evidence's whole sentence: "here but not there" is "only here".
    """
    kept = sentence | whole
    for mark in _MUST_KEEP:
        if mark in evidence and mark not in kept and not _may(mark, kept):
            return f"drops:{mark}"
    if "future" in evidence - kept and "past" in sentence - evidence:
        return "drops:future"
    for mark in _MUST_HAVE:
        here_only = mark == "only" and "not" in whole and "not" in surroundings
        given = mark in evidence or any((other, mark) in _IMPLIES for other in evidence)
        if mark in sentence and not given and not here_only:
            return f"adds:{mark}"
    return None


def _may(mark: str, kept: Marks) -> bool:
    return any((mark, other) in _IMPLIES for other in kept)
