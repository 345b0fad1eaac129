"""Frames come out the same however the bytes were cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.adapters.models import event_stream
from server.adapters.models.event_stream import EventStream, WholeBody
from server.domain.errors import ModelFailed

RECORDED = (
    "\ufeff: a comment\r\n"
    'data: {"a":"é€😀\u2028\u0085\x0c"}\r\n\r\n'
    "event: message\rid: 7\rdata: first\rdata:second\r\r"
    "data\n\n"
    "retry: 10\n\n"
    "data:  two spaces\n\n"
    "data: [DONE]"
).encode()
EVENTS = ['{"a":"é€😀\u2028\u0085\x0c"}', "first\nsecond", "", " two spaces", "[DONE]"]


def read(*pieces: bytes) -> list[str]:
    stream = EventStream()
    found = [data for piece in pieces for data in stream.feed(piece)]
    return found + stream.close()


def test_line_ends_comments_fields_and_a_missing_last_line() -> None:
    assert read(RECORDED) == EVENTS


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_pieces_of_any_size_give_the_same_events(size: int) -> None:
    pieces = [RECORDED[at : at + size] for at in range(0, len(RECORDED), size)]
    assert read(*pieces) == EVENTS


def test_a_stream_cut_in_two_at_every_byte_gives_the_same_events() -> None:
    for at in range(len(RECORDED) + 1):
        assert read(RECORDED[:at], RECORDED[at:]) == EVENTS, at


@given(st.lists(st.integers(0, len(RECORDED)), max_size=12))
def test_a_stream_cut_anywhere_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(RECORDED)]
    pieces = [RECORDED[a:b] for a, b in pairwise(edges)]
    assert read(*pieces) == EVENTS


def test_an_event_is_given_as_soon_as_its_empty_line_is_there() -> None:
    stream = EventStream()
    assert stream.feed(b"data: a\r\n\r") == ["a"]
    assert stream.feed(b"\ndata: b\n\n") == ["b"]


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_are_survived(one: bytes, two: bytes) -> None:
    assert read(one, two) == read(one + two)


def test_an_endless_event_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "MAX_EVENT_BYTES", 100)
    stream = EventStream()
    with pytest.raises(ModelFailed):
        [stream.feed(b"data: 12345678\n") for _ in range(20)]
    with pytest.raises(ModelFailed):
        EventStream().feed(b"x" * 101)
    with pytest.raises(ModelFailed):
        WholeBody().feed(b"x" * 101)


def test_a_whole_body_is_one_event() -> None:
    body = WholeBody()
    assert body.feed(b'{"a"') + body.feed(b":1}") == []
    assert body.close() == ['{"a":1}']
    assert WholeBody().close() == []
