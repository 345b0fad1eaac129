"""What the extractive model says, and the cues it goes by, in English and Dutch. Data.

Cues are regular expressions over plain text: lower-case, without accents, apostrophes and punctuation, with the
owner's name written as `owner`.
"""

import re
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's sentences. `{owner}` stands for the owner's name, `{note}` for the owner's words."""

    notice: str
    greeting: str
    who: str
    thanks: str
    not_found: str
    offer: str
    ask_message: str
    ask_contact: str
    contact_unclear: str
    backed_out: str
    recorded: str
    edited: str
    declined: str
    unconfirmed: str
    cancelled: str
    withdrawn: str
    expired: str
    unconfirmed_in_time: str
    already_waiting: str
    in_doubt: str
    not_done: str
    note: str
    no_availability: str
    no_messages: str
    result: str


EN = Phrases(
    notice="No language model is connected here, so I answer with quotes from the pages I was given.",
    greeting="Hello! I am the digital twin of {owner}. What would you like to know?",
    who="I am the digital twin of {owner}: a program, not {owner} in person. Ask me a question and I look for "
    "the answer in the pages I was given, or ask me to pass on a message.",
    thanks="You're welcome!",
    not_found="I can't find that in my sources. No language model is connected here, so I can only quote what "
    "the pages say; other words may help.",
    offer="Shall I pass on a message to {owner}?",
    ask_message="What should I pass on to {owner}?",
    ask_contact="How can {owner} reach you: what is your e-mail address or phone number?",
    contact_unclear="I don't see an e-mail address or phone number in that. You can also say “never mind”.",
    backed_out="All right, I won't pass anything on.",
    recorded="Your message has been recorded and passed on.",
    edited="It was changed before it was passed on.",
    declined="Your request was declined. It has not been carried out.",
    unconfirmed="The request was not confirmed, so it has not been carried out.",
    cancelled="Your request was cancelled. It has not been carried out.",
    withdrawn="You took your request back. It has not been carried out.",
    expired="There was no decision in time, so your request lapsed. It has not been carried out.",
    unconfirmed_in_time="You did not confirm the request in time, so it lapsed. It has not been carried out.",
    already_waiting="A request of yours is already waiting for a decision. This one can be made after it.",
    in_doubt="It is not certain whether your request was carried out. {owner} has been asked to look.",
    not_done="That did not work. As far as I can tell, nothing was carried out.",
    note="The note that came with it: “{note}”",
    no_availability="I can't look up the availability at the moment.",
    no_messages="I can't pass on messages at the moment.",
    result="This is what came back:",
)

NL = Phrases(
    notice="Er is hier geen taalmodel aangesloten; ik antwoord met citaten uit de pagina's die ik heb gekregen.",
    greeting="Hallo! Ik ben de digitale tweeling van {owner}. Wat wilt u weten?",
    who="Ik ben de digitale tweeling van {owner}: een programma, niet {owner} zelf. Stel een vraag en ik zoek "
    "het antwoord in de pagina's die ik heb gekregen, of vraag me een bericht door te geven.",
    thanks="Graag gedaan!",
    not_found="Dat kan ik niet vinden in mijn bronnen. Er is hier geen taalmodel aangesloten, dus ik kan alleen "
    "citeren wat op de pagina's staat; met andere woorden lukt het misschien wel.",
    offer="Zal ik een bericht doorgeven aan {owner}?",
    ask_message="Wat zal ik doorgeven aan {owner}?",
    ask_contact="Hoe kan {owner} u bereiken: wat is uw e-mailadres of telefoonnummer?",
    contact_unclear="Ik zie daar geen e-mailadres of telefoonnummer in. U kunt ook “laat maar” zeggen.",
    backed_out="Goed, ik geef niets door.",
    recorded="Uw bericht is vastgelegd en doorgegeven.",
    edited="Het is gewijzigd voordat het werd doorgegeven.",
    declined="Uw verzoek is afgewezen. Het is niet uitgevoerd.",
    unconfirmed="Het verzoek is niet bevestigd en dus niet uitgevoerd.",
    cancelled="Uw verzoek is geannuleerd. Het is niet uitgevoerd.",
    withdrawn="U heeft uw verzoek ingetrokken. Het is niet uitgevoerd.",
    expired="Er kwam niet op tijd een beslissing, dus uw verzoek is vervallen. Het is niet uitgevoerd.",
    unconfirmed_in_time="U heeft het verzoek niet op tijd bevestigd, dus het is vervallen. Het is niet uitgevoerd.",
    already_waiting="Er wacht al een verzoek van u op een beslissing. Dit kan daarna.",
    in_doubt="Het is niet zeker of uw verzoek is uitgevoerd. {owner} is gevraagd om te kijken.",
    not_done="Dat is niet gelukt. Voor zover ik weet is er niets uitgevoerd.",
    note="De toelichting erbij: “{note}”",
    no_availability="Ik kan de beschikbaarheid op dit moment niet opzoeken.",
    no_messages="Ik kan op dit moment geen berichten doorgeven.",
    result="Dit kwam eruit:",
)

