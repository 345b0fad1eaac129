"""The same in Dutch. See `phrases_en`."""

KEYWORDS = "negeer vergeet vorige eerdere instructies richtlijnen beperkingen systeemprompt goedkeuring regels".split()

_RULES = (
    r"(?:instructies?|regels|prompts?|richtlijnen|opdrachten|aanwijzingen|beperkingen|voorschriften|orders|programmering|beveiliging"
    r"|filters?|grenzen)"
)
_OLD = r"(?:vorige|eerdere|voorgaande|bovenstaande|oude|oorspronkelijke|gegeven|eerste|huidige|geheime|verborgen)"
_DROP = r"\b(?<!\bik )(?:negeer|vergeet|stop met het volgen van|overschrijf|laat varen|(?:houd?|hou) (?:je|u) niet (?:meer |langer )?aan|doorbreek|schend)"
_STATED = r"(?![^/?]*\?)"
_YOUR = r"(?:je|jouw|uw)"
_NOT_OF = r"\b(?! (?:voor|over|van|om|bij|in)\b)"
_SHOW = (
    r"\b(?:toon|laat|geef|herhaal|print|onthul|vertel|noem|deel|schrijf|stuur|kopieer\w*|vat|lees|som|wat (?:is|zijn|staat|stond)|hoeveel woorden)"
    r"(?: \w+){0,5}"
)
_MACHINE = r"(?:ai|assistent|bot|chatbot|taalmodel|model|personage|dan)"
_ANOTHER = (
    rf"(?:{_MACHINE}|piraat|kat|hond|robot|hacker|terminal|onbeperkt\w*|ongecensureerd\w*|admin)"
)
_WITHOUT = rf"(?:geen|zonder|vrij van) (?:\w+ ){{0,2}}(?:{_RULES}|censuur|limieten|moraal)"
_YES = r"(?:de |die |elke |haar |zijn )?(?:goedkeuring|toestemming|bevestiging|akkoord)"

INJECTION = (
    rf"{_DROP} (?:alle |al )?(?:de |je |jouw |uw |deze )?{_OLD} (?:\w+ )?{_RULES}",
    rf"{_DROP} (?:alle |al )?{_YOUR} (?:\w+ )?{_RULES}{_NOT_OF}|{_DROP} alle {_RULES}|{_DROP} (?:al )?het bovenstaande",
    rf"{_DROP} (?:alle )?(?:ethische |veiligheids)?(?:instructies|richtlijnen|voorschriften|veiligheidsregels|protocollen|ethiek){_NOT_OF}{_STATED}",
    rf"\b(?:onbeperkte?|ongecensureerde?|ongefilterde?)(?: \w+){{0,2}} (?:modus|ai|assistent|chatbot|taalmodel|model)\b{_STATED}",
    rf"{_DROP} (?:alles )?(?:wat|dat)(?: (?:de|je|jij|jou|u|eigenaar|eerder|hier|hiervoor|hierboven|er|is|heeft|was|werd))*"
    r" (?:gezegd|verteld|opgedragen|geleerd|staat|stond)\b",
    r"\b(?:volg|gehoorzaam) (?:\w+ ){0,2}(?:regels|instructies|richtlijnen)(?: (?:hierboven|hiervoor))? niet\b",
    rf"\b{_YOUR} {_OLD} {_RULES} (?:waren|zijn|is|was) (?:maar |slechts |nu |een )*(?:test|nep|leugens?|grap|vervallen|ongeldig|ingetrokken|vervangen|gewist)",
    r"\bechte (?:opdracht|taak|instructies) (?:begint|beginnen|start)\b",
    r"\bhoef\w* (?:\w+ ){0,2}niet (?:meer |langer )?naar de eigenaar te luisteren|\bluister niet (?:meer )?naar (?:de|je) eigenaar",
    rf"{_SHOW} (?:de |je |jouw |uw )?(?:\w+ )?(?:systeemprompt|system prompt|systeeminstructies|beginprompt|geheime instructies|verborgen instructies)\b",
    rf"{_SHOW} {_YOUR} (?:\w+ )?(?:instructies|prompt){_NOT_OF}|\binclusief je instructies",
    rf"{_SHOW} (?:regels|instructies|richtlijnen) (?:waar|die) (?:jij|je|u)(?: (?:je|u|zich|aan|moet|gekregen|hebt|kreeg))+\b",
    r"\bherhaal (?:de|alle) tekst hierboven|\b(?:eerste|begin) (?:bericht|regel|tekst) van (?:dit|ons) (?:gesprek|chat)",
    r"\bmag (?:je|jij|u) (?:mij |me |ons )?(?:niet|absoluut niet) (?:vertellen|zeggen|verklappen|delen)\b",
    rf"\b{_YOUR} (?:tools|functies)(?: \w+){{0,2}} (?:met|en) (?:hun |de )?(?:parameters|argumenten)",
    r"\bbegin (?:je|uw) antwoord met (?:\w+ ){0,3}(?:natuurlijk|zeker|dit zijn mijn)",
    rf"\b(?:je|jij|u) bent (?:nu|voortaan|vanaf nu) (?:\w+ ){{0,3}}{_ANOTHER}\b|\bje bent (?:een )?(?:onbeperkt\w*|ongecensureerd\w*) ",
    rf"\b(?:vanaf nu|voortaan|van nu af aan) (?:antwoord|spreek|doe|gedraag|praat|zeg|luister|ben|zul) (?:je|jij|u)\b{_STATED}",
    rf"\b(?:je|jij|{_MACHINE}|piraat|die)(?: \w+){{0,6}} {_WITHOUT}\b{_STATED}",
    rf"\bdoe alsof (?:je|jij|u)(?: \w+){{0,3}} {_WITHOUT}|\b{_WITHOUT} (?:te|en) antwoord",
    r"\bspeel een rol\b.{0,20}\bje bent\b|\brollenspel\b.{0,60}\bje bent\b",
    r"\b(?:ontwikkelaars|debug|god|admin|beheerders)modus\b",
    rf"\b(?:schakel|zet) (?:je|alle|jouw|uw) (?:\w+ )?{_RULES} uit\b|\balle {_RULES} (?:te )?laten vallen",
    rf"\b{_YOUR} nieuwe (?:{_RULES}|rol|taak|opdracht|naam) (?:zijn|is|luid\w*)\b",
    rf"\bals {_YOUR} (?:ontwikkelaar|maker|eigenaar|beheerder) (?:draag|beveel|gebied|zeg) ik\b",
    r"\b(?:hou|houd) op (?:\w+ ){1,5}te zijn\b|\bals het (?:kale|ruwe|onderliggende) (?:taal)?model\b",
    r"\btrek je niets aan van (?:de regels|je regels|je instructies|de instructies)\b|\bik negeer mijn (?:richtlijnen|regels|instructies)\b",
    r"\btekst van (?:de|je) (?:systeem)?prompt\b|\b(?:instructies|prompt|regels) ben je (?:gestart|begonnen|ingesteld)\b|\bvoor mijn eerste (?:bericht|vraag) in je context\b",
    rf"\b(?:zet|vertaal) {_YOUR} (?:\w+ )?(?:regels|instructies|prompt)\b",
    r"\bnamens de eigenaar (?:keur|geef) ik\b|\bbehandel (?:\w+ ){0,4}als (?:\w+ ){0,3}van de eigenaar\b",
    rf"\bik ben {_YOUR} (?:nieuwe )?(?:eigenaar|ontwikkelaar|maker|beheerder|baas|meester)\b(?! van\b)",
)

