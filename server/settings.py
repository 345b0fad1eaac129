"""What an owner can set: environment variables, or a `.env` file. Read once, frozen."""

import re
from datetime import UTC, timedelta, tzinfo
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from server.adapters.notifications.webhook import webhook_key
from server.domain.errors import ConfigurationError
from server.ports import Rate

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def parse_duration(value: Any) -> Any:
    """`7d`, `12h`, `30m`, `45s`, or a number of seconds; `never` is None."""
    if not isinstance(value, str):
        return value
    if value.strip().lower() == "never":
        return None
    if match := re.fullmatch(r"\s*(\d+)\s*([smhd]?)\s*", value.lower()):
        return timedelta(**{_UNITS[match[2] or "s"]: int(match[1])})
    raise ValueError("expected a duration such as 7d, 12h, 30m or never")


def parse_list(value: Any) -> Any:
    """Comma-separated words; empty ones are left out."""
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


def parse_named_tokens(value: Any) -> Any:
    """`anna=token,bob=token` as a mapping of name to token."""
    if not isinstance(value, str):
        return value
    pairs = [word.partition("=") for word in parse_list(value)]
    if any(not (name and equals and token) for name, equals, token in pairs):
        raise ValueError("expected name=token,name=token")
    tokens = {name: token for name, _, token in pairs}
    if len(tokens) != len(pairs):
        raise ValueError("a name is used twice")
    return tokens


def parse_rate(value: Any) -> Any:
    """`20/10m`: so many at once, and as many again per that time; `off` is None."""
    if not isinstance(value, str):
        return value
    if value.strip().lower() == "off":
        return None
    if match := re.fullmatch(r"\s*([1-9]\d{0,5})\s*/\s*(\d{0,5}[smhd])\s*", value.lower()):
        period = parse_duration(match[2] if len(match[2]) > 1 else f"1{match[2]}")
        if period:
            return Rate(int(match[1]), period)
    raise ValueError("expected a rate such as 20/10m, 1/s or off")


def parse_networks(value: Any) -> Any:
    """Addresses and networks in CIDR notation, separated by commas."""
    try:
        return tuple(ip_network(word, strict=False) for word in parse_list(value))
    except ValueError:
        raise ValueError("expected addresses or networks such as 10.0.0.0/8, fd00::/8") from None


def parse_origins(value: Any) -> Any:
    """Origins as browsers send them, separated by commas; or `*`."""
    return tuple(word if word == "*" else _origin(word) for word in parse_list(value))


def _origin(text: str) -> str:
    origin = text.lower().removesuffix("/")
    if not re.fullmatch(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?", origin):
        raise ValueError("expected origins such as https://example.org, or *")
    return origin.removesuffix(":443" if origin.startswith("https:") else ":80")


def parse_frame_ancestors(value: Any) -> Any:
    """CSP sources, separated by commas: `https://example.org`, `https://*.example.org`, `*`; `none` is nobody."""
    words = parse_list(value)
    if words == ("none",):
        return ()
    source = r"\*|self|'self'|(https?://)?(\*\.)?[A-Za-z0-9._-]+(:(\d{1,5}|\*))?"
    if any(word == "none" or not re.fullmatch(source, word) for word in words):
        raise ValueError("expected sources such as https://example.org, https://*.example.org or *")
    return tuple("'self'" if word == "self" else word for word in words)


def parse_zone(value: Any) -> Any:
    """A time zone's IANA name. `UTC` is there on machines without the zones' files, too."""
    if not isinstance(value, str):
        return value
    if value.strip().upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(value.strip())
    except (KeyError, ValueError, OSError):
        raise ValueError(
            "expected a time zone that is known here, such as Europe/Amsterdam or UTC"
        ) from None


def parse_public_url(value: Any) -> Any:
    """Where the world finds this twin, without a slash at its end."""
    if not isinstance(value, str):
        return value
    url = value.strip().rstrip("/")
    if not is_web_url(url) or "?" in url:
        raise ValueError("expected a URL such as https://twin.example.org")
    return url


def is_web_url(text: str) -> bool:
    """Whether it is one, with a host, and nothing a URL can't hold."""
    try:
        parts = urlsplit(text)
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and not parts.fragment and re.fullmatch(r"[!-~]+", text) is not None


def parse_notify_urls(value: Any) -> Any:
    """Separated by commas or blanks; a comma inside of one stays, if no new URL begins after it."""
    if not isinstance(value, str):
        return value
    found = re.split(r"[\s,]+(?=[A-Za-z][A-Za-z0-9+.-]*://)", value.strip().strip(","))
    if any(not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*://\S+", url) for url in found):
        raise ValueError("expected URLs as apprise takes them, such as tgram://token/chat")
    return tuple(found)


Duration = Annotated[timedelta, BeforeValidator(parse_duration)]
OptionalDuration = Annotated[timedelta | None, BeforeValidator(parse_duration)]
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(parse_list)]
OptionalRate = Annotated[Rate | None, NoDecode, BeforeValidator(parse_rate)]
Networks = Annotated[
    tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(parse_networks)
]
Origins = Annotated[tuple[str, ...], NoDecode, BeforeValidator(parse_origins)]
FrameAncestors = Annotated[tuple[str, ...], NoDecode, BeforeValidator(parse_frame_ancestors)]
Zone = Annotated[tzinfo, BeforeValidator(parse_zone)]
Price = Annotated[Decimal, Field(ge=0, le=1_000_000)]
"""US dollars per million tokens."""
PublicUrl = Annotated[str | None, BeforeValidator(parse_public_url)]
NotifyUrls = Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(parse_notify_urls)]
NamedTokens = Annotated[dict[str, SecretStr], NoDecode, BeforeValidator(parse_named_tokens)]


