"""Whether it lives, and whether it can work."""

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from server.domain.errors import SaysoError
from server.metrics import CONTENT_TYPE
from server.web.dependencies import TheServices

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """`documents` counts the pages of the knowledge folder."""

    ok: bool
    documents: int
    database: bool


@router.get("/healthz", summary="Liveness")
async def live() -> dict[str, bool]:
    """Green as long as the process answers, also while the database is away."""
    return {"ok": True}


@router.get("/api/health", summary="Health in words")
async def health(services: TheServices) -> Health:
    """Always 200; the body says what is missing."""
    database = await _database(services)
    return Health(ok=database, documents=services.knowledge.documents, database=database)


@router.get("/readyz", summary="Readiness", responses={503: {"description": "Not ready"}})
async def ready(services: TheServices, response: Response) -> dict[str, Any]:
    """503 while the database is away or the process shuts down."""
    database, draining = await _database(services), services.active.draining
    if not database or draining:
        response.status_code = 503
    return {
        "ready": database and not draining,
        "database": database,
        "draining": draining,
        "model": services.model.name,
    }


@router.get(
    "/metrics",
    summary="Counters of this process, for Prometheus",
    response_class=PlainTextResponse,
)
async def metrics(services: TheServices) -> Response:
    """Not for the world: keep it behind your proxy. Each replica counts what it did itself, from its start."""
    return Response(services.metrics.exposed(), media_type=CONTENT_TYPE)


async def _database(services: TheServices) -> bool:
    try:
        await services.store.check()
    except SaysoError:
        return False
    return True
