"""The pages: the chat at `/`, the owner's inbox, the widget and its frame, the API at `/docs`, and what they are made of.

All of it is built into `server/static/` beforehand (`clients/build`); nothing is rendered here but names.
"""

import gzip
import hashlib
import html
import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fastapi import APIRouter, Request, Response

from server.domain.errors import NotFound
from server.web.dependencies import TheServices

STATIC = Path(__file__).parents[2] / "static"
A_YEAR = "public, max-age=31536000, immutable"
FIVE_MINUTES = "public, max-age=300, must-revalidate"
NEVER = "no-cache"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True)
class Asset:
    """A file of the bundle, read once, with a tag of its content."""

    body: bytes
    media_type: str
    tag: str

    @classmethod
    def of(cls, path: Path) -> "Asset":
        """The file at this path."""
        body = path.read_bytes()
        kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        return cls(body, f"{kind}; charset=utf-8", tag)

    @cached_property
    def compressed(self) -> bytes:
        """The same in gzip, made when it is first asked for."""
        return gzip.compress(self.body, 9, mtime=0)


def content_security_policy(frame_ancestors: Sequence[str], *, trusted_types: bool = True) -> str:
    """Only our own files run and load, nothing inline; HTML from strings only through the sanitizer.

    Without `trusted_types` HTML from strings is not refused: for Swagger UI, which cleans it and then hands on strings.
    """
    from_strings = [
        "require-trusted-types-for 'script'",
        "trusted-types lit-html dompurify 'allow-duplicates'",
    ]
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            *(from_strings if trusted_types else []),
            f"frame-ancestors {' '.join(frame_ancestors) or chr(39) + 'none' + chr(39)}",
        ]
    )


def pages(*, frame_ancestors: Sequence[str] = ("*",), static: Path = STATIC) -> APIRouter:
    """The router. `frame_ancestors` are the sites that may show the widget (CSP sources, such as `https://ada.example`).

    Raises FileNotFoundError when the bundle is not there.
    """
    router = APIRouter(include_in_schema=False)
    assets = {path.name: Asset.of(path) for path in sorted((static / "assets").iterdir())}
    launcher = Asset.of(static / "widget.js")
    documents = {
        name: (static / f"{name}.html").read_text("utf-8")
        for name in ("chat", "inbox", "widget", "docs")
    }
    alone, framed = content_security_policy(()), content_security_policy(frame_ancestors)
    described = content_security_policy((), trusted_types=False)

    def page(name: str, services: TheServices, policy: str) -> Response:
        names = {"owner": services.twin.owner_name, "languages": ",".join(services.twin.languages)}
        text = documents[name]
        for field, value in names.items():
            text = text.replace("{{" + field + "}}", html.escape(value))
        headers = PAGE_HEADERS | {"Content-Security-Policy": policy, "Cache-Control": NEVER}
        if policy is not framed:
            headers["X-Frame-Options"] = "DENY"
        return Response(text, media_type="text/html; charset=utf-8", headers=headers)

    @router.get("/", summary="The chat page")
    async def chat(services: TheServices) -> Response:
        return page("chat", services, alone)

    @router.get("/inbox", summary="The owner's inbox")
    async def inbox(services: TheServices) -> Response:
        return page("inbox", services, alone)

    @router.get("/widget", summary="What the widget's frame shows")
    async def widget(services: TheServices) -> Response:
        return page("widget", services, framed)

    @router.get("/docs", summary="The API, to read and to try")
    async def docs(services: TheServices) -> Response:
        return page("docs", services, described)

    @router.get("/widget.js", summary="The widget, for one script tag on any site")
    async def widget_script(request: Request) -> Response:
        # Other sites run it: it may be read across origins, and says so.
        return _asset(
            request, launcher, FIVE_MINUTES, {"Cross-Origin-Resource-Policy": "cross-origin"}
        )

    @router.get("/assets/{name}", summary="Scripts, styles and icons, named for their content")
    async def asset(request: Request, name: str) -> Response:
        found = assets.get(name)
        if found is None:
            raise NotFound
        return _asset(request, found, FIVE_MINUTES if name == "icon.svg" else A_YEAR, {})

    return router


def _asset(request: Request, asset: Asset, cache: str, more: dict[str, str]) -> Response:
    headers = (
        PAGE_HEADERS | {"Cache-Control": cache, "ETag": asset.tag, "Vary": "Accept-Encoding"} | more
    )
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    body = asset.body
    if "gzip" in request.headers.get("accept-encoding", ""):
        body = asset.compressed
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=asset.media_type, headers=headers)
