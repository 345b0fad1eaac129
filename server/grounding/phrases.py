"""Turns of phrase that say the same, made one before anything is compared."""

import re

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
    r"^\s*(?:(?:so|also|but|and|en|maar|dus)\s+)?(?:(?:please )?(?:note|keep in mind|bear in mind|be aware|remember|mind)(?: that|,|:)?|let (?:er )?(?:wel )?op(?: dat|,|:)?|"
    r"houd (?:er|u er)(?: wel| dan| dus| ook)* rekening mee dat|weet dat|it is (?:worth|good) (?:noting|knowing|to know) that|goed om te weten(?: is)?(?: dat|:)?|"
    r"i (?:can|should|may|must) (?:tell you|add|say|mention)(?: that)?|what i can (?:tell|say)(?: you)? is(?: that)?|ik kan (?:u |je )?(?:wel )?vertellen dat|"
    r"wat ik (?:u |je )?kan vertellen is dat|the good news is that|het goede nieuws is dat)\s+",
    re.IGNORECASE,
)


def levelled(text: str) -> str:
    """The text with one wording for each of these, and without "According to the page about …," at its head."""
    text = _HEAD.sub("", _FRAME.sub("", text))
    lower = text.lower()
    for hint, pattern, new in _RULES:
        if hint in lower:
            text = pattern.sub(new, text)
    return text
