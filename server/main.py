"""The application: routes, handlers, lifespan. Importing this does nothing."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI

from server import __version__
from server.bootstrap import authenticator, open_services
from server.domain.tools import Tool
from server.ports import Channel, Clock, Model, Reach, pass_by
from server.runs.clock import utc_now
from server.settings import Settings, read_settings
from server.telemetry import set_up_logging
from server.web import envelope, problems
from server.web.body_limit import BodyLimit
from server.web.dependencies import Web
from server.web.routes import (
    admin,
    approvals,
    audit,
    chat,
    decide,
    effects,
    feedback,
    gaps,
    graph,
    health,
    stats,
    threads,
)
from server.web.routes.pages import pages
from server.web.security import protect

FINISH_S = 10.0
LEAVE_S = 10.0
"""At shutdown, in seconds: how long runs may come to their end, and then to the end of a node. See `ActiveRuns.drain`."""


def create_app(
    settings: Settings | None = None,
    *,
    model: Model | None = None,
    tools: Sequence[Tool] = (),
    channels: Sequence[Channel] = (),
    clock: Clock = utc_now,
    reach: Reach = pass_by,
) -> FastAPI:
    """The application for these settings; without any, those of the environment.

    Without `database_url` everything is kept in memory and ends with the application. `model`, `tools` and `clock` stand
    in for what the settings name: for tests, and for embedding. `channels` are further ways to tell the owner that something
    waits. Raises ConfigurationError.
    """
    settings = settings or read_settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_services(
            settings, model=model, tools=tools, channels=channels, clock=clock, reach=reach
        ) as services:
            app.state.web = Web(
                services=services,
                authenticator=authenticator(settings),
                cancel_on_disconnect=settings.on_disconnect == "cancel",
                rate_limit=settings.rate_limit,
            )
            yield
            await services.active.drain(finish_s=FINISH_S, leave_s=LEAVE_S)

    app = FastAPI(
        title="Sayso",
        version=__version__,
        summary="A twin that says only what it can prove and does only what its owner approves.",
        lifespan=lifespan,
        docs_url=None,  # those of FastAPI load scripts from elsewhere; ours is among the pages
        redoc_url=None,
    )
    problems.install(app)
    envelope.install(app)
    app.add_middleware(BodyLimit)
    protect(
        app,
        trusted_proxies=settings.trusted_proxies,
        allowed_origins=settings.allowed_origins,
    )
    for routes in (
        chat,
        threads,
        feedback,
        approvals,
        admin,
        effects,
        audit,
        gaps,
        stats,
        graph,
        health,
    ):
        app.include_router(routes.router)
    app.include_router(decide.router)
    app.include_router(pages(frame_ancestors=settings.frame_ancestors))
    return app


def app_from_environment() -> FastAPI:
    """What worker processes are started with."""
    settings = read_settings()
    set_up_logging(settings.log_format)
    return create_app(settings)
