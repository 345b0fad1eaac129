"""Sentences made of a page's own words: what says something else is kept back, and what says the same is not."""

import pytest

from server.grounding.evidence import Evidence, Source
from server.grounding.judge import judge

TEMPTING = [
    # who gives and who takes
    ("en", "We rent out kayaks and lend life jackets to members.", "We rent kayaks from members.", "We rent out kayaks."),
    ("en", "We rent out kayaks and lend life jackets to members.", "Members lend life jackets.", "We lend life jackets to members."),
    ("nl", "Wij verhuren fietsen en kopen gebruikte onderdelen.", "Wij huren fietsen.", "U kunt bij ons fietsen huren."),
    ("nl", "Wij verhuren fietsen en kopen gebruikte onderdelen.", "Wij kopen fietsen.", "Wij kopen gebruikte onderdelen."),
    ("nl", "Wie lid is, leent gratis een pomp.", "Wie lid is, krijgt gratis een pomp.", "Wie lid is, leent gratis een pomp."),
    # whose act it is
    ("en", "Insured clients pay us first and claim it back themselves.", "We claim it back for insured clients.", "Insured clients pay us first."),
    ("nl", "Kinderen jonger dan 12 rijden gratis mee met een ouder.", "Een ouder rijdt gratis mee.", "Kinderen jonger dan 12 rijden gratis mee met een ouder."),
    ("nl", "Hij schrijft een column in het maandblad voor imkers.", "Imkers schrijven een column.", "Hij schrijft een column."),
    ("nl", "Wim maakt appelsap, dat u in het winkeltje kunt kopen.", "Wim koopt appelsap in het winkeltje.", "Wim maakt appelsap."),
    ("en", "Ravi Patel, who joined in 2021, sees runners and dancers.", "Ravi is a dancer.", "Ravi sees runners and dancers."),
    ("en", "Ravi Patel, who joined in 2021, sees runners and dancers.", "Runners and dancers joined in 2021.", "Ravi Patel joined in 2021."),
    ("en", "Mira opened the shop in 2011 after working for a publisher in Leeds.", "Mira worked for a publisher in Leeds in 2011.", "Mira opened the shop in 2011."),
    ("en", "The cellar floods in winter, so the maps are kept upstairs.", "The maps are kept in the cellar.", "The maps are kept upstairs."),
    # of which ones
    ("en", "Dogs may come along in the canoes if they are calm.", "Animals may come along in the canoes if they are calm.", "Dogs may come along in the canoes if they are calm."),
    ("nl", "Nieuwe leerlingen mogen één keer gratis meedoen.", "Nieuwe leerlingen mogen gratis meedoen.", "Nieuwe leerlingen mogen één keer gratis meedoen."),
    ("en", "Rare books are valued by an expert in York.", "Books are valued by an expert in York.", "Rare books are valued by an expert in York."),
    ("nl", "Bas geeft kanoles aan kinderen die kunnen zwemmen.", "Bas geeft kanoles aan kinderen.", "Bas geeft kanoles aan kinderen die kunnen zwemmen."),
    ("en", "We do not charge for a second opinion.", "We don't charge for opinions.", "We don't charge for a second opinion."),
    # limits and conditions
    ("en", "We send books within the UK for 4 pounds.", "We send books for 4 pounds.", "We send books within the UK for 4 pounds."),
    ("nl", "Op zondag ontvangt hij geen bezoek.", "Hij ontvangt geen bezoek.", "Op zondag ontvangt hij geen bezoek."),
    ("nl", "Aan winkels leveren we niet.", "We leveren niet.", "We leveren niet aan winkels."),
    ("en", "If a class is full, you can join the waiting list.", "You can join the waiting list.", "If a class is full, you can join the waiting list."),
    ("en", "If a class is full, you can join the waiting list.", "The classes are full.", "If a class is full, you can join the waiting list."),
    ("nl", "Honden mogen mee als ze aan de lijn zijn.", "Honden mogen mee.", "Honden mogen mee als ze aan de lijn zijn."),
    ("en", "Home visits are only possible in Alderton and cost 15 pounds extra.", "Home visits are possible.", "Home visits are only possible in Alderton."),
    ("en", "Home visits are only possible in Alderton and cost 15 pounds extra.", "Home visits cost 15 pounds.", "Home visits cost 15 pounds extra."),
    ("en", "A kayak costs 15 euro per day.", "A kayak costs 15 euro.", "A kayak costs 15 euro a day."),
    ("nl", "Een plek kost 19 euro per nacht voor twee personen.", "Een plek kost 19 euro per persoon voor twee personen.", "Een plek kost 19 euro per nacht voor twee personen."),
    ("nl", "Reserveren is niet nodig buiten de schoolvakanties.", "Reserveren is nodig buiten de schoolvakanties.", "Reserveren is niet nodig buiten de schoolvakanties."),
    # when
    ("nl", "Wie zich voor september inschrijft, krijgt korting.", "Wie zich in september inschrijft, krijgt korting.", "Wie zich voor september inschrijft, krijgt korting."),
    ("nl", "De camping is open van half april tot eind september.", "De camping is open tot half april.", "De camping is open van half april tot eind september."),
    ("nl", "Greet danste vroeger bij Het Nationale Ballet.", "Greet danst bij Het Nationale Ballet.", "Greet danste vroeger bij Het Nationale Ballet."),
    ("en", "Nora used to teach Pilates.", "Nora teaches Pilates.", "Nora used to teach Pilates."),
    ("en", "Lucy moved to Bath in 2010 and started the club two years later.", "Lucy started the club in 2010.", "Lucy moved to Bath in 2010."),
    ("en", "Lucy moved to Bath in 2010 and started the club two years later.", "Lucy moved from Bath in 2010.", "Lucy moved to Bath in 2010."),
    ("en", "Ruth would like to retire when Iris has qualified as a vet.", "Ruth will retire when Iris has qualified as a vet.", "Ruth would like to retire when Iris has qualified as a vet."),
    ("en", "Anybody can enter vegetables, but only members can win the cup.", "Members win the cup.", "Only members can win the cup."),
    ("en", "Anybody can enter vegetables, but only members can win the cup.", "Only members can enter vegetables.", "Anybody can enter vegetables."),
    ("en", "Our secretary is Maureen Cole. Maureen's father dug the first well in 1949.", "Maureen dug the first well in 1949.", "Maureen's father dug the first well in 1949."),
    # why, and how it compares
    ("en", "The cellar floods in winter, so the maps are kept upstairs.", "The cellar floods because the maps are kept upstairs.", "The maps are kept upstairs because the cellar floods in winter."),
    ("en", "The river is deeper than the lake.", "The river is deep.", "The river is deeper than the lake."),
    ("en", "The river is deep.", "It is the deepest river.", "The river is deep."),
    # questions, and a number beside another
    ("en", "Do you sell wetsuits? Ask Ben about it.", "We sell wetsuits.", "You can ask Ben about it."),
    ("en", "A check-up costs 38 pounds, and a vaccination 52 pounds including the check-up.", "A vaccination costs 38 pounds including the check-up.", "A check-up costs 38 pounds."),
]  # fmt: skip
"""Language, what the page says, what it does not say, what it does."""


