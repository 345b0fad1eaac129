"""TOOLS: what it may name, and what it says when it names something else."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from server.domain.errors import ConfigurationError
from server.tools.loading import load_tools

TOOLS = """
from server.tools import Tool, tool

@tool
def first(order: str) -> str:
    "First."
    return order

@tool(high_risk=True)
async def second(order: str) -> str:
    "Second."
    return order

both = [first, second]
pair = (second,)
none = []
mixed = [first, len]
number = 5

def bare(order: str) -> str:
    return order
"""

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Writes a module of a fresh name on the path, gives the name, and forgets it afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(tmp_path))

    def module(text: str, inside: str = "") -> str:
        name = f"shop_{uuid4().hex[:8]}"
        if inside:
            (tmp_path / name).mkdir()
            (tmp_path / name / f"{inside}.py").write_text(text)
            return f"{name}.{inside}"
        (tmp_path / f"{name}.py").write_text(text)
        return name

    yield module
    sys.path.remove(str(tmp_path))
    for name in set(sys.modules) - before:
        if name.startswith("shop_"):
            del sys.modules[name]


def test_tools_come_from_attributes_and_sequences_in_order(write: Write) -> None:
    """A Tool, a decorated function, a list, a tuple; also from a module in a package."""
    one, other = write(TOOLS), write(TOOLS.replace("first", "third"), inside="refunds")
    assert [t.name for t in load_tools([f"{one}:both", f"{other}:third"])] == [
        "first",
        "second",
        "third",
    ]
    assert [t.name for t in load_tools([f"{one}:pair"])] == ["second"]
    assert load_tools([f"{one}:none"]) == []
    assert load_tools([]) == []


@pytest.mark.parametrize(
    "name", ["shop", "shop:", ":tools", "shop:a:b", "shop:a.b", "a b:c", ".:c"]
)
def test_a_name_of_another_form_is_refused(name: str) -> None:
    """The form is said."""
    with pytest.raises(ConfigurationError, match=r"not of the form package\.module:attribute") as e:
        load_tools([name])
    assert f"'{name}'" in str(e.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nowhere_to_be_found", "it imports 'nowhere_to_be_found', which is not there"),
        ("from server.tools import nothing", "ImportError: cannot import name 'nothing'"),
        ("def broken(:\n", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit('no')", "SystemExit: no"),
        (
            "from server.tools import tool\n@tool\ndef f(order):\n    'F.'\n",
            "@tool 'f': parameter 'order' has no type",
        ),
    ],
)
def test_a_module_that_fails_is_named_with_its_reason(
    write: Write, text: str, message: str
) -> None:
    """As against one that is not there."""
    name = write(text)
    with pytest.raises(ConfigurationError) as refused:
        load_tools([f"{name}:tools"])
    assert f"TOOLS: '{name}'" in str(refused.value)
    assert message in str(refused.value)


@pytest.mark.parametrize("inside", ["", "refunds"])
def test_a_module_that_is_not_there_is_named(write: Write, inside: str) -> None:
    """The part of the dotted name that is missing, and where it was looked for."""
    missing = f"{write(TOOLS)}.no_such" if inside else "no_such_shop"
    with pytest.raises(ConfigurationError, match=f"there is no module '{missing}' in") as refused:
        load_tools([f"{missing}:tools"])
    assert str(Path.cwd()) in str(refused.value)


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("nothing", "has no 'nothing'"),
        ("number", ":number' is not a Tool but int"),
        ("bare", ":bare' is a function, not a Tool: put @tool above it"),
        ("mixed", ":mixed[1]' is a function"),
    ],
)
def test_an_attribute_that_is_no_tool_is_named(write: Write, attribute: str, message: str) -> None:
    """With what to do about it."""
    with pytest.raises(ConfigurationError) as refused:
        load_tools([f"{write(TOOLS)}:{attribute}"])
    assert message in str(refused.value)


def test_a_name_that_is_used_twice_is_named_with_both_places(write: Write) -> None:
    """Also when it is the same tool, reached in two ways."""
    one, other = write(TOOLS), write(TOOLS)
    for names, message in [
        ([f"{one}:first", f"{other}:both"], f"and so does '{one}:first'"),
        ([f"{one}:first", f"{one}:both"], f"and so does '{one}:first'"),
        ([f"{one}:both", f"{one}:both"], "twice"),
    ]:
        with pytest.raises(ConfigurationError, match="called 'first'") as refused:
            load_tools(names)
        assert message in str(refused.value)
