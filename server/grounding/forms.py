"""The forms of a fact: one spelling for "10 December 1815" and "december 10, 1815", "€ 1.650" and "1650 euro".

`said` is what evidence has to give for the fact to be supported (any of these), `given` all that it gives as
evidence: a date gives its year, a year does not give a date.
"""

import re
from functools import lru_cache

from server.grounding.numerals import read_digits
from server.grounding.words import fold

MONTHS = {
    name: number
    for number, names in enumerate(
        """january januari jan; february februari feb; march maart; april apr; may mei; june juni; july juli;
        august augustus aug; september sept sep; october oktober oct okt; november nov; december dec""".split(
            ";"
        ),
        1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        """monday maandag; tuesday dinsdag; wednesday woensdag; thursday donderdag; friday vrijdag;
        saturday zaterdag; sunday zondag""".split(";")
    )
    for name in names.split()
}
CURRENCIES = {
    "€": "€", "eur": "€", "euro": "€", "euros": "€", "$": "$", "usd": "$", "dollar": "$", "dollars": "$",
    "£": "£", "gbp": "£", "pound": "£", "pounds": "£", "pond": "£",
}  # fmt: skip


@lru_cache(maxsize=20_000)
def forms_of(kind: str, body: str) -> tuple[frozenset[str], frozenset[str]]:
    text = fold(body)
    forms: set[str]
    match kind:
        case "email":
            forms = {"@" + text}
        case "url":
            forms = {"u:" + re.sub(r"^(?:https?://)?(?:www\.)?", "", text).rstrip("/")}
        case "phone":
            digits = re.sub(r"\D", "", text)
            forms = {"p:" + re.sub(r"^(?:00)?(?:31|32|44|1)0?(?=\d{8})|^0", "", digits)}
        case "date":
            return _date(text)
        case "money":
            unit = re.sub(r"[\d.,\s]|million|billion|thousand|miljoen|miljard|duizend", "", text)
            forms = {f"{CURRENCIES.get(unit, unit)}{value:.12g}" for value in read_digits(text)}
        case "percent":
            forms = {f"%{value:.12g}" for value in read_digits(text)}
        case "time":
            return _time(text)
        case "weekday":
            forms = {f"w:{WEEKDAYS[re.sub(r'(?<=dag)en$|(?<=day)s$', '', text)]}"}
        case _:
            values = read_digits(text)
            forms = {f"n:{value:.12g}" for value in values}
            if clock := re.fullmatch(r"(\d{1,2})\.(\d\d)", text):
                forms.add(f"t:{int(clock[1]) * 60 + int(clock[2])}")
    return frozenset(forms), frozenset(forms)


def _time(text: str) -> tuple[frozenset[str], frozenset[str]]:
    match = re.match(r"(\d{1,2})(?:[:.](\d\d))?\s?(.*)", text)
    assert match is not None
    hour, minute, rest = int(match[1]), int(match[2] or 0), match[3]
    if rest.startswith("p") and hour < 12:
        hour += 12
    elif rest.startswith("a") and hour == 12:
        hour = 0
    forms = {f"t:{hour * 60 + minute}"}
    if match[2] is None and rest.startswith("u"):  # "24 uur" may be a span of hours
        forms.add(f"n:{int(match[1])}")
    given = forms | {f"n:{hour}"} if not minute else forms
    return frozenset(forms), frozenset(given)


def _date(text: str) -> tuple[frozenset[str], frozenset[str]]:
    names = [MONTHS[word] for word in re.findall(r"[a-z]+", text) if word in MONTHS]
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    year = next((n for n in numbers if n > 31), None)
    rest = [n for n in numbers if n != year]
    if names:
        readings = [(rest[0] if rest else None, names[0])]
    elif numbers[0] == year:
        readings = [(rest[1], rest[0])]
    else:
        readings = [
            (rest[0], rest[1]),
            *([(rest[1], rest[0])] if "/" in text and rest[0] <= 12 else []),
        ]
    said, given = set(), set()
    for day, month in readings:
        full = ":".join(str(part) for part in (year, month, day) if part is not None)
        said.add("d:" + full)
        given |= {"d:" + full, f"m:{month}"}
        if day is not None:
            given.add(f"d:{month}:{day}")
        if year is not None:
            given |= {f"n:{year}", f"d:{year}:{month}"}
    return frozenset(said), frozenset(given)
