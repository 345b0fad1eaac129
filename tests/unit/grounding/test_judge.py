"""One sentence against evidence."""

from collections.abc import Sequence

import pytest

from server.grounding.evidence import Evidence, Source, ToolResult
from server.grounding.judge import judge
from server.grounding.near import Near
from server.grounding.score import support_score

ADA = Evidence(
    passages=(
        Source(
            "Ada Lovelace was born in London on 10 December 1815. Mary Somerville taught her mathematics. Her notes were "
            "nominated for a prize but did not win. She may have liked cats. Some of her letters are lost. "
            'Babbage called her "the Enchantress of Number".',
            "en",
            "Ada Lovelace",
        ),
        Source(
            "De winkel is op maandag open van 9.00 tot 17.00 uur, en op zaterdag van 10.00 tot 16.00 uur. Katten zijn niet "
            "welkom. Een appeltaart kost € 12,50.",
            "nl",
            "Winkel",
        ),
    ),
    visitor="My cat is Tom and I live at eve@example.org. When was Ada born?",
    owner="Ada Lovelace",
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Ada Lovelace was born on December 10, 1815 in London [1].",
        "She was taught mathematics by Mary Somerville.",
        "Her notes did not win.",
        "She may have liked cats.",
        'Babbage called her "the Enchantress of Number".',
        "Op zaterdag is de winkel open van 10.00 tot 16.00 uur.",
        "Cats are not welcome.",
        "Een taart kost € 12,50.",
        "According to the pages, some of her letters are lost.",
    ],
)
def test_supported(sentence: str) -> None:
    """Inflections, other order, both languages, a frame around it."""
    verdict = judge(sentence, ADA)
    assert verdict.passed, verdict
    assert verdict.passages


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Ada Lovelace was born on 12 October 1815.", "uncovered"),
        ("Ada Lovelace taught Mary Somerville mathematics.", "roles"),
        ("Her notes won.", "negation"),
        ("She liked cats.", "drops:maybe"),
        ("All of her letters are lost.", "drops:some"),
        ("Her letters are lost.", "drops:some"),
        ('Babbage called her "the Queen of Number".', "quote"),
        ("Op maandag is de winkel open van 10.00 tot 16.00 uur.", "bound:weekday"),
        ("Cats are welcome.", "negation"),
        ("Ada Lovelace was born in London on 10 December 1815 in a storm.", "uncovered"),
    ],
)
def test_unsupported(sentence: str, reason: str) -> None:
    """The reason is a slug that says what stands in the way."""
    verdict = judge(sentence, ADA)
    assert not verdict.passed
    assert verdict.reason == reason


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Good morning!", "greeting"),
        ("Dank u wel voor uw vraag.", "greeting"),
        ("I don't know whether she played chess.", "refusal"),
        ("Dat weet ik helaas niet.", "refusal"),
        ("Would you like to know more about Ada Lovelace?", "offer"),
        ("Kan ik u nog ergens anders mee helpen?", "offer"),
        ("You wrote that your cat is Tom.", "echo"),
        ("You can be reached at eve@example.org.", "echo"),
        ("I am a digital twin, not Ada Lovelace herself.", "twin"),
    ],
)
def test_conversation_needs_no_evidence(sentence: str, kind: str) -> None:
    """It states nothing about the world."""
    verdict = judge(sentence, ADA)
    assert verdict.passed
    assert verdict.kind == kind


@pytest.mark.parametrize(
    "sentence",
    [
        "Hello, she invented the computer!",
        "Did you know that she invented the computer?",
        "Shall I tell you why she invented the computer?",
        "You said that she won the prize.",
        "I don't know, but she was born in Paris.",
        "Would you like a free lesson?",
        "You can be reached at adam@example.org.",
    ],
)
def test_a_claim_in_disguise_is_a_claim(sentence: str) -> None:
    """What a visitor says about others is no evidence either."""
    assert not judge(sentence, ADA).passed


PASSED_ON = ToolResult(
    "draft_contact_message",
    "The owner approved it and the message was recorded. It has been passed on.",
    True,
)
DECLINED = ToolResult(
    "draft_contact_message", "The owner declined this request. It has not been carried out.", False
)
FREE = ToolResult("get_availability", "Ada is available on Monday at 14:00.", True)


def with_tools(*tools: ToolResult) -> Evidence:
    return Evidence(ADA.passages, tools, ADA.visitor, ADA.owner)


@pytest.mark.parametrize(
    "sentence",
    [
        "Your message has been passed on.",
        "I have passed on your message.",
        "Uw bericht is doorgegeven.",
    ],
)
def test_done_needs_a_result_that_says_so(sentence: str) -> None:
    """After a refusal, or without any result, it cannot pass."""
    assert judge(sentence, with_tools(PASSED_ON)).passed
    assert not judge(sentence, with_tools()).passed
    assert not judge(sentence, with_tools(DECLINED)).passed


