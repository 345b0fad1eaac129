"""What a tool must be to get in, and how arguments are checked: in bounded time, without a request."""

import socket
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.domain.errors import ConfigurationError, InvalidAnswer
from server.tools import Tool
from server.tools.arguments import check, parse_object
from server.tools.catalog import Catalog


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [],
        "additionalProperties": False,
    }


def anything(**_: Any) -> str:
    return "ran"


FINE = Tool("fine", "Does something.", closed(a={"type": "string"}), run=anything)


def test_a_fine_tool_gets_in() -> None:
    """And is found by name."""
    assert Catalog([FINE])["fine"] is FINE


def needs_more(a: str, b: str) -> None: ...


def takes_none() -> None: ...


def yields(a: str) -> Any:
    yield a


async def later(**_: Any) -> bool:
    return False


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "with space"}, "a name is 1 to 64"),
        ({"name": ""}, "a name is 1 to 64"),
        ({"name": 5}, "a name is 1 to 64"),
        ({"name": "x" * 65}, "a name is 1 to 64"),
        ({"description": " "}, "description"),
        ({"parameters": []}, "must be a JSON Schema object"),
        ({"parameters": {"type": "object"}}, "additionalProperties"),
        ({"parameters": closed() | {"type": "string"}}, "must be an object schema"),
        ({"parameters": closed() | {"additionalProperties": True}}, "additionalProperties"),
        ({"parameters": closed(a={"type": "text"})}, "not valid JSON Schema"),
        ({"parameters": closed() | {"required": ["b"]}}, "'properties' do not list: b"),
        ({"parameters": closed() | {"patternProperties": {".*": {}}}}, "patternProperties"),
        ({"parameters": closed(a={"patternProperties": {".*": {}}})}, "patternProperties"),
        ({"parameters": closed(a={"pattern": "("})}, "can't be matched"),
        ({"parameters": closed(a={"pattern": "(?=a)a"})}, "look-around"),
        ({"parameters": closed(a={"pattern": r"(a)\1"})}, "backreferences"),
        ({"parameters": closed(a={"pattern": "a{999}{999}"})}, "size limit"),
        ({"parameters": closed(a={"items": {"anyOf": [{"pattern": "("}]}})}, "can't be matched"),
        ({"parameters": closed(a={"$ref": "#/$defs/none"})}, "'#/\\$defs/none' does not"),
        ({"parameters": closed(a={"$ref": "#/properties/a/type"})}, "must point to a schema"),
        ({"parameters": closed(a={"$ref": "other.json"})}, "nothing is fetched"),
        ({"parameters": closed(a={"$id": "http://x/y"})}, "not supported"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": float("nan")}, "timeout_s"),
        ({"approver": "model"}, "approver"),
        ({"reason": "Two words"}, "reason"),
        ({"expires_after": timedelta(0)}, "expires_after"),
        ({"high_risk": "no"}, "high_risk"),
        ({"high_risk": None}, "high_risk"),
        ({"high_risk": later}, "high_risk must be a plain function"),
        ({"message": later}, "message must be a plain function"),
        ({"run": None}, "not a function"),
        ({"run": yields}, "can't yield"),
        ({"run": needs_more}, "does not take its parameters.*'b'"),
        ({"run": takes_none}, "does not take its parameters.*'a'"),
        ({"parameters": closed(context={})}, "'context' is ours"),
        ({"run": lambda a: a}, "missing a required argument: 'a'"),
    ],
)
def test_an_unfit_tool_stops_the_start_in_words(changes: dict[str, Any], message: str) -> None:
    """The tool is named, and what is wrong with it."""
    unfit = replace(FINE, **changes)
    with pytest.raises(ConfigurationError, match=message) as refused:
        Catalog([unfit])
    assert f"Tool '{unfit.name}'" in str(refused.value)


def test_two_tools_of_one_name_stop_the_start() -> None:
    """Which one would be meant?"""
    with pytest.raises(ConfigurationError, match="Two tools are called 'fine'"):
        Catalog([FINE, replace(FINE, description="Another.")])


def test_a_reference_into_the_schema_itself_is_followed() -> None:
    """Definitions may be shared, and may be recursive."""
    schema = closed(tree={"$ref": "#/$defs/tree"}) | {
        "$defs": {
            "tree": {
                "type": "object",
                "properties": {"child": {"$ref": "#/$defs/tree"}, "name": {"type": "string"}},
                "additionalProperties": False,
            }
        }
    }
    Catalog([replace(FINE, parameters=schema, run=anything)])
    check({"tree": {"child": {"child": {"name": "leaf"}}}}, schema)
    with pytest.raises(InvalidAnswer, match=r"\$\.tree\.child\.name: expected string"):
        check({"tree": {"child": {"name": 1}}}, schema)


