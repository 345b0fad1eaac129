"""Time settles a question nobody answered."""

from contextlib import suppress

from server.domain.approvals import Decision
from server.domain.errors import AlreadyDecided, Expired, ThreadBusy
from server.runs.services import Services
from server.runs.settle_question import settle_question

BATCH = 50


async def expire(services: Services) -> int:
    """Settles what is past its expiry, on threads that are free; gives how many. `decided_by` stays empty."""
    count = 0
    for approval in await services.store.approvals.expired(services.clock(), BATCH):
        lease = await services.store.threads.take_for_recovery(approval.thread_id, services.holder)
        if lease is None:
            continue
        decision = Decision(
            "expired", None, "clock", answer={"approved": False, "status": "expired"}
        )
        with suppress(AlreadyDecided, Expired, ThreadBusy):
            await settle_question(services, lease, approval.interrupt_id, decision)
            count += 1
    return count
