"""What is drawn is what is built."""

import re
import tomllib

from langgraph.checkpoint.memory import InMemorySaver

from server.agent.graph import build_graph
from tests.docs.markdown import ROOT, blocks

PAGE = ROOT / "docs" / "architecture.md"


def drawn(name: str) -> str:
    """The block marked `<!-- drawn: name -->`."""
    [block] = [b for b in blocks(PAGE) if b.mark == f"drawn: {name}"]
    return block.text


def test_the_drawn_graph_is_the_compiled_one() -> None:
    """The same edges; those that are a choice are dotted."""
    written = {
        (source, target, arrow == "-.->")
        for source, arrow, target in re.findall(
            r"^\s*(\w+) (-->|-\.->) (\w+)$", drawn("graph"), re.M
        )
    }
    compiled = {
        (edge.source, edge.target, edge.conditional)
        for edge in build_graph(InMemorySaver()).get_graph().edges
    }
    assert written == compiled


def test_the_drawn_floors_are_the_import_contract() -> None:
    """From the top down; floors side by side are in one row."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    [floors] = [c["layers"] for c in contracts if c["id"] == "floors"]
    written = [re.split(r" {2,}", line)[0] for line in drawn("floors").splitlines()]
    assert written == [re.sub(r"[()]", "", floor) for floor in floors]
