"""`@tool`: what a signature and a docstring become, and what is refused."""

import enum
import subprocess
import sys
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

from server.domain.errors import ConfigurationError, InvalidAnswer
from server.domain.principals import Principal
from server.tools import Tool, ToolContext, tool
from server.tools.arguments import check
from server.tools.catalog import Catalog
from server.tools.run_tool import run_tool

CONTEXT = ToolContext("t", "r", "c", "key", Principal("visitor", "v"))


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Address:
    city: str
    lines: list[str]


class Window(TypedDict):
    start: int
    end: int


class Guest(BaseModel):
    name: str = Field(min_length=1, description="As on the badge")
    age: int = 0


@dataclass
class Tree:
    children: "list[Tree]"


def properties(made: Tool) -> dict[str, Any]:
    """The schema of each parameter; the whole must be fit for the catalog."""
    Catalog([made])
    return dict(made.parameters["properties"])


def test_a_bare_decorator_makes_a_tool_of_signature_and_docstring() -> None:
    """Name, first paragraph, arguments; nothing else has to be written."""

    @tool
    def issue_refund(order_id: str, amount_cents: int) -> str:
        """Refund an order,
        in whole or in part.

        Not for the model to read.
        """
        return f"{order_id}: {amount_cents}"

    assert isinstance(issue_refund, Tool)
    assert issue_refund.name == "issue_refund"
    assert issue_refund.description == "Refund an order, in whole or in part."
    assert issue_refund.parameters == {
        "type": "object",
        "properties": {"order_id": {"type": "string"}, "amount_cents": {"type": "integer"}},
        "required": ["order_id", "amount_cents"],
        "additionalProperties": False,
    }
    assert issue_refund.run(order_id="A", amount_cents=5) == "A: 5"
    assert issue_refund.high_risk is False


def test_options_of_the_decorator_are_the_tools_own() -> None:
    """Everything but schema and function can be said in the decorator."""

    def is_large(amount: int, **_: Any) -> bool:
        return amount > 5

    @tool(
        name="pay",
        description="Pays.",
        timeout_s=1.5,
        high_risk=is_large,
        approver="user",
        idempotent=True,
        message="Pay?",
        reason="payment",
        expires_after=timedelta(hours=1),
    )
    def anything(amount: int) -> None:
        """Not this."""

    assert (anything.name, anything.description) == ("pay", "Pays.")
    assert (anything.timeout_s, anything.high_risk, anything.approver) == (1.5, is_large, "user")
    assert (anything.idempotent, anything.message, anything.reason) == (True, "Pay?", "payment")
    assert anything.expires_after == timedelta(hours=1)


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (Size, {"type": "string", "enum": ["small", "large"]}),
        (list[Size], {"type": "array", "items": {"type": "string", "enum": ["small", "large"]}}),
        (
            Window,
            {
                "type": "object",
                "properties": {"start": {"type": "integer"}, "end": {"type": "integer"}},
                "required": ["start", "end"],
                "additionalProperties": False,
            },
        ),
        (
            Address | None,
            {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {
                            "city": {"type": "string"},
                            "lines": {"type": "array", "items": {"type": "string"}},
                        },
                        "required": ["city", "lines"],
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ]
            },
        ),
        (
            Guest,
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "description": "As on the badge"},
                    "age": {"type": "integer", "default": 0},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        ),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
    ],
)
def test_a_type_becomes_a_schema_without_references(hint: Any, schema: dict[str, Any]) -> None:
    """Enums, dataclasses, typed dicts and models stand where they are used; objects take nothing unlisted."""

    def given(value: Any) -> None:
        """Takes a value."""

    given.__annotations__["value"] = hint
    assert properties(tool(given)) == {"value": schema}


def test_a_parameter_with_a_default_may_be_left_out() -> None:
    """It is shown with its default, and the function's own default counts when it is absent."""

    @tool
    def book(day: str, seats: int = 2, size: Size = Size.SMALL, note: str | None = None) -> Any:
        """Book."""
        return [day, seats, size, note]

    assert book.parameters["required"] == ["day"]
    assert properties(book)["seats"] == {"type": "integer", "default": 2}
    assert properties(book)["size"]["default"] == "small"
    assert properties(book)["note"]["default"] is None
    check({"day": "Monday"}, book.parameters)
    assert book.run(day="Monday") == ["Monday", 2, Size.SMALL, None]


def test_descriptions_come_from_annotations_and_the_docstring() -> None:
    """A text in Annotated wins; lines may go on, deeper; Google's and Sphinx' ways are read too."""

    @tool
    def move(
        piece: Annotated[str, "Which one"], where: str, how: str, why: str, when: str, who: str
    ) -> None:
        """Move a piece.

        piece: not this one
        where: the square,
            as in e4
        Args:
            how (str): slowly
            why: no reason
                at all

        :param when: now
        Returns:
            nothing: really
        """

    described = {name: schema.get("description") for name, schema in properties(move).items()}
    assert described == {
        "piece": "Which one",
        "where": "the square, as in e4",
        "how": "slowly",
        "why": "no reason at all",
        "when": "now",
        "who": None,
    }
    assert move.description == "Move a piece."


