"""What a visitor thinks of an answer."""

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from server.domain import errors
from server.domain.errors import Forbidden
from server.domain.feedback import Verdict
from server.domain.principals import may_write
from server.runs.rate import rate
from server.web.dependencies import Caller, TheServices
from server.web.problems import responses

router = APIRouter(prefix="/api/feedback", tags=["visitor"])


class Judgement(BaseModel):
    """`seq` is any event of the answer, such as its last `text`."""

    model_config = ConfigDict(extra="forbid")

    thread_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    seq: int = Field(ge=1, le=2**53)
    verdict: Verdict
    comment: str | None = Field(default=None, max_length=1000)


@router.post(
    "",
    status_code=204,
    response_class=Response,
    summary="Say whether an answer helped",
    responses=responses(
        errors.Unauthenticated,
        errors.Forbidden,
        errors.InvalidRequest,
        errors.NoAnswerThere,
        errors.Unavailable,
    ),
)
async def give_feedback(body: Judgement, caller: Caller, services: TheServices) -> None:
    """Said again of the same answer, it replaces."""
    thread = await services.store.threads.get(body.thread_id)
    if thread is None or not may_write(caller, thread.principal):
        raise Forbidden
    comment = (body.comment or "").strip() or None
    await rate(services, thread, body.seq, body.verdict, comment)
