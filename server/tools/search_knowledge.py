"""Looks further in the owner's pages than what was retrieved for the turn."""

from server.domain.knowledge import Found
from server.domain.tools import Tool
from server.ports import Knowledge


def search_knowledge(knowledge: Knowledge) -> Tool:
    """The tool; its result is passages, which become evidence of the turn with numbers of their own."""

    async def run(query: str) -> tuple[Found, ...] | str:
        fitting = tuple(found for found in await knowledge.search(query) if found.answerable)
        return fitting or "No further passages fit that query."

    return Tool(
        name="search_knowledge",
        description=(
            "Search the owner's pages. Use it when the passages you were given do not answer the question. "
            "The query is a short phrase with the words you expect in the answer."
        ),
        parameters={
            "type": "object",
            "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 400}},
            "required": ["query"],
            "additionalProperties": False,
        },
        run=run,
        timeout_s=10.0,
    )
