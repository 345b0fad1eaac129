"""Removes a thread, everywhere."""

import hashlib

import structlog

from server.domain.errors import NotFound
from server.runs.assignment import BESIDE
from server.runs.cancel import cancel
from server.runs.claim import claim
from server.runs.services import Services

log = structlog.get_logger(__name__)


async def forget(services: Services, thread_id: str) -> None:
    """Stops what runs, then removes the thread's rows in every table, checkpoints included.

    One audit line stays, under a digest of the id. Raises NotFound, ThreadBusy or Draining.
    """
    if await services.store.threads.get(thread_id) is None:
        raise NotFound
    await cancel(services, thread_id)
    lease = await claim(services, thread_id)
    await services.store.threads.delete(lease, [thread_id, thread_id + BESIDE])
    services.feed.ring(thread_id)
    log.info("thread.forgotten", thread=hashlib.sha256(thread_id.encode()).hexdigest()[:16])