def test_one_thing_done_is_not_another() -> None:
    """A message passed on is no booking."""
    assert not judge("Your appointment has been booked.", with_tools(PASSED_ON)).passed
    assert not judge("I have refunded your order.", with_tools(PASSED_ON)).passed


def test_a_refused_request_may_be_told() -> None:
    """That it was not done is what the result says."""
    assert judge("Your request has not been carried out.", with_tools(DECLINED)).passed
    assert not judge("Your request has not been carried out.", with_tools(PASSED_ON)).passed


def test_availability_needs_a_tool() -> None:
    """No page can promise somebody's time."""
    promised = Evidence((Source("Ada is available on Monday at 14:00.", "en", "Ada"),), owner="Ada")
    assert judge("Ada is available on Monday at 14:00.", with_tools(FREE)).passed
    assert not judge("Ada is available on Tuesday at 14:00.", with_tools(FREE)).passed
    assert not judge("Ada is available on Monday at 14:00.", promised).passed


def test_similarity_is_asked_only_across_languages_and_never_for_facts() -> None:
    """Words alone settle the rest."""
    asked: list[str] = []

    def similar(sentence: str, texts: object) -> list[float]:
        asked.append(sentence)
        return [0.99] * len(list(texts))  # type: ignore[call-overload]

    strange = Evidence((Source("The quokka frolicked merrily.", "en", "Quokka"),))
    assert judge("De kwokka dartelde vrolijk rond.", strange, similar=similar).passed
    assert asked == ["De kwokka dartelde vrolijk rond."]
    for settled in (
        "De kwokka dartelde op 3 mei vrolijk rond.",
        "De kwokka dartelde niet vrolijk rond.",
        "The wombat frolicked merrily.",
    ):
        assert not judge(settled, strange, similar=similar).passed


def test_what_a_page_says_about_the_same_is_named_when_a_claim_is_withheld() -> None:
    """By words, or by meaning where there is somebody to ask; for something else there is nothing."""
    page = Evidence(
        (
            Source("Lessons take half an hour. We stop for the summer in July.", "en", "Lessons"),
            Source("The pool is heated to 31 degrees.", "en", "The pool"),
        )
    )
    longer = judge("Lessons take half an hour on Sunday.", page)
    assert (longer.passed, longer.near) == (False, Near("Lessons take half an hour.", 1))
    assert judge("The pool has a slide.", page).near is None

    def similar(sentence: str, texts: Sequence[str]) -> list[float]:
        return [0.9 if "31" in text else 0.8 for text in texts]

    by_meaning = judge("The pool is lovely and warm for toddlers.", page, similar=similar)
    assert (by_meaning.passed, by_meaning.near) == (
        False,
        Near("The pool is heated to 31 degrees.", 2),
    )
    assert judge("Lessons cost nothing for toddlers.", page, similar=similar).near is None


@pytest.mark.parametrize(
    ("page", "sentence", "supported"),
    [
        ("We rent out cellos and violins.", "We rent out instruments.", True),
        ("We do not rent out violins.", "We do not rent out instruments.", False),
        ("We rent out instruments.", "We rent out cellos.", False),
        ("Parking is free of charge.", "Parking is free.", True),
        ("She does no portraits, weddings or parties.", "She does no parties.", True),
        ("She does no portraits, only weddings.", "She does no weddings.", False),
        (
            "No referral is needed, except for children and for home visits.",
            "No referral is needed for home visits.",
            False,
        ),
        ("No, we are closed on Sunday. The shop is in Delft.", "No, the shop is in Delft.", True),
        ("There are four parking spaces.", "We'll keep a parking space.", False),
        ("We will send you an invoice.", "We'll send you an invoice.", True),
    ],
)
def test_kinds_rows_exceptions_and_promises(page: str, sentence: str, supported: bool) -> None:
    """A cello is an instrument, and no violins are not no instruments; what is denied in a row, what is excepted, what is promised."""
    assert judge(sentence, Evidence((Source(page, "en", ""),))).passed is supported


def test_doubt_is_withheld_without_similarity() -> None:
    """It says so in the reason."""
    strange = Evidence((Source("The quokka frolicked merrily.", "en", "Quokka"),))
    assert judge("De kwokka dartelde vrolijk rond.", strange).reason == "undecided"


@pytest.mark.parametrize(
    "sentence",
    ["", " ", "---", "\u200b", "**", "[1]", "\ud800", "a" * 5000, "€" * 50, "1" * 400, "((((" * 50],
)
def test_odd_text_is_judged_without_an_error(sentence: str) -> None:
    """A model may write anything."""
    judge(sentence, ADA)


def test_the_score_ranks() -> None:
    """Verbatim above paraphrase above invention."""
    passage = ["The garment was popular in the 1950s and the 1970s among college students."]
    exact, near, far = (
        support_score(text, passage)
        for text in (
            "The garment was popular in the 1950s.",
            "In the 1950s college students found the garment popular.",
            "I love my red coat, it won a medal in 1999.",
        )
    )
    assert exact > near > far
