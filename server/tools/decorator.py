"""`@tool`: a typed function becomes a Tool, made from its signature and its docstring."""

import functools
import inspect
import re
import typing
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

from server.domain.errors import ConfigurationError, InvalidAnswer
from server.domain.tools import Tool

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Run = TypeVar("Run", bound=Callable[..., Any])

_ARGUMENT = re.compile(
    r"(?P<indent>\s*)(?::param\s+)?(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s+(?P<text>\S.*)"
)
_SECTION = re.compile(r"(args|arguments|parameters|params|returns?|raises|yields):\s*", re.I)


class Described(NamedTuple):
    """What a docstring says about a tool and about its arguments."""

    tool: str
    arguments: dict[str, str]


@overload
def tool(run: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_s: float = 5.0,
    high_risk: bool | Callable[..., bool] = False,
    approver: Literal["owner", "user"] = "owner",
    idempotent: bool = False,
    message: str | Callable[..., str] | None = None,
    reason: str = "tool_approval",
    expires_after: timedelta | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    run: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Any,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Makes a `Tool` of a function, sync or async. `@tool` and `@tool(high_risk=True, …)` both work.

    The tool's name is the function's, its description the docstring's first paragraph. Every parameter needs a
    type: whatever pydantic can turn into JSON Schema without recursion (text, numbers, booleans, Literal, enums,
    lists, Optional, dataclasses, TypedDicts, models). One with a default may be left out by the model; its description is
    a text in `Annotated[…]`, or a line `name: text` of the docstring. A parameter `context` gets the `ToolContext` and
    is not shown to the model. The function gets values of its types: an enum's member, a dataclass, a model.

    `high_risk` and `message` as functions get the arguments as JSON, before any conversion and without defaults.

    Raises ConfigurationError for a function that can't be described this way.
    """
    if run is None:
        return lambda function: _tool(function, name, description, options)
    return _tool(run, name, description, options)


def _tool(run: Any, name: str | None, description: str | None, options: dict[str, Any]) -> Tool:
    if isinstance(run, Tool):
        raise ConfigurationError(f"@tool: '{run.name}' is a Tool already")
    if not callable(run) or inspect.isclass(run):
        raise ConfigurationError(f"@tool stands above a function, not above {run!r:.80}")
    name = name or str(getattr(run, "__name__", ""))
    owner = f"@tool '{name}'"
    if name in ("", "<lambda>"):
        raise ConfigurationError("@tool: a function without a name needs name='…'")
    if inspect.isgeneratorfunction(run) or inspect.isasyncgenfunction(run):
        raise ConfigurationError(f"{owner}: a tool returns its result; it can't yield")
    parameters = _parameters(run, owner)
    hints = _hints(run, parameters, owner)
    types = {each: _adapter(hint, owner, each) for each, hint in hints.items()}
    described = read_docstring(run.__doc__, parameters)
    description = description or described.tool
    if not description:
        raise ConfigurationError(
            f"{owner}: a model needs to know what it is for: give it a docstring or description='…'"
        )
    properties = {
        each: _property(
            types[each],
            parameter,
            _annotated_text(hints[each]) or described.arguments.get(each),
            owner,
        )
        for each, parameter in parameters.items()
    }
    return Tool(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": [each for each, p in parameters.items() if p.default is p.empty],
            "additionalProperties": False,
        },
        run=_converting(run, types),
        **options,
    )


def _parameters(run: Callable[..., Any], owner: str) -> dict[str, inspect.Parameter]:
    """Those the model fills in. Raises ConfigurationError for one that can't be passed by name."""
    parameters = dict(inspect.signature(run).parameters)
    for each, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise ConfigurationError(
                f"{owner}: {stars}{each} can't be shown to a model: name every parameter"
            )
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ConfigurationError(
                f"{owner}: '{each}' is positional-only, and tools are called by name"
            )
    parameters.pop("context", None)
    for each, parameter in parameters.items():
        if parameter.annotation is parameter.empty:
            raise ConfigurationError(f"{owner}: parameter '{each}' has no type")
    return parameters


def _hints(run: Callable[..., Any], parameters: Mapping[str, object], owner: str) -> dict[str, Any]:
    function = inspect.unwrap(run)
    function = function.func if isinstance(function, functools.partial) else function
    if not inspect.isroutine(function):
        function = type(function).__call__
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ConfigurationError(
            f"{owner}: the type '{error.name}' can't be found where the function is defined"
        ) from None
    return {each: hints[each] for each in parameters}


def _adapter(hint: Any, owner: str, parameter: str) -> "TypeAdapter[Any]":
    # Imported when first needed, so that importing this package costs nothing.
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        return TypeAdapter(hint)
    except (PydanticUserError, NameError) as error:
        raise ConfigurationError(
            f"{owner}: parameter '{parameter}' has a type that JSON can't hold: {_first_line(error)}"
        ) from None


def _property(
    adapter: "TypeAdapter[Any]", parameter: inspect.Parameter, text: str | None, owner: str
) -> dict[str, Any]:
    from pydantic.errors import PydanticUserError
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        whole = adapter.json_schema()
    except (PydanticUserError, NameError) as error:
        raise ConfigurationError(
            f"{owner}: parameter '{parameter.name}' has a type that JSON can't hold: {_first_line(error)}"
        ) from None
    schema: dict[str, Any] = _inlined(whole, whole.pop("$defs", {}), (), owner)
    if text:
        schema["description"] = text
    if parameter.default is not parameter.empty:
        try:
            schema["default"] = to_jsonable_python(parameter.default)
        except PydanticSerializationError:
            raise ConfigurationError(
                f"{owner}: the default of '{parameter.name}' can't be shown as JSON"
            ) from None
    return schema


def _inlined(schema: Any, definitions: dict[str, Any], inside: tuple[str, ...], owner: str) -> Any:
    """The schema without references, without pydantic's titles, and closed to properties it does not list."""
    if isinstance(schema, list):
        return [_inlined(each, definitions, inside, owner) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        name = reference.removeprefix("#/$defs/")
        if name in inside:
            raise ConfigurationError(f"{owner}: the type '{name}' refers to itself")
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        target = _inlined(definitions[name], definitions, (*inside, name), owner)
        return target | _inlined(beside, definitions, inside, owner)
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            plain[key] = {k: _inlined(v, definitions, inside, owner) for k, v in value.items()}
        elif key in ("const", "enum", "default", "examples", "required"):
            plain[key] = value
        elif key not in ("title", "discriminator"):
            plain[key] = _inlined(value, definitions, inside, owner)
    if "properties" in plain:
        plain.setdefault("additionalProperties", False)
    return plain


def _annotated_text(annotation: Any) -> str | None:
    """The first text in `Annotated[type, "text"]`."""
    return next((m for m in getattr(annotation, "__metadata__", ()) if isinstance(m, str)), None)


def read_docstring(docstring: str | None, arguments: Collection[str]) -> Described:
    """The first paragraph, and the lines `name: text` of those arguments; deeper lines go on with one."""
    described: dict[str, list[str]] = {}
    paragraph: list[str] = []
    in_paragraph, current, depth = True, "", 0
    for line in inspect.cleandoc(docstring or "").splitlines():
        found = _ARGUMENT.fullmatch(line)
        if found and found["name"] in arguments:
            current, depth, in_paragraph = found["name"], len(found["indent"]), False
            described[current] = [found["text"].strip()]
        elif not line.strip() or _SECTION.fullmatch(line):
            in_paragraph, current = in_paragraph and not paragraph, ""
        elif in_paragraph:
            paragraph.append(line.strip())
        elif current and len(line) - len(line.lstrip()) > depth:
            described[current].append(line.strip())
        else:
            current = ""
    texts = {name: " ".join(lines) for name, lines in described.items()}
    return Described(" ".join(paragraph), texts)


def _converting(
    run: Callable[..., Any], types: Mapping[str, "TypeAdapter[Any]"]
) -> Callable[..., Any]:
    """The function, given values of its own types. Raises InvalidAnswer when a value has none."""

    def converted(given: dict[str, Any]) -> dict[str, Any]:
        from pydantic import ValidationError

        values, problems = {}, []
        for name, value in given.items():
            try:
                # What is not a parameter of the model's is `context`.
                values[name] = types[name].validate_python(value) if name in types else value
            except ValidationError as error:
                problems += [
                    f"$.{'.'.join(map(str, (name, *each['loc'])))}: {each['msg']}"
                    for each in error.errors(include_input=False, include_url=False)
                ]
        if problems:
            raise InvalidAnswer(*problems)
        return values

    if inspect.iscoroutinefunction(run):

        @functools.wraps(run)
        async def run_async(**given: Any) -> Any:
            return await run(**converted(given))

        return run_async

    @functools.wraps(run)
    def run_sync(**given: Any) -> Any:
        return run(**converted(given))

    return run_sync


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
