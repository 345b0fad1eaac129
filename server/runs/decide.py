"""The owner answers a question."""

from typing import Any

from server.domain.approvals import APPROVAL_SCHEMA, Approval, Decision, Via, may_decide
from server.domain.errors import (
    AmbiguousInterrupt,
    Forbidden,
    InvalidAnswer,
    NoPendingApproval,
    Orphaned,
    StaleInterrupt,
)
from server.domain.principals import Principal, may_read
from server.domain.tools import digest
from server.runs.claim import claim
from server.runs.orphans import fit
from server.runs.services import Services
from server.runs.settle_question import Settled, refusal, settle_question, still_open
from server.tools.arguments import check


async def decide(
    services: Services,
    thread_id: str,
    answer: Any,
    *,
    by: Principal,
    interrupt_id: str | None = None,
    via: Via = "api",
) -> Settled:
    """Binds the answer to one open question, records it, and lets the thread go on.

    `by` is the owner, or the thread's own principal for a tool with `approver="user"`.
    `answer` is the JSON of the decision, `{"approved": bool, "note"?, "arguments"?}`; None cancels the question
    without judging it. What is recorded is never lost; what is refused records nothing.

    Raises Forbidden, InvalidAnswer, NoPendingApproval, AmbiguousInterrupt, StaleInterrupt, AlreadyDecided, Expired, Orphaned,
    ThreadBusy or Draining.
    """
    thread = await services.store.threads.get(thread_id)
    opened_by = thread.principal if thread else ""
    approvals = await services.store.approvals.of_thread(thread_id)
    named = next((a for a in approvals if a.interrupt_id == interrupt_id), None)
    meant = [named] if named else [a for a in approvals if a.status == "pending"]
    # Who may not answer is told only that: neither what is wrong with the answer nor what is open.
    if not may_read(by, opened_by) or (meant and not _may_any(by, meant, opened_by)):
        raise Forbidden
    if answer is not None:
        check(answer, named.response_schema if named else APPROVAL_SCHEMA)
    asked = _asked(approvals, named, interrupt_id)
    if not may_decide(by, asked, opened_by):
        raise Forbidden
    if asked.status != "pending":
        raise refusal(asked)
    decision = _decision(services, asked, answer, by=by, via=via)
    lease = await claim(services, thread_id, still_wanted=still_open(services, asked))
    return await settle_question(services, lease, asked.interrupt_id, decision)


def _may_any(by: Principal, approvals: list[Approval], opened_by: str) -> bool:
    return any(may_decide(by, approval, opened_by) for approval in approvals)


def _asked(approvals: list[Approval], named: Approval | None, interrupt_id: str | None) -> Approval:
    """The question that is answered: the named one, or the only open one."""
    pending = [a for a in approvals if a.status == "pending"]
    if interrupt_id is not None:
        if named is None and not pending:
            raise NoPendingApproval
        if named is None:
            raise StaleInterrupt(given=interrupt_id, open=[a.interrupt_id for a in pending])
        return named
    if len(pending) > 1:
        raise AmbiguousInterrupt(open=[a.interrupt_id for a in pending])
    if pending:
        return pending[0]
    raise NoPendingApproval


def _decision(
    services: Services, asked: Approval, answer: Any, *, by: Principal, via: Via
) -> Decision:
    if answer is None:
        return Decision(
            "cancelled", _name(by), via, answer={"approved": False, "status": "cancelled"}
        )
    note = answer.get("note") or None
    if note and by.kind != "owner":
        note = services.guards.masked(note)  # a visitor's words; models are shown notes
    if answer["approved"] is not True:
        told = {"approved": False, "status": "rejected", "note": note}
        return Decision("rejected", _name(by), via, note=note, answer=told)
    found = fit(services, asked)
    if found.kind != "fine":
        raise Orphaned(why=found.why)
    tool = services.tools[asked.tool]
    edited = answer.get("arguments")
    if edited == asked.arguments:
        edited = None
    if edited is not None:
        try:
            check(edited, tool.parameters)
        except InvalidAnswer as error:
            raise InvalidAnswer(
                *(p.replace("$", "$.arguments", 1) for p in error.facts["problems"])
            ) from None
    effective = digest(asked.tool, asked.arguments if edited is None else edited)
    told = {
        "approved": True,
        "status": "approved",
        "interrupt_id": asked.interrupt_id,
        "digest": effective,
        "note": note,
        "arguments": edited,
    }
    return Decision(
        "approved",
        _name(by),
        via,
        note=note,
        edited_arguments=edited,
        effective_digest=effective,
        answer=told,
    )


def _name(by: Principal) -> str:
    """What decisions carry: an owner's name, or the key of whoever confirmed for themselves."""
    return by.id if by.kind == "owner" else by.key
