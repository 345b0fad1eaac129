"""The tools of this twin, by name."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping

from server.domain.errors import ConfigurationError
from server.domain.tools import Tool
from server.tools.arguments import check_schema

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Catalog(Mapping[str, Tool]):
    """A checked, read-only set of tools.

    Raises ConfigurationError for a name that is used twice or that providers refuse, for an invalid parameters schema, and
    for a `run` that can't be called with those parameters.
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
    if not _NAME.fullmatch(tool.name):
        raise ConfigurationError(f"{owner}: a name is 1 to 64 of A-Z a-z 0-9 _ -")
    check_schema(tool.parameters, owner=owner)
    if tool.timeout_s <= 0:
        raise ConfigurationError(f"{owner}: timeout_s must be above zero")
    properties = dict.fromkeys(tool.parameters.get("properties", {}))
    if "context" in properties:
        raise ConfigurationError(f"{owner}: 'context' is ours; rename that parameter")
    if takes_context(tool):
        properties["context"] = None
    try:
        inspect.signature(tool.run).bind(**properties)
    except TypeError as error:
        raise ConfigurationError(
            f"{owner}: its function does not take its parameters: {error}"
        ) from None
