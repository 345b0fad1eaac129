"""Tools from modules on the path of the process, as `TOOLS` names them."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from server.domain.errors import ConfigurationError, SaysoError
from server.domain.tools import Tool


def load_tools(names: Sequence[str]) -> list[Tool]:
    """The tools at each `package.module:attribute`: a Tool, a decorated function, or a list or tuple of them.

    The working folder is on the path. Raises ConfigurationError that says which part of which name is wrong, also when
    two of them bring a tool of the same name.
    """
    came_from: dict[str, str] = {}
    tools = []
    for name in names:
        for tool in _load(name):
            if earlier := came_from.get(tool.name):
                where = "twice" if earlier == name else f"and so does '{earlier}'"
                raise ConfigurationError(
                    f"TOOLS: '{name}' brings a tool called '{tool.name}', {where}: leave one out or rename it."
                )
            came_from[tool.name] = name
            tools.append(tool)
    return tools


def _load(name: str) -> Iterator[Tool]:
    module_name, colon, attribute = name.partition(":")
    if not (colon and attribute.isidentifier() and _is_dotted_name(module_name)):
        raise ConfigurationError(f"TOOLS: '{name}' is not of the form package.module:attribute")
    module = _import(module_name)
    try:
        found = getattr(module, attribute)
    except AttributeError:
        raise ConfigurationError(f"TOOLS: '{module_name}' has no '{attribute}'") from None
    for place, each in enumerate(found) if isinstance(found, list | tuple) else [(None, found)]:
        if not isinstance(each, Tool):
            which = name if place is None else f"{name}[{place}]"
            raise ConfigurationError(f"TOOLS: '{which}' is {_in_words(each)}")
        yield each


def _is_dotted_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _import(module_name: str) -> Any:
    here = str(Path.cwd())
    if "" not in sys.path and here not in sys.path:
        sys.path.insert(0, here)  # a console script does not have the working folder on its path
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if f"{module_name}.".startswith(f"{error.name}."):
            raise ConfigurationError(
                f"TOOLS: there is no module '{error.name}' in {here} or among what is installed"
            ) from None
        raise ConfigurationError(
            f"TOOLS: '{module_name}' can't be imported, because it imports '{error.name}', which is not there"
        ) from error
    except SaysoError as error:
        raise ConfigurationError(f"TOOLS: '{module_name}': {error.detail}") from error
    except (Exception, SystemExit) as error:
        raise ConfigurationError(
            f"TOOLS: '{module_name}' can't be imported: {type(error).__name__}: {error}"
        ) from error


def _in_words(found: Any) -> str:
    if callable(found) and not isinstance(found, type):
        return "a function, not a Tool: put @tool above it (from server.tools import tool)"
    return f"not a Tool but {type(found).__name__}"
