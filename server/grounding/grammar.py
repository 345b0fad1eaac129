"""The small words that hold a sentence together, and the people it can be about; English and Dutch."""

PRONOUNS = frozenset(
    """he she it they him her them his its their who which that this these those i we you me us my our your hij zij ze het
    hem haar hen hun zijn die dat deze dit er daar ik wij we u je jij ons onze mijn uw jullie zich""".split()
)
SUBJECTS = frozenset(
    "he she it they this these that those hij zij ze het dit dat deze die hiervan daarvan".split()
)
PERSONAL = frozenset("he she they hij zij ze".split())
COPULA = frozenset("is was are were be been became ben bent zijn waren werd wordt geworden".split())
RELATIVE = frozenset("who which that whom die dat waarvan".split())
PREPOSITIONS: dict[str, str] = {
    word: group
    for group, words in {
        "by": "by door", "from": "from vanaf", "to": "to aan naar tot", "against": "against tegen", "under": "under onder",
        "for": "for voor", "than": "than dan", "of": "of van", "with": "with met", "in": "in at on op bij te within uit near rond langs around along through between tussen during tijdens since sinds "
        "behind achter naast beside above boven below across outside buiten binnen inside into onto vanuit via as als zonder without",
        "before": "before", "after": "after na", "over": "over about",
    }.items()
    for word in words.split()
}  # fmt: skip
TITLES = frozenset(
    "mr mrs ms miss dr prof sir dhr mevr mevrouw meneer drs ir ing lord lady dokter".split()
)
KIN = frozenset(
    """mother father brother sister son daughter aunt uncle husband wife widow teacher student pupil employer employee
    worker workers client buyer seller tenant landlord customer shop volunteer volunteers contractor apprentice apprentices moeder vader broer zus zoon
    dochter tante oom man vrouw weduwe leraar docent leerling werkgever werknemer koper verkoper huurder verhuurder klant winkel
    mothers fathers brothers sisters sons daughters students pupils colleague assistant partner friend friends grandson granddaughter grandfather grandmother nephew niece
    cousin zonen dochters broers zussen leerlingen studenten collega assistent assistente vriend vriendin vrienden neef nicht kleinzoon kleindochter opa oma vaders moeders studente
    student raad council stad gemeente woningcorporatie""".split()
)
CONJUNCTIONS = frozenset(
    "and but while whereas although though because so en maar terwijl hoewel omdat want nadat voordat zodat doordat".split()
)
POSSESSIVE = frozenset("her his its their haar zijn hun".split())
ARTICLES = frozenset("the a an de het een".split())
EXCEPT = frozenset("except behalve uitgezonderd".split())
DENIALS = frozenset(
    "not no never none cannot don't doesn't didn't won't can't niet geen nooit".split()
)
CONDITIONS = frozenset(
    "if unless als indien mits tenzij wanneer zodra should otherwise anders wie whoever anyone".split()
)
"""What a clause begins with when the rest of the sentence is said of that case only."""
WISHES = frozenset(
    """want wants wish wishes like interested prefer prefers need needs question questions doubt curious wil wilt willen wenst interesse voorkeur vraag
    vragen vraagt twijfelt zoekt benieuwd rather fancy looking unsure""".split()
)
