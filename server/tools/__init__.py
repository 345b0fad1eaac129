"""One file per tool, and the catalog that holds them.

What a tool of one's own needs is here: `from server.tools import Tool, ToolContext, tool`.
"""

from server.domain.tools import Tool, ToolContext
from server.tools.decorator import tool

__all__ = ["Tool", "ToolContext", "tool"]