def test_a_parameter_called_title_or_ref_is_kept() -> None:
    """Only pydantic's own titles are taken out."""

    class Book(BaseModel):
        title: str

    @tool
    def shelve(title: str, book: Book) -> None:
        """Shelve a book."""

    assert properties(shelve)["title"] == {"type": "string"}
    assert properties(shelve)["book"]["properties"] == {"title": {"type": "string"}}


async def test_the_function_gets_values_of_its_own_types() -> None:
    """An enum's member, a dataclass, a model, a float; sync and async alike."""
    seen: list[Any] = []

    @tool
    def sync(size: Size, address: Address, guests: list[Guest], price: float) -> None:
        """Sync."""
        seen.append((size, address, guests, price))

    @tool
    async def not_sync(size: Size, address: Address, guests: list[Guest], price: float) -> None:
        """Async."""
        seen.append((size, address, guests, price))

    arguments = {
        "size": "large",
        "address": {"city": "London", "lines": ["1"]},
        "guests": [{"name": "Ada"}],
        "price": 3,
    }
    for made in (sync, not_sync):
        check(arguments, made.parameters)
        assert (await run_tool(made, arguments, CONTEXT)).ok
    wanted = (Size.LARGE, Address("London", ["1"]), [Guest(name="Ada")], 3.0)
    assert seen == [wanted, wanted]
    assert isinstance(seen[0][3], float)


async def test_context_is_given_and_not_shown() -> None:
    """The model sees no such parameter; the function gets the call's context."""
    seen = []

    @tool
    async def peek(question: str, context: ToolContext) -> str:
        """Peek."""
        seen.append(context)
        return question

    assert list(properties(peek)) == ["question"]
    await run_tool(peek, {"question": "?"}, CONTEXT)
    assert seen == [CONTEXT]


async def test_a_value_only_the_type_refuses_is_a_result_that_says_so() -> None:
    """What JSON Schema can't express is checked before the function runs, and named by path."""
    ran = []

    def odd(value: int) -> int:
        if value % 2 == 0:
            raise ValueError("must be odd")
        return value

    @tool
    def count(numbers: list[Annotated[int, AfterValidator(odd)]], day: date) -> None:
        """Count."""
        ran.append(numbers)

    outcome = await run_tool(count, {"numbers": [1, 2], "day": "2027-01-01"}, CONTEXT)
    assert not outcome.ok
    assert "$.numbers.1" in outcome.text
    assert "odd" in outcome.text
    assert ran == []
    with pytest.raises(InvalidAnswer, match=r"\$\.day"):
        count.run(numbers=[1], day="yesterday")


def test_annotations_as_text_are_understood() -> None:
    """As `from __future__ import annotations` leaves them."""

    def later(value: "Annotated[int, 'How many']", context: "ToolContext") -> None:
        """Later."""

    assert properties(tool(later)) == {"value": {"type": "integer", "description": "How many"}}


def test_methods_can_be_tools() -> None:
    """`self` is no argument of the model's."""

    class Shop:
        def refund(self, order: str) -> str:
            """Refund."""
            return order

    made = tool(Shop().refund)
    assert list(properties(made)) == ["order"]
    assert made.run(order="A") == "A"


def star(*orders: str) -> None:
    """Stars."""


def double_star(**orders: str) -> None:
    """Stars."""


def positional(order: str, /) -> None:
    """Positional."""


def untyped(order) -> None:  # type: ignore[no-untyped-def]
    """Untyped."""


def silent(order: str) -> None: ...


def unknown_type(order: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Unknown."""


def not_json(order: str) -> None:
    """Overwritten below."""


not_json.__annotations__["order"] = subprocess.Popen


def recursive(tree: Tree) -> None:
    """Recursive."""


def yields(order: str) -> Any:
    """Yields."""
    yield order


def odd_default(order: str = object()) -> None:  # type: ignore[assignment]
    """Odd."""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (star, r"\*orders can't be shown"),
        (double_star, r"\*\*orders can't be shown"),
        (positional, "'order' is positional-only"),
        (untyped, "parameter 'order' has no type"),
        (silent, "docstring"),
        (unknown_type, "the type 'Nowhere' can't be found"),
        (not_json, "parameter 'order' has a type that JSON can't hold"),
        (recursive, "the type 'Tree' refers to itself"),
        (yields, "can't yield"),
        (odd_default, "the default of 'order' can't be shown"),
        (lambda order: order, "needs name="),
        (Guest, "stands above a function"),
        ("text", "stands above a function"),
        (Tool("t", "d", {}, run=silent), "'t' is a Tool already"),
    ],
)
def test_what_can_not_be_described_is_refused_in_words(function: Any, message: str) -> None:
    """At import, naming the function and the parameter."""
    with pytest.raises(ConfigurationError, match=message):
        tool(function)


def test_importing_the_decorator_loads_nothing_heavy() -> None:
    """A tool's own module and tests pay for no web server, no graph, no database and no schema library."""
    code = (
        "import sys; from server.tools import Tool, ToolContext, tool; "
        "print([m for m in ('fastapi', 'langgraph', 'sqlalchemy', 'jsonschema', 'pydantic', 'anyio')"
        " if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
