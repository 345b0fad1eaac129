"""The ports over one Postgres. Nothing is opened on import, and nothing here makes tables: see `migrate`."""

from sqlalchemy.ext.asyncio import AsyncEngine

from server.adapters.postgres.approvals import PostgresApprovals
from server.adapters.postgres.audit import PostgresAuditTrail
from server.adapters.postgres.bell import PostgresBell
from server.adapters.postgres.budget import PostgresBudget
from server.adapters.postgres.daily_numbers import PostgresDailyNumbers
from server.adapters.postgres.effects import PostgresContactMessages, PostgresEffects
from server.adapters.postgres.engine import ANSWER_WITHIN_S, Database, open_engine
from server.adapters.postgres.gaps import PostgresGaps, PostgresVerdicts
from server.adapters.postgres.log import PostgresLog
from server.adapters.postgres.outbox import PostgresOutbox
from server.adapters.postgres.rate_limit import PostgresRateLimiter
from server.adapters.postgres.runs import PostgresRuns
from server.adapters.postgres.saver import FencedSaver, postgres_saver
from server.adapters.postgres.threads import PostgresThreads
from server.adapters.postgres.turns import PostgresTurns
from server.adapters.postgres.writes import PostgresUnits
from server.ports import LeaseTerms, Store

__all__ = ["FencedSaver", "PostgresBell", "open_engine", "postgres_saver", "postgres_store"]


def postgres_store(
    engine: AsyncEngine, terms: LeaseTerms, *, within_s: float = ANSWER_WITHIN_S
) -> Store:
    """Everything that is kept.

    Each method raises Unavailable when the database can't be reached or takes longer than `within_s` seconds;
    whether what was being committed is committed is not known then.
    """
    database = Database(engine, within_s)
    return Store(
        threads=PostgresThreads(database, terms),
        units=PostgresUnits(database),
        log=PostgresLog(database),
        turns=PostgresTurns(database),
        runs=PostgresRuns(database),
        approvals=PostgresApprovals(database),
        effects=PostgresEffects(database),
        contact_messages=PostgresContactMessages(database),
        gaps=PostgresGaps(database),
        verdicts=PostgresVerdicts(database),
        outbox=PostgresOutbox(database),
        audit=PostgresAuditTrail(database),
        daily_numbers=PostgresDailyNumbers(database),
        rate_limiter=PostgresRateLimiter(database),
        budget=PostgresBudget(database),
        check=database.check,
    )
