"""What became of the requests of a turn, told without a model. Pure."""

from typing import Literal

from server.agent.state import State

Ended = Literal["carried_out", "uncertain", "rejected", "withdrawn", "expired"]


def how_requests_ended(state: State) -> list[Ended]:
    """Of the last tool round, each way once, in order; empty when nothing was asked of anybody in it."""
    rounds = [message for message in state["messages"] if message.get("tool_calls")]
    calls = rounds[-1].get("tool_calls", []) if rounds else []
    decided = {c["id"]: state["decisions"][c["id"]] for c in calls if c["id"] in state["decisions"]}
    carried_out = {
        (result["tool"], result["text"]) for result in state.get("results", ()) if result["ok"]
    }
    ended: list[Ended] = []
    for message in state["messages"]:
        call_id = message.get("tool_call_id", "")
        if call_id in decided:
            done = (message.get("name"), message["content"]) in carried_out
            ended.append(_ended(decided[call_id], done))
    return list(dict.fromkeys(ended))


def _ended(answer: object, carried_out: bool) -> Ended:
    if carried_out:
        return "carried_out"
    status = answer.get("status") if isinstance(answer, dict) else None
    match status:
        case "approved":
            return "uncertain"
        case "withdrawn":
            return "withdrawn"
        case "expired":
            return "expired"
        case _:
            return "rejected"
