"""What servers send in pieces becomes whole calls, clean text and usage."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.adapters.models.assembly import Answer
from server.adapters.models.event_stream import EventStream
from server.domain.conversation import Usage
from server.domain.errors import ModelFailed, ModelUnavailable
from server.ports import Finished, ModelPart, TextDelta, ToolCallRequested
from tests.fakes.chat_backend import DONE, delta, fragment, usage


def parts(*frames: bytes, cuts: tuple[int, ...] = ()) -> list[ModelPart]:
    """What an answer of these frames comes to, its text joined."""
    recorded = b"".join(frames)
    edges = [0, *sorted(cuts), len(recorded)]
    stream, answer, text = EventStream(), Answer(), ""
    for start, end in pairwise(edges):
        for data in stream.feed(recorded[start:end]):
            if data != "[DONE]":
                text += answer.take(data)
    return [*([TextDelta(text)] if text else []), *answer.rest()]


def calls(*frames: bytes) -> list[tuple[str, str, str]]:
    return [
        (part.id, part.name, part.arguments)
        for part in parts(*frames)
        if isinstance(part, ToolCallRequested)
    ]


RECORDED = (
    delta(role="assistant", content=""),
    delta(content="Één "),
    delta(content="moment 😀."),
    fragment(1, '{"to', id="b", name="second"),
    fragment(0, "", id="a", name="first"),
    fragment(1, '":"é"'),
    fragment(0, "{}"),
    fragment(1, "}"),
    delta(finish="tool_calls"),
    usage(11, 5, 4),
    DONE,
)
WHOLE: list[ModelPart] = [
    TextDelta("Één moment 😀."),
    ToolCallRequested("a", "first", "{}"),
    ToolCallRequested("b", "second", '{"to":"é"}'),
    Finished(Usage(11, 5, 4)),
]


def test_interleaved_fragments_come_out_whole_and_in_index_order() -> None:
    assert parts(*RECORDED) == WHOLE


def test_a_recorded_answer_cut_at_every_byte_gives_the_same_parts() -> None:
    for at in range(len(b"".join(RECORDED)) + 1):
        assert parts(*RECORDED, cuts=(at,)) == WHOLE, at


@given(st.lists(st.integers(0, len(b"".join(RECORDED))), max_size=10))
def test_a_recorded_answer_cut_anywhere_gives_the_same_parts(cuts: list[int]) -> None:
    assert parts(*RECORDED, cuts=tuple(cuts)) == WHOLE


@given(st.dictionaries(st.text(), st.text() | st.integers()), st.data())
def test_arguments_split_anywhere_arrive_as_written(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(arguments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    edges = [0, *cuts, len(text)]
    pieces = [text[a:b] for a, b in pairwise(edges)]
    frames = [
        fragment(0, piece, **({} if n else {"id": "a", "name": "f"}))
        for n, piece in enumerate(pieces)
    ]
    assert calls(*frames) == [("a", "f", text)]


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        pytest.param(
            (fragment(None, '{"a":1}', id="a", name="f"), fragment(None, "{}", id="b", name="g")),
            [("a", "f", '{"a":1}'), ("b", "g", "{}")],
            id="whole calls without an index",
        ),
        pytest.param(
            (fragment(None, '{"a"', id="a", name="f"), fragment(None, ":1}")),
            [("a", "f", '{"a":1}')],
            id="fragments without an index",
        ),
        pytest.param(
            (fragment(0, '{"a":1}', id="a", name="f"), fragment(0, "{}", id="b", name="f")),
            [("a", "f", '{"a":1}'), ("b", "f", "{}")],
            id="every call at index 0",
        ),
        pytest.param(
            (fragment(0, '{"a"', id="a", name="f"), fragment(0, ":1}", id="a", name="f")),
            [("a", "f", '{"a":1}')],
            id="id and name again with every fragment",
        ),
        pytest.param(
            (fragment(0, '{"a"', id="a", name="f"), fragment(0, ":1}", id="x", name=None)),
            [("a", "f", '{"a":1}')],
            id="another id with every fragment",
        ),
        pytest.param(
            (fragment(0, "", id="a", name="get_"), fragment(0, "{}", name="it")),
            [("a", "get_it", "{}")],
            id="a name in two pieces",
        ),
        pytest.param((fragment(0, {"b": 1, "a": "é"}, id="a", name="f"),), [("a", "f", '{"a":"é","b":1}')], id="arguments as an object"),
        pytest.param((fragment(0, None, id="a", name="f"),), [("a", "f", "{}")], id="no arguments"),
        pytest.param((fragment(0, "{oops", id="a", name="f"),), [("a", "f", "{oops")], id="arguments that are not JSON"),
        pytest.param(
            (delta(finish="tool_calls", tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]),),
            [("a", "f", "{}")],
            id="the end in the same chunk",
        ),
    ],
)  # fmt: skip
def test_loose_servers(frames: tuple[bytes, ...], expected: list[tuple[str, str, str]]) -> None:
    assert calls(*frames) == expected


def test_calls_without_index_and_id_get_one_each() -> None:
    found = calls(fragment(None, "{}", name="f"), fragment(None, "{}", name="f"))
    assert [name for _, name, _ in found] == ["f", "f"]
    assert len({id for id, _, _ in found}) == 2
    assert all(re.fullmatch(r"[0-9a-z]{9}", id) for id, _, _ in found)


def test_no_two_calls_of_an_answer_share_an_id() -> None:
    found = calls(fragment(0, "{}", id="same", name="g"), fragment(1, "{}", id="same", name="h"))
    assert found[0][0] == "same"
    assert re.fullmatch(r"[0-9a-z]{9}", found[1][0])


def test_an_id_that_cannot_be_a_key_is_replaced() -> None:
    for id in ("a" * 65, "a b", "\0", "é"):
        assert re.fullmatch(r"[0-9a-z]{9}", calls(fragment(0, "{}", id=id, name="f"))[0][0])


def test_a_call_without_a_name_cannot_be_used() -> None:
    with pytest.raises(ModelFailed):
        parts(fragment(0, "{}", id="a"))


@pytest.mark.parametrize(
    "frames", [(), (delta(finish="stop"),), (delta(content=" \n"), delta(finish="stop"))]
)
def test_an_answer_of_nothing_is_a_failure(frames: tuple[bytes, ...]) -> None:
    with pytest.raises(ModelFailed) as caught:
        parts(*frames)
    assert caught.value.facts == {"reason": "empty", "truncated": False}


@pytest.mark.parametrize("finish", ["length", "max_tokens", "model_length"])
def test_the_output_limit_is_told(finish: str) -> None:
    assert parts(delta(content="Half a", finish=finish))[-1] == Finished(truncated=True)


def test_missing_or_broken_usage_is_zero() -> None:
    assert parts(delta(content="x"))[-1] == Finished(Usage())
    broken = {"prompt_tokens": "7", "completion_tokens": -1, "prompt_tokens_details": None}
    answer = Answer()
    answer.take(json.dumps({"choices": [{"delta": {"content": "x"}}], "usage": broken}))
    assert answer.rest() == [Finished(Usage())]


def test_only_visible_text_of_the_first_choice_counts() -> None:
    answer = Answer()
    chunk = {
        "choices": [
            {"index": 1, "delta": {"content": "other"}},
            {"index": 0, "delta": {"reasoning_content": "hm", "content": None}},
            {"index": 0, "delta": {"content": [{"type": "thinking"}, {"type": "text", "text": "Yes"}]}},
            {"index": 0, "delta": {"content": None, "refusal": ", no."}},
            "?",
        ]
    }  # fmt: skip
    assert answer.take(json.dumps(chunk)) == "Yes, no."


def test_text_can_be_stored() -> None:
    answer = Answer()
    pieces = ["\n\n", " a\ud83d", "\ude00", "b\0c", "\ud83d", "d", "\udc00", " \n", "e\ud83d"]
    text = "".join(
        answer.take(json.dumps({"choices": [{"delta": {"content": piece}}]})) for piece in pieces
    )
    assert text == "a😀bc\ufffdd\ufffd \ne"
    text.encode()


@pytest.mark.parametrize("data", ["", "{", "[]", "null", '"text"', "1" * 5000, "[" * 100_000])
def test_what_is_no_json_object_is_not_the_protocol(data: str) -> None:
    with pytest.raises(ModelFailed):
        Answer().take(data)


@pytest.mark.parametrize(
    ("error", "facts"),
    [
        ({"message": "secret", "code": 502}, {"reason": "error_in_stream", "status": 502}),
        ({"message": "secret", "code": "overloaded"}, {"reason": "error_in_stream"}),
        ("secret", {"reason": "error_in_stream"}),
    ],
)
def test_an_error_object_is_told_without_its_words(error: object, facts: dict[str, Any]) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        Answer().take(json.dumps({"error": error}))
    assert caught.value.facts == facts
    assert "secret" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["choices", "delta", "message", "content", "tool_calls", "function", "name", "id",
                         "index", "arguments", "usage", "finish_reason", "prompt_tokens_details"]),
        inner, max_size=5),
    max_leaves=25,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(["choices", "usage"]), json_values), max_size=4))
def test_chunks_of_any_shape_end_in_parts_or_in_a_model_error(chunks: list[Any]) -> None:
    answer = Answer()
    try:
        for chunk in chunks:
            assert isinstance(answer.take(json.dumps(chunk)), str)
        assert isinstance(answer.rest()[-1], Finished)
    except (ModelFailed, ModelUnavailable):
        pass
