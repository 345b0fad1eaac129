"""Numbers as people write them: "1.650", "1,2 miljoen", "tweeëndertig", "twenty-five"."""

import re

_LARGE = {
    "million": 1e6,
    "miljoen": 1e6,
    "billion": 1e9,
    "miljard": 1e9,
    "thousand": 1e3,
    "duizend": 1e3,
}
_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_DUTCH = (
    "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien"
).split()
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety".split(),
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig".split(),
}


def _words() -> dict[str, float]:
    found: dict[str, float] = {"anderhalf": 1.5, "anderhalve": 1.5, "dozen": 12, "dozijn": 12}
    for ones in (_ENGLISH, _DUTCH):
        found.update({word: value for value, word in enumerate(ones) if value != 1})
    for place, ten in enumerate(_TENS["en"], 2):
        found[ten] = place * 10
        found.update({f"{ten}{one}": place * 10 + n for n, one in enumerate(_ENGLISH[:10]) if n})
    for place, ten in enumerate(_TENS["nl"], 2):
        found[ten] = place * 10
        found.update({f"{one}en{ten}": place * 10 + n for n, one in enumerate(_DUTCH[:10]) if n})
    small = dict(found)
    found |= {"hundred": 100, "honderd": 100, "thousand": 1000, "duizend": 1000}
    found |= {f"{word}honderd": value * 100 for word, value in small.items() if 1 < value < 100}
    found |= {f"{word}duizend": value * 1000 for word, value in small.items() if 1 < value < 100}
    return found


_WORDS = _words()


def number_of(word: str) -> float | None:
    """The value of a (folded) number word; None for other words, and for "one", which is mostly not a number."""
    return _WORDS.get(word)


def read_digits(text: str) -> tuple[float, ...]:
    """What the first number in the text can mean: "1.650" is 1650 in Dutch and 1.65 in English."""
    match = re.search(r"\d+(?:[.,]\d+)*", text)
    assert match is not None
    digits = match[0]
    times = next((value for word, value in _LARGE.items() if word in text), 1.0)
    separators = re.findall(r"[.,]", digits)
    if not separators:
        return (float(digits) * times,)
    bare = re.sub(r"[.,]", "", digits)
    grouped = bool(re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits)) and len(set(separators)) == 1
    whole, _, fraction = digits.rpartition(separators[-1])
    decimal = float(re.sub(r"[.,]", "", whole) + "." + fraction) * times
    if len(separators) > 1 and len(set(separators)) == 1:
        return (float(bare) * times,)
    return (float(bare) * times, decimal) if grouped else (decimal,)
