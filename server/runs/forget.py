"""Removes a thread, everywhere."""

import structlog

from server.domain.approvals import Via
from server.domain.audit import of_forgetting, thread_digest
from server.domain.errors import NotFound
from server.domain.principals import Principal
from server.runs.assignment import BESIDE
from server.runs.cancel import cancel
from server.runs.claim import claim
from server.runs.services import Services

log = structlog.get_logger(__name__)


async def forget(
    services: Services, thread_id: str, *, by: Principal | None = None, via: Via = "visitor"
) -> None:
    """Stops what runs, then removes the thread's rows in every table, checkpoints included.

    One audit line stays, under a digest of the id; `by` None: time did it. Raises NotFound, ThreadBusy or Draining.
    """
    if await services.store.threads.get(thread_id) is None:
        raise NotFound
    await cancel(services, thread_id)
    lease = await claim(services, thread_id)
    noted = of_forgetting(thread_id, at=services.clock(), by=by, via=via)
    await services.store.threads.delete(lease, [thread_id, thread_id + BESIDE], noted)
    services.feed.ring(thread_id)
    log.info("thread.forgotten", thread=thread_digest(thread_id))
