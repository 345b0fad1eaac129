"""A visitor takes back their own request."""

from server.domain.approvals import Decision
from server.domain.errors import AlreadyDecided, NotFound
from server.domain.principals import Principal
from server.runs.claim import claim
from server.runs.services import Services
from server.runs.settle_question import Settled, refusal, settle_question, still_open


async def withdraw(
    services: Services, thread_id: str, interrupt_id: str, *, by: Principal
) -> Settled:
    """Settles the question as withdrawn; the model is told and the thread goes on.

    Raises NotFound, AlreadyDecided, Expired, ThreadBusy or Draining. Who decided is not the visitor's to know.
    """
    try:
        return await _withdraw(services, thread_id, interrupt_id, by=by)
    except AlreadyDecided as decided:
        facts = {name: fact for name, fact in decided.facts.items() if name != "by"}
        status = facts["decided_status"]
        raise AlreadyDecided(f"This question was settled already: {status}.", **facts) from None


async def _withdraw(
    services: Services, thread_id: str, interrupt_id: str, *, by: Principal
) -> Settled:
    asked = await services.store.approvals.get(interrupt_id)
    if asked is None or asked.thread_id != thread_id:
        raise NotFound
    if asked.status != "pending":
        raise refusal(asked)
    decision = Decision(
        "withdrawn", by.key, "visitor", answer={"approved": False, "status": "withdrawn"}
    )
    lease = await claim(services, thread_id, still_wanted=still_open(services, asked))
    return await settle_question(services, lease, interrupt_id, decision)
