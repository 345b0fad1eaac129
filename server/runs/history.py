"""What a model is shown of a thread's earlier turns."""

from server.domain.conversation import (
    AWAITING_DECISION,
    NOT_COMPLETED,
    Message,
    Turn,
    valid_history,
)
from server.ports import Store

MAX_TURNS = 30
MAX_CHARACTERS = 24_000
"""Of earlier turns, newest first; about six thousand tokens."""


async def model_history(store: Store, turn: Turn) -> tuple[Message, ...]:
    """The turns before this one and beside it, oldest first, valid for a provider, as many as fit whole."""
    waiting = {
        approval.turn_id
        for approval in await store.approvals.of_thread(turn.thread_id)
        if approval.status == "pending"
    }
    kept: list[list[Message]] = []
    room = MAX_CHARACTERS
    for earlier in reversed(await store.turns.newest(turn.thread_id, MAX_TURNS)):
        if earlier.id == turn.id:
            continue
        missing = AWAITING_DECISION if earlier.id in waiting else NOT_COMPLETED
        messages = valid_history(earlier.messages, missing=missing)
        room -= sum(len(message["content"]) for message in messages)
        if room < 0:
            break
        kept.append(messages)
    return tuple(message for messages in reversed(kept) for message in messages)
