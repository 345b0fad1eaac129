"""The owner answers what visitors could not find, or takes it off the list."""

from server.domain.errors import AlreadyDecided, InvalidRequest, NotFound
from server.domain.gaps import AnswerPage, Gap, GapGroup, GapStatus
from server.domain.principals import Principal
from server.domain.text import is_readable
from server.domain.times import rfc3339
from server.grounding.words import fold, language_of
from server.runs.list_gaps import open_gaps
from server.runs.services import Services


async def answer_gap(
    services: Services, gap_id: str, answer: str, title: str | None, *, by: Principal
) -> GapGroup:
    """Makes the answer a page that the twin may rely on, and settles the question with all that ask the same.

    The page comes first: what can't be kept is not recorded as answered. If this process dies between the two, or the
    database goes away, the page is there and the question still open.
    Raises NotFound, AlreadyDecided, InvalidRequest, AnswerNotKept.
    """
    if not is_readable(answer) or (title is not None and not is_readable(title)):
        raise InvalidRequest("$: there is nothing to read in that answer or title")
    group = await _open_group(services, gap_id)
    now = services.clock()
    page = AnswerPage(
        title=title or group.first.question,
        text=answer,
        language=language_of([fold(word) for word in answer.split()], group.first.language),
        questions=tuple(gap.question for gap in group.gaps),
        answered_on=now.astimezone(services.rules.zone).date(),
        answered_by=by.id,
    )
    path = await services.answers.add(page)
    try:
        return await _settle(services, group, by, path)
    except (AlreadyDecided, NotFound):
        await services.answers.remove(path)
        raise


async def dismiss_gap(services: Services, gap_id: str, *, by: Principal) -> GapGroup:
    """Takes the question off the list, with all that ask the same. Raises NotFound or AlreadyDecided."""
    return await _settle(services, await _open_group(services, gap_id), by, None)


async def _open_group(services: Services, gap_id: str) -> GapGroup:
    for group in await open_gaps(services):
        if any(gap.id == gap_id for gap in group.gaps):
            return group
    gap = await services.store.gaps.get(gap_id)
    if gap is None:
        raise NotFound
    if gap.status != "open":
        raise _settled(gap)
    return GapGroup((gap,))  # older than what is grouped


async def _settle(services: Services, group: GapGroup, by: Principal, page: str | None) -> GapGroup:
    store = services.store.gaps
    status: GapStatus = "answered" if page else "dismissed"
    settled = await store.settle(
        [gap.id for gap in group.gaps], status, by=by.id, at=services.clock(), page=page
    )
    found = [await store.get(gap_id) for gap_id in settled]
    gaps = sorted((gap for gap in found if gap), key=lambda gap: (gap.asked_at, gap.id))
    if not gaps:
        now = await store.get(group.first.id)
        raise _settled(now) if now else NotFound
    return GapGroup(tuple(gaps))


def _settled(gap: Gap) -> AlreadyDecided:
    return AlreadyDecided(
        decided_status=gap.status, by=gap.settled_by, at=rfc3339(gap.settled_at), gap_id=gap.id
    )