ALLEGED = (
    rf"(?:{_RULES}|alles wat (?:je|jij|jou|u)(?: \w+){{0,4}}) (?:geldt|gelden|tellen|bestaan) (?:nu )?niet(?: meer| langer)?\b{_STATED}",
    rf"\bsla {_YES} over\b|\b{_YES} overslaan\b{_STATED}|\bomzeil {_YES}\b|\bnegeer {_YES}\b",
    rf"\b(?:verstuur|stuur|doe|voer|betaal|boek|verzend)\b(?: \w+){{0,7}} zonder (?:op )?{_YES}\b{_STATED}",
    rf"\beigenaar(?: \w+){{0,10}} zonder (?:{_YES}|te (?:wachten|vragen))\b{_STATED}",
    rf"\bde eigenaar heeft (?:dit |het |al |alles )*goedgekeurd\b{_STATED}",
    r"\balsof (?:de )?(?:eigenaar|zij|hij|ze)(?: \w+){0,3} (?:ja|goedgekeurd|akkoord|toegestemd)\b",
    r"\b(?:markeer|beschouw|behandel)(?: \w+){1,4} goedgekeurd\b|\bgoedgekeurd (?:true|waar|ja)\b",
    rf"\b{_YES}(?: \w+){{0,3}} (?:(?:\w+ ){{0,2}}niet (?:meer )?nodig|uitgeschakeld|overbodig)\b{_STATED}",
)

PASSED_ON = (
    r"^(?:(?:hoi|hallo|dag|en|ok|graag|alsjeblieft|alstublieft|wil|wilt|kun|kunt|kan|zou|je|jij|u|even|ook|ik|dat) )*"
    r"(?:(?:zeg|vertel|vraag|meld|herinner) (?!me\b|mij\b|ons\b|eens\b)|laat (?!me\b|mij\b|ons\b)\w+(?: \w+)? weten\b|(?:bericht|boodschap) (?:voor|aan) (?!me\b|mij\b)"
    r"|geef (?!me\b|mij\b)(?:\w+ ){0,4}door\b|schrijf aan (?!me\b|mij\b)|(?:de|het|mijn|een) \w+ door ?te ?geven\b)"
)

