"""The ports over dicts: for tests and demos without a database. What is kept ends with the process.

Leases, fences, tickets and transactions are as real as in Postgres, so that what holds here holds there.
"""

from server.adapters.memory.audit import MemoryAuditTrail
from server.adapters.memory.budget import MemoryBudget
from server.adapters.memory.daily_numbers import MemoryDailyNumbers
from server.adapters.memory.gaps import MemoryGaps, MemoryVerdicts
from server.adapters.memory.outbox import MemoryOutbox
from server.adapters.memory.rate_limit import MemoryRateLimiter
from server.adapters.memory.reads import (
    MemoryApprovals,
    MemoryContactMessages,
    MemoryEffects,
    MemoryLog,
    MemoryRuns,
    MemoryTurns,
)
from server.adapters.memory.records import Records
from server.adapters.memory.saver import MemorySaver
from server.adapters.memory.threads import MemoryThreads
from server.adapters.memory.writes import MemoryUnits
from server.ports import Clock, LeaseTerms, Store

__all__ = ["MemorySaver", "Records", "memory_store"]


def memory_store(clock: Clock, terms: LeaseTerms, records: Records | None = None) -> Store:
    """A store over `records`; two stores over the same records are two replicas over one database.

    `Records` is the bell too, and what `MemorySaver` checks leases against.
    """
    records = records or Records()
    return Store(
        threads=MemoryThreads(records, clock, terms),
        units=MemoryUnits(records, clock),
        log=MemoryLog(records),
        turns=MemoryTurns(records),
        runs=MemoryRuns(records),
        approvals=MemoryApprovals(records),
        effects=MemoryEffects(records),
        contact_messages=MemoryContactMessages(records),
        gaps=MemoryGaps(records),
        verdicts=MemoryVerdicts(records),
        outbox=MemoryOutbox(records),
        audit=MemoryAuditTrail(records),
        daily_numbers=MemoryDailyNumbers(records),
        rate_limiter=MemoryRateLimiter(records, clock),
        budget=MemoryBudget(records),
        check=_answers,
    )


async def _answers() -> None:
    """Memory always answers."""
