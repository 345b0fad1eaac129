"""What is spent on model calls each day, over dicts."""

from server.adapters.memory.records import Records
from server.domain.conversation import Lease
from server.domain.errors import LeaseLost
from server.ports import Reservation


class MemoryBudget:
    """Nothing is awaited in between, so that of many at once exactly as many fit as may."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def reserve(self, lease: Lease, reservation: Reservation, *, cap: int) -> bool:
        record = self._records.threads.get(lease.thread_id)
        if record is None or not record.is_held_under(lease.fence):
            raise LeaseLost
        day = self._records.budget_days[reservation.day]
        if day.charged + day.reserved + reservation.nano_usd > cap:
            return False
        day.reserved += reservation.nano_usd
        self._records.reservations[reservation.id] = (lease, reservation)
        return True

    async def settle(self, reservation_id: str, charge: int) -> None:
        self._records.settle_charge(reservation_id, charge)

    async def release_earlier(self, lease: Lease) -> None:
        for holder, reservation in list(self._records.reservations.values()):
            if holder.thread_id == lease.thread_id and holder.fence < lease.fence:
                await self.settle(reservation.id, 0)