PHRASES = {"en": EN, "nl": NL}


def named(phrases: Phrases, owner: str) -> Phrases:
    """The phrases with the owner's name in them."""
    texts = {f.name: getattr(phrases, f.name).replace("{owner}", owner) for f in fields(phrases)}
    return Phrases(**texts)


RESULTS = {
    "already_waiting": r"already waiting|waiting for the owner",
    "declined": r"owner declined|rejected",
    "unconfirmed": r"was not confirmed",
    "cancelled": r"(owner|was) cancelled",
    "withdrawn": r"visitor withdrew|withdrawn",
    "expired": r"no decision in time|expired",
    "unconfirmed_in_time": r"did not confirm this request in time",
    "in_doubt": r"not known whether|in doubt",
    "not_done": r"not run|not been carried out|no valid approval|not completed|the tool (failed|did not)|not recorded",
    "recorded": r"recorded",
}
"""How a tool result begins to say what became of a request. The earliest one counts; none: not done."""
NOTE = r"note, word for word: \"(.*)\"\s*$"
QUOTED = re.compile(r"\[\d{1,3}\]")
EDITED = r"^A person changed the arguments"
TOOL_FAILED = r"(not run|not asked|the tool (failed|did not answer))\b"

_THEM = r"(owner|him|her|them|you|hem|haar|hen|hun|jou|je|jullie|u)"
_FEW = r"( \w+){0,4}"

WANTS_MESSAGE = (
    rf"(leave|send|pass on|pass along|give|drop|write|deliver|relay){_FEW} (message|note|word)",
    r"pass (this|that|it|something) (on|along)|^(please )?pass (on|along)",
    rf"tell {_THEM}|let {_THEM} know|inform {_THEM}",
    rf"(contact|reach|call|phone|e ?mail|text|write to|speak (to|with)|talk (to|with)) {_THEM}",
    r"(get|be|come) in touch|get hold of",
    r"(call|phone|e ?mail|write|contact|ring) me( back)?",
    rf"(bericht(je)?|boodschap|mailtje){_FEW} (achter ?laten|achter te laten|(te )?sturen|doorgeven|door te geven)",
    rf"(laat|stuur|geef|schrijf){_FEW} (bericht(je)?|boodschap|mailtje)",
    rf"doorgeven|door te geven|geef{_FEW} door",
    rf"(zeg|vertel|meld)( tegen| aan)? (owner|hem|haar|hen)|laat {_THEM}{_FEW} weten",
    rf"contact (opnemen|op te nemen|leggen|krijgen)|neem{_FEW} contact",
    rf"{_THEM} (\w+ )?(bereiken|contacteren|mailen|bellen|spreken)",
    r"(bel|mail|contacteer) me|me (op|terug)?(bellen|mailen)|terug ?bellen",
)
ASKS_HOW = (
    r"^(how|what|whats|where|when|which|who|is there|do you have)\b"
    r"|^(hoe|wat|waar|wanneer|welke?|wie|is er|heb je|heeft u)\b"
)
"""A question about a message rather than the wish to send one: quoted from the pages when they answer it."""
WANTS_AVAILABILITY = (
    r"availability|appointments?",
    r"(are|is) (you|owner|he|she|they) (\w+ )?(available|free|reachable)",
    rf"(book|schedule|arrange|plan|set up){_FEW} (meeting|call|slot|visit|chat|interview|demo)",
    r"(can|could|may|like to|want to|possible to|love to) (i |we )?(meet|have a (meeting|call|chat))",
    r"beschikbaarheid|bereikbaarheid|afspra(ak|akje|ken)|afspreken",
    rf"(ben|bent|is|zijn) (je|jij|u|owner|hij|zij|ze|jullie){_FEW} (beschikbaar|bereikbaar|vrij)",
    rf"(gesprek|vergadering|bezoek|interview|kennismaking){_FEW} (plannen|inplannen|boeken|regelen)",
    rf"(plan|boek|regel|plannen|boeken|inplannen){_FEW} (gesprek|vergadering|bezoek|interview)",
    r"(kan|kunnen|mag|wil) (ik|we|wij) (\w+ )?(ontmoeten|langskomen)",
)
WHO = (
    r"who are (you|u)|what are you|whats your name|what is your name|what can you do",
    r"are you (a |an )?(bot|robot|human|real|person|ai|computer|machine|owner)",
    r"wie ben (je|jij)|wie bent u|wat ben (je|jij)|hoe heet (je|jij|u)|wat (kan|kun|kunt) (je|jij|u)( doen)?$",
    r"(ben|bent) (je|jij|u) (een )?(bot|robot|mens|echt|computer|machine|owner)",
)

