"""The run routes in the dialect of the 10xGraph API, over the same verbs as `/api`. What is promised: `docs/graph-api.md`."""

from fastapi import APIRouter

from server.web.routes.graph import runs, threads

router = APIRouter(tags=["10xGraph dialect"])
router.include_router(runs.router)
router.include_router(threads.router)
