"""Turns of phrase that say the same, made one before anything is compared."""

import re
from functools import partial

from server.grounding.words import fold

_SAME = (
    ("free of charge", r"\bfree of charge\b", "free"),
    ("leiding van", r"\bonder (?:de )?leiding van\b", "geleid door"),
    ("under the", r"\bunder the (?:leadership|direction|guidance) of\b", "led by"),
    (" from", r"\b(?:comes?|came|dates?|dated|stems?) from\b", "from"),
    (" uit", r"\b(?:komt|komen|kwam|afkomstig|dateert|dateren) uit\b", "uit"),
    (
        "kopen",
        r"\b(kunt u|u kunt|je kunt|kun je|kan je|je kan)\b([^.]{0,60}?)\bkopen\b",
        r"\1\2verkopen",
    ),
    ("buy", r"\b(you can|can you)\b([^.]{0,40}?)\bbuy\b", r"\1\2sell"),
    ("stam", r"\b(?:stamt|stammen) uit\b", "uit"),
    ("dates back", r"\bdat(?:es|ed|ing) back to\b", "from"),
    ("goes back", r"\bgo(?:es)? back to\b", "from"),
    ("terug tot", r"\b(?:gaat|gaan) terug tot\b", "uit"),
    ("start", r"\bstart(?:s|ing|ed)? (?:at|from)(?= [€$£]?\d)", "from"),
    ("begin", r"\bbegin(?:s|ning)? (?:at|from)(?= [€$£]\d)", "from"),
    ("vanaf", r"\b(?:beginnen|begint|starten|start) vanaf\b", "vanaf"),
    ("quarters", r"\bthree[- ]quarters of an hour\b", "45 minutes"),
    ("half an hour", r"\bhalf an hour\b", "30 minutes"),
    ("half hour", r"\bhalf[- ]hour\b", "30 minutes"),
    ("hour and a half", r"\b(?:an|one) hour and a half\b", "90 minutes"),
    ("quarter of an hour", r"\ba quarter of an hour\b", "15 minutes"),
    ("kwartier", r"\bdrie ?kwartier\b", "45 minuten"),
    ("kwartier", r"\b(?:een )?kwartier\b", "15 minuten"),
    ("half", r"\b(?:een )?(?:half uur|halfuur)\b", "30 minuten"),
    ("anderhalf uur", r"\banderhalf uur\b", "90 minuten"),
    ("half-uur", r"\bhalf-uur\b", "30 minuten"),
    ("other hand", r",? ?\bon the other hand,?", ""),
    ("andere kant", r",? ?\baan de andere kant,?", ""),
    ("other words", r"\bin other words,?", ""),
    ("moment", r"\b(?:at the moment|at this moment|op dit moment|op het moment)\b", ""),
    ("these days", r"\bthese days\b", ""),
    ("at present", r"\bat present\b", ""),
    ("so far", r"\bso far\b", ""),
    ("to date", r"\bto date\b", ""),
    ("after that", r"\bafter (?:that|this|which)\b", "then"),
    ("in total", r"\bin total\b", ""),
    ("in totaal", r"\bin totaal\b", ""),
    ("amon", r",? ?\bamong (?:others|other things)\b", ""),
    ("onder ", r"\bonder (?:andere|meer)\b", ""),
    ("for ", r"\bfor (?:example|instance)\b", ""),
    ("care of", r"\b(?:takes?|took|taking|taken) care of\b", "handle"),
    ("look", r"\b(?:looks?|looked|looking) after\b", "handle"),
    ("respons", r"\bresponsible for\b", "handle"),
    ("verantwoord", r"\bverantwoordelijk voor\b", "verzorgt"),
    ("zorg", r"\bzorgt voor\b", "verzorgt"),
    ("end", r"\bend(?:s|ed)? up (\w+)ing\b", r"\1"),
    ("in touch", r"\b(?:get|getting|be|stay) in touch(?: with)?\b", "contact"),
    ("contact op", r"\bcontact op(?:nemen|neemt|genomen)(?: met)?\b", "contact"),
    ("dank aan", r"\bmet dank aan\b", "dankzij"),
    ("werken samen", r"\bwerk(?:en|t)? samen met\b", "werken met"),
    ("hele jaar", r"\bhet hele jaar(?: door)?\b", "jaarrond"),
    ("all year", r"\ball (?:year round|year|the year round|through the year)\b", "year-round"),
    ("only a", r"\bonly a few\b", "a few"),
    ("slechts e", r"\bslechts (?=enkele|een paar)", ""),
    ("forget", r"\bdon't forget to\b", "please"),
    ("sure", r"\b(?:be|make) sure (?:to|you|that you)\b", "please"),
    ("vergeet", r"\bvergeet(?: u)? niet (?:om )?(.{0,40}?)\bte\b", r"\1"),
    ("welcome to", r"\bwelcome to (?=\w)", "can "),
    (" mee", r"\bm(?:ag|ogen) (niet )?mee(?: naar binnen)?\b", r"zijn \1toegestaan"),
    ("ave to", r"\b(?:don't|doesn't|won't|do not|does not|will not) have to\b", "don't need to"),
    ("best way", r"\b(?:best|easiest|quickest) way\b", "way"),
    ("the year", r"\bthe year (?=\d{4}\b)", ""),
    ("het jaar", r"\bhet jaar (?=\d{4}\b)", ""),
    ("no longer", r"\bno longer\b", "not"),
    ("niet ", r"\bniet (?:meer|langer)\b(?! dan)", "niet"),
    (" any", r"(\bnot |n't )(.{0,60}?) any ?(?:more|longer)\b", r"\1\2"),
    ("got married", r"\bgot married\b", "married"),
    ("passed away", r"\bpassed away\b", "died"),
    ("in charge", r"\bin charge of\b", "leading"),
    ("free entry", r"\bfree entry\b", "free admission"),
    ("hoe", r"\bhoe(?:ven|ft) (?:\w+ )?niet\b", "niet nodig"),
    ("as well as", r"\bas well as\b", "and"),
    ("along with", r"\balong with\b", "and"),
    ("net als", r"\bnet als\b", "en"),
    ("evenals", r"\bevenals\b", "en"),
    ("younger than", r"\byounger than\b", "under"),
)
"""(what the text must hold for the rule to be tried, what is replaced, by what)."""
_RULES = tuple((hint, re.compile(pattern, re.IGNORECASE), new) for hint, pattern, new in _SAME)
_OURS = "the|this|these|its|her|his|their|my|our|de|deze|die|het|haar|zijn|hun|mijn|onze"
_FRAME = re.compile(
    rf"^\s*(?:according to|volgens|on|op) (?:(?:{_OURS}) )?(?:\w+ )?(?:(?:web)?pages?|website|web site|passages?|sources?|pagina(?:'s)?|bronnen|bron|site)"
    rf"(?: (?:about|on|over) (?:(?:{_OURS}) )?\w+)?(?: (?:it says|staat))?,?\s+(?:that |dat )?",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^\s*(?:(?:so|also|but|and|en|maar|dus|ook|do|even|just)\s+)?(?:(?:please )?(?:note|keep in mind|bear in mind|be aware|remember|mind)(?: that|,|:)?|let (?:er )?(?:wel )?op(?: dat|,|:)?|"
    r"houd (?:er|u er)(?: wel| dan| dus| ook)* rekening mee dat|weet dat|it is (?:worth|good) (?:noting|knowing|to know) that|goed om te weten(?: is)?(?: dat|:)?|"
    r"(?:it's )?(?:good|useful|handy|nice) to know(?: before (?:you|your) \w+)?:|(?:handig|leuk|fijn|goed) om te weten(?: voor \w+ \w+)?:|(?:leuk weetje|fun fact|in het kort|in short|kortom|tip|if it helps|mocht het helpen):|"
    r"(?:and|en) (?:yes|no|ja|nee),|(?:don't forget|do not forget) that|vergeet niet dat|"
    r"i (?:can|should|may|must) (?:tell you|add|say|mention)(?: that)?|what i can (?:tell|say)(?: you)? is(?: that)?|ik kan (?:u |je )?(?:wel )?vertellen dat|"
    r"wat ik (?:u |je )?kan vertellen is dat|the good news is that|het goede nieuws is dat)\s+",
    re.IGNORECASE,
)


_HOURS = {
    word: place
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
    )
    for place, word in enumerate(words.split(), start=1)
} | {str(hour): hour for hour in range(1, 13)}
_HOUR = "|".join((*_HOURS, "één"))
_CLOCK = (
    ("half past", re.compile(rf"\bhalf past ({_HOUR})\b", re.IGNORECASE), 0, 30),
    ("quarter past", re.compile(rf"\b(?:a )?quarter past ({_HOUR})\b", re.IGNORECASE), 0, 15),
    ("quarter to", re.compile(rf"\b(?:a )?quarter to ({_HOUR})\b", re.IGNORECASE), -1, 45),
    ("kwart over", re.compile(rf"\bkwart over ({_HOUR})\b(?: uur\b)?", re.IGNORECASE), 0, 15),
    ("kwart voor", re.compile(rf"\bkwart voor ({_HOUR})\b(?: uur\b)?", re.IGNORECASE), -1, 45),
    (
        "half ",
        re.compile(rf"\bhalf ({_HOUR})\b(?! (?:a|an|of|van)\b)(?: uur\b)?", re.IGNORECASE),
        -1,
        30,
    ),
)
"""Times of the clock in words; Dutch "half vijf" is half past four."""
_AT_ONE = re.compile(
    r"\b(at|from|until|till|to|before|after|by|om|tot|vanaf|na|voor) (?:one(?= o'clock\b|[.,;:!?)]|$| (?:and|on|in|to)\b)|één(?: uur\b|(?=[.,;:!?)]|$| (?:en|op|in|tot)\b)))",
    re.IGNORECASE,
)


def _clocked(text: str, lower: str) -> str:
    for hint, pattern, hours, minutes in _CLOCK:
        if hint in lower:
            text = pattern.sub(partial(_time, hours=hours, minutes=minutes), text)
    return _AT_ONE.sub(r"\1 1 uur", text) if " one" in lower or "één" in lower else text


def _time(found: re.Match[str], *, hours: int, minutes: int) -> str:
    return f"{(_HOURS[fold(found[1])] + hours - 1) % 12 + 1}:{minutes}"


def levelled(text: str) -> str:
    """The text with one wording for each of these, and without "According to the page about …," at its head."""
    text = _HEAD.sub("", _FRAME.sub("", text))
    lower = text.lower()
    text = _clocked(text, lower)
    for hint, pattern, new in _RULES:
        if hint in lower:
            text = pattern.sub(new, text)
    return text
