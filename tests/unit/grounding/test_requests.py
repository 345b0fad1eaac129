"""What becomes of a request can be told as far as a tool result of this turn says it, and no further."""

import pytest

from server.agent import phrases
from server.domain.conversation import AWAITING_DECISION
from server.grounding.evidence import Evidence, Source, ToolResult
from server.grounding.judge import judge

NOTED = f"{phrases.DECLINED['rejected']}\n{phrases.OWNER_NOTE.format(note='Not this week.')}"


CASES = [
    (
        AWAITING_DECISION,
        False,
        "en",
        [
            "+Your request is still waiting for Ada's decision.",
            "+Your message is still waiting for approval.",
            "+It has not been sent yet.",
            "+Nothing has happened yet.",
            "+Your earlier request is still pending.",
            "+Ada has not decided yet.",
            "-Ada has approved your request.",
            "-Your message has been sent.",
            "+There is already a request waiting for Ada's approval, so I can't make a second one right now.",
            "-Ada declined your request.",
            "-Your request has expired.",
            "-Your request is waiting because Ada is ill.",
            "-Ada has decided.",
            "-Your request is no longer waiting.",
            "-Ada will decide tomorrow.",
        ],
    ),
    (
        AWAITING_DECISION,
        False,
        "nl",
        [
            "+Uw verzoek wacht nog op de beslissing van Ada.",
            "+Uw bericht wacht nog op goedkeuring.",
            "+Het is nog niet verstuurd.",
            "+Ada heeft nog niet beslist.",
            "-Uw bericht is verstuurd.",
            "-Uw verzoek is afgewezen.",
        ],
    ),
    (
        phrases.ALREADY_WAITING,
        False,
        "en",
        [
            "+A request is already waiting for Ada's decision; this one can be made after it.",
            "+There is already a request waiting, so I could not make this one.",
            "+I'm sorry, this second request can be made after the first has been decided.",
        ],
    ),
    (
        NOTED,
        False,
        "en",
        [
            "+Ada declined your request.",
            "+Unfortunately, Ada declined the request, so your message was not sent.",
            '+Ada\'s note says: "Not this week."',
            "+Your message has not been passed on.",
            "+I'm sorry, but your request was declined.",
            "-Ada will contact you next week.",
            '-Ada\'s note says: "Next week."',
            "-Your request lapsed.",
            "-It is still waiting.",
            '+Ada added: "Not this week."',
            '-Ada, who hates you, wrote: "Not this week."',
        ],
    ),
    (
        phrases.DECLINED["expired"],
        False,
        "en",
        [
            "+There was no decision in time, so your request has lapsed.",
            "+Your message was not sent because there was no decision in time.",
            "+Ada did not respond in time.",
            "-Ada declined it.",
        ],
    ),
    (
        phrases.IN_DOUBT,
        False,
        "en",
        [
            "-Your message has not been sent.",
            "-Your message has been sent.",
            "+It is not certain whether your message was sent.",
            "+It is not known whether your request was carried out.",
        ],
    ),
    (
        "recorded: message 12",
        True,
        "en",
        [
            "+Your message has been recorded.",
            "+Your message has been passed on to Ada.",
            "+I have passed your message on.",
            "-Ada will reply tomorrow.",
            "+Done!",
            "-Your request is waiting.",
            "-Your request was declined.",
        ],
    ),
    (
        "recorded",
        True,
        "nl",
        [
            "+Uw bericht is doorgegeven.",
            "+Ik heb uw bericht doorgegeven aan Ada.",
            "+Uw bericht is vastgelegd.",
            "-Ada antwoordt morgen.",
            "-Uw afspraak is geboekt.",
        ],
    ),
]


@pytest.mark.parametrize(
    ("sentence", "result", "ok", "language"),
    [(s, result, ok, language) for result, ok, language, sentences in CASES for s in sentences],
)
def test_a_request_is_told_of_as_it_stands(
    sentence: str, result: str, ok: bool, language: str
) -> None:
    """`+` may be said, `-` may not."""
    evidence = Evidence(
        (Source("Ada Lovelace was born in London.", "en", "Ada"),),
        (ToolResult("draft_contact_message", result, ok),),
        "Please pass on: hello, from a@b.example",
        "Ada Lovelace",
        language,
    )
    assert judge(sentence[1:], evidence).passed is (sentence[0] == "+")


def test_without_a_request_nothing_is_told_of_one() -> None:
    """Nor of one that only the visitor speaks of."""
    evidence = Evidence((), (), "Is my request still waiting?", "Ada Lovelace", "en")
    assert not judge("Your request is still waiting for Ada's decision.", evidence).passed
