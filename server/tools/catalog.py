"""The tools of this twin, by name."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta

from server.domain.errors import ConfigurationError
from server.domain.tools import Tool
from server.tools.arguments import check_schema

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REASON = re.compile(r"[a-z0-9_-]{1,64}")


class Catalog(Mapping[str, Tool]):
    """A checked, read-only set of tools.

    Raises ConfigurationError for a name that is used twice or that providers refuse, for an invalid parameters schema or
    option, and for a `run` that can't be called with all of those parameters, or with only the required ones.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            _check(tool)
            if tool.name in self._tools:
                raise ConfigurationError(f"Two tools are called '{tool.name}': rename one of them.")
            self._tools[tool.name] = tool

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


def takes_context(tool: Tool) -> bool:
    """Whether the tool's function has a parameter named `context`."""
    return "context" in inspect.signature(tool.run).parameters


def _check(tool: Tool) -> None:
    owner = f"Tool '{tool.name}'"
    # What developers write is not always what the types say.
    name: object = tool.name
    description: object = tool.description
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigurationError(f"{owner}: a name is 1 to 64 of A-Z a-z 0-9 _ -")
    if not isinstance(description, str) or not description.strip():
        raise ConfigurationError(f"{owner}: a model needs a description to know what it is for")
    if not isinstance(tool.parameters, Mapping):
        raise ConfigurationError(f"{owner}: its parameters must be a JSON Schema object")
    check_schema(tool.parameters, owner=owner)
    _check_options(tool, owner)
    _check_run(tool, owner)


def _check_options(tool: Tool, owner: str) -> None:
    if not tool.timeout_s > 0:
        raise ConfigurationError(f"{owner}: timeout_s must be above zero")
    if tool.approver not in ("owner", "user"):
        raise ConfigurationError(f"{owner}: approver is 'owner' or 'user'")
    if not _REASON.fullmatch(tool.reason):
        raise ConfigurationError(f"{owner}: reason is a slug: 1 to 64 of a-z 0-9 _ -")
    if tool.expires_after is not None and tool.expires_after <= timedelta(0):
        raise ConfigurationError(f"{owner}: expires_after must be above zero")
    if not isinstance(tool.high_risk, bool) and not callable(tool.high_risk):
        raise ConfigurationError(f"{owner}: high_risk is true, false or a function")
    for name in ("high_risk", "message"):
        if inspect.iscoroutinefunction(getattr(tool, name)):
            raise ConfigurationError(f"{owner}: {name} must be a plain function, not an async one")


def _check_run(tool: Tool, owner: str) -> None:
    if not callable(tool.run):
        raise ConfigurationError(f"{owner}: its run is not a function")
    if inspect.isgeneratorfunction(tool.run) or inspect.isasyncgenfunction(tool.run):
        raise ConfigurationError(f"{owner}: its function returns its result; it can't yield")
    properties = tool.parameters.get("properties", {})
    if "context" in properties:
        raise ConfigurationError(f"{owner}: 'context' is ours; rename that parameter")
    try:
        signature = inspect.signature(tool.run)
        given = [*properties, *(["context"] if takes_context(tool) else [])]
        signature.bind(**dict.fromkeys(given))
        required = [name for name in given if name in tool.parameters.get("required", ())]
        signature.bind(**dict.fromkeys([*required, *given[len(properties) :]]))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"{owner}: its function does not take its parameters: {error}"
        ) from None
