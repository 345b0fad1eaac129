"""A link's token: says one thing, and any change to it makes it nobody's."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.domain.decision_links import LONGEST, DecisionLink, as_token, link_to, read_token
from server.web.auth import Authenticator
from tests.contract.samples import NOW, approval

KEY = "a secret key"
LINK = DecisionLink("a1b2", "d" * 64, "webhook", datetime(2026, 12, 8, tzinfo=UTC))


def test_what_is_signed_is_read_again() -> None:
    assert read_token(as_token(LINK, KEY), KEY) == LINK


def test_it_ends_with_its_question_or_after_thirty_days() -> None:
    soon = approval(expires_at=NOW + timedelta(hours=1))
    assert link_to(soon, "webhook") == DecisionLink("i-1", "d", "webhook", NOW + timedelta(hours=1))
    assert link_to(approval(expires_at=None), "webhook").expires_at == NOW + LONGEST


def test_each_part_is_bound() -> None:
    tokens = {
        as_token(replace(LINK, **change), KEY)
        for change in (
            {},
            {"interrupt_id": "a1b3"},
            {"digest": "e" * 64},
            {"channel": "mailto-1"},
            {"expires_at": LINK.expires_at + timedelta(seconds=1)},
        )
    }
    assert len({token.split(".")[1] for token in tokens}) == 5


def test_another_key_reads_nothing() -> None:
    assert read_token(as_token(LINK, KEY), KEY + "x") is None


def test_a_visitors_token_under_the_same_key_is_no_link() -> None:
    _, token = Authenticator(KEY * 4, {}).mint_visitor(NOW)
    assert read_token(token, KEY * 4) is None
    assert read_token(token.rpartition(".")[0], KEY * 4) is None


@given(st.data())
def test_any_changed_character_makes_it_invalid(data: st.DataObject) -> None:
    token = as_token(LINK, KEY)
    place = data.draw(st.integers(0, len(token) - 1))
    changed = data.draw(st.characters().filter(lambda c: c != token[place]))
    assert read_token(token[:place] + changed + token[place + 1 :], KEY) is None


@given(st.text())
def test_any_other_text_is_no_link(text: str) -> None:
    assert read_token(text, KEY) is None


@pytest.mark.parametrize("more", ["=", ".", "A", " ", "\n", "%00"])
def test_nothing_may_stand_after_it(more: str) -> None:
    assert read_token(as_token(LINK, KEY) + more, KEY) is None
