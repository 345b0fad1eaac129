"""What a thread's earlier runs left to be done: decisions that were not carried out yet, closing answers that failed."""

from dataclasses import dataclass

from server.domain.approvals import Approval
from server.domain.conversation import Run
from server.runs.services import Services


@dataclass(frozen=True, slots=True)
class Unfinished:
    """`question`: the first that waits for a decision. `uncarried`: whether a decision was recorded that nobody could carry out yet, so
    that the checkpoint of its pause is still needed. `unanswered`: failed runs that only have to say what was done."""

    question: Approval | None
    uncarried: bool
    unanswered: tuple[Run, ...]


async def unfinished(services: Services, thread_id: str) -> Unfinished:
    """Looks at the thread, whoever holds it."""
    store = services.store
    approvals = await store.approvals.of_thread(thread_id)
    question = next((a for a in approvals if a.status == "pending"), None)
    failed = [run for run in await store.runs.newest(thread_id=thread_id) if run.retry_at]
    open_pauses = await _with_open_yes(services, approvals, {run.resumes for run in failed})
    unresumed = any(
        a.resumed_by is None and a.status not in ("pending", "orphaned") for a in approvals
    )
    return Unfinished(
        question,
        bool(open_pauses) or (unresumed and question is None),
        tuple(run for run in failed if run.resumes not in open_pauses),
    )


async def _with_open_yes(
    services: Services, approvals: list[Approval], resumed: set[str | None]
) -> set[str | None]:
    """Of those pauses, by the run that paused, the ones with a yes of which the ledger knows no end."""
    said_yes = [a for a in approvals if a.status == "approved" and a.run_id in resumed]
    if not said_yes:
        return set()
    thread_id = said_yes[0].thread_id
    effects = await services.store.effects.of_thread(thread_id)
    ended = {effect.tool_call_id for effect in effects if effect.status != "started"}
    return {approval.run_id for approval in said_yes if approval.tool_call_id not in ended}
