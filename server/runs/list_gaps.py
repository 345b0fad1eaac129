"""What visitors asked that was not answered, by what they asked."""

from collections import defaultdict
from datetime import datetime

import anyio.to_thread

from server.domain.gaps import Gap, GapGroup
from server.grounding.likeness import alike
from server.runs.services import Services

LOOKED_AT = 500
"""The newest gaps that are grouped. Older ones come into view when newer ones are answered or dismissed."""


async def open_gaps(services: Services) -> list[GapGroup]:
    """The open questions in groups, last asked first."""
    newest = await services.store.gaps.with_status("open", limit=LOOKED_AT)
    oldest_first = newest[::-1]
    questions = [gap.question for gap in oldest_first]
    places = await anyio.to_thread.run_sync(alike, questions, services.twin.owner_name)
    groups = [GapGroup(tuple(oldest_first[place] for place in group)) for group in places]
    return sorted(groups, key=lambda group: group.last.asked_at, reverse=True)


async def answered_gaps(services: Services, before: datetime | None) -> list[GapGroup]:
    """What was answered before that time, newest first; one group an answer."""
    newest = await services.store.gaps.with_status("answered", before=before, limit=LOOKED_AT)
    by_page: defaultdict[str | None, list[Gap]] = defaultdict(list)
    for gap in newest:
        by_page[gap.page].append(gap)
    return [
        GapGroup(tuple(sorted(gaps, key=lambda gap: (gap.asked_at, gap.id))))
        for gaps in by_page.values()
    ]
