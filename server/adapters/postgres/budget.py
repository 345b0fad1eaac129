"""What is spent on model calls each day: one row a day to compare with the cap, one row a reservation.

Each method is one statement. Whoever changes a day's row waits for whoever did before, and then reckons with what
they left.
"""

from typing import Any

from sqlalchemy import CTE, BigInteger, Update, cast, delete, exists, func, literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import budget_days, budget_reservations, threads
from server.adapters.postgres.threads import held_under
from server.domain.conversation import Lease
from server.domain.errors import LeaseLost
from server.ports import Reservation

_RESERVED = budget_days.c.reserved_nano_usd
_CHARGED = budget_days.c.charged_nano_usd


class PostgresBudget:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve(self, lease: Lease, reservation: Reservation, *, cap: int) -> bool:
        # SHARE: a takeover waits for this, or this sees it. Otherwise it could miss what it is to release.
        held = select(threads.c.id).where(held_under(lease)).with_for_update(read=True).cte("held")
        amount = literal(reservation.nano_usd, BigInteger)
        row = insert(budget_days).from_select(
            ["day", "reserved_nano_usd", "charged_nano_usd"],
            select(literal(reservation.day), amount, literal(0, BigInteger))
            .select_from(held)
            .where(amount <= literal(cap, BigInteger)),
        )
        taken = (
            row.on_conflict_do_update(
                index_elements=["day"],
                set_={"reserved_nano_usd": _RESERVED + amount},
                where=_CHARGED + _RESERVED + amount <= literal(cap, BigInteger),
            )
            .returning(budget_days.c.day)
            .cte("taken")
        )
        noted = (
            insert(budget_reservations)
            .from_select(
                ["id", "thread_id", "run_id", "fence", "day", "nano_usd"],
                select(
                    literal(reservation.id),
                    literal(lease.thread_id),
                    literal(reservation.run_id),
                    literal(lease.fence, BigInteger),
                    taken.c.day,
                    amount,
                ),
            )
            .returning(budget_reservations.c.id)
            .cte("noted")
        )
        answer = select(_is_there(held), _is_there(noted))
        async with self._database.statement() as connection:
            is_held, is_reserved = (await connection.execute(answer)).one()
        if not is_held:
            raise LeaseLost
        return bool(is_reserved)

    async def settle(self, reservation_id: str, charge: int) -> None:
        async with self._database.statement() as connection:
            await settle_charge(connection, reservation_id, charge)

    async def release_earlier(self, lease: Lease) -> None:
        of_the_dead = (budget_reservations.c.thread_id == lease.thread_id) & (
            budget_reservations.c.fence < lease.fence
        )
        async with self._database.statement() as connection:
            await connection.execute(_ended(of_the_dead, charge=0))


async def settle_charge(connection: AsyncConnection, reservation_id: str, charge: int) -> None:
    """Puts the charge in the reservation's place, if that is still there."""
    this = budget_reservations.c.id == reservation_id
    await connection.execute(_ended(this, charge))


def _ended(which: Any, charge: int) -> Update:
    """Removes these reservations; a charge is for one of them."""
    gone = (
        delete(budget_reservations)
        .where(which)
        .returning(budget_reservations.c.day, budget_reservations.c.nano_usd)
        .cte("gone")
    )
    by_day = (
        select(gone.c.day, cast(func.sum(gone.c.nano_usd), BigInteger).label("nano_usd"))
        .group_by(gone.c.day)
        .cte("by_day")
    )
    return (
        update(budget_days)
        .where(budget_days.c.day == by_day.c.day)
        .values(
            reserved_nano_usd=_RESERVED - by_day.c.nano_usd,
            charged_nano_usd=_CHARGED + literal(charge, BigInteger),
        )
    )


def _is_there(found: CTE) -> Any:
    return exists(select(literal(1)).select_from(found))