@pytest.fixture
def listener() -> Any:
    """A port on loopback, and a list of who connected to it."""
    connected: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            try:
                while True:
                    connection, address = server.accept()
                    connected.append(address)
                    connection.close()
            except OSError:
                return

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], connected
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_remote_reference_stops_the_start_and_no_request_leaves(listener: Any) -> None:
    """A real port waits for it; nobody comes, neither when the tool is looked at nor when arguments are checked."""
    port, connected = listener
    remote = closed(a={"$ref": f"http://127.0.0.1:{port}/schema.json"})
    with pytest.raises(ConfigurationError, match="nothing is fetched"):
        Catalog([replace(FINE, parameters=remote)])
    with pytest.raises(Exception, match=r"127\.0\.0\.1"):
        check({"a": "x"}, remote)
    socket.create_connection(("127.0.0.1", port)).close()
    wanted = threading.Event()
    while not connected:
        wanted.wait(0.01)
    assert len(connected) == 1, "only the test itself has knocked"


EVIL = [r"^(a+)+$", r"^(a|a)*$", r"^([a-z]+)*x$", r"(.*a){25}", r"^(\w+\s?)*$"]


@pytest.mark.parametrize("pattern", EVIL)
@pytest.mark.timeout(20)
def test_no_pattern_takes_long(pattern: str) -> None:
    """What would keep Python's `re` busy for longer than the universe has been is an answer at once."""
    schema = closed(a={"type": "string", "pattern": pattern})
    Catalog([replace(FINE, parameters=schema)])
    with pytest.raises(InvalidAnswer, match=r"\$\.a: does not fit pattern"):
        check(
            {"a": "a" * 20 + "!" * 50_000 + "b" if "25" in pattern else "a" * 50_000 + "!"}, schema
        )


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        (r"^[A-Z]{2}\d+$", "AB12", "AB12\n"),
        (r"^\d{4}-\d{2}$", "2027-01", "27-1"),
        (r"b", "abc", "ac"),
        (r"^[\w.+-]+@[\w-]+\.[\w.]+$", "eve@example.org", "eve"),
        (r"^é$", "é", "e"),
        (r"^\p{L}+$", "Ærø", "a1"),
        (r"^.$", "😀", "\ud800"),
    ],
)
def test_ordinary_patterns_mean_what_they_mean(pattern: str, fits: str, does_not: str) -> None:
    """A search, as JSON Schema says, with `$` at the very end."""
    schema = closed(a={"type": "string", "pattern": pattern})
    Catalog([replace(FINE, parameters=schema)])
    check({"a": fits}, schema)
    with pytest.raises(InvalidAnswer):
        check({"a": does_not}, schema)


@pytest.mark.parametrize(
    "text", ['{"a": 1e999}', '{"a": NaN}', '{"a": -Infinity}', '{"a": 1, "a": 2}', "[1]", "{", "1"]
)
def test_what_is_not_one_clear_json_object_is_refused(text: str) -> None:
    """Two readers could disagree about it."""
    with pytest.raises(InvalidAnswer):
        parse_object(text)


def test_a_number_that_is_not_finite_fits_nothing() -> None:
    """An edit comes from a body that was parsed elsewhere, where NaN is let through."""
    for number in (float("nan"), float("inf")):
        with pytest.raises(InvalidAnswer, match="not finite"):
            check({"a": [{"b": number}]}, closed(a={}))


def test_what_is_nested_without_end_is_refused() -> None:
    """Neither a deep value nor a schema that goes round in a circle takes the process down."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidAnswer, match="nested too deeply"):
        check({"a": deep}, closed(a={"type": "array"}))
    circle = closed(a={"$ref": "#/$defs/b"}) | {"$defs": {"b": {"$ref": "#/$defs/b"}}}
    Catalog([replace(FINE, parameters=circle)])
    with pytest.raises(InvalidAnswer, match="nested too deeply"):
        check({"a": 1}, circle)


def test_a_huge_number_against_a_step_is_refused() -> None:
    """No OverflowError comes out."""
    with pytest.raises(InvalidAnswer, match="too large"):
        check({"a": 10**400}, closed(a={"multipleOf": 0.01}))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
SCHEMA = closed(
    a={"type": "string", "pattern": "^x", "maxLength": 3},
    b={"type": "array", "items": {"type": "integer", "multipleOf": 0.5}, "uniqueItems": True},
    c={"anyOf": [{"type": "boolean"}, {"enum": [None, 1, "one"]}]},
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from("abcd"), json_values))
def test_any_arguments_fit_or_are_refused(arguments: dict[str, Any]) -> None:
    """Nothing else ever comes out of a check."""
    try:
        check(arguments, SCHEMA)
    except InvalidAnswer:
        return
    assert set(arguments) <= set("abc")
