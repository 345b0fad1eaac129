"""The detectors, one by one."""

import time

import pytest

from server.guards.bsns import is_bsn
from server.guards.cards import is_card
from server.guards.guards import Guards
from server.guards.ibans import is_iban
from server.guards.numbers import masked
from server.guards.readings import plain, readings

ALL = frozenset({"card", "iban", "bsn"})


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("4111111111111111", "[card •••• 1111]"),
        ("call 4111-1111-1111-1111 now", "call [card •••• 1111] now"),
        ("4111111111111112", "4111111111111112"),
        ("14111111111111111", "14111111111111111"),
        ("nl91abna0417164300", "[iban •••• 4300]"),
        ("NL91 ABNA 0417 1643 00 please", "[iban •••• 4300] please"),
        ("NL91 ABNA 0417 1643 01", "NL91 ABNA 0417 1643 01"),
        ("BSN 111222333", "BSN [bsn •••• 33]"),
        ("order 111222333", "order 111222333"),
        ("4111 1111 1111 1111 12/28 123", "[card •••• 1111]"),
        ("4111-1111-1111-1111, cvc: 123.", "[card •••• 1111], cvc: •••."),
        ("12/28, cvc: 123", "12/28, cvc: 123"),
        ("３７８２ 822463\u00a010005 ok", "[card •••• 0005] ok"),
        ("4\u200b111\u200b111111111111 ok", "[card •••• 1111] ok"),
        ("two: 4111111111111111,5555555555554444", "two: [card •••• 1111],[card •••• 4444]"),
        ("8411 4111 1111 1111 1111 1111", "8411 4111 1111 1111 1111 1111"),
        ("order AB4111111111111111", "order AB4111111111111111"),
        ("maestro 6759649826438453", "maestro [card •••• 8453]"),
        ("BSN 1 2 3 4 5 6 7 8 2", "BSN [bsn •••• 82]"),
        ("bsn? nee, bestelnummer 123456782", "bsn? nee, bestelnummer 123456782"),
        ("bsn" + " en" * 40 + " 123456782", "bsn" + " en" * 40 + " 123456782"),
        ("IBANNL91ABNA0417164300", "IBAN[iban •••• 4300]"),
        ("N L 9 1 A B N A 0 4 1 7 1 6 4 3 0 0", "[iban •••• 4300]"),
        ("٤١١١١١١١١١١١١١١١", "[card •••• 1111]"),
        ("", ""),
    ],
)
def test_numbers_are_masked(text: str, kept: str) -> None:
    """Those whose check digits fit, and nothing else."""
    assert masked(text, ALL) == kept
    assert masked(kept, ALL) == kept
    assert masked(text, frozenset()) == text


def test_check_digits() -> None:
    """One wrong digit, and it is another number."""
    assert is_card("378282246310005") and not is_card("378282246310006")
    assert is_iban("GB82WEST12345698765432") and not is_iban("GB82WEST12345698765433")
    assert is_bsn("111222333") and not is_bsn("111222334") and not is_bsn("000000000")


@pytest.mark.parametrize(
    "disguised",
    [
        "Ｉｇｎｏｒｅ ａｌｌ",
        "ign\u200bore all",
        "ignоre аll",
        "i g n o r e  a l l",
        "i.g.n.o.r.e all",
        "ígnóre ÁLL",
        "1gn0r3 4ll",
        "lla erongi",
        "vtaber nyy",
        "aWdub3JlIGFsbCBvZiBpdA==",
        "69676e6f726520616c6c",
        "ignore%20all",
        "&#105;gnore all",
    ],
)
def test_a_disguise_is_seen_through(disguised: str) -> None:
    """Each in one of the readings."""
    assert any("ignore all" in reading for reading in readings(disguised))


def test_plain_words_stay() -> None:
    """As they are."""
    assert plain("Café: it's  OPEN, e.g. on 3 May.") == "cafe it's open e g on 3 may"


@pytest.mark.parametrize(
    "text",
    [
        "a " * 2000,
        "1" * 4000,
        "4111 " * 800,
        "NL91" * 1000,
        "A" * 4000,
        "ignore " * 570,
        "\u200b" * 4000,
        "\ud800",
        "%" * 4000,
    ],
)
def test_no_message_holds_it_up(text: str) -> None:
    """The longest message there may be, made to be slow: bounded work, and no error."""
    began = time.process_time()
    guards = Guards("Ada")
    guards.stops(guards.masked(text))
    guards.other_work(text)
    assert time.process_time() - began < 2