LIMIT_WITH_BUDGET = 1024
NEEDS_PRICES = (
    "needs to know what the model costs: set MODEL_PRICE_INPUT and MODEL_PRICE_OUTPUT (US dollars per million tokens, "
    "0 for a model that is free), or DAILY_BUDGET_USD=0 for no budget"
)


class Settings(BaseSettings):
    """One field per setting; `.env.example` says what each is for, and a test holds the two together."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        arbitrary_types_allowed=True,
    )

    database_url: SecretStr | None = None
    database_direct_url: SecretStr | None = None
    state_dir: Path = Path(".sayso")
    admin_token: SecretStr | None = None
    admin_tokens: NamedTokens = Field(default_factory=dict)
    secret_key: SecretStr | None = None
    jwt_secret: SecretStr | None = None
    jwt_jwks_url: str | None = None
    jwt_audience: str | None = None
    jwt_issuer: str | None = None
    owner_name: str | None = None
    owner_languages: Words = ("en", "nl")
    knowledge_dir: Path | None = None
    availability_file: Path | None = None
    tools: Words = ()
    model_base_url: str | None = None
    model_api_key: SecretStr | None = None
    model_name: str | None = None
    model_timeout_s: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    model_max_output_tokens: int | None = Field(default=None, gt=0)
    model_price_input: Price | None = None
    model_price_output: Price | None = None
    model_price_cached: Price | None = None
    daily_budget_usd: Decimal = Field(default=Decimal(0), ge=0, le=1_000_000_000)
    budget_timezone: Zone = UTC
    semantic: Literal["auto", "off"] = "auto"
    embeddings_url: str | None = None
    embeddings_model: str | None = None
    embeddings_api_key: SecretStr | None = None
    rate_limit: OptionalRate = Rate(20, timedelta(minutes=10))
    trusted_proxies: Networks = ()
    allowed_origins: Origins = ()
    frame_ancestors: FrameAncestors = ("*",)
    busy_wait_s: float = Field(default=30.0, ge=0, allow_inf_nan=False)
    approval_ttl: OptionalDuration = timedelta(days=7)
    when_paused: Literal["beside", "refuse"] = "beside"
    guards_file: Path | None = None
    verify: Literal["gate", "flag", "off"] = "gate"
    on_disconnect: Literal["continue", "cancel"] = "continue"
    lease_s: float = Field(default=10.0, ge=1, allow_inf_nan=False)
    retention_days: int | None = Field(default=None, ge=1)
    public_url: PublicUrl = None
    webhook_url: SecretStr | None = None
    webhook_secret: SecretStr | None = None
    notify_urls: NotifyUrls = ()
    log_format: Literal["console", "json"] = "console"

    @model_validator(mode="after")
    def _agree(self) -> "Settings":
        if self.model_base_url and not self.model_name:
            raise ValueError("MODEL_BASE_URL needs MODEL_NAME")
        if self.model_name and not self.model_base_url:
            raise ValueError("MODEL_NAME needs MODEL_BASE_URL (absent both: no language model)")
        self._agree_on_money()
        self._agree_on_notices()
        if self.jwt_secret and self.jwt_jwks_url:
            raise ValueError("set JWT_SECRET or JWT_JWKS_URL, not both")
        if self.embeddings_url and not self.embeddings_model:
            raise ValueError("EMBEDDINGS_URL needs EMBEDDINGS_MODEL")
        if self.admin_token and self.admin_tokens:
            raise ValueError("set ADMIN_TOKEN or ADMIN_TOKENS, not both")
        for folder in (self.knowledge_dir,):
            if folder is not None and not folder.is_dir():
                raise ValueError(f"KNOWLEDGE_DIR is not a folder: {folder}")
        if self.availability_file is not None and not self.availability_file.is_file():
            raise ValueError(f"AVAILABILITY_FILE is not a file: {self.availability_file}")
        if self.guards_file is not None and not self.guards_file.is_file():
            raise ValueError(f"GUARDS_FILE is not a file: {self.guards_file}")
        unknown = set(self.owner_languages) - {"en", "nl"}
        if unknown or not self.owner_languages:
            raise ValueError("OWNER_LANGUAGES must be en, nl or both, the preferred one first")
        return self

    def _agree_on_money(self) -> None:
        if (self.model_price_input is None) != (self.model_price_output is None):
            raise ValueError("MODEL_PRICE_INPUT and MODEL_PRICE_OUTPUT need each other")
        if self.model_price_cached is not None and not self.is_priced():
            raise ValueError("MODEL_PRICE_CACHED needs MODEL_PRICE_INPUT and MODEL_PRICE_OUTPUT")
        if self.daily_budget_usd and self.model_base_url and not self.is_priced():
            raise ValueError(f"DAILY_BUDGET_USD {NEEDS_PRICES}")

    def _agree_on_notices(self) -> None:
        if (self.webhook_url is None) != (self.webhook_secret is None):
            raise ValueError("WEBHOOK_URL and WEBHOOK_SECRET need each other")
        if self.webhook_url and not is_web_url(self.webhook_url.get_secret_value()):
            raise ValueError("WEBHOOK_URL: expected a URL such as https://example.org/hook")
        if self.webhook_secret:
            try:
                webhook_key(self.webhook_secret.get_secret_value())
            except ValueError:
                raise ValueError(
                    "WEBHOOK_SECRET: expected whsec_ and 24 to 64 random bytes in base64, as `openssl rand -base64 32` gives"
                ) from None
        if (self.webhook_url or self.notify_urls) and not self.public_url:
            raise ValueError(
                "WEBHOOK_URL and NOTIFY_URLS need PUBLIC_URL: a notice says where to decide"
            )

    def is_priced(self) -> bool:
        """Whether it is known what tokens cost; nothing is a price, too."""
        return self.model_price_input is not None and self.model_price_output is not None

    def output_limit(self) -> int | None:
        """Tokens of one answer; None: as the model likes. With a budget there always is a limit: what has no end can't be reserved."""
        if self.model_max_output_tokens is None and self.daily_budget_usd:
            return LIMIT_WITH_BUDGET
        return self.model_max_output_tokens

    def owner_tokens(self) -> dict[str, str]:
        """Owner tokens by name; the single one's name is `owner`."""
        if self.admin_token:
            return {"owner": self.admin_token.get_secret_value()}
        return {name: token.get_secret_value() for name, token in self.admin_tokens.items()}


def read_settings(**overrides: Any) -> Settings:
    """The settings of this process. Raises ConfigurationError naming each wrong variable, never its value."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = "; ".join(
            ": ".join(
                filter(
                    None,
                    ("_".join(map(str, e["loc"])).upper(), e["msg"].removeprefix("Value error, ")),
                )
            )
            for e in error.errors(include_input=False, include_url=False)
        )
        raise ConfigurationError(f"Settings: {problems}") from None
