"""The composition root: settings become opened adapters, a compiled graph and services, on one exit stack."""

import os
import secrets
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import anyio
import httpx
import jwt
from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import SecretStr

from server.adapters.knowledge.answers import FolderAnswers
from server.adapters.knowledge.folder import FolderKnowledge
from server.adapters.knowledge.semantic import Embedder, UrlEmbedder, find_embedder
from server.adapters.memory import MemorySaver, Records, memory_store
from server.adapters.models.chat_completions import ChatCompletions
from server.adapters.models.extractive import Extractive
from server.adapters.notifications.service import find_apprise, open_service
from server.adapters.notifications.webhook import Webhook, webhook_key
from server.adapters.postgres import PostgresBell, open_engine, postgres_saver, postgres_store
from server.adapters.postgres.migrate import migrate
from server.adapters.serializer import StrictSerializer
from server.agent.context import Twin
from server.agent.graph import build_graph
from server.domain.errors import ConfigurationError
from server.domain.money import DailyBudget, Prices
from server.domain.tools import Tool
from server.guards.guards import Guards, read_guards
from server.metrics import Metrics
from server.ports import Bell, Channel, Clock, LeaseTerms, Model, Reach, Store, pass_by
from server.runs.active import ActiveRuns
from server.runs.feed import Feed
from server.runs.orphans import report_paused
from server.runs.recover import keep_recovering
from server.runs.services import Rules, Services
from server.runs.tell_owner import keep_telling
from server.runs.telling import Telling
from server.settings import NEEDS_PRICES, Settings
from server.tools.catalog import Catalog
from server.tools.draft_contact_message import draft_contact_message
from server.tools.get_availability import get_availability
from server.tools.loading import load_tools
from server.tools.search_knowledge import search_knowledge
from server.web.auth import Authenticator, UserTokens

DEMO = Path(__file__).with_name("demo")
KEYS_TIMEOUT_S = 5.0
"""How long the server of users' keys may take to answer."""


@asynccontextmanager
async def open_services(
    settings: Settings,
    *,
    model: Model | None,
    tools: Sequence[Tool],
    clock: Clock,
    channels: Sequence[Channel] = (),
    reach: Reach = pass_by,
    wait_for_meaning: bool = False,
) -> AsyncIterator[Services]:
    """Opens everything in order and closes it in the opposite one.

    `wait_for_meaning`: begins when the folder can be searched by meaning, if it can be, instead of by words at once.
    Raises ConfigurationError for settings that can't be met and Unavailable when the database does not answer.
    """
    rules = _rules(settings, model)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=60.0))
        twin = Twin(_owner_name(settings), settings.owner_languages)
        telling = _telling(settings, client, twin, channels)
        store, saver, bell = await _open_storage(stack, settings, clock)
        knowledge = await _open_knowledge(settings, client, wait_for_meaning=wait_for_meaning)
        catalog = Catalog(
            [
                search_knowledge(knowledge),
                get_availability(settings.availability_file or _availability(settings)),
                draft_contact_message(),
                *tools,
                *load_tools(settings.tools),
            ]
        )
        feed = Feed()
        background = await stack.enter_async_context(anyio.create_task_group())
        stack.callback(background.cancel_scope.cancel)
        active = ActiveRuns(background)
        services = Services(
            store=store,
            graph=build_graph(saver),
            saver=saver,
            model=model or _model(settings, client, twin),
            knowledge=knowledge,
            answers=FolderAnswers(settings.knowledge_dir, knowledge),
            tools=catalog,
            twin=twin,
            rules=rules,
            feed=feed,
            active=active,
            guards=_guards(settings, twin),
            metrics=Metrics(lambda: len(active)),
            telling=telling,
            clock=clock,
            reach=reach,
            holder=f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}",
        )
        if bell is not None:
            background.start_soon(bell.listen, feed.ring)
        background.start_soon(knowledge.watch)
        background.start_soon(keep_recovering, services)
        background.start_soon(report_paused, services)
        for channel in telling.channels.values():
            background.start_soon(keep_telling, services, channel)
        yield services


def authenticator(settings: Settings) -> Authenticator:
    """Without SECRET_KEY visitor tokens are good for this process only."""
    secret, jwks = settings.jwt_secret, settings.jwt_jwks_url
    return Authenticator(
        secret_key=_text(settings.secret_key) or secrets.token_urlsafe(32),
        owners=settings.owner_tokens(),
        users=UserTokens(
            secret=_text(secret),
            jwks=jwt.PyJWKClient(jwks, timeout=KEYS_TIMEOUT_S) if jwks else None,
            audience=settings.jwt_audience,
            issuer=settings.jwt_issuer,
        ),
    )


def check_channels(settings: Settings) -> None:
    """Raises ConfigurationError for NOTIFY_URLS that can't be used here."""
    _services_to_notify(settings, "any", Twin(_owner_name(settings), settings.owner_languages))


