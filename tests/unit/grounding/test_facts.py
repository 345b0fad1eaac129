"""Facts that can be checked to the letter, in all the ways they are written."""

import pytest

from server.grounding.facts import Found, scan


def facts(text: str) -> list[Found]:
    return [found for found in scan(text) if found.kind != "word"]


def gives(evidence: str, claim: str) -> bool:
    given = frozenset().union(*(found.given for found in facts(evidence)))
    said = facts(claim)
    return bool(said) and all(found.said & given for found in said)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("10 December 1815", "December 10, 1815"),
        ("10 december 1815", "10 December 1815"),
        ("17 mei 2025", "17/05/2025"),
        ("17 May 2025", "2025-05-17"),
        ("10 December 1815", "in December 1815"),
        ("10 December 1815", "in 1815"),
        ("€ 1.650", "1650 euro"),
        ("€17,50", "€ 17.50"),
        ("$1.2 million", "1,2 miljoen dollars"),
        ("4,000 objects", "4000 objects"),
        ("tweeëndertig zangers", "32 singers"),
        ("forty-five", "45"),
        ("vierhonderd", "400"),
        ("60%", "60 percent"),
        ("tien procent", "10 %"),
        ("from 8.00 tot 17.30 uur", "8:00"),
        ("17.30 uur", "5:30 pm"),
        ("16:00", "4 pm"),
        ("Saturdays", "zaterdag"),
        ("woensdagavond", "Wednesday"),
        ("020 555 0142", "020-5550142"),
        ("0800 555 0170", "+31 800 5550170"),
        ("https://www.shop.example/help/", "shop.example/help"),
        ("Write to EVE@example.org.", "eve@example.org"),
    ],
)
def test_the_same_fact_in_other_writing(evidence: str, claim: str) -> None:
    """English and Dutch, digits and words."""
    assert gives(evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("10 December 1815", "12 October 1815"),
        ("in 1815", "10 December 1815"),
        ("€ 17,50", "€ 15,70"),
        ("€ 10", "$ 10"),
        ("40%", "40"),
        ("8:00", "20:00"),
        ("orders@a.example", "order@a.example"),
        ("https://a.example/help", "https://a.example/faq"),
        ("020 555 0142", "020 555 0124"),
        ("Monday", "Tuesday"),
    ],
)
def test_another_fact(evidence: str, claim: str) -> None:
    """Close is not the same."""
    assert not gives(evidence, claim)


def test_may_is_a_verb_before_a_person() -> None:
    """And a month after a preposition."""
    assert facts("May I ask?") == []
    assert [found.kind for found in facts("in May")] == ["date"]
