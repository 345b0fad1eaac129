"""Logs as events: a name and facts, for people on a console or as JSON lines. Never message text, tokens or secrets."""

import logging
import sys
from typing import Literal

import structlog


def set_up_logging(log_format: Literal["console", "json"], level: int = logging.INFO) -> None:
    """Sends structlog and the standard library's loggers through one chain to stderr. Called once, by the command line."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: structlog.typing.Processor
    if log_format == "json":
        shared.append(structlog.processors.format_exc_info)
        renderer = structlog.processors.JSONRenderer()
    else:
        renderer = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            # The default shows local variables: requests, tokens, what visitors wrote.
            exception_formatter=structlog.dev.plain_traceback,
        )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    output = logging.StreamHandler()
    output.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [output]
    root.setLevel(level)
    for noisy in ("httpx", "httpcore", "uvicorn.access", "alembic", "watchfiles"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
