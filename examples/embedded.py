"""A twin inside a FastAPI application you already have.

.venv/bin/uvicorn examples.embedded:app
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from server.main import create_app

twin = create_app()  # from the environment and .env; or create_app(Settings(...))


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """A mounted application's lifespan is not run by its host, so it is entered here."""
    async with twin.router.lifespan_context(twin):
        yield


app = FastAPI(lifespan=lifespan)
app.mount("/twin", twin)


@app.get("/")
def home() -> dict[str, str]:
    """Your own routes, beside the twin's."""
    return {"talk to": "/twin/api/chat"}