ASKS_ABOUT = (
    r"\b(?:wat betekent|betekenis van|geschreven over|wat bedoel\w+|mening over|leg uit wat|voorbeeld van|definitie van|heet|heette|genaamd|getiteld"
    r"|mensen die|zegt|zeggen)\b"
)

ABOUT_OTHERS = (
    r"^(?:(?:en|dus|maar|hoi|hallo|dag) )*(?:(?:heeft|hebben|had|kan|kunnen|kon) (?:iemand|mensen|bezoekers|anderen)\b"
    r"|(?:hoe|waarom) (?:bescherm|kan|kun|moet|verdedig|beveilig|gaat|doet) (?:je|men|iemand|ik|een)\b"
    r"|(?:(?:is|zijn|was|waren) (?:er|zij|hij|ze|de|het|haar)|(?:mag|kan|moet|mogen|kunnen) (?:ik|wij|we)|(?:heeft|had) (?:zij|ze|hij|ada))\b(?!.*\b(?:jij|je|jouw|uw|u)\b))"
)

_LEAD = (
    r"(?:^|[.!?:;]\s+|\n)(?:(?:hoi|hallo|hey|dag|ok|oké|dus|nu|en|dan|bedankt|goed|nou|graag|alsjeblieft|alstublieft|eerst|ook)\b[, ]*)*"
    r"(?:(?:kun|kan|wil|zou) (?:je|jij|u) |kunt u |ik wil dat je )?(?:alsjeblieft |alstublieft |even |eens |ook )?(?:help (?:me|mij) (?:met )?)?"
)
_ADJ = r"(?:(?!(?:voor|over|van|om|met|dat|die|naar|in|op|aan|de|het|uw|je|jullie)\b)[\w'-]+ ){0,3}"
_WORK = (
    r"(?P<thing>opstel|essay|gedicht(?:en|je)?|sonnet|haiku|lied(?:je)?|songtekst|rap|verhaal|sprookje|script|code|functie|programma|app|query|regex|algoritme"
    r"|sollicitatiebrief|motivatiebrief|huiswerk|werkstuk|toespraak|speech|blog(?:post)?|artikel|tweet|cv|mop|grap|raadsel|recept(?:en)?|weekmenu"
    r"|trainingsschema|reisschema|ondernemingsplan|persbericht|scriptie|presentatie|website|roman)\b"
)

OFF_TOPIC = (
    rf"{_LEAD}(?:schrijf|maak|genereer|bedenk|programmeer|verzin)(?: (?:me|mij|ons|voor mij|voor me|even|eens))* (?:(?:een|mijn|wat|\d+) )?{_ADJ}{_WORK}",
    rf"{_LEAD}(?:geef|vertel)(?: (?:me|mij|ons|even|eens))* (?:(?:een|wat|\d+) )?{_ADJ}(?P<thing>mop|grap|raadsel|gedicht|recept(?:en)?|sprookje|weekmenu|trainingsschema)\b",
    rf"{_LEAD}(?:een |mijn |wat )(?:[\w'-]+ ){{0,2}}?{_WORK}(?: [\w'-]+){{0,3}} (?:schrijven|maken|bedenken|programmeren|vertellen|verzinnen|nakijken|verbeteren|herschrijven)\b",
    rf"{_LEAD}ik (?:heb|wil|zoek) (?:een )?{_ADJ}(?P<thing>functie|script|query|regex|opstel|gedicht|algoritme)\b(?=[^.!?]* (?:nodig|die|dat|over)\b)",
    rf"{_LEAD}schrijf \d+ woorden\b",
    rf"{_LEAD}vertaal (?:het volgende|de volgende|deze (?:zin|tekst|brief|mail|alinea)|dit ?:|[\"“'‘«])",
    rf"{_LEAD}(?:vat|herschrijf) (?:het volgende|deze tekst|dit artikel|deze alinea)\b",
    rf"{_LEAD}(?:maak|doe|los)? ?(?:mijn|m'n) {_ADJ}(?P<thing>\w*huiswerk|scriptie|werkstuk|opstel|tentamen)\b",
    rf"{_LEAD}los (?:op\b|deze|dit|de volgende)[^.!?]{{0,40}}(?:[=^]|\bop\b)",
    rf"{_LEAD}(?:bereken|hoeveel is|wat is) \d[\d.,]*\s*(?:(?:%|procent) van \d|[-+*/x×÷^]\s*\d|(?:plus|min|keer|maal|gedeeld door) \d)",
    rf"{_LEAD}(?:verbeter|repareer|debug|controleer) (?:deze|mijn|dit) {_ADJ}(?P<thing>code|script|programma|opstel|scriptie|grammatica|cv|sollicitatiebrief)\b",
    rf"{_LEAD}gedraag (?:je|u) als (?:een )?[\w'-]+",
    rf"{_LEAD}doe alsof (?:je|u) (?:een|mijn) [\w'-]+(?: [\w'-]+)? bent",
)
