"""The same in Dutch. See `phrases_en`."""

_RULES = r"(?:instructies?|regels|prompts?|richtlijnen|opdrachten|aanwijzingen|beperkingen|voorschriften|orders|programmering|beveiliging)"
_DROP = r"(?:negeer|vergeet|stop met het volgen van|houd je niet aan|overschrijf|laat varen)"
_OLD = r"(?:vorige|eerdere|voorgaande|bovenstaande|oude|oorspronkelijke|gegeven)"

INJECTION = (
    rf"{_DROP} (?:alle |al )?(?:de |je |jouw |uw |deze )?{_OLD} (?:\w+ )?{_RULES}",
    rf"{_DROP} (?:alle |al )?(?:je|jouw|uw) (?:\w+ )?{_RULES}|{_DROP} alle {_RULES}|{_DROP} (?:al )?het bovenstaande",
    r"(?:toon|laat|geef|herhaal|print|onthul|vertel|wat (?:is|zijn)|vat)(?: \w+){0,4} (?:systeemprompt|system prompt|verborgen instructies|beginprompt|geheime instructies|systeeminstructies)",
    r"herhaal de tekst hierboven|(?:inclusief|geef|toon) je instructies",
    r"(?:je|jij|u) (?:bent|ben) (?:nu|voortaan) (?:\w+ ){0,3}(?:ai|assistent|onbeperkt\w*|dan|admin)\b|ai zonder beperkingen",
    rf"doe alsof je geen {_RULES}|zonder {_RULES} (?:te|en) antwoord",
    r"(?:ontwikkelaars|debug|god|admin|beheerders)modus",
    rf"(?:schakel|zet) (?:je|alle|jouw) (?:\w+ )?{_RULES} uit|alle {_RULES} (?:te )?laten vallen",
    r"(?:sla|slaan) (?:de|die|elke) (?:goedkeuring|toestemming|bevestiging) over|omzeil (?:de )?(?:goedkeuring|toestemming)",
    r"(?:je|jouw|uw) nieuwe (?:instructies|regels|rol|taak|opdracht) (?:zijn|is|luid\w*)",
    r"als (?:je|jouw|uw) (?:ontwikkelaar|maker|eigenaar|beheerder) (?:draag|beveel|gebied|zeg) ik",
    r"de eigenaar heeft (?:al )?alles goedgekeurd",
)

ASKS_ABOUT = r"\b(?:wat betekent|betekenis van|geschreven over|wat bedoel\w+|mening over|leg uit wat|voorbeeld van|definitie van)\b"

SPEAKS_OF = r"^(?:heeft|hebben) (?:iemand|mensen|bezoekers)\b|^hoe (?:bescherm|verdedig|ga)\w*"

OFF_TOPIC = (
    r"^(?:kun je |kunt u |wil je )?(?:alsjeblieft )?(?:schrijf|maak|genereer|bedenk|schrijven|maken)(?: me| mij| voor mij)? (?:een|mijn|wat) (?:\w+ ){0,1}"
    r"(?:opstel|gedicht|liedje|verhaal|script|code|functie|programma|sollicitatiebrief|huiswerk|toespraak|werkstuk|mop)\b",
    r"^(?:kun je |kunt u )?(?:alsjeblieft )?vertaal (?:het volgende|dit|deze)\b",
    r"^(?:kun je |kunt u )?(?:maak|doe) mijn huiswerk|^los (?:deze|dit|de volgende) (?:\w+ )?op\b",
    r"^(?:kun je |kunt u )?(?:bereken|hoeveel is|wat is) \d+(?: \w)? \d+",
    r"^(?:verbeter|repareer|debug) (?:deze|mijn|dit) (?:code|script|programma)",
    r"^gedraag je als (?:een )?\w+",
    r"^geef (?:me |mij )?een recept\b",
)