# The rest must fit the whole message.
GREETING = (
    r"((hi|hello|hey|hallo|hoi|hey|dag|greetings|good (morning|afternoon|evening|day)|"
    r"goede(n)? ?(morgen|middag|avond|dag)|goeiedag)( (there|owner|all|allemaal|iedereen))?)+"
)
THANKS = (
    r"((ok|okay|oke|great|good|super|mooi|fijn|top) )*"
    r"(thanks|thank you|thx|cheers|bedankt|dank (je|u)( wel)?|dank(je|u)wel|merci)"
    r"( (a lot|so much|very much|owner|that helps|hartelijk|alvast|voor de hulp|for (the|your) help))?"
)
YES = (
    r"(yes|yeah|yep|sure|ok|okay|oke|please|please do|do|ja|jazeker|graag|prima|doe maar|dat is goed|go ahead)"
    r"( (please|graag|do|doe maar|thanks|bedankt|dat is goed))*"
)
BACKS_OUT = (
    r"((oh|ok|okay|oke|actually|no|nee|ach|sorry|well|hm|please|eigenlijk) )*"
    r"(never ?mind|forget (it|that|about it)|cancel( it| that)?|stop|leave it|dont( send( it)?| bother)?|no|"
    r"not needed|i changed my mind|id rather not|rather not|laat( het)? maar( zitten)?|vergeet het( maar)?|"
    r"(dat |het )?hoeft niet( meer)?|annuleer|annuleren|niet nodig|doe maar niet|toch( maar)? niet|niet doen|"
    r"nee|ik bedenk me|liever niet)"
    r"( (thanks|thank you|please|then|dan|bedankt|dank je|dank u|wel|hoor|toch|it|anymore))*"
)

STOPWORDS = {
    "en": frozenset(
        "the a an and or i you he she it we they is are was were be been not of for with that this these those "
        "what who whom whose where when how why which can could will would should has have had his her him its "
        "their them our us your my me also but to at on in by from about as if so than then there here any some "
        "please do does did tell say know get give want like let just whats im id".split()
    ),
    "nl": frozenset(
        "de het een en of ik je jij u hij zij ze wij we jullie is zijn was waren ben bent wordt werd niet van "
        "voor met dat die dit deze wat wie waar wanneer hoe waarom welke welk kan kun kunt kunnen zou wil wilt "
        "heeft hebben had haar hem hun hen er ook maar naar bij om aan op in uit door over als dan daar hier "
        "graag mijn me mij uw jouw doet doen deed zeg vertel weten laat nog wel te tot".split()
    ),
}
_SMALL_TALK = {
    "en": "hi hello hey thanks thank yes good morning afternoon evening never mind",
    "nl": "hoi hallo hey dag goede goedemorgen goedemiddag goedenavond bedankt dank ja nee laat bericht",
}
TELLING = {each: words | frozenset(_SMALL_TALK[each].split()) for each, words in STOPWORDS.items()}
"""What a language is told by: words too common to carry a meaning, and small talk."""
