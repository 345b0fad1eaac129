"""What a model is shown of a thread's earlier turns."""

from server.agent.nodes.guard_input import GUARDED
from server.domain.conversation import (
    AWAITING_DECISION,
    NOT_COMPLETED,
    Message,
    Turn,
    valid_history,
)
from server.ports import Store

MAX_TURNS = 30
MAX_RUNS = 200
"""A turn has as many runs as pauses, and one more."""
MAX_CHARACTERS = 24_000
"""Of earlier turns, newest first; about six thousand tokens."""


async def model_history(store: Store, turn: Turn) -> tuple[Message, ...]:
    """The turns before this one and beside it, oldest first, valid for a provider, as many as fit whole.

    Without those that a guard stopped: what no model should read is not read a turn later either.
    """
    waiting = {
        approval.turn_id
        for approval in await store.approvals.of_thread(turn.thread_id)
        if approval.status == "pending"
    }
    stopped = {
        run.turn_id
        for run in await store.runs.newest(thread_id=turn.thread_id, limit=MAX_RUNS)
        if any(flag.startswith(GUARDED) for flag in run.flags)
    }
    kept: list[list[Message]] = []
    room = MAX_CHARACTERS
    for earlier in reversed(await store.turns.newest(turn.thread_id, MAX_TURNS)):
        if earlier.id == turn.id or earlier.id in stopped:
            continue
        missing = AWAITING_DECISION if earlier.id in waiting else NOT_COMPLETED
        messages = valid_history(earlier.messages, missing=missing)
        room -= sum(len(message["content"]) for message in messages)
        if room < 0:
            break
        kept.append(messages)
    return tuple(message for messages in reversed(kept) for message in messages)