@pytest.mark.parametrize(("language", "page", "false", "true"), TEMPTING)
def test_only_what_the_page_says_passes(language: str, page: str, false: str, true: str) -> None:
    """The two are a word or two apart."""
    evidence = Evidence((Source(page, language),), language=language)
    assert not judge(false, evidence).passed
    assert judge(true, evidence).passed, judge(true, evidence).reason


def test_an_answer_stands_on_the_words_of_its_question() -> None:
    """A question says nothing, unless its answer begins with yes."""
    evidence = Evidence((Source("What is a kayak? 15 euro per day. Do you sell tea? Yes, loose."),))
    assert judge("A kayak is 15 euro per day.", evidence).passed
    assert judge("We sell tea.", evidence).passed


CLOCK = [
    ("en", "Judging starts at eleven; the doors open at one.", "Judging starts at one.", "Judging starts at eleven."),
    ("en", "The reception closes at half past five.", "The reception closes at five.", "The reception closes at 5:30."),
    ("en", "The boat leaves at quarter to nine.", "The boat leaves at nine.", "The boat leaves at 8:45."),
    ("nl", "De zaal sluit om half vijf.", "De zaal sluit om vijf uur.", "De zaal sluit om 4:30 uur."),
    ("nl", "We zijn er van tien tot één.", "We zijn er tot half één.", "We zijn er van tien uur tot één uur."),
]  # fmt: skip


@pytest.mark.parametrize(("language", "page", "false", "true"), CLOCK)
def test_the_clock_in_words(language: str, page: str, false: str, true: str) -> None:
    """Half past five is 5:30, and Dutch half five is half past four."""
    test_only_what_the_page_says_passes(language, page, false, true)