def _telling(
    settings: Settings, client: httpx.AsyncClient, twin: Twin, more: Sequence[Channel]
) -> Telling:
    secret_key = _text(settings.secret_key)
    channels = list(more)
    if settings.webhook_url and settings.webhook_secret:
        key = webhook_key(settings.webhook_secret.get_secret_value())
        channels.append(Webhook(client, settings.webhook_url.get_secret_value(), key))
    if channels or settings.notify_urls:
        if settings.public_url is None:
            raise ConfigurationError("Settings: a channel needs PUBLIC_URL, for links")
        if secret_key is None and settings.database_url:
            # Names of channels and links are made with it, and both outlive this process.
            raise ConfigurationError("Settings: notices need SECRET_KEY")
    secret_key = secret_key or secrets.token_urlsafe(32)
    channels += _services_to_notify(settings, secret_key, twin)
    named = {channel.name: channel for channel in channels}
    if len(named) < len(channels):
        raise ConfigurationError("Settings: a channel is there twice")
    return Telling(secret_key, settings.public_url or "", named)


def _services_to_notify(settings: Settings, secret_key: str, twin: Twin) -> list[Channel]:
    make = find_apprise() if settings.notify_urls else None
    return [
        open_service(
            make,
            url.get_secret_value(),
            place,
            secret_key=secret_key,
            owner=twin.owner_name,
            language=twin.languages[0],
            zone=settings.budget_timezone,
        )
        for place, url in enumerate(settings.notify_urls, 1)
    ]


async def _open_storage(
    stack: AsyncExitStack, settings: Settings, clock: Clock
) -> tuple[Store, BaseCheckpointSaver[str], Bell | None]:
    terms = LeaseTerms(lease=timedelta(seconds=settings.lease_s))
    serializer = StrictSerializer()
    url = _text(settings.database_url)
    if url is None:
        records = Records()
        return memory_store(clock, terms, records), MemorySaver(records, serializer), None
    await migrate(_text(settings.database_direct_url) or url)
    engine = open_engine(url)
    stack.push_async_callback(engine.dispose)
    saver = await stack.enter_async_context(postgres_saver(url, serializer))
    bell = PostgresBell(_text(settings.database_direct_url) or url)
    return postgres_store(engine, terms), saver, bell


async def _open_knowledge(
    settings: Settings, client: httpx.AsyncClient, *, wait_for_meaning: bool
) -> FolderKnowledge:
    if settings.embeddings_url and settings.embeddings_model:
        embedder: Embedder | None = UrlEmbedder(
            client,
            settings.embeddings_url,
            settings.embeddings_model,
            api_key=_text(settings.embeddings_api_key) or "",
        )
    else:
        embedder = find_embedder() if settings.semantic == "auto" else None
    knowledge = FolderKnowledge(
        settings.knowledge_dir or DEMO / "knowledge",
        embedder,
        cache=settings.state_dir / "vectors",
    )
    # Searchable by words at once; `watch` begins with what is not in the cache of vectors yet.
    await knowledge.load(wait_for_meaning=wait_for_meaning)
    return knowledge


def _owner_name(settings: Settings) -> str:
    demo = "Ada Lovelace" if settings.knowledge_dir is None else "the owner of this site"
    return settings.owner_name or demo


def _availability(settings: Settings) -> Path:
    """The demo twin has a page of its own; another twin's is next to its knowledge, if anywhere."""
    if settings.knowledge_dir is None:
        return DEMO / "availability.md"
    return settings.knowledge_dir / "availability.md"


def _model(settings: Settings, client: httpx.AsyncClient, twin: Twin) -> Model:
    if settings.model_base_url is None or settings.model_name is None:
        return Extractive(twin.owner_name, twin.languages)
    return ChatCompletions(
        client,
        settings.model_base_url,
        settings.model_name,
        _text(settings.model_api_key),
        timeout_s=settings.model_timeout_s,
        max_output_tokens=settings.output_limit(),
        repeat_billed=not settings.daily_budget_usd,
    )


def _prices(settings: Settings, given: Model | None) -> Prices:
    """Quoting pages costs nothing. Raises ConfigurationError for a budget over a model of unknown price."""
    if given is None and settings.model_base_url is None:
        return Prices()
    costs_in, costs_out = settings.model_price_input, settings.model_price_output
    if costs_in is None or costs_out is None:
        if settings.daily_budget_usd:
            raise ConfigurationError(f"Settings: DAILY_BUDGET_USD {NEEDS_PRICES}")
        return Prices()
    cached = settings.model_price_cached
    return Prices(
        _exact(costs_in), _exact(costs_out), _exact(costs_in if cached is None else cached)
    )


def _exact(number: Decimal) -> Decimal:
    # `Settings.model_copy` checks nothing: there may be a float in it.
    return Decimal(str(number))


def _guards(settings: Settings, twin: Twin) -> Guards:
    if settings.guards_file is None:
        return Guards(twin.owner_name)
    return read_guards(settings.guards_file.read_text("utf-8"), twin.owner_name)


def _rules(settings: Settings, given: Model | None) -> Rules:
    dollars, zone = _exact(settings.daily_budget_usd), settings.budget_timezone
    return Rules(
        busy_wait=timedelta(seconds=settings.busy_wait_s),
        approval_ttl=settings.approval_ttl,
        when_paused=settings.when_paused,
        verify=settings.verify,
        lease=timedelta(seconds=settings.lease_s),
        retention=timedelta(days=settings.retention_days) if settings.retention_days else None,
        prices=_prices(settings, given),
        budget=DailyBudget.of(dollars, zone) if dollars else None,
        output_limit=settings.output_limit(),
        zone=zone,
    )


def _text(secret: object) -> str | None:
    return secret.get_secret_value() if isinstance(secret, SecretStr) else None
